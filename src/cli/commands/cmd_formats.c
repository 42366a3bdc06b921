/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_formats.c - meshplan formats: what this build reads and writes */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/results.h"
#include "exec/meshplan_exec.h"

static const cli_option options[] = {{.name = NULL}};

/* The HIP that the executor cuda was built with; NULL: CUDA, or none. */
static const char *hip_of_build(void)
{
    const char *library = NULL;
    for (int32_t i = 0; (library = mplan_library(i)) != NULL; i++)
        if (strncmp(library, "hip ", 4) == 0)
            break;
    return library;
}

/* A row for each format: what this build can do with it. */
static mplan_status report(mplan_error *err)
{
    mplan_format_info info;
    cli_table table = {.columns = 4};
    cli_table_cell(&table, "format");
    cli_table_cell(&table, "can");
    cli_table_cell(&table, "names");
    cli_table_cell(&table, "description");
    for (int32_t i = 0; mplan_format(i, &info) == MPLAN_OK; i++) {
        const char *can = info.reads && info.writes ? "read, write"
                          : info.reads              ? "read"
                          : info.writes             ? "write"
                                                    : "-";
        cli_table_cell(&table, "%s", info.name);
        cli_table_cell(&table, "%s", can);
        cli_table_cell(&table, "%s", info.extensions);
        cli_table_cell(&table, "%s%s%s%s", info.description,
                       info.missing ? " (this build does not have " : "",
                       info.missing ? info.missing : "", info.missing ? ")" : "");
    }
    mplan_status status = cli_table_print(&table, "", "llll", err);
    printf("executors of meshplan run:");
    for (int e = 0; e < MPLAN_N_EXECUTORS && !status; e++) {
        const bool built = mplan_executor_is_built((mplan_executor)e);
        const char *hip = e == MPLAN_EXECUTOR_CUDA ? hip_of_build() : NULL;
        const char *lacks = e == MPLAN_EXECUTOR_CUDA ? " (not built: cmake -DMPLAN_WITH_CUDA=ON)"
                                                     : " (not built)";
        printf("%s %s%s", e ? "," : "", mplan_executor_name((mplan_executor)e), built ? "" : lacks);
        if (hip)
            printf(" (by %s)", hip);
    }
    printf("\n");
    return status;
}

/* "missing": the library that this build lacks for the format; null: none. */
static mplan_status write_json(const cli_call *call, mplan_error *err)
{
    mplan_format_info info;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_open(&json, "formats", '[');
    for (int32_t i = 0; mplan_format(i, &info) == MPLAN_OK; i++) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", info.name);
        cli_json_text(&json, "description", info.description);
        cli_json_text(&json, "extensions", info.extensions);
        cli_json_bool(&json, "reads", info.reads);
        cli_json_bool(&json, "writes", info.writes);
        cli_json_text(&json, "missing", info.missing);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "executors", '[');
    for (int e = 0; e < MPLAN_N_EXECUTORS; e++)
        if (mplan_executor_is_built((mplan_executor)e))
            cli_json_text(&json, NULL, mplan_executor_name((mplan_executor)e));
    cli_json_close(&json, ']');
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* What this build can do; nothing is opened. */
static mplan_status run_formats(const cli_call *call, mplan_error *err)
{
    mplan_status status = call->report ? report(err) : MPLAN_OK;
    if (!status && call->json)
        status = write_json(call, err);
    return status;
}

const cli_command cli_command_formats = {
    .name = "formats",
    .arguments = "[OPTION]...",
    .summary = "list the formats that this build reads and writes",
    .details = "Lists the formats of meshes and tables that this build reads and writes.",
    .options = options,
    .options_size = 0,
    .least_words = 0,
    .most_words = 0,
    .has_json = true,
    .run = run_formats,
};
