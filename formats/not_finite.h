/* SPDX-License-Identifier: Apache-2.0 */
/* not_finite.h - what a number is that is not finite, for messages */
#ifndef MPLAN_NOT_FINITE_H
#define MPLAN_NOT_FINITE_H

/* "nan", or "inf" with its sign; never "-nan", which some libraries print. */
static inline const char *mplan_not_finite(double number)
{
    return number != number ? "nan" : number > 0 ? "inf" : "-inf";
}

#endif
