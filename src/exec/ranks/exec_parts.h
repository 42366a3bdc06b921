/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts.h - an executor of several parts: an executor for each, and halos between them
 *
 * The executor that a caller holds has no dats and no bound loops of its own. Each of its parts has an executor
 * (exec.h) of the part's plan, with dats of owned members and halo; dats have the same numbers in all of them.
 * A part belongs to a rank. `local` has the parts of all ranks here, other transports those of one rank.
 *
 * A link is a list of members that one part imports from another, of one set. Links between two parts of a rank are
 * copied; those of a pair of ranks make one message, link by link in ascending order of (importing part, exporting
 * part, set), and in a link dat by dat. Both ends have the same links in the same order, because the plans of both parts say them.
 *
 * Lanes and mails (peer) are of ranks that store into one another's memory: all in this process, or one in each of several
 * processes (direct), whose lanes and ends of mails are here for this process's rank only. */
#ifndef MPLAN_EXEC_PARTS_H
#define MPLAN_EXEC_PARTS_H

#include "exec/cuda/device_halo.h"
#include "exec/exec.h"
#include "exec/meshplan_ranks.h"
#include "plan/ring_steps.h"

/* One part that is open here. */
typedef struct mplan_exec_one_part {
    int32_t part, rank;
    mplan_plan *plan;
    mplan_exec *exec;
    /* by set, of a plan with slabs: the stored index of each place of the part order, which imports and exports count (PART_PLACES), and its
     * inverse; NULL: the stored order is the part order */
    const int32_t **place;
    int32_t **part_of;
} mplan_exec_one_part;

/* What part `to` imports from part `from`. */
typedef struct mplan_link {
    int32_t to, from;
    int32_t to_rank, from_rank;
    int32_t to_here, from_here; /* numbers of parts that are open here; -1: it is elsewhere */
    int32_t set;
    int64_t n;
    mplan_part_import in; /* places at `to`, where that is here: `n` in two ranges */
    const int32_t *out;   /* places at `from`, where that is here: n of them */
    int32_t *in_list,
        *out_list; /* of plans with slabs: stored indices of both, in memory of where dats are; else NULL */
} mplan_link;

/* One direction of a pair of ranks, of which one is here: links [first, end) of the list. */
typedef struct mplan_channel {
    int32_t from_rank, to_rank;
    int64_t first, end;
    char *buffer; /* of the executor's memory: what is packed here, or what has arrived */
    int64_t capacity, bytes; /* of the exchange at hand */
    char *staged; /* CUDA, where the transport takes host memory only: the same bytes there; else NULL */
} mplan_channel;

/* peer: the device of a rank. Of ranks of other processes nothing but its number. */
typedef struct mplan_lane {
    int32_t device;
    void *gpu;       /* its streams (device_halo.h); NULL on the host */
    uint32_t *words; /* in its memory: those below, and counters of its ends of mails */
    /* exchanges inside loops: n_tables tables (meshplan_exchange.h), each in table_room bytes, of which the first
     * n_uploaded are where kernels read them, too; on the host that is the same memory */
    char *tables, *tables_there;
    int64_t table_room;
    int32_t n_tables, n_uploaded;
} mplan_lane;
/* Words of a lane, far enough from one another that no two share a line of a cache; those of mails come behind. */
enum {
    MPLAN_LANE_STOPPED = 0,
    MPLAN_LANE_READY = 32,
    MPLAN_LANE_PASSED = 64,
    MPLAN_LANE_DONE = 96,
    MPLAN_LANE_WORDS = 128
};

/* peer: messages of one rank for another; for each there is one the other way, without links perhaps. Between processes only
 * the end of this process's rank is filled. */
typedef struct mplan_mail {
    int32_t from_rank, to_rank;
    int64_t first, end;      /* links */
    char *rooms;             /* two of `capacity` bytes (nccl: one), of the receiver's memory */
    char *packed;            /* nccl: as many of the sender's; NULL: others */
    int64_t capacity, bytes; /* bytes: of the exchange at hand */
    bool used;               /* in the exchange at hand */
    mplan_mail_end out, in;
} mplan_mail;

/* Launches that were captured from an executor of parts. */
typedef struct mplan_parts_graph {
    int32_t n; /* graphs: of each lane, or one */
    void **graph;
    int32_t *level; /* by dat: up to which ring its halo is right behind the graph */
    int64_t exchanges, inside, messages, bytes, copied;
    int64_t rooms; /* rooms_made when it was captured: it stores into the rooms of then */
} mplan_parts_graph;

/* Up to which ring the halo of a dat was right when the dat had been changed `times` times: after an exchange all of it
 * is (level rings + 1), after a launch that ran halos, too, what exec_parts_rings.c says. */
typedef struct mplan_halo_state {
    int64_t times; /* -1: never */
    int64_t sent; /* changes when the exchange under way, or the last one, began: it brings values of then */
    int32_t level;
} mplan_halo_state;

/* Parts that are here follow one another: here[i].part is here[0].part + i. Links, channels and mails are made once
 * at open and never change; only rooms and lists grow. */
typedef struct mplan_exec_parts {
    int32_t n_parts, ranks;    /* of the bundle; of all */
    int32_t rank;              /* -1: all are here */
    mplan_transport transport; /* exchange NULL: local */
    char moved_by[256];        /* the transport, and from which memory */
    /* exec_parts_told.c: a failure of this rank or of another, which all calls return from then on; MPLAN_OK: none */
    mplan_status lost;
    char lost_text[MPLAN_ERROR_TEXT];
    bool has_told;  /* the transport knows a failure of this rank */
    bool at_work;   /* the call at hand is past what it refuses on all ranks alike */
    bool together;  /* the call at hand has failed on all ranks alike, which know it */
    bool in_flight; /* the transport has memory of messages */
    bool overlap, poison;
    int32_t n_here; /* parts, ascending, as their ranks */
    mplan_exec_one_part *here;
    int32_t *first_part; /* ranks + 1 */
    int32_t n_sets;
    int64_t *base; /* set s, part p at s * (n_parts + 1) + p: canonical ids begin there */
    int64_t n_links, n_copies;
    mplan_link *links; /* by (from_rank, to_rank, to, from, set); those of a rank with itself are in `copies` */
    mplan_link *copies; /* to and from of one rank that is here */
    int32_t n_channels;
    mplan_channel *channels;
    mplan_lane *lanes;           /* peer: one for each rank; NULL: others */
    struct mplan_direct *direct; /* peer between processes (exec_parts_direct.h); NULL: others */
    int64_t n_mails;
    mplan_mail *mails;
    bool to_inside; /* peer: messages go inside the loops that need them, where these can */
    bool by_nccl;   /* peer: messages go by it, and no device waits for a number */
    void *nccl;
    mplan_nccl_message *letters; /* room for n_mails */
    uint32_t *failed; /* by rank: 1 + the rank that was waited for in vain; memory of the host, pinned for CUDA */
    double patience;
    bool reserved;      /* rooms are large enough for an exchange of all dats */
    int64_t rooms_made; /* how many times since the open */
    bool capturing;     /* launches go into graphs */
    bool aside;         /* peer: of the exchange under way, messages travel beside the launches, */
    bool early;         /* and what is sent is read before the launches that come next */
    int64_t n_moves;
    mplan_move *moves; /* room for n_moves */
    int32_t n_states;
    mplan_halo_state *states; /* by dat */
    int32_t rings;            /* that parts compute beside what they own; 0: none */
    bool *changes;            /* with rings, by dat: a loop of the plan changes it */
    bool *spreads;            /* likewise: its halo matters for what parts own, now or later */
    /* of plans with slabs (exec_parts_visits.c): steps from one exchange to the next, of the part with fewest (before the first steps: of
     * those that are here); 0: other plans */
    int32_t visit_steps;
    bool agreed;            /* visit_steps are those of all parts, on all ranks */
    bool limited;           /* slabs go through windows, and dats are in memory of the host */
    mplan_ring_entry *step; /* of the plan */
    mplan_ring_steps uses;
    /* the exchange under way */
    bool open;
    int32_t n_dats;
    int32_t *dats; /* of it, ascending; room for n_states */
    int32_t *list; /* those that a call asks for; room for n_states: once dats are declared, calls need no memory to come to it */
    void *request;
    int32_t n_in, n_out;
    mplan_message *in, *out; /* room for n_channels each */
    int64_t exchanges, messages, bytes, copied;
    int64_t inside; /* of the exchanges */
} mplan_exec_parts;

/* Where plans of parts come from: a bundle, or a test. */
typedef struct mplan_exec_source {
    int32_t n_parts, n_sets;
    const void *user;
    const int64_t *(*base)(const void *user, int32_t set); /* n_parts + 1 canonical ids */
    mplan_status (*read)(const void *user, int32_t part, mplan_plan **plan, mplan_error *err);
} mplan_exec_source;
/* As mplan_exec_open_part, with options that are whole. */
mplan_status mplan_exec_open_source(const mplan_exec_source *source, const mplan_transport *transport,
                                    const mplan_exec_options *options,
                                    const mplan_rank_options *ranks, mplan_exec **exec,
                                    mplan_error *err);

/* Ranks [first, end) have their parts here. */
static inline int32_t mplan_exec_parts_first_rank(const mplan_exec_parts *parts)
{
    return parts->rank < 0 ? 0 : parts->rank;
}
static inline int32_t mplan_exec_parts_end_rank(const mplan_exec_parts *parts)
{
    return parts->rank < 0 ? parts->ranks : parts->rank + 1;
}
static inline bool mplan_exec_parts_is_here(const mplan_exec_parts *parts, int32_t rank)
{
    return rank >= mplan_exec_parts_first_rank(parts) && rank < mplan_exec_parts_end_rank(parts);
}

/* The executor of part i that is open here. */
static inline mplan_exec *mplan_exec_parts_exec(const mplan_exec_parts *parts, int32_t i)
{
    return parts->here[i].exec;
}
/* What the plan of part i says of a set as a part of it. */
static inline const mplan_part_set *mplan_exec_parts_set(const mplan_exec_parts *parts, int32_t i,
                                                         int32_t set)
{
    return &mplan_plan_get_set(parts->here[i].plan, set)->part;
}
/* Members of a set that are owned here, and the canonical id of the first. */
static inline int64_t mplan_exec_parts_begin(const mplan_exec_parts *parts, int32_t set)
{
    return parts->base[set * (parts->n_parts + 1) + parts->here[0].part];
}
/* One past the last of them. */
static inline int64_t mplan_exec_parts_end(const mplan_exec_parts *parts, int32_t set)
{
    return parts->base[set * (parts->n_parts + 1) + parts->here[parts->n_here - 1].part + 1];
}
/* Where canonical ids of part p begin. */
static inline int64_t mplan_exec_parts_base(const mplan_exec_parts *parts, int32_t set, int32_t p)
{
    return parts->base[set * (parts->n_parts + 1) + p];
}

/* The stream of part i: that of its rank, or the caller's. */
static inline void *mplan_exec_parts_stream(const mplan_exec_parts *parts, int32_t i, void *stream)
{
    if (!parts->lanes || !parts->lanes[parts->here[i].rank].gpu)
        return stream;
    return mplan_gpu_lane_stream(parts->lanes[parts->here[i].rank].gpu, false);
}

/* exec_parts_calls.c */
extern const mplan_exec_calls mplan_exec_parts_calls;
/* A dat by name: its number, the same in all parts; else MPLAN_ERR_ARGUMENT. */
mplan_status mplan_exec_parts_find(const mplan_exec *exec, const char *dat, int32_t *number,
                                   mplan_error *err);
void mplan_exec_parts_close(mplan_exec_parts *parts);
/* Releases the buffers of a channel. */
void mplan_exec_parts_drop_room(const mplan_exec_parts *parts, mplan_channel *channel);
/* The executor with its parts and the records of its loops. */
void mplan_exec_parts_release(mplan_exec *exec);

/* --- exec_parts_told.c: a rank that fails keeps nobody waiting. Begin and end of each call that all ranks make. */
/* The failure of an earlier call, or of another rank. */
mplan_status mplan_exec_parts_begin_call(mplan_exec_parts *parts, mplan_error *err);
/* Returns status: where it is a failure that the others do not know, they are told of it, with the sentence in err, which must not be NULL.
 * What is refused (MPLAN_ERR_ARGUMENT, MPLAN_ERR_UNSUPPORTED, not at_work) is the same on all ranks and told to nobody. */
mplan_status mplan_exec_parts_end_call(mplan_exec_parts *parts, mplan_status status,
                                       mplan_error *err);
/* A failure of another rank, which it has told of, in the place of what this one found afterwards: status and err; else status as it is. */
mplan_status mplan_exec_parts_heard(const mplan_exec_parts *parts, mplan_status status,
                                    mplan_error *err);
/* The same of what the caller's own function has returned, whatever it is. err may be NULL. */
void mplan_exec_parts_tell(mplan_exec *exec, mplan_status status, const mplan_error *err);

/* --- exec_parts_links.c */
mplan_status mplan_exec_parts_link(mplan_exec_parts *parts, mplan_error *err);
/* Lists of stored indices; the parts are open still. */
void mplan_exec_parts_unlink(mplan_exec_parts *parts);

/* --- exec_parts_places.c, exec_parts_visits.c: parts whose stored orders have slabs. Nothing where they have none. */
/* Places of part i, which is open: MPLAN_ERR_CORRUPT where they are not a permutation. Release them with the part. */
mplan_status mplan_exec_parts_open_places(mplan_exec_one_part *part, mplan_error *err);
void mplan_exec_parts_close_places(mplan_exec_one_part *part);
/* After all parts are open: visit_steps of those that are here. */
mplan_status mplan_exec_parts_open_visits(mplan_exec_parts *parts, mplan_error *err);
/* The stored index at a place of the part order. */
static inline int64_t mplan_exec_parts_stored(const mplan_exec_one_part *part, int32_t set,
                                              int64_t place)
{
    return part->place ? part->place[set][place] : place;
}
/* Steps from one exchange to the next of an executor of parts with slabs; 0: parts have none. Before the ranks have agreed those of the
 * parts that are here. */
int32_t mplan_exec_parts_makes_visits(const mplan_exec *exec);
mplan_status mplan_exec_parts_agree_visits(mplan_exec *exec, mplan_error *err);
/* Steps of the plan's step by visits: an exchange, visit_steps steps of each part, an exchange ... entries are those of the plan's step. */
mplan_status mplan_exec_parts_steps(mplan_exec *exec, const mplan_exec_entry *entries,
                                    int32_t n_entries, int64_t n_steps, mplan_error *err);

/* --- exec_parts_dats.c: calls of meshplan_exec.h for all parts */
mplan_status mplan_exec_parts_declare(mplan_exec *exec, const char *dat, const char *set,
                                      int32_t dim, mplan_type type, int32_t layout, mplan_error *err);
mplan_status mplan_exec_parts_declare_all(mplan_exec *exec, mplan_error *err);
mplan_status mplan_exec_parts_upload(mplan_exec *exec, const char *dat, const void *rows,
                                     int64_t n_rows, int32_t dim, mplan_type type, mplan_error *err);
mplan_status mplan_exec_parts_download(mplan_exec *exec, const char *dat, void *rows, int64_t n_rows,
                                       int32_t dim, mplan_type type, mplan_error *err);
mplan_status mplan_exec_parts_set_global(mplan_exec *exec, const char *dat, const void *values,
                                         int32_t dim, mplan_type type, void *stream,
                                         mplan_error *err);
mplan_status mplan_exec_parts_fill(mplan_exec *exec, const char *dat, int byte, mplan_error *err);
mplan_status mplan_exec_parts_clear(mplan_exec *exec, const char *dat, void *stream,
                                    mplan_error *err);
mplan_status mplan_exec_parts_wait(mplan_exec *exec, mplan_error *err);
mplan_status mplan_exec_parts_check_mesh(const mplan_exec *exec, mplan_mesh *mesh, mplan_error *err);
int64_t mplan_exec_parts_bytes(const mplan_exec *exec);

/* --- exec_parts_rings.c */
/* Up to which ring the halo of a dat is right; rings + 1: all of it. */
int32_t mplan_exec_parts_level(mplan_exec_parts *parts, int32_t dat);
/* Says so. */
void mplan_exec_parts_set_level(mplan_exec_parts *parts, int32_t dat, int32_t level);
/* An exchange of the dat begins; it has ended: the halo is right if the dat was not changed meanwhile. */
void mplan_exec_parts_mark_sent(mplan_exec_parts *parts, int32_t dat);
void mplan_exec_parts_mark_arrived(mplan_exec_parts *parts, int32_t dat);
/* Whether some of the halo of a dat is out of date. */
bool mplan_exec_parts_is_stale(mplan_exec_parts *parts, int32_t dat);
/* After dats were declared: changes and spreads. Nothing without rings. */
mplan_status mplan_exec_parts_learn(mplan_exec_parts *parts, mplan_error *err);
/* Before a launch, with rings: dats whose halos are to be exchanged first, ascending (list: room for all), *n of them.
 * Returns up to which ring results are right when that is done; 0: only what parts own is to run. */
int32_t mplan_exec_parts_wanted(mplan_exec_parts *parts, const mplan_exec_loop *bound,
                                int32_t *list, int32_t *n);
/* After it: what the loop changed is right up to that ring. */
void mplan_exec_parts_computed(mplan_exec_parts *parts, const mplan_exec_loop *bound, int32_t level);

/* --- exec_parts_share.c */
/* Of a launch in one part: members [0, inner) need no halo, [inner, end) may; those behind are others'. */
typedef struct mplan_exec_share {
    int64_t inner, end;
} mplan_exec_share;
/* bound: of a part. whole: members of halos run, too. */
mplan_exec_share mplan_exec_parts_share(const mplan_exec_loop *bound, bool whole);
/* Whether elements of halos run. */
bool mplan_exec_parts_runs_halo(const mplan_plan_loop *loop);

/* --- exec_parts_tables.c */
/* Whether launches with messages inside can be at all. */
bool mplan_exec_parts_may_go_inside(const mplan_exec_parts *parts);
/* The number of the table of a rank for the exchange at hand; -1: there is no room for one more. */
mplan_status mplan_exec_parts_find_table(mplan_exec_parts *parts, int32_t rank, int32_t *found,
                                         mplan_error *err);
/* Room for tables of the dats at hand, where it is too small. */
mplan_status mplan_exec_parts_tables_rooms(mplan_exec_parts *parts, mplan_error *err);
/* Tables that were added go where kernels read them. */
mplan_status mplan_exec_parts_tables_upload(mplan_exec_parts *parts, mplan_error *err);
void mplan_exec_parts_tables_close(mplan_exec_parts *parts);

/* --- exec_parts_inside.c */
/* After the loop was bound in all parts. */
mplan_status mplan_exec_parts_inside_ask(mplan_exec_parts *parts, mplan_exec_loop *const *part,
                                         mplan_error *err);
mplan_status mplan_exec_parts_launch_inside(mplan_exec_parts *parts, const mplan_exec_loop *bound,
                                            const int32_t *dats, int32_t n, bool whole,
                                            const void *parameters, bool *done, mplan_error *err);

/* --- exec_parts_exchange.c */
/* n dats by number, ascending, are those of the exchange at hand; there is room for it. */
mplan_status mplan_exec_parts_choose(mplan_exec_parts *parts, const int32_t *dats, int32_t n,
                                     mplan_error *err);
/* Those of the exchange at hand are in memory, and zeroed where they were cleared. */
mplan_status mplan_exec_parts_prepare_dats(mplan_exec_parts *parts, void *stream, mplan_error *err);
/* Of n dats by number, ascending. */
mplan_status mplan_exec_parts_begin_exchange(mplan_exec_parts *parts, const int32_t *dats,
                                             int32_t n, void *stream, mplan_error *err);
mplan_status mplan_exec_parts_end_exchange(mplan_exec_parts *parts, void *stream, mplan_error *err);
/* Room for the moves of any mail with all dats at hand, and of copies within a rank. */
mplan_status mplan_exec_parts_moves_room(mplan_exec_parts *parts, mplan_error *err);
/* Moves of links [first, end) into the buffer or out of it go to parts->moves; *n of them, *bytes in the buffer. */
mplan_status mplan_exec_parts_collect(mplan_exec_parts *parts, int64_t first, int64_t end,
                                      char *buffer, bool pack, int64_t *n, int64_t *bytes,
                                      mplan_error *err);
/* Bytes that links [first, end) have in a message, of the exchange at hand. */
int64_t mplan_exec_parts_link_bytes(const mplan_exec_parts *parts, int64_t first, int64_t end);
/* Copies between parts of one rank, -1: of all ranks that are here. */
mplan_status mplan_exec_parts_copy_within(mplan_exec_parts *parts, int32_t rank, void *stream,
                                          mplan_error *err);
/* Rooms and tables for exchanges of any dats, so that none is made in an exchange. Waits. own: a failure before, which it is then;
 * processes that are direct must call it then, too, as the others wait for them. */
mplan_status mplan_exec_parts_reserve(mplan_exec_parts *parts, mplan_status own, mplan_error *err);
/* Poisons halos that are out of date, where that is wanted. */
void mplan_exec_parts_poison(mplan_exec_parts *parts);
/* Room for the states of all dats. */
mplan_status mplan_exec_parts_grow(mplan_exec_parts *parts, mplan_error *err);
/* Bytes of all ranks in ascending order of ranks; mine: of the parts here. Each rank has `bytes` times its parts. */
mplan_status mplan_exec_parts_gather_parts(mplan_exec_parts *parts, const void *mine, int64_t bytes,
                                           void *all, mplan_error *err);

/* --- exec_parts_lanes.c: after the links */
/* Mails, lanes without anything in them, and where failed waits are told; then the lane of a rank that is here. */
mplan_status mplan_exec_parts_make_lanes(mplan_exec_parts *parts, mplan_error *err);
mplan_status mplan_exec_parts_open_lane(mplan_exec_parts *parts, int32_t rank, int32_t device,
                                        mplan_error *err);
/* The words of an end of mail m at a rank that is here: all but `arrived`. */
mplan_mail_end mplan_exec_parts_mail_end(const mplan_exec_parts *parts, int64_t m, int32_t rank,
                                         bool send);
/* Nothing may be under way. Nothing where there are none. */
void mplan_exec_parts_close_lanes(mplan_exec_parts *parts);

/* --- exec_parts_peer.c: devices that store into one another's memory. All need the links, but for the first. */
mplan_status mplan_exec_parts_check_devices(const int32_t *devices, int32_t ranks, mplan_error *err);
mplan_status mplan_exec_parts_open_peer(mplan_exec_parts *parts, const int32_t *devices,
                                        bool by_nccl, mplan_error *err);
void mplan_exec_parts_close_peer(mplan_exec_parts *parts);
/* Rooms for the dats of the exchange at hand, where they are too small. */
mplan_status mplan_exec_parts_peer_rooms(mplan_exec_parts *parts, mplan_error *err);
/* Which mails it uses. */
void mplan_exec_parts_peer_mark(mplan_exec_parts *parts);
mplan_status mplan_exec_parts_peer_send(mplan_exec_parts *parts, mplan_error *err);
mplan_status mplan_exec_parts_peer_receive(mplan_exec_parts *parts, mplan_error *err);
/* MPLAN_ERR_DEVICE where a rank waited in vain. */
mplan_status mplan_exec_parts_peer_check(const mplan_exec_parts *parts, mplan_error *err);
/* MPLAN_ERR_ARGUMENT for a stream of the caller's where launches go into the executor's own. */
mplan_status mplan_exec_parts_check_stream(const mplan_exec_parts *parts, const void *stream,
                                           mplan_error *err);

/* --- exec_parts_graph.c */
mplan_status mplan_exec_parts_capture(mplan_exec *exec,
                                      mplan_status (*record)(void *user, void *stream,
                                                             mplan_error *err),
                                      void *user, mplan_exec_graph **graph, mplan_error *err);
/* The graph must be of this executor; with lanes the stream is NULL or that of the first one. */
mplan_status mplan_exec_parts_replay(mplan_exec *exec, mplan_exec_graph *graph, void *stream,
                                     mplan_error *err);
/* Milliseconds of `times` replays together, from idle to idle. */
mplan_status mplan_exec_parts_time(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                                   double *milliseconds, mplan_error *err);
void mplan_exec_parts_graph_free(mplan_exec_graph *graph);

/* --- exec_parts_trial.c: whether messages arrive from the memory that they are to be in. All ranks alike. */
mplan_status mplan_exec_parts_try(mplan_exec_parts *parts, mplan_executor executor, mplan_error *err);

/* --- exec_parts_launch.c */
/* The plan of part i of those that are here; NULL behind the last. */
const mplan_plan *mplan_exec_parts_plan(const mplan_exec *exec, int32_t i);
mplan_status mplan_exec_parts_bind(mplan_exec *exec, const char *loop, int32_t variant,
                                   const mplan_kernel *kernel, mplan_exec_loop **bound,
                                   mplan_error *err);
mplan_status mplan_exec_parts_bind_layers(mplan_exec *exec, const char *loop, int32_t variant,
                                          const struct mplan_layer_kernel *kernel,
                                          mplan_exec_loop **bound, mplan_error *err);
mplan_status mplan_exec_parts_launch(mplan_exec *exec, mplan_exec_loop *bound,
                                     const void *parameters, void *stream, mplan_error *err);

/* --- exec_parts_globals.c */
/* Before a launch: globals that the loop changes are kept in `kept` and neutral in all parts. */
mplan_status mplan_exec_parts_open_globals(mplan_exec_parts *parts, const mplan_plan_loop *loop,
                                           const int32_t *dats, char *kept, mplan_error *err);
/* After it: what was kept and what the parts have, in ascending order. */
mplan_status mplan_exec_parts_close_globals(mplan_exec_parts *parts, const mplan_plan_loop *loop,
                                            const int32_t *dats, const char *kept, mplan_error *err);
mplan_status mplan_exec_parts_reduce(mplan_exec *exec, const char *dat, int32_t component,
                                     mplan_reduction reduction, double *result, mplan_error *err);

#endif
