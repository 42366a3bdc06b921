#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs meshplan over all fixtures of tests/data: fixtures.py MESHPLAN

good-*         exit 0, and what is found in the file is what was put there
bad-*          exit 65 and one sentence with the file and its line or byte
unsupported-*  exit 65 and one sentence that says what is not supported
The files have to be those that make_fixtures.py makes, byte by byte, and no others."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
sys.dont_write_bytecode = True
sys.path.insert(0, str(DATA))
import make_fixtures  # noqa: E402

SHARE = int(os.environ.get("MPLAN_TEST_SHARE", "1"))  # one file in so many: with sanitizers, where unit tests read all of them
MESHPLAN = str(pathlib.Path(sys.argv[1]).resolve())
PLACE = re.compile(r"^(:\d+(:\d+)?: |: byte \d+: |: damaged at byte \d+: |(: [\w-]+\.npy)?: (row \d+, column|byte) \d+: )")
TABLE = re.compile(r"(^(metis|scotch|mtx)/)|\.(npy|npz|txt)")
MESH = re.compile(r"^(abaqus|aflr3|elmer|fesom|libmesh|fluent|fluent-hdf5|dmplex|vtkhdf|med|medit|mfem|nastran|netgen|stl|ply|obj|unv|xdmf)/(?!.*-polygon)|\.(msh|su2|dat|vtk|nc|exo|vtu|vtp|pvtu|cgns)(\.gz)?$|grid\.h5$")


def run(*words):
    return subprocess.run([MESHPLAN, *words], cwd=DATA, capture_output=True, text=True, timeout=600)


def describe(found):
    """The sets, maps and groups of a mesh or plan in a line, as `says` has them."""
    sets = [f"{one['name']} {one['size']}" for one in found["sets"]]
    if "loops" in found:
        loops = [f"{one['name']} over {one['set']} by " + ", ".join(v["strategy"] for v in one["variants"])
                 for one in found["loops"]]
        return "; ".join([", ".join(sets), *loops])
    columns = [f"{one['name']} {one['layers']['number']} {one['layers']['sum']}" for one in found["sets"] if "layers" in one]
    columns = "; layers " + ", ".join(columns) if columns else ""
    if not found["dimension"]:
        maps = [f"{one['name']} {one['arity'] or 'ragged'}" for one in found["maps"]]
        return ", ".join(sets + maps) + columns
    line = ", ".join(sets) + ": " + ", ".join(f"{n} {kind}" for kind, n in found["cell_types"].items())
    groups = [f"{one['name'] or '#' + str(one['id'])} {one['members']}" for one in found["groups"]]
    return line + ("; " + ", ".join(groups) if groups else "") + columns


class Fixtures:
    def __init__(self, scratch):
        self.scratch, self.faults = pathlib.Path(scratch), []
        self.counts = collections.Counter()
        self.libraries = run("--version").stdout.split()

    def fault(self, name, text):
        self.faults.append(f"{name}: {text}")

    def needs(self, name):
        """The library without which a build refuses the file, if it is without it."""
        if (DATA / name).is_dir():
            packed = any(path.suffix == ".gz" for path in (DATA / name).iterdir())
            return "zlib" if packed and "zlib" not in self.libraries else None
        content = (DATA / name).read_bytes()
        if name.startswith("job/") and "libyaml" not in self.libraries:
            return "libyaml"
        library = {"ugrid": "netcdf", "exodus": "netcdf", "mpas": "netcdf", "icon": "netcdf", "fesom_diag": "netcdf", "cgns": "cgns", "op2-hdf5": "hdf5", "med": "hdf5", "vtkhdf": "hdf5", "dmplex": "hdf5", "fluent-hdf5": "hdf5",
                   "vtu": "expat", "xdmf": "expat"}.get(name.split("/")[0])
        if library and library not in self.libraries:
            return library
        if b"vtkLZMADataCompressor" in content and "liblzma" not in self.libraries:
            return "liblzma"
        if b"vtkLZ4DataCompressor" in content and "liblz4" not in self.libraries:
            return "liblz4"
        packed = content[:3] == b"\x1f\x8b\x08" or name == "planfile/good-compressed.mplan"
        packed = packed or content[:4] == b"PK\3\4" and content[8:10] == b"\x08\0"  # deflated
        packed = packed or b"vtkZLibDataCompressor" in content
        return "zlib" if packed and "zlib" not in self.libraries else None

    def command(self, name):
        if name.startswith("job/"):
            return ["plan", name, "--quiet", "--json", "-", "-o", str(self.scratch / "out.mplan")]
        more = ["--derive"] if MESH.search(name) else []
        # a table that is none would be recognised as nothing at all
        more += ["--from", "text"] if name.startswith("text/") else []
        return ["info", name, "--json", "-", *more]

    def same(self, name, like):
        """The file as meshplan would write it, to compare it with another."""
        out = self.scratch / ("same.txt" if TABLE.search(like) else "same.msh")
        done = run("convert", name, str(out), "--quiet")
        return out.read_bytes() if done.returncode == 0 else done.stderr

    def good(self, fixture):
        done = run(*self.command(fixture.name))
        if done.returncode:
            return self.fault(fixture.name, f"exit {done.returncode}: {done.stderr.strip()}")
        found = describe(json.loads(done.stdout))
        if found != fixture.says:
            self.fault(fixture.name, f"holds '{found}', not '{fixture.says}'")
        if fixture.like and self.same(fixture.name, fixture.like) != self.same(fixture.like, fixture.like):
            self.fault(fixture.name, f"does not hold what {fixture.like} holds")

    @staticmethod
    def place(fixture, text):
        """The sentence behind the name of the file, which of a folder is one in it."""
        return re.sub(r"^/[\w./]+", "", text) if isinstance(fixture.content, dict) else text

    def refused(self, fixture):
        done = run(*self.command(fixture.name))
        text = done.stderr.rstrip("\n")
        start = "meshplan: " + fixture.name
        if done.returncode != 65:
            return self.fault(fixture.name, f"exit {done.returncode}: {text}")
        found = json.loads(done.stdout or "{}").get("error") or {}
        if found.get("message") != text[len("meshplan: "):] or found.get("exit_code") != 65:
            self.fault(fixture.name, f"printed {done.stdout!r}")
        if "\n" in text or not text.startswith(start) or fixture.says not in text[len(start):]:
            self.fault(fixture.name, f"'{text}' in place of '{fixture.says}'")
        elif bool(fixture.placeless) == bool(PLACE.match(self.place(fixture, text[len(start):]))) and "/bad-" in fixture.name:
            self.fault(fixture.name, f"place in the sentence '{text}': {fixture.placeless or 'none'}")

    def check(self, fixture):
        missing = self.needs(fixture.name)
        if missing:
            done = run(*self.command(fixture.name))
            self.counts[f"refused without {missing}"] += 1
            if done.returncode != 65 or missing not in done.stderr:
                self.fault(fixture.name, f"exit {done.returncode} without {missing}: {done.stderr.strip()}")
        elif fixture.name.split("/")[1].startswith("good-"):
            self.counts["good"] += 1
            self.good(fixture)
        else:
            self.counts[fixture.name.split("/")[1].split("-")[0]] += 1
            self.refused(fixture)


def main():
    fixtures = make_fixtures.fixtures()
    folders = {name.split("/")[0] for name in fixtures}
    there = {str(path.relative_to(DATA)) for folder in folders for path in (DATA / folder).iterdir()}
    with tempfile.TemporaryDirectory() as scratch:
        test = Fixtures(scratch)
        for name in sorted(there ^ fixtures.keys()):
            test.fault(name, "is not there" if name in fixtures else "is none of make_fixtures.py")
        for name in sorted(there & fixtures.keys())[::SHARE]:
            fixture = fixtures[name]
            there_too = {path for path in (DATA / name).rglob("*") if path.is_file()} or {DATA / name}
            made = make_fixtures.files_of(fixture)
            if made and (there_too != made.keys() or any(path.read_bytes() != made[path] for path in made)):
                test.fault(name, "is not what make_fixtures.py makes")
            test.check(fixture)
    print("\n".join(test.faults) or "all as expected:",
          ", ".join(f"{n} {kind}" for kind, n in test.counts.items()))
    return 1 if test.faults else 0


if __name__ == "__main__":
    sys.exit(main())
