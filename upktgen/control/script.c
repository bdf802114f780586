// SPDX-License-Identifier: MIT
#include "control/script.h"

#include <errno.h>
#include <net/if_arp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "command/text.h"
#include "packet/internal.h"
#include "transmit/link.h"

/* --- reading -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* "TARGET COMMAND" in place: *target and *command are NULL for an empty line. */
static void split(char *line, char **target, char **command)
{
	char *end;

	*target = *command = NULL;
	while (is_blank(*line))
		line++;
	for (char *c = line; *c; c++) /* a comment stands alone or after a blank */
		if (*c == '#' && (c == line || is_blank(c[-1])))
			*c = 0;
	end = line + strlen(line);
	while (end > line && is_blank(end[-1]))
		*--end = 0;
	if (!*line)
		return;
	*target = line;
	while (*line && !is_blank(*line))
		line++;
	if (*line)
		*line++ = 0;
	while (is_blank(*line))
		line++;
	*command = line;
	if (strrchr(*target, '/')) /* /proc/net/pktgen/eth0 is eth0 */
		*target = strrchr(*target, '/') + 1;
}

static int append(struct pg_script *s, unsigned number, const char *target, const char *command)
{
	size_t a = strlen(target) + 1, b = strlen(command) + 1;
	struct pg_line *l;

	if (!(s->nr_lines & (s->nr_lines + 1))) { /* grow at 0, 1, 3, 7 ... */
		size_t room = 2 * (s->nr_lines + 1);
		struct pg_line *more = ww_alloc(room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		if (s->nr_lines)
			memcpy(more, s->lines, s->nr_lines * sizeof(*more));
		ww_free(s->lines);
		s->lines = more;
	}
	l = &s->lines[s->nr_lines];
	l->number = number;
	l->target = ww_alloc(a + b);
	if (!l->target)
		return -ENOMEM;
	l->command = l->target + a;
	memcpy(l->target, target, a);
	memcpy(l->command, command, b);
	s->nr_lines++;
	return 0;
}

static void read_fault(struct pg_script *s, unsigned number, pg_fault_fn told, void *arg,
		       const char *why)
{
	s->nr_faults++;
	told(s->name, number, why, arg);
}

int pg_script_read(struct pg_script *s, const char *name, FILE *from, pg_fault_fn told, void *arg)
{
	char *line = NULL, *target, *command;
	unsigned number = 0;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	memset(s, 0, sizeof(*s));
	s->name = ww_alloc(strlen(name) + 1);
	if (!s->name)
		return -ENOMEM;
	memcpy(s->name, name, strlen(name) + 1);
	errno = 0;
	while (!err && (len = getline(&line, &room, from)) >= 0) {
		number++;
		if (len > PG_LINE_MAX || memchr(line, 0, (size_t)len)) {
			read_fault(s, number, told, arg,
				   len > PG_LINE_MAX ? "the line is longer than 4096 bytes"
						     : "a zero byte: this is no text file");
			continue;
		}
		split(line, &target, &command);
		if (!target)
			continue;
		if (!*target || !*command) {
			read_fault(
				s, number, told, arg,
				"one word alone; right is: TARGET COMMAND [ARGUMENT], with TARGET "
				"pgctrl, kpktgend_N or a device");
			continue;
		}
		err = append(s, number, target, command);
		errno = 0;
	}
	if (!err && ferror(from))
		err = errno ? -errno : -EIO;
	free(line);
	return err;
}

void pg_script_free(struct pg_script *s)
{
	for (size_t i = 0; i < s->nr_lines; i++)
		ww_free(s->lines[i].target);
	ww_free(s->lines);
	ww_free(s->name);
	memset(s, 0, sizeof(*s));
}

/* --- checking: the words are carried out on configurations alone ------------------------------- */

struct device {
	struct device *next; /* newest first */
	int cpu;
	struct pg_device_facts facts;
	struct pg_config config;
};

struct check {
	const struct pg_script *script;
	const struct pg_check_options *options;
	pg_fault_fn told;
	void *arg;
	size_t faults;
	const struct pg_line *line;
	struct device *devices;
};

static __attribute__((format(printf, 2, 3))) void fault(struct check *c, const char *fmt, ...)
{
	char why[PG_WHY_TEXT + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	c->faults++;
	c->told(c->script->name, c->line->number, why, c->arg);
}

static struct device *find(struct check *c, const char *name)
{
	for (struct device *d = c->devices; d; d = d->next)
		if (!strcmp(d->facts.name, name))
			return d;
	return NULL;
}

/* cpu < 0: all. */
static void remove_devices(struct check *c, int cpu)
{
	struct device **at = &c->devices;

	while (*at) {
		struct device *d = *at;

		if (cpu >= 0 && d->cpu != cpu) {
			at = &d->next;
			continue;
		}
		*at = d->next;
		ww_free(d);
	}
}

/* As add_device will find it on this machine. */
static void look_at_device(struct check *c, struct device *d)
{
	struct pg_link link;
	int err;

	d->facts.tx_sharing = true;
	if (c->options->elsewhere || c->options->any_device)
		return;
	err = pg_link_read(d->facts.ifname, &link);
	if (err == -ENODEV) {
		fault(c, "no network device %s here; \"ip link\" lists what there is",
		      d->facts.ifname);
		return;
	}
	if (err)
		return; /* not to be known: the run will tell */
	if (link.type != ARPHRD_ETHER && link.type != ARPHRD_LOOPBACK)
		fault(c, "%s is no Ethernet or loopback device", d->facts.ifname);
	else if (!link.up)
		fault(c, "%s is down; right is first: ip link set %s up", d->facts.ifname,
		      d->facts.ifname);
	d->facts.tx_sharing = pg_link_tx_sharing(&link);
	d->facts.mtu = link.mtu;
	d->facts.nr_queues = link.nr_queues;
}

static void add_device(struct check *c, int cpu, const char *name)
{
	size_t dev_len = strcspn(name, "@");
	struct device *d;

	if (find(c, name)) {
		fault(c, "%s is on a thread already; NAME@N puts one device on several", name);
		return;
	}
	if (dev_len >= sizeof(d->facts.ifname) || !dev_len) {
		fault(c, "'%.*s' can't be a device's name: 1 to 15 characters", (int)dev_len, name);
		return;
	}
	d = ww_alloc(sizeof(*d));
	if (!d) {
		fault(c, "no memory");
		return;
	}
	d->cpu = cpu;
	snprintf(d->facts.name, sizeof(d->facts.name), "%s", name);
	memcpy(d->facts.ifname, name, dev_len);
	pg_config_init(&d->config);
	look_at_device(c, d);
	d->next = c->devices;
	c->devices = d;
}

/* A fault of the words themselves, kernel's or only ours; true if the command stands. */
static bool words_stand(struct check *c, const struct pg_outcome *o)
{
	if (o->err || (o->why[0] && !c->options->strict)) {
		fault(c, "%s", o->why);
		return false;
	}
	if (o->fault[0] && !c->options->strict) {
		fault(c, "%s", o->fault);
		return false;
	}
	return true;
}

static bool has_thread(int cpu)
{
	for (int i = 0; i < ww_cpu_slots(); i++)
		if (ww_cpu_of_slot(i) == cpu)
			return true;
	return false;
}

static void check_thread(struct check *c, int cpu)
{
	enum pg_thread_verb verb;
	char name[PG_DEV_NAME];
	struct pg_outcome o;

	if (!c->options->elsewhere && !has_thread(cpu)) {
		fault(c, "no thread %s: this process may not use CPU %d", c->line->target, cpu);
		return;
	}
	pg_thread_command(c->line->command, strlen(c->line->command), &verb, name, &o);
	if (!words_stand(c, &o))
		return;
	if (verb == PG_ADD_DEVICE)
		add_device(c, cpu, name);
	if (verb == PG_REM_DEVICE_ALL)
		remove_devices(c, cpu);
}

/* Ends that a start would silently take for no range. */
static void check_ranges(struct check *c, const struct device *d)
{
	const struct pg_config *g = &d->config;
	const char *name = d->facts.name;

	if (g->max_pkt_size && g->max_pkt_size < g->min_pkt_size)
		fault(c, "%s: max_pkt_size %u is below min_pkt_size %u", name, g->max_pkt_size,
		      g->min_pkt_size);
	if (g->flags & PG_IPV6)
		return;
	if (g->dst_max[0] && pg_in_aton(g->dst_max) < pg_in_aton(g->dst_min))
		fault(c, "%s: dst_max %s is below dst_min %s", name, g->dst_max, g->dst_min);
	if (g->src_max[0] && !g->src_min[0])
		fault(c, "%s: src_max has no effect without src_min", name);
	else if (g->src_max[0] && pg_in_aton(g->src_max) < pg_in_aton(g->src_min))
		fault(c, "%s: src_max %s is below src_min %s", name, g->src_max, g->src_min);
}

/* What a start would find. A longer frame than the device takes is only the kernel's silent loss. */
static void check_run(struct check *c, const struct device *d)
{
	unsigned nr_queues = d->facts.nr_queues ? d->facts.nr_queues : 1;
	struct pg_config config = d->config;
	char why[PG_WHY];
	uint32_t shortest;
	struct pg_packet *p = pg_packet_start(&config, 0, d->cpu, nr_queues, why);

	check_ranges(c, d);
	if (!p)
		fault(c, "%s can't start: %s", d->facts.name, why);
	pg_packet_end(p);
	pg_config_settle(&config, nr_queues);
	shortest = pg_config_shortest(&config);
	if (d->facts.mtu && shortest > d->facts.mtu + PG_ETH_LEN + 4)
		fault(c,
		      "frames of %u bytes do not fit %s: give it an MTU of %u, or a smaller "
		      "pkt_size",
		      shortest, d->facts.ifname, shortest - PG_ETH_LEN - 4);
}

static void check_control(struct check *c)
{
	enum pg_control_verb verb;
	struct pg_outcome o;

	pg_control_command(c->line->command, strlen(c->line->command), &verb, &o);
	if (!words_stand(c, &o))
		return;
	if (verb == PG_CTRL_RESET)
		remove_devices(c, -1);
	if (verb == PG_CTRL_START && !c->devices && !c->options->strict)
		fault(c,
		      "start, but no device was added: write \"add_device NAME\" to a kpktgend_N "
		      "first");
	if (verb == PG_CTRL_START && !c->options->strict)
		for (struct device *d = c->devices; d; d = d->next)
			check_run(c, d);
}

static void check_device(struct check *c)
{
	struct device *d = find(c, c->line->target);
	struct pg_outcome o;

	if (!d) {
		fault(c, "no device %s was added; right is first: kpktgend_0 add_device %s",
		      c->line->target, c->line->target);
		return;
	}
	pg_device_command(&d->facts, c->options->strict, &d->config, c->line->command,
			  strlen(c->line->command), &o);
	words_stand(c, &o);
}

size_t pg_script_check(const struct pg_script *s, const struct pg_check_options *options,
		       pg_fault_fn told, void *arg)
{
	struct check c = {.script = s, .options = options, .told = told, .arg = arg};

	for (size_t i = 0; i < s->nr_lines; i++) {
		c.line = &s->lines[i];
		if (!strcmp(c.line->target, "pgctrl"))
			check_control(&c);
		else if (pg_target_cpu(c.line->target) >= 0)
			check_thread(&c, pg_target_cpu(c.line->target));
		else
			check_device(&c);
	}
	remove_devices(&c, -1);
	return c.faults;
}
