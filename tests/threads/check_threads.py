#!/usr/bin/env python3
"""Operands in each other's place give the right numbers on every number of threads, run after run.

Programs of both systems, small and large enough for threads, each several times on 1, 2, 4 and 8.

    check_threads.py --sdk FOLDER [--library FOLDER] [--runs N] [--cc CC]

--sdk has a folder for each system, with its library where TensorLane is installed; --library is for a build.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = {"okkernel": ["-std=gnu99", "-DUSING_CMODEL"], "tpukernel": ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X"]}
SHAPES = (("2", "2", "5"), ("128", "64", "65"))
PROGRAMS = [("tpukernel", "broadcast_cast"), ("tpukernel", "hswish_in_place"), ("tpukernel", "pool_in_place"),
            ("okkernel", "pool_in_place")]


def build(options, folder):
    for system, flags in FLAGS.items():
        library = options.library or options.sdk / system / "lib"
        subprocess.run([options.cc, *flags, "-O1", "-Wall", "-Werror", f"-I{options.sdk}/{system}/include",
                        f"-I{options.sdk}/okkernel/include", f"-I{HERE}", HERE / f"{system}.c", HERE / "host.c",
                        "-o", folder / system, f"-L{library}", "-lbmlib", "-ldl",
                        f"-Wl,-rpath,{library}"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sdk", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--library", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TENSORLANE_")}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tensorlane threads ") as folder:
        folder = pathlib.Path(folder)
        build(options, folder)
        for system, kernel in PROGRAMS:
            for shape in SHAPES:
                right = []
                for threads in ("1", "2", "4", "8"):
                    # Warnings of the checks, that such operands are seldom meant, are not looked at here.
                    runs = [subprocess.run([folder / system, kernel, *shape], text=True, capture_output=True, timeout=60,
                                           env=plain | {"TENSORLANE_THREADS": threads}, check=False)
                            for _ in range(options.runs)]
                    right.append(sum(run.returncode == 0 for run in runs))
                    for run in [run for run in runs if run.returncode != 0][:1]:
                        print(f"{run.stdout}{run.stderr}")
                failed += sum(each != options.runs for each in right)
                print(f"{system} {kernel} {'x'.join(shape)}: right on 1, 2, 4, 8 threads {right} of {options.runs}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
