# SPDX-License-Identifier: MIT
"""What the rules share: the tree's files, and how a finding is printed.

A rule is run as "python3 tools/check/RULE.py [ROOT]"; the tests give it a ROOT of their own.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                       os.path.join(os.path.dirname(__file__), '..', '..'))


def files(*suffixes, under=('',)):
    """Paths below ROOT: git's list where there is one, else every file."""
    git = subprocess.run(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard'],
                         capture_output=True, text=True, check=False)
    if git.returncode == 0 and os.path.exists(os.path.join(ROOT, '.git')):
        names = git.stdout.splitlines()
    else:
        names = [os.path.relpath(os.path.join(d, f), ROOT)
                 for d, _, fs in os.walk(ROOT) for f in fs]
    return sorted({n for n in names
                   if (not suffixes or n.endswith(suffixes)) and n.startswith(tuple(under))
                   and os.path.isfile(os.path.join(ROOT, n))})


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8', errors='replace') as f:
        return f.read()


def without_comments(text):
    """C text with comments blanked, line numbers kept."""
    def blank(m):
        return re.sub(r'[^\n]', ' ', m.group(0)) if m.group(0).startswith('/') else m.group(0)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def finish(findings):
    for f in findings:
        print(f)
    sys.exit(1 if findings else 0)
