#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/mod-delayed-work.cocci over the shapes in cocci/: one case of TAP for each function.

Usage: cocci_test.py SCRIPT FOLDER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SCRIPT, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
FUNCTION = re.compile(r"^(?!struct port \*next)[a-z].*?(\w+)\([^;]*\)\n\{\n(.*?)^\}\n", re.S | re.M)


def functions(text):
    return {m.group(1): m.group(2) for m in FUNCTION.finditer(text)}


def spatch(*args):
    p = subprocess.run(["spatch", "--very-quiet", "--sp-file", SCRIPT, *args],
                       capture_output=True, text=True, check=False)
    if p.returncode:
        print(f"Bail out! spatch: {p.stderr.strip()}")
        sys.exit(1)
    return p.stdout


def rewritten(name):
    with tempfile.TemporaryDirectory() as d:
        out = pathlib.Path(d) / name
        spatch("-o", str(out), str(FOLDER / name))
        return out.read_text() if out.exists() else (FOLDER / name).read_text()


def reports(name):
    """Function -> how many lines of the report fall into it."""
    text = (FOLDER / name).read_text()
    found = {}
    for line in spatch("-D", "report", str(FOLDER / name)).splitlines():
        at = int(line.split(":")[1])
        for m in FUNCTION.finditer(text):
            if text[:m.start()].count("\n") < at <= text[:m.end()].count("\n"):
                found[m.group(1)] = found.get(m.group(1), 0) + 1
    return found


def became(body):
    """Is all that the function does now what its "becomes" says?"""
    wanted = re.search(r"// becomes: (.*)", body).group(1)
    code = [x.strip() for x in body.splitlines() if x.strip() and not x.strip().startswith("//")]
    return [x for x in code if x not in ("}", "if (p->id) {")] == [wanted]


def main():
    cases = []
    before, after = functions((FOLDER / "rewrite.c").read_text()), functions(rewritten("rewrite.c"))
    said = reports("rewrite.c")
    for name in before:
        cases.append((f"rewrites_{name}", became(after[name]), after[name]))
        cases.append((f"reports_{name}", said.get(name) == 1, str(said.get(name))))
    before, after = functions((FOLDER / "leave.c").read_text()), functions(rewritten("leave.c"))
    said = reports("leave.c")
    for name in before:
        wanted = 1 if name == "timer_test_before_sync" else None
        ok = after[name] == before[name] and said.get(name) == wanted
        cases.append((f"leaves_{name}", ok, f"{after[name]}\n{said.get(name)} reports"))
    print(f"1..{len(cases)}")
    for i, (name, ok, detail) in enumerate(cases, 1):
        print(f"{'ok' if ok else 'not ok'} {i} - {name}")
        if not ok:
            for line in detail.splitlines():
                print("# " + line)


main()
