"""tensorlane.tune from the command line: tensorlane tune, or python3 -m tensorlane.tune --help

Nothing imports this file: in the package, the name is the function's.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np

from . import Output, UserError, numpy_dtype
from .command_line import CommandParser
from .samplers import SAMPLERS
from .space import Point, Value
from .texts import tr
from .tuning import tune

_EXAMPLE = """
  tensorlane tune matmul.c --chip bm1684x --kernel matmul \\
    --macro TILE_ROWS=64:256:64 --macro TILE_COLS=64,128,256 --arg rows=256 --arg inner=512 \\
    --arg cols=256 --input left=fp16:256x512 --input right=b.npy --output output=fp16:256x256
"""


def main(words: list[str] | None = None) -> int:
    """The command with its words; 0 where a choice was found that works, 1 where none is, 2 for
    what cannot be done."""
    options = _parser().parse_args(words)
    try:
        found = tune(options.sources, options.chip, options.kernel, _args(options),
                     macros=dict(map(_parameter, options.macro)),
                     fields=dict(map(_parameter, options.field)),
                     constraints=[_constraint(text) for text in options.where],
                     start=list(map(_point, options.start)),
                     reference={name: _loaded(file) for name, file in map(_pair, options.expect)},
                     tolerance=options.tolerance, sampler=options.sampler, trials=options.trials,
                     seed=options.seed, check=options.check, store=options.store,
                     shard=options.shard, merge=options.merge, dask=options.dask,
                     flags=options.flag, defines=dict(map(_pair, options.define)),
                     timeout=options.timeout, gate=_gate(options))
        if options.results:
            found.save(options.results)
        if options.svg:
            Path(options.svg).write_text(found.svg(), encoding="utf-8")
    except (UserError, OSError) as error:
        print(f"tensorlane tune: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        said = tr("interrupted; the same command goes on with it") if options.store else (
            tr("interrupted"))
        print(f"tensorlane tune: {said}", file=sys.stderr)
        return 130
    print(found.table(options.most))
    return 0 if found.best is not None or options.shard else 1


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "tensorlane tune",
        tr("Find the macros and argument fields with which a kernel is fastest by the timing model"),
        tr("VALUES are a list (8,16,32) or a range with both ends (8:64:8, or 1:8). Example:") +
        "\n" + _EXAMPLE)
    parser.add_positional("sources", nargs="+", metavar="SOURCE", help=tr("The kernel's files"))
    add = parser.add_option
    add("--chip", required=True, help=tr("A chip of 'tensorlane chips'"))
    add("--kernel", required=True, help=tr("The name under which it is registered"))
    for name, metavar, text in [
            ("macro", "NAME=VALUES", tr("A parameter: a macro, as -D")),
            ("field", "NAME=VALUES", tr("A parameter: a field of the arguments")),
            ("where", "EXPRESSION", tr("What must hold: an expression of Python over parameters")),
            ("start", "NAME=VALUE,...", tr("A known choice, tried first: nothing slower is found")),
            ("arg", "NAME=NUMBER", tr("A field of the arguments")),
            ("input", "NAME=DTYPE:SHAPE", tr("A tensor of chance numbers; or NAME=FILE.npy")),
            ("output", "NAME=DTYPE:SHAPE", tr("A tensor that the kernel writes")),
            ("expect", "NAME=FILE.npy", tr("What must be in an output of the fastest choices")),
            ("define", "NAME=VALUE", tr("A macro that is no parameter")),
            ("flag", "FLAG", tr("For the compiler, as --flag=-O3"))]:
        add(f"--{name}", action="append", default=[], metavar=metavar, help=text)
    add("--gate", metavar="WORDS", help=tr("Those of verify for the same kernel: the choice must be "
                                           "right at all these sizes"))
    add("--tolerance", help=tr("For --expect: 1e-3, or abs=X, rel=X, ulp=N"))
    add("--sampler", choices=SAMPLERS,
        help=tr("All points, some by chance, or Optuna's choice"))
    add("--trials", type=int, default=200, help=tr("How many points of a large space"))
    add("--seed", type=int, default=0, help=tr("Decides what chance decides"))
    add("--check", type=int, default=1, metavar="K", help=tr("Run so many of the fastest exactly"))
    add("--store", metavar="FILE",
        help=tr("Keeps trials (SQLite): an interrupted search goes on"))
    add("--shard", metavar="I/N", help=tr("Only this part, for --results"))
    add("--results", metavar="FILE", help=tr("Write the trials as JSONL"))
    add("--merge", nargs="+", metavar="FILE", help=tr("Put the results of all shards together"))
    add("--dask", metavar="ADDRESS", help=tr("Spread trials over the workers of a dask scheduler"))
    add("--timeout", type=float, metavar="SECONDS", help=tr("How long a launch may take"))
    add("--svg", metavar="FILE", help=tr("Write the picture of time and local memory"))
    add("--most", type=int, default=20, metavar="N", help=tr("Lines of the table"))
    return parser


def _args(options: argparse.Namespace) -> dict[str, Any]:
    args: dict[str, Any] = {name: _number(text) for name, text in map(_pair, options.arg)}
    for name, text in map(_pair, options.output):
        dtype, shape = _type_and_shape(name, text)
        args[name] = Output(shape, dtype)
    generator = np.random.default_rng(0)
    for name, text in map(_pair, options.input):
        if text.endswith(".npy"):
            args[name] = _loaded(text)
            continue
        dtype, shape = _type_and_shape(name, text)
        numpy = np.dtype(numpy_dtype(dtype))
        if numpy.kind == "f":
            args[name] = generator.standard_normal(shape).astype(numpy)
        elif dtype.startswith(("int", "uint")):
            least = -8 if numpy.kind == "i" else 0
            args[name] = generator.integers(least, 8, shape).astype(numpy)
        else:
            raise UserError(tr("{}={}: numpy has no {}; give a file of its bits", name, text,
                               dtype))
    return args


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise UserError(tr("'{}' is not NAME=VALUE", text))
    return name, value


def _number(text: str) -> Value:
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _parameter(text: str) -> tuple[str, list[Value]]:
    name, values = _pair(text)
    ends = [_number(end) for end in values.split(":")]
    if len(ends) in (2, 3) and all(isinstance(end, int) for end in ends):
        first, last, step = [int(end) for end in ends] + [1] * (3 - len(ends))
        if step < 1 or last < first:
            raise UserError(tr("'{}': a range is FIRST:LAST:STEP, upwards", text))
        return name, list(range(first, last + 1, step))
    return name, [_number(value) for value in values.split(",")]


def _point(text: str) -> dict[str, Value]:
    return {name: _number(value) for name, value in map(_pair, text.split(","))}


def _type_and_shape(name: str, text: str) -> tuple[str, tuple[int, ...]]:
    dtype, _, shape = text.partition(":")
    sides = shape.split("x")
    if not all(side.isdigit() for side in sides):
        raise UserError(tr("{}={}: it is DTYPE:SHAPE, as fp32:128x512", name, text))
    return dtype, tuple(map(int, sides))


def _loaded(file: str) -> np.ndarray:
    try:
        return np.load(file)
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}") from None


def _gate(options: argparse.Namespace) -> Any:
    """What asks `tensorlane verify` about a choice."""
    if not options.gate:
        return None
    from .verify import verdict_of  # the other command

    macros = [f"--define={text}" for text in options.define]
    flags = [f"--flag={text}" for text in options.flag]
    words = [*options.sources, "--chip", options.chip, "--kernel", options.kernel, *macros, *flags,
             *shlex.split(options.gate)]
    fields = dict(map(_pair, options.field))
    return lambda point: verdict_of([*words, *(
        f"--{'arg' if name in fields else 'define'}={name}={value}" for name, value in point.items())])


def _constraint(text: str) -> Any:
    try:
        code = compile(text, "--where", "eval")
    except SyntaxError as error:
        raise UserError(tr("--where {}: {}", text, error.msg)) from None

    def holds(point: Point) -> bool:
        try:
            return bool(eval(code, {}, dict(point)))  # the user's own words
        except NameError as error:
            raise UserError(tr("--where {}: {}; parameters are {}", text, error,
                               ', '.join(point))) from None

    return holds


if __name__ == "__main__":
    sys.exit(main())
