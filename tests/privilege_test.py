#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a user can see of SECURITY.md from outside: who keeps which rights while packets are sent and
received, what a started command gets, which files are touched, and what a hostile script can do."""
import functools
import glob
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from harness import IS_ROOT, NOBODY, UPKTGEN, Skip, case, check, main, run as run_for

run = functools.partial(run_for, timeout=120)


def need_root():
    if not IS_ROOT:
        raise Skip('it takes root, who has something to give up')


PAIR = '''set -e
PATH=$PATH:/sbin:/usr/sbin
ip link set lo up
ip link add v0 address 02:00:00:00:00:01 type veth peer name v1 address 02:00:00:00:00:02
ip link add w0 type veth peer name w1
for d in v0 v1 w0 w1; do echo 1 > /proc/sys/net/ipv6/conf/$d/disable_ipv6; ip link set $d up; done
ethtool -K v1 gro on 2>/dev/null || true
set +e
U=''' + UPKTGEN + '\n'


def inside(script, **kw):
    """In a network namespace with two silent pairs, v0-v1 and w0-w1."""
    return run(['unshare', '--net', 'bash', '-c', PAIR + script], **kw)


class Running:
    """A long run in a namespace of its own, and its processes."""

    def __init__(self, script):
        # pylint: disable=consider-using-with
        self.shell = subprocess.Popen(['unshare', '--net', 'bash', '-c', PAIR + script],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.all():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.shell.kill()
        self.shell.communicate()

    def all(self):
        """Every upktgen process below the shell: the worker first."""
        found, todo = [], [self.shell.pid]
        while todo:
            pid = todo.pop(0)
            try:
                if os.readlink(f'/proc/{pid}/exe') == UPKTGEN:
                    found.append(pid)
                for task in os.listdir(f'/proc/{pid}/task'):
                    with open(f'/proc/{pid}/task/{task}/children', encoding='ascii') as f:
                        todo += [int(p) for p in f.read().split()]
            except (FileNotFoundError, ProcessLookupError):
                pass
        return found

    def wait_for(self, n, ready):
        """Until there are n processes, and ready(pids) is true of them."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pids = self.all()
            if len(pids) == n and ready(pids):
                return pids
            check(self.shell.poll() is None, 'it ended: ' + str(self.shell.poll()))
            time.sleep(0.05)
        raise AssertionError(f'{self.all()} are not {n} processes that are ready')


def status_of(pid):
    with open(f'/proc/{pid}/status', encoding='ascii') as f:
        return dict(line.split(':\t', 1) for line in f.read().splitlines() if ':\t' in line)


def cap(*numbers):
    return sum(1 << n for n in numbers)


NET_BIND, NET_ADMIN, NET_RAW, IPC_LOCK, PERFMON, BPF = 10, 12, 13, 14, 38, 39
INSTRUMENTED = bool(re.search(rb'__(asan|tsan)_init|__gcov_dump', open(UPKTGEN, 'rb').read()))


def confined(pid, may):
    """pid has none but these capabilities, can gain none, and runs under a filter."""
    for task in os.listdir(f'/proc/{pid}/task'):
        s = status_of(f'{pid}/task/{task}')
        for field in ('CapPrm', 'CapEff'):
            check(int(s[field], 16) & ~may == 0, f'{task} {field} {s[field]}')
        for field in ('CapInh', 'CapBnd', 'CapAmb'):
            check(int(s[field], 16) == 0, f'{task} {field} {s[field]}')
        check(s['NoNewPrivs'] == '1', f'{task} can gain')
        check(INSTRUMENTED or s['Seccomp'] == '2', f'{task} has no filter')


def threads_of(pid):
    return len(os.listdir(f'/proc/{pid}/task'))


def settled(pids):
    return all(status_of(p)['NoNewPrivs'] == '1' and int(status_of(p)['CapBnd'], 16) == 0 for p in pids) and \
        threads_of(pids[0]) > 1


@case
def every_part_of_a_sending_run_has_given_up_all_that_it_does_not_need():
    need_root()
    for backend, processes in (('live', 3), ('xdp', 2), ('packet', 2)):
        with Running(f'exec $U send v0 --backend {backend} --dst-mac 02:00:00:00:00:02 --rate 1000pps --time 60') as r:
            worker, opener, *anchor = r.wait_for(processes, settled)
            confined(worker, cap(IPC_LOCK) if backend == 'xdp' else 0)
            confined(opener, cap(NET_BIND, NET_ADMIN, NET_RAW, PERFMON, BPF))
            for pid in anchor:
                confined(pid, cap(NET_ADMIN))
                check(os.readlink(f'/proc/{pid}/ns/net') != os.readlink(f'/proc/{worker}/ns/net'), 'not apart')


@case
def every_part_of_a_receiver_has_given_up_all_that_it_does_not_need():
    need_root()
    for way in ('xdp', 'packet'):
        with Running(f'exec $U receive v1 --way {way} --quiet') as r:
            worker, opener = r.wait_for(2, settled)
            confined(worker, 0)
            confined(opener, cap(NET_BIND, NET_ADMIN, NET_RAW, PERFMON, BPF))


@case
def helpers_hold_no_descriptor_of_what_was_inherited():
    need_root()
    with tempfile.NamedTemporaryFile() as secret, \
            Running(f'exec 9<{secret.name}; exec $U send v0 --dst-mac 02:00:00:00:00:02 --rate 1000pps --time 60') as r:
        pids = r.wait_for(3, settled)
        for pid in pids[1:]:
            held, end = None, time.monotonic() + 20
            while time.monotonic() < end:  # what it opens is held until it is handed over
                held = {os.readlink(p) for p in glob.glob(f'/proc/{pid}/fd/*') if os.path.lexists(p)}
                if all(h == '/dev/null' or h.startswith('socket:') for h in held):
                    break
                time.sleep(0.1)
            check(all(h == '/dev/null' or h.startswith('socket:') for h in held), f'{held}')


@case
def a_killed_worker_takes_its_helpers_and_its_mount_along():
    need_root()
    with tempfile.TemporaryDirectory() as where:
        if not os.path.exists('/dev/fuse'):
            raise Skip('no /dev/fuse here')
        # in a mount namespace that we can look into, so that nothing stays behind if this fails
        with Running(f'exec unshare --mount $U mount {where}') as r:
            pids = r.wait_for(4, lambda p: settled([p[0]]))
            ns = os.open(f'/proc/{pids[0]}/ns/mnt', os.O_RDONLY)
            mounted = ['nsenter', f'--mount=/proc/self/fd/{ns}', 'mountpoint', '-q', where]
            check(run(mounted, pass_fds=[ns]).returncode == 0, 'it is mounted')
            os.kill(pids[0], signal.SIGKILL)
            end = time.monotonic() + 30
            while time.monotonic() < end and any(os.path.exists(f'/proc/{p}/exe') for p in pids[1:]):
                time.sleep(0.05)
            check(not any(os.path.exists(f'/proc/{p}/exe') for p in pids[1:]), 'somebody stayed')
            check(run(mounted, pass_fds=[ns]).returncode != 0, 'it is still mounted')
            os.close(ns)


# --- what a shell's command gets -----------------------------------------------------------------------

IN_SHELL = r'''
cat > $T/cmd <<'EOF'
P=/proc/net/pktgen
echo add_device v0 > $P/kpktgend_0
for c in "count 0" "dst_mac 02:00:00:00:00:02" "ratep 1000"; do echo "$c" > $P/v0; done
echo start > $P/pgctrl &
while ! grep -q "pkts-sofar: [1-9]" $P/v0; do sleep 0.05; done
ls -l /proc/self/fd
grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status
echo stop > $P/pgctrl; wait
EOF
grep -E "^(CapEff|CapBnd):" /proc/self/status
echo ---
$U shell --backend BACKEND -- bash $T/cmd
'''


@case
def a_shells_command_gets_what_the_user_had_and_no_descriptor():
    need_root()
    if not os.path.exists('/dev/fuse'):
        raise Skip('no /dev/fuse here')
    for backend in ('live', 'packet'):
        with tempfile.TemporaryDirectory() as where:
            r = inside(f'T={where}\n' + IN_SHELL.replace('BACKEND', backend))
        had, got = r.stdout.split('---\n')
        check(had.split() == re.search(r'CapEff.*\nCapBnd.*\n', got).group(0).split(), r.stdout)
        check('NoNewPrivs:\t0' in got and 'Seccomp:\t0' in got, r.stdout)
        held = re.findall(r' (\d+) -> (.*)', got)
        check(len(held) >= 3, r.stdout + r.stderr)
        for fd, what in held:
            check(int(fd) <= 3 and not re.search(r'bpf|socket|fuse', what), f'{backend}: {fd} -> {what}')


# --- starting with rights that are not the caller's -------------------------------------------------------

@case
def a_set_user_id_start_is_refused():
    need_root()
    with tempfile.TemporaryDirectory() as where:
        os.chmod(where, 0o755)
        copy = os.path.join(where, 'upktgen')
        shutil.copy(UPKTGEN, copy)
        other = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', copy, 'probe', 'lo']
        for how in ('u+s', 'g+s', 'cap_net_raw+ep'):
            os.chmod(copy, 0o755)
            done = run(['chmod', how, copy] if '+s' in how else ['/usr/sbin/setcap', how, copy])
            r = run(other)
            if done.returncode or 'error while loading' in r.stderr:
                continue  # nosuid, or libraries that such a start does not find
            check(r.returncode == 1 and 'set-user-ID' in r.stderr and not r.stdout, how + r.stdout + r.stderr)


# --- files ----------------------------------------------------------------------------------------------

@case
def files_are_made_for_their_owner_alone_and_never_through_a_link():
    need_root()
    with tempfile.TemporaryDirectory() as where:
        r = inside(f'''cd {where}; umask 0
echo precious > victim; ln -s victim soft; ln victim hard
$U send v0 --backend pcap:fresh.pcap --dst-mac 02:00:00:00:00:02 --count 10 > /dev/null; echo "fresh $?"
$U receive v1 --seconds 1 -q --svg fresh.svg > /dev/null; echo "svg $?"
for how in soft hard; do
  $U send v0 --backend pcap:$how --dst-mac 02:00:00:00:00:02 --count 10; echo "$how $?"
  $U receive v1 --seconds 1 -q --svg $how > /dev/null; echo "svg $how $?"
done
cat victim''')
        for line in ('fresh 0', 'svg 0', 'soft 1', 'hard 1', 'svg soft 1', 'svg hard 1', 'precious'):
            check(line + '\n' in r.stdout, line + ':' + r.stdout + r.stderr)
        for name in ('fresh.pcap', 'fresh.svg'):
            mode = stat.S_IMODE(os.stat(os.path.join(where, name)).st_mode)
            check(mode == 0o600, f'{name} {mode:o}')


@case
def what_the_command_line_names_is_opened_with_the_callers_rights():
    """Root reads a user's private script and writes into his folder, as ever."""
    need_root()
    with tempfile.TemporaryDirectory() as where:
        r = inside(f'''cd {where}
printf 'kpktgend_0 add_device v0\\nv0 count 10\\nv0 dst_mac 02:00:00:00:00:02\\npgctrl start\\n' > script
$U send v0 --backend pcap:in.pcap --dst-mac 02:00:00:00:00:02 --count 10 > /dev/null
chmod 600 script in.pcap; chown -R 65534:65534 .; chmod 700 .
$U run script > /dev/null; echo "script $?"
$U check script > /dev/null; echo "check $?"
$U send v0 --pcap in.pcap > /dev/null; echo "pcap $?"
$U run --backend pcap:out-%.pcap script > /dev/null; echo "out $?"
$U receive v1 --seconds 1 -q --svg x.svg > /dev/null; echo "svg $?"
ls''')
        for word in ('script 0', 'check 0', 'pcap 0', 'out 0', 'svg 0', 'out-v0.pcap', 'x.svg'):
            check(word in r.stdout, word + ': ' + r.stdout + r.stderr)


# --- a hostile script -----------------------------------------------------------------------------------

@case
def a_hostile_script_can_at_worst_send_on_the_device_it_names():
    need_root()
    with tempfile.TemporaryDirectory() as where:
        lines = ['kpktgend_0 add_device v0', 'v0 count 50', 'v0 dst_mac 02:00:00:00:00:02', 'pgctrl start']
        attempts = [
            'v0 pcap /etc/shadow', 'v0 pcap /proc/self/mem', 'v0 pcap /dev/zero', 'v0 pcap ../../../../etc/passwd',
            'kpktgend_0 add_device ../../w0', 'kpktgend_0 add_device v0@/../../../../tmp/x', 'kpktgend_99 add_device w0',
            '../../etc/passwd count 1', 'v0 count $(touch pwned)', 'v0 dst ;touch pwned', 'v0 dst_mac `touch pwned`',
            'v0 imix_weights ' + '60,1 ' * 200, 'v0 mpls ' + 'ffffffff,' * 200, 'v0 ' + 'A' * 3000, 'v0 flows 4294967295',
            'v0 min_pkt_size 4294967295', 'v0 frags 1000000', 'v0 queue_map_max 65535', 'v0 src_mac_count 4294967295',
            'v0 spi 4294967295', 'v0 node 4294967295', 'w0 count 5',
        ]
        for i, line in enumerate(attempts):
            with open(os.path.join(where, f's{i}'), 'w', encoding='latin-1') as f:
                f.write('\n'.join(lines[:3] + [line] + lines[3:]) + '\n')
        r = inside(f'''cd {where}; i=0
while [ -e s$i ]; do
  strict=; [ $((i % 2)) = 0 ] || strict=--strict
  timeout 60 $U run $strict s$i > /dev/null 2>&1; echo "status $?"; rm s$i; i=$((i + 1))
done
for d in v0 w0 w1 lo; do sed -n "s/^ *$d: *//p" /proc/net/dev | awk "{{ print \\"$d\\", \\$10 }}"; done
ls -A . /tmp''')
        status = re.findall(r'^status (\d+)$', r.stdout, re.M)
        check(len(status) == len(attempts) and set(status) <= {'0', '1', '2'}, r.stdout + r.stderr)
        sent = dict(re.findall(r'^(\w+) (\d+)$', r.stdout, re.M))
        check(sent['w0'] == sent['w1'] == sent['lo'] == '0', r.stdout)
        check(int(sent['v0']) <= 1050 * len(attempts), r.stdout)  # also one of 1000, v0@/...
        check(not os.listdir(where) and not re.search('^(pwned|x)$', r.stdout, re.M), r.stdout)


@case
def a_device_of_another_name_is_not_opened_through_a_path():
    need_root()
    with tempfile.TemporaryDirectory() as where:
        r = inside(f'''cd {where}; mkdir sub
printf 'kpktgend_0 add_device v0@/../../escaped\\nv0@/../../escaped count 5\\npgctrl start\\n' > s
$U run --backend pcap:sub/out-% s; echo "status $?"; ls -R''')
        check('escaped' not in r.stdout.split('status')[1], r.stdout + r.stderr)
        check('status 0' not in r.stdout, r.stdout + r.stderr)


# --- nothing lost by it -----------------------------------------------------------------------------------

@case
def each_way_to_send_works_confined():
    need_root()
    r = inside('''ip addr add 10.0.0.1/24 dev v0; ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev v0
for b in live xdp packet null pcap:/dev/null; do
  $U send v0 --backend $b --dst 10.0.0.2 --dst-mac 02:00:00:00:00:02 --count 1000 > /tmp/upk-priv-$$ 2>&1
  echo "$b $? $(grep -c 'OK: .* 1000 (60byte' /tmp/upk-priv-$$)"; cat /tmp/upk-priv-$$
done
$U send v0 --backend udp --dst 10.0.0.2 --dst-mac 00:00:00:00:00:00 --count 1000 > /tmp/upk-priv-$$ 2>&1
echo "udp $? $(grep -c 'OK: .* 1000 (60byte' /tmp/upk-priv-$$)"; cat /tmp/upk-priv-$$
$U send uptap --backend tap --dst-mac 02:00:00:00:00:02 --count 1000 > /tmp/upk-priv-$$ 2>&1
echo "tap $? $(grep -c 'OK: .* 1000 (60byte' /tmp/upk-priv-$$)"; cat /tmp/upk-priv-$$
for w in xdp packet; do $U receive v1 --way $w --seconds 1 -q --json > /dev/null; echo "receive-$w $?"; done
$U probe v0; echo "probe $?"; rm -f /tmp/upk-priv-$$''')
    for b in ('live', 'xdp', 'packet', 'null', 'pcap:/dev/null', 'udp', 'tap'):
        check(f'{b} 0 1\n' in r.stdout, b + ': ' + r.stdout + r.stderr)
    for line in ('receive-xdp 0', 'receive-packet 0', 'probe 0', 'has CAP_NET_RAW', 'A run takes live'):
        check(line in r.stdout, line + ': ' + r.stdout + r.stderr)


@case
def an_ordinary_user_is_told_what_he_lacks():
    need_root()
    if run(NOBODY + ['test', '-x', UPKTGEN]).returncode:
        raise Skip('an ordinary user can not reach ' + UPKTGEN)
    r = run(NOBODY + [UPKTGEN, 'receive', 'lo', '--seconds', '1'])
    check(r.returncode == 1 and 'CAP_NET_RAW' in r.stderr, r.stdout + r.stderr)
    r = run(NOBODY + [UPKTGEN, 'send', 'lo', '--backend', 'null', '--count', '10', '--dst-mac', '00:00:00:00:00:00'])
    check(r.returncode == 0 and 'OK:' in r.stdout, r.stdout + r.stderr)


main()
