/* SPDX-License-Identifier: MIT */
/* Commands to the control files: each line of the input is one write, "TARGET BYTES". */
#include "fuzz.h"

#include "command/words.h"
#include "fake_engine.h"

static void write_line(struct pg_words *words, const uint8_t *line, size_t len)
{
	static const char *const targets[] = {"pgctrl", "kpktgend_0", "kpktgend_1", "lo", "d1@2"};
	const uint8_t *space = memchr(line, ' ', len);
	struct pg_outcome out;
	char target[64] = "";
	size_t n = space ? (size_t)(space - line) : 0;
	char *text;

	if (!space || n >= sizeof(target))
		return;
	memcpy(target, line, n);
	/* Short names for what the fuzzer must otherwise spell. */
	if (n == 1 && *line >= '0' && *line < '0' + 5)
		snprintf(target, sizeof(target), "%s", targets[*line - '0']);
	len -= n + 1;
	/* Of exactly that size, so that a byte too much is seen. */
	char *bytes = malloc(len ? len : 1);
	memcpy(bytes, space + 1, len);
	int ret = pg_words_write(words, target, bytes, len, &out);
	if (ret > (int)len)
		abort();
	if (memchr(out.result, 0, sizeof(out.result)) == NULL)
		abort();
	free(bytes);
	text = pg_words_read(words, target, &len);
	if (text && strlen(text) != len)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pg_words_options o = {.strict = size && data[0] & 1};
	struct pg_words *words = pg_words_create(&fake, &o);
	struct pg_outcome out;

	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t n = end ? (size_t)(end - data) : size;

		write_line(words, data, n);
		n += end != NULL;
		data += n;
		size -= n;
	}
	pg_words_write(words, "pgctrl", "reset", 5, &out);
	pg_words_write(words, "kpktgend_0", "rem_device_all", 14, &out);
	pg_words_write(words, "kpktgend_1", "rem_device_all", 14, &out);
	pg_words_destroy(words);
	return 0;
}
