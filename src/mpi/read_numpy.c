/* SPDX-License-Identifier: Apache-2.0 */
/* read_numpy.c - where the numbers of NumPy's files are: .npy, .npz with members stored, folders of .npy
 *
 * What is a map and what are coordinates is found as formats/numpy/npz.c finds it, but by heads only. A folder is like an
 * archive of its files in the order of their names. Checksums of archives are of whole members, and are not looked at.
 * Nothing here is collective: rank 0 looks at heads, and the layout is told to the others
 * (read_layout.c). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/numpy/npy.h"
#include "formats/numpy/zip.h"
#include "formats/table_names.h"
#include "mpi/read_layout.h"

/* Bytes that are loaded: for the head of an array, for the list of members at the end of an
 * archive, and the fixed part of the head that each member has. */
enum { HEAD = 128 << 10, TAIL = 4 << 20, LOCAL_HEAD = 30 };

/* An array whose head was read. */
typedef struct member {
    char name[MPLAN_PLACES_NAME]; /* without .npy */
    int32_t array;                /* in the layout */
    mplan_npy_header header;
    bool taken;
} member;

/* --- heads ---------------------------------------------------------------------------------------- */

/* The array that bytes [at, at + size) of the file are. A type that is not supported is none: *array is -1.
 * flags: booleans are numbers, too. name: of the member, without .npy; NULL: the file is the array itself. Then a type or a number
 * of dimensions that is not supported is a fault; of several arrays such ones are skipped.
 * *header: out, also of arrays that are skipped for their dimensions. Array lengths are compared
 * with the size of the file. */
static mplan_status add_npy(mplan_places *layout, mpi_view *view, int32_t path, const char *name,
                            int64_t at, int64_t size, bool flags, mplan_npy_header *header,
                            int32_t *array, mplan_error *err)
{
    char label[MPI_LABEL];
    snprintf(label, sizeof label, "%s%s%s%s", view->path, name ? ": " : "", name ? name : "",
             name ? ".npy" : "");
    const mplan_input input = {label, view->data + at, (size_t)size, NULL};
    mplan_error why;
    *array = -1;
    mplan_status status = mpi_view_load(view, at, HEAD, err);
    if (status)
        return status;
    status = flags ? mplan_npy_parse_flags(&input, header, &why)
                   : mplan_npy_parse(&input, header, &why);
    if (status == MPLAN_ERR_UNSUPPORTED && name)
        return MPLAN_OK;
    if (status)
        return mplan_fail(err, status, "%s", why.text);
    mplan_places_array added = {.path = path,
                                .at = at + (int64_t)header->offset,
                                .rows = header->ndim > 0 ? header->shape[0] : 1,
                                .cols = header->ndim > 1 ? header->shape[1] : 1,
                                .size = header->size,
                                .kind = header->kind,
                                .big_endian = header->big_endian,
                                .by_column = header->fortran};
    snprintf(added.member, sizeof added.member, "%s%s", name ? name : "", name ? ".npy" : "");
    if (header->ndim < 1 || header->ndim > 2)
        return name ? MPLAN_OK
                    : mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                 "%s: byte %lld: an array of %d dimensions is not a table; it must "
                                 "have 1 or 2",
                                 view->path, (long long)added.at, header->ndim);
    return mplan_places_add_array(layout, &added, view->size, array, err);
}

/* --- names ------------------------------------------------------------------------------------------ */

/* Whether there is something before the ending, too. */
static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(ending), length = strlen(text);
    return length > n && strcmp(text + length - n, ending) == 0;
}

/* The word must follow "_": "nodes_xyz" gives 5, "matrix" gives -1. */
int64_t mpi_coordinate_prefix(const char *name)
{
    static const char *const words[] = {"coordinates", "coords",    "coord", "xyz",
                                        "xy",          "positions", "x"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const size_t n = strlen(words[w]), length = strlen(name);
        if (strcmp(name, words[w]) == 0)
            return 0;
        if (ends_with(name, words[w]) && name[length - n - 1] == '_')
            return (int64_t)(length - n - 1);
    }
    return -1;
}

/* A map of one array, and with `offsets` of rows of different lengths. nameless: the path tells what it is called.
 * offsets: number of their array in the layout; -1: rows of equal lengths. Names are split as
 * the serial reader splits them, by an empty mesh, as there are no sets yet. */
static mplan_status add_map(mplan_places *layout, const char *name, const char *path, int32_t array,
                            int32_t offsets, mplan_error *err)
{
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    mplan_table_names names;
    mplan_mesh *none = NULL;
    const bool nameless = !name || strncmp(name, "arr_", 4) == 0;
    mplan_status status = mplan_mesh_create(&none, err);
    options.name = nameless ? NULL : name;
    if (!status)
        status = mplan_table_names_find(none, nameless ? path : "", &options, &names, err);
    mplan_mesh_free(none);
    if (status)
        return status;
    /* an array without the names of two sets leads from a set of its own name */
    const bool alone = !nameless && strcmp(names.from, "elements") == 0 &&
                       strncmp(name, "elements_", 9) != 0;
    status = mplan_places_add_table(layout, names.name, alone ? name : names.from, names.to, NULL,
                                    err);
    mplan_table_names_free(&names);
    if (!status)
        ((mplan_places_table *)layout->tables.data)[layout->tables.count - 1].offsets = offsets;
    return status ? status : mplan_places_add_block(layout, array, -1, NULL, err);
}

/* --- what arrays are ---------------------------------------------------------------------------------- */

/* Its place in the list; -1: there is none of this name. */
static int64_t find_member(const member *list, int64_t n, const char *name)
{
    for (int64_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return i;
    return -1;
}

/* One dimension, whole numbers: what values and offsets of ragged rows are. */
static bool is_line_of_wholes(const member *m)
{
    return m->array >= 0 && m->header.ndim == 1 && m->header.kind != 'f';
}

/* Values whose offsets are there as well; *offsets: which.
 * "edges_cells" with "edges_cells_offsets". Offsets have at least one number, as there is one
 * more than rows. */
static bool is_ragged(const member *list, int64_t n, int64_t i, int64_t *offsets)
{
    char name[MPLAN_PLACES_NAME + 10];
    if (!is_line_of_wholes(&list[i]) || ends_with(list[i].name, "_offsets"))
        return false;
    snprintf(name, sizeof name, "%s_offsets", list[i].name);
    *offsets = find_member(list, n, name);
    return *offsets >= 0 && is_line_of_wholes(&list[*offsets]) && list[*offsets].header.shape[0] > 0;
}

/* m: an array of two dimensions with 2 or 3 columns. Of whole numbers, it has a name of
 * coordinates. */
static mplan_status add_points(mplan_places *layout, const member *m, mplan_error *err)
{
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(layout, m->name, (int32_t)m->header.shape[1],
                                                  &points, err);
    if (!status)
        points->array[0] = m->array;
    return status;
}

/* Maps and coordinates among the arrays; others are left.
 * list: n members in the order of the archive, or of names; path: for names and messages. Whole
 * numbers of two dimensions are a map unless called coordinates; real ones of 2 or 3 columns are
 * perhaps coordinates, which read_mesh.c decides by names and lengths. */
static mplan_status classify(mplan_places *layout, const char *path, const member *list, int64_t n,
                             mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    layout->flags |= MPLAN_PLACES_NUMPY | MPLAN_PLACES_GROUPS;
    for (int64_t i = 0; i < n && !status; i++) {
        const mplan_npy_header *h = &list[i].header;
        const bool table = list[i].array >= 0 && h->ndim == 2, real = h->kind == 'f';
        const bool narrow = table && (h->shape[1] == 2 || h->shape[1] == 3);
        int64_t offsets;
        if (table && !real && mpi_coordinate_prefix(list[i].name) < 0)
            status = add_map(layout, list[i].name, path, list[i].array, -1, err);
        else if (narrow)
            status = add_points(layout, &list[i], err);
        else if (is_ragged(list, n, i, &offsets))
            status = add_map(layout, list[i].name, path, list[i].array, list[offsets].array, err);
    }
    if (!status && layout->tables.count == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH,
                            "%s: there is no mapping table, an array of whole numbers with two "
                            "dimensions",
                            path);
    return status;
}

/* --- the three kinds of files ---------------------------------------------------------------------------- */

mplan_status mpi_layout_array(mplan_places *layout, mpi_view *view, bool flags, int32_t *array,
                              mplan_error *err)
{
    mplan_npy_header header;
    const int32_t path = mplan_places_add_path(layout, view->path, err);
    return path < 0 ? err ? err->status : MPLAN_ERR_MEMORY
                    : add_npy(layout, view, path, NULL, 0, view->size, flags, &header, array, err);
}

/* The array is a map, whatever it is called: the name of the file tells of which sets. */
mplan_status mpi_layout_npy(mplan_places *layout, mpi_view *view, mplan_error *err)
{
    int32_t array;
    mplan_status status = mpi_layout_array(layout, view, false, &array, err);
    layout->flags |= MPLAN_PLACES_NUMPY | MPLAN_PLACES_GROUPS;
    return status ? status : add_map(layout, NULL, view->path, array, -1, err);
}

/* Where the bytes of a stored member begin, behind its local head.
 * m: of the list at the end of the archive; *at: out, a byte of the file. The length of the
 * local head is not in that list, and has to be read. Only members that are stored as they are
 * can be read by ranges. */
static mplan_status find_data(mpi_view *view, const mplan_zip_member *m, int64_t *at, mplan_error *err)
{
    mplan_status status = mpi_view_load(view, m->header, LOCAL_HEAD, err);
    const uint8_t *head = view->data + m->header;
    if (status)
        return status;
    const bool there = view->size - m->header >= LOCAL_HEAD && memcmp(head, "PK\3\4", 4) == 0;
    *at = m->header + LOCAL_HEAD +
          (there ? (head[26] | head[27] << 8) + (head[28] | head[29] << 8) : 0);
    if (!there || *at > view->size || m->size > view->size - *at)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: byte %lld: a member of the archive is not there", view->path,
                          (long long)m->header);
    if (m->method != 0 || m->encrypted || m->packed != m->size)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: member %.*s is compressed, and cannot be read by ranges: bring the file "
                          "into another by meshplan convert first",
                          view->path, m->length < 100 ? (int)m->length : 100, m->name);
    return MPLAN_OK;
}

/* The list of members must be in the last 4 MiB of the file. Members that are not .npy arrays, or have
 * names that are too long, are skipped; two of one name are a fault. */
mplan_status mpi_layout_npz(mplan_places *layout, mpi_view *view, mplan_error *err)
{
    mplan_vector zip = MPLAN_VECTOR_INIT(sizeof(mplan_zip_member));
    const mplan_input archive = {view->path, view->data, (size_t)view->size, NULL};
    const int32_t path = mplan_places_add_path(layout, view->path, err);
    mplan_status status = path < 0
                              ? err ? err->status : MPLAN_ERR_MEMORY
                              : mpi_view_load(view, view->size - TAIL > 0 ? view->size - TAIL : 0,
                                              TAIL, err);
    if (!status)
        status = mplan_zip_list(&archive, &zip, err);
    member *list = status ? NULL : mplan_alloc_zero(zip.count, sizeof *list, err);
    int64_t n = 0;
    if (!status && !list)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < zip.count && !status; i++) {
        const mplan_zip_member *m = (const mplan_zip_member *)zip.data + i;
        int64_t at;
        if (m->length < 5 || m->length >= MPLAN_PLACES_NAME - 4 ||
            memcmp(m->name + m->length - 4, ".npy", 4) != 0)
            continue;
        memcpy(list[n].name, m->name, m->length - 4);
        if (find_member(list, n, list[n].name) >= 0)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %lld: a second member %s.npy",
                                view->path, (long long)m->header, list[n].name);
        if (!status)
            status = find_data(view, m, &at, err);
        if (!status)
            status = add_npy(layout, view, path, list[n].name, at, m->size, false, &list[n].header,
                             &list[n].array, err);
        n++;
    }
    if (!status)
        status = classify(layout, view->path, list, n, err);
    free(list);
    free(zip.data);
    return status;
}

/* By name, without .npy. */
static int compare_members(const void *a, const void *b)
{
    return strcmp(((const member *)a)->name, ((const member *)b)->name);
}

/* Names of the folder's .npy files, ascending.
 * list: out, of struct member with array -1. Files that begin with a point are skipped. Sorted,
 * since folders list files in an order of their own. */
static mplan_status list_folder(const char *folder, mplan_vector *list, mplan_error *err)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, folder, errno);
    mplan_status status = MPLAN_OK;
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        member found = {.array = -1};
        const size_t length = strlen(entry->d_name);
        if (!ends_with(entry->d_name, ".npy") || length >= MPLAN_PLACES_NAME ||
            entry->d_name[0] == '.')
            continue;
        memcpy(found.name, entry->d_name, length - 4);
        status = mplan_vector_push(list, &found, err);
    }
    closedir(dir);
    if (list->count > 0)
        qsort(list->data, (size_t)list->count, sizeof(member), compare_members);
    return status;
}

/* Each file becomes a path of the layout. An array that cannot be a table is a fault here, as
 * each file is read as a .npy file of its own. */
mplan_status mpi_layout_folder(mplan_places *layout, const char *folder, mplan_error *err)
{
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(member));
    mplan_status status = list_folder(folder, &list, err);
    for (int64_t i = 0; i < list.count && !status; i++) {
        member *m = (member *)list.data + i;
        char path[MPLAN_PLACES_PATH + MPLAN_PLACES_NAME];
        mpi_view view;
        snprintf(path, sizeof path, "%s/%s.npy", folder, m->name);
        status = mpi_view_open(path, &view, err);
        if (status)
            break;
        const int32_t index = mplan_places_add_path(layout, path, err);
        status = index < 0 ? err ? err->status : MPLAN_ERR_MEMORY
                           : add_npy(layout, &view, index, NULL, 0, view.size, false, &m->header,
                                     &m->array, err);
        mpi_view_close(&view);
    }
    if (!status && list.count == 0)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "%s: of folders only those with .npy files can be read by ranges: bring "
                            "others into a file by meshplan convert first",
                            folder);
    if (!status)
        status = classify(layout, folder, list.data, list.count, err);
    free(list.data);
    return status;
}
