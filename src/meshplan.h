/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan.h - plans for loops over unstructured meshes: the public interface
 *
 * A mesh is a list of sets (nodes, cells, ...) and of maps between them. A plan
 * says in which order every set is stored and how each loop is cut into thread
 * blocks. This header reads, makes, derives and writes meshes, computes plans,
 * reads, writes and proves plan files.
 *
 * Conventions
 *   Functions return MPLAN_OK (0) or the status of the failure, and write their
 *   results through out parameters, which are untouched unless said otherwise
 *   when they fail. `err` is always last, may be NULL and is filled on failure.
 *   `context` may be NULL everywhere. `_free` functions accept NULL.
 *   Option structs may be NULL for defaults; else start from their _INIT macro. Those of callers
 *   with an older or a newer header are taken; meshplan-library(3) says what may change.
 *   Inputs are copied unless the name says borrow.
 *   Pointers must not be NULL unless said otherwise, but arrays of no entries may be.
 *   A function with a status answers NULL, and an index that is out of range, with
 *   MPLAN_ERR_ARGUMENT that names the argument. Others answer with nothing: counts
 *   and dimensions with 0, searches with -1, pointers and names of enumerations with
 *   NULL, other texts with "", structs with no members, sets of -1 and the name "".
 *   Nothing here prints, exits, or depends on the number of threads.
 * Ids of set members are int32_t from 0; -1 in a map means none. Sets stay
 * below 2^31 members; offsets and totals are int64_t. */
#ifndef MESHPLAN_H
#define MESHPLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined MPLAN_STATIC
#define MPLAN_API
#elif defined __GNUC__
#define MPLAN_API __attribute__((visibility("default")))
#else
#define MPLAN_API
#endif

/* --- status and errors ------------------------------------------------- */

typedef enum mplan_status {
    MPLAN_OK = 0,
    MPLAN_ERR_ARGUMENT,     /* the caller asked for something that cannot be */
    MPLAN_ERR_NO_INPUT,     /* the input does not exist or may not be read */
    MPLAN_ERR_FORMAT,       /* not a file of a format that is known */
    MPLAN_ERR_UNSUPPORTED,  /* recognised, but not supported (by this build) */
    MPLAN_ERR_TOO_NEW,      /* a plan file newer than this reader */
    MPLAN_ERR_CORRUPT,      /* damaged or malformed input */
    MPLAN_ERR_MESH,         /* well-formed input, but no valid mesh */
    MPLAN_ERR_DISPROVED,    /* a plan that does not hold what it promises */
    MPLAN_ERR_OTHER_MESH,   /* a sound plan, but for another mesh */
    MPLAN_ERR_DIFFERENT,    /* two plans that are not the same */
    MPLAN_ERR_MEMORY,       /* out of memory */
    MPLAN_ERR_CREATE,       /* an output cannot be created */
    MPLAN_ERR_IO,           /* reading or writing failed on the way */
    MPLAN_ERR_PARTITIONER,  /* a partitioner failed beyond repair */
    MPLAN_ERR_INTERRUPTED,  /* the context's `cancelled` said so */
    MPLAN_ERR_DEVICE,       /* a device, or a call of its driver, failed */
    MPLAN_ERR_INTERNAL,     /* a fault in meshplan itself */
    MPLAN_ERR_OTHER_REQUEST /* a sound plan, but for other loops or options */
} mplan_status;

#define MPLAN_ERROR_TEXT 1024

/* One sentence without a final full stop. `file:line: ` or `file: byte N: `
 * comes first where the fault has a place in a file. */
typedef struct mplan_error {
    mplan_status status;
    char text[MPLAN_ERROR_TEXT];
} mplan_error;

/* Copies a text as terminals and messages may show it: control characters and bytes that are not
 * UTF-8 become \xHH, all else stays. `shown` has room for `size` bytes and always ends with a zero;
 * what does not fit is cut at a whole character. Returns the length of what was written. The
 * library's own sentences have been through it. */
MPLAN_API size_t mplan_text_shown(const char *text, char *shown, size_t size);

/* A short constant name such as "out of memory". */
MPLAN_API const char *mplan_status_name(mplan_status status);

/* "0.1.0" */
MPLAN_API const char *mplan_version(void);

/* Name and version of a library this build uses ("metis 5.1.0"), or NULL for
 * i >= their number. */
MPLAN_API const char *mplan_library(int32_t i);

/* What the kernel keeps from the programs that read foreign files and cut graphs by foreign libraries
 * (libexec), as one of them finds that is started to say it: "landlock 4, seccomp" (the version of
 * Landlock), "landlock 4", "seccomp" or "none". text: out, `size` bytes, 32 are enough. MPLAN_ERR_INTERNAL
 * where there is no such program. */
MPLAN_API mplan_status mplan_sandbox(char *text, size_t size, mplan_error *err);

/* --- the context of a call ----------------------------------------------- */

/* Memory by input. Whatever is in them, inputs make no call use more than
 * 50 bytes of memory for each of their bytes (inflated ones, where they are
 * compressed) and 64 MB, the program's own 15 MB or so included. Where the size
 * of a set is but the largest number of a table or of a METIS mesh, and that is
 * more than so much input justifies (64 bytes a member), deriving, planning,
 * partitioning and renumbering are refused with MPLAN_ERR_MEMORY, unless
 * max_memory allows it, or the size is given (mplan_mesh_add_set, to_size of
 * mplan_table_options, sets in a job). What the caller asks for is not input:
 * meshes that are generated, refined or built by calls have no bound, and each
 * loop of a request has tables of its own. */

/* What a long call may use and whom it tells. All members may be zero. The
 * callbacks run on the calling thread. */
typedef struct mplan_context {
    size_t struct_size;
    int32_t threads; /* at most this many, and no more than the process may use: by affinity, CPU quota,
                        OMP_NUM_THREADS, 1024; 0: as many as that. Callers that call from several threads
                        give each its share. Threads end with the call. */
    void (*warning)(void *user, const char *text);
    /* done of total (total 0: unknown) of a stage. Stages "read", "inflate" and
     * "write" count bytes of the file, others steps of their own. The last
     * call that one of the library's functions makes has done == total. */
    void (*progress)(void *user, const char *stage, int64_t done, int64_t total);
    bool (*cancelled)(void *user);
    void *user;
    int64_t max_memory;  /* bytes of host memory, in the place of the bound above; larger inputs
                            are refused. 0: the bound above */
    int64_t max_inflate; /* bytes that one compressed input may hold; 0: 64 GiB */
    /* Asked before a file is read, by its path ("-": standard input). Anything but
     * MPLAN_OK, with err filled, ends the call with that. */
    mplan_status (*input)(void *user, const char *path, mplan_error *err);
    int32_t read_timeout; /* seconds without progress after which a netCDF, HDF5 or CGNS file, which
                             another program reads, counts as damaged, and METIS or SCOTCH as failed; 0: 600 */
    /* Told of an output, by the path that the caller gave, that held already what was to be written:
     * it was left as it is, with its times. A folder is left where all of its files are. */
    void (*unchanged)(void *user, const char *path);
    /* Told of a folder that is read, and of a file that would have been read, too, but is not there: together with
     * `input` all that decides what a mesh is. */
    void (*looked)(void *user, const char *path);
} mplan_context;
#define MPLAN_CONTEXT_INIT                                                          \
    {                                                                               \
        sizeof(mplan_context), 0, NULL, NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL \
    }

/* --- meshes --------------------------------------------------------------- */

typedef struct mplan_mesh mplan_mesh;

typedef struct mplan_set {
    const char *name; /* owned by the mesh */
    int64_t size;
} mplan_set;

/* A mapping table: for each member of set `from` the members of set `to` it
 * touches. Fixed maps have `arity` entries a row; ragged maps have arity 0 and
 * row r in values[offsets[r]] ... values[offsets[r + 1] - 1]. */
typedef struct mplan_map {
    const char *name;
    int32_t from, to;       /* indices of sets */
    int32_t arity;          /* 0: ragged */
    int64_t n_rows;         /* size of from */
    int64_t n_points;       /* size of to */
    const int64_t *offsets; /* n_rows + 1 entries; NULL unless ragged */
    const int32_t *values;  /* each in [-1, n_points), -1: none */
} mplan_map;

static inline int64_t mplan_map_entries(const mplan_map *map)
{
    return map->arity ? map->n_rows * map->arity : map->offsets[map->n_rows];
}

/* First entry of a row and, in *n, how many the row has. */
static inline const int32_t *mplan_map_row(const mplan_map *map, int64_t row, int32_t *n)
{
    if (map->arity) {
        *n = map->arity;
        return map->values + row * map->arity;
    }
    *n = (int32_t)(map->offsets[row + 1] - map->offsets[row]);
    return map->values + map->offsets[row];
}

/* Shapes of cells. Nodes are numbered as Gmsh does, corners first. */
typedef enum mplan_cell_type {
    MPLAN_CELL_POINT,
    MPLAN_CELL_LINE2,
    MPLAN_CELL_LINE3,
    MPLAN_CELL_TRI3,
    MPLAN_CELL_TRI6,
    MPLAN_CELL_QUAD4,
    MPLAN_CELL_QUAD8,
    MPLAN_CELL_QUAD9,
    MPLAN_CELL_TET4,
    MPLAN_CELL_TET10,
    MPLAN_CELL_PYRAMID5,
    MPLAN_CELL_PYRAMID13,
    MPLAN_CELL_PYRAMID14,
    MPLAN_CELL_PRISM6,
    MPLAN_CELL_PRISM15,
    MPLAN_CELL_PRISM18,
    MPLAN_CELL_HEX8,
    MPLAN_CELL_HEX20,
    MPLAN_CELL_HEX27,
    MPLAN_N_CELL_TYPES
} mplan_cell_type;

/* "tri3", "hex20", ...; NULL for no cell type */
MPLAN_API const char *mplan_cell_type_name(mplan_cell_type type);
MPLAN_API int32_t mplan_cell_type_dimension(mplan_cell_type type);
MPLAN_API int32_t mplan_cell_type_nodes(mplan_cell_type type);
MPLAN_API int32_t mplan_cell_type_corners(mplan_cell_type type);

/* A named subset: a physical group, a marker, a patch. */
typedef struct mplan_group {
    const char *name;  /* "" when the file gave a number only */
    int64_t id;        /* the file's number */
    int32_t dimension; /* of the entities that the file named */
    int32_t set;       /* index of the set the members belong to */
    int64_t n_members;
    const int32_t *members; /* n_members ids of the set, ascending */
} mplan_group;

MPLAN_API mplan_status mplan_mesh_create(mplan_mesh **mesh, mplan_error *err);
MPLAN_API void mplan_mesh_free(mplan_mesh *mesh);

/* Adds a set. MPLAN_ERR_ARGUMENT when the name is taken or size is not in
 * [0, 2^31 - 1). *set (may be NULL) gets its index. */
MPLAN_API mplan_status mplan_mesh_add_set(mplan_mesh *mesh, const char *name, int64_t size,
                                          int32_t *set, mplan_error *err);

/* Adds a map. offsets: NULL, or for a ragged map (arity 0) size(from) + 1
 * entries, ascending from 0. values: all entries, each in [-1, size(to)). */
MPLAN_API mplan_status mplan_mesh_add_map(mplan_mesh *mesh, const char *name, int32_t from,
                                          int32_t to, int32_t arity, const int64_t *offsets,
                                          const int32_t *values, int32_t *map, mplan_error *err);

/* Gives a set coordinates: dimension (2 or 3) doubles a member, interleaved,
 * in the mesh's unit of length. Replaces earlier ones. NaN and infinity are
 * refused with the member named. */
MPLAN_API mplan_status mplan_mesh_set_coordinates(mplan_mesh *mesh, int32_t set, int32_t dimension,
                                                  const double *coordinates, mplan_error *err);

/* Adds the sets `cells` (and `nodes`, unless it exists) and the map cells_nodes.
 * type: n_cells entries, all of one dimension; nodes: their nodes one after
 * the other. Fixed map when all types have equally many nodes, else ragged. */
MPLAN_API mplan_status mplan_mesh_add_cells(mplan_mesh *mesh, int64_t n_nodes, int64_t n_cells,
                                            const uint8_t *type, const int32_t *nodes,
                                            mplan_error *err);

/* Adds a named subset of a set; members in any order, each once. */
MPLAN_API mplan_status mplan_mesh_add_group(mplan_mesh *mesh, const char *name, int64_t id,
                                            int32_t dimension, int32_t set, int64_t n_members,
                                            const int32_t *members, mplan_error *err);

/* Adds a named group of facets (dimension one below the cells), given by
 * their corner nodes. Once faces or boundary_faces are derived the group is
 * a subset of them, and boundary faces carry its id. */
MPLAN_API mplan_status mplan_mesh_add_facets(mplan_mesh *mesh, const char *name, int64_t id,
                                             int64_t n_facets, const uint8_t *type,
                                             const int32_t *nodes, mplan_error *err);

MPLAN_API int32_t mplan_mesh_n_sets(const mplan_mesh *mesh);
MPLAN_API int32_t mplan_mesh_n_maps(const mplan_mesh *mesh);
MPLAN_API int32_t mplan_mesh_n_groups(const mplan_mesh *mesh);
MPLAN_API mplan_set mplan_mesh_set(const mplan_mesh *mesh, int32_t set);
MPLAN_API mplan_map mplan_mesh_map(const mplan_mesh *mesh, int32_t map);
MPLAN_API mplan_group mplan_mesh_group(const mplan_mesh *mesh, int32_t group);
/* Groups of mplan_mesh_add_facets that wait until faces or boundary_faces are derived: set -1, members NULL, n_members
 * the number of facets as it was given. None once they are subsets. */
MPLAN_API int32_t mplan_mesh_n_facet_groups(const mplan_mesh *mesh);
MPLAN_API mplan_group mplan_mesh_facet_group(const mplan_mesh *mesh, int32_t group);
/* Index of the set or map of that name; -1 without one. Derives nothing. */
MPLAN_API int32_t mplan_mesh_find_set(const mplan_mesh *mesh, const char *name);
MPLAN_API int32_t mplan_mesh_find_map(const mplan_mesh *mesh, const char *name);
/* Coordinates of a set and their dimension; NULL and 0 when it has none. */
MPLAN_API const double *mplan_mesh_coordinates(const mplan_mesh *mesh, int32_t set,
                                               int32_t *dimension);
/* Weights of the members of a set that its file brings (graphs of METIS and SCOTCH, meshes of METIS), rows of *n_columns
 * numbers as they are in the file: what options of a partition may borrow. NULL and 0: none. */
MPLAN_API const int64_t *mplan_mesh_weights(const mplan_mesh *mesh, int32_t set, int32_t *n_columns);
/* Likewise one number a member, which counts in communication volumes; NULL: none. */
MPLAN_API const int64_t *mplan_mesh_sizes(const mplan_mesh *mesh, int32_t set);
/* Layers of the columns over the members of a set, as the file of an ocean or atmosphere mesh brings them: what loops with
 * layers take where their request does not say (meshplan-layers(7)). ranges, which is copied: member m has layers
 * ranges[2 * m] to ranges[2 * m + 1] - 1, perhaps none; NULL: each member has all. MPLAN_ERR_MESH for what cannot be. */
MPLAN_API mplan_status mplan_mesh_set_layers(mplan_mesh *mesh, int32_t set, int32_t layers,
                                             const int32_t *ranges, mplan_error *err);
/* Those of a set, at most 65,535; 0 when none are known. *ranges (may be NULL): as above. */
MPLAN_API int32_t mplan_mesh_layers(const mplan_mesh *mesh, int32_t set, const int32_t **ranges);
/* Which layers of a set that has layers are there, such as the wet ones of an ocean with cavities in its columns: (layers + 31)
 * / 32 words a member, which are copied; layer k is there where bit k % 32 of word k / 32 is 1 and it is in the member's range.
 * NULL: all are. Layers that are set later have no mask. */
MPLAN_API mplan_status mplan_mesh_set_layer_mask(mplan_mesh *mesh, int32_t set,
                                                 const uint32_t *mask, mplan_error *err);
/* That of a set, with bits 0 beside the ranges; NULL: none. */
MPLAN_API const uint32_t *mplan_mesh_layer_mask(const mplan_mesh *mesh, int32_t set);
/* Gives one set of a map the layers that follow from those of the other. COMMON, for what is visited, such as edges
 * between cells: a row has the layers that all of its points have. SPANNED, for what has room, such as nodes of cells: a
 * point has the layers from the lowest to the highest that a row which leads to it has. Entries of -1 are skipped. Masks follow
 * likewise: COMMON where a layer is there in all points, SPANNED where it is in any row. */
typedef enum mplan_layers_rule {
    MPLAN_LAYERS_COMMON = 0,
    MPLAN_LAYERS_SPANNED = 1,
    MPLAN_N_LAYERS_RULES
} mplan_layers_rule;
MPLAN_API mplan_status mplan_mesh_spread_layers(mplan_mesh *mesh, int32_t map,
                                                mplan_layers_rule rule, mplan_error *err);
/* Dimension of the cells: 1 to 3; 0 when the mesh is tables only, and when its
 * cells have no types: polyhedra, whose file gives them faces. */
MPLAN_API int32_t mplan_mesh_dimension(const mplan_mesh *mesh);
/* The type of every cell; NULL when the dimension is 0. */
MPLAN_API const uint8_t *mplan_mesh_cell_types(const mplan_mesh *mesh);
/* One group id per member of boundary_faces, 0 where no group names the face;
 * NULL until boundary_faces are derived, unless the file brings them. */
MPLAN_API const int64_t *mplan_mesh_boundary_ids(const mplan_mesh *mesh);
/* Name of the set that holds the faces between two cells: the file's own
 * ("edges" in OP2 files) or "faces". "" when the mesh is tables only. */
MPLAN_API const char *mplan_mesh_faces_name(const mplan_mesh *mesh);
/* Name of the format it was read from; "" when built by calls. */
MPLAN_API const char *mplan_mesh_format(const mplan_mesh *mesh);

/* Makes the set or map `name` exist: nothing happens when it does, else it is
 * derived from cells_nodes (faces, boundary_faces, edges and their maps,
 * nodes_cells, cells_cells, cells_faces), or by transposing when `name` is
 * <to>_<from> of an existing map. MPLAN_ERR_ARGUMENT when it cannot be derived,
 * MPLAN_ERR_MESH when the cells are not a valid mesh. Time linear in the cells.
 *
 * faces         exactly two cells; ordered by (first cell, second cell, first
 *               node); faces_cells[0] is the cell of lower index; faces_nodes
 *               runs so that the normal leaves that cell (2-D: to the right of
 *               the direction of travel; 3-D: right-hand rule), in 3-D from its
 *               lowest node on
 * boundary_faces  one cell; ordered by (cell, first node), same orientation
 * edges         all node pairs that are edges of cells, lower node first,
 *               ordered; edges_cells and nodes_cells ragged, ascending
 * cells_faces   in the order of the cell type's local faces, -1 where the
 *               face has no second cell; cells_cells the cells behind them
 *
 * A name that is a group's, or group:NAME where another set has that name, becomes a set of the
 * group's members in ascending order: a part of its parent, the set that the group is of. Its maps
 * <group>_<to> are rows of <parent>_<to> (of an arity where all are equally long), <group>_<parent>
 * leads to the members themselves, and <group>_<map> has rows of another map from the parent;
 * <from>_<group> is the transposed map of <group>_<from>.
 *
 * Transposed maps are ragged and ascending and list an element once, however
 * often it repeats the point. A cell folded onto itself has no face there: two
 * equal faces of one cell cancel. */
MPLAN_API mplan_status mplan_mesh_derive(mplan_mesh *mesh, const char *name,
                                         const mplan_context *context, mplan_error *err);

/* Checks everything that can be checked without deriving: index ranges,
 * coordinates, cells collapsed to nothing (error), repeated nodes in a cell
 * (one warning with their number and the first place). */
MPLAN_API mplan_status mplan_mesh_validate(const mplan_mesh *mesh, const mplan_context *context,
                                           mplan_error *err);

/* Replaces set `set` by its members whose rows of `map` hold no -1, and puts
 * the others into the new set `<set>_boundary`, in unchanged order. All maps
 * from the set are cut in two, those of the new set named
 * <set>_boundary_<to>, without their -1 entries, ragged when rows differ. In
 * maps to the set, entries of members that left become -1. A map of the set to
 * itself is refused (MPLAN_ERR_ARGUMENT), as is a second split of a set. */
MPLAN_API mplan_status mplan_mesh_split(mplan_mesh *mesh, int32_t set, int32_t map, mplan_error *err);
/* Index in the mesh as read of each member of a set that was split; NULL when
 * the set is as read. */
MPLAN_API const int64_t *mplan_mesh_global_ids(const mplan_mesh *mesh, int32_t set);

/* Of a set that was made of a group: size members of the set *parent, ascending. NULL and -1 for other sets. */
MPLAN_API const int32_t *mplan_mesh_parent_index(const mplan_mesh *mesh, int32_t set,
                                                 int32_t *parent);

typedef enum mplan_shape {
    MPLAN_SHAPE_QUAD,
    MPLAN_SHAPE_TRI,
    MPLAN_SHAPE_HEX,
    MPLAN_SHAPE_TET,
    MPLAN_SHAPE_NACA0012,
    MPLAN_SHAPE_BOUNDARY_LAYER, /* an O-grid round a profile of chord 1; with three sizes along a span of 1 */
    MPLAN_SHAPE_WING, /* the same, along a span of 3 that is swept by 30 degrees, to a tip of chord 0.5 */
    MPLAN_SHAPE_SPHERE,      /* round a sphere of radius 1, whose surface is that of a cube */
    MPLAN_SHAPE_CUBED_SPHERE /* that surface: six panels of N x N quads */
} mplan_shape;

/* Cells of boundary-layer, wing and sphere. */
typedef enum mplan_layer_cells {
    MPLAN_LAYER_CELLS_AUTO,  /* quad in the plane, hex in space */
    MPLAN_LAYER_CELLS_QUAD,  /* in the plane */
    MPLAN_LAYER_CELLS_TRI,   /* in the plane: each quad in 2 */
    MPLAN_LAYER_CELLS_HEX,   /* in space */
    MPLAN_LAYER_CELLS_PRISM, /* in space: each hex in 2, with triangles towards the wall */
    MPLAN_LAYER_CELLS_TET,   /* in space: each prism in 3 */
    MPLAN_LAYER_CELLS_HYBRID /* quads or prisms in the lower half of the rows, triangles or tets above */
} mplan_layer_cells;

typedef struct mplan_generate_options {
    size_t struct_size;
    mplan_shape shape;
    int64_t size[3]; /* cells per direction (naca0012: 3I x J; boundary-layer and wing: around,
                          rows outwards, along the span, 0 for a boundary-layer in the plane;
                          sphere: along an edge of the cube, rows; cubed-sphere: the first only); tri and tet
                          cut each quad in 2 (along its shorter diagonal), each
                          hex in 6 */
    double jitter; /* inner nodes move by up to this share of a spacing; 0 for meshes round a body */
    bool shuffle;  /* number cells and nodes at random */
    uint64_t seed;     /* of jitter and shuffle */
    double stretch[3]; /* coordinates are multiplied by it; 0: 1. Sets, maps and numbering stay */
    /* of boundary-layer, wing and sphere; 0 elsewhere */
    mplan_layer_cells cells;
    double first_height; /* of the row at the wall, in chords or radii, in [1e-12, 1000]; 0: 1e-5 */
    double growth; /* each row is as many times as high as the one before, in [1, 10]; 0: such that
                            the last row ends 20 chords or radii away, but at most 2 */
} mplan_generate_options;
#define MPLAN_GENERATE_OPTIONS_INIT                                                          \
    {                                                                                        \
        sizeof(mplan_generate_options), MPLAN_SHAPE_QUAD, {0, 0, 0}, 0, false, 1, {0, 0, 0}, \
            MPLAN_LAYER_CELLS_AUTO, 0, 0                                                     \
    }

/* A regular mesh of the unit square or cube (naca0012: REFERENCE grid of OP2's
 * airfoil). Node i + (nx+1) j + (nx+1)(ny+1) k, cells likewise. Meshes round a body have
 * their nodes and cells layer by layer from the wall, and groups wall, farfield and, along
 * a span, root and tip. */
MPLAN_API mplan_status mplan_mesh_generate(const mplan_generate_options *options,
                                           const mplan_context *context, mplan_mesh **mesh,
                                           mplan_error *err);

/* Splits every triangle and quad in 4, every tet, prism and hex in 8, every pyramid in 6
 * pyramids and 4 tets, `times` times; nodes of the old mesh keep their ids, groups carry
 * over. First-order cells only (MPLAN_ERR_UNSUPPORTED).
 * Sets of faces or edges that the mesh brings are left out, with a warning each, where every
 * member is one by its nodes: the refined mesh derives its own, and groups of faces are
 * carried over. Sets whose maps join cells that do not share the nodes (at the cut of
 * naca0012, in periodic meshes) and sets without a map to nodes: MPLAN_ERR_UNSUPPORTED, which
 * names the first such member and its cells. */
MPLAN_API mplan_status mplan_mesh_refine(const mplan_mesh *mesh, int32_t times,
                                         const mplan_context *context, mplan_mesh **refined,
                                         mplan_error *err);

/* --- files of meshes and tables ------------------------------------------- */

/* How the numbers of a mapping table are to be read. */
typedef struct mplan_table_options {
    size_t struct_size;
    const char *name; /* of the map; NULL: from the file name */
    const char *from; /* sets; NULL: from the map's name, <from>_<to> */
    const char *to;
    int64_t from_size; /* -1: inferred */
    int64_t to_size;
    int64_t base;  /* number of the first member, 0 or 1 */
    bool has_none; /* `none` is the number that means none (as in the file); default -1 */
    int64_t none;
    bool none_below_base; /* every number below base means none */
    bool transposed;      /* file has a row per slot instead of a row per element */
} mplan_table_options;
#define MPLAN_TABLE_OPTIONS_INIT                                                         \
    {                                                                                    \
        sizeof(mplan_table_options), NULL, NULL, NULL, -1, -1, 0, true, -1, false, false \
    }

typedef struct mplan_read_options {
    size_t struct_size;
    const char *format; /* NULL: by content, then by name */
    const char *zone; /* which mesh of a file with several (SU2 and CGNS zones, UGRID meshes, OpenFOAM
                         regions); NULL: the only one,
                           of SU2 and CGNS files all ("all" without a notice), of UGRID files the first */
    const mplan_table_options *table; /* of formats that hold one table; NULL: defaults */
    const char *group_array; /* of VTK's files: data of cells whose whole numbers are groups; NULL: by name */
} mplan_read_options;
#define MPLAN_READ_OPTIONS_INIT                            \
    {                                                      \
        sizeof(mplan_read_options), NULL, NULL, NULL, NULL \
    }

/* Reads and validates a mesh or a table of any format; path "-" is standard
 * input; gzip is recognised; folders are read where they are OpenFOAM's. A table becomes
 * a mesh of two sets and a map, a graph the sets nodes and edges and the map edges_nodes. */
MPLAN_API mplan_status mplan_mesh_read(const char *path, const mplan_read_options *options,
                                       const mplan_context *context, mplan_mesh **mesh,
                                       mplan_error *err);
/* Adds the table in a file to a mesh; its sets are made when they are new,
 * and when they exist the table must fit them. */
MPLAN_API mplan_status mplan_mesh_read_table(mplan_mesh *mesh, const char *path,
                                             const mplan_table_options *options,
                                             const mplan_context *context, mplan_error *err);
/* Reads coordinates (.npy or text, 2 or 3 numbers a member) for a set. */
MPLAN_API mplan_status mplan_mesh_read_coordinates(mplan_mesh *mesh, const char *path, int32_t set,
                                                   const mplan_context *context, mplan_error *err);
/* Reads layers of the columns over a set (.npy or text, a row a member): how many, from layer 0 on, or the first layer
 * and the one behind the last. layers: of the highest column; 0: as many as a member has at most. */
MPLAN_API mplan_status mplan_mesh_read_layers(mplan_mesh *mesh, const char *path, int32_t set,
                                              int32_t layers, const mplan_context *context,
                                              mplan_error *err);
/* Reads which layers of a set are there (.npy or text, a row a member with a number for each layer): 1, or 0 where one is not.
 * The set has its layers already. */
MPLAN_API mplan_status mplan_mesh_read_layer_mask(mplan_mesh *mesh, const char *path, int32_t set,
                                                  const mplan_context *context, mplan_error *err);
/* Writes a mesh. format NULL: by the name's ending (.msh Gmsh 4.1 binary, .su2, .dat
 * OP2, .vtu VTK, .graph and .mesh METIS, .npz and .h5 (OP2) all tables, .npy, .txt and .csv
 * the map `what`). what: NULL, or the map a table format writes. */
MPLAN_API mplan_status mplan_mesh_write(const mplan_mesh *mesh, const char *path,
                                        const char *format, const char *what,
                                        const mplan_context *context, mplan_error *err);

typedef struct mplan_format_info {
    const char *name;        /* "gmsh" */
    const char *description; /* "Gmsh 2.2, 4.0, 4.1; text and binary" */
    const char *extensions;  /* ".msh", blank-separated */
    bool reads, writes;
    const char *missing; /* NULL, or the library this build lacks for it */
} mplan_format_info;
/* Format i of this build; MPLAN_ERR_ARGUMENT past the last. */
MPLAN_API mplan_status mplan_format(int32_t i, mplan_format_info *info);

/* --- dats in npy files ------------------------------------------------------ */

typedef enum mplan_type {
    MPLAN_TYPE_U8 = 1,
    MPLAN_TYPE_U16 = 2,
    MPLAN_TYPE_I32 = 3,
    MPLAN_TYPE_I64 = 4,
    MPLAN_TYPE_F32 = 5,
    MPLAN_TYPE_F64 = 6
} mplan_type;

/* Bytes of one number; 0 for no type. "u8", ..., "f64"; NULL for no type. */
MPLAN_API size_t mplan_type_size(mplan_type type);
MPLAN_API const char *mplan_type_name(mplan_type type);

/* --- outputs -----------------------------------------------------------------
 *
 * One writer makes every file that a function of this library writes, and one rule holds for all of them:
 * - A file appears whole, synced to the disk and with its own name, or not at all; a folder likewise. What was
 *   there stays as it was until then, and after a failure or an interruption. A process that is killed leaves the
 *   old or the new one, and at most a file or folder ".meshplan-<32 hexadecimal digits>.tmp" beside it,
 *   which the next output in that folder removes when it is ten minutes old and nobody writes it.
 * - "-" is standard output, and what is there and is a device or a pipe is written in place, as it goes.
 * - A symbolic link is followed, also one that leads to nothing yet: it stays a link, and the file is made in the
 *   folder that it leads to. A link of another user in a sticky folder that all may write, such as /tmp, is refused.
 * - A file or folder that is there and that the caller may not write, or that nobody may (mode 0444), is refused.
 *   One that is replaced keeps its mode, and its owner and group where the caller may give them; hard links to it,
 *   ACLs and extended attributes do not go along.
 * MPLAN_ERR_CREATE: the output cannot be made, refused included. MPLAN_ERR_IO: writing, syncing or closing failed,
 * as on a full disk. Both leave what was there. */

/* Writes size bytes as the file path. context may be NULL. */
MPLAN_API mplan_status mplan_file_write(const char *path, const void *data, size_t size,
                                        const mplan_context *context, mplan_error *err);

/* Writes rows x cols numbers (cols 0: a list of rows numbers) as a npy file. */
MPLAN_API mplan_status mplan_npy_write(const char *path, mplan_type type, int64_t rows,
                                       int64_t cols, const void *data, const mplan_context *context,
                                       mplan_error *err);

/* --- what is asked of a plan ------------------------------------------------- */

typedef enum mplan_access {
    MPLAN_READ = 0,
    MPLAN_WRITE = 1,
    MPLAN_RW = 2,
    MPLAN_INC = 3,
    MPLAN_INC_MIN = 4, /* min: the dat becomes the least of itself and what elements bring, */
    MPLAN_INC_MAX = 5  /* max: or the greatest; increments that are compared instead of added */
} mplan_access;

/* What an arg does with -1 entries of its map. */
typedef enum mplan_none {
    MPLAN_NONE_REFUSE = 0, /* planning fails, the row is named */
    MPLAN_NONE_SKIP = 1,   /* the slot is neither read nor incremented */
    MPLAN_NONE_SPLIT = 2   /* such elements become the set <set>_boundary */
} mplan_none;

/* In the place of a map: the dat is a global, a few numbers that belong to no set. Loops read it, or
 * sum into it (inc), or keep the least or greatest of all elements in it (min, max). */
#define MPLAN_GLOBAL "(global)"
/* And in the place of the number of a map. */
#define MPLAN_MAP_GLOBAL (-2)

typedef struct mplan_arg {
    const char *dat; /* name of the data */
    const char *map; /* NULL: accessed directly; MPLAN_GLOBAL */
    mplan_access access;
    int32_t dim; /* numbers per member, >= 1 */
    mplan_type type;
    mplan_none none;
} mplan_arg;

typedef struct mplan_loop {
    const char *name;
    const char *over; /* the from-set */
    bool primary;     /* its blocks decide the order of the sets */
    int64_t calls;    /* per time step, >= 1; weighs the loops */
    int64_t flops;    /* per element; 0: unknown */
    int32_t n_args;
    const mplan_arg *args;
} mplan_loop;

/* --- layers: a column of layers over each member of a set (meshplan-layers(7)) --- */

/* What a function of a loop gets. */
typedef enum mplan_layered {
    MPLAN_LAYERING_NONE = 0,    /* an element */
    MPLAN_LAYERING_LAYERS = 1,  /* one layer of an element */
    MPLAN_LAYERING_COLUMNS = 2, /* an element with all its layers */
    MPLAN_N_LAYERINGS
} mplan_layered;
/* "none", "layers", "columns"; NULL past the last */
MPLAN_API const char *mplan_layered_name(mplan_layered value);

/* How a dat with levels is stored. */
typedef enum mplan_columns {
    MPLAN_COLUMNS_LAYERS = 0, /* the levels of a column one behind the other */
    MPLAN_COLUMNS_POINTS = 1, /* the columns of a level one behind the other */
    MPLAN_COLUMNS_OWNER = 2,  /* matrices: by the rows of owner-gather that read them */
    MPLAN_N_COLUMNS
} mplan_columns;
/* "layers", "points", "owner"; NULL past the last */
MPLAN_API const char *mplan_columns_name(mplan_columns value);
MPLAN_API bool mplan_columns_from(const char *word, mplan_columns *value);

#define MPLAN_MAX_SLOTS 32
#define MPLAN_MAX_LAYERS 65535

/* Slot of a view: level offset + stride * layer of the point in slot `of` of the map (direct: 0). In requests
 * MPLAN_EVERY_SLOT stands for all slots of the map, in their order, with this offset. */
#define MPLAN_EVERY_SLOT (-1)
typedef struct mplan_slot {
    int32_t of, offset;
} mplan_slot;

/* What an arg of a loop with layers does with the levels of its dat. */
typedef struct mplan_arg_layers {
    int32_t levels; /* of each column; 0: the dat has none, and only the rest being 0 is legal */
    int32_t stride; /* levels from layer to layer, at least 1 */
    int32_t rows;   /* a matrix: component c belongs to row c mod rows, and row r is only read to
                        compute slot r of what the loop increments through its map; 0: no matrix */
    mplan_columns columns;
    int32_t n_slots; /* 1 to MPLAN_MAX_SLOTS */
    mplan_slot slots[MPLAN_MAX_SLOTS];
} mplan_arg_layers;

/* The layers of a request, beside its loops; loops and args by their numbers. */
typedef struct mplan_layered_set {
    const char *name;
    int32_t layers;        /* 1 to MPLAN_MAX_LAYERS, of every member, */
    const int32_t *ranges; /* or of member m only layers ranges[2 * m] to ranges[2 * m + 1] - 1,
                              perhaps none; NULL: all */
    const uint32_t *mask; /* and of these only the layers whose bit is 1 (mplan_mesh_set_layer_mask); NULL: all */
} mplan_layered_set;
typedef struct mplan_layered_loop {
    int32_t loop;
    mplan_layered layering;
} mplan_layered_loop;
typedef struct mplan_layered_arg {
    int32_t loop, arg;
    mplan_arg_layers layers;
} mplan_layered_arg;
typedef struct mplan_layers {
    int32_t n_sets, n_loops, n_args;
    const mplan_layered_set *sets;
    const mplan_layered_loop *loops;
    const mplan_layered_arg *args; /* those that are not listed have no levels */
} mplan_layers;

typedef enum mplan_strategy {
    MPLAN_STRATEGY_GLOBAL_COLOUR = 0,
    MPLAN_STRATEGY_BLOCK_COLOUR = 1,
    MPLAN_STRATEGY_TWO_STEP = 2,
    MPLAN_STRATEGY_ATOMIC = 3,
    MPLAN_STRATEGY_BLOCK_GATHER = 4, /* a record per block, sums by point in shared memory */
    MPLAN_STRATEGY_OWNER_GATHER = 5, /* one thread per point recomputes its elements */
    MPLAN_N_STRATEGIES
} mplan_strategy;

/* Plans have room for the cost model's view of so many strategies, the first ones. */
enum { MPLAN_N_PREDICTED = 6 };

/* What a strategy is made of (mplan_strategy_traits). */
typedef enum mplan_trait {
    MPLAN_TRAIT_BLOCKS = 1,         /* thread blocks run the blocks of a block set */
    MPLAN_TRAIT_GLOBAL_COLOURS = 2, /* a launch for each colour of elements */
    MPLAN_TRAIT_THREAD_COLOURS = 4, /* blocks stage points, and add to them thread colour by thread
                                       colour; a launch for each colour of blocks */
    MPLAN_TRAIT_SLOT_LISTS = 8,     /* results of slots are kept, then gathered by point */
    MPLAN_TRAIT_ATOMIC = 16,        /* atomic adds: equal bits only where nothing is added */
    MPLAN_TRAIT_RECORDS = 32, /* packed records of blocks; variants say how they sum (mplan_sums) */
    MPLAN_TRAIT_OWNERS = 64   /* points recompute their elements; variants have an encoding */
} mplan_trait;

/* How block-gather adds what several blocks have for one point. */
typedef enum mplan_sums {
    MPLAN_SUMS_PARTIAL = 0, /* per-block partial sums, a second pass in fixed order */
    MPLAN_SUMS_ATOMIC = 1,  /* atomic adds: not deterministic */
    MPLAN_SUMS_COLOUR = 2,  /* a launch per block colour */
    MPLAN_N_SUMS
} mplan_sums;

/* How owner-gather writes down the elements of a point. */
typedef enum mplan_encoding {
    MPLAN_ENCODING_NONE = 0,    /* variants of other strategies; asked for: the cheapest */
    MPLAN_ENCODING_INDEX32 = 1, /* element and column in 32 bits */
    MPLAN_ENCODING_INDEX16 = 2, /* differences to a base in 16 bits, with escapes */
    MPLAN_ENCODING_PAIR32 = 3,  /* neighbour, rank and side in 32 bits, and row starts */
    MPLAN_ENCODING_WINDOWS16 = 4, /* all that an entry leads to, 16 bits each, in windows of a slice */
    MPLAN_N_ENCODINGS
} mplan_encoding;

/* In which order the increments of a point are added, by strategies that keep a row of them for
 * each point (owner-gather, two-step). */
typedef enum mplan_sums_order {
    MPLAN_SUMS_ORDER_AUTO = -1,  /* request only: the planner chooses */
    MPLAN_SUMS_ORDER_STORED = 0, /* by stored element, then column */
    MPLAN_SUMS_ORDER_COLUMN = 1, /* by column, then stored element */
    MPLAN_SUMS_ORDER_MESH = 2,   /* by the mesh's own number of the element, then column: equal bits
                                  * whatever the plan */
    MPLAN_N_SUMS_ORDERS
} mplan_sums_order;

/* How the numbers of a dat's members are in memory. */
typedef enum mplan_layout {
    MPLAN_LAYOUT_AOS = 0, /* member by member */
    MPLAN_LAYOUT_SOA = 1, /* component by component, storage_size numbers each */
    MPLAN_N_LAYOUTS
} mplan_layout;

typedef enum mplan_partitioner {
    MPLAN_PARTITIONER_AUTO = -1, /* request only: native for block-colour and, but for
                                    * exceptions (meshplan-plan(1)), block-gather; else none */
    MPLAN_PARTITIONER_NONE = 0,  /* runs of the renumbered order */
    MPLAN_PARTITIONER_METIS = 1,
    MPLAN_PARTITIONER_SCOTCH = 2,
    MPLAN_PARTITIONER_HILBERT = 3, /* runs along a Hilbert curve */
    MPLAN_PARTITIONER_NATIVE = 4,  /* meshplan's own */
    MPLAN_N_PARTITIONERS
} mplan_partitioner;

/* How long the native partitioner looks for better blocks. */
typedef enum mplan_effort {
    MPLAN_EFFORT_DEFAULT = 0,
    MPLAN_EFFORT_FAST = 1,
    MPLAN_EFFORT_BEST = 2,
    MPLAN_N_EFFORTS
} mplan_effort;

typedef enum mplan_renumber {
    MPLAN_RENUMBER_AUTO = 0, /* hilbert where coordinates follow the mesh, else agglomerate */
    MPLAN_RENUMBER_NONE = 1,
    MPLAN_RENUMBER_GPS = 2,
    MPLAN_RENUMBER_RCM = 3,
    MPLAN_RENUMBER_HILBERT = 4,
    MPLAN_RENUMBER_SCOTCH_GPS = 5, /* Gibbs-Poole-Stockmeyer as SCOTCH has it */
    MPLAN_RENUMBER_SLOAN = 6,
    MPLAN_RENUMBER_AGGLOMERATE = 7, /* a hierarchy of clusters: needs no coordinates */
    MPLAN_N_RENUMBERS
} mplan_renumber;

typedef enum mplan_graph {
    MPLAN_GRAPH_AUTO = 0,   /* faces for loops over cells, else points */
    MPLAN_GRAPH_POINTS = 1, /* elements that share a point */
    MPLAN_GRAPH_FACES = 2,  /* cells that share a face */
    MPLAN_N_GRAPHS
} mplan_graph;

typedef enum mplan_point_order {
    MPLAN_POINTS_AUTO = -1,         /* lines for block-colour, else renumbered */
    MPLAN_POINTS_LEXICOGRAPHIC = 0, /* by the list of blocks that touch them */
    MPLAN_POINTS_COUNT = 1,         /* by the length of that list, then the list */
    MPLAN_POINTS_RENUMBERED = 2,    /* as renumbered */
    MPLAN_POINTS_LINES = 3,         /* packed into lines of four that few blocks touch */
    MPLAN_POINTS_PADDED = 4, /* the same with holes, in sets that no loop and no map leaves */
    MPLAN_N_POINT_ORDERS
} mplan_point_order;

/* The words of the command line for these values, and back. Names: NULL past
 * the last; _from: false for an unknown word. */
MPLAN_API const char *mplan_access_name(mplan_access value);
MPLAN_API const char *mplan_none_name(mplan_none value);
MPLAN_API const char *mplan_strategy_name(mplan_strategy value);
/* The mplan_trait bits of a strategy; 0 for no strategy. */
MPLAN_API uint32_t mplan_strategy_traits(mplan_strategy value);
/* What mplan_plan_verify proves of the variants of a strategy, in a sentence; NULL: nothing of its own. */
MPLAN_API const char *mplan_strategy_proof(mplan_strategy value);
MPLAN_API const char *mplan_sums_name(mplan_sums value);
MPLAN_API const char *mplan_encoding_name(mplan_encoding value);
MPLAN_API const char *mplan_sums_order_name(mplan_sums_order value);
MPLAN_API const char *mplan_layout_name(mplan_layout value);
MPLAN_API const char *mplan_partitioner_name(mplan_partitioner value);
MPLAN_API const char *mplan_effort_name(mplan_effort value);
MPLAN_API const char *mplan_renumber_name(mplan_renumber value);
MPLAN_API const char *mplan_graph_name(mplan_graph value);
MPLAN_API const char *mplan_point_order_name(mplan_point_order value);
MPLAN_API bool mplan_type_from(const char *word, mplan_type *value);
MPLAN_API bool mplan_access_from(const char *word, mplan_access *value);
MPLAN_API bool mplan_none_from(const char *word, mplan_none *value);
MPLAN_API bool mplan_strategy_from(const char *word, mplan_strategy *value);
MPLAN_API bool mplan_sums_from(const char *word, mplan_sums *value);
MPLAN_API bool mplan_encoding_from(const char *word, mplan_encoding *value);
MPLAN_API bool mplan_sums_order_from(const char *word, mplan_sums_order *value);
MPLAN_API bool mplan_layout_from(const char *word, mplan_layout *value);
MPLAN_API bool mplan_partitioner_from(const char *word, mplan_partitioner *value);
MPLAN_API bool mplan_effort_from(const char *word, mplan_effort *value);
MPLAN_API bool mplan_renumber_from(const char *word, mplan_renumber *value);
MPLAN_API bool mplan_graph_from(const char *word, mplan_graph *value);
MPLAN_API bool mplan_point_order_from(const char *word, mplan_point_order *value);

#define MPLAN_MAX_STRATEGIES 16

typedef struct mplan_plan_options {
    size_t struct_size;
    int32_t block_size;   /* the block limit S, 1..1024; 0: 256, or by the cost model */
    int32_t max_points;   /* points of one set that a block may touch; 0: 65535 */
    int64_t shared_bytes; /* that a block stages; 0: from the device */
    int32_t n_strategies; /* one variant each, the first is the default; 0: one per loop,
                              chosen by the cost model (meshplan-plan(1)) */
    mplan_strategy strategies[MPLAN_MAX_STRATEGIES];
    bool allow_nondeterministic; /* the cost model may choose sums without a fixed order */
    mplan_sums sums;             /* of block-gather, when strategies are named */
    mplan_encoding encoding;     /* of owner-gather; NONE: the cheapest */
    int32_t block_threads;       /* threads of a thread block, a multiple of 32; 0: chosen */
    mplan_partitioner partitioner;
    double imbalance;    /* L >= 1: largest block / mean (metis, scotch) */
    mplan_effort effort; /* of native */
    double fill;         /* share of S that native fills blocks to, above 0, at most 1; with
                              0.99 and more it makes at most max(1, 1%) more blocks than n / S,
                              3% where n < 200 S, which with more than 0.995 it does not */
    mplan_graph graph;
    mplan_renumber renumber;
    bool keep_better; /* keep the input order where renumbering is worse */
    mplan_point_order point_order;
    const char *device; /* profile (mplan_device_get), or a file of one whose name ends with .yaml */
    uint64_t seed;
    mplan_sums_order sums_order; /* of owner-gather and two-step; MESH: no other strategy may add */
    int32_t n_step; /* entries of the step that is repeated, at most MPLAN_STEP_MOST; 0: not stated */
    const int32_t *step;        /* per entry the number of its loop, which may come several times */
    const mplan_layers *layers; /* NULL: none */
    /* of entries of the step: the arg of its loop whose dat is set to zero before the entry runs
     * (mplan_exec_clear), -1: none; n_step numbers. NULL: of none */
    const int32_t *step_clears;
    int32_t layouts; /* of all dats: 0: for each the one that suits its uses; 1 + a mplan_layout: that one */
    int32_t slice_rows;      /* of owner-gather: rows of a slice, 32 or 64; 0: 32 */
    int64_t device_memory;   /* bytes that the step may use on the device: the plan has slabs and a
                                schedule (MPLAN_KIND_SCHEDULE), and the step must be stated; 0: no limit */
    int32_t steps_per_visit; /* of every slab; 0: chosen */
    int32_t segments;        /* that the slabs are taken in; 0: chosen */
    int32_t elements_per_thread; /* of global-colour and atomic, 1..64; 0: 1 */
    int32_t bound_blocks; /* launch bounds of block-gather and owner-gather: thread blocks that a multiprocessor
                             is to hold, 1..32; 0: by what each kernel needs */
    int32_t entry_layout; /* of windows16 with rows of one width: 0: the fields of a row side by side, 1: those of an
                             entry */
    int32_t rings; /* of parts: rings of members around each that it computes as well, so that halos travel less often,
                      1..16; 0: none */
    /* of entries of the step: 1: the globals that the entry changes get their new values late, when the visit ends (mplan_exec_steps),
     * so that a visit may have several steps; 0: at once. n_step numbers; NULL: 0 of all */
    const int32_t *step_lags;
    int32_t block_round; /* of block-gather: elements of a block whose increments are added before those of the next ones, a
                            multiple of 32 up to 1024; blocks that are not larger have one round. 0: left open */
    int32_t slab_levels; /* with device_memory: breadth-first levels that are ordered together, 1..64: more make rounder blocks, and fewer
                            slabs; 0: by the number of levels */
    int32_t launch_streams; /* with device_memory: streams of launches that the model of a visit counts, 1 or 2; 0: 2, which executors take
                               unless told otherwise (mplan_exec_options) */
} mplan_plan_options;
#define MPLAN_RINGS_MOST 16
#define MPLAN_STEP_MOST 4096
#define MPLAN_PLAN_OPTIONS_INIT                                                                   \
    {                                                                                             \
        sizeof(mplan_plan_options), 0, 0, 0, 0, {MPLAN_STRATEGY_BLOCK_COLOUR}, false,             \
            MPLAN_SUMS_PARTIAL, MPLAN_ENCODING_NONE, 0, MPLAN_PARTITIONER_AUTO, 1.03,             \
            MPLAN_EFFORT_DEFAULT, 0.991, MPLAN_GRAPH_AUTO, MPLAN_RENUMBER_AUTO, true,             \
            MPLAN_POINTS_AUTO, "h200", 1, MPLAN_SUMS_ORDER_AUTO, 0, NULL, NULL, NULL, 0, 0, 0, 0, \
            0, 0, 0, 0, 0, NULL, 0, 0, 0                                                          \
    }

/* --- planning options as texts ---------------------------------------------------- */

/* What a member of mplan_plan_options is. */
typedef enum mplan_option_kind {
    MPLAN_OPTION_I32 = 1,
    MPLAN_OPTION_I64 = 2,
    MPLAN_OPTION_U64 = 3,
    MPLAN_OPTION_REAL = 4,      /* double */
    MPLAN_OPTION_BOOL = 5,      /* word 0 is false, word 1 true */
    MPLAN_OPTION_WORD = 6,      /* an enumeration */
    MPLAN_OPTION_NAME = 7,      /* const char *, one of the words */
    MPLAN_OPTION_STRATEGIES = 8 /* n_strategies, with strategies behind it */
} mplan_option_kind;

/* A planning option: the row of one table that the command line, the job file and the
 * request of a plan share. */
typedef struct mplan_plan_option {
    const char *name; /* on a command line, behind "--" */
    const char *old;  /* an older name, which is still read; NULL: none */
    const char *key;  /* in a job file and in the request of a plan */
    mplan_option_kind kind;
    size_t offset;                  /* of its member in mplan_plan_options */
    int64_t least, most;            /* range of numbers */
    int32_t multiple;               /* numbers are multiples of this; 0: any */
    bool above;                     /* numbers are above least, not equal to it */
    bool open;                      /* 0 is in the range, too, and leaves a choice to the planner */
    int32_t first;                  /* value of word 0 of an enumeration */
    const char *(*word)(int32_t i); /* word i, NULL past the last; NULL for numbers */
    const char *argument;  /* what the help calls the value; NULL: a flag, given without one */
    const char *help;      /* what it decides: no capital letter, no full stop */
    const char *otherwise; /* what its default leads to; NULL: the default says it */
    bool bytes; /* a number of bytes, which may end with K, M, G or T: times 1024, 1024^2, ... */
    bool later; /* the request has it only where it is not the default: an option
                              that came after version 1.1 of the plan format */
} mplan_plan_option;

/* Option i in the order of a request; NULL past the last. */
MPLAN_API const mplan_plan_option *mplan_plan_option_get(int32_t i);

/* Reads the value of an option.
 *
 * subject  how errors name the option ("--block-size")
 * text     the value; strategies are between commas
 * member   out, of the option's kind: in a mplan_plan_options at option->offset, or, except
 *          for strategies, the member of the same name of other options
 *
 * MPLAN_ERR_ARGUMENT with a sentence that says what the value must be; the member is then
 * undefined. */
MPLAN_API mplan_status mplan_plan_option_read(const mplan_plan_option *option, const char *subject,
                                              const char *text, void *member, mplan_error *err);

/* Writes a value as the request of a plan has it (strategies between blanks) to text, `size`
 * bytes, ended by 0. Returns the length of the whole, as snprintf does; 512 bytes are enough. */
MPLAN_API size_t mplan_plan_option_write(const mplan_plan_option *option, const void *member,
                                         char *text, size_t size);

/* --- meshes in a new order ------------------------------------------------------ */

typedef struct mplan_orders_options {
    size_t struct_size;
    const char *set; /* to renumber; NULL: nodes, or without them what the first map leads to */
    mplan_renumber renumber;
    bool keep_better; /* keep the input order where the new profile is not smaller */
} mplan_orders_options;
#define MPLAN_ORDERS_OPTIONS_INIT                                    \
    {                                                                \
        sizeof(mplan_orders_options), NULL, MPLAN_RENUMBER_GPS, true \
    }

/* An order for every set of a mesh. */
typedef struct mplan_orders {
    int32_t set;                      /* that was renumbered; the others follow it */
    mplan_renumber renumber;          /* how; never AUTO */
    bool kept;                        /* the input order was kept as the better one */
    int64_t bandwidth[2], profile[2]; /* of that set: in the input, as ordered */
    int32_t n_sets;
    int32_t **new_of_old; /* per set a permutation; NULL for sets that were derived */
} mplan_orders;

/* Renumbers a set and sorts all others after it: sets that a map leads from are
 * lexicographic by their points, the rest follows by first touch. Two members are
 * neighbours when a row of any map from another set names both; without such maps
 * when a map of the set to itself joins them; cells that no map names, when they
 * share a facet. MPLAN_ERR_ARGUMENT when nothing says what is a neighbour, or hilbert
 * has no coordinates. Linear time but for the method (rcm, gps, sloan). */
MPLAN_API mplan_status mplan_mesh_orders(const mplan_mesh *mesh, const mplan_orders_options *options,
                                         const mplan_context *context, mplan_orders **orders,
                                         mplan_error *err);
MPLAN_API void mplan_orders_free(mplan_orders *orders);

/* The mesh with the members of every set in the order of orders->new_of_old (NULL:
 * as they are); only n_sets and new_of_old are read. Coordinates, types, groups, facets
 * and global ids go along; the entries of a row keep their order. What was derived
 * is left out, groups of derived faces become facets by their corners.
 * MPLAN_ERR_ARGUMENT for what is not a permutation. Linear time. */
MPLAN_API mplan_status mplan_mesh_reorder(const mplan_mesh *mesh, const mplan_orders *orders,
                                          const mplan_context *context, mplan_mesh **reordered,
                                          mplan_error *err);

/* --- meshes in parts ------------------------------------------------------------ */

/* The files that arrays of a caller were read from; NULL: none. An error in such an array then begins with the name, and is
 * MPLAN_ERR_MESH in place of MPLAN_ERR_ARGUMENT. */
typedef struct mplan_array_files {
    const char *weights, *edge_weights, *shares, *together, *part;
} mplan_array_files;

typedef struct mplan_partition_options {
    size_t struct_size;
    const char *over; /* set to cut; NULL: cells, the nodes of a graph, or what the first map leads from */
    int32_t n_maps; /* by whose points elements are neighbours, all from that set, or one */
    const char *const *maps; /* map to it; 0: cells_nodes, <over>_cells, or the first of either kind */
    int64_t n_parts;         /* so many parts; 0: by block_size */
    int32_t block_size;      /* most elements of a part, 1..1024: a hard limit; 0: by n_parts */
    mplan_partitioner partitioner; /* AUTO: metis for n_parts, native for block_size */
    mplan_graph graph;             /* AUTO: faces for cells, else points */
    double imbalance;              /* L >= 1: largest part / mean, for n_parts, metis and scotch */
    mplan_effort effort;           /* of native by block_size, */
    double fill;                   /* as of mplan_plan_options */
    uint64_t seed;                 /* of METIS or SCOTCH; gpmetis begins with 4321 */
    /* For n_parts, of METIS; SCOTCH and native take one column of weights, and weights of edges. 0 and NULL: not asked for. */
    const char *weights_of;      /* the set that the weights are of; NULL: whatever is cut */
    int32_t n_weights;           /* columns, each of which the parts balance: METIS's constraints */
    int64_t n_weight_rows;       /* must be the number of elements */
    const int64_t *weights;      /* rows of n_weights numbers, 0 or more */
    int64_t n_edge_weights;      /* of the rows of the map to the set, or of faces_cells */
    const int64_t *edge_weights; /* 1 to 2^31 - 1; edges that several rows make have their sum */
    int64_t n_shares;            /* n_parts */
    const double *shares;        /* what each part is due of the whole; only their ratios count */
    bool recursive;              /* bisection in place of k-way */
    bool volume;                 /* least communication volume in place of edge cut */
    bool contiguous;             /* parts in one piece, if the graph is; else a warning */
    bool few_links;              /* parts of few neighbouring parts */
    int32_t iterations,
        cuts;       /* of refinement, and partitions of which the best is taken; 0: 10 and 1 */
    int32_t common; /* points that elements must share to be neighbours, of one map; 0: 1 (mpmetis) */
    int64_t n_sizes;      /* the number of elements; 0: each counts as 1 */
    const int64_t *sizes; /* of elements in the communication volume, 0 or more; only with volume */
    /* What stays in one part, for n_parts of native, METIS and SCOTCH. One column: the number of each element's group, below that
     * of elements, -1: none. More: the elements of each row stay together, -1: skipped. n_together 0: nothing does. */
    int64_t n_together; /* rows */
    int32_t together_columns;
    const int64_t *together; /* rows of together_columns numbers */
    mplan_array_files files;
} mplan_partition_options;
#define MPLAN_PARTITION_OPTIONS_INIT                                                              \
    {                                                                                             \
        sizeof(mplan_partition_options), NULL, 0, NULL, 0, 0, MPLAN_PARTITIONER_AUTO,             \
            MPLAN_GRAPH_AUTO, 1.03, MPLAN_EFFORT_DEFAULT, 0.991, 4321, NULL, 0, 0, NULL, 0, NULL, \
            0, NULL, false, false, false, false, 0, 0, 0, 0, NULL, 0, 0, NULL,                    \
        {                                                                                         \
            NULL, NULL, NULL, NULL, NULL                                                          \
        }                                                                                         \
    }

typedef struct mplan_partition {
    int32_t set; /* that was cut */
    int64_t n_elements, n_parts;
    int32_t *part;                 /* n_elements entries in [0, n_parts) */
    mplan_partitioner partitioner; /* never AUTO */
    mplan_graph graph;       /* the one that was cut or, for native, hilbert and none, measured */
    int64_t edges, edge_cut; /* of that graph */
    int64_t volume;          /* sum over elements of the other parts among their neighbours */
    int64_t size_min, size_max;
    int64_t entries, pairs, shared_points; /* of the maps: entries >= 0, distinct (part, point),
                             points of more than one part; 0 for maps of a set to itself */
    int64_t moved;    /* elements that left their part so that limits hold and none is empty */
    double imbalance; /* largest part / what it is due: the mean part, or by shares */
    int32_t n_weights;
    double *weight_imbalance; /* likewise by each column of weights; NULL: none */
} mplan_partition;

/* Cuts a set into n_parts parts (numbered as the partitioner does) or into parts of at
 * most block_size elements (numbered by their first element). A map of the set to itself
 * is its graph, and the rows of a map to it name neighbours. Derives in the mesh what the options name. Equal meshes and options
 * give equal parts. MPLAN_ERR_UNSUPPORTED without METIS or SCOTCH. Parts are empty only where there are more of them than elements, or
 * than groups that stay together; a warning tells how many. */
MPLAN_API mplan_status mplan_mesh_partition(mplan_mesh *mesh, const mplan_partition_options *options,
                                            const mplan_context *context,
                                            mplan_partition **partition, mplan_error *err);
MPLAN_API void mplan_partition_free(mplan_partition *partition);
/* Weights of elements or edges from a .npy or text file: whole numbers, 0 or more; release them with free().
 * MPLAN_ERR_MESH names the line of another number, or in a .npy file the row. */
MPLAN_API mplan_status mplan_weights_read(const char *path, int64_t *rows, int32_t *columns,
                                          int64_t **weights, const mplan_context *context,
                                          mplan_error *err);
/* What stays together (mplan_partition_options), from such a file: -1 may be in it, too. */
MPLAN_API mplan_status mplan_together_read(const char *path, int64_t *rows, int32_t *columns,
                                           int64_t **together, const mplan_context *context,
                                           mplan_error *err);
/* All numbers of such a file, above 0, as shares of parts; release them with free(). */
MPLAN_API mplan_status mplan_shares_read(const char *path, int64_t *n, double **shares,
                                         const mplan_context *context, mplan_error *err);
/* Writes METIS's part file: the part of every element, a line each. */
MPLAN_API mplan_status mplan_partition_write(const mplan_partition *partition, const char *path,
                                             const mplan_context *context, mplan_error *err);

/* Writes cells, or the elements of another set that leads to nodes, with the field `part` as a VTU file. The nodes of the
 * mesh need coordinates. */
MPLAN_API mplan_status mplan_partition_draw(const mplan_mesh *mesh,
                                            const mplan_partition *partition, const char *path,
                                            const mplan_context *context, mplan_error *err);
/* Writes a labelList, OpenFOAM's constant/cellDecomposition, which decomposePar takes with the method manual. */
MPLAN_API mplan_status mplan_partition_write_foam(const mplan_partition *partition, const char *path,
                                                  const mplan_context *context, mplan_error *err);

/* --- plans -------------------------------------------------------------------- */

typedef struct mplan_plan mplan_plan;

/* Section kinds of formats/plan-format.md, which gives shapes and meaning. */
typedef enum mplan_kind {
    MPLAN_KIND_STRINGS = 1,
    MPLAN_KIND_SETS = 2,
    MPLAN_KIND_MAPS = 3,
    MPLAN_KIND_LOOPS = 4,
    MPLAN_KIND_ARGS = 5,
    MPLAN_KIND_VARIANTS = 6,
    MPLAN_KIND_BLOCK_SETS = 7,
    MPLAN_KIND_BLOCK_METRICS = 8,
    MPLAN_KIND_REQUEST = 9,
    MPLAN_KIND_VERSIONS = 10,
    MPLAN_KIND_ORIGINS = 11,
    MPLAN_KIND_VARIANTS2 = 12,
    MPLAN_KIND_STEP = 13,
    MPLAN_KIND_STEP_CONFLICTS = 14,
    MPLAN_KIND_ARGS2 = 15,
    MPLAN_KIND_GROUPS = 16,
    MPLAN_KIND_PARTS = 17,
    MPLAN_KIND_LAYERS = 18,
    MPLAN_KIND_VISIT = 19,
    MPLAN_KIND_SLOTS = 20,
    MPLAN_KIND_STREAMS = 21,

    MPLAN_KIND_NEW_OF_OLD = 32,   /* set: i32 [size] */
    MPLAN_KIND_OLD_OF_NEW = 33,   /* set: i32 [storage_size] */
    MPLAN_KIND_GLOBAL_ID = 34,    /* set: i64 [size] */
    MPLAN_KIND_PARENT_INDEX = 35, /* set: i32 [size], of sets that are groups' */
    MPLAN_KIND_MAP_VALUES = 40,   /* map: i32 [entries] */
    MPLAN_KIND_MAP_OFFSETS = 41,  /* map: i64 [storage_size + 1], ragged only */
    MPLAN_KIND_LAYER_RANGES = 48, /* set: i32 [storage_size][2], where columns differ */
    MPLAN_KIND_LAYER_MASK =
        49, /* set: i32 [storage_size][(layers + 31) / 32], bits of the layers that are there */

    MPLAN_KIND_BLOCK_OFFSETS = 64,       /* block set: i64 [n_blocks + 1] */
    MPLAN_KIND_BLOCK_SEQUENCE = 65,      /* block set: i32 [size] */
    MPLAN_KIND_BLOCK_POINT_OFFSETS = 66, /* block set, loop, set: i64 [n_blocks + 1] */
    MPLAN_KIND_BLOCK_POINTS = 67,        /* block set, loop, set: i32 [pairs] */
    MPLAN_KIND_BLOCK_LOCAL = 68,         /* block set, loop, map: u16 [entries] */

    MPLAN_KIND_THREAD_COLOURS = 80,        /* loop, variant: u16 [size] */
    MPLAN_KIND_BLOCK_THREAD_COLOURS = 81,  /* loop, variant: u16 [n_blocks] */
    MPLAN_KIND_BLOCK_COLOURS = 82,         /* loop, variant: i32 [n_blocks] */
    MPLAN_KIND_BLOCK_LAUNCH_OFFSETS = 83,  /* loop, variant: i64 [block_colours + 1] */
    MPLAN_KIND_BLOCK_LAUNCH = 84,          /* loop, variant: i32 [n_blocks] */
    MPLAN_KIND_GLOBAL_COLOURS = 96,        /* loop, variant: i32 [size] */
    MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS = 97, /* loop, variant: i64 [global_colours + 1] */
    MPLAN_KIND_GLOBAL_LAUNCH = 98,         /* loop, variant: i32 [size] */
    MPLAN_KIND_GATHER_OFFSETS = 112,       /* loop, map: i64 [storage_size(to) + 1] */
    MPLAN_KIND_GATHER_SLOTS = 113,         /* loop, map: i64 [entries >= 0] */

    MPLAN_KIND_BLOCK_RECORD_OFFSETS = 128, /* loop, variant: i64 [n_blocks + 1], bytes */
    MPLAN_KIND_BLOCK_RECORDS = 129,        /* loop, variant: u8 [bytes] */
    MPLAN_KIND_PARTIAL_POINTS = 130,       /* loop, variant: i32 [shared points] */
    MPLAN_KIND_PARTIAL_OFFSETS = 131,      /* loop, variant: i64 [shared points + 1] */
    MPLAN_KIND_OWNER_OFFSETS = 144,        /* loop, variant: i64 [slices + 1], sliced only */
    MPLAN_KIND_OWNER_ENTRIES = 145,        /* loop, variant: u16 or i32 [32 x columns] */
    MPLAN_KIND_OWNER_BASE = 146,           /* loop, variant: i32 [slices], index16 */
    MPLAN_KIND_OWNER_ESCAPE_OFFSETS = 147, /* loop, variant: i64 [slices + 1], index16 */
    MPLAN_KIND_OWNER_ESCAPES = 148,        /* loop, variant: i32 [escapes], index16 */
    MPLAN_KIND_OWNER_ROW_START = 149,      /* loop, variant: i32 [storage_size(to) + 1], pair32 */
    MPLAN_KIND_OWNER_POINTS = 150,         /* loop, variant: u8 [rows of all slices], window only */
    MPLAN_KIND_OWNER_WINDOWS = 151,        /* loop, variant: i32 [16 x slices], windows16 */
    MPLAN_KIND_OWNER_PLAIN = 152,          /* loop, variant: i32 [32 x columns], windows16 */

    /* of plans that are parts of a bundle; imports, exports: numbers of neighbours (section PARTS) */
    MPLAN_KIND_IMPORT_PARTS = 176,        /* set: i32 [imports] */
    MPLAN_KIND_IMPORT_RANGES = 177,       /* set: i64 [imports][4] */
    MPLAN_KIND_IMPORT_HASHES = 178,       /* set: i64 [imports] */
    MPLAN_KIND_EXPORT_PARTS = 179,        /* set: i32 [exports] */
    MPLAN_KIND_EXPORT_OFFSETS = 180,      /* set: i64 [exports + 1] */
    MPLAN_KIND_EXPORT_INDEX = 181,        /* set: i32 [exported] */
    MPLAN_KIND_EXPORT_HASHES = 182,       /* set: i64 [exports] */
    MPLAN_KIND_LOOP_IMPORT_OFFSETS = 183, /* set, loop: i64 [imports + 1] */
    MPLAN_KIND_LOOP_IMPORTS = 184,        /* set, loop: i32 [at most the halo] */
    MPLAN_KIND_LOOP_IMPORT_HASHES = 185,  /* set, loop: i64 [imports] */
    MPLAN_KIND_LOOP_EXPORT_OFFSETS = 186, /* set, loop: i64 [exports + 1] */
    MPLAN_KIND_LOOP_EXPORTS = 187,        /* set, loop: i32 [at most exported] */
    MPLAN_KIND_LOOP_EXPORT_HASHES = 188,  /* set, loop: i64 [exports] */
    MPLAN_KIND_HALO_RINGS = 189,          /* set: u8 [halo], only with rings */
    MPLAN_KIND_EXPORT_RINGS = 190,        /* set: u8 [exported], only with rings */
    MPLAN_KIND_PART_PLACES = 191,         /* set: i32 [size], only with slabs */

    MPLAN_KIND_SLAB_OFFSETS = 192, /* set: i64 [slabs + 1] */
    MPLAN_KIND_SEGMENTS = 193,     /* i32 [segments + 1], slabs */
    MPLAN_KIND_SCHEDULE = 194,     /* i32 [events][4] (mplan_event) */
    MPLAN_KIND_SLAB_PIECES = 195 /* set with slabs of 64 members on average: i32 [slabs][MPLAN_SLAB_PIECES - 1] */
} mplan_kind;

/* The order of a set before slabs cut it has so many equal pieces; members near one another in slabs that follow each other are of one. */
#define MPLAN_SLAB_PIECES 16

#define MPLAN_UNUSED UINT32_MAX

/* What an array of a plan belongs to; MPLAN_UNUSED in the parts that do not
 * apply. `variant` counts within its loop. */
typedef struct mplan_key {
    uint32_t kind, set, map, loop, variant, block_set, rank, segment;
} mplan_key;
#define MPLAN_KEY_INIT(kind_)                                                          \
    {                                                                                  \
        (kind_), MPLAN_UNUSED, MPLAN_UNUSED, MPLAN_UNUSED, MPLAN_UNUSED, MPLAN_UNUSED, \
            MPLAN_UNUSED, MPLAN_UNUSED                                                 \
    }

typedef struct mplan_array {
    mplan_key key;
    mplan_type type;
    int64_t rows, cols; /* cols 1 for a list */
    const void *data;   /* row-major, aligned to at least 64 bytes when read from a file */
} mplan_array;

/* A set in the plan of one part (section PARTS). Stored indices: [0, owned) are the members that the part owns,
 * [owned, executed) the execute halo, [executed, size) the read halo; both halos ascend by the part that owns the
 * member. A member's canonical id is base + its stored index in the part that owns it. */
typedef struct mplan_part_set {
    int32_t parts, part;  /* of how many, and which; parts 0: the plan is not a part */
    int64_t total;        /* members of the whole set, in all parts together */
    int64_t base;         /* canonical id of stored member 0 */
    int64_t owned, inner; /* members [0, inner) need nothing of other parts, in any loop */
    int64_t executed;     /* elements that loops over the set must run to sum up all owned points */
    int32_t imports, exports; /* neighbours: parts that members come from, and go to */
    int64_t exported;         /* members that go, to all of them together */
} mplan_part_set;

typedef struct mplan_plan_set {
    const char *name;
    int64_t size;
    int64_t storage_size;    /* >= size: an order may leave holes */
    const char *split;       /* name of the map by whose -1 entries the set was split, or "" */
    mplan_renumber renumber; /* method that was tried; NONE for sets it does not touch */
    bool kept;               /* the input order was kept as the better one */
    /* in the input, renumbered and stored order; -1: not measured */
    int64_t bandwidth[3], profile[3];
    /* of a set that is a group's: the set of the mesh that the group is a part of, else "" (section GROUPS); its index
     * in the plan, -1 where no loop touches it; and how many members it has */
    const char *parent;
    int32_t parent_set;
    int64_t parent_size;
    /* of a set with layers: how many the highest and the lowest column have; 0: no layers. */
    int32_t layers, layers_least;
    bool layers_ranged;  /* columns have ranges of their own (MPLAN_KIND_LAYER_RANGES) */
    bool layers_masked;  /* layers are left out in columns (MPLAN_KIND_LAYER_MASK) */
    mplan_part_set part; /* of a plan that is one part of a bundle; parts 0: it is not */
} mplan_plan_set;

typedef struct mplan_plan_map {
    const char *name;
    int32_t from, to;
    int32_t arity;     /* 0: ragged */
    int64_t n_entries; /* of the stored map */
} mplan_plan_map;

typedef struct mplan_plan_arg {
    const char *dat;
    int32_t map; /* -1: direct; MPLAN_MAP_GLOBAL */
    mplan_access access;
    int32_t dim;
    mplan_type type;
    mplan_none none;
    mplan_layout layout; /* of the dat, advised: one for all loops of the plan */
    mplan_arg_layers layers;
    int32_t once; /* 1: access write or rw through a map that leads to each point at most once, so that no
                     two elements meet there; else 0 */
} mplan_plan_arg;

/* Why the cost model chose a strategy for a loop. */
typedef enum mplan_choice_reason {
    MPLAN_REASON_NONE = 0,       /* not stated: it did not choose */
    MPLAN_REASON_FASTEST = 1,    /* no other that can run the loop is predicted to be faster */
    MPLAN_REASON_EQUAL_BITS = 2, /* a faster one gives no equal bits (--allow-nondeterministic) */
    MPLAN_REASON_SUMS_ORDER = 3, /* a faster one cannot add in the order of sums that was asked for */
    MPLAN_REASON_NO_CONFLICT = 4, /* the loop writes through no map, or each point once: one launch */
    MPLAN_N_REASONS
} mplan_choice_reason;
/* "fastest", "fastest with equal bits", ...; NULL for none */
MPLAN_API const char *mplan_choice_reason_name(mplan_choice_reason value);

typedef struct mplan_plan_variant {
    mplan_strategy strategy;
    int32_t block_limit; /* S */
    int32_t threads;     /* per thread block */
    int32_t elements_per_thread;
    int32_t block_set;  /* -1: none */
    bool deterministic; /* promises equal bits in every run */
    const char *device;
    int64_t shared_bytes_max; /* largest that a block stages */
    int64_t block_colours, thread_colours_max, thread_colours_total; /* total: sum over blocks */
    int64_t global_colours;
    int64_t partial_sums;    /* slots of block-gather's partial sums */
    mplan_sums sums;         /* of block-gather; else MPLAN_SUMS_PARTIAL */
    mplan_encoding encoding; /* of owner-gather; else MPLAN_ENCODING_NONE */
    int32_t width;  /* owner-gather: entries of every point; 0: sliced, or another strategy */
    int32_t window; /* owner-gather: 256 where points are sorted by valence in windows; 0 */
    /* since format 1.2; zero in plans without section VARIANTS2 */
    mplan_sums_order sums_order; /* of owner-gather and two-step; else MPLAN_SUMS_ORDER_STORED */
    int32_t slice_rows;          /* of owner-gather: rows of a slice, 64; 0: 32 */
    int32_t entry_layout;        /* of windows16 of a width: 1: entry by entry; 0: the rest */
    int32_t bound_threads; /* launch bounds that kernels do best with: threads of a block, the variant's, */
    int32_t bound_blocks; /* and blocks of a multiprocessor; both 0: not stated */
    int32_t granule;      /* ranges of a launch begin and end at multiples of it; 0: not stated */
    int32_t runner_up;    /* 1 + the strategy that the cost model had second; 0: not stated */
    int64_t predicted_ns; /* of a launch, by the cost model; 0: not stated */
    int64_t runner_up_ns;
    mplan_choice_reason reason;           /* why the cost model chose the strategy */
    uint16_t permille[MPLAN_N_PREDICTED]; /* of predicted_ns that each strategy would take, at most 65535;
                                             0: it cannot run the loop, or not stated */
    int32_t round; /* of block-gather: elements of a round, less than block_limit; 0: blocks have one round */
} mplan_plan_variant;

typedef struct mplan_plan_loop {
    const char *name;
    int32_t set;
    bool primary;
    int64_t calls, flops;
    int32_t n_args;
    const mplan_plan_arg *args;
    int32_t n_variants;
    int32_t default_variant;
    const mplan_plan_variant *variants;
    mplan_layered layering;
} mplan_plan_loop;

/* How a block set was made: by greedy graph growing, or cut from what was recognised
 * in the maps. */
typedef enum mplan_origin {
    MPLAN_ORIGIN_OTHER = 0,   /* not by the native partitioner, or not recorded */
    MPLAN_ORIGIN_GROWN,       /* greedy graph growing, the general method */
    MPLAN_ORIGIN_QUADS,       /* tiles of quads in a grid */
    MPLAN_ORIGIN_HEXES,       /* of hexes */
    MPLAN_ORIGIN_PLANE_EDGES, /* of edges that join neighbours in a grid of the plane */
    MPLAN_ORIGIN_SPACE_EDGES, /* of space */
    MPLAN_ORIGIN_LAYERS,      /* stacks of layers over any mesh of the plane */
    MPLAN_N_ORIGINS
} mplan_origin;

typedef struct mplan_block_origin {
    mplan_origin origin;
    bool refined;      /* passes over pairs of blocks went on from there */
    int32_t extent[3]; /* tiles: elements (of edges: points) along each axis of the largest
                          patch, 1 where there is none; layers: columns, lines of points,
                          layers of the highest column; else 0 */
    int32_t patches;   /* tiles: grids that meet at seams; layers: 1; else 0 */
    int64_t largest;   /* tiles: elements (points) of the largest patch; layers: elements; else 0 */
} mplan_block_origin;

typedef struct mplan_plan_block_set {
    int32_t set;
    int32_t loop; /* the loop it was made for */
    int64_t n_blocks;
    int32_t block_limit;
    bool sequence; /* cuts a stored sequence, not the stored order */
    mplan_partitioner partitioner;
    int64_t block_min, block_max; /* elements; 0 without blocks */
    int32_t max_points;           /* the limits it was made under */
    int64_t shared_bytes;
    int64_t alternative_pairs; /* distinct (block, point) pairs of the cut that was tried
                                  and not kept (runs against a sequence); -1: none tried */
    mplan_block_origin origin;
} mplan_plan_block_set;

/* What two entries of a step are to each other, and how an entry gets to a dat. */
typedef enum mplan_conflict_kind {
    MPLAN_CONFLICT_FLOW = 1,   /* the later reads what the earlier writes */
    MPLAN_CONFLICT_ANTI = 2,   /* the later writes what the earlier reads */
    MPLAN_CONFLICT_OUTPUT = 4, /* both write */
    MPLAN_CONFLICT_SUMS = 8    /* both only increment: their order decides about rounding */
} mplan_conflict_kind;
typedef enum mplan_way {
    MPLAN_WAY_DIRECT = 1,
    MPLAN_WAY_MAPPED = 2,
    MPLAN_WAY_GLOBAL = 4
} mplan_way;

/* Two entries of the step that must stay in order because of a dat. Entries farther apart, with a
 * writer of the dat between them, follow from these. */
typedef struct mplan_step_conflict {
    int32_t earlier, later;            /* entries of the step */
    int32_t repeat;                    /* 0: of one step; 1: earlier is of the step before */
    uint32_t kinds;                    /* of mplan_conflict_kind, summed */
    uint32_t earlier_ways, later_ways; /* of mplan_way, summed over all args of the dat */
    int32_t arg;                       /* of the later entry's loop, the first of the dat */
} mplan_step_conflict;

/* How a plan for a limited device memory runs its step: one visit takes all slabs through the device,
 * in segments, and makes `steps` steps (formats/plan-format.md, VISIT). */
typedef struct mplan_plan_visit {
    int32_t slabs;                    /* of every set */
    int32_t granule;                  /* slabs begin at multiples of it */
    int32_t steps;                    /* of a visit */
    int32_t segments;                 /* that a visit takes the slabs in */
    int32_t step_shift;               /* slabs that a step is behind the one before it */
    int32_t period;                   /* stages from the begin of a visit to that of the next */
    int64_t device_memory;            /* the limit, bytes */
    int64_t peak_bytes;               /* of all windows; at most the limit */
    int64_t in_bytes, out_bytes;      /* of a visit, to and from the device */
    int64_t last_bytes;               /* from the device, in the last visit only */
    int64_t host_bytes;               /* of all dats that the step has streams of */
    int64_t predicted_ns, in_core_ns; /* of a step, by the model; 0: not stated */
} mplan_plan_visit;

/* What goes through the device: a dat, or an array of the plan. */
typedef struct mplan_plan_stream {
    int32_t loop,
        arg; /* of a dat: the first arg of the step's loops that names it; arg -1: an array, of the
                           loop's default variant or of `map` */
    int32_t kind;   /* of the array; 0: a dat */
    int32_t map;    /* of MPLAN_KIND_MAP_VALUES; -1: others */
    int32_t ways;   /* of mplan_stream_way, summed */
    int32_t enters; /* a slab is there from this many slabs before the segment that has it ... */
    int32_t leaves; /* ... to this many behind */
    int64_t bytes;  /* in all */
    int64_t window; /* of its memory on the device, a multiple of 64 KiB, but for resident ones */
} mplan_plan_stream;
typedef enum mplan_stream_way {
    MPLAN_STREAM_IN = 1,   /* goes in at every visit */
    MPLAN_STREAM_OUT = 2,  /* comes out at every visit */
    MPLAN_STREAM_LAST = 4, /* comes out at the last visit: each visit writes it before it reads it */
    MPLAN_STREAM_RESIDENT = 8 /* stays on the device, whole */
} mplan_stream_way;

/* A row of MPLAN_KIND_SCHEDULE. */
typedef enum mplan_event_kind {
    MPLAN_EVENT_STAGE = 0,  /* what follows may run at the same time, up to the next */
    MPLAN_EVENT_IN = 1,     /* slabs of a stream go to the device */
    MPLAN_EVENT_LAUNCH = 2, /* slabs of an entry of the visit's steps run: step x entries + entry */
    MPLAN_EVENT_OUT = 3,    /* slabs of a stream come from the device, and leave their window */
    MPLAN_EVENT_FREE = 4    /* slabs of a stream leave their window at the end of the stage */
} mplan_event_kind;
typedef struct mplan_event {
    int32_t kind;       /* mplan_event_kind */
    int32_t index;      /* of the stage, stream or entry */
    int32_t first, end; /* slabs; 0, 0 of a stage */
} mplan_event;

/* What the blocks of a block set touch of one set through the maps of a loop. */
typedef struct mplan_block_metrics {
    int32_t loop, block_set, set;
    int64_t entries;       /* >= 0, of all distinct maps of the loop into the set */
    int64_t pairs;         /* distinct (block, point) */
    int64_t shared_points; /* points touched by more than one block */
    int64_t points_max;    /* of one block */
    int64_t lines;         /* sum over blocks of distinct lines of 4 stored points */
    int64_t lines_ideal;   /* sum over blocks of ceil(points / 4) */
} mplan_block_metrics;

typedef struct mplan_fingerprints {
    uint64_t topology, coordinates, request;
} mplan_fingerprints;

/* Computes a plan for loops over the sets of a mesh. One name of a dat is one
 * set, dim and type in all loops. What the args
 * of a loop do with one dat decides which strategies may run it (formats/plan-format.md, section
 * 10): named ones that may not are refused (MPLAN_ERR_ARGUMENT), others are never chosen; a loop
 * that is planned and that no executor has a kernel for is warned of. Derives the maps that the
 * loops name, and applies `none: split`, in the mesh itself. A set of derived faces of which no group has members may be there
 * without faces_nodes then, until mplan_mesh_derive is called (for any name). Equal meshes,
 * loops, options and library versions give equal plans. */
MPLAN_API mplan_status mplan_plan_create(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                                         const mplan_plan_options *options,
                                         const mplan_context *context, mplan_plan **plan,
                                         mplan_error *err);
MPLAN_API void mplan_plan_free(mplan_plan *plan);
/* The plan with another visit: device_memory, steps_per_visit and segments of `options` count, and the device, which must be the
 * plan's. Takes the time of the visit's events. *revisited borrows the arrays of the plan, which must outlive it. MPLAN_ERR_ARGUMENT:
 * the plan has no visit, or the limit is too small. */
MPLAN_API mplan_status mplan_plan_revisit(const mplan_plan *plan, const mplan_plan_options *options,
                                          mplan_plan **revisited, mplan_error *err);

/* Seconds that mplan_plan_create spent per stage; zero in plans from files. */
typedef struct mplan_plan_times {
    double derive, order, partition, colour, tables;
    double graph;                    /* the part of partition that makes the graph of elements */
    double partition_cpu, graph_cpu; /* user seconds of both, all threads and children */
} mplan_plan_times;
MPLAN_API mplan_plan_times mplan_plan_time(const mplan_plan *plan);

MPLAN_API int32_t mplan_plan_n_sets(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_n_maps(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_n_loops(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_n_block_sets(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_n_metrics(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_n_arrays(const mplan_plan *plan);
/* All pointers live as long as the plan; NULL for an index that is out of range. */
MPLAN_API const mplan_plan_set *mplan_plan_get_set(const mplan_plan *plan, int32_t set);
MPLAN_API const mplan_plan_map *mplan_plan_get_map(const mplan_plan *plan, int32_t map);
MPLAN_API const mplan_plan_loop *mplan_plan_get_loop(const mplan_plan *plan, int32_t loop);
MPLAN_API const mplan_plan_block_set *mplan_plan_get_block_set(const mplan_plan *plan,
                                                               int32_t block_set);
MPLAN_API const mplan_block_metrics *mplan_plan_get_metrics(const mplan_plan *plan, int32_t i);
/* The step: the loop of entry i, -1 past the last; conflicts of its entries, ascending by the later
 * entry, then its arg, then the earlier one as time goes. */
MPLAN_API int32_t mplan_plan_n_step(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_get_step(const mplan_plan *plan, int32_t i);
MPLAN_API int32_t mplan_plan_n_conflicts(const mplan_plan *plan);
MPLAN_API const mplan_step_conflict *mplan_plan_get_conflict(const mplan_plan *plan, int32_t i);
/* The arg of entry i of the step whose dat is set to zero before it; -1: none. Slabs by which the entry
 * is behind (0 without a visit). */
MPLAN_API int32_t mplan_plan_get_clear(const mplan_plan *plan, int32_t i);
MPLAN_API int32_t mplan_plan_get_shift(const mplan_plan *plan, int32_t i);
/* Whether the globals that entry i of the step changes get their values when a visit ends (step_lags). */
MPLAN_API bool mplan_plan_get_lag(const mplan_plan *plan, int32_t i);
/* The visit of a plan for a limited device memory; NULL: the plan has none, nor streams. */
MPLAN_API const mplan_plan_visit *mplan_plan_get_visit(const mplan_plan *plan);
MPLAN_API int32_t mplan_plan_n_streams(const mplan_plan *plan);
MPLAN_API const mplan_plan_stream *mplan_plan_get_stream(const mplan_plan *plan, int32_t i);
/* Arrays in the order of their keys (compared member by member). */
MPLAN_API const mplan_array *mplan_plan_get_array(const mplan_plan *plan, int32_t i);
/* The array of a key, or NULL. */
MPLAN_API const mplan_array *mplan_plan_find_array(const mplan_plan *plan, const mplan_key *key);
/* Index of a set by name; -1 without one. */
MPLAN_API int32_t mplan_plan_find_set(const mplan_plan *plan, const char *name);
/* The reordered map as a mapping table over stored members (rows of holes hold
 * -1, or nothing when ragged). */
MPLAN_API mplan_map mplan_plan_stored_map(const mplan_plan *plan, int32_t map);
/* "other", "front", "quads", ...; NULL for no value */
MPLAN_API const char *mplan_origin_name(mplan_origin value);
/* How blocks came about as a phrase, such as "tiles of a grid of 300 x 200 quads"; empty where
 * nothing is recorded. `size` bytes at `text`, 192 hold every phrase. */
MPLAN_API void mplan_block_origin_text(const mplan_block_origin *origin, char *text, size_t size);
/* The plan in one sentence: what its primary loop runs over, by which strategy, and what that promises. `size` bytes
 * at `text`, 400 hold every sentence (names are cut at 80 bytes). */
MPLAN_API void mplan_plan_summary(const mplan_plan *plan, char *text, size_t size);
/* The request as canonical text, and "name version" lines of meshplan and the
 * libraries that took part. */
MPLAN_API const char *mplan_plan_request(const mplan_plan *plan);
MPLAN_API const char *mplan_plan_versions(const mplan_plan *plan);
MPLAN_API mplan_fingerprints mplan_plan_fingerprints(const mplan_plan *plan);
/* The fingerprint of topology that the plan's sets and maps have in a mesh (formats/plan-format.md, section
 * 6): equal to mplan_plan_fingerprints(plan).topology exactly where the plan is for this mesh. Sets and
 * maps are found by name; what the plan names and the mesh lacks is derived, or split, as by
 * mplan_plan_create. MPLAN_ERR_OTHER_MESH when something cannot be had. Linear in the maps. */
MPLAN_API mplan_status mplan_plan_topology(const mplan_plan *plan, mplan_mesh *mesh,
                                           const mplan_context *context, uint64_t *topology,
                                           mplan_error *err);

/* --- plan files ------------------------------------------------------------------ */

#define MPLAN_FORMAT_MAJOR 1
#define MPLAN_FORMAT_MINOR 2

/* The minor version of the file of a plan: the lowest that has all that it uses. */
MPLAN_API int32_t mplan_plan_format_minor(const mplan_plan *plan);

/* The rates of a device's profile (mplan_device): the cost model's constants of a device. */
typedef enum mplan_rate {
    MPLAN_RATE_COPY,
    MPLAN_RATE_FLOP,
    MPLAN_RATE_ATOMIC,
    MPLAN_RATE_SHARED,
    MPLAN_RATE_L2,
    MPLAN_N_RATES
} mplan_rate;

/* What a loop of a plan would run by. */
typedef struct mplan_forecast_loop {
    const char *loop, *over; /* the caller's */
    int64_t elements;
    int32_t n_strategies; /* the first is the default */
    mplan_strategy strategies[MPLAN_MAX_STRATEGIES];
    double seconds[MPLAN_N_STRATEGIES]; /* of a launch, by the cost model, of each strategy that there is; infinite: it
                                           cannot run the loop */
    /* Of them, what is left where all rates of the device but rate r are unlimited, [strategy][r]; at MPLAN_N_RATES:
     * where all are. seconds[s] is about the largest of a row: the rate that bounds the loop. */
    double bounds[MPLAN_N_STRATEGIES][MPLAN_N_RATES + 1];
} mplan_forecast_loop;

typedef struct mplan_forecast {
    char *request;   /* as mplan_plan_request would give it */
    bool chosen;     /* the cost model chose the strategies */
    char device[32]; /* the profile whose seconds these are */
    double copy_rate,
        launch; /* of it; launch: as the model takes it, also where the profile does not say */
    int32_t block_size;
    mplan_partitioner partitioner;
    mplan_renumber renumber; /* MPLAN_RENUMBER_AUTO: decided by the orders themselves */
    mplan_point_order point_order;
    int64_t plan_bytes, memory_bytes; /* of the plan file, and of the process at most: estimates */
    int32_t n_loops;
    mplan_forecast_loop *loops;
} mplan_forecast;

/* What mplan_plan_create would do, in the time of deriving the maps that the loops name: what it would choose, and
 * why, and estimates of sizes. Refuses what that refuses before orders are made. loops must stay while the forecast
 * lives. */
MPLAN_API mplan_status mplan_plan_forecast(mplan_mesh *mesh, int32_t n_loops,
                                           const mplan_loop *loops, const mplan_plan_options *options,
                                           const mplan_context *context, mplan_forecast **forecast,
                                           mplan_error *err);
MPLAN_API void mplan_forecast_free(mplan_forecast *forecast);

typedef struct mplan_write_options {
    size_t struct_size;
    bool compress; /* zlib in chunks; needs zlib */
} mplan_write_options;
#define MPLAN_WRITE_OPTIONS_INIT           \
    {                                      \
        sizeof(mplan_write_options), false \
    }

/* Writes a plan file, by the rule of outputs above. *bytes (may be NULL): length of the file. */
MPLAN_API mplan_status mplan_plan_write(const mplan_plan *plan, const char *path,
                                        const mplan_write_options *options,
                                        const mplan_context *context, int64_t *bytes,
                                        mplan_error *err);
/* Reads a plan file into memory of its own, so that it stays what it was proved
 * to be whatever becomes of the file; checks every checksum, bound and padding
 * byte. MPLAN_ERR_IO "changed while it was read". What the numbers mean is proved by mplan_plan_verify.
 * MPLAN_ERR_FORMAT (no plan), _TOO_NEW, _CORRUPT ("damaged at byte N"). */
MPLAN_API mplan_status mplan_plan_read(const char *path, const mplan_context *context,
                                       mplan_plan **plan, mplan_error *err);
/* The same from memory, which must stay while the plan lives and be aligned
 * to 64 bytes. */
MPLAN_API mplan_status mplan_plan_read_borrowed(const void *bytes, size_t size, const char *name,
                                                const mplan_context *context, mplan_plan **plan,
                                                mplan_error *err);
/* True when the first bytes of a file say that it is a plan. */
MPLAN_API bool mplan_plan_recognise(const void *bytes, size_t size);

/* --- parts and bundles --------------------------------------------------------------- */

/* A bundle is one file with a plan for each of P parts of a mesh; formats/plan-format.md, section 13,
 * explains it. Each part's plan is a plan of its own, of the members that the part owns and of those of
 * other parts that its loops need (its halo). Whoever runs it brings the halos of what a loop reads up to date before the
 * loop, by the lists below; after the loop, the halos of what it wrote are out of date, and the owned members are right. */

/* What comes from one neighbour: stored indices [execute[0], execute[1]), then [read[0], read[1]). */
typedef struct mplan_part_import {
    int32_t part;
    int64_t execute[2], read[2];
} mplan_part_import;

/* Stored indices, in the order in which both ends send and receive them. */
typedef struct mplan_part_list {
    int32_t part;
    int64_t n;
    const int32_t *index; /* n of them; belongs to the plan */
} mplan_part_list;

/* The part of a plan that is one of a bundle; -1: it is not. */
MPLAN_API int32_t mplan_plan_part(const mplan_plan *plan);
/* Import i of `imports` of a set, ascending by part. part -1 past the last. */
MPLAN_API mplan_part_import mplan_plan_part_import(const mplan_plan *plan, int32_t set, int32_t i);
/* Export i of `exports` of a set, ascending by part: owned members, as many as the import of that
 * part from this one and in its order. part -1 past the last. */
MPLAN_API mplan_part_list mplan_plan_part_export(const mplan_plan *plan, int32_t set, int32_t i);
/* The members of import or export i that one loop reads: a part of the list above, in its order. Empty where the loop
 * reads nothing of the set that could be in a halo. */
MPLAN_API mplan_part_list mplan_plan_part_loop_import(const mplan_plan *plan, int32_t loop,
                                                      int32_t set, int32_t i);
MPLAN_API mplan_part_list mplan_plan_part_loop_export(const mplan_plan *plan, int32_t loop,
                                                      int32_t set, int32_t i);

typedef struct mplan_bundle mplan_bundle;

/* A set of all parts together: its manifest line. */
typedef struct mplan_bundle_set {
    const char *name;
    int64_t total;
    bool cut;            /* this set was cut; the others follow it */
    const int64_t *base; /* n_parts + 1: part p owns the canonical ids [base[p], base[p + 1]) */
} mplan_bundle_set;

typedef struct mplan_bundle_map {
    const char *name;
    int32_t from, to, arity; /* sets of the bundle; arity 0: ragged */
    int64_t entries;         /* >= 0, of the whole map */
} mplan_bundle_map;

/* Opens a bundle: reads and checks its header, table and manifest, no plan. The file stays open and must not change.
 * MPLAN_ERR_FORMAT (no bundle), _TOO_NEW, _CORRUPT ("damaged at byte N"). */
MPLAN_API mplan_status mplan_bundle_open(const char *path, const mplan_context *context,
                                         mplan_bundle **bundle, mplan_error *err);
MPLAN_API void mplan_bundle_free(mplan_bundle *bundle);
/* True when the first bytes of a file say that it is a bundle. */
MPLAN_API bool mplan_bundle_recognise(const void *bytes, size_t size);
MPLAN_API int32_t mplan_bundle_n_parts(const mplan_bundle *bundle);
MPLAN_API int32_t mplan_bundle_n_sets(const mplan_bundle *bundle);
MPLAN_API int32_t mplan_bundle_n_maps(const mplan_bundle *bundle);
/* Sets and maps have the numbers that they have in the plans of all parts. NULL past the last. */
MPLAN_API const mplan_bundle_set *mplan_bundle_get_set(const mplan_bundle *bundle, int32_t set);
MPLAN_API const mplan_bundle_map *mplan_bundle_get_map(const mplan_bundle *bundle, int32_t map);
/* The request and versions of the whole, and the fingerprints of the whole mesh. */
MPLAN_API const char *mplan_bundle_request(const mplan_bundle *bundle);
MPLAN_API const char *mplan_bundle_versions(const mplan_bundle *bundle);
/* What cut the mesh: "native", "metis", "scotch" or "file" */
MPLAN_API const char *mplan_bundle_how(const mplan_bundle *bundle);
MPLAN_API mplan_fingerprints mplan_bundle_fingerprints(const mplan_bundle *bundle);
/* Where the plan of a part lies in the file: offset a multiple of 65,536. */
MPLAN_API mplan_status mplan_bundle_place(const mplan_bundle *bundle, int32_t part, int64_t *offset,
                                          int64_t *bytes, mplan_error *err);
/* Reads the plan of a part, and nothing else of the file; the caller frees it, also after the bundle. It is checked as
 * mplan_plan_read checks a plan, and to be this part of this bundle. May be called from several threads. */
MPLAN_API mplan_status mplan_bundle_read_part(const mplan_bundle *bundle, int32_t part,
                                              const mplan_context *context, mplan_plan **plan,
                                              mplan_error *err);

/* Plans of parts, one at a time, whatever they are read from: what a proof of all of them needs. */
typedef struct mplan_parts_source {
    int32_t n_parts, n_sets, n_maps;
    const mplan_bundle_set *sets;    /* n_sets */
    const mplan_bundle_map *maps;    /* n_maps */
    const char *request;             /* of a plan of the whole mesh */
    mplan_fingerprints fingerprints; /* of the whole mesh */
    int64_t bytes; /* of all plans: no set can have more members than these could hold */
    void *user;
    /* Reads part `part`, a plan that the caller frees. Errors say which part it is. */
    mplan_status (*read)(void *user, int32_t part, const mplan_context *context, mplan_plan **plan,
                         mplan_error *err);
} mplan_parts_source;
/* The parts of a bundle, which must stay open. */
MPLAN_API mplan_parts_source mplan_bundle_source(mplan_bundle *bundle);

/* Writes the plans of all parts and the manifest as files of a folder, which appears whole. A folder that is there is
 * replaced if it is empty or an earlier split. */
MPLAN_API mplan_status mplan_bundle_split(const mplan_bundle *bundle, const char *path,
                                          const mplan_context *context, mplan_error *err);
/* Makes a bundle of the files of a split, in any order: of all parts, and the manifest. Equal files give the bytes of the
 * bundle that was split. MPLAN_ERR_ARGUMENT for a part that is missing or there twice, for a plan of a whole mesh, and
 * without a manifest; MPLAN_ERR_DISPROVED for files that are not of these parts, by the numbers of their sets or by hashes
 * of the lists that two parts have of one another. */
MPLAN_API mplan_status mplan_bundle_join(int32_t n_paths, const char *const *paths,
                                         const char *path, const mplan_context *context,
                                         int64_t *bytes, mplan_error *err);

/* How a mesh is cut into parts. */
typedef struct mplan_parts_options {
    size_t struct_size;
    int32_t n_parts;               /* with `part`, 0: the largest number in it and one */
    mplan_partitioner partitioner; /* NATIVE, METIS or SCOTCH; AUTO: native */
    double imbalance;              /* L >= 1: largest part / mean */
    uint64_t seed;                 /* of METIS or SCOTCH */
    int64_t n_part;                /* members of the set that is cut */
    const int32_t *part; /* the part of each of them, 0 or more; NULL: the partitioner decides. Read during the call only */
    int32_t nodes; /* of which each gets n_parts / nodes consecutive parts: the mesh is cut for nodes first; 0: 1 */
    /* As of mplan_partition_options, for members of the set that is cut; read during the call only. */
    const char *weights_of;
    int32_t n_weights;
    int64_t n_weight_rows;
    const int64_t *weights;
    int64_t n_together;
    int32_t together_columns;
    const int64_t *together;
    mplan_array_files files;
} mplan_parts_options;
#define MPLAN_PARTS_OPTIONS_INIT                                                                 \
    {                                                                                            \
        sizeof(mplan_parts_options), 0, MPLAN_PARTITIONER_AUTO, 1.01, 4321, 0, NULL, 0, NULL, 0, \
            0, NULL, 0, 0, NULL,                                                                 \
        {                                                                                        \
            NULL, NULL, NULL, NULL, NULL                                                         \
        }                                                                                        \
    }

/* A mesh cut into parts for the loops of a request, and what parts need of one another. The set that is cut is the one that
 * the primary loop's sums go to (its own set without such sums). A member of any other set goes to the part
 * that most entries of its rows into that set name, the lowest of equals; sets without a map into it follow the first
 * set that is done and maps to them, else the first they map to. */
typedef struct mplan_parts mplan_parts;

/* Cuts the mesh, which must stay, as must the loops and their texts, until the parts are freed; sets and maps that the loops
 * name are derived in it. What the request leaves open is chosen for the whole mesh. Equal for any number of threads. MPLAN_ERR_ARGUMENT
 * for what parts cannot have: point order padded, graph faces, a limit of device memory with too few rings, and access write or rw
 * by a map that leads to a point more than once; and for more parts than members where these are more than 1024 parts. Else,
 * with more parts than members, some are empty. */
MPLAN_API mplan_status mplan_parts_create(mplan_mesh *mesh, int32_t n_loops,
                                          const mplan_loop *loops, const mplan_plan_options *options,
                                          const mplan_parts_options *parts_options,
                                          const mplan_context *context, mplan_parts **parts,
                                          mplan_error *err);
MPLAN_API void mplan_parts_free(mplan_parts *parts);
MPLAN_API int32_t mplan_parts_n(const mplan_parts *parts);
MPLAN_API int32_t mplan_parts_n_sets(const mplan_parts *parts);
/* "native", "metis", "scotch" or "file" */
MPLAN_API const char *mplan_parts_how(const mplan_parts *parts);
/* A set of the loops, in the order of the plans. */
typedef struct mplan_parts_set {
    const char *name;
    int64_t total;
    bool cut;
    const int64_t *base;   /* n_parts + 1: part p owns base[p + 1] - base[p] members */
    const int32_t *owner;  /* total: the part of each member */
    int64_t execute, read; /* members of both halos, of all parts together */
} mplan_parts_set;
MPLAN_API mplan_parts_set mplan_parts_get_set(const mplan_parts *parts,
                                              int32_t set); /* name NULL past the last */

/* Plans one part. mplan_plan_create says what may fail; so does device_memory without steps_per_visit, which all parts choose together
 * (mplan_parts_write). The caller frees the plan. Calls for several parts may run at a time. */
MPLAN_API mplan_status mplan_parts_plan(const mplan_parts *parts, int32_t part,
                                        const mplan_context *context, mplan_plan **plan,
                                        mplan_error *err);
/* Writes the manifest of the bundle, which mplan_bundle_join takes beside plans of all parts. plan: of any of them. */
MPLAN_API mplan_status mplan_parts_manifest(const mplan_parts *parts, const mplan_plan *plan,
                                            const char *path, const mplan_context *context,
                                            mplan_error *err);
/* Writes a folder with a file for each part, part-I.npz, from which that part is planned without the mesh (formats/plan-format.md,
 * section 13): for tasks of a job array. The folder appears whole; one that is there is replaced if it is empty or was written
 * by this. MPLAN_ERR_ARGUMENT for loops whose sets are split by entries of -1. */
MPLAN_API mplan_status mplan_parts_scatter(const mplan_parts *parts, const char *folder,
                                           const mplan_context *context, mplan_error *err);
/* What such a file holds. What is read is proved to be in range. */
typedef struct mplan_piece mplan_piece;
MPLAN_API mplan_status mplan_piece_read(const char *folder, int32_t part,
                                        const mplan_context *context, mplan_piece **piece,
                                        mplan_error *err);
MPLAN_API void mplan_piece_free(mplan_piece *piece);
/* Sets and maps of the loops by name, without members. */
MPLAN_API const mplan_mesh *mplan_piece_names(const mplan_piece *piece);
/* Parts of which only the one of the piece can be planned: its plan has the bytes that it has with the whole mesh. The piece
 * gives its arrays away, once, and must stay until the parts are freed. MPLAN_ERR_ARGUMENT where loops or options are not
 * those that the parts were scattered for. */
MPLAN_API mplan_status mplan_piece_parts(mplan_piece *piece, int32_t n_loops,
                                         const mplan_loop *loops, const mplan_plan_options *options,
                                         const mplan_context *context, mplan_parts **parts,
                                         mplan_error *err);
/* Plans all parts, one after the other, and writes the bundle; memory holds one plan. With device_memory and without steps_per_visit parts may be
 * planned twice, as the first ones may have had other steps than are best for all. The file appears when it is whole.
 * bytes: its size; may be NULL. */
MPLAN_API mplan_status mplan_parts_write(const mplan_parts *parts, const char *path,
                                         const mplan_write_options *options,
                                         const mplan_context *context, int64_t *bytes,
                                         mplan_error *err);

/* --- proofs -------------------------------------------------------------------------- */

/* Proves a plan with code that shares nothing with the planner: everything
 * without a mesh but the agreement with it (`mesh` may be NULL). Derives maps
 * in the mesh as the plan needs them. MPLAN_ERR_DISPROVED says the first thing
 * that does not hold, MPLAN_ERR_OTHER_MESH that the plan is for another mesh. Every field of the
 * file is proved but those that formats/plan-format.md marks (u), and mplan_unproved_field lists.
 * Time and scratch memory linear in the plan. */
MPLAN_API mplan_status mplan_plan_verify(const mplan_plan *plan, mplan_mesh *mesh,
                                         const mplan_context *context, mplan_error *err);

/* Proves all parts of a mesh (part -1), one after the other, in the memory of one part and a bit for each member of the
 * mesh: each by itself; each member is owned once; halos are complete, and have the rows that their owners have; lists
 * match at both ends. Or one part by itself. With a mesh, which all parts are beside, also that all rows are those of the
 * mesh. MPLAN_ERR_DISPROVED and _OTHER_MESH as above; whatever reading a part gives. */
MPLAN_API mplan_status mplan_parts_verify(const mplan_parts_source *source, mplan_mesh *mesh,
                                          int32_t part, const mplan_context *context,
                                          mplan_error *err);

/* Field i of a plan file that nothing can prove: "SETS.bandwidth[1]: why"; NULL past the last. */
MPLAN_API const char *mplan_unproved_field(int32_t i);

/* Says whether a plan is the one that these loops and options ask for, by its request text
 * (mplan_plan_request): MPLAN_ERR_OTHER_REQUEST names the first line that differs. Derives and
 * splits in the mesh as mplan_plan_create does, and refuses what it refuses. Prove the plan first. */
MPLAN_API mplan_status mplan_plan_compare_request(const mplan_plan *plan, mplan_mesh *mesh,
                                                  int32_t n_loops, const mplan_loop *loops,
                                                  const mplan_plan_options *options,
                                                  const mplan_context *context, mplan_error *err);

/* --- looking at plans ------------------------------------------------------------------ */

/* Calls `line` (may be NULL) with each difference, at most 100; MPLAN_ERR_DIFFERENT when
 * there is one. */
MPLAN_API mplan_status mplan_plan_compare(const mplan_plan *a, const mplan_plan *b,
                                          void (*line)(void *user, const char *text), void *user,
                                          mplan_error *err);
/* The least that the colours of a variant can be, with the cut that it has; -1 for what
 * it does not have, and for all of a plan that does not hold together. */
typedef struct mplan_variant_bounds {
    int64_t block_colours;          /* most blocks that write to one point */
    int64_t thread_colours_max;     /* most elements of one block that write to one point: */
    int64_t thread_colours_total;   /* of all blocks, and summed over them */
    int64_t thread_blocks_at_bound; /* blocks that have no more colours than that */
    int64_t global_colours;         /* most elements that write to one point */
} mplan_variant_bounds;
/* Linear in the maps that the loop writes through; scratch 4 bytes a point (8 for global colours) and, for each thread,
 * 32 to 64 an entry of the largest block. Only MPLAN_ERR_MEMORY and _ARGUMENT. */
MPLAN_API mplan_status mplan_plan_variant_bounds(const mplan_plan *plan, int32_t loop,
                                                 int32_t variant, mplan_variant_bounds *bounds,
                                                 const mplan_context *context, mplan_error *err);
/* How the threads of a variant load, found from its tables as its kernels walk them: *lanes, the mean number of lanes of
 * a warp that have an element (of owner-gather: an entry of their point); sectors[a], for each of the loop's args that is
 * read through a map, the mean number of different sectors of 32 bytes in one request: a number (the first) of the
 * points that the lanes' elements have in one slot, in the layout that the plan advises; of block-colour, of points of a
 * block's list; of pairs under owner-gather, of the other point. NaN for other args, and where it cannot be said: loops
 * with layers, profiles of a host, plans that do not hold together. At most 16384 warps are looked at, at equal
 * distances. Linear; scratch of owner-gather 8 bytes an entry. Only MPLAN_ERR_MEMORY and _ARGUMENT. */
MPLAN_API mplan_status mplan_plan_variant_loads(const mplan_plan *plan, int32_t loop, int32_t variant,
                                                double *lanes, double *sectors, mplan_error *err);
/* The most reuse that full blocks can have of the set of a metrics record, where its
 * only map in the loop joins cells of a grid to their corners, or neighbours to each
 * other as faces of quads and hexes do; *tile is the best shape of a block, a
 * static text. Else NaN and NULL. Edges are looked at in 65536 places, corners
 * everywhere. Scratch 5 bytes a point and 8 MB, or 4 an entry, 8 a point and 11 an
 * element of corners. Only MPLAN_ERR_MEMORY and _ARGUMENT. */
MPLAN_API mplan_status mplan_plan_reuse_bound(const mplan_plan *plan, int32_t metrics,
                                              double *reuse, const char **tile, mplan_error *err);
/* Reorders the rows of a npy file (first dimension: the size of the set, or
 * with `inverse` its storage_size) into stored order or back. Holes are zero. */
MPLAN_API mplan_status mplan_plan_apply(const mplan_plan *plan, int32_t set, const char *in,
                                        const char *out, bool inverse, const mplan_context *context,
                                        mplan_error *err);
/* The same for all parts: row c of the output is that of the member with the canonical id c, which is base + stored index
 * in the part that owns it, so that the file does not depend on how many ranks run. IN has a row for each member of the
 * whole mesh, in its order. */
MPLAN_API mplan_status mplan_parts_apply(const mplan_parts_source *source, int32_t set,
                                         const char *in, const char *out, bool inverse,
                                         const mplan_context *context, mplan_error *err);
/* owner: out, the caller's: the part of each member of a set of the whole mesh, in its order. */
MPLAN_API mplan_status mplan_parts_owners(const mplan_parts_source *source, int32_t set,
                                          int32_t *owner, const mplan_context *context,
                                          mplan_error *err);
/* Writes every array as npy and an index.json into a folder, by the rule of outputs
 * above. A folder that is there is replaced at once where it is empty or an earlier
 * export, all of whose names its index lists; else MPLAN_ERR_CREATE, as where the file
 * system cannot exchange two folders (renameat2 with RENAME_EXCHANGE). */
MPLAN_API mplan_status mplan_plan_export_npy(const mplan_plan *plan, const char *folder,
                                             const mplan_context *context, mplan_error *err);
/* Writes the block of every element of the primary loop's set, in the mesh's
 * order, a line each: METIS's part file. */
MPLAN_API mplan_status mplan_plan_export_part(const mplan_plan *plan, const char *path,
                                              const mplan_context *context, mplan_error *err);

/* Colours, coloured tiles and dof maps of a loop as PSyclone's generated loops over LFRic meshes read them: cmap, tmap,
 * last_edge_tile_per_colour and so on (meshplan-export(1) lists names and shapes). Cells have the mesh's numbers, from 1, which
 * an LFRic partition sorts: inner cells, from the deepest halo inwards on, cells up to the edge, halos by depth. */
typedef struct mplan_psyclone_options {
    size_t struct_size;
    const char *loop;          /* NULL: the primary loop */
    int64_t last_edge;         /* cells up to the edge of the partition; -1: all */
    int32_t n_inner, n_halo;   /* depths; 0: one, whose limits are those of the edge */
    const int64_t *last_inner; /* cells up to inner depth 1, 2, ...: descending, at most last_edge */
    const int64_t *last_halo; /* cells up to the halo's depth 1, 2, ...: ascending, at least last_edge */
} mplan_psyclone_options;
#define MPLAN_PSYCLONE_OPTIONS_INIT                                \
    {                                                              \
        sizeof(mplan_psyclone_options), NULL, -1, 0, 0, NULL, NULL \
    }
/* path: a netCDF file (.nc), else a folder of npy files, by the rules above. The plan is proved first. The loop must
 * have a variant of global-colour or block-colour, or levels; MPLAN_ERR_ARGUMENT for limits that cannot be. Numbers are of
 * 32 bits; of 64 where dofs, points times levels, pass 2^31. */
MPLAN_API mplan_status mplan_plan_export_psyclone(const mplan_plan *plan, const char *path,
                                                  const mplan_psyclone_options *options,
                                                  const mplan_context *context, mplan_error *err);

/* What of a plan is looked at. */
typedef struct mplan_view_options {
    size_t struct_size;
    const char *loop; /* NULL: the primary loop */
    int32_t variant;  /* of the loop; -1: its default */
    const char *set;  /* to draw; NULL: that of the loop, or else the first its maps lead to that
                         can be drawn */
} mplan_view_options;
#define MPLAN_VIEW_OPTIONS_INIT                    \
    {                                              \
        sizeof(mplan_view_options), NULL, -1, NULL \
    }

/* What was drawn. Texts belong to the plan or are constant. */
typedef struct mplan_drawn {
    const char *loop, *set, *as; /* as: "cells", "lines", "faces" or "vertices" */
    int64_t members;
    int32_t variant;
    bool elements;              /* the set is the loop's own; else its points */
    int32_t n_fields, n_of_set; /* the first n_of_set are of the set, the rest of its points */
    const char *field[12];
} mplan_drawn;

/* Writes a set of the mesh with what the plan made of it as fields, for VTK and ParaView
 * (meshplan-export(1) says which). The plan is proved first, against the mesh: see
 * mplan_plan_verify for what that makes of the mesh and refuses. Members have the mesh's order.
 * MPLAN_ERR_ARGUMENT where no coordinates are. *drawn may be NULL. */
MPLAN_API mplan_status mplan_plan_export_vtu(const mplan_plan *plan, mplan_mesh *mesh,
                                             const char *path, const mplan_view_options *options,
                                             const mplan_context *context, mplan_drawn *drawn,
                                             mplan_error *err);

/* Writes a report on a plan: one HTML page that needs neither network nor scripts, with the figures and
 * their bounds, histograms, warnings, the density of the matrix of neighbours, and, with a mesh that has
 * flat cells and coordinates, pictures of it. The plan is proved first (mplan_plan_verify). title: what the plan
 * is called; mesh: may be NULL; options: the loop and variant of the pictures, set is not used. */
MPLAN_API mplan_status mplan_plan_report(const mplan_plan *plan, mplan_mesh *mesh, const char *path,
                                         const char *title, const mplan_view_options *options,
                                         const mplan_context *context, mplan_error *err);

/* The same of all parts of a mesh: parts on the mesh in colours, halos by neighbour, histograms, and the parts with the largest
 * halos. All parts are proved first (mplan_parts_verify). mesh: may be NULL. */
MPLAN_API mplan_status mplan_parts_report(const mplan_parts_source *source, mplan_mesh *mesh,
                                          const char *path, const char *title,
                                          const mplan_context *context, mplan_error *err);

/* --- jobs -------------------------------------------------------------------------------- */

typedef struct mplan_job_table {
    const mplan_table_options *options; /* NULL: defaults */
    const char *file;
} mplan_job_table;

typedef struct mplan_job_coordinates {
    const char *set, *file;
} mplan_job_coordinates;

/* Layers of a set that are read from files (mplan_mesh_read_layers, mplan_mesh_read_layer_mask), or follow by a map from those
 * of another set (mplan_mesh_spread_layers: COMMON where the map leads from the set, SPANNED where it leads to it). */
typedef struct mplan_job_layers {
    const char *set, *file,
        *map;         /* file or map, the other is NULL; both NULL: `layers` of each member */
    int32_t layers;   /* of the highest column; 0: by the file */
    const char *mask; /* file; NULL: none, and none with `map` */
} mplan_job_layers;

/* Everything `meshplan plan` needs, as read from a job file. Paths are as the
 * job gives them, relative ones joined to the folder of the job. */
typedef struct mplan_job {
    const char *mesh; /* NULL without a mesh file */
    int32_t n_sets;
    const mplan_set *sets;
    int32_t n_tables;
    const mplan_job_table *tables;
    int32_t n_coordinates;
    const mplan_job_coordinates *coordinates;
    int32_t n_loops;
    const mplan_loop *loops;
    const mplan_plan_options *options; /* NULL: defaults */
    const char *output;                /* NULL when the job names none */
    const char *path;                  /* of the job file and where its words are, for messages; */
    const void *places;                /* NULL in a job that was not read from a file */
    const char *zone; /* of a mesh file with several; NULL: what its reader takes */
    int32_t n_layers;
    const mplan_job_layers *layers; /* those that are not in options->layers */
    const char *parts; /* NULL: one plan; else as plan --parts has it: "64", "8x8" or the path of a part file */
    const char *cut; /* what cuts: "native", "metis", "scotch", or "ptscotch", of meshplan-mpi only; NULL: native */
    int32_t cut_ranks; /* that run PT-SCOTCH at most; 0: the default of meshplan-mpi */
} mplan_job;

/* Reads a YAML job (meshplan-job(5)). Errors name line and column and, for
 * words, the nearest valid one. MPLAN_ERR_UNSUPPORTED without libyaml. */
MPLAN_API mplan_status mplan_job_read(const char *path, const mplan_context *context,
                                      mplan_job **job, mplan_error *err);
MPLAN_API void mplan_job_free(mplan_job *job);
/* Reads the mesh, or builds it from the sets, tables and coordinates, of a job.
 * A loop over a set or through a map that the mesh neither has nor can derive is
 * MPLAN_ERR_CORRUPT with line, column and the nearest name. */
MPLAN_API mplan_status mplan_job_load_mesh(const mplan_job *job, const mplan_context *context,
                                           mplan_mesh **mesh, mplan_error *err);
/* Puts the place in the job's file, "path:line:column: ", before a refusal of its loops or options: that of the loop, arg,
 * set of layers or entry of the step which the sentence names. For calls that got loops or options of a job, such as
 * mplan_plan_create. Sentences that name none of them, and jobs that were not read from a file, stay as they are. */
MPLAN_API void mplan_job_locate(const mplan_job *job, mplan_error *err);
/* An option of the command line, without dashes, and its values: several for one that is a list or may be repeated. */
typedef struct mplan_batch_option {
    const char *name;
    int32_t n_values;
    const char *const *values;
} mplan_batch_option;

/* One job of a list: what `meshplan plan` gets. */
typedef struct mplan_batch_job {
    const char *input;
    const char *output, *name; /* NULL where the list has none */
    int32_t n_options;
    const mplan_batch_option *options;
    int64_t line; /* of the list */
} mplan_batch_job;

/* A list of jobs for `meshplan batch`. Paths of inputs and outputs are joined to the folder of the list. */
typedef struct mplan_batch {
    int32_t n_options;
    const mplan_batch_option *options; /* of all jobs, before their own */
    int32_t n_jobs;
    const mplan_batch_job *jobs;
} mplan_batch;

/* Reads a YAML list (meshplan-batch(1)). Names and values of options are not looked at. Errors as of mplan_job_read;
 * MPLAN_ERR_FORMAT: there is no key "batch". */
MPLAN_API mplan_status mplan_batch_read(const char *path, const mplan_context *context,
                                        mplan_batch **batch, mplan_error *err);
MPLAN_API void mplan_batch_free(mplan_batch *batch);
/* The word of a list (ended by NULL) nearest to `word`, NULL when none is near. */
MPLAN_API const char *mplan_nearest_word(const char *word, const char *const *words);

/* --- devices --------------------------------------------------------------------------------- */

typedef struct mplan_device {
    const char *name;     /* "h200" */
    int64_t shared_bytes; /* that one thread block may use */
    int32_t max_threads;
    int32_t processors;             /* streaming multiprocessors */
    int32_t processor_threads;      /* threads resident on one */
    int64_t processor_shared_bytes; /* shared memory of one */
    int64_t l2_bytes;
    double copy_rate;   /* bytes per second, read plus written */
    double flop_rate;   /* f64 instructions per second that kernels reach */
    double atomic_rate; /* f64 atomic adds per second */
    double shared_rate; /* doubles read from shared memory per second, all processors */
    double l2_rate;     /* bytes per second that gathering kernels get from the L2 cache */
    int32_t warp; /* threads of a warp; 1: a core of the host, whose strategies have times of their own */
    int32_t version; /* of the profile, grows when its numbers change: a part of a request */
    bool measured; /* the rates were measured on such a device; else they are from its data sheet, "not measured" */
    const char *source; /* where the numbers are from, in words */
    double launch;      /* seconds of a launch and the wait for the one before; 0: 2.5e-6 */
    double link; /* bytes per second from memory of the host, while half as many go there; 0: by its name */
    double link_both; /* bytes per second each way, while as many go the other way; 0: as link */
} mplan_device;
/* Profile i; MPLAN_ERR_ARGUMENT past the last. */
MPLAN_API mplan_status mplan_device_get(int32_t i, mplan_device *device);
/* The key of a rate in a file of a profile, "copy_rate"; NULL for none. */
MPLAN_API const char *mplan_rate_name(mplan_rate rate);
/* A rate of a profile, to be read or changed; NULL where rate is none. */
MPLAN_API double *mplan_device_rate(mplan_device *device, mplan_rate rate);
/* The lines of a file of the profile, as --device reads it, with a zero behind them: `size` bytes at text, 1024 hold
 * every profile. MPLAN_ERR_ARGUMENT where they are too few, or a number or the name does not fit such a file. */
MPLAN_API mplan_status mplan_device_text(const mplan_device *device, char *text, int32_t size,
                                         mplan_error *err);

#ifdef __cplusplus
}
#endif

#endif
