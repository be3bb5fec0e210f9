#!/usr/bin/env python3
"""Runs the benchmarks with peers and prints their ratios as the tables of docs/speed.md.

    cmake --preset bench && cmake --build --preset bench
    bench/speed.py [--build build/bench] [--seconds S] [--write docs/speed.md]

--write puts each table behind its heading in the page; what stands around it is kept. It first measures every function
(functions.py), which takes ten minutes.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import functions

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
            rows.append(f"| {name} | {figure(entry['ours'])} | | |")
    return "\n".join(rows) + "\n"


def put(page, heading, text):
    """The page with the table below '## heading' replaced."""
    start = page.index(f"\n## {heading}\n")
    end = page.find("\n## ", start + 1)
    section = page[start:end if end > 0 else len(page)]
    head = section[:section.index("\n| case ") + 1] if "\n| case " in section else section.rstrip("\n") + "\n\n"
    rest = page[end:] if end > 0 else ""
    return page[:start] + head + text + rest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/bench", type=pathlib.Path)
    parser.add_argument("--seconds", default=0.5, type=float, help="of each case (default 0.5)")
    parser.add_argument("--write", type=pathlib.Path, help="page whose tables are replaced")
    options = parser.parse_args()
    page = options.write.read_text(encoding="utf-8") if options.write else ""
    if options.write:
        functions.main(["--build", str(options.build), "--write", str(options.write.parent)])
        page = options.write.read_text(encoding="utf-8")
    for program, heading, unit in PROGRAMS:
        text = table(measure(options.build / "bench" / program, options.seconds), unit)
        print(f"## {heading}\n\n{text}", flush=True)
        if options.write:
            page = put(page, heading, text)
            options.write.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
