/* SPDX-License-Identifier: MIT */
/*
 * Asking the one process that may open things (the opener) to open one. It takes nothing but
 * requests of a fixed size from a list made when the program was built; each begins with the name
 * of the device that it is about, and is answered with descriptors. Where there is no opener (tests
 * that drive the engine directly) the same code runs in this process.
 */
#ifndef UPKTGEN_PRIVILEGE_ASK_H
#define UPKTGEN_PRIVILEGE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PG_ASK_FDS     8
#define PG_ASK_BYTES   4096 /* largest request */
#define PG_ASK_WHY     128
#define PG_ASK_IFNAME  16
#define PG_ASK_GIVEN   16 /* files that one command line can name */
#define PG_ASK_DEVICES 255

struct pg_answer {
	int err;	      /* 0 or -errno */
	char why[PG_ASK_WHY]; /* of an error, where strerror() says too little */
	uint64_t value[4];    /* the operation's own */
	unsigned nr_fds;
	int fds[PG_ASK_FDS]; /* the asker's to close */
};

/* request begins with char ifname[PG_ASK_IFNAME]; fds: what came with it, closed by the caller. */
struct pg_op {
	const char *name;
	size_t size; /* of a request */
	void (*serve)(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a);
};

/* Any thread; sleeps. a->err, which is also the value. */
int pg_ask(const struct pg_op *op, const void *request, struct pg_answer *a);

/* --- the other side ---------------------------------------------------------------------------- */

struct pg_server {
	const struct pg_op *const *ops; /* up to a NULL */
	int fd;				/* 0 or below: not running */
	pid_t pid;
};

/*
 * While there is one thread: forks a process that calls become(arg), closes all that it inherited,
 * and serves ops until the other end is closed. 0 or -errno.
 */
int pg_server_start(struct pg_server *s, const struct pg_op *const *ops, int (*become)(void *arg),
		    void *arg);
int pg_server_ask(const struct pg_server *s, const struct pg_op *op, const void *request,
		  const int *fds, unsigned nr_fds, struct pg_answer *a);

/* Closes our end, and waits until the process is gone. Harmless twice. */
void pg_server_finish(struct pg_server *s);

struct pg_opener_options {
	const struct pg_op *const *ops;
	/* The only devices that will be opened; none: not sealed yet. */
	const char *devices[PG_ASK_DEVICES];
	unsigned nr_devices;
	bool anchor; /* live frames may be wanted */
};

/* Starts the opener. 0 or -errno. */
int pg_opener_start(const struct pg_opener_options *options);
/* At the end: it is gone when this returns. */
void pg_opener_finish(void);
bool pg_opener_runs(void);
/* Is this code running in it? */
bool pg_in_opener(void);
/* Once, unless it was started so: from now on the opener opens these devices and no other. */
int pg_opener_seal(const char *const *devices, unsigned n);

extern const struct pg_op pg_op_given; /* belongs into every list */

/* --- files -------------------------------------------------------------------------------------
 */

/*
 * Before the opener starts: a file that the command line named, to be opened with the rights of who
 * called us. A % in it stands for the name of a device. Others are opened with what is left.
 */
void pg_given_file(const char *path);
/*
 * path as given, device for a % in it (may be NULL). For writing: mode 0600 where it is made, and
 * never through a symbolic link; keep: what is in it stays. A descriptor (of a regular file, where
 * written), or -errno.
 */
int pg_given_open(const char *path, const char *device, bool write, bool keep);

#endif
