/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_price.h - what it costs that a bundle is not cut for the number of ranks that run it */
#ifndef MPLAN_CLI_BUNDLE_PRICE_H
#define MPLAN_CLI_BUNDLE_PRICE_H

#include "cli/bundle_figures.h"
#include "cli/bundle_mesh.h"

/* Of the set that was cut: members in halos, of all ranks together, and the largest rank by the mean. */
typedef struct cli_price_cut {
    int64_t halo;
    double imbalance;
} cli_price_cut;

typedef struct cli_bundle_price {
    const char *how; /* the cut that was made to compare */
    cli_price_cut grouped,
        direct; /* the bundle's parts on the ranks; a cut into as many parts as there are ranks */
} cli_bundle_price;

/* Cuts the mesh as the bundle was cut (by meshplan's own method where that is not known or not there), all members with equal
 * weight. figures: with ranks. */
mplan_status cli_bundle_price_create(const mplan_bundle *bundle, const cli_bundle_figures *figures,
                                     const cli_bundle_mesh *mesh, const mplan_context *context,
                                     cli_bundle_price *out, mplan_error *err);

#endif
