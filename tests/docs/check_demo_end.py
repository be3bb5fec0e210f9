#!/usr/bin/env python3
"""The last screen of ./demo.sh shows a bug found, a wrong number explained and a time; colours on a terminal alone.

    check_demo_end.py SOURCE PREFIX     PREFIX: an installed TensorLane
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

WANTED = [
    r"== A bug found\n\$ tensorlane run --check=all -- wrong/okk\nerror TL-RACE-001: ",
    r"\n +reader .* at wrong/okk\.c:16 in plus_one\n",
    r"\n +writer .* at wrong/okk\.c:15 in plus_one\n",
    r"\n +repair +end the parallel region",
    r"\n== A wrong number explained\n\$ tensorlane why .*\nsuspects, the likeliest first:\n +okk\.c:15 ",
    r"\n== A time\n\$ tensorlane run --time -- pingpong/okk\nmodelled time of 'in_turn' .*: [\d.]+ us = .*\n +why 1: ",
    r"\nmodelled time of 'pingpong' .*: [\d.]+ us = ",
]


def on_terminal(command, environment):
    """What the command writes where its output is a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=follower, stderr=follower, stdin=subprocess.DEVNULL, env=environment) as process:
        os.close(follower)
        text = b""
        try:
            while piece := os.read(leader, 65536):
                text += piece
        except OSError:  # the last writer has closed it
            pass
        process.wait()
    os.close(leader)
    assert process.returncode == 0, text.decode()
    return text.decode().replace("\r\n", "\n")


def main():
    source, given = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("NO_COLOR", "LANG", "LANGUAGE", "TENSORLANE_CHIP") and not name.startswith("LC_")}
    with tempfile.TemporaryDirectory(prefix="tensorlane demo ") as name:
        prefix = pathlib.Path(name) / "prefix"  # the programs are built into it
        shutil.copytree(given, prefix, symlinks=True)
        command = [str(source / "scripts/demo_end.sh"), str(prefix)]
        run = subprocess.run(command, env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        assert run.returncode == 0, run.stdout + run.stderr
        plain = run.stdout
        for wanted in WANTED:
            assert re.search(wanted, "\n" + plain), f"no {wanted!r} in\n{plain}"
        assert "\033" not in plain, plain
        assert plain.count("\n") <= 24, f"{plain.count(chr(10))} lines are more than one screen\n{plain}"
        coloured = on_terminal(command, environment)
        assert "\033[31merror TL-RACE-001" in coloured, coloured
        assert re.sub(r"\033\[\d*m", "", coloured) == plain, coloured
        assert on_terminal(command, dict(environment, NO_COLOR="1")) == plain, "colours with NO_COLOR"
        chinese = subprocess.run(command, env=dict(environment, LANG="zh_CN.UTF-8"), text=True, capture_output=True,
                                 stdin=subprocess.DEVNULL, check=False)
        assert chinese.returncode == 0 and chinese.stdout == plain, chinese.stdout + chinese.stderr
        # What is not there is not passed over.
        (prefix / "bin/tensorlane").unlink()
        (prefix / "bin/tensorlane").symlink_to("/bin/true")
        broken = subprocess.run(command, env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        assert broken.returncode != 0, broken.stdout


main()
