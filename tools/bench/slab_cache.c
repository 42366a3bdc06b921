/* SPDX-License-Identifier: Apache-2.0 */
/* slab_cache.c - what thread blocks read from memory past a cache: the inner part of tools/bench/slab_cache, which compiles and calls it
 *
 * The cache has sets of lines; a line has sectors, which come one by one. Of a set the line goes that was used longest ago. All that a thread
 * block touches at a step comes at once: its direct data at the first step, then at step k those that entry k of its rows leads to.
 * `resident` thread blocks take turns, a step each; where one ends, the next of the order begins in its place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, WARP = 32, MOST_SECTORS = 8 };

/* One way to touch a dat. plane: bytes from one of its numbers to the next of the same member; 0: they lie side by side. */
struct slab_cache_access {
    int64_t base;         /* of the dat, a multiple of the line */
    int64_t plane;        /* bytes */
    const int32_t *index; /* rows x width members, -1: none; NULL: each row its own member, width 1 */
    int32_t width;
    int32_t dim;
    int32_t size;  /* bytes of a number */
    int32_t fetch; /* 0: is written, and needs no fetch */
};

struct slab_cache_run {
    const struct slab_cache_access *access;
    const int64_t *block; /* first row and end of each thread block, in the order in which they begin */
    const int64_t *launch; /* first thread block of each launch, and the end of the last */
    int64_t *fetched;      /* out: sectors of each access that came from memory */
    int64_t bytes;         /* of the cache; 0: it has no end, and each sector comes once a launch */
    int64_t memory;        /* bytes of all dats, as the bases lie */
    int64_t n_launches;
    int32_t n_access, resident, ways, line;
    int32_t warm; /* whether a launch finds what the one before it has left */
};

/* Lines of a set from the last used one on: line number + 1 above MOST_SECTORS bits of its sectors. 0: empty. */
struct cache {
    uint64_t *lines;
    int32_t *seen; /* without an end: launch that touched the sector, from 1 on */
    uint64_t n_sets;
    int32_t ways, line, launch;
};

static uint64_t set_of(const struct cache *c, uint64_t line)
{
    return (uint64_t)(((unsigned __int128)(line * UINT64_C(0x9e3779b97f4a7c15)) * c->n_sets) >> 64);
}

/* Whether the sector must come from memory. */
static int touch(struct cache *c, int64_t sector)
{
    if (c->seen) {
        const int first = c->seen[sector] != c->launch;
        c->seen[sector] = c->launch;
        return first;
    }
    const uint64_t each = (uint64_t)(c->line / SECTOR);
    const uint64_t line = (uint64_t)sector / each, bit = UINT64_C(1) << (uint64_t)sector % each;
    uint64_t *set = c->lines + set_of(c, line + 1) * (uint64_t)c->ways;
    uint64_t found = (line + 1) << MOST_SECTORS;
    int32_t at = 0;
    while (at < c->ways - 1 && set[at] >> MOST_SECTORS != line + 1)
        at++;
    if (set[at] >> MOST_SECTORS == line + 1)
        found = set[at];
    memmove(set + 1, set, (size_t)at * sizeof *set);
    set[0] = found | bit;
    return !(found & bit);
}

/* One entry of 32 rows. */
static int64_t touch_warp(struct cache *c, const struct slab_cache_access *a, int64_t first,
                          int64_t end, int32_t k)
{
    const int32_t planes = a->plane ? a->dim : 1;
    const int64_t bytes = a->plane ? a->size : (int64_t)a->dim * a->size;
    int64_t fetched = 0, last = -1;
    for (int32_t p = 0; p < planes; p++)
        for (int64_t row = first; row < end; row++) {
            const int64_t member = a->index ? a->index[row * a->width + k] : row;
            if (member < 0)
                continue;
            const int64_t from = a->base + p * a->plane + member * bytes;
            for (int64_t s = from / SECTOR; s <= (from + bytes - 1) / SECTOR; s++) {
                if (s != last)
                    fetched += touch(c, s);
                last = s;
            }
        }
    return fetched;
}

/* Step k of a thread block. Direct data that are written come at the last step, other direct data at the first. */
static void touch_step(const struct slab_cache_run *run, struct cache *c, const int64_t *block,
                       int32_t k, int32_t steps)
{
    for (int64_t first = block[0]; first < block[1]; first += WARP) {
        const int64_t end = first + WARP < block[1] ? first + WARP : block[1];
        for (int32_t i = 0; i < run->n_access; i++) {
            const struct slab_cache_access *a = run->access + i;
            const int now = a->index ? k < a->width : k == (a->fetch ? 0 : steps - 1);
            const int64_t fetched = now ? touch_warp(c, a, first, end, k) : 0;
            run->fetched[i] += a->fetch ? fetched : 0;
        }
    }
}

/* active and step: of each thread block that is there. */
static void run_launch(const struct slab_cache_run *run, struct cache *c, int64_t next, int64_t end,
                       int32_t steps, int64_t *active, int32_t *step)
{
    int32_t n = 0;
    for (; n < run->resident && next < end; n++) {
        active[n] = next++;
        step[n] = 0;
    }
    while (n > 0)
        for (int32_t i = 0; i < n; i++) {
            touch_step(run, c, run->block + 2 * active[i], step[i]++, steps);
            if (step[i] < steps)
                continue;
            step[i] = 0;
            if (next < end)
                active[i] = next++;
            else {
                n--;
                memmove(active + i, active + i + 1, (size_t)(n - i) * sizeof *active);
                memmove(step + i, step + i + 1, (size_t)(n - i) * sizeof *step);
                i--;
            }
        }
}

/* 0: done; 1: no memory. */
int slab_cache_run(const struct slab_cache_run *run)
{
    struct cache c = {NULL, NULL, 1, run->ways, run->line, 0};
    if (run->bytes >= (int64_t)run->ways * run->line)
        c.n_sets = (uint64_t)(run->bytes / ((int64_t)run->ways * run->line));
    const size_t n_lines = (size_t)c.n_sets * (size_t)c.ways;
    int64_t *active = malloc((size_t)run->resident * sizeof *active);
    int32_t *step = malloc((size_t)run->resident * sizeof *step);
    if (run->bytes)
        c.lines = calloc(n_lines, sizeof *c.lines);
    else
        c.seen = calloc((size_t)(run->memory / SECTOR + 1), sizeof *c.seen);
    const int there = active && step && (c.lines || c.seen);
    int32_t steps = 1;
    for (int32_t i = 0; i < run->n_access; i++) {
        run->fetched[i] = 0;
        if (run->access[i].width > steps)
            steps = run->access[i].width;
    }
    for (int64_t l = 0; l < run->n_launches && there; l++) {
        c.launch++;
        if (!run->warm && c.lines)
            memset(c.lines, 0, n_lines * sizeof *c.lines);
        run_launch(run, &c, run->launch[l], run->launch[l + 1], steps, active, step);
    }
    free(active);
    free(step);
    free(c.lines);
    free(c.seen);
    return there ? 0 : 1;
}
