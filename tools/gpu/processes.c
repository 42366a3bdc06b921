/* SPDX-License-Identifier: Apache-2.0 */
/* processes.c - ranks that are processes with a GPU each and store into one another's memory, beside one process with all GPUs
 *
 *   processes RANKS [SIDE [EXECUTOR]]
 *
 * A plate of SIDE x SIDE cells (default 1200) takes steps: fluxes over edges under owner-gather, then an update of the cells.
 * First one process has all devices, then each rank is a process that this one forks, with messages inside the loop and by kernels of
 * their own: bits of all cells are compared, and a step is timed, captured in graphs. This process uses no device itself.
 * EXECUTOR (default cuda) host: the same in memory of the host, without times. Messages that go through the host have at most
 * MEETING_SLOT bytes. */
#define MEETING_SLOT (1 << 18)
#include "processes_kernels.h"

#include <sys/wait.h>
#include <unistd.h>

#include "exec/meshplan_ranks.h"
#include "support_meeting.h"

enum { STEPS = 20, REPLAYS = 200, TRIES = 5 };
static mplan_error err;
static mplan_executor executor = MPLAN_EXECUTOR_CUDA;

static const mplan_kernel *kernel_of(const mplan_kernel *host, const mplan_kernel *device)
{
    return executor == MPLAN_EXECUTOR_CUDA ? device : host;
}

static void must(mplan_status status)
{
    if (status) {
        fprintf(stderr, "processes: %s\n", err.text);
        exit(1);
    }
}

/* --- the bundle ----------------------------------------------------------------------------- */

/* Edges of the plate, each between a cell and the next in x or y, in the order of the cells. */
static mplan_mesh *make_mesh(int side)
{
    const int64_t cells = (int64_t)side * side;
    int32_t *edges = malloc((size_t)cells * 4 * sizeof *edges);
    int64_t n = 0;
    mplan_mesh *mesh;
    if (!edges)
        exit(1);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int way = 0; way < 2; way++)
                if (way ? y + 1 < side : x + 1 < side) {
                    edges[n++] = y * side + x;
                    edges[n++] = way ? (y + 1) * side + x : y * side + x + 1;
                }
    must(mplan_mesh_create(&mesh, &err));
    must(mplan_mesh_add_set(mesh, "edges", n / 2, NULL, &err));
    must(mplan_mesh_add_set(mesh, "cells", cells, NULL, &err));
    must(mplan_mesh_add_map(mesh, "edges_cells", 0, 1, 2, NULL, edges, NULL, &err));
    free(edges);
    return mesh;
}

/* A part for each rank, of the two loops. */
static void make_bundle(mplan_mesh *mesh, int ranks, const char *path)
{
    mplan_loop loops[2];
    mplan_arg args[2][MPLAN_MAX_ARGS];
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts;
    const mplan_strategy gather = MPLAN_STRATEGY_OWNER_GATHER;
    must(mplan_kernel_loop(kernel_of(&flux_host, &flux_device), "edges", args[0], &loops[0], &err));
    must(mplan_kernel_loop(kernel_of(&advance_host, &advance_device), "cells", args[1], &loops[1],
                           &err));
    options.n_strategies = 1;
    options.strategies[0] = gather;
    how.n_parts = ranks;
    must(mplan_parts_create(mesh, 2, loops, &options, &how, NULL, &parts, &err));
    must(mplan_parts_write(parts, path, NULL, NULL, NULL, &err));
    mplan_parts_free(parts);
}

/* --- a run ------------------------------------------------------------------------------------ */

/* One executor with its loops. */
typedef struct runner {
    mplan_exec *exec;
    mplan_exec_loop *flux, *advance;
    int64_t first, end;
} runner;

/* All cells begin by their numbers in the mesh. */
static void begin(runner *run)
{
    const int64_t n = run->end - run->first;
    int64_t *ids = malloc((size_t)(n + 1) * sizeof *ids);
    double *q = malloc((size_t)(n + 1) * 4 * sizeof *q);
    if (!ids || !q)
        exit(1);
    must(mplan_exec_own_ids(run->exec, "cells", ids, n, &err));
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            q[4 * i + c] = (double)((ids[i] * 7919 + c * 104729) % 1009) / 1009;
    must(mplan_exec_upload_own(run->exec, "q", q, n, 4, MPLAN_TYPE_F64, &err));
    free(ids);
    free(q);
}

static mplan_status step(void *user, void *stream, mplan_error *error)
{
    const runner *run = user;
    mplan_status status = mplan_exec_clear(run->exec, "r", stream, error);
    if (!status)
        status = mplan_exec_launch(run->exec, run->flux, NULL, stream, error);
    return status ? status : mplan_exec_launch(run->exec, run->advance, NULL, stream, error);
}

/* What the ranks of a run leave to the one that forked them. */
typedef struct outcome {
    double microseconds;
    int64_t inside, messages;
    char transport[200];
} outcome;

/* rows: cells of all ranks, in canonical order; compared with `same` where that is not NULL. The number of cells that differ. */
static int64_t run_all(const char *path, const mplan_transport *transport,
                       const mplan_rank_options *ranks, int32_t device, double *rows,
                       const double *same, outcome *out)
{
    runner run = {0};
    mplan_bundle *bundle;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exchange_figures figures;
    options.executor = executor;
    options.device = device;
    must(mplan_bundle_open(path, NULL, &bundle, &err));
    must(mplan_exec_open_part(bundle, transport, &options, ranks, &run.exec, &err));
    must(mplan_exec_declare_all(run.exec, &err));
    must(mplan_exec_bind(run.exec, "flux", -1, kernel_of(&flux_host, &flux_device), &run.flux, &err));
    must(mplan_exec_bind(run.exec, "advance", -1, kernel_of(&advance_host, &advance_device),
                         &run.advance, &err));
    must(mplan_exec_own_range(run.exec, "cells", &run.first, &run.end, &err));
    begin(&run);
    for (int i = 0; i < STEPS; i++)
        must(step(&run, NULL, &err));
    must(mplan_exec_download_own(run.exec, "q", rows + 4 * run.first, run.end - run.first, 4,
                                 MPLAN_TYPE_F64, &err));
    must(mplan_exec_exchanged(run.exec, &figures, &err));
    snprintf(out->transport, sizeof out->transport, "%s", figures.transport);
    out->inside = figures.inside;
    out->messages = figures.messages;
    int64_t wrong = 0;
    for (int64_t i = 4 * run.first; same && i < 4 * run.end; i++)
        wrong += memcmp(&rows[i], &same[i], sizeof *rows) != 0;
    if (executor == MPLAN_EXECUTOR_CUDA && (!transport || ranks->direct)) {
        mplan_exec_graph *graph;
        double best = 1e30, milliseconds;
        must(mplan_exec_capture(run.exec, step, &run, &graph, &err));
        for (int t = 0; t < TRIES; t++) {
            must(mplan_exec_time(run.exec, graph, REPLAYS, &milliseconds, &err));
            best = milliseconds < best ? milliseconds : best;
        }
        out->microseconds = 1e3 * best / REPLAYS;
        mplan_exec_graph_free(graph);
    }
    mplan_exec_close(run.exec);
    mplan_bundle_free(bundle);
    return wrong;
}

/* --- processes --------------------------------------------------------------------------------- */

/* Memory that forked processes share. */
static void *shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    return memory;
}

/* A line of what `processes` ranks make of it, each a process; 1: one process, with all devices. Whether all is well. */
static bool report(const char *how, const char *path, int ranks, bool apart, int32_t direct,
                   bool inside, double *rows, const double *same)
{
    meeting *at = meeting_open(apart ? ranks : 1);
    outcome *out = shared(sizeof(outcome) * MEETING_MOST);
    int64_t *wrong = shared(sizeof(int64_t) * MEETING_MOST);
    bool good = true;
    fflush(NULL);
    for (int r = 0; r < (apart ? ranks : 1); r++)
        if (meeting_fork() == 0) {
            meeting_guest own = {at, r, ranks, NULL, NULL, 0};
            const mplan_transport transport = meeting_transport(&own);
            const int32_t devices[MEETING_MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
            mplan_rank_options options = MPLAN_RANK_OPTIONS_INIT;
            options.inside = inside;
            options.direct = direct;
            if (!apart) {
                options.ranks = ranks;
                options.devices = devices;
            }
            wrong[r] = run_all(path, apart ? &transport : NULL, &options, r, rows, same, &out[r]);
            _exit(0);
        }
    for (int r = 0; r < (apart ? ranks : 1); r++) {
        int status;
        wait(&status);
        good = good && status == 0;
    }
    int64_t differ = 0;
    double slowest = 0;
    for (int r = 0; r < (apart ? ranks : 1); r++) {
        differ += wrong[r];
        slowest = out[r].microseconds > slowest ? out[r].microseconds : slowest;
    }
    printf("%-34s %9.2f us a step, %lld numbers differ, %lld exchanges inside; %s%s\n", how, slowest,
           (long long)(differ), (long long)(out[0].inside), out[0].transport, good ? "" : " FAILED");
    fflush(stdout);
    meeting_close(at);
    return good && differ == 0;
}

int main(int argc, char **argv)
{
    const int ranks = argc > 1 ? atoi(argv[1]) : 2, side = argc > 2 ? atoi(argv[2]) : 1200;
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/processes-%d.mplans", folder ? folder : "/tmp", (int)getpid());
    if (argc > 3 && strcmp(argv[3], "host") == 0)
        executor = MPLAN_EXECUTOR_HOST;
    if (ranks < 1 || ranks > MEETING_MOST || side < 2)
        return 2;
    mplan_mesh *mesh = make_mesh(side);
    make_bundle(mesh, ranks, path);
    mplan_mesh_free(mesh);
    const size_t bytes = sizeof(double) * 4 * (size_t)side * (size_t)side;
    double *one = shared(bytes), *rows = shared(bytes);
    bool good = report("one process, peer-inside", path, ranks, false, 0, true, one, NULL);
    good = report("one process, peer", path, ranks, false, 0, false, rows, one) && good;
    good = report("a process each, peer-inside", path, ranks, true, MPLAN_DIRECT_ALWAYS, true, rows,
                  one) &&
           good;
    good = report("a process each, peer", path, ranks, true, MPLAN_DIRECT_ALWAYS, false, rows, one) &&
           good;
    good = report("a process each, by the host", path, ranks, true, MPLAN_DIRECT_NEVER, false, rows,
                  one) &&
           good;
    unlink(path);
    return good ? 0 : 1;
}
