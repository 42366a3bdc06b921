#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Equal bytes: by threads and repeats (determinism), and by compiler, optimisation and processor (builds).

tools/campaign determinism [--repeats N]
tools/campaign builds [--clean]   gcc and clang, -O0 to -O3, and aarch64 under qemu-user, all packages off"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from campaign_base import FOLDER, ROOT, State, parser_for

MESHES = {"quad.msh": ["generate", "quad", "40x30", "--shuffle", "3"], "tri.msh": ["generate", "tri", "30x30", "--jitter", "0.2"],
          "hex.msh": ["generate", "hex", "9x8x7", "--shuffle", "1"], "tet.msh": ["generate", "tet", "6x6x6"],
          "airfoil.msh": ["generate", "naca0012", "48x16"]}
PARTITIONERS = ("native", "hilbert", "none")
STRATEGIES = ("block-colour", "global-colour", "two-step", "atomic", "block-gather", "owner-gather")


def requests(partitioners=PARTITIONERS):
    """Name -> command line without its output."""
    found = {}
    for mesh in MESHES:
        for partitioner in partitioners:
            for order in ("gps", "rcm", "hilbert", "sloan", "none"):
                if order in ("gps", "none") or partitioner == "native":
                    found[f"{mesh} {partitioner} {order}"] = ["plan", mesh, "--partitioner", partitioner, "--renumber", order]
        for strategy in STRATEGIES:
            found[f"{mesh} {strategy}"] = ["plan", mesh, "--partitioner", "native", "--strategy", strategy,
                                           "--allow-nondeterministic"]
        for size in (8, 100, 512):
            found[f"{mesh} blocks of {size}"] = ["plan", mesh, "--partitioner", "native", "--block-size", str(size), "--effort", "best"]
        for sums in ("partial", "atomic", "colour"):
            found[f"{mesh} sums {sums}"] = ["plan", mesh, "--partitioner", "native", "--strategy", "block-gather", "--sums", sums,
                                            "--allow-nondeterministic"]
        for encoding in ("index32", "index16"):
            found[f"{mesh} {encoding}"] = ["plan", mesh, "--partitioner", "native", "--strategy", "owner-gather",
                                           "--encoding", encoding]
        found[f"{mesh} auto"] = ["plan", mesh]
        found[f"{mesh} compressed"] = ["plan", mesh, "--partitioner", "native", "--compress"]
        found[f"{mesh} renumbered"] = ["renumber", mesh]
        found[f"{mesh} cut"] = ["partition", mesh, "--block-size", "64", "--partitioner", "native"]
        found[f"{mesh} refined"] = ["convert", mesh]
    return found


def command_of(program, argv, out, threads):
    if argv[0] in ("renumber", "convert"):
        more = ["--refine", "1"] if argv[0] == "convert" else []
        return [*program, *argv, str(out), *more, "-q", "--threads", str(threads)]
    return [*program, *argv, "-o", str(out), "-q", "--threads", str(threads)]


def digest(program, argv, folder, threads, environment=None):
    """Hash of what is written; the exit code when it is refused."""
    out = folder / ("out.msh" if argv[0] in ("renumber", "convert") else "out.plan")
    out.unlink(missing_ok=True)
    done = subprocess.run(command_of(program, argv, out, threads), cwd=folder, env={**os.environ, **(environment or {})},
                          capture_output=True, check=False, timeout=600)
    if done.returncode or not out.exists():
        return f"exit {done.returncode}"
    return hashlib.sha256(out.read_bytes()).hexdigest()[:16]


def make_meshes(program, folder):
    for name, argv in MESHES.items():
        subprocess.run([*program, *argv, "-q", "-o", name], cwd=folder, check=True)


def determinism(options):
    state = State("determinism", options)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="campaign-"))
    program = [options.meshplan]
    make_meshes(program, folder)
    for name, argv in requests((*PARTITIONERS, "metis", "scotch")).items():
        if name in state.done or state.over() or (options.only and options.only not in name):
            continue
        first, tries, failures = digest(program, argv, folder, 1), 0, 0
        for threads in range(1, 9):
            for _ in range(options.repeats):
                found = digest(program, argv, folder, threads, {"OMP_DYNAMIC": "false"})
                tries += 1
                if found != first:
                    failures += 1
                    print(f"FAILED determinism: {name}: {threads} threads give {found}, one gives {first}", flush=True)
        state.finish(name, tries, failures, first)
    shutil.rmtree(folder)
    return state.report()


BUILDS = [("gcc", f"-O{n}", None) for n in range(4)] + [("clang", f"-O{n}", None) for n in range(4)] + \
    [("aarch64-linux-gnu-gcc", "-O2", "aarch64"), ("aarch64-linux-gnu-gcc", "-O0", "aarch64")]


def build(compiler, optimisation, processor):
    """The program of a bare build, with what runs it; None where the compiler is not here."""
    if not shutil.which(compiler) or (processor and not shutil.which("qemu-aarch64-static")):
        print(f"{compiler} {optimisation}: not here, skipped")
        return None
    folder = FOLDER / "builds" / f"{compiler}{optimisation}"
    flags = ["cmake", "--preset", "bare", "-B", str(folder), f"-DCMAKE_C_COMPILER={compiler}", "-DMPLAN_BUILD_TESTS=OFF", "-DMPLAN_WITH_THREADS=ON",
             f"-DCMAKE_C_FLAGS_RELEASE={optimisation} -DNDEBUG"]
    if processor:
        flags += ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={processor}", "-DCMAKE_EXE_LINKER_FLAGS=-static"]
    subprocess.run(flags, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "-j1", "--target", "meshplan_cli"], check=True, stdout=subprocess.DEVNULL)
    return (["qemu-aarch64-static"] if processor else []) + [str(folder / "meshplan")]


def builds(options):
    state = State("builds", options)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="campaign-"))
    expected = {}
    for compiler, optimisation, processor in BUILDS:
        key = f"{compiler} {optimisation}"
        if state.over():
            break
        if options.only and options.only not in key:
            continue
        program = build(compiler, optimisation, processor)
        if not program:
            continue
        tries = failures = 0
        if not expected:
            make_meshes(program, folder)
        for mesh, argv in MESHES.items():
            out = folder / "again.msh"
            subprocess.run([*program, *argv, "-q", "-o", str(out)], cwd=folder, check=True)
            tries += 1
            if out.read_bytes() != (folder / mesh).read_bytes():
                failures += 1
                print(f"FAILED builds: {key}: {mesh} differs", flush=True)
        for name, argv in requests().items():
            found = digest(program, argv, folder, 2)
            tries += 1
            if found != expected.setdefault(name, found):
                failures += 1
                print(f"FAILED builds: {key}: {name}: {found}, not {expected[name]}", flush=True)
        print(f"{key}: {tries} requests, {failures} differ", flush=True)
        if key not in state.done:
            state.finish(key, tries, failures)
    shutil.rmtree(folder)
    return state.report()


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    if part not in ("determinism", "builds"):
        print(__doc__, file=sys.stderr)
        return 64
    parser = parser_for(part, "equal bytes")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args(sys.argv[2:])
    options.meshplan = str(pathlib.Path(options.meshplan).resolve())
    os.nice(10)
    return determinism(options) if part == "determinism" else builds(options)


if __name__ == "__main__":
    sys.exit(main())
