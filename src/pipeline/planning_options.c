/* SPDX-License-Identifier: Apache-2.0 */
/* planning_options.c - the table of planning options
 *
 * A row is all that the command line, its help and its completion, the job file, the request in
 * a plan and the checks of the library know of an option; its default is that of
 * MPLAN_PLAN_OPTIONS_INIT. To add one: a member behind the others of mplan_plan_options, whose 0
 * is the default; a row at the end here, marked as `later`; its use; and its reading in
 * check/check_request.c, which shares nothing with this table. */
#include <stddef.h>

#include "meshplan.h"

/* --- words: word i, NULL past the last; "auto", where it is one, comes first ------------ */

/* Words of values, by number from 0; NULL past the last. Values that the library only uses inside have none. */
static const char *strategy_word(int32_t i)
{
    return i == 0 ? "auto" : mplan_strategy_name((mplan_strategy)(i - 1));
}

static const char *truth_word(int32_t i)
{
    static const char *const words[] = {"false", "true"};
    return i >= 0 && i < 2 ? words[i] : NULL;
}

static const char *sums_word(int32_t i)
{
    return mplan_sums_name((mplan_sums)i);
}

static const char *encoding_word(int32_t i)
{
    return i == MPLAN_ENCODING_NONE ? "auto" : mplan_encoding_name((mplan_encoding)i);
}

static const char *sums_order_word(int32_t i)
{
    return mplan_sums_order_name((mplan_sums_order)(MPLAN_SUMS_ORDER_AUTO + i));
}

static const char *partitioner_word(int32_t i)
{
    return mplan_partitioner_name((mplan_partitioner)(MPLAN_PARTITIONER_AUTO + i));
}

static const char *effort_word(int32_t i)
{
    return mplan_effort_name((mplan_effort)i);
}

static const char *graph_word(int32_t i)
{
    return mplan_graph_name((mplan_graph)i);
}

static const char *renumber_word(int32_t i)
{
    return mplan_renumber_name((mplan_renumber)i);
}

static const char *keep_order_word(int32_t i)
{
    static const char *const words[] = {"never", "better"};
    return i >= 0 && i < 2 ? words[i] : NULL;
}

static const char *point_order_word(int32_t i)
{
    return mplan_point_order_name((mplan_point_order)(MPLAN_POINTS_AUTO + i));
}

/* A profile that mplan_device_get copies out has its name in the library. */
static const char *device_word(int32_t i)
{
    mplan_device device;
    return mplan_device_get(i, &device) == MPLAN_OK ? device.name : NULL;
}

static const char *layouts_word(int32_t i)
{
    return i == 0 ? "auto" : mplan_layout_name((mplan_layout)(i - 1));
}

static const char *entry_layout_word(int32_t i)
{
    static const char *const words[] = {"rows", "entries"};
    return i >= 0 && i < 2 ? words[i] : NULL;
}

/* --- the table ---------------------------------------------------------------------------- */

#define MEMBER(kind_, member_) \
    .kind = MPLAN_OPTION_##kind_, .offset = offsetof(mplan_plan_options, member_)

/* clang-format off */
static const mplan_plan_option options[] = {
    {.name = "block-size", .key = "block_size", MEMBER(I32, block_size),
     .least = 1, .most = 1024, .open = true, .argument = "S",
     .help = "largest number of elements per block, 1 to 1024",
     .otherwise = "by the cost model, or 256 if strategies are named"},
    {.name = "max-points", .key = "max_points", MEMBER(I32, max_points),
     .least = 1, .most = 65535, .open = true, .argument = "N",
     .help = "largest number of points of a set that a block may touch", .otherwise = "65535"},
    {.name = "shared-bytes", .key = "shared_bytes", MEMBER(I64, shared_bytes),
     .least = 1, .most = INT64_MAX, .open = true, .argument = "N",
     .help = "largest number of bytes that a block may stage in shared memory",
     .otherwise = "the limit of the device"},
    {.name = "strategy", .key = "strategy", MEMBER(STRATEGIES, n_strategies),
     .word = strategy_word, .argument = "LIST",
     .help = "a variant for each word, separated by commas; the first is the default",
     .otherwise = "one for each loop, by the cost model"},
    {.name = "allow-nondeterministic", .key = "allow_nondeterministic",
     MEMBER(BOOL, allow_nondeterministic), .word = truth_word,
     .help = "the cost model may choose sums without a fixed order, whose last bits differ from "
             "run to run"},
    {.name = "sums", .key = "sums", MEMBER(WORD, sums), .word = sums_word, .argument = "WORD",
     .help = "how block-gather, if it is named, adds the sums that several blocks have for a "
             "point"},
    {.name = "encoding", .key = "encoding", MEMBER(WORD, encoding),
     .word = encoding_word, .argument = "WORD",
     .help = "how owner-gather encodes the elements of a point",
     .otherwise = "the smallest table"},
    {.name = "block-threads", .key = "block_threads", MEMBER(I32, block_threads),
     .least = 32, .most = 1024, .multiple = 32, .open = true, .argument = "N",
     .help = "threads per thread block, a multiple of 32", .otherwise = "by the strategy"},
    {.name = "partitioner", .key = "partitioner", MEMBER(WORD, partitioner),
     .first = MPLAN_PARTITIONER_AUTO, .word = partitioner_word, .argument = "WORD",
     .help = "partitioner that makes the blocks",
     .otherwise = "native for block-colour and block-gather, else none"},
    {.name = "imbalance", .key = "imbalance", MEMBER(REAL, imbalance),
     .least = 1, .most = 1024, .argument = "L",
     .help = "largest ratio of the largest block to the mean block that metis and scotch may "
             "give, at least 1"},
    {.name = "effort", .key = "effort", MEMBER(WORD, effort), .word = effort_word,
     .argument = "WORD", .help = "how much time native spends to improve the blocks"},
    {.name = "fill", .key = "fill", MEMBER(REAL, fill),
     .least = 0, .most = 1, .above = true, .argument = "F",
     .help = "fraction of the block size to which native fills blocks, above 0, at most 1"},
    {.name = "graph", .key = "graph", MEMBER(WORD, graph), .word = graph_word,
     .argument = "WORD",
     .help = "which elements are neighbours in the graph for the partitioner: those that share "
             "a point, or cells that share a face",
     .otherwise = "faces for loops over cells"},
    {.name = "renumber", .key = "renumber", MEMBER(WORD, renumber),
     .word = renumber_word, .argument = "WORD",
     .help = "order of the points before blocks are made",
     .otherwise = "hilbert with coordinates that follow the mesh, else agglomerate"},
    {.name = "keep-order", .key = "keep_order", MEMBER(BOOL, keep_better),
     .word = keep_order_word, .argument = "WORD",
     .help = "keep the input order if renumbering gives a larger profile"},
    {.name = "point-order", .key = "point_order", MEMBER(WORD, point_order),
     .first = MPLAN_POINTS_AUTO, .word = point_order_word, .argument = "WORD",
     .help = "stored order of the points: by the blocks that touch them, packed into cache "
             "lines that few blocks touch (padded: with holes), or as renumbered",
     .otherwise = "lines for block-colour, lexicographic for block-gather, else renumbered"},
    {.name = "device", .old = "device-profile", .key = "device", MEMBER(NAME, device),
     .word = device_word, .argument = "NAME",
     .help = "profile of the device whose limits and rates are used, or a file FILE.yaml of one"},
    {.name = "seed", .key = "seed", MEMBER(U64, seed), .least = 0, .most = INT64_MAX,
     .argument = "N", .help = "seed of the partitioner"},
    {.name = "sums-order", .key = "sums_order", MEMBER(WORD, sums_order),
     .first = MPLAN_SUMS_ORDER_AUTO, .word = sums_order_word, .argument = "WORD", .later = true,
     .help = "order in which owner-gather and two-step add the increments of a point; with mesh "
             "all plans of a mesh give equal bits, and no other strategy may add",
     .otherwise = "stored"},
    {.name = "layouts", .key = "layouts", MEMBER(WORD, layouts), .word = layouts_word,
     .argument = "WORD", .later = true,
     .help = "layout of all dats: member by member (aos) or component by component (soa)",
     .otherwise = "for each dat the one that suits the accesses to it"},
    {.name = "slice-rows", .key = "slice_rows", MEMBER(I32, slice_rows),
     .least = 32, .most = 64, .multiple = 32, .open = true, .argument = "N", .later = true,
     .help = "rows of a slice of owner-gather's tables, 32 or 64: as many as a warp has lanes",
     .otherwise = "32"},
    {.name = "device-memory", .key = "device_memory", MEMBER(I64, device_memory),
     .least = 1 << 20, .most = INT64_MAX, .open = true, .bytes = true, .argument = "BYTES", .later = true,
     .help = "bytes of the device that the step may use; 16G is 16 x 1024^3: slabs, and a schedule by which the data go "
             "through it, also where it is more than they need",
     .otherwise = "no limit"},
    {.name = "steps-per-visit", .key = "steps_per_visit", MEMBER(I32, steps_per_visit),
     .least = 1, .most = 4096, .open = true, .argument = "K", .later = true,
     .help = "time steps for each way of the data through the device",
     .otherwise = "by a model of the device and its link"},
    {.name = "segments", .key = "segments", MEMBER(I32, segments),
     .least = 2, .most = 4096, .open = true, .argument = "N", .later = true,
     .help = "parts in which the data go through the device",
     .otherwise = "by the same model"},
    {.name = "elements-per-thread", .key = "elements_per_thread", MEMBER(I32, elements_per_thread),
     .least = 1, .most = 64, .open = true, .argument = "N", .later = true,
     .help = "elements that a thread of global-colour or atomic computes, one after the other",
     .otherwise = "1"},
    {.name = "bound-blocks", .key = "bound_blocks", MEMBER(I32, bound_blocks),
     .least = 1, .most = 32, .open = true, .argument = "N", .later = true,
     .help = "launch bounds of block-gather and owner-gather: thread blocks that a multiprocessor is to hold, which limits "
             "the registers of a thread",
     .otherwise = "by what each kernel needs"},
    {.name = "entry-layout", .key = "entry_layout", MEMBER(WORD, entry_layout), .word = entry_layout_word,
     .argument = "WORD", .later = true,
     .help = "which fields of windows16 are side by side where all points have as many entries: those of a row, which one "
             "load brings, or of an entry, which come entry by entry into fewer registers"},
    {.name = "rings", .key = "rings", MEMBER(I32, rings),
     .least = 1, .most = MPLAN_RINGS_MOST, .open = true, .argument = "N", .later = true,
     .help = "of parts: rings of members around each part that it computes as well, so that halos travel less often",
     .otherwise = "none"},
    {.name = "block-round", .key = "block_round", MEMBER(I32, block_round),
     .least = 32, .most = 1024, .multiple = 32, .open = true, .argument = "N", .later = true,
     .help = "elements of a block of block-gather that are added to its sums before the next ones are computed, a multiple "
             "of 32; blocks that are not larger have one round",
     .otherwise = "by the cost model, or all elements of a block if strategies are named"},
    {.name = "slab-levels", .key = "slab_levels", MEMBER(I32, slab_levels),
     .least = 1, .most = 64, .open = true, .argument = "N", .later = true,
     .help = "breadth-first levels of slabs that are ordered together: more make rounder blocks, and fewer slabs",
     .otherwise = "by the number of levels"},
    {.name = "launch-streams", .key = "launch_streams", MEMBER(I32, launch_streams),
     .least = 1, .most = 2, .open = true, .argument = "N", .later = true,
     .help = "streams of launches of a visit by which steps and segments are chosen",
     .otherwise = "2"},
};
/* clang-format on */

const mplan_plan_option *mplan_plan_option_get(int32_t i)
{
    return i >= 0 && (size_t)i < sizeof options / sizeof *options ? &options[i] : NULL;
}
