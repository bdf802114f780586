/* SPDX-License-Identifier: MIT */
#ifndef TYPECHECK_H_INCLUDED
#define TYPECHECK_H_INCLUDED

#ifndef typecheck
/* 1; a warning where x is not of that type. */
#define typecheck(type, x)                                                                         \
	({                                                                                         \
		type ww_dummy_;                                                                    \
		__typeof__(x) ww_dummy2_;                                                          \
		(void)(&ww_dummy_ == &ww_dummy2_);                                                 \
		1;                                                                                 \
	})
#endif
#ifndef typecheck_fn
#define typecheck_fn(type, fn)                                                                     \
	({                                                                                         \
		__typeof__(type) ww_fn_ = fn;                                                      \
		(void)ww_fn_;                                                                      \
	})
#endif

#endif
