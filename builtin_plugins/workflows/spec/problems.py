"""What is wrong with a spec, each problem with its place, and the refusal that names them."""

from collections.abc import Sequence
from dataclasses import dataclass

from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import json_pointer

MAX_PROBLEMS = 20
_MAX_NAME = 80
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A problem or a warning, and where in the spec it stands; `code` where it is no plain bad request."""

    place: Place
    message: str
    code: str | None = None

    def public(self) -> dict[str, str]:
        """Returns it as the API shows it, its place as a JSON pointer."""
        return {"pointer": pointer(self.place), "message": self.message}


def pointer(place: Place) -> str:
    """Returns a place as an RFC 6901 pointer, with long names cut."""
    return json_pointer(*place)


def quoted(name: str) -> str:
    """Returns a name as a message quotes it: cut where it is long."""
    return name if len(name) <= _MAX_NAME else name[:_MAX_NAME] + "…"


def refusal(problems: Sequence[Found]) -> InvalidRequest:
    """Returns the refusal of a spec; its code is that of the problems where all have the same."""
    first = problems[0]
    codes = {problem.code for problem in problems}
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return InvalidRequest(
        f"{pointer(first.place) or 'body'}: {first.message}{more}",
        code=codes.pop() if len(codes) == 1 else None,
        errors=[problem.public() for problem in problems[:MAX_PROBLEMS]],
    )
