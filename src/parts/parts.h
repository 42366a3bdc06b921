/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - a mesh cut into parts: who owns what, and what parts need of one another
 *
 * The steps, each a file: cut_set.c cuts one set, by weights of cut_weights.c where columns differ; follow.c gives the members of all other sets an owner; halos.c finds
 * what else each part needs (halo_rings.c with rings), halo_reads.c which loops read it; part_mesh.c makes the mesh of one part, part_record.c tells its plan
 * what it is as a part; make_parts.c goes through them, visit_steps.c finds one number of steps of a visit for all parts. Sets, maps and loops have their numbers in the plan. */
#ifndef MPLAN_PARTS_H
#define MPLAN_PARTS_H

#include "mesh/mesh.h"
#include "pipeline/part_plan.h"
#include "planfile/bundle.h"

/* Members of one set that a part needs of others. Other parts own all of them, and each is there
 * once, in one of both halos: elements that the part must run, too, are in the execute halo, all
 * others in the read halo. `reads` is NULL until mplan_parts_find_reads. */
typedef struct mplan_halo {
    int64_t n_execute, n; /* those of the execute halo come first */
    int32_t *member;      /* n numbers in the mesh, in each halo by owner, then by number */
    uint8_t *ring;        /* of each of them (halo_rings.c); NULL: the request asks for none */
    uint8_t *reads; /* n rows of read_bytes: bit l % 8 of byte l / 8: loop l reads the member */
} mplan_halo;

/* A neighbour at the other end of a halo: members [execute[0], execute[1]) and [read[0],
 * read[1]) of the halo of part `to` are owned by part `from`. All four are indices into
 * halo->member, those of the read halo from n_execute on. One of both ranges may be empty, never
 * both. */
typedef struct mplan_halo_link {
    int32_t to, from;
    int64_t execute[2], read[2];
} mplan_halo_link;
/* Members of both ranges together: what travels by the link when the whole halo is brought up to
 * date. */
static inline int64_t mplan_halo_link_size(const mplan_halo_link *link)
{
    return link->execute[1] - link->execute[0] + link->read[1] - link->read[0];
}

/* The links of one part and one set, at most one for each other part. Of imports `to` is the
 * part itself and `from` ascends; of exports `from` is the part itself and `to` ascends. Each
 * link is there twice: as an import of one part and as an export of the other. */
typedef struct mplan_halo_links {
    int32_t n;
    mplan_halo_link *link;
} mplan_halo_links;

/* A mesh cut into parts for the loops of a request. The steps below fill it in their order; what
 * a step has not made yet is NULL. When all are done nothing changes any more, so that several
 * parts may be planned at a time. Arrays by set have whole.p.n_sets entries. Every owner is in
 * [0, n_parts); base[s] begins with 0 and ends with the size of set s. A row of `reads` has a
 * bit for each loop, read_bytes in all.
 *
 * The mesh of `whole` is the whole mesh, and [begin, end) all parts; or it is a piece of it, with all that parts [begin, end)
 * need (src/mpi): its members are in the order of the whole mesh, `ids` says their numbers there, and sizes of sets in
 * whole.p are those of the whole mesh. Of other parts a piece has only those halos that [begin, end) export into. An owner
 * of n_parts is one that the piece does not know. */
struct mplan_parts {
    mplan_whole whole;
    int32_t n_parts, cut; /* the set that was cut */
    int32_t begin, end;   /* parts that can be planned here */
    const char *how;      /* it was cut: file, metis, scotch, native or order */
    int32_t **owner;      /* [set][member] */
    int64_t **base;       /* [set]: n_parts + 1 canonical ids */
    int64_t **ids;        /* [set][member]: ascending; NULL: members have their numbers */
    int32_t **member;     /* [set]: members by owner, ascending for each, of parts [begin, end) */
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

/* They, ascending, of a part in [begin, end). */
static inline const int32_t *mplan_parts_members(const mplan_parts *parts, int32_t part, int32_t set)
{
    return parts->member[set] + (parts->base[set][part] - parts->base[set][parts->begin]);
}
/* The number of a member in the whole mesh. */
static inline int64_t mplan_parts_id(const mplan_parts *parts, int32_t set, int32_t member)
{
    return parts->ids ? parts->ids[set][member] : member;
}
/* Members of a set of the mesh, or piece, at hand. */
static inline int64_t mplan_parts_here(const mplan_parts *parts, int32_t set)
{
    return parts->whole.p.mesh->sets[parts->whole.p.sets[set].mesh_set].size;
}

/* What loops do by a map. */
typedef struct mplan_map_use {
    bool adds;   /* some loop has another access than read by it */
    bool writes; /* among these write or rw */
} mplan_map_use;
/* uses: out, one for each map of the plan. Direct args, globals and args that only read leave no
 * mark. */
void mplan_parts_map_uses(const planning *p, mplan_map_use *uses);

/* cut_set.c: whether weights and groups go with the partitioner, before the mesh is looked at. */
mplan_status mplan_parts_check_wishes(const mplan_parts_options *options, mplan_error *err);
/* cut_set.c: MPLAN_ERR_ARGUMENT for many more parts than the set that is cut has members. */
mplan_status mplan_parts_check_number(const planning *p, int32_t set, int64_t n_parts,
                                      mplan_error *err);
/* cut_set.c: parts->cut, n_parts, how and owner[cut]. `whole` is open, and `owner` has room for
 * all sets. MPLAN_ERR_ARGUMENT for parts of the caller that do not fit the set. What is made
 * belongs to `parts`, also after a failure; so it is with the next three. */
mplan_status mplan_parts_cut(mplan_parts *parts, const mplan_parts_options *options,
                             const mplan_context *context, mplan_error *err);
/* follow.c: owner, base and member of all sets; owner[cut] is there. Deterministic: ties go to
 * the lowest part. */
mplan_status mplan_parts_follow(mplan_parts *parts, mplan_error *err);
/* cut_maps.c: the set that is cut for the loops of a request. */
int32_t mplan_parts_cut_of(const planning *p);
/* And the maps of planning by which its members are
 * neighbours: *to_set: they lead to it, else from it. maps: room for all maps; returns how many. */
int32_t mplan_parts_cut_maps(const planning *p, int32_t *cut, bool *to_set, int32_t *maps);
/* cut_weights.c: what members of the set that is cut weigh by their layers, the caller's; NULL where all columns
 * are equally high. */
mplan_status mplan_parts_layer_weights(const mplan_parts *parts, int64_t **weights, mplan_error *err);
/* halos.c: the halos of parts [begin, end), from owner and member, which are complete. `halo` must be
 * NULL before. */
mplan_status mplan_parts_find_halos(mplan_parts *parts, const mplan_context *context,
                                    mplan_error *err);
/* halo_rings.c: the same where the request asks for rings. */
mplan_status mplan_parts_find_rings(mplan_parts *parts, const mplan_context *context,
                                    mplan_error *err);
/* halos.c: a halo by owner, then by number, in each of its two kinds. list: n_execute members that are executed, then
 * the others; ascending in each. */
mplan_status mplan_parts_store_halo(const mplan_parts *parts, int32_t set, const int32_t *list,
                                    int64_t n_execute, int64_t n, mplan_halo *halo, mplan_error *err);
/* imports and exports of all halos that are there, whose owners are all known. */
mplan_status mplan_parts_link_halos(mplan_parts *parts, mplan_error *err);
/* halo_reads.c: `reads` of the halos of parts [begin, end), and read_bytes. Members that no loop
 * reads keep rows of zeros. */
mplan_status mplan_parts_find_reads(mplan_parts *parts, const mplan_context *context,
                                    mplan_error *err);

/* A part as it is planned. Arrays by set. In `mesh` the members of a set are in the order of
 * their numbers in the whole mesh, owned ones and those of halos mixed: `group` tells them
 * apart, and the stored order of the plan is by it (part_plan.h). */
typedef struct mplan_part_mesh {
    const mplan_parts *parts;
    int32_t part;
    mplan_mesh *mesh;
    int64_t *owned;
    int32_t **group; /* by member of the part: 0 inner, 1 other owned ones, 2 + place in the halo */
    int32_t **member; /* by member of the part: its number in the mesh of `parts`, ascending */
    int32_t **local; /* scratch of mplan_part_mesh_make, by member of the mesh of `parts`: all -1 before and after */
    bool shared; /* local is another room's */
} mplan_part_mesh;
/* Room for one part after the other: `local` is made here, 4 bytes a member of the mesh. Threads that plan parts at the same
 * time need a room each. Close it also after a failure. */
mplan_status mplan_part_mesh_open(const mplan_parts *parts, mplan_part_mesh *out, mplan_error *err);
/* A room with the scratch of another, which must live longer: meshes of the two are made one after the other. */
mplan_status mplan_part_mesh_share(const mplan_part_mesh *with, mplan_part_mesh *out,
                                   mplan_error *err);
void mplan_part_mesh_close(mplan_part_mesh *out);
/* part_mesh.c: makes the mesh; what the part before left is released. Costs what the part costs, not the whole mesh. */
mplan_status mplan_part_mesh_make(mplan_part_mesh *out, int32_t part, mplan_error *err);
/* The number in the part of a member, which the part has, of the mesh of `parts`. */
int32_t mplan_part_mesh_local(const mplan_part_mesh *of, int32_t set, int32_t member);
/* part_record.c: adds section PARTS and the lists of halos to the plan of the part; user: an
 * mplan_part_mesh, that of the part. orders: by set, the stored index of each member of the
 * part's mesh, halos behind what is owned. */
mplan_status mplan_part_record(void *user, mplan_plan *plan, const int32_t *const *orders,
                               mplan_error *err);

/* make_parts.c: plans a part in [begin, end); room: that of one part after the other, which may have been made for this one. wish: of the steps of
 * a visit; may be NULL. *plan is the caller's. */
mplan_status mplan_parts_plan_in(mplan_part_mesh *room, int32_t part, mplan_visit_wish *wish,
                                 const mplan_context *context, mplan_plan **plan, mplan_error *err);
/* visit_steps.c: the steps of a visit that are best for parts with these predictions together; 0: none fits into all. */
int32_t mplan_parts_visit_steps(const mplan_visit_wish *wishes, int32_t n);
/* Lines of sets and maps; texts are borrowed, but the two lists are the caller's to free. Bases are those of `parts`,
 * which must outlive it. Entries of maps are counted without those of -1, over the whole mesh: verify compares them
 * with the sum over all parts. request and versions are left to the caller. */
mplan_status mplan_parts_describe(const mplan_parts *parts, mplan_manifest *manifest,
                                  mplan_error *err);

#endif
