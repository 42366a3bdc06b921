/* SPDX-License-Identifier: Apache-2.0 */
/* option_size.c - option structs of callers that were compiled with an older or a newer header */
#include "base/option_size.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

/* A size above this is not a struct's, but memory that nobody filled; nothing is read there. */
#define MOST_BYTES 4096

/* The caller's struct of `size` bytes at `given` against the `known` bytes of this library's. Structs that
 * begin with a size_t have sizes that are multiples of its own, so no field of theirs is cut. */
static mplan_status check_size(const unsigned char *given, size_t size, size_t known,
                               const char *what, mplan_error *err)
{
    if (size < sizeof(size_t) || size > MOST_BYTES || size % sizeof(size_t) != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s of %zu bytes: struct_size is not set; initialise it with the INIT "
                          "macro",
                          what, size);
    for (size_t i = known; i < size; i++)
        if (given[i])
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "newer options: byte %zu of the %s is set, but this library (%s) "
                              "knows only %zu of their %zu bytes",
                              i, what, mplan_version(), known, size);
    return MPLAN_OK;
}

/* own: the newest struct at its defaults, whose first member is its size; given: a caller's of
 * any age, or NULL. Members that the caller's struct lacks keep their defaults; those that are
 * not known here must be 0. */
mplan_status mplan_options_take(void *own, const void *given, const char *what, mplan_error *err)
{
    assert(own && what);
    if (!given)
        return MPLAN_OK;
    size_t known, size;
    memcpy(&known, own, sizeof known);
    memcpy(&size, given, sizeof size);
    mplan_status status = check_size(given, size, known, what, err);
    if (status)
        return status;
    memcpy(own, given, size < known ? size : known);
    memcpy(own, &known, sizeof known);
    return MPLAN_OK;
}

/* Contexts with a team are the library's own. */
mplan_status mplan_context_check(const mplan_context *context, mplan_error *err)
{
    if (!context || context->struct_size == MPLAN_CONTEXT_WITH_TEAM)
        return MPLAN_OK;
    return check_size((const unsigned char *)context, context->struct_size, sizeof *context,
                      "context", err);
}
