# SPDX-License-Identifier: Apache-2.0
"""Graphs of METIS and SCOTCH, METIS's meshes and Matrix Market files, after their manuals."""
from fixture import in_folder

# a square with one diagonal, and a node by itself:  1-2-3-4-1, 1-3; 5
GRAPH = "5 5\n2 3 4\n1 3\n1 2 4\n1 3\n\n"
HOLDS = "nodes 5, edges 5, edges_nodes 2"
MESH = "3\n1 2 5 4\n2 3 6 5\n4 5 8 7\n"
MESH_HOLDS = "cells 3, nodes 8, cells_nodes 4"
NOWHERE = "found when all is read; the line is that of the row"


def swap(text):
    def of(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)
    return of


def metis():
    yield ("good-square.graph", GRAPH, HOLDS)
    yield ("good-comments.graph", "% a square\n\n" + GRAPH.replace("1 2 4", "% row 3\n1 2 4") + "% end\n\n", HOLDS,
           "good-square.graph")
    yield ("good-turned-rows.graph", GRAPH.replace("2 3 4\n", "4 2 3  \r\n"), HOLDS, "good-square.graph")
    yield ("good-edge-weights.graph", "5 5 001\n2 7 3 7 4 7\n1 7 3 7\n1 7 2 7 4 7\n1 7 3 7\n\n", HOLDS,
           "good-square.graph")
    yield ("good-weights.graph", "5 5 111 2\n9 1 2 2 7 3 7 4 7\n9 1 2 1 7 3 7\n9 1 2 1 7 2 7 4 7\n9 1 2 1 7 3 7\n"
           "9 1 2\n", HOLDS, "good-square.graph")
    yield ("good-sizes.graph", "5 5 100\n9 2 3 4\n9 1 3\n9 1 2 4\n9 1 3\n9\n", HOLDS, "good-square.graph")
    yield ("good-no-last-line-end.graph", "3 2\n2\n1 3\n2", "nodes 3, edges 2, edges_nodes 2")
    yield ("good-empty.graph", "0 0\n", "nodes 0, edges 0, edges_nodes 2")
    graph = swap(GRAPH)
    yield graph("bad-word.graph", "1 2 4\n", "1 two 4\n", ":4: expected a neighbour, found 'two'")
    yield graph("bad-loop.graph", "1 2 4\n", "1 3 2 4\n", ":4: node 3 is its own neighbour")
    yield graph("bad-range.graph", "1 2 4\n", "1 2 6\n", ":4: neighbour 6 is out of range: there are 5 nodes")
    yield graph("bad-zero.graph", "1 2 4\n", "0 1 2 4\n", ":4: neighbour 0 is out of range")
    yield graph("bad-one-way.graph", "1 2 4\n", "1 2\n", ":5: node 4 has node 3 as a neighbour, but not vice versa")
    yield graph("bad-one-way-later.graph", "1 2 4\n1 3\n", "1 2 4\n1\n",
                ":4: node 3 has node 4 as a neighbour, but not vice versa")
    yield graph("bad-skipped.graph", "\n1 3\n1 2 4\n", "\n1\n1 2 4\n",
                ":4: node 3 has node 2 as a neighbour, but not vice versa")
    yield graph("bad-passed.graph", "\n1 3\n1 2 4\n", "\n3\n1 2 4\n", ":2: node 1 has node 2 as a neighbour")
    yield graph("bad-twice.graph", "2 3 4", "2 3 3 4", ":2: node 1 has node 3 twice as a neighbour")
    yield graph("bad-twice-later.graph", "1 2 4\n", "1 1 2 4\n", ":4: node 3 has node 1 twice as a neighbour")
    yield graph("bad-fewer-edges.graph", "5 5", "5 6", ":7: there are 5 edges, the header counts 6")
    yield graph("bad-more-edges.graph", "5 5", "5 4", ":4: there are more edges than the 4 that the header counts")
    yield graph("bad-huge.graph", "5 5", "2000000000 5",
                ":1: 2000000000 nodes and 5 edges are more than the file can hold")
    yield graph("bad-huge-edges.graph", "5 5", "5 2000000000", ":1: 5 nodes and 2000000000 edges are more than")
    yield graph("bad-flags.graph", "5 5\n", "5 5 12\n", ":1: the third number of the header is 12")
    yield graph("bad-header.graph", "5 5\n", "5\n", ":1: the header has no number of edges")
    yield graph("bad-long-header.graph", "5 5\n", "5 5 0 1 1\n", ":1: the header has more than 4 numbers")
    yield graph("bad-negative.graph", "5 5\n", "5 -5\n", ":1: expected a number of the header, found -5")
    yield graph("bad-no-weight.graph", "5 5\n", "5 5 1\n", ":2: the line ends before its last weight")
    yield ("bad-longer.graph", GRAPH + "1 2\n", ":7: the file continues after the 5 nodes of its header")
    yield ("bad-truncated.graph", "5 2\n2  \n1  \n", ":4: the file ends after 2 of 5 nodes")

    yield ("good-quads.mesh", MESH, MESH_HOLDS)
    yield ("good-weights.mesh", "% weights\n3 1\n7 1 2 5 4\n7 2 3 6 5\n% last\n7 4 5 8 7", MESH_HOLDS, "good-quads.mesh")
    yield ("good-mixed.mesh", "3\n1 2 5 4\n2 3 5\n4 5 8 7\n", "cells 3, nodes 8, cells_nodes ragged")
    mesh = swap(MESH)
    yield mesh("bad-word.mesh", "2 3 6 5", "2 x 6 5", ":3: expected a node of an element, found 'x'")
    yield mesh("bad-zero.mesh", "2 3 6 5", "2 0 6 5", ":3: 0 is not a node; nodes are numbered from 1")
    yield mesh("bad-large.mesh", "2 3 6 5", "2 3000000000 6 5", ":3: 3000000000 is not a node")
    yield mesh("bad-empty-element.mesh", "2 3 6 5", "", ":3: element 2 has no nodes")
    yield mesh("bad-fewer.mesh", "3\n1", "4\n1", ":5: the file ends after 3 of 4 elements")
    yield mesh("bad-more.mesh", "3\n1", "2\n1", ":4: the file continues after the 2 elements of its header")
    yield mesh("bad-huge.mesh", "3\n1", "2000000000\n1", ":1: 2000000000 elements are more than the file can hold")
    yield mesh("bad-header.mesh", "3\n1", "3 0 1\n1", ":1: the header must be the number of elements and of their")
    yield ("bad-no-elements.mesh", "0\n", ":1: the file has no elements")


SCOTCH = "0\n5 10\n1 000\n3 2 3 4\n2 1 3\n3 1 2 4\n2 1 3\n0\n"


def scotch():
    first = "good-square.grf"
    yield (first, SCOTCH, HOLDS)
    yield ("good-from-0.grf", "0\n5 10\n0 000\n3 1 2 3\n2 0 2\n3 0 1 3\n2 0 2\n0\n", HOLDS, first)
    yield ("good-from-100000.grf", "0\n5 10\n100000 000\n3 100001 100002 100003\n2 100000 100002\n3 100000 100001 100003\n"
           "2 100000 100002\n0\n", HOLDS, first)
    yield ("good-from-largest.grf", "0\n5 10\n2147483647 000\n3 2147483648 2147483649 2147483650\n2 2147483647 2147483649\n"
           "3 2147483647 2147483648 2147483650\n2 2147483647 2147483649\n0\n", HOLDS, first)
    yield ("good-one-line.grf", SCOTCH.replace("\n", " \t"), HOLDS, first)
    yield ("good-weights.grf", "0\n5 10\n1 011\n9 3 7 2 7 3 7 4\n9 2 7 1 7 3\n9 3 7 1 7 2 7 4\n9 2 7 1 7 3\n9 0\n",
           HOLDS, first)
    yield ("good-labels.grf", "0\n5 10\n0 100\n50 3 -2 300 4\n-2 2 50 300\n300 3 50 -2 4\n4 2 50 300\n5 0\n", HOLDS,
           first)
    yield ("good-all.grf", "0\n5 10\n0 111\n50 9 3 7 -2 7 300 7 4\n-2 9 2 7 50 7 300\n300 9 3 7 50 7 -2 7 4\n"
           "4 9 2 7 50 7 300\n5 9 0\n", HOLDS, first)
    bad = swap(SCOTCH)
    yield bad("bad-word.grf", "3 1 2 4", "3 1 x 4", ":6: expected the end of an arc, found 'x'")
    yield bad("bad-loop.grf", "3 1 2 4", "3 1 3 4", ":6: node 3 is its own neighbour")
    yield bad("bad-range.grf", "3 1 2 4", "3 1 2 6", ":6: neighbour 6 is out of range")
    yield bad("bad-one-way.grf", "3 1 2 4", "2 1 2", ":7: node 4 has node 3 as a neighbour, but not vice versa")
    yield bad("bad-degree.grf", "3 1 2 4", "-3 1 2 4", ":6: expected the number of a vertex's arcs, found -3")
    yield bad("bad-truncated.grf", "2 1 3\n0\n", "9 1 3\n", ":8: expected the end of an arc, found the end of the file")
    yield bad("bad-fewer-arcs.grf", "5 10", "5 12", ":9: there are 5 edges, the header counts 6")
    yield bad("bad-odd.grf", "5 10", "5 9", ":2: the number of arcs must be even, not 9")
    yield bad("bad-huge.grf", "5 10", "2000000000 10", ":2: 2000000000 vertices and 10 arcs are more than the file can")
    yield bad("bad-flags.grf", "1 000", "1 021", ":3: the flags are 21, but must be three digits, each 0 or 1")
    yield ("bad-longer.grf", SCOTCH + "0\n", ":9: the file continues after its 5 vertices")
    yield ("bad-label.grf", "0\n2 2\n0 100\n7 1 8\n9 1 7\n", ":4: no vertex has the label 8")
    yield ("bad-label-twice.grf", "0\n2 2\n0 100\n7 1 7\n7 1 7\n", "two vertices have the label 7",
           "found when all labels are sorted")
    yield bad("unsupported-base.grf", "1 000", "3000000000 000", ":3: vertices are numbered from 3000000000, which is beyond")
    yield ("unsupported-distributed.grf", "2\n1 0\n", ":1: version 2 of SCOTCH graphs is not supported, only version 0")


MATRIX = """%%MatrixMarket matrix coordinate real symmetric
% a stiffness matrix
5 5 10
1 1 4.0
2 1 -1
3 1 -1e0
4 1 -1
2 2 2
3 2 -1
3 3 3
4 3 -1
4 4 2
5 5 1
"""
GENERAL = """%%MatrixMarket matrix coordinate pattern general
3 4 5
1 2
1 4
3 1
1 4
3 3
"""


def matrix():
    first = "good-stiffness.mtx"
    yield (first, MATRIX, HOLDS)
    yield ("good-banner.mtx", MATRIX.replace("real symmetric", "REAL Symmetric").replace("\n", "\r\n"), HOLDS, first)
    yield ("good-general.mtx", "%%MatrixMarket matrix coordinate integer general\n\n5 5 7\n2 1 1\n1 2 1\n1 3 1\n"
           "\n1 4 0\n2 3 5\n4 3 1\n5 5 1\n", HOLDS, first)
    yield ("good-complex.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n5 5 5\n2 1 1 0\n3 1 1 0\n4 1 1 2\n"
           "3 2 1 0\n4 3 1 1", HOLDS, first)
    yield ("good-skew.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n5 5 5\n2 1 1\n3 1 1\n4 1 1\n3 2 1\n"
           "4 3 1\n", HOLDS, first)
    yield ("good-rectangular.mtx", GENERAL, "rows 3, columns 4, rows_columns ragged")
    yield ("good-empty.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 0\n", "nodes 4, edges 0, edges_nodes 2")
    bad = swap(MATRIX)
    yield bad("bad-word.mtx", "3 2 -1", "3 two -1", ":9: expected the column of an entry, found 'two'")
    yield bad("bad-value.mtx", "3 2 -1", "3 2 x", ":9: expected the value of an entry, found 'x'")
    yield bad("bad-row.mtx", "3 2 -1", "6 2 -1", ":9: row 6 is not in [1, 5]")
    yield bad("bad-column.mtx", "3 2 -1", "3 0 -1", ":9: column 0 is not in [1, 5]")
    yield bad("bad-two-lines.mtx", "3 2 -1", "3 2\n-1", ":10: an entry must be a line of 3 numbers")
    yield bad("bad-long-line.mtx", "3 2 -1", "3 2 -1 0", ":9: an entry must be a line of 3 numbers")
    yield bad("bad-fewer.mtx", "5 5 10", "5 5 11", ":14: expected the row of an entry, found the end of the file")
    yield bad("bad-more.mtx", "5 5 10", "5 5 9", ":13: the file continues after its 9 entries")
    yield bad("bad-huge.mtx", "5 5 10", "5 5 2000000000", ":3: 2000000000 entries are more than the file can hold")
    yield bad("bad-symmetric.mtx", "5 5 10", "5 6 10", ":3: a symmetric matrix cannot have 5 rows and 6 columns")
    yield bad("bad-negative.mtx", "5 5 10", "5 5 -10", ":3: the number of entries is -10")
    yield bad("bad-field.mtx", "real", "rational", ":1: 'rational' is not a field of a matrix")
    yield bad("bad-symmetry.mtx", " symmetric", "", ":1: '' is not a symmetry of a matrix")
    yield bad("bad-sizes.mtx", "5 5 10\n", "5 5\n\n", ":3: expected the number of entries, found the end of the line")
    yield bad("unsupported-array.mtx", "coordinate", "array", ":1: an array (dense matrix) has no sparsity pattern")
    yield bad("unsupported-vector.mtx", " matrix c", " vector c", ":1: the object is a vector, not a matrix")
    yield bad("unsupported-empty-rows.mtx", "5 5 10", "100000 100000 10", ":3: most of the 100000 rows or 100000 columns are empty")
    yield bad("unsupported-large.mtx", "5 5 10", "3000000000 5 10", ":3: 3000000000 rows, 5 columns and 10 entries")


def fixtures(_):
    yield from in_folder("metis", metis())
    yield from in_folder("scotch", scotch())
    yield from in_folder("mtx", matrix())
