/* SPDX-License-Identifier: Apache-2.0 */
/* scan_rows.c - long lists of text, a row on each line, read by threads
 *
 * Line feeds are counted piece by piece, as far as the list can reach; so each piece knows the number of the first row that begins in
 * it. Then pieces are read side by side, each up to its first row that is not as expected. What the list holds up to the
 * first such row of all is taken, in whatever order pieces were read. */
#include "formats/scan_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum {
    PIECE = 1 << 17,
    COUNTED = 128,
    ROUND = 4
}; /* bytes; pieces of a thread that are counted at a time */

typedef struct row_pieces {
    const mplan_scanner *scan; /* at the first row */
    int64_t n_rows;
    int64_t first;  /* piece, of the round that is counted */
    int64_t *lines; /* line feeds of each piece; then, one more, line feeds before it */
    mplan_row_reader *read;
    void *data;
    int32_t bad; /* the first row that is not as expected, as far as is known */
} row_pieces;

/* Where a piece begins; that behind the last one is the end of the file. */
static const char *piece_begin(const row_pieces *pieces, int64_t i)
{
    const mplan_scanner *scan = pieces->scan;
    return scan->end - scan->at > i * PIECE ? scan->at + i * PIECE : scan->end;
}

/* By runs that are short enough to be counted in bytes, which compilers turn into vectors. */
static int64_t count_line_feeds(const char *at, const char *end)
{
    int64_t sum = 0;
    for (; end - at >= COUNTED; at += COUNTED) {
        uint8_t n = 0;
        for (int i = 0; i < COUNTED; i++)
            n = (uint8_t)(n + (at[i] == '\n'));
        sum += n;
    }
    for (; at < end; at++)
        sum += *at == '\n';
    return sum;
}

/* Pieces [begin, end) of a round. */
static void count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const row_pieces *pieces = data;
    (void)thread;
    for (int64_t i = pieces->first + begin; i < pieces->first + end; i++)
        pieces->lines[i] = count_line_feeds(piece_begin(pieces, i), piece_begin(pieces, i + 1));
}

/* Counts as many pieces as n rows reach into, and returns how many; n_rows: those that are there, up to n. */
static int64_t count_rows(row_pieces *pieces, int64_t n_pieces, int64_t n, mplan_team *team)
{
    int64_t sum = 0, counted = 0;
    const int64_t round = (int64_t)ROUND * mplan_team_threads(team);
    while (counted < n_pieces && sum < n) {
        const int64_t k = n_pieces - counted < round ? n_pieces - counted : round;
        pieces->first = counted;
        mplan_for(team, k, 1, count_pieces, pieces);
        for (int64_t last = counted + k; counted < last; counted++) {
            const int64_t here = pieces->lines[counted];
            pieces->lines[counted] = sum;
            sum += here;
        }
    }
    pieces->lines[counted] = sum;
    pieces->n_rows = sum < n ? sum : n;
    return counted;
}

/* The rows that begin in piece i, up to the first that is not as expected. */
static void read_piece(row_pieces *pieces, int64_t i)
{
    const char *at = piece_begin(pieces, i), *end = piece_begin(pieces, i + 1);
    const char *last = pieces->scan->end;
    int64_t row = pieces->lines[i];
    if (i > 0 && at[-1] != '\n') {
        at = memchr(at, '\n', (size_t)(last - at));
        if (!at)
            return;
        at++;
        row++;
    }
    for (; at < end && row < pieces->n_rows && row < mplan_peek(&pieces->bad); row++) {
        const char *line_feed = memchr(at, '\n', (size_t)(last - at));
        mplan_scanner line = *pieces->scan;
        line.begin = line.at = at;
        line.end = line_feed;
        if (!pieces->read(pieces->data, &line, row)) {
            mplan_lower(&pieces->bad, (int32_t)row);
            return;
        }
        at = line_feed + 1;
    }
}

static void read_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        read_piece(data, i);
}

/* The line feed behind row number `row`, which is counted. */
static const char *end_of_row(const row_pieces *pieces, int64_t row)
{
    int64_t i = 0;
    while (pieces->lines[i + 1] <= row)
        i++;
    const char *at = piece_begin(pieces, i) - 1;
    for (int64_t k = pieces->lines[i]; k <= row; k++)
        at = memchr(at + 1, '\n', (size_t)(pieces->scan->end - at - 1));
    return at;
}

bool mplan_scan_rows_pays(int64_t n, const mplan_context *context)
{
    return n >= MPLAN_ROWS_LEAST && mplan_team_threads(mplan_team_of(context)) > 1;
}

mplan_status mplan_scan_rows(mplan_scanner *scan, int64_t n, mplan_row_reader *read, void *data,
                             const mplan_context *context, int64_t *n_read, mplan_error *err)
{
    assert(scan && n >= 0 && read && n_read);
    mplan_team *team = mplan_team_of(context);
    mplan_scanner first = *scan;
    *n_read = 0;
    if (!mplan_scan_rows_pays(n, context) || !mplan_scan_skip_space(&first))
        return MPLAN_OK;
    n = n < INT32_MAX ? n : INT32_MAX;
    const int64_t n_pieces = (first.end - first.at + PIECE - 1) / PIECE;
    row_pieces pieces = {.scan = &first, .read = read, .data = data};
    pieces.lines = mplan_alloc(n_pieces + 1, sizeof *pieces.lines, err);
    if (!pieces.lines)
        return MPLAN_ERR_MEMORY;
    const int64_t counted = count_rows(&pieces, n_pieces, n, team);
    pieces.bad = (int32_t)pieces.n_rows;
    mplan_status status = mplan_for_heeding(team, counted, 1, read_pieces, &pieces, context, err);
    if (!status && pieces.bad > 0) {
        *n_read = pieces.bad;
        *scan = first;
        scan->at = end_of_row(&pieces, pieces.bad - 1);
        scan->line += pieces.bad - 1;
    }
    free(pieces.lines);
    return status;
}
