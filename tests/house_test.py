#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The house itself: headers, the installed library, the front door, and the rules of tools/check.

"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from harness import BUILD, ROOT as TOP, Skip, case, main

HEADERS = sorted(f for f in os.listdir(f'{TOP}/include/wheelwork') if f.endswith('.h'))


def run(*argv, cwd=TOP, status=0, **env):
    """Standard output and error of a command that must end with that status."""
    p = subprocess.run(argv, cwd=cwd, env={**os.environ, **env}, text=True, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if p.returncode != status:
        raise AssertionError(f"{' '.join(argv)}: status {p.returncode}, not {status}\n{p.stdout}")
    return p.stdout


def sanitizer():
    options = run('meson', 'introspect', '--buildoptions', BUILD)
    m = re.search(r'"name": "b_sanitize".*?"value": "(\w+)"|"value": "(\w+)"[^}]*"name": "b_sanitize"', options)
    return next((g for g in m.groups() if g), 'none') if m else 'none'


# Headers ---------------------------------------------------------------------------------------

def headers_alone(compiler, language, standard):
    if not shutil.which(compiler):
        raise Skip(f'{compiler} is not installed')
    for header in HEADERS:
        source = f'#include <wheelwork/{header}>\n#include <wheelwork/{header}>\nint main(void) {{ return 0; }}\n'
        p = subprocess.run([compiler, f'-x{language}', f'-std={standard}', '-Wall', '-Wextra', '-Wshadow',
                            '-Wpedantic', '-Werror', '-fsyntax-only', f'-I{TOP}/include', '-'],
                           input=source, text=True, capture_output=True, check=False)
        assert p.returncode == 0, f'{header}:\n{p.stderr}'


@case
def each_public_header_compiles_alone_as_c17_with_gcc():
    headers_alone('gcc', 'c', 'c17')


@case
def each_public_header_compiles_alone_as_c17_with_clang():
    headers_alone('clang', 'c', 'c17')


@case
def each_public_header_compiles_alone_as_cpp17_with_gpp():
    headers_alone('g++', 'c++', 'c++17')


@case
def each_public_header_compiles_alone_as_cpp17_with_clangpp():
    headers_alone('clang++', 'c++', 'c++17')


# The library as its users get it ----------------------------------------------------------------

PROGRAM = r'''
#include <stdio.h>
#include <string.h>
#include <wheelwork/wheelwork.h>
static void handler(enum ww_report_kind kind, const char *line)
{
	(void)kind;
	(void)line;
}
int main(void)
{
	ww_set_misuse_handler(handler);
	puts(ww_set_misuse_handler(NULL) == handler ? "works" : "does not");
	return 0;
}
'''


def installed(where):
    """Installs into a staging folder; the environment in which pkg-config finds it there."""
    if sanitizer() != 'none':
        raise Skip(f'a library built with the {sanitizer()} sanitizer is not what users install')
    run('meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', where)
    pc = [d for d, _, files in os.walk(where) if 'wheelwork.pc' in files]
    assert len(pc) == 1, f'wheelwork.pc in {pc}'
    return {'PKG_CONFIG_LIBDIR': pc[0], 'PKG_CONFIG_SYSROOT_DIR': where}


def link_and_run(shared, source=PROGRAM):
    with tempfile.TemporaryDirectory() as where:
        env = installed(f'{where}/stage')
        with open(f'{where}/program.c', 'w', encoding='utf-8') as f:
            f.write(source)
        how = [] if shared else ['--static']
        flags = run('pkg-config', *how, '--cflags', '--libs', 'wheelwork', **env).split()
        static = [] if shared else ['-static']
        run('gcc', '-Wall', '-Werror', '-o', f'{where}/program', *static, f'{where}/program.c', *flags)
        libs = [f[2:] for f in flags if f.startswith('-L')]
        return run(f'{where}/program', LD_LIBRARY_PATH=':'.join(libs))


@case
def a_program_builds_against_the_installed_shared_library_with_pkg_config():
    assert link_and_run(shared=True) == 'works\n'


@case
def a_program_builds_against_the_installed_static_library_with_pkg_config():
    assert link_and_run(shared=False) == 'works\n'


def fenced(language):
    """The first block of that language in README.md."""
    with open(f'{TOP}/README.md', encoding='utf-8') as f:
        return re.search(rf'^```{language}\n(.*?)^```', f.read(), re.M | re.S).group(1)


@case
def the_example_in_the_readme_builds_and_does_what_the_text_says():
    source = fenced('c')
    body = source[source.index('static void silent'):]
    assert len(body.strip().splitlines()) <= 25, 'no longer the twenty lines that it says'
    assert link_and_run(shared=True, source=source) == 'flushed\n'


@case
def the_packets_of_the_readme_are_sent():
    """The script in a namespace of its own, by the program that the tests built."""
    with open(f'{TOP}/README.md', encoding='utf-8') as f:
        script = re.search(r'cat >script <<EOF\n(.*?)    EOF', f.read(), re.S).group(1)
    if subprocess.run(['unshare', '--net', 'true'], check=False, capture_output=True).returncode:
        raise Skip('no network namespace here: it needs root')
    cpu = min(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as where:
        with open(f'{where}/script', 'w', encoding='utf-8') as f:
            f.write(re.sub(r'^    ', '', script, flags=re.M).replace('kpktgend_0', f'kpktgend_{cpu}'))
        text = run('unshare', '--net', 'sh', '-c',
                   f'PATH=$PATH:/sbin ip link set lo up && {BUILD}/upktgen/upktgen run --backend packet {where}/script')
    assert re.search(r'Result: OK: .* 1000 \(60byte,0frags\)', text), text


@case
def every_public_header_is_installed():
    with tempfile.TemporaryDirectory() as where:
        installed(where)
        found = [f for d, _, files in os.walk(where) if d.endswith('include/wheelwork') for f in files]
        assert sorted(found) == HEADERS, found


@case
def the_shared_library_exports_only_its_own_names_under_its_version():
    names = run('nm', '-D', '--defined-only', f'{BUILD}/src/libwheelwork.so').split('\n')
    symbols = [line.split()[-1] for line in names if line]
    assert symbols, 'nothing is exported'
    bad = [s for s in symbols if not re.fullmatch(r'ww_\w+@@WHEELWORK_\d+\.\d+|WHEELWORK_\d+\.\d+', s)]
    assert not bad, f'{bad}'


PROBES = {'timer_init': 2, 'timer_start': 3, 'timer_cancel': 2, 'timer_expire_entry': 2, 'timer_expire_exit': 1,
          'workqueue_queue_work': 3, 'workqueue_activate_work': 2, 'workqueue_execute_start': 2, 'workqueue_execute_end': 2}


@case
def the_library_has_its_static_probes_each_with_its_arguments():
    if subprocess.run(['gcc', '-E', '-include', 'sys/sdt.h', '-xc', '/dev/null'], capture_output=True, check=False).returncode:
        raise Skip('systemtap-sdt-dev is not installed')
    notes = run('readelf', '-nW', f'{BUILD}/src/libwheelwork.so')
    found = {}
    for name, arguments in re.findall(r'Provider: wheelwork\n\s*Name: (\w+)\n.*\n\s*Arguments: (.*)', notes):
        found.setdefault(name, set()).add(len(re.findall(r'-?\d@', arguments)))
    assert found == {name: {count} for name, count in PROBES.items()}, f'{found}'


# The front door ---------------------------------------------------------------------------------

def has_full_relro(path):
    return 'GNU_RELRO' in run('readelf', '-lW', path) and \
        re.search(r'BIND_NOW|FLAGS_1.*\bNOW\b', run('readelf', '-dW', path))


@case
def the_library_and_the_program_leave_nothing_writable_that_need_not_be():
    library = os.path.join(BUILD, 'src', 'libwheelwork.so')
    program = os.path.join(BUILD, 'upktgen', 'upktgen')
    assert has_full_relro(library)
    assert has_full_relro(program)
    assert re.search(r'FLAGS_1.*\bPIE\b', run('readelf', '-dW', program)), 'not position independent'


@case
def the_release_build_checks_the_sizes_of_its_copies():
    with tempfile.TemporaryDirectory() as d:
        run('meson', 'setup', d, TOP, '--buildtype=release', '-Db_ndebug=true')
        name = os.path.basename(os.path.realpath(os.path.join(BUILD, 'src', 'libwheelwork.so')))
        run('ninja', '-C', d, 'src/' + name)
        built = os.path.join(d, 'src', name)
        assert has_full_relro(built)
        with open(f'{d}/compile_commands.json', encoding='utf-8') as f:
            plain = [c['file'] for c in json.load(f) if re.match(r'.*\b(src|upktgen)/.*\.c$', c['file']) and
                     'tests/' not in c['output'] and '-D_FORTIFY_SOURCE=3' not in c['command']]
        assert not plain, f'compiled without: {plain}'
        assert '__snprintf_chk' in run('readelf', '--dyn-syms', '-W', built)


def verbs():
    with open(f'{TOP}/dev', encoding='utf-8') as f:
        return re.findall(r'^cmd_(\w+)\(\)', f.read(), re.M)


@case
def what_the_front_door_and_the_documents_name_is_in_the_tree():
    """Programs and folders by their path; what a build makes is not among them."""
    rooms = 'bench|compat|docs|examples|fuzz|include|src|tests|tools|upktgen'
    missing = []
    for name in ['dev', '.ci/run', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'] + \
            [f'docs/{f}' for f in os.listdir(f'{TOP}/docs') if f.endswith('.md')]:
        with open(f'{TOP}/{name}', encoding='utf-8') as f:
            text = f.read()
        for path in re.findall(rf'(?<![\w/$.-])(?:{rooms})/[\w./-]*\w', text):
            made = 'NAME' in path or path.endswith('_') or path == 'upktgen/upktgen'
            if not made and not glob.glob(f'{TOP}/{path}') + glob.glob(f'{TOP}/{path}.*'):
                missing.append(f'{name}: {path}')
    assert not missing, missing


@case
def dev_help_lists_every_verb_and_is_what_dev_alone_prints():
    text = run('./dev', 'help')
    listed = re.findall(r'^  (\w+) ', text, re.M)
    assert listed == verbs() and 'test' in listed, text
    assert run('./dev') == text


@case
def dev_says_so_and_changes_nothing_for_a_verb_that_it_lacks():
    text = run('./dev', 'dance', status=2)
    assert "no verb 'dance'" in text and 'usage:' in text, text


@case
def dev_names_the_one_command_where_it_may_not_install():
    with tempfile.TemporaryDirectory() as where:
        for name, body in (('dpkg-query', 'exit 1'), ('id', 'echo 1000'), ('sudo', 'exit 1')):
            with open(f'{where}/{name}', 'w', encoding='utf-8') as f:
                f.write(f'#!/bin/sh\n{body}\n')
            os.chmod(f'{where}/{name}', 0o755)
        text = run('./dev', 'test', status=1, PATH=f"{where}:{os.environ['PATH']}")
    assert re.search(r'^  apt-get install --no-install-recommends .*\bmeson\b', text, re.M), text


@case
def every_local_link_in_the_documents_leads_somewhere():
    for name in run('git', 'ls-files', '*.md').split():
        with open(f'{TOP}/{name}', encoding='utf-8') as f:
            text = f.read()
        for link in re.findall(r'\]\((?!https?:|#|mailto:)([^)#\s]+)', text):
            path = os.path.join(TOP, os.path.dirname(name), link)
            assert os.path.exists(path), f'{name}: {link} is not there'


@case
def each_hand_made_fault_applies_to_the_letter_and_its_cases_are_there():
    assert re.match(r'\d+ hand-made faults apply', run('tests/mutants/run', '--look'))


@case
def a_hand_made_fault_that_no_longer_applies_is_named_and_ends_the_run():
    with tempfile.TemporaryDirectory() as where:
        for name, text in (('src/a.c', 'int new;\n'), ('include/a.h', ''), ('tests/mutants/stale.patch',
                           'caught by: base\n\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-int old;\n+int broken;\n')):
            os.makedirs(os.path.dirname(f'{where}/{name}'), exist_ok=True)
            with open(f'{where}/{name}', 'w', encoding='utf-8') as f:
                f.write(text)
        shutil.copy(f'{TOP}/tests/mutants/run', f'{where}/tests/mutants/run')
        out = run(f'{where}/tests/mutants/run', status=1)
    assert out.count('NO LONGER APPLY') == 1 and out.rstrip().endswith('stale'), out


# The rules of tools/check: each must find what it is for -----------------------------------------

GOOD = {
    'include/wheelwork/a.h': '/* SPDX-License-Identifier: MIT */\nint ww_a(void);\n',
    'src/wheelwork.map': '/* SPDX-License-Identifier: MIT */\nV { global: ww_*; local: *; };\n',
    'src/a.c': '/* SPDX-License-Identifier: MIT */\nWW_EXPORT int ww_a(void)\n{\n'
               '\tone(); /* pairs: A-1 */\n\ttwo(); /* pairs: A-1 */\n}\n',
    'docs/memory-ordering.md': '# Memory\n\n**A-1.** One hands over to two.\n',
}


def rule(name, finds=None, **changes):
    """Runs a rule over GOOD with files changed (path with __ for / and _dot_ for .)."""
    with tempfile.TemporaryDirectory() as where:
        tree = dict(GOOD)
        for path, text in changes.items():
            tree[path.replace('__', '/').replace('_dot_', '.')] = text
        for path, text in tree.items():
            os.makedirs(os.path.dirname(f'{where}/{path}'), exist_ok=True)
            with open(f'{where}/{path}', 'w', encoding='utf-8') as f:
                f.write(text)
        out = run('python3', f'{TOP}/tools/check/{name}.py', where, status=1 if finds else 0)
        assert not finds or re.search(finds, out), out


@case
def the_rule_on_pairs_finds_a_lone_site_and_a_missing_paragraph():
    rule('pairs')
    rule('pairs', finds=r'src/b\.c:1: pairs: B-1 has no other site',
         src__b_dot_c='f(); /* pairs: B-1 */\n')
    rule('pairs', finds=r'B-1 has no paragraph', src__b_dot_c='f(); /* pairs: A-1, B-1 */\ng(); /* pairs: B-1 */\n')
    rule('pairs', finds=r'no site is marked "pairs: C-2"', src__b_dot_c='',
         **{'docs__memory-ordering_dot_md': '**A-1.** One.\n\n**C-2.** Nobody.\n'})


@case
def the_rule_on_exports_finds_what_headers_and_sources_do_not_share():
    rule('exports')
    rule('exports', finds='ww_b is in no public header', src__b_dot_c='WW_EXPORT void *ww_b(int (*f)(void))\n{\n}\n')
    rule('exports', finds='ww_c is declared, but',
         include__wheelwork__c_dot_h='static inline int ww_i(void)\n{\n\tif (1) {\n\t}\n\treturn ww_a();\n}\n'
         'struct ww_s {\n\tint x;\n};\nstatic inline void ww_j(void)\n{\n}\nint ww_c(struct ww_s *s)\n\t__attribute__((nonnull));\n')
    rule('exports', finds='ww_a of src/a.c is not let out', src__wheelwork_dot_map='V { global: ww_b; local: *; };\n')


@case
def the_rule_on_base_finds_atomics_futexes_clocks_and_threads_elsewhere():
    rule('base-only', src__base__b_dot_c='_Atomic int x;\n', src__c_dot_c='/* pthread_create */ char *s = "a";\n')
    for text in ('_Atomic int x;', 'pthread_create(&t, 0, f, 0);', 'syscall(SYS_futex, p);',
                 'clock_gettime(CLOCK_MONOTONIC, &ts);', '__atomic_load_n(&x, 5);'):
        rule('base-only', finds=r'src/work/b\.c:2: .* outside src/base', src__work__b_dot_c='int a;\n' + text + '\n')


@case
def the_rule_on_licenses_finds_a_file_without_its_line():
    rule('spdx')
    rule('spdx', finds=r'src/b\.c:1: no SPDX', src__b_dot_c='int x;\n')


@case
def the_rule_on_words_finds_paths_promises_and_praise():
    rule('words', src__b_dot_c='/* src/work/pool.c and include/wheelwork, #define A 1 */\n')
    for text in ('/ho' 'me/me/x', 'TO' 'DO: later', 'see iss' 'ue 12', 'a seam' 'less library'):
        rule('words', finds=r'src/b\.c:1: ', src__b_dot_c=f'/* {text} */\n')


if __name__ == '__main__':
    sys.exit(main())
