/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_write.c - parts are planned, and their plans become a bundle that is proved before it gets its name */
#include "mpi/mpi_write.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_bundle.h"
#include "mpi/mpi_stage.h"
#include "mpi/mpi_verify.h"

/* One run; stored: plans of this rank, n of them so far. stored has room for parts [begin, end). */
typedef struct writing {
    const mpi_write_options *options;
    const mplan_parts *parts;
    const uint64_t *rows; /* sums of the mesh's */
    const mplan_context *context;
    mpi_store store;
    mpi_stored *stored;
    int32_t n;
    char *versions; /* text of the plan of part 0 */
} writing;

/* Plans of this rank's parts, each a file as soon as it is made; memory holds one plan at a time.
 * Not collective: ranks plan different numbers of parts. Stops at the first part that fails;
 * w->n counts those that are done. The fault tells rank and part. */
static mplan_status plan_parts(writing *w, mplan_error *err)
{
    const mplan_parts *parts = w->parts;
    mplan_part_mesh room = {0};
    w->stored = mplan_alloc(parts->end - parts->begin, sizeof *w->stored, err);
    if (!w->stored)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_part_mesh_open(parts, &room, err);
    for (int32_t q = parts->begin; q < parts->end && !status; q++) {
        mpi_stage(q);
        if (w->options->says)
            fprintf(stderr, "meshplan-mpi: rank %d: part %d\n", (int)w->store.rank, (int)q);
        status = mpi_store_plan(&w->store, &room, q, w->context, &w->stored[w->n],
                                q ? NULL : &w->versions, err);
        w->n += !status;
        if (status) {
            char place[64];
            snprintf(place, sizeof place, "rank %d: part %d", (int)w->store.rank, (int)q);
            mplan_fail_prefix(err, status, place);
        }
    }
    if (room.parts)
        mplan_part_mesh_close(&room);
    return status;
}

/* What our own proof refutes is our fault.
 * Collective. rows: sums over rows of the whole mesh, which the bundle must come to again. err
 * must not be NULL where the proof fails. */
static mplan_status prove(MPI_Comm comm, const char *path, const uint64_t *rows,
                          const mplan_context *context, mplan_error *err)
{
    assert(err);
    mplan_status status = mpi_bundle_verify(comm, path, rows, context, err);
    if (status != MPLAN_ERR_DISPROVED)
        return status;
    mplan_error inner = *err;
    return mplan_fail(err, MPLAN_ERR_INTERNAL, "the new bundle failed its proof: %.*s",
                      (int)sizeof inner.text - 64, inner.text);
}

/* Plans, bundle, proof, name.
 * After each step all ranks agree, so that none goes on where another one failed; mpi_agree gives all of them the sentence of
 * the lowest rank that has one.
 * Collective. Only mpi_bundle_commit gives the bundle its name: before it nothing is where the
 * output goes. */
static mplan_status take_steps(MPI_Comm comm, writing *w, mpi_written *written, mplan_error *err)
{
    char *path = NULL;
    mplan_status status = mpi_store_print(&w->store, w->parts, err);
    status = mpi_agree(comm, status, err);
    if (!status) {
        status = plan_parts(w, err);
        status = mpi_agree(comm, status, err);
    }
    mpi_stage(MPI_STAGE_WRITE);
    if (!status)
        status = mpi_bundle_make(&w->store, w->parts, w->n, w->stored, w->versions, &path,
                                 &written->bytes, err);
    mpi_stage(MPI_STAGE_PROVE);
    if (!status)
        status = prove(comm, path, w->rows, w->context, err);
    if (!status)
        status = mpi_bundle_commit(&w->store, path, err);
    free(path);
    return status;
}

/* The store is closed whatever happened: its folder is what a failure would leave. After a success the plans in the folder of
 * --resume go, too.
 * Collective. *written: what all ranks together did, on every rank. */
mplan_status mpi_parts_write(MPI_Comm comm, const mpi_parts *parts, const mpi_write_options *options,
                             const mplan_context *context, mpi_written *written, mplan_error *err)
{
    assert(parts && parts->parts && options && options->output && written);
    writing w = {.options = options, .parts = parts->parts, .rows = parts->rows, .context = context};
    *written = (mpi_written){0};
    mplan_status status = mpi_store_open(comm, options->output, options->resume, options->compress,
                                         &w.store, err);
    if (!status)
        status = take_steps(comm, &w, written, err);
    mpi_store_close(&w.store, !status, w.n, w.stored);
    int64_t found = 0;
    for (int32_t i = 0; i < w.n; i++)
        found += w.stored[i].found;
    written->found = mpi_sum(comm, found);
    free(w.stored);
    free(w.versions);
    return status;
}
