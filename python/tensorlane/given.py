"""Options as they are given: each is what it says, or a UserError that names it and its value."""

from __future__ import annotations

import math
import operator
import os
import re
import shlex
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from .errors import UserError
from .texts import tr

# A macro as -D takes it: NAME or NAME(a, b).
_MACRO = re.compile(r"[A-Za-z_]\w*(\([\w\s,.]*\))?", re.ASCII)


def _refused(name: str, value: Any, wanted: str) -> UserError:
    return UserError(tr("{} = {}: {}", name, repr(value), wanted))


def text(name: str, value: Any, example: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise _refused(name, value, tr("a text is wanted, as {}", example))
    return value


def texts(name: str, value: Any, example: str) -> list[str]:
    """Several strings; one stands for itself."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise _refused(name, value, tr("a list of texts is wanted, as {}", example))
    given = list(value)
    for each in given:
        if not isinstance(each, str):
            raise _refused(name, given, tr("{} is no text; wanted is a list as {}", repr(each), example))
    return given


def truth(name: str, value: Any) -> bool:
    """True or False; numbers 0 and 1 and numpy's own are these, too."""
    if isinstance(value, (bool, np.bool_)) or isinstance(value, (int, np.integer)) and value in (0, 1):
        return bool(value)
    raise _refused(name, value, tr("True or False is wanted"))


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of a few words."""
    if value not in choices:
        raise _refused(name, value, tr("known are {}", ", ".join(choices)))
    return str(value)


def seconds(name: str, value: Any) -> float:
    """Seconds above 0; 0.0 for None."""
    if value is None:
        return 0.0
    number = math.nan
    if not isinstance(value, (str, bytes, bool)):
        try:
            number = float(value)
        except (TypeError, ValueError):
            pass
    if not 0 <= number < math.inf:
        raise _refused(name, value, tr("seconds are wanted, 0 or more; None or 0: no limit"))
    return number


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least so much."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise _refused(name, value, tr("a whole number from {} on is wanted", least))
    return number


def byte_count(name: str, value: Any, usual: int) -> int:
    """Bytes; ``usual`` for True, 0 for False."""
    if isinstance(value, bool):
        return usual if value else 0
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise _refused(name, value, tr("True, False or a number of bytes is wanted"))
    return number


def path(name: str, value: Any) -> str:
    """A file's name; empty for None."""
    if value is None:
        return ""
    if not isinstance(value, (str, os.PathLike)):
        raise _refused(name, value, tr("a path is wanted"))
    return os.fspath(value)


def words(name: str, value: Any) -> list[str]:
    """Words of a command; a text is taken apart as a shell does."""
    if isinstance(value, str):
        try:
            return shlex.split(value)
        except ValueError:
            raise _refused(name, value, tr("a quote is not closed")) from None
    if not isinstance(value, Sequence) or isinstance(value, (bytes, Mapping)):
        raise _refused(name, value, tr("a list of texts is wanted, as {}", '["-O3"]'))
    for each in value:
        if not isinstance(each, (str, os.PathLike)):
            raise _refused(name, value,
                           tr("{} is no text; wanted is a list as {}", repr(each), '["-O3"]'))
    return [os.fspath(each) for each in value]


def macros(name: str, value: Any) -> dict[str, object]:
    """Macros by name."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _refused(name, value, tr("a dict is wanted, as {}", '{"TILE": 64}'))
    for macro in value:
        if not isinstance(macro, str) or not _MACRO.fullmatch(macro):
            raise _refused(name, value, tr("{} is no name of a macro", repr(macro)))
    return dict(value)
