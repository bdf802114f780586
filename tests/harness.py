# SPDX-License-Identifier: MIT
"""Cases that look at the program from outside: @case marks one, main() runs them. Output is TAP."""
import os
import subprocess
import sys
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.path.realpath(os.environ.get('MESON_BUILD_ROOT', os.path.join(ROOT, 'build')))
UPKTGEN = os.path.join(BUILD, 'upktgen', 'upktgen')
IS_ROOT = os.geteuid() == 0
NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
STARTED_AS = list(sys.argv)
REPEATS = ('MESON_BUILD_ROOT', 'WW_FAULTS', 'WW_TEST_SEED', 'WW_TEST_TIME')
cases = []


class Skip(Exception):
    """The machine lacks what a case needs."""


def case(fn, name=None):
    """A case by its function's name, or by another where one function makes several."""
    fn.__name__ = name or fn.__name__
    cases.append(fn)
    return fn


def check(cond, text=''):
    if not cond:
        raise AssertionError(text)


def run(args, **kw):
    kw.setdefault('timeout', 300)
    return subprocess.run(args, capture_output=True, text=True, check=False, **kw)


def namespace():
    """The words before a command that give it a private network."""
    for way in (['unshare', '--net'], ['unshare', '--user', '--map-root-user', '--net']):
        if run(way + ['true']).returncode == 0:
            return way
    raise Skip('no private network namespace here')


def namespace_of_an_ordinary_user():
    """The same as somebody who is not root."""
    way = ['unshare', '--user', '--map-root-user', '--net']
    if IS_ROOT:
        way = NOBODY + way
    if run(way + ['true']).returncode:
        raise Skip('ordinary users get no user namespace here')
    return way


def main():
    """All cases, or those named; not zero if one fails."""
    names = sys.argv[1:]
    fixed = STARTED_AS[:len(STARTED_AS) - len(names)]
    chosen = [c for c in cases if not names or c.__name__ in names]
    print(f'1..{len(chosen)}', flush=True)
    bad = 0
    for i, c in enumerate(chosen, 1):
        begin = time.monotonic()
        try:
            c()
            print(f'ok {i} - {c.__name__} # time={time.monotonic() - begin:.2f}s', flush=True)
        except Skip as why:
            print(f'# skip: {why}\nok {i} - {c.__name__} # SKIP {why}', flush=True)
        except Exception:  # pylint: disable=broad-except
            bad += 1
            for line in traceback.format_exc().splitlines():
                print('# ' + line)
            print(f'not ok {i} - {c.__name__}', flush=True)
            print(f'# to repeat it: {"".join(f"{n}={v} " for n, v in os.environ.items() if n in REPEATS)}'
                  f'python3 {" ".join(fixed)} {c.__name__}', flush=True)
    return bad > 0
