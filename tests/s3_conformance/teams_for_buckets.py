"""A pytest plugin for Ceph's s3-tests: whoever creates a bucket gets a team, whose bucket it is.

A hall's buckets are fixed, one for each team, and an access key opens the bucket of its team. The tests make
a bucket whenever they need one and use it with one pair of keys. So the creation of a plain bucket becomes
that of a team, which the database is told to name as the test wants it; its deletion is forgotten about, and
each request is signed with the key of the bucket that it names. The forms of the tests are signed with
Signature Version 2: the same policy is signed with Version 4. All else reaches the server as it is.

Runs beside the tests, where nothing of Guildhall is installed.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import urllib.request
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import requests
from botocore import handlers
from botocore.awsrequest import AWSResponse
from botocore.credentials import Credentials

_ACCESS_KEY = re.compile(r"Credential=([^/]+)/")
_MORE = ("x-amz-acl", "x-amz-grant-", "x-amz-bucket-", "x-amz-object-")

# These make a bucket or an object public before, which has no bearing on the signed links and forms that they
# are about, nor on what browsers ask.
_PRIVATE = re.compile(
    r"test_object_raw_(authenticated|response_headers|get_x_amz_expires)"
    r"|test_post_object_authenticated_|test_cors_(header_option|presigned_)"
)
# These copy from one bucket to another, though not for that: here one bucket is both.
_COPIES = re.compile(
    r"test_multipart_copy_|test_object_copy_version|test_versioning_copy_obj_version"
    r"|test_copy(_part)?_enc\[unencrypted-unencrypted-"
)


class Person:
    """Somebody of the hall, with a key of theirs for each bucket."""

    def __init__(self, token):
        self._token = token
        self._keys = {}
        about = self._ask("GET", "/api/whoami")
        self.username = about["user"]["username"]
        self.id = about["user"]["id"]
        self.display_name = about["user"]["display_name"]
        self.first_key = self._ask("POST", "/api/s3/credentials", {})

    def make_bucket(self, name):
        team = self._ask("POST", "/api/org/teams", {"name": name})
        with closing(sqlite3.connect(os.environ["GUILDHALL_DATABASE"], timeout=60)) as database, database:
            database.execute("UPDATE teams SET slug = ? WHERE id = ?", (name, team["id"]))
        self._ask(
            "POST", "/api/org/members", {"username": self.username, "team": team["id"], "role": "owner"}
        )
        session = self._ask("POST", "/api/session/team", {"team": team["id"]})
        self._keys[name] = self._ask("POST", "/api/s3/credentials", {}, session["token"])

    def forget_bucket(self, name):
        del self._keys[name]

    def has(self, bucket):
        return bucket in self._keys

    def credentials(self, bucket):
        key = self._keys.get(bucket, self.first_key)
        return Credentials(key["access_key_id"], key["secret_access_key"])

    def holds(self, access_key_id, secret=None):
        """With `secret`, only if it is the right one: some tests sign with a wrong one."""
        return any(
            key["access_key_id"] == access_key_id and secret in (None, key["secret_access_key"])
            for key in (self.first_key, *self._keys.values())
        )

    def _ask(self, method, path, body=None, token=None):
        request = urllib.request.Request(
            os.environ["GUILDHALL_URL"] + path,
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {token or self._token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


class _Empty:
    def stream(self):
        return iter(())


class _Test:
    """The one that runs, its first bucket, and the names of others that stand for the same."""

    def __init__(self, name=""):
        self.name = name
        self.first_bucket = None
        self.aliases = {}


_people = []
_test = _Test()


def pytest_configure(config):
    _people.extend(Person(token) for token in os.environ["GUILDHALL_TOKENS"].split(","))
    main, other = _people
    Path(os.environ["S3TEST_CONF"]).write_text(_configuration(main, other), "utf-8")
    handlers.BUILTIN_HANDLERS.extend(
        [
            ("before-parameter-build.s3", _name_the_one_bucket),
            ("before-call.s3", _leave_private),
            ("before-sign.s3", _sign_for_the_bucket),
            ("before-send.s3.CreateBucket", _create_bucket),
            ("before-send.s3.DeleteBucket", _delete_bucket),
        ]
    )

    requests.post = _post_form


def pytest_collection_modifyitems(items):
    from s3tests import functional

    # They empty and delete whatever an earlier run left; here every run has a hall of its own.
    functional.setup = functional.teardown = lambda: None


def pytest_runtest_setup(item):
    _test.__init__(item.name)


def _name_the_one_bucket(params, **_):
    """Where two buckets are one."""
    if params.get("Bucket") in _test.aliases:
        params["Bucket"] = _test.aliases[params["Bucket"]]
    bucket, _, key = str(params.get("CopySource", "")).partition("/")
    if bucket in _test.aliases:
        params["CopySource"] = f"{_test.aliases[bucket]}/{key}"


def _leave_private(params, **_):
    if _PRIVATE.match(_test.name):
        params["headers"].pop("x-amz-acl", None)


def _sign_for_the_bucket(request, request_signer, **_):
    credentials = request_signer._credentials
    person = _holder(credentials.access_key, credentials.secret_key) if credentials else None
    if person is not None:
        request_signer._credentials = person.credentials(_bucket(request.url))


def _create_bucket(request, **_):
    person, name = _signer(request), _bucket(request.url)
    if person is None or request.body or any(name.lower().startswith(_MORE) for name in request.headers):
        return None
    if _test.first_bucket and _COPIES.match(_test.name):
        _test.aliases[name] = _test.first_bucket
    elif not person.has(name):
        person.make_bucket(name)
        _test.first_bucket = name
    return AWSResponse(request.url, 200, {"location": f"/{name}"}, _Empty())


def _delete_bucket(request, **_):
    person, name = _signer(request), _bucket(request.url)
    if person is None or not person.has(name):
        return None
    person.forget_bucket(name)
    return AWSResponse(request.url, 204, {}, _Empty())


def _post_form(url, files=None, **more):
    if files and {"AWSAccessKeyId", "policy"} <= {name.replace("pOLICy", "policy") for name in files}:
        files = _signed_anew(url, files)
    return requests.request("POST", url, files=files, **more)


def _signed_anew(url, files):
    """The form by Version 4: right where it was right, wrong where it was wrong, unsigned where it was."""
    name = next(name for name in files if name.lower() == "policy")
    access_key_id, old = files["AWSAccessKeyId"], files.get("signature")
    person = _holder(access_key_id)
    held = person.credentials(_bucket(url)) if person else Credentials(access_key_id, "unknown")
    right = person is not None and old == _version_2(person.first_key["secret_access_key"], files[name])
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = (now[:8], "local", "s3", "aws4_request")
    added = {
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-credential": "/".join((held.access_key, *scope)),
        "x-amz-date": now,
    }
    document = json.loads(base64.b64decode(files[name]))
    if isinstance(document.get("conditions"), list):
        document["conditions"] += [{field: value} for field, value in added.items()]
    policy = base64.b64encode(json.dumps(document).encode())
    key = f"AWS4{held.secret_key}".encode()
    for step in (*scope, policy.decode()):
        key = hmac.digest(key, step.encode(), "sha256")
    if old is not None:
        added["x-amz-signature"] = key.hex() if right else key.hex()[::-1]
    kept = {field: value for field, value in files.items() if field not in ("AWSAccessKeyId", "signature")}
    return {**added, **kept, name: policy}


def _version_2(secret, policy):
    return base64.b64encode(hmac.digest(secret.encode(), policy, hashlib.sha1))


def _signer(request):
    told = request.headers.get("Authorization", "")
    found = _ACCESS_KEY.search(told.decode() if isinstance(told, bytes) else told)
    return _holder(found[1]) if found else None


def _holder(access_key_id, secret=None):
    return next((person for person in _people if person.holds(access_key_id, secret)), None)


def _bucket(url):
    return urlsplit(url).path.split("/")[1]


def _configuration(main, other):
    endpoint = urlsplit(os.environ["GUILDHALL_S3_URL"])
    lines = [
        "[DEFAULT]",
        f"host = {endpoint.hostname}",
        f"port = {endpoint.port}",
        "is_secure = False",
        "[fixtures]",
        "bucket prefix = gh-{random}-",
    ]
    for section, person in (("s3 main", main), ("s3 alt", other), ("s3 tenant", other), ("iam", other)):
        lines += [
            f"[{section}]",
            f"display_name = {person.display_name}",
            f"user_id = {person.id}",
            "email = nobody@example.com",
            "api_name = default",
            "tenant = none",
            f"access_key = {person.first_key['access_key_id']}",
            f"secret_key = {person.first_key['secret_access_key']}",
        ]
    for section in ("iam root", "iam alt root"):
        lines += [f"[{section}]", "access_key = none", "secret_key = none", "user_id = none", "email = none"]
    return "\n".join(lines) + "\n"
