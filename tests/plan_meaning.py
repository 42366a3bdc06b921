#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the arrays of a plan mean (sections 4, 5, 7 and, by plan_request.py, 11 of formats/plan-format.md), proved with numpy.

plan_meaning.py PLAN [--compare FOLDER] [--json FILE]

The plan is read by tools/python, which knows the specification and nothing of the C code. Exit code 65: it is
refused; 1: it does not hold, or is not what `meshplan export PLAN -o FOLDER/` or `meshplan info PLAN --json
FILE` wrote."""
import argparse
import json
import math
import os
import pathlib
import sys
from types import SimpleNamespace

import numpy as np

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "tools" / "python")]
from meshplan.planfile import (  # noqa: E402
                         ARRAYS, ATOMIC, ATOMIC_SUMS, BLOCK_COLOUR, BY_COLUMN, BY_ELEMENT, BY_MESH, BLOCK_GATHER, COLOUR_SUMS,
                         GLOBAL_COLOUR, INDEX16, INDEX32, LAST, OUT, OWNER_GATHER, PARTIAL, RESIDENT, STRATEGIES, TWO_STEP, WINDOWS16,
                         TYPE_NAMES, TYPES, Refused, encoded, fingerprint, read_plan, shown)

from plan_request import Unasked, prove_request  # noqa: E402

METHODS = {0: "none", 2: "gps", 3: "rcm", 4: "hilbert", 5: "scotch-gps", 6: "sloan",
           7: "agglomerate"}
PARTITIONERS = ("none", "metis", "scotch", "hilbert", "native")
ORIGINS = ("other", "front", "quads", "hexes", "plane-edges", "space-edges", "layers")
ACCESSES = ("read", "write", "rw", "inc", "min", "max")
ADDING = ("inc", "min", "max")
NONES = ("refuse", "skip", "split")
COLOURED = ("global-colour", "block-colour")
HOLE = 65535


class Difference(Exception):
    """The plan does not hold what it says, or a program says something else of it."""


def same(found, expected, sentence):
    if not np.array_equal(found, expected):
        raise Difference(sentence)


def holds(condition, sentence):
    if not condition:
        raise Difference(sentence)


def is_list(offsets, end):
    return offsets[0] == 0 and offsets[-1] == end and bool(np.all(np.diff(offsets) >= 0))


# slots: rows of a map at given stored indices

def slots(plan, number, stored):
    """For every slot of the rows `stored`: the place in `stored`, the position in MAP_VALUES and
    the value there."""
    one = plan.maps[number]
    values = plan.array(40, map=number).ravel()
    if one.arity:
        first, lengths = stored.astype(np.int64) * one.arity, np.full(len(stored), one.arity)
    else:
        offsets = plan.array(41, map=number)
        first, lengths = offsets[stored], offsets[stored.astype(np.int64) + 1] - offsets[stored]
    ends = np.cumsum(lengths)
    place = np.repeat(np.arange(len(stored)), lengths)
    at = np.repeat(first - ends + lengths, lengths) + np.arange(len(place))
    return place, at, values[at]


def pairs_of(plan, loop, target, stored, writing=False):
    """Distinct (place in stored, point of target) through the maps of a loop, and the entries >= 0."""
    found, entries = [np.empty((0, 2), np.int64)], 0
    for number in plan.maps_of(loop, writing):
        if plan.maps[number].target == target:
            place, _, value = slots(plan, number, stored)
            entries += np.count_nonzero(value >= 0)
            found.append(np.stack([place, value], 1)[value >= 0].astype(np.int64))
    return distinct(np.concatenate(found)), int(entries)


def distinct(pairs):
    """Distinct rows of two numbers below 2^31, ascending."""
    keys = np.unique(pairs[:, 0] << 32 | pairs[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], 1)


# the proofs

def prove(plan):
    """Raises Difference unless every array is what the specification says it is."""
    for records in (plan.sets, plan.maps, plan.loops):
        holds(len({one.name for one in records}) == len(records), "two of a kind have one name")
    for one in plan.sets:
        prove_set(plan, one)
    for one in plan.maps:
        prove_map(plan, one)
    for one in plan.sets:
        if one.group:
            prove_group(plan, one)
    same(plan.fingerprints["topology"], plan.topology(), "fingerprint of the topology")
    same(plan.fingerprints["request"], fingerprint(encoded(plan.request)), "fingerprint of the request")
    for one in plan.block_sets:
        prove_blocks(plan, one)
    for one in plan.metrics:
        prove_points(plan, one)
    prove_dats(plan)
    prove_step(plan)
    if plan.visit:
        Visit(plan, plan.visit[0]).prove()
    try:
        prove_request(plan)
    except Unasked as unasked:
        raise Difference(str(unasked)) from None
    for loop in plan.loops:
        prove_nones(plan, loop)
        prove_side_by_side(plan, loop)
        for block_set in plan.block_sets_of(loop):
            for number in plan.maps_of(loop):
                prove_local(plan, loop, plan.block_sets[block_set], number)
        for number, variant in enumerate(loop.variants):
            prove_variant(plan, loop, number, variant)
        if any(variant.strategy == TWO_STEP for variant in loop.variants):
            for number in plan.maps_of(loop, writing=True):
                prove_gather(plan, loop, number)
    prove_renumbering(plan)


def prove_set(plan, one):
    new, old = plan.array(32, set=one.index), plan.array(33, set=one.index)
    inside = len(new) == 0 or 0 <= new.min() and new.max() < one.storage_size
    holds(inside and len(np.unique(new)) == one.size, f"set {one.name}: new_of_old is not injective")
    expected = np.full(one.storage_size, -1)
    expected[new] = np.arange(one.size)
    same(old, expected, f"set {one.name}: old_of_new is not the inverse")
    if one.split:
        ids = plan.array(34, set=one.index)
        holds(np.all(ids[1:] > ids[:-1]) and (len(ids) == 0 or 0 <= ids[0] and ids[-1] < (1 << 31) - 1),
              f"set {one.name}: global ids do not ascend")
        for other in plan.sets:
            if other.split == one.split and other.name == one.name + "_boundary":
                both = np.concatenate([ids, plan.array(34, set=other.index)])
                same(np.sort(both), np.arange(len(both)), f"set {one.name}: global ids of both parts")


def prove_group(plan, one):
    """A group's members are its parent's, and its maps rows of the parent's as far as the plan has those."""
    group, index = one.group, plan.array(35, set=one.index)
    numbers = {each.name: each.index for each in plan.sets}
    holds(not one.split and group.parent_set == numbers.get(group.parent), f"set {one.name}: its parent")
    holds(np.all(index[1:] > index[:-1]) and (len(index) == 0 or 0 <= index[0] and index[-1] < group.parent_size),
          f"set {one.name}: members of its parent")
    if group.parent_set is None:
        holds(all(each.name != f"{one.name}_{group.parent}" for each in plan.maps if each.source == one.index),
              f"set {one.name}: a map to a parent that is not there")
        return
    parent = plan.sets[group.parent_set]
    holds(not parent.split and not parent.group and parent.size == group.parent_size, f"set {one.name}: its parent")
    mine, theirs = plan.array(32, set=one.index), plan.array(32, set=parent.index)[index]
    for each in plan.maps:
        rest = each.name[len(one.name) + 1:] if each.name.startswith(one.name + "_") else None
        if each.source != one.index or rest is None:
            continue
        place, _, values = slots(plan, each.index, mine)
        if rest == parent.name:
            holds(each.target == parent.index and each.arity == 1, f"map {each.name}: shape")
            same(values, theirs, f"map {each.name}: not the members themselves")
            continue
        for whole in plan.maps:
            if whole.source == parent.index and whole.name == f"{parent.name}_{rest}":
                due = slots(plan, whole.index, theirs)
                holds(each.target == whole.target, f"map {each.name}: its to-set")
                same(place, due[0], f"map {each.name}: lengths of its rows")
                same(values, due[2], f"map {each.name}: not rows of {whole.name}")


def prove_map(plan, one):
    old = plan.array(33, set=one.source)
    values = plan.array(40, map=one.index).ravel()
    lengths = np.full(len(old), one.arity)
    if not one.arity:
        offsets = plan.array(41, map=one.index)
        holds(is_list(offsets, one.n_entries), f"map {one.name}: offsets")
        lengths = np.diff(offsets)
        holds(not lengths[old < 0].any(), f"map {one.name}: a hole has entries")
    members = np.append(plan.array(33, set=one.target), 0)  # -1 is the last: allowed
    holds(len(values) == 0 or -1 <= values.min() and values.max() < len(members) - 1
          and members[values].min() >= 0, f"map {one.name}: an entry is no member of its set")
    holds(np.all(values[np.repeat(old, lengths) < 0] == -1), f"map {one.name}: a hole has entries")


def prove_nones(plan, loop):
    """An arg that does not skip -1 meets none."""
    stored = plan.array(32, set=loop.set)
    for arg in loop.args:
        if arg.map is not None and NONES[arg.none] != "skip":
            holds(np.all(slots(plan, arg.map, stored)[2] >= 0),
                  f"loop {loop.name}: dat {arg.dat} meets -1")


def prove_dats(plan):
    """One dat is one thing in the whole plan (section 4, ARGS)."""
    known = {}
    for loop in plan.loops:
        for arg in loop.args:
            target = None if arg.is_global else loop.set if arg.map is None else plan.maps[arg.map].target
            mine = (target, arg.dim, arg.type, arg.layout)
            same(known.setdefault(arg.dat, mine), mine,
                 f"loop {loop.name}: dat {arg.dat} has another set, dim, type or layout elsewhere")


def prove_step(plan):
    """Conflicts of the step: every pair in three repetitions, less those with a writer between them."""
    def use(entry, dat):
        """Args of the dat; one that is set to zero first is as if it was written."""
        args = plan.loops[plan.step[entry].loop].args
        clear = plan.step[entry].clear
        if clear and args[clear - 1].dat == dat:
            return [SimpleNamespace(**{**vars(arg), "access": 1}) for arg in args if arg.dat == dat]
        return [arg for arg in args if arg.dat == dat]

    def writes(args):
        return any(ACCESSES[arg.access] != "read" for arg in args)

    def ways(args):
        return (any(arg.map is None and not arg.is_global for arg in args)
                + 2 * any(arg.map is not None for arg in args) + 4 * any(arg.is_global for arg in args))

    n, expected = len(plan.step), []
    changed = [{arg.dat for arg in plan.loops[entry.loop].args if arg.is_global and ACCESSES[arg.access] != "read"} for entry in plan.step]
    for entry in plan.step:
        others = set().union(*(changed[one.index] for one in plan.step if one.index != entry.index))
        holds(not entry.lag or changed[entry.index] and not changed[entry.index] & others, f"lag of entry {entry.index} of the step")
    for later in range(n):
        args = plan.loops[plan.step[later].loop].args
        for dat in dict.fromkeys(arg.dat for arg in args):
            own = use(later, dat)
            before = [(entry, repeat) for repeat in (1, 0) for entry in range(n)
                      if (later <= entry if repeat else entry < later) and use(entry, dat)]
            last = max((i for i, (entry, _) in enumerate(before) if writes(use(entry, dat))), default=-1)
            for i, (entry, repeat) in enumerate(before):
                other = use(entry, dat)
                if i < last or i > last and not writes(own) or not (writes(own) or writes(other)):
                    continue
                reads = [any(ACCESSES[arg.access] != "write" for arg in one) for one in (other, own)]
                kinds = (writes(other) and reads[1]) + 2 * (reads[0] and writes(own)) + 4 * (writes(other) and writes(own))
                if any({ACCESSES[arg.access] for arg in other + own} == {way} for way in ADDING):
                    kinds = 8
                expected.append([entry, later, repeat, kinds, ways(other), ways(own),
                                 next(a for a, arg in enumerate(args) if arg.dat == dat)])
    same([[one.earlier, one.later, one.repeat, one.kinds, one.earlier_ways, one.later_ways, one.arg]
          for one in plan.conflicts], expected, "conflicts of the step")


class Visit:
    """Slabs, streams and events (VISIT), by brute force: every member, slab and launch by itself."""

    def __init__(self, plan, visit):
        self.plan, self.visit = plan, visit
        self.offsets = [plan.array(192, set=one.index) for one in plan.sets]
        self.segments = plan.array(193)
        self.events = plan.array(194).reshape(-1, 4)

    def prove(self):
        self.prove_slabs()
        self.find_touches()
        self.prove_streams()
        self.replay()
        self.prove_events()

    def prove_events(self):
        """Events are those that segments, shifts and streams lead to, each stage's in any order but for positions."""
        plan, visit, due = self.plan, self.visit, []

        def border(v, by):
            return 0 if v <= 0 else visit.slabs if v >= visit.segments else min(max(int(self.segments[v]) - by, 0), visit.slabs)

        for stage in range(visit.segments + 2):
            due.append((stage, 0, stage, 0, 0))
            moves = [(1, s, border(stage, one.enters), border(stage + 1, one.enters))
                     for s, one in enumerate(plan.streams) if one.ways != RESIDENT]
            for t in range(visit.steps * len(plan.step)):
                by = plan.step[t % len(plan.step)].shift + t // len(plan.step) * visit.step_shift
                moves.append((2, t, border(stage - 1, by), border(stage, by)))
            for s, one in enumerate(plan.streams):
                back = stage - 2 if one.ways & (OUT | LAST) else stage - 1
                if one.ways != RESIDENT:
                    moves.append((3 if one.ways & (OUT | LAST) else 4, s, border(back, one.leaves), border(back + 1, one.leaves)))
            due += [(stage, *move) for move in moves if move[2] < move[3]]
        stages = np.cumsum(self.events[:, 0] == 0) - 1
        same(sorted((int(stage), *row) for stage, row in zip(stages, self.events.tolist())), sorted(due), "events")

    def has_slices(self, which):
        """Whether a loop of the step runs by owners that are members of the set."""
        loops = [self.plan.loops[entry.loop] for entry in self.plan.step]
        return any(loop.variants[0].strategy == OWNER_GATHER and arg.map is not None and ACCESSES[arg.access] in ADDING
                   and self.plan.maps[arg.map].target == which for loop in loops for arg in loop.args)

    def has_owners(self, which):
        """Whether a loop of the step over the set is run by owners, which touch all points of an element from each of them."""
        loops = [self.plan.loops[entry.loop] for entry in self.plan.step]
        return any(loop.set == which and loop.variants[0].strategy == OWNER_GATHER for loop in loops)

    def prove_slabs(self):
        plan, visit = self.plan, self.visit
        for one, offsets in zip(plan.sets, self.offsets):
            inner = offsets[offsets < one.storage_size]
            holds(offsets[0] == 0 and offsets[-1] == one.storage_size and np.all(np.diff(offsets) >= 0)
                  and np.all(inner % (visit.granule if self.has_slices(one.index) else 4) == 0), f"slabs of set {one.name}")
            if one.storage_size >= 64 * visit.slabs:
                borders = np.column_stack([np.zeros(visit.slabs, np.int64), plan.array(195, set=one.index).reshape(-1, 15), np.diff(offsets)])
                holds(np.all(np.diff(borders) >= 0), f"pieces of slabs of set {one.name}")
        slab = [np.searchsorted(offsets, np.arange(one.storage_size), side="right") - 1
                for one, offsets in zip(plan.sets, self.offsets)]
        for one in plan.sets:
            least, most = slab[one.index].copy(), slab[one.index].copy()
            for each in plan.maps:
                if each.source != one.index:
                    continue
                place, _, values = slots(plan, each.index, np.arange(one.storage_size))
                there = values >= 0
                np.minimum.at(least, place[there], slab[each.target][values[there]])
                np.maximum.at(most, place[there], slab[each.target][values[there]])
            apart = most - least if self.has_owners(one.index) else np.maximum(most - slab[one.index], slab[one.index] - least)
            holds(np.all(apart <= 1), f"set {one.name}: an element and its points lie in slabs far apart")

    def find_touches(self):
        """For each entry: what (a dat, or the key of an array) -> reach, writes, whole; and the set of its rows."""
        plan, self.touches, self.rows, self.kept = self.plan, [], [], self.layers_kept()
        for entry in plan.step:
            loop = plan.loops[entry.loop]
            variant, found = loop.variants[0], {}
            owners = variant.strategy == OWNER_GATHER
            holds(owners or variant.strategy == 3 and not entry.clear, f"loop {loop.name} runs neither by rows nor by elements")
            rows = next((plan.maps[arg.map].target for arg in loop.args
                         if owners and arg.map is not None and ACCESSES[arg.access] in ADDING), loop.set)
            self.rows.append(rows)
            clear = loop.args[entry.clear - 1].dat if entry.clear else None
            for arg in loop.args:
                if arg.is_global:
                    holds(ACCESSES[arg.access] == "read" or entry.lag, f"loop {loop.name} changes a global at once")
                    if ACCESSES[arg.access] != "read":
                        n = plan.sets[loop.set].storage_size
                        self.kept += (n + -(-n // 2048)) * arg.dim * np.dtype(TYPES[arg.type]).itemsize + 4 * n * (ACCESSES[arg.access] == "inc")
                    continue
                adds = arg.map is not None and ACCESSES[arg.access] in ADDING
                reach = int(not adds and not self.is_by_owner(arg)) if owners else int(arg.map is not None)
                whole = arg.dat == clear or arg.map is None and ACCESSES[arg.access] == "write" and self.has_all_levels(loop, arg)
                old = found.get(arg.dat, (0, False, True))
                found[arg.dat] = (max(old[0], reach), old[1] or ACCESSES[arg.access] != "read", old[2] and whole)
            plain = [one for one in plan.entries if one.kind == 152 and one.loop == loop.index and one.variant == 0]
            if not (owners and variant.encoding == WINDOWS16 and not (plain and plain[0].rows)):
                for arg in loop.args:
                    if arg.map is not None:
                        found[(40, arg.map, None)] = (int(owners), False, False)
            for one in plan.entries:
                if owners and not loop.layering and 144 <= one.kind <= 152 and one.loop == loop.index and one.variant == 0:
                    found[(one.kind, None, loop.index)] = (int(one.kind == 149), False, False)
            self.touches.append(found)

    @staticmethod
    def is_by_owner(arg):
        return bool(arg.slots) and arg.more.columns == 2

    def has_all_levels(self, loop, arg):
        """Whether the loop's layers are all levels of the arg's columns."""
        one = self.plan.sets[loop.set]
        return not arg.slots or (not one.ranged and not one.masked and arg.more.levels == one.layers and arg.more.stride == 1
                                 and [slot.offset for slot in arg.slots] == [0])

    @staticmethod
    def increment(loop):
        return next((arg for arg in loop.args if arg.map is not None and ACCESSES[arg.access] in ADDING), None)

    def layers_kept(self):
        """Bytes of what finds levels, of each loop with layers, and of layers, of each of their sets."""
        plan = self.plan
        loops = [plan.loops[l] for l in sorted({entry.loop for entry in plan.step}) if plan.loops[l].layering]
        total = sum(plan.sets[s].storage_size * (8 * bool(plan.sets[s].ranged) + 4 * bool(plan.sets[s].masked) * -(-plan.sets[s].layers // 32))
                    for s in {loop.set for loop in loops})
        for loop in loops:
            n, mapped, to = plan.sets[loop.set].storage_size, [arg for arg in loop.args if arg.map is not None and arg.slots], self.increment(loop)
            total += 256 + 8 * n * sum(len(arg.slots) for arg in mapped)
            if loop.variants[0].strategy != OWNER_GATHER or to is None:
                continue
            rows, slots = plan.sets[plan.maps[to.map].target].storage_size, len(to.slots)
            flat = all(arg.more.stride == 1 and all(slot.offset == 0 for slot in arg.slots) for arg in mapped)
            total += 4 * (rows + n * slots * (1 + flat * slots))
            if plan.sets[loop.set].ranged:
                total += 4 * (4 * rows + -(-rows * to.more.levels // 32))
        return total

    def name(self, stream):
        if stream.arg is not None:
            return self.plan.loops[stream.loop].args[stream.arg].dat
        return (stream.kind, stream.map, stream.loop)

    def borders(self, stream):
        """Bytes of a plane before each slab, and how many planes there are; None: it has no slabs."""
        plan = self.plan
        if stream.arg is not None:
            loop = plan.loops[stream.loop]
            arg = loop.args[stream.arg]
            target = loop.set if arg.map is None else plan.maps[arg.map].target
            size = {1: 1, 2: 2, 3: 4, 4: 8, 5: 4, 6: 8}[arg.type]
            if self.is_by_owner(arg):
                to = self.increment(loop)
                rows = plan.array(40, map=to.map).reshape(-1, plan.maps[to.map].arity)[:, [slot.of for slot in to.slots]]
                per = np.bincount(rows[rows >= 0]).max() * (arg.dim // arg.more.rows) * size
                at = self.offsets[plan.maps[to.map].target] * to.more.levels
                at[-1] = -(-at[-1] // 32) * 32
                return at * per, 1
            levels, apart = (arg.more.levels, arg.more.columns == 1) if arg.slots else (1, False)
            return (self.offsets[target] * size * (1 if arg.layout else arg.dim) * (1 if apart else levels),
                    (arg.dim if arg.layout else 1) * (levels if apart else 1))
        if stream.map is not None:
            one = plan.maps[stream.map]
            return self.offsets[one.source] * 4 * one.arity, 1
        if stream.kind in (144, 146, 147, 148, 152):
            return None, 1
        loop = plan.loops[stream.loop]
        rows = next(self.rows[i] for i, entry in enumerate(plan.step) if entry.loop == stream.loop)
        table = plan.array(stream.kind, loop=stream.loop, variant=0)
        slices = -(-self.offsets[rows] // 32)
        if stream.kind == 145:
            width = loop.variants[0].width
            columns = slices * width if width else plan.array(144, loop=stream.loop, variant=0)[slices]
            per = table.size // max(1, columns[-1])
            return columns * per * table.itemsize, 1
        per = {149: self.offsets[rows], 150: slices * 32, 151: slices * 16}[stream.kind]
        at = per * table.itemsize
        at[-1] = table.size * table.itemsize
        return at, 1

    def prove_streams(self):
        plan, visit = self.plan, self.visit
        order = list(dict.fromkeys(thing for found in self.touches for thing in found))
        holds([self.name(one) for one in plan.streams] == order, "streams")
        self.at, totals = [], np.zeros(5, dtype=np.int64)
        last = (visit.steps - 1) * visit.step_shift
        for one in plan.streams:
            name = self.name(one)
            uses = [(entry.shift, *found[name]) for entry, found in zip(plan.step, self.touches) if name in found]
            at, planes = self.borders(one)
            self.at.append((at, planes))
            written = any(writes for _, _, writes, _ in uses)
            if at is None:
                same((one.ways, one.enters, one.leaves, one.window), (8, 0, 0, one.bytes), f"stream {name}")
            else:
                same(one.bytes, int(at[-1]) * planes, f"stream {name}: bytes")
                same((one.enters, one.leaves), (min(shift - reach for shift, reach, _, _ in uses),
                                                max(shift + reach for shift, reach, _, _ in uses) + last),
                     f"stream {name}: where it enters and leaves")
                ways = 1 if not written else 4 if uses[0][3] else 3
                holds(one.ways == ways or one.ways == 8 and not written, f"stream {name}: ways")
                holds(one.window == one.bytes if one.ways == 8 else one.window and one.window % (planes << 16) == 0,
                      f"stream {name}: window")
            totals += [one.bytes * bool(one.ways & 1), one.bytes * bool(one.ways & 2), one.bytes * bool(one.ways & 4),
                       one.bytes * (one.arg is not None), one.window]
        totals[4] += self.kept
        same([visit.in_bytes, visit.out_bytes, visit.last_bytes, visit.host_bytes, visit.peak], totals.tolist(),
             "bytes of the visit")
        holds(visit.peak <= visit.memory, "windows are larger than the memory")

    def replay(self):
        """Sets of slabs, stage by stage, of two visits: which are in the windows, and which launches have run."""
        plan, visit = self.plan, self.visit
        slabs, n = visit.slabs, len(plan.step)
        holds(self.segments[0] == 0 and self.segments[-1] == slabs and np.all(np.diff(self.segments) > 0), "segments")
        stages, ran = [], {}
        for kind, index, first, end in self.events.tolist():
            if kind == 0:
                holds(index == len(stages), "stages are not numbered")
                stages.append([])
            else:
                holds(stages and 0 <= first < end <= slabs, "an event without slabs")
                stages[-1].append((kind, index, range(first, end)))
        same(len(stages), visit.segments + 2, "stages")
        inside, came, went = [set() for _ in plan.streams], [], []
        history = []
        for stage, events in enumerate(stages):
            arriving = [set() for _ in plan.streams]
            leaving = [set() for _ in plan.streams]
            out = [set() for _ in plan.streams]
            for kind, index, part in events:
                if kind == 1:
                    holds(not set(part) & (inside[index] | arriving[index]), "a slab enters twice")
                    arriving[index] |= set(part)
                elif kind in (3, 4):
                    holds((kind == 3) == bool(plan.streams[index].ways & 6), "a slab leaves in the wrong way")
                    holds(set(part) <= inside[index], "a slab leaves that is not there")
                    (out if kind == 3 else leaving)[index].update(part)
            for kind, index, part in events:
                if kind == 2:
                    self.prove_launch(index, part, ran, [here - gone for here, gone in zip(inside, out)])
            for s in range(len(plan.streams)):
                history.append((stage, s, inside[s] | arriving[s], set(inside[s])))
                inside[s] = (inside[s] | arriving[s]) - out[s] - leaving[s]
            came.append(arriving)
            went.append([a | b for a, b in zip(out, leaving)])
        every = set(range(slabs))
        for t in range(n * visit.steps):
            holds(ran.get(t, set()) == every, f"slabs that entry {t} of the visit runs")
        for s, one in enumerate(plan.streams):
            due = set() if one.ways == 8 else every
            holds(set().union(*(each[s] for each in came)) == due, "slabs that enter")
            holds(set().union(*(each[s] for each in went)) == due, "slabs that leave")
        self.prove_windows(history)

    def prove_launch(self, t, part, ran, there):
        """All slabs of it at once: what they touch is there, and what they conflict with has run."""
        plan, visit = self.plan, self.visit
        n, slabs = len(plan.step), visit.slabs
        step, entry = divmod(t, n)
        holds(step < visit.steps and not set(part) & ran.get(t, set()), "an entry runs a slab twice")
        around = lambda reach: set(range(max(0, part[0] - reach), min(slabs, part[-1] + 1 + reach)))
        for s, one in enumerate(plan.streams):
            reach = self.touches[entry].get(self.name(one), (None,))[0]
            holds(reach is None or one.ways == 8 or around(reach) <= there[s],
                  f"entry {entry} touches a slab of {self.name(one)} that is not there")
        for earlier in range(t):
            for dat, (reach, writes, _) in self.touches[entry].items():
                other = self.touches[earlier % n].get(dat)
                if other and (writes or other[1]):
                    holds(around(reach + other[0]) <= ran.get(earlier, set()),
                          f"entry {entry} of step {step} runs before entry {earlier % n} of step {earlier // n}")
        ran.setdefault(t, set()).update(part)

    def prove_windows(self, history):
        """No two slabs of one place of a window at a time, of this visit and the next one."""
        plan, visit = self.plan, self.visit
        for stage, s, here, _ in history:
            one, (at, planes) = plan.streams[s], self.at[s]
            if one.ways == 8:
                continue
            window = one.window // planes
            spans = [(at[slab], at[slab + 1]) for slab in here]
            for later, other, old, before in history:
                if other == s and later == stage + visit.period:
                    holds(not here & old, f"{self.name(one)}: a slab goes in before it has come out")
                    spans += [(at[slab], at[slab + 1]) for slab in old]
            pieces = []
            for begin, end in spans:
                while begin < end:
                    stop = min(end, (begin // window + 1) * window)
                    pieces.append((begin % window, begin % window + stop - begin))
                    begin = stop
            pieces.sort()
            holds(all(a[1] <= b[0] for a, b in zip(pieces, pieces[1:])), f"{self.name(one)}: two slabs in one place")


def prove_side_by_side(plan, loop):
    """Which strategies may run the loop (section 10): as sets of ways in which a dat is accessed."""
    written = set(plan.maps_of(loop, writing=True))
    for number, arg in enumerate(loop.args):
        if arg.once:
            point = plan.array(40, map=arg.map).ravel()
            point = point[point >= 0]
            holds(len(np.unique(point)) == len(point), f"loop {loop.name}: arg {number} does not write points once")
    for dat in {arg.dat for arg in loop.args}:
        named = [arg for arg in loop.args if arg.dat == dat]
        ways = {(arg.map, ACCESSES[arg.access]) for arg in named}
        where = f"loop {loop.name}: dat {dat} may not be accessed so"
        if named[0].is_global:
            of_global = {access for _, access in ways}
            holds(of_global == {"read"} or len(named) == 1 and of_global <= set(ADDING), f"{where}: a global")
            continue
        direct = {access for way, access in ways if way is None}
        mapped = {access for way, access in ways if way is not None}
        if direct | mapped == {"read"}:
            continue
        holds(not (direct and mapped), f"{where}: directly and through a map")
        holds(not mapped & set(ADDING) or len(mapped) == 1, f"{where}: {mapped}")
        holds(not direct & {"min", "max"}, f"{where}: compared directly")
        if mapped & {"write", "rw"}:
            alone = len({way for way, _ in ways}) == 1
            once = alone and all(arg.once or ACCESSES[arg.access] == "read" for arg in named)
            holds(once or {way for way, _ in ways} <= written, f"{where}: a map that is only read by")
            refused = [name for name in STRATEGIES if name not in COLOURED]
            if once:  # as directly
                refused = [] if mapped == {"write"} else ["owner-gather"]
        elif direct & {"rw", "inc"} or direct == {"read", "write"}:
            refused = ["owner-gather"]
        else:
            refused = []
        for variant in loop.variants:
            holds(STRATEGIES[variant.strategy] not in refused,
                  f"{where} by {STRATEGIES[variant.strategy]}")


def places(plan, block_set):
    """Position, stored index and block of every element of a block set, in the order of positions."""
    offsets = plan.array(64, block_set=block_set.index)
    block = np.repeat(np.arange(block_set.n_blocks), np.diff(offsets))
    if block_set.sequence:
        sequence = plan.array(65, block_set=block_set.index)
        return np.arange(len(sequence)), sequence, block
    position = np.flatnonzero(plan.array(33, set=block_set.set) >= 0)
    return position, position, block[position]


def prove_blocks(plan, one):
    where = f"block set {one.index}"
    if one.n_blocks:
        holds(is_list(plan.array(64, block_set=one.index), plan.positions(one)), f"{where}: offsets")
    else:
        same(plan.array(64, block_set=one.index), [0], f"{where}: offsets without blocks")
        holds(plan.sets[one.set].size == 0, f"{where}: elements in no block")
    if one.sequence:
        same(np.sort(plan.array(65, block_set=one.index)), np.sort(plan.array(32, set=one.set)),
             f"{where}: the sequence does not hold every element once")
    sizes = np.bincount(places(plan, one)[2], minlength=one.n_blocks)
    holds(not one.n_blocks or sizes.min() >= 1, f"{where}: an empty block")
    same([sizes.min(initial=1024) if one.n_blocks else 0, sizes.max(initial=0)],
         [one.block_min, one.block_max], f"{where}: smallest or largest block")
    holds(one.max_points >= 1, f"{where}: limit of points")
    loop = plan.loops[one.loop]
    holds(staged_by(plan, loop, one).max(initial=0) <= one.shared_bytes, f"{where}: limit of staged bytes")
    pairs = sum(each.pairs for each in plan.metrics
                if each.loop == one.loop and each.block_set == one.index)
    holds(one.alternative_pairs == -1 or pairs <= one.alternative_pairs,
          f"{where}: the other cut has fewer pairs")
    prove_origin(plan, one, one.origin)


def prove_origin(plan, block_set, one):
    if one is None or one.origin < 2:
        return
    where, size = f"block set {one.index}: origin", plan.sets[block_set.set].size
    if one.origin == ORIGINS.index("layers"):
        part = plan.sets[block_set.set].part  # which may have cut what it owns before its halo
        holds(one.patches == 1 and one.largest in (size, part.owned if part else size)
              and one.extent_0 <= one.largest <= one.extent_0 * one.extent_2, f"{where}: layers")
        return
    holds(one.extent_0 >= one.extent_1 >= one.extent_2, f"{where}: order of extents")
    holds(one.largest <= one.extent_0 * one.extent_1 * one.extent_2, f"{where}: largest patch")
    if one.origin in (ORIGINS.index("quads"), ORIGINS.index("hexes")):
        holds(one.largest <= size and one.patches <= size, f"{where}: more elements than there are")


def prove_points(plan, one):
    """BLOCK_POINTS and the metrics, from the map itself."""
    loop, block_set = plan.loops[one.loop], plan.block_sets[one.block_set]
    where = f"loop {loop.name}, block set {one.block_set}, set {plan.sets[one.set].name}"
    parts = {"set": one.set, "loop": one.loop, "block_set": one.block_set}
    found = measure(plan, loop, block_set, one.set)
    for name in ("entries", "pairs", "shared_points", "points_max", "lines", "lines_ideal"):
        same(getattr(one, name), found[name], f"{where}: {name}")
    same(plan.array(66, **parts), np.concatenate([[0], np.cumsum(found["points"])]), f"{where}: offsets")
    same(plan.array(67, **parts), found["list"], f"{where}: points")
    holds(block_set.loop != one.loop or one.points_max <= block_set.max_points, f"{where}: limit")


def measure(plan, loop, block_set, target):
    _, stored, block = places(plan, block_set)
    pairs, entries = pairs_of(plan, loop, target, stored)
    pairs = distinct(np.stack([block[pairs[:, 0]], pairs[:, 1]], 1))
    points = np.bincount(pairs[:, 0], minlength=block_set.n_blocks)
    touched = np.unique(pairs[:, 1], return_counts=True)[1]
    lines = distinct(np.stack([pairs[:, 0], pairs[:, 1] // 4], 1))
    return {"entries": entries, "pairs": len(pairs), "shared_points": np.count_nonzero(touched > 1),
            "points_max": points.max(initial=0), "lines": len(lines), "points": points,
            "lines_ideal": int(np.sum((points + 3) // 4)), "list": pairs[:, 1]}


def prove_local(plan, loop, block_set, number):
    one = plan.maps[number]
    parts = {"loop": loop.index, "block_set": block_set.index}
    position, stored, block = places(plan, block_set)
    place, _, value = slots(plan, number, stored)
    offsets = plan.array(66, set=one.target, **parts)
    keys = np.repeat(np.arange(block_set.n_blocks), np.diff(offsets)) << 32 \
        | plan.array(67, set=one.target, **parts)
    local = np.searchsorted(keys, block[place] << 32 | np.maximum(value, 0)) - offsets[block[place]]
    local[value < 0] = HOLE
    if one.arity:
        expected = np.full((plan.positions(block_set), one.arity), HOLE)
        expected[position] = local.reshape(-1, one.arity)
    else:
        expected = local
    same(plan.array(68, map=number, **parts), expected, f"loop {loop.name}, map {one.name}: local ids")


def conflict_free(plan, loop, stored, group, unit):
    """No point is written by two units of one group; both are given for each stored index."""
    for target in plan.targets(loop):
        pairs, _ = pairs_of(plan, loop, target, stored, writing=True)
        place, point = pairs[:, 0], pairs[:, 1]
        triples = np.unique(np.stack([group[place], point, unit[place]], 1), axis=0)
        if len(triples) != len(distinct(triples[:, :2])):
            return False
    return True


def prove_variant(plan, loop, number, variant):
    where = f"loop {loop.name}, variant {number}"
    parts = {"loop": loop.index, "variant": number}
    holds(variant.threads >= 1 and variant.elements_per_thread >= 1, f"{where}: no threads")
    ordered = any(arg.map is not None and not arg.once and ACCESSES[arg.access] in ("write", "rw", "inc")
                  for arg in loop.args)
    holds(variant.strategy != ATOMIC or not variant.deterministic or not ordered,
          f"{where}: atomic adds promise equal bits")
    limit = None if variant.block_set is None else plan.block_sets[variant.block_set].block_limit
    holds(variant.block_limit == limit if limit else variant.block_limit <= 1024, f"{where}: block limit")
    same(variant.shared_bytes_max, staged(plan, loop, variant, parts), f"{where}: staged bytes")
    holds(not (variant.strategy == BLOCK_GATHER and variant.sums == ATOMIC_SUMS and variant.deterministic and ordered),
          f"{where}: atomic sums promise equal bits")
    if variant.strategy == BLOCK_GATHER:
        prove_records(plan, loop, variant, where, parts)
    elif variant.strategy == OWNER_GATHER:
        prove_owners(plan, loop, variant, where, parts)
    if variant.strategy != BLOCK_GATHER or variant.sums != PARTIAL:
        same(variant.partial_sums, 0, f"{where}: partial sums")
    if variant.strategy == BLOCK_COLOUR:
        prove_block_colours(plan, loop, variant, where, parts)
    elif variant.strategy == GLOBAL_COLOUR:
        stored = plan.array(32, set=loop.set)
        colours = plan.array(96, **parts)
        members = plan.array(33, set=loop.set) >= 0
        holds(np.all(colours[~members] == -1), f"{where}: a hole has a colour")
        prove_launches(colours, np.flatnonzero(members), variant.global_colours,
                       plan.array(97, **parts), plan.array(98, **parts), where)
        holds(conflict_free(plan, loop, stored, colours[stored].astype(np.int64), stored),
              f"{where}: elements of a colour write one point")
    if variant.strategy != BLOCK_COLOUR:
        same([variant.thread_colours_max, variant.thread_colours_total], [0, 0],
             f"{where}: colours of threads")
    if variant.strategy != BLOCK_COLOUR and not (variant.strategy == BLOCK_GATHER
                                                 and variant.sums == COLOUR_SUMS):
        same(variant.block_colours, 0, f"{where}: colours of blocks")
    if variant.strategy != GLOBAL_COLOUR:
        same(variant.global_colours, 0, f"{where}: global colours")


def prove_launches(colours, units, n_colours, offsets, launch, where):
    """Launches hold the units colour by colour, ascending; every colour has one."""
    of = colours[units]
    same(np.unique(of), np.arange(n_colours), f"{where}: colours are not 0 to {n_colours - 1}")
    same(offsets, np.searchsorted(np.sort(of), np.arange(n_colours + 1)), f"{where}: launch offsets")
    same(launch, units[np.argsort(of, kind="stable")], f"{where}: launches")


def prove_block_colours(plan, loop, variant, where, parts):
    block_set = plan.block_sets[variant.block_set]
    position, stored, block = places(plan, block_set)
    thread, count = plan.array(80, **parts), plan.array(81, **parts)
    expected = np.full(len(thread), HOLE)
    expected[position] = thread[position]
    same(thread, expected, f"{where}: a hole has a thread colour")
    largest = np.zeros(block_set.n_blocks, np.int64)
    np.maximum.at(largest, block, thread[position].astype(np.int64) + 1)
    same(count, largest, f"{where}: thread colours of blocks")
    same([count.max(initial=0), count.sum()], [variant.thread_colours_max, variant.thread_colours_total],
         f"{where}: numbers of thread colours")
    group = block << 16 | thread[position].astype(np.int64)
    holds(conflict_free(plan, loop, stored, group, stored), f"{where}: threads of a colour write a point")
    prove_colours_of_blocks(plan, loop, variant, where, parts)


def prove_colours_of_blocks(plan, loop, variant, where, parts):
    block_set = plan.block_sets[variant.block_set]
    _, stored, block = places(plan, block_set)
    colours = plan.array(82, **parts)
    prove_launches(colours, np.arange(block_set.n_blocks), variant.block_colours,
                   plan.array(83, **parts), plan.array(84, **parts), where)
    holds(conflict_free(plan, loop, stored, colours[block].astype(np.int64), block),
          f"{where}: blocks of a colour write a point")


def staged(plan, loop, variant, parts):
    """The most bytes that a block stages; strategies that stage nothing have 0."""
    if variant.strategy == BLOCK_GATHER and loop.layering:
        sizes = (np.diff(plan.array(64, block_set=variant.block_set)) + 7) // 8 * 8
        return int((np.diff(plan.array(128, **parts)) + sizes * layers_kept(loop)).max(initial=0))
    if variant.strategy == BLOCK_GATHER:
        dats = {arg.dat: arg.dim * np.dtype(TYPES[arg.type]).itemsize for arg in loop.args
                if arg.map is not None and ACCESSES[arg.access] in ADDING}
        sizes = np.diff(plan.array(64, block_set=variant.block_set))
        increments = (sizes + 7) // 8 * 8 * plan.gathering(loop).columns * sum(dats.values())
        return int((np.diff(plan.array(128, **parts)) + increments).max(initial=0))
    if variant.strategy != BLOCK_COLOUR:
        return 0
    return staged_by(plan, loop, plan.block_sets[variant.block_set]).max(initial=0)


def layers_kept(loop):
    """Bytes that a position keeps: results of a layer, and of the layers below that meet it in a level."""
    args = [arg for arg in loop.args if arg.map is not None and ACCESSES[arg.access] in ADDING]
    spans = [max(slot.offset for slot in arg.slots) - min(slot.offset for slot in arg.slots) for arg in args]
    below = max((span // arg.more.stride for span, arg in zip(spans, args)), default=0)
    return (1 + below) * sum(len(arg.slots) * arg.dim * np.dtype(TYPES[arg.type]).itemsize for arg in args)


def staged_by(plan, loop, block_set):
    """Bytes that each block stages for the loop."""
    total, seen = np.zeros(block_set.n_blocks, np.int64), set()
    for arg in loop.args:
        if arg.map is not None and arg.dat not in seen:
            seen.add(arg.dat)
            points = np.diff(plan.array(66, set=plan.maps[arg.map].target, loop=loop.index,
                                        block_set=block_set.index))
            total += (points * arg.dim * np.dtype(TYPES[arg.type]).itemsize + 15) // 16 * 16
    return total


def parts_of_record(data, n_local, what):
    """The parts of one record of block-gather, cut as section 8 says; Difference where they do not fit."""
    header = np.frombuffer(data, "<u4", 8).astype(int)
    n, n_points, n_entries = header[1], header[2], header[7]
    padded = -(-n // 8) * 8
    parts, at = [header], 32
    for form, count in (("<i4", n_points), ("<u2", n_local * padded), ("<u2", n_points + 1),
                        ("<u2", n_entries), ("<i4", n_points if header[6] else 0)):
        size = count * np.dtype(form).itemsize
        holds(at + size <= len(data), f"{what}: parts leave the record")
        parts.append(np.frombuffer(data, form, count, at))
        end = at + -(-size // 16) * 16
        holds(not np.any(np.frombuffer(data, np.uint8)[at + size:end]), f"{what}: padding")
        if len(parts) == 4:
            same(header[4], at, f"{what}: place of the starts")
        if len(parts) == 5:
            same(header[5], at, f"{what}: place of the entries")
        if len(parts) == 6 and header[6]:
            same(header[6], at, f"{what}: place of the partial slots")
        at = end
    same([header[0], len(data)], [at, at], f"{what}: length")
    return (*parts, padded)


def prove_records(plan, loop, variant, where, parts):
    gathering, block_set = plan.gathering(loop), plan.block_sets[variant.block_set]
    offsets, data = plan.array(128, **parts), plan.array(129, **parts).tobytes()
    cut = plan.array(64, block_set=variant.block_set)
    holds(is_list(offsets, len(data)) and not np.any(offsets % 16), f"{where}: offsets of records")
    members = plan.array(33, set=loop.set) >= 0
    n_local = sum(plan.maps[one].arity for one in gathering.local)
    sums = {}
    slots_found = []
    for block in range(block_set.n_blocks):
        what = f"{where}: record of block {block}"
        header, points, local, starts, entries, partial, padded = parts_of_record(
            data[offsets[block]:offsets[block + 1]], n_local, what)
        positions = np.arange(cut[block], cut[block + 1])
        same([header[1], header[3]], [len(positions), cut[block]], f"{what}: its block")
        same(bool(header[6]), variant.sums == PARTIAL, f"{what}: partial slots")
        elements = plan.array(65, block_set=variant.block_set)[positions] if block_set.sequence else positions
        columns = np.full((n_local, padded), -1)
        there = members[elements]
        rows = np.concatenate([plan.array(40, map=one)[elements] for one in gathering.local], 1)
        columns[:, :len(elements)] = np.where(there[:, None], rows, -1).T
        same(points, np.unique(columns[columns >= 0]), f"{what}: points")
        expected = np.where(columns >= 0, np.searchsorted(points, columns), HOLE)
        same(local, expected.ravel(), f"{what}: local ids")
        increments = expected.ravel()[:gathering.columns * padded]
        turns = np.tile(np.arange(padded) // (variant.round or padded or 1), gathering.columns)
        order = np.lexsort((turns, increments))
        order = order[increments[order] != HOLE]
        same(entries, order, f"{what}: entries")
        same(starts, np.searchsorted(increments[order], np.arange(len(points) + 1)), f"{what}: starts")
        for k in np.flatnonzero(np.diff(starts.astype(int))):
            sums.setdefault(int(points[k]), []).append((block, int(k)))
        slots_found.append(partial)
    if variant.sums == COLOUR_SUMS:
        prove_colours_of_blocks(plan, loop, variant, where, parts)
    if variant.sums == PARTIAL:
        shared = sorted(point for point, found in sums.items() if len(found) > 1)
        counts = [len(sums[point]) for point in shared]
        same(plan.array(130, **parts), shared, f"{where}: points with partial sums")
        same(plan.array(131, **parts), np.concatenate([[0], np.cumsum(counts, dtype=int)]),
             f"{where}: offsets of partial sums")
        same(variant.partial_sums, sum(counts), f"{where}: number of partial sums")
        expected = [np.full(len(found), -1) for found in slots_found]
        for first, point in zip(plan.array(131, **parts), shared):
            for place, (block, k) in enumerate(sums[point]):
                expected[block][k] = first + place
        for block, found in enumerate(slots_found):
            same(found, expected[block], f"{where}: partial slots of block {block}")


class ArraysOf(dict):
    """Arrays of one variant by kind, looked up once: loops over entries ask for them again and again."""

    def __init__(self, plan, parts):
        self.plan, self.parts = plan, parts

    def __missing__(self, kind):
        self[kind] = self.plan.array(kind, **self.parts)
        return self[kind]


def owner_code(stored, variant, place, row_slice, point, rows):
    """Element x columns + column of an entry; None: none. rows: of the first map."""
    word = int(stored[145][place])
    if variant.encoding == INDEX32:
        return None if word == -1 else word
    if variant.encoding == INDEX16:
        first, end = (int(one) for one in stored[147][row_slice:row_slice + 2])
        if word == 65535:
            return None
        if word >= 65535 - (end - first):
            return int(stored[148][first + 65534 - word])
        return int(stored[146][row_slice]) + word
    if word == -1:
        return None
    neighbour, rank = point + (word >> 6), word >> 1 & 31
    holds(0 <= neighbour < len(stored[149]) - 1 and rank <= 30, "pair32: neighbour or rank")
    element = int(stored[149][min(point, neighbour)]) + rank
    holds(element < len(rows)
          and rows[element][1 - (word & 1)] == neighbour,
          "pair32: an element of other points")
    return 2 * element + (word & 1)


def prove_owners(plan, loop, variant, where, parts):
    gathering, stored = plan.gathering(loop), ArraysOf(plan, parts)
    holds(all(arg.map is not None or arg.is_global or arg.access in (0, 1) for arg in loop.args),
          f"{where}: a direct arg is updated")
    rows = np.concatenate([plan.array(40, map=one) for one in gathering.maps], 1)
    order = in_order(plan, loop, variant, rows)
    rows, first_map = rows.ravel(), plan.array(40, map=gathering.maps[0])
    n_points = plan.sets[gathering.target].storage_size
    begin = np.searchsorted(rows[order], np.arange(n_points + 1))
    valence = np.diff(begin)
    rows_of_slice = variant.slice_rows
    n_slices = -(-n_points // rows_of_slice)
    longest = valence.max(initial=0)
    same(variant.width, longest if 1 <= longest <= 4 else 0, f"{where}: width")
    row_points = np.arange(rows_of_slice * n_slices)
    if variant.window:
        own = stored[150].astype(int)
        holds(not np.any(own[n_points:]), f"{where}: rows that are no points")
        row_points = row_points // 256 * 256 + own
        for first in range(0, n_points, 256):
            window = np.arange(first, min(first + 256, n_points))
            same(row_points[window], window[np.argsort(-valence[window], kind="stable")],
                 f"{where}: order of a window")
    columns = (np.arange(n_slices + 1) * variant.width if variant.width else stored[144])
    numbers = gathering.fields if variant.encoding == WINDOWS16 else 1
    holds(is_list(columns, len(stored[145]) // rows_of_slice // numbers), f"{where}: offsets of slices")
    if variant.encoding == INDEX16:
        holds(is_list(stored[147], len(stored[148])), f"{where}: escapes")
    plain = 0
    for one in range(n_slices):
        of_rows = [order[begin[row_points[row]]:begin[row_points[row] + 1]] if row < n_points else []
                   for row in range(rows_of_slice * one, rows_of_slice * (one + 1))]
        if not variant.width:
            same(columns[one + 1] - columns[one], max(len(found) for found in of_rows), f"{where}: slice")
        if variant.encoding == WINDOWS16:
            plain = prove_windows(plan, variant, where, parts, gathering, one, columns, of_rows, plain)
            continue
        escapes = []
        for k in range(columns[one + 1] - columns[one]):
            for lane in range(rows_of_slice):
                place = rows_of_slice * (columns[one] + k) + lane
                code = owner_code(stored, variant, place, one, int(row_points[rows_of_slice * one + lane]), first_map)
                expected = int(of_rows[lane][k]) if k < len(of_rows[lane]) else None
                if code != expected:
                    raise Difference(f"{where}: entry {k} of row {rows_of_slice * one + lane}: {code} in place of {expected}")
                if variant.encoding == INDEX16:
                    first, end = (int(x) for x in stored[147][one:one + 2])
                    word = int(stored[145][place])
                    if 65535 - (end - first) <= word < 65535:
                        escapes.append(65534 - word)
        if variant.encoding == INDEX16:
            first, end = (int(x) for x in stored[147][one:one + 2])
            words = stored[145][rows_of_slice * columns[one]:rows_of_slice * columns[one + 1]].astype(int)
            holds(np.any(words < 65535 - (end - first)) or stored[146][one] == 0,
                  f"{where}: base of slice {one}")
            same(escapes, np.arange(np.diff(stored[147])[one]), f"{where}: numbers of escapes")
    if variant.encoding == WINDOWS16:
        same(len(stored[152]), rows_of_slice * plain, f"{where}: plain codes")


def windows_of(values, size):
    """First members of the fewest windows of a size that hold all values, greedily."""
    first = []
    for value in sorted(values):
        if not first or value >= first[-1] + size:
            first.append(value)
    return first


def prove_windows(plan, variant, where, parts, gathering, one, columns, of_rows, plain):
    """Slice `one` of windows16 as section 9 makes it from the codes of its rows; the columns of plain codes so far."""
    pairs = plan.array(40, map=gathering.maps[0])
    holds(gathering.columns == 2 and len(gathering.maps) == 1, f"{where}: windows16 of other maps")
    fields, wide, rows = gathering.fields, int(columns[one + 1] - columns[one]), variant.slice_rows
    numbers = {}
    for lane, codes in enumerate(of_rows):
        for k, code in enumerate(int(code) for code in codes):
            element, column = divmod(code, 2)
            found = [int(pairs[element][1 - column])] + [element] * gathering.direct
            for each in gathering.rest:
                found += [int(point) for point in plan.array(40, map=each)[element]]
            holds(min(found) >= 0 and len(found) == fields, f"{where}: an entry of windows16 without a point")
            numbers[lane, k] = found, column
    near = windows_of((found[0] for found, _ in numbers.values()), 2048)
    far = windows_of((value for found, _ in numbers.values() for value in found[1:]), 4096)
    words, entries = np.zeros(16, int), np.full(rows * fields * wide, 65535)
    if len(near) + len(far) <= 15:
        words[:len(near) + len(far)] = near + far
        words[15] = len(near) + len(far)
        by_entry = plan.variants2 and plan.variants2[variant.index].entry_layout
        together = math.gcd(fields * (1 if by_entry else variant.width or 1), 8)
        for (lane, k), (found, column) in numbers.items():
            for field, value in enumerate(found):
                windows = far if field else near
                window = max(i for i, first in enumerate(windows) if first <= value)
                place = value - windows[window]
                at, number = k * fields + field, (window + len(near) if field else window)
                entries[at // together * together * rows + lane * together + at % together] = (
                    number * 4096 + (place if field else 2 * place + column))
    else:
        words[15] = -1 - plain
        codes = np.full((wide, rows), -1)
        for lane, found in enumerate(of_rows):
            codes[:len(found), lane] = found
        same(plan.array(152, **parts)[rows * plain:rows * (plain + wide)], codes.ravel(), f"{where}: plain codes of slice {one}")
        plain += wide
    same(plan.array(151, **parts)[16 * one:16 * one + 16], words, f"{where}: windows of slice {one}")
    first = rows * fields * int(columns[one])
    same(plan.array(145, **parts)[first:first + len(entries)], entries, f"{where}: entries of slice {one}")
    return plain


def in_order(plan, loop, variant, rows):
    """Places of a table of maps that hold a point, point by point, each in the order of its sums."""
    element, column = np.divmod(np.arange(rows.size), rows.shape[1])
    old = plan.array(33, set=loop.set)[element]
    keys = {BY_ELEMENT: (column, element), BY_COLUMN: (element, column), BY_MESH: (column, old)}[variant.order]
    order = np.lexsort((*keys, rows.ravel()))
    return order[rows.ravel()[order] >= 0]


def prove_gather(plan, loop, number):
    one = plan.maps[number]
    values = plan.array(40, map=number).ravel()
    variants = [variant for variant in loop.variants if variant.strategy == TWO_STEP]
    holds(len({variant.order for variant in variants}) == 1, f"loop {loop.name}: two orders of one list")
    if one.arity:
        order = in_order(plan, loop, variants[0], plan.array(40, map=number))
    else:
        holds(variants[0].order != BY_COLUMN, f"loop {loop.name}: columns of a ragged map")
        row = np.repeat(np.arange(plan.sets[one.source].storage_size), np.diff(plan.array(41, map=number)))
        row = plan.array(33, set=one.source)[row] if variants[0].order == BY_MESH else row
        order = np.lexsort((row, values))  # stable: slots of a row stay as they are
        order = order[values[order] >= 0]
    where = f"loop {loop.name}, map {one.name}"
    same(plan.array(113, map=number, loop=loop.index), order, f"{where}: gather slots")
    rows = np.arange(plan.sets[one.target].storage_size + 1)
    same(plan.array(112, map=number, loop=loop.index), np.searchsorted(values[order], rows),
         f"{where}: gather offsets")


def prove_renumbering(plan):
    primary = [loop for loop in plan.loops if loop.primary]
    for one in plan.sets:
        where = f"set {one.name}: bandwidth and profile of the"
        orders = {"input": plan.array(33, set=one.index), "stored": np.arange(one.storage_size)}
        for name in ("input", "renumbered", "stored"):
            found = [getattr(one, "bandwidth_" + name), getattr(one, "profile_" + name)]
            holds((found[0] < 0) == (found[1] < 0), f"{where} {name} order are not measured together")
            if found[0] >= 0 and name in orders:
                expected = spread(plan, primary[0], one, orders[name]) if primary else [0, 0]
                same(found, expected, f"{where} {name} order")
        holds(not one.kept or one.profile_input <= one.profile_renumbered,
              f"set {one.name}: the input order was kept with the larger profile")


def spread(plan, loop, one, order):
    """Bandwidth and profile of a set whose member at stored index i is number order[i]."""
    stored = plan.array(32, set=loop.set)
    low, bandwidth = np.where(order < 0, 0, order).astype(np.int64), 0
    for number in plan.maps_of(loop):
        if plan.maps[number].target != one.index:
            continue
        place, _, value = slots(plan, number, stored)
        place, value = place[value >= 0], value[value >= 0]
        least = np.full(len(stored), 1 << 40)
        most = np.full(len(stored), -1)
        np.minimum.at(least, place, order[value])
        np.maximum.at(most, place, order[value])
        bandwidth = max(bandwidth, int((most - least).max(initial=0)))
        np.minimum.at(low, value, least[place])
    members = plan.array(33, set=one.index) >= 0
    return [bandwidth, int(np.sum(order[members] - low[members]))]


# what the program exports

def compare_export(plan, folder):
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    agree(index["format_version"], version(plan), "index.json: format_version")
    agree(index["fingerprints"], hexadecimal(plan), "index.json: fingerprints")
    expected = {key: None for key in plan.arrays}
    for number, entry in enumerate(index["arrays"]):
        key = key_of(plan, entry, f"index.json: array {number}")
        holds(key in expected, f"index.json: array {number} is not in the plan or there twice")
        del expected[key]
        compare_array(plan, entry, key, os.path.join(folder, entry["file"]))
    holds(not expected, f"index.json lacks {list(expected)[:1]}")
    names = {entry["file"] for entry in index["arrays"]} | {"index.json"}
    agree(sorted(os.listdir(folder)), sorted(names), "files of the folder")


def key_of(plan, entry, where):
    """The key of a plan's array from the names that the index gives."""
    known = {"file", "array", "kind", "type", "shape", "set", "map", "loop", "variant", "block_set"}
    holds(set(entry) <= known, f"{where}: unknown words {set(entry) - known}")
    parts = {}
    for part, records in (("set", plan.sets), ("map", plan.maps), ("loop", plan.loops)):
        if part in entry:
            numbers = [one.index for one in records if shown(one.name) == entry[part]]
            holds(len(numbers) == 1, f"{where}: {part} {entry[part]}")
            parts[part] = numbers[0]
    parts.update({part: entry[part] for part in ("variant", "block_set") if part in entry})
    return plan.key(entry["kind"], **parts)


def compare_array(plan, entry, key, path):
    ours, theirs = plan.arrays[key], np.load(path)
    name = ARRAYS[key[0]].lower()
    agree(entry["array"], name[4:] if name.startswith("map_") else name, f"{path}: name")
    agree(entry["type"], TYPE_NAMES[plan.by_key[key].type], f"{path}: type in the index")
    agree(entry["shape"], list(ours.shape), f"{path}: shape in the index")
    agree(theirs.dtype.str.replace("|", "<"), ours.dtype.str.replace("|", "<"), f"{path}: type")
    agree(theirs.shape, ours.shape, f"{path}: shape")
    same(theirs, ours, f"{path}: the numbers differ")


# what the program says of the plan

def compare_info(plan, path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    for said in ("plan", "command", "input", "options", "error"):  # of the call
        found.pop(said)
    for loop in found["loops"]:
        for one in loop["variants"] + loop["block_sets"]:
            one.pop("reuse_bound")  # what is known of grids; the plan does not say it
        for one in loop["variants"]:
            one.pop("lanes_per_warp"), one.pop("sectors_per_request")  # of a model of warps: test_warp_loads counts them
    agree(found, description(plan), "info")


def agree(found, expected, where):
    """Equal JSON values; a difference is named by its path."""
    if isinstance(expected, dict) and isinstance(found, dict):
        agree(sorted(found), sorted(expected), f"keys of {where}")
        for key, value in expected.items():
            agree(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        holds(len(found) == len(expected), f"length of {where}: {len(found)}, not {len(expected)}")
        for number, value in enumerate(expected):
            agree(found[number], value, f"{where}[{number}]")
    else:
        expected = shown(expected) if isinstance(expected, str) else expected
        equal = found == expected and isinstance(found, bool) == isinstance(expected, bool)
        holds(equal, f"{where}: {found}, not {expected}")


def version(plan):
    return f"{plan.header['major']}.{plan.header['minor']}"


def hexadecimal(plan):
    return {name: f"{value:016x}" for name, value in plan.fingerprints.items()}


def description(plan):
    """All that `meshplan info --json` says, from the records and, for every figure, the arrays."""
    return {"bytes": len(plan.data), "format_version": version(plan), "fingerprints": hexadecimal(plan),
            "versions": shown(plan.versions).splitlines(), "sets": [set_words(plan, one) for one in plan.sets],
            "maps": [{"name": one.name, "from": plan.sets[one.source].name,
                      "to": plan.sets[one.target].name, "arity": one.arity,
                      "entries": plan.array(40, map=one.index).size} for one in plan.maps],
            "loops": [loop_words(plan, one) for one in plan.loops], **step_words(plan), **visit_words(plan)}


def step_words(plan):
    """Of the step and its conflicts."""
    if not plan.step:
        return {}
    conflicts = []
    for one in plan.conflicts:
        args = plan.loops[plan.step[one.later].loop].args
        ways = [[word for bit, word in ((1, "direct"), (2, "mapped")) if each & bit] for each in (one.earlier_ways, one.later_ways)]
        conflicts.append({"earlier": one.earlier, "later": one.later, "repeat": bool(one.repeat), "dat": args[one.arg].dat,
                          "kinds": [word for k, word in enumerate(("flow", "anti", "output", "sums")) if one.kinds >> k & 1],
                          "earlier_ways": ways[0], "later_ways": ways[1]})
    return {"step": [plan.loops[one.loop].name for one in plan.step], "conflicts": conflicts,
            "lags": [entry.index for entry in plan.step if entry.lag],
            "joinable": [entry for entry in range(len(plan.step)) if can_join(plan, entry)]}


def can_join(plan, entry):
    """Whether an entry and the one behind it could be one loop, from their args: of one set, and what one of them changes
    both have directly."""
    behind = (entry + 1) % len(plan.step)
    one, other = plan.loops[plan.step[entry].loop], plan.loops[plan.step[behind].loop]
    if behind == entry or one.set != other.set or one.layering != other.layering:
        return False
    for dat in {arg.dat for arg in one.args} & {arg.dat for arg in other.args}:
        args = [arg for arg in one.args + other.args if arg.dat == dat]
        if any(ACCESSES[arg.access] != "read" for arg in args) and any(arg.map is not None or arg.is_global for arg in args):
            return False
    return True


def visit_words(plan):
    """Of the visit of a plan for a limited memory, and its streams."""
    if not plan.visit:
        return {}
    visit, names = dict(vars(plan.visit[0])), {"memory": "device_memory", "peak": "peak_bytes"}
    visit.pop("index")
    words = {"visit": {**{names.get(name, name): value for name, value in visit.items()},
                       "shifts": [one.shift for one in plan.step]}, "streams": []}
    for one in plan.streams:
        loop = None if one.loop is None else plan.loops[one.loop]
        words["streams"].append({"dat": None if one.arg is None else loop.args[one.arg].dat,
                                 "map": None if one.map is None else plan.maps[one.map].name,
                                 "loop": None if loop is None else loop.name, "kind": one.kind,
                                 "ways": {1: "in", 3: "in and out", 4: "out at last", 8: "resident"}[one.ways],
                                 "enters": one.enters, "leaves": one.leaves, "bytes": one.bytes, "window": one.window})
    return words


def set_words(plan, one):
    orders = {f"{what}_{order}": getattr(one, f"{what}_{order}")
              for what in ("bandwidth", "profile") for order in ("input", "renumbered", "stored")}
    return {"name": one.name, "size": one.size, "storage_size": one.storage_size,
            **({"layers": one.layers, "layers_least": one.least} if one.layers else {}),
            **({"layers_there": int(np.unpackbits(plan.array(49, set=one.index).view(np.uint8)).sum())} if one.masked else {}),
            "split": one.split or None,
            **({"group_of": {"set": shown(one.group.parent), "size": one.group.parent_size}} if one.group else {}),
            "renumber": {"method": METHODS[one.renumber], "kept": bool(one.kept),
                         **{name: None if value < 0 else value for name, value in orders.items()}}}


def levels_words(arg):
    if not arg.slots:
        return {}
    return {"layers": {"levels": arg.more.levels, "stride": arg.more.stride, "rows": arg.more.rows,
                       "columns": ("layers", "points", "owner")[arg.more.columns],
                       "slots": [[slot.of, slot.offset] for slot in arg.slots]}}


def loop_words(plan, loop):
    block_sets = sorted(set(plan.block_sets_of(loop)))
    return {"name": loop.name, "set": plan.sets[loop.set].name, "primary": bool(loop.primary),
            **({"layered": (None, "layers", "columns")[loop.layering]} if loop.layering else {}),
            "calls": loop.calls, "flops": loop.flops, "default": loop.default_variant,
            "args": [{"dat": arg.dat, "map": None if arg.map is None else plan.maps[arg.map].name,
                      **({"global": True} if arg.is_global else {}),
                      "access": ACCESSES[arg.access], "dim": arg.dim, "type": TYPE_NAMES[arg.type],
                      "none": NONES[arg.none], "layout": ("aos", "soa")[arg.layout], **levels_words(arg)} for arg in loop.args],
            "variants": [variant_words(plan, loop, number, one)
                         for number, one in enumerate(loop.variants)],
            "block_sets": [block_set_words(plan, loop, plan.block_sets[one]) for one in block_sets]}


def block_set_words(plan, loop, one):
    tried = None if one.alternative_pairs < 0 else one.alternative_pairs
    return {"index": one.index, "made_for": plan.loops[one.loop].name, "sequence": bool(one.sequence),
            "partitioner": PARTITIONERS[one.partitioner], "block_limit": one.block_limit,
            "max_points": one.max_points, "shared_bytes": one.shared_bytes, "alternative_pairs": tried,
            "origin": origin_words(one.origin), **figures(plan, loop, one, one.block_limit)}


def origin_words(one):
    """Plans of 1.0 do not tell."""
    if one is None or one.origin < 2:
        return {"method": ORIGINS[one.origin if one else 0], "refined": bool(one and one.refined),
                "patches": None, "largest": None, "extent": []}
    return {"method": ORIGINS[one.origin], "refined": bool(one.refined), "patches": one.patches,
            "largest": one.largest, "extent": [one.extent_0, one.extent_1, one.extent_2]}


def variant_words(plan, loop, number, one):
    """A variant without blocks shows those that were made for its loop, if any were."""
    used = one.block_set
    if used is None:
        used = next((each.index for each in plan.block_sets if each.loop == loop.index), None)
    parts = {"loop": loop.index, "variant": number}
    words = {"strategy": STRATEGIES[one.strategy], "deterministic": bool(one.deterministic),
             "device": one.device, "threads": one.threads,
             "elements_per_thread": one.elements_per_thread, "block_limit": one.block_limit,
             "block_set": one.block_set, "shared_bytes_max": int(staged(plan, loop, one, parts)),
             "block_colours": None, "thread_colours_max": None, "thread_colours_mean": None,
             "global_colours": None, "sums": None, "partial_sums": None, "encoding": None, "width": None,
             "window": None, **predictions(plan, one), **colour_bounds(plan, loop, one, parts),
             **figures(plan, loop, None if used is None else plan.block_sets[used], one.block_limit)}
    if one.strategy == BLOCK_COLOUR:
        threads = plan.array(81, **parts).astype(np.int64)
        words["block_colours"] = int(plan.array(82, **parts).max(initial=-1)) + 1
        words["thread_colours_max"] = int(threads.max(initial=0))
        words["thread_colours_mean"] = ratio(threads.sum(), len(threads))
    elif one.strategy == GLOBAL_COLOUR:
        words["global_colours"] = int(plan.array(96, **parts).max(initial=-1)) + 1
    elif one.strategy == BLOCK_GATHER:
        words["sums"] = ("partial", "atomic", "colour")[one.sums]
        if one.sums == PARTIAL:
            words["partial_sums"] = int(plan.array(131, **parts)[-1])
        if one.sums == COLOUR_SUMS:
            words["block_colours"] = int(plan.array(82, **parts).max(initial=-1)) + 1
    elif one.strategy == OWNER_GATHER:
        words["encoding"] = ("none", "index32", "index16", "pair32", "windows16")[one.encoding]
        words["width"], words["window"] = one.width, one.window
    if one.order != BY_ELEMENT:
        words["sums_order"] = {BY_COLUMN: "column", BY_MESH: "mesh"}[one.order]
    if one.slice_rows != 32:
        words["slice_rows"] = one.slice_rows
    if plan.variants2 and plan.variants2[one.index].entry_layout:
        words["entry_layout"] = "entries"
    if plan.variants2 and plan.variants2[one.index].bound_blocks:
        words["bound_blocks"] = plan.variants2[one.index].bound_blocks
    if one.round:
        words["round"] = one.round
    return words


REASONS = (None, "the fastest", "the fastest with equal bits", "the fastest that adds in the order asked for",
           "the loop writes through no map")


def predictions(plan, variant):
    """What the cost model said when it chose the strategy."""
    kept = plan.variants2[variant.index] if plan.variants2 else None
    words = {"predicted_us": None, "runner_up": None, "runner_up_us": None, "reason": REASONS[kept.reason if kept else 0],
             "predictions_us": {}}
    if kept and kept.runner_up:
        words["runner_up"], words["runner_up_us"] = STRATEGIES[kept.runner_up - 1], 1e-3 * kept.runner_up_ns
    if kept and kept.predicted_ns:
        words["predicted_us"] = 1e-3 * kept.predicted_ns
        shares = [half for pair in (kept.permille_01, kept.permille_23, kept.permille_45)
                  for half in (pair & 0xFFFF, pair >> 16)]
        words["predictions_us"] = {name: 1e-6 * kept.predicted_ns * share if share else None
                                   for name, share in zip(STRATEGIES, shares)}
    return words


def most_of(keys):
    """Distinct keys, and how often each occurs."""
    return np.unique(keys, return_counts=True)


def colour_bounds(plan, loop, variant, parts):
    """As many colours as units that write to one point; as one, when none do."""
    names = ("block_colours_bound", "thread_colours_max_bound", "thread_colours_mean_bound",
             "thread_blocks_at_bound", "global_colours_bound")
    words = dict.fromkeys(names)
    if variant.strategy == GLOBAL_COLOUR:
        stored = plan.array(32, set=loop.set)
        counts = [most_of(pairs_of(plan, loop, target, stored, writing=True)[0][:, 1])[1]
                  for target in plan.targets(loop)]
        words["global_colours_bound"] = max([int(one.max(initial=0)) for one in counts]
                                            + [int(len(stored) > 0)])
    if variant.strategy != BLOCK_COLOUR and not (variant.strategy == BLOCK_GATHER
                                                 and variant.sums == COLOUR_SUMS):
        return words
    block_set = plan.block_sets[variant.block_set]
    _, stored, block = places(plan, block_set)
    n, blocks = block_set.n_blocks, int(block_set.n_blocks > 0)
    threads = np.ones(n, np.int64)
    for target in plan.targets(loop):
        pairs, _ = pairs_of(plan, loop, target, stored, writing=True)
        keys, counts = most_of(block[pairs[:, 0]] << 32 | pairs[:, 1])
        np.maximum.at(threads, keys >> 32, counts)
        blocks = max(blocks, int(most_of(keys & 0xFFFFFFFF)[1].max(initial=0)))
    words["block_colours_bound"] = blocks
    if variant.strategy == BLOCK_COLOUR:
        words["thread_colours_max_bound"] = int(threads.max(initial=0))
        words["thread_colours_mean_bound"] = ratio(threads.sum(), n)
        words["thread_blocks_at_bound"] = ratio(np.sum(plan.array(81, **parts) <= threads), n)
    return words


def ratio(above, below):
    return int(above) / int(below) if below else None


def figures(plan, loop, block_set, limit):
    names = ("blocks", "block_min", "block_mean", "block_max", "over_limit", "empty", "fill", "reuse",
             "shared_points", "points_per_block", "lines_per_block", "lines_ideal")
    if block_set is None:
        return dict.fromkeys(names + ("blocks_bound",))
    n = block_set.n_blocks
    sizes = np.bincount(places(plan, block_set)[2], minlength=n)
    result = {"blocks": n, "block_min": int(sizes.min()) if n else 0, "block_mean": ratio(sizes.sum(), n),
              "block_max": int(sizes.max(initial=0)), "over_limit": int(np.sum(sizes > limit)),
              "empty": int(np.sum(sizes == 0)), "fill": ratio(sizes.sum(), n * limit),
              "blocks_bound": -(-int(sizes.sum()) // block_set.block_limit),
              **{name: {} for name in names[7:]}}
    for target in plan.targets(loop):
        name, found = shown(plan.sets[target].name), measure(plan, loop, block_set, target)
        result["reuse"][name] = ratio(found["entries"], found["pairs"])
        result["shared_points"][name] = ratio(found["shared_points"], plan.sets[target].size)
        result["points_per_block"][name] = {"mean": ratio(found["pairs"], n),
                                            "max": int(found["points_max"])}
        result["lines_per_block"][name] = ratio(found["lines"], n)
        result["lines_ideal"][name] = ratio(found["lines_ideal"], n)
    return result


# as a program

def summary(plan):
    def names(records):
        return [shown(one.name) for one in records]

    sets = names(plan.sets)
    print(f"plan, format {plan.header['major']}.{plan.header['minor']}, {len(plan.data)} bytes, "
          f"{len(plan.entries)} sections")
    print("fingerprints:", ", ".join(f"{k} {v:016x}" for k, v in plan.fingerprints.items()))
    for name, one in zip(sets, plan.sets):
        print(f"set {name}: {one.size} members in {one.storage_size} places")
    for name, one in zip(names(plan.maps), plan.maps):
        print(f"map {name}: {sets[one.source]} to {sets[one.target]}, "
              f"arity {one.arity or 'ragged'}, {one.n_entries} entries")
    for name, one in zip(names(plan.loops), plan.loops):
        print(f"loop {name} over {sets[one.set]}: {len(one.args)} args, "
              + ", ".join(STRATEGIES[variant.strategy] for variant in one.variants))
    for one in plan.block_sets:
        print(f"block set {one.index} of {sets[one.set]}: {one.n_blocks} blocks of at most "
              f"{one.block_limit}")


def main():
    parser = argparse.ArgumentParser(description="reads and proves a plan file")
    parser.add_argument("plan")
    parser.add_argument("--compare", metavar="FOLDER", help="what meshplan export wrote")
    parser.add_argument("--json", metavar="FILE", help="what meshplan info --json wrote")
    options = parser.parse_args()
    try:
        plan = read_plan(options.plan)
    except Refused as refusal:
        print(f"{options.plan}: {refusal}", file=sys.stderr)
        return 65
    summary(plan)
    try:
        prove(plan)
        if options.compare:
            compare_export(plan, options.compare)
        if options.json:
            compare_info(plan, options.json)
    except Difference as difference:
        print(f"{options.plan}: {difference}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
