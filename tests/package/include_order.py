#!/usr/bin/env python3
"""Checks that every #include follows the order of the modules (CONTRIBUTING.md):
a file may include only what stands above its own module, siblings never one
another, the command line only public headers. Argument: the source root."""
import pathlib
import re
import sys

# module -> rank; equal ranks are siblings
RANK = {"base": 1, "mesh": 2, "plan": 3, "generate": 3, "check": 4, "planfile": 5, "exec": 6,
        "apps": 7, "order": 7, "partition": 7, "colour": 7, "tables": 7,
        "pipeline": 8, "formats": 9, "view": 10, "job": 11, "helper": 11, "cli": 12}
# modules that may not be included even from below
NEVER = {"exec": {"check"}, "planfile": {"check"}, "order": {"check"}, "partition": {"check"},
         "colour": {"check"}, "tables": {"check"}, "pipeline": {"check"}}
# foreign headers and the modules that may use them
FOREIGN = {"metis.h": {"helper"}, "scotch.h": {"helper"}, "yaml.h": {"job"},
           "zlib.h": {"planfile", "formats"}, "xxhash.h": {"base"}, "cuda_runtime.h": {"exec"},
           "netcdf.h": {"formats"}, "netcdf_mem.h": {"formats"},
           "expat.h": {"formats"}, "lzma.h": {"formats"},
           "cgnslib.h": {"formats"}, "cgns_io.h": {"formats", "helper"},
           "hdf5.h": {"formats"}, "hdf5_hl.h": {"formats"}}
PUBLIC = {"meshplan.h", "exec/meshplan_exec.h", "exec/meshplan_kernel.h"}
# installed side by side with meshplan.h, so that they name one another without a folder
INSTALLED = re.compile(r"meshplan_(exec|kernel|packed|kernel_cuda|cuda_[a-z]+)\.h")


def module_of(path, root):
    parts = path.relative_to(root).parts
    if parts[0] == "formats":
        return "formats"
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def faults(path, root):
    own = module_of(path, root)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not found:
            continue
        name = found.group(2)
        where = f"{path.relative_to(root)}:{number}"
        if name in FOREIGN and own not in FOREIGN[name]:
            yield f"{where}: {own} may not use {name}"
        if found.group(1) == "<" or name in PUBLIC or (own == "exec" and INSTALLED.fullmatch(name)):
            continue
        other = name.split("/")[0] if "/" in name else None
        if other not in RANK:
            yield f"{where}: \"{name}\" names no module"
        elif own == "cli" and other != "cli":
            yield f"{where}: the command line uses public headers alone"
        elif other != own and (RANK[other] >= RANK[own] or other in NEVER.get(own, ())):
            yield f"{where}: {own} may not include {other}"


def main():
    root = pathlib.Path(sys.argv[1])
    files = [p for folder in ("src", "formats") for p in sorted([*(root / folder).rglob("*.[ch]"), *(root / folder).rglob("*.cu")])
             if module_of(p, root)]
    found = [fault for path in files for fault in faults(path, root)]
    names = {}
    for path in [p for f in ("src", "formats", "tests") for p in sorted((root / f).rglob("*.[ch]"))]:
        if path.name in names:
            found.append(f"{path.relative_to(root)} has the name of {names[path.name]}")
        names[path.name] = path.relative_to(root)
    print("\n".join(found) if found else f"{len(files)} files include only what stands above them")
    return 1 if found or len(files) < 20 else 0


sys.exit(main())
