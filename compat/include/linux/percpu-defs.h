/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU variables. A static one stands in a section of its own; each CPU number has a copy of
 * that section. A pointer to per-CPU memory is a handle: only per_cpu_ptr() and its kin look
 * behind it. this_cpu_add() and the like are atomic on the CPU's copy, since a process can't keep
 * its thread on a CPU; between this_cpu_ptr() and the use stand preempt_disable() or get_cpu_ptr(),
 * as in the kernel.
 */
#ifndef _LINUX_PERCPU_DEFS_H
#define _LINUX_PERCPU_DEFS_H

#include <ww-linux/base.h>
#include <linux/compiler.h>

/* The whole section of this program or shared object, once. */
extern char __start_ww_percpu[] __attribute__((weak, visibility("hidden")));
extern char __stop_ww_percpu[] __attribute__((weak, visibility("hidden")));
void ww_linux_percpu_register(char *start, char *stop);
__attribute__((constructor(101), unused)) static void ww_linux_percpu_register_here(void)
{
	if (&__start_ww_percpu[0] != &__stop_ww_percpu[0])
		ww_linux_percpu_register(__start_ww_percpu, __stop_ww_percpu);
}

void *ww_linux_per_cpu(const void *handle, unsigned cpu);
void *ww_linux_this_cpu(const void *handle);

#define WW_LINUX_PERCPU_SECTION		    __attribute__((section("ww_percpu")))
#define DECLARE_PER_CPU(type, name)	    extern WW_LINUX_PERCPU_SECTION __typeof__(type) name
#define DEFINE_PER_CPU(type, name)	    WW_LINUX_PERCPU_SECTION __typeof__(type) name
#define DECLARE_PER_CPU_ALIGNED(type, name) DECLARE_PER_CPU(type, name)
#define DEFINE_PER_CPU_ALIGNED(type, name)                                                         \
	WW_LINUX_PERCPU_SECTION __attribute__((aligned(64))) __typeof__(type) name
#define DECLARE_PER_CPU_SHARED_ALIGNED(type, name) DECLARE_PER_CPU(type, name)
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name)  DEFINE_PER_CPU_ALIGNED(type, name)
#define DECLARE_PER_CPU_READ_MOSTLY(type, name)	   DECLARE_PER_CPU(type, name)
#define DEFINE_PER_CPU_READ_MOSTLY(type, name)	   DEFINE_PER_CPU(type, name)
#define EXPORT_PER_CPU_SYMBOL(var)
#define EXPORT_PER_CPU_SYMBOL_GPL(var)

#define per_cpu_ptr(ptr, cpu) ((__typeof__(ptr))ww_linux_per_cpu((ptr), (unsigned)(cpu)))
#define per_cpu(var, cpu)     (*per_cpu_ptr(&(var), cpu))
#define this_cpu_ptr(ptr)     ((__typeof__(ptr))ww_linux_this_cpu(ptr))
#define raw_cpu_ptr(ptr)      this_cpu_ptr(ptr)
#define __this_cpu_ptr(ptr)   this_cpu_ptr(ptr)
#define get_cpu_ptr(ptr)      (ww_linux_preempt_disable(), this_cpu_ptr(ptr))
#define put_cpu_ptr(ptr)      ((void)(ptr), ww_linux_preempt_enable())
#define get_cpu_var(var)      (*get_cpu_ptr(&(var)))
#define put_cpu_var(var)      ((void)&(var), ww_linux_preempt_enable())
#define __get_cpu_var(var)    (*this_cpu_ptr(&(var)))

#define this_cpu_read(var)                                                                         \
	({                                                                                         \
		ww_linux_scalar_typeof(var) ww_cv_;                                                \
		__atomic_load(this_cpu_ptr(&(var)), &ww_cv_, __ATOMIC_RELAXED);                    \
		ww_cv_;                                                                            \
	})
#define this_cpu_write(var, v)                                                                     \
	do {                                                                                       \
		ww_linux_scalar_typeof(var) ww_cv_ = (v);                                          \
		__atomic_store(this_cpu_ptr(&(var)), &ww_cv_, __ATOMIC_RELAXED);                   \
	} while (0)
#define this_cpu_add_return(var, v) __atomic_add_fetch(this_cpu_ptr(&(var)), (v), __ATOMIC_RELAXED)
#define this_cpu_add(var, v)	    ((void)__atomic_fetch_add(this_cpu_ptr(&(var)), (v), __ATOMIC_RELAXED))
#define this_cpu_sub(var, v)	    ((void)__atomic_fetch_sub(this_cpu_ptr(&(var)), (v), __ATOMIC_RELAXED))
#define this_cpu_inc(var)	    this_cpu_add(var, 1)
#define this_cpu_dec(var)	    this_cpu_sub(var, 1)
#define this_cpu_and(var, v)	    ((void)__atomic_fetch_and(this_cpu_ptr(&(var)), (v), __ATOMIC_RELAXED))
#define this_cpu_or(var, v)	    ((void)__atomic_fetch_or(this_cpu_ptr(&(var)), (v), __ATOMIC_RELAXED))
#define this_cpu_inc_return(var)    this_cpu_add_return(var, 1)
#define this_cpu_dec_return(var)    this_cpu_add_return(var, -1)
#define this_cpu_sub_return(var, v) this_cpu_add_return(var, -(__typeof__(var))(v))
#define this_cpu_xchg(var, v)                                                                      \
	({                                                                                         \
		ww_linux_scalar_typeof(var) ww_cv_ = (v), ww_co_;                                  \
		__atomic_exchange(this_cpu_ptr(&(var)), &ww_cv_, &ww_co_, __ATOMIC_RELAXED);       \
		ww_co_;                                                                            \
	})
#define this_cpu_cmpxchg(var, o, n)                                                                \
	({                                                                                         \
		ww_linux_scalar_typeof(var) ww_co_ = (o), ww_cn_ = (n);                            \
		__atomic_compare_exchange(this_cpu_ptr(&(var)), &ww_co_, &ww_cn_, false,           \
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED);                     \
		ww_co_;                                                                            \
	})
#define __this_cpu_read(var)	      this_cpu_read(var)
#define __this_cpu_write(var, v)      this_cpu_write(var, v)
#define __this_cpu_add(var, v)	      this_cpu_add(var, v)
#define __this_cpu_sub(var, v)	      this_cpu_sub(var, v)
#define __this_cpu_inc(var)	      this_cpu_inc(var)
#define __this_cpu_dec(var)	      this_cpu_dec(var)
#define __this_cpu_inc_return(var)    this_cpu_inc_return(var)
#define __this_cpu_dec_return(var)    this_cpu_dec_return(var)
#define __this_cpu_add_return(var, v) this_cpu_add_return(var, v)
#define raw_cpu_read(var)	      this_cpu_read(var)
#define raw_cpu_write(var, v)	      this_cpu_write(var, v)
#define raw_cpu_add(var, v)	      this_cpu_add(var, v)
#define raw_cpu_inc(var)	      this_cpu_inc(var)
#define raw_cpu_dec(var)	      this_cpu_dec(var)
#define __this_cpu_and(var, v)	      this_cpu_and(var, v)
#define __this_cpu_or(var, v)	      this_cpu_or(var, v)
#define __this_cpu_sub_return(var, v) this_cpu_sub_return(var, v)
#define __this_cpu_xchg(var, v)	      this_cpu_xchg(var, v)
#define __this_cpu_cmpxchg(var, o, n) this_cpu_cmpxchg(var, o, n)
#define raw_cpu_sub(var, v)	      this_cpu_sub(var, v)
#define raw_cpu_and(var, v)	      this_cpu_and(var, v)
#define raw_cpu_or(var, v)	      this_cpu_or(var, v)
#define raw_cpu_add_return(var, v)    this_cpu_add_return(var, v)
#define raw_cpu_sub_return(var, v)    this_cpu_sub_return(var, v)
#define raw_cpu_inc_return(var)	      this_cpu_inc_return(var)
#define raw_cpu_dec_return(var)	      this_cpu_dec_return(var)
#define raw_cpu_xchg(var, v)	      this_cpu_xchg(var, v)
#define raw_cpu_cmpxchg(var, o, n)    this_cpu_cmpxchg(var, o, n)
/* True if done; else *o is what there is. */
#define this_cpu_try_cmpxchg(var, o, n)                                                            \
	({                                                                                         \
		__typeof__(o) ww_op_ = (o);                                                        \
		ww_linux_scalar_typeof(var) ww_nn_ = (n);                                          \
		__atomic_compare_exchange(this_cpu_ptr(&(var)), ww_op_, &ww_nn_, false,            \
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED);                     \
	})
#define raw_cpu_try_cmpxchg(var, o, n) this_cpu_try_cmpxchg(var, o, n)

#endif
