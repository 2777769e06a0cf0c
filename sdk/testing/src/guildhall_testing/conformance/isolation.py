"""Between companies and teams: nothing of the one reaches the other, and nothing tells that it exists."""

from collections.abc import Sequence

from guildhall_sdk import Auth, Factory
from guildhall_testing.client import Client
from guildhall_testing.conformance.failure import ConformanceFailure
from guildhall_testing.conformance.samples import (
    fill,
    make_ids,
    mixes,
    never_existed,
    new_canary,
    parameters_of,
)
from guildhall_testing.conformance.trial import SILENCE_SECONDS, Answer, Trial
from guildhall_testing.people import Company, Team
from kernel.registry import BoundRoute

# A connection is closed after its thousandth request, whatever that is about.
_VARYING = frozenset({"connection", "content-length", "date"})
_MAX_PAGES = 50


async def foreign_ids(trial: Trial) -> None:
    """Checks that every mix of own and foreign ids is 404, as if it never existed, and changes nothing."""
    acme, globex = trial.hall.acme, trial.hall.globex
    canary = new_canary()
    maker = await trial.maker(acme)
    victim = await make_ids(trial.parameters, maker, canary)
    await _check_canary(trial, maker, victim, canary)
    strangers: list[Team] = [globex]
    if trial.row.auth is Auth.BEARER and not (trial.row.permission or "").startswith("org:"):
        strangers.append(acme.second_team)
    for team in strangers:
        stranger = await _stranger(trial, team)
        own = await make_ids(trial.parameters, await trial.maker(team), new_canary())
        async with trial.nothing_changes():
            for mix in mixes(trial.parameters):
                await _try_mix(trial, stranger, mix, victim=victim, own=own, canary=canary)


async def _stranger(trial: Trial, team: Team | Company) -> Client:
    """Returns a client with every right in their own place; an operator is at home everywhere."""
    if trial.for_operators_alone:
        return await trial.caller(team, permitted=False)
    maker = await trial.maker(team)
    return maker if trial.may(maker) else await trial.caller(team)


async def _try_mix(
    trial: Trial,
    stranger: Client,
    mix: Sequence[bool],
    *,
    victim: Sequence[str],
    own: Sequence[str],
    canary: str,
) -> None:
    theirs = [v if foreign else o for foreign, v, o in zip(mix, victim, own, strict=True)]
    nobodys = [never_existed(v) if foreign else o for foreign, v, o in zip(mix, victim, own, strict=True)]
    sent = {"X-Request-Id": "the-same-for-both"}
    answer = await trial.call(stranger, fill(trial.row.path, theirs), headers=sent)
    if canary in answer.text:
        raise ConformanceFailure(f"{answer}: what it holds reached somebody of another tenant")
    if trial.may(stranger):
        answer.expect(404, "not_found")
    else:
        answer.expect(403, "permission_denied")
    absent = await trial.call(stranger, fill(trial.row.path, nobodys), headers=sent)
    if _comparable(answer, theirs) != _comparable(absent, nobodys):
        raise ConformanceFailure(f"{answer}, but {absent}: the difference tells that the first one exists")


def _comparable(answer: Answer, ids: Sequence[str]) -> tuple[object, ...]:
    body = answer.response.text
    for one in ids:
        body = body.replace(one, "‹id›")
    headers = sorted(
        (name, value) for name, value in answer.response.headers.multi_items() if name not in _VARYING
    )
    return answer.status, body, headers


async def _check_canary(trial: Trial, maker: Client, victim: Sequence[str], canary: str) -> None:
    """Checks that the maker can read the canary: else not finding it elsewhere would prove nothing."""
    for depth, parameter in enumerate(trial.parameters, start=1):
        key = ("canary", parameter.at)
        if not parameter.tenant or key in trial.hall.cache:
            continue
        readable = _readable_above(trial, parameter.at)
        seen = [await _shows(maker, fill(row.row.path, victim[:depth]), canary) for row in readable]
        if readable and not any(seen):
            rows = ", ".join(row.name for row in readable)
            raise ConformanceFailure(
                f"the factory for {parameter.at} puts its canary nowhere that its maker reads by {rows}"
            )
        trial.hall.cache[key] = True


def _readable_above(trial: Trial, at: str) -> list[BoundRoute]:
    """Returns the rows that read the resource itself, or the lists it stands in."""
    paths, path = [], at
    while path.count("/") > 1:
        paths.append(path)
        path = path.rpartition("/")[0]
    rows = trial.hall.registry.routes()
    return [row for path in paths for row in rows if row.row.method == "GET" and row.row.path == path]


async def _shows(client: Client, path: str, text: str) -> bool:
    """Tells whether a resource, or any page of a list, holds a text."""
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        params = {"limit": "200", **({"cursor": cursor} if cursor else {})}
        response = await client.get(path, params=params, silence_seconds=SILENCE_SECONDS)
        if text in response.text + str(response.headers.multi_items()):
            return True
        page = response.json() if "json" in response.headers.get("content-type", "") else None
        cursor = page.get("next_cursor") if isinstance(page, dict) else None
        if not cursor:
            break
    return False


async def foreign_data(trial: Trial) -> None:
    """Checks that no page that a caller of another company reads holds anything of this one."""
    canary = await _planted(trial)
    reader, path = await trial.owner_of_path(trial.hall.globex)
    if await _shows(reader, path, canary):
        raise ConformanceFailure(f"GET {path} shows what another company wrote")


async def _planted(trial: Trial) -> str:
    """Plants a canary in one resource of every kind that acme can have, once per hall."""
    cache = trial.hall.cache
    if "planted" not in cache:
        canary = new_canary()
        maker = await trial.hall.join(trial.hall.acme, "owner", org_role="org_owner")
        for factory in trial.hall.registry.declared(Factory):
            if factory.tenant:
                parameters = parameters_of(factory.at, trial.hall.registry.declared(Factory))
                await make_ids(parameters, maker, canary)
        cache["planted"] = canary
    planted: str = cache["planted"]
    return planted
