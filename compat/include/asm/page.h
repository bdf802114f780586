/* SPDX-License-Identifier: MIT */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12
#endif
#ifndef PAGE_SIZE
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#endif
#ifndef PAGE_MASK
#define PAGE_MASK (~(PAGE_SIZE - 1))
#endif
#ifndef PAGE_ALIGN
#define PAGE_ALIGN(a)	   (((a) + PAGE_SIZE - 1) & PAGE_MASK)
#define offset_in_page(p)  ((unsigned long)(p) & ~PAGE_MASK)
#define PAGE_ALIGNED(addr) (offset_in_page(addr) == 0)
#endif

#endif
