#!/usr/bin/env python3
"""Checks the clock on a program: check_example.py TENSORLANE PROGRAM ARGUMENTS...

The modelled time is the same in a full run and in a dry run on one processor. The traces of the run
can be read back: slices of one engine never overlap, nor do blocks of local memory at one address,
and the slices, like the commands of the page, add up to the profile's totals. The calls recorded in the
full run are estimated to take the same time.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ENGINES = {"GDMA": "gdma_busy_us", "BDC": "bdc_busy_us", "HAU": "hau_busy_us", "SDMA": "sdma_busy_us", "processor: issue": "issue_us"}


def run(tensorlane, program, options):
    result = subprocess.run([tensorlane, "run", "--quiet", *options, "--", *program],
                            stdout=subprocess.PIPE, text=True)
    # In a dry run, programs that check their results find them wrong.
    if result.returncode != 0 and "--dry-run" not in options:
        sys.exit(f"{' '.join(options)}: exit status {result.returncode}\n{result.stdout}")


def load(path):
    with open(path) as file:
        return json.load(file)


def fields(data):
    """Fields of a protobuf message: number, value; bytes of what has a length."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif key & 7 == 2:
            length = varint()
            value, at = data[at:at + length], at + length
            assert len(value) == length, "a message is cut off"
        else:
            sys.exit(f"wire type {key & 7}")
        yield key >> 3, value


def perfetto_slices(path):
    """(track, 'B' or 'E', nanoseconds) in the order of the file. Field numbers of trace.proto."""
    names = {}
    with open(path, "rb") as file:
        data = file.read()
    for number, packet in fields(data):
        assert number == 1, "not a packet"
        packet = dict(fields(packet))
        if 60 in packet:  # track descriptor
            track = dict(fields(packet[60]))
            names[track[1]] = track.get(2, b"").decode()
            continue
        event = dict(fields(packet[11]))
        assert event[11] in names, "an event of a track that was not described"
        if event[9] in (1, 2):
            yield names[event[11]], "BE"[event[9] - 1], packet[8]


def chrome_slices(path):
    names = {}
    for event in load(path)["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
        elif event["ph"] in "BE":
            yield names[event["tid"]], event["ph"], round(event["ts"] * 1000)


def busy_us(slices):
    """Sum of the slices per track; fails where slices of a track overlap or go back in time."""
    begun, last, sums, count = {}, {}, {}, {}
    for track, phase, ns in slices:
        assert ns >= last.get(track, 0), f"{track} goes back in time"
        last[track] = ns
        if phase == "B":
            assert track not in begun, f"slices of {track} overlap"
            begun[track] = ns
        else:
            sums[track] = sums.get(track, 0) + (ns - begun.pop(track)) / 1000
            count[track] = count.get(track, 0) + 1
    assert not begun, f"slices without an end: {sorted(begun)}"
    return sums, count


def main():
    tensorlane, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        run(tensorlane, program, ["--profile", path("full.json"), "--record", path("calls.jsonl.gz")])
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        run(tensorlane, program, ["--dry-run", "--profile", path("dry.json"), "--trace", path("t.pftrace")])
        run(tensorlane, program, ["--dry-run", "--trace", path("t.json"), "--report", path("page.html")])
        full, dry = load(path("full.json")), load(path("dry.json"))
        assert full == dry, "the dry run has other times than the full run"
        launches = full["launches"]
        recordings = [path(f"calls-{k}.jsonl.gz" if k else "calls.jsonl.gz") for k in range(len(launches))]
        estimates = json.loads(subprocess.run([tensorlane, "estimate", "--json", *recordings],
                                              stdout=subprocess.PIPE, check=True).stdout)
        for launch, estimate in zip(launches, estimates):
            for key, ran in (("modelled_us", "modelled_host_us"), ("kernel_us", "modelled_us"),
                             ("gdma_busy_us", "gdma_busy_us"), ("bdc_busy_us", "bdc_busy_us"),
                             ("hau_busy_us", "hau_busy_us"), ("sdma_busy_us", "sdma_busy_us")):
                assert abs(launch[ran] - estimate[key]) <= 1e-3, \
                    f"{estimate['file']}: {key} is {estimate[key]}, not {launch[ran]}"
        totals = {track: sum(launch[key] for launch in launches) for track, key in ENGINES.items()}
        for name, slices in (("t.pftrace", perfetto_slices), ("t.json", chrome_slices)):
            sums, count = busy_us(slices(path(name)))
            for track, total in totals.items():
                rounding = 0.0011 * (count.get(track, 0) + 1)
                assert abs(sums.get(track, 0) - total) <= rounding, \
                    f"{name}: {track} adds up to {sums.get(track, 0)} us, not {total}"
        if len(launches) <= 24:  # all of them have charts
            with open(path("page.html")) as file:
                page = re.search(r'id="data">(.*?)</script>', file.read())[1]
            for launch, chart in zip(launches, json.loads(page)["runs"][0]["charts"], strict=True):
                commands, lines = chart["commands"], chart["profile"]["lines"]
                drawn = dict.fromkeys(("gdma_busy_us", "bdc_busy_us", "hau_busy_us", "sdma_busy_us"), 0)
                for line, start, end in zip(commands["line"], commands["start"], commands["end"], strict=True):
                    drawn[ENGINES[lines[line]["engine"]]] += end - start
                for key, us in drawn.items():
                    rounding = 1e-4 * (len(commands["line"]) + 1)
                    assert abs(us - launch[key]) <= rounding, f"page: {key} is {us}, not {launch[key]}"
        print(f"{len(launches)} launches, {sum(l['modelled_us'] for l in launches):.1f} modelled us")


main()
