/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_kernel.h - one source of a kernel for every executor
 *
 * The elemental function of a loop is written once, in the common subset of C11
 * and CUDA C++, over views of its args. This header makes from it what the
 * executor runs: in a C file the host's kernel, in a CUDA file the device's.
 *
 *   #define FLUX_ARGS(MAPPED, DIRECT, OPPOSITE)            \
 *       MAPPED(q, edges_cells, 2, 4, f64, READ)            \
 *       DIRECT(normal, 2, f64, READ)                       \
 *       OPPOSITE(res, edges_cells, 4, f64)
 *   typedef struct flux_parameters { double gamma; } flux_parameters;
 *   MPLAN_VIEWS(flux, FLUX_ARGS)
 *   MPLAN_FN void flux(flux_views *v, const flux_parameters *p)
 *   {
 *       v->res[0] = ... v->q[0][2], v->q[1][2], v->normal[1], p->gamma ...
 *   }
 *   MPLAN_KERNEL(flux, FLUX_ARGS, flux_parameters)
 *
 * MAPPED(dat, map, arity, dim, type, READ|WRITE|RW|INC|MIN|MAX)  view dat[arity][dim], by slot. INC adds to
 *     the points, MIN and MAX keep the least or greatest of what is there and all that comes. WRITE and
 *     RW are for strategies with colours: of several elements of a point the last colour stays. Where the map
 *     leads to each point at most once, which the plan says, all others run them, too (owner-gather: WRITE only).
 * DIRECT(dat, dim, type, READ|WRITE|RW|INC)     view dat[dim].
 * OPPOSITE(dat, map, dim, type)                 increments of a map of arity 2
 *     that are opposite: view dat[dim]; slot 0 gets it, slot 1 its negative.
 * type is one of f64 f32 i32 i64 u8 u16.
 *
 * A view has the name of its dat, so that these name each dat once. A list of five parameters, given
 * to MPLAN_VIEWS_AS and MPLAN_KERNEL_AS, has two more, whose views have names of their own, so that a
 * dat can come any number of times (a gradient reads the own value and those of the neighbours):
 *
 *   #define SLOPE_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
 *       DIRECT_AS(own, q, 1, f64, READ)                                \
 *       MAPPED_AS(near, q, cells_cells, 4, 1, f64, READ)               \
 *       DIRECT(slope, 1, f64, WRITE)
 *
 * MAPPED_AS(view, dat, map, arity, dim, type, READ|INC|MIN|MAX)
 * DIRECT_AS(view, dat, dim, type, READ|WRITE|RW|INC)
 *
 * A list of one parameter, given to MPLAN_VIEWS_ANY and MPLAN_KERNEL_ANY, has args of all kinds, each
 * named first:
 *
 *   #define STEP_ARGS(ARG)                           \
 *       ARG(MAPPED, speed, cells_faces, 3, 1, f64, READ) \
 *       ARG(GLOBAL, dt, 1, f64, MIN)
 *
 * RAGGED(dat, map, most, dim, type, READ|INC|MIN|MAX)  a map whose rows have different lengths, none
 *     above `most`: view dat[most][dim], and dat_n, the number of entries of the element's row. The
 *     slots behind them are as those without a point.
 * GLOBAL(dat, dim, type, READ|INC|MIN|MAX)      view dat[dim] of a dat of no set. INC sums over all
 *     elements of the loop, MIN and MAX keep the least or greatest, and what the global held before
 *     counts; the sum has the same bits under every strategy, plan and executor.
 *
 * What args of one dat may do in one loop is in formats/plan-format.md, section 10.
 *
 * READ and RW views hold the data; INC and WRITE views are zero at entry, MIN and MAX views what
 * changes nothing, and what the function leaves in them is added, stored or compared. Slots without a point
 * (-1 entries of `none: skip`) read zero; what is left in them is dropped. The
 * function has no other effects: it may run twice for an element, or only one
 * slot of its result may be used. Args are in the order of the plan's loop. */
#ifndef MESHPLAN_KERNEL_H
#define MESHPLAN_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "meshplan.h"
#ifndef __cplusplus
#include "meshplan_combine.h"
#endif

/* Defined where a compiler for GPUs reads the file: nvcc, hipcc, or clang for either. */
#if defined(__CUDACC__) || defined(__HIP__)
#define MPLAN_DEVICE_FILE 1
#endif
/* Of a device's kernel. The device pass of HIP would take a constant for its own and look for host functions in it. */
#ifdef __HIP_DEVICE_COMPILE__
#define MPLAN_KERNEL_CONST
#else
#define MPLAN_KERNEL_CONST const
#endif

#define MPLAN_MAX_ARGS 16
#define MPLAN_MAX_PARAMETERS 256 /* bytes */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mplan_kernel_arg {
    const char *dat, *map; /* map "": direct */
    int32_t arity;         /* 1: direct */
    int32_t dim;
    mplan_type type;
    mplan_access access;
    bool opposite;
    bool global; /* a dat of no set; then map is "" */
    bool ragged; /* rows of the map have up to `arity` entries */
} mplan_kernel_arg;

/* What the host's kernel does with increments through maps. */
typedef enum mplan_host_mode {
    MPLAN_HOST_ADD = 0, /* adds them to the dats */
    MPLAN_HOST_STORE    /* stores them in `out`; what is written through maps goes to the dats */
} mplan_host_mode;

typedef struct mplan_host_arg {
    void *data;
    int64_t member_stride, component_stride; /* in numbers */
    const int32_t *rows;                     /* arity entries a row, -1: none; NULL: direct */
    const int64_t *row_offsets; /* ragged maps: rows[row_offsets[e]] ... of element e, unless
                                   rows_by_iteration */
    bool out_by_entry;          /* ragged maps: `out` holds the slots as the map its entries */
    void *out; /* MPLAN_HOST_STORE: number c of slot s of iteration i at (i * arity + s) * dim + c */
    /* globals that the loop changes: number c of element e goes to leaves[c * n_leaves + e], or in the
     * place of e to leaf_of[e] where that is there; leaves NULL: into the global itself */
    void *leaves;
    int64_t n_leaves;
    const int32_t *leaf_of;
} mplan_host_arg;

/* Iteration i computes element elements[i], or first + i without a list. */
typedef struct mplan_host_call {
    mplan_host_arg arg[MPLAN_MAX_ARGS];
    const void *parameters;
    const int32_t *elements;
    int64_t first;
    const int32_t *old_of_new; /* of the elements; negative ones are skipped; NULL: no holes */
    bool rows_by_iteration;    /* row i of `rows` instead of row of the element */
    bool keep_direct;          /* direct args, and what is written through maps, are not stored */
    mplan_host_mode mode;
} mplan_host_call;

/* Everything a launch on a device reads; pointers are the device's unless said
 * otherwise. Filled by the executor, read by the kernels of this header. */
typedef struct mplan_launch_arg {
    void *data;
    int64_t stride;   /* numbers from component to component (SoA); 0: AoS */
    int64_t set_size; /* places of the dat's set; of a global that is changed: its leaves */
    const int32_t *rows; /* stored map; NULL: direct; of a global: the leaf of each element, if not its own */
    void *scratch;              /* increments: two-step's results; of a global: its leaves */
    const int64_t *row_offsets; /* ragged maps: where the row of each element begins; NULL: others */
    /* of the arg's map, for block-colour: */
    const int64_t *point_offsets;
    const int32_t *points;
    const uint16_t *local;
    int32_t points_max; /* of one block, in the map's set */
    /* of the arg's map, for two-step: */
    const int64_t *gather_offsets, *gather_slots;
    int32_t first_local; /* block-gather: first local column of the arg's map; -1: not in the record */
    int32_t first_column; /* increments: first increment column of the arg's map */
    int32_t partial_at;   /* increments: first byte of the arg's sums in a partial sum */
    bool fresh;           /* the dat was cleared: points' sums are stored, not added */
} mplan_launch_arg;

struct mplan_launch_exchange; /* meshplan_exchange.h */

/* Slabs that a launch runs piece by piece (meshplan_cuda_weave.h). */
#define MPLAN_WEAVE_MOST 22
typedef struct mplan_launch_weave {
    int32_t n;
    const int64_t *first; /* n + 1: of each slab, in what the range of the launch counts; the last one: its end */
    const int32_t *pieces; /* n rows: where pieces 1, 2, ... begin, counted from the slab's first */
} mplan_launch_weave;

typedef struct mplan_launch_call {
    mplan_launch_arg arg[MPLAN_MAX_ARGS];
    unsigned char parameters[MPLAN_MAX_PARAMETERS];
    /* The range of this launch: elements of the stored order or of `list`, rows of owner-gather, or
     * blocks, in the order of `list` where there is one; and whether what comes behind all ranges is
     * launched too */
    int64_t first, end;
    bool rest;
    int64_t n_elements;        /* places of the loop's set */
    int64_t n_points;          /* places of the incremented set; 0 without */
    const int32_t *old_of_new; /* as for the host */
    bool complete;             /* no slot of an element is without a point, in maps and tables */
    mplan_strategy strategy;
    mplan_sums sums;
    mplan_encoding encoding;
    int32_t threads, elements_per_thread, width, columns, local_columns;
    int32_t block_limit;  /* positions of the longest block; 0 without blocks */
    int64_t shared_bytes; /* dynamic shared memory of a thread block */
    /* global-colour: elements; block-colour, sums by colour: blocks */
    const int32_t *list;
    int64_t n_launches;
    const int64_t *launch_offsets; /* host memory, n_launches + 1 */
    /* blocks */
    int64_t n_blocks;
    const int64_t *block_offsets;
    const int32_t *sequence;
    const uint16_t *thread_colours, *block_thread_colours;
    const int64_t *record_offsets;
    const uint8_t *records;
    int64_t record_bytes_max; /* of one record */
    int64_t n_partial_points;
    const int32_t *partial_points;
    const int64_t *partial_offsets;
    char *partial_sums;    /* those of all args of a place together */
    int64_t partial_bytes; /* of one place */
    bool columns_apart; /* a column of a block, or of each of its rounds, has no point twice, and each element of them a thread */
    int32_t block_points_max; /* of a record, where columns_apart */
    int32_t round; /* elements of a round, at most `threads`, where columns_apart and blocks have several; 0 */
    /* owner-gather */
    const int64_t *owner_offsets;
    const void *owner_entries;
    const int32_t *owner_base;
    const int64_t *owner_escape_offsets;
    const int32_t *owner_escapes;
    const int32_t *owner_row_start;
    const uint8_t *owner_points;
    int32_t owner_fields; /* windows16: of an entry */
    int32_t owner_slice;  /* rows of a slice: 32 or 64 */
    const int32_t *owner_windows, *owner_plain;
    int32_t bound_threads, bound_blocks; /* launch bounds that the plan states; 0: none */
    bool owner_by_entry; /* windows16: fields lie entry by entry, whatever `width` is */
    /* host memory: messages that thread blocks of the kernel send and receive (meshplan_exchange.h); NULL: none. With
     * `prepare` the kernel says in it what a launch is cut by, or gives a status other than 0 where it cannot */
    struct mplan_launch_exchange *exchange;
    const mplan_launch_weave *weave; /* host memory; NULL: in order */
} mplan_launch_call;

typedef struct mplan_kernel {
    const char *name;
    int32_t n_args;
    const mplan_kernel_arg *args;
    size_t parameter_bytes;
    /* the host's kernel: iterations [begin, end); NULL in a device's */
    void (*run)(const mplan_host_call *call, int64_t begin, int64_t end);
    /* the device's: launches the whole loop in a stream (cudaStream_t), returns a
     * cudaError_t and in *what (never NULL) the call that gave it; with `prepare` it
     * only sets what kernels need before their first launch. NULL in a host's */
    int (*launch)(const mplan_launch_call *call, void *stream, bool prepare, const char **what);
    /* bytes of shared memory a thread block of `call` needs; NULL in a host's */
    int64_t (*shared_bytes)(const mplan_launch_call *call);
} mplan_kernel;

/* For functions without parameters. */
typedef struct mplan_no_parameters {
    int32_t unused;
} mplan_no_parameters;

#ifdef __cplusplus
}
#endif

/* --- what the list of args is made into ------------------------------------- */

#define MPLAN_C_f64 double
#define MPLAN_C_f32 float
#define MPLAN_C_i32 int32_t
#define MPLAN_C_i64 int64_t
#define MPLAN_C_u8 uint8_t
#define MPLAN_C_u16 uint16_t
#define MPLAN_ENUM_f64 MPLAN_TYPE_F64
#define MPLAN_ENUM_f32 MPLAN_TYPE_F32
#define MPLAN_ENUM_i32 MPLAN_TYPE_I32
#define MPLAN_ENUM_i64 MPLAN_TYPE_I64
#define MPLAN_ENUM_u8 MPLAN_TYPE_U8
#define MPLAN_ENUM_u16 MPLAN_TYPE_U16

#define MPLAN_VIEW_MAPPED(dat, map, arity, dim, type, access) MPLAN_C_##type dat[arity][dim];
#define MPLAN_VIEW_DIRECT(dat, dim, type, access) MPLAN_C_##type dat[dim];
#define MPLAN_VIEW_OPPOSITE(dat, map, dim, type) MPLAN_C_##type dat[dim];
#define MPLAN_VIEW_MAPPED_AS(view, dat, map, arity, dim, type, access) \
    MPLAN_VIEW_MAPPED(view, map, arity, dim, type, access)
#define MPLAN_VIEW_DIRECT_AS(view, dat, dim, type, access) \
    MPLAN_VIEW_DIRECT(view, dim, type, access)

/* The number of entries of the element's row, and what they lead to. */
#define MPLAN_VIEW_RAGGED(dat, map, most, dim, type, access) \
    int32_t dat##_n;                                         \
    MPLAN_VIEW_MAPPED(dat, map, most, dim, type, access)
#define MPLAN_VIEW_GLOBAL(dat, dim, type, access) MPLAN_C_##type dat[dim];

/* What an access is called in lists of args. */
#define MPLAN_AS_READ MPLAN_READ
#define MPLAN_AS_WRITE MPLAN_WRITE
#define MPLAN_AS_RW MPLAN_RW
#define MPLAN_AS_INC MPLAN_INC
#define MPLAN_AS_MIN MPLAN_INC_MIN
#define MPLAN_AS_MAX MPLAN_INC_MAX

/* A list of args, with the macros of one purpose in the places of its parameters. */
#define MPLAN_LIST_3(ARGS, purpose) ARGS(purpose##MAPPED, purpose##DIRECT, purpose##OPPOSITE)
#define MPLAN_LIST_5(ARGS, purpose) \
    ARGS(purpose##MAPPED, purpose##DIRECT, purpose##OPPOSITE, purpose##MAPPED_AS, purpose##DIRECT_AS)
/* Of one parameter: it gets the kind of each arg first. */
#define MPLAN_LIST_ANY(ARGS, purpose) ARGS(purpose##ANY)
#define MPLAN_VIEW_ANY(kind, ...) MPLAN_VIEW_##kind(__VA_ARGS__)
#define MPLAN_ABOUT_ANY(kind, ...) MPLAN_ABOUT_##kind(__VA_ARGS__)

#define MPLAN_VIEWS(name, ARGS)         \
    typedef struct name##_views {       \
        MPLAN_LIST_3(ARGS, MPLAN_VIEW_) \
    } name##_views;
#define MPLAN_VIEWS_AS(name, ARGS)      \
    typedef struct name##_views {       \
        MPLAN_LIST_5(ARGS, MPLAN_VIEW_) \
    } name##_views;
#define MPLAN_VIEWS_ANY(name, ARGS)       \
    typedef struct name##_views {         \
        MPLAN_LIST_ANY(ARGS, MPLAN_VIEW_) \
    } name##_views;

#define MPLAN_ABOUT_MAPPED(dat, map, arity, dim, type, access) \
    {#dat, #map, arity, dim, MPLAN_ENUM_##type, MPLAN_AS_##access, false, false, false},
#define MPLAN_ABOUT_DIRECT(dat, dim, type, access) \
    {#dat, "", 1, dim, MPLAN_ENUM_##type, MPLAN_AS_##access, false, false, false},
#define MPLAN_ABOUT_OPPOSITE(dat, map, dim, type) \
    {#dat, #map, 2, dim, MPLAN_ENUM_##type, MPLAN_INC, true, false, false},

#define MPLAN_ABOUT_MAPPED_AS(view, dat, map, arity, dim, type, access) \
    {#dat, #map, arity, dim, MPLAN_ENUM_##type, MPLAN_AS_##access, false, false, false},
#define MPLAN_ABOUT_DIRECT_AS(view, dat, dim, type, access) \
    {#dat, "", 1, dim, MPLAN_ENUM_##type, MPLAN_AS_##access, false, false, false},

#define MPLAN_ABOUT_RAGGED(dat, map, most, dim, type, access) \
    {#dat, #map, most, dim, MPLAN_ENUM_##type, MPLAN_AS_##access, false, false, true},
#define MPLAN_ABOUT_GLOBAL(dat, dim, type, access) \
    {#dat, "", 1, dim, MPLAN_ENUM_##type, MPLAN_AS_##access, false, true, false},

/* The two kernels of a list of three parameters, of one of five, and of one of one. */
#define MPLAN_KERNEL(name, ARGS, parameters_type) \
    MPLAN_KERNEL_OF(MPLAN_LIST_3, name, ARGS, parameters_type)
#define MPLAN_KERNEL_AS(name, ARGS, parameters_type) \
    MPLAN_KERNEL_OF(MPLAN_LIST_5, name, ARGS, parameters_type)
#define MPLAN_KERNEL_ANY(name, ARGS, parameters_type) \
    MPLAN_KERNEL_OF(MPLAN_LIST_ANY, name, ARGS, parameters_type)

/* In a header: the two kernels that MPLAN_KERNEL defines, each in its own language. */
#ifdef __cplusplus
#define MPLAN_KERNEL_DECLARE(name)             \
    extern "C" const mplan_kernel name##_host; \
    extern "C" MPLAN_KERNEL_CONST mplan_kernel name##_device;
#else
#define MPLAN_KERNEL_DECLARE(name) extern const mplan_kernel name##_host, name##_device;
#endif

#ifdef MPLAN_DEVICE_FILE
#include "meshplan_kernel_cuda.h"
#else

#define MPLAN_FN static inline

/* Each works on *arg and steps to the next. */
#define MPLAN_READS(access) (MPLAN_AS_##access == MPLAN_READ || MPLAN_AS_##access == MPLAN_RW)
/* Slots of an element: as many as its row has entries, the others have no point. */
#define MPLAN_LOAD_SLOTS(dat, most, dim, type, access, entries, n)                                 \
    for (int s_ = 0; s_ < (most); s_++) {                                                          \
        int64_t p_ = MPLAN_READS(access) && s_ < (n) ? (entries)[s_] : -1;                         \
        const MPLAN_C_##type *from_ = (const MPLAN_C_##type *)arg->data;                           \
        for (int c_ = 0; c_ < (dim); c_++)                                                         \
            views.dat[s_][c_] = p_ < 0                                                             \
                                    ? mplan_neutral_##type(MPLAN_AS_##access)                      \
                                    : from_[p_ * arg->member_stride + c_ * arg->component_stride]; \
    }
#define MPLAN_LOAD_MAPPED(dat, map, arity, dim, type, access)                         \
    MPLAN_LOAD_SLOTS(dat, arity, dim, type, access, arg->rows + row * (arity), arity) \
    arg++;
/* Row of a ragged map: the stored one, or one of `most` slots that a strategy has filled. */
#define MPLAN_RAGGED_ROW(most) \
    (call->rows_by_iteration ? arg->rows + i * (most) : arg->rows + arg->row_offsets[e])
#define MPLAN_LOAD_RAGGED(dat, map, most, dim, type, access)                              \
    views.dat##_n = (int32_t)(arg->row_offsets[e + 1] - arg->row_offsets[e]);             \
    MPLAN_LOAD_SLOTS(dat, most, dim, type, access, MPLAN_RAGGED_ROW(most), views.dat##_n) \
    arg++;
#define MPLAN_LOAD_DIRECT(dat, dim, type, access)                                                  \
    for (int c_ = 0; c_ < (dim); c_++)                                                             \
        views.dat[c_] = MPLAN_AS_##access == MPLAN_READ || MPLAN_AS_##access == MPLAN_RW           \
                            ? ((const MPLAN_C_##type *)                                            \
                                   arg->data)[e * arg->member_stride + c_ * arg->component_stride] \
                            : 0;                                                                   \
    arg++;
#define MPLAN_LOAD_OPPOSITE(dat, map, dim, type) \
    for (int c_ = 0; c_ < (dim); c_++)           \
        views.dat[c_] = 0;                       \
    arg++;

/* Number c_ of slot s_ of what goes through a map goes where the mode says: at `out_at` of the kept
 * ones, or to point `point`. */
#define MPLAN_PUT(type, dim, access, value, out_at, point)                               \
    if (call->mode == MPLAN_HOST_STORE && access != MPLAN_WRITE && access != MPLAN_RW) { \
        ((MPLAN_C_##type *)arg->out)[(out_at) * (dim) + c_] = (value);                   \
    } else if (!call->keep_direct) {                                                     \
        int64_t p_ = (point);                                                            \
        MPLAN_C_##type *to_ = (MPLAN_C_##type *)arg->data + p_ * arg->member_stride +    \
                              c_ * arg->component_stride;                                \
        if (p_ >= 0)                                                                     \
            *to_ = access == MPLAN_WRITE || access == MPLAN_RW                           \
                       ? (MPLAN_C_##type)(value)                                         \
                       : mplan_combine_##type(access, *to_, (MPLAN_C_##type)(value));    \
    }
#define MPLAN_STORE_MAPPED(dat, map, arity, dim, type, access)                              \
    if (MPLAN_AS_##access != MPLAN_READ) {                                                  \
        for (int s_ = 0; s_ < (arity); s_++)                                                \
            for (int c_ = 0; c_ < (dim); c_++)                                              \
                MPLAN_PUT(type, dim, MPLAN_AS_##access, views.dat[s_][c_], i *(arity) + s_, \
                          arg->rows[row * (arity) + s_])                                    \
    }                                                                                       \
    arg++;
#define MPLAN_STORE_RAGGED(dat, map, most, dim, type, access)                          \
    if (MPLAN_AS_##access != MPLAN_READ) {                                             \
        for (int s_ = 0; s_ < arg->row_offsets[e + 1] - arg->row_offsets[e]; s_++)     \
            for (int c_ = 0; c_ < (dim); c_++)                                         \
                MPLAN_PUT(type, dim, MPLAN_AS_##access, views.dat[s_][c_],             \
                          (arg->out_by_entry ? arg->row_offsets[e] : i * (most)) + s_, \
                          MPLAN_RAGGED_ROW(most)[s_])                                  \
    }                                                                                  \
    arg++;
#define MPLAN_STORE_OPPOSITE(dat, map, dim, type)                                                 \
    for (int s_ = 0; s_ < 2; s_++)                                                                \
        for (int c_ = 0; c_ < (dim); c_++)                                                        \
            MPLAN_PUT(type, dim, MPLAN_INC, s_ == 0 ? views.dat[c_] : -views.dat[c_], i * 2 + s_, \
                      arg->rows[row * 2 + s_])                                                    \
    arg++;
#define MPLAN_STORE_DIRECT(dat, dim, type, access)                                        \
    if (MPLAN_AS_##access != MPLAN_READ && !call->keep_direct)                            \
        for (int c_ = 0; c_ < (dim); c_++) {                                              \
            MPLAN_C_##type *to_ = (MPLAN_C_##type *)arg->data + e * arg->member_stride +  \
                                  c_ * arg->component_stride;                             \
            *to_ = (MPLAN_C_##type)(MPLAN_AS_##access == MPLAN_INC ? *to_ + views.dat[c_] \
                                                                   : views.dat[c_]);      \
        }                                                                                 \
    arg++;

#define MPLAN_LOAD_GLOBAL(dat, dim, type, access)                                                  \
    for (int c_ = 0; c_ < (dim); c_++)                                                             \
        views.dat[c_] = MPLAN_AS_##access == MPLAN_READ ? ((const MPLAN_C_##type *)arg->data)[c_]  \
                                                        : mplan_neutral_##type(MPLAN_AS_##access); \
    arg++;
/* The own number of each element, to be combined later, or at once. */
#define MPLAN_STORE_GLOBAL(dat, dim, type, access)                                             \
    if (MPLAN_AS_##access != MPLAN_READ && !call->keep_direct)                                 \
        for (int c_ = 0; c_ < (dim); c_++) {                                                   \
            MPLAN_C_##type *to_ = (MPLAN_C_##type *)arg->data + c_;                            \
            if (arg->leaves)                                                                   \
                ((MPLAN_C_##type *)                                                            \
                     arg->leaves)[c_ * arg->n_leaves + (arg->leaf_of ? arg->leaf_of[e] : e)] = \
                    views.dat[c_];                                                             \
            else                                                                               \
                *to_ = mplan_combine_##type(MPLAN_AS_##access, *to_, views.dat[c_]);           \
        }                                                                                      \
    arg++;
#define MPLAN_LOAD_ANY(kind, ...) MPLAN_LOAD_##kind(__VA_ARGS__)
#define MPLAN_STORE_ANY(kind, ...) MPLAN_STORE_##kind(__VA_ARGS__)

#define MPLAN_LOAD_MAPPED_AS(view, dat, map, arity, dim, type, access) \
    MPLAN_LOAD_MAPPED(view, map, arity, dim, type, access)
#define MPLAN_LOAD_DIRECT_AS(view, dat, dim, type, access) \
    MPLAN_LOAD_DIRECT(view, dim, type, access)
#define MPLAN_STORE_MAPPED_AS(view, dat, map, arity, dim, type, access) \
    MPLAN_STORE_MAPPED(view, map, arity, dim, type, access)
#define MPLAN_STORE_DIRECT_AS(view, dat, dim, type, access) \
    MPLAN_STORE_DIRECT(view, dim, type, access)

#define MPLAN_KERNEL_OF(LIST, name, ARGS, parameters_type)                          \
    static void name##_run(const mplan_host_call *call, int64_t begin, int64_t end) \
    {                                                                               \
        for (int64_t i = begin; i < end; i++) {                                     \
            int64_t e = call->elements ? call->elements[i] : call->first + i;       \
            int64_t row = call->rows_by_iteration ? i : e;                          \
            name##_views views;                                                     \
            const mplan_host_arg *arg = call->arg;                                  \
            (void)row;                                                              \
            if (call->old_of_new && call->old_of_new[e] < 0)                        \
                continue;                                                           \
            LIST(ARGS, MPLAN_LOAD_)                                                 \
            name(&views, (const parameters_type *)call->parameters);                \
            arg = call->arg;                                                        \
            LIST(ARGS, MPLAN_STORE_)                                                \
            (void)arg;                                                              \
        }                                                                           \
    }                                                                               \
    static const mplan_kernel_arg name##_args[] = {LIST(ARGS, MPLAN_ABOUT_)};       \
    extern const mplan_kernel name##_host;                                          \
    const mplan_kernel name##_host = {                                              \
        #name,       (int32_t)(sizeof name##_args / sizeof *name##_args),           \
        name##_args, sizeof(parameters_type),                                       \
        name##_run,  NULL,                                                          \
        NULL};

#endif /* MPLAN_DEVICE_FILE */

#endif
