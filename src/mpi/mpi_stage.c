/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_stage.c - what each rank is doing, for the case that one of them ends, and what it took
 *
 * The peak of a stage is the system's own count. Where it is asked for it is set back when the next stage begins (by a file of
 * Linux), and what others read of this process is then that of the last stage; else it is the largest up to its end. */
#include "mpi/mpi_stage.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/late_stop.h"
#include "mpi/exchange.h"

enum { MOST_SAID = 64 }; /* ranks that are told of */

/* A handler of a signal reads these. Both lists are by rank of the node: stages, in shared memory, and ranks among all. */
static volatile int *stages;
static int node_rank, node_ranks;
static MPI_Win window = MPI_WIN_NULL;
static MPI_Comm node = MPI_COMM_NULL;
static int world_ranks[MOST_SAID];

/* What stages took up to now, by place in the order of a run; `seconds`: those of the process when the one at hand began. */
enum { PLAN = 5 }; /* the place of all parts */
static mpi_stage_cost costs[MPI_STAGES] = {{"begin", 0, 0}, {"read", 0, 0}, {"derive", 0, 0},
                                           {"cut", 0, 0},   {"move", 0, 0}, {"plan", 0, 0},
                                           {"write", 0, 0}, {"prove", 0, 0}};
static int at_hand;
static int one_by_one; /* peaks are set back */
static double seconds_before;

/* Of a stage below 0, or of a part: its place. */
static int place_of(int stage)
{
    const int i = -1 - stage;
    return stage >= 0 ? PLAN : i < PLAN ? i : i + 1;
}

/* Text behind `at`; both end before `end`. */
static char *add_text(char *at, const char *end, const char *text)
{
    while (*text && at < end)
        *at++ = *text++;
    return at;
}

/* A number that is not negative, in decimal. */
static char *add_number(char *at, const char *end, int number)
{
    char digits[12];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0 && at < end)
        *at++ = digits[--n];
    return at;
}

/* Of a stage below 0. */
static const char *word_of(int stage)
{
    const int i = place_of(stage);
    return i < MPI_STAGES ? costs[i].word : "?";
}

/* In a handler. Two ranks of a node say it, as one of them may be gone. Nothing is called but
 * write, which a handler may call: no allocation, no stdio, no MPI. */
static void say_stages(void)
{
    char text[4096], *at = text;
    const char *end = text + sizeof text - 1;
    if (!stages || node_rank > 1)
        return;
    at = add_text(at, end, "meshplan-mpi: stopped; no bundle was written. Ranks were at");
    for (int r = 0; r < node_ranks && r < MOST_SAID; r++) {
        at = add_text(at, end, r == 0 ? " rank " : ", rank ");
        at = add_number(at, end, world_ranks[r]);
        at = add_text(at, end, stages[r] >= 0 ? ": part " : ": ");
        at = stages[r] >= 0 ? add_number(at, end, stages[r]) : add_text(at, end, word_of(stages[r]));
    }
    *at++ = '\n';
    (void)!write(STDERR_FILENO, text, (size_t)(at - text));
}

/* One number for each rank of the node, in a window that the first of them has memory for.
 * Collective. world_ranks[r]: the rank in comm of rank r of this node. Each rank begins at
 * MPI_STAGE_BEGIN. */
void mpi_stage_open(MPI_Comm comm)
{
    int rank, disp = 0, *all = NULL;
    MPI_Aint size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_ranks);
    MPI_Win_allocate_shared(node_rank == 0 ? (MPI_Aint)node_ranks * (MPI_Aint)sizeof(int) : 0,
                            sizeof(int), MPI_INFO_NULL, node, &all, &window);
    MPI_Win_shared_query(window, 0, &size, &disp, &all);
    all[node_rank] = MPI_STAGE_BEGIN;
    for (int r = 0; r < node_ranks && r < MOST_SAID; r++) {
        world_ranks[r] = rank;
        mpi_bcast(&world_ranks[r], 1, MPI_INT, r, node);
    }
    stages = all;
    cli_stop_says(say_stages);
}

/* Signals that come after it say nothing of stages.
 * Collective. Also where it was not opened. */
void mpi_stage_close(void)
{
    stages = NULL;
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
}

/* Adds what this process took since the stage at hand began, or since the last call. */
static void count_costs(void)
{
    struct rusage self;
    if (getrusage(RUSAGE_SELF, &self))
        return;
    const double seconds = (double)(self.ru_utime.tv_sec + self.ru_stime.tv_sec) +
                           1e-6 * (double)(self.ru_utime.tv_usec + self.ru_stime.tv_usec);
    const int64_t peak = (int64_t)self.ru_maxrss * 1024; /* the system counts in units of 1024 */
    costs[at_hand].seconds += seconds - seconds_before;
    if (peak > costs[at_hand].peak)
        costs[at_hand].peak = peak;
    seconds_before = seconds;
}

/* The peak becomes what there is now. */
static void set_back(void)
{
    const int file = one_by_one ? open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    (void)!write(file, "5", 1); /* proc(5) */
    close(file);
}

/* One store, which a handler of another process may read at any moment; the rest is for the report. */
void mpi_stage(int stage)
{
    if (stages)
        stages[node_rank] = stage;
    count_costs();
    at_hand = place_of(stage);
    set_back();
}

/* From here on, and when a stage begins, the system forgets the peak before. */
void mpi_stage_peaks(void)
{
    one_by_one = 1;
    set_back();
}

void mpi_stage_costs(mpi_stage_cost out[MPI_STAGES])
{
    count_costs();
    for (int i = 0; i < MPI_STAGES; i++)
        out[i] = costs[i];
}
