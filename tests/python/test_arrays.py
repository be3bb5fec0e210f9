"""Tensors as arrays: sizes, indices, numbers, what other packages take them for; and comparisons as
numpy makes them."""

import random

import numpy as np
import pytest

import tensorlane


@pytest.fixture(scope="module", params=[False, True], ids=["here", "isolated"])
def device(request):
    return tensorlane.Device("bm1684x", isolate=request.param)


def test_sizes(device):
    for shape in ((), (3,), (2, 3, 4), (0, 5)):
        tensor, array = device.empty(shape, "fp16"), np.empty(shape, np.float16)
        assert (tensor.ndim, tensor.size, tensor.nbytes) == (array.ndim, array.size, array.nbytes)
        if shape:
            assert len(tensor) == len(array)
        else:
            with pytest.raises(TypeError, match="no axes"):
                len(tensor)


@pytest.mark.parametrize("shape, says", [
    ((1 << 32, 1 << 32), "takes 73786976294838206464 bytes"), ((1 << 62, 4), "takes"),
    (2.7, "2.7 is no whole number"), ((2.0, 3), "2.0 is no whole number"),
    ("23", "'23' is no whole number"), ((2, None), "None is no whole number"),
    (-1, "an extent is negative"), ((3, -1), "an extent is negative"), ([3, -1], r"\(3, -1\)"),
    ((1 << 40, 1), "more than is free"), (np.array([2.5]), "2.5.* is no whole number"),
])
def test_shapes_that_are_none(device, shape, says):
    with pytest.raises(tensorlane.UserError, match=says):
        device.empty(shape)


@pytest.mark.parametrize("shape", [5, np.int32(5), (5,), [5], np.array([5]), range(5, 6)])
def test_shapes_in_every_form(device, shape):
    assert device.empty(shape).shape == (5,)


def random_index(rng, shape):
    def word(extent):
        kind = rng.randrange(6)
        if kind == 0:
            return rng.randrange(-extent, extent)
        if kind == 1:
            return np.int64(rng.randrange(extent))
        bounds = [rng.choice([None, rng.randrange(-extent - 1, extent + 2)]) for _ in range(2)]
        return slice(*bounds, rng.choice([None, 1, 2, -1, -3]))
    words = [word(extent) for extent in shape[:rng.randrange(len(shape) + 1)]]
    if rng.randrange(3) == 0:
        words.append(Ellipsis)
    if rng.randrange(3) == 0:
        words.insert(rng.randrange(len(words) + 1), None)
    return tuple(words) if len(words) != 1 or rng.randrange(2) else words[0]


@pytest.mark.parametrize("dtype", ["fp32", "int8", "bf16", "int4"])
def test_indices_give_what_numpy_gives(device, dtype):
    rng = random.Random(dtype)
    array = np.arange(4 * 5 * 3 * 6).reshape(4, 5, 3, 6) % 8
    array = array.astype(tensorlane.numpy_dtype(dtype))
    tensor = device.tensor(array, dtype=dtype)
    for _ in range(150):
        index = random_index(rng, array.shape)
        np.testing.assert_array_equal(tensor[index], array[index], repr(index))
    for index in ([2, 0], (slice(None), [1, 3]), array > 4, (Ellipsis, np.array([[0, 5]]))):
        np.testing.assert_array_equal(tensor[index], array[index])
    for wrong in (4, (0, 5), (0, 0, 0, 0, 0), -5):
        with pytest.raises(IndexError):
            tensor[wrong]
    assert [row.tolist() for row in tensor] == [row.tolist() for row in array]


def test_slices_are_views_and_only_they_are_read(device):
    source = """
#include "tpu_kernel.h"
typedef struct { unsigned long long y; } half_args;
void half(const void* args) {
  const half_args* a = (const half_args*)args;
  dim4 shape = {1, 1, 4, 8}, stride = {64, 64, 16, 1};  // the left half of rows of 16
  tpu_initialize();
  tpu_bdc_set_C(0, (scalar_t){.f32 = 2}, &shape, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->y, 0, &shape, &stride, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(half)
"""
    y = device.empty((4, 16))
    device.compile(source=source).launch("half", y=y)
    assert y[3, 7] == 2 and (y[:, :8] == 2).all() and (y[::-2, 2:6] == 2).all()
    assert (y[[0, 3], [1, 2]] == 2).all() and float(y[0, 0]) == 2
    view = y[1:3, :8]
    assert not view.flags.owndata and not view.flags.writeable
    for index in ((0, 8), (slice(None), slice(7, 9)), ([0, 0], [7, 8])):
        with pytest.raises(tensorlane.FindingError, match="TL-COVERAGE-001"):
            y[index]
    with pytest.raises(tensorlane.FindingError, match="TL-COVERAGE-001"):
        y.numpy()


@pytest.mark.parametrize("layout", ["aligned", "compact"])
def test_other_layouts_are_indexed_too(device, layout):
    array = np.arange(2 * 70 * 3 * 5, dtype=np.float32).reshape(2, 70, 3, 5)
    tensor = device.tensor(array, layout=layout)
    np.testing.assert_array_equal(tensor[1, 60:, ::2], array[1, 60:, ::2])
    np.testing.assert_array_equal(np.asarray(tensor), array)


def test_numbers_are_values_and_never_addresses(device):
    one = device.tensor(np.full((1, 1), 2.5, np.float32))
    assert float(one) == 2.5 and int(one) == 2 and bool(one)
    whole = device.tensor(np.array(7, np.int32))
    assert int(whole) == 7 and range(9)[whole] == 7 and hex(whole) == "0x7"
    assert not bool(device.tensor(np.zeros(1, np.int8)))
    with pytest.raises(TypeError):
        range(9)[one]
    many = device.tensor(np.ones(3, np.float32))
    for function in (float, int, hex):
        with pytest.raises(TypeError, match="it has 3 elements; where it lies is .address"):
            function(many)
    with pytest.raises(tensorlane.UserError, match="any.. or all.."):
        bool(many)
    assert many.address % 4 == 0


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint16", "int8"])
def test_dlpack_is_read_by_numpy_without_a_copy(device, dtype):
    array = np.arange(24).astype(dtype).reshape(2, 3, 4)
    tensor = device.tensor(array)
    taken = np.from_dlpack(tensor)
    np.testing.assert_array_equal(taken, array)
    assert taken.ctypes.data == tensor.numpy().ctypes.data
    assert tensor.__dlpack_device__() == (1, 0)
    del tensor
    np.testing.assert_array_equal(taken, array)  # it keeps the memory


def test_dlpack_in_every_form(device):
    tensor = device.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert "dltensor_versioned" in repr(tensor.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(tensor.__dlpack__())
    assert '"dltensor"' in repr(tensor.__dlpack__(max_version=(0, 8), copy=True))
    for wrong in ({"stream": 1}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError, match="host's processor"):
            tensor.__dlpack__(**wrong)
    assert tensor.__dlpack__(dl_device=(1, 0)) is not None
    with pytest.raises(BufferError, match="no elements of int4"):
        device.tensor(np.zeros(4, np.int8), dtype="int4").__dlpack__()
    packed = device.tensor(np.ones((1, 70, 3, 3), np.float16), layout="aligned")
    assert (np.from_dlpack(packed) == 1).all()


class OnlyDlpack:
    """What comes from a package that numpy knows nothing of."""

    def __init__(self, array):
        self._array, self.shape = array, array.shape

    def __dlpack__(self, **words):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_tensors_are_made_of_what_has_dlpack(device):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = device.tensor(OnlyDlpack(array))
    np.testing.assert_array_equal(tensor.numpy(), array)
    tensor.write(OnlyDlpack(array + 1))
    np.testing.assert_array_equal(tensor.numpy(), array + 1)


def test_torch_and_tensors(device):
    torch = pytest.importorskip("torch")
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = device.tensor(torch.from_numpy(array))
    assert torch.equal(torch.from_dlpack(tensor), torch.from_numpy(array))
    bits = device.tensor(array, dtype="bf16")
    assert torch.from_dlpack(bits).dtype == torch.bfloat16


def test_after_close_it_is_said_and_views_stay():
    for isolate in (False, True):
        device = tensorlane.Device("bm1684x", isolate=isolate)
        tensor = device.tensor(np.arange(3, dtype=np.float32))
        view, taken = tensor.numpy(), np.from_dlpack(tensor)
        device.close()
        np.testing.assert_array_equal(view, [0, 1, 2])
        np.testing.assert_array_equal(taken, [0, 1, 2])
        for use in (tensor.numpy, tensor.raw, lambda: tensor[0], lambda: float(tensor[:1]),
                    lambda: np.asarray(tensor), lambda: tensor.write(np.zeros(3, np.float32))):
            with pytest.raises(tensorlane.UserError, match="device that is closed"):
                use()
        assert "Tensor 3 fp32" in repr(tensor) and tensor.shape == (3,)


TYPED = """
#include <stdint.h>
#include "okk.h"
typedef struct {
  const float* floats; int32_t* words; int8_t* bytes; uint16_t* halves; const void* any; char* raw;
  float* pair[2]; system_addr_t plain;
} typed_args;
void typed(const void* args) { const typed_args* a = args; (void)a; okk_initialize(); okk_poll(); }
OKKERNEL_FUNC_REGISTER(typed)
"""


@pytest.mark.parametrize("field, takes", [
    ("floats", {"fp32", "x32"}), ("words", {"int32", "x32"}), ("bytes", {"int8", "x8", "int4", "uint4"}),
    ("halves", {"fp16", "bf16", "int16", "uint16", "x16"}), ("any", None), ("raw", None),
    ("plain", None)])
def test_a_pointer_takes_what_it_points_to(field, takes):
    device = tensorlane.Device("bm1684")
    module = device.compile(source=TYPED)
    (struct,) = module.arguments("typed")
    assert {each.name: each.target for each in struct.fields}["floats"] == "float"
    fine = {"floats": device.empty(4), "words": device.empty(4, "int32"),
            "bytes": device.empty(4, "int8"), "halves": device.empty(4, "fp16"),
            "any": device.empty(4), "raw": device.empty(4), "plain": device.empty(4),
            "pair": [device.empty(4), device.empty(4)]}
    module.launch("typed", fine)
    for dtype in ("fp32", "fp16", "bf16", "int32", "uint32", "int16", "uint16", "int8", "uint8",
                  "int4", "uint4", "fp8e4m3", "x8", "x16", "x32"):
        given = {**fine, field: device.empty(4, dtype)}
        if takes is None or dtype in takes:
            module.launch("typed", given)
            continue
        with pytest.raises(tensorlane.UserError, match=f"{field} is a tensor of {dtype}; field "
                           f"{field} of typed .* points to .*address passes it"):
            module.launch("typed", given)
        module.launch("typed", {**given, field: given[field].address})
    with pytest.raises(tensorlane.UserError, match="pair is a tensor of int32"):
        module.launch("typed", {**fine, "pair": [device.empty(4), device.empty(4, "int32")]})


def test_comparisons_take_what_numpy_takes():
    rng = np.random.default_rng(0)
    want = rng.standard_normal(1000).astype(np.float32) * np.float32(10.0) ** rng.integers(-4, 4, 1000)
    got = want + rng.standard_normal(1000).astype(np.float32) * 1e-3
    for rtol, atol in ((1e-3, 0), (0, 1e-3), (1e-4, 1e-4), (1, 1), (0, 0)):
        close = np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol)
        found = tensorlane.compare(got, want, rtol=rtol, atol=atol)
        assert found.differing == (~close).sum() and bool(found) == close.all()
    assert tensorlane.compare(got, want, rtol=1).differing == tensorlane.compare(
        got, want, rtol=1, atol=0).differing
    tensorlane.assert_close(got, want, atol=1)
    with pytest.raises(AssertionError, match="elements differ"):
        tensorlane.assert_close(got, want, rtol=1e-9)
    for wrong in ({"rtol": -1}, {"atol": float("nan")}, {"atol": "many"}, {"rtol": float("inf")}):
        with pytest.raises(tensorlane.UserError, match="it must be a number of 0 or more"):
            tensorlane.compare(got, want, **wrong)
    with pytest.raises(tensorlane.UserError, match="both given"):
        tensorlane.compare(got, want, "1e-3", atol=1)
