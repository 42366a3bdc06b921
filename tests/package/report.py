#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTML pages of `meshplan report`, looked at with Python's standard library only: well formed, whole in
one file, described for those who do not see them, below 3 MB, and right in their bounds, histograms and
blocks. Argument: the meshplan program."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


class Program:
    def __init__(self, path):
        self.path = path

    def must(self, *words):
        done = subprocess.run([self.path, *words, "--threads", "1"], capture_output=True, text=True)
        require(done.returncode == 0, f"meshplan {' '.join(words)}: exit {done.returncode}: {done.stderr}")


def text_of(element):
    return "".join(element.itertext())


class Page:
    """root, tables (lists of rows of texts by their caption), pictures (title, description, caption, svg)."""

    def __init__(self, path):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        require(text.startswith("<!DOCTYPE html>\n"), f"{path}: no doctype")
        require(len(text.encode()) < 3_000_000, f"{path}: {len(text)} bytes")
        self.path, self.root = path, tree.fromstring(text.split("\n", 1)[1])
        bare = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        for word in ("http:", "https:", "src=", "href=", "url(", "<script", "@import", "javascript:"):
            require(word not in bare, f"{path}: {word} leads elsewhere")
        require(self.root.get("lang") and text_of(self.root.find("head/title")), f"{path}: language or title")
        ids = [one.get("id") for one in self.root.iter() if one.get("id")]
        require(len(ids) == len(set(ids)), f"{path}: an id is there twice")
        self.tables = {}
        for one in self.root.iter("table"):
            rows = [[text_of(cell) for cell in row] for row in one.iter("tr")]
            require(len({len(row) for row in rows}) == 1, f"{path}: rows of a table differ in length")
            self.tables.setdefault(text_of(one.find("caption")), rows)
        self.pictures = [self.picture(one) for one in self.root.iter("figure")]

    def picture(self, figure):
        svg = figure.find(SVG + "svg")
        named = dict((one.get("id"), text_of(one)) for one in (svg.find(SVG + "title"), svg.find(SVG + "desc")))
        require(svg.get("role") == "img" and svg.get("aria-labelledby").split() == list(named),
                f"{self.path}: a picture without title and description")
        wide, tall = (float(word) for word in svg.get("viewBox").split()[2:])
        for path in svg.iter(SVG + "path"):
            self.check_path(path.get("d"), wide, tall)
        title, description = named.values()
        return title, description, text_of(figure.find("figcaption")), svg

    def check_path(self, d, wide, tall):
        """Every corner lies within the picture."""
        for part in re.findall(r"M[^M]*", d):
            x = y = 0.0
            for command, numbers in re.findall(r"([MlhHVz])([^MlhHVz]*)", part):
                values = [float(word) for word in numbers.split()]
                if command == "M":
                    x, y = values
                elif command in "hHV":
                    x, y = {"h": (x + values[0], y), "H": (values[0], y), "V": (x, values[0])}[command] if values else (x, y)
                for dx, dy in zip(values[::2], values[1::2]) if command == "l" else ():
                    x, y = x + dx, y + dy
                    require(-1 <= x <= wide + 1 and -1 <= y <= tall + 1, f"{self.path}: ({x}, {y}) is outside")
                require(-1 <= x <= wide + 1 and -1 <= y <= tall + 1, f"{self.path}: ({x}, {y}) is outside")

    def table(self, begin):
        return next(rows for caption, rows in self.tables.items() if caption.startswith(begin))

    def find(self, title):
        found = [one for one in self.pictures if one[0] == title]
        require(len(found) == 1, f"{self.path}: {len(found)} pictures {title}")
        return found[0]


def read_rows(path):
    return [[int(word) for word in line.split()] for line in open(path)]


def bounds(rows, block):
    """The most of blocks, of elements of a block and of all elements that meet in a point."""
    of_point = collections.defaultdict(list)
    for row, b in zip(rows, block):
        for point in set(row):
            of_point[point].append(b)
    return (max(len(set(one)) for one in of_point.values()),
            max(max(collections.Counter(one).values()) for one in of_point.values()),
            max(len(one) for one in of_point.values()))


def check_plan(program, shape, size, over, to, words, whole):
    program.must("generate", shape, size, "--shuffle", "6", "-o", "m.msh")
    program.must("plan", "m.msh", "--over", over, "--inc", to, "--block-size", "64", *words, "-o", "p.mplan")
    program.must("convert", "m.msh", "m.txt", "--map", f"{over}_{to}")
    program.must("export", "p.mplan", "-o", "p.part")
    program.must("report", "p.mplan", "--mesh", "m.msh", "-o", "p.html")
    rows, block = read_rows("m.txt"), [row[0] for row in read_rows("p.part")]
    page = Page("p.html")
    most_blocks, most_threads, most = bounds(rows, block)
    for line in page.table("Variants")[1:]:
        if line[0].startswith("block-colour"):
            require(line[4].endswith(f"({most_blocks})") and line[5].endswith(f"({most_threads})"),
                    f"{shape}: bounds {line} are {most_blocks}, {most_threads}")
            require(int(line[2]) == max(block) + 1, f"{shape}: number of blocks {line}")
        if line[0].startswith("global-colour"):
            require(line[7].endswith(f"({most})"), f"{shape}: bound {line} is {most}")
    pairs = {(b, point) for row, b in zip(rows, block) for point in row}
    touched = page.table("What a block touches")[1]
    require(touched[1] == f"{sum(len(row) for row in rows) / len(pairs):.3f}", f"{shape}: reuse {touched}")
    shared = collections.Counter(point for _, point in pairs)
    share = 100 * sum(n > 1 for n in shared.values()) / len(shared)
    require(touched[4] == f"{share:.1f} %", f"{shape}: shared points {touched}, {share}")
    sizes = collections.Counter(block).values()
    description = page.find("Elements of a block")[1]
    require(description == f"Histogram of {len(sizes)} blocks: from {min(sizes)} to {max(sizes)}, mean "
            f"{len(block) / len(sizes):.1f}", f"{shape}: {description}")
    titles = [one[0] for one in page.pictures]
    require({"Stored order", "Order of the mesh"} <= set(titles), f"{shape}: pictures {titles}")
    if shape in ("hex", "tet"):
        require("solids" in text_of(page.root) and "Blocks on the mesh" not in titles, f"{shape}: pictures of solids")
    else:
        blocks = page.find("Blocks on the mesh")
        shown = int(re.match(r"Blocks: (\d+) of", blocks[2]).group(1))
        require(shown == len(sizes) if whole else 0 < shown < len(sizes), f"{shape}: {shown} of {len(sizes)} blocks")
        require(titles.count("Stored order") == 2, f"{shape}: pictures {titles}")
    require(f"{len(read_rows('p.part')):,} {over}" in text_of(page.root), f"{shape}: number of elements")


def check_predictions(program):
    """Of a plan whose strategy the cost model chose: what `info` says of them."""
    program.must("plan", "m.msh", "-o", "a.mplan")
    program.must("report", "a.mplan", "-o", "a.html")
    program.must("info", "a.mplan", "--json", "a.json")
    loop = json.loads(pathlib.Path("a.json").read_text())["loops"][0]
    own = loop["variants"][loop["default"]]
    lines = Page("a.html").table("Predictions")[1:]
    times = {line[0]: float(line[1].replace("over ", "")) for line in lines}
    said = {name: time for name, time in own["predictions_us"].items() if time}
    require(len(said) > 3 and set(times) == set(said), f"predictions of {set(times)}, not {set(said)}")
    require(all(abs(times[name] - said[name]) <= 0.051 for name in said), f"predictions {times}, not {said}")
    notes = {line[3]: line[0] for line in lines if line[3]}
    require(notes == {"chosen: " + own["reason"]: own["strategy"], "runner-up": own["runner_up"]}, f"notes {notes}")


def main():
    program = Program(str(pathlib.Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        both = ("--strategy", "block-colour,global-colour")
        check_plan(program, "quad", "40x30", "faces", "cells", both, True)
        check_plan(program, "tri", "30x20", "cells", "nodes", both, True)
        check_plan(program, "quad", "110x100", "cells", "nodes", both, False)
        check_plan(program, "hex", "9x8x7", "faces", "cells", both, False)
        check_plan(program, "tet", "5x4x4", "cells", "nodes", ("--strategy", "block-gather,atomic"), False)
        check_plan(program, "tri", "25x25", "edges", "nodes", both, True)
        program.must("report", "p.mplan", "-o", "plain.html")
        require("without it" in text_of(Page("plain.html").root), "a report without a mesh")
        # a loop that runs without blocks
        program.must("plan", "m.msh", "--strategy", "owner-gather", "-o", "o.mplan")
        program.must("report", "o.mplan", "--mesh", "m.msh", "-o", "o.html")
        page = Page("o.html")
        require(text_of(page.root.find("body/main/p")) == "loop over 1825 faces runs by owner-gather, equal bits in every run.",
                f"the first sentence: {text_of(page.root.find('body/main/p'))}")
        require("Blocks" not in [text_of(one) for one in page.root.iter("h3")] and "What a block touches" not in page.tables
                and "Stored order" in [one[0] for one in page.pictures], "blocks of a loop without any")
        require("Predictions" not in page.tables, "predictions of strategies that were named")
        check_predictions(program)
        # names that are markup
        pathlib.Path("t.txt").write_text("0 1\n1 2\n")
        program.must("plan", "--map", 'a<b>"&:e:<i>=t.txt', "--over", "e", "--inc", 'a<b>"&', "-o", "<x>.mplan")
        program.must("report", "<x>.mplan", "--map", 'a<b>"&:e:<i>=t.txt', "-o", "x.html")
        page = Page("x.html")
        require(text_of(page.root.find("body/main/h1")) == "<x>.mplan" and "no cells" in text_of(page.root), "names")
        os.chdir("/")
    print("9 reports: well formed, whole, described; bounds, reuse, shares and sizes as recomputed")


if __name__ == "__main__":
    main()
