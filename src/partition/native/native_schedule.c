/* SPDX-License-Identifier: Apache-2.0 */
/* native_schedule.c - how long blocks are refined, by the shape of their table
 *
 * Climbing over more losses (patience) costs least of all that these numbers buy: cells of a plane to nodes, patience 4 -> 12,
 * S = 128: prisms of second order 3.610 -> 3.635, a boundary layer of triangles 4.711 -> 4.719, in the same time. Faces in space, 4
 * passes -> 5 and patience 3 -> 5: 2.910 -> 2.923 (tets), 2.931 -> 2.948 (tets of a channel). Without coordinates: triangles to nodes
 * 4.752 -> 4.770 (patience 4 -> 12). Further passes: tets that were cut in two along their longest edges, to nodes, 10.06 -> 10.16 and
 * 9.99 -> 10.08 (METIS 10.15 and 10.05) for 1.3 to 1.6 times the time; tets of even size do not come to them.
 * Best: a pass of plain moves takes a tenth of one with flows or one that cuts anew, so these are one of five each of 70 passes (three and three
 * of 27 to 32 before), and all passes wait for one with flows before they end; with flows nothing is gained by cutting faces anew. With sizes in
 * three steps and only pairs for flows that share 0.7 of the mean: 44 rows that were held back +0.27 %, tets to nodes, S = 128, 9.63 -> 9.68, in 1.1
 * times the time (tools/RESULTS.md). */
#include "partition/native/native_schedule.h"

#include <assert.h>

/* Blocks that are few; elements below which time hardly counts; the block size for which schedules are written; a further pass
 * wants 1 / MUCH of all pairs saved by the one before */
enum { FEW_BLOCKS = 200, SMALL = 10000, USUAL_SIZE = 128, MUCH = 500 };

/* Of tables with coordinates; sweeps, passes, anew, patience, shared, least, further; no flows. */
/* clang-format off */
static const native_schedule with_places[MPLAN_N_EFFORTS][NATIVE_N_KINDS] = {
    [MPLAN_EFFORT_DEFAULT] = {{3, 8, 0, 6, 2, 2000, 0}, {3, 5, 0, 5, 2, 2000, 0},
        {3, 8, 0, 12, 2, 2000, 0}, {3, 4, 0, 12, 4, 400, 0}, {6, 8, 0, 12, 4, 1500, 4}},
    [MPLAN_EFFORT_FAST] = {{0, 0, 0, 3, 2, 1, 0}, {0, 1, 0, 3, 2, 1, 0},
        {2, 1, 0, 3, 2, 1, 0}, {2, 1, 0, 4, 4, 1, 0}, {5, 1, 0, 4, 8, 1, 0}},
    [MPLAN_EFFORT_BEST] = {{4, 60, 0, 6, 2, 12000, 0}, {4, 60, 0, 6, 2, 12000, 0},
        {4, 60, 4, 6, 2, 20000, 0}, {4, 70, 5, 10, 2, 10000, 0}, {4, 70, 5, 10, 4, 10000, 0}},
};
/* And without. */
static const native_schedule without_places[MPLAN_N_EFFORTS][NATIVE_N_KINDS] = {
    [MPLAN_EFFORT_DEFAULT] = {{0, 14, 0, 6, 2, 3000, 0}, {0, 8, 0, 6, 2, 1500, 0},
        {0, 12, 0, 12, 2, 4000, 0}, {0, 6, 2, 8, 4, 400, 0}, {0, 10, 4, 12, 4, 1500, 4}},
    [MPLAN_EFFORT_FAST] = {{0, 0, 0, 3, 2, 1, 0}, {0, 1, 0, 3, 2, 1, 0},
        {0, 1, 0, 3, 2, 1, 0}, {0, 1, 0, 4, 4, 1, 0}, {0, 1, 0, 4, 5, 1, 0}},
    [MPLAN_EFFORT_BEST] = {{0, 60, 0, 6, 2, 12000, 0}, {0, 60, 0, 6, 2, 12000, 0},
        {0, 60, 4, 6, 2, 20000, 0}, {0, 70, 5, 6, 2, 10000, 0}, {0, 70, 5, 6, 4, 10000, 0}},
};
/* clang-format on */

native_kind mplan_native_kind_of(const native_table *table)
{
    assert(table);
    int64_t entries = native_entries(table);
    if (entries < 3 * table->n)
        return 2 * entries < 7 * table->n_points ? NATIVE_SHORT_FEW : NATIVE_SHORT_MANY;
    return entries < 7 * table->n_points    ? NATIVE_LONG_PLANE
           : entries < 12 * table->n_points ? NATIVE_LONG_FEW
                                            : NATIVE_LONG_MANY;
}

bool mplan_native_are_few(int64_t n, int32_t block_size)
{
    assert(n >= 0 && block_size > 0);
    return n < FEW_BLOCKS * (int64_t)block_size;
}

/* So many eighths of the passes, the first ones; none where there is one pass. The pass after them is none with flows, which leaves
 * out most pairs. What it brings: native_sizes.c. */
static int32_t loose_of(const native_schedule *plan, int32_t eighths)
{
    int32_t loose = plan->passes * eighths / 8;
    while (loose > 0 && loose < plan->passes && mplan_native_is_flow(plan, loose))
        loose++;
    return loose;
}

/* Without coordinates smoothing has to straighten borders, which Lloyd's sweeps do elsewhere. Two passes
 * of 10 of tets to nodes, S = 448: bisected ones 12.67 -> 12.90, with 12 averages in place of 5 and pairs cut anew later 13.05 (METIS
 * 12.90; tools/RESULTS.md). Faces in space lose by it, layers of prisms too, and cells of a plane gain nothing. */
static int32_t smooth_of(const native_table *table, mplan_effort effort, bool places)
{
    enum { PASSES = 2 };
    bool smooth = effort == MPLAN_EFFORT_DEFAULT && !places && table->n >= SMALL;
    return smooth && mplan_native_kind_of(table) == NATIVE_LONG_MANY ? PASSES : 0;
}

/* Losses are climbed over for longer where blocks are few, or large and of long rows in space: these have less border, so
 * that it costs little (S = 448, reuse of tets round a wing 12.14 -> 12.27, METIS 12.24). Where there are fewer than 100 one
 * of three passes cuts its pairs anew, and there are more (122 rows: reuse +0.3 % on average, Gmsh's t16, S = 448: 12.367 ->
 * 12.405, as METIS). Tables of few elements that are cut once have one pass of eight anew. Faces in space are far ahead of METIS
 * without all that, and cut in a third of the time: 1.045 -> 1.037 of its reuse. */
native_schedule mplan_native_schedule(const native_table *table, int32_t block_size,
                                      mplan_effort effort, bool places)
{
    enum { FEW_ELEMENTS = 20000 };
    assert(table && block_size > 0);
    native_kind kind = mplan_native_kind_of(table);
    native_schedule plan = places ? with_places[effort][kind] : without_places[effort][kind];
    plan.smooth = smooth_of(table, effort, places);
    /* tets to nodes, S = 448: 12.58 -> 12.66, of second order 5.20 -> 5.31; triangles, S = 128: 4.799 -> 4.810 */
    bool in_space = kind == NATIVE_LONG_FEW || kind == NATIVE_LONG_MANY;
    plan.flows = effort != MPLAN_EFFORT_BEST ? 0 : in_space ? 5 : 3;
    plan.steps = effort == MPLAN_EFFORT_BEST ? 3 : 1;
    plan.waits = effort == MPLAN_EFFORT_BEST;
    if (effort == MPLAN_EFFORT_BEST && plan.patience < 12 &&
        mplan_native_are_few(table->n, block_size))
        plan.patience = 12;
    bool far_ahead = kind == NATIVE_SHORT_MANY && table->n >= SMALL;
    if (effort == MPLAN_EFFORT_DEFAULT && mplan_native_are_few(table->n, block_size) && !far_ahead) {
        bool very = mplan_native_are_few(2 * table->n, block_size);
        plan.passes = very ? 16 : plan.passes;
        plan.patience = very ? 30 : 16;
        plan.anew = very ? 3 : table->n < FEW_ELEMENTS ? 8 : plan.anew;
        plan.least = very ? 10000 : 4000;
        plan.further = very ? 0 : plan.further;
        return plan;
    }
    if (effort == MPLAN_EFFORT_DEFAULT && places && block_size > USUAL_SIZE) {
        if (kind == NATIVE_SHORT_MANY)
            plan.passes = 4;
        if (kind == NATIVE_SHORT_FEW) {
            plan.passes = 10;
            plan.least = 4000;
        }
        if (plan.shared > 2) {
            plan.passes = plan.passes < 6 ? 6 : plan.passes;
            plan.patience = 16;
            plan.least = 2000;
        }
    }
    /* edges of 4elt, S = 448: 5.159 -> 5.166 (METIS 5.164) in 1.1 times the time; edges and faces of tets, hexes and triangles +0.13 to +0.3 %
     * in 1.15 to 1.2 times */
    if (effort == MPLAN_EFFORT_DEFAULT && !places && block_size > USUAL_SIZE &&
        kind == NATIVE_SHORT_MANY) {
        plan.passes = 10;
        plan.patience = 10;
        plan.least = 3000;
    }
    plan.passes += mplan_native_mends_seams(table, effort, places);
    plan.loose = loose_of(&plan, 5);
    return plan;
}

/* What flows bring, reuse before -> now, METIS's: triangles with random flips to nodes, S = 128 and 448, 4.899 -> 4.974 (4.967) and
 * 5.353 -> 5.449 (5.415); eight layers of prisms, 448, 7.199 -> 7.373 (7.323). The cut then takes 2 to 5 times as long
 * (tools/RESULTS.md), so tables that are ahead of METIS without flows have none, nor have tables that are so small that they are
 * cut several times. Half of their passes are loose: 0.025 % more than with five of eight (18 rows of cells; of faces 0.02 to 0.05 %). Faces
 * gain so little a pass that blocks which saved nothing lately are asked again, and pairs that share one point only take part; three passes
 * between two with flows cost less than another one of these, and gain more: with random flips, S = 128, 2.698 -> 2.706, 2.705 -> 2.707 and
 * 2.704 -> 2.706 in 0.9 times the time of one between two, with patience 20 in place of 12. Cells lose 0.1 to 0.2 % so. Faces
 * that were not relaxed by coordinates gain for longer: 28 passes in place of 20, 2.702 -> 2.702, 2.706 -> 2.708 and 2.705 -> 2.707. */
native_schedule mplan_native_with_flows(native_schedule plan, const native_table *table,
                                        mplan_effort effort)
{
    assert(table && effort < MPLAN_N_EFFORTS);
    if (effort != MPLAN_EFFORT_DEFAULT || table->n < SMALL)
        return plan;
    native_kind kind = mplan_native_kind_of(table);
    bool faces = kind == NATIVE_SHORT_FEW;
    int32_t of_faces = plan.sweeps > 0 ? 20 : 28, least = faces ? 20000 : 5000;
    int32_t passes = kind == NATIVE_LONG_PLANE ? 16 : faces ? of_faces : 10;
    plan.flows = faces ? 4 : 2;
    plan.passes = plan.passes > passes ? plan.passes : passes;
    plan.least = plan.least > least ? plan.least : least;
    plan.lately = faces ? plan.passes : 2;
    if (faces) {
        plan.patience = plan.patience > 20 ? plan.patience : 20;
        plan.shared = 1;
    }
    plan.loose = loose_of(&plan, 4);
    return plan;
}

/* Faces of triangles with random flips: 58 of 1000 in the first pass; of triangles on a sphere, long ones, those of a boundary layer, of
 * triangles and quads 5 to 15. Blocks that were not relaxed leave less to do. Of what they touch beyond each point once, faces of triangles
 * save with flips 17 to 19 of 100, else 2 to 7 (relaxed 35 to 38, and 3 to 12); skins with frames save 22 and gain nothing by flows.
 * Faces in space save as much (40 to 65 of 1000 of tets), and are ahead without flows. */
bool mplan_native_is_rough(const native_table *table, int64_t saved, int64_t touched)
{
    enum { ROUGH = 30, ROUGH_BEYOND = 7 };
    assert(table && touched >= 0);
    if (mplan_native_kind_of(table) != NATIVE_SHORT_FEW)
        return false;
    bool triangles = native_entries(table) <= 3 * table->n_points;
    int64_t beyond = touched - table->n_points;
    return saved > touched / ROUGH || (triangles && beyond > 0 && saved > beyond / ROUGH_BEYOND);
}

/* Layers of prisms to nodes, S = 448: 7.199 -> 7.373 (METIS 7.323). At S = 128 (5.891, METIS 5.697) and by their faces (3.733, 3.653) they
 * are ahead without. */
bool mplan_native_wants_flows(const native_table *table, int32_t block_size)
{
    assert(table && block_size > 0);
    native_kind kind = mplan_native_kind_of(table);
    return block_size > USUAL_SIZE && kind != NATIVE_SHORT_FEW && kind != NATIVE_SHORT_MANY;
}

/* The least table is as large as two regions. What that brings: native_regions.c. */
bool mplan_native_mends_seams(const native_table *table, mplan_effort effort, bool places)
{
    enum { LARGE = 1 << 19 };
    assert(table);
    native_kind kind = mplan_native_kind_of(table);
    return effort == MPLAN_EFFORT_DEFAULT && places && table->n >= LARGE &&
           (kind == NATIVE_SHORT_FEW || kind == NATIVE_SHORT_MANY);
}

bool mplan_native_goes_on(const native_schedule *plan, int32_t pass, int64_t saved, int64_t touched)
{
    assert(plan && pass >= 0 && touched >= 0);
    if (pass <= plan->smooth)
        return plan->passes > pass;
    if (plan->waits && !mplan_native_is_flow(plan, pass - 1))
        return pass < plan->passes;
    return pass < plan->passes + plan->further && saved > touched / plan->least &&
           (pass < plan->passes || saved > touched / MUCH);
}

int32_t mplan_native_step_end(const native_schedule *plan, int32_t step)
{
    assert(plan && step >= 0 && step < plan->steps);
    return (int32_t)((int64_t)plan->loose * (step + 1) / plan->steps);
}

bool mplan_native_is_flow(const native_schedule *plan, int32_t pass)
{
    assert(plan && pass >= 0);
    return plan->flows > 0 && pass % plan->flows == plan->flows - 1;
}

bool mplan_native_is_anew(const native_schedule *plan, int32_t pass)
{
    assert(plan && pass >= 0);
    if (mplan_native_is_flow(plan, pass) || pass < plan->smooth)
        return false;
    return (plan->anew > 0 && pass % plan->anew == 1) || (plan->further > 0 && pass == plan->passes);
}

bool mplan_native_is_growing_enough(const native_table *table, mplan_effort effort)
{
    assert(table);
    native_kind kind = mplan_native_kind_of(table);
    return with_places[effort][kind].passes == 0 && without_places[effort][kind].passes == 0;
}
