/* SPDX-License-Identifier: Apache-2.0 */
/* layers.cu - loops with layers on a GPU: right on small meshes, and how fast at a size of use
 *
 *   layers             every strategy, order of levels and depth of columns against plain loops
 *   layers N LAYERS    times on a cubed sphere of N x N x 6 columns: LFRic's matrix-vector products over W0 (8 x 8) and
 *                      W2 (6 x 6), matrices by (df, df2, ik), (ik, df, df2) and owner rows, and a flux of four numbers
 *                      between columns; microseconds, and the share of a copy's rate that useful bytes reach
 *   layers N LAYERS WORDS  only those rows of the table whose text has these words
 *   layers steps N LAYERS  W0 on such a sphere as the five steps of LFRic's report, with 4 and 6 colours, beside
 *                      meshplan's strategies: checked, then timed on copies in turn, so that small ones are cold
 *   layers depths N LAYERS FILL  columns of different depth, FILL % of all layers on average */
#include "layers_steps.h"

int main(int argc, char **argv)
{
    if (argc == 4 && !std::strcmp(argv[1], "steps"))
        time_steps(std::atoi(argv[2]), std::atoi(argv[3]));
    else if (argc == 5 && !std::strcmp(argv[1], "depths"))
        time_depths(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
    else if (argc == 3 || argc == 4) {
        wanted = argc == 4 ? argv[3] : "";
        time_all(std::atoi(argv[1]), std::atoi(argv[2]));
    } else
        check_all();
    return failures != 0;
}
