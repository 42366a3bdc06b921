/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - what a caller's context holds, whatever header the caller was compiled with (option_size.h) */
#ifndef MPLAN_CONTEXT_H
#define MPLAN_CONTEXT_H

#include "meshplan.h"

/* The size that mplan_threaded_open gives its own contexts (threads.h), and that no caller's can have. */
#define MPLAN_CONTEXT_WITH_TEAM SIZE_MAX

/* Whether a context, which may be NULL, is long enough to hold a member. */
#define MPLAN_CONTEXT_HAS(context, member) \
    ((context) &&                          \
     (context)->struct_size >= offsetof(mplan_context, member) + sizeof(context)->member)

/* Bytes of memory that a context, which may be NULL, allows; 0: it says nothing of them. */
static inline int64_t mplan_context_memory(const mplan_context *context)
{
    return MPLAN_CONTEXT_HAS(context, max_memory) && context->max_memory > 0 ? context->max_memory
                                                                             : 0;
}

#endif
