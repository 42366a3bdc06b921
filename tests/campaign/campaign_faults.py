#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults in every command: allocations (alloc), system calls (syscalls), kill -9 (kill), a full disk (enospc: from byte N
on writes fail; or no file may grow beyond N bytes).

tools/campaign alloc|syscalls|kill|enospc [--seconds N] [--jobs N] [--only NAME] [--at N] [--mode MODE] [--every N]"""
import errno
import os
import pathlib
import resource
import subprocess
import sys

from campaign_base import CODES, FAULT_CODES, State, World, compile_tool, parser_for, spread

ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR}
MODES = {"alloc": ["once", "ever"], "syscalls": [*ERRORS, "short"], "kill": ["kill"], "enospc": ["bytes", "size", "tmpfs"]}
REMOVES = {87, 263}  # unlink, unlinkat: what they fail to remove stays


class Faults:
    def __init__(self, part, options):
        self.part, self.options = part, options
        self.shim = compile_tool("campaign_shim", "-shared", "-fPIC")
        self.trace = compile_tool("campaign_trace") if part in ("syscalls", "kill") else None
        self.state = State(part, options)

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
                                  stdin=subprocess.DEVNULL, timeout=60, check=False, preexec_fn=limit,
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

    def item(self, world, command, mode):
        key = f"{command.name}|{mode}"
        if key in self.state.done or self.state.over():
            return
        n = self.count(world, command)
        if mode == "tmpfs":
            self.on_small_disks(world, command, key, n)
            return
        faults = [self.options.at] if self.options.at else range(1, n + 1, self.options.every)
        if self.part == "enospc":
            faults = [self.options.at] if self.options.at is not None else range(0, n, self.options.every)
        tries = failures = 0
        codes = {}
        done = max((int(one.rsplit(" ", 1)[1]) for one in self.state.done if one.startswith(key + "|until ")), default=-1)
        for at in [one for one in faults if one > done]:
            old = at % 2 == 0
            code, text, hit = self.run(world, command, mode, at, old)
            wrong = self.verdict(world, command, mode, at, code, text, hit, old)
            tries += 1
            codes[code] = codes.get(code, 0) + 1
            if wrong:
                failures += 1
                if failures <= 5:
                    print(f"FAILED {self.part}: {command.name}: {mode} at {at}{f' (call {hit})' if hit else ''}: {wrong}\n"
                          f"  again: tools/campaign {self.part} --only '{command.name}' --mode {mode} --at {at} --again",
                          flush=True)
            if self.state.over():
                key += f"|until {at}"
                break
        note = " ".join(f"{code}:{count}" for code, count in sorted(codes.items(), key=str))
        self.state.finish(key, tries, failures, note)

    def on_small_disks(self, world, command, key, n_bytes):
        """`out` as a file system in memory with room for 0, 1, ... pages."""
        if os.getuid() != 0:
            return
        out, tries, failures = world.folder / "out", 0, 0
        for pages in range(2, n_bytes // 4096 + 6):  # the root folder takes one
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={pages * 4096}", "tmpfs", out], check=False).returncode:
                return
            code, text, _ = self.run(world, command, "tmpfs", 1 << 60, False)
            wrong = self.verdict(world, command, "tmpfs", pages, code, text, 0, False)
            subprocess.run(["umount", out], check=True)
            tries += 1
            failures += wrong is not None
            if wrong:
                print(f"FAILED enospc: {command.name}: tmpfs of {pages} pages: {wrong}", flush=True)
        self.state.finish(key, tries, failures)

    def all(self):
        first = World(self.options.meshplan)
        names = [one.name for one in first.commands(self.options.only)]
        first.close()
        items = [(name, mode) for name in names for mode in MODES[self.part]
                 if self.options.mode in (None, mode)]
        if self.part in ("kill", "enospc"):
            items = [(name, mode) for name, mode in items if name.split()[0] not in ("info", "formats", "help", "run", "compare")]

        def work(share):
            world = World(self.options.meshplan)
            try:
                commands = {one.name: one for one in world.commands(self.options.only)}
                for name, mode in share:
                    if name in commands:
                        self.item(world, commands[name], mode)
            finally:
                world.close()

        jobs = max(1, self.options.jobs)
        spread([items[k::jobs] for k in range(jobs)], work, jobs)
        left = sum(f"{name}|{mode}" not in self.state.done for name, mode in items)
        return self.state.report(left)


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
