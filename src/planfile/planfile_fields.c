/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_fields.c - where each member of a plan's structs is in a record of the file
 *
 * One table per kind; bytes that no field covers are the reserved ones. */
#include "planfile/planfile_fields.h"

#include "planfile/planfile_layout.h"

#define TEXT MPLAN_FIELD_TEXT
#define NUMBER MPLAN_FIELD_NUMBER
#define FLAG MPLAN_FIELD_FLAG
#define METHOD MPLAN_FIELD_METHOD
#define LONG MPLAN_FIELD_LONG

_Static_assert(sizeof(mplan_type) == 4 && sizeof(mplan_access) == 4 && sizeof(mplan_none) == 4 &&
                   sizeof(mplan_strategy) == 4 && sizeof(mplan_partitioner) == 4 &&
                   sizeof(mplan_sums_order) == 4 && sizeof(mplan_choice_reason) == 4,
               "NUMBER copies enums of four bytes");

/* Bandwidth and profile are three numbers each: in the input order, the renumbered one and the stored one. */
#define SET(member_) offsetof(mplan_plan_set, member_)
static const mplan_field set_fields[] = {
    {0, TEXT, SET(name)},          {8, TEXT, SET(split)},          {16, LONG, SET(size)},
    {24, LONG, SET(storage_size)}, {32, METHOD, SET(renumber)},    {36, FLAG, SET(kept)},
    {40, LONG, SET(bandwidth)},    {48, LONG, SET(bandwidth) + 8}, {56, LONG, SET(bandwidth) + 16},
    {64, LONG, SET(profile)},      {72, LONG, SET(profile) + 8},   {80, LONG, SET(profile) + 16},
};

#define MAP(member_) offsetof(mplan_plan_map, member_)
static const mplan_field map_fields[] = {
    {0, TEXT, MAP(name)},     {8, NUMBER, MAP(from)},     {12, NUMBER, MAP(to)},
    {16, NUMBER, MAP(arity)}, {24, LONG, MAP(n_entries)},
};

#define LOOP(member_) offsetof(mplan_plan_loop, member_)
static const mplan_field loop_fields[] = {
    {0, TEXT, LOOP(name)},      {8, NUMBER, LOOP(set)},         {12, FLAG, LOOP(primary)},
    {16, NUMBER, LOOP(n_args)}, {20, NUMBER, LOOP(n_variants)}, {24, NUMBER, LOOP(default_variant)},
    {32, LONG, LOOP(calls)},    {40, LONG, LOOP(flops)},        {28, NUMBER, LOOP(layering)},
};

#define ARG(member_) offsetof(mplan_plan_arg, member_)
static const mplan_field arg_fields[] = {
    {0, TEXT, ARG(dat)},       {8, NUMBER, ARG(map)},   {12, NUMBER, ARG(access)},
    {16, NUMBER, ARG(dim)},    {20, NUMBER, ARG(type)}, {24, NUMBER, ARG(none)},
    {28, NUMBER, ARG(layout)},
};

#define VARIANT(member_) offsetof(mplan_plan_variant, member_)
static const mplan_field variant_fields[] = {
    {0, TEXT, VARIANT(device)},
    {8, NUMBER, VARIANT(strategy)},
    {12, NUMBER, VARIANT(block_limit)},
    {16, NUMBER, VARIANT(threads)},
    {20, NUMBER, VARIANT(elements_per_thread)},
    {24, NUMBER, VARIANT(block_set)},
    {28, FLAG, VARIANT(deterministic)},
    {32, LONG, VARIANT(shared_bytes_max)},
    {40, LONG, VARIANT(block_colours)},
    {48, LONG, VARIANT(thread_colours_max)},
    {56, LONG, VARIANT(thread_colours_total)},
    {64, LONG, VARIANT(global_colours)},
    {72, LONG, VARIANT(partial_sums)},
    {80, NUMBER, VARIANT(sums)},
    {84, NUMBER, VARIANT(encoding)},
    {88, NUMBER, VARIANT(width)},
    {92, NUMBER, VARIANT(window)},
};

/* What format 1.2 adds to a variant, in a record of its own. */
static const mplan_field variant2_fields[] = {
    {0, NUMBER, VARIANT(sums_order)},    {4, NUMBER, VARIANT(slice_rows)},
    {8, NUMBER, VARIANT(entry_layout)},  {12, NUMBER, VARIANT(bound_threads)},
    {16, NUMBER, VARIANT(bound_blocks)}, {20, NUMBER, VARIANT(granule)},
    {24, NUMBER, VARIANT(runner_up)},    {32, LONG, VARIANT(predicted_ns)},
    {40, LONG, VARIANT(runner_up_ns)},   {28, NUMBER, VARIANT(reason)},
    {48, NUMBER, VARIANT(permille)},     {52, NUMBER, VARIANT(permille) + 4},
    {56, NUMBER, VARIANT(permille) + 8}, {60, NUMBER, VARIANT(round)},
};
_Static_assert(sizeof((mplan_plan_variant *)0)->permille == 12, "six numbers of 2 bytes");

#define BLOCKS(member_) offsetof(mplan_plan_block_set, member_)
/* clang-format off */
static const mplan_field block_set_fields[] = {
    {0, NUMBER, BLOCKS(set)},          {4, NUMBER, BLOCKS(loop)},
    {8, NUMBER, BLOCKS(block_limit)},  {12, FLAG, BLOCKS(sequence)},
    {16, NUMBER, BLOCKS(partitioner)}, {20, NUMBER, BLOCKS(max_points)},
    {24, LONG, BLOCKS(shared_bytes)},  {32, LONG, BLOCKS(n_blocks)},
    {40, LONG, BLOCKS(block_min)},     {48, LONG, BLOCKS(block_max)},
    {56, LONG, BLOCKS(alternative_pairs)},
};
/* clang-format on */

/* Of the block set in whose record it is kept. */
#define ORIGIN(member_) offsetof(mplan_plan_block_set, origin.member_)
static const mplan_field origin_fields[] = {
    {0, NUMBER, ORIGIN(origin)},      {4, FLAG, ORIGIN(refined)},
    {8, NUMBER, ORIGIN(extent)},      {12, NUMBER, ORIGIN(extent) + 4},
    {16, NUMBER, ORIGIN(extent) + 8}, {20, NUMBER, ORIGIN(patches)},
    {24, LONG, ORIGIN(largest)},
};

/* Counts of one loop on one block set, by the set of points; lines are of four stored points. */
#define METRICS(member_) offsetof(mplan_block_metrics, member_)
static const mplan_field metrics_fields[] = {
    {0, NUMBER, METRICS(loop)},       {4, NUMBER, METRICS(block_set)},
    {8, NUMBER, METRICS(set)},        {16, LONG, METRICS(entries)},
    {24, LONG, METRICS(pairs)},       {32, LONG, METRICS(shared_points)},
    {40, LONG, METRICS(points_max)},  {48, LONG, METRICS(lines)},
    {56, LONG, METRICS(lines_ideal)},
};

#define STEP(member_) offsetof(mplan_step_entry, member_)
static const mplan_field step_fields[] = {
    {0, NUMBER, STEP(loop)},
    {4, NUMBER, STEP(shift)},
    {8, NUMBER, STEP(clear)},
    {12, NUMBER, STEP(lag)},
};

/* A plan has one such record, or none; members from device_memory on are bytes, then nanoseconds of a step. */
#define VISIT(member_) offsetof(mplan_plan_visit, member_)
static const mplan_field visit_fields[] = {
    {0, NUMBER, VISIT(slabs)},        {4, NUMBER, VISIT(granule)},
    {8, NUMBER, VISIT(steps)},        {12, NUMBER, VISIT(segments)},
    {16, NUMBER, VISIT(step_shift)},  {20, NUMBER, VISIT(period)},
    {24, LONG, VISIT(device_memory)}, {32, LONG, VISIT(peak_bytes)},
    {40, LONG, VISIT(in_bytes)},      {48, LONG, VISIT(out_bytes)},
    {56, LONG, VISIT(last_bytes)},    {64, LONG, VISIT(host_bytes)},
    {72, LONG, VISIT(predicted_ns)},  {80, LONG, VISIT(in_core_ns)},
};

#define STREAM(member_) offsetof(mplan_plan_stream, member_)
static const mplan_field stream_fields[] = {
    {0, NUMBER, STREAM(loop)},    {4, NUMBER, STREAM(arg)},   {8, NUMBER, STREAM(kind)},
    {12, NUMBER, STREAM(map)},    {16, NUMBER, STREAM(ways)}, {20, NUMBER, STREAM(enters)},
    {24, NUMBER, STREAM(leaves)}, {32, LONG, STREAM(bytes)},  {40, LONG, STREAM(window)},
};

#define CONFLICT(member_) offsetof(mplan_step_conflict, member_)
static const mplan_field conflict_fields[] = {
    {0, NUMBER, CONFLICT(earlier)},       {4, NUMBER, CONFLICT(later)},
    {8, NUMBER, CONFLICT(repeat)},        {12, NUMBER, CONFLICT(kinds)},
    {16, NUMBER, CONFLICT(earlier_ways)}, {20, NUMBER, CONFLICT(later_ways)},
    {24, NUMBER, CONFLICT(arg)},
};

#define GROUP(member_) offsetof(mplan_group_record, member_)
static const mplan_field group_fields[] = {
    {0, TEXT, GROUP(parent)},
    {8, NUMBER, GROUP(set)},
    {12, NUMBER, GROUP(parent_set)},
    {16, LONG, GROUP(parent_size)},
};

/* What format 1.2 adds to an arg (planfile_args2.c). */
#define ARG2(member_) offsetof(mplan_arg2, member_)
static const mplan_field arg2_fields[] = {
    {0, TEXT, ARG2(view)},          {8, NUMBER, ARG2(way)},   {12, NUMBER, ARG2(access)},
    {16, LONG, ARG2(first_offset)}, {24, LONG, ARG2(stride)}, {32, LONG, ARG2(levels)},
    {40, NUMBER, ARG2(n_slots)},    {44, NUMBER, ARG2(rows)}, {48, NUMBER, ARG2(columns)},
    {52, NUMBER, ARG2(once)},
};

#define LAYERS(member_) offsetof(mplan_layers_record, member_)
static const mplan_field layers_fields[] = {
    {0, NUMBER, LAYERS(set)}, {4, FLAG, LAYERS(ranged)},  {8, LONG, LAYERS(least)},
    {16, LONG, LAYERS(most)}, {24, FLAG, LAYERS(masked)},
};

/* One record for each set of a plan that is a part; parts, part, imports and exports are numbers of parts, base is a
 * global id, all else counts members. */
#define PART(member_) offsetof(mplan_part_set, member_)
static const mplan_field part_fields[] = {
    {0, NUMBER, PART(parts)},   {4, NUMBER, PART(part)},     {8, LONG, PART(total)},
    {16, LONG, PART(base)},     {24, LONG, PART(owned)},     {32, LONG, PART(inner)},
    {40, LONG, PART(executed)}, {48, NUMBER, PART(imports)}, {52, NUMBER, PART(exports)},
    {56, LONG, PART(exported)},
};

#define SLOT(member_) offsetof(mplan_slot_record, member_)
static const mplan_field slot_fields[] = {{0, NUMBER, SLOT(of)}, {8, LONG, SLOT(offset)}};

#define SHAPE(bytes_, fields_)                               \
    {                                                        \
        bytes_, fields_, sizeof(fields_) / sizeof *(fields_) \
    }
/* By kind. Texts have rows of one byte and fields of none; kinds that are reserved have 0 bytes, as kind 0 has. */
static const mplan_record_shape shapes[MPLAN_N_RECORD_KINDS + 1] = {
    [MPLAN_KIND_STRINGS] = {1, NULL, 0},
    [MPLAN_KIND_SETS] = SHAPE(96, set_fields),
    [MPLAN_KIND_MAPS] = SHAPE(32, map_fields),
    [MPLAN_KIND_LOOPS] = SHAPE(48, loop_fields),
    [MPLAN_KIND_ARGS] = SHAPE(32, arg_fields),
    [MPLAN_KIND_VARIANTS] = SHAPE(96, variant_fields),
    [MPLAN_KIND_BLOCK_SETS] = SHAPE(64, block_set_fields),
    [MPLAN_KIND_BLOCK_METRICS] = SHAPE(64, metrics_fields),
    [MPLAN_KIND_REQUEST] = {1, NULL, 0},
    [MPLAN_KIND_VERSIONS] = {1, NULL, 0},
    [MPLAN_KIND_ORIGINS] = SHAPE(32, origin_fields),
    [MPLAN_KIND_VARIANTS2] = SHAPE(64, variant2_fields),
    [MPLAN_KIND_STEP] = SHAPE(16, step_fields),
    [MPLAN_KIND_STEP_CONFLICTS] = SHAPE(32, conflict_fields),
    [MPLAN_KIND_GROUPS] = SHAPE(32, group_fields),
    [MPLAN_KIND_ARGS2] = SHAPE(64, arg2_fields),
    [MPLAN_KIND_PARTS] = SHAPE(64, part_fields),
    [MPLAN_KIND_LAYERS] = SHAPE(64, layers_fields),
    [MPLAN_KIND_SLOTS] = SHAPE(16, slot_fields),
    [MPLAN_KIND_VISIT] = SHAPE(96, visit_fields),
    [MPLAN_KIND_STREAMS] = SHAPE(64, stream_fields),
};

const mplan_record_shape *mplan_shape_of_record(uint32_t kind)
{
    return &shapes[kind];
}

size_t mplan_record_bytes(uint32_t kind)
{
    return shapes[kind].bytes;
}
