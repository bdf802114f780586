// SPDX-License-Identifier: MIT
#include "control/report.h"

#include <string.h>

struct text {
	struct upk_session *session;
	FILE *to;
	int failed;
};

static void device_text(const char *target, void *arg)
{
	struct text *t = arg;
	struct pg_device_facts facts;
	struct pg_config config;
	struct pg_status status;
	char result[PG_RESULT];

	if (!strcmp(target, "pgctrl") || pg_target_cpu(target) >= 0 ||
	    !pg_words_device(t->session->words, target, &facts, &config, &status) ||
	    !(status.ever_ran || status.error[0]))
		return;
	pg_show_result(&config, &status, result);
	t->failed += !!strncmp(result, "OK:", 3);
	fprintf(t->to, "%s\nResult: %s\n", facts.name, result);
}

int upk_report_text(struct upk_session *s, FILE *to)
{
	struct text t = {s, to, 0};

	pg_words_each(s->words, device_text, &t);
	fflush(to);
	return t.failed;
}
