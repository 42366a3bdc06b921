/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_dats.c - dats of all parts that are open here: declared, copied in and out, filled, cleared
 *
 * Rows of callers are of whole sets in the mesh's order, or of the members that are owned here in canonical
 * order, all levels of each. Halos are not taken from a caller: an upload leaves them out of date. The exception is a matrix
 * that is stored by owner: its rows lie where sums of this part need them, so an upload of the whole set brings halos, too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* --- declarations ---------------------------------------------------------------------- */

/* All parts, or none: a dat that one part refuses stays undeclared in those behind it, so that the same
 * call fails again in the same way. */
mplan_status mplan_exec_parts_declare(mplan_exec *exec, const char *dat, const char *set,
                                      int32_t dim, mplan_type type, int32_t layout, mplan_error *err)
{
    assert(exec && dat);
    mplan_exec_parts *parts = exec->parts;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = mplan_exec_declare(mplan_exec_parts_exec(parts, i), dat, set, dim, type, layout,
                                    err);
    if (!status)
        status = mplan_exec_parts_grow(parts, err);
    if (!status)
        mplan_exec_parts_poison(parts);
    return status;
}

/* All parts declare the same dats in the same order, so a dat has one number in all of them; `states` and `dats` get
 * room for as many. Halos hold NaN until the first exchange, where poison is asked for. */
mplan_status mplan_exec_parts_declare_all(mplan_exec *exec, mplan_error *err)
{
    assert(exec);
    mplan_exec_parts *parts = exec->parts;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = mplan_exec_declare_all(mplan_exec_parts_exec(parts, i), err);
    if (!status)
        status = mplan_exec_parts_grow(parts, err);
    if (!status)
        mplan_exec_parts_poison(parts);
    return status;
}

/* --- rows of callers ------------------------------------------------------------------------ */

/* How members of a part get to rows of the caller. */
typedef struct caller_view {
    const mplan_exec_dat *dat; /* of the part */
    const int32_t *new_of_old; /* by local number of the member: its place */
    const int64_t *id;         /* likewise: its number in the whole mesh */
    int64_t n, owned;          /* members of the part's set; places below are owned */
    const int32_t *part_of;    /* place in the part order by place; NULL: they are the same */
    int64_t first; /* canonical order: row of place 0; -1: rows are in the mesh's order */
    bool halos;    /* members of halos are moved, too */
} caller_view;

/* Orders of the part's set, which binding of dats has checked to be inside it. */
static mplan_status open_view(const mplan_exec_parts *parts, int32_t i, int32_t d, bool own,
                              caller_view *view, mplan_error *err)
{
    const mplan_plan *plan = parts->here[i].plan;
    const mplan_exec_dat *dat = &mplan_exec_parts_exec(parts, i)->dats[d];
    int64_t rows = 0, ids = 0;
    *view = (caller_view){.dat = dat, .first = -1};
    if (parts->here[i].part_of)
        view->part_of = parts->here[i].part_of[dat->set];
    view->new_of_old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, dat->set),
                                       MPLAN_TYPE_I32, &rows);
    view->id = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, dat->set),
                               MPLAN_TYPE_I64, &ids);
    if (!view->new_of_old || !view->id || rows != ids)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "part %d lacks the numbers of set %s",
                          (int)parts->here[i].part, mplan_plan_get_set(plan, dat->set)->name);
    view->n = rows;
    view->owned = mplan_exec_parts_set(parts, i, dat->set)->owned;
    if (dat->owner && own)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "dat %s is stored by owner, so its rows must be those of the whole mesh",
                          dat->name);
    if (own)
        view->first = mplan_exec_parts_base(parts, dat->set, parts->here[i].part) -
                      mplan_exec_parts_begin(parts, dat->set);
    return MPLAN_OK;
}

/* Row of the caller for local member m; -1: it is not moved. */
static int64_t row_of(const caller_view *view, int64_t m)
{
    const int64_t stored = view->new_of_old[m],
                  place = view->part_of ? view->part_of[stored] : stored;
    if (place >= view->owned && !view->halos)
        return -1;
    return view->first < 0 ? view->id[m] : view->first + place;
}

/* Every row that is moved must be one of the caller's. */
static mplan_status check_view(const caller_view *view, int64_t n_rows, mplan_error *err)
{
    for (int64_t m = 0; m < view->n; m++) {
        const int64_t row = row_of(view, m);
        if (row >= n_rows || row < -1)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "dat %s: member %lld of a part has number %lld, but the set has %lld "
                              "members",
                              view->dat->name, (long long)m, (long long)row, (long long)n_rows);
    }
    return MPLAN_OK;
}

/* Levels that the caller has rows for, member by member. */
static int32_t levels_of(const mplan_exec_dat *dat)
{
    return dat->levels > 0 ? dat->levels : 1;
}

/* One part's rows; one of `in`, `out` is NULL. Halos get zeros, which are as out of date as what they had. */
static mplan_status move_part(const mplan_exec_parts *parts, int32_t i, const caller_view *view,
                              const char *in, char *out, mplan_error *err)
{
    const mplan_exec_dat *dat = view->dat;
    const int32_t levels = levels_of(dat);
    const size_t bytes = (size_t)levels * (size_t)dat->dim * mplan_type_size(dat->type);
    mplan_exec *exec = mplan_exec_parts_exec(parts, i);
    char *rows = mplan_alloc_zero(view->n, bytes, err);
    mplan_status status = rows ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && out)
        status = mplan_exec_download(exec, dat->name, rows, view->n * levels, dat->dim, dat->type,
                                     err);
    for (int64_t m = 0; m < view->n && !status; m++) {
        const int64_t row = row_of(view, m);
        if (row < 0)
            continue;
        if (in)
            memcpy(rows + (size_t)m * bytes, in + (size_t)row * bytes, bytes);
        else
            memcpy(out + (size_t)row * bytes, rows + (size_t)m * bytes, bytes);
    }
    if (!status && in)
        status = mplan_exec_upload(exec, dat->name, rows, view->n * levels, dat->dim, dat->type, err);
    free(rows);
    return status;
}

/* What the caller says of its rows. */
typedef struct said {
    int64_t n;
    int32_t dim;
    mplan_type type;
    bool own; /* rows of members owned here, in canonical order */
} said;

/* How many rows the caller must hand over: of the whole set, in the order of the mesh, or (own) of the range that the
 * parts of this process own, in canonical order. dim and type must be those of the dat. */
static mplan_status compare_rows(const mplan_exec_parts *parts, const mplan_exec_dat *dat,
                                 const said *rows, mplan_error *err)
{
    const mplan_plan_set *set = mplan_plan_get_set(parts->here[0].plan, dat->set);
    const int64_t n = rows->own ? mplan_exec_parts_end(parts, dat->set) -
                                      mplan_exec_parts_begin(parts, dat->set)
                                : mplan_exec_parts_base(parts, dat->set, parts->n_parts);
    const int32_t levels = levels_of(dat);
    if (rows->n != n * levels)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s has %lld rows, %s for each %s of set %s, not %lld", dat->name,
                          (long long)(n * levels), dat->levels ? "its levels" : "one",
                          rows->own ? "member that is owned here" : "member", set->name,
                          (long long)rows->n);
    return mplan_exec_compare_numbers(dat, rows->dim, rows->type, err);
}

/* A global is the same in all parts. */
static mplan_status move_global(mplan_exec_parts *parts, const char *dat, const void *in, void *out,
                                const said *rows, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (out)
        return mplan_exec_download(mplan_exec_parts_exec(parts, 0), dat, out, rows->n, rows->dim,
                                   rows->type, err);
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = mplan_exec_upload(mplan_exec_parts_exec(parts, i), dat, in, rows->n, rows->dim,
                                   rows->type, err);
    return status;
}

/* Between the caller's rows and all parts that are here: in is read, or out is written, the other is NULL. Each part
 * takes the rows of the members that it owns; those of halos come by the next exchange, and hold NaN until then where
 * poison is asked for. */
static mplan_status move_rows(mplan_exec *exec, const char *dat, const void *in, void *out,
                              const said *rows, mplan_error *err)
{
    mplan_exec_parts *parts = exec->parts;
    int32_t d;
    mplan_status status = mplan_exec_parts_find(exec, dat, &d, err);
    if (status)
        return status;
    const mplan_exec_dat *first = &mplan_exec_parts_exec(parts, 0)->dats[d];
    if (first->set < 0)
        return move_global(parts, dat, in, out, rows, err);
    status = compare_rows(parts, first, rows, err);
    if (!status && rows->n > 0 && !in && !out)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s: rows must not be NULL", dat);
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        caller_view view;
        status = open_view(parts, i, d, rows->own, &view, err);
        view.halos = in && view.dat->owner;
        if (!status)
            status = check_view(&view, rows->n / levels_of(view.dat), err);
        if (!status)
            status = move_part(parts, i, &view, in, out, err);
    }
    if (!status && in)
        mplan_exec_parts_poison(parts);
    return status ? status : mplan_exec_parts_peer_check(parts, err);
}

/* Rows of the whole set, also those that other ranks own: each rank may be given the same array. */
mplan_status mplan_exec_parts_upload(mplan_exec *exec, const char *dat, const void *rows,
                                     int64_t n_rows, int32_t dim, mplan_type type, mplan_error *err)
{
    assert(exec && dat);
    const said given = {n_rows, dim, type, false};
    return move_rows(exec, dat, rows, NULL, &given, err);
}

/* Writes the rows that are owned here to their places in an array of the whole set; other rows of it stay as they are. */
mplan_status mplan_exec_parts_download(mplan_exec *exec, const char *dat, void *rows, int64_t n_rows,
                                       int32_t dim, mplan_type type, mplan_error *err)
{
    assert(exec && dat);
    const said given = {n_rows, dim, type, false};
    return move_rows(exec, dat, NULL, rows, &given, err);
}

/* Calls of meshplan_ranks.h that need an executor of parts. */
static mplan_status need_parts(const mplan_exec *exec, mplan_error *err)
{
    return exec->parts ? MPLAN_OK : mplan_fail(err, MPLAN_ERR_ARGUMENT, "the executor has no parts");
}

/* A call that all ranks make. */
static mplan_status move_own(mplan_exec *exec, const char *dat, const void *in, void *out,
                             const said *rows, mplan_error *err)
{
    mplan_error late;
    err = err ? err : &late;
    mplan_status status = need_parts(exec, err);
    if (status)
        return status;
    status = mplan_exec_parts_begin_call(exec->parts, err);
    if (!status)
        status = move_rows(exec, dat, in, out, rows, err);
    return mplan_exec_parts_end_call(exec->parts, status, err);
}

/* Rows [own first, own end) only: row 0 of the array is the first member that is owned here. */
mplan_status mplan_exec_upload_own(mplan_exec *exec, const char *dat, const void *rows,
                                   int64_t n_rows, int32_t dim, mplan_type type, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    const said given = {n_rows, dim, type, true};
    return move_own(exec, dat, rows, NULL, &given, err);
}

/* Likewise; the ranges of all ranks, one after the other, are the canonical order of the set. */
mplan_status mplan_exec_download_own(mplan_exec *exec, const char *dat, void *rows, int64_t n_rows,
                                     int32_t dim, mplan_type type, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    const said given = {n_rows, dim, type, true};
    return move_own(exec, dat, NULL, rows, &given, err);
}

/* --- what is owned ------------------------------------------------------------------------------ */

/* By name; sets have the same numbers in the plans of all parts. Refused for executors without parts. */
static mplan_status find_set(const mplan_exec *exec, const char *set, int32_t *s, mplan_error *err)
{
    mplan_status status = need_parts(exec, err);
    if (status)
        return status;
    *s = mplan_plan_find_set(exec->plan, set);
    return *s >= 0 ? MPLAN_OK : mplan_fail(err, MPLAN_ERR_ARGUMENT, "the bundle has no set %s", set);
}

/* Canonical ids [*first, *end). The parts of a process follow one another, so theirs is one range. */
mplan_status mplan_exec_own_range(const mplan_exec *exec, const char *set, int64_t *first,
                                  int64_t *end, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(set);
    MPLAN_NEED(first);
    MPLAN_NEED(end);
    int32_t s;
    mplan_status status = find_set(exec, set, &s, err);
    if (status)
        return status;
    *first = mplan_exec_parts_begin(exec->parts, s);
    *end = mplan_exec_parts_end(exec->parts, s);
    return MPLAN_OK;
}

/* ids[i]: number in the mesh of the member with canonical id (own first + i). n must be as many as are owned here. */
mplan_status mplan_exec_own_ids(const mplan_exec *exec, const char *set, int64_t *ids, int64_t n,
                                mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(set);
    MPLAN_NEED(ids);
    int32_t s;
    mplan_status status = find_set(exec, set, &s, err);
    if (status)
        return status;
    const mplan_exec_parts *parts = exec->parts;
    const int64_t first = mplan_exec_parts_begin(parts, s),
                  own = mplan_exec_parts_end(parts, s) - first;
    if (n != own)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%lld members of set %s are owned here, not %lld",
                          (long long)own, set, (long long)n);
    for (int32_t i = 0; i < parts->n_here; i++) {
        const mplan_plan *plan = parts->here[i].plan;
        const int64_t base = mplan_exec_parts_base(parts, s, parts->here[i].part) - first;
        int64_t places = 0, rows = 0;
        const int32_t *old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s),
                                             MPLAN_TYPE_I32, &places);
        const int64_t *id = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s),
                                            MPLAN_TYPE_I64, &rows);
        for (int64_t p = 0; p < mplan_exec_parts_set(parts, i, s)->owned; p++) {
            const int64_t at = mplan_exec_parts_stored(&parts->here[i], s, p);
            if (!old || !id || at >= places || old[at] < 0 || old[at] >= rows)
                return mplan_fail(err, MPLAN_ERR_CORRUPT, "part %d lacks the numbers of set %s",
                                  (int)parts->here[i].part, set);
            ids[base + p] = id[old[at]];
        }
    }
    return MPLAN_OK;
}

/* --- other calls for all parts --------------------------------------------------------------- */

/* Every part has a copy of its own of a global; all of them are set, in the order of the stream. */
mplan_status mplan_exec_parts_set_global(mplan_exec *exec, const char *dat, const void *values,
                                         int32_t dim, mplan_type type, void *stream, mplan_error *err)
{
    assert(exec && dat && values);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < exec->parts->n_here && !status; i++)
        status = mplan_exec_set(mplan_exec_parts_exec(exec->parts, i), dat, values, dim, type,
                                mplan_exec_parts_stream(exec->parts, i, stream), err);
    return status;
}

/* All bytes of a dat, halos included; where poison is asked for they become NaN again. */
mplan_status mplan_exec_parts_fill(mplan_exec *exec, const char *dat, int byte, mplan_error *err)
{
    assert(exec && dat);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < exec->parts->n_here && !status; i++)
        status = mplan_exec_fill(mplan_exec_parts_exec(exec->parts, i), dat, byte, err);
    if (!status)
        mplan_exec_parts_poison(exec->parts);
    return status;
}

/* Zero for all members that are owned; what the next exchange brings is zero, too. With rings halos are zero at once: a dat is
 * cleared as a whole, or what a loop stores in its place is. */
mplan_status mplan_exec_parts_clear(mplan_exec *exec, const char *dat, void *stream, mplan_error *err)
{
    assert(exec && dat);
    mplan_status status = MPLAN_OK;
    int32_t d;
    for (int32_t i = 0; i < exec->parts->n_here && !status; i++)
        status = mplan_exec_clear(mplan_exec_parts_exec(exec->parts, i), dat,
                                  mplan_exec_parts_stream(exec->parts, i, stream), err);
    if (!status && exec->parts->rings > 0)
        status = mplan_exec_parts_find(exec, dat, &d, err);
    if (!status && exec->parts->rings > 0)
        mplan_exec_parts_set_level(exec->parts, d, exec->parts->rings + 1);
    return status;
}

/* For all devices that are used here. Then a halo that never came is an error (peer: the kernel gave up after
 * `patience`). */
mplan_status mplan_exec_parts_wait(mplan_exec *exec, mplan_error *err)
{
    assert(exec);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < exec->parts->n_here && !status; i++)
        status = mplan_exec_wait(mplan_exec_parts_exec(exec->parts, i), err);
    return status ? status : mplan_exec_parts_peer_check(exec->parts, err);
}

/* Sizes of whole sets; topologies of the parts are not the mesh's. */
mplan_status mplan_exec_parts_check_mesh(const mplan_exec *exec, mplan_mesh *mesh, mplan_error *err)
{
    assert(exec && mesh);
    const mplan_exec_parts *parts = exec->parts;
    mplan_status status = mplan_plan_prepare_mesh(exec->plan, mesh, NULL, err);
    for (int32_t s = 0; s < parts->n_sets && !status; s++) {
        const char *name = mplan_plan_get_set(exec->plan, s)->name;
        const int64_t own = mplan_exec_parts_base(parts, s, parts->n_parts);
        const int64_t size = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, name)).size;
        if (size != own)
            status = mplan_fail(err, MPLAN_ERR_OTHER_MESH,
                                "the bundle is for another mesh: set %s has %lld members in the "
                                "bundle and %lld in the mesh",
                                name, (long long)own, (long long)size);
    }
    return status;
}

/* Bytes of dats, tables and messages, without what the transport has; a mail has two rooms, used in turns. */
int64_t mplan_exec_parts_bytes(const mplan_exec *exec)
{
    assert(exec);
    int64_t bytes = 0;
    for (int32_t i = 0; i < exec->parts->n_here; i++)
        bytes += mplan_exec_bytes(exec->parts->here[i].exec);
    for (int32_t c = 0; c < exec->parts->n_channels; c++)
        bytes += exec->parts->channels[c].capacity;
    for (int64_t m = 0; m < exec->parts->n_mails; m++)
        bytes += 2 * exec->parts->mails[m].capacity;
    return bytes;
}
