/* SPDX-License-Identifier: Apache-2.0 */
/* box.h - memory of one process where an executor computes, which others of the same host map and store into
 *
 * Of a device: by handles of CUDA's IPC. On the host: nameless memory that others open by the number of its process and
 * descriptor, so that nothing is left behind by a process that is killed. A box begins with random bytes, which its card names,
 * so that who opens it knows that it is the one. */
#ifndef MPLAN_EXEC_BOX_H
#define MPLAN_EXEC_BOX_H

#include "meshplan.h"

enum { MPLAN_BOX_HANDLE = 64, MPLAN_BOX_TOKEN = 16, MPLAN_BOX_HEAD = 128 };

/* What is told to others. */
typedef struct mplan_box_card {
    int64_t bytes; /* of the box; 0: there is none */
    int32_t process, descriptor;
    unsigned char handle[MPLAN_BOX_HANDLE];
    unsigned char token[MPLAN_BOX_TOKEN];
} mplan_box_card;

/* A box that was made here, or opened. */
typedef struct mplan_box {
    char *data; /* what is behind the first MPLAN_BOX_HEAD bytes is the caller's; NULL: none */
    int64_t bytes;
    int32_t descriptor; /* of the process that made it, on the host; else -1 */
    bool on_device, is_own;
} mplan_box;

/* Zeroed memory of the device in use (on_device), or of the host; bytes: for the caller. */
mplan_status mplan_box_make(bool on_device, int64_t bytes, mplan_box *made, mplan_box_card *card,
                            mplan_error *err);
/* That of another process, or of this one on the host. MPLAN_ERR_UNSUPPORTED where it cannot be reached, or is another. */
mplan_status mplan_box_open(bool on_device, const mplan_box_card *card, mplan_box *opened,
                            mplan_error *err);
/* Whatever of it is there; all others must have closed theirs before the process that made it does. */
void mplan_box_close(mplan_box *box);

#endif
