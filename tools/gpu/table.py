#!/usr/bin/env python3
"""Prints the table of tools/gpu/bench from its JSON lines: microseconds of a launch per
case and strategy (block-gather: the best block size), the best, the best deterministic,
what the cost model chose and how far that is from the best, and geometric means."""
import json
import math
import sys


def name_of(run):
    if run["strategy"] == "block-gather":
        return "bg " + {"partial": "part", "atomic": "RED", "colour": "col"}[run["sums"]]
    return {"global-colour": "global", "block-colour": "2-level", "two-step": "2-step",
            "atomic": "atomic", "owner-gather": "owner"}[run["strategy"]]


def main():
    cases, chosen, rate = {}, {}, 0
    for line in open(sys.argv[1]):
        run = json.loads(line)
        if run.get("status") != "done" or not run.get("microseconds"):
            print(f"{run['label']}: {run.get('strategy')} {run.get('reason')}")
            continue
        rate = max(rate, run.get("copy_rate") or 0)
        if run["asked"].startswith("auto"):
            kind = "any" if "--allow" in run["asked"] else "det"
            chosen.setdefault(run["label"], {})[kind] = (run["microseconds"], name_of(run),
                                                         run["block_limit"])
            continue
        runs = cases.setdefault(run["label"], {})
        column = name_of(run)
        if column not in runs or run["microseconds"] < runs[column][0]:
            runs[column] = (run["microseconds"], run["block_limit"], run["deterministic"],
                            run["useful_bytes"])
    columns = ["global", "2-level", "2-step", "atomic", "bg part", "bg RED", "owner"]
    print("| case | floor | " + " | ".join(columns) +
          " | best deterministic | best | auto (det) | off | auto (any) | off |")
    print("|---" * (len(columns) + 8) + "|")
    logs = {"atomic": [], "2-level": [], "price": []}
    close = {"det": [], "any": []}
    for label, runs in cases.items():
        best = min(r[0] for r in runs.values())
        steady = min(r[0] for r in runs.values() if r[2])
        floor = next(iter(runs.values()))[3] / rate * 1e6 if rate else 0
        row = [label, f"{floor:.0f}"]
        for c in columns:
            text = f"{runs[c][0]:.0f}" if c in runs else "-"
            row.append(text + (f" ({runs[c][1]})" if c in runs and c.startswith("bg") else ""))
        row += [f"{steady:.0f}", f"{best:.0f}"]
        for kind, reference in (("det", steady), ("any", best)):
            auto = chosen.get(label, {}).get(kind)
            row += [f"{auto[0]:.0f} {auto[1]} {auto[2]}", f"{100 * (auto[0] / reference - 1):+.0f}%"] if auto else ["-", "-"]
            if auto:
                close[kind].append(auto[0] / reference - 1)
        print("| " + " | ".join(row) + " |")
        for other in ("atomic", "2-level"):
            if other in runs:
                logs[other].append(math.log(runs[other][0] / best))
        logs["price"].append(math.log(steady / best))
    print(f"copy rate {rate / 1e9:.0f} GB/s")
    for name, values in logs.items():
        if values:
            print(f"geometric mean, {name} {'over best' if name != 'price' else 'of determinism'}: "
                  f"{math.exp(sum(values) / len(values)):.2f}")
    for kind, values in close.items():
        if values:
            print(f"auto ({kind}): {sum(v <= 0.05 for v in values)} of {len(values)} within 5%, "
                  f"worst {100 * max(values):.0f}%")


main()
