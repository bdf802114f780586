# SPDX-License-Identifier: MIT
"""Every file of code says its license in one of its first three lines."""
import os

from tree import files, finish, read

CODE = ('.c', '.h', '.cpp', '.py', '.sh', '.build', '.map', '.options', '.lds', '.supp', '.bt', '.gp')
findings = []
for name in files():
    if not (name.endswith(CODE) or os.path.basename(name) in ('dev', '.clang-format', '.clang-tidy')
            or name.startswith('.ci/')):
        continue
    head = read(name).splitlines()[:3]
    if not any('SPDX-License-Identifier: ' in line for line in head):
        findings.append(f'{name}:1: no SPDX-License-Identifier line')
finish(findings)
