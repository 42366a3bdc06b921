#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the plans of parts mean (sections 4, PARTS, and 13 of formats/plan-format.md), proved with numpy.

parts_meaning.py BUNDLE

Each part is proved by plan_meaning.py. Then the whole mesh is put together from the rows of what each part owns: it must
have the fingerprint of the bundle, and halos and lists of each part must be those that follow from it. So nothing is taken
from `meshplan verify`, which never has the whole mesh. Exit code 65: it is refused; 1: it does not hold."""
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "tools" / "python")]
from meshplan.bundle import read_bundle  # noqa: E402
from meshplan.planfile import RW, WRITE, Refused  # noqa: E402
from meshplan.xxh3 import fingerprint, xxh3_64  # noqa: E402
from plan_meaning import Difference, holds, prove, same  # noqa: E402


def stored_ids(plan, number):
    """Number in the whole mesh of the member at each stored index of a set."""
    return plan.array(34, set=number)[plan.array(33, set=number)]


def places_of(plan, number):
    """Stored index of the member at each place: with slabs by PART_PLACES, which holds each once."""
    if not plan.visit:
        return np.arange(plan.sets[number].size)
    places = plan.array(191, set=number)
    same(np.sort(places), np.arange(plan.sets[number].size), f"PART_PLACES of set {number}")
    return places


def ids_of(plan, number):
    """Number in the whole mesh of the member at each place of a set."""
    return stored_ids(plan, number)[places_of(plan, number)]


def row_of(plan, number, place):
    """Entries of the row at a place, in numbers of the whole mesh."""
    one = plan.maps[number]
    values = plan.array(40, map=number)
    place = places_of(plan, one.source)[place]
    if one.arity == 0:
        offsets = plan.array(41, map=number)
        values = values[offsets[place]:offsets[place + 1]]
    else:
        values = values[place]
    return np.where(values < 0, -1, np.append(stored_ids(plan, one.target), -1)[values])


class Whole:
    """The mesh that the owned rows of all parts make: owner of each member, rows of each map."""

    def __init__(self, bundle, plans):
        manifest = bundle.manifest
        self.owner = [np.full(one.total, -1) for one in manifest.sets]
        for p, plan in enumerate(plans):
            for one in plan.sets:
                ids = ids_of(plan, one.index)[:one.part.owned]
                holds(np.all(self.owner[one.index][ids] == -1), f"part {p}: a member of {one.name} has two owners")
                self.owner[one.index][ids] = p
        for number, one in enumerate(manifest.sets):
            holds(np.all(self.owner[number] >= 0), f"a member of {one.name} has no owner")
        self.rows = [[None] * manifest.sets[one.source].total for one in manifest.maps]
        for plan in plans:
            for one in plan.maps:
                ids = ids_of(plan, one.source)
                for place in range(plan.sets[one.source].part.owned):
                    self.rows[one.index][ids[place]] = row_of(plan, one.index, place)
        self.manifest = manifest
        same(bundle.fingerprints["topology"], self.topology(), "fingerprint of the whole mesh")
        for number, one in enumerate(manifest.maps):
            found = sum(int(np.sum(row >= 0)) for row in self.rows[number])
            holds(found == one.entries, f"map {one.name}: entries of the manifest")

    def topology(self):
        manifest = self.manifest
        out = [len(manifest.sets), *(one.total for one in manifest.sets), len(manifest.maps)]
        for number, one in enumerate(manifest.maps):
            out += [one.source, one.target, one.arity]
            if one.arity == 0:
                out += [0, *np.cumsum([len(row) for row in self.rows[number]]).tolist()]
            for row in self.rows[number]:
                out += row.tolist()
        return fingerprint(np.array(out, dtype="<i8").tobytes())

    def prove_columns(self, plans):
        """Members have the same layers in each part that has them, and the request the hash of all of them."""
        for number, one in enumerate(self.manifest.sets):
            first = plans[0].sets[number]
            words = ""
            for there, kind, word in ((first.ranged, 48, "ranges"), (first.masked, 49, "mask")):
                if not there:
                    continue
                rows = [plan.array(kind, set=number)[places_of(plan, number)] for plan in plans]
                whole = np.full((one.total, rows[0].shape[1]), -1, dtype="<i4")
                for plan, own in zip(plans, rows):
                    owned = plan.sets[number].part.owned
                    whole[ids_of(plan, number)[:owned]] = own[:owned]
                for p, (plan, own) in enumerate(zip(plans, rows)):
                    same(own, whole[ids_of(plan, number)], f"part {p}, set {one.name}: {word} of columns")
                words += f"{word} {xxh3_64(whole.tobytes()):016x} "
            if not words:
                continue
            line = f"\nlayers {first.layers} {words}{one.name}\n"
            holds(line in self.manifest.request, f"set {one.name}: hash of the layers of all parts")

    def changed_by(self, plan, maps, number, part):
        """Elements of a set with a point of the part in one of these maps."""
        found = set()
        for m in maps:
            if self.manifest.maps[m].source == number:
                owner = self.owner[self.manifest.maps[m].target]
                found |= {e for e, row in enumerate(self.rows[m]) if np.any(owner[row[row >= 0]] == part)}
        return found


def changing(loops):
    return {arg.map for loop in loops for arg in loop.args if arg.map is not None and arg.access != 0}


def rings_of(whole, plan, p):
    """By set: the ring around part p of each member of the mesh, and the elements of others that it runs. Without rings:
    0 is what it owns, 1 all else."""
    depth = max(plan.rings, 1)
    changed = {arg.dat for loop in plan.loops for arg in loop.args if arg.access != 0}
    carries = {arg.map for loop in plan.loops for arg in loop.args if arg.map is not None and arg.dat in changed}
    ring = [np.where(owner == p, 0, depth + 1) for owner in whole.owner]
    runs = [set() for _ in ring]
    maps = whole.manifest.maps
    for k in range(depth):
        near = [{e for m in changing(plan.loops) if maps[m].source == s for e, row in enumerate(whole.rows[m])
                 if np.any(ring[maps[m].target][row[row >= 0]] <= k)} for s in range(len(ring))]
        for s, elements in enumerate(near):
            elements = [e for e in elements if whole.owner[s][e] != p]
            runs[s].update(elements)
            ring[s][elements] = np.minimum(ring[s][elements], k + 1)
        before = [one.copy() for one in ring]
        for m in carries:
            for e, row in enumerate(whole.rows[m]):
                if before[maps[m].source][e] <= k or e in near[maps[m].source]:
                    points = row[row >= 0]
                    ring[maps[m].target][points] = np.minimum(ring[maps[m].target][points], k + 1)
    return ring, runs


def prove_rings(whole, plan, p, ring):
    """The halo has all members up to the last ring, and what they name; HALO_RINGS says at which ring each is."""
    for one in plan.sets:
        ids, where = ids_of(plan, one.index), f"part {p}, set {one.name}"
        same(plan.array(189, set=one.index), ring[one.index][ids[one.part.owned:]], f"{where}: HALO_RINGS")
        wanted = set(np.flatnonzero(ring[one.index] <= plan.rings).tolist())
        for m in plan.maps:
            if m.target == one.index:
                wanted |= {i for e in np.flatnonzero(ring[m.source] <= plan.rings) for i in whole.rows[m.index][e] if i >= 0}
        holds(wanted <= set(ids.tolist()), f"{where}: a member of a ring is missing")


def prove_visit(plan, p):
    """After all steps of a visit what the part owns is right, where nothing is exchanged meanwhile (PARTS, Rings)."""
    rings = plan.rings
    holds(rings > 0, f"part {p}: a visit without rings")
    args = lambda entry: [arg for arg in plan.loops[entry.loop].args if not arg.is_global]
    changed = {arg.dat for entry in plan.step for arg in args(entry) if arg.access != 0}
    right = {arg.dat: rings + 1 for entry in plan.step for arg in args(entry)}
    for step in range(plan.visit[0].steps):
        for entry in plan.step:
            if entry.clear:
                right[plan.loops[entry.loop].args[entry.clear - 1].dat] = rings + 1
            adds = any(arg.map is not None and arg.access != 0 for arg in args(entry))
            level = rings - 1 if adds else rings if any(arg.map is not None for arg in args(entry)) else rings + 1
            for arg in args(entry):
                if arg.dat in changed and (arg.map is not None or arg.access != WRITE):
                    level = min(level, right[arg.dat] - (arg.access in (0, RW) and (adds or arg.map is not None)))
            holds(level >= 0, f"part {p}: step {step} of a visit needs an exchange")
            for arg in args(entry):
                if arg.access != 0:
                    right[arg.dat] = level


def prove_halos(whole, plan, p, ring, runs):
    """Execute halos are exact, rows are those of the mesh, inner members meet no halo."""
    depth = max(plan.rings, 1)
    for one in plan.sets:
        ids, part, where = ids_of(plan, one.index), one.part, f"part {p}, set {one.name}"
        holds(set(ids[part.owned:part.executed].tolist()) == runs[one.index], f"{where}: execute halo")
        holds(np.all(whole.owner[one.index][ids[part.owned:]] != p), f"{where}: halo of itself")
    used = {arg.map for loop in plan.loops for arg in loop.args if arg.map is not None}
    for one in plan.maps:
        source, target = plan.sets[one.source], plan.sets[one.target]
        ids, points = ids_of(plan, one.source), ids_of(plan, one.target)
        inner, halo = set(points[:target.part.inner].tolist()), set(points[target.part.owned:].tolist())
        for place in range(source.size):
            row, due = row_of(plan, one.index, place), whole.rows[one.index][ids[place]]
            if place < source.part.executed or plan.rings and ring[one.source][ids[place]] <= depth:
                same(row, due, f"part {p}: row {place} of map {one.name} is not that of the mesh")
            else:
                counts = ring[one.target][row] < depth
                counts[row < 0] = False
                holds(not counts.any() or len(row) <= len(due) and np.array_equal(row[counts], due[:len(row)][counts]),
                      f"part {p}: row {place} of map {one.name} adds a point that the part computes")
            if one.index in used:
                points_of = set(row[row >= 0].tolist())
                holds(place >= source.part.inner or not points_of & halo, f"part {p}: an inner element of {source.name} has a halo")
                holds(not points_of & inner or place < source.part.owned and not points_of & halo,
                      f"part {p}: an inner point of {target.name} meets a halo")


def reads_of(whole, plan, loop, number, p):
    """Members of other parts that the loop reads in part p, by the whole mesh."""
    elements = set(np.flatnonzero(whole.owner[loop.set] == p).tolist())
    others = whole.changed_by(plan, changing([loop]), loop.set, p) - elements
    found = set()
    for arg in loop.args:
        if arg.access not in (0, RW) or arg.is_global:
            continue
        if arg.map is None:
            found |= others if loop.set == number else set()
        elif plan.maps[arg.map].target == number:
            for e in elements | others:
                found |= set(whole.rows[arg.map][e].tolist()) - {-1}
    return {m for m in found if whole.owner[number][m] != p}


def hash_of(ids):
    return np.array([xxh3_64(np.asarray(ids, dtype="<i8").tobytes())], np.uint64).view(np.int64)[0]


def imports_of(whole, plan, p, number):
    """Part -> global ids that come from it, in order; the arrays must say the same."""
    one, ids = plan.sets[number], ids_of(plan, number)
    part, where = one.part, f"part {p}, set {one.name}"
    lists = {}
    for begin, end in ((part.owned, part.executed), (part.executed, one.size)):
        kind = ids[begin:end]
        owner = whole.owner[number][kind]
        same(np.lexsort((kind, owner)), np.arange(len(kind)), f"{where}: order of a halo")
        for m, q in zip(kind.tolist(), owner.tolist()):
            lists.setdefault(q, []).append(m)
    same(plan.array(176, set=number), sorted(lists), f"{where}: IMPORT_PARTS")
    ranges = plan.array(177, set=number)
    for k, (begin, end) in enumerate(((part.owned, part.executed), (part.executed, one.size))):
        borders = np.append(ranges[:, 2 * k], end)
        holds(len(ranges) == 0 or borders[0] == begin and np.array_equal(borders[1:], ranges[:, 2 * k + 1]), f"{where}: IMPORT_RANGES")
        for q, low, high in zip(sorted(lists), ranges[:, 2 * k], ranges[:, 2 * k + 1]):
            holds(np.all(whole.owner[number][ids[low:high]] == q), f"{where}: IMPORT_RANGES of part {q}")
    same(plan.array(178, set=number), [hash_of(lists[q]) for q in sorted(lists)], f"{where}: IMPORT_HASHES")
    return lists


def prove_lists(whole, plans, rings):
    """Exports are the imports of the other parts; lists of loops are what loops read of them."""
    for number in range(len(whole.manifest.sets)):
        imports = [imports_of(whole, plan, p, number) for p, plan in enumerate(plans)]
        for p, plan in enumerate(plans):
            if plan.rings:
                there = [int(rings[q][number][m]) for q in range(len(plans)) for m in imports[q].get(p, [])]
                same(plan.array(190, set=number), there, f"part {p}, set {plan.sets[number].name}: EXPORT_RINGS")
        wanted = [(None, imports, (179, 180, 181, 182), None)]
        for loop in plans[0].loops:
            if plans[0].reads_set(loop, number):
                reads = [reads_of(whole, plan, plan.loops[loop.index], number, p) for p, plan in enumerate(plans)]
                lists = [{q: [m for m in ids if m in reads[p]] for q, ids in imports[p].items()} for p in range(len(plans))]
                for p in range(len(plans)):
                    holds(reads[p] <= {m for ids in imports[p].values() for m in ids}, f"part {p}: loop {loop.name} reads what is not there")
                wanted.append((loop.index, lists, (None, 186, 187, 188), (183, 184, 185)))
        for loop, lists, out, into in wanted:
            key = {"set": number} if loop is None else {"set": number, "loop": loop}
            for p, plan in enumerate(plans):
                ids, where = ids_of(plan, number), f"part {p}, set {plan.sets[number].name}, loop {loop}"
                exports = {q: lists[q][p] for q in range(len(plans)) if p in lists[q]}
                if out[0]:
                    same(plan.array(out[0], **key), sorted(exports), f"{where}: EXPORT_PARTS")
                compare(plan, key, out[1:], [exports[q] for q in sorted(exports)], ids, f"{where}: exports")
                if into:
                    compare(plan, key, into, [lists[p][q] for q in sorted(lists[p])], ids, f"{where}: imports")


def compare(plan, key, kinds, lists, ids, where):
    same(plan.array(kinds[0], **key), np.cumsum([0] + [len(one) for one in lists]), f"{where}: offsets")
    same(ids[plan.array(kinds[1], **key)], [m for one in lists for m in one], f"{where}: members")
    same(plan.array(kinds[2], **key), [hash_of(one) for one in lists], f"{where}: hashes")


def prove_bundle(bundle):
    plans = [bundle.part(p) for p in range(len(bundle))]
    for p, plan in enumerate(plans):
        try:
            prove(plan)
        except Difference as difference:
            raise Difference(f"part {p}: {difference}") from None
        holds(plan.request == bundle.manifest.request, f"part {p}: request")
        for one in plan.sets:
            ids = plan.array(34, set=one.index)
            holds(np.all(np.diff(ids) > 0) and (len(ids) == 0 or 0 <= ids[0] and ids[-1] < one.part.total),
                  f"part {p}: global ids of {one.name}")
    try:
        whole = Whole(bundle, plans)
        whole.prove_columns(plans)
        rings = []
        for p, plan in enumerate(plans):
            ring, runs = rings_of(whole, plan, p)
            rings.append(ring)
            prove_halos(whole, plan, p, ring, runs)
            if plan.rings:
                prove_rings(whole, plan, p, ring)
            if plan.visit:
                prove_visit(plan, p)
            holds([one.steps for one in plan.visit] == [one.steps for one in plans[0].visit], f"part {p}: a visit has other steps than that of part 0")
        prove_lists(whole, plans, rings)
    except (IndexError, ValueError) as error:  # arrays that are not as long as others say
        raise Difference(f"a list leads out: {error}") from None


def main():
    try:
        bundle = read_bundle(sys.argv[1])
        prove_bundle(bundle)
    except Refused as refusal:
        print(f"{sys.argv[1]}: {refusal}", file=sys.stderr)
        return 65
    except Difference as difference:
        print(f"{sys.argv[1]}: {difference}", file=sys.stderr)
        return 1
    print(f"bundle of {len(bundle)} parts, cut by {bundle.manifest.how}, {len(bundle.data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
