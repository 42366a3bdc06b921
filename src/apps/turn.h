/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h - processes that must not do something at once take turns */
#ifndef MPLAN_TURN_H
#define MPLAN_TURN_H

#include "meshplan.h"

/* Waits until no other process has the turn that `path` stands for; the file is made
 * if it is not there, and never written. *turn is given back by mplan_app_turn_end. */
mplan_status mplan_app_turn_begin(const char *path, int *turn, mplan_error *err);
void mplan_app_turn_end(int turn);

#endif
