#!/usr/bin/env python3
"""Measures the checker: breaks correct kernels in small ways and counts what it notices.

Each mutant is one change to the source of an example or operator kernel of OKKernel or TPUKernel:

  merge    all parallel regions of a kernel that passes one parallel_end become one
  order    the end of a region and the start of the next one are left out
  swap     a ping-pong index is off by one (k % 2 becomes (k + 1) % 2)
  shift    an address in a call is 4 or 128 bytes too high
  shrink   a buffer in the plan of local memory is 128 bytes too small
  enlarge  an extent of a shape is one too large

A mutant is compiled, linked with its host and run under the checks, and again with copies as early,
as late and as mixed as the rules allow. When the host reads back the same bytes each time as from the
original and every access was in bounds, the change did not matter: an equal mutant, which does not
count, whatever the checker says of it. One that matters is noticed when the checker has a finding or the launch is
refused, else it is missed. Findings are errors, warnings and the advice that speaks of lost data
(ADVICE); the originals have none of them, or theirs do not count.

    mutate.py --build BUILD [--every N] [--table FILE] [KERNEL...]

--every N takes every Nth mutant only. Ends with status 1 when an original has an error or a warning,
or when the score is below --least percent.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# System: a folder in examples/ and sdk/, what its functions begin with, its header, how its kernels
# are compiled, where a build has its library.
System = collections.namedtuple("System", "name prefix header flags library")
OKKERNEL = System("okkernel", "okk", "okk.h", ["-std=gnu99", "-DUSING_CMODEL"], "sdk")
TPUKERNEL = System("tpukernel", "tpu", "tpu_kernel.h",
                   ["-std=c11", "-DBACKEND_1684X", "-fsigned-char"], "sdk/tpukernel")

# Program: its system and folder there, sources of its host, kernels that are mutated, other device
# code, arguments of the runs.
Program = collections.namedtuple("Program", "system folder hosts kernels others runs")
OPERATORS = ["conv_tiles.c", "conv2d.c", "matmul.c", "window_tiles.c", "depthwise.c", "avgpool.c",
             "softmax.c", "reducesum.c", "rgb2bgr.c", "transpose.c"]
OPERATOR_HOSTS = ["host.cpp", "checks_nn.cpp", "checks_data.cpp"]


def example(system, name):
    return Program(system, name, ["host.cpp"], [f"{name}.c"], [], [[]])


def operator(kernels, *runs):
    return Program(OKKERNEL, "operators", OPERATOR_HOSTS, kernels, OPERATORS, runs)


PROGRAMS = {
    **{name: example(OKKERNEL, name)
       for name in ("plus_one", "conv2d", "depthwise", "pooling", "matmul")},
    "op_softmax": operator(["softmax.c"], *[["softmax", "--case", str(k)] for k in (4, 102, 104, 105)]),
    "op_conv2d": operator(["conv_tiles.c", "conv2d.c"],
                          *[["conv2d", "--case", str(k)] for k in (101, 102, 104, 105, 106)]),
    "op_matmul": operator(["matmul.c"], *[["matmul", "--case", str(k)] for k in (1, 4, 102, 104)]),
    "op_avgpool": operator(["window_tiles.c", "avgpool.c"],
                           *[["avgpool", "--case", str(k)] for k in (1, 3, 102, 105)]),
    "op_depthwise": operator(["window_tiles.c", "depthwise.c"],
                             *[["depthwise", "--case", str(k)] for k in (0, 1, 102, 104)]),
    "op_reducesum": operator(["reducesum.c"],
                             *[["reducesum", "--case", str(k)] for k in (1, 7, 104, 106)]),
    "op_rgb2bgr": operator(["rgb2bgr.c"], *[["rgb2bgr", "--case", str(k)] for k in (3, 104, 105)]),
    "op_transpose": operator(["transpose.c"],
                             *[["transpose", "--case", str(k)] for k in (5, 9, 102, 104, 117)]),
    **{f"tpu_{name}": example(TPUKERNEL, name)
       for name in ("elementwise", "softmax", "layernorm", "matmul", "conv2d", "topk")},
}

# Tensors in each other's way, results that nobody reads or that hold the host's own bytes, inputs that
# nobody reads.
ADVICE = {"TL-LINT-002", "TL-LINT-007", "TL-LINT-008", "TL-COVERAGE-002"}

Mutant = collections.namedtuple("Mutant", "program source kind line text")


def code_only(text):
    """The text with comments and strings blanked, so that positions stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', blank, text, flags=re.S)


def closing(code, start):
    """Position of the parenthesis that closes the one at `start`."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    raise ValueError("parentheses do not match")


def arguments(code, start):
    """(begin, end) of every argument of the call whose parenthesis is at `start`."""
    end = closing(code, start)
    parts, depth, begin = [], 0, start + 1
    for at in range(start + 1, end + 1):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[at], 0)
        if (code[at] == "," and depth == 0) or at == end:
            parts.append((begin, at))
            begin = at + 1
    return parts


def address_parameters(system):
    """Function -> positions of its address parameters, from the header."""
    header = (ROOT / "sdk" / system.name / "include" / system.header).read_text()
    table = {}
    for match in re.finditer(rf"^void ({system.prefix}_(?:gdma|bdc|hau)_\w+)\(([^;]*)\);", header,
                             re.M | re.S):
        kinds = [part.split()[0] for part in match.group(2).split(",")]
        table[match.group(1)] = [k for k, kind in enumerate(kinds) if kind.endswith("addr_t")]
    return table


ADDRESSES = {**address_parameters(OKKERNEL), **address_parameters(TPUKERNEL)}


def merged_pipelines(text, prefix):
    """Regions that are the body of a loop over steps: the end of every second one and the start of
    the next are left out, from the first or from the second region on. (first, merged text)"""
    start, stop = f"{prefix}_parallel_start();", f"{prefix}_parallel_end();"
    for loop in re.finditer(r"for \(int step = 0; step < ([^;]+); \+\+step\) \{", text):
        begin, end = text.find(start, loop.end()), text.find(stop, loop.end())
        if begin < 0 or text.find("for (int step", loop.end(), begin) >= 0:
            continue
        for first in (0, 1):
            merged = (f"{text[:begin]}if (step == 0 || step % 2 == {first}) {text[begin:end]}"
                      f"if (step + 1 == {loop.group(1)} || step % 2 != {first}) {text[end:]}")
            yield first, merged


def mutations(text, system):
    """(kind, line, mutated text) for one source."""
    code, prefix = code_only(text), system.prefix

    def change(kind, begin, end, new):
        return kind, text.count("\n", 0, begin) + 1, text[:begin] + new + text[end:]

    if "run_pipeline(&" in text:  # the operators' loop
        tile = (ROOT / "examples/okkernel/operators/tile.h").read_text()
        for first, merged in merged_pipelines(tile, prefix):
            yield "order", first + 1, f"{merged}\n#line 1\n{text}"
    for first, merged in merged_pipelines(text, prefix):
        yield "order", first + 1, merged
    start, stop = f"{prefix}_parallel_start();", f"{prefix}_parallel_end();"
    for match in re.finditer(re.escape(stop), code):
        merged = text[:match.start()] + ";" + text[match.end():]
        merged = merged.replace(start, f"if (!{prefix}_is_parallel_state()) {start}")
        merged = merged.replace(f"{prefix}_poll();",
                                f"{{ if ({prefix}_is_parallel_state()) {stop} {prefix}_poll(); }}")
        yield "merge", text.count("\n", 0, match.start()) + 1, merged
        following = code.find(start, match.end())
        if following >= 0 and not code[match.end():following].strip():
            yield change("order", match.start(), following + len(start), "")
    for match in re.finditer(r"(\w+(?:(?:\.|->)\w+)*|\([^()]*\)) (?:% 2|& 1)(?=\])", code):
        yield change("swap", match.start(1), match.end(1), f"({match.group(1)} + 1)")
    for match in re.finditer(rf"\b({prefix}_(?:gdma|bdc|hau)_\w+)\s*\(", code):
        for position, (begin, end) in enumerate(arguments(code, match.end() - 1)):
            argument = code[begin:end].strip()
            if position in ADDRESSES.get(match.group(1), []) and argument not in ("0", "NULL"):
                for shift in (4, 128):
                    yield change("shift", end, end, f" + {shift}")
    for match in re.finditer(r"\+ \w*(?:bytes|size)\b\(?|\bBANK_SIZE\b", code):
        end = closing(code, match.end() - 1) + 1 if match.group().endswith("(") else match.end()
        line = code[code.rfind("\n", 0, match.start()):end]
        if "ASSERT" not in line:
            yield change("shrink", end, end, " - 128")
    for match in re.finditer(r"\.([nchw]) = ([^,;{}]+)(?=[,;}])", code):
        yield change("enlarge", match.start(2), match.end(2), f"({match.group(2).strip()}) + 1")


# Loaded before libbmlib.so: prints a hash of all bytes that the host reads back.
WATCH = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "bmlib_runtime.h"
static unsigned long long hash = 14695981039346656037u;
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* to, bm_device_mem_t from) {
  bm_status_t (*copy)(bm_handle_t, void*, bm_device_mem_t);
  *(void**)&copy = dlsym(RTLD_NEXT, "bm_memcpy_d2s");
  const bm_status_t status = copy(handle, to, from);
  const unsigned size = bm_mem_get_device_size(from);
  for (unsigned k = 0; k < size; ++k) hash = (hash ^ ((unsigned char*)to)[k]) * 1099511628211u;
  return status;
}
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "bytes read: %llx\\n", hash); }
"""


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.hosts = {}
        self.right = {}  # what the host reads back from the originals, by program and case
        (self.folder / "watch.c").write_text(WATCH)
        self.watch = self.folder / "watch.so"
        if not self.compile(OKKERNEL, self.folder / "watch.c", self.folder / "watch.o", "-fPIC", "-O2"):
            raise RuntimeError("watch.c does not compile")
        subprocess.run([options.cc, "-shared", str(self.folder / "watch.o"), "-o", str(self.watch),
                        "-ldl"], check=True)
        self.usual = {}  # advice that the originals get

    def compile(self, system, source, output, *flags):
        device = not str(source).endswith(".cpp")
        result = subprocess.run(
            [self.options.cc if device else self.options.cxx,
             *(system.flags if device else ["-std=gnu++11", "-DUSING_CMODEL"]),
             "-I", str(ROOT / "sdk" / system.name / "include"),
             "-I", str(ROOT / "sdk/okkernel/include"),  # bmlib_runtime.h
             *flags, "-c", str(source), "-o", str(output)], capture_output=True, check=False)
        return result.returncode == 0

    @staticmethod
    def sources(program):
        return ROOT / "examples" / program.system.name / program.folder

    def prepare(self, name):
        """Objects of a program: hosts and unchanged kernels, once."""
        program = PROGRAMS[name]
        folder = self.sources(program)
        if folder not in self.hosts:
            objects = {}
            for source in program.hosts + list(dict.fromkeys(program.kernels + program.others)):
                path = folder / source
                objects[source] = self.folder / f"{program.system.name}-{program.folder}-{source}.o"
                if not self.compile(program.system, path, objects[source],
                                    "-O2" if source in program.hosts else "-g"):
                    raise RuntimeError(f"{path} does not compile")
            self.hosts[folder] = objects
        return self.hosts[folder]

    def link(self, name, source, replacement, output):
        objects = dict(self.prepare(name))
        if source is not None:
            objects[source] = replacement
        library = self.options.build / PROGRAMS[name].system.library
        subprocess.run([self.options.cxx, *map(str, objects.values()), "-o", str(output),
                        "-L", str(library), "-lbmlib", "-lm", "-ldl", "-lpthread",
                        f"-Wl,-rpath,{library}"], check=True)

    def run(self, name, program, enough=lambda findings, refused, wrong: False, **variables):
        """Runs the cases until it is enough; (findings, refused, wrong)."""
        findings, refused, wrong = set(), False, False
        report = program.with_suffix(".report")
        for arguments_ in PROGRAMS[name].runs:
            report.unlink(missing_ok=True)
            environment = dict(os.environ, LD_PRELOAD=str(self.watch), **variables)
            if "TENSORLANE_CHECK" in variables:
                environment["TENSORLANE_REPORT"] = str(report)
            try:
                said = subprocess.run([str(program), *arguments_], env=environment, text=True,
                                      errors="replace", timeout=120, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, check=False)
            except subprocess.TimeoutExpired:
                wrong = True
                continue
            refused = refused or "tensorlane: kernel" in said.stderr
            read = "".join(re.findall(r"bytes read: \w+", said.stderr))
            wrong = wrong or said.returncode != 0 or (
                read != self.right.setdefault((name, tuple(arguments_)), read))
            if report.exists():
                for line in report.read_text().splitlines():
                    for finding in json.loads(line).get("findings", []):
                        if finding["severity"] != "advice" or finding["id"] in ADVICE:
                            findings.add(finding["id"])
            if enough(findings - self.usual.get(name, set()), refused, wrong):
                break
        return findings - self.usual.get(name, set()), refused, wrong

    def judge(self, number, mutant):
        """noticed, equal, missed or invalid, and the ids of the findings."""
        base = self.folder / f"mutant{number}"
        source = base.with_suffix(".c")
        source.write_text(mutant.text)
        program = PROGRAMS[mutant.program]
        if not self.compile(program.system, source, base.with_suffix(".o"), "-g", "-w", "-iquote",
                            str(self.sources(program))):
            return "invalid", ""
        self.link(mutant.program, mutant.source, base.with_suffix(".o"), base)
        try:
            findings, refused, wrong = self.run(
                mutant.program, base, lambda found, refused, wrong: refused or (found and wrong),
                TENSORLANE_CHECK="all")
            ids = ",".join(sorted(findings)) or ("refused" if refused else "")
            matters = refused or wrong or any(each.startswith("TL-MEMORY") for each in findings)
            for order in ("early", "late", "random"):
                matters = matters or self.run(mutant.program, base, lambda *now: now[2],
                                              TENSORLANE_DMA=order)[2]
            return ("noticed" if ids else "missed") if matters else "equal", ids
        finally:
            for each in (base, source, base.with_suffix(".o"), base.with_suffix(".report")):
                each.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--least", type=float, default=98)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.build = options.build.resolve()
    names = options.programs or list(PROGRAMS)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        mutants = []
        for name in names:
            runner.link(name, None, None, runner.folder / name)
            findings, refused, wrong = runner.run(name, runner.folder / name, TENSORLANE_CHECK="all")
            runner.usual[name] = findings & ADVICE
            if findings - ADVICE or refused or wrong:
                problems.append(f"{name}: the original is not clean: {sorted(findings)}")
            for source in PROGRAMS[name].kernels:
                text = (runner.sources(PROGRAMS[name]) / source).read_text()
                for kind, line, changed in mutations(text, PROGRAMS[name].system):
                    mutants.append(Mutant(name, source, kind, line, changed))
        mutants = mutants[::options.every]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = list(pool.map(runner.judge, range(len(mutants)), mutants))
    table = collections.defaultdict(collections.Counter)
    lines = []
    for mutant, (verdict, ids) in zip(mutants, verdicts):
        table[mutant.kind][verdict] += 1
        table["all"][verdict] += 1
        lines.append(f"{verdict:8} {mutant.kind:8} {mutant.program}:{mutant.source}:{mutant.line} {ids}")
        if verdict == "missed":
            print(lines[-1])
    for kind, counts in table.items():
        judged = counts["noticed"] + counts["missed"]
        score = 100.0 * counts["noticed"] / judged if judged else 100.0
        print(f"{kind:8} {counts['noticed']:4} noticed {counts['missed']:3} missed "
              f"{counts['equal']:3} equal {counts['invalid']:3} invalid   {score:.1f} %")
        if kind == "all" and score < options.least:
            problems.append(f"the mutation score is below {options.least} %")
    if options.table:
        options.table.write_text("\n".join(lines) + "\n")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
