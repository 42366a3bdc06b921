/* SPDX-License-Identifier: Apache-2.0 */
/* memory_over_mpi.c - meshplan-mpi again with the k-th allocation of one rank failing: all ranks end, with one sentence
 *
 * A rank that waits for one that has left is ended by an alarm, and with it the test. Memory that a failure leaves behind is
 * counted. memory_over_mpi [FIRST [STEP [NAME]]]: which k, without them some of all; of which call. */
#include <signal.h>
#include <unistd.h>

#include "mpi/exchange.h"
#include "mpi/mpi_command.h"
#include "foam_files.h"
#include "over_ranks.h"
#include "support_memory.h"

enum { PATIENCE = 600 }; /* seconds, for a call that takes milliseconds */

static char folder[64], mesh_path[96], foam_path[96], output[96], parts_path[96], depths_path[96],
    job_path[96], links_path[96], walls_path[96];
static const char *only; /* the call that is tried; NULL: all are */
static int64_t now;      /* which allocation, for the alarm */

/* Writes without allocations: the rank may be anywhere. */
static void on_alarm(int number)
{
    static const char text[] = "memory_over_mpi: ranks wait for one that has left\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    fprintf(stderr, "allocation %lld\n", (long long)now);
    _exit(3);
}

/* One call of the command. fail: the allocation of this rank that fails; 0: none. */
static mplan_status run(char *const *words, int n, int64_t fail, mplan_error *err)
{
    mpi_call call = {.comm = MPI_COMM_WORLD};
    mplan_context context = MPLAN_CONTEXT_INIT;
    MPI_Comm_rank(call.comm, &call.rank);
    MPI_Comm_size(call.comm, &call.ranks);
    *err = (mplan_error){MPLAN_OK, ""};
    alarm(PATIENCE);
    MPI_Barrier(call.comm);
    support_memory = (support_memory_state){.armed = true, .left = fail, .live = support_memory.live};
    mplan_status status = mpi_dispatch(n, (char **)(uintptr_t)words, &call, &context, err);
    support_memory.armed = false;
    status = mpi_agree(call.comm, status, err);
    alarm(0);
    return status;
}

/* The bytes of the output, on rank 0: a hash of them, 0 where there is no output. */
static uint64_t hash_output(void)
{
    FILE *file = fopen(output, "rb");
    uint64_t hash = file != NULL;
    for (int c; file && (c = fgetc(file)) != EOF;)
        hash = (hash ^ (uint64_t)c) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    if (file)
        fclose(file);
    return hash;
}

static uint64_t due; /* of a call that nothing failed in */

/* On all ranks what rank 0 finds. */
static bool same_output(void)
{
    int same = hash_output() == due;
    MPI_Bcast(&same, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return same;
}

/* How many allocations a call makes on this rank that succeeds. */
static int64_t count(char *const *words, int n)
{
    mplan_error err;
    NEED_DONE(run(words, n, 0, &err), &err);
    return -support_memory.left;
}

static void fail_each(const char *name, char *const *words, int n, int64_t first, int64_t step)
{
    int rank, ranks;
    int64_t fired = 0, refused = 0, kept = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (only && strcmp(only, name) != 0)
        return;
    count(words, n);
    const int64_t before = support_memory.live;
    due = hash_output();
    const int64_t most = mpi_most(MPI_COMM_WORLD, count(words, n));
    NEED(support_memory.live == before);
    for (int64_t k = first; k <= most; k += step) {
        const int failing = (int)(k / step % ranks);
        mplan_error err;
        now = k;
        const mplan_status status = run(words, n, rank == failing ? k : 0, &err);
        const bool did = mpi_most(MPI_COMM_WORLD, support_memory.fired) > 0;
        if (status ? status != MPLAN_ERR_MEMORY || !err.text[0] || !did : !same_output())
            fprintf(stderr, "%s, rank %d, allocation %lld: status %d: %s\n", name, failing,
                    (long long)k, (int)status, err.text);
        /* memory that is only given back may fail to be: the output is then as it would be */
        NEED(status ? status == MPLAN_ERR_MEMORY && err.text[0] && did : same_output());
        refused += status != MPLAN_OK;
        if (support_memory.live != before)
            fprintf(stderr, "%s, rank %d, allocation %lld: rank %d keeps %lld\n", name, failing,
                    (long long)k, rank, (long long)(support_memory.live - before));
        kept += support_memory.live != before;
        support_memory.live = before;
        fired += did;
    }
    NEED(fired > 0 && refused >= fired * 9 / 10);
    NEED(kept == 0); /* said above */
    if (rank == 0 && getenv("MPLAN_SHOW"))
        fprintf(stderr, "%s: %lld of %lld allocations failed, %lld calls with them\n", name,
                (long long)fired, (long long)most, (long long)refused);
}

static void write_files(void)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    mplan_error err;
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = 2;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    NEED_DONE(mplan_mesh_write(mesh, mesh_path, NULL, NULL, NULL, &err), &err);
    NEED_DONE(mplan_mesh_write(mesh, walls_path, NULL, NULL, NULL, &err), &err);
    char names_path[128];
    snprintf(names_path, sizeof names_path, "%s/m.mapbc", folder);
    FILE *file = fopen(names_path, "w");
    NEED(file && fputs("1\n1 4000 wall\n", file) >= 0 && fclose(file) == 0);
    file = fopen(parts_path, "w");
    NEED(file);
    for (int32_t i = 0; i < mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size; i++)
        fprintf(file, "%d\n", i % 3);
    NEED(fclose(file) == 0);
    const foam_form form = {4, 8, false, false, 0};
    foam_write(mesh, foam_path, &form);
    mplan_mesh_free(mesh);
    NEED((file = fopen(links_path, "w")));
    for (int32_t i = 0; i < 20; i++)
        fprintf(file, "%d %d\n", i % 8, i % 3 ? (i + 1) % 8 : -1);
    NEED(fclose(file) == 0);
}

/* Columns of two heights over the cells; and a job with them. False: this build reads no jobs. */
static bool write_job(void)
{
    mplan_job *job = NULL;
    mplan_error err;
    FILE *depths = fopen(depths_path, "w"), *file = fopen(job_path, "w");
    NEED(depths && file);
    for (int32_t i = 0; i < 48; i++)
        fprintf(depths, "%d %d\n", i % 3, 9 - i % 2 * 4);
    fprintf(file,
            "meshplan: 1\nmesh: m.lb8.ugrid\n"
            "layers: {cells: {file: depths}, faces: {map: faces_cells}, nodes: {map: cells_nodes}}\n"
            "loops:\n  - name: flux\n    over: faces\n    layered: true\n    args:\n"
            "      - {dat: q, map: faces_cells, access: read, dim: 2, type: f64, levels: 9}\n"
            "      - {dat: r, map: faces_cells, access: inc, dim: 2, type: f64, levels: 9}\n"
            "  - name: smooth\n    over: nodes\n    layered: true\n    args:\n"
            "      - {dat: v, access: rw, dim: 1, type: f64, levels: 9}\n"
            "  - name: sum\n    over: cells\n    layered: true\n    args:\n"
            "      - {dat: v, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 9}\n");
    NEED(fclose(file) == 0 && fclose(depths) == 0);
    const mplan_status status = mplan_job_read(job_path, NULL, &job, &err);
    mplan_job_free(job);
    return !status;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGALRM, on_alarm);
    if (rank == 0) {
        const char *where = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.30s/memory-over-XXXXXX", where && *where ? where : "/tmp");
        NEED(mkdtemp(folder));
    }
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(mesh_path, sizeof mesh_path, "%s/m.lb8.ugrid", folder);
    snprintf(foam_path, sizeof foam_path, "%s/case", folder);
    snprintf(output, sizeof output, "%s/out.mplans", folder);
    snprintf(parts_path, sizeof parts_path, "%s/parts", folder);
    snprintf(depths_path, sizeof depths_path, "%s/depths", folder);
    snprintf(walls_path, sizeof walls_path, "%s/walls.msh", folder);
    snprintf(links_path, sizeof links_path, "%s/links_cells.txt", folder);
    snprintf(job_path, sizeof job_path, "%s/job.yaml", folder);
    int jobs = 0;
    if (rank == 0) {
        write_files();
        jobs = write_job();
    }
    MPI_Bcast(&jobs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    char weights[120];
    snprintf(weights, sizeof weights, "cells=%s", parts_path);
    const int64_t first = argc > 1 ? strtoll(argv[1], NULL, 10) : 1;
    const int64_t step = argc > 2 ? strtoll(argv[2], NULL, 10) : 211;
    only = argc > 3 ? argv[3] : NULL;
    char *const cut[] = {"meshplan-mpi", "plan", mesh_path, "--over", "faces", "--inc",     "cells",
                         "--parts",      "3",    "-o",      output,   "-q",    "--threads", "1"};
    char *const file[] = {"meshplan-mpi", "plan",  mesh_path, "--over",    "cells",
                          "--read",       "nodes", "--parts", parts_path,  "--whole-input",
                          "-o",           output,  "-q",      "--threads", "1"};
    char *const wishes[] = {"meshplan-mpi", "plan",       mesh_path,  "--over", "faces",
                            "--inc",        "cells",      "--parts",  "2x2",    "--weights",
                            weights,        "--together", parts_path, "-o",     output,
                            "-q",           "--threads",  "1"};
    char *const foam[] = {"meshplan-mpi", "plan",  foam_path,   "--over",   "cells",
                          "--read",       "nodes", "--parts",   parts_path, "-o",
                          output,         "-q",    "--threads", "1"};
    char *const job[] = {"meshplan-mpi", "plan", job_path, "--parts",   "3",
                         "-o",           output, "-q",     "--threads", "1"};
    char *const split[] = {"meshplan-mpi", "plan",  links_path, "--over", "links",
                           "--inc",        "cells", "--none",   "split",  "--whole-input",
                           "--parts",      "3",     "-o",       output,   "-q",
                           "--threads",    "1"};
    char *const group[] = {"meshplan-mpi", "plan",  walls_path, "--over", "zmax",
                           "--inc",        "cells", "--read",   "nodes",  "--whole-input",
                           "--parts",      "3",     "-o",       output,   "-q",
                           "--threads",    "1"};
    char *const surface[] = {"meshplan-mpi", "plan",  mesh_path,   "--over", "wall",
                             "--inc",        "cells", "--parts",   "3",      "-o",
                             output,         "-q",    "--threads", "1"};
    char *const verify[] = {"meshplan-mpi", "verify", output, "-q", "--threads", "1"};
    fail_each("plan", cut, sizeof cut / sizeof *cut, first, step);
    fail_each("plan by weights and groups", wishes, sizeof wishes / sizeof *wishes, first, step);
    fail_each("plan by a part file", file, sizeof file / sizeof *file, first, step);
    fail_each("plan of faces", foam, sizeof foam / sizeof *foam, first, step);
    fail_each("plan of a group", group, sizeof group / sizeof *group, first, step);
    fail_each("plan of a group by ranges", surface, sizeof surface / sizeof *surface, first, step);
    fail_each("plan of a set that is split", split, sizeof split / sizeof *split, first, step);
    if (jobs)
        fail_each("plan of columns", job, sizeof job / sizeof *job, first, step);
    fail_each("verify", verify, sizeof verify / sizeof *verify, first, step);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        char command[300];
        snprintf(command, sizeof command, "rm -r '%s'", folder);
        NEED(system(command) == 0);
    }
    MPI_Finalize();
    return 0;
}
