/* scene_solid.c - solid meshes: their outside, an eighth cut away
 *
 * Cells are left whole. What is seen are faces with a cell that is kept on one side alone and whose normal
 * points to the viewer, drawn from the back to the front (painter's algorithm). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/scene.h"

/* Towards the viewer; the picture's right and up. Orthogonal, of length 1. */
static const double eye[3] = {0.6124, 0.6124, 0.5};
static const double right[3] = {-0.7071, 0.7071, 0};
static const double up[3] = {-0.3536, -0.3536, 0.866};

typedef struct face {
    double depth;
    int64_t begin; /* in the scene's corners */
    int32_t cell, n;
    uint8_t tone;
} face;

typedef struct builder {
    const mplan_view_shape *shape;
    const bool *kept;
    mplan_vector faces, xy;
    mplan_error *err;
} builder;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Newell's normal: of faces that are not flat, too. */
static void normal_of(const double *xyz, const int32_t *nodes, int32_t n, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    for (int32_t i = 0; i < n; i++) {
        const double *a = xyz + 3 * (int64_t)nodes[i], *b = xyz + 3 * (int64_t)nodes[(i + 1) % n];
        normal[0] += (a[1] - b[1]) * (a[2] + b[2]);
        normal[1] += (a[2] - b[2]) * (a[0] + b[0]);
        normal[2] += (a[0] - b[0]) * (a[1] + b[1]);
    }
}

/* Lit from above and a little from the side. */
static uint8_t tone_of(const double normal[3], int side)
{
    static const double light[3] = {0.3, 0.55, 0.78};
    double lit = side * dot(normal, light) / sqrt(dot(normal, normal));
    return lit > 0.66 ? 0 : lit > 0.42 ? 1 : 2;
}

/* side: 1 when the normal of the row leaves the cell, else -1. */
static mplan_status add_face(builder *to, const int32_t *nodes, int32_t n, int32_t cell, int side)
{
    double normal[3];
    const double *xyz = to->shape->xyz;
    normal_of(xyz, nodes, n, normal);
    if (n < 3 || side * dot(normal, eye) <= 0)
        return MPLAN_OK;
    face added = {0, to->xy.count, cell, n, tone_of(normal, side)};
    double *room = mplan_vector_reserve(&to->xy, n, to->err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        const double *x = xyz + 3 * (int64_t)nodes[i];
        room[2 * i] = dot(x, right);
        room[2 * i + 1] = dot(x, up);
        added.depth += dot(x, eye) / n;
    }
    to->xy.count += n;
    return mplan_vector_push(&to->faces, &added, to->err);
}

static mplan_status collect(builder *to, const mplan_mesh *mesh, const char *nodes_name,
                            const char *cells_name, const mplan_context *context)
{
    int32_t nodes_index = mplan_mesh_find_map(mesh, nodes_name);
    int32_t cells_index = mplan_mesh_find_map(mesh, cells_name);
    if (nodes_index < 0 || cells_index < 0)
        return MPLAN_OK;
    const mplan_map nodes = mplan_mesh_map(mesh, nodes_index), cells = mplan_mesh_map(mesh, cells_index);
    mplan_status status = MPLAN_OK;
    for (int64_t f = 0; f < nodes.n_rows && f < cells.n_rows && !status; f++) {
        int32_t n, n_cells;
        const int32_t *row = mplan_map_row(&nodes, f, &n), *cell = mplan_map_row(&cells, f, &n_cells);
        bool first = n_cells > 0 && cell[0] >= 0 && to->kept[cell[0]];
        bool second = n_cells > 1 && cell[1] >= 0 && to->kept[cell[1]];
        if (first != second)
            status = add_face(to, row, n, cell[second], first ? 1 : -1);
        if (!status && f % 1048576 == 0)
            status = mplan_interrupted(context, to->err);
    }
    return status;
}

/* Equal depths by cell and corner, so that the picture is the same everywhere. */
static int compare_faces(const void *left, const void *right_face)
{
    const face *a = left, *b = right_face;
    int by_depth = (a->depth > b->depth) - (a->depth < b->depth);
    return by_depth ? by_depth : (a->begin > b->begin) - (a->begin < b->begin);
}

static mplan_status fill_scene(builder *from, mplan_scene *scene)
{
    face *faces = from->faces.data;
    const double *xy = from->xy.data;
    const int64_t n = from->faces.count;
    if (n > 0)
        qsort(faces, (size_t)n, sizeof *faces, compare_faces);
    scene->cell = mplan_alloc(n, sizeof *scene->cell, from->err);
    scene->begin = mplan_alloc_zero(n + 1, sizeof *scene->begin, from->err);
    scene->xy = mplan_alloc(from->xy.count, 2 * sizeof *scene->xy, from->err);
    scene->tone = mplan_alloc(n, sizeof *scene->tone, from->err);
    if (!scene->cell || !scene->begin || !scene->xy || !scene->tone)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        scene->cell[i] = faces[i].cell;
        scene->tone[i] = faces[i].tone;
        memcpy(scene->xy + 2 * scene->begin[i], xy + 2 * faces[i].begin,
               2 * (size_t)faces[i].n * sizeof *xy);
        scene->begin[i + 1] = scene->begin[i] + faces[i].n;
    }
    scene->n = n;
    scene->solid = true;
    return MPLAN_OK;
}

static void cut_away(const mplan_view_shape *shape, const int64_t *starts, const double centre[3],
                     bool *kept, mplan_scene *scene)
{
    for (int64_t c = 0; c < shape->cells.n; c++) {
        double middle[3];
        scene->n_cells += kept[c];
        if (!kept[c])
            continue;
        mplan_scene_middle(shape, starts[c], starts[c + 1] - starts[c], middle);
        kept[c] = middle[0] <= centre[0] || middle[1] <= centre[1] || middle[2] <= centre[2];
    }
}

static mplan_status derive(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    static const char *const names[] = {"faces_nodes", "faces_cells", "boundary_faces_nodes",
                                        "boundary_faces_cells"};
    mplan_status status = MPLAN_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++)
        if (mplan_mesh_find_map(mesh, names[i]) < 0 && mplan_mesh_cell_types(mesh))
            status = mplan_mesh_derive(mesh, names[i], context, err);
    return status;
}

mplan_status mplan_scene_solid(mplan_mesh *mesh, const mplan_view_shape *shape, int64_t most,
                               mplan_scene *scene, const mplan_context *context, mplan_error *err)
{
    double centre[3];
    *scene = (mplan_scene){.whole = shape->cells.n <= most};
    mplan_status status = derive(mesh, context, err);
    if (status)
        return status;
    int64_t *starts = mplan_scene_starts(shape, err);
    bool *kept = starts ? mplan_alloc(shape->cells.n, sizeof *kept, err) : NULL;
    builder to = {shape, kept, MPLAN_VECTOR_INIT(sizeof(face)), MPLAN_VECTOR_INIT(2 * sizeof(double)), err};
    status = kept ? mplan_scene_window(shape, starts, most, kept, centre, err) : MPLAN_ERR_MEMORY;
    if (!status) {
        cut_away(shape, starts, centre, kept, scene);
        status = collect(&to, mesh, "faces_nodes", "faces_cells", context);
    }
    if (!status)
        status = collect(&to, mesh, "boundary_faces_nodes", "boundary_faces_cells", context);
    if (!status)
        status = fill_scene(&to, scene);
    free(starts);
    free(kept);
    free(to.faces.data);
    free(to.xy.data);
    if (status)
        mplan_scene_free(scene);
    return status;
}
