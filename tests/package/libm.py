#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What decides about a plan takes nothing from libm but what is exact: libm.py FILE

FILE lists object files, as for circles.py. Results of pow, exp, sin and the like differ in the last bit from one
libm to the next, and a comparison that reads one would make another plan: equal plans on every machine need square
roots and roundings only, which IEEE 754 defines."""
import re
import subprocess
import sys

ROOMS = ("mesh", "plan", "check", "planfile", "order", "partition", "colour", "tables", "pipeline", "exec")
INEXACT = re.compile(r"^(__)?(pow|exp2?|exp10|expm1|log|log2|log10|log1p|cbrt|hypot|a?(sin|cos|tan)h?|atan2|sincos|"
                     r"erfc?|[lt]gamma)([fl]?)(_finite)?$")


def inexact(nm_lines):
    names = [line.split()[-1].split("@")[0] for line in nm_lines if line.split()[-2:-1] == ["U"]]
    return sorted(name for name in names if INEXACT.match(name))


def main():
    planted = inexact(["                 U pow@GLIBC_2.29", "                 U cosf", "                 U sqrt",
                       "0000000000000000 T mplan_pow"])
    if planted != ["cosf", "pow"]:
        print(f"of planted calls only {planted} were found")
        return 1
    faults, read = [], 0
    for path in open(sys.argv[1]).read().split():
        source = re.sub(r"^.*\.dir/(\./)?(.*)\.o$", r"\2", path)
        if not source.startswith(tuple(f"src/{room}/" for room in ROOMS)) or source.endswith(".cu"):
            continue
        read += 1
        out = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        faults += [f"{source} calls {name}" for name in inexact(out.splitlines())]
    if read < 100:
        faults.append(f"only {read} objects were found")
    print("\n".join(sorted(set(faults))) or f"{read} objects")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
