/* SPDX-License-Identifier: Apache-2.0 */
/* bench_renumber.c - what every renumbering makes of the points of a mesh
 *
 *   bench_renumber [RUNS] MESH...
 *
 * Two graphs of each mesh: its nodes, joined when a cell has both, and its cells,
 * joined when they share a face. A line for each graph and method: mesh, set,
 * vertices, neighbours, method, bandwidth, profile, root mean square wavefront,
 * user seconds of the ordering only (SCOTCH's child included), the least of RUNS
 * runs: what else the machine does adds to them and takes nothing away.
 * tools/bench/renumber makes meshes and tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mesh/adjacency.h"
#include "order/order.h"

enum { WIDE_ROW = 128 }; /* as in pipeline/order_sets.c */

typedef struct bench_graph {
    const char *mesh, *set;
    mplan_csr csr;
    int32_t dimension;
    double *coordinates; /* of the vertices */
} bench_graph;

static void stop(const mplan_error *err)
{
    fprintf(stderr, "bench_renumber: %s\n", err->text);
    exit(1);
}

static void *allocate(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) {
        fputs("bench_renumber: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static double user_seconds(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.ru_utime.tv_sec + children.ru_utime.tv_sec) +
           1e-6 * (double)(own.ru_utime.tv_usec + children.ru_utime.tv_usec);
}

/* Bandwidth, profile, and the wavefront: how many vertices with a higher or the
 * same number are a vertex or joined to one up to it. */
static void print_measures(const bench_graph *g, const int32_t *place)
{
    const mplan_csr *csr = &g->csr;
    int64_t *change = allocate(csr->n + 1, sizeof *change), bandwidth = 0, profile = 0, front = 0;
    for (int64_t v = 0; v < csr->n; v++) {
        int64_t p = place ? place[v] : v, low = p;
        for (int64_t k = csr->offsets[v]; k < csr->offsets[v + 1]; k++) {
            int64_t q = place ? place[csr->neighbours[k]] : csr->neighbours[k];
            low = q < low ? q : low;
        }
        bandwidth = p - low > bandwidth ? p - low : bandwidth;
        profile += p - low;
        change[low]++;
        change[p + 1]--;
    }
    double squares = 0;
    for (int64_t i = 0; i < csr->n; i++) {
        front += change[i];
        squares += (double)front * (double)front;
    }
    free(change);
    printf(" %lld %lld %.1f", (long long)bandwidth, (long long)profile,
           csr->n ? sqrt(squares / (double)csr->n) : 0.0);
}

static mplan_status order_by(const bench_graph *g, mplan_renumber method, int32_t *place,
                             mplan_error *err)
{
    switch (method) {
    case MPLAN_RENUMBER_GPS: return mplan_order_gps(&g->csr, place, NULL, err);
    case MPLAN_RENUMBER_SCOTCH_GPS: return mplan_order_scotch_gps(&g->csr, place, NULL, err);
    case MPLAN_RENUMBER_RCM: return mplan_order_rcm(&g->csr, place, NULL, err);
    case MPLAN_RENUMBER_AGGLOMERATE: return mplan_order_agglomerate(&g->csr, place, NULL, err);
    case MPLAN_RENUMBER_SLOAN: return mplan_order_sloan(&g->csr, place, NULL, err);
    default: return mplan_order_hilbert(g->csr.n, g->dimension, g->coordinates, place, NULL, err);
    }
}

/* The least seconds of `runs`; below zero when the build lacks the method. */
static double time_order(const bench_graph *g, mplan_renumber method, int32_t runs, int32_t *place)
{
    mplan_error err;
    double least = -1;
    for (int32_t run = 0; run < runs; run++) {
        double start = user_seconds();
        mplan_status status = order_by(g, method, place, &err);
        double seconds = user_seconds() - start;
        if (status == MPLAN_ERR_UNSUPPORTED)
            return -1;
        if (status != MPLAN_OK)
            stop(&err);
        least = run == 0 || seconds < least ? seconds : least;
    }
    return least;
}

static void measure_all(const bench_graph *g, int32_t runs)
{
    static const mplan_renumber methods[] = {
        MPLAN_RENUMBER_NONE,  MPLAN_RENUMBER_GPS,     MPLAN_RENUMBER_SCOTCH_GPS, MPLAN_RENUMBER_RCM,
        MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_HILBERT, MPLAN_RENUMBER_AGGLOMERATE};
    int32_t *place = allocate(g->csr.n, sizeof *place);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double seconds = 0;
        if (methods[m] == MPLAN_RENUMBER_HILBERT && !g->coordinates)
            continue;
        if (methods[m] != MPLAN_RENUMBER_NONE)
            seconds = time_order(g, methods[m], runs, place);
        if (seconds < 0)
            continue;
        printf("%s %s %lld %lld %s", g->mesh, g->set, (long long)g->csr.n,
               (long long)g->csr.offsets[g->csr.n], mplan_renumber_name(methods[m]));
        print_measures(g, methods[m] == MPLAN_RENUMBER_NONE ? NULL : place);
        printf(" %.4f\n", seconds);
        fflush(stdout);
    }
    free(place);
}

static mplan_map map_of(const mplan_mesh *mesh, const char *name)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        if (strcmp(map.name, name) == 0)
            return map;
    }
    return (mplan_map){0};
}

/* Means of the nodes' coordinates; NULL when these are not there. */
static double *centres(const mplan_mesh *mesh, const mplan_map *cells_nodes, int32_t *dimension)
{
    const double *nodes = mplan_mesh_coordinates(mesh, cells_nodes->to, dimension);
    if (!nodes)
        return NULL;
    double *mean = allocate(cells_nodes->n_rows * *dimension, sizeof *mean);
    for (int64_t c = 0; c < cells_nodes->n_rows; c++) {
        int32_t length;
        const int32_t *node = mplan_map_row(cells_nodes, c, &length);
        for (int32_t k = 0; k < length; k++)
            for (int32_t d = 0; d < *dimension; d++)
                mean[c * *dimension + d] += nodes[(int64_t)node[k] * *dimension + d] / length;
    }
    return mean;
}

static void bench_mesh(const char *path, int32_t runs)
{
    mplan_error err;
    mplan_mesh *mesh;
    if (mplan_mesh_read(path, NULL, NULL, &mesh, &err) != MPLAN_OK)
        stop(&err);
    const char *slash = strrchr(path, '/'), *faces = mplan_mesh_faces_name(mesh);
    char faces_cells[256];
    snprintf(faces_cells, sizeof faces_cells, "%s_cells", faces);
    if (mplan_mesh_derive(mesh, faces_cells, NULL, &err) != MPLAN_OK ||
        mplan_mesh_derive(mesh, "cells_nodes", NULL, &err) != MPLAN_OK)
        stop(&err);
    mplan_map maps[2] = {map_of(mesh, "cells_nodes"), map_of(mesh, faces_cells)};
    bench_graph g = {.mesh = slash ? slash + 1 : path};
    for (int m = 0; m < 2; m++) {
        if (mplan_graph_of_points(&maps[m], 1, WIDE_ROW, &g.csr, NULL, &err) != MPLAN_OK)
            stop(&err);
        g.set = m ? "cells" : "nodes";
        const double *nodes = mplan_mesh_coordinates(mesh, maps[0].to, &g.dimension);
        g.coordinates = m ? centres(mesh, &maps[0], &g.dimension) : (double *)(uintptr_t)nodes;
        measure_all(&g, runs);
        if (m)
            free(g.coordinates);
        mplan_csr_free(&g.csr);
    }
    mplan_mesh_free(mesh);
}

int main(int argc, char **argv)
{
    int first = argc > 1 && strspn(argv[1], "0123456789") == strlen(argv[1]) ? 2 : 1;
    long runs = first == 2 ? strtol(argv[1], NULL, 10) : 1;
    if (argc <= first || runs < 1 || runs > 1000) {
        fputs("usage: bench_renumber [RUNS] MESH...\n", stderr);
        return 2;
    }
    for (int i = first; i < argc; i++)
        bench_mesh(argv[i], (int32_t)runs);
    return 0;
}
