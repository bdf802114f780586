/* SPDX-License-Identifier: MIT */
/* Which schedules the simulator tries. See sim.h. */
#include "base/sim_private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct sim_shared *sim_shared;

/* Of the child. */
static bool going;
static uint64_t rng;
static unsigned calm;	 /* random: a switch about every so many steps */
static unsigned urge;	 /* and a drain likewise */
static bool by_priority; /* or: who runs is whoever ranks first, and ranks change seldom */
static unsigned rank[64];
static unsigned lowest; /* rank given away; drawn ones are above all of these */

#define RANK_DRAWN (1u << 30)

static uint64_t next_random(void)
{
	uint64_t z = (rng += 0x9e3779b97f4a7c15u);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static bool warming_up;

void sim_go(void)
{
	going = !warming_up;
}

void sim_stop(void)
{
	going = false;
}

static void start_random(uint64_t seed)
{
	rng = seed;
	sim_shared->weak = !sim_shared->options.no_weak && next_random() % 2;
	calm = 2u << next_random() % 7;
	urge = 2u << next_random() % 8;
	by_priority = next_random() % 2;
	for (unsigned i = 0; i < 64; i++)
		rank[i] = RANK_DRAWN + (unsigned)(next_random() >> 34);
	lowest = RANK_DRAWN;
}

static int random_choice(const struct sim_option *o, int n, int runnable)
{
	int best = 0;

	if (!runnable || (runnable < n && next_random() % urge == 0))
		return runnable + (int)(next_random() % (unsigned)(n - runnable));
	if (!by_priority)
		return next_random() % calm == 0 ? (int)(next_random() % (unsigned)runnable) : 0;
	for (int i = 1; i < runnable; i++)
		if (rank[o[i].thread] > rank[o[best].thread])
			best = i;
	if (next_random() % (16 * calm) == 0)
		rank[o[best].thread] = RANK_DRAWN + (unsigned)(next_random() >> 35);
	return best;
}

/* Who waits in a loop ranks behind all others, or two such loops would keep out whom they wait for. */
void sim_yields(int thread)
{
	rank[thread] = --lowest;
}

int sim_choose(const struct sim_option *o, int n)
{
	struct sim_shared *s = sim_shared;
	int runnable = 0, c = 0;

	while (runnable < n && o[runnable].kind == SIM_RUN)
		runnable++;
	if (!going || n == 1)
		return 0;
	if (s->n == SIM_DECISIONS_MAX)
		sim_fail("too many decisions");
	if (s->n < s->fixed) {
		/* Where the library's state of rest differs a little this may be too much. */
		c = s->chosen[s->n++];
		return c < n ? c : 0;
	}
	if (s->random)
		c = random_choice(o, n, runnable);
	s->chosen[s->n] = (uint8_t)c;
	s->among[s->n] = (uint8_t)n;
	s->n++;
	s->digest = (s->digest ^
		     ((uint64_t)n << 16 | (uint64_t)o[c].kind << 8 | (uint64_t)o[c].thread)) *
		    0x100000001b3u;
	return c;
}

/* The next list of decisions within the bound; false: there is none. */
static bool next_schedule(unsigned bound)
{
	struct sim_shared *s = sim_shared;
	unsigned cost = 0;

	for (uint32_t i = 0; i < s->n; i++)
		cost += s->chosen[i] != 0;
	for (uint32_t i = s->n; i-- > 0;) {
		cost -= s->chosen[i] != 0;
		if (s->chosen[i] + 1 < s->among[i] && cost < bound) {
			s->chosen[i]++;
			s->fixed = i + 1;
			return true;
		}
	}
	return false;
}

#define RUNS_PER_CHILD 4000

static unsigned runs_here;

void sim_before(bool warm_up)
{
	struct sim_shared *s = sim_shared;

	warming_up = warm_up;
	going = false;
	if (warm_up)
		return;
	/* A loop that makes no step: by its CPU time, for the machine may be busy. */
	if (runs_here++ % 256 == 0)
		setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 60}, NULL);
	s->n = 0;
	s->trace = s->trace_run == s->runs + 1;
	s->weak = false;
	if (s->random)
		start_random(s->seed);
	s->weak |= s->options.all_weak;
}

/* On to the next schedule. */
bool sim_after(void)
{
	struct sim_shared *s = sim_shared;
	const struct sim_options *o = &s->options;

	going = false;
	s->runs++;
	if (s->n < s->fixed)
		s->n = s->fixed;
	if (s->n > s->longest)
		s->longest = s->n;
	if (!s->random) {
		bool enough = o->schedules && s->runs >= o->schedules,
		     more = next_schedule(o->bound);

		s->cut_short = enough && more;
		if (more && !enough && !s->trace)
			return runs_here < RUNS_PER_CHILD;
		s->random = true;
		s->fixed = 0;
		s->seed = o->seed - 1;
	} else {
		s->random_runs++;
	}
	s->seed++;
	s->finished = s->trace || s->random_runs >= o->random;
	return !s->finished && runs_here < RUNS_PER_CHILD;
}

/* A child that makes runs; false where one failed. */
static bool some_runs(void (*program)(void))
{
	int status;
	pid_t pid;

	sim_shared->error[0] = 0;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		sim_run(program);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("simulator");
		exit(2);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (!sim_shared->error[0] && WIFSIGNALED(status))
		snprintf(sim_shared->error, sizeof(sim_shared->error), "ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (!sim_shared->error[0])
		snprintf(sim_shared->error, sizeof(sim_shared->error), "exit status %d",
			 WEXITSTATUS(status));
	return false;
}

static void begin(const struct sim_options *o)
{
	if (!sim_shared) {
		sim_shared = mmap(NULL, sizeof(*sim_shared), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (sim_shared == MAP_FAILED) {
			perror("simulator");
			exit(2);
		}
	}
	memset(sim_shared, 0, offsetof(struct sim_shared, chosen));
	sim_shared->options = *o;
}

static struct sim_result all_runs(void (*program)(void))
{
	struct sim_result r = {0};

	while (!sim_shared->finished)
		if (!some_runs(program)) {
			sim_shared->runs++;
			memcpy(r.error, sim_shared->error, sizeof(r.error));
			break;
		}
	r.runs = sim_shared->runs;
	r.longest = sim_shared->longest;
	r.digest = sim_shared->digest;
	r.whole = !sim_shared->cut_short;
	return r;
}

struct sim_result sim_explore(void (*program)(void), const struct sim_options *o)
{
	begin(o);
	return all_runs(program);
}

struct sim_result sim_replay(void (*program)(void), const struct sim_options *o, uint64_t run)
{
	begin(o);
	sim_shared->trace_run = run;
	return all_runs(program);
}
