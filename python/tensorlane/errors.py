"""What goes wrong, as exceptions.

    Error
      UserError       an argument is wrong; the text names it, its value and what is allowed
        CompileError  the compiler refuses a kernel
      FindingError    a kernel, or what the script does with device memory, has a defect
      InternalError   a defect of TensorLane itself
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from .texts import tr

if TYPE_CHECKING:
    from .findings import Finding
    from .launch import Launch


class Error(Exception):
    """All errors of this package. They reach other processes whole: see pickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        # What BaseException says of itself are the words of a class's own __init__.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[Error], args: tuple[Any, ...], fields: dict[str, Any]) -> Error:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class UserError(Error, ValueError):
    """An argument is wrong. The text names the parameter, its value and what is allowed."""


class CompileError(UserError):
    """The compiler refuses a kernel.

    ``output`` is what it says, ``command`` the words it was called with.
    """

    def __init__(self, command: Sequence[str], output: str):
        super().__init__(tr("{} refuses the kernel:\n{}", command[0], output.rstrip()))
        self.command = list(command)
        self.output = output


class FindingError(Error):
    """The checker found errors, or a launch ended early.

    ``findings`` are the errors, ``launch`` is the launch they were found in or None where the
    script read or wrote device memory. From another process the launch comes without its device.
    """

    def __init__(self, findings: Sequence[Finding], launch: Launch | None = None):
        super().__init__("\n\n".join(str(finding) for finding in findings))
        self.findings = list(findings)
        self.launch = launch


class InternalError(Error):
    """TensorLane itself is wrong. Please report it."""
