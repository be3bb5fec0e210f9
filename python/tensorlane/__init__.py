"""TensorLane: kernels for Sophon TPUs run, checked and timed on any PC.

    import numpy as np, tensorlane

    dev = tensorlane.Device("bm1684x")
    kernel = dev.compile("rmsnorm.c")
    x = np.random.randn(128, 512).astype(np.float32)
    out = dev.empty(x.shape)
    launch = kernel.launch("rmsnorm", output=out, input=dev.tensor(x), rows=128, cols=512)
    print(out.numpy(), launch.time)

A launch is the same bits as on the vendor's model; what is wrong with it is an exception that names
the line and the rule. The package never prints.
"""

import os as _os

from . import _native

_native.set_package_folder(_os.path.dirname(__file__) + _os.sep)

from .argument_structs import ArgumentStruct, Field  # noqa: E402
from .comparison import Comparison, LogDifference, compare, diff  # noqa: E402
from .compiler import cache_folder, include_folders  # noqa: E402
from .device import Device  # noqa: E402
from .dtypes import (from_bf16, from_fp8, numpy_dtype, pack_int4, to_bf16, to_fp8,  # noqa: E402
                     unpack_int4)
from .errors import CompileError, Error, FindingError, InternalError, UserError  # noqa: E402
from .findings import Finding, Location, Place, explain  # noqa: E402
from .functions import Op, ops  # noqa: E402
from .launch import Launch, Module  # noqa: E402
from .layouts import Conversion, DumpPlace, Layout, LayoutRow, layout, layouts  # noqa: E402
from .planning import (LayerCommand, LayerPlan, Operand, PlacedBuffer, Plan, plan,  # noqa: E402
                       plan_layer)
from .ppl import PplError, PplModule  # noqa: E402
from .tensor import Tensor  # noqa: E402
from .testing import assert_close, assert_equal, cases  # noqa: E402
from .operands import Input, Scratch  # noqa: E402
from .timing import (Block, Command, MemoryMap, Reason, Time, Timeline, report_page,  # noqa: E402
                     save_trace)
from .trials import Output, Trial  # noqa: E402
from .tuning import Tuning, tune  # noqa: E402
from .verdict import Verdict  # noqa: E402
from .verifying import verifies, verify  # noqa: E402
from .why import Chain  # noqa: E402

__version__: str = _native.version
chips: list[str] = _native.chips()

__all__ = [
    "ArgumentStruct", "Block", "Chain", "Command", "Comparison", "CompileError", "Conversion",
    "Device", "DumpPlace", "Error", "Field", "Finding", "FindingError", "Input", "InternalError", "Launch",
    "LayerCommand", "LayerPlan", "Layout", "LayoutRow", "Location", "LogDifference",
    "MemoryMap", "Module", "Op", "Operand", "Output", "Place", "PlacedBuffer", "Plan",
    "PplError", "PplModule", "Reason", "Scratch", "Tensor", "Time", "Timeline", "Trial", "Tuning", "UserError", "Verdict",
    "assert_close", "assert_equal", "cache_folder", "cases", "chips", "compare", "diff",
    "explain", "from_bf16", "from_fp8", "include_folders", "layout", "layouts", "numpy_dtype",
    "ops", "pack_int4", "plan", "plan_layer", "report_page", "save_trace", "to_bf16", "to_fp8",
    "tune", "unpack_int4", "verifies", "verify",
]
