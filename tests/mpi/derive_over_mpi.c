/* SPDX-License-Identifier: Apache-2.0 */
/* derive_over_mpi.c - connectivity that ranks derive together is numbered as one process numbers it
 *
 * Random cells, collapsed, folded and repeated ones among them, against the serial library: the same sets and maps, or the same
 * refusal. */
#include "over_ranks.h"

#include "mesh/mesh.h"
#include "mpi/exchange.h"
#include "mpi/mpi_read.h"

static mplan_error err;

/* Splitmix64. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Everything of both, set by set and map by map. */
static void need_same(const mpi_mesh *mesh, const mplan_mesh *serial)
{
    NEED(mesh->n_sets == serial->n_sets && mesh->n_maps == serial->n_maps);
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        NEED(strcmp(mesh->sets[s].name, serial->sets[s].name) == 0);
        NEED(mesh->sets[s].size == serial->sets[s].size);
        NEED(mesh->sets[s].derived == serial->sets[s].derived);
        NEED(mesh->sets[s].first[0] == 0 && mesh->sets[s].first[mesh->ranks] == mesh->sets[s].size);
    }
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        const mpi_map *map = &mesh->maps[m];
        const mplan_map other = mplan_mesh_map(serial, m);
        NEED(strcmp(map->name, other.name) == 0 && map->arity == other.arity);
        NEED(map->from == other.from && map->to == other.to);
        NEED(map->derived == serial->maps[m].derived);
        const int64_t begin = mesh->sets[map->from].first[mesh->rank];
        const int64_t n = mesh->sets[map->from].first[mesh->rank + 1] - begin;
        for (int64_t row = 0; row < n; row++) {
            int32_t length;
            const int32_t *values = mplan_map_row(&other, begin + row, &length);
            const int64_t at = map->offsets ? map->offsets[row] : row * map->arity;
            NEED(!map->offsets || map->offsets[row + 1] - at == length);
            for (int32_t k = 0; k < length; k++)
                NEED(map->values[at + k] == values[k]);
        }
    }
}

/* Derives the names one after the other in both; where one fails the other fails with the same sentence. */
static void need_derived(MPI_Comm comm, const mplan_mesh *source, const char *const *names)
{
    int rank;
    mpi_mesh *mesh;
    mplan_mesh *serial = NULL;
    mplan_error why = {MPLAN_OK, ""};
    MPI_Comm_rank(comm, &rank);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? source : NULL, &mesh, &err), &err);
    serial = (mplan_mesh *)(uintptr_t)source;
    for (int i = 0; names[i]; i++) {
        const mplan_status expected = mplan_mesh_derive(serial, names[i], NULL, &why);
        mplan_error own = {MPLAN_OK, ""};
        const mplan_status got = mpi_mesh_derive(mesh, names[i], &own);
        if (expected != got || (got == MPLAN_ERR_MESH && strcmp(own.text, why.text) != 0))
            fprintf(stderr, "%s: %d '%s' not %d '%s'\n", names[i], (int)got, own.text,
                    (int)expected, why.text);
        NEED(expected == got && (got != MPLAN_ERR_MESH || strcmp(own.text, why.text) == 0));
        if (got)
            break;
    }
    need_same(mesh, serial);
    mpi_mesh_free(mesh);
}

static const char *const all_names[] = {"faces_cells",          "cells_faces", "cells_cells",
                                        "edges_cells",          "nodes_cells", "cells_edges",
                                        "nodes_boundary_faces", NULL};
static const char *const backwards[] = {"cells_cells", "nodes_edges", "cells_boundary_faces", NULL};

/* Cells of random nodes of few; of several types. */
static mplan_mesh *random_cells(uint64_t *state, int dimension, bool coordinates)
{
    static const uint8_t of[2][4] = {
        {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4, MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4},
        {MPLAN_CELL_TET4, MPLAN_CELL_PYRAMID5, MPLAN_CELL_PRISM6, MPLAN_CELL_HEX8}};
    mplan_mesh *mesh;
    uint8_t type[12];
    int32_t nodes[96], n = 0;
    const int32_t n_cells = (int32_t)(draw(state) % 12), n_nodes = 7 + (int32_t)(draw(state) % 12);
    const uint64_t mixed = draw(state) % 3; /* 0: of one type */
    double xyz[3 * 20];
    for (int32_t c = 0; c < n_cells; c++) {
        type[c] = of[dimension - 2][mixed ? draw(state) % 4 : (*state >> 40) % 1];
        const int32_t size = mplan_cell_type_nodes((mplan_cell_type)type[c]);
        const int32_t begin = (int32_t)(draw(state) % 7);
        for (int32_t k = 0; k < size; k++) /* mostly nodes in a row, so that cells share faces */
            nodes[n++] = draw(state) % 8 ? (begin + k) % n_nodes
                                         : (int32_t)(draw(state) % (uint64_t)n_nodes);
    }
    for (int i = 0; i < 60; i++)
        xyz[i] = (double)(draw(state) % 1000) / 100;
    NEED_DONE(mplan_mesh_create(&mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_cells(mesh, n_nodes, n_cells, type, nodes, &err), &err);
    if (coordinates)
        NEED_DONE(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), dimension,
                                             xyz, &err),
                  &err);
    return mesh;
}

static void random_meshes(MPI_Comm comm)
{
    uint64_t state = 5;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < (ranks == 1 ? 400 : 24); i++) {
        mplan_mesh *mesh = random_cells(&state, 2 + i % 2, i % 3 > 0);
        need_derived(comm, mesh, i % 4 ? all_names : backwards);
        mplan_mesh_free(mesh);
    }
}

/* Meshes as they are: boundary layers of prisms and tets, plane triangles, a surface in space, fewer cells than ranks. */
static void generated(MPI_Comm comm)
{
    static const mplan_shape shapes[] = {MPLAN_SHAPE_BOUNDARY_LAYER, MPLAN_SHAPE_TRI,
                                         MPLAN_SHAPE_TET, MPLAN_SHAPE_CUBED_SPHERE, MPLAN_SHAPE_QUAD};
    for (int i = 0; i < 5; i++) {
        mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
        mplan_mesh *mesh;
        options.shape = shapes[i];
        options.size[0] = i == 4 ? 1 : i == 0 ? 16 : 4;
        options.size[1] = i == 4 ? 1 : i == 3 ? 0 : 3;
        options.size[2] = shapes[i] == MPLAN_SHAPE_TET || i == 0 ? 2 : 0;
        options.cells = i == 0 ? MPLAN_LAYER_CELLS_HYBRID : MPLAN_LAYER_CELLS_AUTO;
        options.shuffle = i != 3 && i != 4;
        NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        need_derived(comm, mesh, all_names);
        mplan_mesh_free(mesh);
    }
}

/* What cannot be: no types, no such name, the file's own faces. */
static void refusals(MPI_Comm comm)
{
    static const char *const names[] = {"nothing", "faces_cells", "cells_links"};
    static const char *const words[] = {"no map leads in the opposite direction",
                                        "has no cells with known types", NULL};
    const int32_t links[4] = {0, 1, 1, 2};
    mplan_mesh *mesh;
    mpi_mesh *spread;
    int rank;
    MPI_Comm_rank(comm, &rank);
    NEED_DONE(mplan_mesh_create(&mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "links", 2, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(mesh, "cells", 3, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &err), &err);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? mesh : NULL, &spread, &err), &err);
    for (int i = 0; i < 3; i++) {
        const mplan_status status = mpi_mesh_derive(spread, names[i], &err);
        NEED(status == (words[i] ? MPLAN_ERR_ARGUMENT : MPLAN_OK));
        NEED(!words[i] || strstr(err.text, words[i]));
    }
    NEED_DONE(mplan_mesh_derive(mesh, "cells_links", NULL, &err), &err);
    need_same(spread, mesh);
    mpi_mesh_free(spread);
    mplan_mesh_free(mesh);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    over_ranks(refusals);
    over_ranks(generated);
    over_ranks(random_meshes);
    MPI_Finalize();
    return 0;
}
