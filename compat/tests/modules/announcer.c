// SPDX-License-Identifier: MIT
/*
 * Messages in all levels and formats, and parameters of all types.
 * run: --duration 1ms --no-timestamps --loglevel 7 greeting=moin loud=y port=0x1f90 list=3,1,2 tag=abc quiet names=ab,cd
 * expect: ^<6> announcer: moin 8080 loud quiet abc 3:3,1,2 2:ab,cd$
 * expect: ^<3> announcer: mac 00:11:22:aa:bb:cc ip 192\.168\.0\.1 fe80::1 -EINVAL$
 * expect: ^<4> function announce_init, hex de ad be ef, cpus 0-1,3$
 * expect: ^<6> one and two, nested three 3$
 * expect: ^<2> \[ +42\|2a\|0x2a\|-5   \|00007\|abc\|x\|99%\]$
 * expect: ^<6> 00000000: 68 65 6c 6c 6f {35}hello$
 * refuse: not to be seen
 */
#define pr_fmt(fmt) "announcer: " fmt
#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>

static char *greeting = "hello";
module_param(greeting, charp, 0444);
static bool loud;
module_param(loud, bool, 0644);
static bool noisy = true;
module_param_named(quiet, noisy, invbool, 0644);
static unsigned short port;
module_param(port, ushort, 0444);
static int list[4];
static int nr_list;
module_param_array(list, int, &nr_list, 0444);
static char *names[3];
static int nr_names;
module_param_array(names, charp, &nr_names, 0444);
static char tag[8];
module_param_string(tag, tag, sizeof(tag), 0444);
MODULE_PARM_DESC(tag, "a short text");

static void nested(const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	printk(KERN_INFO "one and two, nested %pV\n", &vaf);
	va_end(args);
}

static int __init announce_init(void)
{
	static const u8 mac[6] = {0, 0x11, 0x22, 0xaa, 0xbb, 0xcc};
	static const u8 ip4[4] = {192, 168, 0, 1};
	static const u8 ip6[16] = {0xfe, 0x80, [15] = 1};
	static const u8 bytes[4] = {0xde, 0xad, 0xbe, 0xef};
	DECLARE_BITMAP(cpus, 8) = {0x0b};

	pr_info("%s %d %s %s %s %d:%d,%d,%d %d:%s,%s\n", greeting, port, loud ? "loud" : "low",
		noisy ? "noisy" : "quiet", tag, nr_list, list[0], list[1], list[2], nr_names,
		names[0], names[1]);
	pr_err("mac %pM ip %pI4 %pI6c %pe\n", mac, ip4, ip6, ERR_PTR(-EINVAL));
	printk("function %ps, hex %*ph, cpus %*pbl\n", announce_init, 4, bytes, 8, cpus);
	nested("three %d", 3);
	printk(KERN_CRIT "[%5d|%x|%#x|%-5d|%05u|%.3s|%c|%d%%]\n", 42, 42, 42, -5, 7u, "abcdef", 'x',
	       99);
	printk(KERN_DEBUG "not to be seen\n");
	pr_debug("not to be seen either\n");
	print_hex_dump(KERN_INFO, "", DUMP_PREFIX_OFFSET, 16, 1, "hello", 5, true);
	pr_info("to be ");
	pr_cont("continued\n");
	return 0;
}

static void __exit announce_exit(void)
{
}

module_init(announce_init);
module_exit(announce_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_AUTHOR("the wheelwork authors");
