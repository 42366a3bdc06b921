/* SPDX-License-Identifier: Apache-2.0 */
/* text_vector.h - texts that are made piece by piece */
#ifndef MPLAN_TEXT_VECTOR_H
#define MPLAN_TEXT_VECTOR_H

#include <stdbool.h>

#include "base/memory.h"

/* printf at the end of a vector of chars, in the C locale; no zero is counted. Returns false when memory runs out. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
bool mplan_vector_print(mplan_vector *text, mplan_error *err, const char *format, ...);

#endif
