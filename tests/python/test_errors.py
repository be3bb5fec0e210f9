"""Exceptions: each class of the package reaches other processes whole."""

import concurrent.futures
import copy
import inspect
import multiprocessing
import pickle

import pytest
from conftest import Faulty

import tensorlane
from tensorlane import errors

CLASSES = [each for _, each in inspect.getmembers(errors, inspect.isclass)
           if issubclass(each, errors.Error)]


class OwnError(tensorlane.UserError):
    """One of a user's, with words of its own."""

    def __init__(self, number, *, why):
        super().__init__(f"{number}: {why}")
        self.number, self.why = number, why


def made(kind):
    if kind is errors.CompileError:
        return kind(["cc", "-c", "kernel.c"], "kernel.c:1: error: nothing\n")
    if kind is errors.FindingError:
        return kind([tensorlane.Finding("TL-RACE-001", "error", "a race", "k", (
            tensorlane.Location("k.c", 3, "k", "k.c:3 in k", "x", "reader"),), details={"a": 1})])
    if kind is OwnError:
        return kind(3, why="who knows")
    return kind("what is wrong")


@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy,
                                   copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize("kind", [*CLASSES, OwnError])
def test_every_class_comes_back_with_all_its_fields(kind, again):
    error = made(kind)
    error.more = {"of": ["the", "script's"]}
    back = again(error)
    assert type(back) is kind and str(back) == str(error) and back.args == error.args
    assert vars(back) == vars(error)
    if kind is errors.FindingError:
        assert back.findings[0].details == {"a": 1} and back.findings[0].line == 3


def test_a_launch_goes_along_with_what_was_found(okk):
    with pytest.raises(tensorlane.FindingError) as raised:
        okk(Faulty.RACE)
    launch = raised.value.launch
    back = pickle.loads(pickle.dumps(raised.value))
    assert [str(each) for each in back.findings] == [str(each) for each in raised.value.findings]
    assert back.launch.device is None and back.launch.number == launch.number
    assert back.launch.time.us == launch.time.us and str(back.launch.time) == str(launch.time)
    assert back.launch.timeline.commands == launch.timeline.commands
    assert back.launch.memory_map.blocks == launch.memory_map.blocks
    assert back.launch.failed == launch.failed and back.launch.done
    assert pickle.loads(pickle.dumps(back)).launch.time.details == launch.time.details
    with pytest.raises(tensorlane.UserError, match="several processes"):
        back.launch.page()


def unknown_chip(_):
    tensorlane.Device("nope")


def unread(_):
    tensorlane.Device("bm1684x").empty(3).numpy()


def uncompiled(_):
    tensorlane.Device("bm1684x").compile(source="int x = ;")


@pytest.mark.parametrize("task, kind, says", [
    (unknown_chip, tensorlane.UserError, "unknown chip 'nope'"),
    (unread, tensorlane.FindingError, "TL-COVERAGE-001"),
    (uncompiled, tensorlane.CompileError, "refuses the kernel")])
def test_pools_of_processes_raise_what_their_workers_raise(task, kind, says):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        with pytest.raises(kind, match=says):
            list(pool.map(task, [0]))
    with context.Pool(1) as pool:
        with pytest.raises(kind, match=says):
            pool.map_async(task, [0]).get(timeout=60)
