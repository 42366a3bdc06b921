/* scene_raster.c - all cells of a planar mesh as a raster of runs of one colour */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/scene.h"

enum { LONG_SIDE = 300, PIXELS = 560 };

typedef struct raster {
    int32_t wide, tall;
    double left, top, scale; /* fields per unit of length */
    int8_t *field;           /* class, -1 without a cell */
} raster;

static mplan_status make_raster(const mplan_view_shape *shape, raster *r, mplan_error *err)
{
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (int64_t p = 0; p < shape->n_points; p++)
        for (int k = 0; k < 2; k++) {
            double x = shape->xyz[p * shape->dimension + k];
            low[k] = p == 0 || x < low[k] ? x : low[k];
            high[k] = p == 0 || x > high[k] ? x : high[k];
        }
    double side = fmax(high[0] - low[0], high[1] - low[1]);
    *r = (raster){.left = low[0], .top = high[1], .scale = side > 0 ? LONG_SIDE / side : 1};
    r->wide = (int32_t)ceil((high[0] - low[0]) * r->scale);
    r->tall = (int32_t)ceil((high[1] - low[1]) * r->scale);
    r->wide += r->wide == 0;
    r->tall += r->tall == 0;
    r->field = mplan_alloc((int64_t)r->wide * r->tall, 1, err);
    if (!r->field)
        return MPLAN_ERR_MEMORY;
    memset(r->field, 0xff, (size_t)r->wide * (size_t)r->tall);
    return MPLAN_OK;
}

/* Fields of row y whose middle lies within the polygon's outermost crossings: cells are convex, or nearly. */
static void fill_row(raster *r, const double *x, const double *y, int64_t n, int32_t row, int8_t class)
{
    double at = row + 0.5, low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = (i + 1) % n;
        if ((y[i] <= at) == (y[k] <= at))
            continue;
        double cut = x[i] + (at - y[i]) / (y[k] - y[i]) * (x[k] - x[i]);
        low = fmin(low, cut);
        high = fmax(high, cut);
    }
    int32_t first = (int32_t)ceil(fmax(low - 0.5, 0)), last = (int32_t)floor(fmin(high - 0.5, r->wide - 1));
    if (low <= high && first <= last)
        memset(r->field + (size_t)row * (size_t)r->wide + first, class, (size_t)(last - first + 1));
}

static void fill_cell(raster *r, const mplan_view_shape *shape, int64_t first, int64_t n, int8_t class)
{
    double x[32], y[32], low = INFINITY, high = -INFINITY;
    const int64_t all = n < 32 ? n : 32;
    n = 0;
    for (int64_t i = 0; i < all; i++) {
        if (shape->cells.nodes[first + i] < 0) /* in rows without types */
            continue;
        const double *p = shape->xyz + (int64_t)shape->cells.nodes[first + i] * shape->dimension;
        x[n] = (p[0] - r->left) * r->scale;
        y[n] = (r->top - p[1]) * r->scale;
        low = fmin(low, y[n]);
        high = fmax(high, y[n]);
        n++;
    }
    if (n == 0)
        return;
    int32_t begin = (int32_t)fmax(floor(low), 0), end = (int32_t)fmin(ceil(high), r->tall);
    for (int32_t row = begin; row < end; row++)
        fill_row(r, x, y, n, row, class);
    /* one that is smaller than a field */
    int32_t column = (int32_t)fmin(fmax(x[0], 0), r->wide - 1), row = (int32_t)fmin(fmax(y[0], 0), r->tall - 1);
    int8_t *field = &r->field[(size_t)row * (size_t)r->wide + (size_t)column];
    if (*field < 0)
        *field = class;
}

static void draw_class(mplan_page *page, const raster *r, int class, char letter)
{
    bool open = false;
    for (int32_t row = 0; row < r->tall; row++) {
        const int8_t *field = r->field + (size_t)row * (size_t)r->wide;
        for (int32_t begin = 0, end; begin < r->wide; begin = end) {
            for (end = begin + 1; end < r->wide && field[end] == field[begin]; end++)
                ;
            if (field[begin] != class)
                continue;
            if (!open)
                mplan_page_print(page, "<path class=\"%c%d\" d=\"", letter, class);
            open = true;
            mplan_page_print(page, "M%d %d.5h%d", (int)begin, (int)row, (int)(end - begin));
        }
    }
    if (open)
        mplan_page_print(page, "\"/>\n");
}

mplan_status mplan_scene_raster(mplan_page *page, const mplan_view_shape *shape,
                                const int8_t *class_of, char letter, const char *title,
                                const char *description, const char *caption)
{
    raster r = {0};
    int64_t *starts = mplan_scene_starts(shape, page->err);
    mplan_status status = starts ? make_raster(shape, &r, page->err) : MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < shape->cells.n && !status; c++) {
        const uint8_t *types = shape->cells.types;
        int64_t n = types ? mplan_cell_type_corners((mplan_cell_type)types[c]) : starts[c + 1] - starts[c];
        if (class_of[c] >= 0)
            fill_cell(&r, shape, starts[c], n, class_of[c]);
    }
    if (!status) {
        mplan_page_picture(page, r.wide, r.tall, PIXELS, title, description);
        mplan_page_print(page, "<g class=\"cells\">\n");
        for (int class = 0; class < MPLAN_PAGE_COLOURS; class++)
            draw_class(page, &r, class, letter);
        mplan_page_print(page, "</g>\n");
        mplan_page_picture_end(page, caption);
    }
    free(starts);
    free(r.field);
    return status ? status : page->status;
}
