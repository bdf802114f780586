// SPDX-License-Identifier: MIT
/*
 * Code that got hold of a confined process: what it can still do, tried out. Each case gives up
 * rights as a subcommand does, and then does the worst it knows.
 */
#include "tap.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "netns.h"
#include "privilege/ask.h"
#include "privilege/rights.h"
#include "receive/capture.h"
#include "receive/tap.h"
#include "transmit/engine.h"
#include "transmit/live_open.h"
#include "transmit/open.h"

/* The sanitizers' own calls would not pass the filter. */
#if TAP_ASAN || TAP_TSAN
enum { FILTERED = 0 };
#else
enum { FILTERED = 1 };
#endif

static void confined_to(const char *device)
{
	struct upk_confine c = {.sends = true, .devices = {device}};

	CHECK_EQ(pg_rights_begin(), 0);
	CHECK_EQ(upk_confine(&c), 0);
}

static void no_filter_here(void)
{
	SKIP_UNDER_ASAN("its runtime makes system calls of its own, so there is no filter");
	SKIP_UNDER_TSAN("its runtime makes system calls of its own, so there is no filter");
}

#define DENIED(call)                                                                               \
	do {                                                                                       \
		errno = 0;                                                                         \
		long n_ = (long)(call);                                                            \
		CHECK_MSG(n_ == -1 && errno == EPERM, "%s: %ld, %s", #call, n_, strerror(errno));  \
	} while (0)

TEST(no_process_and_no_program_is_started)
{
	char *argv[] = {"true", NULL};

	no_filter_here();
	confined_to("lo");
	DENIED(execv("/bin/true", argv));
	DENIED(fork());
	DENIED(syscall(SYS_vfork));
	DENIED(unshare(CLONE_NEWUSER));
	DENIED(unshare(CLONE_NEWNET));
	CHECK(system("true") != 0);
}

TEST(no_file_is_made_written_or_moved)
{
	char name[64], other[80];
	int fd;

	no_filter_here();
	snprintf(name, sizeof(name), "/tmp/upk-confine-%d", getpid());
	snprintf(other, sizeof(other), "%s-2", name);
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0);
	confined_to("lo");
	DENIED(open(name, O_WRONLY));
	DENIED(open(name, O_RDWR));
	DENIED(open(name, O_RDONLY | O_TRUNC));
	DENIED(open(other, O_RDONLY | O_CREAT, 0600));
	DENIED(creat(other, 0600));
	DENIED(open("/tmp", O_RDWR | O_TMPFILE, 0600));
	DENIED(rename(name, other));
	DENIED(link(name, other));
	DENIED(symlink(name, other));
	DENIED(unlink(name));
	DENIED(chmod(name, 0666));
	DENIED(chown(name, 1, 1));
	DENIED(mkdir(other, 0700));
	DENIED(mount("none", "/tmp", "tmpfs", 0, NULL));
	DENIED(syscall(SYS_memfd_create, "x", 0));
	CHECK(open(name, O_RDONLY) >= 0); /* reading is what is left */
}

TEST(no_other_socket_and_no_other_process_is_reached)
{
	no_filter_here();
	confined_to("lo");
	DENIED(socket(AF_PACKET, SOCK_RAW, 0));
	DENIED(socket(AF_XDP, SOCK_RAW, 0));
	DENIED(socket(AF_UNIX, SOCK_STREAM, 0));
	DENIED(socket(AF_VSOCK, SOCK_STREAM, 0));
	DENIED(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
	DENIED(kill(getppid(), SIGTERM));
	DENIED(kill(-1, SIGTERM));
	DENIED(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
	DENIED(syscall(SYS_pidfd_open, getppid(), 0));
	DENIED(ioctl(0, TIOCSTI, "x"));
	DENIED(syscall(SYS_io_uring_setup, 8, NULL));
	DENIED(syscall(SYS_setuid, 0));
	DENIED(syscall(SYS_keyctl, 0, 0, 0, 0, 0));
}

TEST(no_program_is_loaded_or_attached_and_no_code_is_made)
{
	struct rlimit r = {1, 1};
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	no_filter_here();
	confined_to("lo");
	DENIED(syscall(SYS_bpf, 5 /* BPF_PROG_LOAD */, NULL, 0));
	DENIED(syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, NULL, 0));
	DENIED(syscall(SYS_bpf, 28 /* BPF_LINK_CREATE */, NULL, 0));
	DENIED(syscall(SYS_bpf, 13 /* BPF_PROG_GET_FD_BY_ID */, NULL, 0));
	DENIED(mprotect(p, 4096, PROT_READ | PROT_EXEC));
	DENIED((long)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	DENIED(setrlimit(RLIMIT_NOFILE, &r));
	DENIED(prctl(PR_SET_PTRACER, getppid()));
}

static uint64_t caps_in(const char *file, const char *field)
{
	char line[256];
	uint64_t v = ~0ull;
	FILE *f = fopen(file, "re");

	CHECK_MSG(f, "%s", file);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, field, strlen(field)) && line[strlen(field)] == ':')
			v = strtoull(line + strlen(field) + 1, NULL, 16);
	fclose(f);
	return v;
}

TEST(every_capability_is_gone_and_none_comes_back)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapAmb"};
	const uint64_t lock = geteuid() ? 0 : 1ull << CAP_IPC_LOCK;

	confined_to("lo");
	for (unsigned i = 0; i < 4; i++) {
		uint64_t left = caps_in("/proc/self/status", sets[i]);

		CHECK_MSG((left & ~lock) == 0, "%s %" PRIx64, sets[i], left);
	}
	if (geteuid() == 0)
		CHECK_EQ(caps_in("/proc/self/status", "CapBnd"), 0);
	CHECK_EQ(caps_in("/proc/self/status", "NoNewPrivs"), 1);
	if (FILTERED)
		CHECK_EQ(caps_in("/proc/self/status", "Seccomp"), 2);
}

/* --- what the opener does and does not ---------------------------------------------------------- */

static void two_devices(void)
{
	if (geteuid() != 0)
		tap_skip("needs root");
	netns_enter();
	netns_veth("pga", "pgb");
}

TEST(only_the_devices_named_are_opened)
{
	struct sockaddr_in6 from = {.sin6_family = AF_INET6};
	int fd;

	two_devices();
	confined_to("pga");
	fd = pg_open_packet("pga", true, 0, 0);
	CHECK(fd >= 0);
	close(fd);
	CHECK_EQ(pg_open_packet("pgb", true, 0, 0), -EACCES);
	CHECK_EQ(pg_open_packet("lo", true, 0, 0), -EACCES);
	CHECK_EQ(pg_open_packet("", true, 0, 0), -EACCES);
	CHECK_EQ(pg_open_xsk("pgb"), -EACCES);
	CHECK_EQ(pg_open_udp("pgb", &from, 0), -EACCES);
	CHECK_EQ(pg_open_tap("pgc"), -EACCES);
	/* The list can't be made anew. */
	const char *more[] = {"pgb"};

	pg_opener_seal(more, 1);
	CHECK_EQ(pg_open_packet("pgb", true, 0, 0), -EACCES);
}

TEST(a_list_that_comes_later_closes_as_well)
{
	const char *names[] = {"pga"}, *more[] = {"pgb"};
	int fd;

	two_devices();
	confined_to(NULL);
	fd = pg_open_packet("pgb", true, 0, 0);
	CHECK(fd >= 0);
	CHECK_EQ(pg_opener_seal(names, 1), 0);
	CHECK_EQ(pg_open_packet("pgb", true, 0, 0), -EACCES);
	CHECK(pg_opener_seal(more, 1) < 0);
	CHECK_EQ(pg_open_packet("pgb", true, 0, 0), -EACCES);
	CHECK(pg_open_packet("pga", true, 0, 0) >= 0);
}

TEST(a_live_program_sends_on_its_own_device_whatever_number_it_is_told)
{
	struct pg_live_config c = {.header_len = 42, .ip_off = 14, .udp_off = 34, .max_len = 60};
	struct pg_live l;
	char why[128] = "";
	uint8_t frame[64] = {0};

	two_devices();
	netns_run("ethtool -K pgb gro on && ethtool -K pga gro on");
	confined_to("pga");
	CHECK_MSG(pg_live_open(&l, "pga", 0, &c, why) == 0, "%s", why);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = 60, .repeat = 100,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = 64);
	l.memory->truth.ifindex = if_nametoindex("pgb"); /* a lie; nothing else tells a number */
	l.memory->state.end = 100;
	CHECK_EQ(bpf_prog_test_run_opts(l.prog, &opts), 0);
	pg_live_close(&l);
	CHECK(pg_live_open(&l, "pgb", 0, &c, why) == -EACCES);
	/* By the kernel's counters. */
	char line[512];
	unsigned long long a = 0, b = 0;
	FILE *f = fopen("/proc/thread-self/net/dev", "re");

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, " pga: %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &a);
		sscanf(line, " pgb: %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &b);
	}
	CHECK_EQ(a, 100);
	CHECK_EQ(b, 0);
}

/* The descriptor of the opener is somewhere among ours. */
static int opener_fd(void)
{
	struct sockaddr_un name = {0};

	for (int fd = 3; fd < 64; fd++) {
		socklen_t len = sizeof(name);
		int type = 0;
		socklen_t type_len = sizeof(type);

		if (getsockname(fd, (struct sockaddr *)&name, &len) == 0 &&
		    name.sun_family == AF_UNIX &&
		    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) == 0 &&
		    type == SOCK_SEQPACKET)
			return fd;
	}
	tap_fail(__FILE__, __LINE__, "no opener");
}

/* Anything may be written to it; it answers that it is nonsense, and goes on. */
TEST_LIMIT(nonsense_is_refused_and_changes_nothing, 60)
{
	static uint8_t buf[16384];
	/* As the list stands in confine.c, and as a request stands on the wire. */
	static const struct pg_op *const real[] = {&pg_op_packet,     &pg_op_xsk,  &pg_op_udp,
						   &pg_op_tap,	      &pg_op_live, &pg_op_capture,
						   &pg_op_tap_program};
	struct wire {
		uint32_t op, size;
		uint8_t bytes[16] __attribute__((aligned(16)));
	};
	uint64_t rng = tap_seed();
	int fd, unnamed = 0;

	two_devices();
	confined_to("pga");
	fd = opener_fd();
	for (int i = 0; i < 3000; i++) {
		struct pg_answer a = {0};
		size_t len = tap_random(&rng) % (i % 10 ? 300 : sizeof(buf));

		for (size_t j = 0; j < len; j += 8) {
			uint64_t r = tap_random(&rng);

			memcpy(buf + j, &r, 8);
		}
		if (i % 3 == 0) { /* an operation that there is, of the right length */
			uint32_t which = (uint32_t)(tap_random(&rng) % 7);
			uint32_t head[2] = {which + 1, (uint32_t)real[which]->size};

			memcpy(buf, head, sizeof(head));
			buf[offsetof(struct wire, bytes)] =
				'x'; /* a device that may not be opened */
			len = offsetof(struct wire, bytes) + real[which]->size;
		}
		if (len == 0)
			len = 1;
		CHECK_EQ(send(fd, buf, len, MSG_NOSIGNAL), len);
		CHECK_EQ(recv(fd, &a, sizeof(a), 0), sizeof(a));
		CHECK(a.err < 0);
		unnamed += a.err == -EACCES;
	}
	CHECK(unnamed >= 1000);
	CHECK(pg_open_packet("pga", true, 0, 0) >= 0);
}

TEST(the_opener_ends_with_its_worker_and_keeps_no_more_than_it_needs)
{
	const uint64_t may = 1ull << CAP_NET_RAW | 1ull << CAP_NET_ADMIN | 1ull << CAP_BPF |
			     1ull << CAP_PERFMON | 1ull << CAP_NET_BIND_SERVICE;
	char path[64];
	int pid = -1;
	FILE *f;

	two_devices();
	confined_to("pga");
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	CHECK(f && fscanf(f, "%d", &pid) == 1);
	CHECK(pg_open_packet("pga", true, 0, 0) >= 0); /* it has settled */
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	CHECK_EQ(caps_in(path, "CapPrm") & ~may, 0);
	CHECK_EQ(caps_in(path, "CapEff") & ~may, 0);
	CHECK_EQ(caps_in(path, "CapBnd"), 0);
	CHECK_EQ(caps_in(path, "NoNewPrivs"), 1);
	if (FILTERED)
		CHECK_EQ(caps_in(path, "Seccomp"), 2);
	close(opener_fd());
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

/* --- files -------------------------------------------------------------------------------------- */

static void in_a_folder(char dir[64])
{
	snprintf(dir, 64, "/tmp/upk-confine-XXXXXX");
	CHECK(mkdtemp(dir));
	CHECK_EQ(chdir(dir), 0);
}

static void write_text(const char *file, const char *text)
{
	FILE *f = fopen(file, "we");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

TEST(a_file_is_made_for_its_owner_alone_and_no_link_is_followed)
{
	char dir[64];
	struct stat st;

	in_a_folder(dir);
	write_text("victim", "precious");
	CHECK_EQ(symlink("victim", "soft"), 0);
	CHECK_EQ(link("victim", "hard"), 0);
	umask(0);
	pg_given_file("fresh");
	pg_given_file("soft");
	pg_given_file("hard");
	pg_given_file("of-%");
	pg_given_file("fifo");
	CHECK_EQ(mkfifo("fifo", 0600), 0);
	confined_to("lo");
	CHECK(pg_given_open("fresh", NULL, true, false) >= 0);
	CHECK_EQ(stat("fresh", &st), 0);
	CHECK_EQ(st.st_mode & 07777, 0600);
	CHECK_EQ(pg_given_open("soft", NULL, true, false), -ELOOP);
	CHECK_EQ(pg_given_open("hard", NULL, true, false), -ELOOP);
	CHECK_EQ(stat("victim", &st), 0);
	CHECK_EQ(st.st_size, 8);
	CHECK(pg_given_open("of-%", "eth0@1", true, false) >= 0);
	CHECK_EQ(stat("of-eth0@1", &st), 0);
	CHECK_EQ(pg_given_open("of-%", "x/../../../tmp/escaped", true, false), -EINVAL);
	/* A pipe that nobody reads holds nobody up. */
	CHECK(pg_given_open("fifo", NULL, true, false) >= 0);
	/* What the command line did not name is not written. */
	if (FILTERED)
		CHECK_EQ(pg_given_open("other", NULL, true, false), -EPERM);
}
