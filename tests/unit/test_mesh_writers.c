/* SPDX-License-Identifier: Apache-2.0 */
/* test_mesh_writers.c - writers of meshes that test_writers.c does not have: what they write reads back the same */
#include "support_test.h"

#include <unistd.h>

#include "mesh/mesh.h"
#include "support_request.h"
#include "support_round_trip.h"

static char folder[] = "/tmp/mplan-mesh-writers-XXXXXX";

/* A name in the folder; it is removed with that. */
static const char *file(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void keep_warning(void *user, const char *text)
{
    char *all = user;
    strncat(all, text, 2047 - strlen(all));
    strncat(all, "\n", 2047 - strlen(all));
}

/* Of boundary faces, by their numbers of groups. */
static void same_boundaries(mplan_mesh *a, mplan_mesh *b)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(a, "boundary_faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(b, "boundary_faces", NULL, &err), &err);
    int64_t n = mplan_mesh_set(a, mplan_mesh_find_set(a, "boundary_faces")).size;
    assert_int_equal(n, mplan_mesh_set(b, mplan_mesh_find_set(b, "boundary_faces")).size);
    assert_memory_equal(mplan_mesh_boundary_ids(a), mplan_mesh_boundary_ids(b),
                        (size_t)n * sizeof(int64_t));
}

/* Generated meshes with all groups, also once faces are derived; `lost`: warnings of writing. */
static void round_trips(const char *name, const char *format, int flags, int lost)
{
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    for (int s = 0; s < 4; s++) {
        mplan_mesh *mesh = support_mesh(shapes[s]);
        mplan_error err;
        int warnings;
        mplan_mesh *back = support_write_and_read(mesh, file(name), format, &warnings);
        assert_int_equal(warnings, lost);
        support_same_cells(mesh, back);
        support_same_groups(mesh, back, flags);
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        mplan_mesh *again = support_write_and_read(mesh, file(name), format, NULL);
        support_same_cells(mesh, again);
        if (flags & SAME_IDS)
            same_boundaries(mesh, again);
        mplan_mesh_free(again);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Writes the mesh and compares the warnings, a line each. */
static void write_with(const mplan_mesh *mesh, const char *name, const char *format,
                       const char *warnings)
{
    char all[2048] = "";
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_error err;
    context.warning = keep_warning;
    context.user = all;
    assert_done(mplan_mesh_write(mesh, file(name), format, NULL, &context, &err), &err);
    assert_string_equal(all, warnings);
}

/* A tetrahedron with facets and nodes of two groups. */
static mplan_mesh *tetrahedron(void)
{
    static const uint8_t tet[] = {MPLAN_CELL_TET4}, faces[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2, 3}, wall[] = {0, 2, 1, 0, 1, 3};
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 4, 1, tet, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "wall", 5, 2, faces, wall, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "tip", 5, 1, faces, wall, &err), &err);
    return mesh;
}

static char *text_of(const char *name)
{
    static char text[4096];
    FILE *from = fopen(file(name), "r");
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
    round_trips("a.mesh", "medit", SAME_IDS | SAME_CELL_GROUPS | SAME_NODE_GROUPS, 1);
    round_trips("a.meshb", NULL, SAME_IDS | SAME_CELL_GROUPS | SAME_NODE_GROUPS, 1);
}

static void medit_text(void **state)
{
    (void)state;
    mplan_mesh *mesh = tetrahedron();
    write_with(mesh, "b.mesh", "medit",
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
        back = support_write_and_read(mesh, file(names[i / 2]), "medit", NULL);
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
    assert_refused(mplan_mesh_write(mesh, file("d.meshb"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err,
                   "a medit file can only hold cells of first order, but cell 4 is a tet10");
    assert_int_equal(access(file("d.meshb"), F_OK), -1);
    mplan_mesh_free(mesh);
}

/* --- legacy VTK ------------------------------------------------------------------------- */

static void vtk(void **state)
{
    (void)state;
    round_trips("a.vtk", NULL, SAME_NAMES | SAME_CELL_GROUPS, 0);
    for (int32_t i = 0; i < 3; i++) {
        mplan_mesh *mesh = support_mixed_mesh(i == 0 ? 3 : 2, i == 2);
        mplan_mesh *back = support_write_and_read(mesh, file("b.vtk"), NULL, NULL);
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
    mplan_mesh *mesh = tetrahedron(), *back;
    assert_done(mplan_mesh_add_group(mesh, "50% \"of\" it\n\xc3\xa4", 3, 3,
                                     mplan_mesh_find_set(mesh, "cells"), 1, cells, &err),
                &err);
    write_with(mesh, "c.vtk", NULL, "");
    const char *text = text_of("c.vtk");
    assert_non_null(strstr(text, "# vtk DataFile Version 3.0\nmeshplan\nBINARY\n"
                                 "DATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"));
    assert_done(mplan_mesh_read(file("c.vtk"), NULL, NULL, &back, &err), &err);
    assert_int_equal(back->n_groups, 1);
    assert_string_equal(back->groups[0].name, "50% \"of\" it\n\xc3\xa4");
    support_same_groups(mesh, back, SAME_NAMES | SAME_CELL_GROUPS);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* Marks are 0 or 1, and one for each cell. */
static void vtk_marks_are_checked(void **state)
{
    (void)state;
    static const char *const ends[] = {"wall 1 1 unsigned_char\n2\n",
                                       "wall 1 2 unsigned_char\n1 1\n"};
    static const char *const sentences[] = {"a mark of a group must be 0 or 1, not 2",
                                            "wall has 2 numbers for 1 cells"};
    for (int i = 0; i < 2; i++) {
        mplan_error err;
        mplan_mesh *mesh = NULL;
        FILE *to = fopen(file("d.vtk"), "w");
        fprintf(to,
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                "POINTS 3 double\n0 0 0 1 0 0 0 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n"
                "CELL_DATA 1\nFIELD meshplan_groups 1\n%s",
                ends[i]);
        fclose(to);
        assert_refused(mplan_mesh_read(file("d.vtk"), NULL, NULL, &mesh, &err), MPLAN_ERR_CORRUPT,
                       &err, sentences[i]);
    }
}

/* --- OpenFOAM ---------------------------------------------------------------------------- */

/* Equal values of the map `name`. */
static void same_map(const mplan_mesh *a, const mplan_mesh *b, const char *name)
{
    mplan_map x = mplan_mesh_map(a, mplan_mesh_find_map(a, name));
    mplan_map y = mplan_mesh_map(b, mplan_mesh_find_map(b, name));
    assert_int_equal(x.n_rows, y.n_rows);
    assert_int_equal(mplan_map_entries(&x), mplan_map_entries(&y));
    assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
}

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
        mplan_mesh *back = support_write_and_read(mesh, file("polyMesh"), NULL, NULL);
        assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
        assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        same_map(mesh, back, "faces_cells");
        same_map(mesh, back, "faces_nodes");
        assert_memory_equal(mplan_mesh_cell_types(mesh), mplan_mesh_cell_types(back),
                            (size_t)mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size);
        assert_int_equal(patch_size(back, "xmin"), patch_size(mesh, "xmin"));
        assert_int_equal(patch_size(back, "zmax"), patch_size(mesh, "zmax"));
        assert_int_equal(patch_size(back, "defaultFaces"), -1);
        mplan_mesh_free(back);
        /* with faces of its own, and into the folder that is there */
        back = support_write_and_read(mesh, file("polyMesh/"), "foam", NULL);
        same_map(mesh, back, "faces_nodes");
        mplan_mesh *again = support_write_and_read(back, file("polyMesh"), NULL, NULL);
        same_map(back, again, "faces_nodes");
        same_map(back, again, "boundary_faces_nodes");
        same_map(back, again, "cells_nodes");
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
    write_with(mesh, "polyMesh", NULL,
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
    assert_refused(mplan_mesh_write(mesh, file("a/polyMesh"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "three coordinates of each node");
    mplan_mesh_free(mesh);
    mesh = support_mixed_mesh(3, true);
    assert_refused(mplan_mesh_write(mesh, file("b"), "foam", NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "but cell 4 is a tet10");
    assert_int_equal(access(file("b"), F_OK), -1);
    mplan_mesh_free(mesh);
    mesh = tetrahedron();
    assert_refused(mplan_mesh_write(mesh, "-", "foam", NULL, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "cannot go to standard output");
    assert_done(mplan_mesh_write(mesh, file("c"), "foam", NULL, NULL, &err), &err);
    fclose(fopen(file("c/notes"), "w"));
    assert_refused(mplan_mesh_write(mesh, file("c"), "foam", NULL, NULL, &err), MPLAN_ERR_CREATE,
                   &err, "contains notes");
    assert_int_equal(access(file("c/points"), F_OK), 0);
    mplan_mesh_free(mesh);
}

/* --- Exodus II ---------------------------------------------------------------------------- */

/* A generated mesh with groups of faces, and one of nodes. */
static mplan_mesh *plain_mesh(mplan_shape shape)
{
    static const int32_t nodes[] = {0, 2, 5, 7};
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = 4;
    options.size[1] = 3;
    options.size[2] = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET ? 2 : 0;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "corners", 41, 0, mplan_mesh_find_set(mesh, "nodes"), 4,
                                     nodes, &err),
                &err);
    return mesh;
}

static void exodus(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    if (!support_has("netcdf"))
        skip();
    for (int i = 0; i < 8; i++) {
        mplan_error err;
        int warnings;
        mplan_mesh *mesh = plain_mesh(shapes[i / 2]), *again;
        if (i % 2) {
            assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
            assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        }
        mplan_mesh *back = support_write_and_read(mesh, file("a.exo"), NULL, &warnings);
        assert_int_equal(warnings, 0);
        support_same_cells(mesh, back);
        again = plain_mesh(shapes[i / 2]);
        assert_int_equal(again->n_facet_groups, back->n_facet_groups);
        for (int32_t f = 0; f < again->n_facet_groups; f++) { /* in another order and orientation */
            assert_string_equal(again->facets[f].name, back->facets[f].name);
            assert_int_equal(again->facets[f].id, back->facets[f].id);
            assert_int_equal(again->facets[f].n_facets, back->facets[f].n_facets);
        }
        assert_string_equal(mplan_mesh_group(back, 1).name, "corners");
        assert_int_equal(mplan_mesh_group(back, 1).id, 41);
        assert_memory_equal(mplan_mesh_group(back, 1).members, mplan_mesh_group(again, 0).members,
                            4 * sizeof(int32_t));
        same_boundaries(mesh, back);
        mplan_mesh_free(again);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
    mplan_mesh *mesh = support_mixed_mesh(3, true); /* second order, every type once */
    mplan_mesh *back = support_write_and_read(mesh, file("b.e"), NULL, NULL);
    support_same_cells(mesh, back);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* Blocks are a group and a type each; cells of two groups are in the first. */
static void exodus_blocks(void **state)
{
    (void)state;
    static const int32_t all[] = {0, 1, 2}, last[] = {2};
    mplan_error err;
    mplan_mesh *mesh = support_mixed_mesh(2, false), *back = NULL; /* a quad, a triangle, a quad */
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    assert_done(mplan_mesh_add_group(mesh, "last", 7, 2, cells, 1, last, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "all", 7, 2, cells, 3, all, &err), &err);
    write_with(mesh, "c.exo", NULL,
               "1 cells are in several groups and are written in the first: a cell of an Exodus file is in one block\n"
               "the group 'all' has cells of several types: its cells of type tri3 are a block of their own\n");
    if (support_has("netcdf")) {
        static const char *const names[] = {"all", "all_tri3", "last"};
        static const int64_t ids[] = {7, 8, 9};
        assert_done(mplan_mesh_read(file("c.exo"), NULL, NULL, &back, &err), &err);
        assert_int_equal(mplan_mesh_n_groups(back), 3);
        for (int32_t g = 0; g < 3; g++) {
            assert_string_equal(mplan_mesh_group(back, g).name, names[g]);
            assert_int_equal(mplan_mesh_group(back, g).id, ids[g]);
            assert_int_equal(mplan_mesh_group(back, g).n_members, 1);
        }
        mplan_mesh_free(back);
    }
    mplan_mesh_free(mesh);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, file("d.exo"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "an Exodus file needs cells with types");
    mplan_mesh_free(mesh);
}

/* --- UGRID -------------------------------------------------------------------------------- */

static void ugrid(void **state)
{
    (void)state;
    int warnings;
    if (!support_has("netcdf"))
        skip();
    for (int i = 0; i < 4; i++) {
        mplan_mesh *mesh = i < 2 ? support_mesh(i ? MPLAN_SHAPE_TRI : MPLAN_SHAPE_QUAD)
                                 : support_mixed_mesh(2, false);
        mplan_mesh *back = support_write_and_read(mesh, file("a.nc"), NULL, &warnings);
        assert_int_equal(warnings, i < 2); /* groups */
        support_same_cells(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Polygons, edges and all maps between them, as a file brought them, and what has no place. */
static void ugrid_edges(void **state)
{
    (void)state;
    /* a pentagon and a triangle at the edge 0 */
    static const int64_t offsets[] = {0, 5, 8};
    static const int32_t corners[] = {0, 1, 2, 3, 4, 1, 0, 5}, sides[] = {0, 1, 2, 3, 4, 0, 5, 6},
                         ends[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 5, 5, 1},
                         cells_of[] = {0, 1, 0, -1, 0, -1, 0, -1, 0, -1, 1, -1, 1, -1};
    static const double xyz[] = {0, 0, 1, 1, 0, 1, 2, 1, 2, 1, 2, 3, 0, 2, 2, 0, -1, 1};
    static const char *const names[] = {"cells_nodes", "cells_edges", "edges_nodes", "edges_cells"};
    int32_t cells, nodes, edges;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", 6, &nodes, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 2, &cells, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "edges", 7, &edges, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, nodes, 3, xyz, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, names[0], cells, nodes, 0, offsets, corners, NULL, &err),
                &err);
    assert_refused(mplan_mesh_write(mesh, file("b.nc"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "can only hold surfaces"); /* or polyhedra */
    assert_done(mplan_mesh_add_map(mesh, names[1], cells, edges, 0, offsets, sides, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, names[2], edges, nodes, 2, NULL, ends, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, names[3], edges, cells, 2, NULL, cells_of, NULL, &err),
                &err);
    write_with(mesh, "b.nc", NULL, "");
    if (support_has("netcdf")) {
        mplan_mesh *back = NULL;
        assert_done(mplan_mesh_read(file("b.nc"), NULL, NULL, &back, &err), &err);
        for (int i = 0; i < 4; i++)
            same_map(mesh, back, names[i]);
        mplan_mesh_free(back);
    }
    mplan_mesh_free(mesh);
    mesh = support_mesh(MPLAN_SHAPE_HEX);
    assert_refused(mplan_mesh_write(mesh, file("c.nc"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err,
                   "a UGRID file can only hold surfaces and planar meshes of first order");
    mplan_mesh_free(mesh);
}

/* --- CGNS --------------------------------------------------------------------------------- */

static void cgns(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    if (!support_has("hdf5") || !support_has("cgns"))
        skip();
    for (int i = 0; i < 8; i++) {
        mplan_error err;
        int warnings;
        mplan_mesh *mesh = plain_mesh(shapes[i / 2]);
        if (i % 2) {
            assert_done(mplan_mesh_derive(mesh, "faces", NULL, &err), &err);
            assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
        }
        mplan_mesh *back = support_write_and_read(mesh, file("a.cgns"), NULL, &warnings);
        assert_int_equal(warnings, 0);
        support_same_cells(mesh, back);
        assert_string_equal(mplan_mesh_group(back, 0).name, "corners");
        assert_int_equal(mplan_mesh_group(back, 0).n_members, 4);
        same_boundaries(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
    for (int32_t i = 0; i < 2; i++) { /* sorted by type, of which each is there once */
        mplan_mesh *mesh = support_mixed_mesh(3, i == 1);
        mplan_mesh *back = support_write_and_read(mesh, file("b.cgns"), NULL, NULL);
        int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, seen = 0;
        const uint8_t *types = mplan_mesh_cell_types(mesh), *sorted = mplan_mesh_cell_types(back);
        mplan_map from = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        mplan_map to = mplan_mesh_map(back, mplan_mesh_find_map(back, "cells_nodes"));
        assert_int_equal(n, to.n_rows);
        for (int64_t c = 0; c < n * n; c++) {
            int32_t length, other;
            const int32_t *row = mplan_map_row(&from, c / n, &length);
            const int32_t *same = mplan_map_row(&to, c % n, &other);
            if (types[c / n] != sorted[c % n])
                continue;
            assert_int_equal(length, other);
            assert_memory_equal(row, same, (size_t)length * sizeof *row);
            seen++;
        }
        assert_int_equal(seen, n);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

/* Names of 32 bytes, each once; facets of two groups are in both; groups of cells are skipped. */
static void cgns_names(void **state)
{
    (void)state;
    static const uint8_t faces[] = {MPLAN_CELL_TRI3};
    static const int32_t wall[] = {0, 2, 1}, cells[] = {0};
    static const char *const names[] = {"wall", "tip", "", "", "Zone_2"};
    mplan_error err;
    mplan_mesh *mesh = tetrahedron(), *back = NULL;
    if (!support_has("hdf5") || !support_has("cgns"))
        skip();
    assert_done(mplan_mesh_add_facets(mesh, "a name/that is far longer than 32 bytes", 6, 1, faces,
                                      wall, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "a name/that is far longer than 32 bytes", 7, 1, faces,
                                      wall, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "Zone", 8, 1, faces, wall, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "all", 3, 3, mplan_mesh_find_set(mesh, "cells"), 1,
                                     cells, &err),
                &err);
    back = support_write_and_read(mesh, file("c.cgns"), NULL, NULL);
    assert_int_equal(back->n_facet_groups, 5);
    for (int32_t f = 0; f < 5; f++) {
        if (f != 2 && f != 3)
            assert_string_equal(back->facets[f].name, names[f]);
        assert_true(strlen(back->facets[f].name) <= 32);
        assert_int_equal(back->facets[f].n_facets, f == 0 ? 2 : 1);
    }
    assert_string_not_equal(back->facets[2].name, back->facets[3].name);
    assert_int_equal(mplan_mesh_n_groups(back), 0);
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_write(mesh, file("d.cgns"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "a CGNS file needs cells with types");
    mplan_mesh_free(mesh);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medit),
        cmocka_unit_test(medit_text),
        cmocka_unit_test(medit_mixed),
        cmocka_unit_test(medit_refuses),
        cmocka_unit_test(vtk),
        cmocka_unit_test(vtk_names),
        cmocka_unit_test(vtk_marks_are_checked),
        cmocka_unit_test(foam),
        cmocka_unit_test(foam_patches),
        cmocka_unit_test(foam_refuses),
        cmocka_unit_test(exodus),
        cmocka_unit_test(exodus_blocks),
        cmocka_unit_test(ugrid),
        cmocka_unit_test(ugrid_edges),
        cmocka_unit_test(cgns),
        cmocka_unit_test(cgns_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
