/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CTYPE_H
#define _LINUX_CTYPE_H

#include <ctype.h>
#ifndef isodigit
#define isodigit(c) ((c) >= '0' && (c) <= '7')
#endif

#endif
