"""verify(): what it says of kernels, in Python, from the command line and as a pytest decorator."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import tensorlane
from planted import FOLDER, PROBLEMS, verify
from tensorlane import Input, Output, Scratch, UserError
from tensorlane.expressions import evaluate
from tensorlane.sizes import Sizes

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "verify.schema.json").read_text())
COPY = """
#include "tpu_kernel.h"
typedef struct { unsigned long long input, output, work; int n, kind; } args_t;
void copy(const void* a) {
  const args_t* p = a;
  const dim4 shape = {1, 1, 1, p->n};
  tpu_initialize();
  %s
  tpu_gdma_cpy_S2S(p->output, p->input, &shape, 0, 0, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(copy)
"""


def copy_kernel(folder, line=""):
    path = folder / "copy.c"
    path.write_text(COPY % line)
    return path


def verify_copy(path, **options):
    given = {"args": {"input": Input("n"), "output": Output("n"), "work": Scratch("2*n"), "kind": 1},
             "sizes": {"n": (1, 40)}, "reference": lambda args: args["input"], **options}
    return tensorlane.verify(path, "bm1684x", "copy", given.pop("args"), **given)


def test_a_right_kernel(tmp_path):
    verdict = verify_copy(copy_kernel(tmp_path))
    assert verdict and verdict.verdict == "right" and verdict.exit_status == 0
    assert verdict.proof["holds"] == "all" and verdict.proof["points"] == 40
    assert verdict.exact["points"] == 40
    assert verdict.accuracy["output"]["relative"] == 0
    assert verdict.evidence == {"model": ["tpu_gdma_cpy_S2S"]}
    jsonschema.validate(verdict.json(), SCHEMA)


def test_a_wrong_one_at_one_size_alone(tmp_path):
    verdict = verify_copy(copy_kernel(tmp_path, "if (p->n == 37) *(volatile int*)0 = 1;"))
    assert not verdict and verdict.exit_status == 1 and verdict.smallest
    (failure,) = verdict.failures
    assert (failure.kind, failure.id, failure.point) == ("crash", "TL-LAUNCH-002", {"n": 37})
    page = verdict.page()
    assert "n=37" in page and "segmentation fault" in page and "href" not in page
    jsonschema.validate(verdict.json(), SCHEMA)


def test_values_alone_are_wrong_and_the_kernel_is_to_blame():
    verdict = verify("matmul", 48, 3, 200, 500)
    (failure,) = verdict.failures
    assert failure.point == {"rows": 1, "inner": 49, "cols": 1} and failure.blame == "kernel"
    assert "tpu_bdc_fp_mm" in verdict.why and "it computes something else" in failure.text
    jsonschema.validate(verdict.json(), SCHEMA)


def test_rounding_is_no_fault_without_a_tolerance_and_one_with_it(tmp_path):
    source = tmp_path / "half.c"
    source.write_text("""
#include "tpu_kernel.h"
typedef struct { unsigned long long input, output; int n; } args_t;
void grow(const void* a) {
  const args_t* p = a;
  const dim4 shape = {1, 1, 1, p->n};
  const scalar_t big = {.u32 = 0x6400};  // 1024
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input, &shape, 0, 0, DT_FP16);
  tpu_bdc_fp_add_C(0, 0, big, &shape, 0, 0, DT_FP16);
  tpu_bdc_fp_sub_C(0, 0, big, &shape, 0, 0, DT_FP16);
  tpu_gdma_cpy_L2S(p->output, 0, &shape, 0, 0, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(grow)
""")
    args = {"input": Input("n", "fp16", values="1:64"), "output": Output("n", "fp16")}
    words = (source, "bm1684x", "grow", args)
    free = tensorlane.verify(*words, sizes={"n": (1, 9)}, reference=lambda a: a["input"])
    assert free, str(free)
    worst = free.accuracy["output"]
    assert worst["computed"] < 1e-9 < worst["rounding"] and worst["ulp"] > 1
    strict = tensorlane.verify(*words, sizes={"n": (1, 9)}, reference=lambda a: a["input"],
                               tolerance="1e-4")
    assert strict.failures[0].blame == "format" and "rounding costs" in strict.failures[0].text
    proposed = tensorlane.verify(*words, sizes={"n": (1, 9)}, reference=lambda a: a["input"],
                                 tolerance=free.proposed_tolerance)
    assert proposed


@pytest.mark.parametrize("problem, tile, defect", [
    ("twice", 5, 1), ("twice", 5, 3), ("row_sum", 3, 2), ("matmul", 7, 2), ("add", 20, 6)])
def test_dry_proofs_are_never_better_than_brute_force(problem, tile, defect):
    """Wherever an exact run of some size fails by a finding, no verdict says that all sizes hold."""
    file, chip, kernel, args, sizes, reference = PROBLEMS[problem]
    small = {name: (1, 12) if problem != "twice" else (1, 1000) for name in sizes}
    if problem == "add":
        small = {"n": (1, 300)}
    defines = {"BUG": defect, "TILE": tile}
    verdict = tensorlane.verify(FOLDER / file, chip, kernel, args, sizes=small, reference=reference,
                                defines=defines, tries=1)
    device = tensorlane.Device(chip)
    module = device.compile(FOLDER / file, defines=defines)
    failing = []
    for point in Sizes(small).all():
        made = {}
        for name, value in args.items():
            shape = [evaluate(each, point) for each in value.shape.split(",")]
            made[name] = device.empty(shape, value.dtype)
            if isinstance(value, Input):
                made[name].write(np.ones(shape, np.float16 if value.dtype == "fp16" else np.float32))
        try:
            module.launch(kernel, {**made, **point})
            made["output"].numpy()
        except tensorlane.FindingError:
            failing.append(point)
        if problem == "twice" and failing:
            break
    if failing:
        assert verdict.proof["holds"] != "all" and verdict.failures[0].point == failing[0]
    else:
        assert verdict.proof["holds"] == "all"


def test_a_kernel_that_looks_at_its_data_has_no_proof(tmp_path):
    line = "float* x = tpu_global_mem_addr(p->input); if (x[0] > 0) tpu_gdma_set_C_system(" \
           "p->output, (scalar_t){.f32 = 0}, &shape, 0, DT_FP32);"
    verdict = verify_copy(copy_kernel(tmp_path, line))
    assert verdict.proof["looks_at_data"] and verdict.proof["holds"] == "some"
    assert "looks at its data" in str(verdict)


def test_time_that_ends_is_unknown():
    verdict = verify("bias", None, 0, 300, 20000, seconds=0.3)
    assert verdict.verdict == "unknown" and verdict.exit_status == 3 and not verdict


def test_the_same_answer_every_time():
    one, other = (verify("softmax", None, 2, 60, 600).json() for _ in range(2))
    assert one == other


def test_functions_as_shapes_and_files_as_references(tmp_path):
    path = copy_kernel(tmp_path)
    np.save(tmp_path / "x3.npy", np.arange(3, dtype=np.float32))
    np.save(tmp_path / "x4.npy", np.arange(4, dtype=np.float32))
    args = {"input": Input(lambda size: (size["n"],), values=lambda generator, shape, size: np.arange(size["n"])),
            "output": Output(lambda size: [size["n"]]), "work": 0, "kind": "n % 2"}
    assert verify_copy(path, args=args, sizes={"n": [3, 4]},
                       reference={"output": str(tmp_path / "x{n}.npy")})


@pytest.mark.parametrize("change, said", [
    ({"sizes": {}}, "no size is given"),
    ({"sizes": {"n": 5}}, "size n = 5; a range"),
    ({"sizes": {"n": (9, 1)}}, "has no values"),
    ({"sizes": {"n": [1, "a"]}}, "size n = "),
    ({"args": {"input": Input("m")}}, "there is no size 'm'; sizes are n"),
    ({"args": {"input": Input("n/2"), "output": Output("n"), "work": 0, "kind": 0}}, "divide them by //"),
    ({"args": {"input": Input("n"), "work": 0, "kind": 0, "output": 0}}, "there is nothing to compare"),
    ({"args": {"input": Input("n-2"), "output": Output("n"), "work": 0, "kind": 0}}, "it must be 0 or more"),
    ({"args": {"input": Input("n", values="odd"), "output": Output("n"), "work": 0, "kind": 0}}, "values 'odd'"),
    ({"tries": 0}, "tries = 0"),
    ({"reference": lambda args: {"other": 1}}, "reference has no 'output'"),
    ({"reference": {"output": "missing{n}.npy"}}, "missing1.npy"),
    ({"where": "n +"}, "is no expression of sizes"),
    ({"where": "__import__('os')"}, "is no expression of sizes"),
])
def test_what_is_given_wrong_is_named(tmp_path, change, said):
    with pytest.raises(UserError, match=None) as error:
        verify_copy(copy_kernel(tmp_path), **change)
    assert said in str(error.value)


def test_the_decorator(tmp_path):
    words = {"sizes": {"n": (1, 20)}}
    args = {"input": Input("n"), "output": Output("n"), "work": Scratch("n"), "kind": 0}
    path = copy_kernel(tmp_path)

    @tensorlane.verifies(path, "bm1684x", "copy", args, **words)
    def right(given):
        """Named."""
        return given["input"]

    @tensorlane.verifies(path, "bm1684x", "copy", args, **words)
    def wrong(given):
        return given["input"] + (given["n"] == 13)

    assert right.__doc__ == "Named."
    right()
    with pytest.raises(AssertionError, match="n=13"):
        wrong()


def command(folder, *words, language="C"):
    environment = {**os.environ, "LC_ALL": language, "LANG": language,
                   "PYTHONPATH": str(Path(tensorlane.__file__).parents[1])}
    return subprocess.run([sys.executable, "-m", "tensorlane.verify", *words], cwd=folder,
                          env=environment, capture_output=True, text=True, check=False)


WORDS = ["copy.c", "--chip", "bm1684x", "--kernel", "copy", "--size", "n=1:30", "--input",
         "input=fp32:n", "--output", "output=fp32:n", "--scratch", "work=x8:n", "--arg", "kind=n % 2"]


def test_the_command(tmp_path):
    copy_kernel(tmp_path)
    (tmp_path / "right.py").write_text("def copy(args):\n    return args['input']\n"
                                       "def other(args):\n    return -args['input']\n")
    right = command(tmp_path, *WORDS, "--reference", "right.py:copy", "--json=out.json")
    assert right.returncode == 0 and right.stdout.startswith("right: copy on bm1684x, n 1..30\n")
    jsonschema.validate(json.loads((tmp_path / "out.json").read_text()), SCHEMA)
    wrong = command(tmp_path, *WORDS, "--reference", "right.py:other", "--json")
    said = json.loads(wrong.stdout)
    assert wrong.returncode == 1 and said["verdict"] == "wrong"
    assert said["failures"][0]["sizes"] == {"n": 1}
    chinese = command(tmp_path, *WORDS, "--reference", "right.py:other", language="zh_CN.UTF-8")
    assert chinese.stdout.startswith("错误")
    for words, text in [(["--reference", "right.py:nope"], "has no function 'nope'"),
                        (["--reference", "nope.py:f"], "is no file"), ([], "--reference and --expect"),
                        (["--reference", "right.py:copy", "--size", "m"], "'m' is not NAME=VALUE"),
                        (["--reference", "right.py:copy", "--values", "z=1:2"], "no such input"),
                        (["--reference", "right.py:copy", "--json=/nowhere/x"], "/nowhere/x"),
                        (["--reference", "right.py:copy", "--page", "/dev/full"], "/dev/full")]:
        refused = command(tmp_path, *WORDS, *words)
        assert refused.returncode == 2 and text in refused.stderr, refused.stderr
        assert refused.stderr.startswith("tensorlane verify: ")


def test_a_launch_over_several_cores(tmp_path):
    """How many there are is a size like others; each number of them runs in other orders too."""
    words = [str(FOLDER / "split.c"), "--chip", "bm1690", "--kernel", "split", "--size", "n=1:12", "--size",
             "cores=1,2,8", "--cores", "cores", "--input", "input=fp32:n", "--output", "output=fp32:n",
             "--expect", "output=same{n}.npy", "--tries", "14", "--values", "input=same{n}.npy"]
    for n in range(1, 13):
        np.save(tmp_path / f"same{n}.npy", np.arange(n, dtype=np.float32))
    right = command(tmp_path, *words, "--json")
    said = json.loads(right.stdout)
    assert right.returncode == 0 and said["verdict"] == "right" and said["proof"]["points"] == 36
    assert {"cores random:1", "cores random:2", "cores random:3"} <= set(said["exact"]["orders"])
    assert "copies as issued; cores in order, random:1" in command(tmp_path, *words).stdout
    late = command(tmp_path, *words, "--define", "BUG=3", "--size", "cores=5:8")
    assert late.returncode == 1 and "fails at n=1 cores=7" in late.stdout and "TL-RACE-004" in late.stdout
    for cores, text in [("rows", "there is no size 'rows'"), ("0", "cores"), ("n // 2", "cores"), ("9", "cores")]:
        refused = command(tmp_path, *words[:-2], "--cores", cores)
        assert refused.returncode == 2 and text in refused.stderr, refused.stderr


def test_a_gate_keeps_tune_from_a_fast_wrong_kernel(tmp_path):
    """One of two ways is faster and wrong where rows do not fill the NPUs."""
    source = tmp_path / "ways.c"
    source.write_text("""
#include "tpu_kernel.h"
typedef struct { unsigned long long input, output; int n; } args_t;
void ways(const void* a) {
  const args_t* p = a;
  tpu_initialize();
#if WAY == 1
  const int rows = p->n / 64;
#else
  const int rows = (p->n + 63) / 64;
#endif
  for (int row = 0; row < rows; ++row) {
    const int w = p->n - row * 64 < 64 ? p->n - row * 64 : 64;
    const dim4 shape = {1, 1, 1, w};
    tpu_gdma_cpy_S2L(0, p->input + row * 256ull, &shape, 0, 0, DT_FP32);
    if (WAY == 2) tpu_bdc_abs(0, 0, &shape, 0, 0, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + row * 256ull, 0, &shape, 0, 0, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(ways)
""")
    inputs = np.arange(128, dtype=np.float32)
    args = {"input": inputs, "output": Output((128,)), "n": 128}

    def gate(point):
        return tensorlane.verify(
            source, "bm1684x", "ways", {"input": Input("n", values="0:9"), "output": Output("n")},
            sizes={"n": (1, 130)}, reference=lambda a: a["input"], defines=point, tries=20)

    fast = tensorlane.tune(source, "bm1684x", "ways", args, macros={"WAY": [1, 2]},
                           reference=lambda a: a["input"])
    gated = tensorlane.tune(source, "bm1684x", "ways", args, macros={"WAY": [1, 2]},
                            reference=lambda a: a["input"], gate=gate)
    assert fast.best.point == {"WAY": 1} and gated.best.point == {"WAY": 2}
    assert gated.checks[0].startswith("wrong at n=1: ")


def test_data_types_are_choices(tmp_path):
    """A size may be a choice; the mapping of an argument gives what the kernel calls it."""
    source = tmp_path / "typed.c"
    source.write_text("""
#include "tpu_kernel.h"
typedef struct { unsigned long long input, output; int n, type; } args_t;
void typed(const void* a) {
  const args_t* p = a;
  const dim4 shape = {1, 1, 1, p->n};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input, &shape, 0, 0, p->type);
  tpu_bdc_fp_add(0, 0, 0, &shape, 0, 0, 0, p->type == DT_BFP16 && p->n > 9 ? DT_FP16 : p->type);
  tpu_gdma_cpy_L2S(p->output, 0, &shape, 0, 0, p->type);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(typed)
""")
    codes = {"fp32": 5, "fp16": 3, "bf16": 11}  # data_type_t
    args = {"input": Input("n", "kind"), "output": Output("n", "kind"), "type": codes}

    def verdict(kinds):
        return tensorlane.verify(source, "bm1684x", "typed", args, sizes={"n": (1, 20), "kind": kinds},
                                 reference=lambda a: 2 * a["input"])

    assert verdict(["fp32", "fp16"])
    wrong = verdict(["fp32", "fp16", "bf16"])
    assert wrong.failures[0].point == {"n": 10, "kind": "bf16"}



def test_kernels_in_ppl_and_what_does_not_fit_them():
    """A .pl file is verified as any other; a block that exceeds local memory is found at its line."""
    kernel = Path(__file__).parents[2] / "examples" / "ppl" / "add.pl"
    words = (kernel, "bm1684x", "add_fp32")

    def args(block):
        return {"output": Output("n"), "a": Input("n"), "b": Input("n"), "block": block}

    verdict = tensorlane.verify(*words, args(64), sizes={"n": (1, 300)}, tries=12, dry=300,
                                reference=lambda a: a["a"] + a["b"])
    assert verdict.verdict == "right", str(verdict)
    assert "early, late" in str(verdict)
    wrong = tensorlane.verify(*words, args(64), sizes={"n": (1, 300)}, tries=12, dry=300,
                              reference=lambda a: a["a"] + a["b"] + (len(a["a"]) == 65))
    assert wrong.verdict == "wrong" and wrong.failures[0].point == {"n": 65}
    large = tensorlane.verify(*words, args(65535), sizes={"n": (1, 300)}, tries=12, dry=300,
                              reference=lambda a: a["a"] + a["b"])
    assert large.verdict == "wrong" and "0x11" in str(large)
