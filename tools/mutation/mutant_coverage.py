# SPDX-License-Identifier: Apache-2.0
"""Which tests run which lines (tools/mutants --general): each test once with a library that counts, read by gcov."""
import collections, concurrent.futures, hashlib, json, os, pathlib, shutil, subprocess, sys, tempfile

from mutant_builder import COVERAGE, Builder, bare_environment, passes

GCOV = os.environ.get("GCOV", "gcov")


def lines_of(text, paths):
    """Lines that ran by path, of what gcov printed: an object of JSON per file of counts."""
    ran = collections.defaultdict(set)
    for report in text.splitlines():
        for file in json.loads(report)["files"]:
            path = next((p for p in paths if file["file"].endswith(p)), None)
            if path:
                ran[path] |= {line["line_number"] for line in file["lines"] if line["count"] > 0}
    return ran


class Coverage:
    """Lines of `paths` that each of `tests` runs; kept in the build folder as long as the sources are the same."""

    def __init__(self, folder, cmocka, jobs, tests, paths, fingerprint, timeout):
        if not shutil.which(GCOV):
            print(f"mutants: there is no {GCOV}: each mutant meets all tests", file=sys.stderr)
            self.ran = None
            return
        key = hashlib.sha256(repr((fingerprint, sorted(tests), sorted(paths))).encode()).hexdigest()
        kept = folder / "coverage.json"
        if kept.exists() and (found := json.loads(kept.read_text()))["key"] == key:
            self.ran = {test: {path: set(lines) for path, lines in ran.items()} for test, ran in found["ran"].items()}
            return
        self.builder = Builder(folder / "counted", cmocka, jobs, COVERAGE)
        self.paths, self.timeout = paths, timeout
        made = self.builder.compile_tests([t for t in tests if not t.startswith("cli_")], jobs)
        tests = [t for t in tests if t.startswith("cli_")] + made
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            self.ran = dict(zip(tests, pool.map(self.count, tests)))
        kept.write_text(json.dumps({"key": key, "ran": {t: {p: sorted(lines) for p, lines in ran.items()} for t, ran in self.ran.items()}}))

    def count(self, test):
        with tempfile.TemporaryDirectory(dir=self.builder.folder) as name:
            folder = pathlib.Path(name)
            counts = folder / "counts"
            program = self.builder.link_test(test, [], folder)
            if not program:
                return {}
            passes(program, self.timeout, folder, test=test, environment={**bare_environment(), "GCOV_PREFIX": str(counts)})
            wanted = []
            for path in self.paths:
                for made in counts.rglob(pathlib.Path(path).name + ".gcda"):
                    notes = pathlib.Path("/" + str(made.relative_to(counts))).with_suffix(".gcno")
                    if notes.exists() and str(notes.with_suffix("").with_suffix("")).endswith(path[:-2]):
                        shutil.copy(notes, made.with_suffix(".gcno"))
                        wanted.append(made)
            if not wanted:
                return {}
            done = subprocess.run([GCOV, "--json-format", "--stdout", *wanted], capture_output=True, text=True, cwd=folder)
            return lines_of(done.stdout, self.paths) if done.returncode == 0 else {}

    def tests_of(self, mutant):
        """Tests that run the mutant's line, or the last line before it that gcov knows of; None: all of them."""
        if self.ran is None:
            return None
        known = {line for ran in self.ran.values() for line in ran.get(mutant.path, ()) if line <= mutant.line}
        line = max(known, default=-1)
        return {test for test, ran in self.ran.items() if line in ran.get(mutant.path, ())}
