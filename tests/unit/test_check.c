/* SPDX-License-Identifier: Apache-2.0 */
/* test_check.c - right plans pass, and plans for another mesh are told apart */
#include "support_test.h"

#include "support_check.h"
#include "support_mesh.h"

static void right_plans_pass(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 600; i++) {
        mplan_error err;
        support_request in = {0};
        int warnings = 0;
        uint64_t start = seed;
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.warning = count_warning;
        context.user = &warnings;
        context.threads = i % 30 == 0 ? 3 : 1;
        mplan_plan *plan = support_random_plan(&in, &seed);
        assert_done(support_verify(plan, NULL, &context, &err), &err);
        assert_done(support_verify(plan, in.mesh, &context, &err), &err);
        /* the mesh as it was read, so that verify has to split it */
        mplan_mesh_free(in.mesh);
        support_random(&start, 9);
        support_random(&start, 2);
        support_random(&start, 2);
        support_random(&start, 2);
        in.mesh = support_random_mesh(&start);
        assert_done(support_verify(plan, in.mesh, &context, &err), &err);
        assert_int_equal(warnings, 0);
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
}

static void plans_without_anything_pass(void **state)
{
    mplan_error err;
    uint64_t seed = 1;
    mplan_mesh *mesh;
    support_plan_options options = {4, false, false, false};
    (void)state;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    mplan_plan *plan = support_plan(mesh, 0, NULL, &options, &seed);
    assert_done(support_verify(plan, mesh, NULL, &err), &err);
    assert_done(support_verify(plan, NULL, NULL, NULL), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Recorded facts that contradict nothing: -1 is not measured, and the profile of
 * points without a loop is 0. */
static void facts_are_left_alone(void **state)
{
    static const struct {
        bool kept;
        int64_t input, renumbered;
    } facts[] = {{true, 0, 0}, {true, 0, 9}, {false, 0, -1}, {false, 0, 4}, {true, -1, 4}};
    mplan_error err;
    uint64_t seed = 9;
    mplan_mesh *mesh;
    support_plan_options options = {4, false, false, false};
    (void)state;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 3, NULL, &err), &err);
    mplan_plan *plan = support_plan(mesh, 0, NULL, &options, &seed);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        mplan_plan_set *set = &plan->sets[0];
        set->kept = facts[i].kept;
        set->bandwidth[0] = set->profile[0] = facts[i].input;
        set->bandwidth[1] = set->profile[1] = facts[i].renumbered;
        assert_done(support_verify(plan, mesh, NULL, &err), &err);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* --- against a mesh ---------------------------------------------------------------- */

static void other_meshes_are_told_apart(void **state)
{
    static const struct {
        support_fixed_options options;
        const char *text;
    } others[] = {
        {{.more_nodes = 2}, "the plan has 9 nodes, but the mesh has 11"},
        {{.more_nodes = 2, .whole = true}, "the plan has 9 nodes, but the mesh has 11"},
        {{.other_entry = 8}, "map faces_cells: entry 1 of member 3 of faces is 1 in the mesh, but"},
        {{.three_cells = true}, "map faces_cells has arity 2 in the plan and 3 in the mesh"},
        {{.no_map = true}, "the plan has a map faces_nodes, but the mesh does not"},
        {{.more_none = true, .whole = true}, "the plan has 12 cells, but the mesh has 11"},
    };
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    (void)state;
    mplan_mesh_free(mesh);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        mplan_error err;
        mesh = support_fixed_mesh_of(&others[i].options);
        assert_refused(support_verify(plan, mesh, NULL, &err), MPLAN_ERR_OTHER_MESH, &err,
                       others[i].text);
        /* a plan that contradicts itself is refused for that */
        plan->fingerprints.topology ^= 1;
        assert_refused(support_verify(plan, mesh, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                       "the fingerprint of the plan's sets and maps is");
        plan->fingerprints.topology ^= 1;
        mplan_mesh_free(mesh);
    }
    mplan_plan_free(plan);
}

static void meshes_of_other_sets_are_told_apart(void **state)
{
    mplan_error err;
    mplan_mesh *mesh = support_fixed_mesh(), *other;
    mplan_plan *plan = support_fixed_plan(mesh);
    int32_t cells, nodes, values[3] = {0};
    (void)state;
    assert_done(mplan_mesh_create(&other, &err), &err);
    assert_refused(support_verify(plan, other, NULL, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "the mesh has no map cells_nodes by which cells could be split");
    assert_done(mplan_mesh_add_set(other, "cells", 3, &cells, &err), &err);
    assert_done(mplan_mesh_add_set(other, "nodes", 3, &nodes, &err), &err);
    assert_done(mplan_mesh_add_map(other, "cells_nodes", cells, nodes, 1, NULL, values, NULL, &err),
                &err);
    assert_refused(support_verify(plan, other, NULL, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "the plan has 14 faces, but the mesh has none");
    mplan_mesh_free(other);
    mplan_mesh_free(mesh);
    mplan_plan_free(plan);
}

static mplan_mesh *generated(mplan_shape shape)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = 4;
    options.size[1] = 3;
    options.size[2] = shape == MPLAN_SHAPE_QUAD ? 0 : 1;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* A plan for the whole set is not for the half of one that was split. */
static void split_and_whole_are_told_apart(void **state)
{
    const mplan_arg arg = {"x", "set0_set1", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    const mplan_loop loop = {"loop", "set0", true, 1, 0, 1, &arg};
    const int32_t values[] = {0, 1, 1, 0, -1};
    support_plan_options options = {2, false, false, false};
    uint64_t seed = 1;
    mplan_error err;
    mplan_mesh *meshes[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_done(mplan_mesh_create(&meshes[i], &err), &err);
        assert_done(mplan_mesh_add_set(meshes[i], "set0", 4 + i, NULL, &err), &err);
        assert_done(mplan_mesh_add_set(meshes[i], "set1", 2, NULL, &err), &err);
        assert_done(mplan_mesh_add_map(meshes[i], "set0_set1", 0, 1, 1, NULL, values, NULL, &err),
                    &err);
    }
    mplan_plan *plan = support_plan(meshes[0], 1, &loop, &options, &seed);
    assert_refused(support_verify(plan, meshes[1], NULL, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "the plan has 4 set0, but the mesh has 5");
    assert_done(mplan_mesh_split(meshes[1], 0, 0, &err), &err);
    assert_refused(support_verify(plan, meshes[1], NULL, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "set set0 is split by '' in the plan and by 'set0_set1' in the mesh");
    mplan_plan_free(plan);
    mplan_mesh_free(meshes[0]);
    mplan_mesh_free(meshes[1]);
}

/* What is wrong with the mesh itself is said as it is. */
static void faults_of_the_mesh_come_first(void **state)
{
    const mplan_arg arg = {"r", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    const mplan_loop loop = {"flux", "faces", true, 1, 0, 1, &arg};
    const uint8_t types[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3, MPLAN_CELL_TRI3};
    const int32_t nodes[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    support_plan_options options = {8, false, false, false};
    uint64_t seed = 3;
    mplan_error err;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD), *broken;
    (void)state;
    assert_done(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    mplan_plan *plan = support_plan(mesh, 1, &loop, &options, &seed);
    assert_done(mplan_mesh_create(&broken, &err), &err);
    assert_done(mplan_mesh_add_cells(broken, 5, 3, types, nodes, &err), &err);
    assert_int_equal(support_verify(plan, broken, NULL, &err), MPLAN_ERR_MESH);
    mplan_plan_free(plan);
    mplan_mesh_free(broken);
    mplan_mesh_free(mesh);
}

static void disagreement_with_the_mesh_is_refused(void **state)
{
    mplan_error err;
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    (void)state;
    change_a_node(plan);
    assert_refused(support_verify(plan, mesh, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "map cells_nodes: entry 0 of member");
    mplan_plan_free(plan);
    plan = support_fixed_plan(mesh);
    put(SET(MPLAN_KIND_GLOBAL_ID, CELLS_SET), 11, 12);
    put(SET(MPLAN_KIND_GLOBAL_ID, BOUNDARY_SET), 0, 11);
    assert_done(support_verify(plan, NULL, NULL, &err), &err);
    assert_refused(support_verify(plan, mesh, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "set cells: GLOBAL_ID of member 11 is 12, but 11 in the mesh");
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static void other_coordinates_are_a_warning(void **state)
{
    mplan_error err;
    double xyz[18] = {0};
    int warnings = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    (void)state;
    context.warning = count_warning;
    context.user = &warnings;
    assert_done(support_verify(plan, mesh, &context, &err), &err);
    assert_int_equal(warnings, 0);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 2, xyz, &err),
                &err);
    assert_done(support_verify(plan, mesh, &context, &err), &err);
    assert_int_equal(warnings, 1);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* verify derives and splits what a plan needs in a mesh as it was read. */
static void maps_are_derived_for_the_proof(void **state)
{
    const mplan_arg args[] = {{"x", "faces_nodes", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"r", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_arg inner[] = {{"f", "cells_faces", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SPLIT}};
    const mplan_arg outer[] = {
        {"f", "cells_boundary_faces", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SPLIT}};
    const mplan_loop whole[] = {{"flux", "faces", true, 1, 0, 2, args}};
    const mplan_loop halves[] = {{"inner", "cells", true, 1, 0, 1, inner},
                                 {"outer", "cells_boundary", false, 1, 0, 1, outer}};
    support_plan_options options = {8, true, true, false};
    uint64_t seed = 3;
    (void)state;
    for (int split = 0; split < 2; split++) {
        mplan_error err;
        mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD), *fresh = generated(MPLAN_SHAPE_QUAD);
        assert_done(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
        assert_done(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), &err);
        if (split) {
            assert_done(mplan_mesh_derive(mesh, "cells_faces", NULL, &err), &err);
            assert_done(mplan_mesh_split(mesh, mplan_mesh_find_set(mesh, "cells"),
                                         mplan_mesh_find_map(mesh, "cells_faces"), &err),
                        &err);
        }
        mplan_plan *plan = support_plan(mesh, split ? 2 : 1, split ? halves : whole, &options, &seed);
        assert_done(support_verify(plan, mesh, NULL, &err), &err);
        assert_done(support_verify(plan, fresh, NULL, &err), &err);
        mplan_mesh_free(fresh);
        fresh = generated(MPLAN_SHAPE_HEX);
        assert_refused(support_verify(plan, fresh, NULL, &err), MPLAN_ERR_OTHER_MESH, &err,
                       "the plan has");
        mplan_plan_free(plan);
        mplan_mesh_free(fresh);
        mplan_mesh_free(mesh);
    }
}

static bool stop(void *user)
{
    return --*(int *)user < 0;
}

static void the_caller_can_stop_it(void **state)
{
    mplan_error err;
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    int looks = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    (void)state;
    context.cancelled = stop;
    context.user = &looks;
    for (int allowed = 0; allowed < 100; allowed++) {
        looks = allowed;
        mplan_status status = support_verify(plan, mesh, &context, &err);
        if (status == MPLAN_OK)
            break;
        assert_int_equal(status, MPLAN_ERR_INTERRUPTED);
        assert_in_range(allowed, 0, 98);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* The first fault is the one reported, whatever the number of threads. */
static void threads_change_no_sentence(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < 200; i++) {
        support_request in = {0};
        char first[MPLAN_ERROR_TEXT] = "";
        mplan_plan *plan = support_random_plan(&in, &seed);
        for (int k = 0; k < 6; k++) {
            const mplan_array *array = &plan->arrays[support_random(&seed, plan->n_arrays)];
            if (array->rows > 0)
                put(array, support_random(&seed, array->rows), support_random(&seed, 20));
        }
        for (int threads = 1; threads <= 4; threads++) {
            mplan_error err = {MPLAN_OK, ""};
            mplan_context context = MPLAN_CONTEXT_INIT;
            context.threads = threads;
            support_verify(plan, in.mesh, &context, &err);
            if (threads == 1)
                memcpy(first, err.text, sizeof first);
            assert_string_equal(err.text, first);
        }
        mplan_plan_free(plan);
        mplan_mesh_free(in.mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_plans_pass),
        cmocka_unit_test(plans_without_anything_pass),
        cmocka_unit_test(facts_are_left_alone),
        cmocka_unit_test(other_meshes_are_told_apart),
        cmocka_unit_test(meshes_of_other_sets_are_told_apart),
        cmocka_unit_test(split_and_whole_are_told_apart),
        cmocka_unit_test(faults_of_the_mesh_come_first),
        cmocka_unit_test(disagreement_with_the_mesh_is_refused),
        cmocka_unit_test(other_coordinates_are_a_warning),
        cmocka_unit_test(maps_are_derived_for_the_proof),
        cmocka_unit_test(the_caller_can_stop_it),
        cmocka_unit_test(threads_change_no_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
