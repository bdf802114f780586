# SPDX-License-Identifier: MIT
"""A hand-over has two sides: each "pairs: LABEL-n" stands at two sites or more, and has a paragraph
in docs/memory-ordering.md that begins with the label in bold; no paragraph is left without sites."""
import re

from tree import files, finish, read

LABEL = r'[A-Z][A-Z0-9_]*-\d+'
DOC = 'docs/memory-ordering.md'
sites = {}
for name in files('.c', '.h', under=('src/', 'include/', 'upktgen/', 'compat/')):
    for number, line in enumerate(read(name).splitlines(), 1):
        for m in re.finditer(rf'(?<!")pairs: ({LABEL}(?:(?:,| and|, and) {LABEL})*)', line):
            for label in re.findall(LABEL, m.group(1)):
                sites.setdefault(label, []).append(f'{name}:{number}')
documented = {}
if DOC in files('.md'):
    for number, line in enumerate(read(DOC).splitlines(), 1):
        m = re.match(rf'(?:#+ |[-*] )?(?:\*\*)?({LABEL})\b', line)
        if m:
            documented.setdefault(m.group(1), f'{DOC}:{number}')
findings = []
for label, where in sorted(sites.items()):
    if len(where) < 2:
        findings.append(f'{where[0]}: pairs: {label} has no other site')
    if label not in documented:
        findings.append(f'{where[0]}: pairs: {label} has no paragraph in {DOC}')
for label, where in sorted(documented.items()):
    if label not in sites:
        findings.append(f'{where}: no site is marked "pairs: {label}"')
finish(findings)
