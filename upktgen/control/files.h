/* SPDX-License-Identifier: MIT */
/*
 * The control files as a file system (FUSE): pgctrl, kpktgend_N and a file for each device, with
 * the kernel's modes and formats. Only the one who mounted can see or write them.
 */
#ifndef UPKTGEN_CONTROL_FILES_H
#define UPKTGEN_CONTROL_FILES_H

#include "confine.h"
#include "control/session.h"
#include "privilege/keeper.h"

struct upk_files;

/*
 * Mounts on the folder dir, while there is one thread and the rights to do so are there; keeper
 * (may hold more to be undone) unmounts it in the end. NULL + errno, after a line on standard error.
 */
struct upk_files *upk_files_mount(const char *dir, struct pg_keeper *keeper);
/* What the files stand for. 0 or -errno. */
int upk_files_attach(struct upk_files *f, struct pg_words *words, struct pg_engine *engine);
/* Serves until it is unmounted from outside or upk_files_leave() was called. 0 or -errno. */
int upk_files_serve(struct upk_files *f);
/* From any thread: upk_files_serve() returns; a start under way is stopped, and answered. */
void upk_files_leave(struct upk_files *f);
/* Unmounts and frees. */
void upk_files_unmount(struct upk_files *f);

/*
 * What comes after the mount: gives the rights away as c says, opens a session behind the files,
 * calls serve(), and ends all of it. The exit status: serve()'s, or UPK_FAILED after a line on
 * standard error.
 */
int upk_files_with(struct upk_files *f, const struct upk_confine *c,
		   const struct upk_options *options,
		   int (*serve)(struct upk_files *f, struct upk_session *s, void *arg), void *arg);

#endif
