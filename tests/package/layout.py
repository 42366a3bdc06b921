#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sources have the layout that .clang-format says. Another version of clang-format lays out differently, so only
version 14 judges; without it the test is skipped. Arguments: the root of the source."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

VERSION = 14
FOLDERS = ("src", "formats", "tests", "tools")


def tool():
    """A clang-format of the version, or the reason why there is none."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout if path else ""
        if re.search(rf"version {VERSION}\.", said):
            return path, ""
    return None, f"skipped: clang-format {VERSION} is not installed"


def laid_out_otherwise(path, style, files):
    """Those of the files that clang-format would change, each with its first place."""
    done = subprocess.run([path, f"--style=file:{style}", "--dry-run", *map(str, files)], capture_output=True, text=True)
    return dict(reversed(re.findall(r"^(.*?):(\d+):\d+: (?:warning|error): ", done.stderr, re.M)))


def sees_faults(path, style):
    with tempfile.TemporaryDirectory() as folder:
        good, bad = pathlib.Path(folder, "good.c"), pathlib.Path(folder, "bad.c")
        good.write_text("int f(void);\n")
        bad.write_text("int f(void);\nint  g(void);\n")
        return laid_out_otherwise(path, style, [good, bad]) == {str(bad): "2"}


def main():
    root = pathlib.Path(sys.argv[1])
    path, reason = tool()
    if not path:
        print(reason)
        return 77
    style = root / ".clang-format"
    if not sees_faults(path, style):
        print("clang-format finds no fault where there is one")
        return 1
    files = [f for folder in FOLDERS for ending in ("c", "h", "cu") for f in (root / folder).rglob(f"*.{ending}")]
    n = os.cpu_count() or 1
    with ThreadPoolExecutor(n) as pool:
        parts = pool.map(lambda i: laid_out_otherwise(path, style, files[i::n]), range(n))
    wrong = sorted(f"{name}:{line}: laid out otherwise" for part in parts for name, line in part.items())
    if len(files) < 500:
        wrong.append(f"only {len(files)} sources were found")
    print("\n".join(wrong) + "\nclang-format -i FILE lays out" if wrong else f"{len(files)} sources")
    return 1 if wrong else 0


sys.exit(main())
