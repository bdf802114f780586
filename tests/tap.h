/* SPDX-License-Identifier: MIT */
/*
 * Test cases. Each runs in a forked child of its own with a time limit, so that a deadlock is a
 * failure, and a crash or an expected abort is seen. Output is TAP.
 *
 *	TEST(timer_never_fires_early) { CHECK(late >= 0); CHECK_EQ(n, 1); }
 *	TEST_LIMIT(big_one, 60) { ... }			seconds instead of 10
 *	TEST_DIES(double_free_aborts, SIGABRT) { ... }	passes only if that signal ends it
 *
 * A case announces itself: there is no list to keep. "prog -l" lists, "prog NAME..." runs some,
 * "prog -n NAME" runs one without fork, for a debugger. WW_TEST_TIME multiplies the limits.
 */
#ifndef WW_TESTS_TAP_H
#define WW_TESTS_TAP_H

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define TAP_TSAN 1
#elif defined(__SANITIZE_ADDRESS__)
#define TAP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAP_TSAN 1
#elif __has_feature(address_sanitizer)
#define TAP_ASAN 1
#endif
#endif
#ifndef TAP_TSAN
#define TAP_TSAN 0
#endif
#ifndef TAP_ASAN
#define TAP_ASAN 0
#endif

struct tap_case {
	const char *name;
	void (*fn)(void);
	unsigned limit_s;
	int signal; /* that must end it, 0 for none */
	struct tap_case *next;
};

void tap_add(struct tap_case *c);
/* Ends the case as failed / skipped. */
_Noreturn void tap_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void tap_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * The first line of a case that can't run under a sanitizer: it is skipped there, saying why.
 *	SKIP_UNDER_TSAN("forks a process with threads");
 */
#define SKIP_UNDER_TSAN(why)                                                                       \
	do {                                                                                       \
		if (TAP_TSAN)                                                                      \
			tap_skip("under ThreadSanitizer: %s", why);                                \
	} while (0)
#define SKIP_UNDER_ASAN(why)                                                                       \
	do {                                                                                       \
		if (TAP_ASAN)                                                                      \
			tap_skip("under AddressSanitizer: %s", why);                               \
	} while (0)
/* A line of TAP comment. */
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The run's seed: WW_TEST_SEED, or one from the clock; printed when the case fails. */
uint64_t tap_seed(void);
/* A small generator of good quality (splitmix64). */
uint64_t tap_random(uint64_t *state);

#define TEST_FULL(name, limit, sig)                                                                \
	static void name(void);                                                                    \
	__attribute__((constructor)) static void name##_announce(void)                             \
	{                                                                                          \
		static struct tap_case c = {#name, name, limit, sig, NULL};                        \
		tap_add(&c);                                                                       \
	}                                                                                          \
	static void name(void)
#define TEST(name)	     TEST_FULL(name, 10, 0)
#define TEST_LIMIT(name, s)  TEST_FULL(name, s, 0)
#define TEST_DIES(name, sig) TEST_FULL(name, 10, sig)

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			tap_fail(__FILE__, __LINE__, "%s", #cond);                                 \
	} while (0)
#define CHECK_MSG(cond, ...)                                                                       \
	do {                                                                                       \
		if (!(cond))                                                                       \
			tap_fail(__FILE__, __LINE__, __VA_ARGS__);                                 \
	} while (0)
#define CHECK_EQ(a, b)                                                                             \
	do {                                                                                       \
		long long va_ = (long long)(a), vb_ = (long long)(b);                              \
		if (va_ != vb_)                                                                    \
			tap_fail(__FILE__, __LINE__, "%s is %lld, not %s = %lld", #a, va_, #b,     \
				 vb_);                                                             \
	} while (0)
#define CHECK_STR(a, b)                                                                            \
	do {                                                                                       \
		const char *sa_ = (a), *sb_ = (b);                                                 \
		if (strcmp(sa_, sb_) != 0)                                                         \
			tap_fail(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", #a, sa_, sb_);    \
	} while (0)

#endif
