/* SPDX-License-Identifier: MIT */
/* CPU numbers, per-CPU memory, and what preempt_disable() means in a process. */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <ww-linux/lock.h>
#include <linux/percpu.h>
#include <linux/topology.h>

static struct cpumask possible, online; /* written once, by learn() */
static unsigned nr_cpus;		/* the same */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* "0-3,8" as the kernel writes its masks. */
static void parse_list(const char *s, struct cpumask *mask)
{
	while (*s >= '0' && *s <= '9') {
		char *end;
		unsigned long from = strtoul(s, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < NR_CPUS; from++)
			__cpumask_set_cpu(from, mask);
		s = end + (*end == ',');
	}
}

static void learn(void)
{
	char line[512] = "";
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	cpu_set_t set;

	if (f) {
		if (fgets(line, sizeof(line), f))
			parse_list(line, &possible);
		fclose(f);
	}
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (unsigned c = 0; c < NR_CPUS; c++)
		if (CPU_ISSET(c, &set)) {
			__cpumask_set_cpu(c, &online);
			__cpumask_set_cpu(c, &possible);
		}
	if (find_first_bit(online.bits, NR_CPUS) == NR_CPUS) {
		__cpumask_set_cpu(0, &online);
		__cpumask_set_cpu(0, &possible);
	}
	nr_cpus = (unsigned)find_last_bit(possible.bits, NR_CPUS) + 1;
}

WW_LINUX_EXPORT unsigned ww_linux_nr_cpu_ids(void)
{
	pthread_once(&once, learn);
	return nr_cpus;
}

WW_LINUX_EXPORT const struct cpumask *ww_linux_cpu_possible_mask(void)
{
	pthread_once(&once, learn);
	return &possible;
}

WW_LINUX_EXPORT const struct cpumask *ww_linux_cpu_online_mask(void)
{
	pthread_once(&once, learn);
	return &online;
}

WW_LINUX_EXPORT const struct cpumask *ww_linux_cpumask_of(unsigned cpu)
{
	static struct cpumask of[NR_CPUS];
	static uint32_t made[NR_CPUS];

	if (cpu >= NR_CPUS)
		return NULL;
	if (!ww_load_acquire(&made[cpu])) {
		set_bit(cpu, of[cpu].bits);
		ww_store_release(&made[cpu], 1u);
	}
	return &of[cpu];
}

WW_LINUX_EXPORT int ww_linux_cpu_to_node(unsigned cpu)
{
	char path[96];

	for (int node = 0; node < 64; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%d", cpu, node);
		if (access(path, F_OK) == 0)
			return node;
	}
	return 0;
}

/* One for each CPU number: who owns it while its preemption is "disabled". */
static struct {
	struct ww_linux_lock lock;
} __attribute__((aligned(64))) owner[NR_CPUS];

static __thread unsigned depth;
static __thread unsigned owned;	  /* the number, while depth > 0 */
static __thread bool owns_really; /* false: it gave up waiting */

static unsigned real_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 || (unsigned)cpu >= ww_linux_nr_cpu_ids() ? 0 : (unsigned)cpu;
}

WW_LINUX_EXPORT unsigned ww_linux_cpu(void)
{
	return depth ? owned : real_cpu();
}

static bool try_any(unsigned first)
{
	unsigned n = ww_linux_nr_cpu_ids();

	for (unsigned i = 0; i < n; i++) {
		unsigned c = (first + i) % n;

		if (cpumask_test_cpu(c, &online) && ww_linux_trylock(&owner[c].lock)) {
			owned = c;
			return true;
		}
	}
	return false;
}

WW_LINUX_EXPORT void ww_linux_preempt_disable(void)
{
	struct timespec nap = {0, 100000};
	unsigned cpu;

	if (depth) {
		depth++;
		return;
	}
	cpu = real_cpu();
	owns_really = true;
	for (int i = 0; !try_any(cpu); i++) {
		if (i < 50) {
			sched_yield();
		} else if (i < 1000) {
			nanosleep(&nap, NULL);
		} else {
			ww_linux_warn_at("preempt", 0, "preempt_disable",
					 "no CPU number came free in 100 ms; going on without");
			owned = cpu;
			owns_really = false;
			break;
		}
	}
	depth = 1;
}

WW_LINUX_EXPORT void ww_linux_preempt_enable(void)
{
	if (!depth) {
		ww_linux_warn_at("preempt", 0, "preempt_enable", "more often than disabled");
		return;
	}
	if (--depth == 0 && owns_really)
		ww_linux_unlock(&owner[owned].lock, "cpu");
}

WW_LINUX_EXPORT unsigned ww_linux_preempt_count(void)
{
	return depth;
}

/*
 * Per-CPU memory. A static variable's handle is its address in the section of its program or
 * shared object; CPU 0 uses the section itself, the others have copies. A dynamic handle is the
 * address of CPU 0's piece in the region below.
 */
#define SECTIONS_MAX 64
static struct section {
	char *start, *stop;
	char *copies; /* of CPU 1 and up */
	size_t stride;
} sections[SECTIONS_MAX];    /* entries below nr_sections never change */
static unsigned nr_sections; /* (A) */
static pthread_mutex_t section_lock = PTHREAD_MUTEX_INITIALIZER;

WW_LINUX_EXPORT void ww_linux_percpu_register(char *start, char *stop)
{
	unsigned n, cpus = ww_linux_nr_cpu_ids();
	struct section *s;
	size_t size = (size_t)(stop - start);

	pthread_mutex_lock(&section_lock);
	n = nr_sections;
	for (unsigned i = 0; i < n; i++)
		if (sections[i].start == start)
			goto out;
	if (n == SECTIONS_MAX)
		ww_linux_bug_at("percpu", 0, "register", "too many objects with per-CPU variables");
	s = &sections[n];
	s->start = start;
	s->stop = stop;
	s->stride = (size + 63) & ~(size_t)63;
	if (cpus > 1) {
		s->copies = aligned_alloc(64, s->stride * (cpus - 1));
		if (!s->copies)
			ww_linux_bug_at("percpu", 0, "register", "out of memory");
		for (unsigned c = 1; c < cpus; c++)
			memcpy(s->copies + (c - 1) * s->stride, start, size);
	}
	ww_store_release(&nr_sections, n + 1);
out:
	pthread_mutex_unlock(&section_lock);
}

/*
 * Handles into a block (to a member, say) must find the block: all blocks lie in pieces of one
 * reserved region per CPU, so that the distance is the same for all. 64 MiB a CPU, reserved, not
 * used; a first-fit list of holes inside, all under section_lock.
 */
#define REGION_SIZE ((size_t)64 << 20)
static char *region; /* (A) */
static struct hole {
	size_t at, size;
	struct hole *next;
} * holes; /* under section_lock, ordered by at */
static struct used {
	size_t at, size;
	struct used *next;
} * used; /* under section_lock */

static bool region_ready(void)
{
	void *p;

	if (region)
		return true;
	holes = calloc(1, sizeof(*holes));
	p = mmap(NULL, REGION_SIZE * ww_linux_nr_cpu_ids(), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || !holes)
		return false;
	holes->size = REGION_SIZE;
	ww_store_release(&region, p);
	return true;
}

/* With section_lock: where size bytes fit, or REGION_SIZE. */
static size_t carve(size_t size, size_t align)
{
	for (struct hole **h = &holes; *h; h = &(*h)->next) {
		size_t at = ((*h)->at + align - 1) & ~(align - 1), end = (*h)->at + (*h)->size;
		struct hole *tail;

		if (at + size > end)
			continue;
		if (at + size < end) {
			tail = calloc(1, sizeof(*tail));
			if (!tail)
				break;
			*tail = (struct hole){at + size, end - at - size, (*h)->next};
			(*h)->next = tail;
		}
		(*h)->size = at - (*h)->at;
		if (!(*h)->size) {
			struct hole *gone = *h;

			*h = gone->next;
			free(gone);
		}
		return at;
	}
	return REGION_SIZE;
}

static void give_back(size_t at, size_t size)
{
	struct hole **h = &holes, *n = calloc(1, sizeof(*n));

	if (!n)
		return; /* the piece is lost, nothing else */
	while (*h && (*h)->at < at)
		h = &(*h)->next;
	*n = (struct hole){at, size, *h};
	*h = n;
	for (struct hole *a = holes; a->next;) {
		struct hole *b = a->next;

		if (a->at + a->size != b->at) {
			a = b;
			continue;
		}
		a->size += b->size;
		a->next = b->next;
		free(b);
	}
}

WW_LINUX_EXPORT void *ww_linux_alloc_percpu(size_t size, size_t align)
{
	struct used *u = calloc(1, sizeof(*u));
	size_t at = REGION_SIZE;

	if (align < 8)
		align = 8;
	size = (size + 7) & ~(size_t)7;
	pthread_mutex_lock(&section_lock);
	if (u && size && region_ready())
		at = carve(size, align);
	if (at != REGION_SIZE) {
		*u = (struct used){at, size, used};
		used = u;
	}
	pthread_mutex_unlock(&section_lock);
	if (at == REGION_SIZE) {
		free(u);
		return NULL;
	}
	for (unsigned c = 0; c < ww_linux_nr_cpu_ids(); c++)
		memset(region + c * REGION_SIZE + at, 0, size);
	return region + at;
}

WW_LINUX_EXPORT void ww_linux_free_percpu(const void *handle)
{
	struct used **p, *u;
	size_t at;

	if (!handle)
		return;
	at = (size_t)((const char *)handle - region);
	pthread_mutex_lock(&section_lock);
	for (p = &used; (u = *p) && u->at != at; p = &u->next)
		;
	if (u) {
		*p = u->next;
		give_back(u->at, u->size);
	}
	pthread_mutex_unlock(&section_lock);
	if (!u)
		ww_linux_warn_at("percpu", 0, "free_percpu", "%p was not allocated", handle);
	free(u);
}

WW_LINUX_EXPORT void *ww_linux_per_cpu(const void *handle, unsigned cpu)
{
	const char *p = handle, *r = ww_load_acquire(&region);
	unsigned n;

	if (r && p >= r && p < r + REGION_SIZE)
		return (void *)(p + cpu * REGION_SIZE);
	n = ww_load_acquire(&nr_sections);
	for (unsigned i = 0; i < n; i++) {
		struct section *s = &sections[i];

		if (p < s->start || p >= s->stop)
			continue;
		return cpu ? s->copies + (cpu - 1) * s->stride + (p - s->start) : (void *)p;
	}
	ww_linux_bug_at("percpu", 0, "per_cpu_ptr", "not a per-CPU variable");
}

WW_LINUX_EXPORT void *ww_linux_this_cpu(const void *handle)
{
	return ww_linux_per_cpu(handle, ww_linux_cpu());
}
