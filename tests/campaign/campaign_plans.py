#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of plans (mutants) and every bit and truncation of plans (bits), by plan_mutants.

tools/campaign mutants [--seconds N] [--jobs N] [--plans N] [--seed N]   and a sample before the second reader in Python
tools/campaign bits [--seconds N] [--jobs N] [--plans N]"""
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from campaign_base import FOLDER, ROOT, State, memory_folder, parser_for

SHARE = {"mutants": 20, "bits": 1}  # plans of one call


def second_reader(folder, verdicts):
    """Sentences about the samples that the reader of tools/python judges otherwise than the library."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tests"))
    import plan_meaning  # noqa: E402  needs numpy
    wrongs = []
    for name, accepted, kind in verdicts:
        path = folder / name
        try:
            plan_meaning.prove(plan_meaning.read_plan(str(path)))
            why = None
        except (plan_meaning.Refused, plan_meaning.Difference) as refusal:
            why = str(refusal)
        except Exception as error:  # noqa: BLE001
            why = f"{type(error).__name__}: {error}"  # numbers that lead nowhere
        if why is None and not accepted and (int(kind) < 32 or int(kind) > 150):
            continue  # verify knows what the request leads to, which the second reader does not ask
        if (why is None) != accepted:
            kept = FOLDER / "found" / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, kept)
            seed, number = name[:-5].split("-")
            wrongs.append(f"mutants: kind {kind}: the library {'accepts' if accepted else 'refuses'}, the second reader says: "
                          f"{why or 'it holds'}\n  again: plan_mutants --first {seed} --plans 1 --only {number}; {kept}")
    return wrongs


def has_numpy():
    try:
        from numpy import stack  # noqa: F401
        return True
    except ImportError:
        return False


class Plans:
    def __init__(self, options, state):
        self.options, self.state = options, state
        self.environment = dict(os.environ, MPLAN_SPECIFICATION=str(ROOT / "formats" / "plan-format.md"))
        self.environment.setdefault("ASAN_OPTIONS", "allocator_may_return_null=1")

    def share(self, first):
        """One call of plan_mutants: (its first seed, mutants, sentences of failures, mutants that the second reader saw)."""
        options, sampled = self.options, 0
        if self.state.over():
            return first, 0, [], 0
        plans = min(SHARE[options.part], options.seed + options.plans - first)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="campaign-", dir=memory_folder()))
        argv = [options.program, "--first", str(first), "--plans", str(plans)]
        argv += ["--bits", "1"] if options.part == "bits" else ["--mutants", str(options.mutants)]
        if options.part == "mutants" and options.sample:
            argv += ["--sample", str(folder), str(options.sample)]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False, env=self.environment)
            total = re.search(r"^TALLY\tall\t(\d+).*\t(\d+)$", done.stdout, re.M)
            wrongs = [f"{options.part}: {line}" for line in done.stdout.splitlines() if line.startswith("DISAGREE")]
            if done.returncode not in (0, 1) or not total or (done.returncode == 1 and not wrongs):
                wrongs.append(f"{options.part}: plan_mutants --first {first} --plans {plans} ended with {done.returncode}: "
                              f"{done.stderr.strip().splitlines()[:4]}")
            verdicts = [(name, accepted == "1", kind)
                        for name, accepted, kind in re.findall(r"^SAMPLE\t(\S+)\t(\d)\t(\d+)$", done.stdout, re.M)]
            if verdicts:
                wrongs += second_reader(folder, verdicts)
                sampled = len(verdicts)
        finally:
            shutil.rmtree(folder)
        return first, int(total.group(1)) if total else 0, wrongs, sampled


PLANS = None


def share_one(first):
    return PLANS.share(first)


def sampled_before(path):
    """How many the second reader has seen by the lines of the state."""
    return sum(map(int, re.findall(r"\t(\d+) before the second reader$", path.read_text(), re.M))) if path.exists() else 0


def main():
    global PLANS  # the processes of the pool are forked and find it there
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    if part not in SHARE:
        print(__doc__, file=sys.stderr)
        return 64
    parser = parser_for(part, "mutants of plans")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "tests" / "plan_mutants"))
    parser.add_argument("--seed", type=int, default=1, help="of the first plan")
    parser.add_argument("--plans", type=int, default=10000 if part == "mutants" else 40)
    parser.add_argument("--mutants", type=int, default=100, help="of each plan")
    parser.add_argument("--sample", type=int, default=20, help="each n-th mutant of a kind goes to the second reader; 0: none")
    options = parser.parse_args(sys.argv[2:])
    options.part = part
    for needed in (pathlib.Path(options.program), ROOT / "formats" / "plan-format.md"):
        if not needed.exists():
            print(f"{needed}: missing, plan_mutants needs it", file=sys.stderr)
            return 66
    if options.sample and part == "mutants" and not has_numpy():
        print(f"mutants: the second reader is left out, {sys.executable} has no numpy", flush=True)
        options.sample = 0
    os.nice(10)
    state = State(part, options)
    PLANS = Plans(options, state)
    starts = range(options.seed, options.seed + options.plans, SHARE[part])
    keys = {first: f"seeds {first} to {first + SHARE[part] - 1}" for first in starts}
    wanted = [first for first in starts if keys[first] not in state.done]
    with multiprocessing.get_context("fork").Pool(max(1, options.jobs)) as pool:
        for first, tries, wrongs, sampled in pool.imap_unordered(share_one, wanted):
            for wrong in wrongs:
                print(f"FAILED {wrong}", flush=True)
            if tries or wrongs:
                state.finish(keys[first], tries, len(wrongs), f"{sampled} before the second reader")
    print(f"{sampled_before(state.path)} of them before the second reader")
    return state.report(sum(keys[first] not in state.done for first in wanted) * SHARE[part])


if __name__ == "__main__":
    sys.exit(main())
