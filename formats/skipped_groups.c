/* SPDX-License-Identifier: Apache-2.0 */
/* skipped_groups.c - groups that a format has no place for */
#include "formats/skipped_groups.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

void mplan_skip_group(mplan_skipped_groups *skipped, const mplan_group *group, const char *set)
{
    assert(skipped && group && set);
    if (skipped->n++ == 0) {
        skipped->first = *group;
        skipped->set = set;
    }
    skipped->several = skipped->several || strcmp(set, skipped->set) != 0;
}

void mplan_warn_skipped(const mplan_skipped_groups *skipped, const char *kind,
                        const mplan_context *context)
{
    assert(skipped && kind);
    char first[256];
    if (skipped->n == 0)
        return;
    if (skipped->first.name[0])
        snprintf(first, sizeof first, "'%s'", skipped->first.name);
    else
        snprintf(first, sizeof first, "number %lld", (long long)skipped->first.id);
    if (skipped->n == 1)
        mplan_warn(context, "the group %s of %s cannot be written to %s and is skipped", first,
                   skipped->set, kind);
    else if (skipped->several)
        mplan_warn(context,
                   "%lld groups cannot be written to %s and are skipped, the first is %s of %s",
                   (long long)skipped->n, kind, first, skipped->set);
    else
        mplan_warn(context,
                   "%lld groups of %s cannot be written to %s and are skipped, the first is %s",
                   (long long)skipped->n, skipped->set, kind, first);
}
