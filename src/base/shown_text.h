/* SPDX-License-Identifier: Apache-2.0 */
/* shown_text.h - characters that people may see (mplan_text_shown in meshplan.h) */
#ifndef MPLAN_SHOWN_TEXT_H
#define MPLAN_SHOWN_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character of UTF-8 that text begins with; 0: not UTF-8, or a control character (of
 * ASCII, or U+0080 to U+009F). */
size_t mplan_shown_character(const unsigned char *c);

/* Bytes of the character of two bytes or more that c begins with, and its number (RFC 3629);
 * 0: not UTF-8. A zero byte ends every text. */
size_t mplan_utf8_character(const unsigned char *c, uint32_t *code);

#endif
