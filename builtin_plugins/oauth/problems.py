"""What OAuth calls an error, in its own form and in ours."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Problem, UserError

# Of refusals that the server itself makes, by their status.
_BY_STATUS = {429: "temporarily_unavailable", 500: "server_error", 503: "temporarily_unavailable"}


class OAuthRefused(UserError, code="oauth_refused", title="The app's request does not hold"):
    """Raised with one of OAuth's own words for what is wrong."""

    def __init__(self, error: str, detail: str) -> None:
        super().__init__(detail)
        self.error = error


def refusal(problem: Problem) -> Mapping[str, Any]:
    """Returns the members that clients of OAuth look for in a refusal."""
    error = problem.error if isinstance(problem, OAuthRefused) else None
    error = error or _BY_STATUS.get(problem.status, "invalid_request")
    return {"error": error, "error_description": problem.detail}
