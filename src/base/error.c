/* error.c - status names, error sentences, messages to the caller's context */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    };
    if ((size_t)status >= sizeof names / sizeof *names)
        return "unknown status";
    return names[status];
}

mplan_status mplan_fail(mplan_error *err, mplan_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        err->status = status;
    }
    return status;
}

mplan_status mplan_fail_prefix(mplan_error *err, mplan_status status, const char *prefix)
{
    if (err) {
        char text[MPLAN_ERROR_TEXT];
        memcpy(text, err->text, sizeof text);
        int length = snprintf(err->text, sizeof err->text, "%s: ", prefix);
        if (length > 0 && (size_t)length < sizeof err->text)
            snprintf(err->text + length, sizeof err->text - (size_t)length, "%.*s",
                     (int)(sizeof err->text - (size_t)length - 1), text);
        err->status = status;
    }
    return status;
}

mplan_status mplan_fail_errno(mplan_error *err, mplan_status status, const char *path, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", code);
    return mplan_fail(err, status, "%s: %s", path, reason);
}

void mplan_warn(const mplan_context *context, const char *format, ...)
{
    if (!context || !context->warning)
        return;
    char text[MPLAN_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->warning(context->user, text);
}

void mplan_progress(const mplan_context *context, const char *stage, int64_t done, int64_t total)
{
    if (context && context->progress)
        context->progress(context->user, stage, done, total);
}

mplan_status mplan_may_read(const mplan_context *context, const char *path, mplan_error *err)
{
    return context && context->input ? context->input(context->user, path, err) : MPLAN_OK;
}

mplan_status mplan_interrupted(const mplan_context *context, mplan_error *err)
{
    if (context && context->cancelled && context->cancelled(context->user))
        return mplan_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted");
    return MPLAN_OK;
}

mplan_status mplan_heed(const mplan_context *context, const char *stage, int64_t done,
                        int64_t total, mplan_error *err)
{
    mplan_progress(context, stage, done, total);
    return mplan_interrupted(context, err);
}
