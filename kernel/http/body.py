"""The body of a request to the API, and how it is refused."""

from collections.abc import Mapping

from guildhall_sdk import InvalidRequest, Problem, TooLarge
from guildhall_sdk.inbox import Inbox
from guildhall_sdk.mounts import Receive


class SlowBody(Problem):
    status = 408
    code = "slow_body"
    title = "The body came too slowly"


def refuse_by_length(headers: Mapping[str, str], limit: int) -> None:
    """Refuses a body by its announced length, before a byte of it is read."""
    announced = headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise InvalidRequest("Content-Length is not a number.")
    if int(announced) > limit:
        raise _too_large(limit)


class ApiInbox(Inbox):
    def __init__(self, receive: Receive, headers: Mapping[str, str]) -> None:
        announced = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        super().__init__(receive, announced=announced, on_request="expect" in headers)

    def too_large(self, limit: int) -> Exception:
        return _too_large(limit)

    def too_slow(self) -> Exception:
        return SlowBody("The body stopped arriving, or came too slowly; send it again.")


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than the {limit} bytes that this route takes.", limit=limit)
