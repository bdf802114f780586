# SPDX-License-Identifier: MIT
"""Atomics, futexes, clocks, threads and barriers pass through src/base, so that a simulator can
stand in for all of it. Programs for the kernel's own BPF machine (*.bpf.c) can't, and are left out;
so is compat/, a client that stands on the public headers: kernel code's own atomics and locks.
upktgen/privilege/filter.c only lists the names of system calls."""
import re

from tree import files, finish, read, without_comments

BANNED = [
    (r'\b_Atomic\b|\bstdatomic\.h\b', 'base/atomic.h on a plain integer'),
    (r'\b__(?:atomic|sync)_\w+', 'the named orders of base/atomic.h'),
    (r'\bpthread_\w+|\bthrd_\w+', 'base/thread.h and base/lock.h'),
    (r'\b(?:SYS|__NR)_futex\w*', 'base/futex.h'),
    (r'\b(?:SYS|__NR)_membarrier\b', 'base/membarrier.h'),
    (r'\b(?:clock_gettime|clock_nanosleep|nanosleep|usleep|gettimeofday)\b', 'base/clock.h'),
    (r'\bsched_(?:get|set)(?:cpu|affinity)\b|\bgetcpu\b', 'base/cpu.h'),
]
findings = []
for name in files('.c', '.h', under=('src/', 'include/', 'upktgen/')):
    if name.startswith('src/base/') or name.endswith(('.bpf.c', '.bpf.h', 'privilege/filter.c')):
        continue
    for number, line in enumerate(without_comments(read(name)).splitlines(), 1):
        for pattern, instead in BANNED:
            m = re.search(pattern, line)
            if m:
                findings.append(f'{name}:{number}: {m.group(0)} outside src/base: use {instead}')
finish(findings)
