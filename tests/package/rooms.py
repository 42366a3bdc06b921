# SPDX-License-Identifier: Apache-2.0
"""The rooms of the source, as the table of src/README.md has them: which may use which."""
import pathlib
import re

FOLDERS = ("src/", "formats/")


class Room:
    """A row: `rooms` and `headers` that its files may use, foreign headers that are its own."""
    def __init__(self, rank, rooms, headers, foreign):
        self.rank, self.rooms, self.headers, self.foreign = rank, rooms, headers, foreign


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


def read(root):
    """{name: Room} in the order of the table under '| module |'; several names in a row share it."""
    rooms, rank = {}, 0
    table = False
    for line in (pathlib.Path(root) / "src" / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| module |"):
            table = True
        elif not line.startswith("|"):
            table = False
        elif table and not line.startswith("|---"):
            rank += 1
            for name in words(cells[0]):
                may = words(cells[2])
                rooms[name] = Room(rank, {w for w in may if not w.endswith(".h")},
                                   {w for w in may if w.endswith(".h")}, set(words(cells[3])))
    return rooms


def top(name):
    return name.split("/")[0]


def any_of(folder):
    return top(folder) + "/*"


def folder_of(path):
    """'src/exec/host/host.c' -> 'exec/host', 'formats/gmsh/gmsh.c' -> 'formats/gmsh'; None for src/meshplan.h."""
    parts = pathlib.PurePath(path).parts
    inner = parts[:-1] if parts[0] == "formats" else parts[1:-1]
    return "/".join(inner) or None


def row_of(rooms, folder):
    """The row of a folder: its own, or 'formats/*' for any folder of formats. None without one."""
    if folder in rooms:
        return rooms[folder]
    return rooms.get(any_of(folder)) if "/" in folder else None


def may_use(rooms, own, other):
    """Whether files of folder `own` may use what folder `other` offers."""
    named = row_of(rooms, own).rooms
    return own == other or other in named or ("/" in other and any_of(other) in named)


def table_faults(rooms):
    """What the table itself must keep: a room uses those above it and rooms of its own module."""
    for name, room in rooms.items():
        for other in sorted(room.rooms):
            if other not in rooms and row_of(rooms, other) is None:
                yield f"src/README.md: {name} may use {other}, which has no row"
            elif top(other) != top(name) and row_of(rooms, other).rank >= room.rank:
                yield f"src/README.md: {name} may use {other}, which is not above it"


def sources(root, endings=(".c", ".h", ".cu")):
    root = pathlib.Path(root)
    return [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
            if path.suffix in endings and folder_of(path.relative_to(root))]
