/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - an HTML page: texts, numbers, charts
 *
 * Colours are those of Tableau 10 and their lighter kin: told apart on light and dark ground. */
#include "view/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/markup.h"
#include "base/number_text.h"

enum { PRINT = 1024 };

/* Numbers in the C locale. The first failure is kept in page->status.
 * A text of PRINT bytes or more is our own fault (MPLAN_ERR_INTERNAL): names of a plan, which may be of any length,
 * go through mplan_page_text. */
void mplan_page_print(mplan_page *page, const char *format, ...)
{
    char text[PRINT];
    va_list args;
    va_start(args, format);
    int n = mplan_text_format_list(text, sizeof text, format, args);
    va_end(args);
    if (page->status)
        return;
    if (n < 0 || n >= PRINT)
        page->status = mplan_fail(page->err, MPLAN_ERR_INTERNAL, "a text of the report is too long");
    else
        page->status = mplan_output_write(page->output, text, (size_t)n, page->err);
}

/* A text as it is. */
static void put(mplan_page *page, const char *text)
{
    if (!page->status)
        page->status = mplan_output_write(page->output, text, strlen(text), page->err);
}

/* With reserved characters as entities. */
void mplan_page_text(mplan_page *page, const char *text)
{
    if (page->status)
        return;
    char *safe = mplan_markup(text, page->err);
    if (!safe)
        page->status = MPLAN_ERR_MEMORY;
    else
        put(page, safe);
    free(safe);
}

/* With commas between thousands. */
void mplan_page_count(mplan_page *page, int64_t count)
{
    char digits[24], text[32];
    int n = snprintf(digits, sizeof digits, "%" PRId64, count), at = 0;
    for (int i = 0; i < n; i++) {
        text[at++] = digits[i];
        if (digits[i] != '-' && i + 1 < n && (n - i - 1) % 3 == 0)
            text[at++] = ',';
    }
    text[at] = '\0';
    put(page, text);
}

/* A dash for what is not finite.
 * The difference is 0 for finite numbers only, and needs no function of libm. */
void mplan_page_real(mplan_page *page, double value, int decimals)
{
    if (value - value == 0)
        mplan_page_print(page, "%.*f", decimals, value);
    else
        put(page, "–");
}

/* --- the frame ---------------------------------------------------------------------- */

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1d2129;--soft:#5b6472;--line:#d9dde4;"
    "--panel:#f6f7f9;--accent:#2f6db5;--warn:#9a5b00;--warnground:#fff6e5}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#14171c;--ink:#e6e9ee;--soft:#9aa4b2;"
    "--line:#333a45;--panel:#1c2027;--accent:#7db2ee;--warn:#f0b65a;--warnground:#2b2414}}\n"
    "body{margin:0 auto;max-width:74rem;padding:1.5rem;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;margin:.2em 0}h2{font-size:1.3rem;margin:2em 0 .5em;"
    "border-bottom:1px solid var(--line)}h3{font-size:1.05rem;margin:1.5em 0 .4em}\n"
    "p{max-width:52rem;margin:.5em 0}.soft,figcaption{color:var(--soft)}code,pre{font:13px/1.5 ui-monospace,monospace}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums;font-size:14.5px}\n"
    "caption{text-align:left;color:var(--soft);padding:.2em 0;white-space:nowrap}th,td{padding:.25em .8em;text-align:right;"
    "border-bottom:1px solid var(--line);white-space:nowrap}\n"
    "th{font-weight:600}th:first-child,td:first-child{text-align:left;padding-left:0}"
    "thead th{color:var(--soft);font-weight:500;vertical-align:bottom}\n"
    ".row{display:flex;flex-wrap:wrap;gap:1.2rem 2rem;align-items:flex-start}figure{margin:.6em 0;flex:0 1 auto}"
    "figcaption{font-size:14px;max-width:34rem}\n"
    "svg{display:block;max-width:100%;height:auto;background:var(--panel);border:1px solid var(--line);border-radius:6px}\n"
    "svg text{fill:var(--soft);font:12px system-ui,sans-serif}.bar{fill:var(--accent)}.axis{stroke:var(--soft);fill:none}"
    ".bound{stroke:var(--warn);stroke-dasharray:4 3;fill:none}svg text.boundname{fill:var(--warn)}\n"
    ".warnings{background:var(--warnground);border-left:4px solid var(--warn);padding:.6em 1.2em;border-radius:4px}"
    ".warnings p{margin:.2em 0}.warnings li{margin:.35em 0}\n"
    ".mesh path{stroke:var(--ground);stroke-linejoin:round}.mesh .fine{stroke-width:.6}.mesh .pale{opacity:.5}\n"
    ".pre{white-space:pre-wrap;background:var(--panel);padding:.8em;border-radius:6px;overflow-x:auto}\n"
    "@media print{body{max-width:none}}\n";

static const char *const colours[MPLAN_PAGE_COLOURS] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                                        "#76b7b2", "#edc948", "#b07aa1", "#9c755f",
                                                        "#d37295", "#8cd17d", "#a0cbe8", "#b6992d"};
/* From early to late in an order: viridis, sampled. */
static const char *const ramp[MPLAN_PAGE_COLOURS] = {"#440154", "#482173", "#433e85", "#38598c",
                                                     "#2d708e", "#25858e", "#1e9b8a", "#2ab07f",
                                                     "#52c569", "#86d549", "#c2df23", "#fde725"};

/* Up to the page's <main>: styles, and the classes of colours. */
void mplan_page_begin(mplan_page *page, const char *title)
{
    put(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    mplan_page_text(page, title);
    put(page, " – meshplan report</title>\n<style>\n");
    put(page, style);
    for (int k = 0; k < MPLAN_PAGE_COLOURS; k++)
        mplan_page_print(page,
                         ".k%d{fill:%s}.mesh .k%d.fine{stroke:%s}"
                         ".r%d{fill:%s}.mesh .r%d.fine{stroke:%s}\n",
                         k, colours[k], k, colours[k], k, ramp[k], k, ramp[k]);
    put(page, "</style>\n</head>\n<body>\n<main>\n");
}

void mplan_page_end(mplan_page *page)
{
    put(page, "</main>\n</body>\n</html>\n");
}

/* width, height: in the units of the picture; pixels: the longer side.
 * The other side follows in proportion, rounded up. Ids t0, d0, t1, d1, ... tie title and description to their
 * picture. */
void mplan_page_picture(mplan_page *page, int64_t width, int64_t height, int pixels,
                        const char *title, const char *description)
{
    int32_t id = page->n_pictures++;
    int64_t tall = (height * pixels + width - 1) / width;
    if (tall > pixels && height > width) { /* upright */
        tall = pixels;
        pixels = (int)((width * tall + height - 1) / height);
    }
    mplan_page_print(page,
                     "<figure>\n<svg role=\"img\" aria-labelledby=\"t%d d%d\" viewBox=\"0 0 %" PRId64
                     " %" PRId64 "\" width=\"%d\" height=\"%" PRId64 "\" "
                     "xmlns=\"http://www.w3.org/2000/svg\">\n<title id=\"t%d\">",
                     (int)id, (int)id, width, height, pixels, tall, (int)id);
    mplan_page_text(page, title);
    mplan_page_print(page, "</title>\n<desc id=\"d%d\">", (int)id);
    mplan_page_text(page, description);
    put(page, "</desc>\n");
}

void mplan_page_picture_end(mplan_page *page, const char *caption)
{
    put(page, "</svg>\n<figcaption>");
    mplan_page_text(page, caption);
    put(page, "</figcaption>\n</figure>\n");
}

/* --- charts ----------------------------------------------------------------------------- */

enum { WIDE = 460, TALL = 210, LEFT = 56, RIGHT = 14, TOP = 26, BOTTOM = 44, MOST_BINS = 48 };

/* The shape of a histogram: values from `least` to `most` in n_bins bins.
 * count[b]: how many values are in [least + b width, least + (b + 1) width); highest: the largest count. */
typedef struct spread {
    int64_t least, most, n_bins, width; /* width of a bin */
    int64_t count[MOST_BINS], highest;
    double mean;
} spread;

/* n values: least, most, mean, and up to MOST_BINS bins of equal width, a whole number.
 * width is above (most - least) / MOST_BINS, so that n_bins never passes MOST_BINS. Without values there is one empty
 * bin, and the mean is NaN. */
static spread spread_of(int64_t n, const int64_t *values)
{
    spread s = {.least = n ? values[0] : 0, .most = n ? values[0] : 0};
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        s.least = values[i] < s.least ? values[i] : s.least;
        s.most = values[i] > s.most ? values[i] : s.most;
        sum += (double)values[i];
    }
    s.mean = n ? sum / (double)n : (double)NAN;
    s.width = (s.most - s.least) / MOST_BINS + 1;
    s.n_bins = (s.most - s.least) / s.width + 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t *bin = &s.count[(values[i] - s.least) / s.width];
        s.highest = ++*bin > s.highest ? *bin : s.highest;
    }
    return s;
}

/* Both axes, the highest count and what is counted. */
static void draw_axes(mplan_page *page, int64_t highest, const char *of)
{
    const int floor_y = TALL - BOTTOM;
    mplan_page_print(page,
                     "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n<text x=\"%d\" y=\"%d\" "
                     "text-anchor=\"end\">",
                     LEFT, TOP - 6, floor_y, WIDE - RIGHT, LEFT - 5, TOP + 4);
    mplan_page_count(page, highest);
    mplan_page_print(page,
                     "</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>\n"
                     "<text x=\"6\" y=\"14\">%s</text>\n",
                     LEFT - 5, floor_y + 4, of);
}

/* A count of one is still seen.
 * x, width: in units of the picture. A bar of `highest` fills the height between the axis and TOP. */
static void draw_bar(mplan_page *page, double x, double width, int64_t count, int64_t highest)
{
    const double room = TALL - BOTTOM - TOP;
    double height = highest ? room * (double)count / (double)highest : 0;
    if (count > 0)
        mplan_page_print(page,
                         "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                         x, TALL - BOTTOM - (height < 1 ? 1 : height), width,
                         height < 1 ? 1 : height);
}

/* A number below the axis, at x. */
static void draw_label(mplan_page *page, double x, int64_t value)
{
    mplan_page_print(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
                     TALL - BOTTOM + 16);
    mplan_page_count(page, value);
    put(page, "</text>\n");
}

/* What the values are, below the axis. */
static void draw_what(mplan_page *page, const char *what)
{
    mplan_page_print(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
                     (LEFT + WIDE - RIGHT) / 2, TALL - 8);
    mplan_page_text(page, what);
    put(page, "</text>\n");
}

/* Mean and bound are marked.
 * The axis is drawn out to a bound that lies beside the bins by less than twice their span; a bound further off is
 * not drawn. */
void mplan_page_histogram(mplan_page *page, const mplan_histogram *h)
{
    char description[256];
    if (h->n == 0)
        return;
    spread s = spread_of(h->n, h->values);
    mplan_text_format(description, sizeof description,
                      "Histogram of %" PRId64 " %s: from %" PRId64 " to %" PRId64 ", mean %.1f",
                      h->n, h->of, s.least, s.most, s.mean);
    /* the bound may lie beside the bins */
    double low = (double)s.least, high = (double)(s.least + s.n_bins * s.width);
    double span = (double)s.n_bins * (double)s.width;
    if (h->bound >= 0 && (double)h->bound + 0.5 > high && (double)h->bound - high < 2 * span)
        high = (double)h->bound + 0.75;
    if (h->bound >= 0 && (double)h->bound < low && low - (double)h->bound < 2 * span)
        low = (double)h->bound - 0.25;
    const double scale = (WIDE - RIGHT - LEFT - 4) / (high - low);
    mplan_page_picture(page, WIDE, TALL, WIDE, h->title, description);
    draw_axes(page, s.highest, h->of);
    double half = 0.5 * (double)s.width * scale, bar = 1.8 * half < 60 ? 1.8 * half : 60;
    for (int64_t b = 0; b < s.n_bins; b++)
        draw_bar(page, LEFT + 2 + ((double)(s.least + b * s.width) - low) * scale + half - bar / 2,
                 bar, s.count[b], s.highest);
    draw_label(page, LEFT + 2 + ((double)s.least - low) * scale + half, s.least);
    if (s.n_bins > 1)
        draw_label(page,
                   LEFT + 2 + ((double)(s.least + (s.n_bins - 1) * s.width) - low) * scale + half,
                   s.width == 1 ? s.most : s.least + (s.n_bins - 1) * s.width);
    draw_what(page, h->what);
    if (h->bound >= 0 && (double)h->bound >= low && (double)h->bound <= high) {
        double x = LEFT + 2 + ((double)h->bound - low) * scale + half;
        x = x > WIDE - RIGHT ? WIDE - RIGHT : x;
        mplan_page_print(page,
                         "<path class=\"bound\" d=\"M%.1f %dV%d\"/>\n<text class=\"boundname\" x=\"%.1f\" "
                         "y=\"%d\" text-anchor=\"%s\">%s %" PRId64 "</text>\n",
                         x, TOP - 6, TALL - BOTTOM, x, TOP - 10, x > WIDE / 2 ? "end" : "start",
                         h->bound_name, h->bound);
    }
    mplan_text_format(description, sizeof description, "%s: %" PRId64 " to %" PRId64 ", mean %.1f",
                      h->title, s.least, s.most, s.mean);
    mplan_page_picture_end(page, description);
}

/* One bar for each count, up to 256.
 * Up to 16 bars have a label each, more only the first and the last. */
void mplan_page_bars(mplan_page *page, const char *title, const char *what, const char *of,
                     int64_t n, const int64_t *counts)
{
    char description[256];
    int64_t highest = 0, least = n ? counts[0] : 0, shown = n < 256 ? n : 256;
    for (int64_t i = 0; i < n; i++) {
        highest = counts[i] > highest ? counts[i] : highest;
        least = counts[i] < least ? counts[i] : least;
    }
    if (n == 0)
        return;
    snprintf(description, sizeof description,
             "%s: %" PRId64 " classes of %" PRId64 " to %" PRId64 " %s", title, n, least, highest,
             of);
    const double step = (double)(WIDE - RIGHT - LEFT - 4) / (double)shown;
    mplan_page_picture(page, WIDE, TALL, WIDE, title, description);
    draw_axes(page, highest, of);
    for (int64_t i = 0; i < shown; i++) {
        double width = step * 0.8 < 40 ? step * 0.8 : 40;
        draw_bar(page, LEFT + 2 + step * ((double)i + 0.5) - width / 2, width, counts[i], highest);
        if (shown <= 16 || i == 0 || i + 1 == shown)
            draw_label(page, LEFT + 2 + step * ((double)i + 0.5), i);
    }
    draw_what(page, what);
    mplan_page_picture_end(page, description);
}
