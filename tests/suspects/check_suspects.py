#!/usr/bin/env python3
"""Holds the first ten lines of `tensorlane why` to kernels that are legal and wrong, and to their right twins.

Every kernel of okkernel.c and tpukernel.c has one thing that is wrong, in a PICK(wrong, right); with -DRIGHT it is right. Both
run; at the first element that differs the wrong one is asked why, with and without the value that should stand there. The statement
with the PICK has to be among the marked lines for at least MOST_WRONG of them, and hardly any right kernel may have marks.

    check_suspects.py --sdk FOLDER --library FOLDER --tensorlane FILE [--cc FILE] [--verbose] [NAME...]
"""
import argparse
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LINES = 10
# How many kernels must name their line, without the value that should stand there and with it; how many right ones may have marks.
FEWEST_FOUND, FEWEST_FOUND_WITH_VALUE, MOST_RIGHT_WITH_MARKS = 12, 17, 0


def statements(source):
    """Of each kernel the lines of the statement with its PICK."""
    lines = source.splitlines()
    found, kernel = {}, None
    for number, line in enumerate(lines, 1):
        begin = re.match(r"void (\w+)\(", line)
        if begin:
            kernel = begin.group(1)
        if "PICK(" not in line or kernel is None:
            continue
        first, last = number, number
        while first > 1 and not re.search(r"[;{}]\s*$", lines[first - 2]):
            first -= 1
        while last < len(lines) and not re.search(r"[;{}]\s*$", lines[last - 1]):
            last += 1
        # What a condition or a declaration leads to stands in the lines after it.
        found.setdefault(kernel, set()).update(range(first, last + 1))
    return found


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = dict(os.environ, DEBUGINFOD_URLS="", LD_LIBRARY_PATH=str(options.library), LANG="C.UTF-8")
        for name in [name for name in self.environment if name.startswith("TENSORLANE_")]:
            del self.environment[name]

    def build(self, source, program, *flags):
        interface = ["-std=gnu11", "-DUSING_CMODEL"]
        if source == "tpukernel.c":
            interface = ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X", "-I", self.options.sdk / "tpukernel/include"]
        subprocess.run([self.options.cc, *interface, *flags, "-O2", "-g", "-Wall", "-Werror", "-I", self.options.sdk / "okkernel/include",
                        HERE / source, HERE / "host.c", "-o", self.folder / program, "-L", self.options.library, "-lbmlib"], check=True)

    def tensorlane(self, *words):
        return subprocess.run([self.options.tensorlane, *words], cwd=self.folder, env=self.environment, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout

    def results(self, program, kernel):
        file = self.folder / "results"
        subprocess.run([f"./{program}", kernel, file], cwd=self.folder, env=self.environment, check=True, timeout=120)
        data = file.read_bytes()
        return struct.unpack(f"{len(data) // 4}f", data)

    def first_lines(self, program, kernel, element, *words):
        return self.tensorlane("why", "--element", f"read:0[{element}]", *words, "--", f"./{program}", kernel).splitlines()[:LINES]


def marks(lines):
    """The lines of the source that are marked, and those of loops around them."""
    found, inside = set(), False
    for line in lines:
        inside = line.startswith("suspects") or (inside and line.startswith("  "))
        for number in re.findall(r"^  \w+\.c:(\d+) ", line) + re.findall(r"\(loop of line (\d+)\)", line):
            found.update([int(number)] if inside else [])
    return found


def check_order(bench):
    """A maximum and a sort follow the element that decided."""
    problems = []
    count = {"largest": 4, "two_largest": 16}
    for kernel, rank in (("largest", 0), ("two_largest", 0), ("two_largest", 1)):
        results = bench.results("right", kernel)
        text = bench.tensorlane("why", "--element", f"read:0[{rank}]", "--json", "--", "./right", kernel)
        steps = json.loads(text[text.index("{"):])["steps"]
        chosen = next(step for step in steps if "chosen" in step)
        source, offset = chosen["sources"][0], steps[-1]["offset"]
        if (chosen["chosen"]["of"] != count[kernel] or source["part"] != "value" or float(source["value"]) != float(f"{results[rank]:.9g}")
                and abs(float(source["value"]) - results[rank]) > 1e-6):
            problems.append(f"{kernel}: {results[rank]} is not what {source} became")
        if source["index"][3] * 4 != offset:
            problems.append(f"{kernel}: the chain ends at byte {offset} of the input, not at element {source['index']}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sdk", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--tensorlane", required=True, type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.sdk, options.library, options.tensorlane = (
        path.resolve() for path in (options.sdk, options.library, options.tensorlane))
    plain, with_value, right_marks, kernels = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options, pathlib.Path(name))
        for source in ("okkernel.c", "tpukernel.c"):
            guilty = statements((HERE / source).read_text(encoding="utf-8"))
            bench.build(source, "wrong")
            bench.build(source, "right", "-DRIGHT")
            for kernel, lines in guilty.items():
                if options.names and kernel not in options.names:
                    continue
                kernels += 1
                wrong, right = bench.results("wrong", kernel), bench.results("right", kernel)
                differ = [k for k, (a, b) in enumerate(zip(wrong, right)) if a != b]
                if not differ:
                    print(f"{kernel}: nothing is wrong")
                    continue
                element = differ[0]
                alone = bench.first_lines("wrong", kernel, element)
                told = bench.first_lines("wrong", kernel, element, "--expected", repr(right[element]))
                quiet = bench.first_lines("right", kernel, element)
                found, found_told, false = bool(marks(alone) & lines), bool(marks(told) & lines), bool(marks(quiet))
                plain, with_value, right_marks = plain + found, with_value + found_told, right_marks + false
                print(f"{kernel:26} {source}:{min(lines):<4} {'marked' if found else '-':8} "
                      f"with the value {'marked' if found_told else '-':8} right {'MARKS' if false else 'quiet'}")
                if options.verbose:
                    print("\n".join(f"    {line}" for line in alone + ["    ---"] + told + ["    --- right"] + (quiet if false else [])))
        problems = check_order(bench) if not options.names else []
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{kernels} kernels: {plain} marked, {with_value} with the value, {right_marks} right ones with marks")
    if options.names:
        return 0
    enough = plain >= FEWEST_FOUND and with_value >= FEWEST_FOUND_WITH_VALUE and right_marks <= MOST_RIGHT_WITH_MARKS
    return 0 if enough and kernels == 17 and not problems else 1


if __name__ == "__main__":
    sys.exit(main())
