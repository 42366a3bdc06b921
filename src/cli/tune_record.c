/* SPDX-License-Identifier: Apache-2.0 */
/* tune_record.c - what was measured, as lines of a file beside the plans
 *
 * A line is a JSON object that ends with a line feed and is written by one call in append mode, so that several
 * commands may add to one file. Lines that are not whole, or not such objects, are skipped when they are read. */
#define _GNU_SOURCE
#include "cli/tune_record.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/json_flat.h"
#include "cli/message.h"
#include "cli/planning_rows.h"

static const char head[] = "{\"meshplan_tune\": 1";

/* The planning options that are tuned, by their names in the table. */
static const char *const tuned_options[] = {
    "strategy", "block-size",          "sums",         "encoding",     "block-threads",
    "layouts",  "elements-per-thread", "bound-blocks", "entry-layout", "block-round"};
/* Those before N_FIRST are in every record; what a record lacks of the others stays as the request has it. */
enum { N_TUNED = sizeof tuned_options / sizeof *tuned_options, N_FIRST = 6, VALUE = 512 };

/* --- keys --------------------------------------------------------------------------- */

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_FACTOR UINT64_C(0x100000001b3)

/* FNV-1a of 64 bits (Fowler, Noll, Vo). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * HASH_FACTOR;
    return hash;
}

/* Args by what they are, not by their names: another mesh's loop of the same kind has the same signature. */
static uint64_t signature_of(const cli_tune_subject *subject)
{
    const mplan_loop *loop = &subject->loops[subject->loop];
    uint64_t hash = HASH_START;
    for (int32_t a = 0; a < loop->n_args; a++) {
        char text[128];
        const mplan_arg *arg = &loop->args[a];
        int32_t arity = -1; /* of a global or direct arg */
        if (arg->map && strcmp(arg->map, MPLAN_GLOBAL))
            arity = mplan_mesh_map(subject->mesh, mplan_mesh_find_map(subject->mesh, arg->map)).arity;
        snprintf(text, sizeof text, "%s %d %d %s %s;", !arg->map ? "direct" : "map", (int)arity,
                 (int)arg->dim, mplan_type_name(arg->type), mplan_access_name(arg->access));
        hash = hash_text(hash, text);
    }
    return hash;
}

/* All lines of a request but those of the device, which has a key of its own. */
static uint64_t hash_request(const char *request)
{
    uint64_t hash = HASH_START;
    for (const char *line = request; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool device = !strncmp(line, "device", 6) || !strncmp(line, "profile ", 8);
        for (size_t i = 0; i <= length && line[i] && !device; i++)
            hash = (hash ^ (unsigned char)line[i]) * HASH_FACTOR;
        line += length + (line[length] == '\n');
    }
    return hash;
}

/* What a result is good for: the request, the topology, the loops; planning itself is not needed for it. */
mplan_status cli_tune_key_of(const cli_tune_subject *subject, cli_tune_key *key, mplan_error *err)
{
    mplan_forecast *forecast = NULL;
    mplan_status status = mplan_plan_forecast(subject->mesh, subject->n_loops, subject->loops,
                                              subject->base, subject->context, &forecast, err);
    *key = (cli_tune_key){0};
    if (status)
        return status;
    key->request = hash_request(forecast->request);
    key->signature = signature_of(subject);
    mplan_forecast_free(forecast);
    return MPLAN_OK;
}

/* "NVIDIA GeForce RTX 4090" becomes "nvidiageforcertx4090". */
static void fold(const char *text, char *folded, size_t size)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++)
        if (isalnum((unsigned char)*text))
            folded[n++] = (char)tolower((unsigned char)*text);
    folded[n] = '\0';
}

/* The profile whose name is in the name of the machine, the longest where there are several; "" for the host, and where
 * there is none. */
void cli_tune_device(const mplan_tune_machine *machine, bool host, char device[32])
{
    char name[128];
    mplan_device profile;
    size_t longest = 0;
    device[0] = '\0';
    fold(machine->name, name, sizeof name);
    for (int32_t i = 0; !host && mplan_device_get(i, &profile) == MPLAN_OK; i++)
        if (profile.warp > 1 && strstr(name, profile.name) && strlen(profile.name) > longest) {
            longest = strlen(profile.name);
            snprintf(device, 32, "%s", profile.name);
        }
    if (host)
        snprintf(device, 32, "cpu");
}

/* --- writing ------------------------------------------------------------------------ */

/* The values of the tuned options in a request. */
static void choice_json(cli_json *json, const mplan_plan_options *request)
{
    char value[VALUE];
    for (int i = 0; i < N_TUNED; i++) {
        const mplan_plan_option *option = cli_planning_find(tuned_options[i]);
        mplan_plan_option_write(option, (const char *)request + option->offset, value, sizeof value);
        cli_json_text(json, option->key, value);
    }
}

/* With the bounds that fitting needs (tune_fit.c). */
static void prediction_json(cli_json *json, const cli_candidate *one)
{
    cli_json_real(json, "predicted_us", 1e6 * one->predicted);
    cli_json_open(json, "bounds_us", '{');
    for (int r = 0; r <= MPLAN_N_RATES; r++)
        cli_json_real(json, r < MPLAN_N_RATES ? mplan_rate_name((mplan_rate)r) : "none",
                      1e6 * one->bounds[r]);
    cli_json_close(json, '}');
}

/* What was asked for, what runs by it, what was predicted and what was measured. */
static void candidate_json(cli_json *json, const cli_tuning *tuning, const cli_candidate *one)
{
    const mplan_tune_result *result = &one->result;
    const mplan_plan_variant *v = cli_candidate_variant(one, tuning->subject);
    cli_json_open(json, NULL, '{');
    choice_json(json, &one->request);
    if (v) {
        cli_json_text(json, "runs", mplan_strategy_name(v->strategy));
        cli_json_int(json, "block_limit", v->block_limit);
        cli_json_int(json, "threads", v->threads);
        if (v->bound_blocks)
            cli_json_int(json, "bounds", v->bound_blocks);
        if (v->round)
            cli_json_int(json, "round", v->round);
        cli_json_bool(json, "deterministic", v->deterministic);
    }
    if (one->predicted > 0)
        prediction_json(json, one);
    cli_json_text(json, "status", mplan_status_name(result->status));
    if (!result->status) {
        cli_json_real(json, "microseconds", result->median);
        cli_json_real(json, "least_us", result->least);
        cli_json_real(json, "most_us", result->most);
        cli_json_int(json, "rounds", result->rounds);
        cli_json_int(json, "wins", result->wins);
        cli_json_int(json, "bytes", result->bytes);
    } else {
        cli_json_text(json, "reason", result->reason);
    }
    if (result->error >= 0)
        cli_json_real(json, "error", result->error);
    cli_json_close(json, '}');
}

/* driver is 0 on the host, where the keys of CUDA and of the memory's clock are left out. */
static void machine_json(cli_json *json, const mplan_tune_machine *machine)
{
    cli_json_open(json, "machine", '{');
    cli_json_text(json, "name", machine->name);
    cli_json_int(json, "processors", machine->processors);
    if (machine->driver) {
        cli_json_int(json, "driver", machine->driver);
        cli_json_int(json, "runtime", machine->runtime);
        cli_json_int(json, "memory_clock_khz", machine->memory_clock_khz);
    }
    cli_json_close(json, '}');
}

/* What was tuned, where and by which kernels: the key by which it is found, and what people want to know of it. */
static void facts_json(cli_json *json, const cli_tuning *tuning)
{
    const cli_tune_subject *subject = tuning->subject;
    const mplan_loop *loop = &subject->loops[subject->loop];
    const mplan_set set = mplan_mesh_set(subject->mesh,
                                         mplan_mesh_find_set(subject->mesh, loop->over));
    cli_json_text(json, "loop", loop->name);
    cli_json_text(json, "mesh", tuning->input);
    cli_json_int(json, "elements", set.size);
    cli_json_text(json, "executor", tuning->executor);
    machine_json(json, &tuning->machine);
    cli_json_text(json, "device", tuning->key.device);
    cli_json_text(json, "profile", subject->base->device); /* whose predictions these are */
    cli_json_text(json, "kernels", tuning->kernels);
    cli_json_hash(json, "kernel_hash", tuning->kernel_hash);
    cli_json_hash(json, "signature", tuning->key.signature);
    cli_json_hash(json, "request", tuning->key.request);
    cli_json_hash(json, "topology", mplan_plan_fingerprints(tuning->list[0].plan).topology);
}

/* NAN: not measured. regret is the default's time by the best one's, only where both were measured. */
static void best_json(cli_json *json, const mplan_plan_options *request, double best_us,
                      double default_us)
{
    cli_json_open(json, "best", '{');
    choice_json(json, request);
    cli_json_close(json, '}');
    cli_json_real(json, "best_us", best_us);
    if (!isnan(default_us)) {
        cli_json_real(json, "default_us", default_us);
        cli_json_real(json, "regret", default_us / best_us);
    }
}

/* Keys of one record: what was tuned, the choice that won, and all candidates. */
void cli_tuning_json(cli_json *json, const cli_tuning *tuning)
{
    const cli_candidate *base = &tuning->list[0],
                        *best = tuning->best < 0 ? NULL : &tuning->list[tuning->best];
    facts_json(json, tuning);
    cli_json_int(json, "rounds_dropped", tuning->dropped);
    if (best)
        best_json(json, &best->request, best->result.median,
                  base->result.status ? NAN : base->result.median);
    cli_json_open(json, "candidates", '[');
    for (int32_t i = 0; i < tuning->n; i++)
        candidate_json(json, tuning, &tuning->list[i]);
    cli_json_close(json, ']');
}

void cli_tuned_json(cli_json *json, const cli_tuning *tuning, const cli_tuned *found, const char *path)
{
    facts_json(json, tuning);
    cli_json_text(json, "reused", path);
    best_json(json, &found->request, found->best_us, found->default_us);
    cli_json_open(json, "candidates", '[');
    cli_json_close(json, ']');
}

void cli_tuned_words(const cli_tuned *found, const mplan_plan_options *base, char *text, size_t size)
{
    size_t n = 0;
    snprintf(text, size, "%s", "the default");
    for (int i = 0; i < N_TUNED; i++) {
        char own[VALUE], usual[VALUE];
        const mplan_plan_option *option = cli_planning_find(tuned_options[i]);
        mplan_plan_option_write(option, (const char *)&found->request + option->offset, own, VALUE);
        mplan_plan_option_write(option, (const char *)base + option->offset, usual, VALUE);
        if (!strcmp(own, usual) || n >= size)
            continue;
        const int more = snprintf(text + n, size - n, "%s--%s %s", n ? " " : "", option->name, own);
        n += more > 0 ? (size_t)more : 0;
    }
}

/* A slip of the hand must not add lines to a mesh. Only reads. */
static bool is_record_file(int fd)
{
    char text[sizeof head];
    ssize_t n = pread(fd, text, sizeof head - 1, 0);
    return n >= 0 && !memcmp(text, head, (size_t)n);
}

/* Whether the file ends with a line that is not whole: a process was killed while it wrote it. */
static bool ends_within_line(int fd, off_t size)
{
    char last;
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* One call of write(2), which append mode makes whole among several writers. line: `length` bytes, and room for two. */
static mplan_status append_line(const char *path, char *line, size_t length, mplan_error *err)
{
    struct stat about;
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return cli_fail(err, MPLAN_ERR_CREATE, "%s: %s", path, strerror(errno));
    mplan_status status = MPLAN_OK;
    errno = 0;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode) || !is_record_file(fd))
        status = cli_fail(err, MPLAN_ERR_CREATE, "%s: is not a file of `meshplan tune`", path);
    line[length++] = '\n';
    if (!status && ends_within_line(fd, about.st_size)) {
        memmove(line + 1, line, length++);
        line[0] = '\n';
    }
    if (!status && write(fd, line, length) != (ssize_t)length)
        status = cli_fail(err, MPLAN_ERR_IO, "%s: %s", path, errno ? strerror(errno) : "no room");
    if (close(fd) && !status)
        status = cli_fail(err, MPLAN_ERR_IO, "%s: %s", path, strerror(errno));
    return status;
}

/* line has room for two bytes more than the object: its end, and the end of a line that another process left. */
mplan_status cli_tuning_append(const cli_tuning *tuning, const char *path, mplan_error *err)
{
    cli_json json = {0}, lines = {0};
    cli_json_open(&json, NULL, '{');
    cli_json_int(&json, "meshplan_tune", 1);
    cli_json_text(&json, "meshplan", mplan_version());
    cli_json_int(&json, "time", (int64_t)time(NULL));
    cli_tuning_json(&json, tuning);
    cli_json_close(&json, '}');
    cli_json_line(&lines, &json);
    char *line = lines.failed || json.failed ? NULL : malloc(lines.length + 2);
    if (line)
        memcpy(line, lines.text, lines.length);
    mplan_status status = line ? append_line(path, line, lines.length, err)
                               : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    free(line);
    cli_json_free(&json);
    cli_json_free(&lines);
    return status;
}

/* --- reading ------------------------------------------------------------------------- */

/* Why records of a file were not taken, to be said where none was. */
typedef struct misses {
    int32_t lines, other_loop, other_request, other_device;
    char device[128];
} misses;

/* Of hexadecimal digits in a text; 0: there is none. */
static uint64_t hash_at(const cli_flat *flat, const char *path)
{
    const char *text = cli_flat_text(flat, path);
    return text ? strtoull(text, NULL, 16) : 0;
}

/* False where there is none. */
static bool text_is(const cli_flat *flat, const char *path, const char *due)
{
    const char *text = cli_flat_text(flat, path);
    return text && !strcmp(text, due);
}

/* The request with the choices of a record; values that this program does not know are refused. */
static mplan_status read_choice(const cli_flat *flat, const char *path,
                                const mplan_plan_options *base, cli_tuned *out, mplan_error *err)
{
    out->request = *base;
    for (int i = 0; i < N_TUNED; i++) {
        char key[64];
        const mplan_plan_option *option = cli_planning_find(tuned_options[i]);
        snprintf(key, sizeof key, "best.%s", option->key);
        const char *text = cli_flat_text(flat, key);
        char value[VALUE];
        if (!text && i >= N_FIRST)
            continue;
        snprintf(value, sizeof value, "%s", text ? text : "");
        for (char *c = value; *c;
             c++) /* a request has blanks between strategies, where an option has commas */
            *c = *c == ' ' ? ',' : *c;
        mplan_status status = text ? mplan_plan_option_read(option, key, value,
                                                            (char *)&out->request + option->offset,
                                                            err)
                                   : cli_fail(err, MPLAN_ERR_CORRUPT, "there is no %s", key);
        mplan_error inner = *err;
        if (status)
            return cli_fail(err, MPLAN_ERR_CORRUPT, "%s: a record of tuning cannot be used: %.*s",
                            path, (int)sizeof inner.text / 2, inner.text);
    }
    return MPLAN_OK;
}

/* Whether a record is for the key; counts why not. */
static bool holds(const cli_flat *flat, const cli_tune_key *key, misses *missed)
{
    missed->lines++;
    if (!cli_flat_text(flat, "best.strategy"))
        return false;
    const bool loop = hash_at(flat, "signature") == key->signature;
    const bool request = hash_at(flat, "request") == key->request;
    const bool device = text_is(flat, "device", key->device);
    missed->other_loop += !loop;
    missed->other_request += loop && !request;
    missed->other_device += loop && request && !device;
    if (loop && request && !device) {
        const char *name = cli_flat_text(flat, "machine.name");
        snprintf(missed->device, sizeof missed->device, "%s", name ? name : "another device");
    }
    return loop && request && device;
}

/* "?" where there is none. */
static void copy_text(const cli_flat *flat, const char *path, char *to, size_t size)
{
    const char *text = cli_flat_text(flat, path);
    snprintf(to, size, "%s", text ? text : "?");
}

/* All of a record but its choice. */
static void read_facts(const cli_flat *flat, cli_tuned *out)
{
    out->topology = hash_at(flat, "topology");
    out->kernel_hash = hash_at(flat, "kernel_hash");
    out->driver = cli_flat_whole(flat, "machine.driver", 0);
    out->processors = cli_flat_whole(flat, "machine.processors", 0);
    out->default_us = cli_flat_number(flat, "default_us", NAN);
    out->best_us = cli_flat_number(flat, "best_us", NAN);
    copy_text(flat, "mesh", out->mesh, sizeof out->mesh);
    copy_text(flat, "machine.name", out->machine, sizeof out->machine);
    copy_text(flat, "executor", out->executor, sizeof out->executor);
}

/* Takes the record unless one of its mesh, kernels and driver is there: lines come latest first. */
static mplan_status take(const cli_flat *flat, const char *path, const mplan_plan_options *base,
                         int32_t most, cli_tuned *found, int32_t *n, mplan_error *err)
{
    cli_tuned one = {.topology = 0};
    read_facts(flat, &one);
    for (int32_t i = 0; i < *n; i++)
        if (found[i].topology == one.topology && found[i].kernel_hash == one.kernel_hash &&
            found[i].driver == one.driver)
            return MPLAN_OK;
    if (*n == most)
        return MPLAN_OK;
    cli_tuned *next = &found[*n];
    *next = one;
    mplan_status status = read_choice(flat, path, base, next, err);
    *n += !status;
    return status;
}

/* Only a file whose first line begins as records do is read. context is told of it as of every input. */
mplan_status cli_records_read(const char *path, const mplan_context *context, char **text,
                              size_t *size, mplan_error *err)
{
    struct stat about;
    mplan_status status = context->input ? context->input(context->user, path, err) : MPLAN_OK;
    if (status)
        return status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about) || !S_ISREG(about.st_mode) ||
        !is_record_file(fileno(file))) {
        const int why = errno;
        status = file ? cli_fail(err, MPLAN_ERR_FORMAT, "%s: is not a file of `meshplan tune`", path)
                      : cli_fail(err, MPLAN_ERR_NO_INPUT, "%s: %s", path, strerror(why));
    }
    *text = status ? NULL : malloc((size_t)about.st_size + 1);
    if (!status && !*text)
        status = cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (!status) {
        *size = fread(*text, 1, (size_t)about.st_size, file);
        (*text)[*size] = '\0';
        if (ferror(file))
            status = cli_fail(err, MPLAN_ERR_IO, "%s: cannot be read", path);
    }
    if (file)
        fclose(file);
    return status;
}

/* What is to be said where no record holds. */
static mplan_status explain(const char *path, const cli_tune_key *key, const misses *missed,
                            mplan_error *err)
{
    if (missed->other_device)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: this request was tuned on %s, and the plan is for --device %s", path,
                        missed->device, key->device);
    if (missed->other_request)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: the loop was tuned with another request; give `plan` the options that `tune` got, and "
                        "none that was tuned",
                        path);
    return cli_fail(err, MPLAN_ERR_ARGUMENT,
                    "%s: none of its %d records is for a loop with these args", path,
                    (int)missed->lines);
}

/* From the last line upwards, so that the latest come first; what is behind the last line feed is half a line and
 * is not looked at. found: room for `most`. */
static mplan_status find(const char *path, const cli_tune_key *key, const mplan_plan_options *base,
                         const mplan_context *context, int32_t most, cli_tuned *found, int32_t *n,
                         misses *missed, mplan_error *err)
{
    char *text = NULL;
    size_t size = 0;
    *n = 0;
    mplan_status status = cli_records_read(path, context, &text, &size, err);
    for (char *end = status ? NULL : memrchr(text, '\n', size); end && !status;) {
        char *begin = end == text ? NULL : memrchr(text, '\n', (size_t)(end - text));
        const char *line = begin ? begin + 1 : text;
        cli_flat flat;
        if (cli_flat_read(line, (size_t)(end - line), &flat)) {
            if (holds(&flat, key, missed))
                status = take(&flat, path, base, most, found, n, err);
            cli_flat_free(&flat);
        }
        end = begin;
    }
    free(text);
    return status;
}

mplan_status cli_tuned_find(const char *path, const cli_tune_key *key,
                            const mplan_plan_options *base, const mplan_context *context,
                            int32_t most, cli_tuned *found, int32_t *n, mplan_error *err)
{
    misses missed = {0};
    mplan_status status = find(path, key, base, context, most, found, n, &missed, err);
    if (!status && *n == 0)
        status = explain(path, key, &missed, err);
    return status;
}

/* The file is an output, which its command reads first: nobody is told of it as of an input. */
mplan_status cli_tuned_look(const char *path, const cli_tune_key *key,
                            const mplan_plan_options *base, const mplan_context *context,
                            int32_t most, cli_tuned *found, int32_t *n, mplan_error *err)
{
    misses missed = {0};
    mplan_context quiet = *context;
    quiet.input = NULL;
    *n = 0;
    if (access(path, F_OK))
        return MPLAN_OK;
    mplan_status status = find(path, key, base, &quiet, most, found, n, &missed, err);
    return status == MPLAN_ERR_FORMAT
               ? cli_fail(err, MPLAN_ERR_CREATE, "%s: is not a file of `meshplan tune`", path)
               : status;
}

bool cli_tuned_is_exact(const cli_tuned *found, const cli_tuning *tuning)
{
    return found->topology == mplan_plan_fingerprints(tuning->list[0].plan).topology &&
           found->kernel_hash == tuning->kernel_hash && tuning->kernel_hash &&
           found->driver == tuning->machine.driver &&
           found->processors == tuning->machine.processors &&
           !strcmp(found->machine, tuning->machine.name) &&
           !strcmp(found->executor, tuning->executor);
}
