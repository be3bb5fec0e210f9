#!/usr/bin/env python3
"""Which share of a command's processor time lies outside of its parallel loops, whatever else the machine does: by perf, which
asks now and then where each of two threads is. Samples whose calls perf cannot follow are left out.

    bench/serial_share.py [--build build/bench] [--filter REGEX]
"""
import argparse
import pathlib
import re
import subprocess
import tempfile


def share(program, name, folder):
    """The number of samples inside the command, and how many of a hundred are in no loop."""
    data = pathlib.Path(folder) / "perf.data"
    # Tiles keep kilobytes on the stack: all of it is needed to see who called them.
    subprocess.run(["perf", "record", "-F", "300", "--call-graph", "dwarf,40000", "-o", data, program, "--two_threads",
                    f"--benchmark_filter=^{name}$", "--benchmark_min_time=1.5"], check=True, capture_output=True)
    said = subprocess.run(["perf", "script", "-i", data, "-F", "comm,tid,ip,sym"], check=True, capture_output=True,
                          text=True).stdout
    inside = [sample for sample in said.split("\n\n") if "Session::issue" in sample or "tbb::detail" in sample]
    loops = sum("start_for" in sample for sample in inside)
    return len(inside), 1 - loops / max(len(inside), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    program = pathlib.Path(options.build).resolve() / "bench/threads_bench"
    listed = subprocess.run([program, "--benchmark_list_tests"], check=True, capture_output=True, text=True).stdout
    print("| case | samples | serial share |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in listed.splitlines():
            if re.search(options.filter, name):
                samples, serial = share(program, name, folder)
                print(f"| {name.removesuffix('/manual_time')} | {samples} | {serial:.3f} |", flush=True)


if __name__ == "__main__":
    main()
