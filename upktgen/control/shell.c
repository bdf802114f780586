// SPDX-License-Identifier: MIT
/*
 * upktgen shell: a command in a mount namespace of its own, in which /proc/net/pktgen exists.
 * /proc/net is a symbolic link to self/net, which nothing can be mounted below: so a link of our
 * own, to a folder with pktgen and a link to everything else of self/net, is laid over that link.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "control/files.h"
#include "subcommand.h"

struct args {
	struct upk_options options;
	char **command;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->options;
		return 0;
	case ARGP_KEY_ARGS:
		a->command = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&upk_engine_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.parser = parse,
	.args_doc = "[-- COMMAND [ARGUMENT]...]",
	.doc = "Run COMMAND, or a shell, where /proc/net/pktgen exists and is ours, so that "
	       "scripts for "
	       "the kernel's pktgen run as they are. Others see nothing of it. The exit status is "
	       "COMMAND's."
	       "\vAn ordinary user becomes root of a user namespace, in which only network "
	       "namespaces "
	       "made there can be sent on: unshare --user --map-root-user --net, then this.",
	.children = children,
};

/* 0, or -1 after a line on standard error. */
static int complain(const char *what)
{
	fprintf(stderr, "upktgen shell: %s: %s\n", what, strerror(errno));
	return -1;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n < 0 ? complain(path) : 0;
}

/* Before there is a second thread. */
static int enter_namespaces(void)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWNS) != 0) {
		if (errno != EPERM)
			return complain("a mount namespace");
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
			return complain(
				"a user namespace, which an ordinary user needs (root: sysctl -w "
				"kernel.unprivileged_userns_clone=1)");
		snprintf(map, sizeof(map), "0 %u 1\n", uid);
		if (write_file("/proc/self/uid_map", map) ||
		    write_file("/proc/self/setgroups", "deny"))
			return -1;
		snprintf(map, sizeof(map), "0 %u 1\n", gid);
		if (write_file("/proc/self/gid_map", map))
			return -1;
	}
	/* what happens here stays here */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return complain("making mounts private");
	return 0;
}

/* In the folder at fd: a link to each entry of /proc/self/net, other than pktgen. */
static int link_entries(int fd)
{
	DIR *d = opendir("/proc/self/net");
	struct dirent *e;
	char to[sizeof(e->d_name) + 32];

	if (!d)
		return complain("/proc/self/net");
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "pktgen"))
			continue;
		snprintf(to, sizeof(to), "/proc/self/net/%s", e->d_name);
		if (symlinkat(to, fd, e->d_name) != 0)
			complain(e->d_name); /* one less: no reason to give up */
	}
	closedir(d);
	return 0;
}

/* The kernel's own numbers, where the C library has none. */
#ifndef SYS_open_tree
#define SYS_open_tree  428
#define SYS_move_mount 429
#endif
enum { OPEN_TREE_CLONE_ = 1, MOVE_EMPTY_PATH_ = 4 };

static int lay_over_proc_net(const char *link)
{
	int fd = (int)syscall(SYS_open_tree, AT_FDCWD, link,
			      OPEN_TREE_CLONE_ | O_CLOEXEC | AT_SYMLINK_NOFOLLOW);
	long n;

	if (fd < 0)
		return complain("open_tree");
	n = syscall(SYS_move_mount, fd, "", AT_FDCWD, "/proc/net", MOVE_EMPTY_PATH_);
	close(fd);
	return n ? complain("laying a link over /proc/net") : 0;
}

/* A file system in memory with net/ (pktgen/ and links) and the link to it. Fills in where. */
static int build_net(char where[64])
{
	char path[96], link[96];
	int fd;

	snprintf(where, 64, "/tmp/upktgen-XXXXXX");
	if (!mkdtemp(where))
		return complain("/tmp");
	if (mount("upktgen", where, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") != 0)
		return complain(where);
	snprintf(path, sizeof(path), "%s/net", where);
	snprintf(link, sizeof(link), "%s/link", where);
	if (mkdir(path, 0555) != 0 || symlink(path, link) != 0)
		return complain(path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || mkdirat(fd, "pktgen", 0555) != 0 || link_entries(fd))
		return complain(path);
	close(fd);
	return lay_over_proc_net(link);
}

/* A folder that only this mount namespace had something on. */
static void clean_up(const char *where)
{
	umount2("/proc/net", MNT_DETACH);
	umount2(where, MNT_DETACH);
	rmdir(where);
}

static pid_t child;
static struct upk_files *served;
static int child_status = -1;

/* SIGCHLD: the command is over. SIGTERM and SIGHUP go on to it. */
static void on_child(int sig)
{
	int saved = errno, status; /* NOLINT(bugprone-signal-handler): a thread's own */

	(void)sig;
	if (waitpid(child, &status, WNOHANG) == child) {
		ww_store_relaxed(&child_status, status);
		upk_files_leave(served); /* NOLINT(bugprone-signal-handler): one write() */
	}
	errno = saved;
}

static void pass_on(int sig)
{
	kill(child, sig);
}

static int become(char **command)
{
	static char *shell[] = {NULL, NULL};

	if (!command || !*command) {
		shell[0] = getenv("SHELL");
		if (!shell[0])
			shell[0] = "/bin/sh";
		command = shell;
	}
	execvp(command[0], command);
	fprintf(stderr, "upktgen shell: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/*
 * The command, in a process that has what the user had; it waits for a byte before it begins. None
 * of our descriptors outlives its exec, and none for a device is open yet. keeper: the descriptor
 * whose end tells that process that we are gone. go: where the byte goes.
 */
static int fork_command(char **command, int keeper, int *go)
{
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return complain("pipe");
	fflush(NULL);
	child = fork();
	if (child < 0)
		return complain("fork");
	if (child == 0) {
		/* Until its exec it must not hold what the keeper waits to see closed. */
		close(keeper);
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(126); /* it could not be served */
		become(command);
	}
	close(ends[0]);
	*go = ends[1];
	return 0;
}

/* arg: the descriptor that lets the command go. */
static int serve_command(struct upk_files *f, struct upk_session *s, void *arg)
{
	int go = *(const int *)arg;
	sigset_t chld, before;
	int status;

	(void)s;
	served = f;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &before);
	/* the terminal's signals are the command's to take */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	signal(SIGCHLD, on_child);
	if (write(go, "", 1) != 1)
		complain("pipe");
	sigprocmask(SIG_SETMASK, &before, NULL);
	upk_files_serve(f);
	if (ww_load_relaxed(&child_status) ==
	    -1) /* unmounted under our feet: it may end in peace */
		waitpid(child, &status, 0);
	else
		status = ww_load_relaxed(&child_status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int upk_cmd_shell(int argc, char **argv)
{
	/* Only this mount namespace has anything on them; the folder is everybody's to see. */
	static char where[64], dir[96];
	struct pg_keeper keeper = {.mount = {"/proc/net", where}, .folder = where};
	struct args a = {0};
	struct upk_confine c = {.sends = true};
	struct upk_files *f;
	int go, status;

	upk_parse(&argp, argc, argv, ARGP_IN_ORDER, &a);
	if (enter_namespaces() || build_net(where))
		return UPK_FAILED;
	snprintf(dir, sizeof(dir), "%s/net/pktgen", where);
	f = upk_files_mount(dir, &keeper);
	if (!f) {
		clean_up(where);
		return UPK_FAILED;
	}
	if (fork_command(a.command, keeper.fd, &go)) {
		upk_files_unmount(f);
		return UPK_FAILED;
	}
	/* The files are mounted, the command waits: from here on without rights. */
	c.backend = a.options.engine.backend;
	c.may_signal = child;
	status = upk_files_with(f, &c, &a.options, serve_command, &go);
	close(go);
	return status;
}
