/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tokeniser: a view of bytes that is never read beyond its end and needs no
 * terminator. A NUL ends it early, since writers come with and without one.
 */
#ifndef UPKTGEN_COMMAND_TEXT_H
#define UPKTGEN_COMMAND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_text {
	const char *at, *end;
};

struct pg_text pg_text(const char *buf, size_t len);

/* Skip blanks, line ends, quotes and '='. */
void pg_text_skip(struct pg_text *t);

/*
 * Copy the next word, at most max bytes and a NUL, to word; what is longer stays in the text. A
 * command's own name also ends at '=' (equals true), an argument does not. Returns its length.
 */
size_t pg_text_word(struct pg_text *t, char *word, size_t max, bool equals);

/* Up to digits digits; no digit at all is 0. Returns how many there were. */
unsigned pg_text_number(struct pg_text *t, unsigned digits, uint64_t *value);
unsigned pg_text_hex(struct pg_text *t, unsigned digits, uint32_t *value);

/* The next byte, 0 at the end; pg_text_next() also takes it. */
char pg_text_peek(const struct pg_text *t);
char pg_text_next(struct pg_text *t);

#endif
