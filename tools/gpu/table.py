#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what tools/gpu/check and tools/gpu/bench ran.

    table.py check FOLDER
    table.py bench FOLDER
    table.py blocks FOLDER        (of tools/gpu/bench --blocks)
    table.py orders FOLDER        (of tools/gpu/bench --orders and --layers)
    table.py choices FOLDER       (of tools/gpu/bench --choices)
    table.py tune FILE            (of tools/gpu/tune)

FOLDER holds the files NAME.rc and NAME.json that tools/gpu/job writes, the latter with the lines
of `meshplan run --json`. The parts of a name are between plus signs. Exit status 1 when
a case failed; with `check` also when one did not get its turn.
"""
import json
import math
import os
import sys

STRATEGIES = ["atomic", "global-colour", "two-step", "block-colour", "block-gather", "owner-gather"]
BLOCK_STRATEGIES = ["block-colour", "block-gather partial", "block-gather atomic"]
ALWAYS_DETERMINISTIC = {"global-colour", "block-colour", "two-step", "owner-gather"}


class Case:
    """One command: the parts of its name, how it ended ('0', 'late', ...), its rows."""

    def __init__(self, folder, name):
        self.name = name
        self.parts = name.split("+")
        with open(os.path.join(folder, name + ".rc")) as file:
            self.ended = file.read().strip()
        self.rows = []
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path) as file:
                self.rows = [json.loads(line) for line in file if line.strip()]


def read_cases(folder):
    names = sorted(f[:-3] for f in os.listdir(folder) if f.endswith(".rc"))
    return [Case(folder, name) for name in names]


def print_table(head, rows, left=(0,)):
    """Columns as wide as their widest cell; those of `left` at the left."""
    cells = [head] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    for row in cells:
        print("  ".join(cell.ljust(width) if k in left else cell.rjust(width)
                        for k, (cell, width) in enumerate(zip(row, widths))).rstrip())


def strategy_words(row):
    """'block-gather partial', 'owner-gather pair32', 'atomic'"""
    more = row.get("sums") or row.get("encoding")
    return row["strategy"] + (" " + more if more and more != "none" else "")


# --- check ------------------------------------------------------------------------

def broken_promises(case):
    """What a finished case says that must not be."""
    for row in case.rows:
        where = "%s S=%s" % (strategy_words(row), row.get("block_limit"))
        if row["status"] != "done":
            yield "%s: %s: %s" % (where, row["status"], row["reason"])
            continue
        promises = row["strategy"] in ALWAYS_DETERMINISTIC or row.get("sums") in ("partial", "colour")
        if promises and not row["deterministic"]:
            yield where + ": does not promise equal bits"
        if row["deterministic"] and not row["equal_bits"]:
            yield where + ": other bits"
        if row["error"] is None:
            yield where + ": was not compared"
    if not case.rows and case.ended == "0":
        yield "no results"


def check_rows(cases):
    """Application x strategy: variants run, largest error, by kind of case."""
    groups = {}
    for case in cases:
        for row in case.rows:
            if row["status"] == "done":
                key = (case.parts[0], row["application"], strategy_words(row))
                groups.setdefault(key, []).append(row)
    for (kind, app, words), rows in sorted(groups.items()):
        errors = [row["error"] for row in rows if row["error"] is not None]
        equal = sum(1 for row in rows if row["equal_bits"])
        yield [kind, app, words, len(rows), "%.1e" % max(errors) if errors else "-",
               "%d of %d" % (equal, len(rows)),
               "promised" if all(row["deterministic"] for row in rows) else "-"]


def check(folder):
    cases = read_cases(folder)
    with open(os.path.join(folder, "jobs")) as file:
        wanted = [line.split()[0] for line in file if line.strip()]
    ran = {case.name for case in cases}
    print_table(["kind", "application", "strategy", "runs", "largest error", "equal bits", "promise"],
                list(check_rows(cases)), left=(0, 1, 2))
    problems = [(name, "did not run") for name in wanted if name not in ran]
    for case in cases:
        if case.ended == "late":
            problems.append((case.name, "out of time"))
            continue
        found = list(broken_promises(case))
        if case.ended != "0" and not found:
            found = ["exit status " + case.ended]
        problems += [(case.name, text) for text in found]
    print()
    for name, text in problems:
        print("FAIL  %s: %s" % (name.replace("+", " "), text))
    kinds = sorted({case.parts[0] for case in cases})
    print("; ".join("%s: %d of %d cases" %
                    (kind, sum(1 for c in cases if c.parts[0] == kind and c.ended == "0"),
                     sum(1 for n in wanted if n.split("+")[0] == kind)) for kind in kinds))
    print("check: %s" % ("%d problems" % len(problems) if problems else "all hold"))
    return 1 if problems or not cases else 0


# --- bench --------------------------------------------------------------------------

def measured(cases):
    """Rows by (case, order), each with the word that was asked for."""
    groups = {}
    for case in cases:
        for row in case.rows:
            if row["status"] == "done" and row["microseconds"]:
                row["asked"] = case.parts[2]
                groups.setdefault((case.parts[0], case.parts[1]), []).append(row)
    return groups


def share(row):
    return 100 * row["share_of_copy"]


def has_blocks(row):
    return row["strategy"] in ("block-colour", "block-gather")


def variant_words(row):
    return strategy_words(row) + (" %d" % row["block_limit"] if has_blocks(row) else "")


def cell(row):
    return "%.1f (%.0f%%)" % (row["microseconds"], share(row)) if row else "-"


def fastest(rows):
    return min(rows, key=lambda row: row["microseconds"], default=None)


def mesh_words(key, rows):
    """'A2 flux2d, tri:427x427, 8.75 M'; the figure counts elements, after any refinement."""
    about = rows[0]
    return "%s %s, %s, %.*f M" % (key[0].split("-")[0], about["application"], os.path.basename(about["mesh"]),
                                  2 if about["elements"] >= 1e6 else 3, about["elements"] / 1e6)


def summary(rows):
    """What the last table says about one mesh."""
    own = [row for row in rows if row["asked"] not in ("auto", "any-auto")]
    out = {"best_det": fastest(row for row in rows if row["deterministic"]),
           "best": fastest(rows),
           "auto": fastest(row for row in rows if row["asked"] == "auto"),
           "any_auto": fastest(row for row in rows if row["asked"] == "any-auto")}
    for strategy in ("atomic", "block-colour"):
        out[strategy] = fastest(row for row in own if row["strategy"] == strategy)
    return out


def ratio(a, b):
    return a["microseconds"] / b["microseconds"] if a and b else None


def geometric_mean(ratios):
    known = [x for x in ratios if x]
    return math.exp(sum(math.log(x) for x in known) / len(known)) if known else None


def percent(value):
    return "-" if value is None else "%+.1f%%" % (100 * (value - 1))


def times(value):
    return "-" if value is None else "%.2fx" % value


def print_variants(groups):
    for (case, order), rows in sorted(groups.items()):
        about, found = rows[0], summary(rows)
        useful = 1e6 * about["useful_bytes"] / about["copy_rate"]
        print("\n%s, order: %s; useful bytes (each dat once, incremented ones twice, each map once) take "
              "%.1f us at the copy rate of %.0f GB/s" %
              (mesh_words((case, order), rows), order, useful, about["copy_rate"] / 1e9))
        lines = []
        for row in sorted(rows, key=lambda row: row["microseconds"]):
            marks = [word for word, one in (("best", found["best"]),
                                            ("best deterministic", found["best_det"])) if one is row]
            if row["asked"] in ("auto", "any-auto"):
                marks.append("auto" if row["asked"] == "auto" else "auto, any sums")
            if row["asked"] == "natural":
                marks.append("points in the mesh's order")
            lines.append([variant_words(row), "%dx%d" % (row["threads"], row["elements_per_thread"]),
                          "%.1f" % row["microseconds"], "%.1f" % share(row),
                          "yes" if row["deterministic"] else "no", "%.1f" % row["plan_s"],
                          ", ".join(marks)])
        print_table(["strategy, S", "threads", "us", "% of copy", "deterministic", "plan s", ""], lines,
                    left=(0, 6))


def print_grid(groups):
    """All strategies and block sizes beside each other: a row each, a column a mesh."""
    columns = sorted(groups)
    found = {}
    for key, rows in groups.items():
        for row in rows:
            if row["asked"] in ("auto", "any-auto"):
                continue
            words = variant_words(row)
            found.setdefault(words, {})[key] = fastest([row] + [r for r in [found.get(words, {}).get(key)] if r])
    rank = {word: k for k, word in enumerate(STRATEGIES)}
    order = sorted(found, key=lambda w: (rank[w.split()[0]], w.split()[1:2], int(w.split()[-1]) if
                                         w.split()[-1].isdigit() else 0))
    rates = [row["copy_rate"] / 1e9 for rows in groups.values() for row in rows]
    print("\nMicroseconds (%% of the copy rate, useful bytes; it was %.0f to %.0f GB/s in these runs); columns:" %
          (min(rates), max(rates)))
    for k, key in enumerate(columns):
        print("  %2d  %s, order: %s" % (k + 1, mesh_words(key, groups[key]), key[1]))
    print_table(["strategy, S"] + [str(k + 1) for k in range(len(columns))],
                [[words] + [cell(found[words].get(key)) for key in columns] for words in order])


def print_summary(groups):
    lines, price, gain = [], [], {"atomic": [], "block-colour": []}
    auto, any_auto = [], []
    for key in sorted(groups):
        s = summary(groups[key])
        price.append(ratio(s["best_det"], s["best"]))
        auto.append(ratio(s["auto"], s["best_det"]))
        any_auto.append(ratio(s["any_auto"], s["best"]))
        for strategy in gain:
            gain[strategy].append(ratio(s[strategy], s["best_det"]))
        lines.append([mesh_words(key, groups[key]), key[1],
                      variant_words(s["best_det"]) if s["best_det"] else "-", cell(s["best_det"]),
                      variant_words(s["best"]), cell(s["best"]), times(price[-1]),
                      variant_words(s["auto"]) if s["auto"] else "-", percent(auto[-1]),
                      variant_words(s["any_auto"]) if s["any_auto"] else "-", percent(any_auto[-1]),
                      times(gain["atomic"][-1]), times(gain["block-colour"][-1])])
    print()
    print_table(["mesh", "order", "best deterministic", "us", "best", "us", "price", "auto", "off by",
                 "auto, any sums", "off by", "atomic is", "block-colour is"], lines, left=(0, 1, 2, 4, 7, 9))
    known = [x for x in auto + any_auto if x]
    print("\nauto is within 5 %% in %d of %d choices" % (sum(x <= 1.05 for x in known), len(known)))
    print("\nGeometric means over %d meshes: the best deterministic variant is %s as fast as atomic and %s "
          "as fast as block-colour; determinism costs %s; auto is off the best deterministic one by %s "
          "(most: %s), with any sums off the best by %s" %
          (len(lines), times(geometric_mean(gain["atomic"])), times(geometric_mean(gain["block-colour"])),
           times(geometric_mean(price)), percent(geometric_mean(auto)),
           percent(max((x for x in auto if x), default=None)), percent(geometric_mean(any_auto))))


def print_load(folder):
    path = os.path.join(folder, "load_rate.json")
    if os.path.exists(path) and os.path.getsize(path):
        with open(path) as file:
            load = json.load(file)
        print("A plan of %.0f MB from the page cache to the device, checksums included: %.3f s, %.2f GB/s" %
              (load["bytes"] / 1e6, load["seconds"], load["bytes"] / load["seconds"] / 1e9))


def bench(folder):
    cases = read_cases(folder)
    groups = measured(cases)
    if groups:
        print_variants(groups)
        print_grid(groups)
        print_summary(groups)
    print_load(folder)
    return 1 if print_failures(cases) or not groups else 0


def print_failures(cases):
    failed = 0
    for case in cases:
        bad = [row for row in case.rows if row["status"] != "done"]
        if case.ended == "late":
            print("note: %s: out of time, left out" % case.name.replace("+", " "))
        elif case.ended != "0" or bad:
            failed += 1
            print("FAIL  %s: %s" % (case.name.replace("+", " "),
                                    bad[0]["reason"] if bad else "exit status " + case.ended))
    return failed


# --- blocks ---------------------------------------------------------------------------

PARTITIONERS = ["native", "metis", "hilbert"]


def blocks(folder):
    """A row a mesh and block size, the partitioners side by side under each strategy."""
    cases = read_cases(folder)
    groups, lines, gains = measured(cases), [], {}
    for key, rows in sorted(groups.items()):
        for size in sorted({row["block_limit"] for row in rows}):
            reuse = {row["partitioner"]: max(row["reuse"].values()) for row in rows
                     if row["block_limit"] == size}
            line = [mesh_words(key, rows), size] + ["%.3f" % reuse[p] if p in reuse else "-"
                                                    for p in PARTITIONERS]
            for words in BLOCK_STRATEGIES:
                by = {row["partitioner"]: row for row in rows
                      if row["block_limit"] == size and strategy_words(row) == words}
                line += [cell(by.get(p)) for p in PARTITIONERS]
                for p in PARTITIONERS[1:]:
                    gains.setdefault((words, p), []).append(ratio(by.get(p), by.get("native")))
            lines.append(line)
    print_table(["mesh", "S"] + ["reuse " + p for p in PARTITIONERS] +
                ["%s %s" % (words, p) for words in BLOCK_STRATEGIES for p in PARTITIONERS], lines)
    for (words, p), ratios in sorted(gains.items()):
        print("%s: native blocks are %s as fast as %s's (geometric mean of %d)" %
              (words, times(geometric_mean(ratios)), p, len([x for x in ratios if x])))
    return 1 if print_failures(cases) or not groups else 0


# --- orders ---------------------------------------------------------------------------

ASKED = ["owner-gather", "partial", "red", "atomic"]


def orders(folder):
    """A row a mesh, its shape and the order of its points, the strategies side by side."""
    cases = read_cases(folder)
    groups, lines = measured(cases), []
    for key, rows in sorted(groups.items()):
        shape, order = key[1].split("-")
        by = {asked: fastest(row for row in rows if row["asked"] == asked) for asked in ASKED}
        lines.append([mesh_words(key, rows), shape, order] + [cell(by[asked]) for asked in ASKED])
    print_table(["mesh", "cells", "renumber"] + ASKED, lines, left=(0, 1, 2))
    print_choices(groups)
    return 1 if print_failures(cases) or not groups else 0


def choices(folder):
    """Only auto beside the best of what was measured."""
    cases = read_cases(folder)
    groups = measured(cases)
    rates = [row["copy_rate"] / 1e9 for rows in groups.values() for row in rows]
    if rates:
        print("copy rate %.0f to %.0f GB/s" % (min(rates), max(rates)))
    print_choices(groups)
    return 1 if print_failures(cases) or not groups else 0


def print_choices(groups):
    """auto beside the best that was measured on the same mesh, in any order."""
    lines, off = [], []
    for key, rows in sorted(groups.items()):
        shape, order = key[1].split("-")
        found = [row for other, more in groups.items() if other[0] == key[0] and other[1].startswith(shape + "-")
                 for row in more if row["application"] == rows[0]["application"]]
        auto, any_auto = (fastest(row for row in rows if row["asked"] == asked) for asked in ("auto", "any-auto"))
        if not auto or not any_auto:
            continue
        best, best_any = fastest(row for row in found if row["deterministic"]), fastest(found)
        off += [ratio(auto, best), ratio(any_auto, best_any)]
        lines.append([mesh_words(key, rows), shape, variant_words(auto), cell(auto), variant_words(best), cell(best),
                      percent(off[-2]), variant_words(any_auto), cell(any_auto), variant_words(best_any), cell(best_any),
                      percent(off[-1]), times(ratio(best, best_any))])
    if lines:
        print("\nauto beside the best of all that was measured on that mesh:")
        print_table(["mesh", "cells", "auto", "us", "best deterministic", "us", "off by", "auto, any sums", "us", "best", "us",
                     "off by", "price"], lines, left=(0, 1, 2, 4, 7, 9))
        print("auto is within 5 %% in %d of %d choices, at most %s off" %
              (sum(x <= 1.05 for x in off), len(off), percent(max(off))))


# --- tune -----------------------------------------------------------------------------

def tuned_words(row):
    """'block-gather partial 256 x 128 soa'"""
    more = row["layouts"] if row["layouts"] != "auto" else ""
    table = row["sums"] if row["runs"] == "block-gather" else row["encoding"] if row["runs"] == "owner-gather" else ""
    each = "" if row.get("elements_per_thread", "0") == "0" else "of %s" % row["elements_per_thread"]
    bounds = "%d a processor" % row["bounds"] if row.get("bounds") else ""
    return " ".join(str(word) for word in (row["runs"], table, row["block_limit"], "x", row["threads"], each, bounds, more) if word)


def tune(path):
    """A row a record: the default, the best, how much slower the default is, and how far predictions are off."""
    with open(path) as file:
        records = [json.loads(line) for line in file if line.strip()]
    lines, regrets, off = [], [], []
    for record in records:
        rows = [row for row in record["candidates"] if row["status"] == "done"]
        default, best = record["candidates"][0], record["best"]
        chosen = next(row for row in rows if row["microseconds"] == min(r["microseconds"] for r in rows))
        off += [row["predicted_us"] / row["microseconds"] for row in rows if row.get("predicted_us")]
        regrets.append(record["regret"])
        lines.append([record["kernels"], record["mesh"], len(rows), tuned_words(default), "%.1f" % default["microseconds"],
                      tuned_words(chosen), "%.1f" % chosen["microseconds"], best["strategy"], "%.3f" % record["regret"]])
    print_table(["loop", "mesh", "plans", "default", "us", "fastest", "us", "taken", "regret"], lines, left=(0, 1, 3, 5, 7))
    regrets.sort()
    if regrets:
        print("regret of the default: median %.3f, worst %.3f; predicted over measured: geometric mean %.2f, %.2f to %.2f" %
              (regrets[len(regrets) // 2], regrets[-1], geometric_mean(off), min(off), max(off)))
    return 0 if records else 1


def main(arguments):
    commands = {"check": check, "bench": bench, "blocks": blocks, "orders": orders, "choices": choices, "tune": tune}
    if len(arguments) != 3 or arguments[1] not in commands:
        sys.stderr.write(__doc__)
        return 2
    return commands[arguments[1]](arguments[2])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
