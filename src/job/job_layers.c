/* SPDX-License-Identifier: Apache-2.0 */
/* job_layers.c - what a job says of layers: `layers`, and keys of loops and args
 *
 * Read behind the loops, whose records the library has beside those of layers (mplan_layers). */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "job/job_fields.h"

enum { COLUMN_WORDS = 3 };

/* The words of an order of levels. */
static mplan_status read_columns(mplan_job_reader *reader, const mplan_job_value *value,
                                 mplan_columns *columns)
{
    const char *words[COLUMN_WORDS + 1] = {NULL};
    for (int i = 0; i < COLUMN_WORDS; i++)
        words[i] = mplan_columns_name((mplan_columns)i);
    if (value->kind == MPLAN_JOB_SCALAR && mplan_columns_from(value->text, columns))
        return MPLAN_OK;
    return mplan_job_fail_word(reader, value, "columns", words);
}

/* A whole number, if the key is there.
 * *number keeps its value where the key is not there, and so begins as the default. */
static mplan_status read_number(mplan_job_reader *reader, const mplan_job_value *of,
                                const char *key, int64_t low, int64_t high, int32_t *number)
{
    const mplan_job_value *value = mplan_job_child(of, key);
    int64_t read = *number;
    mplan_status status = value ? mplan_job_whole(reader, key, value, low, high, &read) : MPLAN_OK;
    *number = (int32_t)read;
    return status;
}

/* A list of whole numbers, if the key is there; *n of them, at most MPLAN_MAX_SLOTS.
 * numbers has room for MPLAN_MAX_SLOTS; entries from *n on keep what they held. */
static mplan_status read_list(mplan_job_reader *reader, const mplan_job_value *of, const char *key,
                              int32_t *numbers, int32_t *n)
{
    const mplan_job_value *value = mplan_job_child(of, key);
    *n = 0;
    if (!value)
        return MPLAN_OK;
    mplan_status status = mplan_job_require(reader, key, value, MPLAN_JOB_LIST);
    if (!status && (value->n < 1 || value->n > MPLAN_MAX_SLOTS))
        status = mplan_job_fail(reader, value, "%s must have 1 to %d numbers", key, MPLAN_MAX_SLOTS);
    for (const mplan_job_value *item = value->first; item && !status; item = item->next) {
        int64_t number;
        status = mplan_job_whole(reader, key, item, 0, MPLAN_MAX_LAYERS, &number);
        if (!status)
            numbers[(*n)++] = (int32_t)number;
    }
    return status;
}

/* offsets: each slot of the map with each of them; with slots: one offset for each.
 * Without both keys: every slot of the map, with offset 0. */
static mplan_status read_slots(mplan_job_reader *reader, const mplan_job_value *arg,
                               mplan_arg_layers *layers)
{
    int32_t of[MPLAN_MAX_SLOTS], offset[MPLAN_MAX_SLOTS] = {0}, n, n_offsets;
    mplan_status status = read_list(reader, arg, "slots", of, &n);
    if (!status)
        status = read_list(reader, arg, "offsets", offset, &n_offsets);
    if (status)
        return status;
    if (n > 0 && n_offsets > 0 && n != n_offsets)
        return mplan_job_fail(reader, mplan_job_child(arg, "offsets"),
                              "slots and offsets must have as many numbers");
    layers->n_slots = n > 0 ? n : n_offsets > 0 ? n_offsets : 1;
    for (int32_t k = 0; k < layers->n_slots; k++)
        layers->slots[k] = (mplan_slot){n > 0 ? of[k] : MPLAN_EVERY_SLOT, offset[k]};
    return MPLAN_OK;
}

/* Levels of one arg; without the key it has none, and no other key of levels. */
static mplan_status read_arg(mplan_job_reader *reader, const mplan_job_value *arg,
                             mplan_arg_layers *layers)
{
    static const char *const keys[] = {"stride", "offsets", "slots", "rows", "columns"};
    const mplan_job_value *columns = mplan_job_child(arg, "columns");
    *layers = (mplan_arg_layers){0};
    mplan_status status = read_number(reader, arg, "levels", 1, 1048576, &layers->levels);
    for (size_t k = 0; k < sizeof keys / sizeof *keys && !status && !layers->levels; k++)
        if (mplan_job_child(arg, keys[k]))
            status = mplan_job_fail(reader, mplan_job_child(arg, keys[k]), "'%s' needs 'levels'",
                                    keys[k]);
    if (status || !layers->levels)
        return status;
    layers->stride = 1;
    status = read_number(reader, arg, "stride", 1, 1048576, &layers->stride);
    if (!status)
        status = read_number(reader, arg, "rows", 1, MPLAN_MAX_SLOTS, &layers->rows);
    if (!status && columns)
        status = read_columns(reader, columns, &layers->columns);
    return status ? status : read_slots(reader, arg, layers);
}

/* `layered: true`, `layered: columns`; args of other loops have no levels.
 * l: the number of the loop. *layered: whether *out goes into the list of loops with layers. */
static mplan_status read_loop(mplan_job_reader *reader, const mplan_job_value *loop, int32_t l,
                              mplan_layered_loop *out, bool *layered)
{
    static const char *const words[] = {"true", "false", "columns", NULL};
    const mplan_job_value *value = mplan_job_child(loop, "layered");
    *layered = value != NULL;
    *out = (mplan_layered_loop){l, MPLAN_LAYERING_NONE};
    if (!value)
        return MPLAN_OK;
    if (value->kind == MPLAN_JOB_SCALAR && strcmp(value->text, "columns") == 0)
        out->layering = MPLAN_LAYERING_COLUMNS;
    else if (value->kind == MPLAN_JOB_SCALAR && strcmp(value->text, "true") == 0)
        out->layering = MPLAN_LAYERING_LAYERS;
    else if (value->kind == MPLAN_JOB_SCALAR && strcmp(value->text, "false") == 0)
        *layered = false;
    else
        return mplan_job_fail_word(reader, value, "layered", words);
    return MPLAN_OK;
}

/* `{file: depths.txt, layers: 70, mask: wet.npy}`, `{layers: 70, mask: wet.npy}` or `{map: edges_cells}`. */
static mplan_status read_waiting(mplan_job_reader *reader, const mplan_job_value *value,
                                 mplan_job_layers *out)
{
    static const mplan_job_field fields[] = {
        {.key = "file", .read = mplan_job_path, .offset = offsetof(mplan_job_layers, file)},
        {.key = "map", .read = mplan_job_text, .offset = offsetof(mplan_job_layers, map)},
        {.key = "layers",
         .read = mplan_job_i32,
         .offset = offsetof(mplan_job_layers, layers),
         .low = 1,
         .high = MPLAN_MAX_LAYERS},
        {.key = "mask", .read = mplan_job_path, .offset = offsetof(mplan_job_layers, mask)},
        {0}};
    mplan_status status = mplan_job_mapping(reader, value, "layers of a set", fields, out);
    const bool number = out->layers && out->mask;
    if (!status && (out->file && out->map ? true : !out->file && !out->map && !number))
        return mplan_job_fail(reader, value,
                              "layers of a set need one of 'file' and 'map', or 'layers' and 'mask'");
    if (!status && out->map && (out->layers || out->mask))
        return mplan_job_fail(reader, mplan_job_child(value, out->layers ? "layers" : "mask"),
                              "with 'map', the layers are those of the other set");
    return status;
}

/* `layers`: sets and how many layers each has, or where the mesh gets them from.
 * Both lists have room for all children; each child goes into one of them: numbers into the options, mappings into
 * the job, since only its mesh can answer them. */
static mplan_status read_sets(mplan_job_reader *reader, const mplan_job_value *value,
                              mplan_layers *layers, mplan_job *job)
{
    mplan_status status = mplan_job_require(reader, "layers", value, MPLAN_JOB_MAPPING);
    if (status)
        return status;
    mplan_layered_set *sets = mplan_job_take(reader->arena, value->n, sizeof *sets, reader->err);
    mplan_job_layers *waiting = mplan_job_take(reader->arena, value->n, sizeof *waiting, reader->err);
    if (!sets || !waiting)
        return MPLAN_ERR_MEMORY;
    job->layers = waiting;
    for (const mplan_job_value *child = value->first; child && !status; child = child->next) {
        int64_t number = 0;
        if (mplan_job_child(value, child->key->text) != child)
            return mplan_job_fail(reader, child->key, "set '%s' is given twice", child->key->text);
        if (child->kind == MPLAN_JOB_MAPPING) {
            mplan_job_layers *one = &waiting[job->n_layers++];
            one->set = child->key->text;
            status = read_waiting(reader, child, one);
            continue;
        }
        status = mplan_job_whole(reader, "the layers of a set", child, 1, MPLAN_MAX_LAYERS, &number);
        sets[layers->n_sets++] = (mplan_layered_set){child->key->text, (int32_t)number, NULL, NULL};
    }
    layers->sets = sets;
    return status;
}

/* Loops and args by their numbers. n_args: of all loops.
 * loops and args have room for all; kept are those with layers or levels, in the order of the file. */
static mplan_status read_loops(mplan_job_reader *reader, const mplan_job_value *list,
                               int64_t n_args, mplan_layers *layers)
{
    mplan_layered_loop *loops = mplan_job_take(reader->arena, list->n, sizeof *loops, reader->err);
    mplan_layered_arg *args = mplan_job_take(reader->arena, n_args, sizeof *args, reader->err);
    mplan_status status = loops && args ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int32_t l = 0;
    for (const mplan_job_value *loop = list->first; loop && !status; loop = loop->next, l++) {
        bool layered;
        int32_t a = 0;
        status = read_loop(reader, loop, l, &loops[layers->n_loops], &layered);
        layers->n_loops += layered;
        const mplan_job_value *arg = status ? NULL : mplan_job_child(loop, "args")->first;
        for (; arg && !status; arg = arg->next, a++) {
            mplan_layered_arg *out = &args[layers->n_args];
            *out = (mplan_layered_arg){.loop = l, .arg = a};
            status = read_arg(reader, arg, &out->layers);
            if (!status && out->layers.levels && !layered)
                status = mplan_job_fail(reader, mplan_job_child(arg, "levels"),
                                        "levels are for args of loops that are layered");
            layers->n_args += out->layers.levels > 0;
        }
    }
    layers->loops = loops;
    layers->args = args;
    return status;
}

/* The loops of the job were read before. Options get layers only where the job has numbers of layers of a set, or
 * loops with layers. */
mplan_status mplan_job_read_layers(mplan_job_reader *reader, const mplan_job_value *root,
                                   mplan_job *job)
{
    const mplan_job_value *value = mplan_job_child(root, "layers");
    const mplan_job_value *list = mplan_job_child(root, "loops");
    int64_t n_args = 0;
    for (int32_t l = 0; l < job->n_loops; l++)
        n_args += job->loops[l].n_args;
    mplan_layers *layers = mplan_job_take(reader->arena, 1, sizeof *layers, reader->err);
    if (!layers)
        return MPLAN_ERR_MEMORY;
    *layers = (mplan_layers){0};
    mplan_status status = value ? read_sets(reader, value, layers, job) : MPLAN_OK;
    if (!status)
        status = read_loops(reader, list, n_args, layers);
    if (!status && (layers->n_sets || layers->n_loops))
        reader->options->layers = layers;
    return status;
}
