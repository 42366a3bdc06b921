/* SPDX-License-Identifier: Apache-2.0 */
/* text_vector.c - texts that are made piece by piece */
#include "base/text_vector.h"

#include <stdarg.h>

#include "base/number_text.h"

bool mplan_vector_print(mplan_vector *text, mplan_error *err, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = mplan_text_format_list(NULL, 0, format, args);
    va_end(args);
    char *room = mplan_vector_reserve(text, (int64_t)length + 1, err);
    if (room) {
        mplan_text_format_list(room, (size_t)length + 1, format, again);
        text->count += length;
    }
    va_end(again);
    return room != NULL;
}
