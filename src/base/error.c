/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - status names, error sentences, messages to the caller's context */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/number_text.h"

/* Words for people, by number; numbers themselves never change (meshplan.h). */
const char *mplan_status_name(mplan_status status)
{
    static const char *const names[] = {
        [MPLAN_OK] = "done",
        [MPLAN_ERR_ARGUMENT] = "invalid argument",
        [MPLAN_ERR_NO_INPUT] = "no input",
        [MPLAN_ERR_FORMAT] = "not a known format",
        [MPLAN_ERR_UNSUPPORTED] = "not supported",
        [MPLAN_ERR_TOO_NEW] = "newer than this reader",
        [MPLAN_ERR_CORRUPT] = "damaged",
        [MPLAN_ERR_MESH] = "invalid mesh",
        [MPLAN_ERR_DISPROVED] = "disproved",
        [MPLAN_ERR_OTHER_MESH] = "for another mesh",
        [MPLAN_ERR_DIFFERENT] = "different",
        [MPLAN_ERR_MEMORY] = "out of memory",
        [MPLAN_ERR_CREATE] = "cannot create",
        [MPLAN_ERR_IO] = "input or output failed",
        [MPLAN_ERR_PARTITIONER] = "partitioner failed",
        [MPLAN_ERR_INTERRUPTED] = "interrupted",
        [MPLAN_ERR_DEVICE] = "device failed",
        [MPLAN_ERR_INTERNAL] = "internal fault",
        [MPLAN_ERR_OTHER_REQUEST] = "for another request",
    };
    if ((size_t)status >= sizeof names / sizeof *names)
        return "unknown status";
    return names[status];
}

/* Formats in the C locale, so that numbers read the same everywhere, and escapes what
 * terminals would interpret. err may be NULL; returns status. */
mplan_status mplan_fail(mplan_error *err, mplan_status status, const char *format, ...)
{
    if (err) {
        char text[MPLAN_ERROR_TEXT];
        va_list args;
        va_start(args, format);
        mplan_text_format_list(text, sizeof text, format, args);
        va_end(args);
        mplan_text_shown(text, err->text, sizeof err->text);
        err->status = status;
    }
    return status;
}

mplan_status mplan_fail_null(mplan_error *err, const char *function, const char *argument)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: %s must not be NULL", function, argument);
}

/* Puts "prefix: " before the message that err holds. */
mplan_status mplan_fail_prefix(mplan_error *err, mplan_status status, const char *prefix)
{
    if (err) {
        char text[MPLAN_ERROR_TEXT];
        memcpy(text, err->text, sizeof text);
        size_t length = mplan_text_shown(prefix, err->text, sizeof err->text - 2);
        memcpy(err->text + length, ": ", 3);
        mplan_text_shown(text, err->text + length + 2, sizeof err->text - length - 2);
        err->status = status;
    }
    return status;
}

mplan_status mplan_fail_of_file(mplan_error *err, mplan_status status, const char *file)
{
    if (!file || (status != MPLAN_ERR_ARGUMENT && status != MPLAN_ERR_MESH))
        return status;
    return mplan_fail_prefix(err, MPLAN_ERR_MESH, file);
}

/* code: of errno, kept by the caller before anything else could change it. */
mplan_status mplan_fail_errno(mplan_error *err, mplan_status status, const char *path, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", code);
    return mplan_fail(err, status, "%s: %s", path, reason);
}

/* One line without an end, made printable. context may be NULL. */
void mplan_warn(const mplan_context *context, const char *format, ...)
{
    if (!MPLAN_CONTEXT_HAS(context, user) || !context->warning)
        return;
    char text[MPLAN_ERROR_TEXT], shown[MPLAN_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    mplan_text_format_list(text, sizeof text, format, args);
    va_end(args);
    mplan_text_shown(text, shown, sizeof shown);
    context->warning(context->user, shown);
}

void mplan_progress(const mplan_context *context, const char *stage, int64_t done, int64_t total)
{
    if (MPLAN_CONTEXT_HAS(context, user) && context->progress)
        context->progress(context->user, stage, done, total);
}

/* Asks the context's owner, where it wants to be asked, before a file is opened. */
mplan_status mplan_may_read(const mplan_context *context, const char *path, mplan_error *err)
{
    bool asks = MPLAN_CONTEXT_HAS(context, input) && context->input;
    return asks ? context->input(context->user, path, err) : MPLAN_OK;
}

/* Tells the context's owner of an output that was left as it is. */
void mplan_unchanged(const mplan_context *context, const char *path)
{
    if (MPLAN_CONTEXT_HAS(context, unchanged) && context->unchanged)
        context->unchanged(context->user, path);
}

/* Tells the context's owner of a folder, or of a file that is not there. */
void mplan_looked(const mplan_context *context, const char *path)
{
    if (MPLAN_CONTEXT_HAS(context, looked) && context->looked)
        context->looked(context->user, path);
}

/* Whether the context's owner wants the call to end. */
mplan_status mplan_interrupted(const mplan_context *context, mplan_error *err)
{
    if (MPLAN_CONTEXT_HAS(context, user) && context->cancelled && context->cancelled(context->user))
        return mplan_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted");
    return MPLAN_OK;
}

/* Both at once, in loops: says how far it is, then asks whether to go on. */
mplan_status mplan_heed(const mplan_context *context, const char *stage, int64_t done,
                        int64_t total, mplan_error *err)
{
    mplan_progress(context, stage, done, total);
    return mplan_interrupted(context, err);
}
