// SPDX-License-Identifier: MIT
#include "transmit/histogram.h"

#include <math.h>

uint64_t pg_histogram_low(unsigned i)
{
	if (i < 2 * PG_HIST_SUB)
		return i;
	unsigned shift = (i - 2 * PG_HIST_SUB) / PG_HIST_SUB + 1;

	return (uint64_t)(PG_HIST_SUB + i % PG_HIST_SUB) << shift;
}

uint64_t pg_histogram_width(unsigned i)
{
	return i < 2 * PG_HIST_SUB ? 1 : (uint64_t)1 << ((i - 2 * PG_HIST_SUB) / PG_HIST_SUB + 1);
}

uint64_t pg_histogram_share(const struct pg_histogram *h, uint32_t ppm)
{
	if (h->count == 0)
		return 0;
	/* Rounded up: the smallest value that at least this share does not exceed. */
	uint64_t want = (uint64_t)(((unsigned __int128)h->count * ppm + 999999) / 1000000);
	uint64_t seen = 0;

	for (unsigned i = 0; i < PG_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen < want || seen == 0)
			continue;
		uint64_t value = pg_histogram_low(i) + (pg_histogram_width(i) - 1) / 2;

		if (i == PG_HIST_BUCKETS - 1 || value > h->max)
			return h->max;
		return value < h->min ? h->min : value;
	}
	return h->max;
}

void pg_histogram_merge(struct pg_histogram *to, const struct pg_histogram *from)
{
	if (from->count == 0)
		return;
	if (to->count == 0 || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum += from->sum;
	for (unsigned i = 0; i < PG_HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

const char *pg_duration(uint64_t ns, char buf[16])
{
	static const char *const unit[] = {"ns", "us", "ms", "s"};
	double v = (double)ns;
	int u = 0;

	while (u < 3 && v >= 999.5) {
		v /= 1000;
		u++;
	}
	if (u == 0)
		snprintf(buf, 16, "%u ns", (unsigned)ns);
	else if (u == 3 && v >= 1000)
		snprintf(buf, 16, "%.0f s", v < 1e9 ? v : 1e9);
	else
		snprintf(buf, 16, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, unit[u]);
	return buf;
}

/* Samples below limit, of those from bucket *i on; moves *i. */
static uint64_t count_below(const struct pg_histogram *h, unsigned *i, double limit)
{
	uint64_t n = 0;

	for (; *i < PG_HIST_BUCKETS && (double)pg_histogram_low(*i) < limit; ++*i)
		n += h->bucket[*i];
	return n;
}

void pg_histogram_print(const struct pg_histogram *h, unsigned rows, FILE *out)
{
	enum { WIDTH = 40, ROWS = 32 };
	uint64_t n[ROWS], most = 0;
	double limit[ROWS + 1];
	unsigned i = 0;
	char from[16], to[16];

	if (h->count == 0 || rows == 0)
		return;
	if (rows > ROWS)
		rows = ROWS;
	/* Rows of equal ratio between p0.01 and p99.99, so that one straggler does not flatten it.
	 */
	double low = (double)pg_histogram_share(h, 100),
	       high = (double)pg_histogram_share(h, 999900);

	if (low < 1)
		low = 1;
	double step = pow((high + 1) / low, 1.0 / rows);

	if (step < 1.02)
		step = 1.02;
	limit[0] = (double)h->min;
	for (unsigned r = 0; r < rows; r++) {
		limit[r + 1] = r == rows - 1 ? INFINITY : low * pow(step, r + 1);
		n[r] = count_below(h, &i, limit[r + 1]);
		if (n[r] > most)
			most = n[r];
	}
	if (most == 0)
		return;
	limit[rows] = (double)h->max;
	for (unsigned r = 0; r < rows; r++) {
		int bar = (int)((n[r] * WIDTH + most - 1) / most);

		if (n[r] == 0 && limit[r] >= (double)h->max)
			continue;
		fprintf(out, "  %8s - %-8s |%-*.*s| %llu\n", pg_duration((uint64_t)limit[r], from),
			pg_duration((uint64_t)limit[r + 1], to), WIDTH, bar,
			"########################################", (unsigned long long)n[r]);
	}
}
