"""The argument block of a launch: bytes from ctypes, numpy, or names and values.

A kernel is given one pointer. What it takes it for stands in its debug information, so values can
be given by the names of its own struct; nobody writes that down a second time.
"""

from __future__ import annotations

import ctypes
import difflib
import operator
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .argument_structs import ArgumentStruct, Field
from .errors import UserError
from .tensor import Tensor
from .texts import tr

_MEMBER = re.compile(r"\.\w+|\[\d+\]")  # behind the name of a struct or an array of structs
_FLOAT_FORMATS = {2: "<e", 4: "<f", 8: "<d"}


def pack(kernel: str, args: Any, structs: list[ArgumentStruct]) -> bytes:
    """The argument block. ``args``: see Module.launch."""
    if args is None:
        return _filled(kernel, {}, structs) if structs else b""
    if isinstance(args, Mapping):
        return _filled(kernel, args, structs)
    block = _bytes_of(args)
    if block and structs and len(block) < min(each.bytes for each in structs):
        first = structs[0]
        raise UserError(tr("the launch passes {} bytes, the kernel reads {} of {} ({})", len(block),
                           first.name, first.bytes, first.place))
    return block


def _bytes_of(args: Any) -> bytes:
    if isinstance(args, (bytes, bytearray, memoryview)):
        return bytes(args)
    if isinstance(args, (ctypes.Structure, ctypes.Union, ctypes.Array)):
        return bytes(args)
    if isinstance(args, np.void):
        return args.tobytes()
    if isinstance(args, np.ndarray) and args.dtype.names is not None:
        if args.size != 1:
            raise UserError(tr("args has {} records; a launch takes one", args.size))
        return args.tobytes()
    raise UserError(tr("args is {}; it must be names and values, a ctypes structure, a numpy "
                       "record or bytes", type(args).__name__))


def tensors_in(args: Any) -> list[Tensor]:
    """Those that have to live until the launch is done."""
    if not isinstance(args, Mapping):
        return []
    return [tensor for value in args.values() for tensor in _tensors_of(value)]


def _tensors_of(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _tensors_of(inner)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value by the names of fields, as far as mappings tell them."""
    if isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _flat(f"{name}.{inner}", each)
    else:
        yield name, value


def _numbers(name: str, value: Any, fields: Mapping[str, Field],
             where: str) -> Iterator[tuple[str, Any]]:
    """A value by the names of fields. A sequence stands for the members of a struct in their order
    (shape=(1, 64, 8, 8)) or for an array of structs. Raises UserError where there are none."""
    if name in fields:
        yield name, value
        return
    inside = {field: name + found.group() for field in fields if field.startswith(name) and
              (found := _MEMBER.match(field, len(name)))}
    if not inside:
        near = difflib.get_close_matches(name, fields, 1)
        raise UserError(tr("'{}' is no field {}", name, where) +
                        (tr("; did you mean '{}'?", near[0]) if near else ""))
    if isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _numbers(f"{name}.{inner}", each, fields, where)
        return
    given = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    members = list(dict.fromkeys(inside.values()))
    if len(given) == len(members):
        for member, each in zip(members, given):
            yield from _numbers(member, each, fields, where)
    elif len(given) == len(inside):
        yield from zip(inside, given)
    else:
        raise UserError(tr("'{}' has {} values; field {} {} has {}: {}", name, len(given), name,
                           where, len(members), ', '.join(members)))


def _filled(kernel: str, args: Mapping[str, Any], structs: list[ArgumentStruct]) -> bytes:
    if not structs:
        raise UserError(
            tr("nothing is known of the arguments of '{}': it was built without -g, or has no "
               "variable that points to a struct; give bytes, a ctypes structure or a numpy record",
               kernel))
    # A kernel may look at a header first: what fits best is meant.
    names = [name for each, value in args.items() for name, _ in _flat(each, value)]
    best = max(structs, key=lambda each: _matches(each, names))
    return _fill(kernel, best, args)


def _matches(arguments: ArgumentStruct, names: Sequence[str]) -> int:
    own = {field.name for field in arguments.fields}
    return sum(name in own for name in names)


def _fill(kernel: str, arguments: ArgumentStruct, args: Mapping[str, Any]) -> bytes:
    where = tr("of {} ({}, {})", kernel, arguments.name, arguments.place)
    fields = {field.name: field for field in arguments.fields}
    values = {field: number for name, value in args.items()
              for field, number in _numbers(name, value, fields, where)}
    missing = [name for name, field in fields.items() if name not in values and not field.in_union]
    if missing:
        raise UserError(tr("no value for {} {}", ', '.join(missing), where))
    block = bytearray(arguments.bytes)
    for name, value in values.items():
        field = fields[name]
        data = _field_bytes(field, value, where)
        block[field.offset:field.offset + len(data)] = data
    return bytes(block)


def _field_bytes(field: Field, value: Any, where: str) -> bytes:
    if field.kind == "other":
        raise UserError(tr("field {} {} cannot be given by name; give the whole struct as ctypes "
                           "structure, numpy record or bytes", field.name, where))
    if not field.is_array:
        return _number_bytes(field, value, where)
    values = None if isinstance(value, (str, bytes)) else _elements(value)
    if values is None or len(values) != field.count:
        given = "a text" if values is None else f"{len(values)} values"
        raise UserError(tr("{} is {}; field {} {} has {}", field.name, given, field.name, where,
                           field.count))
    return b"".join(_number_bytes(field, each, where) for each in values)


def _elements(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):  # of tensors too, whose elements are not meant
        return [element for each in value for element in _elements(each)]
    return [value] if isinstance(value, Tensor) else list(np.asarray(value).reshape(-1))


def _number_bytes(field: Field, value: Any, where: str) -> bytes:
    if isinstance(value, Tensor):
        if field.bytes != 8 or field.kind == "float":
            raise UserError(tr("{} is a tensor; field {} {} has {} bytes, and an address takes an "
                               "integer of 8", field.name, field.name, where, field.bytes))
        if not field.takes(value):
            raise UserError(tr("{} is a tensor of {}; field {} {} points to {}. Its .address passes "
                               "it all the same", field.name, value.dtype, field.name, where,
                               field.target))
        value = value.address
    if field.kind == "float":
        try:
            return struct.pack(_FLOAT_FORMATS[field.bytes], float(value))
        except (TypeError, ValueError):
            raise UserError(tr("{} = {} is no number, field {}", field.name, _said(value),
                               where)) from None
        except OverflowError:
            raise UserError(tr("{} = {} is too large for the {} bytes of a field {}", field.name,
                               repr(value), field.bytes, where)) from None
    try:
        number = operator.index(value)
    except TypeError:
        if isinstance(value, np.ndarray) and field.bytes == 8:
            raise UserError(tr("{} is {}; where field {} {} is an address it takes "
                               "device.tensor(array)", field.name, _said(value), field.name,
                               where)) from None
        raise UserError(tr("{} = {} is no integer, field {}", field.name, _said(value),
                           where)) from None
    bits = 8 * field.bytes
    least = 0 if field.kind == "unsigned" else -(1 << bits - 1)
    most = (1 << bits - 1) - 1 if field.kind == "signed" else (1 << bits) - 1
    if not least <= number <= most:
        raise UserError(tr("{} = {} does not fit field {} {}: {} to {}", field.name, number,
                           field.name, where, least, most))
    return (number & (1 << bits) - 1).to_bytes(field.bytes, "little")


def _said(value: Any) -> str:
    """Arrays by their shapes: numbers would fill pages."""
    if isinstance(value, np.ndarray) and value.ndim:
        return tr("an array of {} {}", value.shape, value.dtype)
    return repr(value)
