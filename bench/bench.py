#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: ./dev bench [NAME]... [--json FILE] [--quick]

Measures ours beside every rival: runs are interleaved (A B A B), each party is a program of its own,
pinned. Figures are minimum / median / maximum over the runs; "ours / theirs" is taken pair by pair
in each round, and printed as its median with its spread. "limit" is the bare operation.
"""
import argparse
import io
import json
import os
import signal
import statistics
import subprocess
import sys
import time

import document
import noise
import packets
import plan
import tables

OURS = tables.OURS


class Cannot(Exception):
    pass


class Program:
    """A measured program with one row open in it."""

    def __init__(self, path, row, n, threads, quick):
        argv = [*path, row.bench, row.case, str(n), str(threads), '1' if quick else '0']
        self.err = open('/dev/null' if not os.environ.get('WW_BENCH_VERBOSE') else '/dev/stderr', 'w', encoding='utf-8')
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True,
                                  preexec_fn=packets.die_with_parent)
        self.answer('ready')

    def answer(self, last):
        figures = []
        for line in self.p.stdout:
            word, _, rest = line.rstrip('\n').partition(' ')
            if word == last:
                return figures
            if word == 'cannot':
                raise Cannot(rest)
            if word == 'word':
                case, _, text = rest.partition('\t')
                figures.append((case, 'word', text))
            if word == 'figure':
                case, unit, value = rest.split(' ')
                figures.append((case, unit, float(value)))
        raise Cannot(f'its program ended ({self.p.wait()})')

    def begin(self):
        self.p.stdin.write('run\n')
        self.p.stdin.flush()

    def end(self):
        return self.answer('done')

    def close(self):
        try:
            self.p.stdin.close()
            self.p.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.p.kill()
            self.p.wait()
        self.p.stdout.close()
        self.err.close()


class Tee(io.TextIOBase):
    """Standard output, kept as well."""

    def __init__(self, out):
        self.out, self.text = out, []

    def write(self, text):
        self.text.append(text)
        return self.out.write(text)

    def flush(self):
        self.out.flush()


class Results:
    def __init__(self):
        self.runs = {}      # (bench, case, who, n, threads, unit) -> values, one a round
        self.json = None

    def lines(self):
        for (bench, case, who, n, threads, unit), v in self.runs.items():
            yield {'bench': bench, 'case': case, 'who': who, 'n': n, 'threads': threads, 'unit': unit,
                   'min': min(v), 'median': statistics.median(v), 'max': max(v), 'runs': len(v)}


def opened(parties, row, n, threads, args):
    running, cannot = {}, {}
    for who, opener in parties.items():
        try:
            running[who] = opener(row, n, threads, args.quick)
        except Cannot as why:
            cannot[who] = str(why)
    return running, cannot


def one_round(running, order, together, cannot):
    """who -> figures. One after the other; "together" where all only sleep and wait."""
    found = {}
    for step in [order] if together else [[who] for who in order]:
        for who in step:
            running[who].begin()
        for who in step:
            try:
                found[who] = running[who].end()
            except Cannot as why:
                cannot[who] = str(why)
                running.pop(who).close()
    return found


def measure(results, parties, row, n, threads, args):
    """All parties of one row at one size, interleaved; parties: who -> opener(row, n, threads, quick).
    Rounds end with their number, or when the row's time is over and there are enough for a median."""
    begin = time.monotonic()
    running, cannot = opened(parties, row, n, threads, args)
    results.fresh = set()
    heard = noise.Noise()
    for r in range(plan.rounds(row, args.quick)):
        if r >= plan.ROUNDS_MIN and time.monotonic() > begin + args.haste * plan.seconds(row, args.quick):
            break
        order = list(running)
        order = order[r % len(order):] + order[:r % len(order)] if order else []
        for who, figures in one_round(running, order, row.together, cannot).items():
            for case, unit, value in figures:
                key = (row.bench, case, who, n, threads, unit)
                if key not in results.fresh:
                    results.runs[key] = []
                    results.fresh.add(key)
                results.runs[key].append(value)
    share = heard.share()
    for p in running.values():
        p.close()
    tables.row(results.runs, results.fresh, row, n, threads, cannot)
    limit = [v for k, v in results.runs.items() if k in results.fresh and k[2] == 'limit']
    spread = max((max(v) / min(v) for v in limit if min(v) > 0), default=1)
    if share > 0.1 or spread > 1.2:
        print(f'  NOISY: others used {share:.0%} of a CPU meanwhile; the bare operation varied by {spread - 1:.0%}')
    if args.times:
        print(f'  took {time.monotonic() - begin:.1f} s')
    sys.stdout.flush()


def programs(folder):
    """(bench, case) -> {who: opener} of all programs in the build folder."""
    takes = {}
    found = set()
    for who in sorted(os.listdir(folder), key=lambda w: (w.partition('+')[0] not in OURS, w != 'limit', w)):
        path = os.path.join(folder, who)
        if who in ('guard', 'live_bare') or who.startswith('lib') and '.so' in who or not (os.path.isfile(path) and os.access(path, os.X_OK)):
            continue
        who = who.partition('+')[0]
        found.add(who)
        for line in subprocess.run([path], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
            bench, case = line.split(' ')
            takes.setdefault((bench, case), {})[who] = (
                lambda row, n, threads, quick, path=path: Program([path], row, n, threads, quick))
    missing = {}
    for (bench, case), senders in packets.ROWS.items():
        for who in senders:
            if packets.installed(who):
                takes.setdefault((bench, case), {})[who] = packet_party(folder, who)
            else:
                missing[who] = packets.PROGRAM[who]
    return takes, found, missing


def packet_party(folder, who):
    # The first process of a namespace takes all others along when it ends, whoever started them; and with a
    # /run of its own nobody finds the lock file of one that was killed.
    argv = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c',
            'mount -t tmpfs tmpfs /run && exec "$@"', 'sh', sys.executable, os.path.join(os.path.dirname(__file__), 'packets.py'),
            os.path.dirname(os.path.abspath(folder)), who]
    return lambda row, n, threads, quick: Program(argv, row, n, threads, quick)


def machine():
    model = next((line.split(':')[1].strip() for line in open('/proc/cpuinfo', encoding='utf-8')
                  if line.startswith('model name')), os.uname().machine)
    with open('/sys/devices/system/clocksource/clocksource0/current_clocksource', encoding='utf-8') as f:
        source = f.read().strip()
    return f'{model}, {len(os.sched_getaffinity(0))} CPUs, Linux {os.uname().release}, clocksource {source}'


def jobs(args):
    """(row, threads, n) of all that is to be measured, in the order of plan.WHAT."""
    todo = []
    for row in sorted(plan.ROWS, key=lambda r: list(plan.WHAT).index(r.bench)):
        if (args.names and row.bench not in args.names) or (args.quick and not row.quick):
            continue
        ns = (row.quick_ns or row.ns) if args.quick else row.ns
        if args.docs or not args.quick: # the plots' points; with --quick all but the largest
            ns = tuple(sorted(set(ns + tuple(g for g in row.growth if not args.quick or g <= 10**6))))
        todo += [(row, threads, n) for threads in ((row.quick_threads or row.threads) if args.quick else row.threads) for n in ns]
    return todo


def haste(todo, elapsed, args):
    """What each row's time is multiplied by, so that all of it ends in time on a slow machine, too."""
    left = (plan.LIMIT_QUICK if args.quick else plan.LIMIT) - elapsed
    return max(0.0, min(1.0, left / sum(plan.seconds(row, args.quick) for row, _, _ in todo)))


def main():
    # A signal ends this in order: what runs below it ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog='./dev bench', description=__doc__.split('\n', 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME', help='only these: ' + ', '.join(plan.WHAT))
    parser.add_argument('--json', metavar='FILE', help='one line per figure')
    parser.add_argument('--quick', action='store_true', help='fewer sizes, fewer and shorter runs')
    parser.add_argument('--docs', action='store_true', help='write docs/benchmarks.md and its plots of this run')
    parser.add_argument('--who', metavar='WHO,...', type=lambda s: s.split(','), help='only these parties')
    parser.add_argument('--times', action='store_true', help='print how long each row took')
    parser.add_argument('--build', default='build-bench', help=argparse.SUPPRESS)
    args = parser.parse_args()
    for name in args.names:
        if name not in plan.WHAT:
            parser.error(f"no benchmark '{name}'; there are: {', '.join(plan.WHAT)}")
    if args.docs:
        sys.stdout = printed = Tee(sys.stdout)
    takes, found, missing = programs(os.path.join(args.build, 'bench'))
    print(machine())
    for who, package in plan.PACKAGES.items():
        if who not in found:
            print(f'missing: {who} (package {package}): its rows are left out')
    for who, program in missing.items():
        print(f'missing: {who} (program {program}): its rows are left out')
    results = Results()
    begin = time.monotonic()
    took = {}
    todo = jobs(args)
    for bench, what in plan.WHAT.items():
        if args.names and bench not in args.names:
            continue
        print(f'\n== {bench}: {what}')
        bench_begin = time.monotonic()
        while todo and todo[0][0].bench == bench:
            args.haste = haste(todo, time.monotonic() - begin, args)
            row, threads, n = todo.pop(0)
            parties = {w: p for w, p in takes.get((row.bench, row.case), {}).items()
                       if (not row.who or w in row.who) and w not in row.without and (not args.who or w in args.who)}
            if threads > len(os.sched_getaffinity(0)):
                print(f'\n{row.bench} {row.case}: {threads} threads need as many CPUs')
            elif parties:
                measure(results, parties, row, n, threads, args)
        took[bench] = time.monotonic() - bench_begin
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as f:
            for line in results.lines():
                f.write(json.dumps(line) + '\n')
    tables.summaries(results.runs)
    print('\nseconds: ' + ', '.join(f'{bench} {t:.0f}' for bench, t in took.items()))
    print(f'{len(results.runs)} figures in {time.monotonic() - begin:.0f} s')

    if args.docs:
        sys.stdout = printed.out
        command = ' '.join(['./dev bench', *sys.argv[1:]])
        for word in (f' --build {args.build}', f' --json {args.json}'): # nothing of this machine's folders
            command = command.replace(word, '')
        document.write(''.join(printed.text), list(results.lines()), command, machine(), time.strftime('%Y-%m-%d'),
                       os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'docs', 'benchmarks.md'))


main()
