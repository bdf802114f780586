# SPDX-License-Identifier: MIT
"""What is measured: a row per line. A program takes part in the rows that it lists itself."""
from dataclasses import dataclass

M = 10**6


@dataclass
class Row:
    bench: str
    case: str
    ns: tuple = (1,)            # timers, items, ... that exist
    threads: tuple = (1,)
    quick_ns: tuple = None      # instead of ns with --quick
    quick_threads: tuple = None
    growth: tuple = ()          # more ns, without --quick: the plots
    without: tuple = ()         # not these
    quick: bool = True          # whether --quick measures it at all
    runs: int = 0               # instead of the usual number
    seconds: float = 0          # instead of the usual time, without --quick
    together: bool = False      # all parties at once: they sleep and wait
    who: tuple = ()             # only these


# The most rounds of a row at one size, and the time after which no new one begins once there are
# ROUNDS_MIN; the whole stays under half an hour by this, --quick under four minutes.
ROUNDS, ROUNDS_QUICK, ROUNDS_MIN = 7, 3, 2
SECONDS, SECONDS_QUICK = 9, 1.5
LIMIT, LIMIT_QUICK = 18 * 60, 200


def rounds(row, quick):
    return min(row.runs or ROUNDS, ROUNDS_QUICK if quick else ROUNDS)


def seconds(row, quick):
    return SECONDS_QUICK if quick else row.seconds or SECONDS


# What is measured, in this order.
WHAT = {
    'rearm': 'push a pending deadline out, N pending, round robin; "same": to the deadline it has',
    'rearm-relative': 'the same by a delay from this moment, clock read included',
    'cancel-add': 'cancel a pending timer and add it again, N pending',
    'expire': 'CPU time per expired timer, N due over one second',
    'lateness': 'from the time asked for to the callback, 10^4 timers over one second',
    'queue': 'from queueing to running, one producer; "scattered": each again only after it ran; "line-trip": one way '
             'of a cache line between the two CPUs',
    'wake-latency': 'from queueing to running in a worker that sleeps, items 10 ms apart',
    'blocked-pool': 'until a second item starts while the only worker is blocked in the first',
    'thread': 'a busy loop that can be told to stop; waking, parking, making a thread',
    'delete-sync': 'synchronous delete of a timer: fired, pending, idle; warm and flushed; N bases',
    'idle-wakeups': 'wake-ups a second and CPU time a second with N timers an hour away',
    'loop-barrier': 'the transmit loop, and the same with a full barrier per packet (clone_skb 100000)',
    'pktgen-null': 'one packet of N bytes made, and sent nowhere',
    'pktgen-veth': 'packets a second that arrive over a pair of devices, one sending CPU; "limit": a bare sender of the '
                   'same fields; "origin": as published, elsewhere; "two-cores": two of each, and one, also of bare senders',
    'pktgen-pacing': 'mean rate kept of N packets a second asked, and how late packets leave',
    'receiver': 'what our receiver counts of our own live frames at full speed',
    'server': 'an echo server with an idle deadline per connection; 11,000 go away; 10 of 11 expired',
    'correctness': 'probes: what a caller of each may rely on',
    'update-delayed-work': 'put a delayed work off; ORG: cancel + queue, NEW: the update',
    'memory': 'bytes of the process per object',
    'add-cancel': 'add a fresh timer and cancel it, N others pending',
}

BASES = (1, 4, 32, 64)
SLEEPERS = ('wheelwork', 'libevent', 'libuv', 'libev')
UPDATE = ('wheelwork', 'limit', 'libevent-locked')

ROWS = [
    Row('rearm', 'absolute', ns=(1, 10**4, M), growth=(100, 1000, 10**5, 10 * M)),
    Row('rearm', 'absolute', ns=(1, 10**4), threads=(2,), quick_ns=(1,)),
    Row('rearm', 'same', ns=(1, 10**4), quick_ns=(1,)),
    Row('rearm-relative', 'relative', ns=(1, 10**4), quick_ns=(1,)),
    Row('cancel-add', 'pending', ns=(1, 10**4, M), quick_ns=(10**4,), growth=(100, 1000, 10**5)),
    Row('add-cancel', 'fresh', ns=(1, M), quick_ns=(10**4,)),
    Row('expire', 'real', ns=(M,), quick_ns=(10**5,), runs=3, seconds=40),
    Row('expire', 'virtual', ns=(M,), quick_ns=(10**5,)),
    Row('lateness', 'due', ns=(10**4,), quick_ns=(2500,), runs=3, seconds=40),
    Row('queue', 'line-trip', threads=(2,)),
    Row('queue', 'contiguous', ns=(M,), threads=(1, 2)),
    Row('queue', 'scattered', ns=(10**5,), threads=(1, 2)),
    Row('wake-latency', 'idle', ns=(2,)),
    Row('blocked-pool', 'unannounced', ns=(2,), runs=3, without=('limit',)),
    Row('idle-wakeups', 'hour-away', ns=(M,), quick_ns=(10**5,), runs=1, together=True, who=SLEEPERS),
    Row('loop-barrier', 'clone-100000', ns=(60,)),
    Row('pktgen-null', 'stamp-each', ns=(60,)),
    Row('pktgen-null', 'stamp-16', ns=(60,), growth=(128, 256, 512, 1024, 1514)),
    Row('pktgen-null', 'no-stamp', ns=(60,), growth=(128, 256, 512, 1024, 1514)),
    Row('pktgen-null', 'ranges-ipsum', ns=(60,)),
    Row('pktgen-null', 'ranges-udpsum', ns=(60,)),
    Row('pktgen-veth', 'fixed', ns=(60,), growth=(128, 512, 1514)),
    Row('pktgen-veth', 'all-fields', ns=(60,), who=('upktgen', 'limit')),
    Row('pktgen-veth', 'clone-100000', ns=(60,), who=('upktgen', 'limit', 'origin')),
    Row('pktgen-veth', 'two-cores', ns=(60,)),
    Row('pktgen-veth', 'xdp', ns=(60,)),
    Row('pktgen-veth', 'packet', ns=(60,)),
    Row('pktgen-veth', 'udp', ns=(60,)),
    Row('pktgen-pacing', 'null', ns=(10, 100, 10**4, 10**5, M), quick_ns=(10**4,), runs=1),
    Row('pktgen-pacing', 'packet', ns=(10, 100, 10**4, 10**5), quick_ns=(10**4,), runs=1),
    Row('pktgen-pacing', 'live', ns=(10, 100, 10**4, 10**5, M), quick_ns=(10**5,), runs=1),
    Row('receiver', 'fixed', ns=(60,), runs=3),
    Row('receiver', 'all-fields', ns=(60,), runs=3),
    Row('receiver', 'each-packet', ns=(60,), runs=3),
    Row('server', 'echo', ns=(10**5,), runs=3, seconds=80),
    Row('server', 'echo-library-threads', ns=(10**5,), runs=3, quick=False),
    Row('correctness', 'timers', ns=(1000,), runs=1, together=True, without=('limit',)),
    Row('correctness', 'pool', ns=(2,), runs=1, together=True, without=('limit',)),
    Row('delete-sync', 'bases-idle', ns=BASES, runs=5),
    Row('delete-sync', 'bases-busy', ns=BASES, runs=5),
    Row('thread', 'should-stop'),
    Row('thread', 'control-word'),
    Row('thread', 'full-barrier'),
    Row('thread', 'wake'),
    Row('thread', 'park-unpark'),
    Row('thread', 'create-stop'),
    Row('queue', 'pending'),
    Row('update-delayed-work', 'given', ns=(1, 10**4), threads=(1, 2), quick_ns=(1,), who=UPDATE),
    Row('update-delayed-work', 'given-same', who=UPDATE),
    Row('update-delayed-work', 'mod-given'),
    Row('update-delayed-work', 'relative', threads=(1, 2), who=UPDATE),
    *(Row('update-delayed-work', f'{gap}-{queue}-{how}', threads=(1, 2),
          who=UPDATE)
      for gap in ('long', 'short') for queue in ('own', 'system') for how in ('ORG', 'NEW')),
    Row('update-delayed-work', 'one-base-ORG', threads=(2,)),
    Row('memory', 'work', ns=(10**5,), runs=1),
    Row('memory', 'delayed-work', ns=(10**5,), runs=1),
    Row('memory', 'timer', ns=(10**5,), runs=1),
]

# The Debian package of each rival that may be missing.
PACKAGES = {
    'libevent': 'libevent-dev', 'libevent-locked': 'libevent-dev', 'libuv': 'libuv1-dev',
    'libev': 'libev-dev', 'glib': 'libglib2.0-dev', 'asio': 'libboost-dev',
    'rte_timer': 'libdpdk-dev', 'gthreadpool': 'libglib2.0-dev', 'libuv-pool': 'libuv1-dev',
    'tbb': 'libtbb-dev', 'call_rcu': 'liburcu-dev',
}
