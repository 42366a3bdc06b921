/* SPDX-License-Identifier: Apache-2.0 */
/* apps.h - the applications and measurements behind `meshplan run`
 *
 * A part of the command, not of a library: its names may change. Functions refuse NULL as public ones do. */
#ifndef MPLAN_APPS_H
#define MPLAN_APPS_H

#include "exec/meshplan_ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loop of an application. Sets and maps are named with "faces" where the mesh's
 * own name of its faces belongs (mplan_mesh_faces_name), maps with "patch" where the set of the loop does. */
typedef struct mplan_app_loop {
    const char *name, *over;
    const mplan_kernel *host, *device; /* device NULL without CUDA */
    int64_t flops, calls;
    bool primary;
} mplan_app_loop;

typedef struct mplan_app mplan_app; /* opaque beyond these accessors */
/* Application i; NULL past the last. */
MPLAN_API const mplan_app *mplan_app_get(int32_t i);
MPLAN_API const mplan_app *mplan_app_find(const char *name);
MPLAN_API const char *mplan_app_name(const mplan_app *app);
/* One sentence, and the cells it wants ("quads", "any", ...). */
MPLAN_API const char *mplan_app_description(const mplan_app *app);
/* Whether it runs time steps of several loops; else launches of one. */
MPLAN_API bool mplan_app_makes_steps(const mplan_app *app);
/* Null when the mesh serves the application, else why not. */
MPLAN_API mplan_status mplan_app_accepts(const mplan_app *app, const mplan_mesh *mesh,
                                         mplan_error *err);
/* Adds to an accepted mesh what the application needs, such as a group of what is in none; before its loops are asked
 * for, once for each mesh. */
MPLAN_API mplan_status mplan_app_prepare(const mplan_app *app, mplan_mesh *mesh,
                                         const mplan_context *context, mplan_error *err);
/* The loops as a request for mplan_plan_create, named for this mesh; freed as one. */
MPLAN_API mplan_status mplan_app_request(const mplan_app *app, const mplan_mesh *mesh,
                                         mplan_loop **loops, int32_t *n_loops, mplan_error *err);
MPLAN_API void mplan_app_request_free(mplan_loop *loops, int32_t n_loops);

/* Whether it can be run with a limited device memory: it has a time step of loops that a plan may know. */
MPLAN_API bool mplan_app_has_step(const mplan_app *app);
/* The time step for mplan_plan_options: *n entries, their loops, and the args whose dats are set to zero before (-1: none), n numbers
 * behind n numbers in one piece, which is freed with free(). *step NULL: the application cannot be run with a limited device
 * memory. */
MPLAN_API mplan_status mplan_app_time_step(const mplan_app *app, const mplan_loop *loops,
                                           int32_t **step, int32_t *n, mplan_error *err);

/* What the loops of an application with layers have of them, for mplan_plan_options; *out is NULL for others. layers: of
 * each column. columns: the order of all levels; OWNER: of the matrix, where there is one. Freed with free(); loops must
 * outlive it. */
MPLAN_API mplan_status mplan_app_layers(const mplan_app *app, const mplan_loop *loops, int32_t layers,
                                        mplan_columns columns, mplan_layers **out, mplan_error *err);

/* Pointers are the caller's and must live as long as the call. The results depend on the seed only where data are
 * random. */
typedef struct mplan_app_options {
    size_t struct_size;
    const mplan_exec_options *exec; /* NULL: defaults */
    int32_t variant;                /* of every loop that has it; -1: the default */
    int64_t iterations;             /* airfoil: time steps; else launches checked for equal bits */
    int32_t repeats;                /* timed replays, the median is reported; 0: no timing */
    bool check;                     /* against the mesh's own order, and the hand-computed case */
    uint64_t seed;
    int32_t layout; /* of all dats, a mplan_layout; -1: as the plan advises */
    /* Parts on ranks of this process: then the plan is that of a part of the bundle. NULL: one plan. In applications of one
     * loop, dats of the set that is summed to count as changed before each launch, so that each launch exchanges their halos. */
    const mplan_bundle *bundle;
    const mplan_rank_options *ranks;
    bool in_memory; /* where device memory is limited: compare with the same steps in memory */
    const char *turn; /* where device memory is limited: a file that is locked while steps are made; NULL: none */
} mplan_app_options;
#define MPLAN_APP_OPTIONS_INIT                                                         \
    {                                                                                  \
        sizeof(mplan_app_options), NULL, -1, 1, 7, true, 1, -1, NULL, NULL, true, NULL \
    }

/* Filled as far as the run came; whole also where it ends with MPLAN_ERR_DISPROVED. */
typedef struct mplan_app_result {
    double error;        /* largest ||a - b|| / ||b|| over the dats written; -1: not checked */
    bool equal_bits;     /* of all iterations' results; true where one was run */
    uint64_t bits;       /* fingerprint of the results that were checked, each dat in the mesh's
                            order; 0: not checked */
    double microseconds; /* median of one launch (airfoil: of one time step); 0: not timed */
    double useful_bytes; /* each dat once, incremented or rw ones twice, each map once, int32 */
    double bandwidth;    /* bytes per second */
    double copy_rate;    /* measured in the same run */
    double rms[4];       /* airfoil: after 100, 200, 500 and 1000 iterations; 0: not reached */
    double residual;     /* airfoil: rms after the last */
    /* of a bundle: what exchange_steps launches (airfoil: time steps) exchange between all ranks; ranks 0: no bundle */
    int32_t ranks, parts;
    int32_t exchange_steps; /* 1; with rings so many that the next ones exchange the same again */
    int32_t visit_steps; /* of parts with a limited device memory: steps of a visit, of each of them; else 0 */
    char transport[64]; /* that moved the bytes */
    int64_t exchanges, messages, message_bytes, copied_bytes;
    int64_t inside_exchanges; /* of the exchanges: those that loops' own kernels make */
    /* of runs with a limited device memory: */
    bool same_in_memory; /* steps with all dats in memory were made, and gave equal bits */
    double in_memory_microseconds; /* of such a step, with the same plan; 0: not timed */
    int32_t launch_streams;        /* of a visit, as they ran; 0: none did */
} mplan_app_result;

/* Runs an application on a plan of its request and the mesh of the plan. The reference
 * of `error` is the kernel run over the mesh's own maps in the mesh's order.
 * MPLAN_ERR_DISPROVED, with the result filled, when the error is above 1e-12 (volna,
 * in f32: 1e-5), a deterministic variant gave other bits, or airfoil's residuals on its
 * published mesh are not the published ones; MPLAN_ERR_INTERNAL when a kernel fails its
 * case computed by hand. */
MPLAN_API mplan_status mplan_app_run(const mplan_app *app, const mplan_mesh *mesh,
                                     const mplan_plan *plan, const mplan_app_options *options,
                                     mplan_app_result *result, mplan_error *err);

/* --- measurements -------------------------------------------------------------- */

/* Bytes per second, read plus written, of a large copy within the device's
 * memory, median of 7; on the host of memcpy. */
MPLAN_API mplan_status mplan_app_copy_rate(mplan_exec *exec, double *rate, mplan_error *err);
/* The profile of the machine at hand for the cost model (mplan_device): of a CUDA device, or of one core of the host,
 * which has the limits of the profile `cpu`. Takes a second or two; nothing else should run. device->name points to name,
 * `size` bytes (32 hold every name). MPLAN_ERR_DEVICE, MPLAN_ERR_UNSUPPORTED without a device. */
MPLAN_API mplan_status mplan_app_device_profile(const mplan_exec_options *options,
                                                mplan_device *device, char *name, int32_t size,
                                                mplan_error *err);
/* Reads a plan file and brings all its arrays to the device, checksums included,
 * and drops them again: seconds and bytes, for the record. */
MPLAN_API mplan_status mplan_app_load_rate(const char *path, int32_t device, double *seconds,
                                           int64_t *bytes, mplan_error *err);

/* --- dats in files ---------------------------------------------------------------- */

/* Turns rows of a dat in the mesh's order (an .npy array: first dimension the members of its set, then levels and
 * components) into the image that mplan_exec_adopt takes, one dimension: places in stored order, in the layout that the
 * plan advises, levels in the dat's order of columns; rows of a matrix by owner where its owner reads them. inverse: an
 * image into rows. *numbers: of the image, inverse: of rows. */
MPLAN_API mplan_status mplan_app_apply_dat(const mplan_plan *plan, const char *dat, const char *in,
                                           const char *out, bool inverse,
                                           const mplan_context *context, int64_t *numbers,
                                           mplan_error *err);

/* --- tuning: one loop under several plans, measured in turns ---------------------- */

/* A loop with its kernels and data, from an application or from a shared object of the user's. */
typedef struct mplan_tune mplan_tune;

/* Whether `meshplan tune` takes the application: it has no layers, and one loop, or several of which the first
 * is tuned (himeno). */
MPLAN_API bool mplan_tune_takes(const mplan_app *app);
/* The loop of such an application on the random data of `run`. request: of mplan_app_request; it and the mesh must
 * outlive *tune. MPLAN_ERR_UNSUPPORTED for other applications. */
MPLAN_API mplan_status mplan_tune_of_app(const mplan_app *app, const mplan_mesh *mesh,
                                         const mplan_loop *request, uint64_t seed,
                                         mplan_tune **tune, mplan_error *err);
/* Where kernels and data of a user's loop are. */
typedef struct mplan_tune_object {
    const char *path; /* a shared object: `const mplan_kernel *meshplan_kernels(int32_t *n)` gives its kernels, host's
                         and device's in any order, and, if it is there, `const void *meshplan_parameters(const char
                         *kernel)` what launches pass to them (else zeros) */
    const char *data; /* a folder with DAT.npy for dats, rows in the mesh's order; dats without a file are ones, globals
                         too, and dats that are only incremented zeros; NULL: none has a file */
} mplan_tune_object;
/* The loop `request` by the kernels of its name. MPLAN_ERR_ARGUMENT: the object cannot be opened, lacks the symbol or a
 * kernel for the host, or a kernel does not have the args of the loop; a file has another type or shape. */
MPLAN_API mplan_status mplan_tune_of_object(const mplan_tune_object *object, const mplan_mesh *mesh,
                                            const mplan_loop *request, const mplan_context *context,
                                            mplan_tune **tune, mplan_error *err);
MPLAN_API void mplan_tune_free(mplan_tune *tune);
/* A hash of the bytes that hold the kernels: of the shared object, or of this program. */
MPLAN_API uint64_t mplan_tune_kernel_hash(const mplan_tune *tune);

/* Each plan is measured once in a round. `seconds` is for the rounds of all plans together, patience for the trial
 * of each. */
typedef struct mplan_tune_options {
    size_t struct_size;
    const mplan_exec_options *exec;
    int32_t rounds;  /* most measurements of each plan */
    double seconds;  /* no round begins after so many, but three rounds are made in any case */
    double patience; /* seconds that the trial of one plan may take */
    double tolerance; /* largest relative error of results against the mesh's own order; 0: of the application, else 1e-12
                         times the root of the number of elements, in f32 1e-4 */
} mplan_tune_options;
#define MPLAN_TUNE_OPTIONS_INIT                               \
    {                                                         \
        sizeof(mplan_tune_options), NULL, 7, 60.0, 120.0, 0.0 \
    }

/* What one plan gave. */
typedef struct mplan_tune_result {
    mplan_status status; /* MPLAN_OK: it was measured; else why it was not: */
    char reason[MPLAN_ERROR_TEXT];
    int32_t rounds; /* that count, */
    int32_t wins;   /* and in how many of them it was faster than the first plan; 0 for that */
    double median, least, most; /* microseconds of a launch, in these rounds */
    int64_t bytes;              /* that the executor holds */
    double error;               /* of one launch, against the mesh's own order */
} mplan_tune_result;

/* Runs the loop under each of n plans (their default variants) and measures them.
 *
 * Each plan is first tried in a process of its own, so that a fault, an endless loop or a number that is none ends the
 * trial only; on a device nothing must have used it in this process before. What passes is opened side by side and
 * measured in rounds: one measurement of each plan in a round, in turns, none of whose data is left in the device's
 * cache. On CUDA a round counts where the clock of the device changed by at most 3 % meanwhile, as far as its
 * management library can be asked; other rounds are made again, as many times as there are rounds.
 * results: n, of the caller's. *dropped: rounds that did not count. A plan that fails does not fail the call. */
MPLAN_API mplan_status mplan_tune_measure(const mplan_tune *tune, const mplan_tune_options *options,
                                          const mplan_context *context, int32_t n,
                                          const mplan_plan *const *plans, mplan_tune_result *results,
                                          int32_t *dropped, mplan_error *err);

/* The same in a process of its own, so that it may be done again and again. n: at most MPLAN_TUNE_MOST_APART. */
enum { MPLAN_TUNE_MOST_APART = 8 };
MPLAN_API mplan_status mplan_tune_measure_apart(const mplan_tune *tune,
                                                const mplan_tune_options *options,
                                                const mplan_context *context, int32_t n,
                                                const mplan_plan *const *plans,
                                                mplan_tune_result *results, int32_t *dropped,
                                                mplan_error *err);

/* A plan that launches the default variant of a loop with other threads and elements of a thread, as the plan of a
 * request for them would: strategies without blocks and lists, loops without layers (else MPLAN_ERR_UNSUPPORTED). `plan`
 * must outlive it. */
typedef struct mplan_tune_varied mplan_tune_varied;
MPLAN_API mplan_status mplan_tune_vary(const mplan_plan *plan, int32_t loop, int32_t threads,
                                       int32_t elements_per_thread, mplan_tune_varied **varied,
                                       mplan_error *err);
MPLAN_API const mplan_plan *mplan_tune_varied_plan(const mplan_tune_varied *varied);
MPLAN_API void mplan_tune_varied_free(mplan_tune_varied *varied);

/* What is measured on: a CUDA device, or the host. A device is asked in a process of its own. */
typedef struct mplan_tune_machine {
    char name[128];           /* "NVIDIA H200", or the processor's */
    int32_t processors;       /* multiprocessors; of the host: threads that are used */
    int32_t driver, runtime;  /* as CUDA numbers them; 0 on the host */
    int64_t memory_clock_khz; /* 0: not known */
} mplan_tune_machine;
MPLAN_API mplan_status mplan_tune_describe(const mplan_exec_options *options,
                                           const mplan_context *context,
                                           mplan_tune_machine *machine, mplan_error *err);

#ifdef __cplusplus
}
#endif

#endif
