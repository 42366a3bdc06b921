/* SPDX-License-Identifier: Apache-2.0 */
/* support_side.c - the tables of section 10 of the specification
 *
 * The environment's MPLAN_SPECIFICATION says where it is, for programs that run where they were not built. */
#include "support_side.h"

static int single[SUPPORT_ACCESSES][SUPPORT_WAYS];
static int pairs[SUPPORT_ACCESSES][SUPPORT_ACCESSES][SUPPORT_PAIRS];
static bool allows[SUPPORT_CANNOT_BE][MPLAN_N_STRATEGIES];
static bool read_already;

static const char *const words[] = {"no", "colours", "once", "yes", "-"};
static const char *const accesses[] = {"read", "write", "rw", "inc", "min", "max"};

static int place_of_word(const char *const *list, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], word) == 0)
            return i;
    fail_msg("section 10 has an unknown word '%s'", word);
    return 0;
}
#define PLACE(list, word) place_of_word((list), (int)(sizeof(list) / sizeof *(list)), (word))

/* Cells of a line "| a | b |", without blanks around them; returns how many. */
static int cut(char *line, char *cell[16])
{
    int n = 0;
    for (char *part = strtok(line, "|\n"); part && n < 16; part = strtok(NULL, "|\n")) {
        char *end = part + strlen(part);
        while (*part == ' ')
            part++;
        while (end > part && end[-1] == ' ')
            *--end = '\0';
        if (*part)
            cell[n++] = part;
    }
    return n;
}

/* Reads lines up to the one that begins so, and the line of dashes below it. */
static void find_head(FILE *file, const char *start, char *line, int size)
{
    while (fgets(line, size, file))
        if (strncmp(line, start, strlen(start)) == 0) {
            char dashes[256];
            assert_non_null(fgets(dashes, sizeof dashes, file));
            return;
        }
    fail_msg("the specification has no line '%s'", start);
}

static void read_legend(FILE *file)
{
    char head[1024], line[1024], *title[16], *cell[16];
    find_head(file, "| word |", head, sizeof head);
    int n = cut(head, title);
    for (int i = 0; i < SUPPORT_CANNOT_BE; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(cut(line, cell), n);
        int word = PLACE(words, cell[0]);
        for (int c = 1; c < n; c++)
            for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
                if (strstr(title[c], mplan_strategy_name((mplan_strategy)s)))
                    allows[word][s] = strncmp(cell[c], "allowed", 7) == 0;
    }
}

static void read_single(FILE *file)
{
    char line[1024], *cell[16];
    find_head(file, "| access | directly | through a map | of a global |", line, sizeof line);
    for (int i = 0; i < SUPPORT_ACCESSES; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(cut(line, cell), 1 + SUPPORT_WAYS);
        int access = PLACE(accesses, cell[0]);
        for (int w = 0; w < SUPPORT_WAYS; w++)
            single[access][w] = PLACE(words, cell[1 + w]);
    }
}

static void read_pairs(FILE *file)
{
    char line[1024], *cell[16];
    find_head(file,
              "| accesses | both directly | through one map | through two maps, the loop writes by "
              "both | through two maps, it only reads by one | one directly, one through a map | one "
              "or both of a global |",
              line, sizeof line);
    memset(pairs, -1, sizeof pairs);
    for (int i = 0; i < SUPPORT_ACCESSES * (SUPPORT_ACCESSES + 1) / 2; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(cut(line, cell), 1 + SUPPORT_PAIRS);
        char *other = strstr(cell[0], ", ");
        assert_non_null(other);
        *other = '\0';
        int x = PLACE(accesses, cell[0]), y = PLACE(accesses, other + 2);
        for (int p = 0; p < SUPPORT_PAIRS; p++)
            pairs[x][y][p] = pairs[y][x][p] = PLACE(words, cell[1 + p]);
    }
    for (int x = 0; x < SUPPORT_ACCESSES; x++)
        for (int y = 0; y < SUPPORT_ACCESSES; y++)
            assert_in_range(pairs[x][y][0], SUPPORT_NO, SUPPORT_YES); /* none is missing */
}

static void read_section(void)
{
    if (read_already)
        return;
    const char *elsewhere = getenv("MPLAN_SPECIFICATION");
    const char *path = elsewhere ? elsewhere : MPLAN_SPECIFICATION;
    FILE *file = fopen(path, "r");
    if (!file) /* cmocka keeps sentences of programs that run no test to itself */
        fprintf(stderr,
                "%s: cannot be read; MPLAN_SPECIFICATION must name formats/plan-format.md\n", path);
    assert_non_null(file);
    char line[1024];
    do
        assert_non_null(fgets(line, sizeof line, file));
    while (strncmp(line, "## 10. ", 7) != 0);
    read_legend(file);
    read_single(file);
    read_pairs(file);
    fclose(file);
    read_already = true;
}

int support_word_of_arg(int access, int way)
{
    read_section();
    return single[access][way];
}

int support_word_of_pair(int one, int other, int pair)
{
    read_section();
    return pairs[one][other][pair];
}

bool support_word_allows(int word, mplan_strategy strategy)
{
    read_section();
    assert_int_not_equal(word, SUPPORT_CANNOT_BE);
    return allows[word][strategy];
}

static bool writes_by(const mplan_plan_loop *loop, int32_t map)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == map && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

int support_word_of(const mplan_plan_loop *loop, int32_t a, int32_t b)
{
    const mplan_plan_arg *x = &loop->args[a], *y = &loop->args[b];
    if (a == b)
        return support_word_of_arg((int)x->access, x->map < 0 ? SUPPORT_DIRECT : SUPPORT_MAPPED);
    if (strcmp(x->dat, y->dat) != 0)
        return SUPPORT_YES;
    int pair = SUPPORT_ONE_MAP;
    if (x->map < 0 && y->map < 0)
        pair = SUPPORT_BOTH_DIRECT;
    else if (x->map < 0 || y->map < 0)
        pair = SUPPORT_DIRECT_AND_MAP;
    else if (x->map != y->map)
        pair = writes_by(loop, x->map) && writes_by(loop, y->map) ? SUPPORT_BOTH_WRITTEN
                                                                  : SUPPORT_ONE_READ_ONLY;
    return support_word_of_pair((int)x->access, (int)y->access, pair);
}

bool support_may_run(const mplan_plan_loop *loop, mplan_strategy strategy)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        for (int32_t b = 0; b <= a; b++)
            if (!support_word_allows(support_word_of(loop, a, b), strategy))
                return false;
    return true;
}
