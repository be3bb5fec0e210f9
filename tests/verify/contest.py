"""The kernels of examples/okkernel/operators through `verify`: their published sizes and others.

    contest.py [--others N] [--largest MB] [OPERATOR...]

--others N: so many sizes more (1000), drawn from the published ones; --largest: of the tensors that
are computed (30); larger sizes run dry alone. Prints a row for each operator.
"""
import argparse
import math
import random
import sys
import time
from pathlib import Path

import tensorlane
from tensorlane import Input, Output, Scratch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "python"))
import operator_problems  # noqa: E402


def drawn(operator, published, generator):
    """A size near a published one, small enough to compute soon; None where it is none."""
    numbers = list(generator.choice(published))
    data = {"matmul": 3, "rgb2bgr": 1, "conv2d": 5}.get(operator, 4)
    for axis in range(data):
        most = 40 if operator not in ("matmul", "rgb2bgr") else 400
        numbers[axis] = generator.randint(1, min(most, 2 * numbers[axis]))
    try:
        problem = operator_problems.problem(operator, numbers)
        return numbers if min(problem.output) > 0 and problem.bytes < 4 << 20 else None
    except (ValueError, AssertionError, ZeroDivisionError, IndexError):
        return None


def verdict_of(operator, published, others, most_bytes):
    generator = random.Random(operator)
    sizes = list(published)
    while len(sizes) < len(published) + others:
        numbers = drawn(operator, published, generator)
        if numbers is not None:
            sizes.append(numbers)
    problems = [operator_problems.problem(operator, numbers) for numbers in sizes]
    known = {}

    def numbers_of(case):
        if case not in known:
            known.clear()
            known[case] = problems[case].numbers()
        return known[case]

    first = problems[0]
    args = {name: (lambda point, name=name: problems[point["case"]].args[name]) for name in first.args}
    args.update(first.own_tile)
    for name in first.shapes:
        shape = lambda point, name=name: problems[point["case"]].shapes[name]  # noqa: E731
        args[name] = Scratch(shape, "fp32") if name == "scratch_addr" else Input(
            shape, values=lambda _, __, point, name=name: numbers_of(point["case"])[0][name])
    args["output_addr"] = Output(lambda point: problems[point["case"]].output)
    return tensorlane.verify(
        first.sources, operator_problems.CHIP, f"operator_{operator}",
        args, sizes={"case": (0, len(sizes) - 1)},
        reference=lambda args: numbers_of(args["case"])[1].reshape(
            problems[args["case"]].output), tolerance=first.tolerance, tries=len(sizes),
        most_elements=most_bytes // 4, timeout=60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--others", type=int, default=1000)
    parser.add_argument("--largest", type=int, default=30)
    parser.add_argument("operators", nargs="*")
    options = parser.parse_args()
    published = {}
    for operator, _, numbers in operator_problems.sizes():
        published.setdefault(operator, []).append(numbers)
    wrong = 0
    print("| operator | sizes | ran dry | compared | verdict | worst error | s |\n|---|---|---|---|---|---|---|")
    share = math.ceil(options.others / len(published))
    for operator, sizes in published.items():
        if options.operators and operator not in options.operators:
            continue
        began = time.time()
        found = verdict_of(operator, sizes, share, options.largest << 20)
        worst = max((each["relative"] for each in found.accuracy.values()), default=0)
        print(f"| {operator} | {found.exact['of']} | {found.proof['points']} | {found.exact['points']} | {found.verdict} "
              f"| {worst:.1e} | {time.time() - began:.0f} |", flush=True)
        if not found:
            wrong += 1
            print(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
