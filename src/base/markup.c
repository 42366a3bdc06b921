/* SPDX-License-Identifier: Apache-2.0 */
/* markup.c - texts as XML and HTML have them (XML 1.0, production 2; RFC 3629) */
#include "base/markup.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown_text.h"

/* Bytes of the character that text begins with; 0: none that XML has. */
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return c[0] >= 0x20 || c[0] == '\t' || c[0] == '\n' || c[0] == '\r';
    uint32_t code;
    size_t n = mplan_utf8_character(c, &code);
    return code == 0xfffe || code == 0xffff ? 0 : n;
}

/* The entity for a character that HTML and XML reserve, NULL for others. */
static const char *reference(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

/* Text for HTML and XML, owned by the caller: reserved characters as entities, bytes
 * that are not UTF-8 as U+FFFD. */
char *mplan_markup(const char *text, mplan_error *err)
{
    mplan_vector out = MPLAN_VECTOR_INIT(1);
    for (const char *c = text;; c++) {
        size_t n = *c ? character(c) : 1;
        const char *put = n ? reference(*c) : "\xef\xbf\xbd";
        size_t length = put ? strlen(put) : n;
        char *room = mplan_vector_reserve(&out, (int64_t)length, err);
        if (!room) {
            free(out.data);
            return NULL;
        }
        memcpy(room, put ? put : c, length);
        out.count += (int64_t)length;
        if (!*c)
            return out.data;
        c += n > 1 ? n - 1 : 0;
    }
}
