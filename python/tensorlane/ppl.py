"""Kernels in the PPL dialect of C++: what of a `.pl` file can be launched, and how.

A file is compiled with the headers of sdk/ppl by the usual C++ compiler. Beside it a few lines are
compiled that ppl_source.py writes: for every function marked __KERNEL__ a struct of its parameters
and a kernel that takes it.
"""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _native
from .dtypes import dtype_name, from_bf16, numpy_dtype, to_bf16
from .errors import FindingError, UserError
from .launch import Launch, Module
from .ppl_runs import TestRun, run_test, tests_of
from .tensor import Tensor
from .texts import tr

if TYPE_CHECKING:
    from .argument_structs import Field

FLAGS = ["-std=c++17", "-O1", "-g", "-fPIC", "-fno-omit-frame-pointer",
         "-fno-optimize-sibling-calls", "-fvisibility=hidden", "-fno-gnu-unique", "-Wno-narrowing",
         "-fsigned-char", "-DUSING_CMODEL"]
# The numbers of public hosts, by the names in the texts of refusals.
_ERROR = re.compile(r"(Ppl\w+Err) \((0x[0-9a-f]+)\)")
_ELEMENTS = {"float": "fp32", "fp32": "fp32", "fp16": "fp16", "bf16": "bf16", "fp8e4m3": "fp8e4m3",
             "fp8e5m2": "fp8e5m2"}


class PplError(FindingError):
    """A kernel that cannot be carried out with these arguments: its tensors exceed local memory, a
    real shape its block. Nothing was computed. ``code`` is what a host of the chip gets, 0x11 where
    local memory does not suffice, ``name`` its name."""

    def __init__(self, error: FindingError, name: str, code: int):
        super().__init__(error.findings, error.launch)
        self.name = name
        self.code = code


class PplModule(Module):
    """Kernels of a `.pl` file. Where a kernel takes a pointer a launch takes a tensor, or a numpy
    array: it is copied to the device and, after the launch, back."""

    # How it was compiled: sources, flags, macros. None of a library that was loaded.
    built_from: tuple[list[Path], Sequence[str], Mapping[str, object]] | None = None

    def launch(self, kernel: str, args: Any = None, /, *, wait: bool = True,
               cores: int | None = None, **fields: Any) -> Launch:
        """Runs ``kernel``; see Module.launch. Without ``cores`` on as many as the kernel asks for
        (set_core_num, set_block_num), at most those of the chip. Raises PplError where it cannot be
        carried out with these arguments."""
        if args is not None and not isinstance(args, Mapping):
            return self._run(kernel, args, wait, cores)
        named: dict[str, Any] = {**(args or {}), **fields}
        arrays: list[tuple[np.ndarray, Tensor]] = []
        structs = self.arguments(kernel)
        pointers = {field.name: field for struct in structs for field in struct.fields}
        for name, value in named.items():
            if isinstance(value, np.ndarray) and value.ndim and name in pointers and (
                    not pointers[name].is_array):  # which lies in the struct
                tensor = self._copied(value, pointers[name])
                arrays.append((value, tensor))
                named[name] = tensor
        launch = self._run(kernel, named, wait or bool(arrays), cores)
        for array, tensor in arrays:
            if not array.flags.writeable:
                continue
            result = tensor.numpy()
            if tensor.dtype == "bf16" and array.dtype == np.float32:
                result = from_bf16(result)
            array[...] = result.view(array.dtype) if result.dtype != array.dtype and \
                result.dtype.itemsize == array.dtype.itemsize else result
        return launch

    def __getitem__(self, kernel: str) -> Any:
        """A kernel as a function of its parameters in their order, or by name."""
        names = [field.name for field in self.arguments(kernel)[0].fields]

        def call(*values: Any, **named: Any) -> Launch:
            if len(values) > len(names):
                raise UserError(tr("{} takes {} arguments, {} are given", kernel, len(names),
                                   len(values)))
            return self.launch(kernel, {**dict(zip(names, values)), **named})
        return call

    def asked_cores(self, kernel: str, args: Any) -> int:
        """On how many cores ``kernel`` wants to run with these arguments; at most those of the
        chip, at least 1."""
        most = json.loads(_native.chip_facts(self.device.chip))["cores"]
        if most == 1:
            return 1
        library = ctypes.CDLL(str(self.path))
        ask = getattr(library, f"ppl_cores_{kernel}", None)
        asked = 0 if ask is None else ask(self._block(kernel, args))
        # Else it stays, and registers nothing when it is loaded again.
        ctypes.CDLL(None).dlclose(ctypes.c_void_p(library._handle))
        return max(1, min(asked, most))

    @property
    def tests(self) -> list[str]:
        """The functions marked __TEST__, in their order."""
        return tests_of(self)

    def test(self, name: str, *, seed: int = 0, cores: int | None = None) -> TestRun:
        """Runs a function marked __TEST__ on this device: each kernel that it calls is a launch.
        ``seed`` decides what `rand` gives. Raises FindingError as launch() does."""
        return run_test(self, name, seed, cores)

    def _copied(self, array: np.ndarray, field: Field) -> Tensor:
        name = _ELEMENTS.get(field.target)
        if name == "bf16" and array.dtype == np.float32:
            return self.device.tensor(to_bf16(array), dtype="bf16")
        if name is not None and array.dtype != numpy_dtype(name):
            raise UserError(tr("{} is an array of {}; the kernel takes {}", field.name,
                               array.dtype.name, name))
        return self.device.tensor(array, dtype=name or dtype_name(array.dtype))

    def _run(self, kernel: str, args: Any, wait: bool, cores: int | None) -> Launch:
        try:
            if cores is None:
                cores = len(args) if isinstance(args, (list, tuple)) else (
                    self.asked_cores(kernel, args))
            return super().launch(kernel, args, wait=wait, cores=cores)
        except FindingError as error:
            for finding in error.findings:
                if found := _ERROR.search(finding.message):
                    raise PplError(error, found.group(1), int(found.group(2), 16)) from None
            raise
