#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The n-th call of one kind fails, in every subcommand: sockets, mappings, BPF, FUSE, threads, waits, barriers.

Each attempt ends by itself: it does its job all the same, or says on one line what failed. For how many n
WW_FAULTS says (default 4; 0: until the call is made no more), twice where all fail from the n-th on. tests/fail_nth.c says what the kinds are.
"""
import os
import subprocess
import sys
import tempfile

from harness import BUILD, UPKTGEN, Skip, case, main, namespace

PRELOAD = os.path.join(BUILD, 'tests', 'libfail_nth.so')
KINDS = ('socket', 'bind', 'setsockopt', 'mmap', 'bpf', 'thread', 'wake', 'membarrier', 'no-membarrier', 'no-wake')
MOST = int(os.environ.get('WW_FAULTS', '4')) or 1000
INSIDE = 'WW_FAULTS_INSIDE'
# What nothing can make up for ends the process, after this.
LAST_WORDS = {'no-membarrier': 'membarrier was granted to this process and is refused now',
              'no-wake': 'sleepers can\'t be woken'}


def why_not():
    """Why nothing can be tried here, or ''. The first time, this program goes on in a private network."""
    out = subprocess.run(['nm', '-D', UPKTGEN], capture_output=True, text=True, check=False).stdout
    if '__asan_init' in out or '__tsan_init' in out:
        return 'the preloaded library must come first, and so must the sanitizer'
    if os.environ.get(INSIDE):
        return ''
    try:
        way = namespace()
    except Skip as why:
        return str(why)
    os.environ[INSIDE] = '1'
    os.execvp(way[0], way + [sys.executable] + sys.argv)


WHY_NOT = why_not()
folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
TOLD = os.path.join(folder.name, 'told')
SCRIPT = os.path.join(folder.name, 'script')
SEND = [UPKTGEN, 'send', '-n', '20']
TO = ['--dst', '198.18.0.2', '--dst-mac', '02:00:00:00:00:02', 'pgtx']
SUBCOMMANDS = {
    'check': ([UPKTGEN, 'check', SCRIPT], ()),
    'probe': ([UPKTGEN, 'probe', 'pgtx'], ()),
    'run': ([UPKTGEN, 'run', SCRIPT], ('futex', 'futexes')),
    'send by packet': (SEND + ['-b', 'packet'] + TO, ()),
    'send by xdp': (SEND + ['-b', 'xdp'] + TO, ()),
    'send by live': (SEND + ['-b', 'live'] + TO, ()),
    'send and receive': (SEND + ['--to-receiver', 'pgrx', 'pgtx'], ()),
    'receive by xdp': ([UPKTGEN, 'receive', '-w', 'xdp', '-q', '-t', '1', 'pgrx'], ()),
    'receive by packet': ([UPKTGEN, 'receive', '-w', 'packet', '-q', '-t', '1', 'pgrx'], ()),
    'shell': ([UPKTGEN, 'shell', '--', 'true'], ('fuse', 'mount', 'futex', 'futexes')),
}


def set_up():
    with open(SCRIPT, 'w', encoding='utf-8') as f:
        f.write('kpktgend_0 add_device pgtx\npgtx count 20\npgtx dst 198.18.0.2\n'
                'pgtx dst_mac 02:00:00:00:00:02\npgctrl start\n')
    for c in ('link set lo up', 'link add pgtx address 02:00:00:00:00:01 type veth peer name pgrx address '
              '02:00:00:00:00:02', 'link set pgtx up', 'link set pgrx up', 'addr add 198.18.0.1/24 dev pgtx'):
        subprocess.run(['ip'] + c.split(), check=True)


def attempt(argv, kind, n):
    """None where the n-th call was never made; else what is wrong, or ''."""
    with open(TOLD, 'wb') as f:
        f.write(b'\0')
    env = {**os.environ, 'LD_PRELOAD': PRELOAD, 'WW_FAIL': f'{kind}:{n}', 'WW_FAIL_TOLD': TOLD}
    try:
        p = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, env=env,
                           stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 'hangs'
    with open(TOLD, 'rb') as f:
        if f.read(1) == b'\0':
            return None
    if p.returncode and LAST_WORDS.get(kind, '\0') in p.stderr:
        return ''
    if p.returncode < 0 or p.returncode > 100:
        return f'ended with {p.returncode}: {p.stderr}'
    if p.returncode and not p.stderr.strip() and not p.stdout.strip():
        return f'ended with {p.returncode} and said nothing'
    return ''


def explore(name, argv, kinds):
    tried = {}
    for kind in kinds:
        for n in range(1, (min(MOST, 2) if kind in LAST_WORDS else MOST) + 1):
            wrong = attempt(argv, kind, n)
            if wrong is None:
                break
            tried[kind] = n
            if wrong:
                raise AssertionError(f'{name}, {kind} {n}: {wrong}')
    print('# ' + ', '.join(f'{k} {n}' for k, n in tried.items()), flush=True)
    assert name == 'check' or tried, 'nothing failed'


def add_case(name, argv, more):
    def fails_in_turn():
        if WHY_NOT:
            raise Skip(WHY_NOT)
        explore(name, argv, KINDS + more)
    case(fails_in_turn, f'a_call_that_fails_in_{name.replace(" ", "_")}_is_told_or_made_up_for')


for subcommand, row in SUBCOMMANDS.items():
    add_case(subcommand, *row)

if __name__ == '__main__':
    if not WHY_NOT:
        set_up()
    sys.exit(main())
