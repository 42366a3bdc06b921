/* SPDX-License-Identifier: Apache-2.0 */
/* dats.c - the data that loops work on: declared, copied in and out, filled
 *
 * The caller's rows are in the mesh's order, member by member; a dat is in
 * the plan's order and its own layout. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "exec/exec.h"
#include "exec/dat_levels.h"
#include "exec/exec_visit.h"

/* Number of the dat, -1 if it has not been declared. */
int32_t mplan_exec_find_dat(const mplan_exec *exec, const char *name)
{
    assert(exec && name);
    for (int32_t d = 0; d < exec->n_dats; d++)
        if (strcmp(exec->dats[d].name, name) == 0)
            return d;
    return -1;
}

/* In numbers: component c of the member at place p is data[p * *member + c * *component]. */
void mplan_exec_strides(const mplan_exec_dat *dat, int64_t *member, int64_t *component)
{
    assert(dat && member && component);
    bool soa = dat->layout == MPLAN_LAYOUT_SOA;
    *member = soa ? 1 : dat->dim;
    *component = soa ? dat->storage_size : 1;
}

/* The set whose members the arg's dat has; -1: a global. */
static int32_t set_of_arg(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t a)
{
    int32_t map = loop->args[a].map;
    if (map == MPLAN_MAP_GLOBAL)
        return -1;
    return map < 0 ? loop->set : mplan_plan_get_map(plan, map)->to;
}

/* What the plan's loops know of a dat; false when they do not name it. */
static bool find_advice(const mplan_plan *plan, const char *name, mplan_exec_dat *advice)
{
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args; a++) {
            const mplan_plan_arg *arg = &loop->args[a];
            if (strcmp(arg->dat, name) != 0)
                continue;
            advice->set = set_of_arg(plan, loop, a);
            advice->dim = arg->dim;
            advice->type = arg->type;
            advice->layout = arg->layout;
            return true;
        }
    }
    return false;
}

/* What the caller says against what the plan says. */
static mplan_status compare_advice(const mplan_plan *plan, const mplan_exec_dat *dat,
                                   const mplan_exec_dat *advice, mplan_error *err)
{
    if (dat->set == advice->set && dat->dim == advice->dim && dat->type == advice->type)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "dat %s is %d x %s on set %s in the plan, not %d x %s on set %s", dat->name,
                      (int)advice->dim, mplan_type_name(advice->type),
                      mplan_exec_set_name(plan, advice->set), (int)dat->dim,
                      mplan_type_name(dat->type), mplan_exec_set_name(plan, dat->set));
}

/* dat: as it would be; its set is -1 if the plan has none of that name. */
static mplan_status check_declaration(const mplan_exec *exec, const char *name, const char *set,
                                      const mplan_exec_dat *dat, int32_t layout, mplan_error *err)
{
    if (mplan_exec_find_dat(exec, name) >= 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is already declared", name);
    if (dat->set < 0 && set)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s: the plan has no set %s", name, set);
    if (dat->dim < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s cannot have %d numbers per member", name,
                          (int)dat->dim);
    if (!mplan_type_name(dat->type))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s: there is no type number %d", name,
                          (int)dat->type);
    if (layout < -1 || layout >= MPLAN_N_LAYOUTS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s: there is no layout number %d", name,
                          (int)layout);
    return MPLAN_OK;
}

/* Zeros the dat, holes included, which reductions and padded reads rely on. */
static mplan_status clear(const mplan_exec *exec, mplan_exec_dat *dat, mplan_error *err)
{
    int64_t bytes = mplan_exec_dat_bytes(dat);
    if (dat->stored) /* the file begins with zeros */
        return MPLAN_OK;
    if (dat->set < 0 ? exec->executor == MPLAN_EXECUTOR_CUDA : mplan_exec_dats_on_device(exec))
        return bytes > 0 ? mplan_gpu_set(dat->data, 0, bytes, err) : MPLAN_OK;
    memset(dat->data, 0, (size_t)bytes);
    return MPLAN_OK;
}

/* Fills *made, which no list holds yet. The layout is the caller's (layout at least 0), else
 * the one that the plan advises, else rows. After success made->name is the caller's to free. */
mplan_status mplan_exec_describe(mplan_exec *exec, const char *dat, const char *set, int32_t dim,
                                 mplan_type type, int32_t layout, mplan_exec_dat *made,
                                 mplan_error *err)
{
    assert(exec && dat && made);
    *made = (mplan_exec_dat){.set = set ? mplan_plan_find_set(exec->plan, set) : -1,
                             .dim = dim,
                             .type = type,
                             .storage_size = 1};
    mplan_status status = check_declaration(exec, dat, set, made, layout, err);
    if (!status)
        status = mplan_exec_use(exec, err);
    if (!status && set)
        status = mplan_exec_check_order(exec, made->set, err);
    if (status)
        return status;
    if (set)
        made->storage_size = mplan_plan_get_set(exec->plan, made->set)->storage_size;
    made->name = mplan_strdup(dat, err);
    if (!made->name)
        return MPLAN_ERR_MEMORY;
    mplan_exec_dat advice;
    if (find_advice(exec->plan, dat, &advice)) {
        made->layout = advice.layout;
        status = compare_advice(exec->plan, made, &advice, err);
    }
    if (layout >= 0 && set)
        made->layout = (mplan_layout)layout;
    if (!status)
        status = mplan_exec_take_levels(exec, made, err);
    if (status)
        free(made->name);
    return status;
}

/* Where the executor computes; with a visit members are kept in memory of the host, from which a device can copy. */
static mplan_status allocate_dat(mplan_exec *exec, mplan_exec_dat *dat, mplan_error *err)
{
    const size_t size = mplan_type_size(dat->type);
    const int64_t count = dat->storage_size * dat->dim;
    if (!exec->visit || dat->set < 0)
        return mplan_exec_allocate(exec, count, size, &dat->data, err);
    return mplan_exec_visit_allocate(exec, dat, err);
}

/* Dats of a visit are in memory of the host, pinned where it can be, since only slabs of them are on the device. */
void mplan_exec_release_dat(const mplan_exec *exec, mplan_exec_dat *dat)
{
    assert(exec && dat);
    if (exec->executor == MPLAN_EXECUTOR_CUDA && exec->visit && dat->set >= 0 && !dat->plain)
        mplan_gpu_host_free(dat->data);
    else if (exec->visit && dat->set >= 0)
        free(dat->data);
    else
        mplan_exec_release(exec, dat->data);
    dat->data = NULL;
}

/* Everything that may fail is done before the dat is listed; the room for it is made first, so
 * that no dat is lost. */
mplan_status mplan_exec_declare(mplan_exec *exec, const char *dat, const char *set, int32_t dim,
                                mplan_type type, int32_t layout, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    if (exec->parts)
        return exec->calls->declare(exec, dat, set, dim, type, layout, err);
    mplan_exec_dat made;
    mplan_status status = mplan_exec_describe(exec, dat, set, dim, type, layout, &made, err);
    if (status)
        return status;
    mplan_exec_dat *grown = mplan_realloc(exec->dats, exec->n_dats + 1, sizeof *grown, err);
    if (grown)
        exec->dats = grown;
    status = !grown ? MPLAN_ERR_MEMORY : allocate_dat(exec, &made, err);
    if (!status)
        status = clear(exec, &made, err);
    if (!status) {
        exec->dats[exec->n_dats++] = made;
        status = exec->visit && made.set >= 0 ? mplan_exec_visit_dat(exec, exec->n_dats - 1, err)
                                              : MPLAN_OK;
        exec->n_dats -= status != MPLAN_OK;
    }
    if (!status)
        return MPLAN_OK;
    mplan_exec_release_dat(exec, &made);
    mplan_owner_rows_free(made.owner);
    free(made.name);
    return status;
}

/* Every dat that a loop of the plan names. */
mplan_status mplan_exec_declare_all(mplan_exec *exec, mplan_error *err)
{
    MPLAN_NEED(exec);
    if (exec->parts)
        return exec->calls->declare_all(exec, err);
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < mplan_plan_n_loops(exec->plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(exec->plan, l);
        for (int32_t a = 0; a < loop->n_args && !status; a++) {
            const mplan_plan_arg *arg = &loop->args[a];
            if (mplan_exec_find_dat(exec, arg->dat) >= 0)
                continue;
            int32_t set = set_of_arg(exec->plan, loop, a);
            status = mplan_exec_declare(exec, arg->dat,
                                        set < 0 ? NULL : mplan_plan_get_set(exec->plan, set)->name,
                                        arg->dim, arg->type, -1, err);
        }
    }
    return status;
}

/* --- copies on the host ------------------------------------------------------- */

enum { ROWS = 1 << 13 };

/* Rows of the caller and the members that they belong to: row i is member
 * new_of_old[i]. */
typedef struct copy_work {
    const mplan_exec_dat *dat;
    const int32_t *new_of_old;
    char *rows;
    bool in;
} copy_work;

/* Visits every number: number c of mesh member i is at rows[i * dim + c]. `size`
 * is a constant where this is called, so that copies are single instructions. */
static inline void copy_numbers(const copy_work *work, int64_t begin, int64_t end, size_t size)
{
    int64_t member, component;
    int32_t dim = work->dat->dim;
    char *data = work->dat->data, *rows = work->rows;
    bool in = work->in;
    mplan_exec_strides(work->dat, &member, &component);
    for (int64_t i = begin; i < end; i++)
        for (int32_t c = 0; c < dim; c++) {
            char *own = data + (size_t)(work->new_of_old[i] * member + c * component) * size;
            char *row = rows + (size_t)(i * dim + c) * size;
            memcpy(in ? own : row, in ? row : own, size);
        }
}

/* Members [begin, end), by size of the type. */
static void copy_piece(void *data, int thread, int64_t begin, int64_t end)
{
    const copy_work *work = data;
    (void)thread;
    switch (mplan_type_size(work->dat->type)) {
    case 1: copy_numbers(work, begin, end, 1); break;
    case 2: copy_numbers(work, begin, end, 2); break;
    case 4: copy_numbers(work, begin, end, 4); break;
    default: copy_numbers(work, begin, end, 8); break;
    }
}

/* rows: the caller's, in the mesh's order, n members; in: from the caller into the dat, else the
 * way back. By threads with openmp, and for the stores of a device whose memory is limited. */
static void copy_rows(const mplan_exec *exec, const mplan_exec_dat *dat, const int32_t *new_of_old,
                      int64_t n, char *rows, bool in)
{
    copy_work work = {dat, new_of_old, rows, in};
    mplan_for(exec->team, n, ROWS, copy_piece, &work);
}

/* Only members, not holes. */
static void fill_rows(const mplan_exec_dat *dat, const int32_t *new_of_old, int64_t n, int byte)
{
    int64_t member, component;
    size_t size = mplan_type_size(dat->type);
    mplan_exec_strides(dat, &member, &component);
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dat->dim; c++)
            memset((char *)dat->data + (size_t)(new_of_old[i] * member + c * component) * size,
                   byte, size);
}

/* --- copies on either ----------------------------------------------------------- */

/* What a caller says that is at its rows. */
typedef struct caller_rows {
    int64_t n;
    int32_t dim;
    mplan_type type;
} caller_rows;

/* *new_of_old has an entry for each member of the dat's set, in the executor's memory; a global
 * has one row (*n = 1) and no order. Fails where the dat has no data yet. */
mplan_status mplan_exec_find_rows(mplan_exec *exec, const char *name, mplan_exec_dat **dat,
                                  const int32_t **new_of_old, int64_t *n, mplan_error *err)
{
    assert(exec && name && dat && new_of_old && n);
    int32_t d = mplan_exec_find_dat(exec, name);
    if (d < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not declared", name);
    *dat = &exec->dats[d];
    if (!(*dat)->data && !(*dat)->stored)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, MPLAN_NOT_RESIDENT, name);
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_settle(exec, *dat, err);
    if (status)
        return status;
    *new_of_old = NULL;
    *n = 1;
    if ((*dat)->set < 0)
        return MPLAN_OK;
    const void *order;
    status = mplan_exec_table(exec, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, (*dat)->set),
                              MPLAN_TYPE_I32, &order, n, err);
    if (!status)
        *new_of_old = order;
    return status;
}

/* The same when launches on the device are over. */
static mplan_status find_rows(mplan_exec *exec, const char *name, mplan_exec_dat **dat,
                              const int32_t **new_of_old, int64_t *n, mplan_error *err)
{
    mplan_status status = mplan_exec_find_rows(exec, name, dat, new_of_old, n, err);
    return !status && exec->executor == MPLAN_EXECUTOR_CUDA ? mplan_gpu_wait(err) : status;
}

/* What kernels that move rows need to know of a dat; it points to the dat's memory and does not own it. */
mplan_gpu_dat mplan_exec_on_device(const mplan_exec_dat *dat)
{
    assert(dat);
    return (mplan_gpu_dat){dat->data, dat->storage_size, dat->dim, dat->type, dat->layout};
}

/* Before a launch: all dats of the loop have data. A dat that was given to the caller
 * (mplan_exec_adopt with other memory, or released) has none. */
mplan_status mplan_exec_check_resident(const mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_exec_dat *dat = &bound->exec->dats[bound->dat[a]];
        if (!dat->data && !dat->stored)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s: " MPLAN_NOT_RESIDENT,
                              bound->loop->name, dat->name);
    }
    return MPLAN_OK;
}

/* Rows in mesh order pass through a buffer on the device; one of `in`, `out` is NULL. */
static mplan_status copy_device(const mplan_exec_dat *dat, const int32_t *new_of_old, int64_t n,
                                const void *in, void *out, mplan_error *err)
{
    mplan_gpu_dat own = mplan_exec_on_device(dat);
    int64_t bytes = n * dat->dim * (int64_t)mplan_type_size(dat->type);
    void *rows = NULL;
    if (bytes == 0)
        return MPLAN_OK;
    mplan_status status = mplan_gpu_alloc(bytes, &rows, err);
    if (status)
        return status;
    if (in) {
        status = mplan_gpu_upload(rows, in, bytes, err);
        if (!status)
            status = mplan_gpu_scatter_rows(&own, new_of_old, n, rows, err);
    } else {
        status = mplan_gpu_gather_rows(&own, new_of_old, n, rows, err);
        if (!status)
            status = mplan_gpu_download(out, rows, bytes, err);
    }
    if (!status)
        status = mplan_gpu_wait(err);
    mplan_gpu_free(rows);
    return status;
}

/* Rows that a caller gives must be of the dat's dim and type; the sentence names both, because
 * callers mix up numbers and types. */
mplan_status mplan_exec_compare_numbers(const mplan_exec_dat *dat, int32_t dim, mplan_type type,
                                        mplan_error *err)
{
    assert(dat);
    if (dim != dat->dim)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s has dim %d, not %d", dat->name,
                          (int)dat->dim, (int)dim);
    if (type == dat->type)
        return MPLAN_OK;
    const char *word = mplan_type_name(type);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is of type %s (%d), not %s (%d)", dat->name,
                      mplan_type_name(dat->type), (int)dat->type, word ? word : "unknown", (int)type);
}

/* The caller's rows against the dat's, whose set has n members. */
static mplan_status compare_rows(const mplan_exec *exec, const mplan_exec_dat *dat, int64_t n,
                                 const caller_rows *given, mplan_error *err)
{
    if (given->n != n && dat->set < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "global %s has one row, not %lld", dat->name,
                          (long long)given->n);
    if (dat->levels && given->n != n * dat->levels)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s has %lld rows, one for each of the %d levels of each member of set %s, "
                          "not %lld",
                          dat->name, (long long)(n * dat->levels), (int)dat->levels,
                          mplan_plan_get_set(exec->plan, dat->set)->name, (long long)given->n);
    if (given->n != n && !dat->levels)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s has %lld rows, one for each member of set %s, not %lld",
                          dat->name, (long long)n, mplan_plan_get_set(exec->plan, dat->set)->name,
                          (long long)given->n);
    return mplan_exec_compare_numbers(dat, given->dim, given->type, err);
}

/* The only row of a global. */
static mplan_status move_global(const mplan_exec *exec, const mplan_exec_dat *dat, const void *in,
                                void *out, mplan_error *err)
{
    const int64_t bytes = dat->dim * (int64_t)mplan_type_size(dat->type);
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        return in ? mplan_gpu_upload(dat->data, in, bytes, err)
                  : mplan_gpu_download(out, dat->data, bytes, err);
    memcpy(in ? dat->data : out, in ? in : dat->data, (size_t)bytes);
    return MPLAN_OK;
}

/* Rows of the caller go in or come out; one of `in`, `out` is NULL. */
static mplan_status move_rows(mplan_exec *exec, const char *dat, const void *in, void *out,
                              const caller_rows *given, mplan_error *err)
{
    mplan_exec_dat *own;
    const int32_t *new_of_old;
    int64_t n;
    mplan_status status = find_rows(exec, dat, &own, &new_of_old, &n, err);
    if (!status)
        status = compare_rows(exec, own, n, given, err);
    if (status)
        return status;
    if (n > 0 && !in && !out)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s: rows must not be NULL", dat);
    own->times += in != NULL;
    if (own->set < 0)
        return move_global(exec, own, in, out, err);
    if (mplan_exec_dats_on_device(exec) && !own->levels)
        return copy_device(own, new_of_old, n, in, out, err);
    status = mplan_exec_take_stored(exec, own, !in, err);
    if (!status && own->levels)
        status = mplan_exec_move_levels(exec, own,
                                        mplan_plan_data(exec->plan,
                                                        mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD,
                                                                         own->set),
                                                        MPLAN_TYPE_I32, NULL),
                                        n, in, out, err);
    else if (!status)
        copy_rows(exec, own, new_of_old, n, in ? (char *)(uintptr_t)in : out, in); /* in: only read */
    return mplan_exec_give_stored(exec, own, in != NULL, status, err);
}

/* n_rows, dim and type must be the dat's: a buffer of another shape is refused
 * before a byte moves. */
mplan_status mplan_exec_upload(mplan_exec *exec, const char *dat, const void *rows, int64_t n_rows,
                               int32_t dim, mplan_type type, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    if (exec->parts)
        return exec->calls->upload(exec, dat, rows, n_rows, dim, type, err);
    const caller_rows given = {n_rows, dim, type};
    return move_rows(exec, dat, rows, NULL, &given, err);
}

/* rows: n_rows times dim numbers in the mesh's order; holes are not among them. */
mplan_status mplan_exec_download(mplan_exec *exec, const char *dat, void *rows, int64_t n_rows,
                                 int32_t dim, mplan_type type, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    if (exec->parts)
        return exec->calls->download(exec, dat, rows, n_rows, dim, type, err);
    const caller_rows given = {n_rows, dim, type};
    return move_rows(exec, dat, NULL, rows, &given, err);
}

/* Bytes of every member. */
mplan_status mplan_exec_fill(mplan_exec *exec, const char *dat, int byte, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    if (exec->parts)
        return exec->calls->fill(exec, dat, byte, err);
    mplan_exec_dat *own;
    const int32_t *new_of_old;
    int64_t n;
    mplan_status status = find_rows(exec, dat, &own, &new_of_old, &n, err);
    if (status)
        return status;
    own->times++;
    const int64_t bytes = own->dim * (int64_t)mplan_type_size(own->type);
    if (own->set < 0 && exec->executor == MPLAN_EXECUTOR_CUDA)
        return mplan_gpu_set(own->data, byte, bytes, err);
    if (own->set < 0) {
        memset(own->data, byte, (size_t)bytes);
        return MPLAN_OK;
    }
    if (mplan_exec_dats_on_device(exec) && !own->levels) {
        mplan_gpu_dat device = mplan_exec_on_device(own);
        return n > 0 ? mplan_gpu_fill_rows(&device, new_of_old, n, byte, err) : MPLAN_OK;
    }
    status = mplan_exec_take_stored(exec, own, false, err);
    if (!status && own->levels)
        status = mplan_exec_fill_levels(exec, own, byte, err);
    else if (!status)
        fill_rows(own, new_of_old, n, byte);
    return mplan_exec_give_stored(exec, own, true, status, err);
}
