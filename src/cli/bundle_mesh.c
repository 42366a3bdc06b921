/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_mesh.c - the mesh and the loops that a bundle was made from, put together again from its parts
 *
 * A part has the rows of the elements that it owns in its stored order; GLOBAL_ID says which members of the whole mesh they and
 * their points are. Rows of maps without an arity are measured in a first pass over the parts. Plans need not have been
 * proved: every number is compared with its range. */
#include "cli/bundle_mesh.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* A map of the whole mesh while it is filled. */
typedef struct whole_map {
    const mplan_bundle_map *about;
    int64_t *offsets; /* rows + 1; of maps without an arity only: at first the length of row r at r + 1 */
    int32_t *values;
} whole_map;

/* ids: by set, of each stored member of the part at hand its number in the whole mesh. */
typedef struct joining {
    const mplan_bundle *bundle;
    const mplan_context *context;
    int32_t n_sets, n_maps, part;
    whole_map *maps;
    int64_t **ids;
} joining;

static mplan_status no_memory(mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_MEMORY, "info: out of memory");
}

static mplan_status wrong(const joining *in, const char *what, mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_CORRUPT,
                    "part %d: %s do not fit those of other parts; meshplan verify says more",
                    (int)in->part, what);
}

/* --- numbers of a part in the whole mesh ------------------------------------------------- */

static void free_ids(joining *in)
{
    for (int32_t s = 0; s < in->n_sets; s++) {
        free(in->ids[s]);
        in->ids[s] = NULL;
    }
}

/* GLOBAL_ID is in the order of the part's mesh, maps in the stored order. */
static mplan_status list_ids(joining *in, const mplan_plan *plan, mplan_error *err)
{
    free_ids(in);
    for (int32_t s = 0; s < in->n_sets; s++) {
        mplan_key ids = MPLAN_KEY_INIT(MPLAN_KIND_GLOBAL_ID),
                  order = MPLAN_KEY_INIT(MPLAN_KIND_NEW_OF_OLD);
        ids.set = order.set = (uint32_t)s;
        const mplan_array *id = mplan_plan_find_array(plan, &ids),
                          *place = mplan_plan_find_array(plan, &order);
        const int64_t n = mplan_plan_get_set(plan, s)->size,
                      total = mplan_bundle_get_set(in->bundle, s)->total;
        if (!id || !place || id->rows != n || place->rows != n || id->type != MPLAN_TYPE_I64 ||
            place->type != MPLAN_TYPE_I32 || mplan_plan_get_set(plan, s)->part.owned > n)
            return wrong(in, "numbers of members", err);
        int64_t *out = in->ids[s] = malloc(((size_t)n + 1) * sizeof *out);
        if (!out)
            return no_memory(err);
        for (int64_t i = 0; i < n; i++)
            out[i] = -1;
        for (int64_t i = 0; i < n; i++) {
            const int32_t at = ((const int32_t *)place->data)[i];
            const int64_t member = ((const int64_t *)id->data)[i];
            if (at < 0 || at >= n || member < 0 || member >= total)
                return wrong(in, "numbers of members", err);
            out[at] = member;
        }
    }
    return MPLAN_OK;
}

/* --- rows ------------------------------------------------------------------------------- */

/* The rows that the part owns: with `values` NULL their lengths, else their entries. */
static mplan_status take_rows(joining *in, const mplan_plan *plan, int32_t m, mplan_error *err)
{
    const whole_map *out = &in->maps[m];
    const mplan_map map = mplan_plan_stored_map(plan, m);
    const mplan_plan_map *about = mplan_plan_get_map(plan, m);
    if (about->from != out->about->from || about->to != out->about->to ||
        about->arity != out->about->arity || !map.values ||
        map.n_rows != mplan_plan_get_set(plan, about->from)->size)
        return wrong(in, "maps", err);
    const int64_t owned = mplan_plan_get_set(plan, about->from)->part.owned,
                  points = mplan_plan_get_set(plan, about->to)->size;
    mplan_key places = MPLAN_KEY_INIT(MPLAN_KIND_PART_PLACES);
    places.set = (uint32_t)about->from;
    const mplan_array *place = mplan_plan_find_array(plan,
                                                     &places); /* NULL: what is owned is stored first */
    if (place && (place->rows != map.n_rows || place->type != MPLAN_TYPE_I32))
        return wrong(in, "places of members", err);
    for (int64_t i = 0; i < owned; i++) {
        int32_t n;
        const int64_t r = place ? ((const int32_t *)place->data)[i] : i;
        if (r < 0 || r >= map.n_rows)
            return wrong(in, "places of members", err);
        const int32_t *row = mplan_map_row(&map, r, &n);
        const int64_t element = in->ids[about->from][r];
        if (element < 0)
            return wrong(in, "numbers of members", err);
        if (!out->values) {
            out->offsets[element + 1] = n;
            continue;
        }
        const int64_t at = out->offsets ? out->offsets[element] : element * map.arity;
        if (out->offsets && out->offsets[element + 1] - at != n)
            return wrong(in, "rows", err);
        for (int32_t k = 0; k < n; k++) {
            if (row[k] >= points)
                return wrong(in, "rows", err);
            out->values[at + k] = row[k] < 0 ? -1 : (int32_t)in->ids[about->to][row[k]];
        }
    }
    return MPLAN_OK;
}

/* One pass over all parts: maps that have no values yet are measured, if `lengths`, the others filled. */
static mplan_status pass(joining *in, bool lengths, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (in->part = 0; in->part < mplan_bundle_n_parts(in->bundle) && !status; in->part++) {
        mplan_plan *plan = NULL;
        status = mplan_bundle_read_part(in->bundle, in->part, in->context, &plan, err);
        if (!status)
            status = list_ids(in, plan, err);
        for (int32_t m = 0; m < in->n_maps && !status; m++)
            if (!lengths || in->maps[m].offsets)
                status = take_rows(in, plan, m, err);
        mplan_plan_free(plan);
    }
    return status;
}

/* Values of maps, each entry -1 until its row comes. */
static mplan_status make_values(joining *in, mplan_error *err)
{
    for (int32_t m = 0; m < in->n_maps; m++) {
        whole_map *map = &in->maps[m];
        const int64_t rows = mplan_bundle_get_set(in->bundle, map->about->from)->total;
        for (int64_t r = 0; map->offsets && r < rows; r++)
            map->offsets[r + 1] += map->offsets[r];
        const int64_t n = map->offsets ? map->offsets[rows] : rows * map->about->arity;
        map->values = malloc(((size_t)n + 1) * sizeof *map->values);
        if (!map->values)
            return no_memory(err);
        memset(map->values, 0xff, ((size_t)n + 1) * sizeof *map->values);
    }
    return MPLAN_OK;
}

/* --- the mesh ----------------------------------------------------------------------------- */

/* Room for maps, and refusal of what a mesh of this process cannot be. */
static mplan_status begin(joining *in, const char *what, mplan_error *err)
{
    in->n_sets = mplan_bundle_n_sets(in->bundle);
    in->n_maps = mplan_bundle_n_maps(in->bundle);
    in->maps = calloc((size_t)in->n_maps + 1, sizeof *in->maps);
    in->ids = calloc((size_t)in->n_sets + 1, sizeof *in->ids);
    if (!in->maps || !in->ids)
        return no_memory(err);
    for (int32_t s = 0; s < in->n_sets; s++)
        if (mplan_bundle_get_set(in->bundle, s)->total > INT32_MAX)
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "info: %s: set %s has more than 2^31 - 1 members", what,
                            mplan_bundle_get_set(in->bundle, s)->name);
    for (int32_t m = 0; m < in->n_maps; m++) {
        whole_map *map = &in->maps[m];
        map->about = mplan_bundle_get_map(in->bundle, m);
        if (map->about->arity > 0)
            continue;
        const int64_t rows = mplan_bundle_get_set(in->bundle, map->about->from)->total;
        map->offsets = calloc((size_t)rows + 1, sizeof *map->offsets);
        if (!map->offsets)
            return no_memory(err);
    }
    return MPLAN_OK;
}

static mplan_status make_mesh(const joining *in, mplan_mesh **mesh, mplan_error *err)
{
    mplan_status status = mplan_mesh_create(mesh, err);
    for (int32_t s = 0; s < in->n_sets && !status; s++) {
        const mplan_bundle_set *set = mplan_bundle_get_set(in->bundle, s);
        status = mplan_mesh_add_set(*mesh, set->name, set->total, NULL, err);
    }
    for (int32_t m = 0; m < in->n_maps && !status; m++) {
        const mplan_bundle_map *map = in->maps[m].about;
        status = mplan_mesh_add_map(*mesh, map->name, map->from, map->to, map->arity,
                                    in->maps[m].offsets, in->maps[m].values, NULL, err);
    }
    return status;
}

/* --- loops --------------------------------------------------------------------------------- */

static void copy_arg(const mplan_plan *plan, const mplan_plan_arg *from, mplan_arg *to)
{
    *to = (mplan_arg){.dat = from->dat,
                      .map = from->map >= 0 ? mplan_plan_get_map(plan, from->map)->name
                             : from->map == MPLAN_MAP_GLOBAL ? MPLAN_GLOBAL
                                                             : NULL,
                      .access = from->access,
                      .dim = from->dim,
                      .type = from->type,
                      .none = from->none};
}

/* As the plan of part 0 has them. */
static mplan_status list_loops(const char *what, cli_bundle_mesh *out, mplan_error *err)
{
    const mplan_plan *plan = out->plan;
    int64_t n_args = 0;
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++)
        if (mplan_plan_get_set(plan, s)->split[0])
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "info: %s: set %s was split, which this cannot do again", what,
                            mplan_plan_get_set(plan, s)->name);
    out->n_loops = mplan_plan_n_loops(plan);
    for (int32_t l = 0; l < out->n_loops; l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        if (loop->layering != MPLAN_LAYERING_NONE)
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "info: %s is for loops without layers, and %s has some", what,
                            loop->name);
        n_args += loop->n_args;
    }
    out->loops = calloc((size_t)out->n_loops + 1, sizeof *out->loops);
    out->args = calloc((size_t)n_args + 1, sizeof *out->args);
    if (!out->loops || !out->args)
        return no_memory(err);
    mplan_arg *arg = out->args;
    for (int32_t l = 0; l < out->n_loops; l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        out->loops[l] = (mplan_loop){.name = loop->name,
                                     .over = mplan_plan_get_set(plan, loop->set)->name,
                                     .primary = loop->primary,
                                     .calls = loop->calls,
                                     .flops = loop->flops,
                                     .n_args = loop->n_args,
                                     .args = arg};
        for (int32_t a = 0; a < loop->n_args; a++)
            copy_arg(plan, &loop->args[a], arg++);
    }
    return MPLAN_OK;
}

mplan_status cli_bundle_mesh_create(const mplan_bundle *bundle, const char *what,
                                    const mplan_context *context, cli_bundle_mesh *out,
                                    mplan_error *err)
{
    assert(bundle && what && out);
    joining in = {.bundle = bundle, .context = context};
    *out = (cli_bundle_mesh){.mesh = NULL};
    mplan_status status = mplan_bundle_read_part(bundle, 0, context, &out->plan, err);
    if (!status)
        status = list_loops(what, out, err);
    if (!status)
        status = begin(&in, what, err);
    bool ragged = false;
    for (int32_t m = 0; m < in.n_maps && !status; m++)
        ragged = ragged || in.maps[m].offsets;
    if (!status && ragged)
        status = pass(&in, true, err);
    if (!status)
        status = make_values(&in, err);
    if (!status)
        status = pass(&in, false, err);
    if (!status)
        status = make_mesh(&in, &out->mesh, err);
    for (int32_t m = 0; m < in.n_maps && in.maps; m++) {
        free(in.maps[m].offsets);
        free(in.maps[m].values);
    }
    if (in.ids)
        free_ids(&in);
    free(in.ids);
    free(in.maps);
    return status;
}

void cli_bundle_mesh_free(cli_bundle_mesh *mesh)
{
    assert(mesh);
    mplan_mesh_free(mesh->mesh);
    mplan_plan_free(mesh->plan);
    free(mesh->loops);
    free(mesh->args);
    *mesh = (cli_bundle_mesh){.mesh = NULL};
}
