/* SPDX-License-Identifier: Apache-2.0 */
/* su2_zones.c - the sections of an SU2 mesh, and which zone they belong to */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/text/su2.h"

/* Where every KEY= is: the file is read once, and sections in any order. */
mplan_status mplan_su2_find_sections(mplan_su2_file *file, mplan_error *err)
{
    mplan_scanner scan = file->scan;
    while (mplan_su2_skip_to_content(&scan)) {
        if (mplan_su2_is_letter(*scan.at)) {
            mplan_su2_section found;
            if (!mplan_su2_take_key(&scan, &found.key))
                return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT, "expected a line KEY= VALUE");
            found.value = scan;
            if (found.key != MPLAN_SU2_KEY_OTHER &&
                mplan_vector_push(&file->sections, &found, err) != MPLAN_OK)
                return MPLAN_ERR_MEMORY;
        } else if (file->sections.count == 0) {
            return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                   "expected a line KEY= VALUE before any numbers");
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

/* "the file holds 2 zones (1, 2), one must be chosen" */
static mplan_status fail_zones(const mplan_su2_file *file, const mplan_vector *zones,
                               const char *chosen, mplan_error *err)
{
    char list[256];
    size_t used = 0;
    const int64_t *zone = zones->data;
    list[0] = '\0';
    for (int64_t z = 0; z < zones->count; z++) {
        mplan_scanner scan = mplan_su2_section_at(file, zone[z])->value;
        int64_t number;
        mplan_status status = mplan_su2_i64(&scan, "the number of a zone", &number, err);
        if (status)
            return status;
        if (used + 32 > sizeof list) {
            memcpy(list + used, ", ...", 6);
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld", z ? ", " : "",
                                 (long long)number);
    }
    if (!chosen)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: the file holds %lld zones (%s), one must be chosen", file->scan.path,
                          (long long)zones->count, list);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no zone '%.64s' among %s",
                      file->scan.path, chosen, list);
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

/* Narrows the sections to those of one zone. */
static mplan_status choose_zone(mplan_su2_file *file, const mplan_vector *zones, const char *chosen,
                                mplan_error *err)
{
    const int64_t *zone = zones->data;
    if (zones->count == 0) {
        if (chosen && strcmp(chosen, "1") != 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "%s: there is no zone '%.64s', the file has a single mesh",
                              file->scan.path, chosen);
        return MPLAN_OK;
    }
    int64_t z = 0;
    if (chosen)
        while (z < zones->count && !is_zone(mplan_su2_section_at(file, zone[z])->value, chosen))
            z++;
    if (z == zones->count || (!chosen && zones->count > 1))
        return fail_zones(file, zones, chosen, err);
    file->first = zone[z];
    file->last = z + 1 < zones->count ? zone[z + 1] : file->sections.count;
    return MPLAN_OK;
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

/* file->first, last: the sections of the zone. */
mplan_status mplan_su2_pick_zone(mplan_su2_file *file, const char *chosen, mplan_error *err)
{
    mplan_vector zones = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_status status = find_zones(file, &zones, err);
    if (!status)
        status = check_zone_count(file, zones.count, err);
    if (!status)
        status = choose_zone(file, &zones, chosen, err);
    free(zones.data);
    return status;
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

mplan_status mplan_su2_require_section(const mplan_su2_file *file, mplan_su2_key key,
                                       mplan_scanner *value, mplan_error *err)
{
    const mplan_su2_section *found;
    mplan_status status = mplan_su2_find_section(file, key, &found, err);
    if (status)
        return status;
    if (!found) {
        /* all zones may share what stands before the first */
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
