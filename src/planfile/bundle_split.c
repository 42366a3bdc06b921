/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_split.c - a bundle as a folder: a file for each part, and the manifest
 *
 * Section 13 of formats/plan-format.md. The folder appears whole or not at all, and holds one plan in memory. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/folder_output.h"
#include "base/number_text.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "plan/plan.h"
#include "planfile/bundle.h"

#define PIECE ((size_t)4 << 20)

/* Digits of the largest number of a part. */
static int digits_of(int32_t n_parts)
{
    int digits = 1;
    for (int32_t last = n_parts - 1; last >= 10; last /= 10)
        digits++;
    return digits;
}

/* With as many digits as the last part has, so that names in their order are the parts in theirs. */
void mplan_part_file_name(int32_t part, int32_t n_parts, char name[MPLAN_PART_NAME])
{
    mplan_text_format(name, MPLAN_PART_NAME, "part-%0*d.mplan", digits_of(n_parts), (int)part);
}

/* Whether `split` gives this name to a file: part-DIGITS.mplan with any number of digits, since an earlier split of
 * more or fewer parts is replaced too, or the manifest. */
static bool is_ours(const char *name)
{
    static const char begin[] = "part-", end[] = ".mplan";
    if (strcmp(name, MPLAN_MANIFEST_NAME) == 0)
        return true;
    if (strncmp(name, begin, sizeof begin - 1) != 0)
        return false;
    const char *at = name + sizeof begin - 1;
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 && strcmp(at + digits, end) == 0;
}

/* Only what `split` wrote before is replaced: a manifest and parts, and nothing else. */
static mplan_status check_earlier(int folder, const char *path, mplan_error *err)
{
    bool manifest = false;
    mplan_status status = MPLAN_OK;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names && fd >= 0)
        close(fd);
    for (struct dirent *entry; names && !status && (entry = readdir(names)) != NULL;) {
        const char *name = entry->d_name;
        manifest = manifest || strcmp(name, MPLAN_MANIFEST_NAME) == 0;
        if (strcmp(name, ".") && strcmp(name, "..") && !is_ours(name))
            status = mplan_fail(err, MPLAN_ERR_CREATE,
                                "%s: contains %s, which is not a part of a bundle; the folder is not "
                                "replaced",
                                path, name);
    }
    if (!status && !manifest)
        status = mplan_fail(err, MPLAN_ERR_CREATE,
                            "%s: is neither empty nor an earlier split, and is not replaced", path);
    if (names)
        closedir(names);
    return status;
}

/* As in the bundle, after the two fingerprints, which the bundle has in its head. */
mplan_status mplan_manifest_print_file(const mplan_manifest *manifest, mplan_vector *text,
                                       mplan_error *err)
{
    char line[80];
    const int n = snprintf(line, sizeof line, "topology %016" PRIx64 "\ncoordinates %016" PRIx64 "\n",
                           manifest->fingerprints.topology, manifest->fingerprints.coordinates);
    char *room = mplan_vector_reserve(text, n, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, line, (size_t)n);
    text->count += n;
    return mplan_manifest_print(manifest, text, err);
}

/* In pieces, between which a signal is looked for. */
static mplan_status write_file(mplan_folder_output *folder, const char *name, const uint8_t *bytes,
                               size_t size, const mplan_context *context, mplan_error *err)
{
    mplan_output *output = NULL;
    mplan_status status = mplan_folder_output_file(folder, name, &output, err);
    for (size_t at = 0; at < size && !status; at += PIECE) {
        status = mplan_interrupted(context, err);
        if (!status)
            status = mplan_output_write(output, bytes + at, size - at < PIECE ? size - at : PIECE,
                                        err);
    }
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* Each plan is read, and so checked, before it is written; its bytes are those that the plan holds. */
static mplan_status write_parts(const mplan_bundle *bundle, mplan_folder_output *folder,
                                const mplan_context *context, mplan_error *err)
{
    const int32_t n = mplan_bundle_n_parts(bundle);
    mplan_status status = MPLAN_OK;
    for (int32_t p = 0; p < n && !status; p++) {
        char name[MPLAN_PART_NAME];
        mplan_plan *plan = NULL;
        mplan_part_file_name(p, n, name);
        status = mplan_heed(context, "parts", p, n, err);
        if (!status)
            status = mplan_bundle_read_part(bundle, p, context, &plan, err);
        if (!status) {
            const mplan_file *file = plan->held;
            status = write_file(folder, name, file->data, file->size, context, err);
        }
        mplan_plan_free(plan);
    }
    if (!status)
        mplan_progress(context, "parts", n, n);
    return status;
}

/* The folder takes its place whole, as every output does. */
mplan_status mplan_bundle_split(const mplan_bundle *bundle, const char *path,
                                const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(bundle);
    MPLAN_NEED(path);
    mplan_folder_output *folder = NULL;
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    mplan_status status = mplan_manifest_print_file(mplan_bundle_manifest(bundle), &text, err);
    if (!status)
        status = mplan_folder_output_open(path, check_earlier, context, &folder, err);
    if (!status)
        status = write_file(folder, MPLAN_MANIFEST_NAME, text.data, (size_t)text.count, context, err);
    if (!status)
        status = write_parts(bundle, folder, context, err);
    free(text.data);
    if (!status)
        return mplan_folder_output_commit(folder, err);
    mplan_folder_output_abort(folder);
    return status;
}
