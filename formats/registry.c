/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - the file formats, and how one is found for a file
 *
 * A file is recognised by what it holds; its name decides only between formats
 * that are possible. Files of well-known formats that nobody here reads are
 * named, so that the user learns what he has. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "formats/contained_any.h"
#include "formats/foreign.h"
#include "formats/input.h"
#include "formats/numbers.h"

#define MPLAN_FORMAT(name) &mplan_format_##name,
static const mplan_file_format *const formats[] = {
#include "formats/format_list.h"
};
#undef MPLAN_FORMAT
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* A plan is not a mesh, and deserves a sentence of its own. */
static bool is_plan(const mplan_input *input)
{
    static const uint8_t magic[8] = {0x89, 'M', 'P', 'L', 'A', 'N', '\n', 0x1a};
    return input->size >= sizeof magic && memcmp(input->data, magic, sizeof magic) == 0;
}

/* format->extensions: words between blanks. */
static bool has_extension(const mplan_file_format *format, const char *extension, size_t length)
{
    if (length == 0 || !format->extensions)
        return false;
    for (const char *at = format->extensions; *at;) {
        size_t n = strcspn(at, " ");
        if (n == length && memcmp(at, extension, n) == 0)
            return true;
        at += n;
        at += strspn(at, " ");
    }
    return false;
}

/* NULL for no format. */
static const mplan_file_format *format_by_name(const char *name)
{
    for (int32_t f = 0; f < N_FORMATS; f++)
        if (strcmp(formats[f]->name, name) == 0)
            return formats[f];
    return NULL;
}

static bool can_write(const mplan_file_format *format)
{
    return format->write || format->write_folder;
}

/* "gmsh, su2, ...": of those that read, or that write */
static const char *list_formats(char *list, size_t size, bool writing)
{
    list[0] = '\0';
    for (int32_t f = 0; f < N_FORMATS; f++) {
        size_t n = strlen(list);
        if (writing ? can_write(formats[f]) : formats[f]->read || formats[f]->missing)
            snprintf(list + n, size - n, "%s%s", n ? ", " : "", formats[f]->name);
    }
    return list;
}

/* Names those that there are. */
static mplan_status fail_unknown_format(const char *name, bool writing, mplan_error *err)
{
    char list[512];
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "'%s' is not a format that can be %s; known: %s",
                      name, writing ? "written" : "read", list_formats(list, sizeof list, writing));
}

/* Says what the file is, if its first bytes tell, though it is not read. */
static mplan_status fail_unrecognised(const mplan_input *input, mplan_error *err)
{
    const mplan_foreign *foreign = mplan_foreign_find(input);
    if (foreign)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: this is %s, which is not supported%s%s",
                          input->path, foreign->what, foreign->help ? "; " : "",
                          foreign->help ? foreign->help : "");
    if (input->size == 0)
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s: the file is empty", input->path);
    if (mplan_format_text.recognise(input->data, input->size) != MPLAN_RECOGNISED_NO)
        return mplan_fail(err, MPLAN_ERR_FORMAT,
                          "%s: the content is numbers, which files of many formats are; a mapping "
                          "table ends %s, or --from text says so",
                          input->path, mplan_format_text.extensions);
    return mplan_fail(err, MPLAN_ERR_FORMAT,
                      "%s: the content is not of a known format ('meshplan formats' lists them)",
                      input->path);
}

/* A plan is a frequent mistake. */
static mplan_status check_plan(const mplan_input *input, mplan_error *err)
{
    if (is_plan(input))
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s: this is a plan, not a mesh or a table",
                          input->path);
    return MPLAN_OK;
}

/* The format of a folder, or NULL. */
static const mplan_file_format *format_of_folder(const char *path)
{
    for (int32_t f = 0; f < N_FORMATS; f++)
        if (formats[f]->recognise_folder && formats[f]->recognise_folder(path))
            return formats[f];
    return NULL;
}

/* Of a folder that is not a case of a format that has folders. */
static mplan_status fail_folder(const mplan_input *input, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_NO_INPUT,
                      "%s: is a folder, in which no mesh of OpenFOAM, Elmer or FESOM2 was found",
                      input->path);
}

/* The format of an input; forced may be NULL. */
static mplan_status recognise(const mplan_input *input, const char *forced,
                              const mplan_file_format **format, mplan_error *err)
{
    mplan_status status = check_plan(input, err);
    if (status)
        return status;
    if (forced) {
        *format = format_by_name(forced);
        if (!input->data && *format && !(*format)->recognise_folder)
            return fail_folder(input, err);
        return *format && ((*format)->read || (*format)->missing)
                   ? MPLAN_OK
                   : fail_unknown_format(forced, false, err);
    }
    size_t length;
    const char *extension = mplan_input_extension(input->path, &length);
    const mplan_file_format *named = NULL, *possible = NULL;
    if (!input->data) {
        *format = format_of_folder(input->path);
        return *format ? MPLAN_OK : fail_folder(input, err);
    }
    if (input->size == 0 && has_extension(&mplan_format_foam, extension, length)) {
        *format = &mplan_format_foam; /* case.foam: an empty file beside a mesh */
        return MPLAN_OK;
    }
    for (int32_t f = 0; f < N_FORMATS; f++) {
        if (!formats[f]->recognise)
            continue;
        mplan_recognised answer = formats[f]->recognise(input->data, input->size);
        if (answer == MPLAN_RECOGNISED_YES) {
            *format = formats[f];
            return MPLAN_OK;
        }
        if (answer == MPLAN_RECOGNISED_MAYBE)
            possible = formats[f];
        if (answer != MPLAN_RECOGNISED_NO && has_extension(formats[f], extension, length))
            named = formats[f];
    }
    bool foreign = !named && mplan_foreign_find(input);
    if (foreign)
        possible = NULL;
    *format = named ? named : possible;
    /* a slip in what begins as a table: the reader says in which line */
    if (!*format && !foreign && input->size > 0 && input->data[0] >= '0' && input->data[0] <= '9' &&
        has_extension(&mplan_format_text, extension, length))
        *format = &mplan_format_text;
    return *format ? MPLAN_OK : fail_unrecognised(input, err);
}

/* A format whose library this build lacks. */
static mplan_status check_available(const mplan_file_format *format, mplan_error *err)
{
    if (format->missing)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "the format %s needs a build with %s",
                          format->name, format->missing);
    return MPLAN_OK;
}

/* A file that only the libraries of others can tell: their programs read it in one go. */
static mplan_status read_contained(const mplan_input *input, const mplan_read_options *options,
                                   const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    const mplan_file_format *missing = NULL;
    bool found = false;
    mplan_progress(context, "read", 0, (int64_t)input->size);
    mplan_status status = mplan_contained_read_any(input, options, context, mesh, &found, &missing,
                                                   err);
    if (!status && missing)
        status = check_available(missing, err);
    if (!status && !found)
        status = fail_unrecognised(input, err);
    if (!status && !format_by_name(mplan_mesh_format(mesh)))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: damaged: its reader names an unknown "
                            "format",
                            input->path);
    mplan_progress(context, "read", (int64_t)input->size, (int64_t)input->size);
    return status;
}

/* Recognises the file and has it read. */
static mplan_status read_known(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    const mplan_file_format *format = NULL;
    mplan_status status = recognise(input, options->format, &format, err);
    if (!status)
        status = check_available(format, err);
    mplan_progress(context, "read", 0, (int64_t)input->size);
    mplan_mesh_note_input(mesh, input->size);
    if (!status)
        status = format->read(input, options, context, mesh, err);
    mplan_progress(context, "read", (int64_t)input->size, (int64_t)input->size);
    return status ? status : mplan_mesh_set_format(mesh, format->name, err);
}

/* A zone that was chosen is part of what a plan is for; one that could not be is mentioned. */
static mplan_status note_zone(const mplan_input *input, const char *zone,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    const mplan_file_format *format = format_by_name(mplan_mesh_format(mesh));
    mplan_zones zones = format ? format->zones : MPLAN_ZONES_NONE;
    if (zones == MPLAN_ZONES_NONE)
        mplan_warn(context, "%s: zone '%s' is skipped: a file of format %s holds one mesh",
                   input->path, zone, mplan_mesh_format(mesh));
    if (zones == MPLAN_ZONES_NONE || (zones == MPLAN_ZONES_JOINED && strcmp(zone, "all") == 0))
        return MPLAN_OK;
    return mplan_mesh_set_zone(mesh, zone, err);
}

/* Of formats without such arrays. */
static void note_group_array(const mplan_input *input, const char *name,
                             const mplan_context *context, const mplan_mesh *mesh)
{
    const mplan_file_format *format = format_by_name(mplan_mesh_format(mesh));
    if (!format || !format->group_arrays)
        mplan_warn(context, "%s: the array '%s' is skipped: a file of format %s holds no such arrays",
                   input->path, name, mplan_mesh_format(mesh));
}

/* Whatever a reader made is validated here, so that no reader must. */
static mplan_status read_mesh(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    bool contained = !options->format && mplan_contained_is_one(input);
    mplan_status status = contained ? read_contained(input, options, context, mesh, err)
                                    : read_known(input, options, context, mesh, err);
    if (!status && options->group_array)
        note_group_array(input, options->group_array, context, mesh);
    if (!status && options->zone)
        status = note_zone(input, options->zone, context, mesh, err);
    if (!status)
        status = mplan_mesh_set_source(mesh, input->path, err);
    if (status)
        return status;
    status = mplan_mesh_validate(mesh, context, err);
    if (status == MPLAN_ERR_MESH)
        mplan_fail_prefix(err, status, input->path);
    return status;
}

/* The format is options->format, or found out: by content first, then by name. Tables take
 * options->table. */
mplan_status mplan_mesh_read(const char *path, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh **mesh, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(mesh);
    mplan_read_options own = MPLAN_READ_OPTIONS_INIT;
    mplan_table_options table = MPLAN_TABLE_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "read options", err);
    if (!status)
        status = mplan_options_take(&table, own.table, "table options", err);
    if (own.table)
        own.table = &table;
    mplan_input_file opened = {0};
    mplan_mesh *made = NULL;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    if (!status)
        status = mplan_input_open_any(path, &opened, context, err);
    if (!status)
        status = mplan_mesh_create(&made, err);
    if (!status) {
        made->team = mplan_team_of(context);
        status = read_mesh(&opened.input, &own, context, made, err);
        made->team = NULL;
    }
    mplan_input_close(&opened);
    mplan_threaded_close(&threaded);
    if (status)
        mplan_mesh_free(made);
    else
        *mesh = made;
    return status;
}

/* Numbers of a table or of coordinates: .npy by its content, else text. */
mplan_status mplan_read_numbers(const mplan_input *input, const mplan_context *context,
                                mplan_numbers *numbers, mplan_error *err)
{
    const mplan_file_format *format = NULL;
    bool npy = mplan_format_npy.recognise(input->data, input->size) == MPLAN_RECOGNISED_YES;
    mplan_status status = check_plan(input, err);
    if (!status && npy)
        return mplan_npy_read_numbers(input, true, numbers, err);
    if (!status && mplan_format_text.recognise(input->data, input->size) != MPLAN_RECOGNISED_NO)
        return mplan_text_read_numbers(input, context, numbers, err);
    if (!status)
        status = recognise(input, NULL, &format, err);
    if (status)
        return status;
    if (format == &mplan_format_text) /* for the line of what is wrong */
        return mplan_text_read_numbers(input, context, numbers, err);
    return mplan_fail(err, MPLAN_ERR_FORMAT,
                      "%s: expected a table of numbers, found a file of format %s", input->path,
                      format->name);
}

/* Adds a map, and sets that it names, to a mesh; after a failure the mesh is as before. */
mplan_status mplan_mesh_read_table(mplan_mesh *mesh, const char *path,
                                   const mplan_table_options *options, const mplan_context *context,
                                   mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(path);
    mplan_table_options own = MPLAN_TABLE_OPTIONS_INIT;
    mplan_input_file opened = {0};
    mplan_numbers numbers = {0};
    mplan_status status = mplan_options_take(&own, options, "table options", err);
    if (!status)
        status = mplan_input_open(path, &opened, context, err);
    if (!status)
        status = mplan_read_numbers(&opened.input, context, &numbers, err);
    if (!status)
        status = mplan_table_from_numbers(mesh, opened.input.path, &numbers, &own, context, err);
    if (!status)
        mplan_mesh_note_input(mesh, opened.input.size);
    mplan_numbers_free(&numbers);
    mplan_input_close(&opened);
    return status;
}

/* numbers: rows of 2 or 3; they move to the mesh. */
static mplan_status set_coordinates(mplan_mesh *mesh, const char *path, int32_t set,
                                    mplan_numbers *numbers, mplan_error *err)
{
    mplan_set of = mplan_mesh_set(mesh, set);
    mplan_status status = mplan_numbers_require_fixed(path, numbers, err);
    if (status)
        return status;
    if (numbers->cols != 2 && numbers->cols != 3)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: coordinates must have 2 or 3 numbers per row, not %lld", path,
                          (long long)numbers->cols);
    if (numbers->rows != of.size)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: %lld rows of coordinates for %lld %s", path,
                          (long long)numbers->rows, (long long)of.size, of.name);
    status = mplan_numbers_to_real(numbers, err);
    if (status)
        return status;
    double *reals = numbers->f64;
    numbers->f64 = NULL;
    status = mplan_mesh_take_coordinates(mesh, set, (int32_t)numbers->cols, reals, err);
    if (status && status != MPLAN_ERR_MEMORY)
        mplan_fail_prefix(err, status, path);
    return status;
}

/* As many rows as the set has members. */
mplan_status mplan_mesh_read_coordinates(mplan_mesh *mesh, const char *path, int32_t set,
                                         const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(path);
    if (set < 0 || set >= mplan_mesh_n_sets(mesh))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no set %d", (int)set);
    mplan_input_file opened = {0};
    mplan_numbers numbers = {0};
    mplan_status status = mplan_input_open(path, &opened, context, err);
    if (!status)
        status = mplan_read_numbers(&opened.input, context, &numbers, err);
    if (!status)
        status = set_coordinates(mesh, opened.input.path, set, &numbers, err);
    if (!status)
        mplan_mesh_note_input(mesh, opened.input.size);
    mplan_numbers_free(&numbers);
    mplan_input_close(&opened);
    return status;
}

/* Whether the last name of a path, which may end in slashes, is `name`. */
static bool is_named(const char *path, const char *name)
{
    size_t end = strlen(path), length = strlen(name);
    while (end > 1 && path[end - 1] == '/')
        end--;
    return end >= length && memcmp(path + end - length, name, length) == 0 &&
           (end == length || path[end - length - 1] == '/');
}

/* The format to write path in, by name or by the path's ending. */
static mplan_status choose_output(const char *path, const char *name,
                                  const mplan_file_format **format, mplan_error *err)
{
    if (name) {
        *format = format_by_name(name);
        return *format && can_write(*format) ? MPLAN_OK : fail_unknown_format(name, true, err);
    }
    if (strcmp(path, "-") == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the format for standard output must be named");
    size_t length, n = strlen(path);
    const char *extension = mplan_input_extension(path, &length);
    if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: compressed files are not written", path);
    for (int32_t f = 0; f < N_FORMATS; f++)
        if (formats[f]->folder && is_named(path, formats[f]->folder)) {
            *format = formats[f];
            return MPLAN_OK;
        }
    for (int32_t f = 0; f < N_FORMATS; f++)
        if (formats[f]->write && has_extension(formats[f], extension, length)) {
            *format = formats[f];
            return MPLAN_OK;
        }
    for (int32_t f = 0; f < N_FORMATS; f++)
        if (formats[f]->folder && has_extension(formats[f], extension, length))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "%s: format %s is written as a folder: name one that ends with /%s, or give its name "
                              "and --to %s",
                              path, formats[f]->name, formats[f]->folder, formats[f]->name);
    char list[512];
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "%s: the ending of the name does not belong to a format that can be "
                      "written (%s)",
                      path, list_formats(list, sizeof list, true));
}

/* Progress has two ends only: the format writes files one after the other. */
static mplan_status write_folder(const mplan_file_format *format, const mplan_mesh *mesh,
                                 const char *path, const mplan_context *context, mplan_error *err)
{
    if (strcmp(path, "-") == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "format %s is a folder, which cannot go to standard output", format->name);
    mplan_progress(context, "write", 0, 0);
    mplan_status status = format->write_folder(mesh, path, context, err);
    if (!status)
        mplan_progress(context, "write", 1, 1);
    return status;
}

/* The format follows from the word, else from the extension. */
mplan_status mplan_mesh_write(const mplan_mesh *mesh, const char *path, const char *format,
                              const char *what, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(path);
    const mplan_file_format *chosen = NULL;
    mplan_output *output = NULL;
    mplan_status status = choose_output(path, format, &chosen, err);
    if (!status)
        status = chosen->writes_without ? MPLAN_OK : check_available(chosen, err);
    if (!status && chosen->write_folder)
        return write_folder(chosen, mesh, path, context, err);
    if (!status)
        status = mplan_output_open(path, context, &output, err);
    if (status)
        return status;
    if (mplan_mesh_weighted_set(mesh) >= 0 && !chosen->weights)
        mplan_warn(context, "weights cannot be stored in %s and are skipped", chosen->name);
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++)
        if (mplan_mesh_layers(mesh, s, NULL)) {
            mplan_warn(context, "layers of columns cannot be stored in %s and are skipped",
                       chosen->name);
            break;
        }
    mplan_progress(context, "write", 0, 0);
    status = chosen->write(mesh, what, output, context, err);
    if (status) {
        mplan_output_abort(output);
        return status;
    }
    int64_t bytes = mplan_output_bytes(output);
    status = mplan_output_commit(output, err);
    mplan_progress(context, "write", bytes, bytes);
    return status;
}

/* In the order of `meshplan formats`; MPLAN_ERR_ARGUMENT past the last. */
mplan_status mplan_format(int32_t i, mplan_format_info *info)
{
    if (!info || i < 0 || i >= N_FORMATS)
        return MPLAN_ERR_ARGUMENT;
    const mplan_file_format *format = formats[i];
    *info = (mplan_format_info){format->name,         format->description, format->extensions,
                                format->read != NULL, can_write(format),   format->missing};
    return MPLAN_OK;
}
