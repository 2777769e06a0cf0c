"""`guildhall people`, beside a server that runs on the same database."""

import asyncio
from functools import partial

import pyotp
import pytest

from guildhall_testing.people import PASSWORD
from tests import commands

pytestmark = pytest.mark.any_database

FRESH = "a fresh horse on the battery"


async def guildhall_people(
    settings: dict[str, str], *arguments: str, typed: str = ""
) -> tuple[int, str, str]:
    """Exit status, what it printed, and what it complained of."""
    environ = commands.bare_environment(**settings)
    done = await asyncio.to_thread(commands.run, environ, ["people", *arguments], typed=typed)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def people(hall):
    """`await people("list")`: the command on the data of the hall that runs."""
    settings = hall.server.settings
    environ = {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": settings.database_url}
    return partial(guildhall_people, environ)


async def login(hall, username, password=PASSWORD, **more):
    return await hall.anonymous.post("/api/login", {"username": username, "password": password, **more})


async def trail(hall, user_id):
    """What the company's trail says of a person that the command did, oldest first."""
    events = (await hall.acme.org_owner.get("/api/org/audit")).json()["items"]
    about = [event for event in events if event["target"] == {"type": "user", "id": user_id}]
    return [
        event["action"]
        for event in reversed(about)
        if event["actor"] == {"id": None, "name": "operator at the machine"}
    ]


async def test_a_company_that_is_not_there_is_said(hall, people):
    status, out, err = await people("list", "--company", "nope")
    assert (status, out) == (2, "")
    assert "'nope'" in err and "guildhall people list" in err


async def test_everybody_is_listed_with_what_they_are(hall, people):
    status, out, err = await people("list")
    assert (status, err) == (0, "")
    lines = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
    assert lines["operator"] == ["house", "operator,org_owner", "house--office:owner"]
    assert lines["acme-viewer"] == ["acme", "-", "acme--acme:viewer"]
    assert out.endswith(f"{len(lines) - 1} people\n")
    _, of_globex, _ = await people("list", "--company", "globex")
    assert "globex-owner" in of_globex
    assert "acme-owner" not in of_globex


async def test_a_password_is_set_and_the_sessions_end(hall, people):
    member = hall.acme.member
    status, out, err = await people("password", "ACME-member", typed=f"{FRESH}\n")
    assert (status, err) == (0, "")
    assert FRESH not in out
    assert (await member.get("/api/whoami")).status_code == 401
    assert (await login(hall, "acme-member")).status_code == 401
    assert (await login(hall, "acme-member", FRESH)).status_code == 200
    assert await trail(hall, member.user_id) == ["password.set"]


@pytest.mark.hall_databases("sqlite")
async def test_a_password_is_held_to_the_rules(hall, people):
    for typed in ("short\n", "acme-member\n", "", "password123\n"):
        status, out, err = await people("password", "acme-member", typed=typed)
        assert (status, out) == (2, "")
        assert err.startswith("guildhall: the password: ")
        assert err.count("\n") == 1
    assert (await hall.acme.member.get("/api/whoami")).status_code == 200


async def test_the_flag_of_an_operator_is_given_and_taken(hall, people):
    owner = hall.acme.owner
    assert (await owner.get("/api/admin/status")).status_code == 403
    assert (await people("operator", "acme-owner"))[0] == 0
    assert (await owner.get("/api/admin/status")).status_code == 200
    assert (await people("operator", "acme-owner", "--revoke"))[0] == 0
    assert (await owner.get("/api/admin/status")).status_code == 403
    assert await trail(hall, owner.user_id) == ["operator.granted", "operator.revoked"]
    status, _, err = await people("operator", "operator", "--revoke")
    assert (status, err.count("\n")) == (2, 1)
    assert "the only operator" in err
    assert (await hall.operator.get("/api/admin/status")).status_code == 200


async def test_who_is_locked_out_joins_again(hall, people):
    member = hall.acme.member
    assert (await hall.acme.owner.delete(f"/api/members/{member.user_id}")).status_code == 204
    assert (await login(hall, "acme-member")).json()["code"] == "no_team"
    status, out, err = await people("join", "acme-member", "--team", "acme--acme", "--role", "owner")
    assert (status, err) == (0, "")
    assert out == "acme-member is now owner in acme--acme\n"
    assert (await login(hall, "acme-member")).json()["team"]["role"] == "owner"
    assert (await people("join", "acme-member", "--org-role", "org_owner"))[0] == 0
    whole = ("join", "acme-member", "--team", "acme--acme", "--role", "viewer", "--org-role", "none")
    assert (await people(*whole))[0] == 0
    who = (await login(hall, "acme-member")).json()
    assert who["team"]["role"] == "viewer"
    assert await trail(hall, member.user_id) == [
        "member.added",
        "org_role.changed",
        "member.role_changed",
        "org_role.changed",
    ]


REFUSALS = {
    "join acme-member --team acme": "--team and --role go together",
    "join acme-member": "say what to give",
    "join acme-member --team globex--globex --role viewer": "has no team 'globex--globex'",
    "join acme-org-owner --org-role none": "keeps at least one org_owner",
    "join operator --team house--office --role viewer": "`guildhall people operator NAME --revoke`",
    "operator nobody-at-all": "there is nobody named 'nobody-at-all'",
    "password nobody-at-all": "there is nobody named 'nobody-at-all'",
    "2fa-off nobody-at-all": "there is nobody named 'nobody-at-all'",
}


@pytest.mark.hall_databases("sqlite")
async def test_what_cannot_be_done_is_one_line(people):
    for arguments, said in REFUSALS.items():
        status, out, err = await people(*arguments.split())
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("guildhall: ")
        assert said in err


async def test_a_second_factor_that_is_lost_is_turned_off_and_can_be_had_again(hall, people):
    session = hall.bearer((await login(hall, "acme-member")).json()["token"])
    assert (await session.post("/api/2fa/enable")).status_code == 200
    assert (await login(hall, "acme-member")).json()["code"] == "totp_required"
    status, _, err = await people("2fa-off", "acme-member")
    assert (status, err) == (0, "")
    assert (await session.get("/api/whoami")).status_code == 401
    again = hall.bearer((await login(hall, "acme-member")).json()["token"])
    assert (await again.get("/api/2fa/recovery-codes")).json() == {"unspent": 0}
    enrolled = (await again.post("/api/2fa/enable")).json()
    code = pyotp.TOTP(enrolled["secret"]).at(hall.clock.now_ms() // 1000)
    assert (await login(hall, "acme-member", totp=code)).status_code == 200
    assert await trail(hall, hall.acme.member.user_id) == ["two_factor.revoked"]
    assert "already" in (await people("2fa-off", "acme-viewer"))[1]


async def test_an_instance_that_was_never_set_up_is_one_line(tmp_path):
    status, _, err = await guildhall_people({"SERVICE_DATA": str(tmp_path / "nothing")}, "list")
    assert (status, err.count("\n")) == (2, 1)
