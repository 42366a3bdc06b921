/* request_text.c - the request in canonical form: a line per loop, arg and option
 *
 * Two requests with equal text give equal plans on equal meshes, so that the
 * text's fingerprint can be the key of a cache. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "pipeline/plan_request.h"

/* Appends to a vector of chars; false when memory runs out. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static bool print(mplan_vector *text, mplan_error *err, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = mplan_text_format_list(NULL, 0, format, args);
    va_end(args);
    char *room = mplan_vector_reserve(text, (int64_t)length + 1, err);
    if (room) {
        mplan_text_format_list(room, (size_t)length + 1, format, again);
        text->count += length;
    }
    va_end(again);
    return room != NULL;
}

/* The loop's line and those of its args, as formats/plan-format.md has them. */
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
    char form[MPLAN_NUMBER_ROOM];
    return print(text, err, "%s", mplan_number_shortest(form, 6, value));
}

/* What was asked of strategies; "auto" and 0 where it was left open. */
static bool print_strategies(mplan_vector *text, const mplan_plan_options *asked, mplan_error *err)
{
    bool done = print(text, err, "strategy%s", asked->n_strategies == 0 ? " auto" : "");
    for (int32_t s = 0; s < asked->n_strategies && done; s++)
        done = print(text, err, " %s", mplan_strategy_name(asked->strategies[s]));
    const char *encoding = asked->encoding == MPLAN_ENCODING_NONE
                               ? "auto"
                               : mplan_encoding_name(asked->encoding);
    return done && print(text, err,
                         "\nallow_nondeterministic %s\nsums %s\nencoding %s\nblock_threads %d\n",
                         asked->allow_nondeterministic ? "true" : "false",
                         mplan_sums_name(asked->sums), encoding, (int)asked->block_threads);
}

/* The canonical text of the request; the caller's, NULL without memory. Equal
 * requests give equal texts. */
char *mplan_planning_request(const planning *plan, mplan_error *err)
{
    const mplan_plan_options *asked = plan->asked;
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    bool done = true;
    for (int32_t l = 0; l < plan->n_loops && done; l++)
        done = print_loop(&text, plan, l, err);
    done = done && print(&text, err, "block_size %d\nmax_points %d\nshared_bytes %lld\n",
                         (int)asked->block_size, (int)asked->max_points,
                         (long long)asked->shared_bytes);
    done = done && print_strategies(&text, asked, err);
    done = done && print(&text, err, "partitioner %s\nimbalance ",
                         mplan_partitioner_name(asked->partitioner)) &&
           print_real(&text, err, asked->imbalance) &&
           print(&text, err, "\neffort %s\nfill ", mplan_effort_name(asked->effort)) &&
           print_real(&text, err, asked->fill);
    done = done &&
           print(&text, err,
                 "\ngraph %s\nrenumber %s\nkeep_order %s\n"
                 "point_order %s\ndevice %s\nseed %llu\n",
                 mplan_graph_name(asked->graph), mplan_renumber_name(asked->renumber),
                 asked->keep_better ? "better" : "never",
                 mplan_point_order_name(asked->point_order), plan->device.name,
                 (unsigned long long)asked->seed);
    if (!done) {
        free(text.data);
        return NULL;
    }
    return text.data;
}
