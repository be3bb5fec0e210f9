"""PPL of the later chips: SDMA and L2, 4-bit numbers, arrays among the arguments, places of tests."""

import ctypes
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import KERNELS, compiled_once

import tensorlane

LATER = KERNELS / "later.pl"


def normal(*shape):
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def line_of(text):
    return next(number for number, line in enumerate(LATER.read_text().splitlines(), 1)
                if f"// defect: {text}" in line)


def place_of(text):
    return next(number for number, line in enumerate(LATER.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("chip", ["bm1690", "sg2260e"])
def test_the_sdma_prefetches_beside_copies_and_computations(chip):
    """With tails, in every order of copies and turn by turn the same bits; in stages it takes less time."""
    for n, block in ((1000, 64), (1000, 333), (9000, 500)):
        x, times = normal(64, n), {}
        for pipeline, dma in (("off", None), ("on", "early"), ("on", "late"), ("on", "random:5")):
            device = tensorlane.Device(chip, pipeline=pipeline, dma=dma)
            output = device.empty(x.shape)
            launch = compiled_once(device, LATER).launch("prefetched", output=output, input=device.tensor(x), n=n, block=block)
            assert not [found for found in device.findings if found.severity != "advice"]
            np.testing.assert_array_equal(output.numpy(), x * x)
            times[pipeline] = launch.time.us
    assert times["on"] < .7 * times["off"]


def test_a_prefetch_into_the_place_that_is_read_is_named_with_both_lines():
    x = normal(64, 96)
    device = tensorlane.Device("bm1690", dma="late")
    output = np.zeros_like(x)
    compiled_once(device, LATER)["one_place"](output, x, 96, 16)
    np.testing.assert_array_equal(output, x * x)  # carried out turn by turn
    finding, = [each for each in device.findings if each.severity == "warning"]
    assert finding.id == "TL-RACE-006" and finding.line == line_of("fills")
    assert f"later.pl:{line_of('empties')}" in str(finding)


def test_by_hand_two_places_are_right_and_one_is_a_race():
    x = normal(64, 96)
    output = np.zeros_like(x)
    for dma in ("early", "late"):
        device = tensorlane.Device("bm1690", dma=dma)
        compiled_once(device, LATER)["by_hand"](output, x, 6, 2)
        np.testing.assert_array_equal(output, x * x)
        assert not [each for each in device.findings if each.severity != "advice"]
        with pytest.raises(tensorlane.FindingError) as raised:
            compiled_once(device, LATER)["by_hand"](output, x, 6, 1)
        finding = raised.value.findings[0]
        assert finding.id in ("TL-RACE-001", "TL-RACE-002")
        assert {place.line for place in finding.locations} == {line_of("ahead"), line_of("behind")}


@pytest.mark.parametrize("chip", ["bm1684x", "bm1690"])
def test_numbers_of_4_bits_are_cast(chip):
    packed = np.random.default_rng(1).integers(0, 256, (70, 33)).astype(np.uint8)
    halves = np.stack([packed & 15, packed >> 4], -1).reshape(70, 66).astype(np.int8)
    signed = np.where(halves > 7, halves - 16, halves)
    for kernel, want in (("unpack_unsigned", halves), ("unpack_signed", signed),
                         ("unpack_to_half", signed.astype(np.float16))):
        device = tensorlane.Device(chip)
        output = np.zeros_like(want)
        compiled_once(device, LATER)[kernel](output, packed, 70, 66)
        np.testing.assert_array_equal(output, want, kernel)


def test_an_array_of_the_arguments_and_a_number_of_l2():
    x = normal(300, 7)
    rows = np.zeros(300, np.int32)
    rows[:3] = 5, 299, 17
    for chip, in_l2 in (("bm1684x", False), ("bm1690", False), ("bm1690", True)):
        device = tensorlane.Device(chip)
        output = np.zeros_like(x)
        module = compiled_once(device, LATER)
        module["picked"](output, x, np.full(1, 3, np.uint32), 7, in_l2, rows)
        np.testing.assert_array_equal(output[:3], x[[5, 299, 17]])
        assert not output[3:].any()
    run = tensorlane.Device("bm1684x").compile(LATER).test("picked_test")
    one, = run.launches
    assert one.arguments["rows"][:4] == [5, 299, 17, 0] and len(one.arguments["rows"]) == 300


def test_a_core_may_have_as_many_bytes_of_arguments_as_one_alone():
    device = tensorlane.Device("bm1690")
    module = compiled_once(device, LATER)
    output, x = device.tensor(np.zeros((300, 7), np.float32)), device.tensor(normal(300, 7))
    with pytest.raises(tensorlane.FindingError) as raised:  # 8 cores copy the same: a race, but they run
        module.launch("picked", dict(output=output, input=x, found=device.tensor(np.full(1, 3, np.uint32)), columns=7,
                                     in_l2=False, rows=np.zeros(300, np.int32)), cores=8)
    assert raised.value.findings[0].id == "TL-RACE-005"


def test_scatters_of_two_cores_meet_where_their_indices_do():
    x = normal(1, 1, 20, 16)
    order = np.random.default_rng(2).permutation(20).astype(np.uint32)
    device = tensorlane.Device("bm1690", cores="random:1")
    output = np.zeros_like(x)
    compiled_once(device, LATER)["scattered"](output, x, order, 10)
    np.testing.assert_array_equal(output[0, 0, order], x[0, 0])
    assert not [each for each in device.findings if each.severity != "advice"]
    order[3] = order[15]
    with pytest.raises(tensorlane.FindingError) as raised:
        compiled_once(device, LATER)["scattered"](output, x, order, 10)
    finding = raised.value.findings[0]
    assert finding.id == "TL-RACE-005" and {place.line for place in finding.locations} == {line_of("rows")}


def test_what_a_test_does_wrong_is_told_at_its_line_and_in_chinese():
    said = {}
    for language in ("en", "zh"):
        said[language] = subprocess.run(
            [sys.executable, "-m", "tensorlane.ppl_command", "test", str(KERNELS / "defects.pl"), "empty_test"],
            capture_output=True, text=True, env={**os.environ, "TENSORLANE_LANG": language}).stdout
    line = next(k for k, text in enumerate((KERNELS / "defects.pl").read_text().splitlines(), 1)
                if "no_zero(malloc" in text)
    for text in said.values():
        assert "<frozen" not in text and text.count(f"defects.pl:{line}") >= 4, text
    assert said["zh"].startswith("empty_test：") and "error" not in said["zh"]


def test_a_condition_that_does_not_hold_is_told_at_its_line(tmp_path):
    source = tmp_path / "needs.pl"
    source.write_text('#include "ppl.h"\nusing namespace ppl;\n__KERNEL__ void needs(fp32* out, int n) {\n'
                      "  assert(n % 2 == 0);\n}\n")
    device = tensorlane.Device("bm1684x")
    with pytest.raises(tensorlane.FindingError) as raised:
        device.compile(source)["needs"](np.zeros(4, np.float32), 3)
    finding = raised.value.findings[0]
    assert (finding.id, finding.file.split("/")[-1], finding.line) == ("TL-ARGS-003", "needs.pl", 4)


def test_eight_kernels_end_no_higher_than_the_published_places(tmp_path):
    """The last byte of an NPU's local memory in use, beside where the tensors of the vendor's compiler end (Witherstrike,
    tilelang-tpu, testing/ppl_rv_golden: addresses and sizes for the SG2260E)."""
    random = np.random.default_rng(4)
    x, y, a, b, table = (random.standard_normal(s).astype(np.float16) for s in ((8, 16), (8, 16), (16, 16), (16, 16), (16, 16)))
    x, wide, index = abs(x) + np.float16(.1), random.standard_normal(16).astype(np.float32), np.array([3, 0, 15, 7], np.uint32)
    cases = {  # arguments, result, where the published tensors end
        "block_copied": ([x], x, 64), "block_filled": ([], np.full((8, 16), 2.5), 64),
        "block_mean": ([x, y], (x.astype(float) + y) / 2, 32768 + 64),
        "block_product": ([a, b], a.astype(float) @ b, 32768 + 64),
        "block_sums": ([x], x.sum(1, dtype=float), 16384 + 64), "block_roots": ([x], x.astype(float) ** -.5, 16384 + 64),
        "block_gathered": ([table, index], table[index], 0), "block_largest": ([wide], np.sort(wide)[:-5:-1], 0)}
    for kernel, (inputs, want, published) in cases.items():
        log = tmp_path / f"{kernel}.jsonl"
        dtype = np.float32 if kernel == "block_largest" else np.float16
        output = np.zeros(want.shape, dtype)
        with tensorlane.Device("sg2260e", log=log) as device:
            more = [np.zeros(4, np.int32)] if kernel == "block_largest" else []
            compiled_once(device, LATER)[kernel](output, *more, *inputs)
        np.testing.assert_allclose(output, want, rtol=2e-3, atol=4e-3)
        ends = [0]
        for line in log.read_text().splitlines():
            for operand in json.loads(line).get("operands", []):
                if operand["space"] == "local memory":  # none has more than one row of channels
                    bytes = operand["shape"][2] * operand["shape"][3] * (4 if operand["dtype"].endswith("32") else 2)
                    ends.append(operand["address"] % 262144 + -(-bytes // 64) * 64)
        assert max(ends) <= published, kernel


def test_integers_are_not_reduced():
    with pytest.raises(tensorlane.PplError, match="sum, maximum or minimum") as raised:
        tensorlane.Device("bm1690").compile(LATER)["sums_of_integers"](np.zeros(8, np.int32), np.zeros((8, 16), np.int32))
    assert raised.value.findings[0].line == line_of("integers")


@pytest.mark.parametrize("kernel, count", [("long_turns", "additions"), ("many_looks", "looks")])
def test_a_command_costs_the_host_the_same_in_a_long_kernel(kernel, count):
    """As it was planned before, 30 times as many cost 12 to 36 times as much each."""
    device = tensorlane.Device("bm1684x")
    module = compiled_once(device, LATER)
    plan = getattr(ctypes.CDLL(str(module.path)), f"ppl_plan_{kernel}")
    one = device.tensor(np.zeros((64, 16), np.float32))

    def each(number):
        args = module._block(kernel, dict(output=one, input=one, **{count: number}))
        best = 1e9
        for _ in range(5):
            begin = time.perf_counter()
            assert plan(args) == 0
            best = min(best, time.perf_counter() - begin)
        return best / number
    assert each(3000) < 5 * each(100)


MISTAKES = {  # what it is called, and what the kernel is launched with
    "own_region": ("TL-RACE-001", dict(n=64, block=32)), "broadcast_forgotten": ("TL-MEMORY-002", dict(n=48)),
    "wrong_type": ("PplTensorConvErr", dict(n=48)), "wrong_stride": ("PplSetMemRefShapeErr", dict(n=48)),
    "dropped": ("TL-COVERAGE-001", dict(n=100, block=32)), "inner": ("PplShapeInferErr", dict(n=40)),
    "unlike": ("PplShapeInferErr", dict(n=64)), "wrong_part": ("TL-MEMORY-002", dict(n=100, block=32))}


def told(kernel):
    """The first finding about a kernel of mistakes.pl."""
    device = tensorlane.Device("bm1684x")
    numbers = MISTAKES[kernel][1]
    n = numbers["n"]
    given = dict(output=device.empty((64, n), "fp16" if kernel == "wrong_type" else "fp32"),
                 input=device.tensor(normal(64, n).astype(np.float16 if kernel == "inner" else np.float32)), **numbers)
    if kernel == "broadcast_forgotten":
        given["row"] = device.tensor(normal(n))
    with pytest.raises(tensorlane.FindingError) as raised:
        device.compile(KERNELS / "mistakes.pl").launch(kernel, given)
        given["output"].numpy()
    return raised.value.findings[0]


def test_mistakes_are_told_at_their_lines_in_both_languages():
    lines = (KERNELS / "mistakes.pl").read_text().splitlines()
    script = "import test_ppl_later as t\nfor each in t.MISTAKES: print(str(t.told(each)).splitlines()[0])"
    chinese = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                             env={**os.environ, "TENSORLANE_LANG": "zh"}).stdout.splitlines()
    assert len(chinese) == len(MISTAKES)
    for (kernel, (name, _)), other in zip(MISTAKES.items(), chinese):
        finding = told(kernel)
        at = next(k for k, line in enumerate(lines, 1) if f"// mistake: {kernel}" in line)
        assert at in {place.line for place in finding.locations}, (kernel, str(finding))
        assert name in str(finding).splitlines()[0] and name in other
        assert other.startswith("错误") and sorted(filter(str.isdigit, other)) == sorted(
            filter(str.isdigit, str(finding).splitlines()[0])), (str(finding), other)
