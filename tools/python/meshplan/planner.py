# SPDX-License-Identifier: Apache-2.0
"""Meshes and plans in process, by the library: `plan`, `read_mesh`, `convert`, `verify`.

The library is compiled when the package is installed by pip. Without it (PYTHONPATH=tools/python) everything but plan
files raises NotCompiled; MESHPLAN_NATIVE names a library that was built elsewhere."""
from __future__ import annotations

import ctypes
import mmap
import os
import pathlib
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import plan as plans

Path = Union[str, "os.PathLike[str]"]
Access = Literal["read", "write", "rw", "inc", "min", "max"]
Type = Literal["u8", "u16", "i32", "i64", "f32", "f64"]
# A table between two sets: rows of equal length, or the offsets and the entries of ragged ones; -1 means none.
Table = Union[ArrayLike, "tuple[ArrayLike, ArrayLike]"]


class _Arg(TypedDict):
    dat: str
    access: Access


class Arg(_Arg, total=False):
    """What a loop does with a dat: keys as in a job file. Without `map` the dat lies on the loop's own set."""

    map: str
    dim: int
    type: Type
    none: Literal["refuse", "skip", "split"]
    # of loops with layers (meshplan-layers(7))
    levels: int
    stride: int
    offsets: Sequence[int]
    slots: Sequence[int]
    rows: int
    columns: Literal["layers", "points", "owner"]


class _Loop(TypedDict):
    over: str
    args: Sequence[Arg]


class Loop(_Loop, total=False):
    """A loop over a set: keys as in a job file."""

    name: str
    primary: bool
    calls: int
    flops: int
    layered: bool | Literal["columns"]


class MeshplanError(Exception):
    """What the library refuses, with its sentence; `status` is its number of the reason."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Disproved(MeshplanError):
    """A plan that does not hold, or that is for another mesh."""


class NotCompiled(ImportError):
    """The package has no library: it was not installed by pip."""


class Warned(UserWarning):
    """What the library warns of."""


_library: ctypes.CDLL | None = None
_WARNING = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_I32, _I64, _TEXT, _POINTER = ctypes.c_int32, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p


class _Pair(ctypes.Structure):
    _fields_ = [("key", _TEXT), ("value", _TEXT)]


class _Layers(ctypes.Structure):
    _fields_ = [("n_sets", _I32), ("names", ctypes.POINTER(_TEXT)), ("layers", ctypes.POINTER(_I32)),
                ("ranges", ctypes.POINTER(_POINTER)), ("masks", ctypes.POINTER(_POINTER)), ("numbers", ctypes.POINTER(_I32))]


# name: what it returns, what it takes
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "mpy_error_bytes": (_I32, []),
    "mpy_version": (_TEXT, []),
    "mpy_library": (_TEXT, [_I32]),
    "mpy_status_name": (_TEXT, [_I32]),
    "mpy_mesh_create": (_I32, [_POINTER, _TEXT]),
    "mpy_mesh_free": (None, [_POINTER]),
    "mpy_add_set": (_I32, [_POINTER, _TEXT, _I64, _TEXT]),
    "mpy_add_map": (_I32, [_POINTER, _TEXT, _TEXT, _TEXT, _I32, _POINTER, _POINTER, _TEXT]),
    "mpy_set_coordinates": (_I32, [_POINTER, _TEXT, _I32, _POINTER, _TEXT]),
    "mpy_add_group": (_I32, [_POINTER, _TEXT, _TEXT, _I64, _POINTER, _TEXT]),
    "mpy_mesh_read": (_I32, [_TEXT, _TEXT, _TEXT, _I32, _I64, _WARNING, _POINTER, _TEXT]),
    "mpy_mesh_refine": (_I32, [_POINTER, _I32, _I32, _WARNING, _POINTER, _TEXT]),
    "mpy_mesh_write": (_I32, [_POINTER, _TEXT, _TEXT, _TEXT, _I32, _WARNING, _TEXT]),
    "mpy_mesh_derive": (_I32, [_POINTER, _TEXT, _I32, _WARNING, _TEXT]),
    "mpy_mesh_counts": (None, [_POINTER, _POINTER]),
    "mpy_mesh_format": (_TEXT, [_POINTER]),
    "mpy_mesh_faces_name": (_TEXT, [_POINTER]),
    "mpy_set": (_TEXT, [_POINTER, _I32, _POINTER]),
    "mpy_coordinates": (_POINTER, [_POINTER, _I32, _POINTER]),
    "mpy_map": (_TEXT, [_POINTER, _I32, _POINTER, _POINTER, _POINTER]),
    "mpy_group": (_TEXT, [_POINTER, _I32, _POINTER, _POINTER]),
    "mpy_option_key": (_TEXT, [_I32]),
    "mpy_plan": (_I32, [_POINTER, _I32, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER, _I32, _POINTER, _I32, _I64, _WARNING,
                        _TEXT, _I32, _TEXT]),
    "mpy_verify": (_I32, [_POINTER, _I64, _TEXT, _POINTER, _I32, _WARNING, _TEXT]),
}


def native_folder() -> pathlib.Path:
    """The folder of the library, the command and its programs."""
    return pathlib.Path(__file__).resolve().parent / "_native"


def library() -> ctypes.CDLL:
    """The library, loaded once."""
    global _library
    if _library is None:
        path = os.environ.get("MESHPLAN_NATIVE") or str(native_folder() / "libmeshplan_python.so")
        try:
            found = ctypes.CDLL(path)
        except OSError as reason:
            raise NotCompiled(f"meshplan was not installed by pip, so only plan files can be read: {reason}") from None
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
        _library = found
    return _library


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _call(name: str, *arguments: Any) -> None:
    """Calls a function whose last argument is the text of a failure."""
    text = ctypes.create_string_buffer(library().mpy_error_bytes())
    status = getattr(library(), name)(*arguments, text)
    if status:
        meaning = library().mpy_status_name(status).decode()
        sentence = text.value.decode(errors="replace") or meaning
        if "memory" in meaning:
            raise MemoryError(sentence)
        raise (Disproved if meaning in ("disproved", "for another mesh") else MeshplanError)(status, sentence)


class _Told:
    """Keeps warnings of one call and says them after it: an exception must not pass through the library."""

    def __enter__(self) -> _Told:
        self.texts: list[str] = []
        self.function = _WARNING(lambda text: self.texts.append(text.decode(errors="replace")))
        return self

    def __exit__(self, *reason: object) -> None:
        for text in self.texts:
            warnings.warn(text, Warned, stacklevel=4)


def _view(pointer: int | None, count: int, of: Any, owner: Any) -> NDArray[Any]:
    """A read-only array of what the library owns, which keeps the owner alive."""
    if not pointer or not count:
        return np.empty(0, np.dtype(of))
    view: NDArray[Any] = np.frombuffer((of * count).from_address(pointer), np.dtype(of))
    kept = view.view(_Owned)
    kept.owner = owner
    kept.flags.writeable = False
    return kept


class _Owned(np.ndarray):  # type: ignore[type-arg]
    owner: Any = None

    def __array_finalize__(self, other: Any) -> None:
        self.owner = getattr(other, "owner", None)


class MeshMap:
    """A mapping table of a mesh: name, source and target (names of sets), arity (0: ragged), offsets (None unless ragged),
    values: int32 [rows, arity], or all entries of a ragged table; -1 means none."""

    def __init__(self, name: str, source: str, target: str, arity: int, offsets: NDArray[np.int64] | None,
                 values: NDArray[np.int32]) -> None:
        self.name, self.source, self.target, self.arity = name, source, target, arity
        self.offsets, self.values = offsets, values

    def __repr__(self) -> str:
        return f"MeshMap({self.name!r}, {self.source!r} -> {self.target!r}, arity={self.arity or 'ragged'})"


class Mesh:
    """Sets, mapping tables, coordinates and groups. Arrays are read-only views of what the library holds."""

    def __init__(self, maps: Mapping[str, Table | tuple[str, str, Table]] | None = None,
                 coordinates: Mapping[str, ArrayLike] | None = None, sets: Mapping[str, int] | None = None,
                 groups: Mapping[str, tuple[str, ArrayLike]] | None = None) -> None:
        """maps: by name, `{"faces_cells": table}` or `{"e2c": ("edges", "cells", table)}`; sets: sizes of sets that tables do
        not give (the to-set of a table is as large as its largest entry says); groups: by name, the set and its members."""
        self._handle = _POINTER()
        _call("mpy_mesh_create", ctypes.byref(self._handle))
        tables = {name: _table(name, value) for name, value in (maps or {}).items()}
        points = {name: _points(name, value) for name, value in (coordinates or {}).items()}
        for name, size in _sizes(tables, points, sets or {}).items():
            _call("mpy_add_set", self._handle, name.encode(), size)
        for name, (source, target, arity, offsets, values) in tables.items():
            _call("mpy_add_map", self._handle, name.encode(), source.encode(), target.encode(), arity,
                  None if offsets is None else offsets.ctypes.data, values.ctypes.data)
        for name, rows in points.items():
            _call("mpy_set_coordinates", self._handle, name.encode(), rows.shape[1], rows.ctypes.data)
        for name, (set_name, members) in (groups or {}).items():
            ids = _int32(f"group {name}", members)
            _call("mpy_add_group", self._handle, name.encode(), set_name.encode(), ids.size, ids.ctypes.data)

    @classmethod
    def _of(cls, handle: ctypes.c_void_p) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._handle = handle
        return mesh

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and _library is not None:
            _library.mpy_mesh_free(self._handle)

    def _counts(self) -> Any:
        counts = (_I32 * 3)()
        library().mpy_mesh_counts(self._handle, counts)
        return counts

    @property
    def sets(self) -> dict[str, int]:
        """Sizes by name."""
        size, found = _I64(), {}
        for i in range(self._counts()[0]):
            name = library().mpy_set(self._handle, i, ctypes.byref(size)).decode()
            found[name] = size.value
        return found

    @property
    def maps(self) -> dict[str, MeshMap]:
        """Tables by name; `derive` adds further ones."""
        names, found = list(self.sets), {}
        for i in range(self._counts()[1]):
            about, offsets, values = (_I64 * 5)(), _POINTER(), _POINTER()
            name = library().mpy_map(self._handle, i, about, ctypes.byref(offsets), ctypes.byref(values)).decode()
            source, target, arity, rows, entries = about
            starts = None if arity else _view(offsets.value, rows + 1, _I64, self)
            table = _view(values.value, entries, _I32, self)
            found[name] = MeshMap(name, names[source], names[target], arity, starts,
                                  table.reshape(rows, arity) if arity else table)
        return found

    @property
    def coordinates(self) -> dict[str, NDArray[np.float64]]:
        """Of the sets that have them: float64 [size, 2 or 3]."""
        found = {}
        for i, (name, size) in enumerate(self.sets.items()):
            dimension = _I32()
            pointer = library().mpy_coordinates(self._handle, i, ctypes.byref(dimension))
            if pointer:
                found[name] = _view(pointer, size * dimension.value, ctypes.c_double, self).reshape(size, dimension.value)
        return found

    @property
    def groups(self) -> dict[str, tuple[str, NDArray[np.int32]]]:
        """By name (or number, as text): the set, and its members, ascending."""
        names, found = list(self.sets), {}
        for i in range(self._counts()[2]):
            about, members = (_I64 * 3)(), _POINTER()
            name = library().mpy_group(self._handle, i, about, ctypes.byref(members)).decode()
            found[name or str(about[1])] = (names[about[0]], _view(members.value, about[2], _I32, self))
        return found

    @property
    def format(self) -> str | None:
        """Of the file that it was read from."""
        name = library().mpy_mesh_format(self._handle)
        return name.decode() if name else None

    def derive(self, name: str, threads: int = 0) -> MeshMap:
        """The table of that name, such as faces_cells or edges_nodes, made where the mesh has none."""
        with _Told() as told:
            _call("mpy_mesh_derive", self._handle, name.encode(), threads, told.function)
        return self.maps[name]

    def refined(self, times: int = 1, threads: int = 0) -> Mesh:
        """Every cell divided, `times` times."""
        handle = _POINTER()
        with _Told() as told:
            _call("mpy_mesh_refine", self._handle, times, threads, told.function, ctypes.byref(handle))
        return Mesh._of(handle)

    def write(self, path: Path, to: str | None = None, map: str | None = None, threads: int = 0) -> None:  # noqa: A002
        """Writes the mesh in the format `to`, by default that of the name's ending; `map`: of formats that hold one table."""
        with _Told() as told:
            _call("mpy_mesh_write", self._handle, os.fsencode(path), _bytes(to), _bytes(map), threads, told.function)

    def __repr__(self) -> str:
        return f"Mesh(sets={self.sets}, maps={list(self.maps)})"


def _int32(what: str, values: ArrayLike) -> NDArray[np.int32]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{what}: whole numbers are needed, not {array.dtype}")
    if array.size and (int(array.max()) >= 2**31 or int(array.min()) < -2**31):
        raise ValueError(f"{what}: numbers must fit 32 bits")
    return np.ascontiguousarray(array, np.int32)


_Made = tuple[str, str, int, "NDArray[np.int64] | None", "NDArray[np.int32]"]


def _table(name: str, value: Any) -> _Made:
    """From-set, to-set, arity, offsets, entries."""
    if isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], str):
        source, target, value = value
    else:
        source, found, target = name.partition("_")
        if not found or not source or not target:
            raise ValueError(f"map {name}: its name does not say its sets as <from>_<to>; give (from, to, table)")
    if isinstance(value, tuple):
        offsets = np.ascontiguousarray(value[0], np.int64)
        values = _int32(f"map {name}", value[1])
        if offsets.ndim != 1 or not offsets.size or offsets[0] != 0 or offsets[-1] != values.size or (np.diff(offsets) < 0).any():
            raise ValueError(f"map {name}: offsets must ascend from 0 to the number of entries")
        return source, target, 0, offsets, values
    values = _int32(f"map {name}", value)
    if values.ndim == 1:
        values = values.reshape(-1, 1)
    if values.ndim != 2 or not values.shape[1]:
        raise ValueError(f"map {name}: a table has a row for each member of {source}, not the shape {values.shape}")
    return source, target, values.shape[1], None, values


def _points(name: str, value: ArrayLike) -> NDArray[np.float64]:
    rows = np.ascontiguousarray(value, np.float64)
    if rows.ndim != 2 or rows.shape[1] not in (2, 3):
        raise ValueError(f"coordinates of {name}: 2 or 3 numbers for each member are needed, not the shape {rows.shape}")
    return rows


def _sizes(tables: Mapping[str, _Made], points: Mapping[str, NDArray[np.float64]], given: Mapping[str, int]) -> dict[str, int]:
    """Of all sets: what was given, rows of tables and coordinates; else by the largest entry."""
    sizes = {name: int(size) for name, size in given.items()}
    known = [(source, len(offsets) - 1 if offsets is not None else len(values)) for source, _, _, offsets, values in tables.values()]
    for name, size in known + [(name, len(rows)) for name, rows in points.items()]:
        if sizes.setdefault(name, size) != size:
            raise ValueError(f"set {name}: {sizes[name]} members, or {size}?")
    largest: dict[str, int] = {}
    for _, target, _, _, values in tables.values():
        largest[target] = max(largest.get(target, 0), int(values.max(initial=-1)) + 1)
    for name, size in largest.items():
        if size > sizes.setdefault(name, size):
            raise ValueError(f"set {name} has {sizes[name]} members, but a table names member {size - 1}")
    return sizes


def read_mesh(path: Path, format: str | None = None, zone: str | None = None, threads: int = 0,  # noqa: A002
              max_memory: int = 0) -> Mesh:
    """A mesh file of any format that `meshplan formats` lists."""
    handle = _POINTER()
    with _Told() as told:
        _call("mpy_mesh_read", os.fsencode(path), _bytes(format), _bytes(zone), threads, max_memory, told.function,
              ctypes.byref(handle))
    return Mesh._of(handle)


def convert(source: Path, target: Path, to: str | None = None, format: str | None = None, refine: int = 0,  # noqa: A002
            threads: int = 0) -> None:
    """Reads a mesh and writes it in another format, or refined."""
    mesh = read_mesh(source, format, threads=threads)
    (mesh.refined(refine, threads) if refine else mesh).write(target, to, threads=threads)


def _default_loop(mesh: Mesh) -> Loop:
    """What the command plans when it is told nothing: five numbers of each cell are read and incremented by faces, or through
    the first table where the mesh has no cells."""
    faces = library().mpy_mesh_faces_name(mesh._handle)
    if faces:
        source = faces.decode()
        name = f"{source}_cells"
    else:
        if not mesh.maps:
            raise ValueError("the mesh has no table: there is nothing to plan")
        first = next(iter(mesh.maps.values()))
        source, name = first.source, first.name
    return {"name": "loop", "over": source, "args": [
        {"dat": "read1", "map": name, "access": "read", "dim": 5, "type": "f64"},
        {"dat": "inc1", "map": name, "access": "inc", "dim": 5, "type": "f64"}]}


def _option(key: str, value: Any) -> tuple[bytes, bytes]:
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, (list, tuple)):
        value = ",".join(map(str, value))
    return key.encode(), str(value).encode()


def _options(given: Mapping[str, Any]) -> Any:
    keys: list[str] = []
    while (key := library().mpy_option_key(len(keys))) is not None:
        keys.append(key.decode())
    unknown = sorted(set(given) - set(keys))
    if unknown:
        raise TypeError(f"plan() has no option {unknown[0]!r}; options are {', '.join(keys)}")
    return (_Pair * len(given))(*(_Pair(*_option(key, value)) for key, value in given.items()))


def _flat(loops: Sequence[Loop]) -> tuple[list[bytes], list[bytes], list[int], list[bytes]]:
    """Loops as the library takes them: names, sets, numbers, words."""
    names, overs, numbers, words = [], [], [], []
    for i, loop in enumerate(loops):
        unknown = set(loop) - {"name", "over", "primary", "calls", "flops", "args", "layered"}
        if unknown:
            raise TypeError(f"a loop has no key {sorted(unknown)[0]!r}")
        names.append(loop.get("name", f"loop{i}" if len(loops) > 1 else "loop").encode())
        overs.append(loop["over"].encode())
        numbers += [int(loop.get("primary", False)), loop.get("calls", 1), loop.get("flops", 0), len(loop["args"])]
        for arg in loop["args"]:
            unknown = set(arg) - {"dat", "map", "access", "dim", "type", "none", *_LEVELS}
            if unknown:
                raise TypeError(f"an arg has no key {sorted(unknown)[0]!r}")
            numbers.append(arg.get("dim", 1))
            words += [text.encode() for text in (arg["dat"], arg.get("map", ""), arg["access"], arg.get("type", "f64"),
                                                 arg.get("none", "refuse"))]
    return names, overs, numbers, words


_LEVELS = ("levels", "stride", "offsets", "slots", "rows", "columns")
_COLUMNS = ("layers", "points", "owner")
_MAX_SLOTS = 32


def _levels_of(arg: Arg, where: str) -> list[int]:
    """What an arg says of levels, as a job does: levels, stride, rows, order of columns, slots as pairs."""
    of, offset = list(arg.get("slots", ())), list(arg.get("offsets", ()))
    if of and offset and len(of) != len(offset):
        raise ValueError(f"{where}: slots and offsets must have as many numbers")
    n = len(of) or len(offset) or 1
    if n > _MAX_SLOTS:
        raise ValueError(f"{where}: at most {_MAX_SLOTS} slots")
    columns = arg.get("columns", "layers")
    if columns not in _COLUMNS:
        raise ValueError(f"{where}: columns must be one of {', '.join(_COLUMNS)}, not {columns!r}")
    made = [arg["levels"], arg.get("stride", 1), arg.get("rows", 0), _COLUMNS.index(columns), n]
    for k in range(n):  # -1: every slot of the map
        made += [of[k] if of else -1, offset[k] if offset else 0]
    return made


def _mask_words(there: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Words of 32 layers, layer k in bit k % 32 of word k // 32, as the bytes of a little-endian machine."""
    padded = np.zeros((len(there), -(-there.shape[1] // 32) * 32), bool)
    padded[:, :there.shape[1]] = there
    return np.ascontiguousarray(np.packbits(padded, axis=1, bitorder="little"))


def _layers_of(mesh: Mesh, layers: Mapping[str, int | ArrayLike], loops: Sequence[Loop]) -> _Layers | None:
    """Sets, loops and args with layers as the library takes them; None without any. A table of a set has a row for each
    member: its number of layers, or the first and the one behind the last, or, of bools, for each layer whether it is there."""
    which: list[int] = []
    args: list[int] = []
    n_args = 0
    for i, loop in enumerate(loops):
        layered = loop.get("layered", False)
        if layered not in (True, False, "columns"):
            raise ValueError(f"layered must be True, False or 'columns', not {layered!r}")
        if layered:
            which += [i, 2 if layered == "columns" else 1]
        for k, arg in enumerate(loop["args"]):
            where = f"loop {loop.get('name', i)}, arg {arg['dat']}"
            given = [key for key in _LEVELS if key in arg]
            if given and "levels" not in arg:
                raise TypeError(f"{where}: {given[0]!r} needs 'levels'")
            if given and not layered:
                raise TypeError(f"{where}: levels are for args of loops that are layered")
            if given:
                args += [i, k, *_levels_of(arg, where)]
                n_args += 1
    if not layers and not which:
        return None
    ranges: list[NDArray[np.int32] | None] = []
    masks: list[NDArray[np.uint8] | None] = []
    most = []
    for name, value in layers.items():
        given = np.asarray(value)
        if given.dtype == bool and given.ndim == 2:
            if not 1 <= given.shape[1] <= 65535 or len(given) != mesh.sets.get(name):
                raise ValueError(f"layers of {name}: a mask has a row of 1 to 65,535 layers for each member, not the shape {given.shape}")
            ranges.append(None)
            masks.append(_mask_words(given))
            most.append(given.shape[1])
            continue
        masks.append(None)
        table = np.asarray(value, np.int32)
        if table.ndim == 1:
            table = np.stack([np.zeros_like(table), table], 1)
        if table.ndim and (table.ndim != 2 or table.shape[1] != 2 or len(table) != mesh.sets.get(name)):
            raise ValueError(f"layers of {name}: a number, or one or two numbers for each member, not the shape {np.shape(value)}")
        ranges.append(np.ascontiguousarray(table) if table.ndim else None)
        most.append(int(table[:, 1].max(initial=1)) if table.ndim else int(table))
    numbers = [len(which) // 2, *which, n_args, *args]
    made = _Layers(len(most), (_TEXT * len(most))(*(name.encode() for name in layers)), (_I32 * len(most))(*most),
                   (_POINTER * len(most))(*(None if one is None else one.ctypes.data for one in ranges)),
                   (_POINTER * len(most))(*(None if one is None else one.ctypes.data for one in masks)),
                   (_I32 * len(numbers))(*numbers))
    made.kept = ranges, masks  # the library reads them
    return made


def plan(maps: Mesh | Mapping[str, Table | tuple[str, str, Table]], coordinates: Mapping[str, ArrayLike] | None = None,
         loops: Sequence[Loop] | Loop | None = None, *, sets: Mapping[str, int] | None = None,
         groups: Mapping[str, tuple[str, ArrayLike]] | None = None,
         layers: Mapping[str, int | ArrayLike] | None = None, path: Path | None = None, compress: bool = False,
         threads: int = 0, max_memory: int = 0, **options: Any) -> plans.Plan:
    """Plans loops in this process, proves the plan, and opens it: orders, tables, blocks and colours are arrays.

    maps         a Mesh, or tables by name (see Mesh) with coordinates, sets and groups
    loops        as in a job file; None: what `meshplan plan` plans by default
    layers       of sets (meshplan-layers(7)): a number, or an array with one number (layers from the surface), or two (the
                 first and the one behind the last), for each member; sets that are not named have those of the mesh's file
    path         where the plan file is kept; None: nowhere, it is in memory
    options      those of a job's `plan`: block_size=256, strategy="owner-gather", renumber="rcm", ...

    MeshplanError says what is refused; warnings are Warned. The plan has the bytes that the command writes."""
    mesh = maps if isinstance(maps, Mesh) else Mesh(maps, coordinates, sets, groups)
    if isinstance(maps, Mesh) and (coordinates or sets or groups):
        raise TypeError("coordinates, sets and groups belong to the Mesh")
    wanted: Sequence[Loop] = [_default_loop(mesh)] if loops is None else [loops] if isinstance(loops, Mapping) else loops
    names, overs, numbers, words = _flat(wanted)
    pairs = _options(options)
    columns = _layers_of(mesh, layers or {}, wanted)
    with _where(path) as place, _Told() as told:
        _call("mpy_plan", mesh._handle, len(names), (_TEXT * len(names))(*names), (_TEXT * len(overs))(*overs),
              (_I64 * len(numbers))(*numbers), (_TEXT * len(words))(*words),
              None if columns is None else ctypes.byref(columns), len(pairs), pairs, threads, max_memory, told.function,
              os.fsencode(place), int(compress))
        made: plans.Plan = plans.open(place)
        return made


class _where:
    """The path, or that of a file in memory, which goes when it is mapped."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __enter__(self) -> Path:
        if self.path is not None:
            return self.path
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(prefix="meshplan-", dir=memory)
        return os.path.join(self.folder.name, "plan.mplan")

    def __exit__(self, *reason: object) -> None:
        if self.path is None:
            self.folder.cleanup()


def verify(plan: plans.Plan | Path, mesh: Mesh | Path | None = None, threads: int = 0) -> None:  # noqa: A002
    """Proves a plan with code that shares nothing with the planner, and against a mesh if one is given. Raises Disproved with
    the first thing that does not hold, MeshplanError for what is not a plan."""
    handle = None
    if mesh is not None:
        mesh = mesh if isinstance(mesh, Mesh) else read_mesh(mesh, threads=threads)
        handle = mesh._handle
    with _Told() as told:
        if isinstance(plan, plans.Plan):
            _verify(plan.file.data, "the plan", handle, threads, told)
            return
        with open(plan, "rb") as file:
            data: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.path.getsize(plan) else b""
        _verify(data, os.fspath(plan), handle, threads, told)


def _verify(data: Any, name: str, handle: Any, threads: int, told: _Told) -> None:
    bytes_ = np.frombuffer(data, np.uint8)
    if bytes_.ctypes.data % 64:  # not a mapped file
        room = np.empty(bytes_.size + 64, np.uint8)
        start = -room.ctypes.data % 64
        room[start:start + bytes_.size] = bytes_
        bytes_ = room[start:start + bytes_.size]
    _call("mpy_verify", bytes_.ctypes.data, bytes_.size, os.fsencode(name), handle, threads, told.function)


def versions() -> Iterator[str]:
    """Of meshplan and of the libraries that it was built with."""
    yield f"meshplan {library().mpy_version().decode()}"
    i = 0
    while (name := library().mpy_library(i)) is not None:
        yield name.decode()
        i += 1
