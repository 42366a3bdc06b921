# SPDX-License-Identifier: Apache-2.0
"""What the parts of tools/campaign share: commands on small meshes, fresh folders, verdicts, a state to go on from."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "build" / "campaign"
PACKED = "packed"  # a file of that name: made by portable_pack.py, with programs and without a compiler
OLD = b"what was there before\n"
# sysexits that meshplan(1) names for what a machine may do to it
FAULT_CODES = {65, 66, 70, 71, 73, 74}
CODES = FAULT_CODES | {0, 1, 2, 75}

MESHES = {  # format: (sample of tests/data, options that make a plan of it)
    "gmsh": ("gmsh/good-4.1-text.msh", []), "gmsh-binary": ("gmsh/good-4.1-binary.msh", []),
    "su2": ("su2/good-*.su2", []), "medit": ("medit/good-2.meshb", []), "medit-text": ("medit/good-flat.mesh", []),
    "obj": ("obj/good-*.obj", []), "ply": ("ply/good-*.ply", []), "stl": ("stl/good-*.stl", []),
    "vtk": ("vtk/good-*.vtk", []), "vtu": ("vtu/good-*.vtu", []),
    "vtu-lzma": ("vtu/good-base64-lzma.vtu", []), "vtu-zlib": ("vtu/good-raw-zlib.vtu", []), "vtu-lz4": ("vtu/good-inline-lz4.vtu", []), "vtu-inline-lzma": ("vtu/good-inline-lzma.vtu", []), "vtu-polyhedra": ("vtu/good-polyhedra.vtu", []),
    "npz-packed": ("npz/good-blocks.npz", []),
    "cgns": ("cgns/good-grid.cgns", []),
    "exodus": ("exodus/good-mixed.exo", []), "exodus-4": ("exodus/good-compressed.exo", []),
    "ugrid": ("ugrid/good-*.nc", []), "op2": ("op2/good-*.dat", []), "op2-hdf5": ("op2-hdf5/good-*.h5", []),
    "metis": ("metis/good-square.graph", []), "metis-mesh": ("metis/good-quads.mesh", []),
    "scotch": ("scotch/good-*", []), "mtx": ("mtx/good-general.mtx", []), "npz": ("npz/good-fixed.npz", []),
    "npy": ("npy/good-edges_cells.npy", []), "text": ("text/good-*.txt", []), "gzip": ("gzip/good-mesh.msh.gz", []),
    "foam": ("foam/good-*", []),
    "aflr3": ("aflr3/good-*.lb8.ugrid", []), "fluent": ("fluent/good-*.msh", []), "abaqus": ("abaqus/good-solids.inp", []),
    "unv": ("unv/good-solids.unv", []), "nastran": ("nastran/good-small.bdf", []), "mfem": ("mfem/good-solids.mesh", []),
    "libmesh": ("libmesh/good-solids.xda", []), "libmesh-xdr": ("libmesh/good-solids.xdr", []), "elmer": ("elmer/good-solids", []),
    "dmplex": ("dmplex/good-solids.h5", []),
    "vtkhdf": ("vtkhdf/good-parts.vtkhdf", []),
    "netgen": ("netgen/good-solids.vol", []), "med": ("med/good-solids.med", []),
    "xdmf": ("xdmf/good-solids.xdmf", []), "fluent-hdf5": ("fluent-hdf5/good-solids.cas.h5", []),
}


class Command:
    """A command line. Outputs are names in the folder `out`; those that end in / are folders."""

    def __init__(self, name, argv, outputs=()):
        self.name, self.argv, self.outputs = name, argv, list(outputs)


def samples(data):
    """Name -> copied file or folder in `in`."""
    found = {}
    for name, (pattern, _) in MESHES.items():
        paths = sorted((ROOT / "tests" / "data").glob(pattern))
        if paths:
            path = paths[0]
            target = data / (name + path.suffix if path.is_file() else name)
            shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)
            found[name] = f"in/{target.name}"
    return found


def memory_folder():
    """Memory, unless there is little of it."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30 else None


class World:
    """A fresh folder with inputs, in memory where there is room."""

    def __init__(self, meshplan, folder=None):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="campaign-", dir=memory_folder()))
        self.meshplan = meshplan
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "LC_", "LANG"))}
        self.environment.update(OMP_NUM_THREADS="1", LC_ALL="C")
        (self.folder / "in").mkdir()
        (self.folder / "out").mkdir()
        self.found = samples(self.folder / "in")
        quiet = {"cwd": self.folder, "env": self.environment, "check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([meshplan, "generate", "quad", "6x5", "-q", "-o", "in/quad.msh"], **quiet)
        subprocess.run([meshplan, "generate", "hex", "3x3x3", "-q", "-o", "in/hex.msh"], **quiet)
        subprocess.run([meshplan, "plan", "in/quad.msh", "-q", "--partitioner", "native", "-o", "in/quad.plan"], **quiet)
        subprocess.run([meshplan, "plan", "in/quad.msh", "-q", "--partitioner", "none", "--renumber", "rcm", "-o", "in/other.plan"],
                       **quiet)
        (self.folder / "in" / "job.yaml").write_text(
            "meshplan: 1\nmesh: quad.msh\nloops:\n  - name: flux\n    over: faces\n    primary: true\n    args:\n"
            "      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}\n"
            "      - {dat: r, map: faces_cells, access: inc, none: skip, dim: 4, type: f64}\n"
            "plan: {block_size: 8, strategy: [block-colour, owner-gather], partitioner: native}\n")
        subprocess.run([sys.executable, "-c", NPY, str(self.folder / "in" / "cells.npy"), "30"], check=True)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def commands(self, only=None):
        """All commands (whose name holds `only`); those that this build refuses are left out."""
        one = ["--threads", "1"]
        result = [Command("info " + name, ["info", path, *one]) for name, path in self.found.items()]
        result += [
            Command("info --derive", ["info", "in/hex.msh", "--derive", "--json", "out/i.json", *one], ["i.json"]),
            Command("info plan", ["info", "in/quad.plan", "-v", *one]),
            Command("plan", ["plan", "in/quad.msh", "--partitioner", "native", "-o", "out/p.plan", *one], ["p.plan"]),
            Command("plan --json", ["plan", "in/quad.msh", "--partitioner", "none", "-o", "out/p.plan", "--json", "out/p.json", *one],
                    ["p.plan", "p.json"]),
            Command("plan --compress", ["plan", "in/hex.msh", "--compress", "--strategy", "block-colour,global-colour,two-step",
                                        "--partitioner", "hilbert", "-o", "out/p.plan", *one], ["p.plan"]),
            Command("plan gather", ["plan", "in/quad.msh", "--strategy", "block-gather,owner-gather", "--partitioner", "native",
                                    "-o", "out/p.plan", *one], ["p.plan"]),
            Command("plan metis", ["plan", "in/quad.msh", "--partitioner", "metis", "-o", "out/p.plan", *one], ["p.plan"]),
            Command("plan scotch", ["plan", "in/quad.msh", "--partitioner", "scotch", "-o", "out/p.plan", *one], ["p.plan"]),
            Command("plan job", ["plan", "in/job.yaml", "-o", "out/p.plan", *one], ["p.plan"]),
            Command("plan threads", ["plan", "in/quad.msh", "--partitioner", "native", "-o", "out/p.plan", "--threads", "2"],
                    ["p.plan"]),
            Command("verify", ["verify", "in/quad.plan", "--mesh", "in/quad.msh", "--json", "out/v.json", *one], ["v.json"]),
            Command("compare", ["compare", "in/quad.plan", "in/quad.plan", *one]),
            Command("export folder", ["export", "in/quad.plan", "-o", "out/x/", *one], ["x/"]),
            Command("export part", ["export", "in/quad.plan", "-o", "out/x.part", *one], ["x.part"]),
            Command("export vtu", ["export", "in/quad.plan", "--mesh", "in/quad.msh", "-o", "out/x.vtu", *one], ["x.vtu"]),
            Command("report", ["report", "in/quad.plan", "--mesh", "in/quad.msh", "-o", "out/r.html", *one], ["r.html"]),
            Command("apply", ["apply", "in/quad.plan", "--set", "cells", "in/cells.npy", "out/a.npy", *one], ["a.npy"]),
            Command("renumber", ["renumber", "in/quad.msh", "out/n.msh", "--order", "out/order.npy", *one], ["n.msh", "order.npy"]),
            Command("partition metis", ["partition", "in/quad.msh", "-k", "3", "--partitioner", "metis", "-o", "out/k.part", *one],
                    ["k.part"]),
            Command("partition", ["partition", "in/quad.msh", "--block-size", "8", "--partitioner", "native", "-o", "out/k.part", *one],
                    ["k.part"]),
            Command("generate", ["generate", "tet", "2x2x2", "-o", "out/g.msh", *one], ["g.msh"]),
            Command("refine", ["convert", "in/hex.msh", "out/c.msh", "--refine", "1", *one], ["c.msh"]),
            Command("formats", ["formats"]), Command("help", ["help", "plan"]),
            Command("run", ["run", "airfoil", "--mesh", "in/quad.msh", "--iterations", "1", "--repeats", "1", "--block-size", "16",
                            *one]),
        ]
        for end in ("su2", "meshb", "vtu", "vtk", "dat", "h5", "graph", "mtx", "npz", "obj", "ply", "stl", "cgns", "exo", "nc"):
            more = ["--map", "cells_nodes"] if end in ("mtx", "npy") else []
            result.append(Command(f"convert {end}", ["convert", "in/quad.msh", f"out/c.{end}", *more, *one], [f"c.{end}"]))
        return [one for one in result if (not only or only in one.name) and self.try_out(one)]

    def try_out(self, command):
        """Whether it works undisturbed; its outputs become the reference."""
        self.clear(command, False)
        done = subprocess.run([self.meshplan, *command.argv], cwd=self.folder, env=self.environment, capture_output=True,
                              timeout=120, check=False)
        command.reference = {name: contents(self.folder / "out" / name) for name in command.outputs}
        return done.returncode == 0

    def clear(self, command, old):
        """Empties `out`; with `old`, the outputs that are files hold something already."""
        for path in (self.folder / "out").iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in command.outputs if old else []:
            if not name.endswith("/"):
                (self.folder / "out" / name).write_bytes(OLD)

    def looks_wrong(self, command, code, old, left_may_stay=False):
        """What is wrong with the outputs after a run that ended with `code`; None: nothing."""
        out = self.folder / "out"
        for name in command.outputs:
            found, before = contents(out / name), OLD if old and not name.endswith("/") else None
            if volatile(name) and found not in (None, before) and not is_whole(name, found):
                return f"{name} is cut short"
            if code == 0 and found != command.reference[name] and not volatile(name):
                return f"ends with 0, and {name} is not what it should be"
            if code != 0 and found not in (before, command.reference[name]) and not volatile(name):
                return f"{name} is neither old nor new"
        known = {name.rstrip("/") for name in command.outputs}
        left = [one for one in os.listdir(out) if one not in known]
        return f"left behind: {left}" if left and not left_may_stay else None


NPY = """
import struct, sys
n = int(sys.argv[2])
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % n
head += " " * (63 - (10 + len(head)) % 64) + "\\n"
open(sys.argv[1], "wb").write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%dd" % n, *range(n)))
"""


def volatile(name):
    """Reports hold times."""
    return name.endswith((".json", ".html"))


def is_whole(name, found):
    """JSON that parses, or a page with its end."""
    if name.endswith(".html"):
        return found.rstrip().endswith(b"</html>")
    try:
        json.loads(found)
        return True
    except ValueError:
        return False


def contents(path):
    if path.is_dir():
        return {str(one.relative_to(path)): one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file()}
    return path.read_bytes() if path.is_file() else None


# tools

def compile_tool(name, *flags):
    """A C file of this folder as a program, or with -shared as a library, in build/campaign/tools. A pack holds it."""
    out = FOLDER / "tools" / name
    source = HERE / f"{name}.c"
    if (ROOT / PACKED).exists():
        return str(out)
    if not out.exists() or out.stat().st_mtime < source.stat().st_mtime:
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-std=gnu11", "-O2", *flags, str(source), "-o", str(out)], check=True)
    return str(out)


# state

class State:
    """Items done for this program, a line each; what is there is not done again. Times out after --seconds."""

    def __init__(self, part, options):
        with open(options.meshplan, "rb") as file:
            mark = hashlib.sha256(file.read()).hexdigest()[:12]
        folder = pathlib.Path(options.state or FOLDER / "state") / mark
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.part, self.lock = folder / f"{part}.tsv", part, threading.Lock()
        self.done, self.failures, self.tries = set(), 0, 0
        self.end = time.monotonic() + options.seconds
        if self.path.exists() and not options.again:
            for line in self.path.read_text().splitlines():
                key, tries, failures = line.split("\t")[:3]
                self.done.add(key)
                self.tries += int(tries)
                self.failures += int(failures)
        elif self.path.exists():
            self.path.unlink()

    def over(self):
        return time.monotonic() > self.end

    def finish(self, key, tries, failures, note=""):
        with self.lock:
            self.done.add(key)
            self.tries += tries
            self.failures += failures
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(f"{key}\t{tries}\t{failures}\t{note}\n")

    def report(self, unfinished=0):
        print(f"{self.part}: {self.tries} tries, {self.failures} failures" +
              (f", {unfinished} not reached" if unfinished else "") + f" ({self.path})")
        return 1 if self.failures else 0


def parser_for(part, text):
    parser = argparse.ArgumentParser(prog=f"tools/campaign {part}", description=text)
    parser.add_argument("--meshplan", default=str(ROOT / "build" / "release" / "meshplan"), help="the program")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long; a later call goes on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", help="commands whose name holds this")
    parser.add_argument("--every", type=int, default=1, help="only each n-th fault")
    parser.add_argument("--at", type=int, help="only this fault")
    parser.add_argument("--again", action="store_true", help="forget what was done")
    parser.add_argument("--state", help="folder of what was done")
    return parser


def spread(items, work, jobs):
    """work(item) for all, in `jobs` threads."""
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        return list(pool.map(work, items))
