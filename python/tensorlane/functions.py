"""The device functions of the chips, as the ops list has them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from . import _native


@dataclass(frozen=True)
class Op:
    """A device function.

    ``name`` is its C name, ``signature`` its declaration, ``group`` the family, ``engine`` who
    carries it out ("" for the processor), ``does`` and ``does_zh`` what it does, ``limits`` the
    rules its arguments must keep.
    """

    name: str
    signature: str
    group: str
    engine: str
    does: str
    does_zh: str
    limits: tuple[str, ...]


def ops(chip: str, containing: str = "") -> list[Op]:
    """The device functions of a chip, those whose names contain a text."""
    return [Op(each["name"], _signature(each), each["group"], each["engine"], each["does"],
               each["does_zh"], tuple(each["limits"]))
            for each in json.loads(_native.ops(chip)) if containing in each["name"]]


def _signature(op: dict) -> str:
    params = ", ".join(f"{param['type']} {param['name']}" for param in op["params"])
    return f"{op['returns']} {op['name']}({params or 'void'})"
