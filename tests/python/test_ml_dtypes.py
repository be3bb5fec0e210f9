"""Arrays of ml_dtypes: of the package where it is installed, and of the stand-in ml_dtypes.c."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import numpy as np
import pytest

import tensorlane

SESSION = textwrap.dedent("""
    import ml_dtypes
    import numpy as np
    import tensorlane

    device = tensorlane.Device("bm1684x")
    values = np.array([[1, -2.5, 0.0625], [448, 0, 3]], np.float32)
    for name, theirs, bits in (("bf16", ml_dtypes.bfloat16, np.uint16), ("fp8e4m3", ml_dtypes.float8_e4m3fn, np.uint8),
                               ("fp8e5m2", ml_dtypes.float8_e5m2, np.uint8)):
        assert tensorlane.numpy_dtype(name) == np.dtype(theirs)
        rounded = device.tensor(values, dtype=name).numpy()
        assert rounded.dtype == np.dtype(theirs) and rounded.shape == values.shape
        array = rounded.copy()
        tensor = device.tensor(array)  # what it holds is told by its type
        assert tensor.dtype == name and tensor.nbytes == values.size * array.itemsize
        view = tensor.numpy()
        assert view.dtype == array.dtype and not view.flags.owndata
        assert (view.view(bits) == array.view(bits)).all()
        again = device.tensor(array.view(bits), dtype=name).numpy()
        assert again.dtype == array.dtype and (again.view(bits) == array.view(bits)).all()
        into = {"bf16": tensorlane.to_bf16}.get(name) or (lambda x: tensorlane.to_fp8(x, name[3:]))
        back = {"bf16": tensorlane.from_bf16}.get(name) or (lambda x: tensorlane.from_fp8(x, name[3:]))
        assert into(values).dtype == array.dtype and (into(values).view(bits) == array.view(bits)).all()
        assert (back(array) == array.astype(np.float32)).all() and (back(array.view(bits)) == back(array)).all()
        assert tensorlane.compare(array, array)
        changed = array.copy()
        changed.view(bits)[1, 0] = 0
        assert not tensorlane.compare(changed, array)

    packed = device.tensor(np.resize(tensorlane.to_bf16(values), (70, 40, 1, 1)), layout="32IC")
    assert packed.numpy().dtype == np.dtype(ml_dtypes.bfloat16)
    # From one of their types into another.
    fp8 = device.tensor(tensorlane.to_bf16(values), dtype="fp8e5m2").numpy()
    assert (fp8.view(np.uint8) == tensorlane.to_fp8(values, "e5m2").view(np.uint8)).all()

    for name, theirs, integers in (("int4", ml_dtypes.int4, [-8, -1, 7, 3, 0]), ("uint4", ml_dtypes.uint4, [0, 15, 8, 1, 2])):
        array = np.array(integers, np.int8).astype(theirs)
        tensor = device.tensor(array)
        assert tensor.dtype == name and tensor.nbytes == 3
        assert tensor.numpy().dtype == np.dtype(theirs) and list(tensor.numpy().astype(np.int8)) == integers
""")


def build_stand_in(folder):
    includes = (sysconfig.get_path("include"), np.get_include())
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", *(f"-I{include}" for include in includes),
                    str(Path(__file__).with_name("ml_dtypes.c")), "-o", str(folder / "ml_dtypes.so")], check=True)


@pytest.mark.parametrize("whose", ["stand-in", "installed"])
def test_arrays_of_ml_dtypes(whose, tmp_path):
    if whose == "installed" and importlib.util.find_spec("ml_dtypes") is None:
        pytest.skip("ml_dtypes is not installed")
    if whose == "stand-in":
        if not Path(sysconfig.get_path("include"), "Python.h").is_file():
            pytest.skip("there are no headers of Python")
        build_stand_in(tmp_path)
    package = str(Path(tensorlane.__file__).parents[1])
    result = subprocess.run([sys.executable, "-c", SESSION], stderr=subprocess.PIPE, text=True, check=False,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), package])})
    assert result.returncode == 0, result.stderr
