# SPDX-License-Identifier: Apache-2.0
"""Packs tools/bench/corpus for a machine that has python3 and glibc and nothing else: FOLDER/run."""
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
GLIBC = re.compile(r"/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|util|anl|nss_\w+))\.so[.\d]*$")
START = """#!/bin/sh
# tools/bench/corpus with the program and the meshes that were packed
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/corpus" "$here/app/bin/meshplan" "$here/meshes" "$@"
"""


def libraries(program):
    """(name, file) of what it needs beside glibc."""
    for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not GLIBC.search(match.group(2)):
            yield match.group(1), pathlib.Path(match.group(2)).resolve()


def search(file, *folders):
    subprocess.run(["patchelf", "--set-rpath", ":".join(folders), file], check=True)


def add_program(program, to, lib, *folders):
    """Stripped; finds its libraries in `folders` beside it and in lib."""
    to.parent.mkdir(parents=True, exist_ok=True)
    for name, file in libraries(program):
        if program.parent not in file.parents:
            shutil.copy(file, lib / name)
    shutil.copy(program, to)
    subprocess.run(["strip", "-s", to], check=True)
    up = "/".join([".."] * (len(to.relative_to(lib.parent).parts) - 1))
    search(to, *(f"$ORIGIN/{one}" for one in folders), f"$ORIGIN/{up}/lib")


def pack(meshplan, folder, meshes):
    if not shutil.which("patchelf"):
        sys.exit("--pack needs patchelf")
    if folder.exists():
        shutil.rmtree(folder)
    (folder / "lib").mkdir(parents=True)
    (folder / "meshes").mkdir()
    add_program(meshplan, folder / "app/bin/meshplan", folder / "lib")
    helpers = meshplan.parent / "libexec" / "meshplan"
    for one in sorted(helpers.glob("meshplan-*")):
        if one.name.split("-", 1)[1] in ("partition", "read-cgns", "read-hdf5", "read-netcdf"):
            add_program(one, folder / "app/libexec/meshplan" / one.name, folder / "lib", "slim")
    if (helpers / "slim").is_dir():
        shutil.copytree(helpers / "slim", folder / "app/libexec/meshplan/slim")
    for one in (folder / "lib").iterdir():
        search(one, "$ORIGIN")
    for name in ("corpus", "corpus_meshes.py", "corpus_more.py", "corpus_third.py", "bench_meshes.py"):
        shutil.copy(HERE / name, folder / name)
    for one in meshes:
        copy = shutil.copytree if one.is_dir() else shutil.copy
        copy(one, folder / "meshes" / one.name)
    for one in folder.rglob("*"):
        one.chmod(one.stat().st_mode | 0o200)
    (folder / "run").write_text(START)
    (folder / "run").chmod(0o755)
    size = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
    print(f"{folder}: {size / 2 ** 20:.1f} MiB; start it with ./run --generated --jobs J --seconds N --table FILE")
    return 0
