/* SPDX-License-Identifier: MIT */
/* Devices: a name, and what is freed with them. */
#include "support.h"

#include <linux/device.h>

struct ww_linux_devres {
	struct ww_linux_devres *next;
	void (*action)(void *);
	void *data;
};

WW_LINUX_EXPORT const char *ww_linux_dev_name(const struct device *dev)
{
	return dev->ww_name[0] ? dev->ww_name : dev->init_name ? dev->init_name : "(no name)";
}

WW_LINUX_EXPORT int ww_linux_dev_set_name(struct device *dev, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ww_linux_format(dev->ww_name, sizeof(dev->ww_name), fmt, ap);
	va_end(ap);
	return 0;
}

WW_LINUX_EXPORT int ww_linux_devm_add_action(struct device *dev, void (*action)(void *), void *data)
{
	struct ww_linux_devres *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = (struct ww_linux_devres){dev->ww_res, action, data};
	dev->ww_res = r;
	return 0;
}

static void free_it(void *p)
{
	ww_linux_kfree(p);
}

WW_LINUX_EXPORT void *ww_linux_devm_kmalloc(struct device *dev, size_t size, gfp_t gfp)
{
	void *p = ww_linux_kmalloc(size, gfp);

	if (p && ww_linux_devm_add_action(dev, free_it, p)) {
		ww_linux_kfree(p);
		return NULL;
	}
	return p;
}

WW_LINUX_EXPORT void ww_linux_devm_kfree(struct device *dev, const void *p)
{
	for (struct ww_linux_devres **q = &dev->ww_res; *q; q = &(*q)->next) {
		struct ww_linux_devres *r = *q;

		if (r->action != free_it || r->data != p)
			continue;
		*q = r->next;
		free(r);
		ww_linux_kfree(p);
		return;
	}
	ww_linux_warn_at("device", 0, "devm_kfree", "%s does not own %p", ww_linux_dev_name(dev),
			 p);
}

/* The newest first, as the kernel does. */
WW_LINUX_EXPORT void ww_linux_devres_release(struct device *dev)
{
	struct ww_linux_devres *r;

	while ((r = dev->ww_res)) {
		dev->ww_res = r->next;
		r->action(r->data);
		free(r);
	}
}
