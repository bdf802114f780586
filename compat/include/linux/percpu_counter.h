/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PERCPU_COUNTER_H
#define _LINUX_PERCPU_COUNTER_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/errno.h>

struct percpu_counter {
	s64 count; /* the base that set() leaves */
	s64 __percpu *counters;
};

WW_LINUX_INLINE int percpu_counter_init(struct percpu_counter *fbc, s64 amount, gfp_t gfp)
{
	(void)gfp;
	fbc->count = amount;
	fbc->counters = alloc_percpu(s64);
	return fbc->counters ? 0 : -ENOMEM;
}
WW_LINUX_INLINE void percpu_counter_destroy(struct percpu_counter *fbc)
{
	free_percpu(fbc->counters);
	fbc->counters = NULL;
}
WW_LINUX_INLINE bool percpu_counter_initialized(struct percpu_counter *fbc)
{
	return fbc->counters != NULL;
}
WW_LINUX_INLINE void percpu_counter_add(struct percpu_counter *fbc, s64 amount)
{
	this_cpu_add(*fbc->counters, amount);
}
#define percpu_counter_add_batch(fbc, amount, batch) percpu_counter_add(fbc, amount)
#define percpu_counter_add_local(fbc, amount)	     percpu_counter_add(fbc, amount)
#define percpu_counter_sub(fbc, amount)		     percpu_counter_add(fbc, -(s64)(amount))
#define percpu_counter_inc(fbc)			     percpu_counter_add(fbc, 1)
#define percpu_counter_dec(fbc)			     percpu_counter_add(fbc, -1)
WW_LINUX_INLINE s64 percpu_counter_sum(struct percpu_counter *fbc)
{
	s64 sum = __atomic_load_n(&fbc->count, __ATOMIC_RELAXED);
	unsigned cpu;

	for_each_possible_cpu (cpu)
		sum += __atomic_load_n(per_cpu_ptr(fbc->counters, cpu), __ATOMIC_RELAXED);
	return sum;
}
WW_LINUX_INLINE s64 percpu_counter_sum_positive(struct percpu_counter *fbc)
{
	s64 sum = percpu_counter_sum(fbc);

	return sum < 0 ? 0 : sum;
}
/* Exact here: there is no batch that a reader would miss. */
#define percpu_counter_read(fbc)	  percpu_counter_sum(fbc)
#define percpu_counter_read_positive(fbc) percpu_counter_sum_positive(fbc)
WW_LINUX_INLINE void percpu_counter_set(struct percpu_counter *fbc, s64 amount)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		__atomic_store_n(per_cpu_ptr(fbc->counters, cpu), 0, __ATOMIC_RELAXED);
	__atomic_store_n(&fbc->count, amount, __ATOMIC_RELAXED);
}
WW_LINUX_INLINE int percpu_counter_compare(struct percpu_counter *fbc, s64 rhs)
{
	s64 sum = percpu_counter_sum(fbc);

	return sum > rhs ? 1 : sum < rhs ? -1 : 0;
}
#define percpu_counter_sub_local(c, v) percpu_counter_sub(c, v)
#define percpu_counter_sync(c)	       ((void)(c))

#endif
