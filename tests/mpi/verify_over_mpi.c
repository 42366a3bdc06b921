/* SPDX-License-Identifier: Apache-2.0 */
/* verify_over_mpi.c - bundles that are proved over ranks: the verdict and the sentence of one process
 *
 * Plans are changed in one number after they were read, or one is that of another mesh with equal sizes, which only shows
 * when all parts are together. */
#include <unistd.h>

#include "mpi/exchange.h"
#include "mpi/mpi_verify.h"
#include "over_ranks.h"

#include "mesh/mesh.h"
#include "plan/plan.h"

enum { CELLS = 40, LINKS = 2 * CELLS, PARTS = 5, CHANGES = 40, HIGH = 40 };
static mplan_error err;

static char folder[64];

/* --- bundles --------------------------------------------------------------------------------------- */

/* Columns over the links and the cells, with masks over the links; sums go to the layers of the cells. */
static const mplan_layered_loop layered_loop = {0, MPLAN_LAYERING_LAYERS};
static const mplan_layered_arg levels[] = {
    {0, 0, {.levels = HIGH, .stride = 1, .n_slots = 1, .slots = {{MPLAN_EVERY_SLOT, 0}}}},
    {0, 1, {.levels = HIGH, .stride = 1, .n_slots = 1, .slots = {{MPLAN_EVERY_SLOT, 0}}}}};
static const mplan_layers layers = {0, 1, 2, NULL, &layered_loop, levels};

/* Of the links, with one member that is `deep` otherwise. */
static void add_layers(mplan_mesh *mesh, int32_t deep)
{
    int32_t ranges[2 * LINKS];
    uint32_t mask[2 * LINKS];
    for (int32_t i = 0; i < LINKS; i++) {
        ranges[2 * i] = i % 3;
        ranges[2 * i + 1] = i % 5 == 0 ? i % 3 : i == deep ? 11 : HIGH - i % 7;
        mask[2 * i] = (uint32_t)i * UINT32_C(0x9E3779B9);
        mask[2 * i + 1] = ~mask[2 * i];
    }
    NEED_DONE(mplan_mesh_set_layers(mesh, 0, HIGH, ranges, &err), &err);
    NEED_DONE(mplan_mesh_set_layer_mask(mesh, 0, mask, &err), &err);
}

/* A ring of cells with far links; the second cell of link `moved` is another one (-1: of no link). columns: links have layers,
 * those of link `moved` others. Rank 0 writes the bundle. */
static void write_bundle(const char *path, int32_t moved, bool columns)
{
    int32_t links[2 * LINKS], part[CELLS];
    mplan_mesh *mesh;
    mplan_parts *parts;
    for (int32_t i = 0; i < LINKS; i++) {
        links[2 * i] = i / 2;
        links[2 * i + 1] = (i / 2 + (i % 2 ? 7 : 1) + (i == moved && !columns ? 2 : 0)) % CELLS;
    }
    for (int32_t i = 0; i < CELLS; i++)
        part[i] = i * PARTS / CELLS;
    NEED_DONE(mplan_mesh_create(&mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "links", LINKS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &err), &err);
    const mplan_arg args[] = {
        {.dat = "q", .map = "links_cells", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "r", .map = "links_cells", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64}};
    const mplan_loop loop = {.name = "flux", .over = "links", .calls = 1, .n_args = 2, .args = args};
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    if (columns)
        add_layers(mesh, moved);
    options.layers = columns ? &layers : NULL;
    how.n_parts = PARTS;
    how.n_part = CELLS;
    how.part = part;
    NEED_DONE(mplan_parts_create(mesh, 1, &loop, &options, &how, NULL, &parts, &err), &err);
    NEED_DONE(mplan_parts_write(parts, path, NULL, NULL, NULL, &err), &err);
    mplan_parts_free(parts);
    mplan_mesh_free(mesh);
}

/* A chain of cells whose parts have slabs; steps of a visit, 0: chosen. Rank 0 writes the bundle. */
static void write_visits(const char *path, int32_t steps)
{
    enum { LONG = 3000 };
    static const int32_t step[] = {0, 1}, clears[] = {1, -1};
    int32_t *links = malloc(2 * LONG * sizeof *links), *part = malloc(LONG * sizeof *part);
    mplan_mesh *mesh;
    mplan_parts *parts;
    NEED(links && part);
    for (int32_t i = 0; i < LONG; i++) {
        links[2 * i] = i;
        links[2 * i + 1] = i + 1;
        part[i] = i * PARTS / LONG;
    }
    NEED_DONE(mplan_mesh_create(&mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "links", LONG - 1, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "cells", LONG, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &err), &err);
    const mplan_arg flux[] = {
        {.dat = "q", .map = "links_cells", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "r", .map = "links_cells", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64}};
    const mplan_arg move[] = {{.dat = "r", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
                              {.dat = "q", .access = MPLAN_RW, .dim = 1, .type = MPLAN_TYPE_F64}};
    const mplan_loop loops[] = {
        {.name = "flux", .over = "links", .primary = true, .calls = 1, .n_args = 2, .args = flux},
        {.name = "move", .over = "cells", .calls = 1, .n_args = 2, .args = move}};
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_step = 2;
    options.step = step;
    options.step_clears = clears;
    options.device_memory = 4 << 20;
    options.rings = 3;
    options.steps_per_visit = steps;
    how.n_parts = PARTS;
    how.n_part = LONG;
    how.part = part;
    NEED_DONE(mplan_parts_create(mesh, 2, loops, &options, &how, NULL, &parts, &err), &err);
    NEED_DONE(mplan_parts_write(parts, path, NULL, NULL, NULL, &err), &err);
    mplan_parts_free(parts);
    mplan_mesh_free(mesh);
    free(links);
    free(part);
}

/* What a proof reads: plans of one bundle, of which that of part `at` is changed in one number, or is another bundle's. */
typedef struct changed {
    mplan_bundle *bundle, *other; /* other NULL: changed */
    int32_t at;
    uint64_t seed;
    int64_t reads;
} changed;

/* One number of one array, by the seed. */
static void change(mplan_plan *plan, uint64_t seed)
{
    mplan_array *array;
    do
        array = &plan->arrays[mplan_random_below(&seed, plan->n_arrays)];
    while (array->rows * array->cols == 0);
    const size_t size = mplan_type_size(array->type);
    uint8_t *number = (uint8_t *)(uintptr_t)array->data +
                      (size_t)mplan_random_below(&seed, array->rows * array->cols) * size;
    number[0] ^= (uint8_t)(1 << mplan_random_below(&seed, 3));
}

static mplan_status read_part(void *user, int32_t part, const mplan_context *context,
                              mplan_plan **plan, mplan_error *why)
{
    changed *c = user;
    c->reads++;
    const bool here = part == c->at;
    mplan_status status = mplan_bundle_read_part(here && c->other ? c->other : c->bundle, part,
                                                 context, plan, why);
    if (!status && here && !c->other)
        change(*plan, c->seed);
    if (!status && here &&
        c->other) { /* with the request of the right one, which says what columns there are */
        mplan_plan *right;
        status = mplan_bundle_read_part(c->bundle, part, context, &right, why);
        if (!status) {
            status = mplan_plan_set_texts(*plan, right->request, right->versions, why);
            (*plan)->fingerprints.request = right->fingerprints.request;
            mplan_plan_free(right);
        }
    }
    return status;
}

/* --- verdicts ------------------------------------------------------------------------------------------ */

/* The verdict of all ranks is that of rank 0 by itself; how many were refuted, whether of all parts together, and for layers. */
static void compare(MPI_Comm comm, changed *c, int32_t *refuted, int32_t *together, int32_t *layered)
{
    static const mplan_context none = MPLAN_CONTEXT_INIT;
    mplan_error over = {MPLAN_OK, ""}, alone = {MPLAN_OK, ""};
    int rank;
    MPI_Comm_rank(comm, &rank);
    mplan_parts_source source = mplan_bundle_source(c->bundle);
    source.user = c;
    source.read = read_part;
    c->reads = 0;
    const mplan_status status = mpi_source_verify(comm, &source, NULL, &none, &over);
    NEED(status || mpi_sum(comm, c->reads) == PARTS); /* no rank had to prove what others had proved */
    const mplan_status due = rank == 0 ? mplan_parts_verify(&source, NULL, -1, &none, &alone)
                                       : status;
    NEED(status == due && (rank != 0 || !status || !strcmp(over.text, alone.text)));
    NEED(!status || status == MPLAN_ERR_DISPROVED);
    *refuted += status == MPLAN_ERR_DISPROVED;
    *layered += status && strstr(over.text, "layers") != NULL;
    int number;
    char colon;
    *together += status && sscanf(over.text, "part %d%c", &number, &colon) == 0;
}

/* Rows of another mesh, by their sums. */
static void refuse_rows(MPI_Comm comm, const char *path)
{
    static const mplan_context none = MPLAN_CONTEXT_INIT;
    const uint64_t rows[2] = {1, 2};
    NEED(mpi_bundle_verify(comm, path, rows, &none, &err) == MPLAN_ERR_DISPROVED);
    NEED(!strcmp(err.text, "set links: rows of the plans are not those of the mesh"));
}

/* names: a right bundle, and another one of equal sizes. */
static void verdicts_of(MPI_Comm comm, const char *good, const char *other)
{
    int rank, ranks;
    char path[96];
    int32_t refuted = 0, together = 0, layered = 0;
    changed c = {.at = -1};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    snprintf(path, sizeof path, "%s/%s", folder, good);
    NEED_DONE(mplan_bundle_open(path, NULL, &c.bundle, &err), &err);
    compare(comm, &c, &refuted, &together, &layered);
    NEED(refuted == 0);
    refuse_rows(comm, path);
    const int32_t n = ranks == 4 || ranks == 1 ? CHANGES : CHANGES / 4;
    for (c.seed = 1; c.seed <= (uint64_t)n; c.seed++) {
        c.at = (int32_t)(c.seed % PARTS);
        compare(comm, &c, &refuted, &together, &layered);
    }
    NEED(refuted > n / 2);
    snprintf(path, sizeof path, "%s/%s", folder, other);
    NEED_DONE(mplan_bundle_open(path, NULL, &c.other, &err), &err);
    together = layered = 0;
    for (c.at = 0; c.at < PARTS; c.at++)
        compare(comm, &c, &refuted, &together, &layered);
    NEED(strcmp(good, "columns") == 0 ? layered > 0 : together > 0);
    mplan_bundle_free(c.other);
    mplan_bundle_free(c.bundle);
}

/* A part whose visits have other steps than those of the others, by itself a right one. */
static void refuse_steps(MPI_Comm comm)
{
    char path[96];
    int32_t refuted = 0, together = 0, layered = 0;
    changed c = {.at = -1};
    snprintf(path, sizeof path, "%s/visits", folder);
    NEED_DONE(mplan_bundle_open(path, NULL, &c.bundle, &err), &err);
    compare(comm, &c, &refuted, &together, &layered);
    NEED(refuted == 0);
    snprintf(path, sizeof path, "%s/slower", folder);
    NEED_DONE(mplan_bundle_open(path, NULL, &c.other, &err), &err);
    for (c.at = 0; c.at < PARTS; c.at++)
        compare(comm, &c, &refuted, &together, &layered);
    NEED(refuted == PARTS);
    mplan_bundle_free(c.other);
    mplan_bundle_free(c.bundle);
}

static void verdicts(MPI_Comm comm)
{
    refuse_steps(comm);
    verdicts_of(comm, "good", "other");
    verdicts_of(comm, "columns", "others");
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"good", "other", "columns", "others", "visits", "slower"};
    enum { NAMES = sizeof names / sizeof *names };
    int rank;
    char path[96];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        const char *where = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.30s/verify-over-XXXXXX", where && *where ? where : "/tmp");
        NEED(mkdtemp(folder));
    }
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (i < 4)
            write_bundle(path, i % 2 ? 21 : -1, i > 1);
        else
            write_visits(path, i % 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    over_ranks(verdicts);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    if (rank == 0)
        NEED(rmdir(folder) == 0);
    MPI_Finalize();
    return 0;
}
