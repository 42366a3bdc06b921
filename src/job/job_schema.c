/* SPDX-License-Identifier: Apache-2.0 */
/* job_schema.c - which keys a job has and what they mean
 *
 * The lists of fields below are the schema of meshplan-job(5). */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "job/job_fields.h"

enum { JOB_VERSION = 1, MAX_WORDS = 32, LIST_BYTES = 512 };

/* Fields by their member of type_. REQUIRED: the key must be there. NUMBER: low_ and high_ are legal, too. */
#define FIELD(key_, read_, type_, member_)                                 \
    {                                                                      \
        .key = (key_), .read = (read_), .offset = offsetof(type_, member_) \
    }
#define REQUIRED(key_, read_, type_, member_)                                                \
    {                                                                                        \
        .key = (key_), .read = (read_), .offset = offsetof(type_, member_), .required = true \
    }
#define NUMBER(key_, read_, type_, member_, low_, high_)                                   \
    {                                                                                      \
        .key = (key_), .read = (read_), .offset = offsetof(type_, member_), .low = (low_), \
        .high = (high_)                                                                    \
    }
/* The reader gets the whole structure. */
#define WHOLE(key_, read_)             \
    {                                  \
        .key = (key_), .read = (read_) \
    }

/* --- words ------------------------------------------------------------------------ */

/* A reader for each kind of word: they differ in nothing but the names of the
 * type and its two functions. First is the type's lowest value. */
#define WORD_READER(what, spoken, first)                                                    \
    static mplan_status read_##what(mplan_job_reader *reader, const mplan_job_field *field, \
                                    const mplan_job_value *value, void *member)             \
    {                                                                                       \
        const char *words[MAX_WORDS + 1] = {NULL};                                          \
        (void)field;                                                                        \
        for (int i = 0; i < MAX_WORDS; i++)                                                 \
            if (!(words[i] = mplan_##what##_name((mplan_##what)((first) + i))))             \
                break;                                                                      \
        if (value->kind == MPLAN_JOB_SCALAR && mplan_##what##_from(value->text, member))    \
            return MPLAN_OK;                                                                \
        return mplan_job_fail_word(reader, value, spoken, words);                           \
    }
WORD_READER(access, "access", 0)
WORD_READER(type, "type", 1)
WORD_READER(none, "none", 0)
#undef WORD_READER

/* --- lists of records ---------------------------------------------------------------- */

/* What the items of a list are: messages name list and item, `check` (NULL: none) sees each
 * record after its keys were read. */
typedef struct record_kind {
    const char *list, *item; /* "loops", "a loop" */
    size_t size;
    const mplan_job_field *fields;
    const void *initial; /* NULL: zeroes */
    mplan_status (*check)(mplan_job_reader *reader, const mplan_job_value *value, void *record);
} record_kind;

/* A list of mappings of one kind: *records, *n of them, each beginning as kind->initial. Set
 * only when all went well with the list itself; after a failure in an item the job is thrown
 * away whole.
 * *records: *n records of kind->size bytes each, side by side in the arena, in the order of the file. */
static mplan_status read_records(mplan_job_reader *reader, const mplan_job_value *value,
                                 const record_kind *kind, const void **records, int32_t *n)
{
    mplan_status status = mplan_job_require(reader, kind->list, value, MPLAN_JOB_LIST);
    if (status)
        return status;
    char *made = mplan_job_take(reader->arena, value->n, kind->size, reader->err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    char *record = made;
    for (const mplan_job_value *item = value->first; item && !status; item = item->next) {
        if (kind->initial)
            memcpy(record, kind->initial, kind->size);
        status = mplan_job_mapping(reader, item, kind->item, kind->fields, record);
        if (!status && kind->check)
            status = kind->check(reader, item, record);
        record += kind->size;
    }
    *records = made;
    *n = value->n;
    return status;
}

/* Refuses two children of a list whose `key` says the same; children without it are left out.
 * Quadratic, on lists that people write: at most 4,096 items (job_yaml.c). */
static mplan_status check_unique(mplan_job_reader *reader, const mplan_job_value *list,
                                 const char *key, const char *what)
{
    for (const mplan_job_value *a = list->first; a; a = a->next) {
        const mplan_job_value *name = mplan_job_child(a, key);
        for (const mplan_job_value *b = list->first; name && b != a; b = b->next) {
            const mplan_job_value *earlier = mplan_job_child(b, key);
            if (earlier && strcmp(earlier->text, name->text) == 0)
                return mplan_job_fail(reader, name, "there is already %s '%s', in line %lld", what,
                                      name->text, (long long)earlier->line);
        }
    }
    return MPLAN_OK;
}

/* --- sets, maps, coordinates ------------------------------------------------------------ */

/* A mapping from names to sizes, kept in the order of the file. Sizes are below 2^31 - 1, as
 * those of every set. */
static mplan_status read_sets(mplan_job_reader *reader, const mplan_job_field *field,
                              const mplan_job_value *value, void *member)
{
    mplan_job *job = member;
    mplan_status status = mplan_job_require(reader, field->key, value, MPLAN_JOB_MAPPING);
    if (status)
        return status;
    mplan_set *sets = mplan_job_take(reader->arena, value->n, sizeof *sets, reader->err);
    if (!sets)
        return MPLAN_ERR_MEMORY;
    int32_t n = 0;
    for (const mplan_job_value *child = value->first; child; child = child->next) {
        if (mplan_job_child(value, child->key->text) != child)
            return mplan_job_fail(reader, child->key, "set '%s' is given twice", child->key->text);
        if (!child->key->text[0])
            return mplan_job_fail(reader, child->key, "a set needs a name");
        sets[n].name = child->key->text;
        status = mplan_job_whole(reader, "the size of a set", child, 0, INT32_MAX - 1, &sets[n].size);
        if (status)
            return status;
        n++;
    }
    job->sets = sets;
    job->n_sets = n;
    return MPLAN_OK;
}

/* A number, or the word for every number below the base. Where a later key of the same map says
 * it again, mplan_job_mapping has refused that. */
static mplan_status read_table_none(mplan_job_reader *reader, const mplan_job_field *field,
                                    const mplan_job_value *value, void *member)
{
    mplan_table_options *options = member;
    if (value->kind == MPLAN_JOB_SCALAR && strcmp(value->text, "below-base") == 0) {
        options->none_below_base = true;
        options->has_none = false;
        return MPLAN_OK;
    }
    if (value->kind == MPLAN_JOB_SCALAR && value->text[0] >= 'a' && value->text[0] <= 'z') {
        static const char *const words[] = {"below-base", NULL};
        return mplan_job_fail_word(reader, value, "none", words);
    }
    options->has_none = true;
    return mplan_job_whole(reader, field->key, value, INT64_MIN, INT64_MAX, &options->none);
}

/* A table as it is read; the job that callers see points to its options. */
typedef struct table_record {
    mplan_table_options options;
    const char *file;
} table_record;

/* The job that callers see has pairs of options and file; records live in the arena as long as
 * it does. */
static mplan_status take_tables(mplan_job_reader *reader, const table_record *records, mplan_job *job)
{
    mplan_job_table *tables = mplan_job_take(reader->arena, job->n_tables, sizeof *tables,
                                             reader->err);
    if (!tables)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < job->n_tables; i++)
        tables[i] = (mplan_job_table){&records[i].options, records[i].file};
    job->tables = tables;
    return MPLAN_OK;
}

/* member: the job. A map without name, from or to gets them from its file's name when it is read
 * (mplan_mesh_read_table). */
static mplan_status read_tables(mplan_job_reader *reader, const mplan_job_field *field,
                                const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        FIELD("name", mplan_job_text, table_record, options.name),
        FIELD("from", mplan_job_text, table_record, options.from),
        FIELD("to", mplan_job_text, table_record, options.to),
        REQUIRED("file", mplan_job_path, table_record, file),
        NUMBER("base", mplan_job_i64, table_record, options.base, 0, 1),
        FIELD("none", read_table_none, table_record, options),
        FIELD("transposed", mplan_job_bool, table_record, options.transposed),
        {0}};
    static const table_record initial = {MPLAN_TABLE_OPTIONS_INIT, NULL};
    static const record_kind kind = {"maps", "a map", sizeof(table_record), fields, &initial, NULL};
    mplan_job *job = member;
    const void *records = NULL;
    (void)field;
    mplan_status status = read_records(reader, value, &kind, &records, &job->n_tables);
    if (!status)
        status = take_tables(reader, records, job);
    return status ? status : check_unique(reader, value, "name", "a map");
}

/* member: the job. One file for each set: two would leave open which one counts. */
static mplan_status read_coordinates(mplan_job_reader *reader, const mplan_job_field *field,
                                     const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        REQUIRED("set", mplan_job_text, mplan_job_coordinates, set),
        REQUIRED("file", mplan_job_path, mplan_job_coordinates, file),
        {0}};
    static const record_kind kind = {
        "coordinates", "an item of coordinates", sizeof(mplan_job_coordinates), fields, NULL, NULL};
    mplan_job *job = member;
    const void *records = NULL;
    (void)field;
    mplan_status status = read_records(reader, value, &kind, &records, &job->n_coordinates);
    job->coordinates = records;
    return status ? status : check_unique(reader, value, "set", "an item for set");
}

/* --- loops -------------------------------------------------------------------------------- */

/* Keys that are read when all loops are known (job_layers.c). */
static mplan_status read_later(mplan_job_reader *reader, const mplan_job_field *field,
                               const mplan_job_value *value, void *member)
{
    (void)reader, (void)field, (void)value, (void)member;
    return MPLAN_OK;
}

/* What cannot be right whatever the mesh. The shape of a dat that is reached
 * through a map decides about blocks, so it has to be said. */
static mplan_status check_arg(mplan_job_reader *reader, const mplan_job_value *value, void *record)
{
    mplan_arg *arg = record;
    const mplan_job_value *global = mplan_job_child(value, "global");
    if (global && mplan_job_child(value, "map"))
        return mplan_job_fail(reader, global, "arg '%s' cannot be a global and go through a map",
                              arg->dat);
    bool dim = mplan_job_child(value, "dim"), type = mplan_job_child(value, "type");
    if (arg->map && !global && (!dim || !type))
        return mplan_job_fail(reader, value,
                              "arg '%s' goes through map '%s' and must have the key '%s'", arg->dat,
                              arg->map, dim ? "type" : "dim");
    const mplan_job_value *none = mplan_job_child(value, "none");
    if (none && (!arg->map || global))
        return mplan_job_fail(reader, none, "arg '%s' has no map, so 'none' has no meaning",
                              arg->dat);
    return MPLAN_OK;
}

/* member: the map, in whose place a global has a word of its own. */
static mplan_status read_global(mplan_job_reader *reader, const mplan_job_field *field,
                                const mplan_job_value *value, void *member)
{
    bool global = false;
    mplan_status status = mplan_job_bool(reader, field, value, &global);
    if (!status && global)
        *(const char **)member = MPLAN_GLOBAL;
    return status;
}

/* Defaults: dim 1, type f64, read by a direct arg. The list may be empty: a loop that only
 * counts. */
static mplan_status read_args(mplan_job_reader *reader, const mplan_job_field *field,
                              const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        REQUIRED("dat", mplan_job_text, mplan_arg, dat),
        FIELD("map", mplan_job_text, mplan_arg, map),
        FIELD("global", read_global, mplan_arg, map),
        REQUIRED("access", read_access, mplan_arg, access),
        NUMBER("dim", mplan_job_i32, mplan_arg, dim, 1, 65536), /* step_resolve.c */
        FIELD("type", read_type, mplan_arg, type),
        FIELD("none", read_none, mplan_arg, none),
        WHOLE("levels", read_later),
        WHOLE("stride", read_later),
        WHOLE("offsets", read_later),
        WHOLE("slots", read_later),
        WHOLE("rows", read_later),
        WHOLE("columns", read_later),
        {0}};
    static const mplan_arg initial = {NULL, NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    static const record_kind kind = {"args", "an arg", sizeof(mplan_arg),
                                     fields, &initial, check_arg};
    mplan_loop *loop = member;
    const void *records = NULL;
    (void)field;
    mplan_status status = read_records(reader, value, &kind, &records, &loop->n_args);
    loop->args = records;
    return status;
}

/* At most one loop is marked. */
static mplan_status check_primary(mplan_job_reader *reader, const mplan_job_value *list,
                                  const mplan_job *job)
{
    const char *primary = NULL;
    const mplan_job_value *item = list->first;
    for (int32_t l = 0; l < job->n_loops; l++, item = item->next) {
        if (job->loops[l].primary && primary)
            return mplan_job_fail(reader, mplan_job_child(item, "primary"),
                                  "loop '%s' is already primary; only one loop can be", primary);
        if (job->loops[l].primary)
            primary = job->loops[l].name;
    }
    return MPLAN_OK;
}

/* member: the job. Loops have a name of their own each, since variants, metrics and options
 * refer to it. */
static mplan_status read_loops(mplan_job_reader *reader, const mplan_job_field *field,
                               const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        REQUIRED("name", mplan_job_text, mplan_loop, name),
        REQUIRED("over", mplan_job_text, mplan_loop, over),
        FIELD("primary", mplan_job_bool, mplan_loop, primary),
        NUMBER("calls", mplan_job_i64, mplan_loop, calls, 1, INT32_MAX),
        NUMBER("flops", mplan_job_i64, mplan_loop, flops, 0, INT32_MAX),
        WHOLE("layered", read_later),
        {.key = "args", .read = read_args, .required = true},
        {0}};
    static const mplan_loop initial = {NULL, NULL, false, 1, 0, 0, NULL};
    static const record_kind kind = {"loops", "a loop", sizeof(mplan_loop), fields, &initial, NULL};
    mplan_job *job = member;
    const void *records = NULL;
    (void)field;
    mplan_status status = read_records(reader, value, &kind, &records, &job->n_loops);
    job->loops = records;
    if (!status && job->n_loops == 0)
        status = mplan_job_fail(reader, value, "a job must have at least one loop");
    if (!status)
        status = check_unique(reader, value, "name", "a loop");
    return status ? status : check_primary(reader, value, job);
}

/* --- plan --------------------------------------------------------------------------------- */

/* The first n words of a list, with commas between them: checked one by one, each with those
 * before it, so that an error names the place of the word. text: size bytes. */
static mplan_status join_words(const mplan_job_reader *reader, const mplan_job_value *list,
                               int32_t n, char *text, size_t size)
{
    size_t length = 0;
    const mplan_job_value *item = list->first;
    for (int32_t i = 0; i < n; i++, item = item->next) {
        if (item->kind != MPLAN_JOB_SCALAR)
            return mplan_job_require(reader, "a strategy", item, MPLAN_JOB_SCALAR);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? "," : "", item->text);
        if (length >= size)
            return mplan_job_fail(reader, item, "the list is too long");
    }
    return MPLAN_OK;
}

/* The library reads the text and has the sentence for what is wrong; here it gets its place in
 * the file. member: of an mplan_plan_options, by field->option. */
static mplan_status read_value(const mplan_job_reader *reader, const mplan_job_field *field,
                               const mplan_job_value *place, const char *text, void *member)
{
    mplan_error reason = {MPLAN_OK, ""};
    if (mplan_plan_option_read(field->option, field->key, text, member, &reason) == MPLAN_OK)
        return MPLAN_OK;
    return mplan_job_fail(reader, place, "%s", reason.text);
}

/* A planning option: text that the library reads, as on the command line, so that both take the
 * same; strategies may be a list of words. Flags are YAML's true and false. */
static mplan_status read_option(mplan_job_reader *reader, const mplan_job_field *field,
                                const mplan_job_value *value, void *member)
{
    char text[LIST_BYTES];
    const mplan_plan_option *option = field->option;
    if (option->kind == MPLAN_OPTION_STRATEGIES && value->kind == MPLAN_JOB_LIST) {
        if (!value->first)
            return mplan_job_fail(reader, value, "the list of strategies is empty");
        const mplan_job_value *item = value->first;
        mplan_status status = MPLAN_OK;
        for (int32_t n = 1; item && !status; n++, item = item->next) {
            status = join_words(reader, value, n, text, sizeof text);
            if (!status)
                status = read_value(reader, field, item, text, member);
        }
        return status;
    }
    if (!option->argument)
        return mplan_job_bool(reader, field, value, member);
    mplan_status status = mplan_job_require(reader, field->key, value, MPLAN_JOB_SCALAR);
    if (!status && value->quoted && !option->word)
        status = mplan_job_fail(reader, value, "%s must be a number, not a text", field->key);
    return status ? status : read_value(reader, field, value, value->text, member);
}

/* The fields are made of the library's table of options, so that a new option is a key at once.
 * They are read into reader->options, which begin at their defaults. */
static mplan_status read_plan(mplan_job_reader *reader, const mplan_job_field *field,
                              const mplan_job_value *value, void *member)
{
    mplan_job_field fields[MPLAN_JOB_FIELDS + 1] = {{0}};
    const mplan_plan_option *option;
    int32_t n = 0;
    (void)field, (void)member;
    for (; (option = mplan_plan_option_get(n)) != NULL; n++) {
        assert(n < MPLAN_JOB_FIELDS);
        fields[n] = (mplan_job_field){
            .key = option->key, .read = read_option, .offset = option->offset, .option = option};
    }
    return mplan_job_mapping(reader, value, "plan", fields, reader->options);
}

/* --- the step ------------------------------------------------------------------------------- */

/* The names of all loops, ended by NULL; NULL without memory. */
static const char **loop_names(mplan_job_reader *reader, const mplan_job *job)
{
    const char **names = mplan_job_take(reader->arena, (int64_t)job->n_loops + 1, sizeof *names,
                                        reader->err);
    for (int32_t l = 0; l < job->n_loops && names; l++)
        names[l] = job->loops[l].name;
    return names;
}

/* What a mapping of an entry has besides its loop; another key is refused. */
static mplan_status read_entry_keys(mplan_job_reader *reader, const mplan_job_value *item,
                                    const mplan_job_value **dat, const mplan_job_value **lag)
{
    *dat = mplan_job_child(item, "clear");
    *lag = mplan_job_child(item, "lag");
    if (!mplan_job_child(item, "loop") || item->n != 1 + (*dat != NULL) + (*lag != NULL))
        return mplan_job_fail(reader, item,
                              "an entry of the step is a loop, or has the keys loop, clear and lag");
    mplan_status status = !*dat ? MPLAN_OK
                                : mplan_job_require(reader, "clear", *dat, MPLAN_JOB_SCALAR);
    if (!status && *lag)
        status = mplan_job_require(reader, "lag", *lag, MPLAN_JOB_SCALAR);
    if (!status && *lag && strcmp((*lag)->text, "0") != 0 && strcmp((*lag)->text, "1") != 0)
        status = mplan_job_fail(reader, *lag, "lag must be 0 or 1");
    return status;
}

/* One entry: the name of a loop, or a mapping that has also the dat which is set to zero before it. *clear: the arg of the loop, -1
 * without. *late: whether globals that it changes wait for the end of a visit.
 * names: those of all loops, ended by NULL. *l: the number of the loop. */
static mplan_status read_entry(mplan_job_reader *reader, const mplan_job_value *item,
                               const mplan_job *job, const char **names, int32_t *l, int32_t *clear,
                               int32_t *late)
{
    const mplan_job_value *name = item, *dat = NULL, *lag = NULL;
    mplan_status status = MPLAN_OK;
    if (item->kind == MPLAN_JOB_MAPPING) {
        status = read_entry_keys(reader, item, &dat, &lag);
        name = mplan_job_child(item, "loop");
    }
    if (!status)
        status = mplan_job_require(reader, "an entry of the step", name, MPLAN_JOB_SCALAR);
    if (status)
        return status;
    *late = lag && strcmp(lag->text, "1") == 0;
    for (*l = 0; *l < job->n_loops && strcmp(names[*l], name->text) != 0;)
        ++*l;
    if (*l == job->n_loops)
        return mplan_job_fail_word(reader, name, "loop", names);
    const mplan_loop *loop = &job->loops[*l];
    *clear = -1;
    for (int32_t a = 0; dat && a < loop->n_args && *clear < 0; a++)
        if (strcmp(loop->args[a].dat, dat->text) == 0)
            *clear = a;
    if (dat && *clear < 0)
        return mplan_job_fail(reader, dat, "loop %s has no dat %s", loop->name, dat->text);
    return MPLAN_OK;
}

/* The loops of a step by name, read when all loops are known. value: NULL: the job has none.
 * The options get n_step numbers of loops and, where an entry clears a dat, as many numbers of args, -1 for none. Likewise lags. */
static mplan_status read_step(mplan_job_reader *reader, const mplan_job_value *value,
                              const mplan_job *job)
{
    if (!value)
        return MPLAN_OK;
    mplan_status status = mplan_job_require(reader, "step", value, MPLAN_JOB_LIST);
    if (status)
        return status;
    if (!value->first)
        return mplan_job_fail(reader, value, "the step is empty");
    const char **names = loop_names(reader, job);
    int32_t *step = mplan_job_take(reader->arena, value->n, sizeof *step, reader->err), n = 0;
    int32_t *clears = mplan_job_take(reader->arena, value->n, sizeof *clears, reader->err);
    int32_t *lags = mplan_job_take(reader->arena, value->n, sizeof *lags, reader->err);
    bool any = false, late = false;
    if (!names || !step || !clears || !lags)
        return MPLAN_ERR_MEMORY;
    for (const mplan_job_value *item = value->first; item; item = item->next, n++) {
        status = read_entry(reader, item, job, names, &step[n], &clears[n], &lags[n]);
        if (status)
            return status;
        any = any || clears[n] >= 0;
        late = late || lags[n];
    }
    reader->options->n_step = n;
    reader->options->step = step;
    reader->options->step_clears = any ? clears : NULL;
    reader->options->step_lags = late ? lags : NULL;
    return MPLAN_OK;
}

/* --- the job --------------------------------------------------------------------------------- */

/* Another version may have other keys, so it is looked at before them: what is newer is refused
 * as such (MPLAN_ERR_TOO_NEW), and not for a key that nobody knows yet. */
static mplan_status check_version(mplan_job_reader *reader, const mplan_job_value *root)
{
    if (root->kind != MPLAN_JOB_MAPPING)
        return mplan_job_fail(reader, root,
                              "this is not a job: a job must begin with 'meshplan: %d'", JOB_VERSION);
    const mplan_job_value *version = mplan_job_child(root, "meshplan");
    int64_t number = 0;
    if (!version)
        return mplan_job_fail(reader, root,
                              "the job has no key 'meshplan'; a job must begin with 'meshplan: %d'",
                              JOB_VERSION);
    mplan_status status = mplan_job_whole(reader, "meshplan", version, 1, INT64_MAX, &number);
    if (!status && number > JOB_VERSION) {
        mplan_job_fail(reader, version, "this is a job of version %lld; only version %d is supported",
                       (long long)number, JOB_VERSION);
        if (reader->err)
            reader->err->status = MPLAN_ERR_TOO_NEW;
        return MPLAN_ERR_TOO_NEW;
    }
    return status;
}

/* It has been checked before anything else. */
static mplan_status read_version(mplan_job_reader *reader, const mplan_job_field *field,
                                 const mplan_job_value *value, void *member)
{
    (void)reader;
    (void)field;
    (void)value;
    (void)member;
    return MPLAN_OK; /* by check_version */
}

/* job: out, set when all is well. Its members point into the arena and into the tree, which is
 * in the same arena. */
mplan_status mplan_job_from_tree(const mplan_job_value *root, const char *name, const char *folder,
                                 mplan_job_arena *arena, mplan_job *job, mplan_error *err)
{
    static const mplan_job_field fields[] = {
        WHOLE("meshplan", read_version),
        FIELD("mesh", mplan_job_path, mplan_job, mesh),
        FIELD("zone", mplan_job_text, mplan_job, zone),
        WHOLE("sets", read_sets),
        WHOLE("maps", read_tables),
        WHOLE("coordinates", read_coordinates),
        {.key = "loops", .read = read_loops, .required = true},
        WHOLE("layers", read_later),
        WHOLE("step", read_version), /* by read_step */
        WHOLE("plan", read_plan),
        FIELD("parts", mplan_job_parts, mplan_job, parts),
        FIELD("cut", mplan_job_cut, mplan_job, cut),
        NUMBER("cut_ranks", mplan_job_i32, mplan_job, cut_ranks, 1, 65536),
        FIELD("output", mplan_job_path, mplan_job, output),
        {0}};
    mplan_plan_options *options = mplan_job_take(arena, 1, sizeof *options, err);
    if (!options)
        return MPLAN_ERR_MEMORY;
    *options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    mplan_job_reader reader = {name, folder, arena, options, err};
    mplan_job made = {.options = options};
    mplan_status status = check_version(&reader, root);
    if (!status)
        status = mplan_job_mapping(&reader, root, "a job", fields, &made);
    if (!status)
        status = read_step(&reader, mplan_job_child(root, "step"), &made);
    if (!status)
        status = mplan_job_read_layers(&reader, root, &made);
    if (!status && !made.mesh && made.n_sets == 0 && made.n_tables == 0)
        status = mplan_job_fail(&reader, root, "the job has neither 'mesh' nor 'maps'");
    if (!status && made.zone && !made.mesh)
        status = mplan_job_fail(&reader, mplan_job_child(root, "zone"), "'zone' needs 'mesh'");
    if (!status)
        status = mplan_job_check_cut(&reader, root, &made);
    if (!status) {
        size_t length = strlen(name) + 1;
        char *path = mplan_job_take(arena, (int64_t)length, 1, err);
        if (!path)
            return MPLAN_ERR_MEMORY;
        memcpy(path, name, length);
        made.path = path;
        made.places = root;
        *job = made;
    }
    return status;
}
