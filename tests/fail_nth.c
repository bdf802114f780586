/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: in each process the n-th call of one kind fails. WW_FAIL=KIND:N, with KIND socket, bind,
 * setsockopt, mmap, bpf, fuse, mount, futex (a wait is interrupted) or thread; WW_FAIL_TOLD names a file that is made when it has come to that.
 */
/* open() and open64() are two functions here, and no wrapper calls either. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
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

static bool fails(const char *kind)
{
	static long left = -1;
	const char *what = getenv("WW_FAIL"), *told = getenv("WW_FAIL_TOLD");
	size_t n = strlen(kind);

	if (!what || strncmp(what, kind, n) != 0 || what[n] != ':')
		return false;
	if (left < 0)
		left = strtol(what + n + 1, NULL, 10);
	if (__atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST) != 1) {
		__atomic_fetch_add(&left, left < 0, __ATOMIC_SEQ_CST);
		return false;
	}
	if (told)
		close(open(told, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	return true;
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

#define REAL(name) ((__typeof__(&name))(uintptr_t)next(#name))

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
	if (number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && fails("futex")) {
		errno = EINTR;
		return -1;
	}
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
