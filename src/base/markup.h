/* SPDX-License-Identifier: Apache-2.0 */
/* markup.h - texts as XML and HTML have them */
#ifndef MPLAN_MARKUP_H
#define MPLAN_MARKUP_H

#include "meshplan.h"

/* A copy of text that can be in XML and HTML, also within quotes: `&<>"'` as
 * references; bytes that are not UTF-8 and control characters, which XML does not
 * know, as U+FFFD. Release with free(); NULL when memory runs out. */
char *mplan_markup(const char *text, mplan_error *err);

#endif
