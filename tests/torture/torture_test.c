/* SPDX-License-Identifier: MIT */
/*
 * Everything at once. Actors make random calls on every kind of object while the process forks, gets
 * signals, is moved between CPUs and has its clock held back. At random times ("stutter") all of them
 * stand still, the accounts are closed, and they begin again in one moment. WW_TORTURE_MIXED_S (5) says
 * for how many seconds, WW_TEST_SEED repeats the random choices, WW_TORTURE_AREAS takes some areas only.
 */
#include "torture.h"

#include <errno.h>
#include <time.h>

#include "base/futex.h"

#define ACTORS 6

uint32_t torture_calm;

static struct torture_area *const areas[] = {
	&torture_timers,     &torture_early,   &torture_bases,	    &torture_works,
	&torture_queues,     &torture_rcu,     &torture_workers,    &torture_threads,
	&torture_waits,	     &torture_freezer, &torture_process[0], &torture_process[1],
	&torture_process[2], &torture_forks,
};
#define AREAS ((int)(sizeof(areas) / sizeof(*areas)))

static unsigned weights;
static bool over;
static uint32_t standing, go; /* actors that stand still; go is odd while they must */
static struct actor {
	pthread_t thread;
	const char *in; /* the area it is in, for a report of a hang */
} actors[ACTORS];

void torture_sleep_us(unsigned us)
{
	struct timespec ts = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};

	nanosleep(&ts, NULL);
}

uint64_t *torture_rng(void)
{
	static __thread uint64_t state;
	static uint64_t threads;

	if (!state)
		state = tap_seed() ^ (ww_fetch_add_relaxed(&threads, 1u) + 1) * 0x9e3779b97f4a7c15u;
	return &state;
}

/* Only what one should know (a callback that took long) may be reported; told where a check fails. */
static char warned[512];

static void on_report(enum ww_report_kind kind, const char *line)
{
	if (kind == WW_REPORT_MISUSE)
		tap_fail(__FILE__, __LINE__, "reported: %s", line);
	snprintf(warned, sizeof(warned), "%s", line);
}

static void check_everything(void)
{
	int faults = ww_debug_check();

	CHECK_MSG(!faults, "ww_debug_check() is %d; the last warning: %s", faults, warned);
}

static struct torture_area *choose(uint64_t *rng)
{
	unsigned n = (unsigned)(tap_random(rng) % weights);
	int i = 0;

	while (n >= areas[i]->weight)
		n -= areas[i++]->weight;
	return areas[i];
}

static void stand_still(void)
{
	uint32_t g = ww_load_acquire(&go);

	if (!(g & 1))
		return;
	ww_fetch_add(&standing, 1u);
	while (ww_load_acquire(&go) == g)
		ww_futex_wait(&go, g, WW_FOREVER);
	ww_fetch_sub(&standing, 1u);
}

static void note_time(struct torture_area *a, uint64_t ms)
{
	uint64_t was = ww_load_relaxed(&a->longest_ms);

	while (ms > was && !ww_cmpxchg(&a->longest_ms, &was, ms))
		;
}

static void *act(void *arg)
{
	struct actor *me = arg;
	uint64_t rng = tap_seed() + (uint64_t)(me - actors) * 7919;

	while (!ww_load_relaxed(&over)) {
		struct torture_area *a = choose(&rng);

		stand_still();
		if (a->alone && ww_xchg(&a->busy, 1u))
			continue;
		uint64_t begun = torture_now_ms();

		ww_store_relaxed(&me->in, a->name);
		a->act(&rng);
		note_time(a, torture_now_ms() - begun);
		ww_store_relaxed(&me->in, "between");
		COUNT(a->acts);
		if (a->alone)
			ww_store_release(&a->busy, 0u);
	}
	return NULL;
}

/* A minute is a hang: then what each was about. */
static void wait_for_standing(void)
{
	uint64_t end = torture_now_ms() + 60000;
	char in[256] = "";

	while (ww_load_acquire(&standing) < ACTORS) {
		if (torture_now_ms() > end) {
			for (int i = 0; i < ACTORS; i++)
				snprintf(in + strlen(in), sizeof(in) - strlen(in), " %s",
					 ww_load_relaxed(&actors[i].in));
			ww_show_workqueues(STDOUT_FILENO);
			tap_fail(__FILE__, __LINE__, "actors hang; they are in:%s", in);
		}
		torture_sleep_us(200);
	}
}

static const char *settling;
static int minutes;

/* A minute in which the process had next to no CPU time is a hang; else others may have had the CPUs. */
static void settling_hangs(int sig)
{
	static clock_t before;
	clock_t now = clock(); /* NOLINT(bugprone-signal-handler): glibc's is one system call */

	(void)sig;
	if (now - before > CLOCKS_PER_SEC && minutes++ < 5) {
		before = now;
		alarm(60);
		return;
	}
	/* NOLINTNEXTLINE(bugprone-signal-handler): it ends the process, which hangs already */
	tap_fail(__FILE__, __LINE__, "minutes passed, and these did not come to rest: %s",
		 settling);
}

static void close_accounts(void)
{
	minutes = 0;
	alarm(60);
	ww_store_release(&torture_calm, 1u);
	for (int i = 0; i < AREAS; i++)
		if (areas[i]->weight && areas[i]->settle) {
			uint64_t begun = torture_now_ms();

			settling = areas[i]->name;
			areas[i]->settle();
			begun = torture_now_ms() - begun;
			if (begun > areas[i]->settle_ms)
				areas[i]->settle_ms = begun;
		}
	alarm(0);
	check_everything();
	ww_store_release(&torture_calm, 0u);
}

static void choose_areas(void)
{
	const char *only = getenv("WW_TORTURE_AREAS");

	for (int i = 0; i < AREAS; i++) {
		if (only && !strstr(only, areas[i]->name))
			areas[i]->weight = 0;
		weights += areas[i]->weight;
	}
	CHECK_MSG(weights, "WW_TORTURE_AREAS names none");
}

static void tell(unsigned pauses)
{
	char line[512] = "";
	struct ww_timer_stats s;

	for (int i = 0; i < AREAS; i++)
		if (areas[i]->acts)
			snprintf(line + strlen(line), sizeof(line) - strlen(line),
				 " %s %" PRIu64 " (%" PRIu64 "/%" PRIu64 ")", areas[i]->name,
				 areas[i]->acts, areas[i]->longest_ms, areas[i]->settle_ms);
	ww_timer_get_stats(-1, &s);
	tap_note("seed %" PRIu64 ": %u pauses; acts (longest/settling, ms):%s; %" PRIu64
		 " timers ran",
		 tap_seed(), pauses, line, s.fired);
}

/* They are for the actors: this thread's sleeps are not to be cut short. */
static void take_no_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

TEST_LIMIT(everything_at_once_and_every_account_closes, 7200)
{
	const char *s = getenv("WW_TORTURE_MIXED_S");
	uint64_t end = torture_now_ms() + (uint64_t)((s ? atof(s) : 5) * 1000);
	uint64_t rng = tap_seed() ^ 0x5707;
	unsigned pauses = 0;

	/* Both wraps come early: of the counter, and of its lower half. */
	CHECK_EQ(ww_clock_configure(tap_random(&rng) % 2 ? 10000 : 1000,
				    (tap_random(&rng) % 2 ? UINT64_MAX : UINT32_MAX) - 500),
		 0);
	ww_set_misuse_handler(on_report);
	signal(SIGALRM, settling_hangs);
	/* Workers come and go all the time; or they stay, and nothing that is lost is found again. */
	ww_workqueue_set_param("idle_timeout_ms", tap_random(&rng) % 2 ? 5 : 3600000);
	choose_areas();
	for (int i = 0; i < AREAS; i++)
		if (areas[i]->weight && areas[i]->begin)
			areas[i]->begin();
	for (int i = 0; i < ACTORS; i++)
		CHECK_EQ(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
	take_no_signals();
	do {
		torture_sleep_us((unsigned)(tap_random(&rng) % 400000));
		ww_fetch_add(&go, 1u);
		wait_for_standing();
		close_accounts();
		pauses++;
		if (torture_now_ms() >= end)
			ww_store_relaxed(&over, true);
		ww_fetch_add(&go, 1u);
		ww_futex_wake(&go, ACTORS);
		TORTURE_UNTIL(ww_load_acquire(&standing) == 0, "all actors go on");
	} while (!over);
	for (int i = 0; i < ACTORS; i++)
		pthread_join(actors[i].thread, NULL);
	close_accounts(); /* they did one more thing each */
	tell(pauses);
	for (int i = 0; i < AREAS; i++)
		if (areas[i]->weight && areas[i]->end)
			areas[i]->end();
	check_everything();
}
