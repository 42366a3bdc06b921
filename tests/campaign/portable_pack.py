#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the campaign so that it runs on another x86-64 Linux machine with an equal or newer glibc and python3.

tools/campaign pack FOLDER [--build FOLDER]              the program, plan_mutants and the parts of tools/campaign
tools/campaign fuzz --portable FOLDER [--build FOLDER] [--only TARGET,...]   the fuzz targets, too, or only some

Builds plan_mutants and the targets with clang's address and undefined behaviour sanitizers (build/campaign/fuzz), takes
the libraries that are not glibc's along, and writes FOLDER/run (portable_run.py), FOLDER/targets.tsv and
FOLDER/pack.tar.xz. The program is that of the preset release."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import campaign_base

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GLIBC = re.compile(r"/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|util|anl|nss_\w+))\.so[.\d]*$")
MUTANTS = "plan_mutants"
GOAL = 20_000_000
SLOW = {MUTANTS: 5_000_000, "cgns_files": 1_000_000, "op2_hdf5_files": 1_000_000}
# executions a second, to begin with (tests/fuzz/README.md); a run measures its own
RATES = {MUTANTS: 3000, "cgns": 9600, "cgns_files": 700, "exodus": 14000, "foam": 24000, "gmsh": 26000, "gzip": 23000, "job": 18000,
         "medit": 20000, "metis": 70000, "mtx": 57000, "npy": 66000, "npz": 28000, "obj": 35000, "op2": 45000,
         "op2_hdf5": 13000, "op2_hdf5_files": 500, "plan": 900, "planfile": 15000, "ply": 47000, "scotch": 62000,
         "abaqus": 15000, "aflr3": 20000, "fluent": 12000, "fluent_case": 12000, "med": 12000, "mfem": 25000, "elmer": 25000, "vtkhdf": 12000, "dmplex": 12000, "libmesh": 25000, "nastran": 9000,
         "netgen": 25000, "tetgen": 24000, "unv": 20000, "xdmf": 18000,
         "stl": 35000, "su2": 34000, "text": 38000, "ugrid": 15000, "vtk": 64000, "vtu": 21000}
SHORT = {"plan": 160, "gmsh": 800, "npy": 800, "op2": 800, "stl": 800, "su2": 800, "text": 800}


def targets():
    return sorted(one.stem[len("fuzz_"):] for one in (ROOT / "tests" / "fuzz").glob("fuzz_*.c"))


def build(folder, *targets_only):
    environment = dict(os.environ)
    subprocess.run(["cmake", "--preset", "fuzz", "-B", str(folder), "-DCMAKE_C_FLAGS_DEBUG=-O2 -g0",
                    "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed", "-DCMAKE_SKIP_BUILD_RPATH=ON"],
                   cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["nice", "cmake", "--build", str(folder), "-j2", *(["--target", *targets_only] if targets_only else [])], cwd=ROOT, env=environment, check=True,
                   stdout=subprocess.DEVNULL)


def build_mutants(folder):
    """plan_mutants under the same sanitizers, with the libraries of the fuzz targets."""
    unit, program = ROOT / "tests" / "unit", folder / "tests" / MUTANTS
    sources = [*HERE.glob("naive_*.c"), *HERE.glob("mutants_*.c"), HERE / "plan_mutants.c", *(one for one in unit.glob("support_*.c") if one.stem != "support_memory")]
    commands = (folder / "compile_commands.json").read_text()
    macros = sorted(set(re.findall(r"-D(MPLAN_HAVE_\w+=1)", commands)))
    linked = re.search(r"LINK_LIBRARIES = (.*)", ninja_of(folder, "tests/fuzz_plan")).group(1).split()
    includes = sorted(set(re.findall(r"-isystem (/\S+)", commands)))
    subprocess.run(["clang", "-std=gnu11", "-O2", "-fsanitize=address,undefined,fuzzer-no-link", "-fno-sanitize-recover=all",
                    "-D_DEFAULT_SOURCE", "-D_POSIX_C_SOURCE=200809L", '-DMPLAN_VERSION="0"', *(f"-D{one}" for one in macros),
                    f'-DMPLAN_MESHES="{ROOT}/meshes"', f'-DMPLAN_TEST_DATA="{ROOT}/tests/data"',
                    f'-DMPLAN_SPECIFICATION="{ROOT}/formats/plan-format.md"', "-w",
                    f"-I{ROOT}/src", f"-I{ROOT}", f"-I{unit}", f"-I{HERE}", *(f"-I{one}" for one in includes), *map(str, sources),
                    "-Wl,--as-needed", str(folder / "libmeshplan_exec.a"), *linked, "-lcmocka", "-lm", "-o", str(program)],
                   cwd=folder, check=True)
    return program


def ninja_of(folder, target):
    text = (folder / "build.ninja").read_text()
    at = text.index(f"build {target}: ")
    return text[at:text.index("\n\n", at)]


def libraries(program):
    """What it needs of others, by name; what was built beside it goes with it (pack_program)."""
    found = {}
    for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not GLIBC.search(match.group(2)) and ROOT not in pathlib.Path(match.group(2)).resolve().parents:
            found[match.group(1)] = pathlib.Path(match.group(2)).resolve()
    return found


def add_program(archive, program, name, out):
    """Stripped, with what it needs in the folder lib of the pack."""
    stripped = out / "stripped"
    shutil.copy(program, stripped)
    subprocess.run(["strip", "-s", stripped], check=True)
    if shutil.which("patchelf"):
        old = subprocess.run(["patchelf", "--print-rpath", stripped], capture_output=True, text=True, check=True).stdout.strip()
        own = [one for one in old.split(":") if one.startswith("$ORIGIN")]
        up = "/".join([".."] * name.count("/"))
        # DT_RPATH is also where the libraries find theirs
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", ":".join([*own, f"$ORIGIN/{up}/lib"]), stripped], check=True)
    archive.add(stripped, name)
    stripped.unlink()


def pack_program(archive, out):
    """The program of the preset release, where it is built, and what tools/campaign needs to make it fail."""
    needed, release = {}, ROOT / "build" / "release"
    if not (release / "meshplan").exists():
        raise SystemExit(f"{release}/meshplan: missing; build the preset release first")
    if not shutil.which("patchelf"):
        raise SystemExit("patchelf is missing: programs would not find their libraries")
    programs = {release / "meshplan": "app/bin/meshplan"}
    programs.update({one: f"app/{one.relative_to(release)}" for one in (release / "libexec").rglob("*") if one.is_file()})
    for program, name in programs.items():
        needed.update(libraries(program))
        add_program(archive, program, name, out)
    for folder in ("tests/campaign", "tests/data", "tests/plan_meaning.py", "tests/plan_request.py", "tools/python", "formats/plan-format.md"):
        archive.add(ROOT / folder, folder, filter=lambda one: None if "__pycache__" in one.name else one)
    mark = out / campaign_base.PACKED
    mark.write_text("")
    archive.add(mark, mark.name)
    mark.unlink()
    for tool, flags in (("campaign_shim", ["-shared", "-fPIC"]), ("campaign_trace", [])):
        archive.add(campaign_base.compile_tool(tool, *flags), f"build/campaign/tools/{tool}")
    return needed


def pack_helpers(archive, build_folder):
    """Programs that the fuzz targets start."""
    needed = {}
    for one in (build_folder / "libexec").rglob("*"):
        if one.is_file():
            needed.update(libraries(one))
            archive.add(one, str(one.relative_to(build_folder)))
    return needed


def add_target(archive, name, build_folder, out):
    """A fuzz target and its seeds; the line of targets.tsv, or None when it was not built."""
    program = build_folder / "tests" / (MUTANTS if name == MUTANTS else f"fuzz_{name}")
    if not program.exists():
        print(f"{name}: not built, skipped", file=sys.stderr)
        return None, {}
    add_program(archive, program, f"bin/{program.name}", out)
    for number, folder in enumerate(("tests/fuzz/corpus", "tests/data")):
        for file in sorted((ROOT / folder / name).rglob("*")):
            if file.is_file() and file.stat().st_size <= 1 << 18:
                archive.add(file, f"seeds/{name}/{number}-{'-'.join(file.relative_to(ROOT / folder / name).parts)}")
    return f"{name}\t{SLOW.get(name, GOAL)}\t{RATES.get(name, 10000)}\t{SHORT.get(name, '-')}", libraries(program)


def pack(build_folder, out, names, program=True):
    out.mkdir(parents=True, exist_ok=True)
    lines, needed = ["target\tgoal\trate\tshort"], {}
    with tarfile.open(out / "pack.tar.xz", "w:xz", preset=4) as archive:
        for name in names:
            line, libs = add_target(archive, name, build_folder, out)
            lines += [line] if line else []
            needed.update(libs)
        if program:
            needed.update(pack_program(archive, out))
        if program and names != [MUTANTS]:
            needed.update(pack_helpers(archive, build_folder))
        for name, path in sorted(needed.items()):
            archive.add(path, f"lib/{name}")
    (out / "targets.tsv").write_text("\n".join(lines) + "\n")
    shutil.copy(HERE / "portable_run.py", out / "run")
    (out / "run").chmod(0o755)
    size = sum(one.stat().st_size for one in out.iterdir() if one.is_file())
    print(f"{out}: {len(lines) - 1} targets, {len(needed)} libraries, {size / 2 ** 20:.1f} MiB; start it with "
          f"./run --{'campaign' if names == [MUTANTS] else 'seconds N'} --jobs J")


def main():
    parser = argparse.ArgumentParser(description="packs the campaign for another machine")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "campaign" / "fuzz")
    parser.add_argument("--as-built", action="store_true", help="does not build first")
    parser.add_argument("--without-targets", action="store_true", help="without the fuzz targets")
    parser.add_argument("--only", help="names of fuzz targets, with commas: a small pack of these, without the program")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else []
    if not options.as_built:
        build(options.build, *(["meshplan_exec_static", "meshplan_static", "meshplan_reader_static"] if options.without_targets else
                               [f"fuzz_{name}" for name in only]))
    if not only:
        build_mutants(options.build)
    pack(options.build, options.folder, [MUTANTS] if options.without_targets else only or [*targets(), MUTANTS], not only)


if __name__ == "__main__":
    main()
