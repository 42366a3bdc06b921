/* SPDX-License-Identifier: Apache-2.0 */
/* cut_over_mpi.c - meshes that are dealt out to ranks: fingerprints and cuts are those of one rank
 *
 * Every rank makes each mesh and its cut by itself, too; what a cut costs is counted by plain code. */
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_ptscotch.h"
#include "mpi/mpi_read.h"
#include "over_ranks.h"

#include "mesh/mesh.h"
#include "partition/partition.h"

static mplan_error err;

/* --- meshes ------------------------------------------------------------------------------------- */

static mplan_mesh *tets(int32_t n, bool coordinates)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = n;
    options.jitter = 0.2;
    options.shuffle = true;
    options.stretch[2] = 0.02;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "edges_cells", NULL, &err), &err); /* a ragged map */
    if (!coordinates) {
        mplan_mesh_set_data *nodes = &mesh->sets[mplan_mesh_find_set(mesh, "nodes")];
        free(nodes->coordinates);
        nodes->coordinates = NULL;
        nodes->dimension = 0;
    }
    return mesh;
}

/* Links of cell 0 to all others, and of each to its next. */
static mplan_mesh *hub(int32_t n)
{
    mplan_mesh *mesh;
    int32_t *links = malloc((size_t)(4 * n) * sizeof *links);
    NEED(links);
    for (int32_t i = 0; i < n; i++) {
        links[4 * i] = 0;
        links[4 * i + 1] = links[4 * i + 2] = i;
        links[4 * i + 3] = i % 3 == 0 ? -1 : (i + 1) % n;
    }
    NEED_DONE(mplan_mesh_create(&mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "links", 2 * n, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "cells", n, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &err), &err);
    free(links);
    return mesh;
}

/* Rows of 600 cells, and points that 600 cells share: above the length from which a row joins neighbours in it only. */
static mplan_mesh *wide(void)
{
    enum { CELLS = 1300, ROWS = 3, ARITY = 600 };
    mplan_mesh *mesh;
    static int32_t rows[ROWS * ARITY], points[2 * CELLS];
    for (int32_t i = 0; i < ROWS * ARITY; i++)
        rows[i] = i % 50 == 7 ? -1 : (i * 7 + i / ARITY) % CELLS;
    for (int32_t i = 0; i < CELLS; i++) {
        points[2 * i] = i < ARITY ? 0 : 1 + i % 400;
        points[2 * i + 1] = (i + 1) % 401;
    }
    NEED_DONE(mplan_mesh_create(&mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "rows", ROWS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "points", 401, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(mesh, "rows_cells", 0, 1, ARITY, NULL, rows, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(mesh, "cells_points", 1, 2, 2, NULL, points, NULL, &err), &err);
    return mesh;
}

/* --- cuts ----------------------------------------------------------------------------------------- */

typedef struct cut_case {
    const char *map; /* NULL: none */
    bool from;       /* its from-set is cut, not its to-set */
    int32_t n_parts;
    int64_t coarse;
    double within; /* times the volume of meshplan's serial cut; 0: any */
} cut_case;

/* Of all members, on rank 0 of the group. */
static int32_t *cut(MPI_Comm comm, const mplan_mesh *mesh, const cut_case *c, int32_t set,
                    mpi_cut_figures *figures)
{
    int rank;
    mpi_mesh *spread;
    mpi_items all;
    MPI_Comm_rank(comm, &rank);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? mesh : NULL, &spread, &err), &err);
    const int32_t map = c->map ? mpi_mesh_find_map(spread, c->map) : -1, n_maps = map >= 0;
    const mpi_cut_options options = {.n_parts = c->n_parts, .coarse = c->coarse};
    const int64_t *first = spread->sets[set].first, n = first[rank + 1] - first[rank];
    int32_t *owner = malloc((size_t)n * sizeof *owner + 1);
    NEED(owner);
    NEED_DONE(mpi_cut(spread, set, n_maps, &map, &options, owner, &err), &err);
    NEED_DONE(mpi_cut_measure(spread, set, n_maps, &map, c->n_parts, owner, figures, &err), &err);
    NEED_DONE(mpi_gather(comm, false, MPLAN_OK, sizeof *owner, owner, n, &all, &err), &err);
    free(all.counts);
    free(owner);
    mpi_mesh_free(spread);
    return all.data;
}

/* Pairs of a vertex and another part, looked for one by one. */
static int64_t plain_volume(const mplan_csr *graph, int32_t n_parts, const int32_t *part)
{
    int64_t volume = 0;
    for (int64_t v = 0; v < graph->n; v++)
        for (int32_t p = 0; p < n_parts; p++) {
            bool near = false;
            for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
                near = near || part[graph->neighbours[i]] == p;
            volume += near && p != part[v];
        }
    return volume;
}

static void make_graph(const mplan_mesh *mesh, const cut_case *c, int64_t n, mplan_csr *graph)
{
    *graph = (mplan_csr){n, calloc((size_t)n + 1, sizeof(int64_t)), NULL};
    if (!c->map)
        return;
    const mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, c->map));
    free(graph->offsets);
    if (c->from)
        NEED_DONE(mplan_graph_of_elements(&map, 1, 512, graph, &err), &err);
    else
        NEED_DONE(mplan_graph_of_points(&map, 1, 512, graph, NULL, &err), &err);
}

/* No part is empty where there are as many members, none is too large, and the figures are right. */
static void audit(const mplan_mesh *mesh, const cut_case *c, int32_t set, const int32_t *owner,
                  const mpi_cut_figures *figures)
{
    const int64_t n = mplan_mesh_set(mesh, set).size;
    int64_t *size = calloc((size_t)c->n_parts, sizeof *size), least = n, largest = 0;
    mplan_csr graph;
    NEED(size);
    for (int64_t i = 0; i < n; i++) {
        NEED(owner[i] >= 0 && owner[i] < c->n_parts);
        size[owner[i]]++;
    }
    for (int32_t p = 0; p < c->n_parts; p++) {
        least = size[p] < least ? size[p] : least;
        largest = size[p] > largest ? size[p] : largest;
    }
    const int64_t mean = (n + c->n_parts - 1) / c->n_parts;
    const int64_t most = (int64_t)(1.01 * (double)n / c->n_parts);
    NEED(least > 0 || n < c->n_parts);
    NEED(largest <= (most > mean ? most : mean));
    NEED(figures->least == least && figures->largest == largest);
    make_graph(mesh, c, n, &graph);
    NEED(figures->volume == plain_volume(&graph, c->n_parts, owner));
    if (c->within > 0) {
        int32_t *part = malloc((size_t)n * sizeof *part);
        NEED(part);
        NEED_DONE(mplan_partition_bisect(&graph, c->n_parts, 1.01, NULL, part, NULL, &err), &err);
        NEED((double)figures->volume <= c->within * (double)plain_volume(&graph, c->n_parts, part));
        free(part);
    }
    mplan_csr_free(&graph);
    free(size);
}

/* The same parts as one rank finds. */
static void check_cut(MPI_Comm comm, const mplan_mesh *mesh, const cut_case *c)
{
    int rank;
    mpi_cut_figures figures, single;
    int32_t set = mplan_mesh_find_set(mesh, "cells");
    MPI_Comm_rank(comm, &rank);
    int32_t *owner = cut(comm, mesh, c, set, &figures);
    if (rank == 0) {
        int32_t *alone = cut(MPI_COMM_SELF, mesh, c, set, &single);
        NEED(memcmp(owner, alone, (size_t)mplan_mesh_set(mesh, set).size * sizeof *owner) == 0);
        NEED(memcmp(&figures, &single, sizeof single) == 0);
        audit(mesh, c, set, owner, &figures);
        free(alone);
    }
    free(owner);
}

static void cuts(MPI_Comm comm)
{
    /* clang-format off */
    static const cut_case of_tets[] = {
        {"faces_cells", false, 5, 40, 1.1}, /* several levels */
        {"faces_cells", false, 4, 0, 1.1},  /* one level */
        {"cells_nodes", true, 3, 60, 1.15},
        {NULL, false, 3, 20, 0},            /* nobody has neighbours */
    };
    static const cut_case of_hub[] = {
        {"links_cells", false, 4, 16, 0}, {"links_cells", false, 1, 0, 0}, {"links_cells", false, 170, 0, 0}};
    /* clang-format on */
    int ranks;
    MPI_Comm_size(comm, &ranks);
    const bool all = ranks == 1 || ranks == 4; /* groups of other numbers try a few */
    for (int i = 0; i < (all ? 4 : 1); i++) {
        static const cut_case of_many = {"faces_cells", false, 3, 80, 1.15};
        mplan_mesh *mesh = tets(4, i != 1);
        check_cut(comm, mesh, ranks > 4 ? &of_many : &of_tets[i]);
        mplan_mesh_free(mesh);
    }
    for (int i = 0; i < (all ? 3 : 0); i++) {
        mplan_mesh *mesh = hub(150);
        check_cut(comm, mesh, &of_hub[i]);
        mplan_mesh_free(mesh);
    }
    for (int i = 0; i < (all ? 2 : 0); i++) {
        static const cut_case of_wide[] = {{"rows_cells", false, 5, 0, 0},
                                           {"cells_points", true, 5, 0, 0}};
        mplan_mesh *mesh = wide();
        check_cut(comm, mesh, &of_wide[i]);
        mplan_mesh_free(mesh);
    }
    for (int32_t n = 0; n < (all ? 4 : 1); n++) { /* fewer cells than ranks, and than parts */
        mplan_mesh *mesh = hub(n);
        check_cut(comm, mesh, &of_hub[0]);
        mplan_mesh_free(mesh);
    }
}

/* --- fingerprints ---------------------------------------------------------------------------------- */

/* Of a mesh of several pieces of 1 MiB, in which ranks begin anywhere, and of a small one. */
/* What members weigh, which stay together, and nodes that are cut first: of all members, the same on every rank. */
typedef struct wishes {
    int32_t n_parts, nodes;
    double imbalance;
    int64_t *weight, *group, n_groups; /* NULL: none */
    int32_t cut_ranks;                 /* of PT-SCOTCH; 0: our own cut */
} wishes;

/* Owners of all members, on rank 0 of the group. */
static int32_t *cut_by_wishes(MPI_Comm comm, const mplan_mesh *mesh, const wishes *w)
{
    int rank;
    mpi_mesh *spread;
    mpi_items all;
    MPI_Comm_rank(comm, &rank);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? mesh : NULL, &spread, &err), &err);
    const int32_t set = mpi_mesh_find_set(spread, "cells"),
                  map = mpi_mesh_find_map(spread, "faces_cells");
    const int64_t *first = spread->sets[set].first, n = first[rank + 1] - first[rank];
    const mpi_cut_options options = {.n_parts = w->n_parts,
                                     .imbalance = w->imbalance,
                                     .coarse = 60,
                                     .nodes = w->nodes,
                                     .weight = w->weight ? w->weight + first[rank] : NULL,
                                     .group = w->group ? w->group + first[rank] : NULL,
                                     .n_groups = w->n_groups,
                                     .ptscotch = w->cut_ranks > 0,
                                     .cut_ranks = w->cut_ranks};
    int32_t *owner = malloc((size_t)n * sizeof *owner + 1);
    NEED(owner);
    NEED_DONE(mpi_cut(spread, set, 1, &map, &options, owner, &err), &err);
    NEED_DONE(mpi_gather(comm, false, MPLAN_OK, sizeof *owner, owner, n, &all, &err), &err);
    free(all.counts);
    free(owner);
    mpi_mesh_free(spread);
    return all.data;
}

/* Groups are whole, no part is empty, and no part, and no node's parts together, weigh more than asked for and one vertex. */
static void audit_wishes(int64_t n, const wishes *w, const int32_t *owner)
{
    int64_t weigh[16] = {0}, node[16] = {0}, total = 0, heaviest = 0;
    int64_t *of_group = calloc((size_t)n + 1, sizeof *of_group);
    int32_t *part = malloc((size_t)(n + 1) * sizeof *part);
    NEED(of_group && part);
    for (int64_t i = 0; i < n; i++)
        part[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t own = w->weight ? w->weight[i] : 1, g = w->group ? w->group[i] : i;
        NEED(owner[i] >= 0 && owner[i] < w->n_parts);
        NEED(part[g] < 0 || part[g] == owner[i]);
        part[g] = owner[i];
        of_group[g] += own;
        heaviest = of_group[g] > heaviest ? of_group[g] : heaviest;
        weigh[owner[i]] += own;
        total += own;
        if (w->nodes)
            node[owner[i] / (w->n_parts / w->nodes)] += own;
    }
    for (int32_t p = 0; p < w->n_parts; p++)
        NEED(weigh[p] > 0 &&
             weigh[p] <= (int64_t)(w->imbalance * (double)total / w->n_parts) + heaviest);
    for (int32_t i = 0; i < w->nodes; i++)
        NEED(node[i] <= (int64_t)(w->imbalance * (double)total / w->nodes) + heaviest);
    free(of_group);
    free(part);
}

/* Groups of a few scattered members, one of neighbours that is heavy, and members by themselves; numbers by first members. */
static void make_wishes(int64_t n, int64_t *weight, int64_t *group, int64_t *n_groups)
{
    int64_t number[64];
    memset(number, -1, sizeof number);
    *n_groups = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t word = i >= 30 && i < 50 ? 0 : i % 4 == 1 ? 1 + i * 7 % 40 : -1;
        weight[i] = i * 13 % 9;
        if (word >= 0 && number[word] < 0)
            number[word] = (*n_groups)++;
        group[i] = word >= 0 ? number[word] : (*n_groups)++;
    }
}

/* Nodes are cut as so many parts would be with half of the imbalance, and no member leaves its node for the sake of a part. */
static void audit_nodes_first(const mplan_mesh *mesh, int64_t n, const wishes *w, const int32_t *owner)
{
    wishes nodes = *w;
    nodes.n_parts = w->nodes;
    nodes.nodes = 0;
    nodes.imbalance = 1 + (w->imbalance - 1) / 2;
    int32_t *node = cut_by_wishes(MPI_COMM_SELF, mesh, &nodes);
    for (int64_t i = 0; i < n; i++)
        NEED(owner[i] / (w->n_parts / w->nodes) == node[i]);
    free(node);
}

static void by_wishes(MPI_Comm comm)
{
    int rank, ranks;
    mplan_mesh *mesh = tets(4, true);
    const int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    int64_t *weight = malloc((size_t)n * sizeof *weight), *group = malloc((size_t)n * sizeof *group);
    int64_t n_groups;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    NEED(weight && group);
    make_wishes(n, weight, group, &n_groups);
    const wishes cases[] = {{6, 0, 1.02, weight, group, n_groups, 0},
                            {5, 0, 1.01, weight, NULL, 0, 0},
                            {4, 0, 1.01, NULL, group, n_groups, 0},
                            {6, 2, 1.02, NULL, NULL, 0, 0},
                            {8, 4, 1.1, weight, group, n_groups, 0}};
    for (int i = 0; i < (ranks == 1 || ranks == 4 ? 5 : 1); i++) {
        int32_t *owner = cut_by_wishes(comm, mesh, &cases[i]);
        if (rank == 0) {
            int32_t *alone = cut_by_wishes(MPI_COMM_SELF, mesh, &cases[i]);
            NEED(memcmp(owner, alone, (size_t)n * sizeof *owner) == 0);
            audit_wishes(n, &cases[i], owner);
            if (cases[i].nodes)
                audit_nodes_first(mesh, n, &cases[i], owner);
            free(alone);
        }
        free(owner);
    }
    free(weight);
    free(group);
    mplan_mesh_free(mesh);
}

/* Parts of a node are near one another: fewer faces are between nodes than with the same parts in turns. */
static void audit_nodes(const mplan_mesh *mesh, const wishes *w, const int32_t *owner)
{
    const mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "faces_cells"));
    int64_t between = 0, in_turns = 0;
    for (int64_t f = 0; f < cells.n_rows; f++) {
        const int32_t a = owner[cells.values[2 * f]], b = owner[cells.values[2 * f + 1]];
        const int32_t each = w->n_parts / w->nodes;
        between += a / each != b / each;
        in_turns += a % w->nodes != b % w->nodes;
    }
    NEED(between > 0 && between < in_turns);
}

/* PT-SCOTCH, where this build has it: on one of the ranks as one rank by itself, on two of them the same each time. */
static void by_ptscotch(MPI_Comm comm)
{
    int rank, ranks;
    mplan_mesh *mesh = tets(3, true), *small = tets(1, true);
    const int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int64_t *weight = malloc((size_t)n * sizeof *weight), *group = malloc((size_t)n * sizeof *group);
    int64_t n_groups;
    NEED(weight && group);
    make_wishes(n, weight, group, &n_groups);
    const wishes cases[] = {{5, 0, 1.02, NULL, NULL, 0, 1},
                            {4, 0, 1.02, weight, group, n_groups, 1},
                            {6, 0, 1.01, NULL, NULL, 0, 1}, /* of six cells: a part for each */
                            {6, 2, 1.02, NULL, NULL, 0, 1}};
    for (int i = 0; mpi_has_ptscotch() && ranks <= 4 && i < (ranks == 1 || ranks == 4 ? 4 : 1); i++) {
        const mplan_mesh *of = i == 2 ? small : mesh;
        const int64_t size = mplan_mesh_set(of, mplan_mesh_find_set(of, "cells")).size;
        wishes two = cases[i];
        two.cut_ranks = 2;
        int32_t *owner = cut_by_wishes(comm, of, &cases[i]), *again[2];
        for (int k = 0; k < 2; k++)
            again[k] = cut_by_wishes(comm, of, &two);
        if (rank == 0) {
            int32_t *alone = cut_by_wishes(MPI_COMM_SELF, of, &cases[i]);
            NEED(memcmp(owner, alone, (size_t)size * sizeof *owner) == 0);
            NEED(memcmp(again[0], again[1], (size_t)size * sizeof *owner) == 0);
            audit_wishes(size, &cases[i], owner);
            audit_wishes(size, &two, again[0]);
            if (two.nodes) {
                audit_nodes(of, &cases[i], owner);
                audit_nodes(of, &two, again[0]);
            }
            free(alone);
        }
        free(owner);
        free(again[0]);
        free(again[1]);
    }
    free(weight);
    free(group);
    mplan_mesh_free(mesh);
    mplan_mesh_free(small);
}

static void prints(MPI_Comm comm)
{
    for (int32_t n = 3; n <= 12; n += 9) {
        int rank, ranks;
        mpi_mesh *spread;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
        if (n > 3 && ranks > 4)
            break;
        mplan_mesh *mesh = tets(n, true);
        uint64_t topology, coordinates, serial;
        int32_t sets[16], maps[16], n_sets = mplan_mesh_n_sets(mesh),
                                    n_maps = mplan_mesh_n_maps(mesh);
        for (int32_t i = 0; i < 16; i++) {
            sets[i] = n_sets - 1 - i;
            maps[i] = i;
        }
        NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? mesh : NULL, &spread, &err), &err);
        NEED_DONE(mpi_mesh_fingerprints(spread, n_sets, sets, n_maps, maps, &topology, &coordinates,
                                        &err),
                  &err);
        NEED_DONE(mplan_mesh_fingerprint_topology(mesh, n_sets, sets, n_maps, maps, &serial, NULL,
                                                  &err),
                  &err);
        NEED(serial == topology);
        NEED_DONE(mplan_mesh_fingerprint_coordinates(mesh, n_sets, sets, &serial, NULL, &err), &err);
        NEED(serial == coordinates);
        NEED(mpi_mesh_fingerprints(spread, 1, sets, n_maps, maps, &topology, &coordinates, &err) ==
             MPLAN_ERR_ARGUMENT);
        mpi_mesh_free(spread);
        mplan_mesh_free(mesh);
    }
}

/* Members that no rank has memory for, and that ranks count by 32 bits: refused before there are arrays of them. */
static void too_many(MPI_Comm comm)
{
    mpi_mesh *mesh;
    int32_t owner = 0;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    const mpi_cut_options options = {.n_parts = 2};
    NEED_DONE(mpi_mesh_create(comm, &mesh, &err), &err);
    NEED_DONE(mpi_mesh_add_set(mesh, "cells", (INT64_C(1) << 31) * ranks, NULL, &err), &err);
    NEED(mpi_cut(mesh, 0, 0, NULL, &options, &owner, &err) == MPLAN_ERR_UNSUPPORTED);
    NEED(strcmp(err.text,
                "rank 0 has 2147483648 vertices of the graph that is cut and needs 0 of others; use more "
                "ranks") == 0);
    mpi_mesh_free(mesh);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    over_ranks(prints);
    over_ranks(cuts);
    over_ranks(by_wishes);
    over_ranks(too_many);
    over_ranks(by_ptscotch);
    MPI_Finalize();
    return 0;
}
