/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_tags.c - where tags of VTK XML files end, which are cut before expat sees them */
#include <string.h>

#include "formats/vtk/vtu.h"

/* Behind the text, NULL if it does not occur in [at, end). */
static const char *find_text(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - length + 1);
        if (!at)
            return NULL;
        if (memcmp(at, text, length) == 0)
            return at + length;
    }
    return NULL;
}

/* Whether [at, end) begins with the text. */
bool mplan_vtu_starts(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Behind the '>' that ends what begins with the '<' at `at`; NULL when it does not end within
 * MPLAN_VTU_MOST_TAG bytes. A '>' in quotes is none. */
const char *mplan_vtu_tag_end(const char *at, const char *end)
{
    if ((size_t)(end - at) > MPLAN_VTU_MOST_TAG)
        end = at + MPLAN_VTU_MOST_TAG;
    if (mplan_vtu_starts(at, end, "<!--"))
        return find_text(at + 4, end, "-->");
    if (mplan_vtu_starts(at, end, "<![CDATA["))
        return find_text(at + 9, end, "]]>");
    if (mplan_vtu_starts(at, end, "<?"))
        return find_text(at + 2, end, "?>");
    for (char quote = 0; at < end; at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (!quote && *at == '>')
            return at + 1;
    }
    return NULL;
}
