/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_entities.c - the physical groups of elementary entities of MSH 4
 *
 * Of $Entities and $PartitionedEntities nothing else is kept: an element
 * belongs to all physical groups of the entity its block names. */
#include <stdlib.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"

/* n numbers, whatever they are. */
static mplan_status skip_ints(gmsh_reader *reader, const char *what, int64_t n, mplan_error *err)
{
    int64_t passed[64];
    mplan_status status = MPLAN_OK;
    for (int64_t m; !status && n > 0; n -= m) {
        m = n < 64 ? n : 64;
        status = mplan_gmsh_ints(reader, what, m, passed, err);
    }
    return status;
}

/* A number of ints, then these. */
static mplan_status skip_list(gmsh_reader *reader, const char *what, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = mplan_gmsh_count(reader, what, 1, 4, &n, err);
    return status ? status : skip_ints(reader, what, n, err);
}

/* A negative tag tells the orientation, which changes no membership. */
static int64_t magnitude(int64_t tag)
{
    return tag == INT64_MIN ? INT64_MAX : tag < 0 ? -tag : tag;
}

/* Tags of all entities lie one behind the other in reader->physicals;
 * entity->first is where its own begin. */
static mplan_status read_physicals(gmsh_reader *reader, gmsh_entity *entity, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = mplan_gmsh_count(reader, "physical tags", 1, 4, &n, err);
    if (!status && n > INT32_MAX)
        status = mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_UNSUPPORTED,
                                 "the number of physical groups of an entity is invalid: %lld",
                                 (long long)n);
    if (status || n == 0)
        return status;
    int64_t *tags = mplan_vector_reserve(&reader->physicals, n, err);
    if (!tags)
        return MPLAN_ERR_MEMORY;
    status = mplan_gmsh_ints(reader, "a physical tag", n, tags, err);
    for (int64_t i = 0; !status && i < n; i++)
        tags[i] = magnitude(tags[i]);
    entity->first = reader->physicals.count;
    entity->n_physicals = (int32_t)n;
    reader->physicals.count += status ? 0 : n;
    return status;
}

/* Dimension, tag, bounding box, physical tags; the boundary is skipped.
 * Partitioned ones also name their parents. */
static mplan_status read_entity(gmsh_reader *reader, int32_t dimension, bool partitioned,
                                mplan_error *err)
{
    gmsh_entity entity = {.dimension = dimension};
    double box[6];
    mplan_status status = mplan_gmsh_ints(reader, "the tag of an entity", 1, &entity.tag, err);
    if (!status && partitioned) {
        status = skip_ints(reader, "the parent of an entity", 2, err);
        if (!status)
            status = skip_list(reader, "partitions", err);
    }
    if (!status)
        status = mplan_gmsh_doubles(reader, "the place of an entity",
                                    dimension == 0 && reader->version > 40 ? 3 : 6, box, err);
    if (!status)
        status = read_physicals(reader, &entity, err);
    if (!status && dimension > 0)
        status = skip_list(reader, "bounding entities", err);
    if (!status && entity.n_physicals > 0)
        status = mplan_vector_push(&reader->entities, &entity, err);
    return status;
}

/* By dimension and tag, as they are looked up. */
static int compare_entities(const void *left, const void *right)
{
    const gmsh_entity *a = left, *b = right;
    if (a->dimension != b->dimension)
        return a->dimension < b->dimension ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Points have a shorter bounding box from 4.1 on. */
mplan_status mplan_gmsh_read_entities(gmsh_reader *reader, bool partitioned, mplan_error *err)
{
    int64_t count[4], ghosts = 0, partitions = 0;
    mplan_status status = MPLAN_OK;
    if (partitioned) {
        status = mplan_gmsh_sizes(reader, "the number of partitions", 1, &partitions, err);
        if (!status)
            status = mplan_gmsh_count(reader, "ghost entities", 2, 8, &ghosts, err);
        if (!status)
            status = skip_ints(reader, "a ghost entity", 2 * ghosts, err);
    }
    if (!status)
        status = mplan_gmsh_sizes(reader, "the number of entities", 4, count, err);
    for (int32_t d = 0; !status && d < 4; d++)
        for (int64_t i = 0; !status && i < count[d]; i++)
            status = read_entity(reader, d, partitioned, err);
    if (status)
        return status;
    if (reader->entities.count > 1)
        qsort(reader->entities.data, (size_t)reader->entities.count, sizeof(gmsh_entity),
              compare_entities);
    return mplan_gmsh_end_section(reader, partitioned ? "PartitionedEntities" : "Entities", err);
}

/* By bisection: entities are sorted by dimension, then tag. NULL: the file does not describe it,
 * as it need not. */
const gmsh_entity *mplan_gmsh_find_entity(const gmsh_reader *reader, int64_t dimension, int64_t tag)
{
    const gmsh_entity *entities = reader->entities.data;
    int64_t low = 0, high = reader->entities.count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const gmsh_entity *at = &entities[middle];
        if (at->dimension < dimension || (at->dimension == dimension && at->tag < tag))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < reader->entities.count && entities[low].dimension == dimension &&
        entities[low].tag == tag)
        return &entities[low];
    return NULL;
}
