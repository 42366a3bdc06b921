/* SPDX-License-Identifier: Apache-2.0 */
/* halo_rows.c - members of a dat into a message, out of one, and from dat to dat */
#include "exec/ranks/halo_rows.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"

/* --- what a move is of ---------------------------------------------------------------- */

/* The whole dat as one end of a move: where member 0, level 0, component 0 is, and the strides, in numbers. */
static mplan_move_end end_of_dat(const mplan_exec_dat *dat)
{
    mplan_move_end end = {.data = dat->data};
    int64_t member;
    mplan_exec_strides(dat, &member, &end.component);
    end.member = member * dat->column_stride;
    end.level = member * dat->level_stride;
    return end;
}

/* Rows one behind the other: level by level, dim numbers of each. */
static mplan_move_end end_of_message(void *message, const mplan_exec_dat *dat, int64_t n)
{
    return (mplan_move_end){.data = message,
                            .member = dat->dim * (int64_t)mplan_halo_levels(dat),
                            .level = dat->dim,
                            .component = 1,
                            .n_first = n};
}

/* Both ranges of an import: the execute halo comes first. */
static mplan_move_end end_of_import(const mplan_exec_dat *dat, const mplan_link *link)
{
    const mplan_part_import *in = &link->in;
    mplan_move_end end = end_of_dat(dat);
    end.list = link->in_list;
    end.first = in->execute[0];
    end.n_first = in->execute[1] - in->execute[0];
    end.second = in->read[0];
    return end;
}

/* Members of a list of the plan, where the executor reads it. */
static mplan_status end_of_list(mplan_exec *exec, const mplan_exec_dat *dat, const mplan_link *link,
                                mplan_move_end *end, mplan_error *err)
{
    *end = end_of_dat(dat);
    end->list = link->out_list;
    if (link->out_list)
        return MPLAN_OK;
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, dat->set);
    const int32_t *own = mplan_plan_data(exec->plan, key, MPLAN_TYPE_I32, NULL);
    const void *table = NULL;
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_table(exec, key, MPLAN_TYPE_I32, &table, NULL, err);
    if (status)
        return status;
    end->list = (const int32_t *)table + (link->out - own);
    return MPLAN_OK;
}

/* n members of the dat; both ends are still to be filled in. */
static mplan_move new_move(const mplan_exec_dat *dat, int64_t n)
{
    return (mplan_move){.n = n,
                        .levels = mplan_halo_levels(dat),
                        .dim = dat->dim,
                        .size = (int32_t)mplan_type_size(dat->type)};
}

/* Members as the plan of the owner stores them, in the order of the importer's range. */
mplan_status mplan_halo_pack(mplan_exec *exec, const mplan_exec_dat *dat, const mplan_link *link,
                             void *message, mplan_move *move, mplan_error *err)
{
    assert(exec && dat && link && message && move);
    *move = new_move(dat, link->n);
    move->to = end_of_message(message, dat, link->n);
    return end_of_list(exec, dat, link, &move->from, err);
}

/* The message has the members of the execute range and then those of the read range; the numbers of a member follow one
 * another, level by level. */
void mplan_halo_unpack(const mplan_exec_dat *dat, const mplan_link *link, void *message,
                       mplan_move *move)
{
    assert(dat && link && message && move);
    *move = new_move(dat, link->n);
    move->from = end_of_message(message, dat, move->n);
    move->to = end_of_import(dat, link);
}

/* From the owner's dat straight into the importer's, where both are here: no message between them. */
mplan_status mplan_halo_copy(mplan_exec *owner, const mplan_exec_dat *to, const mplan_exec_dat *from,
                             const mplan_link *link, mplan_move *move, mplan_error *err)
{
    assert(owner && to && from && link && move);
    *move = new_move(to, link->n);
    move->to = end_of_import(to, link);
    return end_of_list(owner, from, link, &move->from, err);
}

/* --- on the host ------------------------------------------------------------------------ */

/* The size is a constant where this is called. */
static inline void move_numbers(const mplan_move *move, const char *from, char *to, size_t size)
{
    for (int64_t k = 0; k < move->n; k++)
        for (int32_t j = 0; j < move->levels; j++)
            for (int32_t c = 0; c < move->dim; c++)
                memcpy(to + mplan_move_at(&move->to, k, j, c, (int32_t)size),
                       from + mplan_move_at(&move->from, k, j, c, (int32_t)size), size);
}

/* Bits are moved, numbers are not read: the size of one decides, not its type. */
static void run_move(const mplan_move *move, const char *from, char *to)
{
    switch (move->size) {
    case 1: move_numbers(move, from, to, 1); break;
    case 2: move_numbers(move, from, to, 2); break;
    case 4: move_numbers(move, from, to, 4); break;
    default: move_numbers(move, from, to, 8); break;
    }
}

/* As the kernel waits: after a wait that was too long nobody waits again. */
static void wait_for(const mplan_mail_end *mail, uint32_t number)
{
    const double begin = mplan_clock();
    while (!mplan_mail_is_there(__atomic_load_n(mail->arrived, __ATOMIC_ACQUIRE), number) &&
           __atomic_load_n(mail->stopped, __ATOMIC_RELAXED) == 0) {
        if ((mplan_clock() - begin) * 1e9 > (double)mail->patience) {
            __atomic_store_n(mail->failed, mail->from_rank + 1, __ATOMIC_RELAXED);
            __atomic_store_n(mail->stopped, 1, __ATOMIC_RELAXED);
        }
        sched_yield();
    }
}

/* The moves of one message, whose data go to or come from one of the two rooms of the mail, by turns. The number of the
 * message goes up when all of it is written (release), and is waited for before any of it is read (acquire). */
void mplan_host_moves_run(const mplan_move *moves, int64_t n, mplan_mail_use use,
                          const mplan_mail_end *mail)
{
    assert((moves || n == 0) && (mail || use == MPLAN_MAIL_NONE));
    const uint32_t number = use == MPLAN_MAIL_NONE ? 0 : *mail->counted + 1;
    const int64_t room = use == MPLAN_MAIL_NONE ? 0 : mplan_mail_room(mail, number);
    if (use == MPLAN_MAIL_RECEIVE)
        wait_for(mail, number);
    for (int64_t i = 0; i < n; i++)
        run_move(&moves[i], moves[i].from.data + (use == MPLAN_MAIL_RECEIVE ? room : 0),
                 moves[i].to.data + (use == MPLAN_MAIL_SEND ? room : 0));
    if (use != MPLAN_MAIL_NONE)
        *mail->counted = number;
    if (use == MPLAN_MAIL_SEND)
        __atomic_store_n(mail->arrived, number, __ATOMIC_RELEASE);
}

/* Where dats are in memory of the host at once, on a device as one kernel in the order of the stream. mail may be NULL with MPLAN_MAIL_NONE. */
mplan_status mplan_halo_run(const mplan_exec *exec, const mplan_move *moves, int64_t n,
                            mplan_mail_use use, const mplan_mail_end *mail, void *stream,
                            mplan_error *err)
{
    assert(exec && (moves || n == 0) && (mail || use == MPLAN_MAIL_NONE));
    if (!mplan_exec_dats_on_device(exec)) {
        mplan_host_moves_run(moves, n, use, mail);
        return MPLAN_OK;
    }
    mplan_status status = mplan_exec_use(exec, err);
    return status ? status : mplan_gpu_moves_run(moves, (int32_t)n, use, mail, stream, err);
}

/* All bits set: NaN in floating point, -1 in integers. What a loop computes from a halo that was not exchanged shows. */
void mplan_halo_poison(const mplan_exec_one_part *part, const mplan_exec_dat *dat, int64_t owned,
                       const uint8_t *rings, int32_t level)
{
    assert(part && dat && !dat->owner && (rings || level == 0 || owned == dat->n_columns));
    const size_t size = mplan_type_size(dat->type);
    const mplan_move_end end = end_of_dat(dat);
    for (int64_t p = owned; p < dat->n_columns; p++) {
        if (rings && rings[p - owned] <= level)
            continue;
        const int64_t at = mplan_exec_parts_stored(part, dat->set, p);
        for (int32_t j = 0; j < mplan_halo_levels(dat); j++)
            for (int32_t c = 0; c < dat->dim; c++)
                memset((char *)dat->data +
                           (size_t)(at * end.member + j * end.level + c * end.component) * size,
                       0xff, size);
    }
}
