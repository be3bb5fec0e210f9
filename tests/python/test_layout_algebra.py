"""Layouts as functions, conversions as loops, plans of layers."""
import numpy as np
import pytest

import tensorlane


def written(text, dtype="fp32"):
    return tensorlane.layout(f"mace:{text}", (), dtype)


def test_compositions_complements_and_inverses():
    rows = written("RK (4,6):(6,1)")
    # Every second column: addresses of the second number the elements of the first.
    assert rows.compose(written("12:2")).same_places(written("12:2"))
    assert written("RK (4,6):(1,4)").compose(written("RK (6,4):(1,6)")).same_places(
        written("RK (6,4):(4,1)"))
    assert written("(2,2):(1,4)").complement(8).notation == "K (2):(2)"
    inverse = written("RK (4,6):(1,4)").inverse()
    assert [inverse.address(place)[0] // 4 for place in range(6)] == [0, 6, 12, 18, 1, 7]
    padded = written("RK (4,8):(1,5)")
    assert padded.formula == "row = p % 5, col = p / 5; no element where p % 5 > 3"
    assert padded.element_at(4 * 4) is None and padded.element_at(4 * 7) == (2, 1)
    assert padded.cute == "(4,8):(1,5)"
    with pytest.raises(tensorlane.UserError, match="without an element"):
        padded.inverse()


def test_tiles_slices_and_orders():
    layout = tensorlane.layout("mace:NCHW", (2, 4, 6, 8))
    tiles = layout.divide((1, 2, 3, 4))
    assert tiles.shape == (2, 2, 2, 2, 1, 2, 3, 4)
    assert tiles.address(1, 1, 0, 1, 0, 1, 2, 3) == layout.address(1, 3, 2, 7)
    assert written("RK (2,3):(3,1)").repeat(written("RK (2,2):(2,1)")).shape == (4, 6)
    assert layout.slice("c", 1, 2).address(0, 0, 0, 0) == layout.address(0, 1, 0, 0)
    assert layout.at("c", 3).address(1, 2, 3) == layout.address(1, 3, 2, 3)
    assert layout.permute("NHWC").same_places(layout)
    assert written("RK ((2,2),3):((1,2),4)").coalesce().notation == "RK (4,3):(1,4)"


def test_swizzles_are_read_and_packed():
    layout = written("Sw<3,0,3> o 0 o RK (8,8):(8,1)")
    assert layout.address(3, 5) == (4 * (8 * 3 + (5 ^ 3)),)
    assert layout.cute == "Sw<3,0,3> o 0 o (8,8):(8,1)"
    array = np.arange(64, dtype=np.float32).reshape(8, 8)
    packed = layout.pack(array).view(np.float32).reshape(8, 8)
    assert all(packed[r, c ^ r] == array[r, c] for r in range(8) for c in range(8))
    np.testing.assert_array_equal(layout.unpack(packed), array)


def test_the_loops_of_a_conversion_convert():
    shape = (2, 3, 4, 5)
    source, target = tensorlane.layout("mace:NCHW", shape), tensorlane.layout("mace:nChw4c", shape)
    conversion = source.conversion(target)
    assert conversion.kind == "transpose" and conversion.side_by_side == (20, 3)
    assert source.conversion(source).kind == "view"
    array = np.arange(120, dtype=np.float32).reshape(shape)
    to, from_ = bytearray(target.nbytes), array.tobytes()
    exec(conversion.python, {"to": to, "source": from_})
    assert bytes(to) == target.pack(array).tobytes()


def test_layouts_are_known_again():
    text = tensorlane.layout("bm1684:4N", (6, 5, 4, 5), "int8").notation
    assert "4N" in [each.name for each in tensorlane.layout(f"bm1684:{text}", (), "int8").names()]
    array = np.random.default_rng(1).integers(0, 200, (1, 20, 3, 5)).astype(np.float32)
    dump = tensorlane.layout("mace:nChw16c", array.shape).pack(array)
    plain = tensorlane.layout("mace:NCHW", array.shape)
    assert any(each.notation == tensorlane.layout("mace:nChw16c", array.shape).notation
               for each in plain.found_in(array, dump))
    header = np.arange(12, dtype=np.uint8)
    inside = np.concatenate([header, np.frombuffer(dump.tobytes(), np.uint8), header])
    assert 12 in [each.begin for each in plain.places_in(array, inside)]


def test_the_plan_of_a_layer():
    plan = tensorlane.plan_layer(
        "bm1684x", {"x": tensorlane.Operand((1, 64, 224, 224), "fp16", buffers=2),
                    "w": tensorlane.Operand((128, 64, 3, 3), "fp16", "32IC"),
                    "y": tensorlane.Operand((1, 128, 224, 224), "fp16", buffers=2)},
        [tensorlane.LayerCommand("y", ["x", "w"], kernel=(3, 3), pad=(1, 1))])
    assert plan.fits and plan.parts == np.prod(list(plan.cuts.values()))
    rows = plan.spans("y", "h")
    assert sum(count for _, count in rows) == 224
    for (first, count), (top, read) in zip(rows, plan.spans("x", "h")):
        assert (top, read) == (max(0, first - 1), min(224, first + count + 1) - max(0, first - 1))
    constants = {}
    exec(plan.python(), constants)
    assert constants["PARTS"] == plan.parts and constants["Y_H"] == rows
    assert f"#define PARTS {plan.parts}" in plan.c()
    with pytest.raises(tensorlane.UserError, match="names 'z'"):
        tensorlane.plan_layer("bm1684x", {"x": (1, 1, 1, 1)}, [tensorlane.LayerCommand("z", ["x"])])
