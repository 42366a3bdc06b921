/* SPDX-License-Identifier: Apache-2.0 */
/* plan_options.c - options of `plan`, which `batch` takes too */
#include "cli/plan_options.h"

#include "cli/mesh_source.h"
#include "cli/plan_parts.h"

/* Words of --none; NULL past the last. */
static const char *none_word(int32_t i)
{
    return mplan_none_name((mplan_none)i);
}

#define TARGET(member) offsetof(cli_plan_options, member)
/* clang-format off */
const cli_option cli_plan_rows[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "PLAN",
     .target = TARGET(output),
     .help = "the plan file to write; - is standard output. Required if the job does not name "
             "one"},
    {.name = "over", .kind = CLI_TEXT, .argument = "SET", .target = TARGET(over),
     .help = "the set that the loop runs over (default: the faces of a mesh, the from-set of a "
             "table)"},
    {.name = "inc", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(inc),
     .help = "maps through which the loop increments, MAP[:DIM[:TYPE]] separated by commas; the "
             "name of a SET means the map from the set of the loop to it (default "
             "<over>_cells:5:f64)"},
    {.name = "read", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(read),
     .help = "maps through which the loop reads, in the same form (default: the same map, 5 x "
             "f64)"},
    {.name = "none", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(none),
     .word = none_word, .help = "what to do with entries of -1 in a map (default refuse)"},
    CLI_MAP_OPTION(TARGET(map)),
    CLI_COORDINATES_OPTION(TARGET(coordinates)),
    CLI_FROM_OPTION(TARGET(from), "the input"),
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = "compress", .kind = CLI_FLAG, .target = TARGET(compress),
     .help = "compress the plan file; a reader must then inflate it"},
    {.name = "parts", .kind = CLI_TEXT, .argument = "N|NxM|FILE|DIR", .target = TARGET(parts),
     .help = "cut the mesh into N parts, into M parts for each of N nodes, or as a part file says, and write a bundle: a "
             "plan for each part, for any number of ranks up to that of parts; DIR: with --part, parts that --scatter wrote"},
    {.name = "part", .kind = CLI_INT, .argument = "I", .target = TARGET(part), .least = 0, .most = INT32_MAX - 1,
     .help = "write the plan of part I (from 0) only"},
    {.name = "cut", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(cut), .word = cli_cut_word,
     .help = "what cuts the mesh into parts (default native)"},
    {.name = "cut-imbalance", .kind = CLI_REAL, .argument = "L", .target = TARGET(cut_imbalance), .least = 1, .most = 1000,
     .help = "largest ratio of the largest part to the mean part that the cut may give, at least 1 (default 1.01)"},
    {.name = "weights", .kind = CLI_MANY, .argument = "SET=FILE", .target = TARGET(weights),
     .help = "weights of the members of SET, the set that is cut into parts, one row each; every column is balanced for "
             "itself (metis; one column: also native and scotch); may be repeated"},
    {.name = "together", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(together),
     .help = "members of the set that is cut that stay in one part: the group of each member, one in a row, or -1; or "
             "rows of two members or more"},
    {.name = "scatter", .kind = CLI_TEXT, .argument = "DIR", .target = TARGET(scatter),
     .help = "write no plan but a folder with a file for each part, from which --parts DIR --part I plans it without "
             "reading the mesh"},
    {.name = "tuned", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(tuned),
     .help = "plan as was fastest when 'meshplan tune' measured this request and wrote FILE"},
    {.name = "dry-run", .kind = CLI_FLAG, .target = TARGET(dry_run),
     .help = "say what would be planned, why, and what it would take; write no plan"},
    {.name = "cache", .kind = CLI_TEXT, .argument = "DIR", .target = TARGET(cache.folder),
     .help = "keep plans in the folder DIR and take them from there when inputs and request are those of an earlier "
             "call (default: $MESHPLAN_CACHE; off: no cache)"},
    {.name = "cache-strict", .kind = CLI_FLAG, .target = TARGET(cache.strict),
     .help = "read all inputs to see whether they changed; do not trust sizes and times"},
    {.name = "cache-link", .kind = CLI_FLAG, .target = TARGET(cache.link),
     .help = "make the output a hard link to the plan in the cache, which nobody may write"},
    {.name = "cache-lease", .kind = CLI_FLAG, .target = TARGET(cache.lease),
     .help = "wait while another process makes the same plan, and take it then"},
    {.name = "cache-check", .kind = CLI_FLAG, .target = TARGET(cache.check),
     .help = "make the plan in any case, and compare it with the one in the cache"},
    {.name = "if-changed", .kind = CLI_FLAG, .target = TARGET(cache.if_changed),
     .help = "do nothing when the output was made by this request from these inputs, as PLAN.inputs beside it says"},
    {.name = NULL},
};
/* clang-format on */

static const mplan_plan_options preset = MPLAN_PLAN_OPTIONS_INIT;
const cli_planning cli_plan_planning = {.all = true, .preset = &preset, .given = TARGET(planning)};

bool cli_plan_only_path(const cli_plan_options *given, const char *path)
{
    const cli_texts *device = cli_planning_items(&given->planning, "device");
    return path && !given->tuned && !cli_parts_is_file(given->parts) && !given->map.n &&
           !given->coordinates.n && !given->weights.n && !given->together && !device->n;
}
