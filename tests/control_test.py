#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The subcommands that speak pktgen, from outside: run, check, send, probe, mount and shell."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness import IS_ROOT, NOBODY, ROOT, UPKTGEN, Skip, case, check, main, namespace, namespace_of_an_ordinary_user, run


# A silent pair of virtual devices, in a namespace that goes with the shell.
PAIR = '''set -e
PATH=$PATH:/sbin:/usr/sbin
ip link set lo up
ip link add v0 address 02:00:00:00:00:01 type veth peer name v1 address 02:00:00:00:00:02
for d in v0 v1; do echo 1 > /proc/sys/net/ipv6/conf/$d/disable_ipv6; ip link set $d up; done
set +e
tx() { sed -n 's/^ *v0: *//p' /proc/net/dev | awk '{ print $10 }'; }
rx() { sed -n 's/^ *v0: *//p' /proc/net/dev | awk '{ print $2 }'; }
U=''' + UPKTGEN + '\n'


def inside(script, **kw):
    return run(namespace() + ['bash', '-c', PAIR + script], **kw)


def ordinary(script):
    """The same as somebody who is not root, where root can become one."""
    way = namespace_of_an_ordinary_user()
    if IS_ROOT and run(NOBODY + ['test', '-x', UPKTGEN]).returncode:
        raise Skip('an ordinary user can not reach ' + UPKTGEN)
    return run(way + ['bash', '-c', PAIR + script])


def need_fuse():
    if not os.path.exists('/dev/fuse'):
        raise Skip('no /dev/fuse here')


# --- run and check ---------------------------------------------------------------------------------

@case
def a_faulty_line_ends_a_run_before_any_packet_leaves():
    r = inside('''cat > /tmp/upk$$ <<EOF
kpktgend_0 add_device v0
v0 count 10
v0 dst_mac 02:00:00:00:00:02
pgctrl start
v0 cuont 5
EOF
$U run /tmp/upk$$ > /tmp/upk$$.out 2>&1; echo "status $?"; sed "s#/tmp/upk$$#FILE#" /tmp/upk$$.out; rm -f /tmp/upk$$*
echo "packets $(tx)"''')
    check('status 2' in r.stdout, r.stdout + r.stderr)
    check("FILE:5: no device command 'cuont'" in r.stdout, r.stdout)
    check('packets 0' in r.stdout, r.stdout)


SIMPLE = '''pgctrl reset
kpktgend_0 rem_device_all
kpktgend_0 add_device v0
v0 count 3000
v0 clone_skb 0
v0 pkt_size 60
v0 delay 0
v0 flag NO_TIMESTAMP
v0 dst_mac 02:00:00:00:00:02
v0 dst_min 198.18.0.42
v0 dst_max 198.18.0.42
v0 flag UDPSRC_RND
v0 udp_src_min 9
v0 udp_src_max 109
pgctrl start
pgctrl reset
'''
OLD_CONF = '''kpktgend_0 rem_device_all
kpktgend_0 add_device v0
v0 count 3000
v0 clone_skb 1000000
v0 pkt_size 60
v0 delay 0
v0 dst 10.10.11.2
v0 dst_mac  02:00:00:00:00:02
pgctrl start
'''


@case
def the_writes_of_a_simple_sample_and_of_an_old_conf_replay():
    for text in (SIMPLE, OLD_CONF):
        r = inside("$U run - ; echo status $?\necho tx $(tx)", input=text)
        check('status 0' in r.stdout, r.stdout + r.stderr)
        check(re.search(r'^Result: OK: \d+\(c\d+\+d\d+\) usec, 3000 \(60byte,-?\d+frags\)\n'
                        r'  \d+pps \d+Mb/sec \(\d+bps\) errors: 0$', r.stdout, re.M), r.stdout)
        check('tx 3000' in r.stdout, r.stdout)


@case
def check_tells_every_fault_and_sends_nothing():
    r = run([UPKTGEN, 'check', '--elsewhere', '-'],
            input='kpktgend_0 add_device a\na count x\na flag NO\nb count 1\npgctrl go\n')
    check(r.returncode == 2 and [line.split(':')[1] for line in r.stdout.splitlines()] == ['2', '3', '4', '5'],
          r.stdout)
    check(run([UPKTGEN, 'check', '--elsewhere', '-'], input=SIMPLE).returncode == 0)
    check('vlan_cfi' in run([UPKTGEN, 'check', '--commands']).stdout)


@case
def json_is_one_document_that_agrees_with_itself():
    r = inside('$U run --json --seed 5 --backend packet --receiver v1 --progress=json - 2>/tmp/upk$$; '
               'echo "$?" >&2; cat /tmp/upk$$ >&2; rm -f /tmp/upk$$', input=SIMPLE.replace('NO_TIMESTAMP', 'UDPCSUM'))
    d = json.loads(r.stdout)
    one = d['runs'][0]
    check(d['seed'] == 5 and not d['interrupted'] and len(d['runs']) == 1, r.stdout)
    check(one['devices'][0]['sent'] == one['threads'][0]['sent'] == one['total']['sent'] == 3000, r.stdout)
    check(one['total']['bytes'] == 180000 and one['total']['errors'] == 0, r.stdout)
    check(one['devices'][0]['backend'] == 'packet' and one['devices'][0]['result'].startswith('OK: '), r.stdout)
    check(one['devices'][0]['backend_way'].startswith('sendmmsg'), r.stdout)
    check(one['devices'][0]['config']['flags'] == ['UDPSRC_RND', 'UDPCSUM', 'SHARED'], r.stdout)
    h = one['receiver']
    check(h['received'] + h['lost'] + h['receiver_dropped'] == 3000 and h['latency']['count'] > 0, r.stdout)


def names_in(o):
    """Every name of a JSON document, at any depth."""
    if isinstance(o, dict):
        return set(o).union(*(names_in(v) for v in o.values()))
    return set().union(*(names_in(v) for v in o)) if isinstance(o, list) else set()


@case
def every_name_of_the_json_is_documented():
    with open(os.path.join(ROOT, 'docs', 'json.md'), encoding='utf-8') as f:
        known = set(re.findall(r'`(\w+)(?:\[\])?`', f.read()))
    # some names are spelt in the text by what they begin with
    known |= {f'{a}_{b}' for a in ('src_mac', 'dst_mac') for b in ('count',)}
    known |= {f'svlan_{b}' for b in ('id', 'p', 'cfi')}
    seen = set()
    for more in ('v0 imix_weights 60,1 200,1\nv0 dst6 fd00::1\nv0 traffic_class 5\nv0 vlan_id 5\nv0 svlan_id 6',
                 'v0 mpls 00000001\nv0 tos 5\nv0 delay 1000'):
        r = inside('$U run --json --backend packet --receiver v1 --progress=json - 2>/tmp/upk$$; cat /tmp/upk$$ >&2; '
                   'rm -f /tmp/upk$$', input=SIMPLE.replace('pgctrl start', more + '\npgctrl start'))
        seen |= names_in(json.loads(r.stdout))
    check({'pcap', 'svlan_id', 'jitter', 'late_p99_ns'} <= seen, str(seen))
    check(not seen - known, f'not in docs/json.md: {sorted(seen - known)}')


@case
def progress_comes_as_json_lines():
    r = inside('$U send v0 --to-receiver v1 --rate 2000pps --time 2500ms --progress=json --json > /dev/null')
    lines = [json.loads(line) for line in r.stderr.splitlines() if line.startswith('{')]
    check(len(lines) >= 2, r.stderr)
    sent = [line['sent'] for line in lines]
    check(sent == sorted(sent) and sent[-1] > sent[0] and 'received' in lines[0], r.stderr)


# --- send and probe --------------------------------------------------------------------------------

@case
def send_says_what_it_comes_to_and_check_finds_no_fault():
    for args in (['--dst', '10.0.0.0/24', '--random', '--src-port', '5-9', '--imix', 'simple'],
                 ['--dst', '10.0.0.1-10.0.0.9', '--size', '60-1000', '--rate', '1Gbit', '--threads', '1'],
                 ['--dst', 'fd00::/64', '--src', 'fd01::1', '--tos', 'b8', '--vlan', '5:3', '--vlan', '7'],
                 ['--mpls', '00010120', '--udp-csum', '--flows', '100', '--burst', '4', '--count', '10k'],
                 ['--dst', '10.0.0.1-255.255.255.255', '--random', '--src-port', '0', '--dst-port', '65535'],
                 ['--rate', '0.2pps'], ['--imix', '60,1 100,2']):
        r = run([UPKTGEN, 'send', 'eth9', '--dst-mac', '02:00:00:00:00:02', '--show-commands'] + args)
        check(r.returncode == 0 and r.stdout.endswith('pgctrl start\n'), r.stdout + r.stderr)
        c = run([UPKTGEN, 'check', '--elsewhere', '-'], input=r.stdout)
        check(c.returncode == 0, c.stdout + r.stdout)


def commands(*args):
    r = run([UPKTGEN, 'send', 'eth9', '--dst-mac', '02:00:00:00:00:02', '--show-commands', *args])
    check(r.returncode == 0, r.stdout + r.stderr)
    return r.stdout.splitlines()


@case
def send_means_what_it_says():
    """Options and the commands that they come to, worked out by hand."""
    for args, wanted in (
            (['--dst', '10.1.0.0/16'], ['dst_min 10.1.0.1', 'dst_max 10.1.255.254']),
            (['--dst', '10.1.0.0/16', '--random'], ['flag IPDST_RND', 'dst_max 10.1.255.255']),
            (['--dst', '10.0.0.4/31'], ['dst_min 10.0.0.4', 'dst_max 10.0.0.5']),
            (['--src', '10.0.0.7'], ['src_min 10.0.0.7', 'src_max 10.0.0.7']),
            (['--dst', 'fd00::/120'], ['dst6_min fd00::', 'dst6_max fd00::ff']),
            (['--dst-port', '80'], ['udp_dst_min 80', 'udp_dst_max 80']),
            (['--dst-port', '80-82', '--random'], ['udp_dst_min 80', 'udp_dst_max 83', 'flag UDPDST_RND']),
            (['--src-port', '0'], ['udp_src_min 0', 'udp_src_max 0']),
            (['--rate', '100kpps'], ['delay 10000']),
            (['--rate', '1.5Mpps'], ['delay 667']),
            (['--rate', '480Mbit'], ['delay 1000']),  # 60 bytes are 480 bits
            (['--rate', '1Gbit/s', '--size', '1000'], ['delay 8000']),
            (['--rate', '1Mbit', '--imix', '60,1 140,1'], ['delay 800000', 'imix_weights 60,1 140,1']),
            (['--imix', 'simple'], ['imix_weights 60,7 590,4 1514,1']),
            (['--count', '2.5k'], ['count 2500']),
            (['--time', '2'], ['count 0']),
            (['--vlan', '5:3', '--vlan', '7'], ['vlan_id 7', 'svlan_id 5', 'svlan_p 3']),
            (['--tos', 'b8'], ['tos b8']),
            (['--size', '60-100', '--random'], ['min_pkt_size 60', 'max_pkt_size 101', 'flag TXSIZE_RND'])):
        got = [line.split(' ', 1)[1] for line in commands(*args)]
        for w in wanted:
            check(w in got, f'{args}: no "{w}" in {got}')


@case
def send_shares_count_and_rate_out_to_its_threads():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip('needs two CPUs')
    got = commands('--threads', '2', '--count', '1001', '--rate', '1Mpps')
    a, b = sorted(os.sched_getaffinity(0))[:2]
    for line in (f'kpktgend_{a} add_device eth9@{a}', f'kpktgend_{b} add_device eth9@{b}',
                 f'eth9@{a} count 501', f'eth9@{b} count 500', f'eth9@{a} delay 2000', f'eth9@{b} delay 2000'):
        check(line in got, f'no "{line}" in {got}')


@case
def send_refuses_nonsense_with_what_would_be_right():
    for args in (['--rate', '5x'], ['--size', '10'], ['--dst', '10.0.0.300'], ['--src-port', '9-5'],
                 ['--dst', '10.0.0.0/33'], ['--count', '-1'], ['--threads', '0'], [],
                 ['--rate', '0.01pps'], ['--src-port', '5-65535'], ['--imix', 'nosuchmix', '--show-commands'],
                 ['--vlan', '5:9', '--show-commands'], ['--mpls', 'x', '--show-commands']):
        mac = ['--dst-mac', '02:00:00:00:00:02'] if args else []
        r = run([UPKTGEN, 'send', 'eth9'] + mac + args)
        check(r.returncode == 2 and r.stderr, str(args) + r.stdout + r.stderr)


@case
def send_sends_what_it_was_told():
    r = inside('$U send v0 --to-receiver v1 --count 5k --size 100 --src-port 100-200 --random; echo status $?')
    check('status 0' in r.stdout and re.search(r'usec, 5000 \(100byte', r.stdout), r.stdout + r.stderr)
    check('Books: sent 5000 = received' in r.stdout, r.stdout)


@case
def a_capture_is_sent_frame_by_frame_with_its_own_gaps():
    r = inside("""d=$(mktemp -d); $U send x --backend pcap:$d/a.pcap --count 50 --rate 1kpps --dst-mac 02:00:00:00:00:02 > /dev/null
$U send v0 --pcap $d/a.pcap --speed 0.5; echo status $?; echo tx $(tx)
$U send v0 --pcap $d/a.pcap --speed 0 --backend packet --count 120 > /dev/null; echo tx $(tx)
$U send v0 --pcap $d/none; echo status $?; rm -r $d""")
    check('status 0' in r.stdout and 'tx 50\n' in r.stdout and 'tx 170' in r.stdout, r.stdout + r.stderr)
    m = re.search(r'Result: OK: (\d+)\(c\d+\+d\d+\) usec, 50 ', r.stdout)
    check(m and 90000 < int(m[1]) < 2000000, r.stdout)  # 49 gaps of 1 ms at half speed
    check('status 2' in r.stdout and 'No such file' in r.stderr, r.stdout + r.stderr)


@case
def probe_names_the_backend_and_why():
    r = inside('$U probe v0; echo status $?; $U probe nosuch; echo status $?')
    check('status 0' in r.stdout and 'status 2' in r.stdout and re.search(r'A run takes \w+', r.stdout), r.stdout)
    check('packet:sendmmsg, packet:ring' in r.stdout and 'xdp:native, xdp:generic' in r.stdout, r.stdout)


@case
def a_way_of_a_backend_is_named_behind_it_and_told():
    r = inside('$U send v0 --backend packet:ring --count 5k --dst-mac 02:00:00:00:00:02; echo status $?')
    check('status 0' in r.stdout and 'by backend packet, ring\n' in r.stdout, r.stdout + r.stderr)
    r = inside('$U send v0 --backend packet:rings --count 5k --dst-mac 02:00:00:00:00:02; echo status $?')
    check('status 2' in r.stdout and 'packet:ring' in r.stderr, r.stdout + r.stderr)


# --- shell: the control files through a shell's eyes --------------------------------------------------

# What the well-known scripts do: redirections, a grep for the result, and their exit codes.
TOOLS = r'''
P=/proc/net/pktgen
put() { f=$P/$1; shift; [ -e $f ] || exit 3; [ -w $f ] || exit 4; echo "$@" > $f; s=$?
  case $f in */pgctrl) ;; *) grep -q "Result: OK:" $f || grep "Result:" $f >&2 ;; esac; [ $s = 0 ] || exit 5; }
one() { put kpktgend_$1 rem_device_all; put kpktgend_$1 add_device $2; }
trap 'put pgctrl reset' EXIT
put pgctrl reset
'''
MANY = TOOLS + r'''
for t in 0 1; do [ -e $P/kpktgend_$t ] || continue; d=v0@$t; one $t $d; put $d flag QUEUE_MAP_CPU; put $d count 2000
  put $d clone_skb 0; put $d pkt_size 60; put $d delay 0; put $d flag NO_TIMESTAMP; put $d dst_mac 02:00:00:00:00:02
  put $d dst_min 198.18.0.42; put $d dst_max 198.18.0.42; put $d burst ${BURST:-1}; put $d flag IPSRC_RND
  put $d src_min 198.18.0.0; put $d src_max 198.19.255.255; put $d flows 8000; put $d flowlen 10; put $d flag FLOW_SEQ; done
put pgctrl start
for f in $P/v0@*; do grep -A2 "Result:" $f; done
'''


def quoted(script):
    return "'" + script.replace("'", "'\\''") + "'"


def many(out):
    found = re.findall(r'^Result: OK: \d+\(c\d+\+d\d+\) usec, 2000 \(60byte,-?\d+frags\)\n'
                       r'  \d+pps \d+Mb/sec \(\d+bps\) errors: 0$', out, re.M)
    return len(found) == min(2, os.cpu_count())


@case
def scripts_run_unmodified_under_a_shell():
    need_fuse()
    r = inside('BURST=32 $U shell -- bash -c ' + quoted(MANY) + '; echo status $?')
    check('status 0' in r.stdout and many(r.stdout), r.stdout + r.stderr)


@case
def so_they_do_for_an_ordinary_user():
    need_fuse()
    r = ordinary('$U shell -- bash -c ' + quoted(MANY) + '; echo status $?')
    check('status 0' in r.stdout and many(r.stdout), r.stdout + r.stderr)


@case
def strict_fails_as_the_kernel_does_on_a_pair():
    need_fuse()
    r = inside('BURST=32 $U shell --strict -- bash -c ' + quoted(MANY) + '; echo status $?')
    check('status 5' in r.stdout and 'not supported' in r.stderr, r.stdout + r.stderr)


@case
def the_rest_of_proc_net_stays_and_nobody_else_sees_pktgen():
    need_fuse()
    r = inside('$U shell -- sh -c "grep -c v0: /proc/net/dev; cat /proc/net/pktgen/pgctrl; ls /proc/net | wc -l"; '
               'ls /proc/net/pktgen; echo "status $?"; readlink /proc/net')
    check(r.stdout.startswith('1\nPacket Generator') and 'self/net' in r.stdout, r.stdout)
    check('status 2' in r.stdout, r.stdout)


@case
def a_shells_exit_status_is_the_commands():
    need_fuse()
    for command, status in (('exit 7', 7), ('kill -9 $$', 137), ('true', 0)):
        r = inside(f"$U shell -- sh -c '{command}'; echo status $?")
        check(f'status {status}\n' in r.stdout, r.stdout + r.stderr)
    check('status 127' in inside('$U shell -- /no/such/program; echo status $?').stdout)


@case
def receive_injection_without_the_right_to_it_is_refused_with_the_reason():
    need_fuse()
    r = ordinary('$U shell -- bash -c ' + quoted(TOOLS + 'one 0 v0; put v0 xmit_mode netif_receive') + '; echo status $?')
    check('status 5' in r.stdout and re.search('Result: ERROR: netif_receive: .', r.stderr), r.stdout + r.stderr)


@case
def receive_injection_works_for_root():
    need_fuse()
    if not IS_ROOT:
        raise Skip('needs root')
    r = inside('$U shell -- bash -c ' + quoted(TOOLS + '''one 0 v0; put v0 count 3000; put v0 xmit_mode netif_receive
put v0 burst 4; put pgctrl start; grep -A1 "Result:" $P/v0; sed -n "s/^ *v0: *//p" /proc/net/dev''') + '; echo status $?')
    check('status 0' in r.stdout and re.search(r'usec, 3000 \(', r.stdout), r.stdout + r.stderr)


# --- mount ------------------------------------------------------------------------------------------

class Mounted:
    """The control files in a folder, served by a process of its own in a private network."""

    def __init__(self, *args):
        need_fuse()
        if not IS_ROOT:
            raise Skip('the folder is looked at from outside of the namespace: needs root')
        self.dir = tempfile.mkdtemp(prefix='upk')
        self.server = subprocess.Popen(
            namespace() + ['bash', '-c', PAIR + f'exec $U mount {self.dir} ' + ' '.join(args)],
            stdout=subprocess.PIPE, text=True)
        for line in self.server.stdout:
            if 'is ready' in line:
                return
        raise AssertionError('no mount')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(30)
        self.server.stdout.close()
        os.rmdir(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def read(self, name):
        with open(self.path(name), encoding='ascii') as f:
            return f.read()

    def write(self, name, data):
        fd = os.open(self.path(name), os.O_WRONLY | os.O_TRUNC)
        try:
            return os.write(fd, data)
        finally:
            os.close(fd)

    def errno(self, name, data):
        try:
            self.write(name, data)
        except OSError as e:
            return e.errno
        return 0


@case
def mounted_files_have_the_kernels_names_modes_and_texts():
    with Mounted() as m:
        names = sorted(os.listdir(m.dir))
        check(names[-1] == 'pgctrl' and names[0] == 'kpktgend_0', str(names))
        for n in names:
            st = os.stat(m.path(n))
            check(st.st_mode == 0o100600 and st.st_size == 0 and st.st_uid == os.geteuid(), n)
        check(os.stat(m.dir).st_mode == 0o40555)
        check(m.read('pgctrl') == 'Packet Generator for packet performance testing. Version: 2.75\n')
        check(m.write('kpktgend_0', b'add_device v0@x\n') == 16)
        check('v0@x' in os.listdir(m.dir) and m.read('v0@x').startswith('Params: count 1000  min_pkt_size'))
        m.write('kpktgend_0', b'rem_device_all')
        check('v0@x' not in os.listdir(m.dir) and not os.path.exists(m.path('v0@x')))


@case
def odd_writes_to_mounted_files_behave():
    with Mounted() as m:
        m.write('kpktgend_0', b'add_device v0')
        check(m.errno('v0', b'') == 0, 'a write of no bytes does not reach a FUSE file system')
        check(m.errno('v0', b'\n') == 22 and m.errno('pgctrl', b'go') == 22 and m.errno('v0', b'rate 0') == 22)
        check(m.errno('v0', b'mpls ' + b','.join([b'00000001'] * 17)) == 7)
        check(m.errno('v0', b'spi 5') == 95)
        check(m.write('v0', b'count 7' + b' ' * 100000) == 100007 and 'count 7 ' in m.read('v0'))
        check(m.errno('pgctrl', b's' * 4000) == 22)
        os.truncate(m.path('v0'), 0)
        check('count 7 ' in m.read('v0'))
        for call in (lambda: os.unlink(m.path('v0')), lambda: os.chmod(m.path('v0'), 0o666),
                     lambda: os.close(os.open(m.path('new'), os.O_CREAT | os.O_WRONLY))):
            try:
                call()
                check(False, 'it was allowed')
            except OSError as e:
                check(e.errno in (1, 13), str(e))


@case
def a_signal_ends_a_blocking_start_and_keeps_what_was_sent():
    with Mounted('--backend', 'packet') as m:
        m.write('kpktgend_0', b'add_device v0')
        m.write('v0', b'count 0')
        child = subprocess.Popen(['sh', '-c', f'trap "echo caught" INT; echo start > {m.path("pgctrl")}; echo wrote $?'],
                                 stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while 'pkts-sofar: 0 ' in m.read('v0') and time.monotonic() < deadline:
            time.sleep(0.05)
        check('Running: v0 ' in m.read('kpktgend_0'), m.read('kpktgend_0'))
        child.send_signal(signal.SIGINT)
        out = child.communicate(timeout=30)[0]
        check('wrote 0' in out and 'caught' in out, out)
        result = re.search(r'^Result: OK: .* usec, (\d+) ', m.read('v0'), re.M)
        check(result and int(result[1]) > 0, m.read('v0'))


@case
def a_killed_writer_ends_its_start_too():
    with Mounted('--backend', 'packet') as m:
        m.write('kpktgend_0', b'add_device v0')
        m.write('v0', b'count 0')
        child = subprocess.Popen(['sh', '-c', f'echo start > {m.path("pgctrl")}'])
        deadline = time.monotonic() + 20
        while 'Running: v0 ' not in m.read('kpktgend_0') and time.monotonic() < deadline:
            time.sleep(0.05)
        child.kill()
        child.wait(30)
        while 'Running: v0 ' in m.read('kpktgend_0') and time.monotonic() < deadline:
            time.sleep(0.05)
        check('Running: \n' in m.read('kpktgend_0'), m.read('kpktgend_0'))


@case
def readers_and_writers_during_a_run_are_safe():
    with Mounted('--backend', 'packet') as m:
        m.write('kpktgend_0', b'add_device v0')
        m.write('v0', b'count 0')
        starter = threading.Thread(target=m.write, args=('pgctrl', b'start'))
        starter.start()
        stop = time.monotonic() + 1.5
        faults = []

        def work(i):
            try:
                while time.monotonic() < stop:
                    m.write('v0', b'udp_src_max %d' % (100 + i))
                    m.write('v0', b'pkt_size %d' % (60 + i))
                    text = m.read('v0')
                    if not text.startswith('Params: ') or not text.endswith('\n') or 'Result: ' not in text:
                        faults.append(text)
                    m.read('kpktgend_0')
            except OSError as e:
                faults.append(str(e))

        workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in workers:
            t.start()
        for t in workers:
            t.join()
        m.write('pgctrl', b'stop')
        starter.join(30)
        check(not starter.is_alive() and not faults, str(faults[:2]))
        check(re.search(r'^Result: OK: .* usec, [1-9]', m.read('v0'), re.M), m.read('v0'))


@case
def adding_removing_starting_and_reading_at_once_are_safe():
    """Whatever wins, each file stays whole, no errno is odd, and nothing is left over."""
    with Mounted('--backend', 'null') as m:
        stop = time.monotonic() + 2
        faults = []
        threads = [n for n in os.listdir(m.dir) if n.startswith('kpktgend_')][:2]

        def work(i):
            mine = f'v0@{i}'
            steps = ((threads[i % len(threads)], b'add_device %s' % mine.encode()), (mine, b'count 20000'),
                     (mine, b'flows %d' % i), ('pgctrl', b'start'), (threads[0], b'rem_device_all'),
                     (mine, b'clear_counters'), ('pgctrl', b'stop' if i % 2 else b'reset'))
            while time.monotonic() < stop:
                for target, text in steps:
                    e = m.errno(target, text)
                    if e not in (0, 2, 16):  # gone, or there already
                        faults.append(f'{target} {text}: {e}')
                for n in threads + [mine]:
                    try:
                        text = m.read(n)
                    except OSError:
                        continue
                    if 'Result: ' not in text or not text.endswith('\n'):
                        faults.append(text)

        workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in workers:
            t.start()
        for t in workers:
            t.join(60)
        check(not any(t.is_alive() for t in workers), 'somebody hangs')
        check(not faults, str(faults[:3]))
        m.write('pgctrl', b'reset')
        check(sorted(os.listdir(m.dir))[-1] == 'pgctrl', str(os.listdir(m.dir)))


@case
def only_the_one_who_mounted_may_look_or_write():
    with Mounted() as m:
        other = NOBODY
        os.chmod(os.path.dirname(m.dir), os.stat(os.path.dirname(m.dir)).st_mode)
        check(run(other + ['cat', m.path('pgctrl')]).returncode != 0)
        check(run(other + ['sh', '-c', f'echo stop > {m.path("pgctrl")}']).returncode != 0)


if __name__ == '__main__':
    sys.exit(main())
