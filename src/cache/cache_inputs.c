/* SPDX-License-Identifier: Apache-2.0 */
/* cache_inputs.c - what decided the result of a call: files, files that were not there, names in folders
 *
 * Reading a large mesh only to learn that it is the old one costs more than all else of a hit. So the content of a file
 * is kept beside its mark (size, device and number, times of its bytes and of its inode). A mark is believed only where
 * the file was at least two seconds old when it was kept: a file may change twice within what a clock of a file
 * system tells apart. */
#include "cache/cache_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cache/cache_folder.h"

#define OLD_SECONDS 2 /* FAT's times, the coarsest in use */

enum { MARK_BYTES = 320 };

/* --- marks -------------------------------------------------------------------------- */

/* FOLDER/ab/cdef...: the file of the mark of a device and number. room: MARK_BYTES more than the folder. */
static void mark_path(const char *folder, const mplan_file_mark *mark, char *path, size_t size)
{
    char text[MPLAN_CONTENT_TEXT];
    uint64_t id[2] = {mark->device, mark->number};
    mplan_content name = {{0}, 0};
    if (mplan_content_of_bytes(id, sizeof id, &name, NULL))
        name.half[0] = mark->device;
    mplan_content_text(&name, text);
    snprintf(path, size, "%s/%.2s/%s", folder, text, text + 2);
}

/* One line that holds all that must be equal for the file to count as the same, when that was
 * written, and the content's digits. */
static void print_mark(const mplan_file_mark *mark, const mplan_content *content, int64_t written,
                       char *text)
{
    char digits[MPLAN_CONTENT_TEXT];
    mplan_content_text(content, digits);
    snprintf(text, MARK_BYTES,
             "mark 1 %" PRIu64 " %" PRIu64 " %" PRId64 " %lld.%09ld %lld.%09ld %" PRId64 " %s\n",
             mark->device, mark->number, mark->bytes, (long long)mark->modified.tv_sec,
             mark->modified.tv_nsec, (long long)mark->changed.tv_sec, mark->changed.tv_nsec,
             written, digits);
}

/* The first MARK_BYTES - 1 bytes of a small file, with a zero behind them; "" where it cannot be read. */
static void read_text(const char *path, char text[MARK_BYTES])
{
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, MARK_BYTES - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = '\0';
}

/* Whether the mark that was kept is this one, and old enough to be believed. */
static bool find_mark(const char *path, const mplan_file_mark *mark, mplan_content *content)
{
    char kept[MARK_BYTES], same[MARK_BYTES];
    read_text(path, kept);
    size_t length = strlen(kept);
    if (length < MPLAN_CONTENT_TEXT + 2 || kept[length - 1] != '\n')
        return false;
    const char *digits = kept + length - MPLAN_CONTENT_TEXT, *number = digits - 1;
    while (number > kept && number[-1] != ' ')
        number--;
    long long written = strtoll(number, NULL, 10);
    if (!mplan_content_from_text(digits, content))
        return false;
    content->bytes = mark->bytes;
    print_mark(mark, content, written, same);
    return !strcmp(kept, same) && mark->modified.tv_sec + OLD_SECONDS <= written &&
           mark->changed.tv_sec + OLD_SECONDS <= written;
}

/* A file that is younger gets no mark. A cache that cannot be written to works without. */
static void keep_mark(const char *folder, const char *path, const mplan_file_mark *mark,
                      const mplan_content *content)
{
    char text[MARK_BYTES];
    int64_t now = (int64_t)time(NULL);
    if (mark->modified.tv_sec + OLD_SECONDS > now || mark->changed.tv_sec + OLD_SECONDS > now)
        return;
    print_mark(mark, content, now, text);
    if (!mplan_cache_make_folders(folder, path, NULL))
        (void)mplan_file_write(path, text, strlen(text), NULL, NULL);
}

/* The content of a file by its mark (device, inode, size, times), if the mark is known, else by
 * reading it all; then the mark is kept for the next time. *mark may be NULL. */
mplan_status mplan_input_content(const mplan_cache_inputs *inputs, const char *path,
                                 mplan_content *content, mplan_file_mark *mark, mplan_error *err)
{
    struct stat about;
    char place[4096 + MARK_BYTES];
    mplan_file_mark now;
    if (stat(path, &about))
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, path, errno);
    if (!S_ISREG(about.st_mode))
        return mplan_fail(err, MPLAN_ERR_IO, "%s: is not a file", path);
    mplan_mark_of(&about, &now);
    if (inputs->marks)
        mark_path(inputs->marks, &now, place, sizeof place);
    if (inputs->marks && find_mark(place, &now, content)) {
        if (mark)
            *mark = now;
        return MPLAN_OK;
    }
    mplan_status status = mplan_content_of_file(path, inputs->context, content, &now, err);
    if (!status && inputs->marks)
        keep_mark(inputs->marks, place, &now, content);
    if (!status && mark)
        *mark = now;
    return status;
}

/* --- names -------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && !strcmp(name + length - tail, ending);
}

/* Folders of cases get a folder for each time that is written, and plans and results are kept beside meshes. */
static bool may_be_of_mesh(const char *name)
{
    return name[0] != '.' && (name[0] < '0' || name[0] > '9') && !ends_with(name, ".mplan") &&
           !ends_with(name, ".json");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names that may be of the mesh: names gets texts that the caller releases. */
static mplan_status list_names(const char *path, mplan_vector *names, mplan_error *err)
{
    DIR *folder = opendir(path);
    if (!folder)
        return mplan_fail_errno(err, MPLAN_ERR_NO_INPUT, path, errno);
    mplan_status status = MPLAN_OK;
    for (struct dirent *entry; !status && (entry = readdir(folder)) != NULL;) {
        char *name = may_be_of_mesh(entry->d_name) ? mplan_strdup(entry->d_name, err) : NULL;
        if (!name && may_be_of_mesh(entry->d_name))
            status = MPLAN_ERR_MEMORY;
        if (name && (status = mplan_vector_push(names, &name, err)) != MPLAN_OK)
            free(name);
    }
    closedir(folder);
    if (names->count > 1)
        qsort(names->data, (size_t)names->count, sizeof(char *), compare_names);
    return status;
}

/* The content of a folder as far as planning sees it: the sorted names, each with its zero. A
 * file that appears or goes changes it. */
mplan_status mplan_input_names(const char *path, mplan_content *content, mplan_error *err)
{
    mplan_vector names = MPLAN_VECTOR_INIT(sizeof(char *)), text = MPLAN_VECTOR_INIT(1);
    mplan_status status = list_names(path, &names, err);
    char **name = names.data;
    for (int64_t i = 0; i < names.count; i++) {
        for (size_t c = 0; !status && c <= strlen(name[i]); c++) /* the zero, too */
            status = mplan_vector_push(&text, name[i] + c, err);
        free(name[i]);
    }
    if (!status)
        status = mplan_content_of_bytes(text.data, (size_t)text.count, content, err);
    free(names.data);
    free(text.data);
    return status;
}

/* --- the list ----------------------------------------------------------------------- */

/* NULL: not noted yet. Few inputs: a list is quick enough. */
static mplan_cache_input *find(const mplan_cache_inputs *inputs, mplan_input_kind kind,
                               const char *path)
{
    mplan_cache_input *list = inputs->list.data;
    for (int64_t i = 0; i < inputs->list.count; i++)
        if (list[i].kind == kind && !strcmp(list[i].path, path))
            return &list[i];
    return NULL;
}

/* path: copied. */
static mplan_status add(mplan_cache_inputs *inputs, mplan_cache_input input, const char *path,
                        mplan_error *err)
{
    inputs->list.size = sizeof input;
    input.path = mplan_strdup(path, err);
    if (!input.path)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_vector_push(&inputs->list, &input, err);
    if (status)
        free(input.path);
    return status;
}

/* A folder whose files were looked for: a new file in it may change what is read. */
static mplan_status add_names(mplan_cache_inputs *inputs, const char *path, mplan_error *err)
{
    mplan_cache_input input = {.kind = MPLAN_INPUT_NAMES};
    if (find(inputs, input.kind, path))
        return MPLAN_OK;
    mplan_status status = mplan_input_names(path, &input.content, err);
    return !status ? add(inputs, input, path, err) : status;
}

/* The folders of CASE/constant/polyMesh/faces, whose names say which regions and parts a case has. */
static mplan_status add_case(mplan_cache_inputs *inputs, const char *path, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    char *folder = mplan_strdup(path, err);
    if (!folder)
        return MPLAN_ERR_MEMORY;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    bool mesh = slash && ends_with(folder, "polyMesh");
    for (int i = 0; i < 3 && mesh && !status && slash; i++) {
        status = add_names(inputs, folder[0] ? folder : "/", err);
        if ((slash = strrchr(folder, '/')) != NULL)
            *slash = '\0';
    }
    free(folder);
    return status;
}

/* Files are noted when they are opened, once. In a case folder of OpenFOAM the names beside it
 * count, too (add_case). */
mplan_status mplan_inputs_note_file(mplan_cache_inputs *inputs, const char *path, mplan_error *err)
{
    mplan_cache_input input = {.kind = MPLAN_INPUT_FILE};
    if (find(inputs, input.kind, path))
        return MPLAN_OK;
    mplan_status status = mplan_input_content(inputs, path, &input.content, &input.mark, err);
    if (!status)
        status = add(inputs, input, path, err);
    return !status ? add_case(inputs, path, err) : status;
}

/* A path that was looked for: a folder is noted by its names, anything else by its absence. */
mplan_status mplan_inputs_note_look(mplan_cache_inputs *inputs, const char *path, mplan_error *err)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return add_names(inputs, path, err);
    mplan_cache_input input = {.kind = MPLAN_INPUT_ABSENT};
    return find(inputs, input.kind, path) ? MPLAN_OK : add(inputs, input, path, err);
}

/* Whether an input of an earlier run is what it was: a file by its size first, which needs no
 * reading; one that was absent by its absence; a folder by its names. */
bool mplan_input_is_same(const mplan_cache_inputs *inputs, const mplan_cache_input *earlier)
{
    mplan_content now;
    struct stat about;
    mplan_status status = MPLAN_OK;
    switch (earlier->kind) {
    case MPLAN_INPUT_FILE:
        if (stat(earlier->path, &about) || about.st_size != (off_t)earlier->content.bytes)
            return false;
        status = mplan_input_content(inputs, earlier->path, &now, NULL, NULL);
        break;
    case MPLAN_INPUT_ABSENT: return access(earlier->path, F_OK) != 0 && errno == ENOENT;
    case MPLAN_INPUT_NAMES: status = mplan_input_names(earlier->path, &now, NULL); break;
    }
    return !status && mplan_same_content(&now, &earlier->content);
}

/* A file that was young when it was noted is read again: its times may not tell. */
bool mplan_inputs_are_untouched(const mplan_cache_inputs *inputs)
{
    const mplan_cache_input *list = inputs->list.data;
    for (int64_t i = 0; i < inputs->list.count; i++) {
        struct stat about;
        mplan_file_mark now;
        mplan_content content;
        if (list[i].kind == MPLAN_INPUT_ABSENT || list[i].kind == MPLAN_INPUT_NAMES) {
            if (!mplan_input_is_same(inputs, &list[i]))
                return false;
            continue;
        }
        if (stat(list[i].path, &about))
            return false;
        mplan_mark_of(&about, &now);
        if (!mplan_same_mark(&now, &list[i].mark))
            return false;
        if (now.changed.tv_sec + OLD_SECONDS > (int64_t)time(NULL) &&
            (mplan_content_of_file(list[i].path, inputs->context, &content, NULL, NULL) ||
             !mplan_same_content(&content, &list[i].content)))
            return false;
    }
    return true;
}

void mplan_inputs_free(mplan_cache_inputs *inputs)
{
    mplan_cache_input *list = inputs->list.data;
    for (int64_t i = 0; i < inputs->list.count; i++)
        free(list[i].path);
    free(list);
    inputs->list = (mplan_vector){.size = sizeof(mplan_cache_input)};
}
