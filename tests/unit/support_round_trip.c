/* SPDX-License-Identifier: Apache-2.0 */
/* support_round_trip.c - meshes to be written, and what must be the same when they are read */
#include "support_round_trip.h"

#include "mesh/mesh.h"
#include "support_test.h"
#include "support_mesh.h"

mplan_mesh *support_mesh(mplan_shape shape)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = 4;
    options.size[1] = 3;
    options.size[2] = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET ? 2 : 0;
    options.jitter = 0.2;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    static const int32_t cells[] = {1, 3, 4}, nodes[] = {0, 2, 5, 7};
    assert_done(mplan_mesh_add_group(mesh, "inner part", 31, mplan_mesh_dimension(mesh),
                                     mplan_mesh_find_set(mesh, "cells"), 3, cells, &err),
                &err);
    assert_done(mplan_mesh_add_group(mesh, "corners", 41, 0, mplan_mesh_find_set(mesh, "nodes"), 4,
                                     nodes, &err),
                &err);
    return mesh;
}

mplan_mesh *support_mixed_mesh(int32_t dimension, bool second)
{
    static const uint8_t flat[] = {MPLAN_CELL_QUAD4, MPLAN_CELL_TRI3,  MPLAN_CELL_QUAD4,
                                   MPLAN_CELL_TRI6,  MPLAN_CELL_QUAD8, MPLAN_CELL_QUAD9};
    static const uint8_t solid[] = {MPLAN_CELL_HEX8,      MPLAN_CELL_PRISM6, MPLAN_CELL_PYRAMID5,
                                    MPLAN_CELL_TET4,      MPLAN_CELL_TET10,  MPLAN_CELL_PRISM15,
                                    MPLAN_CELL_PYRAMID13, MPLAN_CELL_HEX20,  MPLAN_CELL_PRISM18,
                                    MPLAN_CELL_PYRAMID14, MPLAN_CELL_HEX27};
    const uint8_t *type = dimension == 2 ? flat : solid;
    const int64_t n = dimension == 2 ? (second ? 6 : 3) : second ? 11 : 4;
    int32_t nodes[256], used = 0;
    double xyz[3 * 256];
    uint64_t seed = 9;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    for (int64_t c = 0; c < n; c++) /* each has nodes of its own */
        for (int32_t k = 0; k < mplan_cell_type_nodes((mplan_cell_type)type[c]); k++, used++)
            nodes[used] = used;
    for (int32_t i = 0; i < used * dimension; i++)
        xyz[i] = (double)support_random(&seed, 1 << 30) / 7e8 - 0.3;
    if (dimension == 3) { /* prisms of positive volume: readers turn others */
        for (int64_t c = 0, first = 0; c < n;
             first += mplan_cell_type_nodes((mplan_cell_type)type[c++]))
            for (int32_t k = 0; k < 6 && mplan_cell_type_corners((mplan_cell_type)type[c]) == 6; k++) {
                static const double unit[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                                  {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
                memcpy(xyz + 3 * (first + k), unit[k], sizeof unit[k]);
            }
    }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, used, n, type, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), dimension, xyz,
                                           &err),
                &err);
    return mesh;
}

mplan_mesh *support_write_and_read(const mplan_mesh *mesh, const char *path, const char *format,
                                   int *warnings)
{
    mplan_mesh *back = NULL;
    mplan_error err;
    int own = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = count_warning;
    context.user = warnings ? warnings : &own;
    if (warnings)
        *warnings = 0;
    assert_done(mplan_mesh_write(mesh, path, format, NULL, &context, &err), &err);
    assert_done(mplan_mesh_read(path, NULL, NULL, &back, &err), &err);
    return back;
}

void support_same_cells(const mplan_mesh *a, const mplan_mesh *b)
{
    mplan_map x = mplan_mesh_map(a, mplan_mesh_find_map(a, "cells_nodes"));
    mplan_map y = mplan_mesh_map(b, mplan_mesh_find_map(b, "cells_nodes"));
    assert_int_equal(x.n_rows, y.n_rows);
    assert_int_equal(x.n_points, y.n_points);
    assert_int_equal(x.arity, y.arity);
    assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
    assert_memory_equal(mplan_mesh_cell_types(a), mplan_mesh_cell_types(b), (size_t)x.n_rows);
    int32_t d = 0, e = 0;
    const double *from = mplan_mesh_coordinates(a, mplan_mesh_find_set(a, "nodes"), &d);
    const double *to = mplan_mesh_coordinates(b, mplan_mesh_find_set(b, "nodes"), &e);
    assert_int_equal(d, e);
    assert_memory_equal(from, to, (size_t)(x.n_points * d) * sizeof *from);
}

static bool like(const char *name, int64_t id, const char *other, int64_t other_id, int flags)
{
    return (!(flags & SAME_NAMES) || !strcmp(name, other)) && (!(flags & SAME_IDS) || id == other_id);
}

void support_same_groups(const mplan_mesh *a, const mplan_mesh *b, int flags)
{
    for (int32_t g = 0; g < a->n_groups; g++) {
        const mplan_mesh_group_data *x = &a->groups[g];
        bool cells = !strcmp(a->sets[x->set].name, "cells"), found = false;
        if (cells ? !(flags & SAME_CELL_GROUPS) : !(flags & SAME_NODE_GROUPS))
            continue;
        for (int32_t k = 0; k < b->n_groups; k++) {
            const mplan_mesh_group_data *y = &b->groups[k];
            found = found ||
                    (like(x->name, x->id, y->name, y->id, flags) &&
                     !strcmp(a->sets[x->set].name, b->sets[y->set].name) &&
                     x->n_members == y->n_members &&
                     !memcmp(x->members, y->members, (size_t)x->n_members * sizeof *x->members));
        }
        if (!found)
            fail_msg("group '%s' is not there", x->name);
    }
    assert_int_equal(a->n_facet_groups, b->n_facet_groups);
    for (int32_t f = 0; f < a->n_facet_groups; f++) {
        const mplan_mesh_facets *x = &a->facets[f];
        int64_t entries = 0;
        bool found = false;
        for (int64_t i = 0; i < x->n_facets; i++)
            entries += mplan_cell_type_nodes((mplan_cell_type)x->type[i]);
        for (int32_t k = 0; k < b->n_facet_groups; k++) {
            const mplan_mesh_facets *y = &b->facets[k];
            found = found ||
                    (like(x->name, x->id, y->name, y->id, flags) && x->n_facets == y->n_facets &&
                     !memcmp(x->type, y->type, (size_t)x->n_facets) &&
                     !memcmp(x->nodes, y->nodes, (size_t)entries * sizeof *x->nodes));
        }
        if (!found)
            fail_msg("facets '%s' are not there", x->name);
    }
}

void support_same_map(const mplan_mesh *a, const mplan_mesh *b, const char *name)
{
    mplan_map x = mplan_mesh_map(a, mplan_mesh_find_map(a, name));
    mplan_map y = mplan_mesh_map(b, mplan_mesh_find_map(b, name));
    assert_int_equal(x.n_rows, y.n_rows);
    assert_int_equal(mplan_map_entries(&x), mplan_map_entries(&y));
    assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
}

void support_same_boundaries(mplan_mesh *a, mplan_mesh *b)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(a, "boundary_faces", NULL, &err), &err);
    assert_done(mplan_mesh_derive(b, "boundary_faces", NULL, &err), &err);
    int64_t n = mplan_mesh_set(a, mplan_mesh_find_set(a, "boundary_faces")).size;
    assert_int_equal(n, mplan_mesh_set(b, mplan_mesh_find_set(b, "boundary_faces")).size);
    assert_memory_equal(mplan_mesh_boundary_ids(a), mplan_mesh_boundary_ids(b),
                        (size_t)n * sizeof(int64_t));
}

static void keep_warning(void *user, const char *text)
{
    char *all = user;
    strncat(all, text, 2047 - strlen(all));
    strncat(all, "\n", 2047 - strlen(all));
}

void support_write_with(const mplan_mesh *mesh, const char *path, const char *format,
                        const char *warnings)
{
    char all[2048] = "";
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_error err;
    context.warning = keep_warning;
    context.user = all;
    assert_done(mplan_mesh_write(mesh, path, format, NULL, &context, &err), &err);
    assert_string_equal(all, warnings);
}

void support_round_trips(const char *path, const char *format, int flags, int lost)
{
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    for (int s = 0; s < 4; s++) {
        mplan_mesh *mesh = support_mesh(shapes[s]);
        mplan_error err;
        int warnings;
        mplan_mesh *back = support_write_and_read(mesh, path, format, &warnings);
        assert_int_equal(warnings, lost);
        support_same_cells(mesh, back);
        support_same_groups(mesh, back, flags);
        mplan_mesh_free(back);
        for (int planned = 1; planned >= 0;
             planned--) { /* without faces_nodes first, as planning leaves a mesh */
            assert_done((planned ? mplan_mesh_derive_sparing : mplan_mesh_derive)(mesh, "faces",
                                                                                  NULL, &err),
                        &err);
            back = support_write_and_read(mesh, path, format, NULL);
            support_same_cells(mesh, back);
            if (flags & SAME_BOUNDARIES)
                support_same_boundaries(mesh, back);
            mplan_mesh_free(back);
        }
        mplan_mesh_free(mesh);
    }
}

mplan_mesh *support_tetrahedron(void)
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
