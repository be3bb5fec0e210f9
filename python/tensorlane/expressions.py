"""Whole numbers that follow from sizes: "rows * cols", "(cols + 63) // 64", "max(1, rows - 1)"."""

from __future__ import annotations

import ast
import operator
from functools import lru_cache
from typing import Any, Callable, Mapping

from .errors import UserError
from .texts import tr

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
_COMPARED: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}


def evaluate(text: str | int, sizes: Mapping[str, Any]) -> Any:
    """The value of an expression: names of sizes, numbers, + - * // %, comparisons, and, or, not,
    min, max, abs. Raises UserError for anything else."""
    if not isinstance(text, str):
        return text
    try:
        return _value(_parsed(text), sizes, text)
    except ZeroDivisionError:
        raise UserError(tr("'{}' divides by 0 at {}", text, dict(sizes))) from None


def names_in(text: str | int) -> set[str]:
    """The names of sizes in an expression."""
    if not isinstance(text, str):
        return set()
    return {node.id for node in ast.walk(_parsed(text))
            if isinstance(node, ast.Name)} - set(_FUNCTIONS)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise UserError(tr("'{}' is no expression of sizes: {}", text, error.msg)) from None


def _value(node: ast.AST, sizes: Mapping[str, Any], text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in sizes:
            raise UserError(tr("'{}': there is no size '{}'; sizes are {}", text, node.id,
                               ", ".join(sizes)))
        return sizes[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, sizes, text),
                                      _value(node.right, sizes, text))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        raise UserError(tr("'{}': sizes are whole numbers; divide them by //", text))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, sizes, text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(node.operand, sizes, text)
    if isinstance(node, ast.BoolOp):
        values = [_value(each, sizes, text) for each in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.Compare) and all(type(each) in _COMPARED for each in node.ops):
        values = [_value(each, sizes, text) for each in (node.left, *node.comparators)]
        return all(_COMPARED[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:]))
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and node.func.id in _FUNCTIONS and not node.keywords):
        return _FUNCTIONS[node.func.id](*(_value(each, sizes, text) for each in node.args))
    raise UserError(tr("'{}' is no expression of sizes: it takes names, numbers, + - * // %, "
                       "comparisons, and, or, not, min, max, abs", text))
