/* SPDX-License-Identifier: Apache-2.0 */
/* reading.c - reads the input by one of the program's formats, and answers with the mesh
 *
 * read FORMAT PATH ZONE [GROUP_ARRAY]: ZONE "": none; FORMAT "?" is whichever of the program's the file is of; PATH is for
 * messages. The answer is mplan_mesh_send's.
 * layout FORMAT PATH ZONE: likewise, but the answer is mplan_places_send's. */
#include "helper/reading.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "helper/helper.h"
#include "mesh/mesh_transfer.h"

#define OWN_NAME "/proc/self/fd/3" /* of the input, for libraries that open files themselves */

/* input->path: what messages name; libraries that open files themselves get the
 * name of the descriptor.
 * The memory is not released: the program ends behind its work. An empty file has one byte mapped that is not read. */
static mplan_status map_input(const char *path, mplan_input *input, mplan_error *err)
{
    struct stat about;
    bool opens = MPLAN_HELPER_NEED == MPLAN_NEEDS_TO_OPEN;
    if (fstat(MPLAN_CHILD_INPUT, &about))
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "%s: no input was given", path);
    *input = (mplan_input){.path = opens ? OWN_NAME : path, .size = (size_t)about.st_size};
    void *data = mmap(NULL, input->size ? input->size : 1, PROT_READ, MAP_PRIVATE,
                      MPLAN_CHILD_INPUT, 0);
    input->data = data;
    return data != MAP_FAILED ? MPLAN_OK
                              : mplan_fail(err, MPLAN_ERR_MEMORY, "%s: out of memory", path);
}

/* "?": the first format that recognises the file. */
static const mplan_file_format *choose(const char *name, const mplan_input *input)
{
    for (int f = 0; mplan_helper_formats[f]; f++) {
        const mplan_file_format *format = mplan_helper_formats[f];
        if (strcmp(name, "?") == 0 ? format->recognise(input->data, input->size) == MPLAN_RECOGNISED_YES
                                   : strcmp(name, format->name) == 0)
            return format;
    }
    return NULL;
}

/* What the input is called here becomes what the user calls it, in every place.
 * A text that grows beyond MPLAN_ERROR_TEXT is cut. */
static void rename_input(char text[MPLAN_ERROR_TEXT], const char *path)
{
    char before[MPLAN_ERROR_TEXT];
    size_t used = 0, length = strlen(OWN_NAME);
    memcpy(before, text, sizeof before);
    for (const char *at = before; *at && used < MPLAN_ERROR_TEXT - 1;) {
        bool own = strncmp(at, OWN_NAME, length) == 0;
        int n = own ? snprintf(text + used, MPLAN_ERROR_TEXT - used, "%s", path)
                    : snprintf(text + used, MPLAN_ERROR_TEXT - used, "%c", *at);
        used += n > 0 ? (size_t)n : 0;
        at += own ? length : 1;
    }
}

/* The context of the program, and the path of its user. */
typedef struct renaming {
    const mplan_context *context;
    const char *path;
} renaming;

/* Replaces the descriptor's name by the user's. */
static void warn_renamed(void *user, const char *warning)
{
    const renaming *to = user;
    char text[MPLAN_ERROR_TEXT];
    snprintf(text, sizeof text, "%s", warning);
    rename_input(text, to->path);
    mplan_warn(to->context, "%s", text);
}

static void pass_progress(void *user, const char *stage, int64_t done, int64_t total)
{
    const renaming *to = user;
    mplan_progress(to->context, stage, done, total);
}

/* Where the numbers of the mesh are that `read` would read. words: as of read_input. */
static mplan_status list_layout(int n, char **words, const mplan_context *context, mplan_error *err)
{
    mplan_input input = {.path = ""};
    mplan_places layout;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    if (n < 2)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "the format to read was not given");
    options.zone = n > 2 && words[2][0] ? words[2] : NULL;
    renaming to = {context, words[1]};
    mplan_context renamed = *context;
    renamed.user = &to;
    renamed.warning = warn_renamed;
    renamed.progress = pass_progress;
    mplan_places_begin(&layout);
    mplan_status status = map_input(words[1], &input, err);
    if (!status)
        status = mplan_helper_look_over(&input, err);
    const mplan_file_format *format = status ? NULL : choose(words[0], &input);
    if (!status && !format)
        status = mplan_fail(err, MPLAN_ERR_FORMAT, "%s: the file is of another format", input.path);
    if (!status && !format->layout)
        status = mplan_places_refuse(input.path, format->description, err);
    if (!status && mplan_places_add_path(&layout, input.path, err) < 0)
        status = err->status;
    if (!status)
        status = format->layout(&input, &options, &renamed, &layout, err);
    if (!status)
        status = mplan_places_send(&layout, MPLAN_CHILD_ANSWER, err);
    if (status)
        rename_input(err->text, words[1]);
    mplan_places_free(&layout);
    return status;
}

/* words: format, path, the zone or "", and the name of an array of groups if one was chosen. */
static mplan_status read_input(int n, char **words, const mplan_context *context, mplan_error *err)
{
    mplan_input input = {.path = ""};
    mplan_mesh *mesh = NULL;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    if (n < 2)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "the format to read was not given");
    options.zone = n > 2 && words[2][0] ? words[2] : NULL;
    options.group_array = n > 3 ? words[3] : NULL;
    renaming to = {context, words[1]};
    mplan_context renamed = *context;
    renamed.user = &to;
    renamed.warning = warn_renamed;
    renamed.progress = pass_progress;
    mplan_status status = map_input(words[1], &input, err);
    if (!status)
        status = mplan_helper_look_over(&input, err);
    const mplan_file_format *format = status ? NULL : choose(words[0], &input);
    if (!status && !format)
        status = mplan_fail(err, MPLAN_ERR_FORMAT, "%s: the file is of another format", input.path);
    if (!status)
        status = mplan_mesh_create(&mesh, err);
    if (!status)
        status = format->read(&input, &options, &renamed, mesh, err);
    if (!status)
        status = mplan_mesh_set_format(mesh, format->name, err);
    if (!status)
        status = mplan_mesh_send(mesh, MPLAN_CHILD_ANSWER, err);
    if (status)
        rename_input(err->text, words[1]);
    return status;
}

#ifndef MPLAN_HELPER_WRITES
const mplan_helper_work mplan_helper_works[] = {
    {"read", MPLAN_HELPER_NEED, true, read_input},
    {"layout", MPLAN_HELPER_NEED, true, list_layout},
    {NULL, MPLAN_NEEDS_NOTHING, false, NULL},
};
#else
#include "formats/cgns/cgns_write.h"
#include "formats/op2/op2_hdf5_write.h"

/* write FORMAT: the input is a mesh of mplan_mesh_send, standard output the file. */
static mplan_status write_output(int n, char **words, const mplan_context *context, mplan_error *err)
{
    mplan_input input = {.path = ""};
    mplan_mesh *mesh = NULL;
    mplan_output *output = NULL;
    bool cgns = n == 1 && strcmp(words[0], "cgns") == 0;
    if (!cgns && (n != 1 || strcmp(words[0], "op2-hdf5") != 0))
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "the format to write was not given");
    mplan_status status = map_input("mesh", &input, err);
    if (!status)
        status = mplan_mesh_create(&mesh, err);
    if (!status)
        status = mplan_mesh_receive(mesh, input.data, input.size, err);
    if (!status)
        status = mplan_output_open("-", context, &output, err);
    if (!status)
        status = (cgns ? mplan_cgns_write : mplan_op2_hdf5_write)(mesh, NULL, output, context, err);
    return status ? status : mplan_output_commit(output, err);
}

const mplan_helper_work mplan_helper_works[] = {
    {"read", MPLAN_HELPER_NEED, true, read_input},
    {"layout", MPLAN_HELPER_NEED, true, list_layout},
    {"write", MPLAN_NEEDS_NOTHING, true, write_output},
    {NULL, MPLAN_NEEDS_NOTHING, false, NULL},
};
#endif
