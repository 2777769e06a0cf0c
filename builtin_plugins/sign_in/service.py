"""Implements the SDK's `SignInWays`: flows through another server, and the end of each."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from builtin_plugins.sign_in import admitting
from builtin_plugins.sign_in.way import Way, find_way, kind_named, sql, with_secrets
from guildhall_sdk import Call, Forbidden, Host, NotFound, Problem, Reader, Reply, Writer
from guildhall_sdk.errors import BadGateway, GatewayTimeout, Unavailable
from guildhall_sdk.services.identity import Credentials, Vault
from guildhall_sdk.services.sign_in import SignInProof, SignInWay
from guildhall_sdk.services.tenancy import User

FLOW, LINK = "sign_in.flow", "sign_in.link"
FLOW_MS = LINK_MS = 10 * 60 * 1000
LINK_COOKIE, ARRIVAL_COOKIE = "gh_link", "gh_arrival"
ARRIVAL_SECONDS = 60
_STATE = re.compile(r"[A-Za-z0-9_-]{43}")
#: A browser takes no more in one cookie.
MAX_COOKIE = 3800
#: Of the sessions here that began by one over there.
MAX_NAMED = 1000
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


class StoredWays:
    """Signs people in by what ways prove of them."""

    def __init__(self, host: Host) -> None:
        self._host = host
        base_url = urlsplit(host.settings.base_url)
        self._is_secure = base_url.scheme == "https"

    async def way(self, reader: Reader, kind: str, way_id: str) -> SignInWay:
        way = await find_way(reader, way_id)
        if way.kind != kind:
            raise NotFound("There is no such way to sign in.")
        return await with_secrets(reader, self._host, way)

    async def begin(
        self, call: Call, way: SignInWay, kept: Mapping[str, str], *, by_form: bool = False
    ) -> tuple[str, str]:
        state = secrets.token_urlsafe(32)
        flow = json.dumps([way.id, state, call.now_ms + FLOW_MS, dict(kept)])
        sealed = call.service(Vault).seal(FLOW, flow)
        return state, self._cookie(_flow_cookie(state), sealed, FLOW_MS // 1000, by_form=by_form)

    async def resume(self, call: Call, way: SignInWay, state: str) -> Mapping[str, str]:
        if _STATE.fullmatch(state) is None:
            raise _state_invalid()
        sealed = self._cookie_of(call, _flow_cookie(state))
        opened = None if sealed is None else call.service(Vault).unseal(FLOW, sealed)
        if opened is None:
            raise _state_invalid()
        way_id, own_state, ends, kept = json.loads(opened)
        if (way_id, own_state) != (way.id, state) or call.now_ms >= ends:
            raise _state_invalid()
        async with call.host.data.write() as writer:
            if not await self.use_once(writer, way, state, ends):
                raise _state_invalid()
        found: Mapping[str, str] = kept
        return found

    async def use_once(self, writer: Writer, way: SignInWay, handle: str, until: int) -> bool:
        await writer.run(sql.forget_used, now=self._host.clock.now_ms())
        digest = hashlib.sha256(f"{way.id}\n{handle}".encode()).hexdigest()
        return await writer.one(sql.use_once, handle=digest, ends_at=until) is not None

    async def finish(self, call: Call, way: SignInWay, proof: SignInProof) -> Reply:
        try:
            async with call.write() as writer:
                begun = await self.admit(call, writer, way.id, proof)
            if isinstance(begun, Problem):
                raise begun
        except Problem as problem:
            reply = self.refuse(call, problem)
            if problem.code != "link_required":
                return reply
            # Only this browser can say by a password that it is the person who is here already.
            cookie = self._link_cookie(call, way, proof)
            return Reply(status=303, headers={**reply.headers, "Set-Cookie": cookie})
        token = str(begun.body["token"])
        reply = self._to_console(f"token={token}")
        return Reply(status=303, headers={**reply.headers, "Set-Cookie": self._arrival_cookie(way, token)})

    def _arrival_cookie(self, way: SignInWay, token: str) -> str:
        """Tells the page that this very browser came in by a way: a link with a token says it of nobody."""
        arrival = f"{way.id}.{hashlib.sha256(token.encode()).hexdigest()}"
        return self._cookie(ARRIVAL_COOKIE, arrival, ARRIVAL_SECONDS, by_page=True)

    def refuse(self, call: Call, problem: Problem) -> Reply:
        code = problem.code if _CODE.fullmatch(problem.code) else "sso_failed"
        if isinstance(problem, BadGateway | GatewayTimeout | Unavailable):
            code = "sso_unavailable"
        return self._to_console(f"error={code}")

    def _to_console(self, said: str) -> Reply:
        """Sends the browser to the console; what is behind a `#` is in no log or Referer."""
        location = f"{self._host.settings.base_url}/login#{said}"
        headers = {"Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
        return Reply(status=303, headers=headers)

    async def with_password(
        self, call: Call, way_id: str, username: str, password: str
    ) -> SignInProof | None:
        async with call.read() as reader:
            way = await find_way(reader, way_id)
            found = kind_named(self._host, way.kind)
            if found is None or found[1].authenticate is None:
                raise NotFound("There is no such way to sign in with a password.")
            opened = await with_secrets(reader, self._host, way)
        owner, kind = found
        assert kind.authenticate is not None
        return await kind.authenticate(self._host.host_of(owner), opened, username, password)

    async def admit(self, call: Call, writer: Writer, way_id: str, proof: SignInProof) -> Reply | Problem:
        return await admitting.admit(call, writer, await find_way(writer, way_id), proof)

    async def check_local(self, call: Call, writer: Writer, user: User) -> None:
        linked = await self._link_proven(call, writer, user)
        if linked:
            return
        rows = await writer.all(sql.required_ways, org_id=user.org_id, limit=50)
        ways = [Way.of(row) for row in rows]
        if ways and not any(user.id in way.admission.break_glass for way in ways):
            raise Forbidden(
                "Your company asks you to sign in by single sign-on; a password does not do.",
                code="sso_required",
            )

    async def _link_proven(self, call: Call, writer: Writer, user: User) -> bool:
        """Ties what this browser proved elsewhere to a person who has just proved who they are here."""
        if not isinstance(call.body, Mapping) or call.body.get("link") is not True:
            return False
        sealed = self._cookie_of(call, LINK_COOKIE)
        opened = None if sealed is None else call.service(Vault).unseal(LINK, sealed)
        if opened is None:
            raise _link_expired()
        way_id, subject, nonce, ends = json.loads(opened)
        way = await find_way(writer, way_id)
        is_ours = way.org_id in (None, user.org_id)
        used = SignInWay(id=way.id, kind=way.kind, org_id=way.org_id, settings={})
        if call.now_ms >= ends or not is_ours or not await self.use_once(writer, used, nonce, ends):
            raise _link_expired()
        await admitting.link(call, writer, way, subject, user)
        return True

    def _link_cookie(self, call: Call, way: SignInWay, proof: SignInProof) -> str:
        proven = json.dumps([way.id, proof.subject, secrets.token_urlsafe(16), call.now_ms + LINK_MS])
        return self._cookie(LINK_COOKIE, call.service(Vault).seal(LINK, proven), LINK_MS // 1000)

    async def end_sessions(
        self, writer: Writer, way: SignInWay, *, subject: str | None, session: str | None
    ) -> None:
        credentials = self._host.service(Credentials)
        user_id: str | None = None
        people: set[str] = set()
        if subject is not None:
            key = (await find_way(writer, way.id)).subject_key(self._host, subject)
            user_id = await writer.value(sql.linked_person, way_id=way.id, subject=key)
            if user_id is None:
                return
        if session is None:
            if user_id is not None:
                people.add(user_id)
                await credentials.end_sessions_of(writer, user_id)
        else:
            named = {"way_id": way.id, "foreign_session": admitting.session_key(session), "user_id": user_id}
            rows = await writer.all(sql.sessions_named, limit=MAX_NAMED, **named)
            people = {row["user_id"] for row in rows}
            for row in rows:
                await credentials.end_own_session(writer, row["user_id"], row["session_id"])
        for one in sorted(people):
            writer.audit("sign_in.signed_out_elsewhere", ("user", one), detail={"way": way.id})

    async def carry(self, writer: Writer, session_id: str, new_id: str) -> None:
        await writer.run(sql.carry_session, session_id=session_id, new_id=new_id)

    def _cookie(
        self, name: str, value: str, seconds: int, *, by_form: bool = False, by_page: bool = False
    ) -> str:
        """Returns a `Set-Cookie` that no page reads but for `by_page`; with https, no neighbour sets it."""
        if len(value) > MAX_COOKIE:
            raise Forbidden("The other side says more of you than can be kept.", code="sso_failed")
        same_site = "None" if by_form and self._is_secure else "Lax"
        rest = f"Max-Age={seconds}; Path=/; {'' if by_page else 'HttpOnly; '}SameSite={same_site}"
        return f"__Host-{name}={value}; {rest}; Secure" if self._is_secure else f"{name}={value}; {rest}"

    def _cookie_of(self, call: Call, name: str) -> str | None:
        wanted = f"__Host-{name}" if self._is_secure else name
        for pair in call.headers.get("cookie", "").split(";"):
            found, _, value = pair.strip().partition("=")
            if found == wanted:
                return value
        return None


def _flow_cookie(state: str) -> str:
    """Names the cookie of one flow: several tabs of a browser sign in beside each other."""
    return f"gh_flow_{hashlib.sha256(state.encode()).hexdigest()[:16]}"


def _state_invalid() -> Forbidden:
    return Forbidden("This sign-in was not begun in this browser, or too long ago.", code="state_invalid")


def _link_expired() -> Forbidden:
    return Forbidden("This took too long; sign in by single sign-on once more.", code="link_expired")
