/* SPDX-License-Identifier: Apache-2.0 */
/* export_vtu.c - a plan on its mesh, as a grid that VTK and ParaView show */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "view/plan_view.h"

/* The six arrays of mplan_view_values, of what is drawn and of its points. */
enum { MOST_FIELDS = 12 };

/* The fields of a picture, n so far.
 * Names are constants; data are borrowed from the values, which are freed behind the list. */
typedef struct field_list {
    int32_t n;
    mplan_vtu_field field[MOST_FIELDS];
} field_list;

/* Adds a field of i32, unless there are no data. data must outlive the list. */
static void add_field(field_list *list, const char *name, bool of_points, const int32_t *data)
{
    if (data)
        list->field[list->n++] = (mplan_vtu_field){
            .name = name, .of_points = of_points, .type = MPLAN_TYPE_I32, .data = data};
}

/* Fields that are NULL are left out. */
static void add_values(field_list *list, bool of_points, const mplan_view_values *values)
{
    add_field(list, "block", of_points, values->block);
    add_field(list, "block_colour", of_points, values->block_colour);
    add_field(list, "thread_colour", of_points, values->thread_colour);
    add_field(list, "global_colour", of_points, values->global_colour);
    add_field(list, "new_index", of_points, values->new_index);
    add_field(list, "blocks", of_points, values->blocks);
}

/* Values of the points that the cells are drawn over, where the plan orders them and they are not
 * the set that is drawn.
 * *values: arrays of shape->n_points entries, which the caller frees; else all NULL. */
static mplan_status values_of_points(const mplan_view *view, const mplan_mesh *mesh,
                                     const mplan_view_shape *shape, int32_t set,
                                     mplan_view_values *values, mplan_error *err)
{
    int32_t points = mplan_plan_find_set(view->plan, mplan_mesh_set(mesh, shape->points).name);
    *values = (mplan_view_values){0};
    return points < 0 || points == set ? MPLAN_OK : mplan_view_values_of(view, points, values, err);
}

/* What has been drawn, for the caller's report.
 * Names belong to the plan or are constants of the library: drawn must not outlive the plan. */
static void describe(const mplan_view *view, int32_t set, const mplan_view_shape *shape,
                     const field_list *fields, mplan_drawn *drawn)
{
    *drawn = (mplan_drawn){.loop = mplan_view_loop(view)->name,
                           .set = view->plan->sets[set].name,
                           .as = shape->as,
                           .members = view->plan->sets[set].size,
                           .variant = view->variant,
                           .elements = mplan_view_loop(view)->set == set,
                           .n_fields = fields->n};
    for (int32_t f = 0; f < fields->n; f++) {
        drawn->field[f] = fields->field[f].name;
        drawn->n_of_set += !fields->field[f].of_points;
    }
}

/* One part.
 * Fields have shape->n_points entries (of_points) or shape->cells.n. A failure leaves no file. */
static mplan_status write_grid(const mplan_view_shape *shape, const field_list *fields,
                               const char *path, const mplan_context *context, mplan_error *err)
{
    const mplan_vtu_grid grid = {shape->n_points, shape->dimension, shape->xyz,   1,
                                 fields->n,       &shape->cells,    fields->field};
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = mplan_vtu_write_grid(&grid, output, context, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* name: of the set, NULL to choose one that can be drawn. The plan must be proved: values follow
 * its tables. */
static mplan_status draw(const mplan_view *view, const mplan_mesh *mesh, const char *path,
                         const char *name, const mplan_context *context, mplan_drawn *drawn,
                         mplan_error *err)
{
    int32_t set;
    field_list fields = {0};
    mplan_view_shape shape = {0};
    mplan_view_values values = {0}, of_points = {0};
    mplan_status status = mplan_view_choose(view, mesh, name, &set, &shape, err);
    if (!status)
        status = mplan_view_values_of(view, set, &values, err);
    if (!status)
        status = values_of_points(view, mesh, &shape, set, &of_points, err);
    if (!status) {
        add_values(&fields, false, &values);
        add_values(&fields, true, &of_points);
        status = write_grid(&shape, &fields, path, context, err);
    }
    if (!status && drawn)
        describe(view, set, &shape, &fields, drawn);
    mplan_view_shape_free(&shape);
    mplan_view_values_free(&values);
    mplan_view_values_free(&of_points);
    return status;
}

/* The mesh must be the plan's own: the plan is proved against it before it is drawn, because
 * every field of the file is placed by the plan's order. */
mplan_status mplan_plan_export_vtu(const mplan_plan *plan, mplan_mesh *mesh, const char *path,
                                   const mplan_view_options *options, const mplan_context *context,
                                   mplan_drawn *drawn, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(mesh);
    MPLAN_NEED(path);
    mplan_view view;
    mplan_view_options own = MPLAN_VIEW_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "view options", err);
    if (!status)
        status = mplan_view_find(plan, &own, &view, err);
    if (!status)
        status = mplan_view_derive(plan, mesh, context, err);
    if (!status)
        status = mplan_plan_verify(plan, mesh, context, err);
    if (!status)
        status = draw(&view, mesh, path, own.set, context, drawn, err);
    return status;
}
