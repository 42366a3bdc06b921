#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py SOURCE BUILD: tools/gpu/layers.cu, all its cases, with CUDA emulated on the host (cuda_runtime.h of this folder).

The kernels and their launches are those of src/exec, turned by emulate.py and compiled by c++; without it the test is
skipped."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile


def libraries(build):
    """The static libraries, and what they need of others."""
    names = ["meshplan_exec", "meshplan", "meshplan_reader"]
    foreign = []
    for name in names:
        with open(f"{build}/{name}.pc", encoding="utf-8") as file:
            foreign += re.search(r"Libs.private:(.*)", file.read()).group(1).split()
    # what device_memory.c lacks is device_none.c's, whose other functions come second
    return (["-Wl,--allow-multiple-definition", "-Wl,--start-group"] + [f"{build}/lib{name}.a" for name in names] + ["-Wl,--end-group"]
            + foreign + ["-lm", "-pthread"])


def main():
    source, build = sys.argv[1:3]
    here = os.path.dirname(os.path.abspath(__file__))
    if not shutil.which("c++"):
        print("skipped: no c++")
        return 77
    with tempfile.TemporaryDirectory() as work:
        turn = [sys.executable, f"{here}/emulate.py"]
        subprocess.run(turn + [f"{work}/exec"] + glob.glob(f"{source}/src/exec/meshplan_*.h"), check=True)
        subprocess.run(turn + [work, f"{source}/tools/gpu/layers.cu", f"{source}/tools/gpu/lfric_steps.h"], check=True)
        with open(f"{work}/exec/meshplan_kernel_cuda.h", "w", encoding="utf-8") as file:
            file.write("#define MPLAN_FN static inline\n")  # kernels without layers are not emulated
        include = [f"-I{here}", f"-I{work}", f"-I{source}/src", f"-I{source}/src/exec"]
        subprocess.run(["c++", "-x", "c++", "-std=c++17", "-O1", "-D__CUDACC__", *include, "-c",
                        f"{work}/layers.cu", "-o", f"{work}/layers.o"], check=True)
        subprocess.run(["cc", "-std=c11", "-O1", f"-I{source}/src", "-c", f"{here}/device_memory.c",
                        "-o", f"{work}/memory.o"], check=True)
        subprocess.run(["c++", f"{work}/layers.o", f"{work}/memory.o", *libraries(build), "-o",
                        f"{work}/layers"], check=True)
        ran = subprocess.run([f"{work}/layers"], stdout=subprocess.PIPE, text=True, check=False)
    lines = ran.stdout.splitlines()
    print("\n".join(line for line in lines if not line.startswith("ok ")))
    good = ran.returncode == 0 and lines and lines[-1] == "layers: all cases hold"
    return 0 if good else 1


sys.exit(main())
