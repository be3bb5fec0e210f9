#!/usr/bin/env python3
"""What a function means is not read out of its name, its parameters' names or its sentence.

It stands in its entry (ops/op.h, ops/param_roles.h). Searches in such a text are counted per file: a new
one fails, and so does one that is gone and still listed. Parameters that are looked up or compared by a
name of one function's are counted in the same way, in all that is no entry and none of its implementations.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "src/tensorlane"
TOOLS = ROOT / "tools/tensorlane"
SEARCHED = re.compile(r"(?:\bfunction|\bname\(\)|\bparam(?:\.name)?|\bdoc\.words)\s*\."
                      r"(?:r?find|contains|starts_with|ends_with)\(|\bparse\(\s*\w+(?:\(\))?\.doc\.words\b")
# Folders of entries and of what computes them.
ENTRIES = ("okk", "tpukernel", "compute")
HEADERS = ("okkernel/include/okk.h", "tpukernel/include/tpu_kernel/*.h")
DECLARATION = re.compile(r"^[\w ]+[ *]+(?:okk|tpu|sfu)_\w+\(([^()]*)\)[\w\s]*;", re.M)
PARAMETER = re.compile(r"[ *](\w+)\s*(?:,|$)")
ASKED = re.compile(r"(?:\bcommand(?:_|\(\))?(?:\.|->)(?:value|arg|find)\(|\b\w*param\w*\(\w+, )\"(\w+)\""
                   r"|\b(?:name(?:\(\))?|param)\s*[!=]=\s*\"(\w+)\""
                   r"|\bname\.(?:r?find|contains|starts_with|ends_with)\(\"(\w+)\"")
ASKED_FOR = {
    "src/tensorlane/differential/call_generator.cc": 1,  # parameters that are shapes
    "src/tensorlane/ops/fixed_results.cc": 3,         # rules of entries
    "tools/tensorlane/op_example.cc": 3,         # what examples of host functions show
}

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


def parameters():
    """The names of all parameters of the functions that have entries."""
    texts = (path.read_text(encoding="utf-8") for header in HEADERS for path in (ROOT / "sdk").glob(header))
    return {name for text in texts for parameters in DECLARATION.findall(text) for name in PARAMETER.findall(parameters)}


def asked(text, names):
    """The lines of a source that ask for a parameter by its name."""
    code = re.sub(r"//[^\n]*", "", text)
    return [code.count("\n", 0, match.start()) + 1 for match in ASKED.finditer(code)
            if any(name in names for name in match.groups())]


def sources(folder):
    return (path for path in sorted(folder.rglob("*"))
            if path.suffix in (".h", ".cc") and not re.search(r"_test(_support)?$", path.stem))


def check_parameters():
    """How many files ask for parameters by their names and should not."""
    names = parameters()
    for sample in ('name != "scale"', 'command.value("pad_val")', 'command.arg("rshift")',
                   'integer_param(command, "shift")', 'has_param(command, "result_relu")', 'name.find("stride")',
                   'name.ends_with("stride")', 'at.name == "pad_val"'):
        if not asked(sample, names):
            sys.exit(f"not noticed: {sample}")
    found = {}
    for folder in (SOURCES, TOOLS):
        for path in sources(folder):
            if folder == SOURCES and path.relative_to(SOURCES).parts[0] in ENTRIES:
                continue
            if lines := asked(path.read_text(encoding="utf-8"), names):
                found[path.relative_to(ROOT).as_posix()] = lines
    wrong = [name for name in sorted(ASKED_FOR | found) if len(found.get(name, [])) != ASKED_FOR.get(name, 0)]
    for name in wrong:
        print(f"{name}: {len(found.get(name, []))} parameters by name (lines {found.get(name, [])}), "
              f"{ASKED_FOR.get(name, 0)} listed; what a parameter means stands in the entry (ops/param_roles.h)")
    return len(wrong)


def main():
    for sample in ('op.name().find("_xor")', 'spec->param.contains("bias")', 'spec.doc.words.find("max")',
                   'function.starts_with("tpu_bdc_fp")', "RealFormula::parse(spec.doc.words, names)"):
        if not searches(sample):
            sys.exit(f"not noticed: {sample}")
    known = NAMES
    found = {}
    for path in sources(SOURCES):
        lines = searches(path.read_text(encoding="utf-8"))
        if lines:
            found[path.relative_to(SOURCES).as_posix()] = lines
    wrong = check_parameters()
    for name in sorted(known | found):
        lines, listed = found.get(name, []), known.get(name, 0)
        if len(lines) == listed:
            continue
        wrong += 1
        print(f"src/tensorlane/{name}: {len(lines)} searches in names or sentences (lines {lines}), {listed} listed; "
              "what a function means stands in its entry")
    sys.exit(1 if wrong else 0)


main()
