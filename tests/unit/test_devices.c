/* SPDX-License-Identifier: Apache-2.0 */
/* test_devices.c - profiles of devices: ours, those of files, the host's, and what plans say of them */
#include "support_test.h"

#include <math.h>
#include <unistd.h>

#include "pipeline/cost_host.h"
#include "pipeline/device_file.h"
#include "plan/plan.h"

static const char GOOD[] =
    "# a profile\n---\nname: mine-1\nversion: 3\nshared_bytes: 65536\nmax_threads: 1024\n"
    "processors: 100\nprocessor_threads: 2048\nprocessor_shared_bytes: 131072\n"
    "l2_bytes: 41943040\nwarp: 32\ncopy_rate: 2.5e12  # bytes a second\nflop_rate: 9e12\n"
    "atomic_rate: 1e11\nshared_rate: 5e11\nl2_rate: 4e12\n";

static char path[] = "/tmp/meshplan-device-XXXXXX.yaml";

static void put(const char *text)
{
    mplan_error err;
    assert_done(mplan_file_write(path, text, strlen(text), NULL, &err), &err);
}

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemps(path, 5);
    return fd < 0 || close(fd) != 0;
}

static int drop_path(void **state)
{
    (void)state;
    return unlink(path);
}

/* All profiles have rates, a version and a source; only what was measured says so. */
static void profiles_are_whole(void **state)
{
    (void)state;
    mplan_device device;
    int n = 0, measured = 0, hosts = 0;
    for (; mplan_device_get(n, &device) == MPLAN_OK; n++) {
        assert_true(device.copy_rate > 0 && device.flop_rate > 0 && device.atomic_rate > 0 &&
                    device.shared_rate > 0 && device.l2_rate > 0 && device.version >= 1);
        assert_true(device.warp == 1 || device.warp == 32 || device.warp == 64);
        assert_non_null(device.source);
        measured += device.measured;
        hosts += device.warp == 1;
    }
    assert_int_equal(n, 12);
    assert_true(measured == 2 && hosts == 1);
}

static void a_file_is_read(void **state)
{
    (void)state;
    mplan_error err;
    mplan_device device;
    char name[MPLAN_DEVICE_NAME], line[512];
    put(GOOD);
    assert_done(mplan_device_read(path, NULL, &device, name, &err), &err);
    assert_string_equal(device.name, "mine-1");
    assert_true(device.version == 3 && device.processors == 100 && device.warp == 32);
    assert_true(device.copy_rate == 2.5e12 && device.l2_rate == 4e12 && !device.measured);
    mplan_device_line(&device, line, sizeof line);
    assert_string_equal(line, "profile 3 65536 1024 100 2048 131072 41943040 32 2.5e+12 9e+12 1e+11 "
                              "5e+11 4e+12");
}

static void a_file_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } wrong[] = {
        {"warp: 32", "warp: 0", ":11: 'warp' cannot be '0'"},
        {"warp: 32", "warp: 128", ":11: 'warp' cannot be '128'"},
        {"warp: 32", "wrap: 32", ":11: a profile of a device has no key 'wrap'"},
        {"warp: 32", "version: 3", ":11: key 'version' comes twice"},
        {"warp: 32", "", "lacks 'warp'"},
        {"name: mine-1", "name: a b", ":3: 'name' cannot be 'a b'"},
        {"name: mine-1", "name:", ":3: 'name' cannot be ''"},
        {"processors: 100", "processors: 1.5", ":7: 'processors' cannot be '1.5'"},
        {"copy_rate: 2.5e12", "copy_rate: nan", "'copy_rate' cannot be 'nan'"},
        {"copy_rate: 2.5e12", "copy_rate: 2.5e12 TB", "cannot be '2.5e12 TB'"},
        {"copy_rate: 2.5e12", "copy_rate: 1", "cannot be '1'"},
    };
    mplan_error err;
    mplan_device device;
    char name[MPLAN_DEVICE_NAME], text[2048];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *at = strstr(GOOD, wrong[i].from);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - GOOD), GOOD, wrong[i].to,
                 at + strlen(wrong[i].from));
        put(text);
        assert_refused(mplan_device_read(path, NULL, &device, name, &err), MPLAN_ERR_FORMAT, &err,
                       wrong[i].says);
    }
}

/* Without recomputing, and with each element once: what the host runs fastest. */
static void the_host_does_not_recompute(void **state)
{
    (void)state;
    mplan_device device, host = {0};
    for (int32_t i = 0; mplan_device_get(i, &device) == MPLAN_OK; i++)
        if (device.warp == 1)
            host = device;
    const mplan_loop_shape flux = {.elements = 2000000,
                                   .points = 1000000,
                                   .active = 1000000,
                                   .entries = 4000000,
                                   .valence_max = 4,
                                   .columns = 2,
                                   .local_columns = 2,
                                   .dimension = 2,
                                   .conflicts = true,
                                   .gathers = true,
                                   .recomputes = true,
                                   .direct_read = 16,
                                   .point_bytes = 40,
                                   .increment_bytes = 32,
                                   .added_numbers = 8,
                                   .flops = 100,
                                   .shared_bytes = 1 << 20};
    mplan_loop_choice choice = mplan_cost_choose(&flux, &host, false, 0);
    assert_int_equal(choice.strategy, MPLAN_STRATEGY_BLOCK_COLOUR);
    const double own = mplan_cost_seconds(&flux, &host, MPLAN_STRATEGY_OWNER_GATHER,
                                          MPLAN_SUMS_PARTIAL, 256);
    assert_true(own > 1.5 * choice.seconds && own < 5 * choice.seconds);
    assert_true(choice.block_size >= 512); /* small blocks cost a run for each of their thread colours */
    assert_true(mplan_cost_host_seconds(&flux, &host, MPLAN_STRATEGY_BLOCK_COLOUR, 64) >
                1.1 * mplan_cost_host_seconds(&flux, &host, MPLAN_STRATEGY_BLOCK_COLOUR, 512));
    mplan_loop_shape writes = flux;
    writes.writes = true;
    writes.gathers = writes.recomputes = false;
    assert_true(isinf(mplan_cost_host_seconds(&writes, &host, MPLAN_STRATEGY_ATOMIC, 256)));
    assert_true(isinf(mplan_cost_host_seconds(&writes, &host, MPLAN_STRATEGY_TWO_STEP, 256)));
    assert_true(isinf(mplan_cost_host_seconds(&writes, &host, MPLAN_STRATEGY_BLOCK_GATHER, 256)));
    assert_true(isinf(mplan_cost_host_seconds(&writes, &host, MPLAN_STRATEGY_OWNER_GATHER, 256)));
    assert_true(isfinite(mplan_cost_host_seconds(&writes, &host, MPLAN_STRATEGY_GLOBAL_COLOUR, 256)));
}

/* What is written is read as the same numbers, of every profile. */
static void profiles_are_written_as_files(void **state)
{
    (void)state;
    char text[1024], name[MPLAN_DEVICE_NAME], line[512], same[512];
    mplan_device device, read;
    mplan_error err;
    for (int32_t i = 0; mplan_device_get(i, &device) == MPLAN_OK; i++) {
        *mplan_device_rate(&device, MPLAN_RATE_COPY) *= 1.0 / 3;
        assert_done(mplan_device_text(&device, text, sizeof text, &err), &err);
        put(text);
        assert_done(mplan_device_read(path, NULL, &read, name, &err), &err);
        mplan_device_line(&device, line, sizeof line);
        mplan_device_line(&read, same, sizeof same);
        assert_string_equal(line, same);
        assert_string_equal(device.name, name);
        const int32_t room = (int32_t)strlen(text) + 1;
        assert_done(mplan_device_text(&device, text, room, &err), &err);
        assert_refused(mplan_device_text(&device, text, room - 1, &err), MPLAN_ERR_ARGUMENT, &err,
                       "bytes are too few");
    }
    mplan_device_get(0, &device);
    assert_string_equal(mplan_rate_name(MPLAN_RATE_L2), "l2_rate");
    assert_null(mplan_rate_name(MPLAN_N_RATES));
    assert_null(mplan_device_rate(&device, (mplan_rate)-1));
    assert_ptr_equal(mplan_device_rate(&device, MPLAN_RATE_ATOMIC), &device.atomic_rate);
    device.name = "two words";
    assert_refused(mplan_device_text(&device, text, sizeof text, &err), MPLAN_ERR_ARGUMENT, &err,
                   "a name must be");
    device.name = "fast";
    device.l2_rate = 0;
    assert_refused(mplan_device_text(&device, text, sizeof text, &err), MPLAN_ERR_ARGUMENT, &err,
                   "l2_rate cannot be 0");
}

/* The largest bound of a device's loop is its time (two-step has two kernels: at most their sum); a core's are added. */
static void a_forecast_says_what_bounds_a_loop(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh;
    const mplan_arg args[] = {{"q", "faces_cells", MPLAN_READ, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"res", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"flux", "faces", true, 1, 0, 2, args};
    mplan_generate_options size = MPLAN_GENERATE_OPTIONS_INIT;
    size.size[0] = size.size[1] = 300;
    assert_done(mplan_mesh_generate(&size, NULL, &mesh, &err), &err);
    for (int host = 0; host < 2; host++) {
        mplan_forecast *forecast;
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        options.device = host ? "cpu" : "h200";
        assert_done(mplan_plan_forecast(mesh, 1, &loop, &options, NULL, &forecast, &err), &err);
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++) {
            const double *bound = forecast->loops[0].bounds[s], due = forecast->loops[0].seconds[s];
            double most = 0, sum = bound[MPLAN_N_RATES];
            for (int r = 0; r < MPLAN_N_RATES; r++) {
                assert_true(bound[r] >= bound[MPLAN_N_RATES]);
                most = fmax(most, bound[r]);
                sum += bound[r] - bound[MPLAN_N_RATES];
            }
            if (host)
                assert_true(fabs(sum - due) <= 1e-9 * due);
            else
                assert_true(most <= due * (1 + 1e-9) && sum + bound[MPLAN_N_RATES] >= due);
            /* threads of few turns do not hide all that they wait for */
            if (!host && s == MPLAN_STRATEGY_OWNER_GATHER)
                assert_true((most == bound[MPLAN_RATE_COPY] || most == bound[MPLAN_RATE_L2]) &&
                            due <= 1.45 * most);
        }
        mplan_forecast_free(forecast);
    }
    mplan_mesh_free(mesh);
}

static mplan_plan *plan_of(const mplan_plan_options *options, mplan_mesh **mesh)
{
    mplan_error err;
    mplan_plan *plan;
    const mplan_arg args[] = {{"q", "faces_cells", MPLAN_READ, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"res", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"flux", "faces", true, 1, 0, 2, args};
    mplan_generate_options size = MPLAN_GENERATE_OPTIONS_INIT;
    size.size[0] = size.size[1] = 30;
    assert_done(mplan_mesh_generate(&size, NULL, mesh, &err), &err);
    assert_done(mplan_plan_create(*mesh, 1, &loop, options, NULL, &plan, &err), &err);
    return plan;
}

/* The numbers of a file are in the request, and the proof knows what a block may stage. */
static void plans_name_their_profile(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.device = path;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
    put(GOOD);
    mplan_plan *plan = plan_of(&options, &mesh);
    assert_non_null(strstr(mplan_plan_request(plan), "\ndevice mine-1\n"));
    assert_non_null(strstr(mplan_plan_request(plan), "\nprofile 3 65536 1024 "));
    assert_string_equal(plan->loops[0].variants[0].device, "mine-1");
    assert_int_equal(plan->block_sets[0].shared_bytes, 65536);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    plan->block_sets[0].shared_bytes = 65535;
    assert_int_equal(mplan_plan_verify(plan, mesh, NULL, &err), MPLAN_ERR_DISPROVED);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Where the model chose, all times, the runner-up and why; nothing where strategies were named. */
static void plans_keep_the_models_view(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan = plan_of(&options, &mesh);
    const mplan_plan_variant *own = &plan->loops[0].variants[0];
    assert_true(own->predicted_ns > 0 && own->runner_up > 0 && own->runner_up_ns >= own->predicted_ns);
    assert_int_equal(own->reason, MPLAN_REASON_FASTEST);
    assert_int_equal(own->permille[own->strategy], 1000);
    const double next = (double)own->permille[own->runner_up - 1] / 1000 * (double)own->predicted_ns;
    assert_true(fabs(next - (double)own->runner_up_ns) < 2e-3 * (double)own->runner_up_ns);
    for (int s = 0; s < MPLAN_N_PREDICTED; s++)
        assert_true(own->permille[s] > 0);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    options.sums_order = MPLAN_SUMS_ORDER_MESH;
    options.device = "cpu"; /* block-colour would be faster, but cannot add so */
    plan = plan_of(&options, &mesh);
    assert_int_equal(plan->loops[0].variants[0].reason, MPLAN_REASON_SUMS_ORDER);
    assert_int_equal(plan->loops[0].variants[0].strategy, MPLAN_STRATEGY_TWO_STEP);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
    options.sums_order = MPLAN_SUMS_ORDER_AUTO;
    plan = plan_of(&options, &mesh);
    assert_false(mplan_plan_has_variants2(plan));
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_are_whole),
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_file_that_does_not_fit_is_refused),
        cmocka_unit_test(the_host_does_not_recompute),
        cmocka_unit_test(profiles_are_written_as_files),
        cmocka_unit_test(a_forecast_says_what_bounds_a_loop),
        cmocka_unit_test(plans_name_their_profile),
        cmocka_unit_test(plans_keep_the_models_view),
    };
    return cmocka_run_group_tests(tests, make_path, drop_path);
}
