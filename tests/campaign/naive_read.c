/* SPDX-License-Identifier: Apache-2.0 */
/* naive_read.c - sections 1 to 5 of formats/plan-format.md: what a reader refuses */
#include "naive_plan.h"

#include <string.h>

#include "base/hash.h"

#define REFUSE(condition, sentence) \
    do {                            \
        if (condition)              \
            return sentence;        \
    } while (0)

const char NAIVE_TOO_LARGE[] = "too large for naive code";

static uint32_t u16_at(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, 2);
    return value;
}

static uint32_t u32_at(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

static uint64_t u64_at(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

static int64_t i64_at(const uint8_t *at)
{
    return (int64_t)u64_at(at);
}

static bool all_zero(const uint8_t *from, const uint8_t *end)
{
    while (from < end)
        if (*from++)
            return false;
    return true;
}

int64_t naive_type_size(uint32_t type)
{
    static const int64_t sizes[] = {0, 1, 2, 4, 8, 4, 8};
    return sizes[type];
}

bool naive_same_text(naive_text a, naive_text b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

/* --- header and table --- */

static const char *read_header(const uint8_t *bytes, size_t size, naive_plan *plan)
{
    REFUSE(size < 128 || memcmp(bytes, "\x89MPLAN\n\x1a", 8) != 0, "magic");
    REFUSE(u16_at(bytes + 8) != 1, "major");
    REFUSE(u64_at(bytes + 120) != mplan_hash(bytes, 120), "hash of the header");
    REFUSE(u64_at(bytes + 24) > 1, "must_know");
    REFUSE(u64_at(bytes + 32) != size, "file_bytes");
    REFUSE(u32_at(bytes + 12) != 128 || u64_at(bytes + 40) != 128, "header_bytes or table_offset");
    REFUSE(!all_zero(bytes + 88, bytes + 120), "reserved bytes of the header");
    uint64_t n = u64_at(bytes + 48);
    REFUSE(n > (size - 128) / 96, "extent of the table");
    REFUSE(u64_at(bytes + 56) != mplan_hash(bytes + 128, n * 96), "hash of the table");
    REFUSE(n > NAIVE_SECTIONS, NAIVE_TOO_LARGE);
    plan->n_sections = (int32_t)n;
    plan->topology = u64_at(bytes + 64);
    plan->coordinates = u64_at(bytes + 72);
    plan->request_print = u64_at(bytes + 80);
    return NULL;
}

static bool known(uint32_t kind)
{
    static const uint8_t arrays[] = {32,  33,  34,  40,  41,  64,  65,  66,  67,  68,  80,
                                     81,  82,  83,  84,  96,  97,  98,  112, 113, 128, 129,
                                     130, 131, 144, 145, 146, 147, 148, 149, 150};
    if (kind >= 1 && kind <= 11)
        return true;
    for (size_t i = 0; i < sizeof arrays; i++)
        if (arrays[i] == kind)
            return true;
    return false;
}

static int compare_keys(const uint8_t *a, const uint8_t *b)
{
    static const int at[] = {0, 8, 12, 16, 20, 24, 28, 32};
    for (int i = 0; i < 8; i++)
        if (u32_at(a + at[i]) != u32_at(b + at[i]))
            return u32_at(a + at[i]) < u32_at(b + at[i]) ? -1 : 1;
    return 0;
}

static const char *read_entry(const uint8_t *entry, const uint8_t *bytes, size_t size,
                              uint64_t *end, naive_section *out)
{
    const uint64_t offset = u64_at(entry + 56), stored = u64_at(entry + 64);
    const uint64_t unit = stored > 1 << 20 ? 4096 : 64;
    REFUSE(u32_at(entry) == 0 || u64_at(entry + 88) != 0, "kind 0, or reserved bytes of an entry");
    REFUSE(offset != (*end + unit - 1) / unit * unit, "offset of a section");
    REFUSE(offset > size || stored > size - offset, "extent of a section");
    REFUSE(!all_zero(bytes + *end, bytes + offset), "padding before a section");
    REFUSE(u64_at(entry + 80) != mplan_hash(bytes + offset, stored), "hash of a section");
    *end = offset + stored;
    *out = (naive_section){.kind = u32_at(entry),
                           .type = u32_at(entry + 4),
                           .rows = i64_at(entry + 40),
                           .cols = i64_at(entry + 48),
                           .data = bytes + offset};
    for (int i = 0; i < 5; i++)
        out->key[i] = u32_at(entry + 8 + 4 * i);
    if (!known(out->kind))
        return NULL;
    const int64_t raw = i64_at(entry + 72);
    REFUSE(u32_at(entry + 28) != NAIVE_ONES || u32_at(entry + 32) != NAIVE_ONES, "rank or segment");
    REFUSE(out->type < 1 || out->type > 6, "type of a section");
    REFUSE(u32_at(entry + 36) != 0,
           "codec"); /* the plans that are mutated are raw: what they hold is not a zlib stream */
    REFUSE(out->rows < 0 || out->cols < 0 || raw < 0 || (uint64_t)raw != stored, "size of a section");
    const bool wide = out->cols > 0 && out->rows > INT64_MAX / out->cols / 8;
    REFUSE(wide || out->rows * out->cols * naive_type_size(out->type) != raw, "rows x cols");
    return NULL;
}

static const char *read_table(naive_plan *plan)
{
    uint64_t end = 128 + 96 * (uint64_t)plan->n_sections;
    for (int32_t i = 0; i < plan->n_sections; i++) {
        const uint8_t *entry = plan->bytes + 128 + 96 * i;
        REFUSE(i > 0 && compare_keys(entry - 96, entry) >= 0, "order of the keys");
        const char *why = read_entry(entry, plan->bytes, plan->n_bytes, &end, &plan->sections[i]);
        REFUSE(why, why);
    }
    REFUSE(end != plan->n_bytes, "bytes behind the end");
    return NULL;
}

/* --- records --- */

const naive_section *naive_find(const naive_plan *plan, uint32_t kind, uint32_t set, uint32_t map,
                                uint32_t loop, uint32_t variant, uint32_t block_set)
{
    const uint32_t key[] = {set, map, loop, variant, block_set};
    for (int32_t i = 0; i < plan->n_sections; i++)
        if (plan->sections[i].kind == kind && memcmp(plan->sections[i].key, key, sizeof key) == 0)
            return &plan->sections[i];
    return NULL;
}

/* The records of a kind; *n and *at are set. */
static const char *find_records(const naive_plan *plan, uint32_t kind, int64_t cols, int64_t most,
                                int32_t *n, const uint8_t **at)
{
    const naive_section *found = naive_find(plan, kind, NAIVE_ONES, NAIVE_ONES, NAIVE_ONES,
                                            NAIVE_ONES, NAIVE_ONES);
    *n = 0;
    REFUSE(!found, "records are missing");
    REFUSE(found->type != 1 || found->cols != cols || found->rows > INT32_MAX, "shape of records");
    REFUSE(found->rows > most, NAIVE_TOO_LARGE);
    *n = (int32_t)found->rows;
    *at = found->data;
    return NULL;
}

typedef struct texts {
    const char *at;
    uint64_t n, end;
} texts;

static bool take_text(texts *from, const uint8_t *at, naive_text *out)
{
    const uint32_t offset = u32_at(at), n = u32_at(at + 4);
    if (offset != from->end || offset + (uint64_t)n > from->n)
        return false;
    *out = (naive_text){from->at + offset, n};
    from->end += n;
    return memchr(out->at, 0, n) == NULL;
}

static bool small(uint32_t value)
{
    return value <= INT32_MAX;
}

static const char *read_sets(naive_plan *plan, texts *from)
{
    const uint8_t *at;
    const char *why = find_records(plan, 2, 96, NAIVE_RECORDS, &plan->n_sets, &at);
    REFUSE(why, why);
    for (int32_t i = 0; i < plan->n_sets; i++, at += 96) {
        naive_set *set = &plan->sets[i];
        REFUSE(!take_text(from, at, &set->name) || !take_text(from, at + 8, &set->split),
               "text of a set");
        set->size = i64_at(at + 16);
        set->storage = i64_at(at + 24);
        set->renumber = u32_at(at + 32);
        set->kept = u32_at(at + 36);
        for (int k = 0; k < 3; k++) {
            set->bandwidth[k] = i64_at(at + 40 + 8 * k);
            set->profile[k] = i64_at(at + 64 + 8 * k);
            REFUSE(set->bandwidth[k] < -1 || set->profile[k] < -1, "bandwidth or profile");
        }
        REFUSE(set->size < 0 || set->storage < set->size || set->storage >= INT32_MAX,
               "size of a set");
        REFUSE(set->renumber == 1 || set->renumber > 7 || set->kept > 1 || u64_at(at + 88),
               "renumbering of a set");
    }
    return NULL;
}

static const char *read_maps(naive_plan *plan, texts *from)
{
    const uint8_t *at;
    const char *why = find_records(plan, 3, 32, NAIVE_RECORDS, &plan->n_maps, &at);
    REFUSE(why, why);
    for (int32_t i = 0; i < plan->n_maps; i++, at += 32) {
        naive_map *map = &plan->maps[i];
        REFUSE(!take_text(from, at, &map->name), "text of a map");
        map->from = u32_at(at + 8);
        map->to = u32_at(at + 12);
        map->arity = u32_at(at + 16);
        map->n_entries = i64_at(at + 24);
        REFUSE(map->from >= (uint32_t)plan->n_sets || map->to >= (uint32_t)plan->n_sets,
               "sets of a map");
        REFUSE(!small(map->arity) || u32_at(at + 20) || map->n_entries < 0, "map");
        REFUSE(map->arity && map->n_entries != (int64_t)map->arity * plan->sets[map->from].storage,
               "n_entries");
    }
    return NULL;
}

static const char *read_loops(naive_plan *plan, texts *from)
{
    const uint8_t *at;
    int64_t n_args = 0, n_variants = 0, n_primary = 0;
    const char *why = find_records(plan, 4, 48, NAIVE_RECORDS, &plan->n_loops, &at);
    REFUSE(why, why);
    for (int32_t i = 0; i < plan->n_loops; i++, at += 48) {
        naive_loop *loop = &plan->loops[i];
        REFUSE(!take_text(from, at, &loop->name), "text of a loop");
        loop->set = u32_at(at + 8);
        loop->primary = u32_at(at + 12);
        loop->n_args = u32_at(at + 16);
        loop->n_variants = u32_at(at + 20);
        loop->default_variant = u32_at(at + 24);
        loop->calls = i64_at(at + 32);
        loop->flops = i64_at(at + 40);
        REFUSE(loop->set >= (uint32_t)plan->n_sets || loop->primary > 1 || u32_at(at + 28), "loop");
        REFUSE(!small(loop->n_args) || !small(loop->n_variants) || loop->n_variants < 1,
               "counts of a loop");
        REFUSE(loop->default_variant >= loop->n_variants || loop->calls < 1 || loop->flops < 0,
               "loop's numbers");
        n_primary += loop->primary;
        REFUSE(n_args + loop->n_args > NAIVE_RECORDS || n_variants + loop->n_variants > NAIVE_RECORDS,
               "more args or variants than there are");
        loop->args = plan->args + n_args;
        loop->variants = plan->variants + n_variants;
        n_args += loop->n_args;
        n_variants += loop->n_variants;
    }
    REFUSE(plan->n_loops && n_primary != 1, "primary loops");
    plan->n_args = (int32_t)n_args; /* as loops have it */
    plan->n_variants = (int32_t)n_variants;
    return NULL;
}

static const char *read_args(naive_plan *plan, texts *from)
{
    const uint8_t *at;
    int32_t n;
    const char *why = find_records(plan, 5, 32, NAIVE_RECORDS, &n, &at);
    REFUSE(why, why);
    REFUSE(n != plan->n_args, "number of args");
    for (int32_t i = 0; i < n; i++, at += 32) {
        naive_arg *arg = &plan->args[i];
        REFUSE(!take_text(from, at, &arg->dat), "text of an arg");
        const uint32_t map = u32_at(at + 8);
        arg->map = map == NAIVE_ONES ? -1 : (int32_t)(map & INT32_MAX);
        arg->access = u32_at(at + 12);
        arg->dim = u32_at(at + 16);
        arg->type = u32_at(at + 20);
        arg->none = u32_at(at + 24);
        arg->layout = u32_at(at + 28);
        REFUSE(map != NAIVE_ONES && map >= (uint32_t)plan->n_maps, "map of an arg");
        REFUSE(arg->access > 3 || arg->dim < 1 || !small(arg->dim) || arg->type < 1 || arg->type > 6,
               "arg");
        REFUSE(arg->none > 2 || arg->layout > 1, "none or layout");
    }
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (uint32_t a = 0; a < plan->loops[l].n_args; a++) {
            const int32_t map = plan->loops[l].args[a].map;
            REFUSE(map >= 0 && plan->maps[map].from != plan->loops[l].set,
                   "a map that does not leave the set");
        }
    return NULL;
}

static const char *read_variants(naive_plan *plan, texts *from)
{
    const uint8_t *at;
    int32_t n;
    const char *why = find_records(plan, 6, 96, NAIVE_RECORDS, &n, &at);
    REFUSE(why, why);
    REFUSE(n != plan->n_variants, "number of variants");
    for (int32_t i = 0; i < n; i++, at += 96) {
        naive_variant *v = &plan->variants[i];
        REFUSE(!take_text(from, at, &v->device), "text of a variant");
        const uint32_t blocks = u32_at(at + 24);
        *v = (naive_variant){
            v->device,       u32_at(at + 8),
            u32_at(at + 12), u32_at(at + 16),
            u32_at(at + 20), blocks == NAIVE_ONES ? -1 : (int32_t)(blocks & INT32_MAX),
            u32_at(at + 28), i64_at(at + 32),
            i64_at(at + 40), i64_at(at + 48),
            i64_at(at + 56), i64_at(at + 64),
            i64_at(at + 72), u32_at(at + 80),
            u32_at(at + 84), u32_at(at + 88),
            u32_at(at + 92)};
        REFUSE(blocks != NAIVE_ONES && blocks > INT32_MAX, "block set of a variant");
        REFUSE(v->strategy > 5 || v->deterministic > 1, "strategy or promise");
        REFUSE(!small(v->block_limit) || !small(v->threads) || !small(v->elements_per_thread),
               "limits of a variant");
        REFUSE(v->shared < 0 || v->block_colours < 0 || v->thread_max < 0 || v->thread_total < 0 ||
                   v->global_colours < 0 || v->partial_sums < 0,
               "negative counts");
        REFUSE(v->block_colours >= INT32_MAX || v->global_colours >= INT32_MAX, "too many colours");
    }
    return NULL;
}

static const char *read_block_sets(naive_plan *plan)
{
    const uint8_t *at;
    const char *why = find_records(plan, 7, 64, NAIVE_RECORDS, &plan->n_block_sets, &at);
    REFUSE(why, why);
    for (int32_t i = 0; i < plan->n_block_sets; i++, at += 64) {
        naive_block_set *b = &plan->block_sets[i];
        *b = (naive_block_set){u32_at(at),
                               u32_at(at + 4),
                               u32_at(at + 8),
                               u32_at(at + 12),
                               u32_at(at + 16),
                               u32_at(at + 20),
                               i64_at(at + 24),
                               i64_at(at + 32),
                               i64_at(at + 40),
                               i64_at(at + 48),
                               i64_at(at + 56),
                               NULL,
                               NULL};
        REFUSE(b->set >= (uint32_t)plan->n_sets || b->loop >= (uint32_t)plan->n_loops, "block set");
        REFUSE(plan->loops[b->loop].set != b->set || b->limit < 1 || b->limit > 1024, "block set");
        REFUSE(b->sequence > 1 || b->partitioner > 4 || b->max_points > 65535, "block set");
        REFUSE(b->shared < 0 || b->n_blocks < 0 || b->n_blocks > plan->sets[b->set].size, "blocks");
        REFUSE(b->block_min < 0 || b->block_max < b->block_min || b->block_max > b->limit,
               "sizes of blocks");
        REFUSE(b->alternative < -1 || (b->n_blocks == 0 && b->block_min != 0), "sizes of blocks");
    }
    return NULL;
}

static const char *look_at_variants(const naive_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++) {
        naive_gathering gathering;
        const naive_loop *loop = &plan->loops[l];
        const bool gathers = naive_gathers(plan, loop, &gathering);
        for (uint32_t i = 0; i < loop->n_variants; i++) {
            const naive_variant *v = &loop->variants[i];
            const bool blocks = v->strategy == BLOCK_GATHER, owners = v->strategy == OWNER_GATHER;
            REFUSE(v->block_set >= plan->n_block_sets, "block set of a variant");
            REFUSE(v->block_set >= 0 && plan->block_sets[v->block_set].set != loop->set,
                   "block set of another set");
            REFUSE(v->block_set < 0 && (blocks || v->strategy == BLOCK_COLOUR), "no block set");
            REFUSE(v->block_set >= 0 && owners, "block set of owner-gather");
            REFUSE(v->sums > (blocks ? 2U : 0U), "sums");
            REFUSE(owners ? v->encoding < 1 || v->encoding > 3 : v->encoding != 0, "encoding");
            REFUSE(v->width > (owners ? 4U : 0U), "width");
            REFUSE(v->window != 0 && !(owners && v->width == 0 && v->window == 256), "window");
            REFUSE((blocks || owners) && !gathers, "does not gather");
        }
    }
    return NULL;
}

static const char *read_metrics(naive_plan *plan)
{
    const uint8_t *at;
    const char *why = find_records(plan, 8, 64, NAIVE_SECTIONS, &plan->n_metrics, &at);
    REFUSE(why, why);
    int32_t i = 0;
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t b = 0; b < plan->n_block_sets; b++)
            for (int32_t s = 0; s < plan->n_sets; s++) {
                if (!naive_pairs(plan, l, b) || !naive_reaches(plan, &plan->loops[l], (uint32_t)s))
                    continue;
                REFUSE(i >= plan->n_metrics, "metrics are missing");
                naive_metric *m = &plan->metrics[i++];
                *m = (naive_metric){u32_at(at),      u32_at(at + 4),  u32_at(at + 8),
                                    i64_at(at + 16), i64_at(at + 24), i64_at(at + 32),
                                    i64_at(at + 40), i64_at(at + 48), i64_at(at + 56)};
                REFUSE(m->loop != (uint32_t)l || m->block_set != (uint32_t)b || m->set != (uint32_t)s,
                       "metrics");
                REFUSE(u32_at(at + 12) || m->entries < 0 || m->pairs < 0 || m->shared < 0 ||
                           m->points_max < 0 || m->points_max > 65535 || m->lines < 0 ||
                           m->lines_ideal < 0,
                       "numbers of metrics");
                at += 64;
            }
    REFUSE(i != plan->n_metrics, "too many metrics");
    return NULL;
}

static const char *read_origins(naive_plan *plan)
{
    const uint8_t *at;
    plan->has_origins = naive_find(plan, 11, NAIVE_ONES, NAIVE_ONES, NAIVE_ONES, NAIVE_ONES,
                                   NAIVE_ONES) != NULL;
    plan->n_origins = 0;
    if (!plan->has_origins)
        return u16_at(plan->bytes + 10) ? "a plan of 1.0 that calls itself newer" : NULL;
    const char *why = find_records(plan, 11, 32, NAIVE_RECORDS, &plan->n_origins, &at);
    REFUSE(why, why);
    REFUSE(plan->n_origins != plan->n_block_sets, "number of origins");
    for (int32_t i = 0; i < plan->n_origins; i++, at += 32) {
        naive_origin *o = &plan->origins[i];
        *o = (naive_origin){u32_at(at),
                            u32_at(at + 4),
                            {u32_at(at + 8), u32_at(at + 12), u32_at(at + 16)},
                            u32_at(at + 20),
                            i64_at(at + 24)};
        REFUSE(o->origin > 6 || o->refined > 1 || (o->origin == 0 && o->refined), "origin");
        REFUSE(o->origin && plan->block_sets[i].partitioner != 4,
               "origin without the native partitioner");
        const int64_t figures[] = {o->extent[0], o->extent[1], o->extent[2], o->patches, o->largest};
        for (int k = 0; k < 5; k++)
            REFUSE((figures[k] >= 1) != (o->origin > 1) || figures[k] < 0 || figures[k] >= INT32_MAX,
                   "origin");
    }
    return NULL;
}

static const char *read_texts(naive_plan *plan)
{
    for (uint32_t kind = 9; kind <= 10; kind++) {
        const uint8_t *at;
        int32_t n;
        const char *why = find_records(plan, kind, 1, INT32_MAX, &n, &at);
        REFUSE(why, why);
        REFUSE(memchr(at, 0, (size_t)n), "zero bytes in a text");
        if (kind == 9)
            plan->request = (naive_text){(const char *)at, (uint32_t)n};
    }
    bool agglomerate = false;
    for (int32_t i = 0; i < plan->n_sets; i++)
        agglomerate = agglomerate || plan->sets[i].renumber == 7;
    REFUSE(agglomerate != (u64_at(plan->bytes + 24) == 1), "must_know and renumber 7");
    for (int32_t i = 0; i < plan->n_sections; i++) {
        const naive_section *s = &plan->sections[i];
        for (int k = 0; k < 5 && s->kind <= 11; k++)
            REFUSE(s->key[k] != NAIVE_ONES, "key of records");
        REFUSE(i < 10 && s->kind != (uint32_t)i + 1, "the first ten sections");
    }
    return NULL;
}

static const char *read_records(naive_plan *plan)
{
    const uint8_t *at;
    int32_t n;
    const char *why = find_records(plan, 1, 1, INT32_MAX, &n, &at);
    REFUSE(why, why);
    texts from = {(const char *)at, (uint64_t)n, 0};
    const char *(*const readers[])(naive_plan *, texts *) = {read_sets, read_maps, read_loops,
                                                             read_args, read_variants};
    for (int i = 0; i < 5; i++) {
        why = readers[i](plan, &from);
        REFUSE(why, why);
    }
    REFUSE(from.end != from.n, "texts that no record refers to");
    const char *(*const others[])(naive_plan *) = {read_block_sets, read_metrics, read_origins,
                                                   read_texts};
    for (int i = 0; i < 4; i++) {
        why = others[i](plan);
        REFUSE(why, why);
    }
    return look_at_variants(plan);
}

/* --- arrays: which are there, and their shapes --- */

typedef struct expectations {
    naive_plan *plan;
    int64_t n;
    bool found[NAIVE_SECTIONS];
    const char *why;
} expectations;

/* rows < 0: at most ~rows */
static const void *expect(expectations *of, uint32_t kind, uint32_t type, int64_t rows,
                          int64_t cols, const uint32_t key[5])
{
    const naive_section *s = naive_find(of->plan, kind, key[0], key[1], key[2], key[3], key[4]);
    if (of->why)
        return NULL;
    if (!s)
        of->why = "an array is missing";
    else if (s->type != type || s->cols != cols || (rows >= 0 ? s->rows != rows : s->rows > ~rows))
        of->why = "shape of an array";
    else
        of->found[s - of->plan->sections] = true;
    return s ? s->data : NULL;
}
#define ONES_ NAIVE_ONES
#define KEY(...) ((const uint32_t[5]){__VA_ARGS__})
#define U(value) ((uint32_t)(value))

static void expect_sets_and_maps(expectations *of)
{
    naive_plan *plan = of->plan;
    for (int32_t s = 0; s < plan->n_sets; s++) {
        naive_set *set = &plan->sets[s];
        const uint32_t *key = KEY(U(s), ONES_, ONES_, ONES_, ONES_);
        set->new_of_old = expect(of, 32, 3, set->size, 1, key);
        set->old_of_new = expect(of, 33, 3, set->storage, 1, key);
        set->ids = set->split.n ? expect(of, 34, 4, set->size, 1, key) : NULL;
    }
    for (int32_t m = 0; m < plan->n_maps; m++) {
        naive_map *map = &plan->maps[m];
        const uint32_t *key = KEY(ONES_, U(m), ONES_, ONES_, ONES_);
        const int64_t rows = plan->sets[map->from].storage;
        map->values = expect(of, 40, 3, map->arity ? rows : map->n_entries,
                             map->arity ? map->arity : 1, key);
        map->offsets = map->arity ? NULL : expect(of, 41, 4, rows + 1, 1, key);
    }
}

static void expect_blocks(expectations *of)
{
    naive_plan *plan = of->plan;
    for (int32_t b = 0; b < plan->n_block_sets; b++) {
        naive_block_set *blocks = &plan->block_sets[b];
        const uint32_t *key = KEY(ONES_, ONES_, ONES_, ONES_, U(b));
        blocks->offsets = expect(of, 64, 4, blocks->n_blocks + 1, 1, key);
        blocks->order = blocks->sequence ? expect(of, 65, 3, plan->sets[blocks->set].size, 1, key)
                                         : NULL;
        for (int32_t l = 0; l < plan->n_loops; l++)
            for (int32_t m = 0; m < plan->n_maps && naive_pairs(plan, l, b); m++) {
                const naive_map *map = &plan->maps[m];
                if (naive_uses(&plan->loops[l], m, false))
                    expect(of, 68, 2, map->arity ? naive_positions(plan, blocks) : map->n_entries,
                           map->arity ? map->arity : 1, KEY(ONES_, U(m), U(l), ONES_, U(b)));
            }
    }
    for (int32_t i = 0; i < plan->n_metrics; i++) {
        const naive_metric *m = &plan->metrics[i];
        const uint32_t *key = KEY(m->set, ONES_, m->loop, ONES_, m->block_set);
        expect(of, 66, 4, plan->block_sets[m->block_set].n_blocks + 1, 1, key);
        expect(of, 67, 3, m->pairs, 1, key);
    }
}

static void expect_owners(expectations *of, const naive_loop *loop, const naive_variant *v,
                          const uint32_t *key)
{
    naive_gathering gathering;
    naive_gathers(of->plan, loop, &gathering);
    const int64_t points = of->plan->sets[gathering.target].storage, slices = (points + 31) / 32;
    expect(of, 145, v->encoding == 2 ? 2 : 3,
           v->width ? 32 * slices * v->width : ~(32 * gathering.entries), 1, key);
    if (!v->width)
        expect(of, 144, 4, slices + 1, 1, key);
    if (v->encoding == 2) {
        expect(of, 146, 3, slices, 1, key);
        expect(of, 147, 4, slices + 1, 1, key);
        expect(of, 148, 3, ~gathering.entries, 1, key);
    }
    if (v->encoding == 3)
        expect(of, 149, 3, points + 1, 1, key);
    if (v->window)
        expect(of, 150, 1, 32 * slices, 1, key);
}

static void expect_variant(expectations *of, int32_t l, uint32_t i)
{
    const naive_plan *plan = of->plan;
    const naive_loop *loop = &plan->loops[l];
    const naive_variant *v = &loop->variants[i];
    const naive_block_set *blocks = v->block_set < 0 ? NULL : &plan->block_sets[v->block_set];
    const uint32_t *key = KEY(ONES_, ONES_, U(l), i, ONES_);
    if (v->strategy == BLOCK_COLOUR) {
        expect(of, 80, 2, naive_positions(plan, blocks), 1, key);
        expect(of, 81, 2, blocks->n_blocks, 1, key);
    }
    if (v->strategy == BLOCK_COLOUR || (v->strategy == BLOCK_GATHER && v->sums == 2)) {
        expect(of, 82, 3, blocks->n_blocks, 1, key);
        expect(of, 83, 4, v->block_colours + 1, 1, key);
        expect(of, 84, 3, blocks->n_blocks, 1, key);
    }
    if (v->strategy == GLOBAL_COLOUR) {
        expect(of, 96, 3, plan->sets[loop->set].storage, 1, key);
        expect(of, 97, 4, v->global_colours + 1, 1, key);
        expect(of, 98, 3, plan->sets[loop->set].size, 1, key);
    }
    if (v->strategy == BLOCK_GATHER) {
        expect(of, 128, 4, blocks->n_blocks + 1, 1, key);
        expect(of, 129, 1, ~(INT64_MAX - 1), 1, key);
        if (v->sums == 0) {
            naive_gathering gathering;
            naive_gathers(plan, loop, &gathering);
            expect(of, 130, 3, ~plan->sets[gathering.target].storage, 1, key);
            expect(of, 131, 4, ~(plan->sets[gathering.target].storage + 1), 1, key);
        }
    }
    if (v->strategy == OWNER_GATHER)
        expect_owners(of, loop, v, key);
}

static const char *look_at_arrays(naive_plan *plan)
{
    expectations of = {.plan = plan};
    expect_sets_and_maps(&of);
    expect_blocks(&of);
    for (int32_t l = 0; l < plan->n_loops; l++) {
        bool two_step = false;
        for (uint32_t v = 0; v < plan->loops[l].n_variants; v++) {
            expect_variant(&of, l, v);
            two_step = two_step || plan->loops[l].variants[v].strategy == TWO_STEP;
        }
        for (int32_t m = 0; m < plan->n_maps && two_step; m++)
            if (naive_uses(&plan->loops[l], m, true)) {
                const uint32_t *key = KEY(ONES_, U(m), U(l), ONES_, ONES_);
                expect(&of, 112, 4, plan->sets[plan->maps[m].to].storage + 1, 1, key);
                expect(&of, 113, 4, ~plan->maps[m].n_entries, 1, key);
            }
    }
    for (int32_t i = 0; i < plan->n_sections && !of.why; i++)
        if (plan->sections[i].kind > 11 && known(plan->sections[i].kind) && !of.found[i])
            of.why = "an array that belongs to nothing";
    return of.why;
}

const char *naive_read(const uint8_t *bytes, size_t size, naive_plan *plan)
{
    plan->bytes = bytes;
    plan->n_bytes = size;
    plan->n_loops = plan->n_sets = plan->n_maps = plan->n_block_sets = plan->n_metrics = 0;
    const char *why = read_header(bytes, size, plan);
    if (!why)
        why = read_table(plan);
    if (!why)
        why = read_records(plan);
    return why ? why : look_at_arrays(plan);
}
