#!/usr/bin/env python3
"""`layout plan` against the emulator: what it plans is accepted, and a part of one element more is refused.

    check_plan.py --tensorlane PROGRAM --bm1684 HOST --bm1684x HOST

HOST copies tensors to their addresses. Buffers lie one behind the other here (--banks shared), so that there is no room left.
"""
import argparse
import json
import subprocess
import sys

BITS = {"fp32": 32, "fp16": 16, "int8": 8}
CASES = [  # chip, tensors with {} for the extent along the cut axis, that extent
    ("bm1684", ["x:{},64,112,112"], 64),
    ("bm1684", ["x:{},64,56,56:x2", "y:{},64,56,56:x2"], 300),
    ("bm1684", ["x:{},3,100,100", "y:{},3,100,100:start=62"], 500),
    ("bm1684", ["x:1,64,{},333:x2", "b:1,64,1,1:whole", "y:1,64,{},333"], 700),
    ("bm1684", ["x:1,{},1,1:x3", "y:1,{},1,1:x2"], 65000),
    ("bm1684", ["x:{},200,17,19:fp16", "y:{},200,17,19:int8:x2"], 3000),
    ("bm1684x", ["x:{},64,56,56:fp16:x2", "y:{},64,56,56:fp16:x2"], 300),
    ("bm1684x", ["x:1,100,{},77:int8", "y:1,100,{},77:fp32"], 2000),
    ("bm1684x", ["x:1,64,1,{}:fp16:x3", "w:1,64,9,9:whole"], 65000),
    ("bm1684x", ["x:{},130,30,30:x2", "y:{},130,15,15:start=3"], 3000),
]


def plan(program, chip, tensors):
    words = [program, "layout", "plan", "--json", "--banks", "shared", "--chip", chip, *tensors]
    return json.loads(subprocess.run(words, check=True, text=True, capture_output=True).stdout)


def accepted(host, planned):
    """Whether the emulator takes every buffer of a plan's part at its address."""
    words = []
    for tensor in planned["tensors"]:
        for address in tensor["addresses"]:
            words += [*map(str, tensor["part_shape"]), str(address), str(BITS[tensor["dtype"]])]
    run = subprocess.run([host, str(len(words) // 6), *words], check=False, capture_output=True, timeout=60)
    if run.returncode > 1:
        sys.exit(f"{host} {words}: {run.stderr.decode()}")
    return run.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tensorlane", "bm1684", "bm1684x"):
        parser.add_argument(f"--{name}", required=True)
    options = vars(parser.parse_args())
    problems = []
    for chip, tensors, extent in CASES:
        whole = plan(options["tensorlane"], chip, [tensor.format(extent) for tensor in tensors])
        axis = [tensor.split(":")[1].split(",").index("{}") for tensor in tensors if "{}" in tensor][0]
        part = whole["tensors"][0]["part_shape"][axis]
        name = f"{chip} {tensors}: {part} of {extent}"
        if whole["fits"] or not 0 < part < extent:
            problems.append(f"{name}: that is no cut")
        if not accepted(options[chip], whole):
            problems.append(f"{name}: the emulator refuses the part")
        larger = plan(options["tensorlane"], chip, [tensor.format(part + 1) for tensor in tensors])
        if larger["fits"]:
            problems.append(f"{name}: {part + 1} fits as well")
        # The same, where the plan of one more would put its buffers: the last ends beyond the memory.
        at = 0
        for tensor in larger["tensors"]:
            tensor["part_shape"] = tensor["shape"]
            begin, tensor["addresses"] = tensor["addresses"][0] // larger["npu_bytes"] * larger["npu_bytes"], []
            for _ in range(tensor["buffers"]):
                tensor["addresses"].append(begin + at)
                at += -(-tensor["bytes_per_npu"] // 128) * 128
        if accepted(options[chip], larger):
            problems.append(f"{name}: the emulator takes {part + 1}")
    print("\n".join(problems), f"\n{len(CASES)} plans, {len(problems)} wrong")
    return 1 if problems else 0


sys.exit(main())
