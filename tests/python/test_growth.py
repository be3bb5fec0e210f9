"""Memory stays flat over many launches, tensors, findings and modules."""

import gc

import numpy as np
from conftest import Faulty

import tensorlane


def resident_bytes():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def grown(body, warm, rounds):
    for k in range(warm):
        body(k)
    before = resident_bytes()
    for k in range(rounds):
        body(k)
    return resident_bytes() - before


def test_ten_thousand_launches_leave_nothing():
    okk = Faulty(tensorlane.Device("bm1684"))

    def launch(k):
        launched = okk(Faulty.FINE)
        if k % 1000 == 0:
            assert launched.time.us > 0
        temporary = okk.device.tensor(okk.array)
        assert temporary.numpy()[0, 0, 0, 1] == 1

    assert grown(launch, 2000, 10000) < 2 << 20


def test_a_finding_seen_often_is_kept_once():
    okk = Faulty(tensorlane.Device("bm1684", allow=["TL-*"]))
    assert grown(lambda _: okk(Faulty.RACE), 500, 2000) < 2 << 20
    assert len(okk.device.findings) < 10


def test_devices_come_and_go():
    def use(_):
        with tensorlane.Device("bm1684x") as device:
            tensor = device.tensor(np.zeros(1000, np.float32))
            assert tensor.numpy().shape == (1000,)

    assert grown(use, 20, 60) < 4 << 20
