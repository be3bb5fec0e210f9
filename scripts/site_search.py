"""A hook of mkdocs: what the site's search needs to find Chinese words, and parts of long names.

The search finds words by how they begin. Chinese has no blanks between words, so that of 二维卷积 it would find 二维 and not 卷积;
and of okk_bdc_conv2d it would not find conv2d. Each section of the index gets the ends of its runs of Chinese characters and of
its names as further words: as tags, which the search of the theme indexes and style.css does not show.

A reader searches pages of his own language: those of zh/ have an index of their own, which their pages find because the folder of zh/ is
the base of their search. Of one index for all an English reader fetches a third so, a Chinese one two thirds.
"""
import json
import pathlib
import re

CHINESE_PAGES = "zh/"
BASE = re.compile(r'(<script id="__config" type="application/json">\{"base": ")\.\.(?:/((?:\.\./)*\.\.))?"')

# Times that a title's Chinese words count: a page's more than any text that has them, however short, and once more for every
# so many other words, since words of long texts count less. In the reference, whose hundreds name every common word, once.
PAGE, SECTION, WORDS = 30, 4, 10
CHINESE = re.compile(r"[\u4e00-\u9fff]+")
FUNCTION = re.compile(r"reference/\w+/[^/]+/#")
NAME = re.compile(r"\b[A-Za-z]\w*_\w+")
# Nobody searches a table of so many figures for one.
FIGURE, TABLE = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?: %)?(?![\w.])"), 60
NO_BEGIN = "的们也都把让而很这那它"  # no word that is searched begins with these


# Words in the order of the text: each begins inside the one before it, which compresses better than sorted ones.
def in_order(words):
    return list(dict.fromkeys(words))


def chinese_words(text):
    return in_order(run[at:] for run in CHINESE.findall(text) for at in range(len(run) - 1) if run[at] not in NO_BEGIN)


def parts_of_names(text):
    split = [name.split("_") for name in NAME.findall(text)]
    return in_order("_".join(parts[at:]) for parts in split for at in range(1, len(parts)))


def further_words(section):
    title, text, place = section["title"], section["text"], section["location"]
    words = in_order(chinese_words(text) + parts_of_names(title + " " + text))
    times = 1 if "reference/" in place else (SECTION if "#" in place else PAGE) + len(words) // WORDS
    return words + chinese_words(title) * times


def on_post_page(output, page, **_):
    """The search of a Chinese page looks below zh/."""
    if not page.url.startswith(CHINESE_PAGES):
        return output
    changed, count = BASE.subn(lambda found: f'{found[1]}{found[2] or "."}"', output, count=1)
    assert count == 1, f"{page.url}: the search of the theme has no base"
    return changed


def on_post_build(config, **_):
    site = pathlib.Path(config["site_dir"])
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    for section in index["docs"]:
        # Of a function what it does and its parameters: operands and limits are alike in hundreds of them.
        if FUNCTION.search(section["location"]):
            section["text"] = "".join(section["text"].partition(");")[:2])
        if len(FIGURE.findall(section["text"])) > TABLE:
            section["text"] = FIGURE.sub("", section["text"])
        words = further_words(section)
        if words:
            section["tags"] = words
    for folder in ("", CHINESE_PAGES):
        own = [dict(section, location=section["location"][len(folder):]) for section in index["docs"]
               if section["location"].startswith(CHINESE_PAGES) == bool(folder)]
        path = site / folder / "search/search_index.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dict(index, docs=own), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
