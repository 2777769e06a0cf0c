"""Requests as a client sends them and as they reach the application."""

import hashlib
from urllib.parse import urlsplit

from botocore import auth, credentials
from botocore.awsrequest import AWSRequest

from builtin_plugins.s3.wire.request import parse_request
from builtin_plugins.s3.wire.sigv4 import Signature, SigningScope, moment_ms, signing_key

ACCESS_KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


def scope_of(method, url, headers=(), root_path=""):
    """The ASGI scope of a request for a URL."""
    parts = urlsplit(url)
    lines = [(name.lower().encode(), value.encode()) for name, value in headers]
    if not any(name == b"host" for name, _ in lines):
        lines.insert(0, (b"host", parts.netloc.encode()))
    return {
        "method": method,
        "scheme": parts.scheme,
        "raw_path": parts.path.encode() or b"/",
        "query_string": parts.query.encode(),
        "root_path": root_path,
        "headers": lines,
    }


def request_of(method, url, headers=(), root_path="", domain=None):
    return parse_request(scope_of(method, url, headers, root_path), domain)


def signed_by_botocore(method, url, headers=(), body=b"", region="local", presign=None, token=None):
    """URL and headers as botocore sends them, and when it signed them."""
    sent = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
    keys = credentials.Credentials(ACCESS_KEY, SECRET, token)
    if presign is None:
        signer = auth.S3SigV4Auth(keys, "s3", region)
    else:
        signer = auth.S3SigV4QueryAuth(keys, "s3", region, expires=presign)
    signer.add_auth(sent)
    return sent.url, list(sent.headers.items()), moment_ms(sent.context["timestamp"])


def signature_of(payload, at="20130524T000000Z", seed="0" * 64):
    """A signature that held, of a request with such a payload."""
    scope = SigningScope(at, "us-east-1")
    key = signing_key(SECRET, scope.timestamp[:8], scope.region)
    return Signature(ACCESS_KEY, scope, key, seed, payload, presigned=False)


def sha256(data):
    return hashlib.sha256(data).hexdigest()
