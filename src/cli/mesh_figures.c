/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_figures.c - what is in a mesh, as text and as JSON */
#include "cli/mesh_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Least and most of the coordinates of a set. */
typedef struct bounding_box {
    int32_t dimension; /* 0: the set has no coordinates */
    double least[3], most[3];
} bounding_box;

/* dimension 0: the set has no coordinates. least[d] and most[d] are of all members, NaN for an
 * empty set; entries d >= dimension are not set. A coordinate that is NaN is skipped, unless
 * it is the first one. One pass over size x dimension numbers. */
static bounding_box measure(const mplan_mesh *mesh, int32_t set)
{
    bounding_box box = {0};
    const double *coordinates = mplan_mesh_coordinates(mesh, set, &box.dimension);
    int64_t size = mplan_mesh_set(mesh, set).size;
    if (!coordinates)
        box.dimension = 0;
    for (int32_t d = 0; d < box.dimension; d++) {
        box.least[d] = (double)NAN;
        box.most[d] = (double)NAN;
    }
    for (int64_t i = 0; i < size && box.dimension; i++) {
        for (int32_t d = 0; d < box.dimension; d++) {
            double x = coordinates[i * box.dimension + d];
            if (i == 0 || x < box.least[d])
                box.least[d] = x;
            if (i == 0 || x > box.most[d])
                box.most[d] = x;
        }
    }
    return box;
}

/* Entries of -1, which mean that a row names no member there; all entries of the map are read. */
static int64_t count_none(const mplan_map *map)
{
    int64_t n = mplan_map_entries(map), none = 0;
    for (int64_t i = 0; i < n; i++)
        none += map->values[i] < 0;
    return none;
}

/* count: of MPLAN_N_CELL_TYPES, cells of each type; all zero for a mesh whose cells have no
 * types (tables, graphs, polyhedra). */
static void count_types(const mplan_mesh *mesh, int64_t count[MPLAN_N_CELL_TYPES])
{
    memset(count, 0, MPLAN_N_CELL_TYPES * sizeof *count);
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    if (!type || cells < 0)
        return;
    int64_t size = mplan_mesh_set(mesh, cells).size;
    for (int64_t c = 0; c < size; c++) {
        if (type[c] < MPLAN_N_CELL_TYPES)
            count[type[c]]++;
    }
}

/* What columns over a set have: the least, the most and the sum of their layers. */
typedef struct column_sums {
    int32_t least, most;
    int64_t sum;
} column_sums;

/* ranges: first and end layer of each of `size` columns; NULL: all have `layers`. mask: of these only layers whose bit is 1
 * count in the sum; NULL: all do. Without columns least is `layers`, and the sum 0. */
static column_sums sum_columns(int64_t size, int32_t layers, const int32_t *ranges,
                               const uint32_t *mask)
{
    column_sums sums = {layers, ranges ? 0 : layers, ranges ? 0 : size * layers};
    for (int64_t i = 0; ranges && i < size; i++) {
        const int32_t height = ranges[2 * i + 1] - ranges[2 * i];
        sums.least = height < sums.least ? height : sums.least;
        sums.most = height > sums.most ? height : sums.most;
        sums.sum += height;
    }
    if (mask)
        sums.sum = 0;
    for (int64_t i = 0; mask && i < size * ((layers + 31) / 32); i++)
        for (uint32_t bits = mask[i]; bits; bits &= bits - 1)
            sums.sum++;
    return sums;
}

/* "layers" of a set that has some: how many there are, and of its columns the least, the most and the sum. */
static void layers_json(cli_json *json, const mplan_mesh *mesh, int32_t s)
{
    const int32_t *ranges, layers = mplan_mesh_layers(mesh, s, &ranges);
    const column_sums sums = sum_columns(mplan_mesh_set(mesh, s).size, layers, ranges,
                                         mplan_mesh_layer_mask(mesh, s));
    if (!layers)
        return;
    cli_json_open(json, "layers", '{');
    cli_json_int(json, "number", layers);
    cli_json_bool(json, "ranges", ranges != NULL);
    cli_json_int(json, "least", sums.least);
    cli_json_int(json, "most", sums.most);
    cli_json_int(json, "sum", sums.sum);
    cli_json_close(json, '}');
}

/* "sets": name, size, how many coordinates each member has (0: none) and the box around them,
 * null where there is none. */
static void sets_json(cli_json *json, const mplan_mesh *mesh)
{
    cli_json_open(json, "sets", '[');
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        mplan_set set = mplan_mesh_set(mesh, s);
        bounding_box box = measure(mesh, s);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", set.name);
        cli_json_int(json, "size", set.size);
        cli_json_int(json, "coordinates", box.dimension);
        if (box.dimension && set.size) {
            cli_json_open(json, "bounding_box", '{');
            cli_json_open(json, "min", '[');
            for (int32_t d = 0; d < box.dimension; d++)
                cli_json_real(json, NULL, box.least[d]);
            cli_json_close(json, ']');
            cli_json_open(json, "max", '[');
            for (int32_t d = 0; d < box.dimension; d++)
                cli_json_real(json, NULL, box.most[d]);
            cli_json_close(json, ']');
            cli_json_close(json, '}');
        } else {
            cli_json_null(json, "bounding_box");
        }
        int32_t weights;
        if (mplan_mesh_weights(mesh, s, &weights)) /* columns, in files that have some */
            cli_json_int(json, "weights", weights);
        if (mplan_mesh_sizes(mesh, s))
            cli_json_bool(json, "sizes", true);
        layers_json(json, mesh, s);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* "maps": "arity" is 0 for ragged maps; "none" counts entries of -1, which "entries" counts,
 * too. */
static void maps_json(cli_json *json, const mplan_mesh *mesh)
{
    cli_json_open(json, "maps", '[');
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", map.name);
        cli_json_text(json, "from", mplan_mesh_set(mesh, map.from).name);
        cli_json_text(json, "to", mplan_mesh_set(mesh, map.to).name);
        cli_json_int(json, "arity", map.arity);
        cli_json_int(json, "entries", mplan_map_entries(&map));
        cli_json_int(json, "none", count_none(&map));
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* "groups": named parts of the mesh as its file has them. A member may be in several; "set" is
 * the set that members are numbers of. */
static void groups_json(cli_json *json, const mplan_mesh *mesh)
{
    cli_json_open(json, "groups", '[');
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", group.name);
        cli_json_int(json, "id", group.id);
        cli_json_int(json, "dimension", group.dimension);
        cli_json_text(json, "set", mplan_mesh_set(mesh, group.set).name);
        cli_json_int(json, "members", group.n_members);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_open(json, "facet_groups", '['); /* of faces that are not derived yet */
    for (int32_t g = 0; g < mplan_mesh_n_facet_groups(mesh); g++) {
        mplan_group group = mplan_mesh_facet_group(mesh, g);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", group.name);
        cli_json_int(json, "id", group.id);
        cli_json_int(json, "dimension", group.dimension);
        cli_json_int(json, "members", group.n_members);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* The object must be open; keys are a contract: add, never rename. "dimension" is 0 for tables
 * and graphs. */
void cli_mesh_json(cli_json *json, const mplan_mesh *mesh)
{
    int64_t count[MPLAN_N_CELL_TYPES];
    count_types(mesh, count);
    cli_json_text(json, "format", mplan_mesh_format(mesh));
    cli_json_int(json, "dimension", mplan_mesh_dimension(mesh));
    cli_json_open(json, "cell_types", '{');
    for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
        if (count[t])
            cli_json_int(json, mplan_cell_type_name((mplan_cell_type)t), count[t]);
    }
    cli_json_close(json, '}');
    sets_json(json, mesh);
    maps_json(json, mesh);
    groups_json(json, mesh);
}

/* x: `dimension` numbers, with 6 digits each: people read them. */
static void print_point(const double *x, int32_t dimension)
{
    for (int32_t d = 0; d < dimension; d++)
        printf("%s%.6g", d ? ", " : "(", x[d]);
    printf(")");
}

/* A row for each set; nothing for a mesh without sets, as for the other tables. */
static mplan_status report_sets(const mplan_mesh *mesh, mplan_error *err)
{
    cli_table table = {.columns = 2};
    cli_table_cell(&table, "set");
    cli_table_cell(&table, "size");
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        mplan_set set = mplan_mesh_set(mesh, s);
        cli_table_cell(&table, "%s", set.name);
        cli_table_int(&table, set.size);
    }
    return cli_table_print(&table, "  ", "lr", err);
}

/* "ragged" stands for an arity of 0: rows of several lengths. */
static mplan_status report_maps(const mplan_mesh *mesh, mplan_error *err)
{
    static const char *const heads[] = {"map", "from", "to", "arity", "entries", "none"};
    cli_table table = {.columns = 6};
    for (int i = 0; i < 6; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        cli_table_cell(&table, "%s", map.name);
        cli_table_cell(&table, "%s", mplan_mesh_set(mesh, map.from).name);
        cli_table_cell(&table, "%s", mplan_mesh_set(mesh, map.to).name);
        if (map.arity)
            cli_table_int(&table, map.arity);
        else
            cli_table_cell(&table, "ragged");
        cli_table_int(&table, mplan_map_entries(&map));
        cli_table_int(&table, count_none(&map));
    }
    return cli_table_print(&table, "  ", "lllrrr", err);
}

/* What a partition takes from the file; nothing without any. */
static void report_weights(const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        int32_t columns;
        const char *name = mplan_mesh_set(mesh, s).name;
        if (mplan_mesh_weights(mesh, s, &columns))
            printf("  weights of %s: %d column%s\n", cli_shown(name), (int)columns,
                   columns == 1 ? "" : "s");
        if (mplan_mesh_sizes(mesh, s))
            printf("  sizes of %s\n", cli_shown(name));
    }
}

/* What loops with layers take from the file: "layers of cells: 47, in columns 3 to 46 (61 % of all)". */
static void report_layers(const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        const int32_t *ranges, layers = mplan_mesh_layers(mesh, s, &ranges);
        const mplan_set set = mplan_mesh_set(mesh, s);
        const column_sums sums = sum_columns(set.size, layers, ranges,
                                             mplan_mesh_layer_mask(mesh, s));
        if (layers)
            printf("  layers of %s: %d", cli_shown(set.name), (int)layers);
        if (layers && ranges)
            printf(", in columns %d to %d (%.1f %% of all)", (int)sums.least, (int)sums.most,
                   set.size ? 100.0 * (double)sums.sum / ((double)set.size * layers) : 0.0);
        if (layers)
            printf("\n");
    }
}

/* Ids may be negative or any number that the file has, so that they are not counts (cli_table_int
 * would show "-"). */
static mplan_status report_groups(const mplan_mesh *mesh, mplan_error *err)
{
    static const char *const heads[] = {"group", "id", "dimension", "set", "members"};
    cli_table table = {.columns = 5};
    for (int i = 0; i < 5; i++)
        cli_table_cell(&table, "%s", heads[i]);
    int32_t n = mplan_mesh_n_groups(mesh), n_facets = mplan_mesh_n_facet_groups(mesh);
    for (int32_t g = 0; g < n + n_facets; g++) {
        mplan_group group = g < n ? mplan_mesh_group(mesh, g) : mplan_mesh_facet_group(mesh, g - n);
        cli_table_cell(&table, "%s", group.name[0] ? group.name : "-");
        cli_table_cell(&table, "%lld", (long long)group.id);
        cli_table_int(&table, group.dimension);
        cli_table_cell(&table, "%s", g < n ? mplan_mesh_set(mesh, group.set).name : "facets");
        cli_table_int(&table, group.n_members);
    }
    return cli_table_print(&table, "  ", "lrrlr", err);
}

/* Sets, maps and groups as tables. */
mplan_status cli_mesh_report(const mplan_mesh *mesh, mplan_error *err)
{
    int64_t count[MPLAN_N_CELL_TYPES];
    count_types(mesh, count);
    if (mplan_mesh_dimension(mesh)) {
        printf("dimension %d, cells:", (int)mplan_mesh_dimension(mesh));
        const char *comma = "";
        for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
            if (!count[t])
                continue;
            printf("%s %lld %s", comma, (long long)count[t],
                   mplan_cell_type_name((mplan_cell_type)t));
            comma = ",";
        }
        printf("\n");
    }
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        bounding_box box = measure(mesh, s);
        if (!box.dimension || !mplan_mesh_set(mesh, s).size)
            continue;
        printf("coordinates of %s: %d-D, from ", cli_shown(mplan_mesh_set(mesh, s).name),
               (int)box.dimension);
        print_point(box.least, box.dimension);
        printf(" to ");
        print_point(box.most, box.dimension);
        printf("\n");
    }
    mplan_status status = report_sets(mesh, err);
    if (!status)
        status = report_maps(mesh, err);
    if (!status)
        report_weights(mesh);
    if (!status)
        report_layers(mesh);
    if (!status)
        status = report_groups(mesh, err);
    return status;
}

/* In the order of the mesh's sets, behind what the caller has printed of the line. */
void cli_mesh_print_sizes(const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        mplan_set set = mplan_mesh_set(mesh, s);
        printf("%s%lld %s", s ? ", " : "", (long long)set.size, cli_shown(set.name));
    }
    printf("\n");
}
