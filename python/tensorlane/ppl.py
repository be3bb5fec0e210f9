"""Kernels in the PPL dialect of C++: what of a `.pl` file can be launched, and how.

A file is compiled with the headers of sdk/ppl by the usual C++ compiler. Beside it a few lines are
compiled that this module writes: for every function marked __KERNEL__ a struct of its parameters and
a kernel that takes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from .dtypes import dtype_name, from_bf16, numpy_dtype, to_bf16
from .errors import FindingError, UserError
from .launch import Launch, Module
from .tensor import Tensor
from .texts import tr

if TYPE_CHECKING:
    from .argument_structs import Field

# What a kernel's mark becomes, so that kernels are found in what the preprocessor leaves.
MARK = "__tensorlane_ppl_kernel__"
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


@dataclass(frozen=True)
class PplKernel:
    """A function marked __KERNEL__: its name, and its parameters as (type, name)."""

    name: str
    parameters: tuple[tuple[str, str], ...]


def kernels_in(text: str) -> list[PplKernel]:
    """The kernels of a preprocessed file, whose marks have become MARK."""
    found = []
    for match in re.finditer(MARK + r"\s+(?:(?:static|inline)\s+)*void\s+(\w+)\s*\(", text):
        end, depth = match.end(), 1
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        if not re.match(r"\s*\{", text[end:]):
            continue  # a declaration
        found.append(PplKernel(match.group(1), tuple(_parameters(text[match.end():end - 1]))))
    return found


def _parameters(text: str) -> list[tuple[str, str]]:
    words = [re.sub(r"\s+", " ", each).strip() for each in text.split(",")]
    result = []
    for each in words:
        if not each:
            continue
        match = re.fullmatch(r"(.*?[\s*&])(\w+)(\s*=.*)?", each)
        if match is None:
            raise UserError(tr("parameter '{}' of a kernel is not understood", each))
        kind = match.group(1).strip()
        if "*" not in kind:
            kind = re.sub(r"\bconst\b\s*", "", kind).replace("&", "").strip()
        result.append((kind, match.group(2)))
    return result


def launcher_text(file: str, kernels: list[PplKernel]) -> str:
    """C++ that makes the kernels of ``file`` launchable, each under its name."""
    lines = [f'#include "{file}"', ""]
    for kernel in kernels:
        name, struct = kernel.name, f"{kernel.name}_arguments"
        values = ", ".join(f"param->{parameter}" for _, parameter in kernel.parameters)
        lines += [f"struct {struct} {{"]
        lines += [f"  {kind} {parameter};" for kind, parameter in kernel.parameters]
        lines += [
            "};",
            f"static void ppl_launch_{name}(const void* args) {{",
            f"  const {struct}* const param = static_cast<const {struct}*>(args);",
            "  ppl::detail::begin_launch(__builtin_frame_address(0));",
            f"  {name}({values});",
            "  ppl::detail::end_launch();",
            "}",
            f"static __attribute__((constructor)) void ppl_register_{name}() {{",
            f'  tpu_register_kernel_func("{name}", reinterpret_cast<void*>(ppl_launch_{name}),'
            " FUNC_TYPE_1);",
            "}",
            'extern "C" __attribute__((visibility("default"))) int '
            f"ppl_plan_{name}(const void* args) {{",
            f"  const {struct}* const param = static_cast<const {struct}*>(args);",
            "  return ppl::detail::plan(__builtin_frame_address(0),",
            f"                           [=] {{ {name}({values}); }});",
            "}",
            ""]
    return "\n".join(lines)


class PplModule(Module):
    """Kernels of a `.pl` file. Where a kernel takes a pointer a launch takes a tensor, or a numpy
    array: it is copied to the device and, after the launch, back."""

    def launch(self, kernel: str, args: Any = None, /, *, wait: bool = True,
               **fields: Any) -> Launch:
        """Runs ``kernel``; see Module.launch. Raises PplError where it cannot be carried out with
        these arguments."""
        if args is not None and not isinstance(args, Mapping):
            return self._run(kernel, args, wait)
        named: dict[str, Any] = {**(args or {}), **fields}
        arrays: list[tuple[np.ndarray, Tensor]] = []
        structs = self.arguments(kernel)
        pointers = {field.name: field for struct in structs for field in struct.fields}
        for name, value in named.items():
            if isinstance(value, np.ndarray) and value.ndim and name in pointers:
                tensor = self._copied(value, pointers[name])
                arrays.append((value, tensor))
                named[name] = tensor
        launch = self._run(kernel, named, wait or bool(arrays))
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

    def _copied(self, array: np.ndarray, field: Field) -> Tensor:
        name = _ELEMENTS.get(field.target)
        if name == "bf16" and array.dtype == np.float32:
            return self.device.tensor(to_bf16(array), dtype="bf16")
        if name is not None and array.dtype != numpy_dtype(name):
            raise UserError(tr("{} is an array of {}; the kernel takes {}", field.name,
                               array.dtype.name, name))
        return self.device.tensor(array, dtype=name or dtype_name(array.dtype))

    def _run(self, kernel: str, args: Any, wait: bool) -> Launch:
        try:
            return super().launch(kernel, args, wait=wait)
        except FindingError as error:
            for finding in error.findings:
                if found := _ERROR.search(finding.message):
                    raise PplError(error, found.group(1), int(found.group(2), 16)) from None
            raise
