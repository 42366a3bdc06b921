/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_price.c - what it costs that a bundle is not cut for the number of ranks that run it */
#include "cli/bundle_price.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The bundle's own partitioner, where this build has it. */
static mplan_partitioner partitioner_of(const mplan_bundle *bundle)
{
    const char *how = mplan_bundle_how(bundle);
    const mplan_partitioner own = !strcmp(how, "metis")    ? MPLAN_PARTITIONER_METIS
                                  : !strcmp(how, "scotch") ? MPLAN_PARTITIONER_SCOTCH
                                                           : MPLAN_PARTITIONER_NATIVE;
    for (int32_t i = 0; own != MPLAN_PARTITIONER_NATIVE && mplan_library(i); i++)
        if (!strncmp(mplan_library(i), how, strlen(how)))
            return own;
    return MPLAN_PARTITIONER_NATIVE;
}

static const char *name_of(mplan_partitioner partitioner)
{
    return partitioner == MPLAN_PARTITIONER_METIS    ? "metis"
           : partitioner == MPLAN_PARTITIONER_SCOTCH ? "scotch"
                                                     : "native";
}

/* Of the set that was cut. A part of the direct cut is a rank. */
static cli_price_cut measure(const mplan_parts *parts, int32_t ranks)
{
    cli_price_cut out = {0, NAN};
    for (int32_t s = 0; s < mplan_parts_n_sets(parts); s++) {
        const mplan_parts_set set = mplan_parts_get_set(parts, s);
        int64_t most = 0;
        if (!set.cut)
            continue;
        for (int32_t r = 0; r < ranks; r++)
            most = set.base[r + 1] - set.base[r] > most ? set.base[r + 1] - set.base[r] : most;
        out.halo = set.execute + set.read;
        out.imbalance = set.total > 0 ? (double)most * ranks / (double)set.total : NAN;
    }
    return out;
}

mplan_status cli_bundle_price_create(const mplan_bundle *bundle, const cli_bundle_figures *figures,
                                     const cli_bundle_mesh *mesh, const mplan_context *context,
                                     cli_bundle_price *out, mplan_error *err)
{
    assert(bundle && figures && figures->ranks > 0 && mesh && mesh->mesh && out);
    const mplan_partitioner partitioner = partitioner_of(bundle);
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_plan_options request = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    request.rings = figures->rings; /* halos as large as those of the bundle */
    how.n_parts = figures->ranks;
    how.partitioner = partitioner;
    *out = (cli_bundle_price){.how = name_of(partitioner)};
    mplan_status status = mplan_parts_create(mesh->mesh, mesh->n_loops, mesh->loops, &request, &how,
                                             context, &parts, err);
    if (status)
        return status;
    out->direct = measure(parts, figures->ranks);
    mplan_parts_free(parts);
    for (int32_t r = 0; r < figures->ranks; r++)
        out->grouped.halo += figures->rank[r].halo;
    out->grouped.imbalance = cli_bundle_most_owned(figures).imbalance;
    return MPLAN_OK;
}
