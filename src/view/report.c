/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - a plan as a page for people: figures with their bounds, charts, pictures, warnings
 *
 * What it costs: a page on a plan of 150,000 triangles takes 0.03 s and 20 KB, with pictures of the mesh 0.11 s and 353 KB. */
#include "view/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"

/* NaN, which a page shows as a dash, where b is 0. */
static double ratio(int64_t a, int64_t b)
{
    return b ? (double)a / (double)b : (double)NAN;
}

/* --- rows of tables --------------------------------------------------------------------- */

/* A cell of a table; head: the first of its row. */
static void text_cell(mplan_page *page, const char *text, bool head)
{
    mplan_page_print(page, head ? "<th scope=\"row\">" : "<td>");
    mplan_page_text(page, text);
    mplan_page_print(page, head ? "</th>" : "</td>");
}

/* A dash for what is not known. */
static void count_cell(mplan_page *page, int64_t count)
{
    mplan_page_print(page, "<td>");
    if (count < 0)
        mplan_page_print(page, "–");
    else
        mplan_page_count(page, count);
    mplan_page_print(page, "</td>");
}

/* A dash for what is not finite. */
static void real_cell(mplan_page *page, double value, int decimals)
{
    mplan_page_print(page, "<td>");
    mplan_page_real(page, value, decimals);
    mplan_page_print(page, "</td>");
}

/* note: a sentence above it */
static void open_table(mplan_page *page, const char *caption, const char *note,
                       const char *const *heads)
{
    mplan_page_print(page, "<p class=\"soft\">%s</p>\n", note);
    mplan_page_print(page, "<div class=\"scroll\">\n<table>\n<caption>%s</caption>\n<thead><tr>",
                     caption);
    for (; *heads; heads++)
        mplan_page_print(page, "<th scope=\"col\">%s</th>", *heads);
    mplan_page_print(page, "</tr></thead>\n<tbody>\n");
}

static void close_table(mplan_page *page)
{
    mplan_page_print(page, "</tbody>\n</table>\n</div>\n");
}

/* --- the plan as a whole -------------------------------------------------------------------- */

/* with_mesh: the plan was proved against one. */
static void write_head(mplan_page *page, const mplan_plan *plan, const char *title, bool with_mesh)
{
    const mplan_fingerprints *prints = &plan->fingerprints;
    char summary[512];
    mplan_plan_summary(plan, summary, sizeof summary);
    mplan_page_begin(page, title);
    mplan_page_print(page, "<h1>");
    mplan_page_text(page, title);
    mplan_page_print(page, "</h1>\n<p>");
    mplan_page_text(page, summary);
    mplan_page_print(page,
                     ".</p>\n<p>A plan for %d loop%s over %d set%s, made and reported by meshplan %s. "
                     "It was proved before this report was written%s.</p>\n<p class=\"soft\">Fingerprints: topology "
                     "<code>%016" PRIx64 "</code>, coordinates <code>%016" PRIx64
                     "</code>, request <code>%016" PRIx64 "</code></p>\n",
                     (int)plan->n_loops, plan->n_loops == 1 ? "" : "s", (int)plan->n_sets,
                     plan->n_sets == 1 ? "" : "s", mplan_version(),
                     with_mesh ? ", against its mesh" : ", without its mesh", prints->topology,
                     prints->coordinates, prints->request);
}

/* Orders and their bandwidth and profile. */
static void write_sets(mplan_page *page, const mplan_plan *plan)
{
    static const char *const heads[] = {"set",          "members",    "places", "renumbering",
                                        "bandwidth in", "renumbered", "stored", "profile in",
                                        "renumbered",   "stored",     NULL};
    open_table(page, "Sets and their orders",
               "Orders: input, renumbered (from which blocks are cut) and stored.", heads);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        mplan_page_print(page, "<tr><th scope=\"row\">");
        mplan_page_text(page, set->name);
        if (set->parent[0]) {
            mplan_page_print(page, ", a group of ");
            mplan_page_text(page, set->parent);
        }
        mplan_page_print(page, "</th>");
        count_cell(page, set->size);
        count_cell(page, set->storage_size);
        mplan_page_print(page, "<td>%s%s</td>", mplan_renumber_name(set->renumber),
                         set->kept ? " (input kept)" : "");
        for (int k = 0; k < 3; k++)
            count_cell(page, set->bandwidth[k]);
        for (int k = 0; k < 3; k++)
            count_cell(page, set->profile[k]);
        mplan_page_print(page, "</tr>\n");
    }
    close_table(page);
}

/* --- a loop ------------------------------------------------------------------------------------ */

/* The loop in a sentence. */
static void write_args(mplan_page *page, const mplan_plan *plan, const mplan_plan_loop *loop)
{
    mplan_page_print(page, "<p>Runs over ");
    mplan_page_count(page, plan->sets[loop->set].size);
    mplan_page_print(page, " ");
    mplan_page_text(page, plan->sets[loop->set].name);
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        static const char *const does[] = {"reads",      "writes",          "reads and writes",
                                           "increments", "compares by min", "compares by max"};
        mplan_page_print(page, "%s %s <code>", a ? ";" : ",", does[arg->access]);
        mplan_page_text(page, arg->dat);
        mplan_page_print(page, "</code> (%d x %s%s", (int)arg->dim, mplan_type_name(arg->type),
                         arg->map >= 0                  ? ", through "
                         : arg->map == MPLAN_MAP_GLOBAL ? ", of no set"
                                                        : ", directly");
        if (arg->map >= 0)
            mplan_page_text(page, plan->maps[arg->map].name);
        mplan_page_print(page, ")");
    }
    mplan_page_print(page, ".</p>\n");
}

/* "5 (4)": a number and its bound. */
static void bounded_cell(mplan_page *page, int64_t value, int64_t bound)
{
    mplan_page_print(page, "<td>");
    if (value <= 0)
        mplan_page_print(page, "–");
    else {
        mplan_page_count(page, value);
        mplan_page_print(page, " (%" PRId64 ")", bound);
    }
    mplan_page_print(page, "</td>");
}

/* bounds: one per variant. */
static mplan_status write_variants(mplan_page *page, const mplan_plan *plan, int32_t l,
                                   mplan_variant_bounds *bounds)
{
    static const char *const heads[] = {"strategy",      "threads",
                                        "blocks",        "shared bytes",
                                        "block colours", "thread colours, max",
                                        "mean",          "global colours",
                                        "promises",      NULL};
    const mplan_plan_loop *loop = &plan->loops[l];
    mplan_status status = MPLAN_OK;
    open_table(page, "Variants",
               "In brackets: the lower bound of the colours of any plan with these blocks.", heads);
    for (int32_t v = 0; v < loop->n_variants && !status; v++) {
        const mplan_plan_variant *variant = &loop->variants[v];
        status = mplan_plan_variant_bounds(plan, l, v, &bounds[v], page->context, page->err);
        if (status)
            break;
        const int64_t blocks = variant->block_set < 0
                                   ? -1
                                   : plan->block_sets[variant->block_set].n_blocks;
        mplan_page_print(page, "<tr><th scope=\"row\">%s%s</th>",
                         mplan_strategy_name(variant->strategy),
                         v == loop->default_variant ? " (default)" : "");
        count_cell(page, variant->threads);
        count_cell(page, blocks);
        count_cell(page, variant->shared_bytes_max);
        bounded_cell(page, variant->block_colours, bounds[v].block_colours);
        bounded_cell(page, variant->thread_colours_max, bounds[v].thread_colours_max);
        mplan_page_print(page, "<td>");
        if (variant->thread_colours_total > 0) {
            mplan_page_real(page, ratio(variant->thread_colours_total, blocks), 2);
            mplan_page_print(page, " (%.2f)", ratio(bounds[v].thread_colours_total, blocks));
        } else {
            mplan_page_print(page, "–");
        }
        mplan_page_print(page, "</td>");
        bounded_cell(page, variant->global_colours, bounds[v].global_colours);
        mplan_page_print(page, "<td>%s</td></tr>\n",
                         variant->deterministic ? "equal bits" : "no fixed order");
    }
    close_table(page);
    return status;
}

/* Times of all strategies that can run the loop, as the cost model saw them when it chose; nothing where the
 * request named the strategies. */
static void write_predictions(mplan_page *page, const mplan_plan_loop *loop)
{
    static const char *const heads[] = {"strategy", "microseconds", "of the chosen one", "", NULL};
    const mplan_plan_variant *own = &loop->variants[loop->default_variant];
    const char *reason = mplan_choice_reason_name(own->reason);
    if (!reason)
        return;
    open_table(page, "Predictions",
               "Microseconds of a launch by the cost model when the plan was made.", heads);
    for (int s = 0; s < MPLAN_N_PREDICTED; s++) {
        if (!own->permille[s])
            continue;
        const bool most = own->permille[s] == UINT16_MAX;
        mplan_page_print(page, "<tr>");
        text_cell(page, mplan_strategy_name((mplan_strategy)s), true);
        mplan_page_print(page, "<td>%s%.1f</td><td>%s%.2f</td>", most ? "over " : "",
                         1e-6 * (double)own->predicted_ns * own->permille[s], most ? "over " : "",
                         1e-3 * own->permille[s]);
        if ((mplan_strategy)s == own->strategy)
            mplan_page_print(page, "<td>chosen: %s</td>", reason);
        else
            text_cell(page, s + 1 == own->runner_up ? "runner-up" : "", false);
        mplan_page_print(page, "</tr>\n");
    }
    close_table(page);
}

/* How full warps are, and what they load: a row for each variant. */
static mplan_status write_loads(mplan_page *page, const mplan_view *view)
{
    static const char *const heads[] = {"strategy", "lanes a warp", "sectors a request", NULL};
    const mplan_plan_loop *loop = mplan_view_loop(view);
    double lanes, *sectors = mplan_alloc(loop->n_args, sizeof *sectors, page->err);
    mplan_status status = sectors ? MPLAN_OK : MPLAN_ERR_MEMORY;
    open_table(page, "Loads",
               "Lanes of a warp that have an element, and sectors of 32 bytes that a request for a number of "
               "their points fetches, by the tables of the plan.",
               heads);
    for (int32_t v = 0; v < loop->n_variants && !status; v++) {
        int32_t n = 0;
        status = mplan_plan_variant_loads(view->plan, view->loop, v, &lanes, sectors, page->err);
        mplan_page_print(page, "<tr>");
        text_cell(page, mplan_strategy_name(loop->variants[v].strategy), true);
        real_cell(page, status ? NAN : lanes, 1);
        mplan_page_print(page, "<td>");
        for (int32_t a = 0; a < loop->n_args && !status; a++) {
            if (!isfinite(sectors[a]))
                continue;
            mplan_page_print(page, "%s", n++ ? ", " : "");
            mplan_page_text(page, loop->args[a].dat);
            mplan_page_print(page, " %.1f", sectors[a]);
        }
        mplan_page_print(page, "%s</td></tr>\n", n ? "" : "–");
    }
    close_table(page);
    free(sectors);
    return status;
}

/* --- blocks --------------------------------------------------------------------------------------- */

/* reuse_bounds, tiles: one per metrics record. */
static void write_block_table(mplan_page *page, const mplan_view *view, const double *reuse_bounds,
                              const char *const *tiles)
{
    static const char *const heads[] = {"touches",    "reuse",
                                        "best shape", "one block of all",
                                        "shared",     "points per block",
                                        "most",       "lines per block",
                                        "ideal",      NULL};
    const mplan_plan *plan = view->plan;
    open_table(page, "What a block touches",
               "Reuse: entries for each point that a block loads; the next columns are the "
               "largest reuse that full blocks can have if the points are a grid, and the reuse "
               "of one block of all elements. Lines: of 32 bytes, and the fewest that could "
               "hold the points.",
               heads);
    for (int32_t i = 0; i < plan->n_metrics; i++) {
        const mplan_block_metrics *m = &plan->metrics[i];
        if (m->loop != view->loop || m->block_set != view->block_set)
            continue;
        const int64_t blocks = plan->block_sets[m->block_set].n_blocks;
        mplan_page_print(page, "<tr>");
        text_cell(page, plan->sets[m->set].name, true);
        real_cell(page, ratio(m->entries, m->pairs), 3);
        mplan_page_print(page, "<td>");
        mplan_page_real(page, reuse_bounds[i], 3);
        if (tiles[i]) {
            mplan_page_print(page, ", ");
            mplan_page_text(page, tiles[i]);
        }
        mplan_page_print(page, "</td>");
        real_cell(page, ratio(m->entries, plan->sets[m->set].size), 3);
        mplan_page_print(page, "<td>");
        mplan_page_real(page, 100 * ratio(m->shared_points, plan->sets[m->set].size), 1);
        mplan_page_print(page, " %%</td>");
        real_cell(page, ratio(m->pairs, blocks), 1);
        count_cell(page, m->points_max);
        real_cell(page, ratio(m->lines, blocks), 1);
        real_cell(page, ratio(m->lines_ideal, blocks), 1);
        mplan_page_print(page, "</tr>\n");
    }
    close_table(page);
}

/* Histograms of sizes and points. */
static mplan_status write_block_charts(mplan_page *page, const mplan_view *view)
{
    const mplan_plan *plan = view->plan;
    const mplan_plan_block_set *blocks = &plan->block_sets[view->block_set];
    int64_t *values = mplan_report_block_sizes(view, page->err);
    if (!values)
        return MPLAN_ERR_MEMORY;
    mplan_histogram sizes = {"Elements of a block", "elements", "blocks", blocks->n_blocks, values,
                             blocks->block_limit,   "limit"};
    mplan_page_histogram(page, &sizes);
    free(values);
    for (int32_t i = 0; i < plan->n_metrics; i++) {
        const mplan_block_metrics *m = &plan->metrics[i];
        char title[160];
        if (m->loop != view->loop || m->block_set != view->block_set)
            continue;
        values = mplan_report_block_points(view, m, page->err);
        if (!values)
            return MPLAN_ERR_MEMORY;
        snprintf(title, sizeof title, "Points of a block: %.100s", plan->sets[m->set].name);
        mplan_histogram points = {title,  plan->sets[m->set].name, "blocks", blocks->n_blocks,
                                  values, blocks->max_points,      "limit"};
        mplan_page_histogram(page, &points);
        free(values);
    }
    return page->status;
}

/* The loop's blocks in a sentence, a table and charts. The view has blocks. */
static mplan_status write_blocks(mplan_page *page, const mplan_view *view,
                                 const double *reuse_bounds, const char *const *tiles)
{
    const mplan_plan *plan = view->plan;
    const mplan_plan_block_set *blocks = &plan->block_sets[view->block_set];
    const int64_t size = plan->sets[blocks->set].size;
    char origin[192];
    mplan_block_origin_text(&blocks->origin, origin, sizeof origin);
    mplan_page_print(page, "<h3>Blocks</h3>\n<p>");
    if (blocks->n_blocks == 0) {
        mplan_page_print(page, "There are no blocks: the loop has no elements.</p>\n");
        return page->status;
    }
    mplan_page_count(page, blocks->n_blocks);
    mplan_page_print(page,
                     " blocks of %" PRId64 " to %" PRId64
                     " elements, mean %.1f, limit %d (at least %" PRId64
                     " blocks, fill %.4f); partitioner %s%s%s, %s.",
                     blocks->block_min, blocks->block_max, ratio(size, blocks->n_blocks),
                     (int)blocks->block_limit, (size + blocks->block_limit - 1) / blocks->block_limit,
                     ratio(size, blocks->n_blocks * blocks->block_limit),
                     mplan_partitioner_name(blocks->partitioner), origin[0] ? ": " : "", origin,
                     blocks->sequence ? "a stored sequence" : "runs of the stored order");
    if (blocks->loop != view->loop) {
        mplan_page_print(page, " They were made for loop ");
        mplan_page_text(page, plan->loops[blocks->loop].name);
        mplan_page_print(page, ".");
    }
    mplan_page_print(page, "</p>\n");
    write_block_table(page, view, reuse_bounds, tiles);
    mplan_page_print(page, "<div class=\"row\">\n");
    mplan_status status = write_block_charts(page, view);
    mplan_page_print(page, "</div>\n");
    return status;
}

/* --- colours ------------------------------------------------------------------------------------------ */

/* An array of the view's variant and its rows; NULL without one. */
static const void *table_of(const mplan_view *view, mplan_kind kind, mplan_type type, int64_t *rows)
{
    return mplan_plan_data(view->plan, mplan_key_of_variant(kind, view->loop, view->variant), type,
                           rows);
}

/* Sizes of the launches of a variant. */
static mplan_status write_launches(mplan_page *page, const mplan_view *view, mplan_kind kind,
                                   const char *title, const char *of)
{
    int64_t rows;
    const int64_t *offsets = table_of(view, kind, MPLAN_TYPE_I64, &rows);
    if (!offsets || rows < 2)
        return MPLAN_OK;
    int64_t *counts = mplan_alloc(rows - 1, sizeof *counts, page->err);
    if (!counts)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i + 1 < rows; i++)
        counts[i] = offsets[i + 1] - offsets[i];
    mplan_page_bars(page, title, "colour, one launch each", of, rows - 1, counts);
    free(counts);
    return page->status;
}

/* How many thread colours blocks need, as a histogram; nothing without thread colours. */
static mplan_status write_thread_colours(mplan_page *page, const mplan_view *view)
{
    int64_t n;
    const uint16_t *colours = table_of(view, MPLAN_KIND_BLOCK_THREAD_COLOURS, MPLAN_TYPE_U16, &n);
    if (!colours)
        return MPLAN_OK;
    int64_t *values = mplan_alloc(n, sizeof *values, page->err);
    if (!values)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        values[i] = colours[i];
    mplan_histogram of_blocks = {
        "Thread colours of a block", "colours", "blocks", n, values, -1, NULL};
    mplan_page_histogram(page, &of_blocks);
    free(values);
    return page->status;
}

/* Charts of what the variant's strategy colours; nothing for others. */
static mplan_status write_colours(mplan_page *page, const mplan_view *view)
{
    const mplan_plan_variant *variant = mplan_view_variant(view);
    if (variant->block_colours == 0 && variant->global_colours == 0)
        return MPLAN_OK;
    mplan_page_print(page, "<h3>Colours: %s</h3>\n<div class=\"row\">\n",
                     mplan_strategy_name(variant->strategy));
    mplan_status status = write_launches(page, view, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
                                         "Blocks of each colour", "blocks");
    if (!status)
        status = write_thread_colours(page, view);
    if (!status)
        status = write_launches(page, view, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                                "Elements of each colour", "elements");
    mplan_page_print(page, "</div>\n");
    return status;
}

/* --- loops, warnings ----------------------------------------------------------------------------------- */

/* The variant's blocks; none where it runs without, whatever blocks its order came from. */
static mplan_view view_of(const mplan_plan *plan, int32_t loop, int32_t variant)
{
    return (mplan_view){plan, loop, variant, plan->loops[loop].variants[variant].block_set};
}

/* What the figures of one loop are held against. */
typedef struct loop_bounds {
    mplan_variant_bounds *variants;
    double *reuse; /* per metrics record of the plan; NaN: none known, or of another loop */
    const char **tiles;
} loop_bounds;

/* Released by free_bounds, also after a failure. */
static mplan_status make_bounds(mplan_page *page, const mplan_plan *plan, int32_t l,
                                loop_bounds *bounds)
{
    bounds->variants = mplan_alloc_zero(plan->loops[l].n_variants, sizeof *bounds->variants,
                                        page->err);
    bounds->reuse = mplan_alloc(plan->n_metrics, sizeof *bounds->reuse, page->err);
    bounds->tiles = mplan_alloc_zero(plan->n_metrics, sizeof *bounds->tiles, page->err);
    mplan_status status = bounds->variants && bounds->reuse && bounds->tiles ? MPLAN_OK
                                                                             : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_metrics && !status; i++) {
        bounds->reuse[i] = (double)NAN;
        if (plan->metrics[i].loop == l)
            status = mplan_plan_reuse_bound(plan, i, &bounds->reuse[i], &bounds->tiles[i], page->err);
    }
    return status;
}

static void free_bounds(loop_bounds *bounds)
{
    free(bounds->variants);
    free(bounds->reuse);
    free(bounds->tiles);
}

/* shown: the view that the user asked for, which also gets pictures. */
static mplan_status write_loop(mplan_page *page, const mplan_plan *plan, int32_t l,
                               const mplan_view *shown, mplan_mesh *mesh)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    loop_bounds bounds = {0};
    mplan_status status = make_bounds(page, plan, l, &bounds);
    if (status) {
        free_bounds(&bounds);
        return status;
    }
    mplan_page_print(page, "<section>\n<h2>Loop ");
    mplan_page_text(page, loop->name);
    mplan_page_print(page, "%s</h2>\n", loop->primary ? " (primary)" : "");
    write_args(page, plan, loop);
    status = write_variants(page, plan, l, bounds.variants);
    write_predictions(page, loop);
    mplan_view view = view_of(plan, l, shown->loop == l ? shown->variant : loop->default_variant);
    if (!status)
        status = write_loads(page, &view);
    if (!status) {
        mplan_findings findings = {page, 0};
        mplan_report_judge(&findings, &view, &bounds.variants[view.variant], bounds.reuse);
        mplan_page_print(page, findings.n ? "</ul>\n</div>\n"
                                          : "<p class=\"soft\">There are no warnings.</p>\n");
    }
    if (!status && view.block_set >= 0)
        status = write_blocks(page, &view, bounds.reuse, bounds.tiles);
    for (int32_t v = 0; v < loop->n_variants && !status; v++) {
        mplan_view each = view_of(plan, l, v);
        status = write_colours(page, &each);
    }
    if (!status && shown->loop == l) {
        mplan_page_print(page, "<h3>On the mesh</h3>\n");
        status = mplan_report_pictures(page, shown, mesh);
    }
    if (!status && loop->primary)
        status = mplan_report_sparsity(page, &view);
    mplan_page_print(page, "</section>\n");
    free_bounds(&bounds);
    return status ? status : page->status;
}

/* Request and versions, and the end of the page. */
static void write_tail(mplan_page *page, const mplan_plan *plan)
{
    mplan_page_print(page, "<section>\n<h2>How the plan was made</h2>\n<details>\n<summary>Request "
                           "and versions</summary>\n<p class=\"pre\"><code>");
    mplan_page_text(page, plan->request);
    mplan_page_print(page, "</code></p>\n<p class=\"pre\"><code>");
    mplan_page_text(page, plan->versions);
    mplan_page_print(page, "</code></p>\n</details>\n</section>\n");
    mplan_page_end(page);
}

/* Findings first: they are what a reader looks for. */
static mplan_status write_page(mplan_page *page, const mplan_view *shown, mplan_mesh *mesh,
                               const char *title)
{
    const mplan_plan *plan = shown->plan;
    mplan_findings findings = {page, 0};
    write_head(page, plan, title, mesh != NULL);
    write_sets(page, plan);
    mplan_report_judge_sets(&findings, plan);
    if (findings.n)
        mplan_page_print(page, "</ul>\n</div>\n");
    mplan_status status = page->status;
    for (int32_t l = 0; l < plan->n_loops && !status; l++) {
        mplan_progress(page->context, "report", l, plan->n_loops);
        status = write_loop(page, plan, l, shown, mesh);
        if (!status)
            status = mplan_interrupted(page->context, page->err);
    }
    if (!status)
        mplan_report_visit(page, plan);
    if (!status)
        write_tail(page, plan);
    return status ? status : page->status;
}

/* The plan is proved before anything is said of it. */
mplan_status mplan_plan_report(const mplan_plan *plan, mplan_mesh *mesh, const char *path,
                               const char *title, const mplan_view_options *options,
                               const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(path);
    MPLAN_NEED(title);
    mplan_view shown;
    mplan_page page = {.context = context, .err = err};
    mplan_status status = mplan_view_find(plan, options, &shown, err);
    if (!status)
        shown = view_of(plan, shown.loop, shown.variant);
    if (!status && mesh)
        status = mplan_view_derive(plan, mesh, context, err);
    if (!status)
        status = mplan_plan_verify(plan, mesh, context, err);
    if (!status)
        status = mplan_output_open(path, context, &page.output, err);
    if (status)
        return status;
    status = write_page(&page, &shown, mesh, title);
    if (!status)
        return mplan_output_commit(page.output, err);
    mplan_output_abort(page.output);
    return status;
}
