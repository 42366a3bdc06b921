# SPDX-License-Identifier: Apache-2.0
"""Pieces of method that tools/bench/ablation leaves out, the loops that they are for, and the figures that they move."""

FACES, CELLS = ("faces", "faces_cells"), ("cells", "cells_nodes")
PLANE = [("tri", FACES[1]), ("tri", CELLS[1])]
SPACE = [("tet", FACES[1]), ("tet", CELLS[1])]
FLAT = [("tri flat", CELLS[1]), ("tet flat", FACES[1]), ("tet flat", CELLS[1])]
HEXES = [("hex", FACES[1]), ("hex", CELLS[1])]
LAYER = [("layer", FACES[1]), ("layer", CELLS[1])]
PRISMS = [("prisms", CELLS[1])]
SLAB = [("slab", FACES[1])]
QUADS = [("quad", FACES[1]), ("quad", CELLS[1])]


def meshes(cells):
    """(name, words of `generate`, loop)."""
    square, cube, sixth = round(cells ** (1 / 2)), round(cells ** (1 / 3)), round((cells / 6) ** (1 / 3))
    half = round((cells / 2) ** (1 / 2))
    ring = f"{round(2 * (cells / 8) ** 0.5) * 2}x{round((cells / 8) ** 0.5)}"
    side = round((cells / 4) ** (1 / 3))
    more = ["--jitter", 0.2, "--shuffle", 7]
    for name, words in (("tri", ["tri", f"{half}x{half}", *more]), ("tri flat", ["tri", f"{half}x{half}", *more, "--stretch", "1,0.01"]),
                        ("quad", ["quad", f"{square}x{square}", *more]), ("tet", ["tet", f"{sixth}x{sixth}x{sixth}", *more]),
                        ("tet flat", ["tet", f"{sixth}x{sixth}x{sixth}", *more, "--stretch", "1,1,0.02"]),
                        ("hex", ["hex", f"{cube}x{cube}x{cube}", *more]),
                        ("slab", ["hex", f"{round((cells / 3) ** 0.5)}x{round((cells / 3) ** 0.5)}x3", *more]),
                        ("layer", ["boundary-layer", ring, "--cells", "hybrid", "--first-height", "1e-5", "--shuffle", 7]),
                        ("prisms", ["wing", f"{4 * side}x{side}x{side // 2}", "--cells", "prism", "--first-height", "1e-5", "--shuffle", 7])):
        for loop in (FACES, CELLS):
            yield name, words, loop


def figures_of(plan, piece):
    """What a plan's JSON says of the figures that a piece moves."""
    variants = {v["strategy"]: v for v in plan["loops"][0]["variants"]}
    variant = plan["loops"][0]["variants"][0]
    blocks = variants.get("block-colour", variant)
    found = {}
    for figure in piece["figures"]:
        if figure == "reuse":
            found[figure] = min(variant["reuse"].values())
        elif figure == "lines a block":
            found[figure] = max(variant["lines_per_block"].values())
        elif figure == "profile":
            found[figure] = max(one["renumber"]["profile_renumbered"] for one in plan["sets"] if one.get("renumber", {}).get("profile_renumbered"))
        elif figure == "bandwidth":
            found[figure] = max(one["renumber"]["bandwidth_renumbered"] for one in plan["sets"] if one.get("renumber", {}).get("bandwidth_renumbered"))
        elif figure == "plan MB":
            found[figure] = plan["bytes"] / 1e6
        elif figure.endswith(" s"):
            found[figure] = plan["user_s"] if figure == "plan s" else plan["cpu_s"]["partition"]
        elif figure == "global colours":
            found[figure] = variants["global-colour"]["global_colours"]
        else:
            found[figure] = blocks[{"block colours": "block_colours", "thread colours": "thread_colours_mean", "most thread colours": "thread_colours_max"}[figure]]
    return found


def blocks(name, file, old, new, loops, options=(), figures=("reuse", "partition s")):
    return {"name": name, "file": f"src/partition/native/{file}", "old": old, "new": new, "loops": loops, "figures": figures,
            "options": ["--strategy", "block-colour", *options]}


def orders(name, file, old, new, loops, figures, options=()):
    return {"name": name, "file": f"src/{file}", "old": old, "new": new, "loops": loops, "figures": figures, "options": ["--strategy", "block-colour", *options]}


def colours(name, file, old, new, loops):
    return {"name": name, "file": f"src/colour/{file}", "old": old, "new": new, "loops": loops,
            "figures": ("global colours", "block colours", "thread colours", "most thread colours", "plan s"),
            "options": ["--strategy", "global-colour,block-colour"]}


def tables(name, file, old, new):
    return {"name": name, "file": f"src/tables/{file}", "old": old, "new": new, "loops": [*PLANE, *SPACE, *HEXES], "figures": ("plan MB",),
            "options": ["--strategy", "owner-gather"]}


ALL = [*PLANE, *SPACE, *HEXES, *LAYER]
PIECES = [
    blocks("Lloyd relaxation", "native_refine.c", "if (r->plan.sweeps == 0)", "if (r->plan.sweeps >= 0)", [*PLANE, *SPACE, *FLAT, *LAYER]),
    blocks("metric of a block", "native_metric.c",
           "spread[t] = pairs.n > 0 ? pairs.sum[t] / (double)pairs.n : 0;\n        work->metric->trusted[b] = cut->sizes[b] > 1 && is_even(&block, spread);",
           "spread[t] = t == 0 || t == 3 || t == 5;\n        work->metric->trusted[b] = true;", [*PLANE, *SPACE, *FLAT, *LAYER]),
    blocks("uneven blocks left", "native_metric.c", "cut->sizes[b] > 1 && is_even(&block, spread);", "true;", [*PLANE, *SPACE, *FLAT, *LAYER]),
    blocks("relaxation taken back", "native_refine.c", "(!fits || mplan_native_cut_weight(r->cut, team) > before + more)", "!fits",
           [*PLANE, *SPACE, *FLAT, *LAYER]),
    blocks("refinement passes", "native_refine.c", "if (!status)\n            status = refine_pass(", "if (!status && r->pass < 0)\n            status = refine_pass(", ALL),
    blocks("pairs cut anew, best", "native_schedule.c", "(plan->anew > 0 &&", "(plan->anew > 1000 &&",
           [*PLANE, *SPACE], ["--effort", "best"]),
    blocks("lists of points", "native_lists.c", "int32_t stride = mplan_native_lists_stride(cut);", "int32_t stride = 0;", [*PLANE, *SPACE, *LAYER]),
    blocks("order of blocks", "native_order.c", "    mplan_team *team = mplan_team_of(context);\n    keyed *blocks",
           "    return MPLAN_OK;\n    mplan_team *team = mplan_team_of(context);\n    keyed *blocks", [*PLANE, *SPACE, *LAYER]),
    blocks("tiles and stacks", "native_first.c", "if (f.tile >= LEAST_TILE &&", "if (f.tile < 0 &&", [*QUADS, *HEXES, *LAYER, *PRISMS]),
    blocks("stacks", "native_first.c", "if (!status && !tiling->is_sure)\n        status = try_stacks", "if (status)\n        status = try_stacks",
           [*PRISMS, *HEXES, *LAYER]),
    blocks("tiles against growing", "native_first.c", "if (!status && !tiling.is_sure)\n        status = compare_grown", "if (status)\n        status = compare_grown",
           [*QUADS, *HEXES, *SLAB, *LAYER, *PRISMS]),
    blocks("runs of blocks", "native_match.c", "RUN_ELEMENTS = 1 << 15", "RUN_ELEMENTS = 1", [*PLANE, *SPACE, *LAYER]),
    blocks("oblique columns", "grid/native_shape.c", "if (costs->oblique >= *cost)", "if (costs->oblique >= 0)", [QUADS[0], HEXES[0]]),
    orders("far start", "order/rcm.c", "n > 1 ? find_start(&c) : 0, context, err", "((void)find_start, 0), context, err", ALL,
           ("profile", "bandwidth", "plan s"), ["--renumber", "rcm", "--keep-order", "never"]),
    orders("weights by distance", "order/sloan.c", "status = attempt(graph, &s, layers, by_distance, &now, context, err);", "now.profile = best->profile;", ALL,
           ("profile", "plan s"), ["--renumber", "sloan", "--keep-order", "never"]),
    orders("both ends", "order/sloan.c", "if (!status && !layers->even) {\n        now.from_last", "if (status) {\n        now.from_last", ALL,
           ("profile", "plan s"), ["--renumber", "sloan", "--keep-order", "never"]),
    orders("launch order of blocks", "pipeline/partition_loop.c", "if (!status && p->options->partitioner != MPLAN_PARTITIONER_HILBERT)",
           "if (status)", ALL, ("block colours", "plan s")),
    orders("levels of whole sides", "order/layering.c", "    last = mplan_levels_last(b, &n);\n", "    return MPLAN_OK;\n    last = mplan_levels_last(b, &n);\n", ALL,
           ("profile", "bandwidth", "plan s"), ["--renumber", "gps", "--keep-order", "never"]),
    orders("levels by rows", "order/level_numbering.c", "if (level && n->task->rule == MPLAN_LEVELS_BY_ROW)", "if (level && !n)", HEXES,
           ("profile", "bandwidth", "plan s"), ["--renumber", "gps", "--keep-order", "never"]),
    colours("bipartite", "colour.c", "status = mplan_colour_bipartite(&edges, MANY_EDGES, colour, n_colours, team, err);", "(void)team, *n_colours = 0;", [*QUADS, *HEXES]),
    colours("vizing", "colour.c", "if (*n_colours > degree)\n", "if (*n_colours < 0)\n", [("tri", FACES[1]), ("tet", FACES[1]), ("layer", FACES[1])]),
    colours("vizing in blocks", "thread_colour.c", "n_colours = take(&at, n_colours, by_edges(&at, n_colours, work), work);", ";",
            [("tri", FACES[1]), ("tet", FACES[1]), ("hex", FACES[1])]),
    colours("dsatur", "colour.c", "status = colour_by_saturation(items, &touches, colour, n_colours, context, err);", ";", ALL),
    colours("dsatur in blocks", "thread_colour.c", "n_colours = take(&at, n_colours, by_saturation(&at, work), work);", ";", ALL),
    colours("iterated", "colour.c", "status = mplan_colour_iterate(conflicts, bound,\n                                          passes > LEAST_PASSES ? (int32_t)passes : LEAST_PASSES,\n                                          colour, n_colours, team, err);", ";", ALL),
    colours("eject", "eject.c", "while (fewer && !status && *n_colours > bound", "while (!fewer && !status && *n_colours > bound", ALL),
    colours("grid", "lattice.c", "mplan_status status = mplan_colour_grid(items, touches, colour, n_colours, err);", "mplan_status status = MPLAN_OK;",
            [("quad", CELLS[1]), ("hex", CELLS[1])]),
    colours("simplex", "lattice.c", "status = mplan_colour_simplices(items, touches, colour, n_colours, err);", ";", [("tri", CELLS[1]), ("tet", CELLS[1])]),
    tables("rows by valence", "owner_rows.c", "if (10 * work->slice * work->first[n_slices] > 11 * entries) {", "if (entries < 0) {"),
    tables("entries of 16 bits", "owner_gather.c", "out->encoding = MPLAN_ENCODING_INDEX16;", "out->encoding = MPLAN_ENCODING_INDEX32;"),
]
