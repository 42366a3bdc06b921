/* SPDX-License-Identifier: Apache-2.0 */
/* test_cut_child.c - what partitioners of others may take, and what becomes of those that take more */
#include <unistd.h>

#include "base/child.h"
#include "base/child_place.h"
#include "mesh/adjacency.h"
#include "mesh/cut_child.h"
#include "support_request.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/meshplan-cut-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* n vertices in a ring. */
static void make_ring(int64_t n, mplan_csr *graph)
{
    *graph = (mplan_csr){n, malloc((size_t)(n + 1) * sizeof *graph->offsets),
                         malloc((size_t)(2 * n) * sizeof *graph->neighbours)};
    for (int64_t v = 0; v <= n; v++)
        graph->offsets[v] = 2 * v;
    for (int64_t v = 0; v < n; v++) {
        graph->neighbours[2 * v] = (int32_t)((v + n - 1) % n);
        graph->neighbours[2 * v + 1] = (int32_t)((v + 1) % n);
    }
}

/* Has tests/helper/impostor.c cut a ring, which does what `kind` says. */
static mplan_status cut_by(const char *kind, int64_t n, const mplan_context *context, mplan_error *err)
{
    char program[512], link[128];
    mplan_csr graph;
    int32_t *part = malloc((size_t)n * sizeof *part);
    const mplan_cut cut = {"METIS", "metis", &graph, 4, 0.03, 1, NULL};
    make_ring(n, &graph);
    assert_done(mplan_child_find("meshplan-impostor", program, sizeof program, err), err);
    snprintf(link, sizeof link, "%s/%s", folder, kind);
    assert_int_equal(symlink(program, link), 0);
    setenv("MPLAN_HELPER", link, 1);
    mplan_status status = mplan_cut_in_child(&cut, part, context, err);
    unsetenv("MPLAN_HELPER");
    unlink(link);
    mplan_csr_free(&graph);
    free(part);
    return status;
}

/* A ring of n has 16 n + 16 bytes. The program is told bytes and seconds. */
static void limits_grow_with_the_graph(void **state)
{
    (void)state;
    static const struct {
        int64_t n, max_memory;
        const char *says;
    } cases[] = {{100, 0, "512080800 600 metis 4"},
                 {100000, 0, "592000800 760 metis 4"},
                 {100, 12345678, "12345678 600 metis 4"}};
    mplan_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.max_memory = cases[i].max_memory;
        mplan_status status = cut_by("tells", cases[i].n, i ? &context : NULL, &err);
        assert_refused(status, MPLAN_ERR_PARTITIONER, &err, cases[i].says);
    }
}

/* Crashes and time are the partitioner's failure, memory is memory. */
static void ends_are_told_apart(void **state)
{
    (void)state;
    mplan_error err;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.read_timeout = 1;
    assert_refused(cut_by("slow", 100, NULL, &err), MPLAN_ERR_PARTITIONER, &err,
                   "METIS used more than 600 seconds of the processor");
    assert_refused(cut_by("waits", 100, &context, &err), MPLAN_ERR_PARTITIONER, &err,
                   "METIS made no progress for 1 seconds");
    assert_null(strstr(err.text, "damaged"));
    assert_refused(cut_by("crashes", 100, NULL, &err), MPLAN_ERR_PARTITIONER, &err,
                   "METIS ended by signal 11");
    assert_refused(cut_by("killed", 100, NULL, &err), MPLAN_ERR_MEMORY, &err,
                   "METIS ran out of memory");
}

/* The partitioners themselves, with less memory than a graph of 300,000 takes: between nothing, where they
 * fail at once, and what is enough. */
static void memory_is_limited(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip(); /* sanitizers reserve terabytes */
#else
    static const mplan_cut kinds[] = {{"METIS", "metis", NULL, 50, 0.03, 1, NULL},
                                      {"SCOTCH", "scotch", NULL, 50, 0.03, 1, NULL},
                                      {"SCOTCH", "scotch-order", NULL, 0, 0, 1, NULL}};
    enum { N = 300000 };
    mplan_error err;
    mplan_csr graph;
    int32_t *part = malloc(N * sizeof *part);
    make_ring(N, &graph);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        mplan_cut cut = kinds[i];
        mplan_context context = MPLAN_CONTEXT_INIT;
        cut.graph = &graph;
        if (!support_has(cut.work[0] == 'm' ? "metis" : "scotch"))
            continue;
        for (context.max_memory = 1 << 17; context.max_memory <= 1 << 22; context.max_memory *= 2)
            assert_refused(mplan_cut_in_child(&cut, part, &context, &err), MPLAN_ERR_MEMORY, &err,
                           "out of memory");
        context.max_memory = 0;
        assert_done(mplan_cut_in_child(&cut, part, &context, &err), &err);
    }
    mplan_csr_free(&graph);
    free(part);
#endif
}

/* What the library would never ask for is refused by the program, before METIS sees it. */
static void requests_are_looked_over(void **state)
{
    (void)state;
    enum { N = 100 };
    static int64_t weights[2 * N], edges[2 * N];
    static double shares[4] = {0.25, 0.25, 0.25, 0.25};
    mplan_error err;
    mplan_csr graph;
    int32_t part[N];
    mplan_cut_wishes wishes = {
        .n_constraints = 2, .weights = weights, .edge_weights = edges, .shares = shares};
    const mplan_cut cut = {"METIS", "metis", &graph, 4, 0.1, 1, &wishes};
    if (!support_has("metis"))
        skip();
    make_ring(N, &graph);
    for (int i = 0; i < 2 * N; i++)
        weights[i] = edges[i] = 1;
    assert_done(mplan_cut_in_child(&cut, part, NULL, &err), &err);
    const struct {
        int64_t *number, value;
    } cases[] = {{&weights[2 * N - 1], -1},
                 {&edges[2 * N - 1], 0},
                 {&graph.offsets[5], 9000},
                 {&graph.offsets[0], 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t old = *cases[i].number;
        *cases[i].number = cases[i].value;
        assert_refused(mplan_cut_in_child(&cut, part, NULL, &err), MPLAN_ERR_INTERNAL, &err,
                       "got no graph");
        *cases[i].number = old;
    }
    graph.neighbours[7] = N;
    assert_refused(mplan_cut_in_child(&cut, part, NULL, &err), MPLAN_ERR_INTERNAL, &err,
                   "got no graph");
    graph.neighbours[7] = 2;
    shares[3] = 0;
    assert_refused(mplan_cut_in_child(&cut, part, NULL, &err), MPLAN_ERR_INTERNAL, &err,
                   "got no graph");
    shares[3] = 0.25;
    wishes.n_constraints = MPLAN_CUT_MOST_CONSTRAINTS + 1;
    wishes.weights = calloc(N * (MPLAN_CUT_MOST_CONSTRAINTS + 1), sizeof *wishes.weights);
    assert_refused(mplan_cut_in_child(&cut, part, NULL, &err), MPLAN_ERR_INTERNAL, &err,
                   "got no graph");
    free((void *)(uintptr_t)wishes.weights);
    wishes.n_constraints = 0;
    wishes.weights = NULL;
    wishes.cuts = -1;
    assert_refused(mplan_cut_in_child(&cut, part, NULL, &err), MPLAN_ERR_INTERNAL, &err,
                   "got no graph");
    mplan_csr_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_grow_with_the_graph),
        cmocka_unit_test(ends_are_told_apart),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(requests_are_looked_over),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
