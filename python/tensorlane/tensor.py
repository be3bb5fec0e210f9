"""Tensors in the global memory of a device."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

from . import _native
from .dtypes import element_bits, from_bf16, from_fp8, numpy_dtype, stored, unpack_int4
from .indexing import bytes_of_index, extents_of
from .errors import UserError
from .texts import tr

if TYPE_CHECKING:
    from .device import Device
    from .layouts import Layout


# How DLPack numbers the kinds of elements.
_DLPACK = {"int8": 0, "int16": 0, "int32": 0, "uint8": 1, "uint16": 1, "uint32": 1, "x8": 1,
           "x16": 1, "x32": 1, "fp16": 2, "fp32": 2, "bf16": 4, "fp8e4m3": 10, "fp8e5m2": 12}


class Tensor:
    """A tensor in the global memory of a device.

    Made by Device.tensor and Device.empty; its memory goes back when nobody has it, nor a view of
    it, any more. Wherever a launch takes an address it takes the tensor.

    ``address`` is absolute, ``shape`` in elements, ``dtype`` as TensorLane spells it ("fp32",
    "bf16"), ``layout`` None for row-major elements of any rank.

    It reads as an array: ``tensor[1:3, ::2]``, ``len``, iteration, ``float`` of a single element,
    ``np.asarray`` and ``from_dlpack`` of numpy, PyTorch and others. Only elements that are asked
    for are read; ``write`` puts new ones there.
    """

    def __init__(self, device: Device, shape: int | Sequence[int], dtype: str,
                 layout: Layout | None):
        self.device = device
        self.shape = extents_of(shape)
        self.dtype = dtype
        self.layout = layout
        self._plain = layout is None or layout.is_row_major
        self._bits, self._type = element_bits(dtype), numpy_dtype(dtype)
        # Whether numpy has the elements as they lie in memory.
        self._same = self._plain and self._bits >= 8 and self._type.kind != "V"
        bytes_ = (self.size * self._bits + 7) // 8 if layout is None else layout.nbytes
        if bytes_ >= 1 << 63:
            raise UserError(tr("shape {} of {} takes {} bytes, more than any memory has",
                               self.shape, dtype, bytes_))
        self._memory = device._memory(bytes_)
        self.address: int = self._memory.address

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

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
        checker knows of bytes that nobody wrote, UserError when the device is closed: views that
        were taken before stay.
        """
        view = self._view()
        if self._same:
            return np.frombuffer(view, self._type).reshape(self.shape)
        raw = np.frombuffer(view, np.uint8)
        if not self._plain:
            raw = self._converted(raw)
        if self._bits == 4:
            return unpack_int4(raw, self.shape, self.dtype == "int4").astype(self._type)
        return raw.view(self._type).reshape(self.shape)

    def real(self) -> np.ndarray:
        """What the elements would be, had everything that led to them been computed in real numbers
        (double precision), as float64: the difference from numpy() is what rounding did.

        Needs a device with ``shadow``; of what a function without a real meaning wrote, the
        elements themselves.
        """
        array = self.numpy()
        if self.dtype == "bf16":
            array = from_bf16(array)
        elif self.dtype in ("fp8e4m3", "fp8e5m2"):
            array = from_fp8(array, self.dtype[3:])
        values = array.astype(np.float64)
        if not self._plain or self._bits < 8:
            raise UserError(tr("{} is not row-major in elements of whole bytes; real() takes no "
                               "other", self))
        self.device._native.replace_by_real(self.address, self.dtype, values.reshape(-1))
        return values

    def raw(self) -> np.ndarray:
        """All bytes of the tensor as they lie in memory, as a read-only view: uint8, (nbytes,)."""
        return np.frombuffer(self._view(), np.uint8)

    def _view(self) -> Any:
        self._check_open()
        view = self._memory.view()
        self.device._check_host()
        return view

    def _touch(self, reads: bool) -> None:
        """Tells the checks that the host reads or wrote all of it, and moves nothing."""
        self._memory.touch(reads)
        self.device._check_host()

    def _check_open(self) -> None:
        if self.device._native.closed:
            raise UserError(tr("{} is of a device that is closed; read it before, a view stays",
                               self))

    def write(self, array: Any) -> None:
        """Copies ``array`` of the tensor's shape into it; floats may be of another float type."""
        self._check_open()
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

    def __getitem__(self, index: Any) -> Any:
        """The elements that numpy would give: a read-only view where that can be, else an array of
        their own, or one number."""
        if not self._same:
            return self.numpy()[index]
        self._check_open()
        view = self._memory.view_runs(*bytes_of_index(index, self.shape, self._type))
        self.device._check_host()
        return np.frombuffer(view, self._type).reshape(self.shape)[index]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(tr("{} has no axes, and so no length", self))
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __float__(self) -> float:
        return float(self._only("float"))

    def __int__(self) -> int:
        return int(self._only("int"))

    def __index__(self) -> int:
        return operator.index(self._only("index"))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise UserError(tr("{} has {} elements, each true or false; ask for any() or all() of "
                               "its numpy()", self, self.size))
        return bool(self.numpy().reshape(-1)[0])

    def _only(self, function: str) -> Any:
        if self.size != 1:
            raise TypeError(tr("{}() of {}: it has {} elements; where it lies is .address",
                               function, self, self.size))
        return self.numpy().reshape(-1)[0]

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """For ``from_dlpack``. Nothing is copied where numpy() copies nothing: that memory is to be
        read only."""
        if stream is not None or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError(tr("{} lies in memory of the host's processor", self))
        if self.dtype not in _DLPACK:
            raise BufferError(tr("DLPack has no elements of {}", self.dtype))
        array = self.raw() if self._plain else self.numpy().reshape(-1).view(np.uint8)
        if copy:
            array = array.copy()
        versioned = max_version is not None and max_version[0] >= 1
        return _native.dlpack(array, self.shape, _DLPACK[self.dtype], self._bits, versioned,
                              bool(copy) or not self._plain)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __repr__(self) -> str:
        layout = "" if self.layout is None else f", {self.layout.name}"
        shape = "x".join(map(str, self.shape)) or "scalar"
        return f"<Tensor {shape} {self.dtype}{layout} at {self.address:#x}>"
