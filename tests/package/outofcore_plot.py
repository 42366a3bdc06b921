#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model, the table and the picture of tools/gpu/outofcore's sweeps, against numbers by hand: no device is needed.

  outofcore_plot.py SOURCE"""
import pathlib
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "tools" / "gpu"))
import outofcore_sweep as sweeps  # noqa: E402


def row(steps, took, **other):
    """Of a step of 100 us in memory, nine launches for each step and each of ten segments, 1.014 GB in."""
    return {"steps_per_visit": steps, "segments": 10, "period": 10, "slabs": 200, "launches": 90 * steps, "in_bytes": 1014000000, "out_bytes": 1,
            "peak_bytes": 1 << 30, "in_memory_microseconds": 100.0, "microseconds": took, "same_in_memory": True, **other}


def same(found, due, what):
    if abs(found - due) > 1e-9 * abs(due):
        sys.exit(f"{what}: {found}, not {due}")


def main():
    link, launch = (50.7e9, 25.35e9), 1e-6
    # 20 ms on the link for 4 steps: the link; for 256 steps 256 x (100 + 90) us: the launches; a period of 11 waits for a tenth of the link
    same(sweeps.model(row(4, 1), link, launch), 5000, "by the link")
    # and kernels are slower by a tenth of that
    same(sweeps.model(row(256, 1), link, launch), 190 + 2000 / 256, "by launches")
    same(sweeps.model(row(256, 1, period=11), link, launch), 190 + 4000 / 256, "with a stage of waiting")
    # two streams: 256 steps have 27.6 ms of work and 23.04 of launches; 20 of them are with one, and the launches of the others are hidden
    two = (20000 + 30640 * 27600 / 50640) / 256
    same(sweeps.model(row(256, 1, launch_streams=2), link, launch), two, "by two streams")
    same(sweeps.model(row(4, 1, launch_streams=2), link, launch), 5000, "by the link, and two streams")
    # a launch that costs more than its work is hidden as far as that goes
    same(sweeps.model(row(256, 1, launch_streams=2), link, 10e-6), (20000 + (258000 - 20000) / 2) / 256, "by long launches")
    # as many bytes back take twice as long, half as many no longer, three quarters lie between
    for back, due in ((507000000, 5000), (760500000, 7500), (1014000000, 10000)):
        same(sweeps.model(row(4, 1, out_bytes=back), link, launch), due, f"{back} bytes back")
    same(sweeps.crossing([row(4, 1), row(256, 1)], link, launch), 20e-3 / 190e-6, "the crossing point")
    rows = [row(4, 5100.0), row(32, 640.0), row(128, 260.0), row(128, 200.0), row(256, 195.0, same_in_memory=False)]
    lines = list(sweeps.table(rows, 95.0, link, launch, lambda one: 1e6 / one["microseconds"]))
    if len(lines) != 2 + len(rows) or "| 5000.0 | 5100.0 | 1.020 | 51.000 | 53.684 | 196 | equal |" not in lines[2] or "DIFFER" not in lines[6]:
        sys.exit("the table is another:\n" + "\n".join(lines))
    text = sweeps.picture("name", rows, 95.0, link, launch, lambda one: 1e6 / one["microseconds"])
    drawn = xml.dom.minidom.parseString(text)
    dots = drawn.getElementsByTagName("circle")
    if len(dots) != 8:  # four numbers of steps in two pictures: the faster of two rows with 128
        sys.exit(f"{len(dots)} dots")
    heights = [float(one.getAttribute("cy")) for one in dots]
    if sorted(heights[:4]) != heights[:4] or sorted(heights[4:], reverse=True) != heights[4:]:
        sys.exit("times do not fall, or speeds do not rise, from dot to dot")
    if sweeps.picture("name", [row(4, None)], None, link, launch, lambda one: None):
        sys.exit("a picture without times")


if __name__ == "__main__":
    main()
