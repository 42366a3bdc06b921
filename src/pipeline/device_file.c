/* SPDX-License-Identifier: Apache-2.0 */
/* device_file.c - profiles of devices in files
 *
 * A profile is a YAML mapping of numbers, one key a line, so that it needs no library. All numbers go into the
 * request of a plan, since two files may have one name. */
#include "pipeline/device_file.h"

#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number_text.h"

typedef enum form { WHOLE32, WHOLE64, REAL } form;

/* A key, the member that it fills, and what it may be; in the order of a request's line. */
static const struct {
    const char *name;
    form form;
    size_t member;
    double least, most;
} keys[] = {
    {"version", WHOLE32, offsetof(mplan_device, version), 1, 1e6},
    {"shared_bytes", WHOLE64, offsetof(mplan_device, shared_bytes), 1024, 1 << 30},
    {"max_threads", WHOLE32, offsetof(mplan_device, max_threads), 32, 65536},
    {"processors", WHOLE32, offsetof(mplan_device, processors), 1, 1e6},
    {"processor_threads", WHOLE32, offsetof(mplan_device, processor_threads), 1, 1e6},
    {"processor_shared_bytes", WHOLE64, offsetof(mplan_device, processor_shared_bytes), 1024, 1 << 30},
    {"l2_bytes", WHOLE64, offsetof(mplan_device, l2_bytes), 1024, 1e12},
    {"warp", WHOLE32, offsetof(mplan_device, warp), 1, 64},
    {"copy_rate", REAL, offsetof(mplan_device, copy_rate), 1e6, 1e18},
    {"flop_rate", REAL, offsetof(mplan_device, flop_rate), 1e6, 1e18},
    {"atomic_rate", REAL, offsetof(mplan_device, atomic_rate), 1e6, 1e18},
    {"shared_rate", REAL, offsetof(mplan_device, shared_rate), 1e6, 1e18},
    {"l2_rate", REAL, offsetof(mplan_device, l2_rate), 1e6, 1e18},
    /* from here on a file need not have it, and a request says it only where it is not 0 */
    {"launch", REAL, offsetof(mplan_device, launch), 1e-9, 1},
    {"link", REAL, offsetof(mplan_device, link), 1e6, 1e18},
    {"link_both", REAL, offsetof(mplan_device, link_both), 1e6, 1e18},
};
enum { N_KEYS = sizeof keys / sizeof *keys, N_NEEDED = N_KEYS - 3, NAME = N_KEYS, LINE = 256 };

/* Names of profiles have no dot: what ends in .yaml is a file. */
bool mplan_device_is_file(const char *word)
{
    static const char ending[] = ".yaml";
    assert(word);
    const size_t n = strlen(word), m = sizeof ending - 1;
    return n > m && strcmp(word + n - m, ending) == 0;
}

/* Key number of the word; NAME for "name", -1 for no key. */
static int key_of(const char *word)
{
    for (int k = 0; k < N_KEYS; k++)
        if (strcmp(word, keys[k].name) == 0)
            return k;
    return strcmp(word, "name") == 0 ? NAME : -1;
}

/* A name goes into requests and tables: letters of ASCII, digits and three signs, with room for its zero. */
static bool is_name(const char *text)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (!isalnum((unsigned char)text[n]) && !strchr("-_.", text[n]))
            return false;
    return n > 0 && n < MPLAN_DEVICE_NAME;
}

/* The text as key k's number. */
static bool take_number(mplan_device *device, int k, const char *text)
{
    char *end;
    const double value = mplan_number_read(text, &end);
    char *member = (char *)device + keys[k].member;
    if (end == text || *end || !(value >= keys[k].least && value <= keys[k].most))
        return false;
    if (keys[k].form != REAL && value != (double)(int64_t)value)
        return false;
    const int32_t narrow = keys[k].form == WHOLE32 ? (int32_t)value : 0;
    const int64_t wide = keys[k].form == WHOLE64 ? (int64_t)value : 0;
    if (keys[k].form == REAL)
        memcpy(member, &value, sizeof value);
    else if (keys[k].form == WHOLE32)
        memcpy(member, &narrow, sizeof narrow);
    else
        memcpy(member, &wide, sizeof wide);
    return true;
}

/* A profile that is being read. */
typedef struct reading {
    const char *path;
    long long line;
    bool seen[N_KEYS + 1];
    mplan_device *device;
    char *name;
} reading;

/* One line without its end, which is cut into key and value. */
static mplan_status take_line(reading *in, char *line, mplan_error *err)
{
    line[strcspn(line, "#\r")] = '\0';
    char *key = line + strspn(line, " \t");
    if (!*key || strcmp(key, "---") == 0)
        return MPLAN_OK;
    char *value = key + strcspn(key, ":");
    if (*value)
        *value++ = '\0';
    value += strspn(value, " \t");
    for (size_t n = strlen(value); n > 0 && strchr(" \t", value[n - 1]); n--)
        value[n - 1] = '\0';
    const int k = key_of(key);
    if (k < 0)
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s:%lld: a profile of a device has no key '%s'",
                          in->path, in->line, key);
    if (in->seen[k])
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s:%lld: key '%s' comes twice", in->path,
                          in->line, key);
    in->seen[k] = true;
    if (k < NAME ? !take_number(in->device, k, value) : !is_name(value))
        return mplan_fail(err, MPLAN_ERR_FORMAT,
                          k < NAME
                              ? "%s:%lld: '%s' cannot be '%s'; it is a number in its range"
                              : "%s:%lld: '%s' cannot be '%s'; it is up to 31 letters, digits, - _ .",
                          in->path, in->line, key, value);
    if (k == NAME)
        mplan_text_format(in->name, MPLAN_DEVICE_NAME, "%s", value);
    return MPLAN_OK;
}

/* All lines, then what lacks. */
static mplan_status take_text(reading *in, const char *text, size_t size, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (size_t at = 0; at < size && !status;) {
        char line[LINE];
        const char *end = memchr(text + at, '\n', size - at);
        const size_t n = end ? (size_t)(end - (text + at)) : size - at;
        in->line++;
        if (n >= LINE || memchr(text + at, 0, n))
            return mplan_fail(err, MPLAN_ERR_FORMAT, "%s:%lld: not a line of a profile of a device",
                              in->path, in->line);
        memcpy(line, text + at, n);
        line[n] = '\0';
        status = take_line(in, line, err);
        at += n + 1;
    }
    for (int k = 0; k <= NAME && !status; k++)
        if (!in->seen[k] && (k < N_NEEDED || k == NAME))
            return mplan_fail(err, MPLAN_ERR_FORMAT, "%s: the profile of a device lacks '%s'",
                              in->path, k < NAME ? keys[k].name : "name");
    return status;
}

/* `name` has room for the profile's name, which *device points to: it must live as long. Keys
 * that the file lacks are an error; take_text says which. */
mplan_status mplan_device_read(const char *path, const mplan_context *context, mplan_device *device,
                               char *name, mplan_error *err)
{
    assert(path && device && name);
    mplan_file file = {0};
    mplan_status status = mplan_file_open(path, context, &file, err);
    if (status)
        return status;
    *device = (mplan_device){.name = name, .source = "a file"};
    reading in = {.path = path, .device = device, .name = name};
    status = take_text(&in, (const char *)file.data, file.size, err);
    mplan_file_close(&file);
    return status;
}

/* Key k's number of a profile as text, `room` at least MPLAN_NUMBER_ROOM bytes. Members are read by their form, because
 * they differ in type. The number too, for its range. */
static double number_text(const mplan_device *device, int k, char *text, size_t room)
{
    const char *member = (const char *)device + keys[k].member;
    double real = 0;
    int32_t narrow = 0;
    int64_t wide = 0;
    memcpy(&real, member, keys[k].form == REAL ? sizeof real : 0);
    memcpy(&narrow, member, keys[k].form == WHOLE32 ? sizeof narrow : 0);
    memcpy(&wide, member, keys[k].form == WHOLE64 ? sizeof wide : 0);
    if (keys[k].form == REAL) {
        mplan_number_shortest(text, 1, real);
        return real;
    }
    wide = keys[k].form == WHOLE32 ? narrow : wide;
    mplan_text_format(text, room, "%lld", (long long)wide);
    return (double)wide;
}

/* The keys that a line must have: up to the last that is not 0, since a line has no names. */
static int keys_of_line(const mplan_device *device)
{
    char number[MPLAN_NUMBER_ROOM];
    int n = N_KEYS;
    while (n > N_NEEDED && number_text(device, n - 1, number, sizeof number) == 0)
        n--;
    return n;
}

/* All figures of a profile in one line, in the order of `keys`, cut to `size`: what a plan
 * keeps of the device, so that equal profiles give equal lines. */
void mplan_device_line(const mplan_device *device, char *text, size_t size)
{
    assert(device && text && size > 0);
    size_t used = (size_t)mplan_text_format(text, size, "profile");
    const int n = keys_of_line(device);
    for (int k = 0; k < n && used < size; k++) {
        char number[MPLAN_NUMBER_ROOM];
        number_text(device, k, number, sizeof number);
        used += (size_t)mplan_text_format(text + used, size - used, " %s", number);
    }
}

/* A line for the name, one for each of `keys`: what take_text reads. */
mplan_status mplan_device_text(const mplan_device *device, char *text, int32_t size, mplan_error *err)
{
    MPLAN_NEED(device);
    MPLAN_NEED(text);
    if (!device->name || !is_name(device->name))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "mplan_device_text: a name must be up to 31 letters, digits, - _ .");
    const size_t room = size > 0 ? (size_t)size : 0;
    size_t used = (size_t)mplan_text_format(text, room, "name: %s\n", device->name);
    for (int k = 0; k < N_KEYS && used < room; k++) {
        char number[MPLAN_NUMBER_ROOM];
        const double value = number_text(device, k, number, sizeof number);
        if (value == 0 && k >= N_NEEDED)
            continue;
        if (!(value >= keys[k].least && value <= keys[k].most))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "mplan_device_text: %s cannot be %s",
                              keys[k].name, number);
        used += (size_t)mplan_text_format(text + used, room - used, "%s: %s\n", keys[k].name, number);
    }
    return used < room ? MPLAN_OK
                       : mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                    "mplan_device_text: %d bytes are too few", (int)size);
}

/* The rates among `keys`, in the order of mplan_rate: they lie one behind the other. */
enum { FIRST_RATE = N_NEEDED - MPLAN_N_RATES };

/* The key of the rate in files of profiles; NULL: there is no such rate. */
const char *mplan_rate_name(mplan_rate rate)
{
    return (int)rate >= 0 && rate < MPLAN_N_RATES ? keys[FIRST_RATE + (int)rate].name : NULL;
}

/* Where the profile has the rate; NULL as above. */
double *mplan_device_rate(mplan_device *device, mplan_rate rate)
{
    const bool known = device && (int)rate >= 0 && rate < MPLAN_N_RATES;
    return known ? (double *)(void *)((char *)device + keys[FIRST_RATE + (int)rate].member) : NULL;
}
