/* SPDX-License-Identifier: MIT */
/*
 * What comes and goes: queues, workers of one's own, works behind a grace period, all in memory
 * that is freed as soon as that is allowed.
 */
#include "torture.h"

#include <sys/mman.h>

/* --- Queues made, filled, drained and destroyed. --- */

#define BRIEF 6

struct brief {
	struct ww_delayed_work dwork;
	struct ww_workqueue *wq;
	struct ww_completion *tell;
	uint64_t accepted, runs, cancelled, again;
};

static void brief_ran(struct ww_work *work)
{
	struct brief *b = ww_container_of(work, struct brief, dwork.work);

	COUNT(b->runs);
	/* A draining queue takes what its own items queue. */
	if (b->again) {
		b->again--;
		if (ww_queue_work(b->wq, work))
			COUNT(b->accepted);
	}
	if (b->tell)
		ww_complete(b->tell);
}

static struct ww_workqueue *random_queue(uint64_t *rng)
{
	static const unsigned flags[] = {0,
					 WW_WQ_UNBOUND,
					 WW_WQ_UNBOUND | WW_WQ_MEM_RECLAIM,
					 WW_WQ_HIGHPRI,
					 WW_WQ_CPU_INTENSIVE,
					 WW_WQ_MEM_RECLAIM};

	if (tap_random(rng) % 4 == 0)
		return ww_alloc_ordered_workqueue("brief",
						  tap_random(rng) % 2 ? WW_WQ_MEM_RECLAIM : 0);
	return ww_alloc_workqueue("brief", flags[tap_random(rng) % 6], (int)(tap_random(rng) % 4));
}

static void use_brief(struct brief *b, uint64_t *rng)
{
	for (unsigned n = tap_random(rng) % 24; n; n--) {
		struct brief *one = &b[tap_random(rng) % BRIEF];

		switch (tap_random(rng) % 6) {
		case 0:
			if (ww_cancel_delayed_work_sync(&one->dwork))
				COUNT(one->cancelled);
			break;
		case 1:
			if (ww_queue_delayed_work(one->wq, &one->dwork, tap_random(rng) % 3))
				COUNT(one->accepted);
			break;
		case 2:
			if (!ww_mod_delayed_work(one->wq, &one->dwork, tap_random(rng) % 3))
				COUNT(one->accepted);
			break;
		default:
			if (ww_queue_work(one->wq, &one->dwork.work))
				COUNT(one->accepted);
		}
	}
}

static void queues_act(uint64_t *rng)
{
	struct ww_workqueue *wq = random_queue(rng);
	struct brief *b = calloc(BRIEF, sizeof(*b));
	struct ww_completion done;
	bool asked = tap_random(rng) % 2;

	CHECK(wq && b);
	ww_init_completion(&done);
	for (int i = 0; i < BRIEF; i++) {
		ww_init_delayed_work(&b[i].dwork, brief_ran);
		b[i].wq = wq;
		b[i].again = tap_random(rng) % 3;
	}
	use_brief(b, rng);
	if (asked) {
		/* Gone from this stack as soon as it has been completed. */
		if (ww_cancel_delayed_work_sync(&b[0].dwork))
			b[0].cancelled++;
		b[0].tell = &done;
		b[0].again = 0;
		CHECK(ww_queue_work(wq, &b[0].dwork.work));
		b[0].accepted++;
		ww_wait_for_completion(&done);
	}
	for (int i = 0; i < BRIEF; i++)
		ww_flush_delayed_work(&b[i].dwork);
	if (tap_random(rng) % 2)
		ww_drain_workqueue(wq);
	ww_destroy_workqueue(wq);
	for (int i = 0; i < BRIEF; i++)
		CHECK_MSG(b[i].accepted == b[i].runs + b[i].cancelled,
			  "brief item %d: accepted %" PRIu64 ", ran %" PRIu64
			  ", taken back %" PRIu64,
			  i, b[i].accepted, b[i].runs, b[i].cancelled);
	memset(b, 0xa5, BRIEF * sizeof(*b));
	free(b);
}

static void queues_settle(void)
{
	int fd = memfd_create("shown", MFD_CLOEXEC);

	CHECK_EQ(ww_show_workqueues(fd), 0);
	close(fd);
}

struct torture_area torture_queues = {
	.name = "queues", .weight = 10, .act = queues_act, .settle = queues_settle};

/* --- A published record, replaced while others read it. --- */

#define ALIVE 0x600dcafeu
#define CELLS 4

struct record {
	struct ww_rcu_work rcu;
	uint32_t magic;
};

static struct record *cells[CELLS];
static uint64_t replaced, freed;

static void record_goes(struct ww_work *work)
{
	struct record *r = ww_container_of(ww_to_rcu_work(work), struct record, rcu);

	CHECK_EQ(r->magic, ALIVE);
	ww_store_relaxed(&r->magic, 0u);
	free(r);
	COUNT(freed);
}

static void replace(int cell)
{
	struct record *r = calloc(1, sizeof(*r)), *old;

	CHECK(r);
	r->magic = ALIVE;
	ww_init_rcu_work(&r->rcu, record_goes);
	old = ww_xchg(&cells[cell], r);
	if (old) {
		COUNT(replaced);
		CHECK(ww_queue_rcu_work(ww_system_wq(), &old->rcu));
	}
}

static void rcu_act(uint64_t *rng)
{
	int cell = (int)(tap_random(rng) % CELLS);
	struct record *r;

	if (tap_random(rng) % 4 == 0) {
		replace(cell);
		return;
	}
	ww_rcu_read_lock();
	r = ww_load_acquire(&cells[cell]);
	if (r) {
		CHECK_EQ(ww_load_relaxed(&r->magic), ALIVE);
		if (tap_random(rng) % 8 == 0)
			torture_sleep_us(100);
		CHECK_EQ(ww_load_relaxed(&r->magic), ALIVE);
	}
	ww_rcu_read_unlock();
}

static void rcu_settle(void)
{
	TORTURE_UNTIL(GET(freed) == GET(replaced), "every record that was replaced goes");
}

static void rcu_end(void)
{
	for (int i = 0; i < CELLS; i++)
		free(cells[i]);
}

struct torture_area torture_rcu = {
	.name = "rcu", .weight = 20, .act = rcu_act, .settle = rcu_settle, .end = rcu_end};

/* --- Workers of one's own. --- */

struct job {
	struct ww_worker_delayed_work dwork;
	uint64_t accepted, runs, cancelled;
};

static void job_ran(struct ww_worker_work *work)
{
	struct job *j = ww_container_of(ww_to_worker_delayed_work(work), struct job, dwork);

	COUNT(j->runs);
}

static void use_jobs(struct ww_worker *w, struct job *j, uint64_t *rng)
{
	for (unsigned n = tap_random(rng) % 24; n; n--) {
		struct job *one = &j[tap_random(rng) % BRIEF];

		switch (tap_random(rng) % 6) {
		case 0:
			if (ww_worker_cancel_delayed_work_sync(&one->dwork))
				COUNT(one->cancelled);
			break;
		case 1:
			if (!ww_worker_mod_delayed_work(w, &one->dwork, tap_random(rng) % 3))
				COUNT(one->accepted);
			break;
		case 2:
			ww_worker_flush_work(&one->dwork.work);
			break;
		case 3:
			ww_worker_flush(w);
			break;
		default:
			if (ww_worker_queue_delayed_work(w, &one->dwork, tap_random(rng) % 2))
				COUNT(one->accepted);
		}
	}
}

static void workers_act(uint64_t *rng)
{
	struct ww_worker *w = tap_random(rng) % 2 ? ww_worker_run(0, "torture worker")
						  : ww_worker_run_on_cpu(0, 0, "torture/%u");
	struct job *j = calloc(BRIEF, sizeof(*j));

	CHECK(w && j);
	for (int i = 0; i < BRIEF; i++)
		ww_worker_init_delayed_work(&j[i].dwork, job_ran);
	use_jobs(w, j, rng);
	for (int i = 0; i < BRIEF; i++)
		if (ww_worker_cancel_delayed_work_sync(&j[i].dwork))
			j[i].cancelled++;
	ww_worker_destroy(w);
	for (int i = 0; i < BRIEF; i++)
		CHECK_MSG(j[i].accepted == j[i].runs + j[i].cancelled,
			  "job %d: accepted %" PRIu64 ", ran %" PRIu64 ", taken back %" PRIu64, i,
			  j[i].accepted, j[i].runs, j[i].cancelled);
	memset(j, 0x5a, BRIEF * sizeof(*j));
	free(j);
}

struct torture_area torture_workers = {.name = "workers", .weight = 10, .act = workers_act};
