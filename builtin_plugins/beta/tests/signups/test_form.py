"""The answers are checked against the published form, and a refusal costs the visitor nothing."""

import pytest

from builtin_plugins.beta.signup.form import email_key, is_disposable, read_domains

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WRONG = [
    ({}, "/fields/email"),
    ({"email": "   "}, "/fields/email"),
    ({"email": 7}, "/fields/email"),
    ({"email": "ann"}, "/fields/email"),
    ({"email": "ann@example.com", "size": "huge"}, "/fields/size"),
    ({"email": "ann@example.com", "why": "x" * 301}, "/fields/why"),
    ({"email": "ann@example.com", "why": "bell\u0007"}, "/fields/why"),
    ({"email": "ann@example.com", "site": "javascript:alert(1)"}, "/fields/site"),
    ({"email": "ann@example.com", "site": "https://[broken"}, "/fields/site"),
    ({"email": "ann@example.com", "terms": "yes"}, "/fields/terms"),
    ({"email": "ann@example.com", "a/b~c": "x"}, "/fields/a~1b~0c"),
    ({"email": "ann@example.com", "why": ["x"]}, "/fields/why"),
]


async def test_a_wrong_answer_is_named_and_spends_no_nonce(visitors):
    solved = visitors.easy()
    for fields, pointer in WRONG:
        answer = await visitors.sign_up(challenge=solved, fields=fields)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert (await visitors.sign_up(challenge=solved)).status_code == 201


async def test_all_wrong_answers_are_named_at_once(visitors):
    answer = await visitors.sign_up(fields={"email": "no", "size": "no", "other": "no"})
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert pointers == {"/fields/email", "/fields/size", "/fields/other"}


async def test_answers_are_kept_tidied(visitors):
    fields = {"email": " ann@example.com ", "why": "Bread\r\nand rolls", "size": "", "terms": False}
    assert (await visitors.sign_up(fields=fields, locale="nl-be")).status_code == 201
    [prospect] = await visitors.prospects()
    assert prospect["fields"] == {"email": "ann@example.com", "why": "Bread\nand rolls", "terms": False}
    assert (prospect["locale"], prospect["status"], prospect["verdict"]) == ("nl-BE", "captured", None)


async def test_a_required_checkbox_must_be_ticked(visitors, publish, form):
    must = [field | {"required": field["name"] in ("email", "terms")} for field in form["fields"]]
    await publish(visitors.company.admin, fields=must)
    for terms, status in ((False, 400), (True, 201)):
        answer = await visitors.sign_up(fields={"email": "ann@example.com", "terms": terms})
        assert answer.status_code == status


async def test_the_longest_answers_that_a_form_takes_fit_into_a_sign_up(visitors, publish, form):
    wide = [
        {"name": f"part_{number}", "type": "textarea", "label": "Part", "max_length": 9_900}
        for number in range(6)
    ]
    email = form["fields"][:1]
    refused = await visitors.company.admin.put(
        "/api/beta/experience", {"fields": [*email, *(part | {"max_length": 10_000} for part in wide)]}
    )
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/fields")
    await publish(visitors.company.admin, fields=[*email, *wide])
    answers = {part["name"]: "\U0001f35e" * 9_900 for part in wide}
    taken = await visitors.sign_up(fields={"email": "ann@example.com", **answers})
    assert taken.status_code == 201, taken.text
    [prospect] = await visitors.prospects()
    assert prospect["fields"] == {"email": "ann@example.com", **answers}


@pytest.mark.parametrize(
    "same",
    [
        ("ann@example.com", "Ann@EXAMPLE.com"),
        ("ann@example.com", "ａｎｎ@example.com"),
        ("ann@münchen.example", "ann@xn--mnchen-3ya.example"),
        ("ann@münchen.example", "ann@MÜNCHEN.example"),
        ("straße@example.com", "STRASSE@example.com"),
    ],
)
def test_spellings_of_one_address_have_one_key(same):
    first, second = map(email_key, same)
    assert first == second is not None


@pytest.mark.parametrize(
    "email",
    [
        "ann", "@example.com", "ann@", "ann@localhost", "ann@192.0.2.1", "a b@example.com",
        "ann@exa mple.com", "<ann@example.com>",
        "ann\u200b@example.com", "ann@-x.example", "x" * 65 + "@example.com", "ann@" + "x" * 64 + ".example",
        "ann..b@example.com", ".ann@example.com", "ann@example..com", "ann,b@example.com",
    ],
)  # fmt: skip
def test_what_nobody_can_be_written_to_at_is_no_address(email):
    assert email_key(email) is None


def test_domains_are_read_in_any_spelling_and_hold_for_names_below_them():
    domains = read_domains("# ours\nMünchen.example\n\nthrow.example # a remark\n")
    assert is_disposable(email_key("ann@mail.throw.example"), domains)
    assert is_disposable(email_key("ann@xn--mnchen-3ya.example"), domains)
    assert not is_disposable(email_key("ann@notthrow.example"), domains)
    with pytest.raises(ValueError, match="line 2 is no domain"):
        read_domains("throw.example\nnot a domain\n")
