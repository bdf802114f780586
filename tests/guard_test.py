#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hot paths' instruction counts, by callgrind. A rise above 5 % over bench/guard.json fails, with
both figures; "guard_test.py --record BUILD_DIR" writes those of now there."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..'))
RECORD = f'{TOP}/bench/guard.json'
PATHS = ['rearm', 'add-cancel', 'delete-sync', 'update', 'queue', 'cancel-queue', 'null-packet']
COUNT = 10000


def instructions(guard, path, count):
    with tempfile.TemporaryDirectory() as where:
        p = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={where}/out', guard, path, str(count)],
                           text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    m = re.search(r'Collected : (\d+)', p.stdout)
    if p.returncode or not m:
        raise AssertionError(f'{path}: status {p.returncode}\n{p.stdout}')
    return int(m.group(1))


def measure(guard, path, enough=float('inf')):
    """Instructions of one pass. Other threads' few are in the difference too: the least of three, or the
    first that is low enough."""
    least = float('inf')
    for _ in range(3):
        least = min(least, (instructions(guard, path, 3 * COUNT) - instructions(guard, path, COUNT)) / (2 * COUNT))
        if least <= enough:
            break
    return least


def what_built(build):
    """Counts are comparable for one compiler, its options and one kind of machine only."""
    with open(f'{build}/compile_commands.json', encoding='utf-8') as f:
        words = next(c['command'] for c in json.load(f) if c['file'].endswith('guard.c')).split()
    cc = words[1] if 'ccache' in words[0] else words[0]
    kind = 'clang' if 'clang' in subprocess.run([cc, '--version'], capture_output=True, text=True, check=True).stdout else 'gcc'
    version = subprocess.run([cc, '-dumpversion'], capture_output=True, text=True, check=True).stdout.split('.')[0]
    with open(f'{build}/meson-info/intro-buildoptions.json', encoding='utf-8') as f:
        options = {o['name']: o['value'] for o in json.load(f)}
    return ' '.join([kind, version.strip(), options['buildtype'], 'ndebug=' + str(options['b_ndebug']),
                     'sanitize=' + str(options['b_sanitize']), os.uname().machine])


def main():
    if sys.argv[1:2] == ['--record']:
        build = sys.argv[2]
        record = {'built by': what_built(build),
                  'instructions': {p: round(measure(f'{build}/bench/guard', p, 0), 1) for p in PATHS}}
        with open(RECORD, 'w', encoding='utf-8') as f:
            json.dump(record, f, indent=1)
            f.write('\n')
        print(json.dumps(record))
        return 0
    build = os.environ['MESON_BUILD_ROOT']
    with open(RECORD, encoding='utf-8') as f:
        record = json.load(f)
    skip = ''
    if not shutil.which('valgrind'):
        skip = 'valgrind is not installed'
    elif what_built(build) != record['built by']:
        skip = f"recorded for {record['built by']}, this is {what_built(build)}"
    print(f'1..{len(PATHS)}')
    failed = 0
    for number, path in enumerate(PATHS, 1):
        name = f'{path.replace("-", "_")}_takes_no_more_instructions_than_recorded'
        if skip:
            print(f'# skip: {skip}\nok {number} - {name} # SKIP {skip}', flush=True)
            continue
        try:
            then = record['instructions'][path]
            now = measure(f'{build}/bench/guard', path, then * 1.05)
        except AssertionError as what:
            now, then = float('inf'), 0
            print('\n'.join('# ' + line for line in str(what).splitlines()))
        print(f'# {path}: {now:.1f} instructions, {then} when recorded')
        bad = now > then * 1.05
        failed += bad
        print(f'{"not " if bad else ""}ok {number} - {name}', flush=True)
    return 1 if failed else 0


sys.exit(main())
