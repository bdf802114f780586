/* SPDX-License-Identifier: MIT */
/* Several bases: one barrier for two sweeps, add_on between them, stores that become exchanges,
 * stores that come too late for the next arming, driven bases that change hands. */
#include "sim/sim_programs.h"

#include "base/clock.h"
#include "timer/barrier.h"
#include "timer/timer.h"
#include "wheelwork/clock.h"

#define TICK_NS 1000000u

static SIM_STATE struct ww_timer timer, other;
static SIM_STATE uint32_t event[2];
static SIM_STATE bool seen[2], gone, owing;
static SIM_STATE unsigned runs, running, deleted, armed;
static SIM_STATE uint64_t owed, last_run;

static void note_run(struct ww_timer *t)
{
	bool is_other = t == &other;

	SIM_CHECK(!gone);
	if (!is_other) {
		SIM_CHECK(running++ == 0);
		last_run = ww_jiffies();
		if (owing)
			SIM_CHECK(ww_time_after(last_run, owed));
		runs++;
	}
	if (ww_load_relaxed(&event[is_other]))
		seen[is_other] = true;
	sim_step("in the callback");
	if (!is_other)
		running--;
}

static uint64_t begin(void)
{
	ww_clock_configure(1000, UINT64_MAX - 2);
	ww_timer_setup(&timer, note_run, 0);
	ww_timer_setup(&other, note_run, 0);
	return ww_jiffies();
}

/* Armed, and pushed out by another thread than its base's: open to stores. */
static void open_at(struct ww_timer *t, uint64_t expires)
{
	ww_mod_timer(t, expires - 1);
	ww_mod_timer(t, expires);
}

static void wait_until_idle(void)
{
	while (ww_timer_pending(&timer) || ww_timer_pending(&other))
		ww_clock_sleep_until(ww_clock_ns() + TICK_NS);
	ww_timer_delete_sync(&timer);
	ww_timer_delete_sync(&other);
	SIM_CHECK(ww_debug_check() == 0);
}

static struct ww_base *base_of(struct ww_timer *t)
{
	return ww_base_hot[ww_word_base(ww_timer_impl(t)->word)].base;
}

struct push {
	struct ww_timer *timer;
	int n;
	uint64_t to[2];
};

/* Where one armed the timer afresh, the run before may only just begin: it proves nothing then. */
static void push(void *arg)
{
	const struct push *p = arg;
	bool was = true;

	for (int k = 0; k < p->n; k++) {
		ww_store_relaxed(&event[p->timer == &other], 1u);
		was &= ww_mod_timer(p->timer, p->to[k]);
		if (was && p->timer == &timer) {
			owed = p->to[k];
			owing = true;
		}
	}
}

/* Two bases, made in the run that does not count; timers bound to them may be pushed from anywhere.
 */
static struct ww_base *base[2];

static uint64_t begin_on_two_bases(void)
{
	uint64_t now = begin();

	for (int i = 0; i < 2; i++)
		if (!base[i])
			base[i] = ww_base_create("sim");
	ww_timer_set_base(&timer, base[0]);
	ww_timer_set_base(&other, base[1]);
	return now;
}

/* Both sweep in the same tick, and the barrier of one may have to do for both. */
static void two_sweeps_and_a_push(void)
{
	uint64_t now = begin_on_two_bases();
	struct push p = {&timer, 1, {now + 4, 0}};
	struct ww_os_thread t;

	open_at(&timer, now + 2);
	open_at(&other, now + 2);
	event[1] = 1;
	t = sim_thread(push, &p);
	sim_go();
	ww_os_thread_join(&t);
	wait_until_idle();
	SIM_CHECK(seen[0] && seen[1]);
}

SIM_PROGRAM(a_barrier_that_two_sweeps_share_serves_both, 1, 3000)
{
	two_sweeps_and_a_push();
}

static void push_pending(void *arg)
{
	const struct push *p = arg;

	for (int k = 0; k < p->n; k++)
		ww_mod_timer_pending(p->timer, p->to[k]);
}

static void push_and_count(void *arg)
{
	const struct push *p = arg;

	for (int k = 0; k < p->n; k++)
		armed += ww_mod_timer(p->timer, p->to[k]) == 0;
}

static void delete_and_add_on_another(void *arg)
{
	(void)arg;
	deleted += ww_timer_delete(&timer);
	timer.expires = *(uint64_t *)arg;
	armed++;
	ww_add_timer_on(&timer, 1);
}

/* Taken off its base while it is pushed there, and added to another. Nobody else arms it from idle.
 */
SIM_PROGRAM(add_on_another_base_and_a_late_push_agree, 2, 2500)
{
	uint64_t now = begin(), again = now + 3;
	struct push p = {&timer, 1, {now + 40, 0}};
	struct ww_os_thread t;

	open_at(&timer, now + 30);
	armed = 1;
	t = sim_thread(delete_and_add_on_another, &again);
	sim_prompt();
	sim_go();
	push_pending(&p);
	ww_os_thread_join(&t);
	wait_until_idle();
	SIM_CHECK(armed == runs + deleted);
	/* The add, or a push that came after it: never the deadline of the filing before. */
	SIM_CHECK(!ww_time_after(last_run, again + 2) || ww_time_after(last_run, now + 40));
}

static void delete_sync(void *arg)
{
	(void)arg;
	deleted += ww_timer_delete_sync(&timer);
	SIM_CHECK(!running);
}

/* The whole life at once: pushes from two CPUs, add_on, and who waits for the end. */
SIM_PROGRAM(armings_add_up_over_several_bases, 1, 1500)
{
	uint64_t now = begin();
	struct push p = {&timer, 2, {now + 2, now + 1}}, q = {&timer, 2, {now + 1, now + 3}};
	struct ww_os_thread t, u, d;

	open_at(&timer, now + 1);
	armed = 1;
	t = sim_thread(push_and_count, &p);
	u = sim_thread(push_and_count, &q);
	d = sim_thread(delete_sync, NULL);
	sim_go();
	ww_os_thread_join(&t);
	ww_os_thread_join(&u);
	ww_os_thread_join(&d);
	while (ww_timer_pending(&timer))
		ww_clock_sleep_until(ww_clock_ns() + TICK_NS);
	delete_sync(NULL);
	SIM_CHECK(armed == runs + deleted);
}

/* Its next barrier is found too dear: from then on stores must be exchanges. */
static void make_barriers_dear(struct ww_base *b)
{
	b->window_barriers = 63;
	b->window_ns = 1;
	b->exchange_s = 0;
	ww_barrier_budget = 0;
}

SIM_PROGRAM(a_push_is_not_lost_while_stores_become_exchanges, 1, 2500)
{
	uint64_t now = begin();
	struct push p = {&timer, 2, {now + 4, now + 6}};
	struct ww_os_thread t;

	open_at(&timer, now + 2);
	make_barriers_dear(base_of(&timer));
	base_of(&timer)->exchange_until = now;
	t = sim_thread(push, &p);
	sim_go();
	ww_os_thread_join(&t);
	wait_until_idle();
	ww_barrier_budget = 20;
	SIM_CHECK(seen[0]);
	SIM_CHECK(!owing || ww_time_after(last_run, owed));
}

/* And back again: the spell is over at the sweep in between. */
SIM_PROGRAM(a_push_is_not_lost_while_exchanges_become_stores, 1, 2500)
{
	uint64_t now = begin();
	struct push p = {&timer, 2, {now + 4, now + 6}};
	struct ww_os_thread t;

	open_at(&timer, now + 2);
	ww_store_relaxed(&ww_base_hot_of(base_of(&timer))->mark, WW_MARK_EXCHANGE);
	base_of(&timer)->exchange_until = now;
	ww_membarrier(); /* nobody is in a store that saw the mark without it */
	t = sim_thread(push, &p);
	sim_go();
	ww_os_thread_join(&t);
	wait_until_idle();
	SIM_CHECK(seen[0]);
	SIM_CHECK(!owing || ww_time_after(last_run, owed));
}

static SIM_STATE uint64_t near, far;
static SIM_STATE bool stored; /* the push is over, as far as its thread can tell */

static void push_far(void *arg)
{
	(void)arg;
	ww_mod_timer(&timer, far);
	stored = true;
	for (int i = 0; i < 3; i++)
		sim_step("its store may still be on its way");
}

static void two_barriers(void *arg)
{
	(void)arg;
	ww_barrier_shared();
	ww_barrier_shared();
}

/*
 * Deleted, added and pushed while another's store is on its way: open again only when that has
 * arrived, whatever barriers others make meanwhile. So what is stored now is what stays.
 */
SIM_PROGRAM(a_timer_opens_again_only_when_old_stores_have_arrived, 2, 1000)
{
	struct ww_timer_impl *t = ww_timer_impl(&timer);
	struct ww_os_thread p, b;
	uint64_t now = begin();
	bool open;

	far = now + 60;
	near = now + 30;
	open_at(&timer, now + 20);
	b = sim_thread(two_barriers, NULL);
	p = sim_thread(push_far, NULL);
	sim_prompt();
	sim_go();
	ww_timer_delete(&timer);
	ww_mod_timer(&timer, near - 1);
	open = stored; /* before what follows began */
	ww_mod_timer(&timer, near);
	open = open && t->word & WW_TW_STORED && ww_load_seq_cst(&t->expires) == near;
	ww_os_thread_join(&p);
	/* After an arming that saw all else over: nobody but the old store can have changed it. */
	if (open)
		SIM_CHECK(ww_load_relaxed(&t->expires) == near);
	ww_os_thread_join(&b);
	ww_timer_delete_sync(&timer);
}

static struct ww_base *driven;

static void drive(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		ww_base_run(driven);
		sim_step("between two runs");
	}
}

/* Who ran it last pushes by its own right, just as another thread takes it over. */
SIM_PROGRAM(a_push_by_the_owner_is_not_lost_when_another_drives, 2, 2500)
{
	uint64_t now = begin();
	struct push p = {&timer, 2, {now + 5, now + 6}};
	struct ww_os_thread t;

	if (!driven)
		driven = ww_base_create_driven("sim_driven");
	ww_timer_set_base(&timer, driven);
	ww_mod_timer(&timer, now + 1);
	ww_base_run(driven);
	ww_mod_timer(&timer, now + 2); /* its own thread's: only that may store */
	sim_pass_ns(3 * TICK_NS);
	t = sim_thread(drive, NULL);
	sim_go();
	push(&p);
	ww_os_thread_join(&t);
	while (ww_timer_pending(&timer)) {
		sim_pass_ns(TICK_NS);
		ww_base_run(driven);
	}
	SIM_CHECK(seen[0]);
	SIM_CHECK(ww_timer_delete_sync(&timer) == 0);
}
