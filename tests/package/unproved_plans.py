#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that look at plans which nobody proved: info -v, compare, export and report take plans of all strategies
with fields and numbers of arrays at the ends of their types, checksums made right. Each must end with a code of its
own, never by a signal or with a report of a sanitizer. Arguments: the meshplan program, how many changes (default
80, spread over all there are, and those that did harm; 0: all). 77 without numpy."""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import plan_fields as fields  # noqa: E402  (ends with 77 without numpy)

CODES = {0, 1, 2, 65}
BLOCK_OFFSETS = 64


def ends(size):
    """The least, the largest and -1 as signed numbers; half the largest, two of which make an overflow likely."""
    top = (1 << 8 * size) - 1
    return [1 << 8 * size - 1, top >> 1, top, top >> 2]


def extremes(spec, plan):
    """(whether it must be tried, what it is, the plan's bytes)"""
    for kind, (record, size, known, _) in spec.records.items():
        section = plan.section(kind)
        if section is None:
            continue  # of 1.2, in plans that need it
        entry = plan.entries[section]
        for row in range(entry.stored // size):
            for field in known:
                for k in range(field.count):
                    at = entry.offset + row * size + field.at + k * field.size
                    for value in ends(field.size):
                        yield (False, f"{record}.{field.name} of row {row}: {value:#x}",
                               plan.changed(at, value.to_bytes(field.size, "little"), section))
    for section, entry in enumerate(plan.entries):
        size = fields.TYPE_BYTES[entry.type]
        n = entry.stored // size
        for i in sorted({0, 1, n // 2, n - 1}) if entry.kind >= 32 and n > 1 else ():
            for value in ends(size):
                yield (entry.kind == BLOCK_OFFSETS and value == ends(size)[0], f"array {entry.kind}, number {i}: {value:#x}",
                       plan.changed(entry.offset + i * size, value.to_bytes(size, "little"), section))


def look(program, folder, plan, what):
    for words in (["info", "-v", "changed.mplan", "--json", "info.json"], ["compare", f"{plan.name}.mplan", "changed.mplan"],
                  ["export", "changed.mplan", "-o", "x.part"], ["export", "changed.mplan", "-o", "x/"],
                  ["report", "changed.mplan", "-o", "r.html"]):
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=600)
        said = done.stderr.decode(errors="replace")
        if done.returncode not in CODES or "runtime error" in said or "Sanitizer" in said:
            print(f"{plan.name}: {what}: meshplan {' '.join(words)}: exit {done.returncode}: {said[:600]}", flush=True)
            return 1
    return 0


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 80
    libraries = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    spec = fields.read_specification()
    failures = tries = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plans = fields.make_plans(program, folder, libraries)
        every = [(must, what, plan, data) for plan in plans for must, what, data in extremes(spec, plan)]
        step = max(1, len(every) // most) if most else 1
        for i, (must, what, plan, data) in enumerate(every):
            if i % step and not must:
                continue
            (folder / "changed.mplan").write_bytes(data)
            failures += look(program, folder, plan, what)
            tries += 1
    print(f"{tries} of {len(every)} changed plans: {failures} failures")
    return 1 if failures or tries < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
