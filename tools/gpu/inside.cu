/* SPDX-License-Identifier: Apache-2.0 */
/* inside.cu - loops whose kernels exchange halos themselves, between ranks that run at the same time
 *
 * A plate of cells is cut into strips, one a rank, and takes steps: fluxes over edges, in each of three ways to run them, with
 * the messages inside the kernel, then an update of the cells. Whole numbers, against a plate that is not cut. On a device each
 * rank is a stream; where CUDA is emulated it is a thread, whose blocks run in order (tests/emulate). At last a neighbour
 * that never sends: who waits for it goes on, and says for whom it waited. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "exec/meshplan_kernel.h"

/* What a cell gets of a neighbour, weighted by both. */
#define FLUX_ARGS(MAPPED, DIRECT, OPPOSITE)   \
    MAPPED(q, edges_cells, 2, 2, f64, READ)   \
    MAPPED(adt, edges_cells, 2, 1, f64, READ) \
    OPPOSITE(res, edges_cells, 2, f64)
MPLAN_VIEWS(flux, FLUX_ARGS)
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *)
{
    v->res[0] = v->q[1][0] * v->adt[0][0] - v->q[0][0] * v->adt[1][0];
    v->res[1] = v->q[1][1] - v->q[0][1] + v->adt[1][0] - v->adt[0][0];
}

/* As MPLAN_KERNEL makes it, without kernels of strategies that have no messages inside. */
namespace {
struct flux_traits {
    typedef flux_views views;
    typedef mplan_no_parameters parameters;
    enum { MPLAN_LIST_3(FLUX_ARGS, MPLAN_PLACE_) n_args };
    static constexpr mplan_kernel_arg about[] = {MPLAN_LIST_3(FLUX_ARGS, MPLAN_ABOUT_)};
    template <class F> static MPLAN_INLINE void each(F &f, views &v)
    {
        MPLAN_LIST_3(FLUX_ARGS, MPLAN_VISIT_)
    }
    template <class F> static MPLAN_INLINE void each_two(F &f, views &v, views &w)
    {
        MPLAN_LIST_3(FLUX_ARGS, MPLAN_VISIT_TWO_)
    }
    static MPLAN_INLINE void count(views &, const mplan_launch_call &, int64_t)
    {
    }
    static MPLAN_INLINE void run(views &v, const parameters *p)
    {
        flux(&v, p);
    }
};
} // namespace
typedef mplan::with_layouts<flux_traits, mplan::OWNER_LAYOUTS> loop;

/* The cell's part of a step: all numbers stay whole and small. */
static __host__ __device__ void update(double *q, double *adt, double *res0, double *res1)
{
    const double sum[2] = {q[0] * 3 + *res0, q[1] * 5 + *res1};
    for (int c = 0; c < 2; c++)
        q[c] = sum[c] - 1024 * floor(sum[c] / 1024);
    *adt = q[0] - 8 * floor(q[0] / 8);
    *res0 = *res1 = 0;
}
__global__ void update_kernel(double *q, double *adt, double *res, int64_t stride, int n)
{
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        update(q + 2 * i, adt + i, res + i, res + stride + i);
}

enum { RANKS = 3, WIDE = 37, HIGH = 40, STEPS = 25, THREADS = 64, MAILS = 2 * (RANKS - 1) };

/* Memory that both sides use; it lives as long as the program. */
template <typename T> static T *shared_memory(size_t n)
{
    void *memory = nullptr;
    if (cudaMallocManaged(&memory, n * sizeof(T)) != cudaSuccess) {
        printf("no memory\n");
        exit(1);
    }
    memset(memory, 0, n * sizeof(T));
    return static_cast<T *>(memory);
}
template <typename T> static T *shared_copy(const std::vector<T> &from)
{
    T *to = shared_memory<T>(from.size() + 1);
    if (!from.empty())
        memcpy(to, from.data(), from.size() * sizeof(T));
    return to;
}

/* --- strips ------------------------------------------------------------------------------ */

/* Columns [begin, end) of the plate: cells that need no halo, the others, then the halo's by its owner. */
struct strip {
    int begin, end, inner, owned, n, n_edges;
    std::vector<int> cell;         /* in the plate */
    std::vector<int> place;        /* by cell of the plate; -1: not here */
    std::vector<int32_t> exported; /* to the left neighbour, then to the right one, HIGH each */
    double *q, *adt, *res, *results;
    mplan_launch_call call;
    mplan_launch_exchange exchange;
    uint32_t *words;
    cudaStream_t stream;
};

static strip strips[RANKS];

static void add_cell(strip *s, int x, int y)
{
    s->place[y * WIDE + x] = int(s->cell.size());
    s->cell.push_back(y * WIDE + x);
}

/* Places of the strip's cells; what is sent is in the order of rows of the plate, as halos are. */
static void place_cells(strip *s, int rank)
{
    s->begin = rank * WIDE / RANKS;
    s->end = (rank + 1) * WIDE / RANKS;
    s->place.assign(WIDE * HIGH, -1);
    const int left = rank > 0 ? s->begin : -1, right = rank < RANKS - 1 ? s->end - 1 : -1;
    for (int y = 0; y < HIGH; y++)
        for (int x = s->begin; x < s->end; x++)
            if (x != left && x != right)
                add_cell(s, x, y);
    s->inner = int(s->cell.size()) / 32 * 32;
    for (int x : {left, right})
        for (int y = 0; y < HIGH; y++) {
            if (x >= 0)
                add_cell(s, x, y);
            s->exported.push_back(x < 0 ? 0 : s->place[y * WIDE + x]);
        }
    s->owned = int(s->cell.size());
    for (int x : {left < 0 ? -1 : s->begin - 1, right < 0 ? -1 : s->end})
        for (int y = 0; y < HIGH && x >= 0; y++)
            add_cell(s, x, y);
    s->n = int(s->cell.size());
}

/* Edges of the plate, each between a cell and that behind it in x or y. */
static std::vector<int> edges_of_plate()
{
    std::vector<int> edges;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            for (int way = 0; way < 2; way++)
                if (way ? y + 1 < HIGH : x + 1 < WIDE) {
                    edges.push_back(y * WIDE + x);
                    edges.push_back(way ? (y + 1) * WIDE + x : y * WIDE + x + 1);
                }
    return edges;
}

/* Those with a cell of the strip's own, first the ones that need no halo; *inner of them. */
static std::vector<int32_t> edges_of_strip(const strip &s, int *inner)
{
    const std::vector<int> all = edges_of_plate();
    std::vector<int32_t> rows;
    for (int halo = 0; halo < 2; halo++)
        for (size_t e = 0; e < all.size(); e += 2) {
            const int a = s.place[all[e]], b = s.place[all[e + 1]];
            const bool own = (a >= 0 && a < s.owned) || (b >= 0 && b < s.owned);
            if (!own || (a < s.owned && b < s.owned) != (halo == 0))
                continue;
            rows.push_back(a);
            rows.push_back(b);
            *inner += halo == 0;
        }
    return rows;
}

/* Entries of owner-gather in index32, at most four a row, and slots of two-step; of all places. */
static void make_tables(strip *s, const std::vector<int32_t> &rows)
{
    const int slices = (s->n + 31) / 32;
    std::vector<std::vector<int64_t>> slots(s->n);
    std::vector<int32_t> entries(slices * 4 * 32, -1);
    std::vector<int64_t> offsets = {0}, flat;
    for (size_t i = 0; i < rows.size(); i++)
        slots[rows[i]].push_back(int64_t(i));
    for (int p = 0; p < s->n; p++) {
        for (size_t k = 0; k < slots[p].size(); k++) {
            entries[(p / 32 * 4 + k) * 32 + p % 32] = int32_t(slots[p][k]);
            flat.push_back(slots[p][k]);
        }
        offsets.push_back(int64_t(flat.size()));
    }
    s->call.owner_entries = shared_copy(entries);
    for (mplan_launch_arg *arg : {&s->call.arg[2]}) {
        arg->gather_offsets = shared_copy(offsets);
        arg->gather_slots = shared_copy(flat);
        arg->scratch = s->results = shared_memory<double>(rows.size());
    }
}

/* What an executor would fill in. */
static void make_call(strip *s)
{
    int inner = 0;
    const std::vector<int32_t> rows = edges_of_strip(*s, &inner);
    mplan_launch_call &call = s->call;
    s->q = shared_memory<double>(2 * s->n);
    s->adt = shared_memory<double>(s->n);
    s->res = shared_memory<double>(2 * s->n);
    s->n_edges = int(rows.size() / 2);
    void *const data[] = {s->q, s->adt, s->res};
    for (int a = 0; a < 3; a++) {
        call.arg[a].data = data[a];
        call.arg[a].set_size = s->n;
        call.arg[a].stride = a == 2 ? s->n : 0;
    }
    call.arg[0].rows = call.arg[1].rows = call.arg[2].rows = shared_copy(rows);
    call.n_elements = s->n_edges;
    call.n_points = s->n;
    call.complete = call.rest = true;
    call.encoding = MPLAN_ENCODING_INDEX32;
    call.threads = THREADS;
    call.elements_per_thread = 2;
    call.columns = 2;
    call.width = 4;
    call.owner_slice = 32;
    call.exchange = &s->exchange;
    make_tables(s, rows);
    s->call.first = inner; /* kept here until a way to run is chosen */
}

/* --- mails ------------------------------------------------------------------------------- */

enum { READY = 0, PASSED = 32, DONE = 64, STOPPED = 96, MAIL_WORDS = 128, WORDS = 1024 };

static char *rooms[RANKS][2]; /* of the receiver, from the left and from the right */
static uint32_t *failed;
static const int64_t ROOM = (2 + 1) * HIGH * int64_t(sizeof(double));

/* One end of the mail that `to` gets from its neighbour on a side. */
static mplan_mail_end mail_end(int from, int to, bool send, int64_t patience)
{
    const int side = from < to ? 0 : 1; /* of the receiver */
    uint32_t *in = strips[to].words + MAIL_WORDS + 96 * side;
    uint32_t *out = strips[from].words + MAIL_WORDS + 96 * (2 + 1 - side);
    mplan_mail_end end = {};
    end.room = ROOM;
    end.arrived = in;
    end.counted = (send ? out : in) + 32;
    end.blocks = (send ? out : in) + 64;
    end.stopped = strips[send ? from : to].words + STOPPED;
    end.failed = failed + (send ? from : to);
    end.from_rank = uint32_t(from);
    end.patience = patience;
    return end;
}

/* HIGH members of dim numbers, into the room or out of it. */
static mplan_move move_of(const strip &s, int dim, double *data, char *room, bool send, int side)
{
    mplan_move_end dat = {}, message = {};
    dat.data = reinterpret_cast<char *>(data);
    dat.member = dim;
    dat.level = dim;
    dat.component = 1;
    dat.first = s.owned + (side && s.begin > 0 ? HIGH : 0);
    dat.n_first = HIGH;
    if (send)
        dat.list = shared_copy(std::vector<int32_t>(s.exported.begin() + side * HIGH,
                                                    s.exported.begin() + (side + 1) * HIGH));
    message.data = room;
    message.member = dim;
    message.level = dim;
    message.component = 1;
    message.n_first = HIGH;
    return {HIGH, 1, dim, 8, send ? dat : message, send ? message : dat};
}

/* All that a rank sends, then all that it receives; two thread blocks for each. */
static void make_exchange(int rank, int64_t patience)
{
    strip &s = strips[rank];
    const int n = (rank > 0) + (rank < RANKS - 1);
    char *memory = shared_memory<char>(size_t(mplan_exchange_table_bytes(2 * n, 4 * n)));
    mplan_exchange_table *table = reinterpret_cast<mplan_exchange_table *>(memory);
    mplan_exchange_mail *mail = reinterpret_cast<mplan_exchange_mail *>(table + 1);
    mplan_move *moves = reinterpret_cast<mplan_move *>(mail + 2 * n);
    for (int send = 1; send >= 0; send--)
        for (int side = 0; side < 2; side++) {
            const int other = side ? rank + 1 : rank - 1;
            if (other < 0 || other >= RANKS)
                continue;
            char *room = send ? rooms[other][1 - side] : rooms[rank][side];
            *mail++ = {send ? mail_end(rank, other, true, patience)
                            : mail_end(other, rank, false, patience),
                       table->blocks, 2, int32_t(table->n_moves), 2};
            *moves++ = move_of(s, 2, s.q, room, send, side);
            *moves++ = move_of(s, 1, s.adt, room + 2 * HIGH * sizeof(double), send, side);
            table->n_moves += 2;
            table->blocks += 2;
            (send ? table->n_out : table->n_in)++;
            table->sending += send ? 2 : 0;
        }
    s.exchange = {};
    s.exchange.table = table;
    s.exchange.ready = s.words + READY;
    s.exchange.passed = s.words + PASSED;
    s.exchange.done = s.words + DONE;
    s.exchange.blocks = table->blocks;
}

/* As the executor cuts a launch: members [inner, end) wait. */
static void cut(strip *s, mplan_strategy strategy, int64_t inner, int64_t end)
{
    mplan_launch_exchange &x = s->exchange;
    s->call.strategy = strategy;
    s->call.first = 0;
    s->call.end = end;
    if (mplan::launch_inside<loop>(&s->call, s->stream, true) != cudaSuccess || x.resident <= 0) {
        printf("no kernel with messages inside\n");
        exit(1);
    }
    const int64_t all = (end + x.per_block - 1) / x.per_block;
    x.whole = int32_t(inner / x.per_block);
    x.waiting = int32_t(all - x.whole);
    x.first_waiting = x.blocks + x.whole / 2; /* the others that need no halo come behind */
}

/* --- runs -------------------------------------------------------------------------------- */

static void start(double *q, double *adt, int cell)
{
    q[0] = cell % 101;
    q[1] = cell * 7 % 103;
    adt[0] = cell % 5;
}

/* One step of a rank, in its stream. */
static void run_step(strip *s)
{
    mplan::launch_inside<loop>(&s->call, s->stream, false);
    if (s->call.strategy == MPLAN_STRATEGY_TWO_STEP)
        mplan::gather_kernel<loop><<<(s->n + 63) / 64, 64, 0, s->stream>>>(s->call, s->n);
    update_kernel<<<(s->owned + 63) / 64, 64, 0, s->stream>>>(s->q, s->adt, s->res, s->n, s->owned);
}

/* Halos hold what no cell has until they are received. */
static void make_strips(int64_t patience)
{
    failed = shared_memory<uint32_t>(RANKS);
    for (int r = 0; r < RANKS; r++) {
        strips[r] = strip();
        place_cells(&strips[r], r);
        make_call(&strips[r]);
        strips[r].words = shared_memory<uint32_t>(WORDS);
        cudaStreamCreateWithFlags(&strips[r].stream, cudaStreamNonBlocking);
        for (char *&room : rooms[r])
            room = shared_memory<char>(2 * ROOM);
        for (int i = 0; i < strips[r].n; i++)
            if (i < strips[r].owned)
                start(strips[r].q + 2 * i, strips[r].adt + i, strips[r].cell[i]);
            else
                strips[r].q[2 * i] = strips[r].q[2 * i + 1] = strips[r].adt[i] = NAN;
    }
    for (int r = 0; r < RANKS; r++)
        make_exchange(r, patience);
}

/* Ranks side by side: streams of a device, or threads where each thread is a device. */
static void run_ranks(int ranks)
{
#ifdef MESHPLAN_EMULATED_CUDA_RUNTIME_H
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; r++)
        threads.emplace_back([r] {
            for (int step = 0; step < STEPS; step++)
                run_step(&strips[r]);
        });
    for (std::thread &one : threads)
        one.join();
#else
    for (int step = 0; step < STEPS; step++)
        for (int r = 0; r < ranks; r++)
            run_step(&strips[r]);
    if (cudaDeviceSynchronize() != cudaSuccess)
        printf("a launch failed: %s\n", cudaGetErrorString(cudaGetLastError()));
#endif
}

/* The same steps on the plate as a whole: q, two numbers a cell. */
static std::vector<double> run_plate()
{
    const std::vector<int> edges = edges_of_plate();
    const int n = WIDE * HIGH;
    std::vector<double> q(2 * n), adt(n), res(2 * n);
    for (int i = 0; i < n; i++)
        start(&q[2 * i], &adt[i], i);
    for (int step = 0; step < STEPS; step++) {
        for (size_t e = 0; e < edges.size(); e += 2) {
            const int a = edges[e], b = edges[e + 1];
            const double sum[2] = {q[2 * b] * adt[a] - q[2 * a] * adt[b],
                                   q[2 * b + 1] - q[2 * a + 1] + adt[b] - adt[a]};
            for (int c = 0; c < 2; c++) {
                res[2 * a + c] += sum[c];
                res[2 * b + c] -= sum[c];
            }
        }
        for (int i = 0; i < n; i++)
            update(&q[2 * i], &adt[i], &res[2 * i], &res[2 * i + 1]);
    }
    return q;
}

/* Numbers of owned cells that are not those of the plate, and words that are not as they were before. */
static int count_wrong(const std::vector<double> &expected)
{
    int wrong = 0;
    for (int r = 0; r < RANKS; r++) {
        const strip &s = strips[r];
        for (int i = 0; i < s.owned; i++)
            for (int c = 0; c < 2; c++)
                wrong += s.q[2 * i + c] != expected[2 * s.cell[i] + c];
        for (int word : {READY, PASSED, DONE, STOPPED})
            wrong += s.words[word] != 0;
        wrong += failed[r] != 0;
    }
    return wrong;
}

static bool report(const char *what, int wrong)
{
    printf("inside, %s: %d numbers differ\n", what, wrong);
    return wrong == 0;
}

int main()
{
    /* A kernel that is loaded at its first launch waits for the device, and so for ranks that wait for those behind it. */
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    const std::vector<double> expected = run_plate();
#ifdef MESHPLAN_EMULATED_CUDA_RUNTIME_H
    const int64_t patience = INT64_C(1) << 60; /* more readings of the clock than the test has */
#else
    const int64_t patience = INT64_C(5000000000);
#endif
    bool good = true;
    for (mplan_strategy way :
         {MPLAN_STRATEGY_OWNER_GATHER, MPLAN_STRATEGY_TWO_STEP, MPLAN_STRATEGY_ATOMIC}) {
        make_strips(patience);
        for (strip &s : strips)
            cut(&s, way, way == MPLAN_STRATEGY_OWNER_GATHER ? s.inner : int(s.call.first),
                way == MPLAN_STRATEGY_OWNER_GATHER ? s.owned : s.n_edges);
        run_ranks(RANKS);
        good = report(way == MPLAN_STRATEGY_OWNER_GATHER ? "owner-gather"
                      : way == MPLAN_STRATEGY_TWO_STEP   ? "two-step"
                                                         : "atomic",
                      count_wrong(expected)) &&
               good;
    }
    /* Only rank 0 runs: it waits once for rank 1, says so, and takes all steps. */
    make_strips(1000000);
    for (strip &s : strips)
        cut(&s, MPLAN_STRATEGY_OWNER_GATHER, s.inner, s.owned);
    run_ranks(1);
    const strip &first = strips[0];
    const bool told = failed[0] == 1 + 1 && first.words[STOPPED] == 1 && first.words[READY] == 0 &&
                      first.words[PASSED] == 0 && first.words[DONE] == 0 &&
                      strips[1].words[MAIL_WORDS] == STEPS;
    return report("a neighbour that never sends", !told) && good ? 0 : 1;
}
