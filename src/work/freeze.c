/* SPDX-License-Identifier: MIT */
/*
 * Freezable queues. While the freezer is on they start nothing new: what is queued waits as if
 * max_active were 0, and what runs is waited for.
 */
#include "work/internal.h"

#include "thread/thread.h"

static bool freezing; /* G */

/* G. */
static unsigned set_frozen(struct ww_workqueue *wq, bool frozen)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < wq->npwq; i++) {
		struct ww_pwq *pwq = wq->pwqs[i];

		ww_pool_lock(pwq->pool);
		pwq->frozen = frozen;
		ww_pwq_urgent_l(pwq);
		ww_pool_settle_all_l(pwq->pool);
		if (!frozen)
			ww_pwq_activate_l(pwq);
		ww_pool_kick_l(pwq->pool);
		busy += (unsigned)pwq->nr_active;
		ww_pool_unlock(pwq->pool);
	}
	return busy;
}

static unsigned for_all(bool frozen)
{
	unsigned busy = 0;
	struct ww_list *l;

	ww_lock(&ww_wq_lock);
	freezing = frozen;
	ww_list_for_each (l, &ww_all_wqs) {
		struct ww_workqueue *wq = ww_list_entry(l, struct ww_workqueue, node);

		if (wq->flags & WW_WQ_FREEZABLE)
			busy += set_frozen(wq, frozen);
	}
	ww_unlock(&ww_wq_lock);
	return busy;
}

static void begin(void)
{
	for_all(true);
}

/* Active items of freezable queues: those that run, and those that were let through before. */
static unsigned busy(void)
{
	return for_all(true);
}

static void thaw(void)
{
	for_all(false);
}

/* Whether what is made for a queue just now begins frozen. G. */
bool ww_wq_begins_frozen(const struct ww_workqueue *wq)
{
	return freezing && (wq->flags & WW_WQ_FREEZABLE);
}

/* An item of a freezable queue is over while the freezer waits for it. */
void ww_freeze_progress_l(const struct ww_pwq *pwq)
{
	if (ww_unlikely(pwq->frozen))
		ww_freezer_progress();
}

void ww_freeze_init(void)
{
	static const struct ww_freezer_client client = {begin, busy, thaw};

	ww_freezer_register(&client);
}
