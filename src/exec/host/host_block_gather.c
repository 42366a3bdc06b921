/* SPDX-License-Identifier: Apache-2.0 */
/* host_block_gather.c - blocks from their packed records
 *
 * formats/plan-format.md, section 8. The elements of a block run, their increments
 * are kept, and each point of the block adds its entries in the order of its list.
 * Sums of points that several blocks have go to partial slots, which a
 * second pass adds in the order of the blocks; or by atomic adds; or colour by colour. */
#include <assert.h>
#include <string.h>

#include "exec/host/host.h"
#include "plan/packed.h"

/* A record with its parts at hand. */
typedef struct block_record {
    mplan_record_header header;
    int32_t n_padded;
    const int32_t *points, *partial; /* partial: NULL without */
    const uint16_t *local, *starts, *entries;
} block_record;

/* Views of the parts of a record, which binding has checked. */
static block_record open_record(const mplan_launch_call *call, int64_t block)
{
    const uint8_t *data = call->records + call->record_offsets[block];
    block_record record;
    memcpy(&record.header, data, sizeof record.header);
    const mplan_record_header *header = &record.header;
    record.n_padded = (int32_t)MPLAN_RECORD_ROWS(header->n_elements);
    /* parts are at multiples of 16 from an aligned start */
    record.points = (const int32_t *)(const void *)(data + MPLAN_RECORD_HEADER);
    record.local = (const uint16_t *)(const void *)(data + MPLAN_RECORD_LOCAL(header->n_points));
    record.starts = (const uint16_t *)(const void *)(data + header->starts_at);
    record.entries = (const uint16_t *)(const void *)(data + header->entries_at);
    record.partial = header->partial_at ? (const int32_t *)(const void *)(data + header->partial_at)
                                        : NULL;
    return record;
}

/* Rows of the map of arg a by position: from the record where it has the map, else
 * from the stored map. */
static void resolve_rows(const mplan_exec_loop *bound, int32_t a, const block_record *record,
                         mplan_host_thread *thread)
{
    const mplan_launch_arg *arg = &bound->call.arg[a];
    int32_t arity = bound->kernel->args[a].arity, n = (int32_t)record->header.n_elements;
    for (int32_t i = 0; i < n; i++) {
        int32_t *row = thread->rows[a] + i * arity;
        if (arg->first_local < 0) {
            mplan_host_copy_row(bound, a, thread->elements[i], row);
            continue;
        }
        for (int32_t s = 0; s < arity; s++) {
            int32_t id = record->local[(arg->first_local + s) * record->n_padded + i];
            row[s] = id == MPLAN_NONE16 ? -1 : record->points[id];
        }
    }
}

/* Runs the elements of the block; their increments stay in thread->out, per arg and position one
 * member for each slot. */
static void run_elements(const mplan_exec_loop *bound, const block_record *record,
                         mplan_host_thread *thread)
{
    mplan_host_call call = bound->host;
    int32_t n = (int32_t)record->header.n_elements;
    for (int32_t i = 0; i < n; i++) {
        int64_t position = (int64_t)record->header.first + i;
        thread->elements[i] = bound->call.sequence ? bound->call.sequence[position]
                                                   : (int32_t)position;
    }
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (bound->loop->args[a].map >= 0 && bound->first_of_map[a] == a)
            resolve_rows(bound, a, record, thread);
        call.arg[a].rows = thread->rows[a];
        call.arg[a].out = thread->out[a];
    }
    call.elements = thread->elements;
    call.rows_by_iteration = true;
    call.mode = MPLAN_HOST_STORE;
    bound->kernel->run(&call, 0, n);
}

/* Where the sum of arg a in partial slot `place` is: a slot holds those of all incremented args,
 * 8-byte aligned. */
static char *partial_sum(const mplan_exec_loop *bound, int32_t a, int64_t place)
{
    return bound->call.partial_sums + place * bound->call.partial_bytes +
           bound->call.arg[a].partial_at;
}

/* What the block has for its point k in arg a: the sum goes on its way. */
static void add_point(const mplan_exec_loop *bound, int32_t a, const block_record *record,
                      int32_t k, mplan_host_thread *thread)
{
    const mplan_launch_arg *arg = &bound->call.arg[a];
    const mplan_plan_arg *about = &bound->loop->args[a];
    int32_t arity = bound->kernel->args[a].arity;
    int64_t bytes = mplan_host_member_bytes(bound, a);
    char *sum = thread->sums[a];
    mplan_host_clear(about, sum);
    for (int32_t j = record->starts[k]; j < record->starts[k + 1]; j++) {
        int32_t slot = record->entries[j] / record->n_padded - arg->first_column;
        int32_t i = record->entries[j] % record->n_padded;
        if (slot >= 0 && slot < arity)
            mplan_host_add(about, sum, 1, (const char *)thread->out[a] + (i * arity + slot) * bytes);
    }
    if (record->partial && record->partial[k] >= 0)
        memcpy(partial_sum(bound, a, record->partial[k]), sum, (size_t)bytes);
    else if (bound->call.sums == MPLAN_SUMS_ATOMIC && bound->n_threads > 1)
        mplan_host_add_point(bound, a, record->points[k], sum, true);
    else
        mplan_host_put_point(bound, a, record->points[k], sum, true);
}

/* Sums of each point in the order of its entries. */
static void run_block(const mplan_exec_loop *bound, int64_t block, mplan_host_thread *thread)
{
    block_record record = open_record(&bound->call, block);
    run_elements(bound, &record, thread);
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        for (int32_t k = 0; k < (int32_t)record.header.n_points; k++)
            if (record.starts[k] < record.starts[k + 1])
                add_point(bound, a, &record, k, thread);
    }
}

/* Sum number i of the second pass, its slots in their order. sum: one member of
 * the dat. */
static void add_partial_sums(const mplan_exec_loop *bound, int32_t a, int64_t i, char *sum)
{
    const mplan_launch_call *call = &bound->call;
    const mplan_plan_arg *about = &bound->loop->args[a];
    mplan_host_clear(about, sum);
    for (int64_t slot = call->partial_offsets[i]; slot < call->partial_offsets[i + 1]; slot++)
        mplan_host_add(about, sum, 1, partial_sum(bound, a, slot));
    mplan_host_put_point(bound, a, call->partial_points[i], sum, true);
}

typedef struct launch {
    const mplan_exec_loop *bound;
    int64_t first; /* of its blocks */
    int32_t arg;   /* whose partial sums are added */
} launch;

/* Blocks [begin, end) of the launch. */
static void run_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const launch *work = data;
    const int32_t *list = work->bound->call.list;
    for (int64_t i = work->first + begin; i < work->first + end; i++)
        run_block(work->bound, list ? list[i] : i, &work->bound->thread[thread]);
}

/* Shared points [begin, end): each is added by one thread, so that no atomic adds are needed. */
static void add_sums(void *data, int thread, int64_t begin, int64_t end)
{
    const launch *work = data;
    for (int64_t i = begin; i < end; i++)
        add_partial_sums(work->bound, work->arg, i, work->bound->thread[thread].sums[work->arg]);
}

/* Blocks [begin, end) of the list, or of all blocks where there is none, by threads. */
static void run_launch(mplan_exec_loop *bound, int64_t begin, int64_t end)
{
    launch work = {.bound = bound, .first = begin};
    mplan_host_for(bound, end - begin, MPLAN_HOST_BLOCKS, run_blocks, &work);
}

/* With partial sums a second pass follows, when the rest is launched, else sums are added by colour or
 * atomically. */
void mplan_host_block_gather(mplan_exec_loop *bound)
{
    assert(bound);
    const mplan_launch_call *call = &bound->call;
    if (call->sums == MPLAN_SUMS_COLOUR) {
        for (int64_t k = 0, begin, end; k < call->n_launches; k++)
            if (mplan_host_clip(call, k, &begin, &end))
                run_launch(bound, begin, end);
        return;
    }
    run_launch(bound, call->first, call->end);
    if (call->sums != MPLAN_SUMS_PARTIAL || !call->rest)
        return;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        if (!mplan_exec_increments(bound->loop, a))
            continue;
        launch work = {.bound = bound, .arg = a};
        mplan_host_for(bound, call->n_partial_points, MPLAN_HOST_POINTS, add_sums, &work);
    }
}
