#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of plans (mutants) and every bit and truncation of plans (bits), by plan_mutants.

tools/campaign mutants [--seconds N] [--plans N] [--seed N]   plan_mutants, and a sample before the second reader in Python
tools/campaign bits [--seconds N] [--plans N]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from campaign_base import FOLDER, ROOT, State, parser_for

SHARE = 50  # plans of one call


def second_reader(folder, verdicts):
    """How many samples the reader of tools/python judges otherwise than the library; prints them."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tests"))
    import plan_meaning  # noqa: E402  needs numpy
    differ = 0
    for name, accepted, kind in verdicts:
        path = folder / name
        try:
            plan_meaning.prove(plan_meaning.read_plan(str(path)))
            why = None
        except (plan_meaning.Refused, plan_meaning.Difference) as refusal:
            why = str(refusal)
        except (IndexError, ValueError, OverflowError, KeyError, TypeError, MemoryError) as error:
            why = f"{type(error).__name__}: {error}"  # numbers that lead nowhere
        if why is None and not accepted and (int(kind) < 32 or int(kind) > 150):
            continue  # verify knows what the request leads to, which the second reader leaves alone
        if (why is None) != accepted:
            differ += 1
            kept = FOLDER / "found" / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, kept)
            seed, number = name[:-5].split("-")
            print(f"FAILED mutants: kind {kind}: the library {'accepts' if accepted else 'refuses'}, the second reader says: "
                  f"{why or 'it holds'}\n  again: plan_mutants --first {seed} --plans 1 --only {number}; {kept}", flush=True)
    return differ


def share(options, first, plans, sample):
    """One call: (mutants, disagreements, mutants that the second reader saw)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="campaign-"))
    argv = [options.program, "--first", str(first), "--plans", str(plans)]
    argv += ["--bits", "1"] if options.part == "bits" else ["--mutants", str(options.mutants)]
    if sample:
        argv += ["--sample", str(folder), str(sample)]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    total = re.search(r"^TALLY\tall\t(\d+).*\t(\d+)$", done.stdout, re.M)
    tries, failures = (int(total.group(1)), int(total.group(2))) if total else (0, 0)
    for line in done.stdout.splitlines():
        if line.startswith("DISAGREE"):
            print(f"FAILED {options.part}: {line}", flush=True)
    if done.returncode not in (0, 1) or not total or (done.returncode == 1 and not failures):
        failures += 1
        print(f"FAILED {options.part}: plan_mutants --first {first} --plans {plans} ended with {done.returncode}: "
              f"{done.stderr.strip().splitlines()[:2]}{[one for one in done.stdout.splitlines() if 'itself' in one][:2]}", flush=True)
    verdicts = [(name, accepted == "1", kind)
                for name, accepted, kind in re.findall(r"^SAMPLE\t(\S+)\t(\d)\t(\d+)$", done.stdout, re.M)]
    if verdicts:
        failures += second_reader(folder, verdicts)
    shutil.rmtree(folder)
    return tries, failures, len(verdicts)


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    if part not in ("mutants", "bits"):
        print(__doc__, file=sys.stderr)
        return 64
    parser = parser_for(part, "mutants of plans")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "tests" / "plan_mutants"))
    parser.add_argument("--seed", type=int, default=1, help="of the first plan")
    parser.add_argument("--plans", type=int, default=10000 if part == "mutants" else 40)
    parser.add_argument("--mutants", type=int, default=100, help="of each plan")
    parser.add_argument("--sample", type=int, default=20, help="each n-th mutant of a kind goes to the second reader; 0: none")
    options = parser.parse_args(sys.argv[2:])
    options.part, seen = part, 0
    os.nice(10)
    state = State(part, options)
    for first in range(options.seed, options.seed + options.plans, SHARE):
        key = f"seeds {first} to {first + SHARE - 1}"
        if key in state.done:
            continue
        if state.over():
            break
        tries, failures, sampled = share(options, first, min(SHARE, options.seed + options.plans - first),
                                         options.sample if part == "mutants" else 0)
        seen += sampled
        state.finish(key, tries, failures, f"{sampled} before the second reader")
    if seen:
        print(f"{seen} of them before the second reader")
    return state.report()


if __name__ == "__main__":
    sys.exit(main())
