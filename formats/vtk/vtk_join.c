/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_join.c - pieces of one grid, which may share points and cells, as one: for parallel files of VTK
 *
 * Cells that are those of another piece as well (vtkGhostType, or vtkGhostLevels of older files) are dropped, and
 * points that then no cell has. Points of two pieces are one where their coordinates are equal, since pieces share
 * those at their seams; points of one piece stay apart. */
#include "formats/vtk/vtk_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

enum { DUPLICATE = 1 }; /* VTK's bit in vtkGhostType */

/* Points of equal coordinates are a chain: many of them cost no more than others.
 * A piece may have several points at one place, as on both sides of a crack: its k-th point there is the k-th of the
 * chain, so that they stay apart. */
typedef struct chained {
    int32_t next; /* of the chain; -1: the last */
    /* of the first of a chain: its last point, -1 in others; a piece, and the first point that it does not have yet */
    int32_t last, piece, open;
} chained;

/* The mesh as it grows; places: a hash table of the first points of chains by their coordinates, -1: free.
 * places has 2^bits entries, at most half of them in use, so that a search by steps of one ends soon. offsets and
 * face_offsets have one more than cells. */
typedef struct mplan_vtk_joiner {
    const char *path;
    mplan_error *err;
    mplan_vector types, offsets, points, faces, face_offsets, xyz;
    mplan_vector chains; /* chained, for each point */
    mplan_vector fields; /* mplan_vtk_field with room for the cells so far */
    int32_t *places;
    int32_t bits;
    int32_t at; /* the piece at hand */
    int64_t n_joined;
} joiner;

/* --- points ----------------------------------------------------------------------------- */

/* Equal for -0 and 0.
 * It only says where a search begins: which points are equal says is_same. */
static uint64_t hash_of(const double xyz[3])
{
    uint64_t hash = 0;
    for (int d = 0; d < 3; d++) {
        const double x = xyz[d] + 0.0;
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Twice the places; points move to where they belong then.
 * Only the first point of each chain has a place. */
static mplan_status grow(joiner *j)
{
    const int32_t bits = j->places ? j->bits + 1 : 10;
    const int64_t n = INT64_C(1) << bits;
    int32_t *places = mplan_alloc(n, sizeof *places, j->err);
    if (!places)
        return MPLAN_ERR_MEMORY;
    memset(places, 0xff, (size_t)n * sizeof *places);
    const double *xyz = j->xyz.data;
    const chained *chain = j->chains.data;
    for (int64_t p = 0; p < j->chains.count; p++) {
        if (chain[p].last < 0)
            continue;
        uint64_t at = hash_of(xyz + 3 * p) & (uint64_t)(n - 1);
        while (places[at] >= 0)
            at = (at + 1) & (uint64_t)(n - 1);
        places[at] = (int32_t)p;
    }
    free(j->places);
    j->places = places;
    j->bits = bits;
    return MPLAN_OK;
}

/* Also of what is not a number, so that many such points are one chain. */
static bool is_same(const double a[3], const double b[3])
{
    bool same = true;
    for (int d = 0; d < 3; d++)
        same = same && (a[d] == b[d] || (a[d] != a[d] && b[d] != b[d]));
    return same;
}

/* A point of the whole at xyz behind the others, the last of the chain of `first`; -1: the first of one. */
static mplan_status add_point(joiner *j, const double xyz[3], int32_t first, int32_t *number)
{
    const int64_t n = j->chains.count;
    if (n == INT32_MAX - 1)
        return mplan_fail(j->err, MPLAN_ERR_UNSUPPORTED, "%s: points or cells exceed 32 bits",
                          j->path);
    const chained made = {-1, first < 0 ? (int32_t)n : -1, j->at, -1};
    double *to = mplan_vector_reserve(&j->xyz, 3, j->err);
    if (!to || mplan_vector_push(&j->chains, &made, j->err))
        return MPLAN_ERR_MEMORY;
    memcpy(to, xyz, 3 * sizeof *to);
    j->xyz.count += 3;
    chained *chain = j->chains.data;
    if (first >= 0) {
        chain[chain[first].last].next = (int32_t)n;
        chain[first].last = (int32_t)n;
    }
    *number = (int32_t)n;
    return MPLAN_OK;
}

/* The next point at xyz that earlier pieces have, or a new one.
 * In the first call of a piece for a chain `open` goes back to the chain's first point; each call moves it on by
 * one. */
static mplan_status take_point(joiner *j, const double xyz[3], int32_t *number)
{
    if ((!j->places || 2 * (j->chains.count + 1) > INT64_C(1) << j->bits) && grow(j))
        return MPLAN_ERR_MEMORY;
    const uint64_t mask = (UINT64_C(1) << j->bits) - 1;
    uint64_t at = hash_of(xyz) & mask;
    while (j->places[at] >= 0 &&
           !is_same((const double *)j->xyz.data + 3 * (int64_t)j->places[at], xyz))
        at = (at + 1) & mask;
    const int32_t first = j->places[at];
    if (first < 0) {
        mplan_status status = add_point(j, xyz, -1, number);
        if (!status)
            j->places[at] = *number;
        return status;
    }
    chained *chain = j->chains.data;
    if (chain[first].piece != j->at) {
        chain[first].piece = j->at;
        chain[first].open = first;
    }
    const int32_t open = chain[first].open;
    if (open < 0)
        return add_point(j, xyz, first, number);
    chain[first].open = chain[open].next;
    j->n_joined++;
    *number = open;
    return MPLAN_OK;
}

/* --- ghosts ----------------------------------------------------------------------------- */

/* kept: for each cell of a piece its number among those that are kept, -1: it is a ghost.
 * Returns how many are kept. vtkGhostLevels above 0 is the older way to say the same. */
static int64_t keep_cells(const mplan_vtk_cells *part, int32_t *kept)
{
    int64_t n = 0;
    memset(kept, 0, (size_t)part->n_cells * sizeof *kept);
    for (int64_t f = 0; f < part->n_fields; f++) {
        const mplan_vtk_field *field = &part->fields[f];
        if (field->marks || field->of_points || !mplan_vtk_tells_ghosts(field->name))
            continue;
        const bool levels = strcmp(field->name, "vtkGhostLevels") == 0;
        for (int64_t c = 0; c < part->n_cells; c++)
            if (levels ? field->values[c] > 0 : field->values[c] & DUPLICATE)
                kept[c] = -1;
    }
    for (int64_t c = 0; c < part->n_cells; c++)
        kept[c] = kept[c] < 0 ? -1 : (int32_t)n++;
    return n;
}

/* --- cells ------------------------------------------------------------------------------ */

/* number: of the whole's point for each of the piece's; -1: not yet.
 * p: a point of the piece, in range; *to: that of the whole. */
static mplan_status renumber(joiner *j, const mplan_vtk_cells *part, int32_t p, int32_t *number,
                             int32_t *to)
{
    mplan_status status = number[p] < 0 ? take_point(j, part->xyz + 3 * (int64_t)p, &number[p])
                                        : MPLAN_OK;
    *to = number[p];
    return status;
}

/* The points of a polyhedron's faces; the stream was checked.
 * Counts of faces and of their points stay as they are: only entries between two counts are points. */
static mplan_status add_stream(joiner *j, const mplan_vtk_cells *part, int64_t c, int32_t *number)
{
    int64_t length;
    const int32_t *from = mplan_vtk_faces(part, c, &length);
    int32_t *to = mplan_vector_reserve(&j->faces, length, j->err);
    mplan_status status = to ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t next = 1; /* where a face begins */
    for (int64_t i = 0; i < length && !status; i++) {
        to[i] = from[i];
        if (i == next)
            next += 1 + from[i];
        else if (i > 0)
            status = renumber(j, part, from[i], number, &to[i]);
    }
    j->faces.count += status ? 0 : length;
    return status;
}

/* One cell of the piece, which is kept. */
static mplan_status add_cell(joiner *j, const mplan_vtk_cells *part, int64_t c, int32_t *number)
{
    const int64_t first = part->offsets[c], n = part->offsets[c + 1] - first;
    const bool polyhedron = part->faces && part->types[c] == MPLAN_VTK_POLYHEDRON;
    mplan_status status = mplan_vector_push(&j->types, &part->types[c], j->err);
    int32_t *to = status ? NULL : mplan_vector_reserve(&j->points, n, j->err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t k = 0; k < n && !status; k++)
        status = renumber(j, part, part->points[first + k], number, &to[k]);
    j->points.count += n;
    if (!status)
        status = mplan_vector_push(&j->offsets, &j->points.count, j->err);
    if (!status && polyhedron)
        status = mplan_vtk_check_polyhedron(j->path, part, c, j->err);
    if (!status && polyhedron)
        status = add_stream(j, part, c, number);
    return status ? status : mplan_vector_push(&j->face_offsets, &j->faces.count, j->err);
}

/* --- fields ----------------------------------------------------------------------------- */

/* The whole's field of the piece's name and kind, made at its first use. */
static mplan_vtk_field *field_of(joiner *j, const mplan_vtk_field *from)
{
    mplan_vtk_field *field = j->fields.data;
    for (int64_t f = 0; f < j->fields.count; f++)
        if (field[f].marks == from->marks && field[f].of_points == from->of_points &&
            strcmp(field[f].name, from->name) == 0)
            return &field[f];
    mplan_vtk_field made = {mplan_strdup(from->name, j->err), 0, NULL, from->marks, from->of_points};
    if (!made.name || mplan_vector_push(&j->fields, &made, j->err)) {
        free(made.name);
        return NULL;
    }
    return (mplan_vtk_field *)j->fields.data + j->fields.count - 1;
}

/* More values, behind zeros up to `first`.
 * field->n becomes first + n; *to: where the n new ones are, unset. */
static mplan_status extend(joiner *j, mplan_vtk_field *field, int64_t first, int64_t n, int32_t **to)
{
    int32_t *values = mplan_realloc(field->values, first + n, sizeof *values, j->err);
    if (!values)
        return MPLAN_ERR_MEMORY;
    if (first > field->n)
        memset(values + field->n, 0, (size_t)(first - field->n) * sizeof *values);
    field->values = values;
    field->n = first + n;
    *to = values + first;
    return MPLAN_OK;
}

/* kept and n_kept: cells of the piece; first: cells of the pieces before it.
 * number: of each point of the piece; -1: only ghosts have it. Marks of ghosts are left out. */
static mplan_status add_field(joiner *j, const mplan_vtk_field *from, const int32_t *kept,
                              int64_t n_kept, int64_t first, const int32_t *number)
{
    int32_t *to = NULL;
    int64_t n = 0;
    mplan_vtk_field *field = field_of(j, from);
    if (!field)
        return MPLAN_ERR_MEMORY;
    mplan_status status = from->marks ? extend(j, field, field->n, from->n, &to)
                                      : extend(j, field, first, n_kept, &to);
    for (int64_t i = 0; i < from->n && !status; i++) {
        const int32_t member = from->marks ? from->values[i] : (int32_t)i;
        const int32_t place = from->of_points ? number[member] : kept[member];
        if (place < 0)
            continue;
        to[n++] = !from->marks      ? from->values[i]
                  : from->of_points ? place
                                    : (int32_t)(first + place);
    }
    if (!status && from->marks)
        field->n -= from->n - n;
    return status;
}

/* --- pieces ----------------------------------------------------------------------------- */

/* Points that cells of the piece do not have are kept where it has no ghosts. */
mplan_status mplan_vtk_join_piece(joiner *j, const mplan_vtk_cells *part)
{
    const int64_t first = j->types.count;
    int32_t *kept = mplan_alloc(part->n_cells, sizeof *kept, j->err);
    int32_t *number = mplan_alloc(part->n_points, sizeof *number, j->err), unused;
    mplan_status status = kept && number ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t n = 0;
    if (!status) {
        n = keep_cells(part, kept);
        memset(number, 0xff, (size_t)part->n_points * sizeof *number);
    }
    for (int64_t p = 0; p < part->n_points && !status && n == part->n_cells; p++)
        status = renumber(j, part, (int32_t)p, number, &unused);
    for (int64_t c = 0; c < part->n_cells && !status; c++)
        if (kept[c] >= 0)
            status = add_cell(j, part, c, number);
    for (int64_t f = 0; f < part->n_fields && !status; f++)
        if (part->fields[f].marks || !mplan_vtk_tells_ghosts(part->fields[f].name))
            status = add_field(j, &part->fields[f], kept, n, first, number);
    free(kept);
    free(number);
    if (!status && j->types.count > INT32_MAX)
        status = mplan_fail(j->err, MPLAN_ERR_UNSUPPORTED, "%s: points or cells exceed 32 bits",
                            j->path);
    j->at++;
    return status;
}

/* Arrays and fields move to the whole; marks ascend, each once, and numbers are there for all cells. */
mplan_status mplan_vtk_join_end(joiner *j, mplan_vtk_cells *whole, const mplan_context *context)
{
    mplan_status status = MPLAN_OK;
    whole->n_cells = j->types.count;
    whole->n_points = j->chains.count;
    for (int64_t f = 0; f < j->fields.count && !status; f++) {
        mplan_vtk_field *field = (mplan_vtk_field *)j->fields.data + f;
        int32_t *unused;
        if (!field->marks) {
            status = extend(j, field, whole->n_cells, 0, &unused);
        } else if (field->n > 0) {
            field->n = mplan_distinct_i32(field->values, field->n);
        }
        if (status || field->n == 0)
            continue;
        status = mplan_vtk_take_field(whole, field, j->err);
        field->values = NULL;
    }
    whole->types = mplan_vector_take(&j->types);
    whole->offsets = mplan_vector_take(&j->offsets);
    whole->points = mplan_vector_take(&j->points);
    whole->xyz = mplan_vector_take(&j->xyz);
    if (j->faces.count > 0) {
        whole->faces = mplan_vector_take(&j->faces);
        whole->face_offsets = mplan_vector_take(&j->face_offsets);
    }
    if (!status && j->n_joined > 0)
        mplan_warn(context, "%s: %lld points that pieces share are one by their coordinates",
                   j->path, (long long)j->n_joined);
    return status;
}

/* `j` may be NULL, or begun only. */
void mplan_vtk_join_free(joiner *j)
{
    if (!j)
        return;
    mplan_vtk_field *field = j->fields.data;
    for (int64_t f = 0; f < j->fields.count; f++) {
        free(field[f].name);
        free(field[f].values);
    }
    free(j->fields.data);
    free(j->types.data);
    free(j->offsets.data);
    free(j->points.data);
    free(j->faces.data);
    free(j->face_offsets.data);
    free(j->xyz.data);
    free(j->chains.data);
    free(j->places);
    free(j);
}

/* offsets and face_offsets begin with 0, as all lists of rows do. *made is the caller's to
 * free, also after a failure. */
mplan_status mplan_vtk_join_begin(const char *path, joiner **made, mplan_error *err)
{
    static const int64_t none = 0;
    joiner *j = *made = mplan_alloc_zero(1, sizeof *j, err);
    if (!j)
        return MPLAN_ERR_MEMORY;
    *j = (joiner){.path = path,
                  .err = err,
                  .types = MPLAN_VECTOR_INIT(1),
                  .offsets = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                  .points = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                  .faces = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                  .face_offsets = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                  .xyz = MPLAN_VECTOR_INIT(sizeof(double)),
                  .chains = MPLAN_VECTOR_INIT(sizeof(chained)),
                  .fields = MPLAN_VECTOR_INIT(sizeof(mplan_vtk_field))};
    mplan_status status = mplan_vector_push(&j->offsets, &none, err);
    return status ? status : mplan_vector_push(&j->face_offsets, &none, err);
}
