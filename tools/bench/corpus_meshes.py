#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Meshes that `meshplan generate` does not make, for tools/bench/corpus; nothing but python3 is needed.

  tools/bench/corpus_meshes.py KIND CELLS OUT.vtk [SEED]

About CELLS cells, their nodes moved by up to a fifth of a spacing, cells and nodes numbered at random. SEED of the random numbers:
7 (that of tools/bench/corpus) where none is given; another one makes a mesh that nothing was chosen on."""
import random
import sys

# cells of VTK: type and corners
TRI, QUAD, TET, HEX, PRISM, PYRAMID, TRI6, TET10, HEX27 = 5, 9, 10, 12, 13, 14, 22, 24, 29
KUHN = ((0, 1, 3, 7), (0, 1, 5, 7), (0, 2, 3, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 4, 6, 7))  # corners x + 2 y + 4 z
AROUND = (0, 1, 3, 2, 4, 5, 7, 6)  # of a hex in VTK's order
TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
TRI_EDGES = ((0, 1), (1, 2), (0, 2))
HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
HEX_FACES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))


class Mesh:
    """Nodes by a key, cells as (type, nodes)."""

    def __init__(self):
        self.places, self.number, self.cells = [], {}, []

    def node(self, key, place):
        if key not in self.number:
            self.number[key] = len(self.places)
            self.places.append(place)
        return self.number[key]

    def between(self, *nodes):
        return self.node(("middle", *sorted(nodes)), tuple(sum(self.places[n][d] for n in nodes) / len(nodes) for d in range(3)))

    def write(self, path, shuffle):
        """Legacy VTK, numbered at random."""
        order, new = list(range(len(self.places))), [0] * len(self.places)
        shuffle.shuffle(order)
        for at, node in enumerate(order):
            new[node] = at
        shuffle.shuffle(self.cells)
        with open(path, "w") as file:
            file.write(f"# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(order)} double\n")
            file.writelines("%.9g %.9g %.9g\n" % tuple(self.places[node]) for node in order)
            file.write(f"CELLS {len(self.cells)} {sum(1 + len(nodes) for _, nodes in self.cells)}\n")
            file.writelines(f"{len(nodes)} {' '.join(str(new[n]) for n in nodes)}\n" for _, nodes in self.cells)
            file.write(f"CELL_TYPES {len(self.cells)}\n")
            file.writelines(f"{kind}\n" for kind, _ in self.cells)


def evenly(n):
    return [i / n for i in range(n + 1)]


def graded(n, ratio=1e4):
    """Spacings in geometric progression, the last `ratio` times the first."""
    growth = ratio ** (1 / max(1, n - 1))
    sums = [0.0]
    for i in range(n):
        sums.append(sums[-1] + growth ** i)
    return [one / sums[-1] for one in sums]


class Box:
    """Nodes of a box between three rulers, inner ones moved at random."""

    def __init__(self, mesh, rulers, chance, name="", origin=(0, 0, 0)):
        self.mesh, self.rulers, self.chance, self.name, self.origin = mesh, rulers, chance, name, origin
        self.size = [len(ruler) - 1 for ruler in rulers]

    def place(self, at):
        found = []
        for d in range(3):
            ruler, i = self.rulers[d], at[d]
            moved = 0 if i in (0, self.size[d]) else (self.chance.random() - 0.5) * 0.4 * min(ruler[i + 1] - ruler[i], ruler[i] - ruler[i - 1])
            found.append(ruler[i] + moved + self.origin[d])
        return found

    def node(self, *at):
        key = (self.name, *at)
        return self.mesh.number[key] if key in self.mesh.number else self.mesh.node(key, self.place(at))

    def corners(self, i, j, k):
        """Of the cell, x fastest."""
        return [self.node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) for c in range(8)]

    def __iter__(self):
        for k in range(self.size[2]):
            for j in range(self.size[1]):
                for i in range(self.size[0]):
                    yield i, j, k


def add_tets(mesh, corners):
    mesh.cells += [(TET, [corners[c] for c in tet]) for tet in KUHN]


def add_hex(mesh, corners):
    mesh.cells.append((HEX, [corners[c] for c in AROUND]))


def side_of(cells, each, dimension=3):
    return max(2, round((cells / each) ** (1 / dimension)))


def graded_tets(mesh, cells, chance):
    for at in (box := Box(mesh, [graded(side_of(cells, 6))] * 3, chance)):
        add_tets(mesh, box.corners(*at))


def graded_hexes(mesh, cells, chance):
    for at in (box := Box(mesh, [graded(side_of(cells, 1))] * 3, chance)):
        add_hex(mesh, box.corners(*at))


def layered_prisms(mesh, cells, chance):
    """Triangles in columns of 10 to 20 layers, thin ones whose heights differ from column to column, as an ocean's."""
    n = side_of(cells, 30, 2)
    plane = Box(mesh, [evenly(n), evenly(n), evenly(1)], chance)
    place, depth = {}, {}

    def node(i, j, k):
        if (i, j) not in place:
            place[i, j] = plane.place((i, j, 0))
            steps = [chance.random() ** 3 + 0.01 for _ in range(20)]
            depth[i, j] = [1e-3 * sum(steps[:m]) for m in range(21)]
        x, y, _ = place[i, j]
        return mesh.node((i, j, k), (x, y, -depth[i, j][k]))

    for i in range(n):
        for j in range(n):
            layers = 10 + round(10 * min(1, 2 * abs(i / n - 0.5) + 0.3 * chance.random()))
            for k in range(layers):
                a, b, c, d = ([node(i + x, j + y, m) for m in (k, k + 1)] for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)))
                mesh.cells += [(PRISM, [a[0], b[0], d[0], a[1], b[1], d[1]]), (PRISM, [a[0], d[0], c[0], a[1], d[1], c[1]])]


def sphere_triangles(mesh, cells, chance):
    """The surface of a ball, from a cube whose squares are cut along either diagonal."""
    n = side_of(cells, 12, 2)

    def node(axis, side, i, j):
        at = [0, 0, 0]
        at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3] = side * n, i, j
        move = [(chance.random() - 0.5) * 0.3 if 0 < one < n else 0 for one in at]
        place = [2 * (at[d] + move[d]) / n - 1 for d in range(3)]
        length = sum(one * one for one in place) ** 0.5
        return mesh.node(tuple(at), [one / length for one in place])

    for axis in range(3):
        for side in range(2):
            for i in range(n):
                for j in range(n):
                    a, b, c, d = (node(axis, side, i + x, j + y) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)))
                    mesh.cells += [(TRI, [a, b, d]), (TRI, [a, d, c])] if chance.random() < 0.5 else [(TRI, [a, b, c]), (TRI, [b, d, c])]


def hanging_hexes(mesh, cells, chance):
    """A box in which the cells near a sphere are cut in eight, their neighbours not."""
    n = side_of(cells, 3)
    box = Box(mesh, [evenly(2 * n)] * 3, chance)
    for k in range(n):
        for j in range(n):
            for i in range(n):
                far = sum(((one + 0.5) / n - 0.5) ** 2 for one in (i, j, k)) ** 0.5
                step = 1 if abs(far - 0.35) < 0.1 else 2
                for c in range(8 if step == 1 else 1):
                    at = (2 * i + (c & 1), 2 * j + (c >> 1 & 1), 2 * k + (c >> 2))
                    add_hex(mesh, [box.node(*(at[d] + step * (corner >> d & 1) for d in range(3))) for corner in range(8)])


def crack(mesh, cells, chance, each, add):
    """A box whose nodes in half of the plane in its middle are there twice."""
    n = side_of(cells, each)
    below = Box(mesh, [evenly(n)] * 3, chance)
    for i, j, k in below:
        corners = below.corners(i, j, k)
        for c in range(4):
            x, y, z = i + (c & 1), j + (c >> 1 & 1), k
            if z == n // 2 and x < n // 2:
                corners[c] = mesh.node(("upper", x, y), mesh.places[below.node(x, y, z)])
        add(mesh, corners)


def cracked_hexes(mesh, cells, chance):
    crack(mesh, cells, chance, 1, add_hex)


def cracked_tets(mesh, cells, chance):
    crack(mesh, cells, chance, 6, add_tets)


def quadratic_triangles(mesh, cells, chance):
    n = side_of(cells, 2, 2)
    box = Box(mesh, [evenly(n), evenly(n), [0, 1]], chance)
    for i in range(n):
        for j in range(n):
            corner = [box.node(i + (c & 1), j + (c >> 1), 0) for c in range(4)]
            for tri in ((0, 1, 3), (0, 3, 2)):
                nodes = [corner[c] for c in tri]
                mesh.cells.append((TRI6, nodes + [mesh.between(nodes[a], nodes[b]) for a, b in TRI_EDGES]))


def quadratic_tets(mesh, cells, chance):
    graded_tets(mesh, cells, chance)
    mesh.cells = [(TET10, nodes + [mesh.between(nodes[a], nodes[b]) for a, b in TET_EDGES]) for _, nodes in mesh.cells]


def quadratic_hexes(mesh, cells, chance):
    for at in (box := Box(mesh, [evenly(side_of(cells, 1))] * 3, chance)):
        add_hex(mesh, box.corners(*at))
    mesh.cells = [(HEX27, nodes + [mesh.between(nodes[a], nodes[b]) for a, b in HEX_EDGES] +
                   [mesh.between(*(nodes[c] for c in face)) for face in HEX_FACES] + [mesh.between(*nodes)]) for _, nodes in mesh.cells]


def pyramids(mesh, cells, chance):
    """Hexes below, tets above, between them a layer of hexes cut into five pyramids and two tets each."""
    n = side_of(cells, 3.5)
    box = Box(mesh, [evenly(n)] * 3, chance)
    for i, j, k in box:
        corners = box.corners(i, j, k)
        if k != n // 2:
            (add_hex if k < n // 2 else add_tets)(mesh, corners)
            continue
        middle = mesh.between(*corners)
        around = [corners[c] for c in AROUND]
        mesh.cells += [(PYRAMID, [around[c] for c in face] + [middle]) for face in HEX_FACES[:5]]
        mesh.cells += [(TET, [corners[c] for c in tri] + [middle]) for tri in ((4, 5, 7), (4, 6, 7))]


def two_bodies(mesh, cells, chance):
    """Two boxes of tets that share nothing; the second has one of eight of the cells."""
    for name, n, origin in (("first", side_of(cells * 8 / 9, 6), (0, 0, 0)), ("second", side_of(cells / 9, 6), (1.5, 0.2, 0))):
        for at in (box := Box(mesh, [evenly(n)] * 3, chance, name, origin)):
            add_tets(mesh, box.corners(*at))


KINDS = {"graded tets": graded_tets, "graded hexes": graded_hexes, "layered prisms": layered_prisms, "sphere triangles": sphere_triangles,
         "hanging hexes": hanging_hexes, "cracked hexes": cracked_hexes, "cracked tets": cracked_tets, "tri6": quadratic_triangles,
         "tet10": quadratic_tets, "hex27": quadratic_hexes, "pyramids": pyramids, "two bodies": two_bodies}


def main():
    from corpus_more import KINDS_MORE  # which use this file
    from corpus_third import KINDS_THIRD
    kinds = KINDS | KINDS_MORE | KINDS_THIRD
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in kinds:
        sys.exit(f"{__doc__}\nkinds: {', '.join(kinds)}")
    mesh, chance = Mesh(), random.Random(int(sys.argv[4]) if len(sys.argv) == 5 else 7)
    kinds[sys.argv[1]](mesh, int(sys.argv[2]), chance)
    mesh.write(sys.argv[3], chance)


if __name__ == "__main__":
    main()
