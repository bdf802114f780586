/* SPDX-License-Identifier: MIT */
/* All of the library in one include. */
#ifndef WHEELWORK_WHEELWORK_H
#define WHEELWORK_WHEELWORK_H

#include <wheelwork/base.h>
#include <wheelwork/clock.h>
#include <wheelwork/timer.h>
#include <wheelwork/work.h>
#include <wheelwork/rcu.h>
#include <wheelwork/thread.h>
#include <wheelwork/wait.h>
#include <wheelwork/completion.h>
#include <wheelwork/control.h>
#include <wheelwork/freezer.h>
#include <wheelwork/worker.h>

#endif
