/* SPDX-License-Identifier: Apache-2.0 */
/* plan_cases.h - tests that plan over ranks: a mesh with loops and parts, planned by one process and by ranks together */
#ifndef MPLAN_PLAN_CASES_H
#define MPLAN_PLAN_CASES_H

#include <unistd.h>

#include "mpi/exchange.h"
#include "mpi/mpi_read.h"
#include "mpi/mpi_verify.h"
#include "mpi/mpi_write.h"
#include "over_ranks.h"

#include "mesh/mesh.h"

static mplan_error err;
static char folder[64];

/* --- requests ------------------------------------------------------------------------------------ */

enum { MOST_LOOPS = 3, MOST_ARGS = 4 };

/* A mesh, its loops, and the parts of the members of the set that is cut. */
typedef struct plan_case {
    char path[400]; /* "", or a file that ranks read by ranges */
    mplan_mesh *mesh;
    mplan_loop loops[MOST_LOOPS];
    mplan_arg args[MOST_LOOPS][MOST_ARGS];
    int32_t n_loops, n_parts;
    int64_t n;
    int32_t *part;
    mplan_plan_options options;
} plan_case;

static inline void add_loop(plan_case *c, const char *name, const char *over)
{
    c->loops[c->n_loops] = (mplan_loop){.name = name, .over = over, .calls = 1};
    c->n_loops++;
}

/* A case has been handed over as a whole: args are in it. */
static inline void point_to_args(plan_case *c)
{
    for (int32_t l = 0; l < c->n_loops; l++)
        c->loops[l].args = c->args[l];
}

/* To the loop that was added last. map NULL: direct. */
static inline void add_arg(plan_case *c, const char *dat, const char *map, mplan_access access,
                           int32_t dim)
{
    mplan_loop *loop = &c->loops[c->n_loops - 1];
    c->args[c->n_loops - 1][loop->n_args++] = (mplan_arg){.dat = dat,
                                                          .map = map,
                                                          .access = access,
                                                          .dim = dim,
                                                          .type = MPLAN_TYPE_F64,
                                                          .none = MPLAN_NONE_SKIP};
}

/* Part of each member of a set: by a rule that leaves some parts empty, or scatters all. */
static inline void add_parts(plan_case *c, const char *set, int32_t n_parts, int rule)
{
    c->n = mplan_mesh_set(c->mesh, mplan_mesh_find_set(c->mesh, set)).size;
    c->n_parts = n_parts;
    c->part = malloc((size_t)c->n * sizeof *c->part + 1);
    NEED(c->part);
    for (int64_t i = 0; i < c->n; i++)
        c->part[i] = rule == 0   ? (int32_t)(i * n_parts / c->n) /* pieces */
                     : rule == 1 ? (int32_t)(i * 7919 % n_parts) /* scattered */
                     : rule == 2
                         ? (int32_t)(i * n_parts / c->n) / 2 * 2 /* every other part is empty */
                         : n_parts - 1;                          /* all but one are empty */
}

/* --- both ways ------------------------------------------------------------------------------------------ */

/* The bytes of a file, from malloc. */
static inline char *read_all(const char *path, int64_t *size)
{
    FILE *file = fopen(path, "rb");
    NEED(file && fseek(file, 0, SEEK_END) == 0);
    *size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)*size + 1);
    NEED(bytes && fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
    return bytes;
}

static inline void write_serial(const plan_case *c, const char *path)
{
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts;
    how.n_parts = c->n_parts;
    how.n_part = c->n;
    how.part = c->part;
    NEED_DONE(mplan_parts_create(c->mesh, c->n_loops, c->loops, &c->options, &how, NULL, &parts, &err),
              &err);
    NEED_DONE(mplan_parts_write(parts, path, NULL, NULL, NULL, &err), &err);
    mplan_parts_free(parts);
}

/* From the mesh as it is dealt out to the bundle. cut: by the cut of src/mpi, not by the parts of the case. */
static inline void write_over(MPI_Comm comm, const plan_case *c, bool cut, const char *resume,
                              const char *path, mpi_written *written)
{
    static const mplan_context none = MPLAN_CONTEXT_INIT;
    int rank;
    int32_t set;
    mpi_mesh *mesh;
    mpi_parts parts;
    MPI_Comm_rank(comm, &rank);
    if (c->path[0])
        NEED_DONE(mpi_mesh_read(comm, c->path, NULL, &mesh, &err), &err);
    else
        NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? c->mesh : NULL, &mesh, &err), &err);
    NEED_DONE(mpi_parts_resolve(mesh, c->n_loops, c->loops, &parts, &err), &err);
    NEED_DONE(mpi_parts_choose(c->n_loops, c->loops, &c->options, &none, &parts, &set, &err), &err);
    const mpi_parts_options how = {
        .n_parts = c->n_parts,
        .owner = cut ? NULL
                     : c->part + mesh->sets[parts.parts->whole.p.sets[set].mesh_set].first[rank],
        .n_owner = c->n};
    NEED_DONE(mpi_parts_make(mesh, &how, &none, &parts, &err), &err);
    mpi_mesh_free(mesh);
    const mpi_write_options write = {.output = path, .resume = resume};
    NEED_DONE(mpi_parts_write(comm, &parts, &write, &none, written, &err), &err);
    mpi_parts_free(&parts);
}

static inline void compare(const char *one, const char *other)
{
    int64_t n, m;
    char *a = read_all(one, &n), *b = read_all(other, &m);
    NEED(n == m && memcmp(a, b, (size_t)n) == 0);
    free(a);
    free(b);
}

static inline void check_case(MPI_Comm comm, plan_case c)
{
    int rank;
    char one[96], all[96];
    mpi_written written;
    point_to_args(&c);
    MPI_Comm_rank(comm, &rank);
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(all, sizeof all, "%s/all", folder);
    write_over(comm, &c, false, NULL, all, &written);
    NEED(written.found == 0);
    if (rank == 0) { /* now, as it may split sets of the mesh */
        write_serial(&c, one);
        compare(one, all);
    }
    mplan_mesh_free(c.mesh);
    free(c.part);
}

/* The cut of src/mpi: the bundle of one rank, which is proved beside the mesh. */
static inline void check_cut(MPI_Comm comm, plan_case c)
{
    int rank;
    char one[96], all[96];
    mpi_written written;
    point_to_args(&c);
    MPI_Comm_rank(comm, &rank);
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(all, sizeof all, "%s/all", folder);
    write_over(comm, &c, true, NULL, all, &written);
    if (rank == 0) {
        mplan_bundle *bundle;
        write_over(MPI_COMM_SELF, &c, true, NULL, one, &written);
        compare(one, all);
        NEED_DONE(mplan_bundle_open(all, NULL, &bundle, &err), &err);
        const mplan_parts_source source = mplan_bundle_source(bundle);
        NEED_DONE(mplan_parts_verify(&source, c.mesh, -1, NULL, &err), &err);
        mplan_bundle_free(bundle);
    }
    mplan_mesh_free(c.mesh);
    free(c.part);
}

/* --- the folder ------------------------------------------------------------------------------------------ */

/* A new one of this name, on all ranks. */
static inline void make_folder(const char *name)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        const char *where = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.30s/%.16s-XXXXXX", where && *where ? where : "/tmp", name);
        NEED(mkdtemp(folder));
    }
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* With both bundles; nothing else may be in it. */
static inline void remove_folder(void)
{
    int rank;
    char path[96];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        return;
    snprintf(path, sizeof path, "%s/one", folder);
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/all", folder);
    (void)unlink(path);
    NEED(rmdir(folder) == 0);
}

#endif
