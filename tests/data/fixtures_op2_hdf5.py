# SPDX-License-Identifier: Apache-2.0
"""OP2's HDF5 files, which make_hdf5_fixtures.py makes: here is what they hold."""
import fixtures_meshes
from fixture import in_folder

NAMED = "the library tells no bytes: dataset and entry are named"


def hostile(ending):
    """Refused before a library follows what they say."""
    yield (f"unsupported-elsewhere.{ending}", None, "coord has its numbers in another file, which is not read")
    yield (f"unsupported-link.{ending}", None, "more is a link to another file, which is not followed")
    yield (f"unsupported-virtual.{ending}", None, "coord is a virtual dataset, which is not followed")
    for name in ("circle", "itself"):
        yield (f"bad-{name}.{ending}", None, "is a group that is reached by several links", NAMED)


def files():
    yield ("good-grid.h5", None, fixtures_meshes.GRID_HOLDS, "../op2/good-plate.dat")
    yield ("good-some.h5", None, "bedges 10, cells 6, edges 7, nodes 12, pbecell 1, pbedge 2, pecell 2, pedge 2")
    yield ("good-tables.h5", None, "links 4, parts 3, points 5, l2p 2, parts_links 2")
    yield ("good-arrows.h5", None, "bnodes 2, nodes 6, edges 4, bnode-->node 1, edge-->node 2")
    for name, says in (("cell", "dataset pecell: entry (2, 0) is -7, which is not an id"),
                       ("node", "map edges_nodes: entry 1 of row 1 is 12, out of range [-1, 12)"),
                       ("ids", "dataset links_points is a map, but no set has its ids"),
                       ("rows", "dataset l2p is a map, but none or several of the sets have as many members as it has rows"),
                       ("negative", "dataset l2p: entry (0, 0) is -2, which is not an id"),
                       ("size", "dataset points is not the size of a set"),
                       ("cut", "the HDF5 file cannot be opened: it is damaged or truncated")):
        yield (f"bad-{name}.h5", None, says, NAMED)
    yield from hostile("h5")


def fixtures(here):
    del here
    yield from in_folder("op2-hdf5", files())
