#!/usr/bin/env python3
"""The site builds without a warning, and its search finds what readers type, in both languages.

    check_site.py SOURCE MKDOCS NODE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FINDS = {  # a word and a page that has to be among its first ten
    "卷积": "zh/learn/7-convolutions-and-products/", "布局": "zh/learn/2-where-a-tensor-lies/", "池化": "reference/okkernel/bdc-nn/",
    "乘积": "reference/", "本地内存": "zh/learn/4-larger-than-local-memory/", "乒乓": "zh/learn/5-ping-pong/",
    "步长": "zh/learn/2-where-a-tensor-lies/", "convolution": "learn/7-convolutions-and-products/",
    "okk_bdc_conv2d": "reference/okkernel/bdc-nn/", "conv2d": "reference/", "race": "diagnostics/TL-RACE-001/",
}


def main():
    source, mkdocs, node = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
    with tempfile.TemporaryDirectory() as site:
        subprocess.run([mkdocs, "build", "--strict", "--quiet", "--site-dir", site], cwd=source, check=True)
        run = subprocess.run([node, source / "tests/docs/search.js", site, *FINDS], check=True, capture_output=True, text=True)
        problems = []
        for (word, page), line in zip(FINDS.items(), run.stdout.splitlines(), strict=True):
            found = json.loads(line)[:10]
            if not any(place.startswith(page) for place in found):
                problems.append(f"{word} does not find {page}: {found}")
    print("\n".join(problems), f"\n{len(FINDS)} words, {len(problems)} not found")
    return 1 if problems else 0


sys.exit(main())
