/* SPDX-License-Identifier: Apache-2.0 */
/* includes.c - text files that a text file includes */
#include "formats/includes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "formats/sibling.h"

enum { MOST_DEEP = 16, MOST_FILES = 4096 };

typedef struct included_file {
    mplan_input_file opened; /* must not move */
    dev_t device;
    ino_t number;
    char path[]; /* of opened */
} included_file;

/* Where a file that includes goes on. */
typedef struct including {
    mplan_scanner scan;
    dev_t device; /* of the file that is included there, */
    ino_t number;
} including;

/* The name beside the scanner's file. "./": "-" is a file here. */
static included_file *name_file(const mplan_scanner *scan, const char *name, size_t length,
                                mplan_error *err)
{
    const char *slash = strrchr(scan->path, '/');
    const size_t folder = slash ? (size_t)(slash - scan->path) + 1 : 0;
    included_file *file = mplan_alloc_zero(1, sizeof *file + folder + length + 3, err);
    if (!file)
        return NULL;
    memcpy(file->path, scan->path, folder);
    char *at = file->path + folder;
    if (length > 0 && name[0] == '-' && folder == 0) {
        memcpy(at, "./", 2);
        at += 2;
    }
    memcpy(at, name, length);
    for (size_t i = 0; i < length; i++) /* as Windows writes them */
        at[i] = at[i] == '\\' ? '/' : at[i];
    return file;
}

/* A file that is read already, down from the first one, would be read without end. */
static bool is_open(const mplan_includes *includes, const mplan_input *input,
                    const included_file *file)
{
    const including *open = includes->open.data;
    struct stat first;
    if (stat(input->path, &first) == 0 && first.st_dev == file->device && first.st_ino == file->number)
        return true;
    for (int64_t i = 0; i < includes->open.count; i++)
        if (open[i].device == file->device && open[i].number == file->number)
            return true;
    return false;
}

/* Opens it, and looks which file it is. */
static mplan_status open_file(mplan_includes *includes, const mplan_input *input,
                              const mplan_scanner *scan, included_file *file, mplan_error *err)
{
    struct stat about = {0};
    mplan_error inner = {0};
    if (stat(file->path, &about) == 0) {
        file->device = about.st_dev;
        file->number = about.st_ino;
        if (is_open(includes, input, file))
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "%s includes itself", file->path);
    }
    mplan_status status = mplan_input_open_beside(file->path, &file->opened, includes->context,
                                                  &inner);
    if (status)
        return mplan_scan_fail(scan, err, status, "%s", inner.text);
    return MPLAN_OK;
}

/* The files of an input in memory, which has no place, cannot be found. */
mplan_status mplan_include(mplan_includes *includes, const mplan_input *input, mplan_scanner *scan,
                           int64_t line, const char *name, size_t length, mplan_error *err)
{
    mplan_scanner place = *scan;
    place.line = line;
    includes->files.size = sizeof(included_file *);
    includes->open.size = sizeof(including);
    const int shown = length < 200 ? (int)length : 200;
    if (length == 0 || memchr(name, '\0', length))
        return mplan_scan_fail(&place, err, MPLAN_ERR_CORRUPT,
                               "the file that is included has no name");
    if (!input->file || !mplan_sibling_below(name, length))
        return mplan_scan_fail(&place, err, MPLAN_ERR_UNSUPPORTED,
                               "files that are included must be beside this one or in folders below, not '%.*s'",
                               shown, name);
    if (includes->open.count == MOST_DEEP || includes->files.count == MOST_FILES)
        return mplan_scan_fail(&place, err, MPLAN_ERR_UNSUPPORTED,
                               includes->open.count == MOST_DEEP
                                   ? "files include one another more than %d deep"
                                   : "more than %d files are included",
                               includes->open.count == MOST_DEEP ? MOST_DEEP : MOST_FILES);
    included_file *file = name_file(&place, name, length, err);
    mplan_status status = file ? open_file(includes, input, &place, file, err) : MPLAN_ERR_MEMORY;
    if (!status && mplan_vector_push(&includes->files, &file, err)) {
        mplan_input_close(&file->opened);
        status = MPLAN_ERR_MEMORY;
    }
    if (status) {
        free(file);
        return status;
    }
    const including back = {*scan, file->device, file->number};
    status = mplan_vector_push(&includes->open, &back, err);
    if (!status) {
        mplan_scan_begin(scan, &file->opened.input);
        includes->bytes += (int64_t)file->opened.input.size;
    }
    return status;
}

bool mplan_include_ends(mplan_includes *includes, mplan_scanner *scan)
{
    if (includes->open.count == 0)
        return false;
    *scan = ((const including *)includes->open.data)[--includes->open.count].scan;
    return true;
}

/* Also of one that never included. */
void mplan_includes_free(mplan_includes *includes)
{
    included_file *const *files = includes->files.data;
    for (int64_t i = 0; i < includes->files.count; i++) {
        mplan_input_close(&files[i]->opened);
        free(files[i]);
    }
    free(includes->files.data);
    free(includes->open.data);
    memset(includes, 0, sizeof *includes);
}
