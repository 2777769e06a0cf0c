"""A Quart blueprint that its author wrote from the docs, as a distribution of its own."""

PATH = "/api/x/polls/polls/lunch"


def test_a_strangers_blueprint_is_served_behind_the_gates_of_rows(served):
    refused = served.call("acme.viewer", "POST", PATH, {"vote": "soup"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "notes:write")
    voted = served.call("acme.member", "POST", PATH, {"vote": "soup"})
    assert (voted.status_code, voted.json()) == (201, {"voted": ["acme-member: soup"]})
    assert served.call("acme.owner", "GET", PATH).json() == {"voted": ["acme-member: soup"]}
    other = served.call("globex.member", "GET", PATH)
    assert (other.status_code, other.json()["detail"]) == (404, "Nobody voted on this.")
    with served.bearing(None) as nobody:
        assert nobody.get(PATH).status_code == 401


def test_its_rules_are_rows_of_the_documentation(served):
    paths = served.call("acme.member", "GET", "/api/openapi.json").json()["paths"]
    assert {*paths["/api/x/polls/polls/{subject}"]} == {"get", "post"}
    assert paths["/api/x/polls/polls/{subject}"]["post"]["summary"] == "Vote"
