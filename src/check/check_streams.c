/* SPDX-License-Identifier: Apache-2.0 */
/* check_streams.c - everything that the step touches goes through the device as a stream, and nothing else
 *
 * STREAMS of formats/plan-format.md. What a launch touches, and how far, is read off the args and the tables of the variant
 * here; the planner's list is not looked at. */
#include <stdlib.h>
#include <string.h>

#include "check/check_slabs.h"

/* --- which stream ------------------------------------------------------------------------- */

/* A thing by its name: a dat, the rows of a map, or a table of the loop's default variant. */
typedef struct slab_thing {
    const char *dat; /* NULL: an array */
    int32_t kind, map, loop;
    int32_t set; /* -1: no slabs */
    int32_t arg; /* that names the dat; -1: an array */
} slab_thing;

/* The stream that says it is of that thing; -1: none. */
static int32_t find_stream(const mplan_plan *plan, const slab_thing *thing)
{
    for (int32_t s = 0; s < plan->n_streams; s++) {
        const mplan_plan_stream *stream = &plan->streams[s];
        const char *dat = stream->arg >= 0 ? plan->loops[stream->loop].args[stream->arg].dat : NULL;
        if (thing->dat ? dat && strcmp(dat, thing->dat) == 0
                       : !dat && stream->kind == thing->kind && stream->map == thing->map &&
                             (thing->map >= 0 || stream->loop == thing->loop))
            return s;
    }
    return -1;
}

/* --- bytes ---------------------------------------------------------------------------------- */

/* Bytes of a table of rows before `row`, which begins a slice; all of them at the end. */
static int64_t table_bytes(const mplan_check *check, const slab_thing *thing, int64_t row)
{
    const mplan_plan *plan = check->plan;
    const mplan_plan_loop *loop = &plan->loops[thing->loop];
    const mplan_plan_variant *variant = &loop->variants[loop->default_variant];
    const mplan_key key = mplan_key_of_variant((mplan_kind)thing->kind, thing->loop,
                                               loop->default_variant);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const int64_t number = (int64_t)mplan_type_size(array->type), slice = row / 32;
    const int64_t slices = (plan->sets[thing->set].storage_size + 31) / 32;
    if (row >= plan->sets[thing->set].storage_size)
        return array->rows * number;
    if (thing->kind == MPLAN_KIND_OWNER_WINDOWS)
        return slice * 16 * number;
    if (thing->kind != MPLAN_KIND_OWNER_ENTRIES)
        return row * number;
    if (variant->width)
        return array->rows / slices * slice * number;
    const int64_t *columns = mplan_check_data(check, mplan_key_of_variant(MPLAN_KIND_OWNER_OFFSETS,
                                                                          thing->loop,
                                                                          loop->default_variant));
    return columns[slices] ? array->rows / columns[slices] * columns[slice] * number : 0;
}

/* What a dat needs for each member of thing->set in a plane, and how many planes it has. A level is a plane where those of neighbouring
 * columns lie side by side; of a matrix by owner a point has, for each of its levels, as many rows as the longest row of
 * owner-gather has words. */
static mplan_status place_dat(const mplan_slab_proof *proof, const slab_thing *thing,
                              int64_t *member, int32_t *planes, mplan_error *err)
{
    const mplan_plan_loop *loop = &proof->plan->loops[thing->loop];
    const mplan_plan_arg *arg = &loop->args[thing->arg];
    const int64_t number = (int64_t)mplan_type_size(arg->type);
    const bool soa = arg->layout == MPLAN_LAYOUT_SOA;
    const int32_t levels = arg->layers.levels > 0 ? arg->layers.levels : 1;
    *planes = soa ? arg->dim : 1;
    *member = soa ? number : number * arg->dim;
    if (!mplan_slab_by_owner(arg)) {
        const bool apart = arg->layers.columns == MPLAN_COLUMNS_POINTS;
        *planes *= apart ? levels : 1;
        *member *= apart ? 1 : levels;
        return MPLAN_OK;
    }
    const mplan_plan_arg *to = mplan_slab_increment(loop);
    const mplan_map *map = &proof->check->maps[to->map];
    int32_t most = 0, *words = mplan_alloc_zero(proof->plan->sets[thing->set].storage_size,
                                                sizeof *words, err);
    if (!words)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        for (int32_t s = 0; s < to->layers.n_slots; s++)
            if (row[to->layers.slots[s].of] >= 0) {
                const int32_t now = ++words[row[to->layers.slots[s].of]];
                most = now > most ? now : most;
            }
    }
    free(words);
    *planes = 1;
    *member = number * (arg->dim / arg->layers.rows) * to->layers.levels * most;
    return MPLAN_OK;
}

/* Bytes of a plane of a dat before a border: of a matrix by owner whole groups of 32 levels. */
static int64_t dat_bytes(const mplan_slab_proof *proof, const slab_thing *thing, int64_t member,
                         int64_t border)
{
    const mplan_plan_loop *loop = &proof->plan->loops[thing->loop];
    if (!mplan_slab_by_owner(&loop->args[thing->arg]) ||
        border < proof->plan->sets[thing->set].storage_size)
        return border * member;
    const int64_t levels = mplan_slab_increment(loop)->layers.levels;
    return (border * levels + 31) / 32 * 32 * (member / levels);
}

/* proof->at and planes of a stream, and its bytes against the record. member: bytes of one member in one plane; 0: a
 * table of rows, whose slices may have different lengths (table_bytes). A thing without slabs has no `at`. */
static mplan_status measure(mplan_slab_proof *proof, int32_t s, const slab_thing *thing,
                            mplan_error *err)
{
    const mplan_plan *plan = proof->plan;
    const mplan_plan_stream *stream = &plan->streams[s];
    const int32_t n = proof->visit->slabs;
    int64_t bytes = 0, member = 0;
    proof->planes[s] = 1;
    if (thing->set < 0) {
        const mplan_key key = mplan_key_of_variant((mplan_kind)thing->kind, thing->loop,
                                                   plan->loops[thing->loop].default_variant);
        const mplan_array *array = mplan_plan_find_array(plan, &key);
        bytes = array->rows * (int64_t)mplan_type_size(array->type);
    } else {
        const int64_t *border = proof->offsets[thing->set];
        mplan_status status = thing->dat ? place_dat(proof, thing, &member, &proof->planes[s], err)
                                         : MPLAN_OK;
        if (thing->map >= 0)
            member = 4 * (int64_t)plan->maps[thing->map].arity;
        proof->at[s] = status ? NULL : mplan_alloc((int64_t)n + 1, sizeof(int64_t), err);
        if (!proof->at[s])
            return status ? status : MPLAN_ERR_MEMORY;
        for (int32_t b = 0; b <= n; b++)
            proof->at[s][b] = thing->dat ? dat_bytes(proof, thing, member, border[b])
                              : member   ? border[b] * member
                                         : table_bytes(proof->check, thing, border[b]);
        bytes = proof->at[s][n] * proof->planes[s];
    }
    if (stream->bytes != bytes)
        return MPLAN_DISPROVED(err, "stream %d has %" PRId64 " bytes, not %" PRId64, (int)s, bytes,
                               stream->bytes);
    return MPLAN_OK;
}

/* --- what an entry touches ------------------------------------------------------------------ */

/* Adds one thing to what entry i touches; parts of one dat are put together: the largest reach, written if any part
 * is, whole only if all are. While entry i is collected, proof->begin[i + 1] is the end of its list. A stream that is
 * met for the first time must be the next of the plan, and must name this arg or array. */
static mplan_status add(mplan_slab_proof *proof, int32_t i, const slab_thing *thing,
                        const mplan_slab_touch *like, mplan_error *err)
{
    const int32_t s = find_stream(proof->plan, thing);
    if (s < 0)
        return MPLAN_DISPROVED(err, "entry %d of the step needs %s, which has no stream", (int)i,
                               thing->dat ? thing->dat : mplan_kind_label((uint32_t)thing->kind));
    if (proof->planes[s] == 0) {
        const mplan_plan_stream *stream = &proof->plan->streams[s];
        if (s != proof->n_found++ || stream->arg != thing->arg ||
            stream->loop != (thing->map >= 0 ? -1 : thing->loop))
            return MPLAN_DISPROVED(err, "stream %d is not named by where the step touches it first",
                                   (int)s);
        mplan_status status = measure(proof, s, thing, err);
        if (status)
            return status;
    }
    proof->written[s] = proof->written[s] || like->writes;
    for (int64_t t = proof->begin[i]; t < proof->begin[i + 1]; t++) {
        mplan_slab_touch *touch = &proof->touch[t];
        if (touch->stream != s)
            continue;
        touch->reach = like->reach > touch->reach ? like->reach : touch->reach;
        touch->writes = touch->writes || like->writes;
        touch->whole = touch->whole && like->whole;
        return MPLAN_OK;
    }
    proof->touch[proof->begin[i + 1]] = *like;
    proof->touch[proof->begin[i + 1]++].stream = s;
    return MPLAN_OK;
}

/* Whether a direct arg that writes leaves no level of a column as it was: all elements have all layers, which are its levels. */
static bool writes_all(const mplan_plan *plan, const mplan_plan_loop *loop, const mplan_plan_arg *arg)
{
    const mplan_plan_set *set = &plan->sets[loop->set];
    const mplan_arg_layers *layers = &arg->layers;
    if (layers->levels == 0)
        return true;
    return layers->levels == set->layers && !set->layers_ranged && !set->layers_masked &&
           layers->n_slots == 1 && layers->stride == 1 && layers->slots[0].offset == 0;
}

/* Dats: a row computes the elements of its point, which lie in its slab or beside, as do their points. What a row adds
 * goes to its own point. */
static mplan_status add_dats(mplan_slab_proof *proof, int32_t i, mplan_error *err)
{
    const mplan_plan *plan = proof->plan;
    const mplan_step_entry *entry = &plan->step[i];
    const mplan_plan_loop *loop = &plan->loops[entry->loop];
    const bool owners = mplan_strategy_has(loop->variants[loop->default_variant].strategy,
                                           MPLAN_TRAIT_OWNERS);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL)
            continue;
        const bool direct = arg->map < 0, adds = !direct && mplan_access_adds(arg->access);
        const bool owned = mplan_slab_by_owner(arg); /* the rows of a point are read by it only */
        const bool zeroed = entry->clear && strcmp(loop->args[entry->clear - 1].dat, arg->dat) == 0;
        const slab_thing thing = {.dat = arg->dat,
                                  .map = -1,
                                  .loop = entry->loop,
                                  .arg = a,
                                  .set = owned    ? plan->maps[mplan_slab_increment(loop)->map].to
                                         : direct ? loop->set
                                                  : plan->maps[arg->map].to};
        const mplan_slab_touch touch = {.reach = owners ? (adds || owned ? 0 : 1) : (direct ? 0 : 1),
                                        .writes = arg->access != MPLAN_READ,
                                        .whole = zeroed || (direct && arg->access == MPLAN_WRITE &&
                                                            writes_all(plan, loop, arg))};
        status = add(proof, i, &thing, &touch, err);
    }
    return status;
}

/* Whether rows of maps are read: with windows16 only in slices without windows. */
static bool reads_maps(const mplan_plan *plan, int32_t l)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_key key = mplan_key_of_variant(MPLAN_KIND_OWNER_PLAIN, l, loop->default_variant);
    const mplan_array *plain = mplan_plan_find_array(plan, &key);
    return !mplan_strategy_has(loop->variants[loop->default_variant].strategy, MPLAN_TRAIT_OWNERS) ||
           loop->variants[loop->default_variant].encoding != MPLAN_ENCODING_WINDOWS16 ||
           (plain && plain->rows > 0);
}

/* Maps of the args, and tables of the variant; those with a number or less for a slice have no slabs. */
static mplan_status add_arrays(mplan_slab_proof *proof, int32_t i, mplan_error *err)
{
    const mplan_plan *plan = proof->plan;
    const int32_t l = plan->step[i].loop;
    const mplan_plan_loop *loop = &plan->loops[l];
    const bool owners = mplan_strategy_has(loop->variants[loop->default_variant].strategy,
                                           MPLAN_TRAIT_OWNERS);
    mplan_slab_touch touch = {.reach = owners};
    mplan_status status = MPLAN_OK;
    int32_t rows = loop->set;
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        const int32_t map = loop->args[a].map;
        const slab_thing thing = {NULL, MPLAN_KIND_MAP_VALUES, map, l, loop->set, -1};
        if (map >= 0 && mplan_access_adds(loop->args[a].access))
            rows = plan->maps[map].to;
        if (map >= 0 && reads_maps(plan, l))
            status = add(proof, i, &thing, &touch, err);
    }
    for (int32_t kind = MPLAN_KIND_OWNER_OFFSETS;
         kind <= MPLAN_KIND_OWNER_PLAIN && owners && !loop->layering && !status; kind++) {
        const mplan_key key = mplan_key_of_variant((mplan_kind)kind, l, loop->default_variant);
        const bool by_row = kind == MPLAN_KIND_OWNER_ENTRIES || kind == MPLAN_KIND_OWNER_ROW_START ||
                            kind == MPLAN_KIND_OWNER_POINTS || kind == MPLAN_KIND_OWNER_WINDOWS;
        const slab_thing thing = {NULL, kind, -1, l, by_row ? rows : -1, -1};
        touch.reach = kind ==
                      MPLAN_KIND_OWNER_ROW_START; /* the lower of two points, which may be the other */
        if (mplan_plan_find_array(plan, &key))
            status = add(proof, i, &thing, &touch, err);
    }
    return status;
}

/* --- what records say -------------------------------------------------------------------------- */

/* Ways of a stream that the step writes: out at each visit; or, where the first entry that touches it writes it whole,
 * at the last one. */
static int32_t ways_due(const mplan_slab_proof *proof, int32_t s)
{
    if (!proof->written[s])
        return MPLAN_STREAM_IN;
    for (int64_t t = 0; t < proof->begin[proof->plan->n_step]; t++)
        if (proof->touch[t].stream == s)
            return proof->touch[t].whole ? MPLAN_STREAM_LAST : MPLAN_STREAM_IN | MPLAN_STREAM_OUT;
    return 0;
}

/* The first and the last slab, beside those of a segment, that launches touch: the least of shift - reach in the first
 * step of the visit, and the largest of shift + reach in the last, which is (steps - 1) x step_shift behind. */
static void ends_due(const mplan_slab_proof *proof, int32_t s, int64_t *enters, int64_t *leaves)
{
    const mplan_plan *plan = proof->plan;
    const int64_t last = (int64_t)(proof->visit->steps - 1) * proof->visit->step_shift;
    *enters = INT64_MAX;
    *leaves = INT64_MIN;
    for (int32_t i = 0; i < plan->n_step; i++)
        for (int64_t t = proof->begin[i]; t < proof->begin[i + 1]; t++) {
            const int64_t shift = plan->step[i].shift, reach = proof->touch[t].reach;
            if (proof->touch[t].stream != s)
                continue;
            *enters = shift - reach < *enters ? shift - reach : *enters;
            *leaves = shift + last + reach > *leaves ? shift + last + reach : *leaves;
        }
}

/* A stream against what is due: whatever stays whole on the device is never written. */
static mplan_status check_record(const mplan_slab_proof *proof, int32_t s, mplan_error *err)
{
    const mplan_plan_stream *stream = &proof->plan->streams[s];
    int64_t enters, leaves;
    if (proof->planes[s] == 0)
        return MPLAN_DISPROVED(err, "stream %d is of nothing that the step touches", (int)s);
    const bool resident = stream->ways == MPLAN_STREAM_RESIDENT;
    if (!proof->at[s]) /* the small tables of slices */
        return resident && stream->window == stream->bytes && !stream->enters && !stream->leaves
                   ? MPLAN_OK
                   : MPLAN_DISPROVED(err, "stream %d has no slabs, but does not stay on the device",
                                     (int)s);
    if (resident ? proof->written[s] || stream->window != stream->bytes
                 : stream->ways != ways_due(proof, s))
        return MPLAN_DISPROVED(err, "stream %d does not go in and out as its accesses need", (int)s);
    ends_due(proof, s, &enters, &leaves);
    if (stream->enters != enters || stream->leaves != leaves)
        return MPLAN_DISPROVED(err,
                               "stream %d enters and leaves at %d and %d, but is touched from %" PRId64
                               " to %" PRId64,
                               (int)s, (int)stream->enters, (int)stream->leaves, enters, leaves);
    if (!resident && (stream->window <= 0 || stream->window % ((int64_t)proof->planes[s] << 16) != 0))
        return MPLAN_DISPROVED(err, "stream %d has a window that is not of whole 64 KiB", (int)s);
    return MPLAN_OK;
}

/* Totals of the visit's record. */
static mplan_status check_totals(const mplan_slab_proof *proof, mplan_error *err)
{
    const mplan_plan_visit *visit = proof->visit;
    int64_t in = 0, out = 0, last = 0, host = 0, peak = mplan_check_kept_bytes(proof->plan);
    for (int32_t s = 0; s < proof->plan->n_streams; s++) {
        const mplan_plan_stream *stream = &proof->plan->streams[s];
        in += stream->ways & MPLAN_STREAM_IN ? stream->bytes : 0;
        out += stream->ways & MPLAN_STREAM_OUT ? stream->bytes : 0;
        last += stream->ways & MPLAN_STREAM_LAST ? stream->bytes : 0;
        host += stream->arg >= 0 ? stream->bytes : 0;
        peak += stream->window;
    }
    if (in != visit->in_bytes || out != visit->out_bytes || last != visit->last_bytes ||
        host != visit->host_bytes)
        return MPLAN_DISPROVED(err,
                               "the visit moves %" PRId64 " bytes in and %" PRId64
                               " out, which is not what it says",
                               in, out);
    if (peak != visit->peak_bytes)
        return MPLAN_DISPROVED(err, "all that is on the device has %" PRId64 " bytes, not %" PRId64,
                               peak, visit->peak_bytes);
    if (peak > visit->device_memory)
        return MPLAN_DISPROVED(err,
                               "all that is on the device has %" PRId64
                               " bytes, more than the %" PRId64 " of the limit",
                               peak, visit->device_memory);
    return MPLAN_OK;
}

/* Room for what entries touch: a dat and a map for each arg, and the nine tables of owner-gather. The caller releases
 * the arrays of *proof, also after a failure. */
mplan_status mplan_check_streams(mplan_slab_proof *proof, mplan_error *err)
{
    const mplan_plan *plan = proof->plan;
    int64_t most = 0;
    for (int32_t i = 0; i < plan->n_step; i++)
        most += 2 * (int64_t)plan->loops[plan->step[i].loop].n_args + 16;
    proof->begin = mplan_alloc_zero((int64_t)plan->n_step + 1, sizeof *proof->begin, err);
    proof->touch = mplan_alloc_zero(most, sizeof *proof->touch, err);
    proof->at = mplan_alloc_zero(plan->n_streams, sizeof *proof->at, err);
    proof->planes = mplan_alloc_zero(plan->n_streams, sizeof *proof->planes, err);
    proof->written = mplan_alloc_zero(plan->n_streams, sizeof *proof->written, err);
    mplan_status status = proof->begin && proof->touch && proof->at && proof->planes && proof->written
                              ? MPLAN_OK
                              : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_step && !status; i++) {
        proof->begin[i + 1] = proof->begin[i];
        status = add_dats(proof, i, err);
        if (!status)
            status = add_arrays(proof, i, err);
    }
    for (int32_t s = 0; s < plan->n_streams && !status; s++)
        status = check_record(proof, s, err);
    return !status ? check_totals(proof, err) : status;
}
