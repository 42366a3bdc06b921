#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What decides about a plan takes nothing from libm but what is exact: libm.py FILE

FILE lists object files, as for circles.py. Results of pow, exp, sin and the like differ in the last bit from one
libm to the next, and a comparison that reads one would make another plan: equal plans on every machine need square
roots and roundings only, which IEEE 754 defines."""
import re
import sys

from circles import source_of, symbols_of

ROOMS = ("mesh", "plan", "check", "planfile", "order", "partition", "colour", "tables", "pipeline", "parts", "exec")
INEXACT = re.compile(r"^(__)?(pow|exp2?|exp10|expm1|log|log2|log10|log1p|cbrt|hypot|a?(sin|cos|tan)h?|atan2|sincos|"
                     r"erfc?|[lt]gamma)([fl]?)(_finite)?$")


def inexact(symbols):
    """Names of inexact functions among pairs of kind and name that an object needs."""
    names = [name.split("@")[0] for kind, name in symbols if kind == "U"]
    return sorted(name for name in names if INEXACT.match(name))


def main():
    planted = inexact([("U", "pow@GLIBC_2.29"), ("U", "cosf"), ("U", "sqrt"), ("T", "mplan_pow"), ("T", "pow")])
    if planted != ["cosf", "pow"]:
        print(f"of planted calls only {planted} were found")
        return 1
    own = tuple(f"src/{room}/" for room in ROOMS)
    objects = [path for path in open(sys.argv[1]).read().split() if source_of(path).startswith(own) and not source_of(path).endswith(".cu")]
    faults = [f"{source_of(path)} calls {name}" for path, symbols in symbols_of(objects).items() for name in inexact(symbols)]
    if len(objects) < 100:
        faults.append(f"only {len(objects)} objects were found")
    print("\n".join(sorted(set(faults))) or f"{len(objects)} objects")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
