/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - where an output goes: a folder that is open and a name in it
 *
 * The one rule for links: a symbolic link anywhere in a path is followed, also one that leads to nothing yet,
 * and the output is made in the folder that it leads to, so that the link stays a link. A link in a folder that
 * all may write and that is sticky (such as /tmp) is followed only where it belongs to this user or to the
 * owner of the folder, whatever fs.protected_symlinks says. */
#ifndef MPLAN_PLACE_H
#define MPLAN_PLACE_H

#include <sys/stat.h>

#include "meshplan.h"

/* Where an output goes: a name in an open folder, and what is there now. */
typedef struct mplan_place {
    int folder;        /* open, owned; -1: none */
    char name[256];    /* in folder */
    bool exists;       /* and then: */
    bool unnamed;      /* a descriptor of /proc/PID/fd that no path leads to, such as a pipe */
    struct stat about; /* never of a link */
} mplan_place;

/* folder: path names a folder, and may end in slashes. MPLAN_ERR_CREATE where there can be no such output: no
 * folder to hold it, a foreign link, a name that is missing, "." or "..". Close with mplan_place_close. */
mplan_status mplan_place_find(const char *path, bool folder, mplan_place *place, mplan_error *err);
void mplan_place_close(mplan_place *place);

/* MPLAN_ERR_CREATE when what is there may not be written (mode 0444 as well, for everybody), or belongs to
 * another user in a sticky folder that all may write. */
mplan_status mplan_place_check(const mplan_place *place, const char *path, mplan_error *err);

#endif
