/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - what the command line says on standard error, and exit codes */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define REDRAW_SECONDS 0.1
#define STEADY_SECONDS 1.0 /* of a stage, before rates are told */

/* The sentence is made printable, so that names of files cannot move the cursor. It may be made
 * from err->text itself: it is written last. err may be NULL. */
mplan_status cli_fail(mplan_error *err, mplan_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        char text[MPLAN_ERROR_TEXT];
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        mplan_text_shown(text, err->text, sizeof err->text);
        err->status = status;
    }
    return status;
}

/* A clock that nobody sets; 0 where the system has none, so that times are 0 then. */
double cli_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now))
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Erases the line rather than ending it: what follows is the result. */
void cli_progress_end(cli_listener *listener)
{
    if (listener->line_open)
        fputs("\r\033[K", stderr);
    listener->line_open = false;
}

/* Text goes below a progress line that is open, not behind it. */
void cli_say(cli_listener *listener, const char *text)
{
    cli_progress_end(listener);
    fprintf(stderr, "meshplan: %s\n", text);
}

/* --quiet silences it, too. */
void cli_notice(cli_listener *listener, const char *text)
{
    if (!listener->quiet)
        cli_say(listener, text);
}

/* --quiet silences warnings, never errors. */
void cli_warning(void *user, const char *text)
{
    cli_listener *listener = user;
    if (listener->quiet)
        return;
    cli_progress_end(listener);
    fprintf(stderr, "meshplan: warning: %s\n", text);
}

/* Stages whose `done` and `total` are bytes; those of others are elements or steps, for which a
 * rate says nothing. */
static bool counts_bytes(const char *stage)
{
    return !strcmp(stage, "read") || !strcmp(stage, "inflate") || !strcmp(stage, "write");
}

/* "read  34%, 120 MB/s, 3 s left"; what cannot be known, or is not steady yet, is left out. */
static void draw_line(const char *stage, double seconds, double done, double total)
{
    fprintf(stderr, "\r\033[K%s", stage);
    if (total > 0 && done > 0)
        fprintf(stderr, " %3.0f%%", 100 * done / total);
    else if (done > 0 && counts_bytes(stage))
        fprintf(stderr, " %.0f MB", 1e-6 * done);
    if (seconds >= STEADY_SECONDS && done > 0 && counts_bytes(stage))
        fprintf(stderr, ", %.0f MB/s", 1e-6 * done / seconds);
    if (seconds >= STEADY_SECONDS && done > 0 && total > 0)
        fprintf(stderr, ", %.0f s left", seconds * (total - done) / done);
    else if (seconds >= STEADY_SECONDS && done == 0)
        fprintf(stderr, ", %.0f s", seconds);
    fflush(stderr);
}

/* A terminal gets one line that is redrawn at most ten times a second, a log one line per stage.
 * total: 0 where it is not known; a stage that ends clears its line. A name of a stage is
 * compared by its first 31 letters, those that are kept. */
void cli_progress(void *user, const char *stage, int64_t done, int64_t total)
{
    cli_listener *listener = user;
    if (!listener->draw)
        return;
    if (listener->terminal && total > 0 && done >= total) {
        cli_progress_end(listener); /* results may follow */
        return;
    }
    double now = cli_seconds();
    bool new_stage = strncmp(listener->stage, stage, sizeof listener->stage - 1) != 0;
    if (new_stage) {
        snprintf(listener->stage, sizeof listener->stage, "%s", stage);
        listener->stage_start = now;
    }
    if (!listener->terminal) {
        if (new_stage)
            fprintf(stderr, "meshplan: %s ...\n", stage);
        return;
    }
    if (!new_stage && now - listener->last_drawn < REDRAW_SECONDS)
        return;
    listener->last_drawn = now;
    listener->line_open = true;
    draw_line(stage, now - listener->stage_start, (double)done, (double)total);
}

/* The codes of sysexits(3), and 1 for a file that was read but does not hold. */
int cli_exit_code(mplan_status status)
{
    static const int codes[] = {
        [MPLAN_OK] = 0,
        [MPLAN_ERR_ARGUMENT] = 2,
        [MPLAN_ERR_NO_INPUT] = 66,
        [MPLAN_ERR_FORMAT] = 65,
        [MPLAN_ERR_UNSUPPORTED] = 65,
        [MPLAN_ERR_TOO_NEW] = 65,
        [MPLAN_ERR_CORRUPT] = 65,
        [MPLAN_ERR_MESH] = 65,
        [MPLAN_ERR_DISPROVED] = 1,
        [MPLAN_ERR_OTHER_MESH] = 1,
        [MPLAN_ERR_DIFFERENT] = 1,
        [MPLAN_ERR_MEMORY] = 71,
        [MPLAN_ERR_CREATE] = 73,
        [MPLAN_ERR_IO] = 74,
        [MPLAN_ERR_PARTITIONER] = 70,
        [MPLAN_ERR_INTERRUPTED] = 75,
        [MPLAN_ERR_DEVICE] = 74,
        [MPLAN_ERR_INTERNAL] = 70,
        [MPLAN_ERR_OTHER_REQUEST] = 1,
    };
    if ((size_t)status >= sizeof codes / sizeof *codes)
        return 70;
    return codes[status];
}
