"""The sizes at which kernels go wrong: what the chip, its memory and the kernel's own text name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Iterable, Sequence

from . import _native

_PRIMES = (3, 5, 7, 11, 13, 17, 19, 31, 37, 61, 67, 97, 127, 131, 193, 257, 509, 521, 1009, 2039,
           4093, 8191, 16381, 65521)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?:[uUlL]*)(?![\w.])")
_SMALL = 10
_LIMITS = (255, 256, 4095, 4096, 32767, 32768, 65535, 65536)


def corner_values(values: Sequence[int], chip: str, constants: Iterable[int]) -> list[int]:
    """Those of ``values`` where something changes on a chip or in a kernel, what matters most
    first: its ends, lanes, execution units, the kernel's own constants, limits of commands and of
    16 bits; each with its neighbours; then small numbers, multiples of lanes and constants, powers
    of two, primes."""
    facts = json.loads(_native.chip_facts(chip))
    lanes, units = facts["npus"], facts["eu_bytes"]
    found: dict[int, None] = {}

    def add(*numbers: int) -> None:
        found.update((number, None) for number in numbers if number in values)

    def around(number: int) -> None:
        add(number, number + 1, number - 1)

    add(values[0], values[-1], 1, 0)
    around(lanes)
    # Small numbers stand in every text and are tried anyway: tiles come before them.
    own = sorted(set(constants), key=lambda constant: (constant < _SMALL, constant))
    for constant in own:
        around(constant)
    for bits in (32, 16, 8):
        around(units * 8 // bits)
    around(2 * lanes)
    for limit in _LIMITS:
        around(limit)
    add(values[-1] - 1, values[0] + 1)
    add(*range(2, _SMALL))
    for factor in (2, 3, 4):
        for constant in (*own, lanes):
            around(factor * constant)
    for bytes_of_row in (facts["npu_bytes"] // 4, facts["npu_bytes"] // 2):
        for part in (1, 2, 3, 4):
            around(bytes_of_row // part)
    add(*_PRIMES)
    add(*(1 << power for power in range(17)))
    return list(found)


def source_constants(files: Iterable[Path], most: int = 64) -> list[int]:
    """The whole numbers from 2 to 65536 that stand in the text of a kernel, comments apart, the
    most frequent first; products of two as in "64 * 8" too."""
    counts: dict[int, int] = {}
    for file in files:
        try:
            text = _COMMENT.sub(" ", file.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue  # an object file's name, or a file that is gone: the compiler says so
        for found in _NUMBER.finditer(text):
            _count(counts, int(found.group(1), 0) if found.group(1)[:2] in ("0x", "0X")
                   else int(found.group(1)))
        for a, b in re.findall(r"(?<![\w.])(\d{1,5})\s*\*\s*(\d{1,5})(?![\w.])", text):
            _count(counts, int(a) * int(b))
    return sorted(counts, key=lambda number: (-counts[number], number))[:most]


def _count(counts: dict[int, int], number: int) -> None:
    if 2 <= number <= 1 << 16:
        counts[number] = counts.get(number, 0) + 1
