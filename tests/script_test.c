/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include "base/alloc.h"
#include "control/script.h"
#include "netns.h"

static char told[8192];

static void tell(const char *name, unsigned line, const char *why, void *arg)
{
	size_t n = strlen(told);

	(void)arg;
	snprintf(told + n, sizeof(told) - n, "%s:%u: %s\n", name, line, why);
}

static struct pg_script script;

static void read_text(const char *text, size_t len)
{
	FILE *from = fmemopen((void *)(uintptr_t)text, len, "r");

	told[0] = 0;
	CHECK(from);
	CHECK_EQ(pg_script_read(&script, "s", from, tell, NULL), 0);
	fclose(from);
}

static size_t check_text(const char *text, bool strict)
{
	struct pg_check_options o = {.elsewhere = true, .strict = strict};
	size_t n;

	read_text(text, strlen(text));
	n = script.nr_faults + pg_script_check(&script, &o, tell, NULL);
	pg_script_free(&script);
	return n;
}

#define GOOD                                                                                       \
	"# the writes of a simple run\n"                                                           \
	"pgctrl reset\n"                                                                           \
	"kpktgend_0 rem_device_all\n"                                                              \
	"  kpktgend_0\tadd_device eth0   # with a comment behind it\n"                             \
	"\n"                                                                                       \
	"/proc/net/pktgen/eth0 count 1000\r\n"                                                     \
	"eth0 dst_mac  00:04:23:08:91:dc\n"                                                        \
	"eth0 pkt_size=60\n"                                                                       \
	"pgctrl start\n"                                                                           \
	"pgctrl reset" /* no newline at the end */

TEST(a_script_is_targets_and_commands_with_comments_and_paths)
{
	read_text(GOOD, strlen(GOOD));
	CHECK_EQ(script.nr_lines, 8);
	CHECK_STR(script.lines[2].target, "kpktgend_0");
	CHECK_STR(script.lines[2].command, "add_device eth0");
	CHECK_EQ(script.lines[2].number, 4);
	CHECK_STR(script.lines[3].target, "eth0");
	CHECK_STR(script.lines[3].command, "count 1000");
	CHECK_EQ(script.lines[7].number, 10);
	pg_script_free(&script);
	CHECK_EQ(check_text(GOOD, false), 0);
	CHECK_STR(told, "");
}

TEST(each_faulty_line_is_told_with_its_number)
{
	CHECK_EQ(check_text("kpktgend_0 add_device eth0\n"
			    "eth0 cuont 5\n"
			    "eth0 dst_mac 1:2\n"
			    "eth1 count 5\n"
			    "pgctrl go\n"
			    "kpktgend_0 ad_device eth1\n"
			    "eth0\n"
			    "eth0 flag NOSUCH\n"
			    "eth0 vlan_p 3\n"
			    "eth0 count 1k\n"
			    "kpktgend_1 add_device eth0\n"
			    "pgctrl start\n",
			    false),
		 10);
	for (int line = 2; line <= 11; line++) {
		char want[16];

		snprintf(want, sizeof(want), "s:%d: ", line);
		CHECK_MSG(strstr(told, want), "nothing of line %d in\n%s", line, told);
	}
	CHECK(strstr(told, "s:2: no device command 'cuont'"));
	CHECK(strstr(told, "s:10: '") && strstr(told, "right is: count N"));
	CHECK(!strstr(told, "s:12:"));
}

TEST(strict_tells_only_what_the_kernel_refuses)
{
	CHECK_EQ(check_text("kpktgend_0 add_device eth0\n"
			    "eth0 count abc\n"
			    "eth0 flag NOSUCH\n"
			    "eth0 dst_min junk\n"
			    "eth0 rate 0\n",
			    true),
		 1);
	CHECK(strstr(told, "s:5: "));
}

TEST(a_start_without_a_device_is_a_fault)
{
	CHECK_EQ(check_text("pgctrl start\n", false), 1);
	CHECK_EQ(check_text("kpktgend_0 add_device a\nkpktgend_0 rem_device_all\npgctrl start\n",
			    false),
		 1);
	CHECK_EQ(check_text("kpktgend_0 add_device a\npgctrl reset\na count 1\n", false), 1);
}

#define WITH(commands) "kpktgend_0 add_device a\n" commands "pgctrl start\n"
TEST(what_a_start_would_find_is_told_at_its_line)
{
	static const struct {
		const char *text, *told;
	} bad[] = {
		{WITH("a pkt_size 70000\n"), "s:3: a can't start: a frame of 70000 bytes"},
		{WITH("a flag IPDST_RND\na dst_min 224.0.0.1\na dst_max 239.0.0.1\n"),
		 "s:5: a can't start: IPDST_RND: every address"},
		{WITH("a min_pkt_size 100\na max_pkt_size 60\n"),
		 "s:4: a: max_pkt_size 60 is below"},
		{WITH("a dst_min 10.0.0.9\na dst_max 10.0.0.1\n"),
		 "s:4: a: dst_max 10.0.0.1 is below"},
		{WITH("a src_min 10.0.0.9\na src_max 10.0.0.1\n"),
		 "s:4: a: src_max 10.0.0.1 is below"},
		{WITH("a src_max 10.0.0.1\n"), "s:3: a: src_max has no effect"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQ(check_text(bad[i].text, false), 1);
		CHECK_MSG(strstr(told, bad[i].told), "%s", told);
		CHECK_EQ(check_text(bad[i].text, true), 0); /* the kernel takes it */
	}
}

TEST(frames_that_a_device_here_can_not_take_are_told_with_the_cure)
{
	struct pg_check_options here = {.strict = false}, elsewhere = {.elsewhere = true};
	static const char text[] = "kpktgend_0 add_device sc0\nsc0 pkt_size 2000\npgctrl start\n";

	netns_enter();
	netns_veth("sc0", "sc1");
	read_text(text, strlen(text));
	CHECK_EQ(pg_script_check(&script, &elsewhere, tell, NULL), 0);
	CHECK_EQ(pg_script_check(&script, &here, tell, NULL), 1);
	CHECK_MSG(strstr(told, "s:3: frames of 2000 bytes do not fit sc0: give it an MTU of 1982"),
		  "%s", told);
	pg_script_free(&script);
}

TEST(a_refused_command_changes_nothing_for_the_lines_after_it)
{
	CHECK_EQ(check_text("kpktgend_0 add_device a\n"
			    "a clone_skb 5\n"
			    "a imix_weights 60,1\n" /* refused */
			    "a clone_skb 6\n",	    /* and so not in the way */
			    false),
		 1);
}

TEST(a_line_too_long_or_with_a_zero_byte_is_a_fault_and_no_more)
{
	static char text[9000];

	memset(text, 'x', sizeof(text));
	text[5000] = '\n';
	memcpy(text + 5001, "pgctrl stop\na\0b c\npgctrl stop\n", 30);
	read_text(text, 5031);
	CHECK_EQ(script.nr_faults, 2);
	CHECK_EQ(script.nr_lines, 2);
	CHECK(strstr(told, "s:1: ") && strstr(told, "s:3: "));
	pg_script_free(&script);
}

TEST(a_device_that_is_not_here_is_told_before_anything_is_sent)
{
	struct pg_check_options here = {0}, any = {.any_device = true};
	static const char text[] = "kpktgend_0 add_device nosuchdev0\n";

	read_text(text, strlen(text));
	CHECK_EQ(pg_script_check(&script, &here, tell, NULL), 1);
	CHECK(strstr(told, "s:1: no network device nosuchdev0 here"));
	CHECK_EQ(pg_script_check(&script, &any, tell, NULL), 0);
	pg_script_free(&script);
}

TEST(a_thread_that_is_not_here_is_told)
{
	struct pg_check_options here = {.any_device = true};
	static const char text[] = "kpktgend_9999 add_device a\n";

	read_text(text, strlen(text));
	CHECK_EQ(pg_script_check(&script, &here, tell, NULL), 1);
	CHECK(strstr(told, "CPU 9999"));
	pg_script_free(&script);
}

TEST(every_failed_allocation_is_an_error_and_no_leak)
{
	for (long n = 1;; n++) {
		FILE *from = fmemopen((void *)(uintptr_t)GOOD, strlen(GOOD), "r");

		ww_alloc_fail_nth(n);
		int err = pg_script_read(&script, "s", from, tell, NULL);
		ww_alloc_fail_nth(0);
		pg_script_free(&script);
		fclose(from);
		if (!err)
			break;
		CHECK_EQ(err, -12);
		CHECK(n < 100);
	}
}
