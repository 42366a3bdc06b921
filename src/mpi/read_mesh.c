/* SPDX-License-Identifier: Apache-2.0 */
/* read_mesh.c - a mesh that no rank holds, from what a layout says of its files
 *
 * Maps are read before sizes are known, as the largest number of a map may be all that tells a set's size.
 * All functions but those under "which format" are collective, or are called by all ranks with
 * equal arguments: layout, sizes and names are equal on every rank, so that all take the same
 * branches. The numbers of members are those of the file, and so do not depend on the number of
 * ranks. */
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "formats/contained_any.h"
#include "formats/numpy/npy_header.h"
#include "formats/numpy/zip.h"
#include "formats/prism.h"
#include "mpi/exchange.h"
#include "mpi/mpi_graph.h"
#include "mpi/read_layout.h"

/* A mesh that is read. */
typedef struct reading {
    mpi_readers readers;
    mplan_places layout;
    mpi_read_table *tables; /* of the layout's */
    uint64_t stamp;         /* of its files, on rank 0 */
    char *foam;             /* on rank 0: its polyMesh folder, of OpenFOAM's meshes; else NULL */
    mpi_mesh *mesh;
} reading;

/* Both borrow from the layout: table t, and coordinates i, counted as the layout lists them. */
static const mplan_places_table *table_of(const reading *r, int64_t t)
{
    return (const mplan_places_table *)r->layout.tables.data + t;
}
static const mplan_places_points *points_of(const reading *r, int64_t i)
{
    return (const mplan_places_points *)r->layout.points.data + i;
}
/* Of the whole array, not of this rank: how many members have coordinates. */
static int64_t rows_of_points(const reading *r, const mplan_places_points *p)
{
    return mplan_places_get_array(&r->layout, p->array[0])->rows;
}

/* --- which format ------------------------------------------------------------------------------------- */

/* Files of netCDF and HDF5 are left to the programs that have the libraries. Words in the first part of the file tell which is
 * asked first. */
static mplan_status find_contained_layout(mplan_places *layout, mpi_view *view,
                                          const mpi_read_options *options, mplan_error *err)
{
    enum { HEAD = 1 << 20 };
    mplan_status status = mpi_view_load(view, 0, HEAD, err);
    const mplan_input head = {view->path, view->data,
                              (size_t)(view->size < HEAD ? view->size : HEAD), NULL};
    const mplan_places_source source = {view->path, options->zone, view->fd, view->size};
    return status ? status
                  : mplan_contained_places_any(&head, &source, options->context, layout, err);
}

/* CGNS in ADF, which is in no one place: blocks of a tree. */
static bool is_adf(const mplan_input *head)
{
    return mplan_format_cgns.recognise(head->data, head->size) == MPLAN_RECOGNISED_YES;
}

/* By its first bytes.
 * 4 KiB are enough for every test here. AFLR3 comes last, as its files begin with plain numbers:
 * it goes by the name of the file, and refuses what it does not know. */
static mplan_status find_file_layout(mplan_places *layout, const char *path,
                                     const mpi_read_options *options, mplan_error *err)
{
    mpi_view view;
    mplan_status status = mpi_view_open(path, &view, err);
    if (status)
        return status;
    status = mpi_view_load(&view, 0, 4096, err);
    const size_t size = (size_t)(view.size < 4096 ? view.size : 4096);
    const mplan_input head = {view.path, view.data, size, NULL};
    if (!status && mplan_npy_recognise(view.data, size))
        status = mpi_layout_npy(layout, &view, err);
    else if (!status && mplan_zip_recognise(view.data, size))
        status = mpi_layout_npz(layout, &view, err);
    else if (!status && mplan_contained_is_one(&head))
        status = find_contained_layout(layout, &view, options, err);
    else if (!status && is_adf(&head))
        status = mplan_places_refuse(path, "the CGNS file is ADF, not HDF5", err);
    else if (!status)
        status = mpi_layout_aflr3(layout, &view, options->context, err);
    mpi_view_close(&view);
    return status;
}

/* On rank 0 only.
 * Not collective. The layout is empty before; after a failure it may hold some entries. */
static mplan_status find_layout(reading *r, const char *path, const mpi_read_options *options,
                                mplan_error *err)
{
    struct stat about;
    mplan_places *layout = &r->layout;
    if (r->foam)
        return mpi_layout_foam(layout, r->foam, options, err);
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode)
               ? mpi_layout_folder(layout, path, err)
               : find_file_layout(layout, path, options, err);
}

/* Of a file: its name, size and times, as a number. What is not there counts as of size and time 0. */
static uint64_t stamp_of_file(const char *path, const char *name)
{
    struct stat about = {0};
    char whole[MPLAN_PLACES_PATH];
    uint64_t stamp = 0;
    snprintf(whole, sizeof whole, "%s%s%s", path, *name ? "/" : "", name);
    (void)stat(whole, &about);
    const uint64_t parts[3] = {(uint64_t)about.st_size, (uint64_t)about.st_mtim.tv_sec,
                               (uint64_t)about.st_mtim.tv_nsec};
    for (int k = 0; k < 3; k++)
        stamp = (stamp ^ parts[k]) * UINT64_C(0x9E3779B97F4A7C15);
    for (const char *c = name; *c; c++)
        stamp = (stamp ^ (uint64_t)(uint8_t)*c) * UINT64_C(0x9E3779B97F4A7C15);
    return stamp;
}

/* Another number when the file, or an array in the folder, changed its size or its time, came or went. */
static uint64_t stamp_of(const reading *r, const char *path)
{
    static const char *const foam[] = {"points",   "faces",     "owner",     "neighbour",
                                       "boundary", "cellZones", "faceZones", "pointZones"};
    uint64_t stamp = 0;
    for (size_t i = 0; i < sizeof foam / sizeof *foam && r->foam; i++)
        stamp += stamp_of_file(r->foam, foam[i]);
    if (r->foam)
        return stamp;
    DIR *folder = opendir(path);
    if (!folder)
        return stamp_of_file(path, "");
    for (struct dirent *entry; (entry = readdir(folder));) { /* in any order */
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".npy") == 0)
            stamp += stamp_of_file(path, entry->d_name);
    }
    closedir(folder);
    return stamp;
}

/* Ranks read at different times: a file that was written to meanwhile is refused.
 * Collective: rank 0 looks, all get its status. */
static mplan_status check_stamp(const reading *r, const char *path, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (r->mesh->rank == 0 && stamp_of(r, path) != r->stamp)
        status = mplan_fail(err, MPLAN_ERR_IO, "%s: changed while it was read", path);
    return mpi_agree(r->readers.comm, status, err);
}

/* --- sizes of sets -------------------------------------------------------------------------------------- */

/* Whether coordinates are called after the set.
 * "nodes_xyz" is for set "nodes", and so is plain "nodes", which formats with known sets use. */
static bool is_for(const mplan_places_points *points, const char *set)
{
    const int64_t prefix = mpi_coordinate_prefix(points->name);
    if (strcmp(points->name, set) == 0)
        return true;
    return prefix > 0 && (size_t)prefix == strlen(set) && memcmp(points->name, set, strlen(set)) == 0;
}

/* What rows of maps and of coordinates say, or -1.
 * All of these are in the layout, so that every rank finds the same. Maps come before
 * coordinates: the first that leads from the set counts, and others are compared with it in
 * add_map. */
static int64_t told_size(const reading *r, const char *set)
{
    for (int64_t t = 0; t < r->layout.tables.count; t++)
        if (strcmp(table_of(r, t)->from, set) == 0)
            return r->tables[t].rows;
    for (int64_t i = 0; i < r->layout.points.count; i++)
        if (is_for(points_of(r, i), set))
            return rows_of_points(r, points_of(r, i));
    return -1;
}

/* One more than the largest number.
 * `most` is that of all ranks, -1 where a map has no entry: the size is then 0. */
static int64_t size_by_largest(const reading *r, const char *set)
{
    int64_t size = 0;
    for (int64_t t = 0; t < r->layout.tables.count; t++)
        if (strcmp(table_of(r, t)->to, set) == 0 && r->tables[t].most + 1 > size)
            size = r->tables[t].most + 1;
    return size;
}

/* The only coordinates, where they are called nothing but coordinates; NULL: others. */
static const mplan_places_points *lone_points(const reading *r)
{
    const mplan_places_points *only = r->layout.points.count == 1 ? points_of(r, 0) : NULL;
    return only && mpi_coordinate_prefix(only->name) == 0 ? only : NULL;
}

/* The only to-set that nothing tells the size of; NULL where there are none or several. */
static const char *lone_set(const reading *r)
{
    const char *found = NULL;
    for (int64_t t = 0; t < r->layout.tables.count; t++) {
        const char *to = table_of(r, t)->to;
        if (told_size(r, to) >= 0)
            continue;
        if (found && strcmp(found, to) != 0)
            return NULL;
        found = to;
    }
    return found;
}

/* As npz.c has it.
 * *by_largest: out, whether neither maps from the set nor its own coordinates tell the size.
 * Nameless coordinates are taken for it only where they are at least as long as the largest
 * number asks for. */
static int64_t size_of_set(const reading *r, const char *set, bool *by_largest)
{
    const int64_t told = told_size(r, set), largest = told < 0 ? size_by_largest(r, set) : told;
    const mplan_places_points *lone = lone_points(r);
    const char *unsized = lone ? lone_set(r) : NULL;
    *by_largest = told < 0;
    if (unsized && strcmp(unsized, set) == 0 && rows_of_points(r, lone) >= largest)
        return rows_of_points(r, lone);
    return largest;
}

/* --- sets and maps ---------------------------------------------------------------------------------------- */

/* A set that is new has the size that arrays tell.
 * Not collective, but every rank adds the same sets in the same order. */
static mplan_status find_or_add(reading *r, const char *name, int32_t *set, mplan_error *err)
{
    bool by_largest;
    *set = mpi_mesh_find_set(r->mesh, name);
    if (*set >= 0)
        return MPLAN_OK;
    const int64_t size = size_of_set(r, name, &by_largest);
    mplan_status status = mpi_mesh_add_set(r->mesh, name, size, set, err);
    if (!status)
        r->mesh->sets[*set].by_largest = by_largest;
    return status;
}

/* The sets of a map that is named by an arrow, made where they are not there (op2_hdf5.c, sets_by_arrow). */
static mplan_status make_op2_sets(reading *r, int64_t t, int32_t *from, int32_t *to, mplan_error *err)
{
    const mplan_places_table *table = table_of(r, t);
    int64_t size = r->tables[t].most + 1;
    mplan_status status = MPLAN_OK;
    if (*from < 0)
        status = mpi_mesh_add_set(r->mesh, table->from, r->tables[t].rows, from, err);
    *to = status ? -1 : mpi_mesh_find_set(r->mesh, table->to);
    if (status || *to >= 0)
        return status;
    for (int32_t i = 0; i < table->n_sizes; i++)
        if (table->sizes[i] >= size) {
            size = table->sizes[i];
            break;
        }
    return mpi_mesh_add_set(r->mesh, table->to, size, to, err);
}

/* The sets of a map of OP2; -1 where it is left out.
 * Both are known or both -1. A map that is `perhaps` one is then data, and left out without a
 * word. */
static mplan_status find_op2_sets(reading *r, int64_t t, int32_t *from, int32_t *to, mplan_error *err)
{
    const mplan_places_table *table = table_of(r, t);
    const mpi_read_table *read = &r->tables[t];
    *from = mpi_mesh_find_set(r->mesh, table->from);
    *to = mpi_mesh_find_set(r->mesh, table->to);
    if (table->makes_sets)
        return make_op2_sets(r, t, from, to, err);
    if (*from < 0 || *to < 0)
        mpi_op2_sets_of(r->mesh, table->name, read->rows, read->most, from, to);
    if (*from >= 0 && *to >= 0)
        return MPLAN_OK;
    *from = *to = -1;
    return table->perhaps
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_MESH,
                            "dataset %s is a map, but it cannot be told of which sets", table->name);
}

/* The mesh takes over what was read.
 * Collective. Arrays of r->tables[t] go to the mesh: offsets and values also where that fails,
 * types to the from-set. Rows are dealt out to ranks alike in tables and sets (mpi_range_first),
 * so that the rows that a rank has read are those of its members, and nothing is sent. */
static mplan_status add_map(reading *r, int64_t t, mplan_error *err)
{
    const mplan_places_table *table = table_of(r, t);
    mpi_read_table *read = &r->tables[t];
    int32_t from = -1, to = -1;
    mplan_status status = MPLAN_OK;
    if (mpi_mesh_find_map(r->mesh, table->name) >= 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh already has a map '%s'", table->name);
    if ((r->layout.flags & MPLAN_PLACES_OP2))
        status = find_op2_sets(r, t, &from, &to, err);
    if (!status && !(r->layout.flags & MPLAN_PLACES_OP2))
        status = find_or_add(r, table->from, &from, err);
    if (!status && !(r->layout.flags & MPLAN_PLACES_OP2))
        status = find_or_add(r, table->to, &to, err);
    status = mpi_agree(r->readers.comm, status, err);
    if (!status && from < 0)
        return MPLAN_OK;
    if (!status && r->mesh->sets[from].size != read->rows)
        status = mplan_fail(err, MPLAN_ERR_MESH,
                            "map %s has %lld rows, but set '%s' has %lld members", table->name,
                            (long long)read->rows, table->from, (long long)r->mesh->sets[from].size);
    if (!status)
        status = mpi_check_table(&r->readers, &r->layout, (int32_t)t, read, r->mesh->sets[to].size,
                                 err);
    if (status)
        return status;
    if (read->type) {
        const mplan_places_block *first = (const mplan_places_block *)r->layout.blocks.data +
                                          table->block;
        r->mesh->dimension = table->types == MPLAN_PLACES_UNTYPED
                                 ? mplan_cell_type_dimension((mplan_cell_type)first->type)
                                 : table->dimension;
        r->mesh->sets[from].cell_type = read->type;
    }
    status = mpi_mesh_take_map(r->mesh, table->name, from, to, read->arity, read->offsets,
                               read->values, err);
    *read = (mpi_read_table){.rows = read->rows, .most = read->most};
    return mpi_agree(r->readers.comm, status, err);
}

/* Sets that the layout knows, then maps with theirs.
 * Collective. All tables are read before the first set gets its size. Where the layout knows
 * sets, these have the lowest numbers, in its order; other sets follow as maps name them. */
static mplan_status add_maps(reading *r, mplan_error *err)
{
    const int64_t n = r->layout.tables.count;
    const mplan_places_set *sets = r->layout.sets.data;
    r->tables = mplan_alloc_zero(n, sizeof *r->tables, err);
    mplan_status status = mpi_agree(r->readers.comm, r->tables ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t t = 0; t < n && !status; t++)
        status = mpi_read_table_of(&r->readers, &r->layout, (int32_t)t, &r->tables[t], err);
    for (int64_t s = 0; s < r->layout.sets.count && !status; s++)
        status = mpi_mesh_add_set(r->mesh, sets[s].name, sets[s].size, NULL, err);
    status = mpi_agree(r->readers.comm, status, err);
    if (!status && (r->layout.flags & MPLAN_PLACES_BY_FACES))
        return mpi_read_solids(&r->readers, &r->layout, r->tables, r->mesh, err);
    for (int64_t t = 0; t < n && !status; t++)
        status = add_map(r, t, err);
    return status;
}

/* --- coordinates --------------------------------------------------------------------------------------------- */

/* Whether a map of the mesh leads from it. */
static bool is_from_set(const mpi_mesh *mesh, int32_t set)
{
    for (int32_t m = 0; m < mesh->n_maps; m++)
        if (mesh->maps[m].from == set)
            return true;
    return false;
}

/* The only set of so many members among those that no map leads from, or among all; -1: none or several. */
static int32_t set_of_size(const mpi_mesh *mesh, int64_t size, bool all)
{
    int32_t found = -1;
    for (int32_t s = 0; s < mesh->n_sets; s++)
        if (mesh->sets[s].size == size && (all || !is_from_set(mesh, s))) {
            if (found >= 0)
                return -1;
            found = s;
        }
    return found;
}

/* The set that coordinates are of; -1: they are not coordinates of any.
 * By name first; of NumPy's files also by length, where only one set fits. A set takes
 * coordinates once: the first array that is for it. */
static int32_t set_of_points(const reading *r, const mplan_places_points *points)
{
    const mpi_mesh *mesh = r->mesh;
    const int64_t rows = rows_of_points(r, points);
    int32_t set = (r->layout.flags & MPLAN_PLACES_OP2)
                      ? mpi_op2_set_of_points(mesh, points->name, rows)
                      : -1;
    for (int32_t s = 0; s < mesh->n_sets && set < 0; s++)
        set = is_for(points, mesh->sets[s].name) ? s : -1;
    if (set < 0 && (r->layout.flags & MPLAN_PLACES_NUMPY))
        set = set_of_size(mesh, rows, false);
    if (set < 0 && (r->layout.flags & MPLAN_PLACES_NUMPY))
        set = set_of_size(mesh, rows, true);
    return set >= 0 && mesh->sets[set].size == rows && mesh->sets[set].dimension == 0 ? set : -1;
}

/* Those that are called coordinates first, as others may be data.
 * Collective. Every rank reads the rows of its own members. A set with coordinates is no longer
 * one that only the largest number tells the size of. */
static mplan_status add_coordinates(reading *r, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t named = 1; named >= 0; named--)
        for (int64_t i = 0; i < r->layout.points.count && !status; i++) {
            const mplan_places_points *points = points_of(r, i);
            const bool called = !(r->layout.flags & MPLAN_PLACES_NUMPY) ||
                                mpi_coordinate_prefix(points->name) >= 0;
            const int32_t s = called == (named == 1) ? set_of_points(r, points) : -1;
            if (s < 0)
                continue;
            mpi_set *set = &r->mesh->sets[s];
            int32_t dimension = 0;
            status = mpi_read_points(&r->readers, &r->layout, points, set->first[r->mesh->rank],
                                     mpi_own_members(r->mesh, s), &set->coordinates, &dimension, err);
            if (!status)
                set->dimension = dimension;
        }
    for (int32_t s = 0; s < r->mesh->n_sets && !status; s++)
        if (r->mesh->sets[s].dimension > 0)
            r->mesh->sets[s].by_largest = false;
    return status;
}

/* --- prisms ------------------------------------------------------------------------------------------------------ */

/* Turns prisms that are listed mirror-inverted, as the serial reader of AFLR3 does.
 * Collective. ids: the nodes of this rank's prisms, ascending and each once; xyz: 3 coordinates
 * of each, fetched from the ranks that have these nodes. Only rows of own cells change. What is
 * done to a cell depends on its own six nodes only, and so not on the rank that has it. */
static mplan_status turn_prisms(reading *r, mplan_error *err)
{
    const mpi_mesh *mesh = r->mesh;
    const mpi_map *map = &mesh->maps[mpi_mesh_find_map(mesh, "cells_nodes")];
    const mpi_set *nodes = &mesh->sets[map->to];
    const uint8_t *type = mesh->sets[map->from].cell_type;
    const int64_t n_cells = mpi_own_members(mesh, map->from), entries = mpi_own_entries(mesh, map);
    mpi_links links = {0};
    int64_t n = 0, *ids = mplan_alloc(entries, sizeof *ids, err);
    int64_t *scratch = mplan_alloc(entries, sizeof *scratch, err);
    double *xyz = NULL;
    mplan_status status = ids && scratch ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < n_cells && !status; c++) {
        int64_t length;
        const int64_t *node = mpi_map_row(map, c, &length);
        for (int64_t k = 0; k < length && type[c] == MPLAN_CELL_PRISM6; k++)
            ids[n++] = node[k];
    }
    if (!status) {
        n = mpi_distinct(ids, n, scratch);
        xyz = mplan_alloc(3 * n, sizeof *xyz, err);
        status = xyz ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    free(scratch);
    status = mpi_links_make(mesh->comm, status, nodes->first, n, ids, &links, err);
    if (!status)
        status = mpi_links_fetch(&links, status, 3 * sizeof *xyz, nodes->coordinates, xyz, err);
    mpi_finder finder;
    mpi_finder_open(ids, status ? 0 : n, &finder);
    for (int64_t c = 0; c < n_cells && !status; c++) {
        int64_t *node = map->values + (map->offsets ? map->offsets[c] : c * map->arity), old[6];
        int32_t local[6];
        double x[18];
        if (type[c] != MPLAN_CELL_PRISM6)
            continue;
        for (int32_t k = 0; k < 6; k++) {
            local[k] = k;
            old[k] = node[k];
            memcpy(x + 3 * k, xyz + 3 * mpi_find(&finder, node[k]), 3 * sizeof *x);
        }
        mplan_orient_prism(x, local);
        for (int32_t k = 0; k < 6; k++)
            node[k] = old[local[k]];
    }
    mpi_finder_close(&finder);
    mpi_links_free(&links);
    free(ids);
    free(xyz);
    return status;
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

/* The zone is a part of the request where the file has several; other files have none, as the serial reader warns.
 * Collective. */
static mplan_status take_zone(reading *r, const char *path, const char *zone, mplan_error *err)
{
    if (!(r->layout.flags & MPLAN_PLACES_ZONE)) {
        mplan_warn(r->readers.context,
                   "%s: files of this format have no zones: zone '%.64s' is skipped", path, zone);
        return MPLAN_OK;
    }
    r->mesh->zone = mplan_strdup(zone, err);
    return mpi_agree(r->readers.comm, r->mesh->zone ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
}

/* Rank 0 looks into heads, all read what it has found.
 * Collective. A rank that is not 0 comes to mpi_layout_share with MPLAN_OK, and gets the fault
 * of rank 0 there. */
static mplan_status read_all(reading *r, const char *path, const mpi_read_options *options,
                             mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (r->mesh->rank == 0) {
        status = mpi_foam_folder(path, options, &r->foam, err);
        r->stamp = stamp_of(r, path); /* before heads are read, so that these are of the same files as the numbers */
        if (!status)
            status = find_layout(r, path, options, err);
        if (!status)
            status = mpi_layout_ask(&r->layout, options->context, err);
    }
    status = mpi_layout_share(r->readers.comm, status, &r->layout, err);
    if (!status)
        status = add_maps(r, err);
    if (!status)
        status = add_coordinates(r, err);
    if (!status && (r->layout.flags & MPLAN_PLACES_PRISMS))
        status = turn_prisms(r, err);
    if (!status)
        status = mpi_read_sides(r->mesh, r->layout.flags, err);
    if (!status)
        status = mpi_read_levels(&r->readers, &r->layout, r->mesh, err);
    if (!status && options->zone)
        status = take_zone(r, path, options->zone, err);
    if (!status && (r->layout.flags & MPLAN_PLACES_BY_FACES))
        status = mpi_foam_groups(r->mesh, r->foam, r->readers.context, err);
    else if (!status)
        status = mpi_read_groups(&r->readers, &r->layout, r->mesh, err);
    return status ? status : check_stamp(r, path, err);
}

/* The sentence is kept here, as err may be NULL and all ranks are to agree on it. */
mplan_status mpi_mesh_read(MPI_Comm comm, const char *path, const mpi_read_options *options,
                           mpi_mesh **mesh, mplan_error *err)
{
    assert(path && mesh);
    const mpi_read_options none = {0};
    mplan_error why = {MPLAN_OK, ""};
    reading r = {.tables = NULL};
    options = options ? options : &none;
    mplan_places_begin(&r.layout);
    mplan_status status = mpi_mesh_create(comm, &r.mesh, &why);
    if (!status && !(r.mesh->source = mplan_strdup(path, &why)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(comm, status, &why);
    if (!status) {
        mpi_readers_open(comm, options->readers, options->piece, &r.readers);
        r.readers.context = r.mesh->rank == 0 ? options->context : NULL;
        status = read_all(&r, path, options, &why);
        mpi_readers_close(&r.readers);
    }
    for (int64_t t = 0; t < r.layout.tables.count && r.tables; t++)
        mpi_read_table_free(&r.tables[t]);
    free(r.tables);
    free(r.foam);
    mplan_places_free(&r.layout);
    if (!status) {
        *mesh = r.mesh;
        return MPLAN_OK;
    }
    mpi_mesh_free(r.mesh);
    return mplan_fail(err, status, "%s", why.text);
}
