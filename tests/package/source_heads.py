#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source begins with its SPDX line, after the line of its interpreter where it has one. Arguments: the root of
the source."""
import pathlib
import re
import sys

FOLDERS = ("src", "formats", "tests", "tools", "cmake", ".ci", ".github")
ENDINGS = {".c", ".h", ".cu", ".py", ".sh", ".cmake", ".yml"}
LINE = "SPDX-License-Identifier: Apache-2.0"


def is_source(path, head):
    if path.name in ("CMakeLists.txt", ".clang-format"):
        return True
    return path.suffix in ENDINGS or (path.suffix == "" and head.startswith("#!"))


def lacks(head):
    lines = head.splitlines()
    while lines and lines[0].startswith(("#!", "# not run")): # recipes that could not be tried say so first
        lines = lines[1:]
    return not lines or not re.fullmatch(r"(/\* | *# ){1}" + re.escape(LINE) + r"( \*/)?", lines[0])


def main():
    root = pathlib.Path(sys.argv[1])
    files = [root / "CMakeLists.txt", root / ".clang-format"]
    files += [f for folder in FOLDERS for f in (root / folder).rglob("*")]
    wrong, n = [], 0
    for file in files:
        parts = file.relative_to(root).parts
        if not file.is_file() or parts[:2] == ("tests", "data") and file.suffix != ".py" or "corpus" in parts or "__pycache__" in parts:
            continue
        with open(file, "rb") as opened:
            head = opened.read(400).decode("utf-8", "replace")
        if is_source(file, head):
            n += 1
            if lacks(head):
                wrong.append(str(file.relative_to(root)))
    if not lacks("int x;\n") or not lacks("#!/bin/sh\n# text\n") or lacks(f"#!/bin/sh\n# {LINE}\n"):
        wrong.append("the test does not see what lacks")
    print("\n".join(wrong) or f"{n} sources")
    return 1 if wrong or n < 700 else 0


sys.exit(main())
