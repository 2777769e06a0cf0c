"""Nobody finds out who signed up: a known address gets the same answer for the same work."""

import pytest

from guildhall_testing.statements import before_statements

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
def statements_of(monkeypatch):
    """Names the statements that a request runs: `await statements_of(call(headers))`."""

    async def run(request_id, call):
        names = []

        def note(statement_call):
            if statement_call.request_id == request_id:
                names.append(statement_call.statement.name)

        with monkeypatch.context() as patched:
            before_statements(patched.setattr, note)
            answer = await call({"X-Request-Id": request_id})
        return answer, names

    return run


def shape_of(answer):
    """Returns all that a visitor sees, but for what differs between any two answers."""
    varying = {"date", "x-request-id"}
    headers = {name: value for name, value in answer.headers.items() if name not in varying}
    return answer.status_code, answer.text, headers


@pytest.mark.parametrize("with_model", [False, True])
@pytest.mark.every_database
async def test_a_known_address_gets_the_same_answer_by_the_same_statements(
    open_hall, visit, statements_of, with_model
):
    async with open_hall(with_model=with_model) as hall:
        visitors = await visit(hall)
        await visitors.sign_up("first@example.com")

        def sign_up(email):
            return lambda headers: visitors.sign_up(email, headers=headers, locale="en")

        new, of_new = await statements_of("one", sign_up("ann@example.com"))
        known, of_known = await statements_of("two", sign_up("ANN@example.com"))
        assert new.status_code == 201, new.text
        assert shape_of(new) == shape_of(known)
        assert "put_prospect" in of_new
        assert of_new == of_known
        [prospect] = await visitors.prospects("?q=ann")
        assert prospect["fields"] == {"email": "ann@example.com"}
        assert prospect["signals"]["repeats"] == 1


async def test_the_trap_for_robots_is_silent_and_takes_nobodys_place(visitors):
    trapped = await visitors.sign_up(website="https://spam.example")
    person = await visitors.sign_up(website="  ")
    assert shape_of(trapped) == shape_of(person)
    caught = {one["signals"]["honeypot"]: one for one in await visitors.prospects()}
    assert set(caught) == {True, False}
    assert caught[True]["fields"] == {"email": "ann@example.com"}


async def test_an_address_to_throw_away_is_taken_and_marked(open_hall, visit, tmp_path):
    listed = tmp_path / "domains.txt"
    listed.write_text("throw.example\n")
    async with open_hall(SERVICE_BETA_DISPOSABLE_DOMAINS=str(listed)) as hall:
        visitors = await visit(hall)
        for email in ("ann@x.throw.example", "bob@mailinator.com"):
            assert (await visitors.sign_up(email)).status_code == 201
        marked = {one["fields"]["email"]: one["signals"]["disposable"] for one in await visitors.prospects()}
        assert marked == {"ann@x.throw.example": True, "bob@mailinator.com": False}


async def test_signals_are_kept_without_the_address(visitors):
    headers = {"User-Agent": "Browser\t" + "x" * 300, "Referer": "https://news.example/item?user=ann"}
    solved = visitors.easy()
    visitors.hall.clock.advance(seconds=42)
    await visitors.sign_up(challenge=solved, headers=headers)
    [prospect] = await visitors.prospects()
    signals = prospect["signals"]
    assert (signals["referrer_host"], signals["seconds_to_submit"]) == ("news.example", 42)
    assert len(signals["agent"]) < 201
    assert (signals["difficulty"], signals["repeats"], signals["honeypot"]) == (1, 0, False)
    assert "127.0.0.1" not in str(prospect)
    await visitors.sign_up("bob@example.com", headers={"Referer": "http://[broken"})
    [second, _] = await visitors.prospects()
    assert second["signals"]["referrer_host"] is None
    assert second["signals"]["address_hash"] == signals["address_hash"]


async def test_nothing_of_a_prospect_is_logged(visitors):
    """The hall's watch reads every line of the log, and fails the test that it finds one of these in."""
    for what in ("ann@", "reason", "nonce", "size", "site", "note"):
        visitors.hall.watch.learn(f"canary-{what}")
    fields = {"email": "canary-ann@example.com", "why": "canary-reason"}
    await visitors.sign_up(fields=fields, challenge={"nonce": "canary-nonce"})
    await visitors.sign_up(fields={**fields, "size": "canary-size"})
    await visitors.sign_up(fields=fields, website="canary-site")
    [prospect] = await visitors.prospects("?q=canary-reason")
    await visitors.company.admin.post(
        f"/api/beta/prospects/{prospect['id']}/decide", {"decision": "accept", "note": "canary-note"}
    )
    assert "canary" not in (await visitors.company.owner.get("/api/audit")).text


async def test_where_nobody_has_set_the_server_up_nobody_signs_up(open_hall, visit):
    async with open_hall() as other:
        visitors = await visit(other)
    async with open_hall(populated=False) as hall:
        visitors.hall = hall
        answer = await visitors.sign_up()
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


async def test_a_suspended_company_takes_nobody_in(visitors):
    await visitors.hall.suspend(visitors.company)
    solved = visitors.easy()
    answer = await visitors.sign_up(challenge=solved)
    assert (answer.status_code, answer.json()["code"]) == (402, "org_suspended")
    await visitors.hall.resume(visitors.company)
    assert (await visitors.sign_up(challenge=solved)).status_code == 201


async def test_a_repeat_with_the_same_idempotency_key_is_one_sign_up(visitors):
    solved, key = visitors.easy(), {"Idempotency-Key": "once"}
    answers = [await visitors.sign_up(challenge=solved, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    [prospect] = await visitors.prospects()
    assert prospect["signals"]["repeats"] == 0
