/* SPDX-License-Identifier: MIT */
#include_next <linux/random.h>
#ifndef WW_LINUX_RANDOM_H
#define WW_LINUX_RANDOM_H

#include <linux/types.h>

/* The system's generator; with WW_LINUX_SEED=number (the runner's --seed) a repeatable one. */
void ww_linux_get_random_bytes(void *buf, size_t len);
u32 ww_linux_random_u32(void);
u64 ww_linux_random_u64(void);
/* Uniform in 0 .. ceil-1; 0 for 0. */
u32 ww_linux_random_below(u32 ceil);

#define get_random_bytes		 ww_linux_get_random_bytes
#define get_random_bytes_arch		 ww_linux_get_random_bytes
#define get_random_u32			 ww_linux_random_u32
#define get_random_u64			 ww_linux_random_u64
#define get_random_long()		 ((unsigned long)ww_linux_random_u64())
#define get_random_int()		 ((unsigned int)ww_linux_random_u32())
#define get_random_u8()			 ((u8)ww_linux_random_u32())
#define get_random_u16()		 ((u16)ww_linux_random_u32())
#define get_random_u32_below		 ww_linux_random_below
#define get_random_u32_above(floor)	 ((floor) + 1 + ww_linux_random_below(~(u32)(floor)))
#define get_random_u32_inclusive(lo, hi) ((lo) + ww_linux_random_below((hi) - (lo) + 1))
#define prandom_u32			 ww_linux_random_u32
#define prandom_u32_max			 ww_linux_random_below
#define prandom_bytes			 ww_linux_get_random_bytes
#define random32			 ww_linux_random_u32
#define add_device_randomness(buf, len)	 ((void)(buf), (void)(len))
#define wait_for_random_bytes()		 0
#define rng_is_initialized()		 true
#define get_random_bytes_wait(buf, len)	 (ww_linux_get_random_bytes(buf, len), 0)

struct rnd_state {
	__u32 s1, s2, s3, s4;
};
u32 ww_linux_prandom_u32_state(struct rnd_state *state);
void ww_linux_prandom_seed_state(struct rnd_state *state, u64 seed);
void ww_linux_prandom_bytes_state(struct rnd_state *state, void *buf, size_t nbytes);
#define prandom_u32_state   ww_linux_prandom_u32_state
#define prandom_seed_state  ww_linux_prandom_seed_state
#define prandom_bytes_state ww_linux_prandom_bytes_state

#endif
