#!/usr/bin/env python3
"""Engine times of the BM1684X: check_board_rows.py TENSORLANE PROGRAM BOARD [--write]

Launches the kernels of board_rows.c that data/board/counters.json names. Their modelled times stay
within 15 % of the published counters, but for rows with a note that says why. The recordings of
data/board/counters are those of these kernels; --write renews them.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PARTS = {"GDMA": "gdma_busy_us", "BDC": "bdc_busy_us", "both engines": "modelled_us"}
MOST = 15  # percent


def main():
    tensorlane, program, board = sys.argv[1:4]
    with open(os.path.join(board, "counters.json")) as file:
        rows = json.load(file)["rows"]
    for row in rows:
        row["kernel"] = os.path.basename(row["recording"]).removesuffix(".jsonl.gz")
    recorded = {row["kernel"]: os.path.join(board, row["recording"]) for row in rows}
    kernels = list(recorded)
    with tempfile.TemporaryDirectory() as folder:
        profile, calls = os.path.join(folder, "profile.json"), os.path.join(folder, "calls.jsonl.gz")
        subprocess.run([tensorlane, "run", "--quiet", "--check=none", "--dry-run", "--launch-mode", "prebuilt",
                        "--profile", profile, "--record", calls, "--", program, *kernels], check=True)
        with open(profile) as file:
            report = json.load(file)
        if "--write" in sys.argv:
            os.makedirs(os.path.join(board, "counters"), exist_ok=True)
            for k, kernel in enumerate(kernels):
                shutil.copy(calls.replace(".jsonl", f"-{k}.jsonl") if k else calls, recorded[kernel])
    assert report["schema_version"] == 3, report["schema_version"]
    launches = {launch["kernel"]: launch for launch in report["launches"]}
    estimates = json.loads(subprocess.run([tensorlane, "estimate", "--json", "--launch-mode", "prebuilt",
                                           *recorded.values()], stdout=subprocess.PIPE, check=True).stdout)
    for kernel, estimate in zip(kernels, estimates):
        assert abs(estimate["kernel_us"] - launches[kernel]["modelled_us"]) < 1e-3, \
            f"{kernel}: its recording takes {estimate['kernel_us']} us, it {launches[kernel]['modelled_us']}"
    far = []
    for row in rows:
        launch = launches[row["kernel"]]
        assert launch["launch_mode"] == "prebuilt" and launch["calibration"]["state"] == "engines"
        error = 100 * (launch[PARTS[row["part"]]] * row.get("repeat", 1) / row["time_us"] - 1)
        print(f"{error:+6.1f} %  {row['operator']}, {row['shape']}, {row['part']}: {row['time_us']} us")
        if abs(error) > MOST and "note" not in row:
            far.append(row["kernel"])
    assert not far, f"more than {MOST} % off: {far}"


main()
