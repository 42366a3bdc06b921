/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_join.c - meshplan join: one bundle of the files of all parts */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

typedef struct join_options {
    const char *output;
} join_options;

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_TEXT,
     .argument = "BUNDLE",
     .target = offsetof(join_options, output),
     .help = "the bundle; required"},
    {.name = NULL},
};

/* The files that are joined, in the order of the words, those of a folder by name. `path` has
 * room for `capacity` texts, n of which are there and owned. */
typedef struct file_list {
    int32_t n, capacity;
    char **path;
} file_list;

static void free_list(file_list *list)
{
    for (int32_t i = 0; i < list->n; i++)
        free(list->path[i]);
    free(list->path);
}

/* Appends folder/name, as a text of the list's own. folder "": the name is a path. After a
 * failure the list is as it was. */
static mplan_status add_file(file_list *list, const char *folder, const char *name, mplan_error *err)
{
    if (list->n == list->capacity) {
        const int32_t more = list->capacity ? 2 * list->capacity : 64;
        char **room = realloc(list->path, (size_t)more * sizeof *room);
        if (!room)
            return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        list->path = room;
        list->capacity = more;
    }
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    const size_t length = strlen(folder);
    snprintf(path, size, "%s%s%s", folder, !length || folder[length - 1] == '/' ? "" : "/", name);
    list->path[list->n++] = path;
    return MPLAN_OK;
}

/* For qsort: as bytes, whatever the locale. */
static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Plans and manifests of a folder, by their endings; by name, so that messages do not depend on the file system. */
static mplan_status add_folder(file_list *list, const char *path, mplan_error *err)
{
    DIR *names = opendir(path);
    if (!names)
        return cli_fail(err, MPLAN_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    const int32_t first = list->n;
    mplan_status status = MPLAN_OK;
    for (struct dirent *entry; !status && (entry = readdir(names)) != NULL;)
        if (entry->d_name[0] != '.' &&
            (cli_ends_with(entry->d_name, ".mplan") || cli_ends_with(entry->d_name, ".mparts")))
            status = add_file(list, path, entry->d_name, err);
    closedir(names);
    if (list->n > first)
        qsort(list->path + first, (size_t)(list->n - first), sizeof *list->path, compare_paths);
    else if (!status)
        return cli_fail(err, MPLAN_ERR_NO_INPUT,
                        "%s: the folder has no plan (.mplan) and no manifest (.mparts)", path);
    return status;
}

/* Words are folders and files. What cannot be looked at counts as a file: the library has the
 * sentence for it. */
static mplan_status list_files(const cli_call *call, file_list *list, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < call->n_words && !status; i++) {
        struct stat about;
        const char *path = call->words[i];
        status = stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? add_folder(list, path, err)
                                                                   : add_file(list, "", path, err);
    }
    return status;
}

/* Keys are fixed. parts: files but the manifest; bytes: of the bundle that was written. */
static mplan_status write_json(const cli_call *call, int32_t parts, int64_t bytes, mplan_error *err)
{
    const join_options *given = call->options;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "bundle", given->output);
    cli_json_int(&json, "parts", parts);
    cli_json_int(&json, "bytes", bytes);
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* words: folders and files, in any order. Exactly one file is the manifest once the library has
 * joined them: all others are parts. The output is known before anything is read. */
static mplan_status run_join(const cli_call *call, mplan_error *err)
{
    const join_options *given = call->options;
    file_list list = {0};
    int64_t bytes = 0;
    if (!given->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "join: -o BUNDLE is required");
    mplan_status status = cli_files_output(call->files, given->output, err);
    if (!status)
        status = list_files(call, &list, err);
    if (!status)
        status = mplan_bundle_join(list.n, (const char *const *)list.path, given->output,
                                   call->context, &bytes, err);
    if (!status && call->report)
        printf("%s: %d parts, %lld bytes\n", cli_shown(given->output), (int)list.n - 1,
               (long long)bytes);
    if (!status && call->json)
        status = write_json(call, list.n - 1, bytes, err);
    free_list(&list);
    return status;
}

const cli_command cli_command_join = {
    .name = "join",
    .arguments = "DIR|FILE... -o BUNDLE",
    .summary = "make a bundle of the files of all parts",
    .details = "Makes a bundle of the plans of all parts and their manifest, which may come in any "
               "order: the files of a folder that end in .mplan and .mparts, or files by name. Parts "
               "that are missing, there twice, or of another mesh or cut are refused by name: sets must "
               "be those of the manifest, and what each part says of its neighbours what they say.",
    .options = options,
    .options_size = sizeof(join_options),
    .least_words = 1,
    .most_words = INT32_MAX,
    .has_json = true,
    .inputs = INT32_MAX,
    .run = run_join,
};
