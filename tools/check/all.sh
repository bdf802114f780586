#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/check/all.sh BUILD_DIR - every check; goes on after one that fails, and names it.
set -u
cd "$(dirname "$0")/../.." || exit
build=$1
failed=

step() { # NAME COMMAND...
	name=$1; shift
	printf '%-14s' "$name"
	if out=$("$@" 2>&1); then
		echo ok
	else
		echo FAILED
		printf '%s\n' "$out" | sed 's/^/    /' | tail -n 200
		failed="$failed $name"
	fi
}

sources() { git ls-files "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }

format() { sources '*.c' '*.h' '*.cpp' | xargs -r clang-format-14 --dry-run -Werror; }
tidy() { python3 tools/check/tidy_all.py "$build"; }
# gcc's own look along the paths of the library; whatever it says is a finding.
analyzer() {
	sources 'src/*.c' | grep -v '/sim[._]\|/sim_' | xargs -r -P "$(nproc)" -n 1 gcc -std=gnu17 -D_GNU_SOURCE -O1 \
		-fanalyzer -Werror -Iinclude -Isrc -o /dev/null -c
}
cpp_check() {
	sources 'src/*.c' 'upktgen/*.c' 'compat/*.c' | grep -v -e '\.bpf\.c$' -e '^compat/tests/' | xargs -r cppcheck --quiet --std=c11 --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr --suppressions-list=tools/check/cppcheck.txt \
		-D_GNU_SOURCE '-DLIBBPF_OPTS(type,name,...)=struct type name' -D__x86_64__ -D__GNUC__=12 -Iinclude -Isrc -Iupktgen -j "$(nproc)"
}
shell() { { git grep -lE '^#!/bin/(ba)?sh' -- . || true; } | xargs -r shellcheck -x -S warning; }

step format format
step shellcheck shell
for rule in tools/check/[a-z]*.py; do
	case $rule in */tree.py | */tidy_all.py) continue ;; esac
	step "$(basename "$rule" .py)" python3 "$rule"
done
step cppcheck cpp_check
step gcc-analyzer analyzer
step clang-tidy tidy
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
