# SPDX-License-Identifier: MIT
"""Words that must not stand in the tree: paths of somebody's machine, promises for later, tracker
numbers, and praise that says nothing."""
import re

from tree import files, finish, read

BANNED = [
    (r'(?<![\w.*)/~-])/(?:work|home|Users)/\w', 'a path of one machine'),
    (r'\b(?:TODO|FIXME|XXX|HACK)\b(?=[:(\s]|$)', 'do it, or say plainly what is missing'),
    (r'\bissues? #?\d|\B#\d{1,4}\b(?![;"\'`0-9a-fA-F-])', 'a number of some tracker: say what it is about'),
    (r'(?i)\b(?:seamless|blazing|leverag|effortless|cutting[- ]edge|state[- ]of[- ]the[- ]art|delve'
     r'|game[- ]chang|world[- ]class|battle[- ]tested|supercharg|holistic|synerg)\w*', 'praise that says nothing'),
    (r'(?i)\bas an ai\b|\blanguage model\b|\bchatbot\b', 'nobody asked'),
]
TEXT = ('.c', '.h', '.cpp', '.py', '.sh', '.build', '.map', '.md', '.txt', '.yml', '.supp', '.gp')
findings = []
for name in files():
    if name == 'tools/check/words.py' or not (name.endswith(TEXT) or name == 'dev' or name.startswith('.ci/')):
        continue
    for number, line in enumerate(read(name).splitlines(), 1):
        for pattern, why in BANNED:
            m = re.search(pattern, line)
            if m:
                findings.append(f'{name}:{number}: "{m.group(0)}": {why}')
finish(findings)
