/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - where two plans differ: records, texts and arrays, one line each */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plan/packed.h"
#include "plan/plan.h"
#include "view/array_label.h"

#define MOST_LINES 100

/* Two plans, and who is told of each difference. */
typedef struct comparison {
    const mplan_plan *a, *b;
    void (*line)(void *user, const char *text);
    void *user;
    int64_t n; /* differences, told or not */
} comparison;

#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
/* Tells of a difference, up to MOST_LINES of them, and counts all. */
differ(comparison *c, const char *format, ...)
{
    char text[MPLAN_LABEL_BYTES + 512];
    if (c->n++ >= MOST_LINES || !c->line)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->line(c->user, text);
}

/* A difference of two numbers; of: whose they are. */
static void number(comparison *c, const char *of, const char *what, int64_t a, int64_t b)
{
    if (a != b)
        differ(c, "%.200s: %s: %" PRId64 " and %" PRId64, of, what, a, b);
}

/* A difference of two texts; NULL is as good as an empty one. */
static void word(comparison *c, const char *of, const char *what, const char *a, const char *b)
{
    if (strcmp(a ? a : "", b ? b : "") != 0)
        differ(c, "%.200s: %s: '%.100s' and '%.100s'", of, what, a ? a : "", b ? b : "");
}

/* A difference of two fingerprints. */
static void print(comparison *c, const char *what, uint64_t a, uint64_t b)
{
    if (a != b)
        differ(c, "fingerprint of the %s: %016" PRIx64 " and %016" PRIx64, what, a, b);
}

/* The first line in which two texts differ.
 * The loop ends because they differ: at the latest in the line in which one of them ends. */
static void text(comparison *c, const char *what, const char *a, const char *b)
{
    int64_t line = 1;
    if (strcmp(a, b) == 0)
        return;
    for (;; line++) {
        size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
        if (na != nb || memcmp(a, b, na) != 0 || !a[na] || !b[nb]) {
            differ(c, "%s: line %" PRId64 ": '%.*s' and '%.*s'", what, line,
                   (int)(na < 200 ? na : 200), a, (int)(nb < 200 ? nb : 200), b);
            return;
        }
        a += na + 1;
        b += nb + 1;
    }
}

/* "set cells", at most 255 characters. */
static void label(char of[256], const char *what, const char *name)
{
    snprintf(of, 256, "%s %.200s", what, name);
}

/* The smaller of two. */
static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Records in order, up to the shorter list; a difference in number is a line of
 * its own.
 * Entry k of bandwidth and profile is of the order that stages[k] names. */
static void compare_sets(comparison *c)
{
    static const char *const stages[3] = {"input", "renumbered", "stored"};
    char of[256], what[64];
    number(c, "plan", "number of sets", c->a->n_sets, c->b->n_sets);
    for (int32_t i = 0; i < least(c->a->n_sets, c->b->n_sets); i++) {
        const mplan_plan_set *a = &c->a->sets[i], *b = &c->b->sets[i];
        label(of, "set", a->name);
        word(c, of, "name", a->name, b->name);
        number(c, of, "size", a->size, b->size);
        number(c, of, "storage size", a->storage_size, b->storage_size);
        word(c, of, "split", a->split, b->split);
        word(c, of, "group of", a->parent, b->parent);
        number(c, of, "members of the parent", a->parent_size, b->parent_size);
        word(c, of, "renumbering", mplan_renumber_name(a->renumber),
             mplan_renumber_name(b->renumber));
        number(c, of, "input order kept", a->kept, b->kept);
        for (int k = 0; k < 3; k++) {
            snprintf(what, sizeof what, "bandwidth, %s order", stages[k]);
            number(c, of, what, a->bandwidth[k], b->bandwidth[k]);
            snprintf(what, sizeof what, "profile, %s order", stages[k]);
            number(c, of, what, a->profile[k], b->profile[k]);
        }
    }
}

/* Name of a set; "" where the plan has none of that number. */
static const char *set_of(const mplan_plan *plan, int32_t set)
{
    return set >= 0 && set < plan->n_sets ? plan->sets[set].name : "";
}

/* Name of a map; "" for direct args, and what stands for a map where there is a global. */
static const char *map_of(const mplan_plan *plan, int32_t map)
{
    if (map == MPLAN_MAP_GLOBAL)
        return MPLAN_GLOBAL;
    return map >= 0 && map < plan->n_maps ? plan->maps[map].name : "";
}

/* Maps one by one, as far as both plans have them. */
static void compare_maps(comparison *c)
{
    char of[256];
    number(c, "plan", "number of maps", c->a->n_maps, c->b->n_maps);
    for (int32_t i = 0; i < least(c->a->n_maps, c->b->n_maps); i++) {
        const mplan_plan_map *a = &c->a->maps[i], *b = &c->b->maps[i];
        label(of, "map", a->name);
        word(c, of, "name", a->name, b->name);
        word(c, of, "from", set_of(c->a, a->from), set_of(c->b, b->from));
        word(c, of, "to", set_of(c->a, a->to), set_of(c->b, b->to));
        number(c, of, "arity", a->arity, b->arity);
        number(c, of, "entries", a->n_entries, b->n_entries);
    }
}

/* of: the place of an arg, cut to what a difference can name. */
static void compare_arg(comparison *c, const char *loop, const mplan_plan_arg *a,
                        const mplan_plan_arg *b)
{
    char of[512], short_of[256];
    snprintf(of, sizeof of, "%s, arg %.100s", loop, a->dat);
    snprintf(short_of, sizeof short_of, "%.255s", of);
    word(c, short_of, "dat", a->dat, b->dat);
    word(c, short_of, "map", map_of(c->a, a->map), map_of(c->b, b->map));
    word(c, short_of, "access", mplan_access_name(a->access), mplan_access_name(b->access));
    number(c, short_of, "dim", a->dim, b->dim);
    word(c, short_of, "type", mplan_type_name(a->type), mplan_type_name(b->type));
    word(c, short_of, "none", mplan_none_name(a->none), mplan_none_name(b->none));
}

/* Loop names the loop; v: which variant. */
static void compare_variant(comparison *c, const char *loop, int32_t v, const mplan_plan_variant *a,
                            const mplan_plan_variant *b)
{
    char of[300];
    snprintf(of, sizeof of, "%.200s, variant %d", loop, v);
    word(c, of, "strategy", mplan_strategy_name(a->strategy), mplan_strategy_name(b->strategy));
    word(c, of, "device", a->device, b->device);
    number(c, of, "block limit", a->block_limit, b->block_limit);
    number(c, of, "threads", a->threads, b->threads);
    number(c, of, "elements per thread", a->elements_per_thread, b->elements_per_thread);
    number(c, of, "block set", a->block_set, b->block_set);
    number(c, of, "deterministic", a->deterministic, b->deterministic);
    number(c, of, "shared bytes", a->shared_bytes_max, b->shared_bytes_max);
    number(c, of, "block colours", a->block_colours, b->block_colours);
    number(c, of, "most thread colours", a->thread_colours_max, b->thread_colours_max);
    number(c, of, "thread colours of all blocks", a->thread_colours_total, b->thread_colours_total);
    number(c, of, "global colours", a->global_colours, b->global_colours);
    word(c, of, "order of sums", mplan_sums_order_name(a->sums_order),
         mplan_sums_order_name(b->sums_order));
    number(c, of, "rows of a slice", MPLAN_SLICE_ROWS(a->slice_rows),
           MPLAN_SLICE_ROWS(b->slice_rows));
    number(c, of, "layout of entries", a->entry_layout, b->entry_layout);
    number(c, of, "thread blocks of the launch bounds", a->bound_blocks, b->bound_blocks);
    number(c, of, "elements of a round", a->round, b->round);
}

/* Loops with their args and variants, as far as both plans have them. */
static void compare_loops(comparison *c)
{
    char of[256];
    number(c, "plan", "number of loops", c->a->n_loops, c->b->n_loops);
    number(c, "plan", "entries of the step", c->a->n_step, c->b->n_step);
    number(c, "plan", "conflicts of the step", c->a->n_conflicts, c->b->n_conflicts);
    for (int32_t i = 0; i < least(c->a->n_loops, c->b->n_loops); i++) {
        const mplan_plan_loop *a = &c->a->loops[i], *b = &c->b->loops[i];
        label(of, "loop", a->name);
        word(c, of, "name", a->name, b->name);
        word(c, of, "set", set_of(c->a, a->set), set_of(c->b, b->set));
        number(c, of, "primary", a->primary, b->primary);
        number(c, of, "calls", a->calls, b->calls);
        number(c, of, "flops", a->flops, b->flops);
        number(c, of, "number of args", a->n_args, b->n_args);
        for (int32_t k = 0; k < least(a->n_args, b->n_args); k++)
            compare_arg(c, of, &a->args[k], &b->args[k]);
        number(c, of, "number of variants", a->n_variants, b->n_variants);
        number(c, of, "default variant", a->default_variant, b->default_variant);
        for (int32_t k = 0; k < least(a->n_variants, b->n_variants); k++)
            compare_variant(c, of, k, &a->variants[k], &b->variants[k]);
    }
}

/* How the blocks of one block set were made; of: the block set, for messages. extent: three numbers, of which the
 * origin tells what they count. */
static void compare_origin(comparison *c, const char *of, const mplan_block_origin *a,
                           const mplan_block_origin *b)
{
    word(c, of, "origin", mplan_origin_name(a->origin), mplan_origin_name(b->origin));
    number(c, of, "refined", a->refined, b->refined);
    for (int i = 0; i < 3; i++)
        number(c, of, "extent of the origin", a->extent[i], b->extent[i]);
    number(c, of, "patches of the origin", a->patches, b->patches);
    number(c, of, "size of the largest patch", a->largest, b->largest);
}

/* Block sets by their numbers, and how their blocks came about. */
static void compare_block_sets(comparison *c)
{
    char of[256];
    number(c, "plan", "number of block sets", c->a->n_block_sets, c->b->n_block_sets);
    for (int32_t i = 0; i < least(c->a->n_block_sets, c->b->n_block_sets); i++) {
        const mplan_plan_block_set *a = &c->a->block_sets[i], *b = &c->b->block_sets[i];
        snprintf(of, sizeof of, "block set %d of set %.200s", i, set_of(c->a, a->set));
        word(c, of, "set", set_of(c->a, a->set), set_of(c->b, b->set));
        number(c, of, "loop", a->loop, b->loop);
        number(c, of, "blocks", a->n_blocks, b->n_blocks);
        number(c, of, "block limit", a->block_limit, b->block_limit);
        number(c, of, "stored sequence", a->sequence, b->sequence);
        word(c, of, "partitioner", mplan_partitioner_name(a->partitioner),
             mplan_partitioner_name(b->partitioner));
        compare_origin(c, of, &a->origin, &b->origin);
        number(c, of, "smallest block", a->block_min, b->block_min);
        number(c, of, "largest block", a->block_max, b->block_max);
        number(c, of, "pairs of the other cut", a->alternative_pairs, b->alternative_pairs);
        number(c, of, "limit of points", a->max_points, b->max_points);
        number(c, of, "limit of shared bytes", a->shared_bytes, b->shared_bytes);
    }
}

/* References of metrics were checked when the plans were read. */
static void compare_metrics(comparison *c)
{
    char of[256];
    number(c, "plan", "number of metrics", c->a->n_metrics, c->b->n_metrics);
    for (int32_t i = 0; i < least(c->a->n_metrics, c->b->n_metrics); i++) {
        const mplan_block_metrics *a = &c->a->metrics[i], *b = &c->b->metrics[i];
        snprintf(of, sizeof of, "metrics of loop %.80s, block set %d, set %.80s",
                 c->a->loops[a->loop].name, a->block_set, set_of(c->a, a->set));
        number(c, of, "loop", a->loop, b->loop);
        number(c, of, "block set", a->block_set, b->block_set);
        number(c, of, "set", a->set, b->set);
        number(c, of, "entries", a->entries, b->entries);
        number(c, of, "(block, point) pairs", a->pairs, b->pairs);
        number(c, of, "shared points", a->shared_points, b->shared_points);
        number(c, of, "most points of a block", a->points_max, b->points_max);
        number(c, of, "lines", a->lines, b->lines);
        number(c, of, "fewest lines", a->lines_ideal, b->lines_ideal);
    }
}

/* --- arrays --- */

/* Number i of an array, as a whole number; the bits of reals.
 * i counts row by row: row x cols + column, below rows x cols. */
static int64_t value_at(const mplan_array *array, int64_t i)
{
    switch (array->type) {
    case MPLAN_TYPE_U8: return ((const uint8_t *)array->data)[i];
    case MPLAN_TYPE_U16: return ((const uint16_t *)array->data)[i];
    case MPLAN_TYPE_I32: return ((const int32_t *)array->data)[i];
    default: /* no array of a plan holds reals: their bits are shown */ break;
    }
    if (mplan_type_size(array->type) == 4)
        return ((const int32_t *)array->data)[i];
    return ((const int64_t *)array->data)[i];
}

/* Number of different values, and the first with its place.
 * The arrays have one type and shape, which compare_pair has seen to. Whole arrays are compared first, as most are
 * equal. */
static void compare_values(comparison *c, const mplan_array *a, const mplan_array *b, const char *of)
{
    int64_t n = a->rows * a->cols, different = 0, first = -1;
    if (n == 0 || memcmp(a->data, b->data, (size_t)n * mplan_type_size(a->type)) == 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        if (value_at(a, i) == value_at(b, i))
            continue;
        different++;
        if (first < 0)
            first = i;
    }
    char place[64];
    if (a->cols == 1)
        snprintf(place, sizeof place, "%" PRId64, first);
    else
        snprintf(place, sizeof place, "row %" PRId64 ", column %" PRId64, first / a->cols,
                 first % a->cols);
    differ(c, "%s: %" PRId64 " of %" PRId64 " numbers differ, first at %s: %" PRId64 " and %" PRId64,
           of, different, n, place, value_at(a, first), value_at(b, first));
}

/* Arrays of one key. */
static void compare_pair(comparison *c, const mplan_array *a, const mplan_array *b)
{
    char of[MPLAN_LABEL_BYTES];
    mplan_array_label(c->a, &a->key, of);
    if (a->type != b->type)
        differ(c, "%s: type: %s and %s", of, mplan_type_name(a->type), mplan_type_name(b->type));
    else if (a->rows != b->rows || a->cols != b->cols)
        differ(c, "%s: shape: %" PRId64 " x %" PRId64 " and %" PRId64 " x %" PRId64, of, a->rows,
               a->cols, b->rows, b->cols);
    else
        compare_values(c, a, b, of);
}

/* Both lists ascend by key.
 * A merge: each step takes the lesser key of the two, or both where they are equal. Keys hold numbers of records, so
 * an array of a set that has another name in b still meets its counterpart. */
static void compare_arrays(comparison *c)
{
    int32_t i = 0, k = 0;
    char of[MPLAN_LABEL_BYTES];
    while (i < c->a->n_arrays || k < c->b->n_arrays) {
        const mplan_array *a = i < c->a->n_arrays ? &c->a->arrays[i] : NULL;
        const mplan_array *b = k < c->b->n_arrays ? &c->b->arrays[k] : NULL;
        int order = !a ? 1 : !b ? -1 : mplan_key_compare(&a->key, &b->key);
        if (order < 0) {
            mplan_array_label(c->a, &a->key, of);
            differ(c, "%s: in the first plan only", of);
        } else if (order > 0) {
            mplan_array_label(c->b, &b->key, of);
            differ(c, "%s: in the second plan only", of);
        } else {
            compare_pair(c, a, b);
        }
        i += order <= 0;
        k += order >= 0;
    }
}

/* line: called for each difference. MPLAN_ERR_DIFFERENT if there was any. */
mplan_status mplan_plan_compare(const mplan_plan *a, const mplan_plan *b,
                                void (*line)(void *user, const char *text), void *user,
                                mplan_error *err)
{
    MPLAN_NEED(a);
    MPLAN_NEED(b);
    comparison c = {a, b, line, user, 0};
    print(&c, "topology", a->fingerprints.topology, b->fingerprints.topology);
    print(&c, "coordinates", a->fingerprints.coordinates, b->fingerprints.coordinates);
    print(&c, "request", a->fingerprints.request, b->fingerprints.request);
    text(&c, "request", a->request, b->request);
    text(&c, "versions", a->versions, b->versions);
    compare_sets(&c);
    compare_maps(&c);
    compare_loops(&c);
    compare_block_sets(&c);
    compare_metrics(&c);
    compare_arrays(&c);
    if (c.n == 0)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_DIFFERENT, "the plans differ in %" PRId64 " place%s", c.n,
                      c.n == 1 ? "" : "s");
}
