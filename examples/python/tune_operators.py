"""Tunes the tiles of examples/okkernel/operators at their published sizes.

The kernels choose their tiles by a rough estimate of time. Here a search chooses them, among those
that fit local memory, and both are compared by their modelled times. Examples:

  python3 tune_operators.py matmul --case 11
  python3 tune_operators.py --workers 2 --store trials.sqlite --results all.jsonl
  python3 tune_operators.py --shard 1/2 --results part1.jsonl      # each on its own machine
  python3 tune_operators.py --merge part1.jsonl part2.jsonl
"""

import argparse
import functools
import hashlib
import json
import math
import pathlib
import sys

import operator_problems
import tensorlane
from tensorlane import Output
from tensorlane.shards import merged_rows, shard_of, write_rows
from tensorlane.workers import spread


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("operators", nargs="*", metavar="OPERATOR", help="conv2d, matmul, ...: all where none")
    add("--case", type=int, help="only the size of this number")
    add("--trials", type=int, default=200, help="of each size (200)")
    add("--check", type=int, default=1, metavar="K",
        help="run the K fastest of each size exactly and compare with numpy (1)")
    add("--start-own", action="store_true",
        help="try the kernel's own choice first: the result is never slower")
    add("--largest", type=int, default=1000, metavar="MB",
        help="of tensors that are checked (1000)")
    add("--store", metavar="FILE", help="keeps trials: an interrupted search goes on")
    add("--results", metavar="FILE", help="write a line of JSON per size")
    add("--shard", metavar="I/N", help="only this part of the sizes")
    add("--merge", nargs="+", metavar="FILE", help="put the results of all shards together")
    add("--dask", metavar="ADDRESS", help="spread the sizes over the workers of a dask scheduler")
    add("--workers", type=int, metavar="N", help="the same with N workers on this machine")
    options = parser.parse_args()
    try:
        rows = swept(options)
        if options.results:
            write_rows(options.results, rows)
    except tensorlane.UserError as error:
        sys.exit(f"tune_operators.py: {error}")
    print(table(rows))
    sys.exit(any(row["check"] not in ("ok", "-") for row in rows))


def swept(options):
    """A row per size, in the order of cases.h."""
    sizes = [size for size in operator_problems.sizes()
             if (not options.operators or size[0] in options.operators)
             and options.case in (None, size[1])]
    jobs = [(key(size, options), size) for size in sizes]
    if options.merge is not None:
        return merged_rows(options.merge, {job: f"{op} {case}" for job, (op, case, _) in jobs})
    tuned = functools.partial(tuned_there, str(pathlib.Path(__file__).resolve().parent),
                              trials=options.trials, check=options.check, largest=options.largest,
                              store=options.store and str(pathlib.Path(options.store).resolve()),
                              start_own=options.start_own)
    if options.workers is None:
        return spread(tuned, shard_of(jobs, options.shard), options.dask)
    from distributed import LocalCluster
    with LocalCluster(n_workers=options.workers, threads_per_worker=1, host="127.0.0.1",
                      dashboard_address="127.0.0.1:0",
                      worker_dashboard_address="127.0.0.1:0") as cluster:
        return spread(tuned, shard_of(jobs, options.shard), cluster.scheduler_address)


def key(size, options):
    """What stands for the result of a size: it changes with everything that decides it."""
    digest = hashlib.sha256(json.dumps([tensorlane.__version__, size, options.trials,
                                        options.check, options.largest,
                                        options.start_own]).encode())
    for file in sorted(operator_problems.FOLDER.glob("*.[ch]")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def tuned_there(folder, job, **options):
    """tuned_row() in a worker, whose Python may not look into the folder of this file."""
    import sys
    if folder not in sys.path:
        sys.path.append(folder)
    import tune_operators
    return tune_operators.tuned_row(job, **options)


def tuned_row(job, trials, check, largest, store, start_own):
    """The best tile of a size beside the kernel's own choice."""
    job_key, (operator, case, numbers) = job
    problem = operator_problems.problem(operator, numbers)
    if start_own:
        problem = problem.with_own_choice()
    row = {"key": job_key, "operator": operator, "case": case, "size": numbers,
           "space": math.prod(map(len, problem.tiles.values())) if problem.tiles else 0,
           "own_us": own_choice(problem), "trials": 0, "us": None, "tile": {}, "check": "-"}
    if not problem.tiles:
        return row
    check = check if problem.bytes <= largest * 1e6 else 0
    inputs = {name: Output(shape) for name, shape in problem.shapes.items()}
    wanted = None
    if check:  # a dry run does not look at numbers, and does without
        inputs, wanted = problem.numbers()
    found = tensorlane.tune(
        problem.sources, operator_problems.CHIP, f"operator_{operator}",
        {**problem.args, **inputs, "output_addr": Output(problem.output)},
        fields=problem.tiles, constraints=problem.fits,
        start=[problem.own_tile] if start_own else [], trials=trials, check=check, store=store,
        reference=wanted if wanted is None else {"output_addr": wanted},
        tolerance=problem.tolerance)
    best = found.best or found.ranking[0]
    if check:
        row["check"] = found.checks[best.number] or "ok"
    print(f"{operator} {case}: {row['own_us']:.1f} us, tuned {best.us:.1f} us", file=sys.stderr)
    return {**row, "trials": len(found.trials), "us": best.us, "tile": best.point}


def own_choice(problem):
    """The modelled time with the tile that the kernel chooses."""
    device = tensorlane.Device(operator_problems.CHIP, check="none", dry_run=True)
    tensors = {name: device.empty(shape) for name, shape in problem.shapes.items()}
    return device.compile(*problem.sources).launch(
        f"operator_{problem.operator}", **problem.args, **problem.own_tile, **tensors,
        output_addr=device.empty(problem.output)).time.us


def table(rows):
    """Markdown: a line per size, then one per operator and one for all."""
    lines = ["| size | tiles | tried | own choice us | tuned us | own / tuned | tile | exact |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        us = row["us"] if row["us"] is not None else row["own_us"]
        tile = ", ".join(f"{name.removeprefix('tile.')} {value}"
                         for name, value in row["tile"].items())
        lines.append(f"| {row['operator']} {row['case']} | {row['space']} | {row['trials']} | "
                     f"{row['own_us']:.1f} | {us:.1f} | {row['own_us'] / us:.3f} | {tile} | "
                     f"{row['check']} |")
    lines += ["", "| operator | sizes | without a choice | at least as fast | faster by more than "
              "1 % | own / tuned, geometric mean | least | most | checked exactly |",
              "|---|---|---|---|---|---|---|---|---|"]
    for name in [*dict.fromkeys(row["operator"] for row in rows), "all"]:
        lines.append(summary(name, [row for row in rows if name in (row["operator"], "all")]))
    return "\n".join(lines)


def summary(name, rows):
    """Of sizes without a choice the kernel's own is the only one, and as fast as that."""
    ratios = [1.0 if row["us"] is None else row["own_us"] / row["us"] for row in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    cells = [name, len(rows), sum(row["us"] is None for row in rows),
             sum(ratio >= 1 for ratio in ratios), sum(ratio > 1.01 for ratio in ratios),
             f"{mean:.3f}", f"{min(ratios):.3f}", f"{max(ratios):.3f}",
             sum(row["check"] == "ok" for row in rows)]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
