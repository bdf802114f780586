/* SPDX-License-Identifier: MIT */
/*
 * The one limit of re-arming by a store (docs/memory-ordering.md, rule 5 of section Timers), shown.
 *
 * The slow caller begins to push the timer out. Meanwhile another thread, one call after the other,
 * deletes it, adds it again farther out (the add opens it at once, as after two barriers), and pushes
 * it out once more. Looked for: a run that comes before the deadline of that thread's last call that
 * is over, and acts on a deadline which is not the slow caller's either. With all three there is such
 * a run; without the add, or without the last push, there is none in any state.
 */
#include "model/models.h"

enum { E, LOCKED_E, F, W, MARK, LK, OVER_ADD, OVER_PUSH, VARS };

static const char *const var_names[VARS] = {
	"expires", "locked_expires", "filed", "word", "mark", "lock", "add_over", "push_over",
};

#define PENDING 0x80
#define NEXT(w) (((w) + 1) & 0x0f)

enum { SLOW_PUSH = 2, TICKS = 3 };
enum { G_EARLY };

struct scenario {
	int expires, filed;
	int add, push; /* deadlines of the other thread's calls, 0 for none */
};

static const struct scenario *scenario(const struct m *m)
{
	return (const struct scenario *)m->cfg;
}

static void init(struct m *m)
{
	m->s.mem[E] = m->s.mem[LOCKED_E] = (uint8_t)scenario(m)->expires;
	m->s.mem[F] = (uint8_t)scenario(m)->filed;
	m->s.mem[W] = PENDING;
}

#define new (t->reg[0])
#define w    (t->reg[1])
#define f    (t->reg[2])
#define e    (t->reg[3])
#define x    (t->reg[4])
#define ret  (t->reg[5])
#define tick (t->reg[6])

#define FILE_AT(deadline)                                                                          \
	STORE(E, deadline);                                                                        \
	STORE(LOCKED_E, deadline);                                                                 \
	STORE(F, deadline)

/* The store and its checks; where they fail, the lock. ret: whether it was pending. */
#define PUSH_OUT()                                                                                 \
	ret = 2;                                                                                   \
	LOAD(w, W);                                                                                \
	LOAD(e, E);                                                                                \
	LOAD(f, F);                                                                                \
	if (w & PENDING && new >= e &&new >= f) {                                                  \
		if (new != e)                                                                      \
			RELEASE(E, new);                                                           \
		LOAD(x, MARK);                                                                     \
		if (!x) {                                                                          \
			LOAD(x, W);                                                                \
			if (x == w)                                                                \
				ret = 1;                                                           \
		}                                                                                  \
	}                                                                                          \
	if (ret == 2) {                                                                            \
		LOCK(LK);                                                                          \
		LOAD(w, W);                                                                        \
		ret = w & PENDING ? 1 : 0;                                                         \
		FILE_AT(new);                                                                      \
		RELEASE(W, PENDING | NEXT(w));                                                     \
		UNLOCK(LK);                                                                        \
	}

static void slow_caller(struct m *m, struct m_thread *t)
{
	M_BEGIN;
	new = SLOW_PUSH;
	PUSH_OUT();
	M_END;
}

static void other_caller(struct m *m, struct m_thread *t)
{
	const struct scenario *c = scenario(m);

	M_BEGIN;
	if (c->add) {
		LOCK(LK);
		LOAD(w, W);
		w = NEXT(w);
		RELEASE(W, w);
		UNLOCK(LK);
		LOCK(LK);
		LOAD(w, W);
		if (!(w & PENDING)) {
			FILE_AT(c->add);
			RELEASE(W, PENDING | NEXT(w));
		}
		UNLOCK(LK);
		RELEASE(OVER_ADD, !(w & PENDING));
	}
	if (c->push) {
		new = (uint8_t)c->push;
		PUSH_OUT();
		RELEASE(OVER_PUSH, 1);
	}
	M_END;
}

/* The deadline before which nobody may expect a run, as far as the other thread's calls go. */
static int due(const struct m *m)
{
	if (m->s.mem[OVER_PUSH])
		return scenario(m)->push;
	return m->s.mem[OVER_ADD] && !scenario(m)->push ? scenario(m)->add : 0;
}

static void sweep(struct m *m, struct m_thread *t)
{
	M_BEGIN;
	for (tick = 1; tick <= TICKS; tick++) {
		XCHG(x, MARK, 1);
		MEMBARRIER();
		LOCK(LK);
		LOAD(w, W);
		LOAD(f, F);
		if (w & PENDING && f <= tick) {
			LOAD(e, E);
			if (e < f)
				LOAD(e, LOCKED_E);
			if (e > tick) {
				STORE(LOCKED_E, e);
				STORE(F, e);
				RELEASE(W, PENDING | NEXT(w));
			} else {
				if (tick < due(m) && e != SLOW_PUSH)
					m->s.ghost[G_EARLY] = 1;
				RELEASE(W, NEXT(w));
			}
		}
		RELEASE(MARK, 0);
		UNLOCK(LK);
	}
	M_END;
}

static void final(struct m *m)
{
	M_ASSERT(!m->s.ghost[G_EARLY],
		 "a run at the deadline of an arming that was pushed out since");
}

static const struct m_model model = {
	.name = "limit",
	.threads = 3,
	.fn = {sweep, slow_caller, other_caller},
	.thread_names = {"sweep", "slow", "other"},
	.var_names = var_names,
	.init = init,
	.final = final,
};

#define SCENARIO(text, weak, ...)                                                                  \
	{                                                                                          \
		&model, text, (const int *)&(const struct scenario){__VA_ARGS__}, false, weak      \
	}

const struct m_scenario m_limit_scenarios[] = {
	SCENARIO("a slow push, an add, and a push after it", false, .expires = 1, .filed = 1,
		 .add = 3, .push = 5),
	{0},
};

const struct m_scenario m_within_limit_scenarios[] = {
	SCENARIO("a slow push and another", false, .expires = 1, .filed = 1, .push = 5),
	SCENARIO("a slow push and an add farther out", false, .expires = 1, .filed = 1, .add = 3),
	SCENARIO("a slow push and an add closer", false, .expires = 2, .filed = 2, .add = 1),
	SCENARIO("a slow push and another, on a weaker machine", true, .expires = 1, .filed = 1,
		 .push = 5),
	SCENARIO("a slow push and an add, on a weaker machine", true, .expires = 1, .filed = 1,
		 .add = 3),
	{0},
};
