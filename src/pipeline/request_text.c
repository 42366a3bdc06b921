/* request_text.c - the request in canonical form: a line per loop, arg and option
 *
 * Two requests with equal text give equal plans on equal meshes, so that the
 * text's fingerprint can be the key of a cache. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pipeline/pipeline.h"

/* Appends to a vector of chars; false when memory runs out. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static bool print(mplan_vector *text, mplan_error *err, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = mplan_vector_reserve(text, (int64_t)length + 1, err);
    if (room) {
        vsnprintf(room, (size_t)length + 1, format, again);
        text->count += length;
    }
    va_end(again);
    return room != NULL;
}

static bool print_loop(mplan_vector *text, const planning *plan, int32_t l, mplan_error *err)
{
    const mplan_loop *loop = plan->loops[l].loop;
    bool done = print(text, err, "loop %s over %s calls %lld flops %lld%s\n", loop->name,
                      loop->over, (long long)loop->calls, (long long)loop->flops,
                      plan->primary == l ? " primary" : "");
    for (int32_t a = 0; a < loop->n_args && done; a++) {
        const mplan_arg *arg = &loop->args[a];
        done = print(text, err, "arg %s %s%s %s %d %s %s\n", arg->dat, arg->map ? "map " : "direct",
                     arg->map ? arg->map : "", mplan_access_name(arg->access), (int)arg->dim,
                     mplan_type_name(arg->type), mplan_none_name(arg->none));
    }
    return done;
}

/* The shortest of the usual forms that reads back as the same number. */
static bool print_real(mplan_vector *text, mplan_error *err, double value)
{
    char form[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(form, sizeof form, "%.*g", digits, value);
        if (strtod(form, NULL) == value)
            break;
    }
    return print(text, err, "%s", form);
}

char *mplan_planning_request(const planning *plan, mplan_error *err)
{
    const mplan_plan_options *options = plan->options;
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    bool done = true;
    for (int32_t l = 0; l < plan->n_loops && done; l++)
        done = print_loop(&text, plan, l, err);
    done = done && print(&text, err, "block_size %d\nmax_points %d\nshared_bytes %lld\nstrategy",
                         (int)options->block_size, (int)options->max_points,
                         (long long)options->shared_bytes);
    for (int32_t s = 0; s < options->n_strategies && done; s++)
        done = print(&text, err, " %s", mplan_strategy_name(options->strategies[s]));
    done = done && print(&text, err, "\npartitioner %s\nimbalance ",
                         mplan_partitioner_name(options->partitioner)) &&
           print_real(&text, err, options->imbalance);
    done = done &&
           print(&text, err,
                 "\ngraph %s\nrenumber %s\nkeep_order %s\n"
                 "point_order %s\ndevice %s\nseed %llu\n",
                 mplan_graph_name(options->graph), mplan_renumber_name(options->renumber),
                 options->keep_better ? "better" : "never",
                 mplan_point_order_name(options->point_order), plan->device.name,
                 (unsigned long long)options->seed);
    if (!done) {
        free(text.data);
        return NULL;
    }
    return text.data;
}
