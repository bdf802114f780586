#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The simulator repeats: the same seed and number of a run give the same trace, step by step."""
import os
import re
import subprocess
import sys
import time
import traceback

SIM = sys.argv[1]
PROGRAMS = ('a_push_loses_no_event_and_is_not_early', 'a_stop_is_never_lost', 'cancel_sync_is_certain_against_a_batch',
            'frozen_threads_stand_still_and_keep_their_wake_up', 'a_grace_period_waits_for_every_reader')
FEW = 20  # schedules before those at random


def trace(program, run, seed, **env):
    """What that run does. Where the system put things is no part of it: addresses become numbers in turn."""
    p = subprocess.run([SIM, program], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                       timeout=300, env={**os.environ, 'WW_TEST_SEED': str(seed), 'WW_SIM_REPLAY': str(run),
                                         'WW_SIM_SCHEDULES': str(FEW), 'WW_SIM_WEAK': '0', **env})
    seen = {}
    steps = [line for line in p.stdout.splitlines() if line.startswith('[')]
    assert len(steps) > 20, f'{program}: no trace of run {run}\n{p.stdout}'
    return [re.sub(r'\b[0-9a-f]{8,16}\b', lambda m: f'@{seen.setdefault(m.group(), len(seen))}', s) for s in steps]


def same(what, one, two):
    for i, (a, b) in enumerate(zip(one, two)):
        assert a == b, f'{what}: step {i} is\n{a}\nand then\n{b}'
    assert len(one) == len(two), f'{what}: {len(one)} steps, and then {len(two)}'


def test_a_run_of_the_systematic_search_is_repeated_exactly():
    for program in PROGRAMS:
        same(program, trace(program, FEW - 3, 1), trace(program, FEW - 3, 1))


def test_a_run_at_random_is_repeated_exactly_by_its_seed():
    for program in PROGRAMS:
        for seed in (3, 941):
            same(f'{program}, seed {seed}', trace(program, FEW + 40, seed), trace(program, FEW + 40, seed))


def test_a_run_on_the_weaker_machine_is_repeated_exactly():
    for program in PROGRAMS:
        same(program, trace(program, FEW + 15, 5, WW_SIM_WEAK='1'), trace(program, FEW + 15, 5, WW_SIM_WEAK='1'))


def test_another_seed_is_another_run():
    differ = sum(trace(p, FEW + 40, 3) != trace(p, FEW + 40, 4) for p in PROGRAMS)
    assert differ >= len(PROGRAMS) - 1, f'only {differ} of {len(PROGRAMS)} differ'


def main():
    tests = [(n, f) for n, f in globals().items() if n.startswith('test_')]
    failed = 0
    print(f'1..{len(tests)}')
    for i, (name, f) in enumerate(tests, 1):
        begin = time.monotonic()
        try:
            f()
            print(f'ok {i} - {name[5:]} # time={time.monotonic() - begin:.2f}s', flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            for line in traceback.format_exc().splitlines()[-12:]:
                print('# ' + line)
            print(f'not ok {i} - {name[5:]}', flush=True)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
