#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/same_plans finds what differs: same_plans.py SOURCE_FOLDER MESHPLAN

A program that changes one byte of what it writes, one that fails and one that writes nothing must be told from MESHPLAN."""
import pathlib
import subprocess
import sys
import tempfile

BYTE = """last=
for word; do [ "$last" = -o ] && written=$word; last=$word; done
"$real" "$@" || exit
printf X | dd of="$written" bs=1 seek=700 conv=notrunc 2>/dev/null"""
# -k colour.mplan: global-colour, block-colour, sums-colour
PROGRAMS = {  # what its script does -> exit status of same_plans, what it says
    '"$real" "$@"': (0, "3 equal, 0 refused, 0 different"),
    BYTE: (1, "different from byte 700"),
    '"$real" "$@"; exit 65': (1, "exit status 0 and 65"),
    "exit 0": (1, "nothing was written"),
}


def main():
    tool, real = pathlib.Path(sys.argv[1]) / "tools" / "same_plans", str(pathlib.Path(sys.argv[2]).resolve())
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for body, (status, sentence) in PROGRAMS.items():
            program = pathlib.Path(folder) / "meshplan"
            program.write_text(f"#!/bin/sh\nreal='{real}'\n{body}\n")
            program.chmod(0o755)
            done = subprocess.run([tool, real, program, "-k", "colour.mplan"], capture_output=True, text=True, check=False)
            if done.returncode != status or sentence not in done.stdout:
                print(f"exit status {done.returncode}, not {status} with '{sentence}':\n{done.stdout}{done.stderr}")
                wrong += 1
    return 1 if wrong else 0


sys.exit(main())
