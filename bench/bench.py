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
import statistics
import subprocess
import sys
import time

import document
import packets
import plan

OURS = ('wheelwork', 'upktgen')
TICK = os.sysconf('SC_CLK_TCK')


class Cannot(Exception):
    pass


class Program:
    """A measured program with one row open in it."""

    def __init__(self, path, row, n, threads, quick):
        argv = [*path, row.bench, row.case, str(n), str(threads), '1' if quick else '0']
        self.err = open('/dev/null' if not os.environ.get('WW_BENCH_VERBOSE') else '/dev/stderr', 'w', encoding='utf-8')
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True)
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

    def run(self):
        self.p.stdin.write('run\n')
        self.p.stdin.flush()
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

    def cpu(self):
        with open(f'/proc/{self.p.pid}/stat', encoding='utf-8') as f:
            field = f.read().rpartition(')')[2].split()
        return (int(field[11]) + int(field[12])) / TICK


class Tee(io.TextIOBase):
    """Standard output, kept as well."""

    def __init__(self, out):
        self.out, self.text = out, []

    def write(self, text):
        self.text.append(text)
        return self.out.write(text)

    def flush(self):
        self.out.flush()


class Noise:
    """How much of the machine somebody else used: all CPU time, less ours and our programs'."""

    def __init__(self):
        self.begin = self.others(())
        self.at = time.monotonic()

    @staticmethod
    def others(running):
        with open('/proc/stat', encoding='utf-8') as f:
            v = [int(x) for x in f.readline().split()[1:]]
        own = os.times()
        mine = own.user + own.system + own.children_user + own.children_system
        return (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / TICK - mine - sum(p.cpu() for p in running)

    def share(self, running):
        """None where the time was too short for the kernel's accounting."""
        if time.monotonic() - self.at < 0.3:
            return 0.0
        return max(0.0, (self.others(running) - self.begin) / max(time.monotonic() - self.at, 1e-9))


class Results:
    def __init__(self):
        self.runs = {}      # (bench, case, who, n, threads, unit) -> values, one a round
        self.json = None

    def lines(self):
        for (bench, case, who, n, threads, unit), v in self.runs.items():
            yield {'bench': bench, 'case': case, 'who': who, 'n': n, 'threads': threads, 'unit': unit,
                   'min': min(v), 'median': statistics.median(v), 'max': max(v), 'runs': len(v)}


def number(x):
    if x >= 1e5:
        return f'{x:,.0f}'
    return f'{x:.1f}' if x >= 100 else f'{x:.2f}' if x >= 10 else f'{x:.3g}'


def print_words(words, cannot):
    """One line per party: what the probes found."""
    cases = list(dict.fromkeys(k[1] for k in words))
    for who in list(dict.fromkeys(k[2] for k in words)) + list(cannot):
        print(f'\n  {who}')
        for case in cases:
            text = next((t for k, t in words.items() if (k[2], k[1]) == (who, case)), cannot.get(who))
            if text:
                print(f'    {case + "?":<58}{text}')


def print_delete_sync(results):
    """The origin's second table: cycles for one call, by the number of bases."""
    median = {(k[1], k[3]): statistics.median(v) for k, v in results.runs.items()
              if k[0] == 'delete-sync' and k[2] == 'wheelwork'}
    bases = sorted({n for _, n in median})
    print('\ndelete-sync: cycles of one call of ww_timer_delete_sync(), medians, by the number of bases')
    print(f'  {"":<24}' + ''.join(f'{n:>9}' for n in bases))
    for case in dict.fromkeys(c for c, _ in median):
        print(f'  {case:<24}' + ''.join(f'{number(median[case, n]) if (case, n) in median else "":>9}' for n in bases))


def print_saved(results):
    """The origin's first table, as its patch printed it."""
    print('\nupdate-delayed-work: ORG (cancel + queue) -> NEW (the update), ns per update, medians')
    print(f'  {"case":<28}{"ORG":>10}{"NEW":>10}{"saved":>9}   NEW / libevent\'s locked del + add')
    median = {k: statistics.median(v) for k, v in results.runs.items() if k[0] == 'update-delayed-work'}
    for gap in ('long', 'short'):
        for queue in ('own', 'system'):
            for threads in sorted({k[4] for k in median}):
                def of(who, case, threads=threads):
                    return median.get(('update-delayed-work', case, who, 1, threads, 'ns'))
                org, new = of('wheelwork', f'{gap}-{queue}-ORG'), of('wheelwork', f'{gap}-{queue}-NEW')
                theirs = of('libevent-locked', f'{gap}-own-ORG')
                if org and new:
                    against = f'{new / theirs:.3f}' if theirs else ''
                    print(f'  {gap + ", " + queue + " queue, " + str(threads) + " CPU":<28}{number(org):>10}{number(new):>10}'
                          f'{100 * (1 - new / org):>8.1f} %   {against}')


def print_table(results, row, n, threads, cannot):
    """One table per case that the row's parties reported."""
    keys = [k for k in results.runs if (k[0], k[3], k[4]) == (row.bench, n, threads)
            and k in results.fresh]
    words = {k: results.runs.pop(k)[-1] for k in keys if k[5] == 'word'}
    if words:
        print_words(words, cannot)
        return
    for case, unit in dict.fromkeys((k[1], k[5]) for k in keys):
        whos = {k[2]: results.runs[k] for k in keys if (k[1], k[5]) == (case, unit)}
        ours = next((w for w in OURS if w in whos), None)
        print(f'\n{row.bench} {case}: n {n:,}, {threads} thread{"s" if threads > 1 else ""}, {unit}')
        print(f'  {"who":<18}{"min":>12}{"median":>12}{"max":>12}   ours / theirs')
        for who, v in whos.items():
            ratio = ''
            if ours and who != ours:
                pairs = [a / b for a, b in zip(whos[ours], v) if a > 0 and b > 0]
                if pairs:
                    ratio = f'   {statistics.median(pairs):.3g}  [{min(pairs):.3g} .. {max(pairs):.3g}]'
            print(f'  {who:<18}{number(min(v)):>12}{number(statistics.median(v)):>12}{number(max(v)):>12}{ratio}')
    for who, why in cannot.items():
        print(f'  {who}: not measured in {row.bench} {row.case}, n {n:,}, {threads} threads: {why}')


def measure(results, parties, row, n, threads, args):
    """All parties of one row at one size, interleaved; parties: who -> opener(row, n, threads, quick)."""
    running, cannot = {}, {}
    results.fresh = set()
    for who, opener in parties.items():
        try:
            running[who] = opener(row, n, threads, args.quick)
        except Cannot as why:
            cannot[who] = str(why)
    noise = Noise()
    noise.begin = noise.others(running.values())
    rounds = min(row.runs or 7, 2 if args.quick and row.slow else 3 if args.quick else 7)
    for r in range(rounds):
        order = list(running)
        order = order[r % len(order):] + order[:r % len(order)] if order else []
        for who in order:
            try:
                figures = running[who].run()
            except Cannot as why:
                cannot[who] = str(why)
                running.pop(who).close()
                continue
            for case, unit, value in figures:
                key = (row.bench, case, who, n, threads, unit)
                if key not in results.fresh:
                    results.runs[key] = []
                    results.fresh.add(key)
                results.runs[key].append(value)
    share = noise.share(running.values())
    for p in running.values():
        p.close()
    print_table(results, row, n, threads, cannot)
    limit = [v for k, v in results.runs.items() if k in results.fresh and k[2] == 'limit']
    spread = max((max(v) / min(v) for v in limit if min(v) > 0), default=1)
    if share > 0.05 or spread > 1.2:
        print(f'  NOISY: others used {share:.0%} of a CPU meanwhile; the bare operation varied by {spread - 1:.0%}')
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
    for case, senders in packets.SENDERS.items():
        for who in senders:
            if packets.installed(who):
                takes.setdefault(('pktgen-veth', case), {})[who] = packet_party(folder, who)
            else:
                missing[who] = packets.PROGRAM[who]
    for case in ('fixed', 'all-fields'):
        takes.setdefault(('receiver', case), {})['upktgen'] = packet_party(folder, 'upktgen')
    return takes, found, missing


def packet_party(folder, who):
    argv = ['unshare', '--net', sys.executable, os.path.join(os.path.dirname(__file__), 'packets.py'),
            os.path.dirname(os.path.abspath(folder)), who]
    return lambda row, n, threads, quick: Program(argv, row, n, threads, quick)


def machine():
    model = next((line.split(':')[1].strip() for line in open('/proc/cpuinfo', encoding='utf-8')
                  if line.startswith('model name')), os.uname().machine)
    with open('/sys/devices/system/clocksource/clocksource0/current_clocksource', encoding='utf-8') as f:
        source = f.read().strip()
    return f'{model}, {len(os.sched_getaffinity(0))} CPUs, Linux {os.uname().release}, clocksource {source}'


def main():
    parser = argparse.ArgumentParser(prog='./dev bench', description=__doc__.split('\n', 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME', help='only these: ' + ', '.join(plan.WHAT))
    parser.add_argument('--json', metavar='FILE', help='one line per figure')
    parser.add_argument('--quick', action='store_true', help='fewer sizes, fewer and shorter runs')
    parser.add_argument('--docs', action='store_true', help='write docs/benchmarks.md and its plots of this run')
    parser.add_argument('--who', metavar='WHO,...', type=lambda s: s.split(','), help='only these parties')
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
    for bench, what in plan.WHAT.items():
        if args.names and bench not in args.names:
            continue
        print(f'\n== {bench}: {what}')
        for row in plan.ROWS:
            if row.bench != bench or (args.quick and not row.quick):
                continue
            parties = {w: p for w, p in takes.get((row.bench, row.case), {}).items()
                       if (not row.who or w in row.who) and w not in row.without and (not args.who or w in args.who)}
            ns = (row.quick_ns or row.ns) if args.quick else row.ns
            if args.docs or not args.quick: # the plots' points; with --quick all but the largest
                ns = tuple(sorted(set(ns + tuple(g for g in row.growth if not args.quick or g <= 10**6))))
            for threads in (row.quick_threads or row.threads) if args.quick else row.threads:
                if threads > len(os.sched_getaffinity(0)):
                    print(f'\n{row.bench} {row.case}: {threads} threads need as many CPUs')
                    continue
                for n in ns:
                    measure(results, parties, row, n, threads, args)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as f:
            for line in results.lines():
                f.write(json.dumps(line) + '\n')
    if any(k[0] == 'delete-sync' for k in results.runs):
        print_delete_sync(results)
    if any(k[0] == 'update-delayed-work' for k in results.runs):
        print_saved(results)
    print(f'\n{len(results.runs)} figures in {time.monotonic() - begin:.0f} s')

    if args.docs:
        sys.stdout = printed.out
        command = ' '.join(['./dev bench', *sys.argv[1:]]).replace(f' --build {args.build}', '')
        document.write(''.join(printed.text), list(results.lines()), command, machine(), time.strftime('%Y-%m-%d'),
                       os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'docs', 'benchmarks.md'))


main()
