/* SPDX-License-Identifier: Apache-2.0 */
/* test_planfile_limits.c - every number of every record of a plan, at every limit
 *
 * One number of one record becomes each limit of the plan, one less and one more. The rules
 * that guard reader and writer must refuse exactly what the tables of
 * formats/plan-format.md refuse, said a second time here, and name record and byte; what they
 * refuse `meshplan verify` must refuse as well, in the plan that was not read from a file. */
#include <stddef.h>

#include "planfile/planfile_layout.h"
#include "support_check.h"
#include "support_planfile.h"

#define MOST (INT64_C(0x7fffffff) - 1)

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* --- what the specification says ------------------------------------------------------------ */

static bool within(int64_t value, int64_t low, int64_t high)
{
    return low <= value && value <= high;
}

static bool set_allowed(const mplan_plan_set *set)
{
    bool all = within(set->size, 0, MOST) && within(set->storage_size, set->size, MOST) &&
               within((int64_t)set->renumber, 0, MPLAN_N_RENUMBERS - 1) &&
               set->renumber != MPLAN_RENUMBER_AUTO;
    for (int i = 0; i < 3; i++)
        all = all && set->bandwidth[i] >= -1 && set->profile[i] >= -1;
    return all;
}

static bool map_allowed(const mplan_plan *plan, const mplan_plan_map *map)
{
    if (!within(map->from, 0, plan->n_sets - 1) || !within(map->to, 0, plan->n_sets - 1) ||
        map->arity < 0 || map->n_entries < 0)
        return false;
    return map->arity == 0 || map->n_entries == plan->sets[map->from].storage_size * map->arity;
}

static bool arg_allowed(const mplan_plan *plan, const mplan_plan_loop *loop, const mplan_plan_arg *arg)
{
    return (arg->map == MPLAN_MAP_GLOBAL || within(arg->map, -1, plan->n_maps - 1)) &&
           (arg->map < 0 || plan->maps[arg->map].from == loop->set) &&
           within((int64_t)arg->access, MPLAN_READ, MPLAN_INC_MAX) && arg->dim >= 1 &&
           within((int64_t)arg->type, MPLAN_TYPE_U8, MPLAN_TYPE_F64) &&
           within((int64_t)arg->none, MPLAN_NONE_REFUSE, MPLAN_NONE_SPLIT) &&
           within((int64_t)arg->layout, MPLAN_LAYOUT_AOS, MPLAN_LAYOUT_SOA);
}

static bool loop_allowed(const mplan_plan *plan, const mplan_plan_loop *loop)
{
    bool all = within(loop->set, 0, plan->n_sets - 1) && loop->n_variants >= 1 &&
               within(loop->default_variant, 0, loop->n_variants - 1) && loop->calls >= 1 &&
               loop->flops >= 0;
    for (int32_t a = 0; a < loop->n_args; a++)
        all = all && arg_allowed(plan, loop, &loop->args[a]);
    return all;
}

/* Whether a loop increments through maps of an arity to one set, and writes through no other. */
static bool gathers(const mplan_plan *plan, const mplan_plan_loop *loop)
{
    int32_t to = -1;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map < 0 || arg->access == MPLAN_READ)
            continue;
        const mplan_plan_map *map = &plan->maps[arg->map];
        if (arg->access < MPLAN_INC || map->arity == 0 || (to != -1 && to != map->to))
            return false;
        to = map->to;
    }
    return to != -1;
}

static bool variant_allowed(const mplan_plan *plan, const mplan_plan_loop *loop,
                            const mplan_plan_variant *v)
{
    const bool colour = v->strategy == MPLAN_STRATEGY_BLOCK_COLOUR;
    const bool blocks = v->strategy == MPLAN_STRATEGY_BLOCK_GATHER;
    const bool owners = v->strategy == MPLAN_STRATEGY_OWNER_GATHER;
    bool all = within((int64_t)v->strategy, 0, MPLAN_N_STRATEGIES - 1) && v->block_limit >= 0 &&
               v->threads >= 0 && v->elements_per_thread >= 0 &&
               within(v->block_set, -1, plan->n_block_sets - 1) && v->shared_bytes_max >= 0 &&
               within(v->block_colours, 0, MOST) && v->thread_colours_max >= 0 &&
               v->thread_colours_total >= 0 && within(v->global_colours, 0, MOST) &&
               v->partial_sums >= 0;
    if (!all || (v->block_set >= 0 && plan->block_sets[v->block_set].set != loop->set))
        return false;
    if (v->block_set < 0 ? colour || blocks : owners)
        return false;
    if (!within((int64_t)v->sums, 0, blocks ? MPLAN_N_SUMS - 1 : 0) ||
        !within((int64_t)v->encoding, owners ? MPLAN_ENCODING_INDEX32 : MPLAN_ENCODING_NONE,
                owners ? MPLAN_ENCODING_WINDOWS16 : MPLAN_ENCODING_NONE) ||
        !within(v->width, 0, owners ? 4 : 0))
        return false;
    if (v->window != 0 && !(owners && v->window == 256 && v->width == 0))
        return false;
    const bool rows = owners || v->strategy == MPLAN_STRATEGY_TWO_STEP;
    if (!within((int64_t)v->sums_order, 0, rows ? MPLAN_SUMS_ORDER_MESH : 0) ||
        !(v->slice_rows == 0 || (owners && v->slice_rows == 64)) ||
        !within(v->entry_layout, 0, v->encoding == MPLAN_ENCODING_WINDOWS16 && v->width > 0) ||
        !((v->bound_threads == 0 && v->bound_blocks == 0) ||
          ((blocks || owners) && !loop->layering && v->bound_threads == v->threads &&
           within(v->bound_blocks, 1, 32))) ||
        (v->round && !(blocks && !loop->layering && within(v->round, 1, v->block_limit - 1))) ||
        v->granule || !within(v->runner_up, 0, MPLAN_N_STRATEGIES) || v->predicted_ns < 0 ||
        v->runner_up_ns < 0 || !within((int64_t)v->reason, 0, MPLAN_N_REASONS - 1))
        return false;
    return !(blocks || owners) || gathers(plan, loop);
}

static bool origin_allowed(const mplan_plan_block_set *blocks)
{
    const mplan_block_origin *o = &blocks->origin;
    const bool found = o->origin != MPLAN_ORIGIN_OTHER && o->origin != MPLAN_ORIGIN_GROWN;
    const int64_t low = found ? 1 : 0, high = found ? MOST : 0;
    bool all = within((int64_t)o->origin, 0, MPLAN_N_ORIGINS - 1) &&
               within(o->patches, low, high) && within(o->largest, low, high);
    for (int i = 0; i < 3; i++)
        all = all && within(o->extent[i], low, high);
    if (o->origin == MPLAN_ORIGIN_OTHER)
        return all && !o->refined;
    return all && blocks->partitioner == MPLAN_PARTITIONER_NATIVE;
}

static bool block_set_allowed(const mplan_plan *plan, const mplan_plan_block_set *b)
{
    return within(b->set, 0, plan->n_sets - 1) && within(b->loop, 0, plan->n_loops - 1) &&
           plan->loops[b->loop].set == b->set && within(b->block_limit, 1, 1024) &&
           within((int64_t)b->partitioner, 0, MPLAN_N_PARTITIONERS - 1) &&
           within(b->max_points, 0, 65535) && b->shared_bytes >= 0 &&
           within(b->n_blocks, 0, plan->sets[b->set].size) && b->alternative_pairs >= -1 &&
           within(b->block_min, 0, b->block_limit) &&
           within(b->block_max, b->block_min, b->block_limit) && origin_allowed(b);
}

/* Whether a map of the loop's args leads to a set. */
static bool leads_to(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t set)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && plan->maps[loop->args[a].map].to == set)
            return true;
    return false;
}

static bool uses_blocks(const mplan_plan *plan, int32_t l, int32_t b)
{
    for (int32_t v = 0; v < plan->loops[l].n_variants; v++)
        if (plan->loops[l].variants[v].block_set == b)
            return true;
    return plan->block_sets[b].loop == l;
}

/* Each combination once, ascending, none missing; their figures in range. */
static bool metrics_allowed(const mplan_plan *plan)
{
    int32_t row = 0;
    for (int32_t i = 0; i < plan->n_metrics; i++) {
        const mplan_block_metrics *m = &plan->metrics[i];
        if (m->entries < 0 || m->pairs < 0 || m->shared_points < 0 || m->lines < 0 ||
            m->lines_ideal < 0 || !within(m->points_max, 0, 65535))
            return false;
    }
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t b = 0; b < plan->n_block_sets; b++)
            for (int32_t s = 0; s < plan->n_sets; s++) {
                if (!uses_blocks(plan, l, b) || !leads_to(plan, &plan->loops[l], s))
                    continue;
                const mplan_block_metrics *m = &plan->metrics[row];
                if (row >= plan->n_metrics || m->loop != l || m->block_set != b || m->set != s)
                    return false;
                row++;
            }
    return row == plan->n_metrics;
}

static bool records_allowed(const mplan_plan *plan)
{
    int primaries = 0;
    bool all = true;
    for (int32_t s = 0; s < plan->n_sets; s++)
        all = all && set_allowed(&plan->sets[s]);
    for (int32_t m = 0; m < plan->n_maps; m++)
        all = all && map_allowed(plan, &plan->maps[m]);
    for (int32_t l = 0; l < plan->n_loops; l++) {
        all = all && loop_allowed(plan, &plan->loops[l]);
        primaries += plan->loops[l].primary;
    }
    for (int32_t b = 0; b < plan->n_block_sets && all; b++)
        all = block_set_allowed(plan, &plan->block_sets[b]);
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants && all; v++)
            all = variant_allowed(plan, &plan->loops[l], &plan->loops[l].variants[v]);
    for (int32_t i = 0; i < plan->n_step; i++)
        all = all && within(plan->step[i].loop, 0, plan->n_loops - 1);
    for (int32_t i = 0; i < plan->n_conflicts && all; i++) {
        const mplan_step_conflict *c = &plan->conflicts[i];
        all = within(c->earlier, 0, plan->n_step - 1) && within(c->later, 0, plan->n_step - 1) &&
              within(c->repeat, 0, 1) && within(c->kinds, 1, 8) && within(c->earlier_ways, 1, 7) &&
              within(c->later_ways, 1, 7) &&
              within(c->arg, 0, plan->loops[plan->step[c->later].loop].n_args - 1);
    }
    return all && primaries == (plan->n_loops > 0) && metrics_allowed(plan);
}

/* --- the fields ----------------------------------------------------------------------------- */

/* A number of a record in memory, and its byte in the file. */
typedef struct field {
    mplan_kind kind;
    int at;
    size_t offset, size;
} field;

#define FIELD(kind_, at_, type_, member_)                                              \
    {                                                                                  \
        MPLAN_KIND_##kind_, at_, offsetof(type_, member_), sizeof((type_ *)0)->member_ \
    }
#define SETS(at_, member_) FIELD(SETS, at_, mplan_plan_set, member_)
#define MAPS(at_, member_) FIELD(MAPS, at_, mplan_plan_map, member_)
#define LOOPS(at_, member_) FIELD(LOOPS, at_, mplan_plan_loop, member_)
#define ARGS(at_, member_) FIELD(ARGS, at_, mplan_plan_arg, member_)
#define VARIANTS(at_, member_) FIELD(VARIANTS, at_, mplan_plan_variant, member_)
#define VARIANTS2(at_, member_) FIELD(VARIANTS2, at_, mplan_plan_variant, member_)
#define BLOCK(at_, member_) FIELD(BLOCK_SETS, at_, mplan_plan_block_set, member_)
#define ORIGINS(at_, member_) FIELD(ORIGINS, at_, mplan_plan_block_set, origin.member_)
#define STEP(at_)                                \
    {                                            \
        MPLAN_KIND_STEP, at_, 0, sizeof(int32_t) \
    }
#define CONFLICTS(at_, member_) FIELD(STEP_CONFLICTS, at_, mplan_step_conflict, member_)
#define METRICS(at_, member_) FIELD(BLOCK_METRICS, at_, mplan_block_metrics, member_)

static const field FIELDS[] = {SETS(16, size),
                               SETS(24, storage_size),
                               SETS(32, renumber),
                               SETS(40, bandwidth[0]),
                               SETS(48, bandwidth[1]),
                               SETS(56, bandwidth[2]),
                               SETS(64, profile[0]),
                               SETS(72, profile[1]),
                               SETS(80, profile[2]),
                               MAPS(8, from),
                               MAPS(12, to),
                               MAPS(16, arity),
                               MAPS(24, n_entries),
                               LOOPS(8, set),
                               LOOPS(12, primary),
                               LOOPS(24, default_variant),
                               LOOPS(32, calls),
                               LOOPS(40, flops),
                               ARGS(8, map),
                               ARGS(12, access),
                               ARGS(16, dim),
                               ARGS(20, type),
                               ARGS(24, none),
                               ARGS(28, layout),
                               VARIANTS(8, strategy),
                               VARIANTS(12, block_limit),
                               VARIANTS(16, threads),
                               VARIANTS(20, elements_per_thread),
                               VARIANTS(24, block_set),
                               VARIANTS(32, shared_bytes_max),
                               VARIANTS(40, block_colours),
                               VARIANTS(48, thread_colours_max),
                               VARIANTS(56, thread_colours_total),
                               VARIANTS(64, global_colours),
                               VARIANTS(72, partial_sums),
                               VARIANTS(80, sums),
                               VARIANTS(84, encoding),
                               VARIANTS(88, width),
                               VARIANTS(92, window),
                               VARIANTS2(0, sums_order),
                               VARIANTS2(4, slice_rows),
                               VARIANTS2(8, entry_layout),
                               VARIANTS2(12, bound_threads),
                               VARIANTS2(16, bound_blocks),
                               VARIANTS2(20, granule),
                               VARIANTS2(24, runner_up),
                               VARIANTS2(28, reason),
                               VARIANTS2(32, predicted_ns),
                               VARIANTS2(40, runner_up_ns),
                               VARIANTS2(60, round),
                               BLOCK(0, set),
                               BLOCK(4, loop),
                               BLOCK(8, block_limit),
                               BLOCK(16, partitioner),
                               BLOCK(20, max_points),
                               BLOCK(24, shared_bytes),
                               BLOCK(32, n_blocks),
                               BLOCK(40, block_min),
                               BLOCK(48, block_max),
                               BLOCK(56, alternative_pairs),
                               ORIGINS(0, origin),
                               ORIGINS(4, refined),
                               ORIGINS(8, extent[0]),
                               ORIGINS(12, extent[1]),
                               ORIGINS(16, extent[2]),
                               ORIGINS(20, patches),
                               ORIGINS(24, largest),
                               METRICS(0, loop),
                               METRICS(4, block_set),
                               METRICS(8, set),
                               METRICS(16, entries),
                               METRICS(24, pairs),
                               METRICS(32, shared_points),
                               METRICS(40, points_max),
                               METRICS(48, lines),
                               METRICS(56, lines_ideal),
                               STEP(0),
                               CONFLICTS(0, earlier),
                               CONFLICTS(4, later),
                               CONFLICTS(8, repeat),
                               CONFLICTS(12, kinds),
                               CONFLICTS(16, earlier_ways),
                               CONFLICTS(20, later_ways),
                               CONFLICTS(24, arg)};
enum { N_FIELDS = sizeof FIELDS / sizeof *FIELDS };

static int64_t read_field(const uint8_t *at, size_t size)
{
    int64_t wide;
    int32_t number;
    if (size == 1)
        return *at;
    memcpy(&number, at, sizeof number);
    if (size == 4)
        return number;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static void write_field(uint8_t *at, size_t size, int64_t value)
{
    const int32_t number = (int32_t)value;
    if (size == 1)
        *(bool *)at = value != 0;
    else if (size == 4)
        memcpy(at, &number, sizeof number);
    else
        memcpy(at, &value, sizeof value);
}

/* Record `row` of a kind, counted as in the file; NULL behind the last. */
static uint8_t *record_of(mplan_plan *plan, mplan_kind kind, int64_t row)
{
    const void *found = NULL;
    switch (kind) {
    case MPLAN_KIND_SETS: found = row < plan->n_sets ? &plan->sets[row] : NULL; break;
    case MPLAN_KIND_MAPS: found = row < plan->n_maps ? &plan->maps[row] : NULL; break;
    case MPLAN_KIND_LOOPS: found = row < plan->n_loops ? &plan->loops[row] : NULL; break;
    case MPLAN_KIND_BLOCK_SETS:
    case MPLAN_KIND_ORIGINS:
        found = row < plan->n_block_sets ? &plan->block_sets[row] : NULL;
        break;
    case MPLAN_KIND_STEP: found = row < plan->n_step ? &plan->step[row] : NULL; break;
    case MPLAN_KIND_STEP_CONFLICTS:
        found = row < plan->n_conflicts ? &plan->conflicts[row] : NULL;
        break;
    case MPLAN_KIND_BLOCK_METRICS:
        found = row < plan->n_metrics ? &plan->metrics[row] : NULL;
        break;
    default:
        for (int32_t l = 0; l < plan->n_loops && !found; l++) {
            const mplan_plan_loop *loop = &plan->loops[l];
            int64_t n = kind == MPLAN_KIND_ARGS ? loop->n_args : loop->n_variants;
            if (row < n)
                found = kind == MPLAN_KIND_ARGS ? (const void *)&loop->args[row]
                                                : (const void *)&loop->variants[row];
            row -= n;
        }
    }
    return (uint8_t *)(uintptr_t)found;
}

/* --- damages ---------------------------------------------------------------------------------- */

typedef struct tally {
    int64_t taken, refused, elsewhere; /* elsewhere: another record is named than was changed */
} tally;

static void judge(mplan_plan *plan, const field *f, int64_t row, int64_t value, tally *seen)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_fault fault = {0};
    const bool allowed = records_allowed(plan);
    mplan_status status = mplan_rules_records(plan, &fault, &err);
    if (status != (allowed ? MPLAN_OK : MPLAN_ERR_CORRUPT))
        fail_msg("kind %d, record %lld, byte %d is %lld: %s %s", (int)f->kind, (long long)row,
                 f->at, (long long)value, allowed ? "must be taken, but" : "is taken", fault.what);
    seen->taken += allowed;
    if (allowed)
        return;
    seen->refused++;
    seen->elsewhere += fault.kind != (uint32_t)f->kind || fault.row != row || fault.at != f->at;
    if (mplan_plan_verify(plan, NULL, &one_thread, &err) == MPLAN_OK)
        fail_msg("kind %d, record %lld, byte %d is %lld: verify takes what the rules refuse (%s)",
                 (int)f->kind, (long long)row, f->at, (long long)value, fault.what);
}

static void damage_field(mplan_plan *plan, const field *f, int64_t row, uint8_t *record,
                         const int64_t *limits, int n_limits, tally *seen)
{
    uint8_t *at = record + f->offset;
    const int64_t old = read_field(at, f->size);
    for (int i = -1; i < n_limits; i++)
        for (int64_t d = -1; d <= 1; d++) {
            int64_t value = (i < 0 ? old : limits[i]) + d;
            if (f->size == 1 && (value < 0 || value > 1))
                continue;
            if (f->size == 4 && (value < INT32_MIN || value > INT32_MAX))
                continue;
            write_field(at, f->size, value);
            judge(plan, f, row, value, seen);
        }
    write_field(at, f->size, old);
}

enum { MOST_LIMITS = 200 };

static int limits_of(const mplan_plan *plan, int64_t limits[MOST_LIMITS])
{
    const int64_t fixed[] = {0,
                             4,
                             8,
                             256,
                             1024,
                             65535,
                             MOST,
                             INT32_MIN + 1,
                             INT64_MAX - 1,
                             INT64_MIN + 1,
                             plan->n_sets,
                             plan->n_maps,
                             plan->n_loops,
                             plan->n_block_sets};
    int n = (int)(sizeof fixed / sizeof *fixed);
    memcpy(limits, fixed, sizeof fixed);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        limits[n++] = plan->sets[s].size;
        limits[n++] = plan->sets[s].storage_size;
    }
    for (int32_t l = 0; l < plan->n_loops; l++)
        limits[n++] = plan->loops[l].n_variants;
    for (int32_t b = 0; b < plan->n_block_sets; b++) {
        limits[n++] = plan->block_sets[b].block_limit;
        limits[n++] = plan->block_sets[b].block_min;
        limits[n++] = plan->block_sets[b].block_max;
    }
    assert_true(n <= MOST_LIMITS);
    return n;
}

static void damage_plan(mplan_plan *plan, tally *seen)
{
    int64_t limits[MOST_LIMITS];
    const int n = limits_of(plan, limits);
    assert_true(records_allowed(plan));
    for (int f = 0; f < N_FIELDS; f++) {
        uint8_t *record;
        for (int64_t row = 0; row < 12 && (record = record_of(plan, FIELDS[f].kind, row)); row++)
            damage_field(plan, &FIELDS[f], row, record, limits, n, seen);
    }
}

static void records_at_their_limits(void **state)
{
    (void)state;
    uint64_t seed = 41;
    tally seen = {0};
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    damage_plan(plan, &seen);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    for (int round = 0; round < 6; round++) { /* loops that gather, ragged maps, no maps */
        support_request in;
        plan = support_random_plan(&in, &seed);
        damage_plan(plan, &seen);
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
    assert_true(seen.taken > 10000 && seen.refused > 10000);
    assert_true(seen.elsewhere < seen.refused / 2);
}

/* Origins of the native partitioner: tiles have figures, fronts have none. */
static void origins_at_their_limits(void **state)
{
    (void)state;
    tally seen = {0};
    for (int origin = 0; origin < MPLAN_N_ORIGINS; origin++) {
        const int32_t one = origin > MPLAN_ORIGIN_GROWN;
        mplan_mesh *mesh = support_fixed_mesh();
        mplan_plan *plan = support_fixed_plan(mesh);
        plan->block_sets[0].partitioner = MPLAN_PARTITIONER_NATIVE;
        plan->block_sets[0].origin = (mplan_block_origin){
            (mplan_origin)origin, false, {one, one, one}, one, one};
        int64_t limits[MOST_LIMITS];
        const int n = limits_of(plan, limits);
        for (int f = 0; f < N_FIELDS; f++)
            if (FIELDS[f].kind == MPLAN_KIND_ORIGINS || FIELDS[f].kind == MPLAN_KIND_BLOCK_SETS)
                damage_field(plan, &FIELDS[f], 0, (uint8_t *)&plan->block_sets[0], limits, n, &seen);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
    assert_true(seen.taken > 1000 && seen.refused > 1000);
}

/* Metrics that are missing, or that nobody asks for; loops that are primary twice, or never. */
static void counts_of_records(void **state)
{
    (void)state;
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    mplan_error err;
    mplan_fault fault;
    plan->n_metrics--;
    assert_int_equal(mplan_rules_records(plan, &fault, &err), MPLAN_ERR_CORRUPT);
    assert_non_null(strstr(fault.what, "expected the metrics of loop"));
    assert_int_equal(fault.row, plan->n_metrics);
    plan->n_metrics++;
    mplan_plan_set *lonely = &plan->sets[BOUNDARY_SET], kept = *lonely; /* no map leaves it */
    lonely->size = lonely->storage_size = MOST;
    assert_int_equal(mplan_rules_records(plan, &fault, &err), MPLAN_OK);
    lonely->size = lonely->storage_size = MOST + 1;
    assert_int_equal(mplan_rules_records(plan, &fault, &err), MPLAN_ERR_CORRUPT);
    assert_int_equal(fault.at, 16);
    *lonely = kept;
    const mplan_plan_arg *args = plan->loops[0].args;
    const int32_t n_args = plan->loops[0].n_args;
    plan->loops[0].n_args = 0; /* no maps, so no metrics */
    assert_int_equal(mplan_rules_records(plan, &fault, &err), MPLAN_ERR_CORRUPT);
    plan->loops[0].n_args = n_args;
    plan->loops[0].args = args;
    const int32_t n_variants = plan->loops[1].n_variants;
    plan->loops[1].n_variants = 0;
    assert_int_equal(mplan_rules_records(plan, &fault, &err), MPLAN_ERR_CORRUPT);
    assert_string_equal(fault.what, "loop 1 has no variant");
    plan->loops[1].n_variants = n_variants;
    assert_int_equal(mplan_rules_records(plan, &fault, &err), MPLAN_OK);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* --- what is written is read again ------------------------------------------------------------ */

/* The plan must be freed before the bytes, which it borrows. */
static mplan_plan *written_and_read(const mplan_plan *plan, uint8_t **bytes)
{
    size_t size;
    mplan_error err;
    mplan_plan *again;
    *bytes = support_file_bytes(plan, false, 1, &size);
    assert_done(mplan_plan_read_borrowed(*bytes, size, "limits", NULL, &again, &err), &err);
    return again;
}

/* A map of arity 1 and its local ids are tables of one column, no ragged ones. */
static void maps_of_one_column(void **state)
{
    static const int32_t values[] = {0, 1, 2, 0, 1, 2};
    static const mplan_arg arg = {"a", "by", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    static const mplan_loop loop = {"flux", "elements", true, 1, 1, 1, &arg};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_error err;
    (void)state;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
    options.block_size = 4;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "elements", 6, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "by", 0, 1, 1, NULL, values, NULL, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, &one_thread, &plan, &err), &err);
    uint8_t *bytes;
    mplan_plan *again = written_and_read(plan, &bytes);
    assert_done(mplan_plan_verify(again, mesh, &one_thread, &err), &err);
    mplan_plan_free(again);
    free(bytes);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* A loop may have no arg. */
static void loops_without_args(void **state)
{
    mplan_plan *plan = support_hand_plan(1, 1), *again;
    uint8_t *bytes;
    (void)state;
    const int32_t n_args = plan->loops[1].n_args;
    assert_true(n_args > 0);
    plan->loops[1].n_args = 0;
    again = written_and_read(plan, &bytes);
    assert_int_equal(again->loops[1].n_args, 0);
    assert_int_equal(again->loops[0].n_args, plan->loops[0].n_args);
    mplan_plan_free(again);
    free(bytes);
    plan->loops[1].n_args = n_args;
    mplan_plan_free(plan);
}

/* Windows have 256 rows, of points that have not all the same number of entries. */
static void windows_of_rows(void **state)
{
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    mplan_plan_variant *owner = NULL;
    (void)state;
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++)
        if (plan->loops[0].variants[v].strategy == MPLAN_STRATEGY_OWNER_GATHER)
            owner = variant_of(plan, 0, v);
    assert_non_null(owner);
    for (int32_t width = 0; width <= 2; width++)
        for (int32_t window = 0; window <= 257; window = window ? window + 1 : 255) {
            mplan_fault fault = {0};
            mplan_error err;
            owner->width = width;
            owner->window = window;
            const mplan_status status = mplan_rules_records(plan, &fault, &err);
            assert_int_equal(status, window == 0 || (window == 256 && width == 0)
                                         ? MPLAN_OK
                                         : MPLAN_ERR_CORRUPT);
        }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_at_their_limits), cmocka_unit_test(origins_at_their_limits),
        cmocka_unit_test(counts_of_records),       cmocka_unit_test(maps_of_one_column),
        cmocka_unit_test(loops_without_args),      cmocka_unit_test(windows_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
