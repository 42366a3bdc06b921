/* SPDX-License-Identifier: Apache-2.0 */
/* check_halo.h - what proofs of plans that are parts of a mesh share
 *
 * Sections 4 (PARTS), 5 (arrays 176 to 190) and 13 of formats/plan-format.md. check_halo.c: numbers of PARTS and lists
 * of imports and exports; check_halo_rows.c: what rows of maps require of halos, check_rings.c of rings; check_bundle.c: all parts together;
 * check_bundle_mesh.c: that they are parts of a mesh; check_bundle_layers.c: columns in all parts. */
#ifndef MPLAN_CHECK_HALO_H
#define MPLAN_CHECK_HALO_H

#include "check/check.h"

/* A set of a part: views of the plan's arrays, which have been found (check_arrays.c). Places are stored indices, with slabs those of
 * the part order (PART_PLACES): those below part->owned are members that the part owns, then come the execute halo up to part->executed and the read
 * halo up to size. old_of_new and ids have `size` entries; from and in_hashes one for each import, to and out_hashes
 * one for each export, begins one more; index holds places of owned members, list after list. */
typedef struct mplan_check_halo {
    const char *name;
    int64_t size;
    const mplan_part_set *part;
    const int32_t *old_of_new;
    const int64_t *ids;                     /* GLOBAL_ID, by the part's own numbers */
    const int32_t *from, *to, *index;       /* IMPORT_PARTS, EXPORT_PARTS, EXPORT_INDEX */
    const int64_t *ranges, *begins;         /* IMPORT_RANGES: 4 an import; EXPORT_OFFSETS */
    const uint64_t *in_hashes, *out_hashes; /* of imports, of exports */
    int64_t depth; /* members at rings below it are computed: 1 without rings */
    const uint8_t *rings,
        *out_rings; /* HALO_RINGS by place - owned, EXPORT_RINGS as index; NULL without rings */
} mplan_check_halo;

/* Ring of the member at a place: 0 is what the part owns. Without rings halos are outside. */
static inline int64_t mplan_check_ring(const mplan_check_halo *halo, int64_t place)
{
    return place < halo->part->owned ? 0
           : halo->rings             ? halo->rings[place - halo->part->owned]
                                     : INT64_MAX;
}

/* The lists of one loop, of a set whose dats it reads. List i of `in` (`out`) is a part of import (export) i of the
 * set, in its order, and may be empty: in[in_begins[i]] up to in_begins[i + 1], places of the halo; out likewise,
 * places of owned members. Hashes are those of the global ids, one for each list. */
typedef struct mplan_check_loop_halo {
    const int64_t *in_begins, *out_begins;
    const int32_t *in, *out;
    const uint64_t *in_hashes, *out_hashes;
} mplan_check_loop_halo;

/* Fills *halo with views; nothing is to be closed. */
void mplan_check_halo_open(const mplan_check *check, int32_t set, mplan_check_halo *halo);
/* Whether a loop reads dats of a set: members of halos that it needs are listed then. */
bool mplan_check_reads_set(const mplan_plan *plan, int32_t loop, int32_t set);
/* False: the loop reads no dat of the set, so that there are no such lists. */
bool mplan_check_loop_halo_open(const mplan_check *check, int32_t loop, int32_t set,
                                mplan_check_loop_halo *lists);

/* Number in the whole mesh of the member at a place. */
static inline int64_t mplan_check_global(const mplan_check_halo *halo, int64_t place)
{
    return halo->ids[halo->old_of_new[place]];
}
/* The part that owns the member at a place of the halo; lists must be proved. */
int32_t mplan_check_owner_of(const mplan_check_halo *halo, int64_t place);

/* Whether a loop (-1: any) has an arg through a map, or with `changes` one with another access than read. Here, args
 * that write points once count: what they write must reach its owner. */
bool mplan_check_goes_through(const mplan_plan *plan, int32_t loop, int32_t map, bool changes);

/* Whether the loop (-1: any), by element e of a set, changes a point at a ring below `below`; 1: one that the part owns. */
bool mplan_check_changes(const mplan_check *check, int32_t loop, int32_t set, int64_t element,
                         int64_t below);

/* --- rings (check_rings.c) --- */

/* Whether some loop reads, or changes, by the map what loops of the plan change: then values of one ring need the next. */
bool mplan_check_carries(const mplan_plan *plan, int32_t map);
/* HALO_RINGS are the rings that follow from the rows of the part; nothing without rings. After mplan_check_halo_rows. */
mplan_status mplan_check_rings(mplan_check *check, mplan_error *err);

/* --- all parts together (check_bundle.c, check_bundle_mesh.c) --- */

typedef struct mplan_check_whole mplan_check_whole;

/* Told of a plan when all of it has been proved. */
typedef mplan_status mplan_check_collect(mplan_check *check, void *user, mplan_error *err);
/* The proofs of a plan that is a part, beside the whole mesh; whole and collect may be NULL. */
mplan_status mplan_check_prove_part(const mplan_plan *plan, mplan_check_whole *whole, bool asked,
                                    mplan_check_collect *collect, void *user,
                                    const mplan_context *context, mplan_error *err);

/* A mesh beside which parts are proved. */
struct mplan_check_whole {
    mplan_mesh *mesh;
    int32_t n_sets, n_maps;
    int32_t *sets, *maps; /* of the mesh, per set and map of the plans */
    uint32_t **degree;    /* per map, entries that lead to each point; NULL: not needed so far */
    mplan_status verdict; /* what a difference means: MPLAN_ERR_DISPROVED where the fingerprints agree */
};
/* Finds sets and maps of the plan's names; all must be as large as all parts are together. prints: of the
 * bundle; NULL: unknown. Warns where coordinates differ. Release it in any case. */
mplan_status mplan_check_whole_open(const mplan_plan *plan, mplan_mesh *mesh,
                                    const mplan_fingerprints *prints, const mplan_context *context,
                                    mplan_check_whole *whole, mplan_error *err);
void mplan_check_whole_free(mplan_check_whole *whole);
/* Layers of the columns over one set of the whole mesh, as the parts so far have them. */
typedef struct mplan_check_columns {
    int32_t layers;  /* 0: no part has ranges or a mask */
    int32_t *ranges; /* bottom and top by global id, -1 where no part has said it; NULL: likewise */
    /* (layers + 31) / 32 words by global id, and whether a part has said them; NULL: no part has a mask */
    int32_t *mask;
    uint8_t *masked;
    /* `listed`: all these stay NULL, and members are listed as parts name them, once for each part that has them: ids (int64_t),
     * bottom and top (int32_t), words of the mask (int32_t). Who has several lists brings them together. */
    bool listed, has_ranges, has_mask;
    mplan_vector ids, list, words;
} mplan_check_columns;
void mplan_check_columns_open(bool listed, mplan_check_columns *columns);
void mplan_check_columns_close(mplan_check_columns *columns);
/* Takes over what a part says of the members that it has, owned ones and halos; it must be what parts before it said. */
mplan_status mplan_check_columns_note(const mplan_check *check, const mplan_check_halo *halo,
                                      int32_t set, mplan_check_columns *columns, mplan_error *err);
/* The line that the request must have of the set; hashes of the ranges and masks of all members, NULL: there are none. */
mplan_status mplan_check_columns_line(const mplan_bundle_set *set, int32_t layers,
                                      const uint64_t *ranges, const uint64_t *mask,
                                      const char *request, mplan_error *err);
/* After all parts, each member of which has an owner: the request has the hashes of all ranges and masks. */
mplan_status mplan_check_columns_end(const mplan_bundle_set *set, const mplan_check_columns *columns,
                                     const char *request, mplan_error *err);

/* Rows of elements that run are those of the mesh, and no element of the mesh is missing. */
mplan_status mplan_check_whole_rows(const mplan_check *check, mplan_check_whole *whole,
                                    mplan_error *err);

#endif
