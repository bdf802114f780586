/* SPDX-License-Identifier: MIT */
/*
 * Many, and long: timers, delayed works and threads by the million, hours of virtual time, counters about
 * to wrap, and a machine with 64 CPUs on 4 nodes. WW_BIG divides the numbers: 100 unless it says
 * otherwise, 1 for all of them (./dev big).
 */
#include "tap.h"
#include "topology.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/cpu.h"
#include "wheelwork/wheelwork.h"

static uint64_t part(uint64_t n)
{
	const char *s = getenv("WW_BIG");
	uint64_t by = s && atoi(s) > 0 ? (uint64_t)atoi(s) : 100;

	return n / by;
}

/* What of this process is in memory, in KiB. */
static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long all, here = 0;

	CHECK(f && fscanf(f, "%ld %ld", &all, &here) == 2);
	fclose(f);
	return here * (sysconf(_SC_PAGESIZE) / 1024);
}

static uint64_t runs;

static void counts(struct ww_timer *t)
{
	(void)t;
	ww_fetch_add_relaxed(&runs, 1u);
}

static void check_each_of_many(uint64_t first_tick)
{
	uint64_t n = part(10000000), seed = tap_seed();
	struct ww_timer *t = calloc(n, sizeof(*t));
	struct ww_timer_stats s;

	CHECK(t);
	CHECK_EQ(ww_clock_use_virtual(), 0);
	CHECK_EQ(ww_clock_configure(1000, first_tick), 0);
	for (uint64_t i = 0; i < n; i++) {
		ww_timer_setup(&t[i], counts, 0);
		ww_mod_timer(&t[i], ww_jiffies() + tap_random(&seed) % 100000);
	}
	/* Each is pushed out once, and a third taken back. */
	for (uint64_t i = 0; i < n; i++)
		CHECK_EQ(ww_mod_timer(&t[i], t[i].expires + tap_random(&seed) % 100000), 1);
	for (uint64_t i = 0; i < n; i += 3)
		CHECK_EQ(ww_timer_delete(&t[i]), 1);
	ww_clock_advance(200001);
	CHECK_EQ(runs, n - (n + 2) / 3);
	ww_timer_get_stats(-1, &s);
	CHECK_EQ(s.pending, 0);
	CHECK_EQ(ww_debug_check(), 0);
	tap_note("%" PRIu64 " timers, %ld MiB", n, resident() / 1024);
	free(t);
}

TEST_LIMIT(ten_million_timers_are_armed_pushed_deleted_and_run, 600)
{
	check_each_of_many(0);
}

TEST_LIMIT(the_same_while_the_lower_half_of_the_counter_wraps, 600)
{
	check_each_of_many((1ull << 32) - 60000);
}

TEST_LIMIT(the_same_while_the_counter_passes_its_sign, 600)
{
	check_each_of_many((1ull << 63) - 60000);
}

TEST_LIMIT(the_same_while_the_counter_wraps, 600)
{
	check_each_of_many(UINT64_MAX - 60000);
}

static void work_counts(struct ww_work *w)
{
	(void)w;
	ww_fetch_add_relaxed(&runs, 1u);
}

TEST_LIMIT(a_million_delayed_works_wait_are_moved_and_run, 600)
{
	uint64_t n = part(1000000), seed = tap_seed();
	struct ww_delayed_work *d = calloc(n, sizeof(*d));
	struct ww_workqueue *wq = ww_alloc_workqueue("million", WW_WQ_UNBOUND, 0);

	CHECK(d && wq);
	for (uint64_t i = 0; i < n; i++) {
		ww_init_delayed_work(&d[i], work_counts);
		CHECK(ww_queue_delayed_work(wq, &d[i], 20000));
	}
	for (uint64_t i = 0; i < n; i++)
		CHECK(ww_mod_delayed_work(wq, &d[i], tap_random(&seed) % 500));
	for (uint64_t i = 0; i < n; i++)
		ww_flush_delayed_work(&d[i]);
	ww_destroy_workqueue(wq);
	CHECK_EQ(runs, n);
	free(d);
}

static int until_stopped(void *unused)
{
	(void)unused;
	while (!ww_thread_should_stop())
		ww_schedule_timeout_interruptible(WW_MAX_TIMEOUT);
	return 3;
}

TEST_LIMIT(a_hundred_thousand_threads_are_made_and_stopped_in_turn_and_memory_stays_flat, 1200)
{
	uint64_t n = part(100000);
	long before = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct ww_thread *t = ww_thread_run(until_stopped, NULL, "turn");

		CHECK(t);
		int rc = ww_thread_stop(t);

		CHECK(rc == 3 || rc == -EINTR);
		if (i == n / 10)
			before = resident();
	}
	/* AddressSanitizer keeps what was freed, to find who still uses it; its leak check comes at the end. */
	if (!TAP_ASAN)
		CHECK_MSG(resident() < before + 4096, "%ld KiB, then %ld", before, resident());
}

#define RELAYS 1000

static struct ww_timer relays[RELAYS];

static void relay(struct ww_timer *t)
{
	runs++; /* the virtual clock's callbacks are one after another */
	ww_mod_timer(t, t->expires + 1000);
}

/* A thousand timers a tick of a microsecond's wheel: 10^6 events a second of virtual time. */
TEST_LIMIT(an_hour_of_a_million_events_a_second_and_memory_stays_flat, 7200)
{
	uint64_t seconds = part(3600), per_second = 1000000;
	long before = 0;

	CHECK_EQ(ww_clock_use_virtual(), 0);
	CHECK_EQ(ww_clock_configure(1000000, UINT32_MAX - 500000), 0);
	for (int i = 0; i < RELAYS; i++) {
		ww_timer_setup(&relays[i], relay, 0);
		ww_mod_timer(&relays[i], ww_jiffies() + (uint64_t)i);
	}
	for (uint64_t s = 0; s < seconds; s++) {
		/* In ten parts, so that memory is looked at early in a short run as well. */
		for (int i = 0; i < 10; i++)
			ww_clock_advance(per_second / 10);
		if (s == 0)
			before = resident();
	}
	CHECK_MSG(runs + 2 * RELAYS >= seconds * per_second &&
			  runs <= seconds * per_second + RELAYS,
		  "%" PRIu64 " events", runs);
	CHECK_MSG(resident() < before + 4096, "%ld KiB, then %ld", before, resident());
	tap_note("%" PRIu64 " events in %" PRIu64 " s of virtual time", runs, seconds);
}

/* --- A machine of 64 CPUs on 4 nodes, played through the topology root. --- */

static void make_machine(char *root)
{
	char cmd[400], name[64], text[64];

	CHECK(mkdtemp(root));
	for (int n = 0; n < 4; n++) {
		snprintf(cmd, sizeof(cmd),
			 "mkdir -p %s/devices/system/cpu %s/devices/system/node/node%d", root, root,
			 n);
		CHECK_EQ(system(cmd), 0);
		snprintf(name, sizeof(name), "node/node%d/cpulist", n);
		snprintf(text, sizeof(text), "%d-%d\n", n * 16, n * 16 + 15);
		put(root, name, text);
	}
	put(root, "cpu/possible", "0-63\n");
	put(root, "node/online", "0-3\n");
}

static struct item {
	struct ww_work work;
	uint32_t runs;
} items[64];

static void item_ran(struct ww_work *w)
{
	ww_fetch_add(&ww_container_of(w, struct item, work)->runs, 1u);
}

TEST_LIMIT(on_64_cpus_and_4_nodes_there_is_a_base_and_a_pool_for_each, 60)
{
	char root[] = "/tmp/ww-topology-XXXXXX", cmd[64];
	static struct ww_timer t[64];
	struct ww_workqueue_attrs *a;
	struct ww_workqueue *wq;

	make_machine(root);
	ww_cpu_set_topology_root(root);
	CHECK_EQ(ww_cpu_slots(), 64);
	CHECK_EQ(ww_cpu_node(0), 0);
	CHECK_EQ(ww_cpu_node(63), 3);
	for (int c = 0; c < 64; c++) {
		ww_timer_setup(&t[c], counts, 0);
		t[c].expires = ww_jiffies() + 20;
		ww_add_timer_on(&t[c], c);
	}
	while (ww_load_acquire(&runs) < 64)
		usleep(1000);
	wq = ww_alloc_workqueue("played", 0, 0);
	CHECK(wq);
	for (int c = 0; c < 64; c++) {
		ww_init_work(&items[c].work, item_ran);
		CHECK(ww_queue_work_on(c, wq, &items[c].work));
	}
	ww_flush_workqueue(wq);
	ww_destroy_workqueue(wq);
	wq = ww_alloc_workqueue("nodes", WW_WQ_UNBOUND, 0);
	a = ww_alloc_workqueue_attrs();
	CHECK(wq && a);
	a->scope = WW_WQ_SCOPE_NUMA;
	CHECK_EQ(ww_apply_workqueue_attrs(wq, a), 0);
	for (int c = 0; c < 64; c++)
		CHECK(ww_queue_work_node(c / 16, wq, &items[c].work));
	ww_flush_workqueue(wq);
	for (int c = 0; c < 64; c++)
		CHECK_EQ(items[c].runs, 2);
	ww_free_workqueue_attrs(a);
	ww_destroy_workqueue(wq);
	CHECK_EQ(ww_debug_check(), 0);
	snprintf(cmd, sizeof(cmd), "rm -r %s", root);
	CHECK_EQ(system(cmd), 0);
}
