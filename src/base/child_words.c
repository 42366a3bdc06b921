/* SPDX-License-Identifier: Apache-2.0 */
/* child_words.c - frames and lines of a program that may say anything */
#include "base/child_words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { MOST_WARNINGS = 10000, HEAD = offsetof(mplan_child_frame, data) };

/* A line is complete: it becomes `last` unless it is empty. */
void mplan_last_line_end(mplan_last_line *text)
{
    if (text->used > 0) {
        memcpy(text->last, text->line, text->used);
        text->last[text->used] = '\0';
    }
    text->used = 0;
}

/* Control characters become blanks, and lines longer than the buffer are cut. */
void mplan_last_line_feed(mplan_last_line *text, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n' || c == '\r')
            mplan_last_line_end(text);
        else if (text->used < MPLAN_LINE_ROOM - 1)
            text->line[text->used++] = (char)(c < ' ' || c == 127 ? ' ' : c);
    }
}

/* The text behind `skip` bytes of a frame; empty where there is none. */
static void text_of(const mplan_child_frame *frame, size_t skip, char text[MPLAN_ERROR_TEXT])
{
    size_t n = frame->length > skip ? frame->length - skip : 0;
    n = n < MPLAN_ERROR_TEXT - 1 ? n : MPLAN_ERROR_TEXT - 1;
    if (n > 0)
        memcpy(text, frame->data + skip, n);
    text[n] = '\0';
}

/* What a program may fail with: never with a verdict about a plan, or with success. */
static bool may_fail_with(int32_t status)
{
    switch ((mplan_status)status) {
    case MPLAN_ERR_ARGUMENT:
    case MPLAN_ERR_FORMAT:
    case MPLAN_ERR_UNSUPPORTED:
    case MPLAN_ERR_CORRUPT:
    case MPLAN_ERR_MESH:
    case MPLAN_ERR_MEMORY:
    case MPLAN_ERR_IO:
    case MPLAN_ERR_PARTITIONER:
    case MPLAN_ERR_INTERNAL: return true;
    default: return false;
    }
}

/* Two counts and the name of the stage, which may hold lower-case letters and blanks
 * only: it goes to the user's terminal. */
static void take_progress(mplan_child_words *words, const mplan_context *context)
{
    int64_t counts[2];
    char stage[MPLAN_ERROR_TEXT];
    if (words->frame.length < sizeof counts) {
        words->broken = true;
        return;
    }
    memcpy(counts, words->frame.data, sizeof counts);
    text_of(&words->frame, sizeof counts, stage);
    bool word = strlen(stage) < 32 && strspn(stage, "abcdefghijklmnopqrstuvwxyz ") == strlen(stage);
    if (word && counts[0] >= 0 && counts[1] >= 0)
        mplan_progress(context, stage, counts[0], counts[1]);
    else
        words->broken = true;
}

/* An error with its text, or the number of a signal that the child caught. Numbers out
 * of range are replaced, not trusted. */
static void take_end(mplan_child_words *words)
{
    int32_t number[2] = {0, 0};
    size_t n = words->frame.kind == MPLAN_SAYS_SIGNAL ? sizeof number : sizeof *number;
    if (words->frame.length < n) {
        words->broken = true;
        return;
    }
    memcpy(number, words->frame.data, n);
    if (words->frame.kind == MPLAN_SAYS_SIGNAL) {
        words->signal = number[0] > 0 && number[0] < 128 ? number[0] : 127;
        words->no_memory = number[1] != 0;
        return;
    }
    words->failed = true;
    words->error.status = may_fail_with(number[0]) ? (mplan_status)number[0] : MPLAN_ERR_CORRUPT;
    text_of(&words->frame, sizeof *number, words->error.text);
}

/* One whole message. More warnings than MOST_WARNINGS, or an unknown kind, count as
 * broken. */
static void take(mplan_child_words *words, const mplan_context *context)
{
    char text[MPLAN_ERROR_TEXT];
    switch (words->frame.kind) {
    case MPLAN_SAYS_WARNING:
        text_of(&words->frame, 0, text);
        words->broken = words->broken || ++words->n > MOST_WARNINGS;
        if (!words->broken)
            mplan_warn(context, "%s", text);
        break;
    case MPLAN_SAYS_PROGRESS: take_progress(words, context); break;
    case MPLAN_SAYS_ERROR:
    case MPLAN_SAYS_SIGNAL: take_end(words); break;
    case MPLAN_SAYS_DONE: words->done = true; break;
    default: words->broken = true;
    }
}

/* Bytes come in pieces of any size; words->frame collects one message. Returns whether
 * a whole one was taken. */
bool mplan_child_words_feed(mplan_child_words *words, const char *bytes, size_t n,
                            const mplan_context *context)
{
    bool whole = false;
    while (n > 0 && !words->broken) {
        size_t wanted = words->used < HEAD ? HEAD : HEAD + (size_t)words->frame.length;
        size_t some = wanted - words->used < n ? wanted - words->used : n;
        memcpy((char *)&words->frame + words->used, bytes, some);
        words->used += some;
        bytes += some;
        n -= some;
        if (words->used < HEAD)
            break;
        if (words->frame.zero || words->frame.length > sizeof words->frame.data)
            words->broken = true;
        else if (words->used == HEAD + (size_t)words->frame.length) {
            take(words, context);
            words->used = 0;
            whole = true;
        }
    }
    return whole;
}
