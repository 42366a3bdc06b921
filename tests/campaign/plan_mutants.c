/* SPDX-License-Identifier: Apache-2.0 */
/* plan_mutants.c - plans with one value changed and checksums remade: three judges must agree
 *
 * plan_mutants [--first SEED] [--plans N] [--mutants N] [--only J] [--seconds N] [--sample FOLDER EVERY] [--found FOLDER]
 *              [--bits 1]
 *
 * For every seed from SEED on, a mesh and a right plan for it are made; each of its N mutants is judged by the library
 * (reader and mplan_plan_verify, without and with the mesh), by naive code that knows formats/plan-format.md
 * (naive_read, naive_holds), and by a run of the plan in the head (naive_run). What the library accepts must hold and
 * run right; arrays that it refuses must not hold. The last lines of the output are a table of all kinds. Exit code 1:
 * the judges disagree somewhere; seed and number of the mutant are printed, and --only J repeats it.
 * With --bits 1 instead: every bit turned and every truncation, checksums as they were; all must be refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "mutants_bases.h"
#include "naive_plan.h"
#include "support_planfile.h"

enum { KINDS = 160 }; /* 0: the header, 1 to 11 records, then arrays; 159: entries of the table */
enum { HEADER = 0, BITS = 157, TRUNCATIONS = 158, TABLE = 159 };

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

typedef struct tally {
    int64_t mutants, refused, disproved, not_of_mesh, accepted, stricter, wrong;
} tally;

typedef struct base {
    uint64_t seed;
    mplan_mesh *mesh;
    uint8_t *bytes; /* aligned to 64 */
    size_t size;
    naive_plan truth;
} base;

typedef struct settings {
    uint64_t first;
    int64_t plans, mutants, only;
    double seconds;
    const char *sample, *found;
    int64_t every;
    bool bits;
} settings;

typedef struct change {
    uint32_t kind;
    int64_t section, at; /* byte in the section, or in the entry, or the header */
    int width;
    uint64_t before, after;
    bool reprinted;
} change;

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(draw(state) % (uint64_t)n);
}

static uint64_t load(const uint8_t *at, int width)
{
    uint64_t value = 0;
    memcpy(&value, at, (size_t)width);
    return value;
}

static void store(uint8_t *at, int width, uint64_t value)
{
    memcpy(at, &value, (size_t)width);
}

/* --- right plans --- */

static bool read_file(const char *path, uint8_t **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    void *room = NULL;
    if (!file)
        return false;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bool done = posix_memalign(&room, 64, *size + 64) == 0 && fread(room, 1, *size, file) == *size;
    fclose(file);
    *bytes = room;
    return done;
}

static bool make_base(uint64_t seed, base *out)
{
    char path[64];
    mplan_error err;
    mplan_plan *plan = NULL;
    *out = (base){.seed = seed};
    bool made = seed % 2 ? mutants_naive_base(seed, &out->mesh, &plan)
                         : mutants_planned_base(seed, &out->mesh, &plan);
    if (!made)
        return false;
    snprintf(path, sizeof path, "%s/plan_mutants-%d", support_fast_folder(), (int)getpid());
    if (mplan_plan_write(plan, path, NULL, &one_thread, NULL, &err) != MPLAN_OK ||
        !read_file(path, &out->bytes, &out->size)) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(74);
    }
    unlink(path);
    mplan_plan_free(plan);
    const char *why = naive_read(out->bytes, out->size, &out->truth);
    if (!why)
        why = naive_holds(&out->truth);
    if (!why)
        why = naive_run(&out->truth, &out->truth);
    if (why && why != NAIVE_TOO_LARGE) {
        printf("DISAGREE seed %llu: the plan itself does not hold: %s\n", (unsigned long long)seed,
               why);
        return false;
    }
    return !why;
}

static void free_base(base *in)
{
    mplan_mesh_free(in->mesh);
    free(in->bytes);
    in->mesh = NULL;
    in->bytes = NULL;
}

/* --- mutations --- */

/* Fields of a record: letters for 4 (u) and 8 (i) bytes. */
static const char *const layouts[12] = {NULL,
                                        NULL,
                                        "uuuuiiuuiiiiiii",
                                        "uuuuuui",
                                        "uuuuuuuuii",
                                        "uuuuuuuu",
                                        "uuuuuuuuiiiiiiuuuu",
                                        "uuuuuuiiiii",
                                        "uuuuiiiiii",
                                        NULL,
                                        NULL,
                                        "uuuuuui"};
static const int record_bytes[12] = {0, 1, 96, 32, 48, 32, 96, 64, 64, 1, 1, 32};

static uint64_t new_value(uint64_t *seed, uint64_t old, int width, const uint8_t *all, int64_t n)
{
    const uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
    switch (below(seed, 9)) {
    case 0: return (old + 1) & mask;
    case 1: return (old - 1) & mask;
    case 2: return 0;
    case 3: return mask;
    case 4: return mask >> 1;
    case 5: return old ^ UINT64_C(1) << below(seed, 8 * width);
    case 6: return (uint64_t)below(seed, 40);
    case 7: return draw(seed) & mask;
    default: return load(all + below(seed, n) * width, width);
    }
}

/* Sections of one kind drawn first, so that rare kinds have their share. */
static int64_t draw_section(const base *in, uint64_t *seed, bool records)
{
    const naive_section *all = in->truth.sections;
    for (int tries = 0; tries < 1000; tries++) {
        const uint32_t kind = records ? (uint32_t)(1 + below(seed, 11))
                                      : (uint32_t)(32 + below(seed, 119));
        int64_t n = 0;
        for (int32_t i = 0; i < in->truth.n_sections; i++)
            n += all[i].kind == kind && all[i].rows * all[i].cols > 0;
        int64_t chosen = n ? below(seed, n) : -1;
        for (int32_t i = 0; i < in->truth.n_sections && n; i++)
            if (all[i].kind == kind && all[i].rows * all[i].cols > 0 && chosen-- == 0)
                return i;
    }
    return 0;
}

static uint8_t *data_of(const base *in, uint8_t *bytes, int64_t section)
{
    return bytes + ((const uint8_t *)in->truth.sections[section].data - in->bytes);
}

static change mutate_section(const base *in, uint8_t *bytes, uint64_t *seed, bool records)
{
    change out = {.section = draw_section(in, seed, records)};
    const naive_section *s = &in->truth.sections[out.section];
    uint8_t *data = data_of(in, bytes, out.section);
    out.kind = s->kind;
    if (s->kind <= 11 && layouts[s->kind]) {
        const char *layout = layouts[s->kind];
        int64_t field = below(seed, (int64_t)strlen(layout));
        out.at = below(seed, s->rows) * record_bytes[s->kind];
        for (int64_t f = 0; f < field; f++)
            out.at += layout[f] == 'u' ? 4 : 8;
        out.width = layout[field] == 'u' ? 4 : 8;
    } else {
        out.width = (int)naive_type_size(s->type);
        out.at = below(seed, s->rows * s->cols) * out.width;
    }
    /* records of block-gather hold numbers of other widths than a byte */
    if (s->kind == 129 && below(seed, 2)) {
        out.width = below(seed, 2) ? 2 : 4;
        out.at -= out.at % out.width;
    }
    const int64_t n = s->rows * s->cols * naive_type_size(s->type) / out.width;
    out.before = load(data + out.at, out.width);
    do {
        out.after = new_value(seed, out.before, out.width, data, n);
    } while (out.after == out.before);
    store(data + out.at, out.width, out.after);
    return out;
}

static change mutate_entry(const base *in, uint8_t *bytes, uint64_t *seed)
{
    static const int at[] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 88};
    const int64_t field = below(seed, 16);
    change out = {.kind = TABLE,
                  .section = below(seed, in->truth.n_sections),
                  .at = at[field],
                  .width = field < 10 ? 4 : 8};
    uint8_t *place = bytes + 128 + 96 * out.section + out.at;
    out.before = load(place, out.width);
    do {
        out.after = new_value(seed, out.before, out.width, bytes + 128,
                              24 * in->truth.n_sections / (out.width / 4));
    } while (out.after == out.before);
    store(place, out.width, out.after);
    return out;
}

static change mutate_header(uint8_t *bytes, uint64_t *seed)
{
    static const int at[] = {0, 4, 8, 10, 12, 16, 24, 32, 40, 48, 64, 72, 80, 88, 96, 104, 112};
    static const int width[] = {4, 4, 2, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
    const int64_t field = below(seed, 17);
    change out = {.kind = HEADER, .at = at[field], .width = width[field]};
    out.before = load(bytes + out.at, out.width);
    do {
        out.after = new_value(seed, out.before, out.width, bytes, 128 / out.width);
    } while (out.after == out.before);
    store(bytes + out.at, out.width, out.after);
    return out;
}

/* Hashes of the sections (where their place is right), the table and the header. */
static void remake(uint8_t *bytes, size_t size)
{
    uint64_t n = load(bytes + 48, 8);
    if (n > (size - 128) / 96)
        n = (size - 128) / 96;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *entry = bytes + 128 + 96 * i;
        const uint64_t offset = load(entry + 56, 8), stored = load(entry + 64, 8);
        if (offset <= size && stored <= size - offset)
            store(entry + 80, 8, mplan_hash(bytes + offset, stored));
    }
    store(bytes + 56, 8, mplan_hash(bytes + 128, n * 96));
    store(bytes + 120, 8, mplan_hash(bytes, 120));
}

/* Gives a changed mesh or request its right fingerprint, as one who wants to be believed would. */
static bool reprint(uint8_t *bytes, size_t size, uint32_t kind)
{
    static naive_plan changed;
    if (naive_read(bytes, size, &changed))
        return false;
    for (int32_t s = 0; s < changed.n_sets; s++)
        for (int64_t i = 0; i < changed.sets[s].size; i++)
            if (changed.sets[s].new_of_old[i] < 0 ||
                changed.sets[s].new_of_old[i] >= changed.sets[s].storage)
                return false;
    for (int32_t m = 0; m < changed.n_maps; m++) {
        const naive_map *map = &changed.maps[m];
        if (!map->arity &&
            !naive_is_list(map->offsets, changed.sets[map->from].storage, map->n_entries))
            return false;
        for (int64_t i = 0; i < map->n_entries; i++)
            if (map->values[i] >= changed.sets[map->to].storage)
                return false;
    }
    if (kind == 9)
        store(bytes + 80, 8, naive_request_print(&changed));
    else
        store(bytes + 64, 8, naive_topology(&changed));
    store(bytes + 120, 8, mplan_hash(bytes, 120));
    return true;
}

static change mutate(const base *in, uint8_t *bytes, int64_t number)
{
    uint64_t seed = in->seed * 1000003 + (uint64_t)number;
    (void)draw(&seed);
    const int64_t way = below(&seed, 100);
    change out = way < 76   ? mutate_section(in, bytes, &seed, false)
                 : way < 95 ? mutate_section(in, bytes, &seed, true)
                 : way < 98 ? mutate_entry(in, bytes, &seed)
                            : mutate_header(bytes, &seed);
    if (out.kind == HEADER) {
        store(bytes + 120, 8, mplan_hash(bytes, 120));
        return out;
    }
    remake(bytes, in->size);
    if ((out.kind == 9 || (out.kind >= 32 && out.kind <= 41)) && below(&seed, 2))
        out.reprinted = reprint(bytes, in->size, out.kind);
    return out;
}

/* --- judges --- */

typedef struct verdict {
    const char *alone, *with_mesh; /* reasons; NULL: accepted */
    bool read;
} verdict;

/* Proves a plan; those of the naive planner have no request that leads to them. */
static mplan_status prove(const base *in, const mplan_plan *plan, mplan_mesh *mesh, mplan_error *err)
{
    return in->seed % 2 ? mutants_prove_naive(plan, mesh, &one_thread, err)
                        : mplan_plan_verify(plan, mesh, &one_thread, err);
}

static verdict ask_library(const base *in, const uint8_t *bytes)
{
    static mplan_error err[2];
    verdict out = {NULL, NULL, true};
    mplan_plan *plan = NULL;
    if (mplan_plan_read_borrowed(bytes, in->size, "mutant", &one_thread, &plan, &err[0]) != MPLAN_OK) {
        mplan_plan_free(plan);
        return (verdict){err[0].text, err[0].text, false};
    }
    if (prove(in, plan, NULL, &err[0]) != MPLAN_OK)
        out.alone = err[0].text;
    if (prove(in, plan, in->mesh, &err[1]) != MPLAN_OK)
        out.with_mesh = err[1].text;
    mplan_plan_free(plan);
    return out;
}

static verdict ask_naive(const base *in, const naive_plan *mutant, const char *unread)
{
    verdict out = {unread, unread, unread == NULL};
    if (unread)
        return out;
    out.alone = out.with_mesh = naive_holds(mutant);
    if (!out.alone)
        out.with_mesh = naive_same_mesh(mutant, &in->truth);
    return out;
}

static void write_file(const char *folder, uint64_t seed, int64_t number, const uint8_t *bytes,
                       size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu-%lld.plan", folder, (unsigned long long)seed,
             (long long)number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size)
        fprintf(stderr, "%s: cannot be written\n", path);
    if (file)
        fclose(file);
}

static void show(const base *in, int64_t number, const change *what, const char *sentence,
                 const verdict *library, const verdict *naive, const char *run)
{
    printf("%s seed %llu mutant %lld: kind %u section %lld byte %lld (%d bytes) %llu -> %llu%s; library: %s, with mesh: %s; "
           "naive: %s, with mesh: %s; run: %s\n",
           sentence, (unsigned long long)in->seed, (long long)number, what->kind,
           (long long)what->section, (long long)what->at, what->width,
           (unsigned long long)what->before, (unsigned long long)what->after,
           what->reprinted ? ", fingerprint remade" : "",
           library->alone ? library->alone : "accepted",
           library->with_mesh ? library->with_mesh : "accepted",
           naive->alone ? naive->alone : "accepted",
           naive->with_mesh ? naive->with_mesh : "accepted", run ? run : "right");
    fflush(stdout);
}

static bool judge(const settings *how, const base *in, uint8_t *bytes, int64_t number, tally *table)
{
    static naive_plan mutant;
    memcpy(bytes, in->bytes, in->size);
    const change what = mutate(in, bytes, number);
    const verdict library = ask_library(in, bytes);
    const char *unread = naive_read(bytes, in->size, &mutant);
    const verdict naive = ask_naive(in, &mutant, unread);
    if (unread == NAIVE_TOO_LARGE || naive.alone == NAIVE_TOO_LARGE)
        return true;
    const char *run = unread ? "not read" : naive_run(&mutant, &in->truth);
    tally *row = &table[what.kind];
    row->mutants++;
    row->refused += !library.read;
    row->disproved += library.read && library.alone;
    row->not_of_mesh += !library.alone && library.with_mesh;
    row->accepted += !library.with_mesh;
    /* accepted though it does not hold, or runs wrong */
    bool wrong = (!library.alone && naive.alone) || (!library.with_mesh && (naive.with_mesh || run));
    /* Refused though naive code finds nothing wrong: arrays hold no more than what they mean, so that is a difference,
     * too. Of records verify knows more: what the request leads to. */
    const bool stricter = (library.alone && !naive.alone) || (library.with_mesh && !naive.with_mesh);
    wrong = wrong || (stricter && what.kind >= 32 && what.kind != TABLE);
    row->wrong += wrong;
    row->stricter += stricter && !wrong;
    if (wrong || how->only >= 0)
        show(in, number, &what, wrong ? "DISAGREE" : "agree", &library, &naive, run);
    if (how->found && (wrong || how->only >= 0))
        write_file(how->found, in->seed, number, bytes, in->size);
    if (how->sample && row->mutants % how->every == 0) {
        write_file(how->sample, in->seed, number, bytes, in->size);
        printf("SAMPLE\t%llu-%lld.plan\t%d\t%u\n", (unsigned long long)in->seed, (long long)number,
               library.alone == NULL, what.kind);
    }
    return !wrong;
}

/* Bytes as they are: refused by the library and by naive code. */
static bool refused(const uint8_t *bytes, size_t size)
{
    static naive_plan changed;
    mplan_error err;
    mplan_plan *plan = NULL;
    const bool taken = mplan_plan_read_borrowed(bytes, size, "bits", &one_thread, &plan, &err) ==
                       MPLAN_OK;
    mplan_plan_free(plan);
    return !taken && naive_read(bytes, size, &changed) != NULL;
}

static bool turn_all(const base *in, uint8_t *bytes, tally *table)
{
    bool agree = true;
    memcpy(bytes, in->bytes, in->size);
    for (size_t i = 0; i < 8 * in->size; i++) {
        bytes[i / 8] = (uint8_t)(bytes[i / 8] ^ 1 << i % 8);
        const bool right = refused(bytes, in->size);
        bytes[i / 8] = in->bytes[i / 8];
        table[BITS].mutants++;
        table[BITS].refused += right;
        table[BITS].wrong += !right;
        agree = agree && right;
        if (!right)
            printf("DISAGREE seed %llu: bit %zu turned, and taken\n", (unsigned long long)in->seed,
                   i);
    }
    for (size_t n = 0; n < in->size; n++) {
        void *room = NULL; /* no byte longer, so that reading behind it is seen */
        if (posix_memalign(&room, 64, n ? n : 1))
            return false;
        memcpy(room, in->bytes, n);
        const bool right = refused(room, n);
        free(room);
        table[TRUNCATIONS].mutants++;
        table[TRUNCATIONS].refused += right;
        table[TRUNCATIONS].wrong += !right;
        agree = agree && right;
        if (!right)
            printf("DISAGREE seed %llu: the first %zu bytes, and taken\n",
                   (unsigned long long)in->seed, n);
    }
    return agree;
}

static const char *name_of(int kind)
{
    static char text[16];
    static const char *const records[] = {"header",        "STRINGS", "SETS",     "MAPS",
                                          "LOOPS",         "ARGS",    "VARIANTS", "BLOCK_SETS",
                                          "BLOCK_METRICS", "REQUEST", "VERSIONS", "ORIGINS"};
    if (kind < 12)
        return records[kind];
    if (kind >= BITS)
        return kind == BITS ? "bits" : kind == TRUNCATIONS ? "truncations" : "table";
    snprintf(text, sizeof text, "array %d", kind);
    return text;
}

static void print_table(const tally *table)
{
    tally all = {0};
    printf("TALLY\tkind\tmutants\trefused\tdisproved\tnot of the mesh\taccepted\tstricter\tdisagree\n");
    for (int k = 0; k < KINDS; k++) {
        const tally *t = &table[k];
        if (t->mutants)
            printf("TALLY\t%s\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\n", name_of(k),
                   (long long)t->mutants, (long long)t->refused, (long long)t->disproved,
                   (long long)t->not_of_mesh, (long long)t->accepted, (long long)t->stricter,
                   (long long)t->wrong);
        all.mutants += t->mutants;
        all.wrong += t->wrong;
    }
    printf("TALLY\tall\t%lld\t\t\t\t\t\t%lld\n", (long long)all.mutants, (long long)all.wrong);
}

static void usage(void)
{
    fprintf(stderr,
            "usage: plan_mutants [--first SEED] [--plans N] [--mutants N] [--only J] [--seconds N] "
            "[--sample FOLDER EVERY] [--found FOLDER]\n");
    exit(64);
}

static settings read_settings(int argc, char **argv)
{
    settings how = {.first = 1, .plans = 100, .mutants = 100, .only = -1, .seconds = 1e9, .every = 1};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (i + 1 >= argc)
            usage();
        const char *value = argv[++i];
        if (strcmp(word, "--first") == 0)
            how.first = strtoull(value, NULL, 10);
        else if (strcmp(word, "--plans") == 0)
            how.plans = strtoll(value, NULL, 10);
        else if (strcmp(word, "--mutants") == 0)
            how.mutants = strtoll(value, NULL, 10);
        else if (strcmp(word, "--only") == 0)
            how.only = strtoll(value, NULL, 10);
        else if (strcmp(word, "--seconds") == 0)
            how.seconds = strtod(value, NULL);
        else if (strcmp(word, "--bits") == 0)
            how.bits = strtol(value, NULL, 10) != 0;
        else if (strcmp(word, "--found") == 0)
            how.found = value;
        else if (strcmp(word, "--sample") == 0 && i + 1 < argc) {
            how.sample = value;
            how.every = strtoll(argv[++i], NULL, 10);
        } else
            usage();
    }
    if (how.every < 1)
        usage();
    return how;
}

int main(int argc, char **argv)
{
    static tally table[KINDS];
    static base in;
    const settings how = read_settings(argc, argv);
    struct timespec begin, now;
    bool agree = true;
    int64_t made = 0, plans = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int64_t i = 0; i < how.plans; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((double)(now.tv_sec - begin.tv_sec) > how.seconds)
            break;
        plans++;
        void *room = NULL;
        if (make_base(how.first + (uint64_t)i, &in) && posix_memalign(&room, 64, in.size + 64) == 0) {
            made++;
            if (how.bits)
                agree = turn_all(&in, room, table) && agree;
            for (int64_t j = how.only < 0 ? 0 : how.only;
                 !how.bits && j < (how.only < 0 ? how.mutants : how.only + 1); j++)
                agree = judge(&how, &in, room, j, table) && agree;
        }
        free(room);
        free_base(&in);
    }
    printf("PLANS\t%llu\t%lld\t%lld\n", (unsigned long long)how.first, (long long)plans,
           (long long)made);
    print_table(table);
    return !agree;
}
