/* SPDX-License-Identifier: MIT */
#include "model/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_MAX  96
#define LABEL_MAX 24

enum op {
	OP_LOAD,
	OP_STORE,
	OP_RELEASE,
	OP_XCHG,
	OP_OR,
	OP_AND,
	OP_ADD,
	OP_CAS,
	OP_FENCE,
	OP_LOCK,
	OP_UNLOCK,
	OP_WAIT,
	OP_WAITFOR,
	OP_WAKE,
	OP_SET,
	OP_ROR,
	OP_RAND,
	OP_JMP,
	OP_JZ,
	OP_JNZ,
	OP_JEQ,
	OP_JTEST,
	OP_JCLEAR,
	OP_GHOST,
	OP_INC,
	OP_MUST,
	OP_MUSTLE,
	OP_END,
	OPS
};

/* Operands: r register, v variable, x number or register, l label. */
static const struct {
	const char *name, *args;
} ops[OPS] = {
	[OP_LOAD] = {"load", "rv"},
	[OP_STORE] = {"store", "vx"},
	[OP_RELEASE] = {"release", "vx"},
	[OP_XCHG] = {"xchg", "rvx"},
	[OP_OR] = {"or", "rvx"},
	[OP_AND] = {"and", "rvx"},
	[OP_ADD] = {"add", "rvx"},
	[OP_CAS] = {"cas", "rvxx"},
	[OP_FENCE] = {"fence", ""},
	[OP_LOCK] = {"lock", "v"},
	[OP_UNLOCK] = {"unlock", "v"},
	[OP_WAIT] = {"wait", "vx"},
	[OP_WAITFOR] = {"waitfor", "rvx"},
	[OP_WAKE] = {"wake", "v"},
	[OP_SET] = {"set", "rx"},
	[OP_ROR] = {"ror", "rx"},
	[OP_RAND] = {"rand", "rx"},
	[OP_JMP] = {"jmp", "l"},
	[OP_JZ] = {"jz", "rl"},
	[OP_JNZ] = {"jnz", "rl"},
	[OP_JEQ] = {"jeq", "rxl"},
	[OP_JTEST] = {"jtest", "rxl"},
	[OP_JCLEAR] = {"jclear", "rxl"},
	[OP_GHOST] = {"ghost", "vx"},
	[OP_INC] = {"inc", "v"},
	[OP_MUST] = {"must", "vx"},
	[OP_MUSTLE] = {"mustle", "vx"},
	[OP_END] = {"end", ""},
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

/* What is explored: the texts, read, and the model made of them. */
struct run {
	struct m_model model;
	struct program prog[X_THREADS];
	char var[M_VARS][LABEL_MAX];
	const char *names[M_VARS];
	int nvars;
	const struct x_model *text;
	char error[256];
};

static struct run *run_of(const struct m *m)
{
	return (struct run *)(uintptr_t)m->model; /* its first member */
}

static _Noreturn void die(const char *fmt, ...)
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
	if (r->nvars == M_VARS)
		die("too many variables at %s", name);
	snprintf(r->var[r->nvars], LABEL_MAX, "%s", name);
	r->names[r->nvars] = r->var[r->nvars];
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

static void parse_insn(struct run *r, struct program *p, char *line)
{
	struct insn *i = &p->code[p->n++];
	char *save, *word;

	if (p->n == CODE_MAX)
		die("program too long");
	i->text = strdup(line);
	i->target = -1;
	word = strtok_r(line, " ", &save);
	for (i->op = 0; i->op < OPS && strcmp(ops[i->op].name, word) != 0; i->op++)
		;
	if (i->op == OPS)
		die("no instruction %s", word);
	for (int a = 0; ops[i->op].args[a]; a++) {
		word = strtok_r(NULL, " ", &save);
		if (!word)
			die("operand missing in %s", i->text);
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
		parse_insn(r, p, line);
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
static bool pairs(struct run *r, const char *text, struct m_state *s, bool check)
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

static uint8_t value(const struct m_thread *t, struct operand o)
{
	return o.reg ? t->reg[o.value] : o.value;
}

static void do_rmw(struct m_state *s, struct m_thread *t, const struct insn *i)
{
	uint8_t *m = &s->mem[i->arg[1].value], old = *m, x = value(t, i->arg[2]);

	switch (i->op) {
	case OP_XCHG:
		*m = x;
		break;
	case OP_OR:
		*m |= x;
		break;
	case OP_AND:
		*m &= x;
		break;
	case OP_ADD:
		*m = (uint8_t)(*m + x);
		break;
	default:
		if (old == x)
			*m = value(t, i->arg[3]);
	}
	t->reg[i->arg[0].value] = old;
}

static bool jumps(const struct m_thread *t, const struct insn *i)
{
	uint8_t r = t->reg[i->arg[0].value];

	switch (i->op) {
	case OP_JMP:
		return true;
	case OP_JZ:
		return !r;
	case OP_JNZ:
		return r;
	case OP_JEQ:
		return r == value(t, i->arg[1]);
	case OP_JTEST:
		return r & value(t, i->arg[1]);
	default:
		return !(r & value(t, i->arg[1]));
	}
}

static void next(struct m *m, int i, int pc)
{
	struct m_thread *t = &m->s.th[i];

	t->pc = (uint16_t)pc;
	t->done = run_of(m)->prog[i].code[pc].op == OP_END;
}

static void wake_all(struct m *m, int v)
{
	for (int i = 0; i < m->model->threads; i++)
		if (m->s.th[i].asleep == v + 1) {
			m->s.th[i].asleep = 0;
			next(m, i, m->s.th[i].pc + 1);
		}
}

static void set_reg(struct m_thread *t, const struct insn *i)
{
	uint8_t *reg = &t->reg[i->arg[0].value], x = value(t, i->arg[1]);

	if (i->op == OP_SET)
		*reg = x;
	else if (i->op == OP_ROR)
		*reg |= x;
	else
		*reg &= x;
}

/* What the checks see and say. */
static void ghost(struct m *m, const struct m_thread *t, const struct insn *i)
{
	uint8_t *v = &m->s.mem[i->arg[0].value], x = value(t, i->arg[1]);
	struct run *r = run_of(m);

	if (i->op == OP_GHOST) {
		*v = x;
	} else if (i->op == OP_INC) {
		++*v;
	} else if (i->op == OP_MUST ? *v != x : *v > x) {
		snprintf(r->error, sizeof(r->error), "\"%s\" fails: it is %u", i->text, *v);
		m->error = r->error;
	}
}

/* Of those that need an empty buffer; false where the thread goes to sleep on it. */
static bool locked_op(struct m *m, struct m_thread *t, const struct insn *i)
{
	int v = i->arg[0].value;

	switch (i->op) {
	case OP_LOCK:
	case OP_UNLOCK:
		m->s.mem[v] = i->op == OP_LOCK;
		return true;
	case OP_WAKE:
		wake_all(m, v);
		return true;
	case OP_FENCE:
		return true;
	case OP_WAIT:
		if (m->s.mem[v] != value(t, i->arg[1]))
			return true;
		t->asleep = (uint8_t)(v + 1);
		return false;
	case OP_WAITFOR:
		t->reg[v] = 0;
		if (m->s.mem[i->arg[1].value] != value(t, i->arg[2]))
			return true;
		t->asleep = (uint8_t)(i->arg[1].value + 1);
		return false;
	default:
		do_rmw(&m->s, t, i);
		return true;
	}
}

/* One instruction, where it is possible now. */
static void execute(struct m *m, struct m_thread *t)
{
	const struct insn *i = &run_of(m)->prog[m->self].code[t->pc];
	int v = i->arg[0].value, pc = t->pc + 1;

	switch (i->op) {
	case OP_END:
		return;
	case OP_LOAD:
		t->reg[v] = m_load(m, t, i->arg[1].value);
		break;
	case OP_STORE:
	case OP_RELEASE:
		if (!m_store(m, t, v, value(t, i->arg[1]), i->op == OP_RELEASE))
			return; /* full: something must drain first */
		break;
	case OP_SET:
	case OP_ROR:
	case OP_RAND:
		set_reg(t, i);
		break;
	case OP_GHOST:
	case OP_INC:
	case OP_MUST:
	case OP_MUSTLE:
		ghost(m, t, i);
		break;
	case OP_JMP ... OP_JCLEAR:
		pc = jumps(t, i) ? i->target : pc;
		break;
	default:
		if (t->nbuf || (i->op == OP_LOCK && m->s.mem[v]))
			return; /* drains first */
		if (!locked_op(m, t, i))
			pc = t->pc;
	}
	m->moved = true;
	if (m->trace)
		fprintf(m->trace, "  %d: %s\n", m->self, i->text);
	next(m, m->self, pc);
}

static void thread(struct m *m, struct m_thread *t)
{
	const struct insn *i = &run_of(m)->prog[m->self].code[t->pc];

	if (m->starting)
		return;
	if (!t->asleep) {
		execute(m, t);
	} else if (m->time_out && i->op == OP_WAITFOR) {
		t->asleep = 0;
		t->reg[i->arg[0].value] = 1;
		m->moved = true;
		next(m, m->self, t->pc + 1);
	}
}

static void init(struct m *m)
{
	pairs(run_of(m), run_of(m)->text->start, &m->s, false);
}

static void final(struct m *m)
{
	struct run *r = run_of(m);

	if (pairs(r, r->text->finally, &m->s, true))
		return;
	snprintf(r->error, sizeof(r->error), "all have ended, but not \"%s\"", r->text->finally);
	m->error = r->error;
}

void x_explore(const struct x_model *text, enum x_machine machine, struct x_result *out)
{
	static const char *const names[M_THREADS] = {"0", "1", "2", "3"};
	struct run *r = calloc(1, sizeof(*r));
	struct m_scenario s = {&r->model, text->name, NULL, false, machine == X_PSO};
	FILE *trace = tmpfile();
	struct m_result result;

	memset(out, 0, sizeof(*out));
	r->text = text;
	r->model.name = text->name;
	r->model.var_names = r->names;
	r->model.init = init;
	r->model.final = final;
	for (int i = 0; i < X_THREADS && text->thread[i]; i++) {
		parse(r, &r->prog[i], text->thread[i]);
		r->model.fn[i] = thread;
		r->model.thread_names[i] = names[i];
		r->model.threads = i + 1;
	}
	result = m_explore(&s, 0, trace);
	out->states = result.states;
	out->bad = result.error;
	if (result.error) {
		size_t n = (size_t)snprintf(out->why, sizeof(out->why), "%s: %s\n", text->name,
					    result.error);

		rewind(trace);
		n += fread(out->why + n, 1, sizeof(out->why) - n - 1, trace);
		out->why[n] = 0;
	}
	fclose(trace);
	for (int t = 0; t < r->model.threads; t++)
		for (int k = 0; k < r->prog[t].n; k++)
			free((char *)(uintptr_t)r->prog[t].code[k].text);
	free(r);
}
