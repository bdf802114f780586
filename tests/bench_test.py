#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the benchmark harness promises: its lines, its refusals, and that nobody is passed over."""
import json
import os
import subprocess
import signal
import sys
import tempfile
import time

from harness import BUILD, ROOT as TOP, Skip, case, main

UNITS = {'ns', 'cycles', 'items/s', 'packets/s', 'bytes', 'us'}
sys.path.insert(0, f'{TOP}/bench')
import plan  # noqa: E402  pylint: disable=wrong-import-position


def bench(*argv, status=0, build=BUILD):
    p = subprocess.run(['python3', f'{TOP}/bench/bench.py', '--build', build, *argv], text=True, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert p.returncode == status, f'status {p.returncode}\n{p.stdout}'
    return p.stdout


@case
def each_figure_is_a_json_line_with_the_promised_fields():
    with tempfile.TemporaryDirectory() as where:
        text = bench('memory', 'rearm-relative', '--quick', '--who', 'wheelwork,limit', '--json', f'{where}/f')
        with open(f'{where}/f', encoding='utf-8') as f:
            lines = [json.loads(line) for line in f]
    assert {(x['bench'], x['who']) for x in lines} >= {('rearm-relative', 'wheelwork'), ('rearm-relative', 'limit')}, text
    for x in lines:
        assert list(x) == ['bench', 'case', 'who', 'n', 'threads', 'unit', 'min', 'median', 'max', 'runs'], x
        assert x['unit'] in UNITS and 0 <= x["min"] <= x['median'] <= x['max'] and x['runs'] >= 1, x
    assert 'ours / theirs' in text, text


@case
def a_name_that_is_not_there_is_refused_with_those_that_are():
    text = bench('no-such-row', status=2)
    assert "no benchmark 'no-such-row'" in text and 'rearm' in text, text


@case
def a_rival_that_is_not_installed_is_named_with_its_package():
    with tempfile.TemporaryDirectory() as where:
        os.mkdir(f'{where}/bench')
        text = bench('rearm', '--quick', build=where)
    for who, package in plan.PACKAGES.items():
        assert f'missing: {who} (package {package})' in text, text


@case
def the_plan_holds_every_name_and_only_these():
    names = {'rearm', 'rearm-relative', 'cancel-add', 'add-cancel', 'update-delayed-work', 'delete-sync', 'expire',
             'lateness', 'idle-wakeups', 'queue', 'wake-latency', 'blocked-pool', 'loop-barrier', 'thread', 'memory',
             'server', 'pktgen-null', 'pktgen-veth', 'pktgen-pacing', 'receiver', 'correctness'}
    assert set(plan.WHAT) <= names, set(plan.WHAT) - names
    assert {r.bench for r in plan.ROWS} == set(plan.WHAT)


def below(pid):
    """Its children and theirs."""
    found, order = [], [pid]
    for p in order:
        try:
            with open(f'/proc/{p}/task/{p}/children', encoding='utf-8') as f:
                order += [int(c) for c in f.read().split()]
        except OSError:
            pass
        found.append(p)
    return found[1:]


def command_line(pid):
    try:
        with open(f'/proc/{pid}/cmdline', encoding='utf-8', errors='replace') as f:
            return f.read()
    except OSError:
        return ''


@case
def what_is_measured_ends_with_the_harness_however_that_ends():
    for number in (signal.SIGKILL, signal.SIGTERM):
        with subprocess.Popen(['python3', f'{TOP}/bench/bench.py', '--build', BUILD, 'wake-latency', '--who', 'limit,wheelwork'],
                              stdout=subprocess.DEVNULL) as p:
            children, until = [], time.monotonic() + 60
            while len(children) < 2 and time.monotonic() < until:
                children = [c for c in below(p.pid) if f'{BUILD}/bench/' in command_line(c) and 'wake-latency' in command_line(c)]
                time.sleep(0.01)
            assert len(children) >= 2, 'nothing was started'
            p.send_signal(number)
            p.wait()
        until = time.monotonic() + 60
        while any(f'{BUILD}/bench/' in command_line(c) for c in children) and time.monotonic() < until:
            time.sleep(0.01)
        assert not any(f'{BUILD}/bench/' in command_line(c) for c in children), f'left behind after signal {number}: {children}'


@case
def no_program_has_two_rows_of_one_name():
    for who in ('limit', 'wheelwork'):
        rows = subprocess.run([f'{BUILD}/bench/{who}'], capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(rows) == len(set(rows)) > 10, rows


@case
def the_server_has_its_connections_whatever_one_file_table_holds():
    with open(f'{BUILD}/meson-info/intro-buildoptions.json', encoding='utf-8') as f:
        if next(o['value'] for o in json.load(f) if o['name'] == 'b_sanitize') != 'none':
            raise Skip('minutes under a sanitizer')
    with tempfile.TemporaryDirectory() as where:
        text = bench('server', '--quick', '--who', 'wheelwork', '--json', f'{where}/f')
        with open(f'{where}/f', encoding='utf-8') as f:
            lines = [json.loads(line) for line in f]
    assert {x['case'] for x in lines} == {'echo-wall', 'echo-cpu', 'echo-bare-cpu', 'echo-timer-calls-cpu'}, text
    assert all(x['n'] == 100000 for x in lines) and 'not measured' not in text, text


if __name__ == '__main__':
    sys.exit(main())
