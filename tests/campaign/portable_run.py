#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs packed fuzz targets (tools/campaign fuzz --portable) on a machine that has nothing but python3.

run --seconds N [--jobs J] [--out FOLDER] [--runs COUNT] [--only TARGET,...]
run --faults alloc,syscalls,kill,enospc,environment --seconds N [--jobs J] [--out FOLDER] [--every N]

Spreads the targets over J processes in slices of time; the next slice goes to the target that is furthest from its
count. FOLDER (here, unless given) gets results.tsv (target, executions, seconds of a core, rate, findings, goal),
found.tar.gz (what a target stopped at, with its output) and corpus.tar.xz (inputs that reached something new).
A results.tsv beside this program, or in FOLDER, is gone on from."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MUTANTS = "plan_mutants"
MOST_FINDINGS = 10  # after which a target is left alone
SLICE = 75  # seconds


class Target:
    def __init__(self, name, goal, rate, short):
        self.name, self.goal, self.rate, self.short = name, goal, rate, short
        self.executions, self.seconds, self.findings, self.slices, self.running = 0, 0.0, 0, 0, 0
        self.expected = 0  # of the slices that run

    def fraction(self):
        return (self.executions + self.expected) / self.goal

    def left(self):
        return self.goal - self.executions - self.expected


def read_targets(goal, only):
    found = {}
    for line in (HERE / "targets.tsv").read_text().splitlines()[1:]:
        name, its_goal, rate, short = line.split("\t")
        if not only or name in only:
            found[name] = Target(name, goal or int(its_goal), float(rate), short)
    return found


def go_on_from(targets, path):
    if path.exists():
        for line in path.read_text().splitlines()[1:]:
            name, executions, seconds, _, findings, *_ = line.split("\t")
            if name in targets:
                one = targets[name]
                one.executions, one.seconds, one.findings = int(executions), float(seconds), int(findings)


def write_results(targets, path):
    lines = ["target\texecutions\tcore_seconds\ta_second\tfindings\tgoal"]
    for one in targets.values():
        rate = one.executions / one.seconds if one.seconds else 0
        lines.append(f"{one.name}\t{one.executions}\t{one.seconds:.0f}\t{rate:.0f}\t{one.findings}\t{one.goal}")
    new = path.with_suffix(".new")
    new.write_text("\n".join(lines) + "\n")
    new.replace(path)


def unpack(work):
    if not (work / "bin").is_dir():
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        with tarfile.open(HERE / "pack.tar.xz") as pack:
            pack.extractall(work)
        more = HERE / "corpus.tar.xz"
        if more.exists():
            with tarfile.open(more) as pack:
                pack.extractall(work)
    (work / "found").mkdir(exist_ok=True)


def without_random_places():
    """Sanitizers of older compilers fail where the kernel places libraries very widely."""
    try:
        if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
            return ["setarch", "-R"]
    except OSError:
        pass
    return []


class Slice:
    def __init__(self, target, work, seconds, prefix, number):
        self.target, self.started = target, time.monotonic()
        target.running += 1
        target.slices += 1
        self.expected = int(min(target.left() / target.running + 1, target.rate * seconds + 1))
        target.expected += self.expected
        longest = (target.short if target.short != "-" else "1024") if target.slices % 2 == 0 else \
            "4096" if target.name in ("plan", "cgns", "op2_hdf5", "cgns_files", "op2_hdf5_files") else "65536"
        corpus = work / "corpus" / target.name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds = work / "seeds" / target.name
        self.log = work / "found" / f"{target.name}-{number}.log"
        environment = dict(os.environ, LD_LIBRARY_PATH=str(work / "lib"), OMP_NUM_THREADS="1",
                           ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1:malloc_context_size=0:quarantine_size_mb=4",
                           UBSAN_OPTIONS="print_stacktrace=1")
        runs = max(1000, target.left() // max(1, target.running) + self.expected)
        command = prefix + [str(work / "bin" / f"fuzz_{target.name}"), f"-max_total_time={max(1, int(seconds))}",
                            f"-runs={runs}", "-entropic=0", "-timeout=30", "-rss_limit_mb=2600", "-reload=0",
                            f"-max_len={longest}", "-print_final_stats=1",
                            f"-artifact_prefix={work}/found/{target.name}-{number}-", str(corpus)]
        if seeds.is_dir():
            command.append(str(seeds))
        if target.name == MUTANTS:
            command = prefix + [str(work / "bin" / MUTANTS), "--first", str(number * 100000), "--plans", "100000",
                                "--mutants", "100", "--seconds", str(max(1, int(seconds) - 2)),
                                "--found", str(work / "found")]
        with open(self.log, "wb") as log:
            self.child = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                          env=environment, cwd=work)

    def finish(self):
        one = self.target
        one.running -= 1
        one.expected -= self.expected
        text = self.log.read_text(errors="replace")
        if one.name == MUTANTS:
            with open(self.log.parent.parent / "mutants.txt", "a", encoding="utf-8") as lines:
                lines.writelines(line + "\n" for line in text.splitlines()
                                 if line.startswith(("TALLY", "PLANS", "DISAGREE")))
        stats = re.findall(r"stat::number_of_executed_units:\s+(\d+)", text)
        pulse = re.findall(r"^#(\d+)\s", text, re.M)
        if one.name == MUTANTS:
            stats = re.findall(r"^TALLY\tall\t(\d+)", text, re.M)
        done = int(stats[-1]) if stats else int(pulse[-1]) if pulse else 0
        one.executions += done
        one.seconds += time.monotonic() - self.started
        if done and one.seconds > 5:
            one.rate = one.executions / one.seconds
        if self.child.returncode != 0:
            one.findings += 1
            print(f"{one.name}: stopped with {self.child.returncode} after {done}: {self.log.name}", flush=True)
        else:
            self.log.unlink()


def next_target(targets):
    ready = [one for one in targets.values() if one.left() > 0 and one.findings < MOST_FINDINGS]
    return min(ready, key=lambda one: (one.fraction(), one.running)) if ready else None


def run(targets, work, options, results):
    end = time.monotonic() + options.seconds
    prefix, slices, number = without_random_places(), [], int(time.time()) % 100000000 * 1000
    while True:
        for each in [each for each in slices if each.child.poll() is not None]:
            slices.remove(each)
            each.finish()
            write_results(targets, results)
        left = end - time.monotonic()
        while left > 5 and len(slices) < options.jobs:
            one = next_target(targets)
            if one is None:
                break
            number += 1
            slices.append(Slice(one, work, min(SLICE, left), prefix, number))
        if left < -90:  # an input that hangs, or a slow start
            for each in slices:
                each.child.kill()
        if not slices and (left <= 5 or next_target(targets) is None):
            return
        time.sleep(0.2)


def pack(work, out):
    with tarfile.open(out / "found.tar.gz", "w:gz") as found:
        found.add(work / "found", "found")
    with tarfile.open(out / "corpus.tar.xz", "w:xz") as grown:
        grown.add(work / "corpus", "corpus", filter=lambda one: None if one.size > 1 << 16 else one)


def sum_mutants(lines, out):
    """One table of all slices of plan_mutants: kind of array or record, mutants and verdicts."""
    total, heading = {}, ""
    for line in lines:
        if not line.startswith("TALLY"):
            continue
        _, kind, *counts = line.rstrip("\n").split("\t")
        if kind == "kind":
            heading = "\t".join(["kind", *counts])
        elif kind != "all":
            old = total.setdefault(kind, [0] * len(counts))
            total[kind] = [a + int(b or 0) for a, b in zip(old, counts)]
    rows = [heading] + ["\t".join([kind, *map(str, counts)]) for kind, counts in total.items()]
    rows.append("\t".join(["all", *(str(sum(column)) for column in zip(*total.values()))]))
    out.write_text("\n".join(rows) + "\n")


def run_faults(options):
    """Parts of tools/campaign with the packed program; what was done comes back as FOLDER/state-PART.tsv."""
    work, end, failed = options.work.resolve(), time.monotonic() + options.seconds, 0
    parts = options.faults.split(",")
    for number, part in enumerate(parts):
        left = (end - time.monotonic()) / (len(parts) - number)
        script = "campaign_environment.py" if part == "environment" else "campaign_faults.py"
        argv = [sys.executable, str(work / "tests" / "campaign" / script), *([] if part == "environment" else [part]),
                "--meshplan", str(work / "app" / "bin" / "meshplan"), "--state", str(options.out / "states"),
                "--jobs", str(options.jobs), "--seconds", str(max(5, left - 5)), "--every", str(options.every)]
        with open(options.out / f"{part}.log", "a", encoding="utf-8") as log:
            failed |= subprocess.run(argv, stdout=log, stderr=log, check=False).returncode
    for state in (options.out / "states").rglob("*.tsv"):
        shutil.copy(state, options.out / f"state-{state.name}")
        rows = [line.split("\t") for line in state.read_text().splitlines()]
        print(f"{state.name}: {len(rows)} items, {sum(int(row[1]) for row in rows)} tries, {sum(int(row[2]) for row in rows)} failures")
    return failed


def main():
    parser = argparse.ArgumentParser(description="runs packed fuzz targets")
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--work", type=pathlib.Path, default=HERE / "unpacked")
    parser.add_argument("--runs", type=int, help="count for each target, instead of targets.tsv's")
    parser.add_argument("--only", help="names of targets, with commas")
    parser.add_argument("--faults", help="parts of tools/campaign, with commas, in place of the targets")
    parser.add_argument("--every", type=int, default=1, help="only each n-th fault")
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.faults:
        unpack(options.work)
        return run_faults(options)
    targets = read_targets(options.runs, options.only.split(",") if options.only else None)
    results = options.out / "results.tsv"
    go_on_from(targets, results if results.exists() else HERE / "results.tsv")
    options.out.mkdir(parents=True, exist_ok=True)
    unpack(options.work)
    run(targets, options.work.resolve(), options, results)
    write_results(targets, results)
    if (options.work / "mutants.txt").exists():
        shutil.copy(options.work / "mutants.txt", options.out / "mutants.txt")
        sum_mutants((options.work / "mutants.txt").read_text().splitlines(), options.out / "mutants.tsv")
    pack(options.work, options.out)
    print(results.read_text(), end="")
    return 1 if any(one.findings for one in targets.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
