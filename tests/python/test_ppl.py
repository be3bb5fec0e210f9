"""Kernels in PPL: the examples against numpy, loops in stages, defects at their lines, the command."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import KERNELS, compiled_once

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
            launch = compiled_once(device, EXAMPLES / file).launch(kernel, output=output, **given)
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
    module = compiled_once(device, DEFECTS)
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


def test_a_value_is_followed_back_by_lines_of_the_kernel():
    """Each step leads to the value that the step before says it took."""
    x = normal(100, 77)
    device = tensorlane.Device("bm1684x", history=True)
    output = device.empty(x.shape)
    device.compile(EXAMPLES / "softmax.pl").launch("softmax", output=output, input=device.tensor(x),
                                                   rows=100, columns=77, block=64)
    chain = device.why(output, (70, 5))
    text = (EXAMPLES / "softmax.pl").read_text().splitlines()
    made = [line.split("softmax.pl:")[1].split()[0] for line in chain.lines if "softmax.pl:" in line]
    assert [text[int(line) - 1].split("(")[0].strip() for line in dict.fromkeys(made)] == [
        "dma::store", "tiu::fmul", "tiu::fdiv", "quick_pooling", "exp_no_overflow", "tiu::fsub",
        "quick_pooling", "dma::load"]
    assert "ppl/include" not in str(chain)
    steps = {step["id"]: step for step in chain.steps}
    taken = [(writer["value"], steps[writer["step"]]["value"]) for step in chain.steps
             for source in step.get("sources", []) for writer in source["writers"]
             if "step" in writer and "value" in steps[writer["step"]]]
    assert len(taken) > 8
    for said, found in taken:
        assert said == found


def test_logs_traces_and_prints_name_lines_of_the_kernel(tmp_path, capfd):
    trace, log = tmp_path / "trace.json", tmp_path / "log.jsonl"
    with tensorlane.Device("bm1684x", trace=str(trace), log=str(log), print="softmax.pl:24", time=True,
                           precision=True) as device:
        device.compile(EXAMPLES / "softmax.pl")["softmax"](np.zeros((64, 99), np.float32),
                                                           normal(64, 99), 64, 99, 16)
    said = capfd.readouterr().err
    for text in (trace.read_text(), log.read_text(), said):
        assert "softmax.pl" in text and "ppl/include" not in text
    assert '"line":15,' in log.read_text() and "tiu::fdiv(sum, 1.f, sum, 3);" in said


def test_refusals_are_told_in_chinese(tmp_path):
    script = f"""import tensorlane, numpy as np
device = tensorlane.Device("bm1684x")
try:
    device.compile({str(DEFECTS)!r})["three_at_once"](np.zeros((64, 30000), np.float32),
                                                      np.zeros((64, 30000), np.float32), 30000)
except tensorlane.PplError as error:
    print(error.code, error.findings[0].message)
"""
    said = {language: subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                                     env={**os.environ, "TENSORLANE_LANG": language}).stdout
            for language in ("en", "zh")}
    numbers = [["".join(c if c.isdigit() else " " for c in text).split()] for text in said.values()]
    assert said["en"].startswith("17 PplLocalAddrAssignErr (0x11): tensors alive at once take")
    assert "PplLocalAddrAssignErr (0x11)" in said["zh"] and "tensors" not in said["zh"]
    assert numbers[0] == numbers[1]


def test_a_kernel_runs_on_the_cores_that_it_asks_for():
    x = normal(70, 333)
    want = x.sum(1, dtype=np.float64)
    for chip, most, wishes in (("bm1690", 8, (1, 3, 8)), ("sg2260e", 4, (8,)), ("bm1688", 2, (8,))):
        for asked in wishes:
            results = []
            for order in ("order", "random:3"):
                device = tensorlane.Device(chip, cores=order, dma="random:1")
                module = compiled_once(device, EXAMPLES / "row_sums.pl")
                output = device.empty((70,))
                fields = dict(output=output, input=device.tensor(x), rows=70, columns=333, cores=asked)
                assert module.asked_cores("row_sums", fields) == min(asked, most)
                module.launch("row_sums", fields)
                assert not [each for each in device.findings if each.severity != "advice"]
                results.append(output.numpy().copy())
            np.testing.assert_allclose(results[0], want, rtol=1e-5, atol=1e-4)
            np.testing.assert_array_equal(results[0], results[1])
        module.launch("row_sums", fields, cores=2)
        np.testing.assert_allclose(output.numpy(), want, rtol=1e-5, atol=1e-4)


def test_cores_without_a_barrier_are_found_at_their_lines():
    device = tensorlane.Device("bm1690")
    module = device.compile(DEFECTS)
    with pytest.raises(tensorlane.FindingError) as raised:
        module["no_sync"](np.zeros(2, np.float32), np.ones(2, np.float32))
    finding = raised.value.findings[0]
    assert finding.id == "TL-RACE-004"
    assert {place.line for place in finding.locations} >= {line_of("shares"), line_of("takes")}


def test_tests_of_a_file_are_run(tmp_path):
    device = tensorlane.Device("bm1684x")
    module = device.compile(EXAMPLES / "softmax.pl")
    assert module.tests == ["softmax_test"]
    run = module.test("softmax_test", seed=5)
    one, = run.launches
    assert one.kernel == "softmax" and one.arguments["block"] == 64 and not run.unwritten
    x = one.arguments["input"].numpy()
    assert x.shape == (1, 100, 1, 77) and -4 <= x.min() < -3 and 3 < x.max() <= 4
    np.testing.assert_allclose(one.arguments["output"].numpy(), softmax_of(x), rtol=1e-5, atol=1e-7)
    assert list(run.arrays()) == ["0.softmax.output", "0.softmax.input"]
    np.testing.assert_array_equal(module.test("softmax_test", seed=5).launches[0].arguments["input"], x)
    assert (module.test("softmax_test").launches[0].arguments["input"].numpy() != x).any()

    defects = tensorlane.Device("bm1684x").compile(DEFECTS)
    assert defects.tests == ["right_test", "empty_test", "assert_test"]
    with pytest.raises(tensorlane.FindingError) as raised:
        defects.test("empty_test")
    assert raised.value.findings[0].id == "TL-INIT-002" and raised.value.findings[0].file.endswith("defects.pl")
    with pytest.raises(tensorlane.UserError,
                       match=rf"defects.pl:{line_of('assertion')}: 1 \+ 1 == 3 does not hold"):
        defects.test("assert_test")
    with pytest.raises(tensorlane.UserError, match="no test 'x'; tests are right_test, empty_test"):
        defects.test("x")


def test_ppl_test_runs_them_in_several_orders(tmp_path):
    words = [sys.executable, "-m", "tensorlane.ppl_command", "test"]
    arrays = tmp_path / "arrays.npz"
    said = subprocess.run([*words, str(EXAMPLES / "softmax.pl"), "-o", str(arrays)], check=True, capture_output=True,
                          text=True).stdout
    assert said in (ROOT / "docs" / "ppl.md").read_text()
    kept = np.load(arrays)
    np.testing.assert_allclose(kept["softmax_test.0.softmax.output"],
                               softmax_of(kept["softmax_test.0.softmax.input"]), rtol=1e-5, atol=1e-7)
    rows = subprocess.run([*words, str(EXAMPLES / "row_sums.pl"), "--chip", "bm1690", "row_sums_test"], check=True,
                          capture_output=True, text=True).stdout
    assert "the same bits in every order" in rows
    wrong = subprocess.run([*words, str(DEFECTS), "--chip", "bm1690", "right_test", "empty_test"], capture_output=True,
                           text=True)
    assert wrong.returncode == 1 and "right_test: wrong" in wrong.stdout and "TL-RACE-004" in wrong.stdout


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


def test_the_fastest_block_size_is_right_at_all_sizes(tmp_path):
    """A kernel that computes each block but the last too short is right where one block holds all."""
    kernel = tmp_path / "double.pl"
    kernel.write_text("""#include "ppl.h"
using namespace ppl;
__KERNEL__ void twice(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  for (int at = 0; at < n; at += block) {
    enable_pipeline();
    const int count = block == 64 ? min(block, max(n - at - 1, 1)) : min(block, n - at);
    dim4 real = {1, 64, 1, count}, offset = {0, 0, 0, at};
    auto x = make_tensor<fp32>(dim4{1, 64, 1, block}, real);
    dma::load(x, in.sub_view(real, offset));
    tiu::fadd(x, x, x);
    dma::store(out.sub_view(real, offset), x);
  }
}
""")
    (tmp_path / "reference.py").write_text("def twice(args):\n    return 2 * args['input']\n")
    words = [str(kernel), "--chip", "bm1684x", "--kernel", "twice", "--field", "block=16,64,100000", "--arg", "n=128",
             "--input", "input=fp32:64x128", "--output", "output=fp32:64x128", "--gate",
             "--size n=128:129 --input input=fp32:64,n --output output=fp32:64,n --reference "
             f"{tmp_path / 'reference.py'}:twice"]
    said = subprocess.run([sys.executable, "-m", "tensorlane.tune", *words], capture_output=True, text=True)
    assert said.returncode == 0, said
    rows = {line.split("block=")[1].split()[0]: line for line in said.stdout.splitlines() if "block=" in line}
    assert "PplLocalAddrAssignErr" in rows["100000"] and "failed" in rows["64"] and " ok " in rows["16"], said.stdout


def test_a_library_is_loaded_anew_while_a_device_lives_on_that_used_it():
    """Nothing of a kernel's library waits for the end of the threads that ran it."""
    others = []
    for _ in range(3):
        device = tensorlane.Device("bm1690")
        module = device.compile(EXAMPLES / "row_sums.pl")
        output = np.zeros(5, np.float32)
        module["row_sums"](output, np.ones((5, 16), np.float32), 5, 16, 2)
        assert output[0] == 16
        others.append(device)
        del module


def test_the_times_of_the_page_are_those_of_the_clock():
    sys.path.insert(0, str(ROOT / "tests" / "ppl"))
    import costs

    rows = list(costs.rows(host=False))
    assert len(rows) == 6
    for page in ("docs/ppl.md", "docs/zh/ppl.md"):
        text = (ROOT / page).read_text()
        assert not [row for row in rows if row not in text], rows


def test_a_host_finds_the_largest_block(tmp_path):
    """The host of examples/ppl, with a header that `ppl build` makes."""
    subprocess.run([sys.executable, "-m", "tensorlane.ppl_command", "build", str(EXAMPLES / "softmax.pl"), "-o",
                    str(tmp_path / "softmax.so"), "--header", str(tmp_path / "softmax.h")], check=True)
    assert "unsigned long long output;  // fp32*" in (tmp_path / "softmax.h").read_text()
    includes = [f"-I{ROOT / 'sdk' / folder / 'include'}" for folder in ("ppl", "tpukernel", "okkernel")]
    libraries = pathlib.Path(tensorlane.__file__).parents[2] / "sdk" / "tpukernel"
    subprocess.run(["g++", "-std=c++11", "-g", "-Wall", "-Werror", *includes, f"-I{tmp_path}",
                    str(EXAMPLES / "host.cpp"), "-o", str(tmp_path / "host"), f"-L{libraries}",
                    f"-Wl,-rpath,{libraries}", "-lbmlib", "-ldl"], check=True)
    said = subprocess.run(["./host"], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0, said
    lines = said.stdout.splitlines()
    assert lines[:-1] == ["block 512: 0x11", "block 256: 0"], said

    # With a sum that is too large, in the same place: `why` is told what should be there and finds the line.
    wrong = (EXAMPLES / "softmax.pl").read_text().replace("power, &most, &real, 0, 1)", "power, &most, &real, 0, 1, 1.01f)")
    (tmp_path / "softmax.pl").write_text(wrong)
    line, = [k for k, text in enumerate(wrong.splitlines(), 1) if "1.01f" in text]
    subprocess.run([sys.executable, "-m", "tensorlane.ppl_command", "build", str(tmp_path / "softmax.pl"), "-o",
                    str(tmp_path / "softmax.so")], check=True)
    np.save(tmp_path / "want.npy", softmax_of(np.sin(np.arange(500000.)).reshape(100, 5000)).astype(np.float32))
    program = libraries.parents[1] / "tools" / "tensorlane" / "tensorlane"
    why = subprocess.run([str(program), "why", "--expect", "want.npy", "--", "./host"], cwd=tmp_path, capture_output=True,
                         text=True).stdout
    suspects = why.split("suspects, the likeliest first:\n")[1]
    assert suspects.startswith(f"  softmax.pl:{line} tpu_bdc_fp_avg_pool2d: "), why[:3000]
