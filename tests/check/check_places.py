#!/usr/bin/env python3
"""Holds findings to where they say they are: lines, functions, the calls that led there, the launch.

The kernel of places/ races in two of sixteen launches, inside of helpers, and in another leaves bytes
of its result unwritten. That is what must be said in the text, the JSON and the SARIF, however it was
compiled and launched: with its helpers put into their callers by the compiler, from threads, in each
order of copies, from modules that are unloaded before the report is written. Without debug
information launches and functions are known all the same.

    check_places.py --tensorlane PROGRAM --library FOLDER

FOLDER has libbmlib.so for OKKernel, FOLDER/tpukernel that for TPUKernel.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import json_schema

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "places"
SDK = HERE.parent.parent / "sdk"
FLAGS = {"okkernel": ["-DUSING_CMODEL", "-I", str(SDK / "okkernel/include")],
         "tpukernel": ["-fsigned-char", "-DBACKEND_1684X", "-I", str(SDK / "tpukernel/include"),
                       "-I", str(SDK / "okkernel/include")]}
MARKS = {mark: f"{path.name}:{number}" for path in SOURCES.iterdir()
         for number, line in enumerate(path.read_text().splitlines(), 1) for mark in re.findall(r"// @(\w+)", line)}


def compile_to(options, system, out, sources, flags, library, folder=None):
    """From sources of places/, or as make does in `folder`, from which they go on."""
    link = ["-shared", "-fPIC"] if out.suffix == ".so" else ["-rdynamic"]
    subprocess.run([options.cc, "-std=gnu11", *FLAGS[system], *flags, "-Wall", "-Werror", *link, "-o", str(out),
                    *(name if folder else str(SOURCES / name) for name in sources), "-L", library, "-lbmlib",
                    f"-Wl,-rpath,{library}", "-lpthread"], cwd=folder, check=True)


def run(options, folder, arguments, order="issue", more=()):
    """The findings, the SARIF and the text of a run that finds errors."""
    said = subprocess.run([options.tensorlane, "run", "--check=race,coverage", f"--dma={order}", "--json=json",
                           "--sarif", "sarif", *more, "--", *map(str, arguments)], cwd=folder, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if said.returncode != 3:
        raise RuntimeError(f"{arguments} ended with status {said.returncode}:\n{said.stderr}")
    report = json.loads((folder / "json").read_text())
    if wrong := list(json_schema.problems(report)):
        raise RuntimeError(f"{arguments}: {wrong}")
    return report["findings"], json.loads((folder / "sarif").read_text()), said.stderr


def at(place):
    return f"{os.path.basename(place['file'])}:{place['line']}"


def numbers(finding):
    return [number for each in finding["launches"] for number in range(each["first"], each["last"] + 1)]


def wrong_launches(findings, launch):
    for finding, wanted in zip(findings, ([5, 11], [7])):
        if numbers(finding) != wanted:
            yield f"{finding['id']}: launches {numbers(finding)} instead of {wanted}"
        for each in finding["launches"]:
            if each["device"] != 1 or each["kernel"] != "kernel" or (launch and at(each["host"]) != MARKS[launch]):
                yield f"{finding['id']}: launch {each}"


def problems_of(findings, sarif, text, launch):
    """What is not as it should be, where there is debug information."""
    if [finding["id"] for finding in findings] != ["TL-RACE-001", "TL-COVERAGE-001"]:
        yield f"found {[finding['id'] for finding in findings]}"
        return
    yield from wrong_launches(findings, launch)
    race, coverage = findings
    wanted = {"reader": [("twice", "twice"), ("step_twice", "step"), ("kernel_step", "kernel")],
              "writer": [("load", "load"), ("step_load", "step"), ("kernel_step", "kernel")]}
    for location in race["locations"]:
        got = [(at(place), place["function"]) for place in [location, *location["callers"]]]
        if got != [(MARKS[mark], function) for mark, function in wanted.pop(location["role"])]:
            yield f"{location['role']} at {got}"
    if wanted:
        yield f"without {wanted}"
    got = [(location["role"], at(location), location["call"]) for location in coverage["locations"]]
    if [each[:2] for each in got] != [("reader", MARKS["read"]), ("near", MARKS["store"]), ("made", MARKS["made"])]:
        yield f"TL-COVERAGE-001 at {got}"
    if [got[0][2], got[2][2]] != ["bm_memcpy_d2s", "bm_malloc_device_byte"]:
        yield f"TL-COVERAGE-001: calls {got}"
    for number in (5, 7, 11):
        if not re.search(rf"{number} of device 1, at \S*{MARKS[launch]} in launch$", text, re.M):
            yield f"the text does not name launch {number}"
    for result, finding in zip(sarif["runs"][0]["results"], findings):
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        if not uri.endswith(os.path.basename(finding["locations"][0]["file"])):
            yield f"SARIF: {uri}"
        if result["properties"]["launches"] != finding["launches"] or not result["partialFingerprints"]:
            yield f"SARIF: {result['properties']}"
    frames = [frame["location"]["physicalLocation"]["region"]["startLine"]
              for frame in sarif["runs"][0]["results"][0]["stacks"][0]["frames"]]
    marks = ("twice", "step_twice", "kernel_step", launch)
    if frames != [int(MARKS[mark].partition(":")[2]) for mark in marks]:
        yield f"SARIF: frames {frames}"


def places_of_time(options, folder, program, path, lines):
    """The profile, the log of commands and the page name a file where it is, and the page shows its lines."""
    run(options, folder, [program], more=["--profile", "profile.json", "--log", "commands.jsonl", "--report", "page.html"])
    profile = json.loads((folder / "profile.json").read_text())
    named = {line["file"] for launch in profile["launches"] for line in launch["lines"]}
    named |= {line["file"] for line in map(json.loads, (folder / "commands.jsonl").open()) if "file" in line}
    if named != {path}:
        yield f"files of time: {named}"
    page = (folder / "page.html").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    texts = data["runs"][0]["sources"].get(path, {})
    if not texts or any(text != lines[int(line) - 1] for line, text in texts.items()):
        yield f"the page shows {texts} of {path}"


def compiled_elsewhere(options, folder):
    """With names that go on from the compiler's folder: lines are shown all the same, and named from where the program is run."""
    for each in ("src", "build", "away"):
        (folder / each).mkdir()
    for name in ("kernel.c", "host.c"):
        (folder / "src" / name).write_bytes((SOURCES / name).read_bytes())
    program = folder / "build/program"
    compile_to(options, "okkernel", program, ["../src/kernel.c", "../src/host.c"], ["-g", f"-I{SOURCES}"], options.library, folder / "build")
    lines = (SOURCES / "kernel.c").read_text().splitlines()
    for where, named in ((folder, "src/kernel.c"), (folder / "away", "../src/kernel.c")):
        for location in run(options, where, [program])[0][0]["locations"]:
            if location["file"] != named or location["source"] != lines[location["line"] - 1].strip():
                yield f"{where.name}: {location['file']}:{location['line']} '{location['source']}'"
    yield from places_of_time(options, folder / "away", program, str(folder.resolve() / "src/kernel.c"), lines)
    (folder / "src").rename(folder / "away/src")
    (folder / "away/at").mkdir()
    for where, shown in ((folder / "build", False), (folder / "away/at", True)):  # sources moved, as far as the names go
        for location in run(options, where, [program])[0][0]["locations"]:
            if (location.get("source", "") != "") != shown:
                yield f"{where.name}, moved: '{location.get('source')}'"


def cases(options, folder):
    """Title and problems of every way to compile and to launch."""
    for optimise in ("-O0", "-O2"):
        program = folder / f"okkernel{optimise}"
        compile_to(options, "okkernel", program, ["kernel.c", "host.c"], [optimise, "-g"], options.library)
        for order in ("issue", "late", "early", "random:3"):
            yield f"{optimise} {order}", problems_of(*run(options, folder, [program], order), "launch")
        yield f"{optimise} threads", problems_of(*run(options, folder, [program, "threads"]), "launch")

    bare = folder / "bare"
    compile_to(options, "okkernel", bare, ["kernel.c", "host.c"], ["-O0"], options.library)
    findings, sarif, text = run(options, folder, [bare])
    without = list(wrong_launches(findings, None))
    for name, there in (("launch", text.count("of device 1, at launch+0x") == 3),
                        ("function", findings[0]["locations"][0]["function"] == "twice"),
                        ("callers", [each["function"] for each in findings[0]["locations"][0]["callers"]]
                         == ["step", "kernel"]),
                        ("program", sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
                         ["artifactLocation"]["uri"].endswith("/bare"))):
        without += [] if there else [f"the {name} is not known\n{text}"]
    yield "without -g", without

    yield "compiled elsewhere", compiled_elsewhere(options, folder)

    library = options.library + "/tpukernel"
    host = folder / "host"
    compile_to(options, "tpukernel", host, ["host.c"], ["-g"], library)
    for name in ("one", "two"):
        compile_to(options, "tpukernel", folder / f"{name}.so", ["kernel.c"], ["-O2", "-g"], library)
    # The racing launches, 5 and 11, get different modules than the one before them.
    for names in (["one.so", "two.so"], ["@one.so", "@two.so", "one.so"]):
        modules = [name[:name.rfind("@") + 1] + str(folder / name.lstrip("@")) for name in names]
        yield " ".join(names), problems_of(*run(options, folder, [host, "module", *modules]), "launch_function")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    for name in ("tensorlane", "library"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    count, wrong = 0, 0
    with tempfile.TemporaryDirectory() as name:
        for title, problems in cases(options, pathlib.Path(name)):
            count += 1
            problems = list(problems)
            wrong += bool(problems)
            for problem in problems:
                print(f"{title}: {problem}")
    print(f"{count} cases, {wrong} with problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
