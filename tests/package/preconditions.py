#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists functions that do not check what their callers owe them.

An entry of order, partition, colour, tables, exec, pipeline or parts (declared in a header of the room,
called from other files) asserts its preconditions: each of its pointers, but those that may be NULL,
which are below with the reason and may not be asserted. A public function refuses bad arguments
instead (MPLAN_NEED, or a test of its own), which bad_arguments.py proves argument by argument.
Functions without anything to check are named below with the reason. CI's presets keep the
asserts: they are Debug, or have flags without NDEBUG. Arguments: the root of the source."""
import json
import pathlib
import re
import sys

ROOMS = ("order", "partition", "colour", "tables", "exec", "pipeline", "parts")
# Pointers that carry no precondition: they may be NULL, or are handed to the callee as they are.
FREE = {"err", "context", "user", "stream", "parameters", "team"}
# Pointers that may be NULL, and what that means.
MAY_BE_NULL = {
    ("mplan_exec_open_source", "transport"): "all ranks in this process",
    ("mplan_exec_parts_declare", "set"): "a global",
    ("mplan_parts_plan_in", "wish"): "the steps of a visit are given, or there is none",
    ("mplan_exec_reduce_first", "place"): "the first n places",
    ("mplan_host_run_column", "out"): "increments are added to the dats",
    ("mplan_ring_make", "pipe"): "memory of the host only",
    ("mplan_ring_make", "store"): "no file",
    ("mplan_exec_parts_upload", "rows"): "refused there, unless there are none",
    ("mplan_exec_parts_download", "rows"): "refused there, unless there are none",
    ("mplan_order_by_block", "earlier"): "the order of the index",
    ("mplan_order_block_lists", "earlier"): "the order of the index",
    ("mplan_order_cache_lines", "earlier"): "the order of the index",
    ("mplan_order_points", "earlier"): "the order of the index",
    ("mplan_order_lists", "sequence"): "the order of the index",
    ("mplan_order_elements", "point_new_of_old"): "points as they are numbered",
    ("mplan_order_first_touch", "row_new_of_old"): "rows in the order of their index",
    ("mplan_order_measure", "new_of_old"): "the order of the index",
    ("mplan_order_measure_graph", "new_of_old"): "the order of the index",
    ("mplan_sequence_of", "new_of_old"): "the order of the index",
    ("mplan_components_make", "chosen"): "all vertices",
    ("mplan_spread_step", "spread"): "the searching thread does the step",
    ("mplan_partition_metis", "wishes"): "none",
    ("mplan_partition_scotch", "wishes"): "none",
    ("mplan_partition_bisect", "wishes"): "none",
    ("mplan_weighted_of", "wishes"): "none",
    ("mplan_partition_into", "moved"): "nobody counts",
    ("mplan_partition_make_wishes", "rows"): "no map whose rows are edges",
    ("mplan_partition_native", "origin"): "nobody asks how blocks came about",
    ("mplan_native_finding", "sequence"): "elements as the caller numbers them",
    ("mplan_table_block_records", "points"): "made there",
    ("mplan_partition_repair", "order"): "the order of the index",
    ("mplan_partition_repair", "graph"): "no neighbours: what is too much becomes a part",
    ("mplan_partition_repair", "moved"): "nobody counts",
    ("mplan_partition_runs", "order"): "the order of the index",
    ("mplan_colour_elements", "skip"): "no element is skipped",
    ("mplan_colour_blocks", "sequence"): "positions are elements",
    ("mplan_colour_threads", "sequence"): "positions are elements",
    ("mplan_colour_lists", "list"): "with no item it has no room",
    ("mplan_table_block_points", "sequence"): "positions are elements",
    ("mplan_table_block_records", "sequence"): "positions are elements",
    ("mplan_exec_describe", "set"): "a global",
    ("mplan_exec_release", "data"): "nothing to release",
    ("mplan_exec_table", "rows"): "nobody asks how many",
    ("mplan_gpu_reduce", "old_of_new"): "no holes",
    ("mplan_gpu_scatter_rows", "rows"): "with no member it has no room",
    ("mplan_gpu_gather_rows", "rows"): "with no member it has no room",
    ("mplan_gpu_drop_leaves", "leaf_of"): "leaves in the order of their elements",
    ("mplan_exec_parts_collect", "buffer"): "with no member it has no room",
    ("mplan_halo_run", "mail"): "no message is read or sent",
    ("mplan_whole_open", "facts"): "the mesh is all there",
    ("mplan_planning_limits", "maps"): "only the limits are of interest",
    ("mplan_planning_options", "given"): "the defaults",
    ("mplan_planning_begin", "options"): "the defaults",
    ("mplan_gpu_capture_end", "graph"): "what was recorded is thrown away",
    ("mplan_whole_open", "options"): "the defaults",
}
# Entries whose only arguments may be NULL, or that have no build in which they do anything.
NOTHING = {
    "mplan_exec_snapshot_free": "accepts NULL",
    "mplan_native_growth_free": "accepts NULL",
    "mplan_native_pair_free": "accepts NULL",
    "mplan_tile_costs_free": "accepts NULL",
    "mplan_gpu_graph_free": "accepts NULL",
    "mplan_gpu_free": "accepts NULL",
    "mplan_gpu_staging_free": "accepts NULL",
    "mplan_gpu_lane_close": "accepts NULL",
    "mplan_gpu_nccl_close": "accepts NULL",
    "mplan_gpu_reach_peer": "any two ordinals are answered",
    "mplan_gpu_is_cuda": "has no arguments",
    "mplan_gpu_open": "any ordinal is answered",
    "mplan_gpu_wait": "has no arguments but err",
}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def definitions(text):
    """Name, arguments, those of them that are pointers, and body of every function that is not static."""
    for match in re.finditer(r"^(?!static)[A-Za-z_][^;{}#]*?\b(mplan_\w+)\(([^;{}]*?)\)\n\{\n(.*?)^\}",
                             text, re.S | re.M):
        inside = re.sub(r"\w+ \(\*(\w+)\)\([^)]*\)", r"*\1", match.group(2))
        arguments, pointers = set(), set()
        for part in inside.split(","):
            found = re.search(r"(\w+)(\[\w*\])?\s*$", part)
            if found:
                arguments.add(found.group(1))
                if "*" in part or "[" in part:
                    pointers.add(found.group(1))
        yield match.group(1), arguments - FREE - {"void"}, pointers - FREE, match.group(3)


def asserted(body):
    """The words in all asserts of a function, and those that are a condition by themselves."""
    words, plain = set(), set()
    for condition in re.findall(r"\bassert\((.*?)\);\n", body, re.S):
        words |= set(re.findall(r"\w+", condition))
        plain |= {part.strip() for part in condition.split("&&")}
    return words, plain


def faults_of_pointers(name, pointers, body):
    """What is wrong about the pointers of an entry that asserts something."""
    words, plain = asserted(body)
    for pointer in sorted(pointers):
        optional = (name, pointer) in MAY_BE_NULL
        if not optional and pointer not in words:
            yield f"{name} does not assert {pointer}"
        if optional and pointer in plain:
            yield f"{name} asserts {pointer}, which may be NULL"


def declared(root, room):
    names = set()
    for header in (root / "src" / room).rglob("*.h"):
        if header.name.startswith("meshplan_"):
            continue
        text = without_comments(header.read_text())
        text = re.sub(r"^static inline.*?^}", "", text, flags=re.S | re.M)
        names |= set(re.findall(r"^[A-Za-z_][^;{}#]*?\b(mplan_\w+)\([^;{}]*\);", text, re.S | re.M))
    return names


def faults_of(root, planted):
    found, faults = 0, []
    public = set()
    for header in ("src/meshplan.h", "src/exec/meshplan_exec.h"):
        public |= set(re.findall(r"\b(mplan_\w+)\(", without_comments((root / header).read_text())))
    for room in ROOMS:
        entries = declared(root, room)
        for path in sorted((root / "src" / room).rglob("*")):
            if path.suffix not in (".c", ".cu") or path.name == "device_none.c":
                continue
            for name, arguments, pointers, body in definitions(path.read_text()):
                if name not in entries | public or not arguments or name in NOTHING:
                    continue
                if body.count("(void)") >= len(arguments):
                    continue  # of a build without the library that it needs
                found += 1
                if planted:
                    body, planted = body.replace("assert(", "("), body.count("assert(") == 0
                if name in public:
                    continue
                if not re.search(r"\bassert\(", body):
                    faults.append(f"{path.relative_to(root)}: {name} asserts nothing")
                    continue
                faults += [f"{path.relative_to(root)}: {fault}"
                           for fault in faults_of_pointers(name, pointers, body)]
    if found < 200:
        faults.append(f"only {found} entries were found")
    return found, faults


def presets_without_asserts(root):
    presets = {p["name"]: p for p in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}

    def variables(preset):
        parents = preset.get("inherits", [])
        found = {}
        for parent in [parents] if isinstance(parents, str) else reversed(parents):
            found.update(variables(presets[parent]))
        found.update(preset.get("cacheVariables", {}))
        return found

    for name in ("ci", "ci-bare", "dev", "sanitize", "tsan", "fuzz"):
        own = variables(presets[name]) if name in presets else {"CMAKE_BUILD_TYPE": "Debug"}
        debug = own.get("CMAKE_BUILD_TYPE") == "Debug"
        flags = own.get("CMAKE_C_FLAGS_DEBUG" if debug else "CMAKE_C_FLAGS_RELEASE", "" if debug else "-DNDEBUG")
        if "NDEBUG" in flags:
            yield (f"CMakePresets.json: preset {name} has no asserts; "
                   "give it CMAKE_C_FLAGS_RELEASE without NDEBUG")


def main():
    root = pathlib.Path(sys.argv[1])
    planted = list(faults_of_pointers("mplan_gpu_reduce", {"dat", "old_of_new", "result"},
                                      "    assert(dat && old_of_new);\n"))
    if not faults_of(root, True)[1] or len(planted) != 2:
        print("a missing assert, or a wrong one, is not found")
        return 1
    found, faults = faults_of(root, False)
    faults += presets_without_asserts(root)
    print("\n".join(faults) or f"{found} entries")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
