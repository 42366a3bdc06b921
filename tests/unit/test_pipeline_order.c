/* SPDX-License-Identifier: Apache-2.0 */
/* test_pipeline_order.c - the order of every set, and the blocks of every loop,
 * by the rules of planning written down a second time in the plainest way */
#include "support_request.h"

#include "plan/plan.h"

enum { MOST = 4096 }; /* members of a set here, and entries of a row */

static mplan_mesh *mesh_of(uint64_t number)
{
    return number % 2 ? support_generated(number) : support_tables(number);
}

static const int32_t *places_of(const mplan_plan *plan, int32_t set)
{
    return mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set), MPLAN_TYPE_I32, NULL);
}

static const int32_t *members_of(const mplan_plan *plan, int32_t set)
{
    return mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, set), MPLAN_TYPE_I32, NULL);
}

static const int64_t *offsets_of(const mplan_plan *plan, int32_t block_set)
{
    return mplan_plan_data(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, block_set),
                           MPLAN_TYPE_I64, NULL);
}

static const mplan_plan_loop *primary_of(const mplan_plan *plan)
{
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
        if (mplan_plan_get_loop(plan, l)->primary)
            return mplan_plan_get_loop(plan, l);
    fail_msg("no loop is primary");
    return NULL;
}

/* The first incremented map, else the first written one, else the first. */
static int32_t deciding_map(const mplan_plan_loop *loop)
{
    for (int pass = 0; pass < 3; pass++)
        for (int32_t a = 0; a < loop->n_args; a++)
            if (loop->args[a].map >= 0 &&
                (pass == 2 || (pass == 1 && loop->args[a].access != MPLAN_READ) ||
                 loop->args[a].access == MPLAN_INC))
                return loop->args[a].map;
    return -1;
}

/* --- lists of numbers -------------------------------------------------------------- */

typedef struct number_list {
    int32_t n, value[MOST];
} number_list;

static int compare_numbers(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int compare_lists(const number_list *a, const number_list *b)
{
    for (int32_t i = 0; i < a->n && i < b->n; i++)
        if (a->value[i] != b->value[i])
            return a->value[i] < b->value[i] ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

/* An element's points under a numbering (NULL: theirs), ascending, -1 last. */
static void row_list(const mplan_map *map, int64_t element, const int32_t *number, number_list *out)
{
    const int32_t *row = mplan_map_row(map, element, &out->n);
    assert_true(out->n <= MOST);
    for (int32_t k = 0; k < out->n; k++)
        out->value[k] = row[k] < 0 ? INT32_MAX : number ? number[row[k]] : row[k];
    qsort(out->value, (size_t)out->n, sizeof *out->value, compare_numbers);
}

/* The map of the plan over members of the mesh. */
static mplan_map mesh_map(const mplan_plan *plan, const mplan_mesh *mesh, int32_t map)
{
    int32_t found = mplan_mesh_find_map(mesh, mplan_plan_get_map(plan, map)->name);
    assert_true(found >= 0);
    return mplan_mesh_map(mesh, found);
}

/* --- elements of the primary loop ----------------------------------------------------- */

/* Whether e comes before f ahead of the cut into blocks. */
static bool comes_first(const mplan_map *map, bool lexicographic, int32_t e, int32_t f)
{
    static number_list a, b;
    if (!lexicographic)
        return e < f;
    row_list(map, e, NULL, &a);
    row_list(map, f, NULL, &b);
    int c = compare_lists(&a, &b);
    return c ? c < 0 : e < f;
}

/* Without them, an element is larger than a block may be (test_large_elements.c). */
static bool has_blocks(const mplan_plan *plan)
{
    return mplan_plan_n_block_sets(plan) > 0 &&
           mplan_plan_get_loop(plan, mplan_plan_get_block_set(plan, 0)->loop) == primary_of(plan);
}

/* Elements are stored by block, and in a block in the order they had before,
 * which is known where the points kept their input order. */
static void check_elements(const mplan_plan *plan, const mplan_mesh *mesh,
                           const mplan_plan_options *options)
{
    const mplan_plan_loop *loop = primary_of(plan);
    const mplan_plan_block_set *blocks = mplan_plan_get_block_set(plan, 0);
    int32_t map = deciding_map(loop);
    const mplan_plan_set *target = map < 0
                                       ? NULL
                                       : mplan_plan_get_set(plan, mplan_plan_get_map(plan, map)->to);
    if (!has_blocks(plan))
        return;
    assert_false(blocks->sequence);
    if (target && target->renumber != MPLAN_RENUMBER_NONE && !target->kept)
        return;
    bool lexicographic = target && target->renumber != MPLAN_RENUMBER_NONE &&
                         mplan_plan_get_map(plan, map)->to != loop->set;
    mplan_map view = {0};
    if (map >= 0)
        view = mesh_map(plan, mesh, map);
    const int32_t *member = members_of(plan, loop->set);
    const int64_t *offsets = offsets_of(plan, 0);
    for (int64_t b = 0; b < blocks->n_blocks; b++)
        for (int64_t i = offsets[b] + 1; i < offsets[b + 1]; i++)
            assert_true(comes_first(&view, lexicographic, member[i - 1], member[i]));
    if (options->partitioner != MPLAN_PARTITIONER_NONE && loop->n_args > 0 && map >= 0)
        return;
    for (int64_t i = 1; i < mplan_plan_get_set(plan, loop->set)->size; i++)
        assert_true(comes_first(&view, lexicographic, member[i - 1], member[i]));
}

/* --- points of the primary loop ---------------------------------------------------------- */

/* Blocks that touch a stored point, ascending; with `counted` their number first. */
static void block_list(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t set,
                       int32_t point, bool counted, number_list *out)
{
    const int64_t *offsets = offsets_of(plan, 0);
    out->n = counted;
    for (int64_t b = 0; b < mplan_plan_get_block_set(plan, 0)->n_blocks; b++) {
        bool touched = false;
        for (int32_t a = 0; a < loop->n_args && !touched; a++) {
            if (loop->args[a].map < 0 || mplan_plan_get_map(plan, loop->args[a].map)->to != set)
                continue;
            mplan_map map = mplan_plan_stored_map(plan, loop->args[a].map);
            for (int64_t e = offsets[b]; e < offsets[b + 1] && !touched; e++) {
                int32_t n;
                const int32_t *row = mplan_map_row(&map, e, &n);
                for (int32_t k = 0; k < n; k++)
                    touched = touched || row[k] == point;
            }
        }
        if (touched)
            out->value[out->n++] = (int32_t)b;
    }
    if (counted)
        out->value[0] = out->n - 1;
    if (out->n == (int32_t)counted) { /* untouched points come last */
        out->n = 1;
        out->value[0] = INT32_MAX;
    }
}

/* The rank of every stored point when rows, in stored order, first touch them;
 * untouched ones by their index in the mesh. */
static void first_touch(const mplan_plan *plan, int32_t map_index, const int32_t *row_places,
                        const mplan_mesh *mesh, int32_t *rank)
{
    mplan_map map = mesh_map(plan, mesh, map_index);
    int32_t next = 0;
    assert_true(map.n_points <= MOST);
    for (int64_t p = 0; p < map.n_points; p++)
        rank[p] = -1;
    for (int64_t place = 0; place < map.n_rows; place++)
        for (int64_t e = 0; e < map.n_rows; e++) {
            if (row_places[e] != place)
                continue;
            int32_t n;
            const int32_t *row = mplan_map_row(&map, e, &n);
            for (int32_t k = 0; k < n; k++)
                if (row[k] >= 0 && rank[row[k]] < 0)
                    rank[row[k]] = next++;
        }
    for (int64_t p = 0; p < map.n_points; p++)
        if (rank[p] < 0)
            rank[p] = next++;
}

/* The order that decides between points of equal lists; false when it is not known. */
static bool earlier_order(const mplan_plan *plan, const mplan_mesh *mesh,
                          const mplan_plan_loop *loop, int32_t set, int32_t *rank)
{
    const mplan_plan_set *record = mplan_plan_get_set(plan, set);
    int32_t deciding = deciding_map(loop);
    if (mplan_plan_get_map(plan, deciding)->to == set) {
        for (int64_t p = 0; p < record->size; p++)
            rank[p] = (int32_t)p;
        return record->renumber == MPLAN_RENUMBER_NONE || record->kept;
    }
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && mplan_plan_get_map(plan, loop->args[a].map)->to == set) {
            first_touch(plan, loop->args[a].map, places_of(plan, loop->set), mesh, rank);
            return true;
        }
    return false;
}

static void check_points_of(const mplan_plan *plan, const mplan_mesh *mesh,
                            const mplan_plan_options *options, int32_t set)
{
    static number_list before, after;
    const mplan_plan_loop *loop = primary_of(plan);
    const mplan_plan_set *record = mplan_plan_get_set(plan, set);
    const int32_t *member = members_of(plan, set);
    int32_t rank[MOST];
    if (options->point_order >= MPLAN_POINTS_LINES)
        return; /* test_line_packing.c */
    if (options->point_order != MPLAN_POINTS_RENUMBERED && !has_blocks(plan))
        return;
    assert_true(record->size <= MOST);
    bool known = earlier_order(plan, mesh, loop, set, rank);
    for (int32_t p = 1; p < record->size; p++) {
        int c = 0;
        if (options->point_order != MPLAN_POINTS_RENUMBERED) {
            bool counted = options->point_order == MPLAN_POINTS_COUNT;
            block_list(plan, loop, set, p - 1, counted, &before);
            block_list(plan, loop, set, p, counted, &after);
            c = compare_lists(&before, &after);
        }
        assert_true(c <= 0);
        if (c == 0 && known)
            assert_true(rank[member[p - 1]] < rank[member[p]]);
    }
}

static void check_points(const mplan_plan *plan, const mplan_mesh *mesh,
                         const mplan_plan_options *options)
{
    const mplan_plan_loop *loop = primary_of(plan);
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        bool target = false;
        for (int32_t a = 0; a < loop->n_args; a++)
            target = target || (loop->args[a].map >= 0 &&
                                mplan_plan_get_map(plan, loop->args[a].map)->to == s);
        if (target && s != loop->set)
            check_points_of(plan, mesh, options, s);
    }
}

/* --- all other sets ---------------------------------------------------------------------- */

/* Elements by their points, which are ordered already. */
static void check_by_points(const mplan_plan *plan, const mplan_mesh *mesh, int32_t map)
{
    static number_list before, after;
    const mplan_plan_map *record = mplan_plan_get_map(plan, map);
    mplan_map view = mesh_map(plan, mesh, map);
    const int32_t *member = members_of(plan, record->from), *place = places_of(plan, record->to);
    for (int64_t i = 1; i < view.n_rows; i++) {
        row_list(&view, member[i - 1], place, &before);
        row_list(&view, member[i], place, &after);
        int c = compare_lists(&before, &after);
        assert_true(c < 0 || (c == 0 && member[i - 1] < member[i]));
    }
}

static void check_first_touch(const mplan_plan *plan, const mplan_mesh *mesh, int32_t map)
{
    const mplan_plan_map *record = mplan_plan_get_map(plan, map);
    int32_t rank[MOST];
    int64_t n = mplan_plan_get_set(plan, record->to)->size;
    first_touch(plan, map, places_of(plan, record->from), mesh, rank);
    assert_memory_equal(rank, places_of(plan, record->to), (size_t)n * sizeof *rank);
}

/* One after the other: a set whose map leads to an ordered set goes by its
 * points, before one that a map of an ordered set leads to goes by first touch. */
static void check_others(const mplan_plan *plan, const mplan_mesh *mesh)
{
    const mplan_plan_loop *loop = primary_of(plan);
    bool known[64] = {false};
    known[loop->set] = true;
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0)
            known[mplan_plan_get_map(plan, loop->args[a].map)->to] = true;
    for (bool more = true; more;) {
        more = false;
        for (int pass = 0; pass < 2 && !more; pass++)
            for (int32_t m = 0; m < mplan_plan_n_maps(plan) && !more; m++) {
                const mplan_plan_map *map = mplan_plan_get_map(plan, m);
                int32_t next = pass ? map->to : map->from, other = pass ? map->from : map->to;
                if (known[next] || !known[other])
                    continue;
                if (pass)
                    check_first_touch(plan, mesh, m);
                else
                    check_by_points(plan, mesh, m);
                known[next] = more = true;
            }
    }
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++)
        for (int64_t i = 0; !known[s] && i < mplan_plan_get_set(plan, s)->size; i++)
            assert_int_equal(places_of(plan, s)[i], i);
}

/* --- blocks ----------------------------------------------------------------------------- */

/* Distinct points of `set` that stored elements [begin, end) touch. */
static int64_t count_points(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t set,
                            int64_t begin, int64_t end)
{
    bool seen[MOST] = {false};
    int64_t count = 0;
    assert_true(mplan_plan_get_set(plan, set)->size <= MOST);
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (loop->args[a].map < 0 || mplan_plan_get_map(plan, loop->args[a].map)->to != set)
            continue;
        mplan_map map = mplan_plan_stored_map(plan, loop->args[a].map);
        for (int64_t e = begin; e < end; e++) {
            int32_t n;
            const int32_t *row = mplan_map_row(&map, e, &n);
            for (int32_t k = 0; k < n; k++)
                if (row[k] >= 0 && !seen[row[k]]) {
                    seen[row[k]] = true;
                    count++;
                }
        }
    }
    return count;
}

/* The set of an arg's dat; -1 when it is direct or an earlier arg names the dat. */
static int32_t staged_set(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t arg)
{
    if (loop->args[arg].map < 0)
        return -1;
    for (int32_t a = 0; a < arg; a++)
        if (loop->args[a].map >= 0 && strcmp(loop->args[a].dat, loop->args[arg].dat) == 0)
            return -1;
    return mplan_plan_get_map(plan, loop->args[arg].map)->to;
}

static bool fits(const mplan_plan *plan, const mplan_plan_loop *loop,
                 const mplan_plan_block_set *limits, int64_t begin, int64_t end)
{
    int64_t bytes = 0;
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++)
        if (count_points(plan, loop, s, begin, end) > limits->max_points)
            return false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        int32_t set = staged_set(plan, loop, a);
        int64_t dat = set < 0 ? 0
                              : count_points(plan, loop, set, begin, end) * loop->args[a].dim *
                                    (int64_t)mplan_type_size(loop->args[a].type);
        bytes += dat % 16 ? dat + 16 - dat % 16 : dat;
    }
    return end - begin <= limits->block_limit && bytes <= limits->shared_bytes;
}

/* Runs of the stored order, each as long as the limits allow: their ends and
 * their pairs of block and point. */
static int64_t greedy_runs(const mplan_plan *plan, const mplan_plan_loop *loop,
                           const mplan_plan_block_set *limits, int64_t *ends, int64_t *n_runs)
{
    int64_t n = mplan_plan_get_set(plan, loop->set)->size, begin = 0, pairs = 0;
    assert_true(n <= MOST);
    *n_runs = 0;
    while (begin < n) {
        int64_t end = begin + 1;
        while (end < n && fits(plan, loop, limits, begin, end + 1))
            end++;
        for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++)
            pairs += count_points(plan, loop, s, begin, end);
        ends[(*n_runs)++] = end;
        begin = end;
    }
    return pairs;
}

static int64_t pairs_of(const mplan_plan *plan, int32_t loop, int32_t block_set)
{
    int64_t pairs = 0;
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(plan, i);
        if (metrics->loop == loop && metrics->block_set == block_set)
            pairs += metrics->pairs;
    }
    return pairs;
}

/* A loop over a set that no earlier loop has cut: its blocks are runs of the
 * stored order or cost less than these. */
static void check_first_cut(const mplan_plan *plan, const mplan_plan_options *options, int32_t b)
{
    int64_t ends[MOST], n_runs;
    const mplan_plan_block_set *blocks = mplan_plan_get_block_set(plan, b);
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, blocks->loop);
    int64_t runs = greedy_runs(plan, loop, blocks, ends, &n_runs);
    int64_t pairs = pairs_of(plan, blocks->loop, b);
    const bool later = loop != primary_of(plan);
    bool is_runs = later ? blocks->partitioner == MPLAN_PARTITIONER_NONE
                         : options->partitioner == MPLAN_PARTITIONER_NONE || deciding_map(loop) < 0;
    if (!later)
        assert_int_equal(blocks->alternative_pairs, -1);
    else if (options->partitioner == MPLAN_PARTITIONER_NONE || deciding_map(loop) < 0)
        assert_int_equal(blocks->alternative_pairs, -1);
    else if (is_runs)
        assert_true(blocks->alternative_pairs >= pairs);
    else
        assert_int_equal(blocks->alternative_pairs, runs);
    if (!is_runs) {
        assert_true(!later || pairs < runs);
        return;
    }
    assert_int_equal(blocks->n_blocks, n_runs);
    assert_int_equal(pairs, runs);
    for (int64_t k = 0; k < n_runs; k++)
        assert_int_equal(offsets_of(plan, b)[k + 1], ends[k]);
}

static void check_cuts(const mplan_plan *plan, const mplan_plan_options *options)
{
    for (int32_t b = 0; b < mplan_plan_n_block_sets(plan); b++) {
        bool first = true;
        for (int32_t k = 0; k < b; k++)
            first = first && mplan_plan_get_block_set(plan, k)->set !=
                                 mplan_plan_get_block_set(plan, b)->set;
        if (first)
            check_first_cut(plan, options, b);
    }
}

static bool writes_by_maps(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

static void check_kept(const mplan_plan *plan, const mplan_plan_options *options)
{
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        bool worse = set->renumber != MPLAN_RENUMBER_NONE && set->profile[1] >= set->profile[0];
        /* blocks that are not coloured follow the renumbered order; atomic adds need none */
        mplan_strategy first = primary_of(plan)->variants[0].strategy;
        bool adds = first == MPLAN_STRATEGY_ATOMIC && writes_by_maps(primary_of(plan));
        bool runs = (options->partitioner == MPLAN_PARTITIONER_NONE ||
                     options->renumber == MPLAN_RENUMBER_AUTO) &&
                    first != MPLAN_STRATEGY_BLOCK_COLOUR && !adds;
        assert_int_equal(set->kept, options->keep_better && worse && !runs);
    }
}

static void plans_follow_the_rules_of_order(void **state)
{
    (void)state;
    int n_done = 0;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    for (uint64_t number = 0; number < 260; number++) {
        static support_request request;
        mplan_error err;
        mplan_plan *plan;
        uint64_t seed = number + 77;
        mplan_mesh *mesh = mesh_of(number);
        support_random_request(&seed, mesh, &request);
        if (mplan_plan_create(mesh, request.n_loops, request.loops, &request.options, &context,
                              &plan, &err) == MPLAN_OK) {
            n_done++;
            check_kept(plan, &request.options);
            check_elements(plan, mesh, &request.options);
            check_points(plan, mesh, &request.options);
            check_others(plan, mesh);
            check_cuts(plan, &request.options);
            mplan_plan_free(plan);
        }
        mplan_mesh_free(mesh);
    }
    assert_true(n_done > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_the_rules_of_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
