/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_references.c - elements and groups for formats that keep one number for each element and no names */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"
#include "mesh/mesh.h"

/* Of each signature the tag of the first group that its elements are in, 0 for those of none. A
 * signature is behind its parent, and 0 is that of elements in no group. */
static int64_t *first_tags(const gmsh_part *part, mplan_error *err)
{
    const gmsh_signature *signatures = part->signatures.data;
    int64_t *first = mplan_alloc_zero(part->signatures.count, sizeof *first, err);
    for (int64_t s = 1; s < part->signatures.count && first; s++)
        first[s] = signatures[s].parent > 0 ? first[signatures[s].parent] : signatures[s].physical;
    return first;
}

/* "5 wall, 6 tip": adds the names of the part's groups, as far as there is room. */
static void list_names(const gmsh_part *part, char *list, size_t size)
{
    const gmsh_physical *groups = part->groups.data;
    for (int64_t g = 0; g < part->groups.count; g++) {
        size_t used = strlen(list);
        if (groups[g].name[0] && used + strlen(groups[g].name) + 32 < size)
            snprintf(list + used, size - used, "%s%lld %s", used ? ", " : "",
                     (long long)groups[g].tag, groups[g].name);
    }
}

/* reference: one for each element; *several: elements that lose a group are added to it. */
static mplan_status find_references(const gmsh_part *part, int32_t *reference, int64_t *several,
                                    mplan_error *err)
{
    const gmsh_signature *signatures = part->signatures.data;
    int64_t *first = first_tags(part, err);
    if (!first)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < part->n; e++) {
        int32_t s = part->signature_of[e];
        reference[e] = (int32_t)first[s];
        *several += signatures[s].parent > 0;
    }
    free(first);
    return MPLAN_OK;
}

/* reference[d][i] is the number of the first group of element i of dimension d, 0 without one;
 * the caller frees the four arrays, also after a failure. Formats with one number per element
 * need it. */
mplan_status mplan_gmsh_references(const gmsh_part parts[4], const char *kind, int32_t *reference[4],
                                   const mplan_context *context, mplan_error *err)
{
    char names[512] = "";
    int64_t several = 0;
    mplan_status status = MPLAN_OK;
    memset(reference, 0, 4 * sizeof *reference);
    for (int32_t d = 0; d < 4 && !status; d++) {
        list_names(&parts[d], names, sizeof names);
        reference[d] = mplan_alloc_zero(parts[d].n, sizeof *reference[d], err);
        if (!reference[d])
            status = MPLAN_ERR_MEMORY;
        else if (parts[d].groups.count > 0)
            status = find_references(&parts[d], reference[d], &several, err);
    }
    if (!status && names[0])
        mplan_warn(context, "%s has numbers instead of names: %s", kind, names);
    if (!status && several)
        mplan_warn(context,
                   "%lld elements are in several groups and get the number of the first in %s",
                   (long long)several, kind);
    return status;
}
