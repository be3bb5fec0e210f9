"""Every row of the table of run options that has a keyword, as an option of Device()."""

import inspect
import re

import numpy as np
import pytest

import tensorlane
from tensorlane.run_options import run_options, value_of

SAMPLES = {"cores": "random:3", "chip": "bm1684", "check": "race", "dma": "late", "print": "okk_gdma_32bit_cpy_S2L",
           "dump": "okk_gdma_32bit_cpy_S2L={folder}/out.npy", "watch": "0:0x0", "precision_of": "sample=8"}
KERNEL = """
#include "okk.h"
typedef struct { system_addr_t input; } args_t;
void load(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {1, 64, 4, 4};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(load)
"""


def sample_of(row, folder):
    if row.keyword in SAMPLES:
        return SAMPLES[row.keyword].format(folder=folder)
    return {"switch": True, "choice": True, "seconds": 7, "file": folder / "written.json"}[row.kind]


@pytest.mark.parametrize("isolate", [False, True], ids=["here", "isolated"])
@pytest.mark.parametrize("keyword", [keyword for keyword in run_options() if keyword != "chip"])
def test_every_row_is_an_option_of_a_device(keyword, isolate, tmp_path, capfd):
    row = run_options()[keyword]
    sample = sample_of(row, tmp_path)
    device = tensorlane.Device("bm1684", allow=["*"], isolate=isolate, **{keyword: sample})
    given = device.tensor(np.ones((1, 64, 4, 4), np.float32))
    device.compile(source=KERNEL).launch("load", input=given)
    device.close()
    said = capfd.readouterr().err
    if keyword in ("time", "print", "watch", "precision", "precision_of", "self_profile"):
        assert re.search("okk_gdma_32bit_cpy_S2L|load|tensorlane precision", said), f"{keyword} says nothing"
    if row.kind == "file":
        assert sample.stat().st_size > 0
    if keyword == "dump":
        assert np.load(tmp_path / "out.npy").shape == (1, 64, 4, 4)


def test_rows_that_device_treats_itself_are_named_as_there():
    signature = inspect.signature(tensorlane.Device.__init__).parameters
    for keyword in ("chip", "check", "dma", "dry_run", "reference", "keep_going", "strict", "prebuilt", "timeout", "log", "red_zones"):
        assert keyword in signature and keyword in run_options()
    for keyword in run_options():
        assert re.search(rf"\b{keyword}\b", tensorlane.Device.__doc__), f"{keyword} is not in the help of Device"


def test_a_value_is_what_the_environment_would_have():
    rows = run_options()
    assert value_of(rows["reference"], True) == "reference"
    assert value_of(rows["reference"], False) == ""
    assert value_of(rows["red_zones"], True) == "on"
    assert value_of(rows["watch"], ["3:0x0", "4:0x0"]) == "3:0x0\n4:0x0"
    assert value_of(rows["advice"], None) == ""


def test_an_option_that_is_none_is_an_error():
    with pytest.raises(TypeError, match="'wach'; did you mean 'watch'"):
        tensorlane.Device("bm1684", wach="3:0x0")
    with pytest.raises(tensorlane.UserError, match="TENSORLANE_WATCH|watch"):
        tensorlane.Device("bm1684", watch="nowhere")
