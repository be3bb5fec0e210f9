#!/usr/bin/env python3
"""The recordings of data/board/later are those of later_*.c: check_later_rows.py TENSORLANE PROGRAM BOARD [--write]

Launches what the rows of the BM1690 and the SG2260E name under "kernel" and compares the calls; --write renews them.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile


def calls(path):
    with gzip.open(path, "rt") as file:
        return [line for line in file if not line.startswith('{"header"')]


def main():
    tensorlane, program, board = sys.argv[1:4]
    kernels = {}
    for name in ("bm1690.json", "sg2260e.json"):
        with open(os.path.join(board, name)) as file:
            kernels.update({row["recording"]: row["kernel"] for row in json.load(file)["rows"]})
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "calls.jsonl.gz")
        subprocess.run([tensorlane, "run", "--quiet", "--check=none", "--dry-run", "--record", made, "--", program,
                        *kernels.values()], check=True)
        stale = []
        for k, recording in enumerate(kernels):
            file = made.replace(".jsonl", f"-{k}.jsonl") if k else made
            kept = os.path.join(board, recording)
            if "--write" in sys.argv:
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                with open(kept, "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0, filename="") as packed:
                    packed.write("".join(['{"header":1,"chip":"bm1684x"}\n', *calls(file)]).encode())
            elif not os.path.exists(kept) or calls(file) != calls(kept):
                stale.append(recording)
    assert not stale, f"renew with --write: {stale}"


main()
