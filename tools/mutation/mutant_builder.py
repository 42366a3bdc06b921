# SPDX-License-Identifier: Apache-2.0
"""Builds mutants and runs the tests that should see them (tools/mutants)."""
import collections, concurrent.futures, json, os, pathlib, re, resource, shlex, shutil, signal, subprocess, sys, tempfile, threading, time

from mutant_places import ROOT, apply, switched

CC = os.environ.get("CC", "cc")
UNIT = ROOT / "tests" / "unit"
CAMPAIGN = ROOT / "tests" / "campaign"
CLI = ROOT / "tests" / "cli"
PLAN_MUTANTS = "campaign_plan_mutants" # a test, of these files, and what it is called with
PLAN_MUTANTS_SOURCES = [CAMPAIGN / "plan_mutants.c", *sorted(CAMPAIGN.glob("mutants_*.c")), *sorted(CAMPAIGN.glob("naive_*.c"))]
PLAN_MUTANTS_SIZE = ["--plans", "60", "--mutants", "60"]
CHOSEN = """#include <stdlib.h>
int mplan_mutant_chosen;
__attribute__((constructor)) static void choose(void)
{
    const char *text = getenv("MPLAN_MUTANT");
    mplan_mutant_chosen = text ? atoi(text) : 0;
}
"""


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"mutants: {shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def has_library(name, header):
    return subprocess.run([CC, "-x", "c", "-", f"-l{name}", "-o", "/dev/null"], input=f"#include <{header}>\nint main(void){{return 0;}}",
                          text=True, capture_output=True).returncode == 0


def wraps_of(test):
    """Functions that a test replaces when it is linked: those that it defines as __wrap_NAME."""
    text = (UNIT / f"{test}.c").read_text() if (UNIT / f"{test}.c").exists() else ""
    if "support_memory.h" in text:
        text += (UNIT / "support_memory.c").read_text()
    return sorted(set(re.findall(r"__wrap_(\w+)", text)))


GUARDS = ["-O1", "-DNDEBUG"] # flags of the libraries where guards are changed
SANITIZE = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"] # as CI runs tests: with asserts, and bounds of arrays
COVERAGE = ["-O1", "--coverage"]


def flags_of_general():
    """SANITIZE, or without the sanitizers where the compiler has none."""
    done = subprocess.run([CC, "-x", "c", "-", *SANITIZE, "-o", "/dev/null"], input="int main(void){return 0;}", text=True, capture_output=True)
    return SANITIZE if done.returncode == 0 else SANITIZE[:1]


def bare_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("MPLAN_")}


def environment_of_general(folder):
    """The environment of tests: leaks are found but where the machine does not let a process look at itself."""
    (folder / "leaks.c").write_text("int main(void){return 0;}")
    environment = bare_environment()
    run([CC, *flags_of_general(), folder / "leaks.c", "-o", folder / "leaks"])
    if subprocess.run([folder / "leaks"], capture_output=True, env=environment).returncode:
        environment["ASAN_OPTIONS"] = "detect_leaks=0"
    return environment


class Builder:
    """The libraries as they are, the tests' objects, and how a changed file is compiled and linked."""

    def __init__(self, folder, cmocka, jobs, mode=GUARDS):
        self.folder = folder
        self.mode = mode
        self.zlib, self.yaml = has_library("z", "zlib.h"), has_library("yaml", "yaml.h")
        self.library = folder / "library"
        packages = "METIS SCOTCH XXHASH NETCDF EXPAT LZMA LZ4 CGNS HDF5 THREADS CUDA".split()
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run(["cmake", "-S", ROOT, "-B", self.library, *generator, "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_C_FLAGS_RELEASE={' '.join(mode)}", "-DMPLAN_BUILD_TESTS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
             f"-DMPLAN_WITH_ZLIB={'ON' if self.zlib else 'OFF'}", f"-DMPLAN_WITH_YAML={'ON' if self.yaml else 'OFF'}", *[f"-DMPLAN_WITH_{p}=OFF" for p in packages]])
        run(["cmake", "--build", self.library, "-j", str(jobs), "--target", "meshplan_static", "meshplan_exec_static", "meshplan_reader_static", "mplan_apps",
             *(["meshplan_cli"] if mode != GUARDS else [])])
        commands = json.loads((self.library / "compile_commands.json").read_text())
        self.commands = {os.path.relpath(c["file"], ROOT): c for c in commands}
        self.archives = [str(self.library / f"lib{n}.a") for n in ("mplan_apps", "meshplan_exec", "meshplan", "meshplan_reader")]
        self.include = [f"-I{cmocka}/include"] if cmocka else []
        self.link = ([f"-L{cmocka}/lib", f"-Wl,-rpath,{cmocka}/lib"] if cmocka else []) + ["-lcmocka"]
        self.link += (["-lz"] if self.zlib else []) + (["-lyaml"] if self.yaml else []) + ["-lm", "-lpthread", "-ldl", *mode]
        self.objects = folder / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)

    def flags(self, path):
        """What CMake compiles a file with, without names of files."""
        words = shlex.split(self.commands[path]["command"])
        keep, skip = [], False
        for word in words[1:]:
            if skip or word in ("-o", "-c", "-MF", "-MT", "-MQ"):
                skip = not skip and word != "-c"
                continue
            if word.startswith(("-D", "-I", "-O", "-f", "-std", "-isystem")) or keep and keep[-1] == "-isystem":
                keep.append(word)
        return keep

    def compile(self, path, source, to, more=()):
        """Compiles text as if it were the file. The object, or the lines that are no C."""
        made = to / pathlib.Path(path).name
        made.write_text(source)
        object_file = made.with_suffix(".o")
        done = subprocess.run([CC, "-w", *self.flags(path), *more, f"-I{(ROOT / path).parent}", "-c", made, "-o", object_file],
                              capture_output=True, text=True, cwd=self.library)
        if done.returncode == 0:
            return object_file, []
        return None, [int(n) for n in re.findall(rf"^{re.escape(str(made))}:(\d+):\d+: error", done.stderr, re.M)]

    def test_definitions(self):
        """Folders and files that tests/CMakeLists.txt tells the tests."""
        folders = {"CMAKE_CURRENT_SOURCE_DIR": f"{ROOT}/tests", "PROJECT_SOURCE_DIR": str(ROOT)}
        text = (ROOT / "tests/CMakeLists.txt").read_text()
        found = re.findall(r'(MPLAN_\w+)="\$\{(CMAKE_CURRENT_SOURCE_DIR|PROJECT_SOURCE_DIR)\}([^"$]*)"', text)
        return sorted({f'-D{name}="{folders[base]}{rest}"' for name, base, rest in found})

    def compile_tests(self, tests, jobs):
        """Objects of tests. Returns those that compile."""
        flags = [f for f in self.flags("src/exec/binding/bind.c") if not f.startswith("-fvisibility")]
        flags += [f"-I{UNIT}", *self.test_definitions()]
        campaign = PLAN_MUTANTS_SOURCES if PLAN_MUTANTS in tests else []
        (self.folder / "mutant_chosen.c").write_text(CHOSEN)
        sources = [self.folder / "mutant_chosen.c", *sorted(UNIT.glob("support_*.c")), *campaign]
        sources += [UNIT / f"{t}.c" for t in tests if t != PLAN_MUTANTS]

        headers = [*ROOT.glob("src/**/*.h"), *ROOT.glob("formats/**/*.h"), *UNIT.glob("*.h"), *CAMPAIGN.glob("*.h")]
        newest = max(header.stat().st_mtime for header in headers)

        def compile_one(source):
            made = self.objects / f"{source.stem}.o"
            if made.exists() and made.stat().st_mtime > max(newest, source.stat().st_mtime):
                return source.stem, subprocess.CompletedProcess([], 0)
            command = [CC, "-w", *flags, *self.include, "-c", source, "-o", self.objects / f"{source.stem}.o"]
            return source.stem, subprocess.run(command, capture_output=True, text=True, cwd=self.library)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            done = dict(pool.map(compile_one, sources))
        bad = [stem for stem, one in done.items() if one.returncode]
        if any(not stem.startswith("test_") for stem in bad):
            sys.exit(f"mutants: {bad[0]}.c\n{done[bad[0]].stderr}")
        support = self.folder / "libsupport.a"
        support.unlink(missing_ok=True)
        run(["ar", "rcs", support, *sorted(o for o in self.objects.glob("support_*.o") if o.stem != "support_memory")])
        self.support = str(support)
        return [test for test in tests if test not in bad]

    def link_test(self, test, changed, to, why=None):
        """A test, or the command for a test of it, with the changed object in the place of the library's. None where it
        cannot be linked; `why` gets the linker's words."""
        program = to / test
        if test.startswith("cli_"):
            program = to / "meshplan"
            objects = sorted((self.library / "CMakeFiles/meshplan_cli.dir").rglob("*.o"))
            if changed and program.exists():
                return program
            return self.link_objects([*objects, *changed], program, why)
        wraps = [f"-Wl,--wrap={name}" for name in wraps_of(test)]
        objects = [self.objects / f"{test}.o"]
        if "-Wl,--wrap=malloc" in wraps:
            objects.append(self.objects / "support_memory.o")
        if test == PLAN_MUTANTS:
            objects = [self.objects / f"{source.stem}.o" for source in PLAN_MUTANTS_SOURCES]
        return self.link_objects([*objects, *changed, *wraps, self.support], program, why)

    def link_objects(self, objects, program, why):
        done = subprocess.run([CC, *objects, *self.archives, *self.link, "-o", program], capture_output=True, text=True)
        if done.returncode and why is not None:
            why.append(done.stderr)
        return program if done.returncode == 0 else None


# --- running ------------------------------------------------------------------------------------------


def bounds(seconds, memory):
    def set_bounds():
        if memory: # not where a sanitizer maps all there is
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))
    return set_bounds


def passes(program, seconds, folder, chosen=0, test="", environment=None):
    """Whether a program of a test, or the command in `test` of it, ends well in 4 * `seconds`, none of it later than that."""
    command = [program, *(PLAN_MUTANTS_SIZE if program.name == PLAN_MUTANTS else [])]
    if test.startswith("cli_"):
        command = ["bash", CLI / "run.sh", program, CLI / f"{test[4:]}.sh"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=folder,
                               env={**(environment or os.environ), "MPLAN_MUTANT": str(chosen)},
                               preexec_fn=bounds(int(seconds), not environment), start_new_session=True)
    try:
        return running.wait(timeout=4 * seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL) # the group that start_new_session made
        running.wait()
        return False


class Campaign:
    """Judges mutants by tests; `tests_of` lists those of a file, in the order in which they run at first.
    coverage: of general mutants, which tests run which lines."""

    def __init__(self, builder, limits, results, tests_of, coverage=None, environment=None):
        self.builder, self.limits, self.results, self.tests_of = builder, limits, results, tests_of
        self.coverage, self.environment = coverage, environment
        self.unchanged = {} # by path: bytes of the object as it is
        self.lock, self.linking = threading.Lock(), threading.Lock()
        self.kills = collections.Counter()
        self.switches = {} # by id of a mutant: number and object

    def switch(self, path, mutants):
        """Compiles all mutants of a file in one object, as far as that goes."""
        folder = self.builder.folder / "switched" / pathlib.Path(path).stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        left_out = set()
        for _ in range(12):
            source, slots = switched(mutants[0].source, mutants, left_out)
            made, errors = self.builder.compile(path, source, folder)
            if made:
                break
            wrong = {slots[line] for line in errors if line in slots}
            if not wrong:
                return
            left_out |= wrong
        if not made:
            return
        objects = [made, self.builder.objects / "mutant_chosen.o"]
        first = next(test for test in self.tests_of(path) if test in self.limits)
        program = self.builder.link_test(first, objects, folder)
        if not program or not passes(program, self.limits[first], folder):
            return # it does not stand for the unchanged file: each mutant is compiled alone
        for number, mutant in enumerate(mutants, 1):
            if f"mplan_mutant_chosen == {number} ?" in source:
                self.switches[mutant.id] = number, folder

    def switched_test(self, test, folder):
        """A test with all mutants of a file, linked when it is first needed."""
        with self.linking:
            program = folder / test
            if program.exists():
                return program
            objects = [next(folder.glob("*.o")), self.builder.objects / "mutant_chosen.o"]
            return self.builder.link_test(test, objects, folder)

    def judge(self, mutant):
        """Name of the test that catches a mutant; 'compiler' where it is no C, 'same' where it is the same machine code;
        '' where none does."""
        number, folder = self.switches.get(mutant.id, (0, None))
        with tempfile.TemporaryDirectory(dir=self.builder.folder) as name:
            own = pathlib.Path(name)
            if not folder:
                changed, _ = self.builder.compile(mutant.path, apply(mutant.source, mutant.edits), own)
                if not changed:
                    return "compiler"
            near = {t: i < 3 for i, t in enumerate(t for t in self.tests_of(mutant.path) if t in self.limits)}
            if self.coverage:
                see = self.coverage.tests_of(mutant)
                near = {t: is_near for t, is_near in near.items() if see is None or t in see}
            for test in sorted(near, key=lambda t: (-self.kills[mutant.path, t] / self.limits[t], not near[t], self.limits[t])):
                program = self.switched_test(test, folder) if folder else self.builder.link_test(test, [changed], own)
                if not program:
                    return "linker"
                if not passes(program, self.limits[test], own, number, test, self.environment):
                    with self.lock:
                        self.kills[mutant.path, test] += 1
                    return test
                if not folder and program.name != "meshplan":
                    program.unlink()
            return "same" if self.is_same(mutant, own) else ""

    def is_same(self, mutant, folder):
        """Whether a file is optimised to the same machine code with a mutant: no test could tell them apart."""
        def code(source):
            made, _ = self.builder.compile(mutant.path, source, folder / "same", ["-O2", "-fno-sanitize=all", "-DNDEBUG"])
            return made.read_bytes() if made else None
        (folder / "same").mkdir()
        if mutant.path not in self.unchanged:
            self.unchanged[mutant.path] = code(mutant.source)
        return code(apply(mutant.source, mutant.edits)) == self.unchanged[mutant.path]

    def run_one(self, mutant):
        verdict = self.judge(mutant)
        with self.lock, open(self.results, "a") as out:
            out.write(f"{mutant.id}\t{verdict or '-'}\t{mutant.path}:{mutant.line}\n")
        return mutant, verdict


def time_tests(builder, tests, wanted, jobs, strict, environment=None):
    """Seconds that each test may take, by test. One that fails as it is ends the program, or is left out with a word."""
    def time_one(test):
        with tempfile.TemporaryDirectory(dir=builder.folder) as name:
            why = []
            program = builder.link_test(test, [], pathlib.Path(name), why)
            begin = time.time()
            good = program and passes(program, wanted or (60 if environment else 600), name, test=test, environment=environment)
            return test, good, wanted or max(5, (3 if environment else 15) * (time.time() - begin)), "".join(why)
    limits = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for test, good, limit, why in pool.map(time_one, tests):
            if good:
                limits[test] = limit
            else:
                print(f"mutants: {test} {'cannot be linked' if why else 'fails as it is'}\n{why}", end="", file=sys.stderr)
                if strict:
                    sys.exit(2)
    return limits
