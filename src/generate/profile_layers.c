/* SPDX-License-Identifier: Apache-2.0 */
/* profile_layers.c - O-grids round a profile and along a wing
 *
 * The profile is the image of a circle under Joukowski's map z = w + 1/w (N. Joukowsky,
 * Z. Flugtechnik 1 (1910)): symmetric, 12 % thick, of chord 1. The circle passes the
 * critical point w = 1 at a distance, which makes the trailing edge round. Lines that
 * leave the wall are images of the circle's rays; nodes lie on them at the same distances
 * from the wall all around, by secants, where images of circles would be 50 times as near
 * at the trailing edge as amidships. Rays of a conformal map do not meet, so that cells
 * are not inverted. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/generate.h"
#include "generate/surface_layers.h"

/* The circle; half of the chord behind the map follows from it. */
static const double centre = -0.09, radius = 1.11;
enum { LEAST_AROUND = 8, MOST_STEPS = 200 };

/* How sections change along the span: the chord from 1 to tip_chord, the leading edge
 * back by `sweep` a unit of span. */
typedef struct span_form {
    double length, tip_chord, sweep;
} span_form;

static const span_form straight_span = {1, 1, 0};
static const span_form wing_span = {3, 0.5, 0.57735026918962576451}; /* 30 degrees */

typedef struct complex_number {
    double re, im;
} complex_number;

/* A ray of the circle: its direction, where it leaves the circle, and how far out on it
 * the last layer of nodes is. */
typedef struct ray {
    complex_number direction, foot;
    double reached;
} ray;

static complex_number product(complex_number a, complex_number b)
{
    complex_number made = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return made;
}

/* By how far the image of the point at t on the ray lies from that of its foot:
 * z(w) - z(f) = (w - f) (1 - 1 / (f w)), which nothing cancels in. */
static complex_number displacement(const ray *r, double t)
{
    complex_number step = {t * r->direction.re, t * r->direction.im};
    complex_number w = {r->foot.re + step.re, r->foot.im + step.im};
    complex_number q = product(r->foot, w);
    double square = q.re * q.re + q.im * q.im;
    complex_number factor = {1 - q.re / square, q.im / square};
    return product(step, factor);
}

static double distance_at(const ray *r, double t)
{
    complex_number d = displacement(r, t);
    return sqrt(d.re * d.re + d.im * d.im);
}

/* Moves out on the ray until the image is `wanted` from the wall. The distance ascends
 * along every ray; secants with the Illinois rule (M. Dowell & P. Jarratt, BIT 11 (1971)). */
static void reach(ray *r, double wanted)
{
    double low = r->reached, high = low > 0 ? 2 * low : wanted;
    double at_low = distance_at(r, low) - wanted, at_high = distance_at(r, high) - wanted;
    while (at_high < 0) {
        low = high, at_low = at_high;
        high *= 2;
        at_high = distance_at(r, high) - wanted;
    }
    for (int32_t step = 0; step < MOST_STEPS && high - low > 1e-14 * high; step++) {
        double t = high - at_high * (high - low) / (at_high - at_low);
        if (!(t > low && t < high))
            break;
        double at = distance_at(r, t) - wanted;
        if (fabs(at) <= 1e-14 * wanted) {
            high = t;
            break;
        }
        if (at < 0) {
            low = t, at_low = at;
            at_high /= 2;
        } else {
            high = t, at_high = at;
            at_low /= 2;
        }
    }
    r->reached = high;
}

/* rays: out, n of them, counterclockwise from the trailing edge. */
static void begin_rays(int64_t n, ray *rays)
{
    for (int64_t i = 0; i < n; i++) {
        mplan_unit_circle(i, n, &rays[i].direction.re, &rays[i].direction.im);
        rays[i].foot.re = centre + radius * rays[i].direction.re;
        rays[i].foot.im = radius * rays[i].direction.im;
        rays[i].reached = 0;
    }
}

/* section: out, 2 doubles a ray, in chords from the leading edge: where the rays are
 * `distance` chords from the wall. */
static void place_section(ray *rays, int64_t n, double distance, double *section)
{
    const double front = centre - radius + 1 / (centre - radius);
    const double chord = centre + radius + 1 / (centre + radius) - front;
    for (int64_t i = 0; i < n; i++) {
        complex_number foot = rays[i].foot, away = {0, 0};
        if (distance > 0) {
            reach(&rays[i], distance * chord);
            away = displacement(&rays[i], rays[i].reached);
        }
        double square = foot.re * foot.re + foot.im * foot.im;
        section[2 * i] = (foot.re + foot.re / square - front + away.re) / chord;
        section[2 * i + 1] = (foot.im - foot.im / square + away.im) / chord;
    }
}

/* A layer of nodes in space: the section at each of n_span + 1 places along the span.
 * Returns where the next layer is to be written. */
static double *place_span(const double *section, int64_t n, int64_t n_span, const span_form *form,
                          double *at)
{
    for (int64_t k = 0; k <= n_span; k++) {
        double share = (double)k / (double)n_span;
        double chord = 1 - share * (1 - form->tip_chord), z = share * form->length;
        for (int64_t i = 0; i < n; i++) {
            *at++ = z * form->sweep + chord * section[2 * i];
            *at++ = chord * section[2 * i + 1];
            *at++ = z;
        }
    }
    return at;
}

/* coordinates: out, layer by layer; distance: of the layers, in chords. */
static mplan_status place_nodes(int64_t n, int64_t n_rows, int64_t n_span, const span_form *form,
                                const double *distance, const mplan_context *context,
                                double *coordinates, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    ray *rays = mplan_alloc(n, sizeof *rays, err);
    double *section = rays ? mplan_alloc(n, 2 * sizeof *section, err) : NULL;
    if (!section)
        status = MPLAN_ERR_MEMORY;
    else
        begin_rays(n, rays);
    for (int64_t r = 0; r <= n_rows && !status; r++) {
        if (n_span == 0) {
            place_section(rays, n, distance[r], coordinates);
            coordinates += 2 * n;
        } else {
            place_section(rays, n, distance[r], section);
            coordinates = place_span(section, n, n_span, form, coordinates);
        }
        status = mplan_interrupted(context, err);
    }
    free(section);
    free(rays);
    return status;
}

/* The edge of the surface at node `first` of the section and the one after it; inwards:
 * in the order of the panels at the last section. */
static mplan_status make_rim(int64_t n, int64_t first, bool last, mplan_surface_rim *rim,
                             mplan_error *err)
{
    rim->edge = mplan_alloc(n, 2 * sizeof *rim->edge, err);
    if (!rim->edge)
        return MPLAN_ERR_MEMORY;
    rim->n_edges = n;
    for (int64_t i = 0; i < n; i++) {
        int32_t a = (int32_t)(first + i), b = (int32_t)(first + (i + 1) % n);
        rim->edge[2 * i] = last ? b : a;
        rim->edge[2 * i + 1] = last ? a : b;
    }
    return MPLAN_OK;
}

/* n nodes a section, counterclockwise; sections from the root to the tip. */
static mplan_status make_surface(int64_t n, int64_t n_span, mplan_surface *s, mplan_error *err)
{
    int32_t corners = n_span > 0 ? 4 : 2;
    s->dimension = n_span > 0 ? 3 : 2;
    s->n_nodes = n * (n_span + 1);
    s->n_panels = n_span > 0 ? n * n_span : n;
    s->panel = mplan_alloc(s->n_panels, (size_t)corners * sizeof *s->panel, err);
    if (!s->panel)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < s->n_panels; p++) {
        int32_t *node = s->panel + corners * p;
        int32_t a = (int32_t)p, b = (int32_t)(p - p % n + (p + 1) % n);
        if (n_span == 0) {
            node[0] = b, node[1] = a;
        } else {
            node[0] = a, node[1] = b;
            node[2] = b + (int32_t)n, node[3] = a + (int32_t)n;
        }
    }
    if (n_span == 0)
        return MPLAN_OK;
    s->n_rims = 2;
    s->rim[0].name = "root";
    s->rim[1].name = "tip";
    mplan_status status = make_rim(n, 0, false, &s->rim[0], err);
    return !status ? make_rim(n, n * n_span, true, &s->rim[1], err) : status;
}

/* A profile of n panels, n_span cells along the span (0: in the plane), n_rows layers around
 * it. distance[r] is the distance of layer r from the surface; node i of layer r is node r *
 * surface.n_nodes + i. coordinates belong to the mesh as soon as mplan_layers_fill is called. */
mplan_status mplan_profile_fill(const mplan_generate_options *options, const mplan_context *context,
                                mplan_mesh *mesh, mplan_error *err)
{
    bool wing = options->shape == MPLAN_SHAPE_WING;
    int64_t n = options->size[0], n_rows = options->size[1], n_span = options->size[2];
    mplan_layer_cells cells = options->cells;
    if (cells == MPLAN_LAYER_CELLS_AUTO)
        cells = n_span > 0 ? MPLAN_LAYER_CELLS_HEX : MPLAN_LAYER_CELLS_QUAD;
    if (n < LEAST_AROUND)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a %s mesh must have at least %d cells around, not %lld",
                          wing ? "wing" : "boundary-layer", LEAST_AROUND, (long long)n);
    mplan_status status = mplan_layers_check(wing ? "wing" : "boundary-layer", n_span > 0 ? 3 : 2,
                                             n * (n_span + 1), n_span > 0 ? n * n_span : n, n_rows,
                                             cells, err);
    if (status)
        return status;
    double *distance = mplan_layer_distances(options, n_rows, &status, err), *coordinates = NULL;
    mplan_surface surface = {0};
    if (distance)
        status = make_surface(n, n_span, &surface, err);
    if (!status) {
        coordinates = mplan_alloc(surface.n_nodes * (n_rows + 1),
                                  (size_t)surface.dimension * sizeof *coordinates, err);
        status = coordinates ? place_nodes(n, n_rows, n_span, wing ? &wing_span : &straight_span,
                                           distance, context, coordinates, err)
                             : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = mplan_layers_fill(&surface, n_rows, cells, context, coordinates, mesh, err);
    else
        free(coordinates);
    mplan_surface_free(&surface);
    free(distance);
    return status;
}
