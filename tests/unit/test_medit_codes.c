/* SPDX-License-Identifier: Apache-2.0 */
/* test_medit_codes.c - codes of Medit's binary files that are refused by name, against the numbers of libMeshb 7 */
#include "support_test.h"

#include "formats/text/medit_parts.h"

static void refused_codes_have_their_names(void **state)
{
    (void)state;
    static const struct {
        int32_t code;
        const char *name;
    } known[] = {{33, "HexahedraQ2"}, {46, "Polyhedra"},        {86, "PrismsP2"},
                 {87, "PyramidsP2"},  {88, "QuadrilateralsQ3"}, {89, "QuadrilateralsQ4"},
                 {90, "TrianglesP3"}, {91, "TrianglesP4"},      {92, "EdgesP3"},
                 {93, "EdgesP4"},     {96, "TetrahedraP3"},     {97, "TetrahedraP4"},
                 {98, "HexahedraQ3"}, {99, "HexahedraQ4"},      {47, "Polygons"}};
    int found = 0;
    for (int32_t code = 0; code < 300; code++) {
        const char *name = mplan_medit_refused_code(code);
        const size_t n = sizeof known / sizeof *known;
        size_t k = 0;
        while (k < n && known[k].code != code)
            k++;
        if (k == n) {
            assert_null(name);
            continue;
        }
        assert_string_equal(name, known[k].name);
        assert_true(mplan_medit_refused_keyword(name, strlen(name)));
        found++;
    }
    assert_int_equal(found, sizeof known / sizeof *known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_codes_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
