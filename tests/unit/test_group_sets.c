/* SPDX-License-Identifier: Apache-2.0 */
/* test_group_sets.c - sets of groups: which members they have, which maps, in which order; each change of a plan refused */
#include "support_check.h"
#include "support_planfile.h"

#include "planfile/planfile_layout.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* Quads with two groups of boundary faces that overlap: every second and every third. */
static mplan_mesh *grid(void)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = MPLAN_SHAPE_QUAD;
    options.size[0] = 7;
    options.size[1] = 5;
    options.shuffle = true;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "boundary_faces", NULL, &err), &err);
    const int32_t set = mplan_mesh_find_set(mesh, "boundary_faces");
    int32_t members[2][24], n[2] = {0, 0};
    for (int32_t i = 0; i < mplan_mesh_set(mesh, set).size; i++)
        for (int g = 0; g < 2; g++)
            if (i % (2 + g) == 0)
                members[g][n[g]++] = i;
    assert_done(mplan_mesh_add_group(mesh, "airfoil", 1, 1, set, n[0], members[0], &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "farfield", 2, 1, set, n[1], members[1], &err), &err);
    return mesh;
}

/* Two prisms on one another: two triangles and six quads are its boundary. Groups of facets: ends (the triangles),
 * sides (quads of one side), both (of each kind), none (no facet). */
static mplan_mesh *prisms(void)
{
    static const uint8_t types[] = {MPLAN_CELL_PRISM6, MPLAN_CELL_PRISM6};
    static const int32_t nodes[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8};
    static const uint8_t ends[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3},
                         sides[] = {MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4},
                         both[] = {MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4};
    static const int32_t of_ends[] = {0, 1, 2, 6, 7, 8}, of_sides[] = {0, 1, 4, 3, 3, 4, 7, 6},
                         of_both[] = {0, 1, 2, 0, 1, 4, 3};
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 9, 2, types, nodes, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "ends", 1, 2, ends, of_ends, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "sides", 2, 2, sides, of_sides, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "both", 3, 2, both, of_both, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "none", 4, 0, NULL, NULL, &err), &err);
    return mesh;
}

static void derive(mplan_mesh *mesh, const char *name)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(mesh, name, &one_thread, &err), &err);
}

static mplan_map map_of(mplan_mesh *mesh, const char *name)
{
    derive(mesh, name);
    int32_t map = mplan_mesh_find_map(mesh, name);
    assert_true(map >= 0);
    return mplan_mesh_map(mesh, map);
}

/* Each row of a group's map is the row of its member in the parent's. */
static void rows_are_the_parents(mplan_mesh *mesh, const char *group, const char *map,
                                 const char *whole)
{
    const mplan_map part = map_of(mesh, map), all = map_of(mesh, whole);
    int32_t parent;
    const int32_t *index = mplan_mesh_parent_index(mesh, mplan_mesh_find_set(mesh, group), &parent);
    assert_non_null(index);
    assert_int_equal(parent, all.from);
    assert_int_equal(part.from, mplan_mesh_find_set(mesh, group));
    assert_int_equal(part.to, all.to);
    for (int64_t i = 0; i < part.n_rows; i++) {
        int32_t n, n_all;
        const int32_t *row = mplan_map_row(&part, i, &n);
        const int32_t *due = mplan_map_row(&all, index[i], &n_all);
        assert_int_equal(n, n_all);
        assert_memory_equal(row, due, (size_t)n * sizeof *row);
    }
}

static void facets_become_sets(void **state)
{
    (void)state;
    mplan_mesh *mesh = prisms();
    const struct {
        const char *group, *nodes, *cells;
        int64_t size;
        int32_t arity;
    } due[] = {{"ends", "ends_nodes", "ends_cells", 2, 3},
               {"sides", "sides_nodes", "sides_cells", 2, 4},
               {"both", "both_nodes", "both_cells", 2, 0},
               {"none", "none_nodes", "none_cells", 0, 0}};
    for (int i = 0; i < 4; i++) {
        derive(mesh, due[i].group);
        int32_t set = mplan_mesh_find_set(mesh, due[i].group);
        assert_int_equal(mplan_mesh_set(mesh, set).size, due[i].size);
        rows_are_the_parents(mesh, due[i].group, due[i].nodes, "boundary_faces_nodes");
        rows_are_the_parents(mesh, due[i].group, due[i].cells, "boundary_faces_cells");
        assert_int_equal(map_of(mesh, due[i].nodes).arity, due[i].arity);
        assert_int_equal(map_of(mesh, due[i].cells).arity, 1);
    }
    const mplan_map own = map_of(mesh, "both_boundary_faces");
    const int32_t *index = mplan_mesh_parent_index(mesh, own.from, NULL);
    assert_int_equal(own.arity, 1);
    assert_memory_equal(own.values, index, 2 * sizeof *index);
    assert_int_equal(map_of(mesh, "nodes_sides").n_rows, 9); /* transposed, as any other */
    assert_null(mplan_mesh_parent_index(mesh, own.to, NULL));
    mplan_mesh_free(mesh);
}

/* Members of all kinds of sets, names that others have, names that begin alike. */
static void names_are_found(void **state)
{
    (void)state;
    static const int32_t some[] = {0, 3, 5}, more[] = {3, 4}, cell[] = {1};
    mplan_mesh *mesh = prisms();
    mplan_error err;
    const int32_t nodes = mplan_mesh_find_set(mesh, "nodes"),
                  cells = mplan_mesh_find_set(mesh, "cells");
    assert_done(mplan_mesh_add_group(mesh, "cells", 7, 0, nodes, 3, some, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "cells", 8, 0, nodes, 2, more, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "hot", 9, 0, cells, 1, cell, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "warm", 9, 0, cells, 1, cell, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "hot_cells", 9, 0, nodes, 2, more, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "mixed", 9, 0, nodes, 2, more, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "mixed", 9, 0, cells, 1, cell, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "void", 9, 0, nodes, 0, NULL, &err), &err);
    assert_done(mplan_mesh_add_group(mesh, "void", 9, 0, cells, 1, cell, &err), &err);
    derive(mesh, "cells");
    assert_int_equal(mplan_mesh_find_set(mesh, "cells"), cells);
    derive(mesh, "group:cells");
    const int32_t both = mplan_mesh_find_set(mesh, "group:cells");
    static const int32_t united[] = {0, 3, 4, 5};
    assert_int_equal(mplan_mesh_set(mesh, both).size, 4);
    assert_memory_equal(mplan_mesh_parent_index(mesh, both, NULL), united, sizeof united);
    rows_are_the_parents(mesh, "group:cells", "group:cells_cells", "nodes_cells");
    assert_int_equal(map_of(mesh, "group:cells_nodes").arity, 1);
    derive(mesh, "hot");
    derive(mesh, "warm");
    rows_are_the_parents(mesh, "hot", "hot_nodes", "cells_nodes");
    rows_are_the_parents(mesh, "warm", "warm_cells_cells", "cells_cells");
    derive(mesh, "hot_cells"); /* the group, not the map of `hot` */
    rows_are_the_parents(mesh, "hot_cells", "hot_cells_cells", "nodes_cells");
    derive(mesh, "void");
    int32_t parent;
    mplan_mesh_parent_index(mesh, mplan_mesh_find_set(mesh, "void"), &parent);
    assert_int_equal(parent, cells);
    assert_refused(mplan_mesh_derive(mesh, "mixed", NULL, &err), MPLAN_ERR_MESH, &err,
                   "group 'mixed' has members of nodes and of cells");
    assert_refused(mplan_mesh_derive(mesh, "group:nobody", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "'group:nobody'");
    assert_refused(mplan_mesh_derive(mesh, "hot_nowhere", NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "'hot_nowhere'");
    mplan_mesh_free(mesh);
}

/* Maps that lead to a group are those of the group, transposed. */
static void maps_lead_to_groups(void **state)
{
    (void)state;
    mplan_mesh *mesh = prisms();
    const mplan_map to = map_of(mesh, "cells_sides"), from = map_of(mesh, "sides_cells");
    assert_int_equal(to.arity, 0);
    assert_int_equal(to.from, from.to);
    assert_int_equal(to.to, from.from);
    assert_int_equal(mplan_map_entries(&to), 2);
    for (int32_t c = 0; c < 2; c++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&to, c, &n);
        assert_int_equal(n, 1);
        assert_int_equal(from.values[row[0]], c);
    }
    mplan_mesh_free(mesh);
}

/* A set that groups' sets are parts of stays whole, and parts of a split set cannot be sets. */
static void splits_and_groups_exclude_each_other(void **state)
{
    (void)state;
    static const int32_t cell[] = {1};
    for (int late = 0; late < 2; late++) {
        mplan_mesh *mesh = prisms();
        mplan_error err;
        const int32_t cells = mplan_mesh_find_set(mesh, "cells");
        assert_done(mplan_mesh_add_group(mesh, "hot", 9, 0, cells, 1, cell, &err), &err);
        derive(mesh, "cells_faces");
        const int32_t map = mplan_mesh_find_map(mesh, "cells_faces");
        if (late) {
            assert_done(mplan_mesh_split(mesh, cells, map, &err), &err);
            assert_refused(mplan_mesh_derive(mesh, "hot", NULL, &err), MPLAN_ERR_MESH, &err,
                           "which is split");
        } else {
            derive(mesh, "hot");
            assert_refused(mplan_mesh_split(mesh, cells, map, &err), MPLAN_ERR_ARGUMENT, &err,
                           "set hot is a group's");
            derive(mesh, "hot_faces");
            assert_refused(mplan_mesh_split(mesh, mplan_mesh_find_set(mesh, "hot"),
                                            mplan_mesh_find_map(mesh, "hot_faces"), &err),
                           MPLAN_ERR_ARGUMENT, &err, "set hot is a group's");
        }
        mplan_mesh_free(mesh);
    }
}

#define ARG(dat, map, access)                                  \
    {                                                          \
        dat, map, access, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE \
    }

/* Loops over two groups that overlap, with or without their parent. */
static mplan_plan *make_plan(mplan_mesh *mesh, bool parent)
{
    static const mplan_arg flux[] = {ARG("q", "faces_cells", MPLAN_READ),
                                     ARG("res", "faces_cells", MPLAN_INC)};
    static const mplan_arg far[] = {ARG("x", "farfield_nodes", MPLAN_READ),
                                    ARG("res", "farfield_cells", MPLAN_INC)};
    static const mplan_arg wall[] = {ARG("b", "airfoil_boundary_faces", MPLAN_READ),
                                     ARG("res", "airfoil_cells", MPLAN_INC)};
    static const mplan_arg all[] = {ARG("x", "boundary_faces_nodes", MPLAN_READ),
                                    ARG("b", NULL, MPLAN_WRITE)};
    static const mplan_loop loops[] = {{"flux", "faces", true, 1, 0, 2, flux},
                                       {"far", "farfield", false, 1, 0, 2, far},
                                       {"wall", "airfoil", false, 1, 0, 2, wall},
                                       {"all", "boundary_faces", false, 1, 0, 2, all}};
    mplan_plan *plan;
    mplan_error err;
    assert_done(mplan_plan_create(mesh, parent ? 4 : 2, loops, NULL, &one_thread, &plan, &err), &err);
    return plan;
}

/* Along the stored order of a group, places in the parent's stored order ascend. */
static void members_are_stored_as_their_parent(void **state)
{
    (void)state;
    mplan_mesh *mesh = grid();
    mplan_error err;
    mplan_plan *plan = make_plan(mesh, true);
    assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
    const int32_t parent = mplan_plan_find_set(plan, "boundary_faces");
    const int32_t *place = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, parent),
                                           MPLAN_TYPE_I32, NULL);
    static const char *const groups[] = {"farfield", "airfoil"};
    for (int g = 0; g < 2; g++) {
        const int32_t s = mplan_plan_find_set(plan, groups[g]);
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        assert_string_equal(set->parent, "boundary_faces");
        assert_int_equal(set->parent_set, parent);
        const int32_t *old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s),
                                             MPLAN_TYPE_I32, NULL);
        const int32_t *index = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s),
                                               MPLAN_TYPE_I32, NULL);
        for (int64_t i = 1; i < set->size; i++)
            assert_true(place[index[old[i - 1]]] < place[index[old[i]]]);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Numbers of the records and of PARENT_INDEX, one after the other; with the mesh all of them, without it those that the
 * plan itself contradicts. */
static void every_change_is_refused(void **state)
{
    (void)state;
    mplan_mesh *mesh = grid();
    mplan_error err;
    for (int parent = 0; parent < 2; parent++) {
        mplan_plan *plan = make_plan(mesh, parent);
        for (int32_t s = 0; s < plan->n_sets; s++) {
            mplan_plan_set *set = &plan->sets[s];
            const mplan_plan_set kept = *set;
            if (!set->parent[0])
                continue;
            set->parent_size++;
            assert_int_equal(mplan_plan_verify(plan, mesh, &one_thread, &err),
                             parent ? MPLAN_ERR_DISPROVED : MPLAN_ERR_OTHER_MESH);
            *set = kept;
            for (int32_t other = -1; other < plan->n_sets; other++) {
                set->parent_set = other;
                if (other != kept.parent_set)
                    assert_refused(mplan_plan_verify(plan, NULL, &one_thread, &err),
                                   MPLAN_ERR_DISPROVED, &err, "its parent boundary_faces is not set");
            }
            *set = kept;
            set->parent = "cells";
            assert_int_equal(mplan_plan_verify(plan, NULL, &one_thread, &err), MPLAN_ERR_DISPROVED);
            set->parent = "walls";
            assert_int_equal(mplan_plan_verify(plan, mesh, &one_thread, &err),
                             parent ? MPLAN_ERR_DISPROVED : MPLAN_ERR_OTHER_MESH);
            *set = kept;
            int32_t *index = (int32_t *)(uintptr_t)
                mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s), MPLAN_TYPE_I32,
                                NULL);
            for (int64_t i = 0; i < set->size; i++)
                for (int by = -1; by <= 1; by += 2) {
                    index[i] += by;
                    mplan_status status = mplan_plan_verify(plan, mesh, &one_thread, &err);
                    assert_true(status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH);
                    if (parent)
                        assert_int_equal(mplan_plan_verify(plan, NULL, &one_thread, &err),
                                         MPLAN_ERR_DISPROVED);
                    index[i] -= by;
                }
        }
        assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

/* A field of the record of a group, and what it becomes. */
static const struct {
    int row, at;
    uint32_t value;
    const char *why;
} changes[] = {
    {0, 0, 1, "a text begins at"},
    {1, 4, 1000, "a text extends beyond"},
    {0, 8, 99, "the set of group 0 does not exist"},
    {1, 8, 0, "the set of group 1 does not exist or is not behind the one before"},
    {0, 12, 99, "cannot be set 99"},
    {0, 12, 0x80000000u, "cannot be set -2147483648"},
    {0, 16, 1, "cannot be a part of one of 1"},
    {1, 16, 0x7fffffffu, "cannot be a part of one of 2147483647"},
    {0, 20, 1, "cannot be a part of one of"},
    {0, 24, 1, "a reserved byte is not zero"},
    {1, 31, 1, "a reserved byte is not zero"},
};

/* Records of a file: what was written comes back, what cannot be is refused. */
static void records_are_read_and_refused(void **state)
{
    (void)state;
    mplan_mesh *mesh = grid();
    mplan_plan *plan = make_plan(mesh, true), *again;
    mplan_error err;
    size_t size, changed;
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    assert_done(mplan_plan_read_borrowed(bytes, size, "groups", &one_thread, &again, &err), &err);
    assert_int_equal(mplan_plan_format_minor(again), 2);
    assert_done(mplan_plan_verify(again, mesh, &one_thread, &err), &err);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        assert_string_equal(again->sets[s].parent, plan->sets[s].parent);
        assert_int_equal(again->sets[s].parent_size, plan->sets[s].parent_size);
        assert_int_equal(again->sets[s].parent_set, plan->sets[s].parent_set);
    }
    mplan_plan_free(again);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        support_file file = support_file_split(bytes, size);
        support_section *groups = &file.sections[support_file_find(&file, MPLAN_KIND_GROUPS)];
        assert_int_equal(groups->size, 64);
        uint8_t *at = groups->data + 32 * changes[i].row + changes[i].at;
        if (changes[i].at == 31)
            *at = 1;
        else
            support_store32(at, changes[i].value);
        uint8_t *joined = support_file_join(&file, &changed);
        assert_refused(mplan_plan_read_borrowed(joined, changed, "groups", &one_thread, &again, &err),
                       MPLAN_ERR_CORRUPT, &err, changes[i].why);
        free(joined);
        support_file_free(&file);
    }
    /* no record, and a record less than PARENT_INDEX arrays */
    for (size_t rows = 0; rows < 2; rows++) {
        support_file file = support_file_split(bytes, size);
        support_section *groups = &file.sections[support_file_find(&file, MPLAN_KIND_GROUPS)];
        support_section_resize(groups, rows * 32);
        support_store64(groups->entry + MPLAN_AT_ROWS, rows);
        uint8_t *joined = support_file_join(&file, &changed);
        assert_int_equal(mplan_plan_read_borrowed(joined, changed, "groups", &one_thread, &again,
                                                  &err),
                         MPLAN_ERR_CORRUPT);
        free(joined);
        support_file_free(&file);
    }
    free(bytes);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* The same numbers of members, but others of them. */
static void other_members_are_another_mesh(void **state)
{
    (void)state;
    static const int32_t some[2][2] = {{1, 4}, {1, 5}};
    static const mplan_arg direct = ARG("t", NULL, MPLAN_WRITE);
    static const mplan_loop loop = {"heat", "hot", false, 1, 0, 1, &direct};
    mplan_mesh *mesh[2];
    mplan_plan *plan;
    mplan_error err;
    for (int i = 0; i < 2; i++) {
        mesh[i] = prisms();
        assert_done(mplan_mesh_add_group(mesh[i], "hot", 9, 0,
                                         mplan_mesh_find_set(mesh[i], "nodes"), 2, some[i], &err),
                    &err);
    }
    assert_done(mplan_plan_create(mesh[0], 1, &loop, NULL, &one_thread, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh[0], &one_thread, &err), &err);
    assert_refused(mplan_plan_verify(plan, mesh[1], &one_thread, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "set hot: member 1 is member 4 of nodes in the plan and 5 in the mesh");
    mplan_plan_free(plan);
    for (int i = 0; i < 2; i++)
        mplan_mesh_free(mesh[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facets_become_sets),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(maps_lead_to_groups),
        cmocka_unit_test(splits_and_groups_exclude_each_other),
        cmocka_unit_test(members_are_stored_as_their_parent),
        cmocka_unit_test(every_change_is_refused),
        cmocka_unit_test(records_are_read_and_refused),
        cmocka_unit_test(other_members_are_another_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
