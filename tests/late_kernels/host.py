#!/usr/bin/env python3
"""A host that loads its kernels while it runs and launches one of them: host.py [LIBRARY]."""
import ctypes
import sys

kernels = ctypes.CDLL(sys.argv[1]) if len(sys.argv) > 1 else None
runtime = ctypes.CDLL("libbmlib.so")

handle, chip = ctypes.c_void_p(), ctypes.c_uint()
if runtime.bm_dev_request(ctypes.byref(handle), 0) != 0:
    sys.exit("no device")
runtime.bm_get_chipid(handle, ctypes.byref(chip))
text = f"chip {chip.value:#x}"
if kernels:
    launch = getattr(runtime, ctypes.c_char_p.in_dll(kernels, "launch_function").value.decode())
    if launch(handle, b"look", None, 0) != 0:
        sys.exit("the launch failed")
    npus, npu_bytes = (ctypes.c_int.in_dll(kernels, name).value for name in ("npus", "npu_bytes"))
    text += f", {npus} NPUs of {npu_bytes} bytes"
runtime.bm_dev_free(handle)
print(text)
