# SPDX-License-Identifier: Apache-2.0
"""Memory by input: 50 bytes for each byte of input (inflated) and 64 MB, whatever is in it.

memory_bound.py MESHPLAN [FILE...]

Runs info and plan over the good fixtures of every format (or the files that are given) and over tables made to take
much, and compares the peak of each process with the bound. None of the good files may be refused for its memory.
Last, --max-memory is held against meshes that are generated, which have no bound of their own."""
import gzip
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

A_BYTE, BASE = 50, 64_000_000
failed = []


def run(arguments):
    """Exit code, peak in bytes, and the messages of a command."""
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             env={**os.environ, "OMP_NUM_THREADS": "4"})  # as each thread takes memory of its own
    messages = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss * 1024, messages


def bytes_of(path):
    if os.path.isdir(path):
        return sum(bytes_of(os.path.join(path, name)) for name in os.listdir(path))
    with open(path, "rb") as file:
        head = file.read(4)
    if head[:2] == b"\x1f\x8b":
        with gzip.open(path) as file:
            return sum(len(part) for part in iter(lambda: file.read(1 << 20), b""))
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    return os.path.getsize(path)


def hold(meshplan, path, scratch, may_refuse=False, options=()):
    """Every command on a file keeps the bound; a good file is not refused for its memory."""
    bound = A_BYTE * bytes_of(path) + BASE
    for command in (["info", path], ["plan", path, *options, "-o", os.path.join(scratch, "p.mplan")]):
        code, peak, messages = run([meshplan, *command, "--quiet"])
        what = f"{command[0]} {os.path.basename(path)} {' '.join(options)}"
        if peak > bound:
            failed.append(f"{what}: {peak / 1e6:.1f} MB, more than {bound / 1e6:.1f} MB")
        if code < 0 or (code == 71 and not may_refuse):
            failed.append(f"{what}: exit {code}: {messages}")
        yield peak / bound


def npy(rows, cols, values):
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, {cols}), }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{rows * cols}i", *values)


def made_tables(folder):
    """Tables that take as much as few bytes can: far points, a star, points at random, crowded points."""
    def table(name, rows):
        path = os.path.join(folder, name + "_points.txt")
        with open(path, "w") as file:
            file.writelines(" ".join(map(str, row)) + "\n" for row in rows)
        return path

    for largest in (900_000, 999_999, 1_000_001, 20_000_000, 2_000_000_000):
        yield table(f"far{largest}", [(0, largest)])
    yield table("star", ((0, i + 1) for i in range(30000)))
    yield table("crowd", ((i % 2, i % 7) for i in range(20000)))
    chance = random.Random(4)
    yield table("chance", ([chance.randrange(20000) for _ in range(6)] for _ in range(20000)))
    yield table("long", [range(60000), range(60000)])
    path = os.path.join(folder, "a.npz")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("edges_points.npy", npy(2, 2, [0, 1, 2, 30_000_000]))
    yield path
    path = os.path.join(folder, "edges_cells.npy")
    with open(path, "wb") as file:
        file.write(npy(1, 2, [0, 30_000_000]))
    yield path
    path = os.path.join(folder, "a.mesh")
    with open(path, "w") as file:
        file.write("1 1\n2 3 300000000\n")
    yield path


def good_files():
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
    for folder, _, names in sorted(os.walk(data)):
        for name in sorted(names):
            if name.startswith("good-") and os.path.basename(folder) not in ("job", "planfile"):
                yield os.path.join(folder, name)


def main(meshplan, given):
    largest = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in given or good_files():
            largest += [(share, path) for share in hold(meshplan, path, scratch)]
        for path in () if given else made_tables(scratch):
            for options in ((), ("--strategy", "global-colour,two-step,owner-gather")):
                largest += [(share, path) for share in hold(meshplan, path, scratch, True, options)]
        mesh = os.path.join(scratch, "q.msh")
        for size, limit, code in (("100x100", "200M", 0), ("3000x3000", "40M", 71)):
            got, peak, messages = run([meshplan, "generate", "quad", size, "-o", mesh, "--threads", "1",
                                       "--max-memory", limit, "--quiet"])
            if got != code or (code and "--max-memory" not in messages):
                failed.append(f"generate quad {size} --max-memory {limit}: exit {got} instead of {code}: {messages}")
    share, path = max(largest)
    print(f"{len(largest)} runs, at most {share:.2f} of the bound ({os.path.basename(path)})")
    for line in failed:
        print(line)
    return bool(failed)


sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
