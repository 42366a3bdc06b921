/* SPDX-License-Identifier: Apache-2.0 */
/* sets_over_mpi.c - loops over sets that are split or groups, over ranks: bundles are those of one process, byte for byte */
#include "plan_cases.h"

/* --- sets that are split --------------------------------------------------------------------------- */

enum { CELLS = 30, LINKS = 70, CORNERS = 50 };

/* Which entries of links are none. */
enum { NONE, SOME, ALL };

static bool is_none(int kind, int32_t i)
{
    return kind == ALL || (kind == SOME && (i % 3 == 0 || i > LINKS - 9));
}

/* Links between cells, some of which have one cell only; rows of links: equally long, or `ragged`. A map leads to the links, and
 * one from the links to links. */
static plan_case split_case(int32_t n_parts, int kind, bool ragged)
{
    plan_case c = {.options = MPLAN_PLAN_OPTIONS_INIT};
    int32_t rows[3 * LINKS], corners[CORNERS], next[LINKS], n = 0;
    int64_t offsets[LINKS + 1] = {0};
    double xyz[2 * LINKS];
    for (int32_t i = 0; i < LINKS; i++) {
        rows[n++] = i * 7 % CELLS;
        rows[n++] = is_none(kind, i) ? -1 : (i * 7 + 1 + i % 5) % CELLS;
        if (ragged && i % 4 == 0)
            rows[n++] = i % CELLS;
        offsets[i + 1] = n;
        next[i] = (i * 3 + 1) % LINKS;
        xyz[2 * i] = i % 10;
        xyz[2 * i + 1] = i / 10;
    }
    for (int32_t i = 0; i < CORNERS; i++)
        corners[i] = i * 11 % LINKS;
    NEED_DONE(mplan_mesh_create(&c.mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(c.mesh, "links", LINKS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(c.mesh, "cells", CELLS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(c.mesh, "corners", CORNERS, NULL, &err), &err);
    NEED_DONE(mplan_mesh_set_coordinates(c.mesh, 0, 2, xyz, &err), &err);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "links_cells", 0, 1, ragged ? 0 : 2,
                                 ragged ? offsets : NULL, rows, NULL, &err),
              &err);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "corners_links", 2, 0, 1, NULL, corners, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "links_next", 0, 0, 1, NULL, next, NULL, &err), &err);
    add_loop(&c, "sum", "links");
    add_arg(&c, "a", "links_cells", MPLAN_INC, 1);
    add_arg(&c, "x", "links_next", MPLAN_READ, 1);
    c.args[0][0].none = MPLAN_NONE_SPLIT;
    add_loop(&c, "border", "links_boundary");
    add_arg(&c, "a", "links_boundary_cells", MPLAN_INC, 1);
    add_arg(&c, "y", NULL, MPLAN_READ, 2);
    add_loop(&c, "back", "corners");
    add_arg(&c, "x", "corners_links", MPLAN_READ, 1);
    add_arg(&c, "z", NULL, MPLAN_WRITE, 1);
    c.loops[0].primary = true;
    add_parts(&c, "cells", n_parts, 0);
    return c;
}

/* --- groups ------------------------------------------------------------------------------------------- */

/* A mesh whose faces nobody has derived: sides of the square wait for them. More: 0 none, 1 a group of faces of the boundary
 * and repeats of them, 2 one with faces inside as well, 3 one of which two facets are faces of no cell. */
static mplan_mesh *square(int more)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    options.shape = MPLAN_SHAPE_TRI;
    options.size[0] = 7;
    options.size[1] = 6;
    options.shuffle = true;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    const mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    uint8_t type[40];
    int32_t nodes[80], n = 0;
    for (int64_t c = 0; c < 12 && more; c++, n++) { /* an edge of each of some cells */
        type[n] = MPLAN_CELL_LINE2;
        nodes[2 * n] = cells.values[3 * c * 5 + c % 3];
        nodes[2 * n + 1] = cells.values[3 * c * 5 + (c + 1) % 3];
    }
    for (int32_t i = 0; i < 2 && more == 3; i++, n++) {
        type[n] = MPLAN_CELL_LINE2;
        nodes[2 * n] = 1;
        nodes[2 * n + 1] = 1 + i * 0 + 40;
    }
    if (more)
        NEED_DONE(mplan_mesh_add_facets(mesh, "mix", 9, n, type, nodes, &err), &err);
    return mesh;
}

/* Loops over the name of a group of facets, as set and by its maps. */
static plan_case walls_case(int32_t n_parts, int more, const char *wall, const char *to_cells,
                            const char *to_nodes)
{
    plan_case c = {.mesh = square(more), .options = MPLAN_PLAN_OPTIONS_INIT};
    add_loop(&c, "flux", "faces");
    add_arg(&c, "q", "faces_cells", MPLAN_INC, 3);
    add_loop(&c, "wall", wall);
    add_arg(&c, "q", to_cells, MPLAN_INC, 3);
    add_arg(&c, "x", to_nodes, MPLAN_READ, 2);
    add_arg(&c, "w", NULL, MPLAN_WRITE, 1);
    c.loops[0].primary = true;
    add_parts(&c, "cells", n_parts, 0);
    return c;
}

/* Groups of cells, two of one name with members in common, and one without members; by the parent's maps, to the parent, and
 * from nodes to the group. */
static plan_case zones_case(int32_t n_parts, bool fixed)
{
    plan_case c = {.mesh = square(0), .options = MPLAN_PLAN_OPTIONS_INIT};
    const int32_t cells = mplan_mesh_find_set(c.mesh, "cells");
    const int32_t one[] = {3, 5, 8, 21, 40, 41}, other[] = {0, 8, 20, 21, 60, 80};
    NEED_DONE(mplan_mesh_add_group(c.mesh, "zone", 1, 2, cells, 6, one, &err), &err);
    NEED_DONE(mplan_mesh_add_group(c.mesh, "zone", 2, 2, cells, 6, other, &err), &err);
    NEED_DONE(mplan_mesh_add_group(c.mesh, "cells", 3, 2, cells, 6, one, &err), &err);
    NEED_DONE(mplan_mesh_add_group(c.mesh, "none", 4, 2, cells, 0, NULL, &err), &err);
    add_loop(&c, "heat", "group:zone");
    add_arg(&c, "t", "group:zone_nodes", MPLAN_INC, 1);
    add_arg(&c, "k", "group:zone_cells", MPLAN_READ, 1);
    add_loop(&c, "gather", "nodes");
    add_arg(&c, "s", fixed ? "nodes_cells" : "nodes_group:zone", MPLAN_READ, 1);
    add_arg(&c, "t", NULL, MPLAN_READ, 1);
    add_loop(&c, "still", fixed ? "group:cells" : "none");
    add_arg(&c, "k", fixed ? "group:cells_cells" : "none_cells", MPLAN_READ, 1);
    add_arg(&c, "u", NULL, MPLAN_WRITE, 1);
    c.loops[0].primary = true;
    add_parts(&c, "nodes", n_parts, 1);
    return c;
}

/* Both refuse alike. */
static void refused(MPI_Comm comm, plan_case c)
{
    int rank;
    int32_t set;
    mpi_mesh *mesh;
    mpi_parts parts = {.parts = NULL};
    mplan_error why;
    static const mplan_context none = MPLAN_CONTEXT_INIT;
    MPI_Comm_rank(comm, &rank);
    point_to_args(&c);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? c.mesh : NULL, &mesh, &err), &err);
    mplan_status status = mpi_parts_resolve(mesh, c.n_loops, c.loops, &parts, &why);
    if (!status)
        status = mpi_parts_choose(c.n_loops, c.loops, &c.options, &none, &parts, &set, &why);
    NEED(status);
    mpi_parts_free(&parts);
    mpi_mesh_free(mesh);
    if (rank == 0) {
        mplan_parts *serial;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        how.n_parts = 2;
        const mplan_status due = mplan_parts_create(c.mesh, c.n_loops, c.loops, &c.options, &how,
                                                    NULL, &serial, &err);
        if (due != status || strcmp(err.text, why.text) != 0)
            fprintf(stderr, "%d %s\n%d %s\n", (int)due, err.text, (int)status, why.text);
        NEED(due == status && strcmp(err.text, why.text) == 0);
    }
    mplan_mesh_free(c.mesh);
    free(c.part);
}

static void groups(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    check_case(comm, walls_case(5, 1, "left", "left_cells", "left_nodes"));
    check_case(comm, zones_case(3, false));
    if (ranks == 2 || ranks == 3)
        return;
    check_case(comm, walls_case(4, 3, "group:top", "group:top_cells", "group:top_nodes"));
    check_case(comm, zones_case(4, true));
    refused(comm, walls_case(2, 2, "mix", "mix_cells", "mix_nodes"));
    refused(comm, walls_case(2, 1, "lefd", "lefd_cells", "lefd_nodes"));
    refused(comm, walls_case(2, 1, "left", "left_edges", "left_nodes"));
    plan_case split = walls_case(2, 0, "left", "left_cells", "left_nodes");
    split.loops[2] = (mplan_loop){.name = "more", .over = "boundary_faces", .calls = 1, .n_args = 1};
    split.args[2][0] = split.args[0][0];
    split.args[2][0].map = "boundary_faces_cells";
    split.args[2][0].none = MPLAN_NONE_SPLIT;
    split.n_loops = 3;
    refused(comm, split); /* splits come first: the group is a part of what is split */
}

static void splits(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    check_case(comm, split_case(5, SOME, true));
    if (ranks == 2 || ranks == 3)
        return;
    check_case(comm, split_case(4, SOME, false));
    check_case(comm, split_case(3, NONE, false));
    check_case(comm, split_case(3, ALL, true));
    check_cut(comm, split_case(3, SOME, false));
    /* a set is split by a map that leads elsewhere, and from it; links that went are none for the corners */
    static const char *const maps[] = {"links_next", "corners_links", "links_cells", "links_cells"};
    for (int i = 0; i < 4; i++) {
        plan_case wrong = split_case(2, SOME, false);
        wrong.args[0][0].map = maps[i];
        wrong.loops[0].over = i == 2 ? "limks" : "links";
        wrong.args[2][0].none = i == 3 ? MPLAN_NONE_REFUSE : MPLAN_NONE_SKIP;
        refused(comm, wrong);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_folder("sets-over");
    over_ranks(splits);
    over_ranks(groups);
    remove_folder();
    MPI_Finalize();
    return 0;
}
