#!/usr/bin/env python3
"""Packs a recording into the small form of this folder: pack.py RECORDING OUT.

Large results become a digest for every KiB, long sweeps keep every fourth operand, and
chunks that several cases share are stored once.
"""
import gzip
import json
import os
import struct
import sys

PIECE = 1024
KEEP = 512  # results up to so many bytes are kept whole
FLOATS = {"fp32": (4, 0x7F800000), "fp16": (2, 0x7C00), "bf16": (2, 0x7F80)}


def digest(data, floats):
    """As conformance/digest.h."""
    if floats:
        size, infinity = FLOATS[floats]
        code = "<%d%s" % (len(data) // size, "I" if size == 4 else "H")
        top = (1 << (8 * size - 1)) - 1
        words = struct.unpack(code, data[: len(data) // size * size])
        data = struct.pack(code, *(top if w & top > infinity else w for w in words)) + data[len(data) // size * size :]
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return struct.pack("<Q", value)


class Packer:
    def __init__(self, source):
        self.source, self.out, self.at = source, bytearray(), {}

    def store(self, data):
        if data not in self.at:
            self.at[data] = len(self.out)
            self.out += data
        return self.at[data]

    def operand(self, item, case, is_result):
        runs = []
        for numbers in item["ranges"]:
            count = numbers[4] if len(numbers) > 4 else 1
            if numbers[3] >= 0:
                size = numbers[2]
                runs.append([self.source[numbers[3] + k * size : numbers[3] + (k + 1) * size] for k in range(count)])
            else:
                runs.append(None)
        stored = sum(len(run) * len(run[0]) for run in runs if run)
        floats = case.get("dtypes", ["fp32"])[0] if case.get("nan_payload") == "any" else None
        floats = floats if floats in FLOATS else "fp32" if floats is not None else None
        size = FLOATS[floats][0] if floats else 1
        # A recording of the bytes that changed has short ranges, which may begin inside an element.
        whole = all(numbers[1] % size == 0 and numbers[2] % size == 0 for numbers in item["ranges"])
        if is_result and whole and item.get("must_match", True) and stored > KEEP:
            item["digest_bytes"] = PIECE
            runs = [run and [b"".join(digest(part[i : i + PIECE], floats) for i in range(0, len(part), PIECE)) for part in run]
                    for run in runs]
        for numbers, run in zip(item["ranges"], runs):
            if run:
                numbers[3] = self.store(b"".join(run))


def thin(case, source, out):
    """Keeps every fourth operand of a sweep over fp32; `out` receives the new data, behind `source`."""
    shape = next(a["value"] for a in case["args"] if a["name"] == "shape")
    if "sweep_exponents" not in case.get("tags", ()) or (shape["c"], shape["h"], shape["w"]) != (64, 1, 320):
        return
    shape["w"] //= 4
    for key in ("loads", "expects"):
        for item in case[key]:
            for numbers in item["ranges"]:
                if numbers[3] >= 0:
                    first, count = len(source) + len(out), numbers[4]
                    words = source[numbers[3] : numbers[3] + numbers[2] * count]
                    for i in range(0, len(words), 16):
                        out += words[i : i + 4]
                    numbers[3] = first
                numbers[2] //= 4


def main(folder, to):
    source = gzip.open(folder + "/data.bin.gz").read()
    files = {}
    more = bytearray()
    for name in ("cases.jsonl", "dense.jsonl"):
        if not os.path.exists(folder + "/" + name):
            continue
        files[name] = [json.loads(line) for line in open(folder + "/" + name)]
        for case in files[name]:
            if any(a["name"] == "shape" for a in case["args"]):
                thin(case, source, more)
    packer = Packer(source + bytes(more))
    for name, cases in files.items():
        for case in cases:
            for key in ("loads", "system_loads", "expects", "system_expects"):
                for item in case.get(key, ()):
                    packer.operand(item, case, "expects" in key)
        lines = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
        with gzip.GzipFile(to + "/" + name + ".gz", "wb", 9, mtime=0) as file:
            file.write(lines.encode())
    with gzip.GzipFile(to + "/data.bin.gz", "wb", 9, mtime=0) as file:
        file.write(bytes(packer.out))


if __name__ == "__main__":
    main(*sys.argv[1:])
