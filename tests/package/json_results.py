#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON of every command has command, input, options and error, also where the command fails: then error holds what
standard error says, the file and line that it names, and the exit code. Argument: the meshplan program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WITHOUT = {"help", "completion"}  # print texts for people and shells


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def call(*words):
    done = subprocess.run([PROGRAM, *words, "--quiet", "--threads", "1"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def results(command, *words, code=0):
    """The last object that --json - prints."""
    found, text, said = call(command, *words, "--json", "-")
    where = f"{command} {' '.join(words)}"
    require(found == code, f"{where}: exit {found}, not {code}: {said}")
    objects = [json.loads(line) for line in text.splitlines()] if command == "run" else [json.loads(text)]
    one = objects[-1]
    require(one["command"] == command and isinstance(one["input"], list) and isinstance(one["options"], dict)
            and "error" in one, f"{where}: keys {list(one)}")
    require(one["options"]["threads"] == 1 and not {"json", "quiet"} & set(one["options"]),
            f"{where}: options {one['options']}")
    if command == "run" and len(one) > 4:
        require(one["error"] is None or isinstance(one["error"], float), f"{where}: a run's error is a difference")
    elif code == 0:
        require(one["error"] is None, f"{where}: {one['error']}")
    else:
        error = one["error"]
        require(list(error) == ["message", "file", "line", "exit_code"], f"{where}: {error}")
        require(said.splitlines()[-1] == "meshplan: " + error["message"], f"{where}: {error['message']} is not {said}")
        require(error["exit_code"] == code, f"{where}: {error}")
    return one


def well(commands):
    call("generate", "quad", "8x6", "-o", "q.msh")
    call("plan", "q.msh", "--parts", "2", "-o", "p.mplans")
    done = {
        "generate": results("generate", "naca0012", "12x4", "-o", "naca.dat"),
        "plan": results("plan", "q.msh", "--strategy", "block-colour", "--block-size", "16", "--seed", "3", "-o", "p.mplan"),
        "info": results("info", "p.mplan"),
        "verify": results("verify", "p.mplan", "--mesh", "q.msh"),
        "compare": results("compare", "p.mplan", "p.mplan"),
        "split": results("split", "p.mplans", "-o", "d"),
        "join": results("join", "d", "-o", "j.mplans"),
        "export": results("export", "p.mplan", "-o", "a.part"),
        "report": results("report", "p.mplan", "-o", "r.html"),
        "convert": results("convert", "q.msh", "q.su2"),
        "renumber": results("renumber", "q.msh", "r.msh"),
        "partition": results("partition", "q.msh", "--block-size", "16", "-o", "x.part"),
        "batch": results("batch", "q.msh", "-o", "plans"),
        "cache": results("cache", "list", "none"),
        "formats": results("formats"),
        "device": results("device", "--executor", "host"),
        "tune": results("tune", "--app", "res_calc", "--mesh", "quad:6x5", "--executor", "host", "--rounds", "1"),
        "run": results("run", "airfoil", "--mesh", "naca.dat", "--executor", "serial", "--iterations", "1"),
    }
    call("convert", "q.msh", "m.npy", "--map", "cells_nodes")
    done["apply"] = results("apply", "p.mplan", "--set", "cells", "m.npy", "o.npy")
    require(set(done) == commands - WITHOUT, f"commands without a test: {commands - WITHOUT - set(done)}")
    require(done["plan"]["options"] == {"output": "p.mplan", "block-size": 16, "strategy": "block-colour", "seed": 3,
                                        "threads": 1}, f"options of plan: {done['plan']['options']}")
    require(done["compare"]["input"] == ["p.mplan", "p.mplan"] and done["convert"]["output"] == "q.su2"
            and done["apply"]["input"] == ["p.mplan", "m.npy"], "inputs and outputs")


def badly(commands):
    files = {"compare": ("p.mplan", "none"), "apply": ("none", "--set", "cells", "m.npy", "o.npy"), "convert": ("none", "o.msh"),
             "export": ("none", "-o", "o.part"), "report": ("none", "-o", "o.html"), "plan": ("none", "-o", "o.mplan"),
             "renumber": ("none", "o.msh"), "partition": ("none", "-k", "2", "-o", "o"), "info": ("none",),
             "verify": ("p.mplan", "--mesh", "none"), "split": ("none", "-o", "o"), "join": ("none", "-o", "o.mplans"), "run": ("airfoil", "--mesh", "none")}
    for command, words in files.items():
        require(results(command, *words, code=66)["error"]["file"] == "none", f"{command}: the file that is missing")
    for command in sorted(commands):  # usage: refused before anything is known of the call
        error = results(command, "a", "b", "c", "d", code=2)["error"] if command not in ("run", "batch") else \
            results(command, "a", *(["--array", "1"] if command == "batch" else []), code=2)["error"]
        require(error["file"] is None and error["line"] is None, f"{command}: {error}")
    pathlib.Path("bad.csv").write_text("0,1\n1,x\n")
    error = results("info", "bad.csv", code=65)["error"]
    require((error["file"], error["line"]) == ("bad.csv", 2), f"file and line: {error}")
    require(len(results("run", "--list")["applications"]) > 5, "run --list is JSON only")
    # files that a job or a list of an option names; colons in names and in what is quoted
    pathlib.Path("job.yaml").write_text("meshplan: 1\nmesh: gone.msh\noutput: x.mplan\nloops:\n"
                                        "  - {name: a, over: cells, args: [{dat: q, access: rw, dim: 1, type: f64}]}\n")
    for file, line, *words in [("gone.msh", None, "plan", "job.yaml"), ("a:1:b.msh", None, "info", "a:1:b.msh"),
                               ("bad.csv", 2, "partition", "q.msh", "-k", "2", "--weights", "cells=bad.csv"),
                               ("gone.npy", None, "plan", "--map", "a_b=gone.npy", "-o", "x.mplan"),
                               (None, None, "info", "q.msh", "x:3:y")]:
        if words[1] == "job.yaml" and "no libyaml" in call("plan", "job.yaml")[2]:
            continue
        one = results(*words, code=2 if not file else 65 if line else 66)["error"]
        require((one["file"], one["line"]) == (file, line), f"file and line: {one}")
    require(results("verify", "p.mplan", "--mesh", "naca.dat", code=1)["holds"] is False, "a verdict keeps its results")
    one = results("verify", "p.mplans", "--part", "1")
    require((one["parts"], one["part"], one["holds"]) == (2, 1, True), f"a part of a bundle: {one}")
    require(results("compare", "p.mplans", "j.mplans")["equal"] is True, "bundles are compared")
    require(results("compare", "p.mplan", "p2.mplan", code=1)["equal"] is False, "a verdict keeps its results")
    # behind what the parser refuses, and files that are not JSON of ours
    call("info", "--nonsense", "p.mplan", "--json", "late.json")
    require(json.loads(pathlib.Path("late.json").read_text())["error"]["exit_code"] == 2, "an option behind the mistake")
    call("info", "q.msh", "--json=late.json")
    require(json.loads(pathlib.Path("late.json").read_text())["error"] is None, "results replace an error")
    mesh = pathlib.Path("q.msh").read_bytes()
    require(call("info", "--json", "q.msh")[0] == 2 and pathlib.Path("q.msh").read_bytes() == mesh, "a mesh was replaced")


def main():
    global PROGRAM
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    listed = call("help")[1].split("Commands:\n")[1].split("\n\n")[0].splitlines()
    commands = {line.split()[0] for line in listed}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        well(commands)
        call("plan", "q.msh", "--strategy", "atomic", "-o", "p2.mplan")
        badly(commands)
        os.chdir("/")
    print(f"{len(commands)} commands: results and failures have command, input, options and error")


if __name__ == "__main__":
    main()
