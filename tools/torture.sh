#!/bin/sh
# SPDX-License-Identifier: MIT
# Random load for so many seconds: torture.sh SECONDS BUILD...
# The time is shared by the builds. In each, half of it is the mixed torture, everything at once; in
# the other half the torture of each room and the random runs of the oracle and the simulator take
# turns, each time with another seed. A failure prints the command that repeats it, and ends the run.
set -u
seconds=$1; shift
share=$((seconds / $#))
seed=$(($(date +%s) * 1000))
runs=0

run() { # PROGRAM [NAME=VALUE]...
	program=$1; shift
	seed=$((seed + 1))
	runs=$((runs + 1))
	if ! env WW_TEST_SEED=$seed WW_TEST_TIME=20 "$@" "$program" >"$build/torture.log" 2>&1; then
		# The case's own line to repeat it says the same.
		grep -v '^ok\|^# to repeat it' "$build/torture.log" | tail -50
		echo "torture: to repeat it: WW_TEST_SEED=$seed WW_TEST_TIME=20 $* $program"
		exit 1
	fi
	grep '^# seed' "$build/torture.log"
}

first=$1
for build; do
	end=$(($(date +%s) + share))
	echo "torture: $build, $share s"
	# In pieces of at most two minutes, so that many seeds have their turn.
	left=$((share / 2))
	while [ "$left" -gt 0 ]; do
		piece=$((left < 120 ? left : 120))
		run "$build/tests/torture/torture_test" WW_TORTURE_MIXED_S=$piece
		left=$((left - piece))
	done
	while [ "$(date +%s)" -lt "$end" ]; do
		for test in "$build"/tests/*_torture_test "$build"/tests/timer_oracle_test; do
			[ "$(date +%s)" -lt "$end" ] && run "$test" WW_TORTURE_S=1 WW_TORTURE_SECONDS=1
		done
		# One build of the simulator is enough; its exhaustive part is in the tests.
		if [ "$build" = "$first" ] && [ "$(date +%s)" -lt "$end" ]; then
			run "$build/tests/sim/sim_test" WW_SIM_SCHEDULES=1
		fi
	done
done
echo "torture: $runs runs in $seconds s, nothing found"
