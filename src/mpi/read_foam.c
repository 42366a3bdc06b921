/* SPDX-License-Identifier: Apache-2.0 */
/* read_foam.c - where the numbers of an OpenFOAM mesh are: the lists of a binary polyMesh folder (formats/foam)
 *
 * A list is its count in text, and the bytes of all numbers between brackets; the header says how many bytes a number has and
 * in which order. Heads are read by the code of the serial reader, which sees as much of a file as was loaded. Text, compressed
 * files, lists of equal numbers in one and faces that are lists of their own have no fixed places, and are refused.
 * Rank 0 looks at heads: nothing here is collective but mpi_foam_groups. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/foam/foam_parts.h"
#include "mpi/exchange.h"
#include "mpi/mpi_groups.h"
#include "mpi/read_layout.h"

/* Bytes that are loaded at a place where text is; numbers that are looked at in one go. */
enum { HEAD = 64 << 10, STEP = 1 << 16 };

/* The files that are read by ranges, as they are numbered in the layout. */
enum { POINTS, FACES, OWNER, NEIGHBOUR, N_FILES };
static const char *const names[N_FILES] = {"points", "faces", "owner", "neighbour"};

/* A file that is open. file: what the code of the reader knows of it; its bytes are the view's, up to file.end. */
typedef struct foam_view {
    char path[MPLAN_PLACES_PATH];
    mpi_view view;
    mplan_foam_file file;
} foam_view;

/* n entries of some bytes each, from byte `at` on. */
typedef struct foam_list {
    int64_t at, n;
} foam_list;

/* All of the folder. */
typedef struct foam_lists {
    foam_view files[N_FILES];
    foam_list points, starts, nodes, owner, neighbour;
    int64_t n_faces, n_inner; /* the latter: which have two cells, and come first */
} foam_lists;

/* --- the folder --------------------------------------------------------------------------------- */

/* By its first bytes, or the empty file that ParaView opens a case by. */
static bool is_foam_file(const char *path)
{
    mpi_view view;
    size_t length;
    if (mpi_view_open(path, &view, NULL))
        return false;
    bool is = mpi_view_load(&view, 0, 4096, NULL) == MPLAN_OK &&
              mplan_format_foam.recognise(view.data, (size_t)(view.size < 4096 ? view.size : 4096)) ==
                  MPLAN_RECOGNISED_YES;
    const char *ending = mplan_input_extension(path, &length);
    is = is || (view.size == 0 && ((length == 5 && memcmp(ending, ".foam", 5) == 0) ||
                                   (length == 9 && memcmp(ending, ".OpenFOAM", 9) == 0)));
    mpi_view_close(&view);
    return is;
}

/* The reader looks at the bytes of a file only to tell whether there are some. *folder: from mplan_alloc. */
mplan_status mpi_foam_folder(const char *path, const mpi_read_options *options, char **folder,
                             mplan_error *err)
{
    struct stat about;
    mplan_foam_case found = {0};
    *folder = NULL;
    const bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    if (is_folder ? !mplan_foam_recognise_folder(path) : !is_foam_file(path))
        return MPLAN_OK;
    const mplan_input input = {.path = path,
                               .data = is_folder ? NULL : (const uint8_t *)"",
                               .size = is_folder || about.st_size == 0 ? 0 : 1};
    mplan_status status = mplan_foam_find(&input, options->zone, &found, options->context, err);
    if (!status && !found.folder)
        status = mplan_places_refuse(path, "the case is decomposed", err);
    *folder = found.folder;
    found.folder = NULL;
    mplan_foam_case_free(&found);
    return status;
}

/* --- files ------------------------------------------------------------------------------------------ */

/* The text at byte `at` becomes what is next. */
static mplan_status load_text(foam_view *f, int64_t at, mplan_error *err)
{
    const int64_t left = f->view.size - at;
    mplan_status status = mpi_view_load(&f->view, at, HEAD, err);
    f->file.begin = (const char *)f->view.data;
    f->file.at = f->file.begin + at;
    f->file.end = f->file.at + (left < HEAD ? left : HEAD);
    return status;
}

/* folder/name, which must be binary; its header is read, and the file is one of the layout's. To be closed also after a
 * failure. */
static mplan_status open_file(mplan_places *layout, const char *folder, const char *name,
                              foam_view *f, mplan_error *err)
{
    char packed[MPLAN_PLACES_PATH + 4];
    const int n = snprintf(f->path, sizeof f->path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof f->path)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "a path of more than %d bytes",
                          MPLAN_PLACES_PATH - 1);
    snprintf(packed, sizeof packed, "%s.gz", f->path);
    if (access(f->path, F_OK) != 0 && access(packed, F_OK) == 0)
        return mplan_places_refuse(packed, "the file is compressed", err);
    if (mplan_places_add_path(layout, f->path, err) < 0)
        return err ? err->status : MPLAN_ERR_MEMORY;
    mplan_status status = mpi_view_open(f->path, &f->view, err);
    f->file = (mplan_foam_file){.path = f->path};
    if (!status)
        status = load_text(f, 0, err);
    if (!status)
        status = mplan_foam_read_header(&f->file, err);
    if (!status && strcmp(f->file.kind, "decomposedBlockData") == 0)
        status = mplan_places_refuse(f->path, "the file has all parts of a decomposed case", err);
    if (!status && !f->file.binary)
        status = mplan_places_refuse(f->path, "the file is text", err);
    return status;
}

/* The list that is next, of entries of `bytes`; the file is behind it afterwards. what: for messages. */
static mplan_status take_list(foam_view *f, const char *what, int64_t bytes, foam_list *list,
                              mplan_error *err)
{
    char expected[64];
    mplan_foam_file *file = &f->file;
    snprintf(expected, sizeof expected, "the number of %s", what);
    mplan_status status = mplan_foam_count(file, expected, &list->n, err);
    if (status)
        return status;
    if (mplan_foam_takes(file, '{'))
        return mplan_places_refuse(f->path, "a list has equal numbers in one", err);
    const bool open = mplan_foam_takes(file, '(');
    list->at = file->at - file->begin;
    if (list->n == 0)
        return open ? mplan_foam_need_mark(file, ')', err) : MPLAN_OK;
    if (!open)
        return mplan_foam_fail_expected(file, "'('", err);
    if (list->n >= (f->view.size - list->at) / bytes + 1 || list->n * bytes >= f->view.size - list->at)
        return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "the file ends before the %lld %s",
                               (long long)list->n, what);
    status = load_text(f, list->at + list->n * bytes, err);
    if (!status && *file->at != ')') /* at once: white space could be a number's byte */
        status = mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "expected ')' at the end of the list");
    file->at++;
    return status;
}

/* Number i of a list of labels. */
static mplan_status label_at(foam_view *f, const foam_list *list, int64_t i, int64_t *label,
                             mplan_error *err)
{
    const int64_t at = list->at + i * f->file.label_bytes;
    mplan_status status = mpi_view_load(&f->view, at, f->file.label_bytes, err);
    const uint64_t bits = mplan_load_bits(f->view.data + at, f->file.label_bytes, f->file.swapped);
    *label = f->file.label_bytes == 8 ? (int64_t)bits : (int32_t)bits;
    return status;
}

/* --- lists ------------------------------------------------------------------------------------------- */

/* Starts of faces, and points of all. The last start has to be the number of the points. */
static mplan_status take_faces(foam_lists *lists, mplan_error *err)
{
    foam_view *f = &lists->files[FACES];
    int64_t last = 0;
    if (strcmp(f->file.kind, "faceList") == 0)
        return mplan_places_refuse(f->path, "each face is a list (class faceList)", err);
    if (strcmp(f->file.kind, "faceCompactList") != 0)
        return mplan_foam_fail(&f->file, err, MPLAN_ERR_UNSUPPORTED, "faces are of class %s",
                               f->file.kind);
    mplan_status status = take_list(f, "starts of faces", f->file.label_bytes, &lists->starts, err);
    if (!status && lists->starts.n == 0)
        status = mplan_foam_fail(&f->file, err, MPLAN_ERR_MESH, "there are no faces");
    if (!status)
        status = take_list(f, "points of faces", f->file.label_bytes, &lists->nodes, err);
    if (!status)
        status = mplan_foam_end(&f->file, err);
    lists->n_faces = lists->starts.n - 1;
    if (!status)
        status = label_at(f, &lists->starts, lists->n_faces, &last, err);
    if (!status && last != lists->nodes.n)
        status = mplan_foam_fail(&f->file, err, MPLAN_ERR_MESH,
                                 "faces have %lld points, but the list has %lld", (long long)last,
                                 (long long)lists->nodes.n);
    return status;
}

/* Some write -1 for the faces on the boundary, which follow the others: these are taken off the end of the list. */
static mplan_status find_inner(foam_lists *lists, mplan_error *err)
{
    foam_view *f = &lists->files[NEIGHBOUR];
    const int64_t bytes = f->file.label_bytes;
    int64_t n = lists->neighbour.n, label = -1;
    mplan_status status = MPLAN_OK;
    while (n > 0 && label == -1 && !status) {
        const int64_t begin = n > STEP ? n - STEP : 0;
        status = mpi_view_load(&f->view, lists->neighbour.at + begin * bytes, (n - begin) * bytes,
                               err);
        while (n > begin && label == -1 && !status) {
            status = label_at(f, &lists->neighbour, n - 1, &label, err);
            n -= label == -1;
        }
    }
    lists->n_inner = n;
    return status;
}

/* One cell of each face, and the other one of those that have it. */
static mplan_status take_sides(foam_lists *lists, mplan_error *err)
{
    foam_view *owner = &lists->files[OWNER], *other = &lists->files[NEIGHBOUR];
    mplan_status status = take_list(owner, "owners", owner->file.label_bytes, &lists->owner, err);
    if (!status)
        status = mplan_foam_end(&owner->file, err);
    if (!status && lists->owner.n != lists->n_faces)
        status = mplan_foam_fail(&owner->file, err, MPLAN_ERR_MESH,
                                 "there are %lld owners for %lld faces", (long long)lists->owner.n,
                                 (long long)lists->n_faces);
    if (!status)
        status = take_list(other, "neighbours", other->file.label_bytes, &lists->neighbour, err);
    if (!status)
        status = mplan_foam_end(&other->file, err);
    if (!status && lists->neighbour.n > lists->n_faces)
        status = mplan_foam_fail(&other->file, err, MPLAN_ERR_MESH,
                                 "there are %lld neighbours, but at most %lld are possible",
                                 (long long)lists->neighbour.n, (long long)lists->n_faces);
    return status ? status : find_inner(lists, err);
}

/* The file boundary is text, and short: it is read as the serial reader reads it, to find what that refuses. */
static mplan_status check_boundary(const char *folder, const foam_lists *lists,
                                   const mplan_context *context, mplan_error *err)
{
    mplan_foam_boundary patches = MPLAN_FOAM_BOUNDARY_INIT;
    mplan_foam_file file;
    mplan_status status = mplan_foam_open(folder, "boundary", context, &file, err);
    if (status)
        return status;
    status = mplan_foam_take_boundary(&file, lists->n_inner, lists->n_faces, false, &patches, err);
    mplan_foam_boundary_free(&patches);
    mplan_foam_close(&file);
    return status;
}

/* --- the layout --------------------------------------------------------------------------------------- */

/* n entries of a list of labels from `first` on, as an array of one column, called `member` in messages. */
static mplan_status add_labels(mplan_places *layout, const foam_lists *lists, int32_t file,
                               const char *member, const foam_list *list, int64_t first, int64_t n,
                               int32_t *index, mplan_error *err)
{
    const foam_view *f = &lists->files[file];
    mplan_places_array added = {.path = file,
                                .at = list->at + first * f->file.label_bytes,
                                .rows = n,
                                .cols = 1,
                                .size = f->file.label_bytes,
                                .kind = 'i',
                                .big_endian = f->file.swapped};
    snprintf(added.member, sizeof added.member, "%s", member);
    return mplan_places_add_array(layout, &added, f->view.size, index, err);
}

/* Faces [begin, end) with their points. */
static mplan_status add_faces(mplan_places *layout, foam_lists *lists, const char *set,
                              int64_t begin, int64_t end, mplan_error *err)
{
    char map[64], starts[64], points[64];
    int64_t first = 0, last = 0;
    int32_t array = -1;
    mplan_places_table *table = NULL;
    snprintf(map, sizeof map, "%s_nodes", set);
    snprintf(starts, sizeof starts, "starts of %s", set);
    snprintf(points, sizeof points, "points of %s", set);
    mplan_status status = label_at(&lists->files[FACES], &lists->starts, begin, &first, err);
    if (!status)
        status = label_at(&lists->files[FACES], &lists->starts, end, &last, err);
    if (!status && (first < 0 || last < first || last > lists->nodes.n))
        status = mplan_foam_fail(&lists->files[FACES].file, err, MPLAN_ERR_MESH,
                                 "start %lld of the faces must not be %lld", (long long)begin,
                                 (long long)first);
    if (!status)
        status = mplan_places_add_table(layout, map, set, "nodes", &table, err);
    if (!status)
        status = add_labels(layout, lists, FACES, starts, &lists->starts, begin, end - begin + 1,
                            &table->offsets, err);
    if (!status)
        status = add_labels(layout, lists, FACES, points, &lists->nodes, first, last - first,
                            &array, err);
    if (!status)
        status = mplan_places_add_block(layout, array, -1, NULL, err);
    if (!status) {
        table->has_none = false;
        table->first_offset = first;
    }
    return status;
}

/* n cells from `first` on, one for each of as many faces. */
static mplan_status add_side(mplan_places *layout, const foam_lists *lists, int32_t file,
                             const char *name, const char *set, const foam_list *list,
                             int64_t first, int64_t n, mplan_error *err)
{
    int32_t array = -1;
    mplan_places_table *table = NULL;
    mplan_status status = mplan_places_add_table(layout, name, set, "cells", &table, err);
    if (!status)
        status = add_labels(layout, lists, file, "", list, first, n, &array, err);
    if (!status)
        status = mplan_places_add_block(layout, array, -1, NULL, err);
    if (!status)
        table->has_none = false;
    return status;
}

/* Coordinates, and the tables that MPI_FOAM_TABLES numbers. */
static mplan_status add_arrays(mplan_places *layout, foam_lists *lists, mplan_error *err)
{
    const foam_view *f = &lists->files[POINTS];
    const int64_t n = lists->n_faces, inner = lists->n_inner;
    mplan_places_points *points = NULL;
    const mplan_places_array xyz = {.path = POINTS,
                                    .at = lists->points.at,
                                    .rows = lists->points.n,
                                    .cols = 3,
                                    .size = f->file.scalar_bytes,
                                    .kind = 'f',
                                    .big_endian = f->file.swapped};
    mplan_status status = mplan_places_add_points(layout, "nodes", 3, &points, err);
    if (!status)
        status = mplan_places_add_array(layout, &xyz, f->view.size, &points->array[0], err);
    if (!status)
        status = add_faces(layout, lists, "faces", 0, inner, err);
    if (!status)
        status = add_faces(layout, lists, "boundary_faces", inner, n, err);
    if (!status)
        status = add_side(layout, lists, OWNER, "owner", "faces", &lists->owner, 0, inner, err);
    if (!status)
        status = add_side(layout, lists, NEIGHBOUR, "neighbour", "faces", &lists->neighbour, 0,
                          inner, err);
    if (!status)
        status = add_side(layout, lists, OWNER, "boundary_owner", "boundary_faces", &lists->owner,
                          inner, n - inner, err);
    return status;
}

/* In the order in which the serial reader meets faults. The view of a file is address space, of which little is loaded. */
mplan_status mpi_layout_foam(mplan_places *layout, const char *folder,
                             const mpi_read_options *options, mplan_error *err)
{
    foam_lists *lists = mplan_alloc_zero(1, sizeof *lists, err);
    mplan_status status = lists ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < N_FILES && lists; i++)
        lists->files[i].view.fd = -1;
    for (int32_t i = 0; i < N_FILES && !status; i++)
        status = open_file(layout, folder, names[i], &lists->files[i], err);
    if (!status)
        status = take_list(&lists->files[POINTS], "points",
                           INT64_C(3) * lists->files[POINTS].file.scalar_bytes, &lists->points, err);
    if (!status)
        status = mplan_foam_end(&lists->files[POINTS].file, err);
    if (!status)
        status = take_faces(lists, err);
    if (!status)
        status = take_sides(lists, err);
    if (!status)
        status = add_arrays(layout, lists, err);
    if (!status)
        status = check_boundary(folder, lists, options->context, err);
    for (int32_t i = 0; i < N_FILES && lists; i++)
        mpi_view_close(&lists->files[i].view);
    free(lists);
    layout->flags |= MPLAN_PLACES_BY_FACES | (options->zone ? (uint32_t)MPLAN_PLACES_ZONE : 0);
    return status;
}

/* --- groups --------------------------------------------------------------------------------------------- */

/* Size of a set, or 0. */
static int64_t size_of(const mpi_mesh *mesh, const char *name)
{
    const int32_t set = mpi_mesh_find_set(mesh, name);
    return set < 0 ? 0 : mesh->sets[set].size;
}

/* Patches and zones in a mesh of sets without anything else, in the order of those of `mesh`. Not collective. */
static mplan_status read_groups(const mpi_mesh *mesh, const char *folder,
                                const mplan_context *context, mplan_mesh **named, mplan_error *err)
{
    const mplan_foam_source source = {.folder = folder, .context = context};
    const mplan_foam_mesh sizes = {.n_points = size_of(mesh, "nodes"),
                                   .n_faces = size_of(mesh, "faces") + size_of(mesh, "boundary_faces"),
                                   .n_inner = size_of(mesh, "faces"),
                                   .n_cells = size_of(mesh, "cells")};
    mplan_status status = mplan_mesh_create(named, err);
    for (int32_t s = 0; s < mesh->n_sets && !status; s++)
        status = mplan_mesh_add_set(*named, mesh->sets[s].name, mesh->sets[s].size, NULL, err);
    return status ? status : mplan_foam_read_groups(&source, &sizes, *named, err);
}

/* Members of groups are lists of one rank, in numbers of 32 bits, before they are dealt out. */
mplan_status mpi_foam_groups(mpi_mesh *mesh, const char *folder, const mplan_context *context,
                             mplan_error *err)
{
    assert(mesh && (folder || mesh->rank > 0));
    mplan_mesh *named = NULL;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < mesh->n_sets && !mesh->left_groups; s++)
        mesh->left_groups = mesh->sets[s].size >= INT32_MAX / 2;
    if (mesh->left_groups) { /* on all ranks alike */
        mplan_warn(context, "groups of sets with 2^30 members and more are not read");
        return MPLAN_OK;
    }
    if (mesh->rank == 0)
        status = read_groups(mesh, folder, context, &named, err);
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        status = mpi_groups_deal(mesh, named, err);
    mplan_mesh_free(named);
    return status;
}
