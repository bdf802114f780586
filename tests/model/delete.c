/* SPDX-License-Identifier: MIT */
/*
 * Synchronous delete by three loads (docs/memory-ordering.md, section Models).
 *
 * One timer whose callback arms itself again, two bases with a sweep each, a thread that moves the
 * timer from one base to the other while it is pending, and one or two that delete it and wait.
 * Only the callback arms the timer from idle, so when a delete has returned the timer must be idle
 * and its callback over, for good. Checked: no callback begins or touches memory after a delete
 * has returned; what the callback wrote is seen by the deleter; nobody waits for ever; every
 * arming is accounted for.
 *
 * Confirmed by the exploration: two loads in either order are not enough; the word needs its
 * generation (an idle word of one arming equals that of the next); the running timer is published
 * before the word leaves pending, and cleared after the callback's last access. And:
 *
 * 1. While its callback runs, a timer that is armed again stays on the base where it runs, whoever
 *    arms it (variant MOVES_WHILE_RUNNING): the three loads look at the base that the word names.
 * 2. The sleeper's announcement and the check for sleepers stand under the base lock, or need a
 *    full barrier on both sides (variant WAITERS_UNSEEN hangs).
 */
#include "model/models.h"

enum {
	W,
	R,
	LK = R + 2,
	DATA = LK + 2,
	WAITERS,
	SEQ = WAITERS + 2,
	ASLEEP = SEQ + 2,
	VARS = ASLEEP + 4
};

static const char *const var_names[VARS] = {
	"word",	    "running0", "running1", "lock0",   "lock1",	  "data",    "waiters0",
	"waiters1", "seq0",	"seq1",	    "asleep0", "asleep1", "asleep2", "asleep3",
};

#define PENDING 0x80
#define BASE(w) ((w) >> 6 & 1)
#define ON(b)	((b) << 6)
#define NEXT(w) (m->bug == NO_GENERATION ? 0 : ((w) + 1) & 0x0f)

enum { G_GONE, G_RUNNING, G_RUNS, G_DELETED, G_ARMED, G_REARMS };

struct scenario {
	int rearms; /* how often the callback arms itself again */
	int moves;  /* the mover acts */
	int move_in_callback;
	int deleters;
};

static const struct scenario *scenario(const struct m *m)
{
	return (const struct scenario *)m->cfg;
}

static void init(struct m *m)
{
	m->s.mem[W] = PENDING;
	m->s.ghost[G_ARMED] = 1;
	m->s.ghost[G_REARMS] = (uint8_t)scenario(m)->rearms;
}

#define w     (t->reg[0])
#define x     (t->reg[1])
#define w2    (t->reg[2])
#define turn  (t->reg[3])
#define wake  (t->reg[4])
#define seq   (t->reg[5])
#define found (t->reg[6])

/* A base: threads 0 and 1. */
static void sweep(struct m *m, struct m_thread *t)
{
	const struct scenario *c = scenario(m);
	int base = m->self;

	M_BEGIN;
	for (turn = 0; turn <= c->rearms && (base == 0 || c->moves || c->move_in_callback);
	     turn++) {
		LOCK(LK + base);
		LOAD(w, W);
		if (!(w & PENDING) || BASE(w) != base) {
			UNLOCK(LK + base);
			continue;
		}
		if (m->bug == RUNNING_AFTER_PENDING)
			STORE(W, ON(base) | NEXT(w));
		STORE(R + base, 1);
		if (m->bug != RUNNING_AFTER_PENDING)
			STORE(W, ON(base) | NEXT(w));
		UNLOCK(LK + base);

		M_WHEN(true);
		M_ASSERT(!m->s.ghost[G_GONE], "the callback began after a delete had returned");
		M_ASSERT(!m->s.ghost[G_RUNNING], "the callback runs twice at once");
		m->s.ghost[G_RUNNING] = 1;
		m->s.ghost[G_RUNS]++;
		LOAD(x, DATA);
		STORE(DATA, x + 1);
		if (m->bug == RUNNING_CLEARED_EARLY)
			STORE(R + base, 0);
		if (m->s.ghost[G_REARMS]) {
			m->s.ghost[G_REARMS]--;
			/* The base it runs on, and stays on. */
			LOCK(LK + base);
			LOAD(w, W);
			if (!(w & PENDING)) {
				m->s.ghost[G_ARMED]++;
				if (c->move_in_callback && m->bug == MOVES_WHILE_RUNNING)
					STORE(W, PENDING | ON(1 - base) | NEXT(w));
				else
					STORE(W, PENDING | ON(base) | NEXT(w));
			}
			UNLOCK(LK + base);
		}
		M_WHEN(true);
		M_ASSERT(!m->s.ghost[G_GONE], "the callback still ran after a delete had returned");
		m->s.ghost[G_RUNNING] = 0;

		if (m->bug == WAITERS_UNSEEN) {
			STORE(R + base, 0);
			LOAD(wake, WAITERS + base);
		} else {
			LOCK(LK + base);
			STORE(R + base, 0);
			LOAD(wake, WAITERS + base);
		}
		if (wake) {
			STORE(WAITERS + base, 0);
			LOAD(seq, SEQ + base);
			STORE(SEQ + base, seq + 1);
		}
		if (m->bug != WAITERS_UNSEEN)
			UNLOCK(LK + base);
		if (wake) {
			M_WHEN(t->nbuf == 0);
			for (int i = 0; i < M_THREADS; i++)
				m->s.mem[ASLEEP + i] = 0;
		}
	}
	M_END;
}

static void delete_sync(struct m *m, struct m_thread *t)
{
	M_BEGIN;
	if (m->self - 2 >= scenario(m)->deleters)
		goto out;
	M_WHEN(true);
	found = 0;
	if (m->bug == TWO_LOADS_RUNNING_FIRST) {
		LOAD(x, R);
		LOAD(w, W);
		if (!(w & PENDING) && !x)
			goto done;
	}
	for (;;) {
		LOAD(w, W);
		if (!(w & PENDING)) {
			LOAD(x, R + BASE(w));
			w2 = w;
			if (m->bug != TWO_LOADS_WORD_FIRST)
				LOAD(w2, W);
			if (w2 == w && !x)
				goto done;
		}
		turn = (uint8_t)BASE(w);
		LOCK(LK + turn);
		LOAD(w, W);
		if (BASE(w) != turn) {
			UNLOCK(LK + turn);
			continue;
		}
		LOAD(x, R + turn);
		if (!x && w & PENDING) {
			found = 1;
			m->s.ghost[G_DELETED]++;
			STORE(W, ON(turn) | NEXT(w));
		}
		if (!x) {
			UNLOCK(LK + turn);
			break;
		}
		LOAD(seq, SEQ + turn);
		if (m->bug == WAITERS_UNSEEN) {
			UNLOCK(LK + turn);
			STORE(WAITERS + turn, 1);
			LOAD(x, R + turn);
			if (!x)
				continue;
		} else {
			STORE(WAITERS + turn, 1);
			UNLOCK(LK + turn);
		}
		/* The futex: compares and sleeps at once. */
		M_WHEN(t->nbuf == 0);
		if (m->s.mem[SEQ + turn] == seq)
			m->s.mem[ASLEEP + m->self] = 1;
		M_WHEN(!m->s.mem[ASLEEP + m->self]);
	}
done:
	LOAD(x, DATA);
	M_ASSERT(x == m->s.ghost[G_RUNS], "the deleter misses what the callback wrote");
	m->s.ghost[G_GONE] = 1;
	M_ASSERT(!m->s.ghost[G_RUNNING], "a delete returned while the callback ran");
out:
	M_END;
}

/* The caller of a mod_timer_pending() on the other base's CPU, or a second deleter. */
static void move(struct m *m, struct m_thread *t)
{
	const struct scenario *c = scenario(m);

	if (c->deleters == 2) {
		delete_sync(m, t);
		return;
	}
	M_BEGIN;
	for (turn = 0; turn < c->moves; turn++) {
		LOCK(LK);
		LOCK(LK + 1);
		LOAD(w, W);
		LOAD(x, R + BASE(w));
		if (w & PENDING && (!x || m->bug == MOVES_WHILE_RUNNING))
			STORE(W, PENDING | ON(1 - BASE(w)) | NEXT(w));
		UNLOCK(LK + 1);
		UNLOCK(LK);
	}
	M_END;
}

static void final(struct m *m)
{
	const uint8_t *g = m->s.ghost;
	bool pending = m->s.mem[W] & PENDING;

	M_ACCOUNT(g[G_ARMED], g[G_RUNS], g[G_DELETED], pending);
	M_ASSERT(!pending, "pending after a delete had returned");
}

static const struct m_model model = {
	.name = "delete",
	.threads = 4,
	.fn = {sweep, sweep, delete_sync, move},
	.thread_names = {"base0", "base1", "deleter", "other"},
	.var_names = var_names,
	.init = init,
	.final = final,
};

#define SCENARIO(text, ...)                                                                        \
	{                                                                                          \
		&model, text, (const int *)&(const struct scenario){__VA_ARGS__}, false, false     \
	}

const struct m_scenario m_delete_scenarios[] = {
	SCENARIO("a callback that runs once", .deleters = 1),
	SCENARIO("a callback that arms itself again", .rearms = 1, .deleters = 1),
	SCENARIO("a callback that arms itself again, twice", .rearms = 2, .deleters = 1),
	SCENARIO("two deleters", .rearms = 1, .deleters = 2),
	SCENARIO("another thread moves it to the other base", .rearms = 1, .moves = 1,
		 .deleters = 1),
	SCENARIO("it arms itself for the other base", .rearms = 1, .move_in_callback = 1,
		 .deleters = 1),
	{0},
};
