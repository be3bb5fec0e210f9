"""Kernels with a defect each that shows at some sizes alone, and right ones: what `verify` says.

    planted.py [--every N] [--tries N] [--dry N]

Prints a row for each kernel and, at the end, how many defects were found, at how many their
smallest sizes, and how many right kernels were called wrong. --every N: each N-th of them.
"""
import argparse
import sys
import time
from pathlib import Path

import numpy as np
import tensorlane
from tensorlane import Input, Output

FOLDER = Path(__file__).resolve().parent / "kernels"
LEARN = FOLDER.parents[2] / "examples" / "learn"


def softmax(args):
    powers = np.exp(args["input"] - args["input"].max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


# name: file, chip, kernel, arguments, sizes, reference
PROBLEMS = {
    "add": ("add.c", "bm1684x", "add", {"a": Input("n"), "b": Input("n"), "output": Output("n")},
            {"n": (1, 300000)}, lambda args: args["a"] + args["b"]),
    "row_sum": ("row_sum.c", "bm1684x", "row_sum",
                {"input": Input("rows,cols"), "output": Output("rows")},
                {"rows": (1, 200), "cols": (1, 2000)}, lambda args: args["input"].sum(1)),
    "bias": ("bias.c", "bm1684x", "bias",
             {"input": Input("rows,cols"), "bias": Input("cols"), "output": Output("rows,cols")},
             {"rows": (1, 200), "cols": (1, 16000)}, lambda args: args["input"] + args["bias"]),
    "twice": ("double_buffer.c", "bm1684x", "twice", {"input": Input("n"), "output": Output("n")},
              {"n": (1, 8192)}, lambda args: 2 * args["input"]),
    "matmul": ("matmul.c", "bm1684x", "matmul",
               {"left": Input("rows,inner", "fp16"), "right": Input("inner,cols", "fp16"),
                "output": Output("rows,cols")},
               {"rows": (1, 150), "inner": (1, 150), "cols": (1, 150)},
               lambda args: args["left"] @ args["right"]),
    "softmax": ("softmax.c", "bm1684x", "softmax",
                {"input": Input("rows,cols", values="-200:200"), "output": Output("rows,cols")},
                {"rows": (1, 200), "cols": (1, 3000)}, softmax),
    "relu": ("relu_okk.c", "bm1684", "relu", {"input": Input("c,h,w"), "output": Output("c,h,w")},
             {"c": (1, 130), "h": (1, 40), "w": (1, 40)},
             lambda args: np.maximum(args["input"], 0)),
    "spin": ("spin.c", "bm1684x", "spin", {"input": Input("n"), "output": Output("n")},
             {"n": (1, 300)}, lambda args: args["input"]),
    "split": ("split.c", "bm1690", "split", {"input": Input("n"), "output": Output("n")},
              {"n": (1, 2000), "cores": (1, 8)}, lambda args: args["input"]),
}
COVERAGE, RACE, INIT, MEMORY, ARGS = ("TL-COVERAGE-001", "TL-RACE", "TL-INIT-001",
                                      "TL-MEMORY-002", "TL-ARGS")
NUMBERS = ""
# problem, tile (None: it has none), defect, what is found, the smallest sizes that show it
WRONG = [
    ("add", 32, 1, COVERAGE, {"n": 65537}), ("add", 32, 2, NUMBERS, {"n": 1}),
    ("add", 32, 3, ARGS, {"n": 262208}), ("add", 32, 4, COVERAGE, {"n": 1}),
    ("add", 32, 5, MEMORY, {"n": 1}), ("add", 32, 6, COVERAGE, {"n": 66}),
    ("add", 32, 7, COVERAGE, {"n": 137}),
    ("add", 20, 1, COVERAGE, {"n": 65541}), ("add", 20, 2, NUMBERS, {"n": 1}),
    ("add", 20, 4, COVERAGE, {"n": 1}), ("add", 20, 5, MEMORY, {"n": 1}),
    ("add", 20, 6, COVERAGE, {"n": 42}), ("add", 20, 7, COVERAGE, {"n": 137}),
    ("row_sum", 512, 1, MEMORY, {"rows": 65, "cols": 1}),
    ("row_sum", 512, 2, INIT, {"rows": 1, "cols": 1024}),
    ("row_sum", 512, 3, NUMBERS, {"rows": 1, "cols": 513}),
    ("row_sum", 512, 4, NUMBERS, {"rows": 2, "cols": 513}),
    ("row_sum", 512, 5, COVERAGE, {"rows": 129, "cols": 1}),
    ("row_sum", 512, 6, COVERAGE, {"rows": 100, "cols": 1}),
    ("row_sum", 100, 2, INIT, {"rows": 1, "cols": 200}),
    ("row_sum", 100, 3, NUMBERS, {"rows": 1, "cols": 101}),
    ("row_sum", 100, 4, NUMBERS, {"rows": 2, "cols": 101}),
    ("row_sum", 3, 3, NUMBERS, {"rows": 1, "cols": 4}),
    ("row_sum", 3, 4, NUMBERS, {"rows": 2, "cols": 4}),
    ("bias", None, 1, INIT, {"rows": 61, "cols": 1}),
    ("bias", None, 2, NUMBERS, {"rows": 129, "cols": 1}),
    ("bias", None, 3, NUMBERS, {"rows": 1, "cols": 35}),
    ("bias", None, 4, ARGS, {"rows": 1, "cols": 8193}),
    ("bias", None, 5, COVERAGE, {"rows": 129, "cols": 1}),
    ("twice", 16, 1, RACE, {"n": 3088}), ("twice", 16, 2, RACE, {"n": 3088}),
    ("twice", 16, 3, RACE, {"n": 1040}), ("twice", 16, 4, COVERAGE, {"n": 1}),
    ("twice", 16, 5, COVERAGE, {"n": 10}),
    ("twice", 5, 1, RACE, {"n": 965}), ("twice", 5, 2, RACE, {"n": 965}),
    ("twice", 5, 3, RACE, {"n": 325}), ("twice", 5, 4, COVERAGE, {"n": 1}),
    ("twice", 50, 3, RACE, {"n": 3250}), ("twice", 50, 5, COVERAGE, {"n": 10}),
    ("matmul", 32, 1, COVERAGE, {"rows": 65, "inner": 1, "cols": 1}),
    ("matmul", 32, 2, MEMORY, {"rows": 2, "inner": 33, "cols": 1}),
    ("matmul", 32, 3, NUMBERS, {"rows": 1, "inner": 33, "cols": 1}),
    ("matmul", 32, 4, INIT, {"rows": 1, "inner": 1, "cols": 1}),
    ("matmul", 32, 5, NUMBERS, {"rows": 1, "inner": 100, "cols": 1}),
    ("matmul", 48, 2, MEMORY, {"rows": 2, "inner": 49, "cols": 1}),
    ("matmul", 48, 3, NUMBERS, {"rows": 1, "inner": 49, "cols": 1}),
    ("matmul", 7, 2, MEMORY, {"rows": 2, "inner": 8, "cols": 1}),
    ("matmul", 7, 3, NUMBERS, {"rows": 1, "inner": 8, "cols": 1}),
    ("matmul", 7, 5, NUMBERS, {"rows": 1, "inner": 100, "cols": 1}),
    ("softmax", None, 1, NUMBERS, None), ("softmax", None, 2, NUMBERS, None),
    ("relu", None, 1, MEMORY, {"c": 65, "h": 1, "w": 1}),
    ("relu", None, 2, ARGS, None),
    ("relu", None, 3, INIT, {"c": 1, "h": 1, "w": 33}), ("relu", None, 4, ARGS, None),
    ("spin", None, 1, "TL-LAUNCH-004", {"n": 77}), ("spin", None, 2, "TL-LAUNCH-002", {"n": 51}),
    ("spin", None, 3, "TL-LAUNCH-002", {"n": 61}), ("spin", None, 4, "TL-LAUNCH-002", {"n": 91}),
    ("split", None, 1, RACE, {"n": 1, "cores": 2}), ("split", None, 2, COVERAGE, {"n": 1, "cores": 2}),
    ("split", None, 3, RACE, {"n": 1, "cores": 7}), ("split", None, 4, "TL-MEMORY-003", {"n": 1, "cores": 2}),
]
RIGHT = [("add", tile) for tile in (1, 7, 16, 20, 32, 64, 100, 1000)] + [
    ("row_sum", tile) for tile in (1, 3, 16, 64, 100, 500, 512, 2048)] + [
    ("twice", tile) for tile in (1, 3, 5, 16, 50, 63, 64, 65)] + [
    ("matmul", tile) for tile in (1, 7, 16, 32, 48, 64, 100, 128)] + [
    ("bias", None), ("softmax", None), ("relu", None), ("spin", None), ("split", None)]


def verify(problem, tile, defect, tries, dry, **options):
    file, chip, kernel, args, sizes, reference = PROBLEMS[problem]
    if defect == 0 and tile is not None and tile < 16:  # a command for every few numbers
        sizes = {name: (first, min(last, 200 if len(sizes) > 1 else 3000))
                 for name, (first, last) in sizes.items()}
    defines = {"BUG": defect} if tile is None else {"BUG": defect, "TILE": tile}
    return tensorlane.verify(FOLDER / file, chip, kernel, args, sizes=sizes, reference=reference,
                             defines=defines, tries=tries, dry=dry, timeout=1,
                             cores="cores" if "cores" in sizes else 1, **options)


def learned(tries, dry):
    """The kernels of the lessons whose arguments are sizes and addresses, right as they stand."""
    def rope(args):
        x, half = args["input_addr"], args["input_addr"].shape[2] // 2
        a, b = x[..., :half], x[..., half:]
        cosine, sine = args["cosine_addr"], args["sine_addr"]
        return np.concatenate([a * cosine - b * sine, b * cosine + a * sine], 2)

    table = Input("tokens,dim//2", values="-1:1")
    for chip, file in (("bm1684", "okk.c"), ("bm1684x", "tpu.c")):
        yield f"learn/rope/{file}", tensorlane.verify(
            LEARN / "rope" / file, chip, "rope",
            {"input_addr": Input("heads,tokens,dim"), "cosine_addr": table, "sine_addr": table,
             "output_addr": Output("heads,tokens,dim")},
            sizes={"heads": (1, 64), "tokens": (1, 40), "dim": range(2, 130, 2)}, reference=rope,
            tries=tries, dry=dry)
    for chip, file in (("bm1684", "okk.c"), ("bm1684x", "tpu.c")):
        yield f"learn/matmul/{file}", tensorlane.verify(
            LEARN / "matmul" / file, chip, "matmul",
            {"left_addr": Input("rows,inner"), "right_addr": Input("inner,cols"),
             "output_addr": Output("rows,cols")},
            sizes={"rows": (1, 80), "inner": (1, 130), "cols": (1, 130)},
            reference=lambda args: args["left_addr"] @ args["right_addr"], tries=tries, dry=dry)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--tries", type=int, default=300)
    parser.add_argument("--dry", type=int, default=20000)
    options = parser.parse_args()
    problems, found, least, alarms = [], 0, 0, 0
    began = time.time()
    wrong, right = WRONG[::options.every], RIGHT[::options.every]
    for problem, tile, defect, wanted, point in wrong:
        verdict = verify(problem, tile, defect, options.tries, options.dry)
        failure = verdict.failures[0] if verdict.failures else None
        is_found = failure is not None and (failure.id.startswith(wanted) if wanted else
                                            failure.kind == "numbers")
        found += is_found
        least += is_found and point in (None, failure.point)
        row = f"{problem} tile {tile} defect {defect}: {failure and (failure.id or failure.kind)} at {failure and failure.point}"
        print(row, flush=True)
        if not is_found or point not in (None, failure.point):
            problems.append(f"{row}, wanted {wanted or 'numbers'} at {point}")
    verdicts = [(f"{problem} tile {tile}", verify(problem, tile, 0, options.tries, options.dry))
                for problem, tile in right]
    verdicts += list(learned(options.tries, options.dry)) if options.every == 1 else []
    for name, verdict in verdicts:
        print(f"{name}: {verdict.verdict}", flush=True)
        if not verdict:
            alarms += 1
            problems.append(f"{name} is right, but:\n{verdict}")
    print(f"{found} of {len(wrong)} defects found, {least} at their smallest sizes, {alarms} of {len(verdicts)} right "
          f"kernels called wrong, {time.time() - began:.0f} s")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
