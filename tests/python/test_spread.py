"""Commands in shards, on many machines: they say what one machine says, whatever gets lost."""

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import KERNELS, two_workers
from test_plugin import SUITE

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


COMMANDS = {"conformance": ("--", [TOOL, *CONFORMANCE]), "replay": ("--", [TOOL, *REPLAY]),
            "pytest": ("--tensorlane-", [sys.executable, "-m", "pytest", "-q", "-p",
                                         "no:cacheprovider", "-p", "tensorlane.pytest_plugin"])}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_killed_worker_changes_nothing(tmp_path, kind, capfd):
    prefix, command = COMMANDS[kind]
    options = ["--results", str(tmp_path / "two"), "--shards", "8"]
    if kind == "pytest":
        suite = tmp_path / "test_suite.py"
        suite.write_text(SUITE.format(kernel=str(KERNELS / "faulty.c")))
        command = [*command, suite]
        options += ["--prefix", prefix]
    subprocess.run([*command, f"{prefix}results", tmp_path / "one"], capture_output=True,
                   check=False)
    one = subprocess.run([*command, f"{prefix}merge", tmp_path / "one"], capture_output=True,
                         text=True, check=False)
    slow = tmp_path / "slow.sh"
    slow.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/started\nsleep 0.2\nexec "$@"\n')
    slow.chmod(0o700)
    statuses = []

    def started():
        log = tmp_path / "started"
        return log.read_text().count(f"{prefix}shard") if log.exists() else 0

    with two_workers() as (address, kill_one):
        run = threading.Thread(target=lambda: statuses.append(spread.main(
            ["--dask", address, *options, "--", str(slow), *map(str, command)])))
        run.start()
        while started() < 3 and run.is_alive():
            time.sleep(0.01)
        kill_one()
        assert started() < 8, "all was over before the worker was killed"
        run.join(120)
    assert statuses == [one.returncode] and started() > 8  # what the worker had was run again
    assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()
    said, wanted = (re.sub(r" in \d.*s$", "", text, flags=re.M)  # how long pytest took
                    for text in (capfd.readouterr().out, one.stdout))
    assert said == wanted


@pytest.mark.parametrize("words, said", [
    (["--", "false"], "false --shard=1/1 --results="),
    (["--", "no-such-command"], "No such file"),
    ([], "no program given"),
    (["--shards", "0", "--", "true"], "--shards 0"),
])
def test_what_cannot_be_spread_is_said(words, said, capsys):
    pytest.importorskip("distributed")
    shards = [] if "--shards" in words or not words else ["--shards", "1"]
    assert spread.main([*shards, *words]) == 2
    assert said in capsys.readouterr().err


def listening():
    """Addresses at which processes below this one wait for others."""
    inodes = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            if b"TENSORLANE_TEST_OF_SPREAD=" in environment:
                inodes |= {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()}
        except OSError:  # it is gone, or another's
            pass
    found = set()
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = row.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                found.add(words[1].split(":")[0])
    return found


@pytest.mark.parametrize("listen, addresses", [([], {"0100007F"}),
                                               (["--listen", "127.0.0.2"], {"0200007F"})])
def test_without_an_address_only_this_machine_is_listened_to(tmp_path, listen, addresses):
    pytest.importorskip("distributed")
    slow = tmp_path / "slow.sh"
    slow.write_text(f'#!/bin/sh\ntouch {tmp_path}/started\nwhile [ ! -e {tmp_path}/seen ]; do sleep 0.1; done\n'
                    'for word in "$@"; do case $word in --results=*) echo > "${word#*=}";; esac; done\n')
    slow.chmod(0o700)
    run = subprocess.Popen([sys.executable, "-m", "tensorlane.spread", *listen, "--shards", "1", "--", slow],
                           env={**os.environ, "TENSORLANE_TEST_OF_SPREAD": "1"})
    while not (tmp_path / "started").exists() and run.poll() is None:
        time.sleep(0.05)
    found = listening()
    (tmp_path / "seen").touch()
    assert run.wait(60) == 0
    assert found == addresses


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
    kernel = KERNELS / "tiles.c"
    search = ["tune", kernel, "--chip", "bm1684x", "--kernel", "tiles", "--field", "tile=1:512",
              "--input", "input=fp32:64x512", "--output", "output=fp32:64x512", "--arg", "cols=512"]
    without = {**here, "PYTHONPATH": str(tmp_path)}
    refused = tool(*search, "--sampler", "tpe", environment=without)
    assert refused.returncode == 2 and "needs Optuna" in refused.stderr
    assert tool(*search, "--sampler", "random", "--trials", "3", "--check", "0",
                environment=without).returncode == 0
