/* SPDX-License-Identifier: Apache-2.0 */
/* loops_over_mpi.c - loops over columns of layers, over ranks: bundles are those of one process, byte for byte */
#include "plan_cases.h"

#include "mesh/mesh_checks.h"
#include "mpi/mpi_command.h"

enum { HIGH = 37 }; /* layers: a mask has two words */

/* What a request says of layers; one case is alive at a time. */
static mplan_layered_set sets[2];
static mplan_layered_loop layered[2];
static mplan_layered_arg levels[5];
static mplan_layers layers;

/* --- layers ---------------------------------------------------------------------------------------- */

static mplan_mesh *quads(int32_t nx, int32_t ny)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    options.shape = MPLAN_SHAPE_QUAD;
    options.size[0] = nx;
    options.size[1] = ny;
    options.shuffle = true;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    return mesh;
}

/* A basin that is deep in one half; some columns have no layers, some layers are not there. */
static void add_layers(mplan_mesh *mesh, bool ranged, bool masked)
{
    uint64_t seed = 5;
    const int32_t cells = mplan_mesh_find_set(mesh, "cells"), words = mplan_mask_words(HIGH);
    const int64_t n = mplan_mesh_set(mesh, cells).size;
    int32_t *ranges = malloc(2 * (size_t)n * sizeof *ranges);
    uint32_t *mask = malloc((size_t)(n * words) * sizeof *mask);
    NEED(ranges && mask);
    for (int64_t i = 0; i < n; i++) {
        ranges[2 * i] = (int32_t)mplan_random_below(&seed, 3);
        ranges[2 * i + 1] = i % 11 == 0 ? ranges[2 * i] : i < n / 2 ? HIGH : 4;
    }
    for (int64_t i = 0; i < n * words; i++)
        mask[i] = (uint32_t)mplan_random(&seed);
    NEED_DONE(mplan_mesh_set_layers(mesh, cells, HIGH, ranged ? ranges : NULL, &err), &err);
    if (masked)
        NEED_DONE(mplan_mesh_set_layer_mask(mesh, cells, mask, &err), &err);
    NEED_DONE(mplan_mesh_spread_layers(mesh, mplan_mesh_find_map(mesh, "faces_cells"),
                                       MPLAN_LAYERS_COMMON, &err),
              &err);
    free(ranges);
    free(mask);
}

static void add_levels(plan_case *c, int32_t slots)
{
    const int32_t i = layers.n_args++, loop = c->n_loops - 1, arg = c->loops[loop].n_args - 1;
    levels[i] = (mplan_layered_arg){.loop = loop, .arg = arg};
    levels[i].layers = (mplan_arg_layers){.levels = HIGH + (slots > 1), .stride = 1, .n_slots = slots};
    for (int32_t s = 0; s < slots; s++)
        levels[i].layers.slots[s] = (mplan_slot){c->args[loop][arg].map ? MPLAN_EVERY_SLOT : 0,
                                                 slots > 1 ? s : 0};
}

/* A flux between columns, whose cells are cut, and a sum to nodes above and below; `number`: the request says how many layers
 * all columns have. */
static plan_case columns_case(int32_t n_parts, bool ranged, bool masked, bool number)
{
    plan_case c = {.mesh = quads(9, 7), .options = MPLAN_PLAN_OPTIONS_INIT};
    layers = (mplan_layers){.sets = sets, .loops = layered, .args = levels};
    if (!number)
        add_layers(c.mesh, ranged, masked);
    add_loop(&c, "flux", "faces");
    add_arg(&c, "q", "faces_cells", MPLAN_READ, 2);
    add_levels(&c, 1);
    add_arg(&c, "r", "faces_cells", MPLAN_INC, 2);
    add_levels(&c, 1);
    add_loop(&c, "nodal", "cells");
    add_arg(&c, "q", NULL, MPLAN_READ, 2);
    add_levels(&c, 1);
    add_arg(&c, "v", "cells_nodes", MPLAN_INC, 1);
    add_levels(&c, 2);
    for (int32_t l = 0; l < c.n_loops; l++)
        for (int32_t a = 0; a < c.loops[l].n_args; a++)
            c.args[l][a].none = MPLAN_NONE_REFUSE;
    c.loops[0].primary = true;
    layers.n_loops = 2;
    layered[0] = (mplan_layered_loop){0, MPLAN_LAYERING_LAYERS};
    layered[1] = (mplan_layered_loop){1, MPLAN_LAYERING_LAYERS};
    layers.n_sets = number ? 2 : 0;
    sets[0] = (mplan_layered_set){"cells", HIGH, NULL, NULL};
    sets[1] = (mplan_layered_set){"faces", HIGH, NULL, NULL};
    c.options.layers = &layers;
    add_parts(&c, "cells", n_parts, 0);
    return c;
}

/* Columns over cells that are split by a map to lakes: some have none. */
static plan_case split_cells_case(int32_t n_parts)
{
    plan_case c = {.mesh = quads(6, 5), .options = MPLAN_PLAN_OPTIONS_INIT};
    int32_t cells[30];
    for (int32_t i = 0; i < 30; i++)
        cells[i] = i % 4 == 0 ? -1 : i % 7;
    NEED_DONE(mplan_mesh_add_set(c.mesh, "lakes", 7, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "cells_lakes", mplan_mesh_find_set(c.mesh, "cells"),
                                 mplan_mesh_find_set(c.mesh, "lakes"), 1, NULL, cells, NULL, &err),
              &err);
    add_layers(c.mesh, true, true);
    add_loop(&c, "flux", "faces");
    add_arg(&c, "q", "faces_cells", MPLAN_READ, 1);
    add_loop(&c, "fill", "cells");
    add_arg(&c, "w", "cells_lakes", MPLAN_INC, 1);
    c.args[1][0].none = MPLAN_NONE_SPLIT;
    add_loop(&c, "land", "cells_boundary");
    add_arg(&c, "n", "cells_boundary_nodes", MPLAN_INC, 1);
    c.loops[1].primary = true;
    add_parts(&c, "lakes", n_parts, 1);
    return c;
}

static void columns(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    check_case(comm, columns_case(5, true, true, false));
    check_cut(comm, columns_case(4, true, false, false));
    check_case(comm, split_cells_case(3));
    if (ranks != 1 && ranks != 4)
        return;
    check_case(comm, columns_case(3, true, false, false));
    check_case(comm, columns_case(7, false, true, false));
    check_case(comm, columns_case(4, false, false, true));
}

/* --- jobs ------------------------------------------------------------------------------------------- */

enum { TETS = 2, LAYERS = 9 };

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* By rank 0: a table of whole numbers. */
static void write_npy(const char *name, int64_t rows, int32_t cols, const int32_t *numbers)
{
    char head[128];
    FILE *file = fopen(path_of(name), "wb");
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
    const int n = snprintf(head + 10, sizeof head - 10,
                           "{'descr': '<i4', 'fortran_order': False, 'shape': (%lld, %d), }",
                           (long long)rows, (int)cols);
    head[10 + n] = ' ';
    head[127] = '\n';
    NEED(file && fwrite(head, 1, sizeof head, file) == sizeof head);
    NEED(fwrite(numbers, sizeof *numbers, (size_t)(rows * cols), file) == (size_t)(rows * cols));
    NEED(fclose(file) == 0);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    NEED(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* By rank 0: a mesh, parts of its cells, and tables of their layers, right ones and wrong ones. */
static void write_inputs(void)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = TETS;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    NEED_DONE(mplan_mesh_write(mesh, path_of("m.lb8.ugrid"), NULL, NULL, NULL, &err), &err);
    const int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    int32_t ranges[2 * 6 * TETS * TETS * TETS], mask[LAYERS * 6 * TETS * TETS * TETS];
    FILE *text = fopen(path_of("depths.txt"), "w"), *parts = fopen(path_of("parts"), "w");
    NEED(text && parts && n == 6 * TETS * TETS * TETS);
    for (int32_t i = 0; i < n; i++) {
        ranges[2 * i] = i % 2;
        ranges[2 * i + 1] = LAYERS - i % 5;
        fprintf(text, "%d\n", LAYERS - i % 7);
        fprintf(parts, "%d\n", i * 5 / (int)n);
        for (int32_t k = 0; k < LAYERS; k++)
            mask[i * LAYERS + k] = (i + k) % 3 > 0;
    }
    NEED(fclose(text) == 0 && fclose(parts) == 0);
    write_npy("depths.npy", n, 2, ranges);
    write_npy("wet.npy", n, LAYERS, mask);
    write_npy("short.npy", n - 1, 2, ranges);
    ranges[2 * n - 4] = -3;
    write_npy("below.npy", n, 2, ranges);
    ranges[2 * n - 4] = 7;
    ranges[2 * n - 3] = 5;
    write_npy("turned.npy", n, 2, ranges);
    mask[40 * LAYERS] = 2;
    write_npy("two.npy", n, LAYERS, mask);
    mplan_mesh_free(mesh);
}

/* By rank 0: a job whose layers are this text. */
static void write_job(const char *of_layers, bool nodes)
{
    char text[1600];
    snprintf(text, sizeof text,
             "meshplan: 1\nmesh: m.lb8.ugrid\nlayers: %s\nloops:\n"
             "  - name: flux\n    over: faces\n    layered: true\n    args:\n"
             "      - {dat: q, map: faces_cells, access: read, dim: 2, type: f64, levels: %d}\n"
             "      - {dat: r, map: faces_cells, access: inc, dim: 2, type: f64, levels: %d}\n%s",
             of_layers, LAYERS, LAYERS,
             nodes ? "  - name: smooth\n    over: nodes\n    layered: true\n    args:\n"
                     "      - {dat: v, access: rw, dim: 1, type: f64, levels: 9}\n"
                   : "");
    write_text("job.yaml", text);
}

/* By rank 0: what one process makes of the job. */
static mplan_status plan_serial(void)
{
    mplan_job *job;
    mplan_mesh *mesh = NULL;
    mplan_parts *parts = NULL;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    int32_t part[6 * TETS * TETS * TETS];
    mplan_status status = mplan_job_read(path_of("job.yaml"), NULL, &job, &err);
    if (status)
        return status;
    status = mplan_job_load_mesh(job, NULL, &mesh, &err);
    how.part = part;
    how.n_part = 6 * TETS * TETS * TETS;
    for (int32_t i = 0; i < how.n_part; i++)
        part[i] = i * 5 / (int32_t)how.n_part;
    if (!status)
        status = mplan_parts_create(mesh, job->n_loops, job->loops, job->options, &how, NULL,
                                    &parts, &err);
    if (!status)
        status = mplan_parts_write(parts, path_of("one"), NULL, NULL, NULL, &err);
    mplan_parts_free(parts);
    mplan_mesh_free(mesh);
    mplan_job_free(job);
    return status;
}

/* Both ways: the same bundle, or the same sentence. Collective. whole: rank 0 reads all of the input. */
static void compare_job(const char *of_layers, bool nodes, bool whole, mplan_status due)
{
    mpi_call call = {.comm = MPI_COMM_WORLD};
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_error over = {MPLAN_OK, ""};
    MPI_Comm_rank(call.comm, &call.rank);
    MPI_Comm_size(call.comm, &call.ranks);
    if (call.rank == 0)
        write_job(of_layers, nodes);
    MPI_Barrier(call.comm);
    char *const words[] = {"meshplan-mpi",
                           "plan",
                           (char *)(uintptr_t)path_of("job.yaml"),
                           "--parts",
                           (char *)(uintptr_t)path_of("parts"),
                           "-o",
                           (char *)(uintptr_t)path_of("all"),
                           "-q",
                           "--threads",
                           "1",
                           "--whole-input"};
    const int n = sizeof words / sizeof *words - (whole ? 0 : 1);
    const mplan_status status = mpi_dispatch(n, (char **)(uintptr_t)words, &call, &context, &over);
    if (status != due && call.rank == 0)
        fprintf(stderr, "%s: %d: %s\n", of_layers, (int)status, over.text);
    NEED(status == due);
    if (call.rank > 0)
        return;
    NEED(plan_serial() == due);
    /* one process knows the names of a mesh before it plans */
    const bool named = strstr(err.text, "unknown set") && strstr(over.text, "there is no such set");
    if (due && !named && strcmp(over.text, err.text) != 0)
        fprintf(stderr, "%s\n%s\n", over.text, err.text);
    NEED(!due || named || strcmp(over.text, err.text) == 0);
    if (!due)
        compare(path_of("one"), path_of("all"));
}

/* Ends when this build reads no jobs. */
static void jobs(void)
{
    static const char *const files[] = {"m.lb8.ugrid", "parts",     "depths.txt", "depths.npy",
                                        "wet.npy",     "short.npy", "below.npy",  "turned.npy",
                                        "two.npy",     "job.yaml"};
    int rank, reads = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        write_inputs();
        write_job("{cells: 9, faces: 9}", false);
        reads = plan_serial() != MPLAN_ERR_UNSUPPORTED;
    }
    MPI_Bcast(&reads, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (reads) {
        compare_job("{cells: {file: depths.npy, layers: 9, mask: wet.npy}, faces: {map: faces_cells}}",
                    false, false, MPLAN_OK);
        compare_job("{cells: {file: depths.npy}, faces: {map: faces_cells}, nodes: {map: cells_nodes}}",
                    true, false, MPLAN_OK);
        compare_job("{cells: {file: depths.txt}, faces: {map: faces_cells}}", false, false, MPLAN_OK);
        compare_job("{cells: {layers: 9, mask: wet.npy}, faces: {map: faces_cells}}", false, true,
                    MPLAN_OK);
        compare_job("{faces: 9}", false, false, MPLAN_OK);
        compare_job("{cells: {file: short.npy}, faces: 9}", false, false, MPLAN_ERR_MESH);
        compare_job("{cells: {file: below.npy}, faces: 9}", false, false, MPLAN_ERR_MESH);
        compare_job("{cells: {file: turned.npy}, faces: 9}", false, false, MPLAN_ERR_MESH);
        compare_job("{cells: {layers: 9, mask: two.npy}, faces: 9}", false, false, MPLAN_ERR_MESH);
        compare_job("{cells: {file: depths.npy, layers: 8}, faces: 9}", false, false, MPLAN_ERR_MESH);
        compare_job("{faces: {map: faces_cells}}", false, false, MPLAN_ERR_ARGUMENT);
        compare_job("{cells: 9, faces: {map: faces_cellz}}", false, false, MPLAN_ERR_CORRUPT);
        compare_job("{cells: 9, faces: {map: cells_nodes}}", false, false, MPLAN_ERR_CORRUPT);
        compare_job("{cells: 9, facez: {map: faces_cells}}", false, false, MPLAN_ERR_CORRUPT);
        compare_job("{cells: 9, cellz: {file: depths.npy}}", false, false, MPLAN_ERR_CORRUPT);
        compare_job("{cells: 9, cellz: 9}", false, false, MPLAN_ERR_CORRUPT);
        compare_job("{cells: 9, cellz: {layers: 9, mask: wet.npy}}", false, false, MPLAN_ERR_CORRUPT);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; rank == 0 && i < sizeof files / sizeof *files; i++)
        (void)unlink(path_of(files[i]));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_folder("loops-over");
    over_ranks(columns);
    jobs();
    remove_folder();
    MPI_Finalize();
    return 0;
}
