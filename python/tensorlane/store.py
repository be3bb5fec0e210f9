"""Trials that were done, in a file: nothing is tried twice."""

from __future__ import annotations

import json
import os
import sqlite3
from typing import Any, Iterable

from .errors import UserError
from .texts import tr

_TABLE = "trials (key TEXT PRIMARY KEY, result TEXT)"


class Store:
    """A table of trials by their keys, in SQLite; without a path it lasts as long as the process.

    A key stands for everything that decides the result (see Problem.key), so several studies may
    share a store, and each row is kept as soon as it is there.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        name = ":memory:" if path is None else os.fspath(path)
        try:
            self._database = sqlite3.connect(name, timeout=60)
            tables = self._database.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'table'").fetchall()
            if tables not in ([], [(f"CREATE TABLE {_TABLE}",)]):
                raise UserError(tr("store '{}' is a database of something else", name))
            with self._database:
                self._database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        except sqlite3.Error as error:
            raise UserError(tr("store '{}': {}", name, error)) from None

    def get(self, key: str) -> dict[str, Any] | None:
        """The result of a trial; None where it was not done yet."""
        row = self._database.execute("SELECT result FROM trials WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keeps a result."""
        with self._database:
            self._database.execute("INSERT OR REPLACE INTO trials VALUES (?, ?)",
                                   (key, json.dumps(result)))

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Those of ``keys`` that were not done yet."""
        return [key for key in keys if self.get(key) is None]

    def close(self) -> None:
        """Closes the file."""
        self._database.close()
