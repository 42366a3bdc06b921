/* SPDX-License-Identifier: Apache-2.0 */
/* child_place.h - where the programs of libexec are */
#ifndef MPLAN_CHILD_PLACE_H
#define MPLAN_CHILD_PLACE_H

#include "meshplan.h"

/* Where a program is: $MPLAN_HELPER (a folder, or a program that stands for all), else beside
 * the library or the program that holds it, else as configured. MPLAN_ERR_INTERNAL with the path
 * where it is in none of them. */
mplan_status mplan_child_find(const char *program, char *path, size_t size, mplan_error *err);

#endif
