"""A directory, asked over LDAP: who somebody is, whether their password is right, and their groups.

The library waits for its answers, so that all of this runs on threads.
"""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from builtin_plugins.ldap.settings import DEFAULT_FILTER, NAME, Server
from guildhall_sdk.services.outbound import OutboundFailed

CONNECT_SECONDS = 5
ANSWER_SECONDS = 10
MAX_GROUPS = 500
MAX_DEPTH = 10
_SUBJECTS = ("entryUUID", "objectGUID", "nsUniqueId", "ipaUniqueID")
_NAMES = ("uid", "sAMAccountName", "userPrincipalName", "cn", "displayName", "givenName", "sn", "mail")
_LANGUAGE = "preferredLanguage"


class Entry(NamedTuple):
    """Somebody of a directory: where they stand in it, and their attributes."""

    dn: str
    attributes: Mapping[str, Sequence[bytes]]

    def text(self, name: str) -> str | None:
        """Returns the first value of an attribute."""
        for known, values in self.attributes.items():
            if known.lower() == name.lower() and values:
                return values[0].decode("utf-8", "replace")
        return None

    @property
    def subject(self) -> str:
        """What is theirs for ever: an id of the directory, where it has one, else their place in it."""
        for name in _SUBJECTS:
            for known, values in self.attributes.items():
                if known.lower() == name.lower() and values:
                    raw = values[0]
                    return f"{name}:{raw.hex() if name == 'objectGUID' else raw.decode('utf-8', 'replace')}"
        return f"dn:{self.dn.lower()}"


class Directory:
    """One directory as a company set it up."""

    def __init__(self, server: Server, settings: Mapping[str, Any]) -> None:
        self._server = server
        self._settings = settings

    @contextmanager
    def connected(self, user: str | None, password: str | None) -> Iterator[Any]:
        """Connects and signs in as somebody; the connection tells in `bound` whether that was right."""
        from ldap3 import ANONYMOUS, NONE, SIMPLE, Connection
        from ldap3 import Server as LdapServer
        from ldap3.core.exceptions import LDAPException

        last: Exception | None = None
        for address in self._server.addresses:
            server = LdapServer(
                address,
                port=self._server.port,
                use_ssl=self._server.is_tls,
                tls=self._tls(),
                get_info=NONE,
                connect_timeout=CONNECT_SECONDS,
            )
            connection = Connection(
                server,
                user=user,
                password=password,
                authentication=SIMPLE if user else ANONYMOUS,
                receive_timeout=ANSWER_SECONDS,
                auto_referrals=False,
                read_only=True,
                check_names=False,
                return_empty_attributes=False,
            )
            try:
                connection.open()
                self._encrypt(connection)
                connection.bind()
            except (LDAPException, OSError) as error:
                last = error
                _close(connection)
                continue
            try:
                yield connection
            except (LDAPException, OSError) as error:
                raise _failed(error) from None
            finally:
                _close(connection)
            return
        raise _failed(last)

    def _tls(self) -> Any:
        from ldap3 import Tls

        # Its name is what the certificate must say, as the connection goes to one of its addresses.
        return Tls(
            validate=ssl.CERT_REQUIRED,
            ca_certs_data=self._settings.get("ca"),
            valid_names=[self._server.host],
            sni=self._server.host,
        )

    def _encrypt(self, connection: Any) -> None:
        """Begins TLS where the address does not; only on this machine it goes without."""
        from ldap3.core.exceptions import LDAPException

        if self._server.is_tls:
            return
        try:
            done = connection.start_tls(read_server_info=False)
        except LDAPException:
            if not self._server.is_here:
                raise
            connection.unbind()
            connection.open()
            return
        if not done and not self._server.is_here:
            raise OSError("the server does not offer TLS")

    def find(self, username: str) -> Entry | None:
        """Returns the one entry of a name; None where there is none, or more than one."""
        with self.connected(self._settings.get("bind_dn"), self._settings.get("bind_password")) as connection:
            _check_bound(connection)
            return self._find(connection, username)

    def _find(self, connection: Any, username: str) -> Entry | None:
        from ldap3 import SUBTREE
        from ldap3.utils.conv import escape_filter_chars

        wanted = self._settings.get("user_filter") or DEFAULT_FILTER
        connection.search(
            self._settings["base_dn"],
            wanted.replace(NAME, escape_filter_chars(username)),
            SUBTREE,
            attributes=["*", *_SUBJECTS],
            size_limit=2,
            time_limit=ANSWER_SECONDS,
        )
        found = _entries(connection)
        return found[0] if len(found) == 1 else None

    def sign_in(self, username: str, password: str) -> tuple[Entry, Sequence[str]] | None:
        """Returns somebody with the names of their groups; None where the name or the password is wrong."""
        if not password or "\0" in password or not username:
            return None  # without a password a directory says yes to anybody
        entry = self.find(username)
        if entry is None:
            return None
        with self.connected(entry.dn, password) as connection:
            if not connection.bound:
                return None
        with self.connected(self._settings.get("bind_dn"), self._settings.get("bind_password")) as connection:
            _check_bound(connection)
            return entry, self.groups_of(connection, entry)

    def groups_of(self, connection: Any, entry: Entry) -> Sequence[str]:
        """Returns the names of all groups that somebody is in, those too that hold a group of theirs."""
        from ldap3 import SUBTREE
        from ldap3.utils.conv import escape_filter_chars

        base = self._settings.get("group_base_dn")
        if not base:
            return []
        names: dict[str, None] = {}
        seen = {entry.dn.lower()}
        uid = escape_filter_chars(entry.text("uid") or "")
        level, beside = [entry.dn], f"(memberUid={uid})" if uid else ""
        for _ in range(MAX_DEPTH):
            found: list[Entry] = []
            for dn in level:
                safe = escape_filter_chars(dn)
                wanted = f"(|(member={safe})(uniqueMember={safe}){beside})"
                connection.search(
                    base,
                    wanted,
                    SUBTREE,
                    attributes=["cn"],
                    size_limit=MAX_GROUPS,
                    time_limit=ANSWER_SECONDS,
                )
                found += _entries(connection)
                beside = ""
            level = []
            for group in found:
                if group.dn.lower() not in seen and len(names) < MAX_GROUPS:
                    seen.add(group.dn.lower())
                    level.append(group.dn)
                    names[group.text("cn") or group.dn] = None
            if not level:
                break
        return list(names)

    def count_below(self, connection: Any, base: str) -> int:
        """Counts what is below a place, a hundred at the most; raises where that cannot be read."""
        from ldap3 import SUBTREE

        connection.search(base, "(objectClass=*)", SUBTREE, attributes=["1.1"], size_limit=100)
        if connection.result["result"] not in (0, 4):  # 4: there are more
            raise OutboundFailed(f"The directory answers: {connection.result['description']}.")
        return len(_entries(connection))


def claims_of(entry: Entry, username: str, groups: Sequence[str]) -> dict[str, Any]:
    """Returns what rules and new accounts go by."""
    shown = {name: entry.text(name) for name in (*_NAMES, _LANGUAGE)}
    parts = " ".join(one for one in (shown["givenName"], shown["sn"]) if one)
    claims: dict[str, Any] = {
        "preferred_username": shown["uid"] or shown["sAMAccountName"] or username,
        "name": shown["displayName"] or shown["cn"] or parts,
        "email": shown["mail"],
        "locale": shown[_LANGUAGE],
        "dn": entry.dn,
        "groups": list(groups),
    }
    return {name: value for name, value in claims.items() if value}


def _entries(connection: Any) -> list[Entry]:
    return [
        Entry(one["dn"], one["raw_attributes"])
        for one in connection.response or ()
        if one["type"] == "searchResEntry"
    ]


def _check_bound(connection: Any) -> None:
    if not connection.bound:
        raise OutboundFailed("The directory refuses the account that looks people up: check bind_dn.")


def _close(connection: Any) -> None:
    from ldap3.core.exceptions import LDAPException

    try:
        connection.unbind()
    except (LDAPException, OSError):
        return


def _failed(error: Exception | None) -> OutboundFailed:
    said = str(error).lower()
    if "certificate" in said or "ssl" in said or "tls" in said:
        return OutboundFailed("The directory's certificate is not good for its name, or it offers no TLS.")
    if "timed out" in said or "timeout" in said:
        return OutboundFailed("The directory does not answer in time.", code="outbound_timeout")
    return OutboundFailed("The directory cannot be reached.")
