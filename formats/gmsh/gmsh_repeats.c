/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_repeats.c - elements that are in a file of version 2 several times
 *
 * Some writers repeat an element, its tag included, for every physical group
 * it belongs to. Equal tag, shape and nodes make one element; equal tags by themselves
 * (of writers that number nothing) make none. */
#include <stdlib.h>
#include <string.h>

#include "formats/gmsh/gmsh_internal.h"

/* Then no number is there twice. */
static bool tags_ascend(const gmsh_elements *of)
{
    const int64_t *tags = of->tags.data;
    for (int64_t i = 1; i < of->tags.count; i++)
        if (tags[i] <= tags[i - 1])
            return false;
    return true;
}

/* n + 1 offsets into the nodes; owned by the caller, NULL without memory. */
int64_t *mplan_gmsh_element_offsets(const gmsh_elements *of, mplan_error *err)
{
    const uint8_t *type = of->type.data;
    int64_t n = of->type.count;
    int64_t *offsets = mplan_alloc(n + 1, sizeof *offsets, err);
    if (!offsets)
        return NULL;
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] = offsets[i] + mplan_cell_type_nodes((mplan_cell_type)type[i]);
    return offsets;
}

/* For each element its number once repeats are gone; the number of those. */
static int64_t number_elements(const gmsh_elements *of, const gmsh_index *index,
                               const int64_t *offsets, int32_t *new_of_old)
{
    const uint8_t *type = of->type.data;
    const int32_t *nodes = of->nodes.data;
    const int64_t *tags = of->tags.data;
    int64_t kept = 0;
    for (int64_t i = 0; i < of->type.count; i++) {
        int32_t first = gmsh_index_find(index, tags[i]);
        size_t bytes = (size_t)(offsets[i + 1] - offsets[i]) * sizeof *nodes;
        if (first < i && type[first] == type[i] &&
            memcmp(nodes + offsets[first], nodes + offsets[i], bytes) == 0)
            new_of_old[i] = new_of_old[first];
        else
            new_of_old[i] = (int32_t)kept++;
    }
    return kept;
}

/* Moves the kept elements together. */
static void drop_repeats(gmsh_elements *of, const int64_t *offsets, const int32_t *new_of_old)
{
    uint8_t *type = of->type.data;
    int32_t *nodes = of->nodes.data;
    int64_t kept = 0, entries = 0;
    for (int64_t i = 0; i < of->type.count; i++) {
        if (new_of_old[i] != kept)
            continue;
        int64_t n = offsets[i + 1] - offsets[i];
        memmove(nodes + entries, nodes + offsets[i], (size_t)n * sizeof *nodes);
        type[kept++] = type[i];
        entries += n;
    }
    of->type.count = kept;
    of->nodes.count = entries;
}

/* Places of elements change where repeats were taken out. */
static mplan_status renumber_runs(gmsh_elements *of, const int32_t *new_of_old, mplan_error *err)
{
    mplan_vector renumbered = MPLAN_VECTOR_INIT(sizeof(gmsh_run));
    const gmsh_run *runs = of->runs.data;
    mplan_status status = MPLAN_OK;
    for (int64_t r = 0; !status && r < of->runs.count; r++)
        for (int64_t i = 0; !status && i < runs[r].count; i++)
            status = mplan_gmsh_add_run(&renumbered, new_of_old[runs[r].first + i], 1,
                                        runs[r].physical, err);
    if (status) {
        free(renumbered.data);
        return status;
    }
    free(of->runs.data);
    of->runs = renumbered;
    return MPLAN_OK;
}

/* Elements with one number and equal nodes are one element with several groups. */
mplan_status mplan_gmsh_join_repeats(gmsh_elements *of, mplan_error *err)
{
    if (of->tags.count == 0 || tags_ascend(of))
        return MPLAN_OK;
    gmsh_index index = {0};
    int64_t duplicate = -1, *offsets = NULL;
    int32_t *new_of_old = NULL;
    mplan_status status = mplan_gmsh_index_build(&index, of->tags.count, of->tags.data, &duplicate,
                                                 err);
    if (status || duplicate < 0)
        goto done;
    status = MPLAN_ERR_MEMORY;
    offsets = mplan_gmsh_element_offsets(of, err);
    new_of_old = offsets ? mplan_alloc(of->type.count, sizeof *new_of_old, err) : NULL;
    if (!new_of_old)
        goto done;
    status = MPLAN_OK;
    if (number_elements(of, &index, offsets, new_of_old) < of->type.count) {
        status = renumber_runs(of, new_of_old, err);
        if (!status)
            drop_repeats(of, offsets, new_of_old);
    }
done:
    mplan_gmsh_index_free(&index);
    free(offsets);
    free(new_of_old);
    return status;
}
