#!/usr/bin/env python3
"""The table of docs/ppl.md: modelled times of the examples with their loops in stages and turn by turn, and what it costs
the host to record a command.

    costs.py            prints the rows
"""
import ctypes
import pathlib
import time

import numpy as np

import tensorlane

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "ppl"
# The kernel's arguments, where (shape, type) is a tensor; sizes in words.
CASES = [
    ("add", "add_fp32", "1,048,576 fp32", dict(output=((1 << 20,), "fp32"), a=((1 << 20,), "fp32"), b=((1 << 20,), "fp32"),
                                               n=1 << 20, block=2048)),
    ("softmax", "softmax", "1024 x 1024 fp32", dict(output=((1024, 1024), "fp32"), input=((1024, 1024), "fp32"), rows=1024,
                                                    columns=1024, block=128)),
    ("rmsnorm", "rmsnorm", "1024 x 1024 fp16", dict(output=((1024, 1024), "fp16"), input=((1024, 1024), "fp16"),
                                                    weight=((1024,), "fp16"), eps=1e-5, rows=1024, columns=1024, block=128)),
    ("matmul", "matmul", "512 x 512 x 512 fp16", dict(output=((512, 512), "fp16"), left=((512, 512), "fp16"),
                                                      right=((512, 512), "fp16"), m=512, k=512, n=512, block_m=128,
                                                      block_k=256, block_n=256)),
    ("rope", "rope", "1024 x 8 x 128 fp32", dict(output=((1024, 8, 128), "fp32"), input=((1024, 8, 128), "fp32"),
                                                 cosine=((1024, 64), "fp32"), sine=((1024, 64), "fp32"), positions=1024,
                                                 heads=8, half=64, block=128)),
    ("flash_attention", "flash_attention", "4 x 512 x 64 fp16", dict(
        output=((4, 512, 64), "fp16"), q=((4, 512, 64), "fp16"), k=((4, 512, 64), "fp16"), v=((4, 512, 64), "fp16"), heads=4,
        queries=512, keys=512, width=64, scale=.125, block_q=128, block_k=128)),
]


def measured(name, kernel, fields, pipeline):
    """Modelled microseconds of a dry run, its commands, and the module with its packed arguments."""
    device = tensorlane.Device("bm1684x", pipeline=pipeline, check="none", dry_run=True)
    module = device.compile(EXAMPLES / f"{name}.pl")
    args = {key: device.empty(*value) if isinstance(value, tuple) else value for key, value in fields.items()}
    launch = module.launch(kernel, args)
    return launch.time.us, sum(each["commands"] for each in device.summary()["functions"]), module, module._block(kernel, args)


def recording(module, kernel, block, commands):
    """Nanoseconds per command that recording, order and places take: the best of ten."""
    plan = getattr(ctypes.CDLL(str(module.path)), f"ppl_plan_{kernel}")
    times = []
    for _ in range(10):
        start = time.perf_counter()
        assert plan(block) == 0
        times.append(time.perf_counter() - start)
    return min(times) / commands * 1e9


def rows(host=True):
    """Of the table; the last column only with ``host``."""
    for name, kernel, sizes, fields in CASES:
        off, *_ = measured(name, kernel, fields, "off")
        on, commands, module, block = measured(name, kernel, fields, "on")
        row = f"| {name} | {sizes} | {commands} | {off:.1f} | {on:.1f} | {off / on:.2f} |"
        yield row + (f" {recording(module, kernel, block, commands):.0f} |" if host else "")


if __name__ == "__main__":
    print(*rows(), sep="\n")
