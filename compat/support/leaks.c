/* SPDX-License-Identifier: MIT */
#include "leaks.h"

#include <wheelwork/timer.h>
#include <wheelwork/work.h>
#include <wheelwork/worker.h>

#include "base/report.h"
#include "support.h"

/* What is seen under the library's locks, to be printed without them. */
struct leak {
	const char *what; /* a format for the function's name, then the queue's */
	const void *func;
	char queue[64];
};

struct leaks {
	struct leak *v;
	size_t n, size;
};

static void note(struct leaks *l, const char *what, const void *func, const char *queue)
{
	if (l->n == l->size) {
		struct leak *v = realloc(l->v, (l->size * 2 + 16) * sizeof(*v));

		if (!v)
			return;
		l->v = v;
		l->size = l->size * 2 + 16;
	}
	l->v[l->n] = (struct leak){.what = what, .func = func};
	if (queue)
		snprintf(l->v[l->n].queue, sizeof(l->v[l->n].queue), "%s", queue);
	l->n++;
}

#define ADDRESS(fn) __extension__(const void *)(fn)

static void see_timer(const struct ww_timer *timer, void *arg)
{
	if (timer->function == ww_sleep_is_over)
		return; /* a thread that sleeps: named as such */
	if (timer->function == ww_delayed_work_expired) {
		const struct ww_delayed_work *d =
			ww_container_of((struct ww_timer *)timer, struct ww_delayed_work, timer);

		note(arg, "delayed work of %s() is still armed", ADDRESS(d->work.func), NULL);
	} else if (timer->function == ww_worker_timer_fn_) {
		const struct ww_worker_delayed_work *d = ww_container_of(
			(struct ww_timer *)timer, struct ww_worker_delayed_work, timer);

		note(arg, "kthread delayed work of %s() is still armed", ADDRESS(d->work.func),
		     NULL);
	} else {
		const void *function = ww_linux_hrtimer_function(timer);
		const char *what = function ? "hrtimer of %s() is still armed"
					    : "timer of %s() is still armed";

		if (!function)
			function = ww_linux_old_timer_function(timer);
		note(arg, what, function ? function : ADDRESS(timer->function), NULL);
	}
}

static void see_work(const struct ww_work_view *view, void *arg)
{
	if (view->func)
		note(arg,
		     view->running ? "work of %s() is still running on \"%s\""
				   : "work of %s() is still queued on \"%s\"",
		     ADDRESS(view->func), view->queue);
	else if (!view->system)
		note(arg, "work queue %.0s\"%s\" has not been destroyed", NULL, view->queue);
}

static unsigned print(struct leaks *l, FILE *out)
{
	for (size_t i = 0; i < l->n; i++) {
		fprintf(out, l->v[i].what, ww_symbol(l->v[i].func), l->v[i].queue);
		fputc('\n', out);
	}
	free(l->v);
	return (unsigned)l->n;
}

WW_LINUX_EXPORT unsigned ww_linux_report_leaks(FILE *out)
{
	struct leaks leaks = {NULL, 0, 0};

	ww_linux_rcu_drain();
	ww_timer_for_each(see_timer, &leaks);
	ww_work_for_each(see_work, &leaks);
	return print(&leaks, out) + ww_linux_report_tasks(out) + ww_linux_report_caches(out) +
	       ww_linux_report_modules(out);
}
