#!/usr/bin/env python3
"""The site builds without a warning, no link of it is broken, and its search finds what readers type, in both languages.

    check_site.py SOURCE MKDOCS NODE
"""
import gzip
import html
import json
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
from urllib.parse import unquote

FINDS = {  # a word and a page that has to be among its first ten
    "卷积": "zh/learn/7-convolutions-and-products/", "布局": "zh/learn/2-where-a-tensor-lies/", "池化": "zh/reference/okkernel/bdc-nn/",
    "乘积": "zh/reference/", "本地内存": "zh/learn/4-larger-than-local-memory/", "乒乓": "zh/learn/5-ping-pong/",
    "检查器": "zh/checker/", "时间模型": "zh/timing/", "步长": "zh/learn/2-where-a-tensor-lies/", "convolution": "learn/7-convolutions-and-products/",
    "okk_bdc_conv2d": "reference/okkernel/bdc-nn/", "conv2d": "reference/", "race": "diagnostics/TL-RACE-001/",
}


MOST_BYTES = 700_000  # of a search's index as it is sent, compressed


def broken_links(site):
    """Links and anchors of the built pages that lead nowhere."""
    pages = {}
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        pages[path.relative_to(site).as_posix()] = (set(re.findall(r'\bid="([^"]*)"', text)), set(re.findall(r'\bhref="([^"]*)"', text)))
    for page, (_, links) in pages.items():
        for link in map(html.unescape, links):
            if page == "404.html" or re.match(r"\w+:", link):
                continue
            path, _, anchor = link.partition("#")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            if (site / place).is_dir():
                place = posixpath.normpath(posixpath.join(place, "index.html"))
            if not (site / place).exists():
                yield f"{page}: {link} leads nowhere"
            elif anchor and place in pages and unquote(anchor) not in pages[place][0]:
                yield f"{page}: there is no {link}"


def main():
    source, mkdocs, node = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
    with tempfile.TemporaryDirectory() as site:
        subprocess.run([mkdocs, "build", "--strict", "--quiet", "--site-dir", site], cwd=source, check=True)
        problems = list(broken_links(pathlib.Path(site)))
        for begin in ("", "zh/"):  # each language searches its own pages, from wherever it asks
            words = [word for word, page in FINDS.items() if page.startswith("zh/") == bool(begin)]
            for asked in (begin, f"{begin}learn/1-hello/"):
                run = subprocess.run([node, source / "tests/docs/search.js", site, asked, *words], check=True, capture_output=True, text=True)
                for word, line in zip(words, run.stdout.splitlines(), strict=True):
                    found = json.loads(line)
                    if not any(place.startswith(FINDS[word]) for place in found[:10]):
                        problems.append(f"{asked}: {word} does not find {FINDS[word]}: {found[:10]}")
                    problems += [f"{asked}: {word} finds a page of the other language: {place}"
                                 for place in found if f"{place}/".startswith("zh/") != bool(begin)]
            index = pathlib.Path(site, begin, "search/search_index.json")
            if len(gzip.compress(index.read_bytes())) > MOST_BYTES:
                problems.append(f"{index.relative_to(site)} has more than {MOST_BYTES} bytes, compressed")
    print("\n".join(problems), f"\n{len(FINDS)} words searched, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
