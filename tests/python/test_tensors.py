"""Tensors: element types, layouts, views without copies; layouts by themselves."""

import gc

import numpy as np
import pytest

import tensorlane


@pytest.fixture(scope="module")
def device():
    return tensorlane.Device("bm1684x")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint32", "int16", "uint16",
                                   "int8", "uint8"])
def test_arrays_come_back(device, dtype):
    array = np.arange(2 * 3 * 4, dtype=dtype).reshape(2, 3, 4)
    tensor = device.tensor(array)
    np.testing.assert_array_equal(tensor.numpy(), array)
    assert tensor.numpy().dtype == array.dtype and tensor.nbytes == array.nbytes
    np.testing.assert_array_equal(device.tensor(array[:, ::-1, ::2]).numpy(), array[:, ::-1, ::2])


def test_views_are_the_memory_itself(device):
    tensor = device.tensor(np.zeros(8, np.float32))
    view = tensor.numpy()
    assert not view.flags.writeable and not view.flags.owndata
    tensor.write(np.arange(8, dtype=np.float32))
    np.testing.assert_array_equal(view, np.arange(8))
    address = tensor.address
    del tensor
    gc.collect()
    assert device.empty(8).address != address  # the view keeps it
    del view
    gc.collect()
    assert device.empty(8).address == address


@pytest.mark.parametrize("layout, dtype, shape", [
    ("bm1684:4N", "int8", (6, 5, 4, 5)), ("bm1684:2N", "int16", (3, 5, 4, 5)),
    ("bm1684:2IC", "float32", (7, 5, 3, 3)), ("bm1684x:32IC", "float16", (70, 40, 3, 3)),
    ("bm1684x:64IC", "int8", (70, 70, 1, 1)), ("bm1684x:aligned", "float32", (2, 70, 3, 5)),
    ("bm1684x:continuous", "float32", (2, 70, 3, 5)), ("bm1684x:compact", "int8", (2, 70, 3, 5)),
    ("mace:NHWC", "float32", (2, 4, 5, 3)), ("mace:IN_OUT_CHANNEL", "float16", (2, 4, 5, 3)),
])
def test_elements_in_every_layout_come_back(layout, dtype, shape):
    chip = "bm1684" if layout.startswith("bm1684:") else "bm1684x"
    device = tensorlane.Device(chip)
    array = (np.arange(np.prod(shape)) % 100).astype(dtype).reshape(shape)
    tensor = device.tensor(array, layout=layout)
    np.testing.assert_array_equal(tensor.numpy(), array)
    # Every element where the table says.
    raw, table = tensor.raw(), tensor.layout.table()
    if not tensor.layout.is_local and "offset" in table.dtype.names:
        at = table["offset"][:, None] + np.arange(array.itemsize)
        np.testing.assert_array_equal(raw[at].view(dtype).reshape(shape), array)
    np.testing.assert_array_equal(tensor.layout.unpack(tensor.layout.pack(array)), array)


def test_a_layout_tells_addresses():
    layout = tensorlane.layout("bm1684x:aligned", (2, 70, 3, 5), "fp16", start_npu=3)
    assert layout.address(0, 0, 0, 0) == (3, 0) and layout.address(0, 61, 0, 1) == (0, 66)
    assert "<svg" in layout._repr_svg_() and layout.text()
    with pytest.raises(tensorlane.UserError, match="index 70 of axis c is outside 0 to 69"):
        layout.address(0, 70, 0, 0)
    with pytest.raises(tensorlane.UserError, match="32IC"):
        tensorlane.layout("bm1684x:32ICC", (1, 1, 1, 1))
    with pytest.raises(tensorlane.UserError, match="expected CHIP:NAME"):
        tensorlane.layout("32IC", (1, 1, 1, 1))
    with pytest.raises(TypeError):
        tensorlane.layout("bm1684x:aligned", (2, 70, 3, 5), no_such=1)
    assert {row.name for row in tensorlane.layouts("bm1684x")} >= {"aligned", "32IC"}


def test_conversion_between_layouts():
    array = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    from_ = tensorlane.layout("bm1684x:continuous", array.shape)
    to = tensorlane.layout("mace:NHWC", (2, 4, 5, 3))
    np.testing.assert_array_equal(from_.convert(array.tobytes(), to).view(np.float32),
                                  array.transpose(0, 2, 3, 1).reshape(-1))


def test_bf16_rounds_to_nearest_even():
    values = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, -2.5, np.inf, 0], np.float32)
    bits = tensorlane.to_bf16(values).view(np.uint16)
    assert list(bits) == [0x3f80, 0x3f80, 0x3f82, 0xc020, 0x7f80, 0]
    np.testing.assert_array_equal(tensorlane.from_bf16(bits), [1, 1, 1.015625, -2.5, np.inf, 0])


def test_fp8_has_the_values_of_its_formats():
    values = np.array([1, 448, 0.0625, -2], np.float32)
    for format in ("e4m3", "e5m2"):
        again = tensorlane.from_fp8(tensorlane.to_fp8(values, format), format)
        np.testing.assert_array_equal(again, values)


def test_4_bit_integers_lie_two_to_a_byte(device):
    array = np.array([[-8, -1, 0], [7, 3, -2]], np.int8)
    tensor = device.tensor(array, dtype="int4")
    assert tensor.nbytes == 3 and list(tensor.raw()) == [0xf8, 0x70, 0xe3]
    np.testing.assert_array_equal(tensor.numpy().astype(np.int8), array)
    with pytest.raises(tensorlane.UserError, match="4 bits hold"):
        device.tensor(array * 4, dtype="int4")


@pytest.mark.parametrize("dtype, least, most", [("int32", -2**31, 2**31 - 1), ("uint8", 0, 255),
                                                ("int8", -128, 127), ("int4", -8, 7), ("uint4", 0, 15)])
def test_integers_of_numpy_become_those_asked_for_where_they_fit(device, dtype, least, most):
    np.testing.assert_array_equal(device.tensor([least, 0, most], dtype=dtype).numpy().astype(int),
                                  [least, 0, most])
    for wrong in (least - 1, most + 1):
        with pytest.raises(tensorlane.UserError, match=f"{dtype} holds {least} to {most}"):
            device.tensor([wrong, 0], dtype=dtype)
    np.testing.assert_array_equal(device.tensor([], dtype="fp32").numpy(), [])


def test_what_the_chips_have_not_is_said_with_what_they_have(device):
    for given, says in (([1, 2], "dtype='int32' takes"), ([1.5], "dtype='fp32' takes")):
        with pytest.raises(tensorlane.UserError, match=says):
            device.tensor(given)
    np.testing.assert_array_equal(device.tensor(np.array([True, False])).numpy(), [1, 0])
    with pytest.raises(tensorlane.UserError, match="unknown dtype 'e4m3'; known are .*fp8e4m3"):
        device.empty(3, "e4m3")


def test_types_change_only_between_floats(device):
    doubles = np.array([1.5, 2.25])
    np.testing.assert_array_equal(device.tensor(doubles, dtype="fp32").numpy(), doubles)
    np.testing.assert_array_equal(device.tensor(doubles, dtype="fp16").numpy(), doubles)
    bits = np.array([0x3f80], np.uint16)
    assert tensorlane.from_bf16(device.tensor(bits, dtype="bf16").numpy()) == 1
    for array, dtype in ((np.arange(3), "fp32"), (doubles, "int8"), (doubles, None)):
        with pytest.raises(tensorlane.UserError):
            device.tensor(array, dtype=dtype)


def test_wrong_shapes_are_named(device):
    with pytest.raises(tensorlane.UserError, match="negative"):
        device.empty((2, -1))
    tensor = device.empty((2, 3))
    with pytest.raises(tensorlane.UserError, match=r"array has shape \(3, 2\), the tensor \(2, 3"):
        tensor.write(np.zeros((3, 2), np.float32))
    with pytest.raises(tensorlane.UserError, match="more than is free"):
        device.empty((1 << 40,), "int8")
    assert device.empty((0, 3)).numpy().shape == (0, 3)
    assert device.tensor(np.float32(3)).numpy().shape == ()


def test_a_layout_that_stores_nothing_says_so():
    layout = tensorlane.layout("mace:DW_CONV2D_FILTER", (2, 3, 3, 3))
    with pytest.warns(UserWarning, match="holds zeros only"):
        packed = layout.pack(np.ones((2, 3, 3, 3), np.float32))
    assert not packed.any()


def test_layouts_written_out(device):
    tiles = tensorlane.layout("mace:RK8r128k", (20, 300), "int8")
    assert tiles.axes == ("row", "col") and tiles.nbytes == 24 * 384
    array = np.arange(6000, dtype=np.int8).reshape(20, 300)
    packed = tiles.pack(array)
    padded = np.zeros((24, 384), np.int8)
    padded[:20, :300] = array
    expected = padded.reshape(3, 8, 3, 128).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(packed.view(np.int8), expected.reshape(-1))
    np.testing.assert_array_equal(tiles.unpack(packed), array)

    five = tensorlane.layout("bm1684x:nCdhw16c", (1, 17, 2, 3, 4), "float16")
    array = np.arange(17 * 24, dtype=np.float16).reshape(five.shape)
    np.testing.assert_array_equal(five.unpack(five.pack(array)), array)

    named = tensorlane.layout("bm1684x:aligned", (2, 70, 3, 5), start_npu=3)
    written = tensorlane.layout(f"bm1684x:{named.notation}", (2, 70, 3, 5))
    assert written.address(1, 69, 2, 4) == named.address(1, 69, 2, 4)
    assert written.nbytes == named.nbytes and written.name == named.notation
    tensor = device.tensor(np.ones((2, 3), np.float32), layout="(2,3):(4,1)")
    assert tensor.layout.name == "(2,3):(4,1)"
    with pytest.raises(tensorlane.UserError, match="character 5 is ':'"):
        tensorlane.layout("mace:(2,3:(3,1)", (2, 3))
