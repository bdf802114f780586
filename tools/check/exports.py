# SPDX-License-Identifier: MIT
"""What leaves the library is what the public headers declare: each WW_EXPORT definition in src/ is
declared in include/wheelwork, each declaration is defined so, and the version map lets them out."""
import fnmatch
import re

from tree import files, finish, read, without_comments


def declarations(text):
    """Names of the functions and objects that a public header declares, inlines left out."""
    text = re.sub(r'^\s*#.*(?:\\\n.*)*$', '', without_comments(text), flags=re.M)
    text = re.sub(r'extern\s+"C"\s*\{', '', text)
    while True:  # innermost braces first: bodies and structs go
        shorter = re.sub(r'(\)?)\s*\{[^{}]*\}', lambda m: ');' if m.group(1) else '@', text)
        if shorter == text:
            break
        text = shorter
    names = set()
    for part in text.split(';'):
        part = part.strip()
        if not part or re.match(r'(?:@?\s*)(?:typedef|static)\b', part) or part.endswith('@'):
            continue
        m = re.search(r'\b(ww_\w+)\s*\(', part) or re.search(r'\bextern\b.*\b(ww_\w+)', part, re.S)
        if m:
            names.add(m.group(1))
    return names


declared = {}
for name in files('.h', under=('include/wheelwork/',)):
    for symbol in declarations(read(name)):
        declared.setdefault(symbol, name)
defined = {}
for name in files('.c', '.h', under=('src/',)):
    for m in re.finditer(r'^WW_EXPORT\b[^;{=]*?\b(\w+)\s*(?:\(|\[|=|;)', without_comments(read(name)), re.M):
        defined.setdefault(m.group(1), name)
text = without_comments(read('src/wheelwork.map'))
exported = [p for block in re.findall(r'global:(.*?)(?:local:|\})', text, re.S)
            for p in re.findall(r'[\w*?]+', block)]
findings = []
for symbol, name in sorted(defined.items()):
    if symbol not in declared:
        findings.append(f'{name}: WW_EXPORT {symbol} is in no public header')
    if not any(fnmatch.fnmatchcase(symbol, p) for p in exported):
        findings.append(f'src/wheelwork.map: {symbol} of {name} is not let out')
for symbol, name in sorted(declared.items()):
    if symbol not in defined:
        findings.append(f'{name}: {symbol} is declared, but src/ has no WW_EXPORT definition of it')
for pattern in exported:
    if not any(fnmatch.fnmatchcase(symbol, pattern) for symbol in defined):
        findings.append(f'src/wheelwork.map: {pattern} matches nothing that is defined')
finish(findings)
