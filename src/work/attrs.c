/* SPDX-License-Identifier: MIT */
/* Attributes of unbound queues, and how a queue is laid out over pools. */
#include "work/internal.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

void ww_layout_free(struct ww_wq_layout *lay)
{
	ww_free(lay->mask);
	lay->mask = NULL;
}

/* One pool for each slot. */
static void per_cpu(struct ww_wq_layout *lay)
{
	lay->units = (unsigned)ww_cpu_slots();
	for (unsigned s = 0; s < lay->units; s++) {
		lay->unit[s] = s;
		lay->workers[s] = 1;
	}
}

static bool mask_has(const uint64_t *mask, int cpu)
{
	return cpu >= 0 && cpu < 1024 && (mask[cpu / 64] >> (cpu % 64) & 1);
}

static void mask_set(uint64_t *mask, int cpu)
{
	if (cpu >= 0 && cpu < 1024)
		mask[cpu / 64] |= 1ull << (cpu % 64);
}

static int unit_key(enum ww_wq_scope scope, int cpu)
{
	return scope == WW_WQ_SCOPE_CPU ? cpu : scope == WW_WQ_SCOPE_NUMA ? ww_cpu_node(cpu) : 0;
}

/* Slots of the mask fall into units by scope; the others go to the first unit of their node. */
static int unbound(struct ww_wq_layout *lay, enum ww_wq_scope scope, const uint64_t *allowed,
		   int nice)
{
	unsigned slots = (unsigned)ww_cpu_slots();
	int key[WW_SLOTS_MAX];

	lay->nice = nice;
	lay->units = 0;
	lay->mask = ww_alloc(slots * sizeof(*lay->mask));
	if (!lay->mask)
		return -ENOMEM;
	for (unsigned s = 0; s < slots; s++) {
		int cpu = ww_cpu_of_slot((int)s), k = unit_key(scope, cpu);
		unsigned u = 0;

		lay->unit[s] = UINT32_MAX;
		if (!mask_has(allowed, cpu))
			continue;
		while (u < lay->units && key[u] != k)
			u++;
		if (u == lay->units) {
			key[lay->units++] = k;
			lay->workers[u] = 0;
		}
		lay->unit[s] = u;
		lay->workers[u]++;
		mask_set(lay->mask[u], cpu);
	}
	for (unsigned s = 0; s < slots; s++) {
		int node = ww_cpu_node(ww_cpu_of_slot((int)s));
		unsigned u = 0;

		if (lay->unit[s] != UINT32_MAX)
			continue;
		for (unsigned i = 0; scope == WW_WQ_SCOPE_NUMA && i < lay->units; i++)
			if (key[i] == node)
				u = i;
		lay->unit[s] = u;
	}
	for (unsigned u = 0; u < lay->units && ww_work_virtual; u++)
		lay->workers[u] = 1;
	return lay->units ? 0 : -EINVAL;
}

static void all_slots(uint64_t *mask)
{
	memset(mask, 0, 16 * sizeof(*mask));
	for (int s = 0; s < ww_cpu_slots(); s++)
		mask_set(mask, ww_cpu_of_slot(s));
}

int ww_wq_default_layout(struct ww_workqueue *wq, struct ww_wq_layout *lay)
{
	uint64_t mask[16];

	lay->nice = wq->flags & WW_WQ_HIGHPRI ? -20 : 0;
	lay->mask = NULL;
	if (!(wq->flags & WW_WQ_UNBOUND)) {
		per_cpu(lay);
		return 0;
	}
	all_slots(mask);
	return unbound(lay, WW_WQ_SCOPE_SYSTEM, mask, lay->nice);
}

/* ---- attributes ---- */

WW_EXPORT struct ww_workqueue_attrs *ww_alloc_workqueue_attrs(void)
{
	struct ww_workqueue_attrs *attrs = ww_alloc(sizeof(*attrs));

	if (attrs)
		all_slots(attrs->cpumask);
	return attrs;
}

WW_EXPORT void ww_free_workqueue_attrs(struct ww_workqueue_attrs *attrs)
{
	ww_free(attrs);
}

/* Whether a thread of ours may be given this value: tried on ourselves, where it can be undone. */
static int try_nice(int nice)
{
	pid_t self = ww_os_thread_id();
	int now = ww_os_thread_get_nice(self), err;

	if (nice >= now)
		return 0;
	err = ww_os_thread_set_nice(self, nice);
	if (!err)
		ww_os_thread_set_nice(self, now);
	return err == -EPERM ? -EACCES : err;
}

static int check(const struct ww_workqueue *wq, const struct ww_workqueue_attrs *attrs)
{
	if (!(wq->flags & WW_WQ_UNBOUND) || wq->ordered)
		return -EINVAL;
	if (attrs->nice < -20 || attrs->nice > 19 || (unsigned)attrs->scope > WW_WQ_SCOPE_CPU)
		return -EINVAL;
	for (unsigned i = 0; i < sizeof(attrs->spare) / sizeof(attrs->spare[0]); i++)
		if (attrs->spare[i])
			return -EINVAL;
	return try_nice(attrs->nice);
}

/* From now on all pwqs of the queue count what is active together. Q. */
static void share_active(struct ww_workqueue *wq)
{
	for (unsigned i = 0; i < wq->npwq; i++) {
		struct ww_pwq *pwq = wq->pwqs[i];

		ww_pool_lock(pwq->pool);
		ww_pool_settle_all_l(pwq->pool);
		if (!pwq->shared)
			ww_fetch_add(&wq->shared_active, pwq->nr_active);
		pwq->shared = true;
		ww_pool_kick_l(pwq->pool);
		ww_pool_unlock(pwq->pool);
	}
}

WW_EXPORT int ww_apply_workqueue_attrs(struct ww_workqueue *wq,
				       const struct ww_workqueue_attrs *attrs)
{
	struct ww_wq_layout lay = {0};
	uint64_t usable[16], any = 0;
	int err = check(wq, attrs);

	if (err)
		return err;
	all_slots(usable);
	for (unsigned i = 0; i < 16; i++)
		any |= usable[i] & attrs->cpumask[i];
	for (unsigned i = 0; i < 16 && any; i++)
		usable[i] &= attrs->cpumask[i];
	ww_lock(&wq->mutex);
	err = unbound(&lay, attrs->scope, usable, attrs->nice);
	if (!err) {
		share_active(wq);
		ww_lock(&ww_wq_lock);
		err = ww_wq_lay_out(wq, &lay, true);
		ww_unlock(&ww_wq_lock);
	}
	ww_unlock(&wq->mutex);
	ww_layout_free(&lay);
	return err;
}
