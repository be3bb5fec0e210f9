#!/usr/bin/env python3
"""Runs the benchmarks with peers and prints their ratios as the tables of docs/speed.md.

    cmake --preset bench && cmake --build --preset bench
    bench/speed.py [--build build/bench] [--seconds S] [--write docs] [--only PROGRAM...]

--write puts each table behind its heading in speed.md of that folder; what stands around it is kept, and the Chinese page follows
(tests/docs/check_twins.py). Without --only it first measures every function (functions.py), which takes minutes.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import functions

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Program, heading of its table, unit of its figures.
PROGRAMS = [
    ("fp32_bench", "fp32 convolution and matrix product", "GFLOP/s"),
    ("products_bench", "fp16, bf16 and int8", "GFLOP/s"),
    ("elementwise_bench", "Element-wise commands", "GB/s"),
    ("typed_elementwise_bench", "Element-wise commands of the BM1684X by type", "Gelement/s"),
    ("special_bench", "Special functions of the BM1684X", "Gelement/s"),
    ("threads_bench", "Threads", "threads"),
    ("launch_bench", "Launches and devices", "us"),
]


def measure(program, seconds):
    """The entries of a program's report."""
    done = subprocess.run([str(program), "--benchmark_format=json", f"--benchmark_min_time={seconds}"],
                          check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["benchmarks"]


def figure(value):
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def case_name(entry):
    return re.sub(r"(/iterations:\d+)?/manual_time$", "", entry["name"])


def table(entries, unit):
    if unit == "us":  # what has no peer is a time
        rows = ["| case | us |", "|---|---:|"]
        rows += [f"| {case_name(entry)} | {figure(entry['us'])} |" for entry in entries if "us" in entry]
        rows += ["", "| memory of a device | KiB opened | KiB after a launch |", "|---|---:|---:|"]
        rows += [f"| {case_name(entry)} | {entry['opened_kib']:.0f} | {entry['launched_kib']:.0f} |"
                 for entry in entries if "opened_kib" in entry]
        return "\n".join(rows) + "\n"
    if unit == "threads":
        rows = ["| case | 1 thread, us | 2 threads, us | speed-up | serial share | on 16 threads |", "|---|---:|---:|---:|---:|---:|"]
        rows += [f"| {case_name(entry)} | {entry['one_us']:.0f} | {entry['two_us']:.0f} | {entry['speed_up']:.2f} | "
                 f"{entry['serial']:.3f} | {entry['at_16']:.1f} |" for entry in entries]
        return "\n".join(rows) + "\n"
    rows = [f"| case | ours, {unit} | peer, {unit} | ratio |", "|---|---:|---:|---:|"]
    for entry in entries:
        name = case_name(entry)
        if "ratio" in entry:
            rows.append(f"| {name} | {figure(entry['ours'])} | {figure(entry['peer'])} | {entry['ratio']:.2f} |")
        else:
            rows.append(f"| {name} | {figure(entry['ours'])} | {entry.get('label', '')} | |")
    return "\n".join(rows) + "\n"


def put(path, heading, text):
    """Replaces the tables at the end of the section '## heading' of a page."""
    page = path.read_text(encoding="utf-8")
    start = page.index(f"\n## {heading}\n")
    end = page.find("\n## ", start + 1)
    section, rest = (page[start:end], page[end:]) if end > 0 else (page[start:], "")
    head = section[:section.index("\n|") + 1] if "\n|" in section else section.rstrip("\n") + "\n\n"
    path.write_text(page[:start] + head + text + rest, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/bench", type=pathlib.Path)
    parser.add_argument("--seconds", default=0.5, type=float, help="of each case (default 0.5)")
    parser.add_argument("--write", type=pathlib.Path, help="folder of the pages whose tables are replaced")
    parser.add_argument("--only", nargs="+", choices=[program for program, *_ in PROGRAMS], metavar="PROGRAM",
                        help="of this folder; without it all, and every function")
    options = parser.parse_args()
    if options.write and not options.only:
        functions.main(["--build", str(options.build), "--write", str(options.write)])
    for program, heading, unit in PROGRAMS:
        if options.only and program not in options.only:
            continue
        text = table(measure(options.build / "bench" / program, options.seconds), unit)
        print(f"## {heading}\n\n{text}", flush=True)
        if options.write:
            put(options.write / "speed.md", heading, text)
    if options.write:
        subprocess.run([sys.executable, ROOT / "tests/docs/check_twins.py", options.write.resolve().parent, "--write", "speed.md"], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
