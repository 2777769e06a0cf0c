"""Decides what becomes of a new version that triggers match: a run, or why not, such as a spent budget."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from builtin_plugins.triggers import history
from builtin_plugins.triggers.service import OBJECT_ID
from builtin_plugins.triggers.trigger import LIST, Reason, Trigger, sql
from guildhall_sdk import (
    Actor,
    EventCall,
    Forbidden,
    InvalidRequest,
    NotFound,
    Principal,
    Problem,
    Reader,
    Setting,
    TooManyRequests,
    UserError,
    Writer,
)
from guildhall_sdk.dimensions import Quotas, Usage
from guildhall_sdk.errors import FeatureDisabled, PaymentRequired
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.workflows import RunCause, Workflows
from guildhall_sdk.settings import whole
from guildhall_sdk.subscriptions import ObjectWritten

MAX_RUNS: Setting[int] = Setting(
    name="max_runs",
    variable="SERVICE_TRIGGERS_MAX_RUNS",
    help="how many runs may descend from one upload",
    default=1_000,
    parse=whole(1, 1_000_000),
)


DIMENSIONS = ("ai.requests", "ai.tokens.total")
_SHOWN = ("limit", "used", "remaining", "window", "resets_at")


def budget_of(usage: Sequence[Usage]) -> dict[str, dict[str, Any]]:
    """Returns the budget as the API shows it, by dimension."""
    return {
        name: _public(_tightest(one for one in usage if one.dimension == name))
        for name in DIMENSIONS
        if any(one.dimension == name for one in usage)
    }


def is_spent(usage: Sequence[Usage]) -> bool:
    """Tells whether nothing is left of one of them."""
    return any(
        one.dimension in DIMENSIONS and one.limit is not None and one.used >= one.limit for one in usage
    )


def _tightest(usage: Iterable[Usage]) -> Usage:
    return min(usage, key=_left)


def _left(one: Usage) -> tuple[bool, int, bool]:
    """Sorts by what is left: unlimited comes last; of the same the team's own comes first."""
    return one.limit is None, 0 if one.limit is None else max(0, one.limit - one.used), one.level != "team"


def _public(one: Usage) -> dict[str, Any]:
    public = one.public()
    return {name: public[name] for name in _SHOWN}


FEATURE = PLUGIN = "workflows"
RUN = "workflows:run"
#: So many triggers lead to one another at the most: one less than events may.
MAX_CHAIN = 7
TRIGGER_PREFIX = "trg_"
# A full queue is waited for nearly as long as a job may be put off.
_MAX_WAIT_MS = 20 * 3600 * 1000


class _BudgetSpent(Exception):
    """As many runs as may descend from one upload."""


class Standing(NamedTuple):
    """How things stand with whoever wrote the version, and with their team.

    `principal` is None for somebody who left the team. `first_version` is what was uploaded first, and
    `chain` are the triggers that led from there to the version.
    """

    principal: Principal | None
    switched_off: bool
    spent: bool
    first_version: str
    chain: Sequence[str]


async def fire(call: EventCall) -> None:
    """Decides for each trigger that matched, once; one that fails keeps no other from its run."""
    firing = Firing(call)
    triggers = await firing.undecided()
    if not triggers:
        return
    standing = await firing.standing()
    failure: Exception | None = None
    for trigger in triggers:
        try:
            await firing.decide(trigger, standing)
        except Exception as error:
            failure = failure or error
    if failure is not None:
        raise failure


class Firing:
    """The decisions on one version."""

    def __init__(self, call: EventCall) -> None:
        self._call = call
        self._host = call.host
        self._written: ObjectWritten = call.payload
        self._team_id = call.origin.team_id

    @cached_property
    def _workflows(self) -> Workflows:
        return self._host.service(Workflows)

    async def undecided(self) -> list[Trigger]:
        """Returns the triggers that the version matched, but for those that have decided on it before.

        A folder that is made is an object of no bytes with a key that ends as folders do: no upload.
        """
        async with self._host.data.read() as reader:
            if self._written.size == 0 and (await self._key(reader) or "").endswith("/"):
                return []
            ids = self._call.matches
            if ids is None:
                ids = await self._matching_now(reader)
            rows = await reader.all(
                sql.undecided,
                team_id=self._team_id,
                ids=json.dumps(ids),
                version_id=self._written.version_id,
            )
        return [Trigger.of(row) for row in rows]

    async def standing(self) -> Standing:
        origin = self._call.origin
        async with self._host.data.read() as reader:
            try:
                principal = await self._call.job.principal(reader)
            except Forbidden:
                principal = None
            switches = await self._host.service(Features).of_team(reader, self._team_id)
            usage = await self._host.service(Quotas).usage(reader, origin.org_id, self._team_id)
            run_id = self._written.run_id
            chain = () if run_id is None else await self._workflows.chain(reader, self._team_id, run_id)
        triggers = [one for one in chain if one.startswith(TRIGGER_PREFIX)]
        first = next((one for one in chain if one not in triggers), self._written.version_id)
        return Standing(
            principal=principal,
            switched_off=switches.switched_off(PLUGIN, FEATURE) is not None,
            spent=is_spent(usage),
            first_version=first,
            chain=triggers,
        )

    async def decide(self, trigger: Trigger, standing: Standing) -> None:
        """Starts the run and records it in one transaction, or records why not."""
        principal = standing.principal
        reason = self._reason_against(trigger, standing)
        if reason is None and principal is not None:
            reason = await self._start(trigger, principal, standing)
            if reason is None:
                return
        async with self._host.data.write() as writer:
            await history.record(writer, trigger, self._written, reason, self._call.at)
            writer.after_commit(self._tell)

    def _reason_against(self, trigger: Trigger, standing: Standing) -> Reason | None:
        if self._written.derived and not trigger.fire_on_derived:
            return "derived"
        if trigger.id in standing.chain or len(standing.chain) >= MAX_CHAIN:
            return "loop"
        if standing.switched_off:
            return "feature_disabled"
        principal = standing.principal
        if principal is None or not self._written.fires_triggers or not principal.may(RUN):
            return "no_permission"
        return "quota" if standing.spent else None

    async def _start(self, trigger: Trigger, principal: Principal, standing: Standing) -> Reason | None:
        """Returns the reason why the workflow does not start; None where it did, or had started before."""
        actor = Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
        cause = RunCause(
            trigger_id=trigger.id,
            object_id=self._written.object_id,
            version=self._written.number,
            chain=(standing.first_version, *standing.chain, trigger.id),
        )
        try:
            async with self._host.data.write(actor, within=trigger.org_id) as writer:
                fire_id = await history.record(writer, trigger, self._written, None, self._call.at)
                if fire_id is None:
                    return None
                await self._take_from_budget(writer, trigger, standing.first_version)
                inputs = dict(trigger.input)
                slug = trigger.workflow_slug
                if OBJECT_ID in (await self._workflows.declared_inputs(writer, self._team_id, slug) or ()):
                    inputs[OBJECT_ID] = self._written.object_id
                run = await self._workflows.start(writer, principal, slug, inputs, cause=cause)
                await history.set_run(writer, fire_id, run.id)
                writer.after_commit(self._tell)
        except _BudgetSpent:
            return "budget"
        except TooManyRequests:
            if self._host.clock.now_ms() - self._call.at < _MAX_WAIT_MS:
                raise
            return "quota"
        except Problem as refusal:
            reason = _reason_of(refusal)
            if reason is None:
                raise
            return reason
        return None

    @cached_property
    def _tell(self) -> Callable[[], None]:
        return partial(self._host.service(LiveLists).changed, LIST, self._team_id)

    async def _take_from_budget(self, writer: Writer, trigger: Trigger, first_version: str) -> None:
        taken = await writer.one(
            sql.take_from_budget,
            version_id=first_version,
            org_id=trigger.org_id,
            team_id=trigger.team_id,
            now=self._host.clock.now_ms(),
            max_runs=self._host.setting(MAX_RUNS),
        )
        if taken is None:
            raise _BudgetSpent

    async def _key(self, reader: Reader) -> str | None:
        key: str | None = await reader.value(
            sql.key_of, object_id=self._written.object_id, team_id=self._team_id
        )
        return key

    async def _matching_now(self, reader: Reader) -> list[str]:
        """Returns the triggers that match by now, where nobody could tell when the version was written."""
        key = await self._key(reader)
        if key is None:
            return []
        media_type = self._written.content_type.partition(";")[0].strip().lower()
        rows = await reader.all(sql.matching, team_id=self._team_id, key=key, media_type=media_type)
        return [row["trigger_id"] for row in rows]


def _reason_of(refusal: Problem) -> Reason | None:
    match refusal:
        case PaymentRequired():
            return "suspended"
        case NotFound():
            return "workflow_missing"
        case FeatureDisabled():
            return "feature_disabled"
        case Forbidden():
            return "no_permission"
        case InvalidRequest() | UserError():
            return "invalid_input"
    return None
