/* SPDX-License-Identifier: MIT */
/* Where memory comes from means nothing here; __GFP_ZERO and __GFP_NOFAIL keep their meaning. */
#ifndef __LINUX_GFP_H
#define __LINUX_GFP_H

#include <linux/types.h>
#include <linux/numa.h>
#include <asm/page.h>

#define __GFP_DMA		   0x01u
#define __GFP_HIGHMEM		   0x02u
#define __GFP_DMA32		   0x04u
#define __GFP_MOVABLE		   0x08u
#define __GFP_RECLAIMABLE	   0x10u
#define __GFP_HIGH		   0x20u
#define __GFP_IO		   0x40u
#define __GFP_FS		   0x80u
#define __GFP_ZERO		   0x100u
#define __GFP_DIRECT_RECLAIM	   0x400u
#define __GFP_KSWAPD_RECLAIM	   0x800u
#define __GFP_WRITE		   0x1000u
#define __GFP_NOWARN		   0x2000u
#define __GFP_RETRY_MAYFAIL	   0x4000u
#define __GFP_NOFAIL		   0x8000u
#define __GFP_NORETRY		   0x10000u
#define __GFP_MEMALLOC		   0x20000u
#define __GFP_COMP		   0x40000u
#define __GFP_NOMEMALLOC	   0x80000u
#define __GFP_HARDWALL		   0x100000u
#define __GFP_THISNODE		   0x200000u
#define __GFP_ACCOUNT		   0x400000u
#define __GFP_RECLAIM		   (__GFP_DIRECT_RECLAIM | __GFP_KSWAPD_RECLAIM)
#define __GFP_WAIT		   __GFP_RECLAIM
#define GFP_ATOMIC		   (__GFP_HIGH | __GFP_KSWAPD_RECLAIM)
#define GFP_KERNEL		   (__GFP_RECLAIM | __GFP_IO | __GFP_FS)
#define GFP_KERNEL_ACCOUNT	   (GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_NOWAIT		   __GFP_KSWAPD_RECLAIM
#define GFP_NOIO		   __GFP_RECLAIM
#define GFP_NOFS		   (__GFP_RECLAIM | __GFP_IO)
#define GFP_USER		   (__GFP_RECLAIM | __GFP_IO | __GFP_FS | __GFP_HARDWALL)
#define GFP_HIGHUSER		   (GFP_USER | __GFP_HIGHMEM)
#define GFP_DMA			   __GFP_DMA
#define GFP_DMA32		   __GFP_DMA32
#define gfpflags_allow_blocking(f) (!!((f)&__GFP_DIRECT_RECLAIM))

void *ww_linux_alloc_pages_exact(size_t size, gfp_t gfp);
void ww_linux_free_pages_exact(void *p);
#define __get_free_pages(gfp, order)                                                               \
	((unsigned long)ww_linux_alloc_pages_exact(PAGE_SIZE << (order), gfp))
#define __get_free_page(gfp)	  __get_free_pages(gfp, 0)
#define get_zeroed_page(gfp)	  __get_free_pages((gfp) | __GFP_ZERO, 0)
#define free_pages(addr, order)	  ((void)(order), ww_linux_free_pages_exact((void *)(addr)))
#define free_page(addr)		  free_pages(addr, 0)
#define alloc_pages_exact(s, gfp) ww_linux_alloc_pages_exact(s, gfp)
#define free_pages_exact(p, s)	  ((void)(s), ww_linux_free_pages_exact(p))
WW_LINUX_INLINE int get_order(unsigned long size)
{
	return size <= PAGE_SIZE ? 0 : 64 - __builtin_clzl((size - 1) >> PAGE_SHIFT);
}
/* A page's description is its memory by another type: there is nothing else to describe. */
struct page;
#define MAX_ORDER			 10
#define MAX_PAGE_ORDER			 MAX_ORDER
#define alloc_pages(gfp, order)		 ((struct page *)__get_free_pages(gfp, order))
#define alloc_pages_node(nd, gfp, order) ((void)(nd), alloc_pages(gfp, order))
#define alloc_page(gfp)			 alloc_pages(gfp, 0)
#define __free_pages(page, order)	 free_pages((unsigned long)(page), order)
#define __free_page(page)		 __free_pages(page, 0)
#define page_address(page)		 ((void *)(page))
#define page_to_virt(page)		 ((void *)(page))
#define virt_to_page(p)			 ((struct page *)((unsigned long)(p) & ~(PAGE_SIZE - 1)))

#endif
