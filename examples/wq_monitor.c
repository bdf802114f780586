/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's wq_monitor.py shows of the kernel's queues, of one's own: a line for each queue,
 * three times. Three loads: short items, one that burns its CPU longer than it should, and some that
 * block while others wait behind them. CMW: another worker was let run because one blocked; RPR:
 * items that were taken from a worker for another.
 */
#include "example.h"

#define LOOK_MS 400
#define LOOKS	3

struct load {
	struct ww_delayed_work dwork;
	struct ww_workqueue *wq;
	unsigned every_ms;
};

static struct ww_workqueue *queues[3];
static struct load ticks, hog, blocks[3];

static void again(struct ww_work *work)
{
	struct load *l = (struct load *)(void *)ww_to_delayed_work(work); /* its first member */

	ww_queue_delayed_work(l->wq, &l->dwork, ww_msecs_to_jiffies(l->every_ms));
}

static void burn(struct ww_work *work)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 30000000);
	again(work);
}

/* It does not say that it blocks: that is found out. */
static void doze(struct ww_work *work)
{
	struct timespec ts = {0, 60000000};

	nanosleep(&ts, NULL);
	again(work);
}

static void show(struct ww_workqueue *wq, const char *name)
{
	struct ww_workqueue_stats s;

	ww_workqueue_get_stats(wq, &s);
	printf("%-10s %8llu %5llu %8.1f %7llu %5llu/%-5llu %6llu %8llu\n", name,
	       (unsigned long long)s.started, (unsigned long long)s.in_flight,
	       (double)s.cpu_time_us / 1e6, (unsigned long long)s.cpu_intensive,
	       (unsigned long long)s.blocked_wakeups, (unsigned long long)s.moved,
	       (unsigned long long)s.mayday, (unsigned long long)s.rescued);
}

static void load(struct load *l, struct ww_workqueue *wq, ww_work_fn fn, unsigned every_ms)
{
	*l = (struct load){.wq = wq, .every_ms = every_ms};
	ww_init_delayed_work(&l->dwork, fn);
	/* On one CPU: they share its worker, until one of them blocks. */
	ww_queue_delayed_work_on(0, wq, &l->dwork, ww_msecs_to_jiffies(every_ms));
}

int main(void)
{
	static const char *const names[] = {"ticks", "hog", "blocks"};

	queues[0] = ww_alloc_workqueue(names[0], 0, 0);
	queues[1] = ww_alloc_workqueue(names[1], 0, 0);
	queues[2] = ww_alloc_workqueue(names[2], WW_WQ_MEM_RECLAIM, 0);
	if (!queues[0] || !queues[1] || !queues[2]) {
		perror("wq_monitor");
		return 1;
	}
	load(&ticks, queues[0], again, 5);
	load(&hog, queues[1], burn, 100);
	for (int i = 0; i < 3; i++)
		load(&blocks[i], queues[2], doze, 20);
	for (int k = 0; k < LOOKS; k++) {
		pass(LOOK_MS);
		printf("%-10s %8s %5s %8s %7s %11s %6s %8s\n", "", "total", "infl", "CPUtime",
		       "CPUhog", "CMW/RPR", "mayday", "rescued");
		for (int i = 0; i < 3; i++)
			show(queues[i], names[i]);
	}
	ww_cancel_delayed_work_sync(&ticks.dwork);
	ww_cancel_delayed_work_sync(&hog.dwork);
	for (int i = 0; i < 3; i++)
		ww_cancel_delayed_work_sync(&blocks[i].dwork);
	for (int i = 0; i < 3; i++)
		ww_destroy_workqueue(queues[i]);
	return 0;
}
