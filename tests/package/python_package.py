#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/python: its objects against what `meshplan export`, `meshplan apply` and `meshplan convert` write of
the same plans, its refusals, and its example. Argument: the meshplan program. 77 without numpy."""
import doctest
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

sys.dont_write_bytecode = True  # nothing is left beside the sources
PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "python"
sys.path.insert(0, str(PACKAGE))
import meshplan  # noqa: E402


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


class Program:
    def __init__(self, path):
        self.path = path
        self.zlib = "zlib" in subprocess.run([path, "--version"], capture_output=True, text=True).stdout

    def must(self, *words):
        done = subprocess.run([self.path, *words, "--threads", "1"], capture_output=True, text=True)
        require(done.returncode == 0, f"meshplan {' '.join(words)}: exit {done.returncode}: {done.stderr}")


def check_orders(program, plan, name, map_name):
    """to_stored, to_mesh and mesh_values are what `apply` and `convert` give."""
    for one in plan.sets.values():
        rows = np.random.default_rng(3).random((one.size, 2))
        np.save("in.npy", rows)
        program.must("apply", name, "--set", one.name, "in.npy", "out.npy")
        stored = one.to_stored(rows)
        require(np.array_equal(np.load("out.npy"), stored), f"{name}: {one.name} in stored order")
        require(np.array_equal(one.to_mesh(stored), rows), f"{name}: {one.name} back")
        for wrong in (lambda: one.to_stored(rows[1:]), lambda: one.to_mesh(np.zeros(one.storage_size + 1))):
            try:
                wrong()
                sys.exit(f"{name}: rows of another number are taken")
            except ValueError:
                pass
    program.must("convert", "mesh.msh", "map.npy", "--map", map_name)
    require(np.array_equal(plan.maps[map_name].mesh_values(), np.load("map.npy")), f"{name}: {map_name}")


def check_blocks(program, plan, name):
    program.must("export", name, "-o", "a.part")
    part = np.loadtxt("a.part", dtype=np.int32)
    loop = plan.loop()
    used = loop.variant().block_set or plan.block_sets[0]
    require(np.array_equal(used.block_of_member(), part), f"{name}: blocks of members")
    require(np.array_equal(used.sizes(), np.bincount(part)), f"{name}: sizes of blocks")
    require(used.sizes().max() <= used.block_limit, f"{name}: the limit of blocks")
    for arg in (arg for arg in loop.args if arg.map):
        offsets, points = used.points(loop, arg.map.target)
        block = np.empty(loop.set.storage_size, np.int64)
        block[used.elements] = used.block_of_position
        rows = arg.map.values[used.elements]
        pairs = np.unique(np.stack([np.repeat(block[used.elements], rows.shape[1]), rows.ravel()], 1), axis=0)
        if len({other.map.name for other in loop.args if other.map}) == 1:
            require(np.array_equal(pairs[:, 1], points), f"{name}: points of blocks")
            require(np.array_equal(np.bincount(pairs[:, 0]), np.diff(offsets)), f"{name}: their number")


def check_steps(plan, name):
    loop = plan.loop()
    for variant in loop.variants:
        if variant.strategy not in ("global-colour", "block-colour"):
            continue
        steps = variant.steps()
        found = np.sort(np.concatenate(steps))
        require(np.array_equal(found, np.sort(loop.set.new_of_old)), f"{name}: {variant.strategy}: elements")
        written = [arg.map for arg in loop.args if arg.map and arg.access != "read"]
        for step in steps:
            for table in written:
                points = table.values[step]
                held = [np.unique(row) for row in points]
                total = np.concatenate(held)
                require(len(np.unique(total)) == len(total), f"{name}: {variant.strategy}: a point twice in a step")


def check_exported(program, plan, name):
    """Every array of the file is the npy file of the same key, and read only."""
    program.must("export", name, "-o", "arrays/")
    with open("arrays/index.json", encoding="utf-8") as file:
        index = json.load(file)["arrays"]
    names = {"set": list(plan.sets), "map": list(plan.maps), "loop": list(plan.loops)}
    for one in index:
        parts = {key: names[key].index(one[key]) for key in names if key in one}
        parts.update({key: one[key] for key in ("variant", "block_set") if key in one})
        array = plan.file.array(one["kind"], **parts)
        require(np.array_equal(array, np.load(f"arrays/{one['file']}")), f"{name}: {one['file']}")
        require(not array.flags.writeable, f"{name}: {one['file']} can be written")
    return len(index)


def check_gather(plan, name):
    """Map.gather against np.add.at, with holes and entries of -1; wrong shapes are refused."""
    for one in plan.maps.values():
        given = np.random.default_rng(5).random((*one.values.shape, 2))
        expected = np.zeros((one.target.storage_size + 1, 2))
        np.add.at(expected, one.values, given)  # -1 is the last row
        require(np.allclose(one.gather(given), expected[:-1]), f"{name}: sums by {one.name}")
        try:
            one.gather(given[:, 1:])
            sys.exit(f"{name}: contributions of another shape are taken")
        except ValueError:
            pass


def check_readme(program):
    """The commands and the lines of README give what is there, on a smaller mesh."""
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ {4}\$ meshplan (.*)", text, re.M)
    require(len(commands) == 3, "README has other commands")
    for line in commands:
        program.must(*line.replace("1200x600", "120x60").split())
    test = doctest.DocTestParser().get_doctest(text, {}, "tools/python/README.md", None, 0)
    said = []
    done = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    require(done.attempted > 20 and not done.failed, "".join(said))
    return done.attempted


def check_refusals(name):
    data = bytearray(pathlib.Path(name).read_bytes())
    data[-1] ^= 1  # of the last array: only checksums tell
    pathlib.Path("bad.mplan").write_bytes(data)
    meshplan.open("bad.mplan")
    for path, checksums in (("bad.mplan", True), ("mesh.msh", False), (os.devnull, False)):
        try:
            meshplan.open(path, checksums)
            sys.exit(f"{path} is taken for a plan")
        except meshplan.Refused:
            pass


def main():
    program = Program(str(pathlib.Path(sys.argv[1]).resolve()))
    arrays = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        colours = ("--strategy", "block-colour,global-colour", "--block-size", "64")
        cases = [("quad", "20x15", "faces", "cells", colours), ("hex", "6x5x4", "cells", "nodes", colours),
                 ("tri", "14x9", "faces", "cells", (*colours, "--point-order", "padded")),
                 ("tet", "3x3x3", "cells", "nodes", ("--strategy", "owner-gather,block-gather"))]
        cases += [("quad", "60x50", "faces", "cells", (*colours, "--compress"))] if program.zlib else []
        for number, (shape, size, over, to, words) in enumerate(cases):
            name = f"{number}.mplan"
            program.must("generate", shape, size, "--shuffle", "2", "-o", "mesh.msh")
            program.must("plan", "mesh.msh", "--over", over, "--inc", to, *words, "-o", name)
            plan = meshplan.open(name)
            check_orders(program, plan, name, f"{over}_{to}")
            check_blocks(program, plan, name)
            check_steps(plan, name)
            arrays += check_exported(program, plan, name)
            check_gather(plan, name)
            check_refusals(name)
            require(meshplan.open(name, checksums=True).loop().name == "loop", f"{name}: with checksums")
        program.must("generate", "naca0012", "60x20", "-o", "naca.dat")
        program.must("plan", "naca.dat", "--inc", "edges_cells:4", "--strategy",
                     "owner-gather,block-colour,global-colour", "--block-size", "64", "-o", "naca.mplan")
        done = subprocess.run([sys.executable, "-B", str(PACKAGE / "examples" / "edge_loop.py"), "naca.mplan"],
                              capture_output=True, text=True)
        require(done.returncode == 0 and "global-colour, 4 steps" in done.stdout
                and "owner-gather, gathered" in done.stdout, done.stdout + done.stderr)
        tables = "0 1\n-1 2\n1 -1\n3 0\n"
        pathlib.Path("none.txt").write_text(tables)
        program.must("plan", "--map", "e_p:e:p=none.txt", "--over", "e", "--inc", "e_p", "--none", "skip", "-o", "n.mplan")
        check_gather(meshplan.open("n.mplan"), "n.mplan")
        lines = check_readme(program)
        os.chdir("/")
    print(f"{len(cases)} plans, {arrays} arrays as they were exported; the example's loop agrees; {lines} lines of README")


if __name__ == "__main__":
    main()
