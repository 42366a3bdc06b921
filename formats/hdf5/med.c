/* SPDX-License-Identifier: Apache-2.0 */
/* med.c - meshes of MED files (.med), as Salome, Code_Aster, MEDCoupling and Gmsh write them
 *
 * After the documentation of MED 4, "Modele de donnees" and "Elements". ENS_MAA holds the meshes, each with its states;
 * a state the nodes (NOE) and the elements by their types (MAI), numbered axis by axis: all first nodes, then all second
 * ones. Nodes and elements have the number of a family (FAM); FAS holds the families, each with the names of its
 * groups (GRO). Versions 2 have no states. Polyhedra are not read. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/collection.h"
#include "formats/contained_formats.h"
#include "formats/hdf5/hdf5_tree.h"

#ifdef MPLAN_HAVE_HDF5

/* GROUP_NAME: bytes of a name of a group, which MED fixes (MED_LNAME_SIZE). MOST_GROUPS: names of all families
 * together. */
enum { GROUP_NAME = 80, MOST_GROUPS = 1 << 20 };

/* A name that a family belongs to; families have one entry for each of their groups. */
typedef struct med_group {
    int64_t family;
    char name[GROUP_NAME + 1];
} med_group;

/* A file that is read.
 * families and state are paths for the mesh and the state that were chosen; in version 2 state is the path of the
 * mesh. groups has an entry for each name of each family, nodes' and elements', and is sorted before any of them is
 * looked up. */
typedef struct med_reader {
    mplan_hdf5_tree tree;
    mplan_collection collection;
    char families[MPLAN_HDF5_PATH]; /* FAS/mesh */
    char state[MPLAN_HDF5_PATH];    /* ENS_MAA/mesh/state */
    mplan_vector groups;            /* med_group, by family */
} med_reader;

/* order: Gmsh's node k is MED's order[k] - 'A'; NULL: the same order. */
typedef struct med_type {
    const char *name;
    int32_t nodes; /* that the file has for an element */
    mplan_cell_type type;
    const char *order;
} med_type;

static const med_type types[] = {
    {"SE2", 2, MPLAN_CELL_LINE2, NULL},
    {"SE3", 3, MPLAN_CELL_LINE3, NULL},
    {"TR3", 3, MPLAN_CELL_TRI3, NULL},
    {"TR6", 6, MPLAN_CELL_TRI6, NULL},
    {"TR7", 7, MPLAN_CELL_TRI6, NULL}, /* without the node in the middle */
    {"QU4", 4, MPLAN_CELL_QUAD4, NULL},
    {"QU8", 8, MPLAN_CELL_QUAD8, NULL},
    {"QU9", 9, MPLAN_CELL_QUAD9, NULL},
    {"TE4", 4, MPLAN_CELL_TET4, "ACBD"},
    {"T10", 10, MPLAN_CELL_TET10, "ACBDGFEHIJ"},
    {"PY5", 5, MPLAN_CELL_PYRAMID5, "ADCBE"},
    {"P13", 13, MPLAN_CELL_PYRAMID13, "ADCBEIFJHMGLK"},
    {"PE6", 6, MPLAN_CELL_PRISM6, "ACBDFE"},
    {"P15", 15, MPLAN_CELL_PRISM15, "ACBDFEIGMHONLJK"},
    {"P18", 18, MPLAN_CELL_PRISM18, "ACBDFEIGMHONLJKRPQ"},
    {"HE8", 8, MPLAN_CELL_HEX8, "ADCBEHGF"},
    {"H20", 20, MPLAN_CELL_HEX20, "ADCBEHGFLIQKTJSRPMON"},
    {"H27", 27, MPLAN_CELL_HEX27, "ADCBEHGFLIQKTJSRPMONUYVXWZ["},
};
enum { N_TYPES = sizeof types / sizeof *types };

static mplan_status fail(const med_reader *reader, const char *path, mplan_status status,
                         const char *what, mplan_error *err)
{
    return mplan_hdf5_fail(&reader->tree, path, status, what, err);
}

/* path: out, `folder`/`name`; false where that is too long. */
static bool join(char path[MPLAN_HDF5_PATH], const char *folder, const char *name)
{
    int n = snprintf(path, MPLAN_HDF5_PATH, "%s/%s", folder, name);
    return n > 0 && n < MPLAN_HDF5_PATH;
}

/* --- families and groups ------------------------------------------------------------------ */

/* Blanks behind a name do not belong to it.
 * text: ended by a zero, cut to GROUP_NAME bytes. Names of blanks only are left out. */
static mplan_status add_group(med_reader *reader, int64_t family, const char *text, mplan_error *err)
{
    med_group added = {.family = family};
    snprintf(added.name, sizeof added.name, "%s", text);
    for (size_t n = strlen(added.name); n > 0 && added.name[n - 1] == ' ';)
        added.name[--n] = '\0';
    if (!added.name[0])
        return MPLAN_OK;
    if (reader->groups.count == MOST_GROUPS)
        return fail(reader, reader->families, MPLAN_ERR_UNSUPPORTED,
                    "has more than 1,048,576 names of groups", err);
    return mplan_vector_push(&reader->groups, &added, err);
}

/* The names of the groups of one family. A family without any is legal.
 * GRO/NOM has a text of fixed length for each: name i is at texts + i * width. */
static mplan_status read_family(med_reader *reader, const char *path, mplan_error *err)
{
    char names[MPLAN_HDF5_PATH], *texts = NULL;
    mplan_hdf5_shape shape;
    int64_t family, width = 0;
    if (!mplan_hdf5_attribute(&reader->tree, path, "NUM", &family))
        return fail(reader, path, MPLAN_ERR_CORRUPT, "is a family without a number", err);
    if (!join(names, path, "GRO/NOM") ||
        mplan_hdf5_look(&reader->tree, names, NULL) == MPLAN_HDF5_NOTHING)
        return MPLAN_OK;
    mplan_status status = mplan_hdf5_texts(&reader->tree, names, &texts, &width, &shape, err);
    for (int64_t i = 0; i < shape.n && !status; i++)
        status = add_group(reader, family, texts + i * width, err);
    free(texts);
    return status;
}

/* folder: NOEUD or ELEME, or in version 2 the families themselves.
 * MED numbers families of nodes above 0 and those of elements below, so that one list holds both. */
static mplan_status read_families(med_reader *reader, const char *folder, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH], name[MPLAN_HDF5_NAME], inner[MPLAN_HDF5_PATH];
    mplan_status status = MPLAN_OK;
    if (!join(path, reader->families, folder))
        return MPLAN_OK;
    const int64_t n = mplan_hdf5_n_names(&reader->tree, path);
    for (int64_t i = 0; i < n && !status; i++)
        if (mplan_hdf5_name(&reader->tree, path, i, name) && join(inner, path, name))
            status = read_family(reader, inner, err);
    return status;
}

/* By family, then by name: equal names of a family follow each other, and join_groups can leave out the second. */
static int compare_groups(const void *left, const void *right)
{
    const med_group *a = left, *b = right;
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The first entry whose family is not lower, found by halving: the first of the family, if it has any. groups.count
 * where all are lower. */
static int64_t find_family(const med_reader *reader, int64_t family)
{
    const med_group *group = reader->groups.data;
    int64_t low = 0, high = reader->groups.count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (group[middle].family < family)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Member `first` + i of a dimension has family family[i]: it joins its groups, each once. */
static mplan_status join_groups(med_reader *reader, int32_t dimension, int64_t first, int64_t n,
                                const int64_t *family, mplan_error *err)
{
    const med_group *group = reader->groups.data;
    mplan_status status = MPLAN_OK;
    int64_t begin = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        if (i == 0 || family[i] != family[i - 1])
            begin = find_family(reader, family[i]);
        for (int64_t g = begin; g < reader->groups.count && group[g].family == family[i] && !status;
             g++)
            if (g == begin || strcmp(group[g].name, group[g - 1].name) != 0)
                status = mplan_collect_member_at(&reader->collection, dimension, first + i, 0,
                                                 group[g].name, strlen(group[g].name), err);
    }
    return status;
}

/* folder/FAM, where it is.
 * FAM has a number for each of the n members that were read from the folder, in their order; `first` is the number
 * of the first of them in its dimension. Without FAM all are in family 0, which has no groups. */
static mplan_status read_members(med_reader *reader, const char *folder, int32_t dimension,
                                 int64_t first, int64_t n, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape;
    int64_t *family = NULL;
    if (!join(path, folder, "FAM") || mplan_hdf5_look(&reader->tree, path, NULL) == MPLAN_HDF5_NOTHING)
        return MPLAN_OK;
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, &family, &shape, err);
    if (!status && shape.n != n)
        status = fail(reader, path, MPLAN_ERR_CORRUPT, "does not have one number for each member",
                      err);
    if (!status)
        status = join_groups(reader, dimension, first, n, family, err);
    free(family);
    return status;
}

/* --- nodes and elements -------------------------------------------------------------------- */

/* All x, then all y, ...: NBR of each.
 * Nodes are numbered [0, NBR) in the order of the file; axes that it does not have are 0. */
static mplan_status read_nodes(med_reader *reader, mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH], path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape;
    double *values = NULL;
    int64_t n = 0;
    if (!join(folder, reader->state, "NOE") || !join(path, folder, "COO"))
        return fail(reader, reader->state, MPLAN_ERR_CORRUPT, "has too long a name", err);
    mplan_status status = mplan_hdf5_real(&reader->tree, path, &values, &shape, err);
    if (!status && (!mplan_hdf5_attribute(&reader->tree, path, "NBR", &n) || n < 1 ||
                    n >= INT32_MAX || shape.n % n != 0 || shape.n / n < 1 || shape.n / n > 3))
        status = fail(reader, path, MPLAN_ERR_CORRUPT,
                      "does not hold 1, 2 or 3 coordinates for each of NBR nodes", err);
    for (int64_t i = 0; i < n && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int64_t d = 0; d < shape.n / n && !status; d++) {
            xyz[d] = values[d * n + i];
            if (!(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = fail(reader, path, MPLAN_ERR_MESH, "has a coordinate that is not finite",
                              err);
        }
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
    }
    free(values);
    return status ? status : read_members(reader, folder, 0, 0, n, err);
}

/* A node of an element, from 1 in the file.
 * *node: from 0; 0 after a failure. All nodes must have been collected. */
static mplan_status take_node(const med_reader *reader, const char *path, int64_t number,
                              int32_t *node, mplan_error *err)
{
    char what[96];
    const int64_t n = mplan_collected_nodes(&reader->collection);
    *node = number >= 1 && number <= n ? (int32_t)(number - 1) : 0;
    if (number >= 1 && number <= n)
        return MPLAN_OK;
    snprintf(what, sizeof what, "has a node %lld, which is not in [1, %lld]", (long long)number,
             (long long)n);
    return fail(reader, path, MPLAN_ERR_MESH, what, err);
}

/* Node k of element e is number k * n + e of the file.
 * number: n x of->nodes, which may be more than the type here has (TR7): the others are left out. */
static mplan_status collect_elements(med_reader *reader, const med_type *of, const char *path,
                                     const int64_t *number, int64_t n, mplan_error *err)
{
    mplan_status status = mplan_collect_room(&reader->collection, of->type, n, err);
    for (int64_t e = 0; e < n && !status; e++) {
        int32_t *nodes = mplan_collect_cell(&reader->collection, of->type, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < mplan_cell_type_nodes(of->type) && !status; k++) {
            const int32_t theirs = of->order ? of->order[k] - 'A' : k;
            status = take_node(reader, path, number[theirs * n + e], &nodes[k], err);
        }
    }
    return status;
}

/* The elements of one type, with their groups.
 * Elements of one dimension are numbered in the order in which their types are read; `first` is where these begin. A
 * type whose folder is not there has none. */
static mplan_status read_elements(med_reader *reader, const med_type *of, mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH], path[MPLAN_HDF5_PATH], type[16];
    mplan_hdf5_shape shape;
    int64_t *number = NULL;
    const int32_t dimension = mplan_cell_type_dimension(of->type);
    const int64_t first = reader->collection.type[dimension].count;
    snprintf(type, sizeof type, "MAI/%s", of->name);
    if (!join(folder, reader->state, type) || !join(path, folder, "NOD") ||
        mplan_hdf5_look(&reader->tree, folder, NULL) != MPLAN_HDF5_GROUP)
        return MPLAN_OK;
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, &number, &shape, err);
    if (!status && (shape.n % of->nodes != 0 || first + shape.n / of->nodes >= INT32_MAX))
        status = fail(reader, path, MPLAN_ERR_CORRUPT, "does not hold whole elements", err);
    if (!status)
        status = collect_elements(reader, of, path, number, shape.n / of->nodes, err);
    free(number);
    return status ? status : read_members(reader, folder, dimension, first, shape.n / of->nodes, err);
}

/* INN says where each polygon begins in NOD, from 1.
 * begin: n + 1 entries, the last one behind the last polygon; number: n_numbers nodes, from 1 as well. */
static mplan_status collect_polygons(med_reader *reader, const char *path, const int64_t *begin,
                                     int64_t n, const int64_t *number, int64_t n_numbers,
                                     mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < n && !status; p++) {
        if (begin[p] < 1 || begin[p + 1] > n_numbers + 1 || begin[p + 1] < begin[p] ||
            begin[p + 1] - begin[p] < 3 || begin[p + 1] - begin[p] > INT32_MAX)
            return fail(reader, path, MPLAN_ERR_CORRUPT,
                        "has a polygon of less than 3 nodes, or of more than there are", err);
        const int32_t size = (int32_t)(begin[p + 1] - begin[p]);
        int32_t *nodes = mplan_collect_face(&reader->collection, size, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < size && !status; k++)
            status = take_node(reader, path, number[begin[p] - 1 + k], &nodes[k], err);
    }
    return status;
}

/* Cells of any number of nodes: INN says where each begins in NOD, with one entry more than cells, both from 1. */
static mplan_status read_polygons(med_reader *reader, mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH], path[MPLAN_HDF5_PATH], starts[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape, of_starts = {.n = 0};
    int64_t *number = NULL, *begin = NULL;
    const int64_t first = reader->collection.type[2].count;
    if (!join(folder, reader->state, "MAI/POG") || !join(path, folder, "NOD") ||
        !join(starts, folder, "INN") ||
        mplan_hdf5_look(&reader->tree, folder, NULL) != MPLAN_HDF5_GROUP)
        return MPLAN_OK;
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, &number, &shape, err);
    if (!status)
        status = mplan_hdf5_whole(&reader->tree, starts, &begin, &of_starts, err);
    if (!status && of_starts.n < 1)
        status = fail(reader, starts, MPLAN_ERR_CORRUPT, "is empty", err);
    if (!status)
        status = collect_polygons(reader, path, begin, of_starts.n - 1, number, shape.n, err);
    free(number);
    free(begin);
    return status ? status : read_members(reader, folder, 2, first, of_starts.n - 1, err);
}

/* Types that are not read are refused, but for points, which are not a part of meshes here. */
static mplan_status check_types(const med_reader *reader, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH], name[MPLAN_HDF5_NAME], what[64 + MPLAN_HDF5_NAME];
    if (!join(path, reader->state, "MAI"))
        return MPLAN_OK;
    const int64_t n = mplan_hdf5_n_names(&reader->tree, path);
    for (int64_t i = 0; i < n; i++) {
        bool known = false;
        if (!mplan_hdf5_name(&reader->tree, path, i, name))
            continue;
        for (int32_t t = 0; t < N_TYPES; t++)
            known = known || strcmp(name, types[t].name) == 0;
        if (known || strcmp(name, "PO1") == 0 || strcmp(name, "POG") == 0)
            continue;
        snprintf(what, sizeof what, "has elements of type %s, which are not supported", name);
        return fail(reader, path, MPLAN_ERR_UNSUPPORTED, what, err);
    }
    return MPLAN_OK;
}

/* --- which mesh ----------------------------------------------------------------------------- */

/* The first of a group's names that is a group, or `wanted` of them; *n: how many, list: their names. */
static bool choose(const med_reader *reader, const char *folder, const char *wanted,
                   char chosen[MPLAN_HDF5_NAME], int64_t *n, char *list, size_t size)
{
    char path[MPLAN_HDF5_PATH], name[MPLAN_HDF5_NAME];
    const int64_t n_names = mplan_hdf5_n_names(&reader->tree, folder);
    size_t used = 0;
    bool found = false;
    *n = 0;
    list[0] = '\0';
    for (int64_t i = 0; i < n_names; i++) {
        if (!mplan_hdf5_name(&reader->tree, folder, i, name) || !join(path, folder, name) ||
            mplan_hdf5_look(&reader->tree, path, NULL) != MPLAN_HDF5_GROUP)
            continue;
        if (used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%s", *n ? ", " : "", name);
        if (!found && (!wanted || strcmp(wanted, name) == 0)) {
            memcpy(chosen, name, MPLAN_HDF5_NAME);
            found = true;
        }
        ++*n;
    }
    return found;
}

/* The state of the mesh: in version 2 the mesh itself; of several the first. */
static mplan_status choose_state(med_reader *reader, const char *mesh, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH], inner[MPLAN_HDF5_PATH], list[192], state[MPLAN_HDF5_NAME];
    int64_t n, kind = 0;
    if (!join(path, "ENS_MAA", mesh) || !join(reader->families, "FAS", mesh))
        return fail(reader, mesh, MPLAN_ERR_CORRUPT, "is too long a name", err);
    if (mplan_hdf5_attribute(&reader->tree, path, "TYP", &kind) && kind != 0)
        return fail(reader, path, MPLAN_ERR_UNSUPPORTED,
                    "is a structured mesh, which is not supported", err);
    memcpy(reader->state, path, sizeof path);
    if (join(inner, path, "NOE") && mplan_hdf5_look(&reader->tree, inner, NULL) == MPLAN_HDF5_GROUP)
        return MPLAN_OK;
    if (!choose(reader, path, NULL, state, &n, list, sizeof list) ||
        !join(reader->state, path, state))
        return fail(reader, path, MPLAN_ERR_CORRUPT, "holds no mesh", err);
    if (n > 1)
        mplan_warn(reader->tree.context,
                   "%s: mesh %s has %lld states in time; only the first is read",
                   reader->tree.input->path, mesh, (long long)n);
    return MPLAN_OK;
}

/* zone: the name of a mesh, NULL if there is only one. */
static mplan_status choose_mesh(med_reader *reader, const char *zone, mplan_error *err)
{
    char list[384], mesh[MPLAN_HDF5_NAME];
    int64_t n;
    const char *file = reader->tree.input->path;
    if (!choose(reader, "ENS_MAA", zone, mesh, &n, list, sizeof list))
        return n == 0 ? mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: the file has no mesh", file)
                      : mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no mesh '%.64s' among %s",
                                   file, zone, list);
    if (!zone && n > 1)
        mplan_warn(reader->tree.context, "%s: the file has %lld meshes (%s); only the first is read",
                   file, (long long)n, list);
    return choose_state(reader, mesh, err);
}

/* The mesh of that name, or the first: families, nodes, then elements type by type. */
static mplan_status read_all(med_reader *reader, const char *zone, mplan_error *err)
{
    mplan_status status = choose_mesh(reader, zone, err);
    if (!status)
        status = check_types(reader, err);
    if (!status)
        status = read_families(reader, "NOEUD", err);
    if (!status)
        status = read_families(reader, "ELEME", err);
    if (!status && reader->groups.count > 0)
        qsort(reader->groups.data, (size_t)reader->groups.count, sizeof(med_group), compare_groups);
    if (!status)
        status = read_nodes(reader, err);
    for (int32_t t = 0; t < N_TYPES && !status; t++)
        status = read_elements(reader, &types[t], err);
    return status ? status : read_polygons(reader, err);
}

/* Groups are named by families, which cells and nodes refer to by number; reader.groups keeps
 * them until all cells are known. */
static mplan_status read_med(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    med_reader reader = {.groups = MPLAN_VECTOR_INIT(sizeof(med_group))};
    mplan_status status = mplan_hdf5_begin(&reader.tree, input, context, err);
    if (status)
        return status;
    mplan_collection_begin(&reader.collection, input->path, context);
    status = read_all(&reader, options ? options->zone : NULL, err);
    status = mplan_hdf5_end_collected(&reader.tree, &reader.collection, status, mesh, err);
    free(reader.groups.data);
    return status;
}
#elif defined MPLAN_HELPER_HDF5
MPLAN_CONTAINED_READER(read_med, "med")
#endif

/* The group of the meshes is in every file of MED. */
static mplan_recognised recognise_med(const uint8_t *data, size_t size)
{
    return mplan_hdf5_holds(data, size, "ENS_MAA", "ENS_MAA") ? MPLAN_RECOGNISED_YES
                                                              : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_med = {
    .name = "med",
    .description = "MED (Salome, Code_Aster), first and second order, with groups",
    .extensions = ".med .rmed .mmed",
    .zones = MPLAN_ZONES_APART,
    .recognise = recognise_med,
    MPLAN_READ_BY_HDF5(read_med),
};
