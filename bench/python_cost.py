#!/usr/bin/env python3
"""What a launch costs from Python and from C: a kernel that copies a tensor of 1 MiB, on one BM1684X.

    PYTHONPATH=build/release/python bench/python_cost.py build/release [ROUNDS]
    PYTHONPATH=build/release/python bench/python_cost.py --isolate [ROUNDS]

Rows: with the checker and without. Columns: the launch alone, and with the array into device memory and out of it, in
microseconds: the median of ROUNDS, of five turns the best. Both hosts load the same library. Python's array comes out as a view, so that it is read once to be fair.
--isolate compares a device with one in a process of its own: launches as above, a launch of a kernel that does nothing, and opening and
closing a device.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import tensorlane

TURNS = 5

KERNEL = """
    #include "tpu_kernel.h"
    typedef struct { unsigned long long output, input; } copy_args;
    void copy(const void* args) {
      const copy_args* a = args;
      const dim4 shape = {1, 64, 1, 4096};
      tpu_initialize();
      tpu_gdma_cpy_S2L(0, a->input, &shape, NULL, NULL, DT_FP32);
      tpu_gdma_cpy_L2S(a->output, 0, &shape, NULL, NULL, DT_FP32);
      tpu_poll();
    }
    TPUKERNEL_FUNC_REGISTER(copy)
"""


def measure_python(check, rounds, isolate=False):
    device = tensorlane.Device("bm1684x", check=check, timeline=False, isolate=isolate)
    module = device.compile(source=KERNEL)
    array = np.zeros(1 << 18, np.float32)
    input_, output = device.tensor(array), device.empty(array.shape)
    args = {"output": output, "input": input_}
    launches, everything = [], []
    for k in range(-rounds // 10, rounds):
        begin = time.perf_counter()
        input_.write(array)
        copied = time.perf_counter()
        module.launch("copy", args)
        launched = time.perf_counter()
        array[:] = output.numpy()  # as the C host, which has one buffer
        if k >= 0:  # else warming up
            launches.append(launched - copied)
            everything.append(time.perf_counter() - begin)
    return np.median(launches) * 1e6, np.median(everything) * 1e6, module.path


def measure_c(build, module, check, rounds):
    library = Path(build) / "sdk" / "tpukernel"
    with tempfile.TemporaryDirectory() as folder:
        host = Path(folder) / "host"
        folders = [f"-I{include}" for include in tensorlane.include_folders("bm1684x")]
        subprocess.run(["cc", "-O2", *folders, str(Path(__file__).with_suffix(".c")), "-o", str(host), f"-L{library}",
                        "-lbmlib", f"-Wl,-rpath,{library.absolute()}"], check=True)
        environment = {**os.environ, "TENSORLANE_CHECK": "" if check == "none" else check}
        said = subprocess.run([str(host), str(module), str(rounds)], env=environment, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return tuple(float(word) for word in said.split())


EMPTY = """
    #include "tpu_kernel.h"
    void empty(const void* args) { (void)args; tpu_initialize(); tpu_poll(); }
    TPUKERNEL_FUNC_REGISTER(empty)
"""


def time_of(rounds, action):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return np.median(times) * 1e6


def compare_isolation(rounds):
    print(f"{'us':28}{'here':>10}{'isolated':>10}")
    rows = {}
    begin = time.perf_counter()
    tensorlane.Device("bm1684x", isolate=True).close()
    print(f"{'the first isolated device':28}{'':10}{(time.perf_counter() - begin) * 1e6:10.0f}")
    for isolate in (False, True):
        def open_and_close():
            device = tensorlane.Device("bm1684x", isolate=isolate)
            device.close()
            device._end()
        device = tensorlane.Device("bm1684x", isolate=isolate)
        module = device.compile(source=EMPTY)
        rows.setdefault("open and close a device", []).append(time_of(min(rounds, 100), open_and_close))
        rows.setdefault("launch of nothing", []).append(time_of(rounds, lambda: module.launch("empty", b"")))
        launch, everything, _ = measure_python("all", rounds, isolate)
        rows.setdefault("launch on 1 MiB", []).append(launch)
        rows.setdefault("the same with both copies", []).append(everything)
    for name, (here, there) in rows.items():
        print(f"{name:28}{here:10.1f}{there:10.1f}")


def main():
    if sys.argv[1] == "--isolate":
        compare_isolation(int(sys.argv[2]) if len(sys.argv) > 2 else 500)
        return
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    print(f"{'':12}{'launch, us':>24}{'with both copies, us':>32}")
    print(f"{'check':12}{'Python':>8}{'C':>8}{'ratio':>8}{'Python':>16}{'C':>8}{'ratio':>8}")
    for check in ("none", "all"):
        # In turn, and the best of each: others may use the machine.
        turns = []
        for _ in range(TURNS):
            *python, module = measure_python(check, rounds)
            turns.append((*python, *measure_c(build, module, check, rounds)))
        launch, everything, c_launch, c_everything = np.min(turns, axis=0)
        print(f"{check:12}{launch:8.1f}{c_launch:8.1f}{launch / c_launch:8.2f}"
              f"{everything:16.1f}{c_everything:8.1f}{everything / c_everything:8.2f}")


if __name__ == "__main__":
    main()
