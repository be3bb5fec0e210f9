#!/usr/bin/env python3
"""Runs `tensorlane run --expect` and `--precision` as users do, on both systems.

    check_numbers.py --sdk FOLDER --library FOLDER --tensorlane FILE [--cc CC] [--cxx CXX]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COUNT = 64 * 96
FORMS = {"<f4": "f", "<f2": "e", "<u2": "H", "<f8": "d"}


def write_npy(path, values, shape, descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{FORMS[descr]}", *values))


class Bench:
    """Programs of both systems in a folder, and what is typed there."""

    def __init__(self, options, folder):
        self.options, self.folder, self.failed, self.checked = options, folder, 0, 0
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSORLANE_")}
        for system, flags in (("okkernel", ["-std=gnu99", "-DUSING_CMODEL"]),
                              ("tpukernel", ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X"])):
            subprocess.run([options.cc, *flags, "-O1", "-g", "-Wall", "-Werror", f"-I{options.sdk}/{system}/include",
                            f"-I{options.sdk}/okkernel/include", f"-I{HERE}", HERE / f"{system}.c", HERE / "host.c",
                            "-o", folder / system, f"-L{options.library}", "-lbmlib", "-ldl",
                            f"-Wl,-rpath,{options.library}"], check=True)
        for launch in range(3):
            write_npy(folder / f"launch{launch}.npy", [i * 0.25 + launch + 1 for i in range(COUNT)], (64, 96))

    def run(self, *words):
        return subprocess.run([self.options.tensorlane, "run", "--quiet", *words], cwd=self.folder, env=self.environment,
                              text=True, capture_output=True, timeout=120, check=False)

    def expect(self, status, *words, says=(), silent=()):
        """Status of a run and what it says: regular expressions, each on some line."""
        self.checked += 1
        run = self.run(*words)
        said = run.stdout + run.stderr
        wrong = [] if run.returncode == status else [f"status {run.returncode} in place of {status}"]
        wrong += [f"does not say '{text}'" for text in says if not re.search(text, said, re.M)]
        wrong += [f"says '{text}'" for text in silent if re.search(text, said, re.M)]
        if wrong:
            self.failed += 1
            print(f"tensorlane run {' '.join(map(str, words))}: {'; '.join(wrong)}\n{said}")
        return said

    def check(self, condition, what):
        self.checked += 1
        if not condition:
            self.failed += 1
            print(what)


def add(system, devices=1, launches=1, speak=0):
    return ["--", f"./{system}", "add", str(devices), str(launches), "0", str(speak)]


def expectations(bench, system):
    holds = r"^tensorlane expect: .*: all 6144 elements agree"
    finding = r"^error TL-EXPECT-001: .*6144 of 6144 elements differ"
    for dma in ("issue", "early", "late", "random:3"):
        bench.expect(0, "--dma", dma, "--expect", "launch0.npy", "--output", "output_addr", *add(system), says=[holds])
    bench.expect(0, "--expect", "launch0.npy", *add(system), says=[holds])
    bench.expect(0, "--expect", "launch0.npy", "--output", "read:0", "--check=none", *add(system), says=[holds])
    both = bench.expect(0, "--expect", "launch0.npy", "--output", "output_addr", *add(system, devices=2))
    bench.check(len(re.findall(holds, both, re.M)) == 2, f"two devices are compared:\n{both}")
    # Every launch writes anew; which read is meant is said by its number.
    bench.expect(0, "--expect", "launch2.npy", "--output", "output_addr#2", *add(system, launches=3), says=[holds])
    bench.expect(0, "--expect", "launch1.npy", "--output", "read:1", *add(system, launches=3), says=[holds])
    several = ["--expect", "launch0.npy", "--output", "output_addr", "--expect", "launch2.npy", "--output", "read:1"]
    bench.expect(3, *several, *add(system, launches=2), says=[holds, finding, "what is expected - 1 .all of them"])
    bench.expect(3, "--json=f.json", "--expect", "launch1.npy", "--output", "output_addr", *add(system),
                 says=[finding, r"host +bm_memcpy_d2s at .*host\.c"])
    report = json.loads((bench.folder / "f.json").read_text())
    bench.check([each["id"] for each in report["findings"]] == ["TL-EXPECT-001"], f"{report['findings']}")
    bench.expect(0, "--expect-tolerance", "abs=1", "--expect", "launch1.npy", "--output", "output_addr", *add(system),
                 says=[holds])
    # What is never read, and what has no such name.
    bench.expect(3, "--expect", "launch0.npy", "--output", "read:7", *add(system), says=["read:7 was never read"])
    bench.expect(3, "--expect", "launch0.npy", "--output", "outptu_addr", *add(system),
                 says=["outptu_addr was never read", "input_addr, output_addr; did you mean 'output_addr'"])
    write_npy(bench.folder / "small.npy", [1.0] * 7, (7,))
    bench.expect(3, "--expect", "small.npy", *add(system), says=["28 bytes at once was never read"])
    write_npy(bench.folder / "large.npy", [1.0] * 2 * COUNT, (2 * COUNT,))
    bench.expect(3, "--expect", "large.npy", "--output", "output_addr", *add(system), says=["the allocation has 24576 bytes"])
    bench.expect(2, "--expect", "launch0.npy", "--", "true", says=["launch0.npy was compared with nothing"])
    bench.expect(2, "--precision-json", "missing/p.json", *add(system), says=["missing/p.json"])
    for words in (["--dry-run", "--precision"], ["--dry-run", "--expect", "launch0.npy"], ["--output", "output_addr"], ["--expect-tolerance", "1"], ["--expect", "missing.npy"],
                  ["--expect", "launch0.npy", "--expect", "launch1.npy"],
                  ["--expect", "launch0.npy", "--output", "a", "--output", "b"],
                  ["--expect", "launch0.npy", "--expect-tolerance", "much"],
                  ["--expect", "launch0.npy", "--output", "output_addr:fp15"],
                  ["--expect", "launch0.npy", "--output", "read:x"], ["--expect", "launch0.npy", "--output", "a#b"]):
        bench.expect(2, *words, *add(system), says=["^tensorlane run: "])


def other_types(bench):
    """A bf16 output beside references in fp32, float64 and as bits."""
    program = ["--", "./tpukernel", "sums", "1", "1", "1", "0"]
    bits = [struct.unpack("<I", struct.pack("<f", i * 0.25))[0] for i in range(COUNT)]
    bits = [(word + 0x7fff + (word >> 16 & 1)) >> 16 for word in bits]
    write_npy(bench.folder / "bits.npy", bits, (64, 96), "<u2")
    write_npy(bench.folder / "plain.npy", [i * 0.25 for i in range(COUNT)], (64, 96))
    write_npy(bench.folder / "double.npy", [i * 0.25 for i in range(COUNT)], (64, 96), "<f8")
    for name, tolerance in (("bits", "abs=0"), ("plain", "ulp=1"), ("double", "ulp=1")):
        bench.expect(0, "--expect", f"{name}.npy", "--output", "output_addr:bf16", "--expect-tolerance", tolerance, *program,
                     says=["all 6144 elements agree"])
    bench.expect(3, "--expect", "plain.npy", "--output", "output_addr:fp16", *program, says=["TL-EXPECT-001"])


def statements(bench, system):
    """tensorlane_debug.h in a kernel, and in a program without TensorLane."""
    said = bench.expect(0, "--expect", "launch0.npy", "--output", "sums of it", *add(system, speak=1),
                        says=["all 6144 elements agree", rf"^tensorlane: 1x64x1x96 fp32 at 0x400, .*{system}\.c:\d+ in add:",
                              "  min 1, max 1536.75", "fp31", "0x1ffffff0"])
    bench.check("said.npy" in os.listdir(bench.folder), said)
    for compiler, name in ((bench.options.cc, "c"), (bench.options.cxx, "cxx")):
        language = ["-x", "c++", "-std=c++11"] if name == "cxx" else ["-std=c99", "-D_GNU_SOURCE"]
        subprocess.run([compiler, *language, "-Wall", "-Wextra", "-Werror", f"-I{bench.options.sdk}/okkernel/include",
                        HERE / "alone.c", "-o", bench.folder / name, "-ldl"], check=True)
        run = subprocess.run([f"./{name}"], cwd=bench.folder, text=True, capture_output=True, check=False)
        bench.check(run.returncode == 0 and run.stdout + run.stderr == "", f"alone, {name}: {run}")
    bench.check(not (bench.folder / "never.npy").exists(), "a program without TensorLane writes no file")


def precision(bench, system):
    """The line of a long sum is the one that costs most, on every device and in every order of copies."""
    function = "okk_bdc_add" if system == "okkernel" else "tpu_bdc_fp_add"
    source = (HERE / f"{system}.c").read_text().splitlines()
    line = next(k for k, text in enumerate(source, 1) if "// the sum" in text)
    for words in ([], ["--dma", "late"], ["--reference"]):
        said = bench.expect(0, "--precision", *words, "--", f"./{system}", "sums", "1", "1", "300", "0",
                            says=[rf"most of it from .*{system}\.c:{line} in sums \(\d+ %\)"])
        rows = [text for text in said.splitlines() if re.match(r" +\d+ % ", text)]
        bench.check(bool(rows) and f" {function} at " in rows[0] and f"{system}.c:{line}" in rows[0], said)
    # Of a part alone: the line of the sum, what it does to some elements, and no launch at all.
    bench.expect(0, "--precision", "--precision-of", f"{system}.c:{line}", "--", f"./{system}", "sums", "1", "1", "300", "0",
                 says=[rf"most of it from .*{system}\.c:{line} in sums \(100 %\)"])
    bench.expect(0, "--precision-of", "sample=5", "--", f"./{system}", "sums", "1", "1", "300", "0",
                 says=[rf"{system}\.c:{line} in sums"])
    bench.expect(0, "--precision-of", "launch=7", "--precision-of", "nowhere", "--", f"./{system}", "sums", "1", "1", "300", "0",
                 says=["no command computed anything", "nowhere: no command was issued at all"])
    for wrong in ("launch=", "launch=5-3", "sample=0", "kernel.c:x"):
        bench.expect(2, "--precision-of", wrong, *add(system), says=["--precision-of"])
    bench.expect(0, "--precision-json", "p.json", "--", f"./{system}", "sums", "2", "2", "200", "0")
    devices = json.loads((bench.folder / "p.json").read_text())["devices"]
    bench.check([each["device"] for each in devices] == [0, 1], f"{devices}")
    for each in devices:
        top = each["lines"][0]
        bench.check(top["function"] == function and top["share"] > 0.9, f"{top}")
        # Each addition is off by half a step at most, the sum of 200 by more.
        bench.check(0 < top["entered"] < top["handed_on"], f"{top}")
        bench.check(each["reads"][0]["error"] > top["entered"], f"{each['reads']}")
    # Where all is exact nothing is said of lines.
    bench.expect(0, "--precision", *add(system), says=["no error reaches what the host reads"],
                 silent=[r"^ +\d+ % "])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sdk", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--library", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--tensorlane", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tensorlane numbers "))
    try:
        bench = Bench(options, folder)
        for system in ("okkernel", "tpukernel"):
            expectations(bench, system)
            statements(bench, system)
            precision(bench, system)
        other_types(bench)
    finally:
        shutil.rmtree(folder)
    print(f"{bench.checked} checks, {bench.failed} failed")
    return 1 if bench.failed or bench.checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
