// SPDX-License-Identifier: MIT
#include "command/text.h"

#include <string.h>

struct pg_text pg_text(const char *buf, size_t len)
{
	return (struct pg_text){buf, buf + strnlen(buf, len)};
}

static bool ends_argument(char c)
{
	return c == '"' || c == '\n' || c == '\r' || c == '\t' || c == ' ';
}

char pg_text_peek(const struct pg_text *t)
{
	return t->at < t->end ? *t->at : 0;
}

char pg_text_next(struct pg_text *t)
{
	return t->at < t->end ? *t->at++ : 0;
}

void pg_text_skip(struct pg_text *t)
{
	while (t->at < t->end && (ends_argument(*t->at) || *t->at == '='))
		t->at++;
}

size_t pg_text_word(struct pg_text *t, char *word, size_t max, bool equals)
{
	size_t n = 0;

	while (n < max && t->at < t->end && !ends_argument(*t->at) && !(equals && *t->at == '='))
		word[n++] = *t->at++;
	word[n] = 0;
	return n;
}

unsigned pg_text_number(struct pg_text *t, unsigned digits, uint64_t *value)
{
	unsigned n = 0;

	*value = 0;
	for (; n < digits && t->at < t->end && *t->at >= '0' && *t->at <= '9'; n++)
		*value = *value * 10 + (uint64_t)(*t->at++ - '0');
	return n;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

unsigned pg_text_hex(struct pg_text *t, unsigned digits, uint32_t *value)
{
	unsigned n = 0;

	*value = 0;
	for (; n < digits && t->at < t->end && hex_digit(*t->at) >= 0; n++)
		*value = *value << 4 | (uint32_t)hex_digit(*t->at++);
	return n;
}
