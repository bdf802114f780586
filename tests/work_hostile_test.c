/* SPDX-License-Identifier: MIT */
/*
 * What a caller may do to works and queues who wants to see them break: memory that goes as soon as
 * a call says it may, calls from handlers into each other, limits that change under way, forks.
 * Each case asks for what the header promises; the sanitizers see the rest.
 */
#include "work_helpers.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "wheelwork/freezer.h"

#define THREADS 3

static uint64_t until;

static void begin_for_ms(unsigned ms)
{
	until = ww_clock_os_ns() + ms * 1000000ull * (TAP_TSAN || TAP_ASAN ? 2 : 1);
}

static bool time_is_left(void)
{
	return ww_clock_os_ns() < until;
}

static void start(struct ww_os_thread *t, void (*fn)(void *), void *arg)
{
	CHECK_EQ(ww_os_thread_start(t, "hostile", -1, fn, arg), 0);
}

static void start_all(struct ww_os_thread *t, unsigned n, void (*fn)(void *), void *arg)
{
	for (unsigned i = 0; i < n; i++)
		start(&t[i], fn, arg);
}

static void join_all(struct ww_os_thread *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ww_os_thread_join(&t[i]);
}

/* ---- memory ---- */

HANDLER(run_writes_plainly)
{
	item_of(work)->at++;
}

/* A new item for each round, freed in the moment in which it may be. */
static void frees_at_once(void *arg)
{
	uint64_t rng = tap_seed() + (uintptr_t)&rng;

	while (time_is_left()) {
		struct item *it = calloc(1, sizeof(*it));
		bool waited = true;

		ww_init_delayed_work(&it->dwork, run_writes_plainly);
		switch (tap_random(&rng) % 6) {
		case 0:
			ww_queue_work(arg, &it->dwork.work);
			ww_flush_work(&it->dwork.work);
			break;
		case 1:
			ww_queue_work(arg, &it->dwork.work);
			waited = !ww_cancel_delayed_work_sync(&it->dwork);
			break;
		case 2:
			ww_queue_delayed_work(arg, &it->dwork, tap_random(&rng) % 3);
			ww_flush_delayed_work(&it->dwork);
			break;
		case 3:
			ww_queue_delayed_work(arg, &it->dwork, 1);
			nap_us((unsigned)(tap_random(&rng) % 3000));
			waited = !ww_cancel_delayed_work_sync(&it->dwork);
			break;
		case 4:
			ww_queue_work(arg, &it->dwork.work);
			ww_flush_workqueue(arg);
			break;
		default:
			ww_mod_delayed_work(arg, &it->dwork, 2);
			ww_mod_delayed_work(arg, &it->dwork, tap_random(&rng) % 4);
			/* Twice, where the second call came late. */
			waited = !ww_disable_delayed_work_sync(&it->dwork) || it->at;
			it->at = it->at > 1 ? 1 : it->at;
		}
		CHECK_EQ(ww_work_busy(&it->dwork.work), 0);
		CHECK_EQ(it->at, waited);
		memset(it, 0xaa, sizeof(*it));
		free(it);
	}
}

TEST_LIMIT(an_item_may_be_freed_as_soon_as_a_call_says_that_it_is_over, 60)
{
	struct ww_workqueue *wq[3] = {
		ww_alloc_workqueue("percpu", 0, 0),
		ww_alloc_workqueue("unbound", WW_WQ_UNBOUND, 2),
		ww_alloc_ordered_workqueue("ordered", 0),
	};
	struct ww_os_thread t[3 * 2];

	catch_reports();
	begin_for_ms(800);
	for (int i = 0; i < 6; i++)
		start(&t[i], frees_at_once, wq[i / 2]);
	join_all(t, 6);
	for (int i = 0; i < 3; i++)
		ww_destroy_workqueue(wq[i]);
	CHECK_SILENT();
}

struct heap_item {
	struct ww_work work;
	struct ww_workqueue *next; /* where it goes once more, or NULL */
	uint32_t *over;
};

HANDLER(run_moves_then_frees)
{
	struct heap_item *h = ww_container_of(work, struct heap_item, work);
	struct ww_workqueue *next = h->next;
	uint32_t *over = h->over;

	if (next) {
		h->next = NULL;
		/* From here on it is the other run's. */
		CHECK(ww_queue_work(next, work));
		return;
	}
	memset(h, 0xaa, sizeof(*h));
	free(h);
	ww_fetch_add(over, 1);
}

TEST_LIMIT(an_item_may_go_to_another_queue_from_its_function_and_be_freed_there, 60)
{
	struct ww_workqueue *a = ww_alloc_workqueue("first", WW_WQ_UNBOUND, 0);
	struct ww_workqueue *b = ww_alloc_ordered_workqueue("second", 0);
	uint32_t over = 0, n = 0;

	begin_for_ms(500);
	while (time_is_left()) {
		for (int i = 0; i < 50; i++, n++) {
			struct heap_item *h = calloc(1, sizeof(*h));

			ww_init_work(&h->work, run_moves_then_frees);
			h->next = n % 3 ? b : NULL;
			h->over = &over;
			CHECK(ww_queue_work(a, &h->work));
		}
		ww_flush_workqueue(a);
		ww_flush_workqueue(b);
		CHECK_EQ(ww_load_acquire(&over), n);
	}
	ww_destroy_workqueue(a);
	ww_destroy_workqueue(b);
}

/* ---- taking back what comes back ---- */

HANDLER(run_queues_itself)
{
	struct item *it = item_of(work);

	CHECK_EQ(ww_fetch_add(&it->running, 1), 0);
	ww_fetch_add(&it->runs, 1);
	ww_fetch_sub(&it->running, 1);
	ww_queue_work(it->wq, work);
}

static uint32_t stop_queueing;

static void queues_for_ever(void *arg)
{
	struct item *it = arg;

	while (!ww_load_relaxed(&stop_queueing))
		ww_queue_work(it->wq, &it->dwork.work);
}

/* Its function and two threads queue it again and again, while another takes it back. */
TEST_LIMIT(a_synchronous_cancel_ends_whoever_queues_meanwhile, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("again", WW_WQ_UNBOUND, 0);
	struct item it = {.wq = wq};
	struct ww_os_thread t[2];

	ww_init_work(&it.dwork.work, run_queues_itself);
	start_all(t, 2, queues_for_ever, &it);
	begin_for_ms(400);
	while (time_is_left())
		ww_cancel_work_sync(&it.dwork.work);
	/* Disabled it stays idle, whatever they do. */
	ww_disable_work_sync(&it.dwork.work);
	uint32_t runs = ww_load_relaxed(&it.runs);

	nap_us(3000);
	CHECK_EQ(ww_load_relaxed(&it.runs), runs);
	CHECK(runs > 0);
	ww_store_relaxed(&stop_queueing, 1u);
	join_all(t, 2);
	CHECK(ww_enable_work(&it.dwork.work));
	CHECK_EQ(ww_work_busy(&it.dwork.work), 0);
	ww_destroy_workqueue(wq);
}

static void disables_and_enables(void *arg)
{
	struct item *it = arg;

	while (time_is_left()) {
		ww_disable_work_sync(&it->dwork.work);
		uint32_t runs = ww_load_acquire(&it->runs);

		CHECK(!ww_queue_work(it->wq, &it->dwork.work));
		CHECK_EQ(ww_load_acquire(&it->runs), runs);
		ww_enable_and_queue_work(it->wq, &it->dwork.work);
	}
}

TEST_LIMIT(disables_of_several_threads_nest, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("nest", 0, 0);
	struct item it = {.wq = wq};
	struct ww_os_thread t[THREADS];

	ww_init_work(&it.dwork.work, run_counted);
	begin_for_ms(400);
	start_all(t, THREADS, disables_and_enables, &it);
	join_all(t, THREADS);
	ww_cancel_work_sync(&it.dwork.work);
	CHECK(it.runs > 0);
	/* As many enables as disables: it is queued again as before. */
	CHECK(ww_queue_work(wq, &it.dwork.work));
	ww_destroy_workqueue(wq);
}

/* ---- flushes ---- */

static struct item storm[6];

static void flushes_in_a_storm(void *arg)
{
	uint64_t rng = tap_seed() + (uintptr_t)&rng;
	struct ww_workqueue *wq = arg;

	while (time_is_left()) {
		struct item *it = &storm[tap_random(&rng) % 6];
		uint32_t runs = ww_load_acquire(&it->runs);

		switch (tap_random(&rng) % 4) {
		case 0:
			if (ww_queue_work(wq, &it->dwork.work)) {
				ww_flush_workqueue(wq);
				/* By that run, and it stays counted. */
				CHECK(ww_load_acquire(&it->runs) != runs);
			}
			break;
		case 1:
			if (ww_queue_work(wq, &it->dwork.work)) {
				ww_flush_work(&it->dwork.work);
				CHECK(ww_load_acquire(&it->runs) != runs);
			}
			break;
		case 2:
			ww_flush_workqueue(wq);
			break;
		default:
			ww_queue_work(wq, &it->dwork.work);
		}
	}
}

TEST_LIMIT(a_storm_of_flushes_ends_and_each_saw_what_came_before_it, 60)
{
	struct ww_workqueue *wq[2] = {ww_alloc_workqueue("storm", WW_WQ_UNBOUND, 2),
				      ww_alloc_ordered_workqueue("storm in order", 0)};
	struct ww_workqueue_stats s;
	struct ww_os_thread t[8];

	for (int q = 0; q < 2; q++) {
		for (int i = 0; i < 6; i++)
			ww_init_work(&storm[i].dwork.work, run_counted);
		begin_for_ms(400);
		start_all(t, 8, flushes_in_a_storm, wq[q]);
		join_all(t, 8);
		ww_flush_workqueue(wq[q]);
		ww_workqueue_get_stats(wq[q], &s);
		CHECK_EQ(s.in_flight, 0);
		CHECK_EQ(s.started, s.completed);
		ww_destroy_workqueue(wq[q]);
	}
}

static struct ww_workqueue *drained;
static uint32_t chained;

HANDLER(run_chains_some)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->runs, 1);
	if (it->runs % 5 && ww_queue_work(drained, work))
		ww_fetch_add(&chained, 1);
}

static void drains(void *arg)
{
	(void)arg;
	while (time_is_left())
		ww_drain_workqueue(drained);
}

TEST_LIMIT(drains_of_several_threads_end_while_items_chain_and_others_queue, 60)
{
	static struct item it[4];
	struct ww_os_thread t[THREADS];
	uint32_t accepted = 0, runs = 0;

	drained = ww_alloc_workqueue("drained", WW_WQ_UNBOUND, 0);
	for (int i = 0; i < 4; i++)
		ww_init_work(&it[i].dwork.work, run_chains_some);
	begin_for_ms(400);
	start_all(t, THREADS, drains, NULL);
	for (unsigned i = 0; time_is_left(); i++)
		accepted += ww_queue_work(drained, &it[i % 4].dwork.work);
	join_all(t, THREADS);
	ww_drain_workqueue(drained);
	for (int i = 0; i < 4; i++) {
		CHECK(!ww_work_pending(&it[i].dwork.work));
		runs += it[i].runs;
	}
	CHECK_EQ(runs, accepted + chained);
	CHECK(ww_queue_work(drained, &it[0].dwork.work)); /* open again */
	ww_destroy_workqueue(drained);
}

/* ---- limits and attributes that change under way ---- */

static struct ww_workqueue *changing;
static int at_once, most; /* since the limit was last known to be small */
static uint32_t ran;

HANDLER(run_counts_peak)
{
	int now = ww_fetch_add(&at_once, 1) + 1, was = ww_load_relaxed(&most);

	(void)work;
	while (now > was && !ww_cmpxchg(&most, &was, now))
		;
	ww_fetch_add(&ran, 1);
	nap_us(50);
	ww_fetch_sub(&at_once, 1);
}

static void queues_many(void *arg)
{
	struct item *it = arg;
	uint32_t *accepted = &it[0].running;

	for (unsigned i = 0; time_is_left(); i++)
		if (ww_queue_work(changing, &it[i % 16].dwork.work))
			ww_fetch_add(accepted, 1);
		else
			ww_os_yield();
}

static void change_limits(bool attrs_too)
{
	struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();
	static struct item it[16];
	struct ww_os_thread t[2];

	changing = ww_alloc_workqueue("changing", WW_WQ_UNBOUND, 8);
	for (int i = 0; i < 16; i++)
		ww_init_work(&it[i].dwork.work, run_counts_peak);
	begin_for_ms(600);
	start_all(t, 2, queues_many, it);
	for (unsigned i = 0; time_is_left(); i++) {
		if (attrs_too && i % 8 == 0) {
			attrs->scope = i % 16 ? WW_WQ_SCOPE_CPU : WW_WQ_SCOPE_SYSTEM;
			CHECK_EQ(ww_apply_workqueue_attrs(changing, attrs), 0);
		}
		ww_workqueue_set_max_active(changing, 8);
		nap_us(300);
		ww_workqueue_set_max_active(changing, 2);
		if (i % 4)
			continue;
		/* What ran when the limit fell is over; from now on it holds. */
		ww_flush_workqueue(changing);
		ww_store_seq_cst(&most, 0);
		nap_us(1000);
		CHECK_MSG(ww_load_seq_cst(&most) <= 2, "%d ran at once, 2 allowed", most);
	}
	join_all(t, 2);
	ww_flush_workqueue(changing);
	CHECK_EQ(ran, it[0].running);
	CHECK_EQ(ww_debug_check(), 0);
	ww_destroy_workqueue(changing);
	ww_free_workqueue_attrs(attrs);
}

TEST_LIMIT(a_limit_that_changes_while_items_run_loses_none_and_holds_when_it_fell, 60)
{
	change_limits(false);
}

TEST_LIMIT(attributes_that_change_while_items_run_lose_none, 60)
{
	change_limits(true);
}

/* Attributes that it had before cost nothing but a table. */
TEST_LIMIT(attributes_that_go_to_and_fro_make_the_queue_no_bigger, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("to and fro", WW_WQ_UNBOUND, 0);
	struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++) {
		struct item it = {0};

		attrs->scope = (enum ww_wq_scope)(i % 3);
		CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), 0);
		ww_init_work(&it.dwork.work, run_counted);
		CHECK(ww_queue_work(wq, &it.dwork.work));
		ww_flush_work(&it.dwork.work);
		CHECK_EQ(it.runs, 1);
		if (i == 2)
			n = wq->npwq;
	}
	CHECK_EQ(wq->npwq, n);
	ww_free_workqueue_attrs(attrs);
	ww_destroy_workqueue(wq);
}

TEST(attributes_given_while_the_freezer_is_on_let_nothing_through)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("cold", WW_WQ_UNBOUND | WW_WQ_FREEZABLE, 0);
	struct ww_workqueue_attrs *attrs = ww_alloc_workqueue_attrs();
	struct item it = {0};

	CHECK_EQ(ww_freeze_threads(WW_MAX_TIMEOUT), 0);
	attrs->scope = WW_WQ_SCOPE_CPU;
	CHECK_EQ(ww_apply_workqueue_attrs(wq, attrs), 0);
	ww_init_work(&it.dwork.work, run_counted);
	CHECK(ww_queue_work(wq, &it.dwork.work));
	nap_us(20000);
	CHECK_EQ(ww_load_acquire(&it.runs), 0);
	ww_thaw_threads();
	await(&it.runs, 1);
	ww_free_workqueue_attrs(attrs);
	ww_destroy_workqueue(wq);
}

/* ---- queues that come and go ---- */

static void looks_on(const struct ww_work_view *view, void *arg)
{
	/* Its name is there: a queue that is gone would show 0xaa or worse. */
	*(size_t *)arg += strlen(view->queue);
	CHECK(view->queue[0] == 'w' || view->queue[0] == 'e' || view->queue[0] == 'h');
}

static void walks(void *arg)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t letters = 0;

	(void)arg;
	while (time_is_left()) {
		ww_work_for_each(looks_on, &letters);
		CHECK_EQ(ww_show_workqueues(null), 0);
		CHECK_EQ(ww_debug_check(), 0);
	}
	CHECK(letters > 0);
	close(null);
}

static void makes_and_destroys(void *arg)
{
	unsigned flags = (unsigned)(uintptr_t)arg;
	struct item it[4];

	while (time_is_left()) {
		struct ww_workqueue *wq = ww_alloc_workqueue("will go", flags, 2);

		CHECK(wq != NULL);
		for (int i = 0; i < 4; i++) {
			memset(&it[i], 0, sizeof(it[i]));
			ww_init_work(&it[i].dwork.work, run_counted);
			CHECK(ww_queue_work(wq, &it[i].dwork.work));
		}
		ww_destroy_workqueue(wq);
		for (int i = 0; i < 4; i++)
			CHECK_EQ(it[i].runs, 1);
	}
}

TEST_LIMIT(walks_while_queues_come_and_go_show_none_that_is_gone, 60)
{
	static const unsigned flags[] = {0, WW_WQ_UNBOUND, WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM};
	struct ww_os_thread t[3], w;

	ww_system_wq();
	begin_for_ms(800);
	start(&w, walks, NULL);
	for (int i = 0; i < 3; i++)
		start(&t[i], makes_and_destroys, (void *)(uintptr_t)flags[i]);
	join_all(t, 3);
	ww_os_thread_join(&w);
}

/* Each queue goes while its delayed works are armed, fire, run, or arm themselves. */
HANDLER(run_arms_itself)
{
	struct item *it = item_of(work);

	ww_fetch_add(&it->runs, 1);
	ww_queue_delayed_work(it->wq, &it->dwork, it->answer ? 0 : 1);
}

TEST_LIMIT(a_queue_may_go_at_any_moment_in_the_life_of_its_delayed_works, 60)
{
	uint64_t rng = tap_seed();
	unsigned rounds = 0;

	catch_reports();
	begin_for_ms(1000);
	while (time_is_left()) {
		struct ww_workqueue *wq = ww_alloc_workqueue("hour glass", WW_WQ_UNBOUND, 0);
		struct item *it = calloc(5, sizeof(*it));
		uint32_t runs = 0;

		for (int i = 0; i < 5; i++) {
			it[i].wq = wq;
			ww_init_delayed_work(&it[i].dwork, i % 2 ? run_arms_itself : run_counted);
			ww_mod_delayed_work(wq, &it[i].dwork, (uint64_t)i % 3);
			ww_queue_update_delayed_work(wq, &it[i].dwork, 1 + (uint64_t)i % 3);
		}
		nap_us((unsigned)(tap_random(&rng) % 4000));
		ww_destroy_workqueue(wq);
		for (int i = 0; i < 5; i++) {
			CHECK_EQ(ww_work_busy(&it[i].dwork.work), 0);
			runs += it[i].runs;
		}
		if (rounds++ % 16 == 0) {
			nap_us(4000); /* nothing fires later */
			for (int i = 0; i < 5; i++)
				runs -= it[i].runs;
			CHECK_EQ(runs, 0);
		}
		memset(it, 0xaa, 5 * sizeof(*it));
		free(it);
	}
	for (unsigned i = 0; i < nr_reports; i++)
		CHECK_MSG(strstr(reports[i], "delayed work"), "%s", reports[i]);
}

HANDLER(run_destroys_another_queue)
{
	struct item *it = item_of(work);

	ww_destroy_workqueue(it->wq);
	ww_fetch_add(&it->runs, 1);
}

TEST_LIMIT(a_function_may_make_and_destroy_other_queues, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("here", 0, 0);
	struct item it = {0}, there[3];

	catch_reports();
	for (int round = 0; round < 50; round++) {
		it.wq = ww_alloc_workqueue("there", round % 2 ? WW_WQ_UNBOUND : 0, 1);
		for (int i = 0; i < 3; i++) {
			memset(&there[i], 0, sizeof(there[i]));
			ww_init_work(&there[i].dwork.work, run_counted);
			ww_queue_work(it.wq, &there[i].dwork.work);
		}
		ww_init_work(&it.dwork.work, run_destroys_another_queue);
		CHECK(ww_queue_work(wq, &it.dwork.work));
		ww_flush_work(&it.dwork.work);
		for (int i = 0; i < 3; i++)
			CHECK_EQ(there[i].runs, 1);
	}
	CHECK_EQ(it.runs, 50);
	CHECK_SILENT();
	ww_destroy_workqueue(wq);
}

/* ---- handlers that take each other back ---- */

HANDLER(run_cancels_other)
{
	struct item *it = item_of(work);

	await(&it->other->running, 0);
	ww_fetch_add(&it->running, 1);
	await(&it->other->running, 1); /* both run */
	ww_cancel_work_sync(&it->other->dwork.work);
	ww_fetch_add(&it->runs, 1);
}

TEST(two_functions_that_take_each_other_back_are_reported_and_both_end)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("each other", WW_WQ_UNBOUND, 0);
	struct item a = {0}, b = {.other = &a};

	a.other = &b;
	catch_reports();
	ww_init_work(&a.dwork.work, run_cancels_other);
	ww_init_work(&b.dwork.work, run_cancels_other);
	ww_queue_work(wq, &a.dwork.work);
	ww_queue_work(wq, &b.dwork.work);
	await(&a.runs, 1);
	await(&b.runs, 1);
	CHECK_REPORTED("ww_cancel_work_sync", "run_cancels_other");
	ww_destroy_workqueue(wq);
}

/* ---- forks ---- */

static pid_t child;

/* Workers block all signals, and the child is one. */
static void end_after_s(unsigned s)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	alarm(s);
}

static void end_now(void)
{
	_exit(0); /* before a leak is looked for, by who knows nothing of the parent's threads */
}

HANDLER(run_forks_and_returns)
{
	struct item *it = item_of(work);
	pid_t pid = fork();

	if (!pid) {
		end_after_s(60);
		atexit(end_now);
		return; /* like any function of a thread that is alone: its process ends */
	}
	child = pid;
	ww_fetch_add(&it->runs, 1);
}

HANDLER(run_forks_and_works)
{
	struct item *it = item_of(work), fresh = {0};
	pid_t pid = fork();

	if (!pid) {
		end_after_s(60);
		CHECK(!ww_current_work());
		ww_init_work(&fresh.dwork.work, run_counted);
		for (uint32_t i = 1; i <= 20; i++) {
			CHECK(ww_queue_work(it->wq, &fresh.dwork.work));
			ww_flush_work(&fresh.dwork.work);
			CHECK_EQ(fresh.runs, i);
		}
		CHECK_EQ(ww_debug_check(), 0);
		ww_destroy_workqueue(it->wq);
		_exit(0);
	}
	child = pid;
	ww_fetch_add(&it->runs, 1);
}

static void fork_in(struct ww_workqueue *wq, ww_work_fn fn)
{
	struct item it[3] = {{.wq = wq}};
	int status;

	for (int i = 0; i < 3; i++) {
		ww_init_work(&it[i].dwork.work, i ? run_counted : fn);
		CHECK(ww_queue_work(wq, &it[i].dwork.work));
	}
	for (int i = 0; i < 3; i++)
		await(&it[i].runs, 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_MSG(WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with 0x%x", status);
	ww_flush_workqueue(wq);
}

TEST_LIMIT(a_function_may_fork_and_return_in_the_child_too, 60)
{
	struct ww_workqueue *wq[2] = {ww_alloc_workqueue("here", 0, 0),
				      ww_alloc_ordered_workqueue("in order", WW_WQ_MEM_RECLAIM)};

	SKIP_UNDER_TSAN("forks a process with threads");
	for (int i = 0; i < 4; i++)
		fork_in(wq[i % 2], run_forks_and_returns);
	ww_destroy_workqueue(wq[0]);
	ww_destroy_workqueue(wq[1]);
}

TEST_LIMIT(a_function_may_fork_and_its_child_use_the_queues, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("here", WW_WQ_UNBOUND, 0);

	SKIP_UNDER_TSAN("forks a process with threads");
	SKIP_UNDER_ASAN("its allocator does not survive a fork while others allocate");
	for (int i = 0; i < 4; i++)
		fork_in(wq, run_forks_and_works);
	ww_destroy_workqueue(wq);
}

HANDLER(run_rescued_forks)
{
	CHECK(ww_current_is_workqueue_rescuer());
	run_forks_and_works(work);
}

/* In the child the rescuer is a plain thread, and the queue gets another one. */
TEST_LIMIT(a_rescuer_may_fork_and_the_child_has_another, 60)
{
	struct ww_workqueue *wq = ww_alloc_workqueue("reclaim", WW_WQ_MEM_RECLAIM, 0);
	struct item block = {0}, it = {.wq = wq};
	int status;

	SKIP_UNDER_TSAN("forks a process with threads");
	SKIP_UNDER_ASAN("its allocator does not survive a fork while others allocate");
	catch_reports();
	CHECK_EQ(ww_workqueue_set_param("threads_max", 1), 0);
	ww_init_work(&block.dwork.work, run_gated);
	ww_queue_work_on(0, wq, &block.dwork.work);
	await(&block.running, 1);
	ww_init_work(&it.dwork.work, run_rescued_forks);
	ww_queue_work_on(0, wq, &it.dwork.work);
	await(&it.runs, 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_MSG(WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with 0x%x", status);
	open_gate(&block);
	ww_destroy_workqueue(wq);
}

/* Of which one is parked over max_active, one on its timer, and one behind the first. */
static void use_what_the_parent_left(struct ww_workqueue *wq, struct item *it)
{
	end_after_s(60);
	CHECK(!ww_queue_work(wq, &it[0].dwork.work));
	CHECK(!ww_cancel_work_sync(&it[0].dwork.work));
	CHECK_REPORTED("ww_cancel_work_sync: run_counted", "when the process forked");
	CHECK(!ww_cancel_delayed_work_sync(&it[1].dwork));
	CHECK_REPORTED("ww_cancel_delayed_work_sync: run_counted", "when the process forked");
	CHECK(!ww_flush_work(&it[2].dwork.work));
	CHECK_REPORTED("ww_flush_work: run_counted", "when the process forked");
	CHECK(!ww_mod_delayed_work(wq, &it[1].dwork, 1));
	nr_reports = 0;
	for (int i = 0; i < 3; i++) {
		ww_init_delayed_work(&it[i].dwork, run_counted);
		CHECK(ww_queue_delayed_work(wq, &it[i].dwork, (uint64_t)i));
		CHECK(ww_flush_delayed_work(&it[i].dwork) || it[i].runs);
		CHECK_EQ(it[i].runs, 1);
	}
	CHECK_EQ(ww_debug_check(), 0);
	ww_destroy_workqueue(wq);
	CHECK_SILENT();
	_exit(0);
}

TEST_LIMIT(a_child_of_a_fork_is_told_of_items_that_were_pending_in_its_parent, 60)
{
	struct ww_workqueue *wq = ww_alloc_ordered_workqueue("left", 0);
	struct item block = {0}, it[3] = {{.wq = wq}};
	int status;
	pid_t pid;

	SKIP_UNDER_TSAN("forks a process with threads");
	catch_reports();
	occupy(wq, &block);
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			ww_init_delayed_work(&it[i].dwork, run_counted);
		else
			ww_init_work(&it[i].dwork.work, run_counted);
		CHECK(i == 1 ? ww_queue_delayed_work(wq, &it[i].dwork, 1000000)
			     : ww_queue_work(wq, &it[i].dwork.work));
	}
	pid = fork();
	if (!pid)
		use_what_the_parent_left(wq, it);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_MSG(WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with 0x%x", status);
	/* And nothing of it has changed here. */
	CHECK(ww_cancel_work_sync(&it[0].dwork.work));
	CHECK(ww_cancel_delayed_work_sync(&it[1].dwork));
	open_gate(&block);
	CHECK(ww_flush_work(&it[2].dwork.work) || it[2].runs);
	CHECK_SILENT();
	ww_destroy_workqueue(wq);
}

/* ---- RCU works ---- */

struct heap_rcu {
	struct ww_rcu_work rwork;
	uint32_t *over;
};

HANDLER(run_frees_rcu)
{
	struct heap_rcu *h = ww_container_of(ww_to_rcu_work(work), struct heap_rcu, rwork);
	uint32_t *over = h->over;

	memset(h, 0xaa, sizeof(*h));
	free(h);
	ww_fetch_add(over, 1);
}

TEST_LIMIT(a_queue_that_goes_runs_the_rcu_works_that_were_queued_before, 60)
{
	catch_reports();
	for (int round = 0; round < 30; round++) {
		struct ww_workqueue *wq = ww_alloc_workqueue("here", WW_WQ_UNBOUND, 0);
		uint32_t over = 0;

		for (int i = 0; i < 4; i++) {
			struct heap_rcu *h = calloc(1, sizeof(*h));

			h->over = &over;
			ww_init_rcu_work(&h->rwork, run_frees_rcu);
			CHECK(ww_queue_rcu_work(wq, &h->rwork));
		}
		if (round % 2)
			nap_us(100u * (unsigned)round);
		ww_destroy_workqueue(wq);
		CHECK_EQ(over, 4);
	}
	CHECK_SILENT();
}
