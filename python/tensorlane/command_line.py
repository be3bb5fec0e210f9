"""Parsers of commands whose own words are in the language of the process."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn

from .texts import msg, tr


# What argparse says is wrong with words, and the same as texts of ours.
_SAID = (
    (r"the following arguments are required: (.*)", msg("these words are missing: {}")),
    (r"unrecognized arguments: (.*)", msg("no such words: {}")),
    (r"argument (\S+): expected one argument", msg("{} needs a value")),
    (r"argument (\S+): expected at least one argument", msg("{} needs at least one value")),
    (r"argument (\S+): expected (\d+) arguments", msg("{} needs {} values")),
    (r"argument (\S+): invalid int value: (.*)", msg("{}: {} is no whole number")),
    (r"argument (\S+): invalid float value: (.*)", msg("{}: {} is no number")),
    (r"argument (\S+): invalid \S+ value: (.*)", msg("{}: {} cannot be taken")),
    (r"argument (\S+): invalid choice: (.*) \(choose from (.*)\)", msg("{}: {} is none of {}")),
    (r"argument (\S+): not allowed with argument (.*)", msg("{} and {} exclude each other")),
    (r"argument (\S+): ignored explicit argument (.*)", msg("{} takes no value, and {} is given")),
    (r"ambiguous option: (.*) could match (.*)", msg("{} may be any of {}")),
    (r"one of the arguments (.*) is required", msg("one of these is needed: {}")),
)


def _own_words(said: str) -> str:
    for pattern, text in _SAID:
        if found := re.fullmatch(pattern, said, re.S):
            return tr(text, *found.groups())
    return said


class _Formatter(argparse.RawDescriptionHelpFormatter):

    def add_usage(self, usage: str | None, actions: Any, groups: Any,
                  prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, tr("Usage") + ": ")

    def _get_help_string(self, action: argparse.Action) -> str | None:
        shown = isinstance(action.default, int) and action.default is not False
        return f"{action.help} [%(default)s]" if shown and action.help else action.help


class CommandParser(argparse.ArgumentParser):
    """Takes the words of a command; its help says what the number is that an option has by itself."""

    def __init__(self, prog: str, description: str, epilog: str = "", usage: str | None = None):
        super().__init__(prog=prog, description=description, epilog=epilog, usage=usage,
                         formatter_class=_Formatter, add_help=False)
        self.add_positional = self.add_argument_group(tr("Positionals")).add_argument
        self.add_option = self.add_argument_group(tr("Options")).add_argument
        self.add_option("-h", "--help", action="help", help=tr("Print this help message and exit"))

    def error(self, message: str) -> NoReturn:
        """One line, as the programs say what is wrong; the status is 2."""
        self.exit(2, f"{self.prog}: {_own_words(message)}\n")
