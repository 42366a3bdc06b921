/* SPDX-License-Identifier: Apache-2.0 */
/* piece.h - all that the plan of one part is made from, in a file of its own
 *
 * An archive of NumPy's for each part (formats/plan-format.md, section 13.4): its mesh with the halo, who owns what, what
 * neighbours import, and what the choices of the request took from the whole mesh (pipeline/mesh_facts.h). */
#ifndef MPLAN_PIECE_H
#define MPLAN_PIECE_H

#include "parts/parts.h"
#include "pipeline/mesh_facts.h"

/* Numbers of the member `head`. */
enum {
    MPLAN_PIECE_VERSION, /* 1; 2 where a map is ragged */
    MPLAN_PIECE_PART,
    MPLAN_PIECE_PARTS,
    MPLAN_PIECE_CUT,
    MPLAN_PIECE_SETS,
    MPLAN_PIECE_MAPS,
    MPLAN_PIECE_READ_BYTES,
    MPLAN_PIECE_TOPOLOGY, /* fingerprints of the whole mesh, as 64 bits */
    MPLAN_PIECE_COORDINATES,
    MPLAN_PIECE_HEAD /* so many */
};
/* Columns of `sets`, a row for each: members of the whole mesh, those of the execute halo, dimension of coordinates; the
 * last is negative where they are centroids, which the whole mesh has no coordinates for. */
enum { MPLAN_PIECE_TOTAL, MPLAN_PIECE_EXECUTE, MPLAN_PIECE_DIMENSION, MPLAN_PIECE_SET };
/* Columns of `maps`: sets, entries of a row (ragged: those of the longest row of the whole mesh, times -1; version 1: 0), and
 * mplan_map_facts of the whole mesh. */
enum {
    MPLAN_PIECE_FROM,
    MPLAN_PIECE_TO,
    MPLAN_PIECE_ARITY,
    MPLAN_PIECE_ENTRIES,
    MPLAN_PIECE_PRESENT,
    MPLAN_PIECE_NONE_ROW,
    MPLAN_PIECE_MAP
};
/* Columns of `exports_S`: the part at the other end, members of its execute halo, and all members. */
enum { MPLAN_PIECE_LINK_TO, MPLAN_PIECE_LINK_EXECUTE, MPLAN_PIECE_LINK_ALL, MPLAN_PIECE_LINK };
/* A record of `reach`: how many maps, the maps, then entries, points, valence_max and all + 2 x apart of mplan_reach. */
enum { MPLAN_PIECE_REACH = 4 };

/* A set as it is in the file; arrays as struct mplan_parts has them. */
typedef struct mplan_piece_set {
    int64_t n, n_halo, n_links, n_exported;
    int64_t *base, *ids;
    int32_t *owner, *halo; /* numbers in the piece, the execute halo first */
    uint8_t *reads;
    int64_t *links;    /* n_links x MPLAN_PIECE_LINK, `to` ascending */
    int32_t *exported; /* their members one behind the other, in the order of the importer */
    uint8_t *exported_reads;
} mplan_piece_set;

struct mplan_piece {
    int64_t *head, *sets, *maps, *reach, n_reach;
    char *text; /* lines: how it was cut, zone, names of sets and maps; then the request */
    char *how, *zone, *request, **names; /* in it; names: sets, then maps */
    mplan_piece_set *of;                 /* by set */
    mplan_mesh *mesh;  /* of the part: its members in the order of the whole mesh */
    mplan_mesh *named; /* sets and maps without members */
    int64_t *sizes;    /* of the sets of the whole mesh */
    mplan_map_facts *map_facts;
    mplan_mesh_facts facts; /* of the two, and reach */
    bool taken;             /* its arrays are those of parts now */
};

static inline int32_t mplan_piece_n_sets(const mplan_piece *piece)
{
    return (int32_t)piece->head[MPLAN_PIECE_SETS];
}
static inline int32_t mplan_piece_n_maps(const mplan_piece *piece)
{
    return (int32_t)piece->head[MPLAN_PIECE_MAPS];
}

/* Of a row of `maps`: entries of its rows, 0 where it is ragged. */
static inline int32_t mplan_piece_arity(const int64_t *map)
{
    return map[MPLAN_PIECE_ARITY] > 0 ? (int32_t)map[MPLAN_PIECE_ARITY] : 0;
}

/* piece_names.c: a mesh that has sets and maps by name, without members; sets and maps as in the file. */
mplan_status mplan_piece_make_named(const char *zone, int32_t n_sets, int32_t n_maps,
                                    const int64_t *sets, const int64_t *maps, char *const *names,
                                    mplan_mesh **named, mplan_error *err);

#endif
