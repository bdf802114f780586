/* SPDX-License-Identifier: MIT */
/*
 * The lock under spinlock_t, struct mutex and the rest: a futex word that holds its owner's thread
 * id, with the top bit while somebody may sleep on it. A spinning lock would burn a whole time
 * slice whenever its holder is not running, which the kernel rules out and a process can't: so all
 * of them spin briefly and then sleep. Taking one twice and giving up one that is not one's own
 * are reported by name instead of hanging.
 */
#ifndef WW_LINUX_LOCK_H
#define WW_LINUX_LOCK_H

#include <ww-linux/base.h>

struct ww_linux_lock {
	uint32_t word;
};

#define WW_LINUX_LOCK_WAITERS 0x80000000u

extern __thread uint32_t ww_linux_tid; /* 0 until the thread's first slow path */
uint32_t ww_linux_tid_slow(void);
void ww_linux_lock_slow(struct ww_linux_lock *l, const char *what);
void ww_linux_unlock_slow(struct ww_linux_lock *l, uint32_t was, const char *what);

WW_LINUX_INLINE uint32_t ww_linux_self(void)
{
	uint32_t tid = ww_linux_tid;

	return ww_linux_likely(tid) ? tid : ww_linux_tid_slow();
}

WW_LINUX_INLINE bool ww_linux_trylock(struct ww_linux_lock *l)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&l->word, &free, ww_linux_self(), false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

WW_LINUX_INLINE void ww_linux_lock(struct ww_linux_lock *l, const char *what)
{
	if (ww_linux_unlikely(!ww_linux_trylock(l)))
		ww_linux_lock_slow(l, what);
}

WW_LINUX_INLINE void ww_linux_unlock(struct ww_linux_lock *l, const char *what)
{
	uint32_t was = __atomic_exchange_n(&l->word, 0u, __ATOMIC_RELEASE);

	if (ww_linux_unlikely(was != ww_linux_self()))
		ww_linux_unlock_slow(l, was, what);
}

WW_LINUX_INLINE bool ww_linux_locked(const struct ww_linux_lock *l)
{
	return __atomic_load_n(&l->word, __ATOMIC_RELAXED) != 0;
}

/* Many readers or one writer. fair: a waiting writer keeps new readers out. */
struct ww_linux_rw {
	uint32_t state; /* readers, or WW_LINUX_RW_WRITER */
	uint32_t writers_waiting;
	uint32_t waiting; /* all who sleep */
};

#define WW_LINUX_RW_WRITER 0xffffffffu

void ww_linux_read_lock(struct ww_linux_rw *rw, bool fair);
bool ww_linux_read_trylock(struct ww_linux_rw *rw, bool fair);
void ww_linux_read_unlock(struct ww_linux_rw *rw);
void ww_linux_write_lock(struct ww_linux_rw *rw, bool fair);
bool ww_linux_write_trylock(struct ww_linux_rw *rw);
void ww_linux_write_unlock(struct ww_linux_rw *rw);
void ww_linux_write_downgrade(struct ww_linux_rw *rw);

#endif
