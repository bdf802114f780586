/* SPDX-License-Identifier: MIT */
/* Sorting, random numbers, square roots, time: small things that only need a home. */
#include "support.h"

#include <sys/random.h>
#include <sys/utsname.h>

#include <wheelwork/thread.h>
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/math.h>
#include <linux/random.h>
#include <linux/sort.h>
#include <linux/utsname.h>

struct order {
	size_t size;
	cmp_r_func_t cmp;
	swap_r_func_t swap;
	const void *priv;
};

static void exchange(const struct order *o, char *a, char *b)
{
	if (o->swap) {
		o->swap(a, b, (int)o->size, o->priv);
		return;
	}
	for (size_t i = 0; i < o->size; i++) {
		char t = a[i];

		a[i] = b[i];
		b[i] = t;
	}
}

static void sift_down(const struct order *o, char *base, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n &&
		    o->cmp(base + child * o->size, base + (child + 1) * o->size, o->priv) < 0)
			child++;
		if (o->cmp(base + root * o->size, base + child * o->size, o->priv) >= 0)
			return;
		exchange(o, base + root * o->size, base + child * o->size);
	}
}

WW_LINUX_EXPORT void ww_linux_sort_r(void *base, size_t num, size_t size, cmp_r_func_t cmp,
				     swap_r_func_t swap_fn, const void *priv)
{
	struct order o = {size, cmp, swap_fn, priv};

	for (size_t i = num / 2; i-- > 0;)
		sift_down(&o, base, i, num);
	for (size_t n = num; n-- > 1;) {
		exchange(&o, base, (char *)base + n * size);
		sift_down(&o, base, 0, n);
	}
}

struct plain_order {
	cmp_func_t cmp;
	swap_func_t swap;
};

static int plain_cmp(const void *a, const void *b, const void *priv)
{
	return ((const struct plain_order *)priv)->cmp(a, b);
}

static void plain_swap(void *a, void *b, int size, const void *priv)
{
	((const struct plain_order *)priv)->swap(a, b, size);
}

WW_LINUX_EXPORT void ww_linux_sort(void *base, size_t num, size_t size, cmp_func_t cmp,
				   swap_func_t swap_fn)
{
	struct plain_order p = {cmp, swap_fn};

	ww_linux_sort_r(base, num, size, plain_cmp, swap_fn ? plain_swap : NULL, &p);
}

/* Takes up to n entries off *from, sorted, linked by next alone and ended by NULL. */
static struct list_head *merge_sort(void *priv, struct list_head **from, size_t n,
				    list_cmp_func_t cmp)
{
	struct list_head *a, *b, *out = NULL, **tail = &out;

	if (n == 1) {
		a = *from;
		*from = a->next;
		a->next = NULL;
		return a;
	}
	a = merge_sort(priv, from, n / 2, cmp);
	b = merge_sort(priv, from, n - n / 2, cmp);
	while (a && b) {
		struct list_head **least = cmp(priv, a, b) <= 0 ? &a : &b;

		*tail = *least;
		tail = &(*least)->next;
		*least = *tail;
	}
	*tail = a ? a : b;
	return out;
}

WW_LINUX_EXPORT void ww_linux_list_sort(void *priv, struct list_head *head, list_cmp_func_t cmp)
{
	size_t n = list_count_nodes(head);
	struct list_head *p = head->next, *next;

	if (n < 2)
		return;
	p = merge_sort(priv, &p, n, cmp);
	INIT_LIST_HEAD(head);
	for (; p; p = next) {
		next = p->next;
		list_add_tail(p, head);
	}
}

static uint64_t splitmix(void)
{
	uint64_t z = __atomic_add_fetch(&ww_linux_settings.seed, 0x9E3779B97F4A7C15ull,
					__ATOMIC_RELAXED);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
	return z ^ (z >> 31);
}

WW_LINUX_EXPORT void ww_linux_get_random_bytes(void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		uint64_t v;
		ssize_t n = len < sizeof(v) ? (ssize_t)len : (ssize_t)sizeof(v);

		if (ww_linux_settings.seeded) {
			v = splitmix();
			memcpy(p, &v, (size_t)n);
		} else {
			n = getrandom(p, len, 0);
			if (n < 0)
				continue; /* interrupted */
		}
		p += n;
		len -= (size_t)n;
	}
}

WW_LINUX_EXPORT u64 ww_linux_random_u64(void)
{
	u64 v;

	ww_linux_get_random_bytes(&v, sizeof(v));
	return v;
}

WW_LINUX_EXPORT u32 ww_linux_random_u32(void)
{
	return (u32)ww_linux_random_u64();
}

WW_LINUX_EXPORT u32 ww_linux_random_below(u32 ceil)
{
	u64 m;

	if (!ceil)
		return 0;
	do /* without the bias of a plain product */
		m = (u64)ww_linux_random_u32() * ceil;
	while ((u32)m < (u32)-ceil % ceil);
	return (u32)(m >> 32);
}

static u32 taus(u32 s, int a, int b, u32 c, int d)
{
	return ((s & c) << d) ^ (((s << a) ^ s) >> b);
}

WW_LINUX_EXPORT u32 ww_linux_prandom_u32_state(struct rnd_state *st)
{
	st->s1 = taus(st->s1, 6, 13, ~1u, 18);
	st->s2 = taus(st->s2, 2, 27, ~7u, 2);
	st->s3 = taus(st->s3, 13, 21, ~15u, 7);
	st->s4 = taus(st->s4, 3, 12, ~127u, 13);
	return st->s1 ^ st->s2 ^ st->s3 ^ st->s4;
}

WW_LINUX_EXPORT void ww_linux_prandom_seed_state(struct rnd_state *st, u64 seed)
{
	u32 i = (u32)((seed >> 32) ^ (seed << 10) ^ seed);

	st->s1 = i < 2 ? i + 2 : i;
	st->s2 = i < 8 ? i + 8 : i;
	st->s3 = i < 16 ? i + 16 : i;
	st->s4 = i < 128 ? i + 128 : i;
}

WW_LINUX_EXPORT void ww_linux_prandom_bytes_state(struct rnd_state *st, void *buf, size_t n)
{
	char *p = buf;

	for (size_t i = 0; i < n; i += 4) {
		u32 v = ww_linux_prandom_u32_state(st);

		memcpy(p + i, &v, n - i < 4 ? n - i : 4);
	}
}

WW_LINUX_EXPORT unsigned long ww_linux_int_sqrt(unsigned long x)
{
	unsigned long r = 0;

	for (unsigned long bit = 1ul << 62; bit; bit >>= 2) {
		if (x >= r + bit) {
			x -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return r;
}

WW_LINUX_EXPORT struct new_utsname *ww_linux_utsname(void)
{
	static struct new_utsname name;
	struct utsname u;

	if (uname(&u) == 0) {
		snprintf(name.sysname, sizeof(name.sysname), "%s", u.sysname);
		snprintf(name.nodename, sizeof(name.nodename), "%s", u.nodename);
		snprintf(name.release, sizeof(name.release), "%s", u.release);
		snprintf(name.version, sizeof(name.version), "%s", u.version);
		snprintf(name.machine, sizeof(name.machine), "%s", u.machine);
	}
	return &name;
}
