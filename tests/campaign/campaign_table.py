#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of tests/RELIABILITY.md from what was done: tools/campaign table FOLDER...

A FOLDER holds PART.tsv (build/campaign/state/PROGRAM) or state-PART.tsv, results.tsv and mutants.tsv of a packed run."""
import pathlib
import sys

ORDER = ["alloc", "syscalls", "kill", "enospc", "bits", "mutants", "environment", "determinism", "builds", "tsan"]
FAULTS = ["alloc", "syscalls", "kill", "enospc"]


def rows_of(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]


def number(value):
    return f"{int(value):,}"


def parts(folders):
    """part -> (items, tries, failures), each item once: the last that is said of it."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.tsv")):
            name = path.stem.removeprefix("state-")
            for row in rows_of(path) if name in ORDER and path.stem not in ("mutants",) else []:
                found.setdefault(name, {})[row[0]] = (int(row[1]), int(row[2]))
            if path.stem == "mutants":
                for row in rows_of(path):
                    if row[0].startswith("seeds "):
                        found.setdefault(name, {})[row[0]] = (int(row[1]), int(row[2]))
                    elif row[0] == "all":
                        found.setdefault(name, {})[str(path)] = (int(row[1]), int(row[-1]))
    return found


def faults(folders):
    """(part, mode) -> [commands, faults there are, tried, failures]"""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.tsv")):
            part = path.stem.removeprefix("state-")
            for key, tries, failures, note in (row[:4] for row in rows_of(path) if part in FAULTS and row[0].count("|") == 2):
                row = found.setdefault((part, key.split("|")[1]), [0, 0, 0, 0])
                if key.endswith("|of"):
                    row[0] += 1
                    row[1] += int(note)
                row[2] += int(tries)
                row[3] += int(failures)
    return found


def fuzz(folders):
    total = {}
    for folder in folders:
        for path in sorted(folder.rglob("results.tsv")):
            for target, executions, seconds, _, findings, *_ in rows_of(path)[1:]:
                total[target] = (int(executions), float(seconds), int(findings))  # results go on from one another
    return total


def main():
    folders = [pathlib.Path(one) for one in sys.argv[1:]]
    if not folders or not all(one.is_dir() for one in folders):
        print(__doc__, file=sys.stderr)
        return 64
    print("| part | items | tries | failures |\n|---|---|---|---|")
    found = parts(folders)
    for name in ORDER:
        if name in found:
            values = found[name].values()
            print(f"| {name} | {number(len(values))} | {number(sum(one[0] for one in values))} "
                  f"| {number(sum(one[1] for one in values))} |")
    by_mode = faults(folders)
    if by_mode:
        print("\n| part | faults | commands | there are | tried | failures |\n|---|---|---|---|---|---|")
        for (part, mode), row in sorted(by_mode.items(), key=lambda one: (ORDER.index(one[0][0]), one[0][1])):
            print(f"| {part} | {mode} | {' | '.join(map(number, row))} |")
    targets = fuzz(folders)
    if targets:
        print("\n| target | executions, millions | a second | findings |\n|---|---|---|---|")
        for name, (executions, seconds, findings) in sorted(targets.items()):
            print(f"| {name} | {executions / 1e6:.1f} | {number(executions / max(1, seconds))} | {findings} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
