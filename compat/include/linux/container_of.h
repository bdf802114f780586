/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CONTAINER_OF_H
#define _LINUX_CONTAINER_OF_H

#include <ww-linux/base.h>

#ifndef container_of
#define container_of(ptr, type, member)                                                            \
	({                                                                                         \
		void *ww_m_ = (void *)(ptr);                                                       \
		_Static_assert(__builtin_types_compatible_p(__typeof__(*(ptr)),                    \
							    __typeof__(((type *)0)->member)) ||    \
				       __builtin_types_compatible_p(__typeof__(*(ptr)),            \
								    __typeof__(void)),             \
			       "pointer type mismatch in container_of()");                         \
		(type *)((char *)ww_m_ - __builtin_offsetof(type, member));                        \
	})
#endif
#ifndef container_of_const
#define container_of_const(ptr, type, member)                                                      \
	_Generic(ptr, const __typeof__(*(ptr)) *                                                   \
		 : ((const type *)container_of(ptr, type, member)), default                        \
		 : ((type *)container_of(ptr, type, member)))
#endif
#ifndef typeof_member
#define typeof_member(T, m) __typeof__(((T *)0)->m)
#endif

#endif
