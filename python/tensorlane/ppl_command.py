"""`tensorlane ppl`: compiles kernels in PPL, runs their tests."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from .command_line import CommandParser
from .compiler import compile_kernels, compiler_words, is_ppl, kernels_of
from .device import Device
from .errors import Error, FindingError, UserError
from .ppl import PplModule
from .ppl_source import host_header
from .ppl_runs import TestRun
from .texts import tr

# How a test runs again, beside as it stands: its arrays must come out with the same bits.
_AGAIN: tuple[dict[str, Any], ...] = ({"pipeline": "off"}, {"dma": "late"}, {"dma": "random:1"})


def _parser(verb: str) -> CommandParser:
    parser = CommandParser(f"tensorlane ppl {verb}", "")
    parser.add_positional("source", metavar="SOURCE")
    if verb == "test":
        parser.add_positional("names", nargs="*", metavar="TEST")
        parser.add_option("--cores", type=int)
        parser.add_option("--seed", type=int, default=0)
    parser.add_option("--chip", default="bm1684x")
    parser.add_option("--define", action="append", default=[])
    parser.add_option("--flag", action="append", default=[])
    if verb == "build":
        parser.add_option("--header")
        parser.add_option("--verbose", action="store_true")
    parser.add_option("-o", "--output", required=verb == "build")
    return parser


def _defines(options: argparse.Namespace) -> dict[str, str]:
    pairs = (each.partition("=") for each in options.define)
    return {name: value or "1" for name, _, value in pairs}


def _source(options: argparse.Namespace) -> Path:
    source = Path(options.source)
    if not is_ppl(source):
        raise UserError(tr("'{}' is no .pl file", source))
    return source


def build(options: argparse.Namespace) -> int:
    """Compiles a file to the library that is asked for."""
    source, defines = _source(options), _defines(options)
    if options.verbose:
        print(shlex.join(compiler_words(options.chip, source, options.flag, defines,
                                        options.output)))
    library = compile_kernels(options.chip, [source], options.flag, defines)
    shutil.copyfile(library, options.output)
    Path(options.output).chmod(0o755)
    if options.header:
        kernels = kernels_of(options.chip, source, options.flag, defines)
        Path(options.header).write_text(host_header(source.name, kernels), encoding="utf-8")
    return 0


def test(options: argparse.Namespace) -> int:
    """Runs the tests of a file, each in several orders: how many are wrong decides the status."""
    source, defines = _source(options), _defines(options)

    def module(**more: Any) -> PplModule:
        made = Device(options.chip, **more).compile(source, flags=options.flag, defines=defines)
        assert isinstance(made, PplModule)
        return made
    known = module().tests
    if not known:
        raise UserError(tr("'{}' has no function marked __TEST__", source))
    kept: dict[str, np.ndarray] = {}
    wrong = 0
    for name in options.names or known:
        try:
            first = module().test(name, seed=options.seed, cores=options.cores)
            differs = _differences(first, [
                module(**more).test(name, seed=options.seed, cores=options.cores)
                for more in _AGAIN])
        except FindingError as error:
            print(tr("{}: wrong", name), error, sep="\n")
            wrong += 1
            continue
        kept.update({f"{name}.{key}": value for key, value in first.arrays().items()})
        print(_said(first, differs))
        wrong += bool(differs)
    if options.output:
        np.savez(options.output, **kept)
    return 1 if wrong else 0


def _differences(first: TestRun, others: Sequence[TestRun]) -> list[str]:
    """The arrays that do not come out the same in every order."""
    wanted = first.arrays()
    return [name for name, value in wanted.items()
            if any(value.tobytes() != other.arrays()[name].tobytes() for other in others)]


def _said(run: TestRun, differs: Sequence[str]) -> str:
    """The lines of a test that came to its end."""
    lines = [tr("{}: {:.2f} us modelled", run.name, run.us)]
    for each in run.launches:
        text = ", ".join(f"{name}={value}" for name, value in each.arguments.items()
                         if not hasattr(value, "shape"))
        lines.append(f"  {each.kernel}({text})  {each.launch.time.us:.2f} us")
        lines += [str(found) for found in each.launch.findings if found.severity == "warning"]
    if run.unwritten:
        lines.append("  " + tr("not all of it was written: {}", ", ".join(run.unwritten)))
    lines.append("  " + (
        tr("other bits in another order of copies or without stages: {}", ", ".join(differs))
        if differs else tr("the same bits in every order of copies, with stages and without")))
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    words = list(sys.argv[1:] if words is None else words)
    verb = words[0] if words and words[0] in ("build", "test") else "build"
    options = _parser(verb).parse_intermixed_args(words[1:])
    try:
        return build(options) if verb == "build" else test(options)
    except Error as error:
        print(f"tensorlane ppl {verb}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(tr("tensorlane ppl {}: '{}' cannot be written: {}", verb,
                 error.filename2 or error.filename or options.output, error.strerror),
              file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
