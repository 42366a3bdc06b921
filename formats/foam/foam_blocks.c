/* SPDX-License-Identifier: Apache-2.0 */
/* foam_blocks.c - where OpenFOAM's files of a mesh come from: a folder, memory, or the blocks of collated files
 *
 * Source: OpenFOAM's class decomposedBlockData: behind the header a list of bytes for each part, `n ( ... )`, the first
 * of which begins with a header of its own that is valid for all. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"

static const char *const names[MPLAN_FOAM_FILES] = {"points",
                                                    "faces",
                                                    "owner",
                                                    "neighbour",
                                                    "boundary",
                                                    "cellZones",
                                                    "faceZones",
                                                    "pointZones",
                                                    "pointProcAddressing",
                                                    "faceProcAddressing",
                                                    "cellProcAddressing"};

/* FILE or FILE.gz. */
static bool is_there(const char *folder, const char *name)
{
    char path[4096];
    struct stat about;
    for (int packed = 0; packed < 2; packed++) {
        int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, packed ? ".gz" : "");
        if (n > 0 && (size_t)n < sizeof path && stat(path, &about) == 0 && S_ISREG(about.st_mode))
            return true;
    }
    return false;
}

/* The bytes of the next block: a count, and as many bytes between brackets.
 * *block: a view of the bytes of `whole`, without a path; whole->at is behind the block afterwards. */
static mplan_status take_block(mplan_foam_file *whole, mplan_foam_file *block, mplan_error *err)
{
    int64_t n;
    mplan_status status = mplan_foam_count(whole, "the number of bytes of a block", &n, err);
    if (!status)
        status = mplan_foam_need_mark(whole, '(', err);
    if (!status && n >= whole->end - whole->at)
        status = mplan_foam_fail(whole, err, MPLAN_ERR_CORRUPT,
                                 "the file ends before the %lld bytes of a block", (long long)n);
    if (status)
        return status;
    *block = (mplan_foam_file){
        .begin = whole->begin, .at = whole->at, .end = whole->at + n, .context = whole->context};
    whole->at += n;
    return mplan_foam_need_mark(whole, ')', err);
}

/* Its header, or that of the first block, or what the whole file says of its data.
 * first: header of the first block, from which the others have class, byte order and widths. block->path: a copy. */
static mplan_status begin_block(mplan_foam_blocks *blocks, int32_t which, mplan_foam_file *block,
                                mplan_error *err)
{
    mplan_foam_file *first = &blocks->first[which];
    const char *path = blocks->whole[which].path;
    if (mplan_foam_has_header(block)) {
        block->path = (char *)(uintptr_t)path; /* for messages of the header */
        mplan_status status = mplan_foam_read_header(block, err);
        if (status)
            return status;
        if (!first->kind[0])
            *first = *block;
    }
    if (!first->kind[0]) {
        *first = blocks->whole[which];
        first->binary = first->data_binary;
        memcpy(first->kind, first->data_kind, sizeof first->kind);
    }
    block->binary = first->binary;
    block->swapped = first->swapped;
    block->label_bytes = first->label_bytes;
    block->scalar_bytes = first->scalar_bytes;
    memcpy(block->kind, first->kind, sizeof block->kind);
    block->path = mplan_strdup(path, err);
    return block->path ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The next block of a collated file, for the processor at hand. found: NULL where the file must be there.
 * *found false: there is no such file, or it has no block left. */
static mplan_status open_block(const mplan_foam_source *source, int32_t which,
                               mplan_foam_file *file, bool *found, mplan_error *err)
{
    mplan_foam_blocks *blocks = source->blocks;
    memset(file, 0, sizeof *file);
    if (!blocks->there[which] && !found)
        return mplan_fail(err, MPLAN_ERR_NO_INPUT, "%s: there is no file %s", source->folder,
                          names[which]);
    if (!blocks->there[which] || (found && !mplan_foam_skip(&blocks->whole[which]))) {
        *found = false;
        return MPLAN_OK;
    }
    mplan_status status = take_block(&blocks->whole[which], file, err);
    if (!status)
        status = begin_block(blocks, which, file, err);
    else
        memset(file, 0, sizeof *file);
    return status;
}

/* Three ways to a file of the case: a block of a collated file, an input that is in memory
 * already (tests, fuzzing), or a file of the folder. found NULL: the file must be there. */
mplan_status mplan_foam_open_source(const mplan_foam_source *source, int32_t which,
                                    mplan_foam_file *file, bool *found, mplan_error *err)
{
    memset(file, 0, sizeof *file);
    if (found)
        *found = true;
    if (source->blocks)
        return open_block(source, which, file, found, err);
    if (source->inputs) {
        if (found && source->inputs[which].size == 0) {
            *found = false;
            return MPLAN_OK;
        }
        return mplan_foam_open_input(&source->inputs[which], source->context, file, err);
    }
    if (found && !is_there(source->folder, names[which])) {
        *found = false;
        return MPLAN_OK;
    }
    return mplan_foam_open(source->folder, names[which], source->context, file, err);
}

/* After a failure, too, what is open is closed by mplan_foam_blocks_close. */
mplan_status mplan_foam_blocks_open(const mplan_foam_source *source, mplan_foam_blocks *blocks,
                                    mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    memset(blocks, 0, sizeof *blocks);
    for (int32_t i = 0; i < MPLAN_FOAM_FILES && !status; i++) {
        mplan_foam_file *whole = &blocks->whole[i];
        status = mplan_foam_open_source(source, i, whole, &blocks->there[i], err);
        if (!status && blocks->there[i] && strcmp(whole->kind, "decomposedBlockData") != 0)
            status = mplan_foam_fail(whole, err, MPLAN_ERR_CORRUPT,
                                     "the class of a collated file must be decomposedBlockData, not %s",
                                     whole->kind);
    }
    return status;
}

void mplan_foam_blocks_close(mplan_foam_blocks *blocks)
{
    for (int32_t i = 0; i < MPLAN_FOAM_FILES; i++)
        mplan_foam_close(&blocks->whole[i]);
}

/* Whether a file has another block. */
bool mplan_foam_blocks_more(mplan_foam_blocks *blocks, int32_t which)
{
    return blocks->there[which] && mplan_foam_skip(&blocks->whole[which]);
}
