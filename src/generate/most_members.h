/* SPDX-License-Identifier: Apache-2.0 */
/* most_members.h - how large generated sets can be */
#ifndef MPLAN_MOST_MEMBERS_H
#define MPLAN_MOST_MEMBERS_H

#include <stdint.h>

/* Largest number of members of a set. */
#define MPLAN_MAX_MEMBERS (INT64_C(2147483646))

#endif
