/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - a mesh cut into parts: who owns what, and what parts need of one another
 *
 * The steps, each a file: cut_set.c cuts one set; follow.c gives the members of all other sets an owner; halos.c finds
 * what else each part needs, halo_reads.c which loops read it; part_mesh.c makes the mesh of one part, part_record.c tells its plan
 * what it is as a part; make_parts.c goes through them. Sets, maps and loops have their numbers in the plan. */
#ifndef MPLAN_PARTS_H
#define MPLAN_PARTS_H

#include "pipeline/part_plan.h"

/* Members of one set that a part needs of others. */
typedef struct mplan_halo {
    int64_t n_execute, n; /* those of the execute halo come first */
    int32_t *member;      /* n numbers in the mesh, in each halo by owner, then by number */
    uint8_t *reads; /* n rows of read_bytes: bit l % 8 of byte l / 8: loop l reads the member */
} mplan_halo;

/* A neighbour at the other end of a halo: members [execute[0], execute[1]) and [read[0], read[1]) of the halo of part
 * `to` are owned by part `from`. */
typedef struct mplan_halo_link {
    int32_t to, from;
    int64_t execute[2], read[2];
} mplan_halo_link;
static inline int64_t mplan_halo_link_size(const mplan_halo_link *link)
{
    return link->execute[1] - link->execute[0] + link->read[1] - link->read[0];
}

typedef struct mplan_halo_links {
    int32_t n;
    mplan_halo_link *link;
} mplan_halo_links;

struct mplan_parts {
    mplan_whole whole;
    int32_t n_parts, cut; /* the set that was cut */
    const char *how;      /* it was cut: file, metis, scotch or native */
    int32_t **owner;      /* [set][member] */
    int64_t **base;       /* [set]: n_parts + 1 canonical ids */
    int32_t **member; /* [set]: members by owner, ascending for each: those of part q from base[q] on */
    int32_t read_bytes;
    mplan_halo *halo;          /* part q, set s at q * n_sets + s; so are */
    mplan_halo_links *imports; /* by `from` */
    mplan_halo_links *exports; /* by `to` */
    mplan_fingerprints prints; /* of the whole mesh */
};

static inline mplan_halo *mplan_parts_halo(const mplan_parts *parts, int32_t part, int32_t set)
{
    return &parts->halo[(int64_t)part * parts->whole.p.n_sets + set];
}
/* Members of a set that a part owns. */
static inline int64_t mplan_parts_owned(const mplan_parts *parts, int32_t part, int32_t set)
{
    return parts->base[set][part + 1] - parts->base[set][part];
}

/* What loops do by a map. */
typedef struct mplan_map_use {
    bool adds;   /* some loop has another access than read by it */
    bool writes; /* among these write or rw */
} mplan_map_use;
/* uses: one for each map of the plan. */
void mplan_parts_map_uses(const planning *p, mplan_map_use *uses);

/* cut_set.c: parts->cut, how and owner[cut]. */
mplan_status mplan_parts_cut(mplan_parts *parts, const mplan_parts_options *options,
                             const mplan_context *context, mplan_error *err);
/* follow.c: owner, base and member of all sets. */
mplan_status mplan_parts_follow(mplan_parts *parts, mplan_error *err);
/* halos.c: halo, imports and exports. */
mplan_status mplan_parts_find_halos(mplan_parts *parts, const mplan_context *context,
                                    mplan_error *err);
/* halo_reads.c: `reads` of all halos. */
mplan_status mplan_parts_find_reads(mplan_parts *parts, const mplan_context *context,
                                    mplan_error *err);

/* A part as it is planned. Arrays by set. */
typedef struct mplan_part_mesh {
    const mplan_parts *parts;
    int32_t part;
    mplan_mesh *mesh;
    int64_t *owned;
    int32_t **group; /* by member of the part: 0 inner, 1 other owned ones, 2 + place in the halo */
    int32_t **local; /* by member of the whole mesh: its number in the part; only of those that are in it */
} mplan_part_mesh;
/* Scratch for one part after the other: `local` is made here. Close it also after a failure. */
mplan_status mplan_part_mesh_open(const mplan_parts *parts, mplan_part_mesh *out, mplan_error *err);
void mplan_part_mesh_close(mplan_part_mesh *out);
/* part_mesh.c: fills all but `local`'s room; what the part before left is released. */
mplan_status mplan_part_mesh_make(mplan_part_mesh *out, int32_t part, mplan_error *err);
/* part_record.c: adds section PARTS and the lists of halos to the plan of the part; user: an mplan_part_mesh. */
mplan_status mplan_part_record(void *user, mplan_plan *plan, const int32_t *const *orders,
                               mplan_error *err);

#endif
