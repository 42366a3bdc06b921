/* SPDX-License-Identifier: Apache-2.0 */
/* support_interleave.c - tasks and their steps, in any order */
#include "support_interleave.h"

#include "plan/plan.h"

enum { MEMBERS = 16, ARGS = 6, SLOTS = 4, TASKS = 96, STEPS = 96, RUNS = 24 };

/* What a step does; sums are the task's, one for each arg. */
typedef enum step_kind {
    READ,      /* a slot into the run */
    WRITE,     /* the run's result into a place */
    LOAD,      /* a place into the task */
    STORE,     /* what was loaded, plus the run's result */
    ADD,       /* the run's result, in one step */
    KEEP,      /* the run's result, for others to sum */
    SUM_RUN,   /* the run's result, into the task's sum */
    SUM_KEPT,  /* what an element kept */
    SUM_PART,  /* the partial sum of a block */
    STORE_SUM, /* what was loaded, plus the sum */
    ADD_SUM,   /* the sum, in one step */
    PUT_PART   /* the sum, as the block's partial sum */
} step_kind;

typedef struct step {
    step_kind kind;
    int run, arg, slot, point; /* point: place in the arg's dat; of SUM_KEPT the element */
} step;

typedef struct task {
    int phase, block, stage; /* begins when those of earlier phases, and of earlier stages of the
                              * block, have ended */
    int n_steps, at, n_runs;
    step steps[STEPS];
    int element[RUNS];                /* of each run */
    uint64_t seen[RUNS][ARGS][SLOTS]; /* what it read */
    uint64_t loaded, sum[ARGS];
} task;

typedef struct machine {
    const mplan_plan *plan;
    const mplan_plan_loop *loop;
    int n_elements, n_points[ARGS], dat[ARGS]; /* dat: first arg that names the same */
    uint64_t memory[ARGS][MEMBERS], kept[MEMBERS][ARGS][SLOTS], part[MEMBERS][ARGS][MEMBERS];
    int n_tasks;
    task tasks[TASKS];
} machine;

static bool reads(const mplan_plan_arg *arg)
{
    return arg->access == MPLAN_READ || arg->access == MPLAN_RW;
}

static int slots_of(const machine *m, int a)
{
    return m->loop->args[a].map < 0 ? 1 : m->plan->maps[m->loop->args[a].map].arity;
}

/* The place that a slot of an element leads to; -1: none. */
static int place_of_slot(const machine *m, int e, int a, int s)
{
    int32_t map = m->loop->args[a].map;
    if (map < 0)
        return e;
    mplan_map stored = mplan_plan_stored_map(m->plan, map);
    return stored.values[e * stored.arity + s];
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ (x >> 29);
}

/* Result of an element for a slot of an arg, from all that it read. */
static uint64_t result(const machine *m, int e, uint64_t seen[ARGS][SLOTS], int arg, int slot)
{
    uint64_t h = mix((uint64_t)(e * 64 + arg * 8 + slot + 1));
    for (int a = 0; a < m->loop->n_args; a++)
        for (int s = 0; reads(&m->loop->args[a]) && s < slots_of(m, a); s++)
            h = mix(h + seen[a][s] * 3 + 1);
    return h;
}

static void start(machine *m, const mplan_plan *plan)
{
    memset(m, 0, sizeof *m);
    m->plan = plan;
    m->loop = &plan->loops[0];
    m->n_elements = (int)plan->sets[m->loop->set].storage_size;
    assert_in_range(m->loop->n_args, 1, ARGS);
    for (int a = 0; a < m->loop->n_args; a++) {
        int32_t map = m->loop->args[a].map;
        m->n_points[a] = map < 0 ? m->n_elements : (int)plan->sets[plan->maps[map].to].storage_size;
        assert_in_range(m->n_points[a], 0, MEMBERS);
        while (strcmp(m->loop->args[m->dat[a]].dat, m->loop->args[a].dat) != 0)
            m->dat[a]++;
        for (int p = 0; p < m->n_points[a]; p++)
            m->memory[m->dat[a]][p] = mix((uint64_t)(m->dat[a] * 100 + p + 7));
    }
}

/* --- one after the other ------------------------------------------------------------ */

static void run_element(machine *m, int e)
{
    uint64_t seen[ARGS][SLOTS] = {{0}};
    for (int a = 0; a < m->loop->n_args; a++)
        for (int s = 0; s < slots_of(m, a); s++)
            if (reads(&m->loop->args[a]) && place_of_slot(m, e, a, s) >= 0)
                seen[a][s] = m->memory[m->dat[a]][place_of_slot(m, e, a, s)];
    for (int a = 0; a < m->loop->n_args; a++)
        for (int s = 0; s < slots_of(m, a); s++) {
            int p = place_of_slot(m, e, a, s);
            if (p < 0 || m->loop->args[a].access == MPLAN_READ)
                continue;
            uint64_t *to = &m->memory[m->dat[a]][p], value = result(m, e, seen, a, s);
            *to = m->loop->args[a].access == MPLAN_INC ? *to + value : value;
        }
}

/* --- tasks --------------------------------------------------------------------------- */

static task *add_task(machine *m, int phase, int block, int stage)
{
    assert_in_range(m->n_tasks, 0, TASKS - 1);
    task *t = &m->tasks[m->n_tasks++];
    t->phase = phase;
    t->block = block;
    t->stage = stage;
    return t;
}

static void add_step(task *t, step_kind kind, int run, int arg, int slot, int point)
{
    assert_in_range(t->n_steps, 0, STEPS - 1);
    t->steps[t->n_steps++] = (step){kind, run, arg, slot, point};
}

/* How an element's increments through maps are added. */
typedef enum inc_mode { IN_TWO_STEPS, AT_ONCE, KEPT, DROPPED } inc_mode;

/* A run of element e within a task. Returns its number. */
static int add_run(machine *m, task *t, int e, inc_mode mode, bool keep_direct)
{
    int run = t->n_runs++;
    assert_in_range(run, 0, RUNS - 1);
    t->element[run] = e;
    for (int a = 0; a < m->loop->n_args; a++)
        for (int s = 0; s < slots_of(m, a); s++)
            if (reads(&m->loop->args[a]) && place_of_slot(m, e, a, s) >= 0)
                add_step(t, READ, run, a, s, place_of_slot(m, e, a, s));
    for (int a = 0; a < m->loop->n_args; a++)
        for (int s = 0; s < slots_of(m, a); s++) {
            const mplan_plan_arg *arg = &m->loop->args[a];
            int p = place_of_slot(m, e, a, s);
            if (p < 0 || arg->access == MPLAN_READ || (arg->map < 0 && keep_direct))
                continue;
            if (arg->access != MPLAN_INC) {
                add_step(t, WRITE, run, a, s, p);
            } else if (arg->map < 0 || mode == IN_TWO_STEPS) {
                add_step(t, LOAD, run, a, s, p);
                add_step(t, STORE, run, a, s, p);
            } else if (mode == AT_ONCE) {
                add_step(t, ADD, run, a, s, p);
            } else if (mode == KEPT) {
                add_step(t, KEEP, run, a, s, p);
            }
        }
    return run;
}

static bool increments(const machine *m, int a)
{
    return m->loop->args[a].map >= 0 && m->loop->args[a].access == MPLAN_INC;
}

/* Steps that sum what elements [from list] kept for a point; false without any. */
static bool sum_kept(machine *m, task *t, int a, int p, const int32_t *elements, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < slots_of(m, a); s++)
            if (place_of_slot(m, elements[i], a, s) == p) {
                add_step(t, SUM_KEPT, 0, a, s, elements[i]);
                any = true;
            }
    return any;
}

typedef enum sum_mode { SUM_STORED, SUM_AT_ONCE, SUM_PARTIAL } sum_mode;

/* Tasks that add what the elements kept: one for each point of a dat, which takes the args of the dat
 * one after the other. `shared`: per point, whether other blocks have it, too (SUM_PARTIAL). */
static void add_gathers(machine *m, int phase, int block, int stage, const int32_t *elements, int n,
                        sum_mode mode, bool shared[MEMBERS])
{
    for (int dat = 0; dat < m->loop->n_args; dat++)
        for (int p = 0; p < m->n_points[dat] && m->dat[dat] == dat; p++) {
            task *t = add_task(m, phase, block, stage);
            for (int a = dat; a < m->loop->n_args; a++) {
                if (m->dat[a] != dat || !increments(m, a) || !sum_kept(m, t, a, p, elements, n))
                    continue;
                if (mode == SUM_AT_ONCE) {
                    add_step(t, ADD_SUM, 0, a, 0, p);
                } else if (mode == SUM_PARTIAL && shared[p]) {
                    add_step(t, PUT_PART, 0, a, 0, p);
                } else {
                    add_step(t, LOAD, 0, a, 0, p);
                    add_step(t, STORE_SUM, 0, a, 0, p);
                }
            }
        }
}

/* --- the plan's tables ------------------------------------------------------------------ */

static const void *table(const machine *m, mplan_kind kind, int32_t v, mplan_type type)
{
    return mplan_plan_data(m->plan, mplan_key_of_variant(kind, 0, v), type, NULL);
}

/* Elements of block b, in the order of positions; returns how many. */
static int elements_of(const machine *m, int b, int32_t *list, const int64_t **positions)
{
    int32_t set = m->loop->variants[1].block_set;
    const int64_t *offsets = mplan_plan_data(m->plan,
                                             mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, set),
                                             MPLAN_TYPE_I64, NULL);
    const int32_t *sequence = mplan_plan_data(m->plan,
                                              mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, set),
                                              MPLAN_TYPE_I32, NULL);
    *positions = offsets + b;
    for (int64_t i = offsets[b]; i < offsets[b + 1]; i++)
        list[i - offsets[b]] = sequence ? sequence[i] : (int32_t)i;
    return (int)(offsets[b + 1] - offsets[b]);
}

/* --- strategies: tasks, and the elements in the order of a serial run ---------------------- */

static int every_element(const machine *m, int32_t *order)
{
    for (int e = 0; e < m->n_elements; e++)
        order[e] = e;
    return m->n_elements;
}

static int by_global_colour(machine *m, int32_t *order)
{
    const int64_t *offsets = table(m, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, 0, MPLAN_TYPE_I64);
    const int32_t *launch = table(m, MPLAN_KIND_GLOBAL_LAUNCH, 0, MPLAN_TYPE_I32);
    for (int c = 0; c < (int)m->loop->variants[0].global_colours; c++)
        for (int64_t i = offsets[c]; i < offsets[c + 1]; i++) {
            add_run(m, add_task(m, c, (int)i, 0), launch[i], IN_TWO_STEPS, false);
            order[i] = launch[i];
        }
    return m->n_elements;
}

/* Block-gather with sums by colour runs the same launches. */
static int by_block_colour(machine *m, support_way way, int32_t *order)
{
    const int64_t *offsets = table(m, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, 1, MPLAN_TYPE_I64);
    const int32_t *launch = table(m, MPLAN_KIND_BLOCK_LAUNCH, 1, MPLAN_TYPE_I32);
    const uint16_t *colour = table(m, MPLAN_KIND_THREAD_COLOURS, 1, MPLAN_TYPE_U16);
    bool by_thread = way.strategy == MPLAN_STRATEGY_BLOCK_COLOUR, late = way.late || !by_thread;
    int n_order = 0;
    for (int c = 0; c < (int)m->loop->variants[1].block_colours; c++)
        for (int64_t k = offsets[c]; k < offsets[c + 1]; k++) {
            int32_t list[MEMBERS];
            const int64_t *first;
            int n = elements_of(m, launch[k], list, &first);
            for (int stage = 0; stage < (by_thread ? MEMBERS : 1); stage++)
                for (int i = 0; i < n; i++)
                    if (!by_thread || colour[*first + i] == stage) {
                        add_run(m, add_task(m, c, launch[k], stage), list[i],
                                late ? KEPT : IN_TWO_STEPS, false);
                        order[n_order++] = list[i];
                    }
            if (late)
                add_gathers(m, c, launch[k], MEMBERS, list, n, SUM_STORED, NULL);
        }
    return n_order;
}

static int by_two_steps(machine *m, int32_t *order)
{
    int n = every_element(m, order);
    for (int e = 0; e < n; e++)
        add_run(m, add_task(m, 0, e, 0), e, KEPT, false);
    /* one array of results after the other */
    for (int a = 0; a < m->loop->n_args; a++)
        for (int p = 0; increments(m, a) && p < m->n_points[a]; p++) {
            task *t = add_task(m, 1 + a, p, 0);
            sum_kept(m, t, a, p, order, n);
            add_step(t, LOAD, 0, a, 0, p);
            add_step(t, STORE_SUM, 0, a, 0, p);
        }
    return n;
}

static int by_atomics(machine *m, int32_t *order)
{
    int n = every_element(m, order);
    for (int e = 0; e < n; e++)
        add_run(m, add_task(m, 0, e, 0), e, AT_ONCE, false);
    return n;
}

/* Whether more than one block increments a point, through any map. */
static void find_shared(const machine *m, int n_blocks, bool shared[MEMBERS])
{
    int owner[MEMBERS];
    memset(owner, -1, sizeof owner);
    for (int b = 0; b < n_blocks; b++) {
        int32_t list[MEMBERS];
        const int64_t *first;
        int n = elements_of(m, b, list, &first);
        for (int a = 0; a < m->loop->n_args; a++)
            for (int i = 0; i < n * slots_of(m, a) && increments(m, a); i++) {
                int p = place_of_slot(m, list[i / slots_of(m, a)], a, i % slots_of(m, a));
                if (p < 0)
                    continue;
                shared[p] = shared[p] || (owner[p] >= 0 && owner[p] != b);
                owner[p] = b;
            }
    }
}

static int by_block_gather(machine *m, support_way way, int32_t *order)
{
    if (way.sums == MPLAN_SUMS_COLOUR)
        return by_block_colour(m, way, order);
    bool shared[MEMBERS] = {false};
    int n_blocks = (int)m->plan->block_sets[m->loop->variants[1].block_set].n_blocks;
    find_shared(m, n_blocks, shared);
    for (int b = 0; b < n_blocks; b++) {
        int32_t list[MEMBERS];
        const int64_t *first;
        int n = elements_of(m, b, list, &first);
        for (int i = 0; i < n; i++)
            add_run(m, add_task(m, 0, b, 0), list[i], KEPT, false);
        add_gathers(m, 0, b, 1, list, n, way.sums == MPLAN_SUMS_ATOMIC ? SUM_AT_ONCE : SUM_PARTIAL,
                    shared);
    }
    for (int a = 0; a < m->loop->n_args && way.sums == MPLAN_SUMS_PARTIAL; a++)
        for (int p = 0; increments(m, a) && p < m->n_points[a]; p++) {
            task *t = add_task(m, 1 + a, p, 0);
            for (int b = 0; b < n_blocks && shared[p]; b++)
                add_step(t, SUM_PART, b, a, 0, p);
            add_step(t, LOAD, 0, a, 0, p);
            add_step(t, STORE_SUM, 0, a, 0, p);
        }
    return every_element(m, order);
}

/* The first slot with a point, over the args that increment. */
static bool is_first_column(const machine *m, int e, int arg, int slot)
{
    for (int a = 0; a <= arg; a++)
        for (int s = 0; increments(m, a) && s < slots_of(m, a); s++) {
            if (a == arg && s == slot)
                return true;
            if (place_of_slot(m, e, a, s) >= 0)
                return false;
        }
    return true;
}

static int by_owners(machine *m, support_way way, int32_t *order)
{
    int most = 0;
    for (int a = 0; a < m->loop->n_args; a++)
        most = increments(m, a) && m->n_points[a] > most ? m->n_points[a] : most;
    for (int p = 0; p < most; p++) {
        task *t = add_task(m, 0, p, 0);
        for (int e = 0; e < m->n_elements; e++)
            for (int a = 0; a < m->loop->n_args; a++)
                for (int s = 0; increments(m, a) && s < slots_of(m, a); s++)
                    if (place_of_slot(m, e, a, s) == p) {
                        int run = add_run(m, t, e, DROPPED, way.late && !is_first_column(m, e, a, s));
                        add_step(t, SUM_RUN, run, a, s, p);
                    }
        for (int a = 0; a < m->loop->n_args; a++)
            if (increments(m, a) && t->n_runs) {
                add_step(t, LOAD, 0, a, 0, p);
                add_step(t, STORE_SUM, 0, a, 0, p);
            }
    }
    return every_element(m, order);
}

static int make_tasks(machine *m, support_way way, int32_t *order)
{
    switch (way.strategy) {
    case MPLAN_STRATEGY_GLOBAL_COLOUR: return by_global_colour(m, order);
    case MPLAN_STRATEGY_BLOCK_COLOUR: return by_block_colour(m, way, order);
    case MPLAN_STRATEGY_TWO_STEP: return by_two_steps(m, order);
    case MPLAN_STRATEGY_ATOMIC: return by_atomics(m, order);
    case MPLAN_STRATEGY_BLOCK_GATHER: return by_block_gather(m, way, order);
    default: return by_owners(m, way, order);
    }
}

/* --- steps in some order ----------------------------------------------------------------- */

static void take_step(machine *m, task *t)
{
    const step *one = &t->steps[t->at++];
    int a = one->arg, s = one->slot;
    uint64_t *place = &m->memory[m->dat[a]][one->point];
    int e = t->element[one->run < RUNS ? one->run : 0];
    switch (one->kind) {
    case READ: t->seen[one->run][a][s] = *place; break;
    case WRITE: *place = result(m, e, t->seen[one->run], a, s); break;
    case LOAD: t->loaded = *place; break;
    case STORE: *place = t->loaded + result(m, e, t->seen[one->run], a, s); break;
    case ADD: *place += result(m, e, t->seen[one->run], a, s); break;
    case KEEP: m->kept[e][a][s] = result(m, e, t->seen[one->run], a, s); break;
    case SUM_RUN: t->sum[a] += result(m, e, t->seen[one->run], a, s); break;
    case SUM_KEPT: t->sum[a] += m->kept[one->point][a][s]; break;
    case SUM_PART: t->sum[a] += m->part[one->run][a][one->point]; break;
    case STORE_SUM: *place = t->loaded + t->sum[a]; break;
    case ADD_SUM: *place += t->sum[a]; break;
    case PUT_PART: m->part[t->block][a][one->point] = t->sum[a]; break;
    }
}

static bool has_ended(const task *t)
{
    return t->at == t->n_steps;
}

/* Tasks that may take their next step; returns how many. */
static int find_ready(const machine *m, int *ready)
{
    int phase = 1 << 30, n = 0, stage[MEMBERS];
    for (int i = 0; i < MEMBERS; i++)
        stage[i] = 1 << 30;
    for (int i = 0; i < m->n_tasks; i++)
        if (!has_ended(&m->tasks[i]) && m->tasks[i].phase < phase)
            phase = m->tasks[i].phase;
    for (int i = 0; i < m->n_tasks; i++) {
        const task *t = &m->tasks[i];
        if (!has_ended(t) && t->phase == phase && t->stage < stage[t->block])
            stage[t->block] = t->stage;
    }
    for (int i = 0; i < m->n_tasks; i++) {
        const task *t = &m->tasks[i];
        if (!has_ended(t) && t->phase == phase && t->stage == stage[t->block])
            ready[n++] = i;
    }
    return n;
}

/* Order 0: first task first; 1: last first; odd ones: any step; even ones: one task halts after
 * some steps, until nothing else can go on. */
static void run_tasks(machine *m, int order, uint64_t *seed)
{
    int ready[TASKS], n, halted = -1, left = 0;
    if (order > 1 && order % 2 == 0) {
        halted = (int)support_random(seed, m->n_tasks);
        left = (int)support_random(seed, m->tasks[halted].n_steps + 1);
    }
    bool back = order == 1 || (order > 1 && support_random(seed, 2));
    while ((n = find_ready(m, ready)) > 0) {
        int k = back ? n - 1 : 0;
        if (order > 1 && order % 2)
            k = (int)support_random(seed, n);
        if (ready[k] == halted && left-- <= 0 && n > 1)
            k = k > 0 ? k - 1 : 1;
        take_step(m, &m->tasks[ready[k]]);
    }
}

bool support_interleave(const mplan_plan *plan, support_way way, int n_orders, uint64_t *seed)
{
    static machine fresh, serial, mixed;
    int32_t order[MEMBERS];
    start(&fresh, plan);
    int n = make_tasks(&fresh, way, order);
    assert_int_equal(n, fresh.n_elements);
    start(&serial, plan);
    for (int i = 0; i < n; i++)
        run_element(&serial, order[i]);
    for (int i = 0; i < n_orders; i++) {
        mixed = fresh;
        run_tasks(&mixed, i, seed);
        if (memcmp(mixed.memory, serial.memory, sizeof mixed.memory) != 0)
            return false;
    }
    return true;
}
