// SPDX-License-Identifier: MIT
#include "transmit/live_open.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "privilege/anchor.h"
#include "privilege/ask.h"
#include "transmit/specialise.h"

#include "live.skel.h"

_Static_assert(offsetof(struct live_bpf__bss, truth) == offsetof(struct pg_live_memory, truth) &&
		       sizeof(struct live_bpf__bss) == sizeof(struct pg_live_memory),
	       "the program's memory as the sender sees it");

struct request {
	char ifname[PG_ASK_IFNAME];
	int32_t cpu;
	struct pg_live_config cfg;
};
_Static_assert(sizeof(struct request) <= PG_ASK_BYTES, "a request holds it");

enum { PROG, MEMORY, FLOWS, XMIT, REFUSED, WHO, LINK, NETNS };

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int load(struct live_bpf *skel, const struct request *r, char *why)
{
	struct pg_live_config *cfg = (struct pg_live_config *)&skel->rodata->cfg;

	*cfg = r->cfg;
	/* The device by its name, whatever number came along. */
	uint32_t key = 0, out = if_nametoindex(r->ifname);

	if (!out)
		return -ENODEV;
	if (cfg->flows > PG_LIVE_FLOWS)
		return -EINVAL;
	if (cfg->flows)
		bpf_map__set_max_entries(skel->maps.flows, cfg->flows);
	int err = live_bpf__load(skel);

	if (!err)
		err = bpf_map__update_elem(skel->maps.out, &key, sizeof(key), &out, sizeof(out), 0);
	if (!err)
		err = live_bpf__attach(skel);
	if (err)
		snprintf(why, PG_ASK_WHY, "loading its program: %s%s", strerror(-err),
			 err == -EPERM ? " (needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON of the "
					 "first user namespace)"
				       : "");
	return err;
}

/* The program for this configuration alone; negative where the one for all must do. */
static int specialise(struct live_bpf *skel)
{
	const struct bpf_program *all = skel->progs.pg_live;
	struct pg_rodata rodata = {
		.map_fd = bpf_map__fd(skel->maps.rodata),
		.bytes = skel->rodata,
		.size = bpf_map__value_size(skel->maps.rodata),
	};
	struct bpf_insn *insns;
	int n = pg_specialise(bpf_program__insns(all), bpf_program__insn_cnt(all), &rodata, &insns);

	if (n < 0)
		return n;
	int fd =
		bpf_prog_load(BPF_PROG_TYPE_XDP, "pg_live", "Dual MIT/GPL", insns, (size_t)n, NULL);

	ww_free(insns);
	return fd;
}

/* A copy for the sender; ours goes with the skeleton. */
static int hand_over(struct pg_answer *a, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		return -errno;
	a->fds[a->nr_fds++] = copy;
	return 0;
}

static void serve(const void *request, const int *fds, unsigned nr_fds, struct pg_answer *a)
{
	const struct request *r = request;
	struct pg_anchor anchor = {-1, -1};
	struct live_bpf *skel;

	(void)fds;
	(void)nr_fds;
	if (pg_in_opener())
		ww_cpu_bind_self(r->cpu); /* memory of the program near who runs it */
	libbpf_set_print(quiet);
	skel = live_bpf__open();
	a->err = skel ? load(skel, r, a->why) : -errno;
	int special = a->err ? -1 : specialise(skel);

	if (!a->err) {
		const int all[] = {special >= 0 ? special : bpf_program__fd(skel->progs.pg_live),
				   bpf_map__fd(skel->maps.bss),
				   bpf_map__fd(skel->maps.flows),
				   bpf_link__fd(skel->links.pg_xmit),
				   bpf_link__fd(skel->links.pg_refused),
				   bpf_program__fd(skel->progs.pg_who)};

		for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]) && !a->err; i++)
			a->err = hand_over(a, all[i]);
	}
	if (!a->err && !pg_anchor_open(&anchor, a->fds[PROG])) {
		a->fds[a->nr_fds++] = anchor.link;
		if (anchor.netns >= 0)
			a->fds[a->nr_fds++] = anchor.netns;
	}
	if (a->err)
		while (a->nr_fds)
			close(a->fds[--a->nr_fds]);
	if (special >= 0)
		close(special);
	live_bpf__destroy(skel);
}

const struct pg_op pg_op_live = {"live", sizeof(struct request), serve};

/* Of the program's memory, as it is mapped: whole pages. */
static size_t memory_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct pg_live_memory) + page - 1) / page * page;
}

int pg_live_open(struct pg_live *l, const char *ifname, int cpu, const struct pg_live_config *cfg,
		 char why[128])
{
	struct request r = {.cpu = cpu, .cfg = *cfg};
	struct pg_answer a;

	l->nr_fds = 0;
	l->memory = NULL;
	snprintf(r.ifname, sizeof(r.ifname), "%.15s", ifname);
	if (pg_ask(&pg_op_live, &r, &a)) {
		snprintf(why, 128, "%s", a.why[0] ? a.why : strerror(-a.err));
		return a.err;
	}
	l->nr_fds = a.nr_fds;
	memcpy(l->fds, a.fds, sizeof(l->fds));
	l->anchored = a.nr_fds > LINK;
	l->prog = a.fds[PROG];
	l->flows = a.fds[FLOWS];
	l->memory = mmap(NULL, memory_size(), PROT_READ | PROT_WRITE, MAP_SHARED, a.fds[MEMORY], 0);
	if (l->memory != MAP_FAILED)
		return 0;
	int err = -errno;

	l->memory = NULL;
	snprintf(why, 128, "mapping its program's memory: %s", strerror(-err));
	pg_live_close(l);
	return err;
}

int pg_live_mine(const struct pg_live *l)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(l->fds[WHO], &opts);
}

void pg_live_close(struct pg_live *l)
{
	if (l->memory)
		munmap(l->memory, memory_size());
	l->memory = NULL;
	while (l->nr_fds)
		close(l->fds[--l->nr_fds]);
}
