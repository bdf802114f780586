// SPDX-License-Identifier: MIT
/*
 * The small things: sorting, lists, bits, strings, numbers, division, errors, random numbers.
 * run: --duration 1ms
 * expect: all the small things work
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

struct card {
	struct list_head node;
	int value, order;
};

static int by_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static int by_value(void *priv, const struct list_head *a, const struct list_head *b)
{
	return list_entry(a, struct card, node)->value - list_entry(b, struct card, node)->value;
}

static void sorting(void)
{
	int v[100], i;
	struct card card[50], *c, *last = NULL;
	LIST_HEAD(deck);

	for (i = 0; i < 100; i++)
		v[i] = (int)get_random_u32();
	sort(v, 100, sizeof(v[0]), by_int, NULL);
	for (i = 1; i < 100; i++)
		WARN_ON(v[i - 1] > v[i]);
	for (i = 0; i < 50; i++) {
		card[i].value = (int)get_random_u32_below(10);
		card[i].order = i;
		list_add_tail(&card[i].node, &deck);
	}
	list_sort(NULL, &deck, by_value);
	i = 0;
	list_for_each_entry (c, &deck, node) {
		WARN_ON(last && (last->value > c->value ||
				 (last->value == c->value && last->order > c->order)));
		WARN_ON(list_entry(c->node.prev->next, struct card, node) != c);
		last = c;
		i++;
	}
	WARN_ON(i != 50 || list_is_singular(&deck) || list_empty(&deck));
}

static void bits(void)
{
	DECLARE_BITMAP(map, 200);
	unsigned int n = 0, bit;

	bitmap_zero(map, 200);
	bitmap_set(map, 60, 10);
	__set_bit(199, map);
	WARN_ON(test_and_set_bit(3, map) || !test_and_set_bit(3, map));
	for_each_set_bit (bit, map, 200)
		n++;
	WARN_ON(n != 12 || bitmap_weight(map, 200) != 12);
	WARN_ON(find_next_zero_bit(map, 200, 60) != 70 || find_last_bit(map, 200) != 199);
	WARN_ON(fls(0) || fls(0x80000000) != 32 || __ffs(8) != 3 || fls64(1ull << 40) != 41);
	WARN_ON(ilog2(1023) != 9 || roundup_pow_of_two(33) != 64 || !is_power_of_2(64));
	WARN_ON(hweight32(0xff00ff) != 16 || rol32(0x80000001, 1) != 3);
	WARN_ON(cpumask_weight(cpu_online_mask) != num_online_cpus());
}

static void numbers(void)
{
	unsigned long ul;
	u64 n = 1000000007;
	u32 rem;
	int i;
	u8 byte;
	bool b;

	WARN_ON(kstrtoint("-42\n", 10, &i) || i != -42);
	WARN_ON(kstrtoul("0x10", 0, &ul) || ul != 16);
	WARN_ON(kstrtou8("256", 10, &byte) != -ERANGE || kstrtoint("4x", 10, &i) != -EINVAL);
	WARN_ON(kstrtobool("on", &b) || !b || kstrtobool("maybe", &b) != -EINVAL);
	WARN_ON(simple_strtoul("077,", NULL, 0) != 63 || memparse("2k", NULL) != 2048);
	rem = do_div(n, 10);
	WARN_ON(rem != 7 || n != 100000000);
	WARN_ON(div_u64(1ull << 40, 3) != 366503875925ull || DIV_ROUND_UP(7, 2) != 4);
	WARN_ON(mul_u64_u32_shr(1ull << 60, 1 << 10, 40) != 1ull << 30);
	WARN_ON(int_sqrt(99) != 9 || round_up(13, 8) != 16 || roundup(13, 5) != 15);
	WARN_ON(clamp(12, 1, 10) != 10 || min_t(u8, 0x2c, 50) != 44 || abs(-3) != 3);
	WARN_ON(DIV_ROUND_CLOSEST(7, 2) != 4 || abs_diff(3u, 5u) != 2);
}

static void strings(void)
{
	char buf[8], text[] = "  padded \n";
	char *s = kasprintf(GFP_KERNEL, "%s-%d", "a", 5);

	WARN_ON(!s || strcmp(s, "a-5"));
	kfree(s);
	WARN_ON(strscpy(buf, "longer than that", sizeof(buf)) != -E2BIG || strcmp(buf, "longer "));
	WARN_ON(strscpy(buf, "ab") != 2 || scnprintf(buf, sizeof(buf), "%010d", 1) != 7);
	WARN_ON(strcmp(strim(text), "padded") || !sysfs_streq("a\n", "a") ||
		sysfs_streq("a", "ab"));
	WARN_ON(strcmp(kbasename("/a/b"), "b") || memchr_inv("aaab", 'a', 4) == NULL);
	WARN_ON(hex_to_bin('f') != 15 || str_has_prefix("prefix", "pre") != 3);
}

static int __init library_init(void)
{
	refcount_t r = REFCOUNT_INIT(1);
	atomic_t a = ATOMIC_INIT(5);
	void *p = ERR_PTR(-ENOENT);

	sorting();
	bits();
	numbers();
	strings();
	WARN_ON(!IS_ERR(p) || PTR_ERR(p) != -ENOENT || IS_ERR_OR_NULL(&a) ||
		PTR_ERR_OR_ZERO(p) != -2);
	WARN_ON(!refcount_inc_not_zero(&r) || refcount_dec_and_test(&r) ||
		!refcount_dec_and_test(&r) || refcount_inc_not_zero(&r));
	WARN_ON(atomic_add_return(3, &a) != 8 || atomic_fetch_sub(1, &a) != 8 ||
		atomic_cmpxchg(&a, 7, 1) != 7 || atomic_dec_and_test(&a) != true ||
		atomic_inc_not_zero(&a) || atomic_dec_if_positive(&a) != -1);
	WARN_ON(kmalloc(0, GFP_KERNEL) != ZERO_SIZE_PTR || kcalloc(SIZE_MAX / 2, 4, GFP_KERNEL));
	pr_info("all the small things work\n");
	return 0;
}

static void __exit library_exit(void)
{
}

module_init(library_init);
module_exit(library_exit);
MODULE_LICENSE("Dual MIT/GPL");
