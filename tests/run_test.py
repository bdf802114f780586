#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The main job from outside: ./dev run's script and the program, as a user meets them."""
import glob
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from harness import IS_ROOT, NOBODY, ROOT, UPKTGEN, Skip, case, check, main, namespace, namespace_of_an_ordinary_user, run

RUN = os.path.join(ROOT, 'tools', 'run.sh')


def books(out):
    m = re.search(r'Books: sent (\d+) (=|IS NOT) received (\d+) \+ lost (\d+) \+ damaged (\d+) '
                  r'\+ dropped by the receiver (\d+)', out)
    check(m, out)
    return m


@case
def the_main_job_exits_0_and_its_books_balance():
    namespace()
    r = run([RUN, UPKTGEN, '1'])
    check(r.returncode == 0, f'{r.returncode}: {r.stdout}{r.stderr}')
    m = books(r.stdout)
    check(m[2] == '=' and int(m[1]) > 1000 and int(m[4]) == 0, r.stdout)
    sent = re.search(r'Result: OK: \d+\(c\d+\+d\d+\) usec, (\d+) \(60byte,0frags\)\n'
                     r'  \d+pps \d+Mb/sec \(\d+bps\) errors: 0\n', r.stdout)
    check(sent and sent[1] == m[1], r.stdout)
    check(re.search(r'latency: min .* p50 .* p99 .* p99.9 .* max ', r.stdout), r.stdout)
    check(re.search(r'\|#+ *\| \d+\n', r.stdout), 'no histogram: ' + r.stdout)
    check(re.search(r' s  \d+ packets  \d+ packets/s  [\d.]+ Mb/s  received \d+  lost 0',
                    r.stderr) or 'packets/s' not in r.stderr, r.stderr)


@case
def an_ordinary_user_can_run_it():
    if not IS_ROOT:
        raise Skip('the case above was run as an ordinary user')
    namespace_of_an_ordinary_user()
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        shutil.copy(UPKTGEN, d)
        shutil.copy(RUN, d)
        r = run(NOBODY + [d + '/run.sh', d + '/upktgen', '1'], cwd='/')
    check(r.returncode == 0, f'{r.returncode}: {r.stdout}{r.stderr}')
    check(books(r.stdout)[2] == '=', r.stdout)


def in_namespace(ino):
    """Processes that are in this network namespace."""
    found = []
    for link in glob.glob('/proc/[0-9]*/ns/net'):
        try:
            if os.readlink(link) == ino:
                found.append(link)
        except OSError:
            pass
    return found


def start_and_wait():
    namespace()
    p = subprocess.Popen([RUN, UPKTGEN, '100'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    line = p.stderr.readline()
    check('packets/s' in line, line)
    return p, os.readlink(f'/proc/{p.pid}/ns/net')


@case
def ctrl_c_prints_the_result_so_far_and_the_namespace_is_gone():
    p, ino = start_and_wait()
    check(in_namespace(ino), 'the program is in its namespace')
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    check(p.returncode == 130, f'{p.returncode}: {out}{err}')
    check('Result: OK: ' in out and books(out)[2] == '=', out + err)
    check(not in_namespace(ino), 'somebody stayed behind')


@case
def a_killed_run_leaves_no_namespace_behind():
    p, ino = start_and_wait()
    p.kill()
    p.communicate(timeout=60)
    for _ in range(100):
        if not in_namespace(ino):
            return
        time.sleep(0.05)
    check(False, str(in_namespace(ino)))


@case
def without_namespaces_it_says_what_is_missing():
    with tempfile.TemporaryDirectory() as d:
        os.symlink('/bin/false', d + '/unshare')
        r = run([RUN, UPKTGEN, '1'], env={'PATH': d + ':/bin:/usr/bin:/sbin:/usr/sbin'})
    check(r.returncode == 1 and 'needs root, or user namespaces' in r.stderr, r.stderr)


@case
def a_program_that_fails_makes_the_run_fail():
    namespace()
    r = run([RUN, '/bin/false', '1'])
    check(r.returncode == 1, f'{r.returncode}: {r.stdout}{r.stderr}')


# --- frames ------------------------------------------------------------------------------------

SCRIPT = '''
kpktgend_{cpu} add_device pgtx
pgtx count {count}
pgtx min_pkt_size 60
pgtx max_pkt_size 400
pgtx flag TXSIZE_RND
pgtx src_mac 02:00:00:00:00:01
pgtx dst_mac 02:00:00:00:00:02
pgtx src_min 10.1.0.1
pgtx src_max 10.1.9.200
pgtx flag IPSRC_RND
pgtx dst_min 10.2.0.1
pgtx dst_max 10.2.0.9
pgtx udp_dst_min 52000
pgtx udp_dst_max 53000
pgtx flag UDPDST_RND
{more}
pgctrl start
'''


def script(count, more=''):
    cpu = min(os.sched_getaffinity(0))
    return SCRIPT.format(cpu=cpu, count=count, more=more)


def upktgen(args, text):
    r = run([UPKTGEN, 'run'] + args + ['-'], input=text)
    check(r.returncode == 0, r.stdout + r.stderr)
    return r.stdout


def frames(name):
    """The frames of a pcap file."""
    data = open(name, 'rb').read()
    check(data[:4] in (b'\x4d\x3c\xb2\xa1', b'\xd4\xc3\xb2\xa1'), 'not a pcap file')
    at, out = 24, []
    while at < len(data):
        caplen = struct.unpack_from('<I', data, at + 8)[0]
        out.append(data[at + 16:at + 16 + caplen])
        at += 16 + caplen
    return out


def without_stamp(frame):
    """The 8 bytes of time, and the UDP checksum that covers them, are left out."""
    return frame[:40] + b'..' + frame[42:50] + b'........' + frame[58:]


@case
def the_same_seed_gives_the_same_packets():
    with tempfile.TemporaryDirectory() as d:
        for name, seed in (('a', 7), ('b', 7), ('c', 8)):
            upktgen(['--seed', str(seed), '-b', f'pcap:{d}/{name}'], script(2000, 'pgtx flag UDPCSUM'))
        a, b, c = (list(map(without_stamp, frames(f'{d}/{n}'))) for n in 'abc')
    check(len(a) == 2000 and a == b, 'the same seed gave different packets')
    check(a != c, 'different seeds gave the same packets')


def capture(backend, count, name, text, extra=()):
    """Frames as they arrive at the far end of a pair, by tshark."""
    inside = f'''
ip link add pgtx address 02:00:00:00:00:01 type veth peer name pgrx address 02:00:00:00:00:02
for d in pgtx pgrx; do echo 1 > /proc/sys/net/ipv6/conf/$d/disable_ipv6; done
ethtool -K pgrx gro on
ip link set pgrx up; ip link set pgtx up
tshark -q -F pcap -i pgrx -f 'udp' -c {count} -a duration:60 -w {name} 2>{name}.log &
while ! grep -q Capturing {name}.log; do sleep 0.1; done
sleep 0.5
{UPKTGEN} run --seed 7 -b {backend} {' '.join(extra)} - <<'X' || exit 1
{text}
X
wait
'''
    r = run(namespace() + ['sh', '-c', inside])
    check(r.returncode == 0, r.stdout + r.stderr)


def need_tools():
    for tool in ('tshark', 'ethtool'):
        if not shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin:/sbin'):
            raise Skip(f'{tool} is not installed')


def tshark_fields(name, *names):
    args = ['tshark', '-r', name, '-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE',
            '-T', 'fields']
    for n in names:
        args += ['-e', n]
    r = run(args)
    check(r.returncode == 0, r.stderr)
    return [line.split('\t') for line in r.stdout.splitlines()]


def valid_by_tshark(backend):
    need_tools()
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o777)
        name = d + '/seen.pcap'
        capture(backend, 500, name, script(500, 'pgtx flag UDPCSUM'))
        rows = tshark_fields(name, 'frame.protocols', 'ip.checksum.status', 'udp.checksum.status',
                             'eth.dst', 'ip.ttl', '_ws.malformed')
        check(len(rows) == 500, f'{len(rows)} frames')
        for row in rows:
            check(row[0].startswith('eth:ethertype:ip:udp') and row[1:5] ==
                  ['1', '1', '02:00:00:00:00:02', '32'], str(row))
        upktgen(['--seed', '7', '-b', f'pcap:{d}/made'], script(500, 'pgtx flag UDPCSUM'))
        seen, made = frames(name), frames(d + '/made')
        check([without_stamp(f) for f in seen] == [without_stamp(f) for f in made],
              'what arrived is not what the generator makes')


@case
def tshark_finds_valid_frames_from_packet_sockets():
    valid_by_tshark('packet')


@case
def tshark_finds_valid_frames_from_live():
    if not IS_ROOT:
        raise Skip('loading BPF programs needs root')
    valid_by_tshark('live')


# A silent pair of devices.
PAIR = '''
ip link add pgtx type veth peer name pgrx
for d in pgtx pgrx; do echo 1 > /proc/sys/net/ipv6/conf/$d/disable_ipv6; done
ip link set pgrx up; ip link set pgtx up
'''


@case
def the_receiver_by_itself_writes_json_and_a_picture():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o777)
        inside = PAIR + f'''{UPKTGEN} receive --json --svg {d}/picture.svg --way packet --last 3000 pgrx >{d}/out.json 2>{d}/log &
while ! grep -q receiving {d}/log; do sleep 0.05; done
{UPKTGEN} run --seed 7 -b packet --stamp ns - <<'X' || exit 1
{script(3000)}
X
wait $!
'''
        r = run(namespace() + ['sh', '-c', inside])
        check(r.returncode == 0, r.stdout + r.stderr + open(d + '/log', encoding='utf-8').read())
        with open(d + '/out.json', encoding='utf-8') as f:
            o = json.load(f)
        picture = xml.etree.ElementTree.parse(d + '/picture.svg').getroot()
    check(o['packets'] == o['distinct'] == 3000 and o['lost'] == o['damaged'] == 0, str(o)[:500])
    check(o['tail_known'] and o['stamp_resolution_ns'] == 1 and o['last_sequence'] == 3000, str(o)[:500])
    check(sum(b[2] for b in o['latency']['buckets']) == o['latency']['samples'] == 3000, str(o)[:500])
    bars = [e for e in picture if e.tag.endswith('rect')]
    check(sum(int(e[0].text) for e in bars) == 3000, 'the picture shows every sample once')


TWO_SENDERS = ''.join(f"""kpktgend_0 add_device pgtx@{i}
pgtx@{i} count 2000
pgtx@{i} pkt_size 60
pgtx@{i} ratep 20000
pgtx@{i} dst_mac 02:00:00:00:00:02
pgtx@{i} dst 198.18.0.2
pgtx@{i} src_min 198.18.0.1
pgtx@{i} src_max 198.18.0.1
pgtx@{i} udp_src_min {1000 + i}
pgtx@{i} udp_src_max {1000 + i}
""" for i in (0, 1)) + 'pgctrl start\n'


@case
def each_sender_and_each_flow_is_told_in_text_json_and_the_picture():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o777)
        inside = PAIR + f'''for how in --json ""; do
  {UPKTGEN} receive $how --svg {d}/picture$how.svg --way packet --silence 2000 pgrx >{d}/out$how 2>{d}/log &
  while ! grep -q receiving {d}/log; do sleep 0.05; done
  {UPKTGEN} run --seed 7 -b packet - >{d}/sent <<'X' || {{ cat {d}/sent; exit 1; }}
{TWO_SENDERS}X
  wait $!
  : >{d}/log
done
'''
        r = run(namespace() + ['sh', '-c', inside])
        check(r.returncode == 0, r.stdout + r.stderr)
        with open(d + '/out--json', encoding='utf-8') as f:
            o = json.load(f)
        with open(d + '/out', encoding='utf-8') as f:
            text = f.read()
        picture = xml.etree.ElementTree.parse(d + '/picture.svg').getroot()
    check(o['lost'] == o['duplicated'] == o['reordered'] == o['stray'] == 0 and o['packets'] == 4000, str(o)[:800])
    check([s['packets'] for s in o['senders']] == [2000, 2000] and not any(s['begun_anew'] for s in o['senders']), str(o['senders']))
    for f in o['flows']:
        check((f['src'], f['dst'], f['dst_port'], f['packets'], f['lost']) == ('198.18.0.1', '198.18.0.2', 9, 2000, 0), str(f))
    check(sorted(f['src_port'] for f in o['flows']) == [1000, 1001], str(o['flows']))
    check('senders told apart: 2' in text and 'flows: 2' in text, text)
    for port in (1000, 1001):
        check(len(re.findall(rf'198.18.0.1:{port} > 198.18.0.2:9: 2000 packets  lost: 0', text)) == 2, text)
    rows = [e for e in picture if e.attrib.get('class') == 'flow']
    check(len(rows) == 2 and '2000 packets, lost 0' in rows[0][1].text, str([r[1].text for r in rows]))


if __name__ == '__main__':
    sys.exit(main())
