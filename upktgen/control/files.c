// SPDX-License-Identifier: MIT
/*
 * One thread serves the file system, so that every read and write is whole and in an order. Only a
 * start, which lasts as long as its packets, is handed to an ordered workqueue and answered from
 * there; meanwhile the files go on being served.
 *
 * Guards: [L] upk_files.lock; [S] the serving thread alone; the rest never changes.
 */
#define FUSE_USE_VERSION 312

#include "control/files.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <wheelwork/work.h>

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "base/lock.h"
#include "subcommand.h"

#define FIRST_INO (FUSE_ROOT_ID + 1)

/* A name that the kernel holds on to; kept until it forgets it. */
struct node {
	struct node *next;
	fuse_ino_t ino;
	uint64_t lookups;
	char name[PG_DEV_NAME];
};

/* A blocking write of "start". Owned by the queue until it is answered. */
struct start {
	struct ww_work work;
	struct upk_files *files;
	fuse_req_t req;
	size_t len;
	bool interrupted; /* [L] */
};

struct upk_files {
	struct pg_words *words;
	struct pg_engine *engine;
	struct fuse_session *session;
	struct pg_keeper *keeper;
	struct ww_workqueue *starts;
	int leave_fd; /* readable: leave */
	struct timespec mounted;

	struct node *nodes;	    /* [S] */
	fuse_ino_t last_ino;	    /* [S] */
	struct snapshot *snapshots; /* [S] */

	struct ww_lock lock;
	struct start *running; /* [L] the start that the engine is told of, or NULL */
	bool leaving;	       /* [L] */
};

static struct upk_files *files_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static struct node *node_of(struct upk_files *f, fuse_ino_t ino)
{
	for (struct node *n = f->nodes; n; n = n->next)
		if (n->ino == ino)
			return n;
	return NULL;
}

/* The name behind a number, while the file exists; else NULL. */
static const char *name_of(struct upk_files *f, fuse_ino_t ino)
{
	const struct node *n = node_of(f, ino);

	return n && pg_words_exists(f->words, n->name) ? n->name : NULL;
}

static void attributes(const struct upk_files *f, fuse_ino_t ino, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_mode = ino == FUSE_ROOT_ID ? S_IFDIR | 0555 : S_IFREG | 0600;
	st->st_nlink = ino == FUSE_ROOT_ID ? 2 : 1;
	st->st_uid = geteuid();
	st->st_gid = getegid();
	st->st_atim = st->st_mtim = st->st_ctim = f->mounted;
}

/* --- names ---------------------------------------------------------------------------------- */

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct upk_files *f = files_of(req);
	struct fuse_entry_param e = {0};
	struct node *n;

	if (parent != FUSE_ROOT_ID || strlen(name) >= PG_DEV_NAME ||
	    !pg_words_exists(f->words, name)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	/*
	 * The kernel lets one writer at a time into an inode, and a start stays in for long: each look
	 * at pgctrl is another inode, so that "stop" can be written meanwhile.
	 */
	n = strcmp(name, "pgctrl") ? f->nodes : NULL;
	while (n && strcmp(n->name, name) != 0)
		n = n->next;
	if (!n) {
		n = ww_alloc(sizeof(*n));
		if (!n) {
			fuse_reply_err(req, ENOMEM);
			return;
		}
		n->ino = ++f->last_ino;
		snprintf(n->name, sizeof(n->name), "%s", name);
		n->next = f->nodes;
		f->nodes = n;
	}
	e.ino = n->ino;
	attributes(f, n->ino, &e.attr); /* devices come and go: nothing is cached */
	if (!fuse_reply_entry(req, &e))
		n->lookups++;
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t count)
{
	struct upk_files *f = files_of(req);

	for (struct node **at = &f->nodes; *at; at = &(*at)->next) {
		struct node *n = *at;

		if (n->ino != ino)
			continue;
		n->lookups -= count < n->lookups ? count : n->lookups;
		if (!n->lookups) {
			*at = n->next;
			ww_free(n);
		}
		break;
	}
	fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct upk_files *f = files_of(req);
	struct stat st;

	(void)fi;
	if (ino != FUSE_ROOT_ID && !name_of(f, ino)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	attributes(f, ino, &st);
	fuse_reply_attr(req, &st, 0);
}

/* Truncation is what a shell's ">" does first: it changes nothing. Modes and owners stay. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
		       struct fuse_file_info *fi)
{
	(void)attr;
	if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, fi);
}

struct listing {
	fuse_req_t req;
	char *buf;
	size_t size, used;
	off_t skip, at;
};

static void list_name(struct listing *l, const char *name, mode_t type)
{
	struct stat st = {.st_ino = FIRST_INO, .st_mode = type};
	size_t n;

	if (l->at++ < l->skip)
		return;
	n = fuse_add_direntry(l->req, l->buf + l->used, l->size - l->used, name, &st, l->at);
	if (n > l->size - l->used)
		l->skip = l->at + 1000000; /* no more fits; the rest comes with the next call */
	else
		l->used += n;
}

static void list_file(const char *target, void *arg)
{
	list_name(arg, target, S_IFREG);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		       struct fuse_file_info *fi)
{
	struct upk_files *f = files_of(req);
	struct listing l = {.req = req, .buf = malloc(size), .size = size, .skip = offset};

	(void)fi;
	if (ino != FUSE_ROOT_ID || !l.buf) {
		fuse_reply_err(req, l.buf ? ENOTDIR : ENOMEM);
		free(l.buf);
		return;
	}
	list_name(&l, ".", S_IFDIR);
	list_name(&l, "..", S_IFDIR);
	pg_words_each(f->words, list_file, &l);
	fuse_reply_buf(req, l.buf, l.used);
	free(l.buf);
}

/* Nothing can be made or removed by hand. */
static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
		      struct fuse_file_info *fi)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)fi;
	fuse_reply_err(req, EACCES);
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

/* --- reading -------------------------------------------------------------------------------- */

/* What a reader saw at its first byte, so that a long text is whole. */
struct snapshot {
	struct snapshot *next; /* of all that are open */
	char *text;
	size_t len;
};

static void drop_snapshot(struct upk_files *f, struct snapshot *s)
{
	struct snapshot **at = &f->snapshots;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	free(s->text);
	ww_free(s);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct upk_files *f = files_of(req);
	struct snapshot *s;

	if (!name_of(f, ino)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	s = ww_alloc(sizeof(*s));
	if (!s) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	s->next = f->snapshots;
	f->snapshots = s;
	fi->fh = (uintptr_t)s;
	fi->direct_io = 1; /* each read and write is ours to see */
	if (fuse_reply_open(req, fi) != 0)
		drop_snapshot(f, s);
}

static struct snapshot *snapshot_of(const struct fuse_file_info *fi)
{
	return (struct snapshot *)(uintptr_t)fi->fh;
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	drop_snapshot(files_of(req), snapshot_of(fi));
	fuse_reply_err(req, 0);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	struct upk_files *f = files_of(req);
	struct snapshot *s = snapshot_of(fi);
	const char *name = name_of(f, ino);

	if (!offset || !s->text) {
		free(s->text);
		s->text = name ? pg_words_read(f->words, name, &s->len) : NULL;
		if (!s->text) {
			fuse_reply_err(req, ENOENT);
			return;
		}
	}
	if ((size_t)offset >= s->len)
		fuse_reply_buf(req, NULL, 0);
	else
		fuse_reply_buf(req, s->text + offset,
			       s->len - (size_t)offset < size ? s->len - (size_t)offset : size);
}

/* --- writing -------------------------------------------------------------------------------- */

/* Never 524 (ENOTSUPP): the FUSE of the kernel drops such an answer, and the writer hangs. */
static int errno_of(int err)
{
	return err > -512 && err < 0 ? -err : EIO;
}

static void answer(fuse_req_t req, int err, size_t len)
{
	if (err)
		fuse_reply_err(req, errno_of(err));
	else
		fuse_reply_write(req, len);
}

static void do_start(struct ww_work *work)
{
	struct start *s = ww_container_of(work, struct start, work);
	struct upk_files *f = s->files;
	bool go;
	int err = 0;

	ww_lock(&f->lock);
	go = !s->interrupted && !f->leaving;
	if (go)
		f->running = s;
	ww_unlock(&f->lock);
	if (go)
		err = pg_words_write(f->words, "pgctrl", "start", 5, NULL);
	fuse_req_interrupt_func(s->req, NULL, NULL); /* from here on nobody looks at s */
	ww_lock(&f->lock);
	f->running = NULL;
	if (s->interrupted)
		pg_engine_forget_signal(f->engine); /* it may have come after the end */
	ww_unlock(&f->lock);
	answer(s->req, err, s->len);
	ww_free(s);
}

/* [L] The engine keeps this order even for a start that it is only being told of. */
static void stop_running(struct upk_files *f)
{
	if (f->running)
		pg_engine_stop_from_signal(f->engine);
}

/* The writer got a signal: the run ends, the write succeeds, what was sent counts. */
static void interrupted(fuse_req_t req, void *data)
{
	struct start *s = data;
	struct upk_files *f = s->files;

	(void)req;
	ww_lock(&f->lock);
	s->interrupted = true;
	if (f->running == s)
		stop_running(f);
	ww_unlock(&f->lock);
}

static void begin_start(fuse_req_t req, struct upk_files *f, size_t len)
{
	struct start *s = ww_alloc(sizeof(*s));

	if (!s) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	ww_init_work(&s->work, do_start);
	s->files = f;
	s->req = req;
	s->len = len;
	fuse_req_interrupt_func(req, interrupted, s);
	ww_queue_work(f->starts, &s->work);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset,
		     struct fuse_file_info *fi)
{
	struct upk_files *f = files_of(req);
	const char *name = name_of(f, ino);
	enum pg_control_verb verb;
	struct pg_outcome out;

	(void)offset;
	(void)fi;
	if (!name)
		fuse_reply_err(req, ENOENT);
	else if (!strcmp(name, "pgctrl") && !pg_control_command(buf, size, &verb, &out) &&
		 verb == PG_CTRL_START)
		begin_start(req, f, size);
	else
		answer(req, pg_words_write(f->words, name, buf, size, &out), size);
}

static const struct fuse_lowlevel_ops ops = {
	.lookup = op_lookup,
	.forget = op_forget,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readdir = op_readdir,
	.create = op_create,
	.unlink = op_unlink,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.release = op_release,
};

/* --- mounting ------------------------------------------------------------------------------- */

static struct upk_files *new_files(struct pg_keeper *keeper)
{
	struct upk_files *f = ww_alloc(sizeof(*f));

	if (!f)
		return NULL;
	f->keeper = keeper;
	f->last_ino = FUSE_ROOT_ID;
	f->mounted.tv_sec = (time_t)(ww_clock_real_ns() / 1000000000);
	f->leave_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->leave_fd >= 0)
		return f;
	ww_free(f);
	return NULL;
}

/* First in the keeper's list: what is mounted last goes first. */
static int keep(struct pg_keeper *k, const char *dir)
{
	memmove(&k->mount[1], &k->mount[0], (PG_KEEPER_MOUNTS - 1) * sizeof(k->mount[0]));
	k->mount[0] = dir;
	return pg_keeper_start(k);
}

struct upk_files *upk_files_mount(const char *dir, struct pg_keeper *keeper)
{
	char *argv[] = {"upktgen",
			"-ofsname=upktgen,subtype=pktgen,default_permissions,nosuid,nodev"};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct upk_files *f = new_files(keeper);

	if (!f) {
		fprintf(stderr, "upktgen: %s: %s\n", dir, strerror(errno));
		return NULL;
	}
	f->session = fuse_session_new(&args, &ops, sizeof(ops), f);
	fuse_opt_free_args(&args);
	if (f->session && fuse_session_mount(f->session, dir) == 0) {
		if (keep(keeper, dir) == 0)
			return f;
		fuse_session_unmount(f->session);
	}
	if (f->session)
		fuse_session_destroy(f->session);
	f->session = NULL;
	upk_files_unmount(f);
	fprintf(stderr,
		"upktgen: %s can't be mounted. It takes a folder, /dev/fuse, and fusermount3 "
		"(Debian "
		"package fuse3) where you are not root.\n",
		dir);
	errno = EIO;
	return NULL;
}

int upk_files_attach(struct upk_files *f, struct pg_words *words, struct pg_engine *engine)
{
	f->words = words;
	f->engine = engine;
	f->starts = ww_alloc_ordered_workqueue("upktgen_start", 0);
	return f->starts ? 0 : -errno;
}

int upk_files_serve(struct upk_files *f)
{
	struct fuse_buf buf = {0};
	struct pollfd fds[2] = {
		{.fd = fuse_session_fd(f->session), .events = POLLIN},
		{.fd = f->leave_fd, .events = POLLIN},
	};
	int n, err = 0;

	while (!err && !fuse_session_exited(f->session)) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			err = -errno;
		if (err || fds[1].revents)
			break;
		if (!fds[0].revents)
			continue;
		n = fuse_session_receive_buf(f->session, &buf);
		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n <= 0)
			err = n == -ENODEV ? 0 : n;
		if (n <= 0)
			break;
		fuse_session_process_buf(f->session, &buf);
	}
	free(buf.mem);
	ww_lock(&f->lock);
	f->leaving = true;
	stop_running(f);
	ww_unlock(&f->lock);
	return err;
}

void upk_files_leave(struct upk_files *f)
{
	uint64_t one = 1;

	if (write(f->leave_fd, &one, sizeof(one)) != sizeof(one))
		return; /* full: it was told already */
}

/* libfuse then only forgets the name, which takes no right. */
static bool is_unmounted(struct fuse_session *session)
{
	struct pollfd p = {.fd = fuse_session_fd(session)};

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

void upk_files_unmount(struct upk_files *f)
{
	if (f->starts)
		ww_destroy_workqueue(f->starts); /* answers what is under way */
	if (f->session) {
		pg_keeper_finish(f->keeper); /* which may unmount: we no longer do */
		if (is_unmounted(f->session))
			fuse_session_unmount(f->session);
		fuse_session_destroy(f->session);
	}
	while (f->nodes) {
		struct node *n = f->nodes;

		f->nodes = n->next;
		ww_free(n);
	}
	while (f->snapshots) /* of those who had a file open to the end */
		drop_snapshot(f, f->snapshots);
	if (f->leave_fd >= 0)
		close(f->leave_fd);
	ww_free(f);
}

int upk_files_with(struct upk_files *f, const struct upk_confine *c,
		   const struct upk_options *options,
		   int (*serve)(struct upk_files *f, struct upk_session *s, void *arg), void *arg)
{
	struct upk_session s;
	int status = UPK_FAILED;

	if (upk_confine(c) || upk_session_open(&s, options)) {
		upk_files_unmount(f);
		return UPK_FAILED;
	}
	int err = upk_files_attach(f, s.words, s.engine);

	if (err)
		fprintf(stderr, "upktgen: the queue of what is started can't be made: %s\n",
			strerror(-err));
	else
		status = serve(f, &s, arg);
	upk_files_unmount(f);
	upk_session_close(&s);
	return status;
}
