/* SPDX-License-Identifier: MIT */
/* As much of a device as driver logic needs to name itself in messages and to find its data. */
#ifndef _DEVICE_H_
#define _DEVICE_H_

#include <linux/types.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/ratelimit.h>
#include <linux/err.h>
#include <linux/mutex.h>

struct device_driver {
	const char *name;
	struct module *owner;
};

struct device {
	const char *init_name;
	struct device *parent;
	struct device_driver *driver;
	void *platform_data;
	void *driver_data;
	void (*release)(struct device *dev);
	dev_t devt;
	struct mutex mutex;
	char ww_name[64];
	struct ww_linux_devres *ww_res; /* freed by ww_linux_devres_release() */
};

const char *ww_linux_dev_name(const struct device *dev);
int ww_linux_dev_set_name(struct device *dev, const char *fmt, ...) WW_LINUX_PRINTF(2, 3);
/* Memory that goes when the device does: call ww_linux_devres_release(). */
void *ww_linux_devm_kmalloc(struct device *dev, size_t size, gfp_t gfp);
void ww_linux_devm_kfree(struct device *dev, const void *p);
int ww_linux_devm_add_action(struct device *dev, void (*action)(void *), void *data);
void ww_linux_devres_release(struct device *dev);

#define dev_name			      ww_linux_dev_name
#define dev_set_name			      ww_linux_dev_set_name
#define dev_get_drvdata(dev)		      ((dev)->driver_data)
#define dev_set_drvdata(dev, data)	      ((void)((dev)->driver_data = (data)))
#define dev_get_platdata(dev)		      ((dev)->platform_data)
#define dev_driver_string(dev)		      ((dev)->driver ? (dev)->driver->name : "")
#define dev_to_node(dev)		      (-1)
#define device_lock(dev)		      mutex_lock(&(dev)->mutex)
#define device_unlock(dev)		      mutex_unlock(&(dev)->mutex)
#define devm_kmalloc			      ww_linux_devm_kmalloc
#define devm_kzalloc(dev, size, gfp)	      ww_linux_devm_kmalloc(dev, size, (gfp) | __GFP_ZERO)
#define devm_kcalloc(dev, n, size, gfp)	      devm_kzalloc(dev, size_mul(n, size), gfp)
#define devm_kmalloc_array(dev, n, size, gfp) ww_linux_devm_kmalloc(dev, size_mul(n, size), gfp)
#define devm_kfree			      ww_linux_devm_kfree
#define devm_add_action			      ww_linux_devm_add_action
#define devm_add_action_or_reset(dev, action, data)                                                \
	({                                                                                         \
		int ww_err_ = ww_linux_devm_add_action(dev, action, data);                         \
		if (ww_err_)                                                                       \
			(action)(data);                                                            \
		ww_err_;                                                                           \
	})

#include <linux/dev_printk.h>

#endif
