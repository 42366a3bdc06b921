# SPDX-License-Identifier: Apache-2.0
"""Kinds of meshes that were chosen before anything was measured on them, as a check of what the partitioner was tuned on;
tools/bench/corpus makes them after those of corpus_meshes.py. Nothing but python3 is needed."""
import math

from corpus_meshes import PRISM, QUAD, TET, TRI, TRI_EDGES, Box, add_hex, add_tets, evenly, side_of

POLYGON, PRISM15 = 7, 26  # cells of VTK
# corners x + 2 y + 4 z; the cut along the other diagonals is its mirror image
FIVE_TETS = ((0, 3, 5, 6), (0, 1, 3, 5), (0, 3, 2, 6), (0, 5, 4, 6), (3, 5, 6, 7))


def quadtree(mesh, cells, chance):
    """Squares cut in four, up to three times, the nearer to a curve: nodes of the smaller ones hang on the larger ones."""
    n = side_of(cells, 5, 2)
    box = Box(mesh, [evenly(8 * n), evenly(8 * n), [0, 1]], chance)
    stack = [(8 * i, 8 * j, 8) for i in range(n) for j in range(n)]
    while stack:
        i, j, step = stack.pop()
        x, y = (i + step / 2) / (8 * n), (j + step / 2) / (8 * n)
        far = abs(y - 0.5 - 0.25 * math.sin(2 * math.pi * x))
        if step > 1 and far < 0.012 * step:
            half = step // 2
            stack += [(i + a, j + b, half) for a in (0, half) for b in (0, half)]
        else:
            mesh.cells.append((QUAD, [box.node(i + a, j + b, 0) for a, b in ((0, 0), (step, 0), (step, step), (0, step))]))


def channel_tets(mesh, cells, chance):
    """A wavy channel of hexes in five tets each, spacings growing by a factor of 1.25 away from both walls."""
    n = side_of(cells, 5 * 2)
    heights, step = [0.0], 1e-5
    for k in range(n):
        heights.append(heights[-1] + step)
        step *= 1.25 if k < n // 2 - 1 else 0.8 if k > n // 2 else 1
    box = Box(mesh, [evenly(2 * n), evenly(n), [one / heights[-1] for one in heights]], chance)
    plain = box.place

    def place(at):
        x, y, z = plain(at)
        return [x * 6, y + 0.3 * math.sin(5 * x), z + 0.2 * math.sin(7 * x + 2 * y)]

    box.place = place
    for i, j, k in box:
        corners = box.corners(i, j, k)
        flip = (i + j + k) % 2
        mesh.cells += [(TET, [corners[c ^ flip] for c in tet]) for tet in FIVE_TETS]


def butterfly_pipe(mesh, cells, chance):
    """Hexes of a bent pipe: a square core and four blocks round it, whose rings become thin towards the wall (ratio 1.4)."""
    n = side_of(cells, 5 * 3)
    length, rings = 3 * n, n
    core = Box(mesh, [evenly(n), evenly(n), evenly(length)], chance, "core")
    sums = [0.0]
    for k in range(rings):
        sums.append(sums[-1] + 1.4 ** -k)

    def bent(x, y, z):
        angle = 2 * z
        return [(3 + x) * math.cos(angle), (3 + x) * math.sin(angle), y]

    def core_place(at):
        x, y, z = Box.place(core, at)
        return bent(0.8 * x - 0.4, 0.8 * y - 0.4, z)

    core.place = core_place

    def node(side, i, ring, k):
        u, v = ((i, 0), (n, i), (n - i, n), (0, n - i))[side]
        if ring == 0:
            return core.node(u, v, k)
        if i == n:
            side, i = (side + 1) % 4, 0
            u, v = ((i, 0), (n, i), (n - i, n), (0, n - i))[side]
        share, angle = sums[ring] / sums[-1], math.pi / 4 * (2 * (side + i / n) - 3)
        inner = (0.8 * u / n - 0.4, 0.8 * v / n - 0.4)
        place = [(1 - share) * inner[d] + share * (math.cos(angle), math.sin(angle))[d] for d in range(2)]
        return mesh.node(("ring", side, i, ring, k), bent(*place, k / length))

    for at in core:
        add_hex(mesh, core.corners(*at))
    for side in range(4):
        for k in range(length):
            for ring in range(rings):
                for i in range(n):
                    add_hex(mesh, [node(side, i + (c & 1), ring + (c >> 1 & 1), k + (c >> 2)) for c in range(8)])


def stiffened_shell(mesh, cells, chance):
    """The skin of a fuselage in quads, with frames of triangles and stringers of quads inside: three or four cells meet at an edge."""
    n = side_of(cells, 5.5, 2)
    around, along = 2 * n, 2 * n

    def node(i, j, ring):
        radius = 2 - 0.03 * ring
        angle, x = 2 * math.pi * i / around, 10 * (j + (chance.random() - 0.5) * 0.2) / along
        return mesh.node((i % around, j, ring), [x, radius * math.cos(angle), radius * math.sin(angle)])

    for i in range(around):
        for j in range(along):
            mesh.cells.append((QUAD, [node(i, j, 0), node(i + 1, j, 0), node(i + 1, j + 1, 0), node(i, j + 1, 0)]))
            if i % 8 == 0:
                for ring in range(2):
                    mesh.cells.append((QUAD, [node(i, j, ring), node(i, j + 1, ring), node(i, j + 1, ring + 1), node(i, j, ring + 1)]))
            if j % 12 == 0:
                for ring in range(3):
                    a, b, c, d = node(i, j, ring), node(i + 1, j, ring), node(i + 1, j, ring + 1), node(i, j, ring + 1)
                    mesh.cells += [(TRI, [a, b, c]), (TRI, [a, c, d])]


def quadratic_prisms(mesh, cells, chance):
    """Prisms of second order (15 nodes) in layers whose heights grow by 1.15."""
    n = side_of(cells, 2 * 0.7)
    heights = [0.0]
    for k in range(max(2, round(0.7 * n))):
        heights.append(heights[-1] + 1e-3 * 1.15 ** k)
    for i, j, k in (box := Box(mesh, [evenly(n), evenly(n), heights], chance)):
        corner = box.corners(i, j, k)
        for a, b, c in ((0, 1, 3), (0, 3, 2)):
            low, high = [corner[a], corner[b], corner[c]], [corner[a + 4], corner[b + 4], corner[c + 4]]
            edges = [mesh.between(ring[x], ring[y]) for ring in (low, high) for x, y in TRI_EDGES]
            mesh.cells.append((PRISM15, low + high + edges + [mesh.between(low[e], high[e]) for e in range(3)]))


def three_bodies(mesh, cells, chance):
    """Tets, hexes and prisms of three sizes that lie side by side and share no node."""
    share = cells / 3
    for name, each, origin in (("tets", 6, 0.0), ("hexes", 1, 1.0), ("prisms", 2, 2.0)):
        n = side_of(share, each)
        for at in (box := Box(mesh, [evenly(n)] * 3, chance, name, (origin, 0, 0))):
            corners = box.corners(*at)
            if name == "tets":
                add_tets(mesh, corners)
            elif name == "hexes":
                add_hex(mesh, corners)
            else:
                mesh.cells += [(PRISM, [corners[c] for c in cell]) for cell in ((0, 1, 3, 4, 5, 7), (0, 3, 2, 4, 7, 6))]


def honeycomb(mesh, cells, chance):
    """Polygons: hexagons of uneven sides, as meshes of oceans have, stretched by 20 along one axis."""
    n = side_of(cells, 1, 2)

    def node(i, j):
        def made():
            move = [(chance.random() - 0.5) * 0.2 for _ in range(2)]
            return (20 * (i / 2 + move[0]), j * 0.87 + (0.29 if (i + j) % 2 else 0) + move[1], 0)
        return mesh.number[i, j] if (i, j) in mesh.number else mesh.node((i, j), made())

    for j in range(n):
        for i in range(n):
            x = 2 * i + j % 2
            mesh.cells.append((POLYGON, [node(x, j), node(x + 1, j), node(x + 2, j), node(x + 2, j + 1), node(x + 1, j + 1), node(x, j + 1)]))


def thin_tets(mesh, cells, chance):
    """A shell two cells thick, rolled up, of hexes in six tets."""
    n = side_of(cells, 12, 2)
    box = Box(mesh, [evenly(n), evenly(n), [0, 1e-4, 2e-4]], chance)
    plain = box.place

    def place(at):
        x, y, z = plain(at)
        radius, angle = 1 + 0.1 * x + z, 5 * x
        return [radius * math.cos(angle), radius * math.sin(angle), y]

    box.place = place
    for at in box:
        add_tets(mesh, box.corners(*at))


KINDS_MORE = {"quadtree": quadtree, "channel tets": channel_tets, "butterfly pipe": butterfly_pipe, "stiffened shell": stiffened_shell,
              "prism15": quadratic_prisms, "three bodies": three_bodies, "honeycomb": honeycomb, "thin tets": thin_tets}
