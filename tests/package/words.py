#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that messages, help, man pages, documents and comments do not use: words.py SOURCE_FOLDER

Readers whose English is their second language meet one word for one thing, and no bookish turns. WORDS has a row for
each: what is not written, and what is written in its place. Code of C is not looked at, only its comments and texts."""
import pathlib
import re
import subprocess
import sys

WORDS = [
    (r"(?<!here )(?<!where )(?<!here\n)\b(is|are|was|were) no (?!longer\b|more\b|larger\b|smaller\b|further\b|better\b|less\b|fewer\b)",
     "is not a"),
    (r"(?<!left )(?<!left\n)\balone\b(?!`)", "only, by itself"),
    (r"\bstands?\b(?! for\b| still\b|-in)", "is, are"),
    (r"\bpassed over\b", "skipped"),
    (r"\b(turned|turns|turn) (round|about|over)\b", "reversed, transposed"),
    (r"\bmade? round\b", "Lloyd relaxation"),
    (r"\bwalkers?\b", "host executor"),
    (r"\bline order\b", "cache-line packing"),
    (r"\bdefault default\b", "default"),
    (r"\bwhether or no\b", "whether"),
    (r"\b(thereof|therein|whereof|hitherto|heretofore|nought|naught|ere)\b", "plain words"),
]
FOUND = [(re.compile(pattern, re.I), instead) for pattern, instead in WORDS]
C_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
OTHER_TEXT = re.compile(r'"""(?:.*?)"""|(?:^|\s)#[^\n]*', re.S | re.M)
NOT_LOOKED_AT = re.compile(r"^tests/(data|fuzz/corpus)/|^tests/mutants-equivalent\.txt$|^LICENSES/|^CHANGELOG\.md$|/words\.py$|\.(out|err|expected)$")


def texts_of(name, content):
    """Pairs of a place in the content and a text that people read there."""
    if name.endswith((".c", ".h", ".cu")):
        return [(found.start(), found.group()) for found in C_TEXT.finditer(content)]
    if name.endswith(".md") or re.search(r"^man/.*\.[0-9]$", name):
        return [(0, content)]
    if name.endswith((".py", ".sh", ".cmake", "CMakeLists.txt")) or content.startswith("#!"):
        return [(found.start(), found.group()) for found in OTHER_TEXT.finditer(content)]
    return []


def faults_of(name, content):
    for begin, text in texts_of(name, content):
        for pattern, instead in FOUND:
            for found in pattern.finditer(text):
                line = content.count("\n", 0, begin + found.start()) + 1
                yield f"{name}:{line}: '{' '.join(found.group().split())}': {instead}"


def planted():
    """What must be found, and what must not."""
    wrong = ['/* A plan\n * is no mesh. */', '"%s stands alone"', "// passed over"]
    right = ['/* There is no mesh; it is no longer here; 0 stands for none, left alone. */', "int alone = stand;", "/* `alone` */"]
    return ([f"not found: {text}" for text in wrong if not list(faults_of("a.c", text))]
            + [f"found: {fault}" for text in right for fault in faults_of("a.c", text)])


def main():
    root = pathlib.Path(sys.argv[1])
    done = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True)
    names = done.stdout.split() if done.returncode == 0 else [str(p.relative_to(root)) for top in ("src", "formats", "man", "tools", "tests")
                                                              for p in (root / top).rglob("*") if p.is_file()]
    missed = planted()
    faults, read = [], 0
    for name in names:
        path = root / name
        if NOT_LOOKED_AT.search(name) or path.is_symlink() or not path.is_file():
            continue
        try:
            content = path.read_text()
        except UnicodeDecodeError:
            continue
        read += bool(texts_of(name, content))
        faults += faults_of(name, content)
    print("\n".join(missed + faults) or f"{read} files")
    return 1 if missed or faults or read < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
