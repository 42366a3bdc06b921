#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what tests/unit/test_bad_*arguments.c have no row for: a public function's
pointer that must not be NULL, its index or its value of an enumeration; and rows of
functions that do not exist. Likewise the functions with options or a context, and
tests/unit/test_option_sizes.c. Arguments: the root of the source."""
import pathlib
import re
import sys

HEADERS = ("src/meshplan.h", "src/exec/meshplan_exec.h", "src/apps/apps.h")
# pointers that may be NULL, in all functions and in one
OPTIONAL = {"err", "context", "options", "user", "stream", "parameters"}
OPTIONAL_OF = {"mplan_mesh_add_set": {"set"}, "mplan_mesh_add_map": {"offsets", "map"},
               "mplan_mesh_add_group": {"name"}, "mplan_mesh_add_facets": {"name"},
               "mplan_mesh_coordinates": {"dimension"}, "mplan_mesh_write": {"format", "what"},
               "mplan_plan_write": {"bytes"}, "mplan_bundle_place": {"offset", "bytes"},
               "mplan_plan_verify": {"mesh"}, "mplan_parts_verify": {"mesh"}, "mplan_bundle_join": {"bytes"},
               "mplan_parts_create": {"parts_options"}, "mplan_parts_write": {"bytes"},
               "mplan_plan_compare": {"line"}, "mplan_plan_export_vtu": {"drawn"},
               "mplan_plan_report": {"mesh"}, "mplan_parts_report": {"mesh"}, "mplan_exec_adopt": {"memory"},
               "mplan_exec_declare": {"set"}, "mplan_mesh_set_layers": {"ranges"},
               "mplan_mesh_set_layer_mask": {"mask"}}
INDICES = {"i", "set", "map", "group", "loop", "block_set", "variant", "metrics", "component",
           "from", "to", "layout"}


def parameters(text):
    """Name and type of each parameter; a function pointer is of type "*"."""
    text = re.sub(r"\w+ \(\*(\w+)\)\([^)]*\)", r"*\1", re.sub(r"\s+", " ", text))
    for part in text.split(","):
        kind, name = re.fullmatch(r"\s*(.*?)(\w+)\s*", part).groups()
        if kind:
            yield name, kind.strip()


def wanted(header):
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for name, inside in re.findall(r"^MPLAN_API [^;{(]*?(\w+)\((.*?)\);", text, re.S | re.M):
        arguments = set()
        for argument, kind in parameters(inside):
            if "*" in kind:
                needed = argument not in OPTIONAL | OPTIONAL_OF.get(name, set())
            else:
                needed = kind.startswith("mplan_") or (kind == "int32_t" and argument in INDICES)
            if needed:
                arguments.add(argument)
        yield name, arguments


def sized(header):
    """(function, macro of its row) for the options and contexts that public functions take."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for name, inside in re.findall(r"^MPLAN_API [^;{(]*?(\w+)\((.*?)\);", text, re.S | re.M):
        if re.search(r"_options \*", inside):
            yield name, "SIZES"
        if "mplan_context *" in inside:
            yield name, "CONTEXT"


def by_value(header):
    """Members of structs that are options or contexts themselves, which may grow."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    return re.findall(r"^ +(mplan_\w*_options|mplan_context) (\w+);", text, re.M)


def main():
    root = pathlib.Path(sys.argv[1])
    functions = {}
    for header in HEADERS:
        functions.update(wanted((root / header).read_text()))
    test = "".join(path.read_text() for path in sorted((root / "tests/unit").glob("test_bad_*arguments.c")))
    rows = set(re.findall(r"^ +(?:REFUSED|REFUSED_AS|HARMLESS)\((\w+),\s*(\w+),", test, re.M))
    faults = [f"{name}: no row for {argument}" for name, arguments in functions.items()
              for argument in sorted(arguments) if (name, argument) not in rows]
    faults += [f"{name}: not a public function" for name, _ in sorted(rows) if name not in functions]
    needed = {row for header in HEADERS for row in sized((root / header).read_text())}
    test = (root / "tests/unit/test_option_sizes.c").read_text()
    found = {(name, macro) for macro, name in re.findall(r"^ +(SIZES|CONTEXT)\((\w+),", test, re.M)}
    faults += [f"{name}: no row {macro} in test_option_sizes.c" for name, macro in sorted(needed - found)]
    faults += [f"{name}: has nothing for a row {macro}" for name, macro in sorted(found - needed)]
    faults += [f"{kind} {name}: a struct holds options by value" for header in HEADERS
               for kind, name in by_value((root / header).read_text())]
    if by_value("struct {\n    mplan_x_options inside;\n};") != [("mplan_x_options", "inside")]:
        faults.append("options by value are not seen")
    if len(needed) < 30:
        faults.append(f"only {len(needed)} options and contexts were found in the headers")
    if len(functions) < 100:
        faults.append(f"only {len(functions)} functions were found in the headers")
    print("\n".join(faults) or f"{len(functions)} functions, {len(rows)} rows")
    return 1 if faults else 0


sys.exit(main())
