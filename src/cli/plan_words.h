/* plan_words.h - the words that options of plan, run, partition and renumber choose from
 *
 * Each gives word i, NULL past the last; `auto`, where it is one, comes first. */
#ifndef MPLAN_CLI_PLAN_WORDS_H
#define MPLAN_CLI_PLAN_WORDS_H

#include "meshplan.h"

const char *cli_strategy_word(int32_t i);
const char *cli_sums_word(int32_t i);
const char *cli_encoding_word(int32_t i);
const char *cli_partitioner_word(int32_t i);
const char *cli_effort_word(int32_t i);
const char *cli_graph_word(int32_t i);
const char *cli_renumber_word(int32_t i);
const char *cli_keep_order_word(int32_t i);
const char *cli_point_order_word(int32_t i);
const char *cli_none_word(int32_t i);
/* Names of GPUs. */
const char *cli_device_word(int32_t i);

#endif
