/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - how a status gets its sentence */
#ifndef MPLAN_ERROR_H
#define MPLAN_ERROR_H

#include "meshplan.h"

/* Fills err (may be NULL) and returns status, so that callers can write
 * `return mplan_fail(err, MPLAN_ERR_MESH, "cell %d ...", c)`. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
mplan_status
mplan_fail(mplan_error *err, mplan_status status, const char *format, ...);

/* "function: argument must not be NULL"; MPLAN_ERR_ARGUMENT */
mplan_status mplan_fail_null(mplan_error *err, const char *function, const char *argument);

/* Ends the function of the interface that it is in, which has an `err`, where the argument is NULL. */
#define MPLAN_NEED(argument)                                  \
    do {                                                      \
        if (!(argument))                                      \
            return mplan_fail_null(err, __func__, #argument); \
    } while (0)

/* Puts "prefix: " before the sentence that err holds; returns its argument. */
mplan_status mplan_fail_prefix(mplan_error *err, mplan_status status, const char *prefix);
/* For data that a caller read from a file: where file is not NULL, its name comes before the message, and an argument that is
 * wrong becomes MPLAN_ERR_MESH. MPLAN_OK stays. */
mplan_status mplan_fail_of_file(mplan_error *err, mplan_status status, const char *file);

/* "path: No such file or directory", for the errno `code`; returns status. */
mplan_status mplan_fail_errno(mplan_error *err, mplan_status status, const char *path, int code);

/* Sends a warning to the context, if it listens. */
#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void mplan_warn(const mplan_context *context, const char *format, ...);

void mplan_progress(const mplan_context *context, const char *stage, int64_t done, int64_t total);

/* Asks the context whether a file may be read. */
mplan_status mplan_may_read(const mplan_context *context, const char *path, mplan_error *err);
/* Tells the context of an output that was left as it is. */
void mplan_unchanged(const mplan_context *context, const char *path);
/* Tells it of a folder that is read, or of a file that would have been read. */
void mplan_looked(const mplan_context *context, const char *path);

/* MPLAN_ERR_INTERRUPTED when the context says that the caller wants to stop. */
mplan_status mplan_interrupted(const mplan_context *context, mplan_error *err);
/* Progress, and whether to stop: what long work calls every 65536 members or so. */
mplan_status mplan_heed(const mplan_context *context, const char *stage, int64_t done,
                        int64_t total, mplan_error *err);

#endif
