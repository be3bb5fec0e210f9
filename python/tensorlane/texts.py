"""Texts for people, in the language of the process: what TENSORLANE_LANG, LC_ALL, LC_MESSAGES or
LANG says, the first of them that is set.

Messages stand in the code in English, each once; their Chinese is in po/zh.po, which the native
part holds.
"""
from __future__ import annotations

import unicodedata

from . import _native


def tr(english: str, *values: object) -> str:
    """The text in the language of the process, with its values: tr("{} of {}", 1, 2)."""
    return _native.translated(english).format(*values)


def msg(english: str) -> str:
    """A text that tr() gets later, where it stands in a table: what collects texts looks for these."""
    return english


def reason(error: OSError) -> str:
    """The system's words for an error, in the language of the process."""
    return tr(error.strerror) if error.strerror else str(error)


def padded(text: str, columns: int) -> str:
    """The text with blanks behind it: a Chinese character takes two columns of a terminal."""
    taken = sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
    return text + " " * (columns - taken)
