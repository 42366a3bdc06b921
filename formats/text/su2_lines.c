/* SPDX-License-Identifier: Apache-2.0 */
/* su2_lines.c - lines, comments and numbers of SU2's meshes */
#include "formats/text/su2_parts.h"

#include <string.h>

#include "base/error.h"

/* Without its '='. */
const char *mplan_su2_key_name(mplan_su2_key key)
{
    static const char *const name[MPLAN_SU2_N_KEYS] = {
        "", "NZONE", "IZONE", "NDIME", "NELEM", "NPOIN", "NMARK", "MARKER_TAG", "MARKER_ELEMS",
    };
    return name[key];
}

/* What a key begins with; rows begin with digits or signs. */
bool mplan_su2_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Past blanks, empty lines and comments. */
bool mplan_su2_skip_to_content(mplan_scanner *scan)
{
    while (mplan_scan_skip_space(scan)) {
        if (*scan->at != '%')
            return true;
        mplan_scan_next_line(scan);
    }
    return false;
}

/* '%' begins a comment. */
bool mplan_su2_content_ends(mplan_scanner *scan)
{
    return mplan_scan_line_ends(scan) || *scan->at == '%';
}

/* "KEY=": true only with the equals sign. */
bool mplan_su2_take_key(mplan_scanner *scan, mplan_su2_key *key)
{
    const char *name = scan->at, *at = name;
    while (at < scan->end && (mplan_su2_is_letter(*at) || (at > name && *at >= '0' && *at <= '9')))
        at++;
    size_t length = (size_t)(at - name);
    while (at < scan->end && (*at == ' ' || *at == '\t'))
        at++;
    if (length == 0 || at == scan->end || *at != '=')
        return false;
    *key = MPLAN_SU2_KEY_OTHER;
    for (int k = MPLAN_SU2_KEY_OTHER + 1; k < MPLAN_SU2_N_KEYS; k++) {
        const char *known = mplan_su2_key_name((mplan_su2_key)k);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            *key = (mplan_su2_key)k;
    }
    if (length == 9 && memcmp("MARKERTAG", name, length) == 0) /* as some files have it; SU2 takes it */
        *key = MPLAN_SU2_KEY_TAG;
    scan->at = at + 1;
    return true;
}

/* True when a number of that many bytes is a word. It may also be directly
 * before a comment, which the scanner does not know. */
static bool take_number(mplan_scanner *scan, size_t used)
{
    const char *next = scan->at + used;
    if (used == 0 || (next < scan->end && *next != ' ' && *next != '\n' && *next != '\t' &&
                      *next != '\r' && *next != '%'))
        return false;
    scan->at = next;
    return true;
}

/* what: that was expected. */
static mplan_status fail_line_ends(const mplan_scanner *scan, const char *what, mplan_error *err)
{
    return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected %s, found the end of the line",
                           what);
}

/* A number of the line at hand: what is missing is not looked for in the next one. */
mplan_status mplan_su2_i64(mplan_scanner *scan, const char *what, int64_t *value, mplan_error *err)
{
    if (mplan_su2_content_ends(scan))
        return fail_line_ends(scan, what, err);
    if (take_number(scan, mplan_parse_i64(scan->at, scan->end, value)))
        return MPLAN_OK;
    return mplan_scan_i64(scan, what, value, err); /* for its message */
}

/* As mplan_su2_i64. */
mplan_status mplan_su2_f64(mplan_scanner *scan, const char *what, double *value, mplan_error *err)
{
    if (mplan_su2_content_ends(scan))
        return fail_line_ends(scan, what, err);
    if (take_number(scan, mplan_parse_f64(scan->at, scan->end, value)))
        return MPLAN_OK;
    return mplan_scan_f64(scan, what, value, err);
}

/* At least `bytes` bytes of the file must follow for each of them. */
mplan_status mplan_su2_count(mplan_scanner *scan, const char *what, int64_t bytes, int64_t *count,
                             mplan_error *err)
{
    mplan_status status = mplan_su2_i64(scan, what, count, err);
    if (status)
        return status;
    if (*count < 0)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "%s must be 0 or more, not %lld", what,
                               (long long)*count);
    if (*count > (scan->end - scan->at) / bytes + 1)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "%s is %lld, more than the rest of the file can hold", what,
                               (long long)*count);
    return MPLAN_OK;
}

/* The next line of a list, before a new section begins. */
mplan_status mplan_su2_next_row(mplan_scanner *scan, const char *what, int64_t done, int64_t count,
                                mplan_error *err)
{
    if (!mplan_su2_skip_to_content(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "the file ends after %lld of %lld %s",
                               (long long)done, (long long)count, what);
    if (mplan_su2_is_letter(*scan->at))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "a new section begins after %lld of %lld %s", (long long)done,
                               (long long)count, what);
    return MPLAN_OK;
}

/* Behind `count` rows a key has to come, or the end of the file. */
mplan_status mplan_su2_list_ends(mplan_scanner *scan, const char *what, int64_t count,
                                 mplan_error *err)
{
    if (mplan_su2_skip_to_content(scan) && !mplan_su2_is_letter(*scan->at))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "there are more than the %lld %s says",
                               (long long)count, what);
    return MPLAN_OK;
}

/* The rest of the line without blanks around it. */
mplan_status mplan_su2_tag(mplan_scanner *scan, char name[MPLAN_SU2_NAME], mplan_error *err)
{
    mplan_su2_content_ends(scan);
    const char *start = scan->at, *end = start;
    for (const char *at = start; at < scan->end && *at != '\n' && *at != '%'; at++)
        if (*at != ' ' && *at != '\t' && *at != '\r')
            end = at + 1;
    size_t length = (size_t)(end - start);
    if (length == 0)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "MARKER_TAG= is empty");
    if (length >= MPLAN_SU2_NAME || memchr(start, '\0', length))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "MARKER_TAG= has no name");
    memcpy(name, start, length);
    name[length] = '\0';
    return MPLAN_OK;
}
