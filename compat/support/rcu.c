/* SPDX-License-Identifier: MIT */
/*
 * RCU over liburcu's "bulletproof" flavour. ThreadSanitizer does not see into that library: here
 * each reader's end is tied to the end of each grace period, which is more order than there is
 * (a race that only RCU's finer rules forbid stays hidden), but no false alarm.
 */
#include "support.h"

#include <linux/types.h>
#undef rcu_head /* a structure of liburcu's from here on */
#include <urcu/urcu-bp.h>

#ifdef WW_LINUX_TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
static char order;
/* Its threads and lists are synchronised by means that the sanitizer can't follow. */
const char *__tsan_default_suppressions(void);
WW_LINUX_EXPORT const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:liburcu-bp\n";
}
#define reader_done() __tsan_release(&order)
#define grace_done()  __tsan_acquire(&order)
#else
#define reader_done() ((void)0)
#define grace_done()  ((void)0)
#endif

static __thread unsigned nesting;

/*
 * liburcu would lay its own links over the head; in a record of ours they do no harm to who looks
 * at the object, and the callback's true address is known to the sanitizers.
 */
struct request {
	struct rcu_head head;
	struct callback_head *user;
	void (*func)(struct callback_head *head);
	void *to_free;
};

void ww_linux_rcu_read_lock(void);
void ww_linux_rcu_read_unlock(void);
bool ww_linux_rcu_read_lock_held(void);
void ww_linux_synchronize_rcu(void);
void ww_linux_rcu_barrier(void);
void ww_linux_call_rcu(struct callback_head *head, void (*func)(struct callback_head *head));
void ww_linux_kfree_rcu(void *p);
void ww_linux_kfree(const void *p);

WW_LINUX_EXPORT void ww_linux_rcu_read_lock(void)
{
	urcu_bp_read_lock();
	nesting++;
}

WW_LINUX_EXPORT void ww_linux_rcu_read_unlock(void)
{
	if (!nesting) {
		ww_linux_warn_at("rcu", 0, "rcu_read_unlock", "without rcu_read_lock()");
		return;
	}
	nesting--;
	reader_done();
	urcu_bp_read_unlock();
}

WW_LINUX_EXPORT bool ww_linux_rcu_read_lock_held(void)
{
	return nesting != 0;
}

WW_LINUX_EXPORT void ww_linux_synchronize_rcu(void)
{
	if (nesting) {
		ww_linux_warn_at("rcu", 0, "synchronize_rcu",
				 "inside of a reader: would never end");
		return;
	}
	urcu_bp_synchronize_rcu();
	grace_done();
}

WW_LINUX_EXPORT void ww_linux_rcu_barrier(void)
{
	if (nesting) {
		ww_linux_warn_at("rcu", 0, "rcu_barrier", "inside of a reader: would never end");
		return;
	}
	urcu_bp_barrier();
	grace_done();
}

static void run(struct rcu_head *head)
{
	struct request *r = ww_container_of(head, struct request, head);

	grace_done();
	if (r->func)
		r->func(r->user);
	else
		ww_linux_kfree(r->to_free);
	reader_done(); /* what the callback did is seen after rcu_barrier() */
	free(r);
}

static bool request(struct callback_head *user, void (*func)(struct callback_head *), void *to_free)
{
	struct request *r = malloc(sizeof(*r));

	if (!r)
		return false;
	*r = (struct request){.user = user, .func = func, .to_free = to_free};
	reader_done(); /* what the caller did is seen by the callback */
	urcu_bp_call_rcu(&r->head, run);
	return true;
}

WW_LINUX_EXPORT void ww_linux_call_rcu(struct callback_head *head,
				       void (*func)(struct callback_head *head))
{
	if (!request(head, func, NULL))
		ww_linux_bug_at("rcu", 0, "call_rcu", "out of memory");
}

WW_LINUX_EXPORT void ww_linux_kfree_rcu(void *p)
{
	if (p && !request(NULL, NULL, p)) {
		ww_linux_synchronize_rcu();
		ww_linux_kfree(p);
	}
}

void ww_linux_rcu_drain(void)
{
	ww_linux_rcu_barrier();
}
