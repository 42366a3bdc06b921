#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heat equation of heat.c with numpy, in the order of a plan: step 5 of meshplan-tutorial(7).

    meshplan generate tri 40x40 --jitter 0.2 --seed 1 -o square.msh
    meshplan convert square.msh square.npz
    meshplan plan square.npz --over cells --inc nodes:1 --read nodes:3 -o np.mplan
    python3 heat.py square.npz np.mplan heat.vtu

Linear finite elements with a lumped mass, explicit steps. Each triangle gives something to its three nodes, each node
sums what it was given (Map.gather): the loop that the plan is for. Data are brought into the plan's order once and lie
in it until the end."""
import pathlib
import sys

import numpy as np

if __name__ == "__main__":  # also without installation
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import meshplan  # noqa: E402


def exact(x, t):
    """sin(pi x) sin(pi y) at time t; at 0 it is the start."""
    return np.exp(-2 * np.pi**2 * t) * np.sin(np.pi * x[:, 0]) * np.sin(np.pi * x[:, 1])


def inside_of(triangles, n):
    """False for the nodes of edges that only one triangle has."""
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, count = np.unique(edges, axis=0, return_counts=True)
    inside = np.ones(n, bool)
    inside[edges[count == 1]] = False
    return inside


def stiffness(x, table):
    """Of every triangle: its area and its 3 x 3 part of the matrix, from the edges that face its nodes."""
    corners = x[table.values]  # [triangles, 3, 2]
    facing = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    area = 0.5 * np.abs(facing[:, 0, 0] * facing[:, 1, 1] - facing[:, 0, 1] * facing[:, 1, 0])
    return area, facing @ facing.transpose(0, 2, 1) / (4 * area[:, None, None])


def run(x, inside, table, u, end):
    """Steps of equal length, none longer than the smallest that a node allows; u in the plan's order."""
    area, part = stiffness(x, table)
    mass = table.gather(np.repeat(area[:, None] / 3, 3, axis=1))
    diagonal = table.gather(np.einsum("ekk->ek", part))
    steps = int(np.ceil(end / np.min(0.5 * mass[diagonal > 0] / diagonal[diagonal > 0])))
    factor = np.where(inside, end / steps / np.where(mass > 0, mass, 1), 0)
    for _ in range(steps):
        u -= factor * table.gather(np.einsum("ekl,el->ek", part, u[table.values]))
    return steps


def write_vtu(path, triangles, x, u):
    """For ParaView, as text; all in the order of the mesh."""
    def array(kind, name, rows, components=1):
        text = "\n".join(" ".join(map(repr, row)) for row in np.atleast_2d(rows).reshape(len(rows), -1).tolist())
        return (f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="ascii">\n'
                f"{text}\n</DataArray>\n")

    n = len(triangles)
    with open(path, "w", encoding="ascii") as file:
        file.write('<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="0.1">\n<UnstructuredGrid>\n'
                   f'<Piece NumberOfPoints="{len(x)}" NumberOfCells="{n}">\n<Points>\n'
                   + array("Float64", "points", np.column_stack([x, np.zeros(len(x))]), 3) + "</Points>\n<Cells>\n"
                   + array("Int32", "connectivity", triangles) + array("Int64", "offsets", 3 * np.arange(1, n + 1))
                   + array("UInt8", "types", np.full(n, 5)) + '</Cells>\n<PointData Scalars="u">\n'
                   + array("Float64", "u", u) + "</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: heat.py MESH.npz PLAN PICTURE.vtu")
    end = 0.05
    mesh, plan = np.load(sys.argv[1]), meshplan.open(sys.argv[2])
    triangles, x = mesh["cells_nodes"], mesh["nodes_coordinates"]
    nodes, table = plan.sets["nodes"], plan.maps["cells_nodes"]
    if not np.array_equal(table.mesh_values(), triangles):
        sys.exit("the plan is for another mesh")
    u = nodes.to_stored(exact(x, 0))
    steps = run(nodes.to_stored(x), nodes.to_stored(inside_of(triangles, len(x))), table, u, end)
    u = nodes.to_mesh(u)
    print(f"{len(triangles)} triangles, {steps} steps to t = {end}: largest error {np.abs(u - exact(x, end)).max():.2e}")
    write_vtu(sys.argv[3], triangles, x, u)


if __name__ == "__main__":
    main()
