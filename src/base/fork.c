/* SPDX-License-Identifier: MIT */
/*
 * One set of handlers for all rooms, given to the system when the library is loaded. A room adds its
 * own on first use, at times with its locks held and while another thread forks; were that
 * pthread_atfork() itself, some systems' fork would hold its list and wait for those locks.
 */
#include "base/fork.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/atomic.h"

#define ROOMS_MAX 16

static struct room {
	void (*prepare)(void);
	void (*parent)(void);
	void (*child)(void);
	bool ready; /* A: the others are written before it */
} rooms[ROOMS_MAX];
static unsigned reserved;	   /* A */
static __thread unsigned prepared; /* of this thread's fork: how many rooms it prepared */

static unsigned nr_ready(void)
{
	unsigned n = 0;

	while (n < ROOMS_MAX && ww_load_acquire(&rooms[n].ready)) /* pairs: FORK-1 */
		n++;
	return n;
}

static void prepare_all(void)
{
	prepared = nr_ready();
	for (unsigned i = prepared; i-- > 0;)
		if (rooms[i].prepare)
			rooms[i].prepare();
}

static void parent_all(void)
{
	for (unsigned i = 0; i < prepared; i++)
		if (rooms[i].parent)
			rooms[i].parent();
}

/* Also of a room that came while this fork was under way: it must start afresh, too. */
static void child_all(void)
{
	unsigned n = nr_ready();

	for (unsigned i = 0; i < n; i++)
		if (rooms[i].child)
			rooms[i].child();
}

__attribute__((constructor)) static void register_all(void)
{
	pthread_atfork(prepare_all, parent_all, child_all);
}

void ww_fork_register(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	unsigned i = ww_fetch_add(&reserved, 1u);

	if (i >= ROOMS_MAX)
		abort(); /* each room does this once */
	rooms[i].prepare = prepare;
	rooms[i].parent = parent;
	rooms[i].child = child;
	ww_store_release(&rooms[i].ready, true); /* pairs: FORK-1 */
}
