/* SPDX-License-Identifier: MIT */
#include "base/membarrier.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fork.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool forbidden;
bool ww_membarrier_is_ready;

static bool registered(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* The child is another process to the kernel. It has one thread yet, which needs no barrier. */
static void register_child(void)
{
	if (ww_membarrier_is_ready && !registered())
		abort(); /* the parent could: a filter came in between, and nothing is safe */
}

static void register_process(void)
{
	if (forbidden || !registered())
		return;
	ww_fork_register(NULL, NULL, register_child);
	ww_store_relaxed(&ww_membarrier_is_ready, true);
}

bool ww_membarrier_available(void)
{
	pthread_once(&once, register_process);
	return ww_membarrier_ready();
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
