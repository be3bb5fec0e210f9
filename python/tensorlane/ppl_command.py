"""`tensorlane ppl`: compiles kernels in PPL."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path
from typing import Sequence

from .command_line import CommandParser
from .compiler import compile_kernels, compiler_words, is_ppl
from .errors import Error, UserError
from .texts import tr


def _parser(verb: str) -> CommandParser:
    parser = CommandParser(f"tensorlane ppl {verb}", "")
    parser.add_positional("source", metavar="SOURCE")
    parser.add_option("--chip", default="bm1684x")
    parser.add_option("--define", action="append", default=[])
    parser.add_option("--flag", action="append", default=[])
    parser.add_option("--verbose", action="store_true")
    parser.add_option("-o", "--output", required=True)
    return parser


def _defines(options: argparse.Namespace) -> dict[str, str]:
    pairs = (each.partition("=") for each in options.define)
    return {name: value or "1" for name, _, value in pairs}


def build(options: argparse.Namespace) -> None:
    """Compiles a file to the library that is asked for."""
    source, defines = Path(options.source), _defines(options)
    if not is_ppl(source):
        raise UserError(tr("'{}' is no .pl file", source))
    if options.verbose:
        print(shlex.join(compiler_words(options.chip, source, options.flag, defines,
                                        options.output)))
    library = compile_kernels(options.chip, [source], options.flag, defines)
    shutil.copyfile(library, options.output)
    Path(options.output).chmod(0o755)


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    words = list(sys.argv[1:] if words is None else words)
    verb = words[0] if words else "build"
    options = _parser(verb).parse_args(words[1:])
    try:
        build(options)
    except Error as error:
        print(f"tensorlane ppl {verb}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(tr("tensorlane ppl {}: '{}' cannot be written: {}", verb, options.output,
                 error.strerror), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
