# SPDX-License-Identifier: MIT
"""How results are printed: a table per case, and at the end those that the three patches printed,
theirs beside ours."""
import statistics

OURS = ('wheelwork', 'upktgen')


def number(x):
    if x >= 1e5:
        return f'{x:,.0f}'
    return f'{x:.1f}' if x >= 100 else f'{x:.2f}' if x >= 10 else f'{x:.3g}'


def medians(runs, bench):
    """(case, who, n, threads, unit) -> median"""
    return {k[1:]: statistics.median(v) for k, v in runs.items() if k[0] == bench}


def words(found, cannot):
    """One line per party: what the probes found."""
    cases = list(dict.fromkeys(k[1] for k in found))
    for case in cases:
        print(f'\n  {case}?')
        for who in dict.fromkeys([k[2] for k in found] + list(cannot)):
            text = next((t for k, t in found.items() if (k[2], k[1]) == (who, case)), cannot.get(who))
            if text:
                print(f'    {who:<18}{text}')


def row(runs, fresh, what, n, threads, cannot):
    """One table per case that the row's parties reported."""
    keys = [k for k in runs if k in fresh]
    found = {k: runs.pop(k)[-1] for k in keys if k[5] == 'word'}
    if found:
        words(found, cannot)
        return
    for case, unit in dict.fromkeys((k[1], k[5]) for k in keys):
        whos = {k[2]: runs[k] for k in keys if (k[1], k[5]) == (case, unit)}
        ours = next((w for w in OURS if w in whos), None)
        print(f'\n{what.bench} {case}: n {n:,}, {threads} thread{"s" if threads > 1 else ""}, {unit}')
        print(f'  {"who":<20}{"min":>12}{"median":>12}{"max":>12}   ours / theirs')
        for who, v in whos.items():
            ratio = ''
            if ours and who != ours:
                pairs = [a / b for a, b in zip(whos[ours], v) if a > 0 and b > 0]
                if pairs:
                    ratio = f'   {statistics.median(pairs):.3g}  [{min(pairs):.3g} .. {max(pairs):.3g}]'
            print(f'  {who:<20}{number(min(v)):>12}{number(statistics.median(v)):>12}{number(max(v)):>12}{ratio}')
    for who, why in cannot.items():
        print(f'  {who}: not measured in {what.bench} {what.case}, n {n:,}, {threads} thread{"s" if threads > 1 else ""}: {why}')


# The first patch's own figures: jiffies (HZ = 1000) for a fixed number of updates of one entry per CPU.
UPDATE_THEIRS = {
    ('own', 1): ('1. queue_delayed_work + cancel, 1 CPU', ('41654', '6804', '83.7'), ('211488', '13187', '93.8')),
    ('own', 0): ('2. the same, N entries on N CPUs', ('146064, 182160', '7014, 7045', '95.7'),
                 ('165255, 225159, 227658, 237000', '13446, 13449, 13455, 13477', '93.7')),
    ('system', 1): ('3. schedule_delayed_work + cancel, 1 CPU', ('41878', '6987', '83.3'), ('184893', '14205', '92.3')),
    ('system', 0): ('4. the same, N entries on N CPUs', ('145147, 180987', '6955, 6958', '95.73'),
                    ('165031, 263509, 277071, 321099', '14211, 14211, 14216, 14242', '94.5')),
}


def update(runs):
    """The first patch's table: ORG (cancel + queue) -> NEW, saved; each CPU's figure where there are several."""
    m = medians(runs, 'update-delayed-work')
    several = sorted({k[3] for k in m if k[3] > 1})
    if not any('ORG' in k[0] for k in m):
        return
    print('\nupdate-delayed-work, as the first patch printed it: ORG is cancel + queue, NEW the update')
    for (queue, cpus), (name, laptop, server) in UPDATE_THEIRS.items():
        print(f'\n  {name}')
        for who, (org, new, saved) in (('patch, laptop, 2 CPUs', laptop), ('patch, server, 4 CPUs', server)):
            print(f'    {who + " (jiffies)":<34}{org} -> {new}   saved {saved} %')
        for gap, text in (('long', '(a) long'), ('short', '(b) short')):
            for threads in [1] if cpus == 1 else several:
                def of(who, how, queue=queue, gap=gap, threads=threads):
                    return m.get((f'{gap}-{queue}-{how}', who, 1, threads, 'ns'))

                def each(who, how, queue=queue, gap=gap, threads=threads):
                    v = [m.get((f'{gap}-{queue}-{how}-cpu{t}', who, 1, threads, 'ns')) for t in range(threads)]
                    return ', '.join(number(x) for x in v if x is not None) or number(of(who, how))
                org, new = of('wheelwork', 'ORG'), of('wheelwork', 'NEW')
                if not (org and new):
                    continue
                print(f'    {"ours, " + text + " (ns per update)":<34}{each("wheelwork", "ORG")} -> {each("wheelwork", "NEW")}'
                      f'   saved {100 * (1 - new / org):.1f} %')
                theirs = m.get((f'{gap}-own-ORG', 'libevent-locked', 1, threads, 'ns'))
                if theirs:
                    print(f'    {"  libevent locked, del + add":<34}{number(theirs)}; against it our NEW saves '
                          f'{100 * (1 - new / theirs):.1f} %')
    given = {t: (m.get(('given', 'wheelwork', 1, t, 'ns')), m.get(('given', 'limit', 1, t, 'ns'))) for t in [1, *several]}
    clock = {t: m.get(('relative', 'limit', 1, t, 'ns')) for t in [1, *several]}
    if all(given[1]) and clock[1]:
        print(f'\n  A delay from now costs a clock read: {number(clock[1])} ns of each figure above. With a deadline given'
              '\n  (ww_queue_update_delayed_work_at), 1 CPU' + ''.join(f', {t} CPUs' for t in several) + ': '
              + ', '.join(f'{number(a)} ns beside {number(b)} of a call and a store' for a, b in given.values() if a and b) + '.')
        theirs = m.get(('long-own-ORG', 'libevent-locked', 1, 1, 'ns'))
        if theirs:
            print('  libevent goes by its cached time and reads no clock either: against its del + add that saves '
                  f'{100 * (1 - given[1][0] / theirs):.1f} % on 1 CPU.')


DELETE_THEIRS = {'warm': ('29,000', '95', '505', '88'), 'cold': ('37,800', '1,800', '1,220', '140')}


def delete_sync(runs):
    """The second patch's table: cycles of one call on a timer that has expired; ours by the number of bases."""
    m = {(k[0], k[2]): v for k, v in medians(runs, 'delete-sync').items() if k[1] == 'wheelwork'}
    limit = {(k[0], k[2]): v for k, v in medians(runs, 'delete-sync').items() if k[1] == 'limit'}
    if not m:
        return
    bases = sorted({n for _, n in m})
    print('\ndelete-sync, as the second patch printed it: cycles of one del_timer_sync() of an expired timer')
    print(f'  {"":<14}{"32p before":>12}{"32p after":>12}{"4p before":>12}{"4p after":>12}')
    for name, v in DELETE_THEIRS.items():
        print(f'  {name + " cache":<14}' + ''.join(f'{x:>12}' for x in v))
    print('\n  ours: cycles of one ww_timer_delete_sync(), medians, by the number of bases; "limit" is a call and a load,'
          '\n  for "cold both" two loads of which the second needs the first')
    print(f'  {"bases":<8}{"timer":<9}{"lines":<22}' + ''.join(f'{n:>9}' for n in bases) + f'{"limit":>9}')
    for state in ('fired', 'pending', 'idle'):
        for how in ('idle', 'busy'):
            for lines, text in (('warm', 'warm'), ('cold-timer', "timer's flushed"), ('cold-both', "timer's and base's")):
                case = f'bases-{how}-{state}-{lines}'
                if any((case, n) in m for n in bases):
                    bare = limit.get((f'bases-idle-{state}-{lines}', 1))
                    print(f'  {how:<8}{state:<9}{text:<22}'
                          + ''.join(f'{number(m[case, n]) if (case, n) in m else "":>9}' for n in bases)
                          + f'{number(bare) if bare is not None else "":>9}')


def packet(runs):
    """The third patch's row."""
    m = medians(runs, 'loop-barrier')
    new, org = (m.get(('clone-100000', who, 60, 1, 'packets/s')) for who in ('upktgen', 'upktgen-full-barrier'))
    alone, after = (m.get((f'clone-100000-exchange-{how}', 'limit', 60, 1, 'ns')) for how in ('alone', 'after-stores'))
    if not (new and org):
        return
    saved = 1e9 / org - 1e9 / new
    print('\nloop-barrier, as the third patch printed it: with a full barrier per packet -> without')
    print('  patch    5,608,781 -> 5,857,065 packets/s   178.29 -> 170.73 ns   7.56 ns saved')
    print(f'  ours   {org:>11,.0f} -> {new:,.0f} packets/s   {1e9 / org:.2f} -> {1e9 / new:.2f} ns   {saved:.2f} ns saved')
    if alone and after:
        print(f'  The exchange measured alone, over and over: {alone:.2f} ns; what one adds behind eight stores: {after:.2f} ns.'
              '\n  An exchange also drains the stores before it, and no later load starts until it is done. In the kernel those'
              '\n  are the stores of a packet just sent and of its driver. '
              + ('Eight stores that hit the nearest cache take part of\n  that time already.' if after > alone * 1.05 else
                 'Eight stores that hit the nearest cache are drained\n  within its own latency: it costs no more behind them.'))
        print('  Our loop has little left to drain (the frame is a clone and stays as it is), so the saving is about the exchange alone'
              + (f';\n  the {alone - saved:.2f} ns less than that pass while the rest of the loop, which needs nothing of it, goes on.'
                 if saved < alone else f';\n  the {saved - alone:.2f} ns more than that are the loop standing still until its own stores have left.'))


def two_cores(runs):
    """How much a second core adds, beside what it adds to a sender that shares nothing."""
    pairs = {}
    for k, v in runs.items():
        if k[:2] == ('pktgen-veth', 'two-cores'):
            pairs[k[2]] = v
    if len(pairs) < 4:
        return

    def times(two, one):
        return statistics.median(a / b for a, b in zip(pairs[two], pairs[one]))
    ours, bare = times('upktgen', 'one-core'), times('limit', 'limit-one-core')
    print(f'\ntwo cores, two pairs of devices: ours sends {ours:.2f} times what one core does, two bare senders that share'
          f'\n  nothing but the machine {bare:.2f} times: {ours / bare:.3f} of it.')


def server(runs):
    """What does it do to run time and CPU time?"""
    m = medians(runs, 'server')
    whos = list(dict.fromkeys(k[1] for k in m))
    if not whos:
        return
    n = next(iter(m))[2]
    print(f'\nserver: {n:,} connections, a deadline each; medians')
    print(f'  {"who":<28}{"wall s":>9}{"CPU s":>9}{"without timers":>16}{"in timers: calls":>18}{"difference":>12}')
    for case in ('echo', 'echo-library-threads'):
        for who in whos:
            v = [m.get((f'{case}-{what}', who, n, 1, 'us')) for what in ('wall', 'cpu', 'bare-cpu', 'timer-calls-cpu')]
            if None not in v:
                wall, cpu, bare, calls = v
                name = who + (", its own threads" if case != 'echo' else '')
                print(f'  {name:<28}{wall / 1e6:>9.3f}{cpu / 1e6:>9.3f}{bare / 1e6:>16.3f}{calls / cpu:>18.1%}{1 - bare / cpu:>12.1%}')


def summaries(runs):
    delete_sync(runs)
    update(runs)
    packet(runs)
    two_cores(runs)
    server(runs)
