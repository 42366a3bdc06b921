/* SPDX-License-Identifier: Apache-2.0 */
/* check_layers.h - the lines of a request that speak of layers */
#ifndef MPLAN_CHECK_LAYERS_H
#define MPLAN_CHECK_LAYERS_H

#include "check/check.h"

/* Gets a line, without its end, in two pieces; whether the request goes on with it. Each ? is any digit in hexadecimal:
 * in the plan of a part, which cannot know the hash of all ranges. */
typedef mplan_status mplan_layers_line(void *reader, const char *line, const char *name);
/* Calls take for each line that the plan's records ask for. */
mplan_status mplan_check_layers_lines(const mplan_check *check, mplan_layers_line *take,
                                      void *reader, mplan_error *err);

#endif
