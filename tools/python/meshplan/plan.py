# SPDX-License-Identifier: Apache-2.0
"""A plan with names: sets, maps, loops, variants and block sets over the arrays of planfile.Plan."""
from functools import cached_property

import numpy as np

from . import planfile
from .planfile import STRATEGIES, TYPES

METHODS = {0: "none", 2: "gps", 3: "rcm", 4: "hilbert", 5: "scotch-gps", 6: "sloan",
           7: "agglomerate"}
PARTITIONERS = ("none", "metis", "scotch", "hilbert", "native")
LAYERINGS = ("none", "layers", "columns")
COLUMNS = ("layers", "points", "owner")
ORIGINS = ("other", "front", "quads", "hexes", "plane-edges", "space-edges", "layers")
ACCESSES = ("read", "write", "rw", "inc", "min", "max")
LAYOUTS = ("aos", "soa")
SUMS = ("partial", "atomic", "colour")


def open(path, checksums=False):  # noqa: A001
    """The plan in a file. Raises Refused for what is not a plan, is damaged or too new, OSError for what cannot be
    read. Shapes, header, table and records are always checked; with checksums every byte of the file is.
    (`meshplan verify` proves what the numbers mean.)"""
    return Plan(planfile.read_plan(path, lazy=not checksums))


class Plan:
    """A plan: sets, maps (dicts by name, in the plan's order), loops (likewise), block_sets (a list), request,
    versions (texts), fingerprints (a dict of numbers). file: the records and array(kind, ...) as they
    are in the file (formats/plan-format.md)."""

    def __init__(self, file):
        self.file = file
        self.request, self.versions, self.fingerprints = file.request, file.versions, file.fingerprints
        sets = [Set(self, one) for one in file.sets]
        self.sets = {one.name: one for one in sets}
        maps = [Map(self, one, sets[one.source], sets[one.target]) for one in file.maps]
        self.maps = {one.name: one for one in maps}
        self.block_sets = [BlockSet(self, one, sets[one.set]) for one in file.block_sets]
        self.loops = {one.name: Loop(self, one, sets[one.set], maps) for one in file.loops}

    def loop(self, name=None):
        """The loop of that name, by default the primary one."""
        if name is not None:
            return self.loops[name]
        return next(one for one in self.loops.values() if one.primary)

    def __repr__(self):
        return f"Plan(sets={list(self.sets)}, maps={list(self.maps)}, loops={list(self.loops)})"


class Set:
    """A set: name, size (members), storage_size (places, with holes), renumber (the method that was tried),
    kept (whether the input order was kept)."""

    def __init__(self, plan, record):
        self.plan, self.record, self.index = plan, record, record.index
        self.name, self.size, self.storage_size = record.name, record.size, record.storage_size
        self.renumber, self.kept = METHODS[record.renumber], bool(record.kept)

    @property
    def new_of_old(self):
        """Place of each member of the mesh: int32 [size]."""
        return self.plan.file.array(32, set=self.index)

    @property
    def old_of_new(self):
        """Member at each place, -1 in holes: int32 [storage_size]."""
        return self.plan.file.array(33, set=self.index)

    @property
    def global_id(self):
        """Index of each member in the mesh as it was read, of sets that were split: int64 [size]; else None."""
        return self.plan.file.array(34, set=self.index) if self.record.split else None

    @property
    def layers(self):
        """Layers of the highest column over a member; 0: no loop gives the set layers."""
        return self.record.layers

    @property
    def layer_ranges(self):
        """First layer of each place's column and the one behind its last: int32 [storage_size, 2]; None: all have all layers."""
        return self.plan.file.array(48, set=self.index).reshape(-1, 2) if self.record.ranged else None

    @property
    def layer_mask(self):
        """Which layers of each place's column are there: bool [storage_size, layers]; None: all of layer_ranges are."""
        if not self.record.masked:
            return None
        words = self.plan.file.array(49, set=self.index).astype("<i4")
        return np.unpackbits(words.view(np.uint8).reshape(len(words), -1), axis=1, bitorder="little")[:, :self.layers].astype(bool)

    @property
    def parent(self):
        """Name of the set that a group is a part of; None for sets that are not a group's."""
        return self.record.group.parent if self.record.group else None

    @property
    def parent_index(self):
        """The parent's member of each member of a group, ascending, both as in the mesh: int32 [size]; else None."""
        return self.plan.file.array(35, set=self.index) if self.record.group else None

    def to_stored(self, rows, fill=0):
        """Rows (first dimension: size, in the mesh's order) in stored order; holes hold fill."""
        rows = np.asarray(rows)
        if rows.shape[:1] != (self.size,):
            raise ValueError(f"{rows.shape[:1]} rows for {self.size} {self.name}")
        stored = np.full((self.storage_size, *rows.shape[1:]), fill, rows.dtype)
        stored[self.new_of_old] = rows
        return stored

    def to_mesh(self, stored):
        """Rows in stored order (first dimension: storage_size) back in the order of the mesh."""
        stored = np.asarray(stored)
        if stored.shape[:1] != (self.storage_size,):
            raise ValueError(f"{stored.shape[:1]} rows for {self.storage_size} places of {self.name}")
        return stored[self.new_of_old]

    def __repr__(self):
        return f"Set({self.name!r}, size={self.size}, storage_size={self.storage_size})"


class Map:
    """A mapping table between stored members: name, source and target (sets), arity (0: ragged)."""

    def __init__(self, plan, record, source, target):
        self.plan, self.index, self.name = plan, record.index, record.name
        self.source, self.target, self.arity = source, target, record.arity

    @property
    def values(self):
        """int32 [storage_size of source, arity]; ragged: all entries, row after row. -1: none."""
        return self.plan.file.array(40, map=self.index)

    @property
    def offsets(self):
        """Of ragged maps: row r is values[offsets[r]:offsets[r + 1]]; else None."""
        return None if self.arity else self.plan.file.array(41, map=self.index)

    def row(self, place):
        """The entries of the member at a place."""
        return self.values[place] if self.arity else self.values[self.offsets[place]:self.offsets[place + 1]]

    def mesh_values(self):
        """The table in the order and the numbers of the mesh: an array, or of a ragged map a list of them."""
        old = np.append(self.target.old_of_new, np.int32(-1))  # entry -1 is the last
        places = self.source.new_of_old
        return old[self.values[places]] if self.arity else [old[self.row(place)] for place in places]

    @cached_property
    def transpose(self):
        """(offsets, slots): the slots that hold place p of the target are slots[offsets[p]:offsets[p + 1]], ascending.
        Slot s is entry s of the table row by row: of element s // arity and column s % arity. Entries of -1 are in none.
        It is the list that owner-gather walks, whatever strategy the plan has."""
        entries = self.values.ravel()
        slots = np.argsort(entries, kind="stable")[np.count_nonzero(entries < 0):]
        counts = np.bincount(entries[slots], minlength=self.target.storage_size)
        return np.concatenate([[0], np.cumsum(counts)]), slots

    def gather(self, contributions):
        """What the slots of each place of the target sum up to: contributions has a row for every slot, [storage_size
        of source, arity, ...], the sum a row for every place, [storage_size of target, ...]. Slots are summed in
        the order of transpose, so that no two threads would write one place: a loop that increments, without colours."""
        contributions = np.asarray(contributions)
        if not self.arity or contributions.shape[:2] != (self.source.storage_size, self.arity):
            raise ValueError(f"{contributions.shape[:2]} contributions for {self.values.shape} slots of {self.name}")
        offsets, slots = self.transpose
        rows = contributions.reshape(-1, *contributions.shape[2:])[slots]
        sums = np.zeros((self.target.storage_size, *rows.shape[1:]), rows.dtype)
        touched = np.flatnonzero(np.diff(offsets))  # reduceat knows no empty sums
        if len(touched):
            sums[touched] = np.add.reduceat(rows, offsets[touched], axis=0)
        return sums

    def __repr__(self):
        return f"Map({self.name!r}, {self.source.name} to {self.target.name}, arity={self.arity or 'ragged'})"


class Arg:
    """What a loop does with a dat: dat (its name), map (None: directly, or of a global), is_global, access, dim, type (numpy's), layout.
    With layers (else 0 and empty): levels of the dat, stride, slots (pairs: column of the map's row, offset: in layer k
    the slot is level offset + stride k of that point), columns ("layers", "points", "owner"), rows of a matrix."""

    def __init__(self, record, maps):
        self.dat, self.map = record.dat, None if record.map is None else maps[record.map]
        self.access, self.dim, self.layout = ACCESSES[record.access], record.dim, LAYOUTS[record.layout]
        self.type, self.is_global = np.dtype(TYPES[record.type]), record.is_global
        more = record.more
        self.slots = [(slot.of, slot.offset) for slot in record.slots]
        self.levels, self.stride, self.rows = (more.levels, more.stride, more.rows) if more else (0, 0, 0)
        self.columns = COLUMNS[more.columns] if self.levels else None

    def __repr__(self):
        way = self.map.name if self.map else "global" if self.is_global else "direct"
        return f"Arg({self.dat!r}, {way}, {self.access}, {self.dim}, {self.type})"


class Loop:
    """A loop: name, set, primary, calls, flops, args, variants (lists), default (index of a variant), layering: what its
    function gets of a set with layers, "none" (it has none), "layers" (one) or "columns" (all of a member)."""

    def __init__(self, plan, record, set_, maps):
        self.plan, self.index, self.name, self.set = plan, record.index, record.name, set_
        self.primary, self.calls, self.flops = bool(record.primary), record.calls, record.flops
        self.default = record.default_variant
        self.layering = LAYERINGS[record.layering]
        self.args = [Arg(one, maps) for one in record.args]
        self.variants = [Variant(self, number, one) for number, one in enumerate(record.variants)]

    def variant(self, strategy=None):
        """The default variant, or the first of a strategy ("block-colour", ...)."""
        if strategy is None:
            return self.variants[self.default]
        found = [one for one in self.variants if one.strategy == strategy]
        if not found:
            raise KeyError(f"loop {self.name} has no variant {strategy}: "
                           + ", ".join(one.strategy for one in self.variants))
        return found[0]

    def __repr__(self):
        return f"Loop({self.name!r} over {self.set.name}, {[one.strategy for one in self.variants]})"


class Variant:
    """One way to run a loop: strategy, threads, elements_per_thread, block_limit, deterministic, block_set (None:
    no blocks), device; record has the rest. Tables of the file: table(kind)."""

    def __init__(self, loop, number, record):
        self.loop, self.number, self.record = loop, number, record
        self.strategy, self.device = STRATEGIES[record.strategy], record.device
        self.threads, self.elements_per_thread = record.threads, record.elements_per_thread
        self.block_limit, self.deterministic = record.block_limit, bool(record.deterministic)
        plan = loop.plan
        self.block_set = None if record.block_set is None else plan.block_sets[record.block_set]

    def table(self, kind):
        """An array of the variant by its kind (a number of formats/plan-format.md); KeyError without one."""
        return self.loop.plan.file.array(kind, loop=self.loop.index, variant=self.number)

    @property
    def block_colours(self):
        """Colour of each block (block-colour; block-gather with sums by colour)."""
        return self.table(82)

    @property
    def thread_colours(self):
        """Colour of each element within its block, by position (block-colour)."""
        return self.table(80)

    @property
    def global_colours(self):
        """Colour of each element, by place; -1 in holes (global-colour)."""
        return self.table(96)

    def launches(self):
        """What runs side by side, launch by launch: arrays of elements (places) of global-colour, of blocks of
        variants with block colours. KeyError for the other strategies: one launch of everything."""
        kinds = (97, 98) if self.strategy == "global-colour" else (83, 84)
        offsets, members = (self.table(kind) for kind in kinds)
        return [members[a:b] for a, b in zip(offsets[:-1], offsets[1:])]

    def steps(self):
        """Arrays of elements (places), to be run one behind the other, no two elements of one of which
        increment or write the same point: of global-colour and block-colour."""
        if self.strategy == "global-colour":
            return self.launches()
        if self.strategy != "block-colour":
            raise ValueError(f"{self.strategy} has no colours of elements: sum by Map.gather, or plan with "
                             "--strategy block-colour")
        elements, block = self.block_set.elements, self.block_set.block_of_position
        launch, thread = self.block_colours[block], self.thread_colours[self.block_set.filled]
        order = np.lexsort((thread, launch))
        key = launch[order].astype(np.int64) * 65536 + thread[order]
        return np.split(elements[order], np.flatnonzero(np.diff(key)) + 1) if len(order) else []

    def __repr__(self):
        return f"Variant({self.strategy!r}, threads={self.threads}, block_set={self.block_set})"


class BlockSet:
    """A set cut into blocks: set, n_blocks, block_limit, partitioner, origin (how the blocks came about)."""

    def __init__(self, plan, record, set_):
        self.plan, self.index, self.record, self.set = plan, record.index, record, set_
        self.n_blocks, self.block_limit = record.n_blocks, record.block_limit
        self.partitioner = PARTITIONERS[record.partitioner]
        self.origin = ORIGINS[record.origin.origin if record.origin else 0]

    @property
    def offsets(self):
        """Block b runs positions offsets[b] to offsets[b + 1]: int64 [n_blocks + 1]."""
        return self.plan.file.array(64, block_set=self.index)

    @property
    def sequence(self):
        """The place of the element at each position; None where they are equal."""
        return self.plan.file.array(65, block_set=self.index) if self.record.sequence else None

    @cached_property
    def filled(self):
        """Positions that hold an element (all but those at holes), ascending."""
        n = self.offsets[-1]
        return np.arange(n) if self.record.sequence else np.flatnonzero(self.set.old_of_new[:n] >= 0)

    @property
    def elements(self):
        """Places of the elements of all blocks, block after block."""
        return self.filled if self.sequence is None else self.sequence[self.filled]

    @property
    def block_of_position(self):
        """Block of each of `elements`."""
        return np.searchsorted(self.offsets, self.filled, side="right") - 1

    def block_of_member(self):
        """Block of each member of the set in the mesh's order."""
        block = np.empty(self.set.storage_size, np.int32)
        block[self.elements] = self.block_of_position
        return block[self.set.new_of_old]

    def sizes(self):
        """Elements of each block."""
        return np.bincount(self.block_of_position, minlength=self.n_blocks)

    def points(self, loop, set_):
        """Places of the points of a set that each block touches through the maps of a loop: (offsets, points)."""
        parts = {"block_set": self.index, "loop": loop.index, "set": set_.index}
        return self.plan.file.array(66, **parts), self.plan.file.array(67, **parts)

    def __repr__(self):
        return f"BlockSet({self.n_blocks} blocks of at most {self.block_limit} {self.set.name})"
