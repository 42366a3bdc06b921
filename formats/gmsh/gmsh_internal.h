/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_internal.h - what the parts of the Gmsh reader and writer share
 *
 * Source: Gmsh reference manual 4.8, "MSH file format" and "Legacy formats";
 * version 4.0 as told by its list of differences from 4.1. */
#ifndef MPLAN_GMSH_INTERNAL_H
#define MPLAN_GMSH_INTERNAL_H

#include "base/memory.h"
#include "formats/scan.h"
#include "formats/text_out.h"

/* From node (or element) tags to their number in file order. Tags that ascend
 * by one need no table, dense ones a plain table, sparse ones a hash table. */
typedef struct gmsh_index {
    int64_t first, n;      /* without hash: tags in [first, first + n) may be known */
    int32_t *table;        /* n entries, -1 unknown; NULL: tag - first */
    int64_t *hash_tags;    /* mask + 1 slots; NULL: no hash */
    int32_t *hash_numbers; /* -1: free slot */
    uint64_t mask;
} gmsh_index;

static inline uint64_t gmsh_hash_slot(const gmsh_index *index, int64_t tag)
{
    uint64_t x = (uint64_t)tag * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ x >> 32) & index->mask;
}

/* -1 when the tag is not known */
static inline int32_t gmsh_index_find(const gmsh_index *index, int64_t tag)
{
    if (index->hash_tags) {
        uint64_t slot = gmsh_hash_slot(index, tag);
        while (index->hash_numbers[slot] >= 0 && index->hash_tags[slot] != tag)
            slot = (slot + 1) & index->mask;
        return index->hash_numbers[slot];
    }
    uint64_t at = (uint64_t)tag - (uint64_t)index->first;
    if (at >= (uint64_t)index->n)
        return -1;
    return index->table ? index->table[at] : (int32_t)at;
}

/* A shape in Gmsh's numbering. */
typedef struct gmsh_shape {
    mplan_cell_type type;
    int32_t dimension, n_nodes;
    int32_t n_read; /* nodes in the file: n_nodes, and those of higher orders, which are skipped */
} gmsh_shape;

/* Elements [first, first + count) of a dimension belong to a physical group. */
typedef struct gmsh_run {
    int64_t first, count;
    int64_t physical; /* > 0 */
} gmsh_run;

/* The elements of one dimension in file order. */
typedef struct gmsh_elements {
    mplan_vector type;  /* uint8_t: mplan_cell_type */
    mplan_vector nodes; /* int32_t: numbers of nodes, one element after the other */
    mplan_vector runs;  /* gmsh_run */
    /* of version 2 only, where an element of several groups occurs repeatedly: */
    mplan_vector tags; /* int64_t */
    int64_t last_physical, last_elementary;
} gmsh_elements;

/* An elementary entity with physical groups. */
typedef struct gmsh_entity {
    int32_t dimension, n_physicals;
    int64_t tag;
    int64_t first; /* of its physicals */
} gmsh_entity;

/* The name of a physical group. */
typedef struct gmsh_name {
    int64_t dimension; /* -1: any (version 2.0 does not tell) */
    int64_t physical;
    const char *text; /* in the input */
    size_t length;
} gmsh_name;

/* A Gmsh file that is read; elements[d]: those of dimension d. */
typedef struct gmsh_reader {
    mplan_scanner scan; /* its line counts in text files only */
    const mplan_context *context;
    int32_t version; /* ten times: 10, 20, 21, 22, 40, 41 */
    bool binary, swap;
    size_t size_width; /* bytes of a size_t in binary files */
    int64_t n_nodes;
    mplan_vector node_tags;   /* int64_t */
    mplan_vector coordinates; /* double, three a node */
    int64_t duplicate;        /* number of the node to complain about, -1: none */
    gmsh_index node_index;
    bool has_nodes, has_elements;
    bool higher_order;      /* the warning that nodes are skipped was given */
    mplan_vector names;     /* gmsh_name */
    mplan_vector entities;  /* gmsh_entity, by (dimension, tag) */
    mplan_vector physicals; /* int64_t */
    gmsh_elements elements[4];
} gmsh_reader;

/* --- gmsh_stream.c: numbers, sections and errors of text and binary files --- */

/* "path:line: " of the current line, or "path: byte N: " of `at`. */
#define mplan_gmsh_fail(reader, at, ...) \
    mplan_scan_fail_at(&(reader)->scan, at, (reader)->binary, __VA_ARGS__)

/* The next n numbers of type int, size_t, double. `what` is for the message. */
mplan_status mplan_gmsh_ints(gmsh_reader *reader, const char *what, int64_t n, int64_t *values,
                             mplan_error *err);
mplan_status mplan_gmsh_sizes(gmsh_reader *reader, const char *what, int64_t n, int64_t *values,
                              mplan_error *err);
mplan_status mplan_gmsh_doubles(gmsh_reader *reader, const char *what, int64_t n, double *values,
                                mplan_error *err);
/* A count of things of at least `least` bytes each in binary and two characters
 * each number in text, that must fit into the rest of the file. */
mplan_status mplan_gmsh_count(gmsh_reader *reader, const char *what, int64_t numbers, size_t least,
                              int64_t *count, mplan_error *err);
/* MPLAN_ERR_CORRUPT unless count things fit into the rest of the file. */
mplan_status mplan_gmsh_fits(const gmsh_reader *reader, const char *what, int64_t count,
                             int64_t numbers, size_t least, mplan_error *err);
/* A whole number that is text in binary files too. `what`: "expected WHAT". */
mplan_status mplan_gmsh_text_int(gmsh_reader *reader, const char *what, int64_t *value,
                                 mplan_error *err);
/* A line with nothing but the number of `what`, text in binary files too. */
mplan_status mplan_gmsh_text_count(gmsh_reader *reader, const char *what, int64_t *count,
                                   mplan_error *err);
/* Past the end of a line whose content is read. */
mplan_status mplan_gmsh_end_line(gmsh_reader *reader, mplan_error *err);
/* The line that ends section `name`. */
mplan_status mplan_gmsh_end_section(gmsh_reader *reader, const char *name, mplan_error *err);
/* Past the section of which the header is read. */
mplan_status mplan_gmsh_skip_section(gmsh_reader *reader, const char *name, size_t length,
                                     mplan_error *err);
/* Reports progress and heeds cancellation. */
mplan_status mplan_gmsh_pause(const gmsh_reader *reader, mplan_error *err);

/* --- gmsh_index.c ----------------------------------------------------------- */

/* Tags of things 0 ... n - 1. *duplicate: the first thing whose tag came
 * before, -1 when all differ (the earlier thing is the one found). */
mplan_status mplan_gmsh_index_build(gmsh_index *index, int64_t n, const int64_t *tags,
                                    int64_t *duplicate, mplan_error *err);
void mplan_gmsh_index_free(gmsh_index *index);

/* --- gmsh_nodes.c, gmsh_entities.c, gmsh_elements.c: sections ------------------- */

/* parametric: the section $ParametricNodes of version 2 */
mplan_status mplan_gmsh_read_nodes(gmsh_reader *reader, bool parametric, mplan_error *err);
/* $Entities and $PartitionedEntities */
mplan_status mplan_gmsh_read_entities(gmsh_reader *reader, bool partitioned, mplan_error *err);
/* NULL when the entity is not known. */
const gmsh_entity *mplan_gmsh_find_entity(const gmsh_reader *reader, int64_t dimension, int64_t tag);
mplan_status mplan_gmsh_read_elements(gmsh_reader *reader, mplan_error *err);

/* --- gmsh_repeats.c ------------------------------------------------------------- */

/* Where the nodes of each element begin, and the end; release with free(). */
int64_t *mplan_gmsh_element_offsets(const gmsh_elements *of, mplan_error *err);
/* Joins elements that repeat the tag, shape and nodes of an earlier one. */
mplan_status mplan_gmsh_join_repeats(gmsh_elements *of, mplan_error *err);

/* --- gmsh_groups.c -------------------------------------------------------------- */

/* Elements [first, first + count) belong to a group. Of the last runs that
 * these elements continue one grows, so that groups which take turns make few. */
mplan_status mplan_gmsh_add_run(mplan_vector *runs, int64_t first, int64_t count, int64_t physical,
                                mplan_error *err);

/* Moves what was read into the mesh: cells, coordinates, groups, facets. */
mplan_status mplan_gmsh_build_mesh(gmsh_reader *reader, mplan_mesh *mesh, mplan_error *err);

/* --- gmsh_shapes.c -------------------------------------------------------------- */

/* False for numbers of shapes that are not read. */
bool mplan_gmsh_shape(int64_t number, gmsh_shape *shape);
/* What such a number stands for: "a triangle of third or higher order". */
const char *mplan_gmsh_shape_word(int64_t number);
/* Gmsh's number of a cell type. */
int32_t mplan_gmsh_shape_number(mplan_cell_type type);

/* --- gmsh_parts.c: what is written -------------------------------------------- */

/* Elements that are in the same groups have the same signature; each that
 * occurs becomes an entity. */
typedef struct gmsh_signature {
    int32_t parent;   /* without the last group; -1: of elements in no group */
    int64_t physical; /* tag of the last group; without parent: 0 or that of a group of the rest */
    int64_t n;        /* elements */
    int32_t entity;   /* tag, from 1; 0 when no element has the signature */
    int32_t child, stamp; /* while they are made: the signature with group `stamp` */
} gmsh_signature;

/* A physical group to be written. */
typedef struct gmsh_physical {
    const char *name;
    int64_t tag, n_members;
    const int32_t *members;
    int32_t *own_members; /* released with the part; NULL: the mesh's */
} gmsh_physical;

/* The elements of one dimension: cells, facets or points, each once. */
typedef struct gmsh_part {
    int32_t dimension;
    int64_t n;
    int64_t largest_id;      /* of the groups of the mesh that can be tags: new tags are above */
    const uint8_t *type;     /* of each element */
    const int32_t *nodes;    /* one element after the other */
    mplan_vector groups;     /* gmsh_physical */
    mplan_vector signatures; /* gmsh_signature */
    int32_t *signature_of;   /* of each element */
    mplan_vector own_type, own_nodes; /* of facets and points: uint8_t, int32_t */
    mplan_vector offsets;             /* int64_t: where the nodes of these begin */
    int32_t *slots;                   /* hash table of these, -1 free; n_slots a power of two */
    int64_t n_slots;
} gmsh_part;

/* parts[d]: of dimension d; those without elements are empty. Groups and sets of faces
 * that have no place there are left out with a warning. kind: "a Gmsh file". */
mplan_status mplan_gmsh_collect_parts(const mplan_mesh *mesh, const char *kind, gmsh_part parts[4],
                                      const mplan_context *context, mplan_error *err);
/* What such a file needs: cells, and coordinates of nodes. MPLAN_ERR_ARGUMENT without. */
mplan_status mplan_gmsh_find_nodes(const mplan_mesh *mesh, const char *kind, int64_t *n_nodes,
                                   const double **coordinates, int32_t *dimension, mplan_error *err);
void mplan_gmsh_free_parts(gmsh_part parts[4]);
/* For formats that keep one number for each element: reference[d][e] is the tag of the first group that element e of
 * parts[d] is in, 0 without one. Names, and groups beyond the first, are lost with a warning. The arrays are from
 * mplan_alloc, also after a failure; NULL where it came before them. gmsh_references.c */
mplan_status mplan_gmsh_references(const gmsh_part parts[4], const char *kind, int32_t *reference[4],
                                   const mplan_context *context, mplan_error *err);

/* --- gmsh_write.c: what writers of all versions share; gmsh_write4.c, gmsh_write2.c --- */

/* Failures stay in out.status, and what follows is dropped. */
typedef struct gmsh_writer {
    mplan_text_out out;
    const mplan_context *context;
    bool binary;
    int32_t dimension; /* of the cells */
    int64_t n_nodes;
    const double *coordinates;
    int32_t coordinate_dimension;
    double box[6]; /* smallest and largest coordinates */
    gmsh_part parts[4];
} gmsh_writer;

/* Numbers of type int, size_t, double, and the end of a row of text. */
void mplan_gmsh_put_int(gmsh_writer *to, int32_t value);
void mplan_gmsh_put_size(gmsh_writer *to, int64_t value);
void mplan_gmsh_put_reals(gmsh_writer *to, const double *values, int32_t n);
void mplan_gmsh_put_row(gmsh_writer *to);
/* A line such as $EndNodes; behind binary data it begins on a new line. */
void mplan_gmsh_put_end(gmsh_writer *to, const char *line);
/* $PhysicalNames, when there are any. */
void mplan_gmsh_put_names(gmsh_writer *to);
/* Three coordinates of a node. */
void mplan_gmsh_node(const gmsh_writer *to, int64_t node, double xyz[3]);

void mplan_gmsh_write_version4(gmsh_writer *to);
/* MPLAN_ERR_UNSUPPORTED for more elements than it can number. */
void mplan_gmsh_write_version2(gmsh_writer *to);

/* The formats' `write`. */
mplan_status mplan_gmsh_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err);

#endif
