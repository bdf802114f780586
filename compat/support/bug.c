/* SPDX-License-Identifier: MIT */
/* WARN, BUG, panic, reference counts that go wrong. */
#include "support.h"

#include <execinfo.h>

#include <linux/printk.h>
#include <linux/panic.h>
#include <linux/refcount.h>

#include "base/report.h"

WW_LINUX_EXPORT uint32_t ww_linux_fence_word;

static unsigned warnings;

WW_LINUX_EXPORT void ww_linux_warn_at(const char *file, int line, const char *function,
				      const char *fmt, ...)
{
	char text[512], out[768];
	va_list ap;

	va_start(ap, fmt);
	ww_linux_format(text, sizeof(text), fmt, ap);
	va_end(ap);
	ww_fetch_add_relaxed(&warnings, 1u);
	text[strcspn(text, "\n")] = 0;
	snprintf(out, sizeof(out), "WARNING: %s:%d %s(): %s\n", file, line, function, text);
	ww_linux_log(4, out);
}

/* How many warnings there were: the runner's exit status asks. */
unsigned ww_linux_warnings(void);
WW_LINUX_EXPORT unsigned ww_linux_warnings(void)
{
	return ww_load_relaxed(&warnings);
}

WW_LINUX_EXPORT _Noreturn void ww_linux_bug_at(const char *file, int line, const char *function,
					       const char *what)
{
	char out[512];

	snprintf(out, sizeof(out), "kernel BUG at %s:%d %s(): %s\n", file, line, function, what);
	ww_linux_log(0, out);
	ww_linux_dump_stack();
	fflush(NULL);
	abort();
}

WW_LINUX_EXPORT _Noreturn void ww_linux_panic(const char *fmt, ...)
{
	char text[512], out[768];
	va_list ap;

	va_start(ap, fmt);
	ww_linux_format(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[strcspn(text, "\n")] = 0;
	snprintf(out, sizeof(out), "Kernel panic - not syncing: %s\n", text);
	ww_linux_log(0, out);
	ww_linux_dump_stack();
	fflush(NULL);
	abort();
}

WW_LINUX_EXPORT void ww_linux_dump_stack(void)
{
	void *frame[32];
	int n = backtrace(frame, 32);

	ww_linux_log(6, "Call trace:\n");
	for (int i = 1; i < n; i++) {
		char line[160];

		snprintf(line, sizeof(line), " %s\n", ww_symbol(frame[i]));
		ww_linux_log(6, line);
	}
}

WW_LINUX_EXPORT void ww_linux_refcount_warn(refcount_t *r, const char *what)
{
	static int once;

	atomic_set(&r->refs, REFCOUNT_SATURATED);
	if (!ww_xchg_relaxed(&once, 1)) {
		ww_linux_warn_at("refcount", 0, ww_symbol(__builtin_return_address(0)),
				 "refcount_t: %s", what);
	}
}
