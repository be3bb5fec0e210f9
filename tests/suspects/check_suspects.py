#!/usr/bin/env python3
"""Holds the first ten lines of `tensorlane why` to kernels that are legal and wrong, and to their right twins.

Every kernel here has one thing that is wrong, in a PICK(wrong, right); with -DRIGHT it is right. Both run; at the first element that
differs the wrong one is asked why: alone, with the value that should stand there (--expected), and with the results of the right one as a
reference (--expect). The statement with the PICK has to be among the marked lines for so many of them as FEWEST says, and hardly
any right kernel may have marks. Nothing was tuned on the kernels of blind_*.c; they are counted apart.

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
SOURCES = ("okkernel.c", "tpukernel.c", "second_okkernel.c", "second_tpukernel.c", "blind_okkernel.c", "blind_tpukernel.c")
WAYS = ("alone", "value", "reference")
# Of the kernels of blind_*.c, and of all others, how many must name their line, asked in each of these ways.
FEWEST = {True: (9, 10, 10), False: (27, 27, 27)}
# Alone and by a pattern that is broken, not by what nothing confirms.
FEWEST_STRONG = {True: 4, False: 13}
KERNELS = {True: 10, False: 27}
MOST_RIGHT_WITH_MARKS = 0


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


def write_reference(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = dict(os.environ, DEBUGINFOD_URLS="", LD_LIBRARY_PATH=str(options.library), LANG="C.UTF-8")
        for name in [name for name in self.environment if name.startswith("TENSORLANE_")]:
            del self.environment[name]

    def build(self, source, program, *flags):
        interface = ["-std=gnu11", "-DUSING_CMODEL"]
        if source.endswith("tpukernel.c"):
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

    def first_lines(self, program, kernel, *words):
        return self.tensorlane("why", *words, "--", f"./{program}", kernel).splitlines()[:LINES]


def marks(lines, weak=True):
    """The lines of the source that are marked, and those of loops around them; weakly, too, or not."""
    found, inside = set(), False
    for line in lines:
        heading = line.startswith("suspects") or (weak and line.startswith(("nothing breaks a pattern", "nothing confirms")))
        inside = heading or (inside and line.startswith("  "))
        for number in re.findall(r"^  \w+\.c:(\d+) ", line) + re.findall(r"\(loop of line (\d+)\)", line):
            found.update([int(number)] if inside else [])
    return found


def check_order(bench):
    """A maximum and a sort follow the element that decided."""
    problems = []
    count = {"largest": 4, "two_largest": 16}
    for kernel, rank in (("largest", 0), ("two_largest", 0), ("two_largest", 1)):
        results = bench.results("right_tpukernel", kernel)
        text = bench.tensorlane("why", "--element", f"read:0[{rank}]", "--json", "--", "./right_tpukernel", kernel)
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
    found = {blind: [0, 0, 0] for blind in (True, False)}
    kernels, strong = {True: 0, False: 0}, {True: 0, False: 0}
    right_marks, problems = 0, []
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options, pathlib.Path(name))
        for source in SOURCES:
            guilty = statements((HERE / source).read_text(encoding="utf-8"))
            blind, stem = source.startswith("blind_"), source.removesuffix(".c")
            wrong_program, right_program = f"wrong_{stem}", f"right_{stem}"
            bench.build(source, wrong_program)
            bench.build(source, right_program, "-DRIGHT")
            for kernel, lines in guilty.items():
                if options.names and kernel not in options.names:
                    continue
                kernels[blind] += 1
                wrong, right = bench.results(wrong_program, kernel), bench.results(right_program, kernel)
                differ = [k for k, (a, b) in enumerate(zip(wrong, right)) if a != b]
                if not differ:
                    problems.append(f"{kernel}: nothing is wrong")
                    continue
                element = ("--element", f"read:0[{differ[0]}]")
                write_reference(bench.folder / "right.npy", right)
                answers = (bench.first_lines(wrong_program, kernel, *element),
                           bench.first_lines(wrong_program, kernel, *element, "--expected", repr(right[differ[0]])),
                           bench.first_lines(wrong_program, kernel, "--expect", "right.npy", "--output", "read:0"))
                quiet = bench.first_lines(right_program, kernel, *element)
                told = [bool(marks(answer) & lines) for answer in answers]
                strong[blind] += bool(marks(answers[0], weak=False) & lines)
                found[blind] = [count + one for count, one in zip(found[blind], told)]
                false = bool(marks(quiet, weak=False))
                right_marks += false
                print(f"{kernel:26} {source}:{min(lines):<4}", *(f"{way} {'marked' if one else '-':8}" for way, one in zip(WAYS, told)),
                      f"right {'MARKS' if false else 'quiet'}")
                if options.verbose:
                    for way, answer in zip((*WAYS, "right"), (*answers, quiet if false else [])):
                        print(f"    --- {way}", *(f"    {line}" for line in answer), sep="\n")
        if not options.names:
            problems += check_order(bench)
    for blind in (False, True):
        print(f"{kernels[blind]} {'blind ' if blind else ''}kernels:",
              ", ".join(f"{count} marked {way}" for way, count in zip(WAYS, found[blind])),
              f"({strong[blind]} strongly)")
        if options.names:
            continue
        if strong[blind] < FEWEST_STRONG[blind]:
            problems.append(f"at least {FEWEST_STRONG[blind]} should break a pattern")
        if kernels[blind] != KERNELS[blind] or any(count < least for count, least in zip(found[blind], FEWEST[blind])):
            problems.append(f"there should be {KERNELS[blind]}, and at least {FEWEST[blind]} marked")
    print(f"{right_marks} right ones with marks")
    if right_marks > MOST_RIGHT_WITH_MARKS:
        problems.append(f"at most {MOST_RIGHT_WITH_MARKS} right ones may have marks")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
