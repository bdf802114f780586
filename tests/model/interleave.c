/* SPDX-License-Identifier: MIT */
#include "interleave.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARS	  16
#define REGS	  4
#define BUFFER	  4
#define CODE_MAX  96
#define LABEL_MAX 24

enum op {
	LOAD,
	STORE,
	RELEASE,
	XCHG,
	OR,
	AND,
	ADD,
	CAS,
	FENCE,
	LOCK,
	UNLOCK,
	WAIT,
	WAITFOR,
	WAKE,
	SET,
	ROR,
	RAND,
	JMP,
	JZ,
	JNZ,
	JEQ,
	JTEST,
	JCLEAR,
	GHOST,
	INC,
	MUST,
	MUSTLE,
	END,
	OPS
};

/* Operands: r register, v variable, x number or register, l label. */
static const struct {
	const char *name, *args;
} ops[OPS] = {
	[LOAD] = {"load", "rv"},
	[STORE] = {"store", "vx"},
	[RELEASE] = {"release", "vx"},
	[XCHG] = {"xchg", "rvx"},
	[OR] = {"or", "rvx"},
	[AND] = {"and", "rvx"},
	[ADD] = {"add", "rvx"},
	[CAS] = {"cas", "rvxx"},
	[FENCE] = {"fence", ""},
	[LOCK] = {"lock", "v"},
	[UNLOCK] = {"unlock", "v"},
	[WAIT] = {"wait", "vx"},
	[WAITFOR] = {"waitfor", "rvx"},
	[WAKE] = {"wake", "v"},
	[SET] = {"set", "rx"},
	[ROR] = {"ror", "rx"},
	[RAND] = {"rand", "rx"},
	[JMP] = {"jmp", "l"},
	[JZ] = {"jz", "rl"},
	[JNZ] = {"jnz", "rl"},
	[JEQ] = {"jeq", "rxl"},
	[JTEST] = {"jtest", "rxl"},
	[JCLEAR] = {"jclear", "rxl"},
	[GHOST] = {"ghost", "vx"},
	[INC] = {"inc", "v"},
	[MUST] = {"must", "vx"},
	[MUSTLE] = {"mustle", "vx"},
	[END] = {"end", ""},
};

struct operand {
	uint8_t value;
	bool reg;
};

struct insn {
	enum op op;
	struct operand arg[4];
	const char *text;
	char label[LABEL_MAX]; /* until resolved */
	int target;
};

struct program {
	struct insn code[CODE_MAX];
	int n;
};

/* One thread as a state holds it. */
struct cpu {
	uint8_t pc, asleep; /* asleep: variable + 1 */
	uint8_t reg[REGS];
	uint8_t n, var[BUFFER], val[BUFFER], rel[BUFFER];
};

struct state {
	uint8_t mem[VARS];
	struct cpu cpu[X_THREADS];
};

struct step {
	uint32_t from;
	int8_t thread; /* -1: the first state */
	bool drain;
	uint8_t pc;
};

struct run {
	struct program prog[X_THREADS];
	char var[VARS][LABEL_MAX];
	int nvars, threads;
	enum x_machine machine;
	struct state *state; /* by number; each is expanded in turn */
	struct step *step;
	uint32_t n, room;
	uint32_t *table, table_size; /* number + 1 */
	struct x_result *out;
};

static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# model: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

static int variable(struct run *r, const char *name)
{
	for (int i = 0; i < r->nvars; i++)
		if (!strcmp(r->var[i], name))
			return i;
	if (r->nvars == VARS)
		die("too many variables at %s", name);
	snprintf(r->var[r->nvars], LABEL_MAX, "%s", name);
	return r->nvars++;
}

static struct operand operand(struct run *r, char kind, const char *word)
{
	bool reg = word[0] == 'r' && isdigit((unsigned char)word[1]) && !word[2];

	if (kind == 'v')
		return (struct operand){(uint8_t)variable(r, word), false};
	if (reg)
		return (struct operand){(uint8_t)(word[1] - '0'), true};
	if (kind == 'r' || !isdigit((unsigned char)word[0]))
		die("bad operand %s", word);
	return (struct operand){(uint8_t)strtoul(word, NULL, 0), false};
}

static void parse_insn(struct run *r, struct program *p, char *line, const char *text)
{
	struct insn *i = &p->code[p->n++];
	char *save, *word = strtok_r(line, " ", &save);

	if (p->n == CODE_MAX)
		die("program too long");
	i->text = text;
	i->target = -1;
	for (i->op = 0; i->op < OPS && strcmp(ops[i->op].name, word); i->op++)
		;
	if (i->op == OPS)
		die("no instruction %s", word);
	for (int a = 0; ops[i->op].args[a]; a++) {
		word = strtok_r(NULL, " ", &save);
		if (!word)
			die("operand missing in %s", text);
		if (ops[i->op].args[a] == 'l')
			snprintf(i->label, LABEL_MAX, "%s", word);
		else
			i->arg[a] = operand(r, ops[i->op].args[a], word);
	}
}

static void parse(struct run *r, struct program *p, const char *source)
{
	struct {
		char name[LABEL_MAX];
		int at;
	} labels[32];
	int nlabels = 0;
	char *copy = strdup(source), *save;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		size_t len = strlen(line);

		if (!len)
			continue;
		if (line[len - 1] == ':') {
			snprintf(labels[nlabels].name, LABEL_MAX, "%.*s", (int)len - 1, line);
			labels[nlabels++].at = p->n;
			continue;
		}
		parse_insn(r, p, line, strdup(line));
	}
	for (int k = 0; k < p->n; k++) {
		struct insn *i = &p->code[k];

		for (int l = 0; i->label[0] && l < nlabels; l++)
			if (!strcmp(labels[l].name, i->label))
				i->target = labels[l].at;
		if (i->label[0] && i->target < 0)
			die("no label %s", i->label);
	}
	free(copy);
}

/* "v=1 w=2": calls each for every pair. */
static bool pairs(struct run *r, const char *text, struct state *s, bool check)
{
	char copy[256], *save;

	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		char *eq = strchr(p, '=');
		uint8_t v = (uint8_t)strtoul(eq + 1, NULL, 0);

		*eq = 0;
		if (check && s->mem[variable(r, p)] != v)
			return false;
		s->mem[variable(r, p)] = v;
	}
	return true;
}

static uint64_t hash(const struct state *s)
{
	const uint8_t *p = (const void *)s;
	uint64_t h = 1469598103934665603ull;

	for (size_t i = 0; i < sizeof(*s); i++)
		h = (h ^ p[i]) * 1099511628211ull;
	return h ^ h >> 29;
}

static void grow_table(struct run *r)
{
	r->table_size = r->table_size ? r->table_size * 2 : 1u << 16;
	free(r->table);
	r->table = calloc(r->table_size, sizeof(*r->table));
	for (uint32_t k = 0; k < r->n; k++) {
		uint32_t at = (uint32_t)hash(&r->state[k]) & (r->table_size - 1);

		while (r->table[at])
			at = (at + 1) & (r->table_size - 1);
		r->table[at] = k + 1;
	}
}

static void add_state(struct run *r, const struct state *s, struct step step)
{
	if (r->n * 2 >= r->table_size)
		grow_table(r);
	uint32_t at = (uint32_t)hash(s) & (r->table_size - 1);
	for (; r->table[at]; at = (at + 1) & (r->table_size - 1))
		if (!memcmp(&r->state[r->table[at] - 1], s, sizeof(*s)))
			return;
	if (r->n == r->room) {
		r->room = r->room ? r->room * 2 : 1u << 12;
		r->state = realloc(r->state, r->room * sizeof(*r->state));
		r->step = realloc(r->step, r->room * sizeof(*r->step));
	}
	r->state[r->n] = *s;
	r->step[r->n] = step;
	r->table[at] = ++r->n;
}

static void tell(struct run *r, uint32_t at, const char *fmt, ...)
{
	char *out = r->out->why;
	size_t room = sizeof(r->out->why), used = 0;
	uint32_t path[400];
	int n = 0;
	va_list ap;

	r->out->bad = true;
	va_start(ap, fmt);
	used += (size_t)vsnprintf(out, room, fmt, ap);
	va_end(ap);
	for (; r->step[at].thread >= 0 && n < 400; at = r->step[at].from)
		path[n++] = at;
	while (n-- && used < room - 80) {
		struct step *s = &r->step[path[n]];

		used += (size_t)snprintf(out + used, room - used, "\n  %d: %s", s->thread,
					 s->drain ? "(a store drains)"
						  : r->prog[s->thread].code[s->pc].text);
	}
}

static uint8_t value(const struct cpu *c, struct operand o)
{
	return o.reg ? c->reg[o.value] : o.value;
}

static uint8_t look(const struct state *s, const struct cpu *c, int v)
{
	for (int i = c->n - 1; i >= 0; i--)
		if (c->var[i] == v)
			return c->val[i];
	return s->mem[v];
}

static bool buffer(struct cpu *c, int v, uint8_t val, bool release)
{
	if (c->n == BUFFER)
		return false; /* full: something must drain first */
	c->var[c->n] = (uint8_t)v;
	c->val[c->n] = val;
	c->rel[c->n++] = release;
	return true;
}

static bool may_drain(const struct run *r, const struct cpu *c, int i)
{
	if (i == 0)
		return true;
	if (r->machine == X_TSO || c->rel[i])
		return false;
	for (int k = 0; k < i; k++)
		if (c->var[k] == c->var[i])
			return false;
	return true;
}

static void drain(struct state *s, struct cpu *c, int i)
{
	s->mem[c->var[i]] = c->val[i];
	c->n--;
	for (int k = i; k < c->n; k++) {
		c->var[k] = c->var[k + 1];
		c->val[k] = c->val[k + 1];
		c->rel[k] = c->rel[k + 1];
	}
	c->var[c->n] = c->val[c->n] = c->rel[c->n] = 0;
}

static void do_rmw(struct state *s, struct cpu *c, const struct insn *i)
{
	uint8_t *m = &s->mem[i->arg[1].value], old = *m, x = value(c, i->arg[2]);

	switch (i->op) {
	case XCHG:
		*m = x;
		break;
	case OR:
		*m |= x;
		break;
	case AND:
		*m &= x;
		break;
	case ADD:
		*m = (uint8_t)(*m + x);
		break;
	default:
		if (old == x)
			*m = value(c, i->arg[3]);
	}
	c->reg[i->arg[0].value] = old;
}

static bool jumps(const struct cpu *c, const struct insn *i)
{
	uint8_t r = c->reg[i->arg[0].value];

	switch (i->op) {
	case JMP:
		return true;
	case JZ:
		return !r;
	case JNZ:
		return r;
	case JEQ:
		return r == value(c, i->arg[1]);
	case JTEST:
		return r & value(c, i->arg[1]);
	default:
		return !(r & value(c, i->arg[1]));
	}
}

static void wake_all(struct run *r, struct state *s, int v)
{
	for (int t = 0; t < r->threads; t++)
		if (s->cpu[t].asleep == v + 1) {
			s->cpu[t].asleep = 0;
			s->cpu[t].pc++;
		}
}

static void set_reg(struct cpu *c, const struct insn *i)
{
	uint8_t *reg = &c->reg[i->arg[0].value], x = value(c, i->arg[1]);

	if (i->op == SET)
		*reg = x;
	else if (i->op == ROR)
		*reg |= x;
	else
		*reg &= x;
}

/* What the checks see and say; false when it is wrong. */
static bool ghost(struct run *r, uint32_t at, struct state *s, struct cpu *c, const struct insn *i)
{
	uint8_t *m = &s->mem[i->arg[0].value], x = value(c, i->arg[1]);

	if (i->op == GHOST)
		*m = x;
	else if (i->op == INC)
		++*m;
	else if (i->op == MUST ? *m != x : *m > x) {
		tell(r, at, "\"%s\" fails: it is %u", i->text, *m);
		return false;
	}
	return true;
}

/* Executes one instruction in *s. 0: not possible now; 1: done; -1: wrong. */
static int execute(struct run *r, uint32_t at, struct state *s, int t)
{
	struct cpu *c = &s->cpu[t];
	const struct insn *i = &r->prog[t].code[c->pc];
	int v = i->arg[0].value;

	switch (i->op) {
	case END:
		return 0;
	case LOAD:
		c->reg[v] = look(s, c, i->arg[1].value);
		break;
	case STORE:
	case RELEASE:
		if (!buffer(c, v, value(c, i->arg[1]), i->op == RELEASE))
			return 0;
		break;
	case SET:
	case ROR:
	case RAND:
		set_reg(c, i);
		break;
	case GHOST:
	case INC:
	case MUST:
	case MUSTLE:
		if (!ghost(r, at, s, c, i))
			return -1;
		break;
	case JMP ... JCLEAR:
		c->pc = (uint8_t)(jumps(c, i) ? i->target : c->pc + 1);
		return 1;
	default:
		if (c->n)
			return 0; /* drains first */
		if (i->op == LOCK && s->mem[v])
			return 0;
		if (i->op == LOCK || i->op == UNLOCK)
			s->mem[v] = i->op == LOCK;
		else if (i->op == WAKE)
			wake_all(r, s, v);
		else if (i->op != FENCE && i->op != WAIT && i->op != WAITFOR)
			do_rmw(s, c, i);
		if (i->op == WAIT && s->mem[v] == value(c, i->arg[1])) {
			c->asleep = (uint8_t)(v + 1);
			return 1;
		}
		if (i->op == WAITFOR) {
			c->reg[v] = 0;
			if (s->mem[i->arg[1].value] == value(c, i->arg[2])) {
				c->asleep = (uint8_t)(i->arg[1].value + 1);
				return 1;
			}
		}
	}
	c->pc++;
	return 1;
}

/* The time of a timed sleep is up. */
static bool time_out(struct run *r, struct state *s, int t)
{
	struct cpu *c = &s->cpu[t];
	const struct insn *i = &r->prog[t].code[c->pc];

	if (!c->asleep || i->op != WAITFOR)
		return false;
	c->asleep = 0;
	c->reg[i->arg[0].value] = 1;
	c->pc++;
	return true;
}

static bool ended(struct run *r, const struct state *s)
{
	for (int t = 0; t < r->threads; t++)
		if (r->prog[t].code[s->cpu[t].pc].op != END)
			return false;
	return true;
}

/* All that can follow state number at; false when something is wrong. */
static bool expand(struct run *r, const struct x_model *m, uint32_t at)
{
	struct state from = r->state[at], s;
	bool moved = false;

	for (int t = 0; t < r->threads; t++) {
		const struct cpu *c = &from.cpu[t];
		struct step step = {.from = at, .thread = (int8_t)t, .pc = c->pc};

		for (int i = 0; i < c->n; i++)
			if (may_drain(r, c, i)) {
				s = from;
				drain(&s, &s.cpu[t], i);
				step.drain = true;
				add_state(r, &s, step);
				moved = true;
			}
		step.drain = false;
		s = from;
		int done = c->asleep ? time_out(r, &s, t) : execute(r, at, &s, t);
		if (done < 0)
			return false;
		if (done) {
			add_state(r, &s, step);
			moved = true;
		}
	}
	if (moved)
		return true;
	if (!ended(r, &from)) {
		tell(r, at, "%s: nobody can move, and not all have ended", m->name);
		return false;
	}
	if (!pairs(r, m->finally, &from, true)) {
		tell(r, at, "%s: all have ended, but not \"%s\"", m->name, m->finally);
		return false;
	}
	return true;
}

void x_explore(const struct x_model *m, enum x_machine machine, struct x_result *out)
{
	struct run *r = calloc(1, sizeof(*r));
	struct state first = {.mem = {0}};

	memset(out, 0, sizeof(*out));
	r->machine = machine;
	r->out = out;
	for (; r->threads < X_THREADS && m->thread[r->threads]; r->threads++)
		parse(r, &r->prog[r->threads], m->thread[r->threads]);
	pairs(r, m->start, &first, false);
	add_state(r, &first, (struct step){.thread = -1});
	for (uint32_t at = 0; at < r->n && expand(r, m, at); at++)
		;
	out->states = r->n;
	for (int t = 0; t < r->threads; t++)
		for (int k = 0; k < r->prog[t].n; k++)
			free((char *)(uintptr_t)r->prog[t].code[k].text);
	free(r->state);
	free(r->step);
	free(r->table);
	free(r);
}
