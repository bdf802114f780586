// SPDX-License-Identifier: MIT
/* upktgen probe: what this device, kernel and user can do, which backend is taken, and why. */
#include <linux/capability.h>
#include <errno.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpu.h"
#include "confine.h"
#include "control/options.h"
#include "privilege/rights.h"
#include "subcommand.h"
#include "transmit/backend.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return upk_one_argument(key, arg, state, state->input, "device",
				"which device? \"ip link\" lists them");
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "DEVICE",
	.doc = "Say what DEVICE, this kernel and this user can do, which backend a run would take, "
	       "and "
	       "why not a better one. Nothing is sent. The exit status is 1 if nothing can be "
	       "sent.",
};

static void print_user(void)
{
	static const struct {
		unsigned cap;
		const char *name;
	} wanted[] = {{CAP_NET_RAW, "CAP_NET_RAW"},
		      {CAP_NET_ADMIN, "CAP_NET_ADMIN"},
		      {CAP_BPF, "CAP_BPF"},
		      {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}};

	printf("user:      uid %u;", (unsigned)geteuid());
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		printf(" %s %s", pg_rights_had(wanted[i].cap) ? "has" : "lacks", wanted[i].name);
	printf("\n           /dev/fuse %s (for mount and shell)\n",
	       access("/dev/fuse", R_OK | W_OK) ? "can't be opened" : "is there");
}

static void print_device(const char *name, const struct pg_link *l)
{
	printf("device:    %s, %s, MTU %u, %u transmit queue%s, %s, MAC "
	       "%02x:%02x:%02x:%02x:%02x:%02x\n",
	       name,
	       l->kind[0]		    ? l->kind
	       : l->type == ARPHRD_LOOPBACK ? "loopback"
	       : l->type == ARPHRD_ETHER    ? "Ethernet"
					    : "no Ethernet",
	       l->mtu, l->nr_queues, l->nr_queues == 1 ? "" : "s",
	       !l->up	    ? "down"
	       : l->running ? "up"
			    : "up without carrier",
	       l->mac[0], l->mac[1], l->mac[2], l->mac[3], l->mac[4], l->mac[5]);
	printf("           frames up to %u bytes; clone_skb and burst under --strict: %s\n",
	       l->mtu + 14, pg_link_tx_sharing(l) ? "allowed" : "refused, as by the kernel");
}

/* What each backend says of the device; 0 if one can be taken by itself. */
static int print_backends(const char *device)
{
	char why[PG_WHY] = "";
	const struct pg_backend *taken = pg_backend_choose(device, why);

	puts("backends:");
	for (unsigned i = 0; pg_backends[i]; i++) {
		const struct pg_backend *b = pg_backends[i];
		char reason[PG_WHY] = "";
		int err = b->probe ? b->probe(device, reason) : 0;

		printf("  %s %-8s %s\n", b == taken ? "*" : " ", b->name, b->what);
		for (unsigned k = 0; b->ways && b->ways[k]; k++)
			printf("%s%s:%s", k ? ", " : "             or by name ", b->name,
			       b->ways[k]);
		if (b->ways)
			putchar('\n');
		if (err)
			printf("             can't: %s\n", reason[0] ? reason : strerror(-err));
		else if (i >= PG_BACKENDS_BY_ITSELF)
			puts("             can, by name only: --backend");
		else
			puts("             can");
	}
	if (taken)
		printf("A run takes %s, the best that can (marked *).\n", taken->name);
	else
		printf("Nothing can send here by itself: %s\n", why);
	return taken ? 0 : -EOPNOTSUPP;
}

int upk_cmd_probe(int argc, char **argv)
{
	const char *device = NULL;
	struct utsname u = {.release = "?"};
	struct pg_link link;
	int err;

	upk_parse(&argp, argc, argv, 0, &device);
	if (upk_confine(&(struct upk_confine){.sends = true, .devices = {device}}))
		return UPK_FAILED;
	err = pg_link_read(device, &link);
	if (err) {
		fprintf(stderr, "upktgen probe: %s: %s\n", device,
			err == -ENODEV ? "no such network device here; \"ip link\" lists them"
				       : strerror(-err));
		return UPK_USAGE;
	}
	uname(&u);
	printf("kernel:    %s, %d CPU%s for transmit threads\n", u.release, ww_cpu_slots(),
	       ww_cpu_slots() == 1 ? "" : "s");
	print_user();
	print_device(device, &link);
	return print_backends(device) ? UPK_FAILED : UPK_OK;
}
