// SPDX-License-Identifier: MIT
/* The receiver's findings as JSON, and its latency as a picture. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "privilege/ask.h"
#include "receive/receiver.h"

static void add(struct json_object *to, const char *key, uint64_t v)
{
	json_object_object_add(to, key, json_object_new_uint64(v));
}

/* Every bucket that holds something, as [lowest ns, width, count]. */
static struct json_object *buckets(const struct pg_histogram *h)
{
	struct json_object *all = json_object_new_array();

	for (unsigned i = 0; i < PG_HIST_BUCKETS; i++) {
		struct json_object *b;

		if (!h->bucket[i])
			continue;
		b = json_object_new_array();
		json_object_array_add(b, json_object_new_uint64(pg_histogram_low(i)));
		json_object_array_add(b, json_object_new_uint64(pg_histogram_width(i)));
		json_object_array_add(b, json_object_new_uint64(h->bucket[i]));
		json_object_array_add(all, b);
	}
	return all;
}

static struct json_object *histogram(const struct pg_histogram *h)
{
	struct json_object *o = json_object_new_object();

	add(o, "samples", h->count);
	add(o, "min_ns", h->min);
	add(o, "mean_ns", h->count ? h->sum / h->count : 0);
	add(o, "p50_ns", pg_histogram_share(h, 500000));
	add(o, "p99_ns", pg_histogram_share(h, 990000));
	add(o, "p99_9_ns", pg_histogram_share(h, 999000));
	add(o, "max_ns", h->max);
	json_object_object_add(o, "buckets", buckets(h));
	return o;
}

void pg_receive_print_json(const char *ifname, const struct pg_receive_summary *s, FILE *out)
{
	struct json_object *o = json_object_new_object();
	const struct pg_sequence *q = &s->sequence;
	const struct pg_receive_totals *t = &s->totals;

	json_object_object_add(o, "device", json_object_new_string(ifname));
	json_object_object_add(o, "way", json_object_new_string(s->way));
	add(o, "cpus", s->cpus);
	add(o, "packets", t->frames);
	add(o, "bytes", t->bytes);
	add(o, "first_ns", t->first_ns);
	add(o, "last_ns", t->last_ns);
	add(o, "distinct", q->received);
	add(o, "lost", s->lost);
	add(o, "duplicated", q->duplicated);
	add(o, "reordered", q->reordered);
	add(o, "reordered_extent_max", q->extent_max);
	add(o, "reordered_extent_sum", q->extent_sum);
	add(o, "damaged", t->damaged);
	add(o, "dropped_by_receiver", t->dropped);
	add(o, "stray", q->stray);
	add(o, "sender_restarts", q->restarts);
	add(o, "frames_of_others", t->other);
	add(o, "first_sequence", q->first);
	add(o, "last_sequence", (uint32_t)q->top);
	json_object_object_add(o, "tail_known", json_object_new_boolean(s->tail_closed));
	add(o, "stamp_resolution_ns", s->fine ? 1 : 1000);
	add(o, "unstamped", s->unstamped);
	add(o, "arrived_before_sent", s->early);
	json_object_object_add(o, "latency", histogram(&s->latency));
	json_object_object_add(o, "jitter", histogram(&s->jitter));
	fprintf(out, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

/* --- picture --------------------------------------------------------------------------------- */

enum { LEFT = 60, TOP = 40, WIDE = 720, HIGH = 300, COLUMNS = 120 };

/* Where a latency stands on the logarithmic axis from low to high: 0 to 1. */
static double place(double ns, double low, double high)
{
	return log(ns / low) / log(high / low);
}

static void draw_axis(double low, double high, FILE *f)
{
	char text[16];

	for (double ns = pow(10, floor(log10(low))); ns <= high; ns *= 10) {
		double x = LEFT + WIDE * place(ns, low, high);

		if (ns < low)
			continue;
		fprintf(f,
			"<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#ccc'/>"
			"<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n",
			x, x, TOP, TOP + HIGH, x, TOP + HIGH + 20,
			pg_duration((uint64_t)(ns + 0.5), text));
	}
}

static void draw_marks(const struct pg_histogram *h, double low, double high, FILE *f)
{
	static const struct {
		uint32_t ppm;
		const char *name;
	} marks[] = {{500000, "p50"}, {990000, "p99"}, {999000, "p99.9"}};
	char text[16];

	for (unsigned i = 0; i < 3; i++) {
		uint64_t ns = pg_histogram_share(h, marks[i].ppm);
		double x = LEFT + WIDE * place((double)(ns ? ns : 1), low, high);

		fprintf(f,
			"<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#b00' "
			"stroke-dasharray='4'/><text x='%.1f' y='%u' fill='#b00'>%s %s</text>\n",
			x, x, TOP, TOP + HIGH, x + 3, TOP + 12 + 14 * i, marks[i].name,
			pg_duration(ns, text));
	}
}

int pg_receive_write_svg(const char *file, const char *ifname, const struct pg_receive_summary *s)
{
	const struct pg_histogram *h = &s->latency;
	double low = h->min > 1 ? (double)h->min : 1, high = (double)h->max * 1.05 + 1;
	uint64_t column[COLUMNS] = {0}, most = 1;
	int fd = pg_given_open(file, NULL, true, false);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return fd < 0 ? fd : -errno;
	for (unsigned i = 0; i < PG_HIST_BUCKETS; i++) {
		double ns = (double)pg_histogram_low(i) + (double)pg_histogram_width(i) / 2;
		int c = (int)(COLUMNS * place(ns < low ? low : ns, low, high));

		column[c < 0 ? 0 : c >= COLUMNS ? COLUMNS - 1 : c] += h->bucket[i];
	}
	for (int c = 0; c < COLUMNS; c++)
		most = column[c] > most ? column[c] : most;
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"font-family='sans-serif' font-size='11'>\n<text x='%d' y='20' font-size='14'>"
		"One-way latency on %s: %" PRIu64 " samples, stamps of 1 %s; %" PRIu64
		" packets, %" PRIu64 " lost</text>\n",
		LEFT + WIDE + 40, TOP + HIGH + 40, LEFT, ifname, h->count, s->fine ? "ns" : "us",
		s->totals.frames, s->lost);
	if (h->count) {
		draw_axis(low, high, f);
		for (int c = 0; c < COLUMNS; c++)
			fprintf(f,
				"<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' "
				"fill='#36c'><title>%" PRIu64 "</title></rect>\n",
				LEFT + (double)WIDE * c / COLUMNS,
				TOP + HIGH * (1 - (double)column[c] / (double)most),
				(double)WIDE / COLUMNS - 1, HIGH * (double)column[c] / (double)most,
				column[c]);
		draw_marks(h, low, high, f);
	}
	fputs("</svg>\n", f);
	int err = ferror(f) ? -EIO : 0;

	return fclose(f) ? -errno : err;
}
