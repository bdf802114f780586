/* SPDX-License-Identifier: MIT */
/*
 * wheelwork-module: compiles a module's source against the kernel header names of ../include into
 * a program (see program.c), and runs that. What it does not know itself it hands to the program.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner-config.h" /* where this was installed to, which compiler built it */

/* A growing argument vector. */
struct args {
	const char **v;
	size_t n;
};

static void *checked(void *p)
{
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return p;
}

static void add(struct args *a, const char *s)
{
	a->v = checked(realloc(a->v, (a->n + 2) * sizeof(*a->v)));
	a->v[a->n++] = s;
	a->v[a->n] = NULL;
}

static char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return checked(s);
}

static struct {
	struct args files, cflags, run, wrapper;
	const char *cc, *output, *name, *sanitize, *hz, *kernel;
	bool verbose, build_only;
} opt;

enum {
	OPT_CC = 256,
	OPT_CFLAG,
	OPT_HZ,
	OPT_KERNEL,
	OPT_NAME,
	OPT_WRAPPER,
	OPT_RUN_NO_TIME,
	OPT_RUN_SEED,
	OPT_RUN_FAIL,
	OPT_RUN_STRICT,
	OPT_RUN_NO_LEAKS
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Compiling:", 1},
	{"sanitize", 's', "S", 0, "address, thread, undefined (or address,undefined)", 1},
	{"cc", OPT_CC, "CC", 0, "the compiler (default: $CC, or the one that built this)", 1},
	{NULL, 'I', "DIR", 0, "look for headers in DIR first", 1},
	{NULL, 'D', "NAME[=V]", 0, "define a macro", 1},
	{NULL, 'U', "NAME", 0, "undefine a macro", 1},
	{"cflag", OPT_CFLAG, "FLAG", 0, "hand FLAG to the compiler", 1},
	{"hz", OPT_HZ, "N", 0, "HZ (default 1000)", 1},
	{"kernel", OPT_KERNEL, "VERSION", 0,
	 "LINUX_VERSION_CODE is that of VERSION (2.6.32, 4.14); before 4.15 timers have a data "
	 "word",
	 1},
	{"name", OPT_NAME, "NAME", 0, "the module's name (default: that of the first file)", 1},
	{"output", 'o', "FILE", 0, "keep the program as FILE", 1},
	{"build-only", 'B', NULL, 0, "with --output: don't run it", 1},
	{"verbose", 'v', NULL, 0, "show each command", 1},
	{NULL, 0, NULL, 0, "Running:", 2},
	{"param", 'p', "NAME=VALUE", 0, "set a module parameter (also without the option)", 2},
	{"virtual-time", 'V', NULL, 0, "virtual time; wants --duration", 2},
	{"duration", 'd', "TIME", 0,
	 "run module_exit() after TIME (10, 500ms, 2m, 1h) instead of "
	 "at the first signal",
	 2},
	{"loglevel", 'l', "N", 0, "print messages of a level below N (default 8: all)", 2},
	{"no-timestamps", OPT_RUN_NO_TIME, NULL, 0, "leave the time out of messages", 2},
	{"seed", OPT_RUN_SEED, "N", 0, "the same random numbers in every run", 2},
	{"fail-alloc", OPT_RUN_FAIL, "N", 0, "let the N-th kmalloc() fail", 2},
	{"strict", OPT_RUN_STRICT, NULL, 0, "exit status 201 if there was a WARN()", 2},
	{"no-leak-check", OPT_RUN_NO_LEAKS, NULL, 0, "don't look for what module_exit() left", 2},
	{"info", 'i', NULL, 0, "print what the module says of itself, and end", 2},
	{"wrapper", OPT_WRAPPER, "COMMAND", 0, "run it under COMMAND (\"gdb --args\", valgrind)",
	 2},
	{0}};

static void split_words(struct args *a, const char *s)
{
	char *copy = checked(strdup(s)), *save = NULL;

	for (char *w = strtok_r(copy, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
		add(a, checked(strdup(w)));
	free(copy);
}

static bool known_sanitizers(const char *s)
{
	char *copy = checked(strdup(s)), *save = NULL;
	bool thread = false, other = false, ok = *s != 0;

	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		thread |= strcmp(w, "thread") == 0;
		other |= strcmp(w, "address") == 0 || strcmp(w, "leak") == 0;
		ok &= strcmp(w, "thread") == 0 || strcmp(w, "address") == 0 ||
		      strcmp(w, "undefined") == 0 || strcmp(w, "leak") == 0;
	}
	free(copy);
	return ok && !(thread && other);
}

static void plain_argument(struct argp_state *state, char *arg)
{
	size_t n = strlen(arg);

	if (n > 2 && strcmp(arg + n - 2, ".c") == 0)
		add(&opt.files, arg);
	else if (isalpha((unsigned char)arg[0]) || arg[0] == '_')
		add(&opt.run, text("--param=%s", arg));
	else
		argp_error(state, "\"%s\" is neither a FILE.c nor a NAME=VALUE", arg);
}

/* 4.14 or 2.6.32 as the flag that makes it LINUX_VERSION_CODE; a fourth number does not count. */
static const char *version_code(struct argp_state *state, const char *s)
{
	unsigned v[4] = {0, 0, 0, 0}, n = 0;
	const char *p = s;
	char *end;

	while (n < 4 && isdigit((unsigned char)*p)) {
		v[n++] = (unsigned)strtoul(p, &end, 10);
		p = *end == '.' && end[1] ? end + 1 : end;
	}
	if (n < 2 || *p || v[0] > 255 || v[1] > 255)
		argp_error(state, "--kernel wants a version such as 2.6.32 or 4.14, not \"%s\"", s);
	return text("-DLINUX_VERSION_CODE=%u",
		    (v[0] << 16) + (v[1] << 8) + (v[2] > 255 ? 255 : v[2]));
}

static void check_hz(struct argp_state *state, const char *s)
{
	char *end;
	unsigned long hz = strtoul(s, &end, 10);

	if (!isdigit((unsigned char)*s) || *end || hz < 1 || hz > 1000000)
		argp_error(state, "--hz wants a number from 1 to 1000000, not \"%s\"", s);
}

static error_t parse_compile(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 's':
		if (!known_sanitizers(arg))
			argp_error(state,
				   "--sanitize takes address, leak, undefined, joined by "
				   "commas, or thread with undefined, not \"%s\"",
				   arg);
		opt.sanitize = arg;
		return 0;
	case OPT_CC:
		opt.cc = arg;
		return 0;
	case 'I':
	case 'D':
	case 'U':
		add(&opt.cflags, text("-%c%s", key, arg));
		return 0;
	case OPT_CFLAG:
		add(&opt.cflags, arg);
		return 0;
	case OPT_HZ:
		check_hz(state, arg);
		opt.hz = arg;
		return 0;
	case OPT_KERNEL:
		opt.kernel = version_code(state, arg);
		return 0;
	case OPT_NAME:
		opt.name = arg;
		return 0;
	case 'o':
		opt.output = arg;
		return 0;
	case 'B':
		opt.build_only = true;
		return 0;
	case 'v':
		opt.verbose = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'p':
		add(&opt.run, text("--param=%s", arg));
		break;
	case 'V':
		add(&opt.run, "--virtual-time");
		break;
	case 'd':
		add(&opt.run, text("--duration=%s", arg));
		break;
	case 'l':
		add(&opt.run, text("--loglevel=%s", arg));
		break;
	case 'i':
		add(&opt.run, "--info");
		break;
	case OPT_RUN_NO_TIME:
		add(&opt.run, "--no-timestamps");
		break;
	case OPT_RUN_SEED:
		add(&opt.run, text("--seed=%s", arg));
		break;
	case OPT_RUN_FAIL:
		add(&opt.run, text("--fail-alloc=%s", arg));
		break;
	case OPT_RUN_STRICT:
		add(&opt.run, "--strict");
		break;
	case OPT_RUN_NO_LEAKS:
		add(&opt.run, "--no-leak-check");
		break;
	case OPT_WRAPPER:
		split_words(&opt.wrapper, arg);
		break;
	case ARGP_KEY_ARG:
		plain_argument(state, arg);
		break;
	case ARGP_KEY_END:
		if (!opt.files.n)
			argp_error(state, "no FILE.c");
		if (opt.build_only && !opt.output)
			argp_error(state, "--build-only wants --output");
		break;
	default:
		return parse_compile(key, arg, state);
	}
	return 0;
}

static pid_t child;

static void hand_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

/* Runs a command to its end: its status as a shell would say it. */
static int run_command(const struct args *a)
{
	int status, err;

	if (opt.verbose)
		for (size_t i = 0; i < a->n; i++)
			fprintf(stderr, "%s%c", a->v[i], i + 1 < a->n ? ' ' : '\n');
	err = posix_spawnp(&child, a->v[0], NULL, NULL, (char **)a->v, environ);
	if (err) {
		fprintf(stderr, "%s: %s\n", a->v[0], strerror(err));
		return 127;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	child = 0;
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "%s: ended by signal %d (%s)\n", a->v[0], WTERMSIG(status),
			strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

/* The same; the vector is not needed any more. */
static int run(struct args *a)
{
	int status = run_command(a);

	free((void *)a->v);
	*a = (struct args){NULL, 0};
	return status;
}

/* A colon-separated list from the environment, or what was configured. */
static void each_dir(const char *variable, const char *configured,
		     void (*fn)(const char *dir, void *arg), void *arg)
{
	const char *list = getenv(variable);
	char *copy = checked(strdup(list && *list ? list : configured)), *save = NULL;

	for (char *d = strtok_r(copy, ":", &save); d; d = strtok_r(NULL, ":", &save))
		fn(d, arg);
	free(copy);
}

static void include_dir(const char *dir, void *arg)
{
	add(arg, text("-I%s", dir));
}

struct found {
	const char *file;
	char *path;
};

static void look_for(const char *dir, void *arg)
{
	struct found *f = arg;
	char *path = text("%s/%s", dir, f->file);

	if (!f->path && access(path, R_OK) == 0)
		f->path = path;
	else
		free(path);
}

static const char *library(const char *file)
{
	struct found f = {file, NULL};

	each_dir("WHEELWORK_MODULE_LIB", MODULE_LIB_DIRS, look_for, &f);
	if (!f.path) {
		fprintf(stderr, "%s is in none of %s (set WHEELWORK_MODULE_LIB)\n", file,
			getenv("WHEELWORK_MODULE_LIB") ? getenv("WHEELWORK_MODULE_LIB")
						       : MODULE_LIB_DIRS);
		exit(1);
	}
	return f.path;
}

static void check_headers(void)
{
	struct found f = {"linux/timer.h", NULL};

	each_dir("WHEELWORK_MODULE_INCLUDE", MODULE_INCLUDE_DIRS, look_for, &f);
	if (!f.path) {
		const char *list = getenv("WHEELWORK_MODULE_INCLUDE");

		fprintf(stderr, "the headers are in none of %s (set WHEELWORK_MODULE_INCLUDE)\n",
			list && *list ? list : MODULE_INCLUDE_DIRS);
		exit(1);
	}
	free(f.path);
}

/* A file's name without folder and ending, with what C can't have in a name as "_". */
static char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *name = checked(strdup(slash ? slash + 1 : file));

	name[strlen(name) - 2] = 0;
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return name;
}

static void common_flags(struct args *a)
{
	static const char *const flags[] = {"-std=gnu11",
					    "-fgnu89-inline",
					    "-g",
					    "-fno-strict-aliasing",
					    "-fwrapv",
					    "-funsigned-char",
					    "-fno-omit-frame-pointer",
					    "-pthread",
					    "-Wall",
					    "-Wno-pointer-sign",
					    "-Wno-unused-function",
					    "-Werror=implicit-function-declaration",
					    "-Werror=implicit-int",
					    "-Werror=return-type",
					    "-DMODULE",
					    "-D__KERNEL__",
					    "-D_GNU_SOURCE"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		add(a, flags[i]);
	add(a, opt.sanitize ? "-O1" : "-O2");
	if (opt.sanitize)
		add(a, text("-fsanitize=%s", opt.sanitize));
}

static int compile(const char *file, const char *object)
{
	struct args a = {NULL, 0};
	char *base = base_name(file);

	add(&a, opt.cc);
	common_flags(&a);
	add(&a, text("-DKBUILD_MODNAME=\"%s\"", opt.name));
	add(&a, text("-DKBUILD_BASENAME=\"%s\"", base));
	if (opt.hz)
		add(&a, text("-DWW_LINUX_HZ=%s", opt.hz));
	/* an error in the kernel, too, but not always */
	add(&a, opt.kernel ? opt.kernel : "-Werror=incompatible-pointer-types");
	for (size_t i = 0; i < opt.cflags.n; i++)
		add(&a, opt.cflags.v[i]);
	each_dir("WHEELWORK_MODULE_INCLUDE", MODULE_INCLUDE_DIRS, include_dir, &a);
	add(&a, "-c");
	add(&a, file);
	add(&a, "-o");
	add(&a, object);
	free(base);
	return run(&a);
}

static int link_program(const struct args *objects, const char *program)
{
	struct args a = {NULL, 0};
	bool tsan = opt.sanitize && strstr(opt.sanitize, "thread");

	add(&a, opt.cc);
	common_flags(&a);
	for (size_t i = 0; i < objects->n; i++)
		add(&a, objects->v[i]);
	/* ThreadSanitizer must see the library's atomics too: it has a build of its own */
	if (tsan) {
		add(&a, library("libwheelwork-linux-module-tsan.a"));
	} else {
		add(&a, library("libwheelwork-linux-module.a"));
		add(&a, library("libwheelwork.a"));
	}
	add(&a, "-lurcu-bp");
	add(&a, "-lm");
	add(&a, "-o");
	add(&a, program);
	return run(&a);
}

/*
 * In the folder where it was built, a file beside it says where that tree has its headers and its
 * libraries; installed, there is none. The environment goes first.
 */
static void not_installed_yet(void)
{
	static const char *const variable[] = {"WHEELWORK_MODULE_INCLUDE", "WHEELWORK_MODULE_LIB"};
	char path[4096], *line = NULL;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(".dirs"));
	size_t size = 0;
	FILE *f;

	if (n <= 0)
		return;
	memcpy(path + n, ".dirs", sizeof(".dirs"));
	f = fopen(path, "re");
	for (size_t i = 0; f && i < 2 && getline(&line, &size, f) > 0; i++) {
		line[strcspn(line, "\n")] = 0;
		setenv(variable[i], line, 0);
	}
	free(line);
	if (f)
		fclose(f);
}

static char *temp_dir; /* removed at the end */

static void remove_temp_dir(void)
{
	struct args a = {NULL, 0};

	if (!temp_dir)
		return;
	add(&a, "rm");
	add(&a, "-rf");
	add(&a, temp_dir);
	opt.verbose = false;
	run(&a);
}

/* What was written for another kernel than these headers follow is told which option says so. */
static void hint(const char *file)
{
	static const char *const old[] = {"init_timer(", "setup_timer("};
	FILE *f = fopen(file, "re");
	char *line = NULL;
	size_t size = 0;

	for (bool found = false; f && !found && getline(&line, &size, f) >= 0;)
		for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
			if (strstr(line, old[i]) && !found) {
				fprintf(stderr,
					"%s: %.*s() is of before Linux 4.15: try --kernel 4.14\n",
					file, (int)strlen(old[i]) - 1, old[i]);
				found = true;
			}
	free(line);
	if (f)
		fclose(f);
}

static int build(const char *program)
{
	struct args objects = {NULL, 0};
	int status = 0;

	for (size_t i = 0; i < opt.files.n && !status; i++) {
		char *object = text("%s/%zu.o", temp_dir, i);

		status = compile(opt.files.v[i], object);
		if (status && !opt.kernel)
			hint(opt.files.v[i]);
		add(&objects, object);
	}
	if (!status)
		status = link_program(&objects, program);
	free((void *)objects.v);
	return status;
}

static const char doc[] =
	"Compile a kernel module's source against the library and run it as a program: "
	"module_init(), then until a signal or --duration, then module_exit().\v"
	"Exit status: 0; the error number that the init function returned; 200 if something was "
	"left "
	"behind at the end; 201 with --strict and a WARN(); 1 if it does not compile.";

int main(int argc, char **argv)
{
	const struct argp argp = {
		option_table, parse_option, "FILE.c... [NAME[=VALUE]...]", doc, NULL, NULL, NULL};
	struct args a = {NULL, 0};
	const char *program, *tmp = getenv("TMPDIR");
	int status;

	not_installed_yet();
	opt.cc = getenv("CC");
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (!opt.cc || !*opt.cc)
		opt.cc = MODULE_CC;
	check_headers();
	if (!opt.name)
		opt.name = base_name(opt.files.v[0]);
	temp_dir = text("%s/wheelwork-module.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(temp_dir)) {
		perror(temp_dir);
		return 1;
	}
	atexit(remove_temp_dir);
	signal(SIGTERM, hand_on);
	signal(SIGINT, SIG_IGN); /* a terminal sends it to the program as well */
	program = opt.output ? opt.output : text("%s/%s", temp_dir, opt.name);
	status = build(program);
	if (status)
		return 1;
	if (opt.build_only)
		return 0;
	for (size_t i = 0; i < opt.wrapper.n; i++)
		add(&a, opt.wrapper.v[i]);
	add(&a, strchr(program, '/') ? program : text("./%s", program));
	for (size_t i = 0; i < opt.run.n; i++)
		add(&a, opt.run.v[i]);
	return run(&a);
}
