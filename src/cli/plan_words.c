/* plan_words.c - the words that options of plan, run, partition and renumber choose from */
#include "cli/plan_words.h"

const char *cli_strategy_word(int32_t i)
{
    return i == 0 ? "auto" : mplan_strategy_name((mplan_strategy)(i - 1));
}

const char *cli_sums_word(int32_t i)
{
    return mplan_sums_name((mplan_sums)i);
}

/* None is what is asked for when the cheapest is to be chosen. */
const char *cli_encoding_word(int32_t i)
{
    return i == MPLAN_ENCODING_NONE ? "auto" : mplan_encoding_name((mplan_encoding)i);
}

const char *cli_partitioner_word(int32_t i)
{
    return mplan_partitioner_name((mplan_partitioner)(MPLAN_PARTITIONER_AUTO + i));
}

const char *cli_effort_word(int32_t i)
{
    return mplan_effort_name((mplan_effort)i);
}

const char *cli_graph_word(int32_t i)
{
    return mplan_graph_name((mplan_graph)i);
}

const char *cli_renumber_word(int32_t i)
{
    return mplan_renumber_name((mplan_renumber)i);
}

const char *cli_keep_order_word(int32_t i)
{
    static const char *const words[] = {"never", "better"};
    return i < 2 ? words[i] : NULL;
}

const char *cli_point_order_word(int32_t i)
{
    return mplan_point_order_name((mplan_point_order)(MPLAN_POINTS_AUTO + i));
}

const char *cli_none_word(int32_t i)
{
    return mplan_none_name((mplan_none)i);
}

const char *cli_device_word(int32_t i)
{
    mplan_device device;
    return mplan_device_get(i, &device) ? NULL : device.name;
}
