/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.c - a bundle as a page for people: its parts on the mesh, and what they need of one another
 *
 * Figures are of the set that was cut: members that a part owns, and those of other parts in its halo, by the part that owns
 * them. Parts that have halos of one another differ in colour as far as there are colours. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "mesh/mesh.h"
#include "view/report.h"
#include "view/scene.h"

/* Polygons of the picture, rows of the table, fields of the matrix and its levels. */
enum { MOST_CELLS = 7000, MOST_ROWS = 64, GRID = 64, LEVELS = 6 };

/* Members that part `to` has of part `from`; n is 0 where only `from` has some of `to`. */
typedef struct link {
    int32_t to, from;
    int64_t n;
} link;

/* Of one part. twice: elements of all sets that it runs, though others own them. */
typedef struct part_row {
    int32_t part, neighbours, nearest; /* nearest: the part that most of its halo is of; -1: none */
    int64_t owned, halo, most, twice;  /* most: of the nearest */
} part_row;

/* set: of the bundle, that was cut, or the first. row: n_parts; links: of struct link, by `to`. */
typedef struct parts_page {
    mplan_page page;
    const mplan_parts_source *source;
    int32_t set;
    part_row *row;
    mplan_vector links;
    int64_t n_halos;
} parts_page;

/* --- what parts say ------------------------------------------------------------------------ */

/* The plan has been proved. */
static mplan_status take_part(parts_page *p, int32_t part, const mplan_plan *plan)
{
    const mplan_plan_set *set = mplan_plan_get_set(plan, p->set);
    part_row *row = &p->row[part];
    mplan_status status = MPLAN_OK;
    *row = (part_row){.part = part, .nearest = -1, .owned = set->part.owned};
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        const mplan_part_set *of = &mplan_plan_get_set(plan, s)->part;
        row->twice += of->executed - of->owned;
    }
    for (int32_t i = 0; i < set->part.imports && !status; i++) {
        const mplan_part_import in = mplan_plan_part_import(plan, p->set, i);
        const link one = {part, in.part, in.execute[1] - in.execute[0] + in.read[1] - in.read[0]};
        row->neighbours++;
        row->halo += one.n;
        if (one.n > row->most) {
            row->most = one.n;
            row->nearest = one.from;
        }
        p->n_halos++;
        status = mplan_vector_push(&p->links, &one, p->page.err);
    }
    for (int32_t i = 0; i < set->part.exports && !status; i++) {
        const link back = {part, mplan_plan_part_export(plan, p->set, i).part, 0};
        status = mplan_vector_push(&p->links, &back, p->page.err);
    }
    return status;
}

static mplan_status take_parts(parts_page *p)
{
    mplan_status status = MPLAN_OK;
    p->row = mplan_alloc_zero(p->source->n_parts, sizeof *p->row, p->page.err);
    if (!p->row)
        return MPLAN_ERR_MEMORY;
    for (int32_t q = 0; q < p->source->n_parts && !status; q++) {
        mplan_plan *plan = NULL;
        mplan_progress(p->page.context, "report", q, p->source->n_parts);
        status = p->source->read(p->source->user, q, p->page.context, &plan, p->page.err);
        if (!status)
            status = take_part(p, q, plan);
        mplan_plan_free(plan);
    }
    return status;
}

/* --- colours ---------------------------------------------------------------------------------- */

/* Of the colours that no neighbour with a lower number has, the least used; where there is none, the least used of all.
 * colour: out, n_parts. */
static void colour_parts(const parts_page *p, int8_t *colour)
{
    const link *links = p->links.data;
    int64_t used[MPLAN_PAGE_COLOURS] = {0};
    for (int32_t q = 0, at = 0; q < p->source->n_parts; q++) {
        bool taken[MPLAN_PAGE_COLOURS] = {false};
        int best = -1;
        for (; at < p->links.count && links[at].to == q; at++)
            if (links[at].from < q)
                taken[colour[links[at].from]] = true;
        for (int pass = 0; pass < 2 && best < 0; pass++)
            for (int k = 0; k < MPLAN_PAGE_COLOURS; k++)
                if ((pass || !taken[k]) && (best < 0 || used[k] < used[best]))
                    best = k;
        colour[q] = (int8_t)best;
        used[best]++;
    }
}

/* --- the mesh ------------------------------------------------------------------------------------ */

/* Says why there is no picture; not a failure. */
static mplan_status no_picture(mplan_page *page, const char *why)
{
    mplan_page_print(page, "<p class=\"soft\">No picture of the parts: %s.</p>\n", why);
    return page->status;
}

/* owner: of each member of the set. A cell that is not a member has the part of its first node. */
static mplan_status draw_cells(parts_page *p, const mplan_view_shape *shape, bool by_node,
                               const int32_t *owner)
{
    mplan_page *page = &p->page;
    mplan_scene scene = {0};
    char caption[256], description[160];
    int64_t *starts = mplan_scene_starts(shape, page->err);
    int8_t *colour = mplan_alloc(p->source->n_parts, 1, page->err), *class_of = NULL;
    mplan_status status = starts && colour
                              ? mplan_scene_flat(shape, MOST_CELLS, &scene, page->context, page->err)
                              : MPLAN_ERR_MEMORY;
    if (!status && !(class_of = mplan_alloc(scene.n, 1, page->err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        colour_parts(p, colour);
    for (int64_t i = 0; i < scene.n && !status; i++) {
        const int64_t cell = scene.cell[i];
        const int64_t member = !by_node                          ? cell
                               : starts[cell] < starts[cell + 1] ? shape->cells.nodes[starts[cell]]
                                                                 : -1;
        class_of[i] = (int8_t)(member < 0 ? -1 : colour[owner[member]]);
    }
    if (!status) {
        snprintf(description, sizeof description,
                 "%" PRId64 " cells of the mesh; colours distinguish %d parts", scene.n_cells,
                 (int)p->source->n_parts);
        snprintf(caption, sizeof caption, "%s A cell has the colour of %s; neighbours differ%s.",
                 scene.whole ? "The whole mesh."
                             : "Cells in a square window in the middle of the mesh.",
                 by_node ? "the part of its first node" : "its part",
                 p->source->n_parts > MPLAN_PAGE_COLOURS ? ", and colours repeat" : "");
        mplan_scene_draw(page, &scene, class_of, NULL, 'k', "Parts on the mesh", description,
                         caption);
        status = page->status;
    }
    free(starts);
    free(colour);
    free(class_of);
    mplan_scene_free(&scene);
    return status;
}

/* Cells in the plane, or of a surface, where the parts are of cells or of nodes. */
static mplan_status draw_mesh(parts_page *p, const mplan_mesh *mesh)
{
    mplan_page *page = &p->page;
    const mplan_bundle_set *set = &p->source->sets[p->set];
    const bool by_node = !strcmp(set->name, "nodes");
    const int32_t cells = mesh ? mplan_mesh_find_set(mesh, "cells") : -1;
    if (!mesh)
        return no_picture(page, "the report was made without the mesh (<code>--mesh</code>)");
    if (cells < 0 || (strcmp(set->name, "cells") && !by_node))
        return no_picture(page, "neither cells nor nodes of a mesh were cut");
    mplan_view_shape shape = {0};
    bool drawable = false;
    mplan_status status = mplan_view_shape_of(mesh, cells, &shape, &drawable, page->err);
    if (!status && (!drawable || strcmp(shape.as, "cells")))
        status = no_picture(page, "it has no cells with nodes that have coordinates");
    else if (!status && (mplan_mesh_dimension(mesh) == 3 || shape.cells.face_starts))
        status = no_picture(page,
                            "its cells are solids; <code>meshplan export BUNDLE --mesh MESH -o x.vtu</code> "
                            "writes parts for ParaView");
    else if (!status) {
        int32_t *owner = mplan_alloc(set->total, sizeof *owner, page->err);
        status = owner ? mplan_parts_owners(p->source, p->set, owner, page->context, page->err)
                       : MPLAN_ERR_MEMORY;
        if (!status)
            status = draw_cells(p, &shape, by_node, owner);
        free(owner);
    }
    mplan_view_shape_free(&shape);
    return status;
}

/* --- halos ------------------------------------------------------------------------------------------ */

/* Runs of fields of one level of the matrix, as in report_sparsity.c: level k has fields above most / 2^(k + 1). */
static void draw_level(mplan_page *page, const int64_t *fields, int32_t side, int64_t most, int level)
{
    const int64_t low = level == LEVELS - 1 ? 0 : most >> (level + 1),
                  high = level ? most >> level : INT64_MAX;
    mplan_page_print(page,
                     "<path class=\"axis\" style=\"stroke:var(--accent)\" stroke-opacity=\"%.2f\" d=\"",
                     1.0 - 0.8 * level / (LEVELS - 1));
    for (int32_t row = 0; row < side; row++)
        for (int32_t column = 0; column < side; column++) {
            const int32_t begin = column;
            while (column < side && fields[row * side + column] > low &&
                   fields[row * side + column] <= high)
                column++;
            if (column > begin)
                mplan_page_print(page, "M%d %d.5h%d", (int)begin, (int)row, (int)(column - begin));
        }
    mplan_page_print(page, "\"/>\n");
}

/* Who needs how much of whom: a row for each part, a column for each that it imports from; more than GRID parts share fields. */
static mplan_status draw_halos(parts_page *p)
{
    const int32_t n = p->source->n_parts, side = n < GRID ? n : GRID;
    const link *links = p->links.data;
    char text[256];
    int64_t most = 0;
    int64_t *fields = mplan_alloc_zero((int64_t)side * side, sizeof *fields, p->page.err);
    if (!fields)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < p->links.count; i++) {
        int64_t *field =
            &fields[(int64_t)links[i].to * side / n * side + (int64_t)links[i].from * side / n];
        *field += links[i].n;
        most = *field > most ? *field : most;
    }
    snprintf(text, sizeof text,
             "%" PRId64 " halos between %d parts; the fullest field has %" PRId64 " members",
             p->n_halos, (int)n, most);
    mplan_page_picture(&p->page, side, side, 380, "Halos by neighbour", text);
    for (int level = LEVELS - 1; level >= 0; level--)
        draw_level(&p->page, fields, side, most, level);
    snprintf(text, sizeof text,
             "Halos: a row for %s, a column for those that its halo is of; the darkest fields have more "
             "than half of %" PRId64 " members.",
             n > side ? "several parts" : "each part", most);
    mplan_page_picture_end(&p->page, text);
    free(fields);
    return p->page.status;
}

/* what: of a part_row, 0 owned, 1 halo, 2 neighbours. */
static mplan_status draw_histogram(parts_page *p, int what, const char *title, const char *unit)
{
    const int32_t n = p->source->n_parts;
    int64_t *values = mplan_alloc(n, sizeof *values, p->page.err);
    if (!values)
        return MPLAN_ERR_MEMORY;
    for (int32_t q = 0; q < n; q++)
        values[q] = what == 0 ? p->row[q].owned : what == 1 ? p->row[q].halo : p->row[q].neighbours;
    const mplan_histogram of = {title, unit, "parts", n, values, -1, NULL};
    mplan_page_histogram(&p->page, &of);
    free(values);
    return p->page.status;
}

/* --- tables -------------------------------------------------------------------------------------------- */

static void cell(mplan_page *page, int64_t value)
{
    mplan_page_print(page, "<td>");
    mplan_page_count(page, value);
    mplan_page_print(page, "</td>");
}

static void open_table(mplan_page *page, const char *caption, const char *const *heads)
{
    mplan_page_print(page, "<div class=\"scroll\">\n<table>\n<caption>%s</caption>\n<thead><tr>",
                     caption);
    for (; *heads; heads++)
        mplan_page_print(page, "<th scope=\"col\">%s</th>", *heads);
    mplan_page_print(page, "</tr></thead>\n<tbody>\n");
}

static void write_sets(parts_page *p)
{
    static const char *const heads[] = {"set",          "members",  "smallest part",
                                        "largest part", "max/mean", NULL};
    open_table(&p->page, "Sets in parts", heads);
    for (int32_t s = 0; s < p->source->n_sets; s++) {
        const mplan_bundle_set *set = &p->source->sets[s];
        int64_t least = INT64_MAX, most = 0;
        for (int32_t q = 0; q < p->source->n_parts; q++) {
            const int64_t n = set->base[q + 1] - set->base[q];
            least = n < least ? n : least;
            most = n > most ? n : most;
        }
        mplan_page_print(&p->page, "<tr><th scope=\"row\">");
        mplan_page_text(&p->page, set->name);
        mplan_page_print(&p->page, "%s</th>", set->cut ? " (cut)" : "");
        cell(&p->page, set->total);
        cell(&p->page, least);
        cell(&p->page, most);
        mplan_page_print(&p->page, "<td>");
        mplan_page_real(&p->page,
                        set->total ? (double)most * p->source->n_parts / (double)set->total : 1, 4);
        mplan_page_print(&p->page, "</td></tr>\n");
    }
    mplan_page_print(&p->page, "</tbody>\n</table>\n</div>\n");
}

/* Most halo first, then by number. */
static int compare_rows(const void *a, const void *b)
{
    const part_row *x = a, *y = b;
    if (x->halo != y->halo)
        return x->halo > y->halo ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Sorts the rows; nothing may go by their numbers afterwards. */
static void write_rows(parts_page *p)
{
    static const char *const heads[] = {"part",
                                        "owned",
                                        "halo",
                                        "neighbours",
                                        "most of part",
                                        "members of it",
                                        "elements run twice",
                                        NULL};
    const int32_t n = p->source->n_parts;
    qsort(p->row, (size_t)n, sizeof *p->row, compare_rows);
    open_table(&p->page,
               n > MOST_ROWS ? "The 64 parts with the largest halos" : "Parts, largest halo first",
               heads);
    for (int32_t i = 0; i < n && i < MOST_ROWS; i++) {
        const part_row *row = &p->row[i];
        mplan_page_print(&p->page, "<tr><th scope=\"row\">%d</th>", (int)row->part);
        cell(&p->page, row->owned);
        cell(&p->page, row->halo);
        cell(&p->page, row->neighbours);
        if (row->nearest < 0)
            mplan_page_print(&p->page, "<td>–</td>");
        else
            cell(&p->page, row->nearest);
        cell(&p->page, row->most);
        cell(&p->page, row->twice);
        mplan_page_print(&p->page, "</tr>\n");
    }
    mplan_page_print(&p->page, "</tbody>\n</table>\n</div>\n");
}

/* --- the page ---------------------------------------------------------------------------------------------- */

static void write_head(parts_page *p, const char *title, bool with_mesh)
{
    mplan_page *page = &p->page;
    int64_t halo = 0, twice = 0;
    for (int32_t q = 0; q < p->source->n_parts; q++) {
        halo += p->row[q].halo;
        twice += p->row[q].twice;
    }
    mplan_page_begin(page, title);
    mplan_page_print(page, "<h1>");
    mplan_page_text(page, title);
    mplan_page_print(page,
                     "</h1>\n<p>A bundle of the plans of %d part%s, reported by meshplan %s. It was proved before this "
                     "report was written, %s its mesh.</p>\n<p>",
                     (int)p->source->n_parts, p->source->n_parts == 1 ? "" : "s", mplan_version(),
                     with_mesh ? "against" : "without");
    mplan_page_count(page, halo);
    mplan_page_print(page, " members of set ");
    mplan_page_text(page, p->source->sets[p->set].name);
    mplan_page_print(page, " in halos, of all parts together; ");
    mplan_page_count(page, twice);
    mplan_page_print(page,
                     " elements run in a second part, too.</p>\n<p class=\"soft\">Fingerprints of the whole mesh: topology "
                     "<code>%016" PRIx64 "</code>, coordinates <code>%016" PRIx64 "</code></p>\n",
                     p->source->fingerprints.topology, p->source->fingerprints.coordinates);
}

static mplan_status write_page(parts_page *p, const mplan_mesh *mesh, const char *title)
{
    mplan_page *page = &p->page;
    write_head(p, title, mesh != NULL);
    write_sets(p);
    mplan_page_print(page, "<section>\n<h2>Parts</h2>\n<div class=\"row\">\n");
    mplan_status status = draw_mesh(p, mesh);
    if (!status)
        status = draw_halos(p);
    mplan_page_print(page, "</div>\n<div class=\"row\">\n");
    if (!status)
        status = draw_histogram(p, 0, "Members that a part owns", "members");
    if (!status)
        status = draw_histogram(p, 1, "Members in the halo of a part", "members");
    if (!status)
        status = draw_histogram(p, 2, "Parts that a halo is of", "neighbours");
    mplan_page_print(page, "</div>\n");
    if (status)
        return status;
    write_rows(p);
    mplan_page_print(page,
                     "</section>\n<section>\n<h2>How the plans were made</h2>\n<details>\n<summary>Request"
                     "</summary>\n<p class=\"pre\"><code>");
    mplan_page_text(page, p->source->request);
    mplan_page_print(page, "</code></p>\n</details>\n</section>\n");
    mplan_page_end(page);
    return page->status;
}

/* All parts are proved before anything is said of them. */
mplan_status mplan_parts_report(const mplan_parts_source *source, mplan_mesh *mesh, const char *path,
                                const char *title, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(source);
    MPLAN_NEED(path);
    MPLAN_NEED(title);
    parts_page p = {.page = {.context = context, .err = err},
                    .source = source,
                    .links = MPLAN_VECTOR_INIT(sizeof(link))};
    for (int32_t s = source->n_sets - 1; s >= 0; s--)
        p.set = source->sets[s].cut ? s : p.set;
    mplan_status status = source->n_sets > 0
                              ? mplan_parts_verify(source, mesh, -1, context, err)
                              : mplan_fail(err, MPLAN_ERR_ARGUMENT, "the parts have no sets");
    if (!status)
        status = take_parts(&p);
    if (!status)
        status = mplan_output_open(path, context, &p.page.output, err);
    if (!status) {
        status = write_page(&p, mesh, title);
        if (!status)
            status = mplan_output_commit(p.page.output, err);
        else
            mplan_output_abort(p.page.output);
    }
    mplan_progress(context, "report", 1, 1);
    free(p.links.data);
    free(p.row);
    return status;
}
