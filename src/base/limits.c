/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - how much memory an input may ask for */
#include "base/limits.h"

#include "base/error.h"
#include "base/option_size.h"

/* Compressed data may grow a thousandfold: their size is compared with a limit before
 * they are inflated. */
mplan_status mplan_limit_inflated(const mplan_context *context, const char *path, uint64_t bytes,
                                  mplan_error *err)
{
    bool limited = MPLAN_CONTEXT_HAS(context, max_inflate) && context->max_inflate > 0;
    int64_t most = limited ? context->max_inflate : MPLAN_INFLATE_LIMIT;
    if (bytes > (uint64_t)most)
        return mplan_fail(err, MPLAN_ERR_MEMORY,
                          "%s: the compressed data hold more than %lld bytes; a larger max_inflate "
                          "(--max-inflate) allows them",
                          path, (long long)most);
    int64_t memory = mplan_context_memory(context);
    if (memory && bytes > (uint64_t)memory)
        return mplan_fail(err, MPLAN_ERR_MEMORY,
                          "%s: the compressed data hold more than the memory that may be used (%lld bytes)",
                          path, (long long)memory);
    return MPLAN_OK;
}
