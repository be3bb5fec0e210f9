"""Kernels over several cores: right ones compute what numpy does and are silent in every order of cores, and each
mistake is found at its lines in every one.

What a mistake has to give stands below: a finding of one of these ids, at these marks of the kernel. Others may
follow from it. No finding depends on the order in which the emulator ran the cores.
"""

import functools
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import tensorlane

KERNELS = Path(__file__).parent / "kernels"
ORDERS = ["order"] + [f"random:{seed}" for seed in range(1, 20 if os.environ.get("TENSORLANE_FULL") else 20)]
CHIPS = {"bm1690": 8, "sg2260e": 4, "bm1688": 2}


@functools.cache
def marks(name):
    text = (KERNELS / f"{name}.c").read_text().splitlines()
    return {mark: start_of(text, number) for number, line in enumerate(text, 1)
            for mark in re.findall(r"// @(\w+)", line)}


def start_of(text, number):
    """The first line of the statement that a line belongs to."""
    while not re.match(r".*[;{})]\s*(//.*)?$", text[number - 2]):
        number -= 1
    return number


class Case:
    """A kernel with arguments, and what it has to compute; `chip` with its cores."""

    def __init__(self, name, chip, cores, order="order"):
        self.device = tensorlane.Device(chip, cores=order)
        self.module = self.device.compile(KERNELS / f"{name}.c")
        self.name, self.cores = name, cores
        random = np.random.default_rng(3)
        self.arguments, self.want = getattr(self, name)(random, cores)
        self.tensors = {key: self.device.tensor(value) for key, value in self.arguments.items()
                        if isinstance(value, np.ndarray)}
        self.out = self.device.empty(self.want.shape)

    def run(self, broken=0):
        addresses = {key: self.tensors.get(key, 0) for key in ("in", "in2", "in3")}
        arguments = {"out": self.out, "n": self.arguments["n"], "broken": broken, **addresses}
        return self.module.launch(self.name, arguments, cores=self.cores)

    @staticmethod
    def softmax(random, cores):
        x = random.standard_normal((64, 256)).astype(np.float32)
        e = np.exp(x - x.max(1, keepdims=True))
        return {"in": x, "n": 256}, e / e.sum(1, keepdims=True)

    @staticmethod
    def matmul(random, cores):
        a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((64, 256), (256, 64)))
        return {"in": a, "in2": b, "n": 256}, a.astype(np.float32) @ b.astype(np.float32)

    @staticmethod
    def ring(random, cores):
        x = random.standard_normal((cores, 1024)).astype(np.float32)
        buffers = np.zeros((max(cores - 1, 1), cores, 1024), np.float32)
        return {"in": x, "in2": buffers, "n": 1024}, np.repeat(x.sum(0, keepdims=True), cores, 0)

    @staticmethod
    def attention(random, cores):
        q, k, v = (random.standard_normal((rows, 64)).astype(np.float16) / 4 for rows in (64, 256, 256))
        scores = q.astype(np.float64) @ k.T.astype(np.float64)
        e = np.exp(scores - scores.max(1, keepdims=True))
        return {"in": q, "in2": k, "in3": v, "n": 256}, (e / e.sum(1, keepdims=True) @ v).astype(np.float32)

    reduce = matmul

    @staticmethod
    def prefetch(random, cores):
        x = random.standard_normal(1024 * 40).astype(np.float32)
        return {"in": x, "n": x.size}, x * x + x


NAMES = ["softmax", "matmul", "ring", "attention", "reduce", "prefetch"]
LATER_CHIPS_ONLY = ["reduce", "prefetch"]  # copies that reduce, the SDMA


@pytest.mark.parametrize("name", NAMES)
def test_right_kernels_are_right_and_silent_in_every_order(name):
    for order in ORDERS:
        case = Case(name, "bm1690", 8, order)
        launch = case.run()
        assert [each.id for each in launch.findings if each.severity != "advice"] == []
        np.testing.assert_allclose(case.out.numpy(), case.want, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", NAMES)
def test_results_of_all_numbers_of_cores_agree(name):
    for chip, most in CHIPS.items():
        if chip == "bm1688" and name in LATER_CHIPS_ONLY:
            continue
        for cores in {1, 2, most}:
            case = Case(name, chip, cores)
            case.run()
            np.testing.assert_allclose(case.out.numpy(), case.want, rtol=2e-3, atol=2e-3)


def test_cores_work_at_the_same_time():
    one, eight = (Case("softmax", "bm1690", cores).run() for cores in (1, 8))
    assert {command.core for command in eight.timeline.commands} == set(range(8))
    assert {block.core for block in eight.memory_map.blocks} == set(range(8))
    first = [min(command.start_us for command in eight.timeline.commands if command.core == core) for core in range(8)]
    assert max(first) < 1, first  # microseconds: none waits for the others
    assert eight.time.us < 2 * one.time.us, (eight.time.us, one.time.us)
    assert eight.memory_map.peak_bytes < one.memory_map.peak_bytes
    assert all(f"{core}: BDC" in eight.timeline.svg() for core in range(8))
    assert ": BDC" not in one.timeline.svg()


MISTAKES = [
    ("softmax", 1, {"TL-RACE-004": ["maxima", "max"]}),
    ("softmax", 2, {"TL-LAUNCH-005": ["barrier"]}),
    ("matmul", 1, {"TL-RACE-004": ["read", "partial"]}),
    ("matmul", 2, {"TL-RACE-005": ["store"]}),
    ("ring", 1, {"TL-RACE-004": ["take", "pass"]}),
    ("ring", 2, {"TL-LAUNCH-005": ["wait"]}),
    ("ring", 3, {"TL-SYNC-014": ["send"]}),
    ("ring", 4, {"TL-SYNC-013": ["send", "wait"]}),
    ("ring", 5, {"TL-SYNC-014": ["lost"]}),
    ("attention", 1, {"TL-RACE-004": ["read", "part"]}),
    ("attention", 2, {"TL-SYNC-013": ["arrived", "wait"]}),
    ("reduce", 1, {"TL-RACE-005": ["zero", "add"]}),
    ("reduce", 2, {"TL-RACE-004": ["read", "add"]}),
    ("reduce", 3, {"TL-RACE-005": ["add"]}),
    ("reduce", 4, {"TL-RACE-005": ["add"]}),
    ("reduce", 5, {"TL-RACE-005": ["copy", "add"]}),
    ("reduce", 6, {"TL-RACE-004": ["sum", "add"]}),
    ("prefetch", 1, {"TL-RACE-001": ["square", "load"]}),
    ("prefetch", 2, {"TL-RACE-002": ["load", "next"]}),
    ("prefetch", 3, {"TL-RACE-005": ["first"]}),
]


def findings_of(case, broken):
    try:
        return case.run(broken).findings
    except tensorlane.FindingError as error:
        return error.findings + list(getattr(error.launch, "findings", []))


@pytest.mark.parametrize("name, broken, wanted", MISTAKES)
def test_mistakes_are_found_at_their_lines_in_every_order(name, broken, wanted):
    told = set()
    for order in ORDERS:
        found = findings_of(Case(name, "bm1690", 8, order), broken)
        for id, places in wanted.items():
            lines = [marks(name)[place] for place in places]
            said = [[place.line for place in each.locations] for each in found if each.id == id]
            assert lines in said or any(set(lines) <= set(each) for each in said), (
                order, id, lines, [(each.id, each.message, [place.line for place in each.locations]) for each in found])
        # Messages that do not fit together let the launch itself go on in other ways.
        told.add(str(sorted((each.id, each.details["launches"][0]["cores"]) for each in found
                            if each.id in wanted and each.id.startswith("TL-RACE-"))))
    assert len(told) == 1, told


def test_a_run_says_where_the_order_of_cores_decides_bits():
    for cores in (1, 8):
        launch = Case("reduce", "bm1690", cores).run()
        assert launch.evidence["order_of_cores"] == (["tpu_gdma_cpy_reduce_L12L2"] if cores > 1 else [])
        data = json.loads(re.search(r'id="data">(.*?)</script>', launch.page())[1])
        assert data["runs"][0]["evidence"] == {kind: names for kind, names in launch.evidence.items()}
    assert Case("matmul", "bm1690", 8).run().evidence["order_of_cores"] == []


def test_arguments_of_their_own_are_each_cores(tmp_path):
    source = tmp_path / "own.c"
    source.write_text("""
#include "tpu_kernel.h"
typedef struct { unsigned long long out; int value; } own_args;
void own(const void* args) {
  const own_args* a = (const own_args*)args;
  const dim4 one = {1, 1, 1, 4};
  const scalar_t values = {.s32 = a->value * 100 + tpu_workitem_index() * 10 + tpu_workitem_num()};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out + tpu_core_index() * 16, values, &one, NULL, DT_INT32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(own)
""")
    device = tensorlane.Device("bm1690")
    module = device.compile(source)
    out = device.tensor(np.zeros((4, 4), np.int32))
    module.launch("own", [{"out": out, "value": value} for value in (5, 6, 7)], cores=3)
    assert out.numpy()[:, 0].tolist() == [503, 613, 723, 0]
    for cores in (0, 9, 2.5):
        with pytest.raises(tensorlane.UserError):
            module.launch("own", {"out": out, "value": 1}, cores=cores)
    with pytest.raises(tensorlane.UserError):
        module.launch("own", [{"out": out, "value": 1}] * 2, cores=3)
    with pytest.raises(tensorlane.UserError):
        tensorlane.Device("bm1684x").compile(source).launch("own", {"out": 0, "value": 1}, cores=2)
