/* SPDX-License-Identifier: MIT */
/*
 * main() of a module that is a program: reads its arguments, runs module_init(), waits, runs
 * module_exit(), and says what was left behind. init and exit run in threads of the library, so
 * that they may sleep under the virtual clock too, which this thread moves.
 */
#include "../support/support.h"
#include "../support/modules.h"

#include <argp.h>
#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <wheelwork/clock.h>
#include <wheelwork/thread.h>

#include "../support/leaks.h"
#undef snprintf
#undef vsnprintf
#undef printk

#define EXIT_LEAKS    200
#define EXIT_WARNINGS 201

int ww_linux_user_init_module(void) __attribute__((weak));
void ww_linux_user_cleanup_module(void) __attribute__((weak));
unsigned ww_linux_warnings(void);

static struct {
	bool has_duration, info, strict, no_leak_check;
	uint64_t duration_ms;
} options;

static int stop_fd; /* readable once a signal came */
static int done_fd; /* readable once the phase is over */

enum { OPT_NO_TIME = 256, OPT_SEED, OPT_FAIL_ALLOC, OPT_STRICT, OPT_NO_LEAKS };

static const struct argp_option option_table[] = {
	{"param", 'p', "NAME=VALUE", 0, "set a module parameter (also without the option)", 0},
	{"virtual-time", 'V', NULL, 0,
	 "time stands still but for what the run itself needs; "
	 "wants --duration",
	 0},
	{"duration", 'd', "TIME", 0,
	 "run module_exit() after TIME (10, 500ms, 2m, 1h) instead of "
	 "at the first signal",
	 0},
	{"loglevel", 'l', "N", 0, "print messages of a level below N (default 8: all)", 0},
	{"no-timestamps", OPT_NO_TIME, NULL, 0, "leave the time out of messages", 0},
	{"seed", OPT_SEED, "N", 0, "the same random numbers in every run", 0},
	{"fail-alloc", OPT_FAIL_ALLOC, "N", 0, "let the N-th kmalloc() fail", 0},
	{"strict", OPT_STRICT, NULL, 0, "exit status 201 if there was a WARN()", 0},
	{"no-leak-check", OPT_NO_LEAKS, NULL, 0, "don't look for what module_exit() left behind",
	 0},
	{"info", 'i', NULL, 0, "print what the module says of itself and its parameters, and end",
	 0},
	{0}};

static bool parse_time(const char *s, uint64_t *ms)
{
	char *end;
	double v = strtod(s, &end);
	static const struct {
		const char *unit;
		double ms;
	} unit[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"h", 3600000}};

	if (end == s || v < 0 || !(v < 1e15))
		return false;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (strcmp(end, unit[i].unit) == 0) {
			*ms = (uint64_t)(v * unit[i].ms);
			return true;
		}
	return false;
}

static uint64_t parse_number(struct argp_state *state, const char *name, const char *s)
{
	char *end;
	unsigned long long v = strtoull(s, &end, 0);

	if (end == s || *end || *s == '-')
		argp_error(state, "--%s wants a number, not \"%s\"", name, s);
	return v;
}

static const char *type_of(const char *text)
{
	size_t n = strcspn(text, "=");

	for (struct kernel_param *p = ww_linux_params(); p; p = p->ww_next)
		if (strncmp(p->name, text, n) == 0 && !p->name[n])
			return p->type;
	return NULL;
}

static void set_param(struct argp_state *state, const char *text)
{
	int err = ww_linux_set_param(text);
	char names[512] = "";
	size_t n = 0;

	if (err != -ENOENT) {
		if (err)
			argp_error(state, "parameter %s: %s%s%s", text, strerror(-err),
				   type_of(text) ? "; it takes: " : "",
				   type_of(text) ? type_of(text) : "");
		return;
	}
	for (struct kernel_param *p = ww_linux_params(); p && n < sizeof(names); p = p->ww_next)
		n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", p->name);
	argp_error(state, "no parameter \"%.*s\"; there %s%s", (int)strcspn(text, "="), text,
		   n ? "are:" : "is none", names);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct ww_linux_settings *s = &ww_linux_settings;

	switch (key) {
	case 'p':
	case ARGP_KEY_ARG:
		set_param(state, arg);
		break;
	case 'V':
		s->virtual_time = true;
		break;
	case 'd':
		if (!parse_time(arg, &options.duration_ms))
			argp_error(state,
				   "--duration wants a time such as 10, 500ms or 2m, not \"%s\"",
				   arg);
		options.has_duration = true;
		break;
	case 'l':
		s->loglevel = (int)parse_number(state, "loglevel", arg);
		break;
	case OPT_NO_TIME:
		s->timestamps = false;
		break;
	case OPT_SEED:
		s->seed = parse_number(state, "seed", arg);
		s->seeded = true;
		break;
	case OPT_FAIL_ALLOC:
		s->fail_alloc = (long)parse_number(state, "fail-alloc", arg);
		break;
	case OPT_STRICT:
		options.strict = true;
		break;
	case OPT_NO_LEAKS:
		options.no_leak_check = true;
		break;
	case 'i':
		options.info = true;
		break;
	case ARGP_KEY_END:
		if (s->virtual_time && !options.has_duration && !options.info)
			argp_error(state, "--virtual-time wants --duration: nothing else ends it");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_info(void)
{
	char value[4096];

	for (struct ww_linux_modinfo *i = ww_linux_modinfos(); i; i = i->next)
		printf("%-12s %s\n", i->tag, i->text);
	for (struct kernel_param *p = ww_linux_params(); p; p = p->ww_next) {
		value[0] = 0;
		if (p->ops->get)
			p->ops->get(value, p);
		value[strcspn(value, "\n")] = 0;
		printf("%-12s %s (%s), now %s\n", "value", p->name, p->type,
		       p->ops->get ? value : "unreadable");
	}
}

static void on_signal(int sig)
{
	static volatile sig_atomic_t before;
	uint64_t one = 1;

	if (before++)
		_exit(128 + sig); /* the second time, without waiting for anybody */
	if (write(stop_fd, &one, sizeof(one)) < 0)
		_exit(128 + sig);
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0;
}

/* Until done_fd (or, with stop_ends, a signal): true if it was done_fd. */
static bool wait_real(bool stop_ends, int timeout_ms)
{
	struct pollfd p[2] = {{.fd = done_fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};

	while (poll(p, stop_ends ? 2 : 1, timeout_ms) < 0 && errno == EINTR)
		;
	return p[0].revents != 0;
}

static struct ww_linux_initcall *call_now;
static int call_result;

static int run_call(void *arg)
{
	uint64_t one = 1;

	(void)arg;
	if (!call_now)
		call_result = ww_linux_user_init_module();
	else if (call_now->init)
		call_result = call_now->init();
	else
		call_now->exit();
	if (write(done_fd, &one, sizeof(one)) < 0)
		abort();
	return 0;
}

static int run_user_exit(void *arg)
{
	uint64_t one = 1;

	(void)arg;
	ww_linux_user_cleanup_module();
	if (write(done_fd, &one, sizeof(one)) < 0)
		abort();
	return 0;
}

/* Runs fn in a thread of the library to its end, moving the virtual clock meanwhile. */
static int in_thread(ww_thread_fn fn, const char *name, const char *what)
{
	struct ww_thread *t = ww_thread_create(fn, NULL, "%s", name);
	uint64_t got;
	bool waited = false;

	if (!t) {
		fprintf(stderr, "%s: no thread to run it in: %s\n", what, strerror(errno));
		exit(1);
	}
	ww_thread_get(t);
	ww_wake_up_process(t);
	if (ww_linux_settings.virtual_time) {
		while (!readable(done_fd, 0))
			ww_clock_advance(1);
	} else {
		while (!wait_real(!waited, -1)) {
			fprintf(stderr, "%s is still running; a second signal ends the program\n",
				what);
			waited = true;
		}
	}
	if (read(done_fd, &got, sizeof(got)) < 0)
		abort();
	ww_thread_stop_put(t);
	return call_result;
}

static int by_level(const void *a, const void *b)
{
	const struct ww_linux_initcall *x = *(struct ww_linux_initcall *const *)a;
	const struct ww_linux_initcall *y = *(struct ww_linux_initcall *const *)b;

	return x->level - y->level;
}

static struct ww_linux_initcall **inits, **exits;
static size_t nr_inits, nr_exits;

static void collect_calls(void)
{
	size_t n = 0;

	for (struct ww_linux_initcall *c = ww_linux_initcalls(); c; c = c->next)
		n++;
	inits = calloc(n + 1, sizeof(*inits));
	exits = calloc(n + 1, sizeof(*exits));
	if (!inits || !exits)
		abort();
	for (struct ww_linux_initcall *c = ww_linux_initcalls(); c; c = c->next)
		if (c->init)
			inits[nr_inits++] = c;
		else
			exits[nr_exits++] = c;
	/* insertion: the order within a level is the link order */
	for (size_t i = 1; i < nr_inits; i++)
		for (size_t j = i; j && by_level(&inits[j - 1], &inits[j]) > 0; j--) {
			struct ww_linux_initcall *t = inits[j];

			inits[j] = inits[j - 1];
			inits[j - 1] = t;
		}
}

static void set_state(enum module_state state)
{
	for (size_t i = 0; i < nr_inits; i++)
		ww_linux_module_named(inits[i]->module)->state = state;
}

/* What was initialised before the one that failed goes again. */
static void undo(size_t upto)
{
	for (size_t e = nr_exits; e-- > 0;)
		for (size_t i = 0; i < upto; i++)
			if (strcmp(inits[i]->module, exits[e]->module) == 0 &&
			    strcmp(inits[upto]->module, exits[e]->module) != 0) {
				call_now = exits[e];
				in_thread(run_call, "rmmod", exits[e]->name);
				break;
			}
}

static int run_inits(void)
{
	int err;

	set_state(MODULE_STATE_COMING);
	for (size_t i = 0; i < nr_inits; i++) {
		call_now = inits[i];
		err = in_thread(run_call, "insmod", inits[i]->name);
		if (err < 0) {
			fprintf(stderr, "%s: %s() returned %d (%s)\n", inits[i]->module,
				inits[i]->name, err, strerror(-err));
			undo(i);
			return err;
		}
	}
	if (ww_linux_user_init_module) {
		call_now = NULL;
		err = in_thread(run_call, "insmod", "init_module");
		if (err < 0) {
			fprintf(stderr, "init_module() returned %d (%s)\n", err, strerror(-err));
			return err;
		}
	}
	set_state(MODULE_STATE_LIVE);
	return 0;
}

static void run_exits(void)
{
	set_state(MODULE_STATE_GOING);
	if (ww_linux_user_cleanup_module)
		in_thread(run_user_exit, "rmmod", "cleanup_module");
	for (size_t e = nr_exits; e-- > 0;) {
		call_now = exits[e];
		in_thread(run_call, "rmmod", exits[e]->name);
	}
}

static void run_for_a_while(void)
{
	uint64_t left = options.duration_ms, step;

	if (!ww_linux_settings.virtual_time) {
		if (!options.has_duration)
			while (!readable(stop_fd, -1))
				;
		else
			wait_real(true, left > INT32_MAX ? INT32_MAX : (int)left);
		return;
	}
	left = ww_msecs_to_jiffies(left);
	while (left && !readable(stop_fd, 0)) {
		step = left < ww_hz() ? left : ww_hz();
		ww_clock_advance(step);
		left -= step;
	}
}

static const char doc[] =
	"Run this kernel module as a program: module_init(), then until a signal or --duration, "
	"then module_exit().\vExit status: 0; the error number that an init function returned; "
	"200 if something was left behind at the end (it is named); 201 with --strict.";

static void start(int argc, char **argv)
{
	const struct argp argp = {option_table, parse_option, "[NAME=VALUE...]", doc, NULL,
				  NULL,		NULL};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	done_fd = eventfd(0, EFD_CLOEXEC);
	if (stop_fd < 0 || done_fd < 0) {
		perror("eventfd");
		exit(1);
	}
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (ww_linux_settings.virtual_time && ww_clock_use_virtual()) {
		fprintf(stderr, "--virtual-time: a constructor of the module has used the clock\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	unsigned leaks = 0;
	uint64_t signals;
	int err;

	start(argc, argv);
	if (options.info) {
		print_info();
		return 0;
	}
	collect_calls();
	if (!nr_inits && !ww_linux_user_init_module) {
		fprintf(stderr, "no module_init() and no init_module() in this program\n");
		return 1;
	}
	err = run_inits();
	if (err < 0) {
		/* the kernel frees the module's code now: what is left would run into nothing */
		fflush(NULL);
		if (!options.no_leak_check)
			ww_linux_report_leaks(stderr);
		return -err < 126 ? -err : 1;
	}
	run_for_a_while();
	if (read(stop_fd, &signals, sizeof(signals)) < 0)
		signals = 0; /* the time was over first */
	if (!nr_exits && !ww_linux_user_cleanup_module) {
		fprintf(stderr, "no module_exit(): the kernel could not unload this module\n");
	} else {
		run_exits();
		fflush(NULL);
		if (!options.no_leak_check)
			leaks = ww_linux_report_leaks(stderr);
	}
	fflush(NULL);
	if (leaks)
		return EXIT_LEAKS;
	return options.strict && ww_linux_warnings() ? EXIT_WARNINGS : 0;
}
