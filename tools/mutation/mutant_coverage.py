# SPDX-License-Identifier: Apache-2.0
"""Which tests run which lines (tools/mutants --general): each test once with a library that counts, read by gcov."""
import collections, concurrent.futures, hashlib, json, os, pathlib, shutil, subprocess, sys, tempfile, time

from mutant_builder import COVERAGE, ROOT, Builder, bare_environment, passes

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


def own_files(test):
    """What belongs to a test only: when it changes, its lines are counted again."""
    found = [ROOT / "tests" / "unit" / f"{test}.c", *sorted((ROOT / "tests" / "cli").glob(f"{test[4:]}.*"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in found if path.is_file())).hexdigest()[:16]


class Coverage:
    """Lines of `paths` that each of `tests` runs, and seconds that it takes; kept in coverage.json of the build folder while
    the libraries and the test are the same. The file holds no names of folders: it may come from another machine."""

    def __init__(self, folder, cmocka, jobs, tests, paths, fingerprint, timeout, end=None):
        """After the time.time() `end` no other test is begun; `missing` says how many are not counted yet."""
        self.ran, self.seconds, self.missing, self.end, kept = {}, {}, 0, end, folder / "coverage.json"
        found = json.loads(kept.read_text()) if kept.exists() else {}
        if found.get("key") != fingerprint:
            found = {"key": fingerprint, "tests": {}}
        old = {test: one for test, one in found["tests"].items() if one["own"] == own_files(test)}
        open_ones = [test for test in tests if test not in old or not set(paths) <= set(old[test]["ran"])]
        if open_ones and not shutil.which(GCOV):
            print(f"mutants: there is no {GCOV}: each mutant meets all tests", file=sys.stderr)
            self.ran = None
            return
        if open_ones:
            self.builder = Builder(folder / "counted", cmocka, jobs, COVERAGE)
            self.builder.prepare()
            self.paths, self.timeout = sorted(set(paths).union(*(one["ran"] for one in old.values()))), timeout
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for test, (ran, seconds) in zip(open_ones, pool.map(self.count, open_ones)):
                    if ran is None:
                        self.missing += 1
                        continue
                    lines = {path: sorted(ran.get(path, ())) for path in self.paths}
                    old[test] = {"own": own_files(test), "seconds": round(seconds, 2), "ran": lines}
            kept.write_text(json.dumps({"key": fingerprint, "tests": old}))
        for test in tests if not self.missing else ():
            self.ran[test] = {path: set(lines) for path, lines in old[test]["ran"].items() if lines}
            self.seconds[test] = old[test]["seconds"]

    def count(self, test):
        """Lines that ran by path, and seconds; (None, 0) where time is up."""
        if self.end is not None and time.time() >= self.end:
            return None, 0
        with tempfile.TemporaryDirectory(dir=self.builder.folder) as name:
            folder = pathlib.Path(name)
            counts = folder / "counts"
            why = []
            program = self.builder.link_test(test, [], folder, why)
            if not program:
                print(f"mutants: {test} cannot be linked\n{''.join(why)[-400:]}", file=sys.stderr)
                return {}, 0
            begin = time.time()
            passes(program, self.timeout, folder, test=test, environment={**bare_environment(), "GCOV_PREFIX": str(counts)})
            seconds, wanted = time.time() - begin, []
            for path in self.paths:
                for made in counts.rglob(pathlib.Path(path).name + ".gcda"):
                    notes = pathlib.Path("/" + str(made.relative_to(counts))).with_suffix(".gcno")
                    if notes.exists() and str(notes.with_suffix("").with_suffix("")).endswith(path[:-2]):
                        shutil.copy(notes, made.with_suffix(".gcno"))
                        wanted.append(made)
            if not wanted:
                return {}, seconds
            done = subprocess.run([GCOV, "--json-format", "--stdout", *wanted], capture_output=True, text=True, cwd=folder)
            return lines_of(done.stdout, self.paths) if done.returncode == 0 else {}, seconds

    def tests_of(self, mutant):
        """Tests that run the mutant's line, or the last line before it that gcov knows of; None: all of them."""
        if self.ran is None:
            return None
        known = {line for ran in self.ran.values() for line in ran.get(mutant.path, ()) if line <= mutant.line}
        line = max(known, default=-1)
        return {test for test, ran in self.ran.items() if line in ran.get(mutant.path, ())}
