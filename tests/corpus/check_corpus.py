#!/usr/bin/env python3
"""Holds the checker to the corpus: every fault found with its class and line, silence on all that is right.

Each case of okkernel/*.c, tpukernel/*.c and both/*.c says what it expects (corpus.h tells how). It is run under
`tensorlane run` in each order of copies: issue, early, late, random. The errors and warnings must be
those expected, each with its id, its severity and a location on every line that is marked; silent
cases must give the same result in every order. In the last order TensorLane speaks Chinese, and no
English sentence may be left.

A fault is one finding: no more errors and warnings than the case has faults may have a cause of their own, the others
follow from them. Cases that give more say so; they may be 5 of 100 faulty ones.

known_wrong.txt lists cases that fail, SYSTEM/NAME and the reason, one a line. One that is listed and does
not fail is a failure: the list can only shrink.

    check_corpus.py --tensorlane PROGRAM --okkernel PROGRAM --tpukernel PROGRAM [--orders ORDER...] [NAME...]
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "language"))
import english  # noqa: E402

ORDERS = ("issue", "early", "late", "random:1")
CASE = re.compile(r"^// (EXPECT|MAY|SILENT|RUN|OPTIONS|EXIT|FAULTS|FINDINGS)\b ?(.*)$")
MOST_DIVIDED = 0.05  # of the faulty cases, with more findings than faults
START = re.compile(r"^(?:void|HOST\() ?(\w+)")


class Case:
    def __init__(self, system, path, name, lines, marks):
        self.system, self.path, self.name, self.key = system, path, name, f"{system}/{name}"
        self.findings, self.consequences, self.run, self.options, self.status = [], [], [], [], None
        self.faults, self.most = 1, None
        for kind, text in lines:
            if kind in ("EXPECT", "MAY"):
                identity, severity, *at = text.split()
                to = self.findings if kind == "EXPECT" else self.consequences
                to.append((identity, severity, sorted(marks[mark[1:]] for mark in at)))
            elif kind == "RUN":
                self.run = text.split()
            elif kind == "OPTIONS":
                self.options = shlex.split(text)
            elif kind == "EXIT":
                self.status = int(text)
            elif kind == "FAULTS":
                self.faults = int(text)
            elif kind == "FINDINGS":
                self.most = int(text)
        self.most = self.most or self.faults
        self.silent = not self.findings
        if self.status is None:
            self.status = 3 if any(severity == "error" for _, severity, _ in self.findings) else 0


def first_line(text, number):
    """Of the statement that line `number` belongs to: calls may go over several lines."""
    code = [re.sub(r"//.*", "", line).rstrip() for line in text]
    begins = re.compile(r"$|.*[;{}:]$|\s*(if|for|while|else)\b.*\)$")
    while number > 1 and not begins.match(code[number - 2]):
        number -= 1
    return number


def cases_of(system):
    for path in sorted(path for folder in (system, "both") for path in (HERE / folder).glob("*.c")):
        text = path.read_text().splitlines()
        marks = {mark: first_line(text, number) for number, line in enumerate(text, 1)
                 for mark in re.findall(r"// @(\w+)", line)}
        lines = []
        for line in text:
            told, start = CASE.match(line), START.match(line)
            if told:
                lines.append(told.groups())
            elif start and lines:
                yield Case(system, path, start.group(1), lines, marks)
                lines = []
        if lines:
            sys.exit(f"{path}: what does {lines} belong to?")


def without_case(cases):
    """Kernels and hosts that are no case and that no host launches: their comments say nothing."""
    texts = {path.name: path.read_text() for path in sorted(HERE.glob("*/*.c"))}
    launched = {word for text in texts.values() for word in re.findall(r'"(\w+)"', text)}
    for name, text in texts.items():
        entered = set(re.findall(r"^(?:KERNEL|HOST)\((\w+)\)", text, re.MULTILINE))
        yield from (f"{name}: {each} is no case" for each in entered - launched - {case.name for case in cases})


def is_one(finding, wanted):
    at = [place["line"] for location in finding["locations"] for place in (location, *location["callers"])]
    return (finding["id"], finding["severity"]) == wanted[:2] and all(line in at for line in wanted[2])


def matches(found, case):
    """Whether each finding is one that is wanted, with a cause of its own, or follows from it, and none is left."""
    left = list(case.findings)
    for each in found:
        want = next((want for want in left if each["consequence_of"] is None and is_one(each, want)), None)
        if want:
            left.remove(want)
        elif not any(is_one(each, allowed) for allowed in case.consequences):
            return False
    return not left


def run(options, case, order):
    """What is wrong with one run, and its output."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "findings.json")
        words = [options.tensorlane, "run", "--check=all", f"--json={report}", f"--dma={order}", *case.options, "--",
                 getattr(options, case.system), case.name, *case.run]
        chinese = order == options.orders[-1]
        environment = dict(os.environ, LC_ALL="zh_CN.UTF-8" if chinese else "C.UTF-8")
        said = subprocess.run(words, cwd=folder, timeout=120, check=False, text=True, errors="replace", env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        findings = json.loads(report.read_text())["findings"] if report.exists() else []
    serious = [each for each in findings if each["severity"] != "advice"]
    problem = ""
    causes = sum(each["consequence_of"] is None for each in serious)
    if not matches(serious, case):
        got = [(each["id"], each["severity"], [location["line"] for location in each["locations"]]) for each in serious]
        problem = f"found {got}, expected {case.findings}"
    elif causes > case.most:
        problem = f"{causes} findings for {case.faults} faults: {[each['id'] for each in serious]}"
    elif said.returncode != case.status:
        problem = f"exit status {said.returncode}, expected {case.status}"
    elif case.silent and "result" not in said.stdout:
        problem = "no result"
    elif chinese:
        problem = english.problems_of(said.stderr)
    return problem, said.stdout, said.stderr


def check(options, case):
    """The first problem of one case, with what was printed."""
    results = {}
    for order in options.orders:
        try:
            problem, out, err = run(options, case, order)
        except subprocess.TimeoutExpired:
            return f"{order}: does not end"
        if problem:
            return f"{order}: {problem}" + (f"\n{out}{err}" if options.names else "")
        results[order] = out
    if case.silent and len(set(results.values())) > 1:
        return f"other results in other orders: {results}"
    return ""


def known_wrong():
    rows = [line.split(maxsplit=1) for line in (HERE / "known_wrong.txt").read_text().splitlines()
            if line.strip() and not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--okkernel", required=True)
    parser.add_argument("--tpukernel", required=True)
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=ORDERS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for name in ("tensorlane", "okkernel", "tpukernel"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    cases = [*cases_of("okkernel"), *cases_of("tpukernel")]
    wrong = known_wrong()
    problems = [f"{key} of known_wrong.txt is no case" for key in set(wrong) - {case.key for case in cases}]
    problems += without_case(cases)
    known = collections.Counter(case.key for case in cases)
    problems += [f"{key} is the name of {count} cases" for key, count in known.items() if count > 1]
    faulty = [case for case in cases if not case.silent]
    divided = [case for case in faulty if case.most > case.faults]
    if len(divided) > MOST_DIVIDED * len(faulty):
        problems.append(f"{len(divided)} of {len(faulty)} cases give more findings than they have faults")
    cases = [case for case in cases if not options.names or case.name in options.names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: check(options, case), cases))
    failed = 0
    for case, problem in zip(cases, results):
        failed += bool(problem)
        if problem and case.key not in wrong:
            problems.append(f"{case.key} ({case.path.name}): {problem}")
        elif case.key in wrong and not problem and len(options.orders) == len(ORDERS):
            problems.append(f"{case.key} is right now: take it off known_wrong.txt ({wrong[case.key]})")
    faulty = sum(not case.silent for case in cases)
    print("".join(f"{problem}\n" for problem in problems),
          f"{len(cases)} cases, {faulty} faulty and {len(cases) - faulty} right, {failed} of them wrong, "
          f"{len(wrong)} known; {len(problems)} problems", sep="")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
