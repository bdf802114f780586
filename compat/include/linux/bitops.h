/* SPDX-License-Identifier: MIT */
/*
 * Atomic bit operations on arrays of long. Those that return a value are full barriers, the others
 * order nothing, as in the kernel.
 */
#ifndef _LINUX_BITOPS_H
#define _LINUX_BITOPS_H

#include <strings.h> /* ffs() */
#include <linux/types.h>
#include <linux/bits.h>
#include <asm/barrier.h>

#define WW_LINUX_BIT_AT(nr, addr) ((unsigned long *)(addr) + BIT_WORD((unsigned long)(nr)))

WW_LINUX_INLINE void set_bit(unsigned long nr, volatile unsigned long *addr)
{
	__atomic_fetch_or(WW_LINUX_BIT_AT(nr, addr), BIT_MASK(nr), __ATOMIC_RELAXED);
}
WW_LINUX_INLINE void clear_bit(unsigned long nr, volatile unsigned long *addr)
{
	__atomic_fetch_and(WW_LINUX_BIT_AT(nr, addr), ~BIT_MASK(nr), __ATOMIC_RELAXED);
}
WW_LINUX_INLINE void change_bit(unsigned long nr, volatile unsigned long *addr)
{
	__atomic_fetch_xor(WW_LINUX_BIT_AT(nr, addr), BIT_MASK(nr), __ATOMIC_RELAXED);
}
WW_LINUX_INLINE bool test_and_set_bit(unsigned long nr, volatile unsigned long *addr)
{
	return __atomic_fetch_or(WW_LINUX_BIT_AT(nr, addr), BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}
WW_LINUX_INLINE bool test_and_clear_bit(unsigned long nr, volatile unsigned long *addr)
{
	return __atomic_fetch_and(WW_LINUX_BIT_AT(nr, addr), ~BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}
WW_LINUX_INLINE bool test_and_change_bit(unsigned long nr, volatile unsigned long *addr)
{
	return __atomic_fetch_xor(WW_LINUX_BIT_AT(nr, addr), BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}
WW_LINUX_INLINE bool test_and_set_bit_lock(unsigned long nr, volatile unsigned long *addr)
{
	return __atomic_fetch_or(WW_LINUX_BIT_AT(nr, addr), BIT_MASK(nr), __ATOMIC_ACQUIRE) &
	       BIT_MASK(nr);
}
WW_LINUX_INLINE void clear_bit_unlock(unsigned long nr, volatile unsigned long *addr)
{
	__atomic_fetch_and(WW_LINUX_BIT_AT(nr, addr), ~BIT_MASK(nr), __ATOMIC_RELEASE);
}
#define __clear_bit_unlock(nr, addr) clear_bit_unlock(nr, addr)
WW_LINUX_INLINE bool test_bit(unsigned long nr, const volatile unsigned long *addr)
{
	return __atomic_load_n(WW_LINUX_BIT_AT(nr, addr), __ATOMIC_RELAXED) & BIT_MASK(nr);
}
WW_LINUX_INLINE bool test_bit_acquire(unsigned long nr, const volatile unsigned long *addr)
{
	return __atomic_load_n(WW_LINUX_BIT_AT(nr, addr), __ATOMIC_ACQUIRE) & BIT_MASK(nr);
}
WW_LINUX_INLINE void __set_bit(unsigned long nr, volatile unsigned long *addr)
{
	*WW_LINUX_BIT_AT(nr, addr) |= BIT_MASK(nr);
}
WW_LINUX_INLINE void __clear_bit(unsigned long nr, volatile unsigned long *addr)
{
	*WW_LINUX_BIT_AT(nr, addr) &= ~BIT_MASK(nr);
}
WW_LINUX_INLINE void __change_bit(unsigned long nr, volatile unsigned long *addr)
{
	*WW_LINUX_BIT_AT(nr, addr) ^= BIT_MASK(nr);
}
WW_LINUX_INLINE bool __test_and_set_bit(unsigned long nr, volatile unsigned long *addr)
{
	unsigned long old = *WW_LINUX_BIT_AT(nr, addr);

	*WW_LINUX_BIT_AT(nr, addr) = old | BIT_MASK(nr);
	return old & BIT_MASK(nr);
}
WW_LINUX_INLINE bool __test_and_clear_bit(unsigned long nr, volatile unsigned long *addr)
{
	unsigned long old = *WW_LINUX_BIT_AT(nr, addr);

	*WW_LINUX_BIT_AT(nr, addr) = old & ~BIT_MASK(nr);
	return old & BIT_MASK(nr);
}
#define assign_bit(nr, addr, value) ((value) ? set_bit((nr), (addr)) : clear_bit((nr), (addr)))
#define __assign_bit(nr, addr, value)                                                              \
	((value) ? __set_bit((nr), (addr)) : __clear_bit((nr), (addr)))

/* From 0, as __ffs(0) undefined; ffs(), fls() count from 1 and give 0 for 0. */
WW_LINUX_INLINE unsigned long __ffs(unsigned long w)
{
	return (unsigned long)__builtin_ctzl(w);
}
WW_LINUX_INLINE unsigned long __fls(unsigned long w)
{
	return BITS_PER_LONG - 1 - (unsigned long)__builtin_clzl(w);
}
#define ffz(x) __ffs(~(unsigned long)(x))
WW_LINUX_INLINE int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}
WW_LINUX_INLINE int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}
#define fls_long(x) (BITS_PER_LONG == 64 ? fls64(x) : fls((unsigned)(x)))
WW_LINUX_INLINE unsigned long __ffs64(u64 x)
{
	return (unsigned long)__builtin_ctzll(x);
}
#define hweight8(w)	((unsigned)__builtin_popcount((w)&0xff))
#define hweight16(w)	((unsigned)__builtin_popcount((w)&0xffff))
#define hweight32(w)	((unsigned)__builtin_popcount(w))
#define hweight64(w)	((unsigned)__builtin_popcountll(w))
#define hweight_long(w) ((unsigned)__builtin_popcountl(w))
WW_LINUX_INLINE int get_count_order(unsigned count)
{
	return count == 0 ? -1 : fls(count - 1);
}

WW_LINUX_INLINE int get_count_order_long(unsigned long count)
{
	return count ? fls_long(count - 1) : -1;
}
#define WW_LINUX_ROTATE(bits)                                                                      \
	WW_LINUX_INLINE u##bits rol##bits(u##bits w, unsigned s)                                   \
	{                                                                                          \
		return (u##bits)((w << (s & (bits - 1))) | (w >> (-s & (bits - 1))));              \
	}                                                                                          \
	WW_LINUX_INLINE u##bits ror##bits(u##bits w, unsigned s)                                   \
	{                                                                                          \
		return (u##bits)((w >> (s & (bits - 1))) | (w << (-s & (bits - 1))));              \
	}
WW_LINUX_ROTATE(8)
WW_LINUX_ROTATE(16)
/* The old value. */
#define set_mask_bits(ptr, mask, bits)                                                             \
	({                                                                                         \
		__typeof__(ptr) ww_p_ = (ptr);                                                     \
		__typeof__(*ww_p_ + 0) ww_m_ = (mask), ww_b_ = (bits);                             \
		ww_linux_scalar_typeof(*ww_p_) ww_o_ = __atomic_load_n(ww_p_, __ATOMIC_RELAXED),   \
					       ww_n_;                                              \
		do                                                                                 \
			ww_n_ = (__typeof__(ww_o_))((ww_o_ & ~ww_m_) | ww_b_);                     \
		while (!__atomic_compare_exchange_n(ww_p_, &ww_o_, ww_n_, false, __ATOMIC_SEQ_CST, \
						    __ATOMIC_RELAXED));                            \
		ww_o_;                                                                             \
	})
/* Unless one of test is set; true if done. */
#define bit_clear_unless(ptr, clear, test)                                                         \
	({                                                                                         \
		__typeof__(ptr) ww_p_ = (ptr);                                                     \
		ww_linux_scalar_typeof(*ww_p_) ww_o_ = __atomic_load_n(ww_p_, __ATOMIC_RELAXED);   \
		while (!(ww_o_ & (test)) &&                                                        \
		       !__atomic_compare_exchange_n(ww_p_, &ww_o_,                                 \
						    (__typeof__(ww_o_))(ww_o_ & ~(clear)), false,  \
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))           \
			;                                                                          \
		!(ww_o_ & (test));                                                                 \
	})
WW_LINUX_INLINE u32 rol32(u32 w, unsigned s)
{
	return (w << (s & 31)) | (w >> ((-s) & 31));
}
WW_LINUX_INLINE u32 ror32(u32 w, unsigned s)
{
	return (w >> (s & 31)) | (w << ((-s) & 31));
}
WW_LINUX_INLINE u64 rol64(u64 w, unsigned s)
{
	return (w << (s & 63)) | (w >> ((-s) & 63));
}
WW_LINUX_INLINE u64 ror64(u64 w, unsigned s)
{
	return (w >> (s & 63)) | (w << ((-s) & 63));
}
WW_LINUX_INLINE s32 sign_extend32(u32 v, int index)
{
	return (s32)(v << (31 - index)) >> (31 - index);
}
WW_LINUX_INLINE s64 sign_extend64(u64 v, int index)
{
	return (s64)(v << (63 - index)) >> (63 - index);
}

/* The first bit at or after from that is set (clear, with invert); size when there is none. */
WW_LINUX_INLINE unsigned long ww_linux_find_bit(const unsigned long *addr, unsigned long size,
						unsigned long from, unsigned long invert)
{
	while (from < size) {
		unsigned long w = __atomic_load_n(addr + BIT_WORD(from), __ATOMIC_RELAXED) ^ invert;

		w &= ~0UL << (from % BITS_PER_LONG);
		if (w) {
			from = BIT_WORD(from) * BITS_PER_LONG + __ffs(w);
			return from < size ? from : size;
		}
		from = (BIT_WORD(from) + 1) * BITS_PER_LONG;
	}
	return size;
}
#define find_first_bit(addr, size)	     ww_linux_find_bit(addr, size, 0, 0UL)
#define find_first_zero_bit(addr, size)	     ww_linux_find_bit(addr, size, 0, ~0UL)
#define find_next_bit(addr, size, from)	     ww_linux_find_bit(addr, size, from, 0UL)
#define find_next_zero_bit(addr, size, from) ww_linux_find_bit(addr, size, from, ~0UL)
WW_LINUX_INLINE unsigned long find_last_bit(const unsigned long *addr, unsigned long size)
{
	for (unsigned long i = size; i-- > 0;)
		if (test_bit(i, addr))
			return i;
	return size;
}
#define for_each_set_bit(bit, addr, size)                                                          \
	for ((bit) = find_first_bit((addr), (size)); (bit) < (size);                               \
	     (bit) = find_next_bit((addr), (size), (bit) + 1))
#define for_each_set_bit_from(bit, addr, size)                                                     \
	for ((bit) = find_next_bit((addr), (size), (bit)); (bit) < (size);                         \
	     (bit) = find_next_bit((addr), (size), (bit) + 1))
#define for_each_clear_bit(bit, addr, size)                                                        \
	for ((bit) = find_first_zero_bit((addr), (size)); (bit) < (size);                          \
	     (bit) = find_next_zero_bit((addr), (size), (bit) + 1))

/* Sleep until the bit is clear (clear it and call wake_up_bit()), or take it. 0, or -EINTR never. */
void ww_linux_wait_on_bit(const unsigned long *word, int bit);
void ww_linux_wait_on_bit_lock(unsigned long *word, int bit);
void ww_linux_wake_up_bit(const void *word, int bit);

#endif
