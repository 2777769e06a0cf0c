"""A message at an address of ours: who sent it, whether it is a repeat, and the run that it starts."""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from builtin_plugins.webhooks.hook import PLUGIN_ID, Hook, hook_sql
from builtin_plugins.webhooks.incoming import HooksIn
from builtin_plugins.webhooks.signatures import check_signature, delivery_key
from builtin_plugins.webhooks.webhook import FEATURE, IN_LIST, list_changed, stop_notice
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Reply,
    TooManyRequests,
    Writer,
    new_id,
)
from guildhall_sdk.errors import FeatureDisabled, InvalidJson
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.services.identity import AuthorityEnded, Credentials
from guildhall_sdk.services.notifications import notify
from guildhall_sdk.services.server import Readiness
from guildhall_sdk.services.workflows import RunCause, RunSummary, Workflows
from libs.fair_slots import BODIES
from libs.rate_limits import RateLimiter
from libs.strict_json import JsonFault, decode_steps

MAX_BODY = 1024 * 1024
PER_MINUTE, BURST = 1_200, 300
#: So many callers of a company wait for the end of their run at once, in each process.
MAX_WAITING = 50
_FORM = "application/x-www-form-urlencoded"
_MAX_FIELDS = 100
_REST = ("org_suspended", "tenant_suspended")


class Message(NamedTuple):
    """What came in: the text of its body, what it says, and the sender's own id of it."""

    text: str
    content: Any
    key: str | None


class Started(NamedTuple):
    """A message that has a run."""

    delivery_id: str
    run_id: str


class Receiver:
    """Takes messages. A message and its run are one transaction: a repeat of it starts nothing."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._rates = RateLimiter(PER_MINUTE, BURST, host.clock)
        self._waiting: dict[str, int] = {}

    @cached_property
    def _workflows(self) -> Workflows:
        return self._host.service(Workflows)

    @cached_property
    def _hooks(self) -> HooksIn:
        return self._host.service(HooksIn)

    async def receive(self, call: Call) -> Reply:
        hook, secret = await self._found(call.params["id"])
        wait = self._rates.take(hook.id)
        if wait is not None:
            headers = {"Retry-After": str(int(wait) + 1)}
            raise TooManyRequests("This address is called too often.", headers=headers)
        raw = b"".join([chunk async for chunk in call.stream()])
        if secret is not None:
            check_signature(hook.scheme, secret, call.headers, raw, call.now_ms // 1000)
        content = await self._content(hook, call.headers, raw)
        if hook.scheme == "slack" and _is_challenge(content):
            return Reply({"challenge": content["challenge"]})
        key = delivery_key(hook.scheme, call.headers, content)
        message = Message(
            raw.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}"), content, key
        )
        started = await self._repeated(hook, key)
        if started is None:
            await self._check_schema(hook, message)
            started = await self.start(hook, message)
        return await self._answer(call, hook, started)

    async def start(self, hook: Hook, message: Message, *, replay_of: str | None = None) -> Started:
        """Starts the workflow with what the message says, as the hook's owner. Not inside a scope."""
        try:
            async with self._host.data.read() as reader:
                principal = await self._owner(reader, hook)
                declared = await self._workflows.declared_inputs(reader, hook.team_id, hook.workflow_slug)
            members = message.content if isinstance(message.content, dict) else {}
            inputs = {name: value for name, value in members.items() if name in (declared or ())}
            return await self._start(hook, principal, message, inputs, replay_of)
        except AuthorityEnded as ended:
            if ended.code in _REST:
                raise ended.problem from None
            await self._stop(hook, ended.code, ended.message)
            raise NotFound() from None
        except PermissionDenied as refusal:
            await self._stop(hook, refusal.code, refusal.detail)
            raise NotFound() from None
        except FeatureDisabled:
            raise NotFound() from None
        except NotFound:
            raise Conflict(
                f"The workflow {hook.workflow_slug} is not there any more.", code="workflow_missing"
            ) from None
        except InvalidRequest as refusal:
            await self._refuse(hook, message, refusal)
            raise

    async def _start(
        self,
        hook: Hook,
        principal: Principal,
        message: Message,
        inputs: Mapping[str, Any],
        replay_of: str | None,
    ) -> Started:
        actor = Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
        async with self._host.data.write(actor, within=hook.org_id) as writer:
            delivery_id = await self._store(writer, hook, message, replay_of=replay_of)
            if delivery_id is not None:
                cause = RunCause(trigger_id=hook.id)
                run = await self._workflows.start(writer, principal, hook.workflow_slug, inputs, cause=cause)
                await writer.run(hook_sql.set_run, id=delivery_id, run_id=run.id)
                await writer.run(hook_sql.touch, id=hook.id, now=self._host.clock.now_ms())
                return Started(delivery_id, run.id)
        # The same message came twice at once, and the other was first.
        repeated = await self._repeated(hook, message.key)
        if repeated is None:
            raise Conflict("The same message is being taken. Send it again.", code="delivery_under_way")
        return repeated

    async def _store(
        self,
        writer: Writer,
        hook: Hook,
        message: Message,
        *,
        replay_of: str | None = None,
        error: str | None = None,
    ) -> str | None:
        """Stores a message; returns None for one that is there."""
        now = self._host.clock.now_ms()
        row = await writer.one(
            hook_sql.add_delivery,
            id=new_id("hkd", now),
            hook_id=hook.id,
            org_id=hook.org_id,
            team_id=hook.team_id,
            delivery_key=None if replay_of or error else message.key,
            state="started" if error is None else "refused",
            body=message.text,
            run_id=None,
            replay_of=replay_of,
            error=error,
            created_at=now,
        )
        list_changed(self._host, writer, IN_LIST, hook.team_id)
        return None if row is None else str(row["id"])

    async def _found(self, hook_id: str) -> tuple[Hook, str | None]:
        """Returns an address that is on, with its secret; raises `NotFound` for any other."""
        async with self._host.data.read() as reader:
            row = await reader.one(hook_sql.by_address, id=hook_id)
            if row is None or not (hook := Hook.of(row)).goes_on:
                raise NotFound()
            switches = await self._host.service(Features).of_team(reader, hook.team_id)
            if switches.switched_off(PLUGIN_ID, FEATURE) is not None:
                raise NotFound()
            secret = None if hook.scheme == "none" else await self._hooks.secret_of(reader, hook)
        if hook.scheme != "none" and secret is None:
            raise NotFound()
        return hook, secret

    async def _content(self, hook: Hook, headers: Mapping[str, str], raw: bytes) -> Any:
        """Returns what a body says, read in turn with other companies; a form is an object of texts."""
        if headers.get("content-type", "").partition(";")[0].strip().lower() == _FORM:
            return await BODIES.run(hook.org_id, form_of, raw)
        try:
            return await BODIES.run_steps(hook.org_id, decode_steps(raw))
        except JsonFault as fault:
            raise InvalidJson(fault.detail, errors=fault.errors) from None

    async def _check_schema(self, hook: Hook, message: Message) -> None:
        if hook.schema is None:
            return
        schema = await self._host.service(JsonSchemas).admit(hook.org_id, hook.schema)
        problems = await schema.problems(message.content)
        if problems:
            refusal = InvalidRequest(f"The body does not fit the schema: {problems[0]}")
            refusal.errors = tuple({"pointer": "", "message": one} for one in problems[:20])
            await self._refuse(hook, message, refusal)
            raise refusal

    async def _owner(self, reader: Reader, hook: Hook) -> Principal:
        return await self._host.service(Credentials).reauthorize(
            reader,
            user_id=hook.owner_id,
            team_id=hook.team_id,
            scope=hook.scope,
            asked_with=hook.made_with,
        )

    async def _repeated(self, hook: Hook, key: str | None) -> Started | None:
        if key is None:
            return None
        async with self._host.data.read() as reader:
            row = await reader.one(hook_sql.by_key, hook_id=hook.id, delivery_key=key)
        return None if row is None else Started(row["id"], row["run_id"])

    async def _answer(self, call: Call, hook: Hook, started: Started) -> Reply:
        """Answers with the run's output where the sender waits for it and it comes in time."""
        accepted = Reply({"delivery_id": started.delivery_id, "run_id": started.run_id}, 202)
        waiting = self._waiting.get(hook.org_id, 0)
        if not hook.wait_seconds or waiting >= MAX_WAITING:
            return accepted
        self._waiting[hook.org_id] = waiting + 1
        try:
            run = await self._run_ended(call, hook, started.run_id)
        finally:
            self._waiting[hook.org_id] -= 1
            if not self._waiting[hook.org_id]:
                del self._waiting[hook.org_id]
        if run is None or run.state != "succeeded":
            return accepted
        try:
            async with self._host.data.read() as reader:
                principal = await self._owner(reader, hook)
                return Reply((await self._workflows.read(reader, principal, run.id))["output"])
        except (AuthorityEnded, Problem):
            return accepted

    async def _run_ended(self, call: Call, hook: Hook, run_id: str) -> RunSummary | None:
        """Returns the run when it ends; None where the sender leaves, or the server is about to."""
        ending = asyncio.ensure_future(self._workflows.wait_for_end(hook.team_id, run_id, hook.wait_seconds))
        others = [
            asyncio.ensure_future(call.hung_up()),
            asyncio.ensure_future(call.service(Readiness).until_stopping()),
        ]
        try:
            await asyncio.wait({ending, *others}, return_when=asyncio.FIRST_COMPLETED)
            return await ending if ending.done() else None
        finally:
            for task in (ending, *others):
                task.cancel()

    async def _refuse(self, hook: Hook, message: Message, refusal: Problem) -> None:
        """Records what started nothing; the same message may come again."""
        async with self._host.data.write(_system(hook)) as writer:
            await self._store(writer, hook, message, error=refusal.detail[:500])

    async def _stop(self, hook: Hook, code: str, message: str) -> None:
        now = self._host.clock.now_ms()
        async with self._host.data.write(_system(hook)) as writer:
            await writer.run(hook_sql.stop, id=hook.id, code=code, message=message, at=now)
            writer.audit("hook_in.stopped", ("hook_in", hook.id), detail={"code": code})
            list_changed(self._host, writer, IN_LIST, hook.team_id)
            await notify(self._host, writer, stop_notice(hook, hook.workflow_slug, "/webhooks/in", now))


def _system(hook: Hook) -> Actor:
    return Actor("system", org_id=hook.org_id, team_id=hook.team_id)


def _is_challenge(content: Any) -> bool:
    """Tells whether Slack asks whose address this is, as it does when one enters it there."""
    is_one = isinstance(content, dict) and content.get("type") == "url_verification"
    return is_one and isinstance(content.get("challenge"), str)


def form_of(raw: bytes) -> dict[str, str]:
    """Returns the fields of a form."""
    try:
        fields = parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise InvalidRequest(f"The form is none in UTF-8 with at most {_MAX_FIELDS} fields.") from None
    return dict(fields)
