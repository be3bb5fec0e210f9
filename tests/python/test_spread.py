"""Commands in shards, on many machines: they say what one machine says, whatever gets lost."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tensorlane
from tensorlane import spread

ROOT = Path(__file__).parents[2]
TOOL = Path(tensorlane._native.__file__).parents[2] / "tools" / "tensorlane" / "tensorlane"
CONFORMANCE = ["conformance", ROOT / "testdata" / "okk", "--filter", "okk_bdc_a", "--quiet"]
RECORDINGS = sorted((ROOT / "data" / "board" / "recordings").glob("softmax_*"))[:5]
REPLAY = ["replay", "--dry-run", "--time", *RECORDINGS]


def tool(*words, environment=None):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})


@pytest.mark.parametrize("command", [CONFORMANCE, REPLAY], ids=["conformance", "replay"])
def test_merged_parts_are_the_results_of_one_machine(tmp_path, command):
    whole = tool(*command, "--results", tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    parts = [tmp_path / f"part{part}" for part in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        assert tool(*command, "--shard", f"{number}/3", "--results", part).returncode == 0
    merge = [*command, "--merge", *reversed(parts)]
    merged = tool(*merge, "--results", tmp_path / "merged")
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    # What a replay took on this machine is no result.
    assert merged.stdout.splitlines()[-1] in whole.stdout.splitlines()[-1]

    lines = parts[2].read_text().splitlines(keepends=True)
    for wrong, said in [("".join(lines[1:]), "results are lost; the first is number 3"),
                        (lines[0][:-20], ":1: no result"),
                        (lines[0].replace('"key":"', '"key":"0'), ":1: a result of another run"),
                        (lines[0] + lines[0].replace('":"', '": "').replace(":false", ":true")
                         .replace('"calls":', '"calls":1'), ":2: another result than one before")]:
        parts[2].write_text(wrong)
        refused = tool(*merge)
        assert refused.returncode == 2 and said in refused.stderr, refused.stderr


def test_another_run_is_not_merged(tmp_path):
    assert tool(*REPLAY, "--results", tmp_path / "all").returncode == 0
    for other in (["--seed", "2"], ["--reference"], [RECORDINGS[0]]):
        refused = tool(*REPLAY, *other, "--merge", tmp_path / "all")
        assert refused.returncode == 2 and ("another run" in refused.stderr or
                                            "are lost" in refused.stderr)


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/0", "/", "1/2/3", "-1/2", "a/b"])
def test_a_shard_is_a_part_of_all(shard):
    refused = tool("replay", RECORDINGS[0], f"--shard={shard}")
    assert refused.returncode == 2 and "it is I/N with I from 1 to N" in refused.stderr


def test_a_killed_worker_changes_nothing(tmp_path, capfd):
    distributed = pytest.importorskip("distributed")
    slow = tmp_path / "slow.sh"
    slow.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/started\nsleep 0.2\nexec {TOOL} "$@"\n')
    slow.chmod(0o700)
    command, statuses = [str(slow), *map(str, CONFORMANCE)], []

    def started():
        log = tmp_path / "started"
        return log.read_text().count("--shard") if log.exists() else 0

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        pids = list(client.run(os.getpid).values())
        run = threading.Thread(target=lambda: statuses.append(spread.main(
            ["--dask", cluster.scheduler_address, "--shards", "12", "--", *command])))
        run.start()
        while started() < 4 and run.is_alive():
            time.sleep(0.01)
        os.kill(pids[0], signal.SIGKILL)
        assert started() < 12, "all was over before the worker was killed"
        run.join(120)
        client.close()
    assert statuses == [0] and started() > 12  # what the worker had was run again
    assert capfd.readouterr().out == tool(*CONFORMANCE).stdout


@pytest.mark.parametrize("words, said", [
    (["--", "false"], "false --shard 1/1 --results"),
    (["--", "no-such-command"], "No such file"),
    ([], "no program given"),
    (["--shards", "0", "--", "true"], "--shards 0"),
])
def test_what_cannot_be_spread_is_said(words, said, capsys):
    pytest.importorskip("distributed")
    shards = [] if "--shards" in words or not words else ["--shards", "1"]
    assert spread.main([*shards, *words]) == 2
    assert said in capsys.readouterr().err


def test_the_verbs_take_what_the_modules_take():
    for verb in ("tune", "spread"):
        module = subprocess.run([sys.executable, "-m", f"tensorlane.{verb}", "--help"],
                                capture_output=True, text=True, check=True).stdout
        own, its = (set(re.findall(r"--[a-z]+", text))
                    for text in (tool(verb, "--help", environment={"LC_ALL": "C"}).stdout, module))
        assert own >= its > {"--help", "--dask"}, verb


def test_what_is_missing_is_said(tmp_path):
    words = ["tune", "a.c", "--chip", "bm1684", "--kernel", "a", "--macro", "A=1"]
    none = tool(*words, environment={"TENSORLANE_PYTHON": "/bin/false"})
    assert none.returncode == 2 and "no Python loads the package" in none.stderr
    assert "/bin/false" in none.stderr and "numpy" in none.stderr
    here = {"TENSORLANE_PYTHON": sys.executable}
    (tmp_path / "optuna.py").write_text("raise ImportError\n")
    kernel = Path(__file__).parent / "kernels" / "tiles.c"
    search = ["tune", kernel, "--chip", "bm1684x", "--kernel", "tiles", "--field", "tile=1:512",
              "--input", "input=fp32:64x512", "--output", "output=fp32:64x512", "--arg", "cols=512"]
    without = {**here, "PYTHONPATH": str(tmp_path)}
    refused = tool(*search, "--sampler", "tpe", environment=without)
    assert refused.returncode == 2 and "needs Optuna" in refused.stderr
    assert tool(*search, "--sampler", "random", "--trials", "3", "--check", "0",
                environment=without).returncode == 0


LAUNCHERS = {  # as far as the page uses them
    "parallel": 'while [ "$1" != ::: ]; do words="$words $1"; shift; done; shift\n'
                'for i; do sh -c "$(echo "$words" | sed "s/{}/$i/g")" || exit; done\n',
    "mpirun": 'count=$2; shift 2\nfor i in $(seq 0 $((count - 1))); do\n'
              '  OMPI_COMM_WORLD_RANK=$i "$@" || exit\ndone\n'}


def test_the_launchers_of_the_page_make_parts_that_merge(tmp_path):
    page = (ROOT / "docs" / "tuning.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
    (slurm,) = [block for block in blocks if "SLURM" in block]
    (others,) = [block for block in blocks if "mpirun" in block]
    parallel, mpi = re.split(r"^(?=mpirun)", others, flags=re.M)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tensorlane").symlink_to(TOOL)
    for name, text in LAUNCHERS.items():
        (programs / name).write_text("#!/bin/sh\n" + text)
        (programs / name).chmod(0o700)
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    arrays = "\n".join(f"( SLURM_ARRAY_TASK_ID={i}\n{slurm} )" for i in range(1, 9))
    for script in (arrays, parallel, mpi):
        for part in tmp_path.glob("part*"):
            part.unlink()
        merge = "tensorlane conformance testdata/okk --quiet --merge part*.jsonl"
        said = subprocess.run(["bash", "-euc", f"(\n{script}\n) > log; {merge}"], cwd=tmp_path,
                              text=True, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
                              capture_output=True, check=False)
        assert said.returncode == 0, said.stderr
        assert said.stdout.startswith("2388 cases: 2358 passed")
