/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_info.c - meshplan info: what is in a plan, a bundle, a file of tune, a mesh or a table */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bundle_file.h"
#include "cli/bundle_info.h"
#include "cli/command.h"
#include "cli/mesh_figures.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/plan_bounds.h"
#include "cli/plan_figures.h"
#include "cli/tune_info.h"

/* So many first bytes tell a plan from a mesh, and hold its version. */
#define HEAD_BYTES 64
/* u16, little-endian (formats/plan-format.md, section 2) */
#define MAJOR_AT 8
#define MINOR_AT 10

/* All of them are for meshes: a plan with one of them is refused. */
typedef struct info_options {
    bool derive;
    const char *from, *zone, *group_array;
    cli_int ranks;
    bool price;
    const char *device, *link;
} info_options;

#define TARGET(member) offsetof(info_options, member)
static const cli_option options[] = {
    {.name = "derive",
     .kind = CLI_FLAG,
     .target = TARGET(derive),
     .help = "also derive and count the faces and boundary faces of a mesh"},
    CLI_FROM_OPTION(TARGET(from), "the mesh or table"),
    CLI_ZONE_OPTION(TARGET(zone)),
    CLI_GROUP_ARRAY_OPTION(TARGET(group_array)),
    {.name = "ranks",
     .kind = CLI_INT,
     .argument = "R",
     .target = TARGET(ranks),
     .least = 1,
     .most = INT32_MAX,
     .help = "of a bundle also what each of R ranks would own, import and send for (1 to the "
             "number of parts)"},
    {.name = "price",
     .kind = CLI_FLAG,
     .target = TARGET(price),
     .help = "with --ranks: also cut the mesh of the bundle into R parts, and compare halos and balance"},
    {.name = "device",
     .kind = CLI_TEXT,
     .argument = "NAME",
     .target = TARGET(device),
     .help = "with --ranks: also forecast the time of a step, each rank on a device of this profile (as of "
             "plan)"},
    {.name = "link",
     .kind = CLI_TEXT,
     .argument = "NAME",
     .target = TARGET(link),
     .help = "with --device: the link whose ranks are listed: peer-inside, peer, nccl or mpi (default peer-inside)"},
    {.name = NULL},
};

/* Looks at the first bytes, by pread(2), so that the library reads the file from its beginning;
 * what cannot be opened is left to the library, which has the sentence for it. A pipe named by
 * its path is not looked at, since its bytes could not be read again: it is taken for a mesh.
 * file->bytes is 0, and its version, where nothing could be read. */
static mplan_status look(const char *path, bool *is_plan, bool *is_tuning, cli_plan_file *file,
                         mplan_error *err)
{
    unsigned char head[HEAD_BYTES];
    *is_plan = *is_tuning = false;
    *file = (cli_plan_file){path, -1, 0, 0};
    bool standard_input = !strcmp(path, "-");
    if (standard_input) {
        mplan_status status = cli_spool_input(err);
        if (status)
            return status;
    }
    struct stat about;
    if (!standard_input && (stat(path, &about) || !S_ISREG(about.st_mode)))
        return MPLAN_OK;
    int descriptor = standard_input ? STDIN_FILENO : open(path, O_RDONLY);
    if (descriptor < 0)
        return MPLAN_OK;
    off_t at = standard_input ? lseek(descriptor, 0, SEEK_CUR) : 0;
    ssize_t n = at < 0 ? -1 : pread(descriptor, head, sizeof head, at);
    if (n > 0 && fstat(descriptor, &about) == 0)
        file->bytes = (int64_t)about.st_size - (int64_t)at;
    if (n > 0)
        *is_plan = mplan_plan_recognise(head, (size_t)n);
    if (n > 0 && !standard_input)
        *is_tuning = cli_is_tuning(head, (size_t)n);
    if (n > MINOR_AT + 1) {
        file->major = head[MAJOR_AT] + 256 * head[MAJOR_AT + 1];
        file->minor = head[MINOR_AT] + 256 * head[MINOR_AT + 1];
    }
    if (!standard_input)
        close(descriptor);
    return MPLAN_OK;
}

/* Bounds are only calculated if somebody sees them. */
static mplan_status info_plan(const cli_call *call, const cli_plan_file *file, mplan_error *err)
{
    mplan_plan *plan = NULL;
    cli_plan_bounds bounds = {0};
    mplan_status status = mplan_plan_read(file->path, call->context, &plan, err);
    if (!status && (call->report || call->json))
        status = cli_plan_bounds_create(plan, &bounds, call->context, err);
    if (!status && call->report)
        status = cli_plan_report(plan, &bounds, file, err);
    if (!status && call->report && call->verbose)
        status = cli_plan_list_arrays(plan, err);
    if (!status && call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        cli_plan_json(&json, plan, &bounds, file);
        status = cli_results_write(&json, call, MPLAN_OK, NULL, err);
    }
    cli_plan_bounds_free(&bounds);
    mplan_plan_free(plan);
    return status;
}

/* What a mesh brings or what is derived from its cells: faces, then those of them with one cell.
 * mplan_mesh_faces_name is "" for tables. */
static mplan_status derive_faces(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    if (!mplan_mesh_faces_name(mesh)[0])
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--derive: a table has no cells to derive from");
    mplan_status status = mplan_mesh_derive(mesh, mplan_mesh_faces_name(mesh), context, err);
    if (!status)
        status = mplan_mesh_derive(mesh, "boundary_faces", context, err);
    return status;
}

/* A mesh, table or job: counts and boxes of all that is in memory after reading. --derive
 * changes the mesh first, so that its sets and maps are listed with the others. */
static mplan_status info_mesh(const cli_call *call, const char *path, mplan_error *err)
{
    const info_options *given = call->options;
    cli_mesh_source source = {path, given->from, NULL, NULL, given->zone, given->group_array};
    mplan_mesh *mesh = NULL;
    mplan_status status = cli_mesh_load(&source, call->context, &mesh, err);
    if (!status && given->derive)
        status = derive_faces(mesh, call->context, err);
    if (!status && call->report) {
        bool table = !mplan_mesh_faces_name(mesh)[0]; /* polyhedra bring faces, but no dimension */
        const char *format = mplan_mesh_format(mesh);
        printf("%s: %s%s%s\n", cli_shown(path), table ? "table" : "mesh",
               format[0] ? ", format " : "", format);
        status = cli_mesh_report(mesh, err);
    }
    if (!status && call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        cli_json_text(&json, "file", path);
        cli_mesh_json(&json, mesh);
        status = cli_results_write(&json, call, MPLAN_OK, NULL, err);
    }
    mplan_mesh_free(mesh);
    return status;
}

/* The first option that was given and is for meshes; NULL: none. */
static const char *mesh_option(const info_options *given)
{
    return given->derive        ? "derive"
           : given->from        ? "from"
           : given->zone        ? "zone"
           : given->group_array ? "group-array"
                                : NULL;
}

/* The first bytes decide between plan, bundle and mesh; options of another kind are
 * refused. */
static mplan_status run_info(const cli_call *call, mplan_error *err)
{
    const info_options *given = call->options;
    const char *path = call->words[0], *option = mesh_option(given);
    const bool is_bundle = cli_is_bundle(path);
    bool is_plan = false, is_tuning = false;
    cli_plan_file file;
    mplan_status status = is_bundle ? MPLAN_OK : look(path, &is_plan, &is_tuning, &file, err);
    if (status)
        return status;
    if (option && (is_plan || is_bundle || is_tuning))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "info: --%s is for meshes, %s is a %s", option, path,
                        is_plan     ? "plan"
                        : is_bundle ? "bundle"
                                    : "file of results of tune");
    if (given->ranks.given && !is_bundle)
        return cli_fail_no_bundle("info: --ranks", path, err);
    if ((given->price || given->device) && !given->ranks.given)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "info: --%s needs --ranks",
                        given->price ? "price" : "device");
    if (given->link && !given->device)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "info: --link needs --device");
    const cli_bundle_wish wish = {given->ranks.given ? (int32_t)given->ranks.value : 0,
                                  given->price, given->device, given->link};
    if (is_bundle)
        return cli_bundle_info(call, path, &wish, err);
    if (is_tuning)
        return cli_tune_info(call, path, err);
    return is_plan ? info_plan(call, &file, err) : info_mesh(call, path, err);
}

const cli_command cli_command_info = {
    .name = "info",
    .arguments = "FILE [OPTION]...",
    .summary = "describe a plan, a bundle, a mesh or a table",
    .details = "Prints the sets, maps, groups and coordinates of a mesh or table, or the sets, "
               "maps, loops and variants of a plan with their quality figures, or the parts of a "
               "bundle with their halos, or the results in a file of tune. FILE - is standard input, which cannot be a bundle. With --verbose it also lists the arrays, versions and request "
               "of a plan.",
    .options = options,
    .options_size = sizeof(info_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_info,
};
