/* SPDX-License-Identifier: Apache-2.0 */
/* unproved.c - what a plan file says and nothing can prove
 *
 * The list of section 12 of formats/plan-format.md, in its order; tests/package/plan_fields.py
 * holds both against each other and against what `meshplan verify` lets pass. */
#include "meshplan.h"

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
        "REQUEST.options: as far as other options lead to the same records (effort, fill, imbalance, "
        "graph and seed always); verify --mesh JOB compares them",
        "VERSIONS.version: who planned; the names are proved",
        "ORIGINS.origin: how a partitioner came to its blocks is not in them; bounded",
        "ORIGINS.refined: as origin",
        "ORIGINS.extent: as origin",
        "ORIGINS.patches: as origin",
        "ORIGINS.largest: as origin",
    };
    return i >= 0 && i < (int32_t)(sizeof fields / sizeof *fields) ? fields[i] : NULL;
}
