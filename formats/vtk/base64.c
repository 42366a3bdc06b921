/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - bytes from base64 text (RFC 4648) */
#include "formats/vtk/base64.h"

/* Of every character: its six bits; 255: no digit. */
static const uint8_t bits_of[256] = {
#define X 255
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  62, X,  X,  X,  63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, X,  X,  X,  X,  X,  X,  X,  0,  1,  2,  3,  4,  5,  6,
    7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, X,  X,  X,  X,  X,
    X,  26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
    49, 50, 51, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X
#undef X
};

/* Blanks may be anywhere: writers break lines. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next four digits, among which blanks may be; to: room for 3 bytes. Bytes they give: 1
 * to 3, 0 at the end, -1 when they are not base64. '=' may be in the last two places only;
 * text may go on behind it, as VTK encodes a header and its data one after the other. */
static int32_t take_quad(const char **from, const char *end, uint8_t *to)
{
    uint32_t bits = 0;
    int32_t n = 0, padding = 0;
    const char *at = *from;
    for (; n < 4 && at < end; at++) {
        if (is_blank(*at))
            continue;
        uint8_t digit = bits_of[(uint8_t)*at];
        if (*at == '=' && n >= 2)
            padding++;
        else if (digit > 63 || padding > 0)
            return -1;
        bits = bits << 6 | (digit & 63);
        n++;
    }
    if (n != 0 && n != 4)
        return -1;
    *from = at;
    to[0] = (uint8_t)(bits >> 16);
    to[1] = (uint8_t)(bits >> 8);
    to[2] = (uint8_t)bits;
    return n == 0 ? 0 : 3 - padding;
}

/* Four characters at a time; *from moves behind what was used. False at a character that does
 * not belong. to: `most` bytes, of which at most 2 stay unused. Runs without blanks, which is
 * nearly all of a file, take the inner loop. */
bool mplan_base64_decode(const char **from, const char *end, uint8_t *to, size_t most, size_t *n)
{
    const char *at = *from;
    bool good = true;
    *n = 0;
    while (*n + 3 <= most && good) {
        for (; *n + 3 <= most && end - at >= 4; at += 4) {
            uint8_t a = bits_of[(uint8_t)at[0]], b = bits_of[(uint8_t)at[1]],
                    c = bits_of[(uint8_t)at[2]], d = bits_of[(uint8_t)at[3]];
            if ((a | b | c | d) > 63)
                break;
            uint32_t bits = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | d;
            to[(*n)++] = (uint8_t)(bits >> 16);
            to[(*n)++] = (uint8_t)(bits >> 8);
            to[(*n)++] = (uint8_t)bits;
        }
        if (*n + 3 > most)
            break;
        int32_t more = take_quad(&at, end, to + *n);
        good = more >= 0;
        if (more <= 0)
            break;
        *n += (size_t)more;
    }
    *from = at;
    return good;
}
