/* SPDX-License-Identifier: Apache-2.0 */
/* command_files.c - the files of a command: no output replaces an input or another output
 *
 * A slip of the hand must not cost the mesh. The library tells of each file before it reads it, whoever
 * named it: the command line, a job, or a case that is a folder. */
#include "cli/command_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

enum { MOST_LINKS = 40 };

/* Marks what stat(2) found as known only for files and folders: two commands may well write to
 * one terminal, pipe or /dev/null. A number of a file means something together with its device
 * only. */
static void keep(cli_file *file, const struct stat *about)
{
    file->known = S_ISREG(about->st_mode) || S_ISDIR(about->st_mode);
    file->device = about->st_dev;
    file->number = about->st_ino;
}

/* Of a file that is not there, at the end of all links: the folder that would hold it, and its
 * name there. path is cut at its last '/' (written to). Names of 256 bytes and more, which no
 * file system takes, and folders that are not there leave the file unknown: opening it fails
 * later with the system's reason. */
static void keep_place(cli_file *file, char *path)
{
    struct stat about;
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    const char *folder = slash == path ? "/" : slash ? path : ".", *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length >= sizeof file->name || stat(folder, &about))
        return;
    keep(file, &about);
    memcpy(file->name, name, length + 1);
}

/* Puts what a link holds in the place of its path, of PATH_MAX bytes; false: it is not a link. */
static bool follow(char *path)
{
    char text[PATH_MAX], joined[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0)
        return false;
    text[length] = '\0';
    const char *slash = strrchr(path, '/');
    int folder = slash && text[0] != '/' ? (int)(slash - path) + 1 : 0;
    int joint = snprintf(joined, sizeof joined, "%.*s%s", folder, path, text);
    if (joint < 0 || (size_t)joint >= sizeof joined)
        return false;
    memcpy(path, joined, (size_t)joint + 1);
    return true;
}

/* Notes the folder that holds an input: an output that is this folder would replace it. */
static void keep_folder(cli_file *file)
{
    struct stat about;
    char path[PATH_MAX];
    const char *slash = strrchr(file->path, '/');
    size_t length = slash ? (size_t)(slash - file->path) : 0;
    if (file->output || length >= sizeof path)
        return;
    memcpy(path, file->path, length);
    path[length] = '\0';
    if (stat(length ? path : slash ? "/" : ".", &about) == 0) {
        file->inside = about.st_ino;
        file->inside_device = about.st_dev;
    }
}

/* Which file the path is, so that two names of one file are found out: by device and number,
 * which are equal for every link to it. Of a file that is not there yet, its folder and name;
 * links are followed by hand then, since stat(2) says nothing of a link that leads nowhere, and
 * an open() for writing would follow it. Blanks and "//" need no care: the system resolves the
 * folder. */
static void identify(cli_file *file)
{
    struct stat about;
    char path[PATH_MAX];
    size_t length = strlen(file->path);
    bool standard = !strcmp(file->path, "-");
    if (standard ? fstat(file->output ? STDOUT_FILENO : STDIN_FILENO, &about) == 0
                 : stat(file->path, &about) == 0) {
        keep(file, &about);
        if (!standard)
            keep_folder(file);
        return;
    }
    if (standard || length >= sizeof path)
        return;
    memcpy(path, file->path, length + 1);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    for (int i = 0; i < MOST_LINKS && follow(path); i++)
        continue;
    keep_place(file, path);
}

/* Whether both are one file that is there, or one place for a new one. Standard output that is
 * asked for twice counts even where it is a pipe: two outputs would be mixed. */
static bool is_same(const cli_file *a, const cli_file *b)
{
    if (a->output && b->output && !strcmp(a->path, "-") && !strcmp(b->path, "-"))
        return true;
    return a->known && b->known && a->device == b->device && a->number == b->number &&
           !strcmp(a->name, b->name);
}

/* Whether the output is a folder in which the input lies. */
static bool holds(const cli_file *output, const cli_file *input)
{
    return output->known && !output->name[0] && input->inside && output->number == input->inside &&
           output->device == input->inside_device;
}

/* Two outputs, or an output and an input, that are one file are refused before anything is read
 * or written. Two inputs may be one. Either may have been named first: jobs and cases name their
 * files while they are read. */
static mplan_status compare(cli_files *files, const cli_file *a, const cli_file *b, mplan_error *err)
{
    bool folder = (a->output && holds(a, b)) || (b->output && holds(b, a));
    if ((!a->output && !b->output) || (!folder && !is_same(a, b)))
        return MPLAN_OK;
    files->refused = true;
    if (a->output && b->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: two outputs cannot both go to %s",
                        files->command, strcmp(b->path, "-") ? b->path : "standard output");
    const char *output = a->output ? a->path : b->path, *input = a->output ? b->path : a->path;
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: %s would replace its input %s", files->command,
                    strcmp(output, "-") ? output : "standard output",
                    strcmp(input, "-") ? input : "standard input");
}

/* Keeps a file and compares it with all before it: a command has a handful. path may be NULL: an
 * option that was not given. The file stays in the list also when it is refused; the command
 * ends then. */
static mplan_status add(cli_files *files, const char *path, bool output, mplan_error *err)
{
    if (!path)
        return MPLAN_OK;
    if (files->n == files->capacity) {
        int32_t capacity = 2 * files->capacity + 8;
        cli_file *grown = realloc(files->item, (size_t)capacity * sizeof *grown);
        if (!grown)
            return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        files->item = grown;
        files->capacity = capacity;
    }
    cli_file *file = &files->item[files->n];
    *file = (cli_file){.path = strdup(path), .output = output};
    if (!file->path)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    identify(file);
    files->n++;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i + 1 < files->n && !status; i++)
        status = compare(files, &files->item[i], &files->item[files->n - 1], err);
    return status;
}

/* A file that is read: it may be named twice, but must not be an output of the command. */
mplan_status cli_files_input(cli_files *files, const char *path, mplan_error *err)
{
    return add(files, path, false, err);
}

/* A file that is written: refused where it is an input or another output, by whatever path. */
mplan_status cli_files_output(cli_files *files, const char *path, mplan_error *err)
{
    return add(files, path, true, err);
}

/* Whether the words may be inputs beside `output`: the rules of a whole command line are asked
 * by a list of their own, which first gets the output, then the words, then the inputs that are
 * known already. Nothing is added to `files`. */
bool cli_files_allow(cli_files *files, const char *output, int32_t n, const char *const *words)
{
    cli_files own = {.command = ""};
    mplan_status status = files->refused ? MPLAN_ERR_ARGUMENT : cli_files_output(&own, output, NULL);
    for (int32_t i = 0; i < n && !status; i++)
        status = cli_files_input(&own, words[i], NULL);
    for (int32_t i = 0; i < files->n && !status; i++)
        if (!files->item[i].output)
            status = cli_files_input(&own, files->item[i].path, NULL);
    cli_files_free(&own);
    return !status;
}

/* The output of that path, which must have been added, was left as it is; others are not touched. */
void cli_files_unchanged(cli_files *files, const char *path)
{
    for (int32_t i = 0; i < files->n; i++)
        if (files->item[i].output && !strcmp(files->item[i].path, path))
            files->item[i].unchanged = true;
}

/* The list may be used again afterwards. */
void cli_files_free(cli_files *files)
{
    for (int32_t i = 0; i < files->n; i++)
        free(files->item[i].path);
    free(files->item);
    *files = (cli_files){0};
}
