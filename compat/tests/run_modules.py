#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run each module of a folder under wheelwork-module and say in TAP how that went.

A module's first comment says what to do and what must come of it, one item a line:
  run: ARGUMENTS        of the program
  virtual: ARGUMENTS    instead of those, on virtual time
  cflags: FLAGS         for the runner
  modes: MODE...        out of plain, address, thread, virtual; default all
  status: N             exit status (default 0)
  expect: REGEX         is in the output        refuse: REGEX  is not
Usage: run_modules.py RUNNER FOLDER [NAME...]; WW_MODULE_MODES=MODE,... runs only those.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SANITIZE = {"plain": None, "virtual": None, "address": "address,undefined", "thread": "thread"}
ENV = dict(os.environ,
           ASAN_OPTIONS="detect_leaks=1:exitcode=99",
           UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
           TSAN_OPTIONS="halt_on_error=1:exitcode=66:second_deadlock_stack=1")
LIMIT = 120 * float(os.environ.get("WW_TEST_TIME", "1"))


class Module:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.says = {}
        comment = re.search(r"/\*(.*?)\*/", path.read_text(), re.S)
        for line in comment.group(1).splitlines() if comment else []:
            m = re.match(r"^\s*\*\s*(run|virtual|cflags|modes|status|expect|refuse): ?(.*)$", line)
            if m:
                self.says.setdefault(m.group(1), []).append(m.group(2).strip())

    def one(self, key, default=""):
        return self.says.get(key, [default])[0]


def build(runner, module, sanitize, where):
    program = where / f"{module.name}-{sanitize or 'plain'}"
    cmd = [runner, "--build-only", "-o", str(program), "--cflag=-Werror"]
    if sanitize:
        cmd += ["--sanitize", sanitize]
    cmd += shlex.split(module.one("cflags")) + [str(module.path)]
    p = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT, errors="replace")
    return (program, "") if p.returncode == 0 else (None, p.stdout + p.stderr)


def judge(module, p):
    out = p.stdout + p.stderr
    wanted = int(module.one("status", "0"))
    if p.returncode != wanted:
        return f"exit status {p.returncode}, not {wanted}\n{out}"
    for regex in module.says.get("expect", []):
        if not re.search(regex, out, re.M):
            return f"nothing matches {regex!r}\n{out}"
    for regex in module.says.get("refuse", []):
        if re.search(regex, out, re.M):
            return f"something matches {regex!r}\n{out}"
    return None


def run(module, mode, program):
    args = module.one("virtual", module.one("run")) if mode == "virtual" else module.one("run")
    cmd = [str(program), "--strict"] + (["--virtual-time"] if mode == "virtual" else [])
    try:
        p = subprocess.run(cmd + shlex.split(args), capture_output=True, text=True, timeout=LIMIT,
                           env=ENV, errors="replace")
    except subprocess.TimeoutExpired as e:
        return f"still running after {LIMIT:.0f} s\n{(e.stdout or b'').decode()}"
    return judge(module, p)


def check(runner, module, modes, where):
    """[(mode, None or what is wrong)], with one build for the modes that share it."""
    built, results = {}, []
    for mode in modes:
        sanitize = SANITIZE[mode]
        if sanitize not in built:
            built[sanitize] = build(runner, module, sanitize, where)
        program, log = built[sanitize]
        results.append((mode, run(module, mode, program) if program else f"does not build\n{log}"))
    return results


def main():
    runner, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    only = os.environ.get("WW_MODULE_MODES", "plain,address,thread,virtual").split(",")
    modules = [Module(p) for p in sorted(folder.glob("*.c")) if not names or p.stem in names]
    jobs, number = [], 0
    with tempfile.TemporaryDirectory() as d, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for m in modules:
            modes = [x for x in m.one("modes", "plain address thread virtual").split() if x in only]
            jobs.append((m, modes, pool.submit(check, runner, m, modes, pathlib.Path(d))))
        print(f"1..{sum(len(modes) for _, modes, _ in jobs)}", flush=True)
        for m, _, job in jobs:
            for mode, wrong in job.result():
                number += 1
                print(f"{'not ' if wrong else ''}ok {number} - {m.name}_{mode}", flush=True)
                for line in (wrong or "").splitlines()[:60]:
                    print("# " + line, flush=True)


main()
