/* SPDX-License-Identifier: Apache-2.0 */
/* test_mesh.c - sets, maps, groups, validation, splits and fingerprints */
#include "support_test.h"

#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "mesh/mesh.h"

static mplan_mesh *new_mesh(void)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    return mesh;
}

/* edges (4) -> cells (3), with one -1, and a second map edges -> nodes (5) */
static mplan_mesh *small_tables(void)
{
    static const int32_t ec[] = {0, 1, 1, -1, 1, 2, 2, -1}, en[] = {0, 1, 1, 2, 2, 3, 3, 4};
    mplan_mesh *mesh = new_mesh();
    mplan_error err;
    assert_done(mplan_mesh_add_set(mesh, "edges", 4, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", 5, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_cells", 0, 1, 2, NULL, ec, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "edges_nodes", 0, 2, 2, NULL, en, NULL, &err), &err);
    return mesh;
}

/* --- what comes in ------------------------------------------------------------ */

static void sets_are_checked(void **state)
{
    (void)state;
    mplan_mesh *mesh = new_mesh();
    mplan_error err;
    int32_t set = -5;
    assert_refused(mplan_mesh_add_set(mesh, "", 1, &set, &err), MPLAN_ERR_ARGUMENT, &err, "name");
    assert_refused(mplan_mesh_add_set(mesh, "a", -1, &set, &err), MPLAN_ERR_ARGUMENT, &err, "-1");
    assert_refused(mplan_mesh_add_set(mesh, "a", INT32_MAX, &set, &err), MPLAN_ERR_ARGUMENT, &err,
                   "the limit is 2147483646");
    assert_int_equal(set, -5);
    assert_done(mplan_mesh_add_set(mesh, "a", INT32_MAX - 1, &set, &err), &err);
    assert_int_equal(set, 0);
    assert_refused(mplan_mesh_add_set(mesh, "a", 1, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "already a set 'a'");
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        assert_done(mplan_mesh_add_set(mesh, name, i, &set, &err), &err);
        assert_int_equal(set, i + 1);
    }
    assert_int_equal(mplan_mesh_find_set(mesh, "s39"), 40);
    assert_int_equal(mplan_mesh_find_set(mesh, "s"), -1);
    assert_int_equal(mplan_mesh_set(mesh, 17).size, 16);
    assert_string_equal(mplan_mesh_format(mesh), "");
    assert_done(mplan_mesh_set_format(mesh, "gmsh", &err), &err);
    assert_string_equal(mplan_mesh_format(mesh), "gmsh");
    assert_done(mplan_mesh_set_faces_name(mesh, "edges", &err), &err);
    assert_string_equal(mplan_mesh_faces_name(mesh), "edges");
    mplan_mesh_free(mesh);
    mplan_mesh_free(NULL);
}

static void maps_are_checked(void **state)
{
    (void)state;
    static const int32_t bad[] = {0, 1, 2, 0, 1, 3, -2, 0};
    static const int64_t back[] = {0, 2, 1, 4, 4}, late[] = {1, 2, 3, 4, 4};
    static const int64_t good[] = {0, 0, 3, 6, 8};
    mplan_mesh *mesh = small_tables();
    mplan_error err;
    assert_refused(mplan_mesh_add_map(mesh, "edges_cells", 0, 1, 2, NULL, bad, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "already a map 'edges_cells'");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 3, 2, NULL, bad, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "no set 3");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, 0, NULL, bad, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "must have offsets");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, 2, good, bad, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "must not have offsets");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, -2, NULL, bad, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "negative");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, 2, NULL, bad, NULL, &err), MPLAN_ERR_MESH,
                   &err, "map m: entry 1 of row 2 is 3, out of range [-1, 3)");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, 0, good, bad, NULL, &err), MPLAN_ERR_MESH,
                   &err, "entry 2 of row 2 is 3");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 2, 0, good, bad, NULL, &err), MPLAN_ERR_MESH,
                   &err, "entry 0 of row 3 is -2");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, 0, back, bad, NULL, &err), MPLAN_ERR_MESH,
                   &err, "offset 2 is 1");
    assert_refused(mplan_mesh_add_map(mesh, "m", 0, 1, 0, late, bad, NULL, &err), MPLAN_ERR_MESH,
                   &err, "offset 0 is 1");
    assert_int_equal(mplan_mesh_n_maps(mesh), 2);
    mplan_map map = mplan_mesh_map(mesh, 1);
    assert_int_equal(map.n_rows, 4);
    assert_int_equal(map.n_points, 5);
    assert_int_equal(mplan_map_entries(&map), 8);
    mplan_mesh_free(mesh);
}

static void coordinates_are_checked(void **state)
{
    (void)state;
    double xy[10] = {0};
    mplan_mesh *mesh = small_tables();
    mplan_error err;
    int32_t dimension = 9;
    assert_null(mplan_mesh_coordinates(mesh, 2, &dimension));
    assert_int_equal(dimension, 0);
    assert_refused(mplan_mesh_set_coordinates(mesh, 3, 2, xy, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 3");
    assert_refused(mplan_mesh_set_coordinates(mesh, 2, 1, xy, &err), MPLAN_ERR_ARGUMENT, &err,
                   "2 or 3");
    xy[7] = NAN;
    assert_refused(mplan_mesh_set_coordinates(mesh, 2, 2, xy, &err), MPLAN_ERR_MESH, &err,
                   "nodes: coordinate 1 of member 3 is not a number");
    xy[7] = -INFINITY;
    assert_refused(mplan_mesh_set_coordinates(mesh, 2, 2, xy, &err), MPLAN_ERR_MESH, &err,
                   "is infinite");
    xy[7] = 4;
    assert_done(mplan_mesh_set_coordinates(mesh, 2, 2, xy, &err), &err);
    xy[7] = 5;
    assert_done(mplan_mesh_set_coordinates(mesh, 2, 2, xy, &err), &err);
    assert_true(mplan_mesh_coordinates(mesh, 2, &dimension)[7] == 5);
    assert_int_equal(dimension, 2);
    mplan_mesh_free(mesh);
}

static void cells_are_checked(void **state)
{
    (void)state;
    static const uint8_t mixed[] = {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4, MPLAN_CELL_TRI3};
    static const uint8_t clash[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TET4};
    static const uint8_t point[] = {MPLAN_CELL_POINT}, none[] = {MPLAN_N_CELL_TYPES};
    static const int32_t nodes[] = {0, 1, 2, 2, 1, 3, 4, 4, 3, 5};
    mplan_mesh *mesh = new_mesh();
    mplan_error err;
    assert_refused(mplan_mesh_add_cells(mesh, 6, 2, clash, nodes, &err), MPLAN_ERR_MESH, &err,
                   "cell 1 (tet4) has dimension 3");
    assert_refused(mplan_mesh_add_cells(mesh, 6, 1, point, nodes, &err), MPLAN_ERR_MESH, &err,
                   "not a cell type");
    assert_refused(mplan_mesh_add_cells(mesh, 6, 1, none, nodes, &err), MPLAN_ERR_MESH, &err,
                   "not a cell type");
    assert_refused(mplan_mesh_add_cells(mesh, 5, 3, mixed, nodes, &err), MPLAN_ERR_MESH, &err,
                   "cell 2 (tri3): node 5 is out of range [0, 5)");
    assert_int_equal(mplan_mesh_n_sets(mesh), 0);
    assert_int_equal(mplan_mesh_dimension(mesh), 0);
    assert_null(mplan_mesh_cell_types(mesh));
    assert_done(mplan_mesh_add_cells(mesh, 6, 3, mixed, nodes, &err), &err);
    assert_int_equal(mplan_mesh_dimension(mesh), 2);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    assert_int_equal(map.arity, 0);
    assert_int_equal(map.offsets[2], 7);
    assert_string_equal(mplan_mesh_faces_name(mesh), "faces");
    assert_refused(mplan_mesh_add_cells(mesh, 7, 3, mixed, nodes, &err), MPLAN_ERR_ARGUMENT, &err,
                   "'nodes' has 6 members");
    assert_refused(mplan_mesh_add_cells(mesh, 6, 3, mixed, nodes, &err), MPLAN_ERR_ARGUMENT, &err,
                   "already a set 'cells'");
    mplan_mesh_free(mesh);
    mesh = new_mesh();
    assert_done(mplan_mesh_add_set(mesh, "nodes", 6, NULL, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 6, 1, mixed, nodes, &err), &err);
    assert_int_equal(mplan_mesh_map(mesh, 0).arity, 3);
    mplan_mesh_free(mesh);
}

static void types_describe_cells(void **state)
{
    (void)state;
    assert_string_equal(mplan_cell_type_name(MPLAN_CELL_PYRAMID13), "pyramid13");
    assert_null(mplan_cell_type_name(MPLAN_N_CELL_TYPES));
    assert_int_equal(mplan_cell_type_dimension(MPLAN_CELL_QUAD9), 2);
    assert_int_equal(mplan_cell_type_corners(MPLAN_CELL_PRISM18), 6);
    for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)t);
        const char *digits = shape->name + strcspn(shape->name, "0123456789");
        assert_int_equal(*digits ? atoi(digits) : 1, mplan_cell_type_nodes((mplan_cell_type)t));
        int bits = 0; /* every corner lies on as many faces as it takes to close the cell */
        for (int32_t f = 0; f < shape->n_faces; f++)
            for (int32_t k = 0; k < shape->face_size[f]; k++)
                bits |= 1 << shape->face[f][k];
        if (t != MPLAN_CELL_POINT)
            assert_int_equal(bits, (1 << shape->n_corners) - 1);
    }
}

static void groups_are_checked(void **state)
{
    (void)state;
    static const int32_t members[] = {3, 0, 2}, twice[] = {1, 2, 1}, far[] = {0, 4};
    static const uint8_t tri[] = {MPLAN_CELL_TRI3}, line[] = {MPLAN_CELL_LINE2};
    static const int32_t nodes[] = {0, 1, 2};
    mplan_mesh *mesh = small_tables();
    mplan_error err;
    assert_done(mplan_mesh_add_group(mesh, "wall", 7, 1, 0, 3, members, &err), &err);
    mplan_group group = mplan_mesh_group(mesh, 0);
    static const int32_t sorted[] = {0, 2, 3};
    assert_memory_equal(group.members, sorted, sizeof sorted);
    assert_int_equal(group.id, 7);
    assert_refused(mplan_mesh_add_group(mesh, "w", 7, 1, 0, 3, twice, &err), MPLAN_ERR_MESH, &err,
                   "group 'w' has member 1 of edges twice");
    assert_refused(mplan_mesh_add_group(mesh, "w", 7, 1, 0, 2, far, &err), MPLAN_ERR_MESH, &err,
                   "group 'w': member 4 of edges is out of range [0, 4)");
    assert_refused(mplan_mesh_add_group(mesh, "w", 7, 1, 5, 2, far, &err), MPLAN_ERR_ARGUMENT, &err,
                   "does not exist");
    assert_int_equal(mplan_mesh_n_groups(mesh), 1);
    mplan_mesh_free(mesh);
    mesh = new_mesh();
    assert_done(mplan_mesh_add_cells(mesh, 3, 1, tri, nodes, &err), &err);
    assert_refused(mplan_mesh_add_facets(mesh, "f", 1, 1, tri, nodes, &err), MPLAN_ERR_MESH, &err,
                   "facet 0 (tri3) cannot be a face");
    static const int32_t beyond[] = {1, 3};
    assert_done(mplan_mesh_add_facets(mesh, "f", 1, 1, line, beyond, &err), &err);
    assert_refused(mplan_mesh_validate(mesh, NULL, &err), MPLAN_ERR_MESH, &err,
                   "group 'f': facet 0 (line2): node 3 is out of range [0, 3)");
    assert_refused(mplan_mesh_derive(mesh, "faces", NULL, &err), MPLAN_ERR_MESH, &err,
                   "node 3 is out of range");
    assert_int_equal(mplan_mesh_n_sets(mesh), 2);
    assert_null(mplan_mesh_boundary_ids(mesh));
    mplan_mesh_free(mesh);
}

/* --- validation ------------------------------------------------------------------ */

typedef struct heard {
    int n;
    char text[256];
} heard;

static void listen(void *user, const char *text)
{
    heard *h = user;
    h->n++;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static void repeated_nodes_are_one_warning(void **state)
{
    (void)state;
    static const uint8_t quads[] = {MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4};
    static const int32_t nodes[] = {0, 1, 2, 3, 3, 2, 4, 4, 4, 2, 5, 4};
    static const int32_t collapsed[] = {0, 1, 2, 3, 3, 2, 4, 4, 4, 2, 2, 4};
    mplan_mesh *mesh = new_mesh();
    mplan_error err;
    heard h = {0, ""};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = listen;
    context.user = &h;
    assert_done(mplan_mesh_add_cells(mesh, 6, 3, quads, nodes, &err), &err);
    assert_done(mplan_mesh_validate(mesh, &context, &err), &err);
    assert_int_equal(h.n, 1);
    assert_non_null(strstr(h.text, "2 cells repeat a node, the first is cell 1 (quad4) with node 4"));
    mplan_mesh_free(mesh);
    mesh = new_mesh();
    assert_done(mplan_mesh_add_cells(mesh, 6, 3, quads, collapsed, &err), &err);
    assert_refused(mplan_mesh_validate(mesh, &context, &err), MPLAN_ERR_MESH, &err,
                   "cell 2 (quad4) is collapsed: it has only 2 distinct corners");
    assert_int_equal(h.n, 1);
    mplan_mesh_free(mesh);
}

/* Validation reads what others may have written past the checks. */
static void validation_names_the_place(void **state)
{
    (void)state;
    static const uint8_t tet[] = {MPLAN_CELL_TET4, MPLAN_CELL_TET4};
    static const int32_t nodes[] = {0, 1, 2, 3, 3, 1, 2, 4}, members[] = {0, 1};
    static const double xyz[15] = {0};
    mplan_mesh *mesh = new_mesh();
    mplan_error err;
    assert_done(mplan_mesh_add_cells(mesh, 5, 2, tet, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, 0, 3, xyz, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "g", 1, 3, 1, 2, members, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    mesh->maps[0].values[6] = 5;
    assert_refused(mplan_mesh_validate(mesh, NULL, &err), MPLAN_ERR_MESH, &err,
                   "entry 2 of row 1 is 5");
    mesh->maps[0].values[6] = -1;
    assert_refused(mplan_mesh_validate(mesh, NULL, &err), MPLAN_ERR_MESH, &err,
                   "cell 1 (tet4): node -1 is out of range [0, 5)");
    mesh->maps[0].values[6] = 2;
    mesh->sets[0].coordinates[14] = NAN;
    assert_refused(mplan_mesh_validate(mesh, NULL, &err), MPLAN_ERR_MESH, &err,
                   "nodes: coordinate 2 of member 4 is not a number");
    mesh->sets[0].coordinates[14] = 0;
    mesh->groups[0].members[0] = 1;
    assert_refused(mplan_mesh_validate(mesh, NULL, &err), MPLAN_ERR_MESH, &err, "twice");
    mesh->groups[0].members[0] = 0;
    mesh->cell_type[1] = MPLAN_CELL_TET10;
    assert_refused(mplan_mesh_validate(mesh, NULL, &err), MPLAN_ERR_MESH, &err,
                   "cell 1 has 4 nodes, but its type (tet10) has 10");
    mplan_mesh_free(mesh);
}

/* --- splits ------------------------------------------------------------------------- */

static void split_cuts_all_that_belongs_to_a_set(void **state)
{
    (void)state;
    static const double x[] = {0, 0, 1, 1, 2, 2, 3, 3};
    static const int32_t members[] = {1, 2, 3}, back[] = {3, -1, 0, 1, 2, 2};
    mplan_mesh *mesh = small_tables();
    mplan_error err;
    assert_done(mplan_mesh_set_coordinates(mesh, 0, 2, x, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "g", 5, 1, 0, 3, members, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_edges", 1, 0, 2, NULL, back, NULL, &err), &err);
    assert_done(mplan_mesh_split(mesh, 0, 0, &err), &err);
    int32_t moved = mplan_mesh_find_set(mesh, "edges_boundary");
    assert_int_equal(mplan_mesh_set(mesh, 0).size, 2);
    assert_int_equal(mplan_mesh_set(mesh, moved).size, 2);
    static const int32_t ec[] = {0, 1, 1, 2}, bc[] = {1, 2}, bn[] = {1, 2, 3, 4};
    mplan_map map = mplan_mesh_map(mesh, 0);
    assert_int_equal(map.n_rows, 2);
    assert_memory_equal(map.values, ec, sizeof ec);
    map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_boundary_cells"));
    assert_int_equal(map.arity, 1);
    assert_int_equal(map.from, moved);
    assert_memory_equal(map.values, bc, sizeof bc);
    map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_boundary_nodes"));
    assert_int_equal(map.arity, 2);
    assert_memory_equal(map.values, bn, sizeof bn);
    static const int32_t renumbered[] = {-1, -1, 0, -1, 1, 1};
    assert_memory_equal(mplan_mesh_map(mesh, 2).values, renumbered, sizeof renumbered);
    assert_int_equal(mplan_mesh_global_ids(mesh, 0)[1], 2);
    assert_int_equal(mplan_mesh_global_ids(mesh, moved)[1], 3);
    assert_null(mplan_mesh_global_ids(mesh, 1));
    assert_string_equal(mesh->sets[0].split, "edges_cells");
    assert_string_equal(mesh->sets[moved].split, "edges_cells");
    assert_true(mplan_mesh_coordinates(mesh, 0, NULL)[2] == 2);
    assert_true(mplan_mesh_coordinates(mesh, moved, NULL)[2] == 3);
    assert_int_equal(mplan_mesh_n_groups(mesh), 2);
    mplan_group group = mplan_mesh_group(mesh, 0);
    assert_int_equal(group.n_members, 1);
    assert_int_equal(group.members[0], 1);
    group = mplan_mesh_group(mesh, 1);
    assert_int_equal(group.set, moved);
    assert_int_equal(group.n_members, 2);
    assert_string_equal(group.name, "g");
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    assert_refused(mplan_mesh_split(mesh, 0, 0, &err), MPLAN_ERR_ARGUMENT, &err,
                   "already a set 'edges_boundary'");
    mplan_mesh_free(mesh);
}

static void splits_that_cannot_be(void **state)
{
    (void)state;
    static const int32_t values[] = {1, -1, 0, 2};
    mplan_mesh *mesh = small_tables();
    mplan_error err;
    int32_t map;
    assert_done(mplan_mesh_add_map(mesh, "edges_edges", 0, 0, 1, NULL, values, &map, &err), &err);
    assert_refused(mplan_mesh_split(mesh, 0, map, &err), MPLAN_ERR_ARGUMENT, &err,
                   "leads to the same set");
    assert_refused(mplan_mesh_split(mesh, 1, 0, &err), MPLAN_ERR_ARGUMENT, &err, "from that set");
    assert_int_equal(mplan_mesh_n_sets(mesh), 3);
    mplan_mesh_free(mesh);
}

/* A mesh of random tables: A -> B (by which it is split), A -> C, C -> A, A -> A. */
static void random_splits(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int run = 0; run < 2000; run++) {
        int64_t size[3] = {support_random(&seed, 12), support_random(&seed, 6),
                           support_random(&seed, 9)};
        mplan_map tables[4];
        static const int8_t ends[4][2] = {{0, 1}, {0, 2}, {2, 0}, {0, 0}};
        static const char *const names[4] = {"a_b", "toc", "c_a", "a_a"};
        mplan_mesh *mesh = new_mesh();
        mplan_error err;
        for (int s = 0; s < 3; s++)
            assert_done(mplan_mesh_add_set(mesh,
                                           s == 0   ? "a"
                                           : s == 1 ? "b"
                                                    : "c",
                                           size[s], NULL, &err),
                        &err);
        for (int m = 0; m < 4; m++) {
            tables[m] = support_random_map(&seed, size[ends[m][0]], size[ends[m][1]],
                                           (int32_t)support_random(&seed, 4), 15);
            assert_done(mplan_mesh_add_map(mesh, names[m], ends[m][0], ends[m][1], tables[m].arity,
                                           tables[m].offsets, tables[m].values, NULL, &err),
                        &err);
        }
        assert_done(mplan_mesh_split(mesh, 0, 0, &err), &err);
        assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
        const int64_t *ids[2] = {mplan_mesh_global_ids(mesh, 0), mplan_mesh_global_ids(mesh, 3)};
        int64_t n[2] = {mplan_mesh_set(mesh, 0).size, mplan_mesh_set(mesh, 3).size};
        int32_t place[16], part[16];
        assert_int_equal(n[0] + n[1], size[0]);
        for (int p = 0; p < 2; p++)
            for (int64_t i = 0; i < n[p]; i++) {
                if (i > 0)
                    assert_true(ids[p][i] > ids[p][i - 1]);
                place[ids[p][i]] = (int32_t)i;
                part[ids[p][i]] = p;
            }
        static const char *const moved[4] = {"a_boundary_b", "a_boundary_c", NULL, "a_boundary_a"};
        for (int m = 0; m < 4; m++)
            for (int64_t r = 0; r < tables[m].n_rows; r++) {
                int32_t length, new_length, at = 0;
                const int32_t *row = mplan_map_row(&tables[m], r, &length);
                bool from_a = ends[m][0] == 0, gone = from_a && part[r] == 1;
                mplan_map map = mplan_mesh_map(mesh, gone ? mplan_mesh_find_map(mesh, moved[m]) : m);
                const int32_t *new_row = mplan_map_row(&map, from_a ? place[r] : r, &new_length);
                bool holes = false;
                for (int32_t k = 0; k < length; k++) {
                    int32_t to = row[k];
                    holes = holes || to < 0;
                    if (to >= 0 && ends[m][1] == 0)
                        to = part[to] == 0 ? place[to] : -1;
                    if (gone && to < 0)
                        continue;
                    assert_true(at < new_length);
                    assert_int_equal(new_row[at++], to);
                }
                assert_int_equal(at, new_length);
                if (m == 0)
                    assert_int_equal(holes, gone);
            }
        mplan_mesh_free(mesh);
        for (int m = 0; m < 4; m++)
            support_map_free(&tables[m]);
    }
}

static void splitting_cells_ends_derivation(void **state)
{
    (void)state;
    static const uint8_t tri[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2, 1, 3, 2}, near[] = {0, -1};
    mplan_mesh *mesh = new_mesh();
    mplan_error err;
    int32_t map;
    assert_done(mplan_mesh_add_cells(mesh, 4, 2, tri, nodes, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "near", 1, 0, 1, NULL, near, &map, &err), &err);
    assert_done(mplan_mesh_split(mesh, 1, map, &err), &err);
    assert_refused(mplan_mesh_derive(mesh, "faces", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no cells with known types");
    mplan_map moved = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_boundary_nodes"));
    assert_int_equal(moved.n_rows, 1);
    assert_int_equal(moved.values[1], 3);
    mplan_mesh_free(mesh);
}

/* --- fingerprints --------------------------------------------------------------------- */

static uint64_t print_of(const void *bytes, size_t size)
{
    uint64_t piece = mplan_hash(bytes, size);
    return mplan_hash(&piece, sizeof piece);
}

static void fingerprints_are_those_of_the_streams(void **state)
{
    (void)state;
    static const int64_t offsets[] = {0, 2, 2, 3};
    static const int32_t ragged[] = {3, -1, 0};
    static const double xy[] = {.5, 1, 2, -3, 4, 5};
    mplan_mesh *mesh = small_tables();
    mplan_error err;
    uint64_t print;
    assert_done(mplan_mesh_add_map(mesh, "cells_edges", 1, 0, 0, offsets, ragged, NULL, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, 1, 2, xy, &err), &err);
    static const int32_t sets[] = {1, 0}, maps[] = {2, 0}, all_but_cells[] = {0, 2};
    static const int64_t stream[] = {2, 3, 4, 2,                     /* sets, maps */
                                     0, 1, 0, 0, 2, 2, 3,  3, -1, 0, /* cells_edges */
                                     1, 0, 2, 0, 1, 1, -1, 1, 2,  2, -1};
    assert_done(mplan_mesh_fingerprint_topology(mesh, 2, sets, 2, maps, &print, NULL, &err), &err);
    assert_true(print == print_of(stream, sizeof stream));
    assert_refused(mplan_mesh_fingerprint_topology(mesh, 2, all_but_cells, 2, maps, &print, NULL,
                                                   &err),
                   MPLAN_ERR_ARGUMENT, &err, "cells_edges is not listed");
    unsigned char bytes[2 * 8 + sizeof xy];
    static const int64_t head[] = {0, 2};
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head, xy, sizeof xy);
    assert_done(mplan_mesh_fingerprint_coordinates(mesh, 2, sets, &print, NULL, &err), &err);
    assert_true(print == print_of(bytes, sizeof bytes));
    assert_done(mplan_mesh_fingerprint_coordinates(mesh, 1, sets + 1, &print, NULL, &err), &err);
    assert_true(print == mplan_hash(NULL, 0));
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_checked),
        cmocka_unit_test(maps_are_checked),
        cmocka_unit_test(coordinates_are_checked),
        cmocka_unit_test(cells_are_checked),
        cmocka_unit_test(types_describe_cells),
        cmocka_unit_test(groups_are_checked),
        cmocka_unit_test(repeated_nodes_are_one_warning),
        cmocka_unit_test(validation_names_the_place),
        cmocka_unit_test(split_cuts_all_that_belongs_to_a_set),
        cmocka_unit_test(splits_that_cannot_be),
        cmocka_unit_test(random_splits),
        cmocka_unit_test(splitting_cells_ends_derivation),
        cmocka_unit_test(fingerprints_are_those_of_the_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
