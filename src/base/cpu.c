/* SPDX-License-Identifier: MIT */
/*
 * Legend: (I) written once by read_topology(), constant afterwards.
 */
#include "base/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *topology_root = "/sys";
static bool known;		    /* the topology was read */
static int nr_possible;		    /* (I) */
static int nr_slots;		    /* (I) */
static int slot_cpu[WW_SLOTS_MAX];  /* (I) */
int ww_cpu_slot_table[WW_CPUS_MAX]; /* (I) */
/* musl has fewer in a set. */
_Static_assert(WW_CPUS_MAX >= CPU_SETSIZE, "a slot for every CPU");
ptrdiff_t ww_cpu_number_at; /* (I) */
int ww_cpu_nr_known;
static short cpu_node[CPU_SETSIZE]; /* (I) */
static cpu_set_t allowed_cpus;	    /* (I) the affinity mask at first use */

/* A list such as "0-3,8,10-11" below the topology root, into a set. */
static bool read_cpulist(const char *path, cpu_set_t *set)
{
	char name[256], text[4096];

	snprintf(name, sizeof(name), "%s%s", topology_root, path);
	FILE *f = fopen(name, "re");
	if (!f)
		return false;
	char *line = fgets(text, sizeof(text), f);
	fclose(f);
	CPU_ZERO(set);
	for (char *p = line; p && *p;) {
		char *end;
		long a = strtol(p, &end, 10), b = a;

		if (end == p)
			break;
		if (*end == '-')
			b = strtol(end + 1, &end, 10);
		for (long c = a; c <= b && c >= 0 && c < CPU_SETSIZE; c++)
			CPU_SET((int)c, set);
		p = *end == ',' ? end + 1 : end + strlen(end);
	}
	return line != NULL;
}

/* The first number of a file in a folder, and the second; how many there are. */
static int read_numbers(const char *folder, const char *name, long long *a, long long *b)
{
	char file[700];

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	FILE *f = fopen(file, "re");
	if (!f)
		return 0;
	int n = fscanf(f, "%lld %lld", a, b);
	fclose(f);
	return n;
}

/* The quota that this group itself has, in either version's words; false for none. */
static bool group_quota(const char *folder, long long *quota, long long *period)
{
	long long unused;

	if (read_numbers(folder, "cpu.max", quota, period) != 2 &&
	    (read_numbers(folder, "cpu.cfs_quota_us", quota, &unused) != 1 ||
	     read_numbers(folder, "cpu.cfs_period_us", period, &unused) != 1))
		return false;
	return *quota > 0 && *period > 0;
}

/* The least quota of a group and of all above it, which bind too, rounded up to whole CPUs. */
static int least_quota(char *path, int best)
{
	while (strlen(path) >= strlen("/sys/fs/cgroup")) {
		long long quota, period;

		if (group_quota(path, &quota, &period)) {
			int n = (int)((quota + period - 1) / period);

			if (!best || n < best)
				best = n;
		}
		char *slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = 0;
	}
	return best;
}

/* Whether a line of /proc/self/cgroup, "4:cpu,cpuacct:/group", is the CPU controller's. */
static bool of_cpu_controller(const char *line)
{
	const char *list = strchr(line, ':');

	if (!list)
		return false;
	for (list++; *list && *list != ':'; list += *list == ',') {
		size_t n = strcspn(list, ",:");

		if (n == 3 && !strncmp(list, "cpu", 3))
			return true;
		list += n;
	}
	return false;
}

/* The CPU quota of this process's control groups, of both versions; 0 where there is none. */
static int cgroup_quota(void)
{
	char line[512], path[640];
	int best = 0;

	FILE *f = fopen("/proc/self/cgroup", "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		const char *group = strrchr(line, ':');

		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "0::", 3))
			snprintf(path, sizeof(path), "/sys/fs/cgroup%s", line + 3);
		else if (group && of_cpu_controller(line))
			snprintf(path, sizeof(path), "/sys/fs/cgroup/cpu%s", group + 1);
		else
			continue;
		best = least_quota(path, best);
	}
	fclose(f);
	return best;
}

static void read_nodes(void)
{
	cpu_set_t nodes, cpus;

	if (!read_cpulist("/devices/system/node/online", &nodes))
		return;
	for (int n = 0; n < CPU_SETSIZE; n++) {
		char path[96];

		if (!CPU_ISSET(n, &nodes))
			continue;
		snprintf(path, sizeof(path), "/devices/system/node/node%d/cpulist", n);
		if (!read_cpulist(path, &cpus))
			continue;
		for (int c = 0; c < CPU_SETSIZE; c++)
			if (CPU_ISSET(c, &cpus))
				cpu_node[c] = (short)n;
	}
}

static void read_topology(void)
{
	cpu_set_t allowed, possible;
	bool played = strcmp(topology_root, "/sys") != 0;
	int quota = played ? 0 : cgroup_quota();

	if (!read_cpulist("/devices/system/cpu/possible", &possible)) {
		CPU_ZERO(&possible);
		for (long c = 0; c < sysconf(_SC_NPROCESSORS_CONF) && c < CPU_SETSIZE; c++)
			CPU_SET((int)c, &possible);
	}
	if (played || sched_getaffinity(0, sizeof(allowed), &allowed))
		allowed = possible;
	allowed_cpus = allowed;
	for (int c = 0; c < CPU_SETSIZE; c++) {
		if (CPU_ISSET(c, &possible) || CPU_ISSET(c, &allowed))
			nr_possible = c + 1;
		if (CPU_ISSET(c, &allowed) && nr_slots < WW_SLOTS_MAX &&
		    (!quota || nr_slots < quota))
			slot_cpu[nr_slots++] = c;
	}
	if (!nr_slots)
		nr_slots = 1;
	for (int c = 0, next = 0; c < CPU_SETSIZE; c++)
		ww_cpu_slot_table[c] =
			next < nr_slots && slot_cpu[next] == c ? next++ : c % nr_slots;
	read_nodes();
	ww_store_release(&ww_cpu_nr_known, nr_possible); /* pairs: CPU-1 */
	ww_store_release(&known, true);			 /* pairs: CPU-1 */
#ifdef RSEQ_SIG
	if (__rseq_size)
		ww_store_release(&ww_cpu_number_at, /* pairs: CPU-1 */
				 __rseq_offset + (ptrdiff_t)offsetof(struct rseq, cpu_id));
#endif
}

/* pthread_once() only where it may not be known yet. */
static inline void topology(void)
{
	if (ww_unlikely(!ww_load_acquire(&known))) /* pairs: CPU-1 */
		pthread_once(&once, read_topology);
}

void ww_cpu_set_topology_root(const char *root)
{
	topology_root = root ? root : "/sys";
	known = false;
	ww_cpu_number_at = 0;
	ww_cpu_nr_known = nr_possible = nr_slots = 0;
	memset(cpu_node, 0, sizeof(cpu_node));
	once = (pthread_once_t)PTHREAD_ONCE_INIT;
}

static inline int current_cpu(void)
{
#if defined(RSEQ_SIG) && !defined(WW_SIM)
	if (__rseq_size) {
		const struct rseq *r =
			(const void *)((char *)__builtin_thread_pointer() + __rseq_offset);
		int cpu = (int)ww_load_relaxed(&r->cpu_id);

		if (cpu >= 0)
			return cpu;
	}
#endif
	int cpu = sched_getcpu();
	return cpu < 0 ? 0 : cpu;
}

int ww_cpu_current(void)
{
	return current_cpu();
}

int ww_cpu_current_slot_slow(void)
{
	int cpu = current_cpu();

	topology();
	return ww_likely(cpu < CPU_SETSIZE) ? ww_cpu_slot_table[cpu] : 0;
}

int ww_cpu_possible(void)
{
	topology();
	return nr_possible;
}

int ww_cpu_slots(void)
{
	topology();
	return nr_slots;
}

int ww_cpu_slot_of(int cpu)
{
	topology();
	return cpu >= 0 && cpu < CPU_SETSIZE ? ww_cpu_slot_table[cpu] : 0;
}

int ww_cpu_of_slot(int slot)
{
	topology();
	return slot_cpu[slot];
}

int ww_cpu_node(int cpu)
{
	topology();
	return cpu >= 0 && cpu < CPU_SETSIZE ? cpu_node[cpu] : 0;
}

int ww_cpu_bind(int tid, int cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

int ww_cpu_bind_mask(int tid, const unsigned long *bits, int nbits)
{
	const int per_word = 8 * (int)sizeof(*bits);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int c = 0; c < nbits && c < CPU_SETSIZE; c++)
		if (bits[c / per_word] >> (c % per_word) & 1)
			CPU_SET(c, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

int ww_cpu_unbind(int tid)
{
	topology();
	return sched_setaffinity(tid, sizeof(allowed_cpus), &allowed_cpus) ? -errno : 0;
}

int ww_cpu_bind_self(int cpu)
{
	return ww_cpu_bind(0, cpu);
}
