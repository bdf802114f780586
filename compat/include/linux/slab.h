/* SPDX-License-Identifier: MIT */
/*
 * malloc() under the kernel's names, so that ASan and valgrind see each object. With
 * WW_LINUX_FAIL_ALLOC=n (the runner's --fail-alloc) the n-th allocation fails.
 */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <linux/types.h>
#include <linux/gfp.h>
#include <linux/overflow.h>
#include <linux/cleanup.h>

void *ww_linux_kmalloc(size_t size, gfp_t gfp) __attribute__((malloc));
void *ww_linux_krealloc(const void *p, size_t size, gfp_t gfp) WW_LINUX_MUST_CHECK;
void ww_linux_kfree(const void *p);
void ww_linux_kfree_sensitive(const void *p);
size_t ww_linux_ksize(const void *p);

#define ZERO_SIZE_PTR	      ((void *)16)
#define ZERO_OR_NULL_PTR(p)   ((unsigned long)(p) <= (unsigned long)ZERO_SIZE_PTR)
#define KMALLOC_MAX_SIZE      (1UL << 30)
#define ARCH_KMALLOC_MINALIGN 16

#define kmalloc(size, gfp)		       ww_linux_kmalloc(size, gfp)
#define kzalloc(size, gfp)		       ww_linux_kmalloc(size, (gfp) | __GFP_ZERO)
#define kmalloc_node(size, gfp, node)	       ((void)(node), kmalloc(size, gfp))
#define kzalloc_node(size, gfp, node)	       ((void)(node), kzalloc(size, gfp))
#define kmalloc_array(n, size, gfp)	       kmalloc(size_mul(n, size), gfp)
#define kmalloc_array_node(n, size, gfp, node) ((void)(node), kmalloc_array(n, size, gfp))
#define kcalloc(n, size, gfp)		       kzalloc(size_mul(n, size), gfp)
#define kcalloc_node(n, size, gfp, node)       ((void)(node), kcalloc(n, size, gfp))
#define krealloc(p, size, gfp)		       ww_linux_krealloc(p, size, gfp)
#define krealloc_array(p, n, size, gfp)	       krealloc(p, size_mul(n, size), gfp)
#define kfree				       ww_linux_kfree
#define kzfree				       ww_linux_kfree_sensitive
#define kfree_sensitive			       ww_linux_kfree_sensitive
#define ksize				       ww_linux_ksize
#define kmalloc_obj(obj, gfp...)	       ((__typeof__(obj) *)kmalloc(sizeof(obj), GFP_KERNEL))
#define kzalloc_obj(obj, gfp...)	       ((__typeof__(obj) *)kzalloc(sizeof(obj), GFP_KERNEL))
#define kvmalloc(size, gfp)		       kmalloc(size, gfp)
#define kvzalloc(size, gfp)		       kzalloc(size, gfp)
#define kvmalloc_array(n, size, gfp)	       kmalloc_array(n, size, gfp)
#define kvcalloc(n, size, gfp)		       kcalloc(n, size, gfp)
#define kvfree				       ww_linux_kfree
#define kvmalloc_node(size, gfp, node)	       kmalloc_node(size, gfp, node)
#ifndef kvzalloc_node
#define kvzalloc_node(size, gfp, node) kzalloc_node(size, gfp, node)
#endif
#define kmalloc_track_caller(size, gfp) kmalloc(size, gfp)
/* (p, size, gfp), and (p, old size, size, gfp) as before 6.12 */
#define ww_kvrealloc3(p, size, gfp)	     ww_linux_krealloc(p, size, gfp)
#define ww_kvrealloc4(p, old, size, gfp)     ((void)(old), ww_linux_krealloc(p, size, gfp))
#define ww_kvrealloc_(a, b, c, d, pick, ...) pick
#define kvrealloc(args...)		     ww_kvrealloc_(args, ww_kvrealloc4, ww_kvrealloc3)(args)
#define kvfree_sensitive(p, len)	     ((void)(len), ww_linux_kfree_sensitive(p))

DEFINE_FREE(kfree, void *, ww_linux_kfree(_T))
DEFINE_FREE(kvfree, void *, ww_linux_kfree(_T))

#define SLAB_HWCACHE_ALIGN   0x2000u
#define SLAB_CACHE_DMA	     0x4000u
#define SLAB_PANIC	     0x40000u
#define SLAB_TYPESAFE_BY_RCU 0x80000u
#define SLAB_DESTROY_BY_RCU  SLAB_TYPESAFE_BY_RCU
#define SLAB_RECLAIM_ACCOUNT 0x20000u
#define SLAB_MEM_SPREAD	     0x100000u
#define SLAB_ACCOUNT	     0x400000u
#define SLAB_POISON	     0x800u
#define SLAB_RED_ZONE	     0x400u
#define SLAB_STORE_USER	     0x10000u

struct kmem_cache;
/* Destroying one that still has objects is reported with its name and their number. */
struct kmem_cache *ww_linux_cache_create(const char *name, unsigned size, unsigned align,
					 slab_flags_t flags, void (*ctor)(void *));
void *ww_linux_cache_alloc(struct kmem_cache *c, gfp_t gfp);
void ww_linux_cache_free(struct kmem_cache *c, void *p);
void ww_linux_cache_destroy(struct kmem_cache *c);
unsigned ww_linux_cache_size(const struct kmem_cache *c);
#define kmem_cache_create ww_linux_cache_create
#define kmem_cache_create_usercopy(name, size, align, flags, off, usize, ctor)                     \
	ww_linux_cache_create(name, size, align, flags, ctor)
#define KMEM_CACHE(type, flags)                                                                    \
	ww_linux_cache_create(#type, sizeof(struct type), __alignof__(struct type), flags, NULL)
#define kmem_cache_alloc		 ww_linux_cache_alloc
#define kmem_cache_zalloc(c, gfp)	 ww_linux_cache_alloc(c, (gfp) | __GFP_ZERO)
#define kmem_cache_alloc_node(c, gfp, n) ((void)(n), ww_linux_cache_alloc(c, gfp))
#define kmem_cache_free			 ww_linux_cache_free
#define kmem_cache_destroy		 ww_linux_cache_destroy
#define kmem_cache_size			 ww_linux_cache_size
#define kmem_cache_shrink(c)		 ((void)(c), 0)
/* All of them, whose number it returns, or none and 0. */
WW_LINUX_INLINE int kmem_cache_alloc_bulk(struct kmem_cache *c, gfp_t gfp, size_t n, void **p)
{
	for (size_t i = 0; i < n; i++) {
		p[i] = kmem_cache_alloc(c, gfp);
		if (!p[i]) {
			while (i--)
				kmem_cache_free(c, p[i]);
			return 0;
		}
	}
	return (int)n;
}
WW_LINUX_INLINE void kmem_cache_free_bulk(struct kmem_cache *c, size_t n, void **p)
{
	for (size_t i = 0; i < n; i++)
		kmem_cache_free(c, p[i]);
}
WW_LINUX_INLINE void kfree_bulk(size_t n, void **p)
{
	for (size_t i = 0; i < n; i++)
		kfree(p[i]);
}

#endif
