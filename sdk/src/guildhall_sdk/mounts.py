"""Whole applications of another protocol beside the API, such as S3."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from guildhall_sdk.settings import Setting

if TYPE_CHECKING:
    from guildhall_sdk.context import Host

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Mount:
    """An ASGI application below `prefix` on the main listener and, with `bind`, at the root of its own.

    `bind` is the setting of that address, one of the plugin's own. An operator who does not set it can do
    without: where the default is taken, the prefix alone is served. The application gets the scope as it
    came, with the prefix in `root_path`. Authentication, limits and errors are its own. The one at `/` gets
    the paths that no row takes, but for those below `/api/`; what it does not find there is left to pages at
    the root, the console's among them.
    """

    name: str
    prefix: str
    app: "Callable[[Host], Asgi]"
    _: KW_ONLY
    bind: Setting[str] | None = None
