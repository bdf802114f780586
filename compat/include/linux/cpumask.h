/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_CPUMASK_H
#define __LINUX_CPUMASK_H
#define WW_LINUX_CPUMASK_H

#include <linux/types.h>
#include <linux/threads.h>
#include <linux/bitops.h>
#include <linux/bitmap.h>

typedef struct cpumask {
	DECLARE_BITMAP(bits, NR_CPUS);
} cpumask_t;
typedef struct cpumask cpumask_var_t[1];

/* CPUs that this process may use are online; those of the machine are possible and present. */
const struct cpumask *ww_linux_cpu_possible_mask(void);
const struct cpumask *ww_linux_cpu_online_mask(void);
unsigned ww_linux_nr_cpu_ids(void);

#define cpu_possible_mask ww_linux_cpu_possible_mask()
#define cpu_present_mask  ww_linux_cpu_possible_mask()
#define cpu_online_mask	  ww_linux_cpu_online_mask()
#define cpu_active_mask	  ww_linux_cpu_online_mask()
#define cpu_all_mask	  ww_linux_cpu_possible_mask()
#define nr_cpu_ids	  ww_linux_nr_cpu_ids()
#define nr_cpumask_bits	  NR_CPUS
#define cpumask_bits(m)	  ((m)->bits)

#define cpumask_first(m)		 ((unsigned)find_first_bit((m)->bits, nr_cpu_ids))
#define cpumask_next(n, m)		 ((unsigned)find_next_bit((m)->bits, nr_cpu_ids, (unsigned)((n) + 1)))
#define cpumask_first_zero(m)		 ((unsigned)find_first_zero_bit((m)->bits, nr_cpu_ids))
#define cpumask_last(m)			 ((unsigned)find_last_bit((m)->bits, nr_cpu_ids))
#define cpumask_any(m)			 cpumask_first(m)
#define cpumask_set_cpu(c, m)		 set_bit((unsigned)(c), (m)->bits)
#define cpumask_clear_cpu(c, m)		 clear_bit((unsigned)(c), (m)->bits)
#define __cpumask_set_cpu(c, m)		 __set_bit((unsigned)(c), (m)->bits)
#define __cpumask_clear_cpu(c, m)	 __clear_bit((unsigned)(c), (m)->bits)
#define cpumask_test_cpu(c, m)		 test_bit((unsigned)(c), (m)->bits)
#define cpumask_test_and_set_cpu(c, m)	 test_and_set_bit((unsigned)(c), (m)->bits)
#define cpumask_test_and_clear_cpu(c, m) test_and_clear_bit((unsigned)(c), (m)->bits)
#define cpumask_setall(m)		 bitmap_fill((m)->bits, nr_cpu_ids)
#define cpumask_clear(m)		 bitmap_zero((m)->bits, NR_CPUS)
#define cpumask_and(d, a, b)		 bitmap_and((d)->bits, (a)->bits, (b)->bits, NR_CPUS)
#define cpumask_or(d, a, b)		 ((void)bitmap_or((d)->bits, (a)->bits, (b)->bits, NR_CPUS))
#define cpumask_xor(d, a, b)		 ((void)bitmap_xor((d)->bits, (a)->bits, (b)->bits, NR_CPUS))
#define cpumask_andnot(d, a, b)		 bitmap_andnot((d)->bits, (a)->bits, (b)->bits, NR_CPUS)
#define cpumask_equal(a, b)		 bitmap_equal((a)->bits, (b)->bits, NR_CPUS)
#define cpumask_intersects(a, b)	 bitmap_intersects((a)->bits, (b)->bits, NR_CPUS)
#define cpumask_subset(a, b)		 bitmap_subset((a)->bits, (b)->bits, NR_CPUS)
#define cpumask_empty(m)		 bitmap_empty((m)->bits, nr_cpu_ids)
#define cpumask_full(m)			 bitmap_full((m)->bits, nr_cpu_ids)
#define cpumask_weight(m)		 bitmap_weight((m)->bits, nr_cpu_ids)
#define cpumask_copy(d, s)		 ((void)(*(d) = *(s)))
#define cpumask_size()			 sizeof(struct cpumask)
#define cpumask_pr_args(m)		 (int)nr_cpu_ids, (m)->bits
#define for_each_cpu(cpu, m)		 for_each_set_bit (cpu, (m)->bits, nr_cpu_ids)
#define for_each_possible_cpu(cpu)	 for_each_cpu ((cpu), cpu_possible_mask)
#define for_each_online_cpu(cpu)	 for_each_cpu ((cpu), cpu_online_mask)
#define for_each_present_cpu(cpu)	 for_each_cpu ((cpu), cpu_present_mask)
#define for_each_cpu_and(cpu, a, b)                                                                \
	for_each_cpu (cpu, a)                                                                      \
		if (cpumask_test_cpu(cpu, b))
#define for_each_cpu_andnot(cpu, a, b)                                                             \
	for_each_cpu (cpu, a)                                                                      \
		if (!cpumask_test_cpu(cpu, b))
#define for_each_cpu_not(cpu, m)                                                                   \
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)                                               \
		if (!cpumask_test_cpu(cpu, m))
/* Each once, from start on and round. */
#define for_each_cpu_wrap(cpu, m, start)                                                           \
	for (unsigned ww_i_ = 0; ww_i_ < nr_cpu_ids; ww_i_++)                                      \
		if ((cpu) = ((unsigned)(start) + ww_i_) % nr_cpu_ids, cpumask_test_cpu(cpu, m))
/* nr_cpu_ids where there is none */
WW_LINUX_INLINE unsigned cpumask_next_and(int n, const struct cpumask *a, const struct cpumask *b)
{
	do
		n = (int)cpumask_next(n, a);
	while ((unsigned)n < nr_cpu_ids && !cpumask_test_cpu(n, b));
	return (unsigned)n < nr_cpu_ids ? (unsigned)n : nr_cpu_ids;
}
WW_LINUX_INLINE unsigned cpumask_nth(unsigned nth, const struct cpumask *m)
{
	unsigned cpu;

	for_each_cpu (cpu, m)
		if (!nth--)
			break;
	return cpu < nr_cpu_ids ? cpu : nr_cpu_ids;
}
WW_LINUX_INLINE unsigned cpumask_weight_and(const struct cpumask *a, const struct cpumask *b)
{
	unsigned cpu, n = 0;

	for_each_cpu (cpu, a)
		n += cpumask_test_cpu(cpu, b);
	return n;
}
#define cpumask_first_and(a, b) cpumask_next_and(-1, a, b)
#define cpumask_any_and(a, b)	cpumask_next_and(-1, a, b)
#define cpumask_any_but(m, c)	ww_cpumask_any_but_(m, (unsigned)(c))
WW_LINUX_INLINE unsigned ww_cpumask_any_but_(const struct cpumask *m, unsigned but)
{
	unsigned cpu = cpumask_first(m);

	return cpu == but ? (unsigned)cpumask_next(cpu, m) : cpu;
}
#define cpumask_next_zero(n, m)                                                                    \
	((unsigned)find_next_zero_bit((m)->bits, nr_cpu_ids, (unsigned)((n) + 1)))
#define cpumask_complement(d, s)                                                                   \
	bitmap_andnot((d)->bits, cpu_possible_mask->bits, (s)->bits, NR_CPUS)
#define cpumask_local_spread(i, nd)                                                                \
	((void)(nd), cpumask_nth((i) % num_online_cpus(), cpu_online_mask))
#define cpumask_available(m) ((void)(m), true)
#define cpumask_check(cpu)   (cpu)
#define get_cpu_mask(cpu)    cpumask_of(cpu)
#define cpu_active(cpu)	     cpu_online(cpu)
#define num_active_cpus()    num_online_cpus()
#define num_online_cpus()    cpumask_weight(cpu_online_mask)
#define num_possible_cpus()  cpumask_weight(cpu_possible_mask)
#define num_present_cpus()   cpumask_weight(cpu_possible_mask)
#define cpu_online(cpu)	     cpumask_test_cpu((cpu), cpu_online_mask)
#define cpu_possible(cpu)    cpumask_test_cpu((cpu), cpu_possible_mask)
#define cpu_present(cpu)     cpumask_test_cpu((cpu), cpu_possible_mask)
const struct cpumask *ww_linux_cpumask_of(unsigned cpu);
#define cpumask_of ww_linux_cpumask_of

#define alloc_cpumask_var(m, gfp)	     ((void)(m), true)
#define zalloc_cpumask_var(m, gfp)	     (cpumask_clear(*(m)), true)
#define alloc_cpumask_var_node(m, gfp, node) ((void)(m), true)
#define zalloc_cpumask_var_node(m, gfp, n)   (cpumask_clear(*(m)), true)
#define free_cpumask_var(m)		     ((void)(m))

/* No CPU comes or goes under us. */
#define cpus_read_lock()   ((void)0)
#define cpus_read_unlock() ((void)0)
#define get_online_cpus()  ((void)0)
#define put_online_cpus()  ((void)0)

#endif
