#!/usr/bin/env python3
"""No finding in a right program because of the order of its threads, run after run.

Each way in which many_hosts.c works with threads, on both systems, under `tensorlane run` with all checks, every run in another
random order of copies. Its numbers have to be right and the report empty. The one way that is wrong, a buffer freed under a launch
that nobody waited for, has to be told.

    check_silence.py --sdk FOLDER --library FOLDER --tensorlane FILE [--runs N] [--threads N] [--rounds N] [--cc CC]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = {"okkernel": ["-std=gnu11", "-DUSING_CMODEL"], "tpukernel": ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X"]}
WAYS = ("own", "shared", "late", "passed")
WRONG, FOUND = "early", "TL-SYNC-012"


def build(options, folder):
    for system, flags in FLAGS.items():
        subprocess.run([options.cc, *flags, "-O1", "-g", "-Wall", "-Werror", f"-I{options.sdk}/{system}/include",
                        f"-I{options.sdk}/okkernel/include", f"-I{HERE}", HERE / f"{system}.c", HERE / "many_hosts.c",
                        "-o", folder / system, f"-L{options.library}", "-lbmlib", "-ldl", "-lpthread",
                        f"-Wl,-rpath,{options.library}"], check=True)


def alarms(options, folder, system, way, seed):
    """What a run says that it should not."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TENSORLANE_")}
    run = subprocess.run([options.tensorlane, "run", "--dma", f"random:{seed}", f"--json={report}", "--", folder / system, way,
                          str(options.threads), str(options.rounds)], text=True, capture_output=True, timeout=300, env=plain, check=False)
    if not report.exists():
        return f"exit {run.returncode}, no report\n{run.stdout}{run.stderr}"
    found = json.loads(report.read_text())["findings"]
    if run.returncode == 0 and not found and run.stdout.startswith("0 wrong"):
        return ""
    return f"exit {run.returncode}\n{run.stdout}{run.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("sdk", "library", "tensorlane"):
        parser.add_argument(f"--{name}", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tensorlane threads ") as folder:
        folder = pathlib.Path(folder)
        build(options, folder)
        for system in FLAGS:
            for way in WAYS:
                said = [text for text in (alarms(options, folder, system, way, seed) for seed in range(options.runs)) if text]
                print(f"{system} {way}: {len(said)} of {options.runs} runs are not silent")
                if said:
                    print(said[0])
                failed += len(said)
            if FOUND not in alarms(options, folder, system, WRONG, 0):
                print(f"{system} {WRONG}: {FOUND} was not found")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
