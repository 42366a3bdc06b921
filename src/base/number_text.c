/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.c - texts with numbers in them, the same whatever locale the caller has
 *
 * POSIX 2008: uselocale changes the locale of the calling thread only. For the C locale newlocale
 * hands out one that the C library has at hand, so nothing is allocated (glibc, musl); where there
 * is none, the thread's own locale stays. */
#include "base/number_text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* The locale "C", and the one that was in force before it. */
typedef struct plain_locale {
    locale_t plain, before;
} plain_locale;

/* Sets the thread's locale to "C"; leave restores it. Only if no locale can be made,
 * the user's stays. */
static plain_locale enter(void)
{
    plain_locale in = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (in.plain)
        in.before = uselocale(in.plain);
    return in;
}

/* Back to the locale that enter found. */
static void leave(plain_locale in)
{
    if (!in.plain)
        return;
    if (in.before)
        uselocale(in.before);
    freelocale(in.plain);
}

/* As vsnprintf(3) in the locale "C", whatever the program has set: a point in reals. */
int mplan_text_format_list(char *text, size_t size, const char *format, va_list args)
{
    plain_locale in = enter();
    int length = vsnprintf(text, size, format, args);
    leave(in);
    return length;
}

/* As snprintf, in the C locale. */
int mplan_text_format(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = mplan_text_format_list(text, size, format, args);
    va_end(args);
    return length;
}

/* As strtod(3) in the locale "C". */
double mplan_number_read(const char *text, char **end)
{
    plain_locale in = enter();
    double value = strtod(text, end);
    leave(in);
    return value;
}

/* The fewest digits, from `least` on, that read back as the same double. */
const char *mplan_number_shortest(char text[MPLAN_NUMBER_ROOM], int least, double value)
{
    plain_locale in = enter();
    for (int digits = least; digits <= 17; digits++) {
        snprintf(text, MPLAN_NUMBER_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    leave(in);
    return text;
}
