"""The errors that a caller is answered with, each with its status and code, and the one for an operator.

Problem
├── UserError              400  a plugin's plain "you cannot do that"
├── InvalidRequest         400  body, query or header is not as described
│   └── InvalidJson        400
├── Unauthenticated        401
├── PaymentRequired        402  the tenant or the company is suspended
├── Forbidden              403
│   ├── PermissionDenied   403  names the permission
│   ├── FeatureDisabled    403  names the feature
│   └── ToolDisabled       403  names the tool
├── NotFound               404  does not exist, or the caller may not see it
├── MethodNotAllowed       405
├── Conflict               409
│   └── ToolNeedsApproval  409  names the tool
├── PreconditionFailed     412
├── TooLarge               413
├── RangeNotSatisfiable    416  the part that was asked for lies behind the end
├── Unprocessable          422
├── RetryLater                  says when to try again; a job that raises it is put off
│   ├── ToolNotReady       503  where it comes from is still starting
│   └── TooManyRequests    429
├── BadGateway             502  somebody whom we asked for it failed
├── Unavailable            503
└── GatewayTimeout         504  somebody whom we asked for it did not answer in time
CodedError                      ends a job, or what else goes on after a request
OperatorError                   what stops a command or the boot
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class Problem(Exception):
    """An RFC 9457 problem. `extras` become members of the answer, `headers` its headers."""

    status: ClassVar[int] = 500
    code: str = "internal"
    title: ClassVar[str] = "Something went wrong"

    def __init_subclass__(cls, status: int = 0, code: str = "", title: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.status, cls.code, cls.title = status or cls.status, code or cls.code, title or cls.title

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        **extras: Any,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.extras = extras


# A pointer shows so much of a name, whatever a caller named.
_MAX_POINTED = 80


def json_pointer(*path: object) -> str:
    """Returns an RFC 6901 pointer such as `/fields/email`, with long names cut."""
    return "".join("/" + str(name)[:_MAX_POINTED].replace("~", "~0").replace("/", "~1") for name in path)


class InvalidRequest(Problem, status=400, code="invalid_request", title="The request is not as it should be"):
    """Raised when a body, query or header is not as described."""

    @classmethod
    def at(cls, pointer: str, message: str) -> "InvalidRequest":
        """Returns the refusal of one place in the body, named by JSON pointer."""
        return cls(f"{pointer or 'body'}: {message}", errors=[{"pointer": pointer, "message": message}])


class UserError(Problem, status=400, code="invalid_request", title="The request cannot be carried out"):
    """Raised when a request cannot be carried out, for a reason that the caller can read."""


class InvalidJson(InvalidRequest, code="invalid_json", title="The body is not valid JSON"):
    """Raised when a body is not JSON."""


class Unauthenticated(Problem, status=401, code="unauthenticated", title="Not signed in"):
    """Raised when the caller has not signed in, or with a credential that does not hold."""

    def __init__(self, detail: str, **kwargs: Any) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"}, **kwargs)


class PaymentRequired(Problem, status=402, code="org_suspended", title="Writing is suspended"):
    """Raised for a write while the company or the tenant is suspended."""


class Forbidden(Problem, status=403, code="forbidden", title="Not allowed"):
    """Raised when the caller may not do this."""


class PermissionDenied(Forbidden, code="permission_denied", title="A permission is missing"):
    """Raised when the caller lacks a permission, which it names."""

    def __init__(self, permission: str, detail: str | None = None) -> None:
        super().__init__(detail or f"This needs the permission {permission}.", permission=permission)


class FeatureDisabled(Forbidden, code="feature_disabled", title="The feature is off for this team"):
    """Raised when the team has turned off the feature, which it names."""

    def __init__(self, feature: str) -> None:
        super().__init__(
            f"The feature {feature} is off for this team; an admin can turn it on.", feature=feature
        )


class ToolDisabled(Forbidden, code="tool_disabled", title="The tool is off for this team"):
    """Raised when the team has turned off the tool, which it names."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"The tool {tool} is off for this team; an admin can turn it on.", tool=tool)


class NotFound(Problem, status=404, code="not_found", title="Not found"):
    """Raised when something does not exist, or the caller may not see it."""

    def __init__(self, detail: str = "There is nothing here that you can see.", **kwargs: Any) -> None:
        super().__init__(detail, **kwargs)


class MethodNotAllowed(Problem, status=405, code="method_not_allowed", title="Method not allowed"):
    """Raised when a path has no row for the method."""


class Conflict(Problem, status=409, code="conflict", title="That conflicts with what is there"):
    """Raised when a change does not fit what is there."""


class ToolNeedsApproval(Conflict, code="tool_needs_approval", title="The tool waits for approval"):
    """Raised for a tool that is new, or not what an operator approved any more."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"The tool {tool} waits for an operator to approve it.", tool=tool)


class PreconditionFailed(
    Problem, status=412, code="precondition_failed", title="It changed since you read it"
):
    """Raised when something has changed since the caller read it."""


class TooLarge(Problem, status=413, code="too_large", title="Too large"):
    """Raised when something has more bytes than allowed."""


class RangeNotSatisfiable(Problem, status=416, code="range_not_satisfiable", title="There are no such bytes"):
    """Raised when a part is asked for that lies behind the end."""


class Unprocessable(Problem, status=422, code="result_rejected", title="The result was refused"):
    """Raised when the result of a job is not one that its kind takes."""


class RetryLater(Problem, status=503, code="retry_later", title="Try again later"):
    """The base of what passes by itself: `Retry-After` says when to try again.

    A job that raises one is put off to that time and uses up no attempt, 24 hours in all.
    """

    @property
    def retry_after_seconds(self) -> int:
        """The seconds that its `Retry-After` names, from one second to a day."""
        text = self.headers.get("Retry-After", "")
        seconds = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        return min(24 * 3600, max(1, seconds))


class ToolNotReady(RetryLater, code="tool_unavailable", title="The tool is not there yet"):
    """Raised for a tool whose source is known and has not answered yet, as right after a start."""

    def __init__(self, tool: str, seconds: int = 2) -> None:
        super().__init__(
            f"The tool {tool} is not there yet: where it comes from is still starting.",
            headers={"Retry-After": str(seconds)},
        )


class TooManyRequests(RetryLater, status=429, code="rate_limited", title="Slow down"):
    """Raised when the caller has to wait: a rate, a quota or a limit is used up."""


class BadGateway(Problem, status=502, code="bad_gateway", title="Another server that this needs failed"):
    """Raised when another server that the request needs has failed."""


class Unavailable(Problem, status=503, code="unavailable", title="Try again shortly"):
    """Raised when the server cannot do this now, but may shortly."""


class GatewayTimeout(
    Problem, status=504, code="gateway_timeout", title="Another server that this needs did not answer in time"
):
    """Raised when another server that the request needs did not answer in time."""


class CodedError(Exception):
    """The base of what ends work that nobody waits for: a code, and words for the person behind it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class OperatorError(Exception):
    """An error that the operator can mend: a command prints it as one line and exits with 2."""
