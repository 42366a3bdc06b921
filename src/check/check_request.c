/* SPDX-License-Identifier: Apache-2.0 */
/* check_request.c - the request that a plan carries is in canonical form and asks for its loops
 *
 * Section 11 of formats/plan-format.md. Names may hold blanks, so the lines of loops and args are
 * not taken apart: each is written down from the records, and the text must begin with it. */
#include "check/check_request.h"

#include "check/check_layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"

enum { SHOWN = 200, VALUE = 64 };

/* The request's text, line by line. at: where line `line` begins; a line that is refused is not stepped over, so that
 * the message can show it. */
typedef struct reader {
    const char *at; /* the rest of the text */
    int64_t line;   /* from 1 */
    mplan_error *err;
} reader;

/* How many characters of a line are shown. */
static int shown(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length < SHOWN ? (int)length : SHOWN;
}

/* Shows the line of the request beside what the plan says. */
static mplan_status refuse(const reader *in, const char *due)
{
    return MPLAN_DISPROVED(in->err,
                           "line %" PRId64 " of the request is '%.*s', but the plan holds "
                           "'%.*s'",
                           in->line, shown(in->at), in->at, shown(due), due);
}

/* --- loops and args --- */

/* The line that the request must have for this loop; owned by the caller, NULL without
 * memory. */
static char *loop_line(const mplan_plan *plan, const mplan_plan_loop *loop, mplan_error *err)
{
    static const char form[] = "loop %s over %s calls %" PRId64 " flops %" PRId64 "%s\n";
    const char *set = plan->sets[loop->set].name, *mark = loop->primary ? " primary" : "";
    size_t size = strlen(loop->name) + strlen(set) + sizeof form + VALUE;
    char *line = mplan_alloc((int64_t)size, 1, err);
    if (line)
        mplan_text_format(line, size, form, loop->name, set, loop->calls, loop->flops, mark);
    return line;
}

/* With the word for entries of -1 that the record has; a direct arg may have any. */
static char *arg_line(const mplan_plan *plan, const mplan_plan_arg *arg, mplan_none none,
                      mplan_error *err)
{
    const char *map = arg->map < 0 ? "" : plan->maps[arg->map].name;
    const char *way = arg->map >= 0 ? "map " : arg->map == MPLAN_MAP_GLOBAL ? "global" : "direct";
    size_t size = strlen(arg->dat) + strlen(map) + 2 * VALUE;
    char *line = mplan_alloc((int64_t)size, 1, err);
    if (line)
        mplan_text_format(line, size, "arg %s %s%s %s %d %s %s\n", arg->dat, way, map,
                          mplan_access_name(arg->access), (int)arg->dim, mplan_type_name(arg->type),
                          mplan_none_name(none));
    return line;
}

/* Steps over the line when the text goes on with it. line: with its line end, so that the text
 * cannot end within. */
static bool take(reader *in, const char *line)
{
    size_t length = strlen(line);
    if (strncmp(in->at, line, length) != 0)
        return false;
    in->at += length;
    in->line++;
    return true;
}

/* The rule for entries of -1 is only in the request: all possible lines are tried. */
static mplan_status read_arg(reader *in, const mplan_plan *plan, const mplan_plan_arg *arg)
{
    mplan_status status = MPLAN_OK;
    bool taken = false;
    if (arg->map < 0 && arg->none != MPLAN_NONE_REFUSE)
        return MPLAN_DISPROVED(in->err,
                               "the arg of line %" PRId64 " of the request is direct, but "
                               "has a rule for entries of -1",
                               in->line);
    for (int none = MPLAN_NONE_REFUSE; none <= MPLAN_NONE_SPLIT && !taken && !status; none++) {
        if (arg->map >= 0 && none != (int)arg->none)
            continue;
        char *line = arg_line(plan, arg, (mplan_none)none, in->err);
        if (!line)
            return MPLAN_ERR_MEMORY;
        taken = take(in, line);
        if (!taken && (arg->map >= 0 || none == MPLAN_NONE_SPLIT))
            status = refuse(in, line);
        free(line);
    }
    return status;
}

/* The loop's line, then those of its args. */
static mplan_status read_loop(reader *in, const mplan_plan *plan, const mplan_plan_loop *loop)
{
    char *line = loop_line(plan, loop, in->err);
    if (!line)
        return MPLAN_ERR_MEMORY;
    mplan_status status = take(in, line) ? MPLAN_OK : refuse(in, line);
    free(line);
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        status = read_arg(in, plan, &loop->args[a]);
    return status;
}

/* --- options --- */

/* The value behind "key " in the next line, which is stepped over. value: out, fewer than VALUE characters and a zero;
 * a longer one, or a text that ends within the line, is refused. */
static mplan_status read_value(reader *in, const char *key, char value[VALUE])
{
    size_t skip = strlen(key), length = strcspn(in->at, "\n");
    if (strncmp(in->at, key, skip) != 0 || in->at[skip] != ' ' || !in->at[length] ||
        length - skip - 1 >= VALUE)
        return MPLAN_DISPROVED(in->err, "line %" PRId64 " of the request does not say '%s'",
                               in->line, key);
    memcpy(value, in->at + skip + 1, length - skip - 1);
    value[length - skip - 1] = '\0';
    in->at += length + 1;
    in->line++;
    return MPLAN_OK;
}

/* The value is in the line before: read_value has stepped over it. */
static mplan_status bad_value(const reader *in, const char *key, const char *value)
{
    return MPLAN_DISPROVED(in->err,
                           "line %" PRId64 " of the request: '%s' is not a value of %s that "
                           "a request can have",
                           in->line - 1, value, key);
}

/* A whole number without leading zeros. */
static mplan_status read_whole(reader *in, const char *key, int64_t most, int64_t *out)
{
    char value[VALUE];
    int64_t number = 0;
    mplan_status status = read_value(in, key, value);
    if (status)
        return status;
    bool good = *value && !(value[0] == '0' && value[1]);
    for (const char *c = value; *c && good; c++) {
        good = *c >= '0' && *c <= '9' && number <= (most - (*c - '0')) / 10;
        if (good)
            number = 10 * number + (*c - '0');
    }
    *out = number;
    return good ? MPLAN_OK : bad_value(in, key, value);
}

/* The seed may be any number of 64 bits, and nothing depends on it that could be proved. */
static mplan_status read_seed(reader *in)
{
    char value[VALUE];
    uint64_t number = 0;
    mplan_status status = read_value(in, "seed", value);
    bool good = !status && *value && !(value[0] == '0' && value[1]);
    for (const char *c = value; good && *c; c++) {
        unsigned digit = (unsigned)(*c - '0');
        good = digit <= 9 && number <= (UINT64_MAX - digit) / 10;
        number = 10 * number + digit;
    }
    return status || good ? status : bad_value(in, "seed", value);
}

/* A number from `least` to `most`, in the form that is shortest: a request has one text. */
static mplan_status read_number(reader *in, const char *key, double least, double most)
{
    char value[VALUE], form[MPLAN_NUMBER_ROOM], *end = NULL;
    mplan_status status = read_value(in, key, value);
    if (status)
        return status;
    double number = mplan_number_read(value, &end);
    bool good = end != value && !*end && number >= least && number <= most &&
                strcmp(mplan_number_shortest(form, 6, number), value) == 0;
    return good ? MPLAN_OK : bad_value(in, key, value);
}

/* One of the words that name_of knows from `first` on, `n` of them. */
typedef const char *namer(int value);
/* A line "key word": *out is the i in [first, first + n) whose name is the word. */
static mplan_status read_word(reader *in, const char *key, namer *name_of, int first, int n, int *out)
{
    char value[VALUE];
    mplan_status status = read_value(in, key, value);
    if (status)
        return status;
    for (int i = first; i < first + n; i++)
        if (strcmp(name_of(i), value) == 0) {
            *out = i;
            return MPLAN_OK;
        }
    return bad_value(in, key, value);
}

static const char *truth_name(int i)
{
    return i ? "true" : "false";
}
static const char *keep_name(int i)
{
    return i ? "better" : "never";
}
static const char *sums_name(int i)
{
    return mplan_sums_name((mplan_sums)i);
}
static const char *encoding_name(int i)
{
    return i == MPLAN_ENCODING_NONE ? "auto" : mplan_encoding_name((mplan_encoding)i);
}
static const char *sums_order_name(int i)
{
    return mplan_sums_order_name((mplan_sums_order)i);
}
static const char *layout_name(int i)
{
    return mplan_layout_name((mplan_layout)i);
}
static const char *partitioner_name(int i)
{
    return mplan_partitioner_name((mplan_partitioner)i);
}
static const char *effort_name(int i)
{
    return mplan_effort_name((mplan_effort)i);
}
static const char *graph_name(int i)
{
    return mplan_graph_name((mplan_graph)i);
}
static const char *renumber_name(int i)
{
    return mplan_renumber_name((mplan_renumber)i);
}
static const char *order_name(int i)
{
    return mplan_point_order_name((mplan_point_order)i);
}

/* Devices and what a block may stage there, as section 11 of the format has them. */
static const struct {
    const char *name;
    int32_t bytes;
} devices[] = {{"p100", 49152},     {"v100", 98304},     {"a100", 166912},  {"h100", 232448},
               {"h200", 232448},    {"b200", 232448},    {"gb200", 232448}, {"l40s", 101376},
               {"rtx4090", 101376}, {"rtx5090", 101376}, {"mi300x", 65536}, {"cpu", 1048576}};
enum { N_DEVICES = sizeof devices / sizeof *devices };

/* The device's name: that of a profile, or any word, and then a line of its numbers follows. */
static mplan_status read_device(reader *in, mplan_asked *out)
{
    static const char key[] = "device ";
    const size_t length = strcspn(in->at, "\n"), before = sizeof key - 1;
    if (strncmp(in->at, key, before) != 0 || length == before || !in->at[length] ||
        length - before >= sizeof out->device || strcspn(in->at + before, " \n") != length - before)
        return refuse(in, "device NAME");
    mplan_text_format(out->device, sizeof out->device, "%.*s", (int)(length - before),
                      in->at + before);
    in->at += length + 1;
    in->line++;
    return MPLAN_OK;
}

/* "profile" and thirteen numbers, the second of which is what a block may stage; then seconds of a launch and rates of the
 * link, each of which may be 0 only where another follows. */
static mplan_status read_profile(reader *in, mplan_asked *out)
{
    enum { NUMBERS = 13, MOST = 16, BYTES = 1 };
    const char *at = in->at + sizeof "profile" - 1;
    for (int i = 0; i < MOST && (i < NUMBERS || *at != '\n'); i++) {
        char *end = NULL;
        const double value = *at == ' ' ? mplan_number_read(at + 1, &end) : 0;
        const bool none = i >= NUMBERS && value == 0 && end && *end == ' ';
        if (!end || end == at + 1 || !((value > 0 && value < 1e19) || none))
            return refuse(in, "profile and 13 to 16 numbers");
        if (i == BYTES)
            out->device_bytes = (int64_t)value;
        at = end;
    }
    if (*at != '\n')
        return refuse(in, "profile and 13 to 16 numbers");
    in->at = at + 1;
    in->line++;
    return MPLAN_OK;
}

/* What the request says of its device behind all else: the numbers of a profile from a file, or the
 * version of one of ours where it is above 1. */
static mplan_status read_device_numbers(reader *in, mplan_asked *out)
{
    int64_t version = 2;
    mplan_status status = MPLAN_OK;
    if (strncmp(in->at, "profile ", 8) == 0)
        return read_profile(in, out);
    for (int i = 0; i < N_DEVICES; i++)
        if (strcmp(devices[i].name, out->device) == 0)
            out->device_bytes = devices[i].bytes;
    if (out->device_bytes == 0)
        return MPLAN_DISPROVED(in->err, "the request names device %s, which has no profile",
                               out->device);
    if (strncmp(in->at, "device_version ", 15) == 0)
        status = read_whole(in, "device_version", 1000000, &version);
    return !status && version < 2 ? refuse(in, "no version that is 1") : status;
}

/* "strategy auto", or the words of strategies, none of them twice. Two words are never equal, so
 * that there are no more than the list has room for. The line must end: what follows is read. */
static mplan_status read_strategies(reader *in, mplan_asked *asked)
{
    static const char key[] = "strategy";
    size_t length = strcspn(in->at, "\n"), at = sizeof key - 1;
    if (strncmp(in->at, "strategy auto\n", 14) == 0)
        at = length;
    else if (strncmp(in->at, "strategy ", 9) != 0 || !in->at[length])
        return MPLAN_DISPROVED(in->err, "line %" PRId64 " of the request does not say '%s'",
                               in->line, key);
    while (at < length) {
        size_t word = strcspn(in->at + at + 1, " \n");
        mplan_strategy found = MPLAN_N_STRATEGIES;
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++) {
            const char *name = mplan_strategy_name((mplan_strategy)s);
            if (strlen(name) == word && memcmp(name, in->at + at + 1, word) == 0)
                found = (mplan_strategy)s;
        }
        for (int32_t k = 0; k < asked->n_strategies; k++)
            if (asked->strategies[k] == found)
                found = MPLAN_N_STRATEGIES;
        if (found == MPLAN_N_STRATEGIES)
            return MPLAN_DISPROVED(in->err,
                                   "line %" PRId64 " of the request does not list "
                                   "strategies",
                                   in->line);
        asked->strategies[asked->n_strategies++] = found;
        at += word + 1;
    }
    in->at += length + 1;
    in->line++;
    return MPLAN_OK;
}

/* The order of sums, where one was asked for. */
static mplan_status read_sums_order(reader *in, mplan_sums_order *out)
{
    static const char key[] = "sums_order ";
    int order = MPLAN_SUMS_ORDER_STORED;
    mplan_status status = MPLAN_OK;
    if (strncmp(in->at, key, sizeof key - 1) == 0)
        status = read_word(in, "sums_order", sums_order_name, 0, MPLAN_N_SUMS_ORDERS, &order);
    *out = (mplan_sums_order)order;
    return status;
}

/* The layout of all dats, where one was asked for: "auto" has no line. */
static mplan_status read_layouts(reader *in, int *out)
{
    static const char key[] = "layouts ";
    int layout = -1;
    mplan_status status = MPLAN_OK;
    if (strncmp(in->at, key, sizeof key - 1) == 0)
        status = read_word(in, "layouts", layout_name, 0, MPLAN_N_LAYOUTS, &layout);
    *out = layout + 1;
    return status;
}

/* Rows of a slice, where a number was asked for: 32 or 64. */
static mplan_status read_slice_rows(reader *in, int64_t *out)
{
    *out = 0;
    if (take(in, "slice_rows 32\n"))
        *out = 32;
    else if (take(in, "slice_rows 64\n"))
        *out = 64;
    return MPLAN_OK;
}

/* The step, whose line is there where the plan has one: it is written down from the records. */
static mplan_status read_step(reader *in, const mplan_plan *plan)
{
    if (plan->n_step == 0)
        return MPLAN_OK;
    size_t size = sizeof "step\n" + 12 * (size_t)plan->n_step, length = 4;
    char *line = mplan_alloc((int64_t)size, 1, in->err);
    if (!line)
        return MPLAN_ERR_MEMORY;
    memcpy(line, "step", 4);
    for (int32_t i = 0; i < plan->n_step; i++)
        length += mplan_text_format(line + length, size - length, " %d", (int)plan->step[i].loop);
    memcpy(line + length, "\n", 2);
    mplan_status status = take(in, line) ? MPLAN_OK : refuse(in, line);
    free(line);
    return status;
}

/* What entries of the step set to zero first: a line where one does. */
static mplan_status read_clears(reader *in, const mplan_plan *plan)
{
    size_t size = sizeof "clears\n" + 24 * (size_t)plan->n_step, length = 6;
    bool any = false;
    char *line = mplan_alloc((int64_t)size, 1, in->err);
    if (!line)
        return MPLAN_ERR_MEMORY;
    memcpy(line, "clears", 6);
    for (int32_t i = 0; i < plan->n_step; i++) {
        if (!plan->step[i].clear)
            continue;
        any = true;
        length += mplan_text_format(line + length, size - length, " %d:%d", (int)i,
                                    (int)plan->step[i].clear - 1);
    }
    memcpy(line + length, "\n", 2);
    mplan_status status = !any || take(in, line) ? MPLAN_OK : refuse(in, line);
    free(line);
    return status;
}

/* Entries whose globals change late: a line where one does. */
static mplan_status read_lags(reader *in, const mplan_plan *plan)
{
    const size_t size = sizeof "lags\n" + 12 * (size_t)plan->n_step;
    size_t length = 4;
    char *line = mplan_alloc((int64_t)size, 1, in->err);
    if (!line)
        return MPLAN_ERR_MEMORY;
    memcpy(line, "lags", 4);
    for (int32_t i = 0; i < plan->n_step; i++)
        if (plan->step[i].lag)
            length += mplan_text_format(line + length, size - length, " %d", (int)i);
    memcpy(line + length, "\n", 2);
    mplan_status status = length == 4 || take(in, line) ? MPLAN_OK : refuse(in, line);
    free(line);
    return status;
}

/* A line of a whole number that is there only where it was given. */
static mplan_status read_later(reader *in, const char *key, int64_t most, int64_t *value)
{
    const size_t length = strlen(key);
    *value = 0;
    if (strncmp(in->at, key, length) != 0 || in->at[length] != ' ')
        return MPLAN_OK;
    mplan_status status = read_whole(in, key, most, value);
    return !status && *value == 0 ? refuse(in, "no number that is 0") : status;
}

/* Puts the digits of the text into the line where that has ?; they stay where the text has none. */
static void fill_digits(const reader *in, char *line)
{
    for (size_t i = 0; line[i] && in->at[i]; i++)
        if (line[i] == '?' &&
            ((in->at[i] >= '0' && in->at[i] <= '9') || (in->at[i] >= 'a' && in->at[i] <= 'f')))
            line[i] = in->at[i];
}

/* A line that speaks of layers (check_layers.c). */
static mplan_status read_layers_line(void *data, const char *line, const char *name)
{
    reader *in = data;
    size_t size = strlen(line) + strlen(name) + 2;
    char *whole = mplan_alloc((int64_t)size, 1, in->err);
    if (!whole)
        return MPLAN_ERR_MEMORY;
    mplan_text_format(whole, size, "%s", line);
    fill_digits(in, whole);
    mplan_text_format(whole + strlen(line), size - strlen(line), "%s\n", name);
    mplan_status status = take(in, whole) ? MPLAN_OK : refuse(in, whole);
    free(whole);
    return status;
}

/* A zone that was chosen of the mesh's file; any name may be one. */
static mplan_status read_zone(reader *in)
{
    static const char key[] = "zone ";
    size_t length = strcspn(in->at, "\n");
    if (strncmp(in->at, key, sizeof key - 1) != 0)
        return MPLAN_OK;
    if (length == sizeof key - 1 || !in->at[length])
        return refuse(in, "zone NAME");
    in->at += length + 1;
    in->line++;
    return MPLAN_OK;
}

/* Lines of all options, in their fixed order. 0 and `auto` mean that the planner chose. */
static mplan_status read_options(reader *in, const mplan_check *check, mplan_asked *out)
{
    const mplan_plan *plan = check->plan;
    int truth = 0, sums = 0, encoding = 0, partitioner = 0, effort, graph, renumber = 0, keep = 0;
    int order = 0;
    mplan_status status = read_whole(in, "block_size", 1024, &out->block_size);
    status = status ? status : read_whole(in, "max_points", MPLAN_CHECK_MOST_LOCAL, &out->max_points);
    status = status ? status : read_whole(in, "shared_bytes", INT64_MAX, &out->shared_bytes);
    status = status ? status : read_strategies(in, out);
    status = status ? status : read_word(in, "allow_nondeterministic", truth_name, 0, 2, &truth);
    status = status ? status : read_word(in, "sums", sums_name, 0, MPLAN_N_SUMS, &sums);
    status = status ? status
                    : read_word(in, "encoding", encoding_name, 0, MPLAN_N_ENCODINGS, &encoding);
    status = status ? status : read_whole(in, "block_threads", 1024, &out->block_threads);
    status = status ? status
                    : read_word(in, "partitioner", partitioner_name, -1, MPLAN_N_PARTITIONERS + 1,
                                &partitioner);
    status = status ? status : read_number(in, "imbalance", 1, 1024);
    status = status ? status : read_word(in, "effort", effort_name, 0, MPLAN_N_EFFORTS, &effort);
    status = status ? status : read_number(in, "fill", 5e-324, 1);
    status = status ? status : read_word(in, "graph", graph_name, 0, MPLAN_N_GRAPHS, &graph);
    status = status ? status
                    : read_word(in, "renumber", renumber_name, 0, MPLAN_N_RENUMBERS, &renumber);
    status = status ? status : read_word(in, "keep_order", keep_name, 0, 2, &keep);
    status = status ? status
                    : read_word(in, "point_order", order_name, -1, MPLAN_N_POINT_ORDERS + 1, &order);
    status = status ? status : read_device(in, out);
    status = status ? status : read_seed(in);
    status = status ? status : read_sums_order(in, &out->sums_order);
    status = status ? status : read_layouts(in, &out->layouts);
    status = status ? status : read_slice_rows(in, &out->slice_rows);
    status = status ? status : read_later(in, "device_memory", INT64_MAX, &out->device_memory);
    status = status ? status : read_later(in, "steps_per_visit", 4096, &out->steps_per_visit);
    status = status ? status : read_later(in, "segments", 4096, &out->segments);
    status = status ? status : read_later(in, "elements_per_thread", 64, &out->elements_per_thread);
    status = status ? status : read_later(in, "bound_blocks", 32, &out->bound_blocks);
    out->by_entry = !status && take(in, "entry_layout entries\n");
    status = status ? status : read_later(in, "rings", 16, &out->rings);
    if (!status && out->rings != check->rings)
        status = refuse(in, "rings of a part, in a line of their own");
    status = status ? status : read_later(in, "block_round", 1024, &out->round);
    if (!status && out->round % 32)
        status = refuse(in, "a round of a multiple of 32 elements");
    status = status ? status : read_later(in, "slab_levels", 64, &out->slab_levels);
    status = status ? status : read_later(in, "launch_streams", 2, &out->launch_streams);
    status = status ? status : read_step(in, plan);
    status = status ? status : read_clears(in, plan);
    status = status ? status : read_lags(in, plan);
    status = status ? status : mplan_check_layers_lines(check, read_layers_line, in, in->err);
    status = status ? status : read_zone(in);
    status = status ? status : read_device_numbers(in, out);
    if (!status && *in->at)
        status = refuse(in, "nothing more");
    out->nondeterministic = truth;
    out->sums = (mplan_sums)sums;
    out->encoding = (mplan_encoding)encoding;
    out->partitioner = (mplan_partitioner)partitioner;
    out->renumber = (mplan_renumber)renumber;
    out->keep_better = keep;
    out->point_order = (mplan_point_order)order;
    return status;
}

/* Loops and args first, whose lines follow from the records; *asked: what the lines of options
 * say. */
static mplan_status read_request(const mplan_check *check, mplan_asked *asked, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    reader in = {plan->request ? plan->request : "", 1, err};
    mplan_status status = MPLAN_OK;
    *asked = (mplan_asked){.primary = -1, .target = -1};
    for (int32_t l = 0; l < plan->n_loops && !status; l++)
        status = read_loop(&in, plan, &plan->loops[l]);
    if (!status)
        status = read_options(&in, check, asked);
    if (!status && asked->block_threads % 32 != 0)
        status = MPLAN_DISPROVED(err,
                                 "the request asks for %" PRId64 " threads, which is not a "
                                 "multiple of 32",
                                 asked->block_threads);
    return status;
}

/* What the text of the request asks for is read here by code of its own, then compared with
 * what the plan says was chosen, and with the orders of its sets. */
mplan_status mplan_check_asked(mplan_check *check, const mplan_mesh *mesh, mplan_error *err)
{
    mplan_asked asked;
    mplan_status status = read_request(check, &asked, err);
    const mplan_plan_visit *visit = &check->plan->visit;
    if (!status &&
        (asked.device_memory != visit->device_memory ||
         (asked.device_memory > 0) != (visit->slabs > 0) ||
         (visit->slabs > 0 && ((asked.steps_per_visit && asked.steps_per_visit != visit->steps) ||
                               (asked.segments && asked.segments != visit->segments)))))
        status = MPLAN_DISPROVED(err, "the visit is not the one that was asked for");
    if (!status)
        status = mplan_check_choices(check, &asked, err);
    return !status ? mplan_check_sets(check, &asked, mesh, err) : status;
}
