import pytest

from libs.grants import Holder, cursor_of, holder_in, listed, position_in


class Refused(Exception):
    pass


def test_a_holder_is_a_person_or_a_team_and_is_named_once():
    team = {"principal_type": "team", "principal_id": "t"}
    assert holder_in(team, Refused) == ("team", "t", "/principal_id")
    assert holder_in({"user_id": "u"}, Refused) == ("user", "u", "/user_id")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/principal_type"),
        ({"principal_type": "user"}, "/principal_id"),
        ({"user_id": "u", "principal_id": "u"}, "/principal_id"),
        ({"user_id": "u", "principal_type": "user"}, "/principal_type"),
    ],
)
def test_half_a_holder_and_two_are_refused_where_they_are_wrong(body, pointer):
    with pytest.raises(Refused) as refusal:
        holder_in(body, Refused)
    assert refusal.value.args[0] == pointer


def test_nothing_is_given_to_the_owner_nor_to_who_is_not_there():
    person, team = Holder("user", "u", "/user_id"), Holder("team", "t", "/principal_id")
    assert person.fault(owner_id="u", is_known=True, thing="note") == "owns this note already"
    assert person.fault(owner_id="o", is_known=False, thing="note") == "is nobody in your company"
    assert team.fault(owner_id="t", is_known=False, thing="note") == "is no team in your company"
    assert team.fault(owner_id="t", is_known=True, thing="note") is None


def test_a_list_goes_on_behind_the_row_that_its_cursor_names():
    assert position_in(cursor_of({"granted_at": 12, "principal_id": "usr_a.b"}), Refused) == (12, "usr_a.b")
    assert position_in(None, Refused) == (0, "")


@pytest.mark.parametrize("cursor", ["x.usr", "-1.usr", "1e3.usr", "²." + "usr", "9" * 16 + ".usr", ".usr"])
def test_a_cursor_that_no_list_gave_is_refused(cursor):
    with pytest.raises(Refused):
        position_in(cursor, Refused)


def test_a_grant_has_ended_from_its_end_on():
    row = {"principal_type": "user", "principal_id": "u", "name": "U", "capability": "view"}
    row |= {"granted_by": "o", "granted_by_name": "O", "granted_at": 5, "expires_at": 9}
    assert listed(row, ("read",), 8, str)["expired"] is False
    shown = listed(row, ("read",), 9, str)
    assert (shown["expired"], shown["expires_at"], shown["permissions"]) == (True, "9", ["read"])
    assert listed({**row, "expires_at": None}, (), 99, str)["expired"] is False
