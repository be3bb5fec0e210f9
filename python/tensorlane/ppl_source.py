"""What stands in the text of a `.pl` file: kernels and tests, and the C++ that is made of them.

Works on what the preprocessor leaves, in which the marks __KERNEL__ and __TEST__ have become MARK and
TEST_MARK.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import UserError
from .texts import tr

MARK = "__tensorlane_ppl_kernel__"
TEST_MARK = "__tensorlane_ppl_test__"
_HEAD = r"\s+(?:(?:static|inline)\s+)*void\s+(\w+)\s*\("
# Where braces count for nothing.
_QUOTED = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/'


@dataclass(frozen=True)
class PplKernel:
    """A function marked __KERNEL__: its name, and its parameters as (type, name). The type of an
    array of numbers, which lies in the struct of arguments itself, ends with its length: int[512]."""

    name: str
    parameters: tuple[tuple[str, str], ...]


def kernels_in(text: str) -> list[PplKernel]:
    """The kernels of a preprocessed file."""
    return [PplKernel(name, tuple(_parameters(text[begin:end - 1])))
            for name, begin, end in _defined(text, MARK)]


def tests_in(text: str) -> list[str]:
    """The names of its tests."""
    return [name for name, _, _ in _defined(text, TEST_MARK)]


def _defined(text: str, mark: str) -> list[tuple[str, int, int]]:
    """The functions behind a mark that have a body: name, where their parameters begin, and where
    the bracket behind them ends."""
    found = []
    for match in re.finditer(mark + _HEAD, text):
        end = _end_of(text, match.end(), "(", ")")
        if re.match(r"\s*\{", text[end:]):  # else a declaration
            found.append((match.group(1), match.end(), end))
    return found


def _end_of(text: str, begin: int, opened: str, closed: str) -> int:
    """Behind the bracket that closes one opened before ``begin``."""
    depth = 1
    for match in re.compile(f"{_QUOTED}|[{opened}{closed}]", re.S).finditer(text, begin):
        depth += (match.group() == opened) - (match.group() == closed)
        if not depth:
            return match.end()
    return len(text)


def _line_marker(text: str, at: int) -> str:
    """What tells the compiler which line of which file follows."""
    last = None
    for last in re.finditer(r'^# (\d+) ("[^"\n]*").*\n', text[:at], re.M):
        pass
    if last is None:
        return "\n"
    return f"\n# {int(last.group(1)) + text.count(chr(10), last.end(), at)} {last.group(2)}\n"


def _parameters(text: str) -> list[tuple[str, str]]:
    words = [re.sub(r"\s+", " ", each).strip() for each in text.split(",")]
    result = []
    for each in words:
        if not each:
            continue
        match = re.fullmatch(r"(.*?[\s*&])(\w+)\s*(\[[^\]]+\])?(\s*=.*)?", each)
        if match is None:
            raise UserError(tr("parameter '{}' of a kernel is not understood", each))
        kind = match.group(1).strip()
        if "*" not in kind:
            kind = re.sub(r"\bconst\b\s*", "", kind).replace("&", "").strip()
        result.append((kind + (match.group(3) or ""), match.group(2)))
    return result


def _member(kind: str, name: str) -> str:
    """The declaration of a parameter in a struct."""
    plain, bracket, length = kind.partition("[")
    return f"{plain} {name}{bracket}{length};"


def launcher_text(file: str, kernels: list[PplKernel]) -> str:
    """C++ that makes the kernels of ``file`` launchable, each under its name."""
    lines = [f'#include "{file}"', ""]
    for kernel in kernels:
        name, struct = kernel.name, f"{kernel.name}_arguments"
        values = ", ".join(
            f"const_cast<{kind.partition('[')[0]}*>(param->{parameter})" if "[" in kind else
            f"param->{parameter}" for kind, parameter in kernel.parameters)
        call = f"{name}({values})"
        taken = f"  const {struct}* const param = static_cast<const {struct}*>(args);"
        exported = 'extern "C" __attribute__((visibility("default"))) int '
        lines += [
            f"struct {struct} {{",
            *(f"  {_member(kind, parameter)}" for kind, parameter in kernel.parameters),
            "};",
            f"static void ppl_launch_{name}(const void* args) {{", taken,
            "  ppl::detail::begin_launch(__builtin_frame_address(0));",
            f"  {call};",
            "  ppl::detail::end_launch();",
            "}",
            f"static __attribute__((constructor)) void ppl_register_{name}() {{",
            f'  tpu_register_kernel_func("{name}", reinterpret_cast<void*>(ppl_launch_{name}),'
            " FUNC_TYPE_1);",
            "}"]
        for question in ("plan", "cores"):
            function = "plan" if question == "plan" else "asked_cores"
            lines += [
                f"{exported}ppl_{question}_{name}(const void* args) {{", taken,
                f"  return ppl::detail::{function}(__builtin_frame_address(0), [=] {{ {call}; }});",
                "}"]
        lines.append("")
    return "\n".join(lines)


# What a host calls the types of parameters; a pointer is an address of global memory.
_HOST_TYPES = {
    "float": "float", "fp32": "float", "FP32": "float", "double": "double", "bool": "bool",
    "int": "int", "unsigned": "unsigned int", "unsigned int": "unsigned int", "uint": "unsigned int",
    "long": "long", "long long": "long long", "unsigned long long": "unsigned long long",
    "char": "char", "short": "short", "size_t": "unsigned long",
    **{f"{sign}int{bits}{end}": f"std::{sign}int{bits}_t"
       for sign in ("", "u") for bits in (8, 16, 32, 64) for end in ("", "_t")}}


def host_header(file: str, kernels: list[PplKernel]) -> str:
    """C++ for hosts: the struct of arguments of every kernel of ``file``."""
    lines = [f"// Arguments of the kernels of {file}, for ppl_host.h; made by `tensorlane ppl build`.",
             "#pragma once", "", "#include <cstdint>"]
    for kernel in kernels:
        lines += ["", f"struct {kernel.name}_arguments {{"]
        for kind, name in kernel.parameters:
            plain, bracket, length = kind.replace("ppl::", "").replace("std::", "").partition("[")
            if "*" in kind and not bracket:
                lines.append(f"  unsigned long long {name};  // {kind}")
            elif plain in _HOST_TYPES:
                lines.append("  " + _member(_HOST_TYPES[plain] + bracket + length, name))
            else:
                raise UserError(tr("parameter {} of {} is of type {}, which a header for hosts does "
                                   "not have", name, kernel.name, kind))
        lines.append("};")
    return "\n".join(lines) + "\n"


def tests_text(text: str) -> str:
    """C++ of the file's tests, where a call of a kernel asks for its launch: the preprocessed text
    (with its line markers), in which the kernels' bodies are others."""
    parts, at = [], 0
    for name, begin, end in _defined(text, MARK):
        body = text.index("{", end)
        behind = _end_of(text, body + 1, "{", "}")
        parameters = _parameters(text[begin:end - 1])
        fields = " ".join(_member(kind, parameter) for kind, parameter in parameters)
        values = " ".join(
            f"__builtin_memcpy(arguments.{parameter}, {parameter}, sizeof arguments.{parameter});"
            if "[" in kind else f"arguments.{parameter} = {parameter};"
            for kind, parameter in parameters)
        parts += [
            text[at:body],
            f"{{ struct {{ {fields} }} arguments = {{}}; {values} ::ppl::detail::need_done("
            f'::ppl::detail::test_host.launch("{name}", &arguments, sizeof arguments, '
            "__builtin_return_address(0))); }",
            _line_marker(text, behind)]
        at = behind
    names = tests_in(text)
    parts += [text[at:], "\n"]
    exported = 'extern "C" __attribute__((visibility("default")))'
    parts.append(f"{exported} void ppl_set_test_host(const ppl::detail::TestHost* host) {{ "
                 "ppl::detail::test_host = *host; }\n")
    parts += [f"{exported} bool ppl_test_{name}() {{ return ppl::detail::run_test([] {{ {name}(); }}); }}\n"
              for name in names]
    return re.sub(rf"\b(?:{MARK}|{TEST_MARK})\b", "", "".join(parts))
