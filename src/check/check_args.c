/* SPDX-License-Identifier: Apache-2.0 */
/* check_args.c - what the args of loops do with their dats
 *
 * One name is one dat in the whole plan. And by what a loop does with a dat, which
 * strategies may run it: formats/plan-format.md, section 10, said here not as a table of two args
 * but by all that the args of one dat do together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

/* An arg of the plan; lists of them are sorted by dat, then by place. */
typedef struct place {
    const mplan_plan_arg *arg;
    int32_t loop, a, set; /* set: of the dat, as the arg has it */
    int32_t n;            /* among all args that are listed */
} place;

/* By dat, then loop, then arg: uses of one dat lie side by side, in the order of the
 * plan. */
static int compare_places(const void *x, const void *y)
{
    const place *one = x, *other = y;
    int c = strcmp(one->arg->dat, other->arg->dat);
    return c ? c : one->n - other->n;
}

/* --- one dat is one thing --------------------------------------------------------- */

/* Of globals there is none. */
static const char *set_name(const mplan_plan *plan, const place *of)
{
    return of->set < 0 ? "(none, as a global)" : plan->sets[of->set].name;
}

/* Both args with their dims, types and sets. */
static mplan_status differs(const mplan_plan *plan, const place *one, const place *other,
                            mplan_error *err)
{
    return MPLAN_DISPROVED(err,
                           "dat %s is %d x %s on set %s in arg %d of loop %s, and %d x %s on set %s "
                           "in arg %d of loop %s",
                           one->arg->dat, (int)one->arg->dim, mplan_type_name(one->arg->type),
                           set_name(plan, one), (int)one->a, plan->loops[one->loop].name,
                           (int)other->arg->dim, mplan_type_name(other->arg->type),
                           set_name(plan, other), (int)other->a, plan->loops[other->loop].name);
}

/* list: n places, sorted by compare_places. One dat has one set, dim, type and layout in
 * the whole plan. */
static mplan_status check_sameness(const mplan_plan *plan, int64_t n, const place *list,
                                   mplan_error *err)
{
    for (int64_t i = 1; i < n; i++) {
        const mplan_plan_arg *x = list[i - 1].arg, *y = list[i].arg;
        if (strcmp(x->dat, y->dat) == 0 &&
            (list[i - 1].set != list[i].set || x->dim != y->dim || x->type != y->type))
            return differs(plan, &list[i - 1], &list[i], err);
        if (strcmp(x->dat, y->dat) == 0 && x->layout != y->layout)
            return MPLAN_DISPROVED(err, "dat %s has two layouts", y->dat);
    }
    return MPLAN_OK;
}

/* --- what runs at the same time ------------------------------------------------------ */

/* First arg of a loop that does this with one dat; -1: none does. */
typedef struct uses {
    int32_t direct, direct_read, direct_write, direct_update; /* update: rw or inc */
    int32_t direct_compare;                                   /* min or max */
    int32_t mapped, mapped_read, mapped_write, mapped_inc;    /* write: write or rw */
    int32_t mapped_update;                                    /* rw */
    int32_t mapped_meeting;                      /* the same, and not each point once */
    int32_t other_map;                           /* than the first one of the dat */
    int32_t mapped_min, mapped_max, mapped_adds; /* adds: inc, min or max */
    int32_t beside; /* goes through a map by which the loop only reads */
    int32_t not_read;
} uses;

/* Keeps the first arg of a kind. */
static void note(int32_t *first, bool is, int32_t a)
{
    if (is && *first < 0)
        *first = a;
}

/* list: n args of loop l. writer: per map of the plan, 1 + the last loop that writes or
 * increments by it. */
static uses uses_of(const place *list, int64_t n, const int32_t *writer, int32_t l)
{
    uses all = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    int32_t first_map = -1;
    bool once = false;
    for (int64_t i = 0; i < n; i++) {
        const mplan_plan_arg *arg = list[i].arg;
        bool mapped = arg->map >= 0, adds = mplan_access_adds(arg->access);
        bool read = arg->access == MPLAN_READ, write = arg->access == MPLAN_WRITE;
        note(&all.not_read, !read, list[i].a);
        note(&all.direct, !mapped, list[i].a);
        note(&all.direct_read, !mapped && read, list[i].a);
        note(&all.direct_write, !mapped && write, list[i].a);
        note(&all.direct_update, !mapped && !read && !write, list[i].a);
        note(&all.direct_compare, !mapped && arg->access > MPLAN_INC, list[i].a);
        note(&all.mapped, mapped, list[i].a);
        note(&all.mapped_read, mapped && read, list[i].a);
        note(&all.mapped_write, mapped && !read && !adds, list[i].a);
        note(&all.mapped_update, mapped && arg->access == MPLAN_RW, list[i].a);
        first_map = first_map < 0 ? arg->map : first_map;
        once = once || arg->once;
        note(&all.other_map, mapped && arg->map != first_map, list[i].a);
        note(&all.mapped_meeting, mapped && !read && !adds && !arg->once, list[i].a);
        note(&all.mapped_inc, mapped && arg->access == MPLAN_INC, list[i].a);
        note(&all.mapped_min, mapped && arg->access == MPLAN_INC_MIN, list[i].a);
        note(&all.mapped_max, mapped && arg->access == MPLAN_INC_MAX, list[i].a);
        note(&all.mapped_adds, mapped && adds, list[i].a);
        note(&all.beside, mapped && writer[arg->map] != l + 1, list[i].a);
    }
    if (once && all.other_map < 0)
        all.beside = -1; /* its points belong to one element each */
    return all;
}

/* A fault of a loop, by two args (or one, twice); NULL: none. */
typedef struct fault {
    const char *what;
    int32_t a, b;
} fault;

/* What no strategy allows (section 10 of formats/plan-format.md). Each member of `all`
 * is the first arg with that use, -1 if there is none. */
static fault fault_of_any(const uses *all)
{
    if (all->direct >= 0 && all->mapped >= 0 && all->not_read >= 0)
        return (fault){"is accessed directly and through a map, and not only read: colours do "
                       "not separate the elements there",
                       all->direct, all->mapped};
    if (all->mapped_adds >= 0 && all->mapped_read >= 0)
        return (fault){"is incremented and read through maps: what is read depends on which "
                       "increments have been added",
                       all->mapped_adds, all->mapped_read};
    if (all->mapped_adds >= 0 && all->mapped_write >= 0)
        return (fault){"is incremented and written through maps: the final value depends on "
                       "which increments have been added",
                       all->mapped_adds, all->mapped_write};
    if (all->mapped_write >= 0 && all->beside >= 0)
        return (fault){"is written through a map, and accessed through another by which the "
                       "loop only reads: colours do not consider that map",
                       all->mapped_write, all->beside};
    if (all->direct_compare >= 0)
        return (fault){"has access min or max directly, which is for maps and globals",
                       all->direct_compare, all->direct_compare};
    if ((all->mapped_inc >= 0) + (all->mapped_min >= 0) + (all->mapped_max >= 0) > 1)
        return (fault){"is incremented in two ways: the final value depends on their order",
                       all->mapped_inc >= 0 ? all->mapped_inc : all->mapped_min,
                       all->mapped_max >= 0 ? all->mapped_max : all->mapped_min};
    return (fault){NULL, -1, -1};
}

/* A global is read, or one arg adds to it: n args of one, in list. */
static fault fault_of_global(const place *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const mplan_access access = list[i].arg->access;
        if (access != MPLAN_READ && !mplan_access_adds(access))
            return (fault){"is a global, which loops only read or increment", list[i].a, list[i].a};
        if (access != MPLAN_READ && n > 1)
            return (fault){"is a global that the loop changes, and has another arg of the loop",
                           list[0].a, list[1].a};
    }
    return (fault){NULL, -1, -1};
}

/* What only this strategy does not allow. */
static fault fault_of_strategy(const uses *all, mplan_strategy strategy)
{
    bool coloured = mplan_strategy_has(strategy, MPLAN_TRAITS_COLOURED);
    if (all->mapped_meeting >= 0 && !coloured)
        return (fault){"is written through a map, which is safe only with colours",
                       all->mapped_meeting, all->mapped_meeting};
    if (all->mapped_write >= 0 && all->other_map >= 0 && !coloured)
        return (fault){"is written through a map and accessed through another, which is safe only "
                       "with colours",
                       all->mapped_write, all->other_map};
    if (!mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS))
        return (fault){NULL, -1, -1};
    if (all->mapped_update >= 0)
        return (fault){"is updated through a map, but owner-gather would do this more than once",
                       all->mapped_update, all->mapped_update};
    if (all->mapped_read >= 0 && all->mapped_write >= 0)
        return (fault){"is read and written through a map, but owner-gather computes elements more "
                       "than once: an element would then read its own result",
                       all->mapped_read, all->mapped_write};
    if (all->direct_update >= 0)
        return (fault){"is updated directly, but owner-gather would do this more than once",
                       all->direct_update, all->direct_update};
    if (all->direct_read >= 0 && all->direct_write >= 0)
        return (fault){"is read and written directly, but owner-gather computes elements more "
                       "than once: an element would then read its own result",
                       all->direct_read, all->direct_write};
    return (fault){NULL, -1, -1};
}

/* variant -1: the loop as a whole. */
static mplan_status refuse(const mplan_plan_loop *loop, int32_t variant, const fault *found,
                           mplan_error *err)
{
    char args[48], place_of[96] = "";
    snprintf(args, sizeof args, "arg%s %d", found->a == found->b ? "" : "s", (int)found->a);
    if (found->a != found->b)
        snprintf(args + strlen(args), sizeof args - strlen(args), " and %d", (int)found->b);
    if (variant >= 0)
        snprintf(place_of, sizeof place_of, ", variant %d (%s)", (int)variant,
                 mplan_strategy_name(loop->variants[variant].strategy));
    return MPLAN_DISPROVED(err, "loop %s%s: dat %s (%s) %s", loop->name, place_of,
                           loop->args[found->a].dat, args, found->what);
}

/* all: how one dat is used by one loop. */
static mplan_status check_uses(const mplan_plan_loop *loop, const uses *all, mplan_error *err)
{
    fault found = fault_of_any(all);
    if (found.what)
        return refuse(loop, -1, &found, err);
    for (int32_t v = 0; v < loop->n_variants; v++) {
        found = fault_of_strategy(all, loop->variants[v].strategy);
        if (found.what)
            return refuse(loop, v, &found, err);
    }
    return MPLAN_OK;
}

/* `list` holds the loop's args by dat. writer: as uses_of says, of all loops before. */
static mplan_status check_loop(const mplan_plan *plan, int32_t l, const place *list,
                               int32_t *writer, mplan_error *err)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ && !loop->args[a].once)
            writer[loop->args[a].map] = l + 1;
    for (int32_t i = 0, end; i < loop->n_args && !status; i = end) {
        end = i + 1;
        while (end < loop->n_args && strcmp(list[end].arg->dat, list[i].arg->dat) == 0)
            end++;
        if (list[i].arg->map == MPLAN_MAP_GLOBAL) {
            fault found = fault_of_global(list + i, end - i);
            status = found.what ? refuse(loop, -1, &found, err) : MPLAN_OK;
            continue;
        }
        uses all = uses_of(list + i, end - i, writer, l);
        status = check_uses(loop, &all, err);
    }
    return status;
}

/* --- both ----------------------------------------------------------------------------- */

/* Fills the args of loops [first, end), sorted. */
static int64_t list_args(const mplan_plan *plan, int32_t first, int32_t end, place *list)
{
    int64_t n = 0;
    for (int32_t l = first; l < end; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++) {
            const mplan_plan_arg *arg = &plan->loops[l].args[a];
            int32_t set = arg->map == MPLAN_MAP_GLOBAL ? -1
                          : arg->map < 0               ? plan->loops[l].set
                                                       : plan->maps[arg->map].to;
            list[n] = (place){arg, l, a, set, (int32_t)n};
            n++;
        }
    qsort(list, (size_t)n, sizeof *list, compare_places);
    return n;
}

/* All args of all loops at first, then loop by loop, dat by dat. */
mplan_status mplan_check_args(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    int64_t n = 0;
    for (int32_t l = 0; l < plan->n_loops; l++)
        n += plan->loops[l].n_args;
    place *list = mplan_alloc(n, sizeof *list, err);
    int32_t *writer = mplan_alloc_zero(plan->n_maps, sizeof *writer, err);
    mplan_status status = list && writer ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        n = list_args(plan, 0, plan->n_loops, list);
        status = check_sameness(plan, n, list, err);
    }
    for (int32_t l = 0; l < plan->n_loops && !status; l++) {
        list_args(plan, l, l + 1, list);
        status = check_loop(plan, l, list, writer, err);
    }
    free(list);
    free(writer);
    return status;
}
