#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the man pages say of planning options what --help says, which comes from the table
of the library. In the section "Planning options" of a command's page there is an item for each
option of the help, in its order; the first line of the item is the help's sentence, word for word,
and the item names every word that the option takes. Other pages do not describe planning options:
they refer to meshplan-plan(1). In all pages the dashes of options
are written as \\-. Arguments: the root of the source, the program."""
import pathlib
import re
import subprocess
import sys

WITH_SECTION = ("plan", "partition", "renumber")
REFERRING = ("meshplan-run.1", "meshplan-batch.1", "meshplan-job.5")


def options_of(program, command):
    """Of the help's planning options: name, argument, sentence, words."""
    text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True).stdout
    section = re.search(r"^Planning options:\n(.*?)^Options of every", text, re.S | re.M)
    for item in re.split(r"\n(?= {6}--)", section.group(1).rstrip()) if section else ():
        name, argument, rest = re.fullmatch(r"--([a-z-]+)((?: [A-Z]+)?) (.*)", " ".join(item.split())).groups()
        words = re.fullmatch(r"(.*?): ((?:[\w-]+, )+[\w-]+)", rest) if argument else None
        sentence = words.group(1) if words else rest
        yield name, argument.strip(), sentence, words.group(2).split(", ") if words else []


def items_of(page):
    """Of the section in a page: name, argument, first line, words in bold."""
    section = re.search(r"^\.Ss Planning options\n(.*?)^\.(?:Ss|Sh|It Fl -compress)", page.replace("\\-", "-"), re.S | re.M)
    for item in re.split(r"^\.It Fl -", section.group(1), flags=re.M)[1:] if section else ():
        head, first, *_ = item.split("\n")
        name, _, argument = head.partition(" Ar ")
        words = [word for line in re.findall(r"^\.(?:It )?Cm (.*)", item, re.M) for word in re.findall(r"[\w-]+", line)]
        yield name, argument, first, words


def faults(command, due, found):
    if [option[:2] for option in due] != [item[:2] for item in found]:
        yield f"{command}: the help has {[o[:2] for o in due]}, the page {[i[:2] for i in found]}"
        return
    for (name, _, sentence, words), (_, _, first, bold) in zip(due, found):
        wanted = sentence[0].upper() + sentence[1:]
        if first.rstrip(".:") != wanted or first == wanted:
            yield f"{command}: --{name}: the page says '{first}', the help '{wanted}.'"
        if set(words) - set(bold):
            yield f"{command}: --{name}: the page does not name {sorted(set(words) - set(bold))}"


def hyphens(page):
    """Lines of text with an option whose dashes are not written as \\-: some programs print them as hyphens."""
    return [line for line in page.splitlines() if re.search(r"(?<![\w\\-])-{1,2}[A-Za-z]", line)
            and (not line.startswith(".") or re.match(r"\.(Ql|Dl|D1|Ic|Li|Dq) ", line) or re.search(r"\b(Ql|Li) -", line))]


def macros_in_headings(page):
    """Headings with a word that mdoc takes for a macro, such as In: it would be shown in brackets or not at all."""
    words = "An Ap Aq Ar At Bq Bx Cm Cd Dl Do Dq Dv Ec Em En Er Ev Fa Fl Fn Fo Ft Ic In Li Lk Mt Nm No Ns Op Or Ot Ox Pa Pf Pq Qc Ql Qq " \
            "So Sq St Sx Sy Tn Ux Va Vt Xr".split()
    return [line for line in page.splitlines() if line.startswith((".Ss ", ".Sh ")) and set(line.split()[1:]) & set(words)]


def main():
    man, program = pathlib.Path(sys.argv[1]) / "man", sys.argv[2]
    found, n = [], 0
    for command in WITH_SECTION:
        due = list(options_of(program, command))
        n += len(due)
        found += faults(command, due, list(items_of((man / f"meshplan-{command}.1").read_text())))
    found += [f"{page.name}: dashes must be \\-: {line}" for page in sorted(man.iterdir()) for line in hyphens(page.read_text())]
    if not hyphens("as --seed 1") or hyphens(".Fl -seed is \\-\\-seed of a-b"):
        found.append("the rule for dashes does not find what it should")
    found += [f"{page.name}: a word is a macro (write \\&): {line}" for page in sorted(man.iterdir())
              for line in macros_in_headings(page.read_text())]
    if not macros_in_headings(".Ss In programs") or macros_in_headings(".Ss \\&In programs"):
        found.append("the rule for headings does not find what it should")
    names = [option[0] for option in options_of(program, "run")]
    for name in REFERRING:
        page = (man / name).read_text()
        if ".Xr meshplan-plan 1" not in page:
            found.append(f"{name} does not refer to meshplan-plan(1)")
        found += [f"{name} describes --{option}" for option in names
                  if re.search(rf"^\.It (?:Fl -{option}|Cm {option.replace('-', '_')})\b(?!-)", page, re.M)]
    print("\n".join(found) if found else f"{n} planning options are described as --help has them")
    return 1 if found or n < 20 or not names else 0


sys.exit(main())
