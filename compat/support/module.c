/* SPDX-License-Identifier: MIT */
/* What modules register before main(): initcalls, parameters, and what they say of themselves. */
#include "support.h"

#include <ctype.h>
#include <pthread.h>

#include "modules.h"

static struct ww_linux_initcall *calls, **calls_tail = &calls;
static struct kernel_param *params, **params_tail = &params;
static struct ww_linux_modinfo *infos, **infos_tail = &infos;
static struct module *modules;
static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;

WW_LINUX_EXPORT void ww_linux_add_initcall(struct ww_linux_initcall *call)
{
	*calls_tail = call;
	calls_tail = &call->next;
}

WW_LINUX_EXPORT void ww_linux_add_param(struct kernel_param *param)
{
	*params_tail = param;
	params_tail = &param->ww_next;
}

WW_LINUX_EXPORT void ww_linux_add_modinfo(struct ww_linux_modinfo *info)
{
	*infos_tail = info;
	infos_tail = &info->next;
}

struct ww_linux_initcall *ww_linux_initcalls(void)
{
	return calls;
}

struct kernel_param *ww_linux_params(void)
{
	return params;
}

struct ww_linux_modinfo *ww_linux_modinfos(void)
{
	return infos;
}

WW_LINUX_EXPORT struct module *ww_linux_module_named(const char *name)
{
	struct module *m;

	pthread_mutex_lock(&module_lock);
	for (m = modules; m && strcmp(m->name, name) != 0; m = m->ww_next)
		;
	if (!m && (m = calloc(1, sizeof(*m)))) {
		m->name = name;
		m->ww_next = modules;
		modules = m;
	}
	pthread_mutex_unlock(&module_lock);
	return m;
}

WW_LINUX_EXPORT bool ww_linux_try_module_get(struct module *m)
{
	if (m)
		ww_fetch_add_relaxed(&m->ww_refs, 1);
	return true;
}

WW_LINUX_EXPORT void ww_linux_module_put(struct module *m)
{
	if (m && ww_fetch_sub(&m->ww_refs, 1) <= 0)
		ww_linux_warn_at("module", 0, "module_put", "%s: more often than taken", m->name);
}

unsigned ww_linux_report_modules(FILE *out)
{
	unsigned n = 0;

	for (struct module *m = modules; m; m = m->ww_next)
		if (m->ww_refs) {
			fprintf(out, "module \"%s\" is still referenced (%d)\n", m->name,
				m->ww_refs);
			n++;
		}
	return n;
}

/* "-" and "_" are the same in a parameter's name. */
static bool same_name(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] && !(strchr("-_", a[i]) && strchr("-_", b[i]) && a[i] && b[i]))
			return false;
	return !b[n];
}

int ww_linux_set_param(const char *text)
{
	size_t n = strcspn(text, "=");
	const char *val = text[n] ? text + n + 1 : NULL;

	for (struct kernel_param *p = params; p; p = p->ww_next) {
		if (!same_name(text, p->name, n))
			continue;
		if (!val && !(p->ops->flags & KERNEL_PARAM_OPS_FL_NOARG))
			return -EINVAL;
		return p->ops->set ? p->ops->set(val, p) : -EPERM;
	}
	return -ENOENT;
}

#define NUMBER(pname, type, wide, widest, fmt)                                                     \
	WW_LINUX_EXPORT int ww_linux_param_set_##pname(const char *val,                            \
						       const struct kernel_param *kp)              \
	{                                                                                          \
		widest v;                                                                          \
		int err = val ? wide(val, 0, &v) : -EINVAL;                                        \
                                                                                                   \
		if (!err && (widest)(type)v != v)                                                  \
			err = -ERANGE;                                                             \
		if (!err)                                                                          \
			*(type *)kp->arg = (type)v;                                                \
		return err;                                                                        \
	}                                                                                          \
	WW_LINUX_EXPORT int ww_linux_param_get_##pname(char *buf, const struct kernel_param *kp)   \
	{                                                                                          \
		return ww_linux_scnprintf(buf, PAGE_SIZE, fmt "\n", *(type *)kp->arg);             \
	}                                                                                          \
	WW_LINUX_EXPORT const struct kernel_param_ops ww_linux_param_ops_##pname = {               \
		.set = ww_linux_param_set_##pname, .get = ww_linux_param_get_##pname};
NUMBER(byte, unsigned char, ww_linux_kstrtoull, unsigned long long, "%u")
NUMBER(short, short, ww_linux_kstrtoll, long long, "%d")
NUMBER(ushort, unsigned short, ww_linux_kstrtoull, unsigned long long, "%u")
NUMBER(int, int, ww_linux_kstrtoll, long long, "%d")
NUMBER(uint, unsigned int, ww_linux_kstrtoull, unsigned long long, "%u")
NUMBER(long, long, ww_linux_kstrtoll, long long, "%ld")
NUMBER(ulong, unsigned long, ww_linux_kstrtoull, unsigned long long, "%lu")
NUMBER(ullong, unsigned long long, ww_linux_kstrtoull, unsigned long long, "%llu")
NUMBER(hexint, unsigned int, ww_linux_kstrtoull, unsigned long long, "%#08x")

WW_LINUX_EXPORT int ww_linux_param_set_uint_minmax(const char *val, const struct kernel_param *kp,
						   unsigned min, unsigned max)
{
	unsigned long long v;
	int err = val ? ww_linux_kstrtoull(val, 0, &v) : -EINVAL;

	if (!err && (v < min || v > max))
		err = -EINVAL;
	if (!err)
		*(unsigned *)kp->arg = (unsigned)v;
	return err;
}

/* The text lives as long as the program: it came from its arguments. */
WW_LINUX_EXPORT int ww_linux_param_set_charp(const char *val, const struct kernel_param *kp)
{
	if (!val)
		return -EINVAL;
	*(const char **)kp->arg = val;
	return 0;
}

WW_LINUX_EXPORT int ww_linux_param_get_charp(char *buf, const struct kernel_param *kp)
{
	return ww_linux_scnprintf(buf, PAGE_SIZE, "%s\n", *(char **)kp->arg);
}

WW_LINUX_EXPORT const struct kernel_param_ops ww_linux_param_ops_charp = {
	.set = ww_linux_param_set_charp, .get = ww_linux_param_get_charp};

WW_LINUX_EXPORT int ww_linux_param_set__Bool(const char *val, const struct kernel_param *kp)
{
	return ww_linux_kstrtobool(val ? val : "1", kp->arg);
}

WW_LINUX_EXPORT int ww_linux_param_get__Bool(char *buf, const struct kernel_param *kp)
{
	return ww_linux_scnprintf(buf, PAGE_SIZE, "%c\n", *(bool *)kp->arg ? 'Y' : 'N');
}

WW_LINUX_EXPORT const struct kernel_param_ops ww_linux_param_ops__Bool = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = ww_linux_param_set__Bool,
	.get = ww_linux_param_get__Bool};

WW_LINUX_EXPORT int ww_linux_param_set_invbool(const char *val, const struct kernel_param *kp)
{
	bool v;
	int err = ww_linux_kstrtobool(val ? val : "1", &v);

	if (!err)
		*(bool *)kp->arg = !v;
	return err;
}

WW_LINUX_EXPORT int ww_linux_param_get_invbool(char *buf, const struct kernel_param *kp)
{
	return ww_linux_scnprintf(buf, PAGE_SIZE, "%c\n", *(bool *)kp->arg ? 'N' : 'Y');
}

WW_LINUX_EXPORT const struct kernel_param_ops ww_linux_param_ops_invbool = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = ww_linux_param_set_invbool,
	.get = ww_linux_param_get_invbool};

WW_LINUX_EXPORT int ww_linux_param_set_string(const char *val, const struct kernel_param *kp)
{
	size_t size = val ? strlen(val) + 1 : 0;

	if (!val || size > kp->str->maxlen)
		return -ENOSPC;
	memcpy(kp->str->string, val, size);
	return 0;
}

WW_LINUX_EXPORT int ww_linux_param_get_string(char *buf, const struct kernel_param *kp)
{
	return ww_linux_scnprintf(buf, PAGE_SIZE, "%s\n", kp->str->string);
}

WW_LINUX_EXPORT const struct kernel_param_ops ww_linux_param_ops_string = {
	.set = ww_linux_param_set_string, .get = ww_linux_param_get_string};

/* Nothing changes unless every element is right. */
static int set_array(const char *val, const struct kernel_param *kp)
{
	const struct kparam_array *arr = kp->arr;
	char *copy = val ? strdup(val) : NULL, *rest = copy, *item;
	size_t bytes = (size_t)arr->max * arr->elemsize;
	char *fresh = malloc(bytes);
	unsigned n = 0;
	int err = copy && fresh ? 0 : val ? -ENOMEM : -EINVAL;

	if (!err)
		memcpy(fresh, arr->elem, bytes);
	while (!err && (item = strsep(&rest, ","))) {
		struct kernel_param one = {.name = kp->name, .arg = fresh + n * arr->elemsize};

		/* a charp element keeps pointing into the copy, which therefore stays */
		err = n == arr->max ? -EINVAL : arr->ops->set(item, &one);
		n++;
	}
	if (!err) {
		memcpy(arr->elem, fresh, bytes);
		if (arr->num)
			*arr->num = n;
	}
	if (err || arr->ops != &ww_linux_param_ops_charp)
		free(copy);
	free(fresh);
	return err;
}

static int get_array(char *buf, const struct kernel_param *kp)
{
	const struct kparam_array *arr = kp->arr;
	unsigned n = arr->num ? *arr->num : arr->max;
	int len = 0;

	for (unsigned i = 0; i < n; i++) {
		struct kernel_param one = {.arg = (char *)arr->elem + i * arr->elemsize};

		if (i)
			buf[len - 1] = ',';
		len += arr->ops->get(buf + len, &one);
	}
	return len;
}

WW_LINUX_EXPORT const struct kernel_param_ops ww_linux_param_ops_array = {.set = set_array,
									  .get = get_array};
