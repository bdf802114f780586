/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_FAILED = 97, EXIT_SKIPPED = 98 };

static struct tap_case *first, **last = &first;
static uint64_t seed;
static const char *program;

void tap_add(struct tap_case *c)
{
	*last = c;
	last = &c->next;
}

void tap_note(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	printf("# %s\n", line);
	fflush(stdout);
}

void tap_fail(const char *file, int line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap_note("%s:%d: %s (seed %" PRIu64 ")", file, line, text, tap_seed());
	_exit(EXIT_FAILED);
}

void tap_skip(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap_note("skip: %s", text);
	_exit(EXIT_SKIPPED);
}

uint64_t tap_seed(void)
{
	return seed;
}

uint64_t tap_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static unsigned limit_of(const struct tap_case *c)
{
	const char *factor = getenv("WW_TEST_TIME");

	return c->limit_s * (factor && atoi(factor) > 0 ? (unsigned)atoi(factor) : 1u);
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static pid_t start(const struct tap_case *c)
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		sigset_t none;

		setpgid(0, 0);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		c->fn();
		/* exit(), so that a leak checker has its say */
		exit(0);
	}
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

/* Waits for pid; false (and it is gone, with all its children) when the limit passes first. */
static bool wait_for(pid_t pid, unsigned limit_s, int *status)
{
	sigset_t chld;
	double end = now_s() + limit_s;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	for (;;) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		double left = end - now_s();
		if (left <= 0) {
			/* SIGABRT first: a core or a sanitizer's stack says where it hung. */
			kill(pid, SIGABRT);
			struct timespec grace = {.tv_sec = 1};
			sigtimedwait(&chld, NULL, &grace);
			kill(-pid, SIGKILL);
			waitpid(pid, status, 0);
			return false;
		}
		struct timespec ts = {.tv_sec = (time_t)left, .tv_nsec = 100000000};
		sigtimedwait(&chld, NULL, &ts);
	}
}

/* One command, with what the environment asked for. */
static void say_how_to_repeat(const struct tap_case *c)
{
	printf("# to repeat it: WW_TEST_SEED=%" PRIu64, seed);
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "WW_", 3) && strncmp(*e, "WW_TEST_SEED=", 13) != 0)
			printf(" %s", *e);
	printf(" %s %s\n", program, c->name);
}

/* 0 passed, 1 failed */
static int run_case(const struct tap_case *c, int number)
{
	int status = 0;
	double begin = now_s();
	pid_t pid = start(c);

	if (pid < 0) {
		printf("not ok %d - %s\n# fork: %s\n", number, c->name, strerror(errno));
		return 1;
	}
	bool ended = wait_for(pid, limit_of(c), &status);
	kill(-pid, SIGKILL); /* whatever the case left running */
	if (ended && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED) {
		printf("ok %d - %s # SKIP see the line above\n", number, c->name);
		return 0;
	}
	bool ok = ended && (c->signal ? WIFSIGNALED(status) && WTERMSIG(status) == c->signal
				      : WIFEXITED(status) && WEXITSTATUS(status) == 0);
	printf("%sok %d - %s # time=%.2fs\n", ok ? "" : "not ", number, c->name, now_s() - begin);
	if (!ok && !ended)
		printf("# %s: over its limit of %u s, seed %" PRIu64 "\n", c->name, limit_of(c),
		       seed);
	else if (!ok && WIFSIGNALED(status))
		printf("# %s: ended by signal %d, seed %" PRIu64 "\n", c->name, WTERMSIG(status),
		       seed);
	else if (!ok && WEXITSTATUS(status) != EXIT_FAILED)
		printf("# %s: exit status %d, seed %" PRIu64 "\n", c->name, WEXITSTATUS(status),
		       seed);
	if (!ok)
		say_how_to_repeat(c);
	fflush(stdout);
	return ok ? 0 : 1;
}

static bool wanted(const struct tap_case *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], c->name))
			return true;
	return argc <= 1;
}

int main(int argc, char **argv)
{
	const char *s = getenv("WW_TEST_SEED");
	int number = 0, count = 0, failed = 0;
	sigset_t chld;

	program = argv[0];

	seed = s ? strtoull(s, NULL, 0) : (uint64_t)(now_s() * 1e9) ^ (uint64_t)getpid();
	if (argc == 2 && !strcmp(argv[1], "-l")) {
		for (struct tap_case *c = first; c; c = c->next)
			puts(c->name);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "-n")) {
		for (struct tap_case *c = first; c; c = c->next)
			if (!strcmp(argv[2], c->name)) {
				c->fn();
				return 0;
			}
		fprintf(stderr, "%s: no case %s; -l lists them\n", argv[0], argv[2]);
		return 2;
	}
	for (struct tap_case *c = first; c; c = c->next)
		count += wanted(c, argc, argv);
	if (!count) {
		fprintf(stderr, "%s: no such case; -l lists them\n", argv[0]);
		return 2;
	}
	/* Blocked, so that sigtimedwait() sees it; the children get it back. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	printf("1..%d\n", count);
	for (struct tap_case *c = first; c; c = c->next)
		if (wanted(c, argc, argv))
			failed += run_case(c, ++number);
	return failed ? 1 : 0;
}
