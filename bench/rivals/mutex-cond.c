// SPDX-License-Identifier: MIT
/* What everybody writes first: a list, a mutex, a condition variable. */
#include <pthread.h>
#include <stdlib.h>

#include "../bench.h"

struct item {
	struct item *next;
	bool pending;
	long i;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct item *first, **last = &first;
static char *items;
static size_t size;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!first)
			pthread_cond_wait(&more, &lock);
		struct item *it = first;
		first = it->next;
		if (!first)
			last = &first;
		it->pending = false;
		pthread_mutex_unlock(&lock);
		pool_item_runs(it->i);
		pthread_mutex_lock(&lock);
	}
	return arg;
}

static struct item *item(long i)
{
	return (struct item *)(void *)(items + (size_t)i * size);
}

static void rival_open(int workers, long n, size_t stride)
{
	pthread_t t;

	size = stride ? stride : sizeof(struct item);
	items = bench_alloc((size_t)n, size);
	for (long i = 0; i < n; i++)
		item(i)->i = i;
	for (int w = 0; w < workers; w++)
		if (pthread_create(&t, NULL, work, NULL) != 0)
			bench_cannot("no thread");
}

static inline void rival_queue(long i)
{
	struct item *it = item(i);

	pthread_mutex_lock(&lock);
	if (!it->pending) {
		it->pending = true;
		it->next = NULL;
		*last = it;
		last = &it->next;
		pthread_cond_signal(&more);
	}
	pthread_mutex_unlock(&lock);
}

static inline void rival_poll(void)
{
}

#include "../pool_rows.h"
