/* SPDX-License-Identifier: Apache-2.0 */
/* logicals.c - tables of logical values as Fortran writes them
 *
 * Fortran's list-directed output of a logical array is T and F between blanks, and goes on in a new line where a record has no more
 * room: where lines end says nothing (ISO/IEC 1539-1, list-directed formatting). */
#include "formats/logicals.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"

/* Where a text is being read. */
typedef struct scan {
    const uint8_t *at, *end;
    int64_t line; /* from 1, of `at` */
    bool begins;  /* nothing of the line was read */
} scan;

static bool is_gap(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\n';
}

/* The next word and its length; NULL at the end. */
static const uint8_t *next_word(scan *s, size_t *length)
{
    while (s->at < s->end && (is_gap(*s->at) || (s->begins && (*s->at == '#' || *s->at == '!')))) {
        if (!is_gap(*s->at)) { /* a comment, whose end of line is next */
            const uint8_t *stop = memchr(s->at, '\n', (size_t)(s->end - s->at));
            s->at = stop ? stop : s->end;
            continue;
        }
        if (*s->at == '\n') {
            s->line++;
            s->begins = true;
        }
        s->at++;
    }
    const uint8_t *word = s->at;
    while (s->at < s->end && !is_gap(*s->at))
        s->at++;
    s->begins = false;
    *length = (size_t)(s->at - word);
    return *length > 0 ? word : NULL;
}

/* 1 or 0; -1: not a logical value. */
static int32_t value_of(const uint8_t *word, size_t length)
{
    static const struct {
        const char *word;
        int32_t value;
    } known[] = {{"t", 1},   {"f", 0},   {"true", 1},   {"false", 0},
                 {".t.", 1}, {".f.", 0}, {".true.", 1}, {".false.", 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == length &&
            strncasecmp((const char *)word, known[i].word, length) == 0)
            return known[i].value;
    return -1;
}

static scan begin(const mplan_input *input)
{
    return (scan){input->data, input->data + input->size, 1, true};
}

bool mplan_logicals_recognise(const mplan_input *input)
{
    assert(input);
    scan s = begin(input);
    size_t length;
    const uint8_t *word = next_word(&s, &length);
    return word && value_of(word, length) >= 0;
}

/* First words are counted, so that memory is allocated once, then read. */
mplan_status mplan_read_logicals(const mplan_input *input, int32_t cols, mplan_numbers *numbers,
                                 mplan_error *err)
{
    assert(input && cols > 0 && numbers);
    int64_t n = 0;
    size_t length;
    const uint8_t *word;
    for (scan s = begin(input); (word = next_word(&s, &length)); n++)
        if (value_of(word, length) < 0)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s:%" PRId64 ": '%.*s' is not a logical value", input->path, s.line,
                              (int)(length < 40 ? length : 40), (const char *)word);
    if (n % cols != 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: %" PRId64 " logical values do not make whole rows of %d",
                          input->path, n, (int)cols);
    *numbers = (mplan_numbers){.rows = n / cols, .cols = cols};
    numbers->i32 = mplan_alloc(n, sizeof *numbers->i32, err);
    if (!numbers->i32)
        return MPLAN_ERR_MEMORY;
    scan s = begin(input);
    for (int64_t i = 0; i < n; i++) {
        word = next_word(&s, &length);
        numbers->i32[i] = value_of(word, length);
    }
    return MPLAN_OK;
}
