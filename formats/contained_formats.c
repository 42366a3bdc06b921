/* contained_formats.c - spawns the programs that read netCDF, HDF5 and CGNS files */
#include "formats/contained_formats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/option_size.h"
#include "base/shared_memory.h"
#include "formats/input.h"
#include "mesh/mesh_transfer.h"

/* A library, its program, and the formats that are read through it. */
typedef struct family {
    const char *library, *program, *spare;
    const mplan_file_format *formats[2];
} family;
static const family families[] = {
    {"libnetcdf", "meshplan-read-netcdf", "meshplan-read-netcdf-spare", {&mplan_format_ugrid, &mplan_format_exodus}},
    {"libcgns", "meshplan-read-cgns", NULL, {&mplan_format_cgns, NULL}},
    {"libhdf5", "meshplan-read-hdf5", NULL, {&mplan_format_op2_hdf5, NULL}},
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
        for (int i = 0; i < 2; i++)
            if (families[f].formats[i] && strcmp(families[f].formats[i]->name, format) == 0)
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
        return *fd < 0 && !status ? mplan_fail(err, MPLAN_ERR_IO, "%s: too many open files", input->path) : status;
    }
    status = mplan_shared_create(0, fd, err);
    if (!status)
        status = mplan_shared_write(*fd, input->data, input->size, err);
    return status ? status : mplan_shared_seal(*fd, &bytes, err);
}

/* --- reading ------------------------------------------------------------------------------------ */

/* Whatever is wrong with the program's answer is damage of the file: the user
 * can do nothing else about it. */
static mplan_status take_answer(const mplan_child *child, mplan_mesh *mesh, mplan_error *err)
{
    size_t bytes = 0;
    mplan_error why = {MPLAN_OK, ""};
    mplan_status status = mplan_shared_seal(child->answer, &bytes, &why);
    const void *data = status ? NULL : mplan_shared_map(child->answer, bytes, &why);
    if (!status && !data)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_mesh_receive(mesh, data, bytes, &why);
    mplan_shared_unmap(data, bytes);
    if (status == MPLAN_ERR_CORRUPT)
        return mplan_fail(err, status, "%s: damaged: what %s made of it is no mesh: %.500s", child->path,
                          child->name, why.text);
    if (status && err)
        *err = why;
    return status;
}

/* Memory and seconds grow with the size of the file. */
static void set_limits(mplan_child *child, const mplan_input *input, const mplan_context *context)
{
    int64_t size = input->size < (size_t)(INT64_MAX / 4 / MPLAN_MEMORY_PER_INPUT) ? (int64_t)input->size : 0;
    int64_t memory = mplan_context_memory(context);
    child->memory = memory ? memory : size * MPLAN_MEMORY_PER_INPUT + MPLAN_MEMORY_BASE;
    child->cpu_seconds = CPU_AT_LEAST + size / BYTES_A_SECOND;
    bool patience = MPLAN_CONTEXT_HAS(context, read_timeout) && context->read_timeout > 0;
    child->idle_seconds = patience ? context->read_timeout : IDLE_SECONDS;
}

/* format "?": whichever of the program's the file is of; MPLAN_ERR_FORMAT where it is of none. */
static mplan_status ask(const family *of, const char *format, const mplan_input *input,
                        const mplan_read_options *options, const mplan_context *context, mplan_mesh *mesh,
                        mplan_error *err)
{
    const char *zone = options ? options->zone : NULL;
    const char *const words[] = {"read", format, input->path, zone, NULL};
    mplan_child child = {.program = of->program, .spare = of->spare, .name = of->library, .path = input->path, .words = words,
                         .input = -1, .answer = -1};
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

mplan_status mplan_contained_read(const char *format, const mplan_input *input, const mplan_read_options *options,
                                  const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    const family *of = family_of(format);
    if (!of)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "no program reads %s", format);
    return ask(of, format, input, options, context, mesh, err);
}

/* By the first bytes: netCDF classic, 64-bit, CDF-5, or HDF5. */
bool mplan_contained_is_one(const mplan_input *input)
{
    if (!input->data || input->size < 4)
        return false;
    bool classic = memcmp(input->data, "CDF", 3) == 0 &&
                   (input->data[3] == 1 || input->data[3] == 2 || input->data[3] == 5);
    return classic || (input->size >= 8 && memcmp(input->data, "\x89HDF\r\n\x1a\n", 8) == 0);
}

/* The format of a family that words in the file speak of; NULL: none. */
static const mplan_file_format *format_by_words(const family *of, const mplan_input *input)
{
    for (int i = 0; i < 2; i++)
        if (of->formats[i] && of->formats[i]->recognise(input->data, input->size) == MPLAN_RECOGNISED_YES)
            return of->formats[i];
    return NULL;
}

/* Those that words speak of come first, netCDF before CGNS before OP2's; then the others, but for
 * CGNS, which only words tell. netCDF comes last of them: its library takes longest to start. */
static int order_of_asking(const mplan_input *input, const family *order[N_FAMILIES],
                           const mplan_file_format *words[N_FAMILIES])
{
    static const int rest[] = {HDF5, NETCDF};
    bool taken[N_FAMILIES] = {false}, hdf5 = input->data[0] == 0x89;
    int n = 0;
    for (int f = 0; f < N_FAMILIES; f++) {
        const mplan_file_format *found = hdf5 || f == NETCDF ? format_by_words(&families[f], input) : NULL;
        if (!found)
            continue;
        taken[f] = true;
        words[n] = found;
        order[n++] = &families[f];
    }
    for (int i = 0; i < 2; i++)
        if (!taken[rest[i]] && (hdf5 || rest[i] == NETCDF)) {
            words[n] = NULL;
            order[n++] = &families[rest[i]];
        }
    return n;
}

/* Programs are asked in turn until one says that the file is of its kind.
 * *missing: the format that this build cannot read, if that is the reason. */
mplan_status mplan_contained_read_any(const mplan_input *input, const mplan_read_options *options,
                                      const mplan_context *context, mplan_mesh *mesh, bool *found,
                                      const mplan_file_format **missing, mplan_error *err)
{
    const family *order[N_FAMILIES];
    const mplan_file_format *words[N_FAMILIES];
    int n = order_of_asking(input, order, words);
    *found = false;
    *missing = NULL;
    for (int i = 0; i < n; i++) {
        if (!order[i]->formats[0]->read) { /* this build has no such program */
            *missing = words[i];
            if (words[i])
                return MPLAN_OK;
            continue;
        }
        mplan_status status = ask(order[i], "?", input, options, context, mesh, err);
        if (status == MPLAN_ERR_FORMAT)
            continue;
        *found = true;
        return status;
    }
    return MPLAN_OK;
}

/* --- writing ------------------------------------------------------------------------------------ */

/* The program's answer is the file itself. */
static mplan_status copy_answer(int fd, mplan_output *output, const mplan_context *context, mplan_error *err)
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
mplan_status mplan_contained_write(const mplan_mesh *mesh, mplan_output *output, const mplan_context *context,
                                   mplan_error *err)
{
    static const char *const words[] = {"write", NULL};
    size_t bytes;
    mplan_child child = {.program = families[HDF5].program, .name = families[HDF5].library, .words = words,
                         .input = -1, .answer = -1, .answer_is_output = true};
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
