"""Companies, teams and people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Call
from guildhall_sdk.data import Reader, Writer

PersonStatus = Literal["active", "invited", "suspended"]
PERSON_STATUSES: tuple[PersonStatus, ...] = ("active", "invited", "suspended")


def status_of(*, suspended_at: int | None, has_password: bool) -> PersonStatus:
    """Returns how a person stands: `invited` lasts until they have a password, or another way in."""
    if suspended_at is not None:
        return "suspended"
    return "active" if has_password else "invited"


@dataclass(frozen=True, slots=True)
class Org:
    """A company."""

    id: str
    slug: str
    name: str
    plan: str
    domain: str | None
    suspended_at: int | None
    created_at: int

    def public(self) -> dict[str, Any]:
        """Returns the company as the API shows it."""
        return {"id": self.id, "slug": self.slug, "name": self.name}


@dataclass(frozen=True, slots=True)
class Team:
    """A team of a company."""

    id: str
    org_id: str
    slug: str
    name: str
    created_at: int

    def public(self) -> dict[str, Any]:
        """Returns the team as the API shows it."""
        return {"id": self.id, "slug": self.slug, "name": self.name}


@dataclass(frozen=True, slots=True)
class User:
    """A person of the instance."""

    id: str
    org_id: str
    username: str
    display_name: str
    locale: str
    operator: bool
    org_role: str | None
    two_factor: bool
    created_at: int
    has_password: bool = True
    suspended_at: int | None = None
    removed_at: int | None = None
    last_seen_at: int | None = None

    @property
    def status(self) -> PersonStatus:
        """How the person stands."""
        return status_of(suspended_at=self.suspended_at, has_password=self.has_password)

    def public(self) -> dict[str, Any]:
        """Returns the person as the API shows them."""
        shown = ("id", "username", "display_name", "locale", "two_factor")
        return {name: getattr(self, name) for name in shown}


@dataclass(frozen=True, slots=True)
class Member:
    """A person in a team."""

    user_id: str
    username: str
    display_name: str
    role: str
    status: PersonStatus = "active"
    last_seen_at: int | None = None

    def public(self) -> dict[str, Any]:
        """Returns the member as the API shows them."""
        return {name: getattr(self, name) for name in ("user_id", "username", "display_name", "role")}


class Colleague(NamedTuple):
    """A person of a company, with their teams and the role in each."""

    user: User
    teams: Sequence[tuple[Team, str]]


class People(Protocol):
    """Changes who of the caller's company is where, with all that hangs on it: jobs, events, the trail."""

    async def set_suspended(self, call: Call, writer: Writer, user_id: str, suspended: bool) -> bool:
        """Suspends a person or lets them in again; returns whether that changed anything."""

    async def remove(self, call: Call, writer: Writer, user_id: str) -> None:
        """Removes a person from the company and all its teams; what they hold ends."""

    async def join(self, call: Call, writer: Writer, user: User, team: Team, role: str) -> None:
        """Adds a person to a team; raises what `Directory.add_member` raises."""

    async def leave(self, call: Call, writer: Writer, user: User, team: Team, role: str) -> None:
        """Removes a person from a team; raises what `Directory.remove_member` raises."""


class Directory(Protocol):
    """The companies, teams and people, and who belongs where; nothing else writes them."""

    async def claim_instance(self, writer: Writer) -> bool:
        """Returns True for exactly one caller, ever: the one who sets the instance up."""

    async def has_users(self, reader: Reader) -> bool:
        """Tells whether the instance has any person yet."""

    async def create_org(self, writer: Writer, name: str, *, slug: str | None = None, plan: str = "") -> Org:
        """Creates a company, with a free slug that is derived from its name unless one is given.

        Raises `Conflict` `slug_taken`. The caller records it in the company's own trail: a company without
        any event is reported.
        """

    async def create_team(self, writer: Writer, org_id: str, name: str) -> Team:
        """Creates a team; its slug begins with the company's, is free there and fit for a bucket's name."""

    async def create_user(
        self,
        writer: Writer,
        org_id: str,
        username: str,
        *,
        display_name: str | None = None,
        locale: str | None = None,
        password_hash: str | None = None,
        operator: bool = False,
        org_role: str | None = None,
    ) -> User:
        """Creates a person; raises `Conflict` `username_taken`.

        Usernames are compared without regard to case and width.
        """

    async def org(self, reader: Reader, org_id: str) -> Org | None:
        """Returns a company by id, or None."""

    async def org_by_ref(self, reader: Reader, ref: str) -> Org | None:
        """Returns a company by id or by slug, or None."""

    async def orgs(self, reader: Reader, after: str | None, limit: int) -> Sequence[Org]:
        """Returns every company by id, those after `after`."""

    async def change_org(
        self, writer: Writer, org_id: str, *, name: str | None = None, plan: str | None = None
    ) -> Org:
        """Changes a company; None leaves a field as it is. Raises `NotFound`."""

    async def set_domain(self, writer: Writer, org_id: str, domain: str | None) -> Org:
        """Sets a company's hostname, lower case and ASCII, or None for none.

        Raises `NotFound`, or `Conflict` `domain_taken`.
        """

    async def set_suspended(self, writer: Writer, org_id: str, at_ms: int | None) -> bool:
        """Suspends a company, which can then be read, not written; None lifts it. Raises `NotFound`.

        Returns whether that changed anything. Waits for the company's writes under way: once it has
        committed, none of an earlier time can follow. Call it before anything else that locks, and not in a
        scope that itself writes on behalf of a company.
        """

    async def tenant_suspended_at(self, reader: Reader) -> int | None:
        """Returns when the whole instance was suspended, or None."""

    async def set_tenant_suspended(self, writer: Writer, at_ms: int | None) -> bool:
        """Suspends the instance as a whole, the tenant of a hosted one; None lifts it.

        Returns whether that changed anything. Waits for the writes under way, as `set_suspended` does for a
        company's.
        """

    async def teams_of_org(
        self, reader: Reader, org_id: str, after: str | None, limit: int
    ) -> Sequence[Team]:
        """Returns the company's teams by id, those after `after`."""

    async def colleagues(
        self, reader: Reader, org_id: str, after: str | None, limit: int
    ) -> Sequence[Colleague]:
        """Returns the company's people by id, those after `after`."""

    async def colleague(self, reader: Reader, org_id: str, user_id: str) -> Colleague | None:
        """Returns a person of the company with their teams, or None."""

    async def set_org_role(
        self, writer: Writer, org_id: str, user_id: str, org_role: str | None
    ) -> str | None:
        """Sets a person's role in the company, and returns the role before. One call at a time.

        Raises `NotFound`, or `Conflict` `last_org_owner`.
        """

    async def set_person_suspended(
        self, writer: Writer, org_id: str, user_id: str, at_ms: int | None
    ) -> bool:
        """Suspends a person, whose credentials then answer 403 `person_suspended`; None lifts it.

        Returns whether that changed anything. Raises `NotFound`, and `Conflict` `last_org_owner` or
        `last_operator` for the last of these who can sign in.
        """

    async def remove_person(self, writer: Writer, org_id: str, user_id: str) -> None:
        """Removes a person who is in no team any more from the company, with their role and password.

        What they made keeps their name; who adds them to a team again takes them back.
        """

    async def rename_team(self, writer: Writer, org_id: str, team_id: str, name: str) -> Team:
        """Renames a team of the company; its slug stays. Raises `NotFound`."""

    async def delete_team(self, writer: Writer, org_id: str, team_id: str) -> None:
        """Deletes a team of the company with all its memberships. Raises `NotFound`.

        What happened in it is kept; who has it deleted moves what is in it before.
        """

    async def team(self, reader: Reader, team_id: str) -> Team | None:
        """Returns a team by id, or None; a deleted one is None."""

    async def team_by_ref(self, reader: Reader, org_id: str, ref: str) -> Team | None:
        """Returns a team of the company by id or slug, or None.

        The slug may be given with or without the company's own in front.
        """

    async def user(self, reader: Reader, user_id: str) -> User | None:
        """Returns a person by id, or None."""

    async def user_by_name(self, reader: Reader, username: str) -> User | None:
        """Returns a person by username, or None."""

    async def users(
        self, reader: Reader, company: str | None, after: str | None, limit: int
    ) -> Sequence[tuple[User, str]]:
        """Returns the people of the instance or of one company (slug or id), each with its slug.

        They come by id, those after `after`.
        """

    async def set_operator(self, writer: Writer, user_id: str, operator: bool, *, keep_one: bool) -> bool:
        """Makes a person an operator, or no longer one; returns whether that changed anything.

        With `keep_one` the last operator who can sign in stays one: `Conflict` `last_operator`.
        """

    async def password_hash(self, reader: Reader, user_id: str) -> str | None:
        """Returns the stored hash of a person's password, or None."""

    async def set_password(self, writer: Writer, user_id: str, password_hash: str) -> None:
        """Stores the hash of a person's new password."""

    async def settle(self, writer: Writer, user_id: str) -> None:
        """Notes that a person can come in by another way than a password: they are invited no more."""

    async def set_two_factor(self, writer: Writer, user_id: str, on: bool) -> None:
        """Records whether a person signs in with a second factor."""

    async def update_profile(
        self, writer: Writer, user_id: str, *, display_name: str | None, locale: str | None
    ) -> User:
        """Changes a person's profile; None leaves a field as it is. Raises `NotFound`."""

    async def teams_of(self, reader: Reader, user_id: str) -> Sequence[tuple[Team, str]]:
        """Returns the person's teams with their role in each, oldest membership first."""

    async def member(self, reader: Reader, team_id: str, user_id: str) -> Member | None:
        """Returns a member of the team, or None."""

    async def members(self, reader: Reader, team_id: str, after: str | None, limit: int) -> Sequence[Member]:
        """Returns the team's members by user id, those after `after`."""

    async def add_member(self, writer: Writer, team_id: str, user_id: str, role: str) -> Member:
        """Adds a person to a team; raises `Conflict` `already_member`.

        Raises `NotFound` for a person of another company.
        """

    async def hold_people(self, writer: Writer, org_id: str) -> None:
        """Locks the roles and memberships of the company and its teams until the write ends."""

    async def set_role(self, writer: Writer, team_id: str, user_id: str, role: str) -> Member:
        """Changes a member's role; raises `NotFound`, or `Conflict` where a last one would be demoted.

        The codes are `last_operator`, `last_org_owner` and `last_owner`: the last membership of an operator
        is not demoted, nor that of a company's last org_owner.
        """

    async def remove_member(self, writer: Writer, team_id: str, user_id: str) -> None:
        """Removes a member, and ends their credentials in this team; raises what `set_role` raises."""
