#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: fuzz.py BUILD MINUTES [--keep] NAME...

Each fuzzer for so many minutes of CPU time, two at a time, in rounds; what it finds new is kept
between rounds and runs in BUILD/found/NAME. An input that fails ends its fuzzer and is named with
the command that repeats it. --keep puts the smallest set of inputs that reaches the same code into
fuzz/corpus/NAME, where the tests corpus_* replay it.
"""
import os
import re
import shutil
import subprocess
import sys
import threading

ROUND_S = 300


def environment():
    e = dict(os.environ)
    e.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1")
    return e


def run_round(build, name, seconds):
    """One round; (exit status, CPU seconds, executions, edges, output)."""
    found = f"{build}/found/{name}"
    os.makedirs(found, exist_ok=True)
    log = f"{build}/found/{name}.log"
    with open(log, "w") as out:
        p = subprocess.Popen(
            [f"{build}/fuzz/fuzz_{name}", f"-max_total_time={seconds}", "-print_final_stats=1",
             "-close_fd_mask=3", "-timeout=900", "-rss_limit_mb=3000",
             f"-artifact_prefix={build}/{name}-", found, f"fuzz/corpus/{name}"],
            stdout=out, stderr=subprocess.STDOUT, env=environment())
        _, status, used = os.wait4(p.pid, 0)
    text = open(log, errors="replace").read()
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    edges = re.findall(r"cov: (\d+)", text)
    return (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime,
            int(runs.group(1)) if runs else 0, int(edges[-1]) if edges else 0, text)


def keep(build, name):
    small = f"{build}/small/{name}"
    shutil.rmtree(small, ignore_errors=True)
    os.makedirs(small)
    subprocess.run([f"{build}/fuzz/fuzz_{name}", "-set_cover_merge=1", "-close_fd_mask=3", small,
                    f"fuzz/corpus/{name}", f"{build}/found/{name}"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    corpus = f"fuzz/corpus/{name}"
    # Inputs with a name of their own were found or written for a reason: they stay.
    for f in os.listdir(corpus):
        if re.fullmatch(r"[0-9a-f]{40}", f):
            os.unlink(f"{corpus}/{f}")
    held = {open(f"{corpus}/{f}", "rb").read() for f in os.listdir(corpus)}
    for f in os.listdir(small):
        if open(f"{small}/{f}", "rb").read() not in held:
            shutil.copy(f"{small}/{f}", f"{corpus}/{f}")


def fuzz(build, name, minutes, keeping, failed):
    cpu, runs, edges = 0.0, 0, 0
    while cpu < minutes * 60:
        status, used, n, edges, text = run_round(build, name, min(ROUND_S, max(1, int(minutes * 60 - cpu))))
        cpu += used
        runs += n
        with open(f"{build}/found/{name}.total", "w") as f:
            f.write(f"{cpu:.0f} s of CPU, {runs} inputs, {edges} edges\n")
        if status:
            failed.append(name)
            where = re.search(r"Test unit written to (\S+)", text)
            print("\n".join(text.splitlines()[-25:]))
            print(f"fuzz {name}: found after {cpu:.0f} s; to repeat it: "
                  f"{build}/fuzz/fuzz_{name} {where.group(1) if where else build + '/found/' + name}",
                  flush=True)
            return
    if keeping:
        keep(build, name)
    print(f"fuzz {name}: {cpu:.0f} s of CPU, {runs} inputs, {edges} edges reached, nothing found",
          flush=True)


def main():
    build, minutes = sys.argv[1], float(sys.argv[2])
    names = [a for a in sys.argv[3:] if not a.startswith("-")]
    failed, gate = [], threading.Semaphore(2)

    def one(name):
        with gate:
            fuzz(build, name, minutes, "--keep" in sys.argv, failed)

    threads = [threading.Thread(target=one, args=(n,)) for n in names]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    sys.exit(1 if failed else 0)


main()
