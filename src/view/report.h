/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what the parts of a report share
 *
 * The plan has been proved: see plan_view.h. */
#ifndef MPLAN_REPORT_H
#define MPLAN_REPORT_H

#include "view/page.h"
#include "view/plan_view.h"

/* Elements of each block; points of a metrics record of each block. From mplan_alloc. */
int64_t *mplan_report_block_sizes(const mplan_view *view, mplan_error *err);
int64_t *mplan_report_block_points(const mplan_view *view, const mplan_block_metrics *metrics,
                                   mplan_error *err);

/* Things to look at, as items of a list that the first of them opens; the caller closes it (ul, div). */
typedef struct mplan_findings {
    mplan_page *page;
    int32_t n;
} mplan_findings;
void mplan_report_judge_sets(mplan_findings *to, const mplan_plan *plan);
/* reuse_bounds: per metrics record, NaN where none is known. */
void mplan_report_judge(mplan_findings *to, const mplan_view *view,
                        const mplan_variant_bounds *bounds, const double *reuse_bounds);

/* The schedule of a plan for a limited device memory, as a section; nothing for others. */
void mplan_report_visit(mplan_page *page, const mplan_plan *plan);

/* Where the neighbours of points are before and after, as two pictures. */
mplan_status mplan_report_sparsity(mplan_page *page, const mplan_view *view);

/* The mesh in the colours of the view's blocks, of their colours, and of the stored order.
 * Without something to draw it says why. */
mplan_status mplan_report_pictures(mplan_page *page, const mplan_view *view, mplan_mesh *mesh);

/* Maps by which the loop writes or increments (or, reading, all); returns how many. maps: n_args. */
int32_t mplan_report_maps(const mplan_view *view, bool reading, int32_t *maps);

#endif
