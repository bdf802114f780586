/* SPDX-License-Identifier: MIT */
/* The log: whole lines, each with its level and the library's time. */
#include "support.h"

#include <pthread.h>

#include <wheelwork/clock.h>
#include <linux/device.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#undef snprintf

struct ww_linux_settings ww_linux_settings = {.loglevel = 8, .timestamps = true};

/* (L) the log's lock. A pthread mutex: it must work in any thread, also before the library. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static bool mid_line;	/* (L) the last text had no newline */
static bool mid_hidden; /* (L) and was not to be printed */

void ww_linux_settings_init(void)
{
	const char *s;

	if ((s = getenv("WW_LINUX_LOGLEVEL")))
		ww_linux_settings.loglevel = atoi(s);
	if ((s = getenv("WW_LINUX_SEED"))) {
		ww_linux_settings.seed = strtoull(s, NULL, 0);
		ww_linux_settings.seeded = true;
	}
	if ((s = getenv("WW_LINUX_FAIL_ALLOC")))
		ww_linux_settings.fail_alloc = atol(s);
	if ((s = getenv("WW_LINUX_LOG"))) {
		ww_linux_settings.log = fopen(s, "we");
		if (!ww_linux_settings.log) {
			fprintf(stderr, "WW_LINUX_LOG=%s: %s\n", s, strerror(errno));
			exit(2);
		}
	}
}

__attribute__((constructor(101))) static void read_environment(void)
{
	ww_linux_settings_init();
}

static void line_start(FILE *f, int level)
{
	uint64_t ns = ww_ktime_get_ns();

	if (ww_linux_settings.timestamps)
		fprintf(f, "<%d>[%5llu.%06llu] ", level, (unsigned long long)(ns / 1000000000u),
			(unsigned long long)(ns % 1000000000u / 1000));
	else
		fprintf(f, "<%d> ", level);
}

void ww_linux_log(int level, const char *text)
{
	FILE *f = ww_linux_settings.log ? ww_linux_settings.log : stdout;

	pthread_mutex_lock(&log_lock);
	if (mid_line && level >= 0) { /* a new line begins although the last one has no end */
		if (!mid_hidden)
			fputc('\n', f);
		mid_line = false;
	}
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (!mid_line) {
			mid_hidden = (level < 0 ? 4 : level) >= ww_linux_settings.loglevel;
			if (!mid_hidden)
				line_start(f, level < 0 ? 4 : level);
		}
		if (!mid_hidden) {
			fwrite(text, 1, n, f);
			if (text[n])
				fputc('\n', f);
		}
		mid_line = !text[n];
		text += n + (text[n] == '\n');
	}
	fflush(f);
	pthread_mutex_unlock(&log_lock);
}

/* KERN_* at the front of a text: the level, -1 for a continuation, 4 without. */
static int take_level(const char **text)
{
	int level = 4;

	while ((*text)[0] == KERN_SOH_ASCII && (*text)[1]) {
		char c = (*text)[1];

		level = c == 'c' ? -1 : c >= '0' && c <= '7' ? c - '0' : level;
		*text += 2;
	}
	return level;
}

WW_LINUX_EXPORT int ww_linux_vprintk(const char *fmt, va_list args)
{
	char small[1024];
	const char *text = small;
	int n = ww_linux_format(small, sizeof(small), fmt, args), level;

	level = take_level(&text);
	ww_linux_log(level, text);
	return n;
}

WW_LINUX_EXPORT int ww_linux_printk(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = ww_linux_vprintk(fmt, ap);
	va_end(ap);
	return n;
}

WW_LINUX_EXPORT int ww_linux_set_loglevel(int level)
{
	int old = ww_linux_settings.loglevel;

	ww_linux_settings.loglevel = level;
	return old;
}

WW_LINUX_EXPORT void ww_linux_dev_printk(const char *level, const struct device *dev,
					 const char *fmt, ...)
{
	struct va_format vf = {.fmt = fmt};
	va_list ap;

	va_start(ap, fmt);
	vf.va = &ap;
	if (dev && dev->driver && dev->driver->name)
		ww_linux_printk("%s%s %s: %pV", level, dev->driver->name, dev_name(dev), &vf);
	else
		ww_linux_printk("%s%s: %pV", level, dev ? dev_name(dev) : "(NULL device *)", &vf);
	va_end(ap);
}

WW_LINUX_EXPORT int ww_linux_dev_err_probe(const struct device *dev, int err, const char *fmt, ...)
{
	struct va_format vf = {.fmt = fmt};
	va_list ap;

	va_start(ap, fmt);
	vf.va = &ap;
	if (err != -EPROBE_DEFER)
		ww_linux_dev_printk(KERN_ERR, dev, "error %pe: %pV", (void *)(long)err, &vf);
	va_end(ap);
	return err;
}

/* Groups of 2, 4 and 8 bytes are numbers of this machine; a row that does not divide into them is bytes. */
static size_t hex_groups(char *to, const unsigned char *p, size_t len, size_t group)
{
	size_t w = 0;

	for (size_t at = 0; at < len; at += group) {
		unsigned long long v = 0;

		memcpy(&v, p + at, group);
		if (at)
			to[w++] = ' ';
		w += (size_t)sprintf(to + w, "%0*llx", (int)group * 2, v);
	}
	return w;
}

WW_LINUX_EXPORT int ww_linux_hex_line(const void *buf, size_t len, int rowsize, int groupsize,
				      char *line, size_t size, bool ascii)
{
	const unsigned char *p = buf;
	size_t row = rowsize == 32 ? 32 : 16, group = (size_t)groupsize, column, w = 0;
	char full[32 * 3 + 2 + 32 + 1];

	if (len > row)
		len = row;
	if ((group != 2 && group != 4 && group != 8) || len % group)
		group = 1;
	if (len)
		w = hex_groups(full, p, len, group);
	column = row * 2 + row / group + 1;
	if (ascii && len) {
		while (w < column)
			full[w++] = ' ';
		for (size_t i = 0; i < len; i++)
			full[w++] = p[i] >= ' ' && p[i] < 127 ? (char)p[i] : '.';
	}
	if (size) {
		size_t n = w < size ? w : size - 1;

		memcpy(line, full, n);
		line[n] = 0;
	}
	return (int)w;
}

WW_LINUX_EXPORT void ww_linux_hex_dump(const char *level, const char *prefix, int prefix_type,
				       int rowsize, int groupsize, const void *buf, size_t len,
				       bool ascii)
{
	const unsigned char *p = buf;
	size_t row = rowsize == 32 ? 32 : 16;

	for (size_t at = 0; at < len; at += row) {
		char line[32 * 3 + 2 + 32 + 1];

		ww_linux_hex_line(p + at, len - at, (int)row, groupsize, line, sizeof(line), ascii);
		if (prefix_type == DUMP_PREFIX_ADDRESS)
			ww_linux_printk("%s%s%px: %s\n", level, prefix, p + at, line);
		else if (prefix_type == DUMP_PREFIX_OFFSET)
			ww_linux_printk("%s%s%08zx: %s\n", level, prefix, at, line);
		else
			ww_linux_printk("%s%s%s\n", level, prefix, line);
	}
}

/* state[0]: when the interval began; state[1]: lines in it. */
WW_LINUX_EXPORT bool ww_linux_ratelimit(uint64_t *state)
{
	uint64_t now = ww_ktime_get_ns();
	bool ok;

	pthread_mutex_lock(&log_lock);
	if (!state[0] || now - state[0] > 5000000000u) {
		state[0] = now ? now : 1;
		state[1] = 0;
	}
	ok = state[1]++ < 10;
	pthread_mutex_unlock(&log_lock);
	return ok;
}

WW_LINUX_EXPORT int ww_linux_ratelimit_state(struct ratelimit_state *rs, const char *who)
{
	int missed = 0, ok;
	unsigned long now = jiffies;

	if (!rs->interval)
		return 1;
	spin_lock(&rs->lock);
	if (!rs->begin || time_after(now, rs->begin + (unsigned long)rs->interval)) {
		missed = rs->missed;
		rs->begin = now ? now : 1;
		rs->printed = rs->missed = 0;
	}
	ok = rs->printed < rs->burst;
	if (ok)
		rs->printed++;
	else
		rs->missed++;
	spin_unlock(&rs->lock);
	if (missed)
		ww_linux_printk(KERN_WARNING "%s: %d callbacks suppressed\n", who, missed);
	return ok;
}
