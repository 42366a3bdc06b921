/* SPDX-License-Identifier: Apache-2.0 */
/* tune_candidates.c - the plans that `tune` measures
 *
 * The cost model ranks, measurements decide: all combinations of what can be chosen are a few hundred, and each takes a
 * plan and a measurement. Choices that the model does not tell apart (encodings, sums, layouts, threads) are tried for
 * what it ranks first. */
#include "cli/tune_candidates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

#define WORTH_TRYING 1.6 /* times the best prediction */
#define TIE 1.02
/* What a choice that the model does not tell apart from the usual one is ranked behind it. */
#define OTHER_TABLE 1.02
#define OTHER_LAYOUT 1.05
#define OTHER_EACH 1.06
#define OTHER_THREADS 1.08
#define OTHER_BOUNDS 1.03

enum { NO_ROUNDS = 1024 }; /* no block is larger */

/* Requests with their predictions, to be sorted. */
typedef struct pool {
    const cli_tune_subject *subject;
    int32_t n, capacity;
    struct ranked {
        mplan_plan_options request;
        double predicted, rank;
        double bounds[MPLAN_N_RATES + 1];
        int32_t place; /* keeps the order of equal ranks */
    } * item;
} pool;

/* bounds: MPLAN_N_RATES + 1 of a forecast. */
static mplan_status add(pool *all, const mplan_plan_options *request, double predicted,
                        const double *bounds, double factor, mplan_error *err)
{
    if (all->n == all->capacity) {
        const int32_t capacity = 2 * all->capacity + 64;
        struct ranked *grown = realloc(all->item, (size_t)capacity * sizeof *grown);
        if (!grown)
            return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        all->item = grown;
        all->capacity = capacity;
    }
    all->item[all->n] = (struct ranked){*request, predicted, predicted * factor, {0}, all->n};
    memcpy(all->item[all->n].bounds, bounds, sizeof all->item[all->n].bounds);
    all->n++;
    return MPLAN_OK;
}

/* Other forms of a kernel on a device. */
static mplan_status add_forms(pool *all, const mplan_plan_options *request, double predicted,
                              const double *bounds, mplan_error *err)
{
    const mplan_plan_options *base = all->subject->base;
    const uint32_t traits = mplan_strategy_traits(request->strategies[0]);
    mplan_status status = MPLAN_OK;
    /* launch bounds: the fewest registers, as many as they like */
    static const int32_t blocks[] = {16, 8, 1};
    for (int b = 0; b < 3 && base->bound_blocks == 0 && !status; b++) {
        const bool owners = traits & MPLAN_TRAIT_OWNERS;
        mplan_plan_options other = *request;
        other.bound_blocks = blocks[b];
        if (owners && base->encoding == MPLAN_ENCODING_NONE) /* the one whose kernel has two forms */
            other.encoding = MPLAN_ENCODING_WINDOWS16;
        if ((owners && other.encoding == MPLAN_ENCODING_WINDOWS16) || (traits & MPLAN_TRAIT_RECORDS))
            status = add(all, &other, predicted, bounds, OTHER_BOUNDS + 0.001 * b, err);
    }
    /* rounds: of large blocks, whose kernels keep sums in shared memory */
    for (int32_t r = 128; r <= 256 && base->block_round == 0 && !status; r *= 2)
        if ((traits & MPLAN_TRAIT_RECORDS) && r < request->block_size && base->block_threads == 0) {
            mplan_plan_options other = *request;
            other.block_round = r;
            status = add(all, &other, predicted, bounds, OTHER_BOUNDS + 0.002, err);
        }
    if ((traits & MPLAN_TRAIT_OWNERS) && base->entry_layout == 0 && !status) {
        mplan_plan_options other = *request;
        other.entry_layout = 1;
        if (base->encoding == MPLAN_ENCODING_NONE)
            other.encoding = MPLAN_ENCODING_WINDOWS16;
        if (other.encoding == MPLAN_ENCODING_WINDOWS16)
            status = add(all, &other, predicted, bounds, OTHER_BOUNDS + 0.004, err);
    }
    return status;
}

/* The choices that the model ranks alike, around one strategy and block size. */
static mplan_status add_around(pool *all, mplan_plan_options request, double predicted,
                               const double *bounds, mplan_error *err)
{
    const mplan_plan_options *base = all->subject->base;
    const uint32_t traits = mplan_strategy_traits(request.strategies[0]);
    mplan_status status = add(all, &request, predicted, bounds, 1, err);
    for (int e = 1; e < MPLAN_N_ENCODINGS && !status; e++)
        if ((traits & MPLAN_TRAIT_OWNERS) && base->encoding == MPLAN_ENCODING_NONE) {
            mplan_plan_options other = request;
            other.encoding = (mplan_encoding)e;
            status = add(all, &other, predicted, bounds, OTHER_TABLE, err);
        }
    for (int s = 0; s < MPLAN_N_SUMS && !status; s++)
        if ((traits & MPLAN_TRAIT_RECORDS) && base->n_strategies == 0 && s != (int)request.sums &&
            (s != MPLAN_SUMS_ATOMIC || base->allow_nondeterministic)) {
            mplan_plan_options other = request;
            other.sums = (mplan_sums)s;
            status = add(all, &other, predicted, bounds, OTHER_TABLE, err);
        }
    for (int l = 0; l < MPLAN_N_LAYOUTS && base->layouts == 0 && !status; l++) {
        mplan_plan_options other = request;
        other.layouts = l + 1;
        status = add(all, &other, predicted, bounds, OTHER_LAYOUT, err);
    }
    for (int32_t t = 64; t <= 512 && base->block_threads == 0 && !status; t *= 2) {
        mplan_plan_options other = request;
        other.block_threads = t;
        status = add(all, &other, predicted, bounds, OTHER_THREADS, err);
    }
    if (!status && all->subject->bounds)
        status = add_forms(all, &request, predicted, bounds, err);
    const uint32_t else_shared = MPLAN_TRAIT_BLOCKS | MPLAN_TRAIT_OWNERS | MPLAN_TRAIT_SLOT_LISTS;
    for (int32_t e = 2; e <= 4 && base->elements_per_thread == 0 && !status; e *= 2)
        if (!(traits & else_shared)) {
            mplan_plan_options other = request;
            other.elements_per_thread = e;
            status = add(all, &other, predicted, bounds, OTHER_EACH, err);
        }
    return status;
}

/* Whether the loop adds through a map, where the order of sums is a matter of the strategy. */
static bool adds_by_maps(const mplan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* Whether the base request allows the strategy. */
static bool allows(const cli_tune_subject *subject, mplan_strategy strategy)
{
    const mplan_plan_options *base = subject->base;
    const uint32_t traits = mplan_strategy_traits(strategy);
    const bool bits = !(traits & MPLAN_TRAIT_ATOMIC) || !adds_by_maps(&subject->loops[subject->loop]);
    bool named = base->n_strategies == 0;
    for (int32_t i = 0; i < base->n_strategies; i++)
        named = named || base->strategies[i] == strategy;
    if (base->sums_order == MPLAN_SUMS_ORDER_MESH &&
        !(traits & (MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS)))
        return false;
    return named && (base->allow_nondeterministic || bits);
}

/* All strategies with blocks of one size; of those without blocks only where `plain`. */
static mplan_status add_size(pool *all, int32_t size, bool plain, mplan_error *err)
{
    const cli_tune_subject *subject = all->subject;
    mplan_plan_options asked = *subject->base;
    mplan_forecast *forecast = NULL;
    asked.n_strategies = 0;
    asked.block_size = size;
    if (asked.block_round == 0) /* of strategies that are named, and so have no rounds */
        asked.block_round = NO_ROUNDS;
    mplan_status status = mplan_plan_forecast(subject->mesh, subject->n_loops, subject->loops,
                                              &asked, subject->context, &forecast, err);
    for (int s = 0; s < MPLAN_N_STRATEGIES && !status; s++) {
        const mplan_strategy strategy = (mplan_strategy)s;
        const double seconds = forecast->loops[subject->loop].seconds[s];
        const bool blocks = mplan_strategy_traits(strategy) & MPLAN_TRAIT_BLOCKS;
        if (!isfinite(seconds) || (!blocks && !plain) || !allows(subject, strategy))
            continue;
        asked.n_strategies = 1;
        asked.strategies[0] = strategy;
        asked.block_size = blocks ? size : subject->base->block_size;
        asked.block_round = subject->base->block_round;
        status = add_around(all, asked, seconds, forecast->loops[subject->loop].bounds[s], err);
    }
    mplan_forecast_free(forecast);
    return status;
}

/* Equal ranks stay in the order in which they were made, so that the choice does not depend on qsort. */
static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : x->place - y->place;
}

/* Everything that may be tried, the best prediction first. */
static mplan_status fill(pool *all, mplan_error *err)
{
    static const int32_t sizes[] = {256, 64, 128, 384, 512, 1024};
    const int32_t given = all->subject->base->block_size;
    mplan_status status = MPLAN_OK;
    if (given > 0)
        status = add_size(all, given, true, err);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !given && !status; i++)
        status = add_size(all, sizes[i], i == 0, err);
    if (!status && all->n > 0)
        qsort(all->item, (size_t)all->n, sizeof *all->item, by_rank);
    return status;
}

/* Each candidate has one variant; NULL: the loop needs none. */
const mplan_plan_variant *cli_candidate_variant(const cli_candidate *one,
                                                const cli_tune_subject *subject)
{
    const mplan_plan_loop *loop = mplan_plan_get_loop(one->plan, subject->loop);
    return loop->n_variants > 0 ? &loop->variants[loop->default_variant] : NULL;
}

/* Whether both plans run the loop alike. */
static bool same_plan(const cli_candidate *a, const cli_candidate *b, const cli_tune_subject *subject)
{
    const mplan_plan_variant *v = cli_candidate_variant(a, subject),
                             *w = cli_candidate_variant(b, subject);
    const mplan_plan_loop *x = mplan_plan_get_loop(a->plan, subject->loop),
                          *y = mplan_plan_get_loop(b->plan, subject->loop);
    if (!v || !w)
        return !v && !w;
    for (int32_t i = 0; i < x->n_args; i++)
        if (x->args[i].layout != y->args[i].layout)
            return false;
    return v->strategy == w->strategy && v->block_limit == w->block_limit &&
           v->threads == w->threads && v->elements_per_thread == w->elements_per_thread &&
           v->sums == w->sums && v->encoding == w->encoding && v->bound_blocks == w->bound_blocks &&
           v->entry_layout == w->entry_layout && v->round == w->round;
}

/* ranked NULL: of the default request, when the model said nothing about it; 0 is then no prediction. */
static void take_prediction(cli_candidate *one, const struct ranked *ranked)
{
    one->predicted = ranked ? ranked->predicted : 0;
    if (ranked)
        memcpy(one->bounds, ranked->bounds, sizeof one->bounds);
}

/* Adds a plan to the list, unless one runs alike. A request that cannot be planned is left out, as those that the
 * planner refuses for a loop or a device are; only what ends the command does so. */
/* ranked: what the model says; NULL: nothing yet. */
static mplan_status plan_one(const cli_tune_subject *subject, const mplan_plan_options *request,
                             const struct ranked *ranked, cli_candidate *list, int32_t *n,
                             mplan_error *err)
{
    cli_candidate *next = &list[*n];
    *next = (cli_candidate){.request = *request};
    take_prediction(next, ranked);
    mplan_status status = mplan_plan_create(subject->mesh, subject->n_loops, subject->loops,
                                            request, subject->context, &next->plan, err);
    if (*n > 0 && (status == MPLAN_ERR_UNSUPPORTED || status == MPLAN_ERR_ARGUMENT))
        return MPLAN_OK;
    for (int32_t i = 0; i < *n && !status; i++)
        if (same_plan(&list[i], next, subject)) {
            if (list[i].predicted == 0)
                take_prediction(&list[i], ranked);
            mplan_plan_free(next->plan);
            next->plan = NULL;
            return MPLAN_OK;
        }
    *n += !status;
    return status;
}

/* Whether item i is the first of its strategy. */
static bool leads(const pool *all, int32_t i)
{
    for (int32_t k = 0; k < i; k++)
        if (all->item[k].request.strategies[0] == all->item[i].request.strategies[0])
            return false;
    return true;
}

/* list[0] is the default, which is always measured. */
mplan_status cli_candidates_begin(const cli_tune_subject *subject, cli_candidate *list, int32_t *n,
                                  mplan_error *err)
{
    *n = 0;
    return plan_one(subject, subject->base, NULL, list, n, err);
}

/* At most `most` plans in all, each made only when its turn comes; requests that lead to one plan are made once. */
mplan_status cli_candidates_plan(const cli_tune_subject *subject, int32_t most, int32_t n_guesses,
                                 const mplan_plan_options *const *guesses, cli_candidate *list,
                                 int32_t *n, mplan_error *err)
{
    pool all = {.subject = subject};
    assert(*n == 1);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n_guesses && *n < most && !status; i++)
        status = plan_one(subject, guesses[i], NULL, list, n, err);
    if (!status)
        status = fill(&all, err);
    /* the best of each strategy first: the model may be wrong about a strategy as a whole */
    for (int leading = 1; leading >= 0 && !status; leading--)
        for (int32_t i = 0; i < all.n && *n < most && !status; i++)
            if (leads(&all, i) == leading &&
                all.item[i].predicted <= WORTH_TRYING * all.item[0].predicted)
                status = plan_one(subject, &all.item[i].request, &all.item[i], list, n, err);
    free(all.item);
    return status;
}

/* Plans of the first n. */
void cli_candidates_free(cli_candidate *list, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        mplan_plan_free(list[i].plan);
}

/* Whether candidate i may be taken. */
static bool counts(const cli_candidate *list, int32_t i)
{
    const mplan_tune_result *result = &list[i].result;
    return !result->status &&
           (i == 0 || list[0].result.status || 4 * result->wins >= 3 * result->rounds);
}

/* Among those within TIE of the least median: the default, else one with equal bits, else the one of least memory, else
 * the fastest. One that is not the default must have won three rounds in four. -1: none could be measured. */
int32_t cli_candidates_best(const cli_candidate *list, int32_t n, const cli_tune_subject *subject)
{
    double least = HUGE_VAL;
    int32_t best = -1;
    for (int32_t i = 0; i < n; i++)
        if (counts(list, i) && list[i].result.median < least)
            least = list[i].result.median;
    for (int32_t i = 0; i < n; i++) {
        const cli_candidate *one = &list[i], *kept = &list[best < 0 ? 0 : best];
        if (!counts(list, i) || one->result.median > TIE * least)
            continue;
        if (best < 0 || best == 0) {
            best = best < 0 ? i : best;
            continue;
        }
        const mplan_plan_variant *v = cli_candidate_variant(one, subject),
                                 *w = cli_candidate_variant(kept, subject);
        const bool bits = !v || v->deterministic, kept_bits = !w || w->deterministic;
        if (bits != kept_bits                         ? bits
            : one->result.bytes != kept->result.bytes ? one->result.bytes < kept->result.bytes
                                                      : one->result.median < kept->result.median)
            best = i;
    }
    return best;
}
