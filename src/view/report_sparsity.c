/* SPDX-License-Identifier: Apache-2.0 */
/* report_sparsity.c - the matrix of neighbours before and after, as a picture of its density
 *
 * Rows and columns are the points of a set, in the mesh's order and in the stored one; two are neighbours
 * when an element of the loop touches both through one map. Each of GRID x GRID fields shows how many
 * entries fall into it, in LEVELS steps by powers of two below the fullest. Rows of more than
 * LONGEST entries would fill it all and are skipped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "view/report.h"

enum { GRID = 120, LEVELS = 6, MOST_PAIRS = 40000000, LONGEST = 1000 };

/* Entries of a graph in each cell of a GRID x GRID raster, before and after.
 * before: by numbers of the mesh; after: by stored indices. Fields are numbered row by row (field_of). */
typedef struct density {
    int64_t before[GRID * GRID], after[GRID * GRID];
} density;

/* The field of an entry of a matrix of `size` rows. */
static int64_t field_of(int64_t row, int64_t column, int64_t size)
{
    return row * GRID / size * GRID + column * GRID / size;
}

/* Looks at every step-th element of the map.
 * old: the number in the mesh, below size, of each stored point. A point is a neighbour of itself. */
static void count_pairs(const mplan_map *map, const int32_t *old, int64_t size, int64_t step,
                        density *d)
{
    for (int64_t e = 0; e < map->n_rows; e += step) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        for (int32_t i = 0; i < n && n <= LONGEST; i++)
            for (int32_t k = 0; k < n; k++) {
                if (row[i] < 0 || row[k] < 0)
                    continue;
                d->after[field_of(row[i], row[k], map->n_points)]++;
                d->before[field_of(old[row[i]], old[row[k]], size)]++;
            }
    }
}

/* Entries that the rows of the map make; rows longer than LONGEST are left out.
 * Added up as a double, because the sum may pass 2^63. */
static int64_t pairs_of(const mplan_map *map)
{
    double pairs = 0;
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t n;
        mplan_map_row(map, e, &n);
        pairs += n <= LONGEST ? (double)n * n : 0;
    }
    return pairs < 9e18 ? (int64_t)pairs : INT64_MAX;
}

/* The most entries of a field. */
static int64_t fullest(const int64_t *fields)
{
    int64_t most = 0;
    for (int32_t f = 0; f < GRID * GRID; f++)
        most = fields[f] > most ? fields[f] : most;
    return most;
}

/* Runs of fields of one level, as strokes.
 * Level k has the fields above most / 2^(k + 1) and up to most / 2^k; the last one has all others that are not empty. */
static void draw_level(mplan_page *page, const int64_t *fields, int64_t most, int level)
{
    int64_t low = most >> (level + 1), high = level ? most >> level : INT64_MAX;
    if (level == LEVELS - 1)
        low = 0;
    mplan_page_print(page,
                     "<path class=\"axis\" style=\"stroke:var(--accent)\" stroke-opacity=\"%.2f\" d=\"",
                     1.0 - 0.8 * level / (LEVELS - 1));
    for (int32_t row = 0; row < GRID; row++)
        for (int32_t column = 0; column < GRID; column++) {
            int32_t begin = column;
            while (column < GRID && fields[row * GRID + column] > low &&
                   fields[row * GRID + column] <= high)
                column++;
            if (column > begin)
                mplan_page_print(page, "M%d %d.5h%d", (int)begin, (int)row, (int)(column - begin));
        }
    mplan_page_print(page, "\"/>\n");
}

/* One matrix: levels from the lightest on, so that darker ones lie above; -1: the order was not
 * measured. */
static void draw(mplan_page *page, const int64_t *fields, const char *title, int64_t bandwidth,
                 int64_t profile)
{
    char text[256];
    const int64_t most = fullest(fields);
    int32_t filled = 0;
    for (int32_t f = 0; f < GRID * GRID; f++)
        filled += fields[f] > 0;
    mplan_text_format(text, sizeof text,
                      "Density of the matrix of neighbours: %.1f%% of %d x %d fields hold entries",
                      100.0 * filled / (GRID * GRID), GRID, GRID);
    mplan_page_picture(page, GRID, GRID, 380, title, text);
    for (int level = LEVELS - 1; level >= 0; level--)
        draw_level(page, fields, most, level);
    if (bandwidth >= 0)
        snprintf(text, sizeof text, "%s: bandwidth %" PRId64 ", profile %" PRId64, title, bandwidth,
                 profile);
    else
        snprintf(text, sizeof text, "%s", title);
    mplan_page_picture_end(page, text);
}

/* The set to look at: the first that the loop writes or increments, else the first that it reads.
 * list: out, room for n_args maps, of which *n_maps are set. -1: the loop has no maps. */
static int32_t choose_set(const mplan_view *view, int32_t *list, int32_t *n_maps)
{
    *n_maps = mplan_report_maps(view, false, list);
    if (*n_maps == 0)
        *n_maps = mplan_report_maps(view, true, list);
    return *n_maps ? view->plan->maps[list[0]].to : -1;
}

/* step > 1: only every step-th element was looked at. */
static void draw_both(mplan_page *page, const mplan_plan_set *set, const density *d, int64_t step)
{
    mplan_page_print(page, "<h3>Neighbours before and after</h3>\n<p>The matrix of ");
    mplan_page_text(page, set->name);
    mplan_page_print(page, " that an element of the loop touches together. Entries near the diagonal "
                           "are near in memory.");
    if (step > 1)
        mplan_page_print(page, " Only one element in %" PRId64 " was used.", step);
    mplan_page_print(page, "</p>\n<div class=\"row\">\n");
    draw(page, d->before, "Order of the mesh", set->bandwidth[0], set->profile[0]);
    draw(page, d->after, "Stored order", set->bandwidth[2], set->profile[2]);
    mplan_page_print(page, "</div>\n");
}

/* The adjacency matrix of the set that the loop writes to, drawn as densities before and after
 * renumbering. Of maps with more than MOST_PAIRS pairs every step-th element is counted: step
 * is at least 1. */
mplan_status mplan_report_sparsity(mplan_page *page, const mplan_view *view)
{
    const mplan_plan *plan = view->plan;
    int32_t *maps = mplan_alloc(mplan_view_loop(view)->n_args, sizeof *maps, page->err);
    density *d = maps ? mplan_alloc_zero(1, sizeof *d, page->err) : NULL;
    int32_t n_maps = 0, set = d ? choose_set(view, maps, &n_maps) : -1;
    if (set >= 0 && plan->sets[set].size > 1) {
        const int32_t *old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set),
                                             MPLAN_TYPE_I32, NULL);
        int64_t step = 1;
        for (int32_t k = 0; k < n_maps; k++) {
            mplan_map map = mplan_plan_stored_map(plan, maps[k]);
            if (map.to != set)
                continue;
            step = pairs_of(&map) / MOST_PAIRS + 1;
            count_pairs(&map, old, plan->sets[set].size, step, d);
        }
        draw_both(page, &plan->sets[set], d, step);
    }
    mplan_status status = d ? page->status : MPLAN_ERR_MEMORY;
    free(maps);
    free(d);
    return status;
}
