"""What results rest on: per function and chip, and whether those of a choice reach global memory."""

import numpy as np
import pytest
from conftest import RMSNORM

import tensorlane

COPY = """
#include "tpu_kernel.h"
typedef struct { unsigned long long output, input; } copy_args;
void copy(const void* args) {
  const copy_args* p = args;
  const dim4 shape = {1, 3, 1, 5};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input, &shape, NULL, NULL, DT_FP32);
  COMMAND_HERE;
  tpu_gdma_cpy_L2S(p->output, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(copy)
"""
ADD = "tpu_bdc_fp_add(4096, 0, 0, &shape, NULL, NULL, NULL, DT_FP32)"
ADD_IN_PLACE = "tpu_bdc_fp_add(0, 0, 0, &shape, NULL, NULL, NULL, DT_FP32)"


def rmsnorm(chip):
    device = tensorlane.Device(chip)
    x = np.ones((3, 40), np.float32)
    return device.compile(RMSNORM).launch("rmsnorm", output=device.empty(x.shape), input=device.tensor(x), rows=3,
                                          cols=40, epsilon=1e-5).evidence


def test_each_chip_has_its_own():
    for chip in ("bm1684x", "bm1688"):
        evidence = rmsnorm(chip)
        assert "tpu_bdc_fp32_rsqrt" in evidence["model"]
        assert evidence["choice"] == evidence["choices_in_outputs"] == []
    evidence = rmsnorm("sg2260e")
    assert evidence["board hash"] == ["tpu_bdc_fp32_rsqrt"]
    assert "tpu_bdc_fp_mul" in evidence["choice"]
    assert "tpu_gdma_cpy_S2L" in evidence["document"]
    assert "tpu_bdc_fp_mul" in evidence["choices_in_outputs"]
    assert "tpu_bdc_fp32_rsqrt" in rmsnorm("bm1690")["choices_in_outputs"]


@pytest.mark.parametrize("command, reached", [(ADD, []), (ADD_IN_PLACE, ["tpu_bdc_fp_add"])])
def test_a_choice_counts_where_it_gets_out(command, reached):
    device = tensorlane.Device("bm1690", check="none")
    module = device.compile(source=COPY.replace("COMMAND_HERE", command))
    output = device.empty((1, 3, 1, 5))
    launch = module.launch("copy", output=output, input=device.tensor(np.ones((1, 3, 1, 5), np.float32)))
    assert launch.evidence["choice"] == ["tpu_bdc_fp_add"]
    assert launch.evidence["choices_in_outputs"] == reached
