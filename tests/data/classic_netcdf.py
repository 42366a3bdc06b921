# SPDX-License-Identifier: Apache-2.0
"""Writes classic netCDF files (CDF-1, -2 and -5) byte by byte, after the specification in the NetCDF
Users' Guide, "NetCDF Classic Format Specification"."""
import struct

# tag in the file, code of struct
TYPES = {"byte": (1, "b"), "char": (2, "s"), "short": (3, "h"), "int": (4, "i"), "float": (5, "f"), "double": (6, "d"),
         "ubyte": (7, "B"), "ushort": (8, "H"), "uint": (9, "I"), "int64": (10, "q"), "uint64": (11, "Q")}


def padded(data):
    return data + bytes(-len(data) % 4)


class Writer:
    def __init__(self, version):
        self.version = version

    def count(self, n):
        return struct.pack(">q" if self.version == 5 else ">i", n)

    def name(self, text):
        text = text.encode("ascii")
        return self.count(len(text)) + padded(text)

    def values(self, kind, values):
        code = TYPES[kind][1]
        if code == "s":
            return values.encode("ascii") if isinstance(values, str) else values
        return struct.pack(f">{len(values)}{code}", *values)

    def attribute(self, name, value):
        kind, value = value if isinstance(value, tuple) else \
            ("char", value) if isinstance(value, str) else \
            ("double", [value]) if isinstance(value, float) else ("int", [value])
        return self.name(name) + struct.pack(">i", TYPES[kind][0]) + self.count(len(value)) + \
            padded(self.values(kind, value))

    def listing(self, tag, items):
        if not items:
            return bytes(4) + self.count(0)
        return struct.pack(">i", tag) + self.count(len(items)) + b"".join(items)

    def attributes(self, of):
        return self.listing(12, [self.attribute(*item) for item in of.items()])


def classic(dimensions, variables, attributes=None, version=2):
    """dimensions: {name: length}; variables: [(name, type, [dimension], {attribute: value}, values)], an
    attribute's value a text, a number or (type, values)."""
    w, names = Writer(version), list(dimensions)
    data = [w.values(kind, values) for _, kind, _, _, values in variables]

    def header(begin):
        entries = []
        for (name, kind, of, more, _), content in zip(variables, data):
            size = len(content) + -len(content) % 4
            entries.append(w.name(name) + w.count(len(of)) + b"".join(w.count(names.index(d)) for d in of) +
                           w.attributes(more) + struct.pack(">i", TYPES[kind][0]) + w.count(size) +
                           struct.pack(">i" if version == 1 else ">q", begin))
            begin += size
        return (b"CDF" + bytes([version]) + w.count(0) +
                w.listing(10, [w.name(n) + w.count(length) for n, length in dimensions.items()]) +
                w.attributes(attributes or {}) + w.listing(11, entries))

    return header(len(header(0))) + b"".join(padded(content) for content in data)
