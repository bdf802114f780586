#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: musl.sh DIR [TEST]...: the library and its unit tests with musl, linked statically, and the
# tests run; all of them, or those named.
# What needs libbpf, libpcap or FUSE (upktgen) stays out: Debian has those for glibc only.
set -eu
cd "$(dirname "$0")/.."
dir=$1; shift
mkdir -p "$dir/obj" "$dir/include"
# The kernel's own headers, which musl does not bring, without the C library's beside them.
for h in linux asm-generic; do ln -sfn "/usr/include/$h" "$dir/include/$h"; done
ln -sfn "/usr/include/$(gcc -print-multiarch)/asm" "$dir/include/asm"
flags="-std=gnu17 -D_GNU_SOURCE -O2 -g -fno-strict-aliasing -Wall -Wextra -Werror -Iinclude -Isrc -Itests -isystem $dir/include"
[ $# -gt 0 ] || set -- base wheel timer timer_bugs timer_calls timer_oracle timer_process timer_torture thread thread_torture \
	wait worker work work_bugs work_misuse work_pool work_torture calls debug_check big
sources=$(find src/base src/timer src/thread src/work -name '*.c' ! -name 'sim*.c')

for c in $sources tests/tap.c $(for t; do echo "tests/${t}_test.c"; done); do
	echo "$c $dir/obj/$(echo "$c" | tr / _).o"
done | xargs -n 2 -P "$(nproc)" sh -c "musl-gcc $flags -c \"\$0\" -o \"\$1\""
objects=
for c in $sources; do objects="$objects $dir/obj/$(echo "$c" | tr / _).o"; done
failed=0
for t; do
	# shellcheck disable=SC2086
	musl-gcc -static -o "$dir/${t}_test" "$dir/obj/tests_${t}_test.c.o" "$dir/obj/tests_tap.c.o" $objects -pthread
	if "$dir/${t}_test" >"$dir/$t.log" 2>&1; then
		echo "musl $t: $(grep -c '^ok' "$dir/$t.log") passed"
	else
		failed=1
		echo "musl $t: FAILED"
		grep -v '^ok' "$dir/$t.log" | tail -30
	fi
done
exit $failed
