/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - building the immutable plan; nothing here computes one
 *
 * A plan is created empty, filled in the order sets, maps, loops with their
 * args and variants, block sets, metrics and arrays, then sealed. All texts are
 * copied; arrays are taken over or borrowed. */
#ifndef MPLAN_PLAN_H
#define MPLAN_PLAN_H

#include "meshplan.h"

/* An entry of the step. */
typedef struct mplan_step_entry {
    int32_t loop;
    int32_t shift; /* slabs; 0 without slabs */
    int32_t clear; /* 1 + the arg whose dat is set to zero before; 0: none */
    int32_t lag; /* 1: globals that it changes have their values when the visit ends; 0: at once */
} mplan_step_entry;

/* Each list has as many entries as the count of its name; records and keys refer to sets, maps, loops and block sets
 * by their places in these lists. arrays and array_owned have n_arrays entries and the same order. Texts are never
 * NULL. mplan_plan_free releases all but borrowed data. */
struct mplan_plan {
    int32_t n_sets, n_maps, n_loops, n_block_sets, n_metrics, n_step, n_conflicts, n_arrays;
    mplan_plan_set *sets;
    mplan_plan_map *maps;
    mplan_plan_loop *loops; /* args and variants are owned by the plan */
    mplan_plan_block_set *block_sets;
    mplan_block_metrics *metrics;
    mplan_step_entry *step;
    mplan_plan_visit visit; /* of no slabs: none */
    int32_t n_streams;
    mplan_plan_stream *streams;
    mplan_step_conflict *conflicts;
    mplan_array *arrays; /* ascending by key once sealed */
    bool *array_owned;   /* data is released with the plan */
    bool sealed;
    bool no_origins; /* read from a file of 1.0, which does not tell how blocks came about */
    const char *request, *versions;
    mplan_fingerprints fingerprints;
    mplan_plan_times times;
    void (*release)(void *held); /* of what borrowed arrays point into; NULL: nothing */
    void *held;
};

mplan_status mplan_plan_new(mplan_plan **plan, mplan_error *err);
/* Each appends a copy of *record (and of its texts); MPLAN_ERR_MEMORY only. */
mplan_status mplan_plan_add_set(mplan_plan *plan, const mplan_plan_set *record, mplan_error *err);
/* Makes set `set` of the plan a group's; the name is copied. */
mplan_status mplan_plan_set_parent(mplan_plan *plan, int32_t set, const char *parent,
                                   int32_t parent_set, int64_t parent_size, mplan_error *err);
mplan_status mplan_plan_add_map(mplan_plan *plan, const mplan_plan_map *record, mplan_error *err);
/* Copies args and variants too (n_variants may be 0 and grow later). */
mplan_status mplan_plan_add_loop(mplan_plan *plan, const mplan_plan_loop *record, mplan_error *err);
mplan_status mplan_plan_add_variant(mplan_plan *plan, int32_t loop,
                                    const mplan_plan_variant *record, mplan_error *err);
mplan_status mplan_plan_add_block_set(mplan_plan *plan, const mplan_plan_block_set *record,
                                      mplan_error *err);
mplan_status mplan_plan_add_metrics(mplan_plan *plan, const mplan_block_metrics *record,
                                    mplan_error *err);
mplan_status mplan_plan_add_step(mplan_plan *plan, const mplan_step_entry *record, mplan_error *err);
mplan_status mplan_plan_add_stream(mplan_plan *plan, const mplan_plan_stream *record,
                                   mplan_error *err);
mplan_status mplan_plan_add_conflict(mplan_plan *plan, const mplan_step_conflict *record,
                                     mplan_error *err);
mplan_status mplan_plan_set_texts(mplan_plan *plan, const char *request, const char *versions,
                                  mplan_error *err);
/* Takes over data (from mplan_alloc), also when it fails: then it is released. */
mplan_status mplan_plan_take_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                                   int64_t cols, void *data, mplan_error *err);
/* The data must live as long as the plan (see release). */
mplan_status mplan_plan_borrow_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                                     int64_t cols, const void *data, mplan_error *err);
/* Sorts the arrays by key. MPLAN_ERR_CORRUPT when two have the same key. */
mplan_status mplan_plan_seal(mplan_plan *plan, mplan_error *err);

/* Derives and splits what the plan names and the mesh lacks, as planning does. What cannot be had is
 * left out: who looks for it finds nothing. */
mplan_status mplan_plan_prepare_mesh(const mplan_plan *plan, mplan_mesh *mesh,
                                     const mplan_context *context, mplan_error *err);

/* < 0, 0, > 0: keys compared member by member as unsigned numbers, kind first */
int mplan_key_compare(const mplan_key *a, const mplan_key *b);

/* "new_of_old", "block_points", ...; NULL for no kind of array */
const char *mplan_kind_name(uint32_t kind);
/* "NEW_OF_OLD", "SETS", ...: as formats/plan-format.md names the kind; NULL for kinds not known */
const char *mplan_kind_label(uint32_t kind);

/* Keys of the arrays, so that no caller spells them out. */
mplan_key mplan_key_of_set(mplan_kind kind, int32_t set);
mplan_key mplan_key_of_plan(mplan_kind kind);
mplan_key mplan_key_of_map(mplan_kind kind, int32_t map);
mplan_key mplan_key_of_block_set(mplan_kind kind, int32_t block_set);
mplan_key mplan_key_of_block_points(mplan_kind kind, int32_t block_set, int32_t loop, int32_t set);
mplan_key mplan_key_of_block_local(int32_t block_set, int32_t loop, int32_t map);
mplan_key mplan_key_of_variant(mplan_kind kind, int32_t loop, int32_t variant);
mplan_key mplan_key_of_gather(mplan_kind kind, int32_t loop, int32_t map);
mplan_key mplan_key_of_loop_set(mplan_kind kind, int32_t set, int32_t loop);

/* What a loop increments through maps, when it gathers (formats/plan-format.md,
 * below VARIANTS): increments through maps of an arity to one set, and writes nothing
 * else through a map. maps gets the local maps, room for n_args. */
typedef struct mplan_increments {
    int32_t set;             /* that the maps lead to */
    int32_t n_maps, n_local; /* increment maps; local maps, which begin with them */
    int32_t columns, local_columns;
    int64_t entries; /* of the stored increment maps */
    int32_t fields;  /* of an entry of windows16 (plan/packed.h) */
} mplan_increments;
bool mplan_plan_gathers(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t *maps,
                        mplan_increments *out);

/* Whether an access adds to what is there, or keeps the least or greatest of it: the order of
 * elements then matters by rounding at most. */
static inline bool mplan_access_adds(mplan_access access)
{
    return access == MPLAN_INC || access == MPLAN_INC_MIN || access == MPLAN_INC_MAX;
}

/* Whether an arg needs to know which element it is of: a direct one, or a global that is changed. */
static inline bool mplan_arg_is_of_element(const mplan_plan_arg *arg)
{
    return arg->map == -1 || (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ);
}

/* Whether the file of a plan has section ARGS2. */
bool mplan_plan_has_args2(const mplan_plan *plan);
/* Whether an arg is of a global, or has access min or max: then ARGS2 must be known. */
bool mplan_plan_has_new_args(const mplan_plan *plan);
/* Whether a loop has layers: the file of a plan then has sections LAYERS, SLOTS and ARGS2. */
bool mplan_plan_has_layers(const mplan_plan *plan);
/* Whether the plan has slabs and a schedule. */
static inline bool mplan_plan_has_slabs(const mplan_plan *plan)
{
    return plan->visit.slabs > 0;
}
/* Whether the plan says of a set where pieces of its order begin in each slab (SLAB_PIECES). */
static inline bool mplan_plan_has_pieces(const mplan_plan *plan, int32_t set)
{
    enum { LEAST = 64 }; /* members of a slab, on average */
    return mplan_plan_has_slabs(plan) &&
           plan->sets[set].storage_size >= (int64_t)plan->visit.slabs * LEAST;
}
/* Gives set `set` of the plan layers. */
void mplan_plan_set_layers(mplan_plan *plan, int32_t set, int32_t layers, int32_t least,
                           bool ranged, bool masked);
/* Whether a plan is one part of a bundle: its file then has section PARTS. */
bool mplan_plan_is_part(const mplan_plan *plan);
/* Says what set `set` is in the part that the plan is of. All sets of a plan, or none. */
void mplan_plan_set_part(mplan_plan *plan, int32_t set, const mplan_part_set *part);
/* Rings around a part that it computes as well: line `rings` of the request; 0: none, or not a part. */
int32_t mplan_plan_rings(const mplan_plan *plan);
/* Whether a loop reads dats of a set (read, rw), so that a part has lists of imports for both. */
bool mplan_plan_loop_reads(const mplan_plan *plan, int32_t loop, int32_t set);
/* Whether the file of a plan has section VARIANTS2. */
bool mplan_plan_has_variants2(const mplan_plan *plan);
/* Whether a set is a group's, and whether a plan has one: its file then has section GROUPS. */
static inline bool mplan_plan_set_is_group(const mplan_plan_set *set)
{
    return set->parent && *set->parent;
}
bool mplan_plan_has_groups(const mplan_plan *plan);

/* The data of an array, or NULL when it is absent or of another type; *rows
 * (may be NULL) its rows. */
const void *mplan_plan_data(const mplan_plan *plan, mplan_key key, mplan_type type, int64_t *rows);

#endif
