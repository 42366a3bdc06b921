#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A plan of the cache, or one that --if-changed leaves, is the one that would be made: folders of every format whose
meshes are several files are changed in every way (each file gone, each byte of some changed, a file more), and after
every change the call with a cache ends as the call without. Argument: the meshplan program."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


def run(*words):
    done = subprocess.run([PROGRAM, "plan", *words, "--threads", "1"], capture_output=True)
    return done.returncode


def bytes_of(path):
    return path.read_bytes() if path.exists() else b""


class Folder:
    """A copy of one case, what it is planned by, and calls that were compared."""
    def __init__(self, folder, source, main):
        self.folder, self.n, self.found = folder, 0, 0
        self.mesh = folder / "in" / main
        self.cache = folder / "cache"
        self.words = ["--max-memory", "256M", "--partitioner", "none"]
        shutil.copytree(source, folder / "in")

    def compare(self, what):
        self.n += 1
        plain, kept, stamped = (self.folder / f"{n}.mplan" for n in ("plain", "kept", "stamped"))
        plain.unlink(missing_ok=True)
        kept.unlink(missing_ok=True)
        code = run(str(self.mesh), "-o", str(plain), "-q", *self.words)
        with_cache = run(str(self.mesh), "-o", str(kept), "-q", "--cache", str(self.cache), *self.words)
        if (code, bytes_of(plain)) != (with_cache, bytes_of(kept)):
            sys.exit(f"{self.mesh}: {what}: exit {code}, with the cache {with_cache}, or other plans")
        changed = run(str(self.mesh), "-o", str(stamped), "-q", "--if-changed", *self.words)
        if changed != code or (code == 0 and bytes_of(plain) != bytes_of(stamped)):
            sys.exit(f"{self.mesh}: {what}: exit {code}, with --if-changed {changed}, or other plans")
        return code

    def change(self, others):
        for path in sorted(p for p in (self.folder / "in").rglob("*") if p.is_file()):
            kept = path.read_bytes()
            path.unlink()
            self.compare(f"without {path.name}")
            for at in (0, len(kept) // 2, len(kept) - 1):
                if 0 <= at < len(kept):
                    path.write_bytes(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1:])
                    self.compare(f"byte {at} of {path.name}")
            path.write_bytes(kept)
        for name in others:
            path = self.folder / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("1\n1 wall\n")
            self.compare(f"with {name}")
            path.unlink()
        if self.compare("as it was") != 0:
            sys.exit(f"{self.mesh}: is not planned")


def meshes():
    """(folder of the files, name of what is planned, files that might appear)"""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        n = 0

        def add(name, copies, main, others=()):
            source = folder / str(n) / name
            source.mkdir(parents=True)
            for path in copies:
                (shutil.copytree if path.is_dir() else shutil.copy)(path, source / path.name)
            return source, main, list(others)

        foam = sorted(p for p in (DATA / "foam").glob("good-*") if p.is_dir())
        for path in foam[:2] + [p for p in foam if "region" in p.name or "part" in p.name or "collated" in p.name][:3]:
            yield add("foam", [path], path.name, [f"{path.name}/constant/polyMesh/cellZones",
                                                  f"{path.name}/constant/other/polyMesh/faces"])
            n += 1
        yield add("aflr3", [DATA / "aflr3/good-lb8.lb8.ugrid"], "good-lb8.lb8.ugrid", ["good-lb8.mapbc"])
        n += 1
        for pattern, main in (("tetgen/good*", ".ele"), ("xdmf/good*", ".xdmf"), ("vtu/good*", ".pvtu")):
            files = sorted(p for p in DATA.glob(pattern))
            for one in [p for p in files if p.name.endswith(main)][:2]:
                stem = one.name.split(".")[0]
                yield add("files", [p for p in files if p.name.startswith(stem)], one.name)
                n += 1
        source = folder / str(n) / "deck"
        (source / "sub").mkdir(parents=True)
        (source / "deck.inp").write_text("*INCLUDE, INPUT=sub/nodes.inp\n*ELEMENT, TYPE=S3, INPUT=cells.txt\n")
        (source / "sub" / "nodes.inp").write_text("*NODE\n1,0,0\n*INCLUDE, INPUT=more.inp\n")
        (source / "sub" / "more.inp").write_text("2,1,0\n3,1,1\n4,0,1\n")
        (source / "cells.txt").write_text("1,1,2,3\n2,1,3,4\n")
        yield source, "deck.inp", ["more.inp", "sub/cells.txt"]


def main():
    n = cases = 0
    for source, name, others in meshes():
        with tempfile.TemporaryDirectory() as folder:
            one = Folder(pathlib.Path(folder), source, name)
            if one.compare("at first"):
                continue  # a library is missing in this build
            one.compare("again")
            one.change(others)
            n, cases = n + one.n, cases + 1
    print(f"{cases} meshes, {n} states: a cache and a stamp change nothing")
    return 0 if cases >= 3 else 1


if __name__ == "__main__":
    sys.exit(main())
