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

/* The first rank that failed, and why. */
static bool are_well(const mplan_rank_word *word, size_t stride, int32_t ranks, char *reason,
                     size_t size)
{
    for (int32_t r = 0; r < ranks; r++) {
        const mplan_rank_word *of = (const void *)((const char *)word + (size_t)r * stride);
        if (of->status) {
            snprintf(reason, size, "rank %d: %s", (int)r, of->text);
            return false;
        }
    }
    return true;
}

/* Ranks of one host are fewer than FEW: then one without memory can say so. */
mplan_status mplan_exec_parts_first(const mplan_exec_parts *parts, unsigned char mine,
                                    int32_t *rank, unsigned char *said, mplan_error *err)
{
    assert(parts && rank && said);
    enum { FEW = 4096 };
    unsigned char few[FEW], *all = parts->ranks <= FEW ? few : mplan_alloc(parts->ranks, 1, err);
    mplan_status status = all ? parts->transport.all_gather(parts->transport.user, &mine, 1, all, err)
                              : MPLAN_ERR_MEMORY;
    *rank = -1;
    *said = 0;
    for (int32_t r = 0; r < parts->ranks && !status && *rank < 0; r++)
        if (all[r]) {
            *rank = r;
            *said = all[r];
        }
    if (all != few)
        free(all);
    return status;
}

mplan_status mplan_exec_parts_all_here(const mplan_exec_parts *parts, mplan_status own,
                                       mplan_error *err)
{
    assert(parts);
    int32_t rank;
    unsigned char said;
    const mplan_status status = mplan_exec_parts_first(parts, (unsigned char)own, &rank, &said,
                                                       own ? NULL : err);
    return own        ? own
           : status   ? status
           : rank < 0 ? MPLAN_OK
                      : mplan_fail(err, MPLAN_ERR_DEVICE, "rank %d cannot open its parts: %s",
                                   (int)rank, mplan_status_name((mplan_status)said));
}

mplan_status mplan_exec_parts_agree(const mplan_exec_parts *parts, mplan_status own,
                                    const mplan_error *why, bool *good, char *reason, size_t size,
                                    mplan_error *err)
{
    assert(parts && parts->direct && why && good && reason);
    const mplan_rank_word mine = word_of(own, why);
    mplan_rank_word *all = &parts->direct->said->word; /* they are shorter than cards, one behind the other */
    mplan_status status = parts->transport.all_gather(parts->transport.user, &mine, sizeof mine,
                                                      all, err);
    *good = !status && are_well(all, sizeof *all, parts->ranks, reason, size);
    return status;
}

mplan_status mplan_exec_parts_all_well(const mplan_exec_parts *parts, mplan_status own,
                                       mplan_error *err)
{
    assert(parts);
    char reason[MPLAN_ERROR_TEXT] = "";
    bool good = false;
    mplan_error none = {MPLAN_OK, ""}, late;
    const mplan_status status = mplan_exec_parts_agree(parts, own, err ? err : &none, &good, reason,
                                                       sizeof reason, own ? &late : err);
    return own      ? own
           : status ? status
           : good   ? MPLAN_OK
                    : mplan_fail(err, MPLAN_ERR_DEVICE, "%s", reason);
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
mplan_status mplan_exec_parts_meet(const mplan_exec_parts *parts, mplan_status own,
                                   const mplan_error *why, const mplan_box_card *words,
                                   mplan_box_card *all_words, int32_t *devices, char *reason,
                                   size_t size, mplan_error *err)
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
    mplan_status status = parts->transport.all_gather(parts->transport.user, &mine, sizeof mine,
                                                      all, err);
    *reason = '\0';
    bool good = !status && are_well(&all->word, sizeof *all, parts->ranks, reason, size);
    for (int32_t r = 0; r < parts->ranks && good; r++)
        for (int32_t q = 0; q < r && good; q++)
            good = can_share(all, q, r, reason, size);
    for (int32_t r = 0; r < parts->ranks && !status; r++) {
        all_words[r] = all[r].words;
        devices[r] = all[r].device;
    }
    return status;
}
