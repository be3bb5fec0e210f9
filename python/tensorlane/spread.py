"""A command in shards on many machines: tensorlane spread, or python3 -m tensorlane.spread --help

The command is one with the options --shard I/N, --results FILE and --merge FILE...: conformance,
replay and tune of the command line, or a script that has them. Its shards run on the workers of
dask; then it is run with --merge here, and says what one run of everything would.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, Sequence

from .command_line import CommandParser
from .errors import UserError
from .texts import reason, tr
from .workers import spread

_SHARDS_PER_WORKER = 4


def main(words: Sequence[str] | None = None) -> int:
    """The command with its words; the status of the merge, 2 for what cannot be done."""
    prefix, words = _cut_prefix(sys.argv[1:] if words is None else words)
    options = _parser().parse_args(words)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    try:
        if not command:
            raise UserError(tr("no program given; write: tensorlane {} -- PROGRAM ARGS...", "spread"))
        if options.shards is not None and options.shards < 1:
            raise UserError(tr("--shards {}: at least 1", options.shards))
        with _scheduler(options.dask, options.listen) as client:
            shards = options.shards or _SHARDS_PER_WORKER * len(client.nthreads())
            parts = spread(_Shard(command, prefix, shards), range(1, shards + 1), client)
        return _merge(command, prefix, parts, options.results)
    except (UserError, OSError) as error:
        print(f"tensorlane spread: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "tensorlane spread",
        tr("Run a command in shards on the workers of dask and put their results together"),
        usage="%(prog)s [OPTIONS] -- COMMAND ARGS...")
    add = parser.add_option
    add("--dask", metavar="ADDRESS",
        help=tr("The scheduler; without it workers are started on this machine"))
    add("--listen", metavar="ADDRESS", default="127.0.0.1",
        help=tr("Where workers of this machine and their pages can be reached [127.0.0.1]"))
    add("--shards", type=int, metavar="N", help=tr("How many; without it four for each worker"))
    add("--prefix", default="--", metavar="TEXT",
        help=tr("What the command's own options begin with: --tensorlane- for pytest"))
    add("--results", metavar="FILE",
        help=tr("Write what the command writes with --results on one machine"))
    parser.add_positional("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _cut_prefix(words: Sequence[str]) -> tuple[str, list[str]]:
    """The value of --prefix, and the other words: argparse takes no value that begins with dashes."""
    others = list(words)
    end = others.index("--") if "--" in others else len(others)
    for at, word in enumerate(others[:end]):
        if word.startswith("--prefix="):
            return others.pop(at).partition("=")[2], others
        if word == "--prefix" and at + 1 < len(others):
            value = others.pop(at + 1)
            others.pop(at)
            return value, others
    return "--", others


class _Shard:
    """Runs one shard of a command on a worker and brings its results; an object of an importable
    class, so that workers take it as it is."""

    def __init__(self, command: Sequence[str], prefix: str, shards: int):
        self._command, self._prefix, self._shards = list(command), prefix, shards
        self._folder = os.getcwd()  # where relative paths begin

    def __call__(self, shard: int) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results"
            words = [*self._command, f"{self._prefix}shard={shard}/{self._shards}",
                     f"{self._prefix}results={results}"]
            if not os.path.isdir(self._folder):
                raise UserError(tr("a worker has no folder '{}'", self._folder))
            try:
                run = subprocess.run(words, cwd=self._folder, capture_output=True, text=True,
                                     errors="replace", stdin=subprocess.DEVNULL, check=False)
            except OSError as error:
                raise UserError(tr("cannot start '{}': {}", words[0], reason(error))) from None
            if not results.is_file():
                said = (run.stderr or run.stdout).strip().splitlines()
                raise UserError(tr("'{}' ended with status {} and without results: {}",
                                   " ".join(words), run.returncode, said[-1] if said else "-"))
            return results.read_bytes()


def _merge(command: Sequence[str], prefix: str, parts: Sequence[bytes],
           results: str | None) -> int:
    # A word each: pytest takes one that begins with no dash for a folder of tests until it knows
    # the plug-in.
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "parts.jsonl"
        whole.write_bytes(b"".join(parts))
        kept = [] if results is None else [f"{prefix}results={results}"]
        sys.stdout.flush()
        return subprocess.run([*command, *kept, f"{prefix}merge={whole}"], check=False).returncode


@contextlib.contextmanager
def _scheduler(address: str | None, listen: str) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UserError(tr("this needs distributed (Debian: python3-distributed); --shard I/N and "
                           "--merge of the command itself need nothing")) from None
    if address is None:
        # A worker would say in many lines what the error here says in one.
        # Whoever reaches a scheduler can have it run anything: here nobody else does.
        with LocalCluster(threads_per_worker=1, host=listen, dashboard_address=f"{listen}:0",
                          worker_dashboard_address=f"{listen}:0",
                          silence_logs=logging.ERROR) as cluster:
            with Client(cluster, set_as_default=False) as client:
                yield client
        return
    try:
        client = Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(f"--dask {address}: {error}") from None
    with client:
        if not client.nthreads():
            raise UserError(tr("--dask {}: the scheduler has no workers", address))
        yield client


if __name__ == "__main__":
    sys.exit(main())
