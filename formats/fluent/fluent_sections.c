/* SPDX-License-Identifier: Apache-2.0 */
/* fluent_sections.c - which sections a Fluent file has: one walk over the whole file, before any row is read */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/fluent/fluent.h"

enum { MOST_SECTIONS = 1 << 20, LARGEST_INDEX = 9999 };

static const char binary_end[] = "End of Binary Section";

/* what: that had begun. */
static mplan_status fail_end(const mplan_scanner *scan, const char *what, mplan_error *err)
{
    return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "the file ends within %s", what);
}

/* Moves to `to`, which is not before.
 * scan->line grows by the line ends in between. */
static void count_lines(mplan_scanner *scan, const char *to)
{
    for (const char *at = scan->at; at < to && (at = memchr(at, '\n', (size_t)(to - at))); at++)
        scan->line++;
    scan->at = to;
}

/* Behind the bracket that ends what the scanner is in; texts in quotes may hold any.
 * depth: brackets that are open. Lines are counted for messages. */
static mplan_status skip_balanced(mplan_scanner *scan, int64_t depth, mplan_error *err)
{
    const mplan_scanner start = *scan;
    bool quoted = false;
    for (; scan->at < scan->end && depth > 0; scan->at++) {
        const char c = *scan->at;
        scan->line += c == '\n';
        if (c == '"')
            quoted = !quoted;
        else if (quoted && c == '\\' && scan->at + 1 < scan->end)
            scan->line += *++scan->at == '\n';
        else if (!quoted)
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return depth == 0 ? MPLAN_OK : fail_end(&start, "a section", err);
}

/* Behind a binary section, whose last words are "End of Binary Section 3010)". */
static mplan_status skip_binary(mplan_scanner *scan, mplan_error *err)
{
    size_t left = (size_t)(scan->end - scan->at);
    const char *mark = memmem(scan->at, left, binary_end, sizeof binary_end - 1);
    const char *bracket = mark ? memchr(mark, ')', (size_t)(scan->end - mark)) : NULL;
    if (!bracket)
        return fail_end(scan, "a binary section", err);
    count_lines(scan, bracket + 1);
    return MPLAN_OK;
}

/* At most 15 digits, so that the number has no sign. Nothing is taken after a failure. */
mplan_status mplan_fluent_hex(mplan_scanner *scan, const char *what, int64_t *value, mplan_error *err)
{
    uint64_t number = 0;
    mplan_scan_skip_space(scan);
    const char *at = scan->at;
    for (; at < scan->end && at - scan->at < 15; at++) {
        const char c = *at;
        int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
        if (digit < 0)
            break;
        number = number * 16 + (uint64_t)digit;
    }
    if (at == scan->at || (at < scan->end && !strchr(" \t\r\n()", *at)) || (at < scan->end && !*at))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected %s in hexadecimal", what);
    scan->at = at;
    *value = (int64_t)number;
    return MPLAN_OK;
}

/* Whether the next character but blanks is `mark`, which is then behind the scanner. */
static bool takes(mplan_scanner *scan, char mark)
{
    if (!mplan_scan_skip_space(scan) || *scan->at != mark)
        return false;
    scan->at++;
    return true;
}

/* The numbers in brackets that begin a section: zone, first, last, and then perhaps type and shape.
 * section: zone, first, last, type and shape are set; *n: how many numbers there are, 3 to 7. */
static mplan_status take_header(mplan_scanner *scan, mplan_fluent_section *section, int64_t *n,
                                mplan_error *err)
{
    int64_t value[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    mplan_status status = MPLAN_OK;
    if (!takes(scan, '('))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "expected '(' and the numbers of a zone");
    for (*n = 0; *n < 8 && !status && !takes(scan, ')'); ++*n)
        status = mplan_fluent_hex(scan, "a number of a zone", &value[*n], err);
    if (!status && (*n < 3 || *n == 8))
        status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                 "expected three to five numbers of a zone");
    section->zone = value[0];
    section->first = value[1];
    section->last = value[2];
    section->type = value[3];
    section->shape = value[4];
    return status;
}

/* A section of nodes, cells or faces. Those of zone 0 declare how many there are in all.
 * body: at the first row, where there are any. Of what is added first is at least 1 and last below 2^31 - 1. */
static mplan_status take_section(mplan_fluent *file, mplan_scanner *scan, int64_t index,
                                 mplan_error *err)
{
    mplan_fluent_section section = {.kind = (int32_t)(index % 1000),
                                    .real_bytes = index < 1000   ? 0
                                                  : index < 3000 ? 4
                                                                 : 8};
    int64_t n = 0;
    mplan_status status = take_header(scan, &section, &n, err);
    if (status || section.zone == 0)
        return status ? status : skip_balanced(scan, 1, err);
    if (section.first < 1 || section.last < section.first - 1 || section.last >= INT32_MAX)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "zone %lld must not have the first number %lld and the last "
                               "number %lld",
                               (long long)section.zone, (long long)section.first,
                               (long long)section.last);
    if (section.kind == MPLAN_FLUENT_NODES && n < 5)
        section.shape = file->dimension;
    if (takes(scan, '(')) {
        section.body = *scan;
        status = section.real_bytes ? skip_binary(scan, err) : skip_balanced(scan, 2, err);
    } else {
        status = skip_balanced(scan, 1, err);
    }
    if (!status && file->sections.count == MOST_SECTIONS)
        status = mplan_scan_fail(scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "there are more than %d sections", MOST_SECTIONS);
    return status ? status : mplan_vector_push(&file->sections, &section, err);
}

/* A word of a zone, up to a blank or bracket.
 * *word: a view into the file; *length 0 where a bracket is next. */
static void take_word(mplan_scanner *scan, const char **word, size_t *length)
{
    mplan_scan_skip_space(scan);
    *word = scan->at;
    while (scan->at < scan->end && *scan->at && !strchr(" \t\r\n()", *scan->at))
        scan->at++;
    *length = (size_t)(scan->at - *word);
}

/* (45 (5 velocity-inlet inlet)(...)): the number is decimal here. What is written otherwise is skipped.
 * zone: views of type and name; a zone whose number cannot be read is not kept. */
static mplan_status take_zone(mplan_fluent *file, mplan_scanner *scan, mplan_error *err)
{
    mplan_fluent_zone zone = {0};
    const char *word;
    size_t length;
    int64_t depth = 1;
    if (takes(scan, '(')) {
        depth = 2;
        take_word(scan, &word, &length);
        take_word(scan, &zone.type, &zone.type_length);
        take_word(scan, &zone.name, &zone.name_length);
        if (length > 0 && mplan_parse_i64(word, word + length, &zone.id) == length &&
            zone.name_length > 0 && file->zones.count < MOST_SECTIONS &&
            mplan_vector_push(&file->zones, &zone, err))
            return MPLAN_ERR_MEMORY;
    }
    return skip_balanced(scan, depth, err);
}

/* (2 3) */
static mplan_status take_dimension(mplan_fluent *file, mplan_scanner *scan, mplan_error *err)
{
    mplan_status status = mplan_fluent_hex(scan, "the dimension", &file->dimension, err);
    if (!status && file->dimension != 2 && file->dimension != 3)
        status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                 "the dimension must be 2 or 3, not %lld",
                                 (long long)file->dimension);
    return status ? status : skip_balanced(scan, 1, err);
}

/* One section, to behind its bracket. Those of 2000 and more are binary; unknown ones are
 * skipped either way. */
static mplan_status take_any(mplan_fluent *file, mplan_scanner *scan, mplan_error *err)
{
    int64_t index = 0;
    if (!takes(scan, '('))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "expected '(' and the number of a section");
    mplan_scan_skip_space(scan);
    size_t used = mplan_parse_i64(scan->at, scan->end, &index);
    if (!used || index < 0 || index > LARGEST_INDEX)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected the number of a section");
    scan->at += used;
    switch (index) {
    case 2: return take_dimension(file, scan, err);
    case 10:
    case 12:
    case 13:
    case 2010:
    case 2012:
    case 2013:
    case 3010:
    case 3012:
    case 3013: return take_section(file, scan, index, err);
    case 39:
    case 45: return take_zone(file, scan, err);
    default: return index >= 2000 ? skip_binary(scan, err) : skip_balanced(scan, 1, err);
    }
}

/* By number; of two of one number, the first in the file is first. */
static int compare_zones(const void *left, const void *right)
{
    const mplan_fluent_zone *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* Rows are only skipped here: text is searched for brackets, binary sections for their last
 * words. */
mplan_status mplan_fluent_find_sections(mplan_fluent *file, mplan_error *err)
{
    mplan_scanner scan = file->scan;
    mplan_status status = MPLAN_OK;
    while (!status && mplan_scan_skip_space(&scan)) {
        status = take_any(file, &scan, err);
        if (!status)
            status = mplan_scan_heed(&scan, file->context, err);
    }
    if (!status && file->dimension == 0)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no section (2 DIMENSION)",
                            scan.path);
    if (!status && file->zones.count > 0)
        qsort(file->zones.data, (size_t)file->zones.count, sizeof(mplan_fluent_zone), compare_zones);
    return status;
}

/* By bisection; NULL for a zone without a name. */
const mplan_fluent_zone *mplan_fluent_find_zone(const mplan_fluent *file, int64_t id)
{
    const mplan_fluent_zone *zones = file->zones.data;
    int64_t low = 0, high = file->zones.count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (zones[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->zones.count && zones[low].id == id ? &zones[low] : NULL;
}
