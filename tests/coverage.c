/* SPDX-License-Identifier: MIT */
/*
 * In the coverage build only: what a process counted is written also where it ends without exit().
 * Stands before the C library's functions of the same names.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);

_Noreturn void _exit(int status)
{
	__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

_Noreturn void abort(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t none;

	__gcov_dump();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise(SIGABRT); /* whom somebody may wait for */
	sigaction(SIGABRT, &plain, NULL);
	raise(SIGABRT);
	for (;;)
		syscall(SYS_exit_group, 127);
}
