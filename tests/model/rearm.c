/* SPDX-License-Identifier: MIT */
/*
 * Re-arming by a store, against the sweep (docs/memory-ordering.md, section Models).
 *
 * One timer on one base. Callers store an event and push the timer out without a lock; the sweep
 * raises its mark, issues one barrier, reads deadlines, and runs or re-files. Others delete, add
 * again and shut down under the lock. Checked in every state and at every end:
 *
 *	lost	each event that a caller stored before its call is seen by a run that follows,
 *		unless a delete that returned 1 (or a shutdown) took the timer away;
 *	count	times armed from idle = runs + deletes that returned 1 + still pending;
 *	early	a run at tick T is owed to a call that may have been the last one, with a deadline
 *	late	not after T, and the timer was not left pending by a sweep that came when the
 *		deadline was due and that call was over.
 *
 * "May have been the last": no other call that is over began after it was over. A call is over
 * when its stores have reached memory, which is the earliest that anybody could learn of it.
 *
 * What the exploration showed beyond the mechanism's first wording:
 *
 * 1. The new deadline must not be before the *filed bound*. "Not before the deadline that it has"
 *    alone does not do: a slow caller's late store can leave a deadline before the bound for as
 *    long as that caller does not run, and a second caller, comparing with that, returns 1 for a
 *    deadline that will be looked at only at the bound (variant ABOVE_DEADLINE_ONLY).
 * 2. A caller that has returned 1 may still hold its deadline in its store buffer when another
 *    thread deletes and adds the timer again under the lock; the store then lands on the new
 *    arming. So each arming under the lock keeps its deadline in a second word that only the
 *    lock's holder writes; whoever reads deadlines under the lock takes a stored one that is
 *    before the filed bound for stale and uses the locked one (variant NO_LOCKED_DEADLINE: fires
 *    at the bound, which is neither deadline).
 * 3. The mark is raised in every sweep, also where no barrier is needed: a timer may be opened to
 *    the store path while the sweep has let go of the lock (variant NO_MARK_WITHOUT_BARRIER).
 * 4. The loads stand in this order: mark, then word, then bound (variant MARK_LAST).
 */
#include "model/models.h"

#include <string.h>

enum {
	E,
	LOCKED_E,
	F,
	W,
	MARK,
	LK,
	CLK,
	EV,
	OVER = EV + 4,
	BEGUN = OVER + 4,
	BARRIERS,
	SHARE,
	VARS
};

static const char *const var_names[VARS] = {
	"expires", "locked_expires", "filed",  "word",	 "mark",	  "lock",
	"clk",	   "event0",	     "event1", "event2", "event3",	  "over0",
	"over1",   "over2",	     "over3",  "begun",	 "barriers_over", "share_lock",
};

/* The timer's word: state and a count of armings. */
#define PENDING 0x80
#define OPEN	0x40 /* has been re-armed by another thread: the sweep needs its barrier */
#define DEAD	0x20
#define NEXT(w) (((w) + 1) & 0x0f)
#define THE_END 20

/* ww_barrier_shared(): one that began after the look at the count. */
#define SHARED_BARRIER(mine, count)                                                                \
	LOCK(SHARE);                                                                               \
	LOAD(count, BARRIERS);                                                                     \
	if ((count) < (mine) + (m->bug == SHARES_A_BARRIER_THAT_BEGAN ? 0 : 1)) {                  \
		LOAD(count, BEGUN);                                                                \
		STORE(BEGUN, (count) + 1);                                                         \
		MEMBARRIER();                                                                      \
		RELEASE(BARRIERS, (count) + 1);                                                    \
	}                                                                                          \
	UNLOCK(SHARE)

/* Operations are numbered: 0 is the arming that the scenario starts with. */
#define OPS 5
enum {
	G_BEFORE = 0,	  /* [op]: operations that were over when it began */
	G_DEADLINE = OPS, /* [op]: its deadline; 0 for a delete or shutdown */
	G_LIVE = 2 * OPS, /* bits: begun and not known to have had no effect */
	G_SPENT,	  /* bits: can no longer account for a run */
	G_SEEN,		  /* bits: events that a run saw */
	G_KEPT,		  /* bits: armed under the lock after the removal */
	G_NOTHING,	  /* bits: found nothing to push out and did nothing */
	G_ARMED,
	G_RUNS,
	G_DELETED,
	G_SWEEP_OVER, /* bits: operations over when the sweep began */
};

struct scenario {
	int ticks; /* sweeps of ticks 1 to this, and one when all others have ended */
	int expires, filed;
	int open;	  /* the store path is open from the start */
	int push[2][2];	  /* per pusher, two deadlines; 0 for none */
	int pending_only; /* pushers use mod_timer_pending */
	int remover;	  /* what the remover does */
	int add;	  /* and the deadline with which it adds again, 0 for not */
	int rearm;	  /* the callback arms itself again, once, so many ticks later */
	int keep;	  /* a push under the lock keeps the filed bound where it can */
	int other;	  /* each sweep runs another timer's callback first */
	int shared;	  /* the sweep's barrier may be another base's, who makes so many */
	int exchange;	  /* from this tick's sweep on, to the next one's, stores are exchanges */
};
enum { NOTHING, DELETE, SHUTDOWN };

/* The mark's bits. */
#define SWEEPS	  1
#define EXCHANGES 2

static const struct scenario *scenario(const struct m *m)
{
	return (const struct scenario *)m->cfg;
}

static uint8_t over(const struct m *m)
{
	uint8_t bits = 1;

	for (int i = 1; i < OPS; i++)
		bits |= (uint8_t)(m->s.mem[OVER + i - 1] << i);
	return bits;
}

static void begin(struct m *m, int op, int deadline)
{
	m->s.ghost[G_BEFORE + op] = over(m);
	m->s.ghost[G_DEADLINE + op] = (uint8_t)deadline;
	m->s.ghost[G_LIVE] |= (uint8_t)(1 << op);
}

/* Operations that may have been the last one. */
static uint8_t last_ones(const struct m *m)
{
	uint8_t live = m->s.ghost[G_LIVE], done = over(m), bits = live;

	for (int j = 0; j < OPS; j++)
		if (live & done & 1 << j)
			bits &= (uint8_t)~m->s.ghost[G_BEFORE + j];
	return bits;
}

static void check_run(struct m *m, int tick)
{
	uint8_t may = last_ones(m) & (uint8_t)~m->s.ghost[G_SPENT];
	bool owed = false;

	for (int i = 0; i < OPS; i++)
		if (may & 1 << i && m->s.ghost[G_DEADLINE + i] &&
		    m->s.ghost[G_DEADLINE + i] <= tick)
			owed = true;
	M_ASSERT(owed, "a run at a tick that no call asked for (early, late, or after a delete)");
	m->s.ghost[G_SPENT] |= over(m);
	m->s.ghost[G_RUNS]++;
}

/* The sweep leaves the timer pending. */
static void check_left(struct m *m, int tick)
{
	uint8_t may = last_ones(m) & (uint8_t)~m->s.ghost[G_SPENT];
	uint8_t before = m->s.ghost[G_SWEEP_OVER];
	bool may_wait = false;

	for (int i = 0; i < OPS; i++) {
		if (!(may & 1 << i) || !m->s.ghost[G_DEADLINE + i])
			continue;
		if (m->s.ghost[G_DEADLINE + i] > tick || !(before & 1 << i))
			may_wait = true;
		else
			m->s.ghost[G_SPENT] |= (uint8_t)(1 << i);
	}
	M_ASSERT(may_wait, "a sweep left a timer pending that was due");
}

/* Where the wheel files a deadline: a bound after the tick, not after the deadline. */
static uint8_t bound(int expires, int tick)
{
	if (expires <= tick)
		return (uint8_t)(tick + 1);
	return (uint8_t)(expires == tick + 1 ? expires : expires - 1);
}

static void init(struct m *m)
{
	const struct scenario *c = scenario(m);

	m->s.mem[E] = m->s.mem[LOCKED_E] = (uint8_t)c->expires;
	m->s.mem[F] = (uint8_t)c->filed;
	m->s.mem[W] = PENDING | (c->open ? OPEN : 0);
	begin(m, 0, c->expires);
	m->s.ghost[G_BEFORE] = 0;
	m->s.ghost[G_ARMED] = 1;
}

/* The deadline as the lock's holder believes it. */
#define READ_DEADLINE(dst, tmp)                                                                    \
	LOAD(dst, E);                                                                              \
	if (m->bug != NO_LOCKED_DEADLINE) {                                                        \
		LOAD(tmp, F);                                                                      \
		if ((dst) < (tmp))                                                                 \
			LOAD(dst, LOCKED_E);                                                       \
	}

/* Files under the lock. */
#define FILE_AT(deadline, tmp)                                                                     \
	LOAD(tmp, CLK);                                                                            \
	STORE(E, deadline);                                                                        \
	STORE(LOCKED_E, deadline);                                                                 \
	STORE(F, bound(deadline, tmp))

#define op (t->reg[0])
#define new (t->reg[1])
#define w    (t->reg[2])
#define f    (t->reg[3])
#define e    (t->reg[4])
#define x    (t->reg[5])
#define ret  (t->reg[6])
#define turn (t->reg[7])

static void push(struct m *m, struct m_thread *t)
{
	const struct scenario *c = scenario(m);
	const int *deadlines = c->push[m->self - 1];

	M_BEGIN;
	for (turn = 0; turn < 2 && deadlines[turn]; turn++) {
		op = (uint8_t)(1 + 2 * (m->self - 1) + turn);
		new = (uint8_t)deadlines[turn];
		M_WHEN(true);
		begin(m, op, new);
		STORE(EV + op - 1, 1);
		ret = 2;
		LOAD(w, W);
		LOAD(f, F);
		LOAD(e, E);
		if ((w & (PENDING | OPEN)) == (PENDING | OPEN) &&
		    (new >= e || m->bug == MAY_MOVE_CLOSER) &&
		    (new >= f || m->bug == MAY_MOVE_CLOSER || m->bug == ABOVE_DEADLINE_ONLY)) {
			if (new != e)
				RELEASE(E, new);
			if (new == e && m->bug == EQUAL_UNCHECKED) {
				ret = 1;
				goto returned;
			}
			/* The compiler's fence; the sweep's barrier does the rest. */
			if (m->bug != NO_MARK_CHECK && m->bug != MARK_LAST) {
				LOAD(x, MARK);
				if (x)
					goto slow;
			}
			if (m->bug != NO_PENDING_CHECK) {
				LOAD(x, W);
				if (x != w)
					goto slow;
			}
			if (m->bug != NO_BOUND_CHECK) {
				LOAD(x, F);
				if (x != f)
					goto slow;
			}
			if (m->bug == MARK_LAST) {
				LOAD(x, MARK);
				if (x)
					goto slow;
			}
			ret = 1;
		}
	slow:
		if (ret == 2 && c->exchange) {
			LOAD(w, W);
			LOAD(e, E);
			LOAD(f, F);
			LOAD(x, MARK);
			if (x == EXCHANGES && (w & (PENDING | OPEN)) == (PENDING | OPEN) &&
			    new >= e &&new >= f) {
				if (m->bug == EXCHANGE_BY_STORE)
					STORE(E, new);
				else
					XCHG(x, E, new);
				LOAD(x, MARK);
				if (x == EXCHANGES || m->bug == EXCHANGE_UNCHECKED) {
					LOAD(x, W);
					if (x == w)
						ret = 1;
				}
			}
		}
		if (ret == 2) {
			LOCK(LK);
			LOAD(w, W);
			ret = w & PENDING ? 1 : 0;
			if (w & DEAD || (c->pending_only && !ret)) {
				m->s.ghost[G_LIVE] &= (uint8_t) ~(1 << op);
				m->s.ghost[G_NOTHING] |= (uint8_t)(1 << op);
			} else {
				if (!ret)
					m->s.ghost[G_ARMED]++;
				if (m->s.ghost[G_DELETED])
					m->s.ghost[G_KEPT] |= (uint8_t)(1 << op);
				LOAD(f, F);
				if (c->keep && ret && new >= f) {
					STORE(E, new);
					STORE(LOCKED_E, new);
				} else {
					FILE_AT(new, x);
				}
				RELEASE(W, PENDING | OPEN | NEXT(w));
			}
			UNLOCK(LK);
		}
	returned:
		if (m->bug == OVER_AT_ITS_RETURN) {
			M_WHEN(true);
			m->s.mem[OVER + op - 1] = 1;
		} else {
			RELEASE(OVER + op - 1, 1);
		}
	}
	M_END;
}

/* Deletes or shuts down, and may add again: operation 4 is the removal, and then the add. */
static void remove_it(struct m *m, struct m_thread *t)
{
	const struct scenario *c = scenario(m);

	M_BEGIN;
	/* Or the sweeps of another base, of which only the barriers matter here. */
	for (turn = 0; turn < c->shared; turn++) {
		LOAD(x, BEGUN);
		SHARED_BARRIER(x, w);
	}
	if (c->remover) {
		M_WHEN(true);
		begin(m, 4, c->add);
		LOCK(LK);
		LOAD(w, W);
		if (w & PENDING)
			m->s.ghost[G_DELETED]++;
		if (c->add) {
			M_ASSERT(c->remover == DELETE, "scenario");
			m->s.ghost[G_ARMED]++;
			FILE_AT(c->add, x);
			RELEASE(W, PENDING | (w & OPEN) | NEXT(w));
		} else {
			RELEASE(W, (c->remover == SHUTDOWN ? DEAD : 0) | (w & OPEN) | NEXT(w));
		}
		UNLOCK(LK);
		STORE(OVER + 3, 1);
	}
	M_END;
}

#define tick  (t->reg[0])
#define mine  (t->reg[1])
#define again (t->reg[6])
#define mode  (t->reg[7])

/* The mark of a sweep whose barrier another may make: LK is held, and again at the end. */
#define MARK_AND_SHARE()                                                                           \
	if (m->bug == COUNT_BEFORE_MARK)                                                           \
		LOAD(mine, BEGUN);                                                                 \
	if (m->bug == MARK_BY_STORE)                                                               \
		STORE(MARK, SWEEPS);                                                               \
	else                                                                                       \
		XCHG(x, MARK, SWEEPS);                                                             \
	LOAD(w, W);                                                                                \
	LOAD(f, F);                                                                                \
	if (w & PENDING && w & OPEN && f <= tick) {                                                \
		UNLOCK(LK);                                                                        \
		if (m->bug != COUNT_BEFORE_MARK)                                                   \
			LOAD(mine, BEGUN);                                                         \
		SHARED_BARRIER(mine, x);                                                           \
		LOCK(LK);                                                                          \
	}

/* The mark of one of the sweeps around a spell of exchanges; mode: in the spell. */
#define MARK_AND_SWITCH()                                                                          \
	XCHG(x, MARK, mode | SWEEPS);                                                              \
	LOAD(w, W);                                                                                \
	LOAD(f, F);                                                                                \
	if (mode == 0 && w & PENDING && w & OPEN && f <= tick) {                                   \
		UNLOCK(LK);                                                                        \
		MEMBARRIER();                                                                      \
		LOCK(LK);                                                                          \
	}                                                                                          \
	if (tick == c->exchange) {                                                                 \
		mode = EXCHANGES;                                                                  \
		XCHG(x, MARK, EXCHANGES | SWEEPS);                                                 \
		UNLOCK(LK);                                                                        \
		MEMBARRIER();                                                                      \
		LOCK(LK);                                                                          \
	} else if (tick > c->exchange) {                                                           \
		mode = 0; /* from the end of this sweep on */                                      \
	}

static void sweep(struct m *m, struct m_thread *t)
{
	const struct scenario *c = scenario(m);

	M_BEGIN;
	for (tick = 1; tick <= c->ticks || tick == THE_END; tick++) {
		M_WHEN(tick != THE_END || m_others_done(m));
		m->s.ghost[G_SWEEP_OVER] = over(m);
		if (m->bug != NO_MARK_WITHOUT_BARRIER && m->bug != MARK_AFTER_BARRIER &&
		    !c->shared && !c->exchange)
			STORE(MARK, SWEEPS);
		LOCK(LK);
		if (c->shared) {
			MARK_AND_SHARE();
		}
		if (c->exchange) {
			MARK_AND_SWITCH();
		}
		LOAD(w, W);
		LOAD(f, F);
		if (w & PENDING && w & OPEN && f <= tick && m->bug != NO_BARRIER && !c->shared &&
		    !c->exchange) {
			UNLOCK(LK);
			if (m->bug == NO_MARK_WITHOUT_BARRIER)
				STORE(MARK, 1);
			MEMBARRIER();
			if (m->bug == MARK_AFTER_BARRIER)
				STORE(MARK, 1);
			LOCK(LK);
		}
		STORE(CLK, tick);
		if (c->other) {
			UNLOCK(LK);
			LOCK(LK);
		}
		LOAD(w, W);
		LOAD(f, F);
		if (w & PENDING && f <= tick) {
			READ_DEADLINE(e, x);
			if (m->bug == CLEARS_MARK_FIRST)
				STORE(MARK, 0);
			if (e > tick) {
				STORE(LOCKED_E, e);
				STORE(F, bound(e, tick));
			} else {
				RELEASE(W, (w & OPEN) | NEXT(w));
				check_run(m, tick);
				UNLOCK(LK);
				for (x = 0; x < 4; x++) {
					LOAD(e, EV + x);
					if (e)
						m->s.ghost[G_SEEN] |= (uint8_t)(2 << x);
				}
				LOCK(LK);
				if (c->rearm && !again) {
					again = 1;
					LOAD(w, W);
					if (!(w & (PENDING | DEAD))) {
						/* Owed to nobody else: as operation 0 once more. */
						m->s.ghost[G_ARMED]++;
						m->s.ghost[G_DEADLINE] = (uint8_t)(tick + c->rearm);
						m->s.ghost[G_BEFORE] = over(m) & (uint8_t)~1;
						m->s.ghost[G_SPENT] &= (uint8_t)~1;
						for (x = 1; x < OPS; x++)
							m->s.ghost[G_BEFORE + x] &= (uint8_t)~1;
						FILE_AT(tick + c->rearm, x);
						RELEASE(W, PENDING | (w & OPEN) | NEXT(w));
					}
				}
			}
		}
		LOAD(w, W);
		if (w & PENDING && tick != THE_END)
			check_left(m, tick);
		RELEASE(MARK, mode);
		UNLOCK(LK);
		if (tick == c->ticks)
			tick = THE_END - 1;
	}
	M_END;
}

static void final(struct m *m)
{
	const uint8_t *g = m->s.ghost;

	for (int i = 1; i < OPS; i++) {
		bool removable = g[G_DELETED] && !(g[G_BEFORE + i] & 1 << 4);

		if (!m->s.mem[EV + i - 1] || (g[G_SEEN] | g[G_NOTHING]) & 1 << i ||
		    (removable && !(g[G_KEPT] & 1 << i)))
			continue;
		M_ASSERT(false, "lost: no run saw an event that a caller had stored");
	}
	M_ACCOUNT(g[G_ARMED], g[G_RUNS], g[G_DELETED], m->s.mem[W] & PENDING);
}

static const struct m_model model = {
	.name = "rearm",
	.threads = 4,
	.fn = {sweep, push, push, remove_it},
	.thread_names = {"sweep", "push-1", "push-2", "remove"},
	.var_names = var_names,
	.init = init,
	.final = final,
};

#define SCENARIO(text, ...)                                                                        \
	{                                                                                          \
		&model, text, (const int *)&(const struct scenario){__VA_ARGS__}, false, false     \
	}

#define SEQUENTIAL(text, ...)                                                                      \
	{                                                                                          \
		&model, text, (const int *)&(const struct scenario){__VA_ARGS__}, true, false      \
	}

#define WEAK(text, ...)                                                                            \
	{                                                                                          \
		&model, text, (const int *)&(const struct scenario){__VA_ARGS__}, false, true      \
	}

const struct m_scenario m_rearm_scenarios[] = {
	SCENARIO("one push", .ticks = 5, .expires = 2, .filed = 1, .open = 1, .push = {{4}}),
	SCENARIO("one push, not yet open", .ticks = 5, .expires = 2, .filed = 1, .push = {{3, 4}}),
	SCENARIO("a push to the same deadline", .ticks = 5, .expires = 2, .filed = 2, .open = 1,
		 .push = {{2}}),
	SCENARIO("one push, not yet open, and another timer runs", .ticks = 4, .expires = 2,
		 .filed = 1, .push = {{2, 4}}, .other = 1, .keep = 1),
	SCENARIO("two in turn", .ticks = 5, .expires = 2, .filed = 1, .open = 1, .push = {{3, 5}}),
	SCENARIO("a callback that arms again", .ticks = 5, .expires = 1, .filed = 1, .open = 1,
		 .push = {{2, 4}}, .rearm = 2),
	SCENARIO("a push and a delete", .ticks = 5, .expires = 2, .filed = 1, .open = 1,
		 .push = {{3}}, .remover = DELETE),
	SCENARIO("a push of a pending timer only, and a delete", .ticks = 5, .expires = 2,
		 .filed = 1, .open = 1, .push = {{3}}, .pending_only = 1, .remover = DELETE),
	SCENARIO("a push, a delete and an add farther out", .ticks = 5, .expires = 2, .filed = 1,
		 .open = 1, .push = {{3}}, .remover = DELETE, .add = 5),
	SCENARIO("a push, a delete and an add closer", .ticks = 5, .expires = 4, .filed = 3,
		 .open = 1, .push = {{5}}, .remover = DELETE, .add = 2),
	SCENARIO("a push and a shutdown", .ticks = 5, .expires = 2, .filed = 1, .open = 1,
		 .push = {{3}}, .remover = SHUTDOWN),
	SCENARIO("a push, a shutdown and a callback that arms again", .ticks = 5, .expires = 1,
		 .filed = 1, .open = 1, .push = {{3}}, .remover = SHUTDOWN, .rearm = 2),
	SEQUENTIAL("one caller pushes out and back, a slow one out", .ticks = 4, .expires = 2,
		   .filed = 1, .open = 1, .push = {{3}, {6, 4}}),
	SCENARIO("one pushes out, one pulls in", .ticks = 5, .expires = 3, .filed = 2, .open = 1,
		 .push = {{4}, {1}}),
	WEAK("one push, on a weaker machine", .ticks = 5, .expires = 2, .filed = 1, .open = 1,
	     .push = {{4}}),
	WEAK("a push, a delete and an add, on a weaker machine", .ticks = 5, .expires = 2,
	     .filed = 1, .open = 1, .push = {{3}}, .remover = DELETE, .add = 5),
	SCENARIO("two callers, different deadlines", .ticks = 4, .expires = 2, .filed = 1,
		 .open = 1, .push = {{3}, {4}}),
	SCENARIO("two callers, the same deadline", .ticks = 4, .expires = 2, .filed = 1, .open = 1,
		 .push = {{3}, {3}}),
	{0},
};

const struct m_scenario m_share_scenarios[] = {
	SCENARIO("a barrier that another base may have made", .ticks = 3, .expires = 2, .filed = 1,
		 .open = 1, .push = {{3}}, .shared = 1),
	{0},
};

const struct m_scenario m_exchange_scenarios[] = {
	SCENARIO("stores become exchanges, and stores again", .ticks = 4, .expires = 2, .filed = 1,
		 .open = 1, .push = {{3, 5}}, .exchange = 1),
	SCENARIO("stores become exchanges in the tick of the deadline", .ticks = 4, .expires = 2,
		 .filed = 2, .open = 1, .push = {{2, 4}}, .exchange = 2),
	{0},
};
