# SPDX-License-Identifier: Apache-2.0
"""Mapping tables as .npy files and as text.

The headers are written here, after the description in numpy.lib.format, not by numpy."""
import struct

from fixture import in_folder

VALUES = [0, 1, 1, 2, 2, 3, 3, 4, 4, 0]  # the edges of a ring of five cells
RING = "elements 5, points 5, elements_points 2"
FIRST = "good-i4.npy"


def npy(descr, fortran, shape, values, version=1, head=None):
    """The bytes of an array; head: what stands in place of the usual header."""
    if head is None:
        extents = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({extents}), }}"
    prefix = 10 if version == 1 else 12
    head += " " * (-(prefix + len(head) + 1) % 64) + "\n"
    start = b"\x93NUMPY" + bytes([version, 0])
    start += struct.pack("<H" if version == 1 else "<I", len(head))
    if fortran and len(shape) == 2:
        rows, cols = shape
        values = [values[r * cols + c] for c in range(cols) for r in range(rows)]
    code = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
            "f4": "f", "f8": "d"}[descr[1:]]
    order = ">" if descr[0] == ">" else "<"
    return start + head.encode("ascii") + struct.pack(f"{order}{len(values)}{code}", *values)


def npy_good():
    for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        for order, word in (("|", ""),) if kind[1] == "1" else (("<", ""), (">", "-big-endian")):
            for fortran in (False, True):
                name = f"good-{kind}{word}{'-fortran' if fortran else ''}.npy"
                yield (name, npy(order + kind, fortran, (5, 2), VALUES), RING, FIRST)
    for version in (2, 3):
        yield (f"good-version-{version}.npy", npy("<i4", False, (5, 2), VALUES, version), RING, FIRST)
    yield ("good-header-order.npy",
           npy("<i4", False, (5, 2), VALUES, 1,
               '{"shape":(5,2),"descr":"<i4","fortran_order":False}'), RING, FIRST)
    yield ("good-python-2.npy",
           npy("<i8", False, (5, 2), VALUES, 1,
               "{'descr': '<i8', 'fortran_order': False, 'shape': (5L, 2L), }"),
           RING, FIRST)
    yield ("good-list.npy", npy("<i4", False, (5,), VALUES[::2]), "elements 5, points 5, elements_points 1")
    yield ("good-empty.npy", npy("<i4", False, (0, 2), []), "elements 0, points 0, elements_points 2")
    yield ("good-edges_cells.npy", npy("<i4", False, (5, 2), VALUES),
           "good-edges 5, cells 5, good-edges_cells 2", FIRST)


def npy_bad():
    whole = npy("<i4", False, (5, 2), VALUES)
    header = len(whole) - 40

    def head(text):
        return npy("<i4", False, (5, 2), VALUES, 1, text)

    yield ("bad-truncated.npy", whole[:-1],
           f": byte {header}: the file ends before its last number: it has 39 bytes")
    yield ("bad-longer.npy", whole + b"\0", f": byte {len(whole)}: 1 bytes follow the last number")
    yield ("bad-truncated-magic.npy", whole[:7], ": byte 6: the file ends within its first line")
    yield ("bad-truncated-length.npy", whole[:6] + b"\2\0\1\1",
           ": byte 8: the file ends within its first line")
    yield ("bad-truncated-header.npy", whole[:60], ": byte 8: the header is longer than the file")
    for name, text, says in (
            ("no-dictionary", "[1, 2]", "10: the header is not a dictionary"),
            ("unknown-key", "{'descr': '<i4', 'order': 'C'}", "27: the header has an unknown key"),
            ("key-twice", "{'descr': '<i4', 'descr': '<i4'}", "27: the header has a key twice"),
            ("missing-key", "{'descr': '<i4', 'shape': (5, 2)}",
             "43: the header must have descr, fortran_order and shape"),
            ("no-colon", "{'descr' '<i4'}", "19: a colon is missing in the header"),
            ("no-comma", "{'descr': '<i4' 'shape': (5, 2)}", "26: a comma is missing in the header"),
            ("no-boolean", "{'fortran_order': 0}", "28: fortran_order must be True or False"),
            ("no-tuple", "{'shape': 5}", "20: the shape is not a tuple"),
            ("no-number", "{'shape': (5, x)}", "24: a number is missing in the shape"),
            ("negative", "{'shape': (-5, 2)}", "21: a number is missing in the shape"),
            ("number-for-tuple", "{'shape': (5)}", "23: the shape is a number, not a tuple"),
            ("no-quote", "{'descr: 1}", "27: the header has an unknown quoted word"),
            ("rest", "{'descr': '<i4', 'fortran_order': False, 'shape': (5, 2)} rest",
             "68: the header continues after its dictionary"),
            ("overflow", "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999, 2)}",
             "79: the shape is larger than any file"),
            ("huge", "{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
             "128: the file ends before its last number")):
        yield (f"bad-header-{name}.npy", head(text), f": byte {says}")
    minus = VALUES[:-1] + [-2]
    yield ("bad-minus.npy", npy("<i4", True, (5, 2), minus),
           ": row 5, column 2: -2 is out of range: set 'points' is numbered from 0")
    yield ("bad-large.npy", npy(">u4", False, (5, 2), VALUES[:-1] + [2**32 - 1]),
           ": row 5, column 2: 4294967295 is out of range: a set must have fewer than 2^31 members")
    yield ("bad-larger.npy", npy("<u8", False, (5, 2), VALUES[:-1] + [2**63]),
           ": a number of 2^63 or more follows")
    yield ("bad-real.npy", npy("<f8", True, (5, 2), VALUES[:-1] + [0.5]),
           ": row 5, column 2: 0.5 is not a member of a set; the entries of a mapping table must be whole numbers")
    yield ("bad-nan.npy", npy("<f4", False, (5, 2), [float("nan")] + VALUES[1:]),
           ": row 1, column 1: nan is not a member of a set")
    yield ("bad-no-columns.npy", npy("<i4", False, (5, 0), []), ": the rows of the table are empty",
           "the table has no entry that could be named")


def npy_unsupported():
    def of_type(descr):
        return npy("<i4", False, (5, 2), VALUES, 1,
                   f"{{'descr': {descr}, 'fortran_order': False, 'shape': (5, 2), }}")

    yield ("unsupported-version.npy", npy("<i4", False, (5, 2), VALUES, 4),
           ": byte 6: .npy version 4.0 is not supported, only 1.0, 2.0 and 3.0")
    for word, descr in (("half", "<f2"), ("quad", "<f16"), ("complex", "<c8"), ("boolean", "|b1"),
                        ("text", "<U4"),
                        ("object", "|O"), ("time", "<M8[s]"), ("native", "=i4"), ("order", "|i4")):
        yield (f"unsupported-{word}.npy", of_type(f"'{descr}'"),
               f": byte 20: numbers of type '{descr}' are not supported")
    yield ("unsupported-records.npy", of_type("[('a', '<i4')]"),
           ": byte 20: an array of records is not supported")
    yield ("unsupported-cube.npy", npy("<i4", False, (5, 2, 1), VALUES),
           ": byte 128: an array of 3 dimensions is not a table")
    yield ("unsupported-number.npy", npy("<i4", False, (), [7]),
           ": byte 128: an array of 0 dimensions is not a table")
    yield ("unsupported-dimensions.npy", npy("<i4", False, (1,) * 40, [7]), ": arrays of more than")


def text():
    rows = "0 1\n1 2\n2 3\n3 4\n4 0\n"
    first = "good-blanks.txt"
    yield (first, rows, RING)
    yield ("good-tabs.txt", rows.replace(" ", "\t  "), RING, first)
    yield ("good-commas.csv", rows.replace(" ", ","), RING, first)
    yield ("good-heading.csv", "from,to\n" + rows.replace(" ", " , "), RING, first)
    yield ("good-quotes.csv", '"first cell","second"\n' + rows.replace(" ", ","), RING, first)
    yield ("good-comments.txt", "# a ring\n% of cells\n\n" + rows.replace("2 3", "2 3 # here"), RING, first)
    yield ("good-crlf.txt", rows.replace("\n", "\r\n"), RING, first)
    yield ("good-no-last-line-end.txt", rows[:-1], RING, first)
    yield ("good-mark.csv", b"\xef\xbb\xbf" + rows.replace(" ", ",").encode("ascii"), RING, first)
    yield ("good-signs.txt", rows.replace("4 0", "+4 -0"), RING, first)
    yield ("good-zeros.txt", rows.replace("4 0", "000000000000000000000004 00"), RING, first)
    yield ("good-reals.txt", rows.replace("4 0", "4.0e0 0.0").replace("2 3", "20e-1 3."), RING, first)
    yield ("good-ragged.txt", "0\n0 1\n1 2 3\n3\n", "elements 4, points 4, elements_points ragged")
    yield ("good-one.map", "0\n", "elements 1, points 1, elements_points 1")

    def swap(name, after, says):
        return (name, rows.replace("2 3", after), says)

    yield swap("bad-word.txt", "2 three", ":3: expected a number, found 'three'")
    yield swap("bad-glued.txt", "2 3x", ":3: expected a number, found '3x'")
    yield swap("bad-empty-column.csv", "2,,3", ":3: column 2 is empty")
    yield swap("bad-last-column.csv", "2,", ":3: column 2 is empty")
    yield swap("bad-first-column.csv", ",3", ":3: column 1 is empty")
    yield ("bad-second-heading.csv", "a,b\nc,d\n" + rows, ":2: expected a number, found 'c'")
    yield ("bad-control.txt", b"0 1\n1 \x01\x02\n", ":2: expected a number, found '??'")
    yield ("bad-long-word.txt", "0 1\n1 " + "y" * 90 + "\n",
           ":2: expected a number, found '" + "y" * 40 + "...'")
    yield ("bad-comments.txt", "# nothing\n% at all\n", ":3: the file holds no numbers")
    yield swap("bad-minus.txt", "2 -3",
               ": row 3, column 2: -3 is out of range: set 'points' is numbered from 0")
    yield swap("bad-large.txt", "2 2147483647",
               ": row 3, column 2: 2147483647 is out of range: a set must have fewer than 2^31 members")
    yield swap("bad-larger.txt", "2 9000000000000000000",
               ": row 3, column 2: 9000000000000000000 is out of range")
    yield swap("bad-real.txt", "2 3.5", ": row 3, column 2: 3.5 is not a member of a set")
    yield swap("bad-infinite.txt", "2 1e999", ": row 3, column 2: inf is not a member of a set")
    yield ("bad-ragged-minus.txt", "0\n0 1\n1 2 -3\n", ": row 3, column 3: -3 is out of range")


def fixtures(_):
    yield from in_folder("npy", [*npy_good(), *npy_bad(), *npy_unsupported()])
    yield from in_folder("text", text())
