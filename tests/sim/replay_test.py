#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The simulator repeats: the same seed and number of a run give the same trace, step by step."""
import os
import re
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import case, check, main, run as run_for  # noqa: E402  pylint: disable=wrong-import-position

SIM = sys.argv.pop(1)
PROGRAMS = ('a_push_loses_no_event_and_is_not_early', 'a_stop_is_never_lost', 'cancel_sync_is_certain_against_a_batch',
            'frozen_threads_stand_still_and_keep_their_wake_up', 'a_grace_period_waits_for_every_reader')
FEW = 20  # schedules before those at random


def trace(program, run, seed, **env):
    """What that run does. Where the system put things is no part of it: addresses become numbers in turn."""
    p = run_for([SIM, program], env={**os.environ, 'WW_TEST_SEED': str(seed), 'WW_SIM_REPLAY': str(run),
                                     'WW_SIM_SCHEDULES': str(FEW), 'WW_SIM_WEAK': '0', **env})
    seen = {}
    steps = [line for line in (p.stdout + p.stderr).splitlines() if line.startswith('[')]
    check(len(steps) > 20, f'{program}: no trace of run {run}\n{p.stdout}{p.stderr}')
    return [re.sub(r'\b[0-9a-f]{8,16}\b', lambda m: f'@{seen.setdefault(m.group(), len(seen))}', s) for s in steps]


def same(what, one, two):
    for i, (a, b) in enumerate(zip(one, two)):
        check(a == b, f'{what}: step {i} is\n{a}\nand then\n{b}')
    check(len(one) == len(two), f'{what}: {len(one)} steps, and then {len(two)}')


@case
def a_run_of_the_systematic_search_is_repeated_exactly():
    for program in PROGRAMS:
        same(program, trace(program, FEW - 3, 1), trace(program, FEW - 3, 1))


@case
def a_run_at_random_is_repeated_exactly_by_its_seed():
    for program in PROGRAMS:
        for seed in (3, 941):
            same(f'{program}, seed {seed}', trace(program, FEW + 40, seed), trace(program, FEW + 40, seed))


@case
def a_run_on_the_weaker_machine_is_repeated_exactly():
    for program in PROGRAMS:
        same(program, trace(program, FEW + 15, 5, WW_SIM_WEAK='1'), trace(program, FEW + 15, 5, WW_SIM_WEAK='1'))


@case
def another_seed_is_another_run():
    differ = sum(trace(p, FEW + 40, 3) != trace(p, FEW + 40, 4) for p in PROGRAMS)
    check(differ >= len(PROGRAMS) - 1, f'only {differ} of {len(PROGRAMS)} differ')


if __name__ == '__main__':
    sys.exit(main())
