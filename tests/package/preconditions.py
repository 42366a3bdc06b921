#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists functions that do not check what their callers owe them.

An entry of order, partition, colour, tables or exec (declared in a header of the room,
called from other files) asserts its preconditions. A public function refuses bad arguments
instead (MPLAN_NEED, or a test of its own), which bad_arguments.py proves argument by argument.
Functions without anything to check are named below with the reason. CI's presets keep the
asserts: they are Debug, or have flags without NDEBUG. Arguments: the root of the source."""
import json
import pathlib
import re
import sys

ROOMS = ("order", "partition", "colour", "tables", "exec")
# Pointers that carry no precondition: they may be NULL, or are handed to the callee as they are.
FREE = {"err", "context", "user", "stream", "parameters"}
# Entries whose only arguments may be NULL, or that have no build in which they do anything.
NOTHING = {
    "mplan_exec_snapshot_free": "accepts NULL",
    "mplan_native_growth_free": "accepts NULL",
    "mplan_native_pair_free": "accepts NULL",
    "mplan_tile_costs_free": "accepts NULL",
    "mplan_gpu_graph_free": "accepts NULL",
    "mplan_gpu_free": "accepts NULL",
    "mplan_gpu_is_cuda": "has no arguments",
    "mplan_gpu_open": "any ordinal is answered",
    "mplan_gpu_wait": "has no arguments but err",
}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def definitions(text):
    """Name and body of every function that is not static, and whether it takes anything."""
    for match in re.finditer(r"^(?!static)[A-Za-z_][^;{}#]*?\b(mplan_\w+)\(([^;{}]*?)\)\n\{\n(.*?)^\}",
                             text, re.S | re.M):
        arguments = {re.search(r"(\w+)(\[\w*\])?\s*$", part).group(1)
                     for part in match.group(2).split(",") if re.search(r"\w+\s*(\[\w*\])?\s*$", part)}
        yield match.group(1), arguments - FREE - {"void"}, match.group(3)


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
            for name, arguments, body in definitions(path.read_text()):
                if name not in entries | public or not arguments or name in NOTHING:
                    continue
                if body.count("(void)") >= len(arguments):
                    continue  # of a build without the library that it needs
                found += 1
                if planted:
                    body, planted = body.replace("assert(", "("), body.count("assert(") == 0
                if not re.search(r"\bassert\(|MPLAN_NEED\(", body) and name not in public:
                    faults.append(f"{path.relative_to(root)}: {name} asserts nothing")
    if found < 150:
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
    if not faults_of(root, True)[1]:
        print("a missing assert is not found")
        return 1
    found, faults = faults_of(root, False)
    faults += presets_without_asserts(root)
    print("\n".join(faults) or f"{found} entries")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
