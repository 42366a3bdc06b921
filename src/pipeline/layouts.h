/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.h - a layout for the dat of every arg */
#ifndef MPLAN_LAYOUTS_H
#define MPLAN_LAYOUTS_H

#include "pipeline/planning.h"

/* Fills arg_layout of every loop, whose strategies are chosen. */
mplan_status mplan_planning_layouts(planning *p, mplan_error *err);

#endif
