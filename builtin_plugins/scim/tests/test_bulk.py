"""Many operations in one request."""

import pytest

from builtin_plugins.scim.tests.test_people import kind

pytestmark = pytest.mark.shared_server


def creates(*names):
    return [
        {"method": "POST", "path": "/Users", "bulkId": name, "data": {"userName": name}} for name in names
    ]


async def bulk(directory, *operations, expect=200, **more):
    return await directory.call("POST", "/Bulk", {"Operations": list(operations), **more}, expect=expect)


async def test_people_and_a_group_of_them_in_one_request(directory):
    group = {"displayName": "Bulked", "members": [{"value": "bulkId:b-1"}, {"value": "bulkId:b-2"}]}
    answer = await bulk(
        directory,
        *creates("b-1", "b-2"),
        {"method": "POST", "path": "/Groups", "bulkId": "g", "data": group},
        {
            "method": "PATCH",
            "path": "/Users/bulkId:b-1",
            "data": {"Operations": [{"op": "replace", "path": "title", "value": "Mate"}]},
        },
        {"method": "DELETE", "path": "/Users/bulkId:b-2"},
    )
    results = answer.json()["Operations"]
    assert [one["status"] for one in results] == ["201", "201", "201", "200", "204"]
    assert [one.get("bulkId") for one in results] == ["b-1", "b-2", "g", None, None]
    (found,) = await directory.find("Groups", 'displayName eq "Bulked"')
    (person,) = await directory.find("Users", 'title eq "Mate"')
    assert [one["value"] for one in found["members"]] == [person["id"]]
    assert results[0]["location"].endswith(person["id"])


async def test_what_fails_fails_alone(directory):
    names = [f"some-{number}" for number in range(60)]
    operations = creates(*names[:30], names[0], *names[30:])
    results = (await bulk(directory, *operations)).json()["Operations"]
    failed = [one for one in results if one["status"] != "201"]
    assert len(results) == 61
    assert [(one["status"], one["bulkId"]) for one in failed] == [("409", names[0])]
    assert failed[0]["response"]["scimType"] == "uniqueness"
    assert len(await directory.find("Users", 'userName sw "some-"')) == 60


async def test_it_stops_after_so_many_errors(directory):
    wrong = {"method": "POST", "path": "/Users", "bulkId": "w", "data": {}}
    results = (
        await bulk(directory, wrong, *creates("after-1"), wrong, *creates("after-2"), failOnErrors=2)
    ).json()
    assert [one["status"] for one in results["Operations"]] == ["400", "201", "400"]
    assert not await directory.find("Users", 'userName eq "after-2"')


async def test_what_is_no_bulk_is_refused(directory):
    one = creates("never")[0]
    assert kind(await directory.call("POST", "/Bulk", {"Operations": [one] * 1001})) == (400, "tooMany")
    assert kind(await directory.call("POST", "/Bulk", {"Operations": []})) == (400, "invalidSyntax")
    assert kind(await directory.call("POST", "/Bulk", {"Operations": "x"}))[0] == 400
    for wrong in (
        7,
        {"method": "GET", "path": "/Users"},
        {**one, "path": "/Tokens"},
        {**one, "path": "/Users/x"},
        {"method": "POST", "path": "/Users", "data": {"userName": "never"}},
        {"method": "DELETE", "path": "/Users"},
        {"method": "DELETE", "path": "/Users/bulkId:nobody"},
        {"method": "DELETE", "path": "/Users/usr_\u0001"},
    ):
        (result,) = (await bulk(directory, wrong)).json()["Operations"]
        assert result["status"][0] == "4" and result["response"]["detail"]
    assert not await directory.find("Users", 'userName eq "never"')


async def test_a_bulk_reaches_no_other_company(hall, directory):
    theirs = hall.globex.member.user_id
    results = (
        await bulk(
            directory,
            {"method": "DELETE", "path": f"/Users/{theirs}"},
            {
                "method": "PATCH",
                "path": f"/Users/{theirs}",
                "data": {"Operations": [{"op": "replace", "path": "active", "value": False}]},
            },
        )
    ).json()["Operations"]
    assert [one["status"] for one in results] == ["404", "404"]
    assert (await hall.globex.member.get("/api/whoami")).status_code == 200
