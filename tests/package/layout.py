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


def laid_out(path, style, text, name):
    done = subprocess.run([path, f"--style=file:{style}", f"--assume-filename={name}"], input=text,
                          capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else done.stderr


def main():
    root = pathlib.Path(sys.argv[1])
    path, reason = tool()
    if not path:
        print(reason)
        return 77
    style = root / ".clang-format"
    if laid_out(path, style, "int  f(void);\n", "a.c") != "int f(void);\n":
        print("clang-format changes nothing that it should")
        return 1
    files = [f for folder in FOLDERS for ending in ("c", "h", "cu") for f in (root / folder).rglob(f"*.{ending}")]

    def differs(file):
        text = file.read_text()
        return None if laid_out(path, style, text, file.name) == text else file.relative_to(root)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [str(file) for file in pool.map(differs, files) if file]
    if wrong:
        print("\n".join(sorted(wrong)))
        print(f"{len(wrong)} files are laid out otherwise: clang-format -i FILE")
    elif len(files) < 500:
        print(f"only {len(files)} sources were found")
    else:
        print(f"{len(files)} sources")
    return 1 if wrong or len(files) < 500 else 0


sys.exit(main())
