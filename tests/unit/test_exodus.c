/* SPDX-License-Identifier: Apache-2.0 */
/* test_exodus.c - Exodus II and CGNS number nodes and sides their own way */
#include "support_test.h"

#include <math.h>

#include "formats/format.h"
#include "formats/side_order.h"
#include "mesh/mesh.h"

enum { MOST = 27, MOST_MIDS = 19 };

/* Corners of each cell, and which of them a node lies between: "01" is the middle of an edge. */
typedef struct second_order {
    mplan_numbering numbering;
    mplan_cell_type type;
    const char *theirs[MOST_MIDS], *gmsh[MOST_MIDS];
} second_order;

#define HEX_EDGES "01", "12", "23", "30", "04", "15", "26", "37", "45", "56", "67", "74"
#define GMSH_HEX "01", "03", "04", "12", "15", "23", "26", "37", "45", "47", "56", "67"
#define PRISM_EDGES "01", "12", "20", "03", "14", "25", "34", "45", "53"
#define GMSH_PRISM "01", "02", "03", "12", "14", "25", "34", "35", "45"
#define PYRAMID_EDGES "01", "12", "23", "30", "04", "14", "24", "34"
#define GMSH_PYRAMID "01", "03", "04", "12", "14", "23", "24", "34"
#define EXODUS MPLAN_NUMBERING_EXODUS
#define CGNS MPLAN_NUMBERING_CGNS

/* Exodus II: figures of SAND92-2137; CGNS: SIDS, "Unstructured Grid Element Numbering Conventions"; Gmsh:
 * "Node ordering" of its manual. */
static const second_order kinds[] = {
    {EXODUS, MPLAN_CELL_TRI6, {"01", "12", "20"}, {"01", "12", "20"}},
    {EXODUS, MPLAN_CELL_QUAD9, {"01", "12", "23", "30", "0123"}, {"01", "12", "23", "30", "0123"}},
    {EXODUS,
     MPLAN_CELL_TET10,
     {"01", "12", "20", "03", "13", "23"},
     {"01", "12", "20", "03", "23", "13"}},
    {EXODUS, MPLAN_CELL_HEX20, {HEX_EDGES}, {GMSH_HEX}},
    {EXODUS,
     MPLAN_CELL_HEX27,
     {HEX_EDGES, "01234567", "0321", "4567", "0473", "1265", "0154", "2376"},
     {GMSH_HEX, "0321", "0154", "0473", "1265", "2376", "4567", "01234567"}},
    {CGNS,
     MPLAN_CELL_HEX27,
     {HEX_EDGES, "0321", "0154", "1265", "2376", "0473", "4567", "01234567"},
     {GMSH_HEX, "0321", "0154", "0473", "1265", "2376", "4567", "01234567"}},
    {CGNS, MPLAN_CELL_PRISM15, {PRISM_EDGES}, {GMSH_PRISM}},
    {CGNS,
     MPLAN_CELL_PRISM18,
     {PRISM_EDGES, "0143", "1254", "2035"},
     {GMSH_PRISM, "0143", "0352", "1254"}},
    {CGNS, MPLAN_CELL_PYRAMID13, {PYRAMID_EDGES}, {GMSH_PYRAMID}},
    {CGNS, MPLAN_CELL_PYRAMID14, {PYRAMID_EDGES, "0123"}, {GMSH_PYRAMID, "0123"}},
};

/* The same set of corners, in any order. */
static bool same_corners(const char *a, const char *b)
{
    size_t n = strlen(a);
    bool same = n == strlen(b);
    for (size_t i = 0; i < n && same; i++)
        same = strchr(b, a[i]) != NULL;
    return same;
}

static void nodes_get_into_gmshs_order(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int32_t nodes[2 * MOST], n = mplan_cell_type_nodes(kinds[k].type);
        int32_t corners = mplan_cell_type_corners(kinds[k].type);
        for (int32_t i = 0; i < 2 * n; i++)
            nodes[i] = i;
        mplan_order_nodes(kinds[k].numbering, kinds[k].type, 2, nodes);
        for (int32_t i = 0; i < 2 * n; i++) {
            int32_t own = i % n, theirs = nodes[i] % n;
            assert_int_equal(nodes[i] / n, i / n);
            if (own < corners)
                assert_int_equal(theirs, own);
            else
                assert_true(same_corners(kinds[k].gmsh[own - corners],
                                         kinds[k].theirs[theirs - corners]));
        }
    }
}

/* The sides of a cell are its local faces, each once, and their normals leave it, too. */
static void sides_are_the_faces(void **state)
{
    (void)state;
    static const mplan_cell_type types[] = {
        MPLAN_CELL_LINE2,    MPLAN_CELL_TRI6,    MPLAN_CELL_QUAD4, MPLAN_CELL_TET10,
        MPLAN_CELL_PYRAMID5, MPLAN_CELL_PRISM18, MPLAN_CELL_HEX27};
    for (int numbering = 0; numbering < 2; numbering++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            const mplan_cell_shape *shape = mplan_cell_shape_of(types[t]);
            int found = 0;
            for (int64_t side = -1; side < 9; side++) {
                int8_t corner[4];
                int32_t n = mplan_side_corners((mplan_numbering)numbering, types[t], side, corner);
                if (n == 0)
                    continue;
                int match = -1;
                for (int f = 0; f < shape->n_faces; f++)
                    for (int turn = 0; turn < n && shape->face_size[f] == n; turn++) {
                        int k = 0;
                        while (k < n && shape->face[f][(k + turn) % n] == corner[k])
                            k++;
                        match = k == n ? f : match;
                    }
                assert_true(match >= 0);
                assert_int_equal(found & 1 << match, 0);
                found |= 1 << match;
            }
            assert_int_equal(found, (1 << shape->n_faces) - 1);
        }
}

static void side_sets_are_on_their_cells(void **state)
{
    (void)state;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (mplan_format_exodus.missing)
        return;
    assert_done(mplan_mesh_read(MPLAN_TEST_DATA "/exodus/good-sides.exo", NULL, NULL, &mesh, &err),
                &err);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces_cells", NULL, &err), &err);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "boundary_faces_cells"));
    int seen = 0;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (strcmp(group.name, "floor") != 0)
            continue;
        seen++;
        assert_int_equal(group.id, 7);
        assert_int_equal(group.n_members, 2); /* both of the hexahedron, cell 0 */
        assert_int_equal(map.values[group.members[0]], 0);
        assert_int_equal(map.values[group.members[1]], 0);
    }
    assert_int_equal(seen, 1);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_get_into_gmshs_order),
        cmocka_unit_test(sides_are_the_faces),
        cmocka_unit_test(side_sets_are_on_their_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
