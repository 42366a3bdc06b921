/* SPDX-License-Identifier: Apache-2.0 */
/* part_sets.c - sets of a mesh in parts: how many members parts own, and halos, as a table and as JSON */
#include "cli/part_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of a set in the parts. */
typedef struct sizes {
    int64_t least, most;
    int32_t empty;
} sizes;

/* set->base: n_parts + 1 canonical ids, so that part q owns base[q + 1] - base[q] members. */
static sizes sizes_of(const mplan_parts_set *set, int32_t n_parts)
{
    sizes out = {INT64_MAX, 0, 0};
    for (int32_t q = 0; q < n_parts; q++) {
        const int64_t n = set->base[q + 1] - set->base[q];
        out.least = n < out.least ? n : out.least;
        out.most = n > out.most ? n : out.most;
        out.empty += n == 0;
    }
    return out;
}

/* The largest part by the mean of all, at least 1; 1 for an empty set. */
static double imbalance_of(const mplan_parts_set *set, const sizes *of, int32_t n_parts)
{
    return set->total ? (double)of->most * n_parts / (double)set->total : 1;
}

void cli_part_sets_head(cli_table *table)
{
    static const char *const heads[] = {"set",   "members",  "smallest",     "largest",
                                        "empty", "max/mean", "execute halo", "read halo"};
    *table = (cli_table){.columns = (int32_t)(sizeof heads / sizeof *heads)};
    for (int32_t i = 0; i < table->columns; i++)
        cli_table_cell(table, "%s", heads[i]);
}

void cli_part_sets_row(cli_table *table, const mplan_parts_set *set, int32_t n_parts)
{
    const sizes of = sizes_of(set, n_parts);
    cli_table_cell(table, "%s%s", cli_shown(set->name), set->cut ? " (cut)" : "");
    cli_table_int(table, set->total);
    cli_table_int(table, of.least);
    cli_table_int(table, of.most);
    cli_table_int(table, of.empty);
    cli_table_real(table, 4, imbalance_of(set, &of, n_parts));
    cli_table_int(table, set->execute);
    cli_table_int(table, set->read);
}

mplan_status cli_part_sets_print(cli_table *table, mplan_error *err)
{
    return cli_table_print(table, "  ", "lrrrrrrr", err);
}

int32_t cli_part_sets_rings(const char *request)
{
    const char *line = request ? strstr(request, "\nrings ") : NULL;
    return line ? (int32_t)strtol(line + strlen("\nrings "), NULL, 10) : 0;
}

void cli_part_sets_twice(const mplan_parts_set *sets, int32_t n_sets, int32_t rings)
{
    if (rings == 0)
        return;
    printf("  %d %s: parts compute their halos as well,", (int)rings, rings == 1 ? "ring" : "rings");
    for (int32_t s = 0; s < n_sets; s++)
        printf("%s %.1f%% more %s", s ? "," : "",
               sets[s].total ? 100.0 * (double)(sets[s].execute + sets[s].read) / (double)sets[s].total
                             : 0,
               cli_shown(sets[s].name));
    printf("\n");
}

void cli_part_sets_json(cli_json *json, const mplan_parts_set *set, int32_t n_parts)
{
    const sizes of = sizes_of(set, n_parts);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", set->name);
    cli_json_bool(json, "cut", set->cut);
    cli_json_int(json, "size", set->total);
    cli_json_int(json, "size_min", of.least);
    cli_json_int(json, "size_max", of.most);
    cli_json_int(json, "empty", of.empty);
    cli_json_real(json, "imbalance", imbalance_of(set, &of, n_parts));
    cli_json_int(json, "execute_halo", set->execute);
    cli_json_int(json, "read_halo", set->read);
    cli_json_close(json, '}');
}
