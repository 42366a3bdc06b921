/* SPDX-License-Identifier: Apache-2.0 */
/* same_bytes.h - whether what is there already equals what was written */
#ifndef MPLAN_SAME_BYTES_H
#define MPLAN_SAME_BYTES_H

#include <stdbool.h>

/* Whether the regular file `name` in the open folder holds the bytes of the file made, which can be read and stays
 * where it is. False also where either cannot be read. */
bool mplan_same_bytes(int made, int folder, const char *name);

/* Whether the open folders hold regular files of the same names and bytes, and nothing else. */
bool mplan_same_folders(int made, int old);

#endif
