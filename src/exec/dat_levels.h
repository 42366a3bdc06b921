/* SPDX-License-Identifier: Apache-2.0 */
/* dat_levels.h - dats with levels: where their numbers are, and loops with layers that are bound
 *
 * A dat with levels is a flat dat of as many members as columns times levels, in one of two orders; so layouts and
 * strides are those of flat dats. A matrix by owner is the exception: it lies as owner-gather reads it. */
#ifndef MPLAN_EXEC_DAT_LEVELS_H
#define MPLAN_EXEC_DAT_LEVELS_H

#include "exec/exec.h"
#include "exec/meshplan_layers.h"

/* What leads to each point as lists: words word[start[p]] ... of point p, one for each slot of the increments that leads
 * there, in the order of the sums: element << bits | slot. */
typedef struct mplan_owner_lists {
    int64_t n_points;
    int32_t *start;
    uint32_t *word;
    int32_t bits, longest;
} mplan_owner_lists;
/* Of owner-gather's table, variant v of loop l, with every number in range; MPLAN_ERR_CORRUPT. Freed by the caller, also
 * after a failure. */
mplan_status mplan_owner_lists_of(const mplan_plan *plan, int32_t l, int32_t v,
                                  mplan_owner_lists *lists, mplan_error *err);
/* Of two-step's lists for the map of arg a. */
mplan_status mplan_gather_lists_of(const mplan_plan *plan, int32_t l, int32_t v, int32_t a,
                                   mplan_owner_lists *lists, mplan_error *err);
void mplan_owner_lists_free(mplan_owner_lists *lists);

/* Where the rows of a matrix are that is stored by owner. */
typedef struct mplan_owner_rows {
    int32_t loop, variant;   /* whose entries they follow */
    int32_t rows, width;     /* of the matrix; words of a point */
    int32_t *entry;          /* per place of the loop's set and row its word */
    mplan_map map;           /* of the increments, as stored */
    mplan_arg_layers layers; /* of the increments */
} mplan_owner_rows;
void mplan_owner_rows_free(mplan_owner_rows *rows);

/* Gives a dat that is being declared the levels that the plan says; dim, type, set and storage_size are there. */
mplan_status mplan_exec_take_levels(const mplan_exec *exec, mplan_exec_dat *made, mplan_error *err);
/* Rows of the caller, n members times levels, go in or come out; one of in and out is NULL. new_of_old: host memory. */
mplan_status mplan_exec_move_levels(const mplan_exec *exec, const mplan_exec_dat *dat,
                                    const int32_t *new_of_old, int64_t n, const void *in, void *out,
                                    mplan_error *err);
/* Sets the bytes of all members. */
mplan_status mplan_exec_fill_levels(const mplan_exec *exec, const mplan_exec_dat *dat, int byte,
                                    mplan_error *err);

/* What a bound loop with layers has beside the flat ones' members. */
typedef struct mplan_layers_bound {
    const mplan_layer_kernel *kernel;
    mplan_kernel shell; /* name, args and parameters, for what asks a flat loop's kernel */
    mplan_kernel_arg shell_args[MPLAN_LAYER_ARGS];
    mplan_layers_call call;
    mplan_layer_data args[MPLAN_LAYER_ARGS];
    mplan_owner_lists lists; /* on the host */
    /* of the device: owner-gather's lists; per arg starts and two-step's lists */
    void *device_start, *device_word, *device_spans, *device_packed, *device_packed_first,
        *device_light;
    void *starts[MPLAN_LAYER_ARGS], *list_start[MPLAN_LAYER_ARGS], *list[MPLAN_LAYER_ARGS];
    int64_t inner_points,
        owned_points; /* of a part: points below need no halo, or are its own; packed levels before those of these */
    int32_t inner_packed, owned_packed;
    void *device_span, *column_of; /* of blocks */
    void *partial[MPLAN_LAYER_ARGS], *partial_any[MPLAN_LAYER_ARGS];
    void **thread_out; /* per thread of the host room for results of one layer or one column, by arg */
} mplan_layers_bound;

void mplan_exec_unbind_layers(mplan_exec_loop *bound);
/* bind_layer_lists.c: n numbers of `size` bytes go to the device, *copy is released with the loop; the lists of owner-gather,
 * on the device as well where that runs the loop; those of two-step, which only the device reads. */
mplan_status mplan_layers_copy_out(mplan_exec_loop *bound, const void *from, int64_t n, size_t size,
                                   void **copy, mplan_error *err);
mplan_status mplan_layers_fill_owner(mplan_exec_loop *bound, mplan_error *err);
mplan_status mplan_layers_fill_lists(mplan_exec_loop *bound, mplan_error *err);
/* bind_layer_blocks.c: strategies by blocks. */
mplan_status mplan_layers_fill_blocks(mplan_exec_loop *bound, mplan_error *err);
/* host_layers.c */
mplan_status mplan_host_prepare_layers(mplan_exec_loop *bound, mplan_error *err);
/* call: the loop's, or a part of it. */
void mplan_host_run_layers(mplan_exec_loop *bound, const mplan_layers_call *call);
/* host_layer_columns.c. Layers of a column, none in holes; whether layer k, one of them, is there; runs those that are there, with the increments
 * of layer k and slot s from (k - bottom) * slots + s on in out, or with out NULL added to the dats. */
void mplan_host_layers_of(const mplan_layers_call *call, int64_t e, int32_t *begin, int32_t *end);
bool mplan_host_is_there(const mplan_layers_call *call, int64_t e, int32_t k);
void mplan_host_run_column(const mplan_exec_loop *bound, int64_t e, void *const *out);
/* Adds one member of arg a to level j of point p. */
void mplan_host_add_level(const mplan_exec_loop *bound, int32_t a, int64_t p, int64_t j,
                          const void *from, bool atomic);
/* Whether layer k of element e leads by slot s of the arg to level j; *k. */
bool mplan_host_layer_at(const mplan_layers_call *call, const mplan_layer_data *arg, int64_t e,
                         int32_t s, int64_t j, int32_t *k);
/* host_layer_blocks.c: layers that the host keeps of each position of a block, and both strategies. */
int32_t mplan_host_kept_layers(const mplan_layers_call *call);
void mplan_host_layer_blocks(mplan_exec_loop *bound);
/* Whether a launch of the loop can be cut, and how many elements or points, as its strategy counts, it has in all. */
bool mplan_exec_layers_cut(const mplan_exec_loop *bound, int64_t *n);
/* The elements or points from bound->call.first to bound->call.end (which may be beyond the last), where it can be cut; else
 * the whole loop. */
mplan_status mplan_exec_launch_layers(mplan_exec *exec, mplan_exec_loop *bound, void *stream,
                                      mplan_error *err);

#endif
