#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library with musl, linked statically: the quick ones of its unit tests ("./dev musl" runs the others, too)."""
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..'))
BUILD = os.path.realpath(os.environ.get('MESON_BUILD_ROOT', os.path.join(TOP, 'build')))
PROGRAMS = ('base', 'wheel', 'timer', 'thread', 'work', 'work_misuse', 'calls', 'debug_check')


def main():
    print(f'1..{len(PROGRAMS)}', flush=True)
    if not shutil.which('musl-gcc'):
        print('# skip: musl-gcc is not installed (Debian: musl-tools)')
        for i, name in enumerate(PROGRAMS, 1):
            print(f'ok {i} - with_musl_linked_statically_{name}_passes # SKIP')
        return 0
    p = subprocess.run([f'{TOP}/tools/musl.sh', f'{BUILD}/musl', *PROGRAMS], text=True, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    passed = dict(re.findall(r'^musl (\w+): (\d+) passed$', p.stdout, re.M))
    for i, name in enumerate(PROGRAMS, 1):
        good = int(passed.get(name, 0)) > 0
        print(f'{"" if good else "not "}ok {i} - with_musl_linked_statically_{name}_passes')
    if p.returncode:
        print(re.sub('^', '# ', p.stdout, flags=re.M))
    return p.returncode != 0


if __name__ == '__main__':
    sys.exit(main())
