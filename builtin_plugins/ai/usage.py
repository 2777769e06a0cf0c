"""The book of who used which model with what credential, and how long it is kept."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from guildhall_sdk import Host, Principal, Reader, Row, Statement, Writer, load_queries, rfc3339
from guildhall_sdk.dimensions import UsageBy, UsageLine
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.identity import Credentials

sql = load_queries(Path(__file__).with_name("queries.sql"))

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
# What is older than the first is put together by the second; the third finds it.
_FOLDS = ((2 * DAY_MS, HOUR_MS, sql.unfolded_hours), (35 * DAY_MS, DAY_MS, sql.unfolded_days))
_FOLD_SECONDS = 6 * 3600.0
_ROWS_AT_ONCE = 10_000
_TOKENS_REMEMBERED = 10_000
_EVER, _NEVER = 0, 2**62
_USAGE = {
    "user": sql.usage_by_user,
    "model": sql.usage_by_model,
    "token": sql.usage_by_token,
    "day": sql.usage_by_day,
}
_OWN_USAGE = {
    "user": sql.own_usage_by_user,
    "model": sql.own_usage_by_model,
    "token": sql.own_usage_by_token,
    "day": sql.own_usage_by_day,
}

old_usage_sql = load_queries(Path(__file__).with_name("retention.sql"))
KEEP_USAGE_DAYS = days_setting(
    "keep_usage_days", what="records of who used models", default=730, variable="SERVICE_KEEP_USAGE_DAYS"
)


class UsageBook:
    """Adds up what is used, and says who used it. Implements the SDK's `UsageReports`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._named: dict[str, None] = {}

    async def add(
        self,
        writer: Writer,
        principal: Principal,
        model: str,
        *,
        requests: int,
        tokens: int,
        at_ms: int | None = None,
    ) -> None:
        """Adds to the caller's line, in the transaction that counts the same in the quotas.

        `at_ms` is when it was reserved, which is where those count it however long it lasts.
        """
        at = self._host.clock.now_ms() if at_ms is None else at_ms
        await writer.run(
            sql.add_usage,
            team_id=principal.team_id,
            at=at,
            user_id=principal.user_id,
            model=model,
            credential=await self._credential(writer, principal),
            requests=requests,
            tokens=tokens,
        )

    async def lines(
        self,
        reader: Reader,
        team_id: str,
        by: UsageBy,
        *,
        user_id: str | None = None,
        since: int | None = None,
        until: int | None = None,
        after: str | None = None,
        limit: int,
    ) -> Sequence[UsageLine]:
        whose = {} if user_id is None else {"user_id": user_id}
        since, until = _EVER if since is None else since, _NEVER if until is None else until
        rows = await reader.all(
            (_OWN_USAGE if whose else _USAGE)[by],
            team_id=team_id,
            **whose,
            since=since,
            until=until,
            **_whole_days(since, until),
            after=after or "",
            limit=limit,
        )
        return [UsageLine(row["id"], _name(by, row), row["requests"], row["tokens"]) for row in rows]

    async def fold(self) -> None:
        """Puts together what is old: the sums stay, and the rows are few."""
        now = self._host.clock.now_ms()
        for age, length, unfolded in _FOLDS:
            until = now - age
            until -= until % length
            while await self._fold_some(until, length, unfolded):
                pass

    async def _fold_some(self, until: int, length: int, unfolded: Statement) -> bool:
        async with self._host.data.read() as reader:
            periods = await reader.all(unfolded, until=until, limit=_ROWS_AT_ONCE)
        for period in periods:
            async with self._host.data.write() as writer:
                await _fold_period(writer, period["team_id"], period["start"], length)
        return bool(periods)

    async def _credential(self, writer: Writer, principal: Principal) -> str:
        """Returns an API token's id, also where a job acts for it; else the kind, as sessions come and go."""
        credential = principal.credential
        if credential.kind == "job" and credential.id and credential.made_with is None:
            return "session"  # of whoever asked for the job, having signed in
        token_id = credential.id if credential.kind == "api" else credential.made_with
        if token_id is None or credential.kind not in ("api", "job"):
            return credential.kind
        if token_id in self._named:
            return token_id
        if await writer.value(sql.used_token, id=token_id, team_id=principal.team_id) is None:
            token = await self._host.service(Credentials).api_token(writer, principal.team_id, token_id)
            if token is None:  # it was revoked before its first use was over, or was none
                return token_id if credential.kind == "api" else credential.kind
            await writer.run(sql.name_token, id=token_id, team_id=principal.team_id, name=token.name)
        writer.after_commit(lambda: self._remember(token_id))
        return token_id

    def _remember(self, token_id: str) -> None:
        self._named[token_id] = None
        while len(self._named) > _TOKENS_REMEMBERED:
            del self._named[next(iter(self._named))]


def _whole_days(since: int, until: int) -> Mapping[str, int]:
    """Returns where the whole days of a time begin and end; without any, both at its end."""
    first, last = -(-since // DAY_MS) * DAY_MS, until // DAY_MS * DAY_MS
    return {"first_day": first, "last_day": last} if first < last else {"first_day": until, "last_day": until}


def _name(by: UsageBy, row: Row) -> str:
    """Returns what people call it; a day is called by its date."""
    if by == "day":
        return rfc3339(int(row["id"])).partition("T")[0]
    return str(row["name"] or row["id"])


async def fold_repeatedly(host: Host) -> None:
    """Folds now and then, as long as the server runs."""
    while True:
        await host.service(UsageBook).fold()
        await asyncio.sleep(_FOLD_SECONDS)


async def _fold_period(writer: Writer, team_id: str, start: int, length: int) -> None:
    taken = await writer.all(sql.take_period, team_id=team_id, start=start, length=length)
    requests: Counter[tuple[str, str, str]] = Counter()
    tokens: Counter[tuple[str, str, str]] = Counter()
    for row in taken:
        key = (row["user_id"], row["model"], row["credential"])
        requests[key] += row["requests"]
        tokens[key] += row["tokens"]
    for key in sorted(requests):
        user_id, model, credential = key
        await writer.run(
            sql.add_usage,
            team_id=team_id,
            at=start,
            user_id=user_id,
            model=model,
            credential=credential,
            requests=requests[key],
            tokens=tokens[key],
        )


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(old_usage_sql.count, before=_day_of(before)))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    """Throws some away; the sums of their days follow."""
    return len(await writer.all(old_usage_sql.delete, before=_day_of(before), limit=limit))


def _day_of(before: int) -> int:
    """Returns when a day began: they go whole, as what is put together by the day stands at its beginning."""
    return before - before % DAY_MS


OLD_USAGE = Retained(
    name="usage",
    title="who used which model with what credential, by the day",
    keep_days=KEEP_USAGE_DAYS,
    count=_count,
    delete_expired=_delete_old,
)
