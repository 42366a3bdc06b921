#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`meshplan apply --dat`: images of dats against the plan as the second reader (tools/python) has it: dat_images.py MESHPLAN

Flat dats of both layouts, levels in both orders of columns, and matrices stored by owner, whose rows lie where
owner-gather comes to them: the list that it walks is the transposed map."""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "python"))
import meshplan  # noqa: E402

JOB = """meshplan: 1
mesh: sphere.msh
layers: {cells: 5}
loops:
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: m, access: read, dim: 64, levels: 5, rows: 8, columns: owner}
      - {dat: x, map: cells_nodes, access: read, dim: 2, type: f64, levels: 6, offsets: [0, 1]}
      - {dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 6, offsets: [0, 1]}
  - name: solve
    over: cells
    layered: columns
    args:
      - {dat: y, access: rw, dim: 3, type: f32, levels: 5, columns: points}
  - name: flat
    over: cells
    args:
      - {dat: q, access: rw, dim: 3, type: f64}
      - {dat: small, map: cells_nodes, access: read, dim: 2, type: i32}
output: sphere.mplan
"""


def places_of_owners(plan, arg):
    """arg: of the increments. [element, component, layer]: where a number of the matrix is. A thread of owner-gather has a level of a point; 32
    threads lie side by side; rows of a point are counted as its list is walked, an entry for each slot of its column."""
    map_ = arg.map
    starts, slots = map_.transpose
    of, offset = zip(*arg.slots)
    entry = np.full((len(map_.values), len(of)), -1)
    width = 0
    for point in range(len(starts) - 1):
        count = 0
        for slot in slots[starts[point]:starts[point + 1]]:
            element, column = divmod(int(slot), 4)
            for row, its in enumerate(of):
                if its == column:
                    entry[element, row] = count
                    count += 1
        width = max(width, count)
    places = np.zeros((len(map_.values), 64, 5), int)
    for element in range(len(places)):
        if plan.sets["cells"].old_of_new[element] < 0:
            continue
        for component in range(64):
            row, column = component % 8, component // 8
            for layer in range(5):
                thread = int(map_.values[element, of[row]]) * arg.levels + offset[row] + layer
                places[element, component, layer] = (
                    (thread // 32 * width + entry[element, row]) * 8 + column) * 32 + thread % 32
    return places


def main():
    program = pathlib.Path(sys.argv[1]).resolve()

    def run(*words):
        subprocess.run([program, *words, "-q"], check=True, cwd=folder)

    if "libyaml" not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split():
        print("skipped: no libyaml in this build")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "job.yaml").write_text(JOB)
        run("generate", "cubed-sphere", "4", "--shuffle", "3", "-o", "sphere.msh")
        made = subprocess.run([program, "plan", "job.yaml", "--strategy", "owner-gather,global-colour", "-q"], cwd=folder,
                              capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        plan = meshplan.open(folder / "sphere.mplan")
        for name in ("m", "x", "y", "q", "small"):
            loop = next(one for one in plan.loops.values() if any(arg.dat == name for arg in one.args))
            arg = next(one for one in loop.args if one.dat == name)
            set_ = arg.map.target if arg.map else loop.set
            levels, dtype = arg.levels, arg.type
            assert (levels, arg.columns) == {"m": (5, "owner"), "x": (6, "layers"), "y": (5, "points")}.get(name, (0, None))
            shape = [set_.size] + [levels] * (levels > 0) + [arg.dim]
            rows = (np.arange(np.prod(shape)) + 1).reshape(shape).astype(dtype)
            np.save(folder / "in.npy", rows)
            run("apply", "sphere.mplan", "--dat", name, "in.npy", "image.npy")
            image = np.load(folder / "image.npy")
            stored = set_.to_stored(rows).reshape(set_.storage_size, max(levels, 1), arg.dim)
            if name == "m":
                places = places_of_owners(plan, plan.loop("matvec").args[2])
                expected = np.zeros_like(image)
                for element, old in enumerate(set_.old_of_new):
                    if old >= 0:
                        for layer in range(5):
                            expected[places[element, :, layer]] = stored[element, layer]
                assert len(np.unique(places[set_.old_of_new >= 0])) == rows.size, "two numbers in one place"
            else:
                if name == "y":
                    stored = stored.transpose(1, 0, 2)
                stored = stored.reshape(-1, arg.dim)
                expected = (stored.T if arg.layout == "soa" else stored).ravel()
            assert image.dtype == dtype and np.array_equal(image, expected), name
            run("apply", "sphere.mplan", "--dat", name, "image.npy", "back.npy", "--inverse")
            assert np.array_equal(np.load(folder / "back.npy"), rows), name
    print("images of 5 dats are as the second reader says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
