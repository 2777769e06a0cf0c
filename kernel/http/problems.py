"""Refusals as RFC 9457 problem documents."""

from typing import Any

from guildhall_sdk import Problem, Reply


def problem_reply(problem: Problem, request_id: str) -> Reply:
    body: dict[str, Any] = {
        "type": "about:blank" if problem.code == "internal" else f"urn:guildhall:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
        **problem.extras,
    }
    if problem.errors:
        body["errors"] = [dict(error) for error in problem.errors]
    return Reply(body, problem.status, headers=problem.headers, content_type="application/problem+json")


def internal_error() -> Problem:
    return Problem("Something went wrong here; the log holds the details under this request id.")
