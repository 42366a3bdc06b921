/* SPDX-License-Identifier: Apache-2.0 */
/* export.c - a plan as files for other programs: npy arrays with an index, or a
 * part file as METIS writes it */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/folder_output.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/shown_text.h"
#include "formats/numpy/npy.h"
#include "plan/plan.h"
#include "view/array_label.h"
#include "view/export_folder.h"
#include "view/part_file.h"

/* --- a folder of npy files --- */

/* The folder that is written, and its index.
 * index is a file of output: it is committed or aborted before output is. */
typedef struct folder {
    const mplan_plan *plan;
    mplan_folder_output *output;
    const mplan_context *context;
    mplan_error *err;
    mplan_output *index;
} folder;

/* --- the folder that is there --- */

/* The index of an earlier export, which ends in a zero; NULL with *status MPLAN_OK where there
 * is none, or what is there is not one. Links and devices are not opened. */
static char *read_index(int at, mplan_status *status, mplan_error *err)
{
    struct stat about;
    char *text = NULL;
    *status = MPLAN_OK;
    int fd = openat(at, MPLAN_EXPORT_INDEX,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        text = mplan_alloc_zero(about.st_size + 1, 1, err);
        *status = text ? MPLAN_OK : MPLAN_ERR_MEMORY;
        if (text && (read(fd, text, (size_t)about.st_size) <= 0 ||
                     strncmp(text, MPLAN_EXPORT_BEGIN, strlen(MPLAN_EXPORT_BEGIN)))) {
            free(text);
            text = NULL;
        }
    }
    close(fd);
    return text;
}

/* Whether a name in the folder belongs to the export whose index is given.
 * Names of an export need no escapes in JSON, so that the text of the entry can be searched for. Links, folders and
 * devices never belong to one. */
static bool is_exported(const char *index, int at, const char *name)
{
    struct stat about;
    char entry[300];
    if (fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode))
        return false;
    snprintf(entry, sizeof entry, "{\"file\": \"%s\"", name);
    return strcmp(name, MPLAN_EXPORT_INDEX) == 0 || (index && strstr(index, entry));
}

/* Only an earlier export is replaced: each name in it is in its index. */
mplan_status mplan_export_check_earlier(int at, const char *path, mplan_error *err)
{
    mplan_status status;
    char *index = read_index(at, &status, err);
    if (status)
        return status;
    int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names && fd >= 0)
        close(fd);
    if (!names || !index)
        status = mplan_fail(err, MPLAN_ERR_CREATE,
                            "%s: is neither empty nor an earlier export, and is not replaced", path);
    for (struct dirent *entry; !status && (entry = readdir(names)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") && strcmp(name, "..") && !is_exported(index, at, name))
            status = mplan_fail(err, MPLAN_ERR_CREATE,
                                "%s: contains %s, which does not belong to an earlier export; "
                                "the folder is not replaced",
                                path, name);
    }
    if (names)
        closedir(names);
    free(index);
    return status;
}

/* --- arrays --- */

/* 1 or 2: rows of fixed maps stay rows, also with a single slot, and those of masks with a single word.
 * The arrays of these two kinds have a column for each slot of the map. */
static int32_t dimensions(const mplan_plan *plan, const mplan_array *array)
{
    bool of_slots = array->key.kind == MPLAN_KIND_MAP_VALUES ||
                    array->key.kind == MPLAN_KIND_BLOCK_LOCAL;
    bool fixed = of_slots && array->key.map < (uint32_t)plan->n_maps &&
                 plan->maps[array->key.map].arity > 0;
    return fixed || array->key.kind == MPLAN_KIND_LAYER_MASK || array->cols != 1 ? 2 : 1;
}

/* stem: name without its ending.
 * The rows x cols numbers of the array are written row by row, as the plan holds them. */
static mplan_status write_array(const folder *f, const mplan_array *array, const char *stem)
{
    char name[MPLAN_LABEL_BYTES + 8];
    const int64_t shape[2] = {array->rows, array->cols};
    mplan_output *output = NULL;
    snprintf(name, sizeof name, "%s.npy", stem);
    mplan_status status = mplan_folder_output_file(f->output, name, &output, f->err);
    if (status)
        return status;
    status = mplan_npy_write_header(output, mplan_npy_descr(array->type),
                                    dimensions(f->plan, array), shape, f->err);
    if (!status)
        status = mplan_output_write(output, array->data,
                                    (size_t)(array->rows * array->cols) * mplan_type_size(array->type),
                                    f->err);
    if (!status)
        return mplan_output_commit(output, f->err);
    mplan_output_abort(output);
    return status;
}

/* A JSON string. Control characters are escaped, bytes that are not UTF-8 become U+FFFD.
 * U+0080 to U+009F are control characters, too: of their two bytes in UTF-8 the second is the number of the
 * character. */
static mplan_status quote(const folder *f, const char *text)
{
    mplan_status status = mplan_output_write(f->index, "\"", 1, f->err);
    for (const unsigned char *c = (const unsigned char *)text; *c && !status;) {
        size_t n = mplan_shown_character(c);
        bool late = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* U+0080 to U+009F */
        if (*c == '"' || *c == '\\')
            status = mplan_output_print(f->index, f->err, "\\%c", *c);
        else if (n)
            status = mplan_output_write(f->index, c, n, f->err);
        else
            status = mplan_output_print(f->index, f->err, "\\u%04x",
                                        late        ? c[1]
                                        : *c < 0x80 ? *c
                                                    : 0xfffdu);
        c += n ? n : late ? 2 : 1;
    }
    return status ? status : mplan_output_write(f->index, "\"", 1, f->err);
}

/* ", "key": "name"", with the name quoted. */
static mplan_status index_name(const folder *f, const char *key, const char *name)
{
    mplan_status status = mplan_output_print(f->index, f->err, ", \"%s\": ", key);
    return status ? status : quote(f, name);
}

/* The array's line in the index of the folder.
 * Sets, maps and loops are given by name, variants and block sets by number. Members of the key that the kind does
 * not use are left out. */
static mplan_status index_array(const folder *f, const mplan_array *array, const char *stem,
                                bool first)
{
    const mplan_key *key = &array->key;
    mplan_status status = mplan_output_print(f->index, f->err,
                                             "%s\n  {\"file\": \"%s.npy\", \"array\": \"%s\", \"kind\": %u, "
                                             "\"type\": \"%s\", \"shape\": [%" PRId64,
                                             first ? "" : ",", stem, mplan_kind_name(key->kind),
                                             (unsigned)key->kind, mplan_type_name(array->type),
                                             array->rows);
    if (!status && dimensions(f->plan, array) == 2)
        status = mplan_output_print(f->index, f->err, ", %" PRId64, array->cols);
    if (!status)
        status = mplan_output_print(f->index, f->err, "]");
    if (!status && key->set != MPLAN_UNUSED)
        status = index_name(f, "set", f->plan->sets[key->set].name);
    if (!status && key->map != MPLAN_UNUSED)
        status = index_name(f, "map", f->plan->maps[key->map].name);
    if (!status && key->loop != MPLAN_UNUSED)
        status = index_name(f, "loop", f->plan->loops[key->loop].name);
    if (!status && key->variant != MPLAN_UNUSED)
        status = mplan_output_print(f->index, f->err, ", \"variant\": %u", (unsigned)key->variant);
    if (!status && key->block_set != MPLAN_UNUSED)
        status = mplan_output_print(f->index, f->err, ", \"block_set\": %u",
                                    (unsigned)key->block_set);
    return status ? status : mplan_output_print(f->index, f->err, "}");
}

/* The index up to its list of arrays. MPLAN_EXPORT_BEGIN is how an earlier export is known. */
static mplan_status index_head(const folder *f)
{
    const mplan_fingerprints *p = &f->plan->fingerprints;
    return mplan_output_print(f->index, f->err,
                              MPLAN_EXPORT_BEGIN "%d.%d\",\n"
                                                 " \"fingerprints\": {\"topology\": \"%016" PRIx64
                                                 "\", \"coordinates\": \"%016" PRIx64
                                                 "\", \"request\": \"%016" PRIx64
                                                 "\"},\n \"arrays\": [",
                              MPLAN_FORMAT_MAJOR, (int)mplan_plan_format_minor(f->plan),
                              p->topology, p->coordinates, p->request);
}

/* Every array as a file, and its line in the index. After a failure the folder is given up as a
 * whole. */
static mplan_status write_arrays(const folder *f)
{
    char stem[MPLAN_LABEL_BYTES];
    mplan_status status = index_head(f);
    for (int32_t i = 0; !status && i < f->plan->n_arrays; i++) {
        const mplan_array *array = &f->plan->arrays[i];
        mplan_array_file_stem(f->plan, &array->key, stem);
        status = write_array(f, array, stem);
        if (!status)
            status = index_array(f, array, stem, i == 0);
        if (!status)
            status = mplan_heed(f->context, "export", i + 1, f->plan->n_arrays, f->err);
    }
    return status ? status : mplan_output_print(f->index, f->err, "\n ]\n}\n");
}

/* A folder with one .npy file for each array and index.json. It is written under another name
 * and takes its place as a whole, so that readers never see half of it. f.index belongs to the
 * folder: it is ended first. */
mplan_status mplan_plan_export_npy(const mplan_plan *plan, const char *path,
                                   const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    if (!path)
        return mplan_fail_null(err, __func__, "folder");
    folder f = {plan, NULL, context, err, NULL};
    mplan_status status = mplan_folder_output_open(path, mplan_export_check_earlier, context,
                                                   &f.output, err);
    if (!status)
        status = mplan_folder_output_file(f.output, MPLAN_EXPORT_INDEX, &f.index, err);
    if (!status)
        status = write_arrays(&f);
    if (status)
        mplan_output_abort(f.index);
    else
        status = mplan_output_commit(f.index, err);
    if (!status)
        return mplan_folder_output_commit(f.output, err);
    mplan_folder_output_abort(f.output);
    return status;
}

/* --- a part file --- */

/* A table of a plan that nobody proved leads out of another. */
static mplan_status outside(const char *what, int64_t at, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_DISPROVED, "%s is out of range at %" PRId64, what, at);
}

/* block[s]: the block of the element stored at s.
 * block: storage_size entries, -1 for what is in no block. Offsets count positions: of the sequence where there is
 * one, else stored places. */
static mplan_status blocks_of_stored(const mplan_plan *plan, int32_t block_set, int32_t *block,
                                     mplan_error *err)
{
    const mplan_plan_block_set *blocks = &plan->block_sets[block_set];
    const mplan_plan_set *set = &plan->sets[blocks->set];
    const int64_t *offsets = mplan_plan_data(plan,
                                             mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS,
                                                                    block_set),
                                             MPLAN_TYPE_I64, NULL);
    const int32_t *sequence = NULL;
    if (blocks->sequence)
        sequence = mplan_plan_data(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, block_set),
                                   MPLAN_TYPE_I32, NULL);
    int64_t positions = blocks->sequence ? set->size : set->storage_size;
    if (!offsets || (blocks->sequence && !sequence))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan lacks the tables of its blocks");
    memset(block, 0xff, (size_t)set->storage_size * sizeof *block);
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        if (offsets[b] < 0 || offsets[b + 1] > positions)
            return outside("block_offsets", b, err);
        for (int64_t p = offsets[b]; p < offsets[b + 1]; p++) {
            int64_t s = sequence ? sequence[p] : p;
            if (s < 0 || s >= set->storage_size)
                return outside("block_sequence", p, err);
            block[s] = (int32_t)b;
        }
    }
    return MPLAN_OK;
}

/* The block set of the primary loop's default variant, or the first that was
 * made for the loop; -1 without one. */
static int32_t block_set_of(const mplan_plan *plan, int32_t loop)
{
    const mplan_plan_loop *record = &plan->loops[loop];
    int32_t block_set = record->variants[record->default_variant].block_set;
    for (int32_t b = 0; b < plan->n_block_sets && block_set < 0; b++)
        if (plan->block_sets[b].loop == loop)
            block_set = b;
    return block_set;
}

/* block: per stored element; written in the order of the mesh.
 * new_of_old: an entry for each of set->size elements. Both tables may lie, so each place is checked before it is
 * used. */
static mplan_status write_part(const int32_t *block, const int32_t *new_of_old,
                               const mplan_plan_set *set, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t e = 0; !status && e < set->size; e++) {
        int32_t s = new_of_old[e];
        if (s < 0 || s >= set->storage_size)
            return outside("new_of_old", e, err);
        if (block[s] < 0)
            return mplan_fail(err, MPLAN_ERR_DISPROVED, "element %" PRId64 " is in no block", e);
        status = mplan_part_line(output, block[s], err);
        if (!status && e % (INT64_C(1) << 20) == 0)
            status = mplan_interrupted(context, err);
    }
    return status;
}

/* *block_set: of the primary loop.
 * MPLAN_ERR_ARGUMENT where no loop is primary, or the plan has no blocks of it. */
static mplan_status find_blocks(const mplan_plan *plan, int32_t *block_set, mplan_error *err)
{
    *block_set = -1;
    for (int32_t l = 0; l < plan->n_loops; l++)
        if (plan->loops[l].primary)
            *block_set = block_set_of(plan, l);
    if (*block_set < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no blocks of a primary loop");
    return MPLAN_OK;
}

/* One line per element in the mesh's own order, with its block: the form that METIS and its
 * users read. block[p] is the block of stored place p; new_of_old leads from an element to its
 * place. */
mplan_status mplan_plan_export_part(const mplan_plan *plan, const char *path,
                                    const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(path);
    int32_t block_set;
    mplan_status status = find_blocks(plan, &block_set, err);
    if (status)
        return status;
    int32_t set = plan->block_sets[block_set].set;
    const mplan_plan_set *record = &plan->sets[set];
    const int32_t *new_of_old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set),
                                                MPLAN_TYPE_I32, NULL);
    if (!new_of_old)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no order of set %s", record->name);
    int32_t *block = mplan_alloc(record->storage_size, sizeof *block, err);
    if (!block)
        return MPLAN_ERR_MEMORY;
    mplan_output *output = NULL;
    status = blocks_of_stored(plan, block_set, block, err);
    if (!status)
        status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = write_part(block, new_of_old, record, output, context, err);
    if (!status) {
        status = mplan_output_commit(output, err);
        output = NULL;
    }
    mplan_output_abort(output);
    free(block);
    return status;
}
