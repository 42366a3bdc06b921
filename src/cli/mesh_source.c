/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_source.c - the mesh that a command line names: a mesh, tables or a job */
#include "cli/mesh_source.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/signals.h"

/* Names that a nearest one is looked for among: more sets than that are not searched for a hint. */
#define MAX_SETS 256

/* The parts of NAME[:FROM:TO]=FILE[:BASE], in one buffer. */
typedef struct table_text {
    char *buffer;
    const char *name, *from, *to, *file;
    int64_t base;
} table_text;

/* False also where the ending is all there is: ".yaml" is a hidden file, not a job. */
bool cli_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && !strcmp(text + length - tail, ending);
}

/* By its name only: a job may come from a pipe that is named so. */
bool cli_is_job(const char *path)
{
    return cli_ends_with(path, ".yaml") || cli_ends_with(path, ".yml");
}

/* Names of all formats that are read, in the order of `meshplan formats`, also of those that this build cannot
 * read: reading says then which library is missing. */
const char *cli_format_word(int32_t i)
{
    mplan_format_info info;
    for (int32_t f = 0; !mplan_format(f, &info); f++)
        if ((info.reads || info.missing) && i-- == 0)
            return info.name;
    return NULL;
}

/* Only those that can be written. */
const char *cli_output_word(int32_t i)
{
    mplan_format_info info;
    for (int32_t f = 0; !mplan_format(f, &info); f++)
        if (info.writes && i-- == 0)
            return info.name;
    return NULL;
}

/* subject: the option that named the set, for messages. *index: -1 after a failure. */
mplan_status cli_find_set(const char *subject, const mplan_mesh *mesh, const char *name,
                          int32_t *index, mplan_error *err)
{
    *index = mplan_mesh_find_set(mesh, name);
    if (*index >= 0)
        return MPLAN_OK;
    const char *names[MAX_SETS + 1] = {NULL};
    for (int32_t i = 0; i < mplan_mesh_n_sets(mesh) && i < MAX_SETS; i++)
        names[i] = mplan_mesh_set(mesh, i).name;
    const char *nearest = mplan_nearest_word(name, names);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: the mesh has no set '%s'%s%s%s", subject, name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* parts->buffer: a copy that the parts point into; released by the caller, also after a failure.
 * from and to are NULL where only a name is given; base is 0 unless it is. Of several '=' the
 * first ends the name: file names may hold more of them. */
static mplan_status split_table(const char *text, table_text *parts, mplan_error *err)
{
    parts->buffer = strdup(text);
    if (!parts->buffer)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    char *equals = strchr(parts->buffer, '=');
    if (!equals || equals == parts->buffer || !equals[1])
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--map %s: must be NAME[:FROM:TO]=FILE[:BASE]",
                        text);
    *equals = 0;
    parts->name = parts->buffer;
    parts->file = equals + 1;
    char *from = strchr(parts->buffer, ':');
    if (from) {
        *from++ = 0;
        char *to = strchr(from, ':');
        if (!to || to == from || !to[1] || strchr(to + 1, ':'))
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "--map %s: must be NAME[:FROM:TO]=FILE[:BASE]",
                            text);
        *to++ = 0;
        parts->from = from;
        parts->to = to;
    }
    /* A file name may hold colons; only the digit 0 or 1 behind the last is a base. */
    size_t length = strlen(parts->file);
    char *tail = equals + 1 + length;
    if (length > 2 && tail[-2] == ':' && (tail[-1] == '0' || tail[-1] == '1')) {
        parts->base = tail[-1] - '0';
        tail[-2] = 0;
    }
    return MPLAN_OK;
}

/* A map of the mesh from a table in a file; sets that it names are made where the mesh has none.
 * In a table of the command line -1 means none. */
static mplan_status add_table(const char *text, const mplan_context *context, mplan_mesh *mesh,
                              mplan_error *err)
{
    table_text parts = {0};
    mplan_status status = split_table(text, &parts, err);
    if (!status) {
        mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
        options.name = parts.name;
        options.from = parts.from;
        options.to = parts.to;
        options.base = parts.base;
        options.has_none = true;
        options.none = -1;
        status = mplan_mesh_read_table(mesh, parts.file, &options, context, err);
    }
    free(parts.buffer);
    return status;
}

/* "SET=FILE": the set must be there, since only a table says how large it is. */
static mplan_status add_coordinates(const char *text, const mplan_context *context,
                                    mplan_mesh *mesh, mplan_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--coordinates %s: must be SET=FILE", text);
    char *name = strndup(text, (size_t)(equals - text));
    if (!name)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    int32_t set;
    mplan_status status = cli_find_set("--coordinates", mesh, name, &set, err);
    if (!status)
        status = mplan_mesh_read_coordinates(mesh, equals + 1, set, context, err);
    free(name);
    return status;
}

/* An empty mesh where there are only tables. A job names its mesh, tables and their formats
 * itself, so that `source` says nothing but its path then. */
static mplan_status load_base(const cli_mesh_source *source, const mplan_context *context,
                              mplan_mesh **mesh, mplan_error *err)
{
    if (!source->path)
        return mplan_mesh_create(mesh, err);
    if (cli_is_job(source->path)) {
        mplan_job *job = NULL;
        mplan_status status = mplan_job_read(source->path, context, &job, err);
        if (!status)
            status = mplan_job_load_mesh(job, context, mesh, err);
        mplan_job_free(job);
        return status;
    }
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.format = source->format;
    options.zone = source->zone;
    options.group_array = source->group_array;
    return mplan_mesh_read(source->path, &options, context, mesh, err);
}

/* *mesh: the caller's; nothing after a failure. Tables come before coordinates, which may be of
 * sets that tables make. */
mplan_status cli_mesh_load(const cli_mesh_source *source, const mplan_context *context,
                           mplan_mesh **mesh, mplan_error *err)
{
    mplan_mesh *loaded = NULL;
    mplan_status status = load_base(source, context, &loaded, err);
    for (int32_t i = 0; !status && source->maps && i < source->maps->n; i++)
        status = add_table(source->maps->item[i], context, loaded, err);
    for (int32_t i = 0; !status && source->coordinates && i < source->coordinates->n; i++)
        status = add_coordinates(source->coordinates->item[i], context, loaded, err);
    if (status) {
        mplan_mesh_free(loaded);
        return status;
    }
    *mesh = loaded;
    return MPLAN_OK;
}

/* The last line of a request may be "zone NAME"; a request of an earlier version has no such
 * line. zone: out, the caller's; NULL without one. A name of a loop or set cannot be taken for
 * it: those lines begin with their own key. */
static mplan_status zone_of_plan(const mplan_plan *plan, char **zone, mplan_error *err)
{
    static const char key[] = "zone ";
    const char *request = mplan_plan_request(plan), *last = request;
    for (const char *at = request; (at = strchr(at, '\n')) != NULL && at[1];)
        last = ++at;
    *zone = NULL;
    if (strncmp(last, key, sizeof key - 1) != 0)
        return MPLAN_OK;
    last += sizeof key - 1;
    *zone = strndup(last, strcspn(last, "\n"));
    return *zone ? MPLAN_OK : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* The second reading, without the zone, is for a mesh that was saved or converted since, which
 * has its cells but no zones. It is not tried where the input is a stream, which cannot be read
 * twice, nor after anything but MPLAN_ERR_ARGUMENT, which a reader gives for a zone that is not
 * there. */
mplan_status cli_mesh_load_for(const mplan_plan *plan, const cli_mesh_source *source,
                               const mplan_context *context, mplan_mesh **mesh, mplan_error *err)
{
    char *zone = NULL;
    cli_mesh_source chosen = *source;
    bool stream = source->path && strcmp(source->path, "-") == 0;
    mplan_status status = !source->zone && source->path && !cli_is_job(source->path)
                              ? zone_of_plan(plan, &zone, err)
                              : MPLAN_OK;
    if (status)
        return status;
    if (zone)
        chosen.zone = zone;
    status = cli_mesh_load(&chosen, context, mesh, err);
    if (status == MPLAN_ERR_ARGUMENT && zone && !stream)
        status = cli_mesh_load(source, context, mesh, err);
    free(zone);
    return status;
}

/* What would be ignored without a mesh is refused, and two inputs from one stream. source->maps
 * and source->coordinates must not be NULL here. */
mplan_status cli_check_source(const char *command, const char *plan, const cli_mesh_source *source,
                              mplan_error *err)
{
    const char *stray = source->format           ? "from"
                        : source->zone           ? "zone"
                        : source->coordinates->n ? "coordinates"
                                                 : NULL;
    if (source->path && !strcmp(source->path, "-") && !strcmp(plan, "-"))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: the plan and the mesh cannot both come from standard input", command);
    if (stray && !cli_has_source(source))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: --%s needs --mesh or --map", command, stray);
    return MPLAN_OK;
}

/* Waits until standard input has something to say. A signal may come just before a wait, hence its limit. */
static mplan_status wait_for_input(mplan_error *err)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    while (!cli_stop_signal()) {
        int ready = poll(&input, 1, 100);
        if (ready > 0)
            return MPLAN_OK;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return cli_fail(err, MPLAN_ERR_IO, "standard input: %s", strerror(errno));
    }
    return cli_fail(err, MPLAN_ERR_INTERRUPTED, "interrupted");
}

/* Standard input to its end into the file `to`. Waits before each read, where the stream does
 * not block, and so that a signal ends the wait within a tenth of a second. */
static mplan_status copy_input(int to, mplan_error *err)
{
    char buffer[65536];
    for (;;) {
        mplan_status status = wait_for_input(err);
        if (status)
            return status;
        ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
        if (n == 0)
            return MPLAN_OK;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return cli_fail(err, MPLAN_ERR_IO, "standard input: %s", strerror(errno));
        for (ssize_t done = 0; done < n;) {
            ssize_t wrote = write(to, buffer + done, (size_t)(n - done));
            if (wrote < 0)
                return cli_fail(err, MPLAN_ERR_IO, "copy of standard input: %s", strerror(errno));
            done += wrote;
        }
    }
}

/* Standard input that cannot be read twice becomes a temporary file without a name: dup2 puts it
 * in the place of the pipe, which is closed by that. Nothing is copied where standard input can
 * seek, as a file can; it is read from where it is then. */
mplan_status cli_spool_input(mplan_error *err)
{
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return MPLAN_OK;
    FILE *file = tmpfile();
    if (!file)
        return cli_fail(err, MPLAN_ERR_CREATE, "no temporary file for standard input: %s",
                        strerror(errno));
    mplan_status status = copy_input(fileno(file), err);
    if (!status && (lseek(fileno(file), 0, SEEK_SET) < 0 || dup2(fileno(file), STDIN_FILENO) < 0))
        status = cli_fail(err, MPLAN_ERR_IO, "standard input: %s", strerror(errno));
    fclose(file);
    return status;
}
