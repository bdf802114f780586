/* SPDX-License-Identifier: MIT */
/* Whole scripts: read, and checked for a machine elsewhere. */
#include "fuzz.h"

#include "control/script.h"

static void tell(const char *name, unsigned line, const char *why, void *arg)
{
	(void)line;
	*(size_t *)arg += strlen(name) + strlen(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pg_script script;
	struct pg_check_options o = {.elsewhere = true, .strict = size && data[0] & 1};
	FILE *from = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	size_t told = 0;

	if (!from)
		return 0;
	if (pg_script_read(&script, "fuzz", from, tell, &told) == 0) {
		pg_script_check(&script, &o, tell, &told);
		pg_script_free(&script);
	}
	fclose(from);
	return 0;
}
