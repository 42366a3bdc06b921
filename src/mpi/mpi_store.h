/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_store.h - plans of parts as files, until they are a bundle
 *
 * Each rank writes the plan of a part as soon as it is made, under a name that has the hash of all that the plan is made
 * from. A call that finds a file of that name takes it. The files are in a folder beside the output that goes with the
 * call, or with --resume in one that stays when the call fails. */
#ifndef MPLAN_MPI_STORE_H
#define MPLAN_MPI_STORE_H

#include <mpi.h>

#include "parts/parts.h"

typedef struct mpi_store {
    MPI_Comm comm;
    int32_t rank;
    char *output;   /* as the caller names it */
    char *target;   /* its name in the folder where it will be */
    char *beside;   /* that folder, absolutely */
    char *work;     /* a temporary folder in it, which holds the bundle on its way */
    char *plans;    /* where plans are: `work`, or that of --resume */
    int lock;       /* rank 0: descriptor that says the folder has a living owner; -1: none */
    uint64_t print; /* of what the plans of all parts are made from: request, versions */
    bool compress;
} mpi_store;

/* The plan of a part as a file. */
typedef struct mpi_stored {
    int32_t part;
    bool found; /* by an earlier call */
    int64_t bytes;
    uint64_t head; /* hash of its header */
    char name[64];
} mpi_stored;

/* Collective. resume: a folder, made where it is not there; NULL: none. Close it also after a failure. */
mplan_status mpi_store_open(MPI_Comm comm, const char *output, const char *resume, bool compress,
                            mpi_store *store, mplan_error *err);
/* Collective: the temporary folder goes, and after success plans that were kept to resume. */
void mpi_store_close(mpi_store *store, bool success, int32_t n, const mpi_stored *stored);

/* Not collective: what the plans of all parts depend on. */
mplan_status mpi_store_print(mpi_store *store, const mplan_parts *parts, mplan_error *err);
/* Not collective: the plan of a part becomes a file, or is found. *versions: the text of the plan, from mplan_alloc; NULL:
 * nobody asks. */
mplan_status mpi_store_plan(const mpi_store *store, mplan_part_mesh *room, int32_t part,
                            const mplan_context *context, mpi_stored *stored, char **versions,
                            mplan_error *err);
/* Not collective: its path, from mplan_alloc; NULL: no memory. */
char *mpi_store_path(const char *folder, const char *name, mplan_error *err);

#endif
