import pytest

from libs.secret_values import guessable, looks_like_path, secret_from


def test_a_secret_comes_from_its_variable_or_from_the_file_that_another_names(tmp_path):
    (tmp_path / "key").write_text("\ufeffchance\n")
    assert secret_from({}, "KEY") is None
    assert secret_from({"KEY": "chance"}, "KEY") == "chance"
    assert secret_from({"KEY_FILE": str(tmp_path / "key")}, "KEY") == "chance"
    with pytest.raises(ValueError, match="leave one out"):
        secret_from({"KEY": "a", "KEY_FILE": "b"}, "KEY")


def test_what_can_be_guessed_is_named():
    assert guessable("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", lambda _: False) == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Rt5XybcW9fGu1JpL", lambda _: True) == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Rt5XybcW9fGu1JpL", lambda _: False) is None
    assert looks_like_path("/run/secrets/key")
