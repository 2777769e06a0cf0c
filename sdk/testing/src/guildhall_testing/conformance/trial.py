"""The bench that one case works at: callers, ids, calls, and what every answer must carry."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx

from guildhall_sdk import Auth, Body, Factory, Route
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES
from guildhall_testing.client import Client
from guildhall_testing.conformance.failure import ConformanceFailure
from guildhall_testing.conformance.samples import PathParameter, example_body, fill, make_ids, parameters_of
from guildhall_testing.conformance.state import Snapshot
from guildhall_testing.hall import Hall
from guildhall_testing.people import Company, Team
from guildhall_testing.watch import PROBLEM
from kernel.rbac import DeclaredRoles
from kernel.registry import BoundRoute

# Of a picture a browser keeps a copy of its own, and asks by its tag whether the caller may still see it.
_ASKED_EACH_TIME = "private, no-cache"
_ON_EVERY_ANSWER = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
# An event stream may have no end: what comes until it falls silent for so long is its answer.
SILENCE_SECONDS = 0.25
_PROBLEM_FIELDS = ("type", "title", "status", "detail", "code", "request_id")


@dataclass
class Answer:
    """A response, and how to speak of it."""

    call: str
    response: httpx.Response

    @property
    def status(self) -> int:
        return self.response.status_code

    @cached_property
    def problem(self) -> Mapping[str, Any]:
        return self.response.json() if PROBLEM in self.response.headers.get("content-type", "") else {}

    @property
    def text(self) -> str:
        """All that the caller gets to see."""
        return self.response.text + str(self.response.headers.multi_items())

    def expect(self, status: int, code: str | None = None, **members: Any) -> None:
        if self.status != status or (code is not None and self.problem.get("code") != code):
            wanted = f"{status}{f' {code}' if code else ''}"
            raise ConformanceFailure(f"{self} where {wanted} was due")
        for name, value in members.items():
            if self.problem.get(name) != value:
                raise ConformanceFailure(f"{self} whose {name!r} should be {value!r}")

    def expect_at(self, pointer: str) -> None:
        """Checks that the answer refuses this place as the caller's fault."""
        self.expect(400)
        places = [error["pointer"] for error in self.problem.get("errors", ())]
        if not any(place == pointer or place.startswith(f"{pointer}/") for place in places):
            raise ConformanceFailure(f"{self} which names {places} and not {pointer!r}")

    def __str__(self) -> str:
        text = self.response.text
        return f"{self.call} answered {self.status} {text[:300]}{'…' if len(text) > 300 else ''}"


class Trial:
    """One row under test in one hall."""

    def __init__(self, hall: Hall, bound: BoundRoute) -> None:
        self.hall = hall
        self.bound = bound
        self.row: Route = bound.row

    @cached_property
    def parameters(self) -> list[PathParameter]:
        return parameters_of(self.row.path, self.hall.registry.declared(Factory))

    @property
    def reads(self) -> bool:
        return self.row.method in ("GET", "OPTIONS")

    async def caller(self, team: Team | Company, *, permitted: bool = True, fresh: bool = False) -> Client:
        """Returns a client of this team who may call the row, or who lacks just its permission."""
        if self.row.auth in (Auth.PUBLIC, Auth.PROVISION):
            return self._nobody()
        standing = _may if permitted else _may_not
        role, org_role, operator = standing(self.hall.server.roles, self.row.permission)
        return await self._standing(team, role, org_role, operator, fresh=fresh)

    def _nobody(self) -> Client:
        """Returns the client for what is not for people: anybody, or the host."""
        return self.hall.host if self.row.auth is Auth.PROVISION else self.hall.anonymous

    async def maker(self, team: Team | Company) -> Client:
        """Returns a client of this team who makes what the row is called on, and may call it if possible."""
        roles = [one.factory.role for one in self.parameters if one.factory is not None]
        role = next((role for role in roles if role != "owner"), "owner")
        return await self._standing(team, role, "org_owner", self.for_operators_alone)

    @property
    def for_operators_alone(self) -> bool:
        """Whether no role holds the row's permission."""
        _, _, operator = _may(self.hall.server.roles, self.row.permission)
        return operator

    async def _standing(
        self, team: Team, role: str, org_role: str | None, operator: bool, *, fresh: bool = False
    ) -> Client:
        if fresh:
            return await self.hall.join(team, role, org_role=org_role, operator=operator)
        key = ("standing", team.id, role, org_role, operator)
        if key not in self.hall.cache:
            self.hall.cache[key] = await self.hall.join(team, role, org_role=org_role, operator=operator)
        standing: Client = self.hall.cache[key]
        return standing

    def example_query(self) -> Mapping[str, str] | None:
        """Returns the examples of the row's parameters; those without one are left out."""
        given = {name: schema.get("examples") for name, schema in (self.row.query or {}).items()}
        return {name: str(examples[0]) for name, examples in given.items() if examples} or None

    def may(self, client: Client) -> bool:
        person = client.person
        held = self.hall.server.roles.effective(person.role, person.org_role, person.operator, None)
        return self.row.permission is None or self.row.permission in held

    async def owner_of_path(self, team: Team | Company, canary: str = "sample") -> tuple[Client, str]:
        """Returns a path with ids of this team, and the caller to use it: its maker, or else who may."""
        maker = await self.maker(team)
        path = fill(self.row.path, await make_ids(self.parameters, maker, canary))
        if self.row.auth in (Auth.PUBLIC, Auth.PROVISION):
            return self._nobody(), path
        return (maker if self.may(maker) else await self.caller(team)), path

    async def call(
        self,
        caller: Client,
        path: str,
        *,
        content: bytes | None = None,
        json: Any = None,
        method: str | None = None,
        **more: Any,
    ) -> Answer:
        """Calls the row, with its own examples where no body or query is given."""
        method = method or self.row.method
        if self.reads:
            more.setdefault("params", self.example_query())
        if content is None and json is None and not self.reads:
            if self.row.body_kind is not Body.JSON:
                content = b"raw"
            else:
                json = example_body(self.row)
        if self.row.refusal is not None:
            more["headers"] = {"Accept": PROBLEM, **(more.get("headers") or {})}
        response = await caller.request(
            method, path, json, content=content, silence_seconds=SILENCE_SECONDS, **more
        )
        answer = Answer(f"{method} {path}", response)
        self._check_envelope(answer)
        return answer

    def _check_envelope(self, answer: Answer) -> None:
        headers = answer.response.headers
        wanted = dict(_ON_EVERY_ANSWER)
        if self.row.auth is not Auth.PUBLIC:
            wanted |= {"cache-control": "private, no-store", "vary": "Authorization"}
            if "etag" in headers and headers.get("cache-control") == _ASKED_EACH_TIME:
                del wanted["cache-control"]
        for name, value in wanted.items():
            if headers.get(name) != value:
                raise ConformanceFailure(f"{answer} with {name}: {headers.get(name)!r}, not {value!r}")
        if not headers.get("x-request-id") or "content-security-policy" not in headers:
            raise ConformanceFailure(f"{answer} without X-Request-Id or Content-Security-Policy")
        if answer.status >= 500:
            raise ConformanceFailure(f"{answer}: nothing that a caller sends gives a 5xx")
        if answer.status >= 400:
            self._check_problem(answer)

    @staticmethod
    def _check_problem(answer: Answer) -> None:
        missing = [name for name in _PROBLEM_FIELDS if name not in answer.problem]
        if missing:
            raise ConformanceFailure(f"{answer} which is no problem+json: {', '.join(missing)} missing")
        if answer.problem["status"] != answer.status:
            raise ConformanceFailure(f"{answer} whose status member differs")
        if answer.problem["request_id"] != answer.response.headers["x-request-id"]:
            raise ConformanceFailure(f"{answer} whose request_id is not that of its header")

    @asynccontextmanager
    async def nothing_changes(self, *, but: Collection[str] = ()) -> AsyncIterator[None]:
        await self.hall.drain_jobs()  # what was made for the trial may have brought some
        # Nothing else comes due meanwhile.
        with self.hall.clock.stopped(), Snapshot(self.hall.server.data) as before:
            yield
            changes = await before.changes(but=but)
        if changes is not None:
            raise ConformanceFailure(f"refused calls changed the database: {changes}")


def _may(roles: DeclaredRoles, permission: str | None) -> tuple[str, str | None, bool]:
    """Returns the role, company role and operator flag of somebody who holds a permission."""
    for role in ("owner", *TEAM_ROLES):
        if permission is None or permission in roles.held_by(role):
            return role, None, False
    for org_role in reversed(ORG_ROLES):
        if permission in roles.held_by(org_role):
            return "owner", org_role, False
    return "owner", None, True


def _may_not(roles: DeclaredRoles, permission: str | None) -> tuple[str, str | None, bool]:
    """Returns the highest roles that somebody can have without holding a permission."""
    ranked: Sequence[str] = ("owner", "member", "viewer", "worker")
    role = next(role for role in ranked if permission not in roles.held_by(role))
    org_role = None if permission in roles.held_by("org_reader") else "org_reader"
    return role, org_role, False
