/* SPDX-License-Identifier: Apache-2.0 */
/* option_size.h - option structs of callers that were compiled with an older or a newer header
 *
 * Every option struct and mplan_context begins with its size, as the caller's compiler knew it. meshplan-library(3)
 * says what may change: fields are only added at the end, and 0 is the default of what was added. */
#ifndef MPLAN_OPTION_SIZE_H
#define MPLAN_OPTION_SIZE_H

#include "base/context.h"

/* Brings a caller's options into `own`, which holds the values of the INIT macro.
 *
 * own    the struct as this library knows it; what the caller's is too short for keeps its value
 * given  the caller's struct, which begins with its size; NULL: own stays as it is
 * what   "plan options", for messages
 *
 * MPLAN_ERR_ARGUMENT for a size that options cannot have, and for bytes beyond what this library
 * knows that are not zero: "newer options". own is then as it was. */
mplan_status mplan_options_take(void *own, const void *given, const char *what, mplan_error *err);

/* The same for a context, which is read where it is: NULL is allowed. */
mplan_status mplan_context_check(const mplan_context *context, mplan_error *err);

/* Ends the function of the interface that it is in, which has an `err`, where the context cannot be taken. */
#define MPLAN_NEED_CONTEXT(context)                                      \
    do {                                                                 \
        mplan_status context_status = mplan_context_check(context, err); \
        if (context_status != MPLAN_OK)                                  \
            return context_status;                                       \
    } while (0)

#endif
