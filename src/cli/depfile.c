/* SPDX-License-Identifier: Apache-2.0 */
/* depfile.c - what a command's outputs were made from, as make and ninja read it
 *
 * Blanks and '#' are behind a backslash, '$' is doubled: the rules that make, ninja and gcc -M share. */
#include "cli/depfile.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* A text that grows. */
typedef struct dep_text {
    char *text;
    size_t length, room;
    bool failed;
} dep_text;

/* After a failure to->text keeps what it had, to->failed is set, and nothing more is added:
 * only the end asks. */
static void add_char(dep_text *to, char c)
{
    if (to->length == to->room) {
        size_t room = 2 * to->room + 256;
        char *grown = to->failed ? NULL : realloc(to->text, room);
        if (!grown) {
            to->failed = true;
            return;
        }
        to->text = grown;
        to->room = room;
    }
    to->text[to->length++] = c;
}

/* A name as make and ninja read it: blanks and # behind a backslash, $ doubled. Names are
 * separated by one blank; the line does not begin with one. */
static void add_path(dep_text *to, const char *path)
{
    if (to->length > 0)
        add_char(to, ' ');
    for (; *path; path++) {
        if (*path == ' ' || *path == '#')
            add_char(to, '\\');
        if (*path == '$')
            add_char(to, '$');
        add_char(to, *path);
    }
}

/* Nothing can be made of standard streams; a name is given once. */
static bool is_listed(const cli_files *files, int32_t i, const char *depfile)
{
    const cli_file *file = &files->item[i];
    bool listed = strcmp(file->path, "-") != 0 && strcmp(file->path, depfile) != 0;
    for (int32_t j = 0; j < i && listed; j++)
        listed = files->item[j].output != file->output ||
                 strcmp(files->item[j].path, file->path) != 0;
    return listed;
}

/* "outputs: inputs" in one line, in three passes over the files: all outputs but `last`, `last`
 * itself and the colon, the inputs. Ninja takes the last target for the one that it knows. */
mplan_status cli_depfile_write(const cli_files *files, const char *path, const char *last,
                               const mplan_context *context, mplan_error *err)
{
    dep_text text = {0};
    for (int turn = 0; turn < 3; turn++) {
        for (int32_t i = 0; i < files->n; i++) {
            const cli_file *file = &files->item[i];
            bool is_last = last && file->output && !strcmp(file->path, last);
            int of = !file->output ? 2 : is_last ? 1 : 0;
            if (of == turn && is_listed(files, i, path))
                add_path(&text, file->path);
        }
        if (turn == 1)
            add_char(&text, ':');
    }
    add_char(&text, '\n');
    mplan_status status = text.failed ? cli_fail(err, MPLAN_ERR_MEMORY, "out of memory")
                                      : mplan_file_write(path, text.text, text.length, context, err);
    free(text.text);
    return status;
}
