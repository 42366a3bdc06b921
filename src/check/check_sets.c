/* SPDX-License-Identifier: Apache-2.0 */
/* check_sets.c - renumbering, holes, splits, layouts and versions follow from the request
 *
 * Sections 4 (SETS, ARGS, ORIGINS) and 11 of formats/plan-format.md. What the renumbered order
 * measured can be proved only where it is the stored one; else it is bounded. */
#include "check/check_request.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT, RENUMBERED, STORED };

/* --- renumbering --- */

/* The order of points, chosen where the request leaves it open. */
static mplan_point_order point_order(const mplan_check *check, const mplan_asked *asked)
{
    mplan_strategy first = mplan_check_first_strategy(check, asked, asked->primary);
    if (asked->point_order != MPLAN_POINTS_AUTO)
        return asked->point_order;
    if (mplan_strategy_has(first, MPLAN_TRAIT_THREAD_COLOURS))
        return MPLAN_POINTS_LINES;
    return mplan_strategy_has(first, MPLAN_TRAIT_RECORDS) && asked->cut_by != MPLAN_PARTITIONER_NONE
               ? MPLAN_POINTS_LEXICOGRAPHIC
               : MPLAN_POINTS_RENUMBERED;
}

/* Whether an input order that is not worse is to be kept. */
static bool keeps_better(const mplan_check *check, const mplan_asked *asked)
{
    const mplan_strategy first = mplan_check_first_strategy(check, asked, asked->primary);
    bool coloured = mplan_strategy_has(first, MPLAN_TRAIT_THREAD_COLOURS);
    bool adds = first == MPLAN_STRATEGY_ATOMIC && mplan_check_writes(check, asked->primary);
    return asked->keep_better && asked->device_memory == 0 &&
           (coloured || adds ||
            (asked->cut_by != MPLAN_PARTITIONER_NONE && asked->renumber != MPLAN_RENUMBER_AUTO));
}

/* Each wrong_... returns what does not follow from the request, as the end of a sentence, or
 * NULL. */
static const char *wrong_other_set(const mplan_plan_set *set)
{
    bool measured = set->bandwidth[INPUT] >= 0 || set->bandwidth[RENUMBERED] >= 0 ||
                    set->bandwidth[STORED] >= 0;
    return set->renumber != MPLAN_RENUMBER_NONE || set->kept || measured
               ? "was renumbered or measured, but it is not the to-set of the primary loop"
               : NULL;
}

/* Any order of connected points has a bandwidth of 1 or more where the input has. */
static bool out_of_bounds(const mplan_plan_set *set)
{
    int64_t wide = set->bandwidth[RENUMBERED], all = set->profile[RENUMBERED];
    if ((set->bandwidth[INPUT] > 0) != (wide > 0) || (wide > 0 && wide >= set->size) || all < wide)
        return true;
    return (double)all > (double)wide * (double)set->size;
}

/* Method, measures and whether the input order was kept, of the set that decides. */
static const char *wrong_target(const mplan_check *check, const mplan_asked *asked,
                                const mplan_plan_set *set)
{
    bool renumbered = set->renumber != MPLAN_RENUMBER_NONE;
    bool automatic = set->renumber == MPLAN_RENUMBER_HILBERT ||
                     set->renumber == MPLAN_RENUMBER_AGGLOMERATE;
    if (asked->renumber == MPLAN_RENUMBER_AUTO ? !automatic : set->renumber != asked->renumber)
        return "was not renumbered as requested";
    if (set->bandwidth[INPUT] < 0 || set->bandwidth[STORED] < 0 ||
        (set->bandwidth[RENUMBERED] >= 0) != renumbered)
        return "has no measure of one of its orders, or a measure of an order that does not "
               "exist";
    if (renumbered && out_of_bounds(set))
        return "has impossible measures of the renumbered order";
    if (set->kept != (renumbered && keeps_better(check, asked) &&
                      set->profile[RENUMBERED] >= set->profile[INPUT]))
        return set->kept ? "kept its input order, but the renumbered order must be used"
                         : "did not keep its input order, but that order is not worse";
    return NULL;
}

/* Points stored as renumbered: the measures of one order are those of the other, and the input
 * order is the identity. Parts store inner members first, so their order is another. */
static const char *wrong_stored_order(const mplan_check *check, const mplan_asked *asked)
{
    const mplan_plan_set *set = mplan_check_set(check, asked->target);
    bool as_input = set->renumber == MPLAN_RENUMBER_NONE || set->kept;
    int from = as_input ? INPUT : RENUMBERED;
    if (mplan_plan_is_part(check->plan) || asked->target == check->plan->loops[asked->primary].set ||
        point_order(check, asked) != MPLAN_POINTS_RENUMBERED)
        return NULL;
    const int32_t *order = mplan_check_new_of_old(check, asked->target);
    for (int64_t i = 0; i < set->size && as_input; i++)
        if (order[i] != i)
            return "must be stored in its input order, but is not";
    return set->bandwidth[STORED] != set->bandwidth[from] ||
                   set->profile[STORED] != set->profile[from]
               ? "is stored as renumbered, but the measures of the two orders differ"
               : NULL;
}

/* Holes are for points of the primary loop that are gathered from, and padded. */
static const char *wrong_holes(const mplan_check *check, const mplan_asked *asked, int32_t s)
{
    const mplan_plan *plan = check->plan;
    const mplan_check_loop *loop = &check->loops[asked->primary];
    bool may = false;
    for (int32_t i = 0; i < loop->n_sets; i++)
        may = may || loop->sets[i] == s;
    for (int32_t l = 0; l < plan->n_loops; l++)
        may = may && plan->loops[l].set != s;
    for (int32_t m = 0; m < plan->n_maps; m++)
        may = may && plan->maps[m].from != s;
    may = may && asked->point_order == MPLAN_POINTS_PADDED;
    return plan->sets[s].storage_size > plan->sets[s].size && !may
               ? "has holes, which were not requested"
               : NULL;
}

/* Whether there are coordinates of a set, or of what so many maps one behind the other lead to. */
static bool leads_to_coordinates(const mplan_mesh *mesh, int32_t set, int steps)
{
    int32_t dimension;
    bool found = mplan_mesh_coordinates(mesh, set, &dimension) != NULL;
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh) && steps > 0 && !found; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        found = map.from == set && leads_to_coordinates(mesh, map.to, steps - 1);
    }
    return found;
}

/* What only a mesh can tell. Where its coordinates are others than the plan's, nothing: they are
 * advisory. */
static const char *wrong_for_mesh(const mplan_check *check, const mplan_asked *asked,
                                  const mplan_mesh *mesh)
{
    const mplan_plan_set *set = mplan_check_set(check, asked->target);
    int32_t found = mplan_mesh_find_set(mesh, set->name);
    if (asked->renumber != MPLAN_RENUMBER_AUTO || found < 0 || check->other_coordinates)
        return NULL;
    return set->renumber == MPLAN_RENUMBER_HILBERT && !leads_to_coordinates(mesh, found, 2)
               ? "was renumbered by hilbert, but there are no coordinates"
               : NULL;
}

/* --- splits --- */

/* The map of the first arg, of loops over a set of this name, that splits; "" without one. */
static const char *split_by(const mplan_plan *plan, const char *name, size_t length)
{
    for (int32_t l = 0; l < plan->n_loops; l++) {
        const mplan_plan_loop *loop = &plan->loops[l];
        const char *over = plan->sets[loop->set].name;
        if (strlen(over) != length || memcmp(over, name, length) != 0)
            continue;
        for (int32_t a = 0; a < loop->n_args; a++)
            if (loop->args[a].map >= 0 && loop->args[a].none == MPLAN_NONE_SPLIT)
                return plan->maps[loop->args[a].map].name;
    }
    return "";
}

/* Both parts of a set are split by the same map. */
static bool is_split_as_asked(const mplan_plan *plan, const mplan_plan_set *set)
{
    static const char ending[] = "_boundary";
    size_t length = strlen(set->name), tail = sizeof ending - 1;
    const char *due = "";
    if (length > tail && strcmp(set->name + length - tail, ending) == 0)
        due = split_by(plan, set->name, length - tail);
    if (!*due)
        due = split_by(plan, set->name, length);
    return strcmp(due, set->split ? set->split : "") == 0;
}

/* --- layouts --- */

/* Whether block-gather reads rows of so many bytes number by number: beyond a sector, not in whole vectors of 16
 * bytes, and where the loop reads no more than 128 bytes of a point. */
static bool blocks_split(const mplan_plan_loop *loop, const mplan_plan_arg *arg)
{
    int64_t all = 0, row = arg->dim * (int64_t)mplan_type_size(arg->type);
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access == MPLAN_READ)
            all += loop->args[a].dim * (int64_t)mplan_type_size(loop->args[a].type);
    return arg->access == MPLAN_READ && row > 32 && row % 16 != 0 && all <= 128;
}

/* Members of a set that count: parts take over what was decided for the whole mesh. */
static double members_of(const mplan_check *check, int32_t set)
{
    const mplan_plan_set *record = mplan_check_set(check, set);
    return (double)(record->part.parts ? record->part.total : record->size);
}

/* Whether a part does not tell how many entries all parts have: those of ragged maps. */
static bool is_unknown(const mplan_check *check, int32_t l)
{
    bool ragged = false;
    for (int32_t m = 0; m < check->loops[l].n_maps; m++)
        ragged = ragged || check->plan->maps[check->loops[l].maps[m]].arity == 0;
    return ragged && mplan_plan_is_part(check->plan);
}

/* Bytes that an access moves, and whether members should lie one behind the other. */
static void weigh_access(const mplan_check *check, const mplan_asked *asked, int32_t l,
                         const mplan_plan_arg *arg, double cost[2])
{
    const mplan_plan *plan = check->plan;
    const mplan_plan_loop *loop = &plan->loops[l];
    double members = members_of(check, loop->set), written = 0;
    const mplan_strategy first = mplan_check_first_strategy(check, asked, l);
    bool gathered = arg->map >= 0 && !mplan_access_adds(arg->access) &&
                    !(mplan_strategy_has(first, MPLAN_TRAIT_RECORDS) &&
                      mplan_check_writes(check, l) && blocks_split(loop, arg));
    for (int32_t m = 0; m < check->loops[l].n_maps; m++) {
        const mplan_plan_map *map = &plan->maps[check->loops[l].maps[m]];
        double entries = map->arity ? members_of(check, map->from) * map->arity
                                    : (double)map->n_entries;
        written += check->loops[l].written[m] ? entries : 0;
        members = check->loops[l].maps[m] == arg->map ? entries : members;
    }
    if (loop->layering) {
        gathered = arg->map >= 0;
    } else if (arg->map < 0 && arg->dim >= 2 && mplan_strategy_has(first, MPLAN_TRAIT_OWNERS)) {
        members = written;
        gathered = true;
    }
    bool direct = arg->map < 0 && !gathered;
    bool rows = direct ? arg->dim == 3 && !loop->layering : gathered;
    double bytes = members * arg->dim * (double)mplan_type_size(arg->type) * (double)loop->calls;
    double misfit = direct ? 1.1 : 1.5;
    cost[MPLAN_LAYOUT_AOS] += bytes * (rows ? 1 : misfit);
    cost[MPLAN_LAYOUT_SOA] += bytes * (rows ? misfit : 1);
}

/* One arg of one loop, for uses of one dat side by side. */
typedef struct use { /* of a dat */
    const mplan_plan_arg *arg;
    int32_t loop, place; /* place: among all args of the plan */
} use;

/* By dat, then in the order of the args. */
static int compare_uses(const void *a, const void *b)
{
    const use *x = a, *y = b;
    int c = strcmp(x->arg->dat, y->arg->dat);
    return c ? c : x->place - y->place;
}

/* The uses of one dat: each has the layout that was asked for, else that which costs less, of equals components. */
static mplan_status check_dat(const mplan_check *check, const mplan_asked *asked, const use *uses,
                              int64_t n, mplan_error *err)
{
    double cost[2] = {0, 0};
    bool unknown = false;
    for (int64_t i = 0; i < n; i++) {
        weigh_access(check, asked, uses[i].loop, uses[i].arg, cost);
        unknown = unknown || is_unknown(check, uses[i].loop);
    }
    mplan_layout due = cost[MPLAN_LAYOUT_AOS] < cost[MPLAN_LAYOUT_SOA] ? MPLAN_LAYOUT_AOS
                                                                       : MPLAN_LAYOUT_SOA;
    if (unknown) /* then it is only one in all args */
        due = uses[0].arg->layout;
    if (asked->layouts)
        due = (mplan_layout)(asked->layouts - 1);
    if (uses[0].arg->map == MPLAN_MAP_GLOBAL) /* a single row */
        due = MPLAN_LAYOUT_AOS;
    for (int64_t i = 0; i < n; i++)
        if (uses[i].arg->layout != due)
            return MPLAN_DISPROVED(err,
                                   "loop %s: dat %s does not have the layout that follows from "
                                   "%s",
                                   check->plan->loops[uses[i].loop].name, uses[i].arg->dat,
                                   asked->layouts ? "the request" : "its accesses");
    return MPLAN_OK;
}

/* All args sorted by dat, then dat by dat: linear but for the sorting. Every dat has one layout
 * in the plan. */
static mplan_status check_dats(const mplan_check *check, const mplan_asked *asked, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    int64_t n = 0;
    for (int32_t l = 0; l < plan->n_loops; l++)
        n += plan->loops[l].n_args;
    use *uses = mplan_alloc(n, sizeof *uses, err);
    mplan_status status = uses ? MPLAN_OK : MPLAN_ERR_MEMORY;
    n = 0;
    for (int32_t l = 0; l < plan->n_loops && uses; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++, n++)
            uses[n] = (use){&plan->loops[l].args[a], l, (int32_t)n};
    if (uses)
        qsort(uses, (size_t)n, sizeof *uses, compare_uses);
    for (int64_t begin = 0, end = 0; begin < n && !status; begin = end) {
        while (end < n && strcmp(uses[end].arg->dat, uses[begin].arg->dat) == 0)
            end++;
        status = check_dat(check, asked, uses + begin, end - begin, err);
    }
    free(uses);
    return status;
}

/* --- versions --- */

/* Steps over a line "name version"; false when the text does not go on with one. */
static bool take_version(const char **text, const char *name)
{
    size_t skip = strlen(name), n;
    if (strncmp(*text, name, skip) != 0 || (*text)[skip] != ' ')
        return false;
    const char *version = *text + skip + 1;
    for (n = 0; version[n] > ' ' && version[n] < 127; n++)
        ;
    *text = version + n + (version[n] == '\n');
    return n > 0 && version[n] == '\n';
}

/* The lines that must be there, and no other; what is behind a name cannot be proved. */
static mplan_status check_versions(const mplan_check *check, const mplan_asked *asked,
                                   mplan_error *err)
{
    const char *text = check->plan->versions ? check->plan->versions : "";
    bool scotch = asked->cut_by == MPLAN_PARTITIONER_SCOTCH;
    for (int32_t s = 0; s < check->plan->n_sets; s++)
        scotch = scotch || check->plan->sets[s].renumber == MPLAN_RENUMBER_SCOTCH_GPS;
    bool good = take_version(&text, "meshplan");
    if (asked->cut_by == MPLAN_PARTITIONER_METIS)
        good = good && take_version(&text, "metis");
    if (scotch)
        good = good && take_version(&text, "scotch");
    return good && !*text ? MPLAN_OK
                          : MPLAN_DISPROVED(err, "VERSIONS must name meshplan and the libraries "
                                                 "that were used, one line each");
}

/* asked->target is the to-set of the primary loop: the request says in which order its points
 * must be. All other sets are in the order of their first use. `mesh` may be NULL; then what
 * only the mesh can show is not compared. */
mplan_status mplan_check_sets(const mplan_check *check, const mplan_asked *asked,
                              const mplan_mesh *mesh, mplan_error *err)
{
    for (int32_t s = 0; s < check->plan->n_sets; s++) {
        const mplan_plan_set *set = mplan_check_set(check, s);
        const char *wrong = s == asked->target ? wrong_target(check, asked, set)
                                               : wrong_other_set(set);
        if (!wrong && s == asked->target)
            wrong = wrong_stored_order(check, asked);
        if (!wrong && s == asked->target && mesh)
            wrong = wrong_for_mesh(check, asked, mesh);
        if (!wrong)
            wrong = wrong_holes(check, asked, s);
        /* a part has sets of the whole mesh after its splits, and says nothing of these */
        if (!wrong && !set->part.parts && !is_split_as_asked(check->plan, set))
            wrong = "is not split by the requested map";
        if (wrong)
            return MPLAN_DISPROVED(err, "set %s %s", set->name, wrong);
    }
    mplan_status status = check_dats(check, asked, err);
    return !status ? check_versions(check, asked, err) : status;
}
