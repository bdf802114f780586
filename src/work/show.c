/* SPDX-License-Identifier: MIT */
/* Seen from outside: tunables, counters, and the state of pools and queues in words. */
#include "work/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/report.h"
#include "timer/walk.h"

/* ---- tunables ---- */

static const struct param {
	const char *name;
	uint64_t *value;
	uint64_t min, max;
} params[] = {
	{"idle_timeout_ms", &ww_param_idle_ms, 1, 1ull << 40},
	{"watchdog_thresh_ms", &ww_param_watchdog_ms, 0, 1ull << 40},
	{"threads_max", &ww_param_threads_max, 1, 1u << 20},
	{"power_efficient", &ww_param_power_efficient, 0, 1},
	{"cpu_intensive_thresh_us", &ww_param_intensive_us, 1, 1ull << 40},
	{"cpu_intensive_warning_thresh", &ww_param_intensive_warn, 0, 1ull << 40},
	{"blocked_period_us", &ww_param_period_us, 100, 1000000},
};

static const struct param *find(const char *name)
{
	for (unsigned i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	return NULL;
}

WW_EXPORT int ww_workqueue_set_param(const char *name, uint64_t value)
{
	const struct param *p = find(name);

	if (!p)
		return -ENOENT;
	if (value < p->min || value > p->max)
		return -EINVAL;
	ww_store_relaxed(p->value, value);
	return 0;
}

WW_EXPORT int ww_workqueue_get_param(const char *name, uint64_t *value)
{
	const struct param *p = find(name);

	if (!p)
		return -ENOENT;
	*value = ww_load_relaxed(p->value);
	return 0;
}

/* ---- counters ---- */

/* Everything is settled; a worker shows the pwq of a run for a moment after its end. */
static uint32_t running_l(const struct ww_pwq *pwq, uint64_t in_flight)
{
	uint32_t n = 0;
	struct ww_list *l;

	ww_list_for_each (l, &pwq->pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		n += n < in_flight && w->settled < w->n && ww_load_relaxed(&w->current_pwq) == pwq;
	}
	return n;
}

static void add_l(struct ww_pwq *pwq, struct ww_workqueue_stats *s)
{
	uint64_t in_flight = 0;
	uint32_t running;

	for (unsigned c = 0; c < COLOURS; c++)
		in_flight += pwq->in_flight[c];
	running = running_l(pwq, in_flight);
	s->in_flight += in_flight;
	s->started += pwq->completed + running;
	s->running += running;
	s->completed += pwq->completed;
	s->cancelled += pwq->cancelled;
	s->cpu_time_us += pwq->cpu_ns / 1000;
	s->cpu_intensive += pwq->intensive;
	s->blocked_wakeups += pwq->woken;
	s->mayday += pwq->mayday;
	s->rescued += pwq->rescued;
	s->moved += pwq->moved;
}

WW_EXPORT void ww_workqueue_get_stats(struct ww_workqueue *wq, struct ww_workqueue_stats *stats)
{
	unsigned n = ww_load_acquire(&wq->npwq);

	memset(stats, 0, sizeof(*stats));
	for (unsigned i = 0; i < n; i++) {
		struct ww_pwq *pwq = ww_load_acquire(&wq->pwqs)[i];

		ww_pool_lock(pwq->pool);
		ww_pool_settle_all_l(pwq->pool);
		while (ww_pool_drain_l(pwq->pool, DRAIN_STEP) == DRAIN_STEP)
			;
		add_l(pwq, stats);
		ww_pool_kick_l(pwq->pool);
		ww_pool_unlock(pwq->pool);
	}
	stats->cancelled += ww_load_relaxed(&wq->timer_cancelled);
	stats->updates_idle = ww_load_relaxed(&wq->updates_idle);
}

WW_EXPORT bool ww_workqueue_congested(int cpu, struct ww_workqueue *wq)
{
	int slot = cpu < 0 ? ww_cpu_current_slot() : ww_cpu_slot_of(cpu);
	struct ww_pwq *pwq = ww_load_acquire(&wq->by_slot)[slot]; /* pairs: WORK-10 */
	bool congested;

	ww_pool_lock(pwq->pool);
	while (ww_pool_drain_l(pwq->pool, DRAIN_STEP) == DRAIN_STEP)
		;
	congested = !ww_items_empty(&pwq->inactive);
	ww_pool_kick_l(pwq->pool);
	ww_pool_unlock(pwq->pool);
	return congested;
}

/* ---- in words ---- */

struct text {
	char *buf;
	size_t used, size;
	const struct ww_workqueue *only; /* what others have is left out; NULL: all */
};

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->used += (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
}

WW_EXPORT void ww_set_worker_desc(const char *fmt, ...)
{
	struct ww_pworker *w = ww_self_worker;
	char desc[WW_WORKER_DESC_LEN];
	va_list ap;

	if (!w || !w->current_pwq)
		return;
	va_start(ap, fmt);
	vsnprintf(desc, sizeof(desc), fmt, ap);
	va_end(ap);
	ww_pool_lock(w->pool);
	memcpy(w->desc, desc, sizeof(desc));
	w->desc_seq = w->seq;
	ww_pool_unlock(w->pool);
}

#define ITEMS_SHOWN 8
#define TEXT_SIZE   65536

static void say_items_l(struct text *t, const struct item_link *head, const char *what)
{
	unsigned n = 0;

	for (struct item_link *l = head->next; l != head; l = l->next) {
		struct ww_work *work = ww_link_work(l);

		if (t->only && ww_tagged_pwq(*ww_work_queue(work))->wq != t->only)
			continue;
		if (n++ < ITEMS_SHOWN)
			say(t, "%s%s", n > 1 ? ", " : what, ww_symbol_fn(work->func));
	}
	if (n > ITEMS_SHOWN)
		say(t, " and %u more", n - ITEMS_SHOWN);
	if (n)
		say(t, "\n");
}

static void say_worker_l(struct text *t, struct ww_pworker *w)
{
	static const char *const states[] = {"new", "running", "idle", "in reserve", "ended"};
	const struct ww_workqueue *wq = ww_pool_queue_l(w->pool, ww_load_relaxed(&w->current_pwq));
	ww_work_fn fn = ww_load_relaxed(&w->current_func);
	bool described = w->desc[0] && w->desc_seq == ww_load_relaxed(&w->seq);
	unsigned behind = 0;

	if (t->only && (wq != t->only || !fn))
		return;
	for (unsigned i = 0; i < w->n; i++)
		behind += ww_load_relaxed(&w->slot[i]) != NULL;
	say(t, "  worker %u (thread %d): ", w->id, (int)ww_load_relaxed(&w->tid));
	if (wq && fn)
		say(t, "%sruns %s of \"%s\"%s%s%s%s", w->rescuer ? "rescuer, " : "",
		    ww_symbol_fn(fn), wq->name, described ? " (" : "", described ? w->desc : "",
		    described ? ")" : "", w->blocked ? ", blocked" : "");
	else
		say(t, "%s", states[w->state]);
	if (behind)
		say(t, ", %u behind it", behind);
	say(t, "\n");
}

static void say_pool_l(struct text *t, struct ww_pool *pool)
{
	struct ww_list *l;

	while (ww_pool_drain_l(pool, DRAIN_STEP) == DRAIN_STEP)
		;
	if (pool->unbound)
		say(t, "pool %u: unbound, ", pool->id);
	else
		say(t, "pool %u: CPU %d, ", pool->id, pool->cpu);
	say(t, "nice %d, %u workers, %u of %u running or ready%s\n", pool->nice, pool->nr_workers,
	    pool->licensed, pool->target, pool->want ? ", more wanted" : "");
	ww_list_for_each (l, &pool->workers)
		say_worker_l(t, ww_list_entry(l, struct ww_pworker, node));
	say_items_l(t, &pool->list, "  waiting: ");
	ww_list_for_each (l, &pool->pwqs) {
		struct ww_pwq *pwq = ww_list_entry(l, struct ww_pwq, node);

		if (ww_items_empty(&pwq->inactive) || (t->only && pwq->wq != t->only))
			continue;
		say(t, "  \"%s\", %d of %d active%s, ", pwq->wq->name, pwq->nr_active,
		    pwq->max_active, pwq->frozen ? ", frozen" : "");
		say_items_l(t, &pwq->inactive, "waiting for its turn: ");
	}
}

static void say_pool(struct text *t, struct ww_pool *pool)
{
	ww_pool_lock(pool);
	say_pool_l(t, pool);
	ww_pool_kick_l(pool);
	ww_pool_unlock(pool);
}

static void say_wq(struct text *t, struct ww_workqueue *wq)
{
	struct ww_workqueue_stats s;

	ww_workqueue_get_stats(wq, &s);
	say(t,
	    "queue \"%s\": %s%s, max_active %d, total %" PRIu64 ", in flight %" PRIu64
	    ", CPU time %.3f s, CPU hogs %" PRIu64 ", woken for blocked ones %" PRIu64
	    ", moved %" PRIu64 ", mayday %" PRIu64 ", rescued %" PRIu64 "\n",
	    wq->name,
	    wq->ordered			? "ordered"
	    : wq->flags & WW_WQ_UNBOUND ? "unbound"
					: "per-CPU",
	    wq->flags & WW_WQ_HIGHPRI ? ", high priority" : "", wq->max_active, s.started,
	    s.in_flight, (double)s.cpu_time_us / 1e6, s.cpu_intensive, s.blocked_wakeups, s.moved,
	    s.mayday, s.rescued);
}

static int write_out(struct text *t, int fd)
{
	size_t done = 0;
	int err = 0;

	while (done < t->used && !err) {
		ssize_t n = write(fd, t->buf + done, t->used - done);

		if (n < 0 && errno != EINTR)
			err = -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	ww_free(t->buf);
	return err;
}

WW_EXPORT int ww_show_workqueues(int fd)
{
	struct text t = {.buf = ww_alloc(TEXT_SIZE), .size = TEXT_SIZE};
	struct ww_pool *pool;
	struct ww_list *l;

	if (!t.buf)
		return -ENOMEM;
	ww_lock(&ww_wq_lock);
	ww_list_for_each (l, &ww_all_wqs)
		say_wq(&t, ww_list_entry(l, struct ww_workqueue, node));
	ww_unlock(&ww_wq_lock);
	for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++)
		say_pool(&t, pool);
	return write_out(&t, fd);
}

/* What waits in a worker's hands comes back to the list, where it is told apart by its queue. */
static void say_one(struct text *t, struct ww_workqueue *wq)
{
	unsigned n = ww_load_acquire(&wq->npwq);

	say_wq(t, wq);
	t->only = wq;
	for (unsigned i = 0; i < n; i++) {
		struct ww_pool *pool = ww_load_acquire(&wq->pwqs)[i]->pool;
		struct ww_list *l;

		ww_pool_lock(pool);
		ww_list_for_each (l, &pool->workers)
			ww_pworker_unbatch_l(ww_list_entry(l, struct ww_pworker, node), false);
		say_pool_l(t, pool);
		ww_pool_kick_l(pool);
		ww_pool_unlock(pool);
	}
}

WW_EXPORT int ww_show_one_workqueue(struct ww_workqueue *wq, int fd)
{
	struct text t = {.buf = ww_alloc(TEXT_SIZE), .size = TEXT_SIZE};

	if (!t.buf)
		return -ENOMEM;
	say_one(&t, wq);
	return write_out(&t, fd);
}

WW_EXPORT int ww_show_freezable_workqueues(int fd)
{
	struct text t = {.buf = ww_alloc(TEXT_SIZE), .size = TEXT_SIZE};
	struct ww_list *l;

	if (!t.buf)
		return -ENOMEM;
	ww_lock(&ww_wq_lock);
	ww_list_for_each (l, &ww_all_wqs) {
		struct ww_workqueue *wq = ww_list_entry(l, struct ww_workqueue, node);

		if (wq->flags & WW_WQ_FREEZABLE)
			say_one(&t, wq);
	}
	ww_unlock(&ww_wq_lock);
	return write_out(&t, fd);
}

/* What is stuck and what waits, a line at a time. */
void ww_report_stall(struct ww_pool *pool, uint64_t stuck_ns)
{
	struct text t = {.buf = ww_alloc(TEXT_SIZE), .size = TEXT_SIZE};
	char *line, *rest;

	ww_warn("workqueue lockup: pool %u has begun nothing for %.1f s, and items wait", pool->id,
		(double)stuck_ns / 1e9);
	if (!t.buf)
		return;
	say_pool(&t, pool);
	for (line = strtok_r(t.buf, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		ww_warn("%s", line);
	ww_free(t.buf);
}

/* ---- memory that is about to be freed ---- */

struct region {
	const char *from, *to;
	unsigned found;
	ww_work_fn first;
};

static void note(struct region *r, struct ww_work *work)
{
	if ((const char *)work < r->from || (const char *)work >= r->to)
		return;
	if (!r->found++)
		r->first = work->func;
}

static void note_list(struct region *r, const struct item_link *head)
{
	for (struct item_link *l = head->next; l != head; l = l->next)
		note(r, ww_link_work(l));
}

static void note_pool(struct region *r, struct ww_pool *pool)
{
	struct ww_list *l;

	ww_pool_lock(pool);
	while (ww_pool_drain_l(pool, DRAIN_STEP))
		;
	note_list(r, &pool->list);
	ww_list_for_each (l, &pool->workers) {
		struct ww_pworker *w = ww_list_entry(l, struct ww_pworker, node);

		note_list(r, &w->own);
		for (unsigned i = 0; i < w->n; i++) {
			struct ww_work *work = ww_load_relaxed(&w->slot[i]);

			if (work)
				note(r, work);
		}
	}
	ww_list_for_each (l, &pool->pwqs)
		note_list(r, &ww_list_entry(l, struct ww_pwq, node)->inactive);
	ww_pool_kick_l(pool);
	ww_pool_unlock(pool);
}

static bool note_timer(struct ww_timer *timer, void *arg)
{
	note(arg, &ww_container_of(timer, struct ww_delayed_work, timer)->work);
	return false;
}

WW_EXPORT unsigned ww_debug_check_no_work_freed(const void *p, size_t size)
{
	struct region r = {.from = p, .to = (const char *)p + size};
	struct ww_pool *pool;

	for (unsigned i = 1; (pool = ww_pool_of(i)) != NULL; i++)
		note_pool(&r, pool);
	ww_timer_walk(ww_delayed_work_expired, note_timer, &r);
	if (r.found)
		ww_misuse("ww_debug_check_no_work_freed",
			  "%u items in %zu bytes at %p are still queued or on their timers, the "
			  "first is %s",
			  r.found, size, p, ww_symbol_fn(r.first));
	return r.found;
}
