/* SPDX-License-Identifier: MIT */
/*
 * ww_debug_check() is believed by every other test: here each thing that it can find is broken by
 * hand, found, and mended again.
 */
#include "tap.h"

#include <stdarg.h>

#include "base/futex.h"
#include "thread/thread.h"
#include "timer/timer.h"
#include "wheelwork/wheelwork.h"
#include "work/internal.h"

static char reports[4096];

static void keep(enum ww_report_kind kind, const char *line)
{
	size_t at = strlen(reports);

	(void)kind;
	snprintf(reports + at, sizeof(reports) - at, "%s\n", line);
}

static void found(const char *words)
{
	reports[0] = 0;
	CHECK_MSG(ww_debug_check() > 0, "not found: %s", words);
	CHECK_MSG(strstr(reports, words), "not \"%s\" but: %s", words, reports);
}

static void nothing_found(void)
{
	reports[0] = 0;
	CHECK_MSG(ww_debug_check() == 0, "found in what is whole: %s", reports);
}

/* With place made other, words are reported; then it is mended. */
#define BREAK(place, other, words)                                                                 \
	do {                                                                                       \
		__typeof__(place) whole_ = (place);                                                \
		(place) = (__typeof__(place))(other);                                              \
		found(words);                                                                      \
		(place) = whole_;                                                                  \
		nothing_found();                                                                   \
	} while (0)

/* --- Timers, on the virtual clock: nothing moves by itself. --- */

static void never(struct ww_timer *t)
{
	(void)t;
}

static struct ww_timer timer;
static struct ww_timer_impl *t;
static struct ww_base *base;

static void arm_one(uint64_t delay)
{
	ww_set_misuse_handler(keep);
	CHECK_EQ(ww_clock_use_virtual(), 0);
	ww_clock_advance(ww_jiffies() + 5000);
	ww_timer_setup(&timer, never, 0);
	ww_mod_timer(&timer, ww_jiffies() + delay);
	t = ww_timer_impl(&timer);
	base = ww_word_hot(t->word)->base;
	nothing_found();
}

TEST(a_timer_that_is_not_where_its_words_say_is_found)
{
	arm_one(10);
	BREAK(t->tail, 0, "was overwritten");
	BREAK(t->word, t->word & ~WW_TW_PENDING, "is in a wheel, but its word does not say so");
	BREAK(t->word, t->word | WW_TW_EXPIRED, "is in a wheel, but its word does not say so");
	BREAK(t->word, t->word ^ 1ull << (WW_TW_BASE_SHIFT + 3), "names another base");
	BREAK(t->word, t->word ^ WW_TW_DEFERRABLE, "is in the wrong wheel");
	BREAK(t->bound, t->bound + 1, "is in the wrong bucket");
	BREAK(t->bound, t->bound - (1u << base->wheel[0].fine), "was passed over");
	BREAK(t->filed, t->bound - 4, "will be looked at too late");
}

TEST(a_timer_of_a_coarse_level_in_a_bucket_of_another_is_found)
{
	arm_one(1000000);
	BREAK(t->bound, t->bound + 1, "is in the wrong bucket");
	BREAK(t->bound, t->bound + (1u << 18), "is in the wrong bucket");
}

TEST(a_due_timer_that_does_not_say_so_is_found)
{
	arm_one(10);
	struct ww_timer other;

	ww_timer_setup(&other, never, 0);
	BREAK(base->expired.lane[0], &ww_timer_impl(&other)->node,
	      "is due, but its word does not say so");
	struct ww_base_hot *h = ww_base_hot_of(base);

	BREAK(h->armed, h->armed + 1, "counts 2 pending timers and holds 1");
}

TEST(a_wheel_whose_bits_or_links_are_wrong_is_found)
{
	arm_one(10);
	struct ww_wheel *w = &base->wheel[ww_word_wheel(t->word)];
	unsigned i = (unsigned)t->bound & ((1u << w->fine) - 1);

	BREAK(t->node.pprev, &t->node.next, "back pointer");
	BREAK(w->near[i / 64], 0, "bit");
	BREAK(w->bits[0], w->bits[0] ^ 1ull << (i / 64 ^ 1), "level 0 and its bitmap differ");
	BREAK(w->levels, w->levels ^ 1u << 9, "a level's bit differs from its bitmap");
}

/* --- Threads. --- */

static int body(void *data)
{
	(void)data;
	return 0;
}

TEST(a_thread_whose_words_contradict_each_other_is_found)
{
	SKIP_UNDER_TSAN("breaks what the thread itself may look at");
	struct ww_waiter stray = {.prev = &stray};
	struct ww_thread *new = ww_thread_create(body, NULL, "broken"), *over;

	ww_set_misuse_handler(keep);
	CHECK(new);
	nothing_found();
	BREAK(new->flags, new->flags | WW_TF_IS_PARKED, "parked, but nobody asked");
	BREAK(new->state, new->state | 0x40000000u, "an unknown state");
	BREAK(new->state, new->state | WW_TASK_FROZEN, "frozen, but not freezable");
	BREAK(new->state, new->state | WW_TASK_FROZEN_WOKEN, "woken while frozen, but not frozen");
	BREAK(new->waiters.last, &stray, "its queue of waiters has a wrong end");
	BREAK(new->waiters.first, &stray, "its queue of waiters is broken");
	BREAK(new->life, WW_LIFE_FREE, "in use, but free");
	BREAK(new->all.next->prev, &new->all.next->next->prev, "its list is broken");
	over = ww_thread_create(body, NULL, "over");
	CHECK(over);
	ww_thread_stop(over);
	BREAK(over->life, WW_LIFE_LIVE, "free, but in use");
	ww_thread_stop(new);
}

/* --- Works. --- */

static uint32_t running, gate;

static void run_until_the_gate_opens(struct ww_work *w)
{
	(void)w;
	ww_store_release(&running, 1u);
	ww_futex_wake(&running, 1);
	while (!ww_load_acquire(&gate))
		ww_futex_wait(&gate, 0, WW_FOREVER);
}

static void run(struct ww_work *w)
{
	(void)w;
}

static struct ww_pworker *who_runs(struct ww_pool *pool)
{
	struct ww_list *l;

	ww_list_for_each (l, &pool->workers)
		if (ww_list_entry(l, struct ww_pworker, node)->current_func)
			return ww_list_entry(l, struct ww_pworker, node);
	return NULL;
}

TEST_LIMIT(a_pool_whose_counts_or_lists_are_wrong_is_found, 30)
{
	SKIP_UNDER_TSAN("breaks what workers may look at");
	struct ww_workqueue *wq = ww_alloc_workqueue("broken", WW_WQ_UNBOUND, 1);
	static struct ww_work first, behind;

	ww_set_misuse_handler(keep);
	ww_init_work(&first, run_until_the_gate_opens);
	ww_init_work(&behind, run);
	CHECK(wq && ww_queue_work(wq, &first));
	while (!ww_load_acquire(&running))
		ww_futex_wait(&running, 0, WW_FOREVER);
	CHECK(ww_queue_work(wq, &behind));
	struct ww_pwq *pwq = ww_tagged_pwq(*ww_work_queue(&behind));
	struct ww_pool *pool = pwq->pool;

	/* Out of the inbox, into the line of those that wait for their turn. */
	ww_pool_lock(pool);
	ww_pool_drain_l(pool, DRAIN_STEP);
	ww_pool_unlock(pool);
	nothing_found();

	struct ww_pworker *w = who_runs(pool);
	uint64_t *data = ww_work_data(&behind);

	CHECK(w);
	/* Nobody but us sees the damage. */
	BREAK(*data, *data & ~WORK_MAGIC_MASK, "an item on a list is not pending");
	BREAK(*data, *data & ~WORK_PENDING, "an item on a list is not pending");
	BREAK(*data, *data ^ 1ull << WORK_POOL_SHIFT, "an item is on another pool's list");
	BREAK(ww_work_link(&behind)->next->prev, ww_work_link(&first),
	      "an item's neighbours disagree");
	BREAK(pwq->nr_active, pwq->nr_active + 1,
	      "active and inactive items are not those in flight");
	BREAK(pwq->nr_active, -1, "active and inactive items are not those in flight");
	BREAK(pwq->in_flight[3], pwq->in_flight[3] + 100, "items found and in flight");
	BREAK(pwq->urgent, 0, "items wait for their turn and nobody is told");
	BREAK(w->settled, w->n + 1, "a worker's batch");
	BREAK(pool->nr_workers, pool->nr_workers + 1, "workers listed and counted");
	BREAK(pool->licensed, pool->licensed + 1, "licences held or asked for, and counted");
	BREAK(pool->look, pool->look ^ LOOK_SHORTAGE, "shortage");
	ww_store_release(&gate, 1u);
	ww_futex_wake(&gate, 1);
	ww_destroy_workqueue(wq);
	nothing_found();
}
