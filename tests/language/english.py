"""Finds English sentences in what TensorLane says in Chinese.

English may be: lines of source code, what stands in quotes, names of functions, files, tensors, operands, layouts and
options, ids, element types, units, and a few words of the field (kernel, host, ...). Two other words of at least two
letters in a row are a sentence.
"""
import re

SOURCE_LINE = re.compile(r"^ *\d+ \| .*$", re.M)
PLACE = re.compile(r"\S+:\d+ in [\w:~<>.]+|\S+:\d+")
QUOTED = re.compile(r"'[^'\n]*'|`[^`\n]*`|\"[^\"\n]*\"")
COMMAND = re.compile(r"tensorlane (explain|run|why|ops|diff)\b[^，；。）\n]*")
# What has more than letters in it is a name, an option, a number or a formula.
NAME = re.compile(r"[^\s，。；：、（）()\[\]{}|,;:]*[\d_./$=<>%*#@\\-][^\s，。；：、（）()\[\]{}|,;:]*")
WORDS_OF_THE_FIELD = {
    "OpenCL", "aligned", "args", "batch", "cols", "compact", "continuous", "device", "div", "dst", "dtype", "fork", "handle", "host", "image", "index", "int",
    "kernel", "kernels", "line-aligned", "ln", "long", "matrix", "mod", "mode", "opencl", "packed", "poll", "roofline", "sanitizer", "shape", "size", "softmax",
    "src", "stride", "tensorlane", "ulp", "unsigned", "us", "vector"}
WORD = re.compile(r"[A-Za-z]{2,}")


# Single words that stand before what they are about.
LABEL = re.compile(r"\b(?:Usage|Excludes|Needs|Options|Positionals|Examples?):")


def english_in(text):
    """The sentences and labels that are left, as texts."""
    labels = LABEL.findall(text)
    for pattern in (SOURCE_LINE, PLACE, QUOTED, COMMAND):
        text = pattern.sub("。", text)
    text = NAME.sub("。", text)
    found = labels
    for line in text.splitlines():
        for run in re.findall(r"[A-Za-z]+(?: +[A-Za-z]+)+", line):
            words = [word for word in WORD.findall(run) if not word.isupper() and word not in WORDS_OF_THE_FIELD]
            if len(words) > 1:
                found.append(run)
    return found


def problems_of(said):
    """One line for what was said in Chinese; empty where it is all right."""
    found = english_in(said)
    if found:
        return "English is left: " + "; ".join(sorted(set(found)))
    return "" if re.search("[\u4e00-\u9fff]", said) or not said.strip() else f"nothing in Chinese: {said}"
