# SPDX-License-Identifier: Apache-2.0
"""NumPy's archives: ZIP files after PKWARE's APPNOTE.TXT, written here byte by byte."""
import struct
import zlib

from fixture import in_folder
from fixtures_meshes import fixed, stored
from fixtures_tables import npy

EDGES = npy("<i8", False, (5, 2), [0, 1, 1, 2, 2, 3, 3, 0, 0, 2])
CELLS = npy("<i4", False, (2, 3), [0, 1, 2, 0, 2, 3])
PLACES = npy("<f8", False, (4, 2), [0, 0, 1, 0, 1, 1, 0, 1])
HOLDS = "edges 5, nodes 4, cells 2, edges_nodes 2, cells_nodes 3"
ONES = 0xFFFFFFFF


def member(name, content, how=None, large=False, crc=None, method=None, flags=0, size=None):
    packed = how(content) if how else content
    return {"name": name.encode("ascii"), "packed": packed, "large": large, "flags": flags,
            "size": len(content) if size is None else size, "crc": zlib.crc32(content) if crc is None else crc,
            "method": method if method is not None else 8 if how else 0}


def archive(*members, large=False, comment=b"", entries=None, disk=0):
    """large: the directory's end with 64-bit numbers; a member's own `large` writes its sizes so."""
    body, directory = b"", b""
    for m in members:
        header = len(body)
        extra = struct.pack("<HHQQ", 1, 16, m["size"], len(m["packed"])) if m["large"] else b""
        sizes = (ONES, ONES) if m["large"] else (len(m["packed"]), m["size"])
        common = struct.pack("<HHHHIII", m["flags"], m["method"], 0, 0x21, m["crc"], *sizes)
        body += b"PK\3\4" + struct.pack("<H", 20) + common + struct.pack("<HH", len(m["name"]), len(extra))
        body += m["name"] + extra + m["packed"]
        if m["large"]:
            extra = struct.pack("<HHHHH", 0x9999, 2, 7, 1, 24) + struct.pack("<QQQ", m["size"], len(m["packed"]), header)
        directory += b"PK\1\2" + struct.pack("<HH", 20, 20) + common + struct.pack(
            "<HHHHHII", len(m["name"]), len(extra), 0, 0, 0, 0, ONES if m["large"] else header)
        directory += m["name"] + extra
    n = len(members) if entries is None else entries
    end = b""
    if large:
        at = len(body) + len(directory)
        end = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, disk, 0, n, n, len(directory), len(body))
        end += b"PK\6\7" + struct.pack("<IQI", 0, at, 1)
        tail = struct.pack("<HHHHII", 0, 0, 0xFFFF, 0xFFFF, ONES, ONES)
    else:
        tail = struct.pack("<HHHHII", disk, 0, n, n, len(directory), len(body))
    return body + directory + end + b"PK\5\6" + tail + struct.pack("<H", len(comment)) + comment


def parts(**how):
    return [member("edges_nodes.npy", EDGES, **how), member("cells_nodes.npy", CELLS, **how),
            member("coordinates.npy", PLACES, **how)]


def good():
    first = "good-stored.npz"
    yield (first, archive(*parts()), HOLDS)
    yield ("good-fixed.npz", archive(*parts(how=fixed)), HOLDS, first)
    yield ("good-blocks.npz", archive(*parts(how=stored)), HOLDS, first)
    yield ("good-large.npz", archive(*parts(large=True), large=True), HOLDS, first)
    yield ("good-streamed.npz", archive(*parts(large=True, how=fixed, flags=8)), HOLDS, first)
    yield ("good-comment.npz", archive(*parts(), comment=b"a square PK\5\6 of two triangles"), HOLDS, first)
    yield ("good-others.npz", archive(*parts(), member("name.npy", npy("<i4", False, (), [7])),
           member("text.npy", npy("<i4", False, (1,), [7], 1, "{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }")),
           member("velocity.npy", PLACES), member("read me.txt", b"hello")), HOLDS, first)
    yield ("good-ragged.npz", archive(member("cells_nodes.npy", npy("<i4", False, (7,), [0, 1, 2, 0, 2, 3, 4])),
           member("cells_nodes_offsets.npy", npy("<i8", False, (4,), [0, 3, 3, 7]))),
           "cells 3, nodes 5, cells_nodes ragged")
    yield ("good-larger-set.npz", archive(member("edges_nodes.npy", EDGES), member("nodes_xyz.npy",
           npy("<f4", False, (6, 3), [0] * 18))), "edges 5, nodes 6, edges_nodes 2")
    yield ("good-two-sizes.npz", archive(member("edges_nodes.npy", npy("<i4", False, (1, 2), [0, 1])),
           member("cells_nodes.npy", CELLS)), "edges 1, nodes 4, cells 2, edges_nodes 2, cells_nodes 3")
    yield ("good-triangles.npz", archive(member("triangles.npy", CELLS), member("x.npy", PLACES)),
           "triangles 2, points 4, triangles 3")
    yield ("good-edges_cells.npz", archive(member("arr_0.npy", EDGES)), "good-edges 5, cells 4, good-edges_cells 2")


def bad():
    whole = archive(*parts())
    names = ("edges_nodes.npy", "cells_nodes.npy")

    def one(**how):
        return archive(member("edges_nodes.npy", EDGES, **how))

    yield ("bad-truncated.npz", whole[:-1], f": byte {len(whole) - 1}: the archive ends within its directory")
    yield ("bad-checksum.npz", one(crc=1), ": byte 0: the checksum of member edges_nodes.npy is wrong")
    yield ("bad-packed-checksum.npz", one(crc=1, how=fixed), ": byte 0: the checksum of member edges_nodes.npy is wrong")
    yield ("bad-size.npz", one(size=7), ": byte 0: the two sizes of a stored member differ")
    yield ("bad-packed-size.npz", one(size=7, how=fixed), ": the deflated data are damaged")
    yield ("bad-huge.npz", one(size=10**9), ": a member of the archive is larger than the archive")
    yield ("bad-many.npz", archive(*parts(), entries=1000), ": the directory of the archive is larger than the archive")
    yield ("bad-entry-mark.npz", whole.replace(b"PK\1\2", b"PK\1\3", 1), ": expected an entry of the archive's directory")
    yield ("bad-header.npz", b"PK\3\4" + one().replace(b"PK\3\4", b"PK\3\5", 1)[4:30] +
           one().replace(b"PK\3\4", b"PK\3\5", 1)[30:-6] + struct.pack("<I", 0xFFFFFF) + b"\0\0",
           ": the directory of the archive is larger than the archive")
    yield ("bad-block.npz", archive(member("edges_nodes.npy", EDGES, lambda c: b"\x07" + c, crc=0)),
           ": the deflated data are damaged")
    yield ("bad-twice.npz", archive(*parts(), member(names[0], EDGES)), ": a second member edges_nodes.npy")
    yield ("bad-array.npz", archive(member(names[0], EDGES[:-1])), ": edges_nodes.npy: byte 128: the file ends before its")
    yield ("bad-minus.npz", archive(member(names[0], npy("<i4", False, (1, 2), [0, -2]))),
           ": edges_nodes.npy: row 1, column 2: -2 is out of range")
    yield ("bad-range.npz", archive(member(names[0], EDGES), member("nodes_xyz.npy", PLACES[:-16].replace(
           b"(4, 2)", b"(3, 2)"))), ": edges_nodes.npy: row 3, column 2: 3 is out of range: set 'nodes' has 3 members")
    yield ("bad-offset.npz", archive(member("a_b.npy", npy("<i4", False, (3,), [0, 1, 2])), member(
           "a_b_offsets.npy", npy("<i4", False, (3,), [0, 5, 3]))), ": a_b_offsets.npy: row 3, column 1: the offset is 3")
    yield ("bad-last-offset.npz", archive(member("a_b.npy", npy("<i4", False, (3,), [0, 1, 2])), member(
           "a_b_offsets.npy", npy("<i4", False, (3,), [0, 1, 2]))), ": row 3, column 1: the last offset is 2, but a_b has 3")
    yield ("bad-nan.npz", archive(member(names[0], EDGES), member("nodes_xyz.npy", PLACES[:-8] + struct.pack(
           "<d", float("nan")))), "nodes: coordinate 1 of member 3 is not a number", "the member is named")
    yield ("bad-no-map.npz", archive(member("x.npy", PLACES)), "the archive has no mapping table",
           "what is missing stands nowhere")
    yield ("bad-empty.npz", archive(), "the archive has no mapping table", "what is missing stands nowhere")


def unsupported():
    yield ("unsupported-method.npz", archive(member("edges_nodes.npy", EDGES, method=12)),
           ": byte 0: a member is compressed by a method other than deflate")
    yield ("unsupported-secret.npz", archive(member("edges_nodes.npy", EDGES, flags=1)), ": byte 0: a member is encrypted")
    yield ("unsupported-parts.npz", archive(*parts(), disk=1), ": archives split into several files are not supported")
    yield ("unsupported-members.npz", archive(*[member(f"{i}", b"") for i in range(1001)]),
           ": the archive has 1001 members, but at most 1000 are supported")


def fixtures(_):
    yield from in_folder("npz", [*good(), *bad(), *unsupported()])
