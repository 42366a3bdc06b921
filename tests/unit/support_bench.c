/* SPDX-License-Identifier: Apache-2.0 */
/* support_bench.c - public calls, each again with its k-th allocation failing */
#include "support_bench.h"

#include <dirent.h>
#include <unistd.h>

#include "support_memory.h"
#include "support_planfile.h"

static char folder[64]; /* in memory where that is possible; removed at the end */

const char *bench_path(const char *name)
{
    static char path[2][128];
    static int next;
    char *out = path[next++ % 2];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static int32_t count_files(const char *path)
{
    int32_t n = 0;
    DIR *files = opendir(path);
    while (files && readdir(files))
        n++;
    if (files)
        closedir(files);
    return n;
}

void bench_open(bench *b, const call *c)
{
    memset(b, 0, sizeof *b);
    b->data = c->data;
    b->new_mesh = no_mesh;
    b->new_plan = no_plan;
    b->new_job = no_job;
    if (c->prepare)
        c->prepare(b);
}

void bench_close(bench *b)
{
    if (b->new_plan != no_plan)
        mplan_plan_free(b->new_plan);
    if (b->new_mesh != no_mesh)
        mplan_mesh_free(b->new_mesh);
    if (b->new_job != no_job)
        mplan_job_free(b->new_job);
    mplan_plan_free(b->plan);
    mplan_mesh_free(b->mesh);
    mplan_job_free(b->job);
    free(b->bytes);
}

static void check_failure(const call *c, const bench *b, int64_t k, const int32_t *before,
                          mplan_status status, const mplan_error *err)
{
    if (status != MPLAN_ERR_MEMORY && !(c->flags & MAY_REFUSE))
        fail_msg("%s, allocation %d: status '%s' (%s)", c->name, (int)k, mplan_status_name(status),
                 err ? err->text : "");
    if (err && (err->status != status || !*err->text))
        fail_msg("%s, allocation %d: no sentence", c->name, (int)k);
    if (b->new_mesh != no_mesh || b->new_plan != no_plan || b->new_job != no_job)
        fail_msg("%s, allocation %d: a result was written", c->name, (int)k);
    if (count_files(folder) != before[3])
        fail_msg("%s, allocation %d: a file was left", c->name, (int)k);
    if (b->mesh && !(c->flags & MAY_GROW) &&
        (mplan_mesh_n_sets(b->mesh) != before[0] || mplan_mesh_n_maps(b->mesh) != before[1] ||
         mplan_mesh_n_groups(b->mesh) != before[2]))
        fail_msg("%s, allocation %d: the mesh is another", c->name, (int)k);
}

/* False when the call needed fewer than k allocations. */
static bool fail_allocation(const call *c, bench *b, int64_t k, bool persistent, bool with_error)
{
    mplan_error text = {MPLAN_OK, ""}, *err = with_error ? &text : NULL;
    const int64_t live = support_memory.live;
    int32_t before[4] = {b->mesh ? mplan_mesh_n_sets(b->mesh) : 0,
                         b->mesh ? mplan_mesh_n_maps(b->mesh) : 0,
                         b->mesh ? mplan_mesh_n_groups(b->mesh) : 0, count_files(folder)};
    support_memory.left = k;
    support_memory.persistent = persistent;
    support_memory.fired = false;
    support_memory.armed = true;
    mplan_status status = c->run(b, err);
    support_memory.armed = false;
    bool more = support_memory.fired || status == MPLAN_ERR_MEMORY; /* the latter from a child */
    if (status != MPLAN_OK)
        check_failure(c, b, k, before, status, err);
    if (status != MPLAN_OK && c->flags & KEEPS && support_memory.live != live)
        fail_msg("%s, allocation %d: %d allocations left", c->name, (int)k,
                 (int)(support_memory.live - live));
    return more;
}

/* Nothing may be left of what was prepared, nor of the try; live: allocations before that. */
static void close_whole(const call *c, bench *b, int64_t k, int64_t live)
{
    bench_close(b);
    if (support_memory.live != live)
        fail_msg("%s, allocation %d: %d allocations left", c->name, (int)k,
                 (int)(support_memory.live - live));
}

/* Where few cases are asked for, those of the second pass are fewer, since most calls allocate nothing behind a failure;
 * so are those that start a program each, which costs a hundred times as much there, and those behind the first
 * hundred allocations of a call, most of which are turns of one loop. */
static int64_t step_of(const call *c, int pass, int64_t k)
{
    if (c->flags & FORKS || pass == 1)
        return !(c->flags & ALIKE) ? support_every(5) : support_every(7) == 1 ? 3 : 7;
    return k > 100 ? support_every(3) : 1;
}

/* Calls that are alike begin at different allocations, by their names. */
static int64_t first_of(const call *c)
{
    int64_t sum = 0;
    for (const char *at = c->name; *at && c->flags & ALIKE; at++)
        sum += (unsigned char)*at;
    return 1 + sum % step_of(c, 0, 1);
}

void run_call(const call *c)
{
    for (int pass = 0; pass < (c->flags & FORKS ? 1 : 2); pass++) {
        const int64_t live = support_memory.live;
        bench b;
        bench_open(&b, c);
        int64_t k = first_of(c);
        while (fail_allocation(c, &b, k, pass == 1, pass == 0)) {
            if (!(c->flags & KEEPS)) { /* another one for the next try */
                close_whole(c, &b, k, live);
                bench_open(&b, c);
            }
            k += step_of(c, pass, k);
            if (k > 20000)
                fail_msg("%s never ends", c->name);
        }
        close_whole(c, &b, k, live);
    }
}

void run_calls(const call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        run_call(&calls[i]);
}

int bench_make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/meshplan-memory-XXXXXX", support_fast_folder());
    return mkdtemp(folder) ? 0 : -1;
}

int bench_remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* --- what calls work on ---------------------------------------------------------- */

mplan_generate_options small_mesh(mplan_shape shape)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    bool solid = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET || shape == MPLAN_SHAPE_WING;
    bool round_body = shape > MPLAN_SHAPE_NACA0012;
    options.shape = shape;
    options.size[0] = shape == MPLAN_SHAPE_NACA0012               ? 6
                      : round_body && shape != MPLAN_SHAPE_SPHERE ? 8
                                                                  : 2;
    options.size[1] = 2;
    options.size[2] = solid ? 2 : 0;
    options.jitter = shape == MPLAN_SHAPE_NACA0012 || round_body ? 0 : 0.2;
    options.shuffle = shape != MPLAN_SHAPE_NACA0012;
    if (round_body)
        options.cells = MPLAN_LAYER_CELLS_HYBRID;
    return options;
}

void prepare_generated(bench *b)
{
    mplan_generate_options options = small_mesh(*(const mplan_shape *)b->data);
    assert_int_equal(mplan_mesh_generate(&options, &one, &b->mesh, NULL), MPLAN_OK);
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}
