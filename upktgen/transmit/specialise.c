// SPDX-License-Identifier: MIT
/*
 * Three steps over one function without loops to unroll:
 *   1. what each register holds before each instruction that can be reached, as far as it follows
 *      from the read-only data: a number, an address in them, or anything;
 *   2. each instruction with a known result becomes that number, each decided jump a plain one;
 *   3. what nobody reads is dropped, and the rest laid out so that plain jumps disappear.
 */
#include "transmit/specialise.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum {
	REGS = 11,
	FRAME = 10, /* the register that holds the stack's top */
	SLOTS = 16, /* of eight bytes, below it */
	VALUES = REGS + SLOTS,
	MOST = 4096,
};

/* HALF: of a slot whose lower four bytes alone are known. */
enum kind { UNSEEN, NUMBER, HALF, ADDRESS, ANYTHING };

struct value {
	enum kind kind;
	uint64_t v; /* the number, or the offset in the read-only data */
};

/* Registers, and what was put aside on the stack, each slot as its eight bytes were written. */
struct before {
	bool reached;
	struct value r[VALUES];
};

struct work {
	size_t n;
	struct bpf_insn *insn; /* changed in place */
	struct before *before;
	bool *second;	/* of the two slots of a 64-bit load */
	bool *widened;	/* was one slot, is a 64-bit load of ... */
	uint32_t *high; /* ... this upper half */
	bool *dropped;
	uint16_t *live; /* registers that are read after it */
	uint16_t *todo; /* a stack of instructions to look at, each once at most */
	bool *queued;
	size_t nr_todo;
	const struct pg_rodata *rodata;
	int lowest_taken; /* the lowest stack address that somebody else may be told; 0: none */
};

static const struct value anything = {.kind = ANYTHING};

static struct value number(uint64_t v)
{
	return (struct value){NUMBER, v};
}

static unsigned class_of(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code);
}

static bool is_load64(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static bool is_alu(const struct bpf_insn *i)
{
	return class_of(i) == BPF_ALU || class_of(i) == BPF_ALU64;
}

static bool is_jump(const struct bpf_insn *i)
{
	return class_of(i) == BPF_JMP || class_of(i) == BPF_JMP32;
}

static bool is_plain_jump(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA);
}

static bool is_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL);
}

static bool is_exit(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_EXIT);
}

/* A jump that goes somewhere: not a call, nor the end. */
static bool is_branch(const struct bpf_insn *i)
{
	return is_jump(i) && !is_call(i) && !is_exit(i);
}

static bool is_plain_load(const struct bpf_insn *i)
{
	return class_of(i) == BPF_LDX && BPF_MODE(i->code) == BPF_MEM;
}

/* Its only effect is the register that it writes. */
static bool is_pure(const struct bpf_insn *i)
{
	return is_alu(i) || is_plain_load(i) || is_load64(i);
}

static unsigned bytes_of(const struct bpf_insn *i)
{
	switch (BPF_SIZE(i->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* --- 1: what follows ------------------------------------------------------------------------ */

static struct value load(const struct work *w, const struct bpf_insn *i, struct value from)
{
	uint64_t v = 0, at = from.v + (uint64_t)(int64_t)i->off;
	unsigned len = bytes_of(i);

	if (from.kind != ADDRESS || at > w->rodata->size || len > w->rodata->size - at)
		return anything;
	const uint8_t *p = (const uint8_t *)w->rodata->bytes + at;
	uint16_t half;
	uint32_t word;

	switch (len) {
	case 1:
		return number(*p);
	case 2:
		memcpy(&half, p, 2);
		return number(half);
	case 4:
		memcpy(&word, p, 4);
		return number(word);
	default:
		memcpy(&v, p, 8);
		return number(v);
	}
}

static struct value swapped(const struct bpf_insn *i, uint64_t v)
{
	bool big = BPF_SRC(i->code) == BPF_TO_BE, host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	bool swap = class_of(i) == BPF_ALU64 || big != host_big;

	switch (i->imm) {
	case 16:
		return number(swap ? __builtin_bswap16((uint16_t)v) : (uint16_t)v);
	case 32:
		return number(swap ? __builtin_bswap32((uint32_t)v) : (uint32_t)v);
	case 64:
		return number(swap ? __builtin_bswap64(v) : v);
	default:
		return anything;
	}
}

/* Of 64 bits; those of 32 bits are cut by the caller, before and after. */
static struct value computed(unsigned op, uint64_t a, uint64_t b, bool wide)
{
	unsigned shift = (unsigned)b & (wide ? 63 : 31);

	switch (op) {
	case BPF_ADD:
		return number(a + b);
	case BPF_SUB:
		return number(a - b);
	case BPF_MUL:
		return number(a * b);
	case BPF_DIV:
		return number(b ? a / b : 0);
	case BPF_MOD:
		return number(b ? a % b : a);
	case BPF_OR:
		return number(a | b);
	case BPF_AND:
		return number(a & b);
	case BPF_XOR:
		return number(a ^ b);
	case BPF_LSH:
		return number(a << shift);
	case BPF_RSH:
		return number(a >> shift);
	default:
		return anything;
	}
}

static struct value operand(const struct before *b, const struct bpf_insn *i)
{
	return BPF_SRC(i->code) == BPF_X ? b->r[i->src_reg] : number((uint64_t)(int64_t)i->imm);
}

static struct value alu(const struct before *b, const struct bpf_insn *i)
{
	unsigned op = BPF_OP(i->code);
	bool wide = class_of(i) == BPF_ALU64;
	struct value dst = b->r[i->dst_reg], src;

	if (op == BPF_END)
		return dst.kind == NUMBER ? swapped(i, dst.v) : anything;
	if (i->off) /* signed forms */
		return anything;
	if (op == BPF_NEG) {
		src = dst;
		dst = number(0);
		op = BPF_SUB;
	} else {
		src = operand(b, i);
	}
	if (op == BPF_MOV) {
		if (src.kind == NUMBER)
			return number(wide ? src.v : (uint32_t)src.v);
		return wide ? src : anything;
	}
	if (wide && op == BPF_ADD && dst.kind == ADDRESS && src.kind == NUMBER)
		return (struct value){ADDRESS, dst.v + src.v};
	if (dst.kind != NUMBER || src.kind != NUMBER)
		return anything;
	if (wide)
		return computed(op, dst.v, src.v, true);
	struct value narrow = computed(op, (uint32_t)dst.v, (uint32_t)src.v, false);

	narrow.v = (uint32_t)narrow.v;
	return narrow;
}

/* The slot that it reads or writes as a whole, or -1. */
static int slot_of(const struct work *w, unsigned base, const struct bpf_insn *i)
{
	if (base != FRAME || i->off >= w->lowest_taken || i->off < -8 * SLOTS || i->off % 8 ||
	    bytes_of(i) < 4)
		return -1;
	return -i->off / 8 - 1;
}

static struct value put_aside(const struct work *w, const struct before *b,
			      const struct bpf_insn *i)
{
	int slot = slot_of(w, FRAME, i);
	struct value v = slot < 0 ? anything : b->r[REGS + slot];

	if (bytes_of(i) == 4 && (v.kind == NUMBER || v.kind == HALF))
		return number((uint32_t)v.v);
	return v.kind == NUMBER ? v : anything;
}

/* What a pure instruction leaves in its register. */
static struct value result(const struct work *w, size_t at)
{
	const struct bpf_insn *i = &w->insn[at];
	const struct before *b = &w->before[at];

	if (is_load64(i)) {
		if (i->src_reg == 0)
			return number((uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32);
		if (i->src_reg == BPF_PSEUDO_MAP_VALUE && i->imm == w->rodata->map_fd)
			return (struct value){ADDRESS, (uint32_t)i[1].imm};
		return anything;
	}
	if (is_plain_load(i) && i->src_reg == FRAME)
		return put_aside(w, b, i);
	if (is_plain_load(i))
		return load(w, i, b->r[i->src_reg]);
	return alu(b, i);
}

/* 1: taken, 0: not taken, -1: not known. */
static int decided(const struct before *b, const struct bpf_insn *i)
{
	struct value dst = b->r[i->dst_reg], src = operand(b, i);
	uint64_t x = dst.v, y = src.v;

	if (dst.kind != NUMBER || src.kind != NUMBER)
		return -1;
	if (class_of(i) == BPF_JMP32) {
		x = (uint64_t)(int64_t)(int32_t)x;
		y = (uint64_t)(int64_t)(int32_t)y;
	}
	switch (BPF_OP(i->code)) {
	case BPF_JEQ:
		return x == y;
	case BPF_JNE:
		return x != y;
	case BPF_JSET: /* sign extension sets the upper half of both or is cut below */
		return class_of(i) == BPF_JMP32 ? ((uint32_t)x & (uint32_t)y) != 0 : (x & y) != 0;
	case BPF_JGT:
		return x > y;
	case BPF_JGE:
		return x >= y;
	case BPF_JLT:
		return x < y;
	case BPF_JLE:
		return x <= y;
	case BPF_JSGT:
		return (int64_t)x > (int64_t)y;
	case BPF_JSGE:
		return (int64_t)x >= (int64_t)y;
	case BPF_JSLT:
		return (int64_t)x < (int64_t)y;
	case BPF_JSLE:
		return (int64_t)x <= (int64_t)y;
	default:
		return -1;
	}
}

/* Control comes to an instruction with these values. */
static void flow_to(struct work *w, size_t to, const struct value r[VALUES])
{
	struct before *b = &w->before[to];
	bool news = !b->reached;

	for (int i = 0; i < VALUES; i++) {
		struct value now = r[i];

		if (b->reached && (b->r[i].kind != now.kind || b->r[i].v != now.v))
			now = anything;
		if (now.kind == ANYTHING)
			now.v = 0;
		if (b->r[i].kind != now.kind || b->r[i].v != now.v) {
			b->r[i] = now;
			news = true;
		}
	}
	b->reached = true;
	if (news && !w->queued[to]) {
		w->queued[to] = true;
		w->todo[w->nr_todo++] = (uint16_t)to;
	}
}

static size_t target(const struct bpf_insn *i, size_t at)
{
	return (size_t)((int64_t)at + 1 + i->off);
}

/* Known: all loads, stores and jumps of a compiler's single function. */
static bool known(const struct work *w, size_t at)
{
	const struct bpf_insn *i = &w->insn[at];

	if (is_load64(i))
		return at + 1 < w->n;
	if (is_call(i))
		return i->src_reg == 0;
	if (is_jump(i))
		return is_exit(i) || (BPF_OP(i->code) != BPF_CALL && BPF_OP(i->code) != 0xe0 &&
				      (BPF_OP(i->code) != BPF_JA || class_of(i) == BPF_JMP) &&
				      target(i, at) < w->n);
	if (class_of(i) == BPF_ST || class_of(i) == BPF_STX)
		return BPF_MODE(i->code) == BPF_MEM;
	return is_pure(i);
}

/* A store to the stack: a number in a slot of its own, or whatever it was is forgotten. */
static void store(const struct work *w, const struct bpf_insn *i, struct value r[VALUES])
{
	struct value v = class_of(i) == BPF_ST ? number((uint64_t)(int64_t)i->imm) : r[i->src_reg];
	int slot = slot_of(w, i->dst_reg, i);

	if (i->dst_reg != FRAME)
		return;
	for (int k = 0; k < SLOTS; k++) {
		int low = -8 * (k + 1);

		if (i->off < low + 8 && i->off + (int)bytes_of(i) > low)
			r[REGS + k] = anything;
	}
	if (slot >= 0 && v.kind == NUMBER)
		r[REGS + slot] = bytes_of(i) == 8 ? v : (struct value){HALF, (uint32_t)v.v};
}

static bool step(struct work *w, size_t at)
{
	const struct bpf_insn *i = &w->insn[at];
	struct value r[VALUES];

	if (!known(w, at))
		return false;
	memcpy(r, w->before[at].r, sizeof(r));
	if (is_exit(i))
		return true;
	if (is_plain_jump(i)) {
		flow_to(w, target(i, at), r);
		return true;
	}
	if (is_call(i)) {
		for (int k = 0; k <= 5; k++)
			r[k] = anything;
	} else if (is_jump(i)) {
		int taken = decided(&w->before[at], i);

		if (taken)
			flow_to(w, target(i, at), r);
		if (taken == 1)
			return true;
	} else if (is_pure(i)) {
		r[i->dst_reg] = result(w, at);
	} else {
		store(w, i, r);
	}
	size_t next = at + (is_load64(i) ? 2 : 1);

	if (next >= w->n)
		return false;
	flow_to(w, next, r);
	return true;
}

/*
 * An address on the stack is made by a copy of the frame register and an addition right behind it.
 * What lies from there upwards may change behind our back; a copy without one gives all away.
 */
static void find_taken(struct work *w)
{
	for (size_t at = 0; at < w->n; at++) {
		const struct bpf_insn *i = &w->insn[at], *next = i + 1;

		if (w->second[at] || !is_alu(i) || BPF_SRC(i->code) != BPF_X ||
		    i->src_reg != FRAME || BPF_OP(i->code) == BPF_END)
			continue;
		int taken = -8 * SLOTS;

		/* NOLINTNEXTLINE(misc-redundant-expression): BPF_ADD and BPF_K are 0, both */
		if (at + 1 < w->n && next->code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		    next->dst_reg == i->dst_reg && i->code == (BPF_ALU64 | BPF_MOV | BPF_X))
			taken = next->imm;
		if (taken < w->lowest_taken)
			w->lowest_taken = taken;
	}
	/* A frame register that is stored is given away as well. */
	for (size_t at = 0; at < w->n; at++)
		if (class_of(&w->insn[at]) == BPF_STX && w->insn[at].src_reg == FRAME)
			w->lowest_taken = -8 * SLOTS;
}

static int find_values(struct work *w)
{
	struct value entry[VALUES];

	for (int i = 0; i < VALUES; i++)
		entry[i] = anything;
	find_taken(w);
	flow_to(w, 0, entry);
	while (w->nr_todo) {
		size_t at = w->todo[--w->nr_todo];

		w->queued[at] = false;
		if (!step(w, at))
			return -EOPNOTSUPP;
	}
	return 0;
}

/* --- 2: what is known --------------------------------------------------------------------------- */

static bool fits(uint64_t v)
{
	return (int64_t)v == (int64_t)(int32_t)v;
}

/* A number in place of what computed it. */
static void as_number(struct work *w, size_t at, uint64_t v)
{
	struct bpf_insn *i = &w->insn[at];
	struct bpf_insn now = {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = i->dst_reg};

	if (is_load64(i)) {
		w->second[at + 1] = false;
		w->dropped[at + 1] = true;
	}
	if (!fits(v) && v <= UINT32_MAX) {
		now.code = BPF_ALU | BPF_MOV | BPF_K;
	} else if (!fits(v)) {
		now.code = BPF_LD | BPF_IMM | BPF_DW;
		w->widened[at] = true;
		w->high[at] = (uint32_t)(v >> 32);
	}
	now.imm = (int32_t)(uint32_t)v;
	*i = now;
}

/* As an immediate operand the kernel refuses these. */
static bool refused(const struct bpf_insn *i, uint64_t v)
{
	unsigned op = BPF_OP(i->code);

	if (!is_alu(i))
		return false;
	if (op == BPF_DIV || op == BPF_MOD)
		return (uint32_t)v == 0;
	return (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && v > 31;
}

/* A known right operand moves into the instruction. */
static void take_operand(struct bpf_insn *i, const struct before *b)
{
	struct value src = b->r[i->src_reg];
	bool narrow = class_of(i) == BPF_ALU || class_of(i) == BPF_JMP32;

	if (BPF_SRC(i->code) != BPF_X || src.kind != NUMBER || (!narrow && !fits(src.v)) ||
	    refused(i, src.v))
		return;
	i->code = (uint8_t)((i->code & ~BPF_X) | BPF_K);
	i->src_reg = 0;
	i->imm = (int32_t)(uint32_t)src.v;
}

static void take_stored(struct bpf_insn *i, const struct before *b)
{
	struct value src = b->r[i->src_reg];

	if (src.kind != NUMBER || (bytes_of(i) == 8 && !fits(src.v)))
		return;
	i->code = (uint8_t)(BPF_ST | BPF_SIZE(i->code) | BPF_MEM);
	i->src_reg = 0;
	i->imm = (int32_t)(uint32_t)src.v;
}

/* Adds or shifts by nothing. */
static bool does_nothing(const struct bpf_insn *i)
{
	unsigned op = BPF_OP(i->code);

	return class_of(i) == BPF_ALU64 && BPF_SRC(i->code) == BPF_K && i->imm == 0 &&
	       (op == BPF_ADD || op == BPF_SUB || op == BPF_OR || op == BPF_XOR || op == BPF_LSH ||
		op == BPF_RSH);
}

static void rewrite_alu(struct work *w, size_t at)
{
	struct bpf_insn *i = &w->insn[at];
	unsigned op = BPF_OP(i->code);

	if (op != BPF_END && op != BPF_NEG && i->off == 0)
		take_operand(i, &w->before[at]);
	if (does_nothing(i))
		w->dropped[at] = true;
}

static void rewrite(struct work *w, size_t at)
{
	struct bpf_insn *i = &w->insn[at];

	if (is_pure(i)) {
		struct value v = result(w, at);

		if (v.kind == NUMBER)
			as_number(w, at, v.v);
		else if (is_alu(i))
			rewrite_alu(w, at);
	} else if (class_of(i) == BPF_STX) {
		take_stored(i, &w->before[at]);
	} else if (is_branch(i) && !is_plain_jump(i)) {
		int taken = decided(&w->before[at], i);

		if (taken == 0)
			w->dropped[at] = true;
		else if (taken == 1)
			*i = (struct bpf_insn){.code = BPF_JMP | BPF_JA, .off = i->off};
		else
			take_operand(i, &w->before[at]);
	}
}

static void rewrite_all(struct work *w)
{
	for (size_t at = 0; at < w->n; at++) {
		if (w->second[at])
			continue;
		if (!w->before[at].reached) {
			w->dropped[at] = true;
			if (is_load64(&w->insn[at]))
				w->dropped[at + 1] = true;
			continue;
		}
		rewrite(w, at);
	}
}

/* --- 3: what is needed -------------------------------------------------------------------------- */

static uint16_t bit(unsigned reg)
{
	return (uint16_t)(1u << reg);
}

/* Arguments of the helpers that are known; of others as many as there can be. */
static uint16_t arguments(const struct bpf_insn *i)
{
	switch (i->imm) {
	case BPF_FUNC_ktime_get_ns:
	case BPF_FUNC_ktime_get_tai_ns:
		return 0;
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_redirect:
	case BPF_FUNC_xdp_adjust_tail:
		return 0x06;
	case BPF_FUNC_redirect_map:
		return 0x0e;
	default:
		return 0x3e;
	}
}

static uint16_t reads(const struct bpf_insn *i)
{
	uint16_t r = 0;

	if (is_call(i))
		return arguments(i);
	if (is_exit(i))
		return 1;
	if (is_plain_jump(i) || is_load64(i))
		return 0;
	if (is_plain_load(i))
		return bit(i->src_reg);
	if (class_of(i) == BPF_ST)
		return bit(i->dst_reg);
	if (class_of(i) == BPF_STX)
		return bit(i->dst_reg) | bit(i->src_reg);
	if (is_jump(i) || BPF_OP(i->code) != BPF_MOV)
		r = bit(i->dst_reg);
	if (BPF_SRC(i->code) == BPF_X && !(is_alu(i) && BPF_OP(i->code) == BPF_END))
		r |= bit(i->src_reg);
	return r;
}

static uint16_t writes(const struct bpf_insn *i)
{
	if (is_call(i))
		return 0x3f;
	return is_pure(i) ? bit(i->dst_reg) : 0;
}

/* The next instruction that stays. */
static size_t skip(const struct work *w, size_t at)
{
	while (at < w->n && (w->dropped[at] || w->second[at]))
		at++;
	return at;
}

static uint16_t needed_before(const struct work *w, size_t at)
{
	at = skip(w, at);
	if (at >= w->n)
		return 0;
	const struct bpf_insn *i = &w->insn[at];

	return (uint16_t)((w->live[at] & ~writes(i)) | reads(i));
}

static bool spread_liveness(struct work *w)
{
	bool news = false;

	for (size_t at = w->n; at-- > 0;) {
		const struct bpf_insn *i = &w->insn[at];
		uint16_t now = 0;

		if (w->dropped[at] || w->second[at])
			continue;
		if (is_branch(i))
			now |= needed_before(w, target(i, at));
		if (!is_exit(i) && !is_plain_jump(i))
			now |= needed_before(w, at + 1);
		if (now & ~w->live[at]) {
			w->live[at] |= now;
			news = true;
		}
	}
	return news;
}

static bool drop_unread(struct work *w)
{
	bool news = false;

	memset(w->live, 0, w->n * sizeof(w->live[0]));
	while (spread_liveness(w))
		;
	for (size_t at = 0; at < w->n; at++) {
		const struct bpf_insn *i = &w->insn[at];

		if (w->dropped[at] || w->second[at] || !is_pure(i) || w->live[at] & bit(i->dst_reg))
			continue;
		w->dropped[at] = true;
		if (is_load64(i) && !w->widened[at])
			w->dropped[at + 1] = true;
		news = true;
	}
	return news;
}

/* Stores to slots that nobody reads any more. */
static bool drop_unread_slots(struct work *w)
{
	bool read[8 * SLOTS] = {false}, news = false;

	for (size_t at = 0; at < w->n; at++) {
		const struct bpf_insn *i = &w->insn[at];

		if (!w->dropped[at] && !w->second[at] && is_plain_load(i) && i->src_reg == FRAME)
			for (int k = i->off; k < i->off + (int)bytes_of(i); k++)
				if (k < 0 && k >= -8 * SLOTS)
					read[-k - 1] = true;
	}
	for (size_t at = 0; at < w->n; at++) {
		const struct bpf_insn *i = &w->insn[at];
		bool needed = false;

		if (w->dropped[at] || w->second[at] || i->dst_reg != FRAME ||
		    (class_of(i) != BPF_ST && class_of(i) != BPF_STX) ||
		    i->off + (int)bytes_of(i) > w->lowest_taken || i->off < -8 * SLOTS)
			continue;
		for (int k = i->off; k < i->off + (int)bytes_of(i); k++)
			needed |= k < 0 && read[-k - 1];
		if (!needed)
			w->dropped[at] = news = true;
	}
	return news;
}

struct layout {
	struct bpf_insn *out;
	size_t n, room;
	int32_t *place;	   /* of an instruction in out, or -1 */
	uint16_t *goes_to; /* of an instruction of out that jumps: where to, in w */
	uint16_t *open;	   /* places to begin at */
	size_t nr_open;
};

static bool emit(struct layout *l, const struct bpf_insn *i, size_t goes_to)
{
	if (l->n >= l->room)
		return false;
	l->goes_to[l->n] = (uint16_t)goes_to;
	l->out[l->n++] = *i;
	return true;
}

/* From one instruction on until control ends or comes to what is laid out already. */
static bool lay_from(const struct work *w, struct layout *l, size_t at)
{
	static const struct bpf_insn jump = {.code = BPF_JMP | BPF_JA};

	at = skip(w, at);
	if (at < w->n && l->place[at] >= 0)
		return true;
	for (;;) {
		if (at >= w->n)
			return false;
		if (l->place[at] >= 0)
			return emit(l, &jump, at);
		const struct bpf_insn *i = &w->insn[at];

		l->place[at] = (int32_t)l->n;
		if (is_plain_jump(i)) {
			at = skip(w, target(i, at));
			continue;
		}
		bool leaves = is_branch(i);
		size_t to = leaves ? skip(w, target(i, at)) : 0;

		struct bpf_insn high = {.imm = (int32_t)w->high[at]};

		if (!emit(l, i, to) ||
		    (is_load64(i) && !emit(l, w->widened[at] ? &high : i + 1, 0)))
			return false;
		if (leaves)
			l->open[l->nr_open++] = (uint16_t)to;
		if (is_exit(i))
			return true;
		at = skip(w, at + 1);
	}
}

static int lay_out(const struct work *w, struct layout *l)
{
	l->open[l->nr_open++] = 0;
	while (l->nr_open)
		if (!lay_from(w, l, l->open[--l->nr_open]))
			return -EOPNOTSUPP;
	for (size_t k = 0; k < l->n; k++) {
		struct bpf_insn *i = &l->out[k];

		if (is_load64(i))
			k++;
		else if (is_branch(i))
			i->off = (int16_t)(l->place[l->goes_to[k]] - (int32_t)k - 1);
	}
	return (int)l->n;
}

static int finish(const struct work *w, struct bpf_insn **out)
{
	struct layout l = {.room = 2 * w->n + 16};
	int n = -ENOMEM;

	l.out = ww_alloc(l.room * sizeof(l.out[0]));
	l.place = ww_alloc(w->n * sizeof(l.place[0]));
	l.goes_to = ww_alloc(l.room * sizeof(l.goes_to[0]));
	l.open = ww_alloc((w->n + 1) * sizeof(l.open[0]));
	if (l.out && l.place && l.goes_to && l.open) {
		memset(l.place, 0xff, w->n * sizeof(l.place[0]));
		n = lay_out(w, &l);
	}
	ww_free(l.place);
	ww_free(l.goes_to);
	ww_free(l.open);
	if (n < 0)
		ww_free(l.out);
	else
		*out = l.out;
	return n;
}

static void mark_second_slots(struct work *w)
{
	for (size_t at = 0; at < w->n; at++)
		if (is_load64(&w->insn[at]) && at + 1 < w->n)
			w->second[++at] = true;
}

int pg_specialise(const struct bpf_insn *in, size_t n, const struct pg_rodata *rodata,
		  struct bpf_insn **out)
{
	struct work w = {.n = n, .rodata = rodata};
	int err = -ENOMEM;

	if (n == 0 || n > MOST)
		return -EOPNOTSUPP;
	w.insn = ww_alloc(n * sizeof(w.insn[0]));
	w.before = ww_alloc(n * sizeof(w.before[0]));
	w.second = ww_alloc(n * sizeof(w.second[0]));
	w.dropped = ww_alloc(n * sizeof(w.dropped[0]));
	w.live = ww_alloc(n * sizeof(w.live[0]));
	w.todo = ww_alloc(n * sizeof(w.todo[0]));
	w.widened = ww_alloc(n * sizeof(w.widened[0]));
	w.high = ww_alloc(n * sizeof(w.high[0]));
	w.queued = ww_alloc(n * sizeof(w.queued[0]));
	if (w.insn && w.before && w.second && w.dropped && w.live && w.todo && w.queued &&
	    w.widened && w.high) {
		memcpy(w.insn, in, n * sizeof(in[0]));
		mark_second_slots(&w);
		err = find_values(&w);
	}
	if (!err) {
		rewrite_all(&w);
		while (drop_unread(&w) || drop_unread_slots(&w))
			;
		err = finish(&w, out);
	}
	ww_free(w.insn);
	ww_free(w.before);
	ww_free(w.second);
	ww_free(w.dropped);
	ww_free(w.live);
	ww_free(w.todo);
	ww_free(w.queued);
	ww_free(w.widened);
	ww_free(w.high);
	return err;
}
