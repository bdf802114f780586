#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/benchmarks.md and its plots of what one run of the harness printed; bench.py --docs calls
it. Every figure in the document is one of that run's; nothing is typed in by hand."""
import os
import subprocess

# Readable on white and on black: no background, middle tones, grey text.
COLOURS = {
    'wheelwork': '#1f9e89', 'upktgen': '#1f9e89', 'limit': '#888888', 'asio': '#d95f02', 'glib': '#7570b3', 'libev': '#e7298a',
    'libevent': '#a6761d', 'libevent-locked': '#3b8ec2', 'libuv': '#b3a200', 'posix': '#c04040', 'rte_timer': '#4f9e1f',
    'timerfd': '#9a7fd0', 'trafgen': '#d95f02', 'tcpreplay': '#7570b3', 'mausezahn': '#e7298a', 'xdp-trafficgen': '#a6761d',
    'testpmd-net_null': '#3b8ec2',
}
OTHER = '#808000'
INK = '#808080'
OURS = ('wheelwork', 'upktgen')

PLOTS = [
    # file, title, bench, case, x label, y label, unit, x is: n or threads, log x, log y
    ('rearm', 'Pushing a pending deadline out', 'rearm', 'absolute', 'timers pending', 'ns per operation', 'ns', 'n', True, True),
    ('cancel-add', 'Cancel + add', 'cancel-add', 'pending', 'timers pending', 'ns per operation', 'ns', 'n', True, True),
    ('threads', 'Pushing out, each thread its own timer', 'rearm', 'absolute', 'threads', 'ns per operation', 'ns', 'threads', False, True),
    ('frame-size', 'Packets over one pair of devices', 'pktgen-veth', 'fixed', 'bytes to a frame', 'packets/s', 'packets/s', 'n', True, True),
    ('null-size', 'The generator alone, frames without a stamp', 'pktgen-null', 'no-stamp', 'bytes to a frame', 'ns per packet', 'ns', 'n', True, False),
    ('null-stamped', 'The generator alone, the time read for every 16th frame', 'pktgen-null', 'stamp-16', 'bytes to a frame', 'ns per packet', 'ns', 'n', True, False),
]


def series(lines, plot):
    _, _, bench, case, _, _, unit, axis, _, _ = plot
    found = {}
    for x in lines:
        if (x['bench'], x['case'], x['unit']) != (bench, case, unit):
            continue
        if (axis == 'n' and x['threads'] != 1) or (axis == 'threads' and x['n'] != 1):
            continue
        found.setdefault(x['who'], []).append((x[axis], x['min'], x['median'], x['max']))
    order = sorted(found, key=lambda w: (w not in OURS, w != 'limit', w))
    return {w: sorted(found[w]) for w in order if len(found[w]) > 1}


def draw(lines, plot, folder):
    """One SVG; None where the run has not two points for anybody."""
    name, title, _, _, xlabel, ylabel, _, axis, logx, logy = plot
    data = series(lines, plot)
    if not data:
        return None
    text = ["set terminal svg noenhanced size 760,440 dynamic font 'sans-serif,13'",
            f"set output '{folder}/{name}.svg'",
            f"set title '{title}' textcolor rgb '{INK}'", f"set border 3 linecolor rgb '{INK}'",
            f"set xlabel '{xlabel}' textcolor rgb '{INK}'", f"set ylabel '{ylabel}' textcolor rgb '{INK}'",
            f"set tics nomirror textcolor rgb '{INK}'", f"set grid linecolor rgb '{INK}' linewidth 0.4 dashtype 3",
            f"set key outside right top textcolor rgb '{INK}'"]
    if logx:
        text.append('set logscale x 10' if axis == 'n' and data and max(p[0] for v in data.values() for p in v) > 5000 else 'set logscale x 2')
        text.append('set xrange [*:*]')
    if axis == 'threads':
        text.append('set xtics 1')
    if logy:
        text.append('set logscale y 10')
    # Powers of ten as words that need no raised figures.
    widest = max(p[0] for v in data.values() for p in v)
    text.append("set format x '%.0f'" if widest < 20000 else "set format x '%.0s%c'")
    text.append("set format y '%.0s%c'")
    for i, (_, points) in enumerate(data.items()):
        text.append(f'$d{i} << E\n' + '\n'.join(' '.join(str(v) for v in p) for p in points) + '\nE')
    curves = []
    for i, who in enumerate(data):
        colour, width = COLOURS.get(who, OTHER), 3 if who in OURS else 1.5
        dash = ' dashtype 2' if who == 'limit' else ''
        curves.append(f"$d{i} using 1:3 with linespoints linewidth {width} pointtype {i + 4} pointsize 0.6 "
                      f"linecolor rgb '{colour}'{dash} title '{who}'")
    text.append('plot ' + ', \\\n'.join(curves))
    os.makedirs(folder, exist_ok=True)
    subprocess.run(['gnuplot'], input='\n'.join(text), text=True, check=True)
    return f'{name}.svg'


def write(printed, lines, command, machine, date, path):
    folder = os.path.join(os.path.dirname(path), 'benchmarks')
    drawn = [(p, draw(lines, p, folder)) for p in PLOTS]
    with open(path, 'w', encoding='utf-8') as f:
        f.write(f'''# Benchmarks

This page is what one run of the harness printed; `./dev bench --docs` writes it anew.

- machine: {machine}
- command: `{command}`
- date: {date}

How to read it: `limit` is the bare operation (a store and a call, a clock read, a futex, a frame sent by the
kernel's own loop), measured in the same run; `ours / theirs` is taken pair by pair in each round and printed as
its median with its spread. For ns, cycles, us and bytes less than 1 is better, for items/s and packets/s more
than 1. Nanoseconds belong to that machine, ratios travel better. A line that begins with NOISY says that
somebody else used the machine meanwhile, or that the bare operation itself varied.

About the rivals: each is used in the way that its own documents name for the purpose.

- libevent, libev and libuv go by their loop's cached time, which costs nothing to read and may be old: so they
  fire early, seen from the moment of the call.
- asio, timerfd and POSIX timers tell the kernel whenever the earliest timer changes: with one timer, that is always.
- GLib's way to move an attached source writes to an eventfd each time; its timer is destroyed and made anew
  instead, as its users do, which is several times faster.
- rte_timer reads the time-stamp counter for each call, and its loop polls; several threads are as many lcores.
- timerfd needs a descriptor for each timer, POSIX timers count as pending signals: the limits of one process end
  both before a million.
- libuv's and plain libevent's loops serve one thread, so they are missing where there are two.

About two rows of pools. In "scattered" each item costs two lines that travel between two CPUs, the item's and
the harness's mark that it ran, and the producer looks at the very mark that the worker is about to write. A
profile (`perf record -e cpu-clock build-bench/bench/wheelwork queue scattered 100000 1 0`, a line "run" on its
standard input for each run) shows the worker in the first locked instruction after that mark's store, the claim
of the next item, and the producer in the one that sets PENDING; `limit` waits at the same two places. What a CPU
can do while it waits is bounded in instructions, so the push is short. A claim and the end of PENDING are two
locked instructions on the worker's side, and one is the least that a certain cancel allows. How long such a line
travels depends on where the host has put the two CPUs: "line-trip" measures it, and here it has been anything from
60 to 270 ns at different times. The rate of "scattered" goes up and down with it.

Cancel + queue of a delayed work ("ORG") is a clock read and four locked instructions: two that take the base's
lock, two that say whether the item is pending, each a full barrier, as both calls promise. That is what `limit`
does in these rows. In "one-base-ORG" two threads take turns with one lock. Their critical sections, and all else
that they do while they have it to themselves, follow each other, so that twice what one thread needs alone is
the floor; each turn begins with one trip of the lock's line, and nothing else that both write.

''')
        if any(svg for _, svg in drawn):
            f.write('## Growth\n\n')
        for plot, svg in drawn:
            if svg:
                f.write(f'![{plot[1]}: {plot[5]} against {plot[4]}](benchmarks/{svg})\n\n')
        f.write('## What the command printed\n\n```text\n' + printed.strip() + '\n```\n')
