#!/usr/bin/env python3
"""Where the processor time of launches goes: the operator examples and those of the BM1684X, by phase.

    bench/launch_profile.py [--build build/release] [--repeat N] [--json FILE] [--write docs [--class avx2]]

Runs every quick size of examples/okkernel/operators and every program of examples/tpukernel with TENSORLANE_SELF_PROFILE, without
checks and with all of them in turn, and prints microseconds per launch and the share of each phase as a table in Markdown; of N
repetitions the least of each kernel. --write DIR puts it between the marks of speed.md and zh/speed.md in that folder; with --class
NAME between those of that class of processors, with the processor, its class, the date and the commit in the header.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import functions

PHASES = ["set-up", "kernel", "decode", "arithmetic", "copies", "checks"]


def profiles(command, checks):
    """The kernels of a run: name -> what self_profile.h writes of it."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        environment = dict(os.environ, TENSORLANE_REPORT=str(report), TENSORLANE_SELF_PROFILE="1",
                           TENSORLANE_CHECK="all" if checks else "")
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    kernels = {}
    for line in lines:
        if line["tool"] != "self_profile":
            continue
        for kernel in line["kernels"]:
            into = kernels.setdefault(kernel["name"], {"launches": 0, "seconds": 0, "phases": {}})
            into["launches"] += kernel["launches"]
            into["seconds"] += kernel["seconds"]
            for phase, seconds in kernel["phases"].items():
                into["phases"][phase] = into["phases"].get(phase, 0) + seconds
    return kernels


def programs(build):
    """(chip, command) of everything that is run."""
    folder = build.resolve() / "examples" / "bin"
    yield "bm1684", [str(folder / "operators"), "--all", "--only-launch"]
    for program in sorted((folder / "tpukernel").iterdir()):
        yield "bm1684x", [str(program)]


def share(kernel, phase):
    return f"{100 * kernel['phases'].get(phase, 0) / max(kernel['seconds'], 1e-12):.0f} %"


def us(kernel):
    return f"{1e6 * kernel['seconds'] / kernel['launches']:.0f}"


def table(rows, header="chip"):
    figures = ["launches", "us", *PHASES, "us with checks", "checks"]
    lines = [f"| {header} | kernel | " + " | ".join(figures) + " |", "|---|---|" + "---:|" * len(figures)]
    for row in rows:
        plain, checked = row["plain"], row["checked"]
        lines.append(f"| {row['chip']} | {row['name']} | {plain['launches']} | {us(plain)} | " +
                     " | ".join(share(plain, phase) for phase in PHASES) +
                     f" | {us(checked)} | {share(checked, 'checks')} |")
    return "\n".join(lines) + "\n"


def least(runs):
    """Of several runs of a program, each kernel as it took the least time."""
    return {name: min((run[name] for run in runs if name in run), key=lambda kernel: kernel["seconds"]) for name in runs[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--repeat", default=1, type=int, help="runs of each program (default 1)")
    parser.add_argument("--write", type=pathlib.Path, help="folder of the pages")
    parser.add_argument("--class", dest="processors", metavar="NAME", help="with --write: the table of this class of processors")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one processor, so one thread
    rows = []
    for chip, command in programs(options.build):
        runs = [(profiles(command, False), profiles(command, True)) for _ in range(options.repeat)]
        plain, checked = (least(each) for each in zip(*runs))
        rows += [{"chip": chip, "name": name, "plain": plain[name], "checked": checked[name]} for name in plain if name in checked]
    print(table(rows), end="")
    if options.write:
        mark = f"launches {options.processors}" if options.processors else "launches"
        functions.write_parts(options.write, [(mark, table(rows, functions.measured_on(None)))])
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
