#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The measured programs of the packet rows, behind the same lines as those of bench.h:

    packets.py BUILD WHO BENCH CASE N THREADS QUICK

runs in namespaces of its own: of the network, with a pair of virtual Ethernet devices, and of processes, so
that whatever it starts ends with it. Every sender is started anew for each run, pinned to one CPU, and counted by the far end's own counter over a
window in the middle. Only while the counter grows: a sender that fails says so. At the far end an XDP
program drops, for all alike; for "udp" there is a stack with a namespace of its own.
"""
import ctypes
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

TX, RX = 'pgtx', 'pgrx'
CPUS = sorted(os.sched_getaffinity(0))
CPU = CPUS[-1]
ORIGIN = 5857065 # packets/s as published with the origin's third patch: clone_skb 100000, ring 1024, one CPU of its author's
SBIN = os.environ['PATH'] + ':/usr/sbin:/sbin'


class Cannot(Exception):
    pass


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def end_all(p):
    """p and whatever it started: trafgen sends from a child."""
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    p.wait()


def command(*argv):
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                       env={**os.environ, 'PATH': SBIN})
    if p.returncode:
        raise Cannot(f'{" ".join(argv)}: {p.stdout.strip()[:200]}')
    return p.stdout


def quiet(dev):
    with open(f'/proc/sys/net/ipv6/conf/{dev}/disable_ipv6', 'w', encoding='utf-8') as f:
        f.write('1')


def counter(dev, field):
    """field: 1 received packets, 9 sent packets."""
    with open('/proc/net/dev', encoding='utf-8') as f:
        for line in f:
            name, _, rest = line.partition(':')
            if name.strip() == dev:
                return int(rest.split()[field])
    raise Cannot(f'no device {dev}')


def frame(size=60):
    """Ethernet, IPv4, UDP, pktgen's header: as our sender's."""
    payload = struct.pack('>IIII', 0xbe9be955, 0, 0, 0) + bytes(max(0, size - 58))
    udp = struct.pack('>HHHH', 9, 9, 8 + len(payload), 0)
    ip = struct.pack('>BBHHHBBH4B4B', 0x45, 0, 20 + len(udp) + len(payload), 0, 0, 32, 17, 0, 198, 18, 0, 1, 198, 18, 0, 42)
    total = sum(struct.unpack('>10H', ip))
    total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack('>H', ~(total + (total >> 16)) & 0xffff) + ip[12:]
    return bytes.fromhex('020000000002020000000001') + b'\x08\x00' + ip + udp + payload


class Wire:
    def __init__(self, build, where):
        self.build, self.where = build, where
        command('ip', 'link', 'set', 'lo', 'up')
        self.far = self.server = None
        self.pairs = []
        self.another_pair()

    def another_pair(self):
        """The devices' names; the first pair's are TX and RX."""
        n = len(self.pairs)
        tx, rx = (f'{TX}{n}', f'{RX}{n}') if n else (TX, RX)
        command('ip', 'link', 'add', tx, 'address', '02:00:00:00:00:01', 'type', 'veth', 'peer', 'name', rx,
                'address', '02:00:00:00:00:02')
        self.pairs.append((tx, rx))

    def far_drops(self):
        for tx, rx in self.pairs:
            quiet(tx)
            quiet(rx)
            command('ip', 'link', 'set', rx, 'up')
            command('ip', 'link', 'set', tx, 'up')
            command(f'{self.build}/bench/live_bare', 'drop', rx)

    def far_stack(self):
        """The far end in a namespace of its own, with an address and something that listens."""
        self.far = subprocess.Popen(['unshare', '--net', 'sh', '-c', 'echo; exec sleep 3600'], stdout=subprocess.PIPE,
                                    preexec_fn=die_with_parent)
        self.far.stdout.readline()
        command('ip', 'link', 'set', RX, 'netns', str(self.far.pid))
        quiet(TX)
        self.there('ip', 'link', 'set', RX, 'up')
        self.there('ip', 'addr', 'add', '198.18.0.42/24', 'dev', RX)
        command('ip', 'addr', 'add', '198.18.0.1/24', 'dev', TX)
        command('ip', 'link', 'set', TX, 'up')

    def far_drops_from_now_on(self, really):
        """Behind the far stack, which iperf3 needs to begin: or its price is the row's, not the sender's."""
        if really:
            self.there(os.path.abspath(f'{self.build}/bench/live_bare'), 'drop', RX)
        else:
            self.there('ip', 'link', 'set', RX, 'xdp', 'off')

    def there(self, *argv):
        return command('nsenter', '--net', f'--target={self.far.pid}', *argv)

    def file(self, name, data):
        path = f'{self.where}/{name}'
        with open(path, 'wb') as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path


FIELDS = {
    'fixed': '',
    'all-fields': 'vlan_id 5\nflag UDPSRC_RND\nudp_src_min 9\nudp_src_max 1009\nflag IPDST_RND\ndst_max 198.18.0.254\n'
                  'flows 8000\nflowlen 10\nflag UDPCSUM\n',
    'clone-100000': 'clone_skb 100000\n',
    'udp': 'delay 0\n', # the socket makes the headers
}


def script(wire, fields='', size=60, cpus=(CPU,)):
    """One sending thread to each CPU, the first on the first pair, and so on."""
    mac = '' if fields == FIELDS['udp'] else 'dst_mac 02:00:00:00:00:02\n'
    lines = f'count 0\npkt_size {size}\n{mac}src_min 198.18.0.1\nsrc_max 198.18.0.1\n' \
            f'dst_min 198.18.0.42\ndst_max 198.18.0.42\n{fields}'
    text = ''
    for cpu, (tx, _) in zip(cpus, wire.pairs):
        text += f'kpktgend_{cpu} add_device {tx}\n' + ''.join(f'{tx} {line}\n' for line in lines.splitlines())
    return wire.file('script', text + 'pgctrl start\n')


def upktgen(wire, case, n, backend):
    return [f'{wire.build}/upktgen/upktgen', 'run', '-b', backend, '--stamp-every=16', '-t', '60',
            script(wire, FIELDS.get(case, ''), n)]


def one_of_two(wire, case, n):
    return upktgen(wire, case, n, 'live')


def both(wire, _case, n):
    return [*upktgen(wire, 'fixed', n, 'live')[:-1], script(wire, '', n, CPUS[-2:])]


def both_bare(wire, _case, n):
    """Two bare senders that share nothing but the machine."""
    if n != 60:
        raise Cannot('its frame is of 60 bytes')
    one, two = (f'taskset -c {cpu} {wire.build}/bench/live_bare fixed {tx}' for cpu, (tx, _) in zip(CPUS[-2:], wire.pairs))
    return ['sh', '-c', f'{one} & exec {two}']


def trafgen(wire, _case, n):
    conf = '{ ' + ', '.join(f'0x{b:02x}' for b in frame(n)) + ' }'
    return ['trafgen', '--dev', TX, '--conf', wire.file('trafgen.cfg', conf), '--cpus', '1', '--qdisc-path', '--no-sock-mem']


def trafgen_bypass(wire, case, n):
    return [a for a in trafgen(wire, case, n) if a != '--qdisc-path']


def tcpreplay(wire, _case, n):
    data = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
    for _ in range(1000):
        data += struct.pack('<IIII', 0, 0, n, n) + frame(n)
    return ['tcpreplay', '-K', '--topspeed', '--loop=1000000', f'--intf1={TX}', wire.file('frames.pcap', data)]


def mausezahn(_wire, _case, n):
    return ['mausezahn', TX, '-c', '0', '-q', frame(n).hex(':')]


def testpmd(vdev):
    def argv(_wire, _case, n):
        return ['dpdk-testpmd', '--no-huge', '-m', '256', '--no-pci', '--no-telemetry', '--no-shconf', f'--lcores=0@0,1@{CPU}',
                f'--vdev={vdev}', '--log-level=1', '--', '--forward-mode=txonly', f'--txpkts={n}', '--total-num-mbufs=4096',
                '--auto-start', '--stats-period=1', '--no-mlockall']
    return argv


def xdp_trafficgen(_wire, _case, _n):
    return ['xdp-trafficgen', 'udp', '-m', '02:00:00:00:00:02', '-a', '198.18.0.42', '-A', '198.18.0.1', '-p', '9', '-P', '9', TX]


def live_bare(wire, case, n):
    """The same fields as the row's, in a program written for them alone."""
    if n != 60:
        raise Cannot('its frame is of 60 bytes')
    return [f'{wire.build}/bench/live_bare', case, TX]


def iperf3(wire, _case, n):
    if wire.server: # it never hears that the client of the run before is gone
        wire.server.kill()
        wire.server.wait()
    wire.server = subprocess.Popen(['nsenter', '--net', f'--target={wire.far.pid}', 'iperf3', '-s', '-1'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
    time.sleep(0.5)
    return ['iperf3', '-u', '-c', '198.18.0.42', '-b', '0', '-l', str(n - 42), '-t', '60']


# case of pktgen-veth -> who -> its command line
SENDERS = {
    **{case: {
        'upktgen': lambda w, c, n: upktgen(w, c, n, 'live'), 'limit': live_bare,
        'xdp-trafficgen': xdp_trafficgen, 'trafgen': trafgen_bypass, 'tcpreplay': tcpreplay, 'mausezahn': mausezahn,
    } for case in FIELDS if case != 'udp'},
    'two-cores': {'upktgen': both, 'one-core': one_of_two, 'limit': both_bare,
                  'limit-one-core': lambda w, _, n: live_bare(w, 'fixed', n)},
    'xdp': {'upktgen': lambda w, c, n: upktgen(w, c, n, 'xdp'), 'testpmd-af_xdp': testpmd(f'net_af_xdp0,iface={TX}')},
    'packet': {'upktgen': lambda w, c, n: upktgen(w, c, n, 'packet'), 'trafgen': trafgen_bypass, 'tcpreplay': tcpreplay,
               'mausezahn': mausezahn, 'testpmd-af_packet': testpmd(f'net_af_packet0,iface={TX},qdisc_bypass=1')},
    'udp': {'upktgen': lambda w, c, n: upktgen(w, c, n, 'udp'), 'iperf3': iperf3},
}
SENDERS['clone-100000']['origin'] = None # a figure, no program
# (bench, case) -> who -> its command line, or None where its class here knows it
ROWS = {
    **{('pktgen-veth', case): senders for case, senders in SENDERS.items()},
    **{('receiver', case): {'upktgen': None} for case in ('fixed', 'all-fields', 'each-packet')},
    ('pktgen-null', 'no-stamp'): {'testpmd-net_null': None},
}
PROGRAM = {'trafgen': 'trafgen', 'tcpreplay': 'tcpreplay', 'mausezahn': 'mausezahn', 'iperf3': 'iperf3',
           'xdp-trafficgen': 'xdp-trafficgen', 'testpmd-af_xdp': 'dpdk-testpmd', 'testpmd-af_packet': 'dpdk-testpmd',
           'testpmd-net_null': 'dpdk-testpmd'}


def installed(who):
    return who not in PROGRAM or shutil.which(PROGRAM[who], path=SBIN) is not None


class Published:
    """What the origin's author measured, beside ours: not measured here, and another machine."""

    def run(self):
        yield ('clone-100000', 'packets/s', float(ORIGIN))


class Sender:
    """pktgen-veth: packets a second that arrive, on all pairs together."""

    def __init__(self, wire, who, case, n, quick):
        self.wire, self.case = wire, case
        self.cpus = ','.join(str(c) for c in (CPUS[-2:] if case == 'two-cores' and 'one' not in who else (CPU,)))
        if case == 'two-cores':
            if len(CPUS) < 2:
                raise Cannot('it needs two CPUs')
            wire.another_pair()
        self.argv = SENDERS[case][who]
        self.n, self.window = n, 0.3 if quick else 1.0
        if case == 'udp':
            wire.far_stack()
            self.devs, self.field = [TX], 9
        else:
            wire.far_drops()
            self.devs, self.field = [rx for _, rx in wire.pairs], 1

    def count(self):
        return sum(counter(dev, self.field) for dev in self.devs)

    def run(self):
        if self.wire.far:
            self.wire.far_drops_from_now_on(False)
        log = f'{self.wire.where}/log'
        with open(log, 'wb') as out:
            p = subprocess.Popen(['taskset', '-c', self.cpus, *self.argv(self.wire, self.case, self.n)], stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=out, env={**os.environ, 'PATH': SBIN}, preexec_fn=die_with_parent,
                                 start_new_session=True)
        try:
            begin = self.count()
            end = time.monotonic() + 8
            while self.count() < begin + 1000:
                if p.poll() is not None or time.monotonic() > end:
                    with open(log, encoding='utf-8', errors='replace') as f:
                        raise Cannot(f'it sends nothing here: {" ".join(f.read().split())[-220:]}')
                time.sleep(0.01)
            if self.wire.far:
                self.wire.far_drops_from_now_on(True)
            time.sleep(0.2)
            first, at = self.count(), time.monotonic()
            time.sleep(self.window)
            count, took = self.count() - first, time.monotonic() - at
            if count == 0:
                raise Cannot('it stopped by itself')
            yield (self.case, 'packets/s', count / took)
        finally:
            end_all(p)


class Null:
    """pktgen-null: packets that a generator makes for a device that is none, by its own counter."""

    def __init__(self, wire, _who, case, n, quick):
        self.case, self.argv, self.seconds = case, testpmd('net_null0')(wire, case, n), 1 if quick else 3
        if n < 42:
            raise Cannot('its headers take 42 bytes')

    def run(self):
        p = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             env={**os.environ, 'PATH': SBIN}, preexec_fn=die_with_parent, start_new_session=True)
        rates, log = [], []
        try:
            for line in p.stdout:
                log.append(line)
                m = re.search(r'Tx-pps:\s+(\d+)', line)
                if m:
                    rates.append(int(m.group(1)))
                if len(rates) > self.seconds: # the first second is its start
                    break
        finally:
            end_all(p)
            p.stdout.close()
        if len(rates) <= self.seconds or min(rates[1:]) == 0:
            raise Cannot(f'it sends nothing here: {" ".join("".join(log).split())[-200:]}')
        rate = sorted(rates[1:])[(len(rates) - 1) // 2]
        yield (self.case, 'ns', 1e9 / rate)


class Receiver:
    """receiver: what "receive" on one CPU counts of our own "live" on another, and what it dropped itself.
    fixed, all-fields: flat out, sequence and latency, by the program at the driver. each-packet: every frame looked at
    through a packet socket, 1.6 million/s sent."""

    def __init__(self, wire, _who, case, n, quick):
        self.wire, self.case, self.n, self.quick = wire, case, n, quick
        self.other = min(os.sched_getaffinity(0))
        if self.other == CPU:
            raise Cannot('it takes two CPUs')
        for dev in (TX, RX):
            quiet(dev)
            command('ip', 'link', 'set', dev, 'up')
        if case == 'each-packet':
            command('ethtool', '-K', RX, 'gro', 'on')

    def run(self):
        seconds = 1 if self.quick else 3
        each = self.case == 'each-packet'
        program = f'{self.wire.build}/upktgen/upktgen'
        with subprocess.Popen(['taskset', '-c', str(self.other), program, 'receive', RX, '--way', 'packet' if each else 'xdp',
                               '--silence', '500', '--seconds', str(seconds + 20), '--quiet', '--json'],
                              stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent) as receiver:
            time.sleep(1)
            command('taskset', '-c', str(CPU), program, 'run', '-b', 'live', '--stamp-every=16', '-t', str(seconds),
                    script(self.wire, 'ratep 1600000\n' if each else FIELDS.get(self.case, ''), self.n))
            text = receiver.communicate(timeout=60)[0]
        try:
            found = json.loads(text)
        except ValueError as why:
            raise Cannot(f'no books: {text[-200:]}') from why
        yield (self.case, 'packets/s', (found['packets'] - 1) * 1e9 / (found['last_ns'] - found['first_ns']))
        yield (f'{self.case}-dropped-itself', 'packets/s', found['dropped_by_receiver'] / seconds)
        yield (f'{self.case}-lost', 'packets/s', found['lost'] / seconds)


def main():
    build, who, bench, case, n, _threads, quick = sys.argv[1:8]
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)

    def say(text):
        answers.write(text + '\n')
        answers.flush()

    kinds = {'pktgen-veth': Sender, 'receiver': Receiver, 'pktgen-null': Null}
    try:
        with tempfile.TemporaryDirectory() as where:
            party = Published() if who == 'origin' else kinds[bench](Wire(os.path.abspath(build), where), who, case, int(n),
                                                                     quick == '1')
            say('ready')
            for _ in sys.stdin:
                for name, unit, value in party.run():
                    say(f'figure {name} {unit} {value!r}')
                say('done')
    except Cannot as why:
        say('cannot ' + ' '.join(str(why).split()))
        sys.exit(3)


if __name__ == '__main__':
    main()
