/* SPDX-License-Identifier: Apache-2.0 */
/* step_resolve.c - from the names in a request to sets and maps of the mesh */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "pipeline/dat_uses.h"
#include "pipeline/layers.h"
#include "pipeline/mesh_facts.h"
#include "pipeline/side_by_side.h"
#include "pipeline/steps.h"

/* Whether a group of this name comes before group g. */
static bool named_before(const mplan_mesh *mesh, int32_t g)
{
    for (int32_t i = 0; i < g; i++)
        if (strcmp(mplan_mesh_group(mesh, i).name, mplan_mesh_group(mesh, g).name) == 0)
            return true;
    return false;
}

/* Behind the names of sets in list_sets: those of groups, each once. used: bytes of text so far. */
static void list_groups(const mplan_mesh *mesh, char *text, size_t size, size_t used)
{
    const char *before = "; groups: ";
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh) && used < size; g++) {
        const char *name = mplan_mesh_group(mesh, g).name;
        if (!*name || named_before(mesh, g))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, name);
        before = ", ";
    }
    for (int32_t g = 0; g < mplan_mesh_n_facet_groups(mesh) && used < size; g++) {
        const char *name = mplan_mesh_facet_group(mesh, g).name;
        if (!*name)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, name);
        before = ", ";
    }
}

/* The names of all sets that the mesh has or can derive, and of its groups, for a message. text: size bytes, always
 * ended by zero; cut off where the names do not fit. `used` may pass size, when snprintf says
 * how long the text would have been: the loops then stop. */
static void list_sets(const mplan_mesh *mesh, char *text, size_t size)
{
    static const char *const derived[] = {"faces", "boundary_faces", "edges"};
    size_t used = 0;
    text[0] = '\0';
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh) && used < size; s++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", s ? ", " : "",
                                 mplan_mesh_set(mesh, s).name);
    for (size_t d = 0; d < sizeof derived / sizeof *derived && used < size; d++)
        if (mplan_mesh_dimension(mesh) > 0 && mplan_mesh_find_set(mesh, derived[d]) < 0)
            used += (size_t)snprintf(text + used, size - used, ", %s", derived[d]);
    list_groups(mesh, text, size, used);
}

/* *set: the set of the mesh that the loop runs over, derived now if the mesh can and has not
 * yet. The text of a deriving that does not know the name is replaced by the list of names that
 * would do; any other failure (memory, an interrupt, a mesh that is not sound) keeps its own. */
static mplan_status find_set(planning *p, const mplan_loop *loop, int32_t *set, mplan_error *err)
{
    *set = mplan_mesh_find_set(p->mesh, loop->over);
    if (*set >= 0)
        return MPLAN_OK;
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = mplan_mesh_derive_sparing(p->mesh, loop->over, p->context, &why);
    if (!status)
        *set = mplan_mesh_find_set(p->mesh, loop->over);
    if (*set >= 0)
        return MPLAN_OK;
    if (status && status != MPLAN_ERR_ARGUMENT)
        return mplan_fail(err, status, "%s", why.text);
    char known[256];
    list_sets(p->mesh, known, sizeof known);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s: there is no set '%s'; known: %s",
                      loop->name, loop->over, known);
}

/* *map: the map of the mesh that the arg names, derived now if need be. set: the mesh's set that
 * the loop runs over, where the map must start. Deriving may move the mesh's lists: views taken
 * before are not valid after. */
static mplan_status find_map(planning *p, const mplan_loop *loop, const mplan_arg *arg, int32_t set,
                             int32_t *map, mplan_error *err)
{
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = mplan_mesh_derive_sparing(p->mesh, arg->map, p->context, &why);
    *map = mplan_mesh_find_map(p->mesh, arg->map);
    if (status || *map < 0)
        return mplan_fail(err, status ? status : MPLAN_ERR_ARGUMENT, "loop %s, arg %s: %s",
                          loop->name, arg->dat, status ? why.text : "there is no such map");
    if (mplan_mesh_map(p->mesh, *map).from != set)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s, arg %s: map %s does not lead from %s",
                          loop->name, arg->dat, arg->map, loop->over);
    return MPLAN_OK;
}

/* *out: number of the set in planning, added at first use. Pointers into
 * plan->sets are invalid afterwards. */
static mplan_status use_set(planning *p, int32_t mesh_set, int32_t *out, mplan_error *err)
{
    for (int32_t s = 0; s < p->n_sets; s++)
        if (p->sets[s].mesh_set == mesh_set) {
            *out = s;
            return MPLAN_OK;
        }
    planning_set *grown = mplan_realloc(p->sets, p->n_sets + 1, sizeof *grown, err);
    if (!grown)
        return MPLAN_ERR_MEMORY;
    p->sets = grown;
    planning_set *set = &grown[p->n_sets];
    const int64_t size = mplan_planning_size(p, mesh_set);
    *set = (planning_set){
        .mesh_set = mesh_set, .size = size, .storage = size, .renumber = MPLAN_RENUMBER_NONE};
    for (int i = 0; i < 3; i++)
        set->bandwidth[i] = set->profile[i] = -1;
    *out = p->n_sets++;
    return MPLAN_OK;
}

/* Whether the dat of an arg belongs to no set. */
static bool is_global(const mplan_arg *arg)
{
    return arg->map && strcmp(arg->map, MPLAN_GLOBAL) == 0;
}

/* Splits the sets of loops whose args ask for it, before anything else. One
 * split can make entries of -1 for the next, so that their order counts: it is
 * the order of these sets in the plan, ahead of all others. */
static mplan_status apply_splits(planning *p, int32_t n_loops, const mplan_loop *loops,
                                 mplan_error *err)
{
    for (int32_t l = 0; l < n_loops; l++)
        for (int32_t a = 0; a < loops[l].n_args; a++) {
            const mplan_arg *arg = &loops[l].args[a];
            if (arg->none != MPLAN_NONE_SPLIT || !arg->map || is_global(arg))
                continue;
            int32_t set, map, planned;
            mplan_status status = find_set(p, &loops[l], &set, err);
            if (!status)
                status = find_map(p, &loops[l], arg, set, &map, err);
            if (status)
                return status;
            char where[128];
            snprintf(where, sizeof where, "loop %.60s, arg %.50s", loops[l].name, arg->dat);
            if (!mplan_mesh_global_ids(p->mesh, set))
                status = mplan_mesh_split(p->mesh, set, map, err);
            if (status)
                return mplan_fail_prefix(err, status, where);
            status = use_set(p, set, &planned, err);
            if (status)
                return status;
        }
    return MPLAN_OK;
}

/* Members that a split set aside and that no loop runs over are worth a word. */
static void warn_of_boundaries(planning *p, int32_t n_loops, const mplan_loop *loops)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(p->mesh); s++) {
        mplan_set set = mplan_mesh_set(p->mesh, s);
        size_t length = strlen(set.name), ending = strlen("_boundary");
        const int64_t size = mplan_planning_size(p, s);
        if (!mplan_mesh_global_ids(p->mesh, s) || size == 0 || length <= ending ||
            strcmp(set.name + length - ending, "_boundary") != 0)
            continue;
        bool used = false;
        for (int32_t l = 0; l < n_loops; l++)
            used = used || strcmp(loops[l].over, set.name) == 0;
        if (!used)
            mplan_warn(p->context, "no loop runs over the %lld members of %s", (long long)size,
                       set.name);
    }
}

/* *out: number of the map in planning. At first use it is added, and its sets, from before to,
 * with it; p->maps and p->sets may move. */
static mplan_status use_map(planning *p, int32_t mesh_map, int32_t *out, mplan_error *err)
{
    for (int32_t m = 0; m < p->n_maps; m++)
        if (p->maps[m].mesh_map == mesh_map) {
            *out = m;
            return MPLAN_OK;
        }
    mplan_map view = mplan_mesh_map(p->mesh, mesh_map);
    planning_map map = {.mesh_map = mesh_map};
    mplan_status status = use_set(p, view.from, &map.from, err);
    if (!status)
        status = use_set(p, view.to, &map.to, err);
    if (status)
        return status;
    planning_map *grown = mplan_realloc(p->maps, p->n_maps + 1, sizeof *grown, err);
    if (!grown)
        return MPLAN_ERR_MEMORY;
    p->maps = grown;
    p->maps[p->n_maps] = map;
    *out = p->n_maps++;
    return MPLAN_OK;
}

/* Whether the same was asked of an earlier arg, and its map was not refused. */
static bool was_asked(const planning_loop *out, int32_t a)
{
    const mplan_arg *args = out->loop->args;
    for (int32_t b = 0; b < a; b++)
        if (out->arg_map[b] == out->arg_map[a] && args[b].none == args[a].none)
            return true;
    return false;
}

/* A loop that does not say what becomes of -1 entries must have none; the first row that has one
 * is named. With `none: split` entries are left only where another map split the set first: a
 * set is split once. O(entries). */
static mplan_status refuse_none(const planning *p, const mplan_loop *loop, const mplan_arg *arg,
                                int32_t map, mplan_error *err)
{
    const mplan_map view = mplan_planning_mesh_map(p, map);
    if (arg->none == MPLAN_NONE_SKIP)
        return MPLAN_OK;
    const char *split = p->mesh->sets[p->sets[view.from].mesh_set].split;
    const bool again = split && arg->none == MPLAN_NONE_SPLIT;
    const int64_t row = mplan_planning_none_row(p, map);
    char where[MPLAN_ERROR_TEXT / 2] = ""; /* the file has the set; the map may be of another one */
    if (p->mesh->source)
        snprintf(where, sizeof where, " from %s of %s", loop->over, p->mesh->source);
    if (row >= 0) {
        if (again)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "loop %s, arg %s: row %lld of map %s%s has an entry of none (-1) "
                              "after %s was split by map %s; a set is split only once, so use "
                              "`none: skip`",
                              loop->name, arg->dat, (long long)row, view.name, where, loop->over,
                              split);
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "loop %s, arg %s: row %lld of map %s%s has an entry of none (-1); use "
                          "`none: skip` or `none: split`",
                          loop->name, arg->dat, (long long)row, view.name, where);
    }
    return MPLAN_OK;
}

/* Names are in the lines of the request text and in reports. */
static bool holds_control(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 127)
            return true;
    return false;
}

/* What can be said of an arg without the mesh: its name is there and fits in a line of the
 * request, and dim, type, access and rule are in range, so that later steps index tables by
 * them. */
static mplan_status check_arg(const mplan_loop *loop, const mplan_arg *arg, mplan_error *err)
{
    const char *wrong = NULL;
    if (!arg->dat || !*arg->dat)
        wrong = "it has no name";
    else if (holds_control(arg->dat))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: the name of a dat contains a control character", loop->name);
    else if (arg->dim < 1 || arg->dim > 65536)
        wrong = "dim must be 1 to 65536";
    else if (mplan_type_size(arg->type) == 0)
        wrong = "its type is unknown";
    else if (!mplan_access_name(arg->access))
        wrong = "its access is unknown";
    else if (!mplan_none_name(arg->none))
        wrong = "its rule for none is unknown";
    if (!wrong)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s, arg %s: %s", loop->name,
                      arg->dat ? arg->dat : "?", wrong);
}

/* Notes that the loop uses a planning map, and whether it writes through it. */
static void note_map(const planning *p, planning_loop *loop, int32_t map, bool written)
{
    int32_t i = 0, to = p->maps[map].to;
    while (i < loop->n_maps && loop->maps[i] != map)
        i++;
    if (i == loop->n_maps) {
        loop->maps[loop->n_maps] = map;
        loop->map_written[loop->n_maps++] = false;
    }
    loop->map_written[i] = loop->map_written[i] || written;
    for (i = 0; i < loop->n_targets; i++)
        if (loop->targets[i] == to)
            return;
    for (i = loop->n_targets++; i > 0 && loop->targets[i - 1] > to; i--)
        loop->targets[i] = loop->targets[i - 1];
    loop->targets[i] = to;
}

/* Notes a dat that blocks stage; one name is one dat. */
static void note_dat(planning_loop *loop, int32_t arg, int32_t set, int32_t *first_arg)
{
    const mplan_arg *args = loop->loop->args;
    for (int32_t d = 0; d < loop->n_dats; d++)
        if (strcmp(args[first_arg[d]].dat, args[arg].dat) == 0)
            return;
    first_arg[loop->n_dats] = arg;
    loop->dats[loop->n_dats++] = (mplan_staged_dat){
        set, (int64_t)args[arg].dim * (int64_t)mplan_type_size(args[arg].type)};
}

/* The set that the dat of an arg lives on; -1: of a global. */
static int32_t set_of_arg(const planning *p, const planning_loop *loop, int32_t arg)
{
    int32_t map = loop->arg_map[arg];
    return map == MPLAN_MAP_GLOBAL ? -1 : map < 0 ? loop->set : p->maps[map].to;
}

/* Args that name one dat agree on what it is. */
static mplan_status compare_args(const planning *p, const planning_loop *loop, mplan_error *err)
{
    const mplan_arg *args = loop->loop->args;
    for (int32_t b = 0; b < loop->loop->n_args; b++)
        for (int32_t a = 0; a < b; a++) {
            if (strcmp(args[a].dat, args[b].dat) != 0)
                continue;
            if (set_of_arg(p, loop, a) != set_of_arg(p, loop, b) || args[a].dim != args[b].dim ||
                args[a].type != args[b].type)
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "loop %s: dat %s appears with two sets, dims or types",
                                  loop->loop->name, args[b].dat);
        }
    return MPLAN_OK;
}

/* Fills what planning_loop has by arg and by map: arg_map, maps, map_written, targets, dats,
 * each with room for n_args, which is the most that there can be; then decides what may run side
 * by side. first_arg[d]: the arg that named dat d first. */
static mplan_status resolve_args(planning *p, planning_loop *out, int32_t mesh_set, mplan_error *err)
{
    const mplan_loop *loop = out->loop;
    mplan_status status = MPLAN_ERR_MEMORY;
    int32_t *first_arg = mplan_alloc(loop->n_args, sizeof *first_arg, err);
    out->arg_map = mplan_alloc(loop->n_args, sizeof *out->arg_map, err);
    out->arg_once = mplan_alloc_zero(loop->n_args, sizeof *out->arg_once, err);
    out->maps = mplan_alloc(loop->n_args, sizeof *out->maps, err);
    out->map_written = mplan_alloc(loop->n_args, sizeof *out->map_written, err);
    out->targets = mplan_alloc(loop->n_args, sizeof *out->targets, err);
    out->dats = mplan_alloc(loop->n_args, sizeof *out->dats, err);
    if (!first_arg || !out->arg_map || !out->arg_once || !out->maps || !out->map_written ||
        !out->targets || !out->dats)
        goto done;
    status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        const mplan_arg *arg = &loop->args[a];
        int32_t mesh_map;
        out->arg_map[a] = is_global(arg) ? MPLAN_MAP_GLOBAL : -1;
        if (!arg->map || is_global(arg))
            continue;
        status = find_map(p, loop, arg, mesh_set, &mesh_map, err);
        if (!status)
            status = use_map(p, mesh_map, &out->arg_map[a], err);
        if (!status)
            status = was_asked(out, a) ? MPLAN_OK : refuse_none(p, loop, arg, out->arg_map[a], err);
        if (!status && !p->asked->layers && (arg->access == MPLAN_WRITE || arg->access == MPLAN_RW))
            status = mplan_planning_once(p, out->arg_map[a], &out->arg_once[a], err);
        if (status)
            continue;
        note_map(p, out, out->arg_map[a], arg->access != MPLAN_READ && !out->arg_once[a]);
        note_dat(out, a, p->maps[out->arg_map[a]].to, first_arg);
    }
    if (!status)
        status = compare_args(p, out, err);
    if (!status)
        status = mplan_planning_side_by_side(out, err);
done:
    free(first_arg);
    return status;
}

/* Whether two args of one name, in two loops, agree on set, dim and type: they are then one
 * array. */
static bool same_dat(const planning *p, const planning_use *a, const planning_use *b)
{
    const mplan_arg *x = &p->loops[a->loop].loop->args[a->arg],
                    *y = &p->loops[b->loop].loop->args[b->arg];
    return set_of_arg(p, &p->loops[a->loop], a->arg) == set_of_arg(p, &p->loops[b->loop], b->arg) &&
           x->dim == y->dim && x->type == y->type;
}

/* Whether one pair of args that do not agree is to be named before another. */
static bool is_before(const planning_use *here, const planning_use *there, const planning_use *bad,
                      const planning_use *against)
{
    if (here->loop != bad->loop)
        return here->loop < bad->loop;
    if (there->loop != against->loop)
        return there->loop < against->loop;
    return here->arg < bad->arg;
}

/* A dat is data on one set, of one dim and type, in all loops. The first loop that breaks this is named, and the
 * first that it does not agree with: args of a dat in the loops between agree with that one. */
static mplan_status compare_loops(const planning *p, mplan_error *err)
{
    const planning_use *bad = NULL, *against = NULL;
    planning_use *uses = NULL;
    int64_t n = 0;
    mplan_status status = mplan_planning_uses(p, &uses, &n, err);
    for (int64_t begin = 0, end; begin < n && !status; begin = end) {
        end = mplan_planning_uses_end(uses, n, begin);
        for (int64_t u = begin + 1; u < end; u++) {
            if (same_dat(p, &uses[begin], &uses[u]))
                continue;
            if (!bad || is_before(&uses[u], &uses[begin], bad, against)) {
                bad = &uses[u];
                against = &uses[begin];
            }
            break;
        }
    }
    if (bad)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "dat %s has another set, dim or type in loop %s than in loop %s",
                            bad->dat, p->loops[bad->loop].loop->name,
                            p->loops[against->loop].loop->name);
    free(uses);
    return status;
}

/* How often a step moves the dat of an arg, which later args may name again:
 * once when it is read or written only, else twice. 0: an earlier arg named it. */
static int64_t passes_of(const mplan_loop *loop, int32_t arg)
{
    bool reads = false, writes = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (strcmp(loop->args[a].dat, loop->args[arg].dat) != 0)
            continue;
        if (a < arg)
            return 0;
        reads = reads || loop->args[a].access != MPLAN_WRITE;
        writes = writes || loop->args[a].access != MPLAN_READ;
    }
    return (int64_t)reads + writes;
}

/* Every dat once, updated ones twice, maps once. */
int64_t mplan_planning_loop_bytes(const planning *p, const planning_loop *loop)
{
    assert(p && loop);
    int64_t bytes = 0;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        const mplan_arg *arg = &loop->loop->args[a];
        int32_t set = set_of_arg(p, loop, a);
        const int64_t rows = set < 0 ? 1 : p->sets[set].size;
        const int32_t levels = loop->arg_layers ? loop->arg_layers[a].levels : 0;
        bytes += passes_of(loop->loop, a) * rows * arg->dim * (int64_t)mplan_type_size(arg->type) *
                 (levels ? levels : 1);
    }
    for (int32_t m = 0; m < loop->n_maps; m++)
        bytes += 4 * mplan_planning_entries(p, loop->maps[m]);
    return bytes;
}

/* The loop that the request marks; else of those that increment through a map,
 * else of those with maps, else of all, the one with the most bytes a step. */
static mplan_status choose_primary(planning *p, mplan_error *err)
{
    int32_t best_class = -1;
    double best_bytes = -1;
    for (int32_t l = 0; l < p->n_loops; l++) {
        const planning_loop *loop = &p->loops[l];
        int32_t class = loop->n_maps > 0;
        for (int32_t m = 0; m < loop->n_maps; m++)
            if (loop->map_written[m])
                class = 2;
        if (loop->loop->primary)
            class = 3;
        if (class == 3 && best_class == 3)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loops %s and %s are both marked primary",
                              p->loops[p->primary].loop->name, loop->loop->name);
        double bytes = (double)mplan_planning_loop_bytes(p, loop) * (double)loop->loop->calls;
        if (class > best_class || (class == best_class && bytes > best_bytes)) {
            p->primary = l;
            best_class = class;
            best_bytes = bytes;
        }
    }
    return MPLAN_OK;
}

/* Names, set, counts and args of loop l, whose name no loop before it may have. Nothing here
 * looks at the mesh. The comparison of names is quadratic in the loops, which are few beside
 * members. */
static mplan_status check_loop(const mplan_loop *loops, int32_t l, mplan_error *err)
{
    const mplan_loop *loop = &loops[l];
    if (!loop->name || !*loop->name)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %d has no name", (int)l);
    if (holds_control(loop->name))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the name of loop %d contains a control character", (int)l);
    if (!loop->over || !*loop->over)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has no set", loop->name);
    if (loop->calls < 1 || loop->flops < 0 || loop->n_args < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: calls must be at least 1 and flops at least 0", loop->name);
    if (loop->n_args > 0 && !loop->args)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s: args must not be NULL", loop->name);
    for (int32_t k = 0; k < l; k++)
        if (strcmp(loops[k].name, loop->name) == 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "two loops are named %s", loop->name);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        status = check_arg(loop, &loop->args[a], err);
    return status;
}

/* Splits come first, since they change the mesh; then sets and maps in the order of the loops.
 * After it p->sets, p->maps and p->loops are complete but for orders, strategies and layouts,
 * and their numbers are those of the plan. */
mplan_status mplan_step_resolve(planning *p, mplan_error *err)
{
    assert(p && p->mesh && p->n_sets == 0);
    int32_t n_loops = p->n_asked;
    const mplan_loop *loops = p->asked_loops;
    if (n_loops < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a plan must have at least one loop");
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < n_loops && !status; l++)
        status = check_loop(loops, l, err);
    if (!status)
        status = apply_splits(p, n_loops, loops, err);
    if (status)
        return status;
    warn_of_boundaries(p, n_loops, loops);
    if (mplan_mesh_weighted_set(p->mesh) >= 0)
        mplan_warn(p->context, "the weights in the file are skipped: only partition uses them");
    p->loops = mplan_alloc_zero(n_loops, sizeof *p->loops, err);
    if (!p->loops)
        return MPLAN_ERR_MEMORY;
    for (int32_t l = 0; l < n_loops && !status; l++) {
        int32_t mesh_set;
        planning_loop *loop = &p->loops[p->n_loops++];
        loop->loop = &loops[l];
        status = find_set(p, &loops[l], &mesh_set, err);
        if (!status)
            status = use_set(p, mesh_set, &loop->set, err);
        if (!status)
            status = resolve_args(p, loop, mesh_set, err);
    }
    if (!status)
        status = compare_loops(p, err);
    if (!status)
        status = mplan_planning_layers(p, err);
    for (int32_t l = 0; l < n_loops && !status; l++)
        mplan_planning_warn_of_kernels(p, &p->loops[l]);
    return !status ? choose_primary(p, err) : status;
}
