/* SPDX-License-Identifier: Apache-2.0 */
/* option_values.c - values of planning options: read from text, checked, written
 *
 * What a value must be is said here only, so that the command line, the job file and the library
 * say it in the same words. */
#include "pipeline/option_values.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "pipeline/device_file.h"

enum { MOST_WORDS = 64, TEXT = 512, WORD = 64 };

/* --- members ------------------------------------------------------------------------------ */

/* The request that holds a list of strategies; member is its n_strategies. */
static const mplan_plan_options *request_of(const void *member)
{
    const char *list = member;
    return (const mplan_plan_options *)(list - offsetof(mplan_plan_options, n_strategies));
}

/* The member's value, of either width; only for kinds I32 and I64. */
static int64_t whole_of(const mplan_plan_option *option, const void *member)
{
    return option->kind == MPLAN_OPTION_I64 ? *(const int64_t *)member : *(const int32_t *)member;
}

/* The place of a value in the option's list of words, which may lie outside of it. */
static int64_t place_of(const mplan_plan_option *option, const void *member)
{
    if (option->kind == MPLAN_OPTION_BOOL)
        return *(const bool *)member;
    return (int64_t) * (const int *)member - option->first;
}

/* Word at a place of the option's list; NULL where the place is outside of it, as in structs of
 * a caller's mistake. */
static const char *word_at(const mplan_plan_option *option, int64_t place)
{
    return place >= 0 && place < MOST_WORDS ? option->word((int32_t)place) : NULL;
}

/* The place of a word, -1 where it is unknown. */
static int32_t find_word(const mplan_plan_option *option, const char *text)
{
    for (int32_t i = 0; i < MOST_WORDS && option->word(i); i++)
        if (strcmp(option->word(i), text) == 0)
            return i;
    return -1;
}

/* --- refusals ----------------------------------------------------------------------------- */

/* The range of the option as a sentence: a multiple, above a limit, without an upper end, or between two; 0 where it leaves the
 * choice open. */
static mplan_status refuse_number(const mplan_plan_option *option, const char *subject,
                                  const char *given, mplan_error *err)
{
    char range[128];
    const char *zero = option->open ? "0 or " : "";
    if (option->multiple)
        mplan_text_format(range, sizeof range, "%sa multiple of %d between %" PRId64 " and %" PRId64,
                          zero, (int)option->multiple, option->least, option->most);
    else if (option->above)
        mplan_text_format(range, sizeof range, "above %" PRId64 " and at most %" PRId64,
                          option->least, option->most);
    else if (option->most == INT64_MAX && given[0] == '-')
        mplan_text_format(range, sizeof range, "%" PRId64 " or more",
                          option->open && option->least == 1 ? 0 : option->least);
    else
        mplan_text_format(range, sizeof range, "%s%" PRId64 " to %" PRId64, zero, option->least,
                          option->most);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s must be %s, not %s", subject, range, given);
}

/* The words that the option knows, and the nearest of them. Options have at most MOST_WORDS. */
static mplan_status refuse_word(const mplan_plan_option *option, const char *subject,
                                const char *given, mplan_error *err)
{
    const char *words[MOST_WORDS + 1] = {NULL};
    char known[TEXT] = "";
    for (int32_t i = 0; i < MOST_WORDS && option->word(i); i++) {
        size_t used = strlen(known);
        words[i] = option->word(i);
        mplan_text_format(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *near = mplan_nearest_word(given, words);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: unknown word '%s'; %s%s%sknown: %s", subject,
                      given, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
                      known);
}

/* --- checks ------------------------------------------------------------------------------- */

/* Whether a whole number is in the row's range; 0 is where it means "left open". */
static bool fits(const mplan_plan_option *option, int64_t number)
{
    if (option->open && number == 0)
        return true;
    return number >= option->least && number <= option->most &&
           (!option->multiple || number % option->multiple == 0);
}

/* In this form a NaN does not fit. */
static bool fits_real(const mplan_plan_option *option, double number)
{
    double least = (double)option->least;
    return (option->above ? number > least : number >= least) && number <= (double)option->most;
}

/* Values are known, not more than there is room for, and none is given twice: a variant is found
 * by its strategy. */
static mplan_status check_strategies(const char *subject, const mplan_plan_options *request,
                                     mplan_error *err)
{
    if (request->n_strategies < 0 || request->n_strategies > MPLAN_MAX_STRATEGIES)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s must have 1 to %d words, not %d", subject,
                          MPLAN_MAX_STRATEGIES, (int)request->n_strategies);
    for (int32_t s = 0; s < request->n_strategies; s++) {
        const char *name = mplan_strategy_name(request->strategies[s]);
        if (!name)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: value %d is unknown", subject,
                              (int)request->strategies[s]);
        for (int32_t k = 0; k < s; k++)
            if (request->strategies[k] == request->strategies[s])
                return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: '%s' is given twice", subject, name);
    }
    return MPLAN_OK;
}

/* `member` is the member of mplan_plan_options that the row describes, and is read by the row's
 * kind: an int32_t, int64_t, double, an enumeration as int, or a text. */
mplan_status mplan_plan_option_check(const mplan_plan_option *option, const void *member,
                                     mplan_error *err)
{
    char given[WORD];
    assert(option && member);
    switch (option->kind) {
    case MPLAN_OPTION_I32:
    case MPLAN_OPTION_I64:
        if (fits(option, whole_of(option, member)))
            return MPLAN_OK;
        mplan_plan_option_write(option, member, given, sizeof given);
        return refuse_number(option, option->name, given, err);
    case MPLAN_OPTION_REAL:
        if (fits_real(option, *(const double *)member))
            return MPLAN_OK;
        mplan_plan_option_write(option, member, given, sizeof given);
        return refuse_number(option, option->name, given, err);
    case MPLAN_OPTION_WORD:
        if (word_at(option, place_of(option, member)))
            return MPLAN_OK;
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: value %d is unknown", option->name,
                          *(const int *)member);
    case MPLAN_OPTION_NAME:
        if (find_word(option, *(const char *const *)member) >= 0 ||
            mplan_device_is_file(*(const char *const *)member))
            return MPLAN_OK;
        return refuse_word(option, option->name, *(const char *const *)member, err);
    case MPLAN_OPTION_STRATEGIES: return check_strategies(option->name, request_of(member), err);
    case MPLAN_OPTION_BOOL:
    case MPLAN_OPTION_U64: break; /* any value */
    }
    return MPLAN_OK;
}

/* The row must exist: only names that are written in the code come here. */
const mplan_plan_option *mplan_plan_option_named(const char *name)
{
    assert(name);
    const mplan_plan_option *option = NULL;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++)
        if (strcmp(option->name, name) == 0)
            break;
    assert(option);
    return option;
}

/* --- from text ---------------------------------------------------------------------------- */

/* A whole number: decimal digits, which may be behind a minus. *overflows: it has more than 63
 * bits, and *number is then not set to it. */
static bool read_whole(const char *text, int64_t *number, bool *overflows)
{
    bool minus = text[0] == '-';
    const char *at = text + minus;
    uint64_t size = 0, most = (uint64_t)INT64_MAX;
    *overflows = false;
    if (!*at)
        return false;
    for (; *at; at++) {
        if (*at < '0' || *at > '9')
            return false;
        uint64_t digit = (uint64_t)(*at - '0');
        *overflows = *overflows || size > (most - digit) / 10;
        size = *overflows ? 0 : 10 * size + digit;
    }
    *number = minus ? -(int64_t)size : (int64_t)size;
    return true;
}

/* A number of bytes: the same, with K, M, G or T behind it or not. */
static bool read_bytes(const char *text, int64_t *number, bool *overflows)
{
    static const char units[] = "KMGT";
    char digits[32];
    const size_t length = strlen(text);
    const char *unit = length ? strchr(units, text[length - 1]) : NULL;
    if (!unit || !*unit || length >= sizeof digits)
        return read_whole(text, number, overflows);
    memcpy(digits, text, length - 1);
    digits[length - 1] = '\0';
    if (!read_whole(digits, number, overflows))
        return false;
    const int shift = 10 * (int)(unit - units + 1);
    *overflows = *overflows || *number < 0 || *number > (INT64_MAX >> shift);
    *number = *overflows ? 0 : *number << shift;
    return true;
}

/* A whole number in the range of the option, into a member of the option's width. */
static mplan_status take_whole(const mplan_plan_option *option, const char *subject,
                               const char *text, void *member, mplan_error *err)
{
    int64_t number = 0;
    bool overflows = false;
    if (!(option->bytes ? read_bytes : read_whole)(text, &number, &overflows))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          option->bytes ? "%s must be a number of bytes such as 16G, not '%s'"
                                        : "%s must be a whole number, not '%s'",
                          subject, text);
    if (overflows || !fits(option, number))
        return refuse_number(option, subject, text, err);
    if (option->kind == MPLAN_OPTION_I32)
        *(int32_t *)member = (int32_t)number;
    else if (option->kind == MPLAN_OPTION_I64)
        *(int64_t *)member = number;
    else
        *(uint64_t *)member = (uint64_t)number;
    return MPLAN_OK;
}

/* The number in text as *member, by the library's own reader, which no locale changes. The set
 * of characters keeps out hexadecimal, infinities and NaN before it. */
static mplan_status take_real(const mplan_plan_option *option, const char *subject,
                              const char *text, void *member, mplan_error *err)
{
    char *end = NULL;
    bool digits = *text && text[strspn(text, "+-.0123456789eE")] == '\0';
    double number = digits ? mplan_number_read(text, &end) : 0;
    if (!digits || end == text || *end)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s must be a number, not '%s'", subject, text);
    if (!fits_real(option, number))
        return refuse_number(option, subject, text, err);
    *(double *)member = number;
    return MPLAN_OK;
}

/* The member's value is the word's place, counted from `first`; for names it is the table's own
 * text, which outlives the caller's; of a file the caller's. */
static mplan_status take_word(const mplan_plan_option *option, const char *subject,
                              const char *text, void *member, mplan_error *err)
{
    int32_t place = find_word(option, text);
    if (place < 0 && option->kind == MPLAN_OPTION_NAME && mplan_device_is_file(text)) {
        *(const char **)member = text;
        return MPLAN_OK;
    }
    if (place < 0)
        return refuse_word(option, subject, text, err);
    if (option->kind == MPLAN_OPTION_BOOL)
        *(bool *)member = place == 1;
    else if (option->kind == MPLAN_OPTION_NAME)
        *(const char **)member = option->word(place);
    else
        *(int *)member = option->first + place;
    return MPLAN_OK;
}

/* Words between commas; word 0, "auto", is the only one then. */
static mplan_status take_strategies(const mplan_plan_option *option, const char *subject,
                                    const char *text, void *member, mplan_error *err)
{
    char *list = member;
    mplan_plan_options *request = (mplan_plan_options *)(list - offsetof(mplan_plan_options,
                                                                         n_strategies));
    int32_t n = 0;
    bool automatic = false;
    for (const char *at = text;; at++) {
        char word[WORD];
        size_t length = strcspn(at, ",");
        mplan_text_format(word, sizeof word, "%.*s", (int)(length < WORD ? length : WORD - 1), at);
        int32_t place = find_word(option, word);
        if (!length)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: an item of the list '%s' is empty",
                              subject, text);
        if (place < 0)
            return refuse_word(option, subject, word, err);
        if (automatic || (place == 0 && n > 0))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: 'auto' must be the only word", subject);
        if (n == MPLAN_MAX_STRATEGIES)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s must have 1 to %d words", subject,
                              MPLAN_MAX_STRATEGIES);
        automatic = place == 0;
        if (!automatic)
            request->strategies[n++] = (mplan_strategy)(place - 1);
        at += length;
        if (!*at)
            break;
    }
    request->n_strategies = n;
    return check_strategies(subject, request, err);
}

/* `subject` begins the sentence of an error: the word of the command line, or the key of the
 * job with its line. *member is written only after success. */
mplan_status mplan_plan_option_read(const mplan_plan_option *option, const char *subject,
                                    const char *text, void *member, mplan_error *err)
{
    MPLAN_NEED(option);
    MPLAN_NEED(subject);
    MPLAN_NEED(text);
    MPLAN_NEED(member);
    switch (option->kind) {
    case MPLAN_OPTION_I32:
    case MPLAN_OPTION_I64:
    case MPLAN_OPTION_U64: return take_whole(option, subject, text, member, err);
    case MPLAN_OPTION_REAL: return take_real(option, subject, text, member, err);
    case MPLAN_OPTION_STRATEGIES: return take_strategies(option, subject, text, member, err);
    case MPLAN_OPTION_BOOL:
    case MPLAN_OPTION_WORD:
    case MPLAN_OPTION_NAME: break;
    }
    return take_word(option, subject, text, member, err);
}

/* --- to text ------------------------------------------------------------------------------ */

/* Words between spaces, as a request has them; "auto" for none. Returns the length of the whole
 * text, as snprintf. */
static size_t write_strategies(const mplan_plan_options *request, char *text, size_t size)
{
    char all[TEXT] = "";
    for (int32_t s = 0; s < request->n_strategies; s++) {
        size_t used = strlen(all);
        mplan_text_format(all + used, sizeof all - used, "%s%s", s ? " " : "",
                          mplan_strategy_name(request->strategies[s]));
    }
    return (size_t)mplan_text_format(text, size, "%s", request->n_strategies ? all : "auto");
}

/* The value as the request of a plan holds it, which mplan_plan_option_read takes back. Returns
 * the length, also where `size` is too small, as snprintf. */
size_t mplan_plan_option_write(const mplan_plan_option *option, const void *member, char *text,
                               size_t size)
{
    char number[MPLAN_NUMBER_ROOM];
    const char *word = NULL;
    if (!option || !member || !text)
        return 0;
    switch (option->kind) {
    case MPLAN_OPTION_I32:
    case MPLAN_OPTION_I64:
        return (size_t)mplan_text_format(text, size, "%" PRId64, whole_of(option, member));
    case MPLAN_OPTION_U64:
        return (size_t)mplan_text_format(text, size, "%" PRIu64, *(const uint64_t *)member);
    case MPLAN_OPTION_REAL:
        /* the shortest of the usual forms that reads back as the same number */
        word = mplan_number_shortest(number, 6, *(const double *)member);
        break;
    case MPLAN_OPTION_STRATEGIES: return write_strategies(request_of(member), text, size);
    case MPLAN_OPTION_NAME: word = *(const char *const *)member; break;
    case MPLAN_OPTION_BOOL:
    case MPLAN_OPTION_WORD: word = word_at(option, place_of(option, member)); break;
    }
    return (size_t)mplan_text_format(text, size, "%s", word ? word : "");
}
