#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/python in process: plans have the bytes that the command writes, meshes the arrays that it converts; what is wrong is
refused in Python; the notebook and the pages run. Arguments: the meshplan program, the library of the package; without
arguments those of an installed package. 77 without numpy."""
import doctest
import gc
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

sys.dont_write_bytecode = True  # nothing is left beside the sources
PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "python"
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else shutil.which("meshplan")
if len(sys.argv) > 2:
    os.environ["MESHPLAN_NATIVE"] = os.path.abspath(sys.argv[2])
    sys.path.insert(0, str(PACKAGE))
import meshplan  # noqa: E402

LOOPS = [
    {"name": "res", "over": "faces", "primary": True, "calls": 2, "flops": 30, "args": [
        {"dat": "x", "map": "faces_nodes", "access": "read", "dim": 2},
        {"dat": "q", "map": "faces_cells", "access": "read", "dim": 4},
        {"dat": "res", "map": "faces_cells", "access": "inc", "dim": 4}]},
    {"name": "update", "over": "cells", "args": [{"dat": "q", "access": "rw", "dim": 4}]}]
JOB = """meshplan: 1
mesh: mesh.msh
loops:
  - name: res
    over: faces
    primary: true
    calls: 2
    flops: 30
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: update, over: cells, args: [{dat: q, access: rw, dim: 4, type: f64}]}
plan: {block_size: 64, strategy: [block-colour, atomic]}
"""


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def must(*words):
    done = subprocess.run([PROGRAM, *words, "-q"], capture_output=True, text=True)
    require(done.returncode == 0, f"meshplan {' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def same(a, b, what):
    require(pathlib.Path(a).read_bytes() == pathlib.Path(b).read_bytes(), f"{what}: other bytes than the command's")


def raises(kind, word, call):
    try:
        call()
    except kind as reason:
        require(word in str(reason), f"{kind.__name__}: '{word}' is not in '{reason}'")
        return
    sys.exit(f"{word}: nothing was raised")


def plans_are_the_commands():
    must("generate", "quad", "20x15", "--shuffle", "3", "-o", "mesh.msh")
    must("generate", "tet", "5x5x5", "--shuffle", "4", "-o", "tets.su2")
    for path, words, options in (("mesh.msh", [], {}), ("tets.su2", ["--block-size", "64", "--strategy", "block-gather,two-step"],
                                                         {"block_size": 64, "strategy": ["block-gather", "two-step"]}),
                                 ("mesh.msh", ["--renumber", "rcm"], {"renumber": "rcm"})):
        must("plan", path, "-o", "a.mplan", *words)
        plan = meshplan.plan(meshplan.read_mesh(path), path="b.mplan", **options)
        same("a.mplan", "b.mplan", path)
        mesh = meshplan.read_mesh(path)
        again = meshplan.plan(mesh, **options)
        require(bytes(again.file.data) == bytes(plan.file.data), f"{path}: a plan in memory differs")
        meshplan.verify(plan)
        meshplan.verify(again, mesh)
        meshplan.verify("b.mplan", path)
    libraries = list(meshplan.versions())
    if any(name.startswith(("yaml", "libyaml")) for name in libraries):
        pathlib.Path("job.yaml").write_text(JOB)
        must("plan", "job.yaml", "-o", "a.mplan")
        meshplan.plan(meshplan.read_mesh("mesh.msh"), None, LOOPS, path="b.mplan", block_size=64,
                      strategy=["block-colour", "atomic"])
        same("a.mplan", "b.mplan", "job.yaml")
    if any(name.startswith("zlib") for name in libraries):
        must("plan", "mesh.msh", "-o", "a.mplan", "--compress")
        meshplan.plan(meshplan.read_mesh("mesh.msh"), path="b.mplan", compress=True)
        same("a.mplan", "b.mplan", "compressed")


LAYERED = """meshplan: 1
mesh: sphere.msh
layers: {cells: {file: depths.txt}}
loops:
  - name: matvec
    over: cells
    primary: true
    layered: true
    args:
      - {dat: m, access: read, dim: 64, levels: 9, rows: 8, columns: owner}
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
      - {dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 10, slots: [0, 1, 2, 3, 0, 1, 2, 3], offsets: [0, 0, 0, 0, 1, 1, 1, 1]}
  - {name: solve, over: cells, layered: columns, args: [{dat: y, access: rw, dim: 2, levels: 9, columns: points}]}
plan: {strategy: [owner-gather, global-colour]}
"""


def layers_are_the_jobs():
    must("generate", "cubed-sphere", "4", "--shuffle", "5", "-o", "sphere.msh")
    mesh = meshplan.read_mesh("sphere.msh")
    depths = 1 + np.arange(mesh.sets["cells"]) % 9
    np.savetxt("depths.txt", depths, "%d")
    loops = [
        {"name": "matvec", "over": "cells", "primary": True, "layered": True, "args": [
            {"dat": "m", "access": "read", "dim": 64, "levels": 9, "rows": 8, "columns": "owner"},
            {"dat": "x", "map": "cells_nodes", "access": "read", "levels": 10, "offsets": [0, 1]},
            {"dat": "lhs", "map": "cells_nodes", "access": "inc", "levels": 10, "slots": [0, 1, 2, 3] * 2,
             "offsets": [0] * 4 + [1] * 4}]},
        {"name": "solve", "over": "cells", "layered": "columns", "args": [
            {"dat": "y", "access": "rw", "dim": 2, "levels": 9, "columns": "points"}]}]
    both = {"layers": {"cells": depths}, "strategy": ["owner-gather", "global-colour"]}
    plan = meshplan.plan(mesh, None, loops, path="b.mplan", **both)
    if any(name.startswith(("yaml", "libyaml")) for name in meshplan.versions()):
        pathlib.Path("job.yaml").write_text(LAYERED)
        must("plan", "job.yaml", "-o", "a.mplan")
        same("a.mplan", "b.mplan", "a job with layers")
    cells, arg = plan.sets["cells"], plan.loop("matvec").args[2]
    require(cells.layers == 9 and np.array_equal(cells.layer_ranges[cells.new_of_old], np.stack([0 * depths, depths], 1)), "layers")
    require((arg.levels, arg.slots[5], plan.loop("solve").layering) == (10, (1, 1), "columns"), "levels, slots, layering")
    flat = meshplan.plan(mesh, None, loops, layers={"cells": 9})
    require(flat.sets["cells"].layer_ranges is None, "columns of one height")
    wet = (np.arange(40) * 7 + depths[:, None] * 5) % 4 > 0
    higher = [{"name": "matvec", "over": "cells", "layered": True, "args": [
        {"dat": "x", "map": "cells_nodes", "access": "inc", "levels": 41, "offsets": [0, 1]}]}]
    masked = meshplan.plan(mesh, None, higher, layers={"cells": wet}).sets["cells"]
    require(masked.layers == 40 and np.array_equal(masked.layer_mask[masked.new_of_old], wet), "a mask")
    require(flat.sets["cells"].layer_mask is None, "columns without a mask")
    raises(ValueError, "layers of cells", lambda: meshplan.plan(mesh, None, higher, layers={"cells": wet[1:]}))
    raises(meshplan.MeshplanError, "cells have a mask", lambda: meshplan.plan(mesh, None, loops, layers={"cells": wet[:, :9]}))
    raises(ValueError, "layers of cells", lambda: meshplan.plan(mesh, None, loops, layers={"cells": depths[1:]}))
    raises(meshplan.MeshplanError, "layers of cells", lambda: meshplan.plan(mesh, None, loops, layers={"cells": 0}))
    raises(meshplan.MeshplanError, "must have layers", lambda: meshplan.plan(mesh, None, loops))
    wrong = [{"over": "cells", "args": [{"dat": "y", "access": "read", "levels": 9}]}]
    raises(TypeError, "layered", lambda: meshplan.plan(mesh, None, wrong))
    wrong = [{"over": "cells", "layered": True, "args": [{"dat": "y", "access": "read", "offsets": [0]}]}]
    raises(TypeError, "needs 'levels'", lambda: meshplan.plan(mesh, None, wrong))


def tables_are_enough():
    must("convert", "mesh.msh", "faces_cells.npy", "--map", "faces_cells")
    table = np.load("faces_cells.npy")
    must("plan", "faces_cells.npy", "-o", "a.mplan")
    for given in (table, table.astype(np.int64), np.asfortranarray(table)):
        plan = meshplan.plan({"faces_cells": given}, path="b.mplan")
        same("a.mplan", "b.mplan", "a table")
    plan = meshplan.plan({"e2c": ("edges", "cells", table)}, sets={"cells": int(table.max()) + 3})
    require(plan.sets["cells"].size == table.max() + 3 and plan.maps["e2c"].source.name == "edges", "names and sizes")
    require(np.array_equal(plan.maps["e2c"].mesh_values(), table), "the table in the order of the mesh")
    mesh = meshplan.read_mesh("mesh.msh")
    centres = mesh.coordinates["nodes"][mesh.maps["cells_nodes"].values].mean(axis=1)
    plan = meshplan.plan({"faces_cells": table}, {"cells": centres[:, :2]})
    require(plan.sets["cells"].renumber == "hilbert", "coordinates are used")
    offsets = np.arange(0, 2 * len(table) + 1, 2)
    ragged = meshplan.Mesh({"faces_cells": (offsets, table.ravel())})
    require(ragged.maps["faces_cells"].arity == 0 and np.array_equal(ragged.maps["faces_cells"].offsets, offsets), "ragged tables")
    grouped = meshplan.Mesh({"faces_cells": table}, groups={"wall": ("faces", [5, 2, 9])})
    require(grouped.groups["wall"][0] == "faces" and grouped.groups["wall"][1].tolist() == [2, 5, 9], "groups")


def meshes_are_arrays():
    mesh = meshplan.read_mesh("mesh.msh")
    require(mesh.sets["cells"] == 300 and mesh.format == "gmsh", f"{mesh}")
    must("convert", "mesh.msh", "cells_nodes.npy", "--map", "cells_nodes")
    nodes = mesh.maps["cells_nodes"]
    require(np.array_equal(nodes.values, np.load("cells_nodes.npy")) and not nodes.values.flags.writeable, "cells_nodes")
    require(mesh.derive("edges_nodes").values.shape[1] == 2, "edges_nodes")
    kept = [one.values for one in mesh.maps.values()] + list(mesh.coordinates.values())
    before = [one.copy() for one in kept]
    part = kept[0][1:5]
    del mesh, nodes
    gc.collect()
    room = [np.full(200000, 7) for _ in range(20)]  # memory that was given back would be used again
    require(all(np.array_equal(a, b) for a, b in zip(kept, before)) and np.array_equal(part, before[0][1:5]) and room,
            "arrays outlive their mesh")
    must("convert", "mesh.msh", "a.su2")
    meshplan.convert("mesh.msh", "b.su2")
    same("a.su2", "b.su2", "convert")
    must("convert", "tets.su2", "a.vtu", "--refine", "1")
    meshplan.convert("tets.su2", "b.vtu", refine=1)
    same("a.vtu", "b.vtu", "convert --refine")


def what_is_wrong_is_refused():
    table = np.load("faces_cells.npy")
    mesh = meshplan.read_mesh("mesh.msh")
    raises(meshplan.MeshplanError, "none.msh", lambda: meshplan.read_mesh("none.msh"))
    raises(meshplan.MeshplanError, "edges", lambda: meshplan.plan(mesh, loops={"over": "edgs", "args": []}))
    raises(meshplan.MeshplanError, "incr", lambda: meshplan.plan(mesh, loops={"over": "cells", "args": [{"dat": "q", "access": "incr"}]}))
    raises(meshplan.MeshplanError, "block_size", lambda: meshplan.plan(mesh, block_size=100000))
    raises(TypeError, "blok_size", lambda: meshplan.plan(mesh, blok_size=64))
    raises(TypeError, "acess", lambda: meshplan.plan(mesh, loops={"over": "cells", "args": [{"dat": "q", "access": "rw", "acess": 1}]}))
    raises(TypeError, "whole numbers", lambda: meshplan.plan({"faces_cells": table + 0.5}))
    raises(ValueError, "32 bits", lambda: meshplan.plan({"faces_cells": table.astype(np.int64) + 2**31}))
    raises(ValueError, "<from>_<to>", lambda: meshplan.plan({"table": table}))
    raises(ValueError, "names member", lambda: meshplan.plan({"faces_cells": table}, sets={"cells": 5}))
    raises(ValueError, "members", lambda: meshplan.plan({"faces_cells": table}, {"cells": np.zeros((3, 2))}))
    raises(ValueError, "shape", lambda: meshplan.plan({"faces_cells": table}, {"cells": np.zeros((3, 5))}))
    raises(ValueError, "offsets", lambda: meshplan.Mesh({"faces_cells": ([0, 3, 2], [1, 2])}))
    other = meshplan.read_mesh("tets.su2")
    plan = meshplan.plan(mesh)
    raises(meshplan.Disproved, "", lambda: meshplan.verify(plan, other))
    raises(meshplan.MeshplanError, "not a plan", lambda: meshplan.verify("mesh.msh"))
    damaged = bytearray(plan.file.data)
    damaged[len(damaged) // 2] ^= 1
    pathlib.Path("damaged.mplan").write_bytes(damaged)
    raises(meshplan.MeshplanError, "damaged", lambda: meshplan.verify("damaged.mplan"))
    pathlib.Path("edges_nodes.txt").write_text("1 2\n2 3\n3 4\n")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        meshplan.read_mesh("edges_nodes.txt")
        meshplan.plan(meshplan.read_mesh("edges_nodes.txt"))
    require(any(issubclass(one.category, meshplan.Warned) for one in said), "warnings are warnings")


def pages_run():
    for name in ("README.md", "pyop2.md", "pyfr.md"):
        if name == "README.md":
            continue  # of package_python
        failed, tried = doctest.testfile(str(PACKAGE / name), module_relative=False)
        require(not failed and tried > 5, f"{name}: {failed} of {tried} lines fail")
    cells = json.loads((PACKAGE / "examples" / "plan_in_python.ipynb").read_text())["cells"]
    names, n = {}, 0
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "plan_in_python.ipynb", "exec"), names)
            n += 1
    require(n > 4, "the notebook has no cells")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in (plans_are_the_commands, layers_are_the_jobs, tables_are_enough, meshes_are_arrays, what_is_wrong_is_refused, pages_run):
            check()
        os.chdir("/")
    print("plans in process are those of the command; arrays, refusals, pages and the notebook are right")


main()
