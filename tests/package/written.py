#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `meshplan convert` and `renumber` write in formats of others, read with Python's standard library only and compared
with the same mesh as Gmsh's text. Argument: the meshplan program."""
import itertools
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

program = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def meshplan(*words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    require(done.returncode == 0, f"{words}: {done.stderr}")
    return done.stderr


class Gmsh:
    """points, cells (lists of nodes from 0, of the highest dimension) and facets {name: list of sorted nodes} of
    a text file of version 2.2."""
    NODES = {1: 2, 2: 3, 3: 4, 4: 4, 5: 8, 6: 6, 7: 5, 15: 1}
    DIMENSION = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 7: 3, 15: 0}

    def __init__(self, path):
        words = iter(pathlib.Path(path).read_text().split("\n"))
        names, self.points, elements = {}, [], []
        for line in words:
            if line == "$PhysicalNames":
                for row in itertools.islice(words, int(next(words))):
                    dimension, tag, name = row.split(" ", 2)
                    names[int(dimension), int(tag)] = name.strip('"')
            elif line == "$Nodes":
                self.points = [tuple(map(float, row.split()[1:])) for row in itertools.islice(words, int(next(words)))]
            elif line == "$Elements":
                for row in itertools.islice(words, int(next(words))):
                    number = list(map(int, row.split()))
                    tags = number[3:3 + number[2]]
                    elements.append((number[1], tags[0] if tags else 0, [n - 1 for n in number[3 + number[2]:]]))
        self.dimension = max(self.DIMENSION[kind] for kind, _, _ in elements)
        self.cells = [nodes for kind, _, nodes in elements if self.DIMENSION[kind] == self.dimension]
        self.groups = {}
        for dimension in range(self.dimension + 1):
            members = [(tag, nodes) for kind, tag, nodes in elements if self.DIMENSION[kind] == dimension]
            for place, (tag, nodes) in enumerate(members):
                name = names.get((dimension, tag))
                if name:
                    self.groups.setdefault((dimension, name), []).append(
                        place if dimension == self.dimension else tuple(sorted(nodes)))


# --- OpenFOAM ------------------------------------------------------------------------------


def foam_data(path):
    text = pathlib.Path(path).read_text()
    end = text.index("}") + 1
    require(re.match(r"FoamFile\n\{", text) and f"object      {path.name};" in text[:end], f"{path}: head")
    return text[end:].strip()


def foam_list(path):
    text = foam_data(path)
    match = re.match(r"(\d+)\s*\(", text)
    require(match and text.endswith(")"), f"{path}: no list")
    return int(match[1]), text[match.end():-1]


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


class Foam:
    """A polyMesh folder, as checkMesh looks at it: upper-triangular order, closed cells, positive volumes, patches."""

    def __init__(self, path):
        path = pathlib.Path(path)
        n, text = foam_list(path / "points")
        self.points = [tuple(map(float, row.strip("()").split())) for row in text.split("\n") if row]
        require(len(self.points) == n, "points")
        n, text = foam_list(path / "faces")
        self.faces = []
        for size, nodes in re.findall(r"(\d+)\(([^)]*)\)", text):
            self.faces.append(list(map(int, nodes.split())))
            require(len(self.faces[-1]) == int(size), "size of a face")
        require(len(self.faces) == n, "faces")
        self.owner = [int(w) for w in foam_list(path / "owner")[1].split()]
        self.neighbour = [int(w) for w in foam_list(path / "neighbour")[1].split()]
        require(len(self.owner) == n and foam_list(path / "owner")[0] == n, "owners")
        self.n_cells = max(self.owner + self.neighbour) + 1
        self.patches, at = {}, len(self.neighbour)
        n, text = foam_list(path / "boundary")
        for name, body in re.findall(r"(\S+)\s*\{([^}]*)\}", text):
            entry = dict(row.split(None, 1) for row in body.replace("\n", " ").split(";") if row.strip())
            require(int(entry["startFace"]) == at, f"patch {name} begins elsewhere")
            self.patches[name] = range(at, at + int(entry["nFaces"]))
            at += int(entry["nFaces"])
        require(len(self.patches) == n and at == len(self.faces), "patches")
        self.check_order()
        self.check_geometry()

    def check_order(self):
        pairs = list(zip(self.owner, self.neighbour))
        require(all(o < n for o, n in pairs), "an owner above its neighbour")
        require(pairs == sorted(pairs) and len(set(pairs)) == len(pairs), "faces not in upper-triangular order")

    def check_geometry(self):
        closed = [[0.0] * 3 for _ in range(self.n_cells)]
        volume = [0.0] * self.n_cells
        for f, nodes in enumerate(self.faces):
            p = [self.points[n] for n in nodes]
            for k in range(1, len(p) - 1):
                area = cross(minus(p[k], p[0]), minus(p[k + 1], p[0]))
                flux = sum(a * (x + y + z) for a, x, y, z in zip(area, p[0], p[k], p[k + 1])) / 18
                for cell, sign in ((self.owner[f], 1), (self.neighbour[f] if f < len(self.neighbour) else -1, -1)):
                    if cell >= 0:
                        volume[cell] += sign * flux
                        for d in range(3):
                            closed[cell][d] += sign * area[d] / 2
        require(min(volume) > 0, f"cell {volume.index(min(volume))} has the volume {min(volume)}")
        require(max(abs(x) for c in closed for x in c) < 1e-9, "a cell is open")
        self.volume = sum(volume)

    def cell_nodes(self):
        nodes = [set() for _ in range(self.n_cells)]
        for f, face in enumerate(self.faces):
            nodes[self.owner[f]].update(face)
            if f < len(self.neighbour):
                nodes[self.neighbour[f]].update(face)
        return nodes


def check_foam(mesh, wanted):
    out = folder / "polyMesh"
    meshplan("convert", mesh, out)
    foam = Foam(out)
    require(foam.points == wanted.points, "points differ")
    require(foam.cell_nodes() == [set(c) for c in wanted.cells], "cells differ")
    for (dimension, name), members in wanted.groups.items():
        if dimension == 2:
            faces = sorted(tuple(sorted(foam.faces[f])) for f in foam.patches[name])
            require(faces == sorted(members), f"patch {name} differs")
    before = {f: (out / f).read_bytes() for f in os.listdir(out)}
    meshplan("convert", mesh, out)
    require(before == {f: (out / f).read_bytes() for f in os.listdir(out)}, "written otherwise again")
    done = subprocess.run([program, "convert", str(out / "faces"), str(out)], capture_output=True, text=True)
    require(done.returncode == 2 and "would replace its input" in done.stderr, "a folder replaces its own input")
    meshplan("renumber", mesh, out)
    require(abs(Foam(out).volume - foam.volume) < 1e-9, "the renumbered mesh has another volume")


# --- netCDF ----------------------------------------------------------------------------------


class Netcdf:
    """dimensions, variables {name: values} (characters as lists of texts) and attributes {(variable, name): value} of a file
    of the classic formats."""
    TYPES = {2: ("c", 1), 4: ("i", 4), 5: ("f", 4), 6: ("d", 8)}

    def __init__(self, path):
        self.data, self.at = pathlib.Path(path).read_bytes(), 4
        require(self.data[:3] == b"CDF" and self.data[3] in (2, 5), f"{path}: magic")
        self.wide = self.data[3] == 5
        require(self.count() == 0, "records")
        dimensions = self.items(10, lambda: (self.name(), self.count()))
        self.dimensions = dict(dimensions)
        self.attributes = {("", name): value for name, value in self.items(12, self.attribute)}
        self.variables, end = {}, None
        for name, places, attributes, kind, size, begin in self.items(11, self.variable):
            shape = [dimensions[d][1] for d in places]
            self.attributes.update({(name, key): value for key, value in attributes})
            if 0 in shape:
                continue
            require(end in (None, begin), f"{name} does not follow the variable before")
            letter, width = self.TYPES[kind]
            n = 1
            for length in shape:
                n *= length
            end = begin + (n * width + 3) // 4 * 4
            require(size == end - begin and end <= len(self.data), f"{name}: size")
            if kind == 2:
                rows = [self.data[begin + r * shape[-1]:begin + (r + 1) * shape[-1]] for r in range(n // shape[-1])]
                self.variables[name] = [row.rstrip(b"\0").decode() for row in rows]
            else:
                values = list(struct.unpack_from(f">{n}{letter}", self.data, begin))
                self.variables[name] = values if len(shape) < 2 else [
                    values[r * shape[1]:(r + 1) * shape[1]] for r in range(shape[0])]
        require(end == len(self.data), f"{path}: bytes are left")

    def take(self, letter, size):
        value = struct.unpack_from(">" + letter, self.data, self.at)[0]
        self.at += size
        return value

    def count(self):
        return self.take("q", 8) if self.wide else self.take("I", 4)

    def name(self):
        n = self.count()
        text = self.data[self.at:self.at + n].decode()
        self.at += (n + 3) // 4 * 4
        return text

    def items(self, tag, one):
        found, n = self.take("I", 4), self.count()
        require(found == (tag if n else 0), "a tag")
        return [one() for _ in range(n)]

    def attribute(self):
        name, kind = self.name(), self.take("I", 4)
        if kind == 2:
            return name, self.name()
        require(self.count() == 1, "a list of attributes")
        return name, self.take(*self.TYPES[kind])

    def variable(self):
        name = self.name()
        places = [self.count() for _ in range(self.count())]
        return name, places, self.items(12, self.attribute), self.take("I", 4), self.count(), self.take("q", 8)


EXODUS_SIDES = {4: ["013", "123", "032", "021"], 8: ["0154", "1265", "2376", "0473", "0321", "4567"]}


def check_exodus(mesh, wanted):
    out = folder / "mesh.exo"
    meshplan("convert", mesh, out)
    file = Netcdf(out)
    v = file.variables
    require(list(zip(v["coordx"], v["coordy"], v["coordz"])) == wanted.points, "points differ")
    cells = [[n - 1 for n in row] for b in range(file.dimensions["num_el_blk"]) for row in v[f"connect{b + 1}"]]
    require(cells == wanted.cells, "cells differ")
    require(file.attributes["connect1", "elem_type"] in ("TETRA", "HEX8"), "a type")
    for s, name in enumerate(v["ss_names"]):
        sides = []
        for element, side in zip(v[f"elem_ss{s + 1}"], v[f"side_ss{s + 1}"]):
            cell = cells[element - 1]
            sides.append(tuple(sorted(cell[int(k)] for k in EXODUS_SIDES[len(cell)][side - 1])))
        require(sorted(sides) == sorted(wanted.groups[2, name]), f"side set {name} differs")
    require(len(v["ss_names"]) == 6, "side sets")


def check_ugrid(mesh, wanted):
    out = folder / "mesh.nc"
    meshplan("convert", mesh, out)
    file = Netcdf(out)
    v, topology = file.variables, {name: value for (of, name), value in file.attributes.items() if of == "mesh2d"}
    require(topology["cf_role"] == "mesh_topology" and topology["topology_dimension"] == 2, "topology")
    axes = [v[name] for name in topology["node_coordinates"].split()]
    require(list(zip(*axes)) == [p[:2] for p in wanted.points], "points differ")
    rows = topology["face_node_connectivity"]
    require(file.attributes[rows, "start_index"] == 0 and file.attributes[rows, "_FillValue"] == -1, rows)
    require([[n for n in row if n >= 0] for row in v[rows]] == wanted.cells, "cells differ")


for shape in ("quad", "tri"):
    source = folder / f"{shape}.msh"
    meshplan("generate", shape, "7x5", "--shuffle", "3", "--jitter", "0.1", "-o", source)
    meshplan("convert", source, folder / "text.msh", "--to", "gmsh22-text")
    check_ugrid(source, Gmsh(folder / "text.msh"))

for shape, size in (("tet", "5x4x3"), ("hex", "6x5x4")):
    source = folder / f"{shape}.msh"
    meshplan("generate", shape, size, "--shuffle", "3", "--jitter", "0.1", "-o", source)
    meshplan("convert", source, folder / "text.msh", "--to", "gmsh22-text")
    truth = Gmsh(folder / "text.msh")
    check_foam(source, truth)
    check_exodus(source, truth)

subprocess.run(["rm", "-r", str(folder)], check=True)
