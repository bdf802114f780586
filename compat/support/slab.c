/* SPDX-License-Identifier: MIT */
/* kmalloc() over malloc(), caches that know their objects, and a failing n-th allocation. */
#include "support.h"

#include <malloc.h>
#include <pthread.h>

#include <linux/slab.h>
#include <linux/string.h>

struct kmem_cache {
	char *name;
	unsigned size, align;
	long objects; /* (A) alive */
	void (*ctor)(void *);
	struct kmem_cache *next; /* under cache_lock */
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kmem_cache *caches;

static bool must_fail(gfp_t gfp)
{
	return ww_unlikely(ww_load_relaxed(&ww_linux_settings.fail_alloc) > 0) &&
	       !(gfp & __GFP_NOFAIL) &&
	       __atomic_sub_fetch(&ww_linux_settings.fail_alloc, 1, __ATOMIC_RELAXED) == 0;
}

static void *get(size_t size, size_t align, gfp_t gfp)
{
	void *p;

	if (size > KMALLOC_MAX_SIZE || must_fail(gfp))
		return NULL;
	p = align <= 16 ? malloc(size) : aligned_alloc(align, (size + align - 1) & ~(align - 1));
	if (!p && (gfp & __GFP_NOFAIL))
		ww_linux_bug_at("slab", 0, "kmalloc", "__GFP_NOFAIL and no memory");
	if (p && (gfp & __GFP_ZERO))
		memset(p, 0, size);
	return p;
}

WW_LINUX_EXPORT void *ww_linux_kmalloc(size_t size, gfp_t gfp)
{
	return size ? get(size, 16, gfp) : ZERO_SIZE_PTR;
}

WW_LINUX_EXPORT void ww_linux_kfree(const void *p)
{
	if (!ZERO_OR_NULL_PTR(p))
		free((void *)p);
}

WW_LINUX_EXPORT size_t ww_linux_ksize(const void *p)
{
	return ZERO_OR_NULL_PTR(p) ? 0 : malloc_usable_size((void *)p);
}

WW_LINUX_EXPORT void ww_linux_kfree_sensitive(const void *p)
{
	if (!ZERO_OR_NULL_PTR(p))
		explicit_bzero((void *)p, ww_linux_ksize(p));
	ww_linux_kfree(p);
}

WW_LINUX_EXPORT void *ww_linux_krealloc(const void *p, size_t size, gfp_t gfp)
{
	size_t old = ww_linux_ksize(p);
	void *n;

	if (!size) {
		ww_linux_kfree(p);
		return ZERO_SIZE_PTR;
	}
	n = ww_linux_kmalloc(size, gfp);
	if (n && old) {
		memcpy(n, p, old < size ? old : size);
		ww_linux_kfree(p);
	}
	return n;
}

WW_LINUX_EXPORT void *ww_linux_alloc_pages_exact(size_t size, gfp_t gfp)
{
	return get(PAGE_ALIGN(size), PAGE_SIZE, gfp);
}

WW_LINUX_EXPORT void ww_linux_free_pages_exact(void *p)
{
	free(p);
}

WW_LINUX_EXPORT struct kmem_cache *ww_linux_cache_create(const char *name, unsigned size,
							 unsigned align, slab_flags_t flags,
							 void (*ctor)(void *))
{
	struct kmem_cache *c = calloc(1, sizeof(*c));

	if (!c || !(c->name = strdup(name))) {
		free(c);
		return NULL;
	}
	c->size = size;
	c->align = align > 16 ? align : 16;
	if ((flags & SLAB_HWCACHE_ALIGN) && c->align < 64)
		c->align = 64;
	c->ctor = ctor;
	pthread_mutex_lock(&cache_lock);
	c->next = caches;
	caches = c;
	pthread_mutex_unlock(&cache_lock);
	return c;
}

WW_LINUX_EXPORT void *ww_linux_cache_alloc(struct kmem_cache *c, gfp_t gfp)
{
	void *p = get(c->size, c->align, gfp);

	if (!p)
		return NULL;
	if (c->ctor)
		c->ctor(p);
	ww_fetch_add_relaxed(&c->objects, 1);
	return p;
}

WW_LINUX_EXPORT void ww_linux_cache_free(struct kmem_cache *c, void *p)
{
	if (!p)
		return;
	__atomic_fetch_sub(&c->objects, 1, __ATOMIC_RELAXED);
	free(p);
}

WW_LINUX_EXPORT unsigned ww_linux_cache_size(const struct kmem_cache *c)
{
	return c->size;
}

WW_LINUX_EXPORT void ww_linux_cache_destroy(struct kmem_cache *c)
{
	long left;

	if (!c)
		return;
	left = ww_load_relaxed(&c->objects);
	if (left) { /* as in the kernel, the cache stays */
		ww_linux_warn_at("slab", 0, "kmem_cache_destroy", "%s: %ld object(s) remain",
				 c->name, left);
		return;
	}
	pthread_mutex_lock(&cache_lock);
	for (struct kmem_cache **p = &caches; *p; p = &(*p)->next)
		if (*p == c) {
			*p = c->next;
			break;
		}
	pthread_mutex_unlock(&cache_lock);
	free(c->name);
	free(c);
}

unsigned ww_linux_report_caches(FILE *out)
{
	unsigned n = 0;

	pthread_mutex_lock(&cache_lock);
	for (struct kmem_cache *c = caches; c; c = c->next, n++)
		fprintf(out, "kmem_cache \"%s\" has not been destroyed (%ld object(s))\n", c->name,
			ww_load_relaxed(&c->objects));
	pthread_mutex_unlock(&cache_lock);
	return n;
}

WW_LINUX_EXPORT void *ww_linux_kmemdup(const void *src, size_t len, gfp_t gfp)
{
	void *p = ww_linux_kmalloc(len, gfp);

	if (p && len)
		memcpy(p, src, len);
	return p;
}

WW_LINUX_EXPORT char *ww_linux_kmemdup_nul(const char *s, size_t len, gfp_t gfp)
{
	char *p = ww_linux_kmalloc(len + 1, gfp);

	if (p) {
		memcpy(p, s, len);
		p[len] = 0;
	}
	return p;
}

WW_LINUX_EXPORT char *ww_linux_kstrdup(const char *s, gfp_t gfp)
{
	return s ? ww_linux_kmemdup(s, strlen(s) + 1, gfp) : NULL;
}

WW_LINUX_EXPORT char *ww_linux_kstrndup(const char *s, size_t max, gfp_t gfp)
{
	return s ? ww_linux_kmemdup_nul(s, strnlen(s, max), gfp) : NULL;
}
