/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.h - texts with numbers in them, the same whatever locale the caller has
 *
 * The library writes and reads numbers through these functions and no others: printf and strtod
 * write and expect the decimal point of the thread's locale. */
#ifndef MPLAN_NUMBER_TEXT_H
#define MPLAN_NUMBER_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "meshplan.h"

/* As snprintf and vsnprintf in the C locale. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
int mplan_text_format(char *text, size_t size, const char *format, ...);
#if defined __GNUC__
__attribute__((format(printf, 3, 0)))
#endif
int mplan_text_format_list(char *text, size_t size, const char *format, va_list args);

/* As strtod in the C locale. */
double mplan_number_read(const char *text, char **end);

/* The form of a number with as few significant digits as read back as the same number, but not
 * fewer than `least` (1 to 17), as %g has it: "1.03", "1e-300", "inf". Returns text. */
enum { MPLAN_NUMBER_ROOM = 32 };
const char *mplan_number_shortest(char text[MPLAN_NUMBER_ROOM], int least, double value);

#endif
