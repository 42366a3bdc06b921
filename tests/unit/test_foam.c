/* SPDX-License-Identifier: Apache-2.0 */
/* test_foam.c - OpenFOAM meshes: their faces against derived ones, files cut anywhere, places that a path may name */
#include "support_test.h"

#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"

enum { N_PARTS = MPLAN_FOAM_BOUNDARY + 1 };
static const char *const names[N_PARTS] = {"points", "faces", "owner", "neighbour", "boundary"};

/* --- meshes of our own, as OpenFOAM has them ----------------------------------------- */

typedef struct text {
    char *data;
    size_t at, size;
} text;

#define ADD(t, ...) \
    ((t)->at += (size_t)snprintf((t)->data + (t)->at, (t)->size - (t)->at, __VA_ARGS__))

static void begin(text *t, const char *kind)
{
    t->size = 1 << 20;
    t->data = malloc(t->size);
    assert_non_null(t->data);
    ADD(t, "FoamFile { format ascii; class %s; }\n", kind);
}

static mplan_map map_of(mplan_mesh *mesh, const char *name)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(mesh, name, NULL, &err), &err);
    return mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, name));
}

static void write_faces(text *t, const mplan_map *nodes)
{
    for (int64_t f = 0; f < nodes->n_rows; f++) {
        int32_t n;
        const int32_t *row = mplan_map_row(nodes, f, &n);
        ADD(t, "%d(", n);
        for (int32_t k = 0; k < n; k++)
            ADD(t, k ? " %d" : "%d", row[k]);
        ADD(t, ")\n");
    }
}

/* The five files of a mesh whose faces were derived: these are numbered as OpenFOAM numbers them. */
static void write_mesh(mplan_mesh *mesh, text parts[N_PARTS])
{
    mplan_map nodes = map_of(mesh, "faces_nodes"), cells = map_of(mesh, "faces_cells");
    mplan_map outer = map_of(mesh, "boundary_faces_nodes"),
              owners = map_of(mesh, "boundary_faces_cells");
    int32_t set = mplan_mesh_find_set(mesh, "nodes"), dimension;
    const double *xyz = mplan_mesh_coordinates(mesh, set, &dimension);
    int64_t n_points = mplan_mesh_set(mesh, set).size;
    static const char *const kinds[] = {"vectorField", "faceList", "labelList", "labelList",
                                        "polyBoundaryMesh"};
    for (int i = 0; i < N_PARTS; i++)
        begin(&parts[i], kinds[i]);
    ADD(&parts[0], "%d(\n", (int)n_points);
    for (int64_t p = 0; p < n_points; p++)
        ADD(&parts[0], "(%.17g %.17g %.17g)\n", xyz[3 * p], xyz[3 * p + 1], xyz[3 * p + 2]);
    ADD(&parts[0], ")\n");
    ADD(&parts[1], "%d(\n", (int)(nodes.n_rows + outer.n_rows));
    write_faces(&parts[1], &nodes);
    write_faces(&parts[1], &outer);
    ADD(&parts[1], ")\n");
    ADD(&parts[2], "%d(\n", (int)(cells.n_rows + owners.n_rows));
    ADD(&parts[3], "%d(\n", (int)cells.n_rows);
    for (int64_t f = 0; f < cells.n_rows; f++) {
        ADD(&parts[2], "%d\n", cells.values[2 * f]);
        ADD(&parts[3], "%d\n", cells.values[2 * f + 1]);
    }
    for (int64_t f = 0; f < owners.n_rows; f++)
        ADD(&parts[2], "%d\n", owners.values[f]);
    ADD(&parts[2], ")\n");
    ADD(&parts[3], ")\n");
    ADD(&parts[4], "1(all { type patch; nFaces %d; startFace %d; })\n", (int)owners.n_rows,
        (int)cells.n_rows);
    for (int i = 0; i < N_PARTS; i++)
        assert_true(parts[i].at < parts[i].size);
}

static mplan_status read_parts(const text parts[N_PARTS], mplan_mesh **mesh, mplan_error *err)
{
    mplan_input inputs[MPLAN_FOAM_FILES] = {{0}};
    const mplan_foam_source source = {.folder = "mesh", .inputs = inputs};
    for (int i = 0; i < N_PARTS; i++)
        inputs[i] = (mplan_input){names[i], (const uint8_t *)parts[i].data, parts[i].at, NULL};
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = mplan_foam_read(&source, *mesh, err);
    if (status != MPLAN_OK)
        mplan_mesh_free(*mesh);
    return status;
}

/* What is read has the faces that were written, and cells of the same type on the same nodes, whose faces, derived
 * anew, are the same. */
static void faces_come_back(void **state)
{
    static const char *const maps[] = {"faces_cells", "faces_nodes", "boundary_faces_cells",
                                       "boundary_faces_nodes"};
    (void)state;
    for (int which = 0; which < 4; which++) {
        mplan_mesh *mesh = NULL, *back = NULL, *again = NULL;
        mplan_error err;
        text parts[N_PARTS] = {0};
        char path[512];
        if (which < 2) {
            mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
            options.shape = which == 0 ? MPLAN_SHAPE_HEX : MPLAN_SHAPE_TET;
            options.size[0] = 4;
            options.size[1] = 3;
            options.size[2] = 5;
            options.jitter = 0.2;
            options.shuffle = true;
            assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        } else {
            snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA,
                     which == 2 ? "vtk/good-solid.vtk" : "gmsh/good-4.1-solids.msh");
            assert_done(mplan_mesh_read(path, NULL, NULL, &mesh, &err), &err);
        }
        write_mesh(mesh, parts);
        assert_done(read_parts(parts, &back, &err), &err);
        assert_done(mplan_mesh_validate(back, NULL, &err), &err);
        for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
            mplan_map x = map_of(mesh, maps[m]), y = map_of(back, maps[m]);
            assert_int_equal(x.n_rows, y.n_rows);
            assert_int_equal(mplan_map_entries(&x), mplan_map_entries(&y));
            assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
        }
        mplan_map cells = map_of(back, "cells_nodes");
        assert_memory_equal(mplan_mesh_cell_types(mesh), mplan_mesh_cell_types(back),
                            (size_t)cells.n_rows);
        /* the cells only, as a mesh of their own */
        int32_t dimension;
        const double *xyz = mplan_mesh_coordinates(back, mplan_mesh_find_set(back, "nodes"),
                                                   &dimension);
        assert_done(mplan_mesh_create(&again, &err), &err);
        assert_done(mplan_mesh_add_cells(again, cells.n_points, cells.n_rows,
                                         mplan_mesh_cell_types(back), cells.values, &err),
                    &err);
        assert_done(mplan_mesh_set_coordinates(again, mplan_mesh_find_set(again, "nodes"), 3, xyz,
                                               &err),
                    &err);
        mplan_map x = map_of(again, "faces_nodes"), y = map_of(back, "faces_nodes");
        assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
        for (int i = 0; i < N_PARTS; i++) {
            /* cut anywhere: refused, and nothing read behind the end */
            size_t whole = parts[i].at, step = whole > 500 ? whole / 250 : 1;
            for (size_t end = 0; end + 2 < whole; end += step) {
                text shorter[N_PARTS];
                mplan_mesh *none;
                memcpy(shorter, parts, sizeof shorter);
                shorter[i] = (text){malloc(end + 1), end, end};
                memcpy(shorter[i].data, parts[i].data, end);
                assert_int_not_equal(read_parts(shorter, &none, &err), MPLAN_OK);
                free(shorter[i].data);
            }
        }
        for (int i = 0; i < N_PARTS; i++)
            free(parts[i].data);
        mplan_mesh_free(mesh);
        mplan_mesh_free(back);
        mplan_mesh_free(again);
    }
}

/* --- paths ---------------------------------------------------------------------------- */

static void every_path_leads_to_the_mesh(void **state)
{
    (void)state;
    static const char *const good[] = {"good-case",
                                       "good-case/",
                                       "good-case/constant",
                                       "good-case/constant/polyMesh",
                                       "good-case/constant/polyMesh/boundary",
                                       "good-case/constant/polyMesh/points",
                                       "good-constant/polyMesh/owner",
                                       "good-text",
                                       "good-text/faces"};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    char path[512];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(path, sizeof path, "%s/foam/%s", MPLAN_TEST_DATA, good[i]);
        assert_done(mplan_mesh_read(path, NULL, NULL, &mesh, &err), &err);
        assert_string_equal(mplan_mesh_format(mesh), "foam");
        assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, 3);
        const int64_t *ids = mplan_mesh_boundary_ids(mesh);
        assert_true(ids && ids[0] == 1 && ids[1] == 2 && ids[12] == 3);
        mplan_mesh_free(mesh);
    }
    assert_refused(mplan_mesh_read(MPLAN_TEST_DATA, NULL, NULL, &mesh, &err), MPLAN_ERR_NO_INPUT,
                   &err, "is a folder");
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.format = "gmsh";
    assert_refused(mplan_mesh_read(MPLAN_TEST_DATA "/foam/good-text", &options, NULL, &mesh, &err),
                   MPLAN_ERR_NO_INPUT, &err, "is a folder");
    options.format = "foam";
    assert_refused(mplan_mesh_read(MPLAN_TEST_DATA, &options, NULL, &mesh, &err),
                   MPLAN_ERR_NO_INPUT, &err, "there is no mesh");
    snprintf(path, sizeof path, "%s/foam/good-text", MPLAN_TEST_DATA);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_read_table(mesh, path, NULL, NULL, &err), MPLAN_ERR_NO_INPUT, &err,
                   "is a folder");
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_come_back),
        cmocka_unit_test(every_path_leads_to_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
