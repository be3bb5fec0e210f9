"""Options of a device that `tensorlane run` has too: both read one table, observe/run_options.h."""

from __future__ import annotations

import difflib
import os
from typing import Any, Mapping, NamedTuple

from . import _native, given
from .texts import tr


class RunOption(NamedTuple):
    """A row of the table: what Device() calls it, its variable of the environment, what it does."""

    keyword: str
    variable: str
    kind: str  # switch, text, choice, seconds, file, list
    words: str  # what help shows as its value; the words of a choice, "on|off"
    help: str


def run_options() -> dict[str, RunOption]:
    """All rows that Device() takes, by keyword."""
    return {row[0]: RunOption(*row) for row in _native.run_options()}


def value_of(row: RunOption, value: Any) -> str:
    """A value as the environment would have it; empty for none."""
    if value is None or value is False:
        return ""
    if row.kind == "switch":
        return "1" if given.truth(row.keyword, value) else ""
    if row.kind == "choice":
        choices = row.words.split("|")
        if value is True:
            return row.keyword if row.keyword in choices else "on"
        return given.one_of(row.keyword, value, choices)
    if row.kind == "file":
        return os.path.abspath(given.path(row.keyword, value))
    if row.kind == "list":
        return "\n".join([value] if isinstance(value, str) else map(str, value))
    return str(value)


def settings_of(options: Mapping[str, Any]) -> dict[str, str]:
    """The variables of options by keyword. TypeError for a keyword that no row has."""
    rows, settings = run_options(), {}
    if options.get("precision_of"):  # that alone
        options = {**options, "precision": False}
    for keyword, value in options.items():
        if keyword not in rows:
            near = difflib.get_close_matches(keyword, rows, 1)
            hint = tr("; did you mean '{}'?", near[0]) if near else ""
            raise TypeError(tr("Device() has no option '{}'", keyword) + hint)
        settings[rows[keyword].variable] = value_of(rows[keyword], value)
    return settings
