/* SPDX-License-Identifier: Apache-2.0 */
/* scene.c - cells of a mesh as polygons of a picture: which, and how they are drawn
 *
 * What it costs: 80 ms and 330 KB of the page of 150,000 triangles. */
#include "view/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { WIDE = 1600, PIXELS = 560 };

void mplan_scene_free(mplan_scene *scene)
{
    free(scene->cell);
    free(scene->begin);
    free(scene->xy);
    *scene = (mplan_scene){0};
}

/* --- which cells ------------------------------------------------------------------------- */

/* Where the nodes of each cell begin in cells.nodes, cells.n + 1 entries, the caller's; NULL
 * without memory. Cells have a type each, one arity, or offsets. */
int64_t *mplan_scene_starts(const mplan_view_shape *shape, mplan_error *err)
{
    const mplan_vtu_cells *cells = &shape->cells;
    int64_t *starts = mplan_alloc(cells->n + 1, sizeof *starts, err), at = 0;
    for (int64_t c = 0; starts && c <= cells->n; c++) {
        starts[c] = at;
        if (c < cells->n)
            at += cells->types   ? mplan_cell_type_nodes((mplan_cell_type)cells->types[c])
                  : cells->arity ? cells->arity
                                 : cells->offsets[c + 1] - cells->offsets[c];
    }
    return starts;
}

/* Nodes of cell c, of its n, that are corners of its outline: higher-order cells list these
 * first. */
static int64_t corners(const mplan_view_shape *shape, int64_t c, int64_t n)
{
    const uint8_t *types = shape->cells.types;
    return types ? mplan_cell_type_corners((mplan_cell_type)types[c]) : n;
}

/* Mean of the nodes of cell c; 0 beyond the dimension, and for cells without nodes. */
static void middle_of(const mplan_view_shape *shape, const int64_t *starts, int64_t c,
                      double middle[3])
{
    const int32_t d = shape->dimension;
    int64_t valid = 0;
    middle[0] = middle[1] = middle[2] = 0;
    for (int64_t i = starts[c]; i < starts[c + 1]; i++) {
        int32_t node = shape->cells.nodes[i];
        if (node < 0)
            continue;
        valid++;
        for (int32_t k = 0; k < d; k++)
            middle[k] += shape->xyz[(int64_t)node * d + k];
    }
    for (int32_t k = 0; k < d && valid; k++)
        middle[k] /= (double)valid;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The element of that rank, ascending; values are moved. Hoare's find.
 * rank is in [0, n). Afterwards no value before it is larger. Hoare, Comm. ACM 4 (1961), algorithm 65. */
static double select_rank(double *values, int64_t n, int64_t rank)
{
    int64_t low = 0, high = n - 1;
    while (high - low > 32) {
        double pivot = values[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                double swapped = values[i];
                values[i++] = values[j];
                values[j--] = swapped;
            }
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            return values[rank];
    }
    qsort(values + low, (size_t)(high - low + 1), sizeof *values, compare_doubles);
    return values[rank];
}

/* The middle of a cell in a dense place: that nearest to the medians of all middles, direction
 * by direction, which may lie where there is no cell. scratch: one per cell. */
static void find_centre(const mplan_view_shape *shape, const int64_t *starts, double *scratch,
                        double centre[3])
{
    const int64_t n = shape->cells.n;
    double middle[3];
    for (int32_t k = 0; k < shape->dimension; k++) {
        for (int64_t c = 0; c < n; c++) {
            middle_of(shape, starts, c, middle);
            scratch[c] = middle[k];
        }
        centre[k] = select_rank(scratch, n, n / 2);
    }
    /* medians may lie where there is no cell: the nearest cell is taken */
    double best = INFINITY, found[3] = {0, 0, 0};
    for (int64_t c = 0; c < n; c++) {
        double distance = 0;
        middle_of(shape, starts, c, middle);
        for (int32_t k = 0; k < shape->dimension; k++)
            distance += (middle[k] - centre[k]) * (middle[k] - centre[k]);
        if (distance < best) {
            best = distance;
            memcpy(found, middle, sizeof found);
        }
    }
    memcpy(centre, found, sizeof found);
}

/* Marks the `most` cells nearest to the middle cell, by the largest difference of a coordinate;
 * of cells at the limit the first. inside: out, one per cell; centre: out.
 * distance has two entries a cell: select_rank moves those of the second half. */
static mplan_status scene_window(const mplan_view_shape *shape, const int64_t *starts, int64_t most,
                                 bool *inside, double centre[3], mplan_error *err)
{
    const int64_t n = shape->cells.n;
    double *distance = mplan_alloc(n, 2 * sizeof *distance, err);
    if (!distance)
        return MPLAN_ERR_MEMORY;
    centre[0] = centre[1] = centre[2] = 0;
    if (n > 0)
        find_centre(shape, starts, distance, centre);
    for (int64_t c = 0; c < n; c++) {
        double middle[3], far = 0;
        middle_of(shape, starts, c, middle);
        for (int32_t k = 0; k < shape->dimension; k++)
            far = fmax(far, fabs(middle[k] - centre[k]));
        distance[c] = distance[n + c] = far;
    }
    double limit = n > most ? select_rank(distance + n, n, most - 1) : INFINITY;
    for (int64_t c = 0, left = most; c < n; c++) { /* equals may be many */
        inside[c] = n <= most || (distance[c] <= limit && left > 0);
        left -= inside[c];
    }
    free(distance);
    return MPLAN_OK;
}

/* --- planar scenes -------------------------------------------------------------------------- */

/* Adds the polygon of nodes[first ... first + n), projected to the plane: surfaces in space are
 * seen from above one side. Room for it was made. */
static void take_polygon(const mplan_view_shape *shape, int64_t first, int64_t n, mplan_scene *scene)
{
    int64_t at = scene->begin[scene->n];
    for (int64_t i = first; i < first + n; i++) {
        if (shape->cells.nodes[i] < 0) /* in rows without types */
            continue;
        const double *x = shape->xyz + (int64_t)shape->cells.nodes[i] * shape->dimension;
        double *to = scene->xy + 2 * at++;
        to[0] = x[0];
        to[1] = x[1];
        if (shape->dimension == 3) { /* surfaces in space, seen from above one side */
            to[0] = 0.8 * x[0] - 0.6 * x[1];
            to[1] = 0.9 * x[2] + 0.26 * x[0] + 0.35 * x[1];
        }
    }
    scene->begin[++scene->n] = at;
}

/* Two passes: which cells and how many corners, then the polygons. O(cells). *scene is empty
 * after a failure. */
mplan_status mplan_scene_flat(const mplan_view_shape *shape, int64_t most, mplan_scene *scene,
                              const mplan_context *context, mplan_error *err)
{
    const int64_t n = shape->cells.n;
    double centre[3];
    *scene = (mplan_scene){.whole = n <= most};
    int64_t *starts = mplan_scene_starts(shape, err);
    bool *inside = starts ? mplan_alloc(n, sizeof *inside, err) : NULL;
    mplan_status status = inside ? mplan_interrupted(context, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = scene_window(shape, starts, most, inside, centre, err);
    int64_t n_points = 0;
    for (int64_t c = 0; c < n && !status; c++)
        if (inside[c]) {
            scene->n_cells++;
            n_points += corners(shape, c, starts[c + 1] - starts[c]);
        }
    if (!status) {
        scene->cell = mplan_alloc(scene->n_cells, sizeof *scene->cell, err);
        scene->begin = mplan_alloc_zero(scene->n_cells + 1, sizeof *scene->begin, err);
        scene->xy = mplan_alloc(n_points, 2 * sizeof *scene->xy, err);
        status = scene->cell && scene->begin && scene->xy ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (int64_t c = 0; c < n && !status; c++)
        if (inside[c]) {
            scene->cell[scene->n] = (int32_t)c;
            take_polygon(shape, starts[c], corners(shape, c, starts[c + 1] - starts[c]), scene);
        }
    free(starts);
    free(inside);
    if (status)
        mplan_scene_free(scene);
    return status;
}

/* --- drawing ------------------------------------------------------------------------------------ */

/* From the scene's plane to WIDE x *tall units, y downwards.
 * left, top: the corner of the picture in the scene's plane; scale: units of the picture for one of the scene. */
typedef struct frame {
    double left, top, scale;
    int64_t tall;
} frame;

/* The scene fits in with a rim of 10 units, at most 1.25 times as tall as wide; a scene of one
 * point has scale 1. */
static frame frame_of(const mplan_scene *scene)
{
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (int64_t i = 0; i < scene->begin[scene->n]; i++)
        for (int k = 0; k < 2; k++) {
            double x = scene->xy[2 * i + k];
            low[k] = i == 0 || x < low[k] ? x : low[k];
            high[k] = i == 0 || x > high[k] ? x : high[k];
        }
    double wide = high[0] - low[0], tall = high[1] - low[1];
    double scale = (WIDE - 20) / fmax(wide, tall > 0 ? tall * 0.8 : 0);
    if (!(scale - scale == 0)) /* a point */
        scale = 1;
    frame f = {low[0] - ((WIDE / scale) - wide) / 2, high[1] + 10 / scale, scale,
               (int64_t)(tall * scale) + 20};
    return f;
}

/* Its path: the first corner absolute, the others relative to the one before, all in whole
 * units. */
static void draw_polygon(mplan_page *page, const mplan_scene *scene, const frame *f, int64_t i)
{
    long last[2] = {0, 0};
    for (int64_t c = scene->begin[i]; c < scene->begin[i + 1]; c++) {
        long x = lround((scene->xy[2 * c] - f->left) * f->scale);
        long y = lround((f->top - scene->xy[2 * c + 1]) * f->scale);
        if (c == scene->begin[i])
            mplan_page_print(page, "M%ld %ldl", x, y);
        else
            mplan_page_print(page, "%ld %ld ", x - last[0], y - last[1]);
        last[0] = x;
        last[1] = y;
    }
    mplan_page_print(page, "z");
}

/* more: further classes, each behind a blank. */
static void open_path(mplan_page *page, int class, const char *more, char letter)
{
    if (class < 0)
        mplan_page_print(page, "<path fill=\"none\" d=\"");
    else
        mplan_page_print(page, "<path class=\"%c%d%s\" d=\"", letter, class, more);
}

/* Too thin for an outline, which would hide it: its area, by its longer side, is below 9 units.
 * twice: two times the area with its sign, by the shoelace formula. */
static bool is_fine(const mplan_scene *scene, const frame *f, int64_t i)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, twice = 0;
    const int64_t begin = scene->begin[i], end = scene->begin[i + 1];
    for (int64_t c = begin; c < end; c++) {
        const double *at = scene->xy + 2 * c, *next = scene->xy + 2 * (c + 1 < end ? c + 1 : begin);
        twice += at[0] * next[1] - at[1] * next[0];
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    double side = fmax(high[0] - low[0], high[1] - low[1]);
    return fabs(twice) / 2 * f->scale < 9 * side;
}

/* One path for each class: order does not matter.
 * class counts 4 x colour + 2 x fine + pale, so that it picks the colour and the words of `more`. class_of and pale
 * have scene->n entries. */
static void draw_flat(mplan_page *page, const mplan_scene *scene, const frame *f,
                      const int8_t *class_of, const bool *pale, char letter)
{
    static const char *const more[] = {"", " pale", " fine", " pale fine"};
    for (int class = 0; class < 4 * MPLAN_PAGE_COLOURS; class ++) {
        bool open = false, is_pale = class % 2, fine = class / 2 % 2;
        for (int64_t i = 0; i < scene->n; i++)
            if (class_of[i] == class / 4 && (pale && pale[i]) == is_pale &&
                is_fine(scene, f, i) == fine) {
                if (!open)
                    open_path(page, class / 4, more[class % 4], letter);
                open = true;
                draw_polygon(page, scene, f, i);
            }
        if (open)
            mplan_page_print(page, "\"/>\n");
    }
}

/* class_of: per polygon its colour, -1 for none; pale (may be NULL): drawn lighter. letter:
 * which colours, 'k' or 'r'. */
void mplan_scene_draw(mplan_page *page, const mplan_scene *scene, const int8_t *class_of,
                      const bool *pale, char letter, const char *title, const char *description,
                      const char *caption)
{
    const frame f = frame_of(scene);
    mplan_page_picture(page, WIDE, f.tall, PIXELS, title, description);
    double cell = sqrt((double)WIDE * (double)f.tall / (double)(scene->n > 0 ? scene->n : 1));
    mplan_page_print(page, "<g class=\"mesh\" stroke-width=\"%.1f\">\n",
                     cell > 60         ? 3.0
                     : cell / 20 > 0.8 ? cell / 20
                                       : 0.8);
    draw_flat(page, scene, &f, class_of, pale, letter);
    mplan_page_print(page, "</g>\n");
    mplan_page_picture_end(page, caption);
}
