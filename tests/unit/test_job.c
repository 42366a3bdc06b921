/* SPDX-License-Identifier: Apache-2.0 */
/* test_job.c - job files: keys, words, refusals, and the mesh of a job */
#include "support_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "job/job.h"
#include "support_folder.h"

static void test_nearest_word(void **state)
{
    (void)state;
    static const char *const words[] = {"strategy", "partitioner", "imbalance", "seed",
                                        "graph",    "read",        "rw",        NULL};
    static const char *const none[] = {NULL};
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"strategy", "strategy"},
        {"strateggy", "strategy"},
        {"startegy", "strategy"},
        {"Strategy", "strategy"},
        {"SEDE", "seed"},
        {"RW", "rw"},
        {"partitoner", "partitioner"},
        {"sed", "seed"},
        {"reed", "seed"},
        {"graphs", "graph"},
        {"wr", "rw"},
        {"zzzz", NULL},
        {"", NULL},
        {"x", NULL},
        {"imb", NULL},
        {"ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *nearest = mplan_nearest_word(cases[i].word, words);
        if (!cases[i].nearest)
            assert_null(nearest);
        else
            assert_string_equal(nearest, cases[i].nearest);
        assert_null(mplan_nearest_word(cases[i].word, none));
    }
}

#ifdef MPLAN_HAVE_YAML

static mplan_status parse(const char *text, mplan_job **job, mplan_error *err)
{
    return mplan_job_parse((const uint8_t *)text, strlen(text), "job.yaml", "", job, err);
}

/* The example of the manual. */
static const char example[] =
    "meshplan: 1\n"
    "mesh: wing.msh\n"
    "sets: {edges: 2877600, cells: 1440000}          # or inferred from the maps\n"
    "maps: [{name: edges_cells, from: edges, to: cells, file: ec.npy, base: 0, none: -1}]\n"
    "coordinates: [{set: cells, file: /data/xyz.npy}]\n"
    "loops:\n"
    "  - name: res_calc\n"
    "    over: faces\n"
    "    primary: true\n"
    "    calls: 2\n"
    "    flops: 100\n"
    "    args:\n"
    "      - {dat: x,   map: faces_nodes, access: read, dim: 2, type: f64}\n"
    "      - {dat: q,   map: faces_cells, access: read, dim: 4, type: f32, none: skip}\n"
    "      - {dat: res, map: faces_cells, access: inc,  dim: 4, type: i64, none: split}\n"
    "  - {name: update, over: cells, args: [{dat: q, access: rw, dim: 4, type: f64}]}\n"
    "plan: {block_size: 128, strategy: [atomic, two-step], partitioner: scotch, renumber: rcm,\n"
    "       max_points: 1000, shared_bytes: 4096, imbalance: 1.1, graph: faces,\n"
    "       keep_order: never, point_order: count, device: a100, seed: 42,\n"
    "       allow_nondeterministic: true, sums: colour, encoding: index16, block_threads: 96,\n"
    "       effort: best, fill: 0.9}\n"
    "parts: 8x4\n"
    "cut: metis\n"
    "output: out/wing.mplan\n";

static void test_example(void **state)
{
    (void)state;
    mplan_error err;
    mplan_job *job = NULL;
    assert_done(mplan_job_parse((const uint8_t *)example, sizeof example - 1, "a/b/job.yaml",
                                "a/b/", &job, &err),
                &err);
    assert_string_equal(job->mesh, "a/b/wing.msh");
    assert_string_equal(job->output, "a/b/out/wing.mplan");
    assert_string_equal(job->parts, "8x4");
    assert_string_equal(job->cut, "metis");
    assert_int_equal(job->n_sets, 2);
    assert_string_equal(job->sets[1].name, "cells");
    assert_int_equal(job->sets[0].size, 2877600);
    assert_int_equal(job->n_tables, 1);
    const mplan_table_options *table = job->tables[0].options;
    assert_string_equal(job->tables[0].file, "a/b/ec.npy");
    assert_string_equal(table->name, "edges_cells");
    assert_string_equal(table->from, "edges");
    assert_string_equal(table->to, "cells");
    assert_int_equal(table->struct_size, sizeof *table);
    assert_true(table->has_none && table->none == -1 && table->base == 0 && table->to_size == -1);
    assert_true(!table->none_below_base && !table->transposed);
    assert_int_equal(job->n_coordinates, 1);
    assert_string_equal(job->coordinates[0].file, "/data/xyz.npy");
    assert_int_equal(job->n_loops, 2);
    const mplan_loop *loop = &job->loops[0];
    assert_string_equal(loop->name, "res_calc");
    assert_string_equal(loop->over, "faces");
    assert_true(loop->primary && loop->calls == 2 && loop->flops == 100 && loop->n_args == 3);
    assert_string_equal(loop->args[0].map, "faces_nodes");
    assert_true(loop->args[0].access == MPLAN_READ && loop->args[0].dim == 2);
    assert_true(loop->args[1].type == MPLAN_TYPE_F32 && loop->args[1].none == MPLAN_NONE_SKIP);
    assert_true(loop->args[2].access == MPLAN_INC && loop->args[2].none == MPLAN_NONE_SPLIT);
    assert_true(loop->args[2].type == MPLAN_TYPE_I64);
    loop = &job->loops[1];
    assert_true(!loop->primary && loop->calls == 1 && loop->flops == 0 && loop->n_args == 1);
    assert_null(loop->args[0].map);
    assert_int_equal(loop->args[0].access, MPLAN_RW);
    const mplan_plan_options *o = job->options;
    assert_true(o->block_size == 128 && o->max_points == 1000 && o->shared_bytes == 4096);
    assert_true(o->n_strategies == 2 && o->strategies[0] == MPLAN_STRATEGY_ATOMIC &&
                o->strategies[1] == MPLAN_STRATEGY_TWO_STEP);
    assert_true(o->partitioner == MPLAN_PARTITIONER_SCOTCH && o->imbalance == 1.1);
    assert_true(o->effort == MPLAN_EFFORT_BEST && o->fill == 0.9);
    assert_true(o->allow_nondeterministic && o->sums == MPLAN_SUMS_COLOUR &&
                o->encoding == MPLAN_ENCODING_INDEX16 && o->block_threads == 96);
    assert_true(o->graph == MPLAN_GRAPH_FACES && o->renumber == MPLAN_RENUMBER_RCM);
    assert_true(!o->keep_better && o->point_order == MPLAN_POINTS_COUNT && o->seed == 42);
    assert_string_equal(o->device, "a100");
    mplan_job_free(job);
}

#define LOOP "loops: [{name: a, over: e, args: [{dat: x, access: read}]}]\n"
#define EDGE_LOOP "loops: [{name: a, over: edges, args: [{dat: x, access: read}]}]\n"

static void test_defaults(void **state)
{
    (void)state;
    const mplan_plan_options defaults = MPLAN_PLAN_OPTIONS_INIT;
    static const char *const texts[] = {
        "meshplan: 1\nmesh: m\n" LOOP,
        "{\"meshplan\": 1, \"mesh\": \"m\", \"loops\": [{\"name\": \"a\", \"over\": \"e\", "
        "\"args\": [{\"dat\": \"x\", \"access\": \"read\"}]}]}",
        "meshplan: 1\nmesh: m\nplan: {strategy: auto, encoding: auto, sums: partial, partitioner: auto,\n"
        "       point_order: auto, block_threads: 0, allow_nondeterministic: false}\n" LOOP,
        "meshplan: 1\nmesh: m\nplan: {strategy: [auto]}\n" LOOP,
        "--- # a comment\nmesh: 'm'\nplan: {}\nsets: {}\nmaps: []\nmeshplan: 1\n" LOOP "...\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mplan_error err;
        mplan_job *job = NULL;
        assert_done(parse(texts[i], &job, &err), &err);
        assert_string_equal(job->mesh, "m");
        assert_null(job->output);
        assert_int_equal(job->n_tables, 0);
        assert_int_equal(job->n_loops, 1);
        const mplan_arg *arg = &job->loops[0].args[0];
        assert_true(arg->dim == 1 && arg->type == MPLAN_TYPE_F64 && !arg->map);
        const mplan_plan_options *o = job->options;
        assert_int_equal(o->struct_size, defaults.struct_size);
        assert_int_equal(o->block_size, defaults.block_size);
        assert_int_equal(o->max_points, defaults.max_points);
        assert_int_equal(o->shared_bytes, defaults.shared_bytes);
        assert_int_equal(o->n_strategies, defaults.n_strategies);
        assert_int_equal(o->allow_nondeterministic, defaults.allow_nondeterministic);
        assert_int_equal(o->sums, defaults.sums);
        assert_int_equal(o->encoding, defaults.encoding);
        assert_int_equal(o->block_threads, defaults.block_threads);
        assert_int_equal(o->partitioner, defaults.partitioner);
        assert_true(o->imbalance == defaults.imbalance && o->fill == defaults.fill);
        assert_int_equal(o->effort, defaults.effort);
        assert_int_equal(o->graph, defaults.graph);
        assert_int_equal(o->renumber, defaults.renumber);
        assert_int_equal(o->keep_better, defaults.keep_better);
        assert_int_equal(o->point_order, defaults.point_order);
        assert_string_equal(o->device, defaults.device);
        assert_int_equal(o->seed, defaults.seed);
        mplan_job_free(job);
    }
    mplan_job_free(NULL);
}

static void test_one_strategy(void **state)
{
    (void)state;
    mplan_error err;
    mplan_job *job = NULL;
    assert_done(parse("meshplan: 1\nmaps: [{file: e_p.txt, none: below-base, base: 1, "
                      "transposed: true}]\nplan: {strategy: two-step, keep_order: better}\n" LOOP,
                      &job, &err),
                &err);
    assert_int_equal(job->options->n_strategies, 1);
    assert_int_equal(job->options->strategies[0], MPLAN_STRATEGY_TWO_STEP);
    assert_true(job->options->keep_better);
    const mplan_table_options *table = job->tables[0].options;
    assert_true(table->none_below_base && !table->has_none && table->transposed && table->base == 1);
    assert_null(table->name);
    mplan_job_free(job);
}

#define HEAD "meshplan: 1\nmesh: m\n"
#define ARG(text) HEAD "loops: [{name: a, over: e, args: [" text "]}]\n"

static const struct {
    const char *text, *part;
} refusals[] = {
    {"", "job.yaml:1:1: the file is empty"},
    {"# nothing\n", "the file is empty"},
    {"hello\n", "job.yaml:1:1: this is not a job"},
    {"- 1\n", "this is not a job"},
    {"mesh: m\n", "has no key 'meshplan'"},
    {"meshplan: one\n", "job.yaml:1:11: expected a whole number for meshplan, found 'one'"},
    {"meshplan: 0\n", "meshplan is 0, but must be at least 1"},
    {"meshplan: 1\nmesh: m\n", "a job must have the key 'loops'"},
    {"meshplan: 1\n" LOOP, "neither 'mesh' nor 'maps'"},
    {HEAD "loops: []\n", "job.yaml:3:8: a job must have at least one loop"},
    {HEAD "loops: {}\n", "expected a list for loops, found a mapping"},
    {HEAD "loops:\n", "expected a list for loops, found nothing"},
    {HEAD "loops: [a]\n", "expected a mapping (key: value) for a loop, found 'a'"},
    {HEAD "loops: [{over: e, args: []}]\n", "a loop must have the key 'name'"},
    {HEAD "loops: [{name: a, args: []}]\n", "a loop must have the key 'over'"},
    {HEAD "loops: [{name: a, over: e}]\n", "a loop must have the key 'args'"},
    {HEAD "loops: [{name: , over: e, args: []}]\n", "expected a text for name, found nothing"},
    {HEAD "loops: [{name: [], over: e, args: []}]\n", "expected a text for name, found a list"},
    {HEAD "loops: [{name: a, over: e, args: []}, {name: a, over: e, args: []}]\n",
     "there is already a loop 'a', in line 3"},
    {HEAD "loops: [{name: a, over: e, args: [], primary: true},\n"
          " {name: b, over: e, args: [], primary: true}]\n",
     "job.yaml:4:40: loop 'a' is already primary"},
    {HEAD "loops: [{name: a, over: e, args: [], primary: maybe}]\n",
     "expected true or false for primary, found 'maybe'"},
    {HEAD "loops: [{name: a, over: e, args: [], calls: 0}]\n", "calls is 0, but must be at least"},
    {HEAD "loops: [{name: a, over: e, args: [], calls: \"2\"}]\n",
     "expected a whole number for calls, found '2'"},
    {HEAD "loops: [{name: a, over: e, args: [], calls: 2.5}]\n", "found '2.5'"},
    {HEAD "mesh: n\n", "job.yaml:3:1: key 'mesh' is given twice"},
    {HEAD "mish: n\n", "job.yaml:3:1: unknown key 'mish'; did you mean 'mesh'?"},
    {HEAD "colour: red\n",
     "unknown key 'colour'; a job has meshplan, mesh, zone, sets, maps, coordinates, loops, "
     "layers, step, plan, parts, cut, cut_ranks, output"},
    {HEAD LOOP "plan:\n  block_size: 8\n  strateggy: atomic\n",
     "job.yaml:6:3: unknown key 'strateggy'; did you mean 'strategy'?"},
    {HEAD "plan: 3\n", "expected a mapping (key: value) for plan, found '3'"},
    {HEAD "plan: {strategy: best}\n",
     "job.yaml:3:18: strategy: unknown word 'best'; known: auto, global-colour, block-colour, two-step, "
     "atomic"},
    {HEAD "plan: {strategy: [atomic, block-color]}\n",
     "job.yaml:3:27: strategy: unknown word 'block-color'; did you mean 'block-colour'? known: "},
    {HEAD "plan: {strategy: [atomic, auto]}\n",
     "job.yaml:3:27: strategy: 'auto' must be the only word"},
    {HEAD "plan: {strategy: [auto, atomic]}\n", "'auto' must be the only word"},
    {HEAD "plan: {strategy: block-gathr}\n", "did you mean 'block-gather'?"},
    {HEAD "plan: {sums: all}\n", "sums: unknown word 'all'; known: partial, atomic, colour"},
    {HEAD "plan: {encoding: none}\n",
     "encoding: unknown word 'none'; known: auto, index32, index16, pair32"},
    {HEAD "plan: {block_threads: 1025}\n",
     "block_threads must be 0 or a multiple of 32 between 32 and 1024, not 1025"},
    {HEAD "plan: {allow_nondeterministic: 1}\n", "expected true or false for allow_nondet"},
    {HEAD "plan: {strategy: []}\n", "the list of strategies is empty"},
    {HEAD "plan: {strategy: [atomic, atomic]}\n", "strategy: 'atomic' is given twice"},
    {HEAD "plan: {strategy: [[atomic]]}\n",
     "expected a word or a number for a strategy, found a list"},
    {HEAD "plan: {partitioner: kway}\n",
     "partitioner: unknown word 'kway'; known: auto, none, metis, scotch, hilbert, native"},
    {HEAD "plan: {effort: most}\n", "effort: unknown word 'most'"},
    {HEAD "plan: {fill: 1.5}\n", "fill must be above 0 and at most 1, not 1.5"},
    {HEAD "plan: {renumber: gsp}\n", "renumber: unknown word 'gsp'; did you mean 'gps'?"},
    {HEAD "plan: {graph: x}\n", "graph: unknown word 'x'; known: auto, points, faces"},
    {HEAD "plan: {point_order: {}}\n", "expected a word or a number for point_order, found a mapping"},
    {HEAD "plan: {keep_order: always}\n", "keep_order: unknown word 'always'; known: never, better"},
    {HEAD "plan: {device: h300}\n", "device: unknown word 'h300'; did you mean 'h100'?"},
    {HEAD "plan: {block_size: -1}\n", "block_size must be 0 or 1 to 1024, not -1"},
    {HEAD "plan: {block_size: 1025}\n", "block_size must be 0 or 1 to 1024, not 1025"},
    {HEAD "plan: {block_size: 99999999999999999999}\n", "must be 0 or 1 to 1024, not 9999"},
    {HEAD "plan: {block_size: 0x10}\n", "must be a whole number, not '0x10'"},
    {HEAD "plan: {max_points: 65536}\n", "max_points must be 0 or 1 to 65535, not 65536"},
    {HEAD "plan: {shared_bytes: -1}\n", "shared_bytes must be 0 or more, not -1"},
    {HEAD "plan: {imbalance: 0.99}\n", "imbalance must be 1 to 1024, not 0.99"},
    {HEAD "plan: {imbalance: nan}\n", "imbalance must be a number, not 'nan'"},
    {HEAD "plan: {imbalance: much}\n", "imbalance must be a number, not 'much'"},
    {HEAD "plan: {seed: -1}\n", "seed must be 0 or more, not -1"},
    {ARG("{access: read}"), "an arg must have the key 'dat'"},
    {ARG("{dat: x}"), "an arg must have the key 'access'"},
    {ARG("{dat: x, access: reed}"), "unknown access 'reed'; did you mean 'read'?"},
    {ARG("{dat: x, access: read, map: m, dim: 2}"),
     "job.yaml:3:35: arg 'x' goes through map 'm' and must have the key 'type'"},
    {ARG("{dat: x, access: read, map: m, type: f64}"), "must have the key 'dim'"},
    {ARG("{dat: x, access: read, dim: 0}"), "dim is 0"},
    {ARG("{dat: x, access: read, type: f65}"), "did you mean 'f64'?"},
    {ARG("{dat: x, access: read, none: skip}"), "arg 'x' has no map, so 'none' has no meaning"},
    {HEAD "sets: [a]\n", "expected a mapping (key: value) for sets, found a list"},
    {HEAD "sets: {a: 1, a: 2}\n", "job.yaml:3:14: set 'a' is given twice"},
    {HEAD "sets: {a: 2147483647}\n", "the size of a set is 2147483647, but must be at most"},
    {HEAD "sets: {a: x}\n", "expected a whole number for the size of a set, found 'x'"},
    {HEAD "sets: {'': 1}\n", "a set needs a name"},
    {HEAD "sets: {[a]: 1}\n", "a key must be a word"},
    {HEAD "maps: [{name: a_b}]\n", "a map must have the key 'file'"},
    {HEAD "maps: [{file: a}, {file: b, name: c}, {file: d, name: c}]\n", "there is already a map 'c'"},
    {HEAD "maps: [{file: a, base: 2}]\n", "base is 2, but must be at most 1"},
    {HEAD "maps: [{file: a, none: belowbase}]\n",
     "unknown none 'belowbase'; did you mean 'below-base'?"},
    {HEAD "maps: [{file: a, none: []}]\n", "expected a whole number for none, found a list"},
    {HEAD "maps: [{file: a, transposed: 1}]\n", "expected true or false for transposed"},
    {HEAD "maps: [{file: a, transposed: yes}]\n", "found 'yes'"}, /* YAML 1.1 only */
    {HEAD "maps: [{file: a, size: 1}]\n", "unknown key 'size'"},
    {HEAD "coordinates: [{set: a}]\n", "an item of coordinates must have the key 'file'"},
    {HEAD "coordinates: [{set: a, file: b}, {set: a, file: c}]\n",
     "there is already an item for set 'a'"},
    {HEAD "output: ~\n", "expected a text for output, found '~'"},
    {HEAD "output: &x a\n", "job.yaml:3:9: anchors (&name) are not supported"},
    {HEAD "output: *x\n", "aliases (*name) are not supported"},
    {HEAD "output: !!str a\n", "tags (!name) are not supported"},
    {HEAD "output: \"a\\0b\"\n", "zero character"},
    {HEAD "plan: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\n", "nested too deeply"},
    {HEAD "output: [a\n", "job.yaml:4:1: no YAML: "},
    {HEAD "\tx: 1\n", "job.yaml:3:1: no YAML: "},
    {HEAD "output: \x80\xff\n", "not valid text"},
    {HEAD LOOP "---\n" HEAD, "a second one begins"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        mplan_error err;
        mplan_job *job = NULL;
        mplan_status status = parse(refusals[i].text, &job, &err);
        if (status != MPLAN_ERR_CORRUPT || !strstr(err.text, refusals[i].part))
            print_message("in: %s\n", refusals[i].text);
        assert_refused(status, MPLAN_ERR_CORRUPT, &err, refusals[i].part);
        assert_null(job);
        assert_memory_equal(err.text, "job.yaml:", 9);
        assert_int_equal(parse(refusals[i].text, &job, NULL), MPLAN_ERR_CORRUPT);
    }
}

static void test_too_new(void **state)
{
    (void)state;
    mplan_error err;
    mplan_job *job = NULL;
    assert_refused(parse("future: yes\nmeshplan: 2\n", &job, &err), MPLAN_ERR_TOO_NEW, &err,
                   "job.yaml:2:11: this is a job of version 2; only version 1 is supported");
    assert_int_equal(err.status, MPLAN_ERR_TOO_NEW);
}

static void test_too_long(void **state)
{
    (void)state;
    mplan_error err;
    mplan_job *job = NULL;
    enum { MANY = 5000 };
    char *text = malloc(MANY * 8 + 64);
    size_t at = (size_t)sprintf(text, HEAD "loops: [");
    for (int i = 0; i < MANY; i++)
        at += (size_t)sprintf(text + at, "a,");
    sprintf(text + at, "]\n");
    assert_refused(parse(text, &job, &err), MPLAN_ERR_CORRUPT, &err, "too long for a job");
    free(text);
}

/* Whatever the bytes, an answer and no crash. */
static void test_damaged(void **state)
{
    (void)state;
    static const char replacements[] = " \n\t:,-[]{}'\"#&*!|>%@~09azZ\\\x80\xff";
    uint64_t seed = 4;
    for (int i = 0; i < 3000; i++) {
        mplan_error err;
        mplan_job *job = NULL;
        char text[sizeof example];
        size_t size = (size_t)(support_random(&seed, 2)
                                   ? sizeof example - 1
                                   : (size_t)support_random(&seed, sizeof example));
        memcpy(text, example, sizeof example);
        for (int64_t k = support_random(&seed, 4); k > 0 && size; k--)
            text[support_random(&seed, (int64_t)size)] =
                replacements[support_random(&seed, sizeof replacements)];
        mplan_status status = mplan_job_parse((const uint8_t *)text, size, "j", "", &job, &err);
        assert_true(status == MPLAN_OK || status == MPLAN_ERR_CORRUPT || status == MPLAN_ERR_TOO_NEW);
        assert_int_equal(status == MPLAN_OK, job != NULL);
        mplan_job_free(job);
    }
}

/* --- the mesh of a job ------------------------------------------------------------- */

static mplan_status load(const char *text, mplan_mesh **mesh, mplan_error *err)
{
    mplan_job *job = NULL;
    const char *path = put_text("job.yaml", text);
    assert_done(mplan_job_read(path, NULL, &job, err), err);
    mplan_status status = mplan_job_load_mesh(job, NULL, mesh, err);
    mplan_job_free(job);
    return status;
}

static void test_mesh_of_tables(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = NULL;
    int32_t dimension;
    put_text("ec.txt", "1 2\n2 3\n3 0\n");
    put_text("xyz.csv", "x,y\n0,0\n1,0\n1,0.5\n");
    put_text("whole.csv", "x,y\n0,0\n1,0\n1,5\n");
    assert_done(load("meshplan: 1\nsets: {cells: 3, lonely: 7}\n"
                     "maps: [{name: edges_cells, file: ec.txt, base: 1, none: 0}]\n"
                     "coordinates: [{set: cells, file: xyz.csv}]\n" EDGE_LOOP,
                     &mesh, &err),
                &err);
    assert_int_equal(mplan_mesh_n_sets(mesh), 3);
    assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "edges")).size, 3);
    assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "lonely")).size, 7);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "edges_cells"));
    static const int32_t expected[6] = {0, 1, 1, 2, 2, -1};
    assert_memory_equal(map.values, expected, sizeof expected);
    const double *x = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "cells"), &dimension);
    assert_int_equal(dimension, 2);
    assert_true(x[5] == 0.5);
    mplan_mesh_free(mesh);
    mesh = NULL;
    assert_done(load("meshplan: 1\nmaps: [{name: edges_cells, file: ec.txt, base: 1, none: 0}]\n"
                     "coordinates: [{set: cells, file: whole.csv}]\n" EDGE_LOOP,
                     &mesh, &err),
                &err);
    x = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "cells"), &dimension);
    assert_true(x[5] == 5);
    mplan_mesh_free(mesh);
}

static void test_mesh_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mplan_status status;
        const char *part;
    } cases[] = {
        {"meshplan: 1\nmesh: missing.msh\n" LOOP, MPLAN_ERR_NO_INPUT, "/missing.msh"},
        {"meshplan: 1\nmaps: [{file: missing.npy}]\n" LOOP, MPLAN_ERR_NO_INPUT, "/missing.npy"},
        {"meshplan: 1\nmaps: [{file: edges_cells.txt}]\n"
         "coordinates: [{set: nodes, file: xyz.csv}]\n" LOOP,
         MPLAN_ERR_CORRUPT, "set 'nodes', which the mesh does not have; it has edges, cells"},
        {"meshplan: 1\nsets: {edges: 4}\nmaps: [{file: edges_cells.txt}]\n" LOOP, MPLAN_ERR_MESH,
         "has 3 rows, but set 'edges' has 4 members"},
        {"meshplan: 1\nsets: {cells: 3}\nmaps: [{file: edges_cells.txt, base: 0}]\n" LOOP,
         MPLAN_ERR_MESH, "row 2, column 2: 3 is out of range: set 'cells' has 3 members"},
    };
    put_text("edges_cells.txt", "1 2\n2 3\n3 0\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mplan_error err;
        mplan_mesh *mesh = NULL;
        assert_refused(load(cases[i].text, &mesh, &err), cases[i].status, &err, cases[i].part);
        assert_null(mesh);
    }
    mplan_error err;
    mplan_job *job = NULL;
    assert_refused(mplan_job_read("/nonexistent/job.yaml", NULL, &job, &err), MPLAN_ERR_NO_INPUT,
                   &err, "/nonexistent/job.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_word),   cmocka_unit_test(test_example),
        cmocka_unit_test(test_defaults),       cmocka_unit_test(test_one_strategy),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_too_new),
        cmocka_unit_test(test_too_long),       cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_mesh_of_tables), cmocka_unit_test(test_mesh_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

#else

static void test_no_libyaml(void **state)
{
    (void)state;
    mplan_error err;
    mplan_job *job = NULL;
    assert_refused(mplan_job_read("job.yaml", NULL, &job, &err), MPLAN_ERR_UNSUPPORTED, &err,
                   "no libyaml");
    mplan_job_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest_word),
                                       cmocka_unit_test(test_no_libyaml)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
