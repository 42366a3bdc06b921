/* SPDX-License-Identifier: Apache-2.0 */
/* contained_formats.c - spawns the programs that read netCDF, HDF5 and CGNS files */
#include "formats/contained_formats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/shared_memory.h"
#include "formats/input.h"
#include "mesh/mesh_transfer.h"

enum { MOST_FORMATS = 6 };

/* A library, its program, and the names of the formats that are read through it. */
typedef struct family {
    const char *library, *program, *spare;
    const char *formats[MOST_FORMATS];
} family;
static const family families[] = {
    {"libnetcdf",
     "meshplan-read-netcdf",
     "meshplan-read-netcdf-spare",
     {"ugrid", "exodus", "mpas", "icon", "fesom-diag"}},
    {"libcgns", "meshplan-read-cgns", NULL, {"cgns"}},
    {"libhdf5", "meshplan-read-hdf5", NULL, {"op2-hdf5", "med", "fluent-hdf5", "vtkhdf", "dmplex"}},
};
enum { NETCDF, CGNS, HDF5, N_FAMILIES };

enum {
    CPU_AT_LEAST = 20,         /* seconds, */
    BYTES_A_SECOND = 10000000, /* and one for so much of the file */
    IDLE_SECONDS = 600
};

/* The program that reads this format, NULL for formats that are read here. */
static const family *family_of(const char *format)
{
    for (int f = 0; f < N_FAMILIES; f++)
        for (int i = 0; i < MOST_FORMATS; i++)
            if (families[f].formats[i] && strcmp(families[f].formats[i], format) == 0)
                return &families[f];
    return NULL;
}

/* --- the bytes of the file ---------------------------------------------------------------------- */

/* As a sealed file in memory, handed over without a copy where the bytes are a whole file. */
static mplan_status open_input(const mplan_input *input, int *fd, mplan_error *err)
{
    size_t bytes;
    int sealed = -1;
    *fd = -1;
    mplan_status status = MPLAN_OK;
    if (input->file) {
        status = mplan_input_seal(input, &sealed, err);
        *fd = status ? -1 : fcntl(sealed, F_DUPFD_CLOEXEC, MPLAN_CHILD_FIRST);
        return *fd < 0 && !status
                   ? mplan_fail(err, MPLAN_ERR_IO, "%s: too many open files", input->path)
                   : status;
    }
    status = mplan_shared_create(0, fd, err);
    if (!status)
        status = mplan_shared_write(*fd, input->data, input->size, err);
    return status ? status : mplan_shared_seal(*fd, &bytes, err);
}

/* --- reading ------------------------------------------------------------------------------------ */

/* *data: the program's answer, which it cannot change any more, of so many bytes; for mplan_shared_unmap. */
static mplan_status map_answer(const mplan_child *child, const void **data, size_t *bytes,
                               mplan_error *err)
{
    mplan_status status = mplan_shared_seal(child->answer, bytes, err);
    *data = status ? NULL : mplan_shared_map(child->answer, *bytes, err);
    return !status && !*data ? MPLAN_ERR_MEMORY : status;
}

/* Whatever is wrong with the program's answer is damage of the file: the user
 * can do nothing else about it. */
static mplan_status take_answer(const mplan_child *child, mplan_mesh *mesh, mplan_error *err)
{
    size_t bytes = 0;
    const void *data = NULL;
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = map_answer(child, &data, &bytes, &why);
    if (!status)
        status = mplan_mesh_receive(mesh, data, bytes, &why);
    mplan_shared_unmap(data, bytes);
    if (status == MPLAN_ERR_CORRUPT)
        return mplan_fail(err, status, "%s: damaged: what %s made of it is not a mesh: %.500s",
                          child->path, child->name, why.text);
    if (status && err)
        *err = why;
    return status;
}

/* Memory and seconds grow with the size of the file. */
static void set_limits(mplan_child *child, const mplan_input *input, const mplan_context *context)
{
    int64_t size = input->size < (size_t)(INT64_MAX / 4 / MPLAN_MEMORY_PER_INPUT)
                       ? (int64_t)input->size
                       : 0;
    int64_t memory = mplan_context_memory(context);
    child->memory = memory ? memory : size * MPLAN_MEMORY_PER_INPUT + MPLAN_MEMORY_BASE;
    child->cpu_seconds = CPU_AT_LEAST + size / BYTES_A_SECOND;
    bool patience = MPLAN_CONTEXT_HAS(context, read_timeout) && context->read_timeout > 0;
    child->idle_seconds = patience ? context->read_timeout : IDLE_SECONDS;
}

/* format "?": whichever of the program's the file is of; MPLAN_ERR_FORMAT where it is of none. */
static mplan_status ask(const family *of, const char *format, const mplan_input *input,
                        const mplan_read_options *options, const mplan_context *context,
                        mplan_mesh *mesh, mplan_error *err)
{
    const char *zone = options ? options->zone : NULL;
    const char *group_array = options ? options->group_array : NULL;
    const char *const words[] = {"read", format, input->path, zone ? zone : "", group_array, NULL};
    mplan_child child = {.program = of->program,
                         .spare = of->spare,
                         .name = of->library,
                         .path = input->path,
                         .words = words,
                         .input = -1,
                         .answer = -1};
    set_limits(&child, input, context);
    mplan_status status = open_input(input, &child.input, err);
    if (!status)
        status = mplan_shared_create(0, &child.answer, err);
    if (!status)
        status = mplan_child_run(&child, context, err);
    if (!status)
        status = take_answer(&child, mesh, err);
    if (child.answer >= 0)
        close(child.answer);
    if (child.input >= 0)
        close(child.input);
    return status;
}

/* of: the format whose program is asked; format: what it is to read, which may be another of the
 * same library. */
mplan_status mplan_contained_ask(const char *of, const char *format, const mplan_input *input,
                                 const mplan_read_options *options, const mplan_context *context,
                                 mplan_mesh *mesh, mplan_error *err)
{
    const family *program = family_of(of);
    if (!program)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "no program reads %s", of);
    return ask(program, format, input, options, context, mesh, err);
}

/* The program of libexec reads the file and hands the mesh back; nothing of the library is in
 * this process. */
mplan_status mplan_contained_read(const char *format, const mplan_input *input,
                                  const mplan_read_options *options, const mplan_context *context,
                                  mplan_mesh *mesh, mplan_error *err)
{
    return mplan_contained_ask(format, format, input, options, context, mesh, err);
}

/* --- layouts ------------------------------------------------------------------------------------ */

enum { LAYOUT_MEMORY = 1 << 30 };

/* The answer is looked over: what is wrong with it is damage of the file. */
static mplan_status take_layout(const mplan_child *child, int64_t size, mplan_places *layout,
                                mplan_error *err)
{
    size_t bytes = 0;
    const void *data = NULL;
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = map_answer(child, &data, &bytes, &why);
    if (!status)
        status = mplan_places_receive(layout, child->path, size, data, bytes, &why);
    mplan_shared_unmap(data, bytes);
    if (status && err)
        *err = why;
    return status;
}

mplan_status mplan_contained_places(const char *of, const mplan_places_source *source,
                                    const mplan_context *context, mplan_places *layout,
                                    mplan_error *err)
{
    const family *program = family_of(of);
    if (!program)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "no program reads %s", of);
    const char *const words[] = {"layout", "?", source->path, source->zone ? source->zone : "", NULL};
    mplan_child child = {.program = program->program,
                         .spare = program->spare,
                         .name = program->library,
                         .path = source->path,
                         .words = words,
                         .answer = -1,
                         .memory = LAYOUT_MEMORY,
                         .cpu_seconds = CPU_AT_LEAST,
                         .idle_seconds = IDLE_SECONDS};
    child.input = fcntl(source->file, F_DUPFD_CLOEXEC, MPLAN_CHILD_FIRST);
    mplan_status status = child.input >= 0 ? mplan_shared_create(0, &child.answer, err)
                                           : mplan_fail(err, MPLAN_ERR_IO,
                                                        "%s: too many open files", source->path);
    if (!status)
        status = mplan_child_run(&child, context, err);
    if (!status)
        status = take_layout(&child, source->size, layout, err);
    if (child.answer >= 0)
        close(child.answer);
    if (child.input >= 0)
        close(child.input);
    return status;
}

/* --- writing ------------------------------------------------------------------------------------ */

/* The program's answer is the file itself. */
static mplan_status copy_answer(int fd, mplan_output *output, const mplan_context *context,
                                mplan_error *err)
{
    enum { PIECE = 1 << 24 };
    size_t bytes = 0;
    mplan_status status = mplan_shared_seal(fd, &bytes, err);
    const char *data = status ? NULL : mplan_shared_map(fd, bytes, err);
    if (!status && !data)
        status = MPLAN_ERR_MEMORY;
    for (size_t at = 0; at < bytes && !status; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        status = mplan_interrupted(context, err);
        if (!status)
            status = mplan_output_write(output, data + at, n, err);
        mplan_progress(context, "write", (int64_t)(at + n), (int64_t)bytes);
    }
    mplan_shared_unmap(data, bytes);
    return status;
}

/* The mesh goes to the program by shared memory; the bytes of the file come back
 * the same way and are written here, under the rules of outputs. */
mplan_status mplan_contained_write(const char *format, const mplan_mesh *mesh, mplan_output *output,
                                   const mplan_context *context, mplan_error *err)
{
    const char *const words[] = {"write", format, NULL};
    size_t bytes;
    mplan_child child = {.program = families[HDF5].program,
                         .name = families[HDF5].library,
                         .words = words,
                         .input = -1,
                         .answer = -1,
                         .answer_is_output = true};
    mplan_status status = mplan_shared_create(0, &child.input, err);
    if (!status)
        status = mplan_mesh_send(mesh, child.input, err);
    if (!status)
        status = mplan_shared_seal(child.input, &bytes, err);
    if (!status)
        status = mplan_shared_create(0, &child.answer, err);
    if (!status)
        status = mplan_child_run(&child, context, err);
    if (!status)
        status = copy_answer(child.answer, output, context, err);
    if (child.answer >= 0)
        close(child.answer);
    if (child.input >= 0)
        close(child.input);
    return status;
}
