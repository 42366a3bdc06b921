/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_source.h - the mesh that a command line names: a mesh, tables or a job */
#ifndef MPLAN_CLI_MESH_SOURCE_H
#define MPLAN_CLI_MESH_SOURCE_H

#include "cli/options.h"
#include "meshplan.h"

/* What a command line says of one mesh; texts and lists are the parser's. A path with maps adds tables to the mesh
 * of the file. */
typedef struct cli_mesh_source {
    const char *path;             /* mesh, table or job; NULL: tables only */
    const char *format;           /* NULL: found out */
    const cli_texts *maps;        /* NAME[:FROM:TO]=FILE[:BASE] each; NULL: none */
    const cli_texts *coordinates; /* SET=FILE each; NULL: none */
    const char *zone;             /* of a file with several meshes; NULL: what its reader takes */
    const char *group_array;      /* of cells in VTK's files; NULL: by the names in use */
} cli_mesh_source;

/* Reads it. In tables the number -1 means none. */
mplan_status cli_mesh_load(const cli_mesh_source *source, const mplan_context *context,
                           mplan_mesh **mesh, mplan_error *err);

/* Reads it for a plan: without a zone of its own, by the zone that the plan's request names, and where the file
 * has no such zone, as it is (whether it is the plan's mesh is for others to say). */
mplan_status cli_mesh_load_for(const mplan_plan *plan, const cli_mesh_source *source,
                               const mplan_context *context, mplan_mesh **mesh, mplan_error *err);

/* Of a command that reads a plan and may read its mesh: refuses to take both from standard input, and
 * a format, zone or coordinates without a mesh or tables. */
mplan_status cli_check_source(const char *command, const char *plan, const cli_mesh_source *source,
                              mplan_error *err);
static inline bool cli_has_source(const cli_mesh_source *source)
{
    return source->path || source->maps->n > 0;
}

/* A path that ends .yaml or .yml names a job. */
bool cli_is_job(const char *path);
bool cli_ends_with(const char *text, const char *ending);

/* Index of a set in *index, or a usage error that names the nearest set. */
mplan_status cli_find_set(const char *subject, const mplan_mesh *mesh, const char *name,
                          int32_t *index, mplan_error *err);

/* Makes standard input seekable, so that its first bytes can be looked at
 * before the library reads it. */
mplan_status cli_spool_input(mplan_error *err);

/* Names of the formats that can be read, and of those that can be written; NULL past the last. */
const char *cli_format_word(int32_t i);
const char *cli_output_word(int32_t i);

/* --- options that several commands share; target: where the value goes, TARGET(member) --- */
#define CLI_HELP_MAP                                                                       \
    "add the mapping table in FILE as map NAME between sets FROM and TO (else taken from " \
    "a name such as edges_cells); numbers start at BASE, 0 or 1; may be repeated"
#define CLI_HELP_ZONE                                                                                     \
    "which mesh to read from a file with several: a zone of an SU2 or CGNS file (default: all, joined), " \
    "the name of a mesh of a UGRID file (default: the first), a region of an OpenFOAM case"
#define CLI_HELP_GROUP_ARRAY                                                                         \
    "the data of cells in a VTK file whose whole numbers are groups (default: by the names in use, " \
    "such as MaterialIds)"
#define CLI_HELP_COORDINATES "coordinates of a set from a table in FILE; may be repeated"

#define CLI_MAP_OPTION(target_)                                                    \
    {                                                                              \
        .name = "map", .kind = CLI_MANY, .argument = "NAME[:FROM:TO]=FILE[:BASE]", \
        .target = (target_), .help = CLI_HELP_MAP                                  \
    }
#define CLI_COORDINATES_OPTION(target_)                                                       \
    {                                                                                         \
        .name = "coordinates", .kind = CLI_MANY, .argument = "SET=FILE", .target = (target_), \
        .help = CLI_HELP_COORDINATES                                                          \
    }
/* of: what has the format, "the input" */
#define CLI_FROM_OPTION(target_, of)                                                                \
    {                                                                                               \
        .name = "from", .old = "format", .kind = CLI_WORD, .argument = "NAME", .target = (target_), \
        .word = cli_format_word, .help = "format of " of " (default: detected)"                     \
    }
#define CLI_ZONE_OPTION(target_)                                                   \
    {                                                                              \
        .name = "zone", .kind = CLI_TEXT, .argument = "NAME", .target = (target_), \
        .help = CLI_HELP_ZONE                                                      \
    }
#define CLI_GROUP_ARRAY_OPTION(target_)                                                   \
    {                                                                                     \
        .name = "group-array", .kind = CLI_TEXT, .argument = "NAME", .target = (target_), \
        .help = CLI_HELP_GROUP_ARRAY                                                      \
    }
/* Of commands that read IN and write OUT: there `--format` meant the output. */
#define CLI_FROM_IN_OPTION(target_)                                                \
    {                                                                              \
        .name = "from", .kind = CLI_WORD, .argument = "NAME", .target = (target_), \
        .word = cli_format_word, .help = "format of IN (default: detected)"        \
    }
#define CLI_TO_OPTION(target_)                                                                    \
    {                                                                                             \
        .name = "to", .old = "format", .kind = CLI_WORD, .argument = "NAME", .target = (target_), \
        .word = cli_output_word,                                                                  \
        .help = "format to write (default: by the name of OUT; gmsh for standard output)"         \
    }

#endif
