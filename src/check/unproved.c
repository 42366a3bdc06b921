/* SPDX-License-Identifier: Apache-2.0 */
/* unproved.c - what a plan file says and nothing can prove
 *
 * The list of section 12 of formats/plan-format.md, in its order; tests/package/plan_fields.py
 * holds both against each other and against what `meshplan verify` lets pass. */
#include "meshplan.h"

/* Entry i of a list that ends with NULL: "RECORD.field: why no proof covers it".
 * package_plan_fields changes every field of plans and accepts only these as unseen, so a new
 * field must be proved or named here. */
const char *mplan_unproved_field(int32_t i)
{
    static const char *const fields[] = {
        "HEADER.minor: a later version may add what readers ignore",
        "HEADER.may_ignore: as minor",
        "SETS.bandwidth_renumbered: bounded; proved only where points are stored as renumbered, "
        "else that order is not in the file",
        "SETS.profile_renumbered: as bandwidth_renumbered; it decides `kept`",
        "BLOCK_SETS.alternative_pairs: at least the pairs that were kept; the cut that was not is "
        "not in the file",
        "VARIANTS2.runner_up: the cost model is the planner's own; nothing depends on what it says",
        "VARIANTS2.predicted_ns: as runner_up",
        "VARIANTS2.runner_up_ns: as runner_up",
        "VARIANTS2.reason: as runner_up",
        "VARIANTS2.permille: as runner_up",
        "REQUEST.options: as far as other options lead to the same records (effort, fill, imbalance, "
        "graph and seed always); verify --mesh JOB compares them",
        "VISIT.predicted_ns: as runner_up of VARIANTS2",
        "VISIT.in_core_ns: as predicted_ns",
        "VERSIONS.version: who planned; the names are proved",
        "ORIGINS.origin: grids and layers were looked for while planning; blocks that were moved or refined since do not show them; bounded",
        "ORIGINS.refined: passes that move nothing leave no trace",
        "ORIGINS.extent: where a grid ends at seams depends on where the planner's walk began, which a proof must not repeat; bounded, with layers by the size of the set",
        "ORIGINS.patches: as extent; 1 with layers is proved",
        "ORIGINS.largest: as extent; with layers the size of the set, which is proved",
    };
    return i >= 0 && i < (int32_t)(sizeof fields / sizeof *fields) ? fields[i] : NULL;
}
