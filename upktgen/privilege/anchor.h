/* SPDX-License-Identifier: MIT */
/*
 * Running a program with live frames makes the kernel patch its dispatcher before and after, which
 * waits for every CPU: some 24 ms a call. It need not where the same program is already attached to
 * a device. So one is made for that alone: a device in a network namespace that only a descriptor
 * of ours keeps, gone with it.
 */
#ifndef UPKTGEN_PRIVILEGE_ANCHOR_H
#define UPKTGEN_PRIVILEGE_ANCHOR_H

struct pg_anchor {
	int netns, link; /* -1: none */
};

/* 0, or -errno where it may not be made (the calls are then dear, but work). */
int pg_anchor_open(struct pg_anchor *a, int prog_fd);
void pg_anchor_close(struct pg_anchor *a);

/*
 * In the opener, before it gives up the right to make namespaces: a process that lives in one, and
 * anchors there from now on. It keeps no right outside of it.
 */
int pg_anchor_server_start(void);
void pg_anchor_server_finish(void);

#endif
