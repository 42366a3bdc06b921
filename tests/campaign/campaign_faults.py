#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults in every command: allocations (alloc), system calls (syscalls), kill -9 (kill), a full disk (enospc: from byte N
on writes fail; or no file may grow beyond N bytes; or the disk has N pages).

tools/campaign alloc|syscalls|kill|enospc [--seconds N] [--jobs N] [--only NAME] [--at N] [--mode MODE] [--every N]

Each process of --jobs has a folder of its own and takes a few faults at a time, of all commands in turn, so that a run
that ends early has tried some of each. The state holds which faults were tried, and a later call takes the others."""
import errno
import multiprocessing
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from campaign_base import CODES, FAULT_CODES, State, World, compile_tool, memory_folder, parser_for

ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR}
MODES = {"alloc": ["once", "ever"], "syscalls": [*ERRORS, "short"], "kill": ["kill"], "enospc": ["bytes", "size", "tmpfs"]}
REMOVES = {87, 263}  # unlink, unlinkat: what they fail to remove stays
LONGEST = 300  # seconds of one command, which takes milliseconds
SHARE = 64  # faults that a process takes at a time
SHOWN = 5  # failures of one command and mode that are printed; all are in the state


def numbers_of(text):
    """{1, 2, 3, 7} of "1-3,7"."""
    found = set()
    for one in text.split(","):
        first, _, last = one.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def text_of(numbers):
    """The other way round; numbers ascend."""
    runs = []
    for one in numbers:
        if runs and runs[-1][1] == one - 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


class Faults:
    def __init__(self, part, options):
        self.part, self.options = part, options
        self.shim = compile_tool("campaign_shim", "-shared", "-fPIC")
        self.trace = compile_tool("campaign_trace") if part in ("syscalls", "kill") else None
        self.state = State(part, options)
        self.world = self.commands = None  # of this process

    def get_world(self):
        """Of the process that asks: made when it asks first."""
        if self.world is None:
            self.world = World(self.options.meshplan, tempfile.mkdtemp(dir=self.folder))
            self.commands = {one.name: one for one in self.world.commands(self.options.only)}
        return self.world

    def run(self, world, command, mode, at, old):
        """Exit code, standard error and the call that was hit (0: none)."""
        world.clear(command, old)
        environment = dict(world.environment)
        argv, limit = [world.meshplan, *command.argv], None
        report = world.folder / "report"
        if self.part == "alloc":
            environment.update(LD_PRELOAD=self.shim, CAMPAIGN_ALLOC_AT=str(at))
            if mode == "ever":
                environment["CAMPAIGN_ALLOC_EVER"] = "1"
        elif mode == "size":
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (at, at))  # noqa: E731
        elif mode == "bytes":
            environment.update(LD_PRELOAD=self.shim, CAMPAIGN_WRITE_AT=str(at))
        elif self.trace:
            environment["CAMPAIGN_PRELOAD"] = self.shim
            argv = [self.trace, str(report), str(ERRORS.get(mode, mode)), str(at), "--", *argv]
        try:
            done = subprocess.run(argv, cwd=world.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, timeout=LONGEST, check=False, preexec_fn=limit,
                                  restore_signals=mode != "size" or at % 2 == 1)
        except subprocess.TimeoutExpired:
            return "hangs", "", 0
        hit = report.read_text().split() if report.exists() else []
        return done.returncode, done.stderr.decode(errors="replace"), int(hit[1]) if hit[:1] == ["hit"] else 0

    def count(self, world, command):
        """How many faults there are to make."""
        world.clear(command, False)
        if self.part == "enospc":
            return sum(len(one) for one in command.reference.values() if isinstance(one, bytes))
        environment = dict(world.environment)
        report = world.folder / "count"
        report.unlink(missing_ok=True)
        argv = [world.meshplan, *command.argv]
        if self.part == "alloc":
            environment.update(LD_PRELOAD=self.shim, CAMPAIGN_COUNT=str(report))
        else:
            environment["CAMPAIGN_PRELOAD"] = self.shim
            argv = [self.trace, str(report), "none", "0", "--", *argv]
        subprocess.run(argv, cwd=world.folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                       check=False)
        lines = report.read_text().split()
        return max(int(one) for one in lines) if self.part == "alloc" else len(lines)

    def verdict(self, world, command, mode, at, code, text, hit, old):
        allowed = {"alloc": {0, 71}, "enospc": {0, 73, 74}}.get(self.part, FAULT_CODES | {0})
        if mode == "size" and at % 2:
            allowed = allowed | {-25}  # SIGXFSZ ends it; else it is ignored
        if mode == "size" and "met the limit of file sizes" in text:
            allowed = allowed | {71}  # a library cannot tell that limit from one of memory
        if self.part == "kill":
            allowed = {137}
            code = 137 if code == 0 and not hit else code  # ended before the fault
        if mode == "EINTR":
            allowed = allowed | {75}
        if code not in allowed:
            return f"ends with {code}: {text.strip().splitlines()[:1]}"
        if self.part == "alloc" and code and "meshplan:" not in text:
            return f"ends with {code} without a word"
        return world.looks_wrong(command, code, old, self.part == "kill" or hit in REMOVES)

    def how_many(self, name):
        """(name, faults of the command); tmpfs: pages."""
        world = self.get_world()
        return name, self.count(world, self.commands[name]) if name in self.commands else 0

    def wanted(self, mode, n):
        """The faults of a command with n."""
        if self.options.at is not None:
            return [self.options.at]
        if mode == "tmpfs":  # the root folder takes a page
            return list(range(2, n // 4096 + 6)) if os.getuid() == 0 else []
        first = 0 if self.part == "enospc" else 1
        return list(range(first, n + first, self.options.every))

    def one_fault(self, command, mode, at):
        """(exit code, what is wrong or None)."""
        world, old, out = self.world, at % 2 == 0 and mode != "tmpfs", self.world.folder / "out"
        if mode != "tmpfs":
            code, text, hit = self.run(world, command, mode, at, old)
            return code, self.verdict(world, command, mode, at, code, text, hit, old), hit
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={at * 4096}", "tmpfs", out], check=True, capture_output=True)
        try:
            code, text, _ = self.run(world, command, mode, 1 << 60, old)
            return code, self.verdict(world, command, mode, at, code, text, 0, old), 0
        finally:
            subprocess.run(["umount", out], check=True)

    def share(self, task):
        """Tries the faults of a task until time is over: (name, mode, those tried, codes, sentences of failures)."""
        name, mode, faults = task
        tried, codes, wrongs = [], {}, []
        if not self.state.over():
            self.get_world()
        for at in faults:
            if self.state.over() or name not in self.commands:
                break
            try:
                code, wrong, hit = self.one_fault(self.commands[name], mode, at)
            except subprocess.CalledProcessError as error:  # mount is not allowed
                return name, mode, tried, codes, wrongs, f"skipped: {error.stderr.decode().strip()}"
            except FileNotFoundError as error:
                return name, mode, tried, codes, wrongs, f"skipped: {error.filename} is not here"
            tried.append(at)
            codes[code] = codes.get(code, 0) + 1
            if wrong:
                wrongs.append(f"{self.part}: {name}: {mode} at {at}{f' (call {hit})' if hit else ''}: {wrong}\n"
                              f"  again: tools/campaign {self.part} --only '{name}' --mode {mode} --at {at} --again")
        return name, mode, tried, codes, wrongs, ""

    def tasks(self, counts):
        """Shares of the faults that are left, the first of every command and mode first."""
        done = {}
        for key in self.state.done:
            name, mode, numbers = key.rsplit("|", 2)
            if re.fullmatch(r"[\d,-]+", numbers):
                done.setdefault((name, mode), set()).update(numbers_of(numbers))
        rounds = []
        for (name, mode), n in counts.items():
            left = [one for one in self.wanted(mode, n) if one not in done.get((name, mode), ())]
            rounds += [(number, name, mode, left[at:at + SHARE]) for number, at in enumerate(range(0, len(left), SHARE))]
        rounds.sort(key=lambda one: one[0])
        return [one[1:] for one in rounds]

    def record(self, answer, shown):
        name, mode, tried, codes, wrongs, skipped = answer
        if skipped and (name, mode) not in shown:
            print(f"{self.part}: {name}: {mode}: {skipped}", flush=True)
        shown.setdefault((name, mode), 0)
        for wrong in wrongs:
            shown[name, mode] += 1
            if shown[name, mode] <= SHOWN:
                print(f"FAILED {wrong}", flush=True)
        if wrongs:
            with open(self.state.path.with_suffix(".failures"), "a", encoding="utf-8") as file:
                file.writelines(one + "\n" for one in wrongs)
        if tried:
            note = " ".join(f"{code}:{count}" for code, count in sorted(codes.items(), key=str))
            self.state.finish(f"{name}|{mode}|{text_of(tried)}", len(tried), len(wrongs), note)
        return len(tried)

    def items(self):
        """(command, mode) of this part."""
        first = World(self.options.meshplan, tempfile.mkdtemp(dir=self.folder))
        names = [one.name for one in first.commands(self.options.only)]
        first.close()
        if self.part in ("kill", "enospc"):
            names = [name for name in names if name.split()[0] not in ("info", "formats", "help", "run", "compare")]
        return [(name, mode) for name in names for mode in MODES[self.part] if self.options.mode in (None, mode)]

    def all(self):
        global FAULTS  # the processes of the pool are forked and find it there
        FAULTS = self
        self.folder = tempfile.mkdtemp(prefix="campaign-", dir=memory_folder())
        pool = multiprocessing.get_context("fork").Pool(max(1, self.options.jobs))
        try:
            items = self.items()
            numbers = dict(pool.imap_unordered(count_one, sorted({name for name, _ in items})))
            counts = {(name, mode): numbers[name] for name, mode in items}
            for (name, mode), n in counts.items():
                if f"{name}|{mode}|of" not in self.state.done and self.options.at is None:
                    self.state.finish(f"{name}|{mode}|of", 0, 0, str(len(self.wanted(mode, n)) if self.options.every == 1 else n))
            tasks, shown = self.tasks(counts), {}
            left = sum(len(faults) for _, _, faults in tasks)
            for answer in pool.imap_unordered(share_one, tasks):
                left -= self.record(answer, shown)
            pool.close()
            pool.join()
        finally:
            pool.terminate()
            shutil.rmtree(self.folder, ignore_errors=True)
        return self.state.report(left)


FAULTS = None


def count_one(name):
    return FAULTS.how_many(name)


def share_one(task):
    return FAULTS.share(task)


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    if part not in MODES:
        print(__doc__, file=sys.stderr)
        return 64
    parser = parser_for(part, "faults in every command")
    parser.add_argument("--mode", choices=MODES[part])
    options = parser.parse_args(sys.argv[2:])
    options.meshplan = str(pathlib.Path(options.meshplan).resolve())
    assert CODES
    os.nice(10)
    return Faults(part, options).all()


if __name__ == "__main__":
    sys.exit(main())
