/* SPDX-License-Identifier: Apache-2.0 */
/* told_over_mpi.c - ranks of MPI, one of which fails at any place: none waits for ever (support_told.h)
 *
 * Run by mpirun. Each case has a transport of its own, since one on which a rank has failed is of no use. Large messages, which MPI does not
 * send before they are asked for, are given up, too. */
#include "meshplan_mpi.h"

#include <unistd.h>

#include "ranks_sleep.h"
#include "support_told.h"

static void open_mpi(void *user, mplan_transport *transport)
{
    ring_must(mplan_mpi_open(MPI_COMM_WORLD, user, transport, &ring_err), "MPI");
}

static void close_mpi(void *user)
{
    mplan_mpi_close(user);
}

static void share(void *user, const told_said *mine, told_said *all)
{
    (void)user;
    MPI_Allgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *all, MPI_BYTE, MPI_COMM_WORLD);
}

/* Messages of 8 MiB to all others and of all others, but of rank 1, which fails in their place: none arrives whole, or all but its own do. */
static bool gives_up_large(int32_t rank, int32_t ranks)
{
    enum { BYTES = 8 << 20 };
    mplan_mpi mpi;
    mplan_transport transport;
    mplan_message in[TOLD_MOST], out[TOLD_MOST];
    int32_t n = 0;
    void *request = NULL;
    char *room = calloc((size_t)ranks * 2, BYTES);
    mplan_error err = {MPLAN_OK, ""};
    open_mpi(&mpi, &transport);
    for (int32_t r = 0; room && r < ranks; r++)
        if (r != rank) {
            in[n] = (mplan_message){r, room + (int64_t)r * BYTES, BYTES};
            out[n++] = (mplan_message){r, room + (int64_t)(r + ranks) * BYTES, BYTES};
        }
    if (rank == TOLD_FAILS)
        transport.tell(transport.user, MPLAN_ERR_DEVICE, "the device is gone");
    mplan_status status = transport.exchange(transport.user, in, n, out, n, NULL, &request, &err);
    if (!status)
        status = transport.wait(transport.user, request, NULL, &err);
    const bool good = room && status == MPLAN_ERR_DEVICE &&
                      strcmp(err.text, "rank 1 failed: the device is gone") == 0;
    if (!good)
        fprintf(stderr, "rank %d, large messages: %s: %s\n", (int)rank, mplan_status_name(status),
                err.text);
    mplan_mpi_close(&mpi); /* the memory of the messages stays */
    return good;
}

/* Ranks that close without looking at the word of another one, and open again at once: the word, and messages that nobody receives, are not
 * those of the next transport. */
static bool begins_anew(int32_t rank, int32_t ranks)
{
    enum { TIMES = 20 };
    mplan_mpi mpi;
    mplan_transport transport;
    unsigned char all[TOLD_MOST], mine = (unsigned char)rank;
    mplan_error err = {MPLAN_OK, ""};
    mplan_status status = MPLAN_OK;
    bool good = true;
    for (int i = 0; i < TIMES; i++) {
        int32_t number = i, other = -1;
        const int32_t next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
        const mplan_message out = {next, &number, sizeof number}, in = {last, &other, sizeof other};
        void *request = NULL;
        open_mpi(&mpi, &transport);
        memset(all, 0xff, sizeof all);
        status = transport.told(transport.user, &err);
        if (!status)
            status = transport.all_gather(transport.user, &mine, 1, all, &err);
        for (int32_t r = 0; r < ranks && !status; r++)
            good = good && all[r] == r;
        if (!status)
            status = transport.exchange(transport.user, &in, 1, &out, 1, NULL, &request, &err);
        if (!status)
            status = transport.wait(transport.user, request, NULL, &err);
        good = good && !status && other == i;
        if (!good)
            break;
        if (rank == TOLD_FAILS) {
            number = -2;
            transport.exchange(transport.user, NULL, 0, &out, 1, NULL, &request, NULL);
            transport.tell(transport.user, MPLAN_ERR_DEVICE, "the device is gone");
        }
        mplan_mpi_close(&mpi);
    }
    if (!good) {
        fprintf(stderr, "rank %d, opened again: %s: %s\n", (int)rank, mplan_status_name(status),
                err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return good;
}

int main(int argc, char **argv)
{
    static told_all of;
    mplan_mpi mpi;
    char name[64];
    int rank = 0, ranks = 1;
    MPI_Init(&argc, &argv);
    alarm(TOLD_FOR_EVER);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof name, "told_over_mpi.%ld", (long)getpid());
    told_prepare(&of, name);
    const told_world world = {rank, ranks, &mpi, open_mpi, close_mpi, share};
    int good = told_all_cases(&world, &of, true, argc > 1 ? atoi(argv[1]) : 1) &&
               gives_up_large(rank, ranks) && begins_anew(rank, ranks),
        all = 0;
    told_end(&of);
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return all ? 0 : 1;
}
