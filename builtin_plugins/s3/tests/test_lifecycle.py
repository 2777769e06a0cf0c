"""The lifecycle of a bucket: the rules that the API shows, as S3's clients set and see them."""

import pytest

from builtin_plugins.s3.tests.forms import refusal
from guildhall_sdk.services.repository import Repository

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

PATH = "/api/repo-lifecycle"
OLD = {
    "ID": "old",
    "Filter": {"Prefix": "k/"},
    "Status": "Enabled",
    "NoncurrentVersionExpiration": {"NoncurrentDays": 3, "NewerNoncurrentVersions": 1},
    "Expiration": {"ExpiredObjectDeleteMarker": True},
}
RULE = "<LifecycleConfiguration><Rule><Status>Enabled</Status><Filter/>{}</Rule></LifecycleConfiguration>"
DAYS = "<NoncurrentVersionExpiration><NoncurrentDays>{}</NoncurrentDays></NoncurrentVersionExpiration>"


def configuration(*rules):
    return {"LifecycleConfiguration": {"Rules": list(rules)}}


@pytest.fixture
def put(http, signed):
    """`await put("<LifecycleConfiguration>…")`: what no client would send."""

    async def put(body):
        url, headers = signed("PUT", "?lifecycle", **{"x-amz-content-sha256": "UNSIGNED-PAYLOAD"})
        return await http.put(url, headers=headers, content=body)

    return put


async def test_what_one_way_sets_the_other_shows(hall, bucket, refused):
    owner = hall.acme.owner
    missing = ("NoSuchLifecycleConfiguration", 404)
    assert await refused(bucket.get_bucket_lifecycle_configuration()) == missing
    await bucket.put_bucket_lifecycle_configuration(**configuration(OLD))
    shown = (await owner.get(PATH)).json()["rules"]
    rule = {
        "id": "old",
        "enabled": True,
        "prefix": "k/",
        "old_version_days": 3,
        "keep_old_versions": 1,
        "empty_markers": True,
        "deleted_days": None,
    }
    assert shown == [rule]
    off = {**rule, "id": "off", "enabled": False, "prefix": "", "keep_old_versions": 0}
    bin_alone = {"id": "bin", "deleted_days": 9}
    assert (await owner.put(PATH, {"rules": [rule, off, bin_alone]})).status_code == 200
    found = (await bucket.get_bucket_lifecycle_configuration())["Rules"]
    assert found[0] == OLD
    assert found[1]["Status"] == "Disabled"
    assert found[1]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 3}
    assert found[2] == {"ID": "bin", "Filter": {"Prefix": ""}, "Status": "Enabled"}
    # boto3 does not know the rule of the bin: to set what it saw is refused, and loses nothing.
    again = await refused(bucket.put_bucket_lifecycle_configuration(**configuration(*found)))
    assert again == ("InvalidRequest", 400)
    assert len((await owner.get(PATH)).json()["rules"]) == 3
    await bucket.delete_bucket_lifecycle()
    await bucket.delete_bucket_lifecycle()
    assert (await owner.get(PATH)).json()["rules"] == []


async def test_the_bin_is_emptied_by_an_element_that_others_have_too(hall, put):
    body = RULE.format("<DelMarkerExpiration><Days>9</Days></DelMarkerExpiration>")
    assert (await put(body)).status_code == 200
    assert (await hall.acme.owner.get(PATH)).json()["rules"][0]["deleted_days"] == 9


@pytest.mark.every_database
async def test_old_versions_are_gone_for_those_who_list_and_read_them(hall, bucket, refused):
    versions = [(await bucket.put_object(Key="k/a", Body=text))["VersionId"] for text in (b"1", b"2", b"3")]
    await bucket.put_object(Key="k/b", Body=b"b")
    await bucket.delete_object(Key="k/b")
    await bucket.delete_object(Key="k/never")
    await bucket.put_bucket_lifecycle_configuration(**configuration(OLD))
    hall.clock.advance(days=4)
    assert await hall.server.service(Repository).lifecycles.sweep(pause_seconds=0) == 2
    listed = await bucket.list_object_versions()
    assert [one["VersionId"] for one in listed["Versions"] if one["Key"] == "k/a"] == versions[:0:-1]
    assert [one["Key"] for one in listed["DeleteMarkers"]] == ["k/b"]
    assert await refused(bucket.get_object(Key="k/a", VersionId=versions[0])) == ("NoSuchVersion", 404)
    assert await bucket.read("k/a", VersionId=versions[1]) == b"2"
    assert await bucket.read("k/a") == b"3"


async def test_only_those_who_manage_the_team_see_or_set_it(hall, open_bucket, refused):
    for other in (
        await open_bucket(await hall.join(hall.acme, "member")),
        await open_bucket(hall.acme.owner, prefix="k/"),
    ):
        for call in (
            other.get_bucket_lifecycle_configuration(),
            other.put_bucket_lifecycle_configuration(**configuration(OLD)),
            other.delete_bucket_lifecycle(),
        ):
            assert await refused(call) == ("AccessDenied", 403)
    globex = await open_bucket(hall.globex.owner)
    theirs = globex.put_bucket_lifecycle_configuration(Bucket="acme--general", **configuration(OLD))
    assert await refused(theirs) == ("AccessDenied", 403)
    assert (await hall.acme.owner.get(PATH)).json()["rules"] == []


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("", "InvalidRequest"),
        ("<Expiration><Days>3</Days></Expiration>", "NotImplemented"),
        ("<Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration>", "NotImplemented"),
        ("<Transition><Days>3</Days><StorageClass>GLACIER</StorageClass></Transition>", "NotImplemented"),
        (
            "<AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation>"
            "</AbortIncompleteMultipartUpload>",
            "NotImplemented",
        ),
        (DAYS.format(0), "InvalidArgument"),
        (DAYS.format(-1), "InvalidArgument"),
        (DAYS.format("9" * 400), "InvalidArgument"),
        (DAYS.format("three"), "MalformedXML"),
        (DAYS.format("３"), "MalformedXML"),
        (DAYS.format(3) * 2, "MalformedXML"),
        (DAYS.format(3) + "<Days>3</Days>", "MalformedXML"),
        (DAYS.format(3) + "<Prefix>k</Prefix>", "MalformedXML"),
        (DAYS.format(3) + f"<ID>{'i' * 256}</ID>", "InvalidArgument"),
        (
            "<Expiration><ExpiredObjectDeleteMarker>yes</ExpiredObjectDeleteMarker></Expiration>",
            "MalformedXML",
        ),
    ],
)
async def test_what_is_not_offered_is_refused_and_changes_nothing(bucket, put, rule, code):
    await bucket.put_bucket_lifecycle_configuration(**configuration(OLD))
    assert refusal(await put(RULE.format(rule).encode()))[1] == code
    assert (await bucket.get_bucket_lifecycle_configuration())["Rules"] == [OLD]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "MalformedXML"),
        (b"<LifecycleConfiguration/>", "MalformedXML"),
        (b"<!DOCTYPE x [<!ENTITY e 'k'>]><LifecycleConfiguration/>", "MalformedXML"),
        (RULE.format(DAYS.format(3)).replace("<Filter/>", "").encode(), "MalformedXML"),
        (RULE.format(DAYS.format(3)).replace("Enabled", "On").encode(), "MalformedXML"),
        (
            RULE.format(DAYS.format(3))
            .replace("<Filter/>", "<Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>")
            .encode(),
            "NotImplemented",
        ),
        (b"<LifecycleConfiguration>" + b"<Rule></Rule>" * 30_000, "MaxMessageLengthExceeded"),
    ],
)
async def test_hostile_and_half_configurations_are_refused(hall, put, body, code):
    assert refusal(await put(body))[1] == code
    assert (await hall.acme.owner.get(PATH)).json()["rules"] == []
