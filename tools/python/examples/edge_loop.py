#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A flux over the edges of a mesh, run with numpy in the order and colours of a plan.

    meshplan generate naca0012 300x150 -o naca.dat
    meshplan plan naca.dat --inc edges_cells:4 --strategy owner-gather,block-colour,global-colour -o naca.mplan
    python3 edge_loop.py naca.mplan

Every edge reads the states of its two cells, adds the flux between them to one and subtracts it from the
other. The edges of one step (Variant.steps) share no cell, so `res[cell] += flux` with arrays of
indices, which would lose increments to repeated cells, is right; the order of the steps does not matter to
the sum but by rounding. Strategies without colours of elements sum by cell (Map.gather). Works with any plan whose
primary loop increments one set by one map of two."""
import argparse
import pathlib
import sys
import time

import numpy as np

if __name__ == "__main__":  # also without installation
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import meshplan  # noqa: E402


def flux(left, right):
    """Of a toy law: the mean, and what jumps, by the speed of the first component."""
    speed = 1 + np.abs(left[:, :1] + right[:, :1])
    return 0.5 * (left + right) - 0.5 * speed * (right - left)


def in_mesh_order(cells_of_edge, q):
    """What the plan has to reproduce: np.add.at adds repeated indices one after the other."""
    res = np.zeros_like(q)
    one, two = cells_of_edge.T
    f = flux(q[one], q[two])
    np.add.at(res, one, f)
    np.add.at(res, two, -f)
    return res


def by_plan(variant, cells_of_edge, q):
    """The loop over stored data, step by step."""
    res = np.zeros_like(q)
    for edges in variant.steps():
        one, two = cells_of_edge[edges].T
        f = flux(q[one], q[two])
        res[one] += f
        res[two] -= f
    return res


def by_gather(table, q):
    """The loop over stored data: all edges, then each cell sums what its edges gave it."""
    one, two = table.values.T
    f = flux(q[one], q[two])
    return table.gather(np.stack([f, -f], axis=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan")
    options = parser.parse_args()
    plan = meshplan.open(options.plan)
    loop = plan.loop()
    table = next(arg.map for arg in loop.args if arg.access == "inc" and arg.map and arg.map.arity == 2)
    cells = table.target
    print(f"{plan}\n{loop}: {loop.set.size} {loop.set.name}, {cells.size} {cells.name}")

    q = np.random.default_rng(1).random((cells.size, 4))
    start = time.perf_counter()
    expected = in_mesh_order(table.mesh_values(), q)
    print(f"  in the order of the mesh, by np.add.at: {1e3 * (time.perf_counter() - start):.1f} ms")
    for variant in loop.variants:
        coloured = variant.strategy in ("global-colour", "block-colour")
        stored = cells.to_stored(q)
        start = time.perf_counter()
        res = cells.to_mesh(by_plan(variant, table.values, stored) if coloured else by_gather(table, stored))
        took, error = time.perf_counter() - start, np.abs(res - expected).max()
        print(f"  {variant.strategy}, {f'{len(variant.steps())} steps' if coloured else 'gathered'}: "
              f"{1e3 * took:.1f} ms, largest difference {error:.1e}")
        if not np.allclose(res, expected, rtol=1e-12, atol=1e-12):
            sys.exit("the results differ")


if __name__ == "__main__":
    main()
