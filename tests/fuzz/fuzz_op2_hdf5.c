/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_op2_hdf5.c - the reader of OP2's HDF5 files on whatever libhdf5 may say: refused, or a mesh from which
 * all can be derived
 *
 * The functions of libhdf5 that the reader calls are defined here and answer from the bytes: which datasets
 * and attributes there are, their types, shapes and numbers, and which call fails. libhdf5 itself is not
 * called, and costs nothing; fuzz_op2_hdf5_files.c goes through it. Every id that is opened has to be closed. */
#include <hdf5.h>
#include <string.h>

#include "fuzz_bytes.h"
#include "fuzz_mesh.h"

enum { MOST_TABLES = 12, MOST_WORDS = 24, NAME = 160, MOST_BYTES = 4096, N_ATTRIBUTES = 6 };

typedef enum kind { NOTHING, FILE_ID, DATASET, ATTRIBUTE, TYPE, SPACE, TEXT_TYPE, PROPERTIES } kind;

typedef struct attribute {
    bool there, text, variable;
    int count;
    size_t size;
    const char *value;
} attribute;

typedef struct table {
    char name[NAME];
    bool hard;
    H5T_class_t class;
    int rank;
    hsize_t length[3];
    attribute attribute[N_ATTRIBUTES];
    int64_t number[64]; /* and again from the first */
} table;

static const char *const attribute_names[N_ATTRIBUTES] = {"size", "dim", "type",
                                                          "from", "to",  "set"};

/* What the functions answer from: the one file of an execution. */
static struct {
    int n_tables;
    table tables[MOST_TABLES];
    int calls, fails_at; /* this call fails; 0: none */
    int n_open;
} hdf5;

/* --- the file, after the bytes --------------------------------------------------------- */

static void take_text(fuzz_bytes *from, char *text, int most)
{
    int n = fuzz_take(from, most);
    memset(text, 0, (size_t)most + 1);
    for (int i = 0; i < n; i++)
        text[i] = (char)(1 + fuzz_take(from, 254));
}

static void take_attributes(fuzz_bytes *from, table *of)
{
    static const char *const words[] = {"nodes", "cells", "edges", "bedges",
                                        "",      "x",     "node",  "cell"};
    int there = fuzz_take(from, 255);
    for (int a = 0; a < N_ATTRIBUTES; a++) {
        attribute *found = &of->attribute[a];
        *found = (attribute){
            .there = there >> a & 1, .text = true, .count = 1, .size = 16, .value = "nodes"};
        if (!found->there || a < 2)
            continue;
        int odd = fuzz_take(from, 255);
        found->value = words[odd & 7];
        if (odd >= 224) {
            found->text = odd & 8;
            found->variable = odd & 16;
            found->count = fuzz_take(from, 3);
            found->size = (size_t)fuzz_take(from, 255);
        }
    }
}

static void take_table(fuzz_bytes *from, const char *name, table *of)
{
    static const H5T_class_t classes[] = {H5T_INTEGER, H5T_INTEGER, H5T_INTEGER, H5T_FLOAT,
                                          H5T_INTEGER, H5T_INTEGER, H5T_FLOAT,   H5T_STRING};
    int what = fuzz_take(from, 255), n = fuzz_take(from, 63);
    memset(of, 0, sizeof *of);
    snprintf(of->name, sizeof of->name, "%s", name);
    of->class = classes[what & 7];
    of->rank = (what >> 3 & 3) == 3 && what < 128 ? 2 : what >> 3 & 3;
    of->hard = what < 250;
    for (int d = 0; d < of->rank; d++)
        of->length[d] = (hsize_t)fuzz_take_number(from);
    take_attributes(from, of);
    for (int i = 0; i <= n; i++)
        of->number[i] = fuzz_take_number(from);
}

/* Names ascend and are there once, as the library tells them. */
static void take_file(fuzz_bytes *from)
{
    static const char *const names[] = {
        "-->",         "a-->b.c",          "bedges", "cells",   "coords", "edge-->node", "edges",
        "edges_cells", "node_coordinates", "nodes",  "p_bound", "p_x",    "pbecell",     "pbedge",
        "pcell",       "pecell",           "pedge",  "s",       "x"};
    enum { N_NAMES = sizeof names / sizeof *names };
    hdf5.n_tables = hdf5.calls = hdf5.n_open = 0;
    hdf5.fails_at = fuzz_take(from, 1) ? fuzz_take(from, 255) : 0;
    uint32_t there = 0;
    for (int i = 0; i < 3; i++)
        there |= (uint32_t)fuzz_take(from, 255) << (8 * i);
    for (int i = 0; i < N_NAMES && hdf5.n_tables < MOST_TABLES; i++)
        if (there >> i & 1)
            take_table(from, names[i], &hdf5.tables[hdf5.n_tables++]);
    char name[NAME] = "y";
    if (there >> N_NAMES & 1 && hdf5.n_tables < MOST_TABLES) {
        take_text(from, name + 1, NAME - 2);
        take_table(from, name, &hdf5.tables[hdf5.n_tables++]);
    }
}

/* --- libhdf5 ---------------------------------------------------------------------------- */

/* The constants of hdf5.h are variables of the library, which are set when it begins. */
hid_t H5T_NATIVE_INT64_g = 11, H5T_NATIVE_LLONG_g = 11, H5T_NATIVE_DOUBLE_g = 12, H5T_C_S1_g = 13;
hid_t H5P_CLS_FILE_ACCESS_ID_g = 14;

static bool fails(void)
{
    return ++hdf5.calls == hdf5.fails_at;
}

static hid_t open_id(kind of, int64_t place)
{
    hdf5.n_open++;
    return (hid_t)of << 32 | place;
}

static int place_of(hid_t id)
{
    return (int)(id & 0xffffffff);
}

static herr_t close_id(hid_t id, kind of, kind or)
{
    if (id >> 32 != of && id >> 32 != or)
        abort();
    hdf5.n_open--;
    return 0;
}

static table *table_of(hid_t id)
{
    if (id >> 32 < DATASET || id >> 32 > SPACE)
        abort();
    return &hdf5.tables[place_of(id) / MOST_WORDS];
}

/* Of an attribute, or its type or space; NULL of a dataset. */
static attribute *attribute_of(hid_t id)
{
    int a = place_of(id) % MOST_WORDS;
    return a > 0 ? &table_of(id)->attribute[a - 1] : NULL;
}

static int find_attribute(const char *name)
{
    for (int a = 0; a < N_ATTRIBUTES; a++)
        if (strcmp(attribute_names[a], name) == 0)
            return a;
    return -1;
}

herr_t H5open(void)
{
    return 0;
}

herr_t H5Eget_auto2(hid_t stack, H5E_auto2_t *print, void **data)
{
    (void)stack;
    *print = NULL;
    *data = NULL;
    return 0;
}

herr_t H5Eset_auto2(hid_t stack, H5E_auto2_t print, void *data)
{
    (void)stack;
    (void)print;
    (void)data;
    return 0;
}

hid_t H5Pcreate(hid_t class)
{
    (void)class;
    return fails() ? -1 : open_id(PROPERTIES, 0);
}

herr_t H5Pset_fapl_core(hid_t properties, size_t increment, hbool_t store)
{
    (void)properties;
    (void)increment;
    (void)store;
    return fails() ? -1 : 0;
}

herr_t H5Pset_file_image_callbacks(hid_t properties, H5FD_file_image_callbacks_t *callbacks)
{
    (void)properties;
    (void)callbacks;
    return fails() ? -1 : 0;
}

herr_t H5Pset_file_image(hid_t properties, void *image, size_t size)
{
    (void)properties;
    (void)image;
    (void)size;
    return fails() ? -1 : 0;
}

herr_t H5Pclose(hid_t id)
{
    return close_id(id, PROPERTIES, NOTHING);
}

hid_t H5Fopen(const char *name, unsigned flags, hid_t properties)
{
    (void)name;
    (void)flags;
    (void)properties;
    return fails() ? -1 : open_id(FILE_ID, 0);
}

herr_t H5Fclose(hid_t id)
{
    return close_id(id, FILE_ID, NOTHING);
}

herr_t H5Gget_info(hid_t group, H5G_info_t *info)
{
    (void)group;
    info->nlinks = (hsize_t)hdf5.n_tables;
    return fails() ? -1 : 0;
}

ssize_t H5Lget_name_by_idx(hid_t place, const char *group, H5_index_t index, H5_iter_order_t order,
                           hsize_t n, char *name, size_t size, hid_t properties)
{
    (void)place;
    (void)group;
    (void)index;
    (void)order;
    (void)properties;
    snprintf(name, size, "%s", hdf5.tables[n].name);
    return fails() ? -1 : (ssize_t)strlen(hdf5.tables[n].name);
}

static int find_table(const char *name)
{
    for (int t = 0; t < hdf5.n_tables; t++)
        if (strcmp(hdf5.tables[t].name, name) == 0)
            return t;
    abort(); /* the reader made a name up */
}

herr_t H5Lget_info(hid_t place, const char *name, H5L_info_t *link, hid_t properties)
{
    (void)place;
    (void)properties;
    link->type = hdf5.tables[find_table(name)].hard ? H5L_TYPE_HARD : H5L_TYPE_SOFT;
    return fails() ? -1 : 0;
}

herr_t H5Literate(hid_t group, H5_index_t index, H5_iter_order_t order, hsize_t *next,
                  H5L_iterate_t visit, void *data)
{
    herr_t result = 0;
    (void)index;
    (void)order;
    (void)next;
    for (int t = 0; t < hdf5.n_tables && result == 0; t++) {
        H5L_info_t link = {.type = hdf5.tables[t].hard ? H5L_TYPE_HARD : H5L_TYPE_SOFT};
        result = fails() ? -1 : visit(group, hdf5.tables[t].name, &link, data);
    }
    return result;
}

hid_t H5Dopen2(hid_t file, const char *name, hid_t properties)
{
    (void)file;
    (void)properties;
    return fails() ? -1 : open_id(DATASET, find_table(name) * MOST_WORDS);
}

herr_t H5Dclose(hid_t id)
{
    return close_id(id, DATASET, NOTHING);
}

hid_t H5Dget_space(hid_t id)
{
    return fails() ? -1 : open_id(SPACE, place_of(id));
}

hid_t H5Dget_type(hid_t id)
{
    return fails() ? -1 : open_id(TYPE, place_of(id));
}

herr_t H5Dread(hid_t id, hid_t type, hid_t memory, hid_t place, hid_t properties, void *out)
{
    const table *of = table_of(id);
    hsize_t n = 1;
    (void)memory;
    (void)place;
    (void)properties;
    for (int d = 0; d < of->rank; d++)
        n *= of->length[d];
    for (hsize_t i = 0; i < n; i++) {
        int64_t whole = of->number[i % 64];
        double real = (double)whole / 3;
        memcpy((char *)out + 8 * i,
               type == H5T_NATIVE_DOUBLE_g ? (const void *)&real : (const void *)&whole, 8);
    }
    return fails() ? -1 : 0;
}

int H5Sget_simple_extent_ndims(hid_t id)
{
    return fails() ? -1 : table_of(id)->rank;
}

int H5Sget_simple_extent_dims(hid_t id, hsize_t *length, hsize_t *most)
{
    const table *of = table_of(id);
    (void)most;
    for (int d = 0; d < of->rank; d++)
        length[d] = of->length[d];
    return fails() ? -1 : of->rank;
}

hssize_t H5Sget_simple_extent_npoints(hid_t id)
{
    return fails() ? -1 : attribute_of(id)->count;
}

herr_t H5Sclose(hid_t id)
{
    return close_id(id, SPACE, NOTHING);
}

hid_t H5Tcopy(hid_t type)
{
    (void)type;
    return fails() ? -1 : open_id(TEXT_TYPE, 0);
}

herr_t H5Tset_size(hid_t type, size_t size)
{
    (void)type;
    if (size > MOST_BYTES)
        abort();
    return fails() ? -1 : 0;
}

H5T_class_t H5Tget_class(hid_t id)
{
    const attribute *of = attribute_of(id);
    if (fails())
        return H5T_NO_CLASS;
    return of ? (of->text ? H5T_STRING : H5T_INTEGER) : table_of(id)->class;
}

size_t H5Tget_size(hid_t id)
{
    return fails() ? 0 : attribute_of(id)->size;
}

htri_t H5Tis_variable_str(hid_t id)
{
    return fails() ? -1 : attribute_of(id)->variable;
}

herr_t H5Tclose(hid_t id)
{
    return close_id(id, TYPE, TEXT_TYPE);
}

htri_t H5Aexists(hid_t dataset, const char *name)
{
    int a = find_attribute(name);
    if (a < 0)
        abort();
    return fails() ? -1 : table_of(dataset)->attribute[a].there;
}

hid_t H5Aopen(hid_t dataset, const char *name, hid_t properties)
{
    (void)properties;
    return fails() ? -1 : open_id(ATTRIBUTE, place_of(dataset) + 1 + find_attribute(name));
}

hid_t H5Aget_type(hid_t id)
{
    return fails() ? -1 : open_id(TYPE, place_of(id));
}

hid_t H5Aget_space(hid_t id)
{
    return fails() ? -1 : open_id(SPACE, place_of(id));
}

/* The text fills what the reader's type has, which is 128 bytes, without a final zero where it is longer. */
herr_t H5Aread(hid_t id, hid_t type, void *out)
{
    const attribute *of = attribute_of(id);
    (void)type;
    for (int i = 0; i < of->count; i++) {
        memset((char *)out + 128 * i, of->size > 100 ? 'x' : 0, 128);
        if (of->size <= 100)
            memcpy((char *)out + 128 * i, of->value, strlen(of->value));
    }
    return fails() ? -1 : 0;
}

herr_t H5Aclose(hid_t id)
{
    return close_id(id, ATTRIBUTE, NOTHING);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[MOST_BYTES];
    fuzz_bytes from = {data, data + size};
    take_file(&from);
    memcpy(file, "\x89HDF\r\n\x1a\n", 8);
    fuzz_read(&mplan_format_op2_hdf5, file, size < sizeof file - 8 ? size + 8 : sizeof file);
    if (hdf5.n_open != 0)
        abort();
    return 0;
}
