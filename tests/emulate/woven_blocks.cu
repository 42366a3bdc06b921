/* SPDX-License-Identifier: Apache-2.0 */
/* woven_blocks.cu - which rows thread blocks have where a launch runs slabs piece by piece (meshplan_cuda_weave.h)
 *
 * Random slabs and pieces, many of them empty, with borders inside thread blocks: each thread block comes once, in the order of pieces, then
 * slabs, by the first row that it has. Then counts of thread blocks at the limit of what a kernel's argument holds, and behind it. */
#include "exec/meshplan_kernel.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

enum { PIECES = MPLAN_SLAB_PIECES };

/* Slabs of a launch whose range begins at `begin`. */
struct woven_slabs {
    std::vector<int64_t> first;
    std::vector<int32_t> pieces;

    explicit woven_slabs(int64_t begin) : first(1, begin)
    {
    }
    /* One more, which has so many rows of each piece. */
    void add(const int64_t (&rows)[PIECES])
    {
        int64_t n = 0;
        for (int k = 0; k < PIECES; k++) {
            n += rows[k];
            if (k + 1 < PIECES)
                pieces.push_back(int32_t(n));
        }
        first.push_back(first.back() + n);
    }
    /* One whose rows are all of one piece. */
    void add_rows(int64_t n, int piece)
    {
        int64_t rows[PIECES] = {0};
        rows[piece] = n;
        add(rows);
    }
};

/* The thread blocks in the order in which they are due, found row by row. */
static std::vector<unsigned> blocks_due(const woven_slabs &slabs, int64_t per_block)
{
    std::vector<unsigned> of[PIECES];
    for (size_t s = 0; s + 1 < slabs.first.size(); s++)
        for (int64_t row = slabs.first[s]; row < slabs.first[s + 1]; row++) {
            const int32_t *pieces = slabs.pieces.data() + s * (PIECES - 1);
            const int64_t place = row - slabs.first[s], before = row - slabs.first[0];
            if (before % per_block == 0)
                of[std::upper_bound(pieces, pieces + PIECES - 1, place) - pieces]
                    .push_back(unsigned(before / per_block));
        }
    for (int k = 1; k < PIECES; k++)
        of[0].insert(of[0].end(), of[k].begin(), of[k].end());
    return of[0];
}

/* Whether a launch can have the slabs; *taken: the thread blocks whose rows those of the launch have. */
static bool weave_slabs(const woven_slabs &slabs, int64_t per_block, std::vector<unsigned> *taken)
{
    mplan_launch_weave weave;
    mplan_launch_call call;
    mplan::woven_blocks woven;
    std::memset(&call, 0, sizeof call);
    std::memset(static_cast<void *>(&woven), 0xa5, sizeof woven);
    weave.n = int32_t(slabs.first.size()) - 1;
    weave.first = slabs.first.data();
    weave.pieces = slabs.pieces.data();
    call.first = slabs.first.front();
    call.end = slabs.first.back();
    call.weave = &weave;
    if (!mplan::weave(&call, per_block, &woven))
        return false;
    for (blockIdx.x = 0; blockIdx.x < mplan::woven_grid(woven); blockIdx.x++)
        taken->push_back(mplan::woven_place(woven).block());
    return true;
}

static bool is_as_due(const woven_slabs &slabs, int64_t per_block)
{
    std::vector<unsigned> taken;
    return weave_slabs(slabs, per_block, &taken) && taken == blocks_due(slabs, per_block);
}

/* How many of random launches do not run each thread block once and in order. */
static int wrong_launches()
{
    enum { LAUNCHES = 4000 };
    std::mt19937 random(5); /* its numbers are the same everywhere */
    int wrong = 0;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        const int n = 1 + int(random() % MPLAN_WEAVE_MOST), most = 1 + int(random() % 300);
        const unsigned empty_slabs = random() % 4, empty_pieces = random() % 4;
        const int64_t per_block = 1 + int64_t(random() % 97);
        woven_slabs slabs(int64_t(random() % 1000));
        for (int s = 0; s < n; s++) {
            const bool empty = random() % 4 < empty_slabs;
            int64_t rows[PIECES] = {0};
            for (int k = 0; k < PIECES; k++)
                if (!empty && random() % 4 >= empty_pieces)
                    rows[k] = int64_t(random() % unsigned(most));
            slabs.add(rows);
        }
        wrong += !is_as_due(slabs, per_block);
    }
    return wrong;
}

/* A slab, or a piece of all slabs but the last, has at most 65535 thread blocks. */
static int wrong_limits()
{
    enum { MOST = 65535 };
    int wrong = 0;
    for (int more = 0; more < 2; more++) {
        const int piece = more ? PIECES - 1 : 3;
        std::vector<unsigned> taken;
        woven_slabs one(7), several(0);
        one.add_rows(MOST + more, piece);
        several.add_rows(MOST - 1, piece);
        several.add_rows(1 + more, piece);
        several.add_rows(MOST, piece);
        for (const woven_slabs *slabs : {&one, &several})
            wrong += more ? weave_slabs(*slabs, 1, &taken) : !is_as_due(*slabs, 1);
    }
    return wrong;
}

int main()
{
    const int launches = wrong_launches(), limits = wrong_limits();
    std::printf("thread blocks of random slabs: %d numbers are wrong\n", launches);
    std::printf("as many thread blocks as slabs can have: %d numbers are wrong\n", limits);
    return launches == 0 && limits == 0 ? 0 : 1;
}
