/* SPDX-License-Identifier: Apache-2.0 */
/* support_exec.c - kernels for tests of the executor, and plain loops that do the same */
#include "support_exec.h"
#include "support_plan.h"

#define FACTOR 1.25
static const support_scale SCALE = {FACTOR};

/* --- a flux between two points, opposite increments --------------------------------- */

#define FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, faces_cells, 2, 3, f64, READ) \
    DIRECT(normal, 2, f64, READ)            \
    OPPOSITE(res, faces_cells, 3, f64)
MPLAN_VIEWS(support_flux, FLUX_ARGS)
MPLAN_FN void support_flux(support_flux_views *v, const support_scale *p)
{
    for (int c = 0; c < 3; c++)
        v->res[c] = p->factor * (v->q[0][c] * v->normal[0] - v->q[1][c] * v->normal[1]);
}
MPLAN_KERNEL(support_flux, FLUX_ARGS, support_scale)

static mplan_map map_of(const mplan_mesh *mesh, const char *name)
{
    int32_t map = mplan_mesh_find_map(mesh, name);
    assert_true(map >= 0);
    return mplan_mesh_map(mesh, map);
}

static void naive_flux(const mplan_mesh *mesh, const support_dat *dat)
{
    mplan_map map = map_of(mesh, "faces_cells");
    const double *q = dat[0].expected, *normal = dat[1].expected;
    double *res = dat[2].expected;
    for (int64_t e = 0; e < map.n_rows; e++) {
        int32_t a = map.values[2 * e], b = map.values[2 * e + 1];
        for (int c = 0; c < 3; c++) {
            double qa = a < 0 ? 0 : q[3 * a + c], qb = b < 0 ? 0 : q[3 * b + c];
            double flux = FACTOR * (qa * normal[2 * e] - qb * normal[2 * e + 1]);
            if (a >= 0)
                res[3 * a + c] += flux;
            if (b >= 0)
                res[3 * b + c] -= flux;
        }
    }
}

/* --- corners of cells: two dats of two types, a direct result ------------------------- */

#define CORNERS_ARGS(MAPPED, DIRECT, arity)        \
    MAPPED(x, cells_nodes, arity, 2, f64, READ)    \
    DIRECT(weight, 1, f32, READ)                   \
    MAPPED(force, cells_nodes, arity, 3, f64, INC) \
    MAPPED(mass, cells_nodes, arity, 1, f32, INC)  \
    DIRECT(volume, 2, f64, WRITE)
#define CORNERS(arity)                                                      \
    MPLAN_VIEWS(support_corners##arity, CORNERS##arity##_ARGS)              \
    MPLAN_FN void support_corners##arity(support_corners##arity##_views *v, \
                                         const mplan_no_parameters *p)      \
    {                                                                       \
        (void)p;                                                            \
        for (int s = 0; s < (arity); s++) {                                 \
            int t = (s + 1) % (arity);                                      \
            v->force[s][0] = v->x[t][0] - 0.5 * v->x[s][1];                 \
            v->force[s][1] += (s + 1) * v->x[t][1];                         \
            v->force[s][2] += v->weight[0];                                 \
            v->mass[s][0] = (float)(s + 1) * v->weight[0];                  \
            v->volume[0] += v->x[s][0];                                     \
            v->volume[1] += s * v->x[s][1];                                 \
        }                                                                   \
    }                                                                       \
    MPLAN_KERNEL(support_corners##arity, CORNERS##arity##_ARGS, mplan_no_parameters)
#define CORNERS3_ARGS(MAPPED, DIRECT, OPPOSITE) CORNERS_ARGS(MAPPED, DIRECT, 3)
#define CORNERS4_ARGS(MAPPED, DIRECT, OPPOSITE) CORNERS_ARGS(MAPPED, DIRECT, 4)
#define CORNERS8_ARGS(MAPPED, DIRECT, OPPOSITE) CORNERS_ARGS(MAPPED, DIRECT, 8)
CORNERS(3)
CORNERS(4)
CORNERS(8)

static void naive_corners(const mplan_mesh *mesh, const support_dat *dat)
{
    mplan_map map = map_of(mesh, "cells_nodes");
    const double *x = dat[0].expected;
    const float *weight = dat[1].expected;
    double *force = dat[2].expected, *volume = dat[4].expected;
    float *mass = dat[3].expected;
    for (int64_t e = 0; e < map.n_rows; e++) {
        const int32_t *row = map.values + e * map.arity;
        volume[2 * e] = volume[2 * e + 1] = 0;
        for (int s = 0; s < map.arity; s++) {
            int32_t p = row[s], q = row[(s + 1) % map.arity];
            double own[2] = {p < 0 ? 0 : x[2 * p], p < 0 ? 0 : x[2 * p + 1]};
            double next[2] = {q < 0 ? 0 : x[2 * q], q < 0 ? 0 : x[2 * q + 1]};
            volume[2 * e] += own[0];
            volume[2 * e + 1] += s * own[1];
            if (p < 0)
                continue;
            force[3 * p] += next[0] - 0.5 * own[1];
            force[3 * p + 1] += (s + 1) * next[1];
            force[3 * p + 2] += weight[e];
            mass[p] += (float)(s + 1) * weight[e];
        }
    }
}

/* --- reads through another map to another set ------------------------------------------- */

#define SIDES_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(x, faces_nodes, 2, 2, f64, READ)  \
    MAPPED(q, faces_cells, 2, 1, f64, READ)  \
    MAPPED(res, faces_cells, 2, 2, f64, INC) \
    DIRECT(length, 1, f64, WRITE)
MPLAN_VIEWS(support_sides, SIDES_ARGS)
MPLAN_FN void support_sides(support_sides_views *v, const support_scale *p)
{
    double dx = v->x[1][0] - v->x[0][0], dy = v->x[1][1] - v->x[0][1];
    v->length[0] = dx * dx + dy * dy;
    for (int s = 0; s < 2; s++) {
        v->res[s][0] = p->factor * dx * v->q[1 - s][0];
        v->res[s][1] = (s + 1) * dy + v->q[s][0];
    }
}
MPLAN_KERNEL(support_sides, SIDES_ARGS, support_scale)

static void naive_sides(const mplan_mesh *mesh, const support_dat *dat)
{
    mplan_map nodes = map_of(mesh, "faces_nodes"), cells = map_of(mesh, "faces_cells");
    const double *x = dat[0].expected, *q = dat[1].expected;
    double *res = dat[2].expected, *length = dat[3].expected;
    for (int64_t e = 0; e < cells.n_rows; e++) {
        const int32_t *n = nodes.values + 2 * e, *c = cells.values + 2 * e;
        double dx = x[2 * n[1]] - x[2 * n[0]], dy = x[2 * n[1] + 1] - x[2 * n[0] + 1];
        length[e] = dx * dx + dy * dy;
        for (int s = 0; s < 2; s++) {
            res[2 * c[s]] += FACTOR * dx * q[c[1 - s]];
            res[2 * c[s] + 1] += (s + 1) * dy + q[c[s]];
        }
    }
}

/* --- two maps that increment one set, a third that only reads it -------------------------- */

#define KNOTS_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, a_b3, 1, 2, f64, READ)         \
    MAPPED(u, a_b2, 3, 1, f64, READ)         \
    MAPPED(r, a_b, 2, 2, f64, INC)           \
    MAPPED(count, a_b2, 3, 1, i32, INC)      \
    MAPPED(w, a_c, 2, 1, f32, READ)          \
    DIRECT(d, 1, f64, READ)
MPLAN_VIEWS(support_knots, KNOTS_ARGS)
MPLAN_FN void support_knots(support_knots_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 2; s++) {
        v->r[s][0] = v->q[0][s] + v->w[s][0];
        v->r[s][1] = v->d[0] * (s + 1);
    }
    for (int s = 0; s < 3; s++)
        v->count[s][0] = s + 1 + (v->u[s][0] > 0.5);
}
MPLAN_KERNEL(support_knots, KNOTS_ARGS, mplan_no_parameters)

static void naive_knots(const mplan_mesh *mesh, const support_dat *dat)
{
    mplan_map a_b = map_of(mesh, "a_b"), a_b2 = map_of(mesh, "a_b2");
    mplan_map a_b3 = map_of(mesh, "a_b3"), a_c = map_of(mesh, "a_c");
    const double *q = dat[0].expected, *u = dat[1].expected, *d = dat[5].expected;
    const float *w = dat[4].expected;
    double *r = dat[2].expected;
    int32_t *count = dat[3].expected;
    for (int64_t e = 0; e < a_b.n_rows; e++) {
        int32_t far = a_b3.values[e];
        for (int s = 0; s < 2; s++) {
            int32_t p = a_b.values[2 * e + s], c = a_c.values[2 * e + s];
            if (p < 0)
                continue;
            r[2 * p] += (far < 0 ? 0 : q[2 * far + s]) + (c < 0 ? 0 : (double)w[c]);
            r[2 * p + 1] += d[e] * (s + 1);
        }
        for (int s = 0; s < 3; s++) {
            int32_t p = a_b2.values[3 * e + s];
            if (p >= 0)
                count[p] += s + 1 + (u[p] > 0.5);
        }
    }
}

/* --- direct sums beside increments; no map at all -------------------------------------------- */

#define TALLY_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(sum, cells_nodes, 4, 1, f64, INC) \
    DIRECT(q, 2, f64, RW)                    \
    DIRECT(seen, 1, i64, INC)
MPLAN_VIEWS(support_tally, TALLY_ARGS)
MPLAN_FN void support_tally(support_tally_views *v, const support_scale *p)
{
    for (int s = 0; s < 4; s++)
        v->sum[s][0] = v->q[s % 2];
    v->q[0] *= p->factor;
    v->seen[0] = 2;
}
MPLAN_KERNEL(support_tally, TALLY_ARGS, support_scale)

static void naive_tally(const mplan_mesh *mesh, const support_dat *dat)
{
    mplan_map map = map_of(mesh, "cells_nodes");
    double *sum = dat[0].expected, *q = dat[1].expected;
    int64_t *seen = dat[2].expected;
    for (int64_t e = 0; e < map.n_rows; e++) {
        for (int s = 0; s < 4; s++)
            if (map.values[4 * e + s] >= 0)
                sum[map.values[4 * e + s]] += q[2 * e + s % 2];
        q[2 * e] *= FACTOR;
        seen[e] += 2;
    }
}

#define UPDATE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(q, 3, f64, RW)                     \
    DIRECT(old, 3, f32, WRITE)                \
    DIRECT(flag, 1, u8, READ)
MPLAN_VIEWS(support_update, UPDATE_ARGS)
MPLAN_FN void support_update(support_update_views *v, const support_scale *p)
{
    for (int c = 0; c < 3; c++) {
        v->old[c] = (float)v->q[c];
        v->q[c] = p->factor * v->q[c] + v->flag[0];
    }
}
MPLAN_KERNEL(support_update, UPDATE_ARGS, support_scale)

static void naive_update(const mplan_mesh *mesh, const support_dat *dat)
{
    (void)mesh;
    double *q = dat[0].expected;
    float *old = dat[1].expected;
    const uint8_t *flag = dat[2].expected;
    for (int64_t i = 0; i < dat[0].size * 3; i++) {
        old[i] = (float)q[i];
        q[i] = FACTOR * q[i] + flag[i / 3];
    }
}

/* --- meshes ------------------------------------------------------------------------------------ */

static mplan_mesh *generated(uint64_t *seed, mplan_shape shape)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    bool solid = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET;
    options.shape = shape;
    for (int d = 0; d < (solid ? 3 : 2); d++)
        options.size[d] = 1 + support_random(seed, solid ? 6 : 24);
    options.jitter = support_random(seed, 2) ? 0.3 : 0;
    options.shuffle = support_random(seed, 3) > 0;
    options.seed = (uint64_t)support_random(seed, 1000);
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), &err);
    return mesh;
}

static mplan_mesh *make_quad(uint64_t *seed)
{
    return generated(seed, MPLAN_SHAPE_QUAD);
}

static mplan_mesh *make_tri(uint64_t *seed)
{
    return generated(seed, MPLAN_SHAPE_TRI);
}

static mplan_mesh *make_hex(uint64_t *seed)
{
    return generated(seed, MPLAN_SHAPE_HEX);
}

static mplan_mesh *make_tet(uint64_t *seed)
{
    return generated(seed, MPLAN_SHAPE_TET);
}

static mplan_mesh *make_any(uint64_t *seed)
{
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TRI, MPLAN_SHAPE_HEX,
                                         MPLAN_SHAPE_TET};
    return generated(seed, shapes[support_random(seed, 4)]);
}

static mplan_mesh *make_flat(uint64_t *seed)
{
    return generated(seed, support_random(seed, 2) ? MPLAN_SHAPE_QUAD : MPLAN_SHAPE_TRI);
}

/* A table of few points, some of them hubs, that rows repeat. Where an entry is
 * none, the row's first is not: what an element writes has an owner. */
static void add_table(uint64_t *seed, mplan_mesh *mesh, const char *name, int32_t from, int32_t to,
                      int32_t arity, int none_percent)
{
    mplan_error err;
    mplan_set a = mplan_mesh_set(mesh, from), b = mplan_mesh_set(mesh, to);
    mplan_map map = support_random_map(seed, a.size, b.size, arity, none_percent);
    int32_t *values = (int32_t *)(uintptr_t)map.values;
    bool hubs = support_random(seed, 2);
    for (int64_t i = 0; i < a.size * arity; i++) {
        if (i % arity == 0 && values[i] < 0)
            values[i] = (int32_t)support_random(seed, b.size);
        if (hubs && values[i] >= 0 && support_random(seed, 3) == 0)
            values[i] = (int32_t)(b.size / 2);
    }
    assert_done(mplan_mesh_add_map(mesh, name, from, to, arity, NULL, values, NULL, &err), &err);
    support_map_free(&map);
}

static mplan_mesh *make_tables(uint64_t *seed)
{
    static const int64_t most[] = {1, 12, 60, 400};
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    int64_t size[3];
    for (int s = 0; s < 3; s++)
        size[s] = 1 + support_random(seed, most[support_random(seed, 4)]);
    int32_t a, b, c;
    assert_done(mplan_mesh_add_set(mesh, "a", size[0], &a, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "b", size[1], &b, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "c", size[2], &c, &err), &err);
    int none = support_random(seed, 2) ? 20 : 0;
    add_table(seed, mesh, "a_b", a, b, 2, none);
    add_table(seed, mesh, "a_b2", a, b, 3, none);
    add_table(seed, mesh, "a_b3", a, b, 1, none);
    add_table(seed, mesh, "a_c", a, c, 2, none);
    return mesh;
}

static mplan_mesh *make_named(uint64_t *seed, const char *from, const char *to, const char *map,
                              int32_t arity, int none_percent)
{
    mplan_error err;
    mplan_mesh *mesh;
    int32_t a, b;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, from, 1 + support_random(seed, 300), &a, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, to, 1 + support_random(seed, 150), &b, &err), &err);
    add_table(seed, mesh, map, a, b, arity, none_percent);
    return mesh;
}

static mplan_mesh *make_pairs(uint64_t *seed)
{
    return make_named(seed, "faces", "cells", "faces_cells", 2, 0);
}

static mplan_mesh *make_half_pairs(uint64_t *seed)
{
    return make_named(seed, "faces", "cells", "faces_cells", 2, 30);
}

static mplan_mesh *make_fours(uint64_t *seed)
{
    return make_named(seed, "cells", "nodes", "cells_nodes", 4, (int)support_random(seed, 2) * 25);
}

/* --- cases ----------------------------------------------------------------------------------------- */

static const support_exec_case CASES[] = {
    {"flux", "faces", &support_flux_host, naive_flux, make_any, true, true, true, false},
    {"flux-table", "faces", &support_flux_host, naive_flux, make_pairs, true, true, false, false},
    {"flux-skip", "faces", &support_flux_host, naive_flux, make_half_pairs, true, true, false, true},
    {"sides", "faces", &support_sides_host, naive_sides, make_flat, true, true, true, false},
    {"corners-tri", "cells", &support_corners3_host, naive_corners, make_tri, true, true, false,
     false},
    {"corners-quad", "cells", &support_corners4_host, naive_corners, make_quad, true, true, false,
     false},
    {"corners-tet", "cells", &support_corners4_host, naive_corners, make_tet, true, true, false,
     false},
    {"corners-hex", "cells", &support_corners8_host, naive_corners, make_hex, true, true, false,
     false},
    {"corners-table", "cells", &support_corners4_host, naive_corners, make_fours, true, true, false,
     true},
    {"knots", "a", &support_knots_host, naive_knots, make_tables, true, true, false, true},
    {"tally", "cells", &support_tally_host, naive_tally, make_fours, true, false, false, true},
    {"update", "cells", &support_update_host, naive_update, make_any, false, false, false, false},
};

const support_exec_case *support_exec_get(int i)
{
    return i < (int)(sizeof CASES / sizeof *CASES) ? &CASES[i] : NULL;
}

const support_exec_case *support_exec_find(const char *name)
{
    for (int i = 0; support_exec_get(i); i++)
        if (strcmp(CASES[i].name, name) == 0)
            return &CASES[i];
    fail_msg("no case %s", name);
    return NULL;
}

void support_exec_request(const support_exec_case *test, support_exec_loop *request)
{
    memset(request, 0, sizeof *request);
    request->loop = (mplan_loop){test->kernel->name,   test->over,   true, 1, 0,
                                 test->kernel->n_args, request->args};
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        const mplan_kernel_arg *own = &test->kernel->args[a];
        bool direct = own->map[0] == '\0';
        request->args[a] = (mplan_arg){
            own->dat,    direct ? NULL : own->map,
            own->access, own->dim,
            own->type,   test->skips && !direct ? MPLAN_NONE_SKIP : MPLAN_NONE_REFUSE};
    }
}

static void put_random(uint64_t *seed, mplan_type type, void *rows, int64_t i)
{
    double value = 0.25 + (double)support_random(seed, 1 << 20) / (1 << 20);
    switch (type) {
    case MPLAN_TYPE_F64: ((double *)rows)[i] = value; break;
    case MPLAN_TYPE_F32: ((float *)rows)[i] = (float)value; break;
    case MPLAN_TYPE_I64: ((int64_t *)rows)[i] = support_random(seed, 1000); break;
    case MPLAN_TYPE_I32: ((int32_t *)rows)[i] = (int32_t)support_random(seed, 1000); break;
    case MPLAN_TYPE_U16: ((uint16_t *)rows)[i] = (uint16_t)support_random(seed, 1000); break;
    case MPLAN_TYPE_U8: ((uint8_t *)rows)[i] = (uint8_t)support_random(seed, 100); break;
    }
}

void support_exec_fill(const support_exec_case *test, const mplan_mesh *mesh, uint64_t *seed,
                       support_dat dat[SUPPORT_EXEC_ARGS])
{
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        const mplan_kernel_arg *own = &test->kernel->args[a];
        const char *set = test->over;
        if (own->map[0])
            set = mplan_mesh_set(mesh, map_of(mesh, own->map).to).name;
        int64_t size = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, set)).size;
        size_t bytes = (size_t)(size * own->dim) * mplan_type_size(own->type);
        dat[a] = (support_dat){own->dat,         set, own->dim, own->type, size, malloc(bytes + 1),
                               malloc(bytes + 1)};
        for (int64_t i = 0; i < size * own->dim; i++)
            put_random(seed, own->type, dat[a].rows, i);
        memcpy(dat[a].expected, dat[a].rows, bytes);
    }
    test->naive(mesh, dat);
}

void support_exec_free(const support_exec_case *test, support_dat dat[SUPPORT_EXEC_ARGS])
{
    for (int32_t a = 0; a < test->kernel->n_args; a++) {
        free(dat[a].rows);
        free(dat[a].expected);
    }
}

const void *support_exec_parameters(const support_exec_case *test)
{
    return test->kernel->parameter_bytes == sizeof(support_scale) ? &SCALE : NULL;
}

mplan_exec *support_exec_open(const mplan_plan *plan, mplan_executor executor, int32_t threads)
{
    mplan_error err;
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = executor;
    options.threads = threads;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    return exec;
}

mplan_plan *support_exec_with_holes(uint64_t *seed, mplan_mesh **mesh)
{
    const support_exec_case *test = support_exec_find("knots");
    support_exec_loop request;
    support_plan_options options = {4, true, false, false};
    support_exec_request(test, &request);
    for (;;) {
        *mesh = test->make(seed);
        bool small = true;
        for (int32_t s = 0; s < mplan_mesh_n_sets(*mesh); s++)
            small = small && mplan_mesh_set(*mesh, s).size < 56;
        mplan_plan *plan = small ? support_plan(*mesh, 1, &request.loop, &options, seed) : NULL;
        if (plan && mplan_plan_get_set(plan, 0)->size > 3 &&
            mplan_plan_get_set(plan, 0)->storage_size > mplan_plan_get_set(plan, 0)->size)
            return plan;
        mplan_plan_free(plan);
        mplan_mesh_free(*mesh);
    }
}

mplan_plan *support_exec_plan(const support_exec_case *test, mplan_mesh *mesh,
                              const mplan_plan_options *options)
{
    mplan_error err;
    mplan_plan *plan;
    support_exec_loop request;
    support_exec_request(test, &request);
    mplan_status status = mplan_plan_create(mesh, 1, &request.loop, options, NULL, &plan, &err);
    if (status != MPLAN_OK)
        fail_msg("%s: %s", test->name, err.text);
    return plan;
}
