/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_BUILD_BUG_H
#define _LINUX_BUILD_BUG_H

#ifndef BUILD_BUG_ON
#define BUILD_BUG_ON_MSG(cond, msg)    ((void)sizeof(char[1 - 2 * !!(cond)]))
#define BUILD_BUG_ON(cond)	       BUILD_BUG_ON_MSG(cond, #cond)
#define BUILD_BUG_ON_ZERO(e, ...)      ((int)(sizeof(char[1 - 2 * !!(e)]) - 1))
#define BUILD_BUG_ON_INVALID(e)	       ((void)(sizeof((long)(e))))
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) BUILD_BUG_ON((n) == 0 || (((n) & ((n)-1)) != 0))
#define BUILD_BUG()		       BUILD_BUG_ON(1)
#endif
#ifndef static_assert
#define static_assert(expr, ...) ww_static_assert_(expr, ##__VA_ARGS__, #expr)
#define ww_static_assert_(expr, msg, ...) _Static_assert(expr, msg)
#endif

#endif
