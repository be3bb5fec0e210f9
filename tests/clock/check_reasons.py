#!/usr/bin/env python3
"""What --time names: check_reasons.py TENSORLANE PROGRAM SOURCE

Every kernel of the source has a line that ends in `// bound: WHAT`. That is among the reasons of its launch, at that line,
in text and in the profile, and what comes before wins less than a tenth of the launch; what helps is said, and the page
says the same.
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def main():
    tensorlane, program, source = sys.argv[1:]
    bound, kernel = {}, None
    with open(source) as file:
        for number, line in enumerate(file, 1):
            if begun := re.match(r"(?:static )?void (\w+)\(const void\* args\)", line):
                kernel = begun[1]
            elif marked := re.search(r"// bound: (.+)$", line):
                bound[kernel] = (marked[1], number)
    assert len(bound) >= 6, bound
    with tempfile.TemporaryDirectory() as folder:
        profile, page = os.path.join(folder, "profile.json"), os.path.join(folder, "page.html")
        run = subprocess.run([tensorlane, "run", "--quiet", "--check=none", "--dry-run", "--time", "--profile", profile,
                              "--report", page, "--", program, *bound], check=True, stderr=subprocess.PIPE, text=True)
        with open(profile) as file:
            launches = json.load(file)["launches"]
        with open(page) as file:
            charts = json.loads(re.search(r'id="data">(.*?)</script>', file.read())[1])["runs"][0]["charts"]
    texts = run.stderr.split("modelled time of ")[1:]
    assert len(texts) == len(launches) == len(bound)
    for text, launch in zip(texts, launches):
        what, line = bound[launch["kernel"]]
        number, first = next((each for each in enumerate(launch["why"], 1) if each[1]["id"] == what), (0, launch["why"][0]))
        at = f"{os.path.basename(source)}:{line} "
        print(f"{launch['kernel']}: {first['what']} ({first['busy_us']:.1f} us)")
        assert first["id"] == what, f"{launch['kernel']} is bound by '{first['id']}', not '{what}'"
        assert at in first["at"] + " ", f"{launch['kernel']}: {first['at']}, not line {line}"
        assert all(each["lost_us"] < 0.1 * launch["modelled_us"] for each in launch["why"][:number - 1]), launch["why"]
        named = text[text.index(f"why {number}: "):].split("\n")
        assert first["what"] in named[0] and at in named[1] + " " and first["help"] in named[2], named[:3]
        assert 0.3 * launch["modelled_us"] < first["busy_us"] <= launch["modelled_us"] * 1.000001, first
        assert "commands issued one by one" in text
    assert [chart["profile"] for chart in charts] == launches


main()
