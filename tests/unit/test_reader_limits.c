/* SPDX-License-Identifier: Apache-2.0 */
/* test_reader_limits.c - what readers of texts allow ends where their sentences say: the last value is read, the next refused */
#include "support_test.h"

#include "formats/format.h"
#include "support_folder.h"

typedef struct limit_case {
    const mplan_file_format *format;
    const char *text;
    mplan_status status;
    const char *words; /* of the sentence; "" where it is read */
} limit_case;

static const limit_case limits[] = {
    {&mplan_format_scotch, "0\n1 0\n2147483647 000\n0\n", MPLAN_OK, ""},
    {&mplan_format_scotch, "0\n1 0\n2147483648 000\n0\n", MPLAN_ERR_UNSUPPORTED,
     "from 2147483648, which is beyond 2^31"},
    {&mplan_format_scotch, "0\n2 2\n0 111\n5 1 1 1 6\n6 1 1 1 5\n", MPLAN_OK, ""},
    {&mplan_format_scotch, "0\n1 0\n0 112\n0\n", MPLAN_ERR_CORRUPT, "the flags are 112"},
    {&mplan_format_scotch, "0\n1 0\n0 020\n0\n", MPLAN_ERR_CORRUPT, "the flags are 20"},
    {&mplan_format_scotch, "0\n1 0\n0 200\n0\n", MPLAN_ERR_CORRUPT, "the flags are 200"},
    {&mplan_format_scotch, "0\n1 1\n0 000\n0\n", MPLAN_ERR_MESH,
     "the number of arcs must be even, not 1"},
    {&mplan_format_scotch, "1\n1 0\n0 000\n0\n", MPLAN_ERR_UNSUPPORTED, "1"},
    {&mplan_format_metis_graph, "1 0\n\n", MPLAN_OK, ""},
    {&mplan_format_metis_graph, "2 1\n2\n1\n", MPLAN_OK, ""},
    {&mplan_format_metis_graph, "2 1\n3\n1\n", MPLAN_ERR_MESH, "3"},
    {&mplan_format_metis_graph, "2 1\n0\n1\n", MPLAN_ERR_MESH, "0"},
};

static void ends_where_they_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const limit_case *one = &limits[i];
        mplan_error err = {0};
        mplan_mesh *mesh;
        mplan_input input = {"a", (const uint8_t *)one->text, strlen(one->text), NULL};
        assert_done(mplan_mesh_create(&mesh, &err), &err);
        mplan_status status = one->format->read(&input, NULL, NULL, mesh, &err);
        mplan_mesh_free(mesh);
        if (status != one->status || (status && !strstr(err.text, one->words)))
            fail_msg("case %zu: status %d, '%s'", i, (int)status, status ? err.text : "");
    }
}

static void count_warning(void *user, const char *text)
{
    *(int *)user += strstr(text, "the first column is 1, 2, 3") != NULL;
}

/* Whether a table warns of numbers in front of its rows. */
static void rows_that_count(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int warnings;
    } tables[] = {{"1 5\n2 7\n3 6\n", 1}, {"1 5\n", 0},
                  {"1 5\n2 6\n", 1},      {"1\n2\n3\n", 0},
                  {"0 5\n1 7\n2 6\n", 0}, {"1 5\n2 7\n4 6\n", 0},
                  {"1 5\n2\n3 7 8\n", 0}, {"1 5\n2 8 9\n3 7\n", 1}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int warnings = 0;
        mplan_error err;
        mplan_mesh *mesh = NULL;
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.warning = count_warning;
        context.user = &warnings;
        write_file(in_folder("edges_cells.txt"), tables[i].text, strlen(tables[i].text));
        assert_done(mplan_mesh_read(in_folder("edges_cells.txt"), NULL, &context, &mesh, &err), &err);
        mplan_mesh_free(mesh);
        if (warnings != tables[i].warnings)
            fail_msg("table %zu: %d warnings", i, warnings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_where_they_say),
        cmocka_unit_test(rows_that_count),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
