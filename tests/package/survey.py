#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/corpus counts what becomes of files: survey.py SOURCE_FOLDER MESHPLAN

A folder with files of known ends, surveyed twice with one table, and programs that lose, hang, fail and crash."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

FILES = {"su2/good-zones.su2": ("su2", "done"), "metis/good-square.graph": ("metis-graph", "done"),
         "text/good-commas.csv": ("text", "done"), "foreign/bad-words.msh": ("-", "unnamed"),
         "foreign/unsupported-gambit.neu": ("-", "refused"), "su2/bad-node.su2": ("-", "refused")}
PROGRAMS = {  # what a program does instead of `verify` -> outcome
    "exit 1": "broken", "kill -SEGV $$": "broken", "echo meshplan: no >&2; exit 1": "lost", "sleep 3000": "slow",
    'exec "$real" "$@"': "done"}


def survey(tool, program, folder, table, *more):
    return subprocess.run([sys.executable, tool, folder, "--meshplan", program, "--table", table, *more], capture_output=True,
                          text=True, check=False)


def rows_of(table):
    return {row[0]: row[1:] for row in (line.split("\t") for line in table.read_text().splitlines())}


def main():
    source, program = pathlib.Path(sys.argv[1]), str(pathlib.Path(sys.argv[2]).resolve())
    tool, wrong = source / "tools" / "corpus", []
    with tempfile.TemporaryDirectory() as name:
        folder, table = pathlib.Path(name) / "meshes", pathlib.Path(name) / "rows.tsv"
        folder.mkdir()
        for path in FILES:
            if (source / "tests" / "data" / path).is_file():
                shutil.copy(source / "tests" / "data" / path, folder)
        due = {pathlib.Path(path).name: end for path, end in FILES.items() if (folder / pathlib.Path(path).name).exists()}
        first = survey(tool, program, folder, table, "--jobs", "2")
        found = {path: (row[0], row[1]) for path, row in rows_of(table).items()}
        if found != due or first.returncode != 0:
            wrong.append(f"exit {first.returncode}: {found} in place of {due}: {first.stderr}")
        if not any(line.split() == ["all", "3", "2", "1", "6"] for line in first.stdout.splitlines()):
            wrong.append(f"the sums are {first.stdout}")
        again = survey(tool, "/nonexistent", folder, table) # all rows are there: nothing is run
        if again.stdout != first.stdout or again.returncode != 0:
            wrong.append(f"the second run: exit {again.returncode}: {again.stdout}{again.stderr}")
        lone = pathlib.Path(name) / "lone"
        lone.mkdir()
        shutil.copy(source / "tests/data/su2/good-flat.su2", lone)
        for i, (body, outcome) in enumerate(PROGRAMS.items()):
            wrapper, rows = pathlib.Path(name) / f"program{i}", pathlib.Path(name) / f"rows{i}.tsv"
            wrapper.write_text(f"#!/bin/sh\nreal='{program}'\nif [ \"$1\" = verify ]; then {body}; else exec \"$real\" \"$@\"; fi\n")
            wrapper.chmod(0o755)
            ended = survey(tool, str(wrapper), lone, rows, "--seconds", "3" if outcome == "slow" else "300")
            row = rows_of(rows).get("good-flat.su2", ["", "no row"])
            if row[1] != outcome or ended.returncode != (outcome != "done"):
                wrong.append(f"'{body}': exit {ended.returncode}, {row} in place of {outcome}: {ended.stderr}")
    print("\n".join(wrong) if wrong else "files are counted by format and outcome, each once")
    return 1 if wrong else 0


sys.exit(main())
