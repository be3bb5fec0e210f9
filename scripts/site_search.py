"""A hook of mkdocs: what the site's search needs to find Chinese words, and parts of long names.

The search finds words by how they begin. Chinese has no blanks between words, so that of 二维卷积 it would find 二维 and not 卷积;
and of okk_bdc_conv2d it would not find conv2d. Each section of the index gets the ends of its runs of Chinese characters and of
its names as further words: as tags, which the search of the theme indexes and style.css does not show.
"""
import json
import pathlib
import re

LONGEST = 6  # Chinese characters: who searches types no more
CHINESE = re.compile(r"[\u4e00-\u9fff]+")
NAME = re.compile(r"\b[A-Za-z]\w*_\w+")


def further_words(text):
    words = set()
    for run in CHINESE.findall(text):
        words.update(run[at:at + LONGEST] for at in range(len(run) - 1))
    for name in NAME.findall(text):
        parts = name.split("_")
        words.update("_".join(parts[at:]) for at in range(1, len(parts)))
    return sorted(words)


def on_post_build(config, **_):
    path = pathlib.Path(config["site_dir"], "search", "search_index.json")
    index = json.loads(path.read_text(encoding="utf-8"))
    for section in index["docs"]:
        words = further_words(section["title"] + " " + section["text"])
        if words:
            section["tags"] = words
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
