"""The commands of docs/tuning.md run, those of its table on little work; what a merge puts together, and what it refuses."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import KERNELS
from test_plugin import SUITE
from test_spread import CONFORMANCE, REPLAY, ROOT, TOOL

EXAMPLES = ROOT / "examples" / "python"
PAGE = (ROOT / "docs" / "tuning.md").read_text()
LAUNCHERS = {  # as far as the page uses them
    "parallel": 'while [ "$1" != ::: ]; do words="$words $1"; shift; done; shift\n'
                'for i; do sh -c "$(echo "$words" | sed "s/{}/$i/g")" || exit; done\n',
    "mpirun": 'count=$2; shift 2\nfor i in $(seq 0 $((count - 1))); do\n'
              '  OMPI_COMM_WORLD_RANK=$i "$@" || exit\ndone\n'}
PROGRAMS = {**LAUNCHERS, "tensorlane": f'exec {TOOL} "$@"\n', "python3": f'exec {sys.executable} "$@"\n',
            "pytest": f'exec {sys.executable} -m pytest -p tensorlane.pytest_plugin "$@"\n'}


def block_with(word):
    (block,) = [block for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
                if word in block]
    return block


@pytest.fixture
def shell(tmp_path):
    """Runs commands of the page in a folder of their own, beside which are the programs they name."""
    programs, folder = tmp_path / "bin", tmp_path / "checkout"
    for made in (programs, folder):
        made.mkdir()
    for name, text in PROGRAMS.items():
        (programs / name).write_text("#!/bin/sh\n" + text)
        (programs / name).chmod(0o700)
    (folder / "testdata").symlink_to(ROOT / "testdata")

    def run(script):
        return subprocess.run(["bash", "-euc", script], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}, check=False)

    run.folder = folder
    return run


def test_the_search_of_the_page_goes_on_from_its_store(shell):
    shutil.copytree(EXAMPLES, shell.folder / "examples" / "python")
    first, second = (shell(block_with("tensorlane tune")) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert "  ok  " in first.stdout.splitlines()[1] and second.stdout == first.stdout
    assert (shell.folder / "examples" / "python" / "picture.svg").read_text().count("<circle") > 32


TUNE = ["tiles.c", "--chip", "bm1684x", "--kernel", "tiles", "--field", "tile=64:512:64", "--input",
        "input=fp32:64x512", "--output", "output=fp32:64x512", "--arg", "cols=512"]
WORK = {  # what begins the commands of the table, and what takes little
    "tensorlane conformance DIR": ["tensorlane", *CONFORMANCE],
    "tensorlane replay FILES": ["tensorlane", *REPLAY],
    "tensorlane tune ...": ["tensorlane", "tune", *TUNE],
    "python3 tune_operators.py": ["python3", EXAMPLES / "tune_operators.py", "rgb2bgr", "--trials", "3",
                                  "--check", "0"],
    "pytest": ["pytest", "-p", "no:cacheprovider", "test_suite.py"]}


@pytest.mark.parametrize("begin", WORK)
def test_the_parts_of_the_table_merge_and_a_lost_one_is_seen(shell, begin):
    rows = [re.findall(r"`(.*?)`", line) for line in PAGE.splitlines()
            if line.startswith("|") and "merge part" in line]
    assert len(rows) == len(WORK)
    ((part, merge),) = [[shlex.join(map(str, WORK[begin])) + command.removeprefix(begin)
                         for command in row] for row in rows if row[0].startswith(begin)]
    shutil.copy(KERNELS / "tiles.c", shell.folder)
    (shell.folder / "test_suite.py").write_text(SUITE.format(kernel=str(KERNELS / "faulty.c")))
    for number in (1, 2):
        shell(part.replace("2/8", f"{number}/2").replace("part2", f"part{number}"))
    merged = shell(merge)
    assert merged.returncode == (begin == "pytest"), merged.stdout + merged.stderr
    (shell.folder / "part1.jsonl").write_text("")
    lost = shell(merge)
    assert lost.returncode != 0 and "are lost" in lost.stderr + lost.stdout


def test_the_launchers_make_parts_that_merge(shell):
    slurm = block_with("SLURM")
    parallel, mpi = re.split(r"^(?=mpirun)", block_with("mpirun"), flags=re.M)
    arrays = "\n".join(f"( SLURM_ARRAY_TASK_ID={i}\n{slurm} )" for i in range(1, 9))
    for script in (arrays, parallel, mpi):
        merge = "tensorlane conformance testdata/okk --quiet --merge part*.jsonl"
        said = shell(f"rm -f part*\n(\n{script}\n) > log; {merge}")
        assert said.returncode == 0, said.stderr
        assert said.stdout.startswith("2388 cases: 2358 passed")


def test_one_command_does_all_of_it(shell, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PATH", f"{shell.folder.parent / 'bin'}:{os.environ['PATH']}")  # of the workers
    (shell.folder / "tests").mkdir()
    (shell.folder / "tests" / "test_it.py").write_text("def test_it(bm1684):\n    assert bm1684.chip\n")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        said = shell(block_with("tensorlane spread").replace("tcp://head:8786",
                                                             cluster.scheduler_address))
    assert said.returncode == 0, said.stderr
    assert "2388 cases: 2358 passed" in said.stdout and "1 passed" in said.stdout
