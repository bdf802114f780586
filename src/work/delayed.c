/* SPDX-License-Identifier: MIT */
/*
 * A delayed work is a work and a timer. PENDING is held from the arming of the timer on; the
 * timer's callback owns it and hands the item to the pool.
 */
#include "work/internal.h"

#include "base/report.h"
#include "timer/rearm.h"
#include "timer/short.h"
#include "timer/walk.h"

/* What lies in a delayed work's own words: written by the owner of PENDING. */
static struct ww_workqueue **dwork_wq(struct ww_delayed_work *dwork)
{
	return (struct ww_workqueue **)(void *)&dwork->ww_private[0];
}

static uint64_t *dwork_cpu(struct ww_delayed_work *dwork)
{
	return &dwork->ww_private[1];
}

static struct ww_delayed_work *of_timer(struct ww_timer *timer)
{
	return ww_container_of(timer, struct ww_delayed_work, timer);
}

/* The callback of every delayed work's timer. */
WW_EXPORT void ww_delayed_work_expired(struct ww_timer *timer)
{
	struct ww_delayed_work *dwork = of_timer(timer);
	struct ww_workqueue *wq = ww_load_relaxed(dwork_wq(dwork));
	int cpu = (int)ww_load_relaxed(dwork_cpu(dwork));

	if (ww_unlikely(ww_load_relaxed(&wq->state))) {
		ww_work_fn fn = dwork->work.func;

		ww_work_release(&dwork->work);
		ww_misuse("ww_drain_workqueue",
			  "the delayed work %s ran out while its queue \"%s\" drains: not queued",
			  ww_symbol_fn(fn), wq->name);
		return;
	}
	ww_queue_owned(cpu, wq, &dwork->work);
}

static void init(struct ww_delayed_work *dwork, ww_work_fn func, unsigned timer_flags,
		 uint64_t flags, const char *call)
{
	if (!ww_init_item(&dwork->work, func, flags | WORK_DELAYED, call))
		return;
	ww_timer_setup(&dwork->timer, ww_delayed_work_expired, timer_flags);
	for (unsigned i = 0; i < 3; i++)
		dwork->ww_private[i] = 0;
}

WW_EXPORT void ww_init_delayed_work(struct ww_delayed_work *dwork, ww_work_fn func)
{
	init(dwork, func, 0, 0, "ww_init_delayed_work");
}

WW_EXPORT void ww_init_deferrable_work(struct ww_delayed_work *dwork, ww_work_fn func)
{
	init(dwork, func, WW_TIMER_DEFERRABLE, 0, "ww_init_deferrable_work");
}

WW_EXPORT void ww_init_delayed_work_onstack(struct ww_delayed_work *dwork, ww_work_fn func)
{
	init(dwork, func, 0, WORK_ONSTACK, "ww_init_delayed_work_onstack");
}

WW_EXPORT void ww_init_deferrable_work_onstack(struct ww_delayed_work *dwork, ww_work_fn func)
{
	init(dwork, func, WW_TIMER_DEFERRABLE, WORK_ONSTACK, "ww_init_deferrable_work_onstack");
}

WW_EXPORT void ww_destroy_delayed_work_on_stack(struct ww_delayed_work *dwork)
{
	if (ww_load_relaxed(ww_work_data(&dwork->work)) & WORK_PENDING)
		ww_misuse("ww_destroy_delayed_work_on_stack", "the item %p (%s) is still %s",
			  (void *)dwork, ww_symbol_fn(dwork->work.func),
			  ww_timer_pending(&dwork->timer) ? "on its timer" : "queued");
}

bool ww_delayed_steal(struct ww_work *work)
{
	if (!(ww_load_relaxed(ww_work_data(work)) & WORK_DELAYED))
		return false;
	return ww_timer_delete(&ww_to_delayed_work(work)->timer) == 1;
}

bool ww_delayed_armed(struct ww_work *work)
{
	return (ww_load_relaxed(ww_work_data(work)) & WORK_DELAYED) &&
	       ww_timer_pending(&ww_to_delayed_work(work)->timer);
}

/* With a CPU the timer is pinned to that CPU's base; without one it is not, or no longer. */
static void arm_timer(int cpu, struct ww_timer *timer, uint64_t expires)
{
	if (ww_likely(cpu < 0 && !(ww_load_relaxed(&ww_timer_impl(timer)->word) & WW_TW_PINNED))) {
		ww_mod_timer(timer, expires);
		return;
	}
	timer->expires = expires;
	if (cpu < 0)
		ww_add_timer_global(timer);
	else
		ww_add_timer_on(timer, cpu);
}

/* PENDING is ours: queue now, or arm the timer for the tick given. */
static bool arm(int cpu, struct ww_workqueue *wq, struct ww_delayed_work *dwork, uint64_t expires,
		bool now)
{
	if (now)
		return ww_queue_owned(cpu, wq, &dwork->work);
	if (ww_unlikely(ww_load_relaxed(&wq->state)) && ww_refused_by_drain(wq)) {
		ww_work_release(&dwork->work);
		return false;
	}
	/* No base, and none can be made, which it has reported: PENDING must not stay for ever. */
	if (ww_unlikely(!ww_base_get(cpu < 0 ? ww_base_id_here() : ww_base_id_of_cpu(cpu)))) {
		ww_work_release(&dwork->work);
		return false;
	}
	ww_store_release(dwork_wq(dwork), wq); /* pairs: WORK-17 */
	ww_store_release(dwork_cpu(dwork), (uint64_t)(int64_t)cpu);
	if (!ww_load_relaxed(&wq->delayed_used))
		ww_store_relaxed(&wq->delayed_used, 1u);
	arm_timer(cpu, &dwork->timer, expires);
	return true;
}

/*
 * The same where all is as usual, without a call: the item was last on the base that it goes to, and
 * that wakes up in time. False: nothing was done but what arm() does again.
 */
static inline __attribute__((always_inline)) bool arm_short(int cpu, unsigned here, unsigned base,
							    struct ww_workqueue *wq,
							    struct ww_delayed_work *dwork,
							    uint64_t expires)
{
	struct ww_timer_impl *t = ww_timer_impl(&dwork->timer);
	uint64_t word = ww_load_relaxed(&t->word);

	if (ww_unlikely(ww_load_relaxed(&wq->state)) ||
	    ww_unlikely(!ww_load_relaxed(&wq->delayed_used)))
		return false;
	ww_store_release(dwork_wq(dwork), wq); /* pairs: WORK-17 */
	ww_store_release(dwork_cpu(dwork), (uint64_t)(int64_t)cpu);
	return ww_timer_arm_idle(t, word, expires, here, base, WW_TW_PINNED,
				 cpu < 0 ? 0 : WW_TW_PINNED);
}

static int check_cpu(int cpu, const char *call)
{
	if (cpu == WW_WORK_CPU_UNBOUND || (cpu >= 0 && cpu < ww_cpu_possible()))
		return cpu;
	ww_misuse(call, "there is no CPU %d here (0 to %d); it runs on any", cpu,
		  ww_cpu_possible() - 1);
	return WW_WORK_CPU_UNBOUND;
}

/* A delay so long that the tick would wrap past the horizon counts as the horizon. */
static uint64_t tick_after(uint64_t delay)
{
	return ww_jiffies_now() + (delay > WW_MAX_TIMEOUT / 2 ? WW_MAX_TIMEOUT / 2 : delay);
}

/* PENDING is ours. Out of line, so that the usual way needs no frame for it. */
static __attribute__((noinline)) bool queue_long(int cpu, struct ww_workqueue *wq,
						 struct ww_delayed_work *dwork, uint64_t expires,
						 bool now)
{
	return arm(cpu, wq, dwork, expires, now);
}

WW_EXPORT bool ww_queue_delayed_work_on(int cpu, struct ww_workqueue *wq,
					struct ww_delayed_work *dwork, uint64_t delay)
{
	int slot = ww_cpu_slot_known(cpu);
	unsigned here;
	uint64_t at;

	if (ww_unlikely(slot < 0))
		cpu = check_cpu(cpu, "ww_queue_delayed_work_on");
	if (!ww_work_take(&dwork->work, "ww_queue_delayed_work_on"))
		return false;
	if (ww_unlikely(!delay))
		return queue_long(cpu, wq, dwork, 0, true);
	at = tick_after(delay);
	here = ww_base_id_here();
	if (ww_likely(slot >= 0) &&
	    ww_likely(arm_short(cpu, here, ww_base_first_cpu + (unsigned)slot, wq, dwork, at)))
		return true;
	return queue_long(cpu, wq, dwork, at, false);
}

WW_EXPORT bool ww_queue_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				     uint64_t delay)
{
	unsigned here;
	uint64_t at;

	if (!ww_work_take(&dwork->work, "ww_queue_delayed_work"))
		return false;
	if (ww_unlikely(!delay))
		return queue_long(WW_WORK_CPU_UNBOUND, wq, dwork, 0, true);
	at = tick_after(delay);
	here = ww_base_id_here();
	if (ww_likely(arm_short(WW_WORK_CPU_UNBOUND, here, here, wq, dwork, at)))
		return true;
	return queue_long(WW_WORK_CPU_UNBOUND, wq, dwork, at, false);
}

/* ---- updating ---- */

static bool disabled(struct ww_delayed_work *dwork)
{
	return ww_load_relaxed(ww_work_data(&dwork->work)) & WORK_DEPTH_MASK;
}

static bool initialised(struct ww_delayed_work *dwork, const char *call)
{
	uint64_t data = ww_load_relaxed(ww_work_data(&dwork->work));

	if (ww_likely((data & (WORK_MAGIC_MASK | WORK_DELAYED)) == (WW_WORK_MAGIC_ | WORK_DELAYED)))
		return true;
	ww_misuse(call, "the item %p was never initialised (ww_init_delayed_work)", (void *)dwork);
	return false;
}

enum moved { WAS_PENDING, WAS_IDLE, REFUSED };

static inline bool meant_for(struct ww_delayed_work *dwork, int cpu, struct ww_workqueue *wq)
{
	return ww_load_acquire(dwork_wq(dwork)) == wq &&
	       ww_load_acquire(dwork_cpu(dwork)) == (uint64_t)(int64_t)cpu;
}

/*
 * It waits on its timer for this queue and CPU: only the timer moves, in the usual case by a store
 * (TIMER-4), and PENDING stays with whom it is. False: nothing is decided. The second look is for
 * somebody who takes it to another queue meanwhile: he writes the queue before he arms the timer,
 * so a timer that we moved shows whose it was; then we start afresh, after him.
 */
static inline bool put_off(int cpu, struct ww_workqueue *wq, struct ww_delayed_work *dwork,
			   uint64_t expires)
{
	if (!meant_for(dwork, cpu, wq))
		return false;
	if (!ww_timer_push_out(ww_timer_impl(&dwork->timer), expires) &&
	    !ww_mod_timer_pending(&dwork->timer, expires))
		return false;
	return ww_likely(meant_for(dwork, cpu, wq)); /* pairs: WORK-17 */
}

/* Take it from wherever it is and queue it again. */
static __attribute__((noinline)) enum moved start_afresh(int cpu, struct ww_workqueue *wq,
							 struct ww_delayed_work *dwork,
							 uint64_t expires, bool now,
							 const char *call)
{
	int was;

	if (!initialised(dwork, call))
		return REFUSED;
	was = ww_work_grab(&dwork->work, call);
	if (was < 0)
		return REFUSED;
	if (disabled(dwork)) {
		ww_work_release(&dwork->work);
		return was ? WAS_PENDING : REFUSED;
	}
	if (!arm(cpu, wq, dwork, expires, now))
		return was ? WAS_PENDING : REFUSED;
	return was ? WAS_PENDING : WAS_IDLE;
}

static inline enum moved move(int cpu, struct ww_workqueue *wq, struct ww_delayed_work *dwork,
			      uint64_t expires, const char *call)
{
	if (ww_likely(put_off(cpu, wq, dwork, expires)))
		return WAS_PENDING;
	return start_afresh(cpu, wq, dwork, expires, false, call);
}

static inline enum moved move_by(int cpu, struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				 uint64_t delay, const char *call)
{
	if (ww_unlikely(!delay))
		return start_afresh(cpu, wq, dwork, 0, true, call);
	return move(cpu, wq, dwork, tick_after(delay), call);
}

/* The void calls tell nothing, so the queue counts for them. */
static void count(struct ww_workqueue *wq, enum moved moved)
{
	if (moved == WAS_IDLE)
		ww_fetch_add_relaxed(&wq->updates_idle, 1);
}

WW_EXPORT bool ww_mod_delayed_work_on(int cpu, struct ww_workqueue *wq,
				      struct ww_delayed_work *dwork, uint64_t delay)
{
	return move_by(check_cpu(cpu, "ww_mod_delayed_work_on"), wq, dwork, delay,
		       "ww_mod_delayed_work_on") == WAS_PENDING;
}

WW_EXPORT bool ww_mod_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				   uint64_t delay)
{
	return move_by(WW_WORK_CPU_UNBOUND, wq, dwork, delay, "ww_mod_delayed_work") == WAS_PENDING;
}

WW_EXPORT bool ww_mod_delayed_work_at(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
				      uint64_t expires)
{
	return move(WW_WORK_CPU_UNBOUND, wq, dwork, expires, "ww_mod_delayed_work_at") ==
	       WAS_PENDING;
}

WW_EXPORT void ww_queue_update_delayed_work(struct ww_workqueue *wq, struct ww_delayed_work *dwork,
					    uint64_t delay)
{
	count(wq, move_by(WW_WORK_CPU_UNBOUND, wq, dwork, delay, "ww_queue_update_delayed_work"));
}

WW_EXPORT void ww_queue_update_delayed_work_at(struct ww_workqueue *wq,
					       struct ww_delayed_work *dwork, uint64_t expires)
{
	count(wq, move(WW_WORK_CPU_UNBOUND, wq, dwork, expires, "ww_queue_update_delayed_work_at"));
}

/* ---- waiting ---- */

WW_EXPORT bool ww_flush_delayed_work(struct ww_delayed_work *dwork)
{
	bool armed = false;

	if (!initialised(dwork, "ww_flush_delayed_work"))
		return false;
	if (ww_timer_delete_sync(&dwork->timer))
		armed = ww_queue_owned((int)ww_load_relaxed(dwork_cpu(dwork)),
				       ww_load_relaxed(dwork_wq(dwork)), &dwork->work);
	return ww_flush_work(&dwork->work) || armed;
}

WW_EXPORT bool ww_delayed_work_pending(const struct ww_delayed_work *dwork)
{
	return ww_work_pending(&dwork->work);
}

/* ---- the end of a queue ---- */

struct cancel_all {
	struct ww_workqueue *wq;
	struct ww_work *taken; /* through their `next`, which an armed item does not use */
};

static bool visit(struct ww_timer *timer, void *arg)
{
	struct cancel_all *all = arg;
	struct ww_delayed_work *dwork = of_timer(timer);

	if (ww_load_relaxed(dwork_wq(dwork)) != all->wq)
		return false;
	*ww_work_next(&dwork->work) = all->taken;
	all->taken = &dwork->work;
	return true;
}

void ww_delayed_cancel_all(struct ww_workqueue *wq)
{
	struct cancel_all all = {.wq = wq};

	if (!ww_load_relaxed(&wq->delayed_used))
		return;
	ww_timer_walk(ww_delayed_work_expired, visit, &all);
	while (all.taken) {
		struct ww_work *work = all.taken;
		ww_work_fn fn = work->func;

		all.taken = *ww_work_next(work);
		ww_work_release(work);
		ww_fetch_add_relaxed(&wq->timer_cancelled, 1);
		ww_misuse("ww_destroy_workqueue",
			  "the delayed work %s is on its timer for the queue \"%s\": cancelled",
			  ww_symbol_fn(fn), wq->name);
	}
}
