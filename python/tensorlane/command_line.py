"""Parsers of commands whose own words are in the language of the process."""

from __future__ import annotations

import argparse
from typing import Any

from .texts import tr


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
