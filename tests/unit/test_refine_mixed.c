/* SPDX-License-Identifier: Apache-2.0 */
/* test_refine_mixed.c - refined prisms, pyramids, and meshes that bring edges or faces */
#include "support_test.h"

#include <math.h>

#include "mesh/mesh.h"
#include "support_volume.h"
#include "support_mesh.h"

static mplan_mesh *generate(mplan_shape shape, int64_t x, int64_t y, int64_t z,
                            mplan_layer_cells cells)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    options.shape = shape;
    options.size[0] = x;
    options.size[1] = y;
    options.size[2] = z;
    options.cells = cells;
    options.first_height = shape > MPLAN_SHAPE_NACA0012 ? 0.01 : 0;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

static mplan_mesh *refine(const mplan_mesh *mesh, int32_t times)
{
    mplan_mesh *refined = NULL;
    mplan_error err;
    assert_done(mplan_mesh_refine(mesh, times, NULL, &refined, &err), &err);
    assert_done(mplan_mesh_validate(refined, NULL, &err), &err);
    return refined;
}

static int32_t n_children(uint8_t type)
{
    return type == MPLAN_CELL_TRI3 || type == MPLAN_CELL_QUAD4 ? 4
           : type == MPLAN_CELL_PYRAMID5                       ? 10
                                                               : 8;
}

/* --- cells ------------------------------------------------------------------------ */

/* Children are positive, fill their parent, and have its type; of a pyramid the last four
 * are tets. Four faces at the rim for one. */
static void check_refined(mplan_mesh *coarse, mplan_mesh *fine, int64_t characteristic)
{
    int64_t child = 0;
    for (int64_t c = 0; c < set_size(coarse, "cells"); c++) {
        double whole = cell_volume(coarse, c), sum = 0;
        int32_t n = n_children(coarse->cell_type[c]);
        for (int32_t k = 0; k < n; k++, child++) {
            assert_int_equal(fine->cell_type[child],
                             k > 7 || (n == 10 && k > 5) ? MPLAN_CELL_TET4 : coarse->cell_type[c]);
            if (!(least_corner(fine, child) > 0))
                fail_msg("child %d of cell %lld is inverted", (int)k, (long long)c);
            sum += cell_volume(fine, child);
        }
        assert_true(whole > 0 && fabs(sum - whole) < 1e-11 * whole);
    }
    assert_int_equal(child, set_size(fine, "cells"));
    check_faces_meet(coarse, characteristic);
    check_faces_meet(fine, characteristic);
    int64_t parts = mplan_mesh_dimension(coarse) == 2 ? 2 : 4;
    assert_int_equal(set_size(fine, "boundary_faces"), parts * set_size(coarse, "boundary_faces"));
}

/* Groups of the rim have four facets for one and cover it. */
static void check_rim(const mplan_mesh *coarse, const mplan_mesh *fine)
{
    int64_t n_members = 0, parts = mplan_mesh_dimension(coarse) == 2 ? 2 : 4;
    assert_int_equal(mplan_mesh_n_groups(coarse), mplan_mesh_n_groups(fine));
    for (int32_t g = 0; g < mplan_mesh_n_groups(fine); g++) {
        mplan_group a = mplan_mesh_group(coarse, g), b = mplan_mesh_group(fine, g);
        assert_string_equal(a.name, b.name);
        assert_int_equal(b.n_members, parts * a.n_members);
        n_members += b.n_members;
    }
    assert_int_equal(n_members, set_size(fine, "boundary_faces"));
}

static void round_bodies(void **state)
{
    (void)state;
    static const struct {
        mplan_shape shape;
        int64_t size[3];
        mplan_layer_cells cells;
        int64_t characteristic;
    } bodies[] = {
        {MPLAN_SHAPE_SPHERE, {2, 2, 0}, MPLAN_LAYER_CELLS_PRISM, 2},
        {MPLAN_SHAPE_SPHERE, {3, 3, 0}, MPLAN_LAYER_CELLS_HYBRID, 2},
        {MPLAN_SHAPE_WING, {12, 4, 2}, MPLAN_LAYER_CELLS_PRISM, 0},
        {MPLAN_SHAPE_WING, {16, 5, 3}, MPLAN_LAYER_CELLS_HYBRID, 0},
        {MPLAN_SHAPE_BOUNDARY_LAYER, {16, 6, 0}, MPLAN_LAYER_CELLS_HYBRID, 0},
    };
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        const int64_t *n = bodies[b].size;
        mplan_mesh *coarse = generate(bodies[b].shape, n[0], n[1], n[2], bodies[b].cells);
        mplan_mesh *fine = refine(coarse, 1), *finer = refine(fine, 1), *twice = refine(coarse, 2);
        check_refined(coarse, fine, bodies[b].characteristic);
        check_rim(coarse, fine);
        check_refined(fine, finer, bodies[b].characteristic);
        check_rim(fine, finer);
        mplan_map x = find_map(finer, "cells_nodes"), y = find_map(twice, "cells_nodes");
        assert_int_equal(mplan_map_entries(&x), mplan_map_entries(&y));
        assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * 4);
        mplan_mesh_free(coarse);
        mplan_mesh_free(fine);
        mplan_mesh_free(finer);
        mplan_mesh_free(twice);
    }
}

/* Adds one cell to lists that have room for it. */
static void add_cell(uint8_t *type, int32_t *nodes, int64_t *n_cells, int64_t *n_entries,
                     mplan_cell_type t, const int32_t *node)
{
    int32_t n = mplan_cell_type_nodes(t);
    type[(*n_cells)++] = (uint8_t)t;
    memcpy(nodes + *n_entries, node, (size_t)n * sizeof *nodes);
    *n_entries += n;
}

/* Boxes of n x n columns of n: some columns are cut into prisms, and of the other boxes some
 * into six pyramids around a node of their own. */
static mplan_mesh *mixed_boxes(int32_t n, uint64_t seed)
{
    static const int8_t face[6][4] = {{0, 1, 2, 3}, {0, 4, 5, 1}, {0, 3, 7, 4},
                                      {1, 5, 6, 2}, {2, 6, 7, 3}, {4, 7, 6, 5}};
    mplan_mesh *boxes = generate(MPLAN_SHAPE_HEX, n, n, n, MPLAN_LAYER_CELLS_AUTO), *mesh;
    mplan_map hexes = find_map(boxes, "cells_nodes");
    int64_t n_nodes = set_size(boxes, "nodes"), n_cells = 0, n_entries = 0;
    int32_t dimension;
    double *x = malloc((size_t)(n_nodes + hexes.n_rows) * 3 * sizeof *x);
    uint8_t *type = malloc((size_t)hexes.n_rows * 6);
    int32_t *nodes = malloc((size_t)hexes.n_rows * 30 * sizeof *nodes);
    mplan_error err;
    memcpy(x, mplan_mesh_coordinates(boxes, mplan_mesh_find_set(boxes, "nodes"), &dimension),
           (size_t)n_nodes * 3 * sizeof *x);
    bool *prisms = calloc((size_t)(n * n), sizeof *prisms);
    for (int32_t i = 0; i < n * n; i++)
        prisms[i] = mplan_random_below(&seed, 3) == 0;
    for (int64_t c = 0; c < hexes.n_rows; c++) {
        const int32_t *h = hexes.values + 8 * c;
        if (prisms[c % (n * n)]) {
            const int32_t a[6] = {h[0], h[1], h[2], h[4], h[5], h[6]};
            const int32_t b[6] = {h[0], h[2], h[3], h[4], h[6], h[7]};
            add_cell(type, nodes, &n_cells, &n_entries, MPLAN_CELL_PRISM6, a);
            add_cell(type, nodes, &n_cells, &n_entries, MPLAN_CELL_PRISM6, b);
        } else if (mplan_random_below(&seed, 2)) {
            for (int32_t d = 0; d < 3; d++)
                x[3 * n_nodes + d] = (x[3 * h[0] + d] + x[3 * h[6] + d]) / 2;
            for (int32_t f = 0; f < 6; f++) {
                int32_t node[5] = {h[face[f][0]], h[face[f][1]], h[face[f][2]], h[face[f][3]],
                                   (int32_t)n_nodes};
                add_cell(type, nodes, &n_cells, &n_entries, MPLAN_CELL_PYRAMID5, node);
            }
            n_nodes++;
        } else {
            add_cell(type, nodes, &n_cells, &n_entries, MPLAN_CELL_HEX8, h);
        }
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, n_nodes, n_cells, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, x, &err),
                &err);
    mplan_mesh_free(boxes);
    free(prisms);
    free(nodes);
    free(type);
    free(x);
    return mesh;
}

/* Members of a group of cells are the children of what was in it. */
static void check_cell_group(const mplan_mesh *coarse, const mplan_mesh *fine)
{
    mplan_group a = mplan_mesh_group(coarse, 0), b = mplan_mesh_group(fine, 0);
    int64_t at = 0, child = 0, i = 0;
    for (int64_t c = 0; c < set_size(coarse, "cells"); c++) {
        int32_t n = n_children(coarse->cell_type[c]);
        bool member = i < a.n_members && a.members[i] == c;
        for (int32_t k = 0; k < n; k++, child++)
            if (member)
                assert_int_equal(b.members[at++], child);
        i += member;
    }
    assert_int_equal(at, b.n_members);
}

static void mixed_cells(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        mplan_mesh *coarse = mixed_boxes(1 + (int32_t)(seed % 4), seed);
        int64_t n = set_size(coarse, "cells"), n_members = 0;
        int32_t *members = malloc((size_t)n * sizeof *members);
        mplan_error err;
        for (int64_t c = (int64_t)(seed % 3); c < n; c += 1 + c % 3)
            members[n_members++] = (int32_t)c;
        assert_done(mplan_mesh_add_group(coarse, "some", 1, 3, mplan_mesh_find_set(coarse, "cells"),
                                         n_members, members, &err),
                    &err);
        mplan_mesh *fine = refine(coarse, 1), *finer = refine(fine, 1), *copy = refine(coarse, 0);
        check_refined(coarse, fine, 1);
        check_refined(fine, finer, 1);
        check_cell_group(coarse, fine);
        check_cell_group(fine, finer);
        assert_int_equal(mplan_mesh_group(copy, 0).n_members, n_members);
        mplan_mesh_free(copy);
        mplan_mesh_free(finer);
        mplan_mesh_free(fine);
        mplan_mesh_free(coarse);
        free(members);
    }
}

/* The children of a pyramid of side 2, node by node. */
static void one_pyramid(void **state)
{
    (void)state;
    static const uint8_t type[1] = {MPLAN_CELL_PYRAMID5};
    static const int32_t nodes[5] = {0, 1, 2, 3, 4};
    static const double x[15] = {0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 1, 1, 2};
    /* middles of 01 03 04 12 14 23 24 34 are nodes 5 to 12, that of the base is 13 */
    static const int32_t expected[46] = {
        0,  5, 13, 6,  7,  1, 8,  13, 5,  9, 2, 10, 13, 8, 11, 3,  6,  13, 10, 12, 7,  9,  11,
        12, 4, 7,  12, 11, 9, 13, 5,  13, 7, 9, 8,  13, 9, 11, 10, 13, 11, 12, 6,  13, 12, 7};
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 5, 1, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, x, &err),
                &err);
    mplan_mesh *fine = refine(mesh, 1);
    mplan_map cells = find_map(fine, "cells_nodes");
    assert_int_equal(mplan_map_entries(&cells), 46);
    assert_memory_equal(cells.values, expected, sizeof expected);
    int32_t dimension;
    const double *y = mplan_mesh_coordinates(fine, mplan_mesh_find_set(fine, "nodes"), &dimension);
    assert_true(y[39] == 1 && y[40] == 1 && y[41] == 0);
    mplan_error refusal;
    mplan_mesh *none = NULL;
    assert_refused(mplan_mesh_refine(mesh, 11, NULL, &none, &refusal), MPLAN_ERR_ARGUMENT, &refusal,
                   "more than 2147483646 cells");
    mplan_mesh_free(fine);
    mplan_mesh_free(mesh);
}

/* --- the mesh's own sets -------------------------------------------------------------- */

/* A mesh with sets of its own, as files bring them: what was derived is taken over. */
typedef struct own_case {
    mplan_mesh *mesh;
    int32_t nodes, cells;
    int n_warnings;
} own_case;

static void count_this_warning(void *user, const char *text)
{
    assert_non_null(strstr(text, "of the mesh are not refined"));
    ++*(int *)user;
}

/* Cells and nodes of `from`, which is released. */
static own_case begin_own(mplan_mesh *from)
{
    own_case made = {0};
    mplan_error err;
    mplan_map cells = find_map(from, "cells_nodes");
    int32_t dimension;
    const double *x = mplan_mesh_coordinates(from, mplan_mesh_find_set(from, "nodes"), &dimension);
    assert_done(mplan_mesh_create(&made.mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(made.mesh, cells.n_points, cells.n_rows, from->cell_type,
                                     cells.values, &err),
                &err);
    made.nodes = mplan_mesh_find_set(made.mesh, "nodes");
    made.cells = mplan_mesh_find_set(made.mesh, "cells");
    assert_done(mplan_mesh_set_coordinates(made.mesh, made.nodes, dimension, x, &err), &err);
    return made;
}

/* Set `own` with the members of the derived set `like` and their maps to nodes and cells;
 * `to_cells` false: that to nodes only. */
static int32_t add_own(own_case *c, mplan_mesh *from, const char *like, const char *own, bool to_cells)
{
    char name[64];
    int32_t set, index;
    mplan_error err;
    for (int k = 0; k < (to_cells ? 2 : 1); k++) {
        const char *to = k ? "cells" : "nodes";
        snprintf(name, sizeof name, "%s_%s", like, to);
        assert_done(mplan_mesh_derive(from, name, NULL, &err), &err);
        mplan_map map = find_map(from, name);
        if (k == 0)
            assert_done(mplan_mesh_add_set(c->mesh, own, map.n_rows, &set, &err), &err);
        snprintf(name, sizeof name, "%s_%s", own, to);
        assert_done(mplan_mesh_add_map(c->mesh, name, set, k ? c->cells : c->nodes,
                                       map.offsets ? 0 : map.arity, map.offsets, map.values, &index,
                                       &err),
                    &err);
    }
    return set;
}

static mplan_mesh *refine_own(own_case *c, int32_t times)
{
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_mesh *refined = NULL;
    mplan_error err;
    c->n_warnings = 0;
    context.warning = count_this_warning;
    context.user = &c->n_warnings;
    assert_done(mplan_mesh_refine(c->mesh, times, &context, &refined, &err), &err);
    return refined;
}

static void refuse_own(own_case *c, const char *part)
{
    mplan_mesh *refined = NULL;
    mplan_error err;
    for (int times = 0; times < 3; times++) {
        assert_refused(mplan_mesh_refine(c->mesh, times, NULL, &refined, &err),
                       MPLAN_ERR_UNSUPPORTED, &err, part);
        assert_null(refined);
    }
    mplan_mesh_free(c->mesh);
}

/* A mesh with its own faces is refined as it is without them, but for the warnings; groups of
 * the faces become facets. */
static void own_sets_are_left_out(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    for (int s = 0; s < 5; s++) {
        mplan_error err;
        mplan_mesh *from = s < 4 ? generate(shapes[s], 3, 2, s < 2 ? 0 : 2, 0) : mixed_boxes(2, 3);
        own_case own = begin_own(from);
        int32_t inner = add_own(&own, from, "faces", s < 2 ? "edges" : "faces", true);
        int32_t rim = add_own(&own, from, "boundary_faces", "rim", s % 2 == 0);
        static const int32_t some[] = {0, 2, 3}, all[] = {0, 1, 2, 3, 4};
        assert_done(mplan_mesh_add_group(own.mesh, "some", 7, s < 2 ? 1 : 2, inner, 3, some, &err),
                    &err);
        assert_done(mplan_mesh_add_group(own.mesh, "all", 8, s < 2 ? 1 : 2, rim, 5, all, &err), &err);
        mplan_mesh *plain = refine(from, 1), *fine = refine_own(&own, 1);
        assert_int_equal(own.n_warnings, 2);
        mplan_map a = find_map(plain, "cells_nodes"), b = find_map(fine, "cells_nodes");
        assert_int_equal(mplan_map_entries(&a), mplan_map_entries(&b));
        assert_memory_equal(a.values, b.values, (size_t)mplan_map_entries(&a) * 4);
        assert_int_equal(fine->n_sets, 2);
        assert_done(mplan_mesh_derive(fine, "faces", NULL, &err), &err);
        assert_done(mplan_mesh_derive(fine, "boundary_faces", NULL, &err), &err);
        assert_int_equal(mplan_mesh_n_groups(fine), 2);
        assert_int_equal(mplan_mesh_group(fine, 0).n_members, 3 * (s < 2 ? 2 : 4));
        assert_int_equal(mplan_mesh_group(fine, 1).n_members, 5 * (s < 2 ? 2 : 4));
        mplan_mesh_free(plain);
        mplan_mesh_free(fine);
        mplan_mesh *copy = refine_own(&own, 0);
        assert_int_equal(copy->n_sets, 2);
        assert_int_equal(copy->facets[1].n_facets, 5);
        mplan_mesh_free(copy);
        mplan_mesh_free(own.mesh);
        mplan_mesh_free(from);
    }
}

/* Maps from cells to the set, -1 entries, edges in space, neighbours. */
static void maps_of_own_sets(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *from = generate(MPLAN_SHAPE_HEX, 2, 2, 2, 0);
    own_case own = begin_own(from);
    int32_t edges = add_own(&own, from, "edges", "edges", true);
    int32_t rim = add_own(&own, from, "boundary_faces", "rim", false), index;
    assert_done(mplan_mesh_derive(from, "cells_boundary_faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(from, "cells_cells", NULL, &err), &err);
    mplan_map sides = find_map(from, "cells_boundary_faces"), near = find_map(from, "cells_cells");
    assert_done(mplan_mesh_add_map(own.mesh, "cells_rim", own.cells, rim,
                                   sides.offsets ? 0 : sides.arity, sides.offsets, sides.values,
                                   &index, &err),
                &err);
    assert_done(mplan_mesh_add_map(own.mesh, "cells_cells", own.cells, own.cells,
                                   near.offsets ? 0 : near.arity, near.offsets, near.values, &index,
                                   &err),
                &err);
    mplan_mesh *fine = refine_own(&own, 2);
    assert_int_equal(own.n_warnings, 2); /* of the first step only */
    assert_int_equal(set_size(fine, "cells"), 8 * 64);
    mplan_mesh_free(fine);
    /* edges in space are not facets */
    static const int32_t some[] = {0, 2, 3};
    assert_done(mplan_mesh_add_group(own.mesh, "some", 7, 1, edges, 3, some, &err), &err);
    refuse_own(&own, "group 'some' of set edges cannot be carried");
    mplan_mesh_free(from);
    /* a set of quads and triangles in rows of four */
    from = mixed_boxes(1, 0);
    while (from->cell_type[0] != MPLAN_CELL_PRISM6) {
        static uint64_t seed = 1;
        mplan_mesh_free(from);
        from = mixed_boxes(1, seed++);
    }
    own = begin_own(from);
    static const int32_t rows[8] = {0, 1, 3, -1, -1, 0, 1, 3};
    int32_t faces;
    assert_done(mplan_mesh_add_set(own.mesh, "faces", 2, &faces, &err), &err);
    assert_done(mplan_mesh_add_map(own.mesh, "faces_nodes", faces, own.nodes, 4, NULL, rows, &index,
                                   &err),
                &err);
    assert_done(mplan_mesh_add_group(own.mesh, "one", 7, 2, faces, 1, rows, &err), &err);
    fine = refine_own(&own, 1);
    assert_int_equal(fine->facets[0].n_facets, 4);
    assert_int_equal(fine->facets[0].type[0], MPLAN_CELL_TRI3);
    mplan_mesh_free(fine);
    mplan_mesh_free(own.mesh);
    mplan_mesh_free(from);
}

/* Edges of a row of quads 4 x 1, of which `change` entry of a map becomes `value`. */
static own_case changed(const char *name, int64_t entry, int32_t value)
{
    mplan_mesh *from = generate(MPLAN_SHAPE_QUAD, 4, 1, 0, 0);
    own_case own = begin_own(from);
    add_own(&own, from, "faces", "edges", strcmp(name, "edges_nodes_alone") != 0);
    int32_t map = mplan_mesh_find_map(own.mesh,
                                      strncmp(name, "edges_nodes", 11) == 0 ? "edges_nodes" : name);
    own.mesh->maps[map].values[entry] = value;
    mplan_mesh_free(from);
    return own;
}

static void own_sets_are_refused(void **state)
{
    (void)state;
    mplan_error err;
    int32_t index;
    own_case own = changed("edges_cells", 1, 3); /* edge 0 between cells 0 and 1 */
    refuse_own(&own,
               "member 0 of edges joins cells 3 and 0, but cell 3 has no face or edge of its nodes");
    own = changed("edges_cells", 4, 0); /* edge 2 between cells 2 and 3 */
    refuse_own(&own, "member 2 of edges joins cells 0 and 3, but cell 0 has no");
    own = changed("edges_nodes", 3, 9); /* edge 1 */
    refuse_own(&own, "member 1 of edges joins cells 1 and 2");
    own = changed("edges_nodes", 2, 7);
    refuse_own(&own, "member 1 of edges joins cells 1 and 2");
    own = changed("edges_nodes_alone", 2, 9);
    refuse_own(&own, "member 1 of edges is not a face or edge of a cell");
    own = changed("edges_nodes_alone", 0, -1);
    refuse_own(&own, "member 0 of edges is not a face or edge of a cell");
    /* cells that list a member which they do not have */
    own = changed("edges_cells", 0, 0);
    static const int32_t lists[4] = {0, 0, 1, 1};
    int32_t edges = mplan_mesh_find_set(own.mesh, "edges");
    assert_done(mplan_mesh_add_map(own.mesh, "cells_edges", own.cells, edges, 1, NULL, lists,
                                   &index, &err),
                &err);
    refuse_own(&own, "member 1 of edges joins cell 3, but cell 3 has no face or edge of its nodes");
    own = changed("edges_cells", 0, 0);
    static const int32_t round[8] = {1, -1, 0, 2, 1, 3, 2, 0};
    assert_done(mplan_mesh_add_map(own.mesh, "cells_cells", own.cells, own.cells, 2, NULL, round,
                                   &index, &err),
                &err);
    refuse_own(&own, "cells_cells joins cells 3 and 0, which have no node in common");
    /* another set, and a set without nodes */
    own = changed("edges_cells", 0, 0);
    assert_done(mplan_mesh_add_set(own.mesh, "parts", 2, &index, &err), &err);
    refuse_own(&own, "its own set parts, which has no map to nodes");
    own = changed("edges_cells", 0, 0);
    own.mesh->cell_type[0] = MPLAN_CELL_QUAD4;
    mplan_mesh_free(own.mesh);
    /* the cut behind the trailing edge */
    own.mesh = generate(MPLAN_SHAPE_NACA0012, 6, 6, 0, 0);
    refuse_own(&own, "member 1 of edges joins cells 5 and 0, but cell 5 has no");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_bodies),     cmocka_unit_test(mixed_cells),
        cmocka_unit_test(one_pyramid),      cmocka_unit_test(own_sets_are_left_out),
        cmocka_unit_test(maps_of_own_sets), cmocka_unit_test(own_sets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
