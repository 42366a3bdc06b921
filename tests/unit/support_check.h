/* SPDX-License-Identifier: Apache-2.0 */
/* support_check.h - plans for tests of the proofs, and their numbers at hand */
#ifndef MPLAN_SUPPORT_CHECK_H
#define MPLAN_SUPPORT_CHECK_H

#include "support_plan.h"
#include "support_test.h"

/* --- random meshes and loops --- */

#define MAX_LOOPS 3
#define MAX_ARGS 5

typedef struct support_request {
    mplan_mesh *mesh;
    int32_t n_loops;
    mplan_loop loops[MAX_LOOPS];
    mplan_arg args[MAX_LOOPS][MAX_ARGS];
    char names[MAX_LOOPS][MAX_ARGS + 2][40]; /* loop, set, dats */
    char maps[MAX_LOOPS][MAX_ARGS][40];
} support_request;

/* One to three sets, maps of all kinds between them, coordinates of the first. */
mplan_mesh *support_random_mesh(uint64_t *seed);
/* A random mesh (in->mesh, to be released; now and then a set is split), random
 * loops over it and a right plan for them. Draws four numbers before the mesh. */
mplan_plan *support_random_plan(support_request *in, uint64_t *seed);
/* The least that the blocks of a block set need, over all loops that use it;
 * *pairs of block and point of the loop it was made for. */
void support_needs_of(const mplan_plan *plan, int32_t b, int64_t *points, int64_t *bytes,
                      int64_t *pairs);

/* --- one mesh and plan that every test knows --- */

/* faces -> cells twice (incremented) and -> nodes (ragged, some -1, read); a
 * later loop over cells without maps; the cells were split by cells_nodes. */
typedef struct support_fixed_options {
    int more_nodes;   /* than the usual mesh */
    int other_entry;  /* of faces_cells: 1 + its place */
    bool whole;       /* not split */
    bool three_cells; /* faces_cells of arity 3 */
    bool no_map;      /* faces_nodes is not there */
    bool more_none;   /* one cell more has no node */
} support_fixed_options;

mplan_mesh *support_fixed_mesh_of(const support_fixed_options *options);
mplan_mesh *support_fixed_mesh(void);
/* Loops res_calc over faces and update over cells; faces and cells have holes. */
mplan_plan *support_fixed_plan(mplan_mesh *mesh);

enum { FACES_SET, CELLS_SET, NODES_SET, BOUNDARY_SET };
enum { FACES_CELLS, FACES_NODES, CELLS_NODES };
enum { BY_RUNS, BY_SEQUENCE, GLOBAL, TWO_STEP, ATOMIC }; /* variants of both loops */

/* --- numbers of a plan --- */

static inline mplan_array *array_of(mplan_plan *plan, mplan_key key)
{
    return (mplan_array *)(uintptr_t)mplan_plan_find_array(plan, &key);
}

/* The first array of a kind, whose keys ascend. */
static inline mplan_array *first_of(mplan_plan *plan, mplan_kind kind)
{
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->arrays[i].key.kind == (uint32_t)kind)
            return &plan->arrays[i];
    fail_msg("the plan has no array of kind %d", (int)kind);
    return NULL;
}

static inline int64_t get(const mplan_array *array, int64_t i)
{
    switch (array->type) {
    case MPLAN_TYPE_U8: return ((const uint8_t *)array->data)[i];
    case MPLAN_TYPE_U16: return ((const uint16_t *)array->data)[i];
    case MPLAN_TYPE_I32: return ((const int32_t *)array->data)[i];
    default: return ((const int64_t *)array->data)[i];
    }
}

static inline void put(const mplan_array *array, int64_t i, int64_t value)
{
    void *data = (void *)(uintptr_t)array->data;
    switch (array->type) {
    case MPLAN_TYPE_U8: ((uint8_t *)data)[i] = (uint8_t)value; break;
    case MPLAN_TYPE_U16: ((uint16_t *)data)[i] = (uint16_t)value; break;
    case MPLAN_TYPE_I32: ((int32_t *)data)[i] = (int32_t)value; break;
    default: ((int64_t *)data)[i] = value; break;
    }
}

static inline mplan_plan_variant *variant_of(mplan_plan *plan, int32_t l, int32_t v)
{
    return (mplan_plan_variant *)(uintptr_t)&plan->loops[l].variants[v];
}

static inline mplan_plan_arg *arg_of(mplan_plan *plan, int32_t l, int32_t a)
{
    return (mplan_plan_arg *)(uintptr_t)&plan->loops[l].args[a];
}

/* The first place of an array that holds (or, negated, does not hold) a value. */
static inline int64_t place_of(const mplan_array *array, int64_t value, bool equal)
{
    int64_t n = array->rows * array->cols;
    for (int64_t i = 0; i < n; i++)
        if ((get(array, i) == value) == equal)
            return i;
    fail_msg("no such value");
    return 0;
}

#define SET(kind_, set_) array_of(plan, mplan_key_of_set((kind_), (set_)))
#define MAP(kind_, map_) array_of(plan, mplan_key_of_map((kind_), (map_)))
#define POINTS(kind_, block_set_, set_) \
    array_of(plan, mplan_key_of_block_points((kind_), (block_set_), 0, (set_)))
#define BLOCKS(kind_, block_set_) array_of(plan, mplan_key_of_block_set((kind_), (block_set_)))
#define VARIANT(kind_, variant_) array_of(plan, mplan_key_of_variant((kind_), 0, (variant_)))

/* Leads a cell to another node, in the plan only. */
static inline void change_a_node(mplan_plan *plan)
{
    mplan_array *values = MAP(MPLAN_KIND_MAP_VALUES, CELLS_NODES);
    int64_t i = place_of(values, -1, false);
    int64_t other = place_of(SET(MPLAN_KIND_OLD_OF_NEW, NODES_SET), -1, false);
    while (get(SET(MPLAN_KIND_OLD_OF_NEW, NODES_SET), other) < 0 || get(values, i) == other)
        other++;
    put(values, i, other);
}

#endif
