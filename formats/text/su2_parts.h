/* SPDX-License-Identifier: Apache-2.0 */
/* su2_parts.h - what the files of the SU2 reader share
 *
 * su2.c        points, elements, markers
 * su2_lines.c  lines, comments and numbers
 * su2_write.c  the writer
 * su2_zones.c  which sections there are, and which zone they belong to */
#ifndef MPLAN_SU2_PARTS_H
#define MPLAN_SU2_PARTS_H

#include "base/memory.h"
#include "formats/scan.h"

typedef enum mplan_su2_key {
    MPLAN_SU2_KEY_OTHER,
    MPLAN_SU2_KEY_NZONE,
    MPLAN_SU2_KEY_IZONE,
    MPLAN_SU2_KEY_NDIME,
    MPLAN_SU2_KEY_NELEM,
    MPLAN_SU2_KEY_NPOIN,
    MPLAN_SU2_KEY_NMARK,
    MPLAN_SU2_KEY_TAG,
    MPLAN_SU2_KEY_MARKER_ELEMS,
    MPLAN_SU2_N_KEYS
} mplan_su2_key;

enum { MPLAN_SU2_NAME = 256 }; /* bytes of a marker's name */

/* A line KEY= VALUE; `value` is behind the sign. */
typedef struct mplan_su2_section {
    mplan_su2_key key;
    bool repeated; /* a MARKER_TAG that another zone has too */
    mplan_scanner value;
} mplan_su2_section;

/* Sections of known keys in the order of the file; those of the zone that is
 * read are [first, last). */
typedef struct mplan_su2_file {
    mplan_scanner scan; /* at the beginning of the file */
    mplan_vector sections;
    mplan_vector zones; /* int64_t: sections IZONE of the zones that are read */
    int64_t n_zones;    /* that are read; 1 where the file has no IZONE */
    int64_t first, last;
} mplan_su2_file;

static inline const mplan_su2_section *mplan_su2_section_at(const mplan_su2_file *file, int64_t i)
{
    return (const mplan_su2_section *)file->sections.data + i;
}

/* --- lines --- */

/* "NDIME" */
const char *mplan_su2_key_name(mplan_su2_key key);
/* To the next character that is neither white space nor comment. */
bool mplan_su2_skip_to_content(mplan_scanner *scan);
/* True when nothing but a comment is left on the line. */
bool mplan_su2_content_ends(mplan_scanner *scan);
/* True for what a key may begin with, and no number does. */
bool mplan_su2_is_letter(char c);
/* The key of a line KEY= VALUE, and `scan` moved behind the sign; false with
 * `scan` unmoved when the line is none. */
bool mplan_su2_take_key(mplan_scanner *scan, mplan_su2_key *key);
/* A number on this line. */
mplan_status mplan_su2_i64(mplan_scanner *scan, const char *what, int64_t *value, mplan_error *err);
mplan_status mplan_su2_f64(mplan_scanner *scan, const char *what, double *value, mplan_error *err);
/* A count, of things that take at least `bytes` each of what is left of the file. */
mplan_status mplan_su2_count(mplan_scanner *scan, const char *what, int64_t bytes, int64_t *count,
                             mplan_error *err);
/* The name of a marker: the rest of the line without blanks around it. */
mplan_status mplan_su2_tag(mplan_scanner *scan, char name[MPLAN_SU2_NAME], mplan_error *err);
/* To the next line of a list of `count`, of which `done` are read. */
mplan_status mplan_su2_next_row(mplan_scanner *scan, const char *what, int64_t done, int64_t count,
                                mplan_error *err);
/* A list must be followed by a section or the end, not by more rows. */
mplan_status mplan_su2_list_ends(mplan_scanner *scan, const char *what, int64_t count,
                                 mplan_error *err);

/* --- sections --- */

/* Fills file->sections, which the caller releases. Lines below keys that are not known are skipped. */
mplan_status mplan_su2_find_sections(mplan_su2_file *file, const mplan_context *context,
                                     mplan_error *err);
/* Which zones are read: file->zones, which the caller releases, and n_zones. chosen: the number
 * of a zone, "all", or NULL, which is all with a notice. */
mplan_status mplan_su2_pick_zones(mplan_su2_file *file, const char *chosen,
                                  const mplan_context *context, mplan_error *err);
/* Narrows [first, last) to zone z of those that are read. */
void mplan_su2_enter_zone(mplan_su2_file *file, int64_t z);
/* The number behind IZONE= of the zone that was entered; 0 without one. */
int64_t mplan_su2_zone_number(const mplan_su2_file *file);
/* Adds the zone that was entered to a name: wall, wall_zone_2; a bare zone becomes zone_2. */
void mplan_su2_name_by_zone(const mplan_su2_file *file, char name[MPLAN_SU2_NAME]);
/* The one section of a key in the zone; NULL without one. */
mplan_status mplan_su2_find_section(const mplan_su2_file *file, mplan_su2_key key,
                                    const mplan_su2_section **found, mplan_error *err);
/* The same, but it must be there; NDIME may be before all zones. */
mplan_status mplan_su2_require_section(const mplan_su2_file *file, mplan_su2_key key,
                                       mplan_scanner *value, mplan_error *err);

/* --- su2_write.c --- */

mplan_status mplan_su2_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

#endif
