/* SPDX-License-Identifier: MIT */
#include "base/membarrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork.h"
#include "base/report.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool forbidden;
bool ww_membarrier_is_ready;

static bool registered(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* It was granted once, and stores rely on it: a filter came in between, and nothing is safe. */
static _Noreturn void refused(void)
{
	ww_warn("membarrier was granted to this process and is refused now (%s): no store can be "
		"relied on any more, and the process ends",
		strerror(errno));
	abort();
}

/* The child is another process to the kernel. It has one thread yet, which needs no barrier. */
static void register_child(void)
{
	if (ww_membarrier_is_ready && !registered())
		refused();
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
	/* The kernel may be out of memory for a moment; it says nothing else to who is registered. */
	while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0)) {
		if (errno != ENOMEM && errno != EAGAIN && errno != EINTR)
			refused();
		ww_clock_sleep_until(ww_clock_os_ns() + 100000);
	}
}

void ww_membarrier_forbid(void)
{
	forbidden = true;
}
