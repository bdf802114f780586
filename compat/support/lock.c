/* SPDX-License-Identifier: MIT */
/*
 * The locks' slow paths. A spinlock must leave the task's state alone, so it sleeps on a bare
 * futex; what may be held over a sleep (mutex, rwsem, semaphore, bit) waits on a wait queue of the
 * library, which therefore knows that the thread sleeps (the virtual clock moves on, a pool gets
 * another worker).
 */
#include "support.h"

#include <sched.h>

#include <ww-linux/lock.h>
#include <wheelwork/wait.h>
#include <linux/bitops.h>
#include <linux/semaphore.h>
#include <linux/wait.h>

WW_LINUX_EXPORT __thread uint32_t ww_linux_tid;

#define BUCKETS 64
static struct ww_wait_queue_head bucket[BUCKETS];

static struct ww_wait_queue_head *bucket_of(const void *p)
{
	return &bucket[((uintptr_t)p >> 2) * 0x9E3779B97F4A7C15ull >> 58];
}

WW_LINUX_EXPORT uint32_t ww_linux_tid_slow(void)
{
	return ww_linux_tid = (uint32_t)gettid();
}

WW_LINUX_EXPORT void ww_linux_yield(void)
{
	sched_yield();
}

static bool is_mutex(const char *what)
{
	return what[0] == 'm';
}

static void must_not_be_mine(struct ww_linux_lock *l, const char *what)
{
	if ((ww_load_relaxed(&l->word) & ~WW_LINUX_LOCK_WAITERS) == ww_linux_self())
		ww_linux_bug_at("lock", 0, what, "taken twice by the same thread");
}

/* Takes it, or marks it as waited for; from here on it is only taken with the mark kept. */
static bool take_or_mark(struct ww_linux_lock *l)
{
	uint32_t old = ww_load_relaxed(&l->word);

	for (;;) {
		if (old == 0) {
			if (ww_cmpxchg_acquire(&l->word, &old,
					       ww_linux_self() | WW_LINUX_LOCK_WAITERS))
				return true;
		} else if (old & WW_LINUX_LOCK_WAITERS) {
			return false;
		} else if (ww_cmpxchg_relaxed(&l->word, &old, old | WW_LINUX_LOCK_WAITERS)) {
			return false;
		}
	}
}

WW_LINUX_EXPORT void ww_linux_lock_slow(struct ww_linux_lock *l, const char *what)
{
	must_not_be_mine(l, what);
	for (int i = 0; i < 100; i++) {
		if (!ww_load_relaxed(&l->word) && ww_linux_trylock(l))
			return;
		ww_cpu_relax();
	}
	if (is_mutex(what)) {
		ww_wait_event(bucket_of(l), take_or_mark(l));
		return;
	}
	while (!take_or_mark(l)) {
		uint32_t word = ww_load_relaxed(&l->word);

		if (word & WW_LINUX_LOCK_WAITERS)
			sys_futex_wait(&l->word, word, NULL);
	}
}

WW_LINUX_EXPORT void ww_linux_unlock_slow(struct ww_linux_lock *l, uint32_t was, const char *what)
{
	if (was & WW_LINUX_LOCK_WAITERS) {
		if (is_mutex(what))
			ww_wake_up_all(bucket_of(l));
		else
			sys_futex_wake(&l->word, 1);
		was &= ~WW_LINUX_LOCK_WAITERS;
	}
	/* A spinlock may be given up by another; a mutex may not. */
	if (!was)
		ww_linux_warn_at("lock", 0, what, "unlocked although nobody holds it");
	else if (was != ww_linux_self() && is_mutex(what))
		ww_linux_warn_at("lock", 0, what, "unlocked by another thread than its owner");
}

static bool read_try(struct ww_linux_rw *rw, bool fair)
{
	uint32_t s = ww_load_relaxed(&rw->state);

	while (s != WW_LINUX_RW_WRITER && !(fair && ww_load_relaxed(&rw->writers_waiting)))
		if (ww_cmpxchg_acquire(&rw->state, &s, s + 1))
			return true;
	return false;
}

static bool write_try(struct ww_linux_rw *rw)
{
	uint32_t s = 0;

	return ww_cmpxchg_acquire(&rw->state, &s, WW_LINUX_RW_WRITER);
}

/* rwlock_t (not fair) sleeps like a spinlock, rw_semaphore like a mutex; both wake both. */
static void rw_wake(struct ww_linux_rw *rw)
{
	if (!ww_load_seq_cst(&rw->waiting))
		return;
	sys_futex_wake(&rw->state, INT32_MAX);
	ww_wake_up_all(bucket_of(rw));
}

WW_LINUX_EXPORT bool ww_linux_read_trylock(struct ww_linux_rw *rw, bool fair)
{
	return read_try(rw, fair);
}

WW_LINUX_EXPORT void ww_linux_read_lock(struct ww_linux_rw *rw, bool fair)
{
	for (int i = 0; i < 100; i++) {
		if (read_try(rw, fair))
			return;
		ww_cpu_relax();
	}
	ww_fetch_add(&rw->waiting, 1u);
	if (fair)
		ww_wait_event(bucket_of(rw), read_try(rw, true));
	else
		while (!read_try(rw, false))
			sys_futex_wait(&rw->state, WW_LINUX_RW_WRITER, NULL);
	ww_fetch_sub(&rw->waiting, 1u);
}

WW_LINUX_EXPORT void ww_linux_read_unlock(struct ww_linux_rw *rw)
{
	uint32_t was = ww_fetch_sub(&rw->state, 1u);

	if (was == 0 || was == WW_LINUX_RW_WRITER)
		ww_linux_bug_at("lock", 0, "read_unlock", "no reader holds it");
	if (was == 1)
		rw_wake(rw);
}

WW_LINUX_EXPORT bool ww_linux_write_trylock(struct ww_linux_rw *rw)
{
	return write_try(rw);
}

static void write_sleep(struct ww_linux_rw *rw)
{
	while (!write_try(rw)) {
		uint32_t s = ww_load_seq_cst(&rw->state);

		if (s)
			sys_futex_wait(&rw->state, s, NULL);
	}
}

WW_LINUX_EXPORT void ww_linux_write_lock(struct ww_linux_rw *rw, bool fair)
{
	for (int i = 0; i < 100; i++) {
		if (write_try(rw))
			return;
		ww_cpu_relax();
	}
	ww_fetch_add(&rw->writers_waiting, 1u);
	ww_fetch_add(&rw->waiting, 1u);
	if (fair)
		ww_wait_event(bucket_of(rw), write_try(rw));
	else
		write_sleep(rw);
	ww_fetch_sub(&rw->waiting, 1u);
	ww_fetch_sub(&rw->writers_waiting, 1u);
}

WW_LINUX_EXPORT void ww_linux_write_unlock(struct ww_linux_rw *rw)
{
	uint32_t was = ww_xchg(&rw->state, 0u);

	if (was != WW_LINUX_RW_WRITER)
		ww_linux_bug_at("lock", 0, "write_unlock", "no writer holds it");
	rw_wake(rw);
}

WW_LINUX_EXPORT void ww_linux_write_downgrade(struct ww_linux_rw *rw)
{
	ww_store_seq_cst(&rw->state, 1u);
	rw_wake(rw);
}

static bool sema_try(struct semaphore *sem)
{
	int c = ww_load_relaxed(&sem->count);

	while (c > 0)
		if (ww_cmpxchg_acquire(&sem->count, &c, c - 1))
			return true;
	return false;
}

WW_LINUX_EXPORT void ww_linux_down(struct semaphore *sem)
{
	ww_wait_event_exclusive(&sem->wait, sema_try(sem));
}

WW_LINUX_EXPORT int ww_linux_down_interruptible(struct semaphore *sem)
{
	return ww_wait_event_interruptible_exclusive(&sem->wait, sema_try(sem)) ? -EINTR : 0;
}

WW_LINUX_EXPORT int ww_linux_down_killable(struct semaphore *sem)
{
	return ww_wait_event_killable_exclusive(&sem->wait, sema_try(sem)) ? -EINTR : 0;
}

WW_LINUX_EXPORT int ww_linux_down_trylock(struct semaphore *sem)
{
	return !sema_try(sem);
}

WW_LINUX_EXPORT int ww_linux_down_timeout(struct semaphore *sem, long timeout)
{
	return ww_wait_event_timeout(&sem->wait, sema_try(sem), timeout) ? 0 : -ETIME;
}

WW_LINUX_EXPORT void ww_linux_up(struct semaphore *sem)
{
	ww_fetch_add(&sem->count, 1);
	ww_wake_up(&sem->wait);
}

WW_LINUX_EXPORT struct ww_wait_queue_head *ww_linux_var_queue(const void *var)
{
	return bucket_of(var);
}

WW_LINUX_EXPORT void ww_linux_wait_on_bit(const unsigned long *word, int bit)
{
	ww_wait_event(bucket_of(word), !test_bit_acquire((unsigned long)bit, word));
}

WW_LINUX_EXPORT void ww_linux_wait_on_bit_lock(unsigned long *word, int bit)
{
	ww_wait_event(bucket_of(word), !test_and_set_bit_lock((unsigned long)bit, word));
}

WW_LINUX_EXPORT void ww_linux_wake_up_bit(const void *word, int bit)
{
	(void)bit;
	ww_wake_up_all(bucket_of(word));
}
