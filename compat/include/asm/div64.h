/* SPDX-License-Identifier: MIT */
#ifndef _ASM_DIV64_H
#define _ASM_DIV64_H

#ifndef do_div
/* n becomes the quotient; the value is the remainder. */
#define do_div(n, base)                                                                            \
	({                                                                                         \
		unsigned int ww_base_ = (base);                                                    \
		unsigned int ww_rem_ = (unsigned long long)(n) % ww_base_;                         \
		(n) = (unsigned long long)(n) / ww_base_;                                          \
		ww_rem_;                                                                           \
	})
#endif

#endif
