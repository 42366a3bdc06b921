#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the fixtures of the readers: good-*, bad-* and unsupported-* files, a folder per format.

make_fixtures.py             writes all files but the good plans
make_fixtures.py MESHPLAN    has this program make the good plans, too (when the format of plans changes)

Every byte follows from this script and its parts, whatever the machine; only the good plans come from a
program. tests/package/fixtures.py runs meshplan over the files and compares what it says with `says`."""
import pathlib
import subprocess
import sys
import tempfile

import fixtures_aflr3
import fixtures_cgns
import fixtures_exodus
import fixtures_fem
import fixtures_fluent
import fixtures_foam
import fixtures_folders
import fixtures_gmsh
import fixtures_graphs
import fixtures_hdf5
import fixtures_jobs
import fixtures_medit
import fixtures_meshes
import fixtures_models
import fixtures_npz
import fixtures_op2_hdf5
import fixtures_plans
import fixtures_surfaces
import fixtures_tables
import fixtures_ugrid
import fixtures_vtk
import fixtures_vtu
import fixtures_xdmf

HERE = pathlib.Path(__file__).resolve().parent
PARTS = (fixtures_gmsh, fixtures_meshes, fixtures_vtk, fixtures_vtu, fixtures_foam, fixtures_medit, fixtures_aflr3,
         fixtures_fem, fixtures_folders, fixtures_fluent, fixtures_surfaces, fixtures_ugrid, fixtures_models, fixtures_exodus, fixtures_cgns, fixtures_hdf5, fixtures_xdmf, fixtures_op2_hdf5, fixtures_graphs,
         fixtures_tables, fixtures_npz, fixtures_jobs, fixtures_plans)


def fixtures(parts=PARTS):
    """All fixtures, by name."""
    found = {fixture.name: fixture for part in parts for fixture in part.fixtures(HERE)}
    return dict(sorted(found.items()))


def files_of(fixture):
    """Path and content of its files; none for what meshplan makes."""
    if isinstance(fixture.content, dict):
        return {HERE / fixture.name / inner: content for inner, content in fixture.content.items()}
    return {} if fixture.content is None else {HERE / fixture.name: fixture.content}


def write(parts):
    made = fixtures(parts)
    for name, fixture in made.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        for path, content in files_of(fixture).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return [path for fixture in made.values() for path in files_of(fixture) or [HERE / fixture.name]]


def make_plans(meshplan):
    for name, command in fixtures_plans.COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            for step in command:
                words = [word.format(data=HERE, folder=folder, out=HERE / name) for word in step]
                subprocess.run([meshplan, *words, "--quiet", "--threads", "1"], check=True)


def main():
    paths = write(PARTS[:-1])  # the plans are of some of these
    if len(sys.argv) > 1:
        (HERE / "planfile").mkdir(exist_ok=True)
        make_plans(pathlib.Path(sys.argv[1]).resolve())
    paths += write(PARTS[-1:])
    print(f"{len(paths)} fixtures, {sum(path.stat().st_size for path in paths if path.exists())} bytes")


if __name__ == "__main__":
    main()
