/* SPDX-License-Identifier: Apache-2.0 */
/* naive_plan.h - plan files read and judged by the plainest code, from formats/plan-format.md
 *
 * Nothing of the library is used but its hash. Small plans only: what is above the limits below is NAIVE_TOO_LARGE,
 * which says nothing. Judgements are sentences; NULL: nothing is wrong. */
#ifndef MPLAN_NAIVE_PLAN_H
#define MPLAN_NAIVE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAIVE_RECORDS = 128, NAIVE_SECTIONS = 1024, NAIVE_MEMBERS = 640 };

extern const char NAIVE_TOO_LARGE[];

typedef struct naive_text {
    const char *at;
    uint32_t n;
} naive_text;

typedef struct naive_section {
    uint32_t kind, type, key[5]; /* set, map, loop, variant, block_set */
    int64_t rows, cols;
    const void *data;
} naive_section;

typedef struct naive_set {
    naive_text name, split;
    int64_t size, storage;
    uint32_t renumber, kept;
    int64_t bandwidth[3], profile[3];
    const int32_t *new_of_old, *old_of_new;
    const int64_t *ids; /* NULL: not split */
} naive_set;

typedef struct naive_map {
    naive_text name;
    uint32_t from, to, arity; /* 0: ragged */
    int64_t n_entries;
    const int32_t *values;
    const int64_t *offsets;
} naive_map;

typedef struct naive_arg {
    naive_text dat;
    int32_t map; /* -1: direct */
    uint32_t access, dim, type, none, layout;
} naive_arg;

typedef struct naive_variant {
    naive_text device;
    uint32_t strategy, block_limit, threads, elements_per_thread;
    int32_t block_set; /* -1 */
    uint32_t deterministic;
    int64_t shared, block_colours, thread_max, thread_total, global_colours, partial_sums;
    uint32_t sums, encoding, width, window;
} naive_variant;

typedef struct naive_loop {
    naive_text name;
    uint32_t set, primary, n_args, n_variants, default_variant;
    int64_t calls, flops;
    const naive_arg *args;
    const naive_variant *variants;
} naive_loop;

typedef struct naive_block_set {
    uint32_t set, loop, limit, sequence, partitioner, max_points;
    int64_t shared, n_blocks, block_min, block_max, alternative;
    const int64_t *offsets;
    const int32_t *order; /* BLOCK_SEQUENCE; NULL */
} naive_block_set;

typedef struct naive_metric {
    uint32_t loop, block_set, set;
    int64_t entries, pairs, shared, points_max, lines, lines_ideal;
} naive_metric;

typedef struct naive_origin {
    uint32_t origin, refined, extent[3], patches;
    int64_t largest;
} naive_origin;

typedef struct naive_plan {
    const uint8_t *bytes;
    size_t n_bytes;
    uint64_t topology, coordinates, request_print;
    naive_section sections[NAIVE_SECTIONS];
    int32_t n_sections, n_sets, n_maps, n_loops, n_args, n_variants, n_block_sets, n_metrics,
        n_origins;
    naive_set sets[NAIVE_RECORDS];
    naive_map maps[NAIVE_RECORDS];
    naive_loop loops[NAIVE_RECORDS];
    naive_arg args[NAIVE_RECORDS];
    naive_variant variants[NAIVE_RECORDS];
    naive_block_set block_sets[NAIVE_RECORDS];
    naive_metric metrics[NAIVE_SECTIONS];
    naive_origin origins[NAIVE_RECORDS];
    naive_text request;
    bool has_origins;
} naive_plan;

/* Sections 1 to 5: what a reader refuses. bytes are aligned to 64 and stay as long as the plan. */
const char *naive_read(const uint8_t *bytes, size_t size, naive_plan *plan);
/* What verify proves of a plan that naive_read took, without a mesh (naive_meaning.c, naive_variants.c). */
const char *naive_holds(const naive_plan *plan);
/* Whether both plans are of one mesh: sizes, maps in the mesh's order, ids (coordinates are
 * advice). */
const char *naive_same_mesh(const naive_plan *plan, const naive_plan *truth);
/* Runs every variant as the specification says kernels run it, and looks at what runs side by side and what every
 * point of the mesh of `truth` receives (naive_run.c). The plan need not hold. */
const char *naive_run(const naive_plan *plan, const naive_plan *truth);

/* --- shared by the files naive_* --- */

#define NAIVE_ONES UINT32_MAX
enum { NAIVE_READ, NAIVE_WRITE, NAIVE_RW, NAIVE_INC };
enum { GLOBAL_COLOUR, BLOCK_COLOUR, TWO_STEP, ATOMIC, BLOCK_GATHER, OWNER_GATHER };

/* What a loop that gathers increments: maps first those that increment, then the other local ones. */
typedef struct naive_gathering {
    int32_t target, n_maps, n_local, maps[NAIVE_RECORDS];
    int64_t columns, local_columns, entries;
} naive_gathering;
bool naive_gathers(const naive_plan *plan, const naive_loop *loop, naive_gathering *out);
/* Whether an arg of the loop uses the map (when `written`: writes, updates or increments through it). */
bool naive_uses(const naive_loop *loop, int32_t map, bool written);
bool naive_reaches(const naive_plan *plan, const naive_loop *loop, uint32_t set);
/* Whether the loop has tables for the block set. */
bool naive_pairs(const naive_plan *plan, int32_t loop, int32_t block_set);
const naive_section *naive_find(const naive_plan *plan, uint32_t kind, uint32_t set, uint32_t map,
                                uint32_t loop, uint32_t variant, uint32_t block_set);
const int32_t *naive_row(const naive_map *map, int64_t row, int64_t *n);
int64_t naive_positions(const naive_plan *plan, const naive_block_set *blocks);
/* Stored index of the element at a position; -1: a hole. */
int32_t naive_element(const naive_plan *plan, const naive_block_set *blocks, int64_t position);
/* offsets[0] = 0, ascending, the last is end */
bool naive_is_list(const int64_t *offsets, int64_t n, int64_t end);
int64_t naive_type_size(uint32_t type);
bool naive_same_text(naive_text a, naive_text b);
/* Column c of the local columns of a gathering at stored element e. */
int32_t naive_column(const naive_plan *plan, const naive_gathering *gathering, int32_t e, int64_t c);
/* Most bytes that a block of the block set stages for the loop. */
int64_t naive_staged_max(const naive_plan *plan, int32_t loop, int32_t block_set);
/* Fingerprints that section 6 gives to what is stored; 0 when a topology is longer than one piece. */
uint64_t naive_topology(const naive_plan *plan);
uint64_t naive_request_print(const naive_plan *plan);
const char *naive_variants_hold(const naive_plan *plan, int32_t loop);

static inline const void *naive_of_variant(const naive_plan *plan, uint32_t kind, int32_t loop,
                                           int32_t variant)
{
    const naive_section *found = naive_find(plan, kind, NAIVE_ONES, NAIVE_ONES, (uint32_t)loop,
                                            (uint32_t)variant, NAIVE_ONES);
    return found ? found->data : NULL;
}
static inline int64_t naive_rows_of_variant(const naive_plan *plan, uint32_t kind, int32_t loop,
                                            int32_t variant)
{
    const naive_section *found = naive_find(plan, kind, NAIVE_ONES, NAIVE_ONES, (uint32_t)loop,
                                            (uint32_t)variant, NAIVE_ONES);
    return found ? found->rows : 0;
}

#endif
