#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""include_order.py and circles.py find what is planted: planted_faults.py SOURCE_FOLDER CC

Each fault is put into a copy of the source by itself, and must be named; the copy without any must pass."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import circles
import include_order

# file, the line that is added to it, what is said
LINES = [
    ("formats/numpy/npy.c", '#include "pipeline/planning.h"', "formats/numpy may not use pipeline"),
    ("formats/registry.c", '#include "pipeline/steps.h"', "formats may not use pipeline"),
    ("src/order/gps.c", '#include "exec/exec.h"', "order may not use exec"),
    ("src/order/gps.c", '#include "planfile/planfile_layout.h"', "order may not use planfile"),
    ("src/order/gps.c", '#include "partition/partition.h"', "order may not use partition"),
    ("src/check/check.c", '#include "order/order.h"', "check may not use order"),
    ("src/partition/metis.c", '#include "partition/native/native_cut.h"', "partition may not use partition/native"),
    ("formats/gmsh/gmsh.c", '#include "formats/vtk/vtk.h"', "formats/gmsh may not use formats/vtk"),
    ("src/cli/commands/cmd_run.c", '#include "base/error.h"', "cli/commands may not use base"),
    ("src/cli/main.c", '#include "exec/exec.h"', "cli may not use exec"),
    ("src/order/gps.c", "#include <scotch.h>", "order may not use scotch.h"),
    ("src/exec/dats.c", '#include "host.h"', "names no room"),
    ("src/exec/meshplan_layers.h", '#include "exec.h"', "is not installed"),
    ("src/loft/gps.c", "", "has the name of"),
    ("src/loft/attic.c", "", "folder loft has no row"),
    ("src/README.md", None, "which is not above it"),
]
# two files each: names, bodies, and what is said ("": nothing)
USES = [
    ({"src/mesh/one.c": "void mplan_two(void); void mplan_one(void); void mplan_one(void) { mplan_two(); }",
      "src/mesh/two.c": "void mplan_one(void); void mplan_two(void); void mplan_two(void) { mplan_one(); }"},
     "2 files use one another in a circle"),
    ({"src/exec/host/one.c": "void mplan_two(void); void mplan_one(void); void mplan_one(void) { mplan_two(); }",
      "src/exec/two.c": "void mplan_one(void); void mplan_two(void); void (*mplan_three)(void) = mplan_one; void mplan_two(void) {}"},
     "2 files use one another in a circle"),
    ({"src/mesh/one.c": "void mplan_two(void); void mplan_one(void); void mplan_one(void) { mplan_two(); }",
      "src/mesh/two.c": "void mplan_two(void); void mplan_two(void) {}"}, ""),
    ({"src/order/one.c": "void mplan_two(void); void mplan_one(void); void mplan_one(void) { mplan_two(); }",
      "src/planfile/two.c": "void mplan_two(void); void mplan_two(void) {}"}, "order may not use planfile"),
]


def plant(root, file, line):
    path = root / file
    if line is None: # a row that names a room below it
        path.write_text(path.read_text().replace("| nothing |", "| `job` |", 1))
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + line + "\n")


def includes_missed(source, work):
    """Faults of LINES that include_order.py does not name."""
    for folder in ("src", "formats", "cmake"):
        shutil.copytree(source / folder, work / folder)
    (work / "tests").mkdir()
    if list(include_order.faults(work)):
        yield "the source itself is not without faults"
    for file, line, said in LINES:
        before = (work / file).read_text() if (work / file).exists() else None
        plant(work, file, line)
        if not any(said in fault for fault in include_order.faults(work)):
            yield f"{file}: {line}: nobody says '{said}'"
        if before is None:
            (work / file).unlink()
            (work / file).parent.rmdir()
        else:
            (work / file).write_text(before)


def circles_missed(source, work, compiler):
    """Faults of USES that circles.py does not name, and such as it finds where there are none."""
    for n, (files, said) in enumerate(USES):
        objects = []
        for name, body in files.items():
            path = work / f"{n}.dir" / (name + ".o")
            path.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([compiler, "-c", "-x", "c", "-o", path, "-"], input=body, text=True, check=True)
            objects.append(str(path))
        found = list(circles.faults(source, objects))
        if bool(found) != bool(said) or (said and not any(said in fault for fault in found)):
            yield f"{', '.join(files)}: {found or 'no fault'}, not '{said}'"


def main():
    source, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        missed = [*includes_missed(source, pathlib.Path(a)), *circles_missed(source, pathlib.Path(b), compiler)]
    print("\n".join(missed) if missed else f"{len(LINES) + len(USES)} planted faults, all found")
    return 1 if missed else 0


sys.exit(main())
