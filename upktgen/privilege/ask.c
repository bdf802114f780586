// SPDX-License-Identifier: MIT
/*
 * Guards: C constant after pg_opener_start(); L under lock; O the opener's alone.
 */
#include "privilege/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "privilege/anchor.h"
#include "privilege/child.h"
#include "privilege/rights.h"

enum { SEAL = 0xffff };

/* A request on the wire: which operation, then its bytes. */
struct request {
	uint32_t op, size;
	uint8_t bytes[PG_ASK_BYTES] __attribute__((aligned(16)));
};

struct sealing {
	uint32_t nr;
	char device[PG_ASK_DEVICES][PG_ASK_IFNAME];
};
_Static_assert(sizeof(struct sealing) <= PG_ASK_BYTES, "a request holds it");

struct given_request {
	char ifname[PG_ASK_IFNAME]; /* "" */
	uint32_t index, write, keep;
	char device[64];
};

static struct pg_server opener;		/* C */
static struct ww_lock lock;		/* one question at a time */
static struct sealing sealed;		/* O */
static bool closed;			/* O: no other devices than these; C in the worker */
static const char *given[PG_ASK_GIVEN]; /* C */
static unsigned nr_given;		/* C */
static bool in_opener;			/* C */

/* --- descriptors over a socket ---------------------------------------------------------------- */

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(PG_ASK_FDS * sizeof(int))];
};

static int put(int fd, const void *data, size_t len, const int *fds, unsigned nr_fds)
{
	struct iovec v = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	union control c;
	ssize_t n;

	if (nr_fds) {
		m.msg_control = &c;
		m.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		memset(&c, 0, sizeof(c));
		struct cmsghdr *h = CMSG_FIRSTHDR(&m);

		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(h), fds, nr_fds * sizeof(int));
	}
	do {
		n = sendmsg(fd, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Bytes received, 0 at the end, or -errno. What came beside them goes to fds. */
static ssize_t get(int fd, void *data, size_t room, int fds[PG_ASK_FDS], unsigned *nr_fds)
{
	struct iovec v = {.iov_base = data, .iov_len = room};
	union control c;
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};
	ssize_t n;

	*nr_fds = 0;
	do {
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h)) {
		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		*nr_fds = (unsigned)((h->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(h), *nr_fds * sizeof(int));
	}
	return m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? -EMSGSIZE : n;
}

static void close_all(const int *fds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
}

/* --- the server's side ------------------------------------------------------------------------ */

static void fail(struct pg_answer *a, int err, const char *why)
{
	a->err = err;
	snprintf(a->why, sizeof(a->why), "%s", why);
}

static bool is_sealed(const struct pg_op *op, const char *ifname)
{
	if (!closed || op == &pg_op_given)
		return false;
	for (uint32_t i = 0; i < sealed.nr; i++)
		if (!strcmp(sealed.device[i], ifname))
			return false;
	return true;
}

static void seal(const struct request *r, struct pg_answer *a)
{
	struct sealing s;

	memset(&s, 0, sizeof(s));
	memcpy(&s, r->bytes, r->size < sizeof(s) ? r->size : sizeof(s));
	if (closed) {
		fail(a, -EPERM, "the list of devices is closed already");
	} else if (s.nr > PG_ASK_DEVICES) {
		fail(a, -EINVAL, "not a list of devices");
	} else {
		sealed = s;
		closed = true;
		for (unsigned i = 0; i < PG_ASK_DEVICES; i++)
			sealed.device[i][PG_ASK_IFNAME - 1] = 0;
	}
}

static void serve_one(const struct pg_op *const *ops, struct request *r, size_t len, const int *fds,
		      unsigned nr_fds, struct pg_answer *a)
{
	unsigned nr_ops = 0;
	const struct pg_op *op;

	while (ops[nr_ops])
		nr_ops++;
	if (len < offsetof(struct request, bytes) ||
	    r->size != len - offsetof(struct request, bytes)) {
		fail(a, -EINVAL, "not a request");
		return;
	}
	if (r->op == SEAL) {
		seal(r, a);
		return;
	}
	op = r->op < nr_ops ? ops[r->op] : NULL;
	if (!op || r->size != op->size) {
		fail(a, -EINVAL, "not a request");
		return;
	}
	/* Every request begins with a device's name. */
	r->bytes[PG_ASK_IFNAME - 1] = 0;
	if (is_sealed(op, (char *)r->bytes)) {
		fail(a, -EACCES, "");
		snprintf(a->why, sizeof(a->why), "%.15s was not among the devices named",
			 (char *)r->bytes);
		return;
	}
	op->serve(r->bytes, fds, nr_fds, a);
}

static void serve(int fd, const struct pg_op *const *ops)
{
	static struct request r;
	int fds[PG_ASK_FDS];
	unsigned nr_fds;

	for (;;) {
		struct pg_answer a = {0};
		ssize_t n = get(fd, &r, sizeof(r), fds, &nr_fds);

		if (n == 0 || (n < 0 && n != -EMSGSIZE))
			return;
		if (n < 0)
			fail(&a, (int)n, "not a request");
		else
			serve_one(ops, &r, (size_t)n, fds, nr_fds, &a);
		int err = put(fd, &a, sizeof(a), a.fds, a.nr_fds);

		close_all(a.fds, a.nr_fds);
		close_all(fds, nr_fds);
		if (err)
			return;
	}
}

int pg_server_start(struct pg_server *s, const struct pg_op *const *ops, int (*become)(void *arg),
		    void *arg)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	s->ops = ops;
	s->pid = pg_child_fork(pair[1]);
	if (s->pid == 0) {
		signal(SIGPIPE, SIG_IGN);
		signal(SIGCHLD, SIG_IGN);
		int err = become(arg);

		if (!err)
			serve(3, ops);
		pg_anchor_server_finish();
		_exit(err ? 1 : 0);
	}
	close(pair[1]);
	if (s->pid < 0) {
		close(pair[0]);
		return s->pid;
	}
	s->fd = pair[0];
	return 0;
}

void pg_server_finish(struct pg_server *s)
{
	if (s->fd <= 0)
		return;
	close(s->fd);
	s->fd = 0;
	pg_child_wait(s->pid);
}

/* --- the asker's side ------------------------------------------------------------------------- */

static int exchange(const struct pg_server *s, struct request *r, const int *fds, unsigned nr_fds,
		    struct pg_answer *a)
{
	unsigned came = 0;
	int err = put(s->fd, r, offsetof(struct request, bytes) + r->size, fds, nr_fds);
	ssize_t n = err ? err : get(s->fd, a, sizeof(*a), a->fds, &came);

	if (n != sizeof(*a)) {
		memset(a, 0, sizeof(*a));
		fail(a, n < 0 ? (int)n : -EPIPE, "the process that opens devices is gone");
		return a->err;
	}
	a->nr_fds = came;
	a->why[PG_ASK_WHY - 1] = 0;
	return a->err;
}

int pg_server_ask(const struct pg_server *s, const struct pg_op *op, const void *request,
		  const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	struct request r = {.size = (uint32_t)op->size};

	while (s->ops[r.op] && s->ops[r.op] != op)
		r.op++;
	memcpy(r.bytes, request, op->size);
	return exchange(s, &r, fds, nr_fds, a);
}

int pg_ask(const struct pg_op *op, const void *request, struct pg_answer *a)
{
	*a = (struct pg_answer){0};
	if (!pg_opener_runs()) {
		op->serve(request, NULL, 0, a);
		return a->err;
	}
	ww_lock(&lock);
	pg_server_ask(&opener, op, request, NULL, 0, a);
	ww_unlock(&lock);
	return a->err;
}

/* --- the opener ------------------------------------------------------------------------------- */

static int become_opener(void *arg)
{
	const struct pg_opener_options *o = arg;
	const unsigned caps[] = {CAP_NET_RAW, CAP_NET_ADMIN, CAP_NET_BIND_SERVICE,
				 CAP_BPF,     CAP_PERFMON,   CAP_DAC_OVERRIDE};

	for (unsigned i = 0; i < o->nr_devices && i < PG_ASK_DEVICES; i++)
		snprintf(sealed.device[sealed.nr++], PG_ASK_IFNAME, "%.15s", o->devices[i]);
	in_opener = true;
	if (o->anchor)
		pg_anchor_server_start(); /* without it calls are dear, but work */
	closed = o->nr_devices != 0;
	/* The last only to open the files that the command line named. */
	int err = pg_rights_keep(caps, nr_given ? 6 : 5);

	return err ? err : pg_filter_apply(PG_OPENER, 0);
}

int pg_opener_start(const struct pg_opener_options *options)
{
	int err = pg_server_start(&opener, options->ops, become_opener, (void *)options);

	closed = options->nr_devices != 0;
	return err;
}

void pg_opener_finish(void)
{
	pg_server_finish(&opener);
}

bool pg_opener_runs(void)
{
	return opener.fd > 0;
}

bool pg_in_opener(void)
{
	return in_opener;
}

int pg_opener_seal(const char *const *devices, unsigned n)
{
	struct request r = {.op = SEAL, .size = sizeof(struct sealing)};
	struct sealing s = {.nr = n};
	struct pg_answer a = {0};

	if (!pg_opener_runs() || closed)
		return 0;
	if (n > PG_ASK_DEVICES)
		return -E2BIG;
	for (unsigned i = 0; i < n; i++)
		snprintf(s.device[i], PG_ASK_IFNAME, "%.15s", devices[i]);
	memcpy(r.bytes, &s, sizeof(s));
	ww_lock(&lock);
	exchange(&opener, &r, NULL, 0, &a);
	ww_unlock(&lock);
	return a.err;
}

/* --- files ------------------------------------------------------------------------------------ */

void pg_given_file(const char *path)
{
	if (nr_given < PG_ASK_GIVEN)
		given[nr_given++] = path;
}

/* With the device's name for the first %. */
static int file_name(const char *path, const char *device, char out[512])
{
	const char *at = strchr(path, '%');
	int n;

	if (!at || !device)
		n = snprintf(out, 512, "%s", path);
	else if (strchr(device, '/')) /* out of the folder that was meant */
		return -EINVAL;
	else
		n = snprintf(out, 512, "%.*s%s%s", (int)(at - path), path, device, at + 1);
	return n < 512 ? 0 : -ENAMETOOLONG;
}

static int open_file(const char *path, const char *device, bool write, bool keep)
{
	int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK; /* a pipe in its place does not hold us */
	char name[512];
	struct stat st;
	int err = file_name(path, device, name);

	if (err)
		return err;
	if (write)
		flags |= O_RDWR | O_CREAT | O_NOFOLLOW;
	int fd = open(name, flags, 0600);

	if (fd < 0)
		return -errno;
	if (!write)
		return fd;
	/* Nor through a hard link, which could have been planted as well. */
	if (fstat(fd, &st) || (S_ISREG(st.st_mode) && st.st_nlink > 1))
		err = -ELOOP;
	else if (fcntl(fd, F_SETFL, 0) || (S_ISREG(st.st_mode) && !keep && ftruncate(fd, 0)))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void serve_given(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	struct given_request g;

	(void)fds;
	(void)nr_fds;
	memcpy(&g, request, sizeof(g));
	g.device[sizeof(g.device) - 1] = 0;
	if (g.index >= nr_given) {
		fail(a, -EACCES, "not a file that the command line named");
		return;
	}
	int fd = open_file(given[g.index], g.device, g.write, g.keep);

	if (fd < 0)
		a->err = fd;
	else
		a->fds[a->nr_fds++] = fd;
}

const struct pg_op pg_op_given = {"given", sizeof(struct given_request), serve_given};

int pg_given_open(const char *path, const char *device, bool write, bool keep)
{
	struct given_request g = {.write = write, .keep = keep};
	struct pg_answer a;

	while (g.index < nr_given && strcmp(given[g.index], path) != 0)
		g.index++;
	if (!pg_opener_runs() || g.index == nr_given)
		return open_file(path, device, write, keep);
	snprintf(g.device, sizeof(g.device), "%s", device ? device : "");
	return pg_ask(&pg_op_given, &g, &a) ? a.err : a.nr_fds ? a.fds[0] : -EIO;
}
