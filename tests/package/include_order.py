#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include keeps to the table of src/README.md: include_order.py SOURCE_FOLDER

A file includes headers of its own room and of the rooms that its row names; foreign headers that any row names are
included by rooms whose row names them; file names are unique; installed headers include installed ones only. The rule has no list of its own (rooms.py reads the table);
planted_faults.py proves that breaking it is seen."""
import pathlib
import re
import sys

import rooms as table

# meshplan.h is for all; installed headers are side by side and name one another without a folder
PUBLIC = "meshplan.h"
INSTALLED = re.compile(r"meshplan_(exec|kernel|kernel_cuda|layers|ranks|packed|combine|exchange|gpu|cuda_[a-z]+)\.h")
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def file_faults(root, path, rooms, foreign):
    place = path.relative_to(root)
    own = table.folder_of(place)
    row = table.row_of(rooms, own)
    if row is None:
        yield f"{place}: folder {own} has no row in src/README.md"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, name = found.groups()
        where = f"{place}:{number}"
        if name in foreign and name not in row.foreign:
            yield f"{where}: {own} may not use {name}"
        if quote == "<" or name == PUBLIC or name in row.headers or (table.top(own) == "exec" and INSTALLED.fullmatch(name)):
            continue
        other = name.rsplit("/", 1)[0] if "/" in name else None
        if other is None or table.row_of(rooms, other) is None:
            yield f'{where}: "{name}" names no room'
        elif not table.may_use(rooms, own, other):
            yield f"{where}: {own} may not use {other}"


def name_faults(root):
    names = {}
    for path in [p for f in ("src", "formats", "tests") for p in sorted((root / f).rglob("*.[ch]"))]:
        if path.name in names:
            yield f"{path.relative_to(root)} has the name of {names[path.name]}"
        names[path.name] = path.relative_to(root)


def installed_faults(root):
    """Installed headers that include one that is not."""
    installed = re.search(r"set\(public_headers ([^)]*)\)", (root / "cmake/MeshplanLibraries.cmake").read_text()).group(1).split()
    names = {pathlib.Path(file).name for file in installed} | {"meshplan_packed.h"}
    for file in installed:
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and found.group(1) == '"' and found.group(2) not in names:
                yield f'{file}:{number}: "{found.group(2)}" is not installed'


def faults(root):
    rooms = table.read(root)
    foreign = {name for room in rooms.values() for name in room.foreign}
    yield from table.table_faults(rooms)
    for path in table.sources(root):
        yield from file_faults(root, path, rooms, foreign)
    yield from name_faults(root)
    yield from installed_faults(root)


def main():
    root = pathlib.Path(sys.argv[1])
    found, n = list(faults(root)), len(table.sources(root))
    print("\n".join(found) if found else f"{n} files use only what src/README.md lets them")
    return 1 if found or n < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
