/* SPDX-License-Identifier: Apache-2.0 */
/* generate.c - regular meshes of the unit square and cube, and the way to the other shapes
 *
 * Triangles halve each quad along its shorter diagonal, without jitter the one
 * from its lowest to its highest corner; tets cut each hex into the six simplices of Kuhn that share the
 * diagonal from its lowest to its highest corner (H. W. Kuhn, Some
 * combinatorial lemmas in topology, IBM J. 4 (1960)), so that every face is
 * cut alike from both sides. */
#include "generate/generate.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "generate/surface_layers.h"
#include "mesh/mesh.h"

static const char *const shape_name[] = {
    "quad", "tri", "hex", "tet", "naca0012", "boundary-layer", "wing", "sphere", "cubed-sphere"};

/* A grid of boxes; one layer of nodes in directions that a plane lacks. */
typedef struct box_grid {
    int32_t dimension;
    int64_t n[3];      /* boxes per direction */
    int64_t stride[3]; /* from a node to the next of a direction */
    int64_t n_boxes, n_nodes;
    mplan_cell_type type, facet_type;
    int32_t cells_per_box, facets_per_side; /* side: one of a box */
} box_grid;

/* Cells per direction; `dimension` of them are used. */
static mplan_status check_sizes(const mplan_generate_options *options, int32_t dimension,
                                mplan_error *err)
{
    const char *name = shape_name[options->shape];
    for (int32_t d = 0; d < dimension; d++)
        if (options->size[d] < 1 || options->size[d] > MPLAN_MAX_MEMBERS)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "size %lld of a %s mesh is not in [1, %lld]",
                              (long long)options->size[d], name, (long long)MPLAN_MAX_MEMBERS);
    if (dimension == 2 && options->size[2] != 0 && options->size[2] != 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a %s mesh has two sizes, not three", name);
    return MPLAN_OK;
}

/* Sizes and strides of the grid of boxes, each of which is one quad or hex, or is cut
 * into triangles or tets. Fails where a number would exceed 32 bits. */
static mplan_status grid_begin(const mplan_generate_options *options, box_grid *grid, mplan_error *err)
{
    bool solid = options->shape == MPLAN_SHAPE_HEX || options->shape == MPLAN_SHAPE_TET;
    bool cut = options->shape == MPLAN_SHAPE_TRI || options->shape == MPLAN_SHAPE_TET;
    memset(grid, 0, sizeof *grid);
    grid->dimension = solid ? 3 : 2;
    grid->type = solid ? (cut ? MPLAN_CELL_TET4 : MPLAN_CELL_HEX8)
                       : (cut ? MPLAN_CELL_TRI3 : MPLAN_CELL_QUAD4);
    grid->facet_type = !solid ? MPLAN_CELL_LINE2 : cut ? MPLAN_CELL_TRI3 : MPLAN_CELL_QUAD4;
    grid->cells_per_box = !cut ? 1 : solid ? 6 : 2;
    grid->facets_per_side = solid && cut ? 2 : 1;
    mplan_status status = check_sizes(options, grid->dimension, err);
    if (status)
        return status;
    grid->n_boxes = grid->n_nodes = 1;
    for (int32_t d = 0; d < grid->dimension; d++) {
        grid->n[d] = options->size[d];
        grid->stride[d] = grid->n_nodes;
        grid->n_boxes *= grid->n[d];
        grid->n_nodes *= grid->n[d] + 1;
        /* here and not behind the loop: two factors below 2^31 do not overflow, three do */
        if (grid->n_nodes > MPLAN_MAX_MEMBERS)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "a %s mesh of this size has more than %lld nodes",
                              shape_name[options->shape], (long long)MPLAN_MAX_MEMBERS);
    }
    if (grid->n_boxes * grid->cells_per_box > MPLAN_MAX_MEMBERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a %s mesh of this size has more than %lld cells",
                          shape_name[options->shape], (long long)MPLAN_MAX_MEMBERS);
    return MPLAN_OK;
}

/* Writes the cells of the box with the given corners, all positively oriented. */
static int32_t *box_cells(const box_grid *grid, const int32_t corner[8], int32_t *at)
{
    /* corners of a box count in binary: bit d is the step along direction d */
    static const int8_t quad[4] = {0, 1, 3, 2};
    static const int8_t tri[6] = {0, 1, 3, 0, 3, 2};
    static const int8_t hex[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    static const int8_t tet[24] = {0, 1, 3, 7, 0, 2, 6, 7, 0, 4, 5, 7,  /* xyz, yzx, zxy */
                                   0, 5, 1, 7, 0, 3, 2, 7, 0, 6, 4, 7}; /* xzy, yxz, zyx reversed */
    const int8_t *list = quad;
    int32_t n = 4;
    switch (grid->type) {
    case MPLAN_CELL_TRI3:
        list = tri;
        n = 6;
        break;
    case MPLAN_CELL_HEX8:
        list = hex;
        n = 8;
        break;
    case MPLAN_CELL_TET4:
        list = tet;
        n = 24;
        break;
    default: break;
    }
    for (int32_t i = 0; i < n; i++)
        *at++ = corner[list[i]];
    return at;
}

/* nodes: out, the corners of all cells, box after box; corner c of a box has the bits
 * of its position along the axes. */
static mplan_status fill_cells(const box_grid *grid, const mplan_context *context, int32_t *nodes,
                               mplan_error *err)
{
    int64_t step[8];
    for (int32_t c = 0; c < 8; c++)
        step[c] = (c & 1) * grid->stride[0] + (c >> 1 & 1) * grid->stride[1] +
                  (c >> 2) * grid->stride[2];
    int32_t n_corners = 1 << grid->dimension;
    int64_t n_layers = grid->dimension == 3 ? grid->n[2] : 1;
    for (int64_t k = 0; k < n_layers; k++) {
        for (int64_t j = 0; j < grid->n[1]; j++) {
            int64_t first = j * grid->stride[1] + k * grid->stride[2];
            for (int64_t i = 0; i < grid->n[0]; i++) {
                int32_t corner[8];
                for (int32_t c = 0; c < n_corners; c++)
                    corner[c] = (int32_t)(first + i + step[c]);
                nodes = box_cells(grid, corner, nodes);
            }
            if (mplan_interrupted(context, err) != MPLAN_OK)
                return MPLAN_ERR_INTERRUPTED;
        }
    }
    return MPLAN_OK;
}

static double random_signed(uint64_t *state)
{
    return (double)(mplan_random(state) >> 11) * 0x1p-52 - 1.0;
}

/* A random displacement in the ball of that radius, measured in spacings. The
 * cells of a unit box are at least 0.70 (triangles) or 0.577 (tets, corners of
 * hexes) wide, so that corners which move by less than half of it never invert
 * them; a ball leaves more room for that than a box does. */
static void random_in_ball(uint64_t *state, int32_t dimension, double radius, double move[3])
{
    double square;
    do {
        square = 0;
        for (int32_t d = 0; d < dimension; d++) {
            move[d] = random_signed(state);
            square += move[d] * move[d];
        }
    } while (square > 1);
    for (int32_t d = 0; d < dimension; d++)
        move[d] *= radius;
}

/* Places nodes; inner ones off the grid by up to jitter x spacing. */
static mplan_status fill_coordinates(const box_grid *grid, double jitter, uint64_t seed,
                                     const mplan_context *context, double *at, mplan_error *err)
{
    /* just below half the width of a tet at jitter 0.3 */
    const double radius = grid->dimension == 3 ? 0.96 * jitter : jitter;
    const double n[3] = {(double)grid->n[0], (double)grid->n[1], (double)grid->n[2]};
    uint64_t state = seed;
    for (int64_t k = 0; k <= grid->n[2]; k++) {
        bool inner_layer = grid->dimension == 2 || (k > 0 && k < grid->n[2]);
        for (int64_t j = 0; j <= grid->n[1]; j++) {
            bool inner_row = inner_layer && j > 0 && j < grid->n[1];
            for (int64_t i = 0; i <= grid->n[0]; i++) {
                double move[3] = {0, 0, 0};
                if (jitter > 0 && inner_row && i > 0 && i < grid->n[0])
                    random_in_ball(&state, grid->dimension, radius, move);
                *at++ = ((double)i + move[0]) / n[0];
                *at++ = ((double)j + move[1]) / n[1];
                if (grid->dimension == 3)
                    *at++ = ((double)k + move[2]) / n[2];
            }
            if (mplan_interrupted(context, err) != MPLAN_OK)
                return MPLAN_ERR_INTERRUPTED;
        }
    }
    return MPLAN_OK;
}

static double squared_distance(const double *a, const double *b)
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

/* Turns the two triangles of each quad to its other diagonal where that is
 * shorter. No three corners of a quad are inverted by jitter up to 0.3, so
 * that both cuts have positive triangles. */
static void turn_diagonals(const box_grid *grid, const double *at, int32_t *nodes)
{
    for (int64_t q = 0; q < grid->n_boxes; q++, nodes += 6) {
        int32_t corner[4] = {nodes[0], nodes[1], nodes[5], nodes[2]};
        if (squared_distance(at + 2 * corner[1], at + 2 * corner[2]) <
            squared_distance(at + 2 * corner[0], at + 2 * corner[3])) {
            nodes[2] = corner[2]; /* 0 1 2 */
            nodes[3] = corner[1]; /* 1 3 2 */
            nodes[4] = corner[3];
        }
    }
}

/* Corners of a facet on the low or high side of direction d, seen so that its
 * normal leaves the grid; returns how many. */
static int32_t side_corners(const box_grid *grid, int32_t d, bool high, int32_t corner,
                            int32_t out[4])
{
    int32_t b = (int32_t)grid->stride[(d + 1) % grid->dimension];
    if (grid->dimension == 2) {
        /* to the right of the direction of travel */
        bool along = (d == 0) == high;
        out[0] = along ? corner : corner + b;
        out[1] = along ? corner + b : corner;
        return 2;
    }
    int32_t c = (int32_t)grid->stride[(d + 2) % 3];
    out[0] = corner;
    out[1] = high ? corner + b : corner + c;
    out[2] = corner + b + c;
    out[3] = high ? corner + c : corner + b;
    return 4;
}

/* nodes: out, facets of the side across axis d (high or low), in the order of the two
 * other axes. */
static void fill_side(const box_grid *grid, int32_t d, bool high, int32_t *nodes)
{
    int32_t b = (d + 1) % grid->dimension, c = grid->dimension == 3 ? (d + 2) % 3 : 2;
    int64_t n_c = grid->dimension == 3 ? grid->n[c] : 1;
    int64_t first = high ? grid->n[d] * grid->stride[d] : 0;
    for (int64_t j = 0; j < n_c; j++) {
        for (int64_t i = 0; i < grid->n[b]; i++) {
            int32_t p[4];
            int64_t corner = first + i * grid->stride[b] + j * grid->stride[c];
            int32_t n = side_corners(grid, d, high, (int32_t)corner, p);
            if (grid->facets_per_side == 2) {
                *nodes++ = p[0], *nodes++ = p[1], *nodes++ = p[2];
                *nodes++ = p[0], *nodes++ = p[2], *nodes++ = p[3];
            } else {
                memcpy(nodes, p, (size_t)n * sizeof *p);
                nodes += n;
            }
        }
    }
}

/* A group for each side of the box, by the names that users expect in 2-D and 3-D; ids
 * from 1. */
static mplan_status add_sides(const box_grid *grid, mplan_mesh *mesh, mplan_error *err)
{
    static const char *const name[2][6] = {{"left", "right", "bottom", "top", NULL, NULL},
                                           {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"}};
    mplan_status status = MPLAN_OK;
    for (int32_t side = 0; side < 2 * grid->dimension && !status; side++) {
        int32_t d = side / 2;
        int64_t n_facets = grid->n_boxes / grid->n[d] * grid->facets_per_side;
        uint8_t *type = mplan_alloc(n_facets, 1, err);
        int32_t *nodes = mplan_alloc(4 * n_facets, sizeof *nodes, err);
        if (type && nodes) {
            memset(type, grid->facet_type, (size_t)n_facets);
            fill_side(grid, d, side % 2 == 1, nodes);
            status = mplan_mesh_add_facets(mesh, name[grid->dimension - 2][side], side + 1,
                                           n_facets, type, nodes, err);
        } else {
            status = MPLAN_ERR_MEMORY;
        }
        free(type);
        free(nodes);
    }
    return status;
}

/* Cells, coordinates in the unit box, and groups of the sides. */
static mplan_status fill_grid(const mplan_generate_options *options, const mplan_context *context,
                              mplan_mesh *mesh, mplan_error *err)
{
    box_grid grid;
    mplan_status status = grid_begin(options, &grid, err);
    if (status)
        return status;
    int64_t n_cells = grid.n_boxes * grid.cells_per_box;
    uint8_t *type = mplan_alloc(n_cells, 1, err);
    int32_t *nodes = NULL;
    double *coordinates = NULL;
    if (!type) {
        status = MPLAN_ERR_MEMORY;
        goto done;
    }
    memset(type, grid.type, (size_t)n_cells);
    nodes = mplan_alloc(n_cells, (size_t)mplan_cell_type_nodes(grid.type) * sizeof *nodes, err);
    coordinates = mplan_alloc(grid.n_nodes, (size_t)grid.dimension * sizeof *coordinates, err);
    if (!nodes || !coordinates) {
        status = MPLAN_ERR_MEMORY;
        goto done;
    }
    status = fill_cells(&grid, context, nodes, err);
    if (!status)
        status = fill_coordinates(&grid, options->jitter, options->seed, context, coordinates, err);
    if (!status && grid.type == MPLAN_CELL_TRI3 && options->jitter > 0)
        turn_diagonals(&grid, coordinates, nodes);
    if (status)
        goto done;
    status = mplan_mesh_take_cells(mesh, grid.n_nodes, n_cells, type, nodes, err);
    type = NULL;
    nodes = NULL;
    if (status)
        goto done;
    status = mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), grid.dimension,
                                         coordinates, err);
    coordinates = NULL;
    if (!status)
        status = add_sides(&grid, mesh, err);
done:
    free(coordinates);
    free(nodes);
    free(type);
    return status;
}

/* Multiplies the nodes' coordinates, direction by direction. */
static mplan_status stretch(mplan_mesh *mesh, const double factor[3], mplan_error *err)
{
    int32_t dimension, nodes = mplan_mesh_find_set(mesh, "nodes");
    int64_t n = mplan_mesh_set(mesh, nodes).size;
    const double *from = mplan_mesh_coordinates(mesh, nodes, &dimension);
    double *to = mplan_alloc(n, (size_t)dimension * sizeof *to, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int32_t d = 0; d < dimension; d++)
            to[i * dimension + d] = from[i * dimension + d] * (factor[d] != 0 ? factor[d] : 1);
    mplan_status status = mplan_mesh_set_coordinates(mesh, nodes, dimension, to, err);
    free(to);
    return status;
}

/* Written so that NaN is refused as well; 0 is always good. */
static mplan_status check_range(const char *name, double value, double least, double most,
                                mplan_error *err)
{
    if (value == 0 || (value >= least && value <= most))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s %g is not in [%g, %g]", name, value, least, most);
}

/* Sizes and layers of meshes round a body. */
static mplan_status check_layers(const mplan_generate_options *options, mplan_error *err)
{
    bool plane = options->shape == MPLAN_SHAPE_BOUNDARY_LAYER && options->size[2] == 0;
    bool solid = options->shape != MPLAN_SHAPE_SPHERE && !plane;
    if (options->cells < MPLAN_LAYER_CELLS_AUTO || options->cells > MPLAN_LAYER_CELLS_HYBRID)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there are no layer cells %d",
                          (int)options->cells);
    mplan_status status = check_range("first height", options->first_height, 1e-12, 1000, err);
    if (!status)
        status = check_range("growth", options->growth, 1, 10, err);
    return !status ? check_sizes(options, solid ? 3 : 2, err) : status;
}

/* Numbers in their ranges, and nothing given that the shape does not use. */
static mplan_status check_options(const mplan_generate_options *options, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int d = 0; d < 3 && !status; d++)
        status = check_range("stretch", options->stretch[d], 0, 1e100, err);
    if (status)
        return status;
    if (options->shape < MPLAN_SHAPE_QUAD || options->shape > MPLAN_SHAPE_CUBED_SPHERE)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no mesh shape %d", (int)options->shape);
    if (!(options->jitter >= 0 && options->jitter < 0.5))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "jitter %g is not in [0, 0.5)", options->jitter);
    if (options->shape >= MPLAN_SHAPE_NACA0012 && options->jitter > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "jitter is not supported for a %s mesh",
                          shape_name[options->shape]);
    if (options->shape > MPLAN_SHAPE_NACA0012 && options->shape < MPLAN_SHAPE_CUBED_SPHERE)
        return check_layers(options, err);
    if (options->cells != MPLAN_LAYER_CELLS_AUTO || options->first_height != 0 || options->growth != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "cells, first height and growth are for boundary-layer, wing and sphere, "
                          "not for a %s mesh",
                          shape_name[options->shape]);
    if (options->shape == MPLAN_SHAPE_NACA0012)
        return check_sizes(options, 2, err);
    if (options->shape != MPLAN_SHAPE_CUBED_SPHERE)
        return MPLAN_OK;
    if (options->size[1] != 0 || options->size[2] != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a cubed-sphere mesh has one size");
    return check_sizes(options, 1, err);
}

/* The mesh as numbered by its shape, before it is shuffled and stretched. */
static mplan_status fill_shape(const mplan_generate_options *options, const mplan_context *context,
                               mplan_mesh *mesh, mplan_error *err)
{
    switch (options->shape) {
    case MPLAN_SHAPE_NACA0012:
        return mplan_naca0012_fill(options->size[0], options->size[1], context, mesh, err);
    case MPLAN_SHAPE_BOUNDARY_LAYER:
    case MPLAN_SHAPE_WING: return mplan_profile_fill(options, context, mesh, err);
    case MPLAN_SHAPE_SPHERE: return mplan_sphere_fill(options, context, mesh, err);
    case MPLAN_SHAPE_CUBED_SPHERE: return mplan_cubed_sphere_fill(options->size[0], mesh, err);
    default: return fill_grid(options, context, mesh, err);
    }
}

/* Shape, then shuffle, then stretch. Nodes are shuffled before cells, from one stream of random
 * numbers; the seed gives the same mesh on every machine. *mesh is set only after success. */
mplan_status mplan_mesh_generate(const mplan_generate_options *options,
                                 const mplan_context *context, mplan_mesh **mesh, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    mplan_generate_options own = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *made = NULL;
    mplan_status status = mplan_options_take(&own, options, "generate options", err);
    options = &own;
    if (!status)
        status = check_options(options, err);
    if (!status)
        status = mplan_mesh_create(&made, err);
    if (status)
        return status;
    status = fill_shape(options, context, made, err);
    if (!status && options->shuffle) {
        /* a stream of its own, so that jitter does not change the numbering */
        uint64_t state = ~options->seed;
        status = mplan_mesh_shuffle(made, mplan_mesh_find_set(made, "nodes"), &state, err);
        if (!status)
            status = mplan_mesh_shuffle(made, mplan_mesh_find_set(made, "cells"), &state, err);
    }
    const double *factor = options->stretch;
    if (!status && (factor[0] != 0 || factor[1] != 0 || factor[2] != 0))
        status = stretch(made, factor, err);
    if (status) {
        mplan_mesh_free(made);
        return status;
    }
    *mesh = made;
    return MPLAN_OK;
}
