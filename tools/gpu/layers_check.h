/* SPDX-License-Identifier: Apache-2.0 */
/* layers_check.h - every strategy, order of levels and depth of columns against plain loops */
#ifndef MPLAN_TOOLS_LAYERS_CHECK_H
#define MPLAN_TOOLS_LAYERS_CHECK_H

#include "layers_mesh.h"

// --- right?

// The plain loops, in the mesh's order.
static std::vector<std::vector<double>> plain(const base &b, const request &r, int layers)
{
    std::vector<std::vector<double>> data;
    for (const field &f : fields_of(b, r.loop, layers))
        data.push_back(values_of(f));
    const int n = r.loop == FLUX ? b.faces : b.cells, nd = r.loop == W0 ? 8 : 6;
    for (int e = 0; e < n; e++) {
        const int bottom = r.ranges.empty() ? 0 : r.ranges[2 * e],
                  top = r.ranges.empty() ? layers : r.ranges[2 * e + 1];
        if (r.loop == SOLVE) {
            std::vector<double> c(layers), y(layers);
            for (int k = bottom; k < top; k++) {
                const double *a = &data[0][size_t(3) * (size_t(e) * layers + k)];
                const double low = k > bottom ? a[0] : 0,
                             s = 1 / (a[1] - low * (k > bottom ? c[k - 1] : 0));
                y[k] = (data[1][size_t(e) * layers + k] - low * (k > bottom ? y[k - 1] : 0)) * s;
                c[k] = a[2] * s;
            }
            for (int k = top - 2; k >= bottom; k--)
                y[k] -= c[k] * y[k + 1];
            for (int k = bottom; k < top; k++)
                data[2][size_t(e) * layers + k] = c[k], data[3][size_t(e) * layers + k] = y[k];
            continue;
        }
        for (int k = bottom; k < top; k++) {
            if (!r.has(e, k, layers))
                continue;
            if (r.loop == FLUX) {
                const size_t x = size_t(b.faces_cells[2 * e]) * layers + k,
                             y = size_t(b.faces_cells[2 * e + 1]) * layers + k;
                const double u = data[0][size_t(e) * layers + k];
                for (int c = 0; c < 4; c++) {
                    const double p = data[1][4 * x + c], q = data[1][4 * y + c];
                    const double f = u * (0.5 * (p + q)) + std::fabs(u) * 0.5 * (p - q);
                    data[2][4 * x + c] -= f, data[2][4 * y + c] += f;
                }
                continue;
            }
            auto place = [&](int s) {
                const int point = r.loop == W0 ? b.w0[4 * e + s % 4] : b.w2[5 * e + (s < 4 ? s : 4)];
                return size_t(point) * (layers + 1) + k + (r.loop == W0 ? s / 4 : s == 5);
            };
            for (int row = 0; row < nd; row++)
                for (int col = 0; col < nd; col++)
                    data[2][place(row)] += data[0][((size_t(e) * layers + k) * nd + col) * nd + row] *
                                           data[1][place(col)];
        }
    }
    return data;
}

static int failures;
/* Of all numbers that came out with equal bits promised, case by case (FNV-1a): builds that only differ in speed have the
 * same. */
static uint64_t all_bits = 14695981039346656037ull;
static void add_bits(const std::vector<double> &numbers)
{
    for (double number : numbers) {
        uint64_t word;
        std::memcpy(&word, &number, sizeof word);
        all_bits = (all_bits ^ word) * 1099511628211ull;
    }
}

static void check(const base &b, const request &r, int layers, const std::string &words)
{
    const std::vector<std::vector<double>> due = plain(b, r, layers);
    const std::vector<field> fields = fields_of(b, r.loop, layers);
    const bool promised = r.strategy != MPLAN_STRATEGY_ATOMIC || r.loop == SOLVE;
    std::vector<std::vector<double>> first;
    double worst = 0;
    bool equal = true;
    for (int turn = 0; turn < 2; turn++) {
        running run = start(b, r, layers, turn == 1);
        DO(mplan_exec_launch(run.exec, run.bound, NULL, NULL, &err));
        DO(mplan_exec_wait(run.exec, &err));
        for (size_t f = 0; f < fields.size(); f++) {
            if (!fields[f].changed)
                continue;
            std::vector<double> got(due[f].size());
            DO(mplan_exec_download(run.exec, fields[f].name, got.data(), fields[f].rows,
                                   fields[f].dim, MPLAN_TYPE_F64, &err));
            for (size_t i = 0; i < got.size(); i++) {
                const double e = std::fabs(got[i] - due[f][i]) / (1 + std::fabs(due[f][i]));
                worst = e <= worst ? worst : e;
            }
            if (turn == 0 && promised && r.solver != 4) /* another number of lanes rounds otherwise */
                add_bits(got);
            if (turn == 0)
                first.push_back(got);
            else
                equal = equal &&
                        !std::memcmp(first[first.size() - 1 - (fields.size() - 1 - f)].data(),
                                     got.data(), got.size() * sizeof(double));
        }
        stop(run);
    }
    const bool good = worst < 1e-12 && (equal || !promised);
    failures += !good;
    std::printf("%s %-60s error %.1e, bits %s\n", good ? "ok  " : "FAIL", words.c_str(), worst,
                equal ? "equal" : "differ");
}

static void check_all()
{
    static const mplan_strategy strategies[] = {
        MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_TWO_STEP,     MPLAN_STRATEGY_ATOMIC,
        MPLAN_STRATEGY_OWNER_GATHER,  MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_BLOCK_GATHER};
    static const char *const names[] = {"w0", "w2", "flux", "solve"};
    const base b = make_base(7);
    for (int layers : {1, 13, 40, 100})
        for (int loop = W0; loop <= SOLVE; loop++)
            for (int ranged = 0; ranged < (loop == SOLVE ? 2 : 3); ranged++)
                for (int columns = 0; columns < 2; columns++)
                    for (mplan_strategy s : strategies)
                        for (int matrix = 0;
                             matrix < (loop == SOLVE                                     ? 5
                                       : s == MPLAN_STRATEGY_OWNER_GATHER && loop < FLUX ? 2
                                                                                         : 1);
                             matrix++) {
                            request r = {which(loop),
                                         s,
                                         mplan_columns(columns),
                                         matrix && loop < FLUX ? MPLAN_COLUMNS_OWNER
                                                               : mplan_columns(columns),
                                         -1,
                                         -1,
                                         {},
                                         loop == SOLVE ? matrix : 0};
                            const int n = loop == FLUX ? b.faces : b.cells;
                            const bool by_blocks = s == MPLAN_STRATEGY_BLOCK_COLOUR ||
                                                   s == MPLAN_STRATEGY_BLOCK_GATHER;
                            if (layers == 100 && loop != SOLVE) /* several segments of lanes */
                                continue;
                            if (by_blocks && layers == 40) /* 13 are two tiles of a block */
                                continue;
                            if (!kernel_of(r) || (loop == SOLVE && s != MPLAN_STRATEGY_ATOMIC))
                                continue;
                            for (int e = 0; e < n && ranged; e++) {
                                const int bottom = int(number(e) * layers / 2);
                                r.ranges.push_back(bottom);
                                r.ranges.push_back(bottom +
                                                   int(number(e + n) * (layers - bottom + 1)));
                            }
                            for (int i = 0; ranged == 2 && i < n * ((layers + 31) / 32); i++)
                                r.mask.push_back(uint32_t(number(i) * 4294967296.0));
                            check(b, r, layers,
                                  std::string(names[loop]) + ", " + mplan_strategy_name(s) + ", " +
                                      std::to_string(layers) + " layers" +
                                      (ranged == 2   ? ", ranges and mask"
                                       : ranged == 1 ? ", ranges"
                                                     : "") +
                                      (columns ? ", points fastest" : "") +
                                      (loop == SOLVE ? solvers[matrix]
                                       : matrix      ? ", by owner"
                                                     : ""));
                        }
    std::printf("ok   bits of all cases that promise them: %016llx\n", (unsigned long long)all_bits);
    std::printf(failures ? "layers: %d cases FAILED\n" : "layers: all cases hold\n", failures);
}

#endif
