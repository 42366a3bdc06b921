/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where the numbers of a mesh are in its files, for ranks that read byte ranges (src/mpi)
 *
 * A reader that is asked for a layout looks at the heads of a file only, and lists arrays, and the maps and coordinates that
 * are in them, in the order in which it would add them to a mesh. All entries of the lists are structs of fixed size without
 * pointers, which name each other by index: so a layout is sent as bytes. */
#ifndef MPLAN_PLACES_H
#define MPLAN_PLACES_H

#include "base/memory.h"
#include "meshplan.h"

enum {
    MPLAN_PLACES_NAME = 260,
    MPLAN_PLACES_PATH = 4096,
    MPLAN_PLACES_NODES = 27,
    MPLAN_PLACES_SIZES = 4
};

/* Numbers in a file: rows x cols of them from byte `at` on, one row behind the other, or by_column one column behind the other. */
typedef struct mplan_places_array {
    int32_t path;                   /* which file */
    char member[MPLAN_PLACES_NAME]; /* what it is called in there, for messages; "" */
    int64_t at, rows, cols;
    int32_t size; /* bytes of a number: 1, 2, 4, 8; reals 4, 8 */
    char kind;    /* 'i', 'u', 'f' */
    bool big_endian, by_column;
} mplan_places_array;

/* Rows of a map that are in one array. */
typedef struct mplan_places_block {
    int32_t array;
    int32_t type;                     /* of the cells; -1: they have none */
    int8_t order[MPLAN_PLACES_NODES]; /* entry k is the file's order[k]; of cells with a type */
} mplan_places_block;

/* How long the rows of a map are. */
enum {
    MPLAN_PLACES_FIXED, /* as the array has columns, or as offsets say */
    MPLAN_PLACES_TRIM, /* entries of -1 at the end of rows are left; where any row has one in its midst, none are */
    MPLAN_PLACES_CLOSED, /* likewise, and an entry of -1 in the midst of a row is refused */
    MPLAN_PLACES_COUNTS  /* as another array says, of as many numbers as there are rows */
};

/* What types rows of nodes have, where blocks do not say it. */
enum {
    MPLAN_PLACES_UNTYPED,
    MPLAN_PLACES_BY_NODES, /* by dimension and number of nodes; polygons of five or more: all are without types */
    MPLAN_PLACES_POLYGONS /* all have three nodes or more; of triangles and quads only: with types */
};

/* A map, of blocks one behind the other. */
typedef struct mplan_places_table {
    char name[MPLAN_PLACES_NAME], from[MPLAN_PLACES_NAME], to[MPLAN_PLACES_NAME];
    int64_t base;    /* number of the first member in the file */
    int64_t to_size; /* members of the to-set; -1: others tell it, and no number but -1 is none */
    bool has_none;   /* -1 means none */
    bool below;      /* numbers below base mean none, too */
    bool nan;        /* and NaN */
    bool perhaps;    /* left out where it leads to no set: it is data then */
    bool makes_sets; /* sets that are not there are made: from of its rows, to of the first of sizes[] above its largest number */
    int32_t n_fills; /* further numbers that mean none where they are not members */
    int64_t fill[3];
    int32_t offsets;      /* an array of one more than there are rows; -1: rows of equal lengths */
    int64_t first_offset; /* what the offsets begin with: entries of rows that are not this map's */
    int32_t counts;       /* an array of as many numbers as there are rows; -1 */
    int32_t lengths;      /* MPLAN_PLACES_FIXED, ... */
    int32_t types;        /* MPLAN_PLACES_UNTYPED, ... */
    int32_t dimension;    /* of the cells, where `types` asks for it */
    int32_t block, n_blocks;
    int32_t n_sizes;
    int64_t sizes[MPLAN_PLACES_SIZES]; /* ascending */
} mplan_places_table;

/* Coordinates: an array of `dimension` columns, or as many of one column. */
typedef struct mplan_places_points {
    char name[MPLAN_PLACES_NAME]; /* of the set, or what may tell it */
    int32_t dimension,
        array[3]; /* array[1] -1: all in the first, which may have fewer: others are 0 */
    bool sphere;  /* the first two are longitudes and latitudes, for points of the unit sphere */
    bool perhaps_plane; /* and of more than half of all members beyond 90 degrees: these are lengths in the plane */
    double degrees[2]; /* factors of both angles to degrees */
} mplan_places_points;

/* A set that is there before the maps. */
typedef struct mplan_places_set {
    char name[MPLAN_PLACES_NAME];
    int64_t size;
} mplan_places_set;

/* Layers of the columns over a set, in the order in which the reader has them: of all members alike, by levels from 1 at the
 * surface (formats/column_levels.h), or as those at the other end of a map. */
typedef struct mplan_places_layers {
    char of[MPLAN_PLACES_NAME]; /* the set, or the map */
    bool follows;               /* by the map */
    int32_t rule;               /* of the map: mplan_layers_rule */
    int32_t layers;             /* of the set */
    int32_t first, last; /* arrays of a level for each member; last -1: all members have all */
    int64_t minus;
    char word[MPLAN_PLACES_NAME]; /* what a member is called */
} mplan_places_layers;

/* Where members of a group are, or facets, which become members of a group when faces are derived. */
enum {
    MPLAN_GROUP_RUN,  /* members [first, first + n) of `set` */
    MPLAN_GROUP_LIST, /* members of `set`: numbers of an array, from 1 */
    MPLAN_GROUP_SIDES, /* facets: cells, from 1, in an array, and in another one the number of a side of each */
    MPLAN_GROUP_FACETS, /* facets: rows of an array, of nodes from 1, of elements of a type */
    MPLAN_GROUP_ROWS, /* facets: those rows of such an array whose numbers another one lists, the first of them is `first`; numbers
                       * of no row are of other parts */
    MPLAN_N_GROUP_KINDS
};

/* A group with a name, or a part of one: those of equal numbers follow each other, and are one group. */
typedef struct mplan_places_group {
    char name[MPLAN_PLACES_NAME], set[MPLAN_PLACES_NAME];
    int64_t number;
    int32_t kind, array; /* MPLAN_GROUP_RUN: array -1 */
    int32_t other; /* SIDES: the numbers of sides; FACETS: whose rows with `tag` count, -1: all do; ROWS: numbers */
    int32_t type;      /* FACETS, ROWS: of the elements */
    int32_t numbering; /* SIDES: mplan_numbering */
    int64_t first, n, tag;
} mplan_places_group;

/* What a layout says of the mesh as a whole. */
enum {
    MPLAN_PLACES_NUMPY = 1, /* sizes of sets and the sets of coordinates are found as npz.c finds them */
    MPLAN_PLACES_PRISMS = 2, /* may be mirrored, and are turned */
    MPLAN_PLACES_OP2 = 4,   /* sets of maps and of coordinates are found as op2_hdf5.c finds them */
    MPLAN_PLACES_SIDES = 8, /* edges_cells is made from cells_edges, as ugrid.c makes it */
    MPLAN_PLACES_EDGES = 16, /* typed cells whose edges all have both cells: edges are the file's own faces */
    MPLAN_PLACES_FACES = 32, /* edges are the file's own faces in any case */
    MPLAN_PLACES_ZONE = 64,  /* the zone that was asked for is one of several meshes of the file */
    MPLAN_PLACES_GROUPS = 128,  /* all groups with names are listed: the file has no others */
    MPLAN_PLACES_ALL = 255,     /* what programs of libexec may say */
    MPLAN_PLACES_BY_FACES = 256 /* cells are given by their faces (mpi/read_solids.c) */
};

typedef struct mplan_places {
    uint32_t flags;
    mplan_vector paths;  /* char[MPLAN_PLACES_PATH] */
    mplan_vector arrays; /* mplan_places_array */
    mplan_vector blocks, tables, points, sets, layers, groups;
} mplan_places;

/* All lists empty, and no flag. */
void mplan_places_begin(mplan_places *layout);
void mplan_places_free(mplan_places *layout);
/* The number of the path, or of the array; below 0: *err. The array must be within a file of `size` bytes: MPLAN_ERR_CORRUPT. */
int32_t mplan_places_add_path(mplan_places *layout, const char *path, mplan_error *err);
mplan_status mplan_places_add_array(mplan_places *layout, const mplan_places_array *array,
                                    int64_t size, int32_t *index, mplan_error *err);
/* Adds a block of cells of a type to the table that is last. order: NULL: as ours. */
mplan_status mplan_places_add_block(mplan_places *layout, int32_t array, int32_t type,
                                    const int8_t *order, mplan_error *err);
/* A table without blocks, of members from 0 with -1 for none. *table: out, valid until the next is added; may be NULL.
 * MPLAN_ERR_UNSUPPORTED for names that are too long. */
mplan_status mplan_places_add_table(mplan_places *layout, const char *name, const char *from,
                                    const char *to, mplan_places_table **table, mplan_error *err);
mplan_status mplan_places_add_set(mplan_places *layout, const char *name, int64_t size,
                                  mplan_error *err);
/* Coordinates of one set; arrays are -1 until the caller fills them in. *points: as *table above. */
mplan_status mplan_places_add_points(mplan_places *layout, const char *name, int32_t dimension,
                                     mplan_places_points **points, mplan_error *err);
/* Layers of a set or by a map, which all members have until the caller says more. *layers: as *table above. */
mplan_status mplan_places_add_layers(mplan_places *layout, const char *of,
                                     mplan_places_layers **layers, mplan_error *err);
/* A part of a group, without places until the caller fills them in. *group: as *table above. */
mplan_status mplan_places_add_group(mplan_places *layout, const char *name, const char *set,
                                    int64_t number, int32_t kind, mplan_places_group **group,
                                    mplan_error *err);
/* "PATH: WHAT, and cannot be read by ranges: ..." with what the user can do about it: MPLAN_ERR_UNSUPPORTED. */
mplan_status mplan_places_refuse(const char *path, const char *what, mplan_error *err);

static inline const mplan_places_array *mplan_places_get_array(const mplan_places *layout,
                                                               int32_t index)
{
    return (const mplan_places_array *)layout->arrays.data + index;
}
static inline const char *mplan_places_path_of(const mplan_places *layout,
                                               const mplan_places_array *array)
{
    return (const char *)layout->paths.data + (int64_t)array->path * MPLAN_PLACES_PATH;
}

/* The type of a cell of the dimension with n nodes, linear ones only; MPLAN_N_CELL_TYPES: there is none. */
mplan_cell_type mplan_places_type(int32_t dimension, int64_t n);

/* As bytes, to a descriptor of base/shared_memory.h; paths are not sent. */
mplan_status mplan_places_send(const mplan_places *layout, int fd, mplan_error *err);
/* And back, into a layout that has just begun, of one file of `size` bytes. The bytes are looked over like any file: all
 * that is taken is within its list, within the file, and ends where it must. MPLAN_ERR_CORRUPT otherwise. */
mplan_status mplan_places_receive(mplan_places *layout, const char *path, int64_t size,
                                  const void *data, size_t bytes, mplan_error *err);

#endif
