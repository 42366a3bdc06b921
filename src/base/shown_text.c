/* SPDX-License-Identifier: Apache-2.0 */
/* shown_text.c - texts of files as people may see them
 *
 * Names of sets, groups, dats and files hold whatever bytes their makers put there. On a terminal a
 * control character is a command, and what reads messages expects UTF-8 (RFC 3629). */
#include "base/shown_text.h"

#include <stdint.h>
#include <string.h>

#include "meshplan.h"

/* Bytes of the character of two bytes and more that begins at c, 0 where none does (RFC 3629);
 * *code: its number, if so. */
size_t mplan_utf8_character(const unsigned char *c, uint32_t *code)
{
    size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    *code = c[0] & (0xffu >> (n + 1));
    if (c[0] < 0xc2 || c[0] > 0xf4)
        return 0;
    for (size_t k = 1; k < n; k++) { /* the final zero ends a character, too */
        if ((c[k] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (c[k] & 0x3f);
    }
    bool longer = (n == 3 && *code < 0x800) || (n == 4 && (*code < 0x10000 || *code > 0x10ffff));
    return longer || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

/* Bytes of the character at c if it may be shown: valid UTF-8, not a control character.
 * Else 0. */
size_t mplan_shown_character(const unsigned char *c)
{
    if (c[0] < 0x80)
        return c[0] >= 0x20 && c[0] != 0x7f;
    uint32_t code;
    size_t n = mplan_utf8_character(c, &code);
    return n && code >= 0xa0 ? n : 0;
}

/* shown: at most size bytes with the final zero. Other bytes appear as \xNN, so that
 * names from files cannot control a terminal. Returns the length. */
size_t mplan_text_shown(const char *text, char *shown, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    size_t used = 0;
    if (!shown || size == 0)
        return 0;
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c;) {
        size_t n = mplan_shown_character(c);
        char escape[4] = {'\\', 'x', hex[*c >> 4], hex[*c & 15]};
        const char *put = n ? (const char *)c : escape;
        size_t length = n ? n : sizeof escape;
        if (used + length >= size)
            break;
        memcpy(shown + used, put, length);
        used += length;
        c += n ? n : 1;
    }
    shown[used] = '\0';
    return used;
}
