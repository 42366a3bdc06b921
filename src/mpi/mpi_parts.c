/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_parts.c - from a mesh that is spread over ranks and a request to the parts that each rank plans
 *
 * Functions are collective but where they say otherwise. What only one rank can meet, as a lack of memory, is
 * agreed on before the next exchange; what depends on names, sizes and options only comes out alike on all ranks
 * and is returned at once.
 *
 * Nothing in a part depends on the number of ranks: owners are elected from sums of votes, parts are dealt out to
 * ranks as whole parts, and halos are found by the code of parts/ in a piece that has all rows which that code
 * looks at. */
#include "mpi/mpi_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_centres.h"
#include "mpi/mpi_layers.h"
#include "mpi/mpi_move.h"
#include "mpi/mpi_piece.h"
#include "mpi/mpi_ptscotch.h"
#include "mpi/mpi_read.h"
#include "mpi/mpi_stage.h"

/* --- the request --------------------------------------------------------------------------------- */

/* MPLAN_ERR_ARGUMENT means that the name cannot be derived; other faults are passed on.
 * A set or map that is not there and cannot be derived is left to the planner, whose sentence says what there is. */
static mplan_status derive(mpi_mesh *mesh, const char *name, mplan_error *err)
{
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = mpi_mesh_derive(mesh, name, &why);
    return status && status != MPLAN_ERR_ARGUMENT ? mplan_fail(err, status, "%s", why.text)
                                                  : MPLAN_OK;
}

/* Splits the set of a loop by the map of an arg that asks for it, unless it was split before. What cannot be, by the names that
 * there are, is left to the planner. */
static mplan_status split(mpi_mesh *mesh, const mplan_loop *loop, const mplan_arg *arg,
                          mplan_error *err)
{
    char where[128];
    mplan_status status = MPLAN_OK;
    if (mpi_mesh_find_set(mesh, loop->over) < 0)
        status = derive(mesh, loop->over, err);
    if (!status && mpi_mesh_find_map(mesh, arg->map) < 0)
        status = derive(mesh, arg->map, err);
    const int32_t set = mpi_mesh_find_set(mesh, loop->over), map = mpi_mesh_find_map(mesh, arg->map);
    if (status || set < 0 || map < 0 || mesh->maps[map].from != set || mesh->sets[set].split)
        return status;
    snprintf(where, sizeof where, "loop %.60s, arg %.50s", loop->name, arg->dat);
    status = mpi_mesh_split(mesh, set, map, err);
    return status ? mplan_fail_prefix(err, status, where) : MPLAN_OK;
}

static bool is_global(const mplan_arg *arg)
{
    return arg->map && strcmp(arg->map, MPLAN_GLOBAL) == 0;
}

/* Splits come before all else, as the serial planner has it. */
static mplan_status split_all(mpi_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                              mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < n_loops && !status; l++)
        for (int32_t a = 0; a < loops[l].n_args && loops[l].over && loops[l].args && !status; a++) {
            const mplan_arg *arg = &loops[l].args[a];
            if (arg->none == MPLAN_NONE_SPLIT && arg->map && arg->dat && !is_global(arg))
                status = split(mesh, &loops[l], arg, err);
        }
    return status;
}

/* Sets and maps are derived in the order in which loops name them, as the serial planner does: so they get the
 * numbers that it gives them. All ranks have the same loops, and so call the same functions in the same order. */
mplan_status mpi_parts_resolve(mpi_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                               mpi_parts *out, mplan_error *err)
{
    assert(mesh && loops && out);
    *out = (mpi_parts){0};
    mpi_stage(MPI_STAGE_DERIVE);
    mplan_status status = split_all(mesh, n_loops, loops, err);
    for (int32_t l = 0; l < n_loops && !status; l++) {
        if (loops[l].over && mpi_mesh_find_set(mesh, loops[l].over) < 0)
            status = derive(mesh, loops[l].over, err);
        for (int32_t a = 0; a < loops[l].n_args && !status; a++) {
            const mplan_arg *arg = &loops[l].args[a];
            if (arg->map && !is_global(arg) && mpi_mesh_find_map(mesh, arg->map) < 0)
                status = derive(mesh, arg->map, err);
        }
    }
    return status ? status : mpi_facts_open(mesh, &out->facts, err);
}

mplan_status mpi_tell_of_groups(const mpi_mesh *mesh, const char *over, mplan_status status,
                                mplan_error *err)
{
    assert(mesh);
    if (status != MPLAN_ERR_ARGUMENT || !mesh->left_groups || !err || !over ||
        mpi_mesh_find_set(mesh, over) >= 0)
        return status;
    const mplan_error why = *err;
    return mplan_fail(err, status, "%.*s; groups of the file are read with --whole-input only",
                      (int)sizeof why.text - 80, why.text);
}

/* out->facts are open. out->parts and all that is in it belongs to *out, also after a failure. options are
 * resolved on every rank by the code of one process, from the same facts, and come out alike.
 * The head, which has no members, can be asked by all for names; every count comes from the facts. A set that the
 * head derived though the ranks could not would be empty, and is refused. */
mplan_status mpi_parts_choose(int32_t n_loops, const mplan_loop *loops,
                              const mplan_plan_options *options, const mplan_context *context,
                              mpi_parts *out, int32_t *cut, mplan_error *err)
{
    assert(out && out->facts.head && cut);
    const mpi_mesh *mesh = out->facts.mesh;
    out->parts = mplan_alloc_zero(1, sizeof *out->parts, err);
    mplan_status status = mpi_agree(mesh->comm, out->parts ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status)
        return status;
    if (options && options->layers)
        status = mpi_facts_layers(&out->facts, err);
    if (status)
        return status;
    /* every rank takes the same way through it: what it asks of all is in the facts */
    status = mplan_whole_open(out->facts.head, &out->facts.facts, n_loops, loops, options, context,
                              &out->parts->whole, err);
    mpi_facts_end(&out->facts);
    for (int32_t l = 0, told = 0; l < n_loops && !told; l++) {
        told = loops[l].over && mpi_mesh_find_set(mesh, loops[l].over) < 0;
        status = mpi_tell_of_groups(mesh, loops[l].over, status, err);
    }
    /* the sentence of the rank that failed by itself */
    status = mpi_agree(mesh->comm, out->facts.stopped ? MPLAN_OK : status, err);
    if (!status && mplan_mesh_n_sets(out->facts.head) + mplan_mesh_n_maps(out->facts.head) !=
                       mesh->n_sets + mesh->n_maps)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "a set or map of the loops cannot be derived under MPI");
    const planning *p = &out->parts->whole.p;
    /* which maps it is cut by is found again by mpi_parts_make; here only the set is asked for */
    int32_t *maps = status ? NULL : mplan_alloc(p->n_maps, sizeof *maps, err);
    bool to_set = false;
    if (maps)
        mplan_parts_cut_maps(p, cut, &to_set, maps);
    else if (!status)
        status = MPLAN_ERR_MEMORY;
    free(maps);
    return mpi_agree(mesh->comm, status, err);
}

/* --- the cut --------------------------------------------------------------------------------------- */

/* Parts that the caller gives: sentences are those of parts/cut_set.c. owner: of this rank's members. Fills
 * n_parts and how. The number of members is compared first: only then has every member of this rank a part in
 * options->owner. Where n_parts is not given it is the largest part of all ranks plus 1. */
static mplan_status take_owners(const mpi_mesh *mesh, const mpi_parts_options *options,
                                mplan_parts *parts, mplan_error *err)
{
    const planning_set *set = &parts->whole.p.sets[parts->cut];
    const mpi_set *of = &mesh->sets[set->mesh_set];
    const int64_t own = mpi_own_members(mesh, set->mesh_set);
    int32_t most = -1;
    mplan_status status = MPLAN_OK;
    if (options->n_owner != set->size) {
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "there are parts of %lld members, but set %s, which is cut, has %lld",
                            (long long)options->n_owner, of->name, (long long)set->size);
        return mplan_fail_of_file(err, status, options->owner_file);
    }
    for (int64_t i = 0; i < own && !status; i++) {
        const int32_t part = options->owner[i];
        if (part < 0 || (options->n_parts > 0 && part >= options->n_parts) || part == INT32_MAX)
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "member %lld of set %s cannot be in part %d",
                                (long long)(of->first[mesh->rank] + i), of->name, (int)part);
        most = part > most ? part : most;
    }
    status = mplan_fail_of_file(err, status, options->owner_file);
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    /* -1 on a rank without members of the set */
    most = (int32_t)mpi_most(mesh->comm, most);
    parts->n_parts = options->n_parts > 0 ? options->n_parts : most + 1;
    parts->how = "file";
    if (parts->n_parts < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "set %s has no members, so that its parts do not tell how many there are",
                          of->name);
    return mplan_fail_of_file(err,
                              mplan_parts_check_number(&parts->whole.p, parts->cut, parts->n_parts,
                                                       err),
                              options->owner_file);
}

/* owner: out, of the members that this rank has of the set that is cut. Fills cut, n_parts and how. The maps by
 * which it is cut are numbers of planning first, then of the mesh, as mpi_cut takes them. */
static mplan_status cut(const mpi_mesh *mesh, const mpi_parts_options *options, mpi_parts *out,
                        int32_t *owner, mplan_error *err)
{
    mplan_parts *parts = out->parts;
    const planning *p = &parts->whole.p;
    int64_t *layers = NULL;
    int32_t n = 0, *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    bool to_set = false;
    mplan_status status = mpi_agree(mesh->comm, maps ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        n = mplan_parts_cut_maps(p, &parts->cut, &to_set, maps);
    if (!status)
        status = mplan_parts_check_number(p, parts->cut, options->n_parts, err);
    /* where nobody says what columns weigh */
    if (!status && !options->weight)
        status = mpi_layers_weights(mesh, p, parts->cut, to_set, n, maps, &layers, err);
    if (!status) {
        const mpi_cut_options how = {.n_parts = options->n_parts,
                                     .imbalance = options->imbalance,
                                     .nodes = options->nodes,
                                     .weight = options->weight ? options->weight : layers,
                                     .group = options->group,
                                     .n_groups = options->n_groups,
                                     .ptscotch = options->ptscotch,
                                     .cut_ranks = options->cut_ranks};
        for (int32_t i = 0; i < n; i++)
            maps[i] = p->maps[maps[i]].mesh_map;
        parts->n_parts = options->n_parts;
        const int64_t vertices = options->group ? options->n_groups : p->sets[parts->cut].size;
        if (options->ptscotch && options->n_parts > 1 && vertices > 1)
            mpi_ptscotch_name(mpi_ptscotch_ranks(options->cut_ranks, mesh->ranks, vertices),
                              out->how, sizeof out->how);
        parts->how = out->how[0] ? out->how : "native";
        status = mpi_cut(mesh, p->sets[parts->cut].mesh_set, n, maps, &how, owner, err);
    }
    free(layers);
    free(maps);
    return status;
}

/* --- what each rank has ------------------------------------------------------------------------------ */

/* Which parts a rank plans: as even as can be, one after the other. out->first has ranks + 1 entries, and is the
 * same on every rank. With more ranks than parts some have none, and still take part in all exchanges. Not
 * collective. */
static mplan_status deal_parts(const mpi_mesh *mesh, mpi_parts *out, mplan_error *err)
{
    mplan_parts *parts = out->parts;
    out->first = mplan_alloc(mesh->ranks + INT64_C(1), sizeof *out->first, err);
    if (!out->first)
        return MPLAN_ERR_MEMORY;
    for (int32_t r = 0; r <= mesh->ranks; r++)
        out->first[r] = mpi_range_first(parts->n_parts, mesh->ranks, r);
    parts->begin = (int32_t)out->first[mesh->rank];
    parts->end = (int32_t)out->first[mesh->rank + 1];
    return MPLAN_OK;
}

/* Room for what the piece fills; bases are those of the owners, which lose them. One pointer for each set of
 * planning; the arrays belong to parts, whose release frees them. Not collective. */
static mplan_status make_room(mplan_parts *parts, mpi_owners *owners, mplan_error *err)
{
    const int32_t n_sets = parts->whole.p.n_sets;
    parts->owner = mplan_alloc_zero(n_sets, sizeof *parts->owner, err);
    parts->ids = mplan_alloc_zero(n_sets, sizeof *parts->ids, err);
    parts->member = mplan_alloc_zero(n_sets, sizeof *parts->member, err);
    parts->base = mplan_alloc_zero(n_sets, sizeof *parts->base, err);
    if (!parts->owner || !parts->ids || !parts->member || !parts->base)
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < n_sets; s++) {
        parts->base[s] = owners->base[s];
        owners->base[s] = NULL;
    }
    return MPLAN_OK;
}

/* Collective: all ranks repeat it as long as one of them lacks something.
 * The piece and the halos in it; again where a halo got a member that is there by number only.
 * lacking: by set, members that a halo took though only their numbers came: that happens where a loop writes
 * through a map, or a part would have no halo that a row could name instead (parts/halos.c). Each round brings at
 * least one such member of some rank with its rows, so that it ends; nearly always there is one round. */
static mplan_status find_halos(mpi_move *move, const mplan_context *context, mpi_parts *out,
                               mplan_error *err)
{
    mplan_parts *parts = out->parts;
    const MPI_Comm comm = move->mesh->comm;
    const int32_t n_sets = parts->whole.p.n_sets;
    mplan_vector *lacking = mplan_alloc_zero(n_sets, sizeof *lacking, err);
    mplan_status status = mpi_agree(comm, lacking ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    /* numbers of the whole mesh, in any order */
    for (int32_t s = 0; lacking && s < n_sets; s++)
        lacking[s].size = sizeof(int64_t);
    while (!status) {
        int64_t n = 0;
        status = mpi_move_complete(move, err);
        if (status)
            break;
        status = mpi_piece_make(move, out->facts.head, parts, &out->piece, err);
        if (!status)
            status = mplan_parts_find_halos(parts, context, err);
        if (!status)
            status = mpi_piece_lacking(parts, lacking, err);
        for (int32_t s = 0; s < n_sets; s++)
            n += lacking[s].count;
        status = mpi_agree(comm, status, err);
        if (status || mpi_sum(comm, n) == 0)
            break;
        /* the piece is made anew: members that come may change the places of others */
        mpi_piece_undo(move, parts, &out->piece);
        status = mpi_move_more(move, lacking, err);
    }
    for (int32_t s = 0; lacking && s < n_sets; s++)
        free(lacking[s].data);
    free(lacking);
    return status;
}

/* Owners of all sets, then all that this rank's parts need. owner: of the set that was cut, by member of this rank.
 * The order matters for memory: owners are there before members travel, and are freed when the piece has its own. */
static mplan_status take_pieces(const mpi_mesh *mesh, const int32_t *owner,
                                const mplan_context *context, mpi_parts *out, mplan_error *err)
{
    mplan_parts *parts = out->parts;
    const planning *p = &parts->whole.p;
    mpi_owners owners = {0};
    mpi_move move = {0};
    mpi_stage(MPI_STAGE_MOVE);
    mplan_status status = mpi_owners_follow(mesh, p, parts->cut, parts->n_parts, owner, &owners, err);
    if (!status)
        status = mpi_agree(mesh->comm, deal_parts(mesh, out, err), err);
    if (!status)
        status = mpi_move_open(mesh, p, &owners, out->first, &move, err);
    if (!status)
        status = mpi_agree(mesh->comm, make_room(parts, &owners, err), err);
    if (!status)
        status = find_halos(&move, context, out, err);
    /* an open that was never tried has no planning; messages go before owners, which `move` borrows */
    if (move.p)
        mpi_move_close(&move);
    mpi_owners_free(&owners);
    return status;
}

/* Fingerprints of the whole mesh, as mplan_planning_fingerprints makes them: of the sets and maps of planning, in
 * its order. 0 for coordinates where no set of planning has any. They are the same on every rank. */
static mplan_status find_prints(const mpi_mesh *mesh, mplan_parts *parts, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    int32_t *sets = mplan_alloc(p->n_sets, sizeof *sets, err);
    int32_t *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    mplan_status status = mpi_agree(mesh->comm, sets && maps ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    bool any = false;
    uint64_t topology = 0, coordinates = 0;
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        sets[s] = p->sets[s].mesh_set;
        any = any || mesh->sets[sets[s]].dimension > 0;
    }
    for (int32_t m = 0; m < p->n_maps && !status; m++)
        maps[m] = p->maps[m].mesh_map;
    if (!status)
        status = mpi_mesh_fingerprints(mesh, p->n_sets, sets, p->n_maps, maps, &topology,
                                       &coordinates, err);
    parts->prints.topology = topology;
    parts->prints.coordinates = any ? coordinates : 0;
    free(sets);
    free(maps);
    return status;
}

/* Of each element of the whole mesh its number and its rows, hashed as check/check_bundle.c hashes those of plans:
 * a length before each row, entries as numbers of the mesh. Sums do not depend on who has which rows: they are of
 * whole numbers of 64 bits without sign, which wrap around alike in any order.
 * rows: n_sets of planning, 0 before; afterwards the sums of all ranks, on every rank. words: scratch, of one
 * element. */
static mplan_status sum_rows(const mpi_mesh *mesh, const planning *p, uint64_t *rows, mplan_error *err)
{
    mplan_vector words = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < p->n_sets; s++) {
        const int32_t set = p->sets[s].mesh_set;
        for (int64_t i = 0; i < mpi_own_members(mesh, set) && !status; i++) {
            const int64_t id = mesh->sets[set].first[mesh->rank] + i;
            words.count = 0;
            status = mplan_vector_push(&words, &id, err);
            for (int32_t m = 0; m < p->n_maps && !status; m++) {
                int64_t n;
                if (p->maps[m].from != s)
                    continue;
                const int64_t *row = mpi_map_row(&mesh->maps[p->maps[m].mesh_map], i, &n);
                int64_t *to = mplan_vector_reserve(&words, n + 1, err);
                if (!to) {
                    status = MPLAN_ERR_MEMORY;
                    break;
                }
                to[0] = n;
                memcpy(to + 1, row, (size_t)n * sizeof *row);
                words.count += n + 1;
            }
            rows[s] += mplan_hash(words.data, (size_t)words.count * sizeof id);
        }
    }
    free(words.data);
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        mpi_allreduce(MPI_IN_PLACE, rows, p->n_sets, MPI_UINT64_T, MPI_SUM, mesh->comm);
    return status;
}

/* Frees rows of maps and coordinates of sets that are not in the plan, but for a map that the cut goes along and the
 * coordinates that it leads to; keep: NULL, or that one. Types of cells go for all sets. Names, sizes and ranges of all sets stay.
 * Not collective. */
static void drop_unplanned(mpi_mesh *mesh, const planning *p, const mpi_map *keep)
{
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        bool planned = keep == &mesh->maps[m];
        for (int32_t i = 0; i < p->n_maps; i++)
            planned = planned || p->maps[i].mesh_map == m;
        if (planned)
            continue;
        free(mesh->maps[m].values);
        free(mesh->maps[m].offsets);
        mesh->maps[m].values = mesh->maps[m].offsets = NULL;
    }
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        bool planned = keep && keep->to == s;
        for (int32_t i = 0; i < p->n_sets; i++)
            planned = planned || p->sets[i].mesh_set == s;
        free(mesh->sets[s].cell_type);
        mesh->sets[s].cell_type = NULL;
        if (planned)
            continue;
        free(mesh->sets[s].coordinates);
        mesh->sets[s].coordinates = NULL;
    }
}

/* What is made of the whole mesh before it is cut: fingerprints, sums of rows, centroids, which fingerprints have not. Then all
 * that the cut does not look at is dropped. Collective. */
static mplan_status take_prints(mpi_mesh *mesh, mpi_parts *out, mplan_error *err)
{
    mplan_parts *parts = out->parts;
    const planning *p = &parts->whole.p;
    const int32_t cut_set = p->sets[parts->cut].mesh_set, renumbered = mplan_planning_renumbered(p);
    out->rows = mplan_alloc_zero(p->n_sets, sizeof *out->rows, err);
    mplan_status status = mpi_agree(mesh->comm, out->rows ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        status = find_prints(mesh, parts, err);
    if (!status)
        status = sum_rows(mesh, p, out->rows, err);
    if (!status && renumbered >= 0)
        status = mpi_centres_add(mesh, p->sets[renumbered].mesh_set, err);
    if (!status)
        drop_unplanned(mesh, p,
                       mesh->sets[cut_set].dimension > 0 ? NULL
                                                         : mpi_map_to_coordinates(mesh, cut_set));
    return status;
}

/* In the order: parts that are given, what is made of the whole mesh, the cut else, pieces with their halos, what halos
 * read, and who exports what. Each step is entered by all ranks or by none. From take_pieces on the mesh of parts->whole is
 * this rank's piece. */
mplan_status mpi_parts_make(mpi_mesh *mesh, const mpi_parts_options *options,
                            const mplan_context *context, mpi_parts *out, mplan_error *err)
{
    assert(mesh && options && out && out->parts && (options->owner || options->n_parts > 0));
    mplan_parts *parts = out->parts;
    const planning *p = &parts->whole.p;
    int32_t *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    bool to_set = false;
    if (maps)
        mplan_parts_cut_maps(p, &parts->cut, &to_set, maps);
    free(maps);
    mplan_status status = mpi_agree(mesh->comm, maps ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status)
        return status;
    mpi_stage(MPI_STAGE_CUT);
    if (options->owner)
        status = take_owners(mesh, options, parts, err);
    if (!status)
        status = take_prints(mesh, out, err);
    int32_t *owner = NULL;
    if (!status && !options->owner) {
        owner = mplan_alloc(mpi_own_members(mesh, p->sets[parts->cut].mesh_set), sizeof *owner, err);
        status = mpi_agree(mesh->comm, owner ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
        if (!status)
            status = cut(mesh, options, out, owner, err);
    }
    if (!status) {
        drop_unplanned(mesh, p, NULL);
        status = take_pieces(mesh, options->owner ? options->owner : owner, context, out, err);
    }
    free(owner);
    if (!status)
        status = mpi_agree(mesh->comm, mplan_parts_find_reads(parts, context, err), err);
    /* reads are found first, as halos go to other ranks with them */
    if (!status)
        status = mpi_piece_exports(mesh->comm, out->first, parts, err);
    if (!status)
        status = mpi_agree(mesh->comm, mplan_parts_link_halos(parts, err), err);
    return status;
}

/* The piece and the head are the parts' mesh one after the other, and both are freed here, after the parts, which
 * borrow them. Also in order for what was made in part only, or never. */
void mpi_parts_free(mpi_parts *parts)
{
    assert(parts);
    mplan_parts_free(parts->parts);
    mplan_mesh_free(parts->piece);
    mpi_facts_close(&parts->facts);
    free(parts->first);
    free(parts->rows);
    *parts = (mpi_parts){0};
}
