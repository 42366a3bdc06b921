#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [--all] SOURCE BUILD [CASE]...: CASE.cu of tools/gpu or of this folder (default: layers), all that it has, with CUDA emulated on
the host (cuda_runtime.h of this folder).

The kernels and their launches are those of src/exec, turned by emulate.py and compiled by c++; without it the test is
skipped. --all: cases that hold are printed, too. LAYERS_LOOPS of the environment: as layers_loops.h says; BULK_COLUMNS:
as meshplan_cuda_bulkcolumns.h says."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile


QUICK = ["column_step", "launch_streams", "layers", "parts_slabs", "sums"]  # which take longer to compile than that makes them run faster


def libraries(build):
    """The static libraries, and what they need of others."""
    names = ["meshplan_exec", "meshplan", "meshplan_reader"]
    foreign = []
    for name in names:
        with open(f"{build}/{name}.pc", encoding="utf-8") as file:
            foreign += re.search(r"Libs.private:(.*)", file.read()).group(1).split()
    # what device_memory.c lacks is device_none.c's, whose other functions come second
    return (["-Wl,--allow-multiple-definition", "-Wl,--start-group"] + [f"{build}/lib{name}.a" for name in names + ["mplan_apps"]] + ["-Wl,--end-group"]
            + foreign + ["-lm", "-pthread"])


def run_case(case, build, work, include, every_line):
    """Whether it holds."""
    loops = os.environ.get("LAYERS_LOOPS")
    bulk = os.environ.get("BULK_COLUMNS")
    include = include + ([f"-DMPLAN_BULK_COLUMNS={bulk}"] if bulk else []) + ([f"-DLAYERS_LOOPS={loops}"] if loops else [])
    subprocess.run(["c++", "-x", "c++", "-std=c++17", "-O0" if case in QUICK else "-O1", "-ffp-contract=off", "-U_FORTIFY_SOURCE", "-D__CUDACC__", *include, "-c", f"{work}/{case}.cu",
                    "-o", f"{work}/{case}.o"], check=True)
    subprocess.run(["c++", f"{work}/{case}.o", f"{work}/memory.o", *libraries(build), "-o", f"{work}/{case}"], check=True)
    ran = subprocess.run([f"{work}/{case}"], stdout=subprocess.PIPE, text=True, check=False)
    lines = ran.stdout.splitlines()
    print("\n".join(line for line in lines if every_line or not line.startswith("ok ")))
    if case == "layers":
        return ran.returncode == 0 and lines and lines[-1] == "layers: all cases hold"
    return ran.returncode == 0 and lines and all(re.search(r": 0 numbers ", line) for line in lines)


def main():
    every_line = sys.argv[1] == "--all"
    source, build, *cases = sys.argv[1 + every_line:]
    here = os.path.dirname(os.path.abspath(__file__))
    if not shutil.which("c++"):
        print("skipped: no c++")
        return 77
    cases = cases or ["layers"]
    with tempfile.TemporaryDirectory() as work:
        turn = [sys.executable, f"{here}/emulate.py"]
        subprocess.run(turn + [f"{work}/exec"] + glob.glob(f"{source}/src/exec/meshplan_*.h"), check=True)
        subprocess.run(turn + [work] + glob.glob(f"{source}/tools/gpu/*.h")
                       + [next(p for p in (f"{source}/tools/gpu/{case}.cu", f"{here}/{case}.cu") if os.path.exists(p)) for case in cases], check=True)
        include = [f"-I{here}", f"-I{work}", f"-I{source}/src", f"-I{source}/src/exec", f"-I{source}/tests/unit"]
        subprocess.run(["cc", "-std=c11", "-O1", f"-I{source}/src", "-c", f"{here}/device_memory.c", "-o", f"{work}/memory.o"],
                       check=True)
        good = [run_case(case, build, work, include, every_line) for case in cases]
    return 0 if all(good) else 1


sys.exit(main())
