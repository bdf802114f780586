# SPDX-License-Identifier: MIT
"""usage: compiled.py BUILD_DIR - the C sources that the build compiles, once each."""
import json
import os
import sys

build = sys.argv[1]
with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as f:
    names = {os.path.normpath(os.path.join(c['directory'], c['file'])) for c in json.load(f)}
top = os.getcwd()
for name in sorted(names):
    if name.endswith('.c') and not name.startswith(os.path.join(top, 'build')):
        print(os.path.relpath(name, top))
