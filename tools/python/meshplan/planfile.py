# SPDX-License-Identifier: Apache-2.0
"""A second reader of plan files, written from formats/plan-format.md only, with nothing of the C code.

It refuses what the specification tells a reader to refuse. `meshplan.open` puts names to what it finds;
the tests of meshplan (tests/plan_meaning.py) prove with it what the arrays mean."""
import mmap
import struct
import zlib
from types import SimpleNamespace

import numpy as np

from .xxh3 import fingerprint, xxh3_64

ONES = 0xFFFFFFFF
MAGIC = b"\x89MPLAN\n\x1a"
TYPES = {1: "<u1", 2: "<u2", 3: "<i4", 4: "<i8", 5: "<f4", 6: "<f8"}
TYPE_NAMES = {1: "u8", 2: "u16", 3: "i32", 4: "i64", 5: "f32", 6: "f64"}
U8, U16, I32, I64 = 1, 2, 3, 4
PARTS = ("set", "map", "loop", "variant", "block_set")
ARRAYS = {32: "NEW_OF_OLD", 33: "OLD_OF_NEW", 34: "GLOBAL_ID", 35: "PARENT_INDEX", 40: "MAP_VALUES", 41: "MAP_OFFSETS",
          48: "LAYER_RANGES", 49: "LAYER_MASK",
          64: "BLOCK_OFFSETS", 65: "BLOCK_SEQUENCE", 66: "BLOCK_POINT_OFFSETS", 67: "BLOCK_POINTS",
          68: "BLOCK_LOCAL", 80: "THREAD_COLOURS", 81: "BLOCK_THREAD_COLOURS", 82: "BLOCK_COLOURS",
          83: "BLOCK_LAUNCH_OFFSETS", 84: "BLOCK_LAUNCH", 96: "GLOBAL_COLOURS",
          97: "GLOBAL_LAUNCH_OFFSETS", 98: "GLOBAL_LAUNCH", 112: "GATHER_OFFSETS", 113: "GATHER_SLOTS",
          128: "BLOCK_RECORD_OFFSETS", 129: "BLOCK_RECORDS", 130: "PARTIAL_POINTS",
          131: "PARTIAL_OFFSETS", 144: "OWNER_OFFSETS", 145: "OWNER_ENTRIES", 146: "OWNER_BASE",
          147: "OWNER_ESCAPE_OFFSETS", 148: "OWNER_ESCAPES", 149: "OWNER_ROW_START",
          150: "OWNER_POINTS", 151: "OWNER_WINDOWS", 152: "OWNER_PLAIN", 176: "IMPORT_PARTS", 177: "IMPORT_RANGES",
          178: "IMPORT_HASHES", 179: "EXPORT_PARTS", 180: "EXPORT_OFFSETS", 181: "EXPORT_INDEX", 182: "EXPORT_HASHES",
          183: "LOOP_IMPORT_OFFSETS", 184: "LOOP_IMPORTS", 185: "LOOP_IMPORT_HASHES", 186: "LOOP_EXPORT_OFFSETS",
          187: "LOOP_EXPORTS", 188: "LOOP_EXPORT_HASHES", 189: "HALO_RINGS", 190: "EXPORT_RINGS", 191: "PART_PLACES", 192: "SLAB_OFFSETS", 193: "SEGMENTS",
          194: "SCHEDULE", 195: "SLAB_PIECES"}
STRINGS, REQUEST, VERSIONS, ORIGINS, VARIANTS2, STEP, STEP_CONFLICTS, ARGS2, GROUPS = 1, 9, 10, 11, 12, 13, 14, 15, 16
PART_SETS, LAYERS, VISIT, SLOTS, STREAMS = 17, 18, 19, 20, 21
# kind -> name, size, fields (name, offset, type): t text, x index or ones, e index or enumeration,
# n u32 below 2^31, i i32, c i64 not negative, m i64 of at least -1
RECORDS = {
    2: ("sets", 96, "name 0 t, split 8 t, size 16 c, storage_size 24 c, renumber 32 e, kept 36 e,"
        "bandwidth_input 40 m, bandwidth_renumbered 48 m, bandwidth_stored 56 m,"
        "profile_input 64 m, profile_renumbered 72 m, profile_stored 80 m"),
    3: ("maps", 32, "name 0 t, source 8 e, target 12 e, arity 16 n, n_entries 24 c"),
    4: ("loops", 48, "name 0 t, set 8 e, primary 12 e, n_args 16 n, n_variants 20 n,"
        "default_variant 24 n, layering 28 e, calls 32 c, flops 40 c"),
    5: ("args", 32, "dat 0 t, map 8 x, access 12 e, dim 16 n, type 20 e, none 24 e,"
        "layout 28 e"),
    6: ("variants", 96, "device 0 t, strategy 8 e, block_limit 12 n, threads 16 n,"
        "elements_per_thread 20 n, block_set 24 x, deterministic 28 e, shared_bytes_max 32 c,"
        "block_colours 40 c, thread_colours_max 48 c, thread_colours_total 56 c,"
        "global_colours 64 c, partial_sums 72 c, sums 80 e, encoding 84 e, width 88 n, window 92 n"),
    7: ("block_sets", 64, "set 0 e, loop 4 e, block_limit 8 n, sequence 12 e, partitioner 16 e,"
        "max_points 20 n, shared_bytes 24 c, n_blocks 32 c, block_min 40 c, block_max 48 c,"
        "alternative_pairs 56 m"),
    8: ("metrics", 64, "loop 0 e, block_set 4 e, set 8 e, entries 16 c, pairs 24 c,"
        "shared_points 32 c, points_max 40 c, lines 48 c, lines_ideal 56 c"),
    11: ("origins", 32, "origin 0 e, refined 4 e, extent_0 8 n, extent_1 12 n, extent_2 16 n,"
         "patches 20 n, largest 24 c"),
    12: ("variants2", 64, "order 0 e, slice_rows 4 e, entry_layout 8 e, bound_threads 12 e, bound_blocks 16 e,"
         "granule 20 e, runner_up 24 e, reason 28 e, predicted_ns 32 c, runner_up_ns 40 c,"
         "permille_01 48 e, permille_23 52 e, permille_45 56 e, round 60 n"),
    13: ("step", 16, "loop 0 e, shift 4 n, clear 8 n, lag 12 n"),
    14: ("conflicts", 32, "earlier 0 e, later 4 e, repeat 8 e, kinds 12 e, earlier_ways 16 e, later_ways 20 e, arg 24 e"),
    15: ("args2", 64, "view 0 t, way 8 e, access 12 e, first 16 c, stride 24 c, levels 32 c, n_slots 40 n,"
         "rows 44 n, columns 48 e, once 52 e"),
    16: ("groups", 32, "parent 0 t, set 8 e, parent_set 12 x, parent_size 16 c"),
    17: ("parts", 64, "parts 0 n, part 4 n, total 8 c, base 16 c, owned 24 c, inner 32 c, executed 40 c, imports 48 n,"
         "exports 52 n, exported 56 c"),
    18: ("layers", 64, "set 0 e, ranged 4 e, least 8 c, most 16 c, masked 24 e"),
    19: ("visit", 96, "slabs 0 n, granule 4 n, steps 8 n, segments 12 n, step_shift 16 n, period 20 n, memory 24 c,"
         "peak 32 c, in_bytes 40 c, out_bytes 48 c, last_bytes 56 c, host_bytes 64 c, predicted_ns 72 c, in_core_ns 80 c"),
    20: ("slots", 16, "of 0 n, offset 8 c"),
    21: ("streams", 64, "loop 0 x, arg 4 x, kind 8 n, map 12 x, ways 16 e, enters 20 i, leaves 24 i, bytes 32 c, window 40 c"),
}
FIRST_ARRAY = 32
STRATEGIES = ("global-colour", "block-colour", "two-step", "atomic", "block-gather", "owner-gather")
GLOBAL_COLOUR, BLOCK_COLOUR, TWO_STEP, ATOMIC, BLOCK_GATHER, OWNER_GATHER = range(6)
PARTIAL, ATOMIC_SUMS, COLOUR_SUMS = range(3)
INDEX32, INDEX16, PAIR32, WINDOWS16 = 1, 2, 3, 4
BY_ELEMENT, BY_COLUMN, BY_MESH = range(3)
REASONS = 5  # why the cost model chose a strategy
ORDERS2, NEW_ARGS, OWNER2, IS_PART, WITH_LAYERS, WITH_SLABS, WITH_MASK, WITH_ROUNDS = 1, 2, 4, 8, 16, 32, 64, 128  # bits of must_know
BY_LAYER, BY_COLUMNS = 1, 2  # what a function of a loop gets
MAX_LAYERS, MAX_LEVELS, MAX_SLOTS = 65535, 1048576, 32
BY_OWNER = 2  # order of a matrix's levels
WRITE, RW, INC, MIN, MAX = 1, 2, 3, 4, 5  # accesses
OF_MAP, DIRECT, OF_GLOBAL = range(3)  # classes of args
IN, OUT, LAST, RESIDENT = 1, 2, 4, 8  # ways of a stream
FIELD_TYPES = {"e": "<u4", "x": "<u4", "n": "<u4", "i": "<i4", "c": "<i8", "m": "<i8"}
ENTRY = np.dtype([(name, "<u4") for name in ("kind", "type", *PARTS, "rank", "segment", "codec")]
                 + [(name, "<u8") for name in ("rows", "cols", "offset", "stored", "raw", "hash",
                                               "reserved")])


class Refused(Exception):
    """The file is not a plan that this reader reads."""


def require(holds, sentence):
    if not holds:
        raise Refused(sentence)


def record_layout(kind):
    """numpy type of a record, the fields by their code, and the bytes that no field covers."""
    _, size, text = RECORDS[kind]
    names, offsets, formats, codes = [], [], [], {}
    free = np.ones(size, dtype=bool)
    for field in text.split(","):
        name, offset, code = field.split()
        offset = int(offset)
        codes[name] = code
        if code == "t":
            parts = [(name + ".at", offset, "<u4"), (name + ".length", offset + 4, "<u4")]
        else:
            parts = [(name, offset, FIELD_TYPES[code])]
        for part, at, form in parts:
            names.append(part)
            offsets.append(at)
            formats.append(form)
            free[at:at + np.dtype(form).itemsize] = False
    layout = np.dtype({"names": names, "offsets": offsets, "formats": formats, "itemsize": size})
    return layout, codes, free


LAYOUTS = {kind: record_layout(kind) for kind in RECORDS}


def decode_text(data, what):
    """Bytes that are not UTF-8 are kept as Python keeps them in names of files."""
    require(b"\0" not in data, f"damaged: {what} holds a zero byte")
    return data.decode("utf-8", "surrogateescape")


def encoded(text):
    return text.encode("utf-8", "surrogateescape")


def shown(text):
    """A text as JSON has it: bytes that are not UTF-8 are replaced."""
    return encoded(text).decode("utf-8", "replace")


class Plan:
    """A plan: header, fingerprints, entries (the section table), sets, maps, loops, args, variants,
    block_sets, metrics (lists of records), request, versions (texts), array(kind, set=...).

    With lazy, the hashes of the arrays are not compared, and compressed ones are inflated when they are
    asked for: opening costs what the records cost. Header, table and records are always looked at."""

    def __init__(self, data, lazy=False):
        self.data, self.lazy = memoryview(data), lazy
        self.read_header()
        self.read_table()
        self.check_sections()
        self.read_records()
        self.check_records()
        self.check_arrays()

    # header and section table

    def read_header(self):
        data = self.data
        require(len(data) >= 8 and data[:8] == MAGIC, "not a plan")
        if len(data) >= 10:
            major = struct.unpack_from("<H", data, 8)[0]
            require(major <= 1, "newer than this reader: major version")
            require(major == 1, "damaged: major version 0")
        require(len(data) >= 128, "damaged: shorter than the header")
        names = ("magic", "major", "minor", "header_bytes", "may_ignore", "must_know", "file_bytes",
                 "table_offset", "n_sections", "table_hash", "topology", "coordinates", "request",
                 "reserved", "header_hash")
        header = dict(zip(names, struct.unpack_from("<8sHHIQQQQQQQQQ32sQ", data)))
        require(header["header_hash"] == xxh3_64(data[:120]), "damaged: hash of the header")
        require(header["must_know"] & ~(ORDERS2 | NEW_ARGS | OWNER2 | IS_PART | WITH_LAYERS | WITH_SLABS | WITH_MASK | WITH_ROUNDS) == 0, "newer than this reader: feature bits")
        require(header["file_bytes"] == len(data), "damaged: length of the file")
        require(header["header_bytes"] == 128, "damaged: length of the header")
        require(header["table_offset"] == 128, "damaged: offset of the section table")
        require(not any(header["reserved"]), "damaged: reserved bytes of the header")
        require(128 + 96 * header["n_sections"] <= len(data), "damaged: extent of the section table")
        self.header = header
        self.fingerprints = {name: header[name] for name in ("topology", "coordinates", "request")}

    def read_table(self):
        n = self.header["n_sections"]
        table = self.data[128:128 + 96 * n]
        require(self.header["table_hash"] == xxh3_64(table), "damaged: hash of the section table")
        rows = np.frombuffer(table, ENTRY).tolist() if n else []
        self.entries = [SimpleNamespace(**dict(zip(ENTRY.names, row)), key=(row[0], *row[2:9]))
                        for row in rows]
        self.by_key = {entry.key: entry for entry in self.entries}

    def check_sections(self):
        end, last = 128 + 96 * len(self.entries), None
        for entry in self.entries:
            where = f"damaged: section {entry.key}"
            require(entry.kind >= 1, f"{where}: kind")
            require(last is None or entry.key > last, f"{where}: order of the keys")
            require(entry.reserved == 0, f"{where}: reserved bytes")
            unit = 4096 if entry.stored > 1 << 20 else 64
            require(entry.offset == -(-end // unit) * unit, f"{where}: offset")
            require(entry.offset + entry.stored <= len(self.data), f"{where}: extent")
            require(not any(self.data[end:entry.offset]), f"{where}: padding before it")
            if self.known(entry.kind):
                require(entry.type in TYPES, f"{where}: type")
                require(entry.codec in (0, 1), f"{where}: codec")
                require(max(entry.rows, entry.cols, entry.raw) < 1 << 63, f"{where}: size")
                size = np.dtype(TYPES[entry.type]).itemsize
                require(entry.rows * entry.cols * size == entry.raw, f"{where}: decoded size")
                require(entry.codec == 1 or entry.stored == entry.raw, f"{where}: stored size")
            end, last = entry.offset + entry.stored, entry.key
        require(end == len(self.data), "damaged: bytes behind the last section")
        for entry in self.entries:
            if self.lazy and entry.kind >= FIRST_ARRAY:
                continue
            stored = self.data[entry.offset:entry.offset + entry.stored]
            require(xxh3_64(stored) == entry.hash, f"damaged: section {entry.key}: hash")

    @staticmethod
    def known(kind):
        return kind in ARRAYS or kind in RECORDS or kind in (STRINGS, REQUEST, VERSIONS)

    # sections 1 to 10

    def description(self, kind, cols):
        """The stored bytes of one of the sections that describe the plan."""
        entry = self.by_key.get((kind,) + (ONES,) * 7)
        require(entry is not None, f"damaged: section {kind} is missing")
        require(entry.codec == 0 and entry.type == U8 and entry.cols == cols
                and entry.rows < 1 << 31, f"damaged: section {kind}: type, codec or size")
        return self.data[entry.offset:entry.offset + entry.stored]

    def read_records(self):
        self.strings = bytes(self.description(STRINGS, 1))
        self.text_end = 0
        for kind, (name, size, _) in RECORDS.items():
            found = kind < ORIGINS or self.key(kind) in self.by_key  # plans need not have all of them
            setattr(self, name, self.records(kind, name, self.description(kind, size) if found else b""))
        require(self.key(ORIGINS) not in self.by_key or len(self.origins) == len(self.block_sets),
                "damaged: number of origins")
        require(self.key(ORIGINS) in self.by_key or self.header["minor"] == 0, "damaged: 1.1 without origins")
        require(self.text_end == len(self.strings), "damaged: texts that no record refers to")
        self.request = decode_text(bytes(self.description(REQUEST, 1)), "the request")
        self.versions = decode_text(bytes(self.description(VERSIONS, 1)), "the versions")
        for entry in self.entries:
            require(entry.kind >= FIRST_ARRAY or entry.key[1:] == (ONES,) * 7 or not self.known(entry.kind),
                    f"damaged: section {entry.key}: key")

    def records(self, kind, name, data):
        layout, codes, free = LAYOUTS[kind]
        rows = np.frombuffer(data, np.uint8).reshape(-1, layout.itemsize)
        require(not rows[:, free].any(), f"damaged: reserved bytes of {name}")
        result = []
        for number, row in enumerate(np.frombuffer(data, layout).tolist()):
            values, where = dict(zip(layout.names, row)), f"{name} {number}"
            record = SimpleNamespace(index=number)
            for field, code in codes.items():
                if code == "t":
                    value = self.text(values[field + ".at"], values[field + ".length"], where)
                else:
                    value = values[field]
                    least = {"c": 0, "m": -1, "i": -(1 << 31)}.get(code, 0)
                    require(value >= least and (code != "n" or value < 1 << 31),
                            f"damaged: {where}: {field} {value}")
                setattr(record, field, None if code == "x" and value == ONES else value)
            result.append(record)
        return result

    def text(self, at, length, where):
        require(at == self.text_end, f"damaged: {where}: offset of a text")
        require(at + length <= len(self.strings), f"damaged: {where}: extent of a text")
        self.text_end += length
        return decode_text(self.strings[at:at + length], where)

    def check_records(self):
        self.check_args2()
        self.check_variants2()
        bits = ORDERS2 * any(one.renumber == 7 for one in self.sets)
        bits |= NEW_ARGS * any(one.is_global or one.access > INC or one.once for one in self.args)
        bits |= OWNER2 * any(one.order or one.slice_rows or one.entry_layout for one in self.variants2)
        bits |= OWNER2 * any(one.encoding == WINDOWS16 for one in self.variants)
        bits |= WITH_ROUNDS * any(one.round for one in self.variants2)
        bits |= IS_PART * bool(self.parts)
        bits |= WITH_LAYERS * any(one.layering for one in self.loops)
        bits |= WITH_SLABS * bool(self.visit)
        bits |= WITH_MASK * any(one.masked for one in self.layers)
        require(self.header["must_know"] == bits, "damaged: feature bits that are not those of the plan")
        for one in self.sets:
            require(one.size <= one.storage_size < (1 << 31) - 1, f"damaged: size of set {one.name}")
            require(one.renumber in (0, 2, 3, 4, 5, 6, 7) and one.kept in (0, 1),
                    f"damaged: renumbering of set {one.name}")
        for one in self.maps:
            require(max(one.source, one.target) < len(self.sets), f"damaged: sets of map {one.name}")
            require(one.arity == 0 or one.n_entries == one.arity * self.sets[one.source].storage_size,
                    f"damaged: entries of map {one.name}")
        self.check_groups()
        self.check_loops()
        self.check_layers()
        self.check_parts()
        for one in self.block_sets:
            self.check_block_set(one)
            one.origin = self.origins[one.index] if self.origins else None
            self.check_origin(one, one.origin)
        for loop in self.loops:
            for variant in loop.variants:
                self.check_variant(loop, variant)
        self.check_metrics()
        self.check_step()
        self.check_visit()

    def check_args2(self):
        """What 1.2 adds to args; every arg has `is_global`, and its access of both records."""
        there = self.key(ARGS2) in self.by_key
        require(not there or len(self.args2) == len(self.args), "damaged: number of args2")
        for number, arg in enumerate(self.args):
            arg.is_global, arg.once = False, 0
            require(arg.access <= INC, f"damaged: arg {number}: access")
            if not there:
                continue
            more, where = self.args2[number], f"damaged: arg {number} of 1.2"
            require(more.way in ((DIRECT, OF_GLOBAL) if arg.map is None else (OF_MAP,)), f"{where}: class")
            require(arg.access == (INC if more.access in (MIN, MAX) else more.access), f"{where}: access")
            require(more.first == 0 and more.levels <= MAX_LEVELS, f"{where}: levels")
            require(1 <= more.stride <= MAX_LEVELS if more.levels else more.stride == 0, f"{where}: stride")
            require(1 <= more.n_slots <= MAX_SLOTS if more.levels else more.n_slots == 0, f"{where}: slots")
            require(more.levels or not (more.rows or more.columns), f"{where}: rows")
            require(more.columns <= BY_OWNER, f"{where}: order of levels")
            require(more.once <= (more.way == OF_MAP and more.access in (WRITE, RW)), f"{where}: once")
            arg.is_global, arg.access, arg.once = more.way == OF_GLOBAL, more.access, more.once
        require(not there or any(arg.is_global or arg.access > INC or arg.once for arg in self.args)
                or any(one.layering for one in self.loops), "damaged: args2 without need")

    def check_variants2(self):
        """What 1.2 adds to variants; every variant has `order`."""
        there = self.key(VARIANTS2) in self.by_key
        require(not there or len(self.variants2) == len(self.variants), "damaged: number of variants2")
        fields = LAYOUTS[VARIANTS2][1]
        require(not there or any(getattr(one, field) for one in self.variants2 for field in fields),
                "damaged: variants2 without need")
        for number, variant in enumerate(self.variants):
            variant.order = self.variants2[number].order if there else BY_ELEMENT
            variant.slice_rows = self.variants2[number].slice_rows or 32 if there else 32
            variant.round = self.variants2[number].round if there else 0
            rows = variant.strategy in (TWO_STEP, OWNER_GATHER)
            require(variant.order <= (BY_MESH if rows else BY_ELEMENT), f"damaged: variant {number}: order")
        for one in self.variants2:
            require(one.slice_rows in ((0, 64) if self.variants[one.index].strategy == OWNER_GATHER else (0,)),
                    f"damaged: variant {one.index}: rows of a slice")
            own = self.variants[one.index]
            bounds = (one.bound_threads, one.bound_blocks)
            require(bounds == (0, 0) or own.strategy in (BLOCK_GATHER, OWNER_GATHER)
                    and one.bound_threads == own.threads and 1 <= one.bound_blocks <= 32,
                    f"damaged: variant {one.index}: launch bounds")
            require(one.entry_layout <= (own.encoding == 4 and own.width > 0),
                    f"damaged: variant {one.index}: layout of entries")
            require(not one.round or own.strategy == BLOCK_GATHER and one.round < own.block_limit,
                    f"damaged: variant {one.index}: elements of a round")
            require(not one.granule,
                    f"damaged: variant {one.index}: a value that no version has")
            require(one.runner_up <= len(STRATEGIES), f"damaged: variant {one.index}: runner-up")
            require(one.reason < REASONS, f"damaged: variant {one.index}: reason")

    def check_groups(self):
        """Every set has `group`: its record of GROUPS, or None."""
        require(self.groups or self.key(GROUPS) not in self.by_key, "damaged: groups without need")
        sets = [one.set for one in self.groups]
        require(sets == sorted(set(sets)) and all(one < len(self.sets) for one in sets), "damaged: sets of groups")
        for one in self.sets:
            one.group = None
        for one in self.groups:
            member, where = self.sets[one.set], f"damaged: group {one.index}"
            require(one.parent, f"{where}: name of the parent")
            require(one.parent_set is None or one.parent_set < len(self.sets) and one.parent_set != one.set,
                    f"{where}: parent")
            require(member.size <= one.parent_size < (1 << 31) - 1, f"{where}: members of the parent")
            member.group = one

    def check_parts(self):
        """Every set has `part`: its record of PARTS, or None."""
        require(len(self.parts) == (len(self.sets) if self.key(PART_SETS) in self.by_key else 0) and
                (self.parts or self.key(PART_SETS) not in self.by_key), "damaged: number of records of parts")
        for one in self.sets:
            one.part = part = self.parts[one.index] if self.parts else None
            if part is None:
                continue
            where, first, halo = f"damaged: set {one.name} of the part", self.parts[0], one.size - part.owned
            require((part.parts, part.part) == (first.parts, first.part) and part.part < part.parts, f"{where}: part")
            require(not (one.split or one.group) and one.size == one.storage_size, f"{where}: a split, group or holes")
            require(part.total <= 1 << 62 and part.base + part.owned <= part.total, f"{where}: total or base")
            require(part.inner <= part.owned <= part.executed <= one.size, f"{where}: ranges")
            require(max(part.imports, part.exports) < part.parts, f"{where}: neighbours")
            require((part.imports == 0) == (halo == 0) and part.imports <= halo, f"{where}: halo")
            require(part.exports <= part.exported <= part.exports * part.owned, f"{where}: exports")

    def reads_set(self, loop, number):
        """Whether a loop has an arg with access read or rw of a dat of the set."""
        return any(arg.access in (0, RW) and not arg.is_global
                   and (loop.set if arg.map is None else self.maps[arg.map].target) == number for arg in loop.args)

    def check_layers(self):
        """What sets, loops and args with layers agree on; every set has `layers` (0: none), every arg its `slots`."""
        layered = any(one.layering for one in self.loops)
        for kind in (LAYERS, SLOTS):
            require((self.key(kind) in self.by_key) == layered, "damaged: layers without need")
        sets = [one.set for one in self.layers]
        require(sets == sorted(set(sets)) and all(one < len(self.sets) for one in sets), "damaged: sets of layers")
        for one in self.sets:
            one.layers, one.ranged, one.least, one.masked = 0, False, 0, False
        for one in self.layers:
            require(1 <= one.most <= MAX_LAYERS and one.ranged <= 1 and one.masked <= 1, f"damaged: layers of set {one.set}")
            require(one.least <= one.most if one.ranged else one.least == one.most, f"damaged: layers of set {one.set}")
            member = self.sets[one.set]
            member.layers, member.ranged, member.least, member.masked = one.most, bool(one.ranged), one.least, bool(one.masked)
            require(any(loop.layering and loop.set == one.set for loop in self.loops), "damaged: layers of no loop")
        at = 0
        for number, arg in enumerate(self.args):
            arg.more = self.args2[number] if self.args2 else None
            count = arg.more.n_slots if arg.more else 0
            arg.slots = self.slots[at:at + count]
            require(len(arg.slots) == count and all(slot.offset <= MAX_LEVELS for slot in arg.slots), "damaged: slots")
            at += count
        require(at == len(self.slots), "damaged: slots of no arg")
        for loop in self.loops:
            require(loop.layering <= BY_COLUMNS and (not loop.layering or self.sets[loop.set].layers),
                    f"damaged: loop {loop.name}: layering")
            require(loop.layering != BY_COLUMNS or not self.sets[loop.set].masked, f"damaged: loop {loop.name}: columns with a mask")
            for arg in loop.args:
                self.check_levels(loop, arg)
            if loop.layering:
                self.check_layered_variants(loop)

    def check_levels(self, loop, arg):
        where, more = f"damaged: loop {loop.name}, dat {arg.dat}", arg.more
        levels, columns = more.levels if more else 0, loop.layering == BY_COLUMNS
        require(loop.layering or not levels, f"{where}: levels without layers")
        if not loop.layering:
            return
        mapped, stores = arg.map is not None, arg.access != 0
        arity = self.maps[arg.map].arity if mapped else 1
        require(arity, f"{where}: a ragged map")
        require(not arg.is_global or not (stores or levels), f"{where}: a global that is not only read")
        require(levels or not stores, f"{where}: written without levels")
        require(not (mapped and stores) or arg.access >= INC and not columns, f"{where}: written through a map")
        require(mapped or not stores or len(arg.slots) == 1, f"{where}: written by two layers")
        pairs = [(slot.of, slot.offset) for slot in arg.slots]
        require(len(set(pairs)) == len(pairs), f"{where}: one slot twice")
        for of, offset in pairs:
            highest = 0 if columns else offset + more.stride * (self.sets[loop.set].layers - 1)
            require(of < arity and highest < levels and not (columns and offset), f"{where}: a slot leads out")
        added = [one for one in loop.args if one.map is not None and one.access != 0]
        require(more.columns != BY_OWNER or more.rows, f"{where}: no rows for owners")
        require(not more.rows or added and all(len(one.slots) == more.rows for one in added) and not mapped
                and not stores and not arg.is_global and len(pairs) == 1 and arg.dim % more.rows == 0 and not columns,
                f"{where}: no matrix")
        for one in loop.args[:loop.args.index(arg)]:
            if one.dat != arg.dat:
                continue
            require(one.more.levels == levels and one.more.columns == more.columns, f"{where}: other levels")
            alike = len(one.slots) == len(pairs) == 1 and one.more.stride == more.stride \
                and one.slots[0].offset == arg.slots[0].offset
            require(not (stores or one.access != 0) or mapped or one.map is not None or not levels or alike,
                    f"{where}: written by one layer and accessed by another")

    def check_layered_variants(self, loop):
        lists = {(one.map, one.more.stride, one.more.levels, tuple((slot.of, slot.offset) for slot in one.slots))
                 for one in loop.args if one.access != 0}
        for one in loop.variants:
            where = f"damaged: a variant of loop {loop.name} with layers"
            require(one.strategy != OWNER_GATHER or one.encoding in (INDEX16, INDEX32) and len(lists) == 1
                    and all(one[0] is not None for one in lists), f"{where}: owners")

    def check_loops(self):
        require(not self.loops or sorted(one.primary for one in self.loops)
                == [0] * (len(self.loops) - 1) + [1], "damaged: not one primary loop")
        n_args = n_variants = 0
        for one in self.loops:
            where = f"damaged: loop {one.name}"
            require(one.set < len(self.sets), f"{where}: set")
            require(one.n_variants >= 1 and one.default_variant < one.n_variants, f"{where}: variants")
            require(one.calls >= 1, f"{where}: calls")
            one.args = self.args[n_args:n_args + one.n_args]
            one.variants = self.variants[n_variants:n_variants + one.n_variants]
            n_args += one.n_args
            n_variants += one.n_variants
            for arg in one.args:
                require(arg.map is None or arg.map < len(self.maps)
                        and self.maps[arg.map].source == one.set, f"{where}: map of an arg")
                require(arg.dim >= 1 and arg.type in TYPES and arg.none <= 2
                        and arg.layout <= 1,
                        f"{where}: an arg")
        require(n_args == len(self.args), "damaged: number of args")
        require(n_variants == len(self.variants), "damaged: number of variants")

    @staticmethod
    def check_origin(block_set, one):
        if one is None:
            return
        where, found = f"damaged: origin of block set {one.index}", one.origin > 1
        require(one.origin <= 6 and one.refined <= 1, f"{where}: value")
        require(one.origin == 0 or block_set.partitioner == 4, f"{where}: partitioner")
        require(one.origin or not one.refined, f"{where}: refined")
        for figure in (one.extent_0, one.extent_1, one.extent_2, one.patches, one.largest):
            require((figure >= 1) == found and figure < (1 << 31) - 1, f"{where}: figures")

    def check_block_set(self, one):
        where = f"damaged: block set {one.index}"
        require(one.set < len(self.sets) and one.loop < len(self.loops)
                and self.loops[one.loop].set == one.set, f"{where}: set or loop")
        require(1 <= one.block_limit <= 1024, f"{where}: block limit")
        require(one.sequence <= 1 and one.partitioner <= 4, f"{where}: sequence or partitioner")
        require(one.max_points <= 65535, f"{where}: limit of points")
        require(one.n_blocks <= self.sets[one.set].size, f"{where}: number of blocks")
        require(one.block_min <= one.block_max <= one.block_limit, f"{where}: sizes of blocks")
        require(one.n_blocks or one.block_min == 0, f"{where}: sizes without blocks")

    def check_variant(self, loop, one):
        where = f"damaged: a variant of loop {loop.name}"
        require(one.strategy < len(STRATEGIES) and one.deterministic <= 1, f"{where}: strategy or promise")
        require(max(one.block_colours, one.global_colours) < (1 << 31) - 1, f"{where}: too many colours")
        require(one.block_set is not None or one.strategy not in (BLOCK_COLOUR, BLOCK_GATHER),
                f"{where}: no blocks")
        blocks, owners = one.strategy == BLOCK_GATHER, one.strategy == OWNER_GATHER
        require(one.block_set is None or not owners, f"{where}: blocks of owner-gather")
        require(one.sums <= (2 if blocks else 0), f"{where}: sums")
        require(not (one.round and loop.layering), f"{where}: rounds of a loop with layers")
        require(1 <= one.encoding <= 4 if owners else one.encoding == 0, f"{where}: encoding")
        require(one.width <= (4 if owners else 0), f"{where}: width")
        require(one.window in ((0, 256) if owners and one.width == 0 else (0,)), f"{where}: window")
        require(not (blocks or owners) or self.gathering(loop) is not None, f"{where}: does not gather")
        require(one.block_set is None or one.block_set < len(self.block_sets)
                and self.block_sets[one.block_set].set == loop.set, f"{where}: block set")

    def check_step(self):
        there = [self.key(kind) in self.by_key for kind in (STEP, STEP_CONFLICTS)]
        require(there[0] == there[1] == bool(self.step), "damaged: a step without conflicts, or without entries")
        require(len(self.step) <= 4096, "damaged: length of the step")
        require(all(one.loop < len(self.loops) for one in self.step), "damaged: loop of the step")
        for one in self.step:
            args = self.loops[one.loop].args
            require(one.clear <= len(args) and (not one.clear or args[one.clear - 1].access == INC),
                    f"damaged: entry {one.index} of the step clears what is not incremented")
            require(one.lag <= 1, f"damaged: lag of entry {one.index} of the step")
            require(not one.shift or self.visit, "damaged: a shift without slabs")
        for one in self.conflicts:
            require(max(one.earlier, one.later) < len(self.step) and one.repeat <= 1 and 1 <= one.kinds <= 8
                    and 1 <= one.earlier_ways <= 7 and 1 <= one.later_ways <= 7
                    and one.arg < self.loops[self.step[one.later].loop].n_args, f"damaged: conflict {one.index}")

    def check_visit(self):
        there = [self.key(kind) in self.by_key for kind in (VISIT, STREAMS)]
        require(there[0] == there[1] == bool(self.visit), "damaged: a visit without streams, or streams without it")
        require(len(self.visit) <= 1, "damaged: more than one visit")
        if not self.visit:
            return
        visit = self.visit[0]
        require(self.step and visit.slabs >= 1 and visit.granule >= 32 and visit.granule % 32 == 0, "damaged: slabs")
        require(1 <= visit.steps <= 4096 and 2 <= visit.segments <= min(4096, visit.slabs), "damaged: steps or segments")
        require(visit.segments <= visit.period <= visit.segments + 2, "damaged: period of the visits")
        for one in self.streams:
            where = f"damaged: stream {one.index}"
            require((one.loop is None) == (one.map is not None), f"{where}: loop")
            require(one.loop is None or one.loop < len(self.loops), f"{where}: loop")
            require(one.map is None or one.map < len(self.maps), f"{where}: map")
            if one.arg is not None:
                args = self.loops[one.loop].args if one.loop is not None else []
                require(one.arg < len(args) and not args[one.arg].is_global and one.kind == 0, f"{where}: arg")
            else:
                require(one.kind == 40 if one.map is not None else 144 <= one.kind <= 152, f"{where}: kind")
            require(one.ways in (IN, IN + OUT, LAST, RESIDENT), f"{where}: ways")

    def check_metrics(self):
        expected = [(loop.index, block_set, to) for loop in self.loops
                    for block_set in self.block_sets_of(loop) for to in self.targets(loop)]
        found = [(one.loop, one.block_set, one.set) for one in self.metrics]
        require(found == expected, "damaged: metrics are not of the loops, block sets and sets")
        require(all(one.points_max <= 65535 for one in self.metrics), "damaged: points of a block")

    # what belongs to a loop

    def maps_of(self, loop, writing=False):
        """Distinct maps of a loop's args, ascending; with `writing` those of write, rw and inc, but once."""
        return sorted({arg.map for arg in loop.args
                       if arg.map is not None and (arg.access != 0 and not arg.once or not writing)})

    def targets(self, loop):
        return sorted({self.maps[one].target for one in self.maps_of(loop)})

    def block_sets_of(self, loop):
        """Block sets that a variant of the loop refers to or that were made for it."""
        return sorted({one.block_set for one in loop.variants if one.block_set is not None}
                      | {one.index for one in self.block_sets if one.loop == loop.index})

    def positions(self, block_set):
        owner = self.sets[block_set.set]
        return owner.size if block_set.sequence else owner.storage_size

    def gathering(self, loop):
        """What a loop that gathers increments: target, increment maps, local maps; None otherwise."""
        added = {arg.map for arg in loop.args if arg.map is not None and arg.access >= INC}
        written = [arg for arg in loop.args if arg.map is not None and arg.access != 0
                   and not (arg.once and arg.map not in added)]  # stored beside the sums
        maps = list(dict.fromkeys(arg.map for arg in written))
        targets = {self.maps[one].target for one in maps}
        if (len(targets) != 1 or any(arg.access < INC for arg in written)
                or any(self.maps[one].arity == 0 for one in maps)):
            return None
        target = targets.pop()
        others = [arg.map for arg in loop.args if arg.map is not None and arg.map not in maps
                  and self.maps[arg.map].target == target and self.maps[arg.map].arity]
        rest = list(dict.fromkeys(arg.map for arg in loop.args if arg.map is not None and arg.map not in maps))
        direct = any(arg.map is None and (not arg.is_global or arg.access != 0) for arg in loop.args)
        return SimpleNamespace(target=target, maps=maps, local=maps + list(dict.fromkeys(others)), rest=rest,
                               columns=sum(self.maps[one].arity for one in maps), direct=direct,
                               fields=1 + direct + sum(self.maps[one].arity for one in rest))

    # arrays

    @staticmethod
    def key(kind, **parts):
        return (kind,) + tuple(parts.get(part, ONES) for part in PARTS) + (ONES, ONES)

    def expected_arrays(self):
        """Key -> (type, rows, cols) of every array that the records call for."""
        result = {}

        def expect(kind, form, rows, cols=1, **parts):
            result[self.key(kind, **parts)] = (form, rows, cols)

        for one in self.sets:
            expect(32, I32, one.size, set=one.index)
            expect(33, I32, one.storage_size, set=one.index)
            if one.split or one.part:
                expect(34, I64, one.size, set=one.index)
            if one.group:
                expect(35, I32, one.size, set=one.index)
            if one.ranged:
                expect(48, I32, one.storage_size, 2, set=one.index)
            if one.masked:
                expect(49, I32, one.storage_size, (one.layers + 31) // 32, set=one.index)
        for one in self.maps:
            rows = self.sets[one.source].storage_size
            if one.arity:
                expect(40, I32, rows, one.arity, map=one.index)
            else:
                expect(40, I32, one.n_entries, map=one.index)
                expect(41, I64, rows + 1, map=one.index)
        for one in self.block_sets:
            expect(64, I64, one.n_blocks + 1, block_set=one.index)
            if one.sequence:
                expect(65, I32, self.sets[one.set].size, block_set=one.index)
        for one in self.metrics:
            parts = {"set": one.set, "loop": one.loop, "block_set": one.block_set}
            expect(66, I64, self.block_sets[one.block_set].n_blocks + 1, **parts)
            expect(67, I32, one.pairs, **parts)
        for loop in self.loops:
            self.expect_of_loop(expect, loop)
        for one in self.parts:
            self.expect_of_part(expect, one)
        for visit in self.visit:
            for one in self.sets:
                expect(192, I64, visit.slabs + 1, set=one.index)
            expect(193, I32, visit.segments + 1)
            expect(194, I32, None, 4)
            for one in self.sets:
                if one.storage_size >= 64 * visit.slabs:
                    expect(195, I32, visit.slabs, 15, set=one.index)
        return result

    @property
    def rings(self):
        """Around a part that it computes as well, by a line of the request (section 11); else 0."""
        lines = [line for line in self.request.split("\n") if line.startswith("rings ")] if self.parts else []
        return int(lines[0][6:]) if lines and lines[0][6:] in map(str, range(1, 17)) else 0

    def expect_of_part(self, expect, one):
        parts = {"set": one.index}
        for kind, form, rows, cols in ((176, I32, one.imports, 1), (177, I64, one.imports, 4), (178, I64, one.imports, 1),
                                       (179, I32, one.exports, 1), (180, I64, one.exports + 1, 1), (181, I32, one.exported, 1),
                                       (182, I64, one.exports, 1)):
            expect(kind, form, rows, cols, **parts)
        if self.rings:
            expect(189, U8, self.sets[one.index].size - one.owned, **parts)
            expect(190, U8, one.exported, **parts)
        if self.visit:
            expect(191, I32, self.sets[one.index].size, **parts)
        for loop in self.loops:
            if self.reads_set(loop, one.index):
                for kind, form, rows in ((183, I64, one.imports + 1), (184, I32, None), (185, I64, one.imports),
                                         (186, I64, one.exports + 1), (187, I32, None), (188, I64, one.exports)):
                    expect(kind, form, rows, set=one.index, loop=loop.index)

    def expect_of_loop(self, expect, loop):
        for number in self.maps_of(loop):
            one = self.maps[number]
            for block_set in self.block_sets_of(loop):
                parts = {"map": number, "loop": loop.index, "block_set": block_set}
                if one.arity:
                    expect(68, U16, self.positions(self.block_sets[block_set]), one.arity, **parts)
                else:
                    expect(68, U16, one.n_entries, **parts)
        for number, variant in enumerate(loop.variants):
            parts = {"loop": loop.index, "variant": number}
            if variant.strategy == BLOCK_COLOUR:
                block_set = self.block_sets[variant.block_set]
                expect(80, U16, self.positions(block_set), **parts)
                expect(81, U16, block_set.n_blocks, **parts)
                expect(82, I32, block_set.n_blocks, **parts)
                expect(83, I64, variant.block_colours + 1, **parts)
                expect(84, I32, block_set.n_blocks, **parts)
            elif variant.strategy == GLOBAL_COLOUR:
                expect(96, I32, self.sets[loop.set].storage_size, **parts)
                expect(97, I64, variant.global_colours + 1, **parts)
                expect(98, I32, self.sets[loop.set].size, **parts)
            self.expect_gathering(expect, loop, variant, parts)
        if any(variant.strategy == TWO_STEP for variant in loop.variants):
            for number in self.maps_of(loop, writing=True):
                one = self.maps[number]
                expect(112, I64, self.sets[one.target].storage_size + 1, map=number, loop=loop.index)
                expect(113, I64, None, map=number, loop=loop.index)  # rows: at most the map's entries

    def expect_gathering(self, expect, loop, variant, parts):
        if variant.strategy == BLOCK_GATHER:
            n_blocks = self.block_sets[variant.block_set].n_blocks
            expect(128, I64, n_blocks + 1, **parts)
            expect(129, U8, None, **parts)
            if variant.sums == PARTIAL:
                expect(130, I32, None, **parts)
                expect(131, I64, None, **parts)
            if variant.sums == COLOUR_SUMS:
                expect(82, I32, n_blocks, **parts)
                expect(83, I64, variant.block_colours + 1, **parts)
                expect(84, I32, n_blocks, **parts)
        if variant.strategy == OWNER_GATHER:
            points = self.sets[self.gathering(loop).target].storage_size
            rows = variant.slice_rows
            slices, width = -(-points // rows), variant.width
            form = U16 if variant.encoding in (INDEX16, WINDOWS16) else I32
            numbers = self.gathering(loop).fields if variant.encoding == WINDOWS16 else 1
            expect(145, form, rows * slices * width * numbers if width else None, **parts)
            if variant.encoding == WINDOWS16:
                expect(151, I32, 16 * slices, **parts)
                expect(152, I32, None, **parts)
            if not width:
                expect(144, I64, slices + 1, **parts)
            if variant.encoding == INDEX16:
                expect(146, I32, slices, **parts)
                expect(147, I64, slices + 1, **parts)
                expect(148, I32, None, **parts)
            if variant.encoding == PAIR32:
                expect(149, I32, points + 1, **parts)
            if variant.window:
                expect(150, U8, rows * slices, **parts)

    def most_rows(self, entry):
        """Rows that the records bound, of an array whose number they do not say."""
        if entry.kind == 113:
            return self.maps[entry.map].n_entries
        if entry.kind == 194:
            return (1 << 31) - 1
        if entry.kind == 184:
            return self.sets[entry.set].size - self.parts[entry.set].owned
        if entry.kind == 187:
            return self.parts[entry.set].exported
        gathering = self.gathering(self.loops[entry.loop])
        points = self.sets[gathering.target].storage_size
        entries = sum(self.maps[one].n_entries for one in gathering.maps)
        padded = entries * self.loops[entry.loop].variants[entry.variant].slice_rows
        return {130: points, 131: points + 1, 145: padded * gathering.fields, 148: entries, 152: padded}.get(entry.kind, 1 << 62)

    def check_arrays(self):
        expected = self.expected_arrays()
        for entry in self.entries:
            if entry.kind in ARRAYS:
                where = f"damaged: section {ARRAYS[entry.kind]} {entry.key}"
                require(entry.key in expected, f"{where}: belongs to nothing")
                form, rows, cols = expected[entry.key]
                if rows is None:
                    require(entry.rows <= self.most_rows(entry), f"{where}: rows")
                    rows = entry.rows
                require((entry.type, entry.rows, entry.cols) == (form, rows, cols), f"{where}: shape")
        for key in expected:
            require(key in self.by_key, f"damaged: section {ARRAYS[key[0]]} {key} is missing")
        self.arrays = {} if self.lazy else {key: self.decoded(self.by_key[key]) for key in expected}

    def decoded(self, entry):
        stored = self.data[entry.offset:entry.offset + entry.stored]
        raw = stored if entry.codec == 0 else inflated(stored, entry.raw, f"section {entry.key}")
        array = np.frombuffer(raw, TYPES[entry.type])
        return array.reshape(entry.rows, entry.cols) if self.is_table(entry) else array

    def is_table(self, entry):
        """Rows of maps of fixed arity are tables, also where the arity is 1; events and ranges have four numbers each, layers two, pieces of slabs 15, masks one for 32 layers."""
        return entry.kind in (48, 49, 177, 194, 195) or entry.kind in (40, 68) and self.maps[entry.map].arity > 0

    def array(self, kind, **parts):
        """An array by its key, read only. Raw ones lie in the file's own bytes; KeyError without one."""
        key = self.key(kind, **parts)
        if key not in self.arrays:
            self.arrays[key] = self.decoded(self.by_key[key])
        return self.arrays[key]

    # fingerprints

    def topology(self):
        """The fingerprint of sets and maps in the order of the mesh, from what is stored."""
        out = [len(self.sets), *(one.size for one in self.sets), len(self.maps)]
        pieces = [np.array(out, dtype="<i8")]
        for one in self.maps:
            pieces.append(np.array([one.source, one.target, one.arity], dtype="<i8"))
            values = self.array(40, map=one.index)
            rows = self.array(32, set=one.source)
            if one.arity:
                values = values[rows].ravel()
            else:
                offsets = self.array(41, map=one.index)
                lengths = offsets[rows + 1] - offsets[rows]
                mesh = np.concatenate([[0], np.cumsum(lengths)]).astype("<i8")
                values = values[np.repeat(offsets[rows] - mesh[:-1], lengths) + np.arange(mesh[-1])]
                pieces.append(mesh)
            old = np.append(self.array(33, set=one.target), np.int32(-1))  # entry -1 is the last
            pieces.append(old[values].astype("<i8"))
        return fingerprint(b"".join(piece.tobytes() for piece in pieces))


def inflated(stored, raw, where):
    """Codec 1: zlib in chunks."""
    require(len(stored) >= 16, f"damaged: {where}: shorter than its chunk header")
    chunk, n = struct.unpack_from("<QQ", stored)
    require(chunk >= 1 and n == -(-raw // chunk), f"damaged: {where}: number of chunks")
    require(16 + 8 * n <= len(stored), f"damaged: {where}: extent of the chunk table")
    lengths = struct.unpack_from(f"<{n}Q", stored, 16)
    require(16 + 8 * n + sum(lengths) == len(stored), f"damaged: {where}: lengths of chunks")
    sizes = [chunk] * (n - 1) + [raw - chunk * (n - 1)] if n else []
    for length, size in zip(lengths, sizes):
        require(size < 1032 * (length + 1), f"damaged: {where}: a chunk cannot hold so much")
    out, at = [], 16 + 8 * n
    for length, size in zip(lengths, sizes):
        stream = zlib.decompressobj()
        try:
            data = stream.decompress(stored[at:at + length], size + 1)
        except zlib.error as error:
            raise Refused(f"damaged: {where}: {error}") from None
        require(len(data) == size and stream.eof and not stream.unused_data,
                f"damaged: {where}: a chunk is not one whole stream")
        out.append(data)
        at += length
    return b"".join(out)


def read_plan(path, lazy=False):
    """The plan in a file, which is mapped into memory and stays so while arrays of it live."""
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError):  # empty, or a pipe
            data = file.read()
    return Plan(data, lazy)
