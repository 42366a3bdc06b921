#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/bench/corpus: its own meshes are read and conform, a table is gone on from, --seconds gives up in order, refined
meshes come last, --pack makes a program that runs without the build. Arguments: the root of the source, the meshplan program."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, MESHPLAN = pathlib.Path(sys.argv[1]), sys.argv[2]
CORPUS = ROOT / "tools" / "bench" / "corpus"
sys.path.insert(0, str(CORPUS.parent))
from corpus_meshes import KINDS  # noqa: E402
from corpus_more import KINDS_MORE  # noqa: E402
from corpus_third import KINDS_THIRD  # noqa: E402


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def run(*words, codes=(0,)):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    require(done.returncode in codes, f"{' '.join(map(str, words))}: {done.returncode}: {done.stderr}")
    return done.stdout


def boundary(mesh, folder):
    """Faces of one cell."""
    said = run(MESHPLAN, "convert", mesh, folder / "faces.npy", "--map", "faces_cells")
    return int(re.search(r"(\d+) boundary_faces", said).group(1))


def check_meshes(folder):
    found = {}
    for kind in KINDS | KINDS_MORE | KINDS_THIRD:
        mesh = folder / "mesh.vtk"
        run(sys.executable, CORPUS.parent / "corpus_meshes.py", kind, 400, mesh)
        about = json.loads(run(MESHPLAN, "info", mesh, "--json", "-", "--quiet"))
        cells = next(one["size"] for one in about["sets"] if one["name"] == "cells")
        require(150 <= cells <= 800, f"{kind}: {cells} cells instead of about 400")
        found[kind] = boundary(mesh, folder)
    # a box of n^3 hexes, of which those above the middle layer are tets; two boxes of 6 n^3 tets
    n, lower, first, second = 5, 2, 4, 2
    sides = 4 * n * (lower + 1) + 8 * n * (n - lower - 1)
    require(found["pyramids"] == n * n + sides + 2 * n * n, f"pyramids: {found['pyramids']} faces on the boundary")
    require(found["two bodies"] == 12 * (first ** 2 + second ** 2), f"two bodies: {found['two bodies']} faces on the boundary")
    require(found["cracked hexes"] == 6 * 7 ** 2 + 2 * 3 * 7, f"cracked hexes: {found['cracked hexes']} faces on the boundary")


def check_table(folder):
    table = folder / "table.tsv"
    words = (CORPUS, MESHPLAN, "--generated", "--cells", 300, "--only", "tri", "--block-size", 16, "--jobs", 2, "--no-scotch", "--table", table)
    run(sys.executable, *words, "--seconds", 1e-6, codes=(3,))
    require(len(table.read_text().splitlines()) == 1, "no row can be made in no time")
    run(sys.executable, *words, codes=(0, 1))
    lines = table.read_text().splitlines()
    names = {tuple(line.split("\t")[:2]) for line in lines[1:]}
    require(len(lines) == 15 == len(names) + 1 and ("tri6 of 300", "faces_cells") in names, f"rows: {sorted(names)}")
    for line in lines[1:]:
        require(float(line.split("\t")[6]) > 1, f"native blocks have no reuse: {line}")
    table.write_text("\n".join(lines[:9]) + "\n")
    run(sys.executable, *words, codes=(0, 1))
    require({tuple(line.split("\t")[:2]) for line in table.read_text().splitlines()[1:]} == names, "the table was not gone on from")


def check_refined(folder):
    """A folder's meshes, a case of OpenFOAM that is one itself, and both refined: 16 cells to 1024, 36 to 144."""
    (folder / "given").mkdir()
    run(MESHPLAN, "generate", "quad", "6x6", "-o", folder / "given" / "six.su2")
    run(MESHPLAN, "generate", "hex", "4x2x2", "-o", folder / "box.msh")
    run(MESHPLAN, "convert", folder / "box.msh", folder / "box", "--to", "foam")
    table = folder / "table.tsv"
    run(sys.executable, CORPUS, MESHPLAN, folder / "given", folder / "box", "--refine-to", 130, "--block-size", 16, "--no-best", "--no-scotch", "--table", table,
        codes=(0, 1))
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    found = [(row[0], row[4]) for row in rows if row[1] == "cells_nodes"]
    require(sorted(found[:2]) == [("box", "16"), ("six.su2", "36")] and found[2:] == [("six.su2 refined", "144"), ("box refined", "1024")], f"rows: {found}")
    require(all(row[7] == "-" and float(row[9]) > 1 for row in rows), f"no best was asked for, METIS was: {rows}")


def check_pack(folder):
    if not shutil.which("patchelf") or not shutil.which("strip") or os.uname().machine != "x86_64":
        return
    mesh = folder / "own.vtk"
    run(sys.executable, CORPUS.parent / "corpus_meshes.py", "tet10", 300, mesh)
    run(sys.executable, CORPUS, MESHPLAN, "--pack", folder / "pack", mesh)
    out = run(folder / "pack" / "run", "--block-size", 32, "--no-scotch", codes=(0, 1))
    require("\nown.vtk" in out and "2 rows" in out, f"the packed program says {out}")


def main():
    with tempfile.TemporaryDirectory() as name:
        for check in (check_meshes, check_table, check_refined, check_pack):
            folder = pathlib.Path(name) / check.__name__
            folder.mkdir()
            check(folder)


if __name__ == "__main__":
    main()
