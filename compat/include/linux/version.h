/* SPDX-License-Identifier: MIT */
/* The kernel whose calls these headers follow; -DLINUX_VERSION_CODE=... says otherwise. */
#ifndef WW_LINUX_VERSION_H
#define WW_LINUX_VERSION_H

#ifndef KERNEL_VERSION
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))
#endif
#ifndef LINUX_VERSION_CODE
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 18, 0)
#endif
#define LINUX_VERSION_MAJOR (LINUX_VERSION_CODE >> 16)

#endif
