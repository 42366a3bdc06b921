/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - an HTML page as it is written: one file, no scripts, nothing from elsewhere
 *
 * Every element is closed as in XML. The first failure stays, and what follows it writes nothing. */
#ifndef MPLAN_PAGE_H
#define MPLAN_PAGE_H

#include "base/file_output.h"
#include "meshplan.h"

/* Classes k0, k1, ... of fills in colours, r0, r1, ... of the ramp. */
enum { MPLAN_PAGE_COLOURS = 12 };

/* A page that is being written; status is the first failure, after which nothing
 * is written. */
typedef struct mplan_page {
    mplan_output *output;
    const mplan_context *context;
    mplan_error *err;
    mplan_status status;
    int32_t n_pictures; /* that have begun: their titles need names */
} mplan_page;

/* printf; what it makes stays below 1000 bytes. */
#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void mplan_page_print(mplan_page *page, const char *format, ...);
/* A text of the plan, marked up. */
void mplan_page_text(mplan_page *page, const char *text);
/* 1,234,567 */
void mplan_page_count(mplan_page *page, int64_t count);
/* With so many decimals; NaN as a dash. */
void mplan_page_real(mplan_page *page, double value, int decimals);

/* Opens a figure with an SVG of that size in its own units, drawn at most `pixels` wide and, when upright, high; title and description
 * are for those who do not see it. Close with mplan_page_picture_end, which takes the caption. */
void mplan_page_picture(mplan_page *page, int64_t width, int64_t height, int pixels,
                        const char *title, const char *description);
void mplan_page_picture_end(mplan_page *page, const char *caption);

/* From the first byte to <main>, with the title marked up; and from </main> to the end. */
void mplan_page_begin(mplan_page *page, const char *title);
void mplan_page_end(mplan_page *page);

/* A histogram of whole numbers. what: "elements of a block"; bound: a line at that value with its name below, or
 * < 0 and NULL.
 * values: n of them in any order, borrowed as the texts are. */
typedef struct mplan_histogram {
    const char *title, *what, *of; /* of: "blocks", what is counted */
    int64_t n;
    const int64_t *values;
    int64_t bound;
    const char *bound_name;
} mplan_histogram;
void mplan_page_histogram(mplan_page *page, const mplan_histogram *histogram);
/* Bars, one per class: how many of each.
 * counts: n entries. The first 256 are drawn; the description is of all. */
void mplan_page_bars(mplan_page *page, const char *title, const char *what, const char *of,
                     int64_t n, const int64_t *counts);

#endif
