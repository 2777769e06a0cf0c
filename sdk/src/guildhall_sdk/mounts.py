"""Whole applications of another protocol beside the API, such as S3."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guildhall_sdk.context import Host

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Mount:
    """An ASGI application below `prefix` on the main listener and, with `bind`, at the root of its own.

    `bind` names the setting of the address: `s3_bind`. The application gets the scope as it came, with
    the prefix in `root_path`. Authentication, limits and errors are its own. The one at `/` gets the
    paths that no row takes, but for those below `/api/`.
    """

    name: str
    prefix: str
    app: "Callable[[Host], Asgi]"
    bind: str | None = None
