/* SPDX-License-Identifier: MIT */
#include "model/explore.h"

#include <stdlib.h>
#include <string.h>

/*
 * Visited states are kept as 64-bit fingerprints (two different states share one with a chance of
 * n * n / 2^65: one in 10^6 for the largest models here), each with the state and the action that
 * led to it, so that a failure is told by replaying the actions from the start.
 */
struct seen {
	uint64_t *print;
	uint32_t *parent;
	uint8_t *action;
	uint32_t *slot; /* hash table of indexes + 1 */
	uint32_t n, room;
	uint64_t slots;
};

/* Actions: a thread steps, one of its stores drains, it passes another's barrier, wakes in time. */
enum {
	STEP = 0,
	DRAIN = STEP + M_THREADS,
	PASS = DRAIN + M_THREADS * M_BUF,
	TIME_OUT = PASS + M_THREADS * M_THREADS,
	ACTIONS = TIME_OUT + M_THREADS,
	NONE = 0xff
};
_Static_assert(ACTIONS < NONE, "an action is a byte");

static uint64_t fingerprint(const struct m_state *s)
{
	const uint8_t *p = (const uint8_t *)s;
	uint64_t h = 0x9e3779b97f4a7c15u, w;
	size_t i;

	for (i = 0; i + 8 <= sizeof(*s); i += 8) {
		memcpy(&w, p + i, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	for (w = 0; i < sizeof(*s); i++)
		w = w << 8 | p[i];
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

static void *grow(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p) {
		fprintf(stderr, "model: out of memory\n");
		exit(2);
	}
	return p;
}

static void rehash(struct seen *v)
{
	v->slots = v->slots ? v->slots * 2 : 1 << 16;
	free(v->slot);
	v->slot = grow(NULL, v->slots * sizeof(*v->slot));
	memset(v->slot, 0, v->slots * sizeof(*v->slot));
	for (uint32_t i = 0; i < v->n; i++) {
		uint64_t h = v->print[i] & (v->slots - 1);

		while (v->slot[h])
			h = (h + 1) & (v->slots - 1);
		v->slot[h] = i + 1;
	}
}

/* True where s is new; its index is then v->n - 1. */
static bool visit(struct seen *v, const struct m_state *s, uint32_t parent, int action)
{
	uint64_t f = fingerprint(s), h;

	if ((uint64_t)v->n * 2 >= v->slots)
		rehash(v);
	for (h = f & (v->slots - 1); v->slot[h]; h = (h + 1) & (v->slots - 1))
		if (v->print[v->slot[h] - 1] == f)
			return false;
	if (v->n == v->room) {
		v->room = v->room ? v->room * 2 : 1 << 15;
		v->print = grow(v->print, v->room * sizeof(*v->print));
		v->parent = grow(v->parent, v->room * sizeof(*v->parent));
		v->action = grow(v->action, v->room);
	}
	v->print[v->n] = f;
	v->parent[v->n] = parent;
	v->action[v->n] = (uint8_t)action;
	v->slot[h] = ++v->n;
	return true;
}

uint8_t m_load(struct m *m, struct m_thread *t, int var)
{
	for (int i = t->nbuf - 1; i >= 0; i--)
		if (t->buf[i].var == var)
			return t->buf[i].val;
	return m->s.mem[var];
}

bool m_store(struct m *m, struct m_thread *t, int var, uint8_t val, bool release)
{
	if (m->sequential) {
		m->s.mem[var] = val;
		return true;
	}
	if (t->nbuf == M_BUF)
		return false;
	t->buf[t->nbuf].var = (uint8_t)var;
	t->buf[t->nbuf].val = val;
	t->buf[t->nbuf].release = release && m->weak;
	t->nbuf++;
	return true;
}

void m_say(struct m *m, const char *op, int var, int val)
{
	if (m->trace)
		fprintf(m->trace, "  %-10s %s %s = %d\n", m->model->thread_names[m->self], op,
			m->model->var_names[var], val);
}

void m_start_barrier(struct m *m, struct m_thread *t)
{
	t->barrier = 0;
	for (int i = 0; i < m->model->threads; i++)
		if (i != m->self)
			t->barrier |= (uint8_t)(1 << i);
	if (m->trace)
		fprintf(m->trace, "  %-10s begins a barrier\n", m->model->thread_names[m->self]);
}

bool m_others_done(struct m *m)
{
	for (int i = 0; i < m->model->threads; i++)
		if (i != m->self && (!m->s.th[i].done || m->s.th[i].nbuf))
			return false;
	return true;
}

/* Whether store k of t may be the next to reach memory. */
static bool may_drain(const struct m *m, const struct m_thread *t, int k)
{
	if (k >= t->nbuf || (k && (!m->weak || t->buf[k].release)))
		return false;
	for (int i = 0; i < k; i++)
		if (t->buf[i].var == t->buf[k].var)
			return false;
	return true;
}

static void drain(struct m *m, int i, int k)
{
	struct m_thread *t = &m->s.th[i];

	m->s.mem[t->buf[k].var] = t->buf[k].val;
	if (m->trace)
		fprintf(m->trace, "  %-10s ... %s = %d reaches memory\n", m->model->thread_names[i],
			m->model->var_names[t->buf[k].var], t->buf[k].val);
	t->nbuf--;
	memmove(&t->buf[k], &t->buf[k + 1], (size_t)(t->nbuf - k) * sizeof(t->buf[0]));
	memset(&t->buf[t->nbuf], 0, sizeof(t->buf[0]));
}

static bool step(struct m *m, int i, bool time_out)
{
	if (m->s.th[i].done || (time_out && !m->s.th[i].asleep))
		return false;
	m->self = i;
	m->time_out = time_out;
	m->model->fn[i](m, &m->s.th[i]);
	return m->moved || m->s.th[i].done;
}

/* Thread i passes the barrier of thread j. */
static bool pass(struct m *m, int j, int i)
{
	if (!(m->s.th[j].barrier >> i & 1) || m->s.th[i].nbuf)
		return false;
	m->s.th[j].barrier &= (uint8_t) ~(1 << i);
	if (m->trace)
		fprintf(m->trace, "  %-10s ... passes the barrier of %s\n",
			m->model->thread_names[i], m->model->thread_names[j]);
	return true;
}

/* Does action where it can be done. */
static bool act(struct m *m, int action)
{
	int i = action - DRAIN;

	m->moved = false;
	if (action < DRAIN)
		return step(m, action - STEP, false);
	if (action >= TIME_OUT)
		return step(m, action - TIME_OUT, true);
	if (action >= PASS)
		return pass(m, (action - PASS) / M_THREADS, (action - PASS) % M_THREADS);
	if (!may_drain(m, &m->s.th[i / M_BUF], i % M_BUF))
		return false;
	drain(m, i / M_BUF, i % M_BUF);
	return true;
}

/* Most actions are impossible in most states: seen before the state is copied. */
static bool worth_trying(const struct m_state *s, int action)
{
	if (action < DRAIN)
		return !s->th[action].done && !s->th[action].asleep;
	if (action < PASS)
		return (action - DRAIN) % M_BUF < s->th[(action - DRAIN) / M_BUF].nbuf;
	if (action < TIME_OUT)
		return s->th[(action - PASS) / M_THREADS].barrier >> (action - PASS) % M_THREADS &
		       1;
	return s->th[action - TIME_OUT].asleep;
}

/* Every thread runs up to its first access. */
static void start(struct m *m)
{
	memset(&m->s, 0, sizeof(m->s));
	m->model->init(m);
	m->starting = true;
	for (int i = 0; i < m->model->threads; i++) {
		m->self = i;
		m->model->fn[i](m, &m->s.th[i]);
	}
	m->starting = false;
	for (int i = m->model->threads; i < M_THREADS; i++)
		m->s.th[i].done = 1;
}

static const char *check_end(struct m *m)
{
	for (int i = 0; i < m->model->threads; i++)
		if (!m->s.th[i].done)
			return "no thread can move, and not all have ended";
	m->model->final(m);
	return m->error;
}

static void tell(struct m *m, const struct seen *v, uint32_t last, int action)
{
	uint32_t depth = 0;
	uint8_t *path;

	for (uint32_t i = last; i; i = v->parent[i])
		depth++;
	path = grow(NULL, depth + 1);
	path[depth] = (uint8_t)action;
	for (uint32_t i = last, d = depth; i; i = v->parent[i])
		path[--d] = v->action[i];
	start(m);
	for (uint32_t d = 0; d <= depth; d++)
		if (path[d] != NONE)
			act(m, path[d]);
	fprintf(m->trace, "  => %s\n", m->error ? m->error : "stuck or wrong at the end");
	free(path);
}

struct m_result m_explore(const struct m_scenario *scenario, int bug, FILE *trace)
{
	const struct m_model *model = scenario->model;
	struct seen v = {0};
	struct m m = {.model = model,
		      .cfg = scenario->cfg,
		      .bug = bug,
		      .sequential = scenario->sequential,
		      .weak = scenario->weak};
	struct m_state *queue = NULL;
	uint64_t head = 0, tail = 0, room = 0;
	struct m_result r = {0};
	int action = NONE;

	start(&m);
	visit(&v, &m.s, 0, NONE);
	room = 1 << 12;
	queue = grow(NULL, room * sizeof(*queue));
	queue[tail++] = m.s;
	/* Ring of states not yet expanded; state number head is the head-th that was found. */
	for (; head < tail && !r.error; head++) {
		struct m_state from = queue[head & (room - 1)];
		bool any = false;

		for (action = 0; action < ACTIONS && !r.error; action++) {
			if (!worth_trying(&from, action))
				continue;
			m.s = from;
			if (!act(&m, action))
				continue;
			any = true;
			r.error = m.error;
			if (r.error || !visit(&v, &m.s, (uint32_t)head, action))
				continue;
			if (tail - head >= room) {
				struct m_state *q = grow(NULL, 2 * room * sizeof(*q));

				for (uint64_t i = head; i < tail; i++)
					q[i & (2 * room - 1)] = queue[i & (room - 1)];
				free(queue);
				queue = q;
				room *= 2;
			}
			queue[tail++ & (room - 1)] = m.s;
		}
		if (r.error)
			action--;
		if (!any && !r.error) {
			m.s = from;
			r.error = check_end(&m);
			action = NONE;
		}
	}
	if (r.error && trace) {
		m.trace = trace;
		m.error = NULL;
		tell(&m, &v, (uint32_t)head - 1, action);
	}
	r.states = v.n;
	free(queue);
	free(v.print);
	free(v.parent);
	free(v.action);
	free(v.slot);
	return r;
}
