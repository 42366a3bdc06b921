/* job_schema.c - which keys a job has and what they mean
 *
 * The lists of fields below are the schema of meshplan-job(5). */
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "job/job_fields.h"

enum { JOB_VERSION = 1, MAX_WORDS = 32 };

#define FIELD(key_, read_, type_, member_) \
    {.key = (key_), .read = (read_), .offset = offsetof(type_, member_)}
#define REQUIRED(key_, read_, type_, member_) \
    {.key = (key_), .read = (read_), .offset = offsetof(type_, member_), .required = true}
#define NUMBER(key_, read_, type_, member_, low_, high_) \
    {.key = (key_), .read = (read_), .offset = offsetof(type_, member_), .low = (low_), \
     .high = (high_)}
/* The reader gets the whole structure. */
#define WHOLE(key_, read_) {.key = (key_), .read = (read_)}

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
WORD_READER(sums, "sums", 0)
WORD_READER(partitioner, "partitioner", MPLAN_PARTITIONER_AUTO)
WORD_READER(effort, "effort", 0)
WORD_READER(graph, "graph", 0)
WORD_READER(renumber, "renumber", 0)
WORD_READER(point_order, "point_order", MPLAN_POINTS_AUTO)
#undef WORD_READER

/* The place of a value in a list of words; -1 with err filled. */
static int word_place(const mplan_job_reader *reader, const mplan_job_value *value,
                      const char *what, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (value->kind == MPLAN_JOB_SCALAR && strcmp(value->text, words[i]) == 0)
            return i;
    mplan_job_fail_word(reader, value, what, words);
    return -1;
}

/* --- lists of records ---------------------------------------------------------------- */

typedef struct record_kind {
    const char *list, *item; /* "loops", "a loop" */
    size_t size;
    const mplan_job_field *fields;
    const void *initial;     /* NULL: zeroes */
    mplan_status (*check)(mplan_job_reader *reader, const mplan_job_value *value, void *record);
} record_kind;

/* A list of mappings of one kind: *records, *n of them, each beginning as
 * kind->initial. */
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

/* Refuses two children of a list whose `key` says the same. Quadratic, on
 * lists that people write. */
static mplan_status check_unique(mplan_job_reader *reader, const mplan_job_value *list,
                                 const char *key, const char *what)
{
    for (const mplan_job_value *a = list->first; a; a = a->next) {
        const mplan_job_value *name = mplan_job_child(a, key);
        for (const mplan_job_value *b = list->first; name && b != a; b = b->next) {
            const mplan_job_value *earlier = mplan_job_child(b, key);
            if (earlier && strcmp(earlier->text, name->text) == 0)
                return mplan_job_fail(reader, name, "there is %s '%s' already, in line %lld", what,
                                      name->text, (long long)earlier->line);
        }
    }
    return MPLAN_OK;
}

/* --- sets, maps, coordinates ------------------------------------------------------------ */

/* A mapping from names to sizes. */
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
            return mplan_job_fail(reader, child->key, "set '%s' stands here twice",
                                  child->key->text);
        if (!child->key->text[0])
            return mplan_job_fail(reader, child->key, "a set needs a name");
        sets[n].name = child->key->text;
        status = mplan_job_whole(reader, "the size of a set", child, 0, INT32_MAX - 1,
                                 &sets[n].size);
        if (status)
            return status;
        n++;
    }
    job->sets = sets;
    job->n_sets = n;
    return MPLAN_OK;
}

/* A number, or the word for every number below the base. */
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

static mplan_status read_tables(mplan_job_reader *reader, const mplan_job_field *field,
                                const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        FIELD("name", mplan_job_text, mplan_job_table, options.name),
        FIELD("from", mplan_job_text, mplan_job_table, options.from),
        FIELD("to", mplan_job_text, mplan_job_table, options.to),
        REQUIRED("file", mplan_job_path, mplan_job_table, file),
        NUMBER("base", mplan_job_i64, mplan_job_table, options.base, 0, 1),
        FIELD("none", read_table_none, mplan_job_table, options),
        FIELD("transposed", mplan_job_bool, mplan_job_table, options.transposed),
        {0}};
    static const mplan_job_table initial = {MPLAN_TABLE_OPTIONS_INIT, NULL};
    static const record_kind kind = {"maps", "a map", sizeof(mplan_job_table), fields, &initial,
                                     NULL};
    mplan_job *job = member;
    const void *records = NULL;
    (void)field;
    mplan_status status = read_records(reader, value, &kind, &records, &job->n_tables);
    job->tables = records;
    return status ? status : check_unique(reader, value, "name", "a map");
}

static mplan_status read_coordinates(mplan_job_reader *reader, const mplan_job_field *field,
                                     const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        REQUIRED("set", mplan_job_text, mplan_job_coordinates, set),
        REQUIRED("file", mplan_job_path, mplan_job_coordinates, file),
        {0}};
    static const record_kind kind = {"coordinates", "an item of coordinates",
                                     sizeof(mplan_job_coordinates), fields, NULL, NULL};
    mplan_job *job = member;
    const void *records = NULL;
    (void)field;
    mplan_status status = read_records(reader, value, &kind, &records, &job->n_coordinates);
    job->coordinates = records;
    return status ? status : check_unique(reader, value, "set", "an item for set");
}

/* --- loops -------------------------------------------------------------------------------- */

/* What cannot be right whatever the mesh. The shape of a dat that is reached
 * through a map decides about blocks, so it has to be said. */
static mplan_status check_arg(mplan_job_reader *reader, const mplan_job_value *value, void *record)
{
    mplan_arg *arg = record;
    bool dim = mplan_job_child(value, "dim"), type = mplan_job_child(value, "type");
    if (arg->map && (!dim || !type))
        return mplan_job_fail(reader, value, "arg '%s' goes through map '%s' and lacks the key '%s'",
                              arg->dat, arg->map, dim ? "type" : "dim");
    const mplan_job_value *none = mplan_job_child(value, "none");
    if (none && !arg->map)
        return mplan_job_fail(reader, none, "arg '%s' has no map, so 'none' says nothing", arg->dat);
    return MPLAN_OK;
}

/* Defaults: dim 1, type f64. */
static mplan_status read_args(mplan_job_reader *reader, const mplan_job_field *field,
                              const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        REQUIRED("dat", mplan_job_text, mplan_arg, dat),
        FIELD("map", mplan_job_text, mplan_arg, map),
        REQUIRED("access", read_access, mplan_arg, access),
        NUMBER("dim", mplan_job_i32, mplan_arg, dim, 1, INT32_MAX),
        FIELD("type", read_type, mplan_arg, type),
        FIELD("none", read_none, mplan_arg, none),
        {0}};
    static const mplan_arg initial = {NULL, NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    static const record_kind kind = {"args", "an arg", sizeof(mplan_arg), fields, &initial,
                                     check_arg};
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
                                  "loop '%s' is primary already; one can be", primary);
        if (job->loops[l].primary)
            primary = job->loops[l].name;
    }
    return MPLAN_OK;
}

static mplan_status read_loops(mplan_job_reader *reader, const mplan_job_field *field,
                               const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        REQUIRED("name", mplan_job_text, mplan_loop, name),
        REQUIRED("over", mplan_job_text, mplan_loop, over),
        FIELD("primary", mplan_job_bool, mplan_loop, primary),
        NUMBER("calls", mplan_job_i64, mplan_loop, calls, 1, INT32_MAX),
        NUMBER("flops", mplan_job_i64, mplan_loop, flops, 0, INT32_MAX),
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
        status = mplan_job_fail(reader, value, "a job needs at least one loop");
    if (!status)
        status = check_unique(reader, value, "name", "a loop");
    return status ? status : check_primary(reader, value, job);
}

/* --- plan --------------------------------------------------------------------------------- */

/* Whether a value is the word that leaves a choice to the planner. */
static bool is_auto(const mplan_job_value *value)
{
    return value->kind == MPLAN_JOB_SCALAR && strcmp(value->text, "auto") == 0;
}

/* `auto` is not a value: the caller looks at it first. */
static mplan_status read_strategy(mplan_job_reader *reader, const mplan_job_value *value,
                                  mplan_strategy *strategy)
{
    const char *words[MAX_WORDS + 1] = {"auto"};
    for (int i = 0; i < MPLAN_N_STRATEGIES; i++)
        words[i + 1] = mplan_strategy_name((mplan_strategy)i);
    if (value->kind == MPLAN_JOB_SCALAR && mplan_strategy_from(value->text, strategy))
        return MPLAN_OK;
    return mplan_job_fail_word(reader, value, "strategy", words);
}

static mplan_status read_encoding(mplan_job_reader *reader, const mplan_job_field *field,
                                  const mplan_job_value *value, void *member)
{
    const char *words[MAX_WORDS + 1] = {"auto"};
    for (int i = MPLAN_ENCODING_NONE + 1; i < MPLAN_N_ENCODINGS; i++)
        words[i] = mplan_encoding_name((mplan_encoding)i);
    int place = word_place(reader, value, field->key, words);
    if (place < 0)
        return MPLAN_ERR_CORRUPT;
    *(mplan_encoding *)member = (mplan_encoding)place; /* auto stands where none does */
    return MPLAN_OK;
}

/* One word or a list of them; `auto` alone. */
static mplan_status read_strategies(mplan_job_reader *reader, const mplan_job_field *field,
                                    const mplan_job_value *value, void *member)
{
    mplan_plan_options *options = member;
    const mplan_job_value *item = value->kind == MPLAN_JOB_LIST ? value->first : value;
    int32_t n = 0;
    (void)field;
    if (!item)
        return mplan_job_fail(reader, value, "the list of strategies is empty");
    if (is_auto(item) && (value->kind != MPLAN_JOB_LIST || value->n == 1)) {
        options->n_strategies = 0;
        return MPLAN_OK;
    }
    for (; item; item = value->kind == MPLAN_JOB_LIST ? item->next : NULL) {
        mplan_strategy strategy;
        if (is_auto(item))
            return mplan_job_fail(reader, item, "strategy 'auto' stands alone");
        mplan_status status = read_strategy(reader, item, &strategy);
        if (status)
            return status;
        for (int32_t i = 0; i < n; i++)
            if (options->strategies[i] == strategy)
                return mplan_job_fail(reader, item, "strategy '%s' stands here twice", item->text);
        if (n == MPLAN_MAX_STRATEGIES)
            return mplan_job_fail(reader, item, "a plan has at most %d strategies",
                                  MPLAN_MAX_STRATEGIES);
        options->strategies[n++] = strategy;
    }
    options->n_strategies = n;
    return MPLAN_OK;
}

static mplan_status read_keep_order(mplan_job_reader *reader, const mplan_job_field *field,
                                    const mplan_job_value *value, void *member)
{
    static const char *const words[] = {"never", "better", NULL};
    int place = word_place(reader, value, field->key, words);
    if (place < 0)
        return MPLAN_ERR_CORRUPT;
    *(bool *)member = place == 1;
    return MPLAN_OK;
}

static mplan_status read_device(mplan_job_reader *reader, const mplan_job_field *field,
                                const mplan_job_value *value, void *member)
{
    const char *words[MAX_WORDS + 1] = {NULL};
    mplan_device device;
    for (int32_t i = 0; i < MAX_WORDS && mplan_device_get(i, &device) == MPLAN_OK; i++)
        words[i] = device.name;
    int place = word_place(reader, value, field->key, words);
    if (place < 0)
        return MPLAN_ERR_CORRUPT;
    *(const char **)member = words[place];
    return MPLAN_OK;
}

static mplan_status read_plan(mplan_job_reader *reader, const mplan_job_field *field,
                              const mplan_job_value *value, void *member)
{
    static const mplan_job_field fields[] = {
        NUMBER("block_size", mplan_job_i32, mplan_plan_options, block_size, 1, 1024),
        NUMBER("max_points", mplan_job_i32, mplan_plan_options, max_points, 0, 65535),
        NUMBER("shared_bytes", mplan_job_i64, mplan_plan_options, shared_bytes, 0, INT32_MAX),
        WHOLE("strategy", read_strategies),
        FIELD("allow_nondeterministic", mplan_job_bool, mplan_plan_options,
              allow_nondeterministic),
        FIELD("sums", read_sums, mplan_plan_options, sums),
        FIELD("encoding", read_encoding, mplan_plan_options, encoding),
        NUMBER("block_threads", mplan_job_i32, mplan_plan_options, block_threads, 0, 1024),
        FIELD("partitioner", read_partitioner, mplan_plan_options, partitioner),
        NUMBER("imbalance", mplan_job_real, mplan_plan_options, imbalance, 1, 1000),
        FIELD("effort", read_effort, mplan_plan_options, effort),
        NUMBER("fill", mplan_job_real, mplan_plan_options, fill, 0, 1),
        FIELD("graph", read_graph, mplan_plan_options, graph),
        FIELD("renumber", read_renumber, mplan_plan_options, renumber),
        FIELD("keep_order", read_keep_order, mplan_plan_options, keep_better),
        FIELD("point_order", read_point_order, mplan_plan_options, point_order),
        FIELD("device", read_device, mplan_plan_options, device),
        NUMBER("seed", mplan_job_i64, mplan_plan_options, seed, 0, INT64_MAX),
        {0}};
    (void)field;
    return mplan_job_mapping(reader, value, "plan", fields, member);
}

/* --- the job --------------------------------------------------------------------------------- */

/* Another version may have other keys, so it is looked at before them. */
static mplan_status check_version(mplan_job_reader *reader, const mplan_job_value *root)
{
    if (root->kind != MPLAN_JOB_MAPPING)
        return mplan_job_fail(reader, root, "this is no job: it does not begin with 'meshplan: %d'",
                              JOB_VERSION);
    const mplan_job_value *version = mplan_job_child(root, "meshplan");
    int64_t number = 0;
    if (!version)
        return mplan_job_fail(reader, root, "the job lacks the key 'meshplan'; it begins with "
                                            "'meshplan: %d'",
                              JOB_VERSION);
    mplan_status status = mplan_job_whole(reader, "meshplan", version, 1, INT64_MAX, &number);
    if (!status && number > JOB_VERSION) {
        mplan_job_fail(reader, version, "this is a job of version %lld; this reader knows %d",
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

mplan_status mplan_job_from_tree(const mplan_job_value *root, const char *name,
                                 const char *folder, mplan_job_arena *arena, mplan_job *job,
                                 mplan_error *err)
{
    static const mplan_job_field fields[] = {
        WHOLE("meshplan", read_version),
        FIELD("mesh", mplan_job_path, mplan_job, mesh),
        WHOLE("sets", read_sets),
        WHOLE("maps", read_tables),
        WHOLE("coordinates", read_coordinates),
        {.key = "loops", .read = read_loops, .required = true},
        FIELD("plan", read_plan, mplan_job, options),
        FIELD("output", mplan_job_path, mplan_job, output),
        {0}};
    mplan_job_reader reader = {name, folder, arena, err};
    mplan_job made = {.options = MPLAN_PLAN_OPTIONS_INIT};
    mplan_status status = check_version(&reader, root);
    if (!status)
        status = mplan_job_mapping(&reader, root, "a job", fields, &made);
    if (!status && !made.mesh && made.n_sets == 0 && made.n_tables == 0)
        status = mplan_job_fail(&reader, root, "the job has neither 'mesh' nor 'maps'");
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
