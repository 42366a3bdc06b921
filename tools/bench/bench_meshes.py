# SPDX-License-Identifier: Apache-2.0
"""The meshes that the benches of blocks share."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

PLATE = """SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 3, 2};
Disk(2) = {0.7, 0.7, 0, 0.3}; Disk(3) = {1.7, 1.3, 0, 0.4}; Disk(4) = {2.4, 0.5, 0, 0.2};
BooleanDifference(5) = { Surface{1}; Delete; }{ Surface{2, 3, 4}; Delete; };
Mesh.Algorithm = 5;
Mesh.CharacteristicLengthMin = %g; Mesh.CharacteristicLengthMax = %g;
"""
BOX = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Sphere(2) = {0.3, 0.3, 0.3, 0.15}; Sphere(3) = {0.7, 0.7, 0.3, 0.12};
Sphere(4) = {0.3, 0.7, 0.7, 0.1}; Sphere(5) = {0.7, 0.3, 0.7, 0.17};
BooleanDifference(6) = { Volume{1}; Delete; }{ Volume{2, 3, 4, 5}; Delete; };
Mesh.CharacteristicLengthMin = %g; Mesh.CharacteristicLengthMax = %g;
"""
WEDGE = """SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
Mesh.CharacteristicLengthMin = %g; Mesh.CharacteristicLengthMax = %g;
Extrude {0, 0, 1} { Surface{1}; Layers{40}; Recombine; }
"""
GEOMETRIES = {"plate": (PLATE, "-2"), "box": (BOX, "-3"), "wedge": (WEDGE, "-3")}  # for gmsh
# name -> (kind, size of full, size of small, loop, graphs)
MESHES = {
    "quad": ("quad", "1200x1200", "200x200", ("faces", "faces_cells"), ["points"]),
    "tri": ("tri", "1100x1100", "200x200", ("faces", "faces_cells"), ["points"]),
    "plate": ("plate", 0.00304, 0.05, ("faces", "faces_cells"), ["points"]),
    "hexnodes": ("hex", "96x96x96", "24x24x24", ("cells", "cells_nodes"), ["points", "faces"]),
    "hexfaces": ("hex", "96x96x96", "24x24x24", ("faces", "faces_cells"), ["points"]),
    "tet": ("box", 0.0164, 0.09, ("cells", "cells_nodes"), ["points", "faces"]),
    # not among those that the native partitioner was first tuned on:
    "naca": ("naca0012", "1200x600", "120x60", ("edges", "edges_cells"), ["points"]),
    "quadnodes": ("quad", "1000x1000", "200x200", ("cells", "cells_nodes"), ["points", "faces"]),
    "tetedges": ("box", 0.0164, 0.09, ("edges", "edges_nodes"), ["points"]),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def can_make(name):
    return MESHES[name][0] not in GEOMETRIES or shutil.which("gmsh") is not None


def make_geometry(text, dimension, folder):
    """The file of gmsh's mesh of a geometry; dimension: -2 or -3."""
    geo = folder / f"{hashlib.sha1(text.encode()).hexdigest()[:12]}.geo"
    geo.write_text(text)
    run("gmsh", geo, dimension, "-format", "msh41", "-bin", "-o", geo.with_suffix(".msh"), "-v", "0")
    return geo.with_suffix(".msh")


def make_mesh(meshplan, kind, size, folder, shuffled=False):
    """The file of a mesh, made when it is not there; tri is jittered, tri-even is not."""
    mesh = folder / f"{kind}-{size}{'-shuffled' if shuffled else ''}.msh"
    if mesh.exists():
        return mesh
    if kind in GEOMETRIES:
        text, dimension = GEOMETRIES[kind]
        make_geometry(text % (size, size), dimension, folder).rename(mesh)
    else:
        jitter = ["--jitter", "0.2"] if kind == "tri" else []
        order = ["--shuffle", "1"] if shuffled else []
        run(meshplan, "generate", kind.split("-")[0], size, *jitter, *order, "-o", mesh)
    return mesh


def plan_blocks(meshplan, mesh, loop, block_size, folder, *options):
    """The JSON of a plan of block-colour, one thread, and the reuse of its blocks."""
    over, over_map = loop
    text = run(meshplan, "plan", mesh, "--over", over, "--inc", over_map, "--read", over_map,
               "--block-size", block_size, "--strategy", "block-colour", "--threads", 1, "--quiet",
               *options, "--json", "-", "-o", pathlib.Path(folder) / "bench.mplan")
    plan = json.loads(text)
    variant = plan["loops"][0]["variants"][0]
    return plan, variant, variant["reuse"][over_map.split("_")[1]]
