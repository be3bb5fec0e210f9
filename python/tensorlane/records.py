"""What is known of a launch, wherever it happened: here, in the process of an isolated device, or
in one that sent it here with an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence, Union

from . import _native
from .errors import Error, UserError
from .isolated_parts import IsolatedRecord
from .texts import tr

_KEPT = ("time_text", "profile", "commands", "local_map", "evidence")


@dataclass(frozen=True)
class KeptRecord:
    """A launch of another process: what was said of it there."""

    kernel: str
    number: int
    us: float
    us_at_most: float
    failed: str | None
    texts: Mapping[str, str]

    def failure(self) -> str | None:
        return self.failed

    def said(self, what: str) -> str:
        return self.texts[what]


Record = Union[_native.LaunchRecord, IsolatedRecord, KeptRecord]


def said_of(record: Record, what: str) -> str:
    """A text about a launch: "profile", "time_text", "commands", "local_map", "evidence"."""
    if isinstance(record, _native.LaunchRecord):
        return getattr(_native, what)(record)
    return record.said(what)


def said_of_all(records: Sequence[Record], what: str, *args: Any) -> Any:
    """The same of several launches: "save_trace", "report_page"."""
    here = [record for record in records if isinstance(record, _native.LaunchRecord)]
    if len(here) == len(records):
        return getattr(_native, what)(here, *args)
    isolated = [record for record in records if isinstance(record, IsolatedRecord)]
    if len(isolated) < len(records) or len({record.device for record in isolated}) > 1:
        raise UserError(tr("these launches were made in several processes; of one device at a time "
                           "there are pages and traces"))
    return isolated[0].device.said_of_all(what, [record.number for record in isolated], *args)


def kept(record: Record) -> KeptRecord:
    """What another process can be told of a launch that is over."""
    if isinstance(record, KeptRecord):
        return record
    try:
        texts = {what: said_of(record, what) for what in _KEPT}
    except Error:  # the process that knew is gone
        texts = {"time_text": "", "profile": "{}", "commands": "[]", "local_map": "[]", "evidence": "{}"}
    return KeptRecord(record.kernel, record.number, record.us, record.us_at_most,
                      record.failure(), texts)
