/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_agree.c - what ranks of several processes say of themselves before they share memory, and whether all are well
 *
 * Every rank reads the same words of all, in the same order, and so decides the same. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts_direct.h"

/* A rank's word of its own state. */
static mplan_rank_word word_of(mplan_status status, const mplan_error *why)
{
    mplan_rank_word word = {.status = (int32_t)status, .text = ""};
    if (status)
        snprintf(word.text, sizeof word.text, "%.*s", (int)sizeof word.text - 1, why->text);
    return word;
}

/* What the first rank that failed says, and why; MPLAN_OK: none has. */
static mplan_status first_failure(const mplan_rank_word *word, size_t stride, int32_t ranks,
                                  char *reason, size_t size)
{
    for (int32_t r = 0; r < ranks; r++) {
        const mplan_rank_word *of = (const void *)((const char *)word + (size_t)r * stride);
        if (of->status) {
            snprintf(reason, size, "rank %d failed: %s", (int)r, of->text);
            return (mplan_status)of->status;
        }
    }
    return MPLAN_OK;
}

/* Others would wait for what this rank was to send, and cannot. */
static void tell_of(mplan_exec_parts *parts, mplan_status status, const char *reason)
{
    const mplan_transport *transport = &parts->transport;
    if (!transport->tell || (transport->told && transport->told(transport->user, NULL)))
        return;
    parts->has_told = true;
    transport->tell(transport->user, status, *reason ? reason : mplan_status_name(status));
}

/* n bytes of each rank; also told of where the transport itself fails on one rank. */
mplan_status mplan_exec_parts_gather(mplan_exec_parts *parts, const void *mine, int64_t n,
                                     void *all, mplan_error *err)
{
    assert(parts && mine && all);
    const mplan_transport *transport = &parts->transport;
    mplan_error late;
    err = err ? err : &late;
    err->text[0] = '\0';
    const mplan_status status = transport->all_gather(transport->user, mine, n, all, err);
    if (status)
        tell_of(parts, status, err->text);
    return status;
}

/* With so many ranks or fewer a rank without memory can take part. */
enum { FEW = 4096 };

/* n bytes of each rank. few: room for FEW bytes, which is used where it is enough. *all: what all have; NULL after a failure. To be
 * released by drop(). */
static mplan_status gather_few(mplan_exec_parts *parts, const void *mine, int64_t n,
                               unsigned char *few, unsigned char **all, mplan_error *err)
{
    mplan_error late;
    err = err ? err : &late;
    *all = parts->ranks * n <= FEW ? few : mplan_alloc(parts->ranks * n, 1, err);
    if (*all)
        return mplan_exec_parts_gather(parts, mine, n, *all, err);
    tell_of(parts, MPLAN_ERR_MEMORY, err->text);
    return MPLAN_ERR_MEMORY;
}

static void drop(unsigned char *all, const unsigned char *few)
{
    if (all != few)
        free(all);
}

mplan_status mplan_exec_parts_first(mplan_exec_parts *parts, unsigned char mine, int32_t *rank,
                                    unsigned char *said, mplan_error *err)
{
    assert(parts && rank && said);
    unsigned char few[FEW], *all;
    mplan_status status = gather_few(parts, &mine, 1, few, &all, err);
    *rank = -1;
    *said = 0;
    for (int32_t r = 0; r < parts->ranks && !status && *rank < 0; r++)
        if (all[r]) {
            *rank = r;
            *said = all[r];
        }
    drop(all, few);
    return status;
}

/* The sentence of a rank, piece by piece, since many ranks have little room; text: the own one at first. All ranks together. */
static mplan_status hear(mplan_exec_parts *parts, int32_t rank, char text[MPLAN_ERROR_TEXT],
                         mplan_error *err)
{
    const int64_t fits = FEW / parts->ranks, piece = fits < 1                  ? 1
                                                     : fits > MPLAN_ERROR_TEXT ? MPLAN_ERROR_TEXT
                                                                               : fits;
    mplan_status status = MPLAN_OK;
    for (int64_t at = 0; at < MPLAN_ERROR_TEXT && !status; at += piece) {
        unsigned char few[FEW], *all;
        char mine[MPLAN_ERROR_TEXT] = "";
        const int64_t n = at + piece <= MPLAN_ERROR_TEXT ? piece : MPLAN_ERROR_TEXT - at;
        memcpy(mine, text + at, (size_t)n);
        status = gather_few(parts, mine, n, few, &all, err);
        if (!status)
            memcpy(text + at, all + rank * n, (size_t)n);
        drop(all, few);
    }
    text[MPLAN_ERROR_TEXT - 1] = '\0';
    return status;
}

/* What all do where rank `rank` is the first that failed, with the status `said`. */
static mplan_status fail_together(mplan_exec_parts *parts, mplan_status own, int32_t rank,
                                  unsigned char said, mplan_error *err)
{
    char text[MPLAN_ERROR_TEXT] = "";
    mplan_error late;
    if (own)
        snprintf(text, sizeof text, "%s", err && *err->text ? err->text : mplan_status_name(own));
    const mplan_status status = hear(parts, rank, text, own ? &late : err);
    return own      ? own
           : status ? status
                    : mplan_fail(err, (mplan_status)said, "rank %d failed: %s", (int)rank, text);
}

mplan_status mplan_exec_parts_all_here(mplan_exec_parts *parts, mplan_status own, mplan_error *err)
{
    assert(parts);
    int32_t rank;
    unsigned char said;
    mplan_error late;
    const mplan_status status = mplan_exec_parts_first(parts, (unsigned char)own, &rank, &said,
                                                       own ? &late : err);
    if (status || rank < 0)
        return own ? own : status;
    return fail_together(parts, own, rank, said, err);
}

mplan_status mplan_exec_parts_open_together(mplan_exec_parts *parts, mplan_status own, bool slabs,
                                            mplan_error *err)
{
    assert(parts);
    if (parts->ranks < 2)
        return own;
    int32_t rank;
    unsigned char said;
    mplan_status status = mplan_exec_parts_all_here(parts, own, err);
    if (!status)
        status = mplan_exec_parts_first(parts, slabs, &rank, &said, err);
    const bool any = !status && rank >= 0;
    if (any)
        status = mplan_exec_parts_first(parts, !slabs, &rank, &said, err);
    return !any || status || rank < 0
               ? status
               : mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "parts of some ranks have slabs and those of rank %d have none; meshplan verify says "
                            "more",
                            (int)rank);
}

mplan_status mplan_exec_parts_agree(mplan_exec_parts *parts, mplan_status own, const mplan_error *why,
                                    mplan_status *said, char *reason, size_t size, mplan_error *err)
{
    assert(parts && parts->direct && why && said && reason);
    const mplan_rank_word mine = word_of(own, why);
    mplan_rank_word *all = &parts->direct->said->word; /* they are shorter than cards, one behind the other */
    mplan_status status = mplan_exec_parts_gather(parts, &mine, sizeof mine, all, err);
    *said = status ? MPLAN_OK : first_failure(all, sizeof *all, parts->ranks, reason, size);
    return status;
}

mplan_status mplan_exec_parts_all_well(mplan_exec_parts *parts, mplan_status own, mplan_error *err)
{
    assert(parts);
    char reason[MPLAN_ERROR_TEXT] = "";
    mplan_status said = MPLAN_OK;
    mplan_error none = {MPLAN_OK, ""}, late;
    const mplan_status status = mplan_exec_parts_agree(parts, own, err ? err : &none, &said, reason,
                                                       sizeof reason, own ? &late : err);
    return own ? own : status || !said ? status : mplan_fail(err, said, "%s", reason);
}

/* --- who is where ------------------------------------------------------------------------- */

static void tell_host(mplan_rank_card *card)
{
    if (gethostname(card->host, sizeof card->host - 1))
        snprintf(card->host, sizeof card->host, "?");
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && fgets(card->boot, sizeof card->boot, file))
        card->boot[strcspn(card->boot, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* Whether two ranks may be on one host: what they cannot reach shows later. */
static bool is_same_host(const mplan_rank_card *a, const mplan_rank_card *b)
{
    return *a->boot && *b->boot ? strcmp(a->boot, b->boot) == 0 : strcmp(a->host, b->host) == 0;
}

/* Of two ranks, q below r. */
static bool can_share(const mplan_rank_card *all, int32_t q, int32_t r, char *reason, size_t size)
{
    const mplan_rank_card *a = &all[q], *b = &all[r];
    if (!is_same_host(a, b))
        snprintf(reason, size, "ranks %d and %d are on different hosts, %s and %s", (int)q, (int)r,
                 a->host, b->host);
    else if (a->executor != b->executor)
        snprintf(reason, size, "ranks %d and %d have different executors", (int)q, (int)r);
    else if (a->executor == MPLAN_EXECUTOR_CUDA && strcmp(a->place, b->place) == 0)
        snprintf(reason, size, "ranks %d and %d are both on the device %s of %s", (int)q, (int)r,
                 a->place, a->host);
    else
        return true;
    return false;
}

/* reason: "" where nothing is in the way. */
mplan_status mplan_exec_parts_meet(mplan_exec_parts *parts, mplan_status own, const mplan_error *why,
                                   const mplan_box_card *words, mplan_box_card *all_words,
                                   int32_t *devices, char *reason, size_t size, mplan_error *err)
{
    assert(parts && parts->direct && why && words && all_words && devices && reason);
    const mplan_exec *exec = mplan_exec_parts_exec(parts, 0);
    mplan_rank_card mine;
    mplan_error late = *why;
    memset(&mine, 0, sizeof mine);
    mine.executor = (int32_t)exec->executor;
    mine.device = exec->device;
    mine.words = *words;
    tell_host(&mine);
    if (!own && exec->executor == MPLAN_EXECUTOR_CUDA)
        own = mplan_gpu_place(exec->device, mine.place, &late);
    mine.word = word_of(own, &late);
    mplan_rank_card *all = parts->direct->said;
    mplan_status status = mplan_exec_parts_gather(parts, &mine, sizeof mine, all, err);
    *reason = '\0';
    bool good = !status && !first_failure(&all->word, sizeof *all, parts->ranks, reason, size);
    for (int32_t r = 0; r < parts->ranks && good; r++)
        for (int32_t q = 0; q < r && good; q++)
            good = can_share(all, q, r, reason, size);
    for (int32_t r = 0; r < parts->ranks && !status; r++) {
        all_words[r] = all[r].words;
        devices[r] = all[r].device;
    }
    return status;
}
