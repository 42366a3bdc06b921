/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_mesh.c - a plan against meshes that hold less, or already all, of what it needs
 *
 * Sets and maps are found by name, derived and split as planning did it: no more than that. */
#include "support_check.h"

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

static mplan_mesh *generated(mplan_shape shape, int32_t a, int32_t b)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.shape = shape;
    options.size[0] = a;
    options.size[1] = b;
    options.size[2] = shape == MPLAN_SHAPE_QUAD ? 0 : 3;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* What a plan is made for: up to two loops of one arg each. */
typedef struct request {
    const char *over[2], *map[2];
    mplan_none none[2];
    const char *before; /* derived in the mesh beforehand, in some of the meshes */
} request;

static const request requests[] = {
    {{"cells"}, {"cells_nodes"}, {MPLAN_NONE_REFUSE}, "faces_cells"},
    {{"faces"}, {"faces_cells"}, {MPLAN_NONE_REFUSE}, "faces_nodes"},
    {{"faces", "cells"}, {"faces_nodes", "cells_nodes"}, {MPLAN_NONE_REFUSE}, "edges"},
    {{"cells"}, {"cells_faces"}, {MPLAN_NONE_SPLIT}, "faces_cells"},
    {{"cells", "cells_boundary"},
     {"cells_faces", "cells_boundary_faces"},
     {MPLAN_NONE_SPLIT, MPLAN_NONE_SPLIT},
     "cells_faces"},
    {{"cells", "cells_boundary"},
     {"cells_faces", "cells_boundary_nodes"},
     {MPLAN_NONE_SPLIT, MPLAN_NONE_SKIP},
     "cells_faces"},
    {{"cells", "faces"},
     {"cells_faces", "faces_cells"},
     {MPLAN_NONE_SPLIT, MPLAN_NONE_SKIP},
     "edges_nodes"},
    {{"edges"}, {"edges_cells"}, {MPLAN_NONE_REFUSE}, "edges"},
    {{"cells", "edges"}, {"cells_nodes", NULL}, {MPLAN_NONE_REFUSE}, "faces_cells"},
};

static mplan_status create(mplan_mesh *mesh, const request *asked, mplan_plan **plan, mplan_error *err)
{
    mplan_arg args[2];
    mplan_loop loops[2];
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    int n = 0;
    for (; n < 2 && asked->over[n]; n++) {
        args[n] = (mplan_arg){n ? "b" : "a",  asked->map[n], MPLAN_INC, 1,
                              MPLAN_TYPE_F64, asked->none[n]};
        loops[n] = (mplan_loop){n ? "second" : "first", asked->over[n], n == 0, 1, 1, 1, &args[n]};
    }
    options.block_size = 4;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    return mplan_plan_create(mesh, n, loops, &options, &one_thread, plan, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sets in their order, and maps by their names: faces_nodes may have come late to one mesh only. */
static void add_names(const mplan_mesh *mesh, char *text, size_t size)
{
    const char *maps[32];
    const int32_t n = mplan_mesh_n_maps(mesh);
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
        snprintf(text + strlen(text), size - strlen(text), "%s ", mplan_mesh_set(mesh, s).name);
    assert_in_range(n, 0, 32);
    for (int32_t m = 0; m < n; m++)
        maps[m] = mplan_mesh_map(mesh, m).name;
    qsort(maps, (size_t)n, sizeof *maps, by_name);
    for (int32_t m = 0; m < n; m++)
        snprintf(text + strlen(text), size - strlen(text), "%s ", maps[m]);
}

/* Verified against a mesh as it was read, or with something derived in it, or the one it was planned on; then the
 * mesh holds what the planned one holds. */
static void meshes_are_completed_as_planned(void **state)
{
    (void)state;
    for (int shape = 0; shape < 2; shape++)
        for (size_t r = 0; r < sizeof requests / sizeof *requests; r++)
            for (int derived = 0; derived < 2; derived++) {
                const mplan_shape kind = shape ? MPLAN_SHAPE_HEX : MPLAN_SHAPE_QUAD;
                mplan_mesh *mesh = generated(kind, 4, 3), *fresh = generated(kind, 4, 3),
                           *other = generated(kind, 3, 4);
                mplan_plan *plan;
                mplan_error err;
                char planned[1024] = "", proved[1024] = "";
                if (derived) {
                    assert_done(mplan_mesh_derive(mesh, requests[r].before, NULL, &err), &err);
                    assert_done(mplan_mesh_derive(fresh, requests[r].before, NULL, &err), &err);
                }
                const mplan_status made = create(mesh, &requests[r], &plan, &err);
                if (made != MPLAN_OK) {
                    if (!shape)
                        fail_msg("request %d: %s", (int)r, err.text);
                    mplan_mesh_free(mesh);
                    mplan_mesh_free(fresh);
                    mplan_mesh_free(other);
                    continue;
                }
                assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
                assert_done(mplan_plan_verify(plan, fresh, &one_thread, &err), &err);
                add_names(mesh, planned, sizeof planned);
                add_names(fresh, proved, sizeof proved);
                if (strcmp(planned, proved) != 0)
                    fail_msg("request %d, derived %d: planned on %s, proved on %s", (int)r, derived,
                             planned, proved);
                assert_done(mplan_plan_verify(plan, fresh, &one_thread, &err), &err);
                if (mplan_plan_verify(plan, other, &one_thread, &err) != MPLAN_ERR_OTHER_MESH)
                    fail_msg("request %d, shape %d: holds on another mesh (%s)", (int)r, shape,
                             err.text);
                mplan_plan_free(plan);
                mplan_mesh_free(mesh);
                mplan_mesh_free(fresh);
                mplan_mesh_free(other);
            }
}

/* Entries of a map are fed to the fingerprint in pieces of 16,384. */
static void long_maps_have_fingerprints(void **state)
{
    static const int32_t sides[] = {64, 65, 90};
    (void)state;
    for (int i = 0; i < 3; i++) {
        mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, sides[i], 64);
        mplan_plan *plan;
        mplan_error err;
        assert_done(create(mesh, &requests[0], &plan, &err), &err);
        assert_done(mplan_plan_verify(plan, NULL, &one_thread, &err), &err);
        assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
        plan->fingerprints.topology ^= 1;
        assert_refused(mplan_plan_verify(plan, NULL, &one_thread, &err), MPLAN_ERR_DISPROVED, &err,
                       "the fingerprint of the plan's sets and maps is");
        plan->fingerprints.topology ^= 1;
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

static mplan_mesh *table_mesh(int with, const char *boundary)
{
    static const int32_t values[] = {0, 1, 1, 0, -1};
    mplan_error err;
    mplan_mesh *mesh;
    int32_t from, to;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    if (with & 1)
        assert_done(mplan_mesh_add_set(mesh, "first", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, boundary, 5, &from, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", 2, &to, &err), &err);
    if (with & 2)
        assert_done(mplan_mesh_add_map(mesh, "before", to, to, 1, NULL, values, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "by", from, to, 1, NULL, values, NULL, &err), &err);
    return mesh;
}

/* Sets and maps at any place of the mesh, the first one included; the names of the halves may end as they like. */
static void tables_are_split_anywhere(void **state)
{
    static const char *const names[] = {"elements", "_boundary", "b", "x_boundary"};
    (void)state;
    for (int n = 0; n < 4; n++)
        for (int with = 0; with < 4; with++) {
            mplan_mesh *mesh = table_mesh(with, names[n]), *whole = table_mesh(with, names[n]),
                       *other;
            mplan_plan *plan;
            mplan_error err;
            const request asked = {{names[n]}, {"by"}, {MPLAN_NONE_SPLIT}, NULL};
            assert_done(create(mesh, &asked, &plan, &err), &err);
            assert_done(mplan_plan_verify(plan, mesh, &one_thread, &err), &err);
            for (int again = 0; again < 2; again++)
                assert_done(mplan_plan_verify(plan, whole, &one_thread, &err), &err);
            assert_int_equal(mplan_mesh_n_sets(whole), mplan_mesh_n_sets(mesh));
            assert_int_equal(mplan_mesh_n_maps(whole), mplan_mesh_n_maps(mesh));
            /* neither set nor map, only the set, a map of another set */
            assert_done(mplan_mesh_create(&other, &err), &err);
            assert_refused(mplan_plan_verify(plan, other, &one_thread, &err), MPLAN_ERR_OTHER_MESH,
                           &err, "the mesh has no map by by which");
            assert_done(mplan_mesh_add_set(other, names[n], 5, NULL, &err), &err);
            assert_refused(mplan_plan_verify(plan, other, &one_thread, &err), MPLAN_ERR_OTHER_MESH,
                           &err, "the mesh has no map by by which");
            const int32_t values[] = {0, 1, 1, 0, 0};
            assert_done(mplan_mesh_add_set(other, "points", 2, NULL, &err), &err);
            assert_done(mplan_mesh_add_map(other, "by", 1, 0, 1, NULL, values, NULL, &err), &err);
            assert_refused(mplan_plan_verify(plan, other, &one_thread, &err), MPLAN_ERR_OTHER_MESH,
                           &err, "the mesh has no map by by which");
            mplan_mesh_free(other);
            if (strlen(names[n]) > 1) { /* a set whose name only begins like the split one's */
                char shorter[16];
                snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(names[n]) - 1, names[n]);
                other = table_mesh(0, shorter);
                assert_refused(mplan_plan_verify(plan, other, &one_thread, &err),
                               MPLAN_ERR_OTHER_MESH, &err, "the mesh has no map by by which");
                mplan_mesh_free(other);
            }
            mplan_plan_free(plan);
            mplan_mesh_free(mesh);
            mplan_mesh_free(whole);
        }
}

/* Sets and maps between them as the letters say: b: "by", elements -> points; o: "other" of the same sets; k: "back",
 * others -> elements; w: "own", elements -> others; p: "pick", others_interior -> points; l: "lead", points -> others. */
static mplan_mesh *joined_mesh(const char *letters)
{
    static const struct {
        char letter;
        const char *name;
        int32_t from, to, values[5];
    } maps[] = {{'b', "by", 0, 1, {0, 1, 1, 0, -1}}, {'o', "other", 0, 1, {0, -1, 1, 0, 1}},
                {'k', "back", 2, 0, {0, 4, 2}},      {'w', "own", 0, 2, {0, 1, 1, 0, 2}},
                {'p', "pick", 3, 1, {0, 1, 1, 0}},   {'l', "lead", 1, 2, {0, 2}}};
    static const char *const sets[] = {"elements", "points", "others", "others_interior"};
    static const int64_t sizes[] = {5, 2, 3, 4};
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    for (int s = 0; s < 4; s++)
        assert_done(mplan_mesh_add_set(mesh, sets[s], sizes[s], NULL, &err), &err);
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
        if (strchr(letters, maps[m].letter))
            assert_done(mplan_mesh_add_map(mesh, maps[m].name, maps[m].from, maps[m].to, 1, NULL,
                                           maps[m].values, NULL, &err),
                        &err);
    return mesh;
}

/* What the mesh lacks is derived before it is split, where planning had it then; nothing else is. */
static void boundaries_are_cut_as_planned(void **state)
{
    static const struct {
        const char *letters, *before; /* `before` is derived in the mesh that is planned on */
        request asked;
    } rows[] = {
        {"bk",
         "elements_others",
         {{"elements", "elements_boundary"},
          {"by", "elements_boundary_others"},
          {MPLAN_NONE_SPLIT, MPLAN_NONE_SKIP},
          NULL}},
        {"bkw",
         NULL,
         {{"elements", "elements_boundary"},
          {"by", "elements_boundary_others"},
          {MPLAN_NONE_SPLIT, MPLAN_NONE_SKIP},
          NULL}},
        {"pl", NULL, {{"others_interior"}, {"pick"}, {MPLAN_NONE_REFUSE}, NULL}},
        /* what leads into a set is derived when it is split: of the members that stay */
        {"b",
         NULL,
         {{"elements", "points"}, {"by", "points_elements"}, {MPLAN_NONE_SPLIT, MPLAN_NONE_SKIP}, NULL}},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        mplan_mesh *mesh = joined_mesh(rows[r].letters), *fresh = joined_mesh(rows[r].letters);
        mplan_plan *plan;
        mplan_error err;
        char planned[1024] = "", proved[1024] = "";
        if (rows[r].before)
            assert_done(mplan_mesh_derive(mesh, rows[r].before, NULL, &err), &err);
        assert_done(create(mesh, &rows[r].asked, &plan, &err), &err);
        for (int again = 0; again < 2; again++)
            assert_done(mplan_plan_verify(plan, fresh, &one_thread, &err), &err);
        add_names(mesh, planned, sizeof planned);
        add_names(fresh, proved, sizeof proved);
        assert_string_equal(planned, proved);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
        mplan_mesh_free(fresh);
    }
}

/* A mesh that is split already stays as it is: also where it lacks the map by which the plan's was split. */
static void other_splits_are_told(void **state)
{
    const request asked = {{"elements"}, {"by"}, {MPLAN_NONE_SPLIT}, NULL},
                  other = {{"elements"}, {"other"}, {MPLAN_NONE_SPLIT}, NULL};
    (void)state;
    for (int both = 0; both < 2; both++) {
        mplan_mesh *mesh = joined_mesh("b"), *split = joined_mesh(both ? "bo" : "o");
        mplan_plan *plan, *unused;
        mplan_error err;
        assert_done(create(mesh, &asked, &plan, &err), &err);
        assert_done(create(split, &other, &unused, &err), &err);
        assert_refused(mplan_plan_verify(plan, split, &one_thread, &err), MPLAN_ERR_OTHER_MESH,
                       &err, "elements is split by 'by' in the plan and by 'other' in the mesh");
        mplan_plan_free(plan);
        mplan_plan_free(unused);
        mplan_mesh_free(mesh);
        mplan_mesh_free(split);
    }
}

static void count_warning(void *user, const char *text)
{
    assert_non_null(strstr(text, "coordinates"));
    ++*(int *)user;
}

/* Of any dimension that meshes have. */
static void other_coordinates_are_told(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        static const double xyz[6] = {0, 1, 2, 3, 4, 5};
        double moved[6];
        int warnings = 0;
        const mplan_context context = {
            .struct_size = sizeof context, .threads = 1, .warning = count_warning, .user = &warnings};
        const request asked = {{"elements"}, {"by"}, {MPLAN_NONE_SPLIT}, NULL};
        mplan_mesh *mesh = table_mesh(0, "elements"), *other = table_mesh(0, "elements"),
                   *without = table_mesh(0, "elements");
        mplan_plan *plan;
        mplan_error err;
        memcpy(moved, xyz, sizeof xyz);
        moved[1] = 9;
        assert_done(mplan_mesh_set_coordinates(mesh, 1, dimension, xyz, &err), &err);
        assert_done(mplan_mesh_set_coordinates(other, 1, dimension, moved, &err), &err);
        assert_done(create(mesh, &asked, &plan, &err), &err);
        assert_done(mplan_plan_verify(plan, mesh, &context, &err), &err);
        assert_int_equal(warnings, 0);
        assert_done(mplan_plan_verify(plan, other, &context, &err), &err);
        assert_int_equal(warnings, 1);
        assert_done(mplan_plan_verify(plan, without, &context, &err), &err);
        assert_int_equal(warnings, 2);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
        mplan_mesh_free(other);
        mplan_mesh_free(without);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_completed_as_planned),
        cmocka_unit_test(long_maps_have_fingerprints),
        cmocka_unit_test(tables_are_split_anywhere),
        cmocka_unit_test(boundaries_are_cut_as_planned),
        cmocka_unit_test(other_splits_are_told),
        cmocka_unit_test(other_coordinates_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
