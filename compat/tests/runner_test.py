#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wheelwork-module from the outside, the headers one by one, and builds of one's own. TAP.

Usage: runner_test.py RUNNER SOURCE-ROOT BUILD-ROOT [CASE...]
"""
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback

RUNNER, ROOT, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
TESTS = ROOT / "compat/tests"
INCLUDE = [f"-I{ROOT}/compat/include", f"-I{ROOT}/include"]
LIMIT = 120 * float(os.environ.get("WW_TEST_TIME", "1"))
CASES = []


def case(fn):
    CASES.append(fn)
    return fn


def run(*args, status=0, **kw):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=LIMIT, **kw)
    assert p.returncode == status, f"{args}: {p.returncode}, not {status}\n{p.stdout}{p.stderr}"
    return p.stdout + p.stderr


def module(d, text, name="m.c"):
    path = d / name
    path.write_text(text)
    return path


HELLO = """#include <linux/module.h>
static int n = 1;
module_param(n, int, 0444);
MODULE_PARM_DESC(n, "a number");
static int __init hello(void) { pr_info("n is %d, HZ is %d\\n", n, HZ); return 0; }
static void __exit bye(void) { pr_info("bye\\n"); }
module_init(hello);
module_exit(bye);
MODULE_LICENSE("Dual MIT/GPL");
"""


@case
def parameters_are_set_by_option_or_as_insmod_does(d):
    m = module(d, HELLO)
    assert "n is 7," in run(RUNNER, "-d", "1ms", "--param", "n=7", m)
    assert "n is 8," in run(RUNNER, "-d", "1ms", m, "n=8")


@case
def an_unknown_parameter_names_the_known_ones(d):
    out = run(RUNNER, "-d", "1ms", module(d, HELLO), "x=1", status=64)
    assert 'no parameter "x"' in out and "there are: n" in out, out


@case
def a_wrong_value_changes_nothing_and_is_named(d):
    out = run(RUNNER, "-d", "1ms", module(d, HELLO), "n=many", status=64)
    assert "parameter n=many: Invalid argument; it takes: int" in out, out


@case
def info_prints_what_the_module_says(d):
    out = run(RUNNER, "-i", module(d, HELLO))
    assert "Dual MIT/GPL" in out and "n:a number" in out and "n (int), now 1" in out, out


@case
def wrong_options_are_refused(d):
    m = module(d, HELLO)
    for args, word in ((["-s", "memory"], "--sanitize takes"), (["-d", "soon"], "wants a time"),
                       (["-V"], "wants --duration"), (["-B"], "wants --output"),
                       (["-l", "loud"], "wants a number"), (["--hz", "0"], "--hz wants a number"),
                       (["--hz", "fast"], "--hz wants a number"),
                       (["--hz", "100x"], "--hz wants a number")):
        out = run(RUNNER, *args, m, status=64)
        assert word in out, out
    assert "no FILE.c" in run(RUNNER, "-d", "1", status=64)


@case
def what_does_not_compile_is_status_1(d):
    assert "error" in run(RUNNER, "-d", "1ms", module(d, "int x = y;\n"), status=1)
    assert "No such file" in run(RUNNER, d / "absent.c", status=1)


@case
def a_module_without_init_is_refused(d):
    assert "no module_init()" in run(RUNNER, "-d", "1", module(d, "int x;\n"), status=1)


@case
def a_runner_that_finds_no_headers_says_where_it_looked(d):
    env = dict(os.environ, WHEELWORK_MODULE_INCLUDE=f"{d}/here:{d}/there")
    out = run(RUNNER, "-d", "1", module(d, HELLO), status=1, env=env)
    assert f"the headers are in none of {d}/here:{d}/there" in out, out


@case
def hz_is_the_modules_choice(d):
    assert "HZ is 250" in run(RUNNER, "--hz", "250", "-d", "1ms", module(d, HELLO))


OLD = """#include <linux/module.h>
#include <linux/version.h>
#include <linux/timer.h>
static struct timer_list t;
static void f(unsigned long data) { pr_info("data %lu\\n", data); }
static int __init start(void) {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(2, 6, 33)
	pr_info("after 2.6.32\\n");
#endif
	setup_timer(&t, f, 6); mod_timer(&t, jiffies); return 0; }
static void __exit stop(void) { del_timer_sync(&t); }
module_init(start); module_exit(stop);
"""


@case
def the_kernel_a_module_was_written_for_can_be_named(d):
    m = module(d, OLD)
    assert "data 6" in run(RUNNER, "--kernel", "4.14", "-d", "100ms", m)
    assert "after" in run(RUNNER, "--kernel", "2.6.33", "-d", "100ms", m)
    assert "after" not in run(RUNNER, "--kernel", "2.6.32.71", "-d", "100ms", m)
    out = run(RUNNER, "-d", "1ms", m, status=1)
    assert "setup_timer() is of before Linux 4.15: try --kernel 4.14" in out, out
    for wrong in ("4", "four", "4.x", "4.14x", "1000.1", ""):
        assert "--kernel wants a version" in run(RUNNER, "--kernel", wrong, m, status=64), wrong


@case
def several_files_make_one_module(d):
    own = TESTS / "own-build"
    out = run(RUNNER, "-d", "1ms", own / "greeter-core.c", own / "greeter-exit.c", "times=2")
    assert out.count("hello from greeter_core") == 2 and "goodbye" in out, out


@case
def a_signal_ends_the_run_through_module_exit(d):
    program = d / "prog"
    run(RUNNER, "-B", "-o", program, module(d, HELLO))
    for sig in (signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as p:
            assert "n is" in p.stdout.readline()
            time.sleep(0.1)
            p.send_signal(sig)
            assert "bye" in p.communicate(timeout=LIMIT)[0]
            assert p.returncode == 0


@case
def the_nth_allocation_fails(d):
    m = module(d, """#include <linux/module.h>
#include <linux/slab.h>
static int __init f(void) { void *p = kmalloc(1, GFP_KERNEL), *q = kmalloc(1, GFP_KERNEL);
int err = q ? 0 : -ENOMEM; kfree(p); kfree(q); return err; }
static void __exit g(void) {}
module_init(f); module_exit(g);
""")
    run(RUNNER, "-d", "1ms", "--fail-alloc", "2", m, status=12)
    run(RUNNER, "-d", "1ms", "--fail-alloc", "3", m)


@case
def a_seed_repeats_the_random_numbers(d):
    m = module(d, """#include <linux/module.h>
#include <linux/random.h>
static int __init f(void) { pr_info("%u %llu\\n", get_random_u32(), get_random_u64()); return 0; }
static void __exit g(void) {}
module_init(f); module_exit(g);
""")
    program = d / "prog"
    run(RUNNER, "-B", "-o", program, m)
    args = (program, "-d", "1ms", "--no-timestamps", "--seed")
    assert run(*args, 5) == run(*args, 5) != run(*args, 6)


@case
def virtual_runs_are_all_the_same(d):
    m = module(d, """#include <linux/module.h>
#include <linux/timer.h>
static int n;
static void tick(struct timer_list *t)
{
	pr_info("tick %d at %lld\\n", ++n, ktime_get_real_seconds());
	mod_timer(t, jiffies + 37 * HZ);
}
static DEFINE_TIMER(timer, tick);
static int __init f(void) { mod_timer(&timer, jiffies + HZ); return 0; }
static void __exit g(void) { timer_delete_sync(&timer); }
module_init(f); module_exit(g);
""")
    program = d / "prog"
    run(RUNNER, "-B", "-o", program, m)
    first = run(program, "-V", "-d", "1h")
    assert first.count("tick") == 98 and first == run(program, "-V", "-d", "1h"), first


@case
def two_rates_in_one_program_are_refused(d):
    a, b = module(d, HELLO), module(d, "#include <linux/jiffies.h>\nlong h(void) { return HZ; }\n", "b.c")
    flags = ["-std=gnu11", "-DMODULE", *INCLUDE]
    run("cc", *flags, "-c", a, "-o", d / "a.o")
    run("cc", *flags, "-DWW_LINUX_HZ=250", "-c", b, "-o", d / "b.o")
    libs = [BUILD / "compat/libwheelwork-linux-module.a", BUILD / "src/libwheelwork.a"]
    run("cc", d / "a.o", d / "b.o", *libs, "-lurcu-bp", "-lm", "-pthread", "-o", d / "prog")
    out = run(d / "prog", "-d", "1ms", status=-6)
    assert "HZ=1000" in out and "HZ=250" in out, out


@case
def each_header_compiles_alone(d):
    headers = sorted(p.relative_to(ROOT / "compat/include")
                     for p in (ROOT / "compat/include").glob("[la]*/**/*.h"))
    assert len(headers) > 100

    def one(i_h):
        i, h = i_h
        c = module(d, f"#include <{h}>\n#include <{h}>\nint x;\n", f"h{i}.c")
        run("cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
            "-Wno-unused-parameter", "-Wno-missing-field-initializers", *INCLUDE, c)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, enumerate(headers)))
    for order in (headers, headers[::-1]):
        c = module(d, "".join(f"#include <{h}>\n" for h in order) + "int x;\n", "all.c")
        run("cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror", "-D__KERNEL__", *INCLUDE, c)


CLIENT_LIST = """#ifndef _LINUX_LIST_H
#define _LINUX_LIST_H
struct list_head { struct list_head *next, *prev; };
#define CLIENTS_OWN_LIST 1
static inline void INIT_LIST_HEAD(struct list_head *l) { l->next = l->prev = l; }
#endif
"""


@case
def a_client_may_put_headers_of_its_own_in_front(d):
    in_front(d / "whole", CLIENT_LIST, ["-DWW_LINUX_CLIENT_LIST_HEAD"])
    kernel_style = CLIENT_LIST.replace(
        "struct list_head { struct list_head *next, *prev; };", "#include <linux/types.h>")
    in_front(d / "kernel-style", kernel_style, [])


def in_front(d, client_list, flags):
    own = d / "own/linux"
    own.mkdir(parents=True)
    (own / "list.h").write_text(client_list)
    (own / "kernel.h").write_text("#define CLIENTS_OWN_KERNEL 1\n")
    c = module(d, """#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/kthread.h>
#include <linux/wait.h>
#include <linux/kernel.h>
#ifndef CLIENTS_OWN_LIST
#error ours was taken
#endif
#ifndef CLIENTS_OWN_KERNEL
#error ours was taken
#endif
static struct list_head head; static struct delayed_work w; static struct timer_list t;
int main(void) { INIT_LIST_HEAD(&head); return delayed_work_pending(&w) + timer_pending(&t); }
""")
    run("cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-function",
        *flags, f"-I{d}/own", *INCLUDE, c)


@case
def the_c_librarys_names_stay_usable(d):
    c = module(d, """#include <linux/timer.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sched.h>
#include <stdio.h>
#include <pthread.h>
#include <sys/param.h>
int main(void)
{
	char b[8];
	timer_t t;
	snprintf(b, sizeof(b), "%d", (int)time(NULL) & 1);
	return HZ != 1000 || timer_create(CLOCK_MONOTONIC, NULL, &t) || abs(-1) != 1;
}
""")
    run("cc", "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Werror",
        "-Wno-unused-function", *INCLUDE, c)


def install(d):
    """The tree, installed below d; the environment that finds it there."""
    root = d / "root"
    run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", root)
    folder = next(root.glob("**/wheelwork-linux-module.pc")).parent
    for pc in folder.glob("*.pc"):
        pc.write_text(pc.read_text().replace("prefix=/", f"prefix={root}/", 1))
    return dict(os.environ, PKG_CONFIG_PATH=str(folder))


@case
def a_makefile_of_ones_own_builds_a_module(d):
    env = install(d)
    run("cp", "-r", TESTS / "own-build", d / "own")
    env["LD_LIBRARY_PATH"] = str(next((d / "root").glob("**/libwheelwork.so")).parent)
    for sanitize in ("", "thread"):
        run("make", "-C", d / "own", "-B", f"SANITIZE={sanitize}", env=env)
        out = run(d / "own/greeter", "-d", "1ms", "times=2", env=env)
        assert out.count("hello from greeter\n") == 2 and "goodbye" in out, out


@case
def a_meson_project_of_ones_own_builds_a_module(d):
    env = install(d)
    run("meson", "setup", d / "b", TESTS / "own-build", env=env)
    run("meson", "compile", "-C", d / "b", env=env)
    out = run(d / "b/greeter", "-d", "1ms")
    assert "hello from greeter\n" in out and "goodbye" in out, out


def main():
    print(f"1..{len(CASES)}", flush=True)
    for i, fn in enumerate(CASES, 1):
        if sys.argv[4:] and fn.__name__ not in sys.argv[4:]:
            continue
        with tempfile.TemporaryDirectory() as d:
            try:
                fn(pathlib.Path(d))
                print(f"ok {i} - {fn.__name__}", flush=True)
            except (AssertionError, subprocess.SubprocessError, OSError, StopIteration):
                print(f"not ok {i} - {fn.__name__}", flush=True)
                for line in traceback.format_exc().splitlines()[-40:]:
                    print("# " + line, flush=True)


main()
