/* SPDX-License-Identifier: Apache-2.0 */
/* su2_zones.c - the sections of an SU2 mesh, and which zone they belong to */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/scan_rows.h"
#include "formats/text/su2_parts.h"

enum { LIST_BYTES = 256, PLAIN = 1024, REACH = 1 << 16 };

/* A line without a key. */
static bool is_plain_line(void *data, mplan_scanner *line, int64_t row)
{
    (void)data;
    (void)row;
    return !mplan_scan_skip_space(line) || !mplan_su2_is_letter(*line->at);
}

/* Where every KEY= is: the file is read once, and sections in any order. Behind PLAIN lines without one threads look for the next, as far
 * as lists may reach. */
mplan_status mplan_su2_find_sections(mplan_su2_file *file, const mplan_context *context,
                                     mplan_error *err)
{
    mplan_scanner scan = file->scan;
    int64_t plain = 0, reach = REACH, n;
    bool unknown = false; /* the lines belong to a key that is not known here */
    while (mplan_su2_skip_to_content(&scan)) {
        if (mplan_su2_is_letter(*scan.at)) {
            mplan_su2_section found = {.repeated = false};
            bool is_key = mplan_su2_take_key(&scan, &found.key);
            if (!is_key && !unknown)
                return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT, "expected a line KEY= VALUE");
            if (!is_key) {
                mplan_scan_next_line(&scan);
                continue;
            }
            plain = 0;
            unknown = found.key == MPLAN_SU2_KEY_OTHER;
            found.value = scan;
            if (found.key != MPLAN_SU2_KEY_OTHER &&
                mplan_vector_push(&file->sections, &found, err) != MPLAN_OK)
                return MPLAN_ERR_MEMORY;
        } else if (file->sections.count == 0) {
            return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                   "expected a line KEY= VALUE before any numbers");
        } else if (++plain % PLAIN == 0) {
            mplan_status status = mplan_scan_rows(&scan, reach, is_plain_line, NULL, context, &n,
                                                  err);
            if (status)
                return status;
            reach = n == reach ? 2 * reach : REACH;
            plain -= n > 0; /* once more if it was worth it */
        }
        mplan_scan_next_line(&scan);
    }
    file->last = file->sections.count;
    return MPLAN_OK;
}

/* Where the zones of a file begin. */
static mplan_status find_zones(const mplan_su2_file *file, mplan_vector *zones, mplan_error *err)
{
    for (int64_t i = 0; i < file->sections.count; i++) {
        const mplan_su2_section *s = mplan_su2_section_at(file, i);
        if (s->key == MPLAN_SU2_KEY_IZONE && mplan_vector_push(zones, &i, err) != MPLAN_OK)
            return MPLAN_ERR_MEMORY;
        if (zones->count == 0 && s->key >= MPLAN_SU2_KEY_NELEM) {
            for (int64_t k = i; k < file->sections.count; k++)
                if (mplan_su2_section_at(file, k)->key == MPLAN_SU2_KEY_IZONE)
                    return mplan_scan_fail(&s->value, err, MPLAN_ERR_CORRUPT,
                                           "%s= comes before the first IZONE=",
                                           mplan_su2_key_name(s->key));
            return MPLAN_OK;
        }
    }
    return MPLAN_OK;
}

/* The numbers of zones, "1, 2", into list. */
static mplan_status list_zones(const mplan_su2_file *file, const mplan_vector *zones,
                               char list[LIST_BYTES], mplan_error *err)
{
    size_t used = 0;
    const int64_t *zone = zones->data;
    list[0] = '\0';
    for (int64_t z = 0; z < zones->count; z++) {
        mplan_scanner scan = mplan_su2_section_at(file, zone[z])->value;
        int64_t number;
        mplan_status status = mplan_su2_i64(&scan, "the number of a zone", &number, err);
        if (status)
            return status;
        if (used + 32 > LIST_BYTES) {
            memcpy(list + used, ", ...", 6);
            break;
        }
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%lld", z ? ", " : "",
                                 (long long)number);
    }
    return MPLAN_OK;
}

/* Whether the zone that begins here has the chosen number. */
static bool is_zone(mplan_scanner scan, const char *chosen)
{
    int64_t number, wanted;
    size_t length = strlen(chosen);
    return mplan_su2_i64(&scan, "the number of a zone", &number, NULL) == MPLAN_OK &&
           mplan_parse_i64(chosen, chosen + length, &wanted) == length && length > 0 &&
           number == wanted;
}

/* Leaves the chosen zone in the list. */
static mplan_status choose_zone(const mplan_su2_file *file, mplan_vector *zones, const char *chosen,
                                const char *list, mplan_error *err)
{
    int64_t *zone = zones->data;
    if (zones->count == 0 && strcmp(chosen, "1") != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: there is no zone '%.64s': the file has only one mesh",
                          file->scan.path, chosen);
    for (int64_t z = 0; z < zones->count; z++)
        if (is_zone(mplan_su2_section_at(file, zone[z])->value, chosen)) {
            zone[0] = zone[z];
            zones->count = 1;
            return MPLAN_OK;
        }
    if (zones->count > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no zone '%.64s' among %s",
                          file->scan.path, chosen, list);
    return MPLAN_OK;
}

/* A tag and its zone, to find tags that several zones have. */
typedef struct su2_tag {
    const char *name;
    size_t length;
    int64_t zone;
    mplan_su2_section *section;
} su2_tag;

/* By name, then by zone, so that equal names of several zones come side by side. */
static int compare_tags(const void *a, const void *b)
{
    const su2_tag *one = a, *two = b;
    size_t shorter = one->length < two->length ? one->length : two->length;
    int order = memcmp(one->name, two->name, shorter);
    if (order == 0)
        order = (one->length > two->length) - (one->length < two->length);
    return order ? order : (one->zone > two->zone) - (one->zone < two->zone);
}

/* Marks the tags of all zones that are read whose name is in more than one of them. */
static mplan_status mark_repeated(mplan_su2_file *file, mplan_error *err)
{
    mplan_vector tags = MPLAN_VECTOR_INIT(sizeof(su2_tag));
    mplan_status status = MPLAN_OK;
    int64_t zone = 0;
    for (int64_t i = 0; i < file->sections.count && !status; i++) {
        mplan_su2_section *s = (mplan_su2_section *)file->sections.data + i;
        char name[MPLAN_SU2_NAME];
        mplan_scanner scan = s->value;
        zone += s->key == MPLAN_SU2_KEY_IZONE;
        if (s->key != MPLAN_SU2_KEY_TAG || mplan_su2_tag(&scan, name, NULL) != MPLAN_OK)
            continue; /* a bad name is reported where the marker is read */
        su2_tag tag = {scan.at, strlen(name), zone, s};
        status = mplan_vector_push(&tags, &tag, err);
    }
    const su2_tag *tag = tags.data;
    if (!status && tags.count > 1)
        qsort(tags.data, (size_t)tags.count, tags.size, compare_tags);
    for (int64_t first = 0, last; first < tags.count && !status; first = last) {
        for (last = first + 1; last < tags.count && tag[last].length == tag[first].length &&
                               memcmp(tag[last].name, tag[first].name, tag[first].length) == 0;)
            last++;
        for (int64_t i = first; i < last; i++)
            tag[i].section->repeated = tag[last - 1].zone != tag[first].zone;
    }
    free(tags.data);
    return status;
}

/* NZONE must be as many as there are. */
static mplan_status check_zone_count(const mplan_su2_file *file, int64_t n_zones, mplan_error *err)
{
    for (int64_t i = 0; i < file->sections.count; i++) {
        mplan_scanner scan = mplan_su2_section_at(file, i)->value;
        int64_t said;
        if (mplan_su2_section_at(file, i)->key != MPLAN_SU2_KEY_NZONE)
            continue;
        mplan_status status = mplan_su2_i64(&scan, "the number of zones (NZONE)", &said, err);
        if (status)
            return status;
        if (said != n_zones && !(said == 1 && n_zones == 0))
            return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                   "NZONE= is %lld, but there are %lld sections IZONE=",
                                   (long long)said, (long long)n_zones);
    }
    return MPLAN_OK;
}

/* chosen: NULL, "all", or the number of one. file->zones: the section of each zone that is read,
 * none in files without zones, which are one (n_zones 1). Names of markers that several zones
 * have are marked, so that their groups get the zone's number. */
mplan_status mplan_su2_pick_zones(mplan_su2_file *file, const char *chosen,
                                  const mplan_context *context, mplan_error *err)
{
    char list[LIST_BYTES];
    mplan_status status = find_zones(file, &file->zones, err);
    if (!status)
        status = check_zone_count(file, file->zones.count, err);
    if (!status)
        status = list_zones(file, &file->zones, list, err);
    if (!status && chosen && strcmp(chosen, "all") != 0)
        status = choose_zone(file, &file->zones, chosen, list, err);
    file->n_zones = file->zones.count > 0 ? file->zones.count : 1;
    if (!status && file->n_zones > 1)
        status = mark_repeated(file, err);
    if (!status && file->n_zones > 1 && !chosen)
        mplan_warn(context,
                   "%s: %lld zones (%s) are read as one mesh of disjoint cells; the option zone "
                   "chooses one, or all without this notice",
                   file->scan.path, (long long)file->n_zones, list);
    return status;
}

/* file->first, last: the sections of the zone. */
void mplan_su2_enter_zone(mplan_su2_file *file, int64_t z)
{
    const int64_t *zone = file->zones.data;
    file->first = 0;
    file->last = file->sections.count;
    if (file->zones.count == 0)
        return;
    file->first = zone[z];
    if (z + 1 < file->zones.count) {
        file->last = zone[z + 1];
        return;
    }
    for (int64_t i = zone[z] + 1; i < file->sections.count; i++)
        if (mplan_su2_section_at(file, i)->key == MPLAN_SU2_KEY_IZONE) {
            file->last = i;
            return;
        }
}

/* 0 in files without zones. */
int64_t mplan_su2_zone_number(const mplan_su2_file *file)
{
    int64_t number = 0;
    if (file->zones.count > 0) {
        mplan_scanner scan = mplan_su2_section_at(file, file->first)->value;
        if (mplan_su2_i64(&scan, "the number of a zone", &number, NULL) != MPLAN_OK)
            number = 0;
    }
    return number;
}

/* What does not fit is left out. */
void mplan_su2_name_by_zone(const mplan_su2_file *file, char name[MPLAN_SU2_NAME])
{
    size_t length = strlen(name);
    snprintf(name + length, MPLAN_SU2_NAME - length, "%s_%lld",
             strcmp(name, "zone") == 0 ? "" : "_zone", (long long)mplan_su2_zone_number(file));
}

/* *found: NULL if the zone has none; two are an error. */
mplan_status mplan_su2_find_section(const mplan_su2_file *file, mplan_su2_key key,
                                    const mplan_su2_section **found, mplan_error *err)
{
    *found = NULL;
    for (int64_t i = file->first; i < file->last; i++) {
        const mplan_su2_section *s = mplan_su2_section_at(file, i);
        if (s->key != key)
            continue;
        if (*found)
            return mplan_scan_fail(&s->value, err, MPLAN_ERR_CORRUPT,
                                   "a second section %s=, the first is in line %lld",
                                   mplan_su2_key_name(key), (long long)(*found)->value.line);
        *found = s;
    }
    return MPLAN_OK;
}

/* *value: behind the key's '=', of the zone at hand. The dimension may be before the first
 * zone, for all of them. */
mplan_status mplan_su2_require_section(const mplan_su2_file *file, mplan_su2_key key,
                                       mplan_scanner *value, mplan_error *err)
{
    const mplan_su2_section *found;
    mplan_status status = mplan_su2_find_section(file, key, &found, err);
    if (status)
        return status;
    if (!found) {
        /* all zones may share what is before the first */
        for (int64_t i = 0; i < file->first && !found; i++)
            if (key == MPLAN_SU2_KEY_NDIME && mplan_su2_section_at(file, i)->key == key)
                found = mplan_su2_section_at(file, i);
        if (!found)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no section %s=", file->scan.path,
                              mplan_su2_key_name(key));
    }
    *value = found->value;
    return MPLAN_OK;
}
