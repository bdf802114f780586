/* SPDX-License-Identifier: MIT */
#ifndef WW_LINUX_ATOMICTYPES_H
#define WW_LINUX_ATOMICTYPES_H

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long long counter __attribute__((aligned(8)));
} atomic64_t;

typedef struct {
	long counter;
} atomic_long_t;

#endif
