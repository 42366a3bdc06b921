/* SPDX-License-Identifier: Apache-2.0 */
/* test_known_damage.c - damaged files are read, or refused at the place, as they were: tests/data/known-damage.txt
 *
 * Each good file of tests/data is changed in one place, many times, the same way at each run: cut off, a number one more or
 * with another digit or sign, a line gone or twice, a byte of a binary file at its limits. What is read then, the status, and the numbers of
 * the sentences (lines, bytes, counts) are compared with fingerprints, one for each file; those of formats that foreign libraries
 * read are not compared. Every sentence, of a reader or of faces that are derived from what it read, names a file. Who means a change runs the test with MPLAN_UPDATE=1 and reads the difference. */
#include "support_test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support_folder.h"
#include "support_known.h"

enum { MOST_FILE = 24576, MOST_NUMBERS = 4096, MOST_PARTS = 60 };
enum {
    CHANGES = 20,
    CHANGES_OF_JOBS = 150,
    CHANGES_OF_PARTS = 10,
    CHANGES_OF_LIBRARIES = 4
}; /* of each file */

static int begin(void **state)
{
    return known_begin(MPLAN_TEST_DATA "/known-damage.txt") || make_folder(state);
}

static int end(void **state)
{
    return known_end() || remove_folder(state);
}

/* --- one change ------------------------------------------------------------------------- */

typedef struct changed_file {
    uint8_t data[MOST_FILE + 64];
    size_t size;
} changed_file;

static void cut(changed_file *file, size_t at, size_t n)
{
    memmove(file->data + at, file->data + at + n, file->size - at - n);
    file->size -= n;
}

static void insert(changed_file *file, size_t at, const uint8_t *bytes, size_t n)
{
    memmove(file->data + at + n, file->data + at, file->size - at);
    memmove(file->data + at, bytes, n);
    file->size += n;
}

/* The first byte from a random one on, round the end, that is a digit (or not: any byte). */
static size_t find_digit(const changed_file *file, uint64_t *seed)
{
    const size_t from = (size_t)support_random(seed, (int64_t)file->size);
    for (size_t i = 0; i < file->size; i++) {
        const size_t at = (from + i) % file->size;
        if (file->data[at] >= '0' && file->data[at] <= '9')
            return at;
    }
    return from;
}

/* [*first, *first + length) is a random line with its end, at most 32 bytes of it. */
static size_t find_line(const changed_file *file, uint64_t *seed, size_t *first)
{
    size_t from = (size_t)support_random(seed, (int64_t)file->size), to = from;
    while (from > 0 && file->data[from - 1] != '\n')
        from--;
    while (to < file->size && file->data[to++] != '\n')
        continue;
    *first = from;
    return to - from < 32 ? to - from : 32;
}

/* Change number `way`; what it is depends on nothing but the file and the number. */
static void change(changed_file *file, int way, uint64_t *seed)
{
    static const uint8_t limits[] = {0, 1, 127, 128, 255};
    uint8_t line[32];
    size_t at, length;
    switch (way % 10) {
    case 0: file->size = (size_t)support_random(seed, (int64_t)file->size); break;
    case 1: file->size--; break;
    case 2: /* one more, 9 becomes 8 */
        at = find_digit(file, seed);
        file->data[at] = (uint8_t)(file->data[at] == '9' ? '8' : file->data[at] + 1);
        break;
    case 3: file->data[find_digit(file, seed)] = '0'; break;
    case 4: insert(file, find_digit(file, seed), (const uint8_t *)"-", 1); break;
    case 5: insert(file, find_digit(file, seed), (const uint8_t *)"7", 1); break;
    case 6:
        length = find_line(file, seed, &at);
        cut(file, at, length);
        break;
    case 7:
        length = find_line(file, seed, &at);
        memcpy(line, file->data + at, length);
        insert(file, at, line, length);
        break;
    case 8: file->data[support_random(seed, (int64_t)file->size)] ^= 1; break;
    default:
        file->data[support_random(seed, (int64_t)file->size)] = limits[support_random(seed, 5)];
        break;
    }
}

/* --- files -------------------------------------------------------------------------------- */

/* A sentence begins with the name of a file that was read. */
static void assert_names_file(const char *text)
{
    if (strncmp(text, test_folder(), strlen(test_folder())))
        fail_msg("no file is named: %s", text);
}

static void note_warning(void *user, const char *text)
{
    assert_names_file(text);
    known_add_sentence(test_folder(), user, MOST_NUMBERS, text);
}

/* What a build lacks is not compared. */
static bool lacks_library(const char *text)
{
    return strstr(text, " build ") != NULL;
}

static uint64_t print_of_job(const mplan_job *job)
{
    mplan_fingerprint *print = mplan_fingerprint_begin();
    known_add_text(print, job->zone ? job->zone : "");
    KNOWN_ADD(print, strncmp(job->path, test_folder(), strlen(test_folder())));
    KNOWN_ADD(print, job->n_sets, job->n_tables, job->n_coordinates, job->n_loops);
    for (int32_t s = 0; s < job->n_sets; s++) {
        known_add_text(print, job->sets[s].name);
        KNOWN_ADD(print, job->sets[s].size);
    }
    for (int32_t t = 0; t < job->n_tables; t++) {
        const mplan_table_options *it = job->tables[t].options;
        known_add_text(print, it->name ? it->name : "");
        KNOWN_ADD(print, it->base, it->has_none, it->none);
    }
    for (int32_t l = 0; l < job->n_loops; l++) {
        const mplan_loop *it = &job->loops[l];
        known_add_text(print, it->over);
        KNOWN_ADD(print, it->primary, it->calls, (int64_t)it->flops, it->n_args);
        for (int32_t a = 0; a < it->n_args; a++) {
            known_add_text(print, it->args[a].dat);
            known_add_text(print, it->args[a].map ? it->args[a].map : "");
            KNOWN_ADD(print, it->args[a].access, it->args[a].dim, it->args[a].type, it->args[a].none);
        }
    }
    for (int32_t o = 0; job->options && o < job->options->n_strategies; o++)
        KNOWN_ADD(print, job->options->strategies[o]);
    if (job->options)
        KNOWN_ADD(print, job->options->block_size, job->options->partitioner,
                  job->options->renumber, (int64_t)job->options->seed);
    return known_end_print(print);
}

/* Reads the file as a mesh, or as a job; false where the build lacks what reads it. */
static bool read_one(const char *path, const char *folder, uint64_t *print)
{
    char numbers[MOST_NUMBERS] = "";
    mplan_error err = {0};
    mplan_mesh *mesh = NULL;
    mplan_job *job = NULL;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    const bool is_job = strcmp(folder, "job") == 0;
    context.warning = note_warning;
    context.user = numbers;
    options.format = strcmp(folder, "text") == 0 ? "text" : NULL;
    mplan_status status = is_job ? mplan_job_read(path, &context, &job, &err)
                                 : mplan_mesh_read(path, &options, &context, &mesh, &err);
    if (status && !lacks_library(err.text))
        assert_names_file(err.text);
    if (status)
        known_add_sentence(test_folder(), numbers, sizeof numbers, err.text);
    *print = (status   ? (uint64_t)status
              : is_job ? print_of_job(job)
                       : known_print_of_mesh(mesh, true)) ^
             mplan_hash(numbers, strlen(numbers));
    if (mesh && mplan_mesh_cell_types(mesh) && mplan_mesh_derive(mesh, "faces", &context, &err))
        assert_names_file(err.text);
    mplan_job_free(job);
    mplan_mesh_free(mesh);
    return !status || !lacks_library(err.text);
}

static bool load(const char *path, changed_file *file)
{
    FILE *in = fopen(path, "rb");
    file->size = in ? fread(file->data, 1, MOST_FILE, in) : 0;
    if (in)
        fclose(in);
    return file->size > 0 && file->size < MOST_FILE;
}

/* Reads what is at `what` with the file at `path` changed in n ways, and as it is; false where the build lacks what reads it. */
static bool try_changes(const char *folder, const char *what, const char *path,
                        const changed_file *whole, int n, mplan_fingerprint *print)
{
    static changed_file changed;
    const char *name = strrchr(path, '/');
    uint64_t one, seed = mplan_hash(name, strlen(name));
    bool compared = true;
    for (int way = 0; way <= n && compared; way++) {
        changed = *whole;
        if (way > 0)
            change(&changed, way, &seed);
        write_file(path, changed.data, changed.size);
        compared = read_one(what, folder, &one);
        KNOWN_ADD(print, (int64_t)one);
    }
    return compared;
}

/* The files of a folder, by links; files that a file names are found beside it. */
static void link_files(const char *from, const char *to, known_name *parts, int *n_parts)
{
    DIR *open_folder = opendir(from);
    assert_true(open_folder && mkdir(to, 0777) == 0);
    for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        char path[700], place[700];
        struct stat about;
        snprintf(path, sizeof path, "%.400s/%.127s", from, entry->d_name);
        snprintf(place, sizeof place, "%.400s/%.127s", to, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &about))
            continue;
        if (S_ISDIR(about.st_mode)) {
            if (parts)
                link_files(path, place, parts, n_parts);
            continue;
        }
        assert_int_equal(symlink(path, place), 0);
        if (parts && *n_parts < MOST_PARTS && strlen(place) < sizeof parts->text)
            strcpy(parts[(*n_parts)++].text, place);
    }
    closedir(open_folder);
}

static void compare(const char *folder, const char *name, bool compared, mplan_fingerprint *print)
{
    char line[300];
    const uint64_t value = known_end_print(print);
    snprintf(line, sizeof line, "%.127s/%.127s", folder, name);
    if (compared)
        known_compare(line, value);
}

static void try_file(const char *folder, const char *name)
{
    static changed_file whole;
    char path[600];
    snprintf(path, sizeof path, "%s/%.127s/%.127s", MPLAN_TEST_DATA, folder, name);
    if (!load(path, &whole))
        return;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    snprintf(path, sizeof path, "%.64s/%.127s/x-%.127s", test_folder(), folder, name);
    bool compared = try_changes(folder, path, path, &whole,
                                strcmp(folder, "job") ? CHANGES : CHANGES_OF_JOBS, print);
    remove(path);
    compare(folder, name, compared, print);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* A case of several files in a folder: each of them in turn. */
static void try_case(const char *folder, const char *name)
{
    static known_name parts[MOST_PARTS];
    static changed_file whole;
    char from[600], copy[200];
    int n = 0;
    bool compared = true;
    snprintf(from, sizeof from, "%s/%.127s/%.127s", MPLAN_TEST_DATA, folder, name);
    snprintf(copy, sizeof copy, "%.64s/c", test_folder());
    link_files(from, copy, parts, &n);
    qsort(parts, (size_t)n, sizeof *parts, by_name);
    mplan_fingerprint *print = mplan_fingerprint_begin();
    for (int i = 0; i < n && compared; i++) {
        if (!load(parts[i].text, &whole))
            continue;
        unlink(parts[i].text); /* the link, else the file would be written */
        compared = try_changes(folder, copy, parts[i].text, &whole, CHANGES_OF_PARTS, print);
        write_file(parts[i].text, whole.data, whole.size);
    }
    empty_folder(copy);
    assert_int_equal(rmdir(copy), 0);
    compare(folder, name, compared, print);
}

static void damaged_files(void **state)
{
    (void)state;
    static const char *const folders[] = {"abaqus", "aflr3", "fluent", "gmsh", "job",     "libmesh",
                                          "medit",  "metis", "mfem",   "mtx",  "nastran", "netgen",
                                          "npy",    "obj",   "op2",    "ply",  "scotch",  "stl",
                                          "su2",    "text",  "unv",    "vtk",  "vtu",     "xdmf"};
    static known_name files[1000];
    for (size_t d = 0; d < sizeof folders / sizeof *folders; d++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, folders[d]);
        link_files(path, in_folder(folders[d]), NULL, NULL);
        int n = known_names_in(path, "good-", files, 1000);
        for (int f = 0; f < n; f += support_every(7))
            try_file(folders[d], files[f].text);
    }
    known_check(30);
}

static void damaged_cases(void **state)
{
    (void)state;
    static const char *const folders[] = {"foam", "elmer", "fesom"};
    static known_name cases[200];
    for (size_t d = 0; d < sizeof folders / sizeof *folders; d++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, folders[d]);
        int n = known_names_in(path, "good-", cases, 200);
        for (int c = 0; c < n; c += support_every(5))
            try_case(folders[d], cases[c].text);
    }
    known_check(5);
}

/* Formats of foreign libraries: only whether the file is named. Programs of libexec read them, which takes its time. */
static void damaged_files_of_libraries_are_named(void **state)
{
    (void)state;
    static const char *const folders[] = {"cgns", "exodus", "fluent-hdf5", "dmplex", "med",
                                          "icon", "mpas",   "ugrid",       "vtkhdf", "op2-hdf5",
                                          "npz",  "gzip",   "fesom_diag",  "foreign"};
    static known_name files[200];
    static changed_file whole;
    for (size_t d = 0; d < sizeof folders / sizeof *folders; d++) {
        char path[600], from[600];
        snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, folders[d]);
        link_files(path, in_folder(folders[d]), NULL, NULL);
        const int n = known_names_in(path, "good-", files, 200);
        for (int f = 0; f < n; f += support_every(9)) {
            mplan_fingerprint *print = mplan_fingerprint_begin();
            snprintf(from, sizeof from, "%.400s/%.127s", path, files[f].text);
            snprintf(path, sizeof path, "%.64s/%.127s/x-%.127s", test_folder(), folders[d],
                     files[f].text);
            if (load(from, &whole))
                try_changes(folders[d], path, path, &whole, CHANGES_OF_LIBRARIES, print);
            remove(path);
            (void)known_end_print(print);
            snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, folders[d]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files),
                                       cmocka_unit_test(damaged_cases),
                                       cmocka_unit_test(damaged_files_of_libraries_are_named)};
    return cmocka_run_group_tests(tests, begin, end);
}
