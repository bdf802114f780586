// SPDX-License-Identifier: MIT
/*
 * The exit status is the error that the init function returned.
 * run: --duration 1h
 * modes: plain virtual address
 * status: 19
 * expect: init_fails_init\(\) returned -19 \(No such device\)
 * refuse: must not run
 */
#include <linux/module.h>

static int __init init_fails_init(void)
{
	return -ENODEV;
}

static void __exit init_fails_exit(void)
{
	pr_info("must not run\n");
}

module_init(init_fails_init);
module_exit(init_fails_exit);
