// SPDX-License-Identifier: MIT
#include "receive/tap.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
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
#include "transmit/link.h"

#include "tap.skel.h"

enum { QUANTUM = 4096 };

struct pg_tap {
	int link, ifindex;
	unsigned nr_rings;
	size_t stride;
	uint8_t *rings;
	int64_t tai_offset_ns;
	uint64_t dropped, other; /* told so far */
	struct pg_flow_id told;	 /* half of it may be there */
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

/* --- opening, by who may ------------------------------------------------------------------------ */

struct request {
	char ifname[PG_ASK_IFNAME];
};

static int attach(struct tap_bpf *skel, const char *ifname, struct pg_answer *a)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	unsigned index = if_nametoindex(ifname);
	int link, map;

	if (index == 0) {
		snprintf(a->why, PG_ASK_WHY, "there is no network device \"%.15s\" here", ifname);
		return -ENODEV;
	}
	link = bpf_link_create(bpf_program__fd(skel->progs.pg_tap), (int)index, BPF_XDP, &opts);
	if (link < 0) {
		int err = -errno;

		snprintf(a->why, PG_ASK_WHY, "attaching a program to the driver of %.15s: %s",
			 ifname, strerror(-err));
		return err;
	}
	map = fcntl(bpf_map__fd(skel->maps.rings), F_DUPFD_CLOEXEC, 0);
	if (map < 0) {
		close(link);
		return -errno;
	}
	a->value[0] = index;
	a->fds[a->nr_fds++] = map;
	a->fds[a->nr_fds++] = link;
	return 0;
}

static void serve(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	const struct request *r = request;
	struct tap_bpf *skel;
	struct pg_link link;

	(void)fds;
	(void)nr_fds;
	a->err = pg_link_read(r->ifname, &link);
	if (a->err) {
		snprintf(a->why, PG_ASK_WHY, "there is no network device \"%.15s\" here",
			 r->ifname);
		return;
	}
	if (link.nr_rx_queues > PG_TAP_QUEUES) {
		snprintf(a->why, PG_ASK_WHY,
			 "%.15s has more than %d receive queues: "
			 "\"ethtool -L\" sets fewer, or --way packet",
			 r->ifname, PG_TAP_QUEUES);
		a->err = -E2BIG;
		return;
	}
	a->value[1] = link.nr_rx_queues;
	libbpf_set_print(quiet);
	skel = tap_bpf__open();
	a->err = skel ? bpf_map__set_max_entries(skel->maps.rings, link.nr_rx_queues) : -errno;
	if (!a->err)
		a->err = tap_bpf__load(skel);
	if (a->err)
		snprintf(a->why, PG_ASK_WHY, "loading the receiver's program: %s%s",
			 strerror(-a->err),
			 a->err == -EPERM ? " (needs CAP_BPF and CAP_NET_ADMIN of the first user "
					    "namespace)"
					  : "");
	else
		a->err = attach(skel, r->ifname, a);
	tap_bpf__destroy(skel);
}

const struct pg_op pg_op_tap_program = {"tap_program", sizeof(struct request), serve};

static int map_rings(struct pg_tap *t, int fd, char why[128])
{
	t->stride = sizeof(struct pg_tap_ring);
	t->rings = mmap(NULL, t->stride * t->nr_rings, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_POPULATE, fd, 0);
	if (t->rings != MAP_FAILED)
		return 0;
	int err = -errno;

	t->rings = NULL;
	snprintf(why, 128, "mapping the receiver's rings: %s", strerror(-err));
	return err;
}

struct pg_tap *pg_tap_open(const char *ifname, char why[128])
{
	struct pg_tap *t = ww_alloc(sizeof(*t));
	struct timex clock = {0};
	struct request r = {""};
	struct pg_answer a;
	int err;

	if (!t) {
		snprintf(why, 128, "not enough memory");
		return NULL;
	}
	snprintf(r.ifname, sizeof(r.ifname), "%.15s", ifname);
	t->link = -1;
	t->tai_offset_ns = adjtimex(&clock) < 0 ? 0 : (int64_t)clock.tai * 1000000000;
	err = pg_ask(&pg_op_tap_program, &r, &a);
	if (err) {
		snprintf(why, 128, "%s", a.why[0] ? a.why : strerror(-err));
	} else {
		t->ifindex = (int)a.value[0];
		t->link = a.fds[1];
		t->nr_rings = (unsigned)a.value[1];
		err = map_rings(t, a.fds[0], why);
		close(a.fds[0]); /* the mapping and the program keep the rings */
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
	ww_free(t);
}

/* One end of a flow; the other follows at once. */
static void note_end(struct pg_flow_id *id, const struct pg_tap_record *r)
{
	bool source = r->meta & PG_TAP_SOURCE;
	uint8_t *to = source ? id->src : id->dst;

	id->version = r->meta & PG_TAP_IP6 ? 6 : 4;
	memset(to, 0, 16);
	memcpy(to, r->address, id->version == 4 ? 4 : 16);
	*(source ? &id->sport : &id->dport) = (uint16_t)r->seq;
}

static void hand_over(struct pg_tap *t, const struct pg_tap_record *r, pg_arrival_fn fn, void *arg)
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
		.flow = r->meta & PG_TAP_NO_FLOW ? 0 : r->flow,
	};

	if (__builtin_expect(r->meta & (PG_TAP_SOURCE | PG_TAP_DEST), 0)) {
		note_end(&t->told, r);
		if (r->meta & PG_TAP_SOURCE)
			return;
		a.told = &t->told;
	}
	fn(arg, &a);
}

/* What stands in one ring, at most a quantum. */
static int read_ring(struct pg_tap *t, struct pg_tap_ring *r, pg_arrival_fn fn, void *arg)
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

unsigned pg_tap_queues(const struct pg_tap *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->nr_rings; i++)
		n += ww_load_relaxed(&ring(t, i)->head) != 0;
	return n;
}
