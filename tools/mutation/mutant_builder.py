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
# Tests of the whole command, by Python, that ctest runs too (tests/CMakeLists.txt).
PACKAGE = {f"package_{name}": ROOT / "tests" / "package" / f"{name}.py" for name in ("fixtures", "vtu", "report", "python_package")}
PYTHON = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run([p, "-c", "import numpy"], capture_output=True).returncode == 0), sys.executable)
LAUNCHER = [ccache] if (ccache := shutil.which("ccache")) else []
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


def libraries_of_command():
    """Targets of CMake that the command is linked with, in the order of the linker."""
    found = re.search(r"target_link_libraries\(meshplan_cli PRIVATE mplan_build ([\w\s]+)\)", (ROOT / "CMakeLists.txt").read_text())
    return [*found.group(1).split(), "meshplan_reader_static"]


def of_command(test):
    """Whether a test runs the command `meshplan`, and needs no program of its own."""
    return test.startswith("cli_") or test in PACKAGE


class Builder:
    """The libraries as they are, the tests' objects, and how a changed file is compiled and linked."""

    def __init__(self, folder, cmocka, jobs, mode=GUARDS):
        self.folder = folder
        self.mode, self.jobs = mode, jobs
        self.zlib, self.yaml = has_library("z", "zlib.h"), has_library("yaml", "yaml.h")
        self.library = folder / "library"
        packages = "METIS SCOTCH XXHASH NETCDF CGNS HDF5 THREADS CUDA".split()
        headers = {"expat": "expat.h", "lzma": "lzma.h", "lz4": "lz4.h"}
        self.more = [name for name in headers if mode != GUARDS and has_library(name, headers[name])]
        packages += [name.upper() for name in headers if name not in self.more]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run(["cmake", "-S", ROOT, "-B", self.library, *generator, "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_C_FLAGS_RELEASE={' '.join(mode)}", *[f"-DCMAKE_C_COMPILER_LAUNCHER={l}" for l in LAUNCHER], "-DMPLAN_BUILD_TESTS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
             f"-DMPLAN_WITH_ZLIB={'ON' if self.zlib else 'OFF'}", f"-DMPLAN_WITH_YAML={'ON' if self.yaml else 'OFF'}", *[f"-DMPLAN_WITH_{p}=OFF" for p in packages]])
        run(["cmake", "--build", self.library, "-j", str(jobs), "--target", *libraries_of_command(),
             *(["meshplan_cli"] if mode != GUARDS else [])])
        commands = json.loads((self.library / "compile_commands.json").read_text())
        self.commands = {os.path.relpath(c["file"], ROOT): c for c in commands}
        self.archives = [str(self.library / f"lib{n.removesuffix('_static')}.a") for n in libraries_of_command()]
        self.include = [f"-I{cmocka}/include"] if cmocka else []
        self.link = ([f"-L{cmocka}/lib", f"-Wl,-rpath,{cmocka}/lib"] if cmocka else []) + ["-lcmocka"]
        self.link += [f"-l{name}" for name in self.more] + (["-lz"] if self.zlib else []) + (["-lyaml"] if self.yaml else []) + ["-lm", "-lpthread", "-ldl", *mode]
        self.objects = folder / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)

    def flags(self, path):
        """What CMake compiles a file with, without names of files."""
        return self.flags_of(self.commands[path]["command"])

    @staticmethod
    def flags_of(command):
        keep, skip = [], False
        for word in shlex.split(command)[1:]:
            if skip or word in ("-o", "-c", "-MF", "-MT", "-MQ"):
                skip = not skip and word != "-c"
                continue
            if word.startswith(("-D", "-I", "-O", "-f", "-std", "-isystem")) or keep and keep[-1] == "-isystem":
                keep.append(word)
        return keep

    def change(self, mutant, to):
        """The object of the file with a mutant; None where it is not C."""
        return self.compile(mutant.path, apply(mutant.source, mutant.edits), to)[0]

    def all_flags(self, path):
        """Those of each time that a file is compiled."""
        return [self.flags(path)]

    def compile(self, path, source, to, more=(), flags=None):
        """Compiles text as if it were the file. The object, or the lines that are not C."""
        made = to / pathlib.Path(path).name
        made.write_text(source)
        object_file = made.with_suffix(".o")
        done = subprocess.run([CC, "-w", *(flags or self.flags(path)), *more, f"-I{(ROOT / path).parent}", "-c", made, "-o", object_file],
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

    def prepare(self):
        """Objects of what tests share; those of tests are made when they are first needed."""
        flags = [f for f in self.flags("src/exec/binding/bind.c") if not f.startswith("-fvisibility")]
        flags += [f"-I{UNIT}", *self.test_definitions()]
        self.test_flags = flags
        (self.folder / "mutant_chosen.c").write_text(CHOSEN)
        headers = [*ROOT.glob("src/**/*.h"), *ROOT.glob("formats/**/*.h"), *UNIT.glob("*.h"), *CAMPAIGN.glob("*.h")]
        self.newest = max(header.stat().st_mtime for header in headers)
        sources = [self.folder / "mutant_chosen.c", *sorted(UNIT.glob("support_*.c"))]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            bad = [why for why in pool.map(self.compile_one, sources) if why]
        if bad:
            sys.exit(f"mutants: {bad[0]}")
        support = self.folder / "libsupport.a"
        support.unlink(missing_ok=True)
        run(["ar", "rcs", support, *sorted(o for o in self.objects.glob("support_*.o") if o.stem != "support_memory")])
        self.support = str(support)

    def compile_one(self, source):
        """Makes the object of a file of tests, or returns what the compiler says."""
        made = self.objects / f"{source.stem}.o"
        if made.exists() and made.stat().st_mtime > max(self.newest, source.stat().st_mtime):
            return ""
        own = self.objects / f"{source.stem}.{threading.get_ident()}.o"
        more = ["-DMPLAN_EVERY_CASE"] if source.stem.startswith("test_known_") else [] # these see most
        done = subprocess.run([*LAUNCHER, CC, "-w", *self.test_flags, *more, *self.include, "-c", source, "-o", own],
                              capture_output=True, text=True, cwd=self.library)
        if done.returncode:
            return done.stderr
        own.replace(made)
        return ""

    def compile_test(self, test):
        """What the compiler says of a test that cannot be compiled; '' of one that can."""
        if of_command(test):
            return ""
        return "".join(map(self.compile_one, PLAN_MUTANTS_SOURCES if test == PLAN_MUTANTS else [UNIT / f"{test}.c"]))

    def link_test(self, test, changed, to, why=None):
        """A test, or the command for a test of it, with the changed object in the place of the library's. None where it
        cannot be linked; `why` gets the linker's words."""
        program = to / test
        if of_command(test):
            program = to / "meshplan"
            objects = sorted((self.library / "CMakeFiles/meshplan_cli.dir").rglob("*.o"))
            if changed and program.exists():
                return program
            return self.link_objects([*objects, *changed], program, why)
        if words := self.compile_test(test):
            if why is not None:
                why.append(words)
            return None
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


class Built(Builder):
    """The same of a folder that CMake and ninja have built by the preset `sanitize`: nothing is built anew, and the packages and
    programs of libexec that it has are there."""

    def __init__(self, built, folder, jobs):
        self.library, self.folder, self.jobs, self.mode = built.resolve(), folder, jobs, SANITIZE
        self.commands, self.helpers, self.links, self.lock = {}, collections.defaultdict(list), {}, threading.Lock()
        for one in json.loads(run(["ninja", "-C", self.library, "-t", "compdb"])):
            path, made = os.path.relpath(one["file"], ROOT), one.get("output", "")
            if re.match(r"CMakeFiles/(mplan_meshplan\w*_objects|mplan_apps|mplan_cache)\.dir/", made):
                self.commands[path] = one
            if target := re.match(r"CMakeFiles/(meshplan-[\w-]+)\.dir/", made):
                self.helpers[path].append((target.group(1), one))
        for path, programs in self.helpers.items():
            self.commands.setdefault(path, programs[0][1])
        self.yaml = True

    def prepare(self):
        pass

    def all_flags(self, path):
        return [self.flags(path), *(self.flags_of(one["command"]) for _, one in self.helpers[path])]

    def change(self, mutant, to):
        """The programs of libexec that the file is a part of are made, too, where tests look for them."""
        programs = to / "libexec" / "meshplan"
        programs.mkdir(parents=True)
        for program in (self.library / "libexec" / "meshplan").iterdir():
            (programs / program.name).symlink_to(program)
        changed = super().change(mutant, to)
        for target, one in self.helpers[mutant.path] if changed else ():
            made = to / f"{target}.o"
            run([CC, "-w", *self.flags_of(one["command"]), f"-I{(ROOT / mutant.path).parent}", "-c", changed.with_suffix(".c"), "-o", made], cwd=self.library)
            (programs / target).unlink()
            self.link(f"libexec/meshplan/{target}", {one["output"]: made}, [], programs / target, [])
        return changed

    def link_test(self, test, changed, to, why=None):
        program = to / "bin" / ("meshplan" if of_command(test) else test)
        if of_command(test) and changed and program.exists():
            return program
        program.parent.mkdir(exist_ok=True)
        if not (to / "libexec").exists():
            (to / "libexec").symlink_to(self.library / "libexec")
        target = "meshplan" if of_command(test) else "tests/" + ("plan_mutants" if test == PLAN_MUTANTS else test)
        return program if self.link(target, {}, changed, program, [] if why is None else why) else None

    def link(self, target, instead, changed, program, why):
        """Links as ninja would, with objects in the place of others, and `changed` before all libraries."""
        with self.lock:
            if target not in self.links:
                self.links[target] = shlex.split(run(["ninja", "-C", self.library, "-t", "commands", target]).splitlines()[-1])
        words = [instead.get(word, word) for word in self.links[target] if word not in (":", "&&")]
        words[words.index("-o") + 1] = program
        first = next((i for i, word in enumerate(words) if str(word).endswith(".a")), len(words))
        done = subprocess.run([*words[:first], *changed, *words[first:]], capture_output=True, text=True, cwd=self.library)
        why += [done.stderr] if done.returncode else []
        return done.returncode == 0


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
    if test in PACKAGE: # numpy may belong to another Python
        command = [PYTHON, PACKAGE[test], program]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=folder,
                               env={**(environment or os.environ), "MPLAN_MUTANT": str(chosen)},
                               preexec_fn=bounds(int(seconds), not environment), start_new_session=True)
    try:
        return running.wait(timeout=4 * seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL) # the group that start_new_session made
        running.wait()
        return False


class Clock:
    """How long each test takes as it is: measured when it is first needed, by the unchanged libraries."""

    def __init__(self, builder, wanted, environment=None):
        self.builder, self.wanted, self.environment = builder, wanted, environment
        self.lock, self.locks, self.limits, self.seconds = threading.Lock(), collections.defaultdict(threading.Lock), {}, {}

    def limit(self, test):
        """Seconds that a test may take with a mutant; None where it does not run here as it is."""
        with self.lock:
            own = self.locks[test]
        with own:
            if test not in self.limits:
                self.limits[test] = self.measure(test)
            return self.limits[test]

    def measure(self, test):
        general = self.environment is not None
        with tempfile.TemporaryDirectory(dir=self.builder.folder) as name:
            why = []
            program = self.builder.link_test(test, [], pathlib.Path(name), why)
            begin = time.time()
            good = program and passes(program, self.wanted or (60 if general else 600), name, test=test, environment=self.environment)
            self.seconds[test] = time.time() - begin
        if not good:
            print(f"mutants: {test} {'cannot be linked' if why else 'does not run here as it is'}\n{''.join(why)}", end="", file=sys.stderr)
            return None
        return self.wanted or max(5, (3 if general else 15) * self.seconds[test])


class Campaign:
    """Judges mutants by tests; `tests_of` lists those of a file, in the order in which they run at first.
    coverage: of general mutants, which tests run which lines; near: only so many tests are asked, 0 for all; end: the
    time.time() after which nothing is begun, None for never."""

    def __init__(self, builder, clock, results, tests_of, coverage=None, near=0, end=None):
        self.builder, self.clock, self.results, self.tests_of, self.end = builder, clock, results, tests_of, end
        self.coverage, self.near, self.environment = coverage, near, clock.environment
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
        first = next(test for test in self.tests_of(path) if self.clock.limit(test))
        program = self.builder.link_test(first, objects, folder)
        if not program or not passes(program, self.clock.limit(first), folder):
            return # it does not stand for the unchanged file: each mutant is compiled by itself
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
        """Name of the test that catches a mutant; 'compiler' where it is not C, 'same' where it is the same machine code;
        '' where none does; None where time was up before that was known."""
        number, folder = self.switches.get(mutant.id, (0, None))
        with tempfile.TemporaryDirectory(dir=self.builder.folder) as name:
            own = pathlib.Path(name)
            if not folder:
                changed = self.builder.change(mutant, own)
                if not changed:
                    return "compiler"
            left_out = []
            for test in self.order_of(mutant):
                if self.time_is_up():
                    return None
                limit = self.clock.limit(test)
                if not limit:
                    left_out.append(test)
                    continue
                program = self.switched_test(test, folder) if folder else self.builder.link_test(test, [changed], own)
                if not program:
                    return "linker"
                if not passes(program, limit, own, number, test, self.environment):
                    with self.lock:
                        self.kills[mutant.path, test] += 1
                    return test
                if not folder and program.name != "meshplan":
                    program.unlink()
            if self.is_same(mutant, own):
                return "same"
            return f"open {' '.join(left_out)}" if left_out else ""

    def order_of(self, mutant):
        """The tests that can see a mutant: those that caught others of the file first, then near ones, then quick ones."""
        tests = self.tests_of(mutant.path)
        see = self.coverage.tests_of(mutant) if self.coverage else None
        tests = [t for t in tests if see is None or t in see]
        rank = {t: i for i, t in enumerate(tests)}
        behind = {t: 3 if rank[t] >= 4 and not t.startswith("test_known_") else 2 if t.startswith("test_known_") else 1 for t in tests}
        tests.sort(key=lambda t: (-self.kills[mutant.path, t] / max(1, self.seconds(t)), behind[t], self.seconds(t), rank[t]))
        return sorted(tests, key=lambda t: rank[t])[:self.near] if self.near else tests

    def seconds(self, test):
        """What a test takes, as far as that is known."""
        known = self.clock.seconds.get(test)
        return known if known is not None else self.coverage.seconds.get(test, 1) if self.coverage else 1

    def is_same(self, mutant, folder):
        """Whether a file is optimised to the same machine code with a mutant: no test could tell them apart."""
        def code(source):
            found = []
            for flags in self.builder.all_flags(mutant.path):
                made, _ = self.builder.compile(mutant.path, source, folder / "same", ["-O2", "-fno-sanitize=all", "-DNDEBUG"], flags)
                found.append(made.read_bytes() if made else None)
            return found
        (folder / "same").mkdir()
        if mutant.path not in self.unchanged:
            self.unchanged[mutant.path] = code(mutant.source)
        return code(apply(mutant.source, mutant.edits)) == self.unchanged[mutant.path]

    def time_is_up(self):
        return self.end is not None and time.time() >= self.end

    def run_one(self, mutant):
        """The mutant and its verdict, as judge gives it."""
        verdict = None if self.time_is_up() else self.judge(mutant)
        if verdict is None:
            return mutant, None
        with self.lock, open(self.results, "a") as out:
            out.write(f"{mutant.id}\t{verdict or '-'}\t{mutant.path}:{mutant.line}\n")
        return mutant, verdict
