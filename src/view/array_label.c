/* SPDX-License-Identifier: Apache-2.0 */
/* array_label.c - names for the arrays of a plan, made from their keys */
#include "view/array_label.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of one name within a file name: four of them stay below 255. */
#define LONGEST_PART 48

/* Name of set i; "" where the plan has none. This and the next two name parts of a key. */
static const char *set_name(const mplan_plan *plan, uint32_t i)
{
    return i < (uint32_t)plan->n_sets ? plan->sets[i].name : "";
}

static const char *map_name(const mplan_plan *plan, uint32_t i)
{
    return i < (uint32_t)plan->n_maps ? plan->maps[i].name : "";
}

static const char *loop_name(const mplan_plan *plan, uint32_t i)
{
    return i < (uint32_t)plan->n_loops ? plan->loops[i].name : "";
}

#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
/* Adds to the text, which is cut off at MPLAN_LABEL_BYTES. */
append(char text[MPLAN_LABEL_BYTES], const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, MPLAN_LABEL_BYTES - used, format, args);
    va_end(args);
}

/* For people: "new_of_old of set cells". */
void mplan_array_label(const mplan_plan *plan, const mplan_key *key, char text[MPLAN_LABEL_BYTES])
{
    const char *name = mplan_kind_name(key->kind);
    const char *before = " of ";
    snprintf(text, MPLAN_LABEL_BYTES, "%s", name ? name : "an array");
    if (key->set != MPLAN_UNUSED) {
        append(text, "%sset %.100s", before, set_name(plan, key->set));
        before = ", ";
    }
    if (key->map != MPLAN_UNUSED) {
        append(text, "%smap %.100s", before, map_name(plan, key->map));
        before = ", ";
    }
    if (key->loop != MPLAN_UNUSED) {
        append(text, "%sloop %.100s", before, loop_name(plan, key->loop));
        before = ", ";
    }
    if (key->variant != MPLAN_UNUSED) {
        append(text, "%svariant %u", before, (unsigned)key->variant);
        before = ", ";
    }
    if (key->block_set != MPLAN_UNUSED)
        append(text, "%sblock set %u", before, (unsigned)key->block_set);
}

/* Whether every file system takes the character in a name. */
static bool fit_for_files(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("_.-+", c) != NULL;
}

typedef const char *(*name_of)(const mplan_plan *plan, uint32_t i);

/* "-set-cells"; "~3" behind a name that is not its own or not unique.
 * The number makes names distinct that were cut to LONGEST_PART bytes, changed, or equal to an earlier one. */
static void append_part(const mplan_plan *plan, const char *word, name_of name, uint32_t i,
                        char text[MPLAN_LABEL_BYTES])
{
    const char *full = name(plan, i);
    char part[LONGEST_PART + 1];
    bool changed = strlen(full) > LONGEST_PART;
    snprintf(part, sizeof part, "%s", full);
    for (char *c = part; *c; c++) {
        if (fit_for_files(*c))
            continue;
        *c = '_';
        changed = true;
    }
    for (uint32_t k = 0; k < i && !changed; k++)
        changed = strcmp(name(plan, k), full) == 0;
    append(text, "%s-%s-", word, part);
    if (changed) {
        text[strlen(text) - 1] = '~';
        append(text, "%u-", (unsigned)i);
    }
}

/* For files: only letters, digits and marks that every file system takes. */
void mplan_array_file_stem(const mplan_plan *plan, const mplan_key *key, char text[MPLAN_LABEL_BYTES])
{
    const char *name = mplan_kind_name(key->kind);
    text[0] = '\0';
    if (key->loop != MPLAN_UNUSED)
        append_part(plan, "loop", loop_name, key->loop, text);
    if (key->variant != MPLAN_UNUSED)
        append(text, "variant%u-", (unsigned)key->variant);
    if (key->block_set != MPLAN_UNUSED)
        append(text, "blocks%u-", (unsigned)key->block_set);
    if (key->set != MPLAN_UNUSED)
        append_part(plan, "set", set_name, key->set, text);
    if (key->map != MPLAN_UNUSED)
        append_part(plan, "map", map_name, key->map, text);
    append(text, "%s", name ? name : "array");
}
