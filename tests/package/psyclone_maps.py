#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks exported colour maps as the loops that PSyclone generates for LFRic do, with readers of npy and netCDF of its own.

    do colour = 1, ncolour                                do colour = 1, ntilecolours
      do cell = 1, last_halo_cell_all_colours(colour, d)    do tile = 1, last_halo_tile_per_colour(colour, d)
        kernel(cmap(colour, cell))                            do cell = 1, last_halo_cell_per_colour_and_tile(colour, tile, d)
                                                                kernel(tmap(colour, tile, cell))

Each cell of the limit must be done once and no other; two cells of a colour, or of two tiles of a tile colour, must not share a
point. Dof maps must lead each layer to dofs of its column only, in 64 bits where they pass 2^31. Arguments: meshplan."""
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

MESHPLAN = str(pathlib.Path(sys.argv[1]).resolve())
FAULTS = []


def run(*words, expect=0):
    done = subprocess.run([MESHPLAN, *map(str, words)], capture_output=True, text=True)
    if done.returncode != expect:
        FAULTS.append(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr.strip()}")
    return done


class Array:
    """Numbers with the first index fastest; indices from 1, as in Fortran."""

    def __init__(self, shape, values, wide):
        self.shape, self.values, self.wide = shape, values, wide

    def __call__(self, *index):
        at, step = 0, 1
        for i, n in zip(index, self.shape):
            assert 1 <= i <= n, (index, self.shape)
            at, step = at + (i - 1) * step, step * n
        return self.values[at]


def read_npy(path):
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    head = data[10:10 + size].decode()
    assert "'fortran_order': True" in head, head
    wide = "<i8" in head
    shape = [int(n) for n in re.search(r"'shape': \(([^)]*)\)", head).group(1).replace(" ", "").split(",") if n]
    rest = data[10 + size:]
    return Array(shape, struct.unpack(f"<{len(rest) // (8 if wide else 4)}{'q' if wide else 'i'}", rest), wide)


def read_netcdf(path):
    """A classic file without records: CDF-2 or CDF-5."""
    data, at = path.read_bytes(), 4
    assert data[:3] == b"CDF"
    count = ">q" if data[3] == 5 else ">i"

    def take(form):
        nonlocal at
        at += struct.calcsize(form)
        return struct.unpack(form, data[at - struct.calcsize(form):at])[0]

    def name():
        nonlocal at
        n = take(count)
        at += n + -n % 4
        return data[at - n - -n % 4:at - -n % 4].decode()

    def attributes():
        nonlocal at
        take(">i")
        for _ in range(take(count)):
            name()
            assert take(">i") == 2
            name()

    assert take(count) == 0
    take(">i")
    lengths = []
    for _ in range(take(count)):
        name()
        lengths.append(take(count))
    attributes()
    take(">i")
    arrays = {}
    for _ in range(take(count)):
        key = name()
        of = [take(count) for _ in range(take(count))]
        attributes()
        wide = take(">i") == 10
        take(count)
        begin = take(">q")
        shape = [lengths[d] for d in of][::-1]  # Fortran's order
        n = 1
        for length in shape:
            n *= length
        arrays[key] = Array(shape, struct.unpack_from(f">{n}{'q' if wide else 'i'}", data, begin), wide)
    return arrays


def plain_npy(path):
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    cols = int(re.search(r"\(\d+, (\d+)\)", data[10:10 + size].decode()).group(1))
    values = struct.unpack(f"<{(len(data) - 10 - size) // 4}i", data[10 + size:])
    return [values[i:i + cols] for i in range(0, len(values), cols)]


def walk_cells(maps, limit):
    """Per colour the cells that a loop with this limit does."""
    return [[maps["cmap"](colour, cell) for cell in range(1, limit(colour) + 1)] for colour in range(1, maps["ncolour"]() + 1)]


def walk_tiles(maps, tiles, cells):
    """Per colour, per tile."""
    return [[[maps["tmap"](colour, tile, cell) for cell in range(1, cells(colour, tile) + 1)] for tile in range(1, tiles(colour) + 1)]
            for colour in range(1, maps["ntilecolours"]() + 1)]


def once(label, done, expected):
    if sorted(done) != list(range(1, expected + 1)):
        FAULTS.append(f"{label}: the loop does {len(done)} cells, of which {len(set(done))} differ, not 1 to {expected}")


def apart(label, parts, rows):
    """No two parts (lists of cells) share a point."""
    owner = {}
    for i, part in enumerate(parts):
        for cell in part:
            for p in rows[cell - 1]:
                if p >= 0 and owner.setdefault(p, i) != i:
                    FAULTS.append(f"{label}: two cells at the same time have point {p}")
                    return


def check(label, maps, rows, inner, edge, halo):
    """inner, halo: limits by depth."""
    limits = [("edge", None, edge)] + [("inner", d + 1, n) for d, n in enumerate(inner)] + [("halo", d + 1, n) for d, n in enumerate(halo)]
    for kind, depth, n in limits:
        more = () if depth is None else (depth,)
        text = f"{label}, {kind} {depth or ''}"
        if "cmap" in maps:
            cells = walk_cells(maps, lambda c: maps[f"last_{kind}_cell_all_colours"](c, *more))
            once(f"{text}: cells", [cell for colour in cells for cell in colour], n)
            for colour in cells:
                apart(f"{text}: cells", [[cell] for cell in colour], rows)
        if "tmap" in maps:
            tiles = walk_tiles(maps, lambda c: maps[f"last_{kind}_tile_per_colour"](c, *more),
                               lambda c, t: maps[f"last_{kind}_cell_per_colour_and_tile"](c, t, *more))
            once(f"{text}: tiles", [cell for colour in tiles for tile in colour for cell in tile], n)
            for colour in tiles:
                apart(f"{text}: tiles", colour, rows)
    if "tmap" in maps:  # all of them, with ghost cells
        tiles = walk_tiles(maps, maps["ntiles_per_colour"], maps["ncells_per_coloured_tile"])
        once(f"{label}, all tiles", [cell for colour in tiles for tile in colour for cell in tile], len(rows))


def export(plan, folder, *more):
    """Both kinds of output, which must be equal."""
    run("export", plan, "--to", "psyclone", "-o", f"{folder}/", "--quiet", *more)
    run("export", plan, "-o", f"{folder}.nc", "--quiet", *more)
    maps = {path.stem: read_npy(path) for path in folder.glob("*.npy")}
    other = read_netcdf(folder.with_suffix(".nc"))
    if maps.keys() != other.keys() or any(maps[k].shape != other[k].shape or maps[k].values != other[k].values or maps[k].wide != other[k].wide for k in maps):
        FAULTS.append(f"{folder.name}: npy and netCDF differ")
    return maps


def coloured(folder):
    """Meshes of quads, triangles and hexahedra, whole, with halos, and with halos that a random order makes."""
    for n, (shape, block) in enumerate((("cubed-sphere:8", 16), ("quad:23x17", 32), ("tri:20x20", 64), ("hex:6x6x6", 24))):
        kind, size = shape.split(":")
        mesh, plan = folder / f"{n}.msh", folder / f"{n}.mplan"
        run("generate", kind, size, "-o", mesh, "--quiet")
        run("convert", mesh, folder / "rows.npy", "--map", "cells_nodes", "--quiet")
        rows = plain_npy(folder / "rows.npy")
        run("plan", mesh, "--over", "cells", "--inc", "cells_nodes:1:f64", "--strategy", "global-colour,block-colour", "--block-size", block,
            "-o", plan, "--quiet")
        cells = len(rows)
        check(shape, export(plan, folder / f"whole{n}"), rows, [cells], cells, [cells])
        edge = cells * 3 // 4
        inner, halo = [edge - 20, edge - 41], [edge + 15, edge + 33, cells - 2]
        limits = ["--last-edge", edge, "--last-inner", ",".join(map(str, inner)), "--last-halo", ",".join(map(str, halo))]
        check(f"{shape} in part", export(plan, folder / f"part{n}", *limits), rows, inner, edge, halo)
        run("export", plan, "--to", "psyclone", "-o", folder / "wrong.nc", "--last-edge", cells + 1, expect=2)
        run("export", plan, "--to", "psyclone", "-o", folder / "wrong.nc", "--last-edge", edge, "--last-halo", edge - 1, expect=2)
        run("export", plan, "--to", "psyclone", "-o", folder / "wrong.nc", "--last-edge", edge, "--last-inner", f"{edge - 9},{edge - 8}", expect=2)
        if (folder / "wrong.nc").exists():
            FAULTS.append("a file was written for limits that cannot be")
    check_refusal(folder / "0.mplan", folder)


def check_refusal(plan, folder):
    """The walk must see what is wrong: a map with two cells exchanged between colours, and one cell twice."""
    maps = export(plan, folder / "again")
    rows = plain_npy_of(folder, "0.msh")
    random.seed(3)
    for change in range(20):
        broken, before = dict(maps), len(FAULTS)
        values = list(maps["tmap"].values)
        used = [i for i, v in enumerate(values) if v]
        i, j = random.sample(used, 2)
        values[i] = values[j]
        broken["tmap"] = Array(maps["tmap"].shape, values, False)
        check("broken", broken, rows, [len(rows)], len(rows), [len(rows)])
        if len(FAULTS) == before:
            FAULTS.append(f"change {change} of tmap is not seen")
        else:
            del FAULTS[before:]


def plain_npy_of(folder, mesh):
    run("convert", folder / mesh, folder / "rows.npy", "--map", "cells_nodes", "--quiet")
    return plain_npy(folder / "rows.npy")


JOB = """meshplan: 1
mesh: {mesh}
layers: {{cells: {layers}}}
loops:
  - name: matvec
    over: cells
    layered: true
    args:
      - {{dat: m, access: read, dim: 64, levels: {layers}, rows: 8}}
      - {{dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: {levels}, offsets: [0, 1]}}
      - {{dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: {levels}, offsets: [0, 1]}}
      - {{dat: rho, access: read, dim: 1, type: f64, levels: {layers}}}
output: out.mplan
"""


def layered(folder, cells, layers, levels, wide):
    """Dof maps: W0 on the cubed sphere; levels may be more than layers need, which passes 2^31 without a large mesh."""
    run("generate", "cubed-sphere", cells, "-o", folder / "sphere.msh", "--quiet")
    (folder / "job.yaml").write_text(JOB.format(mesh=folder / "sphere.msh", layers=layers, levels=levels))
    run("plan", folder / "job.yaml", "--strategy", "owner-gather,global-colour,block-colour", "--block-size", 32,
        "-o", folder / "layers.mplan", "--quiet")
    rows = plain_npy_of(folder, "sphere.msh")
    maps = export(folder / "layers.mplan", folder / f"layers{levels}")
    points = 1 + max(map(max, rows))
    label = f"cubed-sphere:{cells} x {levels}"
    check(label, maps, rows, [len(rows)], len(rows), [len(rows)])
    if maps["undf_lhs"]() != points * levels or maps["map_lhs"].wide != wide or maps["map_rho"].wide or maps["nlayers"]() != layers:
        FAULTS.append(f"{label}: undf {maps['undf_lhs']()}, 64 bits {maps['map_lhs'].wide}")
    for cell, row in enumerate(rows, 1):
        dofs = [maps["map_lhs"](df, cell) for df in range(1, 9)]
        if dofs != [p * levels + o + 1 for o in (0, 1) for p in row] or maps["map_rho"](1, cell) != (cell - 1) * layers + 1:
            FAULTS.append(f"{label}: cell {cell} has dofs {dofs}")
            break
    if "map_m" in maps:
        FAULTS.append(f"{label}: a matrix has no dof map")
    if "tmap" not in maps:
        FAULTS.append(f"{label}: blocks of columns are tiles, too")


def main():
    if "libyaml" not in run("--version").stdout:
        print("no libyaml: dof maps are not tested")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        coloured(folder)
        if "libyaml" in run("--version").stdout:
            layered(folder, 4, 7, 8, False)
            layered(folder, 20, 70, 1048576, True)
    print("\n".join(FAULTS) or "every cell once, no two cells at the same time share a point")
    sys.exit(1 if FAULTS else 0)


if __name__ == "__main__":
    main()
