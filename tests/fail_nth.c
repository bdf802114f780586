/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: in each process the n-th call of one kind fails. WW_FAIL=KIND:N, with KIND one of socket, bind,
 * setsockopt, mmap, bpf, fuse, mount, thread; futex (a wait is interrupted) or futexes (a thousand in turn
 * are); wake (a wake-up is); membarrier (there is no memory for one). With no-wake and no-membarrier all
 * fail from the n-th on, as behind a filter. WW_FAIL_TOLD names a file whose first byte becomes 1 when it
 * has come to that: it is mapped at once, since who fails may later open nothing any more.
 */
/* open() and open64() are two functions here, and no wrapper calls either. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *what; /* the kind, and where its number begins */
static long first, calls;
static volatile char *told;

/* How many calls fail from the n-th on. */
static bool fails_for(const char *kind, long many)
{
	size_t n = strlen(kind);

	if (!what || strncmp(what, kind, n) != 0 || what[n] != ':')
		return false;
	long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);

	if (call < first || call >= first + many)
		return false;
	if (told)
		*told = 1;
	return true;
}

static bool fails(const char *kind)
{
	return fails_for(kind, 1);
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

#define REAL(name) ((__typeof__(&name))(uintptr_t)next(#name))

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("WW_FAIL_TOLD"), *fail = getenv("WW_FAIL"),
		   *n = fail ? strchr(fail, ':') : NULL;
	int fd = name ? REAL(open64)(name, O_RDWR | O_CLOEXEC) : -1;

	if (fd >= 0) {
		void *page = REAL(mmap64)(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		told = page == MAP_FAILED ? NULL : page;
		close(fd);
	}
	first = n ? strtol(n + 1, NULL, 10) : 0;
	what = first > 0 ? fail : NULL;
}

int socket(int domain, int type, int protocol)
{
	if (fails("socket")) {
		errno = EMFILE;
		return -1;
	}
	return REAL(socket)(domain, type, protocol);
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (fails("bind")) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	return REAL(bind)(fd, addr, len);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (fails("setsockopt")) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return REAL(setsockopt)(fd, level, name, value, len);
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t off)
{
	if (fails("mmap")) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return REAL(mmap64)(addr, len, prot, flags, fd, off);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return mmap64(addr, len, prot, flags, fd, off);
}

/* A wait, a wake-up or a barrier: its error, or 0. */
static int failed_in_turn(long number, long operation)
{
	const long ever = 1l << 40;
	bool sleeps = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;

	if (number == SYS_membarrier)
		return fails("membarrier") ? ENOMEM : fails_for("no-membarrier", ever) ? EPERM : 0;
	if (number != SYS_futex)
		return 0;
	if (sleeps)
		return fails("futex") ? EINTR : fails_for("futexes", 1000) ? EAGAIN : 0;
	return fails("wake") ? EINTR : fails_for("no-wake", ever) ? EPERM : 0;
}

long syscall(long number, ...)
{
	va_list ap;
	long a[6];

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_bpf && fails("bpf")) {
		errno = EPERM;
		return -1;
	}
	errno = failed_in_turn(number, a[1]);
	if (errno)
		return -1;
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int mount(const char *source, const char *target, const char *type, unsigned long flags,
	  const void *data)
{
	if (fails("mount")) {
		errno = EPERM;
		return -1;
	}
	return REAL(mount)(source, target, type, flags, data);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_list ap;

		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	if (!strcmp(path, "/dev/fuse") && fails("fuse")) {
		errno = EPERM;
		return -1;
	}
	return REAL(open64)(path, flags, mode);
}

int open(const char *path, int flags, ...) __attribute__((alias("open64")));

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	if (fails("thread"))
		return EAGAIN;
	return REAL(pthread_create)(thread, attr, fn, arg);
}
