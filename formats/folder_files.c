/* SPDX-License-Identifier: Apache-2.0 */
/* folder_files.c - meshes that are a folder of files with fixed names */
#include "formats/folder_files.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"

/* Length of what is before the names of the files: the folder's path, or of a file that is named what is before its
 * last slash. */
static size_t folder_length(const mplan_input *input)
{
    const char *slash = strrchr(input->path, '/');
    return !input->data ? strlen(input->path) : slash ? (size_t)(slash - input->path) : 0;
}

/* path: `room` bytes, enough for the folder's path and the longest name. */
static void put_path(char *path, size_t room, const mplan_input *input, const char *name)
{
    const size_t length = folder_length(input);
    snprintf(path, room, "%.*s%s%s", (int)length, input->path, length ? "/" : "", name);
}

mplan_status mplan_folder_open(const mplan_input *input, const char *const *names, int32_t n,
                               int32_t needed, mplan_folder *folder, const mplan_context *context,
                               mplan_error *err)
{
    assert(input && names && n <= MPLAN_FOLDER_MOST && needed <= n && folder);
    const size_t room = folder_length(input) + 32;
    memset(folder, 0, sizeof *folder);
    if (!(folder->paths = mplan_alloc(n, room, err)))
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++) {
        struct stat about;
        char *path = folder->paths + (size_t)i * room;
        put_path(path, room, input, names[i]);
        folder->files[i] = (mplan_input){.path = path};
        if (i >= needed && stat(path, &about) != 0)
            continue;
        status = mplan_input_open_beside(path, &folder->opened[i], context, err);
        if (!status)
            folder->files[i] = folder->opened[i].input;
    }
    return status;
}

void mplan_folder_close(mplan_folder *folder)
{
    assert(folder);
    for (int32_t i = 0; i < MPLAN_FOLDER_MOST; i++)
        mplan_input_close(&folder->opened[i]);
    free(folder->paths);
    memset(folder, 0, sizeof *folder);
}

bool mplan_folder_has(const char *path, const char *const *names, int32_t n)
{
    assert(path && names);
    const mplan_input input = {.path = path};
    char name[4096];
    bool found = strlen(path) + 32 < sizeof name;
    for (int32_t i = 0; i < n && found; i++) {
        struct stat about;
        put_path(name, sizeof name, &input, names[i]);
        found = stat(name, &about) == 0 && S_ISREG(about.st_mode);
    }
    return found;
}
