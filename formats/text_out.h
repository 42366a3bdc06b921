/* SPDX-License-Identifier: Apache-2.0 */
/* text_out.h - text files of numbers as writers of formats make them */
#ifndef MPLAN_TEXT_OUT_H
#define MPLAN_TEXT_OUT_H

#include "formats/format.h"

/* Numbers end in a blank, which the end of a row replaces. The first failure stays in
 * `status` and what follows is dropped. */
typedef struct mplan_text_out {
    mplan_output *output;
    const mplan_context *context; /* may interrupt */
    mplan_error *err;
    mplan_status status;
    char *buffer;
    size_t used;
} mplan_text_out;

mplan_status mplan_text_begin(mplan_text_out *out, mplan_output *output,
                              const mplan_context *context, mplan_error *err);
/* Writes what is left and releases the buffer. */
mplan_status mplan_text_end(mplan_text_out *out);

void mplan_text_put(mplan_text_out *out, const char *text);
/* Bytes as they are, for binary files. */
void mplan_text_bytes(mplan_text_out *out, const void *data, size_t size);
void mplan_text_int(mplan_text_out *out, int64_t value);
/* The shortest of six decimals and 15 to 17 digits that reads back as value. */
void mplan_text_real(mplan_text_out *out, double value);
mplan_status mplan_text_row(mplan_text_out *out);
/* Text in the place of the blank behind the last number. */
void mplan_text_join(mplan_text_out *out, const char *text);

#endif
