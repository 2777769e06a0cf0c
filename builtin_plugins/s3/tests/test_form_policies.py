"""What the signer of a form lets others upload by it: all that was signed, and nothing else."""

from xml.etree import ElementTree

import pytest

from builtin_plugins.s3.tests.forms import refusal

pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]


async def test_a_form_without_a_signature_is_refused(forms, bucket):
    answer = await forms.send({"key": "k"})
    assert refusal(answer)[:2] == (403, "AccessDenied")
    answer = await forms.send({"key": "k", "policy": "e30="})
    assert refusal(answer)[:2] == (400, "InvalidArgument")
    old = {"key": "k", "AWSAccessKeyId": bucket.key["access_key_id"], "signature": "x", "policy": "e30="}
    status, code, message = refusal(await forms.send(old))
    assert (status, code) == (400, "InvalidRequest")
    assert "Signature Version 4" in message
    assert await bucket.keys() == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"x-amz-signature": "0" * 64}, (403, "SignatureDoesNotMatch")),
        ({"x-amz-signature": "no"}, (400, "AuthorizationQueryParametersError")),
        ({"x-amz-signature": None}, (400, "InvalidArgument")),
        ({"policy": "e30="}, (403, "SignatureDoesNotMatch")),
        ({"x-amz-credential": "GHNOBODY/20260101/local/s3/aws4_request"}, (400, None)),
        ({"x-amz-credential": "k"}, (400, "AuthorizationQueryParametersError")),
        ({"x-amz-date": "today"}, (400, "AuthorizationQueryParametersError")),
        ({"x-amz-algorithm": "AWS4-HMAC-MD5"}, (400, "InvalidRequest")),
        ({"key": None}, (403, "AccessDenied")),
        ({"key": "another"}, (403, "AccessDenied")),
        ({"bucket": "another"}, (403, "AccessDenied")),
        ({"x-amz-meta-a": "b"}, (403, "AccessDenied")),
        ({"x-amz-checksum-sha256": "b"}, (403, "AccessDenied")),
        ({"success_action_redirect": "https://evil.example"}, (403, "AccessDenied")),
        ({"x-ignore-this": "b"}, None),
    ],
)
async def test_a_form_is_what_was_signed(forms, bucket, change, expected):
    fields = {**forms.signed("k"), **change}
    answer = await forms.send({name: value for name, value in fields.items() if value is not None})
    if expected is None:
        assert answer.status_code == 204
        return
    status, code, _ = refusal(answer)
    assert (status, code) == (expected[0], expected[1] or code)
    assert await bucket.keys() == []


async def test_a_form_says_which_condition_failed(forms):
    limits = (["starts-with", "$key", "in/"], ["starts-with", "$Content-Type", "image/"])
    document = forms.policy({}, *limits)
    ok = {"key": "in/k", "Content-Type": "image/png,image/gif"}
    assert (await forms.send(forms.signed_over(document, **ok))).status_code == 204
    for change, message in (
        ({"key": "out"}, 'Policy Condition failed: ["starts-with", "$key", "in/"]'),
        (
            {"Content-Type": "image/png,text/html"},
            'Policy Condition failed: ["starts-with", "$content-type", "image/"]',
        ),
        ({"Content-Type": None}, 'Policy Condition failed: ["starts-with", "$content-type", "image/"]'),
        ({"x-amz-meta-a": "b", "more": "c"}, "Extra input fields: x-amz-meta-a, more"),
    ):
        fields = {name: value for name, value in {**ok, **change}.items() if value is not None}
        answer = refusal(await forms.send(forms.signed_over(document, **fields)))
        assert answer == (403, "AccessDenied", f"Invalid according to Policy: {message}")


@pytest.mark.parametrize("before", [" ", "\t", "\u2003", "\r\n"])
async def test_a_key_begins_as_the_policy_says_to_the_letter(forms, bucket, before):
    """Space before it makes it another key, outside of what the signer meant."""
    document = forms.policy({}, ["starts-with", "$key", "in/"])
    answer = await forms.send(forms.signed_over(document, key=f"{before}in/k"))
    assert refusal(answer)[:2] == (403, "AccessDenied")
    assert await bucket.keys() == []


async def test_names_and_operators_are_read_in_any_case_and_values_as_they_are(forms):
    document = forms.policy({}, ["StArTs-WiTh", "$KeY", "Foo"], {"AcL": "private"})
    assert (await forms.send(forms.signed_over(document, kEy="Foo.txt", aCl="private"))).status_code == 204
    assert (await forms.send(forms.signed_over(document, key="foo.txt", acl="private"))).status_code == 403


@pytest.mark.parametrize(
    "spoil",
    [
        b"no json",
        b"[]",
        b"[" * 12000,
        {"expiration": "2100-01-01 00:00:00"},
        {"expiration": "2100-02-31T00:00:00Z"},
        {"expiration": 1},
        {"expiration": None},
        {"conditions": None},
        {"conditions": {}},
        {"CONDITIONS": []},
        {"": []},
        {"conditions": [{}]},
        {"conditions": [{"a": "b", "c": "d"}]},
        {"conditions": [{"a": 1}]},
        {"conditions": [["matches", "$key", "k"]]},
        {"conditions": [["eq", "key", "k"]]},
        {"conditions": [["eq", "$key"]]},
        {"conditions": ["key"]},
        {"conditions": [["content-length-range", 0]]},
        {"conditions": [["content-length-range", -1, 0]]},
        {"conditions": [["content-length-range", True, 1]]},
        {"conditions": [["content-length-range", 0, 1e400]]},
    ],
)
async def test_a_policy_that_says_nothing_clear_is_refused(forms, bucket, spoil):
    document = spoil
    if isinstance(spoil, dict):
        changed = {**forms.policy({"key": "k"}), **spoil}
        document = {name: value for name, value in changed.items() if value is not None}
    answer = await forms.send(forms.signed_over(document, key="k"))
    assert refusal(answer)[:2] == (400, "InvalidPolicyDocument")
    assert await bucket.keys() == []


async def test_a_form_works_for_as_long_as_its_policy_says_and_for_a_week_at_most(hall, forms):
    short, long = forms.signed("short", expires_in=60), forms.signed("long", expires_in=30 * 24 * 3600)
    hall.clock.advance(seconds=59)
    assert (await forms.send(short)).status_code == 204
    hall.clock.advance(seconds=1)
    expired = (403, "AccessDenied", "Invalid according to Policy: Policy expired.")
    assert refusal(await forms.send(short)) == expired
    assert (await forms.send(long)).status_code == 204
    hall.clock.advance(seconds=7 * 24 * 3600)
    assert refusal(await forms.send(long))[2].startswith(expired[2])


async def test_a_form_is_not_for_later(hall, forms):
    hall.clock.advance(seconds=3600)
    fields = forms.signed("k")
    hall.clock.advance(seconds=-3600)
    assert refusal(await forms.send(fields))[:2] == (403, "AccessDenied")


async def test_a_file_has_the_size_that_the_policy_wants(forms, bucket):
    document = forms.policy({"key": "k"}, ["content-length-range", 3, "5"], ["content-length-range", 0, 10])
    fields = forms.signed_over(document, key="k")
    for size, expected in ((2, "EntityTooSmall"), (3, None), (5, None), (6, "EntityTooLarge")):
        answer = await forms.send(fields, b"x" * size)
        assert answer.status_code == (204 if expected is None else 400)
        if expected is not None:
            assert refusal(answer)[1] == expected
            assert ElementTree.fromstring(answer.content).findtext("ProposedSize") == str(size)
    assert len(await bucket.versions()) == 2
