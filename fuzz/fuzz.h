/* SPDX-License-Identifier: MIT */
/*
 * Each fuzz_NAME.c is a libFuzzer target; "./dev fuzz NAME MINUTES" runs it. What it found worth
 * keeping lies in corpus/NAME, which the ordinary build replays as a test (replay.c).
 */
#ifndef WW_FUZZ_FUZZ_H
#define WW_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
