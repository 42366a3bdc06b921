#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON of meshplan-mpi against that of meshplan, and files that no output replaces: json_over_mpi.py MESHPLAN MESHPLAN_MPI MPIEXEC

With a part file both write one bundle, and say the same of it; the ranks add what only they know."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ONE, MANY, MPIEXEC = (str(pathlib.Path(word).resolve()) if "/" in word else word for word in sys.argv[1:4])


def write_npy(path, rows, descr="<i4"):
    """Numbers of 32 bits, or of one byte, row by row."""
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    numbers = [number for row in rows for number in row]
    pathlib.Path(path).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() +
                                   struct.pack(f"<{len(numbers)}{'i' if descr == '<i4' else 'B'}", *numbers))


def run(words, code, errors=False):
    """What a program writes, or what it says."""
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr if errors else done.stdout


def both(words, code=0):
    """What both programs write: the call is one by its words."""
    serial = run([ONE, *words, "--json", "-"], code)
    ranks = run([MPIEXEC, "--oversubscribe", "-n", "3", MANY, *words, "--json", "-"], code)
    return json.loads(serial), json.loads(ranks)


def one_rank(words, code, errors=False):
    """One rank, which begins faster without mpirun."""
    return run([MANY, *words], code, errors)


def same_but(serial, ranks, more):
    """All that one process says, in its order, and then what is more."""
    left = {key: value for key, value in ranks.items() if key not in more}
    assert left == serial and [*left] == [*serial], (serial, ranks)
    assert sorted(ranks.keys() - serial.keys()) == sorted(more), ranks.keys()


def jobs():
    """Jobs that say who cuts, where jobs can be read."""
    if "libyaml" not in run([ONE, "--version"], 0):
        return
    loops = ("loops: [{name: l, over: pairs, args: [{dat: x, map: pairs_points, access: inc, dim: 1, type: f64}]}]\n")
    for name, keys in (("plain", ""), ("foreign", "cut: metis\n"), ("ours", "cut: ptscotch\ncut_ranks: 1\n")):
        pathlib.Path(name + ".yaml").write_text("meshplan: 1\nmesh: pairs_points.npy\n" + loops + "parts: 2x2\n" + keys)
    assert "foreign.yaml:5:6: 'cut: metis': meshplan-mpi cuts by native and ptscotch only" in one_rank(["plan", "foreign.yaml", "-o", "x.mplans"], 65, True)
    one_rank(["plan", "foreign.yaml", "-o", "native.mplans", "--cut", "native", "-q"], 0)
    one_rank(["plan", "plain.yaml", "-o", "x.mplans", "-q"], 0)
    assert pathlib.Path("x.mplans").read_bytes() == pathlib.Path("native.mplans").read_bytes()
    assert "meshplan-mpi" in run([ONE, "plan", "ours.yaml", "-o", "x.mplans"], 65, True)
    if "ptscotch" not in one_rank(["--version"], 0):
        assert "ours.yaml:5:6: 'cut: ptscotch': this build has not" in one_rank(["plan", "ours.yaml", "-o", "x.mplans"], 65, True)
        return
    cut = json.loads(one_rank(["plan", "ours.yaml", "-o", "ours.mplans", "--json", "-"], 0))
    one_rank(["plan", "plain.yaml", "-o", "x.mplans", "--cut", "ptscotch", "--cut-ranks", "1", "-q"], 0)
    assert pathlib.Path("x.mplans").read_bytes() == pathlib.Path("ours.mplans").read_bytes()
    assert cut["cut_by"].startswith("ptscotch-") and cut["cut_by"].endswith("-64-1") and cut["parts"] == 4, cut


def main():
    os.chdir(sys.argv[4])
    # pairs of points, which no two elements share: parts have no halos, so that plans of different cuts can be joined
    write_npy("pairs_points.npy", [(2 * i, 2 * i + 1) for i in range(12)])
    words = ["plan", "pairs_points.npy", "--over", "pairs", "--read", "points", "-o", "x.mplans"]
    for name, parts in (("a", "000011112222"), ("b", "000011121222")):
        pathlib.Path(name).write_text("\n".join(parts) + "\n")
        run([ONE, *words, "--parts", name, "-q"], 0)
        run([ONE, "split", "x.mplans", "-o", name + ".parts", "-q"], 0)
    serial, ranks = both([*words, "--parts", "a"])
    same_but({**serial, "options": ranks["options"]}, ranks, ["ranks", "parts_found", "cpu_s", "peak_bytes", "peak_rss_bytes"])
    assert sorted(serial["options"].items()) == sorted(ranks["options"].items())
    assert ranks["ranks"] == 3 and ranks["parts_found"] == 0 and ranks["sets"][0]["size"] == 12
    assert ranks["peak_rss_bytes"] == max(ranks["peak_bytes"].values()) > 0
    assert ranks["cpu_s"]["total"] > 0 and ranks["cpu_s"].keys() - {"total"} == ranks["peak_bytes"].keys()
    same_but(*both(["verify", "x.mplans"]), ["ranks"])
    os.replace("b.parts/part-1.mplan", "a.parts/part-1.mplan")
    run([ONE, "join", "a.parts", "-o", "bad.mplans", "-q"], 0)
    serial, ranks = both(["verify", "bad.mplans"], 1)
    same_but(serial, ranks, ["ranks"])
    assert not ranks["holds"] and ranks["proved"] == [] and ranks["error"]["exit_code"] == 1
    # what failed before there was anything to say of it, also on the command line
    run([MPIEXEC, "--oversubscribe", "-n", "2", MANY, *words, "--parts", "none", "--json", "failed.json", "-q"], 66)
    failed = json.loads(pathlib.Path("failed.json").read_text())
    assert failed["error"]["file"] == "none" and failed["options"]["parts"] == "none", failed
    assert json.loads(one_rank(["verify", "--nothing", "--json", "-"], 2))["error"]["exit_code"] == 2
    jobs()
    # plans of parts are kept in a folder
    assert "a: exists and is not a folder" in one_rank([*words, "--parts", "2", "--resume", "a"], 73, True)
    # no output takes the place of an input
    before = pathlib.Path("pairs_points.npy").read_bytes()
    one_rank([*words[:-1], "./pairs_points.npy", "--parts", "2"], 2)
    one_rank([*words, "--parts", "2", "--json", "pairs_points.npy"], 2)
    assert pathlib.Path("pairs_points.npy").read_bytes() == before
    inputs()


def inputs():
    """Files that the word, a job or an option leads to: none is replaced, and a mask may be of bools."""
    folder = pathlib.Path("folder")
    folder.mkdir()
    write_npy(folder / "pairs_points.npy", [(2 * i, 2 * i + 1) for i in range(12)])
    write_npy("weights.npy", [(i % 3 + 1,) for i in range(12)])
    member = ["plan", "folder", "--over", "pairs", "--read", "points", "--parts", "2", "-q"]
    kept = {path: pathlib.Path(path).read_bytes() for path in ("folder/pairs_points.npy", "weights.npy")}
    one_rank([*member, "-o", "folder.mplans"], 0)
    one_rank([*member, "-o", "folder/pairs_points.npy"], 2)
    one_rank([*member, "-o", "x.mplans", "--json", "folder/../folder/pairs_points.npy"], 2)
    one_rank([*member, "--weights", "pairs=weights.npy", "-o", "weights.npy"], 2)
    if "libyaml" in run([ONE, "--version"], 0):
        wet = [[(i + k) % 5 > 0 for k in range(7)] for i in range(12)]
        write_npy("wet.npy", wet, "|b1")
        write_npy("dry.npy", wet, "|u1")
        for name in ("wet", "dry"):
            pathlib.Path(name + ".yaml").write_text(
                f"meshplan: 1\nmesh: pairs_points.npy\nparts: 2\nlayers: {{pairs: {{layers: 7, mask: {name}.npy}}}}\n"
                "loops: [{name: l, over: pairs, layered: true, args: [{dat: x, map: pairs_points, access: inc, dim: 1, type: f64, levels: 7}]}]\n")
            one_rank(["plan", name + ".yaml", "-o", name + ".mplans", "-q"], 0)
        assert pathlib.Path("wet.mplans").read_bytes() == pathlib.Path("dry.mplans").read_bytes()
        kept["wet.npy"] = pathlib.Path("wet.npy").read_bytes()
        one_rank(["plan", "wet.yaml", "-o", "wet.npy", "-q"], 2)
    for path, data in kept.items():
        assert pathlib.Path(path).read_bytes() == data, path


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.argv.append(folder)
        main()
