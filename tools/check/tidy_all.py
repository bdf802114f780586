# SPDX-License-Identifier: MIT
"""usage: tidy_all.py BUILD_DIR [PREFIX]... - clang-tidy over what the build compiles.

A file that was clean stays so until its preprocessed text or .clang-tidy changes: BUILD_DIR/tidy keeps
the marks, so that only the first run takes minutes.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

BUILD = sys.argv[1]
PREFIXES = tuple(sys.argv[2:]) or ('src/', 'upktgen/', 'compat/', 'tests/', 'fuzz/', 'bench/', 'examples/')
MARKS = os.path.join(BUILD, 'tidy')


def commands():
    """The compile command of each C source of the tree, once."""
    with open(os.path.join(BUILD, 'compile_commands.json'), encoding='utf-8') as f:
        all_commands = json.load(f)
    found = {}
    for c in all_commands:
        name = os.path.relpath(os.path.normpath(os.path.join(c['directory'], c['file'])))
        if name.endswith('.c') and name.startswith(PREFIXES):
            found.setdefault(name, c)
    return sorted(found.items())


def mark_of(name, c):
    words = [w for w in shlex.split(c['command']) if w != 'ccache']
    out = words.index('-o')
    words = words[:out] + words[out + 2:]
    text = subprocess.run(words[:-2] + ['-E', '-P', words[-1]], cwd=c['directory'], capture_output=True, check=False)
    with open('.clang-tidy', 'rb') as f:
        digest = hashlib.sha256(f.read() + name.encode() + text.stdout).hexdigest()
    return os.path.join(MARKS, digest)


def look(item):
    name, c = item
    mark = mark_of(name, c)
    if os.path.exists(mark):
        return []
    p = subprocess.run(['clang-tidy-14', '--quiet', '-p', BUILD, name], capture_output=True, text=True, check=False)
    found = [line for line in p.stdout.splitlines() if re.search(r'(warning|error):', line)]
    if not found and p.returncode == 0:
        with open(mark, 'w', encoding='utf-8'):
            pass
    return found or ([] if p.returncode == 0 else [f'{name}: clang-tidy ended with {p.returncode}'])


def main():
    os.makedirs(MARKS, exist_ok=True)
    findings = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(look, commands()):
            for line in found:
                if line not in findings:
                    print(line, flush=True)
                findings.add(line)
    sys.exit(1 if findings else 0)


main()
