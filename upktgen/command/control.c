// SPDX-License-Identifier: MIT
/* The commands of kpktgend_N and of pgctrl: three each. */
#include "command/command.h"

#include <errno.h>
#include <string.h>

#include "command/text.h"

#define THREAD_NAME_MAX 39
#define CONTROL_MAX	127

static int refuse(struct pg_outcome *out, int err, const char *fmt, const char *word)
{
	snprintf(out->why, sizeof(out->why), fmt, word);
	out->err = err;
	return err;
}

static void ok(struct pg_outcome *out, const char *fmt, const char *word)
{
	snprintf(out->result, sizeof(out->result), fmt, word);
	out->result_set = true;
}

static void expect_end(struct pg_outcome *out, struct pg_text *t)
{
	char word[32];

	pg_text_skip(t);
	if (pg_text_word(t, word, sizeof(word) - 1, false))
		snprintf(out->fault, sizeof(out->fault), "'%s' is left over and would be ignored",
			 word);
}

int pg_thread_command(const char *buf, size_t len, enum pg_thread_verb *verb,
		      char device[PG_DEV_NAME], struct pg_outcome *out)
{
	struct pg_text t = pg_text(buf, len);
	char word[THREAD_NAME_MAX + 1];

	memset(out, 0, sizeof(*out));
	pg_text_skip(&t);
	pg_text_word(&t, word, THREAD_NAME_MAX, true);
	pg_text_skip(&t);
	if (!strcmp(word, "add_device")) {
		*verb = PG_ADD_DEVICE;
		pg_text_word(&t, device, PG_DEV_NAME - 1, false);
		if (!device[0])
			snprintf(out->fault, sizeof(out->fault),
				 "no device; right is: add_device NAME, or NAME@N for one of "
				 "several threads");
		ok(out, "OK: add_device=%s", device);
	} else if (!strcmp(word, "rem_device_all")) {
		*verb = PG_REM_DEVICE_ALL;
		ok(out, "OK: %s", word);
	} else if (!strcmp(word, "max_before_softirq")) {
		*verb = PG_MAX_BEFORE_SOFTIRQ;
		ok(out, "OK: Note! %s is obsoleted -- Do not use", word);
		return 0;
	} else {
		return refuse(out, -EINVAL,
			      "no thread command '%s'; right is add_device NAME or rem_device_all",
			      word);
	}
	expect_end(out, &t);
	return 0;
}

int pg_control_command(const char *buf, size_t len, enum pg_control_verb *verb,
		       struct pg_outcome *out)
{
	static const char *const words[] = {"start", "stop", "reset"};
	char word[CONTROL_MAX + 1];
	size_t n = len < CONTROL_MAX ? len : CONTROL_MAX;

	memset(out, 0, sizeof(*out));
	if (n && (buf[n - 1] == '\n' || !buf[n - 1]))
		n--;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (n != strlen(words[i]) || memcmp(buf, words[i], n) != 0)
			continue;
		*verb = (enum pg_control_verb)i;
		return 0;
	}
	memcpy(word, buf, n);
	word[n] = 0;
	return refuse(out, -EINVAL, "no control command '%s'; right is start, stop or reset", word);
}
