#!/bin/sh
# SPDX-License-Identifier: MIT
# Random load for so many seconds: torture.sh SECONDS BUILD...
# Every torture test of each build and the simulator's random schedules, again and again, each time
# with another seed. A failure prints the command that repeats it, and ends the run.
set -u
seconds=$1; shift
end=$(($(date +%s) + seconds))
seed=$(($(date +%s) * 1000))
runs=0
while :; do
	for build; do
		for test in "$build"/tests/*_torture_test "$build"/tests/timer_oracle_test "$build"/tests/sim/sim_test; do
			[ -x "$test" ] || continue
			if [ "$runs" -gt 0 ] && [ "$(date +%s)" -ge "$end" ]; then
				echo "torture: $runs runs in $seconds s, nothing found"
				exit 0
			fi
			seed=$((seed + 1))
			settings="WW_TEST_SEED=$seed WW_TEST_TIME=20"
			case $test in
			*/sim_test) # one build of it is enough, and the exhaustive part is in the tests
				[ "$build" = "$1" ] || continue
				settings="$settings WW_SIM_SCHEDULES=1" ;;
			esac
			# shellcheck disable=SC2086
			if ! env $settings "$test" >"$build/torture.log" 2>&1; then
				grep -v '^ok' "$build/torture.log" | tail -50
				echo "torture: to repeat it: $settings $test"
				exit 1
			fi
			runs=$((runs + 1))
		done
	done
done
