# SPDX-License-Identifier: Apache-2.0
"""OpenFOAM's polyMesh folders after its user guide, "Mesh description": text and binary, labels and scalars of both sizes.

A fixture is a folder here: its files by name. The mesh is a row of two hexahedra, on whose right end stands a prism, and
one with a pentagonal prism."""
import re
import struct

import fixtures_meshes
from fixture import in_folder

BANNER = """/*--------------------------------*- C++ -*----------------------------------*\\
| a banner * / as OpenFOAM writes it, // over lines                             |
\\*---------------------------------------------------------------------------*/
"""
POINTS = [[x, y, z] for x in (0, 1, 2) for z in (0, 1) for y in (0, 1)] + [[3, .5, 0], [3, .5, 1]]
# faces between cells first, in the order of their owners; then those of the patches
FACES = [[4, 5, 7, 6], [8, 9, 11, 10],
         [0, 2, 3, 1],
         [0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3],
         [4, 8, 10, 6], [5, 7, 11, 9], [4, 5, 9, 8], [6, 10, 11, 7],
         [8, 12, 13, 10], [9, 11, 13, 12], [8, 9, 12], [10, 13, 11]]
OWNER = [0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
NEIGHBOUR = [1, 2]
PATCHES = [("inlet", "patch", 1, []), ("walls", "wall", 8, ["wall", "hot"]), ("tip", "wall", 4, ["wall"])]
HOLDS = ("nodes 14, cells 3, faces 2, boundary_faces 13: 1 prism6, 2 hex8; "
         "inlet 1, walls 8, tip 4, hot 8, wall 12")

# a hexahedron and a pentagonal prism on its right
P_POINTS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
            [2, 0, 0], [3, .5, 0], [2, 1, 0], [2, 0, 1], [3, .5, 1], [2, 1, 1]]
P_FACES = [[1, 2, 6, 5], [0, 3, 2, 1], [0, 1, 5, 4], [0, 4, 7, 3], [2, 3, 7, 6], [4, 5, 6, 7],
           [1, 2, 10, 9, 8], [5, 11, 12, 13, 6], [1, 8, 11, 5], [8, 9, 12, 11], [9, 10, 13, 12], [10, 2, 6, 13]]
P_HOLDS = ("nodes 14, cells 2, faces 1, boundary_faces 11, cells_nodes ragged, faces_cells 2, faces_nodes 4, "
           "boundary_faces_cells 1, boundary_faces_nodes ragged")


def header(kind, name, form="ascii", arch=None, note=None):
    lines = [f"    format      {form};", f"    class       {kind};"]
    lines += [f'    arch        "{arch}";'] if arch else []
    lines += [f'    note        "{note}";'] if note else []
    return BANNER + "FoamFile\n{\n    version     2.0;\n" + "\n".join(lines) + f"\n    object      {name};\n}}\n// * * * //\n\n"


def listed(values):
    return f"{len(values)}\n(\n" + "\n".join(map(str, values)) + "\n)\n"


def text(points=POINTS, faces=FACES, owner=OWNER, neighbour=NEIGHBOUR, patches=PATCHES):
    """The five files as text."""
    end = "\n// **** //\n"
    boundary, start = "", len(neighbour)
    for name, kind, n, groups in patches:
        more = f"        inGroups        {len(groups)}({' '.join(groups)});\n" if groups else ""
        boundary += (f"    {name}\n    {{\n        type            {kind};\n{more}        nFaces          {n};\n"
                     f"        startFace       {start};\n    }}\n")
        start += n
    return {"points": header("vectorField", "points") + listed(["(%g %g %g)" % tuple(point) for point in points]) + end,
            "faces": header("faceList", "faces") +
                     listed([f"{len(face)}({' '.join(map(str, face))})" for face in faces]) + end,
            "owner": header("labelList", "owner", note="nPoints: 14 nCells: 3; // no comment") + listed(owner) + end,
            "neighbour": header("labelList", "neighbour") + listed(neighbour) + end,
            "boundary": header("polyBoundaryMesh", "boundary") + f"{len(patches)}\n(\n{boundary})\n" + end}


def binary(label=32, scalar=64, compact=True, arch=True, files=None, order="<"):
    """The same with binary numbers."""
    code, real = {32: "i", 64: "q"}[label], {32: "f", 64: "d"}[scalar]
    words = f"{'LSB' if order == '<' else 'MSB'};label={label};scalar={scalar}" if arch else None

    def raw(kind, values):
        return b"%d\n(" % (len(values)) + struct.pack("%s%d%s" % (order, len(values), kind), *values) + b")"

    def file(name, kind, data):
        return header(kind, name, "binary", words).encode("ascii") + data + b"\n\n// **** //\n"

    flat = [number for point in POINTS for number in point]
    points = raw(real, flat).replace(b"%d\n" % len(flat), b"%d\n" % len(POINTS), 1)
    if compact:
        starts = [sum(map(len, FACES[:f])) for f in range(len(FACES) + 1)]
        faces = raw(code, starts) + b"\n\n" + raw(code, [point for face in FACES for point in face])
    else:
        faces = b"%d\n(\n" % len(FACES) + b"\n".join(raw(code, face) for face in FACES) + b"\n)"
    made = text()
    made.update(points=file("points", "vectorField", points),
                faces=file("faces", "faceCompactList" if compact else "faceList", faces),
                owner=file("owner", "labelList", raw(code, OWNER)),
                neighbour=file("neighbour", "labelList", raw(code, NEIGHBOUR)),
                boundary=made["boundary"].replace("ascii", "binary", 1))
    made.update(files or {})
    return made


def changed(name, before, after, files=None, count=1):
    files = dict(files or text())
    before, after = (word.encode("latin-1") if isinstance(files[name], bytes) else word for word in (before, after))
    assert files[name].count(before) >= count, (name, before)
    files[name] = files[name].replace(before, after, count)
    return files


def without(*names):
    return {name: content for name, content in text().items() if name not in names}


def uncounted(files):
    """Lists without the number of their entries, as programs may write them."""
    made = {name: re.sub(r"(\n|^)\d+\n\(", r"\1(", content) for name, content in files.items()}
    return {**made, "faces": re.sub(r"\n\d\(", "\n(", made["faces"])}


# --- zones --------------------------------------------------------------------------------------------

ZONES = {"cellZones": [("left", [0, 1]), ("none", [])], "faceZones": [("baffle", [0, 2]), ("within", [1])],
         "pointZones": [("ends", [12, 0, 13])]}
ZONES_HOLD = HOLDS + ", left 2, none 0, baffle 1, baffle 1, within 1, ends 3"


def zones(of=ZONES, raw=None):
    """raw: of a list of labels, for binary files."""
    made = {}
    for name, listing in of.items():
        kind, form = name[:-1], "binary" if raw else "ascii"
        words = b"%d\n(\n" % len(listing)
        for zone, members in listing:
            words += b"%s\n{\n    type %s;\n    %sLabels List<label> " % (zone.encode(), kind.encode(), kind[:-4].encode())
            words += (raw(members) if raw else listed(members).encode()) + b";\n"
            if kind == "faceZone":
                flags = b"%d(%s)" % (len(members), b"\x01;}\x00"[:len(members)] if raw else b" ".join([b"1"] * len(members)))
                words += b"    flipMap List<bool> " + (flags if members else b"0()") + b";\n"
            words += b"}\n"
        made[name] = header("regIOobject", name, form, "LSB;label=32;scalar=64").encode() + words + b")\n\n// **** //\n"
    return made


# --- decomposed cases ---------------------------------------------------------------------------------

ADDRESSES = ("pointProcAddressing", "faceProcAddressing", "cellProcAddressing")


def decomposed(part_of, owner=OWNER, neighbour=NEIGHBOUR, patches=PATCHES, of=ZONES, cyclic=()):
    """The files of each part as decomposePar leaves them: part_of says for each cell which part it is in. Faces of the
    whole case's patches named in `cyclic` go to patches between parts that name them."""
    parts = []
    for part in range(max(part_of) + 1):
        cells = [c for c, p in enumerate(part_of) if p == part]
        cell = {c: i for i, c in enumerate(cells)}
        inner = [f for f in range(len(neighbour)) if owner[f] in cell and neighbour[f] in cell]
        kept, lists, start = [(f, 1) for f in inner], [], len(neighbour)
        for name, kind, n, groups in patches:
            own = [f for f in range(start, start + n) if owner[f] in cell]
            start += n
            lists.append((name, kind, 0 if name in cyclic else len(own), groups))
            kept += [] if name in cyclic else [(f, 1) for f in own]
        for other in range(max(part_of) + 1):
            between = [(f, 1 if owner[f] in cell else -1) for f in range(len(neighbour))
                       if {part_of[owner[f]], part_of[neighbour[f]]} == {part, other} and part != other]
            if between:
                lists.append((f"procBoundary{part}to{other}", "processor", len(between), ["processor"]))
                kept += between
        start = len(neighbour)
        for name, kind, n, groups in patches:
            own = [f for f in range(start, start + n) if owner[f] in cell]
            start += n
            if name in cyclic and own:
                lists.append((f"procBoundary{part}through{name}",
                              f"processorCyclic;\n        referPatch      {name}", len(own), ["processor"]))
                kept += [(f, 1) for f in own]
        rows = [FACES[f] if sign > 0 else FACES[f][:1] + FACES[f][:0:-1] for f, sign in kept]
        points = sorted({p for row in rows for p in row})
        point = {p: i for i, p in enumerate(points)}
        made = text([POINTS[p] for p in points], [[point[p] for p in row] for row in rows],
                    [cell[owner[f] if sign > 0 else neighbour[f]] for f, sign in kept],
                    [cell[neighbour[f]] for f in inner], lists)
        numbers = dict(zip(ADDRESSES, (points, [sign * (f + 1) for f, sign in kept], cells)))
        for name, values in numbers.items():
            made[name] = header("labelList", name) + listed(values)
        local = {"cellZones": cell, "faceZones": {f: i for i, (f, sign) in enumerate(kept)}, "pointZones": point}
        for name, content in zones({name: [(zone, [local[name][m] for m in members if m in local[name]])
                                           for zone, members in listing] for name, listing in of.items()}).items():
            made[name] = content.decode("latin-1")
        parts.append(made)
    return parts


def in_folders(parts, folder="processor%d/constant/polyMesh/"):
    return {folder % p + name: content for p, part in enumerate(parts) for name, content in part.items()}


def collated(parts, first="header", form="ascii"):
    """first: whether the first block begins with its header, or all do, or the file's own header says what blocks are."""
    made = {}
    for name in parts[0]:
        head = header("decomposedBlockData", name, "binary", "LSB;label=32;scalar=64")
        kind = re.search(r"class +(\w+);", parts[0][name])[1]
        if first == "outer":
            head = head.replace("    object", f"    data.class  {kind};\n    data.format {form};\n    object")
        for p, part in enumerate(parts):
            content = part[name][len(BANNER):]
            if first == "outer" or (first == "header" and p > 0):
                content = content[content.index("}\n") + 2:]
            head += f"\n// Processor{p}\n\n{len(content)}\n({content})\n"
        made[name] = head
    return made


def good():
    flat = "good-text"
    yield ("good-uncounted", uncounted(text()), HOLDS, flat)
    yield ("good-zones", {**text(), **zones()}, ZONES_HOLD)
    raw = lambda values: b"%d(%s)" % (len(values), struct.pack("<%di" % len(values), *values))
    yield ("good-zones-binary", {**binary(), **zones(raw=raw)}, ZONES_HOLD)
    yield ("good-zones-uncounted", {**text(), **{name: re.sub(rb"(\n|> )\d+\n\(", rb"\1(", content)
                                                 for name, content in zones().items()}}, ZONES_HOLD)
    cut = decomposed([0, 1, 0])
    yield ("good-decomposed", in_folders(cut), ZONES_HOLD, "good-zones")
    yield ("good-decomposed-empty", in_folders(decomposed([0, 0, 2], of={})), HOLDS, flat)
    yield ("good-decomposed-cyclic", in_folders(decomposed([0, 1, 0], cyclic=("tip",))), ZONES_HOLD, "good-zones")
    yield ("good-collated", {"processors2/constant/polyMesh/" + name: content for name, content in collated(cut).items()},
           ZONES_HOLD, "good-zones")
    yield ("good-collated-headers", {"processors2/constant/polyMesh/" + name: content
                                     for name, content in collated(cut, "all").items()}, ZONES_HOLD, "good-zones")
    yield ("good-collated-outer", {"processors2/constant/polyMesh/" + name: content
                                   for name, content in collated(cut, "outer").items()}, ZONES_HOLD, "good-zones")
    three = decomposed([1, 2, 0])
    yield ("good-collated-groups", {f"processors3_{first}-{last}/constant/polyMesh/" + name: content
                                    for first, last in ((0, 0), (1, 2))
                                    for name, content in collated(three[first:last + 1]).items()}, ZONES_HOLD, "good-zones")
    yield (flat, text(), HOLDS)
    yield ("good-case", {"constant/polyMesh/" + name: content for name, content in text().items()}, HOLDS, flat)
    yield ("good-constant", {"polyMesh/" + name: content for name, content in text().items()}, HOLDS, flat)
    yield ("good-packed", {name + ".gz": fixtures_meshes.gzip(content.encode("ascii")) for name, content in text().items()},
           HOLDS, flat)
    yield ("good-compact-text", changed("faces", "faceList", "faceCompactList", {**text(), "faces": header(
        "faceList", "faces") + listed([sum(map(len, FACES[:f])) for f in range(16)]) +
        listed([point for face in FACES for point in face])}), HOLDS, flat)
    yield ("good-on-one-line", {**text(), "owner": header("labelList", "owner") + "15(" + " ".join(map(str, OWNER)) + ")",
                                "neighbour": header("labelList", "neighbour") + "2(1 /*x*/ 2 // y\n)"}, HOLDS, flat)
    yield ("good-none", {**text(), "neighbour": header("labelList", "neighbour") + listed(NEIGHBOUR + [-1] * 13)}, HOLDS, flat)
    yield ("good-crlf", {name: content.replace("\n", "\r\n") for name, content in text().items()}, HOLDS, flat)
    yield ("good-words", changed("boundary", "2(wall hot);", "List<word> 2 ( wall \"hot\" );\n nested { a { b 1; } }\n"
                                 "        uniform (1 2 3); transform #calc \"x\";"), HOLDS, flat)
    for label in (32, 64):
        for scalar in (32, 64):
            yield (f"good-binary-{label}-{scalar}", binary(label, scalar), HOLDS, flat)
    yield ("good-binary-list", binary(64, 64, compact=False), HOLDS, flat)
    yield ("good-big-endian-32", binary(32, 32, order=">"), HOLDS, flat)
    yield ("good-big-endian-64", binary(64, 64, order=">"), HOLDS, flat)
    yield ("good-binary-old", binary(arch=False), HOLDS, flat)
    yield ("good-mixed", binary(files={"owner": text()["owner"]}), HOLDS, flat)
    yield ("good-one-cell", text(P_POINTS[:8], [[0, 3, 2, 1], [0, 1, 5, 4], [0, 4, 7, 3], [1, 2, 6, 5], [2, 3, 7, 6],
                                                [4, 5, 6, 7]], [0] * 6, [], [("all", "patch", 6, []), ("no", "patch", 0, [])]),
           "nodes 8, cells 1, faces 0, boundary_faces 6: 1 hex8; all 6, no 0")
    one = text(P_POINTS[:8], [[0, 3, 2, 1], [0, 1, 5, 4], [0, 4, 7, 3], [1, 2, 6, 5], [2, 3, 7, 6], [4, 5, 6, 7]], [0] * 6,
               [], [("all", "patch", 6, [])])
    yield ("good-uniform", {**one, "owner": header("labelList", "owner") + "6{0}",
                            "neighbour": header("labelList", "neighbour") + "0"},
           "nodes 8, cells 1, faces 0, boundary_faces 6: 1 hex8; all 6")
    yield ("good-polyhedra", text(P_POINTS, P_FACES, [0] * 6 + [1] * 6, [1], [("left", "patch", 5, []), ("right", "patch", 6, [])]),
           P_HOLDS)


def bad():
    one = "polyhedra are named, not a line"

    def swap(name, file, before, after, says, placeless=None, files=None, count=1):
        return (name, changed(file, before, after, files, count), says, placeless)

    yield swap("bad-uniform-many", "owner", "\n15\n(\n" + "".join(f"{cell}\n" for cell in OWNER) + ")", "\n2000000000{0}",
               "/owner:14: 2000000000 equal owners need more memory than the file justifies")
    yield swap("bad-number", "faces", "4(8 9 11 10)", "4(8 9 x 10)", "/faces:16: expected a face, found 'x'")
    yield swap("bad-point", "faces", "4(8 9 11 10)", "4(8 9 14 10)", "/faces:16: entry 2 of a face is 14, not in [0, 14)")
    yield swap("bad-short-face", "faces", "3(8 9 12)", "2(8 9)", "/faces:28: face 13 has 2 points")
    yield swap("bad-long-face", "faces", "3(8 9 12)", "3(8 9 12 13)", "/faces:28: expected ')', found '13)'")
    yield swap("bad-count-of-faces", "faces", "\n15\n", "\n16\n", "/faces:30: expected the number of points of a face")
    yield swap("bad-huge", "faces", "\n15\n", "\n2000000000\n", "/faces:14: the file ends before the 2000000000 faces")
    yield swap("bad-coordinate", "points", "(0 1 1)", "(0 one 1)", "/points:18: expected a coordinate, found 'one'")
    yield swap("bad-infinite", "points", "(0 1 1)", "(0 inf 1)", "/points:18: a coordinate of point 3 is not finite")
    yield swap("bad-planar", "points", "(0 1 1)", "(0 1)", "/points:18: expected a coordinate, found ')'")
    yield swap("bad-owners", "owner", "\n15\n(\n0\n", "\n14\n(\n", "/owner:30: there are 14 owners for 15 faces")
    yield swap("bad-owner", "owner", "\n2\n2\n2\n2\n", "\n2\n2\n2\n-2\n", "/owner:30: entry 14 of owners is -2")
    yield swap("bad-many-cells", "owner", "\n2\n2\n2\n2\n", "\n2\n2\n2\n7000\n", "/neighbour:17: cell 7000 is impossible: 15 faces")
    yield swap("bad-neighbours", "neighbour", "\n2\n(", "\n99\n(", "/neighbour:14: the file ends before the 99 neighbours")
    yield swap("bad-side", "neighbour", "(\n1\n2", "(\n1\n1", "/neighbour:17: face 1 has the owner 1 and the neighbour 1")
    yield swap("bad-list", "neighbour", "1\n2\n)", "1\n2\n3)", "/neighbour:17: expected ')', found '3)'")
    yield swap("bad-behind", "neighbour", "2\n)\n", "2\n)\n5\n", "/neighbour:18: expected the end of the file, found '5'")
    yield swap("bad-cell", "owner", "\n2\n2\n2\n2\n", "\n0\n1\n2\n2\n", "cell 2 has 3 faces", one)
    yield swap("bad-header", "owner", "FoamFile", "FoamFlie", "/owner:4: there is no header FoamFile")
    yield swap("bad-header-cut", "owner", "format      ascii;", "format      ;", "/owner:7: the header FoamFile is damaged")
    yield swap("bad-format", "owner", "ascii", "acsii", "/owner:7: format is neither ascii nor binary")
    yield swap("bad-patch", "boundary", "startFace       3", "startFace       4",
               "/boundary:27: patch walls begins at face 4, not 3")
    yield swap("bad-patch-size", "boundary", "nFaces          4", "nFaces          5", "patch tip has 5 faces, but there are only 4")
    yield swap("bad-patch-rest", "boundary", "nFaces          4", "nFaces          3",
               "faces 14 to 14 do not belong to any patch")
    yield swap("bad-patch-entry", "boundary", "startFace       3;", "", "/boundary:27: patch walls has no startFace")
    yield swap("bad-patch-count", "boundary", "\n3\n(", "\n4\n(", "expected the name of a patch and '{'")
    yield swap("bad-patch-number", "boundary", "nFaces          4", "nFaces          x", "expected nFaces, found 'x;'")
    yield swap("bad-patch-end", "boundary", text()["boundary"][-60:], "", "expected nFaces, found the end of the file")
    raw = binary()
    faces = raw["faces"]
    at = faces.index(b"16\n(") + 4
    yield ("bad-binary-start", {**raw, "faces": faces[:at + 4] + struct.pack("<i", -3) + faces[at + 8:]}, "start 1 of the faces must not be -3")
    yield ("bad-binary-point", {**raw, "faces": faces.replace(struct.pack("<3i", 8, 9, 12), struct.pack("<3i", 8, 9, 99))},
           "entry 54 of points of faces is 99, not in [0, 14)")
    yield ("bad-binary-cut", {**raw, "faces": faces[:at + 30]}, "the file ends before the 16 starts of faces")
    yield ("bad-binary-label", changed("owner", "label=32", "label=64", raw), "the file ends before the 15 owners")
    yield ("bad-binary-end", changed("owner", ")\n\n// **", "\n\n// **", raw), "expected ')' at the end of the list")
    yield ("bad-binary-more", {**raw, "faces": faces.replace(b"\n\n58\n(", b"\n\n59\n(")},
           "there are 59 points of faces, but at most 58 are possible")


    zoned = {name: content.decode() for name, content in zones().items()}

    def zone(name, file, before, after, says, placeless=None):
        return (name, {**text(), **changed(file, before, after, zoned)}, says, placeless)

    yield zone("bad-zone-cell", "cellZones", "\n1\n)", "\n3\n)", "/cellZones:22: entry 1 of cells of a zone is 3, not in [0, 3)")
    yield zone("bad-zone-name", "faceZones", "baffle", "{", "/faceZones:17: expected the name of a zone, found '{'")
    yield zone("bad-zone-end", "pointZones", "13\n)\n;\n}", "13\n)\n;\n", "/pointZones:30: expected an entry of a zone, found the end of the file")
    yield zone("bad-zone-count", "cellZones", "\n2\n(", "\n3\n(", "/cellZones:38: expected the name of a zone, found the end of the file")
    yield zone("bad-zone-list", "cellZones", "label> 2", "label> 9", "/cellZones:20: there are 9 cells of a zone, but at most 6")
    flags = changed("faceZones", "flipMap List<bool> 2(", "flipMap List<bool> 9(",
                    {name: content.decode("latin-1") for name, content in zones(raw=lambda values: b"%d(%s)" % (
                        len(values), struct.pack("<%di" % len(values), *values))).items()})["faceZones"]
    yield ("bad-zone-flags", {**binary(), "faceZones": flags.encode("latin-1")}, "expected ')', found")

    def parts(name, part, file, before, after, says, placeless=None):
        cut = decomposed([0, 1, 0])
        cut[part] = changed(file, before, after, cut[part])
        return (name, {"processors2/constant/polyMesh/" + file: content for file, content in collated(cut).items()}, says, placeless)

    whole = "parts contradict each other, not a line"
    yield parts("bad-address-zero", 0, "faceProcAddressing", "\n3\n", "\n0\n", "entry 0 of the addresses of faces is 0")
    yield parts("bad-address-far", 1, "cellProcAddressing", "\n1\n)", "\n9\n)", "the parts have 3 cells of the 10 that they refer to", whole)
    yield parts("bad-address-side", 1, "faceProcAddressing", "\n-1\n", "\n1\n", "part 1: two cells are on one side of face 0", whole)
    yield parts("bad-address-cells", 1, "cellProcAddressing", "\n1\n)", "\n0\n)", "part 1: it has, or an earlier part, cell 0", whole)
    yield parts("bad-address-order", 1, "faceProcAddressing", "\n8\n", "\n4\n", "two cells are on one side of face 3", whole)
    yield parts("bad-address-points", 1, "pointProcAddressing", "\n5\n", "\n4\n", "part 1: two of its points are point 4", whole)
    yield parts("bad-address-short", 1, "cellProcAddressing", "1\n(\n1\n)", "0\n(\n)", "the parts have 2 cells of the 3 that they refer to", whole)
    three = decomposed([0, 1, 2])
    yield ("bad-part-missing", in_folders(three[:1]) | {f"processor2/constant/polyMesh/{name}": content for name, content in three[2].items()},
           "the case is decomposed, but its part 1 is missing", whole)
    both = decomposed([0, 1, 0])
    both = {"processors2/constant/polyMesh/" + name: content for name, content in collated(both).items()}
    yield ("bad-collated-cut", {**both, "processors2/constant/polyMesh/owner": both["processors2/constant/polyMesh/owner"][:-40]},
           "/owner: byte 675: the file ends before the 43 bytes of a block")
    yield ("bad-collated-class", {**both, "processors2/constant/polyMesh/owner": both["processors2/constant/polyMesh/owner"].replace(
        "decomposedBlockData", "labelList", 1)}, "the class of a collated file must be decomposedBlockData, not labelList")
    yield ("bad-collated-few", {name: re.sub(r"\n// Processor1(.|\n)*", "", content) if "Addressing" in name else content
                                for name, content in both.items()}, "the parts have 11 faces of the 15 that they refer to", whole)


def unsupported():
    yield ("unsupported-parts", {"processor0/constant/polyMesh/" + name: content for name, content in text().items()},
           ": the part does not say which points of the whole mesh it has (files *ProcAddressing); join the parts with reconstructParMesh")
    yield ("unsupported-two", {**in_folders(decomposed([0, 1, 0])), "processors2/constant/polyMesh/points": "x"},
           ": the case is decomposed twice, into processor0 and processors2")
    yield ("unsupported-part", changed("boundary", "type            patch", "type            processor"),
           "/boundary:17: this is one part of a decomposed case")
    yield ("unsupported-collated", changed("owner", "labelList", "decomposedBlockData"), "this is a file of all parts of a decomposed case (class decomposed")
    yield ("unsupported-class", changed("faces", "faceList", "cellList"), "faces are of class cellList")
    yield ("unsupported-arch", changed("owner", "label=32", "label=16", binary()), "arch is 'LSB;label=16;scalar=64'")
    yield ("unsupported-many", changed("points", "\n14\n", "\n3000000000\n"), "/points:13: 3000000000 points exceed 32 bits")


def fixtures(here):
    del here
    yield from in_folder("foam", [*good(), *bad(), *unsupported()])
