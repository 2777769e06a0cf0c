import pytest

from libs.blob_layout.names import check_digest, check_namespace


@pytest.mark.parametrize("namespace", ["", "..", ".hidden", "a/b", "a\\b", "-a", "a\n", "é", "a" * 129])
def test_a_namespace_that_could_lead_elsewhere_is_refused(namespace: str) -> None:
    with pytest.raises(ValueError, match="a namespace is"):
        check_namespace(namespace)


@pytest.mark.parametrize("digest", ["", "a" * 63, "A" * 64, "g" * 64, "../" + "a" * 61, "a" * 64 + "\n"])
def test_a_digest_that_is_none_is_refused(digest: str) -> None:
    with pytest.raises(ValueError, match="a digest is"):
        check_digest(digest)


def test_names_that_are_safe_are_given_back() -> None:
    assert check_namespace("org_1-b") == "org_1-b"
    assert check_digest("0f" * 32) == "0f" * 32
