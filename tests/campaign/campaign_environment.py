#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands under odd conditions: locales, umasks, closed streams, low limits, folders that cannot be written, signals
that are ignored, variables that make no sense. tools/campaign environment [--seconds N] [--jobs N] [--only NAME]"""
import multiprocessing
import multiprocessing.util
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

from campaign_base import CODES, FAULT_CODES, State, World, parser_for

NOBODY = 65534


def limit(what, *values):
    def prepare():
        resource.setrlimit(what, (values[0], values[-1]))
    return prepare


def closing(*streams):
    def prepare():
        for one in streams:
            os.close(one)
    return prepare


def ignoring(*signals):
    def prepare():
        for one in signals:
            signal.signal(one, signal.SIG_IGN)
    return prepare


def masked(mask):
    def prepare():
        os.umask(mask)
    return prepare


class Condition:
    """codes: exit codes that may be; None: the command's own 0. equal: outputs must be those of the reference."""

    def __init__(self, name, prepare=None, variables=None, codes=frozenset({0}), mode=None, user=None, writable=True):
        self.name, self.prepare, self.variables, self.codes = name, prepare, variables or {}, codes
        self.mode, self.user, self.writable = mode, user, writable


def conditions(folder):
    faults = FAULT_CODES | {0}
    result = [Condition(f"umask {mask:03o}", masked(mask), mode=0o666 & ~mask) for mask in (0o077, 0o000, 0o027)]
    result += [Condition("umask 777", masked(0o777), codes=faults)]
    result += [Condition("closed " + "+".join(map(str, one)), closing(*one), codes=faults)
               for one in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2))]
    result += [Condition(f"RLIMIT_AS {mega} MB", limit(resource.RLIMIT_AS, mega << 20), codes=faults) for mega in (120, 160, 200, 250, 300, 400, 500, 700, 1000)]
    result += [Condition(f"RLIMIT_DATA {mega} MB", limit(resource.RLIMIT_DATA, mega << 20), codes=faults)
               for mega in (2, 4, 6, 8, 12, 16, 32, 64)]
    result += [Condition(f"RLIMIT_NOFILE {n}", limit(resource.RLIMIT_NOFILE, n), codes=faults) for n in range(4, 12)]
    result += [Condition(f"RLIMIT_STACK {kilo} kB", limit(resource.RLIMIT_STACK, kilo << 10), codes=faults)
               for kilo in (128, 256, 512, 1024)]
    result += [Condition(f"RLIMIT_FSIZE {n}", limit(resource.RLIMIT_FSIZE, n), codes=faults | {-25}) for n in (0, 1, 100, 4096, 10000)]
    result += [Condition(f"RLIMIT_CORE and RLIMIT_MEMLOCK {n}", limit(resource.RLIMIT_MEMLOCK, n)) for n in (0,)]
    result += [Condition(f"RLIMIT_NPROC {n}", limit(resource.RLIMIT_NPROC, n), user=NOBODY, codes=faults) for n in (0, 1, 2, 3)]
    result += [Condition("folder not writable", user=NOBODY, writable=False, codes=faults)]
    result += [Condition("SIGCHLD ignored", ignoring(signal.SIGCHLD)), Condition("SIGPIPE ignored", ignoring(signal.SIGPIPE)),
               Condition("SIGXFSZ ignored, RLIMIT_FSIZE 100", lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                                                     limit(resource.RLIMIT_FSIZE, 100)()), codes=faults)]
    for name, variables in {
            "TMPDIR nonsense": {"TMPDIR": "/nowhere/\x7f/x"}, "TMPDIR empty": {"TMPDIR": ""},
            "HOME and PATH unset": {"HOME": None, "PATH": None}, "threads 99999": {"OMP_NUM_THREADS": "99999"},
            "threads nonsense": {"OMP_NUM_THREADS": "-3,abc"}, "OMP_STACKSIZE 1T": {"OMP_STACKSIZE": "1T", "OMP_NUM_THREADS": "4"},
            "OMP_THREAD_LIMIT 1": {"OMP_THREAD_LIMIT": "1"}, "OMP_DYNAMIC": {"OMP_DYNAMIC": "true", "OMP_WAIT_POLICY": "active"},
            "OMP_PROC_BIND": {"OMP_PROC_BIND": "spread", "OMP_PLACES": "{0}:99"}, "TERM dumb": {"TERM": "dumb", "COLUMNS": "0"},
            "COLUMNS nonsense": {"COLUMNS": "99999999999999999999", "LINES": "-1"},
            "SOURCE_DATE_EPOCH": {"SOURCE_DATE_EPOCH": "nonsense"}, "HDF5 debug": {"HDF5_DEBUG": "all"}}.items():
        result.append(Condition(name, variables=variables))
    for locale in ("de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8"):
        made = folder / "locale" / locale
        made.parent.mkdir(exist_ok=True)
        if not made.exists() and shutil.which("localedef"):
            subprocess.run(["localedef", "-i", locale.split(".", maxsplit=1)[0], "-f", "UTF-8", made], capture_output=True, check=False)
        if made.exists():
            result.append(Condition(f"locale {locale}", variables={"LOCPATH": str(made.parent), "LC_ALL": locale, "LANG": locale}))
        else:
            print(f"locale {locale} cannot be made here, skipped")
    return result


class Trials:
    def __init__(self, options):
        self.options, self.state = options, State("environment", options)
        self.made = None  # (world, commands, conditions) of this process
        self.shared = None  # folder where the first one made locales

    def things(self):
        if not self.made:
            world = World(self.options.meshplan)
            multiprocessing.util.Finalize(None, world.close, exitpriority=1)
            world.folder.chmod(0o755)
            self.shared = self.shared or world.folder
            self.made = world, {one.name: one for one in world.commands()}, {one.name: one for one in conditions(self.shared)}
        return self.made

    def run(self, condition, command):
        world = self.made[0]
        world.clear(command, False)
        environment = dict(world.environment)
        for key, value in condition.variables.items():
            environment.pop(key, None) if value is None else environment.update({key: value})
        out = world.folder / "out"
        argv = [one for one in command.argv if one not in ("--threads",)]
        argv = [one for k, one in enumerate(command.argv) if not (one == "--threads" or command.argv[k - 1] == "--threads")]

        def prepare():
            if condition.prepare:
                condition.prepare()
            if condition.user and os.getuid() == 0:
                identity = multiprocessing.current_process()._identity  # a user for each process: limits of processes are by user
                os.setgid(condition.user)
                os.setuid(condition.user - (identity[0] if identity else 0))

        world.folder.chmod(0o755)
        out.chmod(0o755 if not condition.writable else 0o777)
        try:
            done = subprocess.run([world.meshplan, *argv], cwd=world.folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return "hangs"
        if done.returncode == 127 and b"error while loading shared libraries" in done.stderr:
            return world.looks_wrong(command, 127, False)  # the program was never begun
        if done.returncode not in condition.codes:
            return f"ends with {done.returncode}: {done.stderr.decode(errors='replace').strip().splitlines()[:1]}"
        wrong = world.looks_wrong(command, done.returncode, False)
        for name in command.outputs if done.returncode == 0 and condition.mode is not None else []:
            path = out / name
            if path.is_file() and path.stat().st_mode & 0o777 != condition.mode:
                wrong = wrong or f"{name} has mode {path.stat().st_mode & 0o777:o}"
        return wrong

    def one(self, names):
        """(names, what is wrong or None, whether it was tried)."""
        if self.state.over():
            return names, None, False
        _, commands, known = self.things()
        if names[0] not in known or names[1] not in commands:
            return names, None, False
        return names, self.run(known[names[0]], commands[names[1]]), True

    def all(self):
        global TRIALS  # the processes of the pool are forked and find it there
        TRIALS = self
        world, commands, known = self.things()
        pairs = [(condition, command) for condition in known for command in commands]
        wanted = [one for one in pairs if "|".join(one) not in self.state.done and (not self.options.only or self.options.only in "|".join(one))]
        left = len(wanted)
        self.made = None  # each process makes its own
        pool = multiprocessing.get_context("fork").Pool(max(1, self.options.jobs))
        for names, wrong, tried in pool.imap_unordered(try_one, wanted):
            key = "|".join(names)
            if wrong:
                print(f"FAILED environment: {key}: {wrong}\n  again: tools/campaign environment --only '{key}' --again", flush=True)
            if tried:
                self.state.finish(key, 1, 1 if wrong else 0, wrong or "")
                left -= 1
        pool.close()
        pool.join()
        world.close()
        return self.state.report(left)


TRIALS = None


def try_one(names):
    return TRIALS.one(names)


def main():
    parser = parser_for("environment", "commands under odd conditions")
    options = parser.parse_args()
    options.meshplan = str(pathlib.Path(options.meshplan).resolve())
    assert CODES
    os.nice(10)
    return Trials(options).all()


if __name__ == "__main__":
    sys.exit(main())
