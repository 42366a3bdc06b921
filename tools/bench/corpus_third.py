# SPDX-License-Identifier: Apache-2.0
"""Ten meshes that were chosen before anything was measured on them, after those of corpus_more.py had been looked at:
tools/bench/corpus --third. Five by `meshplan generate`, three kinds of corpus_meshes.py, two by gmsh. About 60,000 cells each."""
import math

from corpus_meshes import QUAD, TET, TRI, Box, add_tets, evenly, side_of

GENERATED = {
    "long triangles": ["tri", "231x147", "--jitter", 0.35, "--stretch", "1,0.03", "--shuffle", 91],
    "flat tets": ["tet", "23x31x15", "--jitter", 0.3, "--stretch", "1,0.2,0.05", "--shuffle", 92],
    "layer of triangles 1e-4": ["boundary-layer", "420x80", "--cells", "tri", "--first-height", "1e-4", "--growth", 1.15, "--shuffle", 93],
    "wing hybrid 1e-4": ["wing", "70x18x12", "--cells", "hybrid", "--first-height", "1e-4", "--shuffle", 94],
    "sphere prism 26x8": ["sphere", "26x8", "--cells", "prism", "--shuffle", 95],
}
GMSH = {
    # tets round a ring and a cylinder, small ones near the ring
    "gmsh ring": ("""SetFactory("OpenCASCADE");
Box(1) = {-2, -1.5, -1, 5, 3, 2}; Torus(2) = {0, 0, 0, 0.7, 0.2}; Cylinder(3) = {1.6, 0.2, -1, 0, 0, 2, 0.3};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
Field[1] = MathEval; Field[1].F = Sprintf("%g * (0.3 + Fabs(Sqrt((Sqrt(x*x+y*y)-0.7)^2 + z*z) - 0.2))");
Background Field = 1; Mesh.CharacteristicLengthExtendFromBoundary = 0; Mesh.CharacteristicLengthFromPoints = 0;
Mesh.Algorithm3D = 10; Mesh.RandomSeed = 5;
""", "-3", 0.141),
    # mostly quads, some triangles, of a lake with two islands
    "gmsh lake": ("""SetFactory("OpenCASCADE");
Point(1) = {0, 0, 0}; Point(2) = {2, -0.5, 0}; Point(3) = {4, 0.3, 0}; Point(4) = {4.5, 2, 0}; Point(5) = {2.5, 2.4, 0}; Point(6) = {0.4, 3, 0};
Spline(1) = {1, 2, 3, 4, 5, 6, 1}; Line Loop(1) = {1}; Plane Surface(1) = {1};
Disk(2) = {1.2, 1.2, 0, 0.4, 0.2}; Disk(3) = {3.2, 1.1, 0, 0.3, 0.25};
BooleanDifference(4) = { Surface{1}; Delete; }{ Surface{2, 3}; Delete; };
Field[1] = MathEval; Field[1].F = Sprintf("%g * (1 + 2 * Fabs(Sin(2 * x) * Cos(1.5 * y)))");
Background Field = 1; Mesh.CharacteristicLengthExtendFromBoundary = 0; Mesh.CharacteristicLengthFromPoints = 0;
Mesh.Algorithm = 8; Mesh.RecombineAll = 1; Mesh.RecombinationAlgorithm = 0; Mesh.RandomSeed = 5;
""", "-2", 0.0078),
}


def flips(mesh, cells, chance):
    """Triangles of a square, half of whose diagonals were flipped several times: three to ten meet at a node."""
    n = side_of(cells, 2, 2)
    box = Box(mesh, [evenly(n), evenly(n), [0, 1]], chance)
    found = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = (box.node(i + x, j + y, 0) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)))
            found += [[a, b, d], [a, d, c]]
    edges = {}
    for t, nodes in enumerate(found):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            edges.setdefault(frozenset((nodes[a], nodes[b])), set()).add(t)
    area = lambda p, q, r: ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) * n * n
    for _ in range(3 * len(found)):
        t = chance.randrange(len(found))
        k = chance.randrange(3)
        a, b, c = found[t][k], found[t][(k + 1) % 3], found[t][(k + 2) % 3]
        if len(edges[frozenset((a, b))]) < 2:
            continue
        u = next(one for one in edges[frozenset((a, b))] if one != t)
        d = next(one for one in found[u] if one not in (a, b))
        place = [mesh.places[one] for one in (a, b, c, d)]
        if frozenset((c, d)) in edges or min(area(place[3], place[1], place[2]), area(place[0], place[3], place[2])) < 0.1:
            continue
        del edges[frozenset((a, b))]
        found[t], found[u] = [c, d, b], [d, c, a]
        edges[frozenset((c, d))] = {t, u}
        for pair, old, new in (((c, a), t, u), ((d, b), u, t)):
            edges[frozenset(pair)].discard(old)
            edges[frozenset(pair)].add(new)
    mesh.cells = [(TRI, nodes) for nodes in found]


def bisected_tets(mesh, cells, chance):
    """Tets of a cube, cut in two along their longest edges until those near a curve in space are small."""
    n = side_of(cells, 6 * 12)
    for at in (box := Box(mesh, [evenly(n)] * 3, chance)):
        add_tets(mesh, box.corners(*at))
    tets = {number: nodes for number, (_, nodes) in enumerate(mesh.cells)}
    round_of, places = {}, mesh.places
    for number, nodes in tets.items():
        for a in range(4):
            for b in range(a):
                round_of.setdefault(frozenset((nodes[a], nodes[b])), set()).add(number)
    length = lambda edge: sum((one - two) ** 2 for one, two in zip(*(places[node] for node in edge)))
    longest = lambda nodes: max((frozenset((nodes[a], nodes[b])) for a in range(4) for b in range(a)), key=lambda edge: (length(edge), sorted(edge)))

    def is_wanted(nodes):
        x, y, z = (sum(places[node][d] for node in nodes) / 4 for d in range(3))
        far = math.dist((x, y, z), (x, 0.5 + 0.3 * math.sin(3 * x), 0.5 + 0.3 * math.cos(3 * x)))
        return length(longest(nodes)) ** 0.5 > 0.25 / n + 0.8 * far / n ** 0.5

    def halve(edge):
        """All tets round an edge, once it is the longest of each."""
        for number in sorted(round_of.get(edge, ())):
            if number in tets and longest(tets[number]) != edge:
                halve(longest(tets[number]))
        if not round_of.get(edge):
            return
        a, b = sorted(edge)
        middle = mesh.between(a, b)
        for number in sorted(round_of[edge]):
            nodes = tets.pop(number)
            for one in range(4):
                for two in range(one):
                    round_of[frozenset((nodes[one], nodes[two]))].discard(number)
            for end in (a, b):
                fresh = halve.next
                halve.next += 1
                tets[fresh] = new = [middle if node == end else node for node in nodes]
                for one in range(4):
                    for two in range(one):
                        round_of.setdefault(frozenset((new[one], new[two])), set()).add(fresh)

    halve.next = len(tets)
    waiting = sorted(tets)
    while waiting and len(tets) < cells:
        for number in waiting:
            if number in tets and len(tets) < cells and is_wanted(tets[number]):
                halve(longest(tets[number]))
        waiting = sorted(number for number, nodes in tets.items() if is_wanted(nodes))
    mesh.cells = [(TET, tets[number]) for number in sorted(tets)]


def disc(mesh, cells, chance):
    """Rings of quads at the rim of a disc, thin ones, and rings of triangles within whose number falls towards the middle."""
    rings = max(6, round((cells / 4.6) ** 0.5))
    rim = rings // 4
    around = 6 * (rings - rim)

    def node(ring, i, count, radius):
        angle = 2 * math.pi * (i % count + 0.3 * (chance.random() - 0.5)) / count
        return mesh.node((ring, i % count), (radius * math.cos(angle), radius * math.sin(angle), 0)) \
            if (ring, i % count) not in mesh.number else mesh.number[ring, i % count]

    radius = lambda ring: ring / (rings - rim) if ring <= rings - rim else 1 + 0.01 * (ring - rings + rim) ** 1.2 / rings
    count = lambda ring: max(1, 6 * ring) if ring <= rings - rim else around
    for ring in range(rings):
        inner, outer = count(ring), count(ring + 1)
        i = j = 0
        while (i < inner and ring > 0) or j < outer:
            a, c = node(ring, i, inner, radius(ring)), node(ring + 1, j, outer, radius(ring + 1))
            if ring >= rings - rim:
                mesh.cells.append((QUAD, [a, node(ring, i + 1, inner, radius(ring)), node(ring + 1, j + 1, outer, radius(ring + 1)), c]))
                i, j = i + 1, j + 1
            elif ring == 0 or (j + 1) * inner <= (i + 1) * outer and j < outer:
                mesh.cells.append((TRI, [a, c, node(ring + 1, j + 1, outer, radius(ring + 1))]))
                j += 1
            else:
                mesh.cells.append((TRI, [a, node(ring, i + 1, inner, radius(ring)), c]))
                i += 1


KINDS_THIRD = {"flips": flips, "bisected tets": bisected_tets, "disc": disc}
