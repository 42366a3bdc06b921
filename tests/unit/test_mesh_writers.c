/* SPDX-License-Identifier: Apache-2.0 */
/* test_mesh_writers.c - writers of meshes that test_writers.c does not have: what they write reads back the same */
#include "support_test.h"

#include <unistd.h>

#include "formats/format.h"
#include "mesh/mesh.h"
#include "support_folder.h"
#include "support_request.h"
#include "support_round_trip.h"

static char *text_of(const char *name)
{
    static char text[4096];
    FILE *from = fopen(in_folder(name), "r");
    assert_non_null(from);
    text[fread(text, 1, sizeof text - 1, from)] = '\0'; /* a binary file ends at its first 0 */
    fclose(from);
    return text;
}

/* --- medit ---------------------------------------------------------------------------- */

/* References are kept, and names are lost: one warning. */
static void medit(void **state)
{
    (void)state;
    support_round_trips(in_folder("a.mesh"), "medit",
                        SAME_IDS | SAME_CELL_GROUPS | SAME_NODE_GROUPS | SAME_BOUNDARIES, 1);
    support_round_trips(in_folder("a.meshb"), NULL,
                        SAME_IDS | SAME_CELL_GROUPS | SAME_NODE_GROUPS | SAME_BOUNDARIES, 1);
}

static void medit_text(void **state)
{
    (void)state;
    mplan_mesh *mesh = support_tetrahedron();
    support_write_with(mesh, in_folder("b.mesh"), "medit",
                       "a medit file has numbers instead of names: 5 wall, 6 tip\n"
                       "1 elements are in several groups and get the number of the first in a medit file\n");
    assert_string_equal(text_of("b.mesh"), "MeshVersionFormatted 2\nDimension 3\n\nVertices\n4\n"
                                           "0.000000 0.000000 0.000000 0\n"
                                           "1.000000 0.000000 0.000000 0\n"
                                           "0.000000 1.000000 0.000000 0\n"
                                           "0.000000 0.000000 1.000000 0\n\n"
                                           "Tetrahedra\n1\n1 2 3 4 0\n\n"
                                           "Triangles\n2\n1 3 2 5\n1 2 4 5\n\nEnd\n");
    mplan_mesh_free(mesh);
}

/* Cells are sorted by type: the same cells, and every group as large as it was. */
static void medit_mixed(void **state)
{
    (void)state;
    static const char *const names[] = {"c.mesh", "c.meshb"};
    for (int i = 0; i < 4; i++) {
        mplan_mesh *mesh = support_mixed_mesh(2 + i % 2, false), *back;
        back = support_write_and_read(mesh, in_folder(names[i / 2]), "medit", NULL);
        mplan_map map = mplan_mesh_map(back, mplan_mesh_find_map(back, "cells_nodes"));
        const uint8_t *type = mplan_mesh_cell_types(back);
        assert_int_equal(type[0], i % 2 ? MPLAN_CELL_TET4 : MPLAN_CELL_TRI3);
        assert_int_equal(map.n_rows, i % 2 ? 4 : 3);
        /* every cell has nodes of its own, in ascending order */
        for (int64_t c = 0; c < map.n_rows; c++) {
            int32_t n;
            const int32_t *row = mplan_map_row(&map, c, &n);
            assert_int_equal(n, mplan_cell_type_nodes((mplan_cell_type)type[c]));
            for (int32_t k = 1; k < n; k++)
                assert_int_equal(row[k], row[0] + k);
        }
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

static void medit_refuses(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = support_mixed_mesh(3, true);
    assert_refused(mplan_mesh_write(mesh, in_folder("d.meshb"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err,
                   "a medit file can only hold cells of first order, but cell 4 is a tet10");
    assert_int_equal(access(in_folder("d.meshb"), F_OK), -1);
    mplan_mesh_free(mesh);
}

/* --- legacy VTK ------------------------------------------------------------------------- */

static void vtk(void **state)
{
    (void)state;
    support_round_trips(in_folder("a.vtk"), NULL, SAME_NAMES | SAME_CELL_GROUPS, 0);
    for (int32_t i = 0; i < 3; i++) {
        mplan_mesh *mesh = support_mixed_mesh(i == 0 ? 3 : 2, i == 2);
        mplan_mesh *back = support_write_and_read(mesh, in_folder("b.vtk"), NULL, NULL);
        support_same_cells(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Names that would end a word come back; the file is text but for its numbers. */
static void vtk_names(void **state)
{
    (void)state;
    static const int32_t cells[] = {0};
    mplan_error err;
    mplan_mesh *mesh = support_tetrahedron(), *back;
    assert_done(mplan_mesh_add_group(mesh, "50% \"of\" it\n\xc3\xa4", 3, 3,
                                     mplan_mesh_find_set(mesh, "cells"), 1, cells, &err),
                &err);
    support_write_with(mesh, in_folder("c.vtk"), NULL, "");
    const char *text = text_of("c.vtk");
    assert_non_null(strstr(text, "# vtk DataFile Version 3.0\nmeshplan\nBINARY\n"
                                 "DATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"));
    assert_done(mplan_mesh_read(in_folder("c.vtk"), NULL, NULL, &back, &err), &err);
    assert_int_equal(back->n_groups, 1);
    assert_string_equal(back->groups[0].name, "50% \"of\" it\n\xc3\xa4");
    support_same_groups(mesh, back, SAME_NAMES | SAME_CELL_GROUPS);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* Groups of nodes come back, and groups that are called as other programs' tags or as VTK's own data. */
static void expect_groups(const char *name, const char *file)
{
    static const int32_t cells[] = {0}, nodes[] = {1, 3};
    mplan_error err;
    mplan_mesh *mesh = support_tetrahedron(), *back;
    assert_done(mplan_mesh_add_group(mesh, name, 3, 3, mplan_mesh_find_set(mesh, "cells"), 1, cells,
                                     &err),
                &err);
    assert_done(mplan_mesh_add_group(mesh, "inlet", 2, 0, mplan_mesh_find_set(mesh, "nodes"), 2,
                                     nodes, &err),
                &err);
    back = support_write_and_read(mesh, in_folder(file), NULL, NULL);
    assert_int_equal(mplan_mesh_n_groups(back), 2);
    for (int32_t g = 0; g < 2; g++) {
        mplan_group group = mplan_mesh_group(back, g);
        bool of_nodes = strcmp(group.name, "inlet") == 0;
        assert_string_equal(group.name, of_nodes ? "inlet" : name);
        assert_string_equal(mplan_mesh_set(back, group.set).name, of_nodes ? "nodes" : "cells");
        assert_int_equal(group.n_members, of_nodes ? 2 : 1);
        assert_memory_equal(group.members, of_nodes ? nodes : cells,
                            (size_t)group.n_members * sizeof *nodes);
    }
    assert_string_not_equal(mplan_mesh_group(back, 0).name, mplan_mesh_group(back, 1).name);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

static void vtk_groups(void **state)
{
    (void)state;
    expect_groups("MaterialIds", "e.vtk");
    expect_groups("vtkGhostType", "e.vtk");
    if (mplan_format_vtu.missing)
        return;
    expect_groups("MaterialIds", "e.vtu");
    expect_groups("vtkGhostType", "e.vtu");
    expect_groups("group 7a", "e.vtu");
}

/* Marks are 0 or 1, and one for each cell or point. */
static void vtk_marks_are_checked(void **state)
{
    (void)state;
    static const char *const ends[] = {
        "CELL_DATA 1\nFIELD meshplan_groups 1\nwall 1 1 unsigned_char\n2\n",
        "CELL_DATA 1\nFIELD meshplan_groups 1\nwall 1 2 unsigned_char\n1 1\n",
        "POINT_DATA 3\nFIELD meshplan_groups 1\nwall 1 1 unsigned_char\n1\n"};
    static const char *const sentences[] = {"a mark of a group must be 0 or 1, not 2",
                                            "wall has 2 numbers for 1 cells",
                                            "wall has 1 numbers for 3 points"};
    for (int i = 0; i < 3; i++) {
        mplan_error err;
        mplan_mesh *mesh = NULL;
        FILE *to = fopen(in_folder("d.vtk"), "w");
        fprintf(to,
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                "POINTS 3 double\n0 0 0 1 0 0 0 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n%s",
                ends[i]);
        fclose(to);
        assert_refused(mplan_mesh_read(in_folder("d.vtk"), NULL, NULL, &mesh, &err),
                       MPLAN_ERR_CORRUPT, &err, sentences[i]);
    }
}

/* --- OpenFOAM ---------------------------------------------------------------------------- */

/* Members of the group of boundary faces of this name, -1 without one. */
static int64_t patch_size(const mplan_mesh *mesh, const char *name)
{
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        if (strcmp(mplan_mesh_set(mesh, group.set).name, "boundary_faces") == 0 &&
            strcmp(group.name, name) == 0)
            return group.n_members;
    }
    return -1;
}

/* Derived faces are in upper-triangular order, so that they stay as they are, and so do patches. */
static void foam(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        mplan_error err;
        mplan_mesh *mesh = support_mesh(i ? MPLAN_SHAPE_TET : MPLAN_SHAPE_HEX);
        mplan_mesh *back = support_write_and_read(mesh, in_folder("polyMesh"), NULL, NULL);
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        support_same_map(mesh, back, "faces_cells");
        support_same_map(mesh, back, "faces_nodes");
        assert_memory_equal(mplan_mesh_cell_types(mesh), mplan_mesh_cell_types(back),
                            (size_t)mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size);
        assert_int_equal(patch_size(back, "xmin"), patch_size(mesh, "xmin"));
        assert_int_equal(patch_size(back, "zmax"), patch_size(mesh, "zmax"));
        assert_int_equal(patch_size(back, "defaultFaces"), -1);
        mplan_mesh_free(back);
        /* with faces of its own, and into the folder that is there */
        back = support_write_and_read(mesh, in_folder("polyMesh/"), "foam", NULL);
        support_same_map(mesh, back, "faces_nodes");
        mplan_mesh *again = support_write_and_read(back, in_folder("polyMesh"), NULL, NULL);
        support_same_map(back, again, "faces_nodes");
        support_same_map(back, again, "boundary_faces_nodes");
        support_same_map(back, again, "cells_nodes");
        mplan_mesh_free(again);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Smaller groups choose first; one of whole patches is a group of patches; names become words; a cell of the other orientation
 * has its faces turned. */
static void foam_patches(void **state)
{
    (void)state;
    static const uint8_t tet[] = {MPLAN_CELL_TET4},
                         faces[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3, MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 2, 1, 3}, all[] = {0, 2, 1, 0, 1, 3, 0, 3, 2};
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 4, 1, tet, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "two sides", 1, 2, faces, all, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "side", 2, 1, faces, all, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "1st", 3, 1, faces, all + 3, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "three", 4, 3, faces, all, &err), &err);
    support_write_with(mesh, in_folder("polyMesh"), NULL,
                       "1 cells have corners of the other orientation, the first is cell 0: their faces are turned\n"
                       "the group 'three' loses 2 boundary faces that are in smaller groups: a face of an "
                       "OpenFOAM mesh is in one patch\n"
                       "the group '1st' is called '_st' in an OpenFOAM mesh\n"
                       "the group 'two sides' is called 'two_sides' in an OpenFOAM mesh\n");
    const char *text = text_of("polyMesh/boundary");
    static const char *const rows[] = {
        "4\n(\n    side\n    {\n        type            patch;\n"
        "        inGroups        List<word> 1(two_sides);\n        nFaces          1;\n"
        "        startFace       0;\n    }\n    _st\n",
        "    three\n    {\n        type            patch;\n        nFaces          1;\n"
        "        startFace       2;\n    }\n    defaultFaces\n"};
    for (int i = 0; i < 2; i++)
        if (!strstr(text, rows[i]))
            fail_msg("%s", text);
    text = text_of("polyMesh/faces");
    assert_non_null(strstr(text, "\n4\n(\n3(0 2 1)\n3(0 1 3)\n"));
    mplan_mesh_free(mesh);
}

static void foam_refuses(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = support_mesh(MPLAN_SHAPE_QUAD);
    assert_refused(mplan_mesh_write(mesh, in_folder("a/polyMesh"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "three coordinates of each node");
    mplan_mesh_free(mesh);
    mesh = support_mixed_mesh(3, true);
    assert_refused(mplan_mesh_write(mesh, in_folder("b"), "foam", NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "but cell 4 is a tet10");
    assert_int_equal(access(in_folder("b"), F_OK), -1);
    mplan_mesh_free(mesh);
    mesh = support_tetrahedron();
    assert_refused(mplan_mesh_write(mesh, "-", "foam", NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "cannot go to standard output");
    assert_done(mplan_mesh_write(mesh, in_folder("c"), "foam", NULL, NULL, &err), &err);
    fclose(fopen(in_folder("c/notes"), "w"));
    assert_refused(mplan_mesh_write(mesh, in_folder("c"), "foam", NULL, NULL, &err),
                   MPLAN_ERR_CREATE, &err, "contains notes");
    assert_int_equal(access(in_folder("c/points"), F_OK), 0);
    mplan_mesh_free(mesh);
}

/* --- meshes as planning leaves them ----------------------------------------------------------- */

/* inner: with a group of faces between cells beside those of the boundary. sparing: faces are derived as planning does it, without
 * faces_nodes where that can be had. */
static mplan_mesh *with_faces(mplan_shape shape, bool inner, bool sparing)
{
    static const uint8_t type_of_size[] = {0, 0, MPLAN_CELL_LINE2, MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    mplan_mesh *mesh = support_mesh(shape), *whole = support_mesh(shape);
    mplan_error err;
    assert_done(mplan_mesh_derive(whole, "faces_nodes", NULL, &err), &err);
    const mplan_map nodes = mplan_mesh_map(whole, mplan_mesh_find_map(whole, "faces_nodes"));
    const uint8_t types[] = {type_of_size[nodes.arity], type_of_size[nodes.arity]};
    if (inner)
        assert_done(mplan_mesh_add_facets(mesh, "inside", 77, 2, types, nodes.values, &err), &err);
    mplan_mesh_free(whole);
    assert_done((sparing ? mplan_mesh_derive_sparing : mplan_mesh_derive)(mesh, "faces_cells", NULL,
                                                                          &err),
                &err);
    assert_int_equal(mplan_mesh_find_map(mesh, "faces_nodes") >= 0, inner || !sparing);
    return mesh;
}

static void expect_same_groups(mplan_mesh *a, mplan_mesh *b)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(a, "faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(b, "faces", NULL, &err), &err);
    assert_int_equal(mplan_mesh_n_groups(a), mplan_mesh_n_groups(b));
    for (int32_t g = 0; g < mplan_mesh_n_groups(a); g++) {
        const mplan_group x = mplan_mesh_group(a, g), y = mplan_mesh_group(b, g);
        assert_string_equal(x.name, y.name);
        assert_int_equal(x.id, y.id);
        assert_string_equal(mplan_mesh_set(a, x.set).name, mplan_mesh_set(b, y.set).name);
        assert_int_equal(x.n_members, y.n_members);
        assert_memory_equal(x.members, y.members, (size_t)x.n_members * sizeof *x.members);
    }
}

/* What is made of a mesh does not depend on whether faces have nodes or sides. */
static void planned(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
        mplan_shape shape;
    } cases[] = {{"p.msh", "gmsh", MPLAN_SHAPE_TET}, {"polyMesh", "foam", MPLAN_SHAPE_HEX},
                 {"p.e", "exodus", MPLAN_SHAPE_TET}, {"p.e", "exodus", MPLAN_SHAPE_TRI},
                 {"p.dat", "op2", MPLAN_SHAPE_QUAD}, {"p.su2", "su2", MPLAN_SHAPE_HEX}};
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        mplan_mesh *mesh[2], *back[2], *finer[2];
        mplan_error err;
        if (strcmp(cases[i / 2].format, "exodus") == 0 && !support_has("netcdf"))
            continue;
        for (int k = 0; k < 2; k++) {
            mesh[k] = with_faces(cases[i / 2].shape, i % 2, k);
            back[k] = support_write_and_read(mesh[k], in_folder(cases[i / 2].file),
                                             cases[i / 2].format, NULL);
            assert_done(mplan_mesh_refine(mesh[k], 1, NULL, &finer[k], &err), &err);
        }
        expect_same_groups(back[0], back[1]);
        expect_same_groups(finer[0], finer[1]);
        for (int k = 0; k < 2; k++) {
            mplan_mesh_free(mesh[k]);
            mplan_mesh_free(back[k]);
            mplan_mesh_free(finer[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medit),        cmocka_unit_test(medit_text),
        cmocka_unit_test(medit_mixed),  cmocka_unit_test(medit_refuses),
        cmocka_unit_test(vtk),          cmocka_unit_test(vtk_names),
        cmocka_unit_test(vtk_groups),   cmocka_unit_test(vtk_marks_are_checked),
        cmocka_unit_test(foam),         cmocka_unit_test(foam_patches),
        cmocka_unit_test(foam_refuses), cmocka_unit_test(planned),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
