// SPDX-License-Identifier: MIT
/* What the commands see: threads, devices, start and stop. */
#include <errno.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "transmit/internal.h"

static struct pg_thread *thread_of(const struct pg_engine *e, int cpu)
{
	for (int i = 0; i < e->nr_threads; i++)
		if (e->threads[i].cpu == cpu)
			return &e->threads[i];
	return NULL;
}

static int start_threads(struct pg_engine *e)
{
	for (int i = 0; i < e->nr_threads; i++) {
		struct pg_thread *t = &e->threads[i];

		t->engine = e;
		t->cpu = ww_cpu_of_slot(i);
		ww_list_init(&t->devices);
		ww_control_init(&t->control);
		t->task = ww_thread_create(pg_transmit_thread, t, "kpktgend_%d", t->cpu);
		if (!t->task)
			return -errno;
		ww_thread_bind(t->task, t->cpu);
		ww_wake_up_process(t->task);
	}
	return 0;
}

struct pg_engine *pg_engine_create(const struct pg_engine_options *options)
{
	struct pg_engine *e = ww_alloc_lines(sizeof(*e));
	const char *arg;

	if (!e)
		return NULL;
	e->options = *options;
	ww_lock_init(&e->lock);
	ww_init_waitqueue_head(&e->done);
	int err = 0;

	if (options->backend) {
		snprintf(e->backend, sizeof(e->backend), "%s", options->backend);
		if (!pg_backend_find(e->backend, &arg))
			err = -EINVAL;
	}
	e->nr_threads = ww_cpu_slots();
	pg_stamp_rate(); /* measured from here on */
	if (!err) {
		e->threads = ww_alloc_lines((size_t)e->nr_threads * sizeof(*e->threads));
		err = e->threads ? start_threads(e) : -ENOMEM;
	}
	if (err) {
		pg_engine_destroy(e);
		errno = -err;
		return NULL;
	}
	return e;
}

void pg_engine_destroy(struct pg_engine *e)
{
	if (!e)
		return;
	for (int i = 0; e->threads && i < e->nr_threads; i++)
		if (e->threads[i].task)
			ww_thread_stop(e->threads[i].task);
	ww_free(e->threads);
	ww_free(e);
}

int pg_engine_threads(const struct pg_engine *e)
{
	return e->nr_threads;
}

int pg_engine_thread_cpu(const struct pg_engine *e, int index)
{
	return e->threads[index].cpu;
}

static struct pg_device *find_locked(struct pg_engine *e, const char *name)
{
	struct ww_list *l;

	for (int i = 0; i < e->nr_threads; i++)
		ww_list_for_each (l, &e->threads[i].devices) {
			struct pg_device *d = ww_list_entry(l, struct pg_device, link);

			if (!strcmp(d->name, name))
				return d;
		}
	return NULL;
}

/* The network device that a name stands for, as the kernel judges it. */
static int check_link(struct pg_engine *e, const char *ifname, struct pg_link *link)
{
	const char *arg;
	const struct pg_backend *b = e->backend[0] ? pg_backend_find(e->backend, &arg) : NULL;

	*link = (struct pg_link){.nr_queues = 1};
	if (b && !b->needs_device)
		return 0;
	int err = pg_link_read(ifname, link);

	if (err)
		return err;
	if (link->type != ARPHRD_ETHER && link->type != ARPHRD_LOOPBACK)
		return -EINVAL;
	if (!link->up)
		return -ENETDOWN;
	pg_link_addresses(ifname, link);
	return 0;
}

int pg_engine_add(struct pg_engine *e, int cpu, const char *name, struct pg_device **out)
{
	struct pg_thread *t = thread_of(e, cpu);
	size_t len = strcspn(name, "@");
	struct pg_link link;
	char ifname[16];

	if (!t || len == 0 || len >= sizeof(ifname) || strlen(name) >= PG_DEV_NAME)
		return t ? -ENODEV : -EINVAL;
	memcpy(ifname, name, len);
	ifname[len] = 0;
	int err = check_link(e, ifname, &link);

	if (err)
		return err;
	struct pg_device *d = ww_alloc_lines(sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->engine = e;
	d->thread = t;
	snprintf(d->name, sizeof(d->name), "%s", name);
	memcpy(d->ifname, ifname, sizeof(d->ifname));
	pg_config_init(&d->config);
	memcpy(d->config.dev_mac, link.mac, sizeof(link.mac));
	d->config.dev_addr = link.addr;
	d->config.dev_addr6 = link.addr6;
	ww_lock(&e->lock);
	if (find_locked(e, name)) {
		err = -EBUSY;
	} else {
		ww_list_add(&d->link, &t->devices);
		ww_store_relaxed(&t->nr_devices, t->nr_devices + 1);
	}
	ww_unlock(&e->lock);
	if (err)
		pg_device_free(d);
	else if (out)
		*out = d;
	return err;
}

void pg_device_free(struct pg_device *d)
{
	ww_free(d->tx.late);
	ww_free(d);
}

void pg_engine_remove_all(struct pg_engine *e, int cpu)
{
	struct pg_thread *t = thread_of(e, cpu);

	if (!t)
		return;
	/* A request that is already served must not hit a device that is added afterwards. */
	uint32_t mine = ww_fetch_add(&t->removals_asked, 1u) + 1;

	ww_control_post(&t->control, PG_T_REMDEVALL);
	ww_wait_event(&e->done, (int32_t)(ww_load_acquire(&t->removals_done) - mine) >= 0);
}

struct pg_device *pg_engine_find(struct pg_engine *e, const char *name)
{
	ww_lock(&e->lock);
	struct pg_device *d = find_locked(e, name);

	ww_unlock(&e->lock);
	return d;
}

void pg_engine_each(struct pg_engine *e, int cpu,
		    void (*fn)(struct pg_device *d, bool running, void *arg), void *arg)
{
	struct pg_thread *t = thread_of(e, cpu);
	struct ww_list *l;

	if (!t)
		return;
	ww_lock(&e->lock);
	ww_list_for_each (l, &t->devices) {
		struct pg_device *d = ww_list_entry(l, struct pg_device, link);

		fn(d, ww_load_relaxed(&d->running) != 0, arg);
	}
	ww_unlock(&e->lock);
}

void pg_device_get_config(struct pg_device *d, struct pg_config *out)
{
	ww_lock(&d->engine->lock);
	*out = d->config;
	ww_unlock(&d->engine->lock);
}

static void attend(struct pg_device *d, uint32_t what)
{
	ww_fetch_or(&d->attention, what); /* pairs: ENGINE-1 */
	ww_control_post(&d->thread->control, PG_T_ATTEND);
}

void pg_device_set_config(struct pg_device *d, const struct pg_config *config)
{
	ww_lock(&d->engine->lock);
	d->config = *config;
	ww_unlock(&d->engine->lock);
	/* Also where it does not run: it may be on the way, with the old one read already. */
	attend(d, PG_A_CONFIG);
}

void pg_device_clear_counters(struct pg_device *d)
{
	struct pg_status *s = &d->status;

	if (ww_load_relaxed(&d->running)) {
		attend(d, PG_A_CLEAR);
		return;
	}
	ww_store_relaxed(&s->sofar, 0u);
	ww_store_relaxed(&s->errors, 0u);
	ww_store_relaxed(&s->tx_bytes, 0u);
	ww_store_relaxed(&s->idle_us, 0u);
	for (int i = 0; i < PG_NR_CAUSES; i++)
		ww_store_relaxed(&s->by_cause[i], 0u);
	ww_lock(&d->engine->lock);
	d->cursor.seq_num = 1;
	ww_unlock(&d->engine->lock);
}

const char *pg_device_name(const struct pg_device *d)
{
	return d->name;
}

const char *pg_device_ifname(const struct pg_device *d)
{
	return d->ifname;
}

static const struct pg_backend *backend_of(struct pg_device *d)
{
	char why[PG_WHY];
	const char *arg;

	return d->engine->backend[0] ? pg_backend_find(d->engine->backend, &arg)
				     : pg_backend_choose(d->ifname, why);
}

/* Left to itself a run takes the first backend that can inject, whatever sends best. */
static void why_no_receive(struct pg_device *d, const struct pg_backend *b, char why[192])
{
	struct pg_config c;
	char reason[PG_WHY] = "live and tap can";

	if (b && b->receives)
		return;
	pg_config_init(&c);
	c.xmit_mode = PG_NETIF_RECEIVE;
	for (unsigned i = 0; i < PG_BACKENDS_BY_ITSELF && !d->engine->backend[0]; i++)
		if (pg_backends[i]->receives &&
		    !pg_backend_try(pg_backends[i], d->ifname, &c, reason))
			return;
	snprintf(why, 192, "backend %s can't inject into receive; %s", b ? b->name : "none",
		 reason);
}

void pg_device_facts(struct pg_device *d, struct pg_device_facts *out)
{
	const struct pg_backend *b = backend_of(d);
	struct pg_link link = {.nr_queues = 1, .mtu = PG_FRAME_MAX, .type = ARPHRD_ETHER};

	if (!b || b->needs_device)
		pg_link_read(d->ifname, &link);
	*out = (struct pg_device_facts){
		.tx_sharing = pg_link_tx_sharing(&link),
		.mtu = link.mtu,
		.nr_queues = link.nr_queues ? link.nr_queues : 1,
		.backend = b ? b->name : "none",
	};
	why_no_receive(d, b, out->no_receive);
	memcpy(out->name, d->name, sizeof(out->name));
	memcpy(out->ifname, d->ifname, sizeof(out->ifname));
}

/* The running loop copies its cursor; it does so before its next burst. */
static void refresh_cursor(struct pg_device *d)
{
	uint64_t end = ww_clock_ns() + 200000000u;
	uint32_t before;

	ww_lock(&d->engine->lock);
	before = d->cursor_serial;
	ww_unlock(&d->engine->lock);
	attend(d, PG_A_CURSOR);
	for (;;) {
		ww_lock(&d->engine->lock);
		bool fresh = d->cursor_serial != before;

		ww_unlock(&d->engine->lock);
		if (fresh || !ww_load_relaxed(&d->running) || ww_clock_ns() >= end)
			return;
		ww_schedule_timeout_uninterruptible(1);
	}
}

void pg_device_status(struct pg_device *d, struct pg_status *out)
{
	const struct pg_status *s = &d->status;

	if (ww_load_relaxed(&d->running))
		refresh_cursor(d);
	/* A run begins and ends under this lock: its times never stand beside another's state. */
	ww_lock(&d->engine->lock);
	bool running = ww_load_acquire(&d->running); /* pairs: ENGINE-2 */
	*out = (struct pg_status){
		.running = running,
		.sofar = ww_load_relaxed(&s->sofar),
		.errors = ww_load_relaxed(&s->errors),
		.tx_bytes = ww_load_relaxed(&s->tx_bytes),
		.started_us = ww_load_relaxed(&s->started_us),
		.stopped_us = running ? ww_clock_ns() / 1000 : ww_load_relaxed(&s->stopped_us),
		.idle_us = ww_load_relaxed(&s->idle_us),
	};
	for (int i = 0; i < PG_NR_CAUSES; i++)
		out->by_cause[i] = ww_load_relaxed(&s->by_cause[i]);
	out->ever_ran = d->ever_ran;
	out->cursor = d->cursor;
	out->frags_shown = d->config.flags & PG_SHARED ? 0 : -1;
	out->backend = d->backend;
	memcpy(out->how, d->how, sizeof(out->how));
	memcpy(out->passed_over, d->passed_over, sizeof(out->passed_over));
	memcpy(out->error, d->error, sizeof(out->error));
	ww_unlock(&d->engine->lock);
}

void pg_device_progress(struct pg_device *d, uint64_t *sofar, uint64_t *bytes, uint64_t *errors)
{
	*sofar = ww_load_relaxed(&d->status.sofar);
	*bytes = ww_load_relaxed(&d->status.tx_bytes);
	*errors = ww_load_relaxed(&d->status.errors);
}

uint64_t pg_device_began_us(const struct pg_device *d)
{
	return ww_load_relaxed(&d->status.started_us);
}

void pg_device_pacing(struct pg_device *d, struct pg_pacing *out)
{
	*out = (struct pg_pacing){0};
	if (ww_load_acquire(&d->running)) /* pairs: ENGINE-2 */
		return;
	out->cpu_ns = d->cpu_ns;
	if (!d->tx.late)
		return;
	out->departures = d->tx.late->count;
	out->first_ns = d->tx.first_ns;
	out->last_ns = d->tx.last_ns;
	out->late_p50_ns = pg_histogram_share(d->tx.late, 500000);
	out->late_p99_ns = pg_histogram_share(d->tx.late, 990000);
	out->late_max_ns = d->tx.late->max;
}

static void post_stop(struct pg_engine *e)
{
	for (int i = 0; i < e->nr_threads; i++)
		ww_control_post(&e->threads[i].control, PG_T_STOP);
}

int pg_engine_start(struct pg_engine *e)
{
	bool told = false;

	/*
	 * No run posted after a stop may be taken for one before it. So every stop is served first,
	 * and a stop that a thread finds beside a run was posted later, and wins.
	 */
	for (int i = 0; i < e->nr_threads; i++)
		ww_control_wait_taken(&e->threads[i].control, PG_T_STOP, WW_MAX_TIMEOUT);
	if (ww_xchg(&e->interrupted, 0u))
		return -EINTR;
	for (int i = 0; i < e->nr_threads; i++) {
		if (ww_load_relaxed(&e->threads[i].nr_devices) == 0)
			continue;
		ww_fetch_add(&e->active, 1u);
		ww_control_post(&e->threads[i].control, PG_T_RUN);
	}
	/* First who is to be woken, then a place in the order of the word's changes. */
	ww_store_relaxed(&e->starter, ww_current());
	ww_fetch_or(&e->interrupted, 0u); /* pairs: ENGINE-4 */
	for (;;) {
		ww_wait_event(&e->done, ww_load_acquire(&e->active) == 0 || /* pairs: ENGINE-3 */
						(!told && ww_load_relaxed(&e->interrupted)));
		if (ww_load_acquire(&e->active) == 0) /* pairs: ENGINE-3 */
			break;
		post_stop(e);
		told = true;
	}
	ww_store_relaxed(&e->starter, NULL);
	ww_store_relaxed(&e->interrupted, 0u);
	return 0;
}

void pg_engine_stop(struct pg_engine *e)
{
	post_stop(e);
}

void pg_engine_stop_from_signal(struct pg_engine *e)
{
	ww_fetch_or(&e->interrupted, 1u); /* pairs: ENGINE-4 */
	struct ww_thread *starter = ww_load_relaxed(&e->starter);

	if (starter)
		ww_wake_up_process(starter);
}

void pg_engine_forget_signal(struct pg_engine *e)
{
	ww_store_relaxed(&e->interrupted, 0u);
}

bool pg_engine_running(const struct pg_engine *e)
{
	return ww_load_relaxed(&e->active) != 0;
}
