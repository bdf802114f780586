#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The n-th socket, bind, setsockopt, mmap, BPF call, futex, mount, FUSE device or thread fails, in every verb.

Each attempt ends by itself: it does its job all the same, or says on one line what failed. For how many n
WW_FAULTS says (default 4; 0: until the call is made no more).
"""
import os
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('MESON_BUILD_ROOT', os.path.join(ROOT, 'build'))
UPKTGEN = os.path.join(BUILD, 'upktgen', 'upktgen')
PRELOAD = os.path.join(BUILD, 'tests', 'libfail_nth.so')
KINDS = ('socket', 'bind', 'setsockopt', 'mmap', 'bpf', 'thread')
MOST = int(os.environ.get('WW_FAULTS', '4')) or 1000
INSIDE = 'WW_FAULTS_INSIDE'


def sanitized():
    out = subprocess.run(['nm', '-D', UPKTGEN], capture_output=True, text=True, check=False).stdout
    return '__asan_init' in out or '__tsan_init' in out


def verbs(folder):
    script = os.path.join(folder, 'script')
    with open(script, 'w', encoding='utf-8') as f:
        f.write('kpktgend_0 add_device pgtx\npgtx count 20\npgtx dst 198.18.0.2\n'
                'pgtx dst_mac 02:00:00:00:00:02\npgctrl start\n')
    yield 'check', [UPKTGEN, 'check', script], KINDS
    yield 'probe', [UPKTGEN, 'probe', 'pgtx'], KINDS
    yield 'run', [UPKTGEN, 'run', script], KINDS + ('futex',)
    for backend in ('packet', 'xdp', 'live'):
        yield 'send by ' + backend, [UPKTGEN, 'send', '-b', backend, '-n', '20', '--dst', '198.18.0.2',
                                     '--dst-mac', '02:00:00:00:00:02', 'pgtx'], KINDS
    yield 'send and receive', [UPKTGEN, 'send', '-n', '20', '--to-receiver', 'pgrx', 'pgtx'], KINDS
    for way in ('xdp', 'packet'):
        yield 'receive by ' + way, [UPKTGEN, 'receive', '-w', way, '-q', '-t', '1', 'pgrx'], KINDS
    yield 'shell', [UPKTGEN, 'shell', '--', 'true'], KINDS + ('fuse', 'mount', 'futex')


def attempt(argv, kind, n, folder):
    """None where the n-th call was never made; else what is wrong, or ''."""
    told = os.path.join(folder, 'told')
    if os.path.exists(told):
        os.unlink(told)
    env = {**os.environ, 'LD_PRELOAD': PRELOAD, 'WW_FAIL': f'{kind}:{n}', 'WW_FAIL_TOLD': told}
    try:
        p = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, env=env,
                           stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 'hangs'
    if not os.path.exists(told):
        return None
    if p.returncode < 0 or p.returncode > 100:
        return f'ended with {p.returncode}: {p.stderr}'
    if p.returncode and not p.stderr.strip() and not p.stdout.strip():
        return f'ended with {p.returncode} and said nothing'
    return ''


def explore(name, argv, kinds, folder):
    tried = 0
    for kind in kinds:
        for n in range(1, MOST + 1):
            wrong = attempt(argv, kind, n, folder)
            if wrong is None:
                break
            tried += 1
            if wrong:
                raise AssertionError(f'{name}, {kind} {n}: {wrong}')
    return tried


def main():
    if sanitized():
        print('1..1\n# skip: the preloaded library must come first, and so must the sanitizer\n'
              'ok 1 - faults_in_every_verb # SKIP')
        return 0
    if not os.environ.get(INSIDE):
        for wrap in (['unshare', '--net'], ['unshare', '--user', '--map-root-user', '--net']):
            if subprocess.run(wrap + ['true'], capture_output=True, check=False).returncode == 0:
                os.environ[INSIDE] = '1'
                os.execvp(wrap[0], wrap + [sys.executable] + sys.argv)
        print('1..1\n# skip: no private network namespace here\nok 1 - faults_in_every_verb # SKIP')
        return 0
    for c in ('link set lo up', 'link add pgtx address 02:00:00:00:00:01 type veth peer name pgrx address '
              '02:00:00:00:00:02', 'link set pgtx up', 'link set pgrx up', 'addr add 198.18.0.1/24 dev pgtx'):
        subprocess.run(['ip'] + c.split(), check=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        todo = [v for v in verbs(folder) if len(sys.argv) < 2 or v[0] in sys.argv[1:]]
        print(f'1..{len(todo)}', flush=True)
        for i, (name, argv, kinds) in enumerate(todo, 1):
            case = f'a_call_that_fails_in_{name.replace(" ", "_")}_is_told_or_made_up_for'
            begin = time.monotonic()
            try:
                tried = explore(name, argv, kinds, folder)
                print(f'# {tried} faults\nok {i} - {case} # time={time.monotonic() - begin:.2f}s', flush=True)
            except AssertionError:
                failed += 1
                for line in traceback.format_exc().splitlines()[-12:]:
                    print('# ' + line)
                print(f'not ok {i} - {case}', flush=True)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
