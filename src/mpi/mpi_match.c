/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_match.c - which cells meet at the local faces of each cell, when ranks have the cells
 *
 * A half face is a local face of one cell. Half faces go to ranks by a mixed number of their sorted nodes, so that
 * those of one face meet, and are matched there as derive_match.c does it. They travel in several rounds, a share
 * of all mixed numbers each, since all of them are more than the mesh.
 *
 * Numbers of nodes and cells are those of the whole mesh. A face is matched from all of its half faces, sorted by
 * cell and local face: which rank does it, in which round, and what came first changes nothing. A slot is cell *
 * stride + local face, where stride is the largest number of local faces of a cell of the whole mesh: one for each
 * half face that a cell can have. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/radix.h"
#include "mpi/mpi_derive.h"

enum {
    ROUND = 1 << 17,   /* half faces of a rank in a round, about */
    MOST_ROUNDS = 250, /* so that a byte tells the round of each */
    NO_ROUND = 255     /* of local faces that collapse */
};

/* One local face of one cell, as it travels. Equal keys are one face. */
typedef struct half_face {
    int64_t key[MPLAN_FACE_CORNERS]; /* nodes, ascending; -1: no more */
    int64_t cell;
    int32_t face, rank; /* the rank that has the cell */
} half_face;

/* What a half face is told. */
typedef struct answer {
    int64_t slot; /* of mate, counted over the whole mesh */
    int64_t mate; /* number of the cell behind it, or MPLAN_MATE_BOUNDARY */
} answer;

/* A face of three and more cells, where that is refused: its nodes, how many cells there are, and the first three
 * of them. */
typedef struct crowded {
    int64_t key[MPLAN_FACE_CORNERS], n, cells[3];
} crowded;

/* A number of 64 bits of a face, equal for all of its half faces. Two faces may have the same: keys are compared
 * as well. */
static uint64_t mix(const int64_t key[MPLAN_FACE_CORNERS])
{
    uint64_t x = 0;
    for (int k = 0; k < MPLAN_FACE_CORNERS; k++) {
        x = (x ^ (uint64_t)key[k]) * UINT64_C(0x9E3779B97F4A7C15);
        x ^= x >> 29;
    }
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 32;
}

static int compare_keys(const int64_t *a, const int64_t *b)
{
    for (int k = 0; k < MPLAN_FACE_CORNERS; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* By face, then cell, then local face: no two half faces are equal. */
static int compare_halves(const void *a, const void *b)
{
    const half_face *x = a, *y = b;
    const int by_key = compare_keys(x->key, y->key);
    if (by_key)
        return by_key;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

static int compare_crowded(const void *a, const void *b)
{
    return compare_keys(((const crowded *)a)->key, ((const crowded *)b)->key);
}

/* Half face f of own cell c; false where its corners collapse. c counts from 0 on this rank; out->cell is its
 * number in the mesh. Corners that are one node count once: a face needs as many different ones as the cell has
 * dimensions. */
static inline bool half_of(const mpi_mesh *mesh, const mpi_cells *cells, int64_t c, int32_t f,
                           half_face *out)
{
    const mplan_map *nodes = &cells->table.nodes;
    const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)cells->table.type[c]);
    const int64_t *node = cells->numbers + (nodes->offsets ? nodes->offsets[c] : c * nodes->arity);
    int32_t n = 0;
    *out = (half_face){{-1, -1, -1, -1}, cells->first + c, f, mesh->rank};
    for (int32_t k = 0; k < shape->face_size[f]; k++) { /* in ascending order, each once */
        const int64_t v = node[shape->face[f][k]];
        int32_t at = n;
        while (at > 0 && out->key[at - 1] > v)
            at--;
        if (at > 0 && out->key[at - 1] == v)
            continue;
        for (int32_t i = n++; i > at; i--)
            out->key[i] = out->key[i - 1];
        out->key[at] = v;
    }
    return n >= shape->dimension;
}

/* The round of each half face. counts: out, of every round, how many this rank has. round_of: out, by slot from
 * this rank's first cell on; NO_ROUND where there is no half face. Rank and round of a face come from different
 * digits of its mixed number, so that each round has some for every rank. Not collective; rounds is the same on
 * all ranks. */
static void deal_rounds(const mpi_mesh *mesh, const mpi_cells *cells, uint64_t rounds,
                        uint8_t *round_of, int64_t counts[MOST_ROUNDS])
{
    const int64_t stride = cells->table.stride;
    memset(counts, 0, MOST_ROUNDS * sizeof *counts);
    memset(round_of, NO_ROUND, (size_t)(cells->table.nodes.n_rows * stride));
    for (int64_t c = 0; c < cells->table.nodes.n_rows; c++) {
        const int32_t *node;
        const mplan_cell_shape *shape = mplan_table_cell(&cells->table, c, &node);
        for (int32_t f = 0; f < shape->n_faces; f++) {
            half_face half;
            if (!half_of(mesh, cells, c, f, &half))
                continue;
            const uint64_t round = mix(half.key) / (uint64_t)mesh->ranks % rounds;
            round_of[c * stride + f] = (uint8_t)round;
            counts[round]++;
        }
    }
}

/* The n half faces of a round, on the ranks where they meet. Collective. n: how many this rank has. They are made
 * again from the cells: a byte of each slot is kept between rounds, not the 48 bytes of a half face. */
static mplan_status send_halves(const mpi_mesh *mesh, const mpi_cells *cells, const uint8_t *round_of,
                                uint8_t round, int64_t n, mpi_items *got, mplan_error *err)
{
    const int32_t stride = cells->table.stride;
    half_face *halves = mplan_alloc(n, sizeof *halves, err);
    int32_t *to = mplan_alloc(n, sizeof *to, err);
    mplan_status status = halves && to ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t c = 0; c < cells->table.nodes.n_rows && !status; c++)
        for (int32_t f = 0; f < stride; f++) {
            if (round_of[c * stride + f] != round || !half_of(mesh, cells, c, f, &halves[at]))
                continue;
            to[at] = (int32_t)(mix(halves[at].key) % (uint64_t)mesh->ranks);
            at++;
        }
    status = mpi_exchange_mixed(mesh->comm, status, sizeof *halves, halves, at, to, got, err);
    free(halves);
    free(to);
    return status;
}

/* By mixed numbers first, which counting sorts do; those with one, mostly of one face, are then brought into
 * order. The sorted list replaces halves->data. After it the half faces of one face follow each other, by cell,
 * then local face. */
static mplan_status sort_halves(mpi_items *halves, mplan_error *err)
{
    const int64_t n = halves->n;
    half_face *list = halves->data, *sorted = mplan_alloc(n, sizeof *sorted, err);
    uint64_t *keys = mplan_alloc(n, sizeof *keys, err), *spare = mplan_alloc(n, sizeof *spare, err);
    int32_t *items = mplan_alloc(n, sizeof *items, err);
    int32_t *spare_items = mplan_alloc(n, sizeof *spare_items, err);
    const bool room = sorted && keys && spare && items && spare_items;
    for (int64_t i = 0; i < n && room; i++) {
        keys[i] = mix(list[i].key);
        items[i] = (int32_t)i;
    }
    if (room)
        mplan_radix_sort_items(NULL, n, keys, items, spare, spare_items);
    for (int64_t i = 0, end; i < n && room; i = end) {
        for (end = i; end < n && keys[end] == keys[i]; end++)
            sorted[end] = list[items[end]];
        /* most runs are two half faces of one face: no call of qsort for them */
        if (end - i == 2 && compare_halves(&sorted[i], &sorted[i + 1]) > 0) {
            const half_face first = sorted[i];
            sorted[i] = sorted[i + 1];
            sorted[i + 1] = first;
        }
        if (end - i > 2)
            qsort(sorted + i, (size_t)(end - i), sizeof *sorted, compare_halves);
    }
    free(keys);
    free(spare);
    free(items);
    free(spare_items);
    if (!room) {
        free(sorted);
        return MPLAN_ERR_MEMORY;
    }
    free(halves->data);
    halves->data = sorted;
    return MPLAN_OK;
}

/* Those of one cell are folded there and cancel in pairs: the first of an odd number stays. run: n half faces of
 * one face, sorted; those that stay move to its front. Returns how many. */
static int64_t drop_folds(half_face *run, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && run[end].cell == run[i].cell;)
            end++;
        if ((end - i) % 2 == 1)
            run[kept++] = run[i];
    }
    return kept;
}

/* Answers to the half faces of one face, and the first face that is refused: refused->n, 0 without one. answers,
 * to: appended, an answer and the rank of its cell. Half faces without an answer keep MPLAN_MATE_NONE: folded
 * ones, and those of a face of more than two cells, where these are allowed. The lowest key is kept, so that it
 * does not matter in which order faces are met. */
static mplan_status match_run(const mpi_cells *cells, half_face *run, int64_t n,
                              mplan_vector *answers, mplan_vector *to, crowded *refused,
                              mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    n = drop_folds(run, n);
    if (n > 2) {
        if (cells->table.manifold && (refused->n == 0 || compare_keys(run->key, refused->key) < 0)) {
            *refused = (crowded){.n = n, .cells = {run[0].cell, run[1].cell, run[2].cell}};
            memcpy(refused->key, run->key, sizeof refused->key);
        }
        return MPLAN_OK;
    }
    for (int64_t i = 0; i < n && !status; i++) {
        const answer a = {run[i].cell * cells->table.stride + run[i].face,
                          n == 2 ? run[1 - i].cell : MPLAN_MATE_BOUNDARY};
        status = mplan_vector_push(answers, &a, err);
        if (!status)
            status = mplan_vector_push(to, &run[i].rank, err);
    }
    return status;
}

/* One round of n half faces: they there, answers back into mate. Collective. mate: by slot from this rank's first
 * cell on; each slot is written in one round at most. A rank that fails between both exchanges takes its fault to
 * the second one. */
static mplan_status match_round(const mpi_mesh *mesh, const mpi_cells *cells,
                                const uint8_t *round_of, uint8_t round, int64_t n, int64_t *mate,
                                crowded *refused, mplan_error *err)
{
    mpi_items halves = {0}, got = {0};
    mplan_vector answers = MPLAN_VECTOR_INIT(sizeof(answer)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = send_halves(mesh, cells, round_of, round, n, &halves, err);
    if (!status)
        status = sort_halves(&halves, err);
    half_face *list = halves.data;
    /* half faces [i, end) are one face */
    for (int64_t i = 0, end; i < halves.n && !status; i = end) {
        for (end = i + 1; end < halves.n && compare_keys(list[end].key, list[i].key) == 0;)
            end++;
        status = match_run(cells, list + i, end - i, &answers, &to, refused, err);
    }
    mpi_items_free(&halves);
    status = mpi_exchange_mixed(mesh->comm, status, sizeof(answer), answers.data, answers.count,
                                to.data, &got, err);
    const answer *told = got.data;
    /* slots of the mesh become slots of this rank */
    for (int64_t i = 0; i < got.n && !status; i++)
        mate[told[i].slot - cells->first * cells->table.stride] = told[i].mate;
    mpi_items_free(&got);
    free(answers.data);
    free(to.data);
    return status;
}

/* The lowest face that any rank refuses, in words. Collective: every rank gets the faces of all, one a rank at
 * most, and says the same sentence. MPLAN_OK without one. */
static mplan_status tell_refused(const mpi_mesh *mesh, mplan_status status, const crowded *own,
                                 mplan_error *err)
{
    mpi_items all = {0};
    status = mpi_gather(mesh->comm, true, status, sizeof *own, own, own->n > 0, &all, err);
    if (!status && all.n > 0) {
        crowded *list = all.data;
        char nodes[96] = "";
        size_t length = 0;
        /* each face meets on one rank only: no two have one key */
        qsort(list, (size_t)all.n, sizeof *list, compare_crowded);
        for (int k = 0; k < MPLAN_FACE_CORNERS && list->key[k] >= 0; k++)
            length += (size_t)snprintf(nodes + length, sizeof nodes - length, "%s%lld",
                                       k ? ", " : "", (long long)list->key[k]);
        status = mplan_fail(err, MPLAN_ERR_MESH,
                            "%lld cells meet at one face (nodes %s): cells %lld, %lld, %lld%s",
                            (long long)list->n, nodes, (long long)list->cells[0],
                            (long long)list->cells[1], (long long)list->cells[2],
                            list->n > 3 ? ", ..." : "");
    }
    mpi_items_free(&all);
    return status;
}

/* Rounds are as many on every rank, by the rank with most slots. *mate is set on success only, and is the
 * caller's. Memory: 9 bytes a slot, and what a round sends, gets and sorts. */
mplan_status mpi_match_faces(const mpi_mesh *mesh, const mpi_cells *cells, int64_t **mate,
                             mplan_error *err)
{
    assert(mesh && cells && mate);
    const int64_t slots = cells->table.nodes.n_rows * cells->table.stride;
    /* made: 64 bits a slot, by slot from this rank's first cell on */
    crowded refused = {.n = 0};
    int64_t *made = mplan_alloc(slots, sizeof *made, err), counts[MOST_ROUNDS];
    uint8_t *round_of = mplan_alloc(slots, 1, err);
    mplan_status status = mpi_agree(mesh->comm, made && round_of ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t i = 0; i < slots && !status; i++)
        made[i] = MPLAN_MATE_NONE;
    /* slots, not half faces, are counted: some more rounds than needed where cells have few faces */
    int64_t rounds = status ? 0 : mpi_most(mesh->comm, slots) / ROUND + 1;
    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    if (!status)
        deal_rounds(mesh, cells, (uint64_t)rounds, round_of, counts);
    for (int64_t round = 0; round < rounds && !status; round++)
        status = match_round(mesh, cells, round_of, (uint8_t)round, counts[round], made, &refused,
                             err);
    free(round_of);
    if (!status)
        status = tell_refused(mesh, status, &refused, err);
    if (status)
        free(made);
    else
        *mate = made;
    return status;
}
