/* SPDX-License-Identifier: MIT */
/*
 * The freezer: bring every thread that agreed to it to a halt at a point of its own choice, look or
 * snapshot, then let them go on. A thread agrees by ww_set_freezable(); it is then frozen in
 * ww_try_to_freeze(), and where it sleeps in a freezable wait (ww_wait_event_freezable(),
 * ww_control_wait(), or WW_TASK_FREEZABLE in its state). A wake-up that comes meanwhile is kept.
 */
#ifndef WHEELWORK_FREEZER_H
#define WHEELWORK_FREEZER_H

#include <wheelwork/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Freezes all freezable threads but the caller, and waits until they are, for at most timeout
 * ticks. 0; -EBUSY if one did not (named in a warning; then all are thawed), or if they are frozen
 * already. May sleep. Kernel: freeze_kernel_threads(), which waits 20 seconds.
 */
int ww_freeze_threads(int64_t timeout);
/* Nothing if nothing is frozen. Does not wait. Kernel: thaw_kernel_threads(). */
void ww_thaw_threads(void);

/* The calling thread agrees, and freezes at once if it is time. Any thread. True if it was frozen.
 */
bool ww_set_freezable(void);
/* Should the calling thread freeze? One relaxed load while the freezer is off. Kernel: freezing().
 */
bool ww_freezing(void);
/*
 * Freezes the calling thread if it should, until the thaw: true if it did. A stop waits for the
 * thaw too. May sleep. Kernel: try_to_freeze().
 */
bool ww_try_to_freeze(void);
/*
 * For the head of a loop: freezes if it should, but no longer than until it is stopped; then says
 * whether it is. was_frozen may be NULL. May sleep. Kernel: kthread_freezable_should_stop().
 */
bool ww_thread_freezable_should_stop(bool *was_frozen);

#ifdef __cplusplus
}
#endif
#endif
