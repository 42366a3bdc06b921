/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - numbers and words of text files, with the line they are in
 *
 * The numbers are read without strtod wherever that is exact, which makes
 * large files several times faster and independent of the locale. With
 * decimal digits w < 2^64 and exponent e the value is w * 10^e:
 *   w < 2^53, |e| <= 22    one multiplication or division of exact doubles
 *                          (W. D. Clinger, How to read floating point numbers
 *                          accurately, PLDI 1990)
 *   |e| <= 27              w * 5^e as a 128-bit product, or w / 5^-e as a
 *                          128-bit quotient with its remainder, rounded once;
 *                          5^27 < 2^63 and no such value is subnormal
 *   otherwise              strtod on a copy without a decimal point */
#include "formats/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    MAX_FAST_DIGITS = 19, /* of a number that surely is below 2^64 */
    MAX_DIGITS = 800,     /* enough to round any decimal: the longest tie has 767 */
    MAX_POWER_OF_FIVE = 27,
    MAX_SHOWN = 40 /* characters of a word in a message */
};

/* One comparison; the locale is not asked. */
static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Within a line. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Commas separate numbers, too. */
static bool ends_word(char c)
{
    return c == '\n' || c == ',' || is_blank(c);
}

/* input's bytes must outlive the scanner. */
void mplan_scan_begin(mplan_scanner *scan, const mplan_input *input)
{
    static const char mark[3] = "\xef\xbb\xbf"; /* UTF-8's byte order mark, which editors leave */
    scan->path = input->path;
    scan->begin = scan->at = (const char *)input->data;
    scan->end = scan->begin + input->size;
    scan->line = 1;
    if (input->size >= sizeof mark && memcmp(scan->at, mark, sizeof mark) == 0)
        scan->at += sizeof mark;
}

/* "path:line: ". */
mplan_status mplan_scan_fail(const mplan_scanner *scan, mplan_error *err, mplan_status status,
                             const char *format, ...)
{
    char text[MPLAN_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mplan_fail(err, status, "%s:%lld: %s", scan->path, (long long)scan->line, text);
}

/* bytes: of binary files, "path: byte N: ". */
mplan_status mplan_scan_fail_at(const mplan_scanner *scan, const char *at, bool bytes,
                                mplan_error *err, mplan_status status, const char *format, ...)
{
    char text[MPLAN_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bytes ? mplan_fail(err, status, "%s: byte %lld: %s", scan->path,
                              (long long)(at - scan->begin), text)
                 : mplan_scan_fail(scan, err, status, "%s", text);
}

/* Says how far the reader is and heeds a signal. */
mplan_status mplan_scan_heed(const mplan_scanner *scan, const mplan_context *context, mplan_error *err)
{
    return mplan_heed(context, "read", scan->at - scan->begin, scan->end - scan->begin, err);
}

/* Steps over blanks; true at the line's end, which is not stepped over, and at the end of the
 * file. */
bool mplan_scan_line_ends(mplan_scanner *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at))
        scan->at++;
    return scan->at == scan->end || *scan->at == '\n';
}

/* False at the end of the file. */
bool mplan_scan_next_line(mplan_scanner *scan)
{
    size_t left = (size_t)(scan->end - scan->at);
    const char *newline = left ? memchr(scan->at, '\n', left) : NULL;
    if (!newline) {
        scan->at = scan->end;
        return false;
    }
    scan->at = newline + 1;
    scan->line++;
    return scan->at < scan->end;
}

/* Counts the lines it passes. */
bool mplan_scan_skip_space(mplan_scanner *scan)
{
    const char *at = scan->at;
    for (; at < scan->end; at++) {
        if (*at == '\n')
            scan->line++;
        else if (!is_blank(*at))
            break;
    }
    scan->at = at;
    return at < scan->end;
}

bool mplan_scan_skip_comments(mplan_scanner *scan)
{
    while (mplan_scan_skip_space(scan)) {
        if (*scan->at != '#')
            return true;
        mplan_scan_next_line(scan);
    }
    return false;
}

/* Up to a blank or comma. A comma by itself is a word. */
static size_t word_length(const mplan_scanner *scan)
{
    const char *at = scan->at;
    while (at < scan->end && !ends_word(*at))
        at++;
    if (at == scan->at && at < scan->end && *at == ',')
        at++; /* a comma by itself, so that callers always move on */
    return (size_t)(at - scan->at);
}

/* The next word, also of a later line; not terminated. False at the end of the file. */
bool mplan_scan_word(mplan_scanner *scan, const char **word, size_t *length)
{
    if (!mplan_scan_skip_space(scan))
        return false;
    *word = scan->at;
    *length = word_length(scan);
    scan->at += *length;
    return true;
}

/* Shows the word that is there, cut and without control characters. */
static mplan_status fail_expected(const mplan_scanner *scan, const char *what, mplan_error *err)
{
    if (scan->at == scan->end)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "expected %s, found the end of the file", what);
    char shown[MAX_SHOWN + 1];
    size_t length = word_length(scan), n = length < MAX_SHOWN ? length : MAX_SHOWN;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)scan->at[i];
        shown[i] = c < 0x20 || c >= 0x7f ? '?' : (char)c;
    }
    shown[n] = '\0';
    return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s%s'", what, shown,
                           n < length ? "..." : "");
}

/* The number must end where the word does. */
mplan_status mplan_scan_i64(mplan_scanner *scan, const char *what, int64_t *value, mplan_error *err)
{
    int64_t number;
    mplan_scan_skip_space(scan);
    size_t used = mplan_parse_i64(scan->at, scan->end, &number);
    if (used == 0 || (scan->at + used < scan->end && !ends_word(scan->at[used])))
        return fail_expected(scan, what, err);
    scan->at += used;
    *value = number;
    return MPLAN_OK;
}

/* A number that ends where a word ends; NaN and infinity are taken, for callers to refuse.
 * Nothing is taken after a failure. */
mplan_status mplan_scan_f64(mplan_scanner *scan, const char *what, double *value, mplan_error *err)
{
    double number;
    mplan_scan_skip_space(scan);
    size_t used = mplan_parse_f64(scan->at, scan->end, &number);
    if (used == 0 || (scan->at + used < scan->end && !ends_word(scan->at[used])))
        return fail_expected(scan, what, err);
    scan->at += used;
    *value = number;
    return MPLAN_OK;
}

/* Bytes used, 0 if there is no number or it exceeds 64 bits. Does not depend on
 * the locale. */
size_t mplan_parse_i64(const char *at, const char *end, int64_t *value)
{
    const char *start = at;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *digits = at;
    uint64_t number = 0;
    const uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    for (; at < end && is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (at - digits >= MAX_FAST_DIGITS - 1 && number > (limit - digit) / 10)
            return 0;
        number = number * 10 + digit;
    }
    if (at == digits)
        return 0;
    *value = negative ? (int64_t)(0 - number) : (int64_t)number;
    return (size_t)(at - start);
}

/* A decimal number as it is in the text: digits [first, last) with perhaps
 * one point among them, times 10^exponent. */
typedef struct decimal {
    const char *first, *last;
    uint64_t mantissa; /* of the first MAX_FAST_DIGITS significant digits */
    int64_t n_digits;  /* significant ones: leading zeros do not count */
    int64_t exponent;  /* of the last digit */
} decimal;

/* Bytes of an exponent such as e-12, 0 when there is none. Fortran's d is
 * taken for e. Huge exponents saturate: they mean 0 or infinity either way. */
static size_t parse_exponent(const char *at, const char *end, int64_t *exponent)
{
    const char *start = at;
    if (at == end || !strchr("eEdD", *at) || *at == '\0')
        return 0;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *digits = at;
    int64_t number = 0;
    for (; at < end && is_digit(*at); at++)
        if (number < INT64_C(1) << 50)
            number = number * 10 + (*at - '0');
    if (at == digits)
        return 0;
    *exponent = negative ? -number : number;
    return (size_t)(at - start);
}

/* Digits and point; 0 when there is no digit. */
static size_t parse_decimal(const char *at, const char *end, decimal *number)
{
    const char *start = at, *point = NULL;
    uint64_t mantissa = 0;
    while (at < end && *at == '0')
        at++;
    bool any = at > start;
    const char *significant = at;
    while (at < end && is_digit(*at))
        mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
    int64_t n_digits = at - significant;
    any = any || n_digits;
    if (at < end && *at == '.') {
        point = at++;
        const char *fraction = at;
        if (n_digits == 0)
            while (at < end && *at == '0')
                at++;
        significant = at;
        while (at < end && is_digit(*at))
            mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
        n_digits += at - significant;
        any = any || at > fraction;
    }
    if (!any)
        return 0;
    number->first = start;
    number->last = at;
    number->mantissa = mantissa; /* wrapped beyond MAX_FAST_DIGITS, unused then */
    number->n_digits = n_digits;
    number->exponent = point ? -(int64_t)(at - point - 1) : 0;
    return (size_t)(at - start);
}

/* By strtod, on the significant digits and an exponent: without a decimal
 * point no locale can interfere. Digits past MAX_DIGITS only matter by being
 * zero or not. */
static double slow_value(const decimal *number, int64_t exponent)
{
    char copy[MAX_DIGITS + 32];
    int64_t n = 0, dropped = 0;
    bool sticky = false;
    for (const char *at = number->first; at < number->last; at++) {
        if (*at == '.' || (n == 0 && *at == '0'))
            continue;
        if (n < MAX_DIGITS) {
            copy[n++] = *at;
        } else {
            dropped++;
            sticky = sticky || *at != '0';
        }
    }
    exponent += dropped;
    if (sticky) {
        copy[n++] = '1';
        exponent--;
    }
    if (exponent > 100000)
        exponent = 100000;
    if (exponent < -100000)
        exponent = -100000;
    snprintf(copy + n, sizeof copy - (size_t)n, "e%d", (int)exponent);
    return strtod(copy, NULL);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* kept * 2^shift, where kept stands for a number in [kept, kept + 1) that lies
 * above kept iff sticky, rounded to nearest, ties to even. kept has at least
 * 55 significant bits. */
static double round_wide(uint64_t kept, bool sticky, int shift)
{
    int drop = 64 - __builtin_clzll(kept) - 53;
    uint64_t low = kept & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    uint64_t result = kept >> drop;
    if (low > half || (low == half && (sticky || (result & 1))))
        result++;
    return ldexp((double)result, shift + drop);
}

/* mantissa * 10^exponent, mantissa > 0, |exponent| <= MAX_POWER_OF_FIVE */
static double wide_value(uint64_t mantissa, int exponent)
{
    /* clang-format off */
    static const uint64_t power_of_five[MAX_POWER_OF_FIVE + 1] = {
        UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125),
        UINT64_C(15625), UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125),
        UINT64_C(9765625), UINT64_C(48828125), UINT64_C(244140625), UINT64_C(1220703125),
        UINT64_C(6103515625), UINT64_C(30517578125), UINT64_C(152587890625),
        UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
        UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625),
        UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
        UINT64_C(1490116119384765625), UINT64_C(7450580596923828125)};
    /* clang-format on */
    uint64_t five = power_of_five[exponent < 0 ? -exponent : exponent];
    int zeros = __builtin_clzll(mantissa);
    mantissa <<= zeros;
    if (exponent < 0) {
        int five_zeros = __builtin_clzll(five);
        five <<= five_zeros;
        /* both have their top bit, so mantissa / 2 < five and the quotient
         * fits 64 bits and has at least 63 */
        wide dividend = (wide)mantissa << 63;
        uint64_t quotient = (uint64_t)(dividend / five);
        return round_wide(quotient, (wide)quotient * five != dividend,
                          exponent - zeros + five_zeros - 63);
    }
    wide product = (wide)mantissa * five;
    int shift = 0;
    if (product >> 64) {
        shift = 64 - __builtin_clzll((uint64_t)(product >> 64));
        bool sticky = (product & (((wide)1 << shift) - 1)) != 0;
        return round_wide((uint64_t)(product >> shift), sticky, exponent - zeros + shift);
    }
    return round_wide((uint64_t)product, false, exponent - zeros);
}
#endif

/* Up to 2^53 and 10^22 one multiplication is exact (Clinger 1990); anything else
 * goes to strtod. */
static double decimal_value(const decimal *number, int64_t exponent)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->n_digits == 0)
        return 0;
    if (number->n_digits > MAX_FAST_DIGITS)
        return slow_value(number, exponent);
    if (number->mantissa < UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        double mantissa = (double)number->mantissa;
        return exponent < 0 ? mantissa / ten[-exponent] : mantissa * ten[exponent];
    }
#ifdef __SIZEOF_INT128__
    if (exponent >= -MAX_POWER_OF_FIVE && exponent <= MAX_POWER_OF_FIVE)
        return wide_value(number->mantissa, (int)exponent);
#endif
    return slow_value(number, exponent);
}

/* Length of `word` when the text begins with it in any case of letters, else 0. */
static size_t matches(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - at) < n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if ((at[i] | 0x20) != word[i])
            return 0;
    return n;
}

/* nan, inf and infinity, in any case. */
static size_t parse_special(const char *at, const char *end, double *value)
{
    size_t used = matches(at, end, "nan");
    if (used) {
        *value = (double)NAN;
        return used;
    }
    used = matches(at, end, "infinity");
    if (!used)
        used = matches(at, end, "inf");
    if (used)
        *value = (double)INFINITY;
    return used;
}

/* Bytes used, 0 if there is no number. Rounded correctly, whatever the locale. */
size_t mplan_parse_f64(const char *at, const char *end, double *value)
{
    const char *start = at;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    decimal number;
    double result;
    size_t used = parse_decimal(at, end, &number);
    if (used) {
        at += used;
        int64_t exponent = 0;
        at += parse_exponent(at, end, &exponent);
        result = decimal_value(&number, number.exponent + exponent);
    } else {
        used = parse_special(at, end, &result);
        if (used == 0)
            return 0;
        at += used;
    }
    *value = negative ? -result : result;
    return (size_t)(at - start);
}
