#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/bench/slab_cache against counts by hand: its cache, its orders of thread blocks, and all of it on a chain of 256 cells.

  slab_cache.py MESHPLAN SOURCE COMPILER"""
import importlib.util
import os
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from types import SimpleNamespace

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError:
    print("numpy is not there")
    sys.exit(77)

PROGRAM, SOURCE = sys.argv[1:3]
os.environ["CC"] = sys.argv[3]
TOOL = os.path.join(SOURCE, "tools", "bench", "slab_cache")
loader = SourceFileLoader("slab_cache", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("slab_cache", loader))
loader.exec_module(tool)

CELLS = 256
JOB = """meshplan: 1
maps: [{file: %s/edges_cells.txt}]
loops:
  - {name: flux, over: edges, args: [{dat: q, map: edges_cells, access: read, dim: 4, type: f64}, {dat: res, map: edges_cells, access: inc, dim: 4, type: f64}]}
step: [{loop: flux, clear: res}]
"""


def same(found, due, what):
    if found != due:
        sys.exit(f"{what}: {found}, not {due}")


def sectors(run, members, n_bytes, resident=1, **options):
    """Sectors of a dat of 32 bytes a member that thread blocks of one row fetch: members of each row, entry by entry."""
    index = np.array(members, np.int32)
    touched = SimpleNamespace(array=(tool.Access * 1)(tool.Access(0, 0, index.ctypes.data, index.shape[1], 4, 8, 1)), memory=1 << 10, counted=[True])
    cache = tool.Simulator(run, SimpleNamespace(resident=resident, scale=1, warm=False, **{"ways": 1, "line": 32, **options}))
    blocks = tool.thread_blocks(0, len(index), 1)
    return round(cache.bytes_a_row(touched, [blocks], n_bytes) * len(index) / 32)


def the_cache(run):
    # what was used longest ago goes: 2 takes the place of 1, not that of 0 that came first
    same(sectors(run, [[0], [1], [0], [2], [0]], 64, ways=2), 3, "used longest ago")
    # sectors of a line come one by one and go together
    same(sectors(run, [[0], [1], [0], [2], [1]], 64, line=64), 4, "sectors of a line")
    # two thread blocks side by side take turns: 0, 0, 1, 2 and not 0, 1, 0, 2
    same(sectors(run, [[0, 1], [0, 2]], 32), 4, "one behind the other")
    same(sectors(run, [[0, 1], [0, 2]], 32, resident=2), 3, "side by side")
    # entries that are not there
    same(sectors(run, [[0, -1], [0, 2]], 32), 2, "none")
    same(sectors(run, [[0], [1], [0], [2], [0], [1]], 0), 3, "without an end")
    # what is written comes behind the last entry, takes room and is not fetched: cell 0 comes twice
    index = np.zeros((1, 2), np.int32)
    both = (tool.Access * 2)(tool.Access(512, 0, None, 1, 4, 8, 0), tool.Access(0, 0, index.ctypes.data, 2, 4, 8, 1))
    touched = SimpleNamespace(array=both, memory=1 << 10, counted=[True, True])
    cache = tool.Simulator(run, SimpleNamespace(resident=1, scale=1, warm=False, ways=1, line=32))
    same(cache.bytes_a_row(touched, [tool.thread_blocks(0, 1, 1)], 32), 64, "what is written")
    # components in planes of 64 bytes: two members have two sectors, and share them
    planes = (tool.Access * 1)(tool.Access(0, 64, None, 1, 2, 8, 1))
    touched = SimpleNamespace(array=planes, memory=128, counted=[True])
    cache = tool.Simulator(run, SimpleNamespace(resident=1, scale=1, warm=False, ways=4, line=32))
    same(cache.bytes_a_row(touched, [tool.thread_blocks(0, 2, 2)], 128), 32, "bytes a row of two planes")


def the_orders():
    first = np.array([0, 2, 3, 7])  # slabs of 2, 1 and 4 thread blocks
    place = np.array([10, 60, 50, 0, 20, 70, 40])
    same(list(tool.slab_by_slab(first, place, 80)), [0, 1, 2, 3, 4, 5, 6], "slab by slab")
    same(list(tool.in_turns(first, place, 80)), [3, 0, 2, 4, 1, 5, 6], "in turns")
    same(list(tool.by_curve(first, place, 80)), [3, 0, 4, 6, 2, 1, 5], "by curve")
    same(list(tool.in_pieces(2)(first, place, 80)), [0, 3, 4, 1, 2, 5, 6], "two pieces")
    same(list(tool.in_pieces(4)(first, place, 80)), [0, 3, 4, 2, 6, 1, 5], "four pieces")
    same(list(tool.in_shares(2)(first, place, 80)), [0, 2, 3, 4, 1, 5, 6], "two shares")


def table(plans, *options):
    """Numbers of each line, and what is said of the plan without slabs."""
    out = subprocess.run([sys.executable, TOOL, "--plans", *plans, "--pieces", "2", *options], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = {words[1].strip(): [one.strip() for one in words[2:-1]] for words in (line.split("|") for line in out.split("\n")) if len(words) > 2}
    return rows, out.split("without slabs ")[-1].split("\n")[0]


def the_tool(folder):
    with open(folder + "/edges_cells.txt", "w", encoding="utf-8") as file:
        file.writelines(f"{i} {i + 1}\n" for i in range(CELLS - 1))
    with open(folder + "/job.yaml", "w", encoding="utf-8") as file:
        file.write(JOB % folder)
    plans = [folder + "/slabs.mplan", folder + "/without.mplan"]
    for plan, more in zip(plans, (["--device-memory", "1G", "--slab-levels", "1"], ["--strategy", "owner-gather"])):
        subprocess.run([PROGRAM, "plan", folder + "/job.yaml", "--block-threads", "32", "--quiet", "-o", plan, *more], check=True)
    # eight slabs of 32 cells; a launch of n of them reads its cells of 32 bytes and one on each side of it that is not an end
    due = {n: f"{32 * (CELLS + 2 * (8 // n - 1)) / CELLS:.1f}" for n in (1, 2)}
    rows, without = table(plans, "--slabs", "1,2", "--cache", "1M", "--resident", "3")
    same(without, "32.0", "without slabs")
    same(list(rows), ["slabs a launch", "---", "slab by slab", "in turns", "by curve", "2 pieces", "least"], "lines")
    for name in list(rows)[2:]:
        same(rows[name], [due[1], due[2]], name)
    rows, _ = table(plans, "--slabs", "1,2", "--cache", "1M", "--warm")
    same(rows["slab by slab"], ["32.0", "32.0"], "warm")
    # a cache of one sector: each cell comes for itself and for each of its neighbours
    rows, without = table(plans, "--slabs", "4", "--cache", "32", "--line", "32", "--ways", "1", "--resident", "1")
    same(without, f"{32 * (3 * CELLS - 2) / CELLS:.1f}", "one sector, without slabs")
    same(rows["slab by slab"], [without], "one sector")


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = tool.compiled(folder)
        the_cache(run)
        the_orders()
        if "libyaml" not in subprocess.run([PROGRAM, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split():
            print("skipped: no libyaml in this build, so no plan with slabs")
            return 77
        the_tool(folder)
    return 0


sys.exit(main())
