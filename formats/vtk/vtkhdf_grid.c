/* SPDX-License-Identifier: Apache-2.0 */
/* vtkhdf_grid.c - one grid of a VTK HDF5 file: an unstructured grid or PolyData
 *
 * A grid is in parts, whose numbers of points and cells are tables; the arrays of all parts follow each other, of offsets one
 * more than cells for each part. Parts are joined as those of .pvtu (vtk_join.c). Of several steps in time the first is read. */
#ifdef MPLAN_HAVE_HDF5
#include "formats/vtk/vtkhdf.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtk_join.h"

enum { MOST_ARRAYS = 4096 };

/* The sections of PolyData, in the order in which their cells are counted. */
static const char *const sections[] = {"Vertices", "Lines", "Polygons", "Strips"};
enum { N_SECTIONS = 4, VERTICES = 0, LINES, POLYGONS };

/* Cells of all parts: of a grid or of a section of PolyData. The numbers of a part follow those of the part before.
 * n_cells is NULL for a section that the file does not have. No count is trusted before size_part has compared it
 * with the lengths of the tables. */
typedef struct vtkhdf_cells {
    int64_t *n_cells, *n_entries; /* of each part */
    int64_t *offsets, *points;    /* the offsets of a part are one more than its cells */
    int64_t *types;               /* of a grid */
    int64_t offsets_n, points_n, types_n;
    int64_t cell, entry, offset; /* where the part at hand begins */
} vtkhdf_cells;

/* A table of numbers of cells that are groups or ghosts.
 * values: n of them, for the cells of all parts one behind the other. */
typedef struct vtkhdf_field {
    char name[MPLAN_HDF5_NAME];
    int64_t *values, n;
} vtkhdf_field;

/* A grid that is read. */
typedef struct vtkhdf_grid {
    char path[MPLAN_HDF5_PATH];
    int64_t n_parts, first_part; /* parts [first_part, n_parts) are those of the first step */
    int64_t *n_points;           /* of each part */
    double *xyz;
    int64_t xyz_n;
    vtkhdf_cells cells[N_SECTIONS];
    int32_t n_kinds; /* of cells: 1, or 4 of PolyData */
    vtkhdf_field *fields;
    int32_t n_fields;
} vtkhdf_grid;

static mplan_status fail(const mplan_vtkhdf *reader, const char *path, mplan_status status,
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

/* --- tables ------------------------------------------------------------------------------------- */

/* A table of whole numbers that must not be negative, of n numbers or more; n < 0: of any number. *numbers: from
 * mplan_alloc, the caller's also after a failure; *found: how many, may be NULL. */
static mplan_status take_table(const mplan_vtkhdf *reader, const char *folder, const char *name,
                               int64_t n, int64_t **numbers, int64_t *found, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape = {.n = 0};
    if (!join(path, folder, name))
        return fail(reader, folder, MPLAN_ERR_CORRUPT, "is too long a name", err);
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, numbers, &shape, err);
    if (!status && n >= 0 && shape.n < n)
        status = fail(reader, path, MPLAN_ERR_CORRUPT, "has not a number for each part", err);
    for (int64_t i = 0; i < shape.n && !status; i++)
        if ((*numbers)[i] < 0)
            status = fail(reader, path, MPLAN_ERR_CORRUPT, "has a negative number", err);
    if (found)
        *found = shape.n;
    return status;
}

/* The first number of a table of Steps; `otherwise` where there is none. */
static mplan_status first_of(const mplan_vtkhdf *reader, const char *folder, const char *name,
                             int64_t otherwise, int64_t *value, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    int64_t *numbers = NULL, n = 0;
    *value = otherwise;
    if (!join(path, folder, name) || mplan_hdf5_look(&reader->tree, path, NULL) == MPLAN_HDF5_NOTHING)
        return MPLAN_OK;
    mplan_status status = take_table(reader, folder, name, 1, &numbers, &n, err);
    if (!status)
        *value = numbers[0];
    free(numbers);
    return status;
}

/* Where the cells of the first step begin: Steps/CellOffsets and Steps/ConnectivityIdOffsets are 0 in all files of VTK. */
static mplan_status check_start(const mplan_vtkhdf *reader, const char *steps, mplan_error *err)
{
    static const char *const names[] = {"PointOffsets", "CellOffsets", "ConnectivityIdOffsets",
                                        "PartOffsets"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t value;
        mplan_status status = first_of(reader, steps, names[i], 0, &value, err);
        if (!status && value != 0)
            status = fail(reader, steps, MPLAN_ERR_UNSUPPORTED,
                          "has a first step that does not begin at the first number", err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* How many parts there are; of several steps those of the first, with a warning. */
static mplan_status count_parts(const mplan_vtkhdf *reader, vtkhdf_grid *grid, mplan_error *err)
{
    char steps[MPLAN_HDF5_PATH];
    int64_t n_steps = 0, parts = 0;
    mplan_status status = take_table(reader, grid->path, "NumberOfPoints", -1, &grid->n_points,
                                     &grid->n_parts, err);
    if (status || !join(steps, grid->path, "Steps") ||
        mplan_hdf5_look(&reader->tree, steps, NULL) != MPLAN_HDF5_GROUP)
        return status;
    mplan_hdf5_attribute(&reader->tree, steps, "NSteps", &n_steps);
    status = first_of(reader, steps, "NumberOfParts", n_steps > 1 ? 1 : grid->n_parts, &parts, err);
    if (!status)
        status = check_start(reader, steps, err);
    if (!status && parts > grid->n_parts)
        status = fail(reader, steps, MPLAN_ERR_CORRUPT, "has more parts than there are", err);
    if (!status && n_steps > 1)
        mplan_warn(reader->tree.context, "%s: %s has %lld steps in time; only the first is read",
                   reader->tree.input->path, grid->path, (long long)n_steps);
    grid->n_parts = status ? 0 : parts;
    return status;
}

/* Cells of a grid, or of a section of PolyData; section NULL: a grid. */
static mplan_status load_cells(const mplan_vtkhdf *reader, const vtkhdf_grid *grid,
                               const char *section, vtkhdf_cells *cells, mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH];
    if (!section)
        snprintf(folder, sizeof folder, "%s", grid->path);
    else if (!join(folder, grid->path, section))
        return fail(reader, grid->path, MPLAN_ERR_CORRUPT, "is too long a name", err);
    if (section && mplan_hdf5_look(&reader->tree, folder, NULL) == MPLAN_HDF5_NOTHING)
        return MPLAN_OK; /* no such cells */
    mplan_status status = take_table(reader, folder, "NumberOfCells", grid->n_parts,
                                     &cells->n_cells, NULL, err);
    if (!status)
        status = take_table(reader, folder, "NumberOfConnectivityIds", grid->n_parts,
                            &cells->n_entries, NULL, err);
    if (!status)
        status = take_table(reader, folder, "Offsets", -1, &cells->offsets, &cells->offsets_n, err);
    if (!status)
        status = take_table(reader, folder, "Connectivity", -1, &cells->points, &cells->points_n,
                            err);
    if (!status && !section)
        status = take_table(reader, folder, "Types", -1, &cells->types, &cells->types_n, err);
    return status;
}

/* CellData of whole numbers whose names say that they are groups or ghosts. */
static mplan_status load_fields(const mplan_vtkhdf *reader, vtkhdf_grid *grid, mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH], path[MPLAN_HDF5_PATH], name[MPLAN_HDF5_NAME];
    mplan_status status = MPLAN_OK;
    if (!join(folder, grid->path, "CellData"))
        return MPLAN_OK;
    const int64_t n = mplan_hdf5_n_names(&reader->tree, folder);
    for (int64_t i = 0; i < n && i < MOST_ARRAYS && !status; i++) {
        mplan_hdf5_shape shape;
        if (!mplan_hdf5_name(&reader->tree, folder, i, name) || !join(path, folder, name) ||
            (mplan_vtk_tag_rank(reader->group_array, name) < 0 && !mplan_vtk_tells_ghosts(name)) ||
            mplan_hdf5_look(&reader->tree, path, &shape) != MPLAN_HDF5_WHOLE ||
            (shape.rank > 1 && shape.n != shape.length[0]))
            continue;
        vtkhdf_field *fields = mplan_realloc(grid->fields, grid->n_fields + 1, sizeof *fields, err);
        if (!fields)
            return MPLAN_ERR_MEMORY;
        grid->fields = fields;
        vtkhdf_field *made = &fields[grid->n_fields++];
        memset(made, 0, sizeof *made);
        memcpy(made->name, name, sizeof name);
        status = mplan_hdf5_whole(&reader->tree, path, &made->values, &shape, err);
        made->n = shape.n;
    }
    return status;
}

/* Also of a grid that was read in part: n_fields counts the fields that are there. */
static void free_grid(vtkhdf_grid *grid)
{
    for (int k = 0; k < N_SECTIONS; k++) {
        free(grid->cells[k].n_cells);
        free(grid->cells[k].n_entries);
        free(grid->cells[k].offsets);
        free(grid->cells[k].points);
        free(grid->cells[k].types);
    }
    for (int32_t f = 0; f < grid->n_fields; f++)
        free(grid->fields[f].values);
    free(grid->fields);
    free(grid->n_points);
    free(grid->xyz);
}

/* All tables of a grid. */
static mplan_status load_grid(const mplan_vtkhdf *reader, vtkhdf_grid *grid, bool polydata,
                              mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape = {.n = 0};
    mplan_status status = count_parts(reader, grid, err);
    grid->n_kinds = polydata ? N_SECTIONS : 1;
    if (!status && !join(path, grid->path, "Points"))
        status = fail(reader, grid->path, MPLAN_ERR_CORRUPT, "is too long a name", err);
    if (!status)
        status = mplan_hdf5_real(&reader->tree, path, &grid->xyz, &shape, err);
    grid->xyz_n = shape.n;
    for (int32_t k = 0; k < grid->n_kinds && !status; k++)
        status = load_cells(reader, grid, polydata ? sections[k] : NULL, &grid->cells[k], err);
    return status ? status : load_fields(reader, grid, err);
}

/* --- parts -------------------------------------------------------------------------------------- */

/* VTK's type of a cell of a section with n points.
 * section: its place in `sections`. Several vertices or lines of one cell are VTK's types 2 and 4, which are made
 * single cells later (vtk_strips.c). */
static uint8_t type_of(int32_t section, int64_t n)
{
    switch (section) {
    case VERTICES: return n == 1 ? 1 : 2;
    case LINES: return n == 2 ? 3 : 4;
    case POLYGONS: return n == 3 ? 5 : n == 4 ? 9 : MPLAN_VTK_POLYGON;
    default: return 6;
    }
}

/* The counts of a part must be in the tables; part: its sizes, *entries: of all its cells.
 * first_point: points of the parts before. Nothing of the part is allocated before this has succeeded. */
static mplan_status size_part(const mplan_vtkhdf *reader, const vtkhdf_grid *grid, int64_t p,
                              int64_t first_point, mplan_vtk_cells *part, int64_t *entries,
                              mplan_error *err)
{
    part->n_points = grid->n_points[p];
    part->n_cells = *entries = 0;
    bool fits = part->n_points <= grid->xyz_n / 3 - first_point && part->n_points < INT32_MAX;
    for (int32_t k = 0; k < grid->n_kinds && fits; k++) {
        const vtkhdf_cells *of = &grid->cells[k];
        if (!of->n_cells)
            continue;
        fits = of->n_cells[p] < of->offsets_n - of->offset && of->n_cells[p] < INT32_MAX &&
               of->n_entries[p] <= of->points_n - of->entry &&
               (!of->types || of->n_cells[p] <= of->types_n - of->cell);
        part->n_cells += of->n_cells[p];
        *entries += of->n_entries[p];
    }
    if (!fits || part->n_cells >= INT32_MAX)
        return fail(reader, grid->path, MPLAN_ERR_CORRUPT,
                    "has a part with more points or cells than its tables", err);
    return MPLAN_OK;
}

/* Cells of a kind of part p to the part's from `cell` and `entry` on, which move.
 * Points count from the first of the part, offsets from 0 in each part and section. */
static mplan_status fill_cells(const mplan_vtkhdf *reader, const vtkhdf_grid *grid, int64_t p,
                               int32_t kind, mplan_vtk_cells *part, int64_t *cell, int64_t *entry,
                               mplan_error *err)
{
    const vtkhdf_cells *of = &grid->cells[kind];
    const int64_t *ends = of->offsets + of->offset, n = of->n_cells[p];
    if (ends[0] != 0 || ends[n] != of->n_entries[p])
        return fail(reader, grid->path, MPLAN_ERR_CORRUPT,
                    "has offsets that do not go from 0 to the number of entries", err);
    for (int64_t c = 0; c < n; c++) {
        if (ends[c + 1] < ends[c])
            return fail(reader, grid->path, MPLAN_ERR_CORRUPT, "has offsets that descend", err);
        const int64_t type = of->types ? of->types[of->cell + c]
                                       : type_of(kind, ends[c + 1] - ends[c]);
        if (type > 255 || type == MPLAN_VTK_POLYHEDRON)
            return fail(reader, grid->path, MPLAN_ERR_UNSUPPORTED,
                        type > 255 ? "has a number that is not a type of cell"
                                   : "has polyhedra, which are not supported here",
                        err);
        part->types[*cell] = (uint8_t)type;
        part->offsets[++*cell] = *entry + ends[c + 1];
    }
    for (int64_t i = 0; i < of->n_entries[p]; i++) {
        const int64_t point = of->points[of->entry + i];
        if (point >= part->n_points)
            return fail(reader, grid->path, MPLAN_ERR_MESH,
                        "has a cell with a point that is not in its part", err);
        part->points[(*entry)++] = (int32_t)point;
    }
    return MPLAN_OK;
}

/* The numbers of the part's cells in a table; those that are not of 32 bits make no groups.
 * first_cell: cells of the parts before, which come first in the table. */
static mplan_status fill_field(const mplan_vtkhdf *reader, const vtkhdf_field *field,
                               int64_t first_cell, mplan_vtk_cells *part, mplan_error *err)
{
    if (field->n - first_cell < part->n_cells)
        return fail(reader, field->name, MPLAN_ERR_CORRUPT, "has not a number for each cell", err);
    mplan_vtk_field made = {.name = (char *)(uintptr_t)field->name, .n = part->n_cells};
    made.values = mplan_alloc(part->n_cells, sizeof *made.values, err);
    if (!made.values)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < part->n_cells; c++) {
        const int64_t value = field->values[first_cell + c];
        if (value < INT32_MIN || value > INT32_MAX) {
            free(made.values);
            mplan_warn(reader->tree.context,
                       "%s: the cell data %s are not whole numbers of 32 bits: no groups are made "
                       "from them",
                       reader->tree.input->path, field->name);
            return MPLAN_OK;
        }
        made.values[c] = (int32_t)value;
    }
    return mplan_vtk_take_field(part, &made, err);
}

/* Part p of a grid, by itself; first_point and first_cell: of the parts before it.
 * part: zeroed; released by the caller, also after a failure. Parts are made in ascending order, because the places
 * in grid->cells move on with each. */
static mplan_status make_part(const mplan_vtkhdf *reader, vtkhdf_grid *grid, int64_t p,
                              int64_t first_point, int64_t first_cell, mplan_vtk_cells *part,
                              mplan_error *err)
{
    int64_t entries = 0, cell = 0, entry = 0;
    mplan_status status = size_part(reader, grid, p, first_point, part, &entries, err);
    if (status)
        return status;
    part->xyz = mplan_copy(grid->xyz + 3 * first_point, 3 * part->n_points, sizeof *part->xyz, err);
    part->types = part->xyz ? mplan_alloc(part->n_cells, 1, err) : NULL;
    part->offsets = part->types ? mplan_alloc(part->n_cells + 1, sizeof *part->offsets, err) : NULL;
    part->points = part->offsets ? mplan_alloc(entries, sizeof *part->points, err) : NULL;
    if (!part->points)
        return MPLAN_ERR_MEMORY;
    part->offsets[0] = 0;
    for (int32_t k = 0; k < grid->n_kinds && !status; k++) {
        vtkhdf_cells *of = &grid->cells[k];
        if (!of->n_cells)
            continue;
        status = fill_cells(reader, grid, p, k, part, &cell, &entry, err);
        of->cell += of->n_cells[p];
        of->entry += of->n_entries[p];
        of->offset += of->n_cells[p] + 1;
    }
    for (int32_t f = 0; f < grid->n_fields && !status; f++)
        status = fill_field(reader, &grid->fields[f], first_cell, part, err);
    return status;
}

/* A grid of one part stays as it is, unless it has ghosts; several are joined.
 * Points that parts share become one, and cells that are marked as another part's are left out (vtk_join.c). */
static mplan_status join_parts(const mplan_vtkhdf *reader, vtkhdf_grid *grid,
                               mplan_vtk_cells *cells, mplan_error *err)
{
    mplan_vtk_joiner *joiner = NULL;
    bool ghosts = false;
    int64_t first_point = 0, first_cell = 0;
    for (int32_t f = 0; f < grid->n_fields; f++)
        ghosts = ghosts || mplan_vtk_tells_ghosts(grid->fields[f].name);
    if (grid->n_parts == 1 && !ghosts)
        return make_part(reader, grid, 0, 0, 0, cells, err);
    mplan_status status = mplan_vtk_join_begin(reader->tree.input->path, &joiner, err);
    for (int64_t p = 0; p < grid->n_parts && !status; p++) {
        mplan_vtk_cells part = {0};
        status = make_part(reader, grid, p, first_point, first_cell, &part, err);
        if (!status)
            status = mplan_vtk_join_piece(joiner, &part);
        first_point += part.n_points;
        first_cell += part.n_cells;
        mplan_vtk_cells_free(&part);
        if (!status)
            status = mplan_interrupted(reader->tree.context, err);
    }
    if (!status)
        status = mplan_vtk_join_end(joiner, cells, reader->tree.context);
    mplan_vtk_join_free(joiner);
    return status;
}

/* *other: the group holds neither kind that is read; the caller says so, or looks on. Parts
 * that were written by several processes are joined one behind the other, with offsets counted
 * on. */
mplan_status mplan_vtkhdf_read_grid(const mplan_vtkhdf *reader, const char *path, bool *other,
                                    mplan_vtk_cells *cells, mplan_error *err)
{
    char kind[64] = "";
    vtkhdf_grid grid = {.n_parts = 0};
    mplan_hdf5_text_attribute(&reader->tree, path, "Type", kind, sizeof kind);
    const bool polydata = strcmp(kind, "PolyData") == 0;
    *other = !polydata && strcmp(kind, "UnstructuredGrid") != 0;
    if (*other)
        return MPLAN_OK;
    snprintf(grid.path, sizeof grid.path, "%s", path);
    mplan_status status = load_grid(reader, &grid, polydata, err);
    if (!status)
        status = join_parts(reader, &grid, cells, err);
    free_grid(&grid);
    return status;
}

#else
typedef int mplan_vtkhdf_needs_hdf5; /* a file holds something */
#endif
