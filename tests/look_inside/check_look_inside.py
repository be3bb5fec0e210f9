#!/usr/bin/env python3
"""Looks inside runs of kernel.c and host.c on both chips as a user would, and compares what is said with what the kernel does.

    check_look_inside.py --sdk FOLDER --library FOLDER --tensorlane FILE [--operators FILE]

--operators: the example, whose softmax is compared with and without bounded inputs.
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
ORDERS = ("issue", "early", "late", "random:3")
COMMANDS = 5  # of a launch


class Bench:
    def __init__(self, options, folder, system):
        self.options, self.folder, self.system = options, folder, system
        self.source = folder / "odd = name:1" / "kernel file.c"
        self.source.parent.mkdir()
        shutil.copy(HERE / "kernel.c", self.source)
        text = self.source.read_text(encoding="utf-8")
        self.lines = {name: text[:text.index(f"// LINE {name}")].count("\n") + 1
                      for name in re.findall(r"// LINE (\w+)", text)}
        flags = ["-std=gnu11", "-DUSING_CMODEL"]
        if system == "tpukernel":
            flags = ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X", "-I", options.sdk / "tpukernel/include"]
        self.program, self.other = folder / "program", folder / "other"
        for program, step in ((self.program, "1.0f"), (self.other, "1.5f")):
            subprocess.run([options.cc, *flags, f"-DSTEP={step}", "-O2", "-g", "-I", options.sdk / "okkernel/include", "-I", HERE,
                            self.source, HERE / "host.c", "-o", program, "-L", options.library, "-lbmlib"], check=True, cwd=folder)
        self.count, self.problems = 0, []

    def place(self, name):
        return f"kernel file.c:{self.lines[name]}"

    def tool(self, *words):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TENSORLANE_")}
        return subprocess.run([self.options.tensorlane, *words], cwd=self.folder, env=environment, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def run(self, *words, devices=1, launches=1, end=0):
        (self.folder / "elsewhere").mkdir(exist_ok=True)
        return self.tool("run", "--quiet", *words, "--", self.program, str(devices), str(launches), str(end), "elsewhere")

    def expect(self, what, condition, said):
        self.count += 1
        if not condition:
            self.problems.append(f"{self.system}: {what}\n{said.args}\nstatus {said.returncode}\n{said.stdout}{said.stderr}")


def values(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    return struct.unpack(f"<{(len(data) - 10 - length) // 4}f", data[10 + length:])


def check_print(bench):
    for order in ORDERS:
        said = bench.run("--dma", order, "--print", bench.place("add"), devices=2, launches=2)
        printed = said.stderr.count("tensorlane: command ")
        # Both additions of each launch; element k of device d holds k + d, and then one more.
        bench.expect(f"--print {order}", said.returncode == 0 and printed == 8 and
                     said.stderr.count("after   min 1, max 4096, mean 2048.5") == 2 and
                     said.stderr.count("after   min 3, max 4098, mean 2050.5") == 2, said)
    said = bench.run("--print", bench.place("first"))
    bench.expect("a line that calls a helper", said.stderr.count("tensorlane: command ") == 1, said)
    said = bench.run("--print", "add_one", "--print", "kernel")
    bench.expect("functions", said.stderr.count("tensorlane: command ") == COMMANDS, said)
    said = bench.run("--print", "kernel file.c:1", devices=2)
    near = ", ".join(map(str, sorted(bench.lines[name] for name in ("add", "input", "load", "first"))))
    bench.expect("nothing there", said.stderr.count("no command is issued there") == 1 and near in said.stderr, said)


def check_dump(bench):
    for order in ORDERS:
        said = bench.run("--dma", order, "--dump", f"{bench.place('add')}=d=u:mp-{{n}}.npy", "--dump",
                         f"odd = name:1/{bench.place('store')}:src_addr={bench.folder}/last.npy", devices=2)
        whole = [values(bench.folder / f"d=u:mp-{n}.npy") for n in range(4)]
        bench.expect(f"--dump {order}", said.returncode == 0 and sorted(each[0] for each in whole) == [1, 2, 2, 3] and
                     values(bench.folder / "last.npy")[0] in (2, 3), said)
    said = bench.run("--dump", f"{bench.place('add')}:nope=x.npy")
    bench.expect("no such operand", said.returncode == 2 and "has no operand 'nope'" in said.stderr, said)
    said = bench.run("--dump", f"{bench.place('add')}=/dev/full")
    bench.expect("a full disk", said.returncode == 2 and "No space left" in said.stderr, said)


def check_watch(bench):
    said = bench.run("--print", bench.place("store"))
    output = int(re.search(r"dst_addr: .* (0x[0-9a-f]+)$", said.stderr, re.M).group(1), 16)
    for order in ORDERS:
        said = bench.run("--dma", order, "--watch", "0:0x1000+4", "--watch", f"{output + 4:#x}+4", launches=2)
        said_once = [f"element [0,0,0,0] at NPU 0 offset 0x1000: {change}\n" in said.stderr for change in ("0 -> 1", "1 -> 2")]
        bench.expect(f"--watch {order}", all(said_once) and
                     said.stderr.count("NPU 0 offset 0x1000 is written by") == 4 and
                     len(re.findall(rf"the kernel's own code at .*{bench.place('pointer')} in kernel", said.stderr)) == 2 and
                     "43 (0x422c0000)" in said.stderr and f"{bench.place('store')} in kernel" in said.stderr, said)
    said = bench.run("--watch", "l2:0x7fffffffffff")
    bench.expect("no such place", said.returncode == 8 and "--watch l2:" in said.stderr, said)


def check_log(bench):
    path = bench.folder / "a.jsonl"
    for order in ORDERS:
        said = bench.run("--dma", order, "--log", "a.jsonl", devices=2, launches=2)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        commands = [line for line in lines if line["event"] == "command"]
        bench.expect(f"--log {order}", said.returncode == 0 and len(commands) == 4 * COMMANDS and
                     {line["line"] for line in commands} >= {bench.lines["add"], bench.lines["store"]}, said)
    for end, issued in ((1, 3), (2, 3), (3, 3), (4, 3)):
        said = bench.run("--log", "a.jsonl", launches=2, end=end)
        commands = path.read_text(encoding="utf-8").count('"event":"command"')
        same = bench.tool("diff", "a.jsonl", "a.jsonl")
        bench.expect(f"the log of a kernel that ends badly, {end}", commands == COMMANDS + issued and same.returncode == 0, same)
    said = bench.run("--log", "/dev/full")
    bench.expect("a full disk", said.returncode == 2 and "cannot write the log" in said.stderr, said)
    said = bench.run("--log", "-")
    bench.expect("standard output", said.stdout.count('"event":"command"') == COMMANDS, said)


def check_diff(bench):
    for order in ORDERS[1:]:
        said = bench.tool("diff", "--dma", order, "--", bench.program, "2", "2", "0", ".")
        bench.expect(f"diff {order}", said.returncode == 0, said)
    said = bench.tool("diff", "--reference", "--", bench.program, "1", "1", "0", ".")
    bench.expect("diff --reference", said.returncode == 0, said)
    said = bench.tool("diff", "--", bench.program, "1", "2", "0", ".", "--versus", bench.program, "1", "2", "4", ".")
    bench.expect("a launch that failed", said.returncode == 1 and "it failed in B alone" in said.stdout, said)
    said = bench.tool("diff", "--", bench.program, "2", "2", "0", ".", "--versus", bench.other, "2", "2", "0", ".")
    first = said.stdout[said.stdout.index("the first results that differ"):]
    bench.expect("another constant", said.returncode == 1 and first.count(f"{bench.place('add')} in add_one; command 2") == 2 and
                 "what is expected + 0.5 (all of them)" in first and "The inputs are equal" in first, said)
    said = bench.tool("diff", "--tolerance", "0.5", "--", bench.program, "1", "1", "0", ".", "--versus", bench.other, "1", "1", "0", ".")
    bench.expect("a tolerance", said.returncode == 0, said)
    bench.run("--log", "a.jsonl")
    text = (bench.folder / "a.jsonl").read_text(encoding="utf-8")
    line = [line for line in text.splitlines() if f'"line":{bench.lines["store"]}' in line][0]
    changed = json.loads(line)
    changed["operands"][0]["after"].update(hash="1", max=7)
    (bench.folder / "b.jsonl").write_text(text.replace(line, json.dumps(changed)), encoding="utf-8")
    for pair in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        said = bench.tool("diff", *pair)
        bench.expect("another result", said.returncode == 1 and "The inputs are equal" in said.stdout and
                     said.stdout.count(f"{bench.place('store')} in kernel") == 2, said)
    for cut in range(1, len(text), 997):
        (bench.folder / "b.jsonl").write_text(text[:cut], encoding="utf-8")
        said = bench.tool("diff", "a.jsonl", "b.jsonl")
        bench.expect(f"a log of {cut} bytes", said.returncode == 1 or
                     (said.returncode == 2 and said.stderr.startswith("tensorlane diff: b.jsonl")), said)
    said = bench.tool("diff", bench.program, bench.other)
    bench.expect("programs in place of logs", said.returncode == 2 and "programs follow --" in said.stderr, said)
    for words in ([], ["a.jsonl"], ["a.jsonl", "missing"], ["--", bench.program], ["--", "--versus", bench.program],
                  ["--dma", "never", "--", bench.program], ["--reference", "a.jsonl", "a.jsonl"],
                  ["--tolerance", "-1", "a.jsonl", "a.jsonl"], ["a.jsonl", "--", bench.program, "--versus", bench.program]):
        said = bench.tool("diff", *words)
        bench.expect(f"diff {words}", said.returncode == 2 and said.stderr.count("\n") == 1 and not said.stdout, said)


def check_softmax(bench):
    """With inputs in [-1, 1] softmax leaves the maximum out. What differs first is what the load brings, as the example's host
    writes other data then; times are those that --profile adds up."""
    case = [bench.options.operators, "softmax", "--size"]
    plain, bounded = [*case, "2,64,8,8,0"], [*case, "2,64,8,8,1"]
    said = bench.tool("diff", "--", *plain, "--versus", *bounded)
    table = re.findall(r"^ +([\d.]+) +([\d.]+) +[+-][\d.]+  (\S+?)(?:, (\S+))? (\w+) \((\d+) and (\d+)\)$", said.stdout, re.M)
    bench.expect("softmax: no maximum", re.search(r"only in A:(\n.*)*?okk_bdc_max_pool2d at (.*\n)*.*okk_bdc_sub at", said.stdout)
                 and said.returncode == 1, said)
    first = re.search(r"first results that differ:\n +A  okk_gdma_32bit_cpy_S2L at .* command 0\n(.*\n)*? +input +src_addr: "
                      r"min (\S+) against (\S+)\n.*what the host wrote differs", said.stdout)
    bench.expect("softmax: the input", first and float(first.group(2)) < -1 <= float(first.group(3)), said)
    for side, program in enumerate((plain, bounded)):
        bench.tool("run", "--quiet", "--profile", "p.json", "--", *program)
        profile = json.loads((bench.folder / "p.json").read_text(encoding="utf-8"))
        lines = profile["launches"][0]["lines"]
        bench.expect("softmax: times", abs(sum(line["modelled_us"] for line in lines) - sum(float(row[side]) for row in table)) < 0.01,
                     said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--sdk", "--library", "--tensorlane"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--operators", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    for name, path in vars(options).items():
        if isinstance(path, pathlib.Path):
            setattr(options, name, path.resolve())
    count, problems = 0, []
    for system in ("okkernel", "tpukernel"):
        with tempfile.TemporaryDirectory() as name:
            bench = Bench(options, pathlib.Path(name), system)
            checks = [check_print, check_dump, check_watch, check_log, check_diff]
            if options.operators and system == "okkernel":
                checks.append(check_softmax)
            for check in checks:
                check(bench)
            count += bench.count
            problems += bench.problems
    print("\n".join(problems), f"{count} checks, {len(problems)} failed", sep="\n")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
