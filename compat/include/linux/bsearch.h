/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_BSEARCH_H
#define _LINUX_BSEARCH_H

#include <stdlib.h>

#endif
