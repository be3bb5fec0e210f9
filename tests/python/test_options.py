"""Options of a device that change what counts as wrong, here and in a process of its own."""

import numpy as np
import pytest

import tensorlane

KERNEL = """
#include "okk.h"
typedef struct { system_addr_t input; int what; } options_args;
enum { kForbidden = 1, kOutOfRange, kReadsEarly };
void options(const void* args) {
  const options_args* a = (const options_args*)args;
  const dim4 shape = {1, 64, 16, 16}, too_many = {1, 4100, 1, 1};
  okk_initialize();
  const dim4 every_other = {0, 256, 16, 2}, half = {1, 64, 16, 8};
  if (a->what == kForbidden) okk_gdma_32bit_cpy_S2L(0, a->input, &half, 0, &every_other);
  if (a->what == kOutOfRange) okk_bdc_add_C(65536, 0, 1.0f, &too_many, NULL, NULL);
  if (a->what == kReadsEarly) {
    okk_gdma_32bit_cpy_S2L(0, a->input, &shape, 0, 0);
    const float first = *(volatile const float*)okk_local_mem_addr(0, 0);
    okk_bdc_add_C(1024, 0, first, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(options)
"""
FORBIDDEN, OUT_OF_RANGE, READS_EARLY = 1, 2, 3

# The model of 2024 divides in fp32 alone.
DIVISION = """
#include "tpu_kernel.h"
typedef struct { system_addr_t input; } division_args;
void division(const void* args) {
  const division_args* a = (const division_args*)args;
  dim4 shape = {1, 64, 8, 8};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->input, &shape, NULL, NULL, DT_FP16);
  tpu_bdc_fp_div(8192, 0, 0, &shape, NULL, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(division)
"""


@pytest.fixture(params=[False, True], ids=["here", "isolated"])
def launch(request):
    def launched(what, **options):
        device = tensorlane.Device("bm1684", allow=["TL-*"], isolate=request.param, **options)
        given = device.tensor(np.ones((1, 64, 16, 16), np.float32))
        launch = device.compile(source=KERNEL).launch("options", input=given, what=what)
        return launch, {finding.id: finding for finding in launch.findings}
    return launched


def test_what_the_document_forbids_is_a_warning(launch):
    computed, found = launch(FORBIDDEN)
    assert not computed.failed
    assert found["TL-ARGS-006"].severity == "warning"
    assert "src_stride" in found["TL-ARGS-006"].message


@pytest.mark.parametrize("isolate", [False, True], ids=["here", "isolated"])
def test_strict_refuses_what_the_newer_model_refuses(isolate):
    def launched(**options):
        device = tensorlane.Device("bm1684x", allow=["TL-*"], isolate=isolate, **options)
        given = device.tensor(np.ones((1, 64, 8, 8), np.float16))
        launch = device.compile(source=DIVISION).launch("division", input=given)
        return launch, {finding.id: finding for finding in launch.findings}
    computed, found = launched()
    assert not computed.failed and found["TL-ARGS-005"].severity == "warning"
    refused, found = launched(strict=True)
    assert refused.failed and any(each.severity == "error" for each in found.values())


def test_keep_going_computes_beyond_a_limit_of_range_and_says_so(launch):
    refused, found = launch(OUT_OF_RANGE)
    assert refused.failed and found["TL-ARGS-001"].severity == "error"
    computed, found = launch(OUT_OF_RANGE, keep_going=True)
    assert not computed.failed and "TL-ARGS-001" in found
    assert len(computed.timeline.commands) == len(refused.timeline.commands) + 1


def test_reads_of_the_processor_are_watched_where_checks_or_a_history_ask_for_it(launch):
    _, found = launch(READS_EARLY)
    early = found["TL-SYNC-006"]
    assert early.severity == "error" and "reads 4 bytes of local memory" in early.message
    assert "okk_local_mem_addr" in KERNEL.splitlines()[early.line - 1]
    _, found = launch(READS_EARLY, history=True)
    assert "TL-SYNC-006" in found
    done, found = launch(READS_EARLY, check="none")
    assert not found and not done.failed
    done, _ = launch(READS_EARLY, check="none", history=True)
    assert not done.failed


@pytest.mark.parametrize("isolate", [False, True], ids=["here", "isolated"])
def test_allowed_ids_that_there_are_not_are_refused(isolate):
    for wrong, near in (("TL-RACE-0001", "TL-RACE-001"), ("TL-RACES-*", "TL-RACE-*")):
        with pytest.raises(tensorlane.UserError) as refused:
            tensorlane.Device("bm1684", allow=["TL-LINT-*", wrong], isolate=isolate)
        assert f"no diagnostic is called '{wrong}'; did you mean" in str(refused.value)
        assert f"'{near}'" in str(refused.value)
    with tensorlane.Device("bm1684", allow="TL-RACE-001", isolate=isolate) as device:
        assert device.allow == ["TL-RACE-001"]


@pytest.mark.parametrize("isolate", [False, True], ids=["here", "isolated"])
@pytest.mark.parametrize("options, said", [
    ({"chip": None}, "chip = None: a text is wanted"),
    ({"chip": "bm1685"}, "bm1685"),
    ({"check": 3}, "check = 3: a list of texts"),
    ({"check": ["race", 1]}, "1 is no text"),
    ({"allow": [3]}, "allow = [3]: 3 is no text"),
    ({"timeout": "x"}, "timeout = 'x': seconds are wanted"),
    ({"timeout": -1}, "timeout = -1: seconds"),
    ({"timeout": float("nan")}, "timeout = nan: seconds"),
    ({"history": -3}, "history = -3: True, False or a number of bytes"),
    ({"history": "much"}, "history = 'much'"),
    ({"red_zones": "off"}, "red_zones = 'off': True or False"),
    ({"dry_run": "no"}, "dry_run = 'no'"),
    ({"reference": "off"}, "reference = 'off'"),
    ({"isolate": "yes"}, "isolate = 'yes'"),
    ({"log": 3}, "log = 3: a path"),
    ({"dma": "sideways"}, "sideways"),
])
def test_options_that_are_none_are_refused_by_name(options, said, isolate):
    with pytest.raises(tensorlane.UserError) as refused:
        tensorlane.Device(**{"chip": "bm1684x", "isolate": isolate, **options})
    assert said in str(refused.value)


def test_numpys_truth_and_checks_in_a_list_are_taken():
    with tensorlane.Device("BM1684X", check=["race", "init"], dry_run=np.bool_(True), timeout=5,
                           history=np.int64(0), red_zones=1) as device:
        assert device.chip == "bm1684x" and not device.keeps_history


@pytest.mark.parametrize("make, said", [
    (lambda device: device.empty(4, 3), "dtype 3: the chips have no such elements"),
    (lambda device: device.empty(4, None), "dtype None: the chips have no such elements"),
    (lambda device: device.compile(source=KERNEL, defines={"A B": 1}), "'A B' is no name of a macro"),
    (lambda device: device.compile(source=KERNEL, defines=["A"]), "a dict is wanted"),
    (lambda device: device.compile(source=KERNEL, flags=[3]), "3 is no text"),
    (lambda device: device.compile(source=KERNEL, flags="-D'A"), "a quote is not closed"),
])
def test_what_a_device_is_asked_for_is_refused_by_name(make, said):
    with tensorlane.Device("bm1684") as device, pytest.raises(tensorlane.UserError) as refused:
        make(device)
    assert said in str(refused.value)


def test_flags_as_one_text_are_words():
    with tensorlane.Device("bm1684") as device:
        listed = device.compile(source=KERNEL, flags=["-O1", "-DUNUSED=a b"])
        assert device.compile(source=KERNEL, flags="-O1 -DUNUSED='a b'") is listed
        device.compile(source=KERNEL, defines={"TWICE(x)": "((x) * 2)"})
