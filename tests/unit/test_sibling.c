/* SPDX-License-Identifier: Apache-2.0 */
/* test_sibling.c - names of files that files give: which stay in the folder */
#include "support_test.h"

#include "formats/sibling.h"

/* Whether some part between slashes is "..", or the first is empty: by copies of the parts. */
static bool leaves(const char *name)
{
    char copy[64], *part = copy;
    if (name[0] == '/' || name[0] == '\\')
        return true;
    strcpy(copy, name);
    for (char *c = copy;; c++) {
        const bool ends = *c == '\0';
        if (!ends && *c != '/' && *c != '\\')
            continue;
        *c = '\0';
        if (strcmp(part, "..") == 0)
            return true;
        if (ends)
            return false;
        part = c + 1;
    }
}

/* All names of up to six characters out of those that matter. */
static void names_that_leave_the_folder(void **state)
{
    (void)state;
    static const char letters[] = "./\\a";
    int64_t counts[2] = {0, 0};
    for (int length = 0; length <= 6; length++)
        for (int number = 0; number < 1 << 2 * length; number++) {
            char name[8] = "";
            for (int k = 0; k < length; k++)
                name[k] = letters[number >> 2 * k & 3];
            const bool below = mplan_sibling_below(name, (size_t)length);
            if (below == leaves(name))
                fail_msg("'%s' %s", name, below ? "is allowed" : "is refused");
            counts[below]++;
        }
    assert_true(counts[0] > 1000 && counts[1] > 1000);
    assert_true(mplan_sibling_below("a/..", 3)); /* the name ends where its length says */
}

static void stems(void **state)
{
    (void)state;
    assert_int_equal(mplan_sibling_stem("folder.d/a.lb8.ugrid", 2), 10);
    assert_int_equal(mplan_sibling_stem("a.node.gz", 1), 1);
    assert_int_equal(mplan_sibling_stem("a", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_leave_the_folder),
        cmocka_unit_test(stems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
