/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_layers.h - kernels of loops with layers, from one source for every executor
 *
 * The function is written for one layer of one element, in the common subset of C11 and CUDA C++:
 *
 *   #define MATVEC_ARGS(ARG)                                      \
 *       ARG(MATRIX, m, matrix, 8, 8, f64)                         \
 *       ARG(LEVELS, x, x, cells_nodes, 8, 1, f64, READ)           \
 *       ARG(LEVELS, lhs, lhs, cells_nodes, 8, 1, f64, INC)
 *   MPLAN_LAYER_VIEWS(matvec, MATVEC_ARGS)
 *   MPLAN_FN void matvec(matvec_views *v, const mplan_no_parameters *p)
 *   {
 *       (loops with MPLAN_UNROLL) v->lhs[row][0] += v->m[col * 8 + row] * v->x[col][0]; ... v->layer, v->bottom, v->top
 *   }
 *   MPLAN_LAYER_KERNEL(matvec, MATVEC_ARGS, mplan_no_parameters)
 *
 * LEVELS(view, dat, map, slots, dim, type, READ|INC|MIN|MAX)  through a map: view[slots][dim], by the slots of the
 *     plan's arg: slot s is level offset + stride * layer of a point of the element
 * COLUMN(view, dat, slots, dim, type, READ|WRITE|RW|INC)      levels of the element's own column: view[slots][dim]
 * MATRIX(view, dat, rows, cols, type)   read, of the element's own column: view[rows * cols], component
 *     row + rows * col. Row r may only be used for slot r of what the loop increments
 * FLAT(view, dat, map, arity, dim, type)  read, without levels: view[arity][dim]
 * OWN(view, dat, dim, type)               read, of the element, without levels: view[dim]
 * VALUE(view, dat, dim, type)             read, of a global: view[dim]
 *
 * A function of whole columns (plans: `layered: columns`) has MPLAN_COLUMN_VIEWS, MPLAN_COLUMN_KERNEL, and views
 * that point into the dats: number c of level j of view x is MPLAN_LEVEL(v->x, j, c). Its args are
 *
 * WHOLE(view, dat, dim, type, READ|WRITE|RW)     the element's own column
 *                                                (WRITE: the function writes each layer; else use RW)
 * KEPT(view, dat, dim, type)                     as WHOLE with WRITE; the function reads again what it has written, so
 *                                                that a device keeps the column on the chip until it has ended. For
 *                                                functions that load their next levels before they use those at hand
 * NEAR(view, dat, map, slots, dim, type)         read, columns of points: MPLAN_LEVEL(v->x[s], j, c); a slot without
 *                                                a point has the base NULL
 * FLAT, OWN and VALUE as above. Its layers are v->bottom to v->top - 1.
 *
 * With MPLAN_LANES_VIEWS and MPLAN_LANES_KERNEL(name, ARGS, lanes, parameters) such a function is run by v->lanes threads of a
 * device together, lanes = 2, 4, ... 32, of which this one is v->lane; on the host by one. Each has levels of its own, as a
 * chunk of neighbouring ones, and what one needs of the others goes by mplan_lanes_up, _down and _of; no memory that another
 * lane has written is read. Several columns share a warp, so that all columns must make these calls equally often, whatever
 * their height: loops around them go on while mplan_lanes_any(...) is true. Columns are not copied to the chip, for a
 * column's second pass finds in the cache what its first one has read and written. tools/gpu/layers_loops.h has a
 * tridiagonal solve by lanes.
 *
 * Otherwise as meshplan_kernel.h says. */
#ifndef MESHPLAN_LAYERS_H
#define MESHPLAN_LAYERS_H

#include "meshplan_exec.h"

#define MPLAN_LAYER_ARGS 10

/* Before a loop over rows, columns or slots, which a device must unroll to leave out what one slot does not need. */
#ifdef MPLAN_DEVICE_FILE
#define MPLAN_UNROLL _Pragma("unroll")
#else
#define MPLAN_UNROLL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An arg of such a kernel. */
typedef enum mplan_layer_kind {
    MPLAN_LAYER_LEVELS = 0, /* through a map, with levels */
    MPLAN_LAYER_COLUMN = 1, /* of the element, with levels */
    MPLAN_LAYER_MATRIX = 2,
    MPLAN_LAYER_FLAT = 3,  /* through a map, without levels */
    MPLAN_LAYER_OWN = 4,   /* of the element, without levels */
    MPLAN_LAYER_VALUE = 5, /* of a global */
    MPLAN_LAYER_KEPT = 6   /* as COLUMN, kept on the chip */
} mplan_layer_kind;
typedef struct mplan_layer_arg {
    mplan_layer_kind kind;
    const char *dat, *map; /* map "": none */
    int32_t slots;         /* of the view; FLAT: the arity; else 1 */
    int32_t dim, rows;     /* rows: of a matrix, else 0 */
    mplan_type type;
    mplan_access access;
} mplan_layer_arg;

/* Loops that run by blocks (block-colour, block-gather): what the variant's tables have for them, on the device where that
 * runs the loop. Tiles of layers go from the lowest layer of a block to its highest. */
typedef struct mplan_layer_blocks {
    int64_t n_blocks;
    const int64_t *offsets;  /* n_blocks + 1 positions */
    const int32_t *sequence; /* element of each position; NULL: the same number */
    const int32_t *span; /* per block the lowest layer of its elements and the one above the highest; NULL: all */
    int32_t longest; /* positions of a block, at most */
    int32_t tile;    /* layers of a tile, on a device */
    /* block-colour */
    const uint16_t *colours, *colours_of_block; /* per position, per block */
    /* block-gather: records of section 8 */
    mplan_sums sums;
    const int64_t *record_offsets;
    const uint8_t *records;
    int64_t record_bytes; /* of a record, at most */
    int32_t below;        /* layers below a layer that lead to levels to which it leads, too */
    int64_t n_shared;     /* points that several blocks have: */
    const int32_t *shared_points;
    const int64_t *shared_offsets; /* n_shared + 1 places of partial sums */
    const unsigned char *column_of; /* per arg MPLAN_MAX_SLOTS: column of its map that each slot is of */
} mplan_layer_blocks;

/* Where the numbers of an arg are: number c of level j of column p at
 * data[p * column + j * level + c * component]. */
typedef struct mplan_layer_data {
    void *data;
    int64_t numbers;                  /* of the whole dat */
    int64_t column, level, component; /* strides, in numbers */
    const int32_t *rows;              /* stored map, `arity` entries a row; NULL: of the element */
    int32_t arity, stride;
    int32_t of[MPLAN_MAX_SLOTS], offset[MPLAN_MAX_SLOTS];
    /* of a matrix that is stored by owner: number c of row r at
     * data[((t / 32 * width + entry) * (dim / rows) + c) * 32 + t % 32], t = point * levels + level of slot r */
    const int32_t *entry; /* per element and row the word in its point's list; on the host; NULL: not by owner */
    int32_t width;
    void *scratch; /* two-step: results of slots */
    const int64_t *gather_offsets, *gather_slots;
    /* on a device: per element and slot the number of component 0 of layer 0, of a dat with levels through a map; i32, or
     * i64 where the call is wide; negative: no point */
    const void *starts;
    /* two-step on a device: words list[list_start[p]] ... of point p, as those of owner-gather */
    const int32_t *list_start;
    const uint32_t *list;
    int64_t list_points; /* of an increment: points that get sums, and their levels */
    int32_t list_levels;
    int32_t levels; /* of a column; 0: none */
    /* block-gather: first column of its map in records; partial sums of component c of level j at (place * dim + c) * levels + j, and
     * for each place and level whether there is one, which no launch changes */
    int32_t first_column;
    void *partial;
    unsigned char *partial_any;
} mplan_layer_data;

/* All that a launch reads; pointers are the device's on CUDA, unless said otherwise. */
typedef struct mplan_layers_call {
    mplan_layer_data *arg; /* host memory, as many as args */
    unsigned char parameters[MPLAN_MAX_PARAMETERS];
    int64_t n_elements, n_points; /* places that run, of the loop's set and of the incremented one */
    int32_t layers, levels;       /* of the set; of what is incremented */
    const int32_t *ranges;        /* of the elements' columns; NULL: all have all layers */
    const uint32_t *mask; /* mask_words an element, bits of the layers that are there; NULL: all are */
    int32_t mask_words;
    const int32_t *old_of_new; /* of the elements, negative in holes; NULL: no holes */
    mplan_strategy strategy;
    bool points_fastest;     /* neighbouring threads take neighbouring columns */
    int32_t first_increment; /* arg; -1: none through a map */
    /* global-colour */
    const int32_t *list;
    int64_t n_launches;
    const int64_t *launch_offsets; /* host memory */
    bool wide;                     /* a dat has 2^31 numbers or more */
    /* owner-gather: words owner[start[p]] ... of point p, one for each slot that leads to it, in the order of the sums:
     * element << bits | slot */
    const int32_t *owner_start;
    const uint32_t *owner;
    /* levels [spans[2 * p], spans[2 * p + 1]) of point p may get something; on a device, where columns have ranges */
    const int32_t *spans;
    /* the same levels one behind the other, n_packed in all, where levels are counted in 31 bits and are fastest: point p has
     * packed[2 * p + 1] as the first, which is number packed[2 * p]; packed_first[i]: point of number 32 * i */
    const int32_t *packed, *packed_first;
    int32_t n_packed;
    /* on a device, where all levels through maps have offset 0 and stride 1 and what is read like the first increment has its
     * slots: for each word a row of as many numbers as slots, the word and the points of its other slots, ascending */
    const int32_t *light;
    int32_t list_bits;
    int32_t longest; /* list of a point */
    int32_t phases;  /* distinct offsets of the increments, ascending: */
    int32_t phase[MPLAN_MAX_SLOTS];
    int32_t partner[MPLAN_MAX_SLOTS],
        distance[MPLAN_MAX_SLOTS]; /* of a slot whose sum a slot of a higher layer takes:
                                                                 that slot, and how many layers; -1: none */
    mplan_layer_blocks blocks;
    /* launches that are cut, which are those over elements (atomic) and over points (owner-gather): the first one; n_elements, or
     * n_points, is behind the last. Of packed levels the number of its first one. */
    int64_t first;
    int32_t first_packed;
} mplan_layers_call;

typedef struct mplan_layer_kernel {
    const char *name;
    mplan_layered layering;
    int32_t n_args;
    const mplan_layer_arg *args;
    size_t parameter_bytes;
    /* the host's: layers [begin, end) of element e, or the whole column. out NULL: increments are added to the
     * dats; else number c of slot s of layer k at ((k - begin) * slots + s) * dim + c of out[arg]. */
    void (*run)(const mplan_layers_call *call, int64_t e, int32_t begin, int32_t end,
                void *const *out);
    /* the device's, as in mplan_kernel */
    int (*launch)(const mplan_layers_call *call, void *stream, const char **what);
} mplan_layer_kernel;

/* As mplan_exec_bind, for a loop of the plan with layers. Its args are those of the loop, one by one. Launched by
 * mplan_exec_launch; ranges of such loops cannot be launched. */
MPLAN_API mplan_status mplan_exec_bind_layers(mplan_exec *exec, const char *loop, int32_t variant,
                                              const mplan_layer_kernel *kernel,
                                              mplan_exec_loop **bound, mplan_error *err);

/* For languages without these macros (Fortran): a function of one layer of an element, or of a whole column. views[a] is
 * the view of arg a of the plan's loop, f64. Of layers: dim numbers for each slot, slot by slot; read and rw hold the
 * data, write and inc are zero at entry, and what the function leaves in them is stored or added. Of columns: dim numbers
 * for each level of the dat, level by level (of an arg through a map for each slot, one behind the other; without a point:
 * zeros); what the function leaves in write and rw is stored. An arg without levels: dim numbers for each point of its map.
 * layer: the layer (of columns: the lowest), the column's lowest layer and the one above its highest. user: of the launch. */
typedef void mplan_layer_function(void *const *views, const int32_t layer[3], const void *user);
/* As mplan_exec_bind_layers, for executors of the host. MPLAN_ERR_UNSUPPORTED for args other than f64, for min and max,
 * for more than 16,384 numbers in all views, and on CUDA. Launched by mplan_exec_launch_function. */
MPLAN_API mplan_status mplan_exec_bind_layer_function(mplan_exec *exec, const char *loop,
                                                      int32_t variant, mplan_layer_function *function,
                                                      mplan_exec_loop **bound, mplan_error *err);

#ifdef __cplusplus
}
#endif

/* --- what the list of args is made into ------------------------------------- */

#define MPLAN_LVIEW_LEVELS(view, dat, map, slots, dim, type, access) \
    MPLAN_C_##type view[slots][dim];
#define MPLAN_LVIEW_COLUMN(view, dat, slots, dim, type, access) MPLAN_C_##type view[slots][dim];
#define MPLAN_LVIEW_MATRIX(view, dat, rows, cols, type) MPLAN_C_##type view[(rows) * (cols)];
#define MPLAN_LVIEW_FLAT(view, dat, map, arity, dim, type) MPLAN_C_##type view[arity][dim];
#define MPLAN_LVIEW_OWN(view, dat, dim, type) MPLAN_C_##type view[dim];
#define MPLAN_LVIEW_VALUE(view, dat, dim, type) MPLAN_C_##type view[dim];
#define MPLAN_LVIEW(kind, ...) MPLAN_LVIEW_##kind(__VA_ARGS__)

#define MPLAN_LCOLUMN_OF(type)                  \
    struct {                                    \
        MPLAN_C_##type *at;                     \
        int64_t level_stride, component_stride; \
    }
#define MPLAN_LEVEL(column, j, c) \
    ((column).at[(j) * (column).level_stride + (c) * (column).component_stride])
#define MPLAN_LVIEW_WHOLE(view, dat, dim, type, access) MPLAN_LCOLUMN_OF(type) view;
#define MPLAN_LVIEW_KEPT(view, dat, dim, type) MPLAN_LCOLUMN_OF(type) view;
#define MPLAN_LVIEW_NEAR(view, dat, map, slots, dim, type) MPLAN_LCOLUMN_OF(type) view[slots];

#define MPLAN_LABOUT_LEVELS(view, dat, map, slots, dim, type, access) \
    {MPLAN_LAYER_LEVELS, #dat, #map, slots, dim, 0, MPLAN_ENUM_##type, MPLAN_AS_##access},
#define MPLAN_LABOUT_COLUMN(view, dat, slots, dim, type, access) \
    {MPLAN_LAYER_COLUMN, #dat, "", slots, dim, 0, MPLAN_ENUM_##type, MPLAN_AS_##access},
#define MPLAN_LABOUT_MATRIX(view, dat, rows, cols, type) \
    {MPLAN_LAYER_MATRIX, #dat, "", 1, (rows) * (cols), rows, MPLAN_ENUM_##type, MPLAN_READ},
#define MPLAN_LABOUT_FLAT(view, dat, map, arity, dim, type) \
    {MPLAN_LAYER_FLAT, #dat, #map, arity, dim, 0, MPLAN_ENUM_##type, MPLAN_READ},
#define MPLAN_LABOUT_OWN(view, dat, dim, type) \
    {MPLAN_LAYER_OWN, #dat, "", 1, dim, 0, MPLAN_ENUM_##type, MPLAN_READ},
#define MPLAN_LABOUT_VALUE(view, dat, dim, type) \
    {MPLAN_LAYER_VALUE, #dat, "", 1, dim, 0, MPLAN_ENUM_##type, MPLAN_READ},
#define MPLAN_LABOUT_WHOLE(view, dat, dim, type, access) \
    MPLAN_LABOUT_COLUMN(view, dat, 1, dim, type, access)
#define MPLAN_LABOUT_KEPT(view, dat, dim, type) \
    {MPLAN_LAYER_KEPT, #dat, "", 1, dim, 0, MPLAN_ENUM_##type, MPLAN_WRITE},
#define MPLAN_LABOUT_NEAR(view, dat, map, slots, dim, type) \
    MPLAN_LABOUT_LEVELS(view, dat, map, slots, dim, type, READ)
#define MPLAN_LABOUT(kind, ...) MPLAN_LABOUT_##kind(__VA_ARGS__)

#define MPLAN_LAYER_VIEWS(name, ARGS)                                      \
    typedef struct name##_views {                                          \
        int32_t layer, bottom, top; /* top: one above the highest layer */ \
        ARGS(MPLAN_LVIEW)                                                  \
    } name##_views;
#define MPLAN_COLUMN_VIEWS(name, ARGS) \
    typedef struct name##_views {      \
        int32_t bottom, top;           \
        ARGS(MPLAN_LVIEW)              \
    } name##_views;
#define MPLAN_LANES_VIEWS(name, ARGS)                                  \
    typedef struct name##_views {                                      \
        int32_t bottom, top, lane, lanes; /* lane: from 0; of lanes */ \
        ARGS(MPLAN_LVIEW)                                              \
    } name##_views;

#ifdef MPLAN_DEVICE_FILE
#include "meshplan_cuda_layers.h"
#else

/* A column's lanes on the host: one, so that numbers stay where they are. */
MPLAN_FN double mplan_lanes_up(double x, int32_t by, int32_t lanes)
{
    (void)by, (void)lanes;
    return x;
}
MPLAN_FN double mplan_lanes_down(double x, int32_t by, int32_t lanes)
{
    (void)by, (void)lanes;
    return x;
}
MPLAN_FN double mplan_lanes_of(double x, int32_t lane, int32_t lanes)
{
    (void)lane, (void)lanes;
    return x;
}
MPLAN_FN bool mplan_lanes_any(bool here)
{
    return here;
}

#define MPLAN_LAT(type, p, j, c) \
    (((MPLAN_C_##type *)arg->data)[(p)*arg->column + (int64_t)(j)*arg->level + (c)*arg->component])

/* Point of slot s, and its level of layer k. */
#define MPLAN_LPOINT(s) (arg->rows ? (int64_t)arg->rows[e * arg->arity + arg->of[s]] : e)
#define MPLAN_LOFF(s) (arg->offset[s] + (int64_t)arg->stride * k)

#define MPLAN_LLOAD_LEVELS(view, dat, map, slots, dim, type, access)                      \
    for (int s_ = 0; s_ < (slots); s_++) {                                                \
        const int64_t p_ = MPLAN_LPOINT(s_);                                              \
        for (int c_ = 0; c_ < (dim); c_++)                                                \
            v.view[s_][c_] = MPLAN_AS_##access == MPLAN_READ                              \
                                 ? (p_ < 0 ? 0 : MPLAN_LAT(type, p_, MPLAN_LOFF(s_), c_)) \
                                 : mplan_neutral_##type(MPLAN_AS_##access);               \
    }                                                                                     \
    arg++;
#define MPLAN_LLOAD_COLUMN(view, dat, slots, dim, type, access)                               \
    for (int s_ = 0; s_ < (slots); s_++)                                                      \
        for (int c_ = 0; c_ < (dim); c_++)                                                    \
            v.view[s_][c_] = MPLAN_AS_##access == MPLAN_READ || MPLAN_AS_##access == MPLAN_RW \
                                 ? MPLAN_LAT(type, e, MPLAN_LOFF(s_), c_)                     \
                                 : 0;                                                         \
    arg++;
/* By owner: each row at the level that its slot of the increments leads to. */
#define MPLAN_LLOAD_MATRIX(view, dat, rows_, cols_, type)                                                      \
    for (int r_ = 0; r_ < (rows_); r_++) {                                                                     \
        const mplan_layer_data *inc_ = &call->arg[call->first_increment];                                      \
        const int64_t t_ = !arg->entry ? 0                                                                     \
                                       : inc_->rows[e * inc_->arity + inc_->of[r_]] *                          \
                                                 (int64_t)call->levels +                                       \
                                             inc_->offset[r_] + (int64_t)inc_->stride * k;                     \
        for (int c_ = 0; c_ < (cols_); c_++)                                                                   \
            v.view[c_ * (rows_) + r_] =                                                                        \
                arg->entry                                                                                     \
                    ? arg->entry[e * (rows_) + r_] < 0                                                         \
                          ? 0                                                                                  \
                          : ((MPLAN_C_##type *)arg->data)                                                      \
                                [((t_ / 32 * arg->width + arg->entry[e * (rows_) + r_]) * (cols_) + c_) * 32 + \
                                 t_ % 32]                                                                      \
                    : MPLAN_LAT(type, e, MPLAN_LOFF(0), c_ * (rows_) + r_);                                    \
    }                                                                                                          \
    arg++;
#define MPLAN_LLOAD_FLAT(view, dat, map, arity_, dim, type)           \
    for (int s_ = 0; s_ < (arity_); s_++) {                           \
        const int64_t p_ = arg->rows[e * (arity_) + s_];              \
        for (int c_ = 0; c_ < (dim); c_++)                            \
            v.view[s_][c_] = p_ < 0 ? 0 : MPLAN_LAT(type, p_, 0, c_); \
    }                                                                 \
    arg++;
#define MPLAN_LLOAD_OWN(view, dat, dim, type)   \
    for (int c_ = 0; c_ < (dim); c_++)          \
        v.view[c_] = MPLAN_LAT(type, e, 0, c_); \
    arg++;
#define MPLAN_LLOAD_VALUE(view, dat, dim, type)               \
    for (int c_ = 0; c_ < (dim); c_++)                        \
        v.view[c_] = ((const MPLAN_C_##type *)arg->data)[c_]; \
    arg++;
#define MPLAN_LLOAD_WHOLE(view, dat, dim, type, access) \
    v.view.at = &MPLAN_LAT(type, e, 0, 0);              \
    v.view.level_stride = arg->level;                   \
    v.view.component_stride = arg->component;           \
    arg++;
#define MPLAN_LLOAD_KEPT(view, dat, dim, type) MPLAN_LLOAD_WHOLE(view, dat, dim, type, WRITE)
#define MPLAN_LLOAD_NEAR(view, dat, map, slots, dim, type)          \
    for (int s_ = 0; s_ < (slots); s_++) {                          \
        const int64_t p_ = MPLAN_LPOINT(s_);                        \
        v.view[s_].at = p_ < 0 ? NULL : &MPLAN_LAT(type, p_, 0, 0); \
        v.view[s_].level_stride = arg->level;                       \
        v.view[s_].component_stride = arg->component;               \
    }                                                               \
    arg++;
#define MPLAN_LLOAD(kind, ...) MPLAN_LLOAD_##kind(__VA_ARGS__)

#define MPLAN_LSTORE_LEVELS(view, dat, map, slots, dim, type, access)                                 \
    for (int s_ = 0; s_ < (slots) && MPLAN_AS_##access != MPLAN_READ; s_++) {                         \
        const int64_t p_ = MPLAN_LPOINT(s_);                                                          \
        for (int c_ = 0; c_ < (dim); c_++)                                                            \
            if (out)                                                                                  \
                ((MPLAN_C_##type *)out[arg - call->arg])[((k - begin) * (slots) + s_) * (dim) + c_] = \
                    v.view[s_][c_];                                                                   \
            else if (p_ >= 0)                                                                         \
                MPLAN_LAT(type, p_, MPLAN_LOFF(s_),                                                   \
                          c_) = mplan_combine_##type(MPLAN_AS_##access,                               \
                                                     MPLAN_LAT(type, p_, MPLAN_LOFF(s_), c_),         \
                                                     v.view[s_][c_]);                                 \
    }                                                                                                 \
    arg++;
#define MPLAN_LSTORE_COLUMN(view, dat, slots, dim, type, access)                                     \
    for (int c_ = 0; c_ < (dim) && MPLAN_AS_##access != MPLAN_READ; c_++)                            \
        MPLAN_LAT(type, e, MPLAN_LOFF(0),                                                            \
                  c_) = (MPLAN_C_##type)(MPLAN_AS_##access == MPLAN_INC                              \
                                             ? MPLAN_LAT(type, e, MPLAN_LOFF(0), c_) + v.view[0][c_] \
                                             : v.view[0][c_]);                                       \
    arg++;
#define MPLAN_LSTORE_MATRIX(...) arg++;
#define MPLAN_LSTORE_FLAT(...) arg++;
#define MPLAN_LSTORE_OWN(...) arg++;
#define MPLAN_LSTORE_VALUE(...) arg++;
#define MPLAN_LSTORE(kind, ...) MPLAN_LSTORE_##kind(__VA_ARGS__)

#define MPLAN_LAYER_KERNEL(name, ARGS, parameters_type)                                            \
    static void name##_run(const mplan_layers_call *call, int64_t e, int32_t begin, int32_t end,   \
                           void *const *out)                                                       \
    {                                                                                              \
        for (int32_t k = begin; k < end; k++) {                                                    \
            name##_views v;                                                                        \
            const mplan_layer_data *arg = call->arg;                                               \
            v.layer = k;                                                                           \
            v.bottom = call->ranges ? call->ranges[2 * e] : 0;                                     \
            v.top = call->ranges ? call->ranges[2 * e + 1] : call->layers;                         \
            ARGS(MPLAN_LLOAD)                                                                      \
            name(&v, (const parameters_type *)(const void *)call->parameters);                     \
            arg = call->arg;                                                                       \
            ARGS(MPLAN_LSTORE)                                                                     \
            (void)arg, (void)out;                                                                  \
        }                                                                                          \
    }                                                                                              \
    static const mplan_layer_arg name##_args[] = {ARGS(MPLAN_LABOUT)};                             \
    extern const mplan_layer_kernel name##_host;                                                   \
    const mplan_layer_kernel name##_host = {                                                       \
        #name,       MPLAN_LAYERING_LAYERS,   (int32_t)(sizeof name##_args / sizeof *name##_args), \
        name##_args, sizeof(parameters_type), name##_run,                                          \
        NULL};

#define MPLAN_COLUMN_KERNEL(name, ARGS, parameters_type) \
    MPLAN_COLUMNS_OF(name, ARGS, parameters_type, (void)0)
/* n_lanes: of a device only */
#define MPLAN_LANES_KERNEL(name, ARGS, n_lanes, parameters_type) \
    MPLAN_COLUMNS_OF(name, ARGS, parameters_type, v.lane = 0, v.lanes = 1)
#define MPLAN_COLUMNS_OF(name, ARGS, parameters_type, ...)                                         \
    static void name##_run(const mplan_layers_call *call, int64_t e, int32_t begin, int32_t end,   \
                           void *const *out)                                                       \
    {                                                                                              \
        name##_views v;                                                                            \
        const mplan_layer_data *arg = call->arg;                                                   \
        v.bottom = begin;                                                                          \
        v.top = end;                                                                               \
        __VA_ARGS__;                                                                               \
        ARGS(MPLAN_LLOAD)                                                                          \
        name(&v, (const parameters_type *)(const void *)call->parameters);                         \
        (void)arg, (void)out;                                                                      \
    }                                                                                              \
    static const mplan_layer_arg name##_args[] = {ARGS(MPLAN_LABOUT)};                             \
    extern const mplan_layer_kernel name##_host;                                                   \
    const mplan_layer_kernel name##_host = {                                                       \
        #name,       MPLAN_LAYERING_COLUMNS,  (int32_t)(sizeof name##_args / sizeof *name##_args), \
        name##_args, sizeof(parameters_type), name##_run,                                          \
        NULL};

#endif /* MPLAN_DEVICE_FILE */

#endif
