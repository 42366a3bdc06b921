/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_ranks.h - running the parts of a bundle on several ranks
 *
 * A bundle (formats/plan-format.md, section 13) holds plans for P parts of a mesh. R ranks, R <= P, share them: rank r
 * owns a run of consecutive parts. An executor that mplan_exec_open_part opens is used as any other (meshplan_exec.h); it runs the
 * parts of its rank one after the other. Before a loop it brings the halos of what the loop reads up to date, where
 * they are out of date: one message for each neighbouring rank, packed once, for all dats together; elements that need
 * no halo run while messages travel.
 *
 * Parts of a bundle with rings (mplan_plan_options) compute halos, too, as far as they are right, and launches exchange only when
 * nothing right is left: meshplan-parts(7).
 *
 * Every rank must make the same calls in the same order, as with MPI: declarations, uploads, launches, reductions.
 *
 * Where a call fails on one rank, no rank waits for it for ever (mplan_transport.tell): that rank's call says why, the next call of every other
 * rank that has to wait says "rank R failed: ..." with the same status, and from then on all calls of these executors but
 * mplan_exec_close return the same at once. What is refused for its arguments or is not supported (MPLAN_ERR_ARGUMENT,
 * MPLAN_ERR_UNSUPPORTED) nobody is told of: it is the same on all ranks, and executors stay as they were. meshplan-ranks(3) has the rule.
 *
 * Results: each part is computed by its own plan, whichever rank runs it, and exchanges copy bits. So all variants that
 * promise equal bits give equal bits for every number of ranks; so do globals and mplan_exec_reduce, which combine the
 * results of parts in ascending order. Atomic variants promise nothing. With sums in the mesh's order (--sums-order mesh)
 * dats have the bits of plans without parts, too.
 *
 * What differs from an executor of one plan:
 * - mplan_exec_upload and _download take the rows of the whole set in the mesh's order; a rank reads and
 *   writes the rows of members that it owns only (of a matrix that is stored by owner it reads those of halos, too). mplan_exec_upload_own and _download_own take the rank's own rows.
 * - mplan_exec_data, _adopt, _written, _upload_rows, _download_rows and ranges of launches are for
 *   executors of one plan; mplan_exec_part gives those.
 * - mplan_exec_capture needs ranks of this process (or a transport that can), and loops that change no globals. */
#ifndef MESHPLAN_RANKS_H
#define MESHPLAN_RANKS_H

#include "meshplan_exec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- transports ---------------------------------------------------------------------- */

/* Bytes for, or from, another rank. */
typedef struct mplan_message {
    int32_t rank;
    void *data; /* host memory; of the device with MPLAN_TRANSPORT_DEVICE_POINTERS on a CUDA executor */
    int64_t bytes;
} mplan_message;

enum {
    MPLAN_TRANSPORT_DEVICE_POINTERS = 1, /* messages may be in the memory of a device */
    MPLAN_TRANSPORT_STREAM_ORDERED = 2,  /* exchange and wait only put work into the stream */
    MPLAN_TRANSPORT_CAPTURE = 4,         /* and may be captured into a graph */
    /* after a failure messages may still read or write their memory: what is under way then is not released */
    MPLAN_TRANSPORT_KEEPS = 8
};

/* How messages get to other ranks: filled by meshplan_mpi.h or the user, who leaves at 0 what there is not.
 * Functions return MPLAN_OK, or a status with a sentence in err; after a failure the executor is of no use.
 * stream: of the launch (a cudaStream_t).
 *
 * A rank that fails tells all others by `tell`, and what they wait for then, or later, fails at once on all of them, also on the one that
 * told: "rank R failed: ...", with the status of that rank. Without `tell` and `told` (NULL) others wait for its messages for ever, unless
 * the program ends them. */
typedef struct mplan_transport {
    size_t struct_size;
    void *user;
    const char *name;    /* of the way that bytes really go: "mpi, host memory", ... */
    int32_t rank, ranks; /* of the caller, and how many */
    uint32_t can;
    /* Starts to send n_out and to receive n_in messages, at most one each for a rank, none from or to the
     * caller's own. Both lists ascend by rank and live until wait has returned. *request: for wait. */
    mplan_status (*exchange)(void *user, const mplan_message *in, int32_t n_in,
                             const mplan_message *out, int32_t n_out, void *stream, void **request,
                             mplan_error *err);
    /* All messages have arrived and those sent may be overwritten; with STREAM_ORDERED in the order of the stream. */
    mplan_status (*wait)(void *user, void *request, void *stream, mplan_error *err);
    /* `bytes` bytes of every rank, in the order of ranks; host memory. */
    mplan_status (*all_gather)(void *user, const void *mine, int64_t bytes, void *all,
                               mplan_error *err);
    /* This rank has failed (status is not MPLAN_OK). Waits for nobody; behind the first time it does nothing. Executors call it; a program
     * may, where it fails beside them. */
    void (*tell)(void *user, mplan_status status, const char *reason);
    /* Whether any rank has told; waits for nobody. MPLAN_OK, or what exchange, wait and all_gather return then. */
    mplan_status (*told)(void *user, mplan_error *err);
} mplan_transport;

/* --- opening --------------------------------------------------------------------------- */

/* Whether ranks that are processes store messages into one another's memory. */
typedef enum mplan_direct_use {
    MPLAN_DIRECT_NEVER,
    MPLAN_DIRECT_IF_ALL_CAN, /* else the transport carries all messages, and mplan_exec_exchanged says why */
    MPLAN_DIRECT_ALWAYS /* else opening fails: MPLAN_ERR_UNSUPPORTED */
} mplan_direct_use;

typedef struct mplan_rank_options {
    size_t struct_size;
    int32_t ranks; /* without a transport: so many ranks, all of them in this process (the transport "local"); 0: 1 */
    /* parts of rank r: [first_part[r], first_part[r + 1]), not empty, from 0 to P; ranks + 1 numbers.
     * NULL: as even as possible */
    const int32_t *first_part;
    bool overlap; /* elements without a halo run while messages travel */
    bool poison;  /* for tests, on the host: halos that are out of date hold NaN bytes (0xff) */
    /* without a transport: the CUDA device of each rank, all of them different; then messages go from device to device
     * (the transport "peer"). NULL: all ranks on the device of the executor's options */
    const int32_t *devices;
    double patience; /* seconds that a rank waits for a message of another before the step fails; 0: 10, direct 600 */
    bool nccl; /* with devices: messages by NCCL, whose library (libnccl.so.2) is opened then, instead of "peer" */
    /* the default. With devices (or direct), one part for each rank and overlap: thread blocks of a loop's own kernel send and
     * receive the halos that it needs (the transport "peer-inside"), where its strategy has such kernels; else, as always without,
     * kernels of their own do ("peer") */
    bool inside;
    /* with a transport, one process for each rank, all on one host: an mplan_direct_use, the same on all ranks. Messages go as
     * by "peer", or "peer-inside", through memory that processes share: of devices by CUDA's IPC, a device for each rank; of the
     * host on host executors. The transport only carries what sets it up. All ranks open and close together */
    int32_t direct;
} mplan_rank_options;
#define MPLAN_RANK_OPTIONS_INIT                                                   \
    {                                                                             \
        sizeof(mplan_rank_options), 0, NULL, true, false, NULL, 0, false, true, 0 \
    }

/* Opens the parts that the caller's rank owns. transport NULL: all ranks in this process. They are taken in turn, and
 * messages are copied in memory ("local"); with devices of their own they run at the same time, and kernels store
 * messages into memory of the device that they are for ("peer"): nothing waits on the host. Such an executor has streams of
 * its own, in which all launches go: the caller gives NULL, or the stream that mplan_exec_capture gives.
 * A device that waits longer than `patience` makes the next call fail: MPLAN_ERR_DEVICE, with both ranks. On host executors
 * `devices` are numbers only, and peer is emulated, for tests. options: as for mplan_exec_open; topology is compared with that of the bundle, sizes with
 * those of whole sets. ranks NULL: defaults. The bundle is not needed afterwards. MPLAN_ERR_ARGUMENT for more ranks than
 * parts, and for two ranks on one device; MPLAN_ERR_DEVICE where a device cannot use memory of a neighbour's.
 * With a transport all ranks open or none does: those that could say "rank R failed: ...", with the status of that rank; also where some
 * have slabs and others none (MPLAN_ERR_CORRUPT). bundle NULL: a rank that has none fails so, and with it the others.
 * With options->device_memory halos are in memory of the host and go by the transport, or copies: devices may be the same then, `direct` is not
 * used, and MPLAN_DIRECT_ALWAYS, nccl and a store are MPLAN_ERR_UNSUPPORTED. */
MPLAN_API mplan_status mplan_exec_open_part(const mplan_bundle *bundle,
                                            const mplan_transport *transport,
                                            const mplan_exec_options *options,
                                            const mplan_rank_options *ranks, mplan_exec **exec,
                                            mplan_error *err);

/* --- what a rank owns -------------------------------------------------------------------- */

/* Canonical ids [first, end) of a set are members that the executor owns (local: all ranks together). An id names the
 * same member for every number of ranks: files in canonical order are independent of it. */
MPLAN_API mplan_status mplan_exec_own_range(const mplan_exec *exec, const char *set, int64_t *first,
                                            int64_t *end, mplan_error *err);
/* Numbers of these members in the whole mesh, end - first of them. */
MPLAN_API mplan_status mplan_exec_own_ids(const mplan_exec *exec, const char *set, int64_t *ids,
                                          int64_t n, mplan_error *err);
/* As mplan_exec_upload and _download: n_rows = end - first rows, in canonical order, with levels so many times. Uploads of a
 * matrix that is stored by owner are refused (MPLAN_ERR_UNSUPPORTED). */
MPLAN_API mplan_status mplan_exec_upload_own(mplan_exec *exec, const char *dat, const void *rows,
                                             int64_t n_rows, int32_t dim, mplan_type type,
                                             mplan_error *err);
MPLAN_API mplan_status mplan_exec_download_own(mplan_exec *exec, const char *dat, void *rows,
                                               int64_t n_rows, int32_t dim, mplan_type type,
                                               mplan_error *err);

/* The executor of the i-th part that is open here, *part its number in the bundle; NULL past the last. It belongs to
 * `exec`. Who writes to its dats must do so on all ranks, for `exec` asks its first part what was written. */
MPLAN_API mplan_exec *mplan_exec_part(const mplan_exec *exec, int32_t i, int32_t *part);

/* --- exchanges ----------------------------------------------------------------------------- */

/* Brings the halos of n dats up to date (those that are not), between launches: begin packs and sends, end
 * receives. Nothing may be launched that writes these dats, or reads their halos, in between. Launches exchange by
 * themselves what they need. MPLAN_ERR_ARGUMENT: begun twice, or not begun. */
MPLAN_API mplan_status mplan_exec_exchange_begin(mplan_exec *exec, const char *const *dats,
                                                 int32_t n, void *stream, mplan_error *err);
MPLAN_API mplan_status mplan_exec_exchange_end(mplan_exec *exec, void *stream, mplan_error *err);

/* What was exchanged since the executor was opened, by the ranks of this process. */
typedef struct mplan_exchange_figures {
    const char *transport;              /* which one moved the bytes */
    int32_t rank, ranks;                /* rank -1: all, local */
    int32_t parts;                      /* open here */
    int64_t exchanges, messages, bytes; /* messages and bytes sent to other ranks */
    int64_t copied;                     /* bytes between parts of one rank */
    int64_t inside; /* of the exchanges: those that loops' own kernels made (peer-inside) */
} mplan_exchange_figures;
MPLAN_API mplan_status mplan_exec_exchanged(const mplan_exec *exec, mplan_exchange_figures *figures,
                                            mplan_error *err);

#ifdef __cplusplus
}
#endif

#endif
