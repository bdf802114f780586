/* SPDX-License-Identifier: MIT */
#include "base/fork.h"

#include <pthread.h>

void ww_fork_register(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	pthread_atfork(prepare, parent, child);
}
