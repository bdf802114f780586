#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples: each on the virtual clock, the old pattern beside the new call, and in real time."""
import os
import re
import subprocess
import sys

from harness import BUILD, ROOT as TOP, case, main

# What must be said, and when (in ms of virtual time; a delay of d ms ends one tick after d).
EXPECTED = {
    'lease_renewal': ['1000 ms  after 50 operations 0 renewals were needed',
                      '1581 ms  nothing heard: renewal 1', '2182 ms  nothing heard: renewal 2',
                      'unmounted: 51 operations, 2 renewals', 'done after 53 updates'],
    'heartbeat_timeout': ['1000 ms  after a second of beats the node is alive',
                          '1288 ms  no write completed for 300 ms after beat 47', 'the node is dead'],
    'truncate_log_flush': ['quiet: 30 records', 'the log is full: 64 records', 'quiet: 36 records',
                           'unmounted after 3 flushes'],
    'wireless_scan': ['channels of step 4', 'event 1:', 'association 1 with 4 settings', 'event 2:'],
    'led_and_radio': ['lamp off after 30 packets', 'lamp off after 60 packets', 'still off',
                      'the switch is on again'],
    'battery_poll': ['900 ms  resumed', '951 ms  poll 3', '1552 ms  poll 4: 50 %'],
    'reapers': ['301 ms  server 1', '451 ms  volume location 1', '600 ms  server 6',
                '600 ms  volume location 6'],
    'callback_breaks': ['71 ms  call 1 gives 4', 'call 2 gives 10', 'call 4 gives 5'],
}


def run(name, *args):
    p = subprocess.run([f'{BUILD}/examples/{name}', *args], text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=60, check=False)
    assert p.returncode == 0, f'{name} {args}: status {p.returncode}\n{p.stdout}'
    return p.stdout


def compare(name):
    new = run(name, '--virtual')
    assert run(name, '--virtual', '--old') == new, f'{name}: old and new differ'
    assert run(name, '--virtual') == new, f'{name}: two runs differ'
    for text in EXPECTED[name]:
        assert text in new, f'{name} did not say "{text}":\n{new}'


def real(name):
    said = [line.split('ms  ', 1)[1] for line in run(name).splitlines()]
    assert said[-1].startswith('done after'), said


for example in EXPECTED:
    case(lambda name=example: compare(name), f'{example}_does_the_same_by_the_old_pattern_and_by_the_new_call')
    case(lambda name=example: real(name), f'{example}_runs_in_real_time')


@case
def wq_monitor_shows_what_each_queue_did():
    tables = run('wq_monitor').split(' total')[1:]
    assert len(tables) == 3, tables
    totals = []
    for table in tables:
        rows = {line.split()[0]: line.split()[1:] for line in table.splitlines()[1:4]}
        assert set(rows) == {'ticks', 'hog', 'blocks'}, table
        totals.append([int(rows[q][0]) for q in ('ticks', 'hog', 'blocks')])
    assert all(a <= b for a, b in zip(totals[0], totals[2])) and totals[0] != totals[2], totals
    assert int(rows['hog'][3]) >= 1, f'no CPU hog was seen:\n{table}'
    assert int(rows['blocks'][4].split('/')[0]) >= 1, f'no blocked worker was seen:\n{table}'


@case
def the_table_names_sixteen_users_and_programs_that_exist():
    with open(f'{TOP}/examples/README.md', encoding='utf-8') as f:
        rows = re.findall(r'^\| (\w+) \| .* \| (\w+)\.c \|$', f.read(), re.M)
    assert len({user for user, _ in rows}) == 16, rows
    assert {program for _, program in rows} == set(EXPECTED), rows
    for user, program in rows:
        with open(f'{TOP}/examples/{program}.c', encoding='utf-8') as f:
            assert user in f.read(), f'{program}.c does not name {user}'


if __name__ == '__main__':
    sys.exit(main())
