#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No circle of files: circles.py SOURCE_FOLDER FILE

FILE lists object files, a line each (CMakeFiles/TARGET.dir/src/ROOM/NAME.c.o). A file uses another when its object needs a
symbol (mplan_..., cli_..., mpi_...) that the other's defines, as nm shows. Within a room, with its folders, no file may use itself by
way of others; and a file uses only files of rooms that its row in src/README.md names, whatever headers it
includes; rows that name meshplan.h itself may call all that installed headers declare."""
import pathlib
import re
import subprocess
import sys

import rooms as table

PUBLIC = ("meshplan.h", "exec/meshplan_exec.h")
OURS = re.compile(r"(mplan|cli|mpi)_")


def symbols_of(paths):
    """{path: [(kind, name)]} of objects, as nm shows them, all in one call."""
    found = {str(path): [] for path in paths}
    if not found:
        return found
    for line in subprocess.run(["nm", "-A", *found], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, rest = line.partition(".o:")
        found[path + ".o"].append(tuple(rest.split()[-2:]))
    return found


def source_of(path):
    return re.sub(r"^.*\.dir/(\./)?(.*)\.o$", r"\2", str(path).strip())


def uses_of(objects):
    """{file: {other file: symbols}}; an object that is compiled twice counts once."""
    defines, needs = {}, {}
    for path, symbols in symbols_of(path for path in objects if source_of(path).startswith(table.FOLDERS)).items():
        file = source_of(path)
        needs.setdefault(file, set()).update(name for kind, name in symbols if kind == "U" and OURS.match(name))
        for name in (name for kind, name in symbols if kind != "U" and kind.isupper() and OURS.match(name)):
            defines.setdefault(name, set()).add(file)
    uses = {file: {} for file in needs}
    for file, names in needs.items():
        for name in sorted(names):
            for other in defines.get(name, set()) - {file}:
                uses[file].setdefault(other, []).append(name)
    return uses


def circles(graph):
    """Sets of files that use one another in a circle (R. Tarjan, SIAM J. Comput. 1 (1972)), without recursion."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            file, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on:
                    low[file] = min(low[file], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[file])
                if low[file] == index[file]:
                    knot = stack[stack.index(file):]
                    del stack[stack.index(file):]
                    on -= set(knot)
                    if len(knot) > 1:
                        found.append(sorted(knot))
    return found


def faults(root, objects):
    rooms = table.read(root)
    public = set(re.findall(r"\b(mplan_[a-z0-9_]+)\(", "".join((root / "src" / h).read_text() for h in PUBLIC)))
    uses = uses_of(objects)
    inside = {file: {other for other in others if table.top(table.folder_of(other)) == table.top(table.folder_of(file))}
              for file, others in uses.items()}
    for knot in circles(inside):
        yield f"{len(knot)} files use one another in a circle:"
        for file in knot:
            for other in sorted(inside[file] & set(knot)):
                yield f"    {file} uses {other}: {', '.join(uses[file][other][:3])}"
    for file, others in sorted(uses.items()):
        for other, names in sorted(others.items()):
            own = table.folder_of(file)
            if "meshplan.h" in table.row_of(rooms, own).headers:
                names = [name for name in names if name not in public]
            if names and not table.may_use(rooms, own, table.folder_of(other)):
                yield f"{file} uses {', '.join(names[:3])} of {other}: {own} may not use {table.folder_of(other)}"


def main():
    root = pathlib.Path(sys.argv[1])
    objects = [line for line in pathlib.Path(sys.argv[2]).read_text().splitlines() if line.endswith(".c.o")]
    found = list(faults(root, objects))
    print("\n".join(found) if found else f"{len(objects)} objects, no circle of files")
    return 1 if found or len(objects) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
