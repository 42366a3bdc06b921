/* SPDX-License-Identifier: Apache-2.0 */
/* binding.c - what the Python package calls: public functions of meshplan.h with plain arguments only
 *
 * So Python (ctypes) needs to know no struct of the library. Every function returns a mplan_status, or a pointer or number
 * where it cannot fail; `text` (MPLAN_ERROR_TEXT bytes) gets the sentence of a failure. */
#include <stdlib.h>
#include <string.h>

#include "meshplan.h"

#define EXPORT __attribute__((visibility("default")))

/* Told of each warning; NULL: nobody. */
typedef void warning_function(const char *text);

/* An option of the planner, by its key in a job file, and its value as text. */
typedef struct text_pair {
    const char *key, *value;
} text_pair;

/* Layers as Python hands them over. numbers: how many loops have layers, for each its number and a mplan_layered; how many
 * args have levels, for each its loop, its number, levels, stride, rows, a mplan_columns, how many slots, and two numbers for
 * each of these: of and offset. */
typedef struct flat_layers {
    int32_t n_sets;
    const char *const *names;     /* of n_sets sets */
    const int32_t *layers;        /* of n_sets sets */
    const int32_t *const *ranges; /* of n_sets sets: NULL, or two numbers for each member */
    const uint32_t *const *masks; /* of n_sets sets: NULL, or mplan_layered_set's mask */
    const int32_t *numbers;
} flat_layers;

static void on_warning(void *user, const char *text)
{
    warning_function *told = *(warning_function **)user;
    if (told)
        told(text);
}

/* told must stay while the context is used. */
static mplan_context context_of(int32_t threads, int64_t memory, warning_function **told)
{
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = threads;
    context.max_memory = memory;
    context.warning = on_warning;
    context.user = told;
    return context;
}

static int32_t end(mplan_status status, const mplan_error *err, char *text)
{
    if (status)
        memcpy(text, err->text[0] ? err->text : "", strlen(err->text) + 1);
    return (int32_t)status;
}

EXPORT int32_t mpy_error_bytes(void);
EXPORT const char *mpy_version(void);
EXPORT const char *mpy_library(int32_t i);
EXPORT const char *mpy_status_name(int32_t status);
EXPORT int32_t mpy_mesh_create(mplan_mesh **mesh, char *text);
EXPORT void mpy_mesh_free(mplan_mesh *mesh);
EXPORT int32_t mpy_add_set(mplan_mesh *mesh, const char *name, int64_t size, char *text);
EXPORT int32_t mpy_add_map(mplan_mesh *mesh, const char *name, const char *from, const char *to,
                           int32_t arity, const int64_t *offsets, const int32_t *values, char *text);
EXPORT int32_t mpy_set_coordinates(mplan_mesh *mesh, const char *set, int32_t dimension,
                                   const double *values, char *text);
EXPORT int32_t mpy_add_group(mplan_mesh *mesh, const char *name, const char *set, int64_t n,
                             const int32_t *members, char *text);
EXPORT int32_t mpy_mesh_read(const char *path, const char *format, const char *zone, int32_t threads,
                             int64_t memory, warning_function *told, mplan_mesh **mesh, char *text);
EXPORT int32_t mpy_mesh_refine(const mplan_mesh *mesh, int32_t times, int32_t threads,
                               warning_function *told, mplan_mesh **refined, char *text);
EXPORT int32_t mpy_mesh_write(const mplan_mesh *mesh, const char *path, const char *format,
                              const char *what, int32_t threads, warning_function *told, char *text);
EXPORT int32_t mpy_mesh_derive(mplan_mesh *mesh, const char *name, int32_t threads,
                               warning_function *told, char *text);
EXPORT void mpy_mesh_counts(const mplan_mesh *mesh, int32_t counts[3]);
EXPORT const char *mpy_mesh_format(const mplan_mesh *mesh);
EXPORT const char *mpy_mesh_faces_name(const mplan_mesh *mesh);
EXPORT const char *mpy_set(const mplan_mesh *mesh, int32_t i, int64_t *size);
EXPORT const double *mpy_coordinates(const mplan_mesh *mesh, int32_t set, int32_t *dimension);
EXPORT const char *mpy_map(const mplan_mesh *mesh, int32_t i, int64_t about[5],
                           const int64_t **offsets, const int32_t **values);
EXPORT const char *mpy_group(const mplan_mesh *mesh, int32_t i, int64_t about[3],
                             const int32_t **members);
EXPORT const char *mpy_option_key(int32_t i);
EXPORT int32_t mpy_plan(mplan_mesh *mesh, int32_t n_loops, const char *const *loop_names,
                        const char *const *overs, const int64_t *numbers, const char *const *words,
                        const flat_layers *layers, int32_t n_options, const text_pair *options,
                        int32_t threads, int64_t memory, warning_function *told, const char *path,
                        int32_t compress, char *text);
EXPORT int32_t mpy_verify(const void *bytes, int64_t size, const char *name, mplan_mesh *mesh,
                          int32_t threads, warning_function *told, char *text);

int32_t mpy_error_bytes(void)
{
    return MPLAN_ERROR_TEXT;
}

const char *mpy_version(void)
{
    return mplan_version();
}

const char *mpy_library(int32_t i)
{
    return mplan_library(i);
}

const char *mpy_status_name(int32_t status)
{
    return mplan_status_name((mplan_status)status);
}

/* --- meshes ------------------------------------------------------------------------- */

int32_t mpy_mesh_create(mplan_mesh **mesh, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    return end(mplan_mesh_create(mesh, &err), &err, text);
}

void mpy_mesh_free(mplan_mesh *mesh)
{
    mplan_mesh_free(mesh);
}

int32_t mpy_add_set(mplan_mesh *mesh, const char *name, int64_t size, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    return end(mplan_mesh_add_set(mesh, name, size, NULL, &err), &err, text);
}

/* Sets by their names, which the caller has added. */
int32_t mpy_add_map(mplan_mesh *mesh, const char *name, const char *from, const char *to,
                    int32_t arity, const int64_t *offsets, const int32_t *values, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    int32_t source = mplan_mesh_find_set(mesh, from), target = mplan_mesh_find_set(mesh, to);
    return end(mplan_mesh_add_map(mesh, name, source, target, arity, offsets, values, NULL, &err),
               &err, text);
}

int32_t mpy_set_coordinates(mplan_mesh *mesh, const char *set, int32_t dimension,
                            const double *values, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    int32_t index = mplan_mesh_find_set(mesh, set);
    return end(mplan_mesh_set_coordinates(mesh, index, dimension, values, &err), &err, text);
}

/* The number of a group is its place. */
int32_t mpy_add_group(mplan_mesh *mesh, const char *name, const char *set, int64_t n,
                      const int32_t *members, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    int32_t index = mplan_mesh_find_set(mesh, set);
    return end(mplan_mesh_add_group(mesh, name, mplan_mesh_n_groups(mesh), 0, index, n, members, &err),
               &err, text);
}

int32_t mpy_mesh_read(const char *path, const char *format, const char *zone, int32_t threads,
                      int64_t memory, warning_function *told, mplan_mesh **mesh, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_context context = context_of(threads, memory, &told);
    mplan_read_options how = MPLAN_READ_OPTIONS_INIT;
    how.format = format;
    how.zone = zone;
    return end(mplan_mesh_read(path, &how, &context, mesh, &err), &err, text);
}

int32_t mpy_mesh_refine(const mplan_mesh *mesh, int32_t times, int32_t threads,
                        warning_function *told, mplan_mesh **refined, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_context context = context_of(threads, 0, &told);
    return end(mplan_mesh_refine(mesh, times, &context, refined, &err), &err, text);
}

int32_t mpy_mesh_write(const mplan_mesh *mesh, const char *path, const char *format,
                       const char *what, int32_t threads, warning_function *told, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_context context = context_of(threads, 0, &told);
    return end(mplan_mesh_write(mesh, path, format, what, &context, &err), &err, text);
}

int32_t mpy_mesh_derive(mplan_mesh *mesh, const char *name, int32_t threads, warning_function *told,
                        char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_context context = context_of(threads, 0, &told);
    return end(mplan_mesh_derive(mesh, name, &context, &err), &err, text);
}

/* counts: of sets, maps, groups. */
void mpy_mesh_counts(const mplan_mesh *mesh, int32_t counts[3])
{
    counts[0] = mplan_mesh_n_sets(mesh);
    counts[1] = mplan_mesh_n_maps(mesh);
    counts[2] = mplan_mesh_n_groups(mesh);
}

const char *mpy_mesh_format(const mplan_mesh *mesh)
{
    return mplan_mesh_format(mesh);
}

const char *mpy_mesh_faces_name(const mplan_mesh *mesh)
{
    return mplan_mesh_faces_name(mesh);
}

const char *mpy_set(const mplan_mesh *mesh, int32_t i, int64_t *size)
{
    mplan_set set = mplan_mesh_set(mesh, i);
    *size = set.size;
    return set.name;
}

const double *mpy_coordinates(const mplan_mesh *mesh, int32_t set, int32_t *dimension)
{
    return mplan_mesh_coordinates(mesh, set, dimension);
}

/* about: sets from and to, arity, rows, entries. */
const char *mpy_map(const mplan_mesh *mesh, int32_t i, int64_t about[5], const int64_t **offsets,
                    const int32_t **values)
{
    mplan_map map = mplan_mesh_map(mesh, i);
    about[0] = map.from;
    about[1] = map.to;
    about[2] = map.arity;
    about[3] = map.n_rows;
    about[4] = mplan_map_entries(&map);
    *offsets = map.offsets;
    *values = map.values;
    return map.name;
}

/* about: set, the file's number, members. */
const char *mpy_group(const mplan_mesh *mesh, int32_t i, int64_t about[3], const int32_t **members)
{
    mplan_group group = mplan_mesh_group(mesh, i);
    about[0] = group.set;
    about[1] = group.id;
    about[2] = group.n_members;
    *members = group.members;
    return group.name;
}

/* --- plans -------------------------------------------------------------------------- */

/* Key i of the planner's options; NULL past the last. */
const char *mpy_option_key(int32_t i)
{
    const mplan_plan_option *option = mplan_plan_option_get(i);
    return option ? option->key : NULL;
}

static mplan_status set_option(mplan_plan_options *request, const text_pair *pair, mplan_error *err)
{
    const mplan_plan_option *option;
    for (int32_t i = 0; (option = mplan_plan_option_get(i)) != NULL; i++)
        if (!strcmp(option->key, pair->key))
            return mplan_plan_option_read(option, pair->key, pair->value,
                                          (char *)request + option->offset, err);
    return MPLAN_ERR_ARGUMENT; /* Python knows the keys */
}

/* The words of an arg: dat, map ("" direct), access, type, none. */
enum { ARG_WORDS = 5, LOOP_NUMBERS = 4 };

static mplan_status read_arg(const char *const *words, int64_t dim, mplan_arg *arg, mplan_error *err)
{
    *arg = (mplan_arg){.dat = words[0], .map = words[1][0] ? words[1] : NULL, .dim = (int32_t)dim};
    const char *wrong = !mplan_access_from(words[2], &arg->access) ? words[2]
                        : !mplan_type_from(words[3], &arg->type)   ? words[3]
                        : !mplan_none_from(words[4], &arg->none)   ? words[4]
                                                                   : NULL;
    if (!wrong)
        return MPLAN_OK;
    static const char head[] = "unknown word in an arg: ";
    size_t length = strlen(wrong) < 80 ? strlen(wrong) : 80;
    memcpy(err->text, head, sizeof head - 1);
    memcpy(err->text + sizeof head - 1, wrong, length);
    err->text[sizeof head - 1 + length] = '\0';
    return MPLAN_ERR_ARGUMENT;
}

/* Layers for the planner, in one piece that is freed with free(); NULL without memory. Slots are at most MPLAN_MAX_SLOTS,
 * which Python sees to. */
static mplan_layers *unpack_layers(const flat_layers *flat)
{
    const int32_t *at = flat->numbers, n_loops = *at;
    const int32_t n_args = at[1 + 2 * n_loops];
    mplan_layers *made = calloc(1, sizeof *made + (size_t)flat->n_sets * sizeof *made->sets +
                                       (size_t)n_loops * sizeof *made->loops +
                                       (size_t)n_args * sizeof *made->args);
    if (!made)
        return NULL;
    mplan_layered_set *sets = (mplan_layered_set *)(made + 1);
    mplan_layered_loop *loops = (mplan_layered_loop *)(sets + flat->n_sets);
    mplan_layered_arg *args = (mplan_layered_arg *)(loops + n_loops);
    *made = (mplan_layers){flat->n_sets, n_loops, n_args, sets, loops, args};
    for (int32_t i = 0; i < flat->n_sets; i++)
        sets[i] = (mplan_layered_set){flat->names[i], flat->layers[i], flat->ranges[i],
                                      flat->masks[i]};
    at++;
    for (int32_t i = 0; i < n_loops; i++, at += 2)
        loops[i] = (mplan_layered_loop){at[0], (mplan_layered)at[1]};
    at++;
    for (int32_t i = 0; i < n_args; i++) {
        mplan_arg_layers *one = &args[i].layers;
        args[i].loop = at[0];
        args[i].arg = at[1];
        *one = (mplan_arg_layers){.levels = at[2],
                                  .stride = at[3],
                                  .rows = at[4],
                                  .columns = (mplan_columns)at[5],
                                  .n_slots = at[6]};
        at += 7;
        for (int32_t k = 0; k < one->n_slots; k++, at += 2)
            one->slots[k] = (mplan_slot){at[0], at[1]};
    }
    return made;
}

/* Plans, proves and writes, as the command does. */
static mplan_status make(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                         const mplan_plan_options *request, const mplan_context *context,
                         const char *path, bool compress, mplan_error *err)
{
    mplan_plan *plan = NULL;
    mplan_write_options how = MPLAN_WRITE_OPTIONS_INIT;
    how.compress = compress;
    mplan_status status = mplan_plan_create(mesh, n_loops, loops, request, context, &plan, err);
    if (!status)
        status = mplan_plan_verify(plan, mesh, context, err);
    if (!status)
        status = mplan_plan_write(plan, path, &how, context, NULL, err);
    mplan_plan_free(plan);
    return status;
}

/* numbers: for each loop primary, calls, flops and how many args, then the dim of each of them; words: five for
 * each arg of all loops. layers: NULL where no loop has any. */
int32_t mpy_plan(mplan_mesh *mesh, int32_t n_loops, const char *const *loop_names,
                 const char *const *overs, const int64_t *numbers, const char *const *words,
                 const flat_layers *layers, int32_t n_options, const text_pair *options,
                 int32_t threads, int64_t memory, warning_function *told, const char *path,
                 int32_t compress, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_context context = context_of(threads, memory, &told);
    mplan_layers *unpacked = layers ? unpack_layers(layers) : NULL;
    mplan_plan_options request = MPLAN_PLAN_OPTIONS_INIT;
    mplan_status status = MPLAN_OK;
    int64_t n_args = 0;
    const int64_t *at = numbers;
    for (int32_t l = 0; l < n_loops; l++, at += LOOP_NUMBERS + at[3])
        n_args += at[3];
    mplan_loop *loops = calloc((size_t)n_loops + 1, sizeof *loops);
    mplan_arg *args = calloc((size_t)n_args + 1, sizeof *args), *arg = args;
    if (!loops || !args || (layers && !unpacked))
        status = MPLAN_ERR_MEMORY;
    request.layers = unpacked;
    at = numbers;
    for (int32_t l = 0; l < n_loops && !status; l++, at += LOOP_NUMBERS + at[3]) {
        loops[l] = (mplan_loop){loop_names[l], overs[l],       at[0] != 0, at[1],
                                at[2],         (int32_t)at[3], arg};
        for (int64_t i = 0; i < at[3] && !status; i++, words += ARG_WORDS)
            status = read_arg(words, at[LOOP_NUMBERS + i], arg++, &err);
    }
    for (int32_t i = 0; i < n_options && !status; i++)
        status = set_option(&request, &options[i], &err);
    if (!status)
        status = make(mesh, n_loops, loops, &request, &context, path, compress != 0, &err);
    free(loops);
    free(args);
    free(unpacked);
    return end(status, &err, text);
}

/* bytes: a plan file, aligned to 64 bytes. mesh: may be NULL. */
int32_t mpy_verify(const void *bytes, int64_t size, const char *name, mplan_mesh *mesh,
                   int32_t threads, warning_function *told, char *text)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_context context = context_of(threads, 0, &told);
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read_borrowed(bytes, (size_t)size, name, &context, &plan, &err);
    if (!status)
        status = mplan_plan_verify(plan, mesh, &context, &err);
    mplan_plan_free(plan);
    return end(status, &err, text);
}
