/* SPDX-License-Identifier: MIT */
#include "base/membarrier.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool forbidden;
static bool available;

static void register_process(void)
{
	available = !forbidden &&
		    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool ww_membarrier_available(void)
{
	pthread_once(&once, register_process);
	return available;
}

void ww_membarrier(void)
{
	/* Registered, so it can fail only where a filter was installed later: then nothing is safe.
	 */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		abort();
}

void ww_membarrier_forbid(void)
{
	forbidden = true;
}
