/* SPDX-License-Identifier: Apache-2.0 */
/* child_words.h - what a program of libexec says, heard without believing it */
#ifndef MPLAN_CHILD_WORDS_H
#define MPLAN_CHILD_WORDS_H

#include "base/child.h"

/* Frames so far. Zero-initialise. */
typedef struct mplan_child_words {
    mplan_child_frame frame; /* that is being heard; `used` bytes of it are there */
    size_t used;
    int64_t n;                 /* warnings */
    bool done, failed, broken; /* broken: what it said is not a frame, or too much */
    int signal, no_memory;     /* its last word; 0: none */
    mplan_error error;         /* when failed */
} mplan_child_words;

/* Hears bytes; warnings and progress go on to the context. True when a frame was whole. */
bool mplan_child_words_feed(mplan_child_words *words, const char *bytes, size_t n,
                            const mplan_context *context);

/* The last line of a stream that held something. Invariant: line[0 .. used) is the unfinished
 * line, last the one before it. Zero-initialise. */
enum { MPLAN_LINE_ROOM = 256 };
/* The last complete line of a stream, and the one that is being read. */
typedef struct mplan_last_line {
    char line[MPLAN_LINE_ROOM], last[MPLAN_LINE_ROOM];
    size_t used;
} mplan_last_line;
void mplan_last_line_feed(mplan_last_line *text, const char *bytes, size_t n);
void mplan_last_line_end(mplan_last_line *text);

#endif
