/* SPDX-License-Identifier: Apache-2.0 */
/* test_native_bodies.c - bodies of elements that are in no block, found and chosen by definition */
#include "support_test.h"

#include "partition/native/native_bodies.h"

enum { N = 240, N_POINTS = 200, ARITY = 2, HUB = 12, CASES = 100 };

/* Random rows whose points lie near one another, so that there are many bodies; point 0 is a hub in some cases. */
typedef struct case_of {
    int32_t points[N * ARITY], elements[N * ARITY];
    int64_t begin[N_POINTS + 2];
    native_table table;
    int32_t body[N]; /* by definition: the lowest element that it hangs together with; -1: taken */
    uint8_t taken[N];
    int32_t block_size;
} case_of;

static bool share_a_point(const case_of *c, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < ARITY; i++)
        for (int32_t k = 0; k < ARITY; k++) {
            int32_t p = c->points[a * ARITY + i];
            if (p == c->points[b * ARITY + k] && c->begin[p + 1] - c->begin[p] <= HUB)
                return true;
        }
    return false;
}

/* Lowest numbers are handed on until nothing changes. */
static void find_naively(case_of *c)
{
    bool changed = true;
    for (int32_t e = 0; e < N; e++)
        c->body[e] = e;
    while (changed) {
        changed = false;
        for (int32_t a = 0; a < N; a++)
            for (int32_t b = 0; b < N; b++)
                if (c->body[b] < c->body[a] && share_a_point(c, a, b)) {
                    c->body[a] = c->body[b];
                    changed = true;
                }
    }
}

static void open_case(case_of *c, uint64_t *seed)
{
    int32_t reach = 1 + (int32_t)support_random(seed, 4), share = (int32_t)support_random(seed, 4);
    int64_t place[N_POINTS + 1];
    for (int32_t e = 0; e < N; e++)
        for (int32_t k = 0; k < ARITY; k++)
            c->points[e * ARITY + k] = support_random(seed, 9) == 0 && share == 0
                                           ? 0
                                           : (e * 4 / 5 + (int32_t)support_random(seed, reach)) %
                                                 N_POINTS;
    memset(c->begin, 0, sizeof c->begin);
    for (int32_t i = 0; i < N * ARITY; i++)
        c->begin[c->points[i] + 1]++;
    for (int32_t p = 0; p < N_POINTS; p++)
        c->begin[p + 1] += c->begin[p];
    memcpy(place, c->begin, sizeof place);
    for (int32_t i = 0; i < N * ARITY; i++)
        c->elements[place[c->points[i]]++] = i / ARITY;
    c->table = (native_table){.n = N, .n_points = N_POINTS, .arity = ARITY, .points = c->points};
    c->block_size = 1 + (int32_t)support_random(seed, 40);
    find_naively(c);
    for (int32_t e = 0; e < N; e++)
        c->taken[e] = c->body[e] == e ? support_random(seed, 4) < share : c->taken[c->body[e]];
    for (int32_t e = 0; e < N; e++)
        c->body[e] = c->taken[e] ? -1 : c->body[e];
}

static int32_t size_of(const case_of *c, int32_t body)
{
    int32_t size = 0;
    for (int32_t e = 0; e < N; e++)
        size += c->body[e] == body;
    return size;
}

/* Those that are too large for a block count as one size. */
static int32_t rank_of(const case_of *c, int32_t body)
{
    int32_t size = size_of(c, body);
    return size > c->block_size ? c->block_size + 1 : size;
}

/* The lowest body of the largest size that is at most `most`, -1: none. left: which are still there. */
static int32_t largest_naively(const case_of *c, const bool *left, int32_t most)
{
    int32_t best = -1;
    for (int32_t e = 0; e < N; e++)
        if (left[e] && rank_of(c, e) <= most && (best < 0 || rank_of(c, e) > rank_of(c, best)))
            best = e;
    return best;
}

/* What comes next by definition: bodies are put into the room one by one, the largest first. */
static int32_t next_naively(const case_of *c, const bool *left, int32_t room, bool fresh)
{
    bool there[N];
    int32_t first = -1, rest = room < c->block_size ? room : c->block_size;
    memcpy(there, left, sizeof there);
    for (int32_t body; (body = largest_naively(c, there, rest)) >= 0;) {
        first = first < 0 ? body : first;
        rest -= rank_of(c, body);
        there[body] = false;
    }
    bool fills = !fresh && first >= 0 && rest <= c->block_size / 16;
    return fills ? first : largest_naively(c, left, c->block_size + 1);
}

/* All bodies come out, each once, in the order by definition. */
static void bodies_come_in_order(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int64_t filled = 0, hubs = 0;
    for (int32_t i = 0; i < CASES; i += support_every(5)) {
        case_of c;
        native_bodies bodies = {0};
        mplan_error err;
        bool left[N];
        open_case(&c, &seed);
        hubs += c.begin[1] > HUB;
        native_links links = {&c.table, c.begin, c.elements, HUB};
        assert_done(mplan_native_bodies_find(&links, c.taken, c.block_size, &bodies, &err), &err);
        for (int32_t e = 0; e < N; e++)
            left[e] = c.body[e] == e;
        for (;;) {
            int32_t room = 1 + (int32_t)support_random(&seed, c.block_size + 3);
            bool fresh = support_random(&seed, 3) == 0;
            int32_t expected = next_naively(&c, left, room, fresh);
            filled += expected >= 0 && expected != largest_naively(&c, left, c.block_size + 1);
            assert_int_equal(mplan_native_bodies_next(&bodies, room, fresh), expected);
            if (expected < 0)
                break;
            left[expected] = false;
        }
        mplan_native_bodies_free(&bodies);
    }
    assert_true(filled > 0 && hubs > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
