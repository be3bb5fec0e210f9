"""Element types, beyond those that numpy has.

numpy has no bf16, fp8 and int4. Where the package ml_dtypes is installed, arrays of these types are
its (``bfloat16``, ``float8_e4m3fn``, ``float8_e5m2``, ``int4``, ``uint4``); else bf16 comes as uint16
and fp8 as uint8, bit for bit, and 4-bit integers come as int8 and uint8, one to a byte. The
converters below turn bits into float32 and back, rounding to nearest even as the chips do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from .errors import UserError
from .texts import tr

try:
    import ml_dtypes as _ml_dtypes  # type: ignore[import]
except ImportError:
    _ml_dtypes = None

_PLAIN = {
    "fp32": "float32", "fp16": "float16", "int32": "int32", "uint32": "uint32", "int16": "int16",
    "uint16": "uint16", "int8": "int8", "uint8": "uint8", "x8": "uint8", "x16": "uint16",
    "x32": "uint32",
}
_BITS = {"bf16": "uint16", "fp8e4m3": "uint8", "fp8e5m2": "uint8", "int4": "int8",
         "uint4": "uint8"}
_ML = {"bf16": "bfloat16", "fp8e4m3": "float8_e4m3fn", "fp8e5m2": "float8_e5m2", "int4": "int4",
       "uint4": "uint4"}
_WIDE = {"float64": "fp32", "int64": "int32", "uint64": "uint32"}  # what numpy makes of numbers
_FLOATS = ("fp32", "fp16", "bf16", "fp8e4m3", "fp8e5m2")


def dtype_name(dtype: Any) -> str:
    """What TensorLane calls an element type: "fp32", "bf16", "int4".

    ``dtype`` is such a name, one that numpy or PyTorch use, or a numpy or ml_dtypes type. Raises
    UserError with the nearest name for others.
    """
    if isinstance(dtype, str):
        try:
            return _native.dtype_of(dtype)[0]
        except UserError as error:
            raise UserError(tr("{}; known are {}", error, ', '.join((*_PLAIN, *_BITS)))) from None
    try:
        name = np.dtype(dtype).name if dtype is not None else "None"  # numpy's own default is float64
    except TypeError:
        name = repr(dtype)
    for ours, theirs in (*_PLAIN.items(), *_ML.items()):
        if name == theirs:
            return ours
    if name == "bool":
        return "uint8"
    raise UserError(tr("dtype {}: the chips have no such elements; known are {}", name,
                       ', '.join((*_PLAIN, *_BITS))))


def numpy_dtype(dtype: Any) -> np.dtype:
    """The numpy type that arrays of an element type have here; see the text of this module."""
    name = dtype_name(dtype)
    if name in _PLAIN:
        return np.dtype(_PLAIN[name])
    if _ml_dtypes is not None and hasattr(_ml_dtypes, _ML[name]):
        return np.dtype(getattr(_ml_dtypes, _ML[name]))
    return np.dtype(_BITS[name])


def element_bits(dtype: Any) -> int:
    """Bits of one element: 4 to 32."""
    return _native.dtype_of(dtype_name(dtype))[1]


def to_bf16(array: Any) -> np.ndarray:
    """bf16 of float values, any shape, as uint16 of the same shape (ml_dtypes.bfloat16 where
    installed)."""
    return _converted(array, "bf16")


def from_bf16(bits: Any) -> np.ndarray:
    """float32 of bf16 given as uint16 or ml_dtypes.bfloat16, any shape."""
    return _values(bits, "bf16")


def to_fp8(array: Any, format: str = "e4m3") -> np.ndarray:
    """fp8 ("e4m3" or "e5m2") of float values, any shape, as uint8 (ml_dtypes where installed)."""
    return _converted(array, f"fp8{format}")


def from_fp8(bits: Any, format: str = "e4m3") -> np.ndarray:
    """float32 of fp8 ("e4m3" or "e5m2") given as uint8 or an ml_dtypes type, any shape."""
    return _values(bits, f"fp8{format}")


def pack_int4(array: Any) -> np.ndarray:
    """4-bit integers, two to a byte as device memory has them: the first in the low half.

    ``array`` holds -8 to 15, any shape; the result is one line of uint8, half as long, rounded up.
    """
    values = np.asarray(array).astype(np.int16).reshape(-1)
    if values.size and (values.min() < -8 or values.max() > 15):
        raise UserError(tr("array has {} to {}; 4 bits hold -8 to 15", values.min(), values.max()))
    nibbles = np.zeros((values.size + 1) // 2 * 2, np.uint8)
    nibbles[:values.size] = values & 15
    return nibbles[0::2] | nibbles[1::2] << 4


def unpack_int4(bits: Any, shape: Any, signed: bool = True) -> np.ndarray:
    """What pack_int4 packed, as int8 (``signed``) or uint8 of ``shape``."""
    packed = np.asarray(bits, np.uint8).reshape(-1)
    nibbles = np.empty(packed.size * 2, np.uint8)
    nibbles[0::2], nibbles[1::2] = packed & 15, packed >> 4
    values = nibbles[:int(np.prod(shape, dtype=np.int64))].reshape(shape)
    return (values ^ 8).astype(np.int8) - np.int8(8) if signed else values


def stored(array: Any, dtype: Any = None) -> tuple[np.ndarray, str]:
    """An array as device memory holds its elements, row-major (as bits, where numpy has no such
    type), and what they are.

    4-bit elements lie two to a byte, in one line. Where ``dtype`` asks for it, float values become
    another float type, and integers of numpy's own type and truth values another integer type that
    holds them all; UserError for any other change of type.
    """
    values = np.from_dlpack(array) if _only_dlpack(array) else np.asarray(array)
    if dtype is None and values.dtype.name in _WIDE:
        raise UserError(tr("array holds {}, and the chips have no such elements; dtype='{}' takes "
                           "its values", values.dtype, _WIDE[values.dtype.name]))
    name = dtype_name(dtype) if dtype is not None else dtype_name(values.dtype)
    if values.dtype in (np.int64, np.uint64, np.bool_):
        values = _narrowed(values, name)
    if values.dtype not in (numpy_dtype(name), np.dtype(_BITS.get(name, _PLAIN.get(name)))):
        if name not in _FLOATS or values.dtype.kind not in "fV" or (
                values.dtype.kind == "V" and _ml_dtypes is None):
            raise UserError(tr("array holds {}, which is no {}; convert it first", values.dtype,
                               name))
        values = _converted(values, name)
    if name in ("int4", "uint4"):
        return pack_int4(values.astype(np.int8)), name
    values = np.ascontiguousarray(values)
    # The types of ml_dtypes have no buffers.
    return values.view(_BITS[name]) if name in _BITS else values, name


def _only_dlpack(array: Any) -> bool:
    """Whether numpy can take it by DLPack and in no other way."""
    return hasattr(array, "__dlpack__") and not (
        hasattr(array, "__array__") or hasattr(array, "__array_interface__"))


def _narrowed(values: np.ndarray, name: str) -> np.ndarray:
    """Integers as a narrower type that holds them; what they are where ``name`` is none."""
    if "int" not in name:
        return values
    bits, least = element_bits(name), 0
    if not name.startswith("u"):
        bits, least = bits - 1, -(1 << bits - 1)
    if values.size and not least <= int(values.min()) <= int(values.max()) < 1 << bits:
        raise UserError(tr("array has {} to {}; {} holds {} to {}", int(values.min()),
                           int(values.max()), name, least, (1 << bits) - 1))
    return values.astype(_PLAIN.get(name, _BITS.get(name)))


def _converted(array: Any, name: str) -> np.ndarray:
    values = np.ascontiguousarray(array, np.float32)
    bits = np.empty(values.shape, np.dtype(_PLAIN.get(name, _BITS.get(name))))
    _native.convert_elements("fp32", values, name, bits)
    return bits.view(numpy_dtype(name))


def _values(bits: Any, name: str) -> np.ndarray:
    source = np.ascontiguousarray(bits)
    if source.dtype != numpy_dtype(name) and source.dtype != np.dtype(_BITS[name]):
        raise UserError(tr("bits holds {}; bits of {} are {}", source.dtype, name, _BITS[name]))
    values = np.empty(source.shape, np.float32)
    _native.convert_elements(name, source.view(np.dtype(_BITS[name])), "fp32", values)
    return values
