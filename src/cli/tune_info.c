/* SPDX-License-Identifier: Apache-2.0 */
/* tune_info.c - what a file of `meshplan tune` holds, for `info`: a row for each of its records, in the order of the file
 *
 * Lines that are not whole, or no JSON, are skipped, as by `plan --tuned`. */
#include "cli/tune_info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_flat.h"
#include "cli/message.h"
#include "cli/results.h"
#include "cli/tune_record.h"

static const char head[] = "{\"meshplan_tune\"";

bool cli_is_tuning(const unsigned char *bytes, size_t size)
{
    return size >= sizeof head - 1 && memcmp(bytes, head, sizeof head - 1) == 0;
}

/* What is made of the records: rows of a table, objects of JSON, or both. */
typedef struct tune_info {
    cli_table *table;
    cli_json *json;
    int32_t n;
} tune_info;

/* "-" for what the record has not. */
static void add_cell(cli_table *table, const cli_flat *flat, const char *path)
{
    const char *text = cli_flat_text(flat, path);
    cli_table_cell(table, "%s", text && text[0] ? text : "-");
}

/* The fastest choice, as `plan` takes it: strategies between commas, and S where it is not that of the strategy. */
static void add_choice(cli_table *table, const cli_flat *flat)
{
    char text[600];
    const char *strategy = cli_flat_text(flat, "best.strategy");
    const char *block_size = cli_flat_text(flat, "best.block_size");
    snprintf(text, sizeof text, "%s", strategy ? strategy : "none measured");
    for (char *at = text; strategy && *at; at++)
        *at = *at == ' ' ? ',' : *at;
    const size_t n = strlen(text);
    if (strategy && block_size && strcmp(block_size, "0") != 0)
        snprintf(text + n, sizeof text - n, " S=%s", block_size);
    cli_table_cell(table, "%s", text);
}

static void add_row(cli_table *table, const cli_flat *flat)
{
    add_cell(table, flat, "loop");
    add_cell(table, flat, "mesh");
    add_cell(table, flat, "elements");
    add_cell(table, flat, "machine.name");
    add_choice(table, flat);
    cli_table_real(table, 2, cli_flat_number(flat, "best_us", NAN));
    cli_table_real(table, 2, cli_flat_number(flat, "default_us", NAN));
    cli_table_real(table, 3, cli_flat_number(flat, "regret", NAN));
}

/* The same of a record as an object. */
static void add_object(cli_json *json, const cli_flat *flat)
{
    static const char *const texts[][2] = {{"meshplan", "meshplan"},
                                           {"loop", "loop"},
                                           {"mesh", "mesh"},
                                           {"executor", "executor"},
                                           {"machine", "machine.name"},
                                           {"device", "device"},
                                           {"kernels", "kernels"},
                                           {"strategy", "best.strategy"},
                                           {"block_size", "best.block_size"}};
    static const char *const reals[] = {"best_us", "default_us", "regret"};
    cli_json_open(json, NULL, '{');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cli_json_text(json, texts[i][0], cli_flat_text(flat, texts[i][1]));
    cli_json_int(json, "elements", cli_flat_whole(flat, "elements", 0));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        cli_json_real(json, reals[i], cli_flat_number(flat, reals[i], NAN));
    cli_json_close(json, '}');
}

/* text: the whole file, with a zero behind it. */
static void add_records(tune_info *info, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const size_t length = strcspn(text + at, "\n");
        cli_flat flat;
        if (cli_flat_read(text + at, length, &flat)) {
            if (info->table)
                add_row(info->table, &flat);
            if (info->json)
                add_object(info->json, &flat);
            info->n++;
            cli_flat_free(&flat);
        }
        at += length + 1;
    }
}

mplan_status cli_tune_info(const cli_call *call, const char *path, mplan_error *err)
{
    static const char *const heads[] = {"loop",    "mesh", "elements",   "machine",
                                        "fastest", "us",   "default us", "default/fastest"};
    cli_table table = {.columns = sizeof heads / sizeof *heads};
    cli_json json = {0};
    char *text = NULL;
    size_t size = 0;
    mplan_status status = cli_records_read(path, call->context, &text, &size, err);
    tune_info info = {call->report ? &table : NULL, call->json ? &json : NULL, 0};
    if (status)
        return status;
    for (int32_t i = 0; i < table.columns && call->report; i++)
        cli_table_cell(&table, "%s", heads[i]);
    if (call->json) {
        cli_results_open(&json, call);
        cli_json_text(&json, "file", path);
        cli_json_open(&json, "records", '[');
    }
    add_records(&info, text, size);
    free(text);
    if (call->report) {
        printf("%s: results of meshplan tune, %d record%s; 'meshplan plan --tuned' reads them\n",
               cli_shown(path), (int)info.n, info.n == 1 ? "" : "s");
        status = cli_table_print(&table, "  ", "llrllrrr", err);
    }
    if (call->json) {
        cli_json_close(&json, ']');
        mplan_status written = cli_results_write(&json, call, MPLAN_OK, NULL, err);
        status = status ? status : written;
    }
    return status;
}
