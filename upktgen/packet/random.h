/* SPDX-License-Identifier: MIT */
/* The generator behind every random field: splitmix64, one word of state, no call. */
#ifndef UPKTGEN_PACKET_RANDOM_H
#define UPKTGEN_PACKET_RANDOM_H

#include <stdint.h>

static inline uint64_t pg_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 to n-1, by multiplication: no division, no loop. */
static inline uint32_t pg_random_below(uint64_t *state, uint64_t n)
{
	return (uint32_t)(((unsigned __int128)pg_random(state) * n) >> 64);
}

#endif
