#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what tools/campaign has packed on a machine that has nothing but python3.

run --campaign [--seconds N] [--jobs J] [--out FOLDER]    every part that is packed without fuzz targets, every fault
run --faults PART,... [--seconds N] [--jobs J] [--out FOLDER] [--every N]
    PART: alloc syscalls kill enospc environment bits mutants (tools/campaign). FOLDER (here, unless given) gets table.txt,
    campaign.log, failures.txt, found.tar.gz and state.tar.gz: laid beside this program, or left in FOLDER, it is gone on
    from. N seconds (530) hold the start and the end as well. The last line says whether something is left.
run --seconds N [--jobs J] [--out FOLDER] [--runs COUNT] [--only TARGET,...]    the fuzz targets
    Spreads the targets over J processes in slices of time; the next slice goes to the target that is furthest from its
    count. FOLDER gets results.tsv (target, executions, seconds of a core, rate, findings, goal), found.tar.gz (what a
    target stopped at, with its output) and corpus.tar.xz (inputs that reached something new). A results.tsv beside this
    program, or in FOLDER, is gone on from."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
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
    made = (HERE / "pack.tar.xz").stat()
    mark, this = work / "unpacked-from", f"{made.st_size} {made.st_mtime_ns}"
    if not mark.exists() or mark.read_text() != this:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        with tarfile.open(HERE / "pack.tar.xz") as pack:
            pack.extractall(work)
        more = HERE / "corpus.tar.xz"
        if more.exists():
            with tarfile.open(more) as pack:
                pack.extractall(work)
        mark.write_text(this)
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
                           UBSAN_OPTIONS="print_stacktrace=1",
                           MPLAN_SPECIFICATION=str(work / "formats" / "plan-format.md"))
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


FAULTS = ["alloc", "syscalls", "kill", "enospc"]
# a part and its share of the time that is left when it begins; what it does not need goes to those after it
CAMPAIGN = {"alloc": 0.2, "syscalls": 0.3, "kill": 0.2, "environment": 0.2, "bits": 0.2, "mutants": 0.6, "enospc": 1.0}
PLANS = {"mutants": 12000, "bits": 40}  # 100 mutants of each plan that is made; some requests are refused


def command_of(part, work, options, seconds):
    scripts = {"environment": "campaign_environment.py", "mutants": "campaign_plans.py", "bits": "campaign_plans.py"}
    argv = [sys.executable, str(work / "tests" / "campaign" / scripts.get(part, "campaign_faults.py"))]
    argv += [] if part == "environment" else [part]
    argv += ["--meshplan", str(work / "app" / "bin" / "meshplan"), "--state", str(options.out / "states"),
             "--jobs", str(options.jobs), "--seconds", f"{seconds:.0f}"]
    if part in PLANS:
        argv += ["--program", str(work / "bin" / MUTANTS), "--plans", str(PLANS[part])]
    if part in FAULTS:
        argv += ["--every", str(options.every)]
    return argv


def get_state(out):
    """states: what was done before, from an archive in the folder of results or beside this program."""
    for folder in (out, HERE):
        if not (out / "states").is_dir() and (folder / "state.tar.gz").exists():
            with tarfile.open(folder / "state.tar.gz") as archive:
                archive.extractall(out)
    (out / "states").mkdir(exist_ok=True)


def put_state(out, work):
    with tarfile.open(out / "state.tar.gz", "w:gz") as archive:
        archive.add(out / "states", "states")
    found = work / "build" / "campaign" / "found"
    if found.is_dir():
        with tarfile.open(out / "found.tar.gz", "w:gz") as archive:
            archive.add(found, "found")
    failures = [line for one in sorted((out / "states").rglob("*.failures")) for line in one.read_text().splitlines()]
    if failures:
        (out / "failures.txt").write_text("\n".join(failures) + "\n")


def run_faults(options):
    """Parts of tools/campaign with the packed program."""
    work, end, begin, failed = options.work.resolve(), time.monotonic() + options.seconds, time.monotonic(), 0
    parts = list(CAMPAIGN) if options.campaign else options.faults.split(",")
    get_state(options.out)
    ended = {}
    with open(options.out / "campaign.log", "a", encoding="utf-8") as log:
        for number, part in enumerate(parts):
            left = end - time.monotonic() - 20  # to pack what was done
            share = left * CAMPAIGN[part] if options.campaign else left / (len(parts) - number)
            if share < 5:
                ended[part] = "not begun"
                continue
            log.flush()
            try:
                argv = without_random_places() + command_of(part, work, options, share)
                done = subprocess.run(argv, stdout=log, stderr=log, check=False, timeout=left + 10, env=clean_environment())
                ended[part] = f"exit {done.returncode}"
                failed |= done.returncode
            except subprocess.TimeoutExpired:
                ended[part] = "cut short"
                failed |= 1
    put_state(options.out, work)
    table = subprocess.run([sys.executable, str(work / "tests" / "campaign" / "campaign_table.py"), str(options.out / "states")],
                           capture_output=True, text=True, check=False)
    text = table.stdout + table.stderr + "\n".join(f"{part}: {how}" for part, how in ended.items())
    (options.out / "table.txt").write_text(text + "\n")
    print((options.out / "campaign.log").read_text()[-3000:])
    print(text)
    print(f"{time.monotonic() - begin:.0f} seconds, {options.jobs} processes, python {sys.version.split()[0]}")
    return failed


def clean_environment():
    """A part's program makes its own; python needs little."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "TMPDIR")}
    return dict(kept, PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8")


def main():
    parser = argparse.ArgumentParser(description="runs what tools/campaign has packed")
    parser.add_argument("--seconds", type=float, default=530)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--work", type=pathlib.Path, help="folder to unpack in, which every user may enter")
    parser.add_argument("--runs", type=int, help="count for each target, instead of targets.tsv's")
    parser.add_argument("--only", help="names of targets, with commas")
    parser.add_argument("--faults", help="parts of tools/campaign, with commas, in place of the targets")
    parser.add_argument("--campaign", action="store_true", help="all parts of tools/campaign that are packed")
    parser.add_argument("--every", type=int, default=1, help="only each n-th fault")
    options = parser.parse_args()
    if options.work is None:
        options.work = pathlib.Path(tempfile.gettempdir()) / f"campaign-{os.getuid()}"
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.faults or options.campaign:
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
