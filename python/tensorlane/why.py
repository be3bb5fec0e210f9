"""Where a value came from: the commands behind it, back to the host's copies."""

from __future__ import annotations

import json
from typing import Any

from . import _native


class Chain:
    """The past of a value; ``str()`` is the text of `tensorlane why`.

    ``steps`` are its steps as dictionaries, from the one that wrote the value back to those nobody
    computed: "kind" is "command", "host", "processor" (the kernel's own code), "unseen", "nobody",
    or "open" where the history does not reach; "location" says where, "call", "value" and "sources"
    what a command made of what.
    """

    def __init__(self, text: str):
        self._text = text
        self.answer: dict[str, Any] = json.loads(text)

    @property
    def place(self) -> str:
        """Where the value lies: "global memory 0x105100040"."""
        return self.answer["place"]

    @property
    def steps(self) -> list[dict[str, Any]]:
        return self.answer["steps"]

    @property
    def lines(self) -> list[str]:
        """Where each step was, in order: "kernel.c:12 in load"; of those that have a place."""
        return [step["location"]["place"] for step in self.steps if "location" in step]

    def __str__(self) -> str:
        return _native.chain_text(self._text)

    def __repr__(self) -> str:
        return f"<Chain of {self.place}, {len(self.steps)} steps>"
