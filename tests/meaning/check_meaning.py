#!/usr/bin/env python3
"""What a function means is not read out of its name, its parameters' names or its sentence.

It stands in its entry (ops/op.h). Searches in such a text are counted per file: a new one fails, and
so does one that is gone and still listed.
"""
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "src/tensorlane"
SEARCHED = re.compile(r"(?:\bfunction|\bname\(\)|\bparam(?:\.name)?|\bdoc\.words)\s*\."
                      r"(?:r?find|contains|starts_with|ends_with)\(|\bparse\(\s*\w+(?:\(\))?\.doc\.words\b")
# Names as names: whose they are, how they are written, which the user means.
NAMES = {
    "differential/call_generator.cc": 1,     # parameters that are shapes
    "differential/differential_main.cc": 2,  # the pattern on the command line
    "front_ends/front_ends.cc": 1,           # the prefix of an interface
    "ops/op.cc": 1,                          # how formulas call parameters
    "observe/recorded_line.cc": 1,           # a recorded line has no prefix
    "ops/expression_parser.cc": 1,           # functions of the language of limits
}


def searches(text):
    """The lines of a source that search in a name or a sentence."""
    code = re.sub(r"//[^\n]*", "", text)
    return [code.count("\n", 0, match.start()) + 1 for match in SEARCHED.finditer(code)]


def main():
    for sample in ('op.name().find("_xor")', 'spec->param.contains("bias")', 'spec.doc.words.find("max")',
                   'function.starts_with("tpu_bdc_fp")', "RealFormula::parse(spec.doc.words, names)"):
        if not searches(sample):
            sys.exit(f"not noticed: {sample}")
    known = NAMES
    found = {}
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix in (".h", ".cc") and not re.search(r"_test(_support)?$", path.stem):
            lines = searches(path.read_text(encoding="utf-8"))
            if lines:
                found[path.relative_to(SOURCES).as_posix()] = lines
    wrong = 0
    for name in sorted(known | found):
        lines, listed = found.get(name, []), known.get(name, 0)
        if len(lines) == listed:
            continue
        wrong += 1
        print(f"src/tensorlane/{name}: {len(lines)} searches in names or sentences (lines {lines}), {listed} listed; "
              "what a function means stands in its entry")
    sys.exit(1 if wrong else 0)


main()
