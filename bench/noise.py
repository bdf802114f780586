# SPDX-License-Identifier: MIT
"""How much of the machine somebody else used: CPU time of all processes that are not below this one,
and what the hypervisor took. Kernel threads are left out: traffic that is measured runs in them too."""
import os
import time

TICK = os.sysconf('SC_CLK_TCK')


def stat(pid):
    """(parent, ticks used by it and by children it has waited for); None when it is gone."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as f:
            v = f.read().rpartition(')')[2].split()
    except OSError:
        return None
    return int(v[1]), sum(int(x) for x in v[11:15])


class Noise:
    def __init__(self):
        self.begin, self.at = self.others(), time.monotonic()

    @staticmethod
    def others():
        found = {int(p): s for p in os.listdir('/proc') if p.isdigit() and (s := stat(p))}
        mine, kernel = {os.getpid()}, {2}
        for pid in sorted(found): # parents mostly come first; a second pass finds the rest
            for own in (mine, kernel):
                if found[pid][0] in own:
                    own.add(pid)
        for pid, (parent, _) in found.items():
            if parent in mine:
                mine.add(pid)
        above, pid = set(), os.getppid() # who waits for us counts our time as its own once we end, not before
        while pid in found:
            above.add(pid)
            pid = found[pid][0]
        with open('/proc/stat', encoding='utf-8') as f:
            steal = int(f.readline().split()[8])
        return (steal + sum(s[1] for p, s in found.items() if p not in mine | kernel | above)) / TICK

    def share(self):
        """Of one CPU; 0 where the time was too short for the kernel's accounting."""
        took = time.monotonic() - self.at
        return max(0.0, (self.others() - self.begin) / took) if took >= 0.3 else 0.0
