"""Whose message it is, by the ways of Standard Webhooks, GitHub, Stripe and Slack, with their examples."""

import base64
import hashlib
import hmac
import json

import pytest

from builtin_plugins.webhooks.signatures import SignatureInvalid, check_signature, delivery_key
from builtin_plugins.webhooks.webhook import signature

pytestmark = pytest.mark.any_database

NOW = 1_700_000_000
BODY = b'{"id": "evt_1", "event_id": "Ev1", "value": "\xc3\xbc"}'
SECRETS = {
    "standard": "whsec_" + base64.b64encode(b"0123456789abcdef01234567").decode(),
    "github": "It's a Secret to Everybody",
    "stripe": "whsec_of_stripe",
    "slack": "8f742231b10e8888abcd99yyyzzz85a5",
}


def mac(scheme, message):
    return hmac.new(SECRETS[scheme].encode(), message, hashlib.sha256).hexdigest()


def headers_of(scheme, body=BODY, at=NOW):
    if scheme == "standard":
        signed = signature(SECRETS[scheme], "msg_1", at, body)
        return {"webhook-id": "msg_1", "webhook-timestamp": str(at), "webhook-signature": f"v1,b2xk {signed}"}
    if scheme == "github":
        return {"x-hub-signature-256": f"sha256={mac(scheme, body)}", "x-github-delivery": "guid-1"}
    if scheme == "stripe":
        return {"stripe-signature": f"t={at},v1=00,v1={mac(scheme, b'%d.' % at + body)},v0=1"}
    signed = f"v0={mac(scheme, b'v0:%d:' % at + body)}"
    return {"x-slack-request-timestamp": str(at), "x-slack-signature": signed}


@pytest.mark.parametrize("scheme", sorted(SECRETS))
def test_who_has_the_secret_is_believed(scheme):
    check_signature(scheme, SECRETS[scheme], headers_of(scheme), BODY, NOW + 299)


@pytest.mark.parametrize("scheme", sorted(SECRETS))
def test_nobody_else_is(scheme):
    headers = headers_of(scheme)
    refused = [
        (headers, BODY + b" ", NOW, SECRETS[scheme]),
        ({}, BODY, NOW, SECRETS[scheme]),
        (dict.fromkeys(headers, "ünsinn"), BODY, NOW, SECRETS[scheme]),
        (dict.fromkeys(headers, ""), BODY, NOW, SECRETS[scheme]),
    ]
    if scheme != "github":
        refused += [(headers, BODY, NOW + 301, SECRETS[scheme]), (headers, BODY, NOW - 301, SECRETS[scheme])]
    for given, body, now, secret in refused:
        with pytest.raises(SignatureInvalid) as refusal:
            check_signature(scheme, secret, given, body, now)
        assert (refusal.value.status, refusal.value.code) == (401, "signature_invalid")


def test_the_example_of_standard_webhooks_fits():
    body = b'{"test": 2432232314}'
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    check_signature("standard", secret, headers, body, 1614265330)


def test_the_example_of_github_fits():
    headers = {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    }
    check_signature("github", "It's a Secret to Everybody", headers, b"Hello, World!", NOW)


@pytest.mark.parametrize(
    ("scheme", "key"),
    [("standard", "msg_1"), ("github", "guid-1"), ("stripe", "evt_1"), ("slack", "Ev1"), ("none", None)],
)
def test_a_message_is_known_by_the_senders_own_id(scheme, key):
    headers = {} if scheme == "none" else headers_of(scheme)
    assert delivery_key(scheme, headers, json.loads(BODY)) == key
    assert delivery_key(scheme, {}, [1]) is None
    assert len(delivery_key("github", {"x-github-delivery": "x" * 9000}, {}) or "") == 64
