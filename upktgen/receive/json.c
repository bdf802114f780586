// SPDX-License-Identifier: MIT
/* The receiver's findings as JSON, and its latency as a picture. */
#include <arpa/inet.h>
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

static void add_sequence(struct json_object *o, const struct pg_sequence *q)
{
	add(o, "distinct", q->received);
	add(o, "duplicated", q->duplicated);
	add(o, "reordered", q->reordered);
	add(o, "reordered_extent_max", q->extent_max);
	add(o, "reordered_extent_sum", q->extent_sum);
	add(o, "first_sequence", q->first);
	add(o, "last_sequence", (uint32_t)q->top);
}

static struct json_object *senders(const struct pg_receive_summary *s)
{
	struct json_object *all = json_object_new_array();

	for (unsigned i = 0; i < s->nr_streams; i++) {
		const struct pg_stream_report *t = &s->streams[i];
		struct json_object *o = json_object_new_object();

		add(o, "number", t->serial);
		json_object_object_add(o, "begun_anew", json_object_new_boolean(t->restart));
		json_object_object_add(o, "flow",
				       t->one_flow ? json_object_new_string(t->flow) : NULL);
		add(o, "packets", t->packets);
		add(o, "lost", t->lost);
		add(o, "damaged", t->damaged);
		add_sequence(o, &t->sequence);
		json_object_array_add(all, o);
	}
	return all;
}

static void add_address(struct json_object *o, const char *key, const struct pg_flow_id *id,
			const uint8_t *address)
{
	char text[INET6_ADDRSTRLEN];

	json_object_object_add(o, key,
			       id->version && inet_ntop(id->version == 4 ? AF_INET : AF_INET6,
							address, text, sizeof(text))
				       ? json_object_new_string(text)
				       : NULL);
}

static struct json_object *flows(const struct pg_receive_summary *s)
{
	struct json_object *all = json_object_new_array();

	for (unsigned i = 0; i < s->nr_flows; i++) {
		const struct pg_flow_report *r = &s->flows[i];
		const struct pg_flow *f = &r->flow;
		struct json_object *o = json_object_new_object();

		add_address(o, "src", &f->id, f->id.src);
		add_address(o, "dst", &f->id, f->id.dst);
		add(o, "src_port", f->id.sport);
		add(o, "dst_port", f->id.dport);
		add(o, "sender", r->sender);
		add(o, "packets", f->packets);
		add(o, "bytes", f->bytes);
		json_object_object_add(o, "lost",
				       r->lost_known ? json_object_new_uint64(r->lost) : NULL);
		add(o, "duplicated", f->duplicated);
		add(o, "reordered", f->reordered);
		add(o, "reordered_extent_max", f->extent_max);
		add(o, "reordered_extent_sum", f->extent_sum);
		add(o, "damaged", f->damaged);
		json_object_array_add(all, o);
	}
	return all;
}

void pg_receive_add_flows_json(struct json_object *to, const struct pg_receive_summary *s)
{
	json_object_object_add(to, "senders", senders(s));
	json_object_object_add(to, "flows", flows(s));
	add(to, "packets_of_further_flows", s->flows_beyond);
	add(to, "damaged_of_unknown_flow", s->damaged_unknown);
	json_object_object_add(to, "one_clock", json_object_new_boolean(s->one_clock));
}

void pg_receive_print_json(const char *ifname, const struct pg_receive_summary *s, FILE *out)
{
	struct json_object *o = json_object_new_object();
	const struct pg_sequence *q = &s->sequence;
	const struct pg_receive_totals *t = &s->totals;

	json_object_object_add(o, "device", json_object_new_string(ifname));
	json_object_object_add(o, "way", json_object_new_string(s->way));
	add(o, "queues", s->queues);
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
	pg_receive_add_flows_json(o, s);
	fprintf(out, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

/* --- picture --------------------------------------------------------------------------------- */

enum { LEFT = 60, TOP = 40, WIDE = 720, HIGH = 300, COLUMNS = 120, ROW = 16, ROWS = 12 };

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

static unsigned flow_rows(const struct pg_receive_summary *s)
{
	return s->nr_flows < 2 ? 0 : s->nr_flows < ROWS ? s->nr_flows : ROWS;
}

/* The worst flows as a table; each is a group with its figures as data. */
static void draw_flows(const struct pg_receive_summary *s, FILE *f)
{
	int y = TOP + HIGH + 56;
	char name[112], lost[24];

	if (!flow_rows(s))
		return;
	fprintf(f, "<text x='%d' y='%d' font-size='14'>%u flows%s</text>\n", LEFT, y, s->nr_flows,
		s->nr_flows > ROWS ? ", the worst of them" : "");
	for (unsigned i = 0; i < flow_rows(s); i++) {
		const struct pg_flow_report *r = &s->flows[i];
		const struct pg_flow *w = &r->flow;
		char *c = (char *)pg_flow_name(w, name);

		while ((c = strchr(c, '>')))
			*c = '-'; /* no markup */
		snprintf(lost, sizeof(lost), r->lost_known ? "%" PRIu64 : "-", r->lost);
		y += ROW;
		fprintf(f,
			"<g class='flow'><text x='%d' y='%d'>%s</text><text x='%d' y='%d'>%" PRIu64
			" packets, lost %s, duplicated %" PRIu64 ", reordered %" PRIu64
			" (at most by %" PRIu64 "), damaged %" PRIu64 "</text></g>\n",
			LEFT, y, name, LEFT + 300, y, w->packets, lost, w->duplicated, w->reordered,
			w->extent_max, w->damaged);
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
		LEFT + WIDE + 40,
		TOP + HIGH + 40 + (flow_rows(s) ? 32 + ROW * (int)flow_rows(s) : 0), LEFT, ifname,
		h->count, s->fine ? "ns" : "us", s->totals.frames, s->lost);
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
	draw_flows(s, f);
	fputs("</svg>\n", f);
	int err = ferror(f) ? -EIO : 0;

	return fclose(f) ? -errno : err;
}
