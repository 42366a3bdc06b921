/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_hold.h - words that tell what a file is, wherever in its first bytes they are */
#ifndef MPLAN_BYTES_HOLD_H
#define MPLAN_BYTES_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the word (not empty) occurs in the `size` bytes at `data`. Linear time. */
static inline bool mplan_bytes_hold(const void *data, size_t size, const char *word)
{
    const size_t length = strlen(word);
    const char *at = data, *end = at + size;
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, word[0], (size_t)(end - at) - length + 1);
        if (!at)
            return false;
        if (memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

#endif
