/* SPDX-License-Identifier: Apache-2.0 */
/* option_values.h - values of planning options, which are rows of mplan_plan_option (meshplan.h) */
#ifndef MPLAN_OPTION_VALUES_H
#define MPLAN_OPTION_VALUES_H

#include "meshplan.h"

/* MPLAN_ERR_ARGUMENT, with a sentence that begins with the option's name, unless *member is a
 * value that the option can have. */
mplan_status mplan_plan_option_check(const mplan_plan_option *option, const void *member,
                                     mplan_error *err);
/* The option of that name, which must be in the table. */
const mplan_plan_option *mplan_plan_option_named(const char *name);

#endif
