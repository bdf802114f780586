// SPDX-License-Identifier: MIT
/*
 * A warning says where; --strict makes it the exit status.
 * run: --duration 1ms
 * modes: plain
 * status: 201
 * expect: WARNING: .*warns.c:[0-9]+ warns_init\(\): the sky is 3 feet high
 */
#include <linux/module.h>

static int __init warns_init(void)
{
	WARN_ONCE(1, "the sky is %d feet high\n", 3);
	return 0;
}

static void __exit warns_exit(void)
{
}

module_init(warns_init);
module_exit(warns_exit);
