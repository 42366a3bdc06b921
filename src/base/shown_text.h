/* shown_text.h - characters that people may see (mplan_text_shown in meshplan.h) */
#ifndef MPLAN_SHOWN_TEXT_H
#define MPLAN_SHOWN_TEXT_H

#include <stddef.h>

/* Bytes of the character of UTF-8 that text begins with; 0: not UTF-8, or a control character (of
 * ASCII, or U+0080 to U+009F). */
size_t mplan_shown_character(const unsigned char *c);

#endif
