/* SPDX-License-Identifier: Apache-2.0 */
/* check_groups.c - sets of groups: members of their parents, and maps that are rows of the parents' */
#include <string.h>

#include "check/check.h"

/* The set of the plan that is called so; -1 without one. */
static int32_t find_set(const mplan_plan *plan, const char *name)
{
    for (int32_t s = 0; s < plan->n_sets; s++)
        if (strcmp(plan->sets[s].name, name) == 0)
            return s;
    return -1;
}

/* What its record says of the parent, as far as the plan has it. */
static mplan_status check_parent(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    if (set->split && *set->split)
        return MPLAN_DISPROVED(err, "set %s is a group's and split, which cannot be", set->name);
    if (set->parent_set != find_set(check->plan, set->parent) || set->parent_set == s)
        return MPLAN_DISPROVED(err, "set %s: its parent %s is not set %d of the plan", set->name,
                               set->parent, (int)set->parent_set);
    if (set->parent_set < 0)
        return MPLAN_OK;
    const mplan_plan_set *parent = mplan_check_set(check, set->parent_set);
    if (mplan_plan_set_is_group(parent) || (parent->split && *parent->split))
        return MPLAN_DISPROVED(err, "set %s: its parent %s is %s", set->name, parent->name,
                               mplan_plan_set_is_group(parent) ? "a group's, too" : "split");
    if (set->parent_size != parent->size)
        return MPLAN_DISPROVED(err,
                               "set %s: its parent %s has %" PRId64 " members, but the record says "
                               "%" PRId64,
                               set->name, parent->name, parent->size, set->parent_size);
    return MPLAN_OK;
}

/* Members of the parent in its mesh's order, each once. */
static mplan_status check_members(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    const int32_t *index = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s));
    for (int64_t i = 0; i < set->size; i++)
        if (index[i] < (i ? index[i - 1] + 1 : 0) || index[i] >= set->parent_size)
            return MPLAN_DISPROVED(err,
                                   "set %s: PARENT_INDEX %d of member %" PRId64
                                   " does not ascend from 0 to the %" PRId64 " members of %s",
                                   set->name, (int)index[i], i, set->parent_size, set->parent);
    return MPLAN_OK;
}

/* The rest of "<set>_<rest>"; NULL for other names. */
static const char *rest_of(const char *map, const char *set)
{
    const size_t length = strlen(set);
    return strncmp(map, set, length) == 0 && map[length] == '_' ? map + length + 1 : NULL;
}

/* The plan's map <parent>_<rest> from the parent; -1 without one. */
static int32_t parents_map(const mplan_plan *plan, const mplan_plan_set *set, const char *rest)
{
    for (int32_t m = 0; m < plan->n_maps; m++) {
        const char *other = rest_of(plan->maps[m].name, set->parent);
        if (plan->maps[m].from == set->parent_set && other && strcmp(other, rest) == 0)
            return m;
    }
    return -1;
}

/* The map <set>_<parent>: each row is the member itself, where the parent stores it. */
static mplan_status check_own_rows(const mplan_check *check, int32_t s, int32_t m, mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    const mplan_map *map = &check->maps[m];
    const int32_t *index = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s));
    const int32_t *row_of = mplan_check_new_of_old(check, s);
    if (map->to != set->parent_set || map->arity != 1)
        return MPLAN_DISPROVED(err, "map %s does not lead to the parent of %s, one to one",
                               map->name, set->name);
    const int32_t *place = mplan_check_new_of_old(check, set->parent_set);
    for (int64_t i = 0; i < set->size; i++)
        if (map->values[row_of[i]] != place[index[i]])
            return MPLAN_DISPROVED(err,
                                   "map %s: the row of member %" PRId64 " is not member %d of %s",
                                   map->name, i, (int)index[i], set->parent);
    return MPLAN_OK;
}

/* Row by row the same as the parent's map. */
static mplan_status check_rows(const mplan_check *check, int32_t s, int32_t m, int32_t of_parent,
                               mplan_error *err)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    const mplan_map *map = &check->maps[m], *whole = &check->maps[of_parent];
    const int32_t *index = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_PARENT_INDEX, s));
    const int32_t *row_of = mplan_check_new_of_old(check, s);
    const int32_t *place = mplan_check_new_of_old(check, set->parent_set);
    if (map->to != whole->to)
        return MPLAN_DISPROVED(err, "map %s does not lead to the set that %s leads to", map->name,
                               whole->name);
    for (int64_t i = 0; i < set->size; i++) {
        int32_t n, n_whole;
        const int32_t *row = mplan_map_row(map, row_of[i], &n);
        const int32_t *due = mplan_map_row(whole, place[index[i]], &n_whole);
        if (n != n_whole || (n > 0 && memcmp(row, due, (size_t)n * sizeof *row) != 0))
            return MPLAN_DISPROVED(err, "map %s: the row of member %" PRId64 " is not row %d of %s",
                                   map->name, i, (int)index[i], whole->name);
    }
    return MPLAN_OK;
}

/* Maps of the group that the plan can be asked about; a mesh knows all (check_mesh.c). */
static mplan_status check_maps_of(const mplan_check *check, int32_t s, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    const mplan_plan_set *set = &plan->sets[s];
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < plan->n_maps && !status; m++) {
        const char *rest = plan->maps[m].from == s ? rest_of(plan->maps[m].name, set->name) : NULL;
        if (!rest)
            continue;
        if (strcmp(rest, set->parent) == 0) {
            status = check_own_rows(check, s, m, err);
            continue;
        }
        const int32_t of_parent = set->parent_set < 0 ? -1 : parents_map(plan, set, rest);
        if (of_parent >= 0)
            status = check_rows(check, s, m, of_parent, err);
    }
    return status;
}

/* Orders and entries of all maps are proved before. */
mplan_status mplan_check_groups(mplan_check *check, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < check->plan->n_sets && !status; s++) {
        if (!mplan_plan_set_is_group(mplan_check_set(check, s)))
            continue;
        status = check_parent(check, s, err);
        if (!status)
            status = check_members(check, s, err);
        if (!status)
            status = check_maps_of(check, s, err);
    }
    return status;
}
