/* SPDX-License-Identifier: Apache-2.0 */
/* allowance.c - how much memory the sets of a mesh may take
 *
 * A table of one row may name point 2,000,000,000: the set of points then has a size that nothing in the input
 * stands for, and every array over it costs more than the input is worth. Sets have no arrays until something is
 * derived or planned, and later tables or coordinates may bring their members: so the bound is looked at then. */
#include "base/error.h"
#include "base/limits.h"
#include "base/option_size.h"
#include "mesh/mesh.h"

/* What planning takes for a member that no element touches, with all strategies at once (42 measured), and half
 * as much again; its order, lists and a plan's arrays. */
#define BYTES_A_MEMBER INT64_C(64)

/* Bytes that stand for members: they bound how much memory a small input may ask for. Saturates. */
void mplan_mesh_note_input(mplan_mesh *mesh, uint64_t bytes)
{
    bool fits = bytes <= (uint64_t)(INT64_MAX - mesh->input_bytes);
    mesh->input_bytes = fits ? mesh->input_bytes + (int64_t)bytes : INT64_MAX;
}

/* Bytes that the mesh may take: what the context allows, else a base and a multiple of
 * the bytes of its input, without overflow. */
static int64_t limit_of(const mplan_mesh *mesh, const mplan_context *context)
{
    if (mplan_context_memory(context))
        return mplan_context_memory(context);
    bool fits = mesh->input_bytes <= (INT64_MAX - MPLAN_MEMORY_BASE) / MPLAN_MEMORY_PER_INPUT;
    return fits ? MPLAN_MEMORY_BASE + MPLAN_MEMORY_PER_INPUT * mesh->input_bytes : INT64_MAX;
}

/* Sets whose size is only known from the largest index in a file (by_largest) may be
 * far larger than the file: one wrong number must not take all memory. The largest of
 * them is named. */
mplan_status mplan_mesh_check_memory(const mplan_mesh *mesh, const mplan_context *context,
                                     mplan_error *err)
{
    int64_t limit = limit_of(mesh, context), bytes = 0;
    const mplan_mesh_set_data *largest = NULL;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const mplan_mesh_set_data *set = &mesh->sets[s];
        if (!set->by_largest)
            continue;
        bytes += set->size * BYTES_A_MEMBER;
        largest = largest && largest->size >= set->size ? largest : set;
    }
    if (bytes <= limit)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_MEMORY,
                      "set '%s' has %lld members because of the largest number in the input, "
                      "which has %lld bytes; they take %lld MB of memory, more than the %lld MB "
                      "that %s; give the size of the set (sets in a job), or a larger "
                      "max_memory (--max-memory)",
                      largest->name, (long long)largest->size, (long long)mesh->input_bytes,
                      (long long)(bytes / 1000000), (long long)(limit / 1000000),
                      mplan_context_memory(context) ? "may be used"
                                                    : "an input of this size "
                                                      "may use");
}
