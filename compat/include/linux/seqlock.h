/* SPDX-License-Identifier: MIT */
/* What is read inside must be read again when read_seqretry() says so; READ_ONCE() it under TSan. */
#ifndef __LINUX_SEQLOCK_H
#define __LINUX_SEQLOCK_H

#include <linux/spinlock.h>
#include <asm/barrier.h>

typedef struct seqcount {
	unsigned sequence;
} seqcount_t;
typedef seqcount_t seqcount_spinlock_t;
typedef seqcount_t seqcount_mutex_t;

typedef struct {
	seqcount_t seqcount;
	spinlock_t lock;
} seqlock_t;

#define SEQCNT_ZERO(name)                                                                          \
	{                                                                                          \
		0                                                                                  \
	}
#define SEQCNT_SPINLOCK_ZERO(name, l)                                                              \
	{                                                                                          \
		0                                                                                  \
	}
#define seqcount_init(s)	     ((void)((s)->sequence = 0))
#define seqcount_spinlock_init(s, l) ((void)((s)->sequence = 0))
#define seqcount_mutex_init(s, l)    ((void)((s)->sequence = 0))
#define __SEQLOCK_UNLOCKED(name)                                                                   \
	{                                                                                          \
		{0},                                                                               \
		{                                                                                  \
			{                                                                          \
				0                                                                  \
			}                                                                          \
		}                                                                                  \
	}
#define DEFINE_SEQLOCK(name) seqlock_t name = __SEQLOCK_UNLOCKED(name)
#define seqlock_init(sl)     ((void)(*(sl) = (seqlock_t)__SEQLOCK_UNLOCKED(*(sl))))

WW_LINUX_INLINE unsigned read_seqcount_begin(const seqcount_t *s)
{
	unsigned seq;

	while ((seq = __atomic_load_n(&s->sequence, __ATOMIC_ACQUIRE)) & 1)
		ww_linux_yield();
	return seq;
}
#define raw_read_seqcount_begin(s) read_seqcount_begin(s)
#define raw_read_seqcount(s)	   __atomic_load_n(&(s)->sequence, __ATOMIC_ACQUIRE)
WW_LINUX_INLINE int read_seqcount_retry(const seqcount_t *s, unsigned start)
{
	smp_rmb();
	return __atomic_load_n(&s->sequence, __ATOMIC_RELAXED) != start;
}
WW_LINUX_INLINE void write_seqcount_begin(seqcount_t *s)
{
	__atomic_store_n(&s->sequence, s->sequence + 1, __ATOMIC_RELAXED);
	smp_wmb();
}
WW_LINUX_INLINE void write_seqcount_end(seqcount_t *s)
{
	__atomic_store_n(&s->sequence, s->sequence + 1, __ATOMIC_RELEASE);
}
#define raw_write_seqcount_begin(s) write_seqcount_begin(s)
#define raw_write_seqcount_end(s)   write_seqcount_end(s)
#define read_seqbegin(sl)	    read_seqcount_begin(&(sl)->seqcount)
#define read_seqretry(sl, start)    read_seqcount_retry(&(sl)->seqcount, start)
WW_LINUX_INLINE void write_seqlock(seqlock_t *sl)
{
	spin_lock(&sl->lock);
	write_seqcount_begin(&sl->seqcount);
}
WW_LINUX_INLINE void write_sequnlock(seqlock_t *sl)
{
	write_seqcount_end(&sl->seqcount);
	spin_unlock(&sl->lock);
}
#define write_seqlock_bh(sl)		      write_seqlock(sl)
#define write_sequnlock_bh(sl)		      write_sequnlock(sl)
#define write_seqlock_irq(sl)		      write_seqlock(sl)
#define write_sequnlock_irq(sl)		      write_sequnlock(sl)
#define write_seqlock_irqsave(sl, flags)      ((flags) = 0, write_seqlock(sl))
#define write_sequnlock_irqrestore(sl, flags) ((void)(flags), write_sequnlock(sl))
#define read_seqlock_excl(sl)		      spin_lock(&(sl)->lock)
#define read_sequnlock_excl(sl)		      spin_unlock(&(sl)->lock)
#define raw_seqcount_begin(s)		      (raw_read_seqcount(s) & ~1u)
/* Without the lock where *seq is even, with it where that failed and *seq was made odd. */
#define read_seqbegin_or_lock(sl, seq)                                                             \
	do {                                                                                       \
		if (!(*(seq)&1))                                                                   \
			*(seq) = (int)read_seqbegin(sl);                                           \
		else                                                                               \
			read_seqlock_excl(sl);                                                     \
	} while (0)
#define need_seqretry(sl, seq) (!((seq)&1) && read_seqretry(sl, (unsigned)(seq)))
#define done_seqretry(sl, seq)                                                                     \
	do {                                                                                       \
		if ((seq)&1)                                                                       \
			read_sequnlock_excl(sl);                                                   \
	} while (0)
#define read_seqlock_excl_bh(sl)		  read_seqlock_excl(sl)
#define read_sequnlock_excl_bh(sl)		  read_sequnlock_excl(sl)
#define read_seqlock_excl_irq(sl)		  read_seqlock_excl(sl)
#define read_sequnlock_excl_irq(sl)		  read_sequnlock_excl(sl)
#define read_seqlock_excl_irqsave(sl, flags)	  ((flags) = 0, read_seqlock_excl(sl))
#define read_sequnlock_excl_irqrestore(sl, flags) ((void)(flags), read_sequnlock_excl(sl))

#endif
