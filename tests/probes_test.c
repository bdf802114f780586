/* SPDX-License-Identifier: MIT */
/* The library's static probes, seen as a tracer sees them: by a program in the kernel. */
#include "tap.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probes.h"
#include "probes.skel.h"
#include "wheelwork/wheelwork.h"

enum { INIT, START, CANCEL, ENTRY, EXIT, QUEUE, ACTIVATE, WORK_START, WORK_END, PROBES };

static const char *const names[PROBES] = {
	[INIT] = "timer_init",
	[START] = "timer_start",
	[CANCEL] = "timer_cancel",
	[ENTRY] = "timer_expire_entry",
	[EXIT] = "timer_expire_exit",
	[QUEUE] = "workqueue_queue_work",
	[ACTIVATE] = "workqueue_activate_work",
	[WORK_START] = "workqueue_execute_start",
	[WORK_END] = "workqueue_execute_end",
};

static struct probes_bpf *skel;
static struct bpf_link *links[PROBES];

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

/* From here on everything that passes a probe in this process is counted. */
static void trace(void)
{
	if (geteuid() != 0)
		tap_skip("tracing needs root");
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	libbpf_set_print(quiet);
	skel = probes_bpf__open_and_load();
	if (!skel)
		tap_skip("the kernel takes no tracing program: %s", strerror(errno));
	for (int i = 0; i < PROBES; i++) {
		LIBBPF_OPTS(bpf_usdt_opts, opts, .usdt_cookie = (__u64)i);

		links[i] = bpf_program__attach_usdt(skel->progs.pass, getpid(), "/proc/self/exe",
						    "wheelwork", names[i], &opts);
		if (!links[i] && (errno == ENOENT || errno == ESRCH))
			tap_fail(__FILE__, __LINE__, "there is no probe %s: %s", names[i],
				 strerror(errno));
		if (!links[i])
			tap_skip("no user space probes here: %s", strerror(errno));
	}
}

static void trace_no_more(void)
{
	for (int i = 0; i < PROBES; i++)
		bpf_link__destroy(links[i]);
	probes_bpf__destroy(skel);
}

static struct probe_seen seen(int which)
{
	struct probe_seen s;
	__u32 key = (__u32)which;

	CHECK_EQ(bpf_map__lookup_elem(skel->maps.seen, &key, sizeof(key), &s, sizeof(s), 0), 0);
	return s;
}

static void expect(int which, uint64_t count, uint64_t args, uint64_t a, uint64_t b, uint64_t c)
{
	struct probe_seen s = seen(which);

	tap_note("%s: %llu times", names[which], (unsigned long long)s.count);
	CHECK_EQ(s.count, count);
	CHECK_EQ(s.args, args);
	CHECK_EQ(s.arg[0], a);
	if (args > 1)
		CHECK_EQ(s.arg[1], b);
	if (args > 2)
		CHECK_EQ(s.arg[2], c);
}

static void timer_fn(struct ww_timer *t)
{
	(void)t;
}

TEST(a_tracer_sees_a_timer_set_up_started_cancelled_and_run)
{
	struct ww_timer t;
	const uint64_t self = (uint64_t)(uintptr_t)&t, fn = (uint64_t)(uintptr_t)timer_fn;
	uint64_t at;

	CHECK_EQ(ww_clock_use_virtual(), 0);
	trace();
	ww_timer_setup(&t, timer_fn, 0);
	expect(INIT, 1, 2, self, fn, 0);
	at = ww_jiffies() + 100;
	ww_mod_timer(&t, at);
	expect(START, 1, 3, self, at, 0);
	/* Closer: by the base's lock, while pending. (Farther out is a store, which nobody sees.) */
	ww_mod_timer(&t, at - 50);
	expect(START, 2, 3, self, at - 50, 1);
	CHECK_EQ(ww_timer_delete(&t), 1);
	expect(CANCEL, 1, 2, self, 1, 0);
	/* By the short ways, once the base is known. */
	ww_mod_timer(&t, at + 7);
	expect(START, 3, 3, self, at + 7, 0);
	CHECK_EQ(ww_timer_delete(&t), 1);
	expect(CANCEL, 2, 2, self, 1, 0);
	ww_mod_timer(&t, at);
	CHECK_EQ(seen(ENTRY).count, 0);
	ww_clock_advance(102);
	expect(ENTRY, 1, 2, self, fn, 0);
	expect(EXIT, 1, 1, self, 0, 0);
	CHECK_EQ(seen(START).count, 4);
	CHECK_EQ(seen(CANCEL).count, 2);
	trace_no_more();
}

static void work_fn(struct ww_work *w)
{
	(void)w;
}

TEST(a_tracer_sees_a_work_queued_activated_and_run)
{
	struct ww_work w;
	const uint64_t self = (uint64_t)(uintptr_t)&w, fn = (uint64_t)(uintptr_t)work_fn;
	struct ww_workqueue *wq = ww_alloc_workqueue("traced", 0, 0);

	CHECK(wq);
	trace();
	ww_init_work(&w, work_fn);
	CHECK(ww_queue_work(wq, &w));
	ww_flush_work(&w);
	CHECK_EQ(seen(QUEUE).count, 1);
	CHECK_EQ(seen(QUEUE).args, 3);
	CHECK_EQ(seen(QUEUE).arg[0], self);
	CHECK_EQ(seen(QUEUE).arg[1], fn);
	CHECK(seen(QUEUE).arg[2]); /* the queue's name, a text in its memory */
	expect(ACTIVATE, 1, 2, self, fn, 0);
	expect(WORK_START, 1, 2, self, fn, 0);
	expect(WORK_END, 1, 2, self, fn, 0);
	trace_no_more();
	ww_destroy_workqueue(wq);
}
