"""What kernels take their arguments for, by their debug information."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import _native
from .dtypes import element_bits
from .isolated_parts import IsolatedModule
from .tensor import Tensor


@dataclass(frozen=True)
class Field:
    """A number, or an array of them, in a kernel's struct of arguments.

    ``name`` is "part.input" inside of a struct; ``bytes`` are those of one number, ``count`` how
    many there are; ``kind`` is "unsigned", "signed", "enumeration", "float" or "other" (what cannot
    be given by name). Of a pointer to numbers ``target`` is their C type.
    """

    name: str
    offset: int
    bytes: int
    count: int
    kind: str
    is_array: bool = False
    in_union: bool = False
    target: str = ""
    target_bytes: int = 0
    target_kind: str = "other"

    def takes(self, tensor: Tensor) -> bool:
        """Whether a pointer to such numbers can lead to the elements of a tensor."""
        name, bits = tensor.dtype, element_bits(tensor.dtype)
        if self.target == name:  # a class of that name, as those of PPL
            return True
        if not self.target or self.target in ("char", "unsigned char"):  # C's words for any bytes
            return True
        if bits == 4:
            return self.target_bytes == 1 and self.target_kind in ("signed", "unsigned")
        if bits != 8 * self.target_bytes:
            return False
        if name.startswith("x") or self.target_kind == "unsigned":  # bits of whatever kind
            return True
        if self.target_kind == "float":
            return name == ("bf16" if "bf16" in self.target else f"fp{bits}")
        return name.startswith("int")


@dataclass(frozen=True)
class ArgumentStruct:
    """What a kernel takes its arguments for: the C type, its bytes, where it is declared."""

    name: str
    bytes: int
    place: str
    fields: tuple[Field, ...]

    @cached_property
    def typed(self) -> tuple[Field, ...]:
        """The pointers to numbers."""
        return tuple(field for field in self.fields if field.target)

    @cached_property
    def packer(self) -> _native.ArgumentPacker | None:
        """What packs the values of a struct of single numbers; None for another struct."""
        if any(field.is_array or field.in_union or field.kind == "other" or
               field.bytes not in (1, 2, 4, 8) for field in self.fields):
            return None
        return _native.ArgumentPacker(
            [(field.name, field.offset, field.bytes, field.kind) for field in self.fields],
            self.bytes, Tensor)

    def dtype(self) -> np.dtype:
        """The same as a structured type of numpy."""
        known = [field for field in self.fields if field.kind != "other"]
        formats = []
        for field in known:
            code = {"float": "f", "signed": "i"}.get(field.kind, "u")
            one = f"<{code}{field.bytes}"
            formats.append((one, (field.count,)) if field.is_array else one)
        return np.dtype({"names": [field.name for field in known], "formats": formats,
                         "offsets": [field.offset for field in known], "itemsize": self.bytes})


def argument_structs(module: _native.KernelModule | IsolatedModule,
                     kernel: str) -> list[ArgumentStruct]:
    """What ``kernel`` points to by its variables, in the order of the source; empty without -g."""
    return [ArgumentStruct(each["name"], each["bytes"], each["place"], tuple(
        Field(field["name"], field["offset"], field["bytes"], field["count"], field["kind"],
              field["array"], field["union"], field["target"], field["target_bytes"],
              field["target_kind"]) for field in each["fields"]))
        for each in json.loads(module.argument_structs(kernel))]
