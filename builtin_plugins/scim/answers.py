"""What SCIM's clients are answered with: documents, lists, and errors in SCIM's own shape."""

from typing import Any

from guildhall_sdk import Conflict, InvalidRequest, NotFound, Problem, Reply

CONTENT_TYPE = "application/scim+json"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
#: What SCIM calls an error, by our code.
_TYPES = {
    "invalid_filter": "invalidFilter",
    "invalid_json": "invalidSyntax",
    "invalid_path": "invalidPath",
    "invalid_request": "invalidSyntax",
    "invalid_value": "invalidValue",
    "mutability": "mutability",
    "no_target": "noTarget",
    "too_many": "tooMany",
    "uniqueness": "uniqueness",
    "username_taken": "uniqueness",
}


def invalid_value(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, code="invalid_value")


def invalid_filter(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, code="invalid_filter")


def invalid_path(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, code="invalid_path")


def unchangeable(name: str) -> InvalidRequest:
    return InvalidRequest(f"{name} is not yours to change.", code="mutability")


def taken_name(what: str) -> Conflict:
    return Conflict(
        f"Your company has somebody or something with this {what}; look it up by a filter.",
        code="uniqueness",
    )


def nobody() -> NotFound:
    return NotFound("Your company has nothing with this id.")


def error_of(problem: Problem) -> dict[str, Any]:
    """Returns a problem as SCIM writes errors."""
    shown: dict[str, Any] = {"schemas": [ERROR], "status": str(problem.status), "detail": problem.detail}
    if problem.status in (400, 409, 413) and problem.code in _TYPES:
        shown["scimType"] = _TYPES[problem.code]
    return shown


def refusal(problem: Problem) -> Reply:
    return Reply(error_of(problem), problem.status, content_type=CONTENT_TYPE)


def scim_reply(body: Any, status: int = 200, *, location: str = "", etag: str | None = None) -> Reply:
    headers = {"Location": location} if location else {}
    return Reply(body, status, headers=headers, etag=etag, content_type=CONTENT_TYPE)


def list_of(resources: list[Any], total: int, start: int) -> dict[str, Any]:
    """Returns one page of a list; `start` counts from 1."""
    return {
        "schemas": [LIST],
        "totalResults": total,
        "startIndex": start,
        "itemsPerPage": len(resources),
        "Resources": resources,
    }
