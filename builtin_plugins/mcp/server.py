"""One MCP server as this process sees it: a task that keeps a session for ever, and calls of its tools."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from builtin_plugins.mcp.definitions import Listing
from builtin_plugins.mcp.entries import Entry
from builtin_plugins.mcp.losses import CURRENT_ATTEMPT, Attempt, Lost, Pauses, SessionWatch
from builtin_plugins.mcp.messages import TOO_LARGE_WORDS
from guildhall_sdk import Clock, InvalidRequest, Problem, TooManyRequests, UserError
from guildhall_sdk.errors import BadGateway, GatewayTimeout, ToolNeedsApproval, ToolNotReady
from libs.names import foreign_tool_name

if TYPE_CHECKING:
    from builtin_plugins.mcp.session import RemoteResult, Session

MAX_CALLS = 256
#: Of one company: another finds room, however slow the tools are that this one calls.
MAX_CALLS_OF_COMPANY = 64
#: How often a server that says nothing is asked for its tools: one that is frozen is found out.
POLL_SECONDS = 60.0
#: How long that may take.
LIST_SECONDS = 10.0
#: How long a call waits for a session that is being made.
WAIT_SECONDS = 10.0
#: How long a session that its server has forgotten stays for the answers that are on their way.
SETTLE_SECONDS = 2.0
#: How long connecting may take at least, whatever a call may: some fetch their program first.
CONNECT_SECONDS = 60.0
_POLL_GAP_SECONDS = 1.0
#: How often it is asked at most because another process has seen a change.
POLL_SOON_SECONDS = 5.0
_MAX_DETAIL = 500
# Secrets are looked for in no more than that: it is done on the event loop.
_MAX_REFUSAL = 8 * 1024
_log = logging.getLogger("guildhall.mcp")

Status = Literal["connected", "connecting", "down"]


@dataclass(frozen=True, slots=True)
class _Link:
    session: "Session"
    watch: SessionWatch
    calls: "set[asyncio.Future[RemoteResult]]" = field(default_factory=set)

    async def perform(self, attempt: Attempt, tool: str, arguments: Mapping[str, Any]) -> "RemoteResult":
        """Calls the tool in a task of its own, whose context the transport sees."""
        CURRENT_ATTEMPT.set(attempt)
        return await self.session.call(tool, arguments)

    async def settle(self) -> None:
        """Gives calls that a server refuses together the time to hear it, each for itself."""
        if self.calls and self.watch.lost.done() and self.watch.lost.result().forgotten:
            await asyncio.wait(self.calls, timeout=SETTLE_SECONDS)


class McpServer:
    """`listed` is awaited whenever the server was asked for its tools, with whether they are others."""

    def __init__(
        self, entry: Entry, clock: Clock, version: str, listed: Callable[[bool], Awaitable[object]]
    ) -> None:
        self.entry = entry
        self.status: Status = "connecting"
        self.detail: str | None = None
        self.since_ms = clock.now_ms()
        self.protocol: str | None = None
        #: What it offered when it was asked last; None until it has been there once.
        self.listing: Listing | None = None
        self.connections = 0
        self._clock = clock
        self._version = version
        self._listed = listed
        self._link: asyncio.Future[_Link] = asyncio.get_running_loop().create_future()
        self._calls: Counter[str] = Counter()
        self._again_at = 0.0
        self._quiet = False
        self._listed_at = 0.0
        self._poll_timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Keeps a session until it is cancelled; what goes wrong with one leads to the next."""
        loop, pauses, logged = asyncio.get_running_loop(), Pauses(), ""
        while True:
            self._connected_at = loop.time()
            reason = "the session has broken off"
            try:
                await self._hold_session()
            except Exception as error:
                reason = self._reason_of(error)
            was_there = self.status == "connected"
            pause = pauses.after(loop.time() - self._connected_at if was_there else 0.0)
            self._set_status("down", reason)
            self._quiet = not was_there and reason == logged
            if not self._quiet:
                _log.warning("mcp.down", extra={"fields": {"server": self.entry.name, "reason": reason}})
            logged = reason
            self._again_at = loop.time() + pause
            await asyncio.sleep(pause)
            self._set_status("connecting", reason)

    async def _hold_session(self) -> None:
        """Raises why the session is over, unless the SDK keeps that for itself."""
        # The SDK takes a second or two to import; on a thread nobody waits for it.
        await asyncio.to_thread(import_module, "builtin_plugins.mcp.session")
        from builtin_plugins.mcp.session import open_session

        watch = SessionWatch(quiet=self._quiet)
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(self._connect_seconds):
                    opening = open_session(self.entry, watch, self._version)
                    session = await stack.enter_async_context(opening)
                    listing = await session.list_tools()
            except Exception as error:
                raise self._why_not(watch, error) from error
            link = _Link(session, watch)
            self._connected_at = asyncio.get_running_loop().time()
            self.connections += 1
            self.protocol = session.protocol
            self._set_status("connected", None)
            _log.info("mcp.connected", extra={"fields": {"server": self.entry.name}})
            await self._take(listing)
            self._link.set_result(link)
            try:
                await self._watch_session(link)
            except Exception as error:
                lost = self._why_not(watch, error)
                watch.lose(lost)
                raise lost from error
            finally:
                # Before the session is left: whoever waits for an answer learns it now.
                watch.lose(Lost("the session has broken off"))
                self._drop_lost_link()

    @property
    def _connect_seconds(self) -> float:
        return max(CONNECT_SECONDS, self.entry.timeout)

    def _why_not(self, watch: SessionWatch, error: Exception) -> Lost:
        if watch.lost.done():
            return watch.lost.result()
        if isinstance(error, Lost):
            return error
        if isinstance(error, TimeoutError):
            return Lost(f"did not answer within {self._connect_seconds:g} s")
        return Lost(watch.hint or f"cannot be talked to: {_first_words(error)}")

    async def _watch_session(self, link: _Link) -> None:
        """Asks for the tools now and then, and when the server or a call that took too long says so."""
        while True:
            poll = asyncio.ensure_future(link.watch.poll.wait())
            try:
                await _first_of(link.watch.lost, poll, seconds=POLL_SECONDS)
            finally:
                poll.cancel()
            if not link.watch.lost.done():
                link.watch.poll.clear()
                await self._take(await self._list_again(link))
                await _first_of(link.watch.lost, seconds=_POLL_GAP_SECONDS)
            if link.watch.lost.done():
                await link.settle()
                raise link.watch.lost.result()

    async def _list_again(self, link: _Link) -> Listing:
        asked = asyncio.ensure_future(link.session.list_tools())
        try:
            await _first_of(link.watch.lost, asked, seconds=LIST_SECONDS)
            if asked.done():
                return asked.result()
            raise Lost(f"has not answered for {LIST_SECONDS:g} s")
        finally:
            asked.cancel()

    async def _take(self, listing: Listing) -> None:
        changed = listing != self.listing
        self.listing = listing
        self._listed_at = asyncio.get_running_loop().time()
        await self._listed(changed)

    def poll_soon(self) -> None:
        """Asks for the tools: another process may have seen that they are others, or another server's."""
        loop = asyncio.get_running_loop()
        if self._poll_timer is None:
            since = loop.time() - self._listed_at
            self._poll_timer = loop.call_later(max(0.0, POLL_SOON_SECONDS - since), self._poll_now)

    def _poll_now(self) -> None:
        self._poll_timer = None
        if self._link.done():
            self._link.result().watch.poll.set()

    async def call(self, org_id: str, tool: str, digest: str, arguments: Mapping[str, Any]) -> Any:
        """Returns what the tool answers; raises a `Problem`. The tool must still have this digest."""
        if self._calls.total() >= MAX_CALLS or self._calls[org_id] >= MAX_CALLS_OF_COMPANY:
            raise TooManyRequests(
                f"Too many calls of the MCP server {self.entry.name} are under way.",
                headers={"Retry-After": "1"},
            )
        self._calls[org_id] += 1
        try:
            result = await self._called(tool, digest, arguments)
        finally:
            self._calls -= Counter((org_id,))
        try:
            return await asyncio.to_thread(result.value, tool, self.entry.hide_own)
        except RecursionError:
            raise UserError(f"The tool {tool} answered something nested too deeply.") from None

    async def _called(self, tool: str, digest: str, arguments: Mapping[str, Any]) -> "RemoteResult":
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.entry.seconds_of(tool)
        for again in (True, False):
            link = await self._linked(tool, ends - loop.time())
            self._check_same(tool, digest)
            attempt = Attempt()
            try:
                return await self._call(link, attempt, tool, arguments, ends - loop.time())
            except Lost as lost:
                # A server that did not take the call may be asked once more, by a new session.
                if not (again and attempt.untaken):
                    raise self._unavailable(str(lost)) from None
        raise AssertionError

    async def _linked(self, tool: str, seconds: float) -> _Link:
        self._drop_lost_link()
        link, seconds = self._link, min(seconds, WAIT_SECONDS)
        if self.status != "down" or self._again_at - asyncio.get_running_loop().time() < seconds:
            await _first_of(link, seconds=seconds)
        if not link.done():
            raise self.absence(self.name_of(tool))
        return link.result()

    def absence(self, name: str) -> Problem:
        """Returns the refusal of a call while there is no session; `name` is what callers know."""
        # It has neither been there nor failed to be since this process began.
        is_starting = self.listing is None and self.detail is None
        return ToolNotReady(name) if is_starting else self._unavailable("it is down")

    def name_of(self, tool: str) -> str:
        """Returns the name by which agents and teams know a tool of this server."""
        return foreign_tool_name("mcp", self.entry.name, tool)

    def _drop_lost_link(self) -> None:
        """Drops a lost session: who comes now waits for the next, even while this one is being left."""
        if self._link.done() and self._link.result().watch.lost.done():
            self._link = asyncio.get_running_loop().create_future()

    async def _call(
        self, link: _Link, attempt: Attempt, tool: str, arguments: Mapping[str, Any], seconds: float
    ) -> "RemoteResult":
        """Calls in a task of its own: a caller who leaves cancels it there, and the server is notified."""
        from builtin_plugins.mcp.session import AnswerTooLarge, CallRefused

        lost = link.watch.lost
        asked = asyncio.ensure_future(link.perform(attempt, tool, arguments))
        link.calls.add(asked)
        try:
            await _first_of(lost, asked, seconds=seconds)
            if not asked.done() and lost.done() and lost.result().forgotten:
                await _first_of(asked, seconds=min(seconds, SETTLE_SECONDS))
            if not asked.done() and not lost.done():
                link.watch.poll.set()
                raise GatewayTimeout(
                    f"The tool {tool} of the MCP server {self.entry.name} did not answer within"
                    f" {self.entry.seconds_of(tool):g} s.",
                    code="tool_timeout",
                )
            if asked.done() and not asked.cancelled() and asked.exception() is None:
                return asked.result()
            # A session that ends refuses what is under way in many words; its end says it best.
            await _first_of(lost, seconds=0.1)
            if lost.done():
                raise lost.result()
            refusal = None if asked.cancelled() else asked.exception()
            if isinstance(refusal, AnswerTooLarge):
                why = f"The tool {tool} answered too much: {TOO_LARGE_WORDS}; ask it for less."
                raise UserError(why, code="result_too_large")
            if isinstance(refusal, CallRefused):
                said = self.entry.hide_secrets(str(refusal)[:_MAX_REFUSAL])[:_MAX_DETAIL]
                raise UserError(f"The tool {tool} was refused; its server says: {said}", code="tool_failed")
            raise self._unavailable("the call broke off")
        finally:
            link.calls.discard(asked)
            asked.cancel()

    def _check_same(self, tool: str, digest: str) -> None:
        current = None if self.listing is None else self.listing.definitions.get(tool)
        if current is None:
            raise InvalidRequest(
                f"The MCP server {self.entry.name} has no tool {tool} any more.", code="unknown_tool"
            )
        if current.digest != digest:
            raise ToolNeedsApproval(self.name_of(tool))

    def _unavailable(self, reason: str) -> BadGateway:
        detail = f"The MCP server {self.entry.name} is not available: {_public(reason)}."
        return BadGateway(detail, code="tool_unavailable")

    def _reason_of(self, error: Exception) -> str:
        first = _first_of_group(error)
        reason = str(first) if isinstance(first, Lost) else f"cannot be talked to: {_first_words(first)}"
        return self.entry.hide_secrets(reason)[:_MAX_DETAIL]

    def _set_status(self, status: Status, detail: str | None) -> None:
        self.detail = detail
        if status != self.status:
            self.status = status
            self.since_ms = self._clock.now_ms()


async def _first_of(*futures: "asyncio.Future[Any]", seconds: float) -> None:
    """Waits until one is done or the time is over; no cancel scope, as the SDK has its own in these tasks."""
    await asyncio.wait(futures, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)


def _public(reason: str) -> str:
    """Drops what the child wrote: that is for operators."""
    return reason.partition(":")[0]


def _first_of_group(error: BaseException) -> BaseException:
    """Returns the first error: a transport fails in several tasks at once."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _first_words(error: BaseException) -> str:
    first = _first_of_group(error)
    return f"{type(first).__name__}: {first}"[:_MAX_DETAIL]
