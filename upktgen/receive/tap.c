// SPDX-License-Identifier: MIT
#include "receive/tap.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timex.h>
#include <unistd.h>

#include <wheelwork/thread.h>

#include "base/alloc.h"
#include "base/atomic.h"
#include "receive/tap_ring.h"

#include "tap.skel.h"

enum { QUANTUM = 4096 };

struct pg_tap {
	struct tap_bpf *skel;
	int link, ifindex;
	unsigned nr_rings;
	size_t stride;
	uint8_t *rings;
	int64_t tai_offset_ns;
	uint64_t dropped, other; /* told so far */
};

static struct pg_tap_ring *ring(const struct pg_tap *t, unsigned i)
{
	return (void *)(t->rings + t->stride * i);
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int load(struct pg_tap *t, char why[128])
{
	libbpf_set_print(quiet);
	t->skel = tap_bpf__open();
	if (!t->skel)
		return -errno;
	t->nr_rings = (unsigned)libbpf_num_possible_cpus();
	bpf_map__set_max_entries(t->skel->maps.rings, t->nr_rings);
	int err = tap_bpf__load(t->skel);

	if (err) {
		snprintf(why, 128, "loading the receiver's program: %s%s", strerror(-err),
			 err == -EPERM ? " (needs CAP_BPF and CAP_NET_ADMIN of the first user "
					 "namespace)"
				       : "");
		return err;
	}
	t->stride = sizeof(struct pg_tap_ring);
	t->rings = mmap(NULL, t->stride * t->nr_rings, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_POPULATE, bpf_map__fd(t->skel->maps.rings), 0);
	if (t->rings == MAP_FAILED) {
		t->rings = NULL;
		snprintf(why, 128, "mapping the receiver's rings: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

struct pg_tap *pg_tap_open(const char *ifname, char why[128])
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	struct pg_tap *t = ww_alloc(sizeof(*t));
	struct timex clock = {0};
	int err;

	if (!t) {
		snprintf(why, 128, "not enough memory");
		return NULL;
	}
	t->link = -1;
	t->ifindex = (int)if_nametoindex(ifname);
	t->tai_offset_ns = adjtimex(&clock) < 0 ? 0 : (int64_t)clock.tai * 1000000000;
	if (t->ifindex == 0) {
		snprintf(why, 128, "there is no network device \"%.15s\" here", ifname);
		err = -ENODEV;
	} else {
		err = load(t, why);
	}
	if (!err) {
		t->link = bpf_link_create(bpf_program__fd(t->skel->progs.pg_tap), t->ifindex,
					  BPF_XDP, &opts);
		if (t->link < 0) {
			err = -errno;
			snprintf(why, 128, "attaching a program to the driver of %s: %s", ifname,
				 strerror(-err));
		}
	}
	if (!err)
		return t;
	pg_tap_close(t);
	errno = -err;
	return NULL;
}

void pg_tap_close(struct pg_tap *t)
{
	if (!t)
		return;
	if (t->link >= 0)
		close(t->link);
	if (t->rings)
		munmap(t->rings, t->stride * t->nr_rings);
	tap_bpf__destroy(t->skel);
	ww_free(t);
}

static void hand_over(const struct pg_tap *t, const struct pg_tap_record *r, pg_arrival_fn fn,
		      void *arg)
{
	struct pg_arrival a = {
		.kind = r->meta & PG_TAP_DAMAGED ? PG_FRAME_DAMAGED : PG_FRAME_OURS,
		.seq = r->seq,
		.fine = r->meta & PG_TAP_FINE,
		.sent_ns = r->meta & PG_TAP_FINE
				   ? r->stamp
				   : (r->stamp >> 32) * 1000000000 + (uint32_t)r->stamp * 1000ull,
		.arrived_ns = r->arrived_ns ? r->arrived_ns - (uint64_t)t->tai_offset_ns : 0,
		.bytes = r->meta & 0xffff,
		.flow = r->flow,
	};

	fn(arg, &a);
}

/* What stands in one ring, at most a quantum. */
static int read_ring(const struct pg_tap *t, struct pg_tap_ring *r, pg_arrival_fn fn, void *arg)
{
	/* The program's half is tap.bpf.c: the record is stored before head. */
	uint64_t head = ww_load_acquire(&r->head), tail = r->tail; /* pairs: TAP-1 */
	int n = 0;

	for (; tail != head && n < QUANTUM; tail++, n++) {
		__builtin_prefetch(&r->record[(tail + 16) % PG_TAP_RECORDS]);
		hand_over(t, &r->record[tail % PG_TAP_RECORDS], fn, arg);
	}
	ww_store_release(&r->tail, tail);
	return n;
}

int pg_tap_wait(struct pg_tap *t, int timeout_ms, pg_arrival_fn fn, void *arg)
{
	char name[IF_NAMESIZE];

	for (;;) {
		int total = 0;

		for (unsigned i = 0; i < t->nr_rings; i++)
			total += read_ring(t, ring(t, i), fn, arg);
		if (total || timeout_ms <= 0)
			return total || if_indextoname((unsigned)t->ifindex, name) ? total
										   : -ENODEV;
		ww_schedule_timeout_interruptible((int64_t)ww_msecs_to_jiffies(1));
		timeout_ms--;
	}
}

uint64_t pg_tap_dropped(struct pg_tap *t)
{
	uint64_t sum = 0, before = t->dropped;

	for (unsigned i = 0; i < t->nr_rings; i++)
		sum += ww_load_relaxed(&ring(t, i)->dropped);
	t->dropped = sum;
	return sum - before;
}

uint64_t pg_tap_other(struct pg_tap *t)
{
	uint64_t sum = 0, before = t->other;

	for (unsigned i = 0; i < t->nr_rings; i++)
		sum += ww_load_relaxed(&ring(t, i)->other);
	t->other = sum;
	return sum - before;
}

unsigned pg_tap_cpus(const struct pg_tap *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->nr_rings; i++)
		n += ww_load_relaxed(&ring(t, i)->head) != 0;
	return n;
}
