/* SPDX-License-Identifier: Apache-2.0 */
/* read_layers.c - layers of columns that a job says, for sets that are spread over ranks
 *
 * As job/job_mesh.c does it for one process: sets from files first, so that the others can follow from any of them. A table in a
 * .npy file is read by byte ranges, some rows at a time; any other by rank 0, which deals it out: such tables are text, or
 * compressed, and have no ranges. Functions are collective but where they say otherwise. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/numpy/npy_header.h"
#include "mpi/exchange.h"
#include "mpi/mpi_layers.h"
#include "mpi/read_layout.h"

/* Bytes of numbers, of 8 bytes each, that a rank has at a time. */
#define PIECE (INT64_C(4) << 20)

/* A table of a set of the mesh: of ranges, or of a mask. */
typedef struct layer_table {
    const char *path;
    int32_t set;
    bool mask;
    int32_t layers; /* 0, of ranges only: as the highest top */
} layer_table;

/* Bytes of a member in what the table becomes. */
static size_t member_bytes(const layer_table *t)
{
    return t->mask ? (size_t)mplan_mask_words(t->layers) * sizeof(uint32_t) : 2 * sizeof(int32_t);
}

/* --- by ranges ---------------------------------------------------------------------------------------- */

/* Whether the file is one of NumPy's; its array is then the layout's only one. On rank 0 only, not collective. */
static mplan_status look(const char *path, mplan_places *layout, mplan_error *err)
{
    enum { HEAD = 4096 };
    mpi_view view;
    int32_t array;
    mplan_status status = mpi_view_open(path, &view, err);
    if (status)
        return status;
    status = mpi_view_load(&view, 0, HEAD, err);
    const size_t size = (size_t)(view.size < HEAD ? view.size : HEAD);
    if (!status && mplan_npy_recognise(view.data, size))
        status = mpi_layout_array(layout, &view, true, &array, err);
    mpi_view_close(&view);
    return status;
}

/* The sentences are those of formats/weights.c. Alike on all ranks. */
static mplan_status check_shape(const mplan_places_array *a, const mpi_set *of,
                                const layer_table *t, mplan_error *err)
{
    if (a->rows == of->size && (t->mask ? a->cols == t->layers : a->cols >= 1 && a->cols <= 2))
        return MPLAN_OK;
    if (t->mask)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: %lld rows of %lld numbers; the mask of %lld %s must have a row each, of %d "
                          "numbers",
                          t->path, (long long)a->rows, (long long)a->cols, (long long)of->size,
                          of->name, (int)t->layers);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: %lld rows of %lld numbers; layers of %lld %s must have a row each, of 1 or 2 "
                      "numbers",
                      t->path, (long long)a->rows, (long long)a->cols, (long long)of->size, of->name);
}

/* Rows [begin, begin + n) of the file, of this rank, into `out`. Not collective. */
static mplan_status take_rows(const mpi_set *of, const layer_table *t, int32_t cols, int64_t begin,
                              int64_t n, const int64_t *table, void *out, mplan_error *err)
{
    int64_t wrong = 0;
    char place[MPI_LABEL];
    mplan_status status = t->mask
                              ? mplan_mask_of_rows(of->name, n, t->layers, table, out, &wrong, err)
                              : mplan_ranges_of_rows(of->name, n, cols, table,
                                                     t->layers ? t->layers : MPLAN_MAX_LAYERS, out,
                                                     &wrong, err);
    if (!status)
        return MPLAN_OK;
    snprintf(place, sizeof place, "%.4000s: row %lld", t->path, (long long)(begin + wrong + 1));
    return mplan_fail_prefix(err, status, place);
}

/* The rows of this rank, some at a time: all ranks take part as often as the one with most rows. */
static mplan_status read_ranges(const mpi_readers *readers, const mplan_places *layout,
                                const mpi_mesh *mesh, const layer_table *t, char *out,
                                mplan_error *err)
{
    const mpi_set *of = &mesh->sets[t->set];
    const mplan_places_array *a = mplan_places_get_array(layout, 0);
    const int64_t first = of->first[mesh->rank], n = of->first[mesh->rank + 1] - first;
    mplan_status status = check_shape(a, of, t, err);
    if (status)
        return status;
    const int64_t rows = PIECE / 8 > a->cols ? PIECE / 8 / a->cols : 1;
    const int64_t most = mpi_most(mesh->comm, n);
    for (int64_t at = 0; at < most && !status; at += rows) {
        const int64_t begin = at < n ? at : n, some = n - begin < rows ? n - begin : rows;
        int64_t *table = NULL;
        status = mpi_read_wholes(readers, layout, 0, first + begin, some, "a layer", 0, &table, err);
        if (!status)
            status = take_rows(of, t, (int32_t)a->cols, first + begin, some, table,
                               out + begin * (int64_t)member_bytes(t), err);
        free(table);
        status = mpi_agree(mesh->comm, status, err);
    }
    return status;
}

/* --- by rank 0 ------------------------------------------------------------------------------------------ */

/* By the serial reader, for a set of the same name and size. On rank 0 only, not collective. *made: the caller's, also after a
 * failure. */
static mplan_status read_serial(const mpi_set *of, const layer_table *t,
                                const mplan_context *context, mplan_mesh **made, mplan_error *err)
{
    mplan_status status = mplan_mesh_create(made, err);
    if (!status)
        status = mplan_mesh_add_set(*made, of->name, of->size, NULL, err);
    if (!status && t->mask)
        status = mplan_mesh_set_layers(*made, 0, t->layers, NULL, err);
    if (status)
        return status;
    return t->mask ? mplan_mesh_read_layer_mask(*made, t->path, 0, context, err)
                   : mplan_mesh_read_layers(*made, t->path, 0, t->layers, context, err);
}

/* *out: of own members, the caller's. */
static mplan_status read_and_deal(const mpi_mesh *mesh, const layer_table *t,
                                  const mplan_context *context, void **out, mplan_error *err)
{
    const mpi_set *of = &mesh->sets[t->set];
    mplan_mesh *serial = NULL;
    mpi_items got = {0};
    int64_t *counts = mplan_alloc_zero(mesh->ranks, sizeof *counts, err);
    mplan_status status = counts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && mesh->rank == 0)
        status = read_serial(of, t, context, &serial, err);
    for (int32_t r = 0; r < mesh->ranks && serial && !status; r++)
        counts[r] = of->first[r + 1] - of->first[r];
    const void *all = !serial   ? NULL
                      : t->mask ? (const void *)serial->sets[0].mask
                                : (const void *)serial->sets[0].ranges;
    status = mpi_exchange(mesh->comm, status, member_bytes(t), all, counts, &got, err);
    *out = got.data;
    got.data = NULL;
    mpi_items_free(&got);
    free(counts);
    mplan_mesh_free(serial);
    return status;
}

/* --- tables ---------------------------------------------------------------------------------------------- */

/* *out: ranges or masks of own members, the caller's. */
static mplan_status read_table(const mpi_readers *readers, const mpi_mesh *mesh, const layer_table *t,
                               const mplan_context *context, void **out, mplan_error *err)
{
    mplan_places layout;
    mplan_status status = MPLAN_OK;
    *out = NULL;
    mplan_places_begin(&layout);
    if (mesh->rank == 0)
        status = look(t->path, &layout, err);
    if (!status)
        status = mpi_layout_ask(&layout, context, err); /* on other ranks it is empty */
    status = mpi_layout_share(mesh->comm, status, &layout, err);
    if (!status && layout.arrays.count == 0) {
        status = read_and_deal(mesh, t, context, out, err);
    } else if (!status) {
        *out = mplan_alloc_zero(mpi_own_members(mesh, t->set), member_bytes(t), err);
        status = mpi_agree(mesh->comm, *out ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
        if (!status)
            status = read_ranges(readers, &layout, mesh, t, *out, err);
    }
    mplan_places_free(&layout);
    return status;
}

/* The highest top of all ranks, 1 at least, is how many layers there are where nobody says it. */
static int32_t highest_top(const mpi_mesh *mesh, int32_t set, const int32_t *ranges)
{
    const int64_t n = mpi_own_members(mesh, set);
    int64_t highest = 1;
    for (int64_t i = 0; i < n; i++)
        highest = ranges[2 * i + 1] > highest ? ranges[2 * i + 1] : highest;
    return (int32_t)mpi_most(mesh->comm, highest);
}

/* One set of the job whose layers a file tells, or a number and a mask. */
static mplan_status read_set(const mpi_readers *readers, mpi_mesh *mesh, int32_t set,
                             const mplan_job_layers *one, const mplan_context *context,
                             mplan_error *err)
{
    layer_table t = {one->file, set, false, one->layers};
    void *ranges = NULL, *mask = NULL;
    mplan_status status = one->file ? read_table(readers, mesh, &t, context, &ranges, err) : MPLAN_OK;
    if (!status && !t.layers)
        t.layers = highest_top(mesh, set, ranges);
    t.path = one->mask;
    t.mask = true;
    if (!status && one->mask)
        status = read_table(readers, mesh, &t, context, &mask, err);
    if (status) {
        free(ranges);
        free(mask);
        return status;
    }
    mpi_layers_take(mesh, set, t.layers, ranges, mask);
    return MPLAN_OK;
}

/* --- a job ------------------------------------------------------------------------------------------------ */

/* What the layers of a set name; sentences and statuses are those of job/job_mesh.c. */
static mplan_status derive_for(mpi_mesh *mesh, const char *set, const char *name, mplan_error *err)
{
    char prefix[MPLAN_ERROR_TEXT];
    const mplan_status status = mpi_mesh_derive(mesh, name, err);
    if (status != MPLAN_ERR_ARGUMENT)
        return status;
    snprintf(prefix, sizeof prefix, "layers of %s", set);
    return mplan_fail_prefix(err, MPLAN_ERR_CORRUPT, prefix);
}

/* The set of a job's layers; derived, if the mesh has cells. */
static mplan_status find_set(mpi_mesh *mesh, const char *name, int32_t *set, mplan_error *err)
{
    *set = mpi_mesh_find_set(mesh, name);
    mplan_status status = *set < 0 ? derive_for(mesh, name, name, err) : MPLAN_OK;
    if (!status && (*set = mpi_mesh_find_set(mesh, name)) < 0)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "layers of %s: there is no such set", name);
    return status;
}

/* Layers of a set by a map from it or to it. */
static mplan_status spread(mpi_mesh *mesh, int32_t set, const mplan_job_layers *one, mplan_error *err)
{
    mplan_status status = derive_for(mesh, one->set, one->map, err);
    if (status)
        return status;
    const int32_t map = mpi_mesh_find_map(mesh, one->map);
    if (map < 0 || (mesh->maps[map].from != set && mesh->maps[map].to != set))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "layers of %s: '%s' is not a map from it or to it", one->set, one->map);
    return mpi_layers_spread(mesh, map,
                             mesh->maps[map].from == set ? MPLAN_LAYERS_COMMON : MPLAN_LAYERS_SPANNED,
                             err);
}

/* Every rank has read the job, and goes the same way. */
mplan_status mpi_layers_of_job(mpi_mesh *mesh, const mplan_job *job, int32_t n_readers,
                               const mplan_context *context, mplan_error *err)
{
    assert(mesh && job);
    mpi_readers readers;
    mplan_status status = MPLAN_OK;
    int32_t set = -1;
    if (job->n_layers == 0)
        return MPLAN_OK;
    mpi_readers_open(mesh->comm, n_readers, 0, &readers);
    for (int32_t i = 0; i < job->n_layers && !status; i++) {
        if (job->layers[i].map)
            continue;
        status = find_set(mesh, job->layers[i].set, &set, err);
        if (!status)
            status = read_set(&readers, mesh, set, &job->layers[i], context, err);
    }
    for (int32_t i = 0; i < job->n_layers && !status; i++) {
        if (!job->layers[i].map)
            continue;
        status = find_set(mesh, job->layers[i].set, &set, err);
        if (!status)
            status = spread(mesh, set, &job->layers[i], err);
    }
    mpi_readers_close(&readers);
    return status;
}
