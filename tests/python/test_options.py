"""Options of a device that change what counts as wrong, here and in a process of its own."""

import numpy as np
import pytest

import tensorlane

KERNEL = """
#include "okk.h"
typedef struct { system_addr_t input; int what; } options_args;
enum { kUnenforced = 1, kOutOfRange, kReadsEarly };
void options(const void* args) {
  const options_args* a = (const options_args*)args;
  const dim4 shape = {1, 64, 16, 16}, too_many = {1, 4100, 1, 1};
  okk_initialize();
  if (a->what == kUnenforced) okk_gdma_32bit_matrix_S2L(0, a->input, 2, 8, 16, 8);
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
UNENFORCED, OUT_OF_RANGE, READS_EARLY = 1, 2, 3


@pytest.fixture(params=[False, True], ids=["here", "isolated"])
def launch(request):
    def launched(what, **options):
        device = tensorlane.Device("bm1684", allow=["TL-*"], isolate=request.param, **options)
        given = device.tensor(np.ones((1, 64, 16, 16), np.float32))
        launch = device.compile(source=KERNEL).launch("options", input=given, what=what)
        return launch, {finding.id: finding for finding in launch.findings}
    return launched


def test_strict_counts_what_the_model_does_not_enforce(launch):
    _, lenient = launch(UNENFORCED)
    assert "TL-ARGS-006" not in lenient
    _, strict = launch(UNENFORCED, strict=True)
    assert strict["TL-ARGS-006"].severity == "warning"
    assert "cols_per_channel" in strict["TL-ARGS-006"].message


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
