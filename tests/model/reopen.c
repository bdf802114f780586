/* SPDX-License-Identifier: MIT */
/*
 * When a timer that was closed otherwise than by a sweep opens again (docs/memory-ordering.md, rule
 * 4 of section Timers).
 *
 * One caller pushes by a store while another deletes the timer, adds it on another base, and arms
 * it once more there; that call may open it again, where two barriers are over since. A third thread
 * makes barriers, as sweeps of any base do. Checked: where the timer was opened, and the push had
 * passed its checks before that, nothing of the push is still on its way: the deadline that the last
 * call stored is what stays.
 */
#include "model/models.h"

enum { E, W, MARK, LK = MARK + 2, BEGUN = LK + 2, BARRIERS, SHARE, VARS };

static const char *const var_names[VARS] = {
	"expires", "word",  "mark0",	     "mark1",	   "lock0",
	"lock1",   "begun", "barriers_over", "share_lock",
};

#define PENDING 0x80
#define OPEN	0x40
#define ON(b)	((b) << 5)
#define BASE(w) ((w) >> 5 & 1)
#define NEXT(w) (((w) + 1) & 0x0f)

enum { OLD = 2, NEW = 4, PUSHED = 6 };
enum { G_PUSHED, G_OPENED_AFTER };

static void init(struct m *m)
{
	m->s.mem[E] = OLD;
	m->s.mem[W] = PENDING | OPEN;
}

#define w     (t->reg[0])
#define x     (t->reg[1])
#define stamp (t->reg[2])
#define count (t->reg[3])

static void push(struct m *m, struct m_thread *t)
{
	M_BEGIN;
	LOAD(w, W);
	if ((w & (PENDING | OPEN)) != (PENDING | OPEN) || BASE(w) != 0)
		goto out;
	RELEASE(E, PUSHED);
	LOAD(x, MARK);
	if (x)
		goto out;
	LOAD(x, W);
	if (x == w)
		m->s.ghost[G_PUSHED] = 1;
out:
	M_END;
}

/* Delete on base 0; add on base 1; arm again there. */
static void move(struct m *m, struct m_thread *t)
{
	const int enough = m->bug == OPENS_AFTER_ONE_BARRIER ? 1 : 2;

	M_BEGIN;
	LOCK(LK);
	LOAD(w, W);
	if (m->bug == STAMP_BEFORE_WORD)
		LOAD(stamp, BEGUN);
	w = NEXT(w);
	RELEASE(W, w);
	if (m->bug != STAMP_BEFORE_WORD)
		LOAD(stamp, BEGUN);
	UNLOCK(LK);

	LOCK(LK);
	LOCK(LK + 1);
	STORE(E, NEW - 1);
	w = (uint8_t)(PENDING | ON(1) | NEXT(w));
	RELEASE(W, w);
	UNLOCK(LK + 1);
	UNLOCK(LK);

	LOCK(LK + 1);
	LOAD(count, BARRIERS);
	if (count >= stamp + enough || m->bug == OPENS_AT_ONCE) {
		m->s.ghost[G_OPENED_AFTER] = m->s.ghost[G_PUSHED];
		w |= OPEN;
	}
	RELEASE(E, NEW);
	RELEASE(W, (w & (PENDING | OPEN | ON(1))) | NEXT(w));
	UNLOCK(LK + 1);
	M_END;
}

static void barriers(struct m *m, struct m_thread *t)
{
	M_BEGIN;
	for (w = 0; w < 3; w++) {
		LOCK(SHARE);
		LOAD(x, BEGUN);
		STORE(BEGUN, x + 1);
		MEMBARRIER();
		RELEASE(BARRIERS, x + 1);
		UNLOCK(SHARE);
	}
	M_END;
}

static void final(struct m *m)
{
	M_ASSERT(!m->s.ghost[G_OPENED_AFTER] || m->s.mem[E] == NEW,
		 "a store from before the timer was closed has landed on it open");
}

static const struct m_model model = {
	.name = "reopen",
	.threads = 3,
	.fn = {push, move, barriers},
	.thread_names = {"push", "move", "barriers"},
	.var_names = var_names,
	.init = init,
	.final = final,
};

const struct m_scenario m_reopen_scenarios[] = {
	{&model, "pushed, deleted, added on another base", NULL, false, false},
	{&model, "the same on a weaker machine", NULL, false, true},
	{0},
};
