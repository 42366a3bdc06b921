# SPDX-License-Identifier: Apache-2.0
"""What the request of a plan leads to (section 11 of formats/plan-format.md): canonical form, loops and args, variants,
block sets, layouts. Used by plan_meaning.py. How sets are renumbered is left to meshplan's own proof."""
import re

import numpy as np

from meshplan.planfile import (ATOMIC, ATOMIC_SUMS, BLOCK_COLOUR, BLOCK_GATHER, GLOBAL_COLOUR, OWNER_GATHER, STRATEGIES, TWO_STEP,
                               TYPE_NAMES, TYPES)
from meshplan.xxh3 import xxh3_64

PARTITIONERS = ("none", "metis", "scotch", "hilbert", "native")
NATIVE = 4
ACCESSES = ("read", "write", "rw", "inc", "min", "max")
NONES = ("refuse", "skip", "split")
SUMS = ("partial", "atomic", "colour")
ORDERS = ("stored", "column", "mesh")
ENCODINGS = ("auto", "index32", "index16", "pair32", "windows16")
DEVICES = {"p100": 49152, "v100": 98304, "a100": 166912, "h100": 232448, "h200": 232448, "b200": 232448, "gb200": 232448,
           "l40s": 101376, "rtx4090": 101376, "rtx5090": 101376, "mi300x": 65536, "cpu": 1048576}
AOS, SOA = 0, 1


class Unasked(Exception):
    """The records of a plan are not what its request leads to."""


def due(condition, sentence):
    if not condition:
        raise Unasked(sentence)


# the text

def whole(most):
    return lambda text: int(text) if re.fullmatch("0|[1-9][0-9]*", text) and int(text) <= most else None


def one_of(*words):
    return lambda text: text if text in words else None


def number(least, most):
    """In the shortest form that reads back as the same double, of at least 6 digits."""
    def read(text):
        try:
            value = float(text)
        except ValueError:
            return None
        forms = (f"{value:.{digits}g}" for digits in range(6, 18))
        shortest = next((form for form in forms if float(form) == value), None)
        return value if least <= value <= most and shortest == text else None
    return read


def strategies(text):
    words = [] if text == "auto" else text.split(" ")
    return words if len(set(words)) == len(words) and set(words) <= set(STRATEGIES) else None


def threads(text):
    found = whole(1024)(text)
    return found if found is not None and found % 32 == 0 else None


OPTIONS = (("block_size", whole(1024)), ("max_points", whole(65535)), ("shared_bytes", whole(2**63 - 1)),
           ("strategy", strategies), ("allow_nondeterministic", one_of("false", "true")), ("sums", one_of(*SUMS)),
           ("encoding", one_of(*ENCODINGS)), ("block_threads", threads),
           ("partitioner", one_of("auto", *PARTITIONERS)), ("imbalance", number(1, 1024)),
           ("effort", one_of("default", "fast", "best")), ("fill", number(5e-324, 1)),
           ("graph", one_of("auto", "points", "faces")),
           ("renumber", one_of("auto", "none", "gps", "rcm", "hilbert", "scotch-gps", "sloan", "agglomerate")),
           ("keep_order", one_of("better", "never")),
           ("point_order", one_of("auto", "lexicographic", "count", "renumbered", "lines", "padded")),
           ("device", one_of(*DEVICES)), ("seed", whole(2**64 - 1)))


def loop_lines(plan):
    """For each line all that it may be; names may hold line feeds, so that the text is not taken apart."""
    for loop in plan.loops:
        mark = " primary" if loop.primary else ""
        yield [f"loop {loop.name} over {plan.sets[loop.set].name} calls {loop.calls} flops {loop.flops}{mark}\n"]
        for arg in loop.args:
            words = f"{ACCESSES[arg.access]} {arg.dim} {TYPE_NAMES[arg.type]}"
            if arg.map is not None:
                yield [f"arg {arg.dat} map {plan.maps[arg.map].name} {words} {NONES[arg.none]}\n"]
            else:
                due(arg.none == 0, f"loop {loop.name}: a direct arg with a rule for -1")
                way = "global" if arg.is_global else "direct"
                yield [f"arg {arg.dat} {way} {words} {none}\n" for none in NONES]


def mask_words(plan, one):
    """What the line of a set says of its mask, whose bits are of layers that the member has."""
    stored, places = plan.array(49, set=one.index), plan.array(32, set=one.index)
    due((stored[plan.array(33, set=one.index) < 0] == 0).all(), f"set {one.name}: mask of holes")
    mesh = np.ascontiguousarray(stored[places], dtype="<i4")
    bits = np.unpackbits(mesh.view(np.uint8).reshape(len(mesh), -1), axis=1, bitorder="little")
    layer = np.arange(bits.shape[1])
    ranges = plan.array(48, set=one.index).reshape(-1, 2)[places] if one.ranged else np.array([[0, one.layers]] * one.size).reshape(-1, 2)
    due(not bits[(layer < ranges[:, :1]) | (layer >= ranges[:, 1:])].any(), f"set {one.name}: mask of layers that are not there")
    if not one.part:
        return f"mask {xxh3_64(mesh.tobytes()):016x} "
    found = re.search(rf"\nlayers {one.layers} (?:ranges [0-9a-f]{{16}} )?(mask [0-9a-f]{{16}} ){re.escape(one.name)}\n", plan.request)
    due(found, f"set {one.name}: hash of its mask")
    return found[1]


def layers_lines(plan):
    """Of sets, loops and args with layers."""
    for one in plan.sets:
        if not one.layers:
            continue
        ranges = ""
        if one.ranged:
            stored, places = plan.array(48, set=one.index).reshape(-1, 2), plan.array(32, set=one.index)
            due((stored[plan.array(33, set=one.index) < 0] == 0).all(), f"set {one.name}: layers of holes")
            mesh = np.ascontiguousarray(stored[places], dtype="<i4")
            heights = mesh[:, 1] - mesh[:, 0]
            due((mesh >= 0).all() and (mesh <= one.layers).all() and (heights >= 0).all(), f"set {one.name}: ranges")
            due(not one.size or heights.min() == one.least, f"set {one.name}: its lowest column")
            ranges = f"ranges {xxh3_64(mesh.tobytes()):016x} "
            if one.part:  # the hash is that of the whole mesh (parts_meaning.py)
                found = re.search(rf"\nlayers {one.layers} (ranges [0-9a-f]{{16}} )(?:mask [0-9a-f]{{16}} )?{re.escape(one.name)}\n", plan.request)
                due(found, f"set {one.name}: hash of its ranges")
                ranges = found[1]
        mask = mask_words(plan, one) if one.masked else ""
        yield f"layers {one.layers} {ranges}{mask}{one.name}\n"
    for loop in plan.loops:
        if loop.layering:
            yield f"layering {loop.index} {('layers', 'columns')[loop.layering - 1]}\n"
        for place, arg in enumerate(loop.args):
            if arg.slots:
                slots = " ".join(f"{slot.of}+{slot.offset}" for slot in arg.slots)
                yield (f"levels {loop.index} {place} of {arg.more.levels} stride {arg.more.stride} rows {arg.more.rows} "
                       f"columns {('layers', 'points', 'owner')[arg.more.columns]} slots {slots}\n")


def read_request(plan):
    """The options by their names."""
    rest, asked = plan.request, {}
    for lines in loop_lines(plan):
        line = next((each for each in lines if rest.startswith(each)), None)
        due(line is not None, f"the request does not go on with {lines[0]!r}")
        rest = rest[len(line):]
    for key, read in OPTIONS:
        line, end, rest = rest.partition("\n")
        due(end and line.startswith(key + " "), f"the request does not say {key}")
        asked[key] = read(line[len(key) + 1:])
        due(asked[key] is not None, f"the request: {line!r} cannot be")
    asked["sums_order"] = "stored"
    if rest.startswith("sums_order "):
        line, _, rest = rest.partition("\n")
        asked["sums_order"] = one_of(*ORDERS)(line[len("sums_order "):])
        due(asked["sums_order"] is not None, f"the request: {line!r} cannot be")
    asked["layouts"] = "auto"
    if rest.startswith("layouts "):
        line, _, rest = rest.partition("\n")
        asked["layouts"] = one_of("aos", "soa")(line[len("layouts "):])
        due(asked["layouts"] is not None, f"the request: {line!r} cannot be")
    asked["slice_rows"] = 32
    if rest.startswith("slice_rows "):
        line, _, rest = rest.partition("\n")
        due(line in ("slice_rows 32", "slice_rows 64"), f"the request: {line!r} cannot be")
        asked["slice_rows"] = int(line[len("slice_rows "):])
    for key in ("device_memory", "steps_per_visit", "segments", "elements_per_thread", "bound_blocks"):
        asked[key] = 0
        if rest.startswith(key + " "):
            line, _, rest = rest.partition("\n")
            asked[key] = whole(2**63 - 1)(line[len(key) + 1:])
            due(asked[key], f"the request: {line!r} cannot be")
    asked["by_entry"] = rest.startswith("entry_layout ")
    if asked["by_entry"]:
        line, _, rest = rest.partition("\n")
        due(line == "entry_layout entries", f"the request: {line!r} cannot be")
    asked["rings"] = 0
    if rest.startswith("rings "):
        line, _, rest = rest.partition("\n")
        asked["rings"] = whole(16)(line[len("rings "):])
        due(asked["rings"] and plan.rings == asked["rings"], f"the request: {line!r} cannot be")
    asked["block_round"] = 0
    if rest.startswith("block_round "):
        line, _, rest = rest.partition("\n")
        asked["block_round"] = whole(1024)(line[len("block_round "):])
        due(asked["block_round"] and asked["block_round"] % 32 == 0, f"the request: {line!r} cannot be")
    for key, most in (("slab_levels", 64), ("launch_streams", 2)):  # they decide orders, steps and segments, which are proved as they are
        if rest.startswith(key + " "):
            line, _, rest = rest.partition("\n")
            due(whole(most)(line[len(key) + 1:]), f"the request: {line!r} cannot be")
    if plan.step:
        line, _, rest = rest.partition("\n")
        due(line == " ".join(["step", *(str(one.loop) for one in plan.step)]), "the request asks for another step")
    clears = [f"{one.index}:{one.clear - 1}" for one in plan.step if one.clear]
    if clears:
        line, _, rest = rest.partition("\n")
        due(line == " ".join(["clears", *clears]), "the request sets other dats to zero")
    lags = [str(one.index) for one in plan.step if one.lag]
    if lags:
        line, _, rest = rest.partition("\n")
        due(line == " ".join(["lags", *lags]), "the request has other entries whose globals change late")
    due(bool(asked["device_memory"]) == bool(plan.visit), "slabs without a limit of memory, or the other way round")
    for visit in plan.visit:
        due(visit.memory == asked["device_memory"] and asked["steps_per_visit"] in (0, visit.steps)
            and asked["segments"] in (0, visit.segments), "the visit is another than was asked for")
    for line in layers_lines(plan):
        due(rest.startswith(line), f"the request does not go on with {line!r}")
        rest = rest[len(line):]
    due(not rest or re.fullmatch("zone [^\n]+\n", rest), "the request goes on behind its last line")
    return asked


# what follows from it

def prove_request(plan):
    """Raises Unasked unless loops, args, variants and block sets are what was asked for."""
    asked = read_request(plan)
    primary = next((loop for loop in plan.loops if loop.primary), None)
    due(primary is not None, "no primary loop")
    if asked["block_size"]:
        size = asked["block_size"]
    else:
        size = 256 if asked["strategy"] else (plan.block_sets or primary.variants)[0].block_limit
    staged = asked["shared_bytes"] or DEVICES[asked["device"]]
    if not any(one.loop == primary.index for one in plan.block_sets):
        due(all(one.block_set is None for one in primary.variants)
            and has_large_element(plan, primary, asked["max_points"] or 65535, staged),
            "no blocks of the primary loop, although a variant runs some, or no element is larger than a block may be")
    for one in plan.block_sets:
        where = f"block set {one.index}: not what was asked for:"
        due(one.block_limit == size, f"{where} block limit")
        due(one.max_points == (asked["max_points"] or 65535), f"{where} limit of points")
        due(one.shared_bytes == staged, f"{where} staged bytes")
        due(one.origin is None or one.partitioner != NATIVE or one.origin.origin != 0, f"{where} origin")
    prove_cuts(plan, asked, primary)
    for loop in plan.loops:
        names = asked["strategy"]
        due(len(loop.variants) == (len(names) or 1) and loop.default_variant == 0,
            f"loop {loop.name}: other variants than were asked for")
        for place, variant in enumerate(loop.variants):
            prove_strategy(plan, asked, loop, variant, names[place] if names else None)
            prove_variant(plan, asked, loop, variant, size, staged)
    prove_layouts(plan, asked["layouts"])


def prove_strategy(plan, asked, loop, variant, name):
    """name: of the strategy that was asked for; None: it was left open."""
    where, writes = f"loop {loop.name}: not what was asked for:", plan.maps_of(loop, writing=True)
    if not writes and name in (None, "block-gather", "owner-gather"):
        name = "atomic"
    due(name in (None, STRATEGIES[variant.strategy]), f"{where} strategy")
    ordered = any(arg.map is not None and not arg.once and ACCESSES[arg.access] in ("write", "rw", "inc")
                  for arg in loop.args)
    equal = not ordered or not (variant.strategy == ATOMIC
                                or variant.strategy == BLOCK_GATHER and variant.sums == ATOMIC_SUMS)
    due(variant.deterministic == equal, f"{where} equal bits")
    due(equal or asked["strategy"] or asked["allow_nondeterministic"] == "true", f"{where} equal bits are due")
    if variant.strategy == BLOCK_GATHER and asked["strategy"]:
        due(SUMS[variant.sums] == asked["sums"], f"{where} sums")
    keeps_rows = variant.strategy in (OWNER_GATHER, TWO_STEP)
    due(ORDERS[variant.order] == (asked["sums_order"] if keeps_rows and writes else "stored"), f"{where} order of sums")
    due(asked["sums_order"] != "mesh" or keeps_rows or not writes, f"{where} sums in the order of the mesh are due")
    later = plan.variants2[variant.index] if plan.variants2 else None
    due((later.entry_layout if later else 0) == (asked["by_entry"] and variant.encoding == 4 and variant.width > 0
                                                 and not loop.layering), f"{where} layout of entries")
    bounded = asked["bound_blocks"] and variant.strategy in (BLOCK_GATHER, OWNER_GATHER) and not loop.layering
    due((later.bound_threads, later.bound_blocks) == ((variant.threads, asked["bound_blocks"]) if bounded else (0, 0))
        if later else not bounded, f"{where} launch bounds")
    rounds = variant.strategy == BLOCK_GATHER and not loop.layering and asked["block_round"] < variant.block_limit
    due(not asked["block_round"] and not asked["strategy"] or variant.round == (asked["block_round"] if rounds else 0),
        f"{where} elements of a round")
    if variant.strategy == OWNER_GATHER:
        due(asked["encoding"] in ("auto", ENCODINGS[variant.encoding]), f"{where} encoding")
        due(variant.slice_rows == asked["slice_rows"], f"{where} rows of a slice")


def prove_variant(plan, asked, loop, variant, size, staged):
    where = f"loop {loop.name}: not what was asked for:"
    due(variant.device == asked["device"], f"{where} device")
    due(variant.block_limit == size, f"{where} block limit")
    due(variant.shared_bytes_max <= staged, f"{where} staged bytes")
    own = [one.index for one in plan.block_sets if one.loop == loop.index]
    if variant.strategy in (BLOCK_COLOUR, BLOCK_GATHER):
        due(variant.block_set in own or not own and variant.block_set is not None, f"{where} blocks of another loop")
    else:
        due(variant.block_set is None, f"{where} blocks that are not run")
    rounded = -(-size // 32) * 32
    columns = sum(plan.maps[one].arity for one in plan.maps_of(loop, writing=True))
    usual = {BLOCK_GATHER: variant.round or min(rounded, 256 if columns >= 4 else 128), OWNER_GATHER: 128}
    due(variant.threads == (asked["block_threads"] or usual.get(variant.strategy, rounded)), f"{where} threads")
    goes_through = variant.strategy in (GLOBAL_COLOUR, ATOMIC) and not loop.layering
    alone = asked["elements_per_thread"] or 1 if goes_through else 1
    due(variant.elements_per_thread == (alone if variant.block_set is None else -(-rounded // variant.threads)),
        f"{where} elements per thread")


def has_large_element(plan, loop, most, staged):
    """Whether an element touches more points of a set than `most`, or stages more bytes, by itself."""
    rows = plan.sets[loop.set].storage_size
    total, seen, points = np.zeros(rows, np.int64), set(), {}
    for target in plan.targets(loop):
        pairs = []
        for one in plan.maps_of(loop):
            if plan.maps[one].target == target:
                values = plan.array(40, map=one).ravel()
                counts = np.diff(plan.array(41, map=one)) if plan.maps[one].arity == 0 else plan.maps[one].arity
                pairs.append(np.stack([np.repeat(np.arange(rows), counts), values], axis=1)[values >= 0])
        elements = np.unique(np.concatenate(pairs), axis=0)[:, 0]
        points[target] = np.bincount(elements, minlength=rows)
    for arg in loop.args:
        if arg.map is not None and arg.dat not in seen:
            seen.add(arg.dat)
            one = points[plan.maps[arg.map].target]
            total += (one * arg.dim * np.dtype(TYPES[arg.type]).itemsize + 15) // 16 * 16
    return any(one.max(initial=0) > most for one in points.values()) or total.max(initial=0) > staged


def prove_cuts(plan, asked, primary):
    """By whom blocks were made, and which were compared."""
    chosen = asked["partitioner"]
    if chosen == "auto":
        chosen = "native" if any(one.partitioner == NATIVE for one in plan.block_sets) else "none"
    before = -1
    firsts = [one for one in plan.block_sets[:1] if one.loop == primary.index]
    for first in firsts:
        due(PARTITIONERS[first.partitioner] == (chosen if plan.maps_of(primary) else "none"),
            "the first block set: not by the partitioner that was asked for")
        due(not first.sequence and first.alternative_pairs == -1, "the first block set: a sequence or an alternative")
    for one in plan.block_sets[len(firsts):]:
        loop, where, own = plan.loops[one.loop], f"block set {one.index}:", PARTITIONERS[one.partitioner] != "none"
        due(before < one.loop != primary.index, f"{where} out of order, or of a loop that has one")
        before = one.loop
        maps = plan.maps_of(loop)
        compared = (maps and not (loop.set == primary.set and maps == plan.maps_of(primary)) and chosen != "none"
                    and (asked["partitioner"] != "auto" or loop.variants[0].strategy == BLOCK_COLOUR))
        due(not own or compared and PARTITIONERS[one.partitioner] == chosen, f"{where} partitioner")
        due(own or not one.sequence, f"{where} a sequence of runs of the stored order")
        due(bool(compared) == (one.alternative_pairs != -1), f"{where} an alternative, or none")
        pairs = sum(each.pairs for each in plan.metrics if each.loop == one.loop and each.block_set == one.index)
        due(not own or one.alternative_pairs > pairs, f"{where} was kept without being better")


def read_in_parts(loop, arg):
    """Whether block-gather reads the rows of an arg number by number."""
    def row(one):
        return one.dim * np.dtype(TYPES[one.type]).itemsize

    read = [one for one in loop.args if one.map is not None and ACCESSES[one.access] == "read"]
    return arg in read and row(arg) > 32 and row(arg) % 16 and sum(map(row, read)) <= 128


def prove_layouts(plan, asked):
    """What the layouts of a dat cost, summed over the args that name it, where no layout is asked for."""
    def size(number):  # parts take over what was decided for the whole mesh
        one = plan.sets[number]
        return one.part.total if one.part else one.size

    def members(one):
        return size(one.source) * one.arity if one.arity else one.n_entries

    ragged = {arg.dat for loop in plan.loops for arg in loop.args if any(not plan.maps[one].arity for one in plan.maps_of(loop))}
    unknown = ragged if plan.parts else set()  # no part tells how many entries all have

    costs = {}
    for loop in plan.loops:
        for arg in loop.args:
            if arg.map is not None:
                split = loop.variants[0].strategy == BLOCK_GATHER and read_in_parts(loop, arg)
                rows, factor = members(plan.maps[arg.map]), 1.5
                suits = SOA if split or ACCESSES[arg.access] in ("inc", "min", "max") else AOS
                suits = AOS if loop.layering else suits
            elif not loop.layering and arg.dim >= 2 and loop.variants[0].strategy == OWNER_GATHER:
                rows = sum(members(plan.maps[one]) for one in plan.maps_of(loop, writing=True))
                suits, factor = AOS, 1.5
            else:
                aos = arg.dim == 3 and not loop.layering
                rows, suits, factor = size(loop.set), AOS if aos else SOA, 1.1
            cost = float(rows) * arg.dim * np.dtype(TYPES[arg.type]).itemsize * loop.calls
            both = costs.setdefault(arg.dat, [0.0, 0.0])
            both[suits] += cost
            both[1 - suits] += cost * factor
    for loop in plan.loops:
        for arg in loop.args:
            aos, soa = costs[arg.dat]
            best = AOS if aos < soa else SOA
            if arg.dat in unknown:
                best = next(one.layout for each in plan.loops for one in each.args if one.dat == arg.dat)
            if asked != "auto":
                best = AOS if asked == "aos" else SOA
            due(arg.layout == (AOS if arg.is_global else best), f"loop {loop.name}: layout of dat {arg.dat}")
