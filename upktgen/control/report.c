// SPDX-License-Identifier: MIT
#include "control/report.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "base/alloc.h"
#include "command/address.h"
#include "command/flags.h"

struct upk_report {
	bool json;
	unsigned stamp_every;
	struct json_object *document, *runs;
};

static void add_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, v && *v ? json_object_new_string(v) : NULL);
}

static void add_bool(struct json_object *o, const char *key, bool v)
{
	json_object_object_add(o, key, json_object_new_boolean(v));
}

struct upk_report *upk_report_open(const struct upk_options *options)
{
	struct upk_report *r = ww_alloc(sizeof(*r));

	if (!r)
		return NULL;
	r->json = options->json;
	r->stamp_every = options->engine.stamp_every ? options->engine.stamp_every : 1;
	if (!r->json) {
		printf("seed %" PRIu64 "\n", options->engine.seed);
		fflush(stdout);
		return r;
	}
	r->document = json_object_new_object();
	r->runs = json_object_new_array();
	add_text(r->document, "upktgen", "0.1.0");
	add_u64(r->document, "seed", options->engine.seed);
	add_bool(r->document, "strict", options->engine.strict);
	json_object_object_add(r->document, "runs", r->runs);
	return r;
}

/* --- one device ----------------------------------------------------------------------------- */

static struct json_object *addresses_json(const struct pg_config *c)
{
	struct json_object *o = json_object_new_object();
	char text[PG_ADDR_TEXT];

	if (c->flags & PG_IPV6) {
		add_text(o, "src", pg_ip6_print(&c->in6_saddr, text));
		add_text(o, "dst", pg_ip6_print(&c->in6_daddr, text));
		add_text(o, "dst_min", pg_ip6_print(&c->min_in6_daddr, text));
		add_text(o, "dst_max", pg_ip6_print(&c->max_in6_daddr, text));
	} else {
		add_text(o, "src_min", c->src_min);
		add_text(o, "src_max", c->src_max);
		add_text(o, "dst_min", c->dst_min);
		add_text(o, "dst_max", c->dst_max);
	}
	add_text(o, "src_mac", pg_mac_print(c->src_mac, text));
	add_text(o, "dst_mac", pg_mac_print(c->dst_mac, text));
	add_u64(o, "src_mac_count", c->src_mac_count);
	add_u64(o, "dst_mac_count", c->dst_mac_count);
	add_u64(o, "udp_src_min", c->udp_src_min);
	add_u64(o, "udp_src_max", c->udp_src_max);
	add_u64(o, "udp_dst_min", c->udp_dst_min);
	add_u64(o, "udp_dst_max", c->udp_dst_max);
	return o;
}

static struct json_object *tags_json(const struct pg_config *c)
{
	struct json_object *o = json_object_new_object(), *labels = json_object_new_array();

	if (c->vlan_id != 0xffff) {
		add_u64(o, "vlan_id", c->vlan_id);
		add_u64(o, "vlan_p", c->vlan_p);
		add_u64(o, "vlan_cfi", c->vlan_cfi);
	}
	if (c->svlan_id != 0xffff) {
		add_u64(o, "svlan_id", c->svlan_id);
		add_u64(o, "svlan_p", c->svlan_p);
		add_u64(o, "svlan_cfi", c->svlan_cfi);
	}
	for (uint32_t i = 0; i < c->nr_mpls; i++)
		json_object_array_add(labels, json_object_new_uint64(c->mpls[i]));
	json_object_object_add(o, "mpls", labels);
	return o;
}

static struct json_object *config_json(const struct pg_config *c)
{
	static const char *const modes[] = {"start_xmit", "netif_receive", "queue_xmit"};
	struct json_object *o = json_object_new_object(), *flags = json_object_new_array();
	struct json_object *imix = json_object_new_array();

	add_u64(o, "count", c->count);
	if (c->delay == PG_NEVER)
		json_object_object_add(o, "delay_ns", NULL);
	else
		add_u64(o, "delay_ns", c->delay);
	add_u64(o, "min_pkt_size", c->min_pkt_size);
	add_u64(o, "max_pkt_size", c->max_pkt_size);
	for (uint32_t i = 0; i < c->nr_imix; i++) {
		struct json_object *e = json_object_new_object();

		add_u64(e, "size", c->imix[i].size);
		add_u64(e, "weight", c->imix[i].weight);
		json_object_array_add(imix, e);
	}
	json_object_object_add(o, "imix", imix);
	add_u64(o, "clone_skb", c->clone_skb);
	add_u64(o, "burst", c->burst);
	add_u64(o, "frags", c->frags);
	add_text(o, "xmit_mode", modes[c->xmit_mode]);
	for (uint32_t i = 0; i < PG_NR_FLAGS; i++)
		if (c->flags & 1u << i)
			json_object_array_add(flags, json_object_new_string(pg_flag_names[i]));
	json_object_object_add(o, "flags", flags);
	json_object_object_add(o, "addresses", addresses_json(c));
	json_object_object_add(o, "tags", tags_json(c));
	add_u64(o, c->flags & PG_IPV6 ? "traffic_class" : "tos",
		c->flags & PG_IPV6 ? c->traffic_class : c->tos);
	add_u64(o, "flows", c->flows);
	add_u64(o, "flowlen", c->flowlen);
	add_u64(o, "queue_map_min", c->queue_map_min);
	add_u64(o, "queue_map_max", c->queue_map_max);
	add_u64(o, "skb_priority", c->skb_priority);
	json_object_object_add(o, "node", c->node < 0 ? NULL : json_object_new_int(c->node));
	add_text(o, "pcap", c->pcap);
	json_object_object_add(o, "pcap_speed",
			       c->pcap[0] ? json_object_new_double(c->pcap_speed / 1000.0) : NULL);
	return o;
}

static void add_counters(struct json_object *to, const struct pg_status *s)
{
	static const char *const causes[PG_NR_CAUSES] = {"drop", "down", "mtu", "no_buffer",
							 "other"};
	struct json_object *o = json_object_new_object();

	add_u64(to, "sent", s->sofar);
	add_u64(to, "bytes", s->tx_bytes);
	add_u64(to, "errors", s->errors);
	for (int i = 0; i < PG_NR_CAUSES; i++)
		add_u64(o, causes[i], s->by_cause[i]);
	json_object_object_add(to, "errors_by_cause", o);
}

static void add_pacing(struct json_object *to, struct pg_device *d)
{
	struct json_object *o;
	struct pg_pacing p;

	pg_device_pacing(d, &p);
	if (!p.departures) {
		json_object_object_add(to, "pacing", NULL);
		return;
	}
	o = json_object_new_object();
	add_u64(o, "departures", p.departures);
	add_u64(o, "first_ns", p.first_ns);
	add_u64(o, "last_ns", p.last_ns);
	add_u64(o, "late_p50_ns", p.late_p50_ns);
	add_u64(o, "late_p99_ns", p.late_p99_ns);
	add_u64(o, "late_max_ns", p.late_max_ns);
	add_u64(o, "cpu_ns", p.cpu_ns);
	json_object_object_add(to, "pacing", o);
}

/* One start, as it is gone through device by device. */
struct pass {
	struct upk_report *report;
	int cpu, failed;
	struct json_object *devices, *threads;
	struct pg_status thread, all; /* sums */
	uint64_t thread_pps, thread_bps, pps, bps;
};

static void add_to_sums(struct pass *p, const struct pg_status *s, const struct pg_rates *r)
{
	p->thread.sofar += s->sofar;
	p->thread.tx_bytes += s->tx_bytes;
	p->thread.errors += s->errors;
	for (int i = 0; i < PG_NR_CAUSES; i++)
		p->thread.by_cause[i] += s->by_cause[i];
	p->thread_pps += r->pps;
	p->thread_bps += r->bps;
}

static struct json_object *device_json(struct pass *p, struct pg_device *d,
				       const struct pg_config *c, const struct pg_status *s,
				       const char *result)
{
	struct json_object *o = json_object_new_object();
	struct pg_rates r;

	pg_show_rates(c, s, &r);
	add_text(o, "name", pg_device_name(d));
	add_text(o, "interface", pg_device_ifname(d));
	add_u64(o, "thread", (uint64_t)p->cpu);
	add_text(o, "backend", s->backend);
	add_text(o, "backend_way", s->how);
	add_text(o, "passed_over", s->passed_over);
	add_u64(o, "stamp_every", p->report->stamp_every);
	json_object_object_add(o, "config", config_json(c));
	add_counters(o, s);
	add_u64(o, "elapsed_us", r.elapsed_us);
	add_u64(o, "idle_us", r.idle_us);
	add_u64(o, "packets_per_s", r.pps);
	add_u64(o, "bits_per_s", r.bps);
	add_pacing(o, d);
	add_text(o, "ended_early", s->error);
	add_text(o, "result", result);
	add_to_sums(p, s, &r);
	return o;
}

static void report_device(struct pass *p, struct pg_device *d)
{
	struct pg_config c;
	struct pg_status s;
	char result[PG_RESULT];

	pg_device_get_config(d, &c);
	pg_device_status(d, &s);
	if (!s.ever_ran && !s.error[0])
		return;
	pg_show_result(&c, &s, result);
	p->failed += !!strncmp(result, "OK:", 3);
	if (p->report->json) {
		json_object_array_add(p->devices, device_json(p, d, &c, &s, result));
		return;
	}
	printf("%s", pg_device_name(d));
	if (s.backend)
		printf(" by backend %s%s%s%s%s%s", s.backend, s.how[0] ? ", " : "", s.how,
		       s.passed_over[0] ? " (not " : "", s.passed_over,
		       s.passed_over[0] ? ")" : "");
	printf("\nResult: %s\n", result);
}

static void add_rates(struct json_object *o, uint64_t pps, uint64_t bps)
{
	add_u64(o, "packets_per_s", pps);
	add_u64(o, "bits_per_s", bps);
}

static void close_thread(struct pass *p)
{
	struct json_object *o;

	if (p->thread.sofar || p->thread.errors) {
		o = json_object_new_object();
		add_u64(o, "cpu", (uint64_t)p->cpu);
		add_counters(o, &p->thread);
		add_rates(o, p->thread_pps, p->thread_bps);
		json_object_array_add(p->threads, o);
	}
	p->all.sofar += p->thread.sofar;
	p->all.tx_bytes += p->thread.tx_bytes;
	p->all.errors += p->thread.errors;
	for (int i = 0; i < PG_NR_CAUSES; i++)
		p->all.by_cause[i] += p->thread.by_cause[i];
	p->pps += p->thread_pps;
	p->bps += p->thread_bps;
	memset(&p->thread, 0, sizeof(p->thread));
	p->thread_pps = p->thread_bps = 0;
}

static struct json_object *histogram_json(const struct pg_histogram *h)
{
	struct json_object *o;

	if (!h->count)
		return NULL;
	o = json_object_new_object();
	add_u64(o, "count", h->count);
	add_u64(o, "min_ns", h->min);
	add_u64(o, "mean_ns", h->sum / h->count);
	add_u64(o, "p50_ns", pg_histogram_share(h, 500000));
	add_u64(o, "p99_ns", pg_histogram_share(h, 990000));
	add_u64(o, "p999_ns", pg_histogram_share(h, 999000));
	add_u64(o, "max_ns", h->max);
	return o;
}

static struct json_object *receiver_json(const char *ifname, const struct pg_receive_summary *s)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "interface", ifname);
	add_text(o, "way", s->way);
	add_u64(o, "received", s->sequence.received);
	add_u64(o, "bytes", s->totals.bytes);
	add_u64(o, "lost", s->lost);
	add_u64(o, "duplicated", s->sequence.duplicated);
	add_u64(o, "reordered", s->sequence.reordered);
	add_u64(o, "reorder_extent_max", s->sequence.extent_max);
	add_u64(o, "damaged", s->totals.damaged);
	add_u64(o, "receiver_dropped", s->totals.dropped);
	add_u64(o, "other", s->totals.other);
	json_object_object_add(o, "latency", histogram_json(&s->latency));
	json_object_object_add(o, "jitter", histogram_json(&s->jitter));
	pg_receive_add_flows_json(o, s);
	return o;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* The engine's lock is held while it goes through its devices: nothing can be asked of them. */
struct some_devices {
	struct pg_device *d[256];
	unsigned n;
};

static void note_device(struct pg_device *d, bool running, void *arg)
{
	struct some_devices *all = arg;

	(void)running;
	if (all->n < sizeof(all->d) / sizeof(all->d[0]))
		all->d[all->n++] = d;
}

static void report_thread(struct pass *p, struct upk_session *s)
{
	struct some_devices all = {.n = 0};

	pg_engine_each(s->engine, p->cpu, note_device, &all);
	while (all.n) /* oldest first */
		report_device(p, all.d[--all.n]);
}

int upk_report_start(struct upk_report *r, struct upk_session *s)
{
	struct pass p = {.report = r};
	struct json_object *run, *total;

	if (r->json) {
		p.devices = json_object_new_array();
		p.threads = json_object_new_array();
	}
	for (int i = 0; i < pg_engine_threads(s->engine); i++) {
		p.cpu = pg_engine_thread_cpu(s->engine, i);
		report_thread(&p, s);
		if (r->json)
			close_thread(&p);
	}
	if (!r->json) {
		if (s->books)
			fputs(s->books, stdout);
		fflush(stdout);
		return p.failed;
	}
	run = json_object_new_object();
	total = json_object_new_object();
	add_counters(total, &p.all);
	add_rates(total, p.pps, p.bps);
	json_object_object_add(run, "devices", p.devices);
	json_object_object_add(run, "threads", p.threads);
	json_object_object_add(run, "total", total);
	json_object_object_add(run, "receiver",
			       s->options.receiver ? receiver_json(s->options.receiver, &s->heard)
						   : NULL);
	json_object_array_add(r->runs, run);
	return p.failed;
}

void upk_report_fault(struct upk_report *r, const char *name, unsigned line, const char *why)
{
	struct json_object *o;

	fprintf(stderr, "%s:%u: %s\n", name, line, why);
	if (!r->json)
		return;
	o = json_object_new_object();
	add_text(o, "script", name);
	add_u64(o, "line", line);
	add_text(o, "why", why);
	json_object_object_add(r->document, "error", o);
}

void upk_report_close(struct upk_report *r, bool interrupted)
{
	if (r->json) {
		add_bool(r->document, "interrupted", interrupted);
		puts(json_object_to_json_string_ext(
			r->document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
		fflush(stdout);
		json_object_put(r->document);
	}
	ww_free(r);
}
