"""Rows of the tenancy tables as the SDK's frozen records."""

from guildhall_sdk import Row
from guildhall_sdk.services.tenancy import Member, Org, Team, User, status_of


def org_of(row: Row) -> Org:
    return Org(
        id=row["id"],
        slug=row["slug"],
        name=row["name"],
        plan=row["plan"],
        domain=row["domain"],
        suspended_at=row["suspended_at"],
        created_at=row["created_at"],
    )


def team_of(row: Row) -> Team:
    return Team(
        id=row["id"],
        org_id=row["org_id"],
        slug=row["slug"],
        name=row["name"],
        created_at=row["created_at"],
    )


def user_of(row: Row) -> User:
    return User(
        id=row["id"],
        org_id=row["org_id"],
        username=row["username"],
        display_name=row["display_name"],
        locale=row["locale"],
        operator=bool(row["operator"]),
        org_role=row["org_role"],
        two_factor=bool(row["two_factor"]),
        created_at=row["created_at"],
        has_password=bool(row["has_password"]),
        suspended_at=row["suspended_at"],
        removed_at=row["removed_at"],
        last_seen_at=row["last_seen_at"],
    )


def member_of(row: Row) -> Member:
    return Member(
        user_id=row["user_id"],
        username=row["username"],
        display_name=row["display_name"],
        role=row["role"],
        status=status_of(suspended_at=row["suspended_at"], has_password=bool(row["has_password"])),
        last_seen_at=row["last_seen_at"],
    )
