#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what meshplan reads of MPAS, ICON and FESOM2 meshes with what netCDF4 and numpy find in the same files, and, with uxarray,
with its grids. Not part of CI, which has neither: python3 tests/model_readers.py MESHPLAN FILE...

A file is a netCDF file or a folder of FESOM2. Every map entry, every coordinate (1e-12 of the largest) and every layer is compared."""
import json
import pathlib
import subprocess
import sys
import tempfile

import netCDF4
import numpy as np

MPAS = {"cells_nodes": ("verticesOnCell", "nEdgesOnCell"), "edges_cells": ("cellsOnEdge", None), "edges_nodes": ("verticesOnEdge", None),
        "cells_edges": ("edgesOnCell", "nEdgesOnCell"), "cells_cells": ("cellsOnCell", "nEdgesOnCell"),
        "edges_edges": ("edgesOnEdge", "nEdgesOnEdge"), "nodes_cells": ("cellsOnVertex", None), "nodes_edges": ("edgesOnVertex", None)}
ICON = {"cells_nodes": "vertex_of_cell", "edges_cells": "adjacent_cell_of_edge", "edges_nodes": "edge_vertices", "cells_edges": "edge_of_cell",
        "cells_cells": "neighbor_cell_index", "nodes_cells": "cells_of_vertex", "nodes_edges": "edges_of_vertex", "nodes_nodes": "vertices_of_vertex"}
DIAG = {"cells_nodes": "face_nodes", "edges_nodes": "edge_nodes", "edges_cells": "edge_face_links"}


def clean(values, fill=0):
    values = np.ma.filled(values, fill).astype(np.int64) - 1
    return np.where(values < 0, -1, values)


def on_sphere(lon, lat):
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def of_mpas(data):
    """Rows as lists, points, layers [bottom, top) by set."""
    maps = {}
    for name, (variable, counts) in MPAS.items():
        if variable in data.variables:
            table = clean(data[variable][:])
            lengths = data[counts][:] if counts else [table.shape[1]] * len(table)
            maps[name] = [list(row[:n]) for row, n in zip(table, lengths)]
    points = {}
    flat = getattr(data, "on_a_sphere", "YES").strip() == "NO"
    for name, word in (("nodes", "Vertex"), ("cells", "Cell"), ("edges", "Edge")):
        if f"x{word}" in data.variables:
            points[name] = np.stack([np.asarray(data[f"{axis}{word}"][:]) for axis in ("xy" if flat else "xyz")], axis=1)
    layers = {}
    if "nVertLevels" in data.dimensions:
        n = len(data.dimensions["nVertLevels"])
        top = np.asarray(data["maxLevelCell"][:]) if "maxLevelCell" in data.variables else np.full(len(maps["cells_nodes"]), n)
        bottom = np.asarray(data["minLevelCell"][:]) - 1 if "minLevelCell" in data.variables else np.zeros_like(top)
        layers["cells"] = [(b, t) if t > 0 else (0, 0) for b, t in zip(bottom, top)]
    return maps, points, layers


def of_icon(data):
    maps = {name: clean(data[variable][:]).T.tolist() for name, variable in ICON.items() if variable in data.variables}
    points = {}
    for name, letter in (("nodes", "v"), ("cells", "c"), ("edges", "e")):
        if f"{letter}lon" in data.variables:
            scale = np.pi / 180 if data[f"{letter}lon"].units.startswith("deg") else 1
            points[name] = on_sphere(*(np.asarray(data[f"{letter}{axis}"][:]) * scale for axis in ("lon", "lat")))
    return maps, points, {}


def of_diag(data):
    maps = {name: clean(data[variable][:], -999).T.tolist() for name, variable in DIAG.items()}
    points = {"nodes": on_sphere(*(np.radians(np.asarray(data[axis][:])) for axis in ("lon", "lat")))}
    layers = {}
    for name, last, first in (("cells", "nlevels", "ulevels"), ("nodes", "nlevels_nod2D", "ulevels_nod2D")):
        top = np.asarray(data[last][:]) - 1
        bottom = np.asarray(data[first][:]) - 1 if first in data.variables else np.zeros_like(top)
        layers[name] = list(zip(bottom, top))
    return maps, points, layers


def of_folder(path):
    nodes = np.loadtxt(path / "nod2d.out", skiprows=1)
    maps = {"cells_nodes": (np.loadtxt(path / "elem2d.out", skiprows=1).astype(int) - 1).tolist()}
    points = {"nodes": on_sphere(*np.radians(nodes[np.argsort(nodes[:, 0]), 1:3]).T)}
    if (path / "edges.out").exists():
        for name, file in (("edges_nodes", "edges.out"), ("edges_cells", "edge_tri.out")):
            table = np.loadtxt(path / file).astype(int) - 1
            maps[name] = np.where(table < 0, -1, table).tolist()
    layers = {}
    for name, file in (("cells", "elvls.out"), ("nodes", "nlvls.out")):
        if (path / file).exists():
            top = np.loadtxt(path / file).astype(int) - 1
            upper = path / f"cavity_{file}"
            layers[name] = list(zip(np.loadtxt(upper).astype(int) - 1 if upper.exists() else np.zeros_like(top), top))
    return maps, points, layers


def derived_layers(maps, layers):
    """Edges: what their cells have in common; nodes: from the lowest to the highest layer of their cells."""
    if "cells" not in layers:
        return layers
    found = dict(layers)
    if "edges_cells" in maps:
        found["edges"] = []
        for row in maps["edges_cells"]:
            of = [layers["cells"][c] for c in row if c >= 0]
            bottom, top = max(b for b, _ in of), min(t for _, t in of)
            found["edges"].append((bottom, top) if bottom < top else (0, 0))
    if "nodes" not in found:
        n = 1 + max(max(row) for row in maps["cells_nodes"])
        found["nodes"] = [(0, 0)] * n
        for row, (b, t) in zip(maps["cells_nodes"], layers["cells"]):
            for node in row if t > b else ():
                old = found["nodes"][node]
                found["nodes"][node] = (b, t) if old[0] == old[1] else (min(old[0], b), max(old[1], t))
    return found


def read_ours(meshplan, path):
    """Maps and points of the mesh by the archive that convert writes, sums of layers by info."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "mesh.npz"
        subprocess.run([meshplan, "convert", str(path), str(out), "--quiet"], check=True)
        arrays = dict(np.load(out))
    info = json.loads(subprocess.run([meshplan, "info", str(path), "--json", "-"], check=True, capture_output=True, text=True).stdout)
    return arrays, info


def compare_maps(arrays, maps, fault):
    for name, rows in maps.items():
        if name not in arrays:
            fault(f"{name} is not there")
            continue
        ours = arrays[name]
        if ours.ndim == 1:  # ragged
            offsets = arrays[f"{name}_offsets"]
            ours = [list(ours[a:b]) for a, b in zip(offsets[:-1], offsets[1:])]
        else:
            ours = ours.tolist()
        if len(ours) != len(rows) or any(list(a) != list(b) for a, b in zip(ours, rows)):
            fault(f"{name} differs")


def compare_uxarray(path, maps, fault):
    """Cells by uxarray, whose rows may begin elsewhere and end with fill values."""
    try:
        import uxarray
    except ImportError:
        return 0
    grid = uxarray.open_grid(str(path))
    table = grid.face_node_connectivity.values
    lengths = grid.n_nodes_per_face.values
    for ours, row, n in zip(maps["cells_nodes"], table, lengths):
        if sorted(ours) != sorted(row[:n].tolist()):
            fault("cells differ from uxarray's")
            break
    return 1


def check(meshplan, path):
    faults = []
    if path.is_dir():
        maps, points, layers = of_folder(path)
    else:
        data = netCDF4.Dataset(path)
        kind = "mpas" if "verticesOnCell" in data.variables else "icon" if "vertex_of_cell" in data.variables else "diag"
        maps, points, layers = {"mpas": of_mpas, "icon": of_icon, "diag": of_diag}[kind](data)
    arrays, info = read_ours(meshplan, path)
    compare_maps(arrays, maps, faults.append)
    for name, xyz in points.items():
        ours = arrays.get(f"{name}_coordinates", arrays.get(f"coordinates_{name}"))
        if ours is None or ours.shape != xyz.shape or np.abs(ours - xyz).max() > 1e-12 * np.abs(xyz).max():
            faults.append(f"coordinates of {name} differ")
    sums = {one["name"]: one["layers"]["sum"] for one in info["sets"] if "layers" in one}
    expected = {name: int(sum(t - b for b, t in rows)) for name, rows in derived_layers(maps, layers).items()}
    if sums != expected:
        faults.append(f"layers {sums}, not {expected}")
    try:
        second = compare_uxarray(path, maps, faults.append)
    except Exception as reason:  # what uxarray cannot open it does not judge
        second = f"uxarray: {str(reason)[:60]}"
    print(f"{path.name}: {len(maps)} maps, {len(points)} sets of points, layers of {len(expected)}; uxarray {second}: {'; '.join(faults) or 'equal'}")
    return not faults


def main():
    results = [check(sys.argv[1], pathlib.Path(name)) for name in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
