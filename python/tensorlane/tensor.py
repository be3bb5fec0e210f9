"""Tensors in the global memory of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _native
from .dtypes import element_bits, numpy_dtype, stored, unpack_int4
from .errors import UserError
from .texts import tr

if TYPE_CHECKING:
    from .device import Device
    from .layouts import Layout


class Tensor:
    """A tensor in the global memory of a device.

    Made by Device.tensor and Device.empty; its memory goes back when nobody has it, nor a view of
    it, any more. Wherever a launch takes an address it takes the tensor.

    ``address`` is absolute, ``shape`` in elements, ``dtype`` as TensorLane spells it ("fp32",
    "bf16"), ``layout`` None for row-major elements of any rank.
    """

    def __init__(self, device: Device, shape: Sequence[int], dtype: str, layout: Layout | None):
        self.device = device
        self.shape = tuple(int(extent) for extent in shape)
        self.dtype = dtype
        self.layout = layout
        if any(extent < 0 for extent in self.shape):
            raise UserError(tr("shape {}: an extent is negative", self.shape))
        elements = int(np.prod(self.shape, dtype=np.int64))
        self._plain = layout is None or layout.is_row_major
        self._bits, self._type = element_bits(dtype), numpy_dtype(dtype)
        # Whether numpy has the elements as they lie in memory.
        self._same = self._plain and self._bits >= 8 and self._type.kind != "V"
        bytes_ = (elements * self._bits + 7) // 8 if layout is None else layout.nbytes
        self._memory = _native.Memory(device._native, bytes_)
        self.address: int = self._memory.address

    @property
    def nbytes(self) -> int:
        """All bytes the tensor takes, padding of its layout included."""
        return self._memory.nbytes

    def place(self, index: int | Sequence[int]) -> tuple[int, int]:
        """The address of an element, and the bit of that byte where it begins (4-bit types)."""
        given = (index,) if isinstance(index, (int, np.integer)) else tuple(index)
        if len(given) != len(self.shape) or any(
                not 0 <= i < extent for i, extent in zip(given, self.shape)):
            raise UserError(tr("index {} is outside of a tensor of shape {}", given, self.shape))
        if self.layout is not None and not self._plain:
            if "npu" in self.layout._native.place_names or self.layout._native.is_image:
                raise UserError(tr("elements of {} in global memory have no address of their own; "
                                   "unpack them", self.layout.name))
            offset, *nibble = self.layout.address(*given)
            return self.address + offset, 4 * nibble[0] if nibble else 0
        number = int(np.ravel_multi_index(given, self.shape)) if given else 0
        bits = number * self._bits
        return self.address + bits // 8, bits % 8

    def numpy(self) -> np.ndarray:
        """The elements as an array of ``shape``, of the type that dtypes.numpy_dtype tells.

        Row-major tensors of whole bytes are not copied: the array is a read-only view of the
        device's memory, which later launches change; ``.copy()`` keeps what it holds now. Others
        are converted into a new array. Launches before end first. Raises FindingError where the
        checker knows of bytes that nobody wrote.
        """
        view = self._memory.view()
        self.device._check_host()
        if self._same:
            return np.frombuffer(view, self._type).reshape(self.shape)
        raw = np.frombuffer(view, np.uint8)
        if not self._plain:
            raw = self._converted(raw)
        if self._bits == 4:
            return unpack_int4(raw, self.shape, self.dtype == "int4").astype(self._type)
        return raw.view(self._type).reshape(self.shape)

    def raw(self) -> np.ndarray:
        """All bytes of the tensor as they lie in memory, as a read-only view: uint8, (nbytes,)."""
        view = self._memory.view()
        self.device._check_host()
        return np.frombuffer(view, np.uint8)

    def write(self, array: Any) -> None:
        """Copies ``array`` of the tensor's shape into it; floats may be of another float type."""
        if (self._same and type(array) is np.ndarray and array.dtype == self._type and
                array.shape == self.shape and array.flags.c_contiguous):
            self._memory.write(array)
            self.device._check_host()
            return
        data, _ = stored(array, self.dtype)
        if np.shape(array) != self.shape:
            raise UserError(tr("array has shape {}, the tensor {}", np.shape(array), self.shape))
        if not self._plain:
            assert self.layout is not None
            out = np.zeros(self.nbytes, np.uint8)
            _native.convert(self.layout._native, out, _native.row_major(self.layout._native), data)
            data = out
        self._memory.write(data)
        self.device._check_host()

    def _converted(self, raw: np.ndarray) -> np.ndarray:
        assert self.layout is not None
        plain = _native.row_major(self.layout._native)
        out = np.zeros(plain.nbytes, np.uint8)
        _native.convert(plain, out, self.layout._native, raw)
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __index__(self) -> int:
        return self.address

    def __repr__(self) -> str:
        layout = "" if self.layout is None else f", {self.layout.name}"
        shape = "x".join(map(str, self.shape)) or "scalar"
        return f"<Tensor {shape} {self.dtype}{layout} at {self.address:#x}>"
