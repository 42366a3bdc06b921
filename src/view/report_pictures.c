/* SPDX-License-Identifier: Apache-2.0 */
/* report_pictures.c - the mesh in the colours of blocks, of their colours, and of the stored order
 *
 * What is drawn are cells. Where the view's loop does not run over them, a cell has the block most of whose
 * entries lead to it, or that of its first node. Blocks that meet in the picture differ in colour
 * as far as there are colours (greedy, in the order of the blocks). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/report.h"
#include "view/scene.h"

/* So many polygons keep a picture below 300 kB. */
enum { MOST_CELLS = 7000 };

/* A picture of one set; class_of: per cell of the scene, its colour on the page,
 * -1 for none.
 * starts: shape.cells.n + 1 entries; class_of: scene.n entries. */
typedef struct picture {
    mplan_page *page;
    const mplan_view *view;
    mplan_mesh *mesh;
    mplan_view_shape shape;
    mplan_view_values values; /* of set */
    int32_t set;              /* of the plan: cells, or nodes */
    bool by_node;
    mplan_scene scene;
    int64_t *starts;  /* nodes of each cell */
    int8_t *class_of; /* per polygon */
} picture;

/* --- values of cells ------------------------------------------------------------------- */

/* The member of `set` that speaks for a cell; -1: none. */
static int32_t member_of(const picture *p, int64_t cell)
{
    if (!p->by_node)
        return (int32_t)cell;
    return p->starts[cell] < p->starts[cell + 1] ? p->shape.cells.nodes[p->starts[cell]] : -1;
}

/* The value that speaks for a cell; -1: none. */
static int32_t value_of(const picture *p, const int32_t *values, int64_t cell)
{
    int32_t member = member_of(p, cell);
    return member < 0 ? -1 : values[member];
}

/* Whether the plan says of the set what can be drawn. */
static bool has_blocks(const mplan_view *view, int32_t set)
{
    return set >= 0 && (mplan_view_loop(view)->set == set || mplan_view_leads_to(view, set));
}

/* --- colours of blocks: neighbours differ -------------------------------------------------- */

/* Two blocks that share a point. */
typedef struct meeting {
    int32_t a, b;
} meeting;

/* By a, then by b. */
static int compare_meetings(const void *left, const void *right)
{
    const meeting *x = left, *y = right;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Sorted, each once.
 * Returns how many are left, at the beginning of the list. */
static int64_t sort_meetings(meeting *list, int64_t n)
{
    int64_t kept = 0;
    if (n > 0)
        qsort(list, (size_t)n, sizeof *list, compare_meetings);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || compare_meetings(&list[i], &list[kept - 1]))
            list[kept++] = list[i];
    return kept;
}

/* (node, block) of the cells of the scene.
 * Polygons of one cell follow one another, and the cell counts once. found: sorted by node, each pair once; block -1:
 * none. */
static mplan_status nodes_of_blocks(const picture *p, mplan_vector *found)
{
    for (int64_t i = 0; i < p->scene.n; i++) {
        int64_t c = p->scene.cell[i];
        if (i > 0 && p->scene.cell[i - 1] == c)
            continue;
        meeting *room = mplan_vector_reserve(found, p->starts[c + 1] - p->starts[c], p->page->err);
        if (!room)
            return MPLAN_ERR_MEMORY;
        for (int64_t k = p->starts[c]; k < p->starts[c + 1]; k++) {
            *room++ = (meeting){p->shape.cells.nodes[k], value_of(p, p->values.block, c)};
            found->count++;
        }
    }
    found->count = sort_meetings(found->data, found->count);
    return MPLAN_OK;
}

/* Pairs of blocks that meet in a node, both ways, sorted and each once. Quadratic in the blocks
 * at a node, which are few. */
static mplan_status pairs_of_blocks(const mplan_vector *of_nodes, mplan_vector *pairs,
                                    mplan_error *err)
{
    const meeting *at = of_nodes->data;
    for (int64_t i = 0, end; i < of_nodes->count; i = end) {
        for (end = i; end < of_nodes->count && at[end].a == at[i].a; end++)
            ;
        for (int64_t a = i; a < end; a++)
            for (int64_t b = i; b < end; b++) {
                meeting both = {at[a].b, at[b].b};
                if (a != b && mplan_vector_push(pairs, &both, err))
                    return MPLAN_ERR_MEMORY;
            }
    }
    pairs->count = sort_meetings(pairs->data, pairs->count);
    return MPLAN_OK;
}

/* Of the colours that no neighbour has, the least used; where there is none, the least used of all.
 * colour: n_blocks entries; -1 stays for blocks that meet no other in the picture. Pairs ascend, so that blocks are
 * coloured in the order of their numbers. */
static void colour_blocks(const mplan_vector *pairs, int64_t n_blocks, int8_t *colour)
{
    const meeting *at = pairs->data;
    int64_t used[MPLAN_PAGE_COLOURS] = {0};
    memset(colour, 0xff, (size_t)n_blocks);
    for (int64_t i = 0, end; i < pairs->count; i = end) {
        bool taken[MPLAN_PAGE_COLOURS] = {false};
        for (end = i; end < pairs->count && at[end].a == at[i].a; end++)
            if (at[end].b >= 0 && colour[at[end].b] >= 0)
                taken[colour[at[end].b]] = true;
        int best = -1;
        for (int pass = 0; pass < 2 && best < 0; pass++)
            for (int k = 0; k < MPLAN_PAGE_COLOURS; k++)
                if ((pass || !taken[k]) && (best < 0 || used[k] < used[best]))
                    best = k;
        if (at[i].a >= 0) {
            colour[at[i].a] = (int8_t)best;
            used[best]++;
        }
    }
}

/* class_of by block; how many blocks there are in the picture. */
static mplan_status block_classes(picture *p, int64_t *seen)
{
    const int64_t n_blocks = p->view->plan->block_sets[p->view->block_set].n_blocks;
    mplan_vector of_nodes = MPLAN_VECTOR_INIT(sizeof(meeting)), pairs = of_nodes;
    int8_t *colour = mplan_alloc(n_blocks, 1, p->page->err);
    mplan_status status = colour ? nodes_of_blocks(p, &of_nodes) : MPLAN_ERR_MEMORY;
    if (!status)
        status = pairs_of_blocks(&of_nodes, &pairs, p->page->err);
    if (!status)
        colour_blocks(&pairs, n_blocks, colour);
    *seen = 0;
    for (int64_t i = 0; i < p->scene.n && !status; i++) {
        int32_t block = value_of(p, p->values.block, p->scene.cell[i]);
        if (block >= 0 && colour[block] < 0) /* it meets no other */
            colour[block] = 0;
        p->class_of[i] = block < 0 ? -1 : colour[block];
    }
    for (int64_t b = 0; b < n_blocks && !status; b++)
        *seen += colour[b] >= 0;
    free(colour);
    free(of_nodes.data);
    free(pairs.data);
    return status;
}

/* --- the pictures ------------------------------------------------------------------------------- */

/* Neighbouring blocks get different colours.
 * pale: an entry for each polygon, true for cells that several blocks touch. */
static mplan_status draw_blocks(picture *p)
{
    char description[256], caption[512];
    bool *pale = NULL;
    int64_t blocks;
    mplan_status status = block_classes(p, &blocks);
    if (!status && p->values.blocks && !p->by_node) {
        pale = mplan_alloc(p->scene.n, sizeof *pale, p->page->err);
        status = pale ? MPLAN_OK : MPLAN_ERR_MEMORY;
        for (int64_t i = 0; i < p->scene.n && !status; i++)
            pale[i] = p->values.blocks[p->scene.cell[i]] > 1;
    }
    bool elements = mplan_view_loop(p->view)->set == p->set;
    if (status)
        return status;
    snprintf(description, sizeof description,
             "%" PRId64 " cells of the mesh; colours distinguish %" PRId64 " blocks",
             p->scene.n_cells, blocks);
    snprintf(caption, sizeof caption, "Blocks: %" PRId64 " of %" PRId64 ". %s", blocks,
             p->view->plan->block_sets[p->view->block_set].n_blocks,
             elements     ? "A cell has the colour of its block."
             : p->by_node ? "A cell has the colour of the block whose elements refer most often "
                            "to its first node."
             : pale       ? "A cell has the colour of the block whose elements refer to it most "
                            "often; pale cells are shared by blocks."
                    : "A cell has the colour of the block whose elements refer to it most often.");
    mplan_scene_draw(p->page, &p->scene, p->class_of, pale, 'k', "Blocks on the mesh", description,
                     caption);
    free(pale);
    return p->page->status;
}

/* colours: per member, -1 for none. */
static void draw_colours(picture *p, const int32_t *colours, const char *title, const char *what)
{
    char description[256], caption[256];
    int32_t most = -1;
    for (int64_t i = 0; i < p->scene.n; i++) {
        int32_t colour = value_of(p, colours, p->scene.cell[i]);
        most = colour > most ? colour : most;
        p->class_of[i] = (int8_t)(colour < 0 ? -1 : colour % MPLAN_PAGE_COLOURS);
    }
    snprintf(description, sizeof description, "%" PRId64 " cells of the mesh in %d colours; %s",
             p->scene.n_cells, (int)most + 1, what);
    snprintf(caption, sizeof caption, "%s: %s%s.", title, what,
             most >= MPLAN_PAGE_COLOURS ? "; colours repeat after 12" : "");
    mplan_scene_draw(p->page, &p->scene, p->class_of, NULL, 'k', title, description, caption);
}

/* Class by place in stored order.
 * Twelve classes of nearly equally many places, holes included. */
static int8_t place_class(const picture *p, int64_t cell)
{
    int32_t place = value_of(p, p->values.new_index, cell);
    return (int8_t)(place < 0 ? -1
                              : (int64_t)place * MPLAN_PAGE_COLOURS /
                                    p->view->plan->sets[p->set].storage_size);
}

/* The stored order in MPLAN_PAGE_COLOURS steps. */
static mplan_status draw_order(picture *p)
{
    for (int64_t i = 0; i < p->scene.n; i++)
        p->class_of[i] = place_class(p, p->scene.cell[i]);
    mplan_scene_draw(p->page, &p->scene, p->class_of, NULL, 'r', "Stored order",
                     "Cells coloured by their position in the stored order, in twelve steps",
                     "The stored order, from dark (first) to bright (last).");
    return p->page->status;
}

/* Blocks, colours and order, as far as the plan has them. */
static mplan_status draw_all(picture *p)
{
    mplan_page_print(p->page, "<p>%s</p>\n<div class=\"row\">\n",
                     p->scene.whole ? "The whole mesh."
                                    : "Cells in a square window in the middle of the mesh.");
    mplan_status status = MPLAN_OK;
    if (p->values.block)
        status = draw_blocks(p);
    if (!status && p->values.block_colour)
        draw_colours(p, p->values.block_colour, "Block colours",
                     "blocks of one colour run at the same time");
    else if (!status && p->values.global_colour)
        draw_colours(p, p->values.global_colour, "Global colours",
                     "elements of one colour run at the same time");
    if (!status)
        status = draw_order(p);
    mplan_page_print(p->page, "</div>\n");
    return status ? status : p->page->status;
}

/* --- what can be drawn ------------------------------------------------------------------------------ */

/* Says why there is no picture; not a failure. */
static mplan_status none(mplan_page *page, const char *why)
{
    mplan_page_print(page, "<p class=\"soft\">No pictures of the mesh: %s.</p>\n", why);
    return page->status;
}

/* Cells in space hide one another: a viewer that turns and cuts them shows more than a page can. */
static bool is_solid(const picture *p)
{
    return mplan_mesh_dimension(p->mesh) == 3 || p->shape.cells.face_starts;
}

/* Pictures of the cells of p->shape, by the values of cells, or of nodes where the loop does not
 * touch cells. What was made is released here. */
static mplan_status draw_shape(picture *p)
{
    const mplan_plan *plan = p->view->plan;
    int32_t cells = mplan_plan_find_set(plan, "cells"), nodes = mplan_plan_find_set(plan, "nodes");
    p->by_node = !has_blocks(p->view, cells);
    p->set = p->by_node ? nodes : cells;
    if (!has_blocks(p->view, p->set))
        return none(p->page, "the loop touches neither cells nor nodes of the mesh");
    p->starts = mplan_scene_starts(&p->shape, p->page->err);
    mplan_status status = p->starts ? mplan_view_values_of(p->view, p->set, &p->values, p->page->err)
                                    : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_scene_flat(&p->shape, MOST_CELLS, &p->scene, p->page->context, p->page->err);
    if (!status) {
        p->class_of = mplan_alloc(p->scene.n, 1, p->page->err);
        status = p->class_of ? draw_all(p) : MPLAN_ERR_MEMORY;
    }
    free(p->starts);
    free(p->class_of);
    mplan_scene_free(&p->scene);
    mplan_view_values_free(&p->values);
    return status;
}

/* Pictures need cells in the plane with coordinates. Where they cannot be drawn, the page says
 * why instead, in one sentence; this is not an error. */
mplan_status mplan_report_pictures(mplan_page *page, const mplan_view *view, mplan_mesh *mesh)
{
    if (!mesh)
        return none(page, "the report was made without it (<code>--mesh</code>)");
    picture p = {.page = page, .view = view, .mesh = mesh};
    bool drawable = false;
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    mplan_status status = cells < 0
                              ? MPLAN_OK
                              : mplan_view_shape_of(mesh, cells, &p.shape, &drawable, page->err);
    if (!status && (!drawable || strcmp(p.shape.as, "cells") != 0))
        status = none(page, "it has no cells with nodes that have coordinates");
    else if (!status && is_solid(&p))
        status = none(page,
                      "its cells are solids; <code>meshplan export PLAN --mesh MESH -o x.vtu</code> writes "
                      "blocks, colours and order as fields for ParaView");
    else if (!status)
        status = draw_shape(&p);
    mplan_view_shape_free(&p.shape);
    return status;
}
