#!/usr/bin/env python3
"""Runs kernels with and without defects under `tensorlane run` and holds the checker to what they say.

Each file of kernels/ is a kernel for OKKernel, each of kernels/tpukernel/ one for TPUKernel, whose
comment has a line

    // expect ID MARK... | MEMORY RANGE        or        // expect nothing

or several of the former. The files of hosts/ have a host of their own and are run on both systems.

The checker must find exactly that: one error or warning with this id, reported at the lines that carry
the marks (// @MARK), in this order, for these bytes. Global addresses count from the output buffer.
The line // run with OPTIONS adds options of `tensorlane run`.
After // says TEXT, a line of its own, the description of a tensor in the report begins like that;
after // note TEXT the run says that text, once; after // message, // repair and // notes TEXT that
part of the first finding holds TEXT.
The JSON must be as docs/checker-report.schema.json says, the SARIF have what its schema asks for, and the exit status
must be 3 for errors and 0 otherwise (the status of the program is ignored by a launch that fails).
Programs with parallel regions are run, and say the same, in every order of copies; what comes of a
race is found as well, in orders where something does.
Whatever is said names functions of the kernel's own system.

    check_kernels.py --tensorlane PROGRAM --library FOLDER [NAME...]

FOLDER has libbmlib.so for OKKernel, FOLDER/tpukernel that for TPUKernel.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import json_schema

HERE = pathlib.Path(__file__).resolve().parent
HOST = HERE.parent / "diagnostics" / "host.c"
SDK = HERE.parent.parent / "sdk"
OKKERNEL_FLAGS = ["-std=gnu99", "-DUSING_CMODEL", "-I", str(SDK / "okkernel/include")]
TPUKERNEL_FLAGS = ["-std=c11", "-fsigned-char", "-DBACKEND_1684X", "-I", str(SDK / "tpukernel/include"),
                   "-I", str(SDK / "okkernel/include")]  # bmlib_runtime.h
ORDERS = ["issue", "early", "late", "random:7"]


def region_text(region, output):
    begin, end = region["begin"], region["end"] - 1
    if region["npus"] > 0:
        last = region["npu"] + region["npus"] - 1
        return f"{region['memory']} NPUs {region['npu']}..{last} offsets {begin}..{end}"
    return f"{region['memory']} bytes +{begin - output}..+{end - output}"


def json_problems(report):
    yield from json_schema.problems(report)
    for finding in report["findings"]:
        if (not finding["id"].startswith("TL-" + finding["class"].upper())
                or finding["kernel"] != (None if finding["class"] == "host" else "kernel")):
            yield f"finding of another form: {finding}"
        if not finding["locations"]:
            yield f"finding without a place: {finding}"
        for place in (place for location in finding["locations"] for place in (location, *location["callers"])):
            if not place["file"].endswith(".c") or place["line"] < 1 or not place["function"]:
                yield f"place of another form: {place}"


def sarif_problems(log, findings):
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    if log["version"] != "2.1.0" or not run["tool"]["driver"]["name"] or len(set(rules)) != len(rules):
        yield "SARIF: version, tool or rules"
    if [result["ruleId"] for result in run["results"]] != [each["id"] for each in findings]:
        yield "SARIF: results differ from the JSON"
    for result in run["results"]:
        if (not result["message"]["text"] or result["level"] not in ("note", "warning", "error")
                or not result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                or not result["partialFingerprints"]):
            yield f"SARIF: {result}"


def orders(path):
    return ORDERS if "parallel_start" in path.read_text() else ORDERS[:1]


def check(options, path, tpukernel, order):
    """Problems of one kernel, or of one host, as text."""
    text = path.read_text()
    sources = [str(path)] if path.parent.name == "hosts" else [str(path), str(HOST)]
    library = options.library + ("/tpukernel" if tpukernel else "")
    wanted = re.findall(r"^// expect (.*)$", text, re.M)
    region = wanted[0].partition(" | ")[2]
    lines = {mark: number for number, line in enumerate(text.splitlines(), 1)
             for mark in re.findall(r"// @(\w+)", line)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(
            [options.cc, *(TPUKERNEL_FLAGS if tpukernel else OKKERNEL_FLAGS), "-g", "-Wall", "-Werror",
             "-o", str(folder / "program"), *sources, "-L", library, "-lbmlib",
             f"-Wl,-rpath,{library}"], check=True)
        extra = re.search(r"^// run with (.*)$", text, re.M)
        said = subprocess.run(
            [options.tensorlane, "run", "--check=all", f"--dma={order}", *(extra.group(1).split() if extra else []),
             f"--json={folder / 'json'}", "--sarif", str(folder / "sarif"), "--", str(folder / "program")],
            cwd=folder, text=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            check=False)
        report = json.loads((folder / "json").read_text())
        findings = report["findings"]
        sarif = json.loads((folder / "sarif").read_text())
    problems = list(json_problems(report)) + list(sarif_problems(sarif, findings))
    serious = [each for each in findings if each["severity"] != "advice" and each["consequence_of"] is None]
    output = int((re.search(r"output (\w+)", said.stdout) or [0, "0"])[1], 16)
    got = []
    for each in serious:
        at = [location["line"] for location in each["locations"]
              if os.path.basename(location["file"]) == path.name]  # not those of another host
        got.append(" ".join([each["id"], *map(str, at)]))
    want = []
    for one in [] if wanted == ["nothing"] else wanted:
        identity, *marks = one.partition(" | ")[0].split()
        want.append(" ".join([identity, *(str(lines[mark]) for mark in marks)]))
    if got != want:
        problems.append(f"found {got}, expected {want}\n{said.stderr}")
    elif region and region != region_text(serious[0]["regions"][0], output):
        problems.append(f"bytes: {region_text(serious[0]['regions'][0], output)}, expected {region}")
    note = re.search(r"^// note (.*)$", text, re.M)
    if note and said.stderr.count(note.group(1)) != 1:
        problems.append(f"says '{note.group(1)}' {said.stderr.count(note.group(1))} times\n{said.stderr}")
    tensor = re.search(r"^// says (.*)$", text, re.M)
    if tensor and not any(each.startswith(tensor.group(1)) for finding in findings
                          for each in finding["tensors"]):
        problems.append(f"no tensor is called '{tensor.group(1)}'\n{said.stderr}")
    for part, words in re.findall(r"^// (message|repair|notes) (.*)$", text, re.M):
        if serious and words not in str(serious[0][part]):
            problems.append(f"{part} is {serious[0][part]!r}, without {words!r}")
    foreign = re.search(r"\bokk_\w+" if tpukernel else r"\btpu_\w+", said.stderr + json.dumps(findings))
    if foreign:
        problems.append(f"speaks of {foreign.group()}\n{said.stderr}")
    status = 3 if any(each["severity"] == "error" for each in serious) else 0
    if said.returncode != status:
        problems.append(f"exit status {said.returncode}, expected {status}")
    name = f"{path.relative_to(HERE)} ({'TPUKernel' if tpukernel else 'OKKernel'}, copies: {order})"
    return "".join(f"{name}: {problem}\n" for problem in problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for name in ("tensorlane", "library"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    runs = [(path, path.parent.name == "tpukernel") for path in sorted((HERE / "kernels").rglob("*.c"))]
    runs += [(path, system) for path in sorted((HERE / "hosts").glob("*.c")) for system in (False, True)]
    runs = [(*run, order) for run in runs if not options.names or run[0].stem in options.names
            for order in orders(run[0])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(lambda run: check(options, *run), runs) if text]
    print("".join(problems), f"{len(runs)} programs, {len(problems)} with problems", sep="")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
