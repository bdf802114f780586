/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram of nanoseconds: exact below 128, then 64 buckets to each power of two, so
 * that the middle of a bucket is never more than 1/128 (0.8 %) away from what fell into it. Fixed
 * size, no allocation; one thread writes it.
 */
#ifndef UPKTGEN_TRANSMIT_HISTOGRAM_H
#define UPKTGEN_TRANSMIT_HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

#define PG_HIST_SUB  64u /* buckets to a power of two */
#define PG_HIST_BITS 6u
/* Up to 2^38 ns = 275 s; what is longer goes to the last bucket (the maximum stays exact). */
#define PG_HIST_TOP	38u
#define PG_HIST_BUCKETS (2 * PG_HIST_SUB + (PG_HIST_TOP - PG_HIST_BITS - 1) * PG_HIST_SUB)

struct pg_histogram {
	uint64_t count, sum, min, max;
	uint64_t bucket[PG_HIST_BUCKETS];
};

static inline unsigned pg_histogram_index(uint64_t ns)
{
	if (ns < 2 * PG_HIST_SUB)
		return (unsigned)ns;
	unsigned exponent = 63u - (unsigned)__builtin_clzll(ns);

	if (exponent >= PG_HIST_TOP)
		return PG_HIST_BUCKETS - 1;
	unsigned sub = (unsigned)(ns >> (exponent - PG_HIST_BITS)) & (PG_HIST_SUB - 1);

	return 2 * PG_HIST_SUB + (exponent - PG_HIST_BITS - 1) * PG_HIST_SUB + sub;
}

static inline void pg_histogram_add_n(struct pg_histogram *h, uint64_t ns, uint64_t n)
{
	if (h->count == 0 || ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	h->count += n;
	h->sum += ns * n;
	h->bucket[pg_histogram_index(ns)] += n;
}

static inline void pg_histogram_add(struct pg_histogram *h, uint64_t ns)
{
	pg_histogram_add_n(h, ns, 1);
}

/* The lowest value that falls into bucket i, and its width. */
uint64_t pg_histogram_low(unsigned i);
uint64_t pg_histogram_width(unsigned i);
/*
 * The value that a share of the samples does not exceed: share in parts of 1000000 (p99.9 is
 * 999000). The middle of its bucket, kept within [min, max]. 0 when empty.
 */
uint64_t pg_histogram_share(const struct pg_histogram *h, uint32_t ppm);
void pg_histogram_merge(struct pg_histogram *to, const struct pg_histogram *from);

/* At most rows lines of "from - to  bar  count" over the range that holds samples. */
void pg_histogram_print(const struct pg_histogram *h, unsigned rows, FILE *out);
/* "850 ns", "12.3 us", "1.25 ms", "3.1 s". */
const char *pg_duration(uint64_t ns, char buf[16]);

#endif
