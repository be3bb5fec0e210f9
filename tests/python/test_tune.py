"""Tuning: what is found, that nothing is tried twice, and that many machines say what one says."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import xml.dom.minidom
from pathlib import Path

import numpy as np
import pytest
from conftest import KERNELS, two_workers

import tensorlane
from tensorlane.samplers import search_tpe
from tensorlane.space import Space
from tensorlane.trials import Trial

COLS = 512
INPUT = np.arange(64 * COLS, dtype=np.float32).reshape(64, COLS)
ARGS = {"input": INPUT, "output": tensorlane.Output(INPUT.shape), "cols": COLS}
TILES = [1, 16, 24, 64, 100, 256, 500, 512, 16384]  # 24, 100 and 500 leave columns behind


def tuned(source=KERNELS / "tiles.c", fields=None, **options):
    options = {"reference": lambda args: args["input"] * 2, **options}
    return tensorlane.tune(source, "bm1684x", "tiles", ARGS, fields=fields or {"tile": TILES},
                           **options)


def times(found):
    return {trial.number: trial.us for trial in found.trials}


def test_a_trial_is_what_a_launch_says():
    found = tuned(macros={"BUFFERS": [0, 1, 2]}, check=0)
    device = tensorlane.Device("bm1684x", check="none")
    output, given = device.empty(INPUT.shape), device.tensor(INPUT)
    assert [trial.point for trial in found.trials] == [
        {"BUFFERS": buffers, "tile": tile} for buffers in (0, 1, 2) for tile in TILES]
    for trial in found.trials:
        if trial.point["BUFFERS"] == 0:
            assert not trial.feasible and "a kernel without buffers" in trial.reason
        elif trial.point["tile"] == 16384:
            assert not trial.feasible and "BANK_SIZE / 4) failed at tiles.c:" in trial.reason
        else:
            launch = device.compile(
                KERNELS / "tiles.c", defines={"BUFFERS": trial.point["BUFFERS"]}).launch(
                "tiles", output=output, input=given, cols=COLS, tile=trial.point["tile"])
            assert trial.us == launch.time.us
            assert trial.local_bytes == launch.memory_map.peak_bytes
    assert found.best == min((trial for trial in found.trials if trial.feasible),
                             key=lambda trial: (trial.us, trial.local_bytes, trial.number))


def test_a_fast_choice_that_computes_something_else_is_not_the_best():
    unchecked = tuned(fields={"tile": [100, 300, 512]}, check=0)
    assert unchecked.best.point == {"tile": 300}  # does half of the work
    found = tuned(fields={"tile": [100, 300, 512]}, check=3)
    assert found.best.point == {"tile": 512}
    assert found.checks[found.best.number] == "" and len(found.checks) == 3
    assert all(check for number, check in found.checks.items() if number != found.best.number)
    assert "failed" in found.table() and found.pareto == [found.best]
    assert tuned(fields={"tile": [300, 512]}, check=1, reference=INPUT * 2).best is None


def test_constraints_exclude_before_anything_runs():
    def fits(point):
        return tensorlane.plan("bm1684x", {"tile": (1, 64, 1, point["tile"] * 4000)})

    found = tuned(constraints=[fits, lambda point: point["tile"] != 1], check=0)
    assert [trial.point["tile"] for trial in found.trials] == [
        tile for tile in TILES if tile != 1 and tile * 4000 * 4 <= 256 << 10]


def test_the_front_is_what_none_beats():
    found = tuned(fields={"tile": range(1, 513, 7)}, check=0)
    front = found.pareto
    assert len(front) > 2
    for trial in found.trials:
        beaten = any(other.us <= trial.us and other.local_bytes <= trial.local_bytes and
                     (other.us, other.local_bytes) != (trial.us, trial.local_bytes)
                     for other in found.trials)
        assert not (trial in front and beaten)
        if not beaten:
            assert any((each.us, each.local_bytes) == (trial.us, trial.local_bytes)
                       for each in front)
    picture = xml.dom.minidom.parseString(found.svg())
    assert len(picture.getElementsByTagName("circle")) == len(found.trials)
    assert len(found.table(5).splitlines()) == 7  # head, five, how many more


def test_what_was_tried_is_not_tried_again_until_it_changes(tmp_path):
    source = tmp_path / "tiles.c"
    header = tmp_path / "two.h"
    header.write_text("// the factor\n")
    source.write_text('#include "two.h"\n' + (KERNELS / "tiles.c").read_text())
    store = tmp_path / "trials.sqlite"
    first = tuned(source, store=store, check=2)
    again = tuned(source, store=store, check=2)
    assert (first.ran, again.ran) == (len(TILES), 0)
    assert (again.trials, again.checks) == (first.trials, first.checks)
    assert tuned(source, fields={"tile": [2, *TILES]}, store=store).ran == 1
    header.write_text("// another factor\n")
    assert tuned(source, store=store).ran == len(TILES)
    assert tuned(source, store=store, defines={"BUFFERS": 2}).ran == len(TILES)


def test_a_search_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    measure, calls = tensorlane.trials.Problem.measure, []

    def stopped(self, number):
        calls.append(number)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return measure(self, number)

    monkeypatch.setattr(tensorlane.trials.Problem, "measure", stopped)
    with pytest.raises(KeyboardInterrupt):
        tuned(store=tmp_path / "trials.sqlite")
    found = tuned(store=tmp_path / "trials.sqlite")
    assert found.ran == len(TILES) - 3 and len(found.trials) == len(TILES)
    assert len(calls) == len(TILES) + 1


def command(folder, *words, store="trials.sqlite"):
    """tensorlane tune with 40 points, each a compiler's run away."""
    return [sys.executable, "-m", "tensorlane.tune", str(KERNELS / "tiles.c"), "--chip", "bm1684x",
            "--kernel", "tiles", "--macro", "BUFFERS=1:20", "--field", "tile=64,128", "--input",
            "input=fp32:64x512", "--output", "output=fp32:64x512", "--arg", "cols=512", "--store",
            str(folder / store), *words]


def test_a_search_that_ctrl_c_ended_goes_on(tmp_path):
    environment = {**os.environ, "TENSORLANE_CACHE": str(tmp_path / "cache")}
    search = subprocess.Popen(command(tmp_path), stderr=subprocess.PIPE, env=environment, text=True)
    while done(tmp_path / "trials.sqlite") < 3 and search.poll() is None:
        time.sleep(0.01)
    search.send_signal(signal.SIGINT)
    said = search.communicate()[1]
    assert search.returncode == 130 and "interrupted; the same command" in said and "Traceback" not in said
    before = done(tmp_path / "trials.sqlite")
    assert 3 <= before < 40
    one, other = (subprocess.run(command(tmp_path, "--results", str(tmp_path / name), store=store),
                                 capture_output=True, env=environment, check=True)
                  for name, store in (("one", "trials.sqlite"), ("other", "another.sqlite")))
    assert one.stdout == other.stdout
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_processes_share_a_store(tmp_path):
    both = [subprocess.Popen(command(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(2)]
    (one, said), (other, more) = (process.communicate() for process in both)
    assert [process.returncode for process in both] == [0, 0] and said == more == b""
    assert one == other and done(tmp_path / "trials.sqlite") == 41  # and a check


def test_another_database_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE trials (trial_id INTEGER)")
    before = file.read_bytes()
    with pytest.raises(tensorlane.UserError, match="a database of something else"):
        tuned(store=file)
    (tmp_path / "text").write_text("no database, but some text that is long enough to be one\n" * 40)
    with pytest.raises(tensorlane.UserError, match="text': "):
        tuned(store=tmp_path / "text")
    assert file.read_bytes() == before


def done(store):
    """How many trials a store has."""
    if not store.exists():
        return 0
    try:
        return sqlite3.connect(store).execute("SELECT count(*) FROM trials").fetchone()[0]
    except sqlite3.OperationalError:  # no table yet
        return 0


def test_random_points_are_of_the_space_and_different():
    fields = {"tile": range(1, 513), "cols": range(1, 513)}
    args = {name: value for name, value in ARGS.items() if name != "cols"}

    def some(seed, trials=40):
        return tensorlane.tune(KERNELS / "tiles.c", "bm1684x", "tiles", args, fields=fields,
                               constraints=lambda point: point["tile"] <= point["cols"],
                               sampler="random", trials=trials, seed=seed, check=0)

    found = some(1)
    assert len({trial.number for trial in found.trials}) == len(found.trials) == 40
    assert all(trial.point["tile"] <= trial.point["cols"] for trial in found.trials)
    assert times(some(1)) == times(found) and times(some(2)) != times(found)
    assert len(tuned(sampler="random", trials=1000, check=0).trials) == len(TILES)


def test_tpe_finds_what_the_grid_finds_with_fewer_trials(tmp_path):
    pytest.importorskip("optuna")
    options = {"fields": {"tile": [tile for tile in range(1, 301) if tile % 3 == 0]}, "check": 0,
               "constraints": lambda point: point["tile"] % 2 == 0 or point["tile"] > 200}
    grid = tuned(sampler="grid", **options)
    found = tuned(sampler="tpe", trials=40, store=tmp_path / "trials.sqlite", **options)
    assert len(found.trials) == len(times(found)) == 40 < len(grid.trials)
    faster = sum(trial.us < found.best.us for trial in grid.trials)
    assert faster <= len(grid.trials) // 20
    assert times(found).items() <= times(grid).items()
    again = tuned(sampler="tpe", trials=40, store=tmp_path / "trials.sqlite", **options)
    assert again.trials == found.trials and again.ran == 0


def test_the_search_walks_along_what_constraints_allow():
    """Beside the edge of what is allowed every better point is two parameters away."""
    pytest.importorskip("optuna")
    sides = range(1, 65)
    space = Space({}, {"rows": sides, "columns": sides, "shared": [1, 2]},
                  [lambda point: point["rows"] * point["columns"] <= 64])

    def us(point):
        rows, columns = point["rows"], point["columns"]
        return 100 - rows * columns + abs(rows - columns) + (point["shared"] == 1) * 2

    def measure(numbers):
        return [Trial(number, space.point(number), us(space.point(number)), 0, "")
                for number in numbers]

    for seed in range(5):
        found = search_tpe(space, 200, seed, measure, [])
        assert len({trial.number for trial in found}) == len(found) == 200
        assert all(space.excluded(trial.point) is None for trial in found)
        assert min(trial.us for trial in found) == us({"rows": 8, "columns": 8, "shared": 2})


@pytest.mark.parametrize("sampler, trials", [("grid", 200), ("random", 3), ("tpe", 3), ("tpe", 2)])
def test_what_is_known_is_tried_first_and_what_is_found_is_not_slower(sampler, trials):
    if sampler == "tpe":
        pytest.importorskip("optuna")
    start = [{"tile": 512}, {"tile": 24}]
    for seed in range(3):
        found = tuned(sampler=sampler, trials=trials, seed=seed, start=[*start, start[0]], check=0)
        assert [trial.point for trial in found.trials[:2]] == start
        assert len(times(found)) == len(found.trials) == min(trials, len(TILES))
        assert found.best.us <= min(trial.us for trial in found.trials[:2])
    assert tuned(start={"tile": 100}, check=0).trials[0].point == {"tile": 100}


@pytest.mark.parametrize("sampler", ["grid", "random"])
def test_merged_shards_are_the_results_of_one_machine(tmp_path, sampler):
    whole = tuned(sampler=sampler, trials=7, check=2)
    whole.save(tmp_path / "whole")
    files = []
    for i in (1, 2, 3):
        files.append(tmp_path / f"part{i}")
        tuned(sampler=sampler, trials=7, shard=f"{i}/3").save(files[-1])
    merged = tuned(sampler=sampler, trials=7, check=2, merge=reversed(files))
    merged.save(tmp_path / "merged")
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    assert (merged.trials, merged.checks, merged.ran) == (whole.trials, whole.checks, 0)


def test_a_lost_or_foreign_result_is_detected(tmp_path):
    files = [tmp_path / "part1", tmp_path / "part2"]
    for i, file in enumerate(files, 1):
        tuned(shard=f"{i}/2").save(file)
    lines = files[1].read_text().splitlines(keepends=True)
    for wrong, said in [("".join(lines[1:]), "1 of 9 results are lost"),
                        ("".join(lines)[:-20], "no result"),
                        ("".join([*lines, lines[0].replace('"us": ', '"us": 1')]),
                         "another result"),
                        (lines[0].replace('"key": "', '"key": "0'), "another kernel")]:
        files[1].write_text(wrong)
        with pytest.raises(tensorlane.UserError, match=said):
            tuned(merge=files)
    with pytest.raises(tensorlane.UserError, match="2 of 3 results are lost|another kernel"):
        tuned(fields={"tile": [2, 3, 1]}, merge=files)
    with pytest.raises(tensorlane.UserError, match="No such file"):
        tuned(merge=[tmp_path / "nothing"])


def test_a_killed_worker_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TENSORLANE_CACHE", str(tmp_path / "cache"))  # so that trials take a while
    space = {"macros": {"BUFFERS": range(1, 13)}, "fields": {"tile": [64, 128]}, "check": 0}
    store, found = tmp_path / "trials.sqlite", []
    with two_workers() as (address, kill_one):
        search = threading.Thread(
            target=lambda: found.append(tuned(dask=address, store=store, **space)))
        search.start()
        while done(store) < 3 and search.is_alive():
            time.sleep(0.01)
        kill_one()
        assert done(store) < 24, "the search was over before the worker was killed"
        search.join(120)
    serial = tuned(**space)
    assert found[0].trials == serial.trials and found[0].ran == serial.ran == 24
    for name, result in (("one", serial), ("two", found[0])):
        result.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_killed_worker_changes_nothing_in_a_sweep_of_sizes(tmp_path):
    example = Path(__file__).parents[2] / "examples" / "python" / "tune_operators.py"
    sweep = [sys.executable, example, "rgb2bgr", "transpose", "--trials", "12", "--check", "0"]
    subprocess.run([*sweep, "--results", tmp_path / "one"], capture_output=True, check=True)
    sizes = len((tmp_path / "one").read_text().splitlines())
    store = tmp_path / "trials.sqlite"
    with two_workers() as (address, kill_one):
        with subprocess.Popen([*sweep, "--dask", address, "--store", store, "--results",
                               tmp_path / "two"], stdout=subprocess.DEVNULL) as run:
            while done(store) < sizes and run.poll() is None:
                time.sleep(0.01)
            kill_one()
            assert run.poll() is None, "all was over before the worker was killed"
            assert run.wait(120) == 0
    assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.mark.parametrize("options, said", [
    ({"fields": {"tile": []}}, "tile has no values"),
    ({"fields": {"tile": 3}}, "list or a range"),
    ({"fields": {"tile": [1, 1]}}, "twice"),
    ({"fields": {"cols": [1]}}, "'cols' is given"),
    ({"fields": {"tiles": [1]}}, "did you mean 'tile'"),
    ({"sampler": "best"}, "sampler = 'best'"),
    ({"sampler": "tpe", "shard": "1/2"}, "no shards"),
    ({"shard": "3/2"}, "shard = '3/2'"),
    ({"trials": 0}, "trials = 0"),
    ({"start": {"tile": 3}}, "tile = 3 is none of its values: 1, 16"),
    ({"start": {"cols": 512}}, "is no point: the parameters are tile"),
    ({"start": {"tile": 64}, "constraints": lambda point: "too small"}, "64} is excluded: too small"),
    ({"start": [{"tile": 64}, {"tile": 1}], "sampler": "random", "trials": 1}, "has 2 points"),
    ({"reference": {"input": INPUT}}, "outputs are output"),
    ({"reference": INPUT[0]}, "reference output has shape"),
])
def test_what_cannot_be_searched_is_said(options, said):
    with pytest.raises(tensorlane.UserError, match=said):
        tuned(**options)


def test_the_command_does_the_same(tmp_path):
    shutil.copy(KERNELS / "tiles.c", tmp_path)
    np.save(tmp_path / "input.npy", INPUT)
    np.save(tmp_path / "want.npy", INPUT * 2)

    def command(*words):
        return subprocess.run(
            [sys.executable, "-m", "tensorlane.tune", "tiles.c", "--chip", "bm1684x", "--kernel",
             "tiles", "--field", "tile=64:512:64", "--input", "input=input.npy", "--output",
             "output=fp32:64x512", "--arg", "cols=512", "--expect", "output=want.npy", *words],
            cwd=tmp_path, capture_output=True, text=True, check=False)

    where = ["--where", "512 % tile == 0"]
    one = command("--results", "whole", "--svg", "picture.svg", "--check", "2", *where)
    assert one.returncode == 0 and one.stderr == "", one.stderr
    found = tuned(fields={"tile": range(64, 513, 64)}, check=2,
                  constraints=lambda point: 512 % point["tile"] == 0)
    assert one.stdout == found.table(20) + "\n"
    found.save(tmp_path / "expected")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "expected").read_bytes()
    assert (tmp_path / "picture.svg").read_text() == found.svg()
    for i in "12":
        assert command(*where, "--shard", f"{i}/2", "--results", i).returncode == 0
    assert command(*where, "--check", "2", "--merge", "1", "2").stdout == one.stdout
    one_trial = ["--sampler", "random", "--trials", "1", "--check", "0"]
    assert "  tile=192" in command(*one_trial, "--start", "tile=192").stdout.splitlines()[1]
    for words, said in [(["--where", "tile >"], "--where tile >"), (["--where", "a > 1"], "'a'"),
                        (["--merge", "1"], "are lost"), (["--arg", "x"], "NAME=VALUE"),
                        (["--start", "tile=65"], "tile = 65 is none of its values"),
                        (["--start", "tile=64,"], "'' is not NAME=VALUE")]:
        wrong = command(*words)
        assert wrong.returncode == 2 and said in wrong.stderr and "Traceback" not in wrong.stderr


def test_the_example_fits_and_is_right():
    example = Path(__file__).parents[2] / "examples" / "python" / "tune_matmul.py"
    result = subprocess.run([sys.executable, example.name, "128", "96", "192"], cwd=example.parent,
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "*       ok" in result.stdout.splitlines()[1] and "failed" not in result.stdout
