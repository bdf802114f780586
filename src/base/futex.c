/* SPDX-License-Identifier: MIT */
#include "base/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/report.h"

int ww_futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
	struct timespec ts, *tsp = NULL;

	if (deadline_ns != WW_FOREVER) {
		ts.tv_sec = (time_t)(deadline_ns / 1000000000u);
		ts.tv_nsec = (long)(deadline_ns % 1000000000u);
		tsp = &ts;
	}
	/* FUTEX_WAIT_BITSET takes an absolute time; plain FUTEX_WAIT a relative one. */
	long rc = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, tsp,
			  NULL, FUTEX_BITSET_MATCH_ANY);
	return rc == 0 ? 0 : -errno;
}

/* Who sleeps would sleep for ever, and nobody would know why. */
static _Noreturn void refused(void)
{
	ww_warn("sleepers can't be woken, futex() is refused now (%s): the process ends",
		strerror(errno));
	abort();
}

int ww_futex_wake(uint32_t *word, int n)
{
	for (;;) {
		long rc =
			syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, n, NULL, NULL, 0);

		if (ww_likely(rc >= 0))
			return (int)rc;
		/* Whoever saw the word change has freed its memory: nobody sleeps there. */
		if (errno == EFAULT || errno == EINVAL)
			return 0;
		if (errno != EINTR && errno != EAGAIN && errno != ENOMEM)
			refused();
	}
}
