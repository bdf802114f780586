// SPDX-License-Identifier: MIT
/*
 * What a hijacked part could still ask of the kernel. Each role has an allow list; what is not on
 * it fails with EPERM, so that a library that tries something new falls back or says so. Arguments
 * are looked at wherever a call can do much more than we need of it.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/sockios.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "privilege/rights.h"

#define CALL(name) SCMP_SYS(name)

enum { TCGETS2_ = 0x802c542a }; /* what newer C libraries ask of a terminal */

/* clang-format off */
/* Memory, time, waiting, and descriptors that are there already. */
static const int common[] = {
	CALL(brk), CALL(munmap), CALL(mremap), CALL(madvise), CALL(mincore), CALL(read),
	CALL(readv), CALL(pread64), CALL(write), CALL(writev), CALL(pwrite64), CALL(close),
	CALL(close_range), CALL(lseek), CALL(dup), CALL(fstat), CALL(newfstatat), CALL(statx),
	CALL(stat), CALL(lstat), CALL(readlink), CALL(readlinkat), CALL(access), CALL(faccessat),
	CALL(faccessat2), CALL(getdents64), CALL(getcwd), CALL(fcntl), CALL(statfs),
	CALL(fstatfs), CALL(uname), CALL(sysinfo), CALL(getrandom), CALL(clock_gettime),
	CALL(clock_getres), CALL(clock_nanosleep), CALL(nanosleep), CALL(gettimeofday),
	CALL(time), CALL(adjtimex), CALL(clock_adjtime), CALL(times), CALL(poll), CALL(ppoll),
	CALL(select), CALL(pselect6), CALL(pipe2), CALL(eventfd2), CALL(epoll_create1),
	CALL(epoll_ctl), CALL(epoll_wait), CALL(epoll_pwait), CALL(timerfd_create),
	CALL(timerfd_settime), CALL(timerfd_gettime), CALL(futex), CALL(membarrier),
	CALL(set_robust_list), CALL(get_robust_list), CALL(rseq), CALL(set_tid_address),
	CALL(arch_prctl), CALL(sched_yield), CALL(sched_getaffinity), CALL(sched_setaffinity),
	CALL(getcpu), CALL(sched_getscheduler), CALL(sched_getparam), CALL(getpid), CALL(gettid),
	CALL(getppid), CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid), CALL(getpgrp),
	CALL(getrlimit), CALL(getrusage), CALL(capget), CALL(rt_sigaction), CALL(rt_sigprocmask),
	CALL(rt_sigreturn), CALL(sigaltstack), CALL(restart_syscall), CALL(exit),
	CALL(exit_group), CALL(wait4), CALL(getsockopt), CALL(setsockopt), CALL(getsockname),
	CALL(bind), CALL(sendto), CALL(sendmsg), CALL(sendmmsg), CALL(recvfrom), CALL(recvmsg),
	CALL(recvmmsg),
};

static const int worker[] = {
	CALL(flock), CALL(fsync), CALL(fdatasync), CALL(ftruncate), CALL(connect), CALL(shutdown),
	CALL(splice), CALL(vmsplice), CALL(tee), CALL(get_mempolicy), CALL(set_mempolicy),
	CALL(mbind), CALL(sched_setscheduler), CALL(sched_setattr), CALL(sched_getattr),
};

static const int opener[] = {
	CALL(bpf), CALL(perf_event_open), CALL(socket), CALL(ioctl), CALL(flock), CALL(ftruncate),
	CALL(kcmp),
};

static const int anchor[] = {
	CALL(bpf), CALL(socket), CALL(ioctl),
};

static const int keeper[] = {
	CALL(read), CALL(umount2), CALL(rmdir), CALL(exit), CALL(exit_group), CALL(rt_sigreturn),
	CALL(rt_sigprocmask), CALL(brk), CALL(munmap),
};
/* clang-format on */

static int allow(scmp_filter_ctx f, const int *calls, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = seccomp_rule_add(f, SCMP_ACT_ALLOW, calls[i], 0);
	return err;
}
#define ALLOW(f, calls) allow(f, calls, sizeof(calls) / sizeof((calls)[0]))

/* The call with this value of its argument. */
static int allow_with(scmp_filter_ctx f, int call, unsigned arg, uint64_t value)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1, SCMP_CMP(arg, SCMP_CMP_EQ, value, 0));
}

/* The call with these bits of its argument as told. */
static int allow_masked(scmp_filter_ctx f, int call, unsigned arg, uint64_t mask, uint64_t value)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1,
				SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask, value));
}

static int allow_each(scmp_filter_ctx f, int call, unsigned arg, const uint64_t *values, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = allow_with(f, call, arg, values[i]);
	return err;
}

/* What was written never becomes code. */
static int no_new_code(scmp_filter_ctx f)
{
	const uint64_t both = PROT_WRITE | PROT_EXEC;
	int err = allow_masked(f, CALL(mprotect), 2, PROT_EXEC, 0);

	if (!err)
		err = allow_masked(f, CALL(mmap), 2, both, 0);
	if (!err)
		err = allow_masked(f, CALL(mmap), 2, both, PROT_WRITE);
	return err ? err : allow_masked(f, CALL(mmap), 2, both, PROT_EXEC);
}

/* Files are only read: those to be written come from the opener. */
static int only_read(scmp_filter_ctx f)
{
	const uint64_t write = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	int err = allow_masked(f, CALL(openat), 2, write, O_RDONLY);

	return err ? err : allow_masked(f, CALL(open), 1, write, O_RDONLY);
}

/* Threads, not processes. With clone3 the flags can't be seen: the C library takes clone then. */
static int only_threads(scmp_filter_ctx f)
{
	int err = allow_masked(f, CALL(clone), 0, CLONE_THREAD, CLONE_THREAD);

	return err ? err : seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), CALL(clone3), 0);
}

static int signals_to(scmp_filter_ctx f, pid_t may_signal)
{
	const uint64_t me = (uint64_t)getpid();
	int err = allow_with(f, CALL(tgkill), 0, me);

	if (!err)
		err = allow_with(f, CALL(kill), 0, me);
	if (!err && may_signal > 0)
		err = allow_with(f, CALL(kill), 0, (uint64_t)may_signal);
	return err;
}

static int prctls(scmp_filter_ctx f)
{
	static const uint64_t some[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_TIMERSLACK, PR_SET_VMA,
					PR_SET_PDEATHSIG};

	return allow_each(f, CALL(prctl), 0, some, sizeof(some) / sizeof(some[0]));
}

/* No packet sockets, no program loaded or attached, no terminal written into. */
static int worker_rules(scmp_filter_ctx f, pid_t may_signal)
{
	static const uint64_t families[] = {AF_NETLINK, AF_INET, AF_INET6};
	static const uint64_t ioctls[] = {TCGETS,      TCGETS2_,     TIOCGWINSZ,  SIOCGIFINDEX,
					  SIOCGIFNAME, SIOCGIFFLAGS, SIOCETHTOOL, FIONREAD};
	static const uint64_t bpf[] = {BPF_PROG_TEST_RUN, BPF_MAP_UPDATE_ELEM, BPF_MAP_LOOKUP_ELEM};
	int err = ALLOW(f, worker);

	if (!err)
		err = only_read(f);
	if (!err)
		err = only_threads(f);
	if (!err)
		err = signals_to(f, may_signal);
	if (!err)
		err = allow_each(f, CALL(socket), 0, families, 3);
	if (!err)
		err = allow_each(f, CALL(ioctl), 1, ioctls, sizeof(ioctls) / sizeof(ioctls[0]));
	if (!err)
		err = allow_each(f, CALL(bpf), 0, bpf, sizeof(bpf) / sizeof(bpf[0]));
	/* Limits can be looked at, not changed: the third argument is the new ones. */
	return err ? err : allow_with(f, CALL(prlimit64), 2, 0);
}

static int opener_rules(scmp_filter_ctx f)
{
	int err = ALLOW(f, opener);

	if (!err)
		err = seccomp_rule_add(f, SCMP_ACT_ALLOW, CALL(openat), 0);
	if (!err)
		err = signals_to(f, 0);
	return err ? err : seccomp_rule_add(f, SCMP_ACT_ALLOW, CALL(prlimit64), 0);
}

static int anchor_rules(scmp_filter_ctx f)
{
	int err = ALLOW(f, anchor);

	if (!err)
		err = only_read(f);
	return err ? err : allow_with(f, CALL(prlimit64), 2, 0);
}

static int rules(scmp_filter_ctx f, enum pg_role role, pid_t may_signal)
{
	int err;

	if (role == PG_KEEPER)
		return ALLOW(f, keeper);
	err = ALLOW(f, common);
	if (!err)
		err = no_new_code(f);
	if (!err)
		err = prctls(f);
	if (err)
		return err;
	switch (role) {
	case PG_WORKER:
		return worker_rules(f, may_signal);
	case PG_OPENER:
		return opener_rules(f);
	default:
		return anchor_rules(f);
	}
}

/* Sanitizers and coverage do things of their own at the end of a process. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0
#endif
void __gcov_dump(void) __attribute__((weak));

int pg_filter_apply(enum pg_role role, pid_t may_signal)
{
	scmp_filter_ctx f;
	int err;

	if (INSTRUMENTED || __gcov_dump)
		return 0;
	f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!f)
		return -ENOMEM;
	err = rules(f, role, may_signal);
	if (!err)
		err = seccomp_load(f);
	seccomp_release(f);
	return err;
}
