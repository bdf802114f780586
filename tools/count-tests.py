#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts single test cases in meson's testlog.json and prints every case that did not pass.

A program that ends wrongly without a failed case (a crash, a time-out) counts as one failure.
"""
import json
import re
import sys

CASE = re.compile(r'^(not )?ok\b\s*\d*\s*-?\s*(.*?)\s*(#\s*(SKIP|TODO)\b.*)?$', re.I)
passed = failed = skipped = 0
for line in open(sys.argv[1], encoding='utf-8'):
    test = json.loads(line)
    out = test.get('stdout') or ''
    bad = 0
    notes = []
    for text in out.splitlines():
        m = CASE.match(text)
        if not m:
            notes.append(text)
            continue
        name = re.sub(r'\s*# time=.*', '', m.group(2))
        if m.group(1):
            bad += 1
            print(f"FAILED {test['name']}: {name}")
        elif m.group(4) and m.group(4).upper() == 'SKIP':
            skipped += 1
            why = [n[8:] for n in notes if n.startswith('# skip: ')]
            print(f"skipped {test['name']}: {name}: {why[-1] if why else m.group(3)}")
        else:
            passed += 1
        if not m.group(1):
            notes = []
    if not bad and test['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL'):
        bad = 1
        print(f"FAILED {test['name']}: the program itself ({test['result']}, "
              f"status {test['returncode']})")
    if bad:
        tail = (out + '\n' + (test.get('stderr') or '')).splitlines()
        keep = [t for t in tail if not t.startswith('ok ')][-60:]
        print('\n'.join('    ' + t for t in keep))
    failed += bad
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
