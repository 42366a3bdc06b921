# SPDX-License-Identifier: Apache-2.0
"""Plan files of meshplan as numpy arrays.

    import meshplan
    plan = meshplan.open("wing.mplan")
    cells = plan.sets["cells"]
    q = cells.to_stored(q_of_mesh)           # rows into the order of the plan
    table = plan.maps["faces_cells"].values  # mapping table between stored rows
    for launch in plan.loop().variant().launches():
        ...

Arrays are read only and lie in the file itself, which is mapped into memory (compressed ones are
inflated when they are asked for). Nothing here is compiled, and nothing is shared with the C library: the
reader follows formats/plan-format.md only. `help(meshplan.Plan)` says what a plan has."""
from .plan import BlockSet, Loop, Map, Plan, Set, Variant, open  # noqa: A004
from .planfile import Refused

__all__ = ["BlockSet", "Loop", "Map", "Plan", "Refused", "Set", "Variant", "open"]
__version__ = "0.1.0"
