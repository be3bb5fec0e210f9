"""Kernels in PPL: the examples against numpy, loops in stages, defects at their lines, the command."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import KERNELS

import tensorlane

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "ppl"
DEFECTS = KERNELS / "defects.pl"


def normal(*shape, dtype=np.float32):
    return np.random.default_rng(3).standard_normal(shape).astype(dtype)


def softmax_of(x):
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def add(block):
    a, b = normal(5000), normal(5000)[::-1].copy()
    return "add.pl", "add_fp32", dict(a=a, b=b, n=5000, block=block), a + b, 0


def softmax(block):
    x = normal(100, 77)
    return "softmax.pl", "softmax", dict(input=x, rows=100, columns=77, block=block), softmax_of(x), 1e-6


def rmsnorm(block):
    x, w = normal(100, 500, dtype=np.float16), normal(500, dtype=np.float16)
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide * wide).mean(1, keepdims=True) + 1e-5) * w
    return "rmsnorm.pl", "rmsnorm", dict(input=x, weight=w, eps=1e-5, rows=100, columns=500,
                                         block=block), want, 2e-3


def matmul(block):
    a, b = normal(70, 130, dtype=np.float16), normal(130, 90, dtype=np.float16)
    return "matmul.pl", "matmul", dict(left=a, right=b, m=70, k=130, n=90, block_m=32, block_k=block,
                                       block_n=64), a.astype(np.float64) @ b, 2e-3


def rope(block):
    x, angle = normal(70, 3, 32), normal(70, 16)
    cosine, sine = np.cos(angle), np.sin(angle)
    one, two = x[..., :16], x[..., 16:]
    c, s = cosine[:, None], sine[:, None]
    want = np.concatenate([one * c - two * s, two * c + one * s], -1)
    return "rope.pl", "rope", dict(input=x, cosine=cosine, sine=sine, positions=70, heads=3, half=16,
                                   block=block), want, 1e-6


def flash_attention(block):
    q, k, v = (normal(2, n, 32, dtype=np.float16) for n in (40, 100, 100))
    weight = softmax_of(q.astype(np.float64) @ k.transpose(0, 2, 1) / 32 ** .5)
    return "flash_attention.pl", "flash_attention", dict(
        q=q, k=k, v=v, heads=2, queries=40, keys=100, width=32, scale=32 ** -.5, block_q=24,
        block_k=block), weight @ v, 2e-3


@pytest.mark.parametrize("case", [add, softmax, rmsnorm, matmul, rope, flash_attention],
                         ids=lambda case: case.__name__)
def test_the_examples_give_what_numpy_gives(case):
    """At three block sizes with tails; in stages and turn by turn, in every order of copies, with the
    same bits; and stages take less time."""
    for block in (17, 32, 64):
        file, kernel, fields, want, tolerance = case(block)
        results, times = [], {}
        for pipeline, dma in (("off", None), ("on", "early"), ("on", "late"), ("on", "random:5")):
            device = tensorlane.Device("bm1684x", pipeline=pipeline, dma=dma)
            output = device.empty(want.shape, "fp32" if want.dtype == np.float32 else "fp16")
            given = {name: device.tensor(value) if isinstance(value, np.ndarray) else value
                     for name, value in fields.items()}
            launch = device.compile(EXAMPLES / file).launch(kernel, output=output, **given)
            assert not [found for found in device.findings if found.severity != "advice"]
            results.append(output.numpy())
            times[pipeline] = launch.time.us
        scale = np.abs(want).max() if tolerance else 0
        assert np.abs(results[0] - want).max() <= tolerance * scale
        for other in results[1:]:
            np.testing.assert_array_equal(results[0], other)
        assert times["on"] <= times["off"] * 1.02, (block, times)


def test_arrays_are_copied_there_and_back():
    device = tensorlane.Device("bm1684x")
    a = normal(300, dtype=np.float16)
    output = np.zeros_like(a)
    module = device.compile(EXAMPLES / "add.pl")
    assert sorted(module.kernels) == ["add_fp16", "add_fp32"]
    module["add_fp16"](output, a, a, 300, block=64)
    np.testing.assert_array_equal(output, a + a)
    with pytest.raises(tensorlane.UserError, match="a is an array of float32; the kernel takes fp16"):
        module["add_fp16"](output, a.astype(np.float32), a, 300, 64)
    with pytest.raises(tensorlane.UserError, match="add_fp16 takes 5 arguments, 6 are given"):
        module["add_fp16"](output, a, a, 300, 64, 1)


def line_of(text):
    """The line of defects.pl that has this comment."""
    return next(number for number, line in enumerate(DEFECTS.read_text().splitlines(), 1)
                if f"// defect: {text}" in line)


def launch(kernel, fields, **options):
    device = tensorlane.Device("bm1684x", **options)
    module = device.compile(DEFECTS)
    tensors = {name: device.tensor(value) if isinstance(value, np.ndarray) else
               device.empty(value, "fp32") if isinstance(value, tuple) else value
               for name, value in fields.items()}
    module.launch(kernel, tensors)
    for name, value in fields.items():
        if isinstance(value, tuple):
            tensors[name].numpy()
    return device, tensors


@pytest.mark.parametrize("pipeline", ["on", "off"])
@pytest.mark.parametrize("kernel, n, block, id, text", [
    ("no_zero", 100, 32, "TL-INIT-001", "sum"),
    ("no_tail", 100, 32, "TL-MEMORY-002", "tail"),
])
def test_a_defect_is_found_at_its_line(kernel, n, block, id, text, pipeline):
    output = (64,) if kernel == "no_zero" else (64, n)
    with pytest.raises(tensorlane.FindingError) as raised:
        launch(kernel, dict(output=output, input=normal(64, n), n=n, block=block), pipeline=pipeline)
    finding = raised.value.findings[0]
    assert finding.id == id
    assert (finding.file.split("/")[-1], finding.line) == ("defects.pl", line_of(text))


def test_a_real_shape_beyond_its_block_is_refused_before_anything_runs():
    with pytest.raises(tensorlane.PplError, match="real shape {1, 64, 1, 100}") as raised:
        launch("wrong_real_shape", dict(output=(64, 100), input=normal(64, 100), n=100, block=99))
    assert (raised.value.name, raised.value.code) == ("PplSetMemRefShapeErr", 0x1c)
    assert raised.value.findings[0].line == line_of("real shape")
    assert raised.value.launch.time.us < 1


def test_a_block_too_large_by_one_row_is_an_error_with_its_code():
    fields = lambda block: dict(output=(64, block), input=normal(64, block), block=block)
    most = 262144 // 4 // 3 // 16 * 16
    device, _ = launch("three_at_once", fields(most))
    assert not [found for found in device.findings if found.severity != "advice"]
    with pytest.raises(tensorlane.PplError) as raised:
        launch("three_at_once", fields(most + 16))
    error = raised.value
    assert (error.name, error.code) == ("PplLocalAddrAssignErr", 0x11)
    assert error.findings[0].line == line_of("most") and error.findings[0].file.endswith("defects.pl")
    assert [call.line for call in error.findings[0].call_chain][1] > line_of("most")  # the kernel's call


@pytest.mark.parametrize("kernel, later, earlier", [
    ("shared_buffer", "later", "earlier"), ("running_sum", "reads", "stores")])
def test_a_loop_whose_stages_would_change_a_result_is_named_with_both_lines(kernel, later, earlier):
    x = normal(64, 96)
    fields = dict(data=x, n=96, block=16) if kernel == "running_sum" else dict(
        output=(64, 96), input=x, n=96, block=16)
    device, tensors = launch(kernel, fields, dma="late")
    want = x.reshape(64, 6, 16).cumsum(1, dtype=np.float32) if kernel == "running_sum" else x + 1
    np.testing.assert_array_equal(tensors["data" if kernel == "running_sum" else "output"].numpy(),
                                  want.reshape(64, 96))
    finding, = [each for each in device.findings if each.id == "TL-RACE-006"]
    assert finding.severity == "warning" and finding.line == line_of(later)
    assert f"defects.pl:{line_of(earlier)}" in str(finding)
    quiet, _ = launch(kernel, fields, pipeline="off")
    assert not [each for each in quiet.findings if each.id == "TL-RACE-006"]


def test_time_is_told_by_lines_of_the_kernel(tmp_path):
    profile = tmp_path / "profile.json"
    with tensorlane.Device("bm1684x", profile=str(profile)) as device:
        device.compile(EXAMPLES / "softmax.pl")["softmax"](np.zeros((64, 99), np.float32),
                                                           normal(64, 99), 64, 99, 16)
    text = profile.read_text()
    assert "softmax.pl" in text and "ppl/include" not in text, text


def test_ppl_build_makes_a_library(tmp_path):
    words = ["-m", "tensorlane.ppl_command", "build"]
    library = tmp_path / "softmax.so"
    said = subprocess.run([sys.executable, *words, str(EXAMPLES / "softmax.pl"), "-o", str(library),
                           "--verbose"], check=True, capture_output=True, text=True).stdout
    assert "-std=c++17" in said and str(library) in said
    device = tensorlane.Device("bm1684x")
    module = device.load(library)
    x = normal(64, 50)
    output = device.empty(x.shape)
    module.launch("softmax", output=output, input=device.tensor(x), rows=64, columns=50, block=64)
    np.testing.assert_allclose(output.numpy(), softmax_of(x), rtol=1e-5, atol=1e-7)
    wrong = subprocess.run([sys.executable, *words, str(tmp_path / "none.pl"), "-o", "x.so"],
                           capture_output=True, text=True)
    assert wrong.returncode == 2 and "none.pl' is no file" in wrong.stderr
