/* SPDX-License-Identifier: Apache-2.0 */
/* test_mesh_orders.c - meshes in a new order against a permutation done by hand */
#include "support_order.h"

#include "mesh/mesh.h"

/* Lowest place among the neighbours of every place, by brute force over all rows. */
static void naive_figures(const mplan_mesh *mesh, int32_t set, const int32_t *place,
                          int64_t *bandwidth, int64_t *profile)
{
    int64_t n = mesh->sets[set].size;
    int64_t *lowest = malloc(((size_t)n + 1) * sizeof *lowest);
    for (int64_t i = 0; i < n; i++)
        lowest[place[i]] = place[i];
    *bandwidth = *profile = 0;
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        if (map.to != set || map.from == set)
            continue;
        for (int64_t r = 0; r < map.n_rows; r++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&map, r, &length);
            for (int32_t i = 0; i < length; i++)
                for (int32_t k = 0; k < length; k++) {
                    if (row[i] < 0 || row[k] < 0)
                        continue;
                    int64_t a = place[row[i]], b = place[row[k]];
                    if (b < lowest[a])
                        lowest[a] = b;
                    if (a - b > *bandwidth)
                        *bandwidth = a - b;
                }
        }
    }
    for (int64_t i = 0; i < n; i++)
        *profile += i - lowest[i];
    free(lowest);
}

/* Everything of the old mesh is at its new place. */
static void check_reordered(const mplan_mesh *old, const mplan_orders *orders, const mplan_mesh *made)
{
    assert_int_equal(made->n_sets, old->n_sets);
    assert_int_equal(made->n_maps, old->n_maps);
    assert_int_equal(made->n_groups, old->n_groups);
    assert_int_equal(made->n_facet_groups, old->n_facet_groups);
    assert_int_equal(made->dimension, old->dimension);
    for (int32_t s = 0; s < old->n_sets; s++) {
        const mplan_mesh_set_data *a = &old->sets[s], *b = &made->sets[s];
        const int32_t *place = orders->new_of_old[s];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->size, b->size);
        assert_int_equal(a->dimension, b->dimension);
        support_check_permutation(a->size, place);
        for (int64_t i = 0; i < a->size; i++) {
            for (int32_t d = 0; d < a->dimension; d++)
                assert_true(a->coordinates[i * a->dimension + d] ==
                            b->coordinates[(int64_t)place[i] * a->dimension + d]);
            if (a->global_ids)
                assert_int_equal(a->global_ids[i], b->global_ids[place[i]]);
        }
    }
    for (int32_t m = 0; m < old->n_maps; m++) {
        mplan_map a = mplan_mesh_map(old, m), b = mplan_mesh_map(made, m);
        assert_string_equal(a.name, b.name);
        assert_int_equal(a.arity, b.arity);
        for (int64_t r = 0; r < a.n_rows; r++) {
            int32_t n, n_made;
            const int32_t *row = mplan_map_row(&a, r, &n);
            const int32_t *new_row = mplan_map_row(&b, orders->new_of_old[a.from][r], &n_made);
            assert_int_equal(n, n_made);
            for (int32_t k = 0; k < n; k++)
                assert_int_equal(new_row[k], row[k] < 0 ? -1 : orders->new_of_old[a.to][row[k]]);
        }
    }
    int32_t cells = mplan_mesh_find_set(old, "cells"), nodes = mplan_mesh_find_set(old, "nodes");
    for (int64_t c = 0; old->cell_type && c < old->sets[cells].size; c++)
        assert_int_equal(old->cell_type[c], made->cell_type[orders->new_of_old[cells][c]]);
    for (int32_t g = 0; g < old->n_groups; g++) {
        const mplan_mesh_group_data *a = &old->groups[g], *b = &made->groups[g];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->id, b->id);
        assert_int_equal(a->n_members, b->n_members);
        for (int64_t i = 0; i < a->n_members; i++) {
            int64_t found = 0;
            for (int64_t k = 0; k < b->n_members; k++)
                found += b->members[k] == orders->new_of_old[a->set][a->members[i]];
            assert_int_equal(found, 1);
        }
    }
    for (int32_t f = 0; f < old->n_facet_groups; f++) {
        const mplan_mesh_facets *a = &old->facets[f], *b = &made->facets[f];
        int64_t at = 0;
        assert_int_equal(a->n_facets, b->n_facets);
        for (int64_t i = 0; i < a->n_facets; i++)
            for (int32_t k = 0; k < mplan_cell_type_nodes((mplan_cell_type)a->type[i]); k++, at++)
                assert_int_equal(b->nodes[at], orders->new_of_old[nodes][a->nodes[at]]);
    }
}

static void try_all(const mplan_mesh *mesh, const char *set, bool has_coordinates)
{
    for (int method = 0; mplan_renumber_name((mplan_renumber)method); method++) {
        mplan_error err;
        mplan_orders *orders = NULL;
        mplan_mesh *made = NULL;
        mplan_orders_options how = MPLAN_ORDERS_OPTIONS_INIT;
        how.set = set;
        how.renumber = (mplan_renumber)method;
        how.keep_better = method % 2 == 0;
        mplan_status status = mplan_mesh_orders(mesh, &how, NULL, &orders, &err);
        if ((method == MPLAN_RENUMBER_HILBERT && !has_coordinates && status == MPLAN_ERR_ARGUMENT) ||
            status == MPLAN_ERR_UNSUPPORTED)
            continue;
        assert_done(status, &err);
        assert_done(mplan_mesh_reorder(mesh, orders, NULL, &made, &err), &err);
        check_reordered(mesh, orders, made);
        if (mplan_mesh_find_map(mesh, "cells_nodes") >= 0 || !mesh->cell_type) {
            int32_t *identity = malloc(((size_t)mesh->sets[orders->set].size + 1) * sizeof *identity);
            int64_t bandwidth[2], profile[2];
            for (int64_t i = 0; i < mesh->sets[orders->set].size; i++)
                identity[i] = (int32_t)i;
            naive_figures(mesh, orders->set, identity, &bandwidth[0], &profile[0]);
            naive_figures(mesh, orders->set, orders->new_of_old[orders->set], &bandwidth[1],
                          &profile[1]);
            for (int k = 0; k < 2 && !(set && !strcmp(set, "cells")); k++) {
                assert_int_equal(bandwidth[k], orders->bandwidth[k]);
                assert_int_equal(profile[k], orders->profile[k]);
            }
            if (how.keep_better)
                assert_true(orders->profile[1] <= orders->profile[0]);
            free(identity);
        }
        mplan_orders_free(orders);
        mplan_mesh_free(made);
    }
}

static mplan_mesh *generated(mplan_shape shape, int64_t i, int64_t j, int64_t k)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = i;
    options.size[1] = j;
    options.size[2] = k;
    options.shuffle = shape != MPLAN_SHAPE_NACA0012;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

static void generated_meshes(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET, MPLAN_SHAPE_NACA0012};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        bool flat = shapes[s] != MPLAN_SHAPE_HEX && shapes[s] != MPLAN_SHAPE_TET;
        mplan_mesh *mesh = generated(shapes[s], 6, 5, flat ? 0 : 4);
        try_all(mesh, NULL, true);
        try_all(mesh, "cells", true);
        mplan_mesh_free(mesh);
    }
}

/* Random tables between three sets, fixed and ragged, one of a set to itself. */
static void random_tables(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 400; round += support_every(5)) {
        mplan_error err;
        mplan_mesh *mesh = NULL;
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        int64_t size[3];
        static const char *const names[] = {"alpha", "beta", "gamma"};
        for (int s = 0; s < 3; s++) {
            size[s] = 1 + support_random(&seed, 40);
            assert_done(mplan_mesh_add_set(mesh, names[s], size[s], NULL, &err), &err);
        }
        static const int ends[][2] = {{0, 1}, {2, 1}, {0, 2}, {1, 1}};
        int n_maps = 1 + (int)support_random(&seed, 4);
        for (int m = 0; m < n_maps; m++) {
            char name[16];
            mplan_map map = support_random_map(&seed, size[ends[m][0]], size[ends[m][1]],
                                               (int32_t)support_random(&seed, 5), 10);
            snprintf(name, sizeof name, "map%d", m);
            assert_done(mplan_mesh_add_map(mesh, name, ends[m][0], ends[m][1], map.arity,
                                           map.offsets, map.values, NULL, &err),
                        &err);
            support_map_free(&map);
        }
        int32_t members[3] = {0, (int32_t)size[1] / 2, (int32_t)size[1] - 1};
        int64_t n_members = size[1] >= 3 ? 3 : 1;
        assert_done(mplan_mesh_add_group(mesh, "some", 7, 0, 1, n_members, members, &err), &err);
        try_all(mesh, NULL, false);
        mplan_mesh_free(mesh);
    }
}

/* Facets that became groups of derived faces turn back into facets, once each. */
static void derived_is_left_out(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 4, 3, 0), *made = NULL;
    mplan_orders *orders = NULL;
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    uint8_t type[2] = {MPLAN_CELL_LINE2, MPLAN_CELL_LINE2};
    const int32_t *row = cells.values;
    int32_t pairs[4] = {row[0], row[1], row[1], row[2]};
    int32_t before = mesh->n_facet_groups;
    assert_done(mplan_mesh_add_facets(mesh, "lines", 9, 2, type, pairs, &err), &err);
    for (int pass = 0; pass < 2; pass++) {
        assert_done(mplan_mesh_orders(mesh, NULL, NULL, &orders, &err), &err);
        assert_done(mplan_mesh_reorder(mesh, orders, NULL, &made, &err), &err);
        assert_int_equal(made->n_sets, 2);
        assert_int_equal(made->n_maps, 1);
        assert_int_equal(made->n_facet_groups, before + 1);
        int64_t found = 0;
        for (int32_t f = 0; f < made->n_facet_groups; f++)
            if (!strcmp(made->facets[f].name, "lines"))
                found += made->facets[f].n_facets;
        assert_int_equal(found, 2);
        assert_done(mplan_mesh_derive(made, "faces_cells", NULL, &err), &err);
        mplan_orders_free(orders);
        mplan_mesh_free(made);
        orders = NULL;
        made = NULL;
        assert_done(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), &err);
        assert_done(mplan_mesh_derive(mesh, "nodes_cells", NULL, &err), &err);
    }
    mplan_mesh_free(mesh);
}

static void split_sets_keep_their_ids(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = NULL, *made = NULL;
    mplan_orders *orders = NULL;
    const int32_t values[] = {4, 1, 3, -1, 0, 3, 2, 4, -1, 1};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "faces", 5, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 5, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_cells", 0, 1, 2, NULL, values, NULL, &err), &err);
    assert_done(mplan_mesh_split(mesh, 0, 0, &err), &err);
    assert_done(mplan_mesh_orders(mesh, NULL, NULL, &orders, &err), &err);
    assert_done(mplan_mesh_reorder(mesh, orders, NULL, &made, &err), &err);
    assert_non_null(mplan_mesh_global_ids(made, 0));
    check_reordered(mesh, orders, made);
    mplan_orders_free(orders);
    mplan_mesh_free(made);
    mplan_mesh_free(mesh);
}

static void refusals(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 3, 2, 0), *made = NULL;
    mplan_orders *orders = NULL;
    mplan_orders_options how = MPLAN_ORDERS_OPTIONS_INIT;
    how.set = "knots";
    assert_refused(mplan_mesh_orders(mesh, &how, NULL, &orders, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 'knots'");
    how.struct_size = 1;
    assert_refused(mplan_mesh_orders(mesh, &how, NULL, &orders, &err), MPLAN_ERR_ARGUMENT, &err,
                   "orders options of 1 bytes");
    assert_done(mplan_mesh_orders(mesh, NULL, NULL, &orders, &err), &err);
    int32_t first = orders->new_of_old[0][0];
    orders->new_of_old[0][0] = orders->new_of_old[0][1];
    assert_refused(mplan_mesh_reorder(mesh, orders, NULL, &made, &err), MPLAN_ERR_ARGUMENT, &err,
                   "not a permutation");
    orders->new_of_old[0][0] = -1;
    assert_refused(mplan_mesh_reorder(mesh, orders, NULL, &made, &err), MPLAN_ERR_ARGUMENT, &err,
                   "not a permutation");
    orders->new_of_old[0][0] = first;
    mplan_orders_free(orders);
    mplan_mesh_free(mesh);
    orders = NULL;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_refused(mplan_mesh_orders(mesh, NULL, NULL, &orders, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no map");
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_meshes),
        cmocka_unit_test(random_tables),
        cmocka_unit_test(derived_is_left_out),
        cmocka_unit_test(split_sets_keep_their_ids),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
