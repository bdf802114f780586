// SPDX-License-Identifier: MIT
/* The receiver's findings as text. */
#include <inttypes.h>

#include "receive/receiver.h"

static void print_latency(const struct pg_receive_summary *s, FILE *out)
{
	const struct pg_histogram *h = &s->latency;
	char a[16], b[16], c[16], d[16], e[16];

	if (h->count == 0) {
		fprintf(out, "     latency: not known, the sender wrote no time stamps\n");
		return;
	}
	fprintf(out, "     latency: min %s  p50 %s  p99 %s  p99.9 %s  max %s (stamps of 1 %s)\n",
		pg_duration(h->min, a), pg_duration(pg_histogram_share(h, 500000), b),
		pg_duration(pg_histogram_share(h, 990000), c),
		pg_duration(pg_histogram_share(h, 999000), d), pg_duration(h->max, e),
		s->fine ? "ns" : "us");
	fprintf(out, "     jitter: p50 %s  p99 %s  max %s\n",
		pg_duration(pg_histogram_share(&s->jitter, 500000), a),
		pg_duration(pg_histogram_share(&s->jitter, 990000), b),
		pg_duration(s->jitter.max, c));
	if (s->early)
		fprintf(out,
			"     %" PRIu64 " packets arrived before they were sent: the clocks of the "
			"two hosts differ by that and more\n",
			s->early);
	if (!s->one_clock)
		fprintf(out, "     If the sender is on another host, what its clock is ahead or "
			     "behind is in every latency\n     (not in jitter, loss and order).\n");
}

static void print_order(const struct pg_sequence *q, FILE *out)
{
	fprintf(out, "reordered: %" PRIu64, q->reordered);
	if (q->reordered)
		fprintf(out, " (by %.1f on average, at most %" PRIu64 ")",
			(double)q->extent_sum / (double)q->reordered, q->extent_max);
}

static void print_senders(const struct pg_receive_summary *s, FILE *out)
{
	if (s->nr_streams < 2)
		return;
	fprintf(out, "     senders told apart: %u\n", s->senders);
	for (unsigned i = 0; i < s->nr_streams; i++) {
		const struct pg_stream_report *t = &s->streams[i];

		fprintf(out,
			"     #%" PRIu32 "%s %s: %" PRIu64 " packets  lost: %" PRIu64
			"  duplicated: %" PRIu64 "  damaged: %" PRIu64 "  ",
			t->serial, t->restart ? " (begun anew)" : "",
			t->one_flow ? t->flow : "several flows", t->packets, t->lost,
			t->sequence.duplicated, t->damaged);
		print_order(&t->sequence, out);
		fputc('\n', out);
	}
}

static void print_flows(const struct pg_receive_summary *s, unsigned rows, FILE *out)
{
	char name[112], lost[24];

	if (s->nr_flows < 2 || rows == 0)
		return;
	fprintf(out, "     flows: %u%s%s\n", s->nr_flows, s->nr_flows > rows ? ", the worst:" : ":",
		s->nr_flows == PG_FLOWS_MAX ? " (no more are kept apart)" : "");
	for (unsigned i = 0; i < s->nr_flows && i < rows; i++) {
		const struct pg_flow_report *r = &s->flows[i];
		const struct pg_flow *f = &r->flow;

		snprintf(lost, sizeof(lost), r->lost_known ? "%" PRIu64 : "-", r->lost);
		fprintf(out,
			"     %s: %" PRIu64 " packets  lost: %s  duplicated: %" PRIu64
			"  damaged: %" PRIu64 "  reordered: %" PRIu64,
			pg_flow_name(f, name), f->packets, lost, f->duplicated, f->damaged,
			f->reordered);
		if (f->reordered)
			fprintf(out, " (by %.1f on average, at most %" PRIu64 ")",
				(double)f->extent_sum / (double)f->reordered, f->extent_max);
		fputc('\n', out);
	}
	for (unsigned i = 0; i < s->nr_flows && i < rows; i++)
		if (!s->flows[i].lost_known) {
			fputs("     (-: a sender numbers its packets, not those of each flow, and "
			      "they do not come in turns)\n",
			      out);
			break;
		}
	if (s->flows_beyond)
		fprintf(out, "     %" PRIu64 " packets of further flows\n", s->flows_beyond);
}

void pg_receive_print(const char *ifname, const struct pg_receive_summary *s, unsigned rows,
		      FILE *out)
{
	const struct pg_receive_totals *t = &s->totals;
	const struct pg_sequence *q = &s->sequence;
	uint64_t of = q->received + q->holes;
	uint64_t ns = t->last_ns > t->first_ns ? t->last_ns - t->first_ns : 0;
	double pps = ns ? (double)(t->frames - 1) * 1e9 / (double)ns : 0;

	fprintf(out, "Received: %s: %" PRIu64 " packets, %" PRIu64 " bytes, %.0f packets/s\n",
		ifname, t->frames, t->bytes, pps);
	fprintf(out,
		"     lost: %" PRIu64 " (%.6f %%)  duplicated: %" PRIu64 "  damaged: %" PRIu64 "\n",
		s->lost, of ? (double)s->lost * 100 / (double)of : 0.0, q->duplicated, t->damaged);
	fputs("     ", out);
	print_order(q, out);
	fprintf(out, "  stray: %" PRIu64 "  restarts of the sender: %" PRIu64 "\n", q->stray,
		q->restarts);
	fprintf(out,
		"     dropped by this receiver itself: %" PRIu64 "%s  frames of others: %" PRIu64
		"\n",
		t->dropped,
		t->dropped ? " (not in lost above, but in what single senders lost)" : "",
		t->other);
	fprintf(out, "     sequence: first %" PRIu32 ", last %" PRIu32 "%s\n", q->first,
		(uint32_t)q->top, s->tail_closed ? "" : " seen (a lost tail would not show)");
	print_senders(s, out);
	print_flows(s, rows, out);
	print_latency(s, out);
	pg_histogram_print(&s->latency, 16, out);
}
