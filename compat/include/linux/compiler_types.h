/* SPDX-License-Identifier: MIT */
/* Attributes and annotations. What only sparse or the kernel's linker understands is empty. */
#ifndef __LINUX_COMPILER_TYPES_H
#define __LINUX_COMPILER_TYPES_H

#ifndef __user
#define __user
#endif
#ifndef __kernel
#define __kernel
#endif
#ifndef __iomem
#define __iomem
#endif
#ifndef __rcu
#define __rcu
#endif
#ifndef __percpu
#define __percpu
#endif
#ifndef __force
#define __force
#endif
#ifndef __private
#define __private
#endif
#ifndef __safe
#define __safe
#endif
#ifndef __nocast
#define __nocast
#endif
#ifndef __must_hold
#define __must_hold(x)
#define __acquires(x)
#define __releases(x)
#define __acquire(x)	  ((void)0)
#define __release(x)	  ((void)0)
#define __cond_lock(x, c) (c)
#endif
#ifndef __chk_user_ptr
#define __chk_user_ptr(x) ((void)(x))
#define __chk_io_ptr(x)	  ((void)(x))
#endif
#ifndef ACCESS_PRIVATE
#define ACCESS_PRIVATE(p, member) ((p)->member)
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif
#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif
#define noinline_for_stack noinline
#ifndef __maybe_unused
#define __maybe_unused __attribute__((__unused__))
#endif
#ifndef __always_unused
#define __always_unused __attribute__((__unused__))
#endif
#ifndef __must_check
#define __must_check __attribute__((__warn_unused_result__))
#endif
#ifndef __printf
#define __printf(a, b) __attribute__((__format__(printf, a, b)))
#endif
#ifndef __scanf
#define __scanf(a, b) __attribute__((__format__(scanf, a, b)))
#endif
#ifndef __packed
#define __packed __attribute__((__packed__))
#endif
#ifndef __aligned
#define __aligned(x) __attribute__((__aligned__(x)))
#endif
#ifndef __weak
#define __weak __attribute__((__weak__))
#endif
#ifndef __alias
#define __alias(symbol) __attribute__((__alias__(#symbol)))
#endif
#ifndef __pure
#define __pure __attribute__((__pure__))
#endif
#ifndef __attribute_const__
#define __attribute_const__ __attribute__((__const__))
#endif
#ifndef __cold
#define __cold __attribute__((__cold__))
#endif
#ifndef __hot
#define __hot __attribute__((__hot__))
#endif
#ifndef __malloc
#define __malloc __attribute__((__malloc__))
#endif
#ifndef __noreturn
#define __noreturn __attribute__((__noreturn__))
#endif
#ifndef __used
#define __used __attribute__((__used__))
#endif
#ifndef __section
#define __section(s) __attribute__((__section__(s)))
#endif
#ifndef __visible
#define __visible __attribute__((__externally_visible__))
#endif
#ifndef __deprecated
#define __deprecated
#endif
#ifndef __cleanup
#define __cleanup(fn) __attribute__((__cleanup__(fn)))
#endif
#ifndef __flatten
#define __flatten __attribute__((__flatten__))
#endif
#ifndef __nonstring
#define __nonstring
#endif
#ifndef __counted_by
#define __counted_by(member)
#endif
#ifndef __designated_init
#define __designated_init
#endif
#ifndef __alloc_size
#define __alloc_size(x, ...) __attribute__((__alloc_size__(x, ##__VA_ARGS__)))
#endif
#ifndef __assume_aligned
#define __assume_aligned(a, ...)
#endif
#ifndef __no_sanitize_address
#define __no_sanitize_address __attribute__((no_sanitize_address))
#endif
#define __no_kcsan
#define __no_sanitize_or_inline __always_inline
#define __no_kasan_or_inline	__always_inline
#define notrace
#define __kprobes
#define __noendbr
#define __randomize_layout
#define __no_randomize_layout
#define __latent_entropy
#define randomized_struct_fields_start
#define randomized_struct_fields_end
#define asmlinkage
#define noinstr __attribute__((__noinline__))
#ifndef fallthrough
#define fallthrough __attribute__((__fallthrough__))
#endif
#ifndef __same_type
#define __same_type(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#endif
#ifndef __native_word
#define __native_word(t) (sizeof(t) == 1 || sizeof(t) == 2 || sizeof(t) == 4 || sizeof(t) == 8)
#endif
#ifndef __unqual_scalar_typeof
#define __unqual_scalar_typeof(x) ww_linux_scalar_typeof(x)
#endif
#ifndef __compiletime_assert
#define compiletime_assert(cond, msg) _Static_assert(cond, msg)
#define compiletime_assert_atomic_type(t)                                                          \
	_Static_assert(__native_word(t), "needs a type that the machine reads in one go")
#endif

/* Where the kernel's linker would put it; user space leaves it to the compiler. */
#ifndef __init
#define __init
#define __exit
#define __initdata
#define __exitdata
#define __initconst
#define __exitconst
#define __ref
#define __refdata
#define __meminit
#define __meminitdata
#define __cpuinit
#define __cpuexit
#define __devinit
#define __devexit
#define __devinitdata
#define __devexit_p(x) (x)
#define __exit_p(x)    (x)
#endif
#ifndef __read_mostly
#define __read_mostly
#define __ro_after_init
#endif

#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "main"
#endif
#ifndef KBUILD_BASENAME
#define KBUILD_BASENAME KBUILD_MODNAME
#endif

#endif
