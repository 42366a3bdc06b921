/* bind_check.c - every index in the tables of a variant stays inside what it indexes
 *
 * Plan files are checked for their shape when they are read, and what their tables say is
 * proved by `meshplan verify`, which not everybody runs. Walkers and kernels follow
 * indices without looking; so binding looks once, at the tables that this variant's
 * launches read. A wrong table may still give wrong sums, never an access elsewhere. */
#include "base/error.h"
#include "base/parallel.h"
#include "exec/exec.h"

enum { NO_LOCAL = 65535, SLICE = 32, WINDOW = 256, HEADER = 8, STRIP = 4096 };

typedef struct bind_check {
    const mplan_exec_loop *bound;
    const mplan_plan *plan;
    int threads;
    mplan_error *err;
} bind_check;

static mplan_status wrong(const bind_check *check, mplan_key key, int64_t place)
{
    return mplan_fail(check->err, MPLAN_ERR_CORRUPT,
                      "the plan's table %s is wrong at place %lld (loop %s, variant %d); meshplan "
                      "verify says more",
                      mplan_kind_name(key.kind), (long long)place, check->bound->loop->name,
                      (int)check->bound->v);
}

/* The data of an array and how many numbers it has; NULL, with MPLAN_ERR_CORRUPT in err,
 * when it is absent. */
static const void *find(const bind_check *check, mplan_key key, mplan_type type, int64_t *n)
{
    static const int64_t nothing;
    const mplan_array *array = mplan_plan_find_array(check->plan, &key);
    if (!array || array->type != type) {
        mplan_fail(check->err, MPLAN_ERR_CORRUPT, "the plan lacks the table %s",
                   mplan_kind_name(key.kind));
        return NULL;
    }
    *n = array->rows * array->cols;
    return *n > 0 ? array->data : &nothing;
}

/* --- ranges -------------------------------------------------------------------- */

/* Whether some of n numbers leave [low, high). */
static bool leaves_range(const int32_t *value, int64_t n, int32_t low, uint32_t length)
{
    uint32_t outside = 0;
    for (int64_t i = 0; i < n; i++)
        outside |= (uint32_t)value[i] - (uint32_t)low >= length;
    return outside != 0;
}

/* All numbers of an i32 array stand in [low, high). */
static mplan_status check_ids(const bind_check *check, mplan_key key, int32_t low, int64_t high)
{
    int64_t n, bad;
    const int32_t *value = find(check, key, MPLAN_TYPE_I32, &n);
    const uint32_t length = (uint32_t)(high - low);
    if (!value)
        return MPLAN_ERR_CORRUPT;
    bad = n;
#pragma omp parallel for schedule(static) num_threads(check->threads) reduction(min : bad)
    for (int64_t first = 0; first < n; first += STRIP) {
        int64_t rest = n - first < STRIP ? n - first : STRIP;
        if (leaves_range(value + first, rest, low, length))
            bad = first < bad ? first : bad;
    }
    while (bad < n && !leaves_range(value + bad, 1, low, length))
        bad++;
    return bad < n ? wrong(check, key, bad) : MPLAN_OK;
}

/* Offsets run from 0 to `end` without turning back; at most `most` each. */
static mplan_status check_offsets(const bind_check *check, mplan_key key, int64_t end, int64_t most)
{
    int64_t n, bad;
    const int64_t *offset = find(check, key, MPLAN_TYPE_I64, &n);
    if (!offset)
        return MPLAN_ERR_CORRUPT;
    if (n < 1 || offset[0] != 0)
        return wrong(check, key, 0);
    if (offset[n - 1] != end)
        return wrong(check, key, n - 1);
    bad = n;
#pragma omp parallel for schedule(static) num_threads(check->threads) reduction(min : bad)
    for (int64_t i = 1; i < n; i++)
        if (offset[i - 1] < 0 || offset[i] > end || offset[i] < offset[i - 1] ||
            offset[i] - offset[i - 1] > most)
            bad = i < bad ? i : bad;
    return bad < n ? wrong(check, key, bad) : MPLAN_OK;
}

static mplan_key variant_key(const bind_check *check, mplan_kind kind)
{
    return mplan_key_of_variant(kind, check->bound->l, check->bound->v);
}

static int64_t places(const bind_check *check, int32_t set)
{
    return mplan_plan_get_set(check->plan, set)->storage_size;
}

/* --- maps, launches, blocks -------------------------------------------------------- */

static mplan_status check_maps(const bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && status == MPLAN_OK; a++)
        if (loop->args[a].map >= 0 && check->bound->first_of_map[a] == a)
            status = check_ids(check, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, loop->args[a].map), -1,
                               places(check, mplan_plan_get_map(check->plan, loop->args[a].map)->to));
    return status;
}

static mplan_status check_launches(const bind_check *check, mplan_kind offsets, mplan_kind list,
                                   int64_t n)
{
    mplan_key key = variant_key(check, list);
    const mplan_array *array = mplan_plan_find_array(check->plan, &key);
    mplan_status status = check_offsets(check, variant_key(check, offsets), array ? array->rows : 0,
                                        INT64_MAX);
    return status == MPLAN_OK ? check_ids(check, key, 0, n) : status;
}

/* Blocks cut all positions; *most gets the positions of the largest, which holes may
 * bring above the block limit. */
static mplan_status check_blocks(const bind_check *check, const int64_t **offsets, int64_t *n_blocks,
                                 int64_t *most)
{
    int32_t b = check->bound->chosen->block_set;
    if (b < 0)
        return mplan_fail(check->err, MPLAN_ERR_CORRUPT, "variant %d of loop %s has no blocks",
                          (int)check->bound->v, check->bound->loop->name);
    const mplan_plan_block_set *blocks = mplan_plan_get_block_set(check->plan, b);
    const mplan_plan_set *set = mplan_plan_get_set(check->plan, blocks->set);
    const mplan_key key = mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b);
    int64_t positions = blocks->sequence ? set->size : set->storage_size, rows;
    mplan_status status = check_offsets(check, key, blocks->n_blocks ? positions : 0, INT32_MAX / 64);
    if (status == MPLAN_OK && blocks->sequence)
        status = check_ids(check, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b), 0,
                           set->storage_size);
    if (status != MPLAN_OK)
        return status;
    *offsets = find(check, key, MPLAN_TYPE_I64, &rows);
    *n_blocks = blocks->n_blocks;
    for (int64_t k = 0; k < *n_blocks; k++)
        if ((*offsets)[k + 1] - (*offsets)[k] > *most)
            *most = (*offsets)[k + 1] - (*offsets)[k];
    return MPLAN_OK;
}

/* --- block-colour ------------------------------------------------------------------- */

/* Places of the points of a block, by every map of the loop. */
static mplan_status check_locals(const bind_check *check, int32_t a, const int64_t *offsets,
                                 int64_t n_blocks)
{
    const mplan_plan_map *map = mplan_plan_get_map(check->plan, check->bound->loop->args[a].map);
    const int32_t l = check->bound->l, b = check->bound->chosen->block_set;
    const mplan_key begin_key =
        mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, b, l, map->to);
    const mplan_key points_key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, b, l, map->to);
    const mplan_key local_key = mplan_key_of_block_local(b, l, check->bound->loop->args[a].map);
    const mplan_array *points = mplan_plan_find_array(check->plan, &points_key);
    int64_t most = 0, rows, bad = INT64_MAX;
    for (int32_t i = 0; i < mplan_plan_n_metrics(check->plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(check->plan, i);
        if (metrics->loop == l && metrics->block_set == b && metrics->set == map->to)
            most = metrics->points_max;
    }
    mplan_status status = check_offsets(check, begin_key, points ? points->rows : 0, most);
    if (status == MPLAN_OK)
        status = check_ids(check, points_key, 0, places(check, map->to));
    if (status != MPLAN_OK)
        return status;
    const int64_t *begin = find(check, begin_key, MPLAN_TYPE_I64, &rows);
    const uint16_t *local = find(check, local_key, MPLAN_TYPE_U16, &rows);
    if (!begin || !local)
        return MPLAN_ERR_CORRUPT;
#pragma omp parallel for schedule(static) num_threads(check->threads) reduction(min : bad)
    for (int64_t k = 0; k < n_blocks; k++)
        for (int64_t i = offsets[k] * map->arity; i < offsets[k + 1] * map->arity; i++)
            if (local[i] != NO_LOCAL && local[i] >= begin[k + 1] - begin[k])
                bad = i < bad ? i : bad;
    return bad < INT64_MAX ? wrong(check, local_key, bad) : MPLAN_OK;
}

static mplan_status check_thread_colours(const bind_check *check, const int64_t *offsets,
                                         int64_t n_blocks)
{
    const mplan_key key = variant_key(check, MPLAN_KIND_THREAD_COLOURS);
    const mplan_key count_key = variant_key(check, MPLAN_KIND_BLOCK_THREAD_COLOURS);
    int64_t rows;
    const uint16_t *colour = find(check, key, MPLAN_TYPE_U16, &rows);
    const uint16_t *count = find(check, count_key, MPLAN_TYPE_U16, &rows);
    if (!colour || !count)
        return MPLAN_ERR_CORRUPT;
    for (int64_t k = 0; k < n_blocks; k++) {
        if (count[k] > offsets[k + 1] - offsets[k])
            return wrong(check, count_key, k);
        for (int64_t i = offsets[k]; i < offsets[k + 1]; i++)
            if (colour[i] != NO_LOCAL && colour[i] >= count[k])
                return wrong(check, key, i);
    }
    return MPLAN_OK;
}

static mplan_status check_block_colour(const bind_check *check, int64_t *most)
{
    const mplan_plan_loop *loop = check->bound->loop;
    const int64_t *offsets = NULL;
    int64_t n_blocks = 0;
    mplan_status status = check_blocks(check, &offsets, &n_blocks, most);
    if (status == MPLAN_OK)
        status = check_launches(check, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH,
                                n_blocks);
    if (status == MPLAN_OK)
        status = check_thread_colours(check, offsets, n_blocks);
    for (int32_t a = 0; a < loop->n_args && status == MPLAN_OK; a++)
        if (loop->args[a].map >= 0 && check->bound->first_of_map[a] == a)
            status = check_locals(check, a, offsets, n_blocks);
    return status;
}

/* --- two-step -------------------------------------------------------------------------- */

static mplan_status check_gathers(const bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && status == MPLAN_OK; a++) {
        if (!mplan_exec_increments(loop, a))
            continue;
        const int32_t map = loop->args[a].map;
        const mplan_key key = mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, check->bound->l, map);
        const int64_t most = mplan_plan_get_map(check->plan, map)->n_entries;
        int64_t n;
        const int64_t *slot = find(check, key, MPLAN_TYPE_I64, &n);
        if (!slot)
            return MPLAN_ERR_CORRUPT;
        status = check_offsets(
            check, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, check->bound->l, map), n,
            INT64_MAX);
        for (int64_t i = 0; i < n && status == MPLAN_OK; i++)
            if (slot[i] < 0 || slot[i] >= most)
                status = wrong(check, key, i);
    }
    return status;
}

/* --- block-gather ------------------------------------------------------------------------ */

typedef struct record_view {
    int64_t n, n_padded, n_points, n_entries;
    const int32_t *points, *partial;
    const uint16_t *local, *starts, *entries;
} record_view;

static int64_t whole_lines(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Whether a record of `bytes` bytes is one of n positions from `first`. */
static bool open_record(const bind_check *check, const uint8_t *record, int64_t bytes, int64_t first,
                        int64_t n, record_view *out)
{
    const mplan_device_call *call = &check->bound->call;
    const uint32_t *header = (const uint32_t *)(const void *)record; /* aligned to 16 */
    const bool partial = call->sums == MPLAN_SUMS_PARTIAL;
    if (bytes < HEADER * 4)
        return false;
    *out = (record_view){n, (n + 7) / 8 * 8, header[2], header[7], NULL, NULL, NULL, NULL, NULL};
    if (header[0] != bytes || header[1] != n || header[3] != first || out->n_points > NO_LOCAL ||
        out->n_entries > NO_LOCAL)
        return false;
    int64_t local = HEADER * 4 + whole_lines(4 * out->n_points);
    int64_t starts = local + whole_lines(2 * out->n_padded * call->local_columns);
    int64_t entries = starts + whole_lines(2 * (out->n_points + 1));
    int64_t sums = entries + whole_lines(2 * out->n_entries);
    if (header[4] != starts || header[5] != entries || header[6] != (partial ? sums : 0) ||
        sums + (partial ? whole_lines(4 * out->n_points) : 0) != bytes)
        return false;
    out->points = (const int32_t *)(const void *)(record + HEADER * 4);
    out->local = (const uint16_t *)(const void *)(record + local);
    out->starts = (const uint16_t *)(const void *)(record + starts);
    out->entries = (const uint16_t *)(const void *)(record + entries);
    out->partial = partial ? (const int32_t *)(const void *)(record + sums) : NULL;
    return true;
}

static bool record_stays_inside(const bind_check *check, const record_view *record)
{
    const mplan_device_call *call = &check->bound->call;
    if (leaves_range(record->points, record->n_points, 0, (uint32_t)call->n_points))
        return false;
    for (int64_t i = 0; i < record->n_padded * call->local_columns; i++)
        if (record->local[i] != NO_LOCAL && record->local[i] >= record->n_points)
            return false;
    if (record->starts[0] != 0 || record->starts[record->n_points] != record->n_entries)
        return false;
    for (int64_t k = 0; k < record->n_points; k++)
        if (record->starts[k] > record->starts[k + 1])
            return false;
    for (int64_t j = 0; j < record->n_entries; j++)
        if (record->entries[j] >= call->columns * record->n_padded ||
            record->entries[j] % record->n_padded >= record->n)
            return false;
    return !record->partial ||
           !leaves_range(record->partial, record->n_points, -1,
                         (uint32_t)check->bound->chosen->partial_sums + 1);
}

static mplan_status check_records(const bind_check *check, const int64_t *offsets, int64_t n_blocks)
{
    const mplan_key at_key = variant_key(check, MPLAN_KIND_BLOCK_RECORD_OFFSETS);
    const mplan_key key = variant_key(check, MPLAN_KIND_BLOCK_RECORDS);
    int64_t bytes, rows, bad = INT64_MAX;
    const uint8_t *records = find(check, key, MPLAN_TYPE_U8, &bytes);
    if (!records)
        return MPLAN_ERR_CORRUPT;
    mplan_status status = check_offsets(check, at_key, bytes, INT32_MAX);
    if (status != MPLAN_OK)
        return status;
    const int64_t *at = find(check, at_key, MPLAN_TYPE_I64, &rows);
#pragma omp parallel for schedule(static) num_threads(check->threads) reduction(min : bad)
    for (int64_t b = 0; b < n_blocks; b++) {
        record_view record;
        if (at[b] % 16 != 0 ||
            !open_record(check, records + at[b], at[b + 1] - at[b], offsets[b],
                         offsets[b + 1] - offsets[b], &record) ||
            !record_stays_inside(check, &record))
            bad = b < bad ? b : bad;
    }
    return bad < INT64_MAX ? wrong(check, key, at[bad]) : MPLAN_OK;
}

static mplan_status check_block_gather(const bind_check *check, int64_t *most)
{
    const mplan_key points_key = variant_key(check, MPLAN_KIND_PARTIAL_POINTS);
    const mplan_key offsets_key = variant_key(check, MPLAN_KIND_PARTIAL_OFFSETS);
    const int64_t sums = check->bound->chosen->partial_sums, *offsets = NULL;
    int64_t n_blocks = 0;
    mplan_status status = check_blocks(check, &offsets, &n_blocks, most);
    if (status == MPLAN_OK && (sums < 0 || sums > INT32_MAX))
        status = wrong(check, offsets_key, 0);
    if (status == MPLAN_OK)
        status = check_records(check, offsets, n_blocks);
    if (status == MPLAN_OK && check->bound->chosen->sums == MPLAN_SUMS_COLOUR)
        return check_launches(check, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH,
                              n_blocks);
    if (status != MPLAN_OK || check->bound->chosen->sums != MPLAN_SUMS_PARTIAL)
        return status;
    status = check_ids(check, points_key, 0, check->bound->call.n_points);
    if (status == MPLAN_OK)
        status = check_offsets(check, offsets_key, sums, INT64_MAX);
    if (status == MPLAN_OK && mplan_plan_find_array(check->plan, &offsets_key)->rows !=
                                  mplan_plan_find_array(check->plan, &points_key)->rows + 1)
        status = wrong(check, offsets_key, 0);
    return status;
}

/* --- owner-gather ------------------------------------------------------------------------- */

/* What the entries of one variant are made of; NULL: not in its encoding. */
typedef struct owner_view {
    int64_t n_points, n_elements, n_codes; /* codes below n_codes are elements' */
    int64_t n_slices;
    const int64_t *offsets, *escape_offsets;
    const void *entries;
    const int32_t *base, *row_start;
    const uint8_t *points;
    int32_t width;
} owner_view;

static int64_t first_column(const owner_view *view, int64_t s)
{
    return view->offsets ? view->offsets[s] : s * view->width;
}

static bool index16_stays_inside(const owner_view *view, int64_t s)
{
    int64_t escapes = view->escape_offsets[s + 1] - view->escape_offsets[s];
    for (int64_t i = SLICE * first_column(view, s); i < SLICE * first_column(view, s + 1); i++) {
        int64_t v = ((const uint16_t *)view->entries)[i], code = view->base[s] + v;
        if (v < NO_LOCAL - escapes && (code < 0 || code >= view->n_codes))
            return false;
    }
    return true;
}

/* The point of a row; n_points where there is none. */
static int64_t point_of(const owner_view *view, int64_t r)
{
    int64_t p = view->points ? r / WINDOW * WINDOW + view->points[r] : r;
    return r < view->n_points && p < view->n_points ? p : view->n_points;
}

static bool pair32_stays_inside(const owner_view *view, int64_t s)
{
    for (int64_t i = SLICE * first_column(view, s); i < SLICE * first_column(view, s + 1); i++) {
        int64_t word = ((const int32_t *)view->entries)[i], low = word & 63;
        int64_t p = point_of(view, SLICE * s + i % SLICE), neighbour = p + (word - low) / 64;
        if (word == -1)
            continue;
        if (p >= view->n_points || neighbour < 0 || neighbour >= view->n_points ||
            view->row_start[neighbour < p ? neighbour : p] + low / 2 >= view->n_elements)
            return false;
    }
    return true;
}

static mplan_status check_entries(const bind_check *check, const owner_view *view)
{
    const mplan_key key = variant_key(check, MPLAN_KIND_OWNER_ENTRIES);
    int64_t bad = INT64_MAX;
    if (!view->base && !view->row_start)
        return check_ids(check, key, -1, view->n_codes);
#pragma omp parallel for schedule(static) num_threads(check->threads) reduction(min : bad)
    for (int64_t s = 0; s < view->n_slices; s++)
        if (view->base ? !index16_stays_inside(view, s) : !pair32_stays_inside(view, s))
            bad = s < bad ? s : bad;
    return bad < INT64_MAX ? wrong(check, key, SLICE * first_column(view, bad)) : MPLAN_OK;
}

static mplan_status open_index16(const bind_check *check, owner_view *view)
{
    const mplan_key key = variant_key(check, MPLAN_KIND_OWNER_ESCAPES);
    const mplan_key offsets_key = variant_key(check, MPLAN_KIND_OWNER_ESCAPE_OFFSETS);
    const mplan_array *escapes = mplan_plan_find_array(check->plan, &key);
    int64_t rows;
    mplan_status status = check_offsets(check, offsets_key, escapes ? escapes->rows : 0, NO_LOCAL);
    if (status == MPLAN_OK)
        status = check_ids(check, key, 0, view->n_codes);
    if (status != MPLAN_OK)
        return status;
    view->escape_offsets = find(check, offsets_key, MPLAN_TYPE_I64, &rows);
    view->base = find(check, variant_key(check, MPLAN_KIND_OWNER_BASE), MPLAN_TYPE_I32, &rows);
    return view->base ? MPLAN_OK : MPLAN_ERR_CORRUPT;
}

static mplan_status open_pair32(const bind_check *check, owner_view *view)
{
    const mplan_key key = variant_key(check, MPLAN_KIND_OWNER_ROW_START);
    int64_t rows;
    if (check->bound->call.columns != 2)
        return wrong(check, key, 0);
    view->row_start = find(check, key, MPLAN_TYPE_I32, &rows);
    return view->row_start ? check_ids(check, key, 0, view->n_elements + 1) : MPLAN_ERR_CORRUPT;
}

/* Rows lead to points of the set. */
static mplan_status open_windows(const bind_check *check, owner_view *view)
{
    const mplan_key key = variant_key(check, MPLAN_KIND_OWNER_POINTS);
    int64_t rows;
    view->points = find(check, key, MPLAN_TYPE_U8, &rows);
    if (!view->points)
        return MPLAN_ERR_CORRUPT;
    for (int64_t r = 0; r < view->n_points; r++)
        if (point_of(view, r) >= view->n_points)
            return wrong(check, key, r);
    return MPLAN_OK;
}

static mplan_status check_owner_gather(const bind_check *check)
{
    const mplan_plan_variant *chosen = check->bound->chosen;
    const mplan_device_call *call = &check->bound->call;
    const bool small = chosen->encoding == MPLAN_ENCODING_INDEX16;
    const mplan_key offsets_key = variant_key(check, MPLAN_KIND_OWNER_OFFSETS);
    const int64_t codes = call->n_elements * call->columns;
    owner_view view = {.n_points = call->n_points, .n_elements = call->n_elements,
                       .n_codes = codes < INT32_MAX ? codes : INT32_MAX,
                       .n_slices = (call->n_points + SLICE - 1) / SLICE, .width = chosen->width};
    int64_t n_entries, rows;
    mplan_status status = MPLAN_OK;
    view.entries = find(check, variant_key(check, MPLAN_KIND_OWNER_ENTRIES),
                        small ? MPLAN_TYPE_U16 : MPLAN_TYPE_I32, &n_entries);
    if (!view.entries)
        return MPLAN_ERR_CORRUPT;
    if (view.width == 0) {
        status = check_offsets(check, offsets_key, n_entries / SLICE, INT64_MAX);
        view.offsets = find(check, offsets_key, MPLAN_TYPE_I64, &rows);
    }
    if (status == MPLAN_OK && chosen->window)
        status = open_windows(check, &view);
    if (status == MPLAN_OK && small)
        status = open_index16(check, &view);
    if (status == MPLAN_OK && chosen->encoding == MPLAN_ENCODING_PAIR32)
        status = open_pair32(check, &view);
    return status == MPLAN_OK ? check_entries(check, &view) : status;
}

/* --- all of a variant ------------------------------------------------------------------------ */

static mplan_status check_strategy(const bind_check *check, int64_t *most)
{
    const mplan_device_call *call = &check->bound->call;
    switch (check->bound->chosen->strategy) {
    case MPLAN_STRATEGY_GLOBAL_COLOUR:
        return check_launches(check, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_KIND_GLOBAL_LAUNCH,
                              call->n_elements);
    case MPLAN_STRATEGY_BLOCK_COLOUR:
        return check_block_colour(check, most);
    case MPLAN_STRATEGY_TWO_STEP:
        return check_gathers(check);
    case MPLAN_STRATEGY_BLOCK_GATHER:
        return check_block_gather(check, most);
    case MPLAN_STRATEGY_OWNER_GATHER:
        return check_owner_gather(check);
    default:
        return MPLAN_OK; /* atomic has no tables */
    }
}

mplan_status mplan_exec_check_tables(const mplan_exec_loop *bound, int64_t *positions_max,
                                     mplan_error *err)
{
    const mplan_plan_variant *chosen = bound->chosen;
    const bind_check check = {bound, bound->exec->plan,
                              bound->exec->executor == MPLAN_EXECUTOR_CUDA ? mplan_threads(NULL)
                                                                           : bound->exec->threads,
                              err};
    *positions_max = 0;
    if (chosen->threads < 1 || chosen->elements_per_thread < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "variant %d of loop %s has %d threads of %d elements; meshplan verify says "
                          "more", (int)bound->v, bound->loop->name, (int)chosen->threads,
                          (int)chosen->elements_per_thread);
    mplan_status status = check_maps(&check);
    if (status != MPLAN_OK || bound->exec->executor == MPLAN_EXECUTOR_SERIAL)
        return status;
    return check_strategy(&check, positions_max);
}

mplan_status mplan_exec_check_order(const mplan_exec *exec, int32_t set, mplan_error *err)
{
    const mplan_plan_set *record = mplan_plan_get_set(exec->plan, set);
    int64_t rows;
    const int32_t *order = mplan_plan_data(
        exec->plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set), MPLAN_TYPE_I32, &rows);
    if (rows > 0 && leaves_range(order, rows, 0, (uint32_t)record->storage_size))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "the plan's table new_of_old of set %s leads out of the set; meshplan "
                          "verify says more", record->name);
    return MPLAN_OK;
}
