/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.h - the inverse of an order: who comes first, second, ... */
#ifndef MPLAN_SEQUENCE_H
#define MPLAN_SEQUENCE_H

#include "base/threads.h"

/* *sequence (from mplan_alloc): the n members by ascending new place; places
 * without a member (holes) are skipped. NULL for new_of_old NULL, which
 * stands for the order of the index. MPLAN_ERR_ARGUMENT when two members have
 * one place or a place is negative. */
mplan_status mplan_sequence_of(int64_t n, const int32_t *new_of_old, int32_t **sequence,
                               mplan_team *team, mplan_error *err);

#endif
