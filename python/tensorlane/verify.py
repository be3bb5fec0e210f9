"""tensorlane.verify from the command line: tensorlane verify, or python3 -m tensorlane.verify --help

Nothing imports this file: in the package, the name is the function's.
"""

from __future__ import annotations

import argparse
import errno
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any, Callable

from . import Input, Output, Scratch, UserError
from .command_line import CommandParser
from .texts import reason, tr
from .verdict import Verdict
from .verifying import verify

_EXAMPLE = """
  tensorlane verify rmsnorm.c --chip bm1684x --kernel rmsnorm --size rows=1:300 --size cols=1:512 \\
    --input input=fp32:rows,cols --output output=fp32:rows,cols --arg epsilon=1e-5 \\
    --reference reference.py:rmsnorm
"""


def main(words: list[str] | None = None) -> int:
    """The command with its words: 0 where the kernel is right, 1 where it is wrong, 2 for what
    cannot be done, 3 where time ended first."""
    given = sys.argv[1:] if words is None else words
    options = _parser().parse_args(["--json=-" if word == "--json" else word for word in given])
    try:
        for file in (options.json, options.page):
            if file not in (None, "-"):
                _write(file, "")  # before a long search it is known whether that can be done
        found = _verdict(options)
        if options.json:
            _write(options.json, json.dumps(found.json(), indent=1, ensure_ascii=False) + "\n")
        if options.page:
            _write(options.page, found.page())
        if options.json != "-":
            _write("-", f"{found}\n")
    except UserError as error:
        print(f"tensorlane verify: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"tensorlane verify: {tr('interrupted')}", file=sys.stderr)
        return 130
    return found.exit_status


def _write(file: str, text: str) -> None:
    """Into a file, or to standard output as "-". Raises UserError where that cannot be done."""
    try:
        if file != "-":
            Path(file).write_text(text, encoding="utf-8")
            return
        if sys.stdout is None:  # closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if file == "-":
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # nothing is left to be flushed
        name = tr("standard output") if file == "-" else file
        raise UserError(f"{name}: {reason(error)}") from None


def verdict_of(words: list[str]) -> Verdict:
    """What the command with these words finds; for the gate of `tensorlane tune`."""
    return _verdict(_parser().parse_args(words))


def _verdict(options: argparse.Namespace) -> Verdict:
    return verify(options.sources, options.chip, options.kernel, _args(options),
                  sizes=dict(map(_size, options.size)), where=options.where,
                  reference=_reference(options), tolerance=options.tolerance, tries=options.tries,
                  dry=options.dry, most_elements=options.most_elements, seed=options.seed,
                  seconds=options.seconds, flags=options.flag,
                  defines=dict(map(_pair, options.define)), allow=options.allow,
                  timeout=options.timeout, cores=_expression(options.cores))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "tensorlane verify",
        tr("Say whether a kernel is right at all of its sizes, and where not, the smallest"),
        tr("VALUES are a range with both ends (1:512, or 8:64:8) or a list (16,32). SHAPE are "
           "extents with commas between, numbers or expressions of sizes. Example:") +
        "\n" + _EXAMPLE)
    parser.add_positional("sources", nargs="+", metavar="SOURCE", help=tr("The kernel's files"))
    add = parser.add_option
    add("--chip", required=True, help=tr("A chip of 'tensorlane chips'"))
    add("--kernel", required=True, help=tr("The name under which it is registered"))
    for name, metavar, text in [
            ("size", "NAME=VALUES", tr("A size: the kernel is tried over its values")),
            ("where", "EXPRESSION", tr("What must hold between sizes")),
            ("input", "NAME=DTYPE:SHAPE", tr("A tensor that the kernel reads")),
            ("values", "NAME=VALUES", tr("What an input holds: normal, small, LOW:HIGH, FILE.npy")),
            ("update", "NAME=DTYPE:SHAPE", tr("A tensor that the kernel reads and writes")),
            ("output", "NAME=DTYPE:SHAPE", tr("A tensor that the kernel writes")),
            ("scratch", "NAME=DTYPE:SHAPE", tr("Memory that nobody looks at")),
            ("arg", "NAME=EXPRESSION", tr("A field of the arguments, a number or of sizes")),
            ("expect", "NAME=FILE.npy", tr("A right result; sizes stand in its name in braces")),
            ("define", "NAME=VALUE", tr("A macro that is no parameter")),
            ("flag", "FLAG", tr("For the compiler, as --flag=-O3")),
            ("allow", "ID", tr("A finding that does not fail it, with wildcards"))]:
        add(f"--{name}", action="append", default=[], metavar=metavar, help=text)
    add("--reference", metavar="FILE.py:FUNCTION",
        help=tr("A function of all arguments that gives the right results"))
    add("--tolerance", help=tr("Of results: 1e-3, or abs=X, rel=X, ulp=N"))
    add("--tries", type=int, default=300, help=tr("How many sizes run exactly"))
    add("--dry", type=int, default=20000, help=tr("How many sizes run dry"))
    add("--most-elements", type=int, default=1 << 21, metavar="N",
        help=tr("Of all tensors of a size that runs exactly"))
    add("--seed", type=int, default=0, help=tr("Decides what chance decides"))
    add("--seconds", type=float, metavar="SECONDS",
        help=tr("When to stop; what was not tried is unknown"))
    add("--timeout", type=float, default=10.0, metavar="SECONDS",
        help=tr("How long a launch may take"))
    add("--cores", default="1", metavar="EXPRESSION",
        help=tr("How many cores of the chip a launch takes, a number or of sizes"))
    add("--page", metavar="FILE", help=tr("The verdict as a page of HTML"))
    add("--json", metavar="FILE", help=tr("The verdict as JSON, in place of the text or in a file"))
    return parser


def _args(options: argparse.Namespace) -> dict[str, Any]:
    args: dict[str, Any] = {name: _expression(text) for name, text in map(_pair, options.arg)}
    values = dict(map(_pair, options.values))
    for name, text in map(_pair, options.input):
        args[name] = Input(*_tensor(name, text), values=values.pop(name, ""))
    for name, text in map(_pair, options.update):
        args[name] = Input(*_tensor(name, text), values=values.pop(name, ""), updated=True)
    for name, text in map(_pair, options.output):
        shape, dtype = _tensor(name, text)
        args[name] = Output(shape, dtype)
    for name, text in map(_pair, options.scratch):
        args[name] = Scratch(*_tensor(name, text))
    if values:
        raise UserError(tr("--values {}: there is no such input", next(iter(values))))
    return args


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise UserError(tr("'{}' is not NAME=VALUE", text))
    return name, value


def _expression(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text, 0) if kind is int else kind(text)  # type: ignore[call-arg]
        except ValueError:
            pass
    return text


def _size(text: str) -> tuple[str, Any]:
    name, values = _pair(text)
    ends = values.split(":")
    try:
        if len(ends) in (2, 3):
            first, last, step = [int(end) for end in ends] + [1] * (3 - len(ends))
            if step < 1 or last < first:
                raise UserError(tr("'{}': a range is FIRST:LAST:STEP, upwards", text))
            return name, range(first, last + 1, step)
        return name, [int(value) for value in values.split(",")]
    except ValueError:
        return name, values.split(",")


def _tensor(name: str, text: str) -> tuple[str, str]:
    dtype, sign, shape = text.partition(":")
    if not sign or not shape:
        raise UserError(tr("{}={}: it is DTYPE:SHAPE, as fp32:rows,64", name, text))
    return shape, dtype


def _reference(options: argparse.Namespace) -> Any:
    expected = dict(map(_pair, options.expect))
    if bool(expected) == bool(options.reference):
        raise UserError(tr("one of --reference and --expect is needed"))
    return expected or _function(options.reference)


def _function(text: str) -> Callable[..., Any]:
    file, _, name = text.rpartition(":")
    if not file or not name:
        raise UserError(tr("--reference {}: it is FILE.py:FUNCTION", text))
    if not Path(file).is_file():
        raise UserError(tr("--reference {}: '{}' is no file", text, file))
    spec = importlib.util.spec_from_file_location("tensorlane_reference", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(Path(file).absolute().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the user's own code
        raise UserError(f"{file}: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise UserError(tr("{} has no function '{}'", file, name))
    return found


if __name__ == "__main__":
    sys.exit(main())
