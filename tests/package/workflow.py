#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workflow of public CI against the tree: every script that it runs is there and may be executed, and every
preset that it names exists. Arguments: the root of the source."""
import json
import os
import pathlib
import re
import sys


def faults(text, root, presets):
    found = []
    commands = re.findall(r"^\s*- run: (.*)$", text, re.M)
    for command in commands:
        for script in re.findall(r"(?<![\w./-])((?:\.ci|tools|tests)/[\w./-]+)", command):
            if not os.access(root / script, os.X_OK):
                found.append(f"{script} cannot be executed")
        for preset in re.findall(r"--preset (\S+)", command):
            if preset not in presets:
                found.append(f"there is no preset {preset}")
    for job in ("gcc", "clang", "aarch64", "nvcc"):
        if not re.search(rf"^  {job}:$", text, re.M):
            found.append(f"there is no job {job}")
    return found + ([] if len(commands) > 4 else ["fewer than five commands were found"])


def main():
    root = pathlib.Path(sys.argv[1])
    presets = {p["name"] for p in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
    text = (root / ".github/workflows/ci.yml").read_text()
    found = faults(text, root, presets)
    broken = text.replace("tools/check", "tools/chekc").replace("--preset cuda", "--preset cudda").replace("  gcc:", "  ggc:")
    if len(faults(broken, root, presets)) < 3:
        found.append("a broken workflow is not seen")
    print("\n".join(found) or "scripts, presets and jobs are there")
    return 1 if found else 0


sys.exit(main())
