/* SPDX-License-Identifier: MIT */
/*
 * msleep() and the rest sleep on the library's clock, at least as long as asked. The busy-waiting
 * delays spin on real time; under virtual time, where spinning would not move the clock, they sleep
 * for one tick at least.
 */
#ifndef _LINUX_DELAY_H
#define _LINUX_DELAY_H

#include <linux/types.h>
#include <linux/jiffies.h>

void ww_linux_msleep(unsigned ms);
/* What remains (in ms) when a stop ends the sleep, else 0. */
unsigned long ww_linux_msleep_interruptible(unsigned ms);
void ww_linux_usleep_range(unsigned long min, unsigned long max);
void ww_linux_ndelay(unsigned long ns);

#define msleep				    ww_linux_msleep
#define msleep_interruptible		    ww_linux_msleep_interruptible
#define ssleep(s)			    ww_linux_msleep((unsigned)(s)*1000)
#define usleep_range			    ww_linux_usleep_range
#define usleep_range_state(min, max, state) ((void)(state), ww_linux_usleep_range(min, max))
#define usleep_idle_range		    ww_linux_usleep_range
#define fsleep(us)			    ww_linux_usleep_range(us, (us) + ((us) >> 2))
#define ndelay(ns)			    ww_linux_ndelay(ns)
#define udelay(us)			    ww_linux_ndelay((unsigned long)(us)*1000)
#define mdelay(ms)			    ww_linux_ndelay((unsigned long)(ms)*1000000)

#endif
