/* SPDX-License-Identifier: Apache-2.0 */
/* proof_lines.c - what was proved of a plan, and what nothing can prove, as people and programs read it */
#include "cli/proof_lines.h"

#include <string.h>

/* Whether any variant of any loop has it: what is proved of a strategy is said once. */
static bool has_strategy(const mplan_plan *plan, mplan_strategy strategy)
{
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, i);
        for (int32_t v = 0; v < loop->n_variants; v++) {
            if (loop->variants[v].strategy == strategy)
                return true;
        }
    }
    return false;
}

/* Whether a variant sums rows in the order of the mesh. */
static bool adds_by_mesh(const mplan_plan *plan)
{
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, i);
        for (int32_t v = 0; v < loop->n_variants; v++)
            if (loop->variants[v].sums_order == MPLAN_SUMS_ORDER_MESH)
                return true;
    }
    return false;
}

/* Whether a set is a group's: only such sets have a parent. */
static bool has_groups(const mplan_plan *plan)
{
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++)
        if (mplan_plan_get_set(plan, s)->parent[0])
            return true;
    return false;
}

/* What was proved of the parts of a mesh; line i, NULL past the last. all: of a whole bundle; of
 * one part only the first two lines hold, as the others need the parts at the other end. */
static const char *parts_line(int i, bool all)
{
    static const char *const lines[] = {
        "halos are exactly the members of other parts that loops execute and read; inner members meet "
        "no halo",
        "lists of imports and exports, of sets and of loops, are in order and have their hashes",
        "every member of the mesh is owned by one part; all rows together have the entries of the "
        "mesh",
        "rows of halos are those that their owners have, and no element is missing in one",
        "lists of imports and exports match at both ends"};
    return i < (all ? 5 : 2) ? lines[i] : NULL;
}
#define N_PARTS_LINES 5

/* Line i of what a verified plan was proved to hold; NULL where it does not
 * apply. Strategies are between blocks and figures; what concerns parts comes last. all: of all parts of a bundle. */
const char *cli_proof_line(const mplan_plan *plan, bool all, int i)
{
    const int strategy = i - 3, later = strategy - MPLAN_N_STRATEGIES;
    if (i == 0)
        return "orders are injective and inverse to each other; maps and offsets are in range";
    if (i == 1)
        return mplan_plan_n_block_sets(plan)
                   ? "blocks contain every element once and keep their limits; their points and "
                     "local ids are exact"
                   : NULL;
    if (i == 2)
        return has_groups(plan) ? "groups are members of their sets, each once; their maps are rows "
                                  "of those sets' maps in the plan"
                                : NULL;
    if (later < 0)
        return has_strategy(plan, (mplan_strategy)strategy)
                   ? mplan_strategy_proof((mplan_strategy)strategy)
                   : NULL;
    if (later == 0)
        return adds_by_mesh(plan) ? "sums of owner-gather and two-step are in the order of the "
                                    "mesh's own element numbers: equal bits in every plan"
                                  : NULL;
    if (later == 1)
        return "stored figures equal recomputed ones";
    if (later == 2)
        return "loops, args, limits, variants and orders are those of the request that the plan "
               "carries";
    return mplan_plan_part(plan) >= 0 ? parts_line(later - 3, all) : NULL;
}
_Static_assert(CLI_PROOF_LINES == MPLAN_N_STRATEGIES + 6 + N_PARTS_LINES, "lines");

/* Whether the plan says anything of a field that cannot be proved: few have sections VARIANTS2 and VISIT. */
bool cli_proof_says(const mplan_plan *plan, const char *field)
{
    static const char later[] = "VARIANTS2.", visit[] = "VISIT.";
    if (strncmp(field, visit, sizeof visit - 1) == 0)
        return mplan_plan_get_visit(plan) != NULL;
    if (strncmp(field, later, sizeof later - 1) != 0)
        return true;
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, i);
        for (int32_t v = 0; v < loop->n_variants; v++)
            if (loop->variants[v].sums_order || loop->variants[v].slice_rows ||
                loop->variants[v].bound_blocks || loop->variants[v].entry_layout ||
                loop->variants[v].round || loop->variants[v].runner_up ||
                loop->variants[v].predicted_ns || loop->variants[v].runner_up_ns ||
                loop->variants[v].reason)
                return true;
    }
    return false;
}

/* Both arrays are there, and empty without a plan: nothing can be said of one that was refuted. */
void cli_proof_json(cli_json *json, const mplan_plan *plan, bool all)
{
    cli_json_open(json, "proved", '[');
    for (int i = 0; i < CLI_PROOF_LINES && plan; i++)
        if (cli_proof_line(plan, all, i))
            cli_json_text(json, NULL, cli_proof_line(plan, all, i));
    cli_json_close(json, ']');
    cli_json_open(json, "unproved", '[');
    for (int32_t i = 0; mplan_unproved_field(i) && plan; i++)
        if (cli_proof_says(plan, mplan_unproved_field(i)))
            cli_json_text(json, NULL, mplan_unproved_field(i));
    cli_json_close(json, ']');
}
